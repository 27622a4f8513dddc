/* Rays against shapes of all kinds: the point found lies on the surface, nothing lies before it, and rays that miss do miss; closed forms of
 * single shapes; sensors that look at shapes, feel contacts and stops. */
#include "check.h"
#include "text_model.h"

#include "step/sim.h"
#include <stdlib.h>

#define EPSILON 1e-9

static const char *const shapes[] = {
    "{type: sphere, radius: 0.4}",
    "{type: box, size: [0.4, 0.6, 0.9]}",
    "{type: cylinder, radius: 0.3, length: 0.8}",
    "{type: capsule, radius: 0.2, length: 0.7}",
    "{type: ellipsoid, size: [0.2, 0.4, 0.6]}",
    "{type: hull, points: [[0, 0, 0], [0.5, 0, 0], [0, 0.6, 0], [0.1, 0.1, 0.7], [0.4, 0.4, 0.4]]}",
    "{type: cone, radius: 0.3, height: 0.7}",
    "{type: torus, radius: 0.4, tube: 0.1}",
    "{type: superellipsoid, size: [0.3, 0.4, 0.5], exponents: [0.7, 0.8]}",
};

static double uniform(unsigned *seed) { return 2.0 * rand_r(seed) / RAND_MAX - 1; }

/* Signed distance of a point from the shape: the gap of a ball of radius zero. */
static double distance(const jn_model *m, const jn_work *w, int solid, jn_vec3 p) {
    const jn_solid *s = jn_model_solid(m, solid), point = {.type = JN_SHAPE_SPHERE, .body = -1};
    jn_contact_geometry c[JN_MANIFOLD_MAX];
    jn_pose X = {w->link[s->link].O, w->link[s->link].R}, Y = {p, m3_identity()};
    assert_true(jn_pair_collide(s, &X, &point, &Y, INFINITY, NULL, c) > 0);
    return c[0].gap;
}

static void test_shapes(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char text[400];
        unsigned seed = 11;
        int hits = 0;
        double off = 0;
        snprintf(text, sizeof text, "bodies: {a: {mass: 1, inertia: [1, 1, 1], shape: %s}}\nrun: {until: 1}\n", shapes[k]);
        jn_report report = {0};
        jn_model *m = text_model(text, &report);
        check_report(&report);
        jn_work *w = jn_work_create(m);
        jn_state *s = jn_state_create(m);
        jn_kinematics(m, w, s);
        for (int n = 0; n < 600; n++) {
            jn_vec3 from = v3(2 * uniform(&seed), 2 * uniform(&seed), 2 * uniform(&seed));
            jn_vec3 to = v3(0.4 * uniform(&seed), 0.4 * uniform(&seed), 0.4 * uniform(&seed));
            jn_vec3 dir = v3_unit(v3_sub(to, from));
            if (distance(m, w, 0, from) < 0.01) continue;
            jn_ray_hit hit;
            double t = jn_ray_cast(m, w, from, dir, 10, -1, &hit), end = fmin(t, 6);
            for (int i = 1; i < 40; i++) /* nothing before it */
                if (distance(m, w, 0, v3_axpy(end * i / 40, dir, from)) < -EPSILON) fail_msg("%s: a ray passes", shapes[k]);
            if (!isfinite(t)) continue;
            hits++;
            off = fmax(off, fabs(distance(m, w, 0, hit.point)));
            assert_true(v3_dot(hit.normal, dir) < EPSILON && fabs(v3_norm(hit.normal) - 1) < EPSILON);
            assert_true(hit.body == 1 && hit.solid == 0);
        }
        print_message("%-60s %d hits, off the surface by %.1e m\n", shapes[k], hits, off);
        assert_true(hits > 90);
        assert_below(off, 1e-9);
        jn_state_free(s), jn_work_free(w), jn_model_free(m);
    }
}

