/* The velocities that a few contacts share, dense: rows of the contacts in them, and Newton's matrix over them. */
#ifndef JN_REACTION_SOLVERS_SHARED_VELOCITIES_H
#define JN_REACTION_SOLVERS_SHARED_VELOCITIES_H

#include "algebra/four.h"
#include "reaction/problem/problem.h"
#include "reaction/solvers/variants.h"
#include <stdint.h>

enum {
    JN_SHARED = 64,
    JN_SHARED_WIDE = 192,
    JN_SHARED_FEW = 32
}; /* velocities at most; where steps may cost more; so few that none are left out */
_Static_assert(JN_SHARED_WIDE <= 8 * 32, "a bit stands for eight velocities");

typedef struct jn_shared {
    const jn_problem *problem;
    int d, nc, nv;   /* rows of a contact, contacts, velocities */
    int most;        /* velocities that there is room for, a multiple of eight */
    int pitch;       /* velocities in memory, a multiple of eight */
    int deep;        /* rows of all contacts in memory, a multiple of eight */
    int *place;      /* (velocities of the problem) place among them or -1 */
    const int *dof;  /* (entries) of the rows, those of the problem where places are velocities */
    int *dof_own;
    bool ascending;  /* of each contact they ascend */
    bool same;       /* both rows are */
    bool is_packed;  /* dense rows and columns are not there yet: jn_shared_spread */
    int *rows;       /* (nc) of a contact that count in C: the normal alone without friction */
    uint32_t *parts; /* (nc) in which eights of velocities its rows have entries, bit by bit; not of few */
    uint32_t *row_parts; /* (nv) the same of the rows of K */
    double *given;   /* (nc) mobility of a normal row that is a velocity of its own (jn_shared_given), else 0 */
    double *H;       /* (nc d x pitch) rows */
    const double *Y; /* (nc d x pitch) maybe the same */
    double *Y_own;
    double *columns; /* (nv x deep) H^T */
    double *K, *L;   /* (nv x pitch) Newton's matrix, transposed, and its factors */
    double *inverse; /* (pitch) of its pivots */
} jn_shared;

/* Whether sums run over all velocities: which eights of them have entries is not asked then. */
static inline bool jn_shared_is_few(const jn_shared *s) { return s->pitch <= JN_SHARED_FEW; }

/* Numbers eight at a time, where they stand. */
typedef double jn_lanes __attribute__((vector_size(64), aligned(8), may_alias));
#define JN_LANES(x) (*(jn_lanes *)(void *)(x))
#define JN_LANES_OF(x) (*(const jn_lanes *)(const void *)(x))

/* Row r of contact i times v, and v += factor row. */
static inline double jn_shared_dot_row(const jn_shared *s, const double *rows, int i, int r, const double *v) {
    const double *row = rows + (i * s->d + r) * s->pitch;
    jn_four x = {0}, y = {0}; /* halves, which narrow processors keep in registers too */
    for (int k = 0; k < s->pitch; k += 8) {
        x += JN_FOUR_OF(row + k) * JN_FOUR_OF(v + k);
        y += JN_FOUR_OF(row + k + 4) * JN_FOUR_OF(v + k + 4);
    }
    x += y;
    return (x[0] + x[2]) + (x[1] + x[3]);
}

static inline void jn_shared_add_row(const jn_shared *s, const double *rows, int i, int r, double factor, double *v) {
    const double *row = rows + (i * s->d + r) * s->pitch;
    for (int k = 0; k < s->pitch; k += 8) JN_LANES(v + k) += factor * JN_LANES_OF(row + k);
}

/* Contact i has a normal row in a velocity that nothing else moves, H Y = the mobility that is returned, and its normal impulse is known: dry
 * friction of joints has such rows. 0: another contact. */
double jn_shared_given(const jn_problem *problem, int i);
/* Velocities without those. */
int jn_shared_velocities(const jn_problem *problem);
/* Whether both rows of a problem have the same entries. */
bool jn_shared_suits(const jn_problem *problem);
void jn_shared_layout(const jn_problem *problem, int most, jn_scratch *m, jn_shared *s);
/* Numbers the velocities; false where they are too many. */
bool jn_shared_start(jn_shared *s);
/* Dense rows and columns, for what follows but the next three, which take the rows as they stand before: a guess that stays as it is needs no more. */
void jn_shared_spread(jn_shared *s);
/* W (nc d): diagonal of W. */
void jn_shared_diagonals(const jn_shared *s, double *W);
/* v (pitch) = Y^T p, u (deep) = H v. */
void jn_shared_scatter(const jn_shared *s, const double *p, double *v);
void jn_shared_gather(const jn_shared *s, const double *v, double *u);
/* Factors of 1 + Y^T C H with C (nc d x d) by contacts, of the rows that count (of those with given normals the first tangent), from the last velocity to the first: on ways through a
 * tree nothing fills in [Featherstone2008, 6.5]. Pivots stand on the diagonal. O(nv^3/3) at most. */
bool jn_shared_factor(jn_shared *s, const double *C);
/* x (pitch) becomes (1 + Y^T C H)^-1 x; zeros stand behind nv. */
void jn_shared_solve(const jn_shared *s, double *x);

/* Of shared_kernels.c, by processor. */
JN_VARIANTS_OF(void, jn_shared_scatter, (const jn_shared *s, const double *p, double *v))
JN_VARIANTS_OF(void, jn_shared_gather, (const jn_shared *s, const double *v, double *u))
JN_VARIANTS_OF(bool, jn_shared_factor, (jn_shared * s, const double *C))
JN_VARIANTS_OF(void, jn_shared_solve, (const jn_shared *s, double *x))

#endif
