/* The sections run, record and expect. */
#include "description/reader.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const jn_word analysis_words[] = {{"dynamic", JN_ANALYSIS_DYNAMIC}, {"kinematic", JN_ANALYSIS_KINEMATIC},
                                         {"inverse", JN_ANALYSIS_INVERSE}, {"equilibrium", JN_ANALYSIS_EQUILIBRIUM},
                                         {"modes", JN_ANALYSIS_MODES},     {NULL, 0}};
static const jn_word method_words[] = {{"smooth", JN_METHOD_SMOOTH},
                                       {"compliant", JN_METHOD_COMPLIANT},
                                       {"nonsmooth", JN_METHOD_NONSMOOTH},
                                       {"impact", JN_METHOD_IMPACT},
                                       {NULL, 0}};
static const jn_word integrator_words[] = {{"euler", JN_INTEGRATOR_EULER},
                                           {"verlet", JN_INTEGRATOR_VERLET},
                                           {"rk4", JN_INTEGRATOR_RK4},
                                           {"dopri45", JN_INTEGRATOR_DOPRI45},
                                           {"adams", JN_INTEGRATOR_ADAMS},
                                           {"bdf", JN_INTEGRATOR_BDF},
                                           {NULL, 0}};
static const jn_word scheme_words[] = {{"moreau_jean", JN_SCHEME_MOREAU_JEAN},
                                       {"moreau_midpoint", JN_SCHEME_MOREAU_MIDPOINT},
                                       {"least_constraint", JN_SCHEME_LEAST_CONSTRAINT},
                                       {NULL, 0}};
static const jn_word terms_words[] = {{"middle", JN_TERMS_MIDDLE}, {"end", JN_TERMS_END}, {NULL, 0}};
static const jn_word contact_start_words[] = {{"root", JN_CONTACT_START_ROOT},
                                              {"interpolate", JN_CONTACT_START_INTERPOLATE},
                                              {"reject", JN_CONTACT_START_REJECT},
                                              {"none", JN_CONTACT_START_NONE},
                                              {NULL, 0}};
static const jn_word law_words[] = {{"newton", JN_IMPACT_NEWTON},
                                    {"poisson", JN_IMPACT_POISSON},
                                    {"stronge", JN_IMPACT_STRONGE},
                                    {"simultaneous", JN_IMPACT_SIMULTANEOUS},
                                    {"sequential", JN_IMPACT_SEQUENTIAL},
                                    {"moreau", JN_IMPACT_MOREAU},
                                    {"poisson_lcp", JN_IMPACT_POISSON_LCP},
                                    {"lzb", JN_IMPACT_LZB},
                                    {NULL, 0}};
static const jn_word binary_words[] = {
    {"newton", JN_IMPACT_NEWTON}, {"poisson", JN_IMPACT_POISSON}, {"stronge", JN_IMPACT_STRONGE}, {NULL, 0}};
static const jn_word rows_words[] = {
    {"consistent", JN_IMPACT_CONSISTENT}, {"magnitude", JN_IMPACT_MAGNITUDE}, {NULL, 0}};
static const jn_word work_words[] = {
    {"normal", JN_IMPACT_NORMAL}, {"kinetic_split", JN_IMPACT_KINETIC_SPLIT}, {NULL, 0}};
static const jn_word stabilise_words[] = {{"projection", JN_STABILISE_PROJECTION},
                                          {"baumgarte", JN_STABILISE_BAUMGARTE},
                                          {"none", JN_STABILISE_NONE},
                                          {NULL, 0}};

/* --------------------------------------------------------------------------------------------------------- run */

#define RUN(member) offsetof(jn_run_desc, member)

static const jn_field baumgarte_rows[] = {
    {.key = "alpha",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_FREQUENCY,
     .offset = RUN(baumgarte_alpha),
     .fallback = "5",
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "feedback of the velocity violation",
     .example = "alpha: 5"},
    {.key = "beta",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_FREQUENCY,
     .offset = RUN(baumgarte_beta),
     .fallback = "5",
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "feedback of the position violation",
     .example = "beta: 5"},
    {.key = NULL},
};
static const jn_fieldset baumgarte_fields = {
    "run.stabilise.baumgarte", "Constraint accelerations are fed back with 2 alpha and beta^2.", baumgarte_rows};

