/* Expressions: values, precedence, dimensions, and derivatives against closed forms and against differences. */
#include "base/expression.h"
#include "base/program.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static jn_store *store;
static double spline_ydd[5];
static const double knots[5] = {0, 1, 2, 3.5, 5}, heights[5] = {0, 1, 8, 42.875, 125}; /* x^3 */
static const jn_table tables[1] = {{"cube", 5, knots, heights, spline_ydd, false}};

static jn_symbol_kind find(void *context, const char *name, bool table, jn_symbol *symbol) {
    (void)context;
    symbol->type.kind = JN_KIND_LOOSE;
    if (table) {
        return strcmp(name, "cube") == 0 ? JN_SYMBOL_TABLE : JN_SYMBOL_NONE;
    }
    if (strlen(name) == 1 && strchr("txv", name[0])) {
        symbol->index = name[0] == 't' ? JN_VAR_T : name[0] == 'x' ? JN_VAR_X : JN_VAR_V;
        return JN_SYMBOL_VARIABLE;
    }
    if (strcmp(name, "len") == 0) {
        symbol->value = 0.25;
        symbol->type = (jn_type){JN_KIND_TYPED, {{0, 1}}};
        return JN_SYMBOL_CONSTANT;
    }
    if (strcmp(name, "two") == 0) {
        symbol->value = 2;
        return JN_SYMBOL_CONSTANT;
    }
    return JN_SYMBOL_NONE;
}

static const jn_scope scope = {NULL, find, NULL};

static jn_expression compile(const char *text) {
    jn_expression e;
    jn_fault fault;
    if (!jn_expression_compile(text, &scope, store, &e, &fault)) {
        fail_msg("'%s': %s", text, fault.text);
    }
    return e;
}

static void test_values(void **state) {
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"2*-3", -6},
        {"10 - 4 - 3", 3},
        {"100/10/5", 2},
        {"1 < 2 && 2 <= 2 || 0", 1},
        {"!(3 > 4)", 1},
        {"1 != 1", 0},
        {"2 + 3 == 5", 1},
        {".5 + 5.", 5.5},
        {"1e3", 1000},
        {"1E-3", 0.001},
        {"153 mm", 0.153},
        {"0.5*10 mm + 2 cm", 0.025},
        {"30 deg", PI / 6},
        {"150 rpm", 150 * PI / 30},
        {"2 N*s/m", 2},
        {"10 1/s", 10},
        {"2 m*two", 4},
        {"2 m*min(3, 4)", 6},
        {"pi", PI},
        {"atan2(1, -1)", 3 * PI / 4},
        {"min(3, 1, 2) + max(3, 1, 2)", 4},
        {"mod(-1, 3)", 2},
        {"floor(-1.5)", -2},
        {"sign(-3) + heaviside(0)", 0},
        {"hypot(3, 4) + pow(2, 3)", 13},
        {"step(0.5, 0, 0, 1, 2)", 1},
        {"step(-1, 0, 3, 1, 2)", 3},
        {"ramp(0.25, 0, 0, 1, 2)", 0.5},
        {"ramp(7, 0, 0, 1, 2)", 2},
        {"if(1 < 2, 3, 4) + 1", 4},
        {"if(0, 1/0, 4)", 4},
        {"log10(1000) + log(exp(2)) + sqrt(16)", 9},
        {"sinh(0) + cosh(0) + tanh(0) + asin(0) + acos(1) + atan(0) + tan(0) + abs(-2)", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jn_expression e = compile(rows[i].text);
        assert_true(e.constant && jn_function_is_constant(e.function));
        assert_true(fabs(e.value - rows[i].value) <= 1e-15 * fabs(rows[i].value));
    }
}

/* ------------------------------------------------------------------------------------------------- derivatives */

typedef struct closed_form {
    const char *text;
    double (*v)(double), (*d)(double), (*dd)(double);
} closed_form;

#define FORM(name, v, d, dd)                                                                                           \
    static double name##_v(double t) { return v; }                                                                     \
    static double name##_d(double t) { return d; }                                                                     \
    static double name##_dd(double t) { return dd; }
