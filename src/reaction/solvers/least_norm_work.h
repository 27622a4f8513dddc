/* What Newton's method for impulses of least norm (least_norm.c) shares with the proximal-point method (proximal_shared.c). */
#ifndef JN_REACTION_SOLVERS_LEAST_NORM_WORK_H
#define JN_REACTION_SOLVERS_LEAST_NORM_WORK_H

#include "reaction/problem/scaled_problem.h"
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/shared_bodies.h"
#include "reaction/solvers/shared_velocities.h"

typedef struct jn_least_norm_work {
    const jn_problem *problem;
    bool dense;  /* by velocities; else by contacts */
    bool sparse; /* by the velocities of bodies: rows.given alone is there of the dense rows, and all of it 0 */
    int d, nc, n;
    jn_shared rows;
    jn_bodies bodies;
    jn_scaled scaled;
    jn_block_lu lu;
    jn_newton newton;
    jn_local *local;                     /* (nc) of sweeps */
    double *W;                           /* (nc x 9) W_ii, for them */
    double *x, *v;                       /* (velocities at most) */
    double *p, *u, *anchor, *F, *g, *du; /* (n), to a multiple of eight */
    double *C, *X;                       /* (n x d) dp = X F - C du by contacts */
    double *start;                       /* (n) where Newton's method began */
    double *change, *safe;               /* (n) of the last proximal step [m/s]; impulses before the last stride */
    double *found;                       /* (n) what Newton's method found that misses the tolerance */
    double *w, *by_w;                    /* (nc) mean diagonal of W_ii; 1/w */
    double goal;   /* in units of the largest velocity: |F| that ends Newton's method, and what e may leave */
    double unit;   /* [m/s] largest velocity */
    double factor; /* w r of Alart and Curnier's function */
    int slow;      /* steps without progress that end Newton's method */
    bool swept;    /* local and W are there */
    bool started;  /* u is that of p, with which the search begins */
    int *steps;
} jn_least_norm_work;

/* u = W p + q. */
void jn_least_norm_velocity(jn_least_norm_work *s);
/* F, Alart and Curnier's function of the regularised problem; returns the largest w |F| [m/s], NAN where one is not finite. */
double jn_least_norm_value(jn_least_norm_work *s, double e);
/* X and C of all contacts, and the factor of 1 + Y^T C H. False where there is none. */
bool jn_least_norm_factor(jn_least_norm_work *s, double e);
/* g = dp = X F - C H dv, dv = (1 + Y^T C H)^-1 Y^T X F = Y^T dp, and du = H dv + compliance dp. */
void jn_least_norm_direction(jn_least_norm_work *s);
/* Normal impulses that are given; no velocities belong to them. */
void jn_least_norm_take_given(jn_least_norm_work *s);

enum { JN_PROXIMAL_SOON = 60, JN_PROXIMAL_ALL = 600 }; /* steps of Newton's method: of a first trial, of the last one */
/* Proximal steps from s->start, whose e begins at `first` and falls as long as Newton's method around their anchors succeeds [Rockafellar1976], [Acary2018], until it has made `most` steps. p
 * and u become those of the least speed error [m/s], which is returned. */
double jn_solve_proximal_shared(jn_least_norm_work *s, double first, double tolerance, int most);

/* proximal_bodies.c: the same over the velocities of free bodies, for many contacts that are judged by their speed. */
bool jn_proximal_bodies_suit(const jn_problem *problem);
/* 0: contacts or bodies are not such. */
size_t jn_proximal_bodies_scratch(const jn_problem *problem);
int jn_proximal_bodies_solve(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                             jn_solve_result *result);

/* feasible.c: whether all velocities miss the dual cones of some contacts by more than `speed` [m/s], so that nothing says that there is a solution: where Newton's method finds none
 * either, friction jams these contacts. hold (n): impulses in the cones that move nothing, and with which no velocities lie in the dual cones. False: some do, or it is not certain
 * that none do. The search begins with the velocities u of any impulses. Changes u, F, g, du, x and C. */
bool jn_least_norm_jams(jn_least_norm_work *s, double speed, double *hold);

#endif
