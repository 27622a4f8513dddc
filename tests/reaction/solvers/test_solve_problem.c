/* Solving contact problems: closed forms, both forms of W, islands, warm starts, memory. */
#include "base/memory.h"
#include "check.h"
#include "contact_problem.h"
#include <stdlib.h>
#include <string.h>

static jn_solve_result solve(const jn_problem *problem, const jn_solver_info *solver, double tolerance, double *p) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    void *scratch = contact_scratch(problem, solver);
    settings.tolerance = tolerance;
    int status = jn_solve(problem, solver, &settings, scratch, p, &result);
    assert_int_equal(status, result.converged ? JN_OK : JN_NOT_CONVERGED);
    free(scratch);
    return result;
}

/* Gauss-Seidel and the automatic choice meet the tolerance on random problems, in both forms, with the same velocities. */
static void random_problems(void **state) {
    (void)state;
    for (int seed = 0; seed < 12; seed++) {
        contact_scene scene = {
            .seed = (unsigned long long)seed, .dimension = 1 + seed % 3, .bodies = 10, .contacts = 14, .mu = 0.3};
        contact_problem c;
        contact_problem_make(&scene, &c);
        double u[2][50], v[100], p[2][50];
        for (int k = 0; k < 2; k++) {
            const jn_solver_info *solver = k ? jn_solver_find("gauss_seidel") : NULL;
            for (int form = 0; form < 2; form++) {
                const jn_problem *problem = form ? &c.blocks : c.rows;
                memset(p[form], 0, sizeof p[form]);
                jn_solve_result r = solve(problem, solver, 1e-10, p[form]);
                if (!r.converged)
                    fail_msg("%s, seed %d: residual %g", solver ? solver->name : "auto", seed, r.residual);
                assert_non_null(r.solver);
                assert_true(r.tried >= 1 && r.iterations >= 1);
                assert_near(r.residual, jn_problem_residual(problem, p[form], v, u[form]), 1e-16);
            }
            for (int i = 0; i < c.n; i++) assert_near(u[0][i], u[1][i], 1e-6);
        }
        contact_problem_free(&c);
    }
}

/* A speed in place of the tolerance: solvers and islands stop at it, and the result gives both errors of the answer. */
static void speed_is_judged(void **state) {
    (void)state;
    for (int seed = 0; seed < 6; seed++) {
        contact_scene scene = {
            .seed = 90 + (unsigned long long)seed, .dimension = 2 + seed % 2, .bodies = 9, .contacts = 8, .mu = 0.2};
        contact_problem c;
        contact_problem_make(&scene, &c);
        int island[8], work[200], ended = 0;
        bool apart = jn_problem_islands(c.rows, work, island) > 1;
        for (int k = -1; k < 0 || jn_solver_get(k); k++) {
            const jn_solver_info *solver = k < 0 ? NULL : jn_solver_get(k);
            jn_solve_settings settings = jn_solve_default();
            jn_solve_result r;
            double p[24] = {0}, u[24], v[100];
            if (solver && !solver->can(c.rows)) continue;
            void *scratch = contact_scratch(c.rows, solver);
            settings.speed = 1e-7, settings.tolerance = 1e-300; /* of no account */
            int status = jn_solve(c.rows, solver, &settings, scratch, p, &r);
            free(scratch);
            if (status < 0 && solver) continue; /* cannot take an island */
            assert_near(r.residual, jn_problem_residual(c.rows, p, v, u), 1e-15);
            assert_near(r.speed_error, jn_problem_speed_error(c.rows, p, u), 1e-14);
            assert_int_equal(r.converged, r.speed_error <= 1e-7);
            assert_int_equal(status, r.converged ? JN_OK : JN_NOT_CONVERGED);
            assert_true(k >= 0 || r.converged);
            ended += r.converged;
        }
        assert_true(ended >= 6 || apart);
        contact_problem_free(&c);
    }
}

/* A block of mass m on a plane, held at four corners, pushed sideways: the impulses sum to what statics says. W has rank 6 of
 * 12, so the impulses themselves are not unique. */
