/* Integrators with a fixed step. */
#include "step/sim.h"
#include <string.h>

/* The fixed step, shortened to end at t, and not leaving a crumb shorter than a millionth of it. */
static double fixed_step(const jn_sim *sim, double t) {
    double h = sim->m->run.step, left = t - sim->s->t;
    return left < h * (1 + 1e-6) ? left : h;
}

static double next_time(const jn_sim *sim, double t, double h) { return h >= t - sim->s->t ? t : sim->s->t + h; }

int jn_step_euler(jn_sim *sim, double t) {
    const jn_model *m = sim->m;
    jn_state *s = sim->s;
    int status = jn_slope_here(sim);
    if (status < 0) return status;
    double h = fixed_step(sim, t), end = next_time(sim, t, h);
    const double *a = sim->k[0] + m->nq, *power = a + m->nv;
    for (int i = 0; i < m->nv; i++) s->u[i] += h * a[i];
    jn_q_advance(m, s->q, s->u, h);
    s->dissipated += h * power[0];
    s->driven += h * power[1];
    s->t = end;
    return jn_settle(sim);
}

int jn_step_rk4(jn_sim *sim, double t) {
    int ny = sim->ny, status = jn_slope_here(sim);
    if (status < 0) return status;
    double h = fixed_step(sim, t), end = next_time(sim, t, h), start = sim->s->t;
    double *y = sim->y, *x = sim->trial, **k = sim->k;
    jn_pack(sim, y);
    for (int stage = 1; stage < 4; stage++) {
        double step = stage == 3 ? h : 0.5 * h;
        for (int i = 0; i < ny; i++) x[i] = y[i] + step * k[stage - 1][i];
        status = jn_slope(sim, start + step, x, k[stage]);
        if (status < 0)
            return jn_sim_fail(sim, status, "the accelerations are not finite near t = %.9g s\ntake smaller steps",
                               start);
    }
    for (int i = 0; i < ny; i++) y[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    jn_unpack(sim, end, y);
    return jn_settle(sim);
}
