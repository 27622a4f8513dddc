/* Contacts whose normal impulse is known beforehand, as dry friction of joints has it: their normal row is a velocity of its own. */
#include "check.h"
#include "contact_problem.h"

#include <jounce/reaction.h>
#include <stdlib.h>
#include <string.h>

enum { D = 3, NV = 12, FREE = 4, DRY = NV, CONTACTS = FREE + DRY, ENTRIES = CONTACTS * (NV + 1), CASES = 200 };

typedef struct tree {
    int start[CONTACTS + 1], dof[ENTRIES];
    double value[D * ENTRIES], mu[CONTACTS], q[D * CONTACTS];
    jn_contact_rows rows;
    jn_problem problem;
} tree;

static double number(unsigned *seed) { return 2.0 * rand_r(seed) / RAND_MAX - 1; }

/* Contacts on all velocities, and friction in each of them with a bound of up to 1. */
static void make(tree *x, unsigned seed) {
    int at = 0;
    memset(x, 0, sizeof *x);
    for (int i = 0; i < CONTACTS; i++) {
        bool dry = i >= FREE;
        x->start[i] = at, x->mu[i] = dry ? 1 : 0.5;
        for (int r = 0; r < D; r++) x->q[D * i + r] = dry && r == 2 ? 0 : number(&seed);
        for (int k = 0; k < NV; k++, at++) {
            x->dof[at] = k;
            for (int r = 0; r < D; r++)
                if (!dry || r == 1) x->value[D * at + r] = dry ? (k <= i - FREE) * number(&seed) : number(&seed);
        }
        if (!dry) continue;
        x->q[D * i] = -fabs(x->q[D * i]);
        x->dof[at] = NV + i - FREE, x->value[D * at++] = 1;
    }
    x->start[CONTACTS] = at;
    x->rows = (jn_contact_rows){x->start, x->dof, x->value};
    x->problem = (jn_problem){.dimension = D,
                              .contacts = CONTACTS,
                              .velocities = NV + DRY,
                              .mu = x->mu,
                              .q = x->q,
                              .H = &x->rows,
                              .Y = &x->rows};
}

static jn_solve_result solve(const jn_problem *problem, const char *name, double *p) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    const jn_solver_info *solver = name ? jn_solver_find(name) : NULL;
    void *scratch = contact_scratch(problem, solver);
    settings.speed = 1e-9;
    assert_true(jn_solve(problem, solver, &settings, scratch, p, &result) >= 0);
    free(scratch);
    return result;
}

/* Newton's method on the velocities that are shared ends most of them at once, with the velocities that the proximal method finds. */
static void newton_takes_bounds_as_given(void **state) {
    (void)state;
    static tree x;
    int direct = 0, alike = 0;
    for (unsigned seed = 1; seed <= CASES; seed++) {
        double p[D * CONTACTS] = {0}, other[D * CONTACTS] = {0}, u[D * CONTACTS], w[D * CONTACTS], v[NV + DRY];
        make(&x, seed);
        jn_solve_result result = solve(&x.problem, NULL, p), second = solve(&x.problem, "proximal", other);
        if (!result.converged) fail_msg("seed %u: %.3g m/s", seed, result.speed_error);
        direct += !strcmp(result.solver, "least_norm");
        jn_problem_velocity(&x.problem, p, v, u), jn_problem_velocity(&x.problem, other, v, w);
        bool same = second.converged;
        for (int i = 0; i < D * CONTACTS; i++) same = same && fabs(u[i] - w[i]) < 1e-6;
        alike += same;
        for (int i = FREE; i < CONTACTS; i++) assert_near(p[D * i], -x.q[D * i], 1e-8);
    }
    print_message("least_norm ends %d of %d, %d like the proximal method\n", direct, CASES, alike);
    assert_true(direct >= 195 && alike >= 195); /* Coulomb's law may have several solutions */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(newton_takes_bounds_as_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
