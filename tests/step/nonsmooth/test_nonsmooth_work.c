/* Work of dampers, motors and drag by the momentum leapfrog: what they really did at the nodes of both segments. Where inertia is constant the energy residual
 * is round-off for every step, from the first on; else it is of second order. */
#include "text_model.h"

#include <stdarg.h>
#include <string.h>

enum { ELEMENTS = 7, STEPS = 40 };

typedef struct writer {
    uint64_t seed;
    char bodies[2000], joints[1000], forces[1000], tendons[500], actuators[500], contacts[500];
} writer;

static double uniform(writer *w, double a, double b) {
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(w->seed >> 11) * 0x1p-53;
}

static double damping(writer *w) { return pow(10, uniform(w, -3, 7)); }

static void add(char *text, size_t room, const char *format, ...) {
    va_list list;
    size_t length = strlen(text);
    va_start(list, format);
    vsnprintf(text + length, room - length, format, list);
    va_end(list);
}
#define ADD(text, ...) add(text, sizeof(text), __VA_ARGS__)

/* Body i on a rail along z, or free, with an element between it and the ground. */
static void write_body(writer *w, int i, bool moves, bool lies) {
    int element = (int)uniform(w, 0, ELEMENTS);
    bool is_free = element > 3 && uniform(w, 0, 1) < 0.5;
    double m = pow(10, uniform(w, -1.5, 1.5)), z = lies ? 0.1 + fmax(0, uniform(w, -1e-3, 1e-3)) : 1, x = 2.0 * i;
    double speed = moves ? uniform(w, -1, 1) : 0;
    ADD(w->bodies, "  b%d: {mass: %.6g, inertia: [%.6g, %.6g, %.6g], com: [%g, 0, %.6g]", i, m, 0.01 * m, 0.01 * m,
        0.01 * m, x, z);
    if (lies) {
        ADD(w->bodies, ", shape: {type: sphere, radius: 0.1, at: [%g, 0, %.6g]}", x, z);
        ADD(w->contacts, "  c%d: {between: [ground, b%d], friction: 0.5, restitution: %g}\n", i, i,
            uniform(w, 0, 1) < 0.5 ? 0 : 0.5);
    }
    ADD(w->bodies, is_free ? ", velocity: [0, 0, %.6g]}\n" : "}\n", speed);
    if (!is_free) ADD(w->joints, "  j%d: {type: prismatic, between: [ground, b%d], axis: z, speed: %.6g", i, i, speed);
    if (element == 0) ADD(w->joints, ", damping: %.6g", damping(w));
    if (element == 1) ADD(w->joints, ", motor: {kd: %.6g}", damping(w));
    if (!is_free) ADD(w->joints, "}\n");
    if (element == 2)
        ADD(w->actuators, "  a%d: {joint: j%d, control: 1, gain: 1, bias: [0, 0, -%.6g]%s}\n", i, i, damping(w),
            uniform(w, 0, 1) < 0.5 ? ", force_range: [-5, 5]" : "");
    if (element == 3) ADD(w->tendons, "  t%d: {joints: {j%d: 0.7}, damping: %.6g}\n", i, i, damping(w));
    if (element == 4)
        ADD(w->forces,
            "  f%d: {type: bushing, between: [ground, b%d], at: [%g, 0, %.6g], damping: [%.6g, %.6g, %.6g, 0, 0, 0]}\n",
            i, i, x, z, damping(w), damping(w), damping(w));
    if (element == 5)
        ADD(w->forces,
            "  f%d: {type: spring, between: [ground, b%d], ends: [[%g, 0, %.6g], [%g, 0, %.6g]], stiffness: 0, "
            "damping: %.6g}\n",
            i, i, x, z + 1, x, z, damping(w));
    if (element == 6) {
        double c = pow(10, uniform(w, -3, 0)), d = pow(10, uniform(w, -3, 0));
        ADD(w->forces,
            "  f%d: {type: drag, body: b%d, at: [%g, 0, %.6g], linear: [%.6g, %.6g, %.6g, 0, 0, 0], quadratic: [%.6g, "
            "%.6g, %.6g, 0, 0, 0]}\n",
            i, i, x, z, c, c, c, d, d, d);
    }
}

