/* Sweeps over round contacts. */
#include "reaction/solvers/sweeps/round.h"
#include "reaction/solvers/sweeps/patch.h"
#include "reaction/solvers/sweeps/round_packs.h"
#include <math.h>
#include <string.h>

enum {
    LOOK = 6,    /* sweeps until errors are watched again where rounding hid that they are too large */
    SELDOM = 8,  /* sweeps after which all errors are computed, of the first ones; */
    EARLY = 48,  /* of later ones */
    RARELY = 24, /* after so many */
    REGROUP =
        24, /* sweeps after which packs are filled anew, so that open contacts share packs which are left out; then after */
    LATER = 4,         /* times as many, */
    MANY = 16,         /* where every sixteenth has become open or closed */
    REFRESH = 128,     /* sweeps after which velocities are summed anew in any case */
    PATIENCE = 256,    /* sweeps without progress after which as many go without momentum */
    LARGE = 500,       /* contacts of an island, which has no other solvers then, from which on after */
    STAGNANT = 96,     /* sweeps in which errors have not been halved the mean of */
    MEAN = 6,          /* looks at errors is the next start */
    STALLED = 256,     /* sweeps in which the least error has not been halved: patches, */
    RINGS = 2,         /* first with bodies so many contacts away, */
    MOST_RINGS = 6,    /* at last; */
    MOST_ROUNDED = 20, /* times that an error which seemed to meet the tolerance did not */
    BUDGET = 800       /* Newton iterations on patches, of one problem */
};
static const double NARROW = 1e-3;  /* of the tolerance: single precision does not tell */
static const double ROUNDED = 2e-7; /* of the slip: what rounding leaves of an error */
static const double FALL = 0.1;     /* of the error since velocities were summed: they are summed anew */
static const float GROWTH = 1.5f;   /* of the change over its least: momentum was too large */
static const float LEFT = 0.7f;     /* of the momentum after that */

/* ---------------------------------------------------------------------------------------------------------- nodes */

typedef void node_task(jn_round *s, int node);

typedef struct node_tasks {
    jn_round *s;
    node_task *task;
    int level; /* nodes level to 2 level - 1; 0: all */
} node_tasks;

/* A thread takes the part of its rank, so parts come first. */
static void do_node(void *context, int k) {
    node_tasks *t = context;
    int parts = t->s->parts;
    t->task(t->s, t->level ? t->level + k : k < parts ? parts + k : k - parts + 1);
}

/* Tasks that write what the bodies of a node's contacts have: level by level from the parts up. */
static void for_levels(jn_round *s, node_task *task) {
    for (int level = s->parts; level > 0; level /= 2)
        jn_pool_share(s->pool, level, do_node, &(node_tasks){s, task, level});
}

/* Those that write what bodies of a part have, or what packs have. */
static void for_parts(jn_round *s, node_task *task) {
    jn_pool_share(s->pool, s->parts, do_node, &(node_tasks){s, task, s->parts});
}
static void for_nodes(jn_round *s, node_task *task) {
    jn_pool_share(s->pool, 2 * s->parts - 1, do_node, &(node_tasks){s, task, 0});
}

/* ---------------------------------------------------------------------------------------------------- velocities */

/* The impulses with the least error. */
static const jn_round_impulses *best_of(const jn_round *s) { return s->is_best ? s->total : s->best; }

/* Before s->total is written anew: where it is the best, the other block takes its place. */
static void begin_total(jn_round *s) {
    jn_round_impulses *old = s->total;
    if (s->is_best) s->total = s->best, s->best = old, s->is_best = false;
}

/* Sums impulses and velocities in double precision; sweeps count from there. */
static void refresh(jn_round *s) {
    for_levels(s, jn_round_sum_node), begin_total(s), for_parts(s, jn_round_take_velocities);
}

/* ---------------------------------------------------------------------------------------------------------- sweep */

static void sweep_node(jn_round *s, int n) {
    jn_round_node *node = &s->node[n];
    if (n >= s->parts) jn_round_extrapolate(s, node->body, node->last_body);
    jn_round_sweep(s, node->first, node->end, &node->swept);
}

/* One sweep from beyond the last one. */
static jn_round_swept sweep(jn_round *s) {
    jn_round_swept all = {0, 0};
    for_levels(s, sweep_node);
    for (int n = 1; n < 2 * s->parts; n++)
        all.change += total(&s->node[n].swept.change), all.turn += total(&s->node[n].swept.turn);
    return all;
}

/* ---------------------------------------------------------------------------------------------------------- error */

