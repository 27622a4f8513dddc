/* What sweeps over round contacts count from, in double precision, four lanes of a pack at a time: impulses, velocities and errors of nodes. */
#include "algebra/four.h"
#include "reaction/solvers/sweeps/round_packs.h"
#include <math.h>
#include <string.h>

/* Four lanes of a pack, in double and in single precision. */
enum { FOUR = 4 };
typedef jn_four four;
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef int64_t four_masks __attribute__((vector_size(32)));
typedef int four_flags __attribute__((vector_size(16)));

static inline four take_four(const double *x) { return *(const four *)(const void *)x; }
static inline void put_four(double *x, four a) { *(four *)(void *)x = a; }
static inline four_floats floats_at(const jn_wide16 *x, int lane) {
    return *(const four_floats *)(const void *)((const float *)(const void *)x + lane);
}
static inline void put_floats(jn_wide16 *x, int lane, four a) {
    *(four_floats *)(void *)((float *)(void *)x + lane) = __builtin_convertvector(a, four_floats);
}
static inline four size_of(four_floats a) { return __builtin_convertvector(a, four); }
static inline four_floats magnitude(four_floats a) { return (four_floats)((four_flags)a & 0x7fffffff); }
static inline four dot_four(const four *a, const four *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void cross_four(const four *a, const four *b, four *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* f: impulses of four contacts with their changes since velocities were last summed. The change of an open one takes all of the impulse, but for rounding. */
static inline void add_changes(const jn_round *s, int k, int lane, four *f) {
    const jn_round_pack *p = &s->at[k];
    four_floats load = floats_at(&p->load, lane), change = {0}, by[3];
    four_flags open = {-1, -1, -1, -1};
    for (int l = 0; l < 3; l++) {
        by[l] = floats_at(&s->f[3 * k + l], lane);
        open &= by[l] == -load * floats_at(&p->n[l], lane) - floats_at(&p->base[l], lane);
        change += magnitude(by[l]);
    }
    four_masks none = __builtin_convertvector(open & (change > 0), four_masks);
    for (int l = 0; l < 3; l++) {
        four sum = take_four(&s->total[k].f[l][lane]) + size_of(by[l]);
        f[l] = (four)((four_masks)sum & ~none);
    }
}

/* Impulses of a pack with their changes, and the momenta that they give to its bodies, which share no contact. */
static void sum_pack(jn_round *s, jn_round_impulses *to, int k) {
    for (int lane = 0; lane < LANES; lane += FOUR) {
        const jn_round_exact *c = &s->exact[k];
        four f[3], turn[3], n[3], rho[2] = {take_four(&c->rho[0][lane]), take_four(&c->rho[1][lane])}, moment[2][3];
        for (int l = 0; l < 3; l++) n[l] = take_four(&c->n[l][lane]);
        add_changes(s, k, lane, f);
        for (int l = 0; l < 3; l++) put_four(&to[k].f[l][lane], f[l]);
        cross_four(n, f, turn);
        for (int l = 0; l < 3; l++) moment[0][l] = rho[0] * turn[l], moment[1][l] = rho[1] * turn[l];
        for (int i = 0; i < FOUR; i++) {
            double *a = s->sum[c->body[0][lane + i]], *b = s->sum[c->body[1][lane + i]];
            for (int l = 0; l < 3; l++) {
                a[l] -= f[l][i], a[3 + l] -= moment[0][l][i];
                b[l] += f[l][i], b[3 + l] += moment[1][l][i];
            }
        }
    }
    for (int l = 0; l < 3; l++) s->before[3 * k + l] -= s->f[3 * k + l], s->f[3 * k + l] = all16(0);
}

void jn_round_sum_node(jn_round *s, int n) {
    jn_round_node *node = &s->node[n];
    double *still = s->sum[jn_round_still(s, n)];
    if (n >= s->parts) memset(s->sum + node->body, 0, (size_t)(node->last_body - node->body) * sizeof *s->sum);
    for (int k = node->first; k < node->end; k++) sum_pack(s, s->is_best ? s->best : s->total, k);
    for (int l = 0; l < SIX; l++) still[l] = 0;
}

/* Velocities of a part's bodies from their momenta; sweeps count from these. */
void jn_round_take_velocities(jn_round *s, int n) {
    int from = s->node[n].body, to = s->node[n].last_body;
    for (int b = from; b < to; b++) {
        for (int l = 0; l < 3; l++) s->sum[b][l] *= s->light[b], s->sum[b][3 + l] *= s->inverse[b];
        s->v_before[b] -= s->v[b];
    }
    memset(s->v + from, 0, (size_t)(to - from) * sizeof *s->v);
}

/* Velocities of four bodies. */
static inline void gather_sums(const jn_round *s, const int *body, four *x) {
    const double *a = s->sum[body[0]], *b = s->sum[body[1]], *c = s->sum[body[2]], *d = s->sum[body[3]];
    for (int l = 0; l < SIX; l++) x[l] = (four){a[l], b[l], c[l], d[l]};
}

/* c of four contacts at the velocities s->sum; n: their normals; f: their impulses. */
static inline void velocities_of(const jn_round *s, const jn_round_exact *c, int lane, const four *n, const four *f,
                                 four *u) {
    four a[SIX], b[SIX], turn[3], slip[3], rho[2] = {take_four(&c->rho[0][lane]), take_four(&c->rho[1][lane])};
    gather_sums(s, &c->body[0][lane], a), gather_sums(s, &c->body[1][lane], b);
    for (int l = 0; l < 3; l++) turn[l] = rho[1] * b[3 + l] - rho[0] * a[3 + l];
    cross_four(turn, n, slip);
    four compliance = take_four(&c->compliance[lane]);
    for (int l = 0; l < 3; l++) u[l] = take_four(&c->q[l][lane]) + b[l] - a[l] + slip[l] + compliance * f[l];
}

/* Velocities and impulses from which sweeps count, as s->sum and s->total have them. */
void jn_round_take_bases(jn_round *s, int n) {
    for (int k = s->node[n].first; k < s->node[n].end; k++)
        for (int lane = 0; lane < LANES; lane += FOUR) {
            const jn_round_exact *c = &s->exact[k];
            jn_round_pack *p = &s->at[k];
            four u[3], normal[3], f[3], mu = take_four(&c->mu[lane]);
            for (int l = 0; l < 3; l++)
                normal[l] = take_four(&c->n[l][lane]), f[l] = take_four(&s->total[k].f[l][lane]);
            velocities_of(s, c, lane, normal, f, u);
            four fn = dot_four(normal, f), un = dot_four(normal, u);
            put_floats(&p->q, lane, un), put_floats(&p->load, lane, fn);
            for (int l = 0; l < 3; l++)
                put_floats(&p->slip[l], lane, u[l] - un * normal[l]),
                    put_floats(&p->base[l], lane, f[l] - fn * normal[l]);
            put_floats(&p->inside, lane, (mu * mu + 1) * fn * fn - dot_four(f, f));
        }
}

static inline four root_four(four x) { return (four){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }
static inline four choose_four(four_masks where, four a, four b) {
    return (four)(((four_masks)a & where) | ((four_masks)b & ~where));
}

/* Squares of jn_natural_map for four contacts, of impulses over their masses p and velocities u. */
static inline four natural_maps(four mu, const four *n, const four *p, const four *u) {
    four pn = dot_four(n, p), un = dot_four(n, u), slip[3], y[3], off[3], none = {0};
    for (int l = 0; l < 3; l++) slip[l] = u[l] - un * n[l], y[l] = p[l] - pn * n[l] - slip[l];
    four x = pn - un - mu * root_four(dot_four(slip, slip)), t = root_four(dot_four(y, y));
    four_masks inside = (x >= none) & (t <= mu * x);
    four on = (x + mu * t) / (1 + mu * mu), scale = mu * on / t; /* nearest point of the cone */
    four_masks open = on <= none;
    four less =
        choose_four(inside, none, choose_four(open, none + 1, 1 - scale)); /* part of y that the cone leaves out */
    for (int l = 0; l < 3; l++) off[l] = slip[l] + less * y[l];
    four normal = pn - choose_four(inside, x, choose_four(open, none, on));
    return normal * normal + dot_four(off, off);
}

/* Square of the speed error as take_error has it, after velocities were summed, in double precision. */
void jn_round_take_exact(jn_round *s, int node) {
    four most = {0};
    for (int k = s->node[node].first; k < s->node[node].end; k++)
        for (int lane = 0; lane < LANES; lane += FOUR) {
            const jn_round_exact *c = &s->exact[k];
            four n[3], u[3], f[3], p[3], weight = 1 / take_four(&c->mass[lane]);
            for (int l = 0; l < 3; l++)
                n[l] = take_four(&c->n[l][lane]), f[l] = take_four(&s->total[k].f[l][lane]), p[l] = weight * f[l];
            velocities_of(s, c, lane, n, f, u);
            four e = natural_maps(take_four(&c->mu[lane]), n, p, u);
            most = choose_four(e > most, e, most);
        }
    s->node[node].exact = jn_max(jn_max(most[0], most[1]), jn_max(most[2], most[3]));
}

/* Adds the impulses of a node's contacts to s->mean. */
void jn_round_add_to_mean(jn_round *s, int n) {
    for (int k = s->node[n].first; k < s->node[n].end; k++)
        for (int lane = 0; lane < LANES; lane += FOUR) {
            four f[3];
            add_changes(s, k, lane, f);
            for (int i = 0; i < FOUR; i++) {
                int contact = s->at[k].contact[lane + i];
                double *to = s->mean + 3 * (size_t)contact;
                for (int l = 0; l < 3 && contact >= 0; l++) to[l] = (s->means ? to[l] : 0) + f[l][i];
            }
        }
}

void jn_round_take_mean(jn_round *s, int n) {
    for (int k = s->node[n].first; k < s->node[n].end; k++)
        for (int l = 0; l < 3; l++) {
            for (int lane = 0; lane < LANES; lane++) {
                int i = s->at[k].contact[lane];
                if (i >= 0) s->total[k].f[l][lane] = s->mean[3 * (size_t)i + (size_t)l] / s->means;
            }
            s->f[3 * k + l] = s->before[3 * k + l] = all16(0);
        }
}
