/* Impacts with very many points by the default law: a brick of a wall or a domino of a row is struck. Whatever the coefficients, no
 * energy is gained, nothing approaches afterwards, and every solve ends. */
#include "check.h"
#include "impact_bench.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BRICKS = 20, POINTS = 160 };
static const double L = 0.2, B = 0.1, H = 0.06; /* [m] a brick */

static uint64_t seed;

static double uniform(double low, double high) { /* xorshift */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static int below(int n) { return (int)uniform(0, n); }

typedef struct scene {
    int bodies, points;
    double centre[BRICKS][3], qd[6 * BRICKS];
    jn_impact_contact contact[POINTS];
} scene;

static void add_point(scene *s, int up, int down, const double *normal, double x, double y, double z) {
    assert_true(s->points < POINTS);
    jn_impact_contact *c = &s->contact[s->points++];
    *c = (jn_impact_contact){.body = {up, down}, .r = {x, y, z}};
    bool upright = normal[2] > 0.5;
    for (int k = 0; k < 3; k++) c->normal[k] = normal[k];
    c->tangent[0][upright ? 0 : 1] = 1, c->tangent[1][upright ? 1 : 2] = 1;
}

/* Rows of four bricks in running bond; every overlap of two faces touches with its four corners. */
static void build_wall(scene *s) {
    static const double up[3] = {0, 0, 1};
    *s = (scene){.bodies = BRICKS};
    for (int i = 0; i < BRICKS; i++) {
        double *c = s->centre[i];
        c[0] = (i % 4) * L + (i / 4 % 2) * L / 2, c[1] = 0, c[2] = (i / 4 + 0.5) * H;
        for (int j = i < 4 ? -1 : i - 4 - i % 4; j < (i < 4 ? 0 : i - i % 4); j++) {
            double low = c[0] - L / 2, high = c[0] + L / 2;
            if (j >= 0) low = fmax(low, s->centre[j][0] - L / 2), high = fmin(high, s->centre[j][0] + L / 2);
            if (high - low < 1e-9) continue;
            for (int k = 0; k < 4; k++)
                add_point(s, i, j, up, k % 2 ? low : high, k / 2 ? -B / 2 : B / 2, c[2] - H / 2);
        }
    }
}

/* A row of upright bricks that touch their neighbours with the upper edge. */
static void build_dominoes(scene *s) {
    static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
    *s = (scene){.bodies = BRICKS};
    for (int i = 0; i < BRICKS; i++) {
        double *c = s->centre[i];
        c[0] = i * H, c[2] = L / 2;
        for (int k = 0; k < 4; k++)
            add_point(s, i, -1, up, c[0] + (k % 2 ? 0.5 : -0.5) * H, (k / 2 ? 0.5 : -0.5) * B, 0);
        for (int k = 0; k < 2 && i > 0; k++) add_point(s, i, i - 1, along, c[0] - H / 2, k ? B / 2 : -B / 2, L);
    }
}

static void row(const double *axis, const double *r, double sign, double *J) {
    for (int k = 0; k < 3; k++) {
        J[k] = sign * axis[k];
        J[3 + k] = sign * (r[(k + 1) % 3] * axis[(k + 2) % 3] - r[(k + 2) % 3] * axis[(k + 1) % 3]);
    }
}

static impact_bench *bench(const scene *s, double mu) {
    int nv = 6 * s->bodies;
    double *M = calloc((size_t)(nv * nv), sizeof *M), *J = calloc((size_t)(3 * s->points * nv), sizeof *J), all[POINTS];
    double m = 2, size[3] = {L, B, H};
    for (int i = 0; i < nv; i++) {
        int k = i % 6;
        double a = size[(k + 1) % 3], b = size[(k + 2) % 3];
        M[i * nv + i] = k < 3 ? m : m * (a * a + b * b) / 12;
    }
    for (int i = 0; i < s->points; i++) {
        const jn_impact_contact *c = &s->contact[i];
        all[i] = mu;
        for (int side = 0; side < 2; side++) {
            if (c->body[side] < 0) continue;
            double arm[3];
            for (int k = 0; k < 3; k++) arm[k] = c->r[k] - s->centre[c->body[side]][k];
            for (int a = 0; a < 3; a++) /* tangents, then the normal */
                row(a < 2 ? c->tangent[a] : c->normal, arm, side ? -1 : 1, J + (3 * i + a) * nv + 6 * c->body[side]);
        }
    }
    impact_bench *b = impact_bench_new(nv, 3, s->points, M, J, s->qd, all, all);
    for (int i = 0; i < s->points; i++) {
        b->contact[i] = s->contact[i];
        b->contact[i].mu_s = b->contact[i].mu_d = mu;
    }
    free(M), free(J);
    return b;
}

static void strike(void (*build)(scene *), const char *name, int count) {
    static scene s;
    double gain = 0, approach = 0, cone = 0, momentum = 0, most = 0;
    int limit = 0, unsolved = 0, stages = 0;
    clock_t since = clock();
    for (int k = 0; k < count; k++) {
        build(&s);
        double e = k % 3 ? uniform(0, 0.9) : 0, own[POINTS], speed = 0;
        int struck = below(s.bodies);
        for (int i = 0; i < 6; i++) s.qd[6 * struck + i] = uniform(-1, 1) * (i < 3 ? 1 : 5);
        impact_bench *b = bench(&s, k % 4 ? uniform(0.1, 0.8) : 0);
        jn_impact_options o = jn_impact_default(JN_IMPACT_STAGED);
        o.e = &e, o.tolerance = 1e-9;
        for (int i = 0; i < b->n && k % 5 == 4; i++) {
            own[i] = below(2) ? uniform(0, 0.9) : 0;
            b->contact[i].e = &own[i], b->contact[i].e_count = 1;
        }
        clock_t begin = clock();
        int status = impact_bench_solve(b, &o);
        most = fmax(most, (double)(clock() - begin) / CLOCKS_PER_SEC);
        assert_true(status >= 0);
        limit += b->record.end == JN_IMPACT_LIMIT, unsolved += b->record.end == JN_IMPACT_UNSOLVED;
        stages = b->record.impacts > stages ? b->record.impacts : stages;
        double T = impact_bench_energy(b, b->qd);
        gain = fmax(gain, (impact_bench_energy(b, b->qd_plus) - T) / T);
        for (int i = 0; i < 3 * b->n; i++) speed = fmax(speed, fabs(b->v[i]));
        for (int i = 0; i < b->n; i++) approach = fmax(approach, -b->record.v[3 * i] / speed);
        cone = fmax(cone, impact_bench_cone(b)), momentum = fmax(momentum, impact_bench_momentum(b));
        impact_bench_free(b);
    }
    print_message(
        "%-9s %d of %d points: limit %d unsolved %d, %d stages at most; gain %.1e approach %.1e cone %.1e momentum "
        "%.1e; %.3f s, the longest %.3f s\n",
        name, count, s.points, limit, unsolved, stages, gain, approach, cone, momentum,
        (double)(clock() - since) / CLOCKS_PER_SEC, most);
    assert_below(gain, 1e-9), assert_below(approach, 1e-7), assert_below(cone, 1e-8), assert_below(momentum, 1e-9);
    assert_int_equal(unsolved, 0), assert_int_equal(limit, 0);
}

static void test_walls(void **state) {
    (void)state;
    seed = 1666;
    strike(build_wall, "wall", 24);
}

static void test_dominoes(void **state) {
    (void)state;
    seed = 1120;
    strike(build_dominoes, "dominoes", 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls), cmocka_unit_test(test_dominoes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
