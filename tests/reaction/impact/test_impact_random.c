/* Random impacts with many points, in a plane and in space: corners, bodies among each other, chains. Whatever the state, no
 * energy is gained, no normal impulse pulls, no cone is left, momentum balances, and every solve ends. */
#include "check.h"
#include "impact_bench.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BODIES = 4, POINTS = 6 };

static uint64_t seed;

static double uniform(double low, double high) { /* xorshift */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static int below(int n) { return (int)uniform(0, n); }

static void cross(const double *a, const double *b, double *c) {
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void unit(double *a) {
    double s = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) a[k] /= s;
}

/* Row of J for an axis at r on a body: axis and r x axis. */
static void row(int d, const double *axis, const double *r, double sign, double *J) {
    double m[3];
    cross(r, axis, m);
    for (int k = 0; k < d; k++) J[k] += sign * axis[k];
    if (d == 2)
        J[2] += sign * m[2];
    else
        for (int k = 0; k < 3; k++) J[3 + k] += sign * m[k];
}

/* A normal, and tangents that make a frame with it; sometimes along the axes, as in corners and on faces. */
static void frame(int d, jn_impact_contact *c) {
    bool straight = below(2);
    for (int k = 0; k < d; k++) c->normal[k] = straight ? 0 : uniform(-1, 1);
    if (straight) c->normal[below(d)] = below(2) ? 1 : -1;
    unit(c->normal);
    if (d == 2) {
        c->tangent[0][0] = c->normal[1], c->tangent[0][1] = -c->normal[0];
        return;
    }
    double other[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    cross(c->normal, other, c->tangent[0]);
    unit(c->tangent[0]);
    cross(c->normal, c->tangent[0], c->tangent[1]);
}

static impact_bench *draw(int d) {
    static double M[36 * BODIES * BODIES], J[3 * POINTS * 6 * BODIES], qd[6 * BODIES], mu_s[POINTS], mu_d[POINTS];
    jn_impact_contact contact[POINTS];
    int q = d == 2 ? 3 : 6, bodies = 1 + below(BODIES), n = 1 + below(d == 2 ? POINTS : 4), nv = q * bodies;
    bool rough = below(4), still = below(4) == 0;
    memset(M, 0, sizeof M), memset(J, 0, sizeof J), memset(contact, 0, sizeof contact);
    for (int b = 0; b < bodies; b++) {
        double m = pow(10, uniform(-1, 1));
        for (int k = 0; k < q; k++) M[(b * q + k) * nv + b * q + k] = k < d ? m : m * uniform(0.05, 0.6);
        for (int k = 0; k < q; k++) qd[b * q + k] = still && below(2) ? 0 : uniform(-3, 3);
    }
    for (int i = 0; i < n; i++) {
        jn_impact_contact *c = &contact[i];
        c->body[0] = below(bodies), c->body[1] = below(bodies + 1) - 1;
        if (c->body[1] == c->body[0]) c->body[1] = -1;
        frame(d, c);
        for (int k = 0; k < d; k++) c->r[k] = uniform(-1, 1);
        mu_s[i] = rough ? uniform(0, 1.2) : 0, mu_d[i] = mu_s[i] * (below(2) ? 1 : uniform(0.5, 1));
        for (int s = 0; s < 2; s++) {
            if (c->body[s] < 0) continue;
            double sign = s ? -1 : 1, arm[3] = {0};
            for (int k = 0; k < d; k++) arm[k] = c->r[k] - (s ? 0.3 : -0.2) * c->normal[k];
            for (int a = 0; a < d; a++)
                row(d, a < d - 1 ? c->tangent[a] : c->normal, arm, sign, J + (d * i + a) * nv + c->body[s] * q);
        }
    }
    impact_bench *b = impact_bench_new(nv, d, n, M, J, qd, mu_s, mu_d);
    for (int i = 0; i < n; i++) {
        contact[i].mu_s = mu_s[i], contact[i].mu_d = mu_d[i];
        b->contact[i] = contact[i];
    }
    return b;
}

typedef struct tally {
    int solved, plastic, jam, limit, unsolved;
    double gain, momentum, cone, approach, work;
} tally;

static void judge(impact_bench *b, const jn_impact_options *o, tally *t) {
    int status = impact_bench_solve(b, o);
    assert_true(status == JN_OK || status == JN_NOT_CONVERGED);
    double T = impact_bench_energy(b, b->qd), gain = (impact_bench_energy(b, b->qd_plus) - T) / T;
    t->solved++, t->plastic += b->record.plastic;
    t->jam += b->record.end == JN_IMPACT_JAMMED, t->limit += b->record.end == JN_IMPACT_LIMIT;
    t->unsolved += b->record.end == JN_IMPACT_UNSOLVED;
    t->gain = fmax(t->gain, gain);
    t->momentum = fmax(t->momentum, impact_bench_momentum(b));
    t->cone = fmax(t->cone, impact_bench_cone(b));
    t->work = fmax(t->work, fabs(b->record.normal + b->record.tangential - b->record.change) / T);
    double speed = 0;
    for (int i = 0; i < b->d * b->n; i++) speed = fmax(speed, fabs(b->v[i]));
    if (b->record.end != JN_IMPACT_UNSOLVED)
        for (int i = 0; i < b->n; i++) t->approach = fmax(t->approach, -b->record.v[b->d * i] / speed);
}

static void print(const char *what, const tally *t, clock_t since) {
    print_message("%-22s %5d: jam %d limit %d unsolved %d plastic %d; gain %.1e momentum %.1e cone %.1e approach %.1e "
                  "work %.1e; %.2f s\n",
                  what, t->solved, t->jam, t->limit, t->unsolved, t->plastic, t->gain, t->momentum, t->cone,
                  t->approach, t->work, (double)(clock() - since) / CLOCKS_PER_SEC);
}

static void simultaneous(int d, int count) {
    for (int rows = 0; rows < 2; rows++) {
        tally t = {0};
        clock_t since = clock();
        for (int k = 0; k < count / 2; k++) {
            impact_bench *b = draw(d);
            jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
            double e[2] = {uniform(-0.2, 1), uniform(0, 1)};
            o.e = e, o.e_count = 2, o.rows = (jn_impact_rows)rows, o.tolerance = 1e-9;
            judge(b, &o, &t);
            impact_bench_free(b);
        }
        print(d == 2 ? "simultaneous, plane" : "simultaneous, space", &t, since);
        assert_below(t.gain, 1e-8), assert_below(t.momentum, 1e-10), assert_below(t.cone, 1e-8);
        assert_below(t.approach, 1e-7), assert_below(t.work, 1e-7);
        assert_int_equal(t.unsolved, 0);
    }
}

static void test_plane(void **state) {
    (void)state;
    seed = 20140501;
    simultaneous(2, 6000);
}

static void test_space(void **state) {
    (void)state;
    seed = 19640503;
    simultaneous(3, 4000);
}

/* The default law: coefficients of its own for every point, half of them without restitution, and some tangential restitution. */
static void staged(int d, int count) {
    for (int mixed = 0; mixed < 2; mixed++) {
        tally t = {0};
        clock_t since = clock();
        for (int k = 0; k < count / 2; k++) {
            impact_bench *b = draw(d);
            jn_impact_options o = jn_impact_default(JN_IMPACT_STAGED);
            double e = below(4) ? uniform(0, 1) : below(2), own[POINTS];
            o.e = &e, o.tolerance = 1e-9;
            for (int i = 0; i < b->n && mixed; i++) {
                own[i] = below(2) ? uniform(0, 1) : 0;
                b->contact[i].e = &own[i], b->contact[i].e_count = 1, b->contact[i].e_t = below(3) ? 0 : uniform(0, 1);
            }
            judge(b, &o, &t);
            impact_bench_free(b);
        }
        print(mixed ? "staged, mixed" : "staged, alike", &t, since);
        assert_below(t.gain, 1e-9), assert_below(t.momentum, 1e-10), assert_below(t.cone, 1e-8);
        assert_below(t.approach, 1e-7), assert_below(t.work, 1e-9);
        assert_int_equal(t.unsolved, 0);
    }
}

/* The same contacts in reverse order. */
static impact_bench *reversed(const impact_bench *b) {
    static double J[3 * POINTS * 6 * BODIES];
    double mu_s[POINTS], mu_d[POINTS];
    int d = b->d;
    for (int i = 0; i < b->n; i++) {
        const jn_impact_contact *c = &b->contact[b->n - 1 - i];
        mu_s[i] = c->mu_s, mu_d[i] = c->mu_d;
        for (int r = 0; r < d; r++) /* tangents, then the normal */
            memcpy(J + (d * i + r) * b->nv, b->J + (d * (b->n - 1 - i) + (r + 1) % d) * b->nv,
                   (size_t)b->nv * sizeof *J);
    }
    impact_bench *out = impact_bench_new(b->nv, d, b->n, b->M, J, b->qd, mu_s, mu_d);
    for (int i = 0; i < b->n; i++) out->contact[i] = b->contact[b->n - 1 - i];
    return out;
}

/* The order of the contacts plays no part, but where friction leaves several answers. */
static void test_order(void **state) {
    (void)state;
    seed = 1687;
    for (int d = 2; d <= 3; d++) {
        int differ = 0, count = 2000;
        double worst = 0;
        for (int k = 0; k < count; k++) {
            impact_bench *b = draw(d), *r = reversed(b);
            jn_impact_options o = jn_impact_default(JN_IMPACT_STAGED);
            double e = uniform(0, 1), change = 0, speed = 0;
            o.e = &e;
            impact_bench_solve(b, &o), impact_bench_solve(r, &o);
            for (int i = 0; i < b->nv; i++) {
                change = fmax(change, fabs(b->qd_plus[i] - r->qd_plus[i]));
                speed = fmax(speed, fabs(b->qd[i]));
            }
            differ += change > 1e-6 * speed;
            if (change <= 1e-6 * speed) worst = fmax(worst, change / speed);
            impact_bench_free(b), impact_bench_free(r);
        }
        print_message("reversed order, d = %d: %d of %d differ, the others by %.1e at most\n", d, differ, count, worst);
        assert_true(differ <= count / 100);
    }
}

static void test_staged(void **state) {
    (void)state;
    seed = 19961103;
    staged(2, 6000);
    staged(3, 4000);
}

static void test_others(void **state) {
    (void)state;
    seed = 88172645463325252ull;
    static const jn_impact_kind laws[] = {JN_IMPACT_NEWTON,     JN_IMPACT_POISSON, JN_IMPACT_STRONGE,
                                          JN_IMPACT_SEQUENTIAL, JN_IMPACT_MOREAU,  JN_IMPACT_POISSON_LCP,
                                          JN_IMPACT_LZB};
    for (size_t l = 0; l < sizeof laws / sizeof *laws; l++)
        for (int d = 2; d <= 3; d++) {
            tally t = {0};
            clock_t since = clock();
            for (int k = 0; k < (laws[l] == JN_IMPACT_LZB ? 60 : 200); k++) {
                impact_bench *b = draw(d);
                jn_impact_options o = jn_impact_default(laws[l]);
                double e = uniform(0, 1);
                o.e = &e, o.tolerance = 1e-9;
                judge(b, &o, &t);
                impact_bench_free(b);
            }
            print(jn_impact_get_info(laws[l])->name, &t, since);
            assert_below(t.momentum, 1e-10), assert_below(t.cone, 1e-8);
            assert_below(t.approach, 1e-7), assert_below(t.work, 1e-7);
            if (laws[l] == JN_IMPACT_STRONGE || laws[l] == JN_IMPACT_SEQUENTIAL || laws[l] == JN_IMPACT_LZB)
                assert_below(t.gain,
                             1e-8); /* the others may gain: Newton's coefficient with friction, Moreau's with it */
            if (laws[l] != JN_IMPACT_MOREAU && laws[l] != JN_IMPACT_POISSON_LCP) assert_int_equal(t.unsolved, 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space),
                                       cmocka_unit_test(test_staged), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
