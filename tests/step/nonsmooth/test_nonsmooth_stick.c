/* Friction that holds does not creep: material points stay on each other whatever carries them, it ends at Coulomb's bound, and what
 * has slid stays where it is. */
#include "rigid.h"
#include "step/sim.h"

#define KEPT 3e-9 /* [m] distance of points that stick at steps of 1 ms: what their extrapolation misses */

enum { HOWS = 4 };
static const char *const how[HOWS] = {"residual: 1e-6 m/s", "residual: 1e-9 m/s", "solver: interior_point",
                                      "residual: 1e-6 m/s"};
static const double steps[HOWS] = {1e-3, 1e-3, 1e-3, 4e-3};

static const char *coordinates(int k) { return k % 2 ? "absolute" : "relative"; }

/* A table that a crank carries round without turning it; the crank comes up to 3.6 rad/s. */
static void table_carried_round(void **state) {
    (void)state;
    for (int k = 0; k < 2 * HOWS; k++) {
        rigid r;
        rigid_carried_table(&r, coordinates(k), how[k / 2], steps[k / 2]);
        double slip = 0, lift = 0;
        for (int n = 1; n <= 90; n++) {
            rigid_go(&r, 0.01 * n);
            jn_body_motion table = rigid_body(&r, 2), rider = rigid_body(&r, 3);
            slip = fmax(slip, fabs(rider.position.x - table.position.x));
            lift = fmax(lift, fabs(rider.position.y - table.position.y - 0.2));
        }
        print_message("%s, %s, step %g s: slip %.1e m, gap %.1e m\n", coordinates(k), how[k / 2], steps[k / 2], slip,
                      lift);
        assert_below(slip,
                     KEPT * pow(steps[k / 2] / 1e-3, 5)); /* of fifth order, and gone again when the motion ends */
        assert_int_equal(r.events, 2);
        rigid_close(&r);
    }
}

/* A box on a plank that swings as a pendulum: nothing drives it, so energy may only be lost. */
static void box_on_a_swing(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        rigid r;
        snprintf(text, sizeof text,
                 "plane: xy\ncoordinates: %s\nbodies:\n"
                 "  plank: {mass: 2, inertia: 0.1, com: [0, -1],\n"
                 "          shape: {type: box, size: [1, 0.1], at: [0, -1]}}\n"
                 "  rider: {mass: 1, inertia: 0.01, com: [0.2, -0.85], shape: {type: box, size: [0.2, 0.2], at: [0.2, "
                 "-0.85]},\n"
                 "          velocity: [1.275, 0.3], angular_velocity: 1.5}\n"
                 "joints:\n  pivot: {type: revolute, between: [ground, plank], at: [0, 0], speed: 1.5}\n"
                 "contacts: {sole: {between: [plank, rider], friction: 0.8}}\n"
                 "run: {method: nonsmooth, step: 1e-3, until: 5}\n",
                 coordinates(k));
        rigid_text(&r, text);
        double slip = 0, place = 0; /* where friction has taken hold: two steps after the start */
        for (int n = 1; n <= 1000; n++) {
            rigid_go(&r, 5e-3 * n);
            jn_body_motion plank = rigid_body(&r, 1), rider = rigid_body(&r, 2);
            jn_vec3 d = q4_rotate(q4_conj(plank.orientation), v3_sub(rider.position, plank.position));
            if (n == 1) place = d.x, r.rise = 0; /* and where contacts have taken over the weight */
            slip = fmax(slip, fabs(d.x - place));
        }
        const jn_audit *a = jn_sim_audit(r.sim);
        print_message("%s: slip %.1e m, energy rises by %.1e J in a step, %.1e J lost of %.2f J; %s\n", coordinates(k),
                      slip, r.rise, r.start - r.energy, a->energy_scale, a->verdict);
        assert_near(place, 0.2, 5e-6);
        assert_below(slip, KEPT);
        assert_below(r.given, rigid_shown(&r));
        assert_below(r.rise, 4e-6 * a->energy_scale); /* (h w)^2: a swing of second order */
        assert_below(r.start - r.energy, 1e-4);
        assert_true(a->ok);
        rigid_close(&r);
    }
}

