/* Contacts that give way to their impulses: rows with a compliance beside them are blocks with it on their diagonals, for every solver and for patches, packs and islands of the automatic choice;
 * what the answer misses is told by the sum written out. */
#include "check.h"
#include "contact_problem.h"
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 20, ROWS = 3 * CONTACTS, SPEEDS = 200 };

typedef struct compliant {
    contact_problem c;
    jn_problem rows, blocks;
    double compliance[CONTACTS];
} compliant;

/* Some contacts stay rigid. The blocks receive what the rows have beside them. */
static void open_problem(int seed, double size, compliant *x) {
    contact_scene scene = {
        .seed = 300 + (unsigned long long)seed, .dimension = 1 + seed % 3, .bodies = 12, .contacts = CONTACTS, .mu = 0.4, .neighbours = seed % 2};
    unsigned long long number = 7 + (unsigned long long)seed;
    contact_problem_make(&scene, &x->c);
    int d = scene.dimension;
    for (int i = 0; i < CONTACTS; i++) {
        x->compliance[i] = i % 5 == 4 ? 0 : size * (1.5 + contact_random(&number));
        for (int k = x->c.W.start[i]; k < x->c.W.start[i + 1]; k++)
            for (int r = 0; r < d && x->c.W.column[k] == i; r++) ((double *)(size_t)x->c.W.value)[(k * d + r) * d + r] += x->compliance[i];
    }
    x->rows = *x->c.rows, x->blocks = x->c.blocks;
    x->rows.compliance = x->compliance;
}

static jn_solve_result solve(const jn_problem *problem, const jn_solver_info *solver, double *p) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    void *scratch = contact_scratch(problem, solver);
    settings.tolerance = 1e-9;
    jn_solve(problem, solver, &settings, scratch, p, &result);
    free(scratch);
    return result;
}

/* [m/s] largest difference between the velocities of both forms at the same impulses, and of the rows from H Y^T p + C p + q. */
static double difference(const compliant *x, const double *p) {
    double u[ROWS], w[ROWS], v[SPEEDS], sum[ROWS], most = 0;
    jn_problem plain = x->rows;
    int d = plain.dimension;
    plain.compliance = NULL;
    jn_problem_velocity(&x->rows, p, v, u), jn_problem_velocity(&x->blocks, p, v, w), jn_problem_velocity(&plain, p, v, sum);
    for (int k = 0; k < x->c.n; k++) {
        sum[k] += x->compliance[k / d] * p[k];
        most = fmax(most, fmax(fabs(u[k] - w[k]), fabs(u[k] - sum[k])));
    }
    return most;
}

static void solvers_know_compliance(void **state) {
    (void)state;
    for (int k = -1; k < 0 || jn_solver_get(k); k++) {
        const jn_solver_info *solver = k < 0 ? NULL : jn_solver_get(k);
        int solved = 0, both = 0;
        double apart = 0, wrong = 0;
        for (int seed = 0; seed < 30; seed++) {
            compliant x;
            double p[2][ROWS] = {{0}}, v[SPEEDS], u[ROWS];
            open_problem(seed, 0.05, &x);
            bool can = !solver || (solver->can(&x.rows) && solver->can(&x.blocks));
            if (can) {
                jn_solve_result r = solve(&x.rows, solver, p[0]), b = solve(&x.blocks, solver, p[1]);
                both += b.converged, solved += b.converged && r.converged;
                wrong = fmax(wrong, difference(&x, p[0]));
                if (r.converged) assert_true(jn_problem_residual(&x.blocks, p[0], v, u) <= 2e-9);
                for (int i = 0; i < x.c.n && r.converged && b.converged; i++) apart = fmax(apart, fabs(p[0][i] - p[1][i]));
            }
            contact_problem_free(&x.c);
        }
        print_message("%s: %d solved of %d by blocks, impulses differ by %.1e, velocities by %.1e\n", solver ? solver->name : "automatic", solved, both, apart, wrong);
        assert_int_equal(solved, both);
        assert_true(both >= 10 || solver);
        assert_true(wrong < 1e-12);
        if (!solver) assert_int_equal(both, 30);
        assert_true(apart < 1e-4); /* as many compliances as residuals make, where some contacts are rigid */
    }
}

/* A contact under a load gives way to it: C p = -(W p + q), in closed form, in one and in three dimensions. */
static void one_contact_gives_way(void **state) {
    (void)state;
    const double mu = 0.5, c = 0.25, q[3] = {-1, 0.2, 0};
    int start[] = {0, 3}, dof[] = {0, 1, 2};
    double H[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {0};
    jn_contact_rows rows = {start, dof, H};
    jn_problem problem = {.dimension = 3, .contacts = 1, .velocities = 3, .mu = &mu, .q = q, .H = &rows, .Y = &rows, .compliance = &c};
    assert_true(solve(&problem, NULL, p).converged);
    assert_near(p[0], 1 / 1.25, 1e-9);
    assert_near(p[1], -0.2 / 1.25, 1e-9); /* sticks, stretched by as much */
    assert_near(p[2], 0, 1e-12);
}

/* The blocks that a file of FCLIB gets. */
static void blocks_contain_it(void **state) {
    (void)state;
    compliant x;
    open_problem(2, 0.3, &x);
    int *work = malloc(jn_blocks_scratch(&x.rows) * sizeof *work);
    size_t count = jn_blocks_count(&x.rows, work), size = (size_t)(x.rows.dimension * x.rows.dimension);
    int start[CONTACTS + 1], *column = malloc(count * sizeof *column);
    double *value = malloc(count * size * sizeof *value);
    jn_blocks_form(&x.rows, work, start, column, value);
    assert_int_equal(start[CONTACTS], x.c.W.start[CONTACTS]);
    for (size_t k = 0; k < count * size; k++) assert_near(value[k], x.c.W.value[k], 1e-12);
    free(work), free(column), free(value);
    contact_problem_free(&x.c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_know_compliance),
        cmocka_unit_test(one_contact_gives_way),
        cmocka_unit_test(blocks_contain_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
