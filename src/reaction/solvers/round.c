/* Sweeps over round contacts. */
#include "reaction/solvers/round.h"
#include "reaction/solvers/colour.h"
#include "reaction/solvers/patch.h"
#include <math.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum {
    SIX = 6,
    LANES = 16,
    CHUNK = 8,     /* packs that one thread sweeps at a time */
    LOOK = 4,      /* sweeps after which the error may be computed, where their changes are small, */
    SELDOM = 8,    /* and where they are not */
    REFRESH = 128, /* sweeps after which velocities are summed anew in any case */
    PATIENCE = 256, /* sweeps without progress after which as many go without momentum */
    STALLED = 256,  /* sweeps in which errors have not been halved: patches, */
    RINGS = 2,      /* first with bodies so many contacts away, */
    MOST_RINGS = 6, /* at last; */
    BUDGET = 800    /* Newton iterations on patches, of one problem */
};
static const double LIKE = 1e-12;   /* relative difference of numbers that are the same */
static const double NEARLY = 1.5; /* times the tolerance: changes of a sweep are small [m/s] */
static const double FALL = 0.1;     /* of the error since velocities were summed: they are summed anew */
static const float GROWTH = 1.5f;   /* of the change over its least: momentum was too large */
static const float LEFT = 0.7f;     /* of the momentum after that */

typedef float wide __attribute__((vector_size(64), may_alias));
typedef float row __attribute__((vector_size(32), may_alias));
typedef int mask __attribute__((vector_size(64)));

/* Sixteen contacts: c = q + v1 + rho1 w1 x n - v0 - rho0 w0 x n is the velocity at the contact, f on body 1 and -f on body 0 its impulse, both in
 * the axes of the rows' directions. An empty lane, and body 0 of a contact with one body, is the body that does not move. */
typedef struct pack {
    wide n[3], q[3];       /* normal; c at the impulses for which velocities were last summed, */
    wide base[3], inside;  /* these impulses; their mu^2 f_N^2 - |f_T|^2 */
    wide rho[2];           /* [m] arms along the normal */
    wide light[2];         /* 1/mass */
    wide spin[2];          /* rho over the moment of inertia */
    wide normal, tangent;  /* 1/W_NN, 1/W_TT */
    wide mu, weight;       /* mean of the diagonal of W_ii: 1/mass of jn_problem_masses */
    uint32_t body[2][LANES]; /* [bytes] places of their rows, in the order of those that gather() transposes */
    int contact[LANES];    /* number in the problem, -1: empty */
    bool open;             /* all were open when the error was computed last: sweeps leave them out */
} pack;

/* The same of one contact in double precision, in the order of packs. */
typedef struct contact {
    double n[3], q[3], rho[2]; /* q: of the problem */
    int body[2];
} contact;

typedef struct swept {
    double change, turn; /* sum of |df|^2/mass; sum of -df.(f - before)/mass: positive where the sweep goes back */
    double most;         /* largest |df|^2/mass^2 [m^2/s^2] */
} swept;

/* The same by lanes. */
typedef struct sums {
    wide change, turn, most;
} sums;

typedef struct solver {
    const jn_problem *problem;
    jn_pool *pool;
    int bodies;          /* and one that does not move behind them */
    int shift;           /* first velocity of the first body */
    int count, capacity; /* packs */
    pack *at;            /* (capacity) */
    contact *one;        /* (capacity x LANES) */
    double *light, *inverse; /* (bodies + 1) 1/mass, 1/moment of inertia */
    double (*total)[3];  /* (capacity x LANES) impulses for which velocities were last summed */
    double (*sum)[SIX];  /* (bodies + 1) these velocities */
    row *v, *v_before;   /* (bodies + 1) change of velocities since then: v 0 w 0 */
    wide *f, *before;    /* (3 capacity) change of impulses since then: after the last sweep, and after the one before */
    sums *part;          /* (capacity) of each chunk */
    jn_colouring colours;
    int first[JN_COLOURS + 1]; /* packs before each colour */
    int chunk[JN_COLOURS + 1]; /* chunks before each colour */
    float ahead;         /* part of the way from the last sweep by which this one starts beyond it */
    double (*best)[3], least; /* (capacity x LANES) impulses with the least error */
    double *spare;       /* (3 contacts) */
} solver;

