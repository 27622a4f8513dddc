/* Charts: ticks and their numbers, prefixes of units, curves that are thinned and yet keep their peaks. */
#include "chart/axis.h"
#include "command.h"
#include <math.h>
#include <stdlib.h>

enum { POINTS = 100000 };
static double x[POINTS], y[POINTS];
static char picture[1 << 20];

static void test_steps(void **state) {
    (void)state;
    assert_near(chart_axis_step(10, 5), 2, 1e-15);
    assert_near(chart_axis_step(0.7, 7), 0.1, 1e-15);
    assert_near(chart_axis_step(30, 5), 5, 1e-14);
    assert_near(chart_axis_step(4e-6, 4), 1e-6, 1e-20);
}

/* The numbers at the ticks of a range, between commas. */
static void numbers(chart_scale scale, double low, double high, char *text, char *label) {
    double ends[2] = {low, high}, first;
    chart_curve curve = {ends, ends, 2, ""};
    chart c = {.x = scale, .curve = &curve, .curves = 1};
    chart_axis a = chart_axis_of(&c, true, 5);
    int count = chart_axis_ticks(&a, &first);
    text[0] = 0;
    for (int k = 0; k < count; k++) {
        char number[48];
        chart_axis_number(&a, (first + k) * a.step, number, sizeof number);
        sprintf(text + strlen(text), "%s%s", k ? "," : "", number);
    }
    strcpy(label, a.label);
}

static void test_numbers(void **state) {
    static const struct {
        chart_scale scale;
        double low, high;
        const char *numbers, *label;
    } rows[] = {
        {{.name = "time", .unit = "s", .tight = true}, 0, 0.02, "0,5,10,15,20", "time [ms]"},
        {{.name = "time", .label = "t [s]", .tight = true}, 0, 0.02, "0.000,0.005,0.010,0.015,0.020", "t [s]"},
        {{.name = "force", .unit = "N", .tight = true}, -2000, 2000, "-2,-1,0,1,2", "force [kN]"},
        {{.name = "angle", .unit = "rad", .tight = true}, 0, 0.5, "0.0,0.1,0.2,0.3,0.4,0.5", "angle [rad]"},
        {{.name = "ratio", .unit = "1", .tight = true}, 0, 1e7, "0,2e+06,4e+06,6e+06,8e+06,1e+07", "ratio"},
        {{.name = "error", .log = true}, 3e-4, 20, "1e-4,1e-2,1e0,1e2", "error"},
        {{.name = "gap", .unit = "m", .tight = true}, 0.5, 0.5, "460,480,500,520,540", "gap [mm]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], label[340];
        numbers(rows[i].scale, rows[i].low, rows[i].high, text, label);
        assert_string_equal(label, rows[i].label);
        assert_string_equal(text, rows[i].numbers);
    }
}

static const char *draw(size_t count, double high) {
    chart_curve curve = {x, y, count, "curve"};
    chart c = {
        .x = {.name = "x", .tight = true}, .y = {.name = "y", .low = 0, .high = high}, .curve = &curve, .curves = 1};
    canvas *surface = canvas_open("chart.svg", 140, 90);
    chart_draw(surface, &c, (canvas_box){0, 0, 140, 90});
    assert_true(canvas_close(surface));
    load("chart.svg", picture, sizeof picture);
    return strstr(picture, "class=\"c0\"");
}

/* Smallest y of a path: its highest point. Counts points and strokes. */
static double highest(const char *path, int *points, int *strokes) {
    double least = INFINITY;
    *points = *strokes = 0;
    path = strstr(path, " d=\"") + 4;
    while (*path == 'M' || *path == 'L') {
        char *end;
        *strokes += *path == 'M';
        strtod(path + 1, &end);
        least = fmin(least, strtod(end, &end));
        ++*points;
        path = end;
    }
    assert_true(*path == '"');
    return least;
}

/* One point of a hundred thousand reaches the top of the frame, and few are drawn. */
static void test_peak(void **state) {
    int points, strokes, corners;
    (void)state;
    for (int i = 0; i < POINTS; i++) x[i] = i, y[i] = 0.1 + 0.05 * sin(i);
    y[77777] = 1;
    double top = highest(draw(POINTS, 1), &points, &strokes);
    assert_near(top, highest(strstr(picture, "class=\"frame\""), &corners, &(int){0}), 0.051);
    assert_int_equal(strokes, 1);
    assert_true(points > 500 && points < 4000);
}

static void test_gap(void **state) {
    int points, strokes;
    (void)state;
    for (int i = 0; i < 30; i++) x[i] = i, y[i] = i % 10 == 5 ? NAN : 0.5;
    highest(draw(30, 1), &points, &strokes);
    assert_int_equal(strokes, 4);
    assert_int_equal(points, 27);
}

static void test_nothing_to_draw(void **state) {
    int points, strokes;
    (void)state;
    highest(draw(0, 0), &points, &strokes);
    assert_int_equal(points, 0);
    has(picture, ">0.0<");
    assert_null(strstr(picture, "nan"));
    assert_null(strstr(picture, "inf"));
}

static void test_text_is_harmless(void **state) {
    (void)state;
    chart c = {.title = "a < b & \"c\"", .x = {.name = "x"}, .y = {.name = "y"}};
    canvas *surface = canvas_open("chart.svg", 60, 40);
    chart_draw(surface, &c, (canvas_box){0, 0, 60, 40});
    assert_true(canvas_close(surface));
    load("chart.svg", picture, sizeof picture);
    has(picture, ">a &lt; b &amp; &quot;c&quot;<");
    assert_null(canvas_open("chart.gif", 60, 40));
    surface = canvas_open("/nowhere/chart.svg", 60, 40);
    assert_false(canvas_close(surface));
}

/* A hundred thousand points in one place and a single one elsewhere: two boxes, the single one lighter; a map has a box for each value. */
static void test_density(void **state) {
    (void)state;
    for (int i = 0; i < POINTS; i++) x[i] = i == 7 ? 1 : 0, y[i] = i == 7 ? 1 : 0;
    chart_curve curve = {x, y, POINTS, "points"};
    chart c = {.curve = &curve, .curves = 1, .style = CHART_DENSITY};
    canvas *surface = canvas_open("density.svg", 100, 80);
    chart_draw(surface, &c, (canvas_box){0, 0, 100, 80});
    assert_true(canvas_close(surface));
    load("density.svg", picture, sizeof picture);
    assert_int_equal(count_of(picture, "stroke:none"), 2);
    has(picture, "#081d58"); /* the darkest */

    chart_box box[6];
    for (int i = 0; i < 6; i++) box[i] = (chart_box){{i, i + 1}, {0, 1}, i == 3 ? NAN : i};
    chart map = {.box = box, .boxes = 6, .colours = {.low = 0, .high = 5, .label = "value"}};
    surface = canvas_open("map.svg", 100, 80);
    chart_draw(surface, &map, (canvas_box){0, 0, 100, 80});
    assert_true(canvas_close(surface));
    load("map.svg", picture, sizeof picture);
    assert_int_equal(count_of(picture, "stroke:none"), 5 + 24); /* five boxes, one is no number; the bar of colours */
    has(picture, "value");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),  cmocka_unit_test(test_numbers),         cmocka_unit_test(test_peak),
        cmocka_unit_test(test_gap),    cmocka_unit_test(test_nothing_to_draw), cmocka_unit_test(test_text_is_harmless),
        cmocka_unit_test(test_density)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
