/* The times at which a run records: an even grid that holds the expect rows' times too. */
#include "workflow/record_times.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include "model/model_layout.h"
#include <math.h>
#include <stdlib.h>

enum { ROWS_ADAPTIVE = 1000, ROWS_DEFAULT = 100000, ROWS_MOST = 100000000 };
#define VALUES_DEFAULT 2e6 /* numbers kept unless the model asks for more */

/* Intervals of the grid and, for fixed steps, how many steps make one. */
static double intervals(const jn_model *m, int channels, int *stride) {
    const jn_run_desc *run = &m->run;
    const jn_integrator_info *info = jn_integrator_get_info(run->integrator);
    bool steps_evenly = run->method == JN_METHOD_NONSMOOTH || (info && !info->adaptive);
    bool fixed = run->analysis == JN_ANALYSIS_DYNAMIC && steps_evenly && run->step > 0;
    *stride = 1;
    if (run->record_each_step && run->analysis == JN_ANALYSIS_DYNAMIC) return fixed ? run->until / run->step : 1;
    if (run->record_every > 0) return run->until / run->record_every;
    double most = jn_fmin(ROWS_DEFAULT, jn_fmax(100, VALUES_DEFAULT / (channels + 1)));
    if (!fixed) return jn_fmin(ROWS_ADAPTIVE, most);
    double steps = run->until / run->step;
    *stride = (int)jn_fmin(ceil((steps - 1e-6) / most), 1e9);
    if (*stride < 1) *stride = 1;
    return steps / *stride;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted, with times that differ by rounding only taken once. */
static long merge(double *time, long count, double tolerance) {
    long kept = 0;
    qsort(time, (size_t)count, sizeof *time, ascending);
    for (long i = 0; i < count; i++)
        if (kept == 0 || time[i] - time[kept - 1] > tolerance) time[kept++] = time[i];
    return kept;
}

/* Only what lies behind the start, which comes first. */
static long cut(double *time, long count, double start, double tolerance) {
    long kept = 1;
    if (!(start > 0)) return count;
    for (long i = 0; i < count; i++)
        if (time[i] > start + tolerance) time[kept++] = time[i];
    time[0] = start;
    return kept;
}

int jn_grid_create(const jn_model *m, double start, int channels, jn_grid *grid, jn_report *report) {
    double until = m->run.until, n = intervals(m, channels, &grid->stride), whole = round(n);
    jn_where where = {m->file, 0, 0};
    if (start >= until)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, m->run.start_where, "run.start",
                             "the run begins at %.9g s, where another was, and ends at %.9g s\nmake run.until longer: "
                             "it counts from the start of that run",
                             start, until);
    if (!(n <= ROWS_MOST))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, where, "record.every",
                             "the run would record %.3g rows, more than %d\nmake record.every longer", n, ROWS_MOST);
    bool even =
        fabs(n - whole) < 1e-6 && whole >= 1; /* then t = until * k / n rounds to the decimals a person expects */
    long count = even ? (long)whole : (long)floor(n), filled = 0;
    grid->time = jn_malloc(((size_t)count + 3 + (size_t)m->expect_count) * sizeof *grid->time);
    if (!grid->time)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, where, NULL, "out of memory for %ld rows",
                             count);
    for (long k = 0; k <= count; k++) grid->time[filled++] = even ? until * (double)k / whole : until * ((double)k / n);
    if (!even) grid->time[filled++] = until;
    for (int i = 0; i < m->expect_count; i++) {
        const jn_expect_desc *e = &m->expects[i];
        if (e->at == JN_EXPECT_TIME && e->time >= 0 && e->time <= until) grid->time[filled++] = e->time;
    }
    grid->count = merge(grid->time, filled, until * 1e-13);
    grid->count = cut(grid->time, grid->count, start, until * 1e-13);
    grid->time[grid->count - 1] = until;
    return JN_OK;
}

void jn_grid_free(jn_grid *grid) {
    jn_free(grid->time);
    grid->time = NULL;
}
