/* Sensors of contacts and cameras: values that a textbook gives, and what is refused. */
#include "text_model.h"

#include "algebra/vec3.h"
#include <jounce/jounce.h>
#include <string.h>

static const double g = 9.81;

/* A box of 2 kg that stands on a slope of 20 degrees, and a ball of 1 kg on the level floor beside it. */
#define SCENE                                                                                                          \
    "gravity: [-3.355217600628825, 0, -9.218384776222013]\n"                                                           \
    "bodies:\n"                                                                                                        \
    "  box: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.1], shape: {name: brick, type: box, size: [0.4, 0.6, 0.2]}}\n" \
    "  lid: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.3], shape: {type: sphere, radius: 0.05}}\n"              \
    "  ground: {shape: {name: floor, type: plane}}\n"                                                                  \
    "joints: {weld: {type: fixed, between: [box, lid], at: [0, 0, 0.2]}}\n"                                            \
    "points: {corner: {body: box, at: [0.2, 0.3, 0]}}\n"                                                               \
    "sensors:\n"                                                                                                       \
    "  four: {type: contact, first: ground, second: box.brick, data: [found, force, gap, place, normal, tangent], slots: 5}\n" \
    "  turned: {type: contact, first: {subtree: box}, second: ground.floor, data: [force, normal], slots: 4}\n"        \
    "  net: {type: contact, second: box, data: [found, force, torque, place, normal, tangent], reduce: netforce}\n"    \
    "  most: {type: contact, first: ground, data: [force], reduce: maxforce, slots: 2}\n"                              \
    "  one: {type: contact, point: corner, zone: sphere, zone_size: [0.1, 0.1, 0.1]}\n"                                \
    "  none: {type: contact, first: lid, data: [found, normal]}\n"                                                     \
    "  all: {type: contact}\n"

static void read_sensor(jn_sim *sim, const jn_model *m, const char *name, int count, double *v) {
    assert_int_equal(jn_sim_sensor(sim, jn_model_find_sensor(m, name), v), count);
}

/* Forces and torques about the origin balance the weight; each contact is what its channels say. */
static void check_scene(const char *run, double within) {
    char text[4000];
    jn_model *m;
    double v[JN_SENSOR_MOST], w[JN_SENSOR_MOST], weight = 3 * g, slope = 0.3490658503988659;
    snprintf(text, sizeof text, SCENE "%s", run);
    jn_sim *sim = text_sim(text, &m);
    assert_true(jn_sim_advance(sim, 0.5) >= 0 && jn_sim_observe(sim) >= 0);
    jn_vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    read_sensor(sim, m, "four", 5 * 14, v), read_sensor(sim, m, "turned", 4 * 6, w);
    for (int i = 0; i < 4; i++) {
        const double *c = v + 14 * i, *d = w + 6 * i;
        jn_vec3 p = {c[5], c[6], c[7]}, n = {c[8], c[9], c[10]}, t = {c[11], c[12], c[13]}, b = v3_cross(n, t);
        jn_vec3 f = v3_axpy(c[1], n, v3_axpy(c[2], t, v3_scale(c[3], b)));
        assert_near(c[0], 4, 0);
        assert_near(v3_norm(v3_sub(n, v3(0, 0, 1))), 0, 1e-4); /* normals point to the second body */
        assert_near(v3_dot(n, t), 0, 1e-14);
        assert_near(v3_norm(t), 1, 1e-14);
        assert_near(fabs(p.x), 0.2, 1e-3);
        assert_near(fabs(p.y), 0.3, 1e-3);
        assert_near(c[4], p.z, 0.01); /* on the floor, or a little below */
        assert_near(d[0], c[1], 1e-12);
        assert_near(d[5], -c[10], 1e-12);
        sum = v3_add(sum, f), moment = v3_add(moment, v3_cross(p, f));
    }
    for (int k = 0; k < 14; k++) assert_near(v[56 + k], 0, 0); /* the fifth slot is empty */
    assert_near(sum.z, weight * cos(slope), within * weight);
    assert_near(sum.x, weight * sin(slope), within * weight);
    assert_near(moment.y, 0.1 * 2 * g * sin(slope) + 0.3 * g * sin(slope), within * weight); /* of the weight, turned round */
    read_sensor(sim, m, "net", 16, v);
    assert_near(v[0], 4, 0);
    assert_near(v3_norm(v3_sub(v3(v[1], v[2], v[3]), sum)), 0, 1e-12);
    jn_vec3 place = {v[7], v[8], v[9]}, torque = v3_add(v3(v[4], v[5], v[6]), v3_cross(place, sum));
    assert_near(v3_norm(v3_sub(torque, moment)), 0, 1e-12);
    assert_near(v[10] + v[14], 2, 0); /* world axes */
    read_sensor(sim, m, "most", 6, v);
    assert_true(v3_norm(v3(v[0], v[1], v[2])) >= v3_norm(v3(v[3], v[4], v[5])));
    read_sensor(sim, m, "one", 1, v), assert_near(v[0], 1, 0);
    read_sensor(sim, m, "none", 4, v), assert_near(v[0] + fabs(v[1]) + fabs(v[2]) + fabs(v[3]), 0, 0);
    read_sensor(sim, m, "all", 1, v), assert_near(v[0], 4, 0);
    jn_sim_free(sim), jn_model_free(m);
}

