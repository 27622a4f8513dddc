/* The contact problem: both forms of W are one matrix, joints are eliminated, islands are found. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/problem/problem.h"
#include "reaction/problem/problem_data.h"
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

static const contact_scene scenes[] = {
    {.seed = 1, .dimension = 1, .bodies = 6, .contacts = 9, .mu = 0},
    {.seed = 2, .dimension = 2, .bodies = 7, .contacts = 12, .mu = 0.4},
    {.seed = 3, .dimension = 3, .bodies = 8, .contacts = 20, .mu = 0.5},
    {.seed = 4, .dimension = 3, .bodies = 6, .contacts = 8, .mu = 0.5, .joints = 9},
    {.seed = 5, .dimension = 2, .bodies = 6, .contacts = 7, .mu = 0.5, .joints = 4},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void fill(unsigned long long seed, int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = contact_random(&seed);
}

static void rows_and_blocks_are_one_matrix(void **state) {
    (void)state;
    for (int s = 0; s < SCENES; s++) {
        contact_problem c;
        contact_problem_make(&scenes[s], &c);
        double p[200], u1[200], u2[200], v[200], A[9], B[9];
        fill(9, c.n, p);
        jn_problem_velocity(c.rows, p, v, u1);
        jn_problem_velocity(&c.blocks, p, NULL, u2);
        for (int i = 0; i < c.n; i++) assert_near(u1[i], u2[i], 1e-12);
        assert_near(jn_problem_residual(c.rows, p, v, u1), jn_problem_residual(&c.blocks, p, NULL, u2), 1e-12);
        for (int i = 0; i < c.rows->contacts; i++) {
            int d = c.rows->dimension;
            jn_problem_diagonal(c.rows, i, A);
            jn_problem_diagonal(&c.blocks, i, B);
            for (int k = 0; k < d * d; k++) assert_near(A[k], B[k], 1e-13);
            for (int k = c.W.start[i] + 1; k < c.W.start[i + 1]; k++) assert_true(c.W.column[k] > c.W.column[k - 1]);
        }
        contact_problem_free(&c);
    }
}

/* [M -G; G^T 0] [v; lambda] = [f + H p; -b] by LAPACK, with the redundant column left out. */
static void reference_velocity(const contact_problem *c, const double *p, double *v) {
    const jn_global_problem *g = &c->global;
    int nv = g->M.rows, joints = g->G.columns > 0 ? g->G.columns - 1 : 0, n = nv + joints;
    double *K = calloc((size_t)(n * n), sizeof *K), *x = calloc((size_t)n, sizeof *x);
    int *pivot = calloc((size_t)n, sizeof *pivot);
    for (int k = 0; k < g->M.count; k++) K[g->M.row[k] * n + g->M.column[k]] += g->M.value[k];
    for (int k = 0; k < g->G.count; k++) {
        if (g->G.column[k] >= joints) continue;
        K[g->G.row[k] * n + nv + g->G.column[k]] -= g->G.value[k];
        K[(nv + g->G.column[k]) * n + g->G.row[k]] += g->G.value[k];
    }
    memcpy(x, g->f, (size_t)nv * sizeof *x);
    for (int k = 0; k < g->H.count; k++) x[g->H.row[k]] += g->H.value[k] * p[g->H.column[k]];
    for (int k = 0; k < joints; k++) x[nv + k] = -g->b[k];
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, K, n, pivot, x, 1), 0);
    memcpy(v, x, (size_t)nv * sizeof *v);
    free(K), free(x), free(pivot);
}