static void impulse_of(const jn_round_impulses *all, int k, int lane, double *f) {
    for (int l = 0; l < 3; l++) f[l] = all[k].f[l][lane];
}

static double exact_error_of(jn_round *s) {
    double most = 0;
    for_nodes(s, jn_round_take_exact);
    for (int n = 1; n < 2 * s->parts; n++) most = jn_max(most, s->node[n].exact);
    return sqrt(most);
}

static void look_at_node(jn_round *s, int n) {
    jn_round_node *node = &s->node[n];
    jn_round_look_at(s, node->first, node->end, &node->look);
}

/* Speed error [m/s] as single precision sees it, and what rounds it. */
static double error_of(jn_round *s) {
    float most = 0, fastest = 0;
    for_nodes(s, look_at_node);
    s->watched = 0;
    for (int n = 1; n < 2 * s->parts; n++) {
        jn_round_node *node = &s->node[n];
        float own = largest(&node->look.most), slip = largest(&node->look.fastest);
        most = own > most ? own : most, fastest = slip > fastest ? slip : fastest;
        memmove(s->watch + s->watched, s->watch + node->first, (size_t)node->look.watched * sizeof *s->watch);
        s->watched += node->look.watched;
    }
    s->rounding = ROUNDED * sqrt((double)fastest);
    return sqrt((double)most);
}

/* ---------------------------------------------------------------------------------------------------------- solve */

static size_t lay_out(jn_round *s, jn_scratch *m) {
    int all = s->problem->velocities / SIX + 1;
    size_t contacts = (size_t)s->problem->contacts, bodies = (size_t)jn_round_rows(all);
    s->capacity = s->problem->contacts / LANES + 2 * JN_COLOURS * (2 * jn_round_parts(s->problem->contacts) - 1);
    if (s->capacity > s->problem->contacts) s->capacity = s->problem->contacts;
    size_t packs = (size_t)s->capacity;
    s->at = jn_scratch_take(m, packs, sizeof *s->at);
    s->f = jn_scratch_take(m, 3 * packs, sizeof *s->f), s->before = jn_scratch_take(m, 3 * packs, sizeof *s->before);
    s->v = jn_scratch_take(m, bodies, sizeof *s->v), s->v_before = jn_scratch_take(m, bodies, sizeof *s->v_before);
    s->sum = jn_scratch_take(m, bodies, sizeof *s->sum), s->total = jn_scratch_take(m, packs, sizeof *s->total);
    s->light = jn_scratch_take(m, bodies, sizeof *s->light),
    s->inverse = jn_scratch_take(m, bodies, sizeof *s->inverse);
    s->exact = jn_scratch_take(m, packs, sizeof *s->exact);
    s->best = jn_scratch_take(m, packs, sizeof *s->best), s->spare = jn_scratch_take(m, 3 * contacts, sizeof *s->spare);
    s->mean = jn_scratch_take(m, 3 * contacts, sizeof *s->mean);
    s->loaded = jn_scratch_take(m, contacts, sizeof *s->loaded), s->watch = jn_scratch_take(m, packs, sizeof *s->watch);
    s->colours.order = jn_scratch_take(m, contacts, sizeof *s->colours.order);
    s->order = jn_scratch_take(m, contacts, sizeof *s->order);
    s->read = jn_scratch_take(m, contacts, sizeof *s->read);
    s->colour = jn_scratch_take(m, contacts, sizeof *s->colour);
    s->taken = jn_scratch_take(m, (size_t)s->problem->velocities + bodies, sizeof *s->taken);
    s->graph = jn_scratch_take(m, jn_round_graph(s->problem->contacts, all), sizeof *s->graph);
    return m->used;
}

size_t jn_round_scratch(const jn_problem *problem) {
    jn_round s = {.problem = problem};
    jn_scratch m = {NULL, 0};
    return lay_out(&s, &m);
}

/* Impulses in the rows' directions. */
static void give_node(const jn_round *s, int n, const jn_round_impulses *all, double *p) {
    double d[3][3], f[3];
    for (int k = s->node[n].first; k < s->node[n].end; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            take_directions(s->problem, i, d);
            impulse_of(all, k, lane, f);
            for (int r = 0; r < 3; r++) p[3 * i + r] = dot(d[r], f);
        }
}

typedef struct giving {
    const jn_round *s;
    const jn_round_impulses *all;
    double *p;
} giving;

static void give_one(void *context, int k) {
    const giving *g = context;
    give_node(g->s, k + 1, g->all, g->p);
}

