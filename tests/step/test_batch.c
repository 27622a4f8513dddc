/* Many simulations at once: the same bits for any number of threads; controllers as callbacks. */
#include "base/memory.h"
#include "text_model.h"
#include <stdlib.h>

static const char bouncing[] =
    "bodies:\n  ground: {shape: {type: plane}}\n"
    "  a: {mass: 1, com: [0, 0, 0.5], inertia: [0.02, 0.02, 0.02], shape: {type: box, size: [0.2, 0.3, 0.4], "
    "at: [0, 0, 0.5]}}\n  b: {mass: 0.5, com: [0.4, 0, 0.5], inertia: [0.02, 0.02, 0.02]}\n"
    "joints: {pin: {type: revolute, between: [a, b], at: [0.2, 0, 0.5], axis: y, damping: 0.01}}\n"
    "contacts: {floor: {between: [ground, a], restitution: 0.3, friction: 0.5}}\n"
    "run: {method: nonsmooth, step: 1 ms, until: 1}\n";

enum { COUNT = 13 };

/* Different starts; to 0.3 s in two calls, one by time and one by steps. */
static void run_batch(const jn_model *m, int threads, uint64_t *hash) {
    jn_report report = {0};
    jn_batch *b = jn_batch_create(m, COUNT, threads, &report);
    check_report(&report);
    assert_int_equal(jn_batch_count(b), COUNT);
    for (int i = 0; i < COUNT; i++) {
        jn_state *s = jn_sim_state(jn_batch_sim(b, i));
        for (int k = 0; k < jn_model_nv(m); k++) s->u[k] = 0.3 * sin(1 + i + 5 * k);
        jn_sim_restart(jn_batch_sim(b, i));
    }
    assert_int_equal(jn_batch_advance(b, 0.2), JN_OK);
    assert_int_equal(jn_batch_step(b, 100), JN_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_near(jn_sim_state(jn_batch_sim(b, i))->t, 0.3, 1e-12);
        hash[i] = jn_state_hash(jn_sim_state(jn_batch_sim(b, i)));
    }
    jn_batch_free(b);
}

static void same_bits(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model(bouncing, &report);
    check_report(&report);
    uint64_t one[COUNT], many[COUNT];
    run_batch(m, 1, one);
    for (int i = 1; i < COUNT; i++) assert_true(one[i] != one[0]);
    for (int threads = 2; threads <= 8; threads *= 2) {
        run_batch(m, threads, many);
        for (int i = 0; i < COUNT; i++) assert_true(one[i] == many[i]);
    }
    assert_null(jn_batch_create(m, 0, 1, &report));
    jn_model_free(m);
}

static bool allow(void *context, size_t size) {
    int *left = context;
    (void)size;
    return (*left)-- > 0;
}

/* Every allocation that fails is survived, and told. */
static void no_memory(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model(bouncing, &report);
    check_report(&report);
    jn_batch *b = NULL;
    int refused = 0;
    for (int k = 0; !b && k < 10000; k++) {
        int left = k;
        jn_report_clear(&report);
        jn_memory_hook(allow, &left);
        b = jn_batch_create(m, 3, 2, &report);
        jn_memory_hook(NULL, NULL);
        refused += !b;
        assert_true(b || report.errors > 0);
    }
    assert_non_null(b);
    assert_true(refused > 10);
    jn_batch_free(b);
    jn_model_free(m);
}

/* One of them has a controller that divides by zero: it stops, the others go on. */
static void broken(void *context, const jn_model *m, const jn_state *s, double *tau) {
    (void)context, (void)m;
    tau[0] = s->t > 0.05 ? NAN : 0;
}

static void one_fails(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model("plane: xy\nbodies: {rod: {mass: 1, com: [0.5, 0], inertia: 0.1}}\n"
                             "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\nrun: {until: 1, "
                             "integrator: rk4}\n",
                             &report);
    check_report(&report);
    jn_batch *b = jn_batch_create(m, 3, 2, &report);
    jn_sim_on_control(jn_batch_sim(b, 1), broken, NULL);
    assert_true(jn_batch_advance(b, 0.2) < 0);
    assert_int_equal(jn_batch_status(b, 0), JN_OK);
    assert_true(jn_batch_status(b, 1) < 0);
    assert_near(jn_sim_state(jn_batch_sim(b, 2))->t, 0.2, 1e-12);
    jn_batch_free(b);
    jn_model_free(m);
}