static void test_far(void **state) {
    (void)state;
    jn_report report = {0};
    jn_model *m = text_model("bodies: {a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 0.5}}, ground: {shape: {type: plane, at: "
                             "[0, 0, -1]}}}\nrun: {until: 1}\n",
                             &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    jn_ray_hit hit;
    jn_kinematics(m, w, s);
    assert_near(jn_ray_cast(m, w, v3(0, 0, 3), v3(0, 0, -7), 10, -1, &hit), 2.5, 1e-15);
    assert_true(hit.body == 1);
    assert_near(jn_ray_cast(m, w, v3(0, 0, 3), v3(0, 0, -7), 10, 1, &hit), 4, 1e-15); /* past the ball */
    assert_true(hit.body == JN_GROUND && hit.normal.z == 1);
    assert_near(jn_ray_cast(m, w, v3(0, 0, 0), v3(1, 0, 0), 10, -1, NULL), 0.5, 1e-15); /* from inside */
    assert_true(isinf(jn_ray_cast(m, w, v3(0, 0, 3), v3(0, 0, -1), 2, -1, &hit)) && hit.body == -1);
    assert_true(isinf(jn_ray_cast(m, w, v3(0, 0, -3), v3(0, 0, 1), 1.9, -1, NULL))); /* planes from above alone */
    assert_true(isinf(jn_ray_cast(m, w, v3(0, 0, 3), v3(0, 0, 0), 9, -1, NULL)));
    jn_state_free(s), jn_work_free(w), jn_model_free(m);
}

/* A box at rest: the floor carries its weight, half of it in the zone over one end. An arm that leans on its stop. */
static void test_reactions(void **state) {
    static const char scene[] =
        "bodies:\n"
        "  box: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0.1], shape: {type: box, size: [0.4, 0.4, 0.2], at: [0, 0, 0.1]}}\n"
        "  arm: {mass: 1, com: [3.5, 0, 5], inertia: [0.1, 0.1, 0.1]}\n"
        "  ground: {shape: {type: plane}}\n"
        "joints:\n"
        "  hinge: {type: revolute, between: [ground, arm], at: [3, 0, 5], axis: y, upper: 0.3}\n"
        "contacts: {floor: {friction: 0.5}}\n"
        "points:\n"
        "  sole: {body: box, at: [0, 0, 0]}\n  edge: {body: box, at: [0.2, 0, 0]}\n  eye: {body: box, at: [0, 0, 0.3], orientation: {axis: y, "
        "angle: 180 deg}}\n"
        "sensors:\n"
        "  all: {type: touch, point: sole, zone: box, zone_size: [0.3, 0.3, 0.01]}\n"
        "  half: {type: touch, point: edge, zone: box, zone_size: [0.1, 0.3, 0.01]}\n"
        "  none: {type: touch, point: sole, zone: sphere, zone_size: [0.1, 0.1, 0.1]}\n"
        "  range: {type: rangefinder, point: eye}\n"
        "  stop: {type: jointlimitfrc, joint: hinge}\n"
        "  gap: {type: distance, between: [box, ground], cutoff: 1}\n"
        "run: {method: nonsmooth, step: 1 ms, until: 3}\n";
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(scene, &m);
    double v[JN_SENSOR_MOST];
    assert_true(jn_sim_advance(sim, 3) >= 0 && jn_sim_observe(sim) >= 0);
    assert_true(jn_sim_sensor(sim, jn_model_find_sensor(m, "all"), v) == 1);
    assert_near(v[0], 2 * 9.81, 1e-3);
    jn_sim_sensor(sim, jn_model_find_sensor(m, "half"), v);
    assert_near(v[0], 9.81, 0.5);
    jn_sim_sensor(sim, jn_model_find_sensor(m, "none"), v);
    assert_near(v[0], 0, 0);
    jn_sim_sensor(sim, jn_model_find_sensor(m, "range"), v);
    assert_near(v[0], 0.3, 1e-6);
    jn_sim_sensor(sim, jn_model_find_sensor(m, "gap"), v);
    assert_near(v[0], 0, 1e-6);
    jn_sim_sensor(sim, jn_model_find_sensor(m, "stop"), v);
    assert_near(v[0], 9.81 * 0.5 * cos(0.3), 1e-3);
    jn_ray_hit hit;
    assert_near(jn_sim_ray(sim, v3(0.1, 0.1, 2), v3(0, 0, -1), 10, -1, &hit), 1.8, 1e-5);
    jn_sim_free(sim), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_reactions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
