/* jounce plot: figures for papers. */
#include "base/memory.h"
#include "base/suggest.h"
#include "canvas.h"
#include "cli.h"
#include "folder.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_RUNS = 32, MOST_CURVES = 256, BUCKETS = 2000, MOST_TICKS = 40 };
#define TEXT 2.9 /* [mm] size of letters */
#define SMALL 2.5

/* Okabe and Ito's colours, which most eyes tell apart; then the same, dashed. [Okabe2008] */
static const cli_colour colours[] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45}, {0.80, 0.47, 0.65},
                                     {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91}, {0.30, 0.30, 0.30}};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct curve {
    double *x, *y;
    size_t count;
    char name[320];
} curve;

typedef struct axis {
    double low, high, step, factor; /* shown = SI * factor */
    bool log;
    char label[320];
} axis;

typedef struct figure {
    cli_folder run[MOST_RUNS];
    int runs;
    const char *channel[MOST_CURVES]; /* names in the first run's list */
    int channels;
    curve curve[MOST_CURVES];
    int curves;
    char x_name[256], x_unit[64], y_name[256], y_unit[64]; /* "" where several differ */
    axis x, y;
    double left, right, top, bottom; /* [mm] of the frame */
} figure;

/* -------------------------------------------------------------------------------------------------------- input */