/* A callback and the same law in the file: the same motion and ledger, for each way of stepping. */
typedef struct gains {
    double kp, kd;
} gains;

static void pd(void *context, const jn_model *m, const jn_state *s, double *tau) {
    const gains *g = context;
    for (int k = 0; k < jn_model_nv(m); k++) tau[k] = g->kp * (0.5 - s->q[k]) - g->kd * s->u[k];
}

static void callback_is_motor(void **state) {
    (void)state;
    static const char *const run[] = {"integrator: rk4, step: 1 ms", "integrator: dopri45", "integrator: adams",
                                      "integrator: bdf", "method: nonsmooth, step: 1 ms"};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        jn_model *m[2];
        jn_sim *sim[2];
        gains g = {40, 3};
        for (int with = 0; with < 2; with++) {
            char text[1024];
            const char *motor = with ? ", motor: {target: 0.5, kp: 40, kd: 3}" : "";
            snprintf(text, sizeof text,
                     "bodies:\n  a: {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
                     "  b: {mass: 1, com: [0.9, 0, 0], inertia: [0.01, 0.05, 0.05]}\njoints:\n"
                     "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y%s}\n"
                     "  q: {type: revolute, between: [a, b], at: [0.6, 0, 0], axis: y%s}\nrun: {until: 1, %s}\n",
                     motor, motor, run[k]);
            sim[with] = text_sim(text, &m[with]);
            if (!with) jn_sim_on_control(sim[with], pd, &g);
            assert_int_equal(jn_sim_advance(sim[with], 1), JN_OK);
        }
        bool steps = k == 4; /* of second order; only the motor's damping is implicit */
        for (int i = 0; i < 2; i++)
            assert_near(jn_sim_state(sim[0])->q[i], jn_sim_state(sim[1])->q[i], steps ? 1e-5 : 1e-7);
        assert_near(jn_sim_state(sim[0])->ledger.driven, jn_sim_state(sim[1])->ledger.driven, steps ? 1e-3 : 1e-6);
        assert_true(jn_sim_audit(sim[0])->ok);
        for (int i = 0; i < 2; i++) jn_sim_free(sim[i]), jn_model_free(m[i]);
    }
}

static const char *const methods[] = {"method: nonsmooth, step: 1 ms",
                                      "method: nonsmooth, scheme: moreau_jean, step: 1 ms", "method: impact",
                                      "method: compliant", "method: compliant, integrator: adams"};

static jn_model *ball_model(const char *run, double radius) {
    char text[1024];
    jn_report report;
    snprintf(text, sizeof text,
             "parameters: {r: %g}\nbodies:\n  ground: {shape: {type: plane}}\n"
             "  a: {mass: 1, com: [0, 0, 0.5], inertia: [0.02, 0.02, 0.02], shape: {type: sphere, radius: r, at: [0, "
             "0, 0.5]}}\n"
             "contacts: {floor: {between: [ground, a], law: flores, stiffness: 1e5, restitution: 0.5, friction: 0.3}}\n"
             "run: {%s, until: 1}\n",
             radius, run);
    jn_model *m = text_model(text, &report);
    check_report(&report);
    return m;
}

/* Controls and activations are states too: a batch has the bits of single simulations, from a reset on as well. */
static void activations(void **state) {
    static const char text[] = "plane: xy\nbodies: {rod: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
                               "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
                               "actuators: {motor: {joint: pin, activation: filter, time: 0.1 s, gain: 3, control: sin(5*t)}}\n"
                               "run: {integrator: %s, step: 1 ms, until: 1}\n";
    static const char *const integrators[] = {"rk4", "dopri45", "verlet"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char own[600];
        jn_report report = {0};
        snprintf(own, sizeof own, text, integrators[k]);
        jn_model *m = text_model(own, &report);
        check_report(&report);
        jn_batch *b = jn_batch_create(m, 3, 1, &report);
        jn_sim *sim = jn_sim_create(m, &report);
        assert_int_equal(jn_sim_control(sim, 0, 0.7), JN_OK);
        for (int i = 0; i < 3; i++) assert_int_equal(jn_sim_control(jn_batch_sim(b, i), 0, 0.7), JN_OK);
        assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
        assert_int_equal(jn_batch_advance(b, 0.3), JN_OK);
        assert_true(fabs(jn_sim_state(sim)->act[0]) > 0.1);
        for (int i = 0; i < 3; i++)
            assert_true(jn_state_hash(jn_sim_state(sim)) == jn_state_hash(jn_sim_state(jn_batch_sim(b, i))));
        jn_sim_free(sim), jn_batch_free(b), jn_model_free(m);
    }
}