FORM(f1, sin(3 * t), 3 * cos(3 * t), -9 * sin(3 * t))
FORM(f2, t *t *t - 2 * t, 3 * t * t - 2, 6 * t)
FORM(f3, exp(-t) * cos(t), -exp(-t) * (cos(t) + sin(t)), 2 * exp(-t) * sin(t))
FORM(f4, 1 / (1 + t * t), -2 * t / pow(1 + t * t, 2), (6 * t * t - 2) / pow(1 + t * t, 3))
FORM(f5, sqrt(1 + t), 0.5 / sqrt(1 + t), -0.25 / pow(1 + t, 1.5))
FORM(f6, atan2(sin(t), cos(t)), 1.0 + 0 * t, 0.0 * t)
FORM(f7, pow(t, t), pow(t, t) * (log(t) + 1), pow(t, t) * ((log(t) + 1) * (log(t) + 1) + 1 / t))
FORM(f8, tanh(t), 1 - tanh(t) * tanh(t), -2 * tanh(t) * (1 - tanh(t) * tanh(t)))
FORM(f9, pow(t, 1.5), 1.5 * sqrt(t), 0.75 / sqrt(t))
FORM(f10, log(t), 1 / t, -1 / (t * t))
FORM(f11, asin(t / 4), 1 / sqrt(16 - t * t), t / pow(16 - t * t, 1.5))
FORM(f12, t *t *t, 3 * t * t, 6 * t)
FORM(f13, hypot(t, 2), t / hypot(t, 2), 4 / pow(hypot(t, 2), 3))
FORM(f14, tan(t / 4), 0.25 / pow(cos(t / 4), 2), 0.125 * tan(t / 4) / pow(cos(t / 4), 2))
FORM(f15, acos(t / 4), -1 / sqrt(16 - t * t), -t / pow(16 - t * t, 1.5))
FORM(f16, 2 * (10 * pow(t / 3, 3) - 15 * pow(t / 3, 4) + 6 * pow(t / 3, 5)), 20 * t * t / 9 * pow(1 - t / 3, 2),
     40 * t / 9 * (1 - t / 3) * (1 - 2 * t / 3))

static const closed_form forms[] = {
    {"sin(3*t)", f1_v, f1_d, f1_dd},
    {"t^3 - 2*t", f2_v, f2_d, f2_dd},
    {"exp(-t)*cos(t)", f3_v, f3_d, f3_dd},
    {"1/(1 + t^2)", f4_v, f4_d, f4_dd},
    {"sqrt(1 + t)", f5_v, f5_d, f5_dd},
    {"atan2(sin(t), cos(t))", f6_v, f6_d, f6_dd},
    {"t^t", f7_v, f7_d, f7_dd},
    {"tanh(t)", f8_v, f8_d, f8_dd},
    {"t^1.5", f9_v, f9_d, f9_dd},
    {"log(t)", f10_v, f10_d, f10_dd},
    {"asin(t/4)", f11_v, f11_d, f11_dd},
    {"spline(cube, t)", f12_v, f12_d, f12_dd},
    {"hypot(t, 2)", f13_v, f13_d, f13_dd},
    {"tan(t/4)", f14_v, f14_d, f14_dd},
    {"acos(t/4)", f15_v, f15_d, f15_dd},
    {"step(t, 0, 0, 3, 2)", f16_v, f16_d, f16_dd},
    {"if(t > 1, t^3, t*t*t) + floor(0.3)*sign(t)", f12_v, f12_d, f12_dd},
    {"max(t^3, -1) + min(0, t)*heaviside(-t)", f12_v, f12_d, f12_dd},
    {"abs(-t)^3", f12_v, f12_d, f12_dd},
};

static bool near_to(double a, double b, double tolerance) { return fabs(a - b) <= tolerance * (1 + fabs(b)); }

