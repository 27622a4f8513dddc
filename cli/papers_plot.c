/* Plots of the papers' page: SVG that takes its colours from the page, so that it follows light and dark. */
#include "base/memory.h"
#include "papers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CURVES = 24,
    COLOURS = 7,
    BUCKETS = 450,
    WIDTH = 520,
    HEIGHT = 300,
    LEFT = 62,
    RIGHT = 22,
    TOP = 10,
    BOTTOM = 44
};

typedef struct curve {
    double *x, *y; /* in one block that begins at x */
    long count;
    char name[160];
} curve;

typedef struct range {
    double low, high, step;
} range;

typedef struct plot {
    papers_paper *paper;
    const jn_node *entry;
    curve curve[MOST_CURVES];
    int curves;
    range x, y;
    double left, right, top, bottom; /* [px] of the frame */
    char x_label[200], y_label[200];
    char trouble[800];
} plot;

/* -------------------------------------------------------------------------------------------------------- reading */

static double number_or(const jn_node *map, const char *key, double otherwise) {
    const char *text = papers_text(map, key);
    return text ? strtod(text, NULL) : otherwise;
}

/* Channel of the result, -1 the time; -2 with trouble. */
static int channel_of(plot *p, const papers_run *run, const char *name) {
    if (!strcmp(name, "time")) return -1;
    int channel = jn_result_channel(run->result, name);
    if (channel >= 0) return channel;
    snprintf(p->trouble, sizeof p->trouble, "run '%s' has no channel '%s'", run->id, name);
    p->paper->tally.mistakes++;
    return -2;
}

/* Rows of the series with x and y; those after `stop` and outside [from, to] left out. */
static double *read_series(plot *p, const papers_run *run, const char *x, const char *y, long *count) {
    const jn_result *r = run->result;
    const jn_node *stop = jn_node_get(p->entry, "stop");
    bool stops = stop && stop->kind == JN_NODE_MAP && stop->count == 1;
    int cx = channel_of(p, run, x), cy = channel_of(p, run, y);
    int cs = stops ? channel_of(p, run, stop->entries[0].key) : -1;
    if (cx == -2 || cy == -2 || cs == -2) return NULL;
    double end = stops && stop->entries[0].value->text ? strtod(stop->entries[0].value->text, NULL) : INFINITY;
    double from = number_or(p->entry, "from", -INFINITY), to = number_or(p->entry, "to", INFINITY);
    double *data = jn_malloc(2 * (size_t)r->rows * sizeof *data);
    *count = 0;
    for (long i = 0; data && i < r->rows; i++) {
        const double *row = r->data + (size_t)i * ((size_t)r->channels + 1);
        if (row[cs + 1] > end) break;
        if (!(row[0] >= from && row[0] <= to)) continue;
        data[*count] = row[cx + 1];
        data[r->rows + *count] = row[cy + 1];
        ++*count;
    }
    if (data) memmove(data + *count, data + r->rows, (size_t)*count * sizeof *data);
    return data;
}

static void read_curve(plot *p, const papers_run *run, const char *y) {
    const char *x = papers_text(p->entry, "x"), *table = papers_text(p->entry, "table");
    curve *c = &p->curve[p->curves];
    if (!run->result) {
        snprintf(p->trouble, sizeof p->trouble, "%s", run->trouble);
        return;
    }
    if (table)
        c->x = papers_columns(run, table, jn_node_get(p->entry, "rows"), x ? x : "time", y, &c->count, p->trouble,
                              sizeof p->trouble);
    else
        c->x = read_series(p, run, x ? x : "time", y, &c->count);
    if (!c->x) return;
    c->y = c->x + c->count;
    double kx = 1 / papers_unit(papers_text(p->entry, "xunit")), ky = 1 / papers_unit(papers_text(p->entry, "yunit"));
    bool is_log = papers_text(p->entry, "log");
    for (long i = 0; i < c->count; i++) {
        c->x[i] *= kx, c->y[i] *= ky;
        if (is_log) c->y[i] = log10(fabs(c->y[i])); /* -inf is left out of the range and not drawn */
    }
    p->curves++;
}

