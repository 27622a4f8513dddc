/* What solvers share: products by contact, the natural map of one contact, memory for scratch. */
#ifndef JN_REACTION_PROBLEM_PROBLEM_H
#define JN_REACTION_PROBLEM_PROBLEM_H

#include "algebra/scalar.h"
#include "base/pool.h"

#include <jounce/reaction.h>

/* A product by H and Y needs fewer multiplications than one by W, or W is not there. */
bool jn_problem_prefers_rows(const jn_problem *problem);
/* [1/kg] compliance of a contact, where W is given by rows. */
static inline double jn_problem_compliance(const jn_problem *problem, int i) { return problem->compliance ? problem->compliance[i] : 0; }
/* u (d) = row i of W times p, without q. */
static inline void jn_blocks_row(const jn_problem *problem, int i, const double *p, double *u) {
    const jn_blocks *W = problem->W;
    int d = problem->dimension;
    if (d == 3) {
        double u0 = 0, u1 = 0, u2 = 0;
        for (int k = W->start[i]; k < W->start[i + 1]; k++) {
            const double *B = W->value + 9 * (size_t)k, *x = p + 3 * (size_t)W->column[k];
            u0 += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
            u1 += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
            u2 += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
        }
        u[0] = u0, u[1] = u1, u[2] = u2;
        return;
    }
    for (int r = 0; r < d; r++) u[r] = 0;
    for (int k = W->start[i]; k < W->start[i + 1]; k++)
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                u[r] += W->value[((size_t)k * (size_t)d + (size_t)r) * (size_t)d + (size_t)c] *
                        p[(size_t)W->column[k] * (size_t)d + (size_t)c];
}

/* u (d) = H_i v. */
static inline void jn_rows_gather(const jn_contact_rows *H, int d, int i, const double *v, double *u) {
    const double *h = H->value + (size_t)H->start[i] * (size_t)d;
    if (d == 3) {
        double u0 = 0, u1 = 0, u2 = 0;
        for (int k = H->start[i]; k < H->start[i + 1]; k++, h += 3) {
            double x = v[H->dof[k]];
            u0 += h[0] * x, u1 += h[1] * x, u2 += h[2] * x;
        }
        u[0] = u0, u[1] = u1, u[2] = u2;
        return;
    }
    for (int r = 0; r < d; r++) u[r] = 0;
    for (int k = H->start[i]; k < H->start[i + 1]; k++, h += d)
        for (int r = 0; r < d; r++) u[r] += h[r] * v[H->dof[k]];
}

/* v += Y_i^T dp. */
static inline void jn_rows_scatter(const jn_contact_rows *Y, int d, int i, const double *dp, double *v) {
    const double *y = Y->value + (size_t)Y->start[i] * (size_t)d;
    if (d == 3) {
        for (int k = Y->start[i]; k < Y->start[i + 1]; k++, y += 3)
            v[Y->dof[k]] += y[0] * dp[0] + y[1] * dp[1] + y[2] * dp[2];
        return;
    }
    for (int k = Y->start[i]; k < Y->start[i + 1]; k++, y += d)
        for (int r = 0; r < d; r++) v[Y->dof[k]] += y[r] * dp[r];
}

/* Contacts from which on threads share loops over them: fewer are less work than a meeting. */
enum { JN_CONTACTS_SHARED = 1000 };

/* Values of H and Y, (entries x 3), of a problem of round contacts that has none. */
void jn_problem_expand(const jn_problem *problem, double *H, double *Y);
/* v = Y^T p. */
void jn_problem_impulse(const jn_problem *problem, const double *p, double *v);
/* block (d x d) = W_ii. */
void jn_problem_diagonal(const jn_problem *problem, int i, double *block);
/* Square of the natural map of one contact: |p - proj_K(p - (u_N + mu |u_T|, u_T))|^2. */
double jn_natural_map(int d, double mu, const double *p, const double *u);
/* [m/s] |p - proj_K(p - m (u_N + mu |u_T|, u_T))|/m of one contact: the natural map of p/m and u. */
double jn_contact_speed_error(int d, double mu, double mass, const double *p, const double *u);
/* jn_problem_residual by some threads, the same number; infinite where it is none. */
double jn_problem_residual_shared(const jn_problem *problem, jn_pool *pool, const double *p, double *v, double *u);
/* As jn_problem_islands of the contacts for which `in` holds; the others have island -1. NULL: all. */
int jn_problem_islands_among(const jn_problem *problem, const bool *in, int *scratch, int *island);
/* [m/s] what the relative residual is divided by. */
double jn_problem_norm(const jn_problem *problem);
/* Residual of a problem that is not solved at all: 1, or the largest velocity [m/s] where residuals are speeds. */
double jn_problem_unit(const jn_problem *problem);

/* Takes count items from a block of scratch, aligned to 64 bytes. With *at NULL nothing is there to take: the same calls
 * then measure what they will need. */
typedef struct jn_scratch {
    char *base;
    size_t used;
} jn_scratch;
static inline void *jn_scratch_take(jn_scratch *scratch, size_t count, size_t size) {
    void *place = scratch->base ? scratch->base + scratch->used : NULL;
    scratch->used += (count * size + 63) & ~(size_t)63;
    return place;
}

#endif
