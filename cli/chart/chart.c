/* Axes, curves and legend on a canvas. */
#include "chart.h"
#include "axis.h"
#include "chart_fill.h"
#include <math.h>
#include <string.h>

/* [mm] Sizes of letters, width of curves, width of the columns in which a curve is thinned. */
#define TEXT 2.9
#define SMALL 2.5
#define LINE_OF_LEGEND (1.5 * SMALL)
#define CURVE 0.4
#define COLUMN 0.2

typedef struct layout {
    canvas *canvas;
    const chart *chart;
    chart_axis x, y;
    canvas_box frame;
    double legend_top; /* [mm] */
    int legend_lines;
} layout;

static double across(const layout *l, double share) { return l->frame.left + share * (l->frame.right - l->frame.left); }
static double down(const layout *l, double share) { return l->frame.bottom - share * (l->frame.bottom - l->frame.top); }

static void draw_line(canvas *c, double x1, double y1, double x2, double y2) {
    canvas_move(c, x1, y1);
    canvas_line(c, x2, y2);
}

/* ------------------------------------------------------------------------------------------------------------ axes */

/* A number at a tick: powers of ten with a raised exponent, a minus sign in place of the hyphen. */
static void tick_text(const chart_axis *a, double tick, char *text, size_t size) {
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char number[48];
    chart_axis_number(a, tick, number, sizeof number);
    const char *from = a->log ? number + 2 : number;
    size_t used = a->log ? (size_t)snprintf(text, size, "10") : 0;
    text[used] = 0;
    for (; *from && used + 4 < size; from++) {
        char letter[2] = {*from, 0};
        const char *put = *from == '-' ? (a->log ? "\u207b" : "\u2212") : a->log ? raised[*from - '0'] : letter;
        used += (size_t)snprintf(text + used, size - used, "%s", put);
    }
}

static double widest_number(const layout *l) {
    double first, widest = 0;
    int count = chart_axis_ticks(&l->y, &first);
    for (int k = 0; k < count; k++) {
        char text[64];
        tick_text(&l->y, (first + k) * l->y.step, text, sizeof text);
        widest = fmax(widest, canvas_text_width(l->canvas, SMALL, text));
    }
    return widest;
}

static void draw_axis(const layout *l, bool is_x) {
    const chart_axis *a = is_x ? &l->x : &l->y;
    const canvas_box *f = &l->frame;
    double first;
    int count = chart_axis_ticks(a, &first);
    canvas_pen(l->canvas, CANVAS_GRID, 0.2, false);
    for (int k = 0; k < count; k++) {
        double s = ((first + k) * a->step - a->low) / (a->high - a->low);
        if (is_x)
            draw_line(l->canvas, across(l, s), f->top, across(l, s), f->bottom);
        else
            draw_line(l->canvas, f->left, down(l, s), f->right, down(l, s));
    }
    canvas_stroke(l->canvas);
    for (int k = 0; k < count; k++) {
        double tick = (first + k) * a->step, s = (tick - a->low) / (a->high - a->low);
        char text[64];
        tick_text(a, tick, text, sizeof text);
        if (is_x)
            canvas_text(l->canvas, across(l, s), f->bottom + 1.2 + SMALL, SMALL, 0.5, false, text);
        else
            canvas_text(l->canvas, f->left - 1.4, down(l, s) + 0.36 * SMALL, SMALL, 1, false, text);
    }
}

static void draw_frame(const layout *l) {
    const canvas_box *f = &l->frame;
    canvas_pen(l->canvas, CANVAS_FRAME, 0.25, false);
    canvas_move(l->canvas, f->left, f->top);
    canvas_line(l->canvas, f->left, f->bottom);
    canvas_line(l->canvas, f->right, f->bottom);
    canvas_line(l->canvas, f->right, f->top);
    canvas_line(l->canvas, f->left, f->top);
    canvas_stroke(l->canvas);
}

/* Widens one axis so that both have the same scale. */
static void make_equal(layout *l) {
    double ratio = l->x.factor / l->y.factor;
    if (ratio != 1) {
        l->y.low *= ratio, l->y.high *= ratio, l->y.factor = l->x.factor;
        const char *unit = strrchr(l->x.label, '[');
        char *other = strrchr(l->y.label, '[');
        if (unit && other) snprintf(other, sizeof l->y.label - (size_t)(other - l->y.label), "%s", unit);
    }
    double w = l->frame.right - l->frame.left, h = l->frame.bottom - l->frame.top;
    double x = l->x.high - l->x.low, y = l->y.high - l->y.low, scale = fmax(x / w, y / h);
    l->x.low -= (scale * w - x) / 2, l->x.high += (scale * w - x) / 2;
    l->y.low -= (scale * h - y) / 2, l->y.high += (scale * h - y) / 2;
    l->x.step = l->y.step = chart_axis_step(fmin(scale * w, scale * h), 5);
}