static bool read_stabilise(jn_reader *r, const jn_node *node, void *item) {
    jn_run_desc *run = item;
    int word = 0;

    if (node->kind == JN_NODE_MAP) {
        const jn_node *values = jn_node_get(node, "baumgarte");
        if (!values || node->count != 1) {
            return jn_read_error(r, node->where, JN_ERR_MODEL,
                                 "only baumgarte has parameters\nwrite 'stabilise: {baumgarte: {alpha: 5, beta: 5}}'");
        }
        run->stabilise = JN_STABILISE_BAUMGARTE;
        return jn_read_fields(r, values, &baumgarte_fields, run);
    }
    if (!jn_read_word(r, node, stabilise_words, &word)) {
        return false;
    }
    run->stabilise = (jn_stabilise)word;
    return true;
}

static const jn_field tolerance_rows[] = {
    {.key = "relative",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(relative_tolerance),
     .fallback = "1e-8",
     .range = JN_RANGE_POSITIVE,
     .doc = "error per step relative to the value",
     .example = "relative: 1e-9"},
    {.key = "absolute",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(absolute_tolerance),
     .fallback = "1e-10",
     .range = JN_RANGE_POSITIVE,
     .doc = "error per step allowed near zero",
     .example = "absolute: 1e-12"},
    {.key = NULL},
};
static const jn_fieldset tolerance_fields = {"run.tolerance", "Accuracy of the adaptive integrators.", tolerance_rows};

static bool read_tolerance(jn_reader *r, const jn_node *node, void *item) {
    jn_run_desc *run = item;
    double value;
    if (node->kind == JN_NODE_MAP) {
        return jn_read_fields(r, node, &tolerance_fields, run);
    }
    if (!jn_read_number(r, node, JN_MEASURE_NUMBER, &value)) {
        return false;
    }
    run->relative_tolerance = run->absolute_tolerance = value;
    return value > 0 ||
           jn_read_error(r, node->where, JN_ERR_MODEL, "'tolerance' must be greater than 0, not %g", value);
}

static const jn_fieldset *const baumgarte_sets[] = {&baumgarte_fields, NULL}, *const tolerance_sets[] = {
                                                                                  &tolerance_fields, NULL};

