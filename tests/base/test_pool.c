/* Threads that do one task together: every part once, whatever the number of parts and threads, also where tasks follow each other at once and some threads sleep. */
#include "base/pool.h"
#include "check.h"
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20000, THREADS = 5, LONG = 64 };

typedef struct tally {
    int seen[JN_POOL_PARTS]; /* each is written by the thread that has the part */
    atomic_int ranks;
    int round;
} tally;

static void count_part(void *context, int part) {
    tally *t = context;
    t->seen[part] += t->round;
}

static void count_rank(void *context, int rank, int size) {
    tally *t = context;
    assert_in_range(rank, 0, size - 1);
    atomic_fetch_add(&t->ranks, 1 << 4 * rank);
}

static void share_out(jn_pool *pool, int rounds) {
    for (int n = 0; n < rounds; n++) {
        tally t = {.round = n + 1};
        int parts = 1 + n % JN_POOL_PARTS;
        jn_pool_share(pool, parts, count_part, &t);
        for (int k = 0; k < JN_POOL_PARTS; k++) assert_int_equal(t.seen[k], k < parts ? n + 1 : 0);
        if (n % 100 == 0) {
            int all = 0;
            for (int k = 0; k < jn_pool_size(pool); k++) all += 1 << 4 * k;
            jn_pool_run(pool, count_rank, &t);
            assert_int_equal(atomic_load(&t.ranks), all);
        }
        if (n % (rounds / 8) == 0) usleep(2000); /* the others fall asleep */
    }
}

static void test_share(void **state) {
    (void)state;
    share_out(NULL, ROUNDS / 10);
    for (int threads = 1; threads <= THREADS; threads++) {
        jn_pool *pool = jn_pool_create(threads);
        assert_non_null(pool);
        share_out(pool, ROUNDS);
        jn_pool_free(pool);
    }
}

/* Parts that one thread alone would take long for. */
static void sum_up(void *context, int part) {
    double *sum = context;
    for (int k = 0; k < 20000; k++) sum[8 * part] += 1.0 / (1 + k + part);
}

static void test_sums(void **state) {
    (void)state;
    double one[8 * JN_POOL_PARTS] = {0}, many[8 * JN_POOL_PARTS];
    jn_pool *pool = jn_pool_create(THREADS);
    for (int n = 0; n < LONG; n++) jn_pool_share(NULL, JN_POOL_PARTS, sum_up, one);
    memset(many, 0, sizeof many);
    for (int n = 0; n < LONG; n++) jn_pool_share(pool, JN_POOL_PARTS, sum_up, many);
    assert_memory_equal(one, many, sizeof one);
    jn_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_share), cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