/* Name in the legend: given, or what tells the curves apart. */
static void name_curve(plot *p, const jn_node *run, const jn_node *y, int i) {
    const jn_node *name = papers_item(jn_node_get(p->entry, "names"), i);
    curve *c = &p->curve[p->curves - 1];
    if (name && name->text)
        snprintf(c->name, sizeof c->name, "%s", name->text);
    else if (papers_count(jn_node_get(p->entry, "y")) == 1)
        snprintf(c->name, sizeof c->name, "%s", run->text);
    else
        snprintf(c->name, sizeof c->name, "%s", y->text);
}

static void read_curves(plot *p) {
    const jn_node *runs = jn_node_get(p->entry, "run"), *ys = jn_node_get(p->entry, "y");
    for (int r = 0, i = 0; r < papers_count(runs); r++)
        for (int k = 0; k < papers_count(ys) && p->curves < MOST_CURVES; k++, i++) {
            const jn_node *id = papers_item(runs, r), *y = papers_item(ys, k);
            papers_run *run = id->text ? papers_find_run(p->paper, id->text) : NULL;
            if (!run || !y->text) {
                snprintf(p->trouble, sizeof p->trouble, "the entry has no run '%s'", id->text ? id->text : "?");
                p->paper->tally.mistakes++;
                continue;
            }
            int before = p->curves;
            read_curve(p, run, y->text);
            if (p->curves > before) name_curve(p, id, y, i);
        }
}

/* ----------------------------------------------------------------------------------------------------------- axes */

