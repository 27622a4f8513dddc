/* A collision in the impulse domain: work and velocities over the sum of normal impulses [Rodriguez2014, fig. 6.3, 6.5, 8.4]. */
#include "impact_plot.h"
#include "base/memory.h"
#include "chart/chart.h"
#include <math.h>

enum { WIDTH = 160, HEAD = 9, PANEL = 68, MOST_PICTURES = 100, MOST_CURVES = 64, NAME = 48 }; /* [mm] */
enum { WORK = -1 };                                                                           /* in place of a row */

/* A panel: the curves of one quantity. */
typedef struct panel {
    const jn_impact_kept *collision;
    double *x, *y; /* (2 * samples) for each curve: a gap may follow each point */
    chart_curve curve[MOST_CURVES];
    char name[MOST_CURVES][NAME];
} panel;

/* Impulses of the impact events of a collision follow each other. */
static double impulse_at(const jn_impact_kept *k, int s) {
    double sum = 0, last = 0;
    for (int i = 1; i <= s; i++) {
        if (k->sample[i].impulse < last) sum += last;
        last = k->sample[i].impulse;
    }
    return sum + k->sample[s].impulse;
}

/* The work, or a row of a contact's velocity, over the impulse. Work counts anew in each impact event. */
static void fill_curve(panel *p, int contact, int row) {
    const jn_impact_kept *k = p->collision;
    double *x = p->x + 2 * contact * k->samples, *y = p->y + 2 * contact * k->samples;
    size_t count = 0;
    for (int s = 0; s < k->samples; s++) {
        if (row == WORK && s > 0 && k->sample[s].impact != k->sample[s - 1].impact) x[count] = y[count] = NAN, count++;
        x[count] = impulse_at(k, s);
        y[count++] = row == WORK ? k->sample[s].work : k->sample_v[(s * k->contacts + contact) * k->dimension + row];
    }
    snprintf(p->name[contact], NAME, "%d %.30s", contact + 1, k->name[contact]);
    p->curve[contact] = (chart_curve){x, y, count, p->name[contact]};
}

static void draw_panel(canvas *c, panel *p, int number, int row, const char *name, const char *unit) {
    double top = HEAD + number * PANEL, zero = 0;
    int curves = row == WORK ? 1 : p->collision->contacts < MOST_CURVES ? p->collision->contacts : MOST_CURVES;
    for (int i = 0; i < curves; i++) fill_curve(p, i, row);
    chart picture = {.x = {.name = "sum of normal impulses", .unit = "N s", .tight = true},
                     .y = {.name = name, .unit = unit},
                     .curve = p->curve,
                     .curves = curves,
                     .legend = true,
                     .level = &zero,
                     .levels = 1};
    chart_draw(c, &picture, (canvas_box){0, top, WIDTH, top + PANEL});
}

static bool draw(const char *path, panel *p) {
    const jn_impact_kept *k = p->collision;
    char title[200];
    canvas *c = canvas_open_svg(path, WIDTH, HEAD + PANEL * (k->dimension + 1));
    if (!c) return false;
    snprintf(title, sizeof title, "collision at t = %.9g s: %d point%s, %d impact event%s, %.6g J lost", k->time,
             k->contacts, k->contacts == 1 ? "" : "s", k->impacts, k->impacts == 1 ? "" : "s", -k->change);
    canvas_text(c, 4, 5.5, 3.3, 0, false, title);
    draw_panel(c, p, 0, WORK, "work of the impact event", "J");
    draw_panel(c, p, 1, 0, "normal velocities", "m/s");
    draw_panel(c, p, 2, 1, "tangential velocities", "m/s");
    if (k->dimension == 3) draw_panel(c, p, 3, 2, "along the second tangents", "m/s");
    return canvas_close(c);
}

static bool draw_collision(const char *path, const jn_impact_kept *k) {
    size_t contacts = (size_t)(k->contacts < MOST_CURVES ? k->contacts : MOST_CURVES);
    panel *p = jn_malloc(sizeof *p);
    double *values = jn_malloc(4 * contacts * (size_t)k->samples * sizeof *values);
    bool fine = false;
    if (p && values) {
        *p = (panel){.collision = k, .x = values, .y = values + 2 * contacts * (size_t)k->samples};
        fine = draw(path, p);
    }
    jn_free(values);
    jn_free(p);
    return fine;
}

int cli_impact_plots(const char *folder, const jn_result *r) {
    int drawn = 0;
    for (long i = 0; i < r->impacts_kept && drawn < MOST_PICTURES; i++) {
        char path[4200];
        if (r->impacts[i].samples < 2) continue;
        snprintf(path, sizeof path, "%s/impact_%03ld.svg", folder, i + 1);
        if (!draw_collision(path, &r->impacts[i])) return -1;
        drawn++;
    }
    return drawn;
}
