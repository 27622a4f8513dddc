/* One figure of a study on a canvas. */
#include "base/memory.h"
#include "study/study_plots.h"
#include "workflow/study/statistics/statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_POINTS = 2000, MOST_BINS = 60 };

static void draw_scatter(canvas *surface, const jn_study *s, const study_plot *p, canvas_box place) {
    char name[2][200];
    const char *unit[2];
    size_t count;
    double **v = study_series_gather(s, p->series, 2, &count);
    if (!v) return;
    for (int i = 0; i < 2; i++) study_series_name(s, &p->series[i], name[i], sizeof name[i], &unit[i]);
    chart_curve curve = {v[0], v[1], count, name[1]};
    chart c = {.title = p->title,
               .x = {.name = name[0], .unit = unit[0], .log = p->log_x},
               .y = {.name = name[1], .unit = unit[1], .log = p->log_y},
               .curve = &curve,
               .curves = 1,
               .style = count > MANY_POINTS ? CHART_DENSITY : CHART_POINTS};
    chart_draw(surface, &c, place);
    jn_free(v);
}

/* ---------------------------------------------------------------------------------------------------------- heat map */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values, sorted. */
static size_t distinct(const double *from, size_t count, double *to) {
    size_t n = 0;
    memcpy(to, from, count * sizeof *to);
    qsort(to, count, sizeof *to, ascending);
    for (size_t i = 0; i < count; i++)
        if (n == 0 || to[i] != to[n - 1]) to[n++] = to[i];
    return n;
}

/* Edges between a value and its neighbours, half-way on the axis. */
static void edges(const double *sorted, size_t n, double value, bool log, double *out) {
    size_t k = 0, end = n;
    while (end - k > 1) {
        size_t middle = (k + end) / 2;
        if (sorted[middle] <= value)
            k = middle;
        else
            end = middle;
    }
    double below = k > 0 ? sorted[k - 1] : NAN, above = k + 1 < n ? sorted[k + 1] : NAN;
    if (isnan(below)) below = isnan(above) ? value - 0.5 : log ? value * value / above : 2 * value - above;
    if (isnan(above)) above = log ? value * value / below : 2 * value - below;
    out[0] = log ? sqrt(value * below) : 0.5 * (value + below);
    out[1] = log ? sqrt(value * above) : 0.5 * (value + above);
}

static void draw_heat(canvas *surface, const jn_study *s, const study_plot *p, canvas_box place) {
    char name[3][200], label[280];
    const char *unit[3];
    size_t count, n[2];
    double **v = study_series_gather(s, p->series, 3, &count);
    double *sorted[2] = {jn_malloc((count + 1) * sizeof(double)), jn_malloc((count + 1) * sizeof(double))};
    chart_box *box = jn_malloc((count + 1) * sizeof *box);
    if (v && sorted[0] && sorted[1] && box) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; i++) study_series_name(s, &p->series[i], name[i], sizeof name[i], &unit[i]);
        for (int i = 0; i < 2; i++) n[i] = distinct(v[i], count, sorted[i]);
        for (size_t i = 0; i < count; i++) {
            box[i].value = v[2][i];
            edges(sorted[0], n[0], v[0][i], p->log_x, box[i].x);
            edges(sorted[1], n[1], v[1][i], p->log_y, box[i].y);
            if (isfinite(v[2][i])) low = fmin(low, v[2][i]), high = fmax(high, v[2][i]);
        }
        bool with_unit = strcmp(unit[2], "1") != 0;
        snprintf(label, sizeof label, "%s%s%s%s", name[2], with_unit ? " [" : "", with_unit ? unit[2] : "",
                 with_unit ? "]" : "");
        chart c = {.title = p->title,
                   .x = {.name = name[0], .unit = unit[0], .log = p->log_x, .tight = true},
                   .y = {.name = name[1], .unit = unit[1], .log = p->log_y, .tight = true},
                   .box = box,
                   .boxes = (int)count,
                   .colours = {.low = low, .high = high > low ? high : low + 1, .label = label}};
        chart_draw(surface, &c, place);
    }
    jn_free(v), jn_free(sorted[0]), jn_free(sorted[1]), jn_free(box);
}

/* --------------------------------------------------------------------------------------------------------- histogram */

/* Widths by Freedman and Diaconis [Freedman1981]; dashed lines at 5 %, 50 % and 95 %. */
static void draw_histogram(canvas *surface, const jn_study *s, const study_plot *p, canvas_box place) {
    char name[200];
    const char *unit;
    size_t count;
    double **v = study_series_gather(s, p->series, 1, &count);
    if (!v) return;
    study_series_name(s, &p->series[0], name, sizeof name, &unit);
    long n = jn_sort_finite(v[0], (long)count);
    double mark[3];
    chart_box box[MOST_BINS];
    int bins = 0;
    if (n > 1 && v[0][n - 1] > v[0][0]) {
        double range = v[0][n - 1] - v[0][0],
               width = 2 * (jn_quantile(v[0], n, 0.75).value - jn_quantile(v[0], n, 0.25).value) / cbrt((double)n);
        bins = (int)fmin(MOST_BINS, fmax(5, width > 0 ? ceil(range / width) : 20));
        for (int k = 0; k < bins; k++)
            box[k] = (chart_box){.x = {v[0][0] + range * k / bins, v[0][0] + range * (k + 1) / bins}};
        for (long i = 0; i < n; i++) box[(int)fmin(bins - 1, floor((v[0][i] - v[0][0]) / range * bins))].y[1] += 1;
        for (int k = 0; k < 3; k++) mark[k] = jn_quantile(v[0], n, k == 0 ? 0.05 : k == 1 ? 0.5 : 0.95).value;
    }
    chart c = {.title = p->title,
               .x = {.name = name, .unit = unit},
               .y = {.name = "runs"},
               .box = box,
               .boxes = bins,
               .mark = mark,
               .marks = bins ? 3 : 0};
    chart_draw(surface, &c, place);
    jn_free(v);
}

