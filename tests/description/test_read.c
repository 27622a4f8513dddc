/* Model files that are right: every section, units, placement, includes, settings. */
#include "algebra/vec3.h"

#include <jounce/description.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static jn_description *parse_set(const char *text, const jn_setting *set, int count) {
    static jn_report report;
    char message[1400];
    jn_description *d = jn_description_parse(text, strlen(text), "test.yaml", set, count, &report);
    if (!d) {
        jn_error_format(&report.item[0], message, sizeof message);
        fail_msg("%s", message);
    }
    return d;
}

static jn_description *parse(const char *text) { return parse_set(text, NULL, 0); }

static void near_to(double a, double b) {
    if (!(fabs(a - b) <= 1e-14 * (1 + fabs(b)))) {
        fail_msg("%.17g is not %.17g", a, b);
    }
}

static void near_v(jn_vec3 a, double x, double y, double z) {
    near_to(a.x, x);
    near_to(a.y, y);
    near_to(a.z, z);
}

static void test_planar(void **state) {
    jn_description *d =
        parse("title: Slider\nplane: xy\nparameters: {l1: 153 mm, l2: 2*l1, w: 150 rad/s}\n"
              "bodies:\n  crank: {mass: 38 g, inertia: 7.4e-5, com: [l1/2, 0]}\n  slider: {mass: 0.076, com: [l1 + l2, "
              "0], velocity: [1, 2], angular_velocity: 60 rpm}\n"
              "joints:\n  pivot: {type: revolute, between: [ground, crank], at: [0, 0], rate: w, position: 30 deg}\n"
              "  guide: {type: prismatic, between: [ground, slider], along: x, speed: 20 mm/s, loop: true}\n");
    (void)state;
    assert_string_equal(d->title, "Slider");
    assert_true(d->planar);
    near_v(d->gravity, 0, -9.81, 0);
    assert_int_equal(d->body_count, 3);
    assert_string_equal(d->bodies[1].name, "crank");
    assert_int_equal(d->bodies[1].where.line, 5);
    assert_int_equal(d->bodies[1].where.column, 3);
    assert_string_equal(d->bodies[1].where.file, "test.yaml");
    assert_true(d->bodies[1].mass == 0.038 && d->bodies[1].inertia.zz == 7.4e-5 && d->bodies[1].inertia.xx == 0);
    near_v(d->bodies[1].com, 0.0765, 0, 0);
    near_v(d->bodies[2].velocity, 1, 2, 0);
    assert_true(d->bodies[2].has_velocity && d->bodies[2].has_angular_velocity && !d->bodies[1].has_velocity);
    near_to(d->bodies[2].angular_velocity.z, 2 * PI);
    const jn_joint_desc *pivot = &d->joints[0], *guide = &d->joints[1];
    assert_int_equal(pivot->body[0], JN_GROUND);
    assert_int_equal(pivot->body[1], 1);
    near_v(pivot->frame[0].axis, 0, 0, 1);
    jn_jet var[3] = {{2, 1, 0}}, q = jn_function_jet(pivot->coordinate[0].motion, NULL, var);
    near_to(q.v, PI / 6 + 300);
    near_to(q.d, 150);
    assert_true(q.dd == 0);
    near_v(guide->frame[0].axis, 1, 0, 0);
    near_v(guide->frame[0].at, 0.459, 0, 0); /* the centre of mass of the second body */
    near_to(guide->coordinate[0].speed, 0.02);
    assert_true(guide->closes_loop && !pivot->closes_loop && guide->coordinate[0].has_speed);
    assert_true(strncmp(d->text, "title: Slider", 13) == 0);
    jn_description_free(d);
}

static void test_inertia_forms(void **state) {
    jn_description *d =
        parse("bodies:\n  a: {mass: 1, inertia: [1, 2, 2.5]}\n  b: {mass: 1, inertia: [3, 4, 5, 0.1, 0.2, 0.3]}\n"
              "  c: {mass: 1, inertia: [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]}\n  d: {mass: 2}\n");
    (void)state;
    assert_true(d->bodies[1].inertia.zz == 2.5 && d->bodies[1].inertia.xy == 0);
    assert_memory_equal(&d->bodies[2].inertia, &d->bodies[3].inertia, sizeof(jn_sym3));
    assert_true(d->bodies[2].inertia.yz == 0.3 && d->bodies[4].inertia.xx == 0);
    near_v(d->gravity, 0, 0, -9.81);
    jn_description_free(d);
}

