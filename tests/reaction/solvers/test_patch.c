/* Patches: errors of a few contacts are solved with their neighbourhoods, and nothing else changes. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/solvers.h"
#include "reaction/solvers/sweeps/patch.h"
#include <stdlib.h>
#include <string.h>

/* Bodies in a row, each against the next two and every third against the ground: more contacts than bear them. */
enum { BODIES = 300, CONTACTS = 3 * BODIES, DOFS = 6 * BODIES };

typedef struct chain {
    int start[CONTACTS + 1], dof[12 * CONTACTS];
    double H[36 * CONTACTS], q[3 * CONTACTS], mu[CONTACTS], mass[CONTACTS], p[3 * CONTACTS], v[DOFS], u[3 * CONTACTS];
    jn_contact_rows rows;
    jn_problem problem;
} chain;

static void add(chain *c, int a, int b, unsigned long long *seed) {
    int i = c->problem.contacts++, at = c->start[i], count = b < BODIES ? 12 : 6;
    for (int k = 0; k < count; k++) {
        c->dof[at + k] = 6 * (k < 6 ? a : b) + k % 6;
        for (int r = 0; r < 3; r++) c->H[3 * (at + k) + r] = contact_random(seed);
    }
    for (int r = 0; r < 3; r++) c->q[3 * i + r] = 0.1 * contact_random(seed) - (r == 0 ? 0.2 : 0);
    c->mu[i] = 0.3, c->start[i + 1] = at + count;
}

static chain *make(unsigned long long seed) {
    chain *c = calloc(1, sizeof *c);
    c->rows = (jn_contact_rows){c->start, c->dof, c->H};
    c->problem = (jn_problem){.dimension = 3, .velocities = DOFS, .mu = c->mu, .q = c->q, .H = &c->rows, .Y = &c->rows};
    for (int b = 0; b < BODIES; b++) {
        add(c, b, b + 1, &seed), add(c, b, b + 2, &seed);
        if (b % 3 == 0) add(c, b, BODIES, &seed);
    }
    jn_problem_masses(&c->problem, c->mass), c->problem.mass = c->mass;
    return c;
}

static void *memory(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64); }

/* Random chains: solved by sweeps, spoilt at one contact, put right by a patch that changes impulses near that contact alone. */
static void a_patch_solves_its_neighbourhood(void **state) {
    (void)state;
    int tried = 0;
    for (unsigned long long seed = 1; seed <= 20; seed++) {
        chain *c = make(seed);
        void *sweeps = memory(jn_solver_gauss_seidel.scratch(&c->problem)),
             *patch = memory(jn_patches_scratch(&c->problem));
        jn_solve_settings settings = {.tolerance = 1e-9, .iterations = 5000};
        jn_solve_result result = {0};
        int status = jn_solver_gauss_seidel.solve(&c->problem, &settings, sweeps, c->p, &result);
        if (status == JN_OK) {
            int spoilt = 200 + (int)seed, budget = 100, before = budget;
            double good[3 * CONTACTS];
            memcpy(good, c->p, sizeof good);
            assert_int_equal(jn_patches_solve(&c->problem, 1e-6, 2, &budget, patch, c->p), 0); /* nothing to do */
            assert_int_equal(budget, before);
            c->p[3 * spoilt] += 0.01;
            double error = jn_problem_residual(&c->problem, c->p, c->v, c->u);
            assert_true(error > 1e-4);
            assert_true(jn_patches_solve(&c->problem, 1e-6, 6, &budget, patch, c->p) > 0);
            assert_true(budget < before);
            double left = jn_problem_residual(&c->problem, c->p, c->v, c->u);
            assert_true(left < 0.1 * error);
            for (int i = 0; i < c->problem.contacts; i++)
                if (abs(i - spoilt) > 120) assert_memory_equal(c->p + 3 * i, good + 3 * i, 3 * sizeof *good);
            tried++;
        }
        free(sweeps), free(patch), free(c);
    }
    print_message("%d chains\n", tried);
    assert_true(tried >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_patch_solves_its_neighbourhood)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
