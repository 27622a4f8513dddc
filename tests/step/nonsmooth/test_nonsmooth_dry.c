/* Dry friction of joints and tendons as a set-valued law: what it holds stands still, what it stops stops, and it takes the energy. */
#include "rigid.h"
#include "step/sim.h"

/* Runs to the time t; largest speed of all coordinates after any step. */
static double fastest(jn_sim *sim, int nv, double t) {
    double most = 0;
    while (jn_sim_state(sim)->t < t) {
        assert_int_equal(jn_sim_step(sim, t), JN_OK);
        for (int k = 0; k < nv; k++) most = fmax(most, fabs(jn_sim_state(sim)->u[k]));
    }
    return most;
}

#define PENDULUM(coordinates, friction, run)                                                                           \
    "plane: xy\ncoordinates: " coordinates "\nbodies: {arm: {mass: 2, com: [0.5, 0], inertia: 0.1}}\n"                 \
    "joints: {pivot: {type: revolute, between: [ground, arm], at: [0, 0], friction: " friction "}}\n"                  \
    "run: {method: nonsmooth, step: 10 ms, until: 100, " run "}\n"

/* m g l = 9.81 N m. */
static void a_pendulum_is_held(void **state) {
    (void)state;
    static const char *const held[] = {PENDULUM("relative", "9.811", "theta: 0.5"),
                                       PENDULUM("absolute", "9.811", "theta: 0.5"),
                                       PENDULUM("relative", "9.811", "theta: 1, terms: end"),
                                       PENDULUM("relative", "9.811", "scheme: moreau_midpoint")};
    for (int k = 0; k < 4; k++) {
        jn_model *m;
        jn_sim *sim = text_sim(held[k], &m);
        double most = fastest(sim, jn_model_nv(m), 100), turned = jn_sim_state(sim)->u[jn_model_nv(m) - 1];
        print_message("%d: at most %.2e, %.2e rad/s at last; %s\n", k, most, turned, jn_sim_audit(sim)->verdict);
        assert_true(jn_sim_audit(sim)->ok);
        assert_below(most, 1e-12);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Speed after a second under a torque, against friction of 2 N m. */
static double pushed(double torque, const char *run) {
    char text[512];
    jn_model *m;
    snprintf(text, sizeof text,
             "gravity: none\nbodies:\n  ground: {shape: {type: plane, at: [0, 0, -1]}}\n"
             "  wheel: {mass: 1, inertia: [1, 1, 0.5], shape: {type: sphere, radius: 0.1}}\n"
             "contacts: {floor: {between: [ground, wheel], joined: true, stiffness: 1e6}}\n"
             "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: z, friction: 2, force: "
             "%.17g}}\n"
             "run: {method: %s, step: 10 ms, until: 1}\n",
             torque, run);
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    double speed = jn_sim_state(sim)->u[0];
    jn_sim_free(sim), jn_model_free(m);
    return speed;
}

static void it_moves_beyond_the_bound(void **state) {
    (void)state;
    static const char *const run[] = {"nonsmooth, sleep: false", "nonsmooth, scheme: moreau_midpoint",
                                      "nonsmooth, scheme: moreau_jean, theta: 1, terms: end"};
    for (int k = 0; k < 3; k++) {
        double held = 1, moves = 3;
        while (moves - held > 1e-9) {
            double middle = 0.5 * (held + moves);
            if (fabs(pushed(middle, run[k])) > 1e-12)
                moves = middle;
            else
                held = middle;
        }
        print_message("%s: moves beyond %.9f N m\n", run[k], moves);
        assert_near(moves, 2, 1e-6);
        assert_near(pushed(3, run[k]), 1 / 0.5, 1e-9);
        assert_near(pushed(-3, run[k]), -1 / 0.5, 1e-9);
    }
}

/* The regularised law of the others creeps: T = F tanh(v/v0). */
static void others_creep(void **state) {
    (void)state;
    static const char *const run[] = {"smooth", "nonsmooth, scheme: least_constraint, theta: 1"};
    for (int k = 0; k < 2; k++) assert_near(pushed(1, run[k]), 1e-3 * atanh(0.5), 1e-6);
}

/* J w/F = 9.4286 s. The deceleration is uniform, so that only the last step knows of the step. */
static void a_flywheel_runs_out(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, "bodies: {wheel: {mass: 1, inertia: [1, 1, 2]}}\n"
                   "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: z, friction: 0.7, "
                   "speed: 3.3}}\n"
                   "run: {method: nonsmooth, step: 10 ms, until: 20}\n");
    rigid_go(&r, 9.42);
    assert_near(jn_sim_state(r.sim)->u[0], 3.3 - 0.35 * 9.42, 1e-9);
    rigid_go(&r, 9.44); /* the segment before the node at 9.43 s ends its motion there */
    const jn_ledger *l = &jn_sim_state(r.sim)->ledger;
    print_message("stops by %.3f s, dissipated %.15g J\n", r.stick, l->dissipated);
    assert_near(r.stick, 2 * 3.3 / 0.7, 1e-9); /* uniform: the time within the step is exact */
    assert_near(jn_sim_state(r.sim)->q[0], 0.5 * 3.3 * 3.3 / 0.35, 1e-4);
    assert_near(l->dissipated, 3.3 * 3.3, 1e-11);
    assert_below(fastest(r.sim, 1, 20), 1e-12);
    assert_true(r.rise < 1e-13 && r.events == 1 && jn_sim_audit(r.sim)->ok);
    rigid_close(&r);
}

#define ARM                                                                                                            \
    "bodies:\n  upper: {mass: 4, com: [0.25, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"                                    \
    "  forearm: {mass: 2, com: [0.7, 0, 0], inertia: [0.005, 0.03, 0.03]}\n"                                           \
    "  hand: {mass: 0.1, com: [0.9, 0, 0], inertia: [1e-5, 1e-4, 1e-4]}\n"                                             \
    "joints:\n  base: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: y, friction: 25}\n"              \
    "  elbow: {type: revolute, between: [upper, forearm], at: [0.5, 0, 0], axis: y, friction: 5}\n"                    \
    "  wrist: {type: revolute, between: [forearm, hand], at: [0.9, 0, 0], axis: x, friction: 0.1}\n"

/* An arm without motors stays, whatever solver has its problem; one that does not reach round-off creeps with its residual. */
static void an_arm_is_held_by_every_solver(void **state) {
    (void)state;
    for (int i = -1; i < 0 || jn_solver_get(i); i++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text, ARM "run: {method: nonsmooth, step: 10 ms, until: 100%s%s}\n",
                 i < 0 ? "" : ", solver: ", i < 0 ? "" : jn_solver_get(i)->name);
        jn_sim *sim = text_sim(text, &m);
        int status = jn_sim_step(sim, 100);
        const char *name = i < 0 ? "automatic" : jn_solver_get(i)->name;
        if (status == JN_OK) {
            double most = fastest(sim, 3, i < 0 ? 100 : 1);
            print_message("%s: at most %.2e rad/s\n", name, most);
            assert_below(most, i < 0 ? 1e-12 : 1e-8);
        } else {
            print_message("%s: %s\n", name, jn_sim_error(sim)->text);
            assert_true(i >= 0 && strstr(jn_sim_error(sim)->text, "cannot take"));
        }
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A weight on a rope over a rail that holds: friction of the rope, 9.82 N, or too little of it. */
static void a_tendon_holds(void **state) {
    (void)state;
    for (int falls = 0; falls < 2; falls++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 "bodies:\n  slider: {mass: 1, com: [0, 1, 0], inertia: [1, 1, 1]}\n"
                 "  weight: {mass: 1, com: [0, 2, 0], inertia: [1, 1, 1]}\n"
                 "joints:\n  rail: {type: prismatic, between: [ground, slider], axis: x, friction: 12}\n"
                 "  drop: {type: prismatic, between: [ground, weight], axis: z}\n"
                 "tendons: {rope: {joints: {drop: 1, rail: 1}, friction: %g}}\n"
                 "run: {method: nonsmooth, step: 10 ms, until: 100}\n",
                 falls ? 9.8 : 9.82);
        jn_sim *sim = text_sim(text, &m);
        double most = fastest(sim, 2, falls ? 1 : 100);
        print_message("falls %d: %.3e m/s\n", falls, most);
        if (falls)
            assert_near(most, 0.01, 1e-9);
        else
            assert_below(most, 1e-12);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A ram with friction of 3 N pushes a block of 1 kg on the floor, mu m g = 4.905 N: rows of joints and of contacts in one problem. */
static void friction_of_joint_and_contact_add_up(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        char text[1024];
        rigid r;
        double force = slides ? 9 : 7.9;
        snprintf(
            text, sizeof text,
            "plane: xy\nbodies:\n  ground: {shape: {type: half_plane, at: [0, 0]}}\n"
            "  ram: {mass: 1, inertia: 0.1, com: [-0.2, 0.1], shape: {type: circle, radius: 0.1, at: [-0.2, 0.1]}}\n"
            "  block: {mass: 1, inertia: 0.1, com: [0, 0.1], shape: {type: box, size: [0.2, 0.2], at: [0, 0.1]}}\n"
            "joints: {rail: {type: prismatic, between: [ground, ram], axis: x, friction: 3, force: %g}}\n"
            "contacts: {floor: {between: [ground, block], friction: 0.5}, tip: {between: [ram, block]}}\n"
            "run: {method: nonsmooth, step: 1 ms, until: 1}\n",
            force);
        rigid_text(&r, text);
        rigid_go(&r, 1);
        double speed = rigid_body(&r, 2).velocity.x;
        print_message("%g N: %.3e m/s, rise %.1e J; %s\n", force, speed, r.rise, jn_sim_audit(r.sim)->verdict);
        assert_near(speed, slides ? (9 - 3 - 0.5 * 9.81) / 2 : 0, slides ? 1e-3 : 1e-11);
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
}

/* MJCF's frictionloss is the same law. */
static void frictionloss_holds(void **state) {
    (void)state;
    static const char text[] = "<mujoco><default><joint frictionloss='5'/></default><worldbody><body>"
                               "<joint name='hinge' type='hinge' axis='0 1 0'/>"
                               "<geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.02' mass='1'/>"
                               "</body></worldbody></mujoco>";
    jn_report report = {0};
    jn_setting set[] = {{"run.method", "nonsmooth"}, {"run.step", "0.01"}, {"run.until", "100"}};
    jn_description *d = jn_description_parse(text, strlen(text), "robot.xml", set, 3, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    assert_int_equal(jn_model_nv(m), 1);
    assert_below(fastest(sim, 1, 100), 1e-12);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

/* The force of the last step is what a user sees, and a copy of the state goes on with the same bits. */
static void it_is_seen_and_belongs_to_the_state(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *a = text_sim(ARM "run: {method: nonsmooth, step: 10 ms, until: 1}\n", &m);
    jn_report report = {0};
    jn_sim *b = jn_sim_create(m, &report);
    jn_sim_state(a)->u[1] = 2;
    assert_int_equal(jn_sim_advance(a, 0.1), JN_OK);
    jn_state_copy(jn_sim_state(b), jn_sim_state(a));
    assert_int_equal(jn_sim_advance(a, 1), JN_OK);
    assert_int_equal(jn_sim_advance(b, 1), JN_OK);
    assert_memory_equal(jn_sim_state(a)->u, jn_sim_state(b)->u, 3 * sizeof(double));
    assert_memory_equal(jn_sim_state(a)->q, jn_sim_state(b)->q, 3 * sizeof(double));
    assert_int_equal(jn_sim_observe(a), JN_OK);
    for (int k = 1; k < 4; k++) {
        jn_body_motion body;
        jn_body_motion_get(m, jn_sim_work(a), k, &body);
        assert_below(v3_norm(body.acceleration), 1e-9);
    }
    jn_sim_free(a), jn_sim_free(b), jn_model_free(m);
}

/* Its speed is idle; a driver's coordinate keeps it. */
static void friction_speed_is_idle(void **state) {
    (void)state;
    static const char *const text[] = {
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
        "  axle: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, friction: 1, friction_speed: 0.02}\n"
        "run: {method: nonsmooth, step: 1 ms, until: 1}\n",
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
        "  axle: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, friction: 1, friction_speed: 0.02, "
        "motion: 2*t}\n"
        "run: {method: nonsmooth, step: 1 ms, until: 1}\n"};
    for (int k = 0; k < 2; k++) {
        jn_report report = {0};
        jn_model *m = text_model(text[k], &report);
        jn_sim *sim = jn_sim_create(m, &report);
        bool told = false;
        for (int i = 0; i < report.count; i++)
            told |= report.item[i].line == 3 && strstr(report.item[i].text, "'friction_speed': no effect");
        assert_true(sim && told == (k == 0));
        jn_sim_free(sim), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pendulum_is_held),
                                       cmocka_unit_test(it_moves_beyond_the_bound),
                                       cmocka_unit_test(others_creep),
                                       cmocka_unit_test(a_flywheel_runs_out),
                                       cmocka_unit_test(an_arm_is_held_by_every_solver),
                                       cmocka_unit_test(a_tendon_holds),
                                       cmocka_unit_test(friction_of_joint_and_contact_add_up),
                                       cmocka_unit_test(frictionloss_holds),
                                       cmocka_unit_test(it_is_seen_and_belongs_to_the_state),
                                       cmocka_unit_test(friction_speed_is_idle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
