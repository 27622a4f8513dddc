/* The central path of a contact problem: what interior-point methods share, whatever matrix they factor. */
#ifndef JN_REACTION_SOLVERS_INTERIOR_PATH_H
#define JN_REACTION_SOLVERS_INTERIOR_PATH_H

#include "reaction/problem/problem.h"

/* Impulses p and corrected velocities w = W p + q + mu |w_T| e_N, of a problem without units (scaled_problem.h). The owner solves
 * Newton's equations (W + B) dp = right, with B block diagonal; a component beyond the cone of its contact has dp = right. */
typedef struct jn_interior {
    int d, nc;
    const double *mu;                                              /* (nc) */
    double *p, *w, *u;                                             /* (n) impulses, corrected velocities, W p + q */
    double *dp, *dw;                                               /* (n) the step */
    double *right;                                                 /* (n) of Newton's equations */
    double *B;                                                     /* (nc x d x d) */
    double *G;                                                     /* (nc x (d + 1)) eta and h of the scaling */
    double *lambda, *r, *f;                                        /* (n) */
    double length;                                                 /* of the last step, 1 where it was whole */
    void *context;                                                 /* of the functions below */
    void (*velocity)(void *context, const double *p, double *u);   /* u = W p + q */
    int (*factor)(void *context, const double *B);                 /* of W + B; < 0 where there is none */
    void (*solve)(void *context, const double *right, double *dp); /* dp = (W + B)^-1 right */
} jn_interior;

void jn_interior_layout(int d, int nc, jn_scratch *s, jn_interior *path);
/* Dimension of the cone of a contact: without friction the tangential impulse is zero and only the normal one is in a cone. */
static inline int jn_interior_cone(const jn_interior *path, int i) { return path->mu[i] > 0 ? path->d : 1; }
/* On the central path with the barrier size^2/nc, all contacts alike. */
void jn_interior_start(jn_interior *path, double size);
/* On the central path with the barrier size^2/nc, near the impulses p, whose velocity stands in path->u. */
void jn_interior_start_near(jn_interior *path, const double *p, double size);
/* One iteration: predictor, corrector, and a step that stays near the central path [Mehrotra1992]. One factorisation, two or
 * three solves. JN_NOT_CONVERGED where there is no way, JN_ERR_NUMERIC where there is no factor. */
int jn_interior_step(jn_interior *path);

#endif