static void test_shapes(void **state) {
    jn_description *d =
        parse("bodies:\n"
              "  box: {density: 1 g/cm^3, shape: {type: box, size: [1, 2, 3]}}\n"
              "  pair: {density: 1000, shapes: [{type: box, size: [1, 2, 1.5], at: [0, 0, -0.75]}, {type: box, size: "
              "[1, 2, 1.5], at: [0, 0, 0.75]}]}\n"
              "  turned: {density: 1000, shape: {type: box, size: [2, 1, 3], orientation: {axis: z, angle: 90 deg}}}\n"
              "  even: {mass: 6000, shape: {type: box, size: [1, 2, 3]}}\n"
              "  points: {masses: [{mass: 1, at: [1, 0, 0]}, {mass: 1, at: [-1, 0, 0]}, {mass: 2, at: [0, 2, 0]}]}\n"
              "  ball: {density: 3, shape: {type: sphere, radius: 2}}\n"
              "  cone: {density: 1, shape: {type: cone, radius: 1, height: 4}}\n"
              "  pill: {density: 1, shape: {type: capsule, radius: 1, length: 2}}\n"
              "  rod: {mass: 2, inertia: [0, 1, 1], com: [1, 0, 0], shape: {type: cylinder, radius: 1, length: 2}}\n");
    const jn_body_desc *b = d->bodies;
    (void)state;
    for (int i = 1; i <= 4; i++) {
        near_to(b[i].mass, 6000);
        near_to(b[i].inertia.xx / 6000, 13.0 / 12);
        near_to(b[i].inertia.yy / 6000, 10.0 / 12);
        near_to(b[i].inertia.zz / 6000, 5.0 / 12);
        assert_true(fabs(b[i].inertia.xy) < 1e-9);
        near_v(b[i].com, 0, 0, 0);
    }
    near_to(b[5].mass, 4);
    near_v(b[5].com, 0, 1, 0);
    near_to(b[5].inertia.zz, 2 + 2 + 2);
    near_to(b[5].inertia.yy, 2);
    near_to(b[6].mass, 32 * PI);
    near_to(b[6].inertia.xx, 0.4 * 32 * PI * 4);
    near_to(b[7].com.z, 1);
    near_to(b[7].inertia.zz, 0.3 * b[7].mass);
    near_to(b[8].mass, 2 * PI + 4 * PI / 3);
    near_to(b[8].inertia.zz, PI + 8 * PI / 15);
    near_to(b[8].inertia.xx, 2 * PI * (0.25 + 1.0 / 3) + 4 * PI / 3 * (0.4 + 1 + 0.75));
    near_to(b[9].inertia.xx, 0);
    assert_int_equal(b[9].shape_count, 1);
    assert_int_equal(d->shapes[b[9].shape_first].type, JN_SHAPE_CYLINDER);
    assert_int_equal(b[2].shape_count, 2);
    jn_description_free(d);
}

