/* Products with the rows of a round contact: ten numbers in place of seventy-two. */
#ifndef JN_REACTION_PROBLEM_ROUND_ROW_H
#define JN_REACTION_PROBLEM_ROUND_ROW_H

#include <jounce/reaction.h>

/* Contacts up to which a problem of round contacts has the values of its rows: methods for few contacts read them. */
enum { JN_ROUND_EXPANDED = 128 };

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

/* H_i and Y_i as jn_contact_rows has them: three numbers for each velocity, six velocities of each body that moves, bodies ascending. Returns how many
 * velocities. */
static inline int jn_round_expand(const jn_round_row *row, double *H, double *Y) {
    int first = row->dof[0] < row->dof[1] ? 0 : 1, at = 0;
    double turn[3][3];
    for (int r = 0; r < 3; r++) jn_row_cross(row->d[0], row->d[r], turn[r]);
    for (int n = 0; n < 2; n++) {
        int k = n ? 1 - first : first;
        double sign = k ? 1 : -1, arm = sign * row->rho[k];
        double light = sign * row->light[k], spin = arm * row->inverse[k];
        if (row->dof[k] < 0) continue;
        for (int l = 0; l < 3; l++) {
            double *h = H + 3 * (at + l), *y = Y + 3 * (at + l);
            for (int r = 0; r < 3; r++) {
                h[r] = sign * row->d[r][l], h[9 + r] = arm * turn[r][l];
                y[r] = light * row->d[r][l], y[9 + r] = spin * turn[r][l];
            }
        }
        at += 6;
    }
    return at;
}

/* The velocities of these rows. */
static inline int jn_round_velocities(const jn_round_row *row, int *dof) {
    int first = row->dof[0] < row->dof[1] ? 0 : 1, at = 0;
    for (int n = 0; n < 2; n++) {
        int from = row->dof[n ? 1 - first : first];
        for (int k = 0; k < 6 && from >= 0; k++) dof[at++] = from + k;
    }
    return at;
}

#endif
