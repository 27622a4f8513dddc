#include "plot.h"
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PANELS = 4, SERIES = 8, POINTS = 32, WIDTH = 420, HEIGHT = 360, LEFT = 62, RIGHT = 92, TOP = 34, BOTTOM = 48 };

typedef struct series {
    const char *name;
    int count;
    double x[POINTS], y[POINTS]; /* decimal logarithms */
} series;

typedef struct panel {
    const char *title;
    int count;
    series line[SERIES];
    double low[2], high[2]; /* whole decades */
} panel;

struct plot {
    FILE *file;
    const char *x_name, *y_name;
    int count;
    panel panels[PANELS];
};

static const char *const colours[SERIES] = {"#7f7f7f", "#1f77b4", "#2ca02c", "#d62728",
                                            "#9467bd", "#ff7f0e", "#17becf", "#8c564b"};

plot *plot_create(const char *path, const char *x_name, const char *y_name) {
    if (!path) return NULL;
    plot *p = calloc(1, sizeof *p);
    p->x_name = x_name, p->y_name = y_name;
    if (!(p->file = fopen(path, "w"))) bench_give_up(path, "cannot be written");
    return p;
}

void plot_title(plot *p, const char *title) {
    if (p && p->count < PANELS) p->panels[p->count++].title = title;
}

void plot_series(plot *p, const char *name) {
    if (!p) return;
    panel *a = &p->panels[p->count - 1];
    if (a->count < SERIES) a->line[a->count++].name = name;
}

void plot_point(plot *p, double x, double y) {
    if (!p || !(x > 0) || !(y > 0)) return;
    panel *a = &p->panels[p->count - 1];
    series *s = &a->line[a->count - 1];
    if (s->count == POINTS) return;
    s->x[s->count] = log10(x), s->y[s->count++] = log10(y);
}

static void find_range(panel *a) {
    for (int k = 0; k < 2; k++) a->low[k] = INFINITY, a->high[k] = -INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < a->line[i].count; j++)
            for (int k = 0; k < 2; k++) {
                double v = k ? a->line[i].y[j] : a->line[i].x[j];
                a->low[k] = fmin(a->low[k], floor(v)), a->high[k] = fmax(a->high[k], ceil(v));
            }
}

static double across(const panel *a, double x) {
    return LEFT + (x - a->low[0]) / (a->high[0] - a->low[0]) * (WIDTH - LEFT - RIGHT);
}
static double down(const panel *a, double y) {
    return HEIGHT - BOTTOM - (y - a->low[1]) / (a->high[1] - a->low[1]) * (HEIGHT - TOP - BOTTOM);
}

static void draw_grid(FILE *f, const plot *p, const panel *a) {
    for (double x = a->low[0]; x <= a->high[0]; x++) {
        fprintf(f, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>", across(a, x), TOP, HEIGHT - BOTTOM);
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" ", across(a, x), HEIGHT - BOTTOM + 15);
        fprintf(f, "text-anchor=\"middle\">1e%g</text>\n", x);
    }
    for (double y = a->low[1]; y <= a->high[1]; y += 2) {
        fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>", LEFT, down(a, y), WIDTH - RIGHT);
        fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%g</text>\n", LEFT - 5, down(a, y) + 4, y);
    }
    fprintf(f, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n", LEFT, a->title);
    int middle = (LEFT + WIDTH - RIGHT) / 2;
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", middle, HEIGHT - 12, p->x_name);
    fprintf(f, "<text transform=\"translate(14 %d) rotate(-90)\" ", HEIGHT / 2);
    fprintf(f, "text-anchor=\"middle\">%s</text>\n", p->y_name);
}

static void draw_series(FILE *f, const panel *a, int index) {
    const series *s = &a->line[index];
    if (s->count == 0) return;
    fprintf(f, "<g stroke=\"%s\" fill=\"%s\"><path fill=\"none\" d=\"", colours[index], colours[index]);
    for (int j = 0; j < s->count; j++) fprintf(f, "%c%.1f %.1f", j ? 'L' : 'M', across(a, s->x[j]), down(a, s->y[j]));
    fprintf(f, "\"/>");
    for (int j = 0; j < s->count; j++)
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>", across(a, s->x[j]), down(a, s->y[j]));
    int x = WIDTH - RIGHT + 10, y = TOP + 12 + 16 * index;
    fprintf(f, "<text stroke=\"none\" x=\"%d\" y=\"%d\">%s</text></g>\n", x, y, s->name);
}

void plot_close(plot *p) {
    if (!p) return;
    FILE *f = p->file;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", WIDTH * p->count, HEIGHT);
    fprintf(f, "font-family=\"sans-serif\" font-size=\"11\">\n");
    fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
    for (int i = 0; i < p->count; i++) {
        panel *a = &p->panels[i];
        find_range(a);
        fprintf(f, "<g transform=\"translate(%d 0)\">\n", WIDTH * i);
        draw_grid(f, p, a);
        for (int k = 0; k < a->count; k++) draw_series(f, a, k);
        fprintf(f, "</g>\n");
    }
    fprintf(f, "</svg>\n");
    if (fclose(f) != 0) bench_give_up("plot", "cannot be written");
    free(p);
}
