/* Newton's method on the velocities of a proximal contact problem. The length of a step is that at which the work along it changes its
 * sign. */
#include "reaction/velocity_proximal.h"
#include <math.h>
#include <string.h>

enum { SEARCHES = 6, PATIENCE = 3 }; /* along a step; steps that make no way */
static const double exact = 0.5;     /* velocities are solved to this part of alpha |P - anchor| */
static const double flat = 0.2;      /* of the work along a step that may be left at its end */

void jn_velocity_proximal_layout(const jn_problem *problem, jn_scratch *m, jn_velocity_proximal *s) {
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    *s = (jn_velocity_proximal){.problem = problem, .d = (int)d, .nc = (int)nc, .n = (int)n};
    double **vectors[] = {&s->anchor, &s->held, &s->p, &s->u, &s->dp, &s->du, &s->g};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(m, n, sizeof(double));
    s->inverse = jn_scratch_take(m, nc, sizeof(double));
    s->C = jn_scratch_take(m, n * d, sizeof(double));
}

/* g = P - p and C = -dP/du of one contact, with P the projection of z = p - rho u: on what is not negative along the normal, on the
 * disc of radius mu P_N across it. */
static void linearise(int d, double mu, double rho, const double *p, const double *u, double *g, double *C) {
    double z[3] = {0}, size = 0;
    for (int k = 0; k < d; k++) z[k] = p[k] - rho * u[k], g[k] = -p[k];
    memset(C, 0, (size_t)(d * d) * sizeof *C);
    if (z[0] <= 0) return;
    for (int k = 1; k < d; k++) size += z[k] * z[k];
    size = sqrt(size);
    double radius = mu * z[0];
    g[0] += z[0], C[0] = rho;
    for (int k = 1; k < d; k++) {
        if (size <= radius) {
            g[k] += z[k], C[k * d + k] = rho;
            continue;
        }
        double t = z[k] / size;
        g[k] += radius * t, C[k * d] = rho * mu * t;
        for (int l = 1; l < d; l++) C[k * d + l] = rho * radius / size * ((k == l) - t * z[l] / size);
    }
}

/* P - anchor and its derivative where the iterate stands after the part t of its step. Returns the work along the step,
 * (p + t dp - P).du, which grows with t. O(contacts). */
static double project(jn_velocity_proximal *s, double alpha, double t) {
    int d = s->d;
    double sum = 0, u[3];
    for (int i = 0; i < s->nc; i++) {
        double *g = s->g + i * d;
        for (int k = 0; k < d; k++) u[k] = s->u[i * d + k] + t * s->du[i * d + k];
        linearise(d, d > 1 ? s->problem->mu[i] : 0, s->inverse[i] / alpha, s->anchor + i * d, u, g, s->C + i * d * d);
        for (int k = 0; k < d; k++)
            sum += (s->p[i * d + k] + t * s->dp[i * d + k] - s->anchor[i * d + k] - g[k]) * s->du[i * d + k];
    }
    return sum;
}

/* Newton's step dp, du from the iterate, with P and C there. Returns the work along it at its start, or NaN. */
static double find_step(jn_velocity_proximal *s) {
    int d = s->d;
    double sum = 0;
    for (int k = 0; k < s->n; k++) s->g[k] += s->anchor[k] - s->p[k];
    if (!s->step(s->context, s->C, s->g, s->du)) return NAN;
    for (int i = 0; i < s->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            s->dp[k] = s->g[k];
            for (int l = 0; l < d; l++) s->dp[k] -= s->C[k * d + l] * s->du[i * d + l]; /* P - p - C H dv */
            sum -= s->g[k] * s->du[k];
        }
    return sum;
}

/* How much of a step is taken: all of it, or as much as leaves a small part of the work; P and C are those there. */
static double search(jn_velocity_proximal *s, double alpha, double start) {
    double low = 0, high = 1, work_low = start, work_high = project(s, alpha, 1), t = 1;
    int side = 0;
    if (!(start < 0) || work_high <= -flat * start) return 1;
    for (int n = 0; n < SEARCHES; n++) { /* Illinois' regula falsi */
        t = low + (high - low) * fmin(0.9, fmax(0.1, work_low / (work_low - work_high)));
        double now = project(s, alpha, t);
        if (fabs(now) < -flat * start) break;
        if (now < 0) {
            low = t, work_low = now;
            if (side == -1) work_high *= 0.5;
            side = -1;
        } else {
            high = t, work_high = now;
            if (side == 1) work_low *= 0.5;
            side = 1;
        }
    }
    return t;
}

bool jn_velocity_proximal_solve(jn_velocity_proximal *s, double alpha) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    double last = INFINITY;
    bool done = false;
    memcpy(s->p, s->anchor, bytes), memcpy(s->u, s->held, bytes);
    memset(s->dp, 0, bytes), memset(s->du, 0, bytes);
    project(s, alpha, 0);
    for (int n = 0, slow = 0; n < s->steps && slow < PATIENCE && !done; n++) {
        double start = find_step(s), off = 0, way = 0;
        if (!isfinite(start)) return false;
        double t = search(s, alpha, start);
        for (int k = 0; k < s->n; k++) {
            s->p[k] += t * s->dp[k], s->u[k] += t * s->du[k];
            double e = s->anchor[k] + s->g[k] - s->p[k]; /* P - p */
            off += e * e, way += s->g[k] * s->g[k];
        }
        done = off <= exact * exact * alpha * alpha * way;
        slow = off > 0.25 * last ? slow + 1 : 0;
        last = off, s->taken++;
    }
    for (int k = 0; k < s->n; k++) s->p[k] = s->anchor[k] + s->g[k];
    return done;
}

void jn_velocity_proximal_follow(jn_velocity_proximal *s) {
    memcpy(s->anchor, s->p, (size_t)s->n * sizeof *s->p), memcpy(s->held, s->u, (size_t)s->n * sizeof *s->u);
}
