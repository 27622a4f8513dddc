/* Contacts eight at a time: the same products, impulses and errors as one by one, whatever the inertia; what does not suit is
 * refused. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/sweeps/packs.h"
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 43, BODIES = 9, DOFS = 6 * BODIES };

typedef struct rows {
    int start[CONTACTS + 1], dof[12 * CONTACTS], colour[CONTACTS], order[CONTACTS];
    double H[36 * CONTACTS], Y[36 * CONTACTS], q[3 * CONTACTS], mu[CONTACTS], W[9 * CONTACTS], p[3 * CONTACTS];
    uint64_t mask[DOFS];
    jn_contact_rows rows, columns;
    jn_problem problem;
    jn_colouring colours;
    jn_packs packs;
    jn_wide *x, *v, *before;
    void *memory;
} rows;

/* Contacts between two bodies each, every fifth with the ground, every seventh without friction. like: inertia a multiple of 1. */
static rows *make(bool like) {
    unsigned long long seed = 3;
    int at = 0;
    rows *r = calloc(1, sizeof *r);
    for (int i = 0; i < CONTACTS; i++) {
        int a = i % (BODIES - 1), b = a + 1 + i % (BODIES - 1 - a);
        r->start[i] = at, r->mu[i] = i % 7 ? 0.1 * (i % 5 + 1) : 0;
        for (int k = 0; k < (i % 5 ? 12 : 6); k++, at++) {
            r->dof[at] = 6 * (k < 6 ? a : b) + k % 6;
            for (int c = 0; c < 3; c++) {
                r->H[3 * at + c] = contact_random(&seed);
                r->Y[3 * at + c] = r->H[3 * at + c] / (1.0 + (k < 6 ? a : b));
            }
        }
        for (int k = 3 * i; k < 3 * i + 3; k++) r->q[k] = contact_random(&seed), r->p[k] = contact_random(&seed);
    }
    r->start[CONTACTS] = at;
    for (int k = 0; k < 3 * at && !like; k += 3) /* one inertia that couples the velocities of a body */
        for (int c = 0; c < 3; c++) r->Y[k + c] = r->H[k + c] + 0.2 * r->H[(k / 18 * 18) + (k + 3) % 18 + c];
    r->rows = (jn_contact_rows){r->start, r->dof, r->H}, r->columns = (jn_contact_rows){r->start, r->dof, r->Y};
    r->problem = (jn_problem){.dimension = 3,
                              .contacts = CONTACTS,
                              .velocities = DOFS,
                              .mu = r->mu,
                              .q = r->q,
                              .H = &r->rows,
                              .Y = &r->columns};
    for (int i = 0; i < CONTACTS; i++) jn_problem_diagonal(&r->problem, i, r->W + 9 * i);
    r->colours.order = r->order;
    jn_colour_contacts(&r->problem, r->colour, r->mask, &r->colours);
    return r;
}

static void fill(rows *r) {
    for (int pass = 0; pass < 2; pass++) {
        jn_scratch s = {r->memory, 0};
        jn_packs_layout(&r->problem, &s, &r->packs);
        size_t lanes = 3 * (size_t)r->packs.capacity;
        r->x = jn_scratch_take(&s, lanes, sizeof *r->x), r->before = jn_scratch_take(&s, lanes, sizeof *r->x);
        r->v = jn_scratch_take(&s, (size_t)r->packs.slots + 1, sizeof *r->v);
        if (!pass) r->memory = aligned_alloc(64, (s.used + 63) / 64 * 64);
    }
    assert_true(jn_packs_fill(&r->problem, &r->colours, r->W, r->p, &r->packs));
    jn_packs_take(&r->packs, r->p, r->x);
    memcpy(r->before, r->x, 3 * (size_t)r->packs.count * sizeof *r->x);
    jn_packs_impulse(&r->packs, r->x, r->v);
}

static void release(rows *r) { free(r->memory), free(r); }

/* One contact as gauss_seidel without packs visits it. */
static void visit(const rows *r, int i, double *p, double *v) {
    double u[3], dp[3], *x = p + 3 * i, old[3] = {x[0], x[1], x[2]};
    const double *W = r->W + 9 * i;
    jn_local local = jn_local_prepare(3, W, r->mu[i]);
    jn_rows_gather(&r->rows, 3, i, v, u);
    for (int k = 0; k < 3; k++) {
        u[k] += r->q[3 * i + k] - (W[3 * k] * old[0] + W[3 * k + 1] * old[1] + W[3 * k + 2] * old[2]);
    }
    jn_local_solve3(&local, u, x);
    for (int k = 0; k < 3; k++) dp[k] = x[k] - old[k];
    jn_rows_scatter(&r->columns, 3, i, dp, v);
}

