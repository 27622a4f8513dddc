/* Identification: the parameters with which the model comes nearest to measured values, in the sense of least squares, with confidence
 * intervals. Searches from several starts go on together, and all runs of a round are independent.
 *
 * Derivatives are those of variational equations along each run (variation.h), where the model has them and where the first of them agree with
 * central differences of runs; else they are such differences, of runs beside each point of a search. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "model/model_layout.h"
#include "workflow/study/measures/compare.h"
#include "workflow/study/kinds/kinds.h"
#include "workflow/study/search/least_squares.h"
#include "workflow/study/measures/measures.h"
#include "workflow/study/search/variation.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AGREE 1e-2 /* of a column of J: variational equations and differences of runs, which know it no better */
#define SAME 1e-3  /* of the ranges: searches that end nearer than this have found the same */
enum { PARAMETERS_MOST = 16 };
enum { BY_DIFFERENCES, BY_VARIATION }; /* modes of a round */
enum { DERIVATIVES_AUTO, DERIVATIVES_VARIATIONAL, DERIVATIVES_DIFFERENCES };
enum { CHEAP = 6 }; /* velocities for each parameter up to which variational equations cost no more than runs beside */

typedef struct identification {
    double starts, rounds, tolerance, difference;
    int derivatives;   /* DERIVATIVES_... */
    long first;        /* row of the round at hand */
    int k, n, round;   /* parameters, measured values */
    double off;        /* of the first derivatives by variational equations, as parts of a column of J; NAN: not compared */
    double found_off;  /* the same, while the round in which it was found is taken */
    jn_search *search; /* (starts) */
    double *r, *J;     /* (n), (n x k): at the trial at hand */
} identification;

#define ROW(name, what, measure_, fallback_, doc_, example_)                                                           \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_NUMBER, .measure = measure_, .offset = offsetof(identification, what),           \
        .range = JN_RANGE_POSITIVE, .fallback = fallback_, .doc = doc_, .example = example_                            \
    }
static const jn_keyword derivative_keywords[] = {{"auto", DERIVATIVES_AUTO},
                                                 {"variational", DERIVATIVES_VARIATIONAL},
                                                 {"differences", DERIVATIVES_DIFFERENCES},
                                                 {NULL, 0}};
static const jn_field rows[] = {
    ROW("starts", starts, JN_MEASURE_NUMBER, "1",
        "searches: the first from the middle of the ranges, others from points of Sobol's sequence", "starts: 8"),
    ROW("rounds", rounds, JN_MEASURE_NUMBER, "60", "most steps of a search", "rounds: 60"),
    ROW("tolerance", tolerance, JN_MEASURE_NUMBER, "1e-7",
        "part of the range of a parameter: a search ends where a step is smaller", "tolerance: 1e-7"),
    ROW("difference", difference, JN_MEASURE_NUMBER, "1e-4",
        "part of the range of a parameter by which derivatives are taken", "difference: 1e-4"),
    {.key = "derivatives",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(identification, derivatives),
     .keywords = derivative_keywords,
     .fallback = "auto",
     .doc = "by variational equations along a run, or by differences of runs; auto: variational where the model allows it and has few "
            "velocities",
     .example = "derivatives: variational"},
    {.key = NULL},
};
static const jn_fieldset fields = {"identify", "Least squares with bounds.", rows};

/* ------------------------------------------------------------------------------------------------------------ plan */

static int refuse(const jn_study *s, jn_report *report, jn_where where, const char *text) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL,
                         where.file ? where : jn_node_entry(s->root, "identify")->where, "identify", "%s", text);
}

static bool is_compared(const jn_study_measure *m) { return m->kind == &jn_measure_compare; }

static long values_of(const jn_study_measure *m) {
    const jn_table *table = ((const jn_compared *)m->data)->table;
    long count = 0;
    for (int i = 0; i < table->count; i++) count += table->x[i] >= m->after && table->x[i] <= m->before;
    return count;
}

