#include "chart_fill.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

#define CELL 0.2 /* [mm] of a raster of densities */
enum { SHADES = 24 };

void chart_shade(double share, unsigned char rgb[3]) {
    static const unsigned char stop[][3] = {
        {222, 235, 247}, {127, 205, 187}, {65, 182, 196}, {34, 94, 168}, {8, 29, 88}};
    double at = fmin(1, fmax(0, share)) * 4;
    int k = (int)fmin(3, floor(at));
    for (int i = 0; i < 3; i++) rgb[i] = (unsigned char)lround(stop[k][i] + (at - k) * (stop[k + 1][i] - stop[k][i]));
}

static int shade_of(double share) { return (int)fmin(SHADES - 1, fmax(0, floor(share * SHADES))); }

/* Boxes of one shade after the other, so that each shade is one path. */
static void fill_shades(canvas *surface, const canvas_box *box, const unsigned char *shade, size_t count) {
    canvas_box *same = jn_malloc((count + 1) * sizeof *same);
    if (!same) return;
    for (int k = 0; k < SHADES; k++) {
        size_t n = 0;
        unsigned char rgb[3];
        for (size_t i = 0; i < count; i++)
            if (shade[i] == k) same[n++] = box[i];
        chart_shade(k / (SHADES - 1.0), rgb);
        canvas_fill(surface, same, n, rgb);
    }
    jn_free(same);
}

void chart_fill_boxes(canvas *surface, const chart *c, const chart_axis *x, const chart_axis *y, canvas_box f) {
    static const unsigned char plain[3] = {143, 188, 219};
    canvas_box *box = jn_malloc(((size_t)c->boxes + 1) * sizeof *box);
    unsigned char *shade = jn_malloc((size_t)c->boxes + 1);
    bool coloured = c->colours.low < c->colours.high;
    size_t n = 0;
    for (int i = 0; box && shade && i < c->boxes; i++) {
        const chart_box *b = &c->box[i];
        double left = chart_axis_share(x, b->x[0]), right = chart_axis_share(x, b->x[1]),
               low = chart_axis_share(y, b->y[0]), high = chart_axis_share(y, b->y[1]);
        if (!isfinite(b->value) || !isfinite(left + right + low + high)) continue;
        box[n] = (canvas_box){f.left + left * (f.right - f.left), f.bottom - high * (f.bottom - f.top),
                              f.left + right * (f.right - f.left), f.bottom - low * (f.bottom - f.top)};
        shade[n++] =
            coloured ? (unsigned char)shade_of((b->value - c->colours.low) / (c->colours.high - c->colours.low)) : 0;
    }
    if (coloured && box && shade)
        fill_shades(surface, box, shade, n);
    else if (box)
        canvas_fill(surface, box, n, plain);
    jn_free(box), jn_free(shade);
}

/* Runs of cells with one shade, row by row. */
static size_t make_runs(const unsigned *cell, int columns, int rows, unsigned most, canvas_box f, canvas_box *box,
                        unsigned char *shade) {
    size_t n = 0;
    double scale = most > 1 ? 1 / log((double)most) : 0;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < columns;) {
            unsigned count = cell[(size_t)r * (size_t)columns + (size_t)k];
            if (!count) {
                k++;
                continue;
            }
            int value = shade_of(0.25 + 0.75 * (most > 1 ? log((double)count) * scale : 1)),
                end = k + 1; /* one point is seen */
            for (; end < columns; end++) {
                unsigned next = cell[(size_t)r * (size_t)columns + (size_t)end];
                if (!next || shade_of(0.25 + 0.75 * (most > 1 ? log((double)next) * scale : 1)) != value) break;
            }
            box[n] = (canvas_box){f.left + k * CELL, f.top + r * CELL, f.left + end * CELL, f.top + (r + 1) * CELL};
            shade[n++] = (unsigned char)value;
            k = end;
        }
    return n;
}

void chart_fill_density(canvas *surface, const chart_curve *p, const chart_axis *x, const chart_axis *y, canvas_box f) {
    int columns = (int)ceil((f.right - f.left) / CELL), rows = (int)ceil((f.bottom - f.top) / CELL);
    if (columns < 1 || rows < 1) return;
    size_t cells = (size_t)columns * (size_t)rows;
    unsigned *cell = jn_malloc(cells * sizeof *cell), most = 0;
    canvas_box *box = jn_malloc(cells * sizeof *box);
    unsigned char *shade = jn_malloc(cells);
    if (cell && box && shade) {
        memset(cell, 0, cells * sizeof *cell);
        for (size_t i = 0; i < p->count; i++) {
            double a = chart_axis_share(x, p->x[i]) * (f.right - f.left) / CELL,
                   b = (1 - chart_axis_share(y, p->y[i])) * (f.bottom - f.top) / CELL;
            if (!(a >= 0 && a < columns && b >= 0 && b < rows)) continue;
            unsigned now = ++cell[(size_t)b * (size_t)columns + (size_t)a];
            if (now > most) most = now;
        }
        size_t n = make_runs(cell, columns, rows, most, f, box, shade);
        fill_shades(surface, box, shade, n);
    }
    jn_free(cell), jn_free(box), jn_free(shade);
}

void chart_fill_bar(canvas *surface, const chart_scale *c, canvas_box f, double text) {
    double left = f.right + 3, height = (f.bottom - f.top) / SHADES;
    char number[32];
    for (int k = 0; k < SHADES; k++) {
        unsigned char rgb[3];
        canvas_box box = {left, f.bottom - (k + 1) * height, left + 3.5, f.bottom - k * height};
        chart_shade(k / (SHADES - 1.0), rgb);
        canvas_fill(surface, &box, 1, rgb);
    }
    for (int end = 0; end < 2; end++) {
        snprintf(number, sizeof number, "%.3g", end ? c->high : c->low);
        canvas_text(surface, left + 4.2, end ? f.top + text : f.bottom, text, 0, false, number);
    }
    if (c->label) canvas_text(surface, left + 4.2 + 1.2 * text, (f.top + f.bottom) / 2, text, 0.5, true, c->label);
}
