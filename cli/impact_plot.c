/* A collision in the impulse domain: work and velocities over the sum of normal impulses [Rodriguez2014, fig. 6.3, 6.5, 8.4]. */
#include "impact_plot.h"
#include <math.h>
#include <stdio.h>

enum { WIDTH = 720, PANEL = 220, LEFT = 80, RIGHT = 140, TOP = 36, GAP = 40, MOST = 100 };

typedef struct panel {
    FILE *file;
    double x0, x1, y0, y1; /* range */
    int top;
} panel;

static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                      "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"};

static double place_x(const panel *p, double x) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (x - p->x0) / (p->x1 - p->x0);
}
static double place_y(const panel *p, double y) { return p->top + PANEL - PANEL * (y - p->y0) / (p->y1 - p->y0); }

/* Impulses of the impact events of a collision follow each other. */
static double impulse_at(const jn_impact_kept *k, int s) {
    double sum = 0, last = 0;
    for (int i = 1; i <= s; i++) {
        if (k->sample[i].impulse < last) sum += last;
        last = k->sample[i].impulse;
    }
    return sum + k->sample[s].impulse;
}

/* quantity -1: work; else row r of each contact's velocity. */
static double value(const jn_impact_kept *k, int s, int contact, int row) {
    return row < 0 ? k->sample[s].work : k->sample_v[(s * k->contacts + contact) * k->dimension + row];
}

static void widen(double y, double *low, double *high) {
    if (isfinite(y)) *low = fmin(*low, y), *high = fmax(*high, y);
}

static void draw_axes(const panel *p, const char *name) {
    double zero = p->y0 < 0 && p->y1 > 0 ? 0 : p->y0;
    fprintf(p->file, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#999'/>\n", LEFT, p->top,
            WIDTH - LEFT - RIGHT, PANEL);
    fprintf(p->file, "<line x1='%d' x2='%d' y1='%.2f' y2='%.2f' stroke='#ccc'/>\n", LEFT, WIDTH - RIGHT,
            place_y(p, zero), place_y(p, zero));
    fprintf(p->file, "<text x='%d' y='%d'>%s</text>\n", LEFT, p->top - 6, name);
    for (int i = 0; i <= 4; i++) {
        double y = p->y0 + i * (p->y1 - p->y0) / 4, x = p->x0 + i * (p->x1 - p->x0) / 4;
        fprintf(p->file, "<text x='%d' y='%.2f' text-anchor='end'>%.4g</text>\n", LEFT - 6, place_y(p, y) + 4, y);
        fprintf(p->file, "<text x='%.2f' y='%d' text-anchor='middle'>%.4g</text>\n", place_x(p, x), p->top + PANEL + 14,
                x);
    }
}

static void draw_curve(const panel *p, const jn_impact_kept *k, int contact, int row, int number) {
    bool pen = false;
    fprintf(p->file, "<path fill='none' stroke='%s' stroke-width='1.5' d='", colours[number % 8]);
    for (int s = 0; s < k->samples; s++) {
        double y = value(k, s, contact, row);
        bool jump = row < 0 && s > 0 && k->sample[s].impact != k->sample[s - 1].impact; /* work counts anew */
        if (isfinite(y))
            fprintf(p->file, "%c%.2f %.2f", pen && !jump ? 'L' : 'M', place_x(p, impulse_at(k, s)), place_y(p, y));
        pen = isfinite(y);
    }
    fprintf(p->file, "'/>\n");
    if (row >= 0)
        fprintf(p->file, "<text x='%d' y='%d' fill='%s'>%d %.24s</text>\n", WIDTH - RIGHT + 8,
                p->top + 14 + 14 * number, colours[number % 8], contact + 1, k->name[contact]);
}

static void draw_panel(FILE *file, const jn_impact_kept *k, int number, int row, const char *name) {
    panel p = {.file = file, .x1 = 1e-300, .y0 = INFINITY, .y1 = -INFINITY, .top = TOP + 20 + number * (PANEL + GAP)};
    int curves = row < 0 ? 1 : k->contacts;
    for (int s = 0; s < k->samples; s++) {
        p.x1 = fmax(p.x1, impulse_at(k, s));
        for (int c = 0; c < curves; c++) widen(value(k, s, c, row), &p.y0, &p.y1);
    }
    if (!(p.y1 > p.y0)) p.y0 = (isfinite(p.y0) ? p.y0 : 0) - 1, p.y1 = p.y0 + 2;
    draw_axes(&p, name);
    for (int c = 0; c < curves; c++) draw_curve(&p, k, c, row, c);
}

static bool draw(const char *path, const jn_impact_kept *k) {
    FILE *file = fopen(path, "w");
    int panels = k->dimension + 1;
    if (!file) return false;
    fprintf(
        file,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='11'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n"
        "<text x='%d' y='20' font-size='13'>collision at t = %.9g s: %d points, %d impact events, %.6g J lost</text>\n",
        WIDTH, TOP + 20 + panels * (PANEL + GAP), LEFT, k->time, k->contacts, k->impacts, -k->change);
    draw_panel(file, k, 0, -1, "work of the impact event [J] over the sum of normal impulses [N s]");
    draw_panel(file, k, 1, 0, "normal velocities [m/s]");
    draw_panel(file, k, 2, 1, "tangential velocities [m/s]");
    if (k->dimension == 3) draw_panel(file, k, 3, 2, "velocities along the second tangents [m/s]");
    fprintf(file, "</svg>\n");
    bool fine = !ferror(file);
    return !fclose(file) && fine;
}

int cli_impact_plots(const char *folder, const jn_result *r) {
    int drawn = 0;
    for (long i = 0; i < r->impacts_kept && drawn < MOST; i++) {
        char path[4200];
        if (r->impacts[i].samples < 2) continue;
        snprintf(path, sizeof path, "%s/impact_%03ld.svg", folder, i + 1);
        if (!draw(path, &r->impacts[i])) return -1;
        drawn++;
    }
    return drawn;
}
