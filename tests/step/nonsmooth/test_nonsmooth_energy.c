/* Energy of the nonsmooth method: impulses win nothing but by Newton's law itself, and that is reported; trees, loops, both kinds of
 * coordinates and all choices of the scheme. */
#include "rigid.h"

/* Kane's double pendulum, by hand: M (u+ - u-) = H^T p, with u the rates of the absolute angles of two rods of 1 m and 1 kg,
 * H the rows of the tip. Newton: n+ = -0.7 n-, and slip to one side at the cone's edge or stick. */
static double kane_gain(void) {
    double a = acos(-1) / 9, b = acos(-1) / 6, c = 0.5 * cos(a - b), M[2][2] = {{4.0 / 3, c}, {c, 1.0 / 3}};
    double det = M[0][0] * M[1][1] - c * c, u[2] = {-0.1, -0.2};
    double N[2] = {sin(a), sin(b)}, T[2] = {cos(a), cos(b)}; /* tip at (sin + sin, -cos - cos) */
    double YN[2] = {(M[1][1] * N[0] - c * N[1]) / det, (M[0][0] * N[1] - c * N[0]) / det};
    double YT[2] = {(M[1][1] * T[0] - c * T[1]) / det, (M[0][0] * T[1] - c * T[0]) / det};
    double WNN = N[0] * YN[0] + N[1] * YN[1], WNT = N[0] * YT[0] + N[1] * YT[1], WTT = T[0] * YT[0] + T[1] * YT[1];
    double n = N[0] * u[0] + N[1] * u[1], t = T[0] * u[0] + T[1] * u[1], need = -1.7 * n;
    double d = WNN * WTT - WNT * WNT, pn = (WTT * need + WNT * t) / d, pt = (-WNN * t - WNT * need) / d; /* stick */
    if (fabs(pt) > 0.5 * pn) {
        double side = pt > 0 ? 0.5 : -0.5;
        pn = need / (WNN + side * WNT), pt = side * pn;
    }
    double n1 = n + WNN * pn + WNT * pt, t1 = t + WNT * pn + WTT * pt;
    return 0.5 * (pn * (n + n1) + pt * (t + t1));
}

static void newtons_law_with_friction_is_reported(void **state) {
    (void)state;
    rigid r;
    rigid_open(&r, "rough_pendulum", "run.step=1e-6");
    rigid_go(&r, 1e-3);
    const jn_audit *a = jn_sim_audit(r.sim);
    print_message("gained %.6f J, by hand %.6f J; %s\n", a->contact_gain, kane_gain(), a->verdict);
    assert_true(kane_gain() > 0.01);
    assert_near(a->contact_gain, kane_gain(), 1e-4);
    assert_int_equal(r.gains, 1);
    assert_string_equal(a->contact_gain_at, "tip");
    assert_non_null(strstr(a->verdict, "the impact law gained"));
    assert_non_null(strstr(a->verdict, "last at contact 'tip'"));
    rigid_close(&r);
    rigid_open(&r, "zeno_ball", "step=1e-3");
    rigid_go(&r, 3);
    assert_true(r.gains == 0 && !jn_sim_audit(r.sim)->contact_gain_at);
    rigid_close(&r);
}