static void test_places(void **state) {
    jn_description *d =
        parse("bodies:\n  a: {mass: 1, at: [1, 2, 3], orientation: {axis: z, angle: 90 deg}}\n"
              "  b: {mass: 1, orientation: [2, 0, 0, 0]}\n  c: {mass: 1, orientation: {rpy: [0, 90 deg, 90 deg]}}\n"
              "points:\n  p: {on: a, at: [1, 3, 3]}\n  q: {on: a, at: [1, 3, 3], local: true}\n"
              "joints:\n  u: {type: universal, between: [a, b], at: [0, 0, 1], axes: [x, -y], damping: [1, 2]}\n"
              "  f: {type: revolute, between: [b, c], frames: [{at: [1, 0, 0], axis: x}, {axis: [0, 3, 4]}]}\n"
              "  d: {type: distance, between: [ground, c], ends: [[0, 0, 0], [1, 0, 0]], length: 1.5}\n");
    (void)state;
    near_v(d->points[0].at, 1, 0, 0);
    near_v(d->points[1].at, 1, 3, 3);
    assert_true(d->bodies[2].orientation.w == 1);
    near_v(q4_rotate(d->bodies[3].orientation, v3(1, 0, 0)), 0, 0, -1);
    near_v(d->joints[0].frame[1].axis2, 0, -1, 0);
    assert_true(d->joints[0].coordinate[1].damping == 2 && !d->joints[0].local);
    assert_true(d->joints[1].local);
    near_v(d->joints[1].frame[1].axis, 0, 0.6, 0.8);
    assert_true(d->joints[2].closes_loop && d->joints[2].length == 1.5);
    near_v(d->joints[2].frame[1].at, 1, 0, 0);
    jn_description_free(d);
}

static void test_forces(void **state) {
    jn_description *d =
        parse("bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}\n"
              "joints:\n  ball: {type: spherical, between: [ground, a], at: [0, 0, 0], damping: [1, null, 2], speed: "
              "[0, 0, 1]}\n"
              "  left-pin: {type: revolute, between: [a, b], at: [0, 0, 0], axis: z, force: -2*x + joint.ball.u3, "
              "motor: {speed: 1, kd: 2}}\n"
              "  cyl: {type: cylindrical, between: [b, c], at: [0, 0, 0], axis: z, motion: [null, ramp(t, 0, 0, 1, "
              "2)], force: [5 N, null]}\n"
              "couplers:\n  g: {gear: [left-pin, cyl.2], ratio: 3}\n  m: {joints: {cyl.1: 1, cyl.2: 2, left-pin: -4}}\n"
              "forces:\n  s: {type: spring, between: [a, b], ends: [[0, 0, 0], [0, 0, 1]], stiffness: 2 N/mm, rest: "
              "0.5, tension: 3*x^2 + v}\n"
              "  f: {type: force, on: b, at: [1, 0, 0], force: [0, 0, sin(t)*joint.left-pin.q-2*t], in: body}\n"
              "  t: {type: torque, on: a, from: b, torque: [0, 0, 5 N*m]}\n"
              "  u: {type: bushing, between: [a, b], at: [0, 0, 0], stiffness: [1, 2, 3, 4, 5, 6], damping: [1, 1, 1, "
              "1, 1, 1]}\n");
    double var[8] = {1, 2, 3, 4, 5};
    (void)state;
    assert_int_equal(d->signal_count, 2);
    assert_true(d->signals[0].joint == 0 && d->signals[0].coordinate == 2 && d->signals[0].speed);
    assert_true(d->signals[1].joint == 1 && d->signals[1].coordinate == 0 && !d->signals[1].speed);
    near_to(jn_function_value(d->joints[1].coordinate[0].force, NULL, var), -4 + 4);
    assert_true(d->joints[1].coordinate[0].has_motor && d->joints[1].coordinate[0].motor_kd == 2);
    assert_true(isinf(d->joints[1].coordinate[0].motor_max) &&
                !jn_function_given(d->joints[1].coordinate[0].motor_target));
    assert_true(!jn_function_given(d->joints[2].coordinate[0].motion) &&
                jn_function_given(d->joints[2].coordinate[1].motion));
    assert_true(jn_function_is_constant(d->joints[2].coordinate[0].force));
    assert_true(d->couplers[0].count == 2 && d->couplers[0].joint[1] == 2 && d->couplers[0].coordinate[1] == 1 &&
                d->couplers[0].factor[1] == -3);
    assert_true(d->couplers[1].count == 3 && d->couplers[1].factor[2] == -4);
    assert_true(d->forces[0].stiffness == 2000 && d->forces[0].has_rest && d->forces[0].rest == 0.5);
    near_to(jn_function_value(d->forces[0].tension, NULL, var), 3 * 4 + 3);
    assert_true(d->forces[1].in_body && d->forces[1].body[1] == 2 && d->forces[1].body[0] == 0);
    near_to(jn_function_value(d->forces[1].component[2], NULL, var), sin(1) * 5 - 2);
    assert_true(d->forces[2].body[0] == 2 && d->forces[2].body[1] == 1);
    assert_true(d->forces[3].stiffness6[5] == 6 && d->forces[3].damping6[0] == 1);
    jn_description_free(d);
}

