/* Islands that threads share: the same impulses, hold and result for any number of threads, with room for all and with slices so small that islands are solved afterwards. */
#include "base/pool.h"
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/solvers.h"
#include <stdlib.h>
#include <string.h>

enum { BODIES = 400, CONTACTS = 300, ROWS = 3 * CONTACTS, ROOMS = 12 };

typedef struct answer {
    double p[ROWS], hold[ROWS];
    jn_solve_result result;
    int status;
} answer;

static void solve(const jn_problem *problem, int threads, size_t room, answer *a) {
    jn_pool *pool = threads > 1 ? jn_pool_create(threads) : NULL;
    jn_solve_settings settings = jn_solve_default();
    void *scratch = contact_scratch(problem, NULL);
    settings.speed = 1e-7, settings.room = room, settings.pool = pool;
    memset(a, 0, sizeof *a);
    a->status = jn_solve_judged(problem, NULL, &settings, false, scratch, a->p, a->hold, &a->result);
    free(scratch);
    jn_pool_free(pool);
}

static void expect_same(const answer *a, const answer *b) {
    assert_int_equal(a->status, b->status);
    assert_memory_equal(a->p, b->p, sizeof a->p);
    assert_memory_equal(a->hold, b->hold, sizeof a->hold);
    assert_memory_equal(&a->result.speed_error, &b->result.speed_error, sizeof(double));
    assert_int_equal(a->result.iterations, b->result.iterations);
    assert_int_equal(a->result.tried, b->result.tried);
    assert_ptr_equal(a->result.solver, b->result.solver);
}

static void threads_agree(void **state) {
    (void)state;
    static answer one, some;
    int solved = 0;
    for (int seed = 0; seed < 12; seed++) {
        contact_scene scene = {.seed = 40 + (unsigned long long)seed,
                               .dimension = 1 + seed % 3,
                               .bodies = BODIES,
                               .contacts = CONTACTS,
                               .mu = 0.2 + 0.1 * (seed % 5)};
        contact_problem c;
        contact_problem_make(&scene, &c);
        size_t room = jn_solve_scratch(c.rows, NULL);
        for (int k = 0; k < ROOMS; k++, room -= room / 3) {
            solve(c.rows, 1, room, &one);
            solved += one.result.converged;
            for (int threads = 2; threads <= 8; threads *= 2) {
                solve(c.rows, threads, room, &some);
                expect_same(&one, &some);
            }
        }
        contact_problem_free(&c);
    }
    print_message("%d of %d solved\n", solved, 12 * ROOMS);
    assert_true(solved > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
