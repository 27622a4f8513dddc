/* Symmetric second-order step for long runs.
 *
 *   M(q0) (u - u0) = h/2 f(q0, u, t0) + G(q0)^T L0,   q1 = q0 + h u,   Phi(q1) = 0
 *   M(q1) (u1 - u) = h/2 f(q1, u, t1) + G(q1)^T L1,   G(q1) u1 = -dPhi/dt
 *
 * Stoermer-Verlet in velocities, with RATTLE's treatment of constraints [Hairer2006, VII.1.4]. Exchanging (q0,u0) and
 * (q1,u1) and reversing h gives the same equations, and symmetric methods keep the energy of reversible systems without
 * drift [Hairer2006, XI]: it stays within O(h^2) of its value for very long times. Both constraint levels hold to
 * round-off at every step. The half-step velocity is implicit in velocity-dependent forces and found by fixed point. */
#include "algebra/elementary.h"
#include "step/integrators/integrator_tolerances.h"
#include "step/sim.h"
#include <string.h>

/* What forces over the time h and impulses of the rows did, with the change of the velocities. */
static void add_powers(jn_sim *sim, double h, const double *impulse, const double *change) {
    const jn_model *m = sim->m;
    jn_wrench rows = jn_external_rows(m, sim->w, impulse), forces = jn_external_forces(m, sim->w);
    if (sim->nz) jn_friction_advance(sim, h, sim->contacts->friction_rate);
    jn_ledger_add(&sim->s->ledger, h, &sim->w->power);
    jn_audit_give(sim, wr_add(wr_scale(h, forces), wr_add(rows, jn_external_inertia(m, sim->w, change))));
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER)
            sim->s->ledger.driven += impulse[i] * sim->w->speed[m->drivers[m->rows[i].item].handle];
}

static double largest_change(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = jn_fmax(most, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
    return most;
}

/* Residual of the constraints at the end of the step; moves what G u should be by it, and returns the largest. */
static double aim_again(jn_sim *sim, const jn_state *end, double h, double *aim) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    double most = 0;
    jn_kinematics(m, w, end);
    jn_measure_all(m, w, end);
    jn_constraint_rows(m, w, end, JN_ROWS_POSITION);
    for (int i = 0; i < m->row_count; i++) {
        most = jn_fmax(most, fabs(w->phi[i]));
        aim[i] -= w->phi[i] / h;
    }
    return most;
}

/* First half: velocity u at mid-step such that the end of the step, q1, meets the constraints. Newton with the matrices of the
 * start for the constraints, fixed point for velocity-dependent forces, in one loop. */
static int first_half(jn_sim *sim, double h, double t1, double *u, double *q1) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    const jn_state *s = sim->s;
    double *delta = sim->k[1], *next = sim->k[2], *aim = w->row_rhs, before = INFINITY;
    jn_state mid = {.t = s->t,
                    .q = s->q,
                    .u = u,
                    .angle = s->angle,
                    .act = s->act,
                    .control = s->control,
                    .contact = s->contact,
                    .contact_count = s->contact_count,
                    .size = s->size};
    jn_state end = {.t = t1,
                    .q = q1,
                    .u = u,
                    .angle = s->angle,
                    .act = s->act,
                    .control = s->control,
                    .contact = s->contact,
                    .contact_count = s->contact_count,
                    .size = s->size};
    memcpy(u, s->u, (size_t)m->nv * sizeof *u);
    jn_forces_at(sim, &mid);
    jn_constraint_rows(m, w, &mid, JN_ROWS_JACOBIAN);
    int status = jn_kkt_factor(m, w);
    for (int i = 0; i < m->row_count; i++) aim[i] = -w->phi_rate[i];
    for (int n = 0; n < JN_VERLET_ITERATIONS_MOST && status >= 0; n++) {
        for (int i = 0; i < m->nv; i++) sim->force[i] *= 0.5 * h;
        status = jn_kkt_solve(m, w, sim->force, aim, delta, w->lambda);
        if (status < 0) break;
        for (int i = 0; i < m->nv; i++) next[i] = s->u[i] + delta[i];
        double change = largest_change(next, u, m->nv);
        memcpy(u, next, (size_t)m->nv * sizeof *u);
        memcpy(q1, s->q, (size_t)m->nq * sizeof *q1);
        jn_q_advance(m, q1, u, h);
        if (m->row_count) change = jn_fmax(change, aim_again(sim, &end, h, aim));
        jn_forces_at(sim, &mid);
        if (change < JN_VERLET_CHANGE_REL || (change < JN_VERLET_STALL_REL && change > JN_VERLET_STALL_RATIO * before))
            return JN_OK;
        before = change;
    }
    return status < 0 ? status : before < JN_VERLET_FAIL_REL ? JN_OK : JN_ERR_STEP;
}

static int second_half(jn_sim *sim, double h) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    jn_state *s = sim->s;
    jn_forces_at(sim, s);
    jn_constraint_rows(m, w, s, JN_ROWS_JACOBIAN);
    int status = jn_kkt_factor(m, w);
    if (status < 0) return status;
    for (int i = 0; i < m->row_count; i++) w->row_rhs[i] = -w->phi_rate[i];
    for (int i = 0; i < m->nv; i++) sim->force[i] *= 0.5 * h;
    status = jn_kkt_solve(m, w, sim->force, w->row_rhs, sim->k[1], w->lambda);
    if (status < 0) return status;
    add_powers(sim, 0.5 * h, w->lambda, sim->k[1]);
    for (int i = 0; i < m->nv; i++) s->u[i] += sim->k[1][i];
    return JN_OK;
}

int jn_step_verlet(jn_sim *sim, double t) {
    const jn_model *m = sim->m;
    jn_state *s = sim->s;
    double end, h = jn_fixed_step(sim, t, &end), *q1 = sim->trial;
    int status = first_half(sim, h, end, sim->u_half, q1);
    if (status < 0)
        return jn_sim_fail(sim, status, "the implicit step does not converge at t = %.9g s\ntake smaller steps", s->t);
    add_powers(sim, 0.5 * h, sim->w->lambda, sim->k[1]);
    memcpy(s->q, q1, (size_t)m->nq * sizeof *q1);
    memcpy(s->u, sim->u_half, (size_t)m->nv * sizeof *s->u);
    s->t = end;
    status = second_half(sim, h);
    if (status < 0)
        return jn_sim_fail(sim, status, "the accelerations are not finite near t = %.9g s\ntake smaller steps", s->t);
    sim->audit.steps++;
    jn_kinematics(m, sim->w, s);
    jn_measure_all(m, sim->w, s);
    jn_sim_forces(sim, s);
    jn_constraint_rows(m, sim->w, s, JN_ROWS_POSITION);
    if (m->angle_count) jn_angles_update(m, sim->w, s);
    jn_audit_sample(sim, s);
    return JN_OK;
}
