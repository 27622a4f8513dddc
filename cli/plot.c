/* Curves in the terminal (Braille dots, or stars where there is no UTF-8) and as SVG. */
#include "plot.h"
#include "cli.h"
#include <math.h>
#include <string.h>

/* An axis from 0 or below to the largest value, in a unit with a prefix. */
typedef struct axis {
    double low, high, step; /* in the shown unit */
    double factor;          /* shown = SI * factor */
    char label[64];
} axis;

/* 1, 2 or 5 times a power of ten, about a fifth of the range. */
static double nice_step(double range) {
    double p = pow(10, floor(log10(range / 5))), r = range / 5 / p;
    return p * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

static axis axis_of(const char *name, const char *unit, const double *values, int count) {
    static const char *const prefixes[] = {"n", "u", "m", "", "k", "M", "G"};
    axis a = {.factor = 1};
    for (int i = 0; i < count; i++) {
        a.low = fmin(a.low, values[i]);
        a.high = fmax(a.high, values[i]);
    }
    double most = fmax(a.high, -a.low);
    int prefix = 3;
    if (strcmp(unit, "1") && most > 0) prefix = (int)fmin(6, fmax(0, 3 + floor(log10(most) / 3 + 1e-9)));
    a.factor = pow(1000, 3 - prefix);
    a.low *= a.factor;
    a.high *= a.factor;
    if (!(a.high > a.low)) a.high = a.low + 1;
    a.step = nice_step(a.high - a.low);
    a.high += 0.02 * (a.high - a.low);
    if (strcmp(unit, "1"))
        snprintf(a.label, sizeof a.label, "%s [%s%s]", name, prefixes[prefix], unit);
    else
        snprintf(a.label, sizeof a.label, "%s", name);
    return a;
}

static double share(const axis *a, double value) { return (value * a->factor - a->low) / (a->high - a->low); }

/* ----------------------------------------------------------------------------------------------------------- text */

enum { ROWS = 18, MOST_COLUMNS = 100 };

typedef struct canvas {
    int columns;
    unsigned char cell[ROWS][MOST_COLUMNS]; /* the eight dots of a Braille character */
} canvas;

static void dot(canvas *c, double x, double y) {
    static const unsigned char bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    int i = (int)(x * (2 * c->columns - 1) + 0.5), j = (int)((1 - y) * (4 * ROWS - 1) + 0.5);
    if (i < 0 || j < 0 || i >= 2 * c->columns || j >= 4 * ROWS) return;
    c->cell[j / 4][i / 2] |= bit[j % 4][i % 2];
}

static void print_cell(FILE *out, unsigned char bits, bool utf8) {
    if (!bits)
        fputc(' ', out);
    else if (!utf8)
        fputc('*', out);
    else
        fprintf(out, "%c%c%c", 0xe2, 0xa0 | bits >> 6, 0x80 | (bits & 63));
}

/* Numbers under the axis, each where its tick is. */
static void print_ticks(FILE *out, const axis *x, int columns) {
    char line[MOST_COLUMNS + 32];
    memset(line, ' ', sizeof line);
    for (double v = ceil(x->low / x->step) * x->step; v <= x->high; v += x->step) {
        char number[16];
        int length = snprintf(number, sizeof number, "%.4g", fabs(v) < 1e-9 * x->step ? 0 : v);
        int at = (int)((v - x->low) / (x->high - x->low) * (columns - 1) + 0.5) - length / 2 + 11;
        if (at >= 0 && at + length < columns + 14) memcpy(line + at, number, (size_t)length);
    }
    int end = columns + 14;
    while (end > 0 && line[end - 1] == ' ') end--;
    fprintf(out, "%.*s\n", end, line);
}

void cli_plot_text(FILE *out, const cli_plot *plot) {
    canvas c = {.columns = cli_width() - 14};
    if (c.columns > MOST_COLUMNS) c.columns = MOST_COLUMNS;
    if (c.columns < 20) c.columns = 20;
    axis x = axis_of(plot->x_name, plot->x_unit, plot->x, plot->count);
    axis y = axis_of(plot->y_name, plot->y_unit, plot->y, plot->count);
    bool utf8 = cli_utf8();
    for (int i = 0; i + 1 < plot->count; i++)
        for (int k = 0; k < 32; k++) {
            double s = k / 32.0;
            dot(&c, share(&x, plot->x[i] + s * (plot->x[i + 1] - plot->x[i])),
                share(&y, plot->y[i] + s * (plot->y[i + 1] - plot->y[i])));
        }
    fprintf(out, "%s\n  %s\n", plot->title, y.label);
    double top = floor(y.high / y.step) * y.step;
    for (int r = 0; r < ROWS; r++) {
        double cell = (y.high - y.low) / ROWS, upper = y.high - r * cell, tick = top;
        while (tick > upper + 1e-12) tick -= y.step;
        if (tick > upper - cell && tick >= y.low - 1e-9)
            fprintf(out, "%9.4g %s", fabs(tick) < 1e-9 * y.step ? 0 : tick, utf8 ? "\u2524" : "+");
        else
            fprintf(out, "%9s %s", "", utf8 ? "\u2502" : "|");
        for (int k = 0; k < c.columns; k++) print_cell(out, c.cell[r][k], utf8);
        fputc('\n', out);
    }
    fprintf(out, "%10s%s", "", utf8 ? "\u2514" : "+");
    for (int k = 0; k < c.columns; k++) fputs(utf8 ? "\u2500" : "-", out);
    fputc('\n', out);
    print_ticks(out, &x, c.columns);
    fprintf(out, "%*s\n", c.columns + 11, x.label);
}

/* ------------------------------------------------------------------------------------------------------------ SVG */

enum { WIDTH = 720, HEIGHT = 460, LEFT = 80, RIGHT = 20, TOP = 50, BOTTOM = 60 };

static double pixel_x(double s) { return LEFT + s * (WIDTH - LEFT - RIGHT); }
static double pixel_y(double s) { return HEIGHT - BOTTOM - s * (HEIGHT - TOP - BOTTOM); }

static void svg_axes(FILE *f, const axis *x, const axis *y) {
    for (double v = ceil(x->low / x->step) * x->step; v <= x->high; v += x->step) {
        double at = pixel_x((v - x->low) / (x->high - x->low));
        fprintf(f, "<path d=\"M%.2f %.2fV%.2f\" stroke=\"#ddd\"/>", at, pixel_y(0), pixel_y(1));
        fprintf(f, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%.4g</text>\n", at, pixel_y(0) + 18,
                fabs(v) < 1e-9 * x->step ? 0 : v);
    }
    for (double v = ceil(y->low / y->step) * y->step; v <= y->high; v += y->step) {
        double at = pixel_y((v - y->low) / (y->high - y->low));
        fprintf(f, "<path d=\"M%.2f %.2fH%.2f\" stroke=\"#ddd\"/>", pixel_x(0), at, pixel_x(1));
        fprintf(f, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%.4g</text>\n", pixel_x(0) - 8, at + 4,
                fabs(v) < 1e-9 * y->step ? 0 : v);
    }
    fprintf(f, "<path d=\"M%.2f %.2fV%.2fH%.2f\" stroke=\"#444\" fill=\"none\"/>\n", pixel_x(0), pixel_y(1), pixel_y(0),
            pixel_x(1));
    fprintf(f, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", pixel_x(0.5), HEIGHT - 16, x->label);
    fprintf(f, "<text transform=\"translate(20 %.2f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", pixel_y(0.5),
            y->label);
}

bool cli_plot_svg(const char *path, const cli_plot *plot) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    axis x = axis_of(plot->x_name, plot->x_unit, plot->x, plot->count);
    axis y = axis_of(plot->y_name, plot->y_unit, plot->y, plot->count);
    fprintf(
        f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" "
        "fill=\"#222\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(f, "<text x=\"%d\" y=\"28\" font-size=\"15\">%s</text>\n", LEFT, plot->title);
    svg_axes(f, &x, &y);
    fprintf(f, "<polyline fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"2\" points=\"");
    for (int i = 0; i < plot->count; i++)
        fprintf(f, "%s%.2f,%.2f", i ? " " : "", pixel_x(share(&x, plot->x[i])), pixel_y(share(&y, plot->y[i])));
    fprintf(f, "\"/>\n</svg>\n");
    bool good = !ferror(f);
    return fclose(f) == 0 && good;
}
