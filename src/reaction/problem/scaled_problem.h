/* What the solvers of the contact problem share: the scaled problem, small matrices, and a sparse factorisation. */
#ifndef JN_REACTION_PROBLEM_SCALED_PROBLEM_H
#define JN_REACTION_PROBLEM_SCALED_PROBLEM_H

#include "reaction/solvers/solvers.h"

/* ------------------------------------------------------------------------------------------- the scaled problem */

/* p_i = scale_i unit y_i for contact i, with scale_i = 1/sqrt(mean diagonal of W_ii): every diagonal block of S W S has mean
 * diagonal 1, and |S q| = unit. A scalar per contact keeps the cones and De Saxce's correction, so y solves the same kind
 * of problem, without units. */
typedef struct jn_scaled {
    int d, nc, n;
    bool symmetric;      /* W = W^T to rounding: public problems need not be */
    int *start, *column; /* blocks of S W S by rows */
    double *W;           /* (blocks x d x d) */
    double *q;           /* (n) S q/unit */
    double *scale;       /* (nc) */
    double *mu;          /* (nc) 0 where d = 1 */
    double unit;
    double *p, *u;   /* (n) in the problem's own units, for its residual */
    int *sorting;    /* scratch of jn_blocks_form */
    size_t capacity; /* blocks */
} jn_scaled;

/* Room for blocks of W: those it has or, where it comes from H and Y, as many as a problem of this size should have. */
size_t jn_scaled_blocks(const jn_problem *problem);
/* Room for the blocks of a factor. */
size_t jn_scaled_fill(const jn_problem *problem);
void jn_scaled_layout(const jn_problem *problem, jn_scratch *s, jn_scaled *out);
/* Scales the problem and the first guess p -> y. JN_ERR_NUMERIC: a contact that cannot move, or q is not finite; JN_ERR_LIMIT:
 * more blocks than there is room for. O(blocks). */
int jn_scaled_start(const jn_problem *problem, jn_scaled *s, const double *p, double *y);
void jn_scaled_finish(const jn_scaled *s, const double *y, double *p);
/* Its matrix. */
static inline jn_blocks jn_scaled_matrix(const jn_scaled *s) { return (jn_blocks){s->start, s->column, s->W}; }
/* u = W y + q. */
void jn_scaled_velocity(const jn_scaled *s, const double *y, double *u);
/* Residual of the problem in its own units, at y and u = W y + q. O(n). */
double jn_scaled_residual(const jn_problem *problem, const jn_scaled *s, const double *y, const double *u);

/* ------------------------------------------------------------------------------------------------- small matrices */

enum { JN_BLOCK = 6 }; /* largest block of a factorisation */
/* Inverse of a small square matrix, row by row. Returns false where there is none. */
bool jn_small_invert(int d, const double *a, double *inverse);

/* ------------------------------------------------------------------------------------------------- factorisation */

/* Block LU factors of J = A W + B with A, B block diagonal: the order of least degree over the rows of blocks, which are contacts or bodies, pivots inside
 * diagonal blocks alone. Fill is found once per pattern; a contact that is not active is left out with its row and column. */
typedef struct jn_block_lu {
    int d, nc;
    int words;               /* of 64 bits in a row of the pattern */
    uint64_t *bits, *member; /* (nc x words), (words) */
    int *order, *place;      /* position -> contact, contact -> position */
    int *degree, *parent;    /* (nc) */
    int *run_start, *run;    /* (nc + 1), pairs (first position, count) of U's rows */
    int *left_start, *left;  /* (nc + 1), (fill) positions k < i with L_ik != 0 */
    int *left_at;            /* (fill) where block (k, i) stands in row k of U */
    size_t *row_start;       /* (nc + 1) first block of U's rows */
    size_t capacity;         /* blocks off the diagonal in U */
    double *U, *L;           /* (capacity x d x d) */
    double *D, *inverse;     /* (nc x d x d) */
    double *w;               /* (d x d nc) row in work, columns as in U */
    double *x;               /* (d nc) */
    bool *active;            /* (nc) by position, of the last factorisation */
    bool symmetric;
} jn_block_lu;

void jn_block_lu_layout(int d, int nc, size_t room, jn_scratch *s, jn_block_lu *lu); /* room: blocks of U at most */
/* Order and fill. JN_ERR_LIMIT if the fill does not fit. */
int jn_block_lu_analyse(jn_block_lu *lu, const int *start, const int *column);
/* A, B: (nc x d x d) or NULL for the identity and zero; active: (nc) or NULL. symmetric: J is, and half the work will do.
 * Returns JN_OK or JN_ERR_NUMERIC at a singular diagonal block. */
int jn_block_lu_factor(jn_block_lu *lu, const jn_blocks *W, const double *A, const double *B, const bool *active,
                       bool symmetric);
/* x = J^-1 b; rows of contacts that are not active keep b. b and x may be the same. */
void jn_block_lu_solve(jn_block_lu *lu, const double *b, double *x);

/* Contacts up to which solvers factor matrices. */
enum { JN_FACTOR_CONTACTS = 4096 };

/* ---------------------------------------------------------------------------------------------- Newton's method */

/* Alart and Curnier's function of one contact, r (2) for the normal and across it: F_N = p_N - max(0, p_N - r u_N),
 * F_T = p_T - P(p_T - r u_T; disc of radius mu max(0, p_N - r u_N)) [Alart1991]. */
void jn_alart_value(int d, double mu, const double *r, const double *p, const double *u, double *F);
/* dF = A du + B dp. Returns whether the contact takes part: an open one says p = 0, and has neither. */
bool jn_alart_slope(int d, double mu, const double *r, const double *p, const double *u, double *A, double *B);

/* Semi-smooth Newton iteration on Alart and Curnier's function, of W + alpha 1 and q - alpha anchor. */
typedef struct jn_newton {
    jn_scaled *s;
    jn_block_lu *lu;
    double alpha;         /* proximal parameter, in units of W's diagonal */
    const double *anchor; /* (n) or NULL with alpha = 0 */
    double damping;       /* added to W's diagonal in Newton's matrix alone: redundant contacts */
    double *r;            /* (nc x 2) */
    double *A, *B;        /* (nc x d x d) */
    double *F, *u;        /* (n) at y */
    double *dy, *trial, *F_trial, *u_trial;
    bool *active;
} jn_newton;

void jn_newton_layout(jn_scratch *s, jn_scaled *scaled, jn_block_lu *lu, jn_newton *newton);
/* Sets alpha and the parameters r = factor/(W_ii + alpha). */
void jn_newton_start(jn_newton *newton, double alpha, double factor);
/* Function and velocity at y. Returns |F|. */
double jn_newton_value(jn_newton *newton, const double *y, double *u, double *F);
/* One step from y, whose velocity and function stand in `newton`, with halvings until |F| < allowed. Returns the new |F|, of
 * the best halving where none is allowed, or NaN where no step was found. One factorisation, 2 to 12 products. */
double jn_newton_step(jn_newton *newton, double *y, double allowed);

#endif
