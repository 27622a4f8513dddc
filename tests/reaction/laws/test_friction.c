/* Friction laws: published points, symmetry, bounds, dissipation, derivatives, bristles, rolling and spinning. */
#include "check.h"
#include "json_reader.h"
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>

static jn_friction_parameters usual(void) {
    jn_friction_parameters p = jn_friction_default();
    p.dynamic = 0.7;
    p.stick = 0.8;
    p.v0 = 0.01;
    p.v1 = 0.03;
    p.xi = 20;
    p.stribeck = 0.02;
    p.sigma2 = 0;
    return p;
}

static jn_friction_law law_of(const jn_friction_info *info, const jn_friction_parameters *p) {
    jn_report report = {0};
    jn_friction_law law;
    jn_friction_prepare(info, p, (jn_where){"", 0, 0}, &report, &law);
    check_report(&report);
    return law;
}

static bool is(const jn_friction_law *law, const char *name) { return !strcmp(law->info->name, name); }
static double size(const double *f) { return hypot(f[0], f[1]); }

static void published_points(void **state) {
    (void)state;
    json *file = json_read(JN_SOURCE_DIR "/../shared/reference/cases_000.json");
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        return;
    }
    static const char *const names[] = {"threlfall", "bengisu_akay", "ambrosio"};
    int count = 0;
    for (const json *c = json_get(file, "cases")->first; c; c = c->next) {
        if (strcmp(json_text(json_get(c, "id"), ""), "friction_points")) continue;
        const json *e = json_get(c, "expected");
        jn_friction_parameters p = usual();
        p.stick = json_number(json_get(e, "mu_s"), NAN);
        p.dynamic = json_number(json_get(e, "mu_k"), NAN);
        p.v0 = json_number(json_get(e, "v0"), NAN);
        p.v1 = json_number(json_get(e, "v1"), NAN);
        p.xi = json_number(json_get(e, "xi"), NAN);
        for (const json *row = json_get(e, "values")->first; row; row = row->next)
            for (int k = 0; k < 3; k++, count++) {
                jn_friction_law law = law_of(jn_friction_find(names[k]), &p);
                double v = json_number(json_get(row, "vt"), NAN),
                       expected = json_number(json_get(row, law.info->name), NAN);
                double slip[2] = {0.6 * v, -0.8 * v}; /* any direction */
                jn_friction_force f;
                jn_friction_eval(&law, json_number(json_get(e, "fn"), NAN), slip, NULL, NULL, &f);
                assert_near(size(f.f), expected, 4e-13 * expected + 1e-14);
                assert_near(f.f[0], -0.6 * expected, 4e-13 * expected + 1e-14);
                assert_near(f.f[1], 0.8 * expected, 4e-13 * expected + 1e-14);
            }
    }
    json_free(file);
    assert_int_equal(count, 21);
}

/* Threlfall's printed law and Karnopp's stick band jump at v0; the others do not. */
static void jumps_are_known(void **state) {
    (void)state;
    jn_friction_parameters p = usual();
    for (int i = 0; jn_friction_get_info(i); i++) {
        jn_friction_law law = law_of(jn_friction_get_info(i), &p);
        double jump = jn_friction_steady(&law, 0.01 * (1 + 1e-12)) - jn_friction_steady(&law, 0.01 * (1 - 1e-12));
        double known = is(&law, "threlfall") ? 0.7 * (0.95 - (1 - exp(-3))) : is(&law, "karnopp") ? -0.1 : 0;
        assert_near(jump, known, 1e-10);
    }
    assert_near(1 - exp(-3), 0.950213, 5e-7);
}