static void test_closed_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        jn_function f = compile(forms[i].text).function;
        for (double t = 0.3; t < 3; t += 0.37) {
            jn_jet var[3] = {{t, 1, 0}}, y = jn_function_jet(f, tables, var);
            double plain[3] = {t};
            if (!near_to(y.v, forms[i].v(t), 1e-14) || !near_to(y.d, forms[i].d(t), 1e-14) ||
                !near_to(y.dd, forms[i].dd(t), 2e-14)) {
                fail_msg("%s at %g: %.17g %.17g %.17g", forms[i].text, t, y.v, y.d, y.dd);
            }
            assert_true(near_to(jn_function_value(f, tables, plain), y.v, 1e-15));
        }
    }
}

/* Sixth-order differences of the value, for compositions without a closed form at hand. */
static void test_differences(void **state) {
    static const char *const texts[] = {
        "sin(t^2)*exp(-t/3)/(2 + cos(t))",  "sqrt(1 + sin(t)^2)^1.3",   "atan(t)*log10(3 + t)*sinh(t/5)",
        "step(t, 0.1, -1, 2.9, sin(3*t))",  "mod(t, 0.7 + 0.001*t)",    "ramp(t, 0, 0, 10, t^2)*cosh(t)",
        "hypot(sin(t), t)*atan2(t, 2 + t)", "spline(cube, 2 + sin(t))", "table(cube, 1.1 + 0.1*sin(t))",
        "pow(2 + sin(t), cos(t))",          "min(t, 5)*max(t^2, 0.01)", "acos(0.5*cos(t))*asin(0.3*t)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        jn_function f = compile(texts[i]).function;
        for (double t = 0.31; t < 2.5; t += 0.41) {
            jn_jet var[3] = {{t, 1, 0}}, y = jn_function_jet(f, tables, var);
            double h = 4e-3, p[7];
            for (int k = 0; k < 7; k++) {
                double plain[3] = {t + (k - 3) * h};
                p[k] = jn_function_value(f, tables, plain);
            }
            double d = (45 * (p[4] - p[2]) - 9 * (p[5] - p[1]) + (p[6] - p[0])) / (60 * h);
            double dd = (270 * (p[4] + p[2]) - 27 * (p[5] + p[1]) + 2 * (p[6] + p[0]) - 490 * p[3]) / (180 * h * h);
            if (!near_to(y.d, d, 1e-6) || !near_to(y.dd, dd, 1e-6)) {
                fail_msg("%s at %g: %.12g %.12g, differences %.12g %.12g", texts[i], t, y.d, y.dd, d, dd);
            }
        }
    }
}

/* Corners where a formula would divide zero by zero. */
static void test_corners(void **state) {
    jn_jet at0[3] = {{0, 1, 0}}, y;
    (void)state;
    y = jn_function_jet(compile("t^2").function, tables, at0);
    assert_true(y.v == 0 && y.d == 0 && y.dd == 2);
    y = jn_function_jet(compile("t^1 + t^0").function, tables, at0);
    assert_true(y.v == 1 && y.d == 1 && y.dd == 0);
    y = jn_function_jet(compile("if(t > 0, sqrt(t), 0)").function, tables, at0);
    assert_true(y.v == 0 && y.d == 0 && y.dd == 0);
    y = jn_function_jet(compile("step(t, 0, 0, 1, 1)").function, tables, at0);
    assert_true(y.v == 0 && y.d == 0 && y.dd == 0);
    y = jn_function_jet(compile("spline(cube, -1 + 0*t) + spline(cube, 6*(t + 1))").function, tables, at0);
    assert_true(near_to(y.v, 125 + 75, 1e-13) && near_to(y.d, 450, 1e-13) && y.dd == 0);
    y = jn_function_jet(compile("table(cube, t - 1) + table(cube, t + 9)").function, tables, at0);
    assert_true(y.v == 125 && y.d == 0);
}

