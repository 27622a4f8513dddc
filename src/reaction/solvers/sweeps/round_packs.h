/* Round contacts in packs: what their rows say, and the memory of the solver. */
#ifndef JN_REACTION_ROUND_PACKS_H
#define JN_REACTION_ROUND_PACKS_H

#include "reaction/problem/problem.h"
#include "reaction/problem/round_row.h"
#include "reaction/solvers/sweeps/colour.h"
#include "reaction/solvers/sweeps/round.h"
#include "reaction/solvers/sweeps/round_lanes.h"
#include "reaction/solvers/variants.h"
#include <string.h>

enum { SIX = 6 }; /* velocities of a body */

/* Sixteen contacts: c = q + v1 + rho1 w1 x n - v0 - rho0 w0 x n + compliance f is the velocity at the contact, f on body 1 and -f on body 0 its impulse, both in
 * the axes of the rows' directions. An empty lane, and body 0 of a contact with one body, is the body that does not move. */
typedef struct jn_round_pack {
    jn_wide16 n[3]; /* normal; at the impulses for which velocities were last summed: */
    jn_wide16 q,
        slip[3]; /* normal and tangential part of c, apart: a fast slip rounds nothing of the normal velocity; */
    jn_wide16 load, base[3];   /* normal and tangential part of these impulses; */
    jn_wide16 inside;          /* their mu^2 f_N^2 - |f_T|^2 */
    jn_wide16 rho[2];          /* [m] arms along the normal */
    jn_wide16 light[2];        /* 1/mass */
    jn_wide16 spin[2];         /* rho over the moment of inertia */
    jn_wide16 normal, tangent; /* 1/W_NN, 1/W_TT */
    jn_wide16 mu, weight;      /* mean of the diagonal of W_ii: 1/mass of jn_problem_masses */
    jn_wide16 compliance;           /* as in jn_problem, part of W_ii */
    uint32_t body[2][LANES];   /* [bytes] places of their rows, in the order of those that gather() transposes */
    int contact[LANES];        /* number in the problem, -1: empty */
    bool open;                 /* all were open when the error was computed last: sweeps leave them out */
} jn_round_pack;

/* The same in double precision. q: of the problem. */
typedef struct jn_round_exact {
    double n[3][LANES], q[3][LANES], rho[2][LANES], mu[LANES], compliance[LANES], mass[LANES];
    int body[2][LANES];
} jn_round_exact;

/* Of one contact, as it is read: all that goes into its lane of a pack. */
typedef struct jn_round_contact {
    double n[3], q[3], rho[2], mu, compliance;
    double f[3], best[3], before[3]; /* impulses, as jn_round has them, while packs are filled */
    float light[2], spin[2];         /* as in jn_round_pack, these */
    float normal, tangent, weight;   /* too */
    int body[2];
    int contact; /* number in the problem, -1: of an empty lane */
} jn_round_contact;

/* Impulses of a pack in the axes of the rows' directions. */
typedef struct jn_round_impulses {
    double f[3][LANES];
} jn_round_impulses;

/* A large island is halved again and again, so that contacts of different parts share no body: they are swept at the same time, and those between two
 * halves after both. Nodes of this tree as in a heap: 1 is the root, 2n and 2n + 1 are below n, and the last s->parts are parts. What is computed depends on the parts,
 * not on the threads. */
enum { JN_PARTS = 8, JN_PART_NODES = 2 * JN_PARTS };

/* What errors of some packs are. */
typedef struct jn_round_look {
    jn_wide16 most, fastest; /* [m^2/s^2] squares of errors, and of the slips of contacts with an impulse, by lanes */
    int watched;             /* packs with an error that is too large: the first of s->watch from the first pack on */
} jn_round_look;

typedef struct jn_round_swept {
    double change, turn; /* sum of |df|^2/mass; sum of -df.(f - before)/mass: positive where the sweep goes back */
} jn_round_swept;

/* The same by lanes. */
typedef struct jn_round_sums {
    jn_wide16 change, turn;
} jn_round_sums;

/* Contacts of a part, or between two of them. */
typedef struct jn_round_node {
    int first, end;      /* packs; those of the next node begin where no more of this one can be */
    int body, last_body; /* of a part: its bodies, the last one excluded */
    int order, contacts; /* place of the first contact in s->order, and their number */
    jn_round_sums swept; /* of its last sweep */
    jn_round_look look;
    int changed;  /* contacts that have become loaded or not */
    double exact; /* [m^2/s^2] square of the error in double precision */
} jn_round_node;

