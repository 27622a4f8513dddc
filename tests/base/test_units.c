/* Units, dimensions, suggestions, hashes, reports. */
#include "base/hash.h"
#include "base/suggest.h"
#include "base/units.h"

#include <jounce/base.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static const struct {
    const char *text;
    double factor;
    double e[JN_DIMS]; /* kg m s K A */
} rows[] = {
    {"m", 1, {0, 1}},
    {"mm", 1e-3, {0, 1}},
    {"um", 1e-6, {0, 1}},
    {"\xC2\xB5m", 1e-6, {0, 1}},
    {"km", 1e3, {0, 1}},
    {"g", 1e-3, {1}},
    {"kg", 1, {1}},
    {"t", 1000, {1}},
    {"us", 1e-6, {0, 0, 1}},
    {"ms", 1e-3, {0, 0, 1}},
    {"min", 60, {0, 0, 1}},
    {"h", 3600, {0, 0, 1}},
    {"N", 1, {1, 1, -2}},
    {"kN", 1e3, {1, 1, -2}},
    {"GPa", 1e9, {1, -1, -2}},
    {"bar", 1e5, {1, -1, -2}},
    {"deg", PI / 180, {0}},
    {"\xC2\xB0", PI / 180, {0}},
    {"rpm", PI / 30, {0, 0, -1}},
    {"Hz", 1, {0, 0, -1}},
    {"rad/s", 1, {0, 0, -1}},
    {"rev/min", PI / 30, {0, 0, -1}},
    {"N*s/m", 1, {1, 0, -1}},
    {"N / mm", 1e3, {1, 0, -2}},
    {"kg*m^2", 1, {1, 2}},
    {"kg*cm^2", 1e-4, {1, 2}},
    {"g/cm^3", 1e3, {1, -3}},
    {"N/m^1.5", 1, {1, -0.5, -2}},
    {"N/mm^1.5", 31622.776601683792, {1, -0.5, -2}},
    {"m/s^2", 1, {0, 1, -2}},
    {"m*s^-2", 1, {0, 1, -2}},
    {"1/s", 1, {0, 0, -1}},
    {"in", 0.0254, {0, 1}},
    {"V", 1, {1, 2, -3, 0, -1}},
    {"%", 0.01, {0}},
    {"K", 1, {0, 0, 0, 1}},
};

static void test_units(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jn_unit unit;
        assert_int_equal(jn_unit_parse(rows[i].text, &unit, NULL, NULL), strlen(rows[i].text));
        assert_true(fabs(unit.factor - rows[i].factor) <= 1e-15 * rows[i].factor);
        for (int k = 0; k < JN_DIMS; k++) {
            assert_true(fabs(unit.dimension.e[k] - rows[i].e[k]) < 1e-12);
        }
    }
}

static void test_wrong_units(void **state) {
    static const char *const wrong[] = {"x", "kgs", "mmm", "kdeg", "", "1", "1/x", "^2", "mkg", "m^x", "m^99"};
    jn_unit unit;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(jn_unit_parse(wrong[i], &unit, NULL, NULL), 0);
    }
    assert_int_equal(jn_unit_parse("N*length", &unit, NULL, NULL), 1);
    assert_int_equal(jn_unit_parse("m*min(1, 2)", &unit, NULL, NULL), 1);
    assert_int_equal(jn_unit_parse("m + 2", &unit, NULL, NULL), 1);
}

/* Decimal values come out as if the SI number had been written. */
static void test_exact(void **state) {
    jn_unit mm, us, g;
    (void)state;
    assert_true(jn_unit_find("mm", 2, &mm) && jn_unit_find("us", 2, &us) && jn_unit_find("g", 1, &g));
    for (int i = 1; i < 1000; i++) {
        assert_true(jn_unit_to_si(i, mm) == i / 1000.0);
        assert_true(jn_unit_to_si(i, us) == i / 1000000.0);
        assert_true(jn_unit_to_si(i, g) == i / 1000.0);
    }
}

