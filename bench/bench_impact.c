/* Impacts per second: the default law and that with a global energetic coefficient, for 1, 2, 4 and 8 points of a block, in the plane and in space, with
 * friction; and Newton's cradle with 3 to 1000 balls. Every result is checked before its time counts. */
#include "bench.h"
#include "impact_bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    impact_bench *b;
    jn_impact_options options;
} job;

static void solve(void *context) {
    job *j = context;
    impact_bench_solve(j->b, &j->options);
}

/* Points on the lower face of a block, spread along it; tangents, then the normal; velocities of approach everywhere. */
static impact_bench *block(int d, int n) {
    int nv = d == 2 ? 3 : 6;
    double M[36] = {0}, J[24 * 6] = {0}, mu_s[8], mu_d[8];
    static const double plane[3] = {0.3, -1, 0.4}, space[6] = {0.3, 0.2, -1, 0.4, -0.3, 0.2};
    for (int i = 0; i < nv; i++) M[i * nv + i] = i < d ? 2.5 : 0.01;
    for (int i = 0; i < n; i++) {
        double s = n > 1 ? -1 + 2.0 * i / (n - 1) : 0.2, x = 0.1 * s, y = d == 3 ? 0.05 * cos(3 * s) : 0, z = -0.03;
        double *row = J + d * i * nv;
        if (d == 2) {
            row[0] = 1, row[2] = -z;
            row[nv + 1] = 1, row[nv + 2] = x;
        } else {
            row[0] = 1, row[4] = z, row[5] = -y;
            row[nv + 1] = 1, row[nv + 3] = -z, row[nv + 5] = x;
            row[2 * nv + 2] = 1, row[2 * nv + 3] = y, row[2 * nv + 4] = -x;
        }
        mu_s[i] = 0.4, mu_d[i] = 0.3;
    }
    impact_bench *b = impact_bench_new(nv, d, n, M, J, d == 2 ? plane : space, mu_s, mu_d);
    impact_bench_one_body(b);
    return b;
}

/* A chain of equal balls, written down: beta has 2 on its diagonal and -1 beside it. */
typedef struct chain {
    jn_impact_problem problem;
    jn_impact_options options;
    jn_impact_record record;
    double *beta, *v;
    jn_impact_contact *contact;
    void *memory, *scratch;
} chain;

static void solve_chain(void *context) {
    chain *c = context;
    jn_impact_solve(&c->problem, &c->options, c->scratch, &c->record);
}

/* Ball i has what the contacts on its two sides leave it; with e = 1 the last one takes the whole speed. */
static double chain_error(const chain *c) {
    double worst = 0;
    int n = c->problem.contacts;
    for (int i = 0; i <= n; i++) {
        double u = (i == 0 ? 1 : 0) + (i > 0 ? c->record.p[2 * (i - 1)] : 0) - (i < n ? c->record.p[2 * i] : 0);
        worst = fmax(worst, fabs(u - (i == n ? 1 : 0)));
    }
    return worst;
}

static void measure_chain(jn_impact_kind law, int balls) {
    static const double elastic[] = {1};
    size_t n = (size_t)balls - 1, D = 2 * n;
    chain c = {.options = jn_impact_default(law)};
    c.options.e = elastic;
    c.beta = calloc(D * D, sizeof *c.beta), c.v = calloc(D, sizeof *c.v), c.contact = calloc(n, sizeof *c.contact);
    for (size_t i = 0; i < n; i++) {
        c.beta[2 * i * D + 2 * i] = 2;
        if (i > 0) c.beta[2 * i * D + 2 * (i - 1)] = c.beta[2 * (i - 1) * D + 2 * i] = -1;
        c.contact[i] = (jn_impact_contact){
            .body = {(int)i + 1, (int)i}, .r = {2.0 * (double)i + 1}, .normal = {1}, .tangent = {{0, 1, 0}}};
    }
    c.v[0] = -1;
    c.problem = (jn_impact_problem){
        .dimension = 2, .contacts = (int)n, .beta = c.beta, .v = c.v, .contact = c.contact, .energy = 0.5};
    c.scratch = aligned_alloc(64, jn_impact_scratch(&c.problem, &c.options) / 64 * 64 + 64);
    c.memory = aligned_alloc(64, jn_impact_record_size(2, (int)n, 8) / 64 * 64 + 64);
    jn_impact_record_place(&c.record, 2, (int)n, 8, c.memory);
    solve_chain(&c);
    if (bench_check("cradle", "speeds", chain_error(&c), 1e-9))
        bench_row_get(jn_impact_get_info(law)->name, "cradle", balls)->cell[0] =
            1e6 / bench_microseconds(solve_chain, NULL, &c);
    free(c.beta), free(c.v), free(c.contact), free(c.scratch), free(c.memory);
}

static void measure(jn_impact_kind law, const char *scene, int size, impact_bench *b, double e) {
    job j = {b, jn_impact_default(law)};
    j.options.e = &e;
    int status = impact_bench_solve(b, &j.options);
    double before = impact_bench_energy(b, b->qd), after = impact_bench_energy(b, b->qd_plus);
    bool fine = bench_check(scene, "ends", status == JN_OK ? 0 : 1, 0);
    fine &= bench_check(scene, "momentum", impact_bench_momentum(b), 1e-10);
    fine &= bench_check(scene, "cone", impact_bench_cone(b), 1e-9);
    fine &= bench_check(scene, "energy won", fmax(0, after - before) / before, 1e-10);
    if (fine)
        bench_row_get(jn_impact_get_info(law)->name, scene, size)->cell[0] = 1e6 / bench_microseconds(solve, NULL, &j);
    impact_bench_free(b);
}

int main(int argc, char **argv) {
    static const int points[] = {1, 2, 4, 8}, balls[] = {3, 10, 30, 100, 300, 1000};
    static const char *const columns[] = {"impacts/s"};
    bench_begin(argc, argv, "impact");
    static const jn_impact_kind laws[] = {JN_IMPACT_STAGED, JN_IMPACT_SIMULTANEOUS};
    for (int l = 0; l < 2; l++) {
        for (int d = 2; d <= 3; d++)
            for (int k = 0; k < 4; k++)
                measure(laws[l], d == 2 ? "block, plane" : "block, space", points[k], block(d, points[k]), 0.5);
        for (int k = 0; k < 6; k++) measure_chain(laws[l], balls[k]);
    }
    bench_print("impacts by the laws `staged` (default) and `simultaneous`", columns, 1, 1, "1/s");
    return bench_end();
}
