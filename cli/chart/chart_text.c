/* Charts in the terminal: Braille dots, or stars where there is no UTF-8. */
#include "axis.h"
#include "chart.h"
#include <math.h>
#include <string.h>

enum { ROWS = 18, LEAST_COLUMNS = 20, MOST_COLUMNS = 100, MARGIN = 11 };

typedef struct page {
    int columns;
    bool utf8;
    chart_axis x, y;
    unsigned char cell[ROWS][MOST_COLUMNS]; /* the eight dots of a Braille character */
} page;

static void put_dot(page *p, double x, double y) {
    static const unsigned char bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    if (!isfinite(x) || !isfinite(y)) return;
    int i = (int)(x * (2 * p->columns - 1) + 0.5), j = (int)((1 - y) * (4 * ROWS - 1) + 0.5);
    if (i < 0 || j < 0 || i >= 2 * p->columns || j >= 4 * ROWS) return;
    p->cell[j / 4][i / 2] |= bit[j % 4][i % 2];
}

static void put_curve(page *p, const chart_curve *c) {
    enum { PARTS = 32 };
    for (size_t i = 0; i + 1 < c->count; i++) {
        double x = chart_axis_share(&p->x, c->x[i]), dx = chart_axis_share(&p->x, c->x[i + 1]) - x;
        double y = chart_axis_share(&p->y, c->y[i]), dy = chart_axis_share(&p->y, c->y[i + 1]) - y;
        for (int k = 0; k < PARTS; k++) put_dot(p, x + dx * k / PARTS, y + dy * k / PARTS);
    }
}

static void print_cell(FILE *out, unsigned char bits, bool utf8) {
    if (!bits)
        fputc(' ', out);
    else if (!utf8)
        fputc('*', out);
    else
        fprintf(out, "%c%c%c", 0xe2, 0xa0 | bits >> 6, 0x80 | (bits & 63));
}

/* A label that ends in the last column. */
static void print_label(FILE *out, const char *label, int width, bool utf8) {
    char text[340];
    size_t used = 0;
    for (const char *from = label; *from && used + 3 < sizeof text; from++) {
        bool micro = !strncmp(from, "\u00b5", 2);
        if (micro && !utf8) {
            text[used++] = 'u', from++;
            continue;
        }
        width += micro; /* two bytes, one letter */
        text[used++] = *from;
    }
    fprintf(out, "%*.*s\n", width, (int)used, text);
}

/* The number of the tick in this row, or nothing. */
static void print_margin(FILE *out, const page *p, int row) {
    double cell = (p->y.high - p->y.low) / ROWS, upper = p->y.high - row * cell, first;
    int count = chart_axis_ticks(&p->y, &first);
    for (int k = 0; k < count; k++) {
        double tick = (first + k) * p->y.step;
        bool last = row == ROWS - 1 && tick >= p->y.low - 1e-9 * p->y.step && tick <= upper;
        if (!last && !(tick <= upper && tick > upper - cell)) continue;
        char text[48];
        chart_axis_number(&p->y, tick, text, sizeof text);
        fprintf(out, "%9s %s", text, p->utf8 ? "\u2524" : "+");
        return;
    }
    fprintf(out, "%9s %s", "", p->utf8 ? "\u2502" : "|");
}

/* Numbers under the axis, each where its tick is. */
static void print_ticks(FILE *out, const page *p) {
    char line[MOST_COLUMNS + 32];
    double first;
    int count = chart_axis_ticks(&p->x, &first), end = p->columns + 14;
    memset(line, ' ', sizeof line);
    for (int k = 0; k < count; k++) {
        char number[48];
        double tick = (first + k) * p->x.step, share = (tick - p->x.low) / (p->x.high - p->x.low);
        chart_axis_number(&p->x, tick, number, sizeof number);
        int length = (int)strlen(number), at = (int)(share * (p->columns - 1) + 0.5) - length / 2 + MARGIN;
        if (at >= 0 && at + length < end) memcpy(line + at, number, (size_t)length);
    }
    while (end > 0 && line[end - 1] == ' ') end--;
    fprintf(out, "%.*s\n", end, line);
}

void chart_print(FILE *out, const chart *c, int columns, bool utf8) {
    page p = {.columns = columns - 14, .utf8 = utf8};
    if (p.columns > MOST_COLUMNS) p.columns = MOST_COLUMNS;
    if (p.columns < LEAST_COLUMNS) p.columns = LEAST_COLUMNS;
    p.x = chart_axis_of(c, true, 5);
    p.y = chart_axis_of(c, false, 5);
    for (int i = 0; i < c->curves; i++) put_curve(&p, &c->curve[i]);
    fprintf(out, "%s\n  ", c->title ? c->title : "");
    print_label(out, p.y.label, 0, utf8);
    for (int row = 0; row < ROWS; row++) {
        print_margin(out, &p, row);
        for (int k = 0; k < p.columns; k++) print_cell(out, p.cell[row][k], utf8);
        fputc('\n', out);
    }
    fprintf(out, "%10s%s", "", utf8 ? "\u2514" : "+");
    for (int k = 0; k < p.columns; k++) fputs(utf8 ? "\u2500" : "-", out);
    fputc('\n', out);
    print_ticks(out, &p);
    print_label(out, p.x.label, p.columns + MARGIN, utf8);
}
