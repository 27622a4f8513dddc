/* jounce eval: every term of the equations of motion at one state, as JSON. */
#include "commands/command_eval.h"
#include "base/memory.h"
#include "motion/work.h"
#include "step/sim.h"
#include "trace/json_writer.h"
#include <math.h>
#include <string.h>

enum { DENSE_MOST = 3000 }; /* larger matrices are left out */

static void write_vec3(jn_json *j, const char *key, jn_vec3 v) {
    jn_json_numbers(j, key, (const double[]){v.x, v.y, v.z}, 3);
}

/* In a planar model two components. */
static void write_vector(jn_json *j, const char *key, jn_vec3 v, bool planar) {
    jn_json_numbers(j, key, (const double[]){v.x, v.y, v.z}, planar ? 2 : 3);
}

/* In a planar model the component about z alone. */
static void write_axial(jn_json *j, const char *key, jn_vec3 v, bool planar) {
    if (planar)
        jn_json_number(j, key, v.z);
    else
        write_vec3(j, key, v);
}

/* ------------------------------------------------------------------------------------------------ what is seen */

static void write_bodies(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    jn_json_object(j, "bodies");
    for (int i = 1; i < m->body_count; i++) {
        jn_body_motion b;
        jn_body_motion_get(m, e->work, i, &b);
        jn_json_object(j, m->bodies[i].name);
        write_vector(j, "position", b.position, m->planar);
        if (m->planar) jn_json_number(j, "angle", b.angle);
        jn_json_numbers(j, "orientation",
                        (const double[]){b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z}, 4);
        write_vector(j, "velocity", b.velocity, m->planar);
        write_axial(j, "angular_velocity", b.angular_velocity, m->planar);
        write_vector(j, "acceleration", b.acceleration, m->planar);
        write_axial(j, "angular_acceleration", b.angular_acceleration, m->planar);
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void write_joints(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    jn_json_object(j, "joints");
    for (int i = 0; i < m->joint_count; i++) {
        jn_joint_motion x;
        size_t nq = (size_t)m->joints[i].nq, nv = (size_t)m->joints[i].nv;
        jn_joint_motion_get(m, e->work, i, &x);
        jn_json_object(j, m->joints[i].name);
        jn_json_text(j, "type", jn_joint_type_info(m->joints[i].type)->name);
        jn_json_numbers(j, "q", x.q, nq);
        jn_json_numbers(j, "u", x.u, nv);
        jn_json_numbers(j, "a", x.a, nv);
        jn_json_numbers(j, "drive", x.drive, nv);
        jn_json_numbers(j, "actuator", x.actuator, nv);
        jn_json_object(j, "reaction");
        write_vec3(j, "force", x.reaction.f);
        write_vec3(j, "torque", x.reaction.n);
        write_vec3(j, "force_local", x.reaction_local.f);
        write_vec3(j, "torque_local", x.reaction_local.n);
        jn_json_end(j);
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void write_points(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    jn_json_object(j, "points");
    for (int i = 0; i < m->point_count; i++) {
        jn_vec3 p, v, a;
        jn_point_motion_get(m, e->work, i, &p, &v, &a);
        jn_json_object(j, m->points[i].name);
        write_vector(j, "position", p, m->planar);
        write_vector(j, "velocity", v, m->planar);
        write_vector(j, "acceleration", a, m->planar);
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void write_energy(jn_json *j, const eval_state *e) {
    jn_energy x = jn_energy_get(e->model, e->work);
    jn_ledger power = jn_power_get(e->work);
    jn_json_object(j, "energy");
    jn_json_number(j, "kinetic", x.kinetic);
    jn_json_number(j, "potential", x.potential);
    jn_json_number(j, "elastic", x.elastic);
    jn_json_number(j, "total", x.kinetic + x.potential + x.elastic);
    jn_json_end(j);
    jn_json_object(j, "power");
    jn_json_number(j, "dissipated", power.dissipated);
    jn_json_number(j, "driven", power.driven);
    jn_json_end(j);
}

/* --------------------------------------------------------------------------------------------------------- names */

/* Coordinate (or velocity) k of a link: that of its joint, or of the body where the compiler made the link free. */
static void coordinate_name(const jn_model *m, const jn_link *l, int k, bool velocity, char *buffer, size_t size) {
    static const char *const space_q[] = {"x", "y", "z", "qw", "qx", "qy", "qz"}, *const space_u[] = {"vx", "vy", "vz",
                                                                                                      "wx", "wy", "wz"};
    static const char *const plane_q[] = {"x", "y", "angle"}, *const plane_u[] = {"vx", "vy", "w"};
    if (l->joint >= 0) {
        int count = velocity ? l->nv : l->nq;
        int used = snprintf(buffer, size, "joint.%.100s.%c", m->joints[l->joint].name, velocity ? 'u' : 'q');
        if (count > 1) snprintf(buffer + used, size - (size_t)used, "%d", k + 1);
        return;
    }
    bool plane = l->type == JN_JOINT_PLANAR;
    snprintf(buffer, size, "body.%.100s.%s", m->bodies[l->body].name,
             velocity ? (plane ? plane_u[k] : space_u[k])
             : plane  ? plane_q[k]
                      : space_q[k]);
}

static void write_names(jn_json *j, const jn_model *m, const char *key, bool velocity) {
    char name[160];
    jn_json_row(j, key);
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        for (int k = 0; k < (velocity ? l->nv : l->nq); k++) {
            coordinate_name(m, l, k, velocity, name, sizeof name);
            jn_json_text(j, NULL, name);
        }
    }
    jn_json_end(j);
}

static void write_row_names(jn_json *j, const jn_model *m) {
    char name[192];
    jn_json_array(j, "row_names");
    for (int i = 0; i < m->row_count; i++) {
        jn_model_row_name(m, i, name, sizeof name);
        jn_json_text(j, NULL, name);
    }
    jn_json_end(j);
}

/* --------------------------------------------------------------------------------------------------------- terms */

/* Generalised forces that the accelerations a need beyond those that act: M a - h. O(n). */
static void write_inverse(jn_json *j, const eval_state *e, const double *h, double *needed, double *at_rest) {
    const jn_model *m = e->model;
    jn_rnea(m, e->work, e->state, NULL, at_rest);
    jn_rnea(m, e->work, e->state, e->a, needed);
    for (int i = 0; i < m->nv; i++) needed[i] -= at_rest[i] + h[i];
    jn_json_numbers(j, "inverse", needed, (size_t)m->nv);
}

/* Mass, centre of mass and momentum of all bodies together; gravity and Coriolis forces. */
static bool write_robot(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    size_t nv = (size_t)m->nv;
    double *x = jn_malloc((6 * nv + 1) * sizeof *x);
    if (!x) return false;
    jn_momentum p = jn_momentum_get(m, e->work, e->state, NULL);
    jn_json_object(j, "momentum");
    jn_json_number(j, "mass", p.mass);
    write_vector(j, "com", p.com, m->planar);
    write_vector(j, "com_velocity", p.velocity, m->planar);
    write_vector(j, "linear", p.linear, m->planar);
    write_axial(j, "angular", p.angular, m->planar);
    jn_json_end(j);
    jn_gravity_forces(m, e->work, e->state, x);
    jn_json_numbers(j, "gravity", x, nv);
    jn_coriolis_forces(m, e->work, e->state, x);
    jn_json_numbers(j, "coriolis", x, nv);
    jn_json_object(j, "jacobians");
    for (int i = 0; i < m->point_count && nv <= DENSE_MOST; i++) {
        static const char *const name[] = {"mixed", "body", "world"};
        jn_json_object(j, m->points[i].name);
        for (int k = 0; k < 3; k++) {
            jn_point_jacobian(m, e->work, e->state, i, (jn_frame)k, x, NULL);
            jn_json_matrix(j, name[k], x, 6, nv);
        }
        jn_json_end(j);
    }
    jn_json_end(j);
    jn_free(x);
    return true;
}

/* What contacts do at the state, row by row. */
static void write_contacts(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    if (!e->sim) return;
    jn_json_object(j, "contacts");
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_sum *sum = &e->sim->contacts->sum[i];
        jn_json_object(j, m->contacts[i].name);
        jn_json_number(j, "gap", sum->gap);
        jn_json_number(j, "fn", sum->fn);
        jn_json_number(j, "ft", sum->ft);
        jn_json_end(j);
    }
    jn_json_end(j);
}

/* Forces of the actuators for the accelerations a, shared by least weighted norm. */
static bool write_actuation(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    jn_inverse_desc wanted = {.a = e->a, .actuators = e->actuators, .actuated = e->actuated, .weight = e->weight};
    double unbalanced = 0, *tau = jn_malloc(((size_t)m->nv + (size_t)m->row_count + 1) * sizeof *tau);
    double *lambda = tau ? tau + m->nv : NULL;
    bool fine = tau && (e->sim ? jn_study_inverse_sim(e->sim, &wanted, tau, lambda, NULL, &unbalanced)
                               : jn_study_inverse(m, e->work, e->state, &wanted, tau, lambda, NULL, &unbalanced)) >= 0;
    if (fine) {
        jn_json_object(j, "actuation");
        jn_json_numbers(j, "tau", tau, (size_t)m->nv);
        jn_json_numbers(j, "multipliers", lambda, (size_t)m->row_count);
        jn_json_number(j, "unbalanced", unbalanced);
        jn_json_end(j);
    }
    jn_free(tau);
    return fine;
}

/* Derivatives along the tree: of inverse dynamics at the accelerations a (those of the state if none are given), of forward
 * dynamics under the forces that give them. */
static bool write_derivatives(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    size_t nv = (size_t)m->nv;
    jn_derivatives *d = jn_derivatives_create(m);
    double *tau = jn_malloc((2 * nv + 1) * sizeof *tau);
    bool fine = d && tau && nv <= DENSE_MOST;
    if (fine) {
        memcpy(tau + nv, e->a ? e->a : jn_accelerations_get(e->work), nv * sizeof *tau);
        jn_rnea(m, e->work, e->state, tau + nv, tau);
        fine = jn_forward_derivatives(m, e->work, e->state, tau, d) >= 0;
    }
    if (fine) {
        jn_json_object(j, "derivatives");
        jn_json_matrix(j, "tau_q", d->tau_q, nv, nv);
        jn_json_matrix(j, "tau_u", d->tau_u, nv, nv);
        jn_json_matrix(j, "a_q", d->a_q, nv, nv);
        jn_json_matrix(j, "a_u", d->a_u, nv, nv);
        jn_json_matrix(j, "a_tau", d->a_tau, nv, nv);
        jn_json_end(j);
    }
    jn_free(tau);
    jn_derivatives_free(d);
    return fine;
}

static void write_independent(jn_json *j, const jn_model *m, const jn_linear *l) {
    jn_json_row(j, "independent");
    for (int r = 0; r < l->dof; r++) {
        const jn_link *k = &m->links[m->dof_link[l->independent[r]]];
        char name[160];
        coordinate_name(m, k, l->independent[r] - k->v, true, name, sizeof name);
        jn_json_text(j, NULL, name);
    }
    jn_json_end(j);
}

/* Derivatives of everything that acts, and the linear model in independent coordinates. */
static bool write_linearisation(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count;
    jn_derivatives *d = jn_derivatives_create(m);
    jn_linear l = {0};
    bool fine = d && nv <= DENSE_MOST && rows <= DENSE_MOST &&
                (e->sim ? jn_sim_derivatives(e->sim, e->tau, d)
                        : jn_system_derivatives(m, e->work, e->state, e->tau, d)) >= 0 &&
                (e->sim ? jn_study_linearise_sim(e->sim, e->tau, &l)
                        : jn_study_linearise(m, e->work, e->state, e->tau, &l)) >= 0;
    if (fine) {
        size_t dof = (size_t)l.dof;
        jn_json_object(j, "linearisation");
        jn_json_matrix(j, "a_q", d->a_q, nv, nv);
        jn_json_matrix(j, "a_u", d->a_u, nv, nv);
        jn_json_matrix(j, "a_tau", d->a_tau, nv, nv);
        jn_json_matrix(j, "lambda_q", d->lambda_q, rows, nv);
        jn_json_matrix(j, "lambda_u", d->lambda_u, rows, nv);
        jn_json_matrix(j, "lambda_tau", d->lambda_tau, rows, nv);
        write_independent(j, m, &l);
        jn_json_matrix(j, "A", l.A, 2 * dof, 2 * dof);
        jn_json_matrix(j, "B", l.B, 2 * dof, nv);
        jn_json_matrix(j, "Z", l.Z, nv, dof);
        jn_json_matrix(j, "D", l.D, nv, dof);
        jn_json_end(j);
    }
    jn_linear_free(&l);
    jn_derivatives_free(d);
    return fine;
}

static bool write_terms(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count;
    bool dense = nv <= DENSE_MOST && rows <= DENSE_MOST;
    double *memory = jn_malloc(((dense ? nv * nv + rows * nv : 0) + 3 * nv + 3 * rows + 1) * sizeof *memory), max[2];
    if (!memory) return false;
    double *h = memory, *x = h + nv, *y = x + nv, *gamma = y + nv, *phi = gamma + rows, *phi_rate = phi + rows;
    double *M = dense ? phi_rate + rows : NULL, *G = dense ? M + nv * nv : NULL;
    if (e->sim)
        jn_sim_terms(e->sim, e->state, G, gamma, h);
    else
        jn_system_terms(m, e->work, e->state, G, gamma, h);
    for (size_t i = 0; i < nv && e->tau; i++) h[i] += e->tau[i];
    if (dense) {
        jn_mass_matrix(m, e->work, e->state, M);
        jn_json_matrix(j, "M", M, nv, nv);
    }
    jn_json_numbers(j, "h", h, nv);
    if (dense) jn_json_matrix(j, "G", G, rows, nv);
    jn_json_numbers(j, "gamma", gamma, rows);
    jn_constraint_residual(m, e->work, e->state, phi, phi_rate, max);
    jn_json_numbers(j, "phi", phi, rows);
    jn_json_numbers(j, "phi_rate", phi_rate, rows);
    if (e->tau) jn_json_numbers(j, "tau", e->tau, nv);
    if (e->a) write_inverse(j, e, h, x, y);
    jn_free(memory);
    return true;
}

static bool write_all(jn_json *j, const eval_state *e) {
    const jn_model *m = e->model;
    jn_json_object(j, NULL);
    jn_json_text(j, "title", m->title ? m->title : "");
    jn_json_text(j, "coordinates", m->coordinates == JN_COORDINATES_ABSOLUTE ? "absolute" : "relative");
    jn_json_number(j, "time", e->state->t);
    write_names(j, m, "q_names", false);
    jn_json_numbers(j, "q", e->state->q, (size_t)m->nq);
    write_names(j, m, "u_names", true);
    jn_json_numbers(j, "u", e->state->u, (size_t)m->nv);
    jn_json_numbers(j, "accelerations", jn_accelerations_get(e->work), (size_t)m->nv);
    jn_json_numbers(j, "multipliers", jn_multipliers_get(e->work), (size_t)m->row_count);
    write_row_names(j, m);
    if (m->row_count) jn_json_integer(j, "rank", jn_rank_get(e->work));
    write_bodies(j, e);
    write_joints(j, e);
    write_points(j, e);
    write_energy(j, e);
    write_contacts(j, e);
    bool fine = write_terms(j, e) && write_robot(j, e) && (!e->derivatives || write_derivatives(j, e)) &&
                (!e->linearise || write_linearisation(j, e)) && (e->actuators < 0 || write_actuation(j, e));
    jn_json_end(j);
    return fine && !j->failed;
}

/* Accelerations and reactions under all forces, those of contacts and tau among them. */
static int observe(const eval_state *e) {
    jn_work *w = e->work;
    if (e->sim) return jn_sim_observe_under(e->sim, e->tau);
    int status = jn_accelerate(e->model, w, e->state, e->tau, w->a, w->lambda);
    if (status >= 0) jn_reactions(e->model, w, e->state);
    return status;
}

int cli_eval(cli_arguments *arguments) {
    cli_model m;
    eval_state e = {0};
    jn_report report = {0};
    jn_json j = {0};
    int status = CLI_BAD_INPUT;
    if (!cli_model_open(arguments->files[0], arguments, &m)) return CLI_BAD_INPUT;
    if (eval_state_read(&e, m.model, arguments->state, &report) && eval_contacts_begin(&e, &report)) {
        e.linearise = arguments->linearise;
        if (observe(&e) < 0)
            cli_complain("look for massless bodies and forces that divide by zero",
                         "the accelerations at this state are not finite");
        else if (!write_all(&j, &e))
            cli_complain(NULL, "out of memory");
        else if (fputs(j.text, stdout) >= 0 && fflush(stdout) == 0)
            status = CLI_FINE;
    }
    cli_report_print(&report, false);
    jn_free(j.text);
    eval_state_free(&e);
    cli_model_close(&m);
    return status;
}
