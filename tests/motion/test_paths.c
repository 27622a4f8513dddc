/* Cables along paths: lengths in closed form, rates and accelerations against differences of the length, derivatives against
 * differences of the accelerations, energy and momentum by every method, relative against absolute coordinates. */
#include "motion/work.h"
#include "text_model.h"
#include <stdlib.h>

/* Two links, a cable over a sphere, a cylinder with a side and one from inside, and pulleys. */
#define ARMS(coordinates, run)                                                                                         \
    "coordinates: " coordinates "\n"                                                                                   \
    "bodies:\n"                                                                                                        \
    "  upper: {mass: 1, inertia: [0.01, 0.012, 0.013], com: [0, 0, -0.2]}\n"                                           \
    "  lower: {mass: 0.8, inertia: [0.01, 0.011, 0.012], com: [0.03, 0, -0.6]}\n"                                      \
    "points:\n"                                                                                                        \
    "  origin: {body: ground, at: [0.05, 0.02, 0.1]}\n"                                                                \
    "  kneecap: {body: upper, at: [0.06, 0, -0.4]}\n"                                                                  \
    "  end: {body: lower, at: [0.03, 0.03, -0.6]}\n"                                                                   \
    "  low: {body: lower, at: [-0.02, 0.01, -0.5]}\n"                                                                  \
    "  sleeve: {body: upper, at: [-0.06, 0.005, -0.1]}\n"                                                              \
    "  socket: {body: ground, at: [0, 0, 0], orientation: {axis: [1, 2, 3], angle: 0.4}}\n"                            \
    "joints:\n"                                                                                                        \
    "  hip: {type: spherical, between: [ground, upper], at: [0, 0, 0]}\n"                                              \
    "  knee: {type: revolute, between: [upper, lower], at: [0, 0, -0.4], axis: y, position: 0.4}\n"                    \
    "tendons:\n"                                                                                                       \
    "  front: {path: [origin, {sphere: 4 cm, body: ground, at: [0.01, 0.02, 0]}, {body: upper, at: [0.05, 0, "         \
    "-0.2]},\n"                                                                                                        \
    "    {cylinder: 3 cm, body: upper, at: [0, 0, -0.4], axis: y, side: kneecap}, end, {pulley: 2}, low, origin],\n"   \
    "    stiffness: 80, rest: 0.8, damping: 0.3}\n"                                                                    \
    "  back: {path: [{body: ground, at: [-0.1, 0, 0.05]}, {cylinder: 2 cm, body: upper, at: [-0.06, 0, -0.1], axis: "  \
    "y,\n"                                                                                                             \
    "    side: sleeve}, low], stiffness: 40}\n"                                                                        \
    "  turn: {rotation: [socket, end], stiffness: 2, rest: 0.3, damping: 0.01}\n"                                      \
    "  swing: {axis: [1, 1, 0], rotation: [socket, end], stiffness: 1, rest: 0.2, damping: 0.02}\n"                    \
    "run: " run "\n"

static jn_tendon_motion tendon(const jn_model *m, jn_work *w, const jn_state *s, int which) {
    assert_true(jn_observe(m, w, s) >= 0);
    return jn_tendon_motion_get(m, w, which);
}