/* A flat box on a table that turns up: friction holds it until r sqrt(a^2 + w^4) = mu g, and no longer. */
static void turntable_lets_go(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, "bodies:\n"
                   "  table: {mass: 5, inertia: [1, 1, 1], com: [0, 0, -0.05],\n"
                   "          shape: {type: box, size: [2, 2, 0.1], at: [0, 0, -0.05]}}\n"
                   "  box: {mass: 1, inertia: [1e-4, 1e-4, 1e-4], com: [0.3, 0, 5e-3],\n"
                   "        shape: {type: box, size: [0.04, 0.04, 0.01], at: [0.3, 0, 5e-3]}}\n"
                   "joints:\n  axle: {type: revolute, between: [ground, table], at: [0, 0, 0], axis: z, motion: t^2}\n"
                   "contacts: {sole: {between: [table, box], friction: 0.5}}\n"
                   "run: {method: nonsmooth, step: 1e-3, until: 3}\n");
    double release = 0.5 * pow(pow(0.5 * 9.81 / 0.3, 2) - 4, 0.25), t = 0, slip = 0, kept = 0;
    while (r.events <= 4 && t < 3) { /* four corners come to touch; then they slip */
        kept = fmax(kept, slip);
        rigid_go(&r, t += 1e-3);
        jn_body_motion b = rigid_body(&r, 2);
        slip = fabs(hypot(b.position.x, b.position.y) - 0.3);
    }
    print_message("lets go at %.4f s of %.4f s; until then %.1e m\n", t, release, kept);
    assert_near(t, release, 2e-3);
    assert_below(kept, KEPT);
    rigid_go(&r, t + 0.3);
    jn_body_motion b = rigid_body(&r, 2);
    print_message("0.3 s later at %.4f m\n", hypot(b.position.x, b.position.y));
    assert_true(hypot(b.position.x, b.position.y) > 0.31);
    assert_true(jn_sim_audit(r.sim)->ok);
    rigid_close(&r);
}

/* A table starts with 2 mu g and goes on evenly from 0.5 s: the box slides back by mu g/4 until 1 s, and stays there. */
static void what_has_slid_stays(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r,
               "plane: xy\nparameters: {a: 0.3*9.81}\nbodies:\n"
               "  table: {mass: 2, inertia: 1, com: [0, -0.1], shape: {type: box, size: [20, 0.2], at: [0, -0.1]}}\n"
               "  rider: {mass: 1, inertia: 0.01, com: [0, 0.1], shape: {type: box, size: [0.4, 0.2], at: [0, 0.1]}}\n"
               "joints:\n  rail: {type: prismatic, between: [ground, table], at: [0, 0], axis: x,\n"
               "         motion: \"a*t^2 - a*max(0, t - 0.5)^2\"}\n"
               "contacts: {sole: {between: [table, rider], friction: 0.3}}\n"
               "run: {method: nonsmooth, step: 1e-3, until: 3}\n");
    rigid_go(&r, 1.01);
    double slid = rigid_body(&r, 2).position.x - rigid_body(&r, 1).position.x;
    rigid_go(&r, 3);
    double later = rigid_body(&r, 2).position.x - rigid_body(&r, 1).position.x;
    print_message("slid %.9f m of %.9f m, then %.1e m\n", slid, -0.25 * 0.3 * 9.81, later - slid);
    assert_near(slid, -0.25 * 0.3 * 9.81, 1e-5);
    assert_near(later, slid, KEPT);
    rigid_close(&r);
}

