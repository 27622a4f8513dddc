/* Adhesion in every contact method against closed forms: a ball that is pulled off, a box that adhesion keeps from sliding, suction across a
 * gap, and what MJCF's <adhesion> becomes. */
#include "algebra/vec3.h"
#include "check.h"

#include <jounce/jounce.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"nonsmooth", "compliant", "impact"};

typedef struct run {
    jn_description *d;
    jn_model *m;
    jn_sim *sim;
} run;

static run start(const char *text, const char *method) {
    jn_report report = {0};
    jn_setting set = {"run.method", method};
    run r = {.d = jn_description_parse(text, strlen(text), "adhesion.yaml", &set, 1, &report)};
    check_report(&report);
    assert_non_null(r.d);
    r.m = jn_model_compile(r.d, &report);
    check_report(&report);
    assert_non_null(r.m);
    r.sim = jn_sim_create(r.m, &report);
    check_report(&report);
    assert_non_null(r.sim);
    return r;
}

/* Energy and momentum are explained. */
static void finish(run *r, double energy_within) {
    const jn_audit *a = jn_sim_audit(r->sim);
    assert_true(a->max_energy_residual <= energy_within);
    assert_true(a->max_momentum_residual <= 1e-9);
    jn_sim_free(r->sim);
    jn_model_free(r->m);
    jn_description_free(r->d);
}

static jn_body_motion motion_of(const run *r, int body) {
    jn_body_motion out;
    jn_body_motion_get(r->m, jn_sim_work(r->sim), body, &out);
    return out;
}

/* Height of the centre of mass of the only body. */
static jn_vec3 centre(const run *r) {
    jn_kinematics(r->m, jn_sim_work(r->sim), jn_sim_state(r->sim));
    return motion_of(r, 1).position;
}

/* 1 kg under a pull of 20 t N: weight and adhesion of 10 N hold it until 20 t = 19.81; from then on z'' = 20 t - 9.81. Adhesion ends with the step in
 * which the contact opens, and the compliant one is as much later as its damper takes. */
static void test_lift(void **state) {
    (void)state;
    static const char text[] = "bodies:\n  ground: {shape: {type: plane}}\n"
                               "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], com: [0, 0, 0.1], shape: {type: "
                               "sphere, radius: 0.1, at: [0, 0, 0.1]}}\n"
                               "forces:\n  pull: {type: force, body: ball, at: [0, 0, 0.1], force: [0, 0, 20*t]}\n"
                               "actuators:\n  glue: {adhesion: ball, gain: 10, control: 1, control_range: [0, 1]}\n"
                               "contacts:\n  all: {law: kelvin_voigt, friction: 0.5, stiffness: 1e6, damping: 1e3}\n"
                               "run: {step: 1 ms, until: 1.2}\n";
    const double t0 = 19.81 / 20, T = 1.2;
    const double z = 0.1 + 10 * ((T * T * T - t0 * t0 * t0) / 3 - t0 * t0 * (T - t0)) - 9.81 * (T - t0) * (T - t0) / 2;
    const double speed = 10 * (T * T - t0 * t0) - 9.81 * (T - t0);
    for (int k = 0; k < 3; k++) {
        run r = start(text, methods[k]);
        assert_int_equal(jn_sim_advance(r.sim, t0 - 2e-3), JN_OK);
        assert_near(centre(&r).z, 0.1, k == 1 ? 3e-5 : 1e-9); /* the compliant one is pressed in by 2e-5 */
        assert_int_equal(jn_sim_advance(r.sim, T), JN_OK);
        assert_near(centre(&r).z, z, 3e-3 * speed); /* three steps late at most */
        finish(&r, 1e-4);
    }
}

/* Shapes that stick: under a ceiling a box hangs by four points, each with the forces of both shapes, 4 (1 N + a); below its weight it falls. A ball of
 * 1 kg that is pulled down by 20 t N beside its weight hangs by 15 N until 20 t = 5.19. */
