/* When contacts begin, stick, slip and end: instants against closed forms, for every procedure and integrator. */
#include "scenes.h"
#include "text_model.h"

enum { MANY = 64 };

typedef struct seen {
    int count;
    struct {
        double time;
        char kind[16];
    } event[MANY];
} seen;

static void watch(void *context, const jn_event *e) {
    seen *s = context;
    if (s->count == MANY) return;
    s->event[s->count].time = e->time;
    snprintf(s->event[s->count++].kind, sizeof s->event->kind, "%s", e->kind);
}

static int count(const seen *s, const char *kind) {
    int n = 0;
    for (int i = 0; i < s->count; i++) n += !strcmp(s->event[i].kind, kind);
    return n;
}

static double time_of(const seen *s, const char *kind, int nth) {
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->event[i].kind, kind) && nth-- == 0) return s->event[i].time;
    return NAN;
}

/* Every procedure of [Flores2009] holds the bound; only trials that are integrated keep the energy. */
static void starts_are_found(void **state) {
    (void)state;
    static const char *const procedures[] = {"root", "reject", "interpolate"};
    static const char *const integrators[] = {"dopri45", "adams", "bdf", "rk4"};
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 4; i++) {
            char text[1024];
            jn_model *m;
            seen s = {0};
            snprintf(
                text, sizeof text,
                "plane: xy\ngravity: [0, -9.81]\n"
                "bodies:\n  ground: {shape: {type: half_plane}}\n"
                "  ball: {mass: 1, inertia: 0.1, com: [0, 1.1], shape: {type: circle, radius: 0.1, at: [0, 1.1]}}\n"
                "contacts: {floor: {between: [ground, ball], law: hertz, stiffness: 1e8, delta_max: 1e-9}}\n"
                "run: {integrator: %s, step: 10 us, tolerance: 1e-11, max_step: 1 ms, until: 1, contact_start: %s}\n",
                integrators[i], procedures[p]);
            jn_sim *sim = text_sim(text, &m);
            jn_sim_on_event(sim, watch, &s);
            assert_int_equal(jn_sim_advance(sim, 0.4516), JN_OK); /* during the contact */
            double exact = sqrt(2 / 9.81), error = fabs(time_of(&s, "contact", 0) - exact);
            print_message("%-12s %-8s start off by %.1e s\n", procedures[p], integrators[i], error);
            assert_int_equal(count(&s, "contact"), 1);
            assert_int_equal(count(&s, "warning"), 0);
            assert_below(error, p == 2 ? 3e-7 : 1e-9);
            assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
            assert_int_equal(count(&s, "separation"), 1);
            if (p < 2) assert_below(jn_sim_audit(sim)->max_energy_residual, i == 3 ? 2e-5 : 1e-6);
            jn_sim_free(sim);
            jn_model_free(m);
        }
}

