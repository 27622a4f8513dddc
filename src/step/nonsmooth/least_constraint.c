/* Least constraint: one optimisation problem per step, whose unknowns are its length, the forces and the velocities,
 *
 *     min  Z = |M^-1 W mu|_M^2    u = u_A + h (1 - theta) a_A + h M^-1 (theta f + G^T lambda + W mu)
 *     q_E = q_A + h [(1 - theta) u_A + theta u]
 *     0 <= g(q_E)  orthogonal to  mu >= 0,   h- <= h <= h+             [Chaturvedi2024, eq. 14; there theta = 1]
 *
 * For a given h the constraints leave one (mu, u): gaps and joints are met at the end of the step, by Newton's method whose
 * linear problems are contact problems. What is left is the length. While contacts that were open stay open Z does not feel h:
 * the longest step is taken. The first of them to close makes Z jump: the step ends where its gap vanishes. Where that is
 * nearer than h-, the impact falls into the step, and the end of [h-, h+] with less Z is taken. */
#include "algebra/elementary.h"
#include "step/nonsmooth/moreau.h"

#include <float.h>
#include <string.h>

/* Accelerations without contacts, and gaps, at the start. */
static int look_back(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    int status = jn_accelerate(sim->m, sim->w, sim->s, NULL, x->moreau->start_rate, x->moreau->start_lambda);
    if (status < 0) return jn_sim_fail(sim, status, "there are no accelerations at t = %.9g s", sim->s->t);
    x->moreau->start_power = sim->w->power;
    x->moreau->start_external = jn_external_rate(sim->m, sim->w, x->moreau->start_rate, x->moreau->start_lambda);
    return jn_instant_start(sim, JN_LEAST_CLOSED, jn_instant_shortest(sim));
}

static void stand_at_end(jn_sim *sim, double h, double theta) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    for (int i = 0; i < m->nv; i++) x->row[i] = (1 - theta) * sim->s->u[i] + theta * x->moreau->iterate[i];
    memcpy(x->at->q, sim->s->q, (size_t)m->nq * sizeof *x->at->q);
    jn_q_advance(m, x->at->q, x->row, h);
    if (sim->has_quaternions) jn_q_normalise(m, x->at->q);
    memset(x->row, 0, (size_t)m->nv * sizeof *x->row);
    memcpy(x->at->u, x->moreau->iterate, (size_t)m->nv * sizeof *x->moreau->iterate);
    x->at->t = sim->s->t + h;
}

/* The joints are met in positions: G u = G u_k - Phi / (theta h). */
static void aim_joints(jn_sim *sim, double reach, double late) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    if (m->row_count == 0) return;
    jn_constraint_rows(m, w, x->at, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    for (int i = 0; i < m->nv; i++) x->row[i] = x->moreau->iterate[i] - sim->s->u[i] - late * x->moreau->start_rate[i];
    jn_rows_multiply(m, w, x->row, w->row_rhs);
    for (int i = 0; i < m->row_count; i++) w->row_rhs[i] -= w->phi[i] / reach;
    memset(x->row, 0, (size_t)m->nv * sizeof *x->row);
}

/* u_A + (1 - theta) h a_A + M^-1 (applied and joints). */
static int move_freely(jn_sim *sim, double late, double *out) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int status = jn_nonsmooth_move_freely(sim, x->applied, out);
    for (int i = 0; i < sim->m->nv; i++) out[i] += late * x->moreau->start_rate[i];
    return status;
}

/* Contacts of the problem: all in reach, or those that were closed. */
static int choose_contacts(jn_sim *sim, bool all) {
    int status = jn_contact_set_choose(&sim->nonsmooth->set, sim, &(jn_closed){.gap = INFINITY});
    if (status < 0) return status;
    if (!all) jn_instant_filter(sim);
    jn_contact_set_guess(&sim->nonsmooth->set, sim);
    return JN_OK;
}

