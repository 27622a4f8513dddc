/* Clearance joints: what they become without clearance, what they carry, and their mode. */
#include "model/model_layout.h"
#include "text_model.h"
#include <jounce/reaction.h>
#include <jounce/workflow.h>

static const char four[] =
    "gravity: none\n"
    "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}, "
    "d: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  ja: {type: revolute_clearance, between: [ground, a], at: [0, 0, 0], axis: x, bearing: 0.01, length: 0.02, "
    "clearance: %s, contact: s}\n"
    "  jb: {type: cylindrical_clearance, between: [ground, b], at: [1, 0, 0], axis: y, bearing: 0.01, length: 0.02, "
    "clearance: %s, contact: s}\n"
    "  jc: {type: spherical_clearance, between: [ground, c], at: [2, 0, 0], bearing: 0.01, clearance: %s, contact: s}\n"
    "  jd: {type: translational_clearance, between: [ground, d], axis: x, axis2: z, at: [3, 0, 0], length: 0.1, width: "
    "0.02, height: 0.03, clearance: %s, contact: s}\n"
    "contacts: {s: {law: hertz, stiffness: 1e8}}\n"
    "run: {method: compliant, until: 0.1}\n";

static void without_play_they_are_ideal(void **state) {
    (void)state;
    static const jn_joint_type ideal[] = {JN_JOINT_REVOLUTE, JN_JOINT_CYLINDRICAL, JN_JOINT_SPHERICAL,
                                          JN_JOINT_PRISMATIC};
    char text[2048];
    jn_report report;
    for (int play = 0; play < 2; play++) {
        const char *c = play ? "1e-4" : "0";
        snprintf(text, sizeof text, four, c, c, c, c);
        jn_model *m = text_model(text, &report);
        check_report(&report);
        for (int k = 0; k < 4; k++) assert_int_equal(m->joints[k].type == ideal[k], !play);
        assert_int_equal(m->nv, play ? 24 : 1 + 2 + 3 + 1);
        assert_int_equal(m->solid_count, play ? 2 + 2 + 2 + 5 : 0);
        jn_model_free(m);
    }
}

static jn_result *run_text(const char *text, jn_model **m) {
    jn_report report;
    *m = text_model(text, &report);
    check_report(&report);
    jn_result *r = jn_run(*m, NULL, NULL, NULL, &report);
    assert_non_null(r);
    assert_int_equal(r->status, JN_OK);
    return r;
}

static int column(const jn_result *r, const char *name) {
    for (int k = 0; k < r->channels; k++)
        if (!strcmp(r->names[k], name)) return k + 1;
    print_error("no channel %s\n", name);
    fail();
    return 0;
}
static double value(const jn_result *r, long row, int col) {
    return r->data[(size_t)row * (size_t)(r->channels + 1) + (size_t)col];
}

/* A tumbling rotor whose centre of mass lies off its bearing: mass times acceleration is weight and reaction, the change
 * of angular momentum is the reaction's moment. Energy stays. */