/* What is written into the matrices is what jn_sim_restart takes: the bits of single simulations, for each method. */
static void matrices(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        jn_report report = {0};
        jn_model *m = ball_model(methods[k], 0.1);
        jn_batch *b = jn_batch_create(m, COUNT, 3, &report);
        check_report(&report);
        size_t stride;
        double *q = jn_batch_q(b, &stride), *u = jn_batch_u(b, &stride);
        assert_int_equal(jn_batch_advance(b, 0.1), JN_OK);
        for (int i = 0; i < COUNT; i++) q[(size_t)i * stride + 2] = 0.2 + 0.01 * i, u[(size_t)i * stride] = 0.1 * i;
        assert_int_equal(jn_batch_advance(b, 0.4), JN_OK);
        for (int i = 0; i < COUNT; i++) {
            jn_sim *sim = jn_sim_create(m, &report);
            assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
            jn_sim_state(sim)->q[2] = 0.2 + 0.01 * i, jn_sim_state(sim)->u[0] = 0.1 * i;
            jn_sim_restart(sim);
            assert_int_equal(jn_sim_advance(sim, 0.4), JN_OK);
            assert_true(jn_state_hash(jn_sim_state(sim)) == jn_state_hash(jn_sim_state(jn_batch_sim(b, i))));
            jn_sim_free(sim);
        }
        q[2 * stride] = NAN;
        assert_int_equal(jn_batch_advance(b, 0.41), JN_ERR_ARGUMENT);
        assert_int_equal(jn_batch_status(b, 2), JN_ERR_ARGUMENT);
        q[2 * stride] = 0;
        assert_int_equal(jn_batch_advance(b, 0.42), JN_OK);
        jn_batch_free(b), jn_model_free(m);
    }
}

/* Reset ones have the bits of new ones, whatever happened before; models with other numbers stand side by side. */
static void resets(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        jn_report report = {0};
        jn_model *m[3];
        for (int i = 0; i < 3; i++) m[i] = ball_model(methods[k], 0.1 + 0.02 * i);
        const jn_model *const models[] = {m[0], m[1], m[2], m[0]};
        jn_batch *b = jn_batch_create_of(models, 4, 2, &report);
        check_report(&report);
        uint64_t hash[4];
        double *tau = jn_batch_tau(b);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(jn_batch_advance(b, 0.5), JN_OK);
            for (int i = 0; i < 4; i++) {
                uint64_t now = jn_state_hash(jn_sim_state(jn_batch_sim(b, i)));
                if (round) assert_true(hash[i] == now);
                hash[i] = now;
                tau[i * jn_model_nv(m[0])] = i + 1.0;
                jn_sim_push(jn_batch_sim(b, i), 1, (jn_vec3){0, 0, 0}, (jn_vec3){1, 2, 3}, (jn_vec3){0, 0, 0});
            }
            assert_int_equal(jn_batch_advance(b, 0.8), JN_OK);
            for (int i = 0; i < 4; i++) assert_int_equal(jn_batch_reset(b, i), JN_OK);
        }
        assert_true(hash[0] == hash[3] && hash[0] != hash[1]);
        jn_batch_free(b);
        for (int i = 0; i < 3; i++) jn_model_free(m[i]);
    }
    jn_report report = {0};
    jn_model *ball = ball_model(methods[0], 0.1), *two = text_model(bouncing, &report);
    const jn_model *const models[] = {ball, two};
    assert_null(jn_batch_create_of(models, 2, 1, &report));
    jn_model_free(ball), jn_model_free(two);
}

