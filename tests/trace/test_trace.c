/* Channels, rows, files and expectations of a run. */
#include <jounce/workflow.h>

#include "base/memory.h"
#include "check.h"
#include "json_reader.h"
#include "trace/json_writer.h"
#include "trace/result.h"
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char plane_text[] = "title: Pendulum\nplane: xy\nparameters: {l: 1 m}\n"
                                 "bodies: {rod: {mass: 1, inertia: 1/12, com: [l/2, 0]}}\n"
                                 "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0], damping: 0.1}}\n"
                                 "points: {tip: {on: rod, at: [l, 0]}}\n"
                                 "run: {until: 1 s}\nrecord: {every: 10 ms}\n"
                                 "expect:\n"
                                 "  - {channel: joint.pin.q, time: 333.3 ms, value: -0.79, within: 0.1}\n"
                                 "  - {channel: body.rod.x, at: max, value: 0.5, within: 1e-9}\n"
                                 "  - {channel: joint.pin.qq, value: 0, within: 1}\n"
                                 "  - {channel: audit.energy_residual, below: 1e-6}\n"
                                 "  - {channel: steps, above: 10}\n"
                                 "  - {event: first impact, time: 0.5, within: 1}\n";

static const char space_text[] =
    "bodies:\n  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}\n  b: {mass: 1, inertia: [0.1, 0.1, 0.1], "
    "com: [1.5, 0, 0]}\n"
    "joints:\n  ball: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
    "  hinge: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y, motion: 0.3*sin(2*t)}\n"
    "run: {until: 0.1 s, integrator: rk4, step: 1 ms}\n";

static jn_model *compile(const char *text, jn_setting *settings, int count) {
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "model.yaml", settings, count, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    return m;
}

static void expect_names(const jn_channels *c, const char *const *names) {
    for (int i = 0; names[i]; i++)
        if (jn_channels_find(c, names[i]) < 0) fail_msg("no channel %s", names[i]);
}

/* -------------------------------------------------------------------------------------------------------- channels */

static void test_names_in_a_plane(void **state) {
    static const char *const names[] = {"body.rod.x",
                                        "body.rod.y",
                                        "body.rod.angle",
                                        "body.rod.vx",
                                        "body.rod.vy",
                                        "body.rod.w",
                                        "body.rod.ax",
                                        "body.rod.ay",
                                        "body.rod.al",
                                        "joint.pin.q",
                                        "joint.pin.u",
                                        "joint.pin.a",
                                        "joint.pin.actuator",
                                        "joint.pin.fx",
                                        "joint.pin.fy",
                                        "joint.pin.tz",
                                        "joint.pin.lfx",
                                        "joint.pin.lfy",
                                        "joint.pin.ltz",
                                        "point.tip.x",
                                        "point.tip.y",
                                        "point.tip.vx",
                                        "point.tip.vy",
                                        "point.tip.ax",
                                        "point.tip.ay",
                                        "energy.kinetic",
                                        "energy.potential",
                                        "energy.elastic",
                                        "energy.dissipated",
                                        "energy.driven",
                                        "energy.numerical",
                                        "energy.total",
                                        "energy.residual",
                                        "momentum.x",
                                        "momentum.y",
                                        "momentum.lz",
                                        "momentum.residual",
                                        "momentum.angular_residual",
                                        NULL};
    jn_report report = {0};
    jn_model *m = compile(plane_text, NULL, 0);
    jn_channels *c = jn_channels_create(m, NULL, 0, &report);
    (void)state;
    assert_non_null(c);
    expect_names(c, names);
    assert_int_equal(jn_channels_count(c), 38);
    assert_int_equal(jn_channels_find(c, "body.rod.z"), -1);
    assert_string_equal(jn_channels_unit(c, jn_channels_find(c, "joint.pin.u")), "rad/s");
    assert_string_equal(jn_channels_unit(c, jn_channels_find(c, "body.rod.ax")), "m/s^2");
    jn_channels_free(c);
    jn_model_free(m);
}

