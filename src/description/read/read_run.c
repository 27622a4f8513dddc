/* The section run. */
#include "description/integrator_info.h"
#include "description/read/read_start.h"
#include <string.h>

#include <stddef.h>

static const jn_keyword analysis_keywords[] = {
    {"dynamic", JN_ANALYSIS_DYNAMIC},         {"kinematic", JN_ANALYSIS_KINEMATIC}, {"inverse", JN_ANALYSIS_INVERSE},
    {"equilibrium", JN_ANALYSIS_EQUILIBRIUM}, {"modes", JN_ANALYSIS_MODES},         {NULL, 0}};
const jn_keyword jn_method_keywords[] = {{"smooth", JN_METHOD_SMOOTH},
                                         {"compliant", JN_METHOD_COMPLIANT},
                                         {"nonsmooth", JN_METHOD_NONSMOOTH},
                                         {"impact", JN_METHOD_IMPACT},
                                         {NULL, 0}};
#define KEYWORD(value, name, order, kind, step, summary) {name, JN_INTEGRATOR_##value},
static const jn_keyword integrator_keywords[] = {JN_INTEGRATORS(KEYWORD){NULL, 0}};
const jn_keyword jn_scheme_keywords[] = {{"momentum_leapfrog", JN_SCHEME_MOMENTUM_LEAPFROG},
                                         {"moreau_jean", JN_SCHEME_MOREAU_JEAN},
                                         {"moreau_midpoint", JN_SCHEME_MOREAU_MIDPOINT},
                                         {"least_constraint", JN_SCHEME_LEAST_CONSTRAINT},
                                         {NULL, 0}};
static const jn_keyword terms_keywords[] = {{"middle", JN_TERMS_MIDDLE}, {"end", JN_TERMS_END}, {NULL, 0}};
static const jn_keyword contact_start_keywords[] = {{"root", JN_CONTACT_START_ROOT},
                                                    {"interpolate", JN_CONTACT_START_INTERPOLATE},
                                                    {"reject", JN_CONTACT_START_REJECT},
                                                    {"none", JN_CONTACT_START_NONE},
                                                    {NULL, 0}};
static const jn_keyword law_keywords[] = {
    {"newton", JN_IMPACT_NEWTON},           {"poisson", JN_IMPACT_POISSON},
    {"stronge", JN_IMPACT_STRONGE},         {"simultaneous", JN_IMPACT_SIMULTANEOUS},
    {"sequential", JN_IMPACT_SEQUENTIAL},   {"moreau", JN_IMPACT_MOREAU},
    {"poisson_lcp", JN_IMPACT_POISSON_LCP}, {"lzb", JN_IMPACT_LZB},
    {"staged", JN_IMPACT_STAGED},           {NULL, 0}};
static const jn_keyword binary_keywords[] = {
    {"newton", JN_IMPACT_NEWTON}, {"poisson", JN_IMPACT_POISSON}, {"stronge", JN_IMPACT_STRONGE}, {NULL, 0}};
static const jn_keyword rows_keywords[] = {
    {"consistent", JN_IMPACT_CONSISTENT}, {"magnitude", JN_IMPACT_MAGNITUDE}, {NULL, 0}};
static const jn_keyword work_keywords[] = {
    {"normal", JN_IMPACT_NORMAL}, {"kinetic_split", JN_IMPACT_KINETIC_SPLIT}, {NULL, 0}};
