/* Robots with more contacts or velocities than Newton's method takes at once: the contacts that take part are solved alone, and the answer is that of
 * all. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/solvers.h"
#include "reaction/solvers/working_set.h"
#include <stdlib.h>
#include <string.h>

enum { CASES = 60, CONTACTS = 400, VELOCITIES = 120, LIMB = 12, FREE = 6, ROW = FREE + LIMB };

static uint64_t seed = 3;

/* Between low and high. */
static double number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

typedef struct robot {
    int start[CONTACTS + 1], dof[ROW * CONTACTS];
    double H[3 * ROW * CONTACTS], Y[3 * ROW * CONTACTS], q[3 * CONTACTS], mu[CONTACTS], by_mass[VELOCITIES];
    jn_contact_rows h, y;
    jn_problem problem;
} robot;

/* A floating body with limbs of twelve joints, contacts on all of them; most are open. */
static void make_robot(robot *r, int contacts, int velocities, double mu) {
    double fall[VELOCITIES];
    for (int k = 0; k < velocities; k++)
        r->by_mass[k] = k < FREE ? 0.05 : number(0.1, 10), fall[k] = k == 2 ? -1 : number(-0.3, 0.3);
    for (int i = 0; i < contacts; i++) {
        int limb = (int)number(0, (velocities - FREE) / LIMB), at = r->start[i] = ROW * i;
        for (int c = 0; c < 3; c++) r->q[3 * i + c] = 0;
        for (int l = 0; l < ROW; l++, at++) {
            int k = r->dof[at] = l < FREE ? l : FREE + LIMB * limb + l - FREE;
            for (int c = 0; c < 3; c++) {
                double unit = l < 3 ? (l == (c + 2) % 3) : number(-0.5, 0.5);
                r->H[3 * at + c] = unit, r->Y[3 * at + c] = unit * r->by_mass[k];
                r->q[3 * i + c] += unit * fall[k];
            }
        }
        if (number(0, 1) < 0.8) r->q[3 * i] = number(0.1, 20); /* far from closing */
        r->mu[i] = mu;
    }
    r->start[contacts] = ROW * contacts;
    r->h = (jn_contact_rows){r->start, r->dof, r->H}, r->y = (jn_contact_rows){r->start, r->dof, r->Y};
    r->problem = (jn_problem){.dimension = 3, .contacts = contacts, .velocities = velocities};
    r->problem.mu = r->mu, r->problem.q = r->q, r->problem.H = &r->h, r->problem.Y = &r->y;
}

static int solve(const robot *r, double *p, jn_solve_result *result) {
    jn_solve_settings settings = jn_solve_default();
    settings.speed = 1e-6;
    void *scratch = malloc(jn_solve_scratch(&r->problem, NULL));
    assert_non_null(scratch);
    int status = jn_solve(&r->problem, NULL, &settings, scratch, p, result);
    free(scratch);
    return status;
}

/* Most are solved at once, all in the end; the error is that of all contacts. */
static void test_robots(void **state) {
    static robot r;
    static double p[3 * CONTACTS];
    int at_once = 0;
    (void)state;
    for (int n = 0; n < CASES; n++) {
        jn_solve_result result;
        make_robot(&r, (int)number(130, CONTACTS), FREE + LIMB * (int)number(2, 9), number(0, 0.8));
        assert_true(jn_working_set_suits(&r.problem));
        memset(p, 0, sizeof p);
        assert_int_equal(solve(&r, p, &result), JN_OK);
        assert_true(result.speed_error <= 1e-6);
        at_once += result.tried == 1;
    }
    print_message("%d of %d at once\n", at_once, CASES);
    assert_true(at_once >= CASES * 9 / 10);
}

/* In any order of the contacts: without friction the impulses of least norm are unique. */
static void test_order(void **state) {
    static robot a, b;
    static double p[3 * CONTACTS], x[3 * CONTACTS];
    int place[CONTACTS];
    (void)state;
    for (int n = 0; n < 10; n++) {
        jn_solve_result result;
        int contacts = 300, velocities = 78;
        make_robot(&a, contacts, velocities, 0);
        b = a, b.h = (jn_contact_rows){b.start, b.dof, b.H}, b.y = (jn_contact_rows){b.start, b.dof, b.Y};
        b.problem.mu = b.mu, b.problem.q = b.q, b.problem.H = &b.h, b.problem.Y = &b.y;
        for (int i = 0; i < contacts; i++) {
            int to = place[i] = (i * 7 + 11) % contacts;
            memcpy(b.dof + ROW * to, a.dof + ROW * i, ROW * sizeof *b.dof);
            memcpy(b.H + 3 * ROW * to, a.H + 3 * ROW * i, 3 * ROW * sizeof *b.H);
            memcpy(b.Y + 3 * ROW * to, a.Y + 3 * ROW * i, 3 * ROW * sizeof *b.Y);
            memcpy(b.q + 3 * to, a.q + 3 * i, 3 * sizeof *b.q);
        }
        memset(p, 0, sizeof p), memset(x, 0, sizeof x);
        assert_int_equal(solve(&a, p, &result), JN_OK);
        assert_int_equal(solve(&b, x, &result), JN_OK);
        for (int i = 0; i < contacts; i++) assert_true(fabs(p[3 * i] - x[3 * place[i]]) <= 1e-7);
    }
}

