/* A channel over measured values, in the run that comes nearest to them, and the residuals below. */
#include "base/memory.h"
#include "study/study_plots.h"
#include "workflow/study/measures/compare.h"
#include <math.h>
#include <string.h>

#define RESIDUALS 0.36 /* of the height */

/* Sum of squares of all measures by compare, each in its deviation where that is known; INFINITY: the run failed. */
static double misfit(const jn_study *s, long row) {
    double sum = 0;
    if (s->row[row].state != JN_ROW_GOOD && s->row[row].state != JN_ROW_BAD) return INFINITY;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (strcmp(m->kind->key, "compare") != 0) continue;
        const jn_compared *own = m->data;
        double x = s->row[row].value[m->first], unit = isnan(own->deviation) ? 1 : own->deviation;
        sum += x * x / (unit * unit) * (double)s->row[row].samples[m->samples].count;
    }
    return isnan(sum) ? INFINITY : sum;
}

static long best_row(const jn_study *s) {
    long best = -1;
    for (long r = 0; r < s->rows; r++)
        if (isfinite(misfit(s, r)) && (best < 0 || misfit(s, r) < misfit(s, best))) best = r;
    return best;
}

/* Measured value at a time of the table; NAN: it has none there. */
static double measured_at(const jn_table *table, double t) {
    for (int i = 0; i < table->count; i++)
        if (table->x[i] == t) return table->y[i];
    return NAN;
}

void study_draw_fit(canvas *surface, const jn_study *s, const study_plot *p, canvas_box place) {
    const jn_study_measure *m = &s->measure[p->series[0].measure];
    const jn_compared *own = m->data;
    long best = best_row(s), n = best >= 0 ? s->row[best].samples[m->samples].count : 0;
    double *v = jn_malloc(4 * (size_t)(n + 1) * sizeof *v), *t = v, *x = v + n + 1, *y = x + n + 1, *off = y + n + 1;
    double level[] = {0, 2 * own->deviation, -2 * own->deviation};
    char name[200], run[40];
    const char *unit;
    if (!v) return;
    for (long i = 0; i < n; i++) {
        const double *sample = s->row[best].samples[m->samples].data + 2 * i;
        t[i] = sample[0], x[i] = sample[1], y[i] = measured_at(own->table, sample[0]), off[i] = y[i] - x[i];
    }
    study_series_name(s, &p->series[0], name, sizeof name, &unit);
    snprintf(run, sizeof run, "run %ld", best);
    double border = place.top + (1 - RESIDUALS) * (place.bottom - place.top);
    chart_curve curve[2] = {{t, y, (size_t)n, "measured"}, {t, x, (size_t)n, run}};
    chart above = {.title = p->title,
                   .x = {.name = "time", .unit = "s", .log = p->log_x},
                   .y = {.name = name, .unit = unit, .log = p->log_y},
                   .curve = curve,
                   .curves = 2,
                   .dots = 1,
                   .style = CHART_LINES,
                   .legend = true};
    chart_draw(surface, &above, (canvas_box){place.left, place.top, place.right, border});
    chart_curve residual = {t, off, (size_t)n, "measured less run"};
    chart below = {.x = {.name = "time", .unit = "s", .log = p->log_x},
                   .y = {.name = "residual", .unit = unit},
                   .curve = &residual,
                   .curves = 1,
                   .dots = 1,
                   .level = level,
                   .levels = isnan(own->deviation) ? 1 : 3};
    chart_draw(surface, &below, (canvas_box){place.left, border, place.right, place.bottom});
    jn_free(v);
}