static void reactions_move_the_body(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {rotor: {mass: 2, com: [0.01, 0.004, 0.03], inertia: [2e-3, 2e-3, 2e-3], velocity: [0.1, 0.2, -0.3], "
        "angular_velocity: [2, 1, 30]}}\n"
        "joints: {j: {type: revolute_clearance, between: [ground, rotor], at: [0, 0, 0], axis: z, bearing: 0.02, "
        "length: "
        "0.05, clearance: 0.3 mm, contact: s}}\n"
        "contacts: {s: {law: hertz, stiffness: 1e9}}\n"
        "run: {method: compliant, integrator: dopri45, tolerance: 1e-11, until: 0.2}\n"
        "record: {every: 0.02 ms}\n";
    jn_model *m;
    jn_result *r = run_text(text, &m);
    static const char *const f[] = {"fx", "fy", "fz"}, *const t[] = {"tx", "ty", "tz"}, *const a[] = {"ax", "ay", "az"},
                             *const al[] = {"alx", "aly", "alz"};
    int cf[3], ct[3], ca[3], cal[3], q[4], touching = 0;
    char name[64];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "joint.j.%s", f[k]), cf[k] = column(r, name);
        snprintf(name, sizeof name, "joint.j.%s", t[k]), ct[k] = column(r, name);
        snprintf(name, sizeof name, "body.rotor.%s", a[k]), ca[k] = column(r, name);
        snprintf(name, sizeof name, "body.rotor.%s", al[k]), cal[k] = column(r, name);
    }
    static const char *const qs[] = {"body.rotor.qw", "body.rotor.qx", "body.rotor.qy", "body.rotor.qz"};
    for (int k = 0; k < 4; k++) q[k] = column(r, qs[k]);
    int depth = column(r, "joint.j.penetration"), force = column(r, "joint.j.force");
    for (long row = 0; row < r->rows; row++) {
        jn_vec3 F = v3(value(r, row, cf[0]), value(r, row, cf[1]), value(r, row, cf[2]));
        jn_vec3 T = v3(value(r, row, ct[0]), value(r, row, ct[1]), value(r, row, ct[2]));
        jn_vec3 A = v3(value(r, row, ca[0]), value(r, row, ca[1]), value(r, row, ca[2]) + 9.81);
        jn_vec3 L = v3_scale(2e-3, v3(value(r, row, cal[0]), value(r, row, cal[1]), value(r, row, cal[2])));
        jn_quat Q = {value(r, row, q[0]), value(r, row, q[1]), value(r, row, q[2]), value(r, row, q[3])};
        jn_vec3 arm = q4_rotate(Q, v3(-0.01, -0.004, -0.03)); /* from the centre of mass to the joint's point */
        assert_below(v3_norm(v3_sub(F, v3_scale(2, A))), 1e-8 * (1 + v3_norm(F)));
        assert_below(v3_norm(v3_sub(v3_add(T, v3_cross(arm, F)), L)), 1e-8 * (1 + v3_norm(F)));
        assert_near(value(r, row, force), v3_norm(F), 1e-9);
        assert_int_equal(value(r, row, depth) > 0, v3_norm(F) > 0);
        touching += v3_norm(F) > 0;
    }
    assert_true(touching > 100);
    assert_below(r->audit.max_energy_residual, 1e-7);
    jn_result_free(r);
    jn_model_free(m);
}

static const char drop[] = "plane: xy\n"
                           "gravity: [0, -9.81]\n"
                           "bodies: {disc: {mass: 1, inertia: 1e-3}}\n"
                           "joints: {j: {type: revolute_clearance, between: [ground, disc], at: [0, 0], bearing: 20 "
                           "mm, clearance: 1 mm, contact: "
                           "s}}\n"
                           "contacts: {s: {law: %s, stiffness: 1e10, restitution: %g, exact: true}}\n"
                           "run: {method: compliant, integrator: dopri45, tolerance: 1e-9, until: %g}\n"
                           "record: {every: 0.005 ms, channels: [joint.j.*]}\n";

/* Falls through its play, strikes, flies, and comes to rest: impacts alternate with flights, the last contact stays. */
static void falls_strikes_stays(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, drop, "flores", 0.5, 0.1);
    jn_model *m;
    jn_result *r = run_text(text, &m);
    int mode = column(r, "joint.j.mode"), depth = column(r, "joint.j.penetration"), ey = column(r, "joint.j.ey"),
        e = column(r, "joint.j.eccentricity"), strikes = 0, flights = 0;
    for (long row = 0; row < r->rows; row++) {
        double now = value(r, row, mode), before = row ? value(r, row - 1, mode) : 0;
        assert_int_equal(now > 0, value(r, row, depth) > 0);
        assert_near(value(r, row, e), fmax(0, -value(r, row, ey)), 1e-15);
        assert_near(value(r, row, depth), fmax(0, value(r, row, e) - 1e-3), 1e-15);
        strikes += before == 0 && now == 1;
        flights += before == 1 && now == 0;
        assert_false(before == 0 && now == 2 && strikes < 3); /* the first ones are no continuous contacts */
        assert_false(before == 2 && now == 1);
    }
    assert_true(strikes >= 3);
    assert_true(flights >= 3);
    assert_near(value(r, r->rows - 1, mode), 2, 0);
    double rest = pow(9.81 / 1e10, 2.0 / 3);
    assert_near(value(r, r->rows - 1, depth), rest, 1e-10);
    jn_result_free(r);
    jn_model_free(m);
}