static void joints_are_eliminated(void **state) {
    (void)state;
    for (int s = 0; s < SCENES; s++) {
        contact_problem c;
        contact_problem_make(&scenes[s], &c);
        const jn_global_problem *g = &c.global;
        double p[200], u[200], v[200], w[200], lambda[20], r[200];
        fill(4, c.n, p);
        reference_velocity(&c, p, v);
        jn_problem_velocity(c.rows, p, w, u);
        for (int i = 0; i < c.n; i++) r[i] = g->w[i] - u[i];
        for (int k = 0; k < g->H.count; k++) r[g->H.column[k]] += g->H.value[k] * v[g->H.row[k]]; /* H^T v + w - u */
        for (int i = 0; i < c.n; i++) assert_near(r[i], 0, 1e-11);
        assert_int_equal(jn_global_recover(g, p, w, lambda), JN_OK);
        for (int i = 0; i < g->M.rows; i++) {
            assert_near(w[i], v[i], 1e-11);
            r[i] = -g->f[i];
        }
        for (int k = 0; k < g->M.count; k++) r[g->M.row[k]] += g->M.value[k] * w[g->M.column[k]];
        for (int k = 0; k < g->H.count; k++) r[g->H.row[k]] -= g->H.value[k] * p[g->H.column[k]];
        for (int k = 0; k < g->G.count; k++) r[g->G.row[k]] -= g->G.value[k] * lambda[g->G.column[k]];
        for (int i = 0; i < g->M.rows; i++) assert_near(r[i], 0, 1e-11); /* M v = f + H p + G lambda */
        contact_problem_free(&c);
    }
}

/* A dense matrix as entries. */
static jn_entries all_entries(int rows, int columns, const double *value, int *row, int *column) {
    for (int k = 0; k < rows * columns; k++) row[k] = k / columns, column[k] = k % columns;
    return (jn_entries){rows, columns, rows * columns, row, column, value};
}

/* [H G]^T M^-1 [H G] and [H G]^T M^-1 f by LAPACK: the local form before its joints are eliminated. */
static void local_form(const jn_global_problem *g, double *S, double *t) {
    int nv = g->M.rows, n = g->H.columns, all = n + g->G.columns;
    double *M = calloc((size_t)(nv * nv), sizeof *M), *A = calloc((size_t)(nv * (all + 1)), sizeof *A), *B;
    int *pivot = calloc((size_t)nv, sizeof *pivot);
    for (int k = 0; k < g->M.count; k++) M[g->M.row[k] * nv + g->M.column[k]] += g->M.value[k];
    for (int k = 0; k < g->H.count; k++) A[g->H.row[k] * (all + 1) + g->H.column[k]] += g->H.value[k];
    for (int k = 0; k < g->G.count; k++) A[g->G.row[k] * (all + 1) + n + g->G.column[k]] += g->G.value[k];
    for (int i = 0; i < nv; i++) A[i * (all + 1) + all] = g->f[i];
    B = malloc((size_t)(nv * (all + 1)) * sizeof *B);
    memcpy(B, A, (size_t)(nv * (all + 1)) * sizeof *B);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, nv, all + 1, M, nv, pivot, B, all + 1), 0);
    for (int i = 0; i < all; i++)
        for (int j = 0; j <= all; j++) {
            double sum = 0;
            for (int k = 0; k < nv; k++) sum += A[k * (all + 1) + i] * B[k * (all + 1) + j];
            if (j < all)
                S[i * all + j] = sum;
            else
                t[i] = sum;
        }
    free(M), free(A), free(B), free(pivot);
}

/* Joints eliminated in the local form or in the global one: the same problem. */
static void bilateral_rows_of_the_local_form(void **state) {
    (void)state;
    for (int scene = 3; scene < 5; scene++) {
        contact_problem c;
        contact_problem_make(&scenes[scene], &c);
        int n = c.n, m = scenes[scene].joints, all = n + m, index[6][2500];
        double S[50 * 50], t[50], W[2500], V[2500], R[2500], p[50], u[50], w[50], v[100];
        local_form(&c.global, S, t);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) W[i * n + j] = S[i * all + j];
            for (int j = 0; j < m; j++) V[i * m + j] = S[i * all + n + j];
        }
        for (int i = 0; i < m * m; i++) R[i] = S[(n + i / m) * all + n + i % m];
        jn_problem_data *data = jn_problem_data_create();
        data->problem =
            (jn_problem){.dimension = c.rows->dimension, .contacts = c.rows->contacts, .mu = c.rows->mu, .q = t};
        jn_entries w_entries = all_entries(n, n, W, index[0], index[1]),
                   v_entries = all_entries(n, m, V, index[2], index[3]);
        jn_entries r_entries = all_entries(m, m, R, index[4], index[5]);
        assert_int_equal(jn_problem_data_set_bilateral(data, &w_entries, &v_entries, &r_entries, t + n), JN_OK);
        fill(6, n, p);
        jn_problem_velocity(&data->problem, p, NULL, u);
        jn_problem_velocity(c.rows, p, v, w);
        for (int i = 0; i < n; i++) assert_near(u[i], w[i], 1e-10);
        jn_problem_data_free(data);
        contact_problem_free(&c);
    }
}

