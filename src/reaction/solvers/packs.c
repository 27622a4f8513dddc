/* Sweeps over eight contacts at a time. */
#include "reaction/solvers/packs.h"
#include "reaction/solvers/local_law.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { SIX = 6, LANES = JN_LANES_OF_PACK };
static const double LIKE = 1e-13; /* relative difference of two quotients Y/H that are the same number */
typedef int64_t mask __attribute__((vector_size(64)));

static inline jn_wide all(double x) { return (jn_wide){x, x, x, x, x, x, x, x}; }
static inline jn_wide choose(mask where, jn_wide a, jn_wide b) {
    return (jn_wide)(((mask)a & where) | ((mask)b & ~where));
}
static inline jn_wide larger(jn_wide a, jn_wide b) { return choose(a > b, a, b); }
static inline bool any(mask m) {
    long sum = 0;
    for (int k = 0; k < LANES; k++) sum |= m[k];
    return sum != 0;
}
static inline double total(jn_wide x) { return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])); }
static inline jn_wide root(jn_wide x) {
#ifdef __AVX512F__
    return (jn_wide)_mm512_sqrt_pd((__m512d)x);
#else
    for (int k = 0; k < LANES; k++) x[k] = sqrt(x[k]);
    return x;
#endif
}

/* ---------------------------------------------------------------------------------------------------------- setup */

bool jn_packs_suit(const jn_problem *problem) {
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    if (problem->dimension != 3 || !H || !Y || problem->contacts == 0 || H->start[1] == H->start[0]) return false;
    int shift = H->dof[H->start[0]] % SIX;
    for (int i = 0; i < problem->contacts; i++) {
        const int *h = H->dof + H->start[i], *y = Y->dof + Y->start[i];
        int count = H->start[i + 1] - H->start[i];
        if ((count != SIX && count != 2 * SIX) || Y->start[i + 1] - Y->start[i] != count) return false;
        if (h != y && memcmp(h, y, (size_t)count * sizeof *h)) return false;
        for (int k = 0; k < count; k += SIX) {
            if (h[k] % SIX != shift) return false;
            for (int l = 1; l < SIX; l++)
                if (h[k + l] != h[k] + l) return false;
        }
    }
    return true;
}

void jn_packs_layout(const jn_problem *problem, jn_scratch *s, jn_packs *packs) {
    *packs = (jn_packs){.problem = problem, .slots = problem->velocities / SIX + 1};
    packs->capacity = problem->contacts / LANES + JN_COLOURS; /* those of each colour, the last of them not full */
    if (packs->capacity > problem->contacts) packs->capacity = problem->contacts;
    packs->at = jn_scratch_take(s, (size_t)packs->capacity, sizeof *packs->at);
    packs->Y = jn_scratch_take(s, (size_t)packs->capacity, sizeof *packs->Y);
    packs->scale = jn_scratch_take(s, (size_t)packs->slots + 1, sizeof *packs->scale);
}

static int slot_of(const jn_packs *packs, int dof) { return (dof - packs->first_dof) / SIX; }

/* Finds the quotients Y/H; false where there is none. */
static bool find_scale(jn_packs *packs) {
    const jn_contact_rows *H = packs->problem->H, *Y = packs->problem->Y;
    memset(packs->scale, 0, ((size_t)packs->slots + 1) * sizeof *packs->scale);
    for (int i = 0; i < packs->problem->contacts; i++) {
        const double *h = H->value + 3 * (size_t)H->start[i], *y = Y->value + 3 * (size_t)Y->start[i];
        for (int k = H->start[i]; k < H->start[i + 1]; k++, h += 3, y += 3) {
            double *s = (double *)&packs->scale[slot_of(packs, H->dof[k])] + (k - H->start[i]) % SIX;
            double hh = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
            if (*s == 0 && hh > 0) *s = (h[0] * y[0] + h[1] * y[1] + h[2] * y[2]) / hh;
            for (int r = 0; r < 3; r++)
                if (fabs(y[r] - *s * h[r]) > LIKE * fabs(*s) * sqrt(hh)) return false;
        }
    }
    return true;
}

/* Rows of a contact into its lane. */
static void split(const jn_contact_rows *rows, int i, int lane, jn_wide out[2][3][6]) {
    const double *value = rows->value + 3 * (size_t)rows->start[i];
    for (int k = 0; k < rows->start[i + 1] - rows->start[i]; k++)
        for (int r = 0; r < 3; r++) out[k / SIX][r][k % SIX][lane] = value[3 * k + r];
}

