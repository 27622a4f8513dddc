/* Limbs with joints from heavy to light, as hands have them, and contacts that hold each other: problems that have a solution, and on which Newton's method alone fails. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/solvers.h"

#include <stdlib.h>
#include <string.h>

enum { D = 3, CONTACTS = 60, VELOCITIES = 56, BASE = 6, LIMBS = 5, CASES = 200, ENTRIES = CONTACTS * VELOCITIES };

typedef struct hand {
    int start[CONTACTS + 1], dof[ENTRIES];
    double value[D * ENTRIES], mu[CONTACTS], q[D * CONTACTS];
    jn_contact_rows rows;
    jn_problem problem;
} hand;

/* A base that all contacts move, and limbs whose joints differ in inertia by up to 1e8. Some velocities v lie inside all dual cones: q = u - H v with u_N > mu |u_T|. reach: rows
 * differ in size by 10 to its power, up and down. */
static void make(hand *x, int velocities, double mu, double reach, unsigned long long seed) {
    double v[VELOCITIES], size[VELOCITIES];
    for (int k = 0; k < velocities; k++) {
        v[k] = contact_random(&seed);
        size[k] = k < BASE ? 1 : pow(10, 2 * contact_random(&seed));
    }
    for (int i = 0, at = 0; i < CONTACTS; i++) {
        x->mu[i] = mu + 0.2 * contact_random(&seed);
        double u[D] = {0, contact_random(&seed), contact_random(&seed)};
        u[0] = x->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]) + 0.6 + 0.5 * contact_random(&seed);
        memcpy(x->q + D * i, u, sizeof u);
        double own = pow(10, reach * contact_random(&seed));
        x->start[i] = at;
        for (int k = 0; k < velocities; k++, at++) {
            x->dof[at] = k;
            for (int r = 0; r < D; r++) {
                double h = own * size[k] * contact_random(&seed);
                if (k >= BASE && k % LIMBS != i % LIMBS) h = 0;
                x->value[D * at + r] = h, x->q[D * i + r] -= h * v[k];
            }
        }
        x->start[i + 1] = at;
    }
    x->rows = (jn_contact_rows){x->start, x->dof, x->value};
    x->problem = (jn_problem){.dimension = D, .contacts = CONTACTS, .velocities = velocities, .mu = x->mu, .q = x->q};
    x->problem.H = x->problem.Y = &x->rows;
}

/* All of them are solved, nearly all by methods over the velocities that the contacts share. */
static void test_hands(void **state) {
    static const struct {
        int velocities;
        double mu, reach;
    } kind[] = {{40, 0.7, 0.5}, {56, 0.8, 0}};
    static hand x;
    int at_once = 0, steps = 0;
    (void)state;
    for (int n = 0; n < 2 * CASES; n++) {
        double p[D * CONTACTS] = {0}, hold[D * CONTACTS];
        jn_solve_result result;
        jn_solve_settings settings = jn_solve_default();
        settings.speed = 1e-6;
        make(&x, kind[n % 2].velocities, kind[n % 2].mu, kind[n % 2].reach, 1 + (unsigned long long)(n / 2));
        void *scratch = contact_scratch(&x.problem, NULL);
        int status = jn_solve_judged(&x.problem, NULL, &settings, true, scratch, p, hold, &result);
        free(scratch);
        if (status != JN_OK) fail_msg("problem %d: solved to %.1e m/s by %s", n, result.speed_error, result.solver);
        assert_true(result.speed_error <= 1e-6);
        at_once += result.tried == 1, steps += result.tried == 1 ? result.iterations : 0;
    }
    print_message("%d of %d at once, %d steps\n", at_once, 2 * CASES, steps);
    assert_true(at_once >= 2 * CASES * 99 / 100);
    assert_true(steps <= 85 * at_once);
}

/* Nearly the same problem from the answer of the one before, as passes of a step pose it: some steps in place of those that the first one took, and to the same speed. */
static void test_follows(void **state) {
    static hand x;
    int first = 0, again = 0;
    (void)state;
    for (int n = 0; n < CASES; n++) {
        double p[D * CONTACTS] = {0}, hold[D * CONTACTS];
        unsigned long long seed = 77 + (unsigned long long)n;
        jn_solve_result result;
        jn_solve_settings settings = jn_solve_default();
        settings.speed = 1e-6;
        make(&x, 40, 0.7, 0.5, 1 + (unsigned long long)n);
        void *scratch = contact_scratch(&x.problem, NULL);
        assert_int_equal(jn_solve_judged(&x.problem, NULL, &settings, true, scratch, p, hold, &result), JN_OK);
        first += result.iterations;
        for (int k = 0; k < D * CONTACTS; k++) x.q[k] += 1e-4 * contact_random(&seed);
        settings.keep = 1e-2;
        assert_int_equal(jn_solve_judged(&x.problem, NULL, &settings, true, scratch, p, hold, &result), JN_OK);
        assert_true(result.speed_error <= 1e-6);
        again += result.iterations;
        free(scratch);
    }
    print_message("%d steps, then %d\n", first, again);
    assert_true(again < 4 * CASES); /* the way from zero takes 9 each */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hands), cmocka_unit_test(test_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