static void a_singular_mass_is_an_error(void **state) {
    (void)state;
    const int zero[1] = {0}, one[1] = {0};
    const double value[1] = {0}, h[1] = {1}, f[1] = {0};
    jn_global_problem g = {.dimension = 1,
                           .contacts = 1,
                           .mu = f,
                           .f = f,
                           .w = f,
                           .M = {1, 1, 1, zero, one, value},
                           .H = {1, 1, 1, zero, one, h}};
    jn_problem_data *data = NULL;
    assert_int_equal(jn_global_reduce(&g, &data), JN_ERR_NUMERIC);
    assert_null(data);
    g.H.columns = 2;
    assert_int_equal(jn_global_reduce(&g, &data), JN_ERR_ARGUMENT);
}

/* Contacts 0, 2, 4 share velocities in a row, 1 and 3 have their own. */
static void islands_are_found(void **state) {
    (void)state;
    const int start[] = {0, 1, 2, 4, 5, 6}, dof[] = {0, 5, 0, 1, 3, 1}, w_start[] = {0, 2, 3, 6, 7, 9};
    const int w_column[] = {0, 2, 1, 0, 2, 4, 3, 2, 4};
    const double value[9] = {0};
    jn_contact_rows rows = {start, dof, value};
    jn_blocks W = {w_start, w_column, value};
    jn_problem p = {.dimension = 1, .contacts = 5, .velocities = 6, .H = &rows, .Y = &rows};
    jn_problem q = {.dimension = 1, .contacts = 5, .W = &W};
    int scratch[11], island[5];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(jn_problem_islands(k ? &q : &p, scratch, island), 3);
        assert_true(island[0] == 0 && island[1] == 1 && island[2] == 0 && island[3] == 2 && island[4] == 0);
    }
}

/* Values worked out by hand: p in the cone with u = 0; a contact that opens; one that slips against the law. */
static void residual_by_hand(void **state) {
    (void)state;
    const int start[] = {0, 1}, column[] = {0};
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu[1] = {0.5};
    jn_blocks W = {start, column, unit};
    double u[3], q[3] = {-2, 0.3, 0.4};
    jn_problem p = {.dimension = 3, .contacts = 1, .mu = mu, .q = q, .W = &W};
    double norm = sqrt(4.25);
    assert_near(jn_problem_residual(&p, (double[3]){2, -0.3, -0.4}, NULL, u), 0, 1e-16);
    /* p = 0: u = q, p - (u_N + mu |u_T|, u_T) = (1.75, -0.3, -0.4), in the cone: the residual is its length */
    assert_near(jn_problem_residual(&p, (double[3]){0}, NULL, u), sqrt(1.75 * 1.75 + 0.25) / norm, 1e-15);
    p.norm = 4;
    assert_near(jn_problem_residual(&p, (double[3]){0}, NULL, u), sqrt(1.75 * 1.75 + 0.25) / 4, 1e-15);
    double zero[3] = {0};
    p.q = zero, p.norm = 0;
    assert_near(jn_problem_residual(&p, (double[3]){0.5, 0, 0}, NULL, u), 0.5, 1e-15); /* absolute */
}

