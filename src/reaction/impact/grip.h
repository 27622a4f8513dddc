/* Forces of closed contacts between impacts: Coulomb's and Signorini's law in accelerations, all contacts at once.
 *
 *     a = W f + b,   0 <= f_N orthogonal to a_N >= 0
 *     slipping: f_T = -mu f_N e, e its direction;  still: |f_T| <= mu f_N, and f_T = -mu f_N a_T/|a_T| where a_T is not zero
 *
 * Where forces are redundant every contact is an equal spring: normal and, where it is still, in all directions, with a stiffness
 * that is the same share of 1/W_ii for all and tends to infinity. That is one rule, for forces with the modes as they are and for the law. */
#ifndef JN_REACTION_IMPACT_GRIP_H
#define JN_REACTION_IMPACT_GRIP_H

#include "reaction/problem/problem.h"

typedef struct jn_grip_contact {
    bool slips;
    double mu;   /* dynamic where it slips, static where it is still */
    double e[2]; /* direction of slip in the tangents */
    bool idle;   /* closed without load, where others carry it: no unknown of forces with the modes as they are */
} jn_grip_contact;

/* The problem; D = d n. */
typedef struct jn_grip {
    int d, n, velocities;
    const double *b;              /* (D) */
    const jn_contact_rows *H, *Y; /* W = H Y^T, over the same velocities */
    jn_grip_contact *contact;     /* (n) */
    double *f, *a;                /* (D) forces, accelerations with them */
    double error;                 /* [m/s^2] that the solver of the law has left */
    double scale;                 /* [m/s^2] largest acceleration of the problem, at least that of the owner */
    double *A, *z, *r, *spring;   /* scratch: (D x D), (D) each */
    double *open;          /* (n) [m/s^2] normal accelerations while springs carry the forces: positive without load */
    double *x;             /* (velocities) by islands */
    int *unknown, *pivot;  /* (D) by islands */
    int *island, *first;   /* (n) island of a contact; (n + 1) first unknown of an island */
    int *order, *from;     /* (n) contacts by islands; (n + 1) first of an island */
    int *parent, *id, *at; /* (velocities) of the search for islands; place in x */
    int *x_from;           /* (n + 1) first velocity of an island */
    size_t *place;         /* (n) of its factors in A */
    int islands;
    double *Y_slip, *mu, *q; /* (entries x d), (n), (D) */
    void *scratch;           /* of the solvers */
    size_t room;             /* [bytes] of it */
} jn_grip;

/* Forces with which no closed contact accelerates along its normal, and no still one along its tangents; no bounds, and none at idle ones. Returns the largest
 * such acceleration that is left, INFINITY where the equations are singular. O(min(n d, velocities)^3) for each island. */
double jn_grip_hold(jn_grip *g);
/* The same from forces `near` (D) within the cones: contacts that are well inside change theirs, the others keep them. Not of
 * least norm. */
double jn_grip_follow(jn_grip *g, double *near);
/* After it: forces f (D) of all contacts, in the same modes, where a unit force along a row comes in addition. O((n d)^2). */
void jn_grip_respond(const jn_grip *g, int row, double *f);
/* The same where the velocities (velocities) change by a. */
void jn_grip_answer(const jn_grip *g, const double *a, double *f);
/* x = A^-1 x by the LU factors of A with row pivoting, in place; false: A is singular. */
bool jn_lu_factor(int n, double *A, int *pivot);
void jn_lu_solve(int n, const double *A, const int *pivot, double *x);
/* Whether the forces lie in the cones, and the springs of idle contacts are not pressed. */
bool jn_grip_inside(const jn_grip *g);
/* After jn_grip_hold: contacts that pull become idle, idle ones that are pressed carry load again. Whether any has changed. */
bool jn_grip_change_idle(jn_grip *g);
/* Idle are the contacts without load. */
void jn_grip_find_idle(jn_grip *g);
/* Y_slip, and with it W_rr of a contact, with friction in the normal column where it slips. */
void jn_grip_columns(jn_grip *g);
double jn_grip_own(const jn_grip *g, int contact, int r);
/* The law, from the forces f as a guess. False: no solver finds its answer. */
bool jn_grip_solve(jn_grip *g);
/* [m/s^2] how far the accelerations are from those of contacts that go on as they are: normal ones, and tangential ones of the still. */
double jn_grip_departure(const jn_grip *g);

#endif