static void give(const jn_round *s, const jn_round_impulses *all, double *p) {
    jn_pool_share(s->pool, 2 * s->parts - 1, give_one, &(giving){s, all, p});
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
    refresh(s), for_nodes(s, jn_round_take_bases);
    double error = error_of(s), off = s->rounding + NARROW * tolerance;
    if (fabs(error - tolerance) <= off) error = exact_error_of(s);
    if (error < s->least) s->least = error, s->is_best = true;
    return error;
}

/* Sweeps count from impulses that are new, without momentum. */
static void begin_sweeps(jn_round *s) {
    size_t velocities = ((size_t)s->bodies + 2 * JN_PART_NODES) * sizeof *s->v;
    memset(s->v, 0, velocities), memset(s->v_before, 0, velocities);
    s->ahead = 0;
}

/* Impulses s->spare from the rows' directions. */
static void take_node(jn_round *s, int n) {
    const double *p = s->spare;
    double d[3][3];
    for (int k = s->node[n].first; k < s->node[n].end; k++) {
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            take_directions(s->problem, i, d);
            for (int l = 0; l < 3; l++)
                s->total[k].f[l][lane] = p[3 * i] * d[0][l] + p[3 * i + 1] * d[1][l] + p[3 * i + 2] * d[2][l];
        }
        for (int l = 0; l < 3; l++) s->f[3 * k + l] = s->before[3 * k + l] = all16(0);
    }
}

static void take_spare(jn_round *s) { begin_total(s), for_nodes(s, take_node), begin_sweeps(s); }

/* Whether a contact has an impulse, had one before the last sweep, or does not separate. */
static bool is_loaded(const jn_round *s, int k, int lane) {
    bool any = !(s->at[k].q[lane] > 0);
    for (int l = 0; l < 3; l++) any = any || s->total[k].f[l][lane] != 0 || s->before[3 * k + l][lane] != 0;
    return any;
}

/* Contacts of a node that are loaded now and were not, or were and are not, into node->changed. */
static void count_changed(jn_round *s, int n) {
    jn_round_node *node = &s->node[n];
    node->changed = 0;
    for (int k = node->first; k < node->end; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            node->changed += i >= 0 && is_loaded(s, k, lane) != s->loaded[i];
        }
}

/* Fills the packs of a node anew, by the contacts that are loaded now. */
static void regroup_node(jn_round *s, int n) {
    const jn_round_impulses *least = best_of(s);
    for (int k = s->node[n].first; k < s->node[n].end; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = s->at[k].contact[lane];
            if (i < 0) continue;
            jn_round_contact *c = &s->read[i];
            s->loaded[i] = is_loaded(s, k, lane);
            for (int l = 0; l < 3; l++)
                c->f[l] = s->total[k].f[l][lane], c->best[l] = least[k].f[l][lane],
                c->before[l] = (double)s->before[3 * k + l][lane];
        }
    jn_round_fill(s, n);
}

/* Packs by the contacts that are loaded now, after velocities were summed: others share packs then, which sweeps leave out. The momentum goes on. */
static void regroup(jn_round *s) {
    int changed = 0;
    for_nodes(s, count_changed);
    for (int n = 1; n < 2 * s->parts; n++) changed += s->node[n].changed;
    if (MANY * changed < s->problem->contacts) return;
    for_levels(s, regroup_node), s->is_best = false;
    for_nodes(s, jn_round_take_bases), error_of(s);
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
    double *p = s->spare;
    judge(s, aim->tolerance), give(s, s->total, p);
    int solved = jn_patches_solve(s->problem, aim->tolerance, l->rings, &l->budget, scratch, p);
    if (solved >= 0 && l->rings < MOST_RINGS) l->rings++;
    if (solved > 0) take_spare(s);
    return solved > 0;
}

/* Errors that go to and fro: friction that slips may drive sweeps around a solution, with momentum and without it. From the mean of what they pass through they
 * find it, though its own error is larger at first. */
typedef struct cycle {
    double mark; /* [m/s] error when it was halved last */
    int since;   /* sweeps until then, or until the last mean */
} cycle;

/* Returns whether impulses are the mean now; their error is not computed yet. */
static bool start_from_mean(jn_round *s, cycle *c, double error, int count) {
    if (error < 0.5 * c->mark) *c = (cycle){error, count}, s->means = 0;
    if (s->problem->contacts <= LARGE || count - c->since < STAGNANT) return false;
    for_nodes(s, jn_round_add_to_mean);
    if (++s->means < MEAN) return false;
    begin_total(s), for_nodes(s, jn_round_take_mean), begin_sweeps(s);
    s->means = 0, c->since = count;
    return true;
}