/* One blow stays an impact to its end under every law down to a restitution of 0.1: the time limit is not met. */
static void a_blow_is_an_impact(void **state) {
    (void)state;
    double longest = 0;
    for (int kind = 0; jn_normal_get_info(kind); kind++)
        for (int k = 0; k < 4; k++) {
            static const double restitution[] = {0.1, 0.3, 0.7, 1};
            jn_normal_parameters p = jn_normal_default();
            p.stiffness = 1e8, p.restitution = restitution[k], p.mass = 1;
            jn_normal_law law;
            jn_report report = {0};
            jn_collision c;
            if (jn_normal_prepare(jn_normal_get_info(kind), &p, (jn_where){"", 0, 0}, &report, &law) <
                    0 ||
                jn_law_collision(&law, 1, 0.5, &c) < 0)
                continue;
            longest = fmax(longest, c.release * 0.5 / c.max_depth);
        }
    print_message("          longest blow: %.1f deepest penetrations over its speed\n", longest);
    assert_true(longest > 2.9);
    assert_below(longest, 20);
}

/* Pressed without a blow: continuous from the start. Soft and without rebound: continuous after the time of a blow. */
static void slow_contacts_are_continuous(void **state) {
    (void)state;
    static const char pressed[] = "plane: xy\n"
                                  "gravity: [0, -9.81]\n"
                                  "bodies: {disc: {mass: 1, inertia: 1e-3, at: [0, -1e-3], velocity: [0, -%g]}}\n"
                                  "joints: {j: {type: revolute_clearance, between: [ground, disc], frames: [{at: [0, "
                                  "0]}, {at: [0, 0]}], bearing: 20 "
                                  "mm, clearance: 1 mm, contact: s}}\n"
                                  "contacts: {s: {law: kelvin_voigt, stiffness: 1e4, damping: %g}}\n"
                                  "run: {method: compliant, integrator: dopri45, tolerance: 1e-9, until: 0.2}\n"
                                  "record: {every: 0.1 ms, channels: [joint.j.*]}\n";
    char text[1024];
    jn_model *m;
    snprintf(text, sizeof text, pressed, 0.0, 10.0);
    jn_result *r = run_text(text, &m);
    int mode = column(r, "joint.j.mode");
    for (long row = 1; row < r->rows; row++) assert_near(value(r, row, mode), 2, 0);
    jn_result_free(r), jn_model_free(m);
    snprintf(text, sizeof text, pressed, 0.2, 4000.0); /* ten times the critical damping: it creeps */
    r = run_text(text, &m);
    assert_near(value(r, 1, mode), 1, 0);
    assert_near(value(r, r->rows - 1, mode), 2, 0);
    for (long row = 2; row < r->rows; row++) assert_true(value(r, row, mode) >= value(r, row - 1, mode));
    jn_result_free(r), jn_model_free(m);
}

/* Stiffness from Young's modulus and radii: both ends of the journal carry by K of a bearing and its journal, four
 * points of an end face by that of a sphere of the journal's radius on a plane. */
