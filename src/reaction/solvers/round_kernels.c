/* Sweeps over packs of round contacts and their errors, for one kind of processor (variants.h). */
#include "reaction/solvers/round_packs.h"
#include <math.h>

static const double ROUNDED = 2e-7; /* of the slip: what rounding leaves of an error */

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* Normal velocity un and slip of each contact, with the changes a and b of the velocities of bodies 0 and 1. */
static inline void relative(const jn_round_pack *c, const jn_wide16 *a, const jn_wide16 *b, jn_wide16 *un,
                            jn_wide16 *slip) {
    jn_wide16 turn[3], change[3];
    for (int l = 0; l < 3; l++) turn[l] = c->rho[1] * b[3 + l] - c->rho[0] * a[3 + l];
    cross_wide(turn, c->n, change);
    for (int l = 0; l < 3; l++) change[l] += b[l] - a[l];
    jn_wide16 n = dot_wide(c->n, change);
    *un = c->q + n;
    for (int l = 0; l < 3; l++) slip[l] = c->slip[l] + (change[l] - n * c->n[l]);
}

/* Change of each impulse for those of the others, counted from c->base: f is the old one, un and slip are the velocities with it. The tangential part of a
 * slip, mu x_N along all_t, is counted from t or from the base, whichever is less, so that a fast slip rounds no impulse and a large impulse no small
 * change. */
static inline void solve_contacts(const jn_round_pack *c, jn_wide16 un, const jn_wide16 *slip, const jn_wide16 *f,
                                  jn_wide16 *x) {
    jn_wide16 fn = dot_wide(c->n, f), bn = dot_wide(c->n, c->base), base[3], t[3], all_t[3];
    jn_wide16 xn = fn - un * c->normal, sum = bn + xn, square = c->mu * c->mu, most = c->mu * sum;
    for (int l = 0; l < 3; l++) {
        t[l] = f[l] - fn * c->n[l] - c->tangent * slip[l];
        base[l] = c->base[l] - bn * c->n[l], all_t[l] = base[l] + t[l];
    }
    jn_wide16 change = dot_wide(t, t), size = root(dot_wide(all_t, all_t)), down = 1 / (size * (size + most));
    jn_wide16 inside = c->inside + 2 * (square * bn * xn - dot_wide(base, t)) + (square * xn * xn - change);
    jn_mask16 open = sum <= 0, slips = inside < 0, small = change < dot_wide(base, base);
    jn_wide16 part = choose(small, larger(inside * down, all(-1)), most * (size + most) * down);
    part = choose(slips, part, all(0));
    for (int l = 0; l < 3; l++) {
        jn_wide16 start = choose(slips & ~small, -base[l], t[l]);
        x[l] = choose(open, -c->base[l], xn * c->n[l] + start + part * all_t[l]);
    }
}

/* Some packs of one colour together, so that one is computed while another waits for its roots and quotients. */
static inline __attribute__((always_inline)) void sweep_some(jn_round *s, int k, const int count, jn_round_sums *sum) {
    jn_round_pack *c = &s->at[k];
    jn_wide16 *f = s->f + 3 * k, *before = s->before + 3 * k, ahead = all(s->ahead);
    jn_wide16 a[2][6], b[2][6], un[2], slip[2][3], start[2][3], x[2][3], d[2][3], moment[3], way[3];
    for (int t = 0; t < count; t++) gather(s->v, c[t].body[0], a[t]), gather(s->v, c[t].body[1], b[t]);
    for (int t = 0; t < count; t++) {
        relative(&c[t], a[t], b[t], &un[t], slip[t]);
        for (int l = 0; l < 3; l++) start[t][l] = f[3 * t + l] + ahead * (f[3 * t + l] - before[3 * t + l]);
    }
    for (int t = 0; t < count; t++) solve_contacts(&c[t], un[t], slip[t], start[t], x[t]);
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
        jn_wide16 part = c[t].weight * dot_wide(d[t], d[t]);
        sum->change += part, sum->turn -= c[t].weight * dot_wide(d[t], way),
            sum->most = larger(c[t].weight * part, sum->most);
    }
    for (int t = 0; t < count; t++) scatter(s->v, c[t].body[0], a[t]), scatter(s->v, c[t].body[1], b[t]);
}

