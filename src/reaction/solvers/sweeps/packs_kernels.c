/* Sweeps over eight contacts at a time, in parts of as many as the registers of a processor hold, for one kind of processor (variants.h). */
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/sweeps/packs.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* WIDTH: lanes that are computed at once. No number of a lane depends on the others: every width gives the same bits. */
#if defined __AVX512F__
enum { SIX = 6, LANES = JN_LANES_OF_PACK, WIDTH = 8, PARTS = LANES / WIDTH };
#elif defined __AVX__
enum { SIX = 6, LANES = JN_LANES_OF_PACK, WIDTH = 4, PARTS = LANES / WIDTH };
#else
enum { SIX = 6, LANES = JN_LANES_OF_PACK, WIDTH = 2, PARTS = LANES / WIDTH };
#endif
typedef double vector __attribute__((vector_size(8 * WIDTH), may_alias, aligned(8)));
typedef int64_t mask __attribute__((vector_size(8 * WIDTH)));

/* The lanes of a part. */
static inline vector take(const jn_wide *x, int part) { return ((const vector *)x)[part]; }
static inline void put(jn_wide *x, int part, vector value) { ((vector *)x)[part] = value; }

static inline vector all(double x) { return x - (vector){0}; }
static inline vector choose(mask where, vector a, vector b) { return (vector)(((mask)a & where) | ((mask)b & ~where)); }
static inline vector larger(vector a, vector b) { return choose(a > b, a, b); }
static inline bool any(mask m) {
    int64_t sum = 0;
    for (int k = 0; k < WIDTH; k++) sum |= m[k];
    return sum != 0;
}
static inline vector root(vector x) {
    double a[WIDTH];
    memcpy(a, &x, sizeof x);
    for (int k = 0; k < WIDTH; k++) a[k] = sqrt(a[k]);
    memcpy(&x, a, sizeof x);
    return x;
}
static inline double total(const vector *parts) {
    double x[LANES];
    memcpy(x, parts, sizeof x);
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/* ------------------------------------------------------------------------------------------- velocities of bodies */

/* Transposes WIDTH rows. */
static inline void transpose(const vector in[WIDTH], vector out[WIDTH]) {
#if defined __AVX512F__
    vector s[8], t[8];
    for (int k = 0; k < 8; k += 2) {
        s[k] = __builtin_shufflevector(in[k], in[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[k + 1] = __builtin_shufflevector(in[k], in[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 8; k += 4)
        for (int l = k; l < k + 2; l++) {
            t[l] = __builtin_shufflevector(s[l], s[l + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            t[l + 2] = __builtin_shufflevector(s[l], s[l + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int l = 0; l < 4; l++) {
        out[l] = __builtin_shufflevector(t[l], t[l + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[l + 4] = __builtin_shufflevector(t[l], t[l + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif defined __AVX__
    vector s[4];
    for (int k = 0; k < 4; k += 2) {
        s[k] = __builtin_shufflevector(in[k], in[k + 1], 0, 4, 2, 6);
        s[k + 1] = __builtin_shufflevector(in[k], in[k + 1], 1, 5, 3, 7);
    }
    for (int l = 0; l < 2; l++) {
        out[l] = __builtin_shufflevector(s[l], s[l + 2], 0, 1, 4, 5);
        out[l + 2] = __builtin_shufflevector(s[l], s[l + 2], 2, 3, 6, 7);
    }
#else
    out[0] = __builtin_shufflevector(in[0], in[1], 0, 2), out[1] = __builtin_shufflevector(in[0], in[1], 1, 3);
#endif
}

/* u += H v over one body of each lane. */
static inline void gather(const jn_wide H[3][6], const int *body, const jn_wide *v, int part, vector u[3]) {
    vector rows[WIDTH], x[LANES];
    for (int j = 0; j < PARTS; j++) { /* of the rows */
        for (int k = 0; k < WIDTH; k++) rows[k] = take(&v[body[WIDTH * part + k]], j);
        transpose(rows, x + WIDTH * j);
    }
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < SIX; k++) u[r] += take(&H[r][k], part) * x[k];
}

/* v += scale (rows^T dp) over one body of each lane; scale NULL: 1. */
static inline void scatter(const jn_wide rows[3][6], const int *body, const jn_wide *scale, const vector dp[3],
                           int part, jn_wide *v) {
    vector x[LANES], out[WIDTH];
    for (int k = 0; k < SIX; k++)
        x[k] = take(&rows[0][k], part) * dp[0] + take(&rows[1][k], part) * dp[1] + take(&rows[2][k], part) * dp[2];
    x[6] = x[7] = all(0);
    for (int j = 0; j < PARTS; j++) {
        transpose(x + WIDTH * j, out);
        for (int k = 0; k < WIDTH; k++) {
            jn_wide *to = &v[body[WIDTH * part + k]];
            if (scale) out[k] = take(&scale[body[WIDTH * part + k]], j) * out[k];
            put(to, j, take(to, j) + out[k]);
        }
    }
}

static inline void velocity(const jn_pack *c, const jn_wide *v, const vector p[3], int part, vector u[3]) {
    for (int r = 0; r < 3; r++) u[r] = take(&c->q[r], part) + take(&c->compliance, part) * p[r];
    gather((const jn_wide(*)[6])c->H[0], c->body[0], v, part, u);
    if (c->pair) gather((const jn_wide(*)[6])c->H[1], c->body[1], v, part, u);
}

static inline void apply(const jn_packs *s, int k, const vector dp[3], int part, jn_wide *v) {
    const jn_pack *c = &s->at[k];
    for (int b = 0; b < 1 + c->pair; b++)
        if (s->scaled)
            scatter((const jn_wide(*)[6])c->H[b], c->body[b], s->scale, dp, part, v);
        else
            scatter((const jn_wide(*)[6])s->Y[k][b], c->body[b], NULL, dp, part, v);
}

void JN_VARIANT(jn_packs_impulse)(const jn_packs *packs, const jn_wide *x, jn_wide *v) {
    memset(v, 0, ((size_t)packs->slots + 1) * sizeof *v);
    for (int k = 0; k < packs->count; k++)
        for (int part = 0; part < PARTS; part++) {
            const vector p[3] = {take(&x[3 * k], part), take(&x[3 * k + 1], part), take(&x[3 * k + 2], part)};
            apply(packs, k, p, part, v);
        }
}

/* ----------------------------------------------------------------------------------------------------- one contact */

/* A part of what jn_local holds. */
typedef struct local {
    vector inverse, n1, n2, a, b, c, e, mu;
} local;

static inline local take_local(const jn_pack *l, int part) {
    return (local){take(&l->inverse, part), take(&l->n1, part), take(&l->n2, part), take(&l->a, part),
                   take(&l->b, part),       take(&l->c, part),  take(&l->e, part),  take(&l->mu, part)};
}

/* p_T and p_N at alpha and Newton's step for mu p_N/|p_T| = 1, as in jn_local_slip_at. */
typedef struct slip {
    vector p1, p2, pn, d1, d2, step;
    mask outside;
} slip;

static inline slip slip_at(const local *l, const vector q[3], vector alpha) {
    slip s;
    vector a = l->a + alpha, e = l->e + alpha, r = 1 / (a * e - l->b * l->c);
    s.p1 = (l->b * q[2] - e * q[1]) * r, s.p2 = (l->c * q[1] - a * q[2]) * r;
    s.d1 = (l->b * s.p2 - e * s.p1) * r, s.d2 = (l->c * s.p1 - a * s.p2) * r;
    s.pn = -(q[0] + l->n1 * s.p1 + l->n2 * s.p2) * l->inverse;
    vector dn = -(l->n1 * s.d1 + l->n2 * s.d2) * l->inverse, square = s.p1 * s.p1 + s.p2 * s.p2;
    vector excess = l->mu * s.pn - root(square);
    s.outside = excess < 0;
    s.step = -excess * square / (l->mu * (dn * square - s.pn * (s.p1 * s.d1 + s.p2 * s.d2)));
    return s;
}

/* Newton's method between bounds, as jn_local_slip_solve, in the lanes `where`, until the next correction of alpha is below the part
 * `exact` of it, or changes nothing. */
static inline void solve_slip(jn_pack *pack, int part, double exact, const vector q[3], mask where, vector p[3]) {
    const local own = take_local(pack, part), *l = &own;
    vector low = all(0), high = all(INFINITY), size = 0.5 * (l->a + l->e), first = take(&pack->alpha, part);
    vector alpha = choose(first > 0, first, size);
    mask stands = {0};
    slip s = slip_at(l, q, alpha);
    for (int k = 0; k < 200; k++) {
        vector distance = choose(s.step < 0, -s.step, s.step);
        mask going = where & ~(distance <= exact * alpha);
        if (!any(going)) break;
        low = choose(going & s.outside, alpha, low), high = choose(going & ~s.outside, alpha, high);
        vector next = alpha + s.step, middle = choose(high < INFINITY, 0.5 * (low + high), 4 * alpha + size);
        next = choose((next > low) & (next < high), next, middle);
        stands |= going & (next == alpha);
        alpha = choose(going, next, alpha);
        s = slip_at(l, q, alpha);
        s.step = choose(stands, all(0), s.step);
    }
    vector p1 = s.p1 + s.d1 * s.step, p2 = s.p2 + s.d2 * s.step;
    vector pn = larger(-(q[0] + l->n1 * p1 + l->n2 * p2) * l->inverse, all(0));
    vector length = root(p1 * p1 + p2 * p2), along = choose(length > 0, l->mu * pn / length, all(0));
    put(&pack->alpha, part, choose(where, alpha + s.step, first));
    p[0] = choose(where, pn, p[0]), p[1] = choose(where, p1 * along, p[1]), p[2] = choose(where, p2 * along, p[2]);
}

/* Impulses for the velocities q that the others leave, as jn_local_solve3. */
static inline void solve_contacts(jn_pack *pack, int part, double exact, const vector q[3], vector p[3]) {
    const local own = take_local(pack, part), *l = &own;
    vector x[3] = {q[0], q[1] - take(&pack->t1, part) * q[0], q[2] - take(&pack->t2, part) * q[0]};
    vector stick = take(&pack->stick, part);
    vector p1 = (l->b * x[2] - l->e * x[1]) * stick, p2 = (l->c * x[1] - l->a * x[2]) * stick;
    vector pn = -(q[0] + l->n1 * p1 + l->n2 * p2) * l->inverse;
    mask open = (q[0] >= 0) | (l->inverse == 0), known = (stick > 0) | ((x[1] == 0) & (x[2] == 0));
    mask sticks = known & (pn >= 0) & (p1 * p1 + p2 * p2 <= l->mu * l->mu * pn * pn) & ~open;
    mask slips = ~sticks & ~open & (l->mu > 0), smooth = ~sticks & ~open & (l->mu == 0);
    p[0] = choose(sticks, pn, choose(smooth, -q[0] * l->inverse, all(0)));
    p[1] = choose(sticks, p1, all(0)), p[2] = choose(sticks, p2, all(0));
    if (any(slips)) solve_slip(pack, part, exact, x, slips, p);
}

/* What sweeps change, by lanes, as jn_swept. */
typedef struct sums {
    vector change[PARTS], turn[PARTS], seen[PARTS];
} sums;

static inline void sweep_part(jn_packs *packs, int k, int part, const jn_wide *old, jn_wide *x, jn_wide *v, sums *sum) {
    jn_pack *c = &packs->at[k];
    const jn_wide *W = c->W;
    vector p[3], u[3], dp[3], weight = take(&c->weight, part);
    for (int r = 0; r < 3; r++) p[r] = take(&x[r], part), dp[r] = -p[r];
    velocity(c, v, p, part, u);
    for (int r = 0; r < 3; r++)
        u[r] -= take(&W[3 * r], part) * p[0] + take(&W[3 * r + 1], part) * p[1] + take(&W[3 * r + 2], part) * p[2];
    solve_contacts(c, part, packs->exact, u, p);
    for (int r = 0; r < 3; r++) dp[r] += p[r], put(&x[r], part, p[r]);
    vector energy = weight * (dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2]);
    sum->change[part] += energy, sum->seen[part] += weight * energy;
    sum->turn[part] -= weight * (dp[0] * (p[0] - take(&old[0], part)) + dp[1] * (p[1] - take(&old[1], part)) +
                                 dp[2] * (p[2] - take(&old[2], part)));
    apply(packs, k, dp, part, v);
}

jn_swept JN_VARIANT(jn_packs_sweep)(jn_packs *packs, int begin, int end, const jn_wide *before, jn_wide *x,
                                    jn_wide *v) {
    sums sum = {{{0}}, {{0}}, {{0}}};
    for (int k = begin; k < end; k++)
        for (int part = 0; part < PARTS && !packs->at[k].open; part++)
            sweep_part(packs, k, part, before + 3 * k, x + 3 * k, v, &sum);
    return (jn_swept){total(sum.change), total(sum.turn), total(sum.seen)};
}

/* Square of the natural map of p and u, as jn_natural_map. */
static inline vector natural_map(vector mu, const vector p[3], const vector u[3]) {
    vector x[3] = {p[0] - u[0] - mu * root(u[1] * u[1] + u[2] * u[2]), p[1] - u[1], p[2] - u[2]};
    vector t = root(x[1] * x[1] + x[2] * x[2]), n = (x[0] + mu * t) / (1 + mu * mu);
    mask inside = (x[0] >= 0) & (t <= mu * x[0]);
    vector part = choose(n > 0, mu * n / t, all(0));
    vector y0 = p[0] - choose(inside, x[0], larger(n, all(0)));
    vector y1 = p[1] - choose(inside, x[1], part * x[1]), y2 = p[2] - choose(inside, x[2], part * x[2]);
    return y0 * y0 + y1 * y1 + y2 * y2;
}

double JN_VARIANT(jn_packs_error)(jn_packs *packs, bool speed, const jn_wide *before, const jn_wide *x,
                                  const jn_wide *v) {
    vector most[PARTS] = {{0}}, sum[PARTS] = {{0}};
    for (int k = 0; k < packs->count; k++) {
        jn_pack *c = &packs->at[k];
        const jn_wide *old = before + 3 * k;
        bool open = true;
        for (int part = 0; part < PARTS; part++) {
            vector u[3], p[3], w = speed ? take(&c->weight, part) : all(1), was[3];
            for (int r = 0; r < 3; r++) p[r] = take(&x[3 * k + r], part), was[r] = take(&old[r], part);
            velocity(c, v, p, part, u);
            for (int r = 0; r < 3; r++) p[r] *= w;
            vector e = natural_map(take(&c->mu, part), p, u);
            most[part] = larger(e, most[part]), sum[part] += e;
            open = open && !any((e != 0) | (p[0] != 0) | (was[0] != 0) | (was[1] != 0) | (was[2] != 0));
        }
        c->open = open;
    }
    double largest = 0, square = total(sum), lane[LANES];
    memcpy(lane, most, sizeof lane);
    for (int k = 0; k < LANES; k++) largest = jn_max(largest, lane[k]);
    return isnan(square) ? NAN : sqrt(speed ? largest : square);
}
