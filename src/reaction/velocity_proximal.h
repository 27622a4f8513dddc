/* A contact problem made regular by a proximal term, solved by Newton's method on velocities: alpha W_ii (p - anchor) is added to the
 * velocity of each contact, which makes contacts beyond those that hold the bodies regular [Acary2018]. Then impulses follow
 * velocities, p = P(anchor - u/(alpha W_ii)) with Alart and Curnier's projection P [Alart1991], and Newton's step of all velocities is
 * (1 + Y^T C H) dv = Y^T (P - p), C = -dP/du. How that is solved is the affair of who calls. */
#ifndef JN_REACTION_VELOCITY_PROXIMAL_H
#define JN_REACTION_VELOCITY_PROXIMAL_H

#include "reaction/problem.h"

typedef struct jn_velocity_proximal {
    const jn_problem *problem;
    int d, nc, n;
    int steps, taken;      /* of Newton's method: at most in a problem; in all so far */
    double *inverse;       /* (nc) 1/mean diagonal of W_ii */
    double *anchor, *held; /* (n) anchor and its velocity */
    double *p, *u;         /* (n) Newton's iterate: impulses and velocity */
    double *dp, *du;       /* (n) its step */
    double *g, *C;         /* (n), (n x d) P - anchor and -dP/du at the iterate */
    /* du = H (1 + Y^T C H)^-1 Y^T g; false: there is no such step. */
    bool (*step)(void *context, const double *C, const double *g, double *du);
    void *context;
} jn_velocity_proximal;

void jn_velocity_proximal_layout(const jn_problem *problem, jn_scratch *m, jn_velocity_proximal *s);
/* The proximal problem of the anchor, into s->p; whether it was solved. */
bool jn_velocity_proximal_solve(jn_velocity_proximal *s, double alpha);
/* The anchor goes to the iterate. */
void jn_velocity_proximal_follow(jn_velocity_proximal *s);

#endif
