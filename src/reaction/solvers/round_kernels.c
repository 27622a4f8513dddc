/* Sweeps over packs of round contacts and their errors, for one kind of processor (variants.h). */
#include "reaction/solvers/round_packs.h"
#include <math.h>

static const double ROUNDED = 2e-7; /* of the slip: what rounding leaves of an error */

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* Change of the contact velocity, with the changes a and b of the velocities of bodies 0 and 1. */
static inline void relative(const jn_round_pack *c, const jn_wide16 *a, const jn_wide16 *b, jn_wide16 *change) {
    jn_wide16 turn[3];
    for (int l = 0; l < 3; l++) turn[l] = c->rho[1] * b[3 + l] - c->rho[0] * a[3 + l];
    cross_wide(turn, c->n, change);
    for (int l = 0; l < 3; l++) change[l] += b[l] - a[l];
}

/* Change of each impulse for those of the others, counted from that for which velocities were last summed: f is the old one, u the change of velocity
 * with it. The tangential part of a slip, mu x_N along all_t, is counted from t or from the base, whichever is less, so that a fast slip rounds no impulse
 * and a large impulse no small change. */
static inline void solve_contacts(const jn_round_pack *c, const jn_wide16 *u, const jn_wide16 *f, jn_wide16 *x) {
    jn_wide16 fn = dot_wide(c->n, f), un = dot_wide(c->n, u), off = fn - c->tangent * un, t[3], all_t[3];
    jn_wide16 xn = fn - c->normal * (c->q + un), sum = c->load + xn, held = c->mu * c->load, more = c->mu * xn;
    for (int l = 0; l < 3; l++) {
        t[l] = (f[l] - c->tangent * (c->slip[l] + u[l])) - off * c->n[l];
        all_t[l] = c->base[l] + t[l];
    }
    jn_wide16 most = held + more, change = dot_wide(t, t), along = held * more - dot_wide(c->base, t);
    jn_wide16 size = root(dot_wide(all_t, all_t)), down = 1 / (size * (size + most));
    jn_wide16 inside = c->inside + (along + along) + (more * more - change);
    jn_mask16 open = sum <= 0, slips = inside < 0, small = change < held * held - c->inside;
    jn_wide16 part = choose(small, larger(inside * down, all(-1)), most * (size + most) * down);
    part = choose(slips & ~open, part, all(0)), xn = choose(open, -c->load, xn);
    for (int l = 0; l < 3; l++) {
        jn_wide16 start = choose(open | (slips & ~small), -c->base[l], t[l]);
        x[l] = xn * c->n[l] + start + part * all_t[l];
    }
}

static inline void sweep_pack(jn_round *s, int k, jn_round_sums *sum) {
    const jn_round_pack *c = &s->at[k];
    jn_wide16 *f = s->f + 3 * k, *before = s->before + 3 * k, ahead = all(s->ahead);
    jn_wide16 a[6], b[6], u[3], start[3], x[3], d[3], moment[3], way[3];
    gather(s->v, c->body[0], a), gather(s->v, c->body[1], b);
    relative(c, a, b, u);
    for (int l = 0; l < 3; l++) start[l] = f[l] + ahead * (f[l] - before[l]);
    solve_contacts(c, u, start, x);
    for (int l = 0; l < 3; l++) d[l] = x[l] - start[l], way[l] = x[l] - f[l], before[l] = f[l], f[l] = x[l];
    cross_wide(c->n, d, moment);
    for (int l = 0; l < 3; l++) {
        a[l] -= c->light[0] * d[l], a[3 + l] -= c->spin[0] * moment[l];
        b[l] += c->light[1] * d[l], b[3 + l] += c->spin[1] * moment[l];
    }
    jn_wide16 part = c->weight * dot_wide(d, d);
    sum->change += part, sum->turn -= c->weight * dot_wide(d, way), sum->most = larger(c->weight * part, sum->most);
    scatter(s->v, c->body[0], a), scatter(s->v, c->body[1], b);
}