/* The error in m/s by hand: a sticking contact counts with its velocity, a pressed one that opens with what its impulse makes. */
static void speed_error_by_hand(void **state) {
    (void)state;
    const int start[] = {0, 1}, column[] = {0};
    const double mobility[9] = {2, 0, 0, 0, 5, 0, 0, 0, 5}, mu[1] = {0.5};
    jn_blocks W = {start, column, mobility};
    double mass, q[3] = {0};
    jn_problem p = {.dimension = 3, .contacts = 1, .mu = mu, .q = q, .W = &W};
    jn_problem_masses(&p, &mass);
    assert_near(mass, 0.25, 1e-16); /* 1 over the mean of 2, 5, 5 */
    for (int known = 0; known < 2; known++) {
        p.mass = known ? &mass : NULL;
        assert_near(jn_problem_speed_error(&p, (double[3]){9, 1, 0}, (double[3]){-3e-4, 0, 0}), 3e-4, 1e-14);
        assert_near(jn_problem_speed_error(&p, (double[3]){1e-3, 0, 0}, (double[3]){7, 0, 0}), 4e-3, 1e-15);
        assert_near(jn_problem_speed_error(&p, (double[3]){2, -1, 0}, (double[3]){0, 3, 0}), 0, 1e-15);
        assert_true(isnan(jn_problem_speed_error(&p, (double[3]){NAN, 0, 0}, (double[3]){0, 3, 0})));
    }
    const double stop[9] = {2}; /* a stop of a joint has no tangents */
    W.value = stop;
    jn_problem_masses(&p, &mass);
    assert_near(mass, 0.5, 1e-16);
}

/* The nearest point: every other point of the cone is farther. */
static void projection_is_nearest(void **state) {
    (void)state;
    unsigned long long seed = 8;
    for (int d = 1; d <= 3; d++)
        for (int k = 0; k < 2000; k++) {
            double x[3], y[3], z[3], mu = fabs(contact_random(&seed)), best = 0, other = 0;
            for (int i = 0; i < d; i++) x[i] = y[i] = contact_random(&seed), z[i] = contact_random(&seed);
            jn_cone_project(d, mu, y);
            double t = d == 1   ? 0
                       : d == 2 ? fabs(y[1])
                                : hypot(y[1], y[2]),
                   s = d == 1   ? 0
                       : d == 2 ? fabs(z[1])
                                : hypot(z[1], z[2]);
            assert_true(y[0] >= 0 && (d == 1 || t <= mu * y[0] + 1e-15));
            z[0] = s / fmax(mu, 1e-3) + fabs(z[0]);
            for (int i = 1; i < d && mu < 1e-3; i++) z[i] = 0;
            for (int i = 0; i < d; i++) best += (x[i] - y[i]) * (x[i] - y[i]), other += (x[i] - z[i]) * (x[i] - z[i]);
            assert_true(best <= other + 1e-14);
        }
}

/* Without friction the cone is a ray, for points on its axis too: what has no tangents, such as a stop, cannot pull. */
static void no_friction_is_a_ray(void **state) {
    (void)state;
    for (int d = 1; d <= 3; d++) {
        double pulls[3] = {-1, 0, 0}, presses[3] = {2, 0, 0}, slides[3] = {2, 1, -1}, u[3] = {1, 0, 0}, p[3] = {0};
        jn_cone_project(d, 0, pulls), jn_cone_project(d, 0, presses), jn_cone_project(d, 0, slides);
        for (int k = 0; k < d; k++) {
            assert_near(pulls[k], 0, 0);
            assert_near(presses[k], k ? 0 : 2, 0);
            assert_near(slides[k], k ? 0 : 2, 0);
        }
        assert_near(jn_natural_map(d, 0, p, u), 0, 0); /* apart, no impulse */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_friction_is_a_ray),
        cmocka_unit_test(rows_and_blocks_are_one_matrix),
        cmocka_unit_test(joints_are_eliminated),
        cmocka_unit_test(bilateral_rows_of_the_local_form),
        cmocka_unit_test(a_singular_mass_is_an_error),
        cmocka_unit_test(islands_are_found),
        cmocka_unit_test(residual_by_hand),
        cmocka_unit_test(speed_error_by_hand),
        cmocka_unit_test(projection_is_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