static void test_names_in_space(void **state) {
    static const char *const names[] = {"body.a.x",          "body.a.z",        "body.a.vz",       "body.a.az",
                                        "body.a.qw",         "body.a.qx",       "body.a.qy",       "body.a.qz",
                                        "body.a.wx",         "body.a.wy",       "body.a.wz",       "body.a.alx",
                                        "body.a.alz",        "joint.ball.q1",   "joint.ball.q4",   "joint.ball.u1",
                                        "joint.ball.u3",     "joint.ball.a3",   "joint.hinge.q",   "joint.hinge.u",
                                        "joint.hinge.drive", "joint.hinge.fx",  "joint.hinge.fz",  "joint.hinge.tx",
                                        "joint.hinge.tz",    "joint.hinge.lfz", "joint.hinge.ltx", NULL};
    jn_report report = {0};
    jn_model *m = compile(space_text, NULL, 0);
    jn_channels *c = jn_channels_create(m, NULL, 0, &report);
    (void)state;
    assert_non_null(c);
    expect_names(c, names);
    assert_int_equal(jn_channels_find(c, "joint.ball.drive1"), -1);
    assert_int_equal(jn_channels_find(c, "body.a.angle"), -1);
    jn_channels_free(c);
    jn_model_free(m);
}

static void test_patterns(void **state) {
    static const char *const some[] = {"body.*.x", "energy.t*l"}, *const wrong[] = {"joint.hinge.qq"};
    jn_report report = {0};
    jn_model *m = compile(space_text, NULL, 0);
    jn_channels *c = jn_channels_create(m, some, 2, &report);
    (void)state;
    assert_non_null(c);
    assert_int_equal(jn_channels_count(c), 3);
    jn_channels_free(c);
    assert_null(jn_channels_create(m, wrong, 1, &report));
    assert_int_equal(report.errors, 1);
    assert_string_equal(report.item[0].hint, "write 'joint.hinge.q'");
    jn_model_free(m);
}

static jn_setting derived_setting = {"record.derived",
                                     "{reach: point.tip.x/l, drop: 'energy.total-energy.kinetic', clock: 2*t}"};

/* Derived channels are their expressions of what stands beside them, chosen by name or not. */
static void test_derived(void **state) {
    static const char *const one[] = {"derived.reach"};
    jn_report report = {0};
    jn_model *m = compile(plane_text, &derived_setting, 1);
    jn_channels *c = jn_channels_create(m, one, 1, &report);
    jn_sim *sim = jn_sim_create(m, &report);
    double reach = 0;
    (void)state;
    assert_true(c && sim);
    assert_int_equal(jn_channels_count(c), 1);
    assert_string_equal(jn_channels_unit(c, 0), "1");
    assert_int_equal(jn_channels_read(c, sim, &reach), JN_OK);
    assert_near(reach, 1, 1e-15);
    jn_sim_free(sim);
    jn_channels_free(c);

    jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
    assert_non_null(r);
    for (int k = 0; k <= 100; k++) {
        double t = 0.01 * k;
        assert_near(jn_result_at(r, "derived.reach", t), cos(jn_result_at(r, "joint.pin.q", t)), 1e-12);
        assert_near(jn_result_at(r, "derived.drop", t), jn_result_at(r, "energy.potential", t), 1e-12);
        assert_near(jn_result_at(r, "derived.clock", t), 2 * t, 1e-12);
    }
    jn_result_free(r);
    jn_model_free(m);
}

/* Channels come in the order of the patterns, those of one pattern in the order of the model, none twice; every value stands at its name. */
static void test_order(void **state) {
    static const char *const asked[] = {"derived.clock", "energy.total", "body.rod.v*", "energy.*t*",
                                        "joint.pin.q",   "body.rod.vy",  "derived.*"};
    static const char *const expected[] = {"derived.clock",  "energy.total",     "body.rod.vx",    "body.rod.vy",
                                           "energy.kinetic", "energy.potential", "energy.elastic", "energy.dissipated",
                                           "joint.pin.q",    "derived.reach",    "derived.drop"};
    enum { COUNT = sizeof expected / sizeof *expected };
    jn_report report = {0};
    jn_model *m = compile(plane_text, &derived_setting, 1);
    jn_channels *some = jn_channels_create(m, asked, 7, &report), *all = jn_channels_create(m, NULL, 0, &report);
    jn_sim *sim = jn_sim_create(m, &report);
    double few[COUNT + 8], every[64];
    (void)state;
    assert_true(some && all && sim && jn_channels_count(all) <= 64);
    assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
    for (int i = 0; i < COUNT && i < jn_channels_count(some); i++)
        assert_string_equal(jn_channels_name(some, i), expected[i]);
    assert_int_equal(jn_channels_count(some), COUNT);
    assert_int_equal(jn_channels_read(some, sim, few), JN_OK);
    assert_int_equal(jn_channels_read(all, sim, every), JN_OK);
    for (int i = 0; i < COUNT; i++) assert_near(few[i], every[jn_channels_find(all, expected[i])], 0);
    jn_sim_free(sim);
    jn_channels_free(some), jn_channels_free(all);
    jn_model_free(m);
}