/* ---------------------------------------------------------------------------------------------------------- lanes */

static inline wide all(float x) { return (wide){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }
static inline wide choose(mask where, wide a, wide b) { return (wide)(((mask)a & where) | ((mask)b & ~where)); }
static inline wide larger(wide a, wide b) { return choose(a > b, a, b); }
static inline wide root(wide x) {
#ifdef __AVX512F__
    return (wide)_mm512_sqrt_ps((__m512)x);
#else
    for (int k = 0; k < LANES; k++) x[k] = sqrtf(x[k]);
    return x;
#endif
}
static inline double total(wide x) {
    double sum = 0;
    for (int k = 0; k < LANES; k++) sum += (double)x[k];
    return sum;
}
static inline float largest(wide x) {
    float most = 0;
    for (int k = 0; k < LANES; k++) most = x[k] > most ? x[k] : most;
    return most;
}

#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define SECOND(a, b) __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)

/* Row of a lane: what the transposition below makes of them. */
static int row_of(int lane) { return lane < 4 || lane >= 12 ? lane : lane < 8 ? lane + 4 : lane - 4; }

/* Row of a body, by its place in bytes. */
static inline row *row_at(const row *v, uint32_t place) { return (row *)(void *)((char *)(uintptr_t)v + place); }

static inline wide two_rows(const row *v, const uint32_t *body, int k) {
    row a = *row_at(v, body[k]), b = *row_at(v, body[k + 8]);
#ifdef __AVX512F__
    __m512d low = _mm512_castpd256_pd512((__m256d)a);
    return (wide)_mm512_insertf64x4(low, (__m256d)b, 1);
#else
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

/* Velocities of sixteen bodies: x[0..2] linear, x[3..5] angular. */
static inline void gather(const row *v, const uint32_t *body, wide x[6]) {
    wide t[2][3];
    for (int half = 0; half < 2; half++) {
        wide a = two_rows(v, body, 4 * half), b = two_rows(v, body, 4 * half + 1);
        wide c = two_rows(v, body, 4 * half + 2), d = two_rows(v, body, 4 * half + 3);
        wide ab = LOW(a, b), cd = LOW(c, d);
        t[half][0] = LOW_PAIR(ab, cd), t[half][1] = HIGH_PAIR(ab, cd), t[half][2] = LOW_PAIR(HIGH(a, b), HIGH(c, d));
    }
    for (int k = 0; k < 3; k++) x[k] = EVEN(t[0][k], t[1][k]), x[3 + k] = ODD(t[0][k], t[1][k]);
}

static inline void give_two(row *v, const uint32_t *body, int k, wide x) {
    *row_at(v, body[k]) = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
    *row_at(v, body[k + 8]) = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The reverse. */
static inline void scatter(row *v, const uint32_t *body, const wide x[6]) {
    wide none = all(0);
    for (int half = 0; half < 2; half++) {
        wide t[3];
        for (int k = 0; k < 3; k++) t[k] = half ? SECOND(x[k], x[3 + k]) : FIRST(x[k], x[3 + k]);
        wide low = LOW(t[0], t[1]), high = HIGH(t[0], t[1]), low2 = LOW(t[2], none), high2 = HIGH(t[2], none);
        give_two(v, body, 4 * half, LOW_PAIR(low, low2)), give_two(v, body, 4 * half + 1, HIGH_PAIR(low, low2));
        give_two(v, body, 4 * half + 2, LOW_PAIR(high, high2)), give_two(v, body, 4 * half + 3, HIGH_PAIR(high, high2));
    }
}

/* ---------------------------------------------------------------------------------------------------------- setup */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Directions of the rows: the linear part on the last body. */
static inline void take_directions(const jn_problem *problem, int i, double d[3][3]) {
    const double *h = problem->H->value + 3 * (size_t)(problem->H->start[i + 1] - SIX);
    for (int r = 0; r < 3; r++)
        for (int l = 0; l < 3; l++) d[r][l] = h[3 * l + r];
}

/* Y = H times a number for three velocities, which is found in the first rows of a body. */
static inline bool is_scaled(const double *h, const double *y, double *scale) {
    double hh = 0, off = 0;
    for (int e = 0; e < 9; e++) hh += h[e] * h[e];
    if (*scale == 0 && hh > 0) {
        double hy = 0;
        for (int e = 0; e < 9; e++) hy += h[e] * y[e];
        *scale = hy / hh;
    }
    for (int e = 0; e < 9; e++) off += (y[e] - *scale * h[e]) * (y[e] - *scale * h[e]);
    return off <= LIKE * LIKE * *scale * *scale * hh;
}

/* Whether the rows of one body of a contact are sign times the directions, with an arm rho along the normal. */
static inline bool is_round(const double *h, double sign, double d[3][3], double *rho) {
    double expected[2][3], off = 0, turned = 0;
    cross(d[0], d[1], expected[0]), cross(d[0], d[2], expected[1]);
    *rho = 0;
    for (int l = 0; l < 3; l++) *rho += sign * expected[0][l] * h[9 + 3 * l + 1];
    for (int l = 0; l < 3; l++) {
        const double *turn = h + 9 + 3 * l;
        for (int r = 0; r < 3; r++) off += (h[3 * l + r] - sign * d[r][l]) * (h[3 * l + r] - sign * d[r][l]);
        turned += turn[0] * turn[0];
        for (int r = 1; r < 3; r++) {
            double x = turn[r] - sign * *rho * expected[r - 1][l];
            turned += x * x;
        }
    }
    return off <= LIKE * LIKE && turned <= LIKE * LIKE * *rho * *rho;
}

/* Whether the directions are orthogonal, of length 1. */
static inline bool is_frame(double d[3][3]) {
    double off = 0;
    for (int r = 0; r < 3; r++)
        for (int l = 0; l <= r; l++) {
            double x = dot(d[r], d[l]) - (r == l);
            off += x * x;
        }
    return off <= LIKE * LIKE;
}

static int slot(const solver *s, int dof) { return (dof - s->shift) / SIX; }

static bool read_contact(solver *s, int i, contact *c) {
    const jn_problem *problem = s->problem;
    int from = problem->H->start[i], bodies = (problem->H->start[i + 1] - from) / SIX;
    double d[3][3];
    take_directions(problem, i, d);
    if (!is_frame(d)) return false;
    c->rho[0] = 0, c->body[0] = s->bodies, c->body[1] = slot(s, problem->H->dof[problem->H->start[i + 1] - SIX]);
    if (bodies > 1) c->body[0] = slot(s, problem->H->dof[from]);
    for (int k = 2 - bodies; k < 2; k++) {
        size_t at = 3 * (size_t)(from + (k - 2 + bodies) * SIX);
        const double *h = problem->H->value + at, *y = problem->Y->value + at;
        if (!is_round(h, k ? 1 : -1, d, &c->rho[k])) return false;
        if (!is_scaled(h, y, &s->light[c->body[k]]) || !is_scaled(h + 9, y + 9, &s->inverse[c->body[k]])) return false;
    }
    for (int l = 0; l < 3; l++) {
        c->n[l] = d[0][l], c->q[l] = 0;
        for (int r = 0; r < 3; r++) c->q[l] += problem->q[3 * i + r] * d[r][l];
    }
    return true;
}

static void put(solver *s, int i, const contact *c, const double *p, int k, int lane) {
    pack *to = &s->at[k];
    double d[3][3], W[2] = {0, 0};
    take_directions(s->problem, i, d);
    s->one[LANES * k + lane] = *c;
    for (int l = 0; l < 3; l++) {
        to->n[l][lane] = (float)c->n[l];
        s->total[LANES * k + lane][l] = p[3 * i] * d[0][l] + p[3 * i + 1] * d[1][l] + p[3 * i + 2] * d[2][l];
    }
    for (int b = 0; b < 2; b++) {
        double light = s->light[c->body[b]], inverse = s->inverse[c->body[b]];
        to->rho[b][lane] = (float)c->rho[b], to->light[b][lane] = (float)light;
        to->spin[b][lane] = (float)(c->rho[b] * inverse);
        W[0] += light, W[1] += light + c->rho[b] * c->rho[b] * inverse;
        to->body[b][row_of(lane)] = (uint32_t)c->body[b] * (uint32_t)sizeof(row);
    }
    to->normal[lane] = (float)(1 / W[0]), to->tangent[lane] = (float)(1 / W[1]);
    to->mu[lane] = (float)s->problem->mu[i], to->weight[lane] = (float)((W[0] + 2 * W[1]) / 3);
    to->contact[lane] = i;
}

static void begin_pack(solver *s, int k) {
    pack *to = &s->at[k];
    memset(to, 0, sizeof *to);
    to->weight = to->normal = to->tangent = all(1);
    for (int l = 0; l < 3; l++) s->f[3 * k + l] = s->before[3 * k + l] = all(0);
    memset(s->total[LANES * k], 0, LANES * sizeof *s->total);
    for (int lane = 0; lane < LANES; lane++) {
        to->contact[lane] = -1, to->body[0][lane] = to->body[1][lane] = (uint32_t)s->bodies * (uint32_t)sizeof(row);
        s->one[LANES * k + lane] = (contact){.body = {s->bodies, s->bodies}};
    }
}

/* Packs by colours, in each those with an impulse first. `read`: the contacts as they were read. */
static void fill(solver *s, const contact *read, const double *p) {
    s->count = 0;
    for (int c = 0, chunks = 0; c < s->colours.count; c++) {
        int lane = LANES;
        s->first[c] = s->count, s->chunk[c] = chunks;
        for (int loaded = 1; loaded >= 0; loaded--)
            for (int k = s->colours.first[c]; k < s->colours.first[c + 1]; k++) {
                int i = s->colours.order[k];
                if ((p[3 * (size_t)i] > 0) != loaded) continue;
                if (lane == LANES) begin_pack(s, s->count++), lane = 0;
                put(s, i, &read[i], p, s->count - 1, lane++);
            }
        chunks += (s->count - s->first[c] + CHUNK - 1) / CHUNK;
        s->first[c + 1] = s->count, s->chunk[c + 1] = chunks;
    }
}

/* ---------------------------------------------------------------------------------------------------- velocities */

/* Impulses with their changes, and the velocities that they make. */
static void sum_impulses(solver *s) {
    memset(s->sum, 0, ((size_t)s->bodies + 1) * sizeof *s->sum);
    for (int k = 0; k < s->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            const contact *c = &s->one[LANES * k + lane];
            double *f = s->total[LANES * k + lane], *a = s->sum[c->body[0]], *b = s->sum[c->body[1]], turn[3];
            float change = 0;
            bool open = true; /* its change takes all of the impulse, but for rounding */
            for (int l = 0; l < 3; l++) {
                open = open && s->f[3 * k + l][lane] == -s->at[k].base[l][lane];
                change += fabsf(s->f[3 * k + l][lane]);
            }
            open = open && change > 0;
            for (int l = 0; l < 3; l++) f[l] = open ? 0 : f[l] + (double)s->f[3 * k + l][lane];
            cross(c->n, f, turn);
            for (int l = 0; l < 3; l++) {
                a[l] -= f[l], a[3 + l] -= c->rho[0] * turn[l];
                b[l] += f[l], b[3 + l] += c->rho[1] * turn[l];
            }
        }
    for (int b = 0; b <= s->bodies; b++)
        for (int l = 0; l < 3; l++) s->sum[b][l] *= s->light[b], s->sum[b][3 + l] *= s->inverse[b];
}

/* c of one contact at the velocities s->sum. */
static void velocity_of(const solver *s, const contact *c, double *u) {
    const double *a = s->sum[c->body[0]], *b = s->sum[c->body[1]];
    double turn[3], slip[3];
    for (int l = 0; l < 3; l++) turn[l] = c->rho[1] * b[3 + l] - c->rho[0] * a[3 + l];
    cross(turn, c->n, slip);
    for (int l = 0; l < 3; l++) u[l] = c->q[l] + b[l] - a[l] + slip[l];
}

/* Sums impulses and velocities in double precision; sweeps count from there. */
static void refresh(solver *s) {
    double u[3];
    sum_impulses(s);
    for (int k = 0; k < s->count; k++) {
        pack *p = &s->at[k];
        for (int lane = 0; lane < LANES; lane++) {
            const contact *c = &s->one[LANES * k + lane];
            const double *f = s->total[LANES * k + lane];
            if (p->contact[lane] < 0) continue;
            double mu = s->problem->mu[p->contact[lane]], fn = dot(c->n, f);
            velocity_of(s, c, u);
            for (int l = 0; l < 3; l++) p->q[l][lane] = (float)u[l], p->base[l][lane] = (float)f[l];
            p->inside[lane] = (float)((mu * mu + 1) * fn * fn - dot(f, f));
        }
        for (int l = 0; l < 3; l++) s->before[3 * k + l] -= s->f[3 * k + l], s->f[3 * k + l] = all(0);
    }
    for (int b = 0; b <= s->bodies; b++) s->v_before[b] -= s->v[b];
    memset(s->v, 0, ((size_t)s->bodies + 1) * sizeof *s->v);
}

/* ---------------------------------------------------------------------------------------------------------- sweep */

static inline void cross_wide(const wide *a, const wide *b, wide *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static inline wide dot_wide(const wide *a, const wide *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* c from the velocities a of bodies 0 and b of bodies 1. */
static inline void relative(const pack *c, const wide *a, const wide *b, wide *u) {
    wide turn[3];
    for (int l = 0; l < 3; l++) turn[l] = c->rho[1] * b[3 + l] - c->rho[0] * a[3 + l];
    cross_wide(turn, c->n, u);
    for (int l = 0; l < 3; l++) u[l] += c->q[l] + (b[l] - a[l]);
}

/* Change of each impulse for those of the others, counted from c->base: f is the old one, u the velocity with it. What is left of the tangential part of a
 * slip is found from differences, so that rounding is that of the changes. */
static inline void solve_contacts(const pack *c, const wide *u, const wide *f, wide *x) {
    wide un = dot_wide(c->n, u), fn = dot_wide(c->n, f), bn = dot_wide(c->n, c->base), t[3], all_t[3];
    wide xn = fn - un * c->normal, sum = bn + xn, square = c->mu * c->mu;
    mask open = sum <= 0;
    for (int l = 0; l < 3; l++) {
        t[l] = f[l] - fn * c->n[l] - c->tangent * (u[l] - un * c->n[l]);
        all_t[l] = c->base[l] - bn * c->n[l] + t[l];
    }
    wide inside = c->inside + 2 * (square * bn * xn - dot_wide(c->base, t)) + (square * xn * xn - dot_wide(t, t));
    wide size = root(dot_wide(all_t, all_t)), less = inside / (size * (size + c->mu * sum));
    less = choose(inside < 0, less, all(0));
    for (int l = 0; l < 3; l++) x[l] = choose(open, -c->base[l], xn * c->n[l] + t[l] + less * all_t[l]);
}

/* Some packs of one colour together, so that one is computed while another waits for its roots and quotients. */
static inline __attribute__((always_inline)) void sweep_some(solver *s, int k, const int count, sums *sum) {
    pack *c = &s->at[k];
    wide *f = s->f + 3 * k, *before = s->before + 3 * k, ahead = all(s->ahead);
    wide a[2][6], b[2][6], u[2][3], start[2][3], x[2][3], d[2][3], moment[3], way[3];
    for (int t = 0; t < count; t++) gather(s->v, c[t].body[0], a[t]), gather(s->v, c[t].body[1], b[t]);
    for (int t = 0; t < count; t++) {
        relative(&c[t], a[t], b[t], u[t]);
        for (int l = 0; l < 3; l++) start[t][l] = f[3 * t + l] + ahead * (f[3 * t + l] - before[3 * t + l]);
    }
    for (int t = 0; t < count; t++) solve_contacts(&c[t], u[t], start[t], x[t]);
    for (int t = 0; t < count; t++) {
        for (int l = 0; l < 3; l++) {
            d[t][l] = x[t][l] - start[t][l], way[l] = x[t][l] - f[3 * t + l];
            before[3 * t + l] = f[3 * t + l], f[3 * t + l] = x[t][l];
        }
        cross_wide(c[t].n, d[t], moment);
        for (int l = 0; l < 3; l++) {
            a[t][l] -= c[t].light[0] * d[t][l], a[t][3 + l] -= c[t].spin[0] * moment[l];
            b[t][l] += c[t].light[1] * d[t][l], b[t][3 + l] += c[t].spin[1] * moment[l];
        }
        wide part = c[t].weight * dot_wide(d[t], d[t]);
        sum->change += part, sum->turn -= c[t].weight * dot_wide(d[t], way), sum->most = larger(c[t].weight * part, sum->most);
    }
    for (int t = 0; t < count; t++) scatter(s->v, c[t].body[0], a[t]), scatter(s->v, c[t].body[1], b[t]);
}

static sums sweep_packs(solver *s, int begin, int end) {
    sums sum = {all(0), all(0), all(0)};
    int k = begin;
    for (; k + 1 < end; k += 2) {
        if (s->at[k].open && s->at[k + 1].open) continue;
        sweep_some(s, k, 2, &sum);
    }
    if (k < end && !s->at[k].open) sweep_some(s, k, 1, &sum);
    return sum;
}

/* A thread's share of every colour. */
static void sweep_colours(void *context, int rank, int threads) {
    solver *s = context;
    for (int c = 0; c < s->colours.count; c++) {
        int from = s->chunk[c], many = s->chunk[c + 1] - from;
        int begin = from + (int)((long)many * rank / threads), end = from + (int)((long)many * (rank + 1) / threads);
        for (int k = begin; k < end; k++) {
            int at = s->first[c] + CHUNK * (k - from), last = s->first[c + 1];
            s->part[k] = sweep_packs(s, at, at + CHUNK < last ? at + CHUNK : last);
        }
        if (threads > 1) jn_pool_meet(s->pool);
    }
}

/* One sweep from beyond the last one. */
static swept sweep(solver *s) {
    sums sum = {all(0), all(0), all(0)};
    for (int b = 0; b <= s->bodies; b++) {
        row x = s->v[b];
        s->v[b] = x + s->ahead * (x - s->v_before[b]), s->v_before[b] = x;
    }
    if (s->pool)
        jn_pool_run(s->pool, sweep_colours, s);
    else
        sweep_colours(s, 0, 1);
    for (int k = 0; k < s->chunk[s->colours.count]; k++) {
        sum.change += s->part[k].change, sum.turn += s->part[k].turn;
        sum.most = larger(s->part[k].most, sum.most);
    }
    return (swept){total(sum.change), total(sum.turn), (double)largest(sum.most)};
}

/* ---------------------------------------------------------------------------------------------------------- error */

/* Square of the natural map of f over the mass and u, as jn_natural_map, f counted from c->base: u + (y - proj y) at y = f - u. */
static inline wide natural_map(const pack *c, const wide *f, const wide *u) {
    wide un = dot_wide(c->n, u), fn = dot_wide(c->n, f), bn = dot_wide(c->n, c->base), t[3], all_t[3], slip[3], mass = 1 / c->weight;
    for (int l = 0; l < 3; l++) {
        slip[l] = u[l] - un * c->n[l], t[l] = f[l] - fn * c->n[l] - mass * slip[l];
        all_t[l] = c->base[l] - bn * c->n[l] + t[l];
    }
    un += c->mu * root(dot_wide(slip, slip));
    wide xn = fn - mass * un, y = bn + xn, square = c->mu * c->mu, size = root(dot_wide(all_t, all_t));
    wide inside = c->inside + 2 * (square * bn * xn - dot_wide(c->base, t)) + (square * xn * xn - dot_wide(t, t));
    mask polar = y + c->mu * size <= 0, within = (y >= 0) & (inside >= 0);
    wide over = -inside / ((size + c->mu * y) * (1 + square)) * c->weight; /* (|y_T| - mu y_N)/(1 + mu^2) in m/s */
    wide far = (size - c->mu * y) / (1 + square) * c->weight;
    over = choose(within, all(0), choose(y > 0, over, far));
    wide part = choose(size > 0, over / size, all(0)), e = un - c->mu * over;
    for (int l = 0; l < 3; l++) slip[l] += part * all_t[l];
    wide whole = 0 * e;
    for (int l = 0; l < 3; l++) whole += (c->base[l] + f[l]) * (c->base[l] + f[l]);
    return choose(polar, c->weight * c->weight * whole, e * e + dot_wide(slip, slip));
}

/* Speed error [m/s] as single precision sees it. Packs without impulses, now and before, whose contacts separate are left out of sweeps until the
 * next call. */
static double error_of(solver *s) {
    wide most = all(0);
    for (int k = 0; k < s->count; k++) {
        pack *c = &s->at[k];
        const wide *f = s->f + 3 * k, *old = s->before + 3 * k;
        wide a[6], b[6], u[3];
        gather(s->v, c->body[0], a), gather(s->v, c->body[1], b);
        relative(c, a, b, u);
        wide e = natural_map(c, f, u), any = e;
        most = larger(e, most);
        for (int l = 0; l < 3; l++) {
            wide now = c->base[l] + f[l], last = c->base[l] + old[l];
            any += now * now + last * last;
        }
        c->open = !(largest(any) > 0);
    }
    return sqrt((double)largest(most));
}

/* ---------------------------------------------------------------------------------------------------------- solve */

static size_t lay_out(solver *s, contact **read, int **colour, uint64_t **taken, jn_scratch *m) {
    size_t contacts = (size_t)s->problem->contacts, bodies = (size_t)s->problem->velocities / SIX + 2;
    s->capacity = s->problem->contacts / LANES + JN_COLOURS;
    if (s->capacity > s->problem->contacts) s->capacity = s->problem->contacts;
    size_t packs = (size_t)s->capacity;
    s->at = jn_scratch_take(m, packs, sizeof *s->at);
    s->f = jn_scratch_take(m, 3 * packs, sizeof *s->f), s->before = jn_scratch_take(m, 3 * packs, sizeof *s->before);
    s->v = jn_scratch_take(m, bodies, sizeof *s->v), s->v_before = jn_scratch_take(m, bodies, sizeof *s->v_before);
    s->sum = jn_scratch_take(m, bodies, sizeof *s->sum), s->total = jn_scratch_take(m, packs * LANES, sizeof *s->total);
    s->light = jn_scratch_take(m, bodies, sizeof *s->light), s->inverse = jn_scratch_take(m, bodies, sizeof *s->inverse);
    s->one = jn_scratch_take(m, packs * LANES, sizeof *s->one);
    s->part = jn_scratch_take(m, packs + JN_COLOURS, sizeof *s->part);
    s->best = jn_scratch_take(m, packs * LANES, sizeof *s->best), s->spare = jn_scratch_take(m, 3 * contacts, sizeof *s->spare);
    s->colours.order = jn_scratch_take(m, contacts, sizeof *s->colours.order);
    *read = jn_scratch_take(m, contacts, sizeof **read), *colour = jn_scratch_take(m, contacts, sizeof **colour);
    *taken = jn_scratch_take(m, (size_t)s->problem->velocities, sizeof **taken);
    return m->used;
}

size_t jn_round_scratch(const jn_problem *problem) {
    solver s = {.problem = problem};
    contact *read;
    int *colour;
    uint64_t *taken;
    jn_scratch m = {NULL, 0};
    return lay_out(&s, &read, &colour, &taken, &m);
}

/* Impulses in the rows' directions. */
static void give(const solver *s, const double (*total)[3], double *p) {
    double d[3][3];
    for (int k = 0; k < s->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            take_directions(s->problem, i, d);
            for (int r = 0; r < 3; r++) p[3 * i + r] = dot(d[r], total[LANES * k + lane]);
        }
}

/* Momentum, as in solve_gauss_seidel.c. */
typedef struct momentum {
    double theta, lowest, mark;
    bool plain;
} momentum;

static void extrapolate(solver *s, momentum *m, swept done, int count) {
    if (count % PATIENCE == 0) {
        m->plain = !m->plain && !(s->least < m->mark);
        m->mark = s->least;
    }
    bool anew = m->plain || done.turn > 0 || done.change > (double)GROWTH * m->lowest;
    if (anew) m->theta = m->plain ? 1 : jn_max(1, (double)LEFT * m->theta);
    m->lowest = anew ? done.change : jn_min(m->lowest, done.change);
    double next = 0.5 * (1 + sqrt(1 + 4 * m->theta * m->theta));
    s->ahead = anew ? 0 : (float)((m->theta - 1) / next);
    m->theta = next;
}

/* The error of impulses and velocities in double precision; the impulses are kept where they are the best so far. */
static double judge(solver *s) {
    refresh(s);
    double error = error_of(s);
    if (error < s->least) s->least = error, memcpy(s->best, s->total, (size_t)(LANES * s->count) * sizeof *s->best);
    return error;
}

static bool read_contacts(solver *s, contact *read) {
    memset(s->light, 0, ((size_t)s->bodies + 1) * sizeof *s->light);
    memset(s->inverse, 0, ((size_t)s->bodies + 1) * sizeof *s->inverse);
    for (int i = 0; i < s->problem->contacts; i++)
        if (!read_contact(s, i, &read[i])) return false;
    return true;
}

/* Impulses from the rows' directions. */
static void take(solver *s, const double *p) {
    double d[3][3];
    for (int k = 0; k < s->count; k++) {
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            take_directions(s->problem, i, d);
            for (int l = 0; l < 3; l++)
                s->total[LANES * k + lane][l] = p[3 * i] * d[0][l] + p[3 * i + 1] * d[1][l] + p[3 * i + 2] * d[2][l];
        }
        for (int l = 0; l < 3; l++) s->f[3 * k + l] = s->before[3 * k + l] = all(0);
    }
    memset(s->v, 0, ((size_t)s->bodies + 1) * sizeof *s->v), memset(s->v_before, 0, ((size_t)s->bodies + 1) * sizeof *s->v);
    s->ahead = 0;
}

/* Where errors have not been halved for a while: those of a few contacts with their neighbourhoods, as in solve_gauss_seidel.c. */
typedef struct stall {
    double mark; /* least error at the last look */
    int next, wait, rings, budget;
} stall;

/* Returns whether impulses changed; their error is not computed yet. */
static bool solve_patches(solver *s, stall *l, const jn_round_aim *aim, void *scratch, int count) {
    if (!scratch || count < l->next || l->budget <= 0) return false;
    bool stalls = s->least > 0.5 * l->mark;
    l->wait = stalls && l->rings > RINGS ? 2 * l->wait : STALLED;
    l->next = count + l->wait, l->mark = s->least;
    if (!stalls) return false;
    double *p = s->spare;
    judge(s), give(s, (const double(*)[3])s->total, p);
    int solved = jn_patches_solve(s->problem, aim->tolerance, l->rings, &l->budget, scratch, p);
    if (solved >= 0 && l->rings < MOST_RINGS) l->rings++;
    if (solved > 0) take(s, p);
    return solved > 0;
}

static void iterate(solver *s, const jn_round_aim *aim, void *patches, int *count) {
    momentum forward = {.theta = 1, .lowest = INFINITY, .mark = INFINITY};
    stall stalled = {.mark = INFINITY, .next = STALLED / 2, .wait = STALLED, .rings = RINGS, .budget = BUDGET};
    double exact = judge(s);
    int looked = 0, summed = 0;
    while (*count < aim->sweeps && exact > 0) {
        swept done = sweep(s);
        extrapolate(s, &forward, done, ++*count);
        bool small = *count - looked >= LOOK && done.most <= NEARLY * NEARLY * aim->tolerance * aim->tolerance;
        if (!small && *count - looked < SELDOM) continue;
        double error = error_of(s);
        looked = *count;
        bool patched = solve_patches(s, &stalled, aim, patches, *count);
        if (patched) forward = (momentum){.theta = 1, .lowest = INFINITY, .mark = INFINITY};
        if (!patched && error > aim->tolerance && error > FALL * exact && *count - summed < REFRESH) continue;
        summed = *count;
        exact = judge(s);
        if (exact <= aim->tolerance) break;
    }
}

double jn_round_solve(const jn_problem *problem, const jn_round_aim *aim, void *scratch, void *patches, double *p,
                      int *count) {
    solver s = {.problem = problem, .pool = aim->pool, .bodies = problem->velocities / SIX + 1, .least = INFINITY};
    contact *read;
    int *colour;
    uint64_t *taken;
    jn_scratch m = {scratch, 0};
    lay_out(&s, &read, &colour, &taken, &m);
    s.shift = problem->H->dof[problem->H->start[0]] % SIX;
    if (!read_contacts(&s, read)) return INFINITY;
    jn_colour_contacts(problem, true, colour, taken, &s.colours);
    if (s.colours.count == JN_COLOURS) return INFINITY;
    memset(s.v, 0, ((size_t)s.bodies + 1) * sizeof *s.v), memset(s.v_before, 0, ((size_t)s.bodies + 1) * sizeof *s.v);
    fill(&s, read, p);
    *count = 0;
    iterate(&s, aim, patches, count);
    if (s.least < INFINITY) give(&s, (const double(*)[3])s.best, p);
    return s.least;
}
