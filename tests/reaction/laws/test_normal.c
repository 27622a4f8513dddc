/* Normal laws: closed forms against integration, energy, derivatives, limits between laws, restitution. */
#include "check.h"
#include "impact_helpers.h"
#include "json_reader.h"
#include <jounce/jounce.h>
#include <string.h>

#define STIFFNESS 1e8

static jn_normal_parameters usual(double restitution) {
    jn_normal_parameters p = jn_normal_default();
    p.stiffness = STIFFNESS;
    p.restitution = restitution;
    p.mass = 0.7;
    return p;
}

static jn_normal_law law_of(const jn_normal_info *info, const jn_normal_parameters *p) {
    jn_report report = {0};
    jn_normal_law law;
    jn_normal_prepare(info, p, (jn_where){"", 0, 0}, &report, &law);
    check_report(&report);
    return law;
}

/* ---------------------------------------------------------------------------------------------- closed forms */

static void compare(const jn_normal_law *law, double m, double v0) {
    jn_collision c;
    assert_int_equal(jn_law_collision(law, m, v0, &c), JN_OK);
    impact i = impact_integrate(law, m, v0, 1e-12);
    double scale = 0.5 * m * v0 * v0;
    assert_near(i.compression / c.compression, 1, 1e-9);
    assert_near(i.duration / c.duration, 1, 1e-8);
    assert_near(i.release / c.release, 1, 1e-8);
    assert_near(i.max_depth / c.max_depth, 1, 1e-9);
    assert_near(i.max_force / c.max_force, 1, 1e-9);
    assert_near(i.restitution, c.restitution, 1e-9);
    if (v0 > law->speed_floor) assert_near(jn_law_output_restitution(law, m), c.restitution, 1e-13);
    assert_below(i.energy_error, 1e-9 * scale);
    assert_near(i.dissipated, scale * (1 - c.restitution * c.restitution), 1e-9 * scale);
    assert_near(i.loop, i.dissipated, 1e-9 * scale);
    assert_true(law->attraction || i.lowest_force >= 0);
}

static void every_law_has_its_closed_form(void **state) {
    (void)state;
    static const double c[] = {1, 0.9, 0.5, 0.2};
    for (int kind = 0; jn_normal_get_info(kind); kind++)
        for (int k = 0; k < 4; k++) {
            jn_normal_parameters p = usual(c[k]);
            jn_normal_law law = law_of(jn_normal_get_info(kind), &p);
            compare(&law, p.mass, 0.8);
            compare(&law, p.mass, 1e-4); /* below the floor of the impact speed */
            p.exact = true;
            law = law_of(jn_normal_get_info(kind), &p);
            compare(&law, p.mass, 3);
        }
}

static void every_exponent_has_its_closed_form(void **state) {
    (void)state;
    static const double n[] = {1, 1.08, 2, 3};
    for (int k = 0; k < 4; k++) {
        jn_normal_parameters p = usual(0.4);
        p.exponent = n[k];
        jn_normal_law law = law_of(jn_normal_find("flores"), &p);
        compare(&law, 2, 0.5);
    }
}

static void strong_damping_has_its_closed_form(void **state) {
    (void)state;
    static const double c[] = {0.1, 0.05, 0.02};
    for (int k = 0; k < 3; k++) {
        jn_normal_parameters p = usual(c[k]);
        jn_normal_law law = law_of(jn_normal_find("zhang_sharf"), &p);
        compare(&law, 1, 1);
        p.damping = 2 * sqrt(STIFFNESS) * (1 + 0.5 * (k - 1)); /* damping ratios 0.5, 1, 1.5 */
        p.restitution = NAN;
        law = law_of(jn_normal_find("kelvin_voigt"), &p);
        compare(&law, 1, 1);
    }
}

static void attraction_has_its_closed_form(void **state) {
    (void)state;
    static const char *const names[] = {"kelvin_voigt", "anagnostopoulos", "hunt_crossley"};
    for (int k = 0; k < 3; k++) {
        jn_normal_parameters p = usual(0.3);
        p.attraction = true;
        jn_normal_law law = law_of(jn_normal_find(names[k]), &p);
        compare(&law, p.mass, 0.8);
    }
}

/* Hertz without damping: t = 2.943275 d/v, d = (5 m v^2/(4 K))^(2/5). */
static void hertz_has_the_textbook_duration(void **state) {
    (void)state;
    jn_normal_parameters p = usual(NAN);
    jn_normal_law law = law_of(jn_normal_find("hertz"), &p);
    jn_collision c;
    double m = 0.3, v = 2, d = pow(1.25 * m * v * v / STIFFNESS, 0.4);
    double beta = 0.8 * exp(lgamma(0.4) + lgamma(0.5) - lgamma(0.9)); /* 4/5 B(2/5, 1/2) */
    jn_law_collision(&law, m, v, &c);
    assert_near(c.max_depth / d, 1, 1e-14);
    assert_near(c.duration * v / d, beta, 1e-12);
    assert_near(c.max_force, STIFFNESS * pow(d, 1.5), 1e-9);
}