static void test_shapes(void **state) {
    (void)state;
    static const char box[] = "bodies:\n  ground: {shape: {type: plane, normal: [0, 0, -1], adhesion: 1 N}}\n"
                              "  box: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, -0.1], shape: {type: box, "
                              "size: [0.2, 0.2, 0.2], at: [0, 0, -0.1], adhesion: %s}}\n"
                              "contacts:\n  all: {law: kelvin_voigt, friction: 0.5, stiffness: 1e6, damping: "
                              "1e3}\nrun: {step: 1 ms, until: 0.5}\n";
    static const char ball[] = "bodies:\n  ground: {shape: {type: plane, normal: [0, 0, -1]}}\n"
                               "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], com: [0, 0, -0.1], shape: {type: "
                               "sphere, radius: 0.1, at: [0, 0, -0.1], adhesion: 15}}\n"
                               "forces:\n  pull: {type: force, body: ball, at: [0, 0, -0.1], force: [0, 0, -20*t]}\n"
                               "contacts:\n  all: {law: kelvin_voigt, friction: 0.5, stiffness: 1e6, damping: "
                               "1e3}\nrun: {step: 1 ms, until: 0.5}\n";
    const double t0 = 5.19 / 20, T = 0.5, g = 9.81;
    const double z = -0.1 - g * (T - t0) * (T - t0) / 2 - 10 * ((T * T * T - t0 * t0 * t0) / 3 - t0 * t0 * (T - t0));
    for (int k = 0; k < 3; k++) {
        for (int holds = 0; holds < 2; holds++) {
            char text[700];
            snprintf(text, sizeof text, box, holds ? "1.5" : "1.4");
            run r = start(text, methods[k]);
            assert_true(jn_sim_advance(r.sim, 0.5) >= 0);
            assert_near(centre(&r).z, holds ? -0.1 : -0.1 - g * 0.125,
                        holds ? 1e-5 : 3e-3 * g * 0.5); /* three steps late at most */
            assert_near(centre(&r).x, 0, 1e-9);
            finish(&r, 1e-4);
        }
        run r = start(ball, methods[k]);
        assert_true(jn_sim_advance(r.sim, T) >= 0);
        assert_near(centre(&r).z, z, 3e-3 * (g * (T - t0) + 10 * (T * T - t0 * t0)));
        finish(&r, 1e-4);
    }
}

/* At 45 degrees with mu = 0.5 a box slides unless a > g/sqrt(2) of adhesion helps: mu (m g/sqrt(2) + 10 N) holds it. From 0.5 s on nothing does:
 * x'' = 0.5 * 6.937. The force is shared by its four corners: it does not tilt. */
static void test_slope(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [6.937, 0, -6.937]\nbodies:\n  ground: {shape: {type: plane}}\n"
        "  box: {mass: 1, inertia: [0.004, 0.004, 0.004], com: [0, 0, 0.05], shape: {type: box, size: [0.2, 0.2, 0.1], "
        "at: [0, 0, 0.05]}}\n"
        "actuators:\n  glue: {adhesion: box, gain: 10, control: \"if(t < 0.5, 1, 0)\", control_range: [0, 1]}\n"
        "contacts:\n  all: {law: kelvin_voigt, friction: 0.5, stiffness: 1e6, damping: 1e3}\n"
        "run: {step: 1 ms, until: 1}\n";
    const double x = 0.5 * 0.5 * 6.937 * 0.25;
    for (int k = 0; k < 3; k++) {
        run r = start(text, methods[k]);
        assert_int_equal(jn_sim_advance(r.sim, 0.5), JN_OK);
        assert_near(centre(&r).x, 0, k == 1 ? 5e-3 : 5e-6);
        jn_actuator_motion glue = jn_actuator_motion_get(r.m, jn_sim_work(r.sim), 0);
        assert_near(glue.length, 0, 0);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        assert_near(centre(&r).x, x, k == 1 ? 5e-3 : 2e-3);
        finish(&r, 1e-4);
    }
}

