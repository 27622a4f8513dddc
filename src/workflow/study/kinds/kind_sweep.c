/* The sweep: rows by the rule of samples, each one run from the model's start; quantiles and probabilities where points are random. */
#include "base/memory.h"
#include "workflow/study/kinds/kinds.h"
#include "workflow/study/statistics/statistics.h"

#include <math.h>
#include <stdio.h>

/* How many rows lie on the right side of a limit; those that failed count as not. */
static void find_limit(jn_study *s, int column, double limit, bool below) {
    char name[96];
    long hits = 0, count = 0;
    for (long r = 0; r < s->rows; r++) {
        double x = s->row[r].value[column];
        if (s->row[r].state == JN_ROW_OPEN) continue;
        count++, hits += below ? x < limit : x > limit;
    }
    jn_interval p = jn_proportion(hits, count);
    snprintf(name, sizeof name, "P(%.50s %s %.6g)", s->column_name[column], below ? "<" : ">", limit);
    jn_study_find(s, name, "1", p.value, p.low, p.high);
}

static void find_quantiles(jn_study *s, int column, double *x) {
    static const double parts[] = {0.05, 0.5, 0.95};
    char name[96];
    double deviation;
    for (long r = 0; r < s->rows; r++) x[r] = s->row[r].value[column];
    long n = jn_sort_finite(x, s->rows);
    if (n < 2 || x[0] == x[n - 1]) return;
    jn_interval mean = jn_mean(x, n, &deviation);
    snprintf(name, sizeof name, "mean of %.60s", s->column_name[column]);
    jn_study_find(s, name, s->column_unit[column], mean.value, mean.low, mean.high);
    snprintf(name, sizeof name, "standard deviation of %.60s", s->column_name[column]);
    jn_study_find(s, name, s->column_unit[column], deviation, NAN, NAN);
    for (int k = 0; k < 3; k++) {
        jn_interval q = jn_quantile(x, n, parts[k]);
        snprintf(name, sizeof name, "%g %% of %.60s", 100 * parts[k], s->column_name[column]);
        jn_study_find(s, name, s->column_unit[column], q.value, q.low, q.high);
    }
}

int jn_study_statistics(jn_study *s) {
    bool random = false;
    for (int i = 0; i < s->varies; i++) random |= s->vary[i].kind == JN_VARY_DISTRIBUTION;
    double *x = jn_malloc((size_t)(s->rows + 1) * sizeof *x);
    if (!x) return JN_ERR_MEMORY;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        for (int c = m->first; c < m->first + m->columns; c++) {
            if (random && s->rule != JN_RULE_GRID) find_quantiles(s, c, x);
            if (!isnan(m->below)) find_limit(s, c, m->below, true);
            if (!isnan(m->above)) find_limit(s, c, m->above, false);
        }
    }
    jn_free(x);
    return JN_OK;
}

static int conclude(jn_study *s, jn_report *report) {
    (void)report;
    return jn_study_statistics(s);
}

const jn_study_kind jn_kind_sweep = {.doc = "a run for each point", .conclude = conclude};