static void test_derived_of_unknown_channels(void **state) {
    static const char text[] = "plane: xy\nbodies: {rod: {mass: 1, inertia: 1}}\npoints: {tip: {on: rod, at: [1, 0]}}\n"
                               "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
                               "record:\n  derived:\n    a: 2*point.tip.x\n    b: 1 + point.tipp.x\n";
    jn_report report = {0};
    jn_model *m = compile(text, NULL, 0);
    char message[600];
    (void)state;
    assert_null(jn_channels_create(m, NULL, 0, &report));
    assert_int_equal(report.errors, 1);
    jn_error_format(&report.item[0], message, sizeof message);
    assert_string_equal(message, "model.yaml:8:12: no channel is called 'point.tipp.x' (write 'point.tip.x')");
    jn_model_free(m);
}

/* ------------------------------------------------------------------------------------------------------------ runs */

static void test_rows(void **state) {
    jn_report report = {0};
    jn_model *m = compile(plane_text, NULL, 0);
    jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
    (void)state;
    assert_non_null(r);
    assert_int_equal(r->status, JN_OK);
    assert_int_equal(r->rows, 102); /* 101 of the grid and one for the expect row */
    size_t width = (size_t)r->channels + 1;
    for (long k = 1; k < r->rows; k++) assert_true(r->data[(size_t)k * width] > r->data[(size_t)(k - 1) * width]);
    assert_true(jn_result_at(r, "time", 0.3333) == 0.3333);
    assert_true(jn_result_at(r, "time", 0.07) == 0.07);
    double a = jn_result_at(r, "joint.pin.q", 0.5), b = jn_result_at(r, "joint.pin.q", 0.51);
    assert_near(jn_result_at(r, "joint.pin.q", 0.505), (a + b) / 2, 1e-15);
    assert_true(isnan(jn_result_at(r, "joint.pin.q", 1.1)));
    assert_true(isnan(jn_result_at(r, "joint.pin.nothing", 0.5)));
    assert_near(jn_result_at(r, "energy.total", 1) + jn_result_at(r, "energy.dissipated", 1),
                jn_result_at(r, "energy.residual", 1), 1e-12);
    jn_result_free(r);
    jn_model_free(m);
}

static void test_expectations(void **state) {
    jn_model *m = compile(plane_text, NULL, 0);
    jn_result *r = jn_run(m, NULL, NULL, NULL, NULL);
    jn_verdict v[6];
    (void)state;
    assert_int_equal(jn_model_expects(m), 6);
    assert_int_equal(jn_result_verify(m, r, v), 2);
    assert_true(v[0].ok && v[1].ok && !v[2].ok && v[3].ok && v[4].ok && !v[5].ok);
    assert_string_equal(v[2].text, "no such channel; write 'joint.pin.q'");
    assert_false(jn_result_ok(r));
    assert_true(r->audit.ok);
    jn_result_free(r);
    jn_model_free(m);
}

static void test_chosen_channels_hold_what_is_expected(void **state) {
    jn_setting settings[] = {{"record.channels", "[energy.total]"}};
    jn_model *m = compile(plane_text, settings, 1);
    jn_result *r = jn_run(m, NULL, NULL, NULL, NULL);
    (void)state;
    assert_int_equal(r->channels, 3);
    assert_int_equal(jn_result_channel(r, "energy.total"), 0); /* asked for first */
    assert_int_not_equal(jn_result_channel(r, "joint.pin.q"), -1);
    assert_int_equal(r->expects_failed, 2);
    jn_result_free(r);
    jn_model_free(m);
}

static bool stop_soon(void *context, double time, double fraction) {
    (void)context, (void)time;
    return fraction < 0.5;
}

static void test_stopped_run_keeps_its_rows(void **state) {
    jn_model *m = compile(plane_text, NULL, 0);
    jn_result *r = jn_run(m, NULL, stop_soon, NULL, NULL);
    (void)state;
    assert_int_equal(r->status, JN_STOPPED);
    assert_in_range(r->rows, 40, 60);
    assert_false(jn_result_ok(r));
    jn_result_free(r);
    jn_model_free(m);
}

static void test_long_series_are_thinned(void **state) {
    jn_setting settings[] = {{"run.step", "2 us"}, {"run.until", "0.3 s"}, {"run.integrator", "euler"}};
    jn_model *m = compile(space_text, settings, 3);
    jn_result *r = jn_run(m, NULL, NULL, NULL, NULL);
    (void)state;
    assert_int_equal(r->status, JN_OK);
    assert_in_range(r->rows * (r->channels + 1), 1000000, 2100000); /* numbers */
    assert_non_null(strstr(r->note, "one of every"));
    assert_int_equal(r->audit.steps, 150000);
    jn_result_free(r);
    jn_model_free(m);
}

