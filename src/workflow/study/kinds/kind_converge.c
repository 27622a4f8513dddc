/* Convergence: the same run with shorter steps, or smaller tolerances of an adaptive integrator. From the last three levels follow the order, the
 * limit by Richardson's extrapolation [Richardson1911; Roache1997], the error at the model's own step, and what to do. */
#include "base/memory.h"
#include "description/integrator_info.h"
#include "model/model_layout.h"
#include "trace/print_number.h"
#include "workflow/study/statistics/convergence.h"
#include "workflow/study/kinds/kinds.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct converge {
    double levels, factor, within;
    bool fixed;    /* steps; else tolerances */
    double formal; /* order; errors of adaptive integrators are about as large as their tolerance: 1 */
} converge;

static const jn_field rows[] = {
    {.key = "levels",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(converge, levels),
     .range = JN_RANGE_POSITIVE,
     .fallback = "3",
     .doc = "how many runs, each finer than the one before",
     .example = "levels: 4"},
    {.key = "factor",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(converge, factor),
     .range = JN_RANGE_POSITIVE,
     .fallback = "2 for steps, 10 for tolerances",
     .doc = "how much finer",
     .example = "factor: 2"},
    {.key = "within",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(converge, within),
     .range = JN_RANGE_POSITIVE,
     .fallback = "0.01",
     .doc = "relative error that is good enough, for the advice",
     .example = "within: 1 %"},
    {.key = NULL},
};
static const jn_fieldset fields = {"converge", "The same run with shorter steps or smaller tolerances.", rows};

/* A parameter more: run.step or run.tolerance, whose values change fastest. */
static bool add_levels(jn_reader *r, jn_study *s, converge *own, const jn_entry *entry) {
    const jn_run_desc *run = &s->base->run;
    int levels = (int)own->levels;
    double first = own->fixed ? run->step : run->relative_tolerance;
    jn_vary *wide = jn_store_array(r->store, (size_t)s->varies + 1, sizeof *wide);
    double *value = jn_store_array(r->store, (size_t)levels, sizeof *value);
    char *text = jn_store_alloc(r->store, JN_NUMBER_SIZE), full[256];
    jn_node *node = jn_store_alloc(r->scratch, sizeof *node);
    if (!wide || !value || !text || !node) return jn_read_no_memory(r);
    for (int i = 0; i < s->varies; i++) wide[i] = s->vary[i];
    for (int k = 0; k < levels; k++) value[k] = k ? value[k - 1] / own->factor : first;
    const char *name = own->fixed ? "run.step" : "run.tolerance";
    if (jn_document_find(s->document, name, entry->where, full, sizeof full, r->report) != JN_OK) {
        r->status = r->status ? r->status : JN_ERR_MODEL;
        return false;
    }
    jn_number_write(first, text);
    *node = (jn_node){.kind = JN_NODE_SCALAR, .plain = true, .where = entry->where, .text = text, .weight = 1};
    wide[s->varies++] = (jn_vary){.name = name,
                                  .full = jn_store_strdup(r->store, full),
                                  .where = entry->where,
                                  .kind = JN_VARY_LIST,
                                  .count = levels,
                                  .value = value,
                                  .written = node,
                                  .unit = own->fixed ? "s" : "1"};
    s->vary = wide;
    return wide[s->varies - 1].full || jn_read_no_memory(r);
}

