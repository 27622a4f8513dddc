/* The velocities that a few contacts share, dense: rows of the contacts in them, and Newton's matrix over them. */
#ifndef JN_REACTION_SHARED_H
#define JN_REACTION_SHARED_H

#include "reaction/problem.h"

enum { JN_SHARED = 64 }; /* velocities at most */

typedef struct jn_shared {
    const jn_problem *problem;
    int d, nc, nv, pitch; /* rows of a contact, contacts, velocities; these in memory, a multiple of four */
    int *place, *dof;     /* (velocities of the problem) place among them or -1; (entries) of the rows */
    int *wide;            /* (nc) places up to which rows of a contact have entries, a multiple of four */
    int *rows;            /* (nc) of a contact that count: the normal alone without friction */
    double *H;            /* (nc d x pitch) rows */
    const double *Y;      /* (nc d x pitch) maybe the same */
    double *Y_own;
    double *K; /* (nv x pitch) */
} jn_shared;

/* Numbers four at a time, where they stand. */
typedef double jn_lanes __attribute__((vector_size(32), aligned(8), may_alias));
#define JN_LANES(x) (*(jn_lanes *)(void *)(x))
#define JN_LANES_OF(x) (*(const jn_lanes *)(const void *)(x))

/* Sums over `pitch` numbers. */
static inline double jn_shared_dot(int pitch, const double *a, const double *b) {
    jn_lanes sum = {0};
    for (int k = 0; k < pitch; k += 4) sum += JN_LANES_OF(a + k) * JN_LANES_OF(b + k);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static inline void jn_shared_add(int pitch, double factor, const double *a, double *out) {
    for (int k = 0; k < pitch; k += 4) JN_LANES(out + k) += factor * JN_LANES_OF(a + k);
}

/* Whether both rows of a problem have the same entries. */
bool jn_shared_suits(const jn_problem *problem);
void jn_shared_layout(const jn_problem *problem, jn_scratch *m, jn_shared *s);
/* Numbers the velocities and spreads the rows; false where they are too many. */
bool jn_shared_start(jn_shared *s);
/* v = Y^T p, u = H v; 0 for rows that do not count. */
void jn_shared_scatter(const jn_shared *s, const double *p, double *v);
void jn_shared_gather(const jn_shared *s, const double *v, double *u);
/* K = 1 + Y^T C H with C (nc d x d) by contacts, of the rows that count; x = K^-1 x. */
void jn_shared_fill(jn_shared *s, const double *C);
bool jn_shared_solve(jn_shared *s, double *x);

#endif
