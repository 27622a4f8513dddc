/* What solvers share: products by contact, the natural map of one contact, memory for scratch. */
#ifndef JN_REACTION_PROBLEM_H
#define JN_REACTION_PROBLEM_H

#include <jounce/reaction.h>

/* A product by H and Y needs fewer multiplications than one by W, or W is not there. */
bool jn_problem_prefers_rows(const jn_problem *problem);
/* u (d) = row i of W times p, without q. */
void jn_blocks_row(const jn_problem *problem, int i, const double *p, double *u);
/* u (d) = H_i v. */
void jn_rows_gather(const jn_contact_rows *H, int d, int i, const double *v, double *u);
/* v += Y_i^T dp. */
void jn_rows_scatter(const jn_contact_rows *Y, int d, int i, const double *dp, double *v);
/* v = Y^T p. */
void jn_problem_impulse(const jn_problem *problem, const double *p, double *v);
/* block (d x d) = W_ii. */
void jn_problem_diagonal(const jn_problem *problem, int i, double *block);
/* Square of the natural map of one contact: |p - proj_K(p - (u_N + mu |u_T|, u_T))|^2. */
double jn_natural_map(int d, double mu, const double *p, const double *u);
/* [m/s] what the residual is divided by. */
double jn_problem_norm(const jn_problem *problem);

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