static bool read_converge(jn_reader *r, jn_study *s) {
    converge *own = s->data;
    const jn_entry *entry = jn_node_entry(s->root, "converge");
    const jn_run_desc *run = &s->base->run;
    const jn_integrator_info *info = jn_integrator_get_info(run->integrator);
    own->fixed = run->method == JN_METHOD_NONSMOOTH || !info->adaptive;
    own->formal = !own->fixed                                  ? 1
                  : run->method != JN_METHOD_NONSMOOTH         ? info->order
                  : run->scheme == JN_SCHEME_MOMENTUM_LEAPFROG ? 2
                                                               : 1;
    if (own->levels == 0) own->levels = 3;
    if (own->factor == 0) own->factor = own->fixed ? 2 : 10;
    if (own->within == 0) own->within = 0.01;
    if (own->levels != floor(own->levels) || own->levels < 3 || own->levels > 20)
        return jn_read_error(r, entry->where, JN_ERR_MODEL,
                             "'levels' must be a whole number from 3 to 20, not %g\nwrite 'levels: 4'", own->levels);
    if (!(own->factor > 1))
        return jn_read_error(r, entry->where, JN_ERR_MODEL,
                             "'factor' must be greater than 1, not %g\nwrite 'factor: 2'", own->factor);
    for (int i = 0; i < s->varies; i++)
        if (s->vary[i].kind == JN_VARY_DISTRIBUTION || s->count > 0 || !strncmp(s->vary[i].name, "run.step", 8) ||
            !strncmp(s->vary[i].name, "run.tolerance", 13))
            return jn_read_error(r, s->vary[i].where, JN_ERR_MODEL,
                                 "'converge' takes a grid of other parameters than steps and tolerances\nremove '%s'",
                                 s->count > 0 ? "samples" : s->vary[i].name);
    if (s->varies >= JN_STUDY_VARIES)
        return jn_read_error(r, entry->where, JN_ERR_LIMIT, "a study varies at most %d parameters", JN_STUDY_VARIES);
    return add_levels(r, s, own, entry);
}

/* ----------------------------------------------------------------------------------------------------------- findings */

static void advise(const jn_study *s, const converge *own, int column, const jn_convergence *c, jn_report *report) {
    const jn_entry *entry = jn_node_entry(s->root, "converge");
    const jn_vary *v = &s->vary[s->varies - 1];
    char text[400];
    jn_convergence_say(c, s->column_name[column], own->fixed ? "step" : "tolerance", v->value[0], own->within, text,
                       sizeof text);
    jn_report_add(report,
                  c->verdict <= JN_IRREGULAR && c->error_first <= own->within ? JN_SEVERITY_NOTE : JN_SEVERITY_WARNING,
                  JN_OK, entry->where, "converge", "%s", text);
}

/* Of every measure the grid point that converges worst. */
static int conclude(jn_study *s, jn_report *report) {
    const converge *own = s->data;
    long levels = (long)own->levels;
    double *x = jn_malloc((size_t)levels * sizeof *x);
    if (!x) return JN_ERR_MEMORY;
    for (int c = 0; c < s->columns; c++) {
        jn_convergence worst = {.verdict = JN_CONVERGED, .error_first = -1};
        for (long group = 0; group < s->rows / levels; group++) {
            for (long k = 0; k < levels; k++) x[k] = s->row[group * levels + k].value[c];
            jn_convergence now = jn_convergence_judge(x, (int)levels, own->factor, own->formal);
            if (now.verdict > worst.verdict ||
                (now.verdict == worst.verdict && !(now.error_first <= worst.error_first)))
                worst = now;
        }
        char name[96];
        const char *what = s->column_name[c], *unit = s->column_unit[c];
        snprintf(name, sizeof name, "%.60s in the limit", what);
        jn_study_find(s, name, unit, worst.limit, NAN, NAN);
        snprintf(name, sizeof name, "error of that of %.60s", what);
        jn_study_find(s, name, unit, worst.error, NAN, NAN);
        snprintf(name, sizeof name, "order of %.60s", what);
        jn_study_find(s, name, "1", worst.order, NAN, NAN);
        snprintf(name, sizeof name, "relative error of %.60s", what);
        jn_study_find(s, name, "1", worst.error_first, NAN, NAN);
        advise(s, own, c, &worst, report);
    }
    jn_free(x);
    return JN_OK;
}

const jn_study_kind jn_kind_converge = {
    .key = "converge",
    .doc = "the same run with shorter steps or smaller tolerances: order, limit, error and advice for every measure",
    .example = "converge: {levels: 4}",
    .fields = &fields,
    .size = sizeof(converge),
    .read = read_converge,
    .conclude = conclude};