/* A pendulum that strikes a wall, as a tree and as a constrained body: every return has e times the speed of the last. */
static void pendulum_strikes_a_wall(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "absolute"}, *const extra[] = {"", ", theta: 1",
                                                                                         ", terms: end"};
    double end[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        char text[1024];
        rigid r;
        snprintf(text, sizeof text,
                 "plane: xy\ncoordinates: %s\nbodies:\n"
                 "  ground: {shape: {type: half_plane, at: [-0.05, 0], normal: [1, 0]}}\n"
                 "  bob: {mass: 1, inertia: 0.01, com: [1, 0], shape: {type: circle, radius: 0.05, at: [1, 0]}}\n"
                 "joints: {p: {type: revolute, between: [ground, bob], at: [0, 0]}}\n"
                 "contacts: {wall: {between: [ground, bob], joined: true, restitution: 0.5, friction: 0.3}}\n"
                 "run: {method: nonsmooth, step: 1e-4, until: 3%s}\n",
                 coordinates[k % 2], extra[k / 2]);
        rigid_text(&r, text);
        rigid_go(&r, 1.2); /* after the first impact, before the second */
        assert_int_equal(r.impacts, 1);
        double height = 0.25 * 9.81; /* e^2 of the energy set free */
        print_message("%s%s: %.6f J of %.6f J after one impact\n", coordinates[k % 2], extra[k / 2], r.energy + 9.81,
                      height);
        assert_near(r.energy + 9.81, height, 1e-2);
        if (k < 2) {
            end[k] = rigid_body(&r, 1).position.x;
            assert_below(r.rise, 1e-9);
            assert_below(fabs(jn_sim_audit(r.sim)->max_energy_residual), 1e-6);
        }
        rigid_close(&r);
    }
    assert_near(end[0], end[1], 1e-5);
}

static const char loop_text[] =
    "plane: xy\ncoordinates: %s\nbodies:\n"
    "  ground: {shape: {type: half_plane, at: [0, -0.95]}}\n"
    "  a: {mass: 1, inertia: 0.0833, com: [-0.5, 0], shape: {type: circle, radius: 0.05, at: [-1, 0]}}\n"
    "  b: {mass: 1, inertia: 0.0833, com: [-0.5, 0]}\n"
    "  c: {mass: 1, inertia: 0.0833, com: [0.5, 0]}\n"
    "joints:\n"
    "  j1: {type: revolute, between: [ground, a], at: [0, 0]}\n"
    "  j2: {type: revolute, between: [a, b], at: [-1, 0]}\n"
    "  j3: {type: revolute, between: [b, c], at: [0, 0.5]}\n"
    "  j4: {type: revolute, between: [ground, c], at: [1, 0]}\n"
    "contacts: {floor: {between: [ground, a], joined: true, restitution: 0.3, friction: 0.3}}\n"
    "run: {method: nonsmooth, step: 2e-4, until: 3}\n";

/* A closed loop falls on the floor and comes to rest there: the same place in both kinds of coordinates. */
static void loop_falls_on_the_floor(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "absolute"};
    jn_body_motion end[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        rigid r;
        snprintf(text, sizeof text, loop_text, coordinates[k]);
        rigid_text(&r, text);
        rigid_go(&r, 3);
        const jn_audit *a = jn_sim_audit(r.sim);
        end[k] = rigid_body(&r, 2);
        print_message("%s: residual %.3g J, rise %.3g J, violation %.3g, penetration %.3g m, %d events\n",
                      coordinates[k], a->max_energy_residual, r.rise, a->max_position_violation, a->max_penetration,
                      r.events);
        assert_below(a->max_energy_residual, 1e-3);
        assert_below(r.rise, 1e-5);
        assert_below(a->max_position_violation, 2e-11); /* segments end on the joints within 1e-11 m */
        assert_below(a->max_penetration, 1e-9);
        assert_near(v3_norm(end[k].velocity), 0, 1e-7); /* the residual is 1e-6 m/s */
        assert_below(r.events, 40);
        rigid_close(&r);
    }
    assert_near(end[0].position.x, end[1].position.x, 1e-6);
    assert_near(end[0].position.y, end[1].position.y, 1e-6);
}