static void laws_without_states_are_odd_bounded_and_dissipate(void **state) {
    (void)state;
    jn_friction_parameters p = usual();
    for (int i = 0; jn_friction_get_info(i); i++) {
        jn_friction_law law = law_of(jn_friction_get_info(i), &p);
        if (law.info->states) continue;
        for (int k = -400; k <= 400; k++) {
            double s = 1e-9 * exp(0.06 * abs(k)) * (k < 0 ? -1 : k > 0), v[2] = {s, 0.5 * s}, back[2] = {-s, -0.5 * s};
            jn_friction_force f, g;
            jn_friction_eval(&law, 5, v, NULL, NULL, &f);
            jn_friction_eval(&law, 5, back, NULL, NULL, &g);
            assert_true(f.f[0] == -g.f[0] && f.f[1] == -g.f[1]);
            assert_true(size(f.f) <= 5 * 0.8 * (1 + 1e-15));
            assert_true(f.dissipation >= 0);
            assert_near(f.dissipation, -f.f[0] * v[0] - f.f[1] * v[1], 1e-14 * (1 + f.dissipation));
            if (k == 0) assert_true(f.f[0] == 0 && f.f[1] == 0);
        }
    }
}

static void derivatives_are_differences(void **state) {
    (void)state;
    jn_friction_parameters p = usual();
    p.sigma2 = 0.3;
    for (int which = 0; jn_friction_get_info(which); which++) {
        jn_friction_law law = law_of(jn_friction_get_info(which), &p);
        for (int k = 0; k < 30; k++) {
            double s = 1e-4 * exp(0.3 * k), v[2] = {s * cos(k), s * sin(k)},
                   z[3] = {3e-5 * sin(3 * k), 4e-5 * cos(k), 0.3};
            jn_friction_force f, a, b;
            jn_friction_eval(&law, 5, v, z, NULL, &f);
            for (int j = 0; j < 2; j++) {
                double h = 1e-6 * s, at = v[j];
                v[j] = at + h;
                jn_friction_eval(&law, 5, v, z, NULL, &a);
                v[j] = at - h;
                jn_friction_eval(&law, 5, v, z, NULL, &b);
                v[j] = at;
                for (int i = 0; i < 2; i++) assert_near((a.f[i] - b.f[i]) / (2 * h), f.f_v[i][j], 1e-6 * (5 / s));
                for (int i = 0; i < law.info->states; i++)
                    assert_near((a.rate[i] - b.rate[i]) / (2 * h), f.rate_v[i][j], 1e-6 * (1 + fabs(f.rate[i]) / s));
            }
            for (int j = 0; j < law.info->states; j++) {
                double h = j < 2 ? 1e-9 : 1e-5, at = z[j];
                z[j] = at + h;
                jn_friction_eval(&law, 5, v, z, NULL, &a);
                z[j] = at - h;
                jn_friction_eval(&law, 5, v, z, NULL, &b);
                z[j] = at;
                for (int i = 0; i < 2; i++)
                    assert_near((a.f[i] - b.f[i]) / (2 * h), f.f_z[i][j], 1e-5 * (1 + fabs(f.f_z[i][j])));
                for (int i = 0; i < law.info->states; i++)
                    assert_near((a.rate[i] - b.rate[i]) / (2 * h), f.rate_z[i][j], 1e-5 * (1 + fabs(f.rate_z[i][j])));
            }
            jn_friction_eval(&law, 5.5, v, z, NULL, &a);
            for (int i = 0; i < 2; i++) assert_near((a.f[i] - f.f[i]) / 0.5, f.f_load[i], 1e-12);
        }
    }
}

static void slope_at_rest_is_the_derivative(void **state) {
    (void)state;
    jn_friction_parameters p = usual();
    for (int i = 0; jn_friction_get_info(i); i++) {
        jn_friction_law law = law_of(jn_friction_get_info(i), &p);
        if (law.info->force) continue; /* no function of slip alone */
        double v[2] = {0, 0}, w[2] = {0, 1e-9};
        jn_friction_force f, a;
        jn_friction_eval(&law, 5, v, NULL, NULL, &f);
        jn_friction_eval(&law, 5, w, NULL, NULL, &a);
        assert_near(a.f[1] / 1e-9, f.f_v[1][1], 1e-5 * fabs(f.f_v[1][1]));
        assert_near(f.f_v[0][0], f.f_v[1][1], 0);
    }
}

