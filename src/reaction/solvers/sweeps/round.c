/* Sweeps over round contacts. */
#include "reaction/solvers/sweeps/round.h"
#include "reaction/solvers/sweeps/patch.h"
#include "reaction/solvers/sweeps/round_packs.h"
#include <math.h>
#include <string.h>

enum {
    LOOK = 6,    /* sweeps after which the error may be computed, where their changes are small, */
    SELDOM = 8,  /* and where they are not, of the first ones; */
    EARLY = 48,  /* of later ones */
    RARELY = 24, /* after so many */
    REGROUP =
        24, /* sweeps after which packs are filled anew, so that open contacts share packs which are left out; then after */
    LATER = 4,         /* times as many, */
    MANY = 16,         /* where at least every sixteenth is open */
    REFRESH = 128,     /* sweeps after which velocities are summed anew in any case */
    PATIENCE = 256,    /* sweeps without progress after which as many go without momentum */
    STALLED = 256,     /* sweeps in which errors have not been halved: patches, */
    RINGS = 2,         /* first with bodies so many contacts away, */
    MOST_RINGS = 6,    /* at last; */
    MOST_ROUNDED = 20, /* times that an error which seemed to meet the tolerance did not */
    BUDGET = 800       /* Newton iterations on patches, of one problem */
};
static const double NEARLY = 1.5;  /* times the tolerance: changes of a sweep are small [m/s] */
static const double NARROW = 1e-3; /* of the tolerance: single precision does not tell */
static const double FALL = 0.1;    /* of the error since velocities were summed: they are summed anew */
static const float GROWTH = 1.5f;  /* of the change over its least: momentum was too large */
static const float LEFT = 0.7f;    /* of the momentum after that */

/* ---------------------------------------------------------------------------------------------------- velocities */

