/* The plan of a study: which values each run gets. Points depend on the file alone. */
#include "workflow/study/study.h"

#include "base/memory.h"
#include "workflow/study/statistics/random.h"
#include "workflow/study/statistics/sobol.h"

#include <math.h>
#include <string.h>

double *jn_study_plan_rows(jn_study *s, long rows) {
    size_t width = (size_t)(s->varies ? s->varies : 1);
    double *wide = jn_realloc(s->point, (size_t)(s->rows + rows) * width * sizeof *wide);
    if (!wide) return NULL;
    s->point = wide;
    s->rows += rows;
    if (!s->first) s->tasks = s->rows;
    return wide + (size_t)(s->rows - rows) * width;
}

long jn_study_task_first(const jn_study *s, long task) { return s->first ? s->first[task] : task; }

/* ------------------------------------------------------------------------------------------------------ unit cube */

/* A random order of 0 ... count-1. [Fisher and Yates] O(count) */
static void shuffle(long *order, long count, uint64_t seed, int dimension) {
    for (long i = 0; i < count; i++) order[i] = i;
    for (long i = count - 1; i > 0; i--) {
        long k = (long)(jn_random_bits(seed, (uint64_t)dimension + UINT64_C(0x1a71), (uint64_t)i) % (uint64_t)(i + 1));
        long other = order[k];
        order[k] = order[i], order[i] = other;
    }
}

/* One point in each of `count` slices of every dimension. [McKay1979] */
static int latin(long count, int dimensions, uint64_t seed, double *u) {
    long *order = jn_malloc((size_t)count * sizeof *order);
    if (!order) return JN_ERR_MEMORY;
    for (int d = 0; d < dimensions; d++) {
        shuffle(order, count, seed, d);
        for (long i = 0; i < count; i++)
            u[i * dimensions + d] =
                ((double)order[i] + jn_random_unit(jn_random_bits(seed, (uint64_t)d, (uint64_t)i))) / (double)count;
    }
    jn_free(order);
    return JN_OK;
}

int jn_plan_unit_cube(int rule, long count, int dimensions, uint64_t seed, double *u, jn_where where,
                      jn_report *report) {
    if (rule == JN_RULE_LATIN) return latin(count, dimensions, seed, u);
    if (rule == JN_RULE_SOBOL && dimensions > JN_SOBOL_DIMENSIONS)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, where, "samples.rule",
                             "Sobol's sequence has %d dimensions here, and %d are needed\nwrite 'rule: latin'",
                             JN_SOBOL_DIMENSIONS, dimensions);
    for (long i = 0; i < count; i++)
        for (int d = 0; d < dimensions; d++)
            u[i * dimensions + d] = rule == JN_RULE_SOBOL
                                        ? jn_sobol_scrambled(d, (uint64_t)i, seed)
                                        : jn_random_unit(jn_random_bits(seed, (uint64_t)d, (uint64_t)i));
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------------ the rule */

static jn_where place(const jn_study *s) {
    const jn_entry *entry = jn_node_entry(s->root, "samples");
    return entry ? entry->where : (jn_where){s->path, 1, 1};
}

/* Every value with every other; the last parameter changes fastest. */
static int plan_grid(jn_study *s, jn_report *report) {
    double rows = 1;
    for (int i = 0; i < s->varies; i++) {
        const jn_vary *v = &s->vary[i];
        if (v->kind == JN_VARY_DISTRIBUTION)
            return jn_report_add(
                report, JN_SEVERITY_ERROR, JN_ERR_MODEL, v->where, NULL,
                "a grid has no place for the distribution of '%s'\nwrite 'samples: {count: 1000, rule: sobol}'",
                v->name);
        if (v->count == 0)
            return jn_report_add(
                report, JN_SEVERITY_ERROR, JN_ERR_MODEL, v->where, NULL,
                "the range of '%s' has no 'count'\nadd 'count: 20', or 'samples: {count: 1000, rule: sobol}'", v->name);
        rows *= v->count;
    }
    if (rows > 1e9)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, place(s), NULL,
                             "the grid has %.3g points\nwrite 'samples: {count: 10000, rule: sobol}'", rows);
    double *point = jn_study_plan_rows(s, (long)rows);
    if (!point) return JN_ERR_MEMORY;
    for (long r = 0; r < (long)rows; r++) {
        long rest = r;
        for (int i = s->varies - 1; i >= 0; i--) {
            point[r * s->varies + i] = jn_vary_step(&s->vary[i], (int)(rest % s->vary[i].count));
            rest /= s->vary[i].count;
        }
    }
    return JN_OK;
}

int jn_study_plan_samples(jn_study *s, jn_report *report) {
    bool random = false;
    for (int i = 0; i < s->varies; i++) random |= s->vary[i].kind == JN_VARY_DISTRIBUTION;
    if (s->rule < 0) s->rule = s->count > 0 || random ? JN_RULE_SOBOL : JN_RULE_GRID;
    if (s->rule == JN_RULE_GRID && s->count > 0)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place(s), NULL,
                             "a grid has as many points as its values make\nremove 'count', or write 'rule: sobol'");
    if (s->rule == JN_RULE_GRID) return plan_grid(s, report);
    if (!(s->count >= 1))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place(s), NULL,
                             "the number of samples is missing\nadd 'samples: {count: 1000}'");
    if (s->varies == 0)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place(s), NULL,
                             "nothing is varied\nadd 'vary: {NAME: {normal: [MEAN, DEVIATION]}}'");
    long count = (long)s->count;
    double *point = jn_study_plan_rows(s, count);
    if (!point) return JN_ERR_MEMORY;
    int status = jn_plan_unit_cube(s->rule, count, s->varies, (uint64_t)s->seed, point, place(s), report);
    for (long r = 0; status >= 0 && r < count; r++)
        for (int i = 0; i < s->varies; i++)
            point[r * s->varies + i] = jn_vary_at(&s->vary[i], point[r * s->varies + i]);
    return status;
}