static const jn_keyword stabilise_keywords[] = {{"projection", JN_STABILISE_PROJECTION},
                                                {"baumgarte", JN_STABILISE_BAUMGARTE},
                                                {"none", JN_STABILISE_NONE},
                                                {"penalty", JN_STABILISE_PENALTY},
                                                {"augmented_lagrangian", JN_STABILISE_AUGMENTED_LAGRANGIAN},
                                                {"coordinate_partitioning", JN_STABILISE_COORDINATE_PARTITIONING},
                                                {NULL, 0}};

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
    if (!jn_read_keyword(r, node, stabilise_keywords, &word)) {
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

static const jn_removed_key removed_keys[] = {
    {"threads", "the machine says how many threads there are, not the model\nremove it and write 'jounce run --threads "
                "2', 'jounce study --threads 2' or jn_sim_use_threads"},
    {NULL, NULL},
};

static const jn_field run_rows[] = {
    {.key = "analysis",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(analysis),
     .keywords = analysis_keywords,
     .fallback = "dynamic",
     .doc = "what to compute",
     .example = "analysis: kinematic"},
    {.key = "method",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(method),
     .where = RUN(method_where),
     .keywords = jn_method_keywords,
     .fallback = "smooth",
     .doc = "how contact is treated; smooth: as compliant, for models without contacts",
     .example = "method: smooth"},
    {.key = "integrator",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(integrator),
     .where = RUN(integrator_where),
     .keywords = integrator_keywords,
     .fallback = "auto",
     .doc = "euler, verlet, rk4 have a fixed step; dopri45, adams, bdf adapt it; auto: dopri45, and bdf where the "
            "motion is stiff",
     .example = "integrator: rk4"},
    {.key = "stabilise",
     .kind = JN_FIELD_CUSTOM,
     .read = read_stabilise,
     .sets = baumgarte_sets,
     .schema =
         "{\"anyOf\": [{\"enum\": [\"projection\", \"baumgarte\", \"none\", \"penalty\", \"augmented_lagrangian\", "
         "\"coordinate_partitioning\"]}, {\"type\": \"string\"}, {\"type\": "
         "\"object\"}]}",
     .fallback = "projection",
     .doc = "against drift of the constraints: projection, coordinate_partitioning, none, baumgarte or {baumgarte: "
            "{alpha: , beta: }}, penalty, augmented_lagrangian",
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
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(scheme),
     .keywords = jn_scheme_keywords,
     .fallback = "momentum_leapfrog",
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
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(terms),
     .keywords = terms_keywords,
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
    {.key = "sleep",
     .kind = JN_FIELD_BOOL,
     .offset = RUN(sleep),
     .fallback = "true",
     .doc = "momentum_leapfrog: a system, or an island of it, that has come to rest within its residual is not solved "
            "again until something wakes it",
     .example = "sleep: false"},
    {.key = "energetic_bound",
     .kind = JN_FIELD_BOOL,
     .offset = RUN(energetic_bound),
     .fallback = "true",
     .doc = "momentum_leapfrog: impacts of bodies that touch each other gain no energy as a whole: where Newton's "
            "restitution with friction would, "
            "its coefficients are lowered together until they do not",
     .example = "energetic_bound: false"},
    {.key = "compliance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(compliance),
     .where = RUN(compliance_where),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "5e-4",
     .doc = "momentum_leapfrog: contacts of balls in models with more than 32 of them that move freely (all of it from 64 "
            "on) give way to their load like springs, by this part of how far it alone would move their bodies in a step, "
            "6e-4 of the smaller radius at most; impacts are rigid themselves; 0: all contacts are rigid",
     .example = "compliance: 0"},
    {.key = "order",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(order),
     .range = JN_RANGE_POSITIVE,
     .fallback = "2",
     .doc = "momentum_leapfrog: order of steps in which nothing is near: 2, 4 or 6; 4 costs five evaluations in such a "
            "step, 6 nine",
     .example = "order: 4"},
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
     .doc = "nonsmooth: solver of the contact problem, 'automatic' or one of 'jounce solve --list'",
     .example = "solver: lemke"},
    {.key = "residual",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_SPEED,
     .offset = RUN(residual),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1e-6 m/s",
     .doc = "nonsmooth: largest error of a contact velocity that the solution of a step's problem may leave",
     .example = "residual: 1e-8 m/s"},
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
     .fallback = "1e-4 of half the shortest side of the smallest shape",
     .doc = "momentum_leapfrog: a step that would end deeper than this is solved again with a corrected gap",
     .example = "penetration: 1 um"},
    {.key = "overlap",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = RUN(overlap),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "compliant: shapes may overlap so deep at the start, as bodies do that rest on each other",
     .example = "overlap: 1 mm"},
    {.key = "start",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_read_start,
     .schema = "{\"anyOf\": [{\"enum\": [\"drawn\", \"ideal\"]}, {\"type\": \"string\"}]}",
     .fallback = "drawn",
     .doc = "drawn; ideal (mechanisms with clearance): the initial velocities of the mechanism without clearance; "
            "FOLDER @ TIME or FOLDER/: where the run in that folder was then, or ended",
     .example = "start: out/other_run @ 1.5 s"},
    {.key = "settle",
     .kind = JN_FIELD_BOOL,
     .offset = RUN(settle),
     .fallback = "false",
     .doc = "start ideal: takes the positions from the mechanism without clearance, too",
     .example = "settle: true"},
    {.key = "law",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(impact_law),
     .keywords = law_keywords,
     .fallback = "staged",
     .doc = "impact: law of impacts, see 'jounce laws impact'",
     .example = "law: poisson"},
    {.key = "rows",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(impact_rows),
     .keywords = rows_keywords,
     .fallback = "consistent",
     .doc = "law simultaneous: rows between points of a body with true directions, or with magnitudes as in paper 004",
     .example = "rows: magnitude"},
    {.key = "work",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(impact_work),
     .keywords = work_keywords,
     .fallback = "normal",
     .doc = "law simultaneous: the coefficient refers to the work of normal impulses, or to a split of the kinetic "
            "energy as "
            "in paper 004, which may gain energy",
     .example = "work: kinetic_split"},
    {.key = "binary",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(impact_binary),
     .keywords = binary_keywords,
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
     .doc = "impact: a contact that impacts again within this time comes to rest (impacts that accumulate end so)",
     .example = "rest: 1 us"},
    {.key = "knot_step",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(knot_step),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1 us",
     .doc = "impact: length of the nonsmooth step that passes an instant at which events crowd or no forces are found",
     .example = "knot_step: 0.1 us"},
    {.key = "contact_start",
     .kind = JN_FIELD_KEYWORD,
     .offset = RUN(contact_start),
     .where = RUN(contact_start_where),
     .keywords = contact_start_keywords,
     .fallback = "root",
     .doc = "how the start of a contact is found: root of the gap; interpolate or reject as in paper 003; none",
     .example = "contact_start: reject"},
    {.key = "min_step",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = RUN(min_step),
     .range = JN_RANGE_POSITIVE,
     .fallback = "round-off",
     .doc = "shortest step in search of the start of a contact; deeper starts are then reported as warnings; "
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
    {.key = "momentum_tolerance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(momentum_tolerance),
     .range = JN_RANGE_POSITIVE,
     .fallback = "automatic",
     .doc = "audit: largest residual of linear and of angular momentum relative to the largest momentum",
     .example = "momentum_tolerance: 1e-6"},
    {.key = "violation_tolerance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = RUN(violation_tolerance),
     .range = JN_RANGE_POSITIVE,
     .fallback = "automatic",
     .doc = "audit: largest constraint violation",
     .example = "violation_tolerance: 1e-8"},
    {.key = NULL, .removed = removed_keys},
};
const jn_fieldset jn_run_fields = {"run", "How to run the model.", run_rows};

bool jn_read_run(jn_reader *r, const jn_node *node, void *item) {
    jn_run_desc *run = &r->d->run;
    (void)item;
    if (!jn_read_fields(r, node, &jn_run_fields, run)) {
        return false;
    }
    if (run->solver && (!strcmp(run->solver, "auto") || !strcmp(run->solver, "automatic"))) run->solver = NULL;
    if (run->step == 0 && (!jn_integrator_get_info(run->integrator)->adaptive || run->method == JN_METHOD_NONSMOOTH)) {
        run->step = 1e-3;
    }
    if (run->settle && run->start != JN_START_IDEAL) {
        return jn_read_error(r, jn_node_entry(node, "settle")->where, JN_ERR_MODEL,
                             "'settle' takes positions from the mechanism without clearance, which 'start: drawn' "
                             "does not look at\nadd 'start: ideal'");
    }
    if (run->step > run->until) {
        return jn_read_error(r, jn_node_entry(node, jn_node_entry(node, "step") ? "step" : "until")->where,
                             JN_ERR_MODEL, "the step, %g s, is longer than the run, %g s\nmake 'step' smaller",
                             run->step, run->until);
    }
    return true;
}