/* Impulses with their changes, and the velocities that they make. */
static void sum_impulses(jn_round *s) {
    memset(s->sum, 0, ((size_t)s->bodies + 1) * sizeof *s->sum);
    for (int k = 0; k < s->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            const jn_round_contact *c = &s->one[LANES * k + lane];
            double *f = s->total[LANES * k + lane], *a = s->sum[c->body[0]], *b = s->sum[c->body[1]], turn[3];
            float change = 0;
            bool open = true; /* its change takes all of the impulse, but for rounding */
            for (int l = 0; l < 3; l++) {
                float none = -s->at[k].load[lane] * s->at[k].n[l][lane] - s->at[k].base[l][lane];
                open = open && s->f[3 * k + l][lane] == none;
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
static void velocity_of(const jn_round *s, const jn_round_contact *c, double *u) {
    const double *a = s->sum[c->body[0]], *b = s->sum[c->body[1]];
    double turn[3], slip[3];
    for (int l = 0; l < 3; l++) turn[l] = c->rho[1] * b[3 + l] - c->rho[0] * a[3 + l];
    cross(turn, c->n, slip);
    for (int l = 0; l < 3; l++) u[l] = c->q[l] + b[l] - a[l] + slip[l];
}

/* Velocities and impulses from which sweeps count, as s->sum and s->total have them. */
static void take_bases(jn_round *s) {
    double u[3];
    for (int k = 0; k < s->count; k++) {
        jn_round_pack *p = &s->at[k];
        for (int lane = 0; lane < LANES; lane++) {
            const jn_round_contact *c = &s->one[LANES * k + lane];
            const double *f = s->total[LANES * k + lane];
            if (p->contact[lane] < 0) continue;
            double mu = s->problem->mu[p->contact[lane]], fn = dot(c->n, f);
            velocity_of(s, c, u);
            double un = dot(c->n, u);
            p->q[lane] = (float)un;
            for (int l = 0; l < 3; l++) {
                p->slip[l][lane] = (float)(u[l] - un * c->n[l]), p->base[l][lane] = (float)(f[l] - fn * c->n[l]);
            }
            p->load[lane] = (float)fn;
            p->inside[lane] = (float)((mu * mu + 1) * fn * fn - dot(f, f));
        }
    }
}

/* Sums impulses and velocities in double precision; sweeps count from there. */
static void refresh(jn_round *s) {
    sum_impulses(s), take_bases(s);
    for (int k = 0; k < s->count; k++)
        for (int l = 0; l < 3; l++) s->before[3 * k + l] -= s->f[3 * k + l], s->f[3 * k + l] = all16(0);
    for (int b = 0; b <= s->bodies; b++) s->v_before[b] -= s->v[b];
    memset(s->v, 0, ((size_t)s->bodies + 1) * sizeof *s->v);
}

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* One sweep from beyond the last one. */
static jn_round_swept sweep(jn_round *s) {
    jn_round_sums sum = {all16(0), all16(0), all16(0)};
    jn_round_extrapolate(s);
    for (int c = 0; c < s->colours.count; c++)
        for (int at = s->first[c], last = s->first[c + 1]; at < last; at += CHUNK) {
            jn_round_sums part;
            jn_round_sweep(s, at, at + CHUNK < last ? at + CHUNK : last, &part);
            sum.change += part.change, sum.turn += part.turn;
            for (int k = 0; k < LANES; k++) sum.most[k] = part.most[k] > sum.most[k] ? part.most[k] : sum.most[k];
        }
    return (jn_round_swept){total(&sum.change), total(&sum.turn), (double)largest(&sum.most)};
}

/* ---------------------------------------------------------------------------------------------------------- error */

/* Speed error [m/s] as jn_round_error, after velocities were summed, in double precision. */
static double exact_error_of(const jn_round *s) {
    double most = 0, d[3][3], u[3], x[3], p[3];
    for (int k = 0; k < s->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            velocity_of(s, &s->one[LANES * k + lane], u);
            take_directions(s->problem, i, d);
            for (int r = 0; r < 3; r++) {
                x[r] = dot(d[r], u), p[r] = dot(d[r], s->total[LANES * k + lane]) / s->problem->mass[i];
            }
            most = jn_max(most, jn_natural_map(3, s->problem->mu[i], p, x));
        }
    return sqrt(most);
}

/* ---------------------------------------------------------------------------------------------------------- solve */

static size_t lay_out(jn_round *s, int **colour, uint64_t **taken, jn_scratch *m) {
    size_t contacts = (size_t)s->problem->contacts, bodies = (size_t)s->problem->velocities / SIX + 2;
    s->capacity = s->problem->contacts / LANES + JN_COLOURS;
    if (s->capacity > s->problem->contacts) s->capacity = s->problem->contacts;
    size_t packs = (size_t)s->capacity;
    s->at = jn_scratch_take(m, packs, sizeof *s->at);
    s->f = jn_scratch_take(m, 3 * packs, sizeof *s->f), s->before = jn_scratch_take(m, 3 * packs, sizeof *s->before);
    s->v = jn_scratch_take(m, bodies, sizeof *s->v), s->v_before = jn_scratch_take(m, bodies, sizeof *s->v_before);
    s->sum = jn_scratch_take(m, bodies, sizeof *s->sum), s->total = jn_scratch_take(m, packs * LANES, sizeof *s->total);
    s->light = jn_scratch_take(m, bodies, sizeof *s->light),
    s->inverse = jn_scratch_take(m, bodies, sizeof *s->inverse);
    s->one = jn_scratch_take(m, packs * LANES, sizeof *s->one);
    s->best = jn_scratch_take(m, packs * LANES, sizeof *s->best),
    s->spare = jn_scratch_take(m, contacts, sizeof *s->spare),
    s->loaded = jn_scratch_take(m, contacts, sizeof *s->loaded);
    s->colours.order = jn_scratch_take(m, contacts, sizeof *s->colours.order);
    s->read = jn_scratch_take(m, contacts, sizeof *s->read), *colour = jn_scratch_take(m, contacts, sizeof **colour);
    *taken = jn_scratch_take(m, (size_t)s->problem->velocities, sizeof **taken);
    return m->used;
}

size_t jn_round_scratch(const jn_problem *problem) {
    jn_round s = {.problem = problem};
    int *colour;
    uint64_t *taken;
    jn_scratch m = {NULL, 0};
    return lay_out(&s, &colour, &taken, &m);
}

/* Impulses in the rows' directions. */
static void give(const jn_round *s, const double (*total)[3], double *p) {
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

static void extrapolate(jn_round *s, momentum *m, jn_round_swept done, int count) {
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

/* Sums velocities anew; the error, in double precision where rounding decides whether it meets the tolerance. The impulses are kept where they are the best so far. */
static double judge(jn_round *s, double tolerance) {
    refresh(s);
    double error = jn_round_error(s);
    double off = s->rounding + NARROW * tolerance;
    if (fabs(error - tolerance) <= off) error = exact_error_of(s);
    if (error < s->least) s->least = error, memcpy(s->best, s->total, (size_t)(LANES * s->count) * sizeof *s->best);
    return error;
}

/* Impulses from the rows' directions. */
static void take(jn_round *s, const double *p) {
    double d[3][3];
    for (int k = 0; k < s->count; k++) {
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            take_directions(s->problem, i, d);
            for (int l = 0; l < 3; l++)
                s->total[LANES * k + lane][l] = p[3 * i] * d[0][l] + p[3 * i + 1] * d[1][l] + p[3 * i + 2] * d[2][l];
        }
        for (int l = 0; l < 3; l++) s->f[3 * k + l] = s->before[3 * k + l] = all16(0);
    }
    memset(s->v, 0, ((size_t)s->bodies + 1) * sizeof *s->v),
        memset(s->v_before, 0, ((size_t)s->bodies + 1) * sizeof *s->v);
    s->ahead = 0;
}

/* Packs by the contacts that are loaded now, after velocities were summed: others share packs then, which sweeps leave out. The momentum goes on. */
static void regroup(jn_round *s) {
    int open = 0;
    for (int k = 0; k < s->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            const double *f = s->total[LANES * k + lane];
            if (i < 0) continue;
            double *kept = s->spare[i], *best = s->best[LANES * k + lane];
            for (int l = 0; l < 3; l++)
                kept[l] = f[l], kept[3 + l] = best[l], kept[6 + l] = (double)s->before[3 * k + l][lane];
            s->loaded[i] = dot(f, f) > 0 || dot(kept + 6, kept + 6) > 0 || !(s->at[k].q[lane] > 0);
            open += !s->loaded[i];
        }
    if (MANY * open < s->problem->contacts) return;
    jn_round_fill(s);
    for (int k = 0; k < s->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            for (int l = 0; l < 3 && i >= 0; l++) {
                s->total[LANES * k + lane][l] = s->spare[i][l], s->best[LANES * k + lane][l] = s->spare[i][3 + l];
                s->before[3 * k + l][lane] = (float)s->spare[i][6 + l];
            }
        }
    take_bases(s), jn_round_error(s);
}

/* Where errors have not been halved for a while: those of a few contacts with their neighbourhoods, as in solve_gauss_seidel.c. */
typedef struct stall {
    double mark; /* least error at the last look */
    int next, wait, rings, budget;
} stall;

/* Returns whether impulses changed; their error is not computed yet. */
static bool solve_patches(jn_round *s, stall *l, const jn_round_aim *aim, void *scratch, int count) {
    if (!scratch || count < l->next || l->budget <= 0) return false;
    bool stalls = s->least > 0.5 * l->mark;
    l->wait = stalls && l->rings > RINGS ? 2 * l->wait : STALLED;
    l->next = count + l->wait, l->mark = s->least;
    if (!stalls) return false;
    double *p = (double *)s->spare;
    judge(s, aim->tolerance), give(s, (const double(*)[3])s->total, p);
    int solved = jn_patches_solve(s->problem, aim->tolerance, l->rings, &l->budget, scratch, p);
    if (solved >= 0 && l->rings < MOST_RINGS) l->rings++;
    if (solved > 0) take(s, p);
    return solved > 0;
}

/* Ends where rounding does not let the error fall, too. */
static void iterate(jn_round *s, const jn_round_aim *aim, void *patches, int *count) {
    momentum forward = {.theta = 1, .lowest = INFINITY, .mark = INFINITY};
    stall stalled = {.mark = INFINITY, .next = STALLED / 2, .wait = STALLED, .rings = RINGS, .budget = BUDGET};
    double exact = judge(s, aim->tolerance);
    int looked = 0, summed = 0, rounded = 0, grouped = REGROUP;
    while (*count < aim->sweeps && exact > aim->keep && rounded < MOST_ROUNDED) {
        jn_round_swept done = sweep(s);
        extrapolate(s, &forward, done, ++*count);
        bool small = *count - looked >= LOOK && done.most <= NEARLY * NEARLY * aim->tolerance * aim->tolerance;
        if (!small && *count - looked < (*count < EARLY ? SELDOM : RARELY)) continue;
        double error = jn_round_error(s);
        looked = *count;
        bool patched = solve_patches(s, &stalled, aim, patches, *count), meets = error <= aim->tolerance + s->rounding;
        if (patched) forward = (momentum){.theta = 1, .lowest = INFINITY, .mark = INFINITY};
        bool due = *count >= grouped;
        if (!patched && !meets && !due && error > FALL * exact && *count - summed < REFRESH) continue;
        summed = *count;
        exact = judge(s, aim->tolerance);
        if (exact <= aim->tolerance) break;
        if (due) regroup(s), grouped *= LATER;
        rounded += meets;
    }
    if (summed < *count) judge(s, aim->tolerance);
}

/* A velocity with which those of a body begin. */
static int first_dof(const jn_problem *problem) {
    if (!problem->round) return problem->H->dof[problem->H->start[0]];
    return problem->round->dof[0] < 0 ? problem->round->dof[1] : problem->round->dof[0];
}

double jn_round_solve(const jn_problem *problem, const jn_round_aim *aim, void *scratch, void *patches, double *p,
                      int *count) {
    jn_round s = {.problem = problem, .bodies = problem->velocities / SIX + 1, .least = INFINITY};
    int *colour;
    uint64_t *taken;
    jn_scratch m = {scratch, 0};
    lay_out(&s, &colour, &taken, &m);
    s.shift = first_dof(problem) % SIX;
    if (!jn_round_read(&s)) return INFINITY;
    jn_colour_contacts(problem, colour, taken, &s.colours);
    if (s.colours.count == JN_COLOURS) return INFINITY;
    for (int i = 0; i < problem->contacts; i++) s.loaded[i] = p[3 * (size_t)i] > 0;
    jn_round_fill(&s), take(&s, p);
    *count = 0;
    iterate(&s, aim, patches, count);
    if (s.least<INFINITY && * count> 0) give(&s, (const double(*)[3])s.best, p);
    return s.least;
}
