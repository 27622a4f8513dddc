/* Small motions about a state at rest, on the constraints:  x'' + C x' + K x = f  with  u = Z x'.
 *
 * Z spans the motions that the constraints allow and is orthonormal in the mass matrix, Z^T M Z = 1. With the
 * multipliers lambda of the state held, K = -Z^T d(h + G^T lambda)/dq Z holds the curvature of the constraints as well,
 * and C = -Z^T dh/du Z, both exact (motion/derivatives/linearise.c). */
#ifndef JN_STUDY_TANGENT_H
#define JN_STUDY_TANGENT_H

#include "step/sim.h"
#include "study/dense.h"

typedef struct jn_tangent {
    jn_sim *sim;
    const jn_model *m;
    jn_work *w;
    jn_state *at;         /* the state: its coordinates are read, its velocities taken as zero */
    int nv, dof;          /* dof: columns of Z at the last jn_tangent_basis */
    double length;        /* [m] of the mechanism's bodies */
    double force_scale;   /* size of all loads in the metric of `force` */
    double rate_scale;    /* [1/s^2] |gravity| / length */
    double *Z;            /* (nv x dof) by columns */
    double *force;        /* (dof) Z^T h: zero in equilibrium */
    double *balance;      /* (nv) h + G^T lambda */
    double *lambda;       /* (rows) */
    double *K, *C;        /* (dof x dof) by columns, most nv x nv */
    double *u, *F, *zero; /* (nv) */
    double *column;       /* (nv) */
    jn_derivatives *d;
    struct jn_contact_changes *contacts; /* NULL: none */
    jn_column_space range;
    void *memory;
} jn_tangent;

extern const double jn_largest_matrix; /* entries of a dense matrix */

/* Z (nv x dof, by columns) that spans the motions that the constraints allow, Z^T M Z = 1; from the rows and the factor of M in the
 * work space. JN_OK or JN_ERR_NUMERIC. O(nv^2 rows). */
int jn_allowed_motions(const jn_model *m, jn_work *w, jn_column_space *range, double *Z, int *dof);
/* JN_OK, JN_ERR_MEMORY, or JN_ERR_LIMIT for mechanisms too large for dense matrices. */
int jn_tangent_create(jn_tangent *t, jn_sim *sim);
void jn_tangent_free(jn_tangent *t);
/* Z, force and multipliers at the state. O(nv^2 rows). */
int jn_tangent_basis(jn_tangent *t);
/* K and C about that state. O(nv (links + elements) + nv^2 dof). */
void jn_tangent_slopes(jn_tangent *t);
/* u = Z x. */
void jn_tangent_expand(const jn_tangent *t, const double *x, double *u);
/* Largest motion of any body, in radians or lengths, under the velocities u at the state. */
double jn_tangent_size(jn_tangent *t, double *u);

#endif