static void put(jn_packs *packs, int i, const double *W, jn_pack *to, int lane) {
    const jn_problem *problem = packs->problem;
    const jn_contact_rows *H = problem->H;
    jn_local l = jn_local_prepare(3, W, problem->mu[i]);
    double trace = 0;
    int count = 0;
    for (int k = 0; k < 9; k++) to->W[k][lane] = W[k];
    for (int k = 0; k < 9; k += 4)
        if (W[k] > 0) trace += W[k], count++;
    for (int k = 0; k < 3; k++) to->q[k][lane] = problem->q[3 * (size_t)i + (size_t)k];
    to->inverse[lane] = l.inverse, to->n1[lane] = l.n1, to->n2[lane] = l.n2, to->t1[lane] = l.t1, to->t2[lane] = l.t2;
    to->a[lane] = l.a, to->b[lane] = l.b, to->c[lane] = l.c, to->e[lane] = l.e, to->stick[lane] = l.stick;
    to->mu[lane] = l.mu, to->alpha[lane] = 0.5 * (l.a + l.e), to->weight[lane] = count ? trace / count : 1;
    to->contact[lane] = i, to->body[0][lane] = slot_of(packs, H->dof[H->start[i]]);
    if (H->start[i + 1] - H->start[i] == 2 * SIX)
        to->body[1][lane] = slot_of(packs, H->dof[H->start[i] + SIX]), to->pair = true;
    split(H, i, lane, to->H);
    if (!packs->scaled) split(problem->Y, i, lane, packs->Y[to - packs->at]);
}

static jn_pack *begin_pack(jn_packs *packs) {
    jn_pack *pack = &packs->at[packs->count];
    memset(pack, 0, sizeof *pack);
    memset(packs->Y[packs->count++], 0, sizeof *packs->Y);
    pack->weight = pack->a = pack->e = pack->q[0] = all(1);
    for (int lane = 0; lane < LANES; lane++)
        pack->contact[lane] = -1, pack->body[0][lane] = pack->body[1][lane] = packs->slots;
    return pack;
}

/* Packs that the colours take; contacts of the last colour may share bodies and stand alone. */
static int count_packs(const jn_colouring *colours) {
    int count = 0;
    for (int c = 0; c < colours->count; c++) {
        int many = colours->first[c + 1] - colours->first[c];
        count += c == JN_COLOURS - 1 ? many : (many + LANES - 1) / LANES;
    }
    return count;
}

bool jn_packs_fill(const jn_problem *problem, const jn_colouring *colours, const double *diagonal, const double *p,
                   jn_packs *packs) {
    if (count_packs(colours) > packs->capacity) return false;
    packs->problem = problem, packs->count = 0, packs->first_dof = problem->H->dof[problem->H->start[0]] % SIX;
    packs->scaled = find_scale(packs);
    for (int c = 0; c < colours->count; c++) {
        int lane = LANES, width = c == JN_COLOURS - 1 ? 1 : LANES;
        jn_pack *pack = NULL;
        packs->first[c] = packs->count;
        for (int loaded = 1; loaded >= 0; loaded--)
            for (int k = colours->first[c]; k < colours->first[c + 1]; k++) {
                int i = colours->order[k];
                if ((p[3 * (size_t)i] > 0) != loaded) continue;
                if (lane >= width) pack = begin_pack(packs), lane = 0;
                put(packs, i, diagonal + 9 * (size_t)i, pack, lane++);
            }
    }
    packs->first[colours->count] = packs->count;
    return true;
}

void jn_packs_take(const jn_packs *packs, const double *p, jn_wide *x) {
    for (int k = 0; k < packs->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = packs->at[k].contact[lane];
            for (int r = 0; r < 3; r++) x[3 * k + r][lane] = i < 0 ? 0 : p[3 * (size_t)i + (size_t)r];
        }
}

void jn_packs_give(const jn_packs *packs, const jn_wide *x, double *p) {
    for (int k = 0; k < packs->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = packs->at[k].contact[lane];
            for (int r = 0; r < 3 && i >= 0; r++) p[3 * (size_t)i + (size_t)r] = x[3 * k + r][lane];
        }
}

/* ------------------------------------------------------------------------------------------- velocities of bodies */

/* Transposes eight rows. */
static inline void transpose(const jn_wide in[8], jn_wide out[8]) {
    jn_wide s[8], t[8];
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
}

/* u += H v over one body of each lane. */
static inline void gather(const jn_wide H[3][6], const int *body, const jn_wide *v, jn_wide u[3]) {
    jn_wide rows[8], x[8];
    for (int k = 0; k < 8; k++) rows[k] = v[body[k]];
    transpose(rows, x);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < SIX; k++) u[r] += H[r][k] * x[k];
}

