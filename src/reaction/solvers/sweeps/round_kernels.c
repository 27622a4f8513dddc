/* Sweeps over packs of round contacts and their errors, for one kind of processor (variants.h). */
#include "reaction/solvers/sweeps/round_packs.h"
#include <float.h>
#include <math.h>

enum { PARTS = LANES / WIDTH };

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* A part of a pack in registers. */
#define TAKE3(x, from, part)                                                                                           \
    jn_wide x[3] = {take_part(&(from)[0], part), take_part(&(from)[1], part), take_part(&(from)[2], part)}

/* Change of the contact velocity, with the changes a and b of the velocities of bodies 0 and 1, and f of the impulse. */
static inline void relative(const jn_round_pack *c, int part, const jn_wide *a, const jn_wide *b, const jn_wide *f,
                            jn_wide *change) {
    jn_wide turn[3], rho[2] = {take_part(&c->rho[0], part), take_part(&c->rho[1], part)}, compliance = take_part(&c->compliance, part);
    TAKE3(n, c->n, part);
    for (int l = 0; l < 3; l++) turn[l] = rho[1] * b[3 + l] - rho[0] * a[3 + l];
    cross_wide(turn, n, change);
    for (int l = 0; l < 3; l++) change[l] += b[l] - a[l] + compliance * f[l];
}

/* Change of each impulse for those of the others, counted from that for which velocities were last summed: f is the old one, u the change of velocity
 * with it. The tangential part of a slip, mu x_N along all_t, is counted from t or from the base, whichever is less, so that a fast slip rounds no impulse
 * and a large impulse no small change. */
static inline void solve_contacts(const jn_round_pack *c, int part, const jn_wide *u, const jn_wide *f, jn_wide *x) {
    TAKE3(n, c->n, part);
    TAKE3(base, c->base, part);
    jn_wide tangent = take_part(&c->tangent, part), load = take_part(&c->load, part), mu = take_part(&c->mu, part);
    jn_wide within = take_part(&c->inside, part), t[3], all_t[3];
    jn_wide fn = dot_wide(n, f), un = dot_wide(n, u), off = fn - tangent * un;
    jn_wide xn = fn - take_part(&c->normal, part) * (take_part(&c->q, part) + un), sum = load + xn;
    jn_wide held = mu * load, more = mu * xn;
    for (int l = 0; l < 3; l++) {
        t[l] = (f[l] - tangent * (take_part(&c->slip[l], part) + u[l])) - off * n[l];
        all_t[l] = base[l] + t[l];
    }
    jn_wide most = held + more, change = dot_wide(t, t), along = held * more - dot_wide(base, t);
    jn_wide size = root(dot_wide(all_t, all_t)), down = 1 / (size * (size + most) + all(FLT_MIN));
    jn_wide inside = within + (along + along) + (more * more - change);
    jn_mask open = sum <= 0, slips = inside < 0, small = change < held * held - within;
    jn_wide shrink = choose(small, larger(inside * down, all(-1)), most * (size + most) * down);
    shrink = choose(slips & ~open, shrink, all(0)), xn = choose(open, -load, xn);
    for (int l = 0; l < 3; l++) {
        jn_wide start = choose(open | (slips & ~small), -base[l], t[l]);
        x[l] = xn * n[l] + start + shrink * all_t[l];
    }
}

/* What sweeps over one part of packs change, as jn_round_sums. */
typedef struct part_sums {
    jn_wide change, turn;
} part_sums;

__attribute__((always_inline)) static inline void sweep_part(jn_round *s, int k, int part, part_sums *sum) {
    const jn_round_pack *c = &s->at[k];
    jn_wide16 *to = s->f + 3 * k, *before = s->before + 3 * k;
    jn_wide a[6], b[6], u[3], start[3], x[3], d[3], moment[3], way[3], ahead = all(s->ahead);
    gather(s->v, c->body[0], part, a), gather(s->v, c->body[1], part, b);
    for (int l = 0; l < 3; l++)
        start[l] = take_part(&to[l], part) + ahead * (take_part(&to[l], part) - take_part(&before[l], part));
    relative(c, part, a, b, start, u);
    solve_contacts(c, part, u, start, x);
    for (int l = 0; l < 3; l++) {
        jn_wide *now = part_of(&to[l], part);
        d[l] = x[l] - start[l], way[l] = x[l] - *now, *part_of(&before[l], part) = *now, *now = x[l];
    }
    TAKE3(n, c->n, part);
    cross_wide(n, d, moment);
    for (int l = 0; l < 3; l++) {
        a[l] -= take_part(&c->light[0], part) * d[l], a[3 + l] -= take_part(&c->spin[0], part) * moment[l];
        b[l] += take_part(&c->light[1], part) * d[l], b[3 + l] += take_part(&c->spin[1], part) * moment[l];
    }
    jn_wide weight = take_part(&c->weight, part);
    sum->change += weight * dot_wide(d, d), sum->turn -= weight * dot_wide(d, way);
    scatter(s->v, c->body[0], part, a), scatter(s->v, c->body[1], part, b);
}

void JN_VARIANT(jn_round_extrapolate)(jn_round *s, int body, int end) {
    float *v = (float *)s->v, *before = (float *)s->v_before;
    for (int k = 8 * body, n = 8 * end; k < n; k++) {
        float x = v[k];
        v[k] = x + s->ahead * (x - before[k]), before[k] = x;
    }
}

