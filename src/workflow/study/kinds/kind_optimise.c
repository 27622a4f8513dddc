/* Optimisation: the parameters with which a measure is smallest or largest while others stay within their limits. Searches from several
 * starts go on together. By evolution all runs of a generation are independent, and points are only put in order: one that meets the limits is
 * better than one that does not, of two that do not the one that is less beyond them [Deb2000]; a run that fails is last. By the methods of NLopt
 * each search asks for one run after the other. */
#include "algebra/elementary.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "workflow/study/search/evolution.h"
#include "workflow/study/kinds/kinds.h"
#include "workflow/study/search/optimise_nlopt.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIRST_STEP 0.25 /* of the ranges */

typedef struct worth {
    double beyond, value; /* limits passed by so much, relative to them; what is minimised */
} worth;

/* A search by NLopt: the points that it asked for, and what the runs gave. */
typedef struct asking {
    jn_nlopt_search head;
    double *start, *x, *value;
} asking;

typedef struct optimisation {
    const char *minimise, *maximise, *by;
    double starts, rounds, points, tolerance;
    int column, round;
    bool largest;
    long first;                    /* row of the generation at hand */
    jn_evolution *search;          /* (starts) by evolution */
    const jn_nlopt_method *method; /* NULL: evolution */
    asking *asking;                /* (starts) by NLopt */
    int limits;
    bool *open; /* (starts) */
} optimisation;

#define NUMBER(name, what, fallback_, doc_, example_)                                                                  \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_NUMBER, .measure = JN_MEASURE_NUMBER, .offset = offsetof(optimisation, what),    \
        .range = JN_RANGE_POSITIVE, .fallback = fallback_, .doc = doc_, .example = example_                            \
    }
static const jn_field rows[] = {
    {.key = "minimise",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(optimisation, minimise),
     .doc = "the measure that is to be small",
     .example = "minimise: loss"},
    {.key = "maximise",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(optimisation, maximise),
     .doc = "or the one that is to be large",
     .example = "maximise: range"},
    {.key = "by",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(optimisation, by),
     .fallback = "evolution",
     .doc = "how it searches: evolution; cobyla, bobyqa, isres or direct of NLopt",
     .example = "by: cobyla"},
    NUMBER("starts", starts, "1", "searches: the first from the middle of the ranges", "starts: 4"),
    NUMBER("rounds", rounds, "200", "most generations; by NLopt most runs of a search, 1000", "rounds: 200"),
    NUMBER("points", points, "4 + 3 ln(parameters)",
           "runs of a generation, up to 64: more find better among many minima", "points: 16"),
    NUMBER("tolerance", tolerance, "1e-6", "part of the ranges: a search ends where its points lie nearer together",
           "tolerance: 1e-6"),
    {.key = NULL},
};
static const jn_fieldset fields = {"optimise", "A measure as small or as large as can be.", rows};

/* ------------------------------------------------------------------------------------------------------------ plan */

static int refuse(const jn_study *s, jn_report *report, const char *text, const char *what) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, jn_node_entry(s->root, "optimise")->where, "optimise",
                         text, what);
}

/* Limits of the measures, one for each of their columns. */
static int count_limits(const jn_study *s) {
    int count = 0;
    for (int i = 0; i < s->measures; i++)
        count += s->measure[i].columns * (!isnan(s->measure[i].below) + !isnan(s->measure[i].above));
    return count;
}

/* Which search; its library belongs to what decides the bits of the table. */
static int check_method(jn_study *s, optimisation *own, jn_report *report) {
    char version[32];
    if (!own->by || !strcmp(own->by, "evolution")) return JN_OK;
    own->method = jn_nlopt_method_find(own->by);
    if (!own->method) {
        jn_suggest suggest = jn_suggest_for(own->by);
        for (int i = 0; jn_nlopt_method_at(i); i++) jn_suggest_offer(&suggest, jn_nlopt_method_at(i)->name);
        jn_suggest_offer(&suggest, "evolution");
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL,
                             jn_node_entry(jn_node_get(s->root, "optimise"), "by")->where, "optimise",
                             "there is no search '%.60s'\nwrite 'by: %s'", own->by,
                             suggest.best ? suggest.best : "evolution', cobyla, bobyqa, isres or 'direct");
    }
    if (!jn_nlopt_version(version))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MISSING, jn_node_entry(s->root, "optimise")->where,
                             "optimise",
                             "'by: %s' needs NLopt, which this build leaves out\ninstall libnlopt-dev and build again, "
                             "or write 'by: evolution'",
                             own->by);
    s->hash = jn_hash_text(s->hash, version);
    own->limits = count_limits(s);
    if (own->limits && !own->method->limits)
        return refuse(s, report,
                      "'by: %s' knows no limits\nwrite 'by: cobyla', isres or evolution, or remove 'below' and 'above'",
                      own->by);
    if (own->limits > 64) return refuse(s, report, "NLopt is given 64 limits at most%s", "");
    return own->points ? refuse(s, report, "'points' are for 'by: evolution'%s\nremove it", "") : JN_OK;
}