/* A smallest step turns a search without end into a warning. */
static void a_smallest_step_warns(void **state) {
    (void)state;
    jn_model *m;
    seen s = {0};
    jn_sim *sim =
        text_sim("plane: xy\ngravity: [0, -9.81]\n"
                 "bodies:\n  ground: {shape: {type: half_plane}}\n"
                 "  ball: {mass: 1, inertia: 0.1, com: [0, 1.1], shape: {type: circle, radius: 0.1, at: [0, 1.1]}}\n"
                 "contacts: {floor: {between: [ground, ball], law: hertz, stiffness: 1e8, delta_max: 1e-12}}\n"
                 "run: {integrator: dopri45, until: 1, contact_start: reject, min_step: 10 us}\n",
                 &m);
    jn_sim_on_event(sim, watch, &s);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    assert_true(count(&s, "warning") >= 1);
    assert_int_equal(count(&s, "contact"), 1);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* Seven balls, some at the same height, some a few nanometres apart: all starts are seen, each at its own time. */
static void many_start_in_one_step(void **state) {
    (void)state;
    static const double height[7] = {1.1, 1.1, 1.1 + 1e-9, 1.1 + 1e-7, 1.1 + 1e-5, 1.1 + 1e-5, 1.1 + 1e-3};
    char text[4096];
    int n =
        snprintf(text, sizeof text, "plane: xy\ngravity: [0, -9.81]\nbodies:\n  ground: {shape: {type: half_plane}}\n");
    for (int k = 0; k < 7; k++)
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "  b%d: {mass: 1, inertia: 0.1, com: [%d, %.12f], shape: {type: circle, radius: 0.1, at: [%d, %.12f]}}\n",
            k, k, height[k], k, height[k]);
    snprintf(text + n, sizeof text - (size_t)n,
             "contacts: {floor: {law: hertz, stiffness: 1e8}}\n"
             "run: {integrator: dopri45, tolerance: 1e-10, until: 0.6}\n");
    jn_model *m;
    seen s = {0};
    jn_sim *sim = text_sim(text, &m);
    jn_sim_on_event(sim, watch, &s);
    assert_int_equal(jn_sim_advance(sim, 0.6), JN_OK);
    assert_int_equal(count(&s, "contact"), 7);
    assert_int_equal(count(&s, "separation"), 7);
    for (int k = 0; k < 7; k++) assert_near(time_of(&s, "contact", k), sqrt(2 * (height[k] - 0.1) / 9.81), 1e-9);
    assert_below(jn_sim_audit(sim)->max_energy_residual, 1e-6);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* v' = -mu g tanh(v/v0) comes to v0 after v0/(mu g) ln(sinh(v/v0)/sinh(1)); then a push starts it sliding again. */
static void stick_and_slip_are_reported(void **state) {
    (void)state;
    jn_model *m;
    seen s = {0};
    jn_sim *sim =
        text_sim("gravity: [0, 0, -10]\n"
                 "bodies:\n  ground: {shape: {type: plane}}\n"
                 "  block: {mass: 1, inertia: [1e9, 1e9, 1e9], com: [0, 0, 0.1], velocity: [0.1, 0, 0], shape: "
                 "{type: sphere, radius: 0.1, at: [0, 0, 0.1]}}\n"
                 "forces: {push: {type: force, on: block, at: [0, 0, 0.1], force: [\"20*step(t, 0.5, 0, 0.500001, "
                 "1)\", 0, 0]}}\n"
                 "contacts: {floor: {between: [ground, block], law: kelvin_voigt, stiffness: 1e7, damping: 6000, "
                 "friction: {law: coulomb, dynamic: 0.5, v0: 10 mm/s}}}\n"
                 "run: {integrator: dopri45, tolerance: 1e-10, until: 0.6}\n",
                 &m);
    jn_sim_on_event(sim, watch, &s);
    assert_int_equal(jn_sim_advance(sim, 0.6), JN_OK);
    double stick = 0.01 / 5 * log(sinh(10) / sinh(1));
    print_message("sticks at %.6f s (%.6f), slips at %.6f s\n", time_of(&s, "stick", 0), stick, time_of(&s, "slip", 0));
    assert_int_equal(count(&s, "stick"), 1);
    assert_int_equal(count(&s, "slip"), 1);
    assert_near(time_of(&s, "stick", 0), stick, 2e-4); /* the load settles from zero at the start */
    assert_true(time_of(&s, "slip", 0) > 0.5 && time_of(&s, "slip", 0) < 0.502);
    const jn_ledger *l = &jn_sim_state(sim)->ledger;
    assert_near(l->damping + l->friction, l->dissipated, 1e-12);
    assert_true(l->friction > 0.005 && l->damping > 0);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* However loose the tolerance: an impact has its least number of steps. */
static void impacts_are_resolved(void **state) {
    (void)state;
    long steps[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 "plane: xy\ngravity: none\nbodies:\n  ground: {shape: {type: half_plane, normal: [1, 0]}}\n"
                 "  ball: {mass: 1, inertia: 1, com: [0.021, 0], shape: {type: circle, radius: 0.02, at: [0.021, 0]}}\n"
                 "joints: {slide: {type: prismatic, between: [ground, ball], axis: x, speed: -1}}\n"
                 "contacts: {wall: {between: [ground, ball], joined: true, law: hertz, stiffness: 1e8}}\n"
                 "run: {integrator: dopri45, tolerance: 0.1, until: 0.01, impact_steps: %d}\n",
                 k ? 50 : 0);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.01), JN_OK);
        steps[k] = jn_sim_audit(sim)->steps;
        if (k) assert_near(jn_sim_state(sim)->u[0], 1, 1e-4);
        jn_sim_free(sim);
        jn_model_free(m);
    }
    print_message("%ld steps without a limit, %ld with 50 in the impact\n", steps[0], steps[1]);
    assert_true(steps[1] >= 50 && steps[0] < 50);
}