void JN_VARIANT(jn_round_sweep)(jn_round *s, int first, int end, jn_round_sums *out) {
    part_sums sum[PARTS];
    for (int part = 0; part < PARTS; part++) sum[part] = (part_sums){all(0), all(0)};
    for (int k = first; k < end; k++)
        for (int part = 0; part < PARTS && !s->at[k].open; part++) sweep_part(s, k, part, &sum[part]);
    for (int part = 0; part < PARTS; part++)
        *part_of(&out->change, part) = sum[part].change, *part_of(&out->turn, part) = sum[part].turn;
}

/* ---------------------------------------------------------------------------------------------------------- error */

/* Square of the natural map of f over the mass and u, as jn_natural_map, f counted from the base: u + (y - proj y) at y = f - u; |f|^2 in whole. */
static inline jn_wide natural_map(const jn_round_pack *c, int part, const jn_wide *f, jn_wide un, jn_wide *slip,
                                  jn_wide whole) {
    TAKE3(n, c->n, part);
    TAKE3(base, c->base, part);
    jn_wide weight = take_part(&c->weight, part), mu = take_part(&c->mu, part), load = take_part(&c->load, part);
    jn_wide fn = dot_wide(n, f), t[3], all_t[3], mass = 1 / weight;
    for (int l = 0; l < 3; l++) {
        t[l] = f[l] - fn * n[l] - mass * slip[l];
        all_t[l] = base[l] + t[l];
    }
    un += mu * root(dot_wide(slip, slip));
    jn_wide xn = fn - mass * un, y = load + xn, square = mu * mu, size = root(dot_wide(all_t, all_t));
    jn_wide along = square * load * xn - dot_wide(base, t);
    jn_wide inside = take_part(&c->inside, part) + 2 * along + (square * xn * xn - dot_wide(t, t));
    jn_mask polar = y + mu * size <= 0, within = (y >= 0) & (inside >= 0);
    jn_wide over = -inside / ((size + mu * y) * (1 + square)) * weight; /* (|y_T| - mu y_N)/(1 + mu^2) in m/s */
    jn_wide far = (size - mu * y) / (1 + square) * weight;
    over = choose(over > weight * size, weight * size, over);
    over = choose(within, all(0), choose(y > 0, over, far));
    jn_wide shrink = choose(size > 0, over / size, all(0)), e = un - mu * over;
    for (int l = 0; l < 3; l++) slip[l] += shrink * all_t[l];
    return choose(polar, weight * weight * whole, e * e + dot_wide(slip, slip));
}

/* |f|^2 of impulses whose change is f. */
static inline jn_wide square_of(const jn_round_pack *c, int part, const jn_wide *f) {
    jn_wide whole[3], load = take_part(&c->load, part);
    for (int l = 0; l < 3; l++) whole[l] = load * take_part(&c->n[l], part) + take_part(&c->base[l], part) + f[l];
    return dot_wide(whole, whole);
}

/* Squares of the errors of a part; those of slips into `fastest`. Zero where a contact has no impulse, had none and separates: e + |f|^2 + |before|^2. */
__attribute__((always_inline)) static inline jn_wide error_of_part(const jn_round *s, int k, int part, jn_wide *e,
                                                                   jn_wide *fastest) {
    const jn_round_pack *c = &s->at[k];
    jn_wide a[6], b[6], u[3], slip[3];
    TAKE3(f, s->f + 3 * k, part);
    TAKE3(old, s->before + 3 * k, part);
    TAKE3(n, c->n, part);
    jn_wide now = square_of(c, part, f), last = square_of(c, part, old);
    gather(s->v, c->body[0], part, a), gather(s->v, c->body[1], part, b);
    relative(c, part, a, b, f, u);
    jn_wide un = dot_wide(n, u);
    for (int l = 0; l < 3; l++) slip[l] = take_part(&c->slip[l], part) + (u[l] - un * n[l]);
    *fastest = larger(choose(now > 0, dot_wide(slip, slip), all(0)), *fastest);
    *e = natural_map(c, part, f, take_part(&c->q, part) + un, slip, now);
    return *e + now + last;
}

void JN_VARIANT(jn_round_look_at)(jn_round *s, int first, int end, jn_round_look *look) {
    *look = (jn_round_look){.most = all16(0), .fastest = all16(0)};
    for (int k = first; k < end; k++) {
        jn_mask any = {0}, above = {0};
        for (int part = 0; part < PARTS; part++) {
            jn_wide e;
            any |= error_of_part(s, k, part, &e, part_of(&look->fastest, part)) > 0;
            above |= e > all(s->allowed);
            *part_of(&look->most, part) = larger(e, take_part(&look->most, part));
        }
        s->at[k].open = !is_any(any);
        if (is_any(above)) s->watch[first + look->watched++] = k;
    }
}

bool JN_VARIANT(jn_round_meets)(jn_round *s, float allowed) {
    for (; s->watched > 0; s->watched--)
        for (int part = 0, k = s->watch[s->watched - 1]; part < PARTS; part++) {
            jn_wide e, fastest = all(0);
            error_of_part(s, k, part, &e, &fastest);
            if (is_any(e > all(allowed))) return false;
        }
    return true;
}