static int check(const jn_study *s, const identification *own, jn_report *report) {
    int compared = 0, scattered = 0;
    for (int i = 0; i < s->measures; i++)
        if (is_compared(&s->measure[i])) {
            compared++;
            scattered += isfinite(((const jn_compared *)s->measure[i].data)->deviation);
        }
    if (!compared)
        return refuse(s, report, (jn_where){0},
                      "there is nothing to come near to\nadd 'measure: {height: {compare: CHANNEL, with: TABLE}}'");
    if (compared > 1 && scattered < compared)
        return refuse(s, report, (jn_where){0},
                      "several measures need their standard deviations, by which they are weighed\nadd 'deviation: "
                      "0.2 mm' to each of them");
    if (s->varies < 1 || s->varies > PARAMETERS_MOST)
        return refuse(s, report, (jn_where){0}, "1 to 16 parameters can be found\nwrite them under 'vary'");
    for (int i = 0; i < s->varies; i++)
        if (s->vary[i].kind != JN_VARY_RANGE)
            return refuse(s, report, s->vary[i].where,
                          "a parameter to be found has bounds\nwrite {from: 1e6, to: 1e9, spacing: log}");
    if (own->n <= own->k) return refuse(s, report, (jn_where){0}, "there are no more measured values than parameters");
    if (own->starts > 1e4 || own->rounds > 1e4 || !(own->difference < 0.1))
        return refuse(s, report, (jn_where){0},
                      "'starts' and 'rounds' are at most 10000, 'difference' is below 0.1 of the range");
    return JN_OK;
}

static bool make_searches(jn_study *s, identification *own) {
    int starts = (int)own->starts, k = own->k, n = own->n;
    size_t each = (size_t)(3 * k + n + n * k + jn_search_work(k, n));
    own->search = jn_store_array(s->store, (size_t)starts, sizeof *own->search);
    own->r = jn_store_array(s->store, (size_t)(n + n * k), sizeof *own->r);
    if (!own->search || !own->r) return false;
    own->J = own->r + n;
    for (int i = 0; i < starts; i++) {
        double *at = jn_store_array(s->store, each, sizeof *at);
        if (!at) return false;
        memset(at, 0, each * sizeof *at);
        own->search[i] = (jn_search){.k = k,
                                     .n = n,
                                     .u = at,
                                     .trial = at + k,
                                     .scale = at + 2 * k,
                                     .r = at + 3 * k,
                                     .J = at + 3 * k + n,
                                     .work = at + 3 * k + n + n * k,
                                     .cost = INFINITY};
    }
    return true;
}

/* Part of the range at which the derivative by parameter i looks, on one side; within the bounds. */
static double beside(const identification *own, const jn_search *search, int i, int side) {
    double u = search->trial[i] + (side ? own->difference : -own->difference);
    return u < 0 ? 0 : u > 1 ? 1 : u;
}

/* Rows of a search in the round at hand: its trial; and both sides of it for each parameter where derivatives are differences, or are compared
 * with such. */
static int rows_of(const jn_study *s, const identification *own, int search) {
    if (own->search[search].state != JN_SEARCH_OPEN) return 0;
    bool compared = isnan(own->off) && search == 0;
    return s->mode == BY_VARIATION && !compared ? 1 : 2 * own->k + 1;
}

static int plan_round(jn_study *s, identification *own) {
    int k = own->k, count = 0;
    for (int i = 0; i < (int)own->starts; i++) count += rows_of(s, own, i);
    own->first = s->rows;
    double *point = jn_study_plan_rows(s, count);
    if (!point) return JN_ERR_MEMORY;
    for (int i = 0; i < (int)own->starts; i++) {
        const jn_search *search = &own->search[i];
        for (int which = 0; which < rows_of(s, own, i); which++, point += k)
            for (int p = 0; p < k; p++) {
                bool moved = which > 0 && (which - 1) / 2 == p;
                double u = moved ? beside(own, search, p, (which - 1) % 2) : search->trial[p];
                point[p] = jn_vary_at(&s->vary[p], u);
            }
    }
    own->round++;
    return JN_OK;
}