/* Suction: a ball 10 mm below a ceiling rises to it within the reach of 20 mm, not within 5 mm. F = 20 N on 1 kg: z'' = 10.19. */
static void test_reach(void **state) {
    (void)state;
    static const char before[] = "bodies:\n  ground: {shape: {type: box, size: [1, 1, 0.2], at: [0, 0, 1.1]}}\n"
                                 "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], com: [0, 0, 0.89], shape: {type: "
                                 "sphere, radius: 0.1, at: [0, 0, 0.89]}}\n"
                                 "actuators:\n  cup: {adhesion: ball, reach: ";
    static const char after[] =
        ", control: 20}\n"
        "contacts:\n  all: {law: kelvin_voigt, stiffness: 1e6, damping: 1e3}\nrun: {step: 0.5 ms, until: 0.2}\n";
    for (int k = 0; k < 3; k++)
        for (int far = 0; far < 2; far++) {
            char own[900];
            snprintf(own, sizeof own, "%s%s%s", before, far ? "20 mm" : "5 mm", after);
            run r = start(own, methods[k]);
            assert_int_equal(jn_sim_advance(r.sim, 0.04), JN_OK);
            assert_near(centre(&r).z, 0.89 + 0.5 * (far ? 10.19 : -9.81) * 0.04 * 0.04, 2e-5);
            assert_int_equal(jn_sim_advance(r.sim, 0.2), JN_OK);
            assert_near(centre(&r).z, far ? 0.9 : 0.89 - 0.5 * 9.81 * 0.04, far ? 1e-4 : 1e-6);
            finish(&r, 1e-3);
        }
}

/* Two free balls in a void: what pulls them together keeps their momentum. */
static void test_momentum(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, inertia: [0.004, 0.004, 0.004], velocity: [0.3, 0.1, 0], shape: "
        "{type: sphere, radius: 0.1}}\n"
        "  b: {mass: 2, inertia: [0.008, 0.008, 0.008], at: [0.25, 0.02, 0], shape: {type: sphere, radius: 0.1}}\n"
        "actuators:\n  magnet: {adhesion: b, reach: 0.1, control: 5}\n"
        "contacts:\n  all: {law: kelvin_voigt, friction: 0.3, stiffness: 1e5, damping: 100}\nrun: {step: 0.5 ms, "
        "until: 1}\n";
    for (int k = 0; k < 3; k++) {
        run r = start(text, methods[k]);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        jn_kinematics(r.m, jn_sim_work(r.sim), jn_sim_state(r.sim));
        jn_body_motion a = motion_of(&r, 1), b = motion_of(&r, 2);
        jn_vec3 p = v3_axpy(2, b.velocity, a.velocity);
        assert_near(p.x, 0.3, 1e-10), assert_near(p.y, 0.1, 1e-10), assert_near(p.z, 0, 1e-10);
        assert_near(v3_norm(v3_sub(b.position, a.position)), 0.2, 1e-3); /* they stick together */
        finish(&r, 1e-3);
    }
}

static void test_mjcf(void **state) {
    (void)state;
    static const char text[] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='foot' pos='0 0 "
                               ".1'><freejoint/><geom size='.1' gap='.01' margin='.01'/>"
                               "</body></worldbody><default><adhesion ctrlrange='0 1'/></default><actuator><adhesion "
                               "name='glue' body='foot' gain='5'/></actuator></mujoco>";
    static const char wrong[] = "<mujoco><worldbody><body name='foot'><freejoint/><geom "
                                "size='.1'/></body></worldbody>\n<actuator><adhesion body='foot'/></actuator></mujoco>";
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "robot.xml", NULL, 0, &report);
    check_report(&report);
    assert_non_null(d);
    const jn_actuator_desc *a = &d->actuators[0];
    assert_int_equal(a->on, JN_ACTUATOR_ADHESION);
    assert_string_equal(d->bodies[a->body[1]].name, "foot");
    assert_near(a->gain[0], 5, 0), assert_near(a->reach, 0.01, 0), assert_near(a->control_range[1], 1, 0);
    jn_description_free(d);
    assert_null(jn_description_parse(wrong, strlen(wrong), "robot.xml", NULL, 0, &report));
    assert_int_equal(report.item[0].line, 2);
    assert_non_null(strstr(report.item[0].text, "ctrlrange"));
}