static void karnopp_balances_the_applied_force(void **state) {
    (void)state;
    jn_friction_parameters p = usual();
    jn_friction_law law = law_of(jn_friction_find("karnopp"), &p);
    double v[2] = {0.001, 0}, small[2] = {1, -2}, large[2] = {30, -40};
    jn_friction_force f;
    jn_friction_eval(&law, 10, v, NULL, small, &f);
    assert_near(f.f[0], -1, 1e-15);
    assert_near(f.f[1], 2, 1e-15);
    jn_friction_eval(&law, 10, v, NULL, large, &f);
    assert_near(size(f.f), 8, 1e-14);
    v[0] = 0.02;
    jn_friction_eval(&law, 10, v, NULL, small, &f);
    assert_near(f.f[0], -7, 1e-14);
}

/* ----------------------------------------------------------------------------------------------------- bristles */

static double stribeck(double v) { return 0.7 + 0.1 * exp(-v * v / (0.02 * 0.02)); }

/* Classical Runge-Kutta of the states at a slip v(t) along a direction; returns the friction work per unit load. */
static double follow(const jn_friction_law *law, double amplitude, double omega, double v0, double until, int steps,
                     double *z, jn_friction_force *last, double *lowest_loss) {
    double h = until / steps, work = 0, k[4][3], y[3];
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    for (int n = 0; n < steps; n++) {
        for (int s = 0; s < 4; s++) {
            double t = (n + at[s]) * h, u = v0 + amplitude * omega * cos(omega * t), v[2] = {0.6 * u, 0.8 * u};
            for (int i = 0; i < 3; i++) y[i] = z[i] + (s ? at[s] * h * k[s - 1][i] : 0);
            jn_friction_eval(law, 1, v, y, NULL, last);
            for (int i = 0; i < 3; i++) k[s][i] = last->rate[i];
            work -= weight[s] * h * (last->f[0] * v[0] + last->f[1] * v[1]);
            *lowest_loss = fmin(*lowest_loss, last->dissipation);
        }
        for (int i = 0; i < 3; i++)
            for (int s = 0; s < 4; s++) z[i] += weight[s] * h * k[s][i];
    }
    return work;
}

static void steady_slip_is_on_the_stribeck_curve(void **state) {
    (void)state;
    static const double speeds[] = {0.002, 0.01, 0.02, 0.05, 0.3};
    jn_friction_parameters p = usual();
    for (int i = 0; jn_friction_get_info(i); i++)
        for (int k = 0; k < 5 && jn_friction_get_info(i)->states; k++) {
            jn_friction_law law = law_of(jn_friction_get_info(i), &p);
            bool slow = is(&law, "gonthier");
            double z[3] = {0}, lowest = 0, v = speeds[k], expected = is(&law, "dahl") ? 0.7 : stribeck(v);
            jn_friction_force f;
            follow(&law, 0, 0, v, slow ? 2 : 0.02 / v, 40000, z, &f, &lowest);
            assert_near(size(f.f), expected, 1e-6);
            assert_near(jn_friction_steady(&law, v), expected, 1e-9);
            assert_near(f.f[0] / size(f.f), -0.6, 1e-9);
            if (!slow) assert_true(lowest > -1e-12);
        }
}

/* Cyclic slip: the loop of force over displacement has a positive area, small for small slip, where bristles are
 * springs, and 4 mu x for large slip. */
