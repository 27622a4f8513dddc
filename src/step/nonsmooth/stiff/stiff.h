/* Elements that are stiff for the step, while they are rows of its equations. */
#ifndef JN_STEP_NONSMOOTH_STIFF_STIFF_H
#define JN_STEP_NONSMOOTH_STIFF_STIFF_H

#include "step/nonsmooth/nonsmooth.h"

typedef enum jn_stiff_kind { STIFF_SPRING, STIFF_BUSHING, STIFF_ACTUATOR } jn_stiff_kind;

/* Of the leapfrog: what a row weighs at a node. */
typedef struct jn_stiff_row {
    double c, k, k_motor; /* weights of damping, of what stores energy and of what does not */
    bool late_c, late_k;  /* acts with what it has at the end of the segment */
    bool starts;          /* the node is the first: only half a segment lies about it */
} jn_stiff_row;

typedef struct jn_stiff_item {
    jn_stiff_kind kind;
    int index;     /* in the model's list */
    bool diagonal; /* adds to the diagonal of M and has no row */
    int first;     /* of its rows */
    int velocity;  /* that it acts on, where it is on the diagonal */
    bool motor;    /* its work is that of a motor */
    bool constant; /* its slopes are those of the start, always */
    double W[6];   /* inverse inertia that each row feels, at the start */
    bool grows;    /* that is much less than in other positions: W is the present one */
    jn_stiff_row row[6];
} jn_stiff_item;

struct jn_stiff {
    int items, count; /* elements; rows of those that are not on the diagonal */
    jn_stiff_item *item;
    double *S; /* (count) weight of the row, 0: takes no part */
    double *S_A,
        *S_v; /* (count) of the leapfrog: what refers to the last segment's velocities, and to those of the forces */
    double *J, *Z;             /* (count x nv) rows; inverse inertia times each */
    double *C, *y; /* (count x count) Cholesky factor of S^-1 + J M^-1 J^T, by rows; (count x JN_KKT_LANES) */
    double *f;                 /* (nv) */
    double *added;             /* (nv) part of B on the diagonal */
    double *added_A, *added_v; /* (nv) as S_A and S_v */
    double *lambda;            /* (rows) */
    bool diagonal;             /* elements add to it */
    bool constant;             /* they do nothing else, always with the same slopes: */
    jn_stiff_weights weighed;  /* with these weights last */
    bool on;                   /* the factor holds, and jn_system_solve takes the elements into account */
};

/* Slopes of a force: stiffness and damping. Those that drive the motion on are left to the iteration. k_motor: part of k that
 * stores no energy. more_k, more_c: what a motor at the end of its range has beyond its slopes, which vanish there, on the secant to where its
 * force would vanish; it counts where the motor could pass that point within the step. */
typedef struct jn_stiff_slopes {
    double k, c, k_motor, more_k, more_c;
} jn_stiff_slopes;

static inline int jn_stiff_rows_of(const jn_model *m, jn_stiff_kind kind) {
    return kind == STIFF_SPRING ? (m->planar ? 2 : 3) : kind == STIFF_BUSHING ? 6 : 1;
}

static inline jn_stiff_slopes jn_stiff_held_back(double k, double c) {
    return (jn_stiff_slopes){.k = jn_max(0, k), .c = jn_max(0, c)};
}

static inline double jn_stiff_weight(jn_stiff_slopes s, jn_stiff_weights w) { return w.c * s.c + w.k * s.k; }

/* Whether dry friction is a force, and no row of the contact problem. */
static inline bool jn_stiff_rubs(const jn_work *w, const jn_actuator *a) {
    return a->law.friction != 0 && !(a->dry && w->dry_rows);
}

static inline double jn_stiff_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Rate of a row of an element. */
static inline double jn_stiff_rate(const jn_sim *sim, const jn_stiff_item *item, int r, const double *u) {
    const jn_model *m = sim->m;
    const jn_stiff *x = sim->nonsmooth->stiff;
    if (item->diagonal) return u[item->velocity];
    return jn_stiff_dot(x->J + (size_t)(item->first + r) * (size_t)m->nv, u, m->nv);
}

/* stiff_rows.c: slopes and rows (each nv, added) of an element at the last evaluation; slopes of what acts on a joint coordinate. */
void jn_stiff_item_rows(jn_sim *sim, const jn_stiff_item *item, jn_stiff_slopes *S, double *J);
jn_stiff_slopes jn_stiff_actuator_slopes(const jn_model *m, const jn_work *w, const jn_actuator *a);

#endif