/* One Newton step: 0 <= g_k + theta h H (u - u_k) orthogonal to P >= 0, friction on the velocities at the end. */
static int improve(jn_sim *sim, double h, double theta) {
    jn_nonsmooth *x = sim->nonsmooth;
    size_t size = (size_t)sim->m->nv * sizeof *x->velocity;
    int d = x->set.dimension;
    double reach = theta * h, late = h - reach;
    aim_joints(sim, reach, late);
    int status = jn_system_factor(sim, (jn_stiff_weights){.c = reach, .k = reach * reach});
    for (int i = 0; i < sim->m->nv; i++) x->free[i] = sim->s->u[i] + late * x->moreau->start_rate[i];
    jn_stiff_add(sim, x->free, x->applied);
    if (status >= 0) status = move_freely(sim, late, x->free);
    if (status < 0) return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\ntake smaller steps", sim->s->t);
    memcpy(x->velocity, x->free, size);
    if (x->set.count == 0) return JN_OK;
    status = jn_contact_set_rows(&x->set, sim);
    if (status < 0) return status;
    jn_contact_set_velocities(&x->set, x->moreau->iterate, x->set.u);
    jn_contact_set_velocities(&x->set, x->free, x->set.q);
    for (int i = 0; i < x->set.count; i++) x->set.q[i * d] += x->set.point[i].gap / reach - x->set.u[i * d];
    status = jn_contact_set_solve(&x->set, sim);
    if (status < 0) return status;
    if (sim->m->row_count == 0) {
        jn_contact_set_apply(&x->set, sim, x->set.p, x->velocity);
        return JN_OK;
    }
    jn_contact_set_force(&x->set, x->set.p, x->applied); /* with the impulses of joints and drivers */
    return move_freely(sim, late, x->velocity);
}

/* [m/s] or [rad/s] Gaps and joints that are met in positions say no more of the velocities: round-off of the places of all bodies, in the
 * time, and of the turns that it makes of the smallest of them. */
static double round_off(const jn_sim *sim, double reach) {
    double far = 0;
    for (int i = 1; i < sim->m->link_count; i++) far = jn_fmax(far, v3_norm(sim->w->link[i].O));
    return JN_LEAST_ROUND_OFF * DBL_EPSILON * far / (reach * jn_fmin(1, jn_smallest_shape(sim->m)));
}

/* Change of the velocities by the last Newton step, and that against their size and what forces change in the step. */
static double change(const jn_sim *sim, double *speed) {
    const jn_nonsmooth *x = sim->nonsmooth;
    double most = 0, size = JN_LEAST_SPEED_FLOOR;
    for (int i = 0; i < sim->m->nv; i++) {
        most = jn_fmax(most, fabs(x->velocity[i] - x->moreau->iterate[i]));
        size = jn_fmax(size, jn_fmax(fabs(x->velocity[i]), fabs(x->free[i] - sim->s->u[i])));
    }
    *speed = most;
    return most / size;
}

/* Velocities at the end of a step of length h into x->velocity, the state there into x->at. */
static int solve_for(jn_sim *sim, double h, double theta, bool all) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    double last = INFINITY;
    memcpy(x->moreau->iterate, sim->s->u, (size_t)m->nv * sizeof *x->moreau->iterate);
    for (int n = 0; n < JN_LEAST_ITERATIONS_MOST; n++) {
        stand_at_end(sim, h, theta);
        jn_forces_at(sim, x->at);
        for (int i = 0; i < m->nv; i++) x->applied[i] = h * theta * sim->force[i];
        int status = choose_contacts(sim, all);
        if (status >= 0) status = improve(sim, h, theta);
        if (status < 0) return status;
        double speed, now = change(sim, &speed);
        memcpy(x->moreau->iterate, x->velocity, (size_t)m->nv * sizeof *x->moreau->iterate);
        bool stalls = now > JN_LEAST_STALL_RATIO * last;
        if (now < JN_LEAST_CHANGE_REL ||
            (stalls && (now < JN_LEAST_STALL_REL || speed < round_off(sim, theta * h)))) {
            stand_at_end(sim, h, theta);
            return JN_OK;
        }
        if (!(now < INFINITY) || (n >= JN_LEAST_FAR_AFTER && now > JN_LEAST_FAR_REL) ||
            (n > JN_LEAST_GROWS_AFTER && now > JN_LEAST_GROWTH * last))
            break;
        last = now;
    }
    return jn_sim_fail(sim, JN_ERR_STEP, "the implicit step does not converge at t = %.9g s\ntake smaller steps, or leave 'scheme' out for momentum_leapfrog",
                       sim->s->t);
}

/* Z h^2 = P^T W P: square of the distance from the motion without contacts. [Chaturvedi2024, eq. 7] */
static double constraint(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    double sum = 0;
    jn_contact_set_velocities(&x->set, x->velocity, x->set.u);
    jn_contact_set_velocities(&x->set, x->free, x->set.q);
    for (int i = 0; i < x->set.count * x->set.dimension; i++) sum += x->set.p[i] * (x->set.u[i] - x->set.q[i]);
    return sum;
}