static void stiffness_from_radii(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [10, 0, -100]\n"
        "bodies: {rotor: {mass: 4, inertia: [2e-3, 2e-3, 2e-3]}}\n"
        "joints: {j: {type: revolute_clearance, between: [ground, rotor], at: [0, 0, 0], axis: x, bearing: 10 mm, "
        "length: 40 mm, clearance: 0.1 mm, contact: s}}\n"
        "contacts: {s: {law: flores, young: 207 GPa, poisson: 0.3, restitution: 0.2}}\n"
        "run: {method: compliant, integrator: dopri45, tolerance: 1e-10, until: 0.05}\n";
    jn_model *m;
    jn_result *r = run_text(text, &m);
    double compliance = 2 * (1 - 0.09) / 207e9, K = 4 / (3 * compliance) / sqrt(1 / 0.0099 - 1 / 0.01);
    assert_near(jn_result_at(r, "joint.j.penetration", 0.05), pow(200 / K, 2.0 / 3), 1e-11);
    assert_near(jn_result_at(r, "joint.j.fz", 0.05), 400, 1e-3);
    double wall = 4 / (3 * compliance) * sqrt(0.0099);
    assert_near(jn_result_at(r, "joint.j.ez", 0.05), 1e-4 + pow(10 / wall, 2.0 / 3), 1e-11);
    jn_result_free(r), jn_model_free(m);
}

/* Depth under a load per length p [N/m] by the laws for lines, computed apart: d = q [ln(4 dR/q) + c], q = p sigma/pi. */
static double line_depth(double p, double dR, double c) {
    double q = p * 2 * (1 - 0.09) / 207e9 / acos(-1);
    return q * (log(4 * dR / q) + c);
}

/* Laws of cylinders along a line: a journal at rest in its bearing, in a plane and in space (both ends carry half the length
 * each; the end wall by Hertz), and a roller on a roller. */
static void line_contacts_at_rest(void **state) {
    (void)state;
    static const char *const names
        [] = {"johnson", "esdu"},
   *const scenes[] = {
       "plane: xy\ngravity: [0, -100]\n"
       "bodies: {b: {mass: 4, inertia: 2e-3}}\n"
       "joints: {j: {type: revolute_clearance, between: [ground, b], at: [0, 0], bearing: 10 mm, clearance: 0.1 mm, "
       "contact: s}}\n"
       "contacts: {s: {law: flores, line: %s, length: 40 mm, young: 207 GPa, poisson: 0.3, restitution: 0.2}}\n",
       "gravity: [10, 0, -100]\n"
       "bodies: {b: {mass: 4, inertia: [2e-3, 2e-3, 2e-3]}}\n"
       "joints: {j: {type: revolute_clearance, between: [ground, b], at: [0, 0, 0], axis: x, bearing: 10 mm, "
       "length: 40 mm, clearance: 0.1 mm, contact: s}}\n"
       "contacts: {s: {law: flores, line: %s, young: 207 GPa, poisson: 0.3, restitution: 0.2}}\n",
       "plane: xy\ngravity: [0, -100]\n"
       "bodies:\n  ground: {shape: {type: circle, radius: 15 mm}}\n"
       "  b: {mass: 4, inertia: 2e-3, com: [0, 25 mm], shape: {type: circle, radius: 10 mm, at: [0, 25 mm]}}\n"
       "joints: {up: {type: prismatic, between: [ground, b], axis: y}}\n"
       "contacts: {j: {between: [ground, b], joined: true, law: flores, line: %s, length: 40 mm, young: 207 GPa, "
       "poisson: 0.3, restitution: 0.2}}\n"};
    for (int scene = 0; scene < 3; scene++)
        for (int k = 0; k < 2; k++) {
            char text[1024], run[128];
            jn_model *m;
            snprintf(text, sizeof text, scenes[scene], names[k]);
            snprintf(run, sizeof run, "run: {method: compliant, integrator: bdf, tolerance: 1e-10, until: 0.1}\n");
            strncat(text, run, sizeof text - strlen(text) - 1);
            jn_result *r = run_text(text, &m);
            double wanted = line_depth(400 / 0.04, scene == 2 ? 0.025 : 1e-4, k ? 1 : -1);
            double found = scene == 2 ? -jn_result_at(r, "contact.j.gap", 0.1)
                                      : jn_result_at(r, "joint.j.eccentricity", 0.1) - 1e-4;
            print_message("%s, scene %d: depth %.6e m, off by %.1e\n", names[k], scene, wanted, fabs(found - wanted));
            assert_near(found / wanted, 1, 1e-6);
            jn_result_free(r), jn_model_free(m);
        }
}

