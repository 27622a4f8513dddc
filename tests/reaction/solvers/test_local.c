/* One contact: closed forms in every direction, brute force, invariance under turning the tangential axes. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/problem/problem.h"
#include "reaction/solvers/local_law.h"
#include <string.h>

static double residual(int d, const double *W, const double *q, double mu, const double *p) {
    double u[3];
    for (int i = 0; i < d; i++) {
        u[i] = q[i];
        for (int k = 0; k < d; k++) u[i] += W[i * d + k] * p[k];
    }
    return sqrt(jn_natural_map(d, mu, p, u));
}

static void solve(int d, const double *W, const double *q, double mu, double *p) {
    jn_local local = jn_local_prepare(d, W, mu);
    jn_local_solve(d, &local, q, p);
}

/* A sphere of mass m and inertia 2/5 m r^2 that lands: W = diag(1, 7/2, 7/2)/m. */
static void sphere_in_every_direction(void **state) {
    (void)state;
    const double m = 0.7, mu = 0.3, W[9] = {1 / m, 0, 0, 0, 3.5 / m, 0, 0, 0, 3.5 / m};
    for (int k = 0; k < 720; k++) {
        double a = k * (2 * 3.14159265358979323846 / 720), p[3];
        solve(3, W, (double[3]){0.1, cos(a), sin(a)}, mu, p); /* take-off */
        assert_true(p[0] == 0 && p[1] == 0 && p[2] == 0);
        double t = 0.99 * 3.5 * mu * 2; /* sticks below 7/2 mu of the normal speed */
        solve(3, W, (double[3]){-2, t * cos(a), t * sin(a)}, mu, p);
        assert_near(p[0], 2 * m, 1e-13);
        assert_near(p[1], -t * cos(a) * m / 3.5, 1e-13);
        assert_near(p[2], -t * sin(a) * m / 3.5, 1e-13);
        solve(3, W, (double[3]){-2, 5 * cos(a), 5 * sin(a)}, mu, p); /* slips */
        assert_near(p[0], 2 * m, 1e-13);
        assert_near(p[1], -2 * m * mu * cos(a), 1e-12);
        assert_near(p[2], -2 * m * mu * sin(a), 1e-12);
    }
}

/* W = A A^T + small, condition up to about 1e6. */
static void random_matrix(unsigned long long *seed, int d, double *W) {
    double A[3][3], small = pow(10, -3 + 3 * contact_random(seed));
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) A[i][j] = contact_random(seed);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            W[i * d + j] = i == j ? small : 0;
            for (int k = 0; k < d; k++) W[i * d + j] += A[i][k] * A[j][k];
        }
}

static void random_contacts_obey_the_law(void **state) {
    (void)state;
    unsigned long long seed = 5;
    int slips = 0;
    for (int d = 1; d <= 3; d++)
        for (int k = 0; k < 20000; k++) {
            double W[9], q[3], p[3], mu = k % 7 == 0 ? 0 : 1.5 * fabs(contact_random(&seed));
            random_matrix(&seed, d, W);
            for (int i = 0; i < d; i++) q[i] = contact_random(&seed);
            solve(d, W, q, mu, p);
            double size = 1;
            for (int i = 0; i < d; i++) size += fabs(p[i]) * (1 + W[0] + (d > 1 ? W[d + 1] : 0) + (d > 2 ? W[8] : 0));
            assert_below(residual(d, W, q, mu, p) / size, 2e-13);
            slips += d == 3 && p[0] > 0 && fabs(hypot(p[1], p[2]) - mu * p[0]) < 1e-12 * p[0];
        }
    assert_true(slips > 3000);
}

/* Slip in the direction (cos a, sin a): the cross product of u_T and that direction, which slip makes zero. */
static double turning(const double *W, const double *q, double mu, double a, double *pn, double *along) {
    double t[2] = {cos(a), sin(a)}, down = W[0] - mu * (W[1] * t[0] + W[2] * t[1]);
    *pn = -q[0] / down;
    double p[3] = {*pn, -mu * *pn * t[0], -mu * *pn * t[1]};
    double u1 = q[1] + W[3] * p[0] + W[4] * p[1] + W[5] * p[2], u2 = q[2] + W[6] * p[0] + W[7] * p[1] + W[8] * p[2];
    *along = u1 * t[0] + u2 * t[1];
    return u1 * t[1] - u2 * t[0];
}

/* Every slip direction is tried, the roots are bisected; one of them must be the answer. */
static void slip_is_what_brute_force_finds(void **state) {
    (void)state;
    unsigned long long seed = 11;
    int checked = 0;
    for (int k = 0; k < 2000; k++) {
        double W[9], q[3], p[3], mu = 0.8 * fabs(contact_random(&seed)), nearest = INFINITY;
        random_matrix(&seed, 3, W);
        for (int i = 0; i < 3; i++) q[i] = contact_random(&seed);
        solve(3, W, q, mu, p);
        if (p[0] <= 0 || fabs(hypot(p[1], p[2]) - mu * p[0]) > 1e-12 * p[0]) continue;
        for (int s = 0; s < 720; s++) {
            double a = s * (2 * 3.14159265358979323846 / 720), b = a + 2 * 3.14159265358979323846 / 720, pn, along;
            double fa = turning(W, q, mu, a, &pn, &along);
            if (fa * turning(W, q, mu, b, &pn, &along) > 0) continue;
            for (int i = 0; i < 60; i++) {
                double c = 0.5 * (a + b), fc = turning(W, q, mu, c, &pn, &along);
                if (fa * fc > 0)
                    a = c, fa = fc;
                else
                    b = c;
            }
            turning(W, q, mu, a, &pn, &along);
            if (along < 0 || pn < 0) continue;
            double off = fmax(fabs(p[0] - pn), hypot(p[1] + mu * pn * cos(a), p[2] + mu * pn * sin(a)));
            nearest = fmin(nearest, off / (1 + pn));
        }
        assert_below(nearest, 1e-9);
        checked++;
    }
    assert_true(checked > 300);
}