/* A driven ram pushes a block along a rough floor: what the driver puts in is what friction and motion take. */
static void driver_pays_for_friction(void **state) {
    (void)state;
    double residual[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        rigid r;
        snprintf(
            text, sizeof text,
            "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
            "  ram: {mass: 1, inertia: 0.1, com: [0, 0.3], shape: {type: rectangle, size: [0.2, 0.2], at: [0, 0.3]}}\n"
            "  block: {mass: 1, inertia: 0.01, com: [0.4, 0.2], shape: {type: rectangle, size: [0.6, 0.4], at: [0.4, "
            "0.2]}}\n"
            "joints: {g: {type: prismatic, between: [ground, ram], axis: [1, 0], at: [0, 0.3], motion: "
            "\"0.3*(1-cos(2*t))\"}}\n"
            "contacts: {all: {friction: 0.3}}\n"
            "run: {method: nonsmooth, step: %g, until: 2}\n",
            k ? 1e-4 : 1e-3);
        rigid_text(&r, text);
        rigid_go(&r, 2);
        const jn_audit *a = jn_sim_audit(r.sim);
        residual[k] = a->max_energy_residual;
        assert_true(a->ok);
        assert_near(rigid_body(&r, 1).position.x, 0.3 * (1 - cos(4)), 1e-12);
        rigid_close(&r);
    }
    print_message("energy residual %.3g J, %.3g J\n", residual[0], residual[1]);
    assert_below(residual[0], 2e-3);
    assert_below(residual[1], 2e-4);
}

/* A foot of two links and a trunk: a leg that falls, lands on a rough floor with its round foot and folds. Impulses win nothing. */
static void leg_lands(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau_jean", "moreau_midpoint"};
    for (int k = 0; k < 2; k++) {
        char text[1400];
        rigid r;
        snprintf(
            text, sizeof text,
            "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
            "  trunk: {mass: 5, inertia: 0.1, com: [0, 1.3]}\n"
            "  thigh: {mass: 1, inertia: 0.02, com: [0.1, 1.0]}\n"
            "  shank: {mass: 0.5, inertia: 0.01, com: [0.1, 0.55], shape: {type: circle, radius: 0.05, at: [0, 0.3]}}\n"
            "joints:\n"
            "  hip: {type: revolute, between: [trunk, thigh], at: [0, 1.2], stiffness: 50, damping: 1}\n"
            "  knee: {type: revolute, between: [thigh, shank], at: [0.2, 0.8], stiffness: 80, damping: 1}\n"
            "contacts: {floor: {between: [ground, shank], friction: 0.8, restitution: 0}}\n"
            "run: {method: nonsmooth, scheme: %s, step: 1e-4, until: 0.6}\n",
            schemes[k]);
        rigid_text(&r, text);
        rigid_go(&r, 0.6);
        print_message("%s: %d impacts, rise %.3g J, residual %.3g J of %.3g J\n", schemes[k], r.impacts, r.rise,
                      jn_sim_audit(r.sim)->max_energy_residual, r.start);
        assert_true(r.impacts >= 1);
        assert_below(r.rise, 1e-5);
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
}

/* A body in flight whose inertia turns with it: the energy swings with (h w)^2 about its value, and does not drift. */
static void spin_wins_no_energy(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, "gravity: none\nbodies:\n  ground: {shape: {type: plane, at: [0, 0, -50]}}\n"
                   "  a: {mass: 1, inertia: [1, 2, 3], com: [0, 0, 0], angular_velocity: [1, 20, 1],\n"
                   "      shape: {type: sphere, radius: 0.1}}\n"
                   "contacts: {floor: {between: [ground, a]}}\nrun: {method: nonsmooth, step: 1e-3, until: 1}\n");
    double band[10] = {0}; /* [J] largest error of the energy in each tenth */
    for (int n = 0; n < 100000; n++) {
        assert_int_equal(jn_sim_step(r.sim, 1e9), JN_OK);
        band[n / 10000] = fmax(band[n / 10000], fabs(rigid_energy(&r) - r.start));
    }
    print_message("spin: energy off by %.6g J in the first tenth of 1e5 steps, %.6g J in the last, of %.3g J\n",
                  band[0], band[9], r.start);
    assert_below(band[0], 1e-4 * r.start);
    assert_below(band[9], 1.01 * band[0] + 1e-10 * r.start);
    rigid_close(&r);
}

/* Four boxes that fall on each other, tilted by angles of the scene; returns what contacts gave back in a step beyond what is reported, of m (g h)^2/8.
 * bad: runs with a bad audit. */