static void test_dimension_names(void **state) {
    char text[80];
    (void)state;
    jn_dimension_text((jn_dimension){{0, 1}}, text, sizeof text);
    assert_string_equal(text, "a length (m)");
    jn_dimension_text((jn_dimension){{1, -0.5, -2}}, text, sizeof text);
    assert_string_equal(text, "a quantity in kg*m^-0.5*s^-2");
    jn_dimension_text((jn_dimension){{0}}, text, sizeof text);
    assert_string_equal(text, "a number or angle without dimension");
    jn_dimension_text((jn_dimension){{1, -0.5, -2, 3, 4}}, text, 20);
    assert_string_equal(text, "a quantity in kg*m^");
}

static void test_suggest(void **state) {
    jn_suggest s = jn_suggest_for("stifness");
    (void)state;
    jn_suggest_offer(&s, "damping");
    assert_null(s.best);
    jn_suggest_offer(&s, "stiffness");
    assert_string_equal(s.best, "stiffness");
    s = jn_suggest_for("spring"); /* three letters from bearing, and meant is the stiffness */
    jn_suggest_offer(&s, "bearing");
    assert_null(s.best);
    jn_suggest_offer(&s, "stiffness");
    assert_string_equal(s.best, "stiffness");
    s = jn_suggest_for("frict");
    jn_suggest_offer(&s, "friction");
    assert_string_equal(s.best, "friction");
    assert_int_equal(jn_edit_distance("abcd", "abdc"), 1);
    assert_int_equal(jn_edit_distance("", "abc"), 3);
    assert_int_equal(jn_edit_distance("Mass", "mass"), 0);
    assert_int_equal(jn_edit_distance("kitten", "sitting"), 3);
}

static void test_hash(void **state) {
    (void)state;
    assert_true(jn_hash_bytes(JN_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c)); /* published test vector */
    assert_true(jn_hash_bytes(JN_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void test_report(void **state) {
    static jn_report report;
    char text[200];
    (void)state;
    jn_report_clear(&report);
    assert_int_equal(jn_report_add(&report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){"a.yaml", 3, 4}, "joints.pin",
                                   "no body '%s'\nwrite '%s'", "rodd", "rod"),
                     JN_ERR_MODEL);
    jn_error_format(&report.item[0], text, sizeof text);
    assert_string_equal(text, "a.yaml:3:4: no body 'rodd' (write 'rod')");
    jn_error_format(&report.item[0], text, 10);
    assert_string_equal(text, "a.yaml:3:");
    assert_string_equal(report.item[0].path, "joints.pin");
    for (int i = 0; i < 100; i++) {
        jn_report_add(&report, JN_SEVERITY_WARNING, JN_OK, (jn_where){NULL, 0, 0}, NULL, "look");
    }
    assert_int_equal(report.count, JN_REPORT_CAPACITY);
    assert_int_equal(report.warnings, 100);
    assert_int_equal(report.errors, 1);
    jn_error_format(&report.item[1], text, sizeof text);
    assert_string_equal(text, "look");
    jn_report_add(&report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){NULL, 0, 0}, NULL, "wrong");
    assert_int_equal(report.count, JN_REPORT_CAPACITY); /* an error takes the place of a remark */
    assert_string_equal(report.item[JN_REPORT_CAPACITY - 1].text, "wrong");
    assert_int_equal(jn_report_add(NULL, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){"", 0, 0}, NULL, "x"), JN_ERR_IO);
    assert_string_equal(jn_status_text(JN_ERR_UNIT), "a unit or dimension is wrong");
    assert_string_equal(jn_status_text(77), "unknown status");
    assert_true(strlen(jn_version()) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),           cmocka_unit_test(test_wrong_units), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_dimension_names), cmocka_unit_test(test_suggest),     cmocka_unit_test(test_hash),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