static void block_on_four_corners(void **state) {
    (void)state;
    enum { D = 3, C = 4 };
    const double m = 2, I = 0.3, corner[C][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}, h = 0.5, fall = -0.1,
                 mu[C] = {.4, .4, .4, .4};
    int start[C + 1], dof[6 * C];
    double H[6 * C * D] = {0}, Y[6 * C * D], q[D * C], zero[6] = {0};
    for (int push = 0; push < 2; push++) {
        const double slide = push ? 0.2 : 0.02; /* mu m |fall| stops 0.04 */
        for (int c = 0; c < C; c++) {
            double x = corner[c][0], y = corner[c][1], z = -h; /* velocity at the corner: v + w x r; axes z, x, y */
            const double rows[D][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
            start[c] = 6 * c;
            for (int k = 0; k < 6; k++) {
                dof[6 * c + k] = k;
                for (int r = 0; r < D; r++) {
                    H[(6 * c + k) * D + r] = rows[r][k];
                    Y[(6 * c + k) * D + r] = rows[r][k] / (k < 3 ? m : I);
                }
            }
            q[D * c] = fall, q[D * c + 1] = slide, q[D * c + 2] = 0;
        }
        start[C] = 6 * C;
        jn_contact_rows rows = {start, dof, H}, columns = {start, dof, Y};
        jn_problem problem = {
            .dimension = D, .contacts = C, .velocities = 6, .mu = mu, .q = q, .H = &rows, .Y = &columns};
        double p[D * C] = {0}, sum[6];
        jn_solve_result r = solve(&problem, jn_solver_find("gauss_seidel"), 1e-13, p);
        assert_true(r.converged);
        memcpy(sum, zero, sizeof sum);
        for (int c = 0; c < C; c++)
            for (int k = 0; k < 6; k++)
                for (int d = 0; d < D; d++) sum[k] += H[(6 * c + k) * D + d] * p[D * c + d]; /* impulse on the block */
        assert_near(sum[2], -fall * m, 1e-11);
        assert_near(sum[0], push ? -mu[0] * -fall * m : -slide * m, 1e-11);
        assert_near(sum[1], 0, 1e-11);
        for (int k = 3; k < 6; k++) assert_near(sum[k], 0, 1e-11); /* it does not turn */
    }
}

/* The answer as a first guess is confirmed by a sweep or two. */
static void warm_start(void **state) {
    (void)state;
    contact_scene scene = {.seed = 31, .dimension = 3, .bodies = 40, .contacts = 60, .mu = 0.4};
    contact_problem c;
    contact_problem_make(&scene, &c);
    double p[180] = {0};
    const jn_solver_info *solver = jn_solver_find("gauss_seidel");
    jn_solve_result cold = solve(c.rows, solver, 1e-9, p), warm = solve(c.rows, solver, 1e-8, p);
    assert_true(cold.converged && warm.converged && cold.iterations > 5);
    assert_true(warm.iterations <= 2);
    double kept[180], v[500], u[180]; /* what meets the tolerance may be kept as it is */
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    void *scratch = contact_scratch(c.rows, NULL);
    memcpy(kept, p, sizeof kept);
    settings.tolerance = 2 * jn_problem_residual(c.rows, p, v, u), settings.keep = 1;
    assert_int_equal(jn_solve(c.rows, NULL, &settings, scratch, p, &result), JN_OK);
    assert_string_equal(result.solver, "guess");
    assert_memory_equal(kept, p, sizeof kept);
    free(scratch);
    contact_problem_free(&c);
}

/* Two problems side by side give the impulses of each alone. */
static void islands_are_solved_apart(void **state) {
    (void)state;
    contact_scene one = {.seed = 50, .dimension = 3, .bodies = 5, .contacts = 6, .mu = 0.3};
    contact_problem c;
    contact_problem_make(&one, &c);
    int n = c.rows->contacts, start[13], column[100], count = 0;
    double value[900], mu[12], q[36], p[36] = {0}, alone[18] = {0};
    for (int i = 0; i < 2 * n; i++) { /* contacts of the two problems alternate */
        start[i] = count;
        for (int k = c.W.start[i / 2]; k < c.W.start[i / 2 + 1]; k++, count++) {
            column[count] = 2 * c.W.column[k] + i % 2;
            memcpy(value + 9 * count, c.W.value + 9 * k, 9 * sizeof *value);
        }
        mu[i] = 0.3;
        memcpy(q + 3 * i, c.rows->q + 3 * (i / 2), 3 * sizeof *q);
    }
    start[2 * n] = count;
    jn_blocks W = {start, column, value};
    jn_problem both = {.dimension = 3, .contacts = 2 * n, .mu = mu, .q = q, .W = &W};
    assert_true(solve(&both, NULL, 1e-12, p).converged);
    assert_true(solve(&c.blocks, NULL, 1e-12, alone).converged);
    double u[36], w[18];
    jn_problem_velocity(&both, p, NULL, u);
    jn_problem_velocity(&c.blocks, alone, NULL, w);
    for (int i = 0; i < 2 * n; i++)
        for (int k = 0; k < 3; k++) {
            assert_true(p[3 * i + k] == p[3 * (i - i % 2) + k]); /* the same problem, the same bits */
            assert_near(u[3 * i + k], w[3 * (i / 2) + k], 1e-9);
        }
    contact_problem_free(&c);
}

static bool refuse(void *context, size_t size) {
    (void)size;
    ++*(int *)context;
    return false;
}

static void no_memory_is_taken(void **state) {
    (void)state;
    contact_scene scene = {.seed = 12, .dimension = 3, .bodies = 10, .contacts = 20, .mu = 0.4};
    contact_problem c;
    contact_problem_make(&scene, &c);
    double p[60] = {0};
    int asked = 0;
    void *scratch = contact_scratch(c.rows, NULL);
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    jn_memory_hook(refuse, &asked);
    int status = jn_solve(c.rows, NULL, &settings, scratch, p, &result);
    jn_memory_hook(NULL, NULL);
    assert_int_equal(status, JN_OK);
    assert_int_equal(asked, 0);
    free(scratch);
    contact_problem_free(&c);
}

/* An unconverged answer says so, and is the best that was found. */
static void not_converged_is_said(void **state) {
    (void)state;
    contact_scene scene = {.seed = 14, .dimension = 3, .bodies = 10, .contacts = 30, .mu = 0.4};
    contact_problem c;
    contact_problem_make(&scene, &c);
    double p[90] = {0}, u[90], v[60];
    const jn_solver_info *solver = jn_solver_find("gauss_seidel");
    void *scratch = contact_scratch(c.rows, solver);
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    settings.iterations = 2, settings.tolerance = 1e-12;
    assert_int_equal(jn_solve(c.rows, solver, &settings, scratch, p, &result), JN_NOT_CONVERGED);
    assert_false(result.converged);
    assert_true(result.residual > 1e-12 && result.residual < 10);
    assert_near(result.residual, jn_problem_residual(c.rows, p, v, u), 1e-16);
    assert_int_equal(result.tried, 1);
    free(scratch);
    contact_problem_free(&c);
}

static void nothing_touches(void **state) {
    (void)state;
    jn_problem empty = {.dimension = 3};
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    double p[1], scratch[8];
    assert_int_equal(jn_solve(&empty, NULL, &settings, scratch, p, &result), JN_OK);
    assert_true(result.converged);
    assert_null(jn_solver_find("gauss_siedel"));
}

/* No contact approaches: no impulses, whatever the guess. One that does is enough to need some. W beside the rows
 * changes nothing. */
static void contacts_part(void **state) {
    (void)state;
    for (int d = 1; d <= 3; d++) {
        contact_scene scene = {.seed = 31, .dimension = d, .bodies = 6, .contacts = 9, .mu = 0.4, .neighbours = true};
        contact_problem c;
        contact_problem_make(&scene, &c);
        jn_problem both = *c.rows;
        double q[30], p[30], v[100], u[30];
        both.W = c.blocks.W, both.q = q;
        for (int approach = 0; approach < 2; approach++) {
            for (int i = 0; i < c.n; i++) q[i] = i % d == 0 ? 0.1 * (i % 4) : 0.3, p[i] = 1;
            if (approach) q[4 * d] = -0.5;
            jn_solve_result r = solve(&both, NULL, 1e-10, p);
            assert_true(r.converged);
            assert_below(jn_problem_residual(&both, p, v, u), 1e-10);
            assert_int_equal(strcmp(r.solver, "no_impulse") == 0, !approach);
            for (int i = 0; !approach && i < c.n; i++) assert_true(p[i] == 0);
            if (approach) assert_true(p[4 * d] > 0);
        }
        contact_problem_free(&c);
    }
}

/* Up to four contacts in a plane, given by rows: the answer is right to round-off, from any guess, and without
 * friction, where there is but one, it is that of Lemke's pivots. */
static void few_contacts(void **state) {
    (void)state;
    int direct = 0, all = 0;
    unsigned long long guess = 77;
    for (unsigned long long seed = 1; seed <= 200; seed++) {
        contact_scene scene = {.seed = seed, .dimension = 1 + seed % 2, .bodies = 2, .contacts = 1 + seed / 2 % 4};
        contact_problem c;
        scene.mu = 0.3;
        contact_problem_make(&scene, &c);
        double p[8], other[8] = {0}, v[100], u[8];
        for (int i = 0; i < c.n; i++) p[i] = contact_random(&guess);
        jn_solve_result r = solve(c.rows, NULL, 1e-10, p);
        bool few = strcmp(r.solver, "few_contacts") == 0;
        assert_true(r.converged);
        assert_below(jn_problem_residual(c.rows, p, v, u), few ? 1e-11 : 1e-10);
        if (strcmp(r.solver, "no_impulse") != 0) direct += few, all++;
        jn_solve_result e = solve(c.rows, jn_solver_find("lemke"), 1e-10, other);
        if (few && e.converged && scene.dimension == 1)
            for (int i = 0; i < c.n; i++) assert_near(p[i], other[i], 1e-8);
        contact_problem_free(&c);
    }
    assert_true(all > 100 && direct > 0.9 * all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems),
        cmocka_unit_test(speed_is_judged),
        cmocka_unit_test(block_on_four_corners),
        cmocka_unit_test(warm_start),
        cmocka_unit_test(islands_are_solved_apart),
        cmocka_unit_test(no_memory_is_taken),
        cmocka_unit_test(not_converged_is_said),
        cmocka_unit_test(nothing_touches),
        cmocka_unit_test(contacts_part),
        cmocka_unit_test(few_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