static void test_run(void **state) {
    jn_description *d =
        parse("parameters: {scheme: rk4, yes: true}\nrun: {analysis: inverse, integrator: scheme, stabilise: "
              "{baumgarte: {alpha: 10 Hz, beta: 20}}, until: 2 s, tolerance: {relative: 1e-5}}\n"
              "record: {every: 1 ms, channels: [\"body.*\", energy.total]}\ncoordinates: absolute\ngravity: none\n"
              "expect:\n  - {channel: body.a.x, time: 1 s, value: 2 mm, within: 1e-6, source: book}\n  - {event: third "
              "impact, time: 2.5 ms, within: 10 us}\n"
              "  - {channel: energy.total, at: max, below: 3, above: 1}\n  - {event: 12th contact, below: 3 s}\n");
    (void)state;
    assert_int_equal(d->run.analysis, JN_ANALYSIS_INVERSE);
    assert_int_equal(d->run.integrator, JN_INTEGRATOR_RK4);
    assert_int_equal(d->run.stabilise, JN_STABILISE_BAUMGARTE);
    assert_true(d->run.baumgarte_alpha == 10 && d->run.baumgarte_beta == 20 && d->run.until == 2 &&
                d->run.step == 1e-3);
    assert_true(d->run.relative_tolerance == 1e-5 && d->run.absolute_tolerance == 1e-10 && d->run.record_every == 1e-3);
    assert_int_equal(d->coordinates, JN_COORDINATES_ABSOLUTE);
    near_v(d->gravity, 0, 0, 0);
    assert_int_equal(d->record_count, 2);
    assert_string_equal(d->record[1], "energy.total");
    const jn_expect_desc *e = d->expects;
    assert_int_equal(d->expect_count, 4);
    assert_true(e[0].at == JN_EXPECT_TIME && e[0].time == 1 && e[0].has_value && e[0].value == 0.002 &&
                e[0].within == 1e-6);
    assert_string_equal(e[0].source, "book");
    assert_true(e[1].at == JN_EXPECT_EVENT && e[1].event_nth == 3 && e[1].has_value && e[1].value == 0.0025);
    assert_string_equal(e[1].event, "impact");
    assert_true(e[2].at == JN_EXPECT_MAX && e[2].has_below && e[2].has_above && !e[2].has_value);
    assert_true(e[3].event_nth == 12 && e[3].below == 3);
    jn_description_free(d);
}

static void test_json(void **state) {
    jn_description *d = parse("{\"plane\": \"xy\", \"parameters\": {\"l\": \"10 mm\"},\n \"bodies\": {\"a\": "
                              "{\"mass\": 1.5, \"com\": [\"2*l\", 0]}},\n"
                              " \"run\": {\"until\": \"2 s\"}, \"expect\": []}\n");
    (void)state;
    near_v(d->bodies[1].com, 0.02, 0, 0);
    jn_description_free(d);
}

static void test_anchors(void **state) {
    jn_description *d = parse("bodies:\n  a: &rod {mass: 1, com: [1, 0, 0]}\n  b: *rod\n  c: {<<: *rod, mass: 3}\n");
    (void)state;
    assert_true(d->bodies[2].mass == 1 && d->bodies[3].mass == 3 && d->bodies[3].com.x == 1);
    jn_description_free(d);
}