/* ---------------------------------------------------------------------------------------------------------- curves */

/* The first of several curves is wider, so that it is seen where another lies upon it. */
static void curve_pen(const layout *l, int curve, double more) {
    canvas_pen(l->canvas, curve, (curve == 0 && l->chart->curves > 1 ? 1.5 : 1) * CURVE + more,
               curve / CANVAS_COLOURS % 2);
}

/* Points of a curve that follow each other in one column of the picture. */
typedef struct column {
    double x[4], y[4]; /* the first, the lowest, the highest, the last */
    size_t at[4];
    int number;
    bool empty, down; /* down: the pen is */
} column;

static void put_point(canvas *c, column *k, int i) {
    if (k->down)
        canvas_line(c, k->x[i], k->y[i]);
    else
        canvas_move(c, k->x[i], k->y[i]);
    k->down = true;
}

static void put_column(canvas *c, column *k) {
    if (k->empty) return;
    int middle = k->at[1] < k->at[2] ? 1 : 2; /* of lowest and highest the one that comes first */
    const int order[4] = {0, middle, 3 - middle, 3};
    for (int i = 0; i < 4; i++)
        if (i == 0 || k->at[order[i]] != k->at[order[i - 1]]) put_point(c, k, order[i]);
    k->empty = true;
}

static void add_point(column *k, double x, double y, size_t at) {
    bool set[4] = {k->empty, k->empty || y < k->y[1], k->empty || y > k->y[2], true};
    for (int i = 0; i < 4; i++)
        if (set[i]) k->x[i] = x, k->y[i] = y, k->at[i] = at;
    k->empty = false;
}

/* A curve by at most four points for each time it enters a column: the picture is that of all points. What lies
 * beyond the frame is one column. [Jugel2014] */
static void draw_lines(const layout *l, const chart_curve *curve) {
    double last = ceil((l->frame.right - l->frame.left) / COLUMN);
    column k = {.empty = true};
    for (size_t i = 0; i < curve->count; i++) {
        double x = across(l, chart_axis_share(&l->x, curve->x[i])), y = down(l, chart_axis_share(&l->y, curve->y[i]));
        if (!isfinite(x) || !isfinite(y)) {
            put_column(l->canvas, &k);
            k.down = false;
            continue;
        }
        int number = (int)fmin(last, fmax(-1, floor((x - l->frame.left) / COLUMN)));
        if (number != k.number) put_column(l->canvas, &k);
        k.number = number;
        add_point(&k, x, y, i);
    }
    put_column(l->canvas, &k);
}

/* Dots, but those that hardly move from the one before. */
static void draw_points(const layout *l, const chart_curve *curve) {
    double from_x = INFINITY, from_y = INFINITY;
    for (size_t i = 0; i < curve->count; i++) {
        double x = across(l, chart_axis_share(&l->x, curve->x[i])), y = down(l, chart_axis_share(&l->y, curve->y[i]));
        if (!isfinite(x) || !isfinite(y) || hypot(x - from_x, y - from_y) < COLUMN) continue;
        draw_line(l->canvas, x, y, x, y);
        from_x = x, from_y = y;
    }
}

static void draw_guides(const layout *l) {
    const chart *c = l->chart;
    for (int i = 0; i < c->levels; i++) {
        double y = down(l, chart_axis_share(&l->y, c->level[i]));
        canvas_pen(l->canvas, CANVAS_GUIDE, 0.25, true);
        draw_line(l->canvas, l->frame.left, y, l->frame.right, y);
        canvas_stroke(l->canvas);
    }
    for (int i = 0; i < c->marks; i++) {
        double x = across(l, chart_axis_share(&l->x, c->mark[i]));
        canvas_pen(l->canvas, CANVAS_GUIDE, 0.3, true);
        draw_line(l->canvas, x, l->frame.top, x, l->frame.bottom);
        canvas_stroke(l->canvas);
    }
    if (!(c->circle > 0)) return;
    canvas_pen(l->canvas, CANVAS_GUIDE, 0.25, true);
    for (int i = 0; i <= 120; i++) {
        double x = across(l, chart_axis_share(&l->x, c->circle * cos(i * M_PI / 60)));
        double y = down(l, chart_axis_share(&l->y, c->circle * sin(i * M_PI / 60)));
        if (i == 0)
            canvas_move(l->canvas, x, y);
        else
            canvas_line(l->canvas, x, y);
    }
    canvas_stroke(l->canvas);
}