static int check(const jn_study *s, optimisation *own, jn_report *report) {
    const char *name = own->minimise ? own->minimise : own->maximise;
    if (!own->minimise == !own->maximise)
        return refuse(s, report, "one measure is to be small or large%s\nwrite 'minimise: NAME' or 'maximise: NAME'",
                      "");
    own->largest = own->maximise != NULL, own->column = -1;
    for (int c = 0; c < s->columns; c++)
        if (!strcmp(s->column_name[c], name)) own->column = c;
    if (own->column < 0) return refuse(s, report, "there is no measure '%.60s'\nname one of 'measure'", name);
    if (s->varies < 1 || s->varies > JN_EVOLUTION_PARAMETERS)
        return refuse(s, report, "1 to 16 parameters can be chosen%s\nwrite them under 'vary'", "");
    for (int i = 0; i < s->varies; i++)
        if (s->vary[i].kind != JN_VARY_RANGE)
            return refuse(s, report, "parameter '%.60s' needs bounds\nwrite {from: 1 mm, to: 10 mm}", s->vary[i].name);
    if (own->points && (own->points < 4 || own->points > JN_EVOLUTION_POINTS))
        return refuse(s, report, "a generation has 4 to 64 points%s", "");
    if (own->starts > 1000 || own->rounds > (own->method ? 1e5 : 1e6))
        return refuse(s, report, "'starts' or 'rounds' is too large%s", "");
    return JN_OK;
}

/* Rows of the next generation of each search that goes on. */
static int plan_generation(jn_study *s, optimisation *own) {
    long count = 0;
    for (int i = 0; i < (int)own->starts; i++) count += own->open[i] ? own->search[i].points : 0;
    own->first = s->rows;
    double *point = jn_study_plan_rows(s, count);
    if (!point) return JN_ERR_MEMORY;
    for (int i = 0; i < (int)own->starts; i++) {
        jn_evolution *e = &own->search[i];
        if (!own->open[i]) continue;
        jn_evolution_sample(e);
        for (int j = 0; j < e->points; j++, point += s->varies)
            for (int p = 0; p < s->varies; p++) point[p] = jn_vary_at(&s->vary[p], e->x[j * s->varies + p]);
    }
    own->round++;
    return JN_OK;
}

/* The next point of each search by NLopt that goes on; searches that ask for none are closed. */
static int plan_asked(jn_study *s, optimisation *own) {
    int starts = (int)own->starts, k = s->varies, status = JN_OK;
    double *asked = jn_malloc((size_t)(starts * k) * sizeof *asked);
    long count = 0;
    if (!asked) return JN_ERR_MEMORY;
    for (int i = 0; status >= 0 && i < starts; i++) {
        asking *a = &own->asking[i];
        a->head.x = a->x, a->head.value = a->value, a->head.start = a->start;
        if (own->open[i]) status = jn_nlopt_next(&a->head, asked + count * k), own->open[i] = status > 0;
        if (!own->open[i] || status < 0) continue;
        a->x = jn_store_grow(s->store, a->x, a->head.count, (size_t)k * sizeof(double));
        a->value = jn_store_grow(s->store, a->value, a->head.count, (size_t)(1 + own->limits) * sizeof(double));
        if (!a->x || !a->value) status = JN_ERR_MEMORY;
        if (status >= 0) memcpy(a->x + a->head.count * k, asked + count++ * k, (size_t)k * sizeof *asked);
    }
    own->first = s->rows;
    double *point = status >= 0 && count ? jn_study_plan_rows(s, count) : NULL;
    if (status >= 0 && count && !point) status = JN_ERR_MEMORY;
    for (long j = 0; point && j < count; j++)
        for (int p = 0; p < k; p++) point[j * k + p] = jn_vary_at(&s->vary[p], asked[j * k + p]);
    jn_free(asked);
    own->round++;
    return status < 0 ? status : JN_OK;
}