typedef struct jn_round {
    const jn_problem *problem;
    jn_pool *pool;            /* NULL: one thread */
    int parts;                /* a power of two */
    int bodies;               /* rows of bodies that move; behind them one that does not, for each node */
    int shift;                /* first velocity of the first body */
    int capacity;             /* packs */
    jn_round_pack *at;        /* (capacity) */
    jn_round_exact *exact;    /* (capacity) */
    double *light, *inverse;  /* (rows) 1/mass, 1/moment of inertia */
    jn_round_impulses *total; /* (capacity) impulses for which velocities were last summed */
    double (*sum)[SIX];       /* (rows) these velocities */
    jn_row8 *v, *v_before;    /* (rows) change of velocities since then: v 0 w 0 */
    jn_wide16 *f,
        *before; /* (3 capacity) change of impulses since then: after the last sweep, and after the one before */
    jn_colouring colours;
    int *colour;             /* (contacts) */
    int *order;              /* (contacts) by nodes, then by colours */
    uint64_t *taken;         /* (velocities, and at least rows) scratch of colours and packs */
    int *graph;              /* (jn_round_graph) scratch of parts */
    float ahead;             /* part of the way from the last sweep by which this one starts beyond it */
    bool is_best;            /* s->total are the impulses with the least error; else */
    jn_round_impulses *best; /* (capacity) impulses with the least error, */
    double least;            /* [m/s] which is this */
    double rounding;         /* [m/s] what rounding leaves of the error, as computed last */
    float allowed;           /* [m^2/s^2] square of the tolerance */
    int *watch;              /* (capacity) packs whose errors were too large when they were computed last */
    int watched;             /* of them, the first that were not seen smaller since */
    jn_round_contact *read;  /* (contacts) in the problem's order */
    bool *loaded;            /* (contacts) with an impulse, or without one but not separating */
    double *spare;           /* (3 contacts) impulses in the rows' directions, of patches */
    double *mean;            /* (3 contacts) sum of impulses in the axes of the rows' directions, */
    int means;               /* of so many looks at errors */
    jn_round_node node[JN_PART_NODES];
} jn_round;

/* Rows of bodies that s->bodies may need for so many bodies, and with those that do not move. Two rows share a line of the cache: parts begin with lines of
 * their own. */
static inline int jn_round_rows(int bodies) { return bodies + 2 * JN_PARTS + 2 * JN_PART_NODES; }
/* The body that does not move, of a node. */
static inline int jn_round_still(const jn_round *s, int node) { return s->bodies + 2 * node; }

static inline double dot(const double *a, const double *b) { return jn_row_dot(a, b); }
static inline void cross(const double *a, const double *b, double *c) { jn_row_cross(a, b, c); }

/* Directions of the rows: the linear part on the last body. */
static inline void take_directions(const jn_problem *problem, int i, double d[3][3]) {
    if (problem->round) {
        memcpy(d, problem->round[i].d, sizeof problem->round[i].d);
        return;
    }
    const double *h = problem->H->value + 3 * (size_t)(problem->H->start[i + 1] - SIX);
    for (int r = 0; r < 3; r++)
        for (int l = 0; l < 3; l++) d[r][l] = h[3 * l + r];
}

/* Reads the rows and the impulses p of a guess into s->read; false where a contact is not round. O(entries). */
bool jn_round_read(jn_round *s, const double *p);
/* The same of rows that are known as round, where the caller shares the work: 1/mass and 1/moment of inertia of the bodies, and some of the contacts. */
void jn_round_read_bodies(jn_round *s);
void jn_round_read_some(jn_round *s, const double *p, int from, int to);
/* Halves a large island and orders its bodies by parts (round_parts.c), after it was read. O(contacts). */
size_t jn_round_graph(int contacts, int bodies); /* [ints] */
void jn_round_part(jn_round *s);
/* Packs of a node's contacts that share no body, first of those that are s->loaded, with the impulses of s->read. O(contacts). */
void jn_round_fill(jn_round *s, int node);

/* Of round_sums.c, a node at a time, in double precision: impulses with their changes, and the momenta that they give to bodies; velocities of a part's bodies from these;
 * velocities and impulses from which sweeps count; the square of the speed error into node->exact. */
void jn_round_sum_node(jn_round *s, int node);
void jn_round_take_velocities(jn_round *s, int node);
void jn_round_take_bases(jn_round *s, int node);
void jn_round_take_exact(jn_round *s, int node);
/* Adds impulses with their changes to s->mean, the first of them where s->means is 0; and takes the mean in place of the impulses. */
void jn_round_add_to_mean(jn_round *s, int node);
void jn_round_take_mean(jn_round *s, int node);

/* Of round_kernels.c, by processor. Packs once, one after the other, but for those that were open; what changed into `sum`. */
void jn_round_sweep(jn_round *s, int first, int end, jn_round_sums *sum);
JN_VARIANTS_OF(void, jn_round_sweep, (jn_round * s, int first, int end, jn_round_sums *sum))
/* Velocities of bodies from which the next sweep starts, beyond those of the last one. */
void jn_round_extrapolate(jn_round *s, int body, int end);
JN_VARIANTS_OF(void, jn_round_extrapolate, (jn_round * s, int body, int end))
/* Speed errors as single precision sees them, and the fastest slip of a contact with an impulse: what rounds them. Packs without impulses, now and before,
 * whose contacts separate are left out of sweeps until the next call. */
void jn_round_look_at(jn_round *s, int first, int end, jn_round_look *look);
JN_VARIANTS_OF(void, jn_round_look_at, (jn_round * s, int first, int end, jn_round_look *look))
/* Whether squares of errors are `allowed` in all packs that are watched, one after the other: O(1) while the first is not. */
bool jn_round_meets(jn_round *s, float allowed);
JN_VARIANTS_OF(bool, jn_round_meets, (jn_round * s, float allowed))

#endif