static const jn_field run_rows[] = {
    {.key = "analysis",
     .kind = JN_FIELD_WORD,
     .offset = RUN(analysis),
     .words = analysis_words,
     .fallback = "dynamic",
     .doc = "what to compute",
     .example = "analysis: kinematic"},
    {.key = "method",
     .kind = JN_FIELD_WORD,
     .offset = RUN(method),
     .words = method_words,
     .fallback = "smooth",
     .doc = "how contact is treated; smooth: as compliant, for models without contacts",
     .example = "method: smooth"},
    {.key = "integrator",
     .kind = JN_FIELD_WORD,
     .offset = RUN(integrator),
     .where = RUN(integrator_where),
     .words = integrator_words,
     .fallback = "dopri45",
     .doc = "euler, verlet, rk4 have a fixed step; dopri45, adams, bdf adapt it",
     .example = "integrator: rk4"},
    {.key = "stabilise",
     .kind = JN_FIELD_CUSTOM,
     .read = read_stabilise,
     .sets = baumgarte_sets,
     .schema = "{\"anyOf\": [{\"enum\": [\"projection\", \"baumgarte\", \"none\"]}, {\"type\": \"string\"}, {\"type\": "
               "\"object\"}]}",
     .fallback = "projection",
     .doc = "against drift of the constraints: projection, none, baumgarte or {baumgarte: {alpha: , beta: }}",
     .example = "stabilise: {baumgarte: {alpha: 5, beta: 5}}"},
    {.key = "until",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(until),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1 s",
     .doc = "end of the simulated time",
     .example = "until: 10 s"},
    {.key = "step",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(step),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1 ms for a fixed step, else automatic",
     .doc = "fixed step, or first step of an adaptive integrator",
     .example = "step: 1 ms"},
    {.key = "max_step",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(max_step),
     .where = RUN(max_step_where),
     .range = JN_RANGE_POSITIVE,
     .fallback = "none",
     .doc = "largest step of an adaptive integrator",
     .example = "max_step: 10 ms"},
    {.key = "scheme",
     .kind = JN_FIELD_WORD,
     .offset = RUN(scheme),
     .words = scheme_words,
     .fallback = "moreau_jean",
     .doc = "nonsmooth: how a step is discretised",
     .example = "scheme: moreau_midpoint"},
    {.key = "theta",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(theta),
     .where = RUN(theta_where),
     .range = JN_RANGE_POSITIVE,
     .fallback = "0.5",
     .doc = "weight of the end of the step; 0.5 keeps energy, 1 damps; least_constraint: 1 is the paper's",
     .example = "theta: 0.5"},
    {.key = "terms",
     .kind = JN_FIELD_WORD,
     .offset = RUN(terms),
     .words = terms_words,
     .fallback = "middle",
     .doc = "moreau_jean: inertia and contact rows at the weighted middle of the step, or at its end as in Siconos",
     .example = "terms: end"},
    {.key = "adapt",
     .kind = JN_FIELD_BOOL,
     .offset = RUN(adapt),
     .where = RUN(adapt_where),
     .fallback = "false",
     .doc =
         "moreau_jean: steps end where contacts close, unless that is nearer than min_step (a thousandth of the step)",
     .example = "adapt: true"},
    {.key = "iterations",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(iterations),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "moreau_jean: most evaluations of a step; 0: until it is solved",
     .example = "iterations: 2"},
    {.key = "solver",
     .kind = JN_FIELD_TEXT,
     .offset = RUN(solver),
     .where = RUN(solver_where),
     .fallback = "automatic",
     .doc = "nonsmooth: solver of the contact problem, see 'jounce solve --list'",
     .example = "solver: lemke"},
    {.key = "residual",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(residual),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1e-10, beyond 200 contacts 1e-6",
     .doc = "nonsmooth: largest relative residual of the contact problem of a step",
     .example = "residual: 1e-8"},
    {.key = "threads",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(threads),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1",
     .doc = "nonsmooth: threads that solve contact problems of 1000 contacts and more; any number gives the same bits",
     .example = "threads: 2"},
    {.key = "save_hard",
     .kind = JN_FIELD_BOOL,
     .offset = RUN(save_hard),
     .fallback = "false",
     .doc = "nonsmooth: contact problems that need a second solver are saved in FCLIB's format, a hundred at most",
     .example = "save_hard: true"},
    {.key = "penetration",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = RUN(penetration),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1e-9 m",
     .doc = "moreau_jean with stabilise: projection: contacts deeper than this are pushed apart",
     .example = "penetration: 1 um"},
    {.key = "overlap",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = RUN(overlap),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "compliant: shapes may overlap so deep at the start, as bodies do that rest on each other",
     .example = "overlap: 1 mm"},
    {.key = "law",
     .kind = JN_FIELD_WORD,
     .offset = RUN(impact_law),
     .words = law_words,
     .fallback = "simultaneous",
     .doc = "impact: law of impacts, see 'jounce laws impact'",
     .example = "law: poisson"},
    {.key = "rows",
     .kind = JN_FIELD_WORD,
     .offset = RUN(impact_rows),
     .words = rows_words,
     .fallback = "consistent",
     .doc = "law simultaneous: rows between points of a body with true directions, or with magnitudes as in paper 004",
     .example = "rows: magnitude"},
    {.key = "work",
     .kind = JN_FIELD_WORD,
     .offset = RUN(impact_work),
     .words = work_words,
     .fallback = "normal",
     .doc = "law simultaneous: the coefficient refers to the work of normal impulses, or to a split of the kinetic "
            "energy as "
            "in paper 004, which may gain energy",
     .example = "work: kinetic_split"},
    {.key = "binary",
     .kind = JN_FIELD_WORD,
     .offset = RUN(impact_binary),
     .words = binary_words,
     .fallback = "stronge",
     .doc = "law sequential: law of each pair",
     .example = "binary: newton"},
    {.key = "bi_stiffness",
     .kind = JN_FIELD_BOOL,
     .offset = RUN(bi_stiffness),
     .fallback = "false",
     .doc = "law lzb: contacts give back along a stiffer curve, in place of an early end; 'stiffness' and 'exponent' "
            "of the "
            "contacts share the impulses",
     .example = "bi_stiffness: true"},
    {.key = "impact_events",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(impact_events),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "impact: the run stops after so many impact events of one collision; 0: a collision goes on until nothing "
            "approaches",
     .example = "impact_events: 2"},
    {.key = "impact_tolerance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(impact_tolerance),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1e-10",
     .doc = "impact: relative accuracy of the integration over impulses, in space and for lzb",
     .example = "impact_tolerance: 1e-8"},
    {.key = "rest",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(rest_time),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1e-7 s",
     .doc = "impact: a contact that strikes again within this time comes to rest (impacts that accumulate end so)",
     .example = "rest: 1 us"},
    {.key = "contact_start",
     .kind = JN_FIELD_WORD,
     .offset = RUN(contact_start),
     .where = RUN(contact_start_where),
     .words = contact_start_words,
     .fallback = "root",
     .doc = "how the start of a contact is found: root of the gap; interpolate or reject as in paper 003; none",
     .example = "contact_start: reject"},
    {.key = "min_step",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(min_step),
     .range = JN_RANGE_POSITIVE,
     .fallback = "round-off",
     .doc = "shortest step in search of the start of a contact; deeper starts are then told as warnings; "
            "least_constraint and adapt: a thousandth of the step if not given",
     .example = "min_step: 0.1 us"},
    {.key = "impact_steps",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(impact_steps),
     .where = RUN(impact_steps_where),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "10",
     .doc = "adaptive integrators take at least so many steps in an impact; 0: any",
     .example = "impact_steps: 20"},
    {.key = "tolerance",
     .kind = JN_FIELD_CUSTOM,
     .read = read_tolerance,
     .sets = tolerance_sets,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"object\"}]}",
     .fallback = "relative 1e-8, absolute 1e-10",
     .doc = "accuracy of the adaptive integrators: one number for both, or {relative: , absolute: }",
     .example = "tolerance: 1e-9"},
    {.key = "energy_tolerance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(energy_tolerance),
     .range = JN_RANGE_POSITIVE,
     .fallback = "automatic",
     .doc = "audit: largest energy residual relative to the largest energy",
     .example = "energy_tolerance: 1e-6"},
    {.key = "violation_tolerance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(violation_tolerance),
     .range = JN_RANGE_POSITIVE,
     .fallback = "automatic",
     .doc = "audit: largest constraint violation",
     .example = "violation_tolerance: 1e-8"},
    {.key = NULL},
};
const jn_fieldset jn_run_fields = {"run", "How to run the model.", run_rows};