static void test_settings(void **state) {
    const char *text =
        "parameters: {l: 10 mm, w: adams}\nbodies: {a: &x {mass: 1, com: [l, 2*l, 0]}, b: *x}\nrun: {integrator: w}\n";
    const jn_setting set[] = {{"l", "1 m"},
                              {"w", "bdf"},
                              {"bodies.a.com[0]", "3*l"},
                              {"run.until", "7 s"},
                              {"record.every", "1 ms"},
                              {"gravity", "[0, 0, -1]"}};
    jn_description *d = parse_set(text, set, 6), *plain = parse(text), *again = parse(text);
    (void)state;
    near_v(d->bodies[1].com, 3, 2, 0);
    near_v(d->bodies[2].com, 1, 2, 0); /* the alias keeps its own */
    assert_true(d->run.until == 7 && d->run.record_every == 1e-3 && d->run.integrator == JN_INTEGRATOR_BDF &&
                d->gravity.z == -1);
    assert_true(plain->hash == again->hash && plain->hash != d->hash);
    jn_description_free(d);
    jn_description_free(plain);
    jn_description_free(again);
}

/* A row of expect counts where its parameters have the values that it is for. */
static void test_when(void **state) {
    const char *text = "parameters: {e: 0.7, law: hertz}\nbodies: {a: {mass: 1}}\nexpect:\n"
                       "  - {channel: body.a.x, below: 1, when: {e: 0.7, law: hertz}}\n"
                       "  - {channel: body.a.x, below: 2, when: {law: flores}}\n"
                       "  - {channel: body.a.x, below: 3, when: {e: 0.2 + 0.3}}\n"
                       "  - {channel: body.a.x, below: 4}\n";
    const jn_setting set[] = {{"e", "0.5"}, {"law", "flores"}};
    jn_description *d = parse(text), *other = parse_set(text, set, 2);
    (void)state;
    assert_int_equal(d->expect_count, 2);
    assert_true(d->expects[0].below == 1 && d->expects[1].below == 4);
    assert_int_equal(other->expect_count, 3);
    assert_true(other->expects[0].below == 2 && other->expects[1].below == 3);
    jn_description_free(d);
    jn_description_free(other);
}