/* v += scale (rows^T dp) over one body of each lane; scale NULL: 1. */
static inline void scatter(const jn_wide rows[3][6], const int *body, const jn_wide *scale, const jn_wide dp[3],
                           jn_wide *v) {
    jn_wide x[8], out[8];
    for (int k = 0; k < SIX; k++) x[k] = rows[0][k] * dp[0] + rows[1][k] * dp[1] + rows[2][k] * dp[2];
    x[6] = x[7] = all(0);
    transpose(x, out);
    for (int k = 0; k < 8 && scale; k++) v[body[k]] += scale[body[k]] * out[k];
    for (int k = 0; k < 8 && !scale; k++) v[body[k]] += out[k];
}

static inline void velocity(const jn_pack *c, const jn_wide *v, jn_wide u[3]) {
    for (int r = 0; r < 3; r++) u[r] = c->q[r];
    gather((const jn_wide(*)[6])c->H[0], c->body[0], v, u);
    if (c->pair) gather((const jn_wide(*)[6])c->H[1], c->body[1], v, u);
}

static inline void apply(const jn_packs *s, int k, const jn_wide dp[3], jn_wide *v) {
    const jn_pack *c = &s->at[k];
    for (int b = 0; b < 1 + c->pair; b++)
        if (s->scaled)
            scatter((const jn_wide(*)[6])c->H[b], c->body[b], s->scale, dp, v);
        else
            scatter((const jn_wide(*)[6])s->Y[k][b], c->body[b], NULL, dp, v);
}

void jn_packs_impulse(const jn_packs *packs, const jn_wide *x, jn_wide *v) {
    memset(v, 0, ((size_t)packs->slots + 1) * sizeof *v);
    for (int k = 0; k < packs->count; k++) apply(packs, k, x + 3 * k, v);
}

/* ----------------------------------------------------------------------------------------------------- one contact */

/* p_T and p_N at alpha and Newton's step for mu p_N/|p_T| = 1, as in jn_local_slip_at. */
typedef struct slip {
    jn_wide p1, p2, pn, d1, d2, step;
    mask outside;
} slip;

static inline slip slip_at(const jn_pack *l, const jn_wide q[3], jn_wide alpha) {
    slip s;
    jn_wide a = l->a + alpha, e = l->e + alpha, r = 1 / (a * e - l->b * l->c);
    s.p1 = (l->b * q[2] - e * q[1]) * r, s.p2 = (l->c * q[1] - a * q[2]) * r;
    s.d1 = (l->b * s.p2 - e * s.p1) * r, s.d2 = (l->c * s.p1 - a * s.p2) * r;
    s.pn = -(q[0] + l->n1 * s.p1 + l->n2 * s.p2) * l->inverse;
    jn_wide dn = -(l->n1 * s.d1 + l->n2 * s.d2) * l->inverse, square = s.p1 * s.p1 + s.p2 * s.p2;
    jn_wide excess = l->mu * s.pn - root(square);
    s.outside = excess < 0;
    s.step = -excess * square / (l->mu * (dn * square - s.pn * (s.p1 * s.d1 + s.p2 * s.d2)));
    return s;
}

/* Newton's method between bounds, as jn_local_slip_solve, in the lanes `where`, until the next correction of alpha is below the part
 * `exact` of it. */
static inline void solve_slip(jn_pack *l, double exact, const jn_wide q[3], mask where, jn_wide p[3]) {
    jn_wide low = all(0), high = all(INFINITY), size = 0.5 * (l->a + l->e);
    jn_wide alpha = choose(l->alpha > 0, l->alpha, size);
    slip s = slip_at(l, q, alpha);
    for (int k = 0; k < 200; k++) {
        jn_wide distance = choose(s.step < 0, -s.step, s.step);
        mask going = where & ~(distance <= exact * alpha);
        if (!any(going)) break;
        low = choose(going & s.outside, alpha, low), high = choose(going & ~s.outside, alpha, high);
        jn_wide next = alpha + s.step, middle = choose(high < INFINITY, 0.5 * (low + high), 4 * alpha + size);
        next = choose((next > low) & (next < high), next, middle);
        mask stands = going & (next == alpha);
        alpha = choose(going, next, alpha);
        s = slip_at(l, q, alpha);
        s.step = choose(stands, all(0), s.step);
    }
    jn_wide p1 = s.p1 + s.d1 * s.step, p2 = s.p2 + s.d2 * s.step;
    jn_wide pn = larger(-(q[0] + l->n1 * p1 + l->n2 * p2) * l->inverse, all(0));
    jn_wide length = root(p1 * p1 + p2 * p2), part = choose(length > 0, l->mu * pn / length, all(0));
    l->alpha = choose(where, alpha + s.step, l->alpha);
    p[0] = choose(where, pn, p[0]), p[1] = choose(where, p1 * part, p[1]), p[2] = choose(where, p2 * part, p[2]);
}