static int plan_round(jn_study *s, optimisation *own) {
    return own->method ? plan_asked(s, own) : plan_generation(s, own);
}

static int start_searches(jn_study *s, optimisation *own, const double *u) {
    int k = s->varies;
    for (int i = 0; i < (int)own->starts; i++) {
        own->open[i] = true;
        if (!own->method) {
            jn_evolution_start(&own->search[i], k, (int)own->points, u + i * k, FIRST_STEP, (uint64_t)s->seed,
                               (uint64_t)i);
            continue;
        }
        asking *a = &own->asking[i];
        a->head = (jn_nlopt_search){.method = own->method,
                                    .k = k,
                                    .limits = own->limits,
                                    .most = (int)own->rounds,
                                    .seed = (uint64_t)s->seed + (uint64_t)i,
                                    .tolerance = own->tolerance};
        a->start = jn_store_array(s->store, (size_t)k, sizeof *a->start);
        if (!a->start) return JN_ERR_MEMORY;
        memcpy(a->start, u + i * k, (size_t)k * sizeof *u);
    }
    return JN_OK;
}

static int plan(jn_study *s, jn_report *report) {
    optimisation *own = s->data;
    int status = check_method(s, own, report);
    if (status < 0) return status;
    if (own->starts == 0) own->starts = 1;
    if (own->rounds == 0) own->rounds = own->method ? 1000 : 200;
    if (own->tolerance == 0) own->tolerance = 1e-6;
    own->starts = floor(own->starts), own->rounds = floor(own->rounds), own->points = floor(own->points);
    if ((status = check(s, own, report)) < 0) return status;
    int starts = (int)own->starts, k = s->varies;
    own->search = own->method ? NULL : jn_store_array(s->store, (size_t)starts, sizeof *own->search);
    own->asking = own->method ? jn_store_array(s->store, (size_t)starts, sizeof *own->asking) : NULL;
    own->open = jn_store_array(s->store, (size_t)starts, sizeof *own->open);
    double *u = jn_malloc((size_t)(starts * k) * sizeof *u);
    if (!(own->search || own->asking) || !own->open || !u) status = JN_ERR_MEMORY;
    if (status >= 0)
        status = jn_plan_unit_cube(JN_RULE_SOBOL, starts, k, (uint64_t)s->seed, u,
                                   jn_node_entry(s->root, "optimise")->where, report);
    for (int p = 0; status >= 0 && p < k; p++) u[p] = 0.5;
    if (status >= 0) status = start_searches(s, own, u);
    jn_free(u);
    return status < 0 ? status : plan_round(s, own);
}

/* ----------------------------------------------------------------------------------------------------------- order */

/* How far beyond a limit a number is, as a part of it; NAN where there is no number. */
static double beyond(double excess, double limit) { return excess / jn_fmax(fabs(limit), 1e-12); }

static worth worth_of(const jn_study *s, const optimisation *own, long row) {
    const jn_study_row *r = &s->row[row];
    worth w = {INFINITY, INFINITY};
    if (r->state == JN_ROW_OPEN || r->state == JN_ROW_FAILED || !isfinite(r->value[own->column])) return w;
    w = (worth){0, own->largest ? -r->value[own->column] : r->value[own->column]};
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        for (int c = m->first; c < m->first + m->columns; c++) {
            double x = r->value[c], low = x - m->below, high = m->above - x;
            if (!isnan(m->below)) w.beyond += low > 0 ? beyond(low, m->below) : isnan(low) ? 1 : 0;
            if (!isnan(m->above)) w.beyond += high > 0 ? beyond(high, m->above) : isnan(high) ? 1 : 0;
        }
    }
    return w;
}