static double boxes_rise(int scene, const char *law, int *bad) {
    char text[2000];
    unsigned seed = 12345 + 777 * (unsigned)scene;
    int at = snprintf(text, sizeof text, "bodies:\n  ground: {shape: {type: plane, at: [0, 0, 0]}}\n");
    for (int b = 0; b < 4; b++) {
        double x = b == 2 ? 0.1 : 0, y = b == 3 ? 0.1 : 0, z = 0.3 + 0.4 * b, angle[3];
        for (int k = 0; k < 3; k++) seed = seed * 1664525 + 1013904223, angle[k] = 0.4 * seed / 4294967296.0;
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "  %c: {mass: 1, inertia: [0.01, 0.015, 0.02], com: [%g, %g, %g], orientation: {rpy: [%g, %g, %g]},\n"
            "      shape: {type: box, size: [0.4, 0.3, 0.2], at: [%g, %g, %g]}}\n",
            'a' + b, x, y, z, angle[0], angle[1], angle[2], x, y, z);
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "contacts: {all: {%s}}\nrun: {method: nonsmooth, step: 1e-3, until: 2}\n", law);
    rigid r;
    rigid_text(&r, text);
    rigid_go(&r, 2);
    double more = (r.given - jn_sim_audit(r.sim)->contact_gain) / rigid_shown(&r);
    assert_true(r.impacts > 20);
    *bad += !jn_sim_audit(r.sim)->ok;
    rigid_close(&r);
    return more;
}

/* Contacts stop what rises and what slides uphill, impacts lose less than their impulses say, bodies push each other apart. */
static void no_step_wins_energy(void **state) {
    (void)state;
    static const char *const laws[] = {"restitution: 0.5, friction: 0.3", "restitution: 0.3, friction: 1.5",
                                       "restitution: 0, friction: 0", "restitution: 0, friction: 0.5"};
    for (int k = 0; k < 4; k++) {
        double most = 0;
        int bad = 0;
        for (int scene = 0; scene < 20; scene++) most = fmax(most, boxes_rise(scene, laws[k], &bad));
        print_message("boxes, %s: given back %.2f of m (g h)^2/8 beyond what is reported, %d of 20 audits are bad\n",
                      laws[k], most, bad);
        assert_below(
            most,
            20); /* 1e-3 J: friction that stops what slides uphill, in each of the impacts that follow each other */
        assert_true(bad <= 1); /* no overlap */
    }
}

/* What falls by z and comes to rest without restitution has lost m g z, for steps of every length and a fall of a few of them; what stands from the
 * start has lost nothing. */
static void fall_loses_weight_times_height(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        char text[600];
        double step = (double[]){1e-3, 5e-3, 1e-2}[k % 3], z = k / 6 ? 0 : 0.003;
        bool box = k / 3 % 2;
        snprintf(text, sizeof text,
                 "title: fall\nbodies:\n  body: {mass: 2, inertia: [0.01, 0.01, 0.01], com: [0, 0, %.17g],\n"
                 "         shape: {%s, at: [0, 0, %.17g]}}\n  ground: {shape: {type: plane}}\n"
                 "contacts: {all: {friction: 0.5}}\nrun: {method: nonsmooth, step: %g, until: 0.2}\n",
                 0.1 + z, box ? "type: box, size: [0.4, 0.3, 0.2]" : "type: sphere, radius: 0.1", 0.1 + z, step);
        rigid r;
        rigid_text(&r, text);
        rigid_go(&r, 0.2);
        assert_near(r.sim->s->ledger.dissipated, 2 * 9.81 * z,
                    1e-9); /* it rests to 3e-12 m; m (g h)^2/8 is 2e-5 J and more */
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fall_loses_weight_times_height),
                                       cmocka_unit_test(spin_wins_no_energy),
                                       cmocka_unit_test(no_step_wins_energy),
                                       cmocka_unit_test(newtons_law_with_friction_is_reported),
                                       cmocka_unit_test(pendulum_strikes_a_wall),
                                       cmocka_unit_test(loop_falls_on_the_floor),
                                       cmocka_unit_test(driver_pays_for_friction),
                                       cmocka_unit_test(leg_lands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
