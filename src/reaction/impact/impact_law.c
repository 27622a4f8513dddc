/* Impact laws: which contacts take part in each impact event, in which order, and how the whole ends. */
#include "reaction/impact/impact_law.h"
#include "algebra/elementary.h"
#include <math.h>
#include <string.h>

static const double closed = 1e-9; /* of the velocities before: neither approaching nor leaving */
static const double common = 1e-14; /* of an inverse mass: contacts with less in common do not interact */
static const double slow = 1e-7;   /* of the velocities before: ends without restitution */

size_t jn_impact_scratch(const jn_impact_problem *problem, const jn_impact_options *options) {
    jn_impact w;
    return jn_impact_layout(problem, options, NULL, &w);
}

static bool valid(const jn_impact_problem *problem, const jn_impact_options *options) {
    const jn_impact_info *info = jn_impact_get_info(options->law);
    if (!info || problem->contacts < 0 || (problem->dimension != 2 && problem->dimension != 3)) return false;
    if (options->e_count < 1 || !options->e || options->impacts < 1) return false;
    if (!(options->tolerance > 0) || !(options->exponent >= 1) || !(options->speed >= 0)) return false;
    for (int i = 0; i < options->e_count; i++)
        if (!(options->e[i] >= (info->negative ? -1 : 0) && options->e[i] <= 1)) return false;
    if (options->work == JN_IMPACT_KINETIC_SPLIT && !problem->split) return false;
    if (options->law == JN_IMPACT_SEQUENTIAL && options->binary > JN_IMPACT_STRONGE) return false;
    for (int i = 0; i < problem->contacts; i++) {
        const jn_impact_contact *c = &problem->contact[i];
        for (int k = 0; k < c->e_count && c->e; k++)
            if (!(c->e[k] >= (info->negative ? -1 : 0) && c->e[k] <= 1)) return false;
        if (c->e && c->e_count < 1) return false;
        if (!(c->e_t >= 0 && c->e_t <= 1)) return false;
        if (!(c->mu_d >= 0 && c->mu_s >= c->mu_d && isfinite(c->mu_s)) || !(c->stiffness >= 0)) return false;
    }
    return true;
}

/* Coefficient of one contact in an impact event. */
static double coefficient(const jn_impact *w, int contact, int impact) {
    const jn_impact_contact *c = &w->problem->contact[contact];
    const double *e = c->e ? c->e : w->options->e;
    int count = c->e ? c->e_count : w->options->e_count;
    return e[impact < count ? impact : count - 1];
}

/* Of contacts that impact together: the least of those that approach. */
static double least_coefficient(const jn_impact *w) {
    double e = INFINITY, any = INFINITY;
    for (int k = 0; k < w->n; k++) {
        double own = coefficient(w, w->contact[k], w->impact);
        any = jn_fmin(any, own);
        if (-w->record->v[w->d * w->contact[k]] > closed * w->speed) e = jn_fmin(e, own);
    }
    return isfinite(e) ? e : any;
}

static double approach(const jn_impact *w, int i) { return -w->record->v[w->d * i]; }

static int fastest(const jn_impact *w) {
    int most = 0;
    for (int i = 1; i < w->problem->contacts; i++)
        if (approach(w, i) > approach(w, most)) most = i;
    return most;
}

/* Runs the part on its path. A jam leaves the record as it was before this impact event. */
static bool run(jn_impact *w, jn_impact_rule rule) {
    jn_impact_begin(w);
    bool straight = true; /* in a plane, and without friction */
    for (int i = 0; i < w->n; i++) straight &= w->d == 2 || !(w->mu_s[i] > 0);
    bool done = straight && rule != JN_RULE_STIFFNESS ? jn_impact_segments(w, rule) : jn_impact_integrate(w, rule);
    if (!done) {
        w->record->end = JN_IMPACT_JAMMED;
        return false;
    }
    jn_impact_commit(w);
    return true;
}

static bool run_one(jn_impact *w, int contact, jn_impact_kind law) {
    static const jn_impact_rule rules[] = {JN_RULE_VELOCITY, JN_RULE_IMPULSE, JN_RULE_ENERGY};
    w->n = 1, w->contact[0] = contact;
    w->e = coefficient(w, contact, w->impact);
    return run(w, rules[law]);
}

