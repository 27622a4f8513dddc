/* The equations of motion as y' = f(t, y) with y = (q, u, friction states, activations, ledger) [Flores2009, eq. 15-17]. */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"
#include <string.h>

/* Friction states of the active contacts, between the contact cache of the state and y. Zeros where there is no contact. */
static void pack_friction(const jn_sim *sim, const jn_contact_state *contact, double *z) {
    for (int i = 0; i < sim->nz; i++) z[i] = contact[i / 3].compliant.friction[i % 3];
}

static void unpack_friction(const jn_sim *sim, const double *z, jn_contact_state *contact) {
    for (int i = 0; i < sim->nz; i++) contact[i / 3].compliant.friction[i % 3] = z[i];
}

jn_contact_state *jn_stage_contacts(jn_sim *sim, const double *z) {
    memcpy(sim->stage_contact, sim->s->contact, (size_t)sim->m->contact_room * sizeof *sim->stage_contact);
    unpack_friction(sim, z, sim->stage_contact);
    return sim->stage_contact;
}

void jn_friction_advance(jn_sim *sim, double h, const double *rate) {
    for (int i = 0; i < sim->nz; i++) sim->s->contact[i / 3].compliant.friction[i % 3] += h * rate[i];
}

void jn_ledger_add(jn_ledger *to, double h, const jn_ledger *rate) {
    to->dissipated += h * rate->dissipated, to->driven += h * rate->driven;
    to->damping += h * rate->damping, to->friction += h * rate->friction;
    to->numerical += h * rate->numerical, to->numerical_size += h * rate->numerical_size;
    to->given = wr_add(to->given, wr_scale(h, rate->given));
}

/* Steps of other kinds leave activations behind: by the midpoint rule to the present. */
void jn_activations_follow(jn_sim *sim) {
    const jn_model *m = sim->m;
    if (!m->act_count) return;
    double *act = sim->s->act, h = sim->s->t - act[m->act_count];
    for (int i = 0; i < m->actuation_count && h > 0; i++) {
        const jn_actuation *a = &m->actuations[i];
        if (a->is_motor) jn_motor_advance(a, h, sim->w->effort[i].voltage, a->gear * sim->w->speed[a->handle], act);
        if (a->activation == JN_ACTIVATION_NONE) continue;
        double u = jn_activation_input(sim->w, a, i), *x = &act[a->state];
        double half = *x + 0.5 * h * jn_activation_rate(a, u, *x);
        if (a->activation == JN_ACTIVATION_FILTER)
            *x = u + (*x - u) * jn_exp(-h / jn_fmax(JN_TINY, a->time[0]));
        else
            *x += h * jn_activation_rate(a, u, half);
        if (a->has_activation_range) *x = jn_fmax(a->activation_range[0], jn_fmin(a->activation_range[1], *x));
    }
    act[m->act_count] = sim->s->t;
}

void jn_pack(jn_sim *sim, double *y) {
    const jn_model *m = sim->m;
    jn_activations_follow(sim);
    memcpy(y + m->nq + m->nv + sim->nz, sim->s->act, (size_t)m->act_count * sizeof *y);
    memcpy(y, sim->s->q, (size_t)m->nq * sizeof *y);
    memcpy(y + m->nq, sim->s->u, (size_t)m->nv * sizeof *y);
    pack_friction(sim, sim->s->contact, y + m->nq + m->nv);
    memcpy(y + sim->ny - JN_LEDGER, &sim->s->ledger, sizeof sim->s->ledger);
}

void jn_unpack(jn_sim *sim, double t, const double *y) {
    const jn_model *m = sim->m;
    memcpy(sim->s->q, y, (size_t)m->nq * sizeof *y);
    memcpy(sim->s->u, y + m->nq, (size_t)m->nv * sizeof *y);
    unpack_friction(sim, y + m->nq + m->nv, sim->s->contact);
    memcpy(sim->s->act, y + m->nq + m->nv + sim->nz, (size_t)m->act_count * sizeof *y);
    if (m->act_count) sim->s->act[m->act_count] = t;
    memcpy(&sim->s->ledger, y + sim->ny - JN_LEDGER, sizeof sim->s->ledger);
    sim->s->t = t;
}

static int evaluate(jn_sim *sim, const jn_state *s, double *rate) {
    const jn_model *m = sim->m;
    sim->audit.evaluations++;
    jn_q_rate(m, s->q, s->u, rate);
    int status = sim->impact ? jn_impact_accelerate(sim, s, rate + m->nq, sim->w->lambda)
                             : jn_sim_accelerate(sim, s, NULL, rate + m->nq, sim->w->lambda);
    if (sim->nz) memcpy(rate + m->nq + m->nv, sim->contacts->friction_rate, (size_t)sim->nz * sizeof *rate);
    memcpy(rate + m->nq + m->nv + sim->nz, sim->w->act_rate, (size_t)m->act_count * sizeof *rate);
    jn_ledger *power = (jn_ledger *)(void *)(rate + sim->ny - JN_LEDGER);
    *power = jn_power_get(sim->w);
    if (status < 0) return status;
    power->given = sim->impact && sim->nonsmooth->set.count ? jn_impact_external(sim, rate + m->nq)
                                                            : jn_external_rate(m, sim->w, rate + m->nq, sim->w->lambda);
    return status;
}

