/* Newton's step on Alart and Curnier's function, for the solvers that iterate on it. */
#include "reaction/problem/scaled_problem.h"
#include <math.h>
#include <string.h>

static const double DAMPING =
    1e-10; /* of the unit diagonal: where contacts are redundant Newton's matrix is singular */
static const double SHORTEST = 1e-3;   /* part of a step: shorter ones lead nowhere */
static const double SUFFICIENT = 1e-4; /* Armijo's constant: decrease over that of the linear model */

void jn_newton_layout(jn_scratch *s, jn_scaled *scaled, jn_block_lu *lu, jn_newton *w) {
    size_t nc = (size_t)scaled->nc, d = (size_t)scaled->d, n = nc * d;
    *w = (jn_newton){.s = scaled, .lu = lu};
    w->r = jn_scratch_take(s, 2 * nc, sizeof(double));
    w->A = jn_scratch_take(s, n * d, sizeof(double));
    w->B = jn_scratch_take(s, n * d, sizeof(double));
    w->F = jn_scratch_take(s, n, sizeof(double));
    w->u = jn_scratch_take(s, n, sizeof(double));
    w->dy = jn_scratch_take(s, n, sizeof(double));
    w->trial = jn_scratch_take(s, n, sizeof(double));
    w->F_trial = jn_scratch_take(s, n, sizeof(double));
    w->u_trial = jn_scratch_take(s, n, sizeof(double));
    w->active = jn_scratch_take(s, nc, sizeof(bool));
}

void jn_newton_start(jn_newton *w, double alpha, double factor) {
    const jn_scaled *s = w->s;
    int d = s->d;
    w->alpha = alpha, w->damping = DAMPING;
    for (int i = 0; i < s->nc; i++)
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->column[k] == i) {
                const double *W = s->W + (size_t)k * (size_t)(d * d);
                w->r[2 * i] = factor / (W[0] + w->alpha);
                double tangential = d == 3 ? (W[4] + W[8]) / 2 + w->alpha : d == 2 ? W[3] + w->alpha : 1;
                w->r[2 * i + 1] = tangential > 0 ? factor / tangential : factor; /* stops of joints have no tangents */
            }
}

void jn_alart_value(int d, double mu, const double *r, const double *p, const double *u, double *F) {
    double normal = p[0] - r[0] * u[0];
    if (normal <= 0) {
        for (int k = 0; k < d; k++) F[k] = p[k];
        return;
    }
    F[0] = r[0] * u[0];
    double x[3] = {0}, size = 0, radius = mu * normal;
    for (int k = 1; k < d; k++) x[k] = p[k] - r[1] * u[k], size += x[k] * x[k];
    size = sqrt(size);
    for (int k = 1; k < d; k++) F[k] = mu == 0 ? p[k] : size <= radius ? r[1] * u[k] : p[k] - radius * x[k] / size;
}

bool jn_alart_slope(int d, double mu, const double *r, const double *p, const double *u, double *A, double *B) {
    memset(A, 0, (size_t)(d * d) * sizeof *A);
    memset(B, 0, (size_t)(d * d) * sizeof *B);
    double normal = p[0] - r[0] * u[0];
    if (normal <= 0) return false;
    A[0] = r[0];
    double x[3] = {0}, size = 0, radius = mu * normal;
    for (int k = 1; k < d; k++) x[k] = p[k] - r[1] * u[k], size += x[k] * x[k];
    size = sqrt(size);
    for (int k = 1; k < d; k++) {
        if (mu == 0) { /* p_T = 0 */
            B[k * d + k] = 1;
            continue;
        }
        if (size <= radius) {
            A[k * d + k] = r[1];
            continue;
        }
        double g = radius / size, t = x[k] / size;
        A[k * d] = mu * r[0] * t, B[k * d] = -mu * t;
        for (int l = 1; l < d; l++) {
            double project = g * ((k == l) - t * x[l] / size);
            A[k * d + l] = r[1] * project, B[k * d + l] = (k == l) - project;
        }
    }
    return true;
}

double jn_newton_value(jn_newton *w, const double *y, double *u, double *F) {
    const jn_scaled *s = w->s;
    double sum = 0;
    jn_scaled_velocity(s, y, u);
    for (int i = 0; i < s->n && w->anchor; i++) u[i] += w->alpha * (y[i] - w->anchor[i]);
    for (int i = 0; i < s->nc; i++)
        jn_alart_value(s->d, s->mu[i], w->r + 2 * i, y + i * s->d, u + i * s->d, F + i * s->d);
    for (int i = 0; i < s->n; i++) sum += F[i] * F[i];
    return sqrt(sum);
}

/* dy = -J^-1 F; open contacts go to zero, the others see what that does to their velocity. */
static int direction(jn_newton *w, const double *y) {
    const jn_scaled *s = w->s;
    int d = s->d;
    double *moved = w->u_trial, *shift = w->trial;
    for (int i = 0; i < s->nc; i++) {
        double *A = w->A + i * d * d, *B = w->B + i * d * d;
        w->active[i] = jn_alart_slope(d, s->mu[i], w->r + 2 * i, y + i * d, w->u + i * d, A, B);
        for (int k = 0; k < d * d; k++) B[k] += (w->alpha + w->damping) * A[k];
        for (int k = i * d; k < i * d + d; k++) shift[k] = w->active[i] ? 0 : -y[k];
    }
    jn_scaled_velocity(s, shift, moved);
    for (int i = 0; i < s->nc; i++)
        for (int k = 0; k < d; k++) {
            double sum = -w->F[i * d + k];
            for (int l = 0; l < d; l++) sum -= w->A[(i * d + k) * d + l] * (moved[i * d + l] - s->q[i * d + l]);
            w->dy[i * d + k] = w->active[i] ? sum : shift[i * d + k];
        }
    jn_blocks W = jn_scaled_matrix(s);
    int status = jn_block_lu_factor(w->lu, &W, w->A, w->B, w->active, false);
    if (status < 0) return status;
    jn_block_lu_solve(w->lu, w->dy, w->dy);
    return JN_OK;
}

double jn_newton_step(jn_newton *w, double *y, double allowed) {
    const jn_scaled *s = w->s;
    if (direction(w, y) < 0) return NAN;
    double best = INFINITY, best_t = 0;
    for (double t = 1; t > SHORTEST; t *= 0.5) {
        for (int i = 0; i < s->n; i++) w->trial[i] = y[i] + t * w->dy[i];
        double value = jn_newton_value(w, w->trial, w->u_trial, w->F_trial);
        if (value < best) best = value, best_t = t;
        if (value < allowed * (1 - SUFFICIENT * t)) break;
    }
    if (!isfinite(best)) return NAN;
    for (int i = 0; i < s->n; i++) y[i] += best_t * w->dy[i];
    return jn_newton_value(w, y, w->u, w->F);
}