/* A ball as an omni wheel about y slides along y for ever, and comes to roll along x at 5/7 of its speed. */
static void omni_wheel(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, "bodies:\n  ground: {shape: {type: plane}}\n"
                   "  wheel: {mass: 2, inertia: [8e-3, 8e-3, 8e-3], com: [0, 0, 0.1], velocity: [1, 1, 0],\n"
                   "          shape: {type: sphere, radius: 0.1, at: [0, 0, 0.1]}}\n"
                   "contacts: {floor: {between: [ground, wheel], friction: 0.5, rolls: y}}\n"
                   "run: {method: nonsmooth, step: 1e-3, until: 0.3}\n");
    rigid_go(&r, 0.3);
    jn_body_motion b = rigid_body(&r, 1);
    assert_near(b.velocity.x, 5. / 7, 1e-9);
    assert_near(b.velocity.y, 1, 1e-12);
    assert_near(b.angular_velocity.y, 50. / 7, 1e-8);
    assert_true(jn_sim_audit(r.sim)->ok);
    rigid_close(&r);
}

/* Two balls graze each other in flight: friction acts at one point, also where a step finds them overlapping, so that nothing turns
 * both. */
static void friction_adds_no_couple(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau_midpoint", "moreau_jean"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        rigid r;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies:\n"
                 "  left: {mass: 1, inertia: [0.004, 0.004, 0.004], velocity: [2, 0, 0], angular_velocity: [0, 5, 9], "
                 "shape: {type: "
                 "sphere, radius: 0.1}}\n"
                 "  right: {mass: 2, inertia: [0.008, 0.008, 0.008], com: [0.25, 0.08, 0.02], velocity: [-1, 0.1, 0], "
                 "shape: {type: sphere, "
                 "radius: 0.1, at: [0.25, 0.08, 0.02]}}\n"
                 "contacts: {skin: {between: [left, right], restitution: 0.5, friction: 0.4}}\n"
                 "run: {method: nonsmooth, scheme: %s, step: 7e-3, until: 0.1}\n",
                 schemes[k]);
        rigid_text(&r, text);
        jn_momentum before = jn_momentum_get(r.m, jn_sim_work(r.sim), jn_sim_state(r.sim), NULL);
        rigid_go(&r, 0.1);
        jn_momentum after = jn_momentum_get(r.m, jn_sim_work(r.sim), jn_sim_state(r.sim), NULL);
        double spin = v3_norm(rigid_body(&r, 2).angular_velocity);
        double off = v3_norm(v3_sub(after.angular, before.angular)) / v3_norm(before.angular);
        print_message("%s: the other ball turns with %.3f rad/s, angular momentum off by %.1e\n", schemes[k], spin,
                      off);
        assert_true(spin > 1);
        assert_below(off, 1e-12);
        rigid_close(&r);
    }
}