/* 1, 2 or 5 times a power of ten, about a fifth of the range. */
static double nice_step(double span) {
    double p = pow(10, floor(log10(span / 5))), r = span / 5 / p;
    return p * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

static void widen(range *a, double v) {
    if (isfinite(v)) a->low = fmin(a->low, v), a->high = fmax(a->high, v);
}

static range range_of(const plot *p, bool is_x) {
    range a = {INFINITY, -INFINITY, 1};
    const jn_node *given = jn_node_get(p->entry, is_x ? "xrange" : "yrange"), *lines = jn_node_get(p->entry, "lines");
    for (int i = 0; i < p->curves; i++)
        for (long k = 0; k < p->curve[i].count; k++) widen(&a, is_x ? p->curve[i].x[k] : p->curve[i].y[k]);
    for (int i = 0; i < papers_count(lines) && !is_x; i++) widen(&a, strtod(papers_item(lines, i)->text, NULL));
    double circle = number_or(p->entry, "circle", 0);
    if (circle > 0) widen(&a, -circle), widen(&a, circle);
    if (papers_count(given) == 2) {
        a.low = strtod(papers_item(given, 0)->text, NULL);
        a.high = strtod(papers_item(given, 1)->text, NULL);
    } else if (a.low <= a.high) {
        double span = a.high - a.low;
        if (!(span > 1e-9 * fmax(fabs(a.low), fabs(a.high))))
            span = fmax(fabs(a.high) * 0.2, 1e-12), a.low -= span / 2, a.high += span / 2;
        bool time = is_x && !papers_text(p->entry, "x");
        if (!time) a.low -= 0.05 * span, a.high += 0.05 * span;
    }
    if (!(a.low < a.high)) a.low = 0, a.high = 1;
    a.step = nice_step(a.high - a.low);
    return a;
}

/* The same scale on both axes. */
static void make_equal(plot *p) {
    double w = p->right - p->left, h = p->bottom - p->top, x = p->x.high - p->x.low, y = p->y.high - p->y.low;
    double scale = fmax(x / w, y / h);
    p->x.low -= (scale * w - x) / 2, p->x.high += (scale * w - x) / 2;
    p->y.low -= (scale * h - y) / 2, p->y.high += (scale * h - y) / 2;
    p->x.step = p->y.step = nice_step(fmin(scale * w, scale * h));
}

/* Given label, or the name of the channel with its unit. */
static void label_of(plot *p, const char *key, const char *unit_key, const char *name, char *label, size_t size) {
    const char *given = papers_text(p->entry, key), *unit = papers_text(p->entry, unit_key);
    const jn_node *id = papers_item(jn_node_get(p->entry, "run"), 0);
    papers_run *run = id && id->text ? papers_find_run(p->paper, id->text) : NULL;
    int channel = run && run->result ? jn_result_channel(run->result, name) : -1;
    if (!unit && channel >= 0 && strcmp(run->result->units[channel], "1")) unit = run->result->units[channel];
    if (!unit && !strcmp(name, "time")) unit = "s";
    char text[64] = "";
    if (unit) papers_unit_text(unit, text, sizeof text);
    snprintf(label, size, "%s%s%s%s", given ? given : name, unit ? " [" : "", text, unit ? "]" : "");
}

/* -------------------------------------------------------------------------------------------------------- drawing */

static double pixel_x(const plot *p, double v) {
    return (v - p->x.low) / (p->x.high - p->x.low) * (p->right - p->left);
}
static double pixel_y(const plot *p, double v) {
    return (p->y.high - v) / (p->y.high - p->y.low) * (p->bottom - p->top);
}

static void tick_text(double v, double step, bool is_log, char *text, size_t size) {
    snprintf(text, size, is_log ? "1e%.3g" : "%.5g", fabs(v) < 1e-9 * step ? 0 : v);
}

static void draw_axes(FILE *out, const plot *p) {
    bool is_log = papers_text(p->entry, "log");
    char text[40];
    fprintf(out, "<g class=\"grid\">");
    for (double v = ceil(p->x.low / p->x.step - 1e-9) * p->x.step; v <= p->x.high + 1e-9 * p->x.step; v += p->x.step)
        fprintf(out, "<path d=\"M%.1f %.1fV%.1f\"/>", p->left + pixel_x(p, v), p->top, p->bottom);
    for (double v = ceil(p->y.low / p->y.step - 1e-9) * p->y.step; v <= p->y.high + 1e-9 * p->y.step; v += p->y.step)
        fprintf(out, "<path d=\"M%.1f %.1fH%.1f\"/>", p->left, p->top + pixel_y(p, v), p->right);
    fprintf(out, "</g><g class=\"tick\">");
    for (double v = ceil(p->x.low / p->x.step - 1e-9) * p->x.step; v <= p->x.high + 1e-9 * p->x.step; v += p->x.step) {
        tick_text(v, p->x.step, false, text, sizeof text);
        fprintf(out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">%s</text>", p->left + pixel_x(p, v), p->bottom + 15,
                text);
    }
    for (double v = ceil(p->y.low / p->y.step - 1e-9) * p->y.step; v <= p->y.high + 1e-9 * p->y.step; v += p->y.step) {
        tick_text(v, p->y.step, is_log, text, sizeof text);
        fprintf(out, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">%s</text>", p->left - 6, p->top + pixel_y(p, v) + 4,
                text);
    }
    fprintf(out, "</g><text class=\"m\" x=\"%.1f\" y=\"%.1f\">", (p->left + p->right) / 2, (double)HEIGHT - 8);
    papers_escape(out, p->x_label);
    fprintf(out, "</text><text class=\"m\" transform=\"translate(13 %.1f) rotate(-90)\">", (p->top + p->bottom) / 2);
    papers_escape(out, p->y_label);
    fprintf(out, "</text>");
}

/* Points of a curve whose x rises: those in sight and one on either side, thinned to the smallest and largest of each bucket, in
 * their order. */
static void draw_rising(FILE *out, const plot *p, const curve *c) {
    long from = 0, to = c->count;
    while (from + 1 < to && c->x[from + 1] < p->x.low) from++;
    while (to - 1 > from && c->x[to - 2] > p->x.high) to--;
    long bucket = (to - from) / BUCKETS + 1;
    for (long i = from; i < to; i += bucket) {
        long low = i, high = i, end = i + bucket < to ? i + bucket : to;
        for (long k = i; k < end; k++) {
            if (c->y[k] < c->y[low]) low = k;
            if (c->y[k] > c->y[high]) high = k;
        }
        long a = low < high ? low : high, b = low < high ? high : low;
        if (!isfinite(c->y[a]) || !isfinite(c->y[b])) continue;
        fprintf(out, "%.1f %.1f ", pixel_x(p, c->x[a]), pixel_y(p, c->y[a]));
        if (b != a) fprintf(out, "%.1f %.1f ", pixel_x(p, c->x[b]), pixel_y(p, c->y[b]));
    }
}

/* Points of any curve, without those that do not move the pen. */
static void draw_path(FILE *out, const plot *p, const curve *c) {
    double px = INFINITY, py = INFINITY;
    for (long i = 0; i < c->count; i++) {
        double x = pixel_x(p, c->x[i]), y = pixel_y(p, c->y[i]);
        if (!isfinite(x) || !isfinite(y) || (hypot(x - px, y - py) < 0.7 && i + 1 < c->count)) continue;
        fprintf(out, "%.1f %.1f ", x, y);
        px = x, py = y;
    }
}

static void draw_dots(FILE *out, const plot *p, const curve *c, int colour) {
    double px = INFINITY, py = INFINITY;
    for (long i = 0; i < c->count; i++) {
        double x = pixel_x(p, c->x[i]), y = pixel_y(p, c->y[i]);
        if (!isfinite(x) || !isfinite(y) || hypot(x - px, y - py) < 0.7) continue;
        fprintf(out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.3\"/>", colour, x, y);
        px = x, py = y;
    }
}

static bool rises(const curve *c) {
    for (long i = 1; i < c->count; i++)
        if (c->x[i] < c->x[i - 1]) return false;
    return true;
}

static void draw_curves(FILE *out, const plot *p) {
    const jn_node *lines = jn_node_get(p->entry, "lines");
    double circle = number_or(p->entry, "circle", 0);
    fprintf(out, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", p->left, p->top, p->right - p->left,
            p->bottom - p->top);
    for (int i = 0; i < papers_count(lines); i++)
        fprintf(out, "<path class=\"line\" d=\"M0 %.1fH%d\"/>", pixel_y(p, strtod(papers_item(lines, i)->text, NULL)),
                WIDTH);
    if (circle > 0)
        fprintf(out, "<ellipse class=\"line\" cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\"/>", pixel_x(p, 0),
                pixel_y(p, 0), fabs(pixel_x(p, circle) - pixel_x(p, 0)), fabs(pixel_y(p, circle) - pixel_y(p, 0)));
    for (int i = 0; i < p->curves; i++) {
        const curve *c = &p->curve[i];
        if (papers_text(p->entry, "points")) {
            draw_dots(out, p, c, i % COLOURS);
            continue;
        }
        fprintf(out, "<polyline class=\"c%d\" points=\"", i % COLOURS);
        if (rises(c))
            draw_rising(out, p, c);
        else
            draw_path(out, p, c);
        fprintf(out, "\"/>");
    }
    fprintf(out, "</svg><rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", p->left, p->top,
            p->right - p->left, p->bottom - p->top);
}

static void draw_caption(FILE *out, const plot *p) {
    const char *title = papers_text(p->entry, "title");
    fprintf(out, "<figcaption>");
    if (title) papers_escape(out, title);
    for (int i = 0; i < p->curves && p->curves > 1; i++) {
        fprintf(out, " <span class=\"key k%d\">", i % COLOURS);
        papers_escape(out, p->curve[i].name);
        fprintf(out, "</span>");
    }
    fprintf(out, "</figcaption>");
}

void papers_plot(FILE *out, papers_paper *paper, const jn_node *entry) {
    plot p = {
        .paper = paper, .entry = entry, .left = LEFT, .right = WIDTH - RIGHT, .top = TOP, .bottom = HEIGHT - BOTTOM};
    const jn_node *y = papers_item(jn_node_get(entry, "y"), 0);
    const char *x = papers_text(entry, "x"),
               *y_name = papers_count(jn_node_get(entry, "y")) == 1 && y->text ? y->text : "";
    read_curves(&p);
    fprintf(out, "<figure>");
    if (p.curves == 0) {
        fprintf(out, "<div class=\"empty\">");
        papers_escape(out, p.trouble[0] ? p.trouble : "there is nothing to draw");
        fprintf(out, "</div>");
    } else {
        p.x = range_of(&p, true), p.y = range_of(&p, false);
        if (papers_text(entry, "equal")) make_equal(&p);
        label_of(&p, "xlabel", "xunit", x ? x : "time", p.x_label, sizeof p.x_label);
        label_of(&p, "ylabel", "yunit", y_name, p.y_label, sizeof p.y_label);
        fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">", WIDTH, HEIGHT);
        draw_axes(out, &p);
        draw_curves(out, &p);
        fprintf(out, "</svg>");
    }
    draw_caption(out, &p);
    fprintf(out, "</figure>\n");
    for (int i = 0; i < p.curves; i++) jn_free(p.curve[i].x);
}
