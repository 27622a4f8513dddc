/* A collision in the impulse domain: work and velocities over the sum of normal impulses [Rodriguez2014, fig. 6.3, 6.5, 8.4]. */
#include "commands/impact_plot.h"
#include "base/memory.h"
#include "chart/chart.h"
#include <math.h>

enum { WIDTH = 160, HEAD = 9, PANEL = 68, MOST_PICTURES = 100, MOST_CURVES = 64, NAME = 48 }; /* [mm] */

/* What a panel shows, one curve for each contact, or for each body that moves. */
typedef enum quantity {
    WORK_OF_EVENT,
    NORMAL_VELOCITY,
    TANGENTIAL_VELOCITY,
    SECOND_VELOCITY,
    SLIDING_SPEED,
    SLIDING_DIRECTION,
    NORMAL_WORK,
    TANGENTIAL_WORK,
    CRITICAL_FRICTION,
    WORK_ON_BODIES,
    QUANTITIES
} quantity;

static const struct {
    const char *name, *unit;
} quantities[QUANTITIES] = {{"work of the impact event", "J"},   {"normal velocities", "m/s"},
                            {"tangential velocities", "m/s"},    {"along the second tangents", "m/s"},
                            {"sliding speeds s", "m/s"},         {"sliding directions phi", "rad"},
                            {"normal works of the points", "J"}, {"tangential works of the points", "J"},
                            {"critical friction", "1"},          {"works on the bodies", "J"}};

/* A panel: the curves of one quantity. */
typedef struct panel {
    const jn_impact_kept *collision;
    const jn_result *result;
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

/* Value of a curve, which is a contact's or a body's, at a sample. */
static double value_at(const jn_impact_kept *k, quantity what, int curve, int s) {
    const double *v = k->sample_v + (size_t)((s * k->contacts + curve) * k->dimension);
    const double *works = k->sample_work + (size_t)(3 * (s * k->contacts + curve));
    switch (what) {
    case WORK_OF_EVENT: return k->sample[s].work;
    case NORMAL_VELOCITY: return v[0];
    case TANGENTIAL_VELOCITY: return v[1];
    case SECOND_VELOCITY: return v[2];
    case SLIDING_SPEED: return hypot(v[1], k->dimension == 3 ? v[2] : 0);
    case SLIDING_DIRECTION: return atan2(k->dimension == 3 ? v[2] : 0, v[1]);
    case NORMAL_WORK: return works[0];
    case TANGENTIAL_WORK: return works[1];
    case CRITICAL_FRICTION: return works[2];
    default: return k->sample_body[s * k->bodies + curve + 1];
    }
}

/* One quantity over the impulse. The work of an event counts anew in each. */
static void fill_curve(panel *p, quantity what, int curve) {
    const jn_impact_kept *k = p->collision;
    double *x = p->x + 2 * curve * k->samples, *y = p->y + 2 * curve * k->samples;
    size_t count = 0;
    for (int s = 0; s < k->samples; s++) {
        bool next = s > 0 && k->sample[s].impact != k->sample[s - 1].impact;
        if (what == WORK_OF_EVENT && next) x[count] = y[count] = NAN, count++;
        x[count] = impulse_at(k, s), y[count++] = value_at(k, what, curve, s);
    }
    const char *name = what == WORK_ON_BODIES ? p->result->bodies[curve + 1] : k->name[curve];
    snprintf(p->name[curve], NAME, "%d %.30s", curve + 1, name);
    p->curve[curve] = (chart_curve){x, y, count, p->name[curve]};
}

static int curves_of(const jn_impact_kept *k, quantity what) {
    int curves = what == WORK_OF_EVENT ? 1 : what == WORK_ON_BODIES ? k->bodies - 1 : k->contacts;
    return curves < MOST_CURVES ? curves : MOST_CURVES;
}

/* Is there something to see: friction, its critical value, a second tangent? */
static bool is_shown(const jn_impact_kept *k, quantity what) {
    bool rough = false, critical = false;
    for (int c = 0; c < k->contacts; c++) rough |= k->point[c].mu_s > 0;
    for (int i = 0; i < k->contacts * k->samples; i++) critical |= isfinite(k->sample_work[3 * i + 2]);
    if (what == SECOND_VELOCITY) return k->dimension == 3;
    if (what == SLIDING_SPEED || what == SLIDING_DIRECTION) return rough && k->dimension == 3;
    if (what == TANGENTIAL_WORK) return rough;
    if (what == CRITICAL_FRICTION) return critical;
    return true;
}

static void draw_panel(canvas *c, panel *p, int number, quantity what) {
    double top = HEAD + number * PANEL, zero = 0;
    int curves = curves_of(p->collision, what);
    for (int i = 0; i < curves; i++) fill_curve(p, what, i);
    chart picture = {.x = {.name = "sum of normal impulses", .unit = "N s", .tight = true},
                     .y = {.name = quantities[what].name, .unit = quantities[what].unit},
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
    int panels = 0;
    for (int what = 0; what < QUANTITIES; what++) panels += is_shown(k, (quantity)what);
    canvas *c = canvas_open_svg(path, WIDTH, HEAD + PANEL * panels);
    if (!c) return false;
    snprintf(title, sizeof title, "collision at t = %.9g s: %d point%s, %d impact event%s, %.6g J lost", k->time,
             k->contacts, k->contacts == 1 ? "" : "s", k->impacts, k->impacts == 1 ? "" : "s", -k->change);
    canvas_text(c, 4, 5.5, 3.3, 0, false, title);
    for (int what = 0, number = 0; what < QUANTITIES; what++)
        if (is_shown(k, (quantity)what)) draw_panel(c, p, number++, (quantity)what);
    return canvas_close(c);
}

static bool draw_collision(const char *path, const jn_result *r, const jn_impact_kept *k) {
    int most = k->contacts > k->bodies ? k->contacts : k->bodies;
    size_t curves = (size_t)(most < MOST_CURVES ? most : MOST_CURVES);
    panel *p = jn_malloc(sizeof *p);
    double *values = jn_malloc(4 * curves * (size_t)k->samples * sizeof *values);
    bool fine = false;
    if (p && values) {
        *p = (panel){.collision = k, .result = r, .x = values, .y = values + 2 * curves * (size_t)k->samples};
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
        if (!draw_collision(path, r, &r->impacts[i])) return -1;
        drawn++;
    }
    return drawn;
}