/* One to three bodies; returns the step. */
static double write_scene(unsigned scene, char *text, size_t room) {
    static const double steps[] = {1e-4, 1e-3, 5e-3};
    writer w = {.seed = 0x9e3779b97f4a7c15u * (scene + 1)};
    uniform(&w, 0, 1), uniform(&w, 0, 1);
    double step = steps[(int)uniform(&w, 0, 3)];
    bool moves = uniform(&w, 0, 1) < 0.5, lies = uniform(&w, 0, 1) < 0.3, falls = uniform(&w, 0, 1) < 0.75;
    int count = 1 + (int)uniform(&w, 0, 3);
    for (int i = 0; i < count; i++) write_body(&w, i, moves, lies);
    text[0] = 0;
    add(text, room, "gravity: [%g, 0, %g]\nbodies:\n", falls ? 2.0 : 0, falls ? -9.81 : 0);
    if (lies) add(text, room, "  ground: {shape: {type: plane}}\n");
    const char *const key[] = {"", "joints:\n", "forces:\n", "tendons:\n", "actuators:\n", "contacts:\n"};
    const char *const part[] = {w.bodies, w.joints, w.forces, w.tendons, w.actuators, w.contacts};
    for (int k = 0; k < 6; k++)
        if (part[k][0]) add(text, room, "%s%s", key[k], part[k]);
    add(text, room, "run: {method: nonsmooth, step: %g, until: 1}\n", step);
    return step;
}

/* A push begins and ends in mid run, where the step starts anew, and a second simulation goes on from what the first has saved. */
static void random_scenes_balance(void **state) {
    (void)state;
    enum { SCENES = 150 };
    double most = 0;
    int worst = 0;
    for (unsigned scene = 0; scene < SCENES; scene++) {
        char text[6000];
        jn_model *m, *m2;
        double step = write_scene(scene, text, sizeof text);
        jn_sim *sim = text_sim(text, &m), *second = text_sim(text, &m2);
        for (int k = 1; k <= STEPS; k++) {
            jn_vec3 zero = {0, 0, 0}, force = {0, 0, 3};
            if (k == 10 || k == 20) assert_int_equal(jn_sim_push(sim, 1, zero, k == 10 ? force : zero, zero), JN_OK);
            if (k == 30) {
                size_t size;
                unsigned char *bytes = jn_sim_to_bytes(sim, &size);
                assert_int_equal(jn_sim_from_bytes(second, bytes, size, NULL), JN_OK);
                jn_bytes_free(bytes);
            }
            jn_sim *now = k < 30 ? sim : second;
            assert_int_equal(jn_sim_step(now, k * step), JN_OK);
            const jn_audit *a = jn_sim_audit(now);
            double off = fabs(a->energy_residual) / (1e-3 + a->energy_scale);
            if (off > most) most = off, worst = (int)scene;
        }
        jn_sim_free(sim), jn_sim_free(second), jn_model_free(m), jn_model_free(m2);
    }
    print_message("%d scenes: energy balanced to %.1e, scene %d\n", (int)SCENES, most, worst);
    assert_below(most, 1e-7); /* round-off of rows whose damper is up to 1e5 times the inertia in a step, squared */
}

static void push_and_brake(void *context, const jn_model *m, const jn_state *s, double *tau) {
    (void)m;
    tau[0] += *(const double *)context - 2 * s->u[0];
}