/* Ends where rounding does not let the error fall, too. */
static void iterate(jn_round *s, const jn_round_aim *aim, void *patches, int *count) {
    momentum forward = {.theta = 1, .lowest = INFINITY, .mark = INFINITY};
    stall stalled = {.mark = INFINITY, .next = STALLED / 2, .wait = STALLED, .rings = RINGS, .budget = BUDGET};
    cycle around = {.mark = INFINITY};
    double exact = judge(s, aim->tolerance);
    int looked = 0, summed = 0, rounded = 0, grouped = REGROUP, wait = LOOK;
    while (*count < aim->sweeps && exact > aim->keep && rounded < MOST_ROUNDED) {
        jn_round_swept done = sweep(s);
        extrapolate(s, &forward, done, ++*count);
        double allowed = aim->tolerance + s->rounding;
        bool meets = *count >= wait && jn_round_meets(s, (float)(allowed * allowed));
        if (!meets && *count - looked < (*count < EARLY ? SELDOM : RARELY)) continue;
        double error = error_of(s);
        looked = *count;
        bool moved = solve_patches(s, &stalled, aim, patches, *count);
        meets = error <= aim->tolerance + s->rounding;
        if (moved) s->means = 0;
        if (!moved && !meets) moved = start_from_mean(s, &around, error, *count);
        if (moved) forward = (momentum){.theta = 1, .lowest = INFINITY, .mark = INFINITY};
        bool due = *count >= grouped;
        if (!moved && !meets && !due && error > FALL * exact && *count - summed < REFRESH) continue;
        summed = *count;
        exact = judge(s, aim->tolerance);
        if (exact <= aim->tolerance) break;
        if (due) regroup(s), grouped *= LATER;
        if (meets) rounded++, wait = *count + LOOK;
    }
    if (summed < *count) judge(s, aim->tolerance);
}

/* A velocity with which those of a body begin. */
static int first_dof(const jn_problem *problem) {
    if (!problem->round) return problem->H->dof[problem->H->start[0]];
    return problem->round->dof[0] < 0 ? problem->round->dof[1] : problem->round->dof[0];
}

/* What reading shares among threads: colours and bodies first, which take longest, then contacts. */
enum { COLOURS, BODIES, CONTACTS, SHARES = 4 };
typedef struct reading {
    jn_round *s;
    const double *p;
} reading;

static void read_share(void *context, int k) {
    const reading *r = context;
    long n = r->s->problem->contacts, part = k - CONTACTS;
    if (k == COLOURS)
        jn_colour_contacts(r->s->problem, r->s->colour, r->s->taken, &r->s->colours);
    else if (k == BODIES)
        jn_round_read_bodies(r->s);
    else
        jn_round_read_some(r->s, r->p, (int)(n * part / SHARES), (int)(n * (part + 1) / SHARES));
}

/* Contacts, bodies and colours; false where a contact is not round. */
static bool read_all(jn_round *s, const double *p) {
    if (s->problem->round) {
        jn_pool *pool = s->problem->contacts < JN_CONTACTS_SHARED ? NULL : s->pool;
        jn_pool_share(pool, CONTACTS + SHARES, read_share, &(reading){s, p});
        return true;
    }
    if (!jn_round_read(s, p)) return false;
    jn_colour_contacts(s->problem, s->colour, s->taken, &s->colours);
    return true;
}

double jn_round_solve(const jn_problem *problem, const jn_round_aim *aim, void *scratch, void *patches, double *p,
                      int *count) {
    jn_round s = {.problem = problem, .pool = aim->pool, .bodies = problem->velocities / SIX + 1, .least = INFINITY};
    jn_scratch m = {scratch, 0};
    s.allowed = (float)(aim->tolerance * aim->tolerance);
    lay_out(&s, &m);
    s.shift = first_dof(problem) % SIX;
    if (!read_all(&s, p) || s.colours.count == JN_COLOURS) return INFINITY;
    for (int i = 0; i < problem->contacts; i++) s.loaded[i] = p[3 * (size_t)i] > 0;
    jn_round_part(&s), for_levels(&s, jn_round_fill), begin_sweeps(&s);
    *count = 0;
    iterate(&s, aim, patches, count);
    if (s.least<INFINITY && * count> 0) give(&s, best_of(&s), p);
    return s.least;
}
