/* What one step costs, in calls: with one evaluation per step, kinematics, forces, factorisation and rows are computed once, and every near
 * pair goes to the narrow phase once. Counted on a robot with two legs and two arms that falls on a floor and comes to rest. */
#include "proximity/detection.h"
#include "step/compliant/compliant_step.h"
#include "step/sim.h"
#include "text_model.h"

static const char robot[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {type: plane}}\n"
    "  torso: {mass: 8, inertia: [0.2, 0.18, 0.06], com: [0, 0, 1.15],\n"
    "          shape: {type: box, size: [0.16, 0.24, 0.4], at: [0, 0, 1.15]}}\n"
    "  thigh_l: {mass: 3, inertia: [0.03, 0.03, 0.004], com: [0, 0.1, 0.72],\n"
    "            shape: {type: capsule, radius: 0.05, length: 0.24, at: [0, 0.1, 0.72]}}\n"
    "  thigh_r: {mass: 3, inertia: [0.03, 0.03, 0.004], com: [0, -0.1, 0.72],\n"
    "            shape: {type: capsule, radius: 0.05, length: 0.24, at: [0, -0.1, 0.72]}}\n"
    "  shin_l: {mass: 2, inertia: [0.02, 0.02, 0.002], com: [0, 0.1, 0.34],\n"
    "           shape: {type: capsule, radius: 0.04, length: 0.24, at: [0, 0.1, 0.34]}}\n"
    "  shin_r: {mass: 2, inertia: [0.02, 0.02, 0.002], com: [0, -0.1, 0.34],\n"
    "           shape: {type: capsule, radius: 0.04, length: 0.24, at: [0, -0.1, 0.34]}}\n"
    "  foot_l: {mass: 1, inertia: [0.002, 0.006, 0.006], com: [0.04, 0.1, 0.07],\n"
    "           shape: {type: box, size: [0.22, 0.1, 0.06], at: [0.04, 0.1, 0.07]}}\n"
    "  foot_r: {mass: 1, inertia: [0.002, 0.006, 0.006], com: [0.04, -0.1, 0.07],\n"
    "           shape: {type: box, size: [0.22, 0.1, 0.06], at: [0.04, -0.1, 0.07]}}\n"
    "  arm_l: {mass: 1.5, inertia: [0.02, 0.02, 0.002], com: [0, 0.24, 1.1],\n"
    "          shape: {type: capsule, radius: 0.04, length: 0.3, at: [0, 0.24, 1.1]}}\n"
    "  arm_r: {mass: 1.5, inertia: [0.02, 0.02, 0.002], com: [0, -0.24, 1.1],\n"
    "          shape: {type: capsule, radius: 0.04, length: 0.3, at: [0, -0.24, 1.1]}}\n"
    "joints:\n"
    "  hip_l: {type: revolute, between: [torso, thigh_l], at: [0, 0.1, 0.92], axis: y, lower: -1.5, upper: 0.5, "
    "damping: 0.5}\n"
    "  hip_r: {type: revolute, between: [torso, thigh_r], at: [0, -0.1, 0.92], axis: y, lower: -1.5, upper: 0.5, "
    "damping: 0.5}\n"
    "  knee_l: {type: revolute, between: [thigh_l, shin_l], at: [0, 0.1, 0.53], axis: y, lower: 0, upper: 2, position: "
    "0.2, damping: 0.5}\n"
    "  knee_r: {type: revolute, between: [thigh_r, shin_r], at: [0, -0.1, 0.53], axis: y, lower: 0, upper: 2, "
    "position: 0.25, damping: 0.5}\n"
    "  ankle_l: {type: revolute, between: [shin_l, foot_l], at: [0, 0.1, 0.12], axis: y, lower: -0.6, upper: 0.6, "
    "damping: 0.5}\n"
    "  ankle_r: {type: revolute, between: [shin_r, foot_r], at: [0, -0.1, 0.12], axis: y, lower: -0.6, upper: 0.6, "
    "damping: 0.5}\n"
    "  shoulder_l: {type: revolute, between: [torso, arm_l], at: [0, 0.24, 1.3], axis: y, damping: 0.5}\n"
    "  shoulder_r: {type: revolute, between: [torso, arm_r], at: [0, -0.24, 1.3], axis: x, lower: -1.5, upper: 0.2, "
    "damping: 0.5}\n"
    "contacts: {all: {friction: 0.8, restitution: 0}}\n"
    "run: {method: nonsmooth, step: 2 ms, until: 4, sleep: false}\n"; /* steps at rest are counted too */