/* A joint that may be driven or free, by a word or a number; rows that hold for some parameters and methods. */
static void test_driven(void **state) {
    const char *text = "plane: xy\nparameters: {on: false, w: 3, free: on == 0}\nbodies: {a: {mass: 1, inertia: 1}}\n"
                       "joints: {pin: {type: revolute, between: [ground, a], at: [0, 0], rate: w, driven: on}}\n"
                       "run: {method: nonsmooth}\n"
                       "expect:\n  - {channel: time, below: 1, when: {free: 1}}\n"
                       "  - {channel: time, below: 1, scheme: moreau_midpoint}\n"
                       "  - {channel: time, below: 1, method: compliant}\n";
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *const words[] = {"false", "0", "true", "1"};
        jn_setting set = {"on", words[k]};
        jn_description *d = parse_set(text, &set, 1);
        const jn_coordinate_desc *c = &d->joints[0].coordinate[0];
        assert_true(jn_function_given(c->motion) == (k > 1));
        assert_true(c->has_speed == (k < 2));
        if (k < 2) near_to(c->speed, 3);
        assert_int_equal(d->expect_count, k < 2 ? 3 : 2);
        const jn_expect_desc *last = &d->expects[d->expect_count - 1];
        assert_true(last->has_method && last->method == JN_METHOD_COMPLIANT);
        assert_true(last[-1].has_scheme && last[-1].scheme == JN_SCHEME_MOREAU_MIDPOINT && !last[-1].has_method);
        jn_description_free(d);
    }
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_include(void **state) {
    static jn_report report;
    char folder[] = "/tmp/jounce_read_XXXXXX", path[100], command[100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("sizes.yaml", "parameters: {l: 2 kg}\nrun: {until: 3 s, step: 1 ms}\n");
    write_file("arm.yaml", "include: sizes.yaml\nbodies: {arm: {mass: l}}\n");
    write_file("lift.csv", "time, lift\n0, 0\n1, 0.5\n2, 2\n3, 4.5\n");
    write_file("top.yaml", "include: [arm.yaml, sizes.yaml]\nbodies: {hand: {mass: 2*l}}\nrun: {until: 5 s}\n"
                           "tables: {cam: {file: lift.csv, x: time, y: lift}}\n"
                           "joints: {j: {type: prismatic, between: [ground, arm], axis: z, motion: spline(cam, t)}}\n");
    assert_int_equal(chdir("/"), 0);
    snprintf(path, sizeof path, "%s/top.yaml", folder);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    if (!d) {
        jn_error_format(&report.item[0], command, sizeof command);
        fail_msg("%s", command);
    }
    assert_int_equal(d->body_count, 3);
    assert_true(d->bodies[1].mass == 2 && d->bodies[2].mass == 4 && d->run.until == 5 && d->run.step == 1e-3);
    jn_jet var[3] = {{1.5, 1, 0}}, q = jn_function_jet(d->joints[0].coordinate[0].motion, d->tables, var);
    near_to(q.v, 1.125);
    near_to(q.d, 1.5);
    near_to(q.dd, 1);
    jn_description_free(d);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Named functions of time are put in place of their names; tables may repeat themselves. */
static void test_functions(void **state) {
    (void)state;
    static jn_report report;
    const char *text = "parameters: {k: 2}\n"
                       "tables: {wave: {periodic: true, points: [[0, 0], [1, 1], [2, 0], [3, -1], [4, 0]]}}\n"
                       "functions:\n  a: if(t < 1, k*t, k*t^2)\n  b: 3*a + a^2\n  c: spline(wave, t + 1)\n"
                       "bodies: {m: {mass: 1, inertia: [1, 1, 1]}, n: {mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints:\n  j: {type: prismatic, between: [ground, m], axis: z, motion: 2*b - 1}\n"
                       "  l: {type: prismatic, between: [ground, n], axis: z, motion: c}\n";
    jn_description *d = jn_description_parse(text, strlen(text), "f.yaml", NULL, 0, &report);
    assert_non_null(d);
    jn_jet early[3] = {{0.5, 1, 0}}, late[3] = {{2, 1, 0}}, far[3] = {{10, 1, 0}};
    near_to(jn_function_jet(d->joints[0].coordinate[0].motion, d->tables, early).v, 2 * (3 + 1) - 1);
    near_to(jn_function_jet(d->joints[0].coordinate[0].motion, d->tables, late).v, 2 * (24 + 64) - 1);
    near_to(jn_function_jet(d->joints[0].coordinate[0].motion, d->tables, late).d, 2 * (3 + 16) * 8);
    near_to(jn_function_jet(d->joints[1].coordinate[0].motion, d->tables, far).v, -1);
    jn_description_free(d);
}

static void test_building(void **state) {
    static jn_report report;
    jn_description *d = jn_description_create();
    jn_body_desc body = jn_body_default("a");
    jn_joint_desc joint = jn_joint_default("j", JN_JOINT_REVOLUTE);
    jn_force_desc force = jn_force_default("f", JN_FORCE_FORCE);
    jn_point_desc point = {.name = "p", .body = 1};
    jn_coupler_desc coupler = {.name = "c", .count = 1};
    double var[4] = {2, 3, 4, 5};
    (void)state;
    assert_non_null(d);
    jn_report_clear(&report);
    assert_int_equal(jn_description_add_body(d, &body), 1);
    assert_int_equal(jn_description_add_body(d, &body), JN_ERR_ARGUMENT);
    joint.body[1] = 1;
    assert_int_equal(jn_description_add_joint(d, &joint), 0);
    joint.name = "k", joint.body[1] = 7;
    assert_int_equal(jn_description_add_joint(d, &joint), JN_ERR_ARGUMENT);
    force.body[1] = 1;
    assert_int_equal(jn_description_add_force(d, &force), 0);
    assert_int_equal(jn_description_add_point(d, &point), 0);
    assert_int_equal(jn_description_add_coupler(d, &coupler), 0);
    coupler.name = "e", coupler.joint[0] = 3;
    assert_int_equal(jn_description_add_coupler(d, &coupler), JN_ERR_ARGUMENT);
    near_to(jn_function_value(jn_description_function(d, "t*x + v + joint.j.q", &report), NULL, var), 15);
    assert_int_equal(report.count, 0);
    assert_false(jn_function_given(jn_description_function(d, "t +", &report)));
    assert_string_equal(report.item[0].text, "'t +': the expression ends too early");
    jn_description_free(d);
    jn_description_free(NULL);
}

/* Words for the automatic choice, for no gravity, and for booleans. */
static void test_keywords(void **state) {
    (void)state;
    static const struct {
        const char *word;
        bool meant;
    } list[] = {{"true", true}, {"false", false}, {"on", true}, {"off", false}, {"yes", true}, {"no", false}};
    for (int k = 0; k < 6; k++) {
        char text[120];
        snprintf(text, sizeof text, "gravity: none\nrun: {until: 1, solver: %s, sleep: %s}\n",
                 k % 2 ? "auto" : "automatic", list[k].word);
        jn_description *d = parse(text);
        assert_null(d->run.solver);
        assert_int_equal(d->run.sleep, list[k].meant);
        assert_true(d->weightless);
        jn_description_free(d);
    }
}

/* The key 'on', which YAML 1.1 takes for true, is read as 'body' is; both together are a mistake. */
static void test_former_key(void **state) {
    static const char model[] = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\npoints: {p: {%s, at: [0, 0, 1]}}\n"
                                "forces: {f: {type: force, %s, at: [0, 0, 0], force: [0, 0, 1]}}\n";
    static const struct {
        const char *point, *force;
        bool fine;
    } list[] = {{"body: a", "body: a", true}, {"on: a", "on: a", true}, {"body: a, on: a", "body: a", false}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[300];
        jn_report report = {0};
        snprintf(text, sizeof text, model, list[i].point, list[i].force);
        jn_description *d = jn_description_parse(text, strlen(text), "model.yaml", NULL, 0, &report);
        assert_int_equal(d != NULL && report.errors == 0, list[i].fine);
        if (list[i].fine) assert_int_equal(d->points[0].body, 1);
        if (!list[i].fine) assert_non_null(strstr(report.item[0].text, "former name of 'body'"));
        jn_description_free(d);
    }
}

/* Parameters are listed with their values in SI units, units and words. */
static void parameters_are_listed(void **state) {
    (void)state;
    const jn_setting set = {"l", "25 cm"};
    jn_description *d =
        parse_set("parameters: {l: 10 mm, w: 150 rpm, k: 3 N*s/m, e: k*l, law: hertz, n: 4, list: [1, 2]}\n"
                  "bodies: {a: {mass: 1, com: [l, 0, 0], inertia: [1, 1, 1]}}\nrun: {until: 1}\n",
                  &set, 1);
    static const struct {
        const char *name, *unit, *word;
        double value;
    } wanted[] = {{"l", "m", NULL, 0.25},         {"w", "1/s", NULL, 5 * PI}, {"k", "N*s/m", NULL, 3},
                  {"e", "kg*m*s^-1", NULL, 0.75}, {"law", "", "hertz", NAN},  {"n", "", NULL, 4},
                  {"list", "", NULL, NAN}};
    assert_int_equal(d->parameter_count, sizeof wanted / sizeof *wanted);
    for (int i = 0; i < d->parameter_count; i++) {
        const jn_parameter_desc *p = &d->parameters[i];
        assert_string_equal(p->name, wanted[i].name);
        if (isnan(wanted[i].value))
            assert_true(isnan(p->value));
        else
            near_to(p->value, wanted[i].value);
        assert_true(!p->text == !wanted[i].word && (!p->text || !strcmp(p->text, wanted[i].word)));
        assert_string_equal(p->unit, wanted[i].unit);
    }
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_listed), cmocka_unit_test(test_former_key), cmocka_unit_test(test_planar),
        cmocka_unit_test(test_inertia_forms),    cmocka_unit_test(test_shapes),     cmocka_unit_test(test_places),
        cmocka_unit_test(test_forces),           cmocka_unit_test(test_run),        cmocka_unit_test(test_json),
        cmocka_unit_test(test_anchors),          cmocka_unit_test(test_settings),   cmocka_unit_test(test_when),
        cmocka_unit_test(test_driven),           cmocka_unit_test(test_include),    cmocka_unit_test(test_functions),
        cmocka_unit_test(test_building),         cmocka_unit_test(test_keywords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
