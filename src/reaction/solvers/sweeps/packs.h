/* Contacts between free bodies in space, eight at a time: contacts that share no body stand in the lanes of vectors, in the order
 * in which sweeps visit them. */
#ifndef JN_REACTION_SOLVERS_PACKS_H
#define JN_REACTION_SOLVERS_PACKS_H

#include "reaction/problem/problem.h"
#include "reaction/solvers/sweeps/colour.h"
#include "reaction/solvers/variants.h"

enum { JN_LANES_OF_PACK = 8 };
typedef double jn_wide __attribute__((vector_size(64), may_alias, aligned(8))); /* scratch comes as malloc aligns it */

/* Up to eight contacts with one or two bodies of six velocities each; an empty lane has H = 0 and never takes an impulse. */
typedef struct jn_pack {
    jn_wide H[2][3][6];            /* by bodies */
    jn_wide W[9], q[3];            /* W_ii */
    jn_wide inverse, n1, n2;       /* as in jn_local */
    jn_wide t1, t2, a, b, c, e;    /* the same */
    jn_wide stick, mu, alpha;      /* the same */
    jn_wide weight, compliance;         /* 1/mass of jn_problem_masses; as in jn_problem */
    int body[2][JN_LANES_OF_PACK]; /* slots of the bodies */
    int contact[JN_LANES_OF_PACK]; /* number in the problem, -1: empty */
    bool pair;                     /* a contact with a second body is among them */
    bool open;                     /* all were open when the error was computed last: sweeps leave them out */
} jn_pack;

typedef struct jn_packs {
    const jn_problem *problem;
    int count, capacity, slots; /* packs; bodies, and one that does not move */
    int first_dof;              /* of the first slot */
    jn_pack *at;                /* (capacity) */
    jn_wide (*Y)[2][3][6];      /* (capacity) where Y is not H times a number per velocity */
    bool scaled;                /* Y = H times a number per velocity: inertia is a multiple of 1 in each body */
    jn_wide *scale;             /* (slots + 1) that number */
    int first[JN_COLOURS + 1];  /* packs before each colour */
    double exact;               /* relative correction of a slip that is left to the next sweep */
} jn_packs;

/* What a sweep changed. */
typedef struct jn_swept {
    double change; /* sum of |dp|^2/mass */
    double turn;   /* sum of -dp.(p - before)/mass: positive where the sweep goes back against the last one */
    double seen;   /* sum of |dp|^2 as the residual sees it */
} jn_swept;

/* Every contact has one or two bodies of six velocities that follow each other, beginning at the same number modulo six. */
bool jn_packs_suit(const jn_problem *problem);
void jn_packs_layout(const jn_problem *problem, jn_scratch *s, jn_packs *packs);
/* Copies the contacts by colours, in each those with an impulse p first. diagonal (contacts x 9): W_ii. False where bodies have too many contacts
 * for full packs. O(entries). */
bool jn_packs_fill(const jn_problem *problem, const jn_colouring *colours, const double *diagonal, const double *p,
                   jn_packs *packs);
/* Impulses between the problem's order and lanes: x (3 per pack). */
void jn_packs_take(const jn_packs *packs, const double *p, jn_wide *x);
void jn_packs_give(const jn_packs *packs, const jn_wide *x, double *p);
/* v (slots + 1) = Y^T x. */
void jn_packs_impulse(const jn_packs *packs, const jn_wide *x, jn_wide *v);
/* Every contact of the packs [begin, end) once, but for packs that were open, solved exactly for the impulses of the others; v = Y^T x goes along. before: x
 * after the last sweep. */
jn_swept jn_packs_sweep(jn_packs *packs, int begin, int end, const jn_wide *before, jn_wide *x, jn_wide *v);
/* Natural map at x, whose v = Y^T x is given: with `speed` its largest over the contacts in m/s, else its norm without masses. Packs
 * without impulses, now and before, whose contacts separate are left out of sweeps until the next call. */
double jn_packs_error(jn_packs *packs, bool speed, const jn_wide *before, const jn_wide *x, const jn_wide *v);

/* Of packs_kernels.c, by processor. */
JN_VARIANTS_OF(void, jn_packs_impulse, (const jn_packs *packs, const jn_wide *x, jn_wide *v))
JN_VARIANTS_OF(jn_swept, jn_packs_sweep,
               (jn_packs * packs, int begin, int end, const jn_wide *before, jn_wide *x, jn_wide *v))
JN_VARIANTS_OF(double, jn_packs_error,
               (jn_packs * packs, bool speed, const jn_wide *before, const jn_wide *x, const jn_wide *v))

#endif