/* Does beta join the two points? */
static bool interact(const jn_impact *w, int i, int j) {
    size_t d = (size_t)w->d, D = d * (size_t)w->problem->contacts;
    for (size_t r = 0; r < d; r++)
        for (size_t s = 0; s < d; s++)
            if (fabs(w->problem->beta[(d * (size_t)i + r) * D + d * (size_t)j + s]) > common / w->mass) return true;
    return false;
}

static bool coupled(const jn_impact *w, int i, int j) {
    const int *a = w->problem->contact[i].body, *b = w->problem->contact[j].body;
    for (int k = 0; k < 4; k++)
        if (a[k / 2] >= 0 && a[k / 2] == b[k % 2]) return true;
    return interact(w, i, j);
}

/* Numbers the parts of contacts that are coupled by beta or by a body; -1 for contacts that take no part. O(N^2). */
static int split(jn_impact *w, bool all) {
    int N = w->problem->contacts, parts = 0;
    for (int i = 0; i < N; i++) w->part[i] = all || approach(w, i) >= -closed * w->speed ? N : -1;
    for (int i = 0; i < N; i++) {
        int count = 1;
        if (w->part[i] != N) continue;
        w->set[0] = i, w->part[i] = parts;
        for (int k = 0; k < count; k++)
            for (int j = 0; j < N; j++)
                if (w->part[j] == N && coupled(w, w->set[k], j)) w->part[j] = parts, w->set[count++] = j;
        parts++;
    }
    return parts;
}

/* One impact event: every part that approaches goes its own way with the same coefficient. */
static bool run_parts(jn_impact *w, jn_impact_rule rule) {
    int N = w->problem->contacts, parts = split(w, rule == JN_RULE_STIFFNESS);
    for (int part = 0; part < parts; part++) {
        double most = 0;
        w->n = 0;
        for (int i = 0; i < N; i++)
            if (w->part[i] == part) w->contact[w->n++] = i, most = jn_fmax(most, approach(w, i));
        if (!(most > closed * w->speed)) continue;
        w->e = least_coefficient(w);
        if (!run(w, rule)) return false;
    }
    return true;
}

/* The island of a point among those that take part in a stage, -1 in part; moves them from set to contact. O(N n). */
static void gather_island(jn_impact *w, int from) {
    w->n = 0, w->contact[w->n++] = from, w->part[from] = 0;
    for (int k = 0; k < w->n; k++)
        for (int j = 0; j < w->problem->contacts; j++)
            if (w->part[j] < 0 && interact(w, w->contact[k], j)) w->part[j] = 0, w->contact[w->n++] = j;
}

/* One stage: islands of points that approach, with the points without restitution that they act on. */
static bool run_stage(jn_impact *w) {
    int N = w->problem->contacts;
    for (int i = 0; i < N; i++) {
        bool approaches = approach(w, i) > closed * w->speed;
        w->part[i] = approaches || coefficient(w, i, w->impact) == 0 ? -1 : 0, w->set[i] = approaches;
    }
    for (int i = 0; i < N; i++) {
        if (w->part[i] == 0 || !w->set[i]) continue;
        gather_island(w, i);
        for (int k = 0; k < w->n; k++) w->b[k] = coefficient(w, w->contact[k], w->impact);
        if (!jn_impact_stage(w, w->b)) {
            w->record->end = JN_IMPACT_UNSOLVED;
            return false;
        }
    }
    return true;
}

/* One impact without restitution over all contacts. */
static void finish(jn_impact *w) {
    w->e = 0;
    if (!jn_impact_plastic(w)) {
        w->record->end = JN_IMPACT_UNSOLVED;
        return;
    }
    w->record->plastic = true;
    jn_impact_note(w, JN_IMPACT_PLASTIC, -1);
}