/* What rolls slowly goes on evenly: a cylinder, and a ball that spins as well, which goes straight on. */
static void slow_rolling(void **state) {
    (void)state;
    static const struct {
        double step, speed, spin;
    } ways[] = {{1e-2, 1e-4, 0},   {1e-3, 1e-4, 0},   {1e-2, 4e-4, 30},
                {1e-3, 1e-3, 100}, {1e-3, 1e-3, 0.5}, {1e-3, 1e-4, 3}};
    for (int k = 0; k < 12; k++) {
        double step = ways[k / 2].step, v = ways[k / 2].speed, spin = ways[k / 2].spin;
        char text[1024];
        rigid r;
        if (k % 2 && spin != 0) continue; /* a line that spins has to slide */
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane}}\n"
                 "  roller: {mass: 1, at: [0, 0, 0.05], orientation: {axis: x, angle: 90 deg},\n"
                 "           velocity: [%.9g, 0, 0], angular_velocity: [0, %.9g, %.9g], shape: {%s}}\n"
                 "contacts: {floor: {friction: 0.5}}\n"
                 "run: {method: nonsmooth, step: %.9g, until: 5}\n",
                 v, v / 0.05, spin, k % 2 ? "type: cylinder, radius: 0.05, length: 0.1" : "type: sphere, radius: 0.05",
                 step);
        rigid_text(&r, text);
        rigid_go(&r, 5);
        jn_body_motion b = rigid_body(&r, 1);
        print_message("%s %g s, %g m/s, %g rad/s: %.1e of its way ahead, %.1e aside, speed off by %.1e\n",
                      k % 2 ? "cylinder" : "ball", step, v, spin, b.position.x / (5 * v) - 1, b.position.y / (5 * v),
                      b.velocity.x / v - 1);
        /* in its first step a contact is not known to roll: its points stick, and turn with the spin */
        double start = step * step * fabs(spin) / 5;
        if (v * step < 1.01e-7 && spin != 0)
            start = 2e-3; /* slower than 1e-7 m in a step: taken to stick, and carried aside by the spin */
        assert_near(b.position.x / (5 * v), 1, 1e-6 + start);
        assert_near(b.position.y / (5 * v), 0, 1e-6 + start);
        assert_near(b.velocity.x / v, 1, 1e-6 + start);
        assert_near(b.angular_velocity.z, spin, 1e-8); /* impulses that leave 1e-8 m/s are kept from step to step */
        rigid_close(&r);
    }
}

/* A box and a rod tumble to rest with large steps: corrections of points that stick lift nothing that nobody pays for. */
static void tumbling_wins_nothing(void **state) {
    (void)state;
    rigid r;
    rigid_text(
        &r,
        "bodies:\n  ground: {shape: {type: plane}}\n"
        "  box: {mass: 1, inertia: [2e-3, 2e-3, 3e-3], at: [0, 0, 0.5], orientation: {axis: [1, 0.4, 0.2], angle: "
        "0.7},\n"
        "        velocity: [1, 0.3, 0], angular_velocity: [3, 1, 0], shape: {type: box, size: [0.15, 0.15, 0.1]}}\n"
        "  rod: {mass: 0.5, inertia: [2e-3, 2e-3, 1e-4], at: [0.05, 0.02, 1.2],\n"
        "        orientation: {axis: [1, 0.4, 0.2], angle: 1.1}, shape: {type: capsule, radius: 0.02, length: 0.4}}\n"
        "contacts: {floor: {friction: 0.4, restitution: 0.3}}\n"
        "run: {method: nonsmooth, step: 1e-2, until: 3}\n");
    rigid_go(&r, 3);
    print_message("energy given back %.1e J in a step, bound %.1e J\n", r.given, rigid_shown(&r));
    assert_below(r.given, rigid_shown(&r));
    rigid_close(&r);
}

/* Ball on a turntable, without slip: v' = 2/7 Omega z x v, so that its path is a circle about a point at rest, whatever its spin
 * about the normal. Returns how far it is off after one second. */
static double off_the_circle(double step, bool ball_first, double spin) {
    const double Omega = 2, k = Omega * 2 / 7, x = 0.5, vx = 0.3, vy = 0.2, R = 0.1;
    char ball[400], text[1024];
    const char *table =
        "  table: {mass: 10, inertia: [1, 1, 1], at: [0, 0, -0.1], shape: {type: plane, at: [0, 0, 0.1]}}\n";
    rigid r;
    snprintf(ball, sizeof ball,
             "  ball: {mass: 1, inertia: [4e-3, 4e-3, 4e-3], at: [%g, 0, %g], velocity: [%g, %g, 0],\n"
             "         angular_velocity: [%.17g, %.17g, %g], shape: {type: sphere, radius: %g}}\n",
             x, R, vx, vy, (Omega * x - vy) / R, vx / R, spin, R);
    snprintf(text, sizeof text,
             "bodies:\n%s%sjoints: {axle: {type: revolute, between: [ground, table], at: [0, 0, 0], axis: z, motion: "
             "%g*t}}\n"
             "contacts: {c: {between: [table, ball], friction: 5}}\nrun: {method: nonsmooth, step: %g, until: 1}\n",
             ball_first ? ball : table, ball_first ? table : ball, Omega, step);
    rigid_text(&r, text);
    assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
    jn_vec3 p = rigid_body(&r, ball_first ? 1 : 2).position;
    rigid_close(&r);
    return hypot(p.x - x - (vx * sin(k) - vy * (1 - cos(k))) / k, p.y - (vx * (1 - cos(k)) + vy * sin(k)) / k);
}

