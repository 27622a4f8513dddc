/* The fixed point of an implicit nonsmooth step: where the next iterate is, and whether it is close enough. */
#include "step/nonsmooth/moreau.h"

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static double change(const double *a, const double *b, int n) {
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]), now = fabs(b[i]);
        most = off > most ? off : most, size = now > size ? now : size;
    }
    return most / (size + JN_FIXED_POINT_SPEED_FLOOR);
}

/* The next iterate: the new velocities, or a part of the change where changes go to and fro. A contact whose point moves
 * fast with the configuration does that; the secant through the last two changes [Irons1969] finds the middle. */
static void go_on(jn_sim *sim, jn_fixed_point *p) {
    jn_nonsmooth *x = sim->nonsmooth;
    double along = 0, size = 0;
    for (int i = 0; i < sim->m->nv; i++) {
        double now = x->velocity[i] - x->moreau->iterate[i];
        along += now * x->moreau->change[i], size += x->moreau->change[i] * x->moreau->change[i];
        x->moreau->change[i] = now;
    }
    double ratio = p->n > 0 && size > 0 ? along / size : 0; /* 1 - part (1 - slope of the map) */
    bool to_and_fro = p->n > 0 && (p->part < 1 || ratio < JN_FIXED_POINT_SWINGS);
    p->part = to_and_fro ? larger(JN_FIXED_POINT_PART_LEAST,
                                  smaller(1, p->part / (1 - smaller(ratio, JN_FIXED_POINT_RATIO_MOST))))
                         : 1;
    for (int i = 0; i < sim->m->nv; i++)
        x->moreau->iterate[i] = p->part < 1 ? x->moreau->iterate[i] + p->part * x->moreau->change[i] : x->velocity[i];
}

/* By how much the next change is smaller than the last one. Changes shrink by a constant factor, so that two of them predict the next;
 * a first one goes by the factor of the last steps, where no contact is new. */
static double shrinks(jn_sim *sim, const jn_fixed_point *p, double now) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double known = *jn_guess_rate(sim);
    if (p->n > 0) return p->last > 0 ? now / p->last : 1;
    for (int i = 0; i < set->count; i++)
        if (set->point[i].is_new) return 1;
    return known > 0 ? known : 1;
}

/* The factor for the next step. One that was not measured grows, so that it is measured again; where changes stall in round-off, the
 * first evaluation was enough. */
static void keep_rate(jn_sim *sim, const jn_fixed_point *p, double rate, bool stalls) {
    double *known = jn_guess_rate(sim);
    *known = p->n == 0 ? smaller(1, JN_FIXED_POINT_RATE_FORGOTTEN * *known)
             : stalls  ? larger(JN_FIXED_POINT_RATE_LEAST, JN_FIXED_POINT_RATE_STALLED * *known)
                       : smaller(1, larger(rate, JN_FIXED_POINT_RATE_FALL * *known));
}

/* With contacts the fixed point is reached as well as their problem was solved, or a tenth of what was asked: a next change below a
 * tenth of that residual would be lost in it. */
int jn_fixed_point_judge(jn_sim *sim, jn_fixed_point *p) {
    jn_nonsmooth *x = sim->nonsmooth;
    double now = change(x->velocity, x->moreau->iterate, sim->m->nv),
           asked = x->set.count ? JN_FIXED_POINT_PER_SPEED * jn_contact_set_residual(sim) : 0;
    double noise = JN_FIXED_POINT_NOISE * asked,
           solved = x->set.count
                        ? larger(JN_FIXED_POINT_PER_SPEED * x->set.solve.speed_error, JN_FIXED_POINT_BELOW * asked)
                        : 0; /* relative */
    double rate = shrinks(sim, p, now);
    bool stalls = now < larger(JN_FIXED_POINT_STALL_REL, noise) && now > JN_FIXED_POINT_STALL_RATIO * p->last;
    p->done = now < JN_FIXED_POINT_DONE_REL || stalls ||
              (now < JN_FIXED_POINT_NEAR_REL && now * rate < JN_FIXED_POINT_DONE_REL);
    p->done |= now < JN_FIXED_POINT_NOISE * solved && now * rate < JN_FIXED_POINT_BELOW * solved;
    bool fails = p->n > JN_FIXED_POINT_FREE && now > JN_FIXED_POINT_GROWTH * p->last && now > noise;
    fails |= p->n == JN_EVALUATIONS_MOST - 1 && !p->done && now > larger(JN_FIXED_POINT_FAIL_REL, noise);
    p->idle = now < JN_FIXED_POINT_GAIN * p->least ? 0 : p->idle + 1;
    fails |= p->idle > JN_FIXED_POINT_IDLE_MOST && !p->done && now > larger(JN_FIXED_POINT_FAIL_REL, noise);
    if (p->done)
        keep_rate(sim, p, rate, stalls);
    else
        go_on(sim, p);
    p->last = now, p->least = smaller(p->least, now), p->n++;
    if (!fails) return JN_OK;
    return jn_sim_fail(sim, JN_ERR_STEP, "the implicit step does not converge at t = %.9g s\ntake smaller steps",
                       sim->s->t);
}
