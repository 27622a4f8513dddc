/* The ordering of a core-only build against SuiteSparse's: a permutation whose factor is not larger by much. */
#include "check.h"
#include "model/order.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 120 };

static uint64_t seed = 3;
static int below(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

typedef struct pattern {
    int n, start[MOST + 1], row[MOST * MOST];
    bool full[MOST][MOST];
} pattern;

/* Upper triangle by columns with the diagonal, as kkt_pattern.c gives it. */
static void columns_of(pattern *p) {
    int at = 0;
    for (int c = 0; c < p->n; c++) {
        p->start[c] = at;
        for (int r = 0; r <= c; r++)
            if (r == c || p->full[r][c]) p->row[at++] = r;
    }
    p->start[p->n] = at;
}

static void join(pattern *p, int a, int b) { p->full[a][b] = p->full[b][a] = true; }

/* Random graphs, sparse to dense; grids; chains that close at many places, as loops of mechanisms do. */
static void draw(pattern *p, int n, int kind) {
    memset(p, 0, sizeof *p);
    p->n = kind == 1 ? 100 : n;
    if (kind == 0)
        for (int k = below(4 * n) + n; k-- > 0;) join(p, below(n), below(n));
    for (int i = 0; kind == 1 && i < 100; i++) {
        if (i % 10 < 9) join(p, i, i + 1);
        if (i < 90) join(p, i, i + 10);
    }
    for (int i = 0; kind == 2 && i + 1 < n; i++) join(p, i, i + 1);
    for (int k = 0; kind == 2 && k < n / 5; k++) join(p, below(n), below(n));
    columns_of(p);
}

/* Entries of the factor below its diagonal; -1: the order is no permutation. */
static long fill_of(const pattern *p, const int *order) {
    static bool full[MOST][MOST];
    bool used[MOST] = {false};
    long entries = 0;
    memcpy(full, p->full, sizeof full);
    for (int k = 0; k < p->n; k++) {
        int i = order[k];
        if (i < 0 || i >= p->n || used[i]) return -1;
        used[i] = true;
        for (int a = 0; a < p->n; a++) {
            if (used[a] || !full[i][a]) continue;
            entries++;
            for (int b = 0; b < p->n; b++)
                if (!used[b] && full[i][b]) full[a][b] = true;
        }
    }
    return entries;
}

static void test_fill(void **state) {
    static pattern p;
    int own[MOST], amd[MOST];
    double sum_own = 0, sum_amd = 0;
    (void)state;
    for (int n = 0; n < 300; n++) {
        draw(&p, 2 + below(MOST - 2), n % 3);
        assert_int_equal(jn_order_minimum_degree(p.n, p.start, p.row, own), JN_OK);
        assert_int_equal(jn_order_sparse(p.n, p.start, p.row, amd), JN_OK);
        long a = fill_of(&p, own), b = fill_of(&p, amd);
        if (a < 0) fail_msg("case %d: no permutation", n);
        if ((double)a > 1.5 * (double)b + 10) fail_msg("case %d: %ld entries, AMD has %ld", n, a, b);
        sum_own += (double)a, sum_amd += (double)b;
    }
    print_message("%.0f entries, AMD has %.0f\n", sum_own, sum_amd);
    assert_true(sum_own < 1.1 * sum_amd);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
