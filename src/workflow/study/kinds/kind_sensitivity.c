/* Sensitivity: how much of the variance of each measure comes from which parameter, by Sobol's indices. The points are those of
 * [Saltelli2010]: A and B from one sequence in twice the dimensions, and A with one column of B for each parameter. */
#include "base/memory.h"
#include "workflow/study/kinds/kinds.h"
#include "workflow/study/statistics/statistics.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sensitivity {
    double points, bootstrap;
} sensitivity;

static const jn_field rows[] = {
    {.key = "points",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(sensitivity, points),
     .range = JN_RANGE_POSITIVE,
     .required = true,
     .doc = "base points; a study of k parameters has k + 2 runs for each. A power of two fills space most evenly",
     .example = "points: 1024"},
    {.key = "bootstrap",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(sensitivity, bootstrap),
     .range = JN_RANGE_POSITIVE,
     .fallback = "500",
     .doc = "bootstrap samples for the intervals",
     .example = "bootstrap: 500"},
    {.key = NULL},
};
static const jn_fieldset fields = {"sensitivity", "Sobol's indices.", rows};

static int plan(jn_study *s, jn_report *report) {
    sensitivity *own = s->data;
    const jn_entry *entry = jn_node_entry(s->root, "sensitivity");
    int k = s->varies;
    if (own->points != floor(own->points) || own->points < 8 || own->points > 1e8)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, entry->where, "sensitivity.points",
                             "'points' must be a whole number from 8 on, not %g\nwrite 'points: 1024'", own->points);
    if (own->bootstrap == 0) own->bootstrap = 500;
    if (k < 1)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, entry->where, "sensitivity",
                             "nothing is varied\nadd 'vary'");
    long n = (long)own->points;
    double *u = jn_malloc(2 * (size_t)n * (size_t)k * sizeof *u), *point = jn_study_plan_rows(s, n * (k + 2));
    if (s->rule < 0 || s->rule == JN_RULE_GRID) s->rule = JN_RULE_SOBOL;
    int status =
        u && point ? jn_plan_unit_cube(s->rule, n, 2 * k, (uint64_t)s->seed, u, entry->where, report) : JN_ERR_MEMORY;
    for (long j = 0; status >= 0 && j < n; j++)
        for (int which = 0; which < k + 2; which++) /* A, B, AB_1, ... */
            for (int i = 0; i < k; i++) {
                bool from_b = which == 1 || which == i + 2;
                point[(j * (k + 2) + which) * k + i] = jn_vary_at(&s->vary[i], u[j * 2 * k + (from_b ? k : 0) + i]);
            }
    jn_free(u);
    return status;
}

static int conclude(jn_study *s, jn_report *report) {
    const sensitivity *own = s->data;
    int k = s->varies;
    long n = (long)own->points;
    double *f = jn_malloc((size_t)s->rows * sizeof *f);
    jn_interval *index = jn_malloc(2 * (size_t)k * sizeof *index);
    bool fine = f && index;
    (void)report;
    for (int c = 0; fine && c < s->columns; c++) {
        for (long r = 0; r < s->rows; r++) f[r] = s->row[r].value[c];
        fine = jn_sobol_indices(f, n, k, (int)own->bootstrap, (uint64_t)s->seed, index, index + k);
        for (int i = 0; fine && i < 2 * k; i++) {
            char name[96];
            snprintf(name, sizeof name, "%s of %.30s by %.30s", i < k ? "first-order index" : "total index",
                     s->column_name[c], s->vary[i % k].name);
            jn_study_find(s, name, "1", index[i].value, index[i].low, index[i].high);
        }
    }
    jn_free(f), jn_free(index);
    return fine ? JN_OK : JN_ERR_MEMORY;
}

const jn_study_kind jn_kind_sensitivity = {
    .key = "sensitivity",
    .doc = "Sobol's indices: how much of the variance of each measure comes from which parameter",
    .example = "sensitivity: {points: 1024}",
    .fields = &fields,
    .size = sizeof(sensitivity),
    .plan = plan,
    .conclude = conclude};