static jn_counts counts_of(const jn_sim *sim) {
    jn_counts c = sim->w->counts;
    const jn_counts *detection = &sim->contacts->detection->counts;
    c.detections = detection->detections, c.pairs_found = detection->pairs_found,
    c.narrow_phase = detection->narrow_phase;
    return c;
}

static void at_most(const char *what, double value, double limit) {
    if (value > limit) fail_msg("%s: %.3f, at most %.3f", what, value, limit);
}

/* Calls per step between two times. */
static void count(jn_sim *sim, double until) {
    jn_counts a = counts_of(sim);
    long steps = lround((until - jn_sim_state(sim)->t) / jn_model_run(sim->m)->step);
    assert_int_equal(jn_sim_advance(sim, until), JN_OK);
    jn_counts b = counts_of(sim);
    double n = (double)steps, links = sim->m->link_count - 1;
    double kinematics = (double)(b.kinematics - a.kinematics) + (double)(b.link_kinematics - a.link_kinematics) / links;
    double pairs = (double)(b.pairs_found - a.pairs_found) / (double)(b.detections - a.detections);
    double narrow = (double)(b.narrow_phase - a.narrow_phase) / n / pairs;
    print_message(
        "to %g s, per step: kinematics %.2f, forces %.2f, factorisations %.2f, rows of joints %.2f, of contacts %.2f, "
        "narrow phase %.2f per pair (%.1f of them)\n",
        until, kinematics / n, (double)(b.forces - a.forces) / n, (double)(b.factorisations - a.factorisations) / n,
        (double)(b.constraint_rows - a.constraint_rows) / n, (double)(b.contact_rows - a.contact_rows) / n, narrow,
        pairs);
    assert_true(pairs > 2); /* there is something to count */
    at_most("kinematics per step", kinematics / n, 1.1);
    at_most("forces per step", (double)(b.forces - a.forces) / n, 1.1);
    at_most("factorisations per step", (double)(b.factorisations - a.factorisations) / n, 1.1);
    at_most("rows of joints per step", (double)(b.constraint_rows - a.constraint_rows) / n, 1.1);
    at_most("rows of contacts per step", (double)(b.contact_rows - a.contact_rows) / n, 1.1);
    at_most("narrow phase per pair and step", narrow, 1.2);
}

static void robot_falls_and_rests(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(robot, &m);
    count(sim, 1);
    assert_int_equal(jn_sim_advance(sim, 3), JN_OK);
    count(sim, 4);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* The counters themselves: one call, one count. */
static void calls_are_counted(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(robot, &m);
    jn_work *w = sim->w;
    jn_counts a = counts_of(sim);
    jn_kinematics(m, w, jn_sim_state(sim));
    jn_forces(m, w, jn_sim_state(sim));
    assert_int_equal(jn_mass_factor_here(m, w), JN_OK);
    assert_int_equal(jn_detection_update_work(sim->contacts->detection, w, 1e9), JN_OK);
    jn_counts b = counts_of(sim);
    assert_int_equal(b.kinematics - a.kinematics, 1);
    assert_int_equal(b.forces - a.forces, 1);
    assert_int_equal(b.factorisations - a.factorisations, 1);
    assert_int_equal(b.detections - a.detections, 1);
    assert_true(b.pairs_found - a.pairs_found > 10);
    assert_true(b.narrow_phase - a.narrow_phase >= b.pairs_found - a.pairs_found);
    jn_sim_free(sim);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_counted), cmocka_unit_test(robot_falls_and_rests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