/* A quarter of a cylinder, climbing, and a great circle. */
static void test_lengths(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model("bodies: {a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0]}}\n"
                             "joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}\n"
                             "tendons:\n"
                             "  helix: {path: [{body: a, at: [1, -0.5, 0]}, {cylinder: 1, body: ground, at: [0, 0, 7], "
                             "axis: z}, {body: ground, at: [-0.5, 1, 2]}]}\n"
                             "  ball: {path: [{body: a, at: [2, -1, 0]}, {sphere: 2, body: ground, at: [0, 0, 0]}, "
                             "{body: ground, at: [-1, 2, 0]}, {pulley: 4}, {body: a, at: [0, 0, 0]}, {body: ground, "
                             "at: [0, 3, 4]}]}\n"
                             "run: {until: 1}\n",
                             &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    double flat = 0.5 + M_PI / 2 + 0.5;
    assert_near(tendon(m, w, s, 0).q, sqrt(flat * flat + 4), 1e-14);
    assert_near(tendon(m, w, s, 1).q, 1 + M_PI + 1 + 5.0 / 4, 1e-14);
    s->u[0] = 1; /* the first piece pulls straight down at both: no rate */
    assert_near(tendon(m, w, s, 0).u, 0, 1e-15);
    jn_state_free(s), jn_work_free(w), jn_model_free(m);
}

/* A state that the joints allow, with random velocities; absolute coordinates start from an assembled one. */
static void random_state(const jn_model *m, jn_work *w, jn_state *s, unsigned *seed) {
    jn_report report = {0};
    assert_true(jn_assemble(m, w, s, &report) >= 0);
    int nv = jn_model_nv(m);
    for (int i = 0; i < nv; i++) s->u[i] = 0.2 * ((double)rand_r(seed) / RAND_MAX - 0.5);
    jn_q_advance(m, s->q, s->u, 1);
    for (int i = 0; i < nv; i++) s->u[i] = 4 * ((double)rand_r(seed) / RAND_MAX - 0.5);
}

/* Length along the motion with constant u: its two rates against differences. */
static void test_rates(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model(ARMS("relative", "{until: 1}"), &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m), *moved = jn_state_create(m);
    unsigned seed = 3;
    for (int n = 0; n < 200; n++) {
        random_state(m, w, s, &seed);
        for (int k = 0; k < 4; k++) {
            const double h = 1e-4;
            double q[5], rate = tendon(m, w, s, k).u, bias = jn_handle_bias(m, w, m->tendons[k].handle);
            for (int i = 0; i < 5; i++) {
                jn_state_copy(moved, s);
                jn_q_advance(m, moved->q, s->u, (i - 2) * h);
                q[i] = tendon(m, w, moved, k).q;
            }
            double size = fabs(q[4] - 2 * q[2] + q[0]) + fabs(q[3] - 2 * q[2] + q[1]);
            if (size > 1e-4) continue; /* the cable leaves or reaches a round body in between */
            assert_near(rate, (8 * (q[3] - q[1]) - (q[4] - q[0])) / (12 * h), 1e-8);
            assert_near(bias, (16 * (q[3] + q[1]) - (q[4] + q[0]) - 30 * q[2]) / (12 * h * h), 2e-4);
        }
    }
    jn_state_free(s), jn_state_free(moved), jn_work_free(w), jn_model_free(m);
}

/* a_q and a_u against central differences. */
static void check_derivatives(const char *text) {
    jn_report report;
    jn_model *m = text_model(text, &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m), *moved = jn_state_create(m);
    jn_derivatives *d = jn_derivatives_create(m);
    int nv = jn_model_nv(m), rows = jn_model_rows(m);
    double *a = calloc((size_t)(3 * nv + rows), sizeof *a), *b = a + nv, *e = a + 2 * nv, *lambda = a + 3 * nv;
    assert_true(jn_assemble(m, w, s, &report) >= 0);
    for (int i = 0; i < nv; i++) s->u[i] = 0.3 * (i % 3) - 0.2;
    assert_true(jn_system_derivatives(m, w, s, NULL, d) >= 0);
    for (int k = 0; k < 2 * nv; k++) {
        const double h = 1e-6;
        bool by_u = k >= nv;
        for (int side = 0; side < 2; side++) {
            jn_state_copy(moved, s);
            memset(e, 0, (size_t)nv * sizeof *e), e[k % nv] = 1;
            if (by_u)
                moved->u[k % nv] += side ? h : -h;
            else
                jn_q_advance(m, moved->q, e, side ? h : -h);
            assert_true(jn_accelerate(m, w, moved, NULL, side ? b : a, lambda) >= 0);
        }
        for (int i = 0; i < nv; i++)
            assert_near((by_u ? d->a_u : d->a_q)[i * nv + k % nv], (b[i] - a[i]) / (2 * h), 1e-4);
    }
    free(a), jn_derivatives_free(d);
    jn_state_free(s), jn_state_free(moved), jn_work_free(w), jn_model_free(m);
}

static void test_derivatives(void **state) {
    (void)state;
    check_derivatives(ARMS("relative", "{until: 1}"));
    check_derivatives(ARMS("absolute", "{until: 1}"));
}

/* Energy and momentum by every method; relative and absolute coordinates move alike. */
static void test_methods(void **state) {
    (void)state;
    static const char *const texts[] = {
        ARMS("relative", "{until: 1, method: smooth, tolerance: 1e-10}"),
        ARMS("absolute", "{until: 1, method: smooth, tolerance: 1e-10}"),
        ARMS("relative", "{until: 1, method: compliant}"),
        ARMS("relative", "{until: 1, method: impact}"),
        ARMS("relative", "{until: 1, method: nonsmooth, step: 1 ms}"),
        ARMS("absolute", "{until: 1, method: nonsmooth, step: 1 ms}"),
    };
    double end[6];
    for (int i = 0; i < 6; i++) {
        jn_model *m;
        jn_sim *sim = text_sim(texts[i], &m);
        assert_true(jn_sim_advance(sim, 1) >= 0);
        if (!jn_sim_audit(sim)->ok) fail_msg("run %d: %s", i, jn_sim_audit(sim)->verdict);
        assert_true(jn_sim_observe(sim) >= 0);
        end[i] = jn_tendon_motion_get(m, jn_sim_work(sim), 0).q;
        jn_sim_free(sim), jn_model_free(m);
    }
    for (int i = 1; i < 6; i++) assert_near(end[i], end[0], i == 1 ? 1e-8 : i < 4 ? 1e-7 : 1e-5);
}

/* Two masses in space with a stiff cable between: it rests after a short time, and momentum stays. */
static void test_stiff(void **state) {
    (void)state;
    for (int stiff = 0; stiff < 3; stiff++) {
        static const char *const k[] = {"1e3", "1e7", "1e11"};
        char text[900];
        snprintf(
            text, sizeof text,
            "gravity: none\nbodies:\n  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0], velocity: [0, 1, 0]}\n"
            "  b: {mass: 2, inertia: [0.1, 0.2, 0.1], com: [1, 0, 0]}\n"
            "tendons: {t: {path: [{body: a, at: [0.1, 0.05, 0]}, {body: b, at: [0.9, 0, 0.05]}], stiffness: %s, "
            "rest: 0.8, damping: 100}}\nrun: {method: nonsmooth, step: 1 ms, until: 2}\n",
            k[stiff]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 2) >= 0);
        const jn_audit *audit = jn_sim_audit(sim);
        assert_below(audit->max_momentum_residual / 3, 1e-12); /* forces up to 3e8 N */
        assert_below(audit->max_angular_momentum_residual, 1e-11);
        assert_below(audit->energy_residual, 1e-3); /* no energy is gained */
        assert_true(jn_sim_observe(sim) >= 0);
        if (stiff) assert_near(jn_tendon_motion_get(m, jn_sim_work(sim), 0).q, 0.8, 1e-3);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* In a plane: a cable over a pulley disc is Atwood's machine; a rigid stop holds the weight. */
static void test_plane(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("plane: xy\nbodies:\n  a: {mass: 1, com: [-0.2, -1]}\n  b: {mass: 3, com: [0.2, -1]}\n"
                           "joints:\n  left: {type: prismatic, between: [ground, a], at: [-0.2, 0], axis: y}\n"
                           "  right: {type: prismatic, between: [ground, b], at: [0.2, 0], axis: y}\n"
                           "points: {top: {body: ground, at: [0, 0.3]}}\n"
                           "tendons: {rope: {path: [{body: a, at: [-0.2, -1]}, {cylinder: 0.2, body: ground, at: [0, "
                           "0], side: top}, {body: b, at: [0.2, -1]}], upper: 2.6283185307179586}}\n"
                           "run: {method: nonsmooth, step: 1 ms, until: 0.3}\n",
                           &m);
    assert_true(jn_sim_advance(sim, 0.3) >= 0);
    const double g = 9.81, a = g * 2 / 4;
    assert_near(jn_sim_state(sim)->u[1], -a * 0.3, 1e-9); /* a = g (3 - 1)/(3 + 1) */
    assert_near(jn_sim_state(sim)->u[0], a * 0.3, 1e-9);
    jn_sim_free(sim), jn_model_free(m);
}

/* A ball joint with a stop at 30 degrees about any axis: it turns by as much at most, and comes to rest there, under gravity across the
 * way: a weight on a rod that is drawn level hangs at 30 degrees. */
static void test_rotation(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("bodies: {a: {mass: 1, inertia: [0.001, 0.02, 0.02], com: [0.5, 0, 0]}}\n"
                           "points:\n  socket: {body: ground, at: [0, 0, 0]}\n  ball: {body: a, at: [0, 0, 0]}\n"
                           "joints: {j: {type: spherical, between: [ground, a], at: [0, 0, 0], speed: [3, 0.2, -1], "
                           "damping: [0.3, 0.3, 0.3]}}\n"
                           "tendons: {t: {rotation: [socket, ball], upper: 30 deg}}\n"
                           "run: {method: nonsmooth, step: 1 ms, until: 20}\n",
                           &m);
    assert_true(jn_sim_advance(sim, 20) >= 0);
    if (!jn_sim_audit(sim)->ok) fail_msg("%s", jn_sim_audit(sim)->verdict);
    assert_true(jn_sim_observe(sim) >= 0);
    assert_near(jn_tendon_motion_get(m, jn_sim_work(sim), 0).q, M_PI / 6, 1e-12);
    const double *q =
        jn_sim_state(sim)->q; /* of all turns by 30 degrees the one about y lowers the weight most: sin(30 deg) */
    assert_near(fabs(q[2]), sin(M_PI / 12), 1e-4);
    jn_sim_free(sim), jn_model_free(m);
}

/* Without `rest` a cable is relaxed as drawn, also between bodies that float and whose own frames are turned, alone and in trees. */
static void test_rest_of_turned_bodies(void **state) {
    (void)state;
    static const char *const kinds[] = {"relative", "absolute"};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "coordinates: %s\n"
            "gravity: [0, 0, 0]\n"
            "bodies:\n"
            "  a: {mass: 1, inertia: [0.01, 0.02, 0.025], com: [0.1, 0, 0], at: [0, 0, 1], orientation: {axis: [1, 2, "
            "3], angle: 1}}\n"
            "  b: {mass: 1, inertia: [0.01, 0.02, 0.025], at: [1, 0, 1], orientation: {axis: [3, -1, 1], angle: 2}}\n"
            "  c: {mass: 1, inertia: [0.01, 0.02, 0.025], at: [1, 1, 1], orientation: {axis: [1, 0, 1], angle: -1}}\n"
            "joints: {elbow: {type: revolute, between: [b, c], at: [1, 0.5, 1], axis: [1, 1, 0]}}\n"
            "tendons:\n"
            "  long: {path: [{body: a, at: [0.3, 0, 1.2]}, {body: b, at: [0.8, 0.1, 1.4]}, {body: c, at: [1, 1.3, "
            "1]}], stiffness: 100}\n"
            "  short: {path: [{body: ground, at: [0, 0, 0]}, {body: c, at: [1.2, 1, 0.7]}], stiffness: 100}\n",
            kinds[k]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_near(jn_energy_get(m, jn_sim_work(sim)).elastic, 0, 1e-25);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A sphere needs a point on each side. */
static void test_wrong(void **state) {
    (void)state;
    jn_report report;
    assert_null(text_model("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "tendons: {t: {path: [{body: a, at: [0, 0, 0]}, {sphere: 0.1, body: a}]}}\n",
                           &report));
    assert_int_equal(report.item[0].column, 48);
    assert_non_null(strstr(report.item[0].text, "stands between two points"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths),     cmocka_unit_test(test_rates),
                                       cmocka_unit_test(test_derivatives), cmocka_unit_test(test_methods),
                                       cmocka_unit_test(test_stiff),       cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_rotation),    cmocka_unit_test(test_rest_of_turned_bodies),
                                       cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
