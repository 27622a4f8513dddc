/* jounce laws NAME --curve: force over indentation in one collision, friction over slip speed. */
#include "commands/command_curve.h"
#include "base/suggest.h"
#include "base/units.h"
#include "chart/chart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400 };

/* ------------------------------------------------------------------------------------------------------- settings */

/* "0.5", "1e8 N/m", "10 mm/s" in SI. The unit must fit where the table's unit can be compared. */
static bool read_value(const char *text, const char *unit, double *out) {
    char *end;
    jn_unit found, wanted;
    *out = strtod(text, &end);
    if (end == text) return false;
    while (*end == ' ') end++;
    if (!*end) return true;
    size_t used = jn_unit_parse(end, &found, NULL, NULL);
    if (!used || end[used]) return false;
    bool open = strchr(unit, 'n') && strstr(unit, "^n"); /* N/m^n: depends on the exponent */
    if (!open && (jn_unit_parse(unit, &wanted, NULL, NULL) != strlen(unit) ||
                  !jn_dimension_equal(found.dimension, wanted.dimension)))
        return false;
    *out = jn_unit_to_si(*out, found);
    return true;
}

typedef struct extra {
    const char *name, *unit;
    double *value;
} extra;

static int assign(const jn_setting *set, const char *unit, double *value) {
    char hint[96];
    if (read_value(set->value, unit, value)) return CLI_FINE;
    snprintf(hint, sizeof hint, "write a number%s%s", strcmp(unit, "1") ? ", in SI or with a unit such as " : "",
             strcmp(unit, "1") ? unit : "");
    return cli_complain(hint, "'%s' is no value for %s", set->value, set->name);
}

/* Applies --set to a law's parameters and to a few values of the curve's own. */
static int apply(const cli_arguments *arguments, const jn_law_parameter *rows, void *values, const extra *extras) {
    for (int i = 0; i < arguments->setting_count; i++) {
        const jn_setting *set = &arguments->settings[i];
        jn_suggest suggest = jn_suggest_for(set->name);
        const jn_law_parameter *row = rows;
        const extra *own = extras;
        for (; row->name && strcmp(row->name, set->name); row++) jn_suggest_offer(&suggest, row->name);
        for (; own->name && strcmp(own->name, set->name); own++) jn_suggest_offer(&suggest, own->name);
        char hint[96] = "jounce laws NAME lists the parameters";
        if (suggest.best) snprintf(hint, sizeof hint, "write '%s'", suggest.best);
        if (!row->name && !own->name) return cli_complain(hint, "the law has no parameter '%s'", set->name);
        int status = row->name ? assign(set, row->unit, (double *)((char *)values + row->offset))
                               : assign(set, own->unit, own->value);
        if (status) return status;
    }
    return CLI_FINE;
}

/* From zero or below to a little over the largest value. */
static void from_zero(chart_scale *scale, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        scale->low = fmin(scale->low, values[i]);
        scale->high = fmax(scale->high, 1.03 * values[i]);
    }
}

static int show(const chart_curve *curve, chart_scale x, chart_scale y, const char *title,
                const cli_arguments *arguments) {
    chart picture = {.title = title, .x = x, .y = y, .curve = curve, .curves = 1};
    from_zero(&picture.x, curve->x, curve->count);
    from_zero(&picture.y, curve->y, curve->count);
    if (!arguments->svg) {
        chart_print(stdout, &picture, cli_width(), cli_utf8());
        return CLI_FINE;
    }
    enum { WIDTH = 140, HEIGHT = 90 }; /* [mm] */
    canvas *c = canvas_open_svg(arguments->svg, WIDTH, HEIGHT);
    if (!c) return cli_complain("", "out of memory");
    chart_draw(c, &picture, (canvas_box){0, 0, WIDTH, HEIGHT});
    if (!canvas_close(c)) return cli_complain("choose another place", "cannot write '%s'", arguments->svg);
    printf("written: %s\n", arguments->svg);
    return CLI_FINE;
}

static bool has_parameter(const jn_law_parameter *rows, const char *name) {
    for (; rows->name; rows++)
        if (!strcmp(rows->name, name)) return true;
    return false;
}

/* --------------------------------------------------------------------------------------------------------- normal */

/* One collision by the classical Runge-Kutta rule until the depth is zero. Number of points. */
static int collide(const jn_normal_law *law, double m, double v0, double time, double *x, double *y) {
    enum { SUBSTEPS = 20 };
    double d = 0, v = v0, h = time / ((POINTS - 2) * SUBSTEPS);
    int count = 0;
    for (int n = 0; n < (POINTS - 1) * SUBSTEPS && (d > 0 || n == 0); n++) {
        double kd[4] = {0}, kv[4] = {0};
        static const double at[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            jn_normal_force f;
            double depth = d + (s ? at[s] * h * kd[s - 1] : 0), rate = v + (s ? at[s] * h * kv[s - 1] : 0);
            jn_normal_eval(law, fmax(depth, 1e-300), rate, v0, &f);
            if (s == 0 && n % SUBSTEPS == 0) x[count] = d, y[count++] = f.f;
            kd[s] = rate;
            kv[s] = -f.f / m;
        }
        d += h / 6 * (kd[0] + 2 * kd[1] + 2 * kd[2] + kd[3]);
        v += h / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
    }
    x[count] = 0, y[count++] = law->attraction && law->damping > 0 ? law->damping * v : 0;
    return count;
}