/* ----------------------------------------------------------------------------------------------------------- tornado */

typedef struct bar {
    const char *parameter;
    const jn_finding *first, *total;
} bar;

static const jn_finding *find(const jn_study *s, const char *kind, const char *measure, const char *parameter) {
    char name[96];
    snprintf(name, sizeof name, "%s of %.30s by %.30s", kind, measure, parameter);
    for (int i = 0; i < s->findings; i++)
        if (!strcmp(s->finding[i].name, name)) return &s->finding[i];
    return NULL;
}

static int larger_first(const void *a, const void *b) {
    const bar *x = a, *y = b;
    double p = x->total ? x->total->value : 0, q = y->total ? y->total->value : 0;
    return (p < q) - (p > q);
}

/* Bars of total indices, within them those of first order, lines for the intervals; the largest on top. */
static void draw_tornado(canvas *surface, const jn_study *s, const study_plot *p, canvas_box f) {
    static const unsigned char total_rgb[3] = {198, 219, 239}, first_rgb[3] = {49, 130, 189};
    char name[200], label[260], text[16];
    const char *unit;
    bar bars[JN_STUDY_VARIES];
    double widest = 0, height;
    study_series_name(s, &p->series[0], name, sizeof name, &unit);
    for (int i = 0; i < s->varies; i++) {
        bars[i] = (bar){s->vary[i].name, find(s, "first-order index", name, s->vary[i].name),
                        find(s, "total index", name, s->vary[i].name)};
        widest = fmax(widest, canvas_text_width(surface, 2.9, s->vary[i].name));
    }
    qsort(bars, (size_t)s->varies, sizeof *bars, larger_first);
    f.left += widest + 5, f.top += p->title ? 7 : 3, f.right -= 6, f.bottom -= 11,
        height = (f.bottom - f.top) / (s->varies ? s->varies : 1);
    for (int i = 0; i < s->varies; i++) {
        const jn_finding *both[2] = {bars[i].total, bars[i].first};
        double middle = f.top + (i + 0.5) * height;
        for (int k = 0; k < 2; k++) {
            if (!both[k]) continue;
            double half = height * (k ? 0.2 : 0.36),
                   at = f.left + (f.right - f.left) * fmin(1, fmax(0, both[k]->value));
            canvas_fill(surface, &(canvas_box){f.left, middle - half, at, middle + half}, 1, k ? first_rgb : total_rgb);
        }
        for (int k = 0; k < 2; k++) {
            if (!both[k] || !isfinite(both[k]->low) || !isfinite(both[k]->high)) continue;
            double y = middle + (k ? 0 : 0.28) * height;
            canvas_pen(surface, CANVAS_FRAME, 0.3, false);
            canvas_move(surface, f.left + (f.right - f.left) * fmin(1, fmax(0, both[k]->low)), y);
            canvas_line(surface, f.left + (f.right - f.left) * fmin(1, fmax(0, both[k]->high)), y);
            canvas_stroke(surface);
        }
        canvas_text(surface, f.left - 2, middle + 1, 2.9, 1, false, bars[i].parameter);
    }
    canvas_pen(surface, CANVAS_FRAME, 0.25, false);
    canvas_move(surface, f.left, f.top), canvas_line(surface, f.left, f.bottom),
        canvas_line(surface, f.right, f.bottom);
    canvas_stroke(surface);
    for (int k = 0; k <= 5; k++) {
        snprintf(text, sizeof text, "%.1f", k / 5.0);
        canvas_text(surface, f.left + (f.right - f.left) * k / 5, f.bottom + 3.8, 2.5, 0.5, false, text);
    }
    snprintf(label, sizeof label, "part of the variance of %s: first order (dark), total (light)", name);
    canvas_text(surface, (f.left + f.right) / 2, f.bottom + 8.5, 2.7, 0.5, false, label);
    if (p->title) canvas_text(surface, f.left, f.top - 2.5, 3.3, 0, false, p->title);
}

void study_plot_draw(canvas *surface, const jn_study *s, const study_plot *p, double width, double height) {
    canvas_box place = {0, 0, width, height};
    switch (p->kind) {
    case STUDY_HEAT: draw_heat(surface, s, p, place); break;
    case STUDY_HISTOGRAM: draw_histogram(surface, s, p, place); break;
    case STUDY_TORNADO: draw_tornado(surface, s, p, place); break;
    case STUDY_PARETO: study_draw_pareto(surface, s, p, place); break;
    case STUDY_FIT: study_draw_fit(surface, s, p, place); break;
    default: draw_scatter(surface, s, p, place);
    }
}