/* ----------------------------------------------------------------------------------------------- its length */

static int try_length(jn_sim *sim, double h, double theta, double *gap) {
    int status = solve_for(sim, h, theta, false);
    *gap = jn_instant_gap(sim);
    return status;
}

/* The impact falls into the step: implicit Euler, with the length of less Z; the longer one if they are alike. */
static int impact_within(jn_sim *sim, double least, double *h) {
    double longest = *h, z[2];
    int status = solve_for(sim, *h = least, 1, true);
    if (status < 0) return status;
    z[0] = constraint(sim) / (least * least);
    if ((status = solve_for(sim, longest, 1, true)) < 0) return status;
    z[1] = constraint(sim) / (longest * longest);
    if (z[0] < z[1] * (1 - JN_LEAST_LESS_REL)) return solve_for(sim, least, 1, true);
    *h = longest;
    return JN_OK;
}

static int choose_length(jn_sim *sim, double *h, double *theta) {
    const jn_run_desc *run = &sim->m->run;
    double longest = *h, least = jn_fmin(longest, jn_instant_shortest(sim)), gap;
    *theta = jn_instant_impacting(sim) ? 1 : run->theta; /* theta < 1 would reflect it */
    int status = try_length(sim, *h, *theta, &gap);
    if (status < 0 || gap >= 0) return status;
    status = jn_instant_find(sim, try_length, *theta, least, h, gap);
    if (status < 0 || *h >= least) return status;
    *h = longest, *theta = 1;
    return impact_within(sim, least, h);
}

/* ------------------------------------------------------------------------------------------- the end of the step */

/* What the recorder of contacts asks for: gap and its rate at the start of the step. */
static void remember_start(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    if (x->set.count) jn_contact_set_velocities(&x->set, sim->s->u, x->set.before);
    for (int i = 0; i < x->set.count; i++) {
        jn_contact_point *h = &x->set.point[i];
        int k = jn_instant_first(x, h);
        h->approach = x->set.before[i * x->set.dimension];
        h->gap = k >= 0 ? x->moreau->first[k].gap : 0;
        h->impacting = h->is_new && h->approach < -JN_STILL;
    }
}

/* What is open and carries nothing leaves the set. */
static void drop_open(jn_nonsmooth *x) {
    int kept = 0, d = x->set.dimension;
    for (int i = 0; i < x->set.count; i++) {
        if (!(x->set.p[i * d] > 0) && x->set.point[i].geometry.gap > x->moreau->closed) continue;
        x->set.point[kept] = x->set.point[i];
        double *row[] = {x->set.p, x->set.u, x->set.before};
        for (int k = 0; k < 3; k++) memmove(row[k] + kept * d, row[k] + i * d, (size_t)d * sizeof(double));
        kept++;
    }
    x->set.count = kept;
}

static bool has_restitution(const jn_model *m) {
    for (int i = 0; i < m->contact_count; i++)
        if (m->contacts[i].restitution > 0) return true;
    return false;
}

int jn_least_constraint_step(jn_sim *sim, double *h) {
    jn_nonsmooth *x = sim->nonsmooth;
    double theta;
    int status = look_back(sim);
    for (double longest = *h; status >= 0; longest *= 0.5) { /* shorter where Newton's method fails */
        *h = longest;
        status = choose_length(sim, h, &theta);
        if (status != JN_ERR_STEP || 0.5 * longest < jn_instant_shortest(sim)) break;
        sim->error = (jn_error){0}, sim->audit.rejected++, status = JN_OK;
    }
    if (status < 0) return status;
    double late = (1 - theta) * *h;
    for (int i = 0; i < sim->m->nv; i++)
        sim->force[i] = x->velocity[i] - sim->s->u[i] - late * x->moreau->start_rate[i];
    x->moreau->given = wr_add(jn_nonsmooth_external(sim, theta * *h, sim->force, x->impulse, x->set.p),
                              wr_scale(late, x->moreau->start_external));
    for (int i = 0; i < sim->m->row_count; i++) x->impulse[i] += (1 - theta) * *h * x->moreau->start_lambda[i];
    jn_nonsmooth_mean_power(sim, theta);
    remember_start(sim);
    jn_contact_set_book(&x->set, sim);
    jn_drivers_prepare(sim, *h, theta);
    memcpy(sim->s->q, x->at->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    bool collides = sim->m->run.theta < 1 || has_restitution(sim->m);
    if (collides || sim->m->driver_count) return jn_instant_collide(sim, *h, collides);
    drop_open(x);
    return JN_OK;
}