static void test_spline_fit(void **state) {
    double x[4] = {0, 1, 3, 4}, y[4], ydd[4], work[4];
    (void)state;
    for (int i = 0; i < 4; i++) {
        y[i] = x[i] * (x[i] - 2) * x[i];
    }
    jn_spline_fit(4, x, y, ydd, work); /* a cubic is its own spline */
    for (int i = 0; i < 4; i++) {
        assert_true(near_to(ydd[i], 6 * x[i] - 4, 1e-13));
    }
    y[0] = 0, y[1] = 1, y[2] = 9;
    jn_spline_fit(3, x, y, ydd, work);
    assert_true(near_to(ydd[0], 2, 1e-15) && ydd[1] == ydd[0] && ydd[2] == ydd[0]);
    jn_spline_fit(2, x, y, ydd, work);
    assert_true(ydd[0] == 0 && ydd[1] == 0);
}

/* Two continuous derivatives all around, also where the table ends; a sine is met to fourth order. */
static void test_spline_periodic(void **state) {
    enum { MOST = 81 };
    double x[MOST], y[MOST], ydd[MOST], work[2 * MOST], error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        int count = k ? 81 : 41;
        for (int i = 0; i < count; i++) { /* uneven knots */
            double s = (double)i / (count - 1);
            x[i] = 3 + 2 * (s + 0.05 * sin(2 * 3.14159265358979323846 * s));
            y[i] = sin(3.14159265358979323846 * (x[i] - 3));
        }
        y[count - 1] = y[0];
        jn_spline_fit_periodic(count, x, y, ydd, work);
        jn_table table = {"sine", count, x, y, ydd, true};
        error[k] = 0;
        for (int i = 0; i < 1000; i++) {
            double at = -4 + 0.0123 * i;
            error[k] = fmax(error[k], fabs(jn_spline_at(&table, at).v - sin(3.14159265358979323846 * (at - 3))));
        }
        jn_jet before = jn_spline_at(&table, x[count - 1] - 1e-9), after = jn_spline_at(&table, x[count - 1] + 1e-9);
        assert_true(near_to(before.d, after.d, 1e-7) && fabs(before.dd - after.dd) < 1e-6);
    }
    assert_true(log2(error[0] / error[1]) > 3.8 && error[1] < 1e-6);
    double two[3] = {0, 1, 3}, up[3] = {0, 1, 0};
    jn_spline_fit_periodic(3, two, up, ydd, work);
    jn_table wave = {"wave", 3, two, up, ydd, true};
    assert_true(near_to(jn_spline_at(&wave, 1 - 1e-12).d, jn_spline_at(&wave, 1 + 1e-12).d, 1e-9));
    assert_true(near_to(jn_spline_at(&wave, 3 - 1e-12).d, jn_spline_at(&wave, 3 + 1e-12).d, 1e-9));
}

/* -------------------------------------------------------------------------------------------------- dimensions */