void JN_VARIANT(jn_round_sweep)(jn_round *s, int begin, int end, jn_round_sums *out) {
    jn_round_sums sum = {all(0), all(0), all(0)};
    int k = begin;
    for (; k + 1 < end; k += 2) {
        if (s->at[k].open && s->at[k + 1].open) continue;
        sweep_some(s, k, 2, &sum);
    }
    if (k < end && !s->at[k].open) sweep_some(s, k, 1, &sum);
    *out = sum;
}

/* ---------------------------------------------------------------------------------------------------------- error */

/* Square of the natural map of f over the mass and u, as jn_natural_map, f counted from c->base: u + (y - proj y) at y = f - u. */
static inline jn_wide16 natural_map(const jn_round_pack *c, const jn_wide16 *f, jn_wide16 un, jn_wide16 *slip) {
    jn_wide16 fn = dot_wide(c->n, f), bn = dot_wide(c->n, c->base), t[3], all_t[3], mass = 1 / c->weight;
    for (int l = 0; l < 3; l++) {
        t[l] = f[l] - fn * c->n[l] - mass * slip[l];
        all_t[l] = c->base[l] - bn * c->n[l] + t[l];
    }
    un += c->mu * root(dot_wide(slip, slip));
    jn_wide16 xn = fn - mass * un, y = bn + xn, square = c->mu * c->mu, size = root(dot_wide(all_t, all_t));
    jn_wide16 inside = c->inside + 2 * (square * bn * xn - dot_wide(c->base, t)) + (square * xn * xn - dot_wide(t, t));
    jn_mask16 polar = y + c->mu * size <= 0, within = (y >= 0) & (inside >= 0);
    jn_wide16 over = -inside / ((size + c->mu * y) * (1 + square)) * c->weight; /* (|y_T| - mu y_N)/(1 + mu^2) in m/s */
    jn_wide16 far = (size - c->mu * y) / (1 + square) * c->weight;
    over = choose(over > c->weight * size, c->weight * size, over);
    over = choose(within, all(0), choose(y > 0, over, far));
    jn_wide16 part = choose(size > 0, over / size, all(0)), e = un - c->mu * over;
    for (int l = 0; l < 3; l++) slip[l] += part * all_t[l];
    jn_wide16 whole = 0 * e;
    for (int l = 0; l < 3; l++) whole += (c->base[l] + f[l]) * (c->base[l] + f[l]);
    return choose(polar, c->weight * c->weight * whole, e * e + dot_wide(slip, slip));
}

double JN_VARIANT(jn_round_error)(jn_round *s) {
    jn_wide16 most = all(0), fastest = all(0);
    for (int k = 0; k < s->count; k++) {
        jn_round_pack *c = &s->at[k];
        const jn_wide16 *f = s->f + 3 * k, *old = s->before + 3 * k;
        jn_wide16 a[6], b[6], un, slip[3], now = all(0), last = all(0);
        gather(s->v, c->body[0], a), gather(s->v, c->body[1], b);
        relative(c, a, b, &un, slip);
        for (int l = 0; l < 3; l++) {
            now += (c->base[l] + f[l]) * (c->base[l] + f[l]), last += (c->base[l] + old[l]) * (c->base[l] + old[l]);
        }
        fastest = larger(choose(now > 0, dot_wide(slip, slip), all(0)), fastest);
        jn_wide16 e = natural_map(c, f, un, slip);
        most = larger(e, most);
        c->open = !(largest(e + now + last) > 0);
    }
    s->rounding = ROUNDED * sqrt((double)largest(fastest));
    return sqrt((double)largest(most));
}