/* Forces of the matrix: a weight held up for a while, then let fall, against free fall; every integrator. */
static void forces(void **state) {
    (void)state;
    static const char *const run[] = {"integrator: rk4, step: 1 ms",
                                      "integrator: verlet, step: 1 ms",
                                      "integrator: dopri45",
                                      "integrator: adams",
                                      "integrator: bdf",
                                      "method: nonsmooth, step: 1 ms"};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        char text[512];
        jn_report report;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -10]\nbodies: {a: {mass: 2, com: [0, 0, 0]}}\n"
            "joints: {lift: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: z}}\nrun: {until: 1, %s}\n",
            run[k]);
        jn_model *m = text_model(text, &report);
        check_report(&report);
        jn_batch *b = jn_batch_create(m, 3, 2, &report);
        double *tau = jn_batch_tau(b);
        for (int i = 0; i < 3; i++) tau[i] = 20.0 + i;
        assert_int_equal(jn_batch_advance(b, 0.5), JN_OK);
        for (int i = 0; i < 3; i++) tau[i] = 0;
        assert_int_equal(jn_batch_advance(b, 1), JN_OK);
        for (int i = 0; i < 3; i++)
            assert_near(jn_sim_state(jn_batch_sim(b, i))->q[0],
                        0.5 * i * 0.5 * 0.25 + 0.5 * i * 0.5 * 0.5 - 0.5 * 10 * 0.25, 1e-6);
        tau[1] = NAN;
        assert_int_equal(jn_batch_advance(b, 1.1), JN_ERR_ARGUMENT);
        tau[1] = 0;
        assert_int_equal(jn_batch_advance(b, 1.1), JN_OK);
        jn_batch_free(b), jn_model_free(m);
    }
}

static bool stop_third(void *context) { return ++*(int *)context < 3; }

/* A function of the caller ends long calls; what they did is the beginning of what they were to do. */
static void stopped(void **state) {
    (void)state;
    jn_report report = {0};
    jn_model *m = ball_model(methods[0], 0.1);
    jn_batch *b = jn_batch_create(m, 2, 2, &report), *other = jn_batch_create(m, 2, 1, &report);
    int calls = 0;
    jn_batch_on_progress(b, stop_third, &calls);
    assert_int_equal(jn_batch_advance(b, 1e9), JN_STOPPED);
    assert_int_equal(calls, 3);
    double t = fmax(jn_sim_state(jn_batch_sim(b, 0))->t, jn_sim_state(jn_batch_sim(b, 1))->t); /* one may be far ahead */
    assert_true(t > 0 && t < 1e9);
    jn_batch_on_progress(b, NULL, NULL);
    assert_int_equal(jn_batch_advance(b, t + 10), JN_OK);
    assert_int_equal(jn_batch_advance(other, t + 10), JN_OK);
    for (int i = 0; i < 2; i++)
        assert_true(jn_state_hash(jn_sim_state(jn_batch_sim(b, i))) ==
                    jn_state_hash(jn_sim_state(jn_batch_sim(other, i))));
    jn_batch_free(b), jn_batch_free(other), jn_model_free(m);
}

/* A state in memory goes on with the same bits; bytes cut anywhere are refused. */
static void bytes(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        jn_report report = {0};
        jn_model *m = ball_model(methods[k], 0.1);
        jn_sim *a = jn_sim_create(m, &report), *b = jn_sim_create(m, &report);
        assert_int_equal(jn_sim_advance(a, 0.31), JN_OK);
        size_t size;
        unsigned char *packed = jn_sim_to_bytes(a, &size);
        assert_non_null(packed);
        assert_int_equal(jn_sim_from_bytes(b, packed, size, &report), JN_OK);
        assert_int_equal(jn_sim_advance(a, 0.6), JN_OK);
        assert_int_equal(jn_sim_advance(b, 0.6), JN_OK);
        assert_true(jn_state_hash(jn_sim_state(a)) == jn_state_hash(jn_sim_state(b)));
        for (size_t cut = 0; cut < size; cut += 8) assert_true(jn_sim_from_bytes(b, packed, cut, &report) < 0);
        jn_bytes_free(packed);
        jn_sim_free(a), jn_sim_free(b), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations), cmocka_unit_test(matrices),  cmocka_unit_test(resets),    cmocka_unit_test(forces),
        cmocka_unit_test(stopped),   cmocka_unit_test(bytes),     cmocka_unit_test(same_bits),
        cmocka_unit_test(no_memory), cmocka_unit_test(one_fails), cmocka_unit_test(callback_is_motor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
