/* What the nonsmooth method says: about keys, by their place; about what cannot be; about a result that is none. */
#include "step/sim.h"
#include "text_model.h"

#define BALL(run)                                                                                                      \
    "plane: xy\nbodies:\n"                                                                                             \
    "  ground: {shape: {type: half_plane, at: [0, 0]}}\n"                                                              \
    "  ball: {mass: 1, inertia: 0.01, com: [0, 1], shape: {type: circle, radius: 0.1, at: [0, 1]}}\n"                  \
    "contacts: {floor: {between: [ground, ball], restitution: 0.5}}\nrun:\n  method: nonsmooth\n" run

static void expect_message(const char *text, jn_severity severity, int line, int column, const char *words) {
    jn_report report = {0};
    jn_model *m = text_model(text, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    assert_true((sim == NULL) == (severity == JN_SEVERITY_ERROR));
    bool found = false;
    for (int i = 0; i < report.count; i++) {
        const jn_error *e = &report.item[i];
        print_message("%d:%d: %s\n", e->line, e->column, e->text);
        found |= e->severity == severity && e->line == line && e->column == column && strstr(e->text, words);
    }
    assert_true(found);
    jn_sim_free(sim), jn_model_free(m);
}

static void keys_are_named_where_they_stand(void **state) {
    (void)state;
    expect_message(BALL("  theta: 0.3\n"), JN_SEVERITY_ERROR, 8, 3, "'theta' lies between 0.5 and 1");
    expect_message(BALL("  solver: lenke\n"), JN_SEVERITY_ERROR, 8, 3, "there is no solver 'lenke'");
    expect_message(BALL("  integrator: rk4\n"), JN_SEVERITY_WARNING, 8, 3, "'integrator' has no effect");
    expect_message(BALL("  max_step: 1 ms\n"), JN_SEVERITY_WARNING, 8, 3, "'max_step' has no effect");
    expect_message(BALL("  compliance: 1e-3\n"), JN_SEVERITY_WARNING, 8, 3, "'compliance' has no effect here");
    expect_message("plane: xy\nbodies:\n  a: {mass: 1, com: [0, 1], shape: {type: circle, radius: 0.1, at: [0, 1]}}\n"
                   "run: {until: 1}\n",
                   JN_SEVERITY_ERROR, 3, 3, "body 'a' is a point mass");
}

/* A ram presses a block on the floor, fast or slowly, by every scheme and by method impact. */
static void a_driver_that_presses_bodies_into_each_other_is_reported(void **state) {
    (void)state;
    static const char *const method[] = {"nonsmooth, scheme: momentum_leapfrog", "nonsmooth, scheme: moreau_jean",
                                         "nonsmooth, scheme: moreau_midpoint", "nonsmooth, scheme: least_constraint",
                                         "impact"};
    static const double speed[] = {0.5, 0.005};
    for (int k = 0; k < 10; k++) {
        char text[1024];
        jn_model *m;
        double v = speed[k / 5], meets = 0.1 / v;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies:\n  ground: {shape: {type: half_plane, at: [0, 0]}}\n"
                 "  box: {mass: 1, inertia: 0.01, com: [0, 0.1], shape: {type: box, size: [0.2, 0.2], at: [0, 0.1]}}\n"
                 "  ram: {mass: 1, inertia: 0.01, com: [0, 0.4], shape: {type: box, size: [0.2, 0.2], at: [0, 0.4]}}\n"
                 "joints: {press: {type: prismatic, between: [ground, ram], at: [0, 0.4], axis: y, motion: -%g*t}}\n"
                 "contacts: {floor: {between: [ground, box]}, top: {between: [box, ram]}}\n"
                 "run: {method: %s, step: 1e-3, until: %g}\n",
                 v, method[k % 5], 2 * meets);
        jn_sim *sim = text_sim(text, &m);
        int status = jn_sim_advance(sim, 2 * meets);
        print_message("%s at %g m/s: t = %g s of %g, knots %ld, %s\n", method[k % 5], v, jn_sim_state(sim)->t, meets,
                      (long)jn_sim_audit(sim)->knots, status < 0 ? jn_sim_error(sim)->text : "runs");
        assert_true(status < 0);
        assert_near(jn_sim_state(sim)->t, meets, 0.01 / v);
        assert_non_null(strstr(jn_sim_error(sim)->text, "a driver and the contacts cannot both be met"));
        assert_non_null(strstr(jn_sim_error(sim)->hint, "motor"));
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* The stop is reported by its joint. */
static void a_driver_that_goes_beyond_a_stop_is_reported(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("plane: xy\nbodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
                           "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0], motion: 0.5*t, lower: "
                           "-0.2, upper: 0.2}}\n"
                           "run: {method: nonsmooth, step: 1e-3, until: 1}\n",
                           &m);
    assert_true(jn_sim_advance(sim, 1) < 0);
    assert_near(jn_sim_state(sim)->t, 0.4, 0.02);
    assert_non_null(strstr(jn_sim_error(sim)->text, "against the stop of joint 'hinge'"));
    jn_sim_free(sim), jn_model_free(m);
}

/* Any coefficient above a thousand is no slip. */
static void huge_friction_is_no_slip(void **state) {
    (void)state;
    for (double mu = 1e3; mu < 1e17; mu *= 1e3) {
        char text[512];
        jn_model *m;
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane, at: [0, 0, 0]}}\n"
                 "  box: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.1], velocity: [0.1, 0, 0],\n"
                 "        shape: {type: box, size: [0.2, 0.2, 0.2], at: [0, 0, 0.1]}}\n"
                 "contacts: {floor: {between: [ground, box], friction: %g}}\n"
                 "run: {method: nonsmooth, step: 1e-3, residual: 1e-9 m/s, until: 0.5}\n",
                 mu);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.5), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        assert_true(a->ok);
        assert_below(a->contact_speed_error, 1e-9);
        assert_below(fabs(jn_sim_state(sim)->u[0]), 1e-10);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Moreau's midpoint rule leaves positions alone: at 4.4 m/s and 50 ms the ball sinks 20 cm into the floor. */
