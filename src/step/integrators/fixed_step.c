/* Integrators with a fixed step. */
#include "step/integrators/integrator_tolerances.h"
#include "step/sim.h"
#include <string.h>

/* Schemes that end steps where contacts close go on from there with whole ones. */
static bool has_grid(const jn_sim *sim) {
    const jn_run_desc *run = &sim->m->run;
    bool adapts = run->scheme == JN_SCHEME_LEAST_CONSTRAINT || (run->adapt && run->scheme == JN_SCHEME_MOREAU_JEAN);
    return !(sim->nonsmooth && !sim->impact && adapts);
}

/* Steps end at multiples of the run's step. After what ended between two of them (an event, a time that a program asked for) the
 * next one leads back there. A whole step has the same length to the last bit, whatever is asked for. */
double jn_fixed_step(const jn_sim *sim, double t, double *end) {
    double step = sim->m->run.step, now = sim->s->t, left = t - now, crumb = JN_FIXED_STEP_REL * step;
    double k = round(now / step), next = now + step, h = step;
    if (fabs(now - k * step) <= crumb)
        next = (k + 1) * step;
    else if (has_grid(sim))
        next = (floor(now / step) + 1) * step, h = next - now;
    *end = left < h + crumb ? t : next;
    return left < h - crumb ? left : h;
}

int jn_step_euler(jn_sim *sim, double t) {
    const jn_model *m = sim->m;
    jn_state *s = sim->s;
    int status = jn_slope_here(sim);
    if (status < 0) return status;
    double end, h = jn_fixed_step(sim, t, &end);
    const double *a = sim->k[0] + m->nq;
    for (int i = 0; i < m->nv; i++) s->u[i] += h * a[i];
    jn_q_advance(m, s->q, s->u, h);
    jn_friction_advance(sim, h, a + m->nv);
    jn_ledger power;
    memcpy(&power, sim->k[0] + sim->ny - JN_LEDGER, sizeof power);
    jn_ledger_add(&s->ledger, h, &power);
    s->t = end;
    return jn_settle(sim);
}

int jn_step_rk4(jn_sim *sim, double t) {
    int ny = sim->ny, status = jn_slope_here(sim);
    if (status < 0) return status;
    double end, h = jn_fixed_step(sim, t, &end), start = sim->s->t;
    double *y = sim->y, *x = sim->trial, **k = sim->k;
    jn_pack(sim, y);
    for (int stage = 1; stage < 4; stage++) {
        double step = stage == 3 ? h : 0.5 * h;
        for (int i = 0; i < ny - JN_LEDGER; i++) x[i] = y[i] + step * k[stage - 1][i]; /* no slope needs the ledger */
        status = jn_slope(sim, start + step, x, k[stage]);
        if (status < 0)
            return jn_sim_fail(sim, status, "the accelerations are not finite near t = %.9g s\ntake smaller steps",
                               start);
    }
    for (int i = 0; i < ny; i++) y[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    jn_unpack(sim, end, y);
    return jn_settle(sim);
}