static bool is_folder(const char *path) {
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static int open_runs(figure *f, const cli_arguments *a) {
    jn_error error;
    for (int i = 0; i < a->file_count; i++) {
        bool named = cli_folder_fits("*.*", a->files[i]) && !strchr(a->files[i], '/');
        if (!is_folder(a->files[i]) && (i > 0 || named)) continue;
        if (f->runs == MOST_RUNS) return cli_complain("plot some of them", "too many folders");
        if (!cli_folder_open(&f->run[f->runs], a->files[i], &error)) {
            cli_message_print(&error);
            return CLI_BAD_INPUT;
        }
        f->runs++;
    }
    if (f->runs == 0) return cli_complain("jounce plot DIR CHANNEL... -o FIG.svg", "no folder of results is named");
    return -1;
}

static int unknown_channel(const figure *f, const char *name) {
    char hint[320];
    jn_suggest suggest = jn_suggest_for(name);
    for (int k = 0; k < f->run[0].channels; k++) jn_suggest_offer(&suggest, f->run[0].names[k]);
    if (suggest.best)
        snprintf(hint, sizeof hint, "write '%s'", suggest.best);
    else
        snprintf(hint, sizeof hint, "the head line of series.csv has the names; * stands for anything");
    return cli_complain(hint, "the result has no channel '%s'", name);
}

static int choose_channels(figure *f, const cli_arguments *a) {
    const cli_folder *run = &f->run[0];
    for (int i = 0; i < a->file_count; i++) {
        int before = f->channels;
        if (is_folder(a->files[i])) continue;
        if (!strcmp(a->files[i], "time")) f->channel[f->channels++] = "time";
        for (int k = 0; k < run->channels && f->channels < MOST_CURVES; k++)
            if (cli_folder_fits(a->files[i], run->names[k])) f->channel[f->channels++] = run->names[k];
        if (f->channels == before) return unknown_channel(f, a->files[i]);
    }
    if (f->channels == 0) return cli_complain("jounce plot DIR CHANNEL... -o FIG.svg", "no channel is named");
    if (a->xy && f->channels != 2)
        return cli_complain("jounce plot DIR --xy joint.pin.q joint.pin.u -o FIG.svg",
                            "--xy takes two channels, not %d", f->channels);
    if (f->channels * f->runs > MOST_CURVES) return cli_complain("name fewer channels", "too many curves");
    return -1;
}

static const char *unit_of(const cli_folder *run, int channel) { return channel < 0 ? "s" : run->units[channel]; }

/* Unit or name of an axis; "" from the second curve on that has another. */
static void merge(char *text, size_t size, const char *other, bool first) {
    if (first)
        snprintf(text, size, "%s", other);
    else if (strcmp(text, other))
        text[0] = 0;
}

/* One curve of a run; x is the time or, with --xy, the first channel. */
static int read_curve(figure *f, const cli_arguments *a, int r, int k) {
    const cli_folder *run = &f->run[r];
    const char *y_name = f->channel[k], *x_name = a->xy ? f->channel[0] : "time";
    int channel[2] = {cli_folder_find(run, x_name), cli_folder_find(run, y_name)};
    if (channel[0] == -1 || channel[1] == -1)
        return cli_complain("lay runs of the same model over each other", "%s has no channel '%s'", run->path,
                            channel[0] == -1 ? x_name : y_name);
    double from = a->from ? strtod(a->from, NULL) : run->from, to = a->to ? strtod(a->to, NULL) : run->to;
    cli_series s;
    if (!cli_series_read(run, channel, 2, from, to, a->xy ? 10 * BUCKETS : BUCKETS, a->xy, &s))
        return cli_complain("run the model again", "the results of %s cannot be read", run->path);
    curve *c = &f->curve[f->curves];
    c->x = a->xy ? s.value[0] : s.time, c->y = s.value[1], c->count = (size_t)s.count;
    jn_free(a->xy ? s.time : s.value[0]);
    jn_free(s.value);
    const char *folder = strrchr(run->path, '/');
    folder = folder ? folder + 1 : run->path;
    if (f->runs == 1)
        snprintf(c->name, sizeof c->name, "%s", y_name);
    else if (f->channels - (a->xy ? 1 : 0) == 1)
        snprintf(c->name, sizeof c->name, "%.300s", folder);
    else
        snprintf(c->name, sizeof c->name, "%.150s, %.150s", folder, y_name);
    merge(f->x_name, sizeof f->x_name, x_name, f->curves == 0);
    merge(f->x_unit, sizeof f->x_unit, unit_of(run, channel[0]), f->curves == 0);
    merge(f->y_name, sizeof f->y_name, y_name, f->curves == 0);
    merge(f->y_unit, sizeof f->y_unit, unit_of(run, channel[1]), f->curves == 0);
    f->curves++;
    return -1;
}

static int read_curves(figure *f, const cli_arguments *a) {
    int status = -1;
    for (int r = 0; r < f->runs && status < 0; r++)
        for (int k = a->xy ? 1 : 0; k < f->channels && status < 0; k++) status = read_curve(f, a, r, k);
    for (int i = 0; i < f->curves && a->log; i++)
        for (size_t k = 0; k < f->curve[i].count; k++) {
            double y = fabs(f->curve[i].y[k]);
            f->curve[i].y[k] = y > 0 ? y : NAN;
        }
    return status;
}

/* --------------------------------------------------------------------------------------------------------- axes */

/* 1, 2 or 5 times a power of ten, about a fifth of the range. */
static double nice_step(double range) {
    double p = pow(10, floor(log10(range / 5))), r = range / 5 / p;
    return p * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

/* Prefix of a plain unit, so that the numbers at the axis are short. */
static const char *prefix_of(const char *unit, double most, double *factor) {
    static const char *const plain[] = {"s", "m", "N", "J", "N m"}, *const prefixes[] = {"n", "\u00b5", "m", "",
                                                                                         "k", "M",      "G"};
    bool may = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) may |= !strcmp(unit, plain[i]);
    *factor = 1;
    if (!may || !(most > 0)) return "";
    int k = (int)fmin(6, fmax(0, 3 + floor(log10(most * 1.0001) / 3)));
    *factor = pow(1000, 3 - k);
    return prefixes[k];
}

static axis axis_of(const figure *f, bool is_x, bool is_log, const char *name, const char *unit, const char *label) {
    axis a = {.low = INFINITY, .high = -INFINITY, .factor = 1, .log = is_log};
    for (int i = 0; i < f->curves; i++)
        for (size_t k = 0; k < f->curve[i].count; k++) {
            double v = is_x ? f->curve[i].x[k] : f->curve[i].y[k];
            if (isfinite(v)) a.low = fmin(a.low, v), a.high = fmax(a.high, v);
        }
    if (!(a.low <= a.high)) a.low = is_log ? 0.1 : 0, a.high = 1;
    const char *prefix = is_log ? "" : prefix_of(unit, fmax(fabs(a.low), fabs(a.high)), &a.factor);
    a.low *= a.factor, a.high *= a.factor;
    if (is_log) {
        a.low = floor(log10(a.low) + 1e-9), a.high = ceil(log10(a.high) - 1e-9);
        if (!(a.high > a.low)) a.high = a.low + 1;
        a.step = fmax(1, ceil((a.high - a.low) / 8));
    } else {
        double range = a.high - a.low, least = 1e-9 * fmax(fabs(a.low), fabs(a.high));
        if (!(range > least)) range = fmax(fabs(a.high), 1) * 0.1, a.low -= range / 2, a.high += range / 2;
        if (!is_x || f->x_name[0] != 't') a.low -= 0.04 * range, a.high += 0.04 * range;
        a.step = nice_step(a.high - a.low);
    }
    if (label)
        snprintf(a.label, sizeof a.label, "%s", label);
    else if (unit[0] && strcmp(unit, "1"))
        snprintf(a.label, sizeof a.label, "%s%s[%s%s]", name, name[0] ? " " : "", prefix, unit);
    else
        snprintf(a.label, sizeof a.label, "%s", name);
    return a;
}

static double share(const axis *a, double v) {
    v *= a->factor;
    return ((a->log ? log10(v) : v) - a->low) / (a->high - a->low);
}

/* Widens one axis so that a millimetre is the same on both. */
static void make_equal(figure *f) {
    if (f->x.factor != f->y.factor) {
        double k = f->x.factor / f->y.factor;
        f->y.low *= k, f->y.high *= k, f->y.factor = f->x.factor;
        const char *unit = strrchr(f->x.label, '[');
        char *other = strrchr(f->y.label, '[');
        if (unit && other) snprintf(other, sizeof f->y.label - (size_t)(other - f->y.label), "%s", unit);
    }
    double w = f->right - f->left, h = f->bottom - f->top, x = f->x.high - f->x.low, y = f->y.high - f->y.low;
    double scale = fmax(x / w, y / h);
    f->x.low -= (scale * w - x) / 2, f->x.high += (scale * w - x) / 2;
    f->y.low -= (scale * h - y) / 2, f->y.high += (scale * h - y) / 2;
    f->x.step = f->y.step = nice_step(fmax(scale * w, scale * h));
}

/* ------------------------------------------------------------------------------------------------------ drawing */

static void tick_text(const axis *a, double v, char *text, size_t size) {
    if (a->log)
        snprintf(text, size, "1e%.0f", v);
    else
        snprintf(text, size, "%.6g", fabs(v) < 1e-9 * a->step ? 0 : v);
    if (text[0] == '-') { /* a minus sign, not a hyphen */
        char rest[48];
        snprintf(rest, sizeof rest, "%s", text + 1);
        snprintf(text, size, "\u2212%.40s", rest);
    }
}

static void draw_axes(cli_canvas *c, figure *f, bool measure_only, double *widest) {
    const cli_colour black = {0.1, 0.1, 0.1}, grey = {0.88, 0.88, 0.88};
    char text[48];
    for (int side = 0; side < 2; side++) {
        const axis *a = side ? &f->y : &f->x;
        int ticks = 0;
        for (double v = ceil(a->low / a->step - 1e-9) * a->step; v <= a->high + 1e-9 * a->step && ticks < MOST_TICKS;
             v += a->step, ticks++) {
            double s = (v - a->low) / (a->high - a->low);
            double x = f->left + s * (f->right - f->left), y = f->bottom - s * (f->bottom - f->top);
            tick_text(a, v, text, sizeof text);
            if (side) *widest = fmax(*widest, cli_canvas_width(c, SMALL, text));
            if (measure_only) continue;
            cli_canvas_pen(c, grey, 0.15, NULL, 0);
            if (side)
                cli_canvas_line(c, f->left, y, f->right, y);
            else
                cli_canvas_line(c, x, f->top, x, f->bottom);
            cli_canvas_pen(c, black, 0.25, NULL, 0);
            if (side)
                cli_canvas_text(c, f->left - 1.4, y + 0.36 * SMALL, SMALL, 1, false, text);
            else
                cli_canvas_text(c, x, f->bottom + 1.4 + SMALL, SMALL, 0.5, false, text);
        }
    }
}

static void draw_curves(cli_canvas *c, const figure *f) {
    static const double dash[] = {1.6, 0.9};
    for (int i = 0; i < f->curves; i++) {
        const curve *k = &f->curve[i];
        for (size_t n = 0; n < k->count; n++) {
            k->x[n] = f->left + share(&f->x, k->x[n]) * (f->right - f->left);
            k->y[n] = f->bottom - share(&f->y, k->y[n]) * (f->bottom - f->top);
        }
        cli_canvas_pen(c, colours[i % COLOURS], 0.35, dash, i / COLOURS % 2 ? 2 : 0);
        cli_canvas_curve(c, k->x, k->y, k->count);
    }
}

/* Names of the curves in a row over the frame, on as many lines as they need; returns how many. */
static int draw_legend(cli_canvas *c, const figure *f, double top, bool drawn) {
    static const double dash[] = {1.6, 0.9};
    const cli_colour black = {0.1, 0.1, 0.1};
    double x = f->left;
    int line = 0;
    for (int i = 0; i < f->curves; i++) {
        double width = cli_canvas_width(c, SMALL, f->curve[i].name) + 11;
        if (x + width > f->right + 4 && x > f->left) x = f->left, line++;
        double y = top + (line + 0.7) * 1.5 * SMALL;
        if (drawn) {
            cli_canvas_pen(c, colours[i % COLOURS], 0.5, dash, i / COLOURS % 2 ? 2 : 0);
            cli_canvas_line(c, x, y - 0.35 * SMALL, x + 6, y - 0.35 * SMALL);
            cli_canvas_pen(c, black, 0.25, NULL, 0);
            cli_canvas_text(c, x + 7.2, y, SMALL, 0, false, f->curve[i].name);
        }
        x += width;
    }
    return line + 1;
}

static void draw(cli_canvas *c, figure *f, const cli_arguments *a, double width, double height) {
    const cli_colour black = {0.1, 0.1, 0.1};
    bool legend = f->curves > 1 && !a->no_legend;
    f->left = 18, f->right = width - 4, f->bottom = height - 11, f->top = 4;
    if (a->title) f->top += 1.8 * TEXT;
    double legend_top = f->top - 1, widest = 0;
    if (legend) f->top += draw_legend(c, f, legend_top, false) * 1.5 * SMALL;
    draw_axes(c, f, true, &widest);
    f->left = fmax(10, widest + 3.2 + 1.7 * TEXT);
    if (a->equal) make_equal(f);
    draw_axes(c, f, false, &widest);
    cli_canvas_clip(c, f->left, f->top, f->right - f->left, f->bottom - f->top);
    draw_curves(c, f);
    cli_canvas_unclip(c);
    cli_canvas_pen(c, black, 0.25, NULL, 0);
    cli_canvas_box(c, f->left, f->top, f->right - f->left, f->bottom - f->top, false);
    if (legend) draw_legend(c, f, legend_top, true);
    cli_canvas_pen(c, black, 0.25, NULL, 0);
    if (a->title) cli_canvas_text(c, f->left, 1.7 * TEXT, 1.15 * TEXT, 0, false, a->title);
    cli_canvas_text(c, 0.5 * (f->left + f->right), f->bottom + 8.2, TEXT, 0.5, false, f->x.label);
    cli_canvas_text(c, 1.4 * TEXT, 0.5 * (f->top + f->bottom), TEXT, 0.5, true, f->y.label);
}

/* ------------------------------------------------------------------------------------------------------ command */

static int check_numbers(const cli_arguments *a, double *width, double *height) {
    const char *const times[] = {a->from, a->to};
    *width = 140, *height = 90;
    if (a->size && (sscanf(a->size, "%lfx%lf", width, height) != 2 || !(*width >= 30 && *width <= 2000) ||
                    !(*height >= 30 && *height <= 2000)))
        return cli_complain("write millimetres as --size 140x90, from 30 to 2000", "'%s' is no size", a->size);
    for (int i = 0; i < 2; i++) {
        char *end;
        if (!times[i]) continue;
        strtod(times[i], &end);
        if (end == times[i] || *end) return cli_complain("write a number of seconds", "'%s' is no time", times[i]);
    }
    return -1;
}

static int write_figure(figure *f, const cli_arguments *a) {
    double width, height;
    int status = check_numbers(a, &width, &height);
    if (status >= 0 || (status = open_runs(f, a)) >= 0 || (status = choose_channels(f, a)) >= 0 ||
        (status = read_curves(f, a)) >= 0)
        return status;
    f->x = axis_of(f, true, false, f->x_name, f->x_unit, a->xlabel);
    f->y = axis_of(f, false, a->log, f->y_name, f->y_unit, a->ylabel);
    cli_canvas *c = cli_canvas_open(a->out, width, height);
    if (!c) return cli_complain("end its name with .svg, .png or .pdf", "'%s' names no kind of picture", a->out);
    draw(c, f, a, width, height);
    if (!cli_canvas_close(c)) return cli_complain("", "%s cannot be written", a->out);
    if (!a->quiet) printf("made  %s\n", a->out);
    return CLI_FINE;
}

int cli_figure(cli_arguments *a) {
    if (!a->out) return cli_complain("jounce plot DIR CHANNEL... -o FIG.svg", "jounce plot needs -o");
    figure *f = jn_malloc(sizeof *f);
    if (!f) return cli_complain("", "out of memory");
    memset(f, 0, sizeof *f);
    int status = write_figure(f, a);
    for (int i = 0; i < f->runs; i++) cli_folder_close(&f->run[i]);
    for (int i = 0; i < f->curves; i++) jn_free(f->curve[i].x), jn_free(f->curve[i].y);
    jn_free(f);
    return status;
}