/* The value that NLopt gets for a run: one without numbers is worse than all before it, and keeps no limit. */
static void take_value(const jn_study *s, const optimisation *own, asking *a, long row) {
    int width = 1 + own->limits, n = a->head.count++, at = 1;
    double *out = a->value + (long)n * width, worst = 0;
    const jn_study_row *r = &s->row[row];
    worth w = worth_of(s, own, row);
    for (int i = 0; i < n; i++) worst = jn_fmax(worst, a->value[(long)i * width]);
    out[0] = isfinite(w.value) ? w.value : worst + jn_fmax(1, fabs(worst));
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        for (int c = m->first; c < m->first + m->columns; c++) {
            double low = beyond(r->value[c] - m->below, m->below), high = beyond(m->above - r->value[c], m->above);
            if (!isnan(m->below)) out[at++] = isfinite(w.value) && isfinite(low) ? low : 1;
            if (!isnan(m->above)) out[at++] = isfinite(w.value) && isfinite(high) ? high : 1;
        }
    }
}

static bool is_better(worth a, worth b) { return a.beyond < b.beyond || (a.beyond == b.beyond && a.value < b.value); }

/* Sorts the points of a generation, the best first; of equal ones the first. O(points^2) */
static void sort_points(const jn_study *s, const optimisation *own, long row, int points, int *order) {
    worth w[JN_EVOLUTION_POINTS];
    for (int j = 0; j < points; j++) {
        int at = j;
        w[j] = worth_of(s, own, row + j);
        for (; at > 0 && is_better(w[j], w[order[at - 1]]); at--) order[at] = order[at - 1];
        order[at] = j;
    }
}

static void take_round(const jn_study *s, optimisation *own) {
    long row = own->first;
    for (int i = 0; own->method && i < (int)own->starts; i++)
        if (own->open[i]) take_value(s, own, &own->asking[i], row++);
    if (own->method) return;
    for (int i = 0; i < (int)own->starts; i++) {
        jn_evolution *e = &own->search[i];
        int order[JN_EVOLUTION_POINTS];
        if (!own->open[i]) continue;
        sort_points(s, own, row, e->points, order);
        jn_evolution_adapt(e, order);
        own->open[i] = jn_evolution_spread(e) > own->tolerance;
        row += e->points;
    }
}

/* -------------------------------------------------------------------------------------------------------- findings */

static void find_best(jn_study *s, optimisation *own, jn_report *report) {
    jn_where where = jn_node_entry(s->root, "optimise")->where;
    long best = -1;
    bool open = false;
    for (long r = 0; r < s->rows; r++)
        if (isfinite(worth_of(s, own, r).beyond) &&
            (best < 0 || is_better(worth_of(s, own, r), worth_of(s, own, best))))
            best = r;
    for (int i = 0; i < (int)own->starts; i++)
        open |= own->method ? own->method->settles && own->asking[i].head.count >= (int)own->rounds : own->open[i];
    if (best < 0) {
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "optimise",
                      "no run gave a number; the first one: %.150s", s->row[0].message);
        return;
    }
    for (int p = 0; p < s->varies; p++)
        jn_study_find(s, s->vary[p].name, s->vary[p].unit, s->point[best * s->varies + p], NAN, NAN);
    jn_study_find(s, s->column_name[own->column], s->column_unit[own->column], s->row[best].value[own->column], NAN,
                  NAN);
    jn_study_find(s, "its run", "1", (double)best, NAN, NAN);
    if (worth_of(s, own, best).beyond > 0)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "optimise",
                      "no run keeps all limits; the best one passes them by %.3g of their size",
                      worth_of(s, own, best).beyond);
    if (open)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, where, "optimise",
                      "the search did not end within its rounds\ngive it more 'rounds'");
}

static int conclude(jn_study *s, jn_report *report) {
    optimisation *own = s->data;
    bool open = false;
    take_round(s, own);
    for (int i = 0; i < (int)own->starts; i++) open |= own->open[i];
    if (open && (own->method || own->round < (int)own->rounds)) {
        long planned = s->rows;
        int status = plan_round(s, own);
        if (status < 0) return status;
        if (s->rows > planned) return 1;
    }
    find_best(s, own, report);
    return JN_OK;
}

const jn_study_kind jn_kind_optimise = {
    .key = "optimise",
    .doc = "the parameters with which a measure is smallest or largest; `below` and `above` of measures are limits",
    .example = "optimise: {minimise: loss}",
    .fields = &fields,
    .size = sizeof(optimisation),
    .plan = plan,
    .conclude = conclude};
