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

typedef double jn_four __attribute__((vector_size(32)));
typedef double jn_two __attribute__((vector_size(16)));

static inline jn_four jn_load_four(const double *x) {
    jn_four a;
    memcpy(&a, x, sizeof a);
    return a;
}

static inline jn_two jn_load_two(const double *x) {
    jn_two a;
    memcpy(&a, x, sizeof a);
    return a;
}

/* u = H v of one contact. */
static inline void jn_visit_gather(const jn_visit *c, const double *v, double *u) {
    const double *x = v + c->dof[0];
    jn_four x4 = jn_load_four(x), a[3];
    jn_two x2 = jn_load_two(x + 4), b[3];
    for (int r = 0; r < 3; r++) a[r] = jn_load_four(c->H[0][r]) * x4, b[r] = jn_load_two(c->H[0][r] + 4) * x2;
    if (c->dof[1] >= 0) {
        const double *y = v + c->dof[1];
        x4 = jn_load_four(y), x2 = jn_load_two(y + 4);
        for (int r = 0; r < 3; r++) a[r] += jn_load_four(c->H[1][r]) * x4, b[r] += jn_load_two(c->H[1][r] + 4) * x2;
    }
    for (int r = 0; r < 3; r++) u[r] = ((a[r][0] + a[r][2]) + b[r][0]) + ((a[r][1] + a[r][3]) + b[r][1]);
}

/* v += scale (rows^T dp) over six velocities; scale NULL: 1. */
static inline void jn_visit_add(const double rows[3][6], const double *dp, const double *scale, double *v) {
    jn_four a = jn_load_four(rows[0]) * dp[0] + jn_load_four(rows[1]) * dp[1] + jn_load_four(rows[2]) * dp[2];
    jn_two b = jn_load_two(rows[0] + 4) * dp[0] + jn_load_two(rows[1] + 4) * dp[1] + jn_load_two(rows[2] + 4) * dp[2];
    if (scale) a *= jn_load_four(scale), b *= jn_load_two(scale + 4);
    a += jn_load_four(v), b += jn_load_two(v + 4);
    memcpy(v, &a, sizeof a), memcpy(v + 4, &b, sizeof b);
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