static void loops_lose_energy(void **state) {
    (void)state;
    jn_friction_parameters p = usual();
    p.stick = 0.7;
    p.sigma1 = 1;
    for (int i = 0; jn_friction_get_info(i); i++) {
        jn_friction_law law = law_of(jn_friction_get_info(i), &p);
        if (!law.info->states) continue;
        double tau = 2 * acos(-1), lowest = 0, z[3] = {0};
        jn_friction_force f;
        follow(&law, 1e-6, tau, 0, 1, 20000, z, &f, &lowest);
        double small = follow(&law, 1e-6, tau, 0, 1, 20000, z, &f, &lowest);
        assert_true(small > 0 && small < 0.1 * 4 * 0.7 * 1e-6);
        follow(&law, 1e-2, tau, 0, 1, 100000, z, &f, &lowest);
        double large = follow(&law, 1e-2, tau, 0, 1, 100000, z, &f, &lowest);
        assert_true(large > 0.95 * 4 * 0.7 * 1e-2 && large < 1.02 * 4 * 0.7 * 1e-2);
    }
}

/* -------------------------------------------------------------------------------------- rolling and spinning */

static void rolling_and_spinning(void **state) {
    (void)state;
    jn_resistance_parameters p = jn_resistance_default();
    jn_report report = {0};
    p.rolling = 1e-3;
    p.spinning = 2e-3;
    assert_int_equal(jn_resistance_check(&p, (jn_where){"", 0, 0}, &report), JN_OK);
    double w[3] = {3, -4, -2};
    jn_resistance_torque t, a, b;
    jn_resistance_eval(&p, 100, w, &t);
    assert_near(t.m[0], -0.06, 1e-12);
    assert_near(t.m[1], 0.08, 1e-12);
    assert_near(t.m[2], 0.2, 1e-12);
    assert_near(t.dissipation, 0.5 + 0.4, 1e-12);
    w[0] = 0.003, w[1] = 0.001, w[2] = -0.004;
    jn_resistance_eval(&p, 100, w, &t);
    for (int j = 0; j < 3; j++) {
        double h = 1e-8, at = w[j];
        w[j] = at + h;
        jn_resistance_eval(&p, 100, w, &a);
        w[j] = at - h;
        jn_resistance_eval(&p, 100, w, &b);
        w[j] = at;
        for (int i = 0; i < 3; i++) assert_near((a.m[i] - b.m[i]) / (2 * h), t.m_w[i][j], 1e-6);
    }
    p.rolling = -1;
    assert_true(jn_resistance_check(&p, (jn_where){"", 0, 0}, &report) < 0);
}

static void bad_parameters_are_explained(void **state) {
    (void)state;
    jn_report report = {0};
    jn_friction_law law;
    jn_where where = {"m.yaml", 3, 5};
    jn_friction_parameters p = jn_friction_default();
    assert_true(jn_friction_prepare(jn_friction_find("lugre"), &p, where, &report, &law) < 0);
    p.dynamic = 0;
    assert_true(jn_friction_prepare(jn_friction_find("lugre"), &p, where, &report, &law) < 0);
    assert_int_equal(jn_friction_prepare(jn_friction_find("coulomb"), &p, where, &report, &law), JN_OK);
    p.dynamic = 0.5;
    p.stick = 0.4;
    assert_true(jn_friction_prepare(jn_friction_find("bengisu_akay"), &p, where, &report, &law) < 0);
    p.stick = NAN;
    p.v0 = 0.1;
    p.v1 = 0.05;
    assert_true(jn_friction_prepare(jn_friction_find("ambrosio"), &p, where, &report, &law) < 0);
    for (int i = 0; i < report.count; i++) assert_true(report.item[i].hint[0] != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_points),
                                       cmocka_unit_test(jumps_are_known),
                                       cmocka_unit_test(laws_without_states_are_odd_bounded_and_dissipate),
                                       cmocka_unit_test(derivatives_are_differences),
                                       cmocka_unit_test(slope_at_rest_is_the_derivative),
                                       cmocka_unit_test(karnopp_balances_the_applied_force),
                                       cmocka_unit_test(steady_slip_is_on_the_stribeck_curve),
                                       cmocka_unit_test(loops_lose_energy),
                                       cmocka_unit_test(rolling_and_spinning),
                                       cmocka_unit_test(bad_parameters_are_explained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