/* The point of contact moves on, and so does the velocity of the table under it: second order, where rows of the middle alone leave
 * the first. */
static void ball_on_a_turntable(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double spin = k / 2 ? 4 : 0, coarse = off_the_circle(4e-3, k % 2, spin),
               fine = off_the_circle(1e-3, k % 2, spin);
        print_message("%s, spin %g rad/s: off by %.1e m (4 ms), %.1e m (1 ms), order %.2f\n",
                      k % 2 ? "ball, table" : "table, ball", spin, coarse, fine, 0.5 * log2(coarse / fine));
        assert_below(fine, 1e-5);
        assert_near(0.5 * log2(coarse / fine), 2, 0.1);
    }
}

/* A box that starts at rest on a slope holds up to static friction, and slides against dynamic friction where that is not enough. */
static void static_friction_holds_from_the_start(void **state) {
    (void)state;
    static const double along[] = {3.6, 4.4, 4.7}, steps_of[] = {1e-3, 1e-4, 1e-5}; /* of 9.1 m/s^2: 0.396, 0.484, 0.516 */
    for (int k = 0; k < 9; k++) {
        char text[600];
        rigid r;
        double g = along[k / 3], t = 0.05, wanted = g > 0.5 * 9.1 ? 0.5 * (g - 0.3 * 9.1) * t * t : 0;
        snprintf(text, sizeof text,
                 "gravity: [%g, 0, -9.1]\nbodies:\n  ground: {shape: {type: plane}}\n"
                 "  a: {density: 1000, at: [0, 0, 0.05], shape: {type: box, size: [0.4, 0.3, 0.1]}}\n"
                 "contacts: {floor: {between: [ground, a], friction: {dynamic: 0.3, static: 0.5}}}\n"
                 "run: {method: nonsmooth, step: %g, until: 1}\n",
                 g, steps_of[k % 3]);
        rigid_text(&r, text);
        assert_int_equal(jn_sim_advance(r.sim, t), JN_OK);
        double x = rigid_body(&r, 1).position.x;
        print_message("slope %.3f, step %g s: slid by %.3e m, closed form %.3e m\n", g / 9.1, steps_of[k % 3], x, wanted);
        assert_near(x, wanted, wanted > 0 ? steps_of[k % 3] * (0.5 - 0.3) * 9.1 * t : 1e-11); /* it may break a step late */
        rigid_close(&r);
    }
}

/* Slips and sticks of the contact points of a block; those of one step count once. */
typedef struct changes {
    int slips, sticks, all; /* all: with those of every point */
    double slip[8], stick[8], apart;
} changes;

static void note_change(void *context, const jn_event *e) {
    changes *c = context;
    bool slip = !strcmp(e->kind, "slip"), stick = !strcmp(e->kind, "stick");
    if (!slip && !stick) return;
    int *count = slip ? &c->slips : &c->sticks;
    double *time = slip ? c->slip : c->stick;
    c->all++;
    if (*count && e->time - time[*count - 1] < c->apart) return;
    if (*count < 8) time[(*count)++] = e->time;
}

/* A block on a belt that a spring holds, static friction above dynamic: it sticks until k x = mu_s N, slips as an oscillator about mu_d N/k until it has the speed of
 * the belt again, (pi + 2 atan(v w/((mu_s - mu_d) g)))/w later, and sticks for 2 (mu_s - mu_d) N/(k v). One slip and one stick of each point in a cycle, without chatter;
 * each change is seen within two steps. */
