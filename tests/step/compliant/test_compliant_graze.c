/* Contacts that begin and end while steps are long: bodies that fly past each other, corners that turn past a floor. Closed forms say which meet, and when. */
#include "scenes.h"
#include "text_model.h"

typedef struct first_contact {
    int count;
    double time; /* [s] */
} first_contact;

static void keep_first(void *context, const jn_event *e) {
    first_contact *f = context;
    if (!strcmp(e->kind, "contact") && f->count++ == 0) f->time = e->time;
}

static first_contact run(const char *text) {
    jn_model *model;
    first_contact f = {0, NAN};
    jn_sim *sim = text_sim(text, &model);
    jn_sim_on_event(sim, keep_first, &f);
    int status = jn_sim_advance(sim, jn_model_run(model)->until);
    if (status < 0) fail_msg("%s\n%s", jn_sim_error(sim)->text, text);
    jn_sim_free(sim), jn_model_free(model);
    return f;
}

/* A contact may begin as deep as adds 1e-12 of the energy, here below 1e-9 m: in time that by the rate of the gap. */
static void expect(const char *text, bool meets, double time, double rate, double by) {
    const char *what = meets ? "meets" : "passes";
    first_contact f = run(text);
    if (meets != (f.count > 0)) fail_msg("%s by %g: %d contacts\n%s", what, by, f.count, text);
    if (meets && !(fabs(f.time - time) * rate < 1e-9)) fail_msg("%s: at %.12g s, not %.12g s\n%s", what, f.time, time, text);
}

/* A ball without gravity passes a fixed one at the distance p of its path: they meet at x = -sqrt(R^2 - p^2) if p < R, the sum of the radii. */
static void balls_that_pass_meet_or_not(void **state) {
    (void)state;
    static const char *const integrators[] = {"auto", "dopri45", "adams", "rk4"};
    uint64_t seed = 5;
    int met = 0, grazed = 0;
    for (int k = 0; k < 200; k++) {
        double r = 0.02 + 0.01 * scene_random(&seed), v = 10.5 + 10 * scene_random(&seed), R = r + 0.05;
        double near = pow(10, -3 + 2 * scene_random(&seed)), p = R * (1 + (k % 2 ? near : -near)), from = -3 * R;
        char text[700];
        snprintf(text, sizeof text,
                 "plane: xy\ngravity: [0, 0]\nbodies:\n  ground: {shape: {type: circle, radius: 0.05}}\n"
                 "  ball: {mass: 0.1, inertia: 1e-4, com: [%.17g, %.17g], velocity: [%.17g, 0], shape: {type: circle, "
                 "radius: %.17g, at: [%.17g, %.17g]}}\n"
                 "contacts: {all: {stiffness: 1e9, restitution: 0.5}}\n"
                 "run: {method: compliant, integrator: %s, step: %.17g, until: %.17g}\n",
                 from, p, v, r, from, p, integrators[k % 4], R / v, 6 * R / v);
        bool meets = p < R;
        expect(text, meets, meets ? (-sqrt(R * R - p * p) - from) / v : NAN, v * sqrt(fmax(0, 1 - p * p / (R * R))), near);
        met += meets, grazed += meets && near < 1e-3;
    }
    print_message("%d of 200 balls meet, %d of them by less than a thousandth\n", met, grazed);
    assert_true(met == 100 && grazed > 20);
}

/* A rod that turns about its centre over a floor, without gravity: its corner is lowest when the diagonal stands upright. */
static void corners_that_turn_meet_or_not(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int k = 0; k < 100; k++) {
        double a = 0.4 + 0.1 * scene_random(&seed), b = 0.1 + 0.05 * scene_random(&seed), w = 20 + 15 * scene_random(&seed);
        double d = 0.5 * sqrt(a * a + b * b), near = pow(10, -4 + 2 * scene_random(&seed)),
               y = d * (1 + (k % 2 ? near : -near));
        char text[700];
        snprintf(text, sizeof text,
                 "plane: xy\ngravity: [0, 0]\nbodies:\n  ground: {shape: {type: half_plane}}\n"
                 "  rod: {mass: 1, inertia: 0.1, com: [0, %.17g], angular_velocity: %.17g, shape: {type: rectangle, "
                 "size: [%.17g, %.17g], at: [0, %.17g]}}\n"
                 "contacts: {all: {stiffness: 1e9, restitution: 0.5}}\n"
                 "run: {method: compliant, until: %.17g}\n",
                 y, w, a, b, y, 3 / w);
        /* the corner at (a/2, -b/2) starts at the angle -atan(b/a); the one at (-a/2, -b/2) comes to the lowest point first */
        double angle = 0.5 * M_PI - atan2(b, a) - acos(fmin(1, y / d));
        expect(text, y < d, y < d ? angle / w : NAN, w * sqrt(fmax(0, d * d - y * y)), near);
    }
}

/* Two blocks fly through each other's places at 9 m/s: when they meet does not depend on how often rows are asked for. */
static void rows_do_not_decide_who_meets(void **state) {
    (void)state;
    const char *text =
        "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
        "  a: {density: 426.5, at: [0, 0.0211], orientation: -0.9734, velocity: [4.531, 3.938], angular_velocity: "
        "-0.06728, shape: {type: rectangle, size: [0.01233, 0.02257]}}\n"
        "  b: {density: 340.8, at: [0.044967, 0.0211], orientation: 2.446, velocity: [-4.742, 0.04089], "
        "angular_velocity: -0.04502, shape: {type: rectangle, size: [0.0175, 0.02113]}}\n"
        "contacts: {all: {stiffness: 3.04e7, restitution: 0.935, friction: 0.011}}\n"
        "run: {method: compliant, until: 0.02}\n";
    first_contact whole = run(text), rows = {0, NAN};
    jn_model *model;
    jn_sim *sim = text_sim(text, &model);
    jn_sim_on_event(sim, keep_first, &rows);
    for (int k = 1; k <= 200; k++) assert_true(jn_sim_advance(sim, 1e-4 * k) >= 0);
    assert_true(whole.count > 0 && whole.count == rows.count);
    assert_true(fabs(whole.time - rows.time) < 1e-9);
    jn_sim_free(sim), jn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_that_pass_meet_or_not),
                                       cmocka_unit_test(corners_that_turn_meet_or_not),
                                       cmocka_unit_test(rows_do_not_decide_who_meets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
