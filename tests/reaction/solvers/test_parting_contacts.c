/* Problems in which most contacts part: those are left out until a solution brings them together. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/problem/problem.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 80, CONTACTS = 240, N = 3 * CONTACTS, NV = 6 * BODIES + 6, SCENES = 100 };

typedef struct parting {
    contact_problem made;
    jn_problem problem;
    double q[N];
    double fastest; /* [m/s] approach of all contacts */
} parting;

/* Three quarters of the contacts part with 0 to 2 m/s, beside what they do in the random problem. */
static void make(unsigned long long seed, double mu, parting *c) {
    contact_scene scene = {
        .seed = seed, .dimension = 3, .bodies = BODIES, .contacts = CONTACTS, .mu = mu, .neighbours = true};
    unsigned long long draw = seed;
    contact_problem_make(&scene, &c->made);
    c->problem = *c->made.rows, c->problem.q = c->q, c->fastest = 0;
    memcpy(c->q, c->made.rows->q, sizeof c->q);
    for (int i = 0; i < CONTACTS; i++) {
        double more = contact_random(&draw);
        if (i % 4) c->q[3 * i] = fabs(c->q[3 * i]) + 2 * fabs(more);
        c->fastest = jn_max(c->fastest, -c->q[3 * i]);
    }
}

static jn_solve_result solve(const jn_problem *problem, const jn_solver_info *solver, double speed, double *p) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    void *scratch = contact_scratch(problem, solver);
    settings.speed = speed;
    int status = jn_solve(problem, solver, &settings, scratch, p, &result);
    assert_int_equal(status, result.converged ? JN_OK : JN_NOT_CONVERGED);
    free(scratch);
    return result;
}

/* Contacts with an impulse that parted faster than a tenth of the fastest approach: nothing but other contacts brought them together. */
static int brought_together(const parting *c, const double *p) {
    int count = 0;
    for (int i = 0; i < CONTACTS; i++) count += p[3 * i] > 0 && c->q[3 * i] > 0.1 * c->fastest;
    return count;
}

/* Every contact meets its law to the speed that is asked for, those that were left out too. */
static void all_contacts_meet_their_laws(void **state) {
    (void)state;
    static parting c;
    static double p[N], v[NV], u[N];
    int late = 0, open = 0;
    for (unsigned long long seed = 1; seed <= SCENES; seed++) {
        make(seed, 0.1 * (double)(seed % 6), &c);
        memset(p, 0, sizeof p);
        jn_solve_result r = solve(&c.problem, NULL, 1e-6, p);
        jn_problem_velocity(&c.problem, p, v, u);
        double error = jn_problem_speed_error(&c.problem, p, u);
        assert_true(r.converged);
        assert_below(error, 1e-6 * (1 + 1e-9));
        assert_near(error, r.speed_error, 1e-12);
        late += brought_together(&c, p);
        for (int i = 0; i < CONTACTS; i++) open += p[3 * i] == 0;
        contact_problem_free(&c.made);
    }
    print_message("%d of %d contacts are open, %d were brought together by others\n", open, SCENES * CONTACTS, late);
    assert_true(late > SCENES);
    assert_true(open > SCENES * CONTACTS / 2);
}

/* Without friction the velocities are unique: those of sweeps over all contacts. */
static void velocities_are_those_of_all_contacts(void **state) {
    (void)state;
    static parting c;
    static double p[2][N], v[2][NV], u[N];
    for (unsigned long long seed = 1; seed <= 20; seed++) {
        make(500 + seed, 0, &c);
        memset(p, 0, sizeof p);
        assert_true(solve(&c.problem, NULL, 1e-9, p[0]).converged);
        assert_true(solve(&c.problem, jn_solver_find("gauss_seidel"), 1e-9, p[1]).converged);
        for (int k = 0; k < 2; k++) jn_problem_velocity(&c.problem, p[k], v[k], u);
        for (int k = 0; k < c.problem.velocities; k++) assert_near(v[0][k], v[1][k], 1e-6);
        contact_problem_free(&c.made);
    }
}

/* Islands among contacts that take part: two chains that a contact which takes none would join. */
static void islands_are_those_of_contacts_that_take_part(void **state) {
    (void)state;
    int start[] = {0, 2, 4, 6, 8, 10}, dof[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5}, work[5 + 6], island[5];
    double value[10] = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
    jn_contact_rows rows = {start, dof, value};
    jn_problem problem = {.dimension = 1, .contacts = 5, .velocities = 6, .H = &rows, .Y = &rows};
    bool in[] = {true, true, false, true, true};
    assert_int_equal(jn_problem_islands_among(&problem, in, work, island), 2);
    assert_int_equal(island[0], 0), assert_int_equal(island[1], 0), assert_int_equal(island[2], -1);
    assert_int_equal(island[3], 1), assert_int_equal(island[4], 1);
    assert_int_equal(jn_problem_islands_among(&problem, NULL, work, island), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_contacts_meet_their_laws),
        cmocka_unit_test(velocities_are_those_of_all_contacts),
        cmocka_unit_test(islands_are_those_of_contacts_that_take_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