static void draw_curves(const layout *l) {
    const chart *c = l->chart;
    canvas_clip(l->canvas, l->frame);
    chart_fill_boxes(l->canvas, c, &l->x, &l->y, l->frame);
    draw_guides(l);
    for (int i = 0; i < c->curves; i++) {
        chart_style style = i < c->dots ? CHART_POINTS : c->style;
        if (style == CHART_DENSITY) {
            chart_fill_density(l->canvas, &c->curve[i], &l->x, &l->y, l->frame);
            continue;
        }
        if (style != CHART_POINTS) {
            curve_pen(l, i, 0);
            draw_lines(l, &c->curve[i]);
            canvas_stroke(l->canvas);
        }
        if (style != CHART_LINES) {
            canvas_pen(l->canvas, i, i < c->dots ? 0.9 : style == CHART_POINTS ? 0.6 : 1.3, false);
            draw_points(l, &c->curve[i]);
            canvas_stroke(l->canvas);
        }
    }
    canvas_unclip(l->canvas);
}

/* ---------------------------------------------------------------------------------------------------------- legend */

/* Names of the curves in rows over the frame, at most a third of the height. Returns the number of rows. */
static int draw_legend(const layout *l, double height, bool drawn) {
    int row = 0, most = (int)fmax(1, height / 3 / LINE_OF_LEGEND);
    double x = l->frame.left;
    for (int i = 0; i < l->chart->curves; i++) {
        const char *name = l->chart->curve[i].name;
        double width = canvas_text_width(l->canvas, SMALL, name) + 11;
        if (x + width > l->frame.right + 4 && x > l->frame.left) x = l->frame.left, row++;
        if (row == most) return row;
        double y = l->legend_top + (row + 0.7) * LINE_OF_LEGEND;
        if (drawn) {
            curve_pen(l, i, 0.15);
            draw_line(l->canvas, x, y - 0.35 * SMALL, x + 6, y - 0.35 * SMALL);
            canvas_stroke(l->canvas);
            canvas_text(l->canvas, x + 7.2, y, SMALL, 0, false, name);
        }
        x += width;
    }
    return row + 1;
}

/* The frame depends on the numbers at its left, these on its height, and that on the legend: twice around is enough. */
static void lay_out(layout *l, canvas_box place) {
    const chart *c = l->chart;
    bool legend = c->legend && c->curves > 1;
    l->frame = (canvas_box){place.left + 18, place.top + 3, place.right - 5, place.bottom - 10};
    if (c->title) l->frame.top += 1.8 * TEXT;
    if (c->colours.low < c->colours.high) l->frame.right -= CHART_BAR;
    l->legend_top = l->frame.top - 1;
    double top = l->frame.top;
    for (int pass = 0; pass < 2; pass++) {
        l->x = chart_axis_of(c, true, fmin(10, fmax(2, (l->frame.right - l->frame.left) / 18)));
        l->y = chart_axis_of(c, false, fmin(10, fmax(2, (l->frame.bottom - l->frame.top) / 12)));
        if (c->equal) make_equal(l);
        l->frame.left = place.left + fmax(10, widest_number(l) + 3.2 + 1.7 * TEXT);
        if (legend) l->legend_lines = draw_legend(l, place.bottom - place.top, false);
        l->frame.top = top + l->legend_lines * LINE_OF_LEGEND;
    }
    if (c->equal) make_equal(l);
}

void chart_draw(canvas *surface, const chart *c, canvas_box place) {
    layout l = {.canvas = surface, .chart = c};
    lay_out(&l, place);
    draw_axis(&l, true);
    draw_axis(&l, false);
    draw_curves(&l);
    draw_frame(&l);
    if (c->colours.low < c->colours.high) chart_fill_bar(surface, &c->colours, l.frame, SMALL);
    if (l.legend_lines) draw_legend(&l, place.bottom - place.top, true);
    if (c->title) canvas_text(surface, l.frame.left, place.top + 1.6 * TEXT, 1.15 * TEXT, 0, false, c->title);
    canvas_text(surface, (l.frame.left + l.frame.right) / 2, l.frame.bottom + 8, TEXT, 0.5, false, l.x.label);
    canvas_text(surface, place.left + 1.4 * TEXT, (l.frame.top + l.frame.bottom) / 2, TEXT, 0.5, true, l.y.label);
}