static void no_direction_is_preferred(void **state) {
    (void)state;
    unsigned long long seed = 3;
    for (int k = 0; k < 500; k++) {
        double W[9], q[3], p[3], mu = fabs(contact_random(&seed)), a = 3.2 * contact_random(&seed), c = cos(a),
                                 s = sin(a);
        double R[9] = {1, 0, 0, 0, c, -s, 0, s, c}, V[9] = {0}, r[3], turned[3];
        random_matrix(&seed, 3, W);
        for (int i = 0; i < 3; i++) q[i] = contact_random(&seed);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int m = 0; m < 9; m++) V[3 * i + j] += R[3 * i + m / 3] * W[m] * R[3 * j + m % 3]; /* R W R^T */
        for (int i = 0; i < 3; i++) r[i] = R[3 * i] * q[0] + R[3 * i + 1] * q[1] + R[3 * i + 2] * q[2];
        solve(3, W, q, mu, p);
        solve(3, V, r, mu, turned);
        double cond = (1 + p[0]) * 1e3;
        for (int i = 0; i < 3; i++)
            assert_near(turned[i], R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2], 1e-12 * cond);
    }
}

static void odd_matrices(void **state) {
    (void)state;
    double p[3];
    solve(3, (double[9]){0}, (double[3]){-1, 1, 0}, 0.5, p); /* nothing can move */
    assert_true(p[0] == 0 && p[1] == 0 && p[2] == 0);
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}; /* one tangential direction is locked */
    solve(3, W, (double[3]){-1, 0.2, 0}, 0.5, p);
    assert_near(p[0], 1, 1e-12);
    assert_below(residual(3, W, (double[3]){-1, 0.2, 0}, 0.5, p), 1e-11);
    solve(3, W, (double[3]){-1, 3, 0}, 0.5, p);
    assert_near(p[1], -0.5, 1e-12);
    solve(3, (double[9]){2}, (double[3]){-1, 0, 0}, 0.5, p); /* both are */
    assert_true(p[0] == 0.5 && p[1] == 0 && p[2] == 0);
    solve(2, (double[4]){2}, (double[2]){-1, 0}, 0.5, p);
    assert_below(residual(2, (double[4]){2}, (double[2]){-1, 0}, 0.5, p), 1e-15);
}

/* [N s] normal impulse of a slip that brute force finds at directions one degree apart; 0: none. */
static double slip_found(const double *W, const double *q, double mu) {
    enum { DIRECTIONS = 360 };
    double last = 0, pn = 0, along = 0;
    for (int k = 0; k <= DIRECTIONS; k++) {
        double before = pn, turns = turning(W, q, mu, k * (2 * 3.14159265358979323846 / DIRECTIONS), &pn, &along);
        if (k && (turns > 0) != (last > 0) && along > 0 && pn > 0 && before > 0) return pn;
        last = turns;
    }
    return 0;
}

/* Bodies with two motions that friction jams: sticking needs impulses without bound, and a slip is found instead where there is one. */
static void what_jams_may_slip(void **state) {
    (void)state;
    unsigned long long seed = 11;
    int jams = 0, slips = 0, differ = 0;
    for (int n = 0; n < 40000; n++) {
        double A[3][2], W[9], q[3], p[3], mu = 0.5 + fabs(contact_random(&seed));
        for (int i = 0; i < 6; i++) A[i / 2][i % 2] = contact_random(&seed);
        for (int i = 0; i < 9; i++) W[i] = A[i / 3][0] * A[i % 3][0] + A[i / 3][1] * A[i % 3][1];
        for (int i = 0; i < 3; i++) q[i] = contact_random(&seed);
        solve(3, W, q, mu, p);
        if (!(W[0] * p[0] > 1e8 * fabs(q[0]))) continue;
        jams++;
        jn_local local = jn_local_prepare(3, W, mu);
        bool slip = jn_local_slip_instead(3, &local, W, q, p);
        if (slip) assert_below(residual(3, W, q, mu, p), 1e-9 * (1 + p[0]));
        slips += slip;
        differ += slip != (slip_found(W, q, mu) > 0);
    }
    print_message("%d jam, %d of them may slip instead; brute force sees %d otherwise\n", jams, slips, differ);
    assert_true(jams > 1000 && slips > 10);
    assert_true(differ <= jams / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_in_every_direction),
        cmocka_unit_test(random_contacts_obey_the_law),
        cmocka_unit_test(slip_is_what_brute_force_finds),
        cmocka_unit_test(no_direction_is_preferred),
        cmocka_unit_test(odd_matrices),
        cmocka_unit_test(what_jams_may_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