void JN_VARIANT(jn_round_extrapolate)(jn_round *s) {
    float *v = (float *)s->v, *before = (float *)s->v_before;
    for (int k = 0, n = 8 * (s->bodies + 1); k < n; k++) {
        float x = v[k];
        v[k] = x + s->ahead * (x - before[k]), before[k] = x;
    }
}

void JN_VARIANT(jn_round_sweep)(jn_round *s, int begin, int end, jn_round_sums *out) {
    jn_round_sums sum = {all(0), all(0), all(0)};
    for (int k = begin; k < end; k++)
        if (!s->at[k].open) sweep_pack(s, k, &sum);
    *out = sum;
}

/* ---------------------------------------------------------------------------------------------------------- error */

/* Square of the natural map of f over the mass and u, as jn_natural_map, f counted from the base: u + (y - proj y) at y = f - u; |f|^2 in whole. */
static inline jn_wide16 natural_map(const jn_round_pack *c, const jn_wide16 *f, jn_wide16 un, jn_wide16 *slip,
                                    jn_wide16 whole) {
    jn_wide16 fn = dot_wide(c->n, f), t[3], all_t[3], mass = 1 / c->weight;
    for (int l = 0; l < 3; l++) {
        t[l] = f[l] - fn * c->n[l] - mass * slip[l];
        all_t[l] = c->base[l] + t[l];
    }
    un += c->mu * root(dot_wide(slip, slip));
    jn_wide16 xn = fn - mass * un, y = c->load + xn, square = c->mu * c->mu, size = root(dot_wide(all_t, all_t));
    jn_wide16 along = square * c->load * xn - dot_wide(c->base, t);
    jn_wide16 inside = c->inside + 2 * along + (square * xn * xn - dot_wide(t, t));
    jn_mask16 polar = y + c->mu * size <= 0, within = (y >= 0) & (inside >= 0);
    jn_wide16 over = -inside / ((size + c->mu * y) * (1 + square)) * c->weight; /* (|y_T| - mu y_N)/(1 + mu^2) in m/s */
    jn_wide16 far = (size - c->mu * y) / (1 + square) * c->weight;
    over = choose(over > c->weight * size, c->weight * size, over);
    over = choose(within, all(0), choose(y > 0, over, far));
    jn_wide16 part = choose(size > 0, over / size, all(0)), e = un - c->mu * over;
    for (int l = 0; l < 3; l++) slip[l] += part * all_t[l];
    return choose(polar, c->weight * c->weight * whole, e * e + dot_wide(slip, slip));
}

/* |f|^2 of impulses whose change is f. */
static inline jn_wide16 square_of(const jn_round_pack *c, const jn_wide16 *f) {
    jn_wide16 whole[3];
    for (int l = 0; l < 3; l++) whole[l] = c->load * c->n[l] + c->base[l] + f[l];
    return dot_wide(whole, whole);
}

double JN_VARIANT(jn_round_error)(jn_round *s) {
    jn_wide16 most = all(0), fastest = all(0);
    for (int k = 0; k < s->count; k++) {
        jn_round_pack *c = &s->at[k];
        const jn_wide16 *f = s->f + 3 * k, *old = s->before + 3 * k;
        jn_wide16 a[6], b[6], u[3], slip[3], now = square_of(c, f), last = square_of(c, old);
        gather(s->v, c->body[0], a), gather(s->v, c->body[1], b);
        relative(c, a, b, u);
        jn_wide16 n = dot_wide(c->n, u);
        for (int l = 0; l < 3; l++) slip[l] = c->slip[l] + (u[l] - n * c->n[l]);
        fastest = larger(choose(now > 0, dot_wide(slip, slip), all(0)), fastest);
        jn_wide16 e = natural_map(c, f, c->q + n, slip, now);
        most = larger(e, most);
        c->open = !(largest(e + now + last) > 0);
    }
    s->rounding = ROUNDED * sqrt((double)largest(fastest));
    return sqrt((double)largest(most));
}