/* Near a singular configuration the slope is taken on the constraints: the stages of an integrator leave them slightly, and
 * there the accelerations would be wrong by the violation divided by a vanishing pivot. */
static int slope_on_constraints(jn_sim *sim, const jn_state *s, double *rate) {
    jn_state *p = sim->projected;
    memcpy(p->q, s->q, (size_t)sim->m->nq * sizeof *p->q);
    memcpy(p->u, s->u, (size_t)sim->m->nv * sizeof *p->u);
    memcpy(p->angle, s->angle, (size_t)(s->size - sim->m->nq - sim->m->nv) * sizeof *p->angle);
    jn_contact_cache_resize(p, s->contact_count);
    memcpy(p->contact, s->contact, (size_t)s->contact_count * sizeof *p->contact);
    p->t = s->t;
    int status = jn_project(sim->m, sim->w, p);
    return status == JN_OK ? evaluate(sim, p, rate) : JN_ERR_NUMERIC;
}

void jn_forces_at(jn_sim *sim, const jn_state *s) { jn_forces_left(sim, s, NULL); }

void jn_forces_left(jn_sim *sim, const jn_state *s, const double *a) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    jn_kinematics(m, w, s);
    if (m->row_count + m->actuator_count + m->signal_count + m->stop_count) jn_measure_all(m, w, s);
    jn_sim_forces(sim, s);
    jn_rnea_loaded(m, w, a, w->load, sim->force);
    for (int i = 0; i < m->nv; i++) sim->force[i] = w->tau[i] - sim->force[i];
    for (int i = 0; i < m->nv && a && m->armature; i++) sim->force[i] -= m->armature[i] * a[i];
    sim->audit.evaluations++;
}

int jn_slope(jn_sim *sim, double t, const double *y, double *rate) {
    const jn_model *m = sim->m;
    /* a view of y as a state; jn_sim_accelerate only reads it */
    union {
        const double *read;
        double *write;
    } q = {y}, u = {y + m->nq}, act = {y + m->nq + m->nv + sim->nz};
    jn_state view = {.t = t,
                     .q = q.write,
                     .u = u.write,
                     .angle = sim->s->angle,
                     .act = act.write,
                     .control = sim->s->control,
                     .contact = sim->s->contact,
                     .contact_count = sim->s->contact_count,
                     .size = sim->s->size};
    if (sim->nz) view.contact = jn_stage_contacts(sim, y + m->nq + m->nv); /* with the friction states of this stage */
    int status = evaluate(sim, &view, rate);
    sim->weak |= m->row_count > 0 && sim->w->weak;
    if (status < 0 || m->row_count == 0 || !sim->w->weak || !jn_run_projects(&m->run)) return status;
    return slope_on_constraints(sim, &view, rate);
}

int jn_slope_here(jn_sim *sim) {
    if (sim->slope_known && !sim->m->angle_count) return JN_OK;
    if (sim->slope_known) { /* the last evaluation may be that of a step that was rejected */
        jn_kinematics(sim->m, sim->w, sim->s);
        jn_angles_update(sim->m, sim->w, sim->s);
        return JN_OK;
    }
    int status = evaluate(sim, sim->s, sim->k[0]);
    if (status < 0)
        return jn_sim_fail(sim, status,
                           "the accelerations are not finite at t = %.9g s\ntake smaller steps; look for a lock or for "
                           "forces that blow up",
                           sim->s->t);
    if (sim->m->angle_count) jn_angles_update(sim->m, sim->w, sim->s);
    jn_audit_sample(sim, sim->s);
    sim->slope_known = true;
    return JN_OK;
}

/* The impulses of the projection of the velocities, G du = G M^-1 G^T Lambda, on the ground. The factors are those of the
 * projection. */
static int book_projection(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    double *du = sim->force, most = 0;
    for (int i = 0; i < m->nv; i++) du[i] = sim->s->u[i] - sim->untouched->u[i], most = jn_fmax(most, fabs(du[i]));
    if (!(most > 0)) return JN_OK;
    jn_audit_give(sim, jn_external_inertia(m, w, du));
    if (!m->floats) return JN_OK;
    jn_rows_multiply(m, w, du, w->row_rhs);
    int status = jn_kkt_solve(m, w, NULL, w->row_rhs, sim->u_half, w->lambda);
    if (status >= 0) jn_audit_give(sim, jn_external_rows(m, w, w->lambda));
    return status;
}

int jn_settle(jn_sim *sim) {
    sim->slope_known = false;
    sim->audit.steps++;
    if (sim->has_quaternions) jn_q_normalise(sim->m, sim->s->q);
    if (sim->m->row_count == 0 || !jn_run_projects(&sim->m->run)) return JN_OK;
    jn_audit_before(sim);
    int status = jn_project(sim->m, sim->w, sim->s);
    if (status == JN_OK) {
        jn_audit_after(sim);
        if (book_projection(sim) >= 0) return JN_OK;
    }
    return jn_sim_fail(sim, JN_ERR_NUMERIC,
                       "the constraints cannot be met at t = %.9g s: the mechanism locks or the step is too large\n"
                       "take smaller steps, or look at the configuration just before",
                       sim->s->t);
}
