/* Dormand-Prince 5(4) with a proportional-integral step controller [Hairer1993, II.4-II.5]. */
#include "algebra/dormand_prince.h"
#include "algebra/elementary.h"
#include "step/integrators/integrator_tolerances.h"
#include "step/sim.h"
#include <string.h>

enum { BLOCK = 16 };

/* sum of weight[s] k[s] over the first stages, for entries from `first` on. */
static void combine(const jn_sim *sim, const double *weight, int stages, int first, int count, double *sum) {
    for (int i = 0; i < count; i++) sum[i] = 0;
    for (int s = 0; s < stages; s++) {
        const double *k = sim->k[s] + first;
        if (count == BLOCK) /* a constant, for the compiler */
            for (int i = 0; i < BLOCK; i++) sum[i] += weight[s] * k[i];
        else
            for (int i = 0; i < count; i++) sum[i] += weight[s] * k[i];
    }
}

static int block_at(int first, int end) { return end - first < BLOCK ? end - first : BLOCK; }

/* Root mean square of the error in units of the tolerance. The energy ledger takes part in units of the energy in motion: it
 * has kinks where the motion has none (a damped stop that lets go). */
static double error_norm(const jn_sim *sim, double h, const double *y, const double *next) {
    const jn_run_desc *run = &sim->m->run;
    int n = sim->ny - JN_LEDGER;
    double sum = 0, energy = run->absolute_tolerance + run->relative_tolerance * sim->audit.energy_scale;
    double d[BLOCK];
    combine(sim, jn_dormand_prince_e, 7, n, 2, d);
    for (int i = 0; i < 2; i++)
        sum += JN_DOPRI_LEDGER_WEIGHT * h * d[i] / energy * (JN_DOPRI_LEDGER_WEIGHT * h * d[i] / energy);
    for (int first = 0; first < n; first += BLOCK) {
        int count = block_at(first, n);
        combine(sim, jn_dormand_prince_e, 7, first, count, d);
        for (int i = 0; i < count; i++) {
            double before = fabs(y[first + i]), after = fabs(next[first + i]), size = before > after ? before : after;
            d[i] *= h / (run->absolute_tolerance + run->relative_tolerance * size);
        }
        for (int i = 0; i < count; i++) sum += d[i] * d[i];
    }
    int moving = sim->m->nq + sim->m->nv; /* friction states without a contact do not count */
    return sqrt(sum / (moving > 0 ? moving : 1));
}

/* First step from the sizes of y and its slope [Hairer1993, II.4]. */
static double first_step(const jn_sim *sim, double left) {
    const jn_run_desc *run = &sim->m->run;
    double d0 = 0, d1 = 0;
    for (int i = 0; i < sim->ny - JN_LEDGER; i++) {
        double scale = run->absolute_tolerance + run->relative_tolerance * fabs(sim->y[i]);
        d0 += sim->y[i] / scale * (sim->y[i] / scale);
        d1 += sim->k[0][i] / scale * (sim->k[0][i] / scale);
    }
    double h = run->step > 0 ? run->step
               : d0 < JN_DOPRI_FIRST_STATE || d1 < JN_DOPRI_FIRST_SLOPE
                   ? JN_DOPRI_FIRST_STEP
                   : jn_fmax(JN_DOPRI_FIRST_LEAST_REL * left, JN_DOPRI_FIRST_REL * sqrt(d0 / d1));
    return jn_fmin(h, left);
}

/* No slope depends on the ledger: it is summed up for the last stage, the solution, alone. */
static int stages(jn_sim *sim, double h) {
    for (int s = 1; s < 7; s++) {
        int end = s < 6 ? sim->ny - JN_LEDGER : sim->ny;
        for (int first = 0; first < end; first += BLOCK) {
            double sum[BLOCK];
            int count = block_at(first, end);
            combine(sim, jn_dormand_prince_a[s], s, first, count, sum);
            for (int i = 0; i < count; i++) sim->trial[first + i] = sim->y[first + i] + h * sum[i];
        }
        int status = jn_slope(sim, sim->s->t + jn_dormand_prince_c[s] * h, sim->trial, sim->k[s]);
        if (status < 0) return status;
    }
    return JN_OK;
}

/* Next to a singular configuration the accelerations carry round-off divided by a vanishing pivot squared, and the error
 * estimate measures only that: shrinking the step would stop the run there. The step is not made
 * more than a hundred times shorter than usual and then taken as it is; the projection that follows removes what the noise
 * did. */