static int plan(jn_study *s, jn_report *report) {
    identification *own = s->data;
    if (own->starts == 0) own->starts = 1;
    if (own->rounds == 0) own->rounds = 60;
    if (own->tolerance == 0) own->tolerance = 1e-7;
    if (own->difference == 0) own->difference = 1e-4;
    own->starts = floor(own->starts), own->rounds = floor(own->rounds);
    own->k = s->varies, own->n = 0, own->off = NAN;
    bool wanted = own->derivatives == DERIVATIVES_VARIATIONAL ||
                  (own->derivatives == DERIVATIVES_AUTO && s->base->nv <= CHEAP * s->varies);
    s->mode = wanted && jn_variation_possible(s->base) ? BY_VARIATION : BY_DIFFERENCES;
    for (int i = 0; i < s->measures; i++)
        if (is_compared(&s->measure[i])) own->n += (int)values_of(&s->measure[i]);
    int status = check(s, own, report), starts = (int)own->starts, k = own->k;
    if (status < 0) return status;
    double *u = jn_malloc((size_t)(starts * k) * sizeof *u);
    if (!u || !make_searches(s, own)) status = JN_ERR_MEMORY;
    if (status >= 0)
        status = jn_plan_unit_cube(JN_RULE_SOBOL, starts, k, (uint64_t)s->seed, u,
                                   jn_node_entry(s->root, "identify")->where, report);
    for (int i = 0; status >= 0 && i < starts; i++)
        for (int p = 0; p < k; p++) own->search[i].trial[p] = i ? u[i * k + p] : 0.5;
    jn_free(u);
    return status < 0 ? status : plan_round(s, own);
}

/* ------------------------------------------------------------------------------------------------------- residuals */

/* Differences from the measured values, in standard deviations where these are known. False: the run has none. */
static bool find_residuals(const jn_study *s, long row, double *r) {
    if (s->row[row].state == JN_ROW_FAILED || s->row[row].state == JN_ROW_OPEN) return false;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (!is_compared(m)) continue;
        const jn_compared *c = m->data;
        const jn_study_samples *list = &s->row[row].samples[m->samples];
        if (list->count != values_of(m)) return false;
        double weight = isfinite(c->deviation) ? 1 / c->deviation : 1;
        int first = 0;
        while (c->table->x[first] < m->after) first++;
        for (long j = 0; j < list->count; j++) {
            *r = weight * (list->data[2 * j + 1] - c->table->y[first + j]);
            if (!isfinite(*r++)) return false;
        }
    }
    return true;
}

/* Column p of J from the runs on both sides, or from the one that there is. */
static void find_column(const jn_study *s, const identification *own, const jn_search *search, long row, int p,
                        double *work, double *column) {
    double u[2] = {beside(own, search, p, 0), beside(own, search, p, 1)};
    bool low = find_residuals(s, row + 1 + 2 * p, column), high = find_residuals(s, row + 2 + 2 * p, work);
    if (!low) memcpy(column, own->r, (size_t)own->n * sizeof *column), u[0] = search->trial[p];
    if (!high) memcpy(work, own->r, (size_t)own->n * sizeof *work), u[1] = search->trial[p];
    for (int j = 0; j < own->n; j++) column[j] = u[1] > u[0] ? (work[j] - column[j]) / (u[1] - u[0]) : 0;
}

/* J from the derivatives that the row has; false: it has none. */
static bool find_slopes(const jn_study *s, const identification *own, long row) {
    int at = 0;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (!is_compared(m)) continue;
        const jn_study_samples *list = &s->row[row].samples[m->slopes];
        double deviation = ((const jn_compared *)m->data)->deviation, weight = isfinite(deviation) ? 1 / deviation : 1;
        if (list->count != values_of(m)) return false;
        for (long j = 0; j < list->count; j++, at++)
            for (int p = 0; p < own->k; p++)
                own->J[(size_t)p * (size_t)own->n + (size_t)at] = weight * list->data[j * (own->k + 1) + 1 + p];
    }
    return true;
}

/* How far the columns of J are from differences of the runs beside the trial, as parts of these. */
static double compare_columns(const jn_study *s, const identification *own, const jn_search *search, long row,
                              double *work, double *column) {
    double worst = 0;
    for (int p = 0; p < own->k; p++) {
        const double *J = own->J + (size_t)p * (size_t)own->n;
        double size = 0, off = 0;
        find_column(s, own, search, row, p, work, column);
        for (int j = 0; j < own->n; j++)
            size += column[j] * column[j], off += (J[j] - column[j]) * (J[j] - column[j]);
        worst = jn_fmax(worst, off > 0 ? sqrt(off / size) : 0);
    }
    return worst;
}