static void cylinders_have_their_closed_form(void **state) {
    (void)state;
    double compliance = jn_contact_compliance(207e9, 0.3, 207e9, 0.3);
    for (int kind = JN_ELASTIC_JOHNSON; kind <= JN_ELASTIC_ESDU; kind++)
        for (int hollow = 0; hollow < 2; hollow++) {
            jn_normal_parameters p = usual(0.6);
            double other = hollow ? -0.0105 : 0.02;
            assert_int_equal(jn_elastic_cylinder((jn_elastic_kind)kind, compliance, 0.01, other, 0.02, &p.elastic),
                             JN_OK);
            jn_normal_law law = law_of(jn_normal_find("flores"), &p);
            jn_collision c;
            jn_law_collision(&law, 0.1, 0.5, &c);
            impact i = impact_integrate(&law, 0.1, 0.5, 1e-11);
            assert_true(c.max_depth < p.elastic.limit);
            assert_near(i.duration / c.duration, 1, 1e-7);
            assert_near(i.max_depth / c.max_depth, 1, 1e-8);
            assert_near(i.max_force / c.max_force, 1, 1e-8);
            assert_near(i.restitution, jn_law_output_restitution(&law, 0.1), 1e-8);
        }
}

/* ------------------------------------------------------------------------------------------------- restitution */

static void exact_damping_returns_the_restitution(void **state) {
    (void)state;
    double worst = 0;
    for (double e = 0.01; e <= 1.0000001; e += 0.005) {
        double chi = jn_chi_from_restitution(e);
        worst = fmax(worst, fabs(jn_restitution_from_chi(chi) - e));
        if (e < 0.999 && chi * e < 0.999) /* the relation as it is written */
            worst = fmax(worst, 1e-3 * fabs(log((1 + chi) / (1 - chi * e)) / chi - 1 - e));
    }
    assert_below(worst, 1e-13);
    assert_near(jn_chi_from_restitution(1 - 1e-6) / 1.5e-6, 1, 1e-5);
    assert_true(jn_chi_from_restitution(0) == INFINITY);
    assert_true(jn_chi_from_restitution(1) == 0);
    for (int kind = 0; jn_normal_get_info(kind); kind++) {
        const jn_normal_info *info = jn_normal_get_info(kind);
        for (double e = 0.01; e <= 1 && (info->chi || info->damping); e += 0.03) {
            jn_normal_parameters p = usual(e);
            p.exact = true;
            jn_normal_law law = law_of(jn_normal_get_info(kind), &p);
            assert_near(jn_law_output_restitution(&law, p.mass), e, 1e-10);
            if (!info->damping) continue;
            p.attraction = true;
            law = law_of(jn_normal_get_info(kind), &p);
            assert_near(jn_law_output_restitution(&law, p.mass), e, 1e-10);
        }
    }
}

static void errata_numbers(void **state) {
    (void)state;
    assert_near(jn_restitution_from_chi(1.5 * 0.5), 0.662962, 5e-7);
    assert_near(jn_restitution_from_chi(0.75 * 0.75), 0.725241, 5e-7);
}

static void published_restitutions(void **state) {
    (void)state;
    json *file = json_read(JN_SOURCE_DIR "/../shared/reference/cases_000.json");
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        return;
    }
    static const char *const names[] = {"HuntCrossley(42)", "LankaraniNikravesh(43)", "Flores(44)"};
    static const char *const ours[] = {"hunt_crossley", "lankarani_nikravesh", "flores"};
    int count = 0;
    for (const json *c = json_get(file, "cases")->first; c; c = c->next) {
        if (strcmp(json_text(json_get(c, "id"), ""), "force_effective_restitution")) continue;
        for (int k = 0; k < 3; k++)
            for (const json *row = json_get(json_get(c, "expected"), names[k])->first; row; row = row->next, count++) {
                jn_normal_parameters p = usual(json_number(json_get(row, "c_r"), NAN));
                jn_normal_law law = law_of(jn_normal_find(ours[k]), &p);
                assert_near(jn_law_output_restitution(&law, 1), json_number(json_get(row, "e_effective"), NAN), 1e-12);
            }
    }
    json_free(file);
    assert_int_equal(count, 27);
}

/* ------------------------------------------------------------------------------------------ one evaluation */

static void derivatives_are_differences(void **state) {
    (void)state;
    for (int kind = 0; jn_normal_get_info(kind); kind++)
        for (int k = 0; k < 40; k++) {
            jn_normal_parameters p = usual(0.6);
            jn_normal_law law = law_of(jn_normal_get_info(kind), &p);
            double d = 1e-5 * (1 + k), rate = 0.31 * (k % 7 - 3), h = 1e-5;
            jn_normal_force f, a, b;
            jn_normal_eval(&law, d, rate, 1, &f);
            jn_normal_eval(&law, d * (1 + h), rate, 1, &a);
            jn_normal_eval(&law, d * (1 - h), rate, 1, &b);
            assert_near((a.f - b.f) / (2 * h * d), f.f_depth, 1e-7 * (fabs(f.f_depth) + 1));
            assert_near((a.energy - b.energy) / (2 * h * d), f.elastic, 1e-8 * f.elastic);
            jn_normal_eval(&law, d, rate + h, 1, &a);
            jn_normal_eval(&law, d, rate - h, 1, &b);
            assert_near((a.f - b.f) / (2 * h), f.f_rate, 1e-7 * (fabs(f.f_rate) + 1));
            assert_near(f.dissipation, (f.f - f.elastic) * rate, 1e-12 * (1 + f.dissipation));
            assert_true(f.f >= 0 && f.dissipation >= 0);
        }
}