static void test_rigid(void **state) {
    (void)state;
    check_scene("contacts: {rough: {friction: 0.8}}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n", 1e-6);
}

static void test_compliant(void **state) {
    (void)state;
    check_scene("contacts: {rough: {law: kelvin_voigt, stiffness: 1e5, damping: 800, friction: 0.8}}\n"
                "run: {method: compliant, until: 1}\n",
                2e-3);
}

/* Rolling resistance of a ball that rolls: the torque on it is rolling times load, against its motion. */
static void test_torque(void **state) {
    (void)state;
    jn_model *m;
    double v[JN_SENSOR_MOST];
    jn_sim *sim = text_sim("bodies:\n"
                           "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, 0.1], shape: {type: sphere, radius: 0.1}, velocity: [1, 0, 0],"
                           " angular_velocity: [0, 10, 0]}\n"
                           "  ground: {shape: {type: plane}}\n"
                           "sensors: {s: {type: contact, second: ball, data: [force, torque]}}\n"
                           "contacts: {soft: {law: kelvin_voigt, stiffness: 1e5, damping: 800, rolling: 1 mm}}\n"
                           "run: {method: compliant, until: 0.2}\n",
                           &m);
    assert_true(jn_sim_advance(sim, 0.2) >= 0 && jn_sim_observe(sim) >= 0);
    read_sensor(sim, m, "s", 6, v); /* frame: z, y, -x */
    assert_near(v[0], g, 1e-3);
    assert_near(v[4], -1e-3 * v[0], 1e-6); /* about y, against the rolling */
    assert_near(v[3], 0, 1e-9);
    jn_sim_free(sim), jn_model_free(m);
}

/* A pinhole: 2 m before a camera that looks along -z, 0.3 m to the right and 0.1 m up. */
static void test_camera(void **state) {
    (void)state;
    jn_model *m;
    double v[JN_SENSOR_MOST];
    jn_sim *sim = text_sim("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "points: {eye: {body: ground, at: [1, 2, 3]}, target: {body: a, at: [1.3, 2.1, 1]}}\n"
                           "sensors: {s: {type: camprojection, point: target, reference: eye, focal: [500, 600], resolution: [640, 480]}}\n"
                           "gravity: [0, 0, 0]\nrun: {until: 1}\n",
                           &m);
    assert_true(jn_sim_observe(sim) >= 0);
    read_sensor(sim, m, "s", 2, v);
    assert_near(v[0], 320 + 500 * 0.3 / 2, 1e-12);
    assert_near(v[1], 240 - 600 * 0.1 / 2, 1e-12); /* counted from above */
    jn_sim_free(sim), jn_model_free(m);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *sensor, *says;
    } bad[] = {{"{type: contact, data: [fond]}", "write found, force, torque"},
               {"{type: contact, data: []}", "the list is empty"},
               {"{type: contact, slots: 1.5}", "whole number"},
               {"{type: contact, first: {tree: a}}", "{subtree: arm}"},
               {"{type: contact, first: nobody}", "nobody"},
               {"{type: contact, first: a.fin}", "has no shape"},
               {"{type: contact, slots: 100, data: [force]}", "256 values at most"},
               {"{type: clock, data: [found]}", "needs nothing else"},
               {"{type: camprojection, point: p, reference: p}", "'focal' and 'resolution'"},
               {"{type: camprojection, point: p, reference: p, focal: [1, 0], resolution: [1, 1]}", "above zero"},
               {"{type: framepos, point: p, focal: [1, 1]}", "needs 'point'"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[600];
        jn_report report = {0};
        bool found = false;
        snprintf(text, sizeof text, "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\npoints: {p: {body: a, at: [0, 0, 0]}}\nsensors: {s: %s}\nrun: {until: 1}\n",
                 bad[k].sensor);
        jn_model *m = text_model(text, &report);
        for (int i = 0; i < report.count; i++) {
            char says[1400];
            jn_error_format(&report.item[i], says, sizeof says);
            found = found || strstr(says, bad[k].says);
        }
        if (m || !found) print_message("%s: %s\n", bad[k].sensor, report.count ? report.item[0].text : "read");
        assert_true(!m && found);
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rigid), cmocka_unit_test(test_compliant), cmocka_unit_test(test_torque),
                                       cmocka_unit_test(test_camera), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
