/* Stiffness from materials and radii; line contact of cylinders. */
#include "check.h"
#include "json_reader.h"
#include <jounce/jounce.h>
#include <string.h>

static const double steel = 207e9, nu = 0.3;

static void published_stiffness(void **state) {
    (void)state;
    json *file = json_read(JN_SOURCE_DIR "/../shared/reference/cases_000.json");
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        return;
    }
    double s = jn_contact_compliance(steel, nu, steel, nu), foot = jn_contact_compliance(5e6, 0.49, 30e9, 0.2);
    const double K[] = {jn_hertz_stiffness(s, 0.01, 0.02), jn_hertz_stiffness(foot, 0.02, INFINITY),
                        jn_hertz_stiffness(s, 0.01, -0.012)};
    int count = 0;
    for (const json *c = json_get(file, "cases")->first; c; c = c->next) {
        if (strcmp(json_text(json_get(c, "id"), ""), "hertz_K")) continue;
        for (const json *row = json_get(c, "expected")->first; row && count < 3; row = row->next, count++) {
            double expected = json_number(json_get(row, "K"), NAN);
            assert_near(K[count], expected, 1e-13 * expected);
        }
    }
    json_free(file);
    assert_int_equal(count, 3);
}

/* Journal of 9.5 mm in a bearing of 10 mm: 6.6102e10 N/m^1.5. */
static void quick_return_bearing(void **state) {
    (void)state;
    assert_near(jn_hertz_stiffness(jn_contact_compliance(steel, nu, steel, nu), 0.0095, -0.01), 6.6102e10, 5e5);
}

static void conforming_surfaces_have_no_stiffness(void **state) {
    (void)state;
    assert_true(isnan(jn_hertz_stiffness(1e-11, 0.01, -0.01)));
    assert_true(isnan(jn_hertz_stiffness(1e-11, 0.01, -0.009)));
    assert_true(isnan(jn_hertz_stiffness(1e-11, INFINITY, INFINITY)));
    assert_true(isnan(jn_hertz_stiffness(1e-11, 0, 0.01)));
    jn_elastic e;
    assert_true(jn_elastic_cylinder(JN_ELASTIC_JOHNSON, 1e-11, 0.01, -0.01, 0.1, &e) < 0);
    assert_true(jn_elastic_cylinder(JN_ELASTIC_JOHNSON, 1e-11, 0.01, INFINITY, 0.1, &e) < 0);
}

/* Surfaces with two radii: spheres in the limit; crossed equal cylinders act like a sphere on a plane; cylinders
 * crossed at 45 degrees from the integrals of the potential of the ellipse, with 30 digits (b/a = 0.313439). */
static void elliptic_contact(void **state) {
    (void)state;
    double s = 1e-11, sphere_i[2] = {50, 50}, sphere_j[2] = {100, 100}, cylinder[2] = {50, 0};
    double K = jn_hertz_stiffness(s, 0.02, 0.01);
    assert_near(jn_hertz_stiffness_elliptic(s, sphere_i, sphere_j, 0.4) / K, 1, 1e-12);
    double plane = jn_hertz_stiffness(s, 0.02, INFINITY), right = acos(-1) / 2;
    assert_near(jn_hertz_stiffness_elliptic(s, cylinder, cylinder, right) / plane, 1, 1e-10);
    assert_true(isnan(jn_hertz_stiffness_elliptic(s, cylinder, cylinder, 0)));
    assert_near(jn_hertz_stiffness_elliptic(s, cylinder, cylinder, right / 2) / 23862876140.563714, 1, 1e-13);
    double before = plane; /* continuous, and smooth from the series to the integrals */
    for (int k = 1; k <= 80; k++) {
        double now = jn_hertz_stiffness_elliptic(s, cylinder, cylinder, right * (1 - 0.01 * k));
        assert_true(now > before && now < 1.2 * before);
        before = now;
    }
}

static void line_contact_solves_its_equation(void **state) {
    (void)state;
    double s = jn_contact_compliance(steel, nu, steel, nu), length = 0.03, pi = acos(-1);
    for (int kind = JN_ELASTIC_JOHNSON; kind <= JN_ELASTIC_ESDU; kind++)
        for (int hollow = 0; hollow < 2; hollow++) {
            jn_elastic e;
            double dR = hollow ? 0.0005 : 0.0195, other = hollow ? -0.01 : 0.01, before = 0;
            assert_int_equal(jn_elastic_cylinder((jn_elastic_kind)kind, s, 0.0095, other, length, &e), JN_OK);
            for (int k = 0; k < 60; k++) {
                double d = 1e-12 * exp(0.35 * k), h = 1e-5 * d;
                jn_elastic_value v = jn_elastic_eval(&e, d), a = jn_elastic_eval(&e, d + h),
                                 b = jn_elastic_eval(&e, d - h);
                double q = v.f / length * s / pi, l = log(4 * dR / q);
                if (d < e.limit) assert_near(q * (kind == JN_ELASTIC_JOHNSON ? l - 1 : l + 1) / d, 1, 1e-12);
                if (fabs(d - e.limit) > 2 * h) assert_near((a.f - b.f) / (2 * h) / v.slope, 1, 1e-6);
                assert_near((a.energy - b.energy) / (2 * h) / v.f, 1, 1e-7);
                assert_true(v.f > before);
                assert_near(jn_elastic_depth(&e, v.energy) / d, 1, 1e-12);
                before = v.f;
            }
            assert_near(e.limit / dR, kind == JN_ELASTIC_JOHNSON ? 0.9 * 4 * exp(-2) : 3.6, 1e-12);
        }
}

static void power_law(void **state) {
    (void)state;
    static const double n[] = {1, 1.5, 2.2};
    for (int k = 0; k < 3; k++) {
        jn_elastic e = jn_elastic_power(3e7, n[k]);
        jn_elastic_value v = jn_elastic_eval(&e, 2e-4);
        assert_near(v.f, 3e7 * pow(2e-4, n[k]), 1e-12 * v.f);
        assert_near(v.energy, 3e7 * pow(2e-4, n[k] + 1) / (n[k] + 1), 1e-12 * v.energy);
        assert_near(jn_elastic_depth(&e, v.energy), 2e-4, 1e-17);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_stiffness),
                                       cmocka_unit_test(quick_return_bearing),
                                       cmocka_unit_test(conforming_surfaces_have_no_stiffness),
                                       cmocka_unit_test(elliptic_contact),
                                       cmocka_unit_test(line_contact_solves_its_equation),
                                       cmocka_unit_test(power_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