/* Few contacts of few velocities, and bodies that are no tree, are for others. */
static void test_others(void **state) {
    static robot r;
    (void)state;
    make_robot(&r, 100, 54, 0.5);
    assert_false(jn_working_set_suits(&r.problem));
    make_robot(&r, 100, 78, 0.5);
    assert_true(jn_working_set_suits(&r.problem));
    for (int l = 0; l < ROW; l++) r.dof[ROW * 50 + l] = FREE + l; /* a body of its own */
    assert_false(jn_working_set_suits(&r.problem));
}

/* A row of bodies of unit mass and inertia on a floor, each with a contact to the next, and one of them in a corner: floor and wall with friction 1 hold it against each other. */
enum { ROW_BODIES = 100, ROW_CONTACTS = 3 * ROW_BODIES - 1, CORNERED = 50, FLOOR = 3 * CORNERED, WALL = FLOOR + 1 };

typedef struct row {
    int start[ROW_CONTACTS + 1], dof[12 * ROW_CONTACTS], count, entries;
    double H[36 * ROW_CONTACTS], q[3 * ROW_CONTACTS], mu[ROW_CONTACTS], mass[ROW_CONTACTS];
    jn_contact_rows rows;
    jn_problem problem;
} row;

/* v + w x r of a body along the axes n, n + 1 and n + 2. */
static void add_body(row *r, int body, int n, const double arm[3], double sign) {
    for (int l = 0; l < 6; l++, r->entries++) {
        r->dof[r->entries] = 6 * body + l;
        for (int c = 0; c < 3; c++) {
            int axis = (n + c) % 3, w = l - 3;
            double turn = (w + 1) % 3 == axis ? -arm[(w + 2) % 3] : (w + 2) % 3 == axis ? arm[(w + 1) % 3] : 0;
            r->H[3 * r->entries + c] = sign * (l < 3 ? l == axis : turn);
        }
    }
}

static void add_contact(row *r, int body, int other, int n, double mu, const double q[3]) {
    double arm[3] = {number(-0.1, 0.1), number(-0.1, 0.1), number(-0.1, 0.1)}, none[3] = {0, 0, 0};
    bool corner = body == CORNERED && other < 0;
    r->start[r->count] = r->entries;
    add_body(r, body, n, corner ? none : arm, other < 0 ? 1 : -1);
    if (other >= 0) add_body(r, other, n, none, 1);
    memcpy(r->q + 3 * r->count, q, 3 * sizeof *q);
    r->mu[r->count++] = mu, r->start[r->count] = r->entries;
}

static void make_row(row *r, double corner) {
    r->count = r->entries = 0;
    for (int i = 0; i < ROW_BODIES; i++) {
        bool held = i == CORNERED;
        add_contact(r, i, -1, 2, held ? 1 : 0.3, (double[3]){held ? corner : -0.02, 0, 0});
        add_contact(r, i, -1, held ? 0 : 2, held ? 1 : 0.3, (double[3]){held ? corner : -0.02, 0, 0});
        if (i + 1 < ROW_BODIES) add_contact(r, i, i + 1, 1, 0, (double[3]){0, 0, 0});
    }
    r->rows = (jn_contact_rows){r->start, r->dof, r->H};
    r->problem = (jn_problem){.dimension = 3,
                              .contacts = r->count,
                              .velocities = 6 * ROW_BODIES,
                              .mu = r->mu,
                              .q = r->q,
                              .H = &r->rows,
                              .Y = &r->rows};
}

/* Of 299 contacts in one island the two that jam are found, with impulses that move nothing and ask for the impossible; without what they ask for all of them are solved. */
static void test_jam_in_a_row(void **state) {
    static row r;
    static double p[3 * ROW_CONTACTS], hold[3 * ROW_CONTACTS], v[6 * ROW_BODIES];
    (void)state;
    for (int n = 0; n < 20; n++)
        for (int jams = 1; jams >= 0; jams--) {
            jn_solve_settings settings = jn_solve_default();
            jn_solve_result result;
            double power = 0, most = 0;
            make_row(&r, jams ? -1e-3 : 1e-3);
            settings.speed = 1e-6;
            memset(p, 0, sizeof p);
            void *scratch = malloc(jn_solve_scratch(&r.problem, NULL));
            int status = jn_solve_judged(&r.problem, NULL, &settings, false, scratch, p, hold, &result);
            free(scratch);
            assert_int_equal(status, jams ? JN_NOT_CONVERGED : JN_OK);
            assert_int_equal(result.converged, !jams);
            for (int i = 0; i < r.count; i++)
                assert_int_equal(hold[3 * i] > 1e-3 * hold[3 * FLOOR], jams && (i == FLOOR || i == WALL));
            jn_problem_impulse(&r.problem, hold, v);
            for (int k = 0; k < 3 * r.count; k++) power += hold[k] * r.q[k];
            for (int k = 0; k < 6 * ROW_BODIES; k++) most = jn_max(most, fabs(v[k]));
            assert_true(jams ? power < 0 : power == 0);
            assert_true(most <= 1e-3 * hold[3 * FLOOR]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_robots), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_jam_in_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
