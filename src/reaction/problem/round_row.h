/* Products with the rows of a round contact: ten numbers in place of seventy-two. */
#ifndef JN_REACTION_PROBLEM_ROUND_ROW_H
#define JN_REACTION_PROBLEM_ROUND_ROW_H

#include <jounce/reaction.h>

static inline double jn_row_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void jn_row_cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* u (3) = H_i v. */
static inline void jn_round_gather(const jn_round_row *row, const double *v, double *u) {
    static const double fixed[6];
    const double *a = row->dof[0] < 0 ? fixed : v + row->dof[0], *b = row->dof[1] < 0 ? fixed : v + row->dof[1];
    double turn[3], c[3];
    for (int l = 0; l < 3; l++) turn[l] = row->rho[1] * b[3 + l] - row->rho[0] * a[3 + l];
    jn_row_cross(turn, row->d[0], c);
    for (int l = 0; l < 3; l++) c[l] += b[l] - a[l];
    for (int r = 0; r < 3; r++) u[r] = jn_row_dot(row->d[r], c);
}

/* f (3): the impulse p on the second body in the axes of the velocities; turn (3): its moment about a centre for an arm of 1. */
static inline void jn_round_impulse(const jn_round_row *row, const double *p, double *f, double *turn) {
    for (int l = 0; l < 3; l++) f[l] = p[0] * row->d[0][l] + p[1] * row->d[1][l] + p[2] * row->d[2][l];
    jn_row_cross(row->d[0], f, turn);
}

/* v += Y_i^T p. */
static inline void jn_round_scatter(const jn_round_row *row, const double *p, double *v) {
    double f[3], turn[3];
    jn_round_impulse(row, p, f, turn);
    for (int k = 0; k < 2; k++) {
        if (row->dof[k] < 0) continue;
        double *x = v + row->dof[k], sign = k ? 1 : -1, light = sign * row->light[k];
        double spin = sign * row->rho[k] * row->inverse[k];
        for (int l = 0; l < 3; l++) x[l] += light * f[l], x[3 + l] += spin * turn[l];
    }
}

/* g += H_i^T p. */
static inline void jn_round_scatter_force(const jn_round_row *row, const double *p, double *g) {
    double f[3], turn[3];
    jn_round_impulse(row, p, f, turn);
    for (int k = 0; k < 2; k++) {
        if (row->dof[k] < 0) continue;
        double *x = g + row->dof[k], sign = k ? 1 : -1, arm = sign * row->rho[k];
        for (int l = 0; l < 3; l++) x[l] += sign * f[l], x[3 + l] += arm * turn[l];
    }
}

/* W_ii is diagonal: its normal and its two equal tangential entries [1/kg]. */
static inline double jn_round_normal(const jn_round_row *row) { return row->light[0] + row->light[1]; }
static inline double jn_round_tangent(const jn_round_row *row) {
    return row->light[0] + row->light[1] + row->rho[0] * row->rho[0] * row->inverse[0] +
           row->rho[1] * row->rho[1] * row->inverse[1];
}

#endif