static double shortest_step(const jn_sim *sim) { return sim->weak ? JN_DOPRI_WEAK_REL * sim->h_regular : 0; }

/* Whether stability limits the step and not accuracy: |h lambda| by the two stages at its end, above JN_DOPRI_STIFF of the method's 3.3
 * [Hairer1996, IV.2]. O(n) */
static bool is_stiff(const jn_sim *sim) {
    double between[6], slopes = 0, states = 0, d[BLOCK];
    for (int s = 0; s < 6; s++) between[s] = jn_dormand_prince_a[6][s] - jn_dormand_prince_a[5][s];
    int n = sim->ny - JN_LEDGER;
    for (int first = 0; first < n; first += BLOCK) {
        int count = block_at(first, n);
        combine(sim, between, 6, first, count, d);
        for (int i = 0; i < count; i++) {
            double slope = sim->k[6][first + i] - sim->k[5][first + i];
            slopes += slope * slope, states += d[i] * d[i];
        }
    }
    return slopes > JN_DOPRI_STIFF * JN_DOPRI_STIFF * states; /* h lambda = |k7 - k6|/|(y7 - y6)/h| */
}

static int accept(jn_sim *sim, double end, double err) {
    bool stiff = !sim->impact && is_stiff(sim);
    sim->audit.stiff_steps += stiff;
    jn_auto_note(sim, stiff);
    if (!sim->weak) sim->h_regular = end - sim->s->t;
    sim->error_before = jn_fmin(1, jn_fmax(err, JN_CONTROL_ERROR_KEPT));
    jn_unpack(sim, end, sim->trial);
    bool reusable = sim->m->row_count == 0 && !sim->has_quaternions; /* the last slope is the next first one */
    int status = jn_settle(sim);
    if (status < 0 || !reusable) return status;
    memcpy(sim->k[0], sim->k[6], (size_t)sim->ny * sizeof(double));
    sim->slope_known = true;
    jn_audit_sample(sim, sim->s);
    return JN_OK;
}

int jn_step_dopri45(jn_sim *sim, double t) {
    int status = jn_slope_here(sim);
    if (status < 0) return status;
    const jn_run_desc *run = &sim->m->run;
    double left = t - sim->s->t;
    jn_pack(sim, sim->y);
    if (!(sim->h > 0)) sim->h = first_step(sim, left), sim->error_before = 1;
    double round = jn_fmax(1, fabs(sim->s->t));
    sim->h =
        jn_fmax(sim->h, JN_CONTROL_STEP_FIRST_REL *
                            round); /* what was asked for before may be a crumb; errors alone make steps too small */
    for (bool rejected = false;;) {
        double h = jn_fmin(sim->h, run->max_step > 0 ? jn_fmin(run->max_step, sim->step_limit) : sim->step_limit);
        bool last = h >= left * (1 - JN_CONTROL_LAST_REL);
        if (last) h = left;
        if (h < JN_CONTROL_STEP_LEAST_REL * round && !last)
            return jn_sim_fail(sim, JN_ERR_STEP,
                               "the step became too small at t = %.9g s\nthe motion has a jump or a singularity there; "
                               "relax the tolerance or use bdf for stiff systems",
                               sim->s->t);
        sim->weak = false;
        double err = stages(sim, h) < 0 ? INFINITY : error_norm(sim, h, sim->y, sim->trial);
        double grow =
            JN_CONTROL_SAFETY *
            jn_pow(jn_fmin(JN_CONTROL_ERROR_MOST, jn_fmax(err, JN_CONTROL_ERROR_LEAST)), -JN_CONTROL_PROPORTIONAL / 5) *
            jn_pow(sim->error_before, JN_CONTROL_INTEGRAL / 5);
        if (err <= 1 || (h <= shortest_step(sim) && isfinite(err))) {
            double next =
                err > 1 ? h
                        : h * jn_fmin(rejected ? 1 : JN_CONTROL_GROWTH_MOST, jn_fmax(JN_CONTROL_GROWTH_LEAST, grow));
            sim->h = last && next < sim->h ? jn_fmax(next, jn_fmin(sim->h, JN_CONTROL_GROWTH_MOST * h)) : next;
            return accept(sim, last ? t : sim->s->t + h, err);
        }
        rejected = true;
        sim->audit.rejected++;
        sim->h = jn_fmax(h * jn_fmax(JN_CONTROL_RETRY_LEAST, jn_fmin(JN_CONTROL_RETRY_MOST, grow)),
                         jn_fmin(h, shortest_step(sim)));
    }
}