static void forces_never_attract_unless_asked(void **state) {
    (void)state;
    for (int kind = 0; jn_normal_get_info(kind); kind++) {
        const jn_normal_info *info = jn_normal_get_info(kind);
        jn_normal_parameters p = usual(0.5);
        jn_normal_law law = law_of(jn_normal_get_info(kind), &p);
        jn_normal_force f;
        jn_normal_eval(&law, 1e-6, -100, 1, &f);
        assert_true(f.f >= 0);
        jn_normal_eval(&law, -1e-6, 1, 1, &f);
        assert_true(f.f == 0 && f.energy == 0);
        p.attraction = true;
        law = law_of(jn_normal_get_info(kind), &p);
        jn_normal_eval(&law, 1e-6, -100, 1, &f);
        if (info->chi || info->damping) assert_true(f.f < 0);
        double before = 0; /* rises with depth and with the rate of approach */
        for (int k = 1; k < 50; k++) {
            jn_normal_eval(&law, 1e-5 * k, 0.02 * k, 1, &f);
            assert_true(f.f > before);
            before = f.f;
        }
    }
}

static void laws_meet_in_their_limits(void **state) {
    (void)state;
    jn_normal_parameters elastic = usual(1), plain = usual(NAN);
    jn_normal_law hertz = law_of(jn_normal_find("hertz"), &plain), hooke = law_of(jn_normal_find("hooke"), &plain);
    jn_normal_force a, b;
    for (int kind = 0; jn_normal_get_info(kind); kind++) {
        const jn_normal_info *info = jn_normal_get_info(kind);
        jn_normal_law law = law_of(jn_normal_get_info(kind), &elastic);
        jn_normal_eval(&law, 1e-4, -0.3, 1, &a);
        jn_normal_eval(info->linear ? &hooke : &hertz, 1e-4, -0.3, 1, &b);
        assert_near(a.f, b.f, 1e-9 * b.f);
    }
    plain.damping = 0;
    jn_normal_law damper = law_of(jn_normal_find("kelvin_voigt"), &plain);
    jn_normal_eval(&damper, 1e-4, -0.3, 1, &a);
    jn_normal_eval(&hooke, 1e-4, -0.3, 1, &b);
    assert_true(a.f == b.f && a.energy == b.energy);
}

/* --------------------------------------------------------------------------------------------------- messages */

static void bad_parameters_are_explained(void **state) {
    (void)state;
    jn_report report = {0};
    jn_normal_law law;
    jn_where where = {"m.yaml", 3, 5};
    jn_normal_parameters p = jn_normal_default();
    assert_true(jn_normal_prepare(jn_normal_find("hertz"), &p, where, &report, &law) < 0);
    assert_non_null(strstr(report.item[0].text, "needs stiffness"));
    assert_non_null(strstr(report.item[0].hint, "N/m^n"));
    p.stiffness = INFINITY;
    assert_true(jn_normal_prepare(jn_normal_find("hertz"), &p, where, &report, &law) < 0);
    p = usual(1.5);
    assert_true(jn_normal_prepare(jn_normal_find("flores"), &p, where, &report, &law) < 0);
    p = usual(0);
    assert_true(jn_normal_prepare(jn_normal_find("flores"), &p, where, &report, &law) < 0);
    assert_true(jn_normal_prepare(jn_normal_find("hunt_crossley"), &p, where, &report, &law) == 0);
    p.exact = true;
    assert_true(jn_normal_prepare(jn_normal_find("hunt_crossley"), &p, where, &report, &law) < 0);
    p = usual(0.5);
    p.mass = NAN;
    assert_true(jn_normal_prepare(jn_normal_find("kelvin_voigt"), &p, where, &report, &law) < 0);
    assert_int_equal(report.errors, 6);
    for (int i = 0; i < report.count; i++) assert_true(report.item[i].hint[0] != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_has_its_closed_form),
                                       cmocka_unit_test(every_exponent_has_its_closed_form),
                                       cmocka_unit_test(strong_damping_has_its_closed_form),
                                       cmocka_unit_test(hertz_has_the_textbook_duration),
                                       cmocka_unit_test(attraction_has_its_closed_form),
                                       cmocka_unit_test(cylinders_have_their_closed_form),
                                       cmocka_unit_test(exact_damping_returns_the_restitution),
                                       cmocka_unit_test(errata_numbers),
                                       cmocka_unit_test(published_restitutions),
                                       cmocka_unit_test(derivatives_are_differences),
                                       cmocka_unit_test(forces_never_attract_unless_asked),
                                       cmocka_unit_test(laws_meet_in_their_limits),
                                       cmocka_unit_test(bad_parameters_are_explained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
