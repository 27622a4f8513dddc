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

enum { MOST = 3000, LEAST = 7 };

typedef struct loop {
    int count, seen[MOST];
    atomic_int ranges, shortest;
} loop;

static void count_turns(void *context, int from, int to) {
    loop *l = context;
    atomic_fetch_add(&l->ranges, 1);
    if (to - from < atomic_load(&l->shortest)) atomic_store(&l->shortest, to - from);
    for (int i = from; i < to; i++) l->seen[i]++;
}

static double largest_of(void *context, int from, int to) {
    const int *number = context;
    double most = 0;
    for (int i = from; i < to; i++)
        if (number[i] > most) most = number[i];
    return most;
}

/* Every turn of a loop once, in ranges that are not too short; the largest of them wherever it stands. */
static void loop_in_ranges(jn_pool *pool) {
    static loop l;
    for (int count = 0; count < MOST; count += 1 + count / 3) {
        memset(&l, 0, sizeof l), l.shortest = MOST;
        jn_pool_range(pool, count, LEAST, count_turns, &l);
        for (int i = 0; i < MOST; i++) assert_int_equal(l.seen[i], i < count);
        if (atomic_load(&l.ranges) > 1) assert_in_range(atomic_load(&l.shortest), LEAST, MOST);
        if (!pool || count < 2 * LEAST) assert_int_equal(atomic_load(&l.ranges), 1);
        for (int i = 0; i < count; i += 1 + count / 5) {
            l.seen[i] = 3;
            assert_true(jn_pool_most(pool, count, LEAST, largest_of, l.seen) == 3);
            l.seen[i] = 1;
        }
    }
}

static void test_ranges(void **state) {
    (void)state;
    loop_in_ranges(NULL);
    for (int threads = 1; threads <= THREADS; threads++) {
        jn_pool *pool = jn_pool_create(threads);
        loop_in_ranges(pool);
        jn_pool_free(pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_share), cmocka_unit_test(test_sums), cmocka_unit_test(test_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
