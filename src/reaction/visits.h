/* Contacts between free bodies in the order in which sweeps visit them: all that a visit needs stands together, and memory is
 * read from its beginning to its end. */
#ifndef JN_REACTION_VISITS_H
#define JN_REACTION_VISITS_H

#include "reaction/local.h"
#include "reaction/problem.h"
#include <string.h>

/* One contact with one or two bodies of six velocities; d = 3. */
typedef struct jn_visit {
    double H[2][3][6]; /* by bodies */
    double W[9], q[3];
    double size; /* min(1, trace W_ii): a change of p as the residual sees it */
    jn_local local;
    int dof[2];  /* first velocities of the bodies; the second is -1 where there is none */
    int contact; /* its number in the problem */
} jn_visit;

typedef struct jn_visits {
    int count;
    jn_visit *at;         /* (count) */
    bool scaled;          /* Y = H times a number per velocity: inertia is a multiple of 1 in each body */
    double *scale;        /* (velocities) that number */
    double (*Y)[2][3][6]; /* (count) else */
} jn_visits;

/* Every contact has the velocities of one or two bodies, six that follow each other each. O(entries). */
bool jn_visits_suit(const jn_problem *problem);
void jn_visits_layout(const jn_problem *problem, jn_scratch *s, jn_visits *visits);
/* order (contacts), or NULL for that of the problem; W (contacts x 9) and local as prepared. O(entries). */
void jn_visits_fill(const jn_problem *problem, const int *order, const double *W, const double *size,
                    const jn_local *local, jn_visits *visits);

/* Four and two numbers at a time, read and written where they stand. */
typedef double jn_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double jn_two __attribute__((vector_size(16), aligned(8), may_alias));
#define JN_FOUR(x) (*(const jn_four *)(x))
#define JN_TWO(x) (*(const jn_two *)(x))

/* u = H v of one contact. */
static inline void jn_visit_gather(const jn_visit *c, const double *v, double *u) {
    const double *x = v + c->dof[0];
    jn_four x4 = JN_FOUR(x), a[3];
    jn_two x2 = JN_TWO(x + 4), b[3];
    for (int r = 0; r < 3; r++) a[r] = JN_FOUR(c->H[0][r]) * x4, b[r] = JN_TWO(c->H[0][r] + 4) * x2;
    if (c->dof[1] >= 0) {
        const double *y = v + c->dof[1];
        x4 = JN_FOUR(y), x2 = JN_TWO(y + 4);
        for (int r = 0; r < 3; r++) a[r] += JN_FOUR(c->H[1][r]) * x4, b[r] += JN_TWO(c->H[1][r] + 4) * x2;
    }
    for (int r = 0; r < 3; r++) u[r] = ((a[r][0] + a[r][2]) + b[r][0]) + ((a[r][1] + a[r][3]) + b[r][1]);
}

/* v += scale (rows^T dp) over six velocities; scale NULL: 1. */
static inline void jn_visit_add(const double rows[3][6], const double *dp, const double *scale, double *v) {
    jn_four a = JN_FOUR(rows[0]) * dp[0] + JN_FOUR(rows[1]) * dp[1] + JN_FOUR(rows[2]) * dp[2];
    jn_two b = JN_TWO(rows[0] + 4) * dp[0] + JN_TWO(rows[1] + 4) * dp[1] + JN_TWO(rows[2] + 4) * dp[2];
    if (scale) a *= JN_FOUR(scale), b *= JN_TWO(scale + 4);
    a += JN_FOUR(v), b += JN_TWO(v + 4);
    *(jn_four *)v = a, *(jn_two *)(v + 4) = b;
}

/* v += Y^T dp of one contact. */
static inline void jn_visit_scatter(const jn_visits *s, int k, const double *dp, double *v) {
    const jn_visit *c = &s->at[k];
    for (int b = 0; b < 2 && c->dof[b] >= 0; b++) {
        if (s->scaled)
            jn_visit_add(c->H[b], dp, s->scale + c->dof[b], v + c->dof[b]);
        else
            jn_visit_add((const double(*)[6])s->Y[k][b], dp, NULL, v + c->dof[b]);
    }
}

#endif