/* ----------------------------------------------------------------------------------------------------------- files */

static char folder[] = "/tmp/jounce_trace_XXXXXX";

static const char *in_folder(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/deep/er/%s", folder, name);
    return path;
}

static void check_csv(const jn_result *r) {
    FILE *file = fopen(in_folder("series.csv"), "r");
    static char line[200000];
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(strncmp(line, "time,body.a.x,body.a.y", 22), 0);
    for (long row = 0; row < r->rows; row++) {
        assert_non_null(fgets(line, sizeof line, file));
        char *p = line;
        for (int i = 0; i <= r->channels; i++, p++) {
            double value = strtod(p, &p);
            assert_true(value == r->data[(size_t)row * ((size_t)r->channels + 1) + (size_t)i]);
            assert_int_equal(*p, i == r->channels ? '\n' : ',');
        }
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    file = fopen(in_folder("events.csv"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "time,kind,where,speed_before,speed_after,impulse_n,impulse_t\n");
    fclose(file);
}

static void check_hdf5(const jn_result *r) {
    hid_t file = H5Fopen(in_folder("result.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    double *column = malloc((size_t)r->rows * sizeof *column);
    for (int i = 0; i <= r->channels; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", i ? "/channels/" : "/", i ? r->names[i - 1] : "time");
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
        assert_true(set >= 0);
        assert_int_equal(H5Sget_simple_extent_npoints(space), r->rows);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0);
        for (long k = 0; k < r->rows; k++)
            assert_true(column[k] == r->data[(size_t)k * ((size_t)r->channels + 1) + (size_t)i]);
        H5Sclose(space);
        H5Dclose(set);
    }
    free(column);
    hid_t set = H5Dopen2(file, "/model", H5P_DEFAULT), type = H5Dget_type(set);
    char text[sizeof space_text + 16] = "";
    assert_int_equal(H5Tget_size(type), sizeof space_text - 1);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, space_text);
    H5Tclose(type);
    H5Dclose(set);
    assert_true(H5Lexists(file, "/events/impulse_n", H5P_DEFAULT) > 0 && H5Lexists(file, "/summary", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

static void check_summary(const jn_result *r) {
    static const char *const audit[] = {"momentum_residual",
                                        "momentum_residual_relative",
                                        "momentum_scale",
                                        "angular_momentum_residual",
                                        "angular_momentum_residual_relative",
                                        "angular_momentum_scale",
                                        "energy_residual",
                                        "energy_residual_relative",
                                        "max_position_violation",
                                        "max_velocity_violation",
                                        "max_penetration",
                                        "max_relative_penetration",
                                        "half_thickness",
                                        "contacts_lost",
                                        "lost_depth",
                                        "max_creep",
                                        "creep_time",
                                        "contact_speed_error",
                                        NULL};
    static const char *const numbers[] = {"time",   "steps",     "rejected",   "evaluations",
                                          "events", "wall_time", "write_time", NULL};
    static const char *const texts[] = {"title",  "model",      "model_hash",  "version", "analysis",
                                        "method", "integrator", "coordinates", "status",  NULL};
    json *s = json_read(in_folder("summary.json"));
    assert_non_null(s);
    assert_int_equal(json_get(s, "ok")->kind, JSON_BOOL);
    for (int i = 0; audit[i]; i++) assert_int_equal(json_get(json_get(s, "audit"), audit[i])->kind, JSON_NUMBER);
    for (int i = 0; numbers[i]; i++) assert_int_equal(json_get(s, numbers[i])->kind, JSON_NUMBER);
    for (int i = 0; texts[i]; i++) assert_int_equal(json_get(s, texts[i])->kind, JSON_STRING);
    assert_int_equal(strlen(json_text(json_get(s, "model_hash"), "")), 16);
    const json *final = json_get(s, "final"), *a = json_get(json_get(final, "bodies"), "a");
    assert_near(json_number(json_at(json_get(a, "position"), 2), NAN), jn_result_at(r, "body.a.z", r->time), 0);
    assert_int_equal(json_get(a, "orientation")->count, 4);
    assert_int_equal(json_get(json_get(json_get(final, "joints"), "ball"), "q")->count, 4);
    assert_non_null(json_get(json_get(json_get(s, "audit"), "energy"), "driven"));
    json_free(s);
}

static void test_files(void **state) {
    jn_report report = {0};
    jn_model *m = compile(space_text, NULL, 0);
    char path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deep/er", folder);
    jn_result *r = jn_run(m, path, NULL, NULL, &report);
    assert_non_null(r);
    check_report(&report);
    assert_true(jn_result_ok(r));
    assert_int_equal(r->rows, 101);
    check_csv(r);
    check_hdf5(r);
    check_summary(r);
    jn_result_free(r);
    assert_null(jn_run(m, in_folder("series.csv"), NULL, NULL, &report)); /* a file is no folder */
    assert_int_equal(report.item[0].status, JN_ERR_IO);
    jn_model_free(m);
    snprintf(path, sizeof path, "rm -rf '%s'", folder);
    assert_int_equal(system(path), 0);
}

/* Bytes of result.h5 and whether series.csv is there, after a run with these settings. */
static long size_with(const char *path, const char *key, const char *value, bool csv, double within) {
    jn_setting settings[] = {{"record.csv", csv ? "true" : "false"}, {"run.until", "2 s"}, {key, value}};
    jn_report report = {0};
    jn_model *m = compile(space_text, settings, 3);
    jn_result *r = jn_run(m, path, NULL, NULL, &report);
    char name[128];
    struct stat info;
    assert_non_null(r);
    check_report(&report);
    assert_true(r->write_time >= 0 && r->wall_time > 0);
    snprintf(name, sizeof name, "%s/series.csv", path);
    assert_int_equal(access(name, F_OK) == 0, csv);
    snprintf(name, sizeof name, "%s/result.h5", path);
    assert_int_equal(stat(name, &info), 0);
    hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "/channels/body.b.x", H5P_DEFAULT);
    double *column = malloc((size_t)r->rows * sizeof *column);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0);
    int channel = jn_result_channel(r, "body.b.x");
    for (long k = 0; k < r->rows; k++)
        assert_near(column[k], r->data[(size_t)k * ((size_t)r->channels + 1) + (size_t)channel + 1], within);
    free(column);
    H5Dclose(set), H5Fclose(file);
    jn_result_free(r);
    jn_model_free(m);
    return (long)info.st_size;
}

/* record.csv, record.compression and record.float32; an earlier run's series.csv does not stay beside other results. */
static void test_record_options(void **state) {
    char path[] = "/tmp/jounce_trace_XXXXXX", command[64];
    (void)state;
    assert_non_null(mkdtemp(path));
    long plain = size_with(path, "record.compression", "none", true, 0);
    long packed = size_with(path, "record.compression", "deflate", false, 0);
    long single = size_with(path, "record.float32", "true", false, 1e-6);
    assert_true(packed < 0.9 * (double)plain);
    assert_true(single < 0.6 * (double)plain);
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static void test_json_holds_no_nan(void **state) {
    jn_json j = {0};
    (void)state;
    jn_json_object(&j, NULL);
    jn_json_number(&j, "a\"\\\n\x01", NAN);
    jn_json_numbers(&j, "b", (const double[]){INFINITY, 0.1, -2}, 3);
    jn_json_text(&j, "bad \xff utf", "\xc3\xa4");
    jn_json_end(&j);
    assert_string_equal(
        j.text,
        "{\n  \"a\\\"\\\\\\n\\u0001\": null,\n  \"b\": [null, 0.1, -2],\n  \"bad \\ufffd utf\": \"\xc3\xa4\"\n}\n");
    jn_free(j.text);
}

/* Every allocation in turn is refused: an error or a result, never a crash. */
static bool allow_some(void *context, size_t size) {
    (void)size;
    return (*(long *)context)-- > 0;
}

static void test_memory_runs_out(void **state) {
    jn_setting settings[] = {{"run.until", "5 ms"}, {"record.channels", "[energy.*]"}, derived_setting};
    jn_model *m = compile(plane_text, settings, 3);
    bool done = false;
    (void)state;
    for (long k = 0; k < 2000 && !done; k++) {
        long left = k;
        jn_report report = {0};
        jn_memory_hook(allow_some, &left);
        jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
        jn_memory_hook(NULL, NULL);
        done = r && left > 0;
        if (!r) assert_true(report.errors > 0);
        jn_result_free(r);
    }
    assert_true(done);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_in_a_plane),
        cmocka_unit_test(test_names_in_space),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_derived),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_derived_of_unknown_channels),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_chosen_channels_hold_what_is_expected),
        cmocka_unit_test(test_stopped_run_keeps_its_rows),
        cmocka_unit_test(test_long_series_are_thinned),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_record_options),
        cmocka_unit_test(test_json_holds_no_nan),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
