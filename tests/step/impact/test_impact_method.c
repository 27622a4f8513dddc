/* Method impact: smooth motion with closed contacts, events, accumulation and jams, against closed forms. */
#include "text_model.h"

static jn_body_motion motion_of(const jn_model *m, jn_sim *sim, int body) {
    jn_body_motion b;
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), body, &b);
    return b;
}

typedef struct events_seen {
    int count;
    char kind[64][16];
    double time[64];
} events_seen;

static void keep(void *context, const jn_event *e) {
    events_seen *l = context;
    if (l->count == 64) return;
    snprintf(l->kind[l->count], sizeof l->kind[0], "%s", e->kind);
    l->time[l->count++] = e->time;
}

static double first(const events_seen *l, const char *kind) {
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->kind[i], kind)) return l->time[i];
    return NAN;
}

static void check_audit(jn_sim *sim, double allowed) {
    const jn_audit *a = jn_sim_audit(sim);
    if (!a->ok) print_error("%s\n", a->verdict);
    assert_true(a->ok);
    assert_near(a->max_energy_residual / fmax(a->energy_scale, 1e-300), 0, allowed);
}

/* --------------------------------------------------------------------------------------------- sliding and sticking */

/* A block on a slope of 20 deg, thrown up it at 2 m/s with mu_d 0.3 and mu_s 0.5: stops after v/(g (sin + mu cos)) and stays. */
static void block_stops_on_slope(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "absolute"};
    for (int k = 0; k < 2; k++) {
        char text[900];
        double a = 20 * M_PI / 180, v = 2, stop = v / (9.81 * (sin(a) + 0.3 * cos(a)));
        snprintf(text, sizeof text,
                 "plane: xy\ncoordinates: %s\ngravity: [-9.81*sin(20 deg), -9.81*cos(20 deg)]\n"
                 "bodies: {ground: {shape: {type: half_plane}}, b: {mass: 2, inertia: 0.01, com: [0, 0.1], velocity: "
                 "[2, 0], "
                 "shape: {type: rectangle, size: [0.3, 0.2], at: [0, 0.1]}}}\n"
                 "contacts: {c: {between: [ground, b], friction: {dynamic: 0.3, static: 0.5}}}\n"
                 "run: {method: impact, until: 2, tolerance: 1e-10}\n",
                 coordinates[k]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        events_seen l = {0};
        jn_sim_on_event(sim, keep, &l);
        assert_int_equal(jn_sim_advance(sim, 2), JN_OK);
        jn_body_motion b = motion_of(m, sim, 1);
        assert_near(first(&l, "stick"), stop, 1e-12);
        assert_near(b.position.x, 0.5 * v * stop, 1e-12);
        assert_near(sqrt(b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y + b.velocity.z * b.velocity.z), 0,
                    1e-14);
        check_audit(sim, 1e-12);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Static friction holds until mu_s m g; then the block slides with mu_d. A force that grows as t: slips at t = mu_s g. */
static void static_friction_breaks(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("plane: xy\n"
                           "bodies: {ground: {shape: {type: half_plane}}, b: {mass: 1, inertia: 0.01, com: [0, 0.1], "
                           "shape: {type: rectangle, size: [1, 0.2], at: [0, 0.1]}}}\n"
                           "forces: {pull: {type: force, on: b, at: [0, 0.1], force: [t, 0]}}\n"
                           "contacts: {c: {between: [ground, b], friction: {dynamic: 0.2, static: 0.3}}}\n"
                           "run: {method: impact, until: 4, tolerance: 1e-11}\n",
                           &m);
    events_seen l = {0};
    jn_sim_on_event(sim, keep, &l);
    int status = jn_sim_advance(sim, 4);
    if (status < 0) print_error("%s\n", jn_sim_error(sim)->text);
    assert_int_equal(status, JN_OK);
    double t0 = 0.3 * 9.81, d = 4 - t0, drag = 0.2 * 9.81;
    assert_near(first(&l, "slip"), t0, 3e-9); /* forces of two corners are not unique: found to 1e-10 */
    assert_near(motion_of(m, sim, 1).velocity.x, (16 - t0 * t0) / 2 - drag * d, 1e-8);
    check_audit(sim, 1e-8);
    jn_sim_free(sim), jn_model_free(m);
}

/* A ball that slides first rolls at 5/7 of its speed, after 2 v/(7 mu g) [outside: slip stops, rolling sticks]. */
static void ball_comes_to_roll(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(
        "bodies: {ground: {shape: {type: plane}}, b: {mass: 1, inertia: [0.004, 0.004, 0.004], com: [0, 0, 0.1], "
        "velocity: [3, 4, 0], shape: {type: sphere, radius: 0.1, at: [0, 0, 0.1]}}}\n"
        "contacts: {c: {between: [ground, b], friction: 0.25}}\n"
        "run: {method: impact, until: 2, tolerance: 1e-10}\n",
        &m);
    events_seen l = {0};
    jn_sim_on_event(sim, keep, &l);
    assert_int_equal(jn_sim_advance(sim, 2), JN_OK);
    jn_body_motion b = motion_of(m, sim, 1);
    assert_near(first(&l, "stick"), 2 * 5 / (7 * 0.25 * 9.81), 1e-10);
    assert_near(b.velocity.x, 3 * 5.0 / 7, 1e-10);
    assert_near(b.velocity.y, 4 * 5.0 / 7, 1e-10);
    assert_near(b.angular_velocity.y, 10 * 3 * 5.0 / 7, 1e-9);
    check_audit(sim, 1e-10);
    jn_sim_free(sim), jn_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ opening of a contact */

/* A puck slides down a frictionless cylinder of radius R and leaves it where cos = 2/3. */
static void puck_leaves_cylinder(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("plane: xy\n"
                           "bodies: {ground: {shape: {type: circle, radius: 1}}, b: {mass: 1, inertia: 1e-4, com: "
                           "[1.01*sin(0.01), 1.01*cos(0.01)], "
                           "shape: {type: circle, radius: 0.01, at: [1.01*sin(0.01), 1.01*cos(0.01)]}}}\n"
                           "contacts: {c: {between: [ground, b]}}\n"
                           "run: {method: impact, until: 3, tolerance: 1e-11}\n",
                           &m);
    events_seen l = {0};
    jn_sim_on_event(sim, keep, &l);
    double angle = NAN;
    for (double t = 0.01; t < 3 && !(first(&l, "separation") > 0); t += 0.01)
        assert_int_equal(jn_sim_advance(sim, t), JN_OK);
    double at = first(&l, "separation");
    assert_true(at > 0);
    jn_sim_free(sim);
    jn_report report = {0};
    sim = jn_sim_create(m, &report);
    assert_int_equal(jn_sim_advance(sim, at), JN_OK);
    jn_body_motion b = motion_of(m, sim, 1);
    angle = atan2(b.position.x, b.position.y);
    assert_near(cos(angle), 2.0 / 3 * cos(0.01), 1e-9);
    check_audit(sim, 1e-9);
    jn_sim_free(sim), jn_model_free(m);
}

/* ---------------------------------------------------------------------------------------------------- redundant contact */

/* Four legs: the motion is unique, the forces are those of least norm, a quarter of the weight each; the audit says so. */
static void four_legs_share(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim =
        text_sim("bodies: {ground: {shape: {type: plane}}, b: {mass: 4, inertia: [1, 1, 1], com: [0, 0, 0.1], "
                 "shape: {type: box, size: [1, 1, 0.2], at: [0, 0, 0.1]}}}\n"
                 "contacts: {c: {between: [ground, b], friction: 0.5}}\nrun: {method: impact, until: 1}\n",
                 &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    jn_body_motion b = motion_of(m, sim, 1);
    assert_near(b.position.z, 0.1, 1e-14);
    assert_near(sqrt(b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y + b.velocity.z * b.velocity.z), 0,
                1e-14);
    const jn_audit *a = jn_sim_audit(sim);
    assert_true(a->ok && a->redundant_contacts);
    assert_non_null(strstr(a->verdict, "least norm"));
    jn_sim_free(sim), jn_model_free(m);
}

/* ------------------------------------------------------------------------------------------------------- accumulation */

static void ball_comes_to_rest(void **state) {
    (void)state;
    static const double coefficients[] = {0, 0.3, 0.9};
    for (int k = 0; k < 3; k++) {
        char text[600];
        double e = coefficients[k], T = sqrt(2 * 1 / 9.81), end = T * (1 + e) / (1 - e);
        snprintf(text, sizeof text,
                 "bodies: {ground: {shape: {type: plane}}, b: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 1.1], "
                 "shape: {type: sphere, radius: 0.1, at: [0, 0, 1.1]}}}\n"
                 "contacts: {c: {between: [ground, b], restitution: %g}}\nrun: {method: impact, until: 10}\n",
                 e);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        events_seen l = {0};
        jn_sim_on_event(sim, keep, &l);
        assert_int_equal(jn_sim_advance(sim, end + 0.1), JN_OK);
        assert_near(first(&l, "impact"), T, 1e-12);
        jn_body_motion b = motion_of(m, sim, 1);
        assert_near(b.position.z, 0.1, 1e-14);
        assert_near(b.velocity.z, 0, 1e-14);
        assert_near(jn_sim_state(sim)->ledger.dissipated, 9.81, 1e-11); /* all that it fell */
        if (k < 2) assert_near(first(&l, "contact"), end, 1e-6);
        check_audit(sim, 1e-12);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A block slides over an edge, tips, and leaves it with its last corner: from there on it flies. The edge would pass from its lower
 * to its rear side there, with another normal. */
static void block_leaves_edge(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "plane: xy\ncoordinates: %s\n"
                 "bodies: {ground: {shape: {type: rectangle, size: [2, 1], at: [-1, -0.5]}}, b: {mass: 1, inertia: "
                 "0.05/12, at: [-0.5, 0.05], velocity: [2, 0], shape: {type: rectangle, size: [0.2, 0.1]}}}\n"
                 "contacts: {c: {between: [ground, b], restitution: 0.2, friction: %g}}\n"
                 "run: {method: impact, until: 1, tolerance: 1e-10}\n",
                 k % 2 ? "absolute" : "relative", k < 2 ? 0 : 0.2);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        events_seen l = {0};
        jn_sim_on_event(sim, keep, &l);
        assert_int_equal(jn_sim_advance(sim, 0.5), JN_OK);
        assert_string_equal(l.kind[l.count - 1], "separation");
        jn_body_motion b = motion_of(m, sim, 1);
        assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
        jn_body_motion end = motion_of(m, sim, 1);
        assert_near(end.velocity.x, b.velocity.x, 1e-12);
        assert_near(end.velocity.y, b.velocity.y - 9.81 * 0.5, 1e-11);
        assert_near(end.angular_velocity.z, b.angular_velocity.z, 1e-12);
        assert_true(b.angular_velocity.z < 0);
        check_audit(sim, 1e-10);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A block that an impact stops dead without gravity: what friction leaves of its motion may be too small to divide by. */
static void block_hardly_moves(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(
        "plane: xy\ngravity: [0, 0]\nparameters: {b: 0.1087, h: 0.0645, turn: -1/0.1087}\n"
        "bodies: {ground: {shape: {type: half_plane}}, block: {mass: 2.5, inertia: 2.5*(b^2 + h^2)/12, at: [0, h/2 + "
        "0.005], orientation: -turn*0.01, velocity: [0, -0.5], angular_velocity: turn, "
        "shape: {type: rectangle, size: [b, h]}}}\n"
        "contacts: {c: {between: [ground, block], restitution: 0, friction: {dynamic: 0.13, static: 0.163}}}\n"
        "run: {method: impact, law: poisson_lcp, until: 0.05, tolerance: 1e-10}\nrecord: {every: 1 ms}\n",
        &m);
    for (int k = 1; k <= 50; k++) assert_int_equal(jn_sim_advance(sim, 1e-3 * k), JN_OK);
    assert_near(motion_of(m, sim, 1).position.y, 0.03225, 1e-12);
    check_audit(sim, 1e-12);
    jn_sim_free(sim), jn_model_free(m);
}

/* ------------------------------------------------------------------------------------------------------------- failure */

/* Painleve's rod: no finite force fits; an impulse stops the foot, no energy is won, the run says "jam". */
static void rod_jams(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(
        "plane: xy\nparameters: {a: 63.434949 deg}\n"
        "bodies: {ground: {shape: {type: half_plane}}, rod: {mass: 1, inertia: 1/12, at: [0.5*cos(a), 0.5*sin(a)], "
        "orientation: a, velocity: [-5, 0], shape: {type: segment, points: [[-0.5, 0], [0.5, 0]]}}}\n"
        "contacts: {c: {between: [ground, rod], friction: 1.6}}\nrun: {method: impact, until: 1}\n",
        &m);
    events_seen l = {0};
    jn_sim_on_event(sim, keep, &l);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    assert_near(first(&l, "jam"), 0, 1e-12);
    assert_true(jn_sim_state(sim)->ledger.dissipated > 0);
    assert_int_equal(jn_sim_audit(sim)->jams, 1);
    check_audit(sim, 1e-7);
    jn_sim_free(sim), jn_model_free(m);
}

/* Coefficients below 0 are ends that were asked for, and so are impact events that were counted: neither is an impact without an end. */
static void intended_events_are_ends(void **state) {
    (void)state;
    static const struct {
        const char *e, *run;
        long stopped;
    } cases[] = {{"[-0.8, 0.5]", "law: simultaneous", 0},
                 {"[-0.8, 0.5]", "law: simultaneous, impact_events: 1", 1},
                 {"-0.5", "law: simultaneous", 0},
                 {"0.5", "law: staged", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "plane: xy\ngravity: [0, 0]\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: 2.5, inertia: "
            "3.3e-3, at: [0, 0.04], orientation: 0.0005, velocity: [0, -0.5], angular_velocity: -0.05, shape: {type: "
            "rectangle, size: [0.1, 0.06]}}}\n"
            "contacts: {c: {between: [ground, b], restitution: %s}}\n"
            "run: {method: impact, %s, until: 0.1, tolerance: 1e-10}\n",
            cases[k].e, cases[k].run);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 0.1) >= 0);
        const jn_audit *a = jn_sim_audit(sim);
        assert_true(a->impacts > 0);
        assert_int_equal(a->impacts_unfinished, 0);
        assert_int_equal(a->impacts_stopped, cases[k].stopped);
        assert_null(strstr(a->verdict, "without restitution"));
        assert_int_equal(strstr(a->verdict, "asked for") != NULL, cases[k].stopped);
        jn_sim_free(sim), jn_model_free(m);
    }
}

static void wrong_runs_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *contact, *run, *says;
    } cases[] = {{"restitution: -0.5", "method: impact, law: moreau", "no restitution below 0"},
                 {"restitution: -0.5", "method: nonsmooth, step: 0.001", "only method impact"},
                 {"restitution: [0.5, -1]", "method: impact, law: simultaneous", "before it begins"},
                 {"restitution: -1", "method: impact, law: simultaneous", "before it begins"},
                 {"friction: {dynamic: 0.5, static: 0.3}", "method: impact", "less than dynamic"},
                 {"tangential_restitution: 0.5", "method: impact, law: moreau", "no tangential restitution"},
                 {"restitution: 0.5", "method: impact, integrator: verlet, step: 0.001", "dopri45"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        jn_report report;
        snprintf(text, sizeof text,
                 "bodies: {ground: {shape: {type: plane}}, b: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 1], "
                 "shape: {type: sphere, radius: 0.1, at: [0, 0, 1]}}}\ncontacts: {c: {between: [ground, b], %s}}\nrun: "
                 "{%s}\n",
                 cases[k].contact, cases[k].run);
        jn_model *m = text_model(text, &report);
        check_report(&report);
        assert_null(jn_sim_create(m, &report));
        assert_true(report.errors > 0);
        if (!strstr(report.item[0].text, cases[k].says) && !strstr(report.item[0].hint, cases[k].says))
            fail_msg("case %zu says '%s' (%s)", k, report.item[0].text, report.item[0].hint);
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(block_stops_on_slope),
                                       cmocka_unit_test(static_friction_breaks),
                                       cmocka_unit_test(ball_comes_to_roll),
                                       cmocka_unit_test(puck_leaves_cylinder),
                                       cmocka_unit_test(four_legs_share),
                                       cmocka_unit_test(ball_comes_to_rest),
                                       cmocka_unit_test(block_leaves_edge),
                                       cmocka_unit_test(block_hardly_moves),
                                       cmocka_unit_test(rod_jams),
                                       cmocka_unit_test(intended_events_are_ends),
                                       cmocka_unit_test(wrong_runs_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