/* A controller that comes, asks for something else and goes in mid run. */
static void controller_balances(void **state) {
    (void)state;
    double asked = 15;
    jn_model *m;
    jn_sim *sim = text_sim("bodies: {a: {mass: 2, inertia: [1, 1, 1], com: [0, 0, 1]}}\n"
                           "joints: {j: {type: prismatic, between: [ground, a], axis: z, speed: 0.5}}\n"
                           "run: {method: nonsmooth, step: 5e-3, until: 1}\n",
                           &m);
    for (int k = 1; k <= 40; k++) {
        if (k == 10 || k == 30) jn_sim_on_control(sim, k == 10 ? push_and_brake : NULL, &asked);
        if (k == 20) asked = 40;
        assert_int_equal(jn_sim_step(sim, 5e-3 * k), JN_OK);
        if (k % 10 != 5) continue; /* a look at the node makes the next step evaluate it again */
        assert_below(fabs(jn_sim_audit(sim)->energy_residual), 1e-12);
    }
    assert_true(fabs(jn_sim_state(sim)->ledger.driven) > 0.1);
    jn_sim_free(sim), jn_model_free(m);
}

static double residual_of(const char *elements, double step) {
    char text[2000];
    jn_model *m;
    snprintf(text, sizeof text, "%srun: {method: nonsmooth, step: %g, until: 1}\n", elements, step);
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 0.04), JN_OK);
    double off = jn_sim_audit(sim)->energy_residual;
    jn_sim_free(sim), jn_model_free(m);
    return fabs(off);
}

/* A stiff hinge under gravity, from rest: of the first step -8.9e-8 J were missing while gravity's part was taken with the inertia of the damper. */
static void stiff_hinge_balances(void **state) {
    (void)state;
    const char *hinge =
        "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}}\n"
        "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y, damping: 1e5}}\n";
    assert_below(residual_of(hinge, 1e-3), 1e-14);
    assert_below(residual_of(hinge, 1e-2), 1e-14);
}

/* Turning mechanisms, a closed loop among them: of second order. */
static void residual_is_of_second_order(void **state) {
    (void)state;
    const char *const scenes[] = {
        "bodies:\n  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}\n  b: {mass: 2, inertia: [0.1, 0.2, 0.2], "
        "com: [1.5, 0, 0]}\n"
        "joints:\n  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, damping: 3, speed: 2}\n"
        "  r: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0.3, 1, 0.2], damping: 2}\n",
        "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}}\n"
        "joints: {p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, speed: 3}}\n"
        "forces: {d: {type: drag, body: a, at: [0.5, 0, 0], linear: [1, 2, 3, 0.1, 0.1, 0.1], quadratic: [3, 3, 3, 0, "
        "0, 0]}}\n",
        "plane: xy\nbodies:\n  a: {mass: 1, inertia: 0.1, com: [0, 0.5]}\n  b: {mass: 1, inertia: 0.1, com: [1, 1]}\n  "
        "c: {mass: 1, inertia: 0.1, com: [2, 0.5]}\n"
        "joints:\n  p: {type: revolute, between: [ground, a], at: [0, 0], speed: 2, damping: 100}\n  q: {type: "
        "revolute, between: [a, b], at: [0, 1], speed: -2}\n"
        "  r: {type: revolute, between: [b, c], at: [2, 1], speed: 2, damping: 5}\n  s: {type: revolute, between: [c, "
        "ground], at: [2, 0]}\n"};
    for (int k = 0; k < 3; k++) {
        double last = residual_of(scenes[k], 1e-3), off = residual_of(scenes[k], 5e-4),
               finer = residual_of(scenes[k], 2.5e-4);
        print_message("residual %.2e, %.2e, %.2e J: order %.2f, %.2f\n", last, off, finer, log2(last / off),
                      log2(off / finer));
        assert_near(log2(off / finer), 2, 0.1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes_balance), cmocka_unit_test(controller_balances),
                                       cmocka_unit_test(stiff_hinge_balances),
                                       cmocka_unit_test(residual_is_of_second_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