bool jn_read_run(jn_reader *r, const jn_node *node, void *item) {
    jn_run_desc *run = &r->d->run;
    (void)item;
    if (!jn_read_fields(r, node, &jn_run_fields, run)) {
        return false;
    }
    if (run->step == 0 && (run->integrator <= JN_INTEGRATOR_RK4 || run->method == JN_METHOD_NONSMOOTH)) {
        run->step = 1e-3;
    }
    if (run->step > run->until) {
        return jn_read_error(r, jn_node_entry(node, jn_node_entry(node, "step") ? "step" : "until")->where,
                             JN_ERR_MODEL, "the step, %g s, is longer than the run, %g s\nmake 'step' smaller",
                             run->step, run->until);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ expect */

typedef struct expect_item {
    jn_expect_desc expect; /* first */
    const jn_node *event;
    bool has_time, has_at, has_within, has_from;
    bool left_out; /* a parameter has another value than the row is for */
    int at;
} expect_item;

static const jn_word at_words[] = {{"last", JN_EXPECT_LAST}, {"min", JN_EXPECT_MIN}, {"max", JN_EXPECT_MAX}, {"mean", JN_EXPECT_MEAN}, {NULL, 0}};

static bool keep_event(jn_reader *r, const jn_node *node, void *item) {
    ((expect_item *)item)->event = node;
    return jn_expect_kind(r, node, JN_NODE_SCALAR, "an event such as 'first impact'");
}

/* A list against the value of a parameter. */
static bool same_list(jn_reader *r, const jn_parameter *p, const jn_node *node, bool *left_out) {
    double want, is;
    if (!p->is_list || node->kind != JN_NODE_LIST || node->count != p->node->count) return *left_out = true;
    for (int i = 0; i < node->count; i++) {
        if (!jn_read_number(r, node->items[i], JN_MEASURE_ANY, &want) ||
            !jn_read_number(r, p->node->items[i], JN_MEASURE_ANY, &is))
            return false;
        *left_out |= !(fabs(want - is) <= 1e-12 * fabs(want));
    }
    return true;
}

/* {parameter: value, ...}: the row is for these values only. */
static bool read_when(jn_reader *r, const jn_node *node, void *item) {
    expect_item *e = item;
    if (!jn_expect_kind(r, node, JN_NODE_MAP, "parameters and their values, as {restitution: 1}")) return false;
    for (int i = 0; i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        int k = jn_names_find(&r->parameter_names, entry->key);
        double value;
        if (k < 0)
            return jn_read_error(r, entry->where, JN_ERR_MODEL,
                                 "the model has no parameter '%.80s'\nadd it under 'parameters'", entry->key);
        const jn_parameter *p = &r->parameters[k];
        if (p->is_list || entry->value->kind == JN_NODE_LIST) {
            if (!same_list(r, p, entry->value, &e->left_out)) return false;
            continue;
        }
        if (p->is_text) {
            const char *word = jn_read_plain_word(r, entry->value);
            e->left_out |= !word || strcmp(word, p->text) != 0;
            continue;
        }
        if (!jn_read_number(r, entry->value, JN_MEASURE_ANY, &value)) return false;
        e->left_out |= !(fabs(value - p->value) <= 1e-12 * fabs(value));
    }
    return true;
}

#define EXPECT(member) offsetof(expect_item, expect.member)
static const jn_field expect_rows[] = {
    {.key = "method",
     .kind = JN_FIELD_WORD,
     .offset = EXPECT(method),
     .has = EXPECT(has_method),
     .words = method_words,
     .fallback = "any",
     .doc = "the row holds for runs by this method alone",
     .example = "method: nonsmooth"},
    {.key = "channel",
     .kind = JN_FIELD_TEXT,
     .offset = EXPECT(channel),
     .doc = "a channel, or a number of the summary",
     .example = "channel: joint.pin.q"},
    {.key = "time",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = EXPECT(time),
     .has = offsetof(expect_item, has_time),
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "when to look; with an event: when it must happen",
     .example = "time: 0.5 s"},
    {.key = "at",
     .kind = JN_FIELD_WORD,
     .offset = offsetof(expect_item, at),
     .has = offsetof(expect_item, has_at),
     .words = at_words,
     .fallback = "last",
     .doc = "instead of a time: the last, smallest or largest value, or the mean over time",
     .example = "at: max"},
    {.key = "from",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = EXPECT(from),
     .has = offsetof(expect_item, has_from),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "with at: min, max or mean: look from this time on",
     .example = "from: 2 s"},
    {.key = "event",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_event,
     .schema = "{\"type\": \"string\"}",
     .doc = "kind of an event, with first, second, third, ... or 7th in front; the row is about its time",
     .example = "event: first impact"},
    {.key = "value",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(value),
     .has = EXPECT(has_value),
     .doc = "what is expected",
     .example = "value: 30 deg"},
    {.key = "within",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(within),
     .has = offsetof(expect_item, has_within),
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "allowed distance from the value",
     .example = "within: 1e-9"},
    {.key = "relative",
     .kind = JN_FIELD_BOOL,
     .offset = EXPECT(relative),
     .fallback = "false",
     .doc = "`within` is a fraction of the value",
     .example = "relative: true"},
    {.key = "below",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(below),
     .has = EXPECT(has_below),
     .doc = "the result must be below this",
     .example = "below: 1e-8"},
    {.key = "above",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(above),
     .has = EXPECT(has_above),
     .doc = "the result must be above this",
     .example = "above: 0"},
    {.key = "when",
     .kind = JN_FIELD_CUSTOM,
     .read = read_when,
     .schema = "{\"type\": \"object\"}",
     .doc = "the row counts only where these parameters have these values",
     .example = "when: {restitution: 1}"},
    {.key = "source",
     .kind = JN_FIELD_TEXT,
     .offset = EXPECT(source),
     .doc = "where the number comes from",
     .example = "source: closed form"},
    {.key = NULL},
};
const jn_fieldset jn_expect_fields = {
    "expect", "Promises of the model about its own result, one per row; `jounce verify` checks them.", expect_rows};

/* "first impact", "7th impact", "impact": number and kind. */
static bool read_event(jn_reader *r, expect_item *e) {
    static const char *const ordinals[] = {"first", "second",  "third",  "fourth", "fifth",
                                           "sixth", "seventh", "eighth", "ninth",  "tenth"};
    const char *text = e->event->text, *space = strchr(text, ' ');
    size_t n = space ? (size_t)(space - text) : 0;

    e->expect.at = JN_EXPECT_EVENT;
    e->expect.event_nth = space ? 0 : 1;
    for (int i = 0; space && i < 10; i++) {
        if (strlen(ordinals[i]) == n && strncmp(ordinals[i], text, n) == 0) {
            e->expect.event_nth = i + 1;
        }
    }
    if (space && text[0] >= '1' && text[0] <= '9') {
        char *end;
        long nth = strtol(text, &end, 10);
        e->expect.event_nth = nth < 1000000 && end + 2 == space ? (int)nth : 0;
    }
    if (e->expect.event_nth == 0 || !(space ? space[1] : text[0]) || (space && strchr(space + 1, ' '))) {
        return jn_read_error(r, e->event->where, JN_ERR_MODEL,
                             "'%.80s' is not an event\nwrite 'impact', 'first impact' or '7th impact'", text);
    }
    e->expect.event = jn_store_strdup(r->store, space ? space + 1 : text);
    return e->expect.event ? true : jn_read_no_memory(r);
}

static bool finish_event(jn_reader *r, const jn_node *node, expect_item *e) {
    if (e->expect.channel || e->has_at || e->expect.has_value) {
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "a row with 'event' is about the event's time\nwrite {event: first impact, time: 2.7 ms, within: 10 us}");
    }
    if (!read_event(r, e)) {
        return false;
    }
    e->expect.has_value = e->has_time;
    e->expect.value = e->expect.time;
    return true;
}

static bool finish_expect(jn_reader *r, const jn_node *node, expect_item *e) {
    jn_expect_desc *x = &e->expect;

    if (e->event) {
        if (!finish_event(r, node, e)) {
            return false;
        }
    } else if (!x->channel) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a row needs a channel or an event\nadd 'channel: joint.NAME.q'");
    } else if (e->has_time && e->has_at) {
        return jn_read_error(r, jn_node_entry(node, "at")->where, JN_ERR_MODEL,
                             "'time' and 'at' exclude each other\nremove one");
    } else {
        x->at = e->has_time ? JN_EXPECT_TIME : e->has_at ? (jn_expect_at)e->at : JN_EXPECT_LAST;
    }
    if (e->has_from && x->at != JN_EXPECT_MIN && x->at != JN_EXPECT_MAX && x->at != JN_EXPECT_MEAN)
        return jn_read_error(r, jn_node_entry(node, "from")->where, JN_ERR_MODEL,
                             "'from' goes with 'at: min', 'at: max' or 'at: mean'\nadd one of them, or remove 'from'");
    if (!x->has_value && !x->has_below && !x->has_above) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a row must promise something\nadd 'value' with 'within', 'below' or 'above'");
    }
    if (x->has_value != e->has_within) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'%s' is missing: a value needs a tolerance\nadd '%s'",
                             x->has_value ? "within"
                             : e->event   ? "time"
                                          : "value",
                             x->has_value ? "within: 1e-6"
                             : e->event   ? "time: 2.7 ms"
                                          : "value: 0.5");
    }
    return true;
}

bool jn_read_expects(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    (void)item;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "a list of rows, each '- {channel: ..., value: ..., within: ...}'")) {
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        expect_item e = {.expect = {.where = node->items[i]->where}};
        size_t mark = jn_path_item(r, i);
        void *wide = jn_store_grow(r->store, d->expects, d->expect_count, sizeof *d->expects);
        if (!wide) {
            return jn_read_no_memory(r);
        }
        d->expects = wide;
        bool fine = jn_read_fields(r, node->items[i], &jn_expect_fields, &e) && finish_expect(r, node->items[i], &e);
        if (fine && !e.left_out) d->expects[d->expect_count++] = e.expect;
        jn_path_back(r, mark);
    }
    return true;
}