/* Impulses for the velocities q that the others leave, as jn_local_solve3. */
static inline void solve_contacts(jn_pack *l, double exact, const jn_wide q[3], jn_wide p[3]) {
    jn_wide x[3] = {q[0], q[1] - l->t1 * q[0], q[2] - l->t2 * q[0]};
    jn_wide p1 = (l->b * x[2] - l->e * x[1]) * l->stick, p2 = (l->c * x[1] - l->a * x[2]) * l->stick;
    jn_wide pn = -(q[0] + l->n1 * p1 + l->n2 * p2) * l->inverse;
    mask open = (q[0] >= 0) | (l->inverse == 0), known = (l->stick > 0) | ((x[1] == 0) & (x[2] == 0));
    mask sticks = known & (pn >= 0) & (p1 * p1 + p2 * p2 <= l->mu * l->mu * pn * pn) & ~open;
    mask slips = ~sticks & ~open & (l->mu > 0), smooth = ~sticks & ~open & (l->mu == 0);
    p[0] = choose(sticks, pn, choose(smooth, -q[0] * l->inverse, all(0)));
    p[1] = choose(sticks, p1, all(0)), p[2] = choose(sticks, p2, all(0));
    if (any(slips)) solve_slip(l, exact, x, slips, p);
}

jn_swept jn_packs_sweep(jn_packs *packs, int begin, int end, const jn_wide *before, jn_wide *x, jn_wide *v) {
    jn_wide change = all(0), turn = all(0), seen = all(0);
    for (int k = begin; k < end; k++) {
        jn_pack *c = &packs->at[k];
        if (c->open) continue;
        const jn_wide *W = c->W, *old = before + 3 * k;
        jn_wide *p = x + 3 * k, u[3], dp[3] = {-p[0], -p[1], -p[2]};
        velocity(c, v, u);
        for (int r = 0; r < 3; r++) u[r] -= W[3 * r] * p[0] + W[3 * r + 1] * p[1] + W[3 * r + 2] * p[2];
        solve_contacts(c, packs->exact, u, p);
        for (int r = 0; r < 3; r++) dp[r] += p[r];
        jn_wide energy = c->weight * (dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2]);
        change += energy, seen += c->weight * energy;
        turn -= c->weight * (dp[0] * (p[0] - old[0]) + dp[1] * (p[1] - old[1]) + dp[2] * (p[2] - old[2]));
        apply(packs, k, dp, v);
    }
    return (jn_swept){total(change), total(turn), total(seen)};
}

/* Square of the natural map of p and u, as jn_natural_map. */
static inline jn_wide natural_map(jn_wide mu, const jn_wide p[3], const jn_wide u[3]) {
    jn_wide x[3] = {p[0] - u[0] - mu * root(u[1] * u[1] + u[2] * u[2]), p[1] - u[1], p[2] - u[2]};
    jn_wide t = root(x[1] * x[1] + x[2] * x[2]), n = (x[0] + mu * t) / (1 + mu * mu);
    mask inside = (x[0] >= 0) & (t <= mu * x[0]);
    jn_wide part = choose(n > 0, mu * n / t, all(0));
    jn_wide y0 = p[0] - choose(inside, x[0], larger(n, all(0)));
    jn_wide y1 = p[1] - choose(inside, x[1], part * x[1]), y2 = p[2] - choose(inside, x[2], part * x[2]);
    return y0 * y0 + y1 * y1 + y2 * y2;
}

double jn_packs_error(jn_packs *packs, bool speed, const jn_wide *before, const jn_wide *x, const jn_wide *v) {
    jn_wide most = all(0), sum = all(0);
    for (int k = 0; k < packs->count; k++) {
        jn_pack *c = &packs->at[k];
        const jn_wide *old = before + 3 * k;
        jn_wide u[3], p[3], w = speed ? c->weight : all(1);
        for (int r = 0; r < 3; r++) p[r] = x[3 * k + r] * w;
        velocity(c, v, u);
        jn_wide e = natural_map(c->mu, p, u);
        most = larger(e, most), sum += e;
        c->open = !any((e != 0) | (p[0] != 0) | (old[0] != 0) | (old[1] != 0) | (old[2] != 0));
    }
    double largest = 0, square = total(sum);
    for (int lane = 0; lane < LANES; lane++) largest = jn_max(largest, most[lane]);
    return isnan(square) ? NAN : sqrt(speed ? largest : square);
}