/* Impact events until no closed contact approaches. */
static void sequence(jn_impact *w) {
    const jn_impact_options *options = w->options;
    int N = w->problem->contacts, turn = 0;
    double least = options->speed > 0 ? options->speed : slow * w->speed;
    for (w->impact = 0;; w->impact++) {
        int most = fastest(w);
        if (approach(w, most) <= closed * w->speed) return;
        if (w->impact == options->impacts) {
            w->record->end = JN_IMPACT_LIMIT;
            break;
        }
        w->record->impacts++;
        if (approach(w, most) < least) {
            finish(w);
            return;
        }
        bool done;
        if (options->law == JN_IMPACT_SIMULTANEOUS)
            done = run_parts(w, JN_RULE_ENERGY);
        else if (options->law == JN_IMPACT_LZB)
            done = run_parts(w, JN_RULE_STIFFNESS);
        else if (options->law == JN_IMPACT_STAGED)
            done = run_stage(w);
        else if (options->law == JN_IMPACT_SEQUENTIAL) {
            while (approach(w, turn) <= closed * w->speed) turn = (turn + 1) % N;
            done = run_one(w, turn, options->binary);
            turn = (turn + 1) % N;
        } else
            done = run_one(w, most, options->law);
        if (!done) break;
    }
    if (options->finish) finish(w);
}

static void together(jn_impact *w) {
    bool moreau = w->options->law == JN_IMPACT_MOREAU;
    for (int i = 0; i < w->problem->contacts; i++) w->b[i] = coefficient(w, i, 0);
    w->e = coefficient(w, fastest(w), 0);
    if (approach(w, fastest(w)) <= closed * w->speed) return;
    w->record->impacts = 1;
    if (moreau ? jn_impact_moreau(w, w->b) : jn_impact_poisson_lcp(w, w->b))
        jn_impact_note(w, JN_IMPACT_FINAL, -1);
    else {
        w->record->end = JN_IMPACT_UNSOLVED;
        if (w->options->finish) finish(w);
    }
}

static void balance(jn_impact *w) {
    jn_impact_record *record = w->record;
    int D = w->d * w->problem->contacts;
    for (int i = 0; i < D; i++)
        record->change += 0.5 * record->p[i] * (w->problem->v[i] + record->v[i]); /* p.(v- + v+)/2 */
    for (int i = 0; i < w->problem->contacts; i++) {
        record->normal += record->normal_of[i];
        record->tangential += record->slide_of[i];
    }
}

int jn_impact_solve(const jn_impact_problem *problem, const jn_impact_options *options, void *scratch,
                    jn_impact_record *record) {
    if (!valid(problem, options)) return JN_ERR_ARGUMENT;
    jn_impact w = {.problem = problem, .options = options, .record = record, .d = problem->dimension};
    int N = problem->contacts, D = w.d * N;
    double stiffest = 0;
    record->end = JN_IMPACT_COMPLETE, record->plastic = false;
    record->impacts = record->events = record->kept = 0;
    record->energy = problem->energy;
    record->change = record->normal = record->tangential = 0;
    for (int i = 0; i < D; i++) {
        record->v[i] = problem->v[i], record->p[i] = 0;
        if (i % w.d == 0 || problem->contact[i / w.d].mu_s > 0) w.speed = jn_fmax(w.speed, fabs(problem->v[i]));
        stiffest = jn_fmax(stiffest, problem->beta[(size_t)i * (size_t)D + (size_t)i]);
    }
    for (int i = 0; i < N; i++) record->normal_of[i] = record->slide_of[i] = 0, record->slip[i] = JN_SLIP_NONE;
    if (!(w.speed < INFINITY) || !(stiffest < INFINITY)) return JN_ERR_ARGUMENT;
    if (N == 0 || w.speed == 0 || stiffest == 0) return JN_OK;
    w.mass = 1 / stiffest;
    jn_impact_layout(problem, options, scratch, &w);
    if (options->law == JN_IMPACT_MOREAU || options->law == JN_IMPACT_POISSON_LCP)
        together(&w);
    else
        sequence(&w);
    jn_impact_refresh(&w); /* without the round-off of many additions */
    balance(&w);
    return record->end == JN_IMPACT_COMPLETE ? JN_OK : JN_NOT_CONVERGED;
}