/* Whether the rows of the round have their derivatives by variational equations, and the first of them hold. */
static bool variation_holds(const jn_study *s, identification *own, double *work, double *column) {
    long row = own->first;
    for (int i = 0; i < (int)own->starts; i++) {
        int count = rows_of(s, own, i);
        if (count > 0 && find_residuals(s, row, own->r) && !find_slopes(s, own, row)) return false;
        row += count;
    }
    own->found_off = own->off;
    if (isfinite(own->off)) return true;
    bool there = find_residuals(s, own->first, own->r) && find_slopes(s, own, own->first);
    double off = there ? compare_columns(s, own, &own->search[0], own->first, work, column) : INFINITY;
    if (!(off <= AGREE)) return false;
    own->found_off = off;
    return true;
}

static void take_round(const jn_study *s, identification *own, double *work) {
    long row = own->first;
    for (int i = 0; i < (int)own->starts; i++) {
        jn_search *search = &own->search[i];
        int count = rows_of(s, own, i);
        if (count == 0) continue;
        bool there = find_residuals(s, row, own->r);
        if (there && s->mode == BY_VARIATION) find_slopes(s, own, row);
        for (int p = 0; there && s->mode == BY_DIFFERENCES && p < own->k; p++)
            find_column(s, own, search, row, p, work, own->J + (size_t)p * (size_t)own->n);
        jn_search_step(search, there ? own->r : NULL, own->J, own->tolerance);
        row += count;
    }
}

/* -------------------------------------------------------------------------------------------------------- findings */

/* Two-sided 95 % point of Student's distribution with `freedom` degrees of freedom. [Abramowitz1964, 26.7.5] Below 0.4 % off from 4 on. */
static double student(int freedom) {
    double z = 1.959963984540054, v = freedom, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

static const jn_search *best_of(const identification *own) {
    const jn_search *best = NULL;
    for (int i = 0; i < (int)own->starts; i++)
        if (isfinite(own->search[i].cost) && (!best || own->search[i].cost < best->cost)) best = &own->search[i];
    return best;
}

static int count_same(const identification *own, const jn_search *best) {
    int same = 0;
    for (int i = 0; i < (int)own->starts; i++) {
        double apart = 0;
        for (int p = 0; p < own->k; p++) apart = jn_fmax(apart, fabs(own->search[i].u[p] - best->u[p]));
        same += isfinite(own->search[i].cost) && apart < SAME;
    }
    return same;
}

/* Values with intervals of 95 %; correlations of the pairs. */
static void find_parameters(jn_study *s, const identification *own, const jn_search *best, const double *C,
                            double variance) {
    double t = student(own->n - own->k);
    char name[96];
    for (int p = 0; p < own->k; p++) {
        double half = t * sqrt(variance * C[p * own->k + p]), u = best->u[p];
        double low = u - half, high = u + half;
        jn_study_find(s, s->vary[p].name, s->vary[p].unit, jn_vary_at(&s->vary[p], u), jn_vary_at(&s->vary[p], low),
                      jn_vary_at(&s->vary[p], high));
    }
    for (int p = 0; p < own->k; p++)
        for (int q = 0; q < p; q++) {
            double both = sqrt(C[p * own->k + p] * C[q * own->k + q]);
            snprintf(name, sizeof name, "correlation of %.30s and %.30s", s->vary[q].name, s->vary[p].name);
            if (both > 0) jn_study_find(s, name, "1", C[p * own->k + q] / both, NAN, NAN);
        }
}

static void find_misfits(jn_study *s, const identification *own, const jn_search *best, bool known) {
    char name[96];
    int at = 0;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (!is_compared(m)) continue;
        double squares = 0, weight = ((const jn_compared *)m->data)->deviation;
        long count = values_of(m);
        for (long j = 0; j < count; j++, at++) squares += best->r[at] * best->r[at];
        snprintf(name, sizeof name, "rms misfit of %.60s", m->name);
        jn_study_find(s, name, s->column_unit[m->first],
                      (isfinite(weight) ? weight : 1) * sqrt(squares / (double)count), NAN, NAN);
    }
    if (known) jn_study_find(s, "chi squared per degree of freedom", "1", best->cost / (own->n - own->k), NAN, NAN);
}

