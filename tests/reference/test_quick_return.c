/* The quick-return mechanism of [Flores2009, section 5]: stroke and time ratio of the ideal joints, measured from a run. */
#include "file_run.h"
#include <jounce/jounce.h>
#include <string.h>

static jn_result *run(const jn_setting *settings, int count, jn_model **m) {
    jn_result *r = file_run("flores_ambrosio/quick_return.yaml", settings, count, m);
    assert_true(jn_result_ok(r));
    return r;
}

static int column(const jn_result *r, const char *name) {
    for (int k = 0; k < r->channels; k++)
        if (!strcmp(r->names[k], name)) return k + 1;
    fail();
    return 0;
}

/* Value at the part s of a step h, from values f and slopes d at its ends: cubic. */
static double hermite(double s, double h, const double f[2], const double d[2]) {
    double a = h * d[0], b = 3 * (f[1] - f[0]) - h * (2 * d[0] + d[1]), c = 2 * (f[0] - f[1]) + h * (d[0] + d[1]);
    return f[0] + s * (a + s * (b + s * c));
}

/* Instants and places at which the ram turns: zeros of its speed. Returns how many. */
static int turns(const jn_result *r, double time[8], double place[8]) {
    int x = column(r, "body.ram.x"), v = column(r, "body.ram.vx"), a = column(r, "body.ram.ax"), n = 0;
    size_t width = (size_t)r->channels + 1;
    for (long k = 1; k < r->rows && n < 8; k++) {
        const double *p = r->data + (size_t)(k - 1) * width, *q = p + width;
        if ((p[v] > 0) == (q[v] > 0)) continue;
        double h = q[0] - p[0], lo = 0, hi = 1, V[2] = {p[v], q[v]}, A[2] = {p[a], q[a]}, X[2] = {p[x], q[x]};
        for (int i = 0; i < 60; i++) {
            double mid = 0.5 * (lo + hi);
            if ((hermite(mid, h, V, A) > 0) == (V[0] > 0))
                lo = mid;
            else
                hi = mid;
        }
        time[n] = p[0] + lo * h, place[n++] = hermite(lo, h, X, V);
    }
    return n;
}

static void ideal_stroke_and_time_ratio(void **state) {
    (void)state;
    jn_setting settings[] = {{"clearance", "0"}, {"until", "3.3"}};
    jn_model *m;
    jn_result *r = run(settings, 2, &m);
    double t[8], x[8], beta = asin(0.1 / 0.25); /* crank normal to the rocker at both ends */
    assert_int_equal(turns(r, t, x), 3);
    assert_near(t[0] * 3, M_PI + beta, 1e-9);
    assert_near(x[1] - x[0], 0.4, 1e-10); /* 2 l3 l2 / d */
    assert_near(x[1] - x[2], 0.4, 1e-10);
    assert_near((t[2] - t[1]) / (t[1] - t[0]), (M_PI + 2 * beta) / (M_PI - 2 * beta), 1e-9);
    assert_near((t[2] - t[1]) / (t[1] - t[0]), 1.709952782, 1e-9);
    jn_result_free(r), jn_model_free(m);
}

/* With play the names are those of the issue, the journals start centred, and a part of the revolution is clean. */
static void play_is_shown_by_name(void **state) {
    (void)state;
    jn_setting settings[] = {{"clearance", "0.25 mm"}, {"restitution", "0.7"}, {"until", "0.3"}};
    jn_model *m;
    jn_result *r = run(settings, 3, &m);
    for (int k = 1; k <= 4; k++) {
        char name[64];
        snprintf(name, sizeof name, "joint.joint%d.eccentricity", k);
        double most = 0;
        int e = column(r, name);
        for (long row = 0; row < r->rows; row++)
            most = fmax(most, r->data[(size_t)row * (size_t)(r->channels + 1) + (size_t)e]);
        assert_near(jn_result_at(r, name, 0), 0, 1e-15);
        assert_true(most > 0.25e-3 && most < 0.27e-3); /* it reaches its bearing and indents it a little */
    }
    assert_true(r->audit.ok);
    jn_result_free(r), jn_model_free(m);
}

/* Multistep methods keep the energy over many impacts: the end of one does not throw them back to order 1. */
static void multistep_methods_keep_the_energy(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        jn_setting settings[] = {{"run.integrator", k ? "bdf" : "adams"}, {"until", "0.2"}};
        jn_model *m;
        jn_result *r = run(settings, 2, &m);
        double residual = r->audit.max_energy_residual / r->audit.energy_scale;
        print_message("%s: energy off by %.1e, %ld steps\n", settings[0].value, residual, r->audit.steps);
        assert_true(r->audit.ok);
        assert_below(residual, 2e-6);
        jn_result_free(r), jn_model_free(m);
    }
}

/* One revolution of hard contact in all four joints: the audit, and how far the ram strays from the ideal mechanism. */
static void nonsmooth_revolution(void **state) {
    (void)state;
    jn_setting settings[] = {{"run.method", "nonsmooth"}, {"until", "2.0943951023931953"}, {"clearance", "0"}};
    jn_model *ideal_model, *m;
    jn_result *ideal = run(settings, 3, &ideal_model), *r = run(settings, 2, &m);
    int x = column(r, "body.ram.x"), xi = column(ideal, "body.ram.x");
    double stray = 0, low = INFINITY, high = -INFINITY, t_low = 0, t_high = 0, period = 2 * M_PI / 3;
    assert_int_equal(r->rows, ideal->rows);
    for (long k = 0; k < r->rows; k++) {
        const double *row = r->data + (size_t)k * (size_t)(r->channels + 1);
        stray = fmax(stray, fabs(row[x] - ideal->data[(size_t)k * (size_t)(ideal->channels + 1) + (size_t)xi]));
        if (row[x] < low) low = row[x], t_low = row[0];
        if (row[x] > high && row[0] > 1) high = row[x], t_high = row[0];
    }
    double ratio = (t_low - t_high + period) / (t_high - t_low);
    print_message("nonsmooth: ram strays %.2f mm, stroke %.5f m, time ratio %.4f, penetration %.1e m, energy %.1e, "
                  "driven %.4f J\n",
                  1e3 * stray, high - low, ratio, r->audit.max_penetration,
                  r->audit.max_energy_residual / r->audit.energy_scale, jn_result_at(r, "energy.driven", period));
    assert_below(stray, 5e-3); /* four clearances of 0.5 mm, two of them with the lever of the rocker */
    assert_near(high - low, 0.4, 4e-3);
    assert_near(ratio, 1.709952782, 0.1); /* the ram is slow where it turns */
    assert_below(r->audit.max_penetration, 5e-6); /* 5e-4 of the bearing; of second order in the step */
    assert_below(r->audit.max_position_violation, 1e-10);
    assert_below(r->audit.max_energy_residual, 1e-3 * r->audit.energy_scale);
    assert_int_equal(r->audit.unsolved, 0);
    jn_result_free(r), jn_model_free(m), jn_result_free(ideal), jn_model_free(ideal_model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonsmooth_revolution), cmocka_unit_test(ideal_stroke_and_time_ratio),
        cmocka_unit_test(play_is_shown_by_name), cmocka_unit_test(multistep_methods_keep_the_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