/* Saved at any instant, while it holds, lets go or catches again across a gap, a run goes on with the same bits in all methods. */
static void test_resume(void **state) {
    (void)state;
    static const char text[] =
        "bodies:\n  ground: {shape: {type: box, size: [2, 2, 0.2], at: [0, 0, 1.1]}}\n"
        "  pad: {mass: 2, inertia: [0.02, 0.03, 0.04], at: [0, 0, 0.9], shape: {type: box, size: [0.4, 0.2, 0.2]}}\n"
        "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0.5, 0.5, 0.9], shape: {type: sphere, radius: 0.1}}\n"
        "actuators:\n  glue: {adhesion: pad, gain: 1, control: \"25 + 12*sin(40*t)\", reach: 5 mm}\n"
        "  suck: {adhesion: ball, gain: 1, control: \"30 - 60*t\", activation: filter, time: 20 ms, start: 20}\n"
        "contacts: {all: {restitution: 0.2, friction: 0.4, stiffness: 1e5}}\nrun: {step: 1 ms, until: 0.5}\n";
    for (int k = 0; k < 3; k++) {
        run r = start(text, methods[k]);
        jn_report report = {0};
        jn_sim *parts = jn_sim_create(r.m, &report);
        check_report(&report);
        int compared = 0, status = JN_OK;
        for (int n = 0; status >= 0 && n < 3000 && jn_sim_state(r.sim)->t < 0.45; n++) {
            status = jn_sim_step(r.sim, 0.5);
            if (n % 15 || status < 0) continue;
            size_t size;
            unsigned char *bytes = jn_sim_to_bytes(r.sim, &size);
            assert_int_equal(jn_sim_from_bytes(parts, bytes, size, &report), JN_OK);
            jn_bytes_free(bytes);
            for (int i = 0; i < 3; i++) assert_int_equal(jn_sim_step(parts, 0.5), status = jn_sim_step(r.sim, 0.5));
            assert_true(jn_state_hash(jn_sim_state(parts)) == jn_state_hash(jn_sim_state(r.sim)));
            compared++;
        }
        print_message("%s: %d instants, pad at %.4f m\n", methods[k], compared, jn_sim_state(r.sim)->q[2]);
        assert_true(status >= 0 && compared >= 5);
        jn_sim_free(parts), jn_sim_free(r.sim), jn_model_free(r.m), jn_description_free(r.d);
    }
}

/* Sixteen points for each shape that sticks and 64 more: forty boxes on a plate that sticks have 160. */
static void test_too_many_points(void **state) {
    (void)state;
    static char text[16000];
    int at = snprintf(
        text, sizeof text,
        "bodies:\n  ground: {shape: {type: box, at: [0, 0, -0.1], size: [9, 9, 0.2], adhesion: 1 N}}\n");
    for (int i = 0; i < 40; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  b%d: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], com: [%g, %g, 0.05], shape: {type: box, at: [%g, "
                       "%g, 0.05], size: [0.1, 0.1, 0.1]}}\n",
                       i, 0.2 * (i % 8), 0.2 * (i / 8), 0.2 * (i % 8), 0.2 * (i / 8));
    snprintf(text + at, sizeof text - (size_t)at, "contacts: {all: {friction: 0.5}}\nrun: {step: 1 ms, until: 0.1}\n");
    run r = start(text, "nonsmooth");
    assert_int_equal(jn_sim_advance(r.sim, 0.1), JN_ERR_LIMIT);
    assert_non_null(strstr(jn_sim_error(r.sim)->text, "shapes that stick have more than 80 contact points"));
    jn_sim_free(r.sim), jn_model_free(r.m), jn_description_free(r.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lift),     cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_slope),    cmocka_unit_test(test_reach),
                                       cmocka_unit_test(test_momentum), cmocka_unit_test(test_mjcf),
                                       cmocka_unit_test(test_resume),   cmocka_unit_test(test_too_many_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