static void stick_and_slip_on_a_belt(void **state) {
    (void)state;
    static const double steps_of[] = {2e-3, 1e-3, 1e-4};
    const double g = 9.81, w = 10, v = 0.1, more = 0.5 - 0.3;
    double slips = (3.14159265358979323846 + 2 * atan(v * w / (more * g))) / w, sticks = 2 * more * g / (w * w * v);
    for (int k = 0; k < 6; k++) {
        rigid r;
        char text[1200];
        bool plane = k < 3;
        double h = steps_of[k % 3];
        changes c = {.apart = 5 * h};
        snprintf(text, sizeof text,
                 plane ? "plane: xy\nbodies:\n  belt: {mass: 1, inertia: 1, com: [0, -0.1], shape: {type: rectangle, size: [20, 0.2], at: [0, -0.1]}}\n"
                         "  block: {mass: 1, inertia: 0.01, com: [0, 0.1], velocity: [0.1, 0], shape: {type: rectangle, size: [0.4, 0.2], at: [0, 0.1]}}\n"
                         "joints: {drive: {type: prismatic, between: [ground, belt], at: [0, -0.1], axis: x, motion: 0.1*t}}\n"
                         "forces: {spring: {type: spring, between: [ground, block], ends: [[-100, 0], [0, 0]], stiffness: 100}}\n"
                         "contacts: {sole: {between: [belt, block], friction: {static: 0.5, dynamic: 0.3}}}\nrun: {method: nonsmooth, step: %g, until: 3}\n"
                       : "bodies:\n  belt: {mass: 1, inertia: [1, 1, 1], com: [0, 0, -0.1], shape: {type: box, size: [20, 2, 0.2], at: [0, 0, -0.1]}}\n"
                         "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.1], velocity: [0.1, 0, 0], shape: {type: box, size: [0.4, 0.3, 0.2], at: [0, 0, 0.1]}}\n"
                         "joints: {drive: {type: prismatic, between: [ground, belt], at: [0, 0, -0.1], axis: x, motion: 0.1*t}}\n"
                         "forces: {spring: {type: spring, between: [ground, block], ends: [[-100, 0, 0], [0, 0, 0]], stiffness: 100}}\n"
                         "contacts: {sole: {between: [belt, block], friction: {static: 0.5, dynamic: 0.3}}}\nrun: {method: nonsmooth, step: %g, until: 3}\n",
                 h);
        rigid_text(&r, text);
        jn_sim_on_event(r.sim, note_change, &c);
        assert_int_equal(jn_sim_advance(r.sim, 3), JN_OK);
        assert_int_equal(c.slips, 4);
        assert_int_equal(c.sticks, 3);
        assert_int_equal(c.all, (plane ? 2 : 4) * 7);
        double late = 0;
        for (int n = 0; n < 3; n++) {
            double slip = 0.5 * g / (w * w * v) + n * (slips + sticks);
            late = fmax(late, fmax(fabs(c.slip[n] - slip), fabs(c.stick[n] - slip - slips)) / (2 * n + 2));
        }
        print_message("%s, step %g s: changes off by %.2g steps each\n", plane ? "plane" : "space", h, late / h);
        assert_below(late, 1.5 * h); /* each of the changes before */
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(table_carried_round), cmocka_unit_test(box_on_a_swing),
                                       cmocka_unit_test(turntable_lets_go),   cmocka_unit_test(what_has_slid_stays),
                                       cmocka_unit_test(omni_wheel),          cmocka_unit_test(friction_adds_no_couple),
                                       cmocka_unit_test(slow_rolling),        cmocka_unit_test(tumbling_wins_nothing),
                                       cmocka_unit_test(ball_on_a_turntable),
                                       cmocka_unit_test(static_friction_holds_from_the_start),
                                       cmocka_unit_test(stick_and_slip_on_a_belt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