static void sinking_bodies_are_no_result(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(BALL("  scheme: moreau_midpoint\n  step: 50 ms\n"), &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    print_message("%s\n", a->verdict);
    assert_near(a->penetration_tolerance, 0.5 * 0.1, 1e-15);
    assert_true(!a->ok && strstr(a->verdict, "sink into each other"));
    jn_sim_free(sim), jn_model_free(m);
    sim = text_sim(BALL("  step: 50 ms\n"), &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    assert_near(jn_sim_audit(sim)->penetration_tolerance, 1e-4, 1e-15);
    assert_below(jn_sim_audit(sim)->max_penetration, 1e-9);
    jn_sim_free(sim), jn_model_free(m);
}

/* Shapes of which no contact row says anything overlap as they like. */
static void shapes_without_contacts_do_not_touch(void **state) {
    (void)state;
    jn_report report = {0};
    jn_model *m =
        text_model("bodies:\n"
                   "  a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0], shape: {type: sphere, radius: 0.2}}\n"
                   "  b: {mass: 1, inertia: [1, 1, 1], com: [0.1, 0, 0], shape: {type: sphere, radius: 0.2}}\n"
                   "run: {method: nonsmooth, step: 1 ms, until: 10 ms}\n",
                   &report);
    jn_sim *sim = jn_sim_create(m, &report);
    assert_non_null(sim);
    assert_int_equal(jn_sim_advance(sim, 0.01), JN_OK);
    assert_near(jn_sim_state(sim)->t, 0.01, 1e-12);
    jn_sim_free(sim), jn_model_free(m);
}

#define SUNK(rest)                                                                                                                              \
    "bodies:\n  ground: {shapes: [{type: plane}, {type: box, size: [1, 1, 0.2], at: [2, 0, 0.1]}, {type: box, size: [1, 1, 0.2], at: [4, 0, 0.1], " \
    "orientation: {axis: y, angle: 30 deg}}]}\n"                                                                                                \
    "  low: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0.07], shape: {type: sphere, radius: 0.1, at: [0, 0, 0.07]}}\n"                                       \
    "  beside: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [1.45, 0, 0.1], shape: {type: box, size: [0.2, 0.2, 0.2], at: [1.45, 0, 0.1]}}\n"                           \
    "  slope: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [4, 0, 0.3], shape: {type: sphere, radius: 0.2, at: [4, 0, 0.3]}}\n"                                      \
    "contacts: {a: {between: [ground, low]}, b: {between: [ground, beside]}, c: {between: [ground, slope]}}\n"                                  \
    "run: {method: nonsmooth, step: 1 ms, until: 10 ms}\n" rest

/* Free bodies that are drawn in the ground are an error that says what lifts them, or are lifted: out of a plane by their depth, out of the side of a box onto its
 * top, from a slope by depth / cos 30 degrees, here 0.2 / cos 30 deg + 0.1 / cos 30 deg over the centre of the box less 0.2 m; never farther than 1 mm above it. */
static void free_bodies_are_lifted_out_of_the_ground(void **state) {
    (void)state;
    expect_message(SUNK(""), JN_SEVERITY_ERROR, 6, 12, "overlap by 0.03 m");
    jn_report report = {0};
    jn_model *m = text_model(SUNK("overlaps: ignore\n"), &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    assert_non_null(sim);
    static const struct {
        const char *text;
        int coordinate;
        double height;
    } rows[] = {{"'low' is drawn in the ground, and lifted out of it by 0.03 m", 2, 0.1},
                {"'beside' is drawn in the ground, and lifted out of it by 0.2 m", 9, 0.3},
                {"'slope' is drawn in the ground, and lifted out of it by ", 16, 0.1 + 0.3 / 0.86602540378443865}};
    for (int k = 0; k < 3; k++) {
        bool said = false;
        for (int i = 0; i < report.count; i++) said |= strstr(report.item[i].text, rows[k].text) != NULL;
        assert_true(said);
        double z = jn_sim_state(sim)->q[rows[k].coordinate];
        print_message("%s: at %.9g, out of the ground from %.9g on\n", rows[k].text, z, rows[k].height);
        assert_true(z > rows[k].height - 2e-6 && z < rows[k].height + 1e-3);
    }
    assert_int_equal(jn_sim_advance(sim, 0.01), JN_OK);
    assert_true(jn_sim_audit(sim)->ok);
    jn_sim_free(sim), jn_model_free(m);
    m = text_model("bodies:\n  ground: {shape: {type: plane, orientation: {axis: y, angle: 90 deg}}}\n"
                   "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0], shape: {type: sphere, radius: 0.1}}\n"
                   "contacts: {a: {between: [ground, a]}}\noverlaps: ignore\nrun: {method: nonsmooth, step: 1 ms, until: 10 ms}\n", &report);
    assert_null(jn_sim_create(m, &report)); /* a wall without end */
    assert_non_null(strstr(report.item[report.count - 1].text, "overlap by 0.1 m at the start"));
    jn_model_free(m);
    m = text_model("bodies:\n  ground: {shape: {type: box, size: [1, 1, 0.2], at: [0, 0, 0.1]}}\n"
                   "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, -0.05], shape: {type: sphere, radius: 0.1, at: [0, 0, -0.05]}}\n"
                   "contacts: {a: {between: [ground, a]}}\noverlaps: ignore\nrun: {method: nonsmooth, step: 1 ms, until: 10 ms}\n", &report);
    assert_null(jn_sim_create(m, &report)); /* it would be lifted through what it lies under */
    assert_non_null(strstr(report.item[report.count - 1].text, "overlap by 0.05 m at the start"));
    jn_model_free(m);
    m = text_model("bodies:\n  ground: {shapes: [{type: plane}, {type: box, size: [0.1, 2, 1], at: [0.149, 0, 0.5]}]}\n"
                   "  a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0.1], shape: {type: box, size: [0.2, 0.2, 0.2], at: [0, 0, 0.1]}}\n"
                   "contacts: {a: {between: [ground, a]}}\noverlaps: ignore\nrun: {method: nonsmooth, step: 1 ms, until: 10 ms}\n", &report);
    assert_null(jn_sim_create(m, &report)); /* 1 mm in a wall of 1 m: it stands beside it, and is not set on it */
    assert_non_null(strstr(report.item[report.count - 1].text, "overlap by 0.001 m at the start"));
    jn_model_free(m);
    m = text_model("plane: xy\nbodies:\n  ground: {shape: {type: half_plane, normal: [0, 1]}}\n"
                   "  a: {mass: 1, inertia: 1, com: [0, 0.09], shape: {type: circle, radius: 0.1, at: [0, 0.09]}}\n"
                   "contacts: {a: {between: [ground, a]}}\noverlaps: ignore\nrun: {method: nonsmooth, step: 1 ms, until: 0.5}\n", &report);
    sim = jn_sim_create(m, &report); /* in a plane, too */
    assert_non_null(sim);
    assert_int_equal(jn_sim_advance(sim, 0.5), JN_OK);
    assert_true(fabs(jn_sim_state(sim)->q[1] - 0.1) < 1e-6);
    jn_sim_free(sim), jn_model_free(m);
}

/* An explicit step of a mass on a spring is stable below 2/w, here 2 ms; with a damper c h/m/2 + (w h)^2/4 < 1. The warning names the spring, below the bound there is none. */
static void springs_too_stiff_for_explicit_steps_are_named(void **state) {
    (void)state;
    static const struct {
        double damping, step;
        bool warns;
    } rows[] = {{0, 2.1e-3, true}, {0, 1.9e-3, false}, {1000, 1.3e-3, true}, {1000, 1.2e-3, false}};
    for (int k = 0; k < 4; k++) {
        jn_report report = {0};
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies:\n  bob: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 1.01]}\n"
                 "forces: {s: {type: spring, between: [ground, bob], ends: [[0, 0, 0], [0, 0, 1.01]], rest: 1, stiffness: 1e6, damping: %g}}\n"
                 "run: {method: nonsmooth, scheme: moreau_midpoint, step: %g, until: 0.1}\n",
                 rows[k].damping, rows[k].step);
        jn_model *m = text_model(text, &report);
        jn_sim *sim = jn_sim_create(m, &report);
        bool warned = false;
        assert_non_null(sim);
        for (int i = 0; i < report.count; i++) warned |= strstr(report.item[i].text, "the spring between 'ground' and 'bob'") != NULL;
        assert_int_equal(warned, rows[k].warns);
        if (k < 2) { /* the bound is that of the scheme: above it the motion grows, below it stays */
            double most = 0;
            int status = JN_OK;
            while (status >= 0 && jn_sim_state(sim)->t < 0.1) {
                status = jn_sim_step(sim, 0.1);
                most = fmax(most, fabs(jn_sim_state(sim)->q[2] - 1));
            }
            assert_true((most > 0.1) == rows[k].warns);
        }
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A force without bound from 45.5 ms on: the step to 50 ms fails, and the state is that of 40 ms. */
static void a_step_that_fails_leaves_the_state_as_it_was(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("bodies:\n  ground: {shape: {type: plane}}\n"
                           "  ball: {mass: 1, at: [0, 0, 3], velocity: [1, 0, 0], shape: {type: sphere, radius: 0.1}}\n"
                           "contacts: {all: {friction: 0.3}}\n"
                           "forces: {push: {type: force, body: ball, at: [0, 0, 3],\n"
                           "                force: [0, 1e300*max(0, t - 0.0455)*1e12, 0]}}\n"
                           "run: {method: nonsmooth, step: 10 ms, until: 0.2}\n",
                           &m);
    const double g = 9.81, t = 0.04;
    assert_true(jn_sim_advance(sim, 0.2) < 0);
    assert_non_null(strstr(jn_sim_error(sim)->text, "the velocities are not finite at t = 0.05 s"));
    const jn_state *s = jn_sim_state(sim);
    assert_near(s->t, t, 1e-15);
    assert_near(s->q[0], t, 1e-15), assert_near(s->q[2], 3 - 0.5 * g * t * t, 1e-14);
    assert_near(s->u[0], 1, 1e-15), assert_near(s->u[1], 0, 0), assert_near(s->u[2], -g * t, 1e-14);
    const jn_audit *a = jn_sim_audit(sim);
    assert_near(a->energy_residual, 0, 1e-13), assert_near(a->momentum_residual, 0, 1e-14);
    jn_sim_restart(sim); /* and goes on from there, up to where the force begins */
    assert_int_equal(jn_sim_advance(sim, 0.045), JN_OK);
    assert_near(s->q[2], 3 - 0.5 * g * 0.045 * 0.045, 1e-14), assert_near(s->u[2], -g * 0.045, 1e-14);
    jn_sim_free(sim), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_fails_leaves_the_state_as_it_was),
        cmocka_unit_test(keys_are_named_where_they_stand),
        cmocka_unit_test(a_driver_that_presses_bodies_into_each_other_is_reported),
        cmocka_unit_test(a_driver_that_goes_beyond_a_stop_is_reported),
        cmocka_unit_test(huge_friction_is_no_slip),
        cmocka_unit_test(sinking_bodies_are_no_result),
        cmocka_unit_test(shapes_without_contacts_do_not_touch),
        cmocka_unit_test(free_bodies_are_lifted_out_of_the_ground),
        cmocka_unit_test(springs_too_stiff_for_explicit_steps_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