static void count_warnings(void *context, const jn_event *e) { *(int *)context += !strcmp(e->kind, "warning"); }

/* A journal pressed deeper than its line law holds is reported once, and goes on along the tangent. */
static void a_line_law_tells_its_limit(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[512];
        jn_model *m;
        int warnings = 0;
        snprintf(
            text, sizeof text,
            "plane: xy\ngravity: [0, -%s]\nbodies: {b: {mass: 4, inertia: 2e-3}}\n"
            "joints: {j: {type: revolute_clearance, between: [ground, b], at: [0, 0], bearing: 10 mm, clearance: 10 "
            "um, contact: s}}\n"
            "contacts: {s: {law: hertz, line: johnson, length: 20 mm, young: 207 GPa}}\n"
            "run: {method: compliant, integrator: dopri45, tolerance: 1e-9, until: 1 ms}\n",
            k ? "2e4" : "100");
        jn_sim *sim = text_sim(text, &m);
        jn_sim_on_event(sim, count_warnings, &warnings);
        assert_int_equal(jn_sim_advance(sim, k ? 1e-4 : 1e-3), JN_OK);
        assert_true(jn_sim_audit(sim)->max_penetration > 0 && jn_sim_audit(sim)->ok);
        assert_true((jn_sim_audit(sim)->max_penetration > 0.9 * 4 * exp(-2) * 1e-5) == k);
        assert_int_equal(warnings, k);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* A block in a plane: its offset across the guides, its travel and the sign of its tilt. */
static void block_in_a_plane(void **state) {
    (void)state;
    static const char text[] =
        "plane: xy\n"
        "gravity: none\n"
        "bodies: {block: {mass: 1, inertia: 1e-3, velocity: [0.5, 0.01], angular_velocity: 0.2}}\n"
        "joints: {j: {type: translational_clearance, between: [ground, block], axis: x, at: [0, 0], length: 40 mm, "
        "height: 20 mm, clearance: 1 mm, contact: s}}\n"
        "contacts: {s: {law: hertz, stiffness: 1e8}}\n"
        "run: {method: compliant, until: 0.04}\n";
    jn_model *m;
    jn_result *r = run_text(text, &m);
    assert_near(jn_result_at(r, "joint.j.tilt", 0.04), 0.008, 1e-12);
    assert_near(jn_result_at(r, "joint.j.ez", 0.04), 0.02, 1e-12);
    assert_near(fabs(jn_result_at(r, "joint.j.ey", 0.04)), 4e-4, 1e-12);
    assert_near(jn_result_at(r, "joint.j.eccentricity", 0.04), 4e-4, 1e-12);
    assert_near(jn_result_at(r, "joint.j.mode", 0.04), 0, 0);
    assert_true(isnan(jn_result_at(r, "joint.j.ex", 0.04))); /* no such channel in a plane */
    jn_result_free(r), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_play_they_are_ideal),
        cmocka_unit_test(reactions_move_the_body),
        cmocka_unit_test(falls_strikes_stays),
        cmocka_unit_test(a_blow_is_an_impact),
        cmocka_unit_test(slow_contacts_are_continuous),
        cmocka_unit_test(stiffness_from_radii),
        cmocka_unit_test(line_contacts_at_rest),
        cmocka_unit_test(a_line_law_tells_its_limit),
        cmocka_unit_test(block_in_a_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