static void test_dimensions(void **state) {
    static const struct {
        const char *text;
        jn_measure measure;
        bool fits;
    } rows[] = {
        {"3", JN_MEASURE_LENGTH, true},
        {"3 mm", JN_MEASURE_LENGTH, true},
        {"3 kg", JN_MEASURE_LENGTH, false},
        {"2*len", JN_MEASURE_LENGTH, true},
        {"len*len", JN_MEASURE_LENGTH, false},
        {"sqrt(len*len)", JN_MEASURE_LENGTH, true},
        {"len^1.5/len^0.5", JN_MEASURE_LENGTH, true},
        {"len/2 + 3", JN_MEASURE_LENGTH, true},
        {"two*len*len", JN_MEASURE_LENGTH, true},
        {"len + two", JN_MEASURE_MASS, false},
        {"len/len", JN_MEASURE_LENGTH, false},
        {"len/len", JN_MEASURE_ANGLE, true},
        {"1/(2 s)", JN_MEASURE_FREQUENCY, true},
        {"sin(30 deg)*len", JN_MEASURE_LENGTH, true},
        {"3 rad/s*t", JN_MEASURE_ANGLE, true},
        {"if(t > 1, len, 2 mm)", JN_MEASURE_LENGTH, true},
        {"max(len, 0)", JN_MEASURE_LENGTH, true},
        {"step(t, 0, 0, 1 s, len)", JN_MEASURE_MASS, false},
        {"2 N*len", JN_MEASURE_TORQUE, true},
        {"-len", JN_MEASURE_MASS, false},
        {"pow(len, 2)", JN_MEASURE_LENGTH, false},
        {"2^two*len", JN_MEASURE_MASS, true},
        {"spline(cube, t)", JN_MEASURE_MASS, true},
        {"2e9 N/m^1.5*len^1.5", JN_MEASURE_FORCE, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jn_fault fault;
        if (jn_type_fits(compile(rows[i].text).type, rows[i].measure, &fault) != rows[i].fits) {
            fail_msg("%s", rows[i].text);
        }
    }
}

static void test_wrong(void **state) {
    static const struct {
        const char *text;
        int status;
        size_t offset;
    } rows[] = {
        {"len + 1 kg", JN_ERR_UNIT, 4},
        {"sin(len)", JN_ERR_UNIT, 0},
        {"len^t", JN_ERR_UNIT, 3},
        {"2^len", JN_ERR_UNIT, 1},
        {"len < 1 s", JN_ERR_UNIT, 4},
        {"min(len, 1 s)", JN_ERR_UNIT, 0},
        {"1e999", JN_ERR_EXPRESSION, 0},
        {"", JN_ERR_EXPRESSION, 0},
        {"1 +", JN_ERR_EXPRESSION, 3},
        {"foo(1)", JN_ERR_EXPRESSION, 0},
        {"sin()", JN_ERR_EXPRESSION, 0},
        {"sin(1, 2)", JN_ERR_EXPRESSION, 0},
        {"if(1, 2)", JN_ERR_EXPRESSION, 0},
        {"spline(1, 2)", JN_ERR_EXPRESSION, 7},
        {"1 2", JN_ERR_EXPRESSION, 2},
        {"2 pi", JN_ERR_EXPRESSION, 2},
        {"a b", JN_ERR_EXPRESSION, 0},
        {"1/0", JN_ERR_EXPRESSION, 0},
        {"\xC3\xA9", JN_ERR_EXPRESSION, 0},
        {"$x", JN_ERR_EXPRESSION, 0},
        {"0x10", JN_ERR_EXPRESSION, 1},
        {"joint.q", JN_ERR_EXPRESSION, 0},
        {"min(1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8)", JN_ERR_EXPRESSION, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jn_expression e;
        jn_fault fault;
        if (jn_expression_compile(rows[i].text, &scope, store, &e, &fault) || fault.status != rows[i].status ||
            fault.offset != rows[i].offset) {
            fail_msg("'%s': status %d at %d: %s", rows[i].text, fault.status, (int)fault.offset, fault.text);
        }
    }
}

/* The run-time stack is bounded when compiling: the deepest program that passes runs. */
static void test_stack(void **state) {
    char text[4000];
    int passed = 0;
    (void)state;
    for (int depth = 1; depth < 100; depth++) {
        size_t n = 0;
        jn_expression e;
        jn_fault fault;
        for (int i = 0; i < depth; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "min(t, t, t, t + (");
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "t");
        for (int i = 0; i < depth; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "))");
        }
        if (jn_expression_compile(text, &scope, store, &e, &fault)) {
            double var[3] = {1};
            jn_jet jets[3] = {{1, 1, 0}};
            assert_true(jn_function_value(e.function, tables, var) == 1);
            assert_true(jn_function_jet(e.function, tables, jets).v == 1);
            passed = depth;
        } else {
            assert_int_equal(fault.status, JN_ERR_EXPRESSION);
        }
    }
    assert_true(passed >= 5 && passed < 60);
}

static int set_up(void **state) {
    double work[5];
    (void)state;
    store = jn_store_create();
    jn_spline_fit(5, knots, heights, spline_ydd, work);
    return store ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    jn_store_free(store);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_differences),
        cmocka_unit_test(test_corners), cmocka_unit_test(test_spline_fit), cmocka_unit_test(test_spline_periodic),   cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_wrong),   cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