static void check_sweeps(bool like) {
    rows *r = make(like);
    double v[DOFS], p[3 * CONTACTS], u[3 * CONTACTS], mass[CONTACTS];
    fill(r);
    assert_int_equal(r->packs.scaled, like);
    memcpy(p, r->p, sizeof p);
    jn_problem_impulse(&r->problem, p, v);
    for (int n = 0; n < 40; n++) {
        double before[3 * CONTACTS];
        memcpy(before, p, sizeof p);
        r->packs.exact = 1e-8;
        jn_swept swept = jn_packs_sweep(&r->packs, 0, r->packs.count, r->before, r->x, r->v);
        for (int k = 0; k < CONTACTS; k++) visit(r, r->order[k], p, v);
        jn_packs_give(&r->packs, r->x, r->p);
        if (n == 0) {
            double change = 0;
            for (int i = 0; i < CONTACTS; i++)
                for (int k = 0; k < 3; k++) {
                    const double *W = r->W + 9 * i;
                    change += (W[0] + W[4] + W[8]) / 3 * pow(r->p[3 * i + k] - before[3 * i + k], 2);
                }
            assert_near(swept.change / change, 1, 1e-12);
        }
    }
    for (int k = 0; k < 3 * CONTACTS; k++) assert_near(r->p[k], p[k], 1e-9);
    jn_packs_impulse(&r->packs, r->x, r->v);
    jn_problem problem = r->problem;
    double relative = jn_problem_residual(&problem, r->p, v, u);
    double error = jn_packs_error(&r->packs, false, r->before, r->x, r->v) / jn_problem_norm(&problem);
    assert_near(error, relative, 1e-12 + 1e-9 * relative);
    jn_problem_masses(&problem, mass), problem.mass = mass;
    double speed = jn_problem_residual(&problem, r->p, v, u);
    assert_near(jn_packs_error(&r->packs, true, r->before, r->x, r->v), speed, 1e-12 + 1e-9 * speed);
    for (int b = 0; b < BODIES; b++)
        for (int k = 0; k < 6; k++) assert_near(r->v[b][k], v[6 * b + k], 1e-11);
    release(r);
}

static void one_number_per_velocity(void **state) {
    (void)state;
    check_sweeps(true);
}

static void any_inertia(void **state) {
    (void)state;
    check_sweeps(false);
}

/* A body with more contacts than colours: contacts of the last colour do not fit into full packs, and that is said. */
static void too_many_on_one_body(void **state) {
    (void)state;
    enum { MANY = 700 };
    static int start[MANY + 1], dof[6 * MANY], colour[MANY], order[MANY];
    static double H[18 * MANY], q[3 * MANY], mu[MANY], W[9 * MANY];
    uint64_t mask[6];
    for (int i = 0; i <= MANY; i++) start[i] = 6 * i;
    for (int k = 0; k < 6 * MANY; k++) dof[k] = k % 6, H[3 * k + k % 3] = 1;
    jn_contact_rows flat = {start, dof, H};
    jn_problem problem = {.dimension = 3, .contacts = MANY, .velocities = 6, .mu = mu, .q = q, .H = &flat, .Y = &flat};
    jn_colouring colours = {.order = order};
    jn_packs packs;
    jn_scratch s = {0};
    assert_true(jn_packs_suit(&problem));
    jn_colour_contacts(&problem, colour, mask, &colours);
    jn_packs_layout(&problem, &s, &packs);
    assert_false(jn_packs_fill(&problem, &colours, W, q, &packs));
    double p[3 * MANY] = {0};
    for (int i = 0; i < MANY; i++) q[3 * i] = -1;
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    const jn_solver_info *solver = jn_solver_find("gauss_seidel");
    void *scratch = contact_scratch(&problem, solver);
    assert_int_equal(jn_solve(&problem, solver, &settings, scratch, p, &result), JN_OK);
    free(scratch);
}

/* A gap in the velocities of a body, another number of them, bodies that overlap, and Y elsewhere do not suit. */
static void what_does_not_suit(void **state) {
    (void)state;
    rows *r = make(true);
    int other[12 * CONTACTS], shorter[CONTACTS + 1], shifted[12 * CONTACTS];
    memcpy(other, r->dof, sizeof other), memcpy(shorter, r->start, sizeof shorter);
    memcpy(shifted, r->dof, sizeof shifted);
    other[5] = DOFS - 1, shorter[CONTACTS]--;
    for (int k = r->start[1]; k < r->start[2]; k++) shifted[k] += 3;
    jn_contact_rows gap = {r->start, other, r->H}, few = {shorter, r->dof, r->H}, over = {r->start, shifted, r->H};
    jn_problem problem = r->problem;
    problem.Y = &r->rows;
    assert_true(jn_packs_suit(&problem));
    problem.Y = &gap;
    assert_false(jn_packs_suit(&problem));
    problem.H = &gap;
    assert_false(jn_packs_suit(&problem));
    problem.H = problem.Y = &few;
    assert_false(jn_packs_suit(&problem));
    problem.H = problem.Y = &over;
    assert_false(jn_packs_suit(&problem));
    problem.H = problem.Y = &r->rows, problem.dimension = 2;
    assert_false(jn_packs_suit(&problem));
    release(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_per_velocity),
        cmocka_unit_test(any_inertia),
        cmocka_unit_test(too_many_on_one_body),
        cmocka_unit_test(what_does_not_suit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