static void print_collision(const jn_normal_parameters *p, double n, double m, double v0, const jn_collision *c) {
    char power[24] = "";
    if (n != 1) snprintf(power, sizeof power, "^%g", n);
    printf("\n  mass %g kg at %g m/s, stiffness %g N/m%s\n", m, v0, p->stiffness, power);
    printf("  %-22s %.6g s\n  %-22s %.6g m\n  %-22s %.6g N\n", "duration", c->duration, "largest penetration",
           c->max_depth, "largest force", c->max_force);
    printf("  %-22s %.6g", "restitution out", c->restitution);
    if (!isnan(p->restitution) && fabs(c->restitution - p->restitution) > 1e-6)
        printf(" (put in: %g; --set exact=1 returns it)", p->restitution);
    printf("\n");
}

int cli_curve_normal(const jn_normal_info *info, const cli_arguments *arguments) {
    static double x[POINTS + 8], y[POINTS + 8];
    jn_normal_parameters p = jn_normal_default();
    double speed = 1, mass = 1, exact = 0, attraction = 0;
    const extra extras[] = {{"speed", "m/s", &speed},
                            {"mass", "kg", &mass},
                            {"exact", "1", &exact},
                            {"attraction", "1", &attraction},
                            {NULL, NULL, NULL}};
    p.stiffness = info->linear ? 1e6 : 1e8;
    int status = apply(arguments, info->parameters, &p, extras);
    if (status) return status;
    if (!isnan(p.mass)) mass = p.mass;
    p.mass = mass;
    p.exact = exact != 0;
    p.attraction = attraction != 0;
    if (has_parameter(info->parameters, "restitution") && isnan(p.restitution) && isnan(p.damping)) p.restitution = 0.7;
    jn_normal_law law;
    jn_collision c;
    jn_report report = {0};
    if (jn_normal_prepare(info, &p, (jn_where){"", 0, 0}, &report, &law)) {
        cli_report_print(&report, false);
        return CLI_BAD_INPUT;
    }
    if (jn_law_collision(&law, mass, speed, &c) || !isfinite(c.release))
        return cli_complain("write mass and speed above 0, and less damping with attraction",
                            "there is no rebound to draw");
    char title[160];
    snprintf(title, sizeof title, "%s: force over indentation in one collision", info->name);
    chart_curve curve = {x, y, (size_t)collide(&law, mass, speed, c.release, x, y), ""};
    status = show(&curve, (chart_scale){.name = "indentation", .unit = "m"},
                  (chart_scale){.name = "force", .unit = "N"}, title, arguments);
    if (status == CLI_FINE) print_collision(&p, law.elastic.n, mass, speed, &c);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- friction */

int cli_curve_friction(const jn_friction_info *info, const cli_arguments *arguments) {
    static double x[POINTS], y[POINTS];
    jn_friction_parameters p = jn_friction_default();
    double speed = NAN;
    const extra extras[] = {{"speed", "m/s", &speed}, {NULL, NULL, NULL}};
    p.dynamic = 0.3;
    int status = apply(arguments, info->parameters, &p, extras);
    if (status) return status;
    if (isnan(p.stick)) p.stick = 1.25 * p.dynamic;
    jn_friction_law law;
    jn_report report = {0};
    if (jn_friction_prepare(info, &p, (jn_where){"", 0, 0}, &report, &law)) {
        cli_report_print(&report, false);
        return CLI_BAD_INPUT;
    }
    if (isnan(speed)) {
        speed = (info->states ? 40 : 6) * jn_friction_stick_speed(&law); /* bristles yield at a tenth of the curve */
    }
    if (!(speed > 0) || !isfinite(speed)) return cli_complain("write a speed above 0", "the speed is %g", speed);
    for (int i = 0; i < POINTS; i++) {
        x[i] = speed * i / (POINTS - 1);
        y[i] = jn_friction_steady(&law, x[i]);
    }
    char title[160];
    snprintf(title, sizeof title, "%s: friction over slip speed%s", info->name, info->states ? " in steady slip" : "");
    status = show(&(chart_curve){x, y, POINTS, ""}, (chart_scale){.name = "slip speed", .unit = "m/s"},
                  (chart_scale){.name = "friction over normal force"}, title, arguments);
    if (status == CLI_FINE) {
        printf("\n  with");
        for (const jn_law_parameter *row = info->parameters; row->name; row++)
            printf("%s %s %g%s%s", row == info->parameters ? "" : ",", row->name,
                   *(const double *)((const char *)&law.p + row->offset), strcmp(row->unit, "1") ? " " : "",
                   strcmp(row->unit, "1") ? row->unit : "");
        printf("\n");
    }
    return status;
}