/* What the data cannot tell is said, not hidden in an interval. */
static void warn(const jn_study *s, const identification *own, const jn_search *best, int rank, jn_report *report) {
    jn_where where = jn_node_entry(s->root, "identify")->where;
    for (int p = 0; p < own->k; p++)
        if (best->u[p] <= 0 || best->u[p] >= 1)
            jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "identify",
                          "'%s' ends at a bound of its range and has no interval\nwiden the range", s->vary[p].name),
                rank++;
    if (rank < own->k)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "identify",
                      "the measured values do not tell all parameters apart: %d of %d\nmeasure more, or vary fewer",
                      rank, own->k);
    if (best->state != JN_SEARCH_FOUND)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "identify",
                      best->state == JN_SEARCH_STUCK
                          ? "the search got stuck: the runs do not depend smoothly on the parameters\ntake a larger "
                            "'difference', smaller tolerances of the integrator, or more 'starts'"
                          : "the search did not end within its rounds\ngive it more 'rounds'");
    if (own->derivatives == DERIVATIVES_VARIATIONAL && s->mode == BY_DIFFERENCES)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "identify",
                      "derivatives are differences of runs: the variational equations do not hold for this model, or "
                      "it has none\nthey need forces without jumps: no impacts, friction states or activations");
}

static int conclude(jn_study *s, jn_report *report) {
    identification *own = s->data;
    size_t n = (size_t)own->n;
    double *work = jn_malloc((2 * n + (size_t)(own->k * own->k)) * sizeof *work), *C = work ? work + 2 * n : NULL;
    if (!work) return JN_ERR_MEMORY;
    if (s->mode == BY_VARIATION && !variation_holds(s, own, work, work + n)) { /* the same points once more */
        jn_free(work);
        s->mode = BY_DIFFERENCES, own->round--;
        int status = plan_round(s, own);
        return status < 0 ? status : 1;
    }
    take_round(s, own, work);
    if (s->mode == BY_VARIATION) own->off = own->found_off;
    bool open = false, known = true;
    for (int i = 0; i < (int)own->starts; i++) open |= own->search[i].state == JN_SEARCH_OPEN;
    if (open && own->round < (int)own->rounds) {
        jn_free(work);
        int status = plan_round(s, own);
        return status < 0 ? status : 1;
    }
    const jn_search *best = best_of(own);
    int status = JN_OK;
    if (!best)
        status =
            jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, jn_node_entry(s->root, "identify")->where,
                          "identify", "no search has a run to start with; the first one: %.150s", s->row[0].message);
    for (int i = 0; i < s->measures; i++)
        if (is_compared(&s->measure[i])) known &= isfinite(((const jn_compared *)s->measure[i].data)->deviation);
    if (best) {
        int rank = jn_search_covariance(best, C);
        find_parameters(s, own, best, C, known ? 1 : best->cost / (own->n - own->k));
        find_misfits(s, own, best, known);
        jn_study_find(s, "searches that ended there", "1", count_same(own, best), NAN, NAN);
        jn_study_find(s, "runs", "1", (double)s->rows, NAN, NAN);
        if (s->mode == BY_VARIATION)
            jn_study_find(s, "variational equations off from differences", "1", own->off, NAN, NAN);
        else
            jn_study_find(s, "derivatives by differences over", "1", own->difference, NAN, NAN);
        warn(s, own, best, rank, report);
    }
    jn_free(work);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- runs */

static int begin_run(void *context, jn_sim *sim) { return jn_variation_begin(context, sim); }

static void follow_step(void *context, const jn_sim *sim, const jn_state *before) {
    jn_variation_step(context, sim, before);
}

static int perform(jn_study_worker *w, long task) {
    long row = jn_study_task_first(w->study, task);
    jn_variation *v = w->study->mode == BY_VARIATION ? jn_variation_create(w, row) : NULL;
    jn_row_hooks hooks = {begin_run, follow_step, NULL, v};
    jn_study_row_run(w, row, v ? &hooks : NULL, w->row);
    if (v) jn_variation_end(v);
    jn_variation_free(v);
    return jn_study_row_done(w, row, w->row);
}

static bool read_identify(jn_reader *r, jn_study *s) {
    (void)r;
    for (int i = 0; i < s->measures; i++)
        if (is_compared(&s->measure[i])) s->measure[i].slopes = s->lists++;
    return true;
}

const jn_study_kind jn_kind_identify = {
    .key = "identify",
    .doc = "the parameters with which the model comes nearest to measured values, by least squares within bounds",
    .example = "identify: {starts: 8}",
    .fields = &fields,
    .size = sizeof(identification),
    .read = read_identify,
    .plan = plan,
    .perform = perform,
    .conclude = conclude};
