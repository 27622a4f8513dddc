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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(no_memory),
                                       cmocka_unit_test(one_fails), cmocka_unit_test(callback_is_motor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