static void keep_separation(void *context, const jn_event *e) {
    if (!strcmp(e->kind, "separation")) *(jn_event *)context = *e;
}

/* A disc strikes the floor at a slant and slides all the while: its impulses are its changes of momentum. */
static void impulses_are_changes_of_momentum(void **state) {
    (void)state;
    static const char *const laws[] = {"hertz", "flores, restitution: 0.4", "kelvin_voigt, damping: 500"};
    static const char *const frictions[] = {"{dynamic: 0.2}", "{law: lugre, dynamic: 0.2, sigma0: 1e4, sigma1: 0.1}"};
    static const char *const integrators[] = {"dopri45", "adams", "bdf", "rk4"};
    double worst[2] = {0, 0};
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < 2; f++)
            for (int i = 0; i < 4; i++) {
                char text[1024];
                jn_model *m;
                jn_event e = {.time = -1};
                snprintf(
                    text, sizeof text,
                    "plane: xy\ngravity: none\nbodies:\n  ground: {shape: {type: half_plane}}\n"
                    "  disc: {mass: 2, inertia: 1, com: [0, 0.11], velocity: [3, -1], shape: {type: circle, radius: "
                    "0.1, at: [0, 0.11]}}\n"
                    "contacts: {floor: {between: [ground, disc], law: %s, stiffness: 1e7, friction: %s}}\n"
                    "run: {integrator: %s, tolerance: 1e-8, step: 10 us, until: 0.05}\n",
                    laws[k], frictions[f], integrators[i]);
                jn_sim *sim = text_sim(text, &m);
                jn_sim_on_event(sim, keep_separation, &e);
                assert_int_equal(jn_sim_advance(sim, 0.05), JN_OK);
                const double *u = jn_sim_state(sim)->u; /* of the disc: velocity, then turn */
                double n = 2 * (u[1] + 1), t = 2 * (3 - u[0]);
                assert_true(e.time > 0.01 && n > 2 && t > 0.2);
                worst[f] = fmax(worst[f], fmax(fabs(e.impulse_n - n) / n, fabs(e.impulse_t - t) / t));
                if (fabs(e.impulse_n / n - 1) > 1e-5)
                    print_error("%s, %s: %.9g, not %.9g N s\n", laws[k], integrators[i], e.impulse_n, n);
                assert_near(e.impulse_n / n, 1, 1e-5);
                assert_near(e.impulse_t / t, 1, f ? 1e-3 : 1e-5);
                jn_sim_free(sim);
                jn_model_free(m);
            }
    print_message("impulses off by %.1e of themselves, by %.1e with bristles\n", worst[0], worst[1]);
}

/* A ball leaves an elastic floor as fast as it came, whatever its speed and the stiffness: the error is that of the integrator, whose tolerance is 1e-8. Steps
 * that pass the end of the contact have errors of up to 4e-6, which their estimate does not see. */
static void rebounds_keep_the_speed(void **state) {
    (void)state;
    uint64_t seed = 9;
    double worst = 0;
    for (int k = 0; k < 200; k++) {
        double v = 5.05 + 4.95 * scene_random(&seed), stiffness = pow(10, 7 + 2 * scene_random(&seed));
        char text[512];
        jn_model *m;
        snprintf(text, sizeof text,
                 "plane: xy\ngravity: [0, 0]\nbodies:\n  ground: {shape: {type: half_plane}}\n"
                 "  ball: {mass: 1, inertia: 0.1, com: [0, 1.1], velocity: [0, %.17g], shape: {type: circle, radius: 0.1, at: [0, 1.1]}}\n"
                 "contacts: {all: {law: hertz, stiffness: %.17g}}\nrun: {method: compliant, until: %.17g}\n",
                 -v, stiffness, 1.5 / v);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 1.5 / v), JN_OK);
        worst = fmax(worst, fabs(jn_sim_state(sim)->u[1] / v - 1));
        jn_sim_free(sim), jn_model_free(m);
    }
    print_message("200 rebounds: speeds off by %.1e at most\n", worst);
    assert_below(worst, 2e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_found),       cmocka_unit_test(a_smallest_step_warns),
        cmocka_unit_test(many_start_in_one_step), cmocka_unit_test(stick_and_slip_are_reported),
        cmocka_unit_test(impacts_are_resolved),   cmocka_unit_test(impulses_are_changes_of_momentum),
        cmocka_unit_test(rebounds_keep_the_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
