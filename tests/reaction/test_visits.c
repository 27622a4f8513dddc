/* Contacts in the order of visits: the same products as by rows, whatever the inertia; what does not suit is refused. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/visits.h"
#include <stdlib.h>

enum { CONTACTS = 40, BODIES = 9 };

typedef struct rows {
    int start[CONTACTS + 1], dof[12 * CONTACTS];
    double H[36 * CONTACTS], Y[36 * CONTACTS], q[3 * CONTACTS], mu[CONTACTS];
} rows;

/* Contacts between two bodies each, every fifth with the ground. `like`: inertia a multiple of 1. */
static void fill(rows *r, bool like) {
    unsigned long long seed = 3;
    int at = 0;
    for (int i = 0; i < CONTACTS; i++) {
        int a = i % (BODIES - 1), b = a + 1 + i % (BODIES - 1 - a);
        r->start[i] = at;
        for (int k = 0; k < (i % 5 ? 12 : 6); k++, at++) {
            r->dof[at] = 6 * (k < 6 ? a : b) + k % 6;
            for (int c = 0; c < 3; c++) {
                r->H[3 * at + c] = contact_random(&seed);
                r->Y[3 * at + c] = like ? (r->dof[at] + 1.0) / 3 * r->H[3 * at + c] : contact_random(&seed);
            }
        }
    }
    r->start[CONTACTS] = at;
}

static void check_products(bool like) {
    rows *r = calloc(1, sizeof *r);
    fill(r, like);
    jn_contact_rows H = {r->start, r->dof, r->H}, Y = {r->start, r->dof, r->Y};
    jn_problem problem = {3, CONTACTS, 6 * BODIES, r->mu, r->q, 0, NULL, &H, &Y};
    int order[CONTACTS];
    double W[9 * CONTACTS] = {0}, size[CONTACTS] = {0}, v[6 * BODIES], w[6 * BODIES], u[3], x[3];
    jn_local *local = calloc(CONTACTS, sizeof *local);
    jn_visits visits;
    jn_scratch s = {0};
    unsigned long long seed = 5;
    assert_true(jn_visits_suit(&problem));
    jn_visits_layout(&problem, &s, &visits);
    s = (jn_scratch){aligned_alloc(64, s.used), 0};
    jn_visits_layout(&problem, &s, &visits);
    for (int k = 0; k < CONTACTS; k++) order[k] = (7 * k + 3) % CONTACTS;
    jn_visits_fill(&problem, order, W, size, local, &visits);
    assert_int_equal(visits.scaled, like);
    for (int k = 0; k < 6 * BODIES; k++) v[k] = w[k] = contact_random(&seed);
    for (int k = 0; k < CONTACTS; k++) {
        const double dp[3] = {contact_random(&seed), contact_random(&seed), contact_random(&seed)};
        assert_int_equal(visits.at[k].contact, order[k]);
        jn_rows_gather(&H, 3, order[k], v, u), jn_rows_scatter(&Y, 3, order[k], dp, v);
        jn_visit_gather(&visits.at[k], w, x), jn_visit_scatter(&visits, k, dp, w);
        for (int c = 0; c < 3; c++) assert_near(x[c], u[c], 1e-11);
        for (int c = 0; c < 6 * BODIES; c++) assert_near(w[c], v[c], 1e-11);
    }
    free(s.base), free(local), free(r);
}

static void test_one_number_per_velocity(void **state) {
    (void)state;
    check_products(true);
}

static void test_any_inertia(void **state) {
    (void)state;
    check_products(false);
}

/* A gap in the velocities of a body, another number of them, and Y elsewhere do not suit. */
static void test_what_does_not_suit(void **state) {
    (void)state;
    rows *r = calloc(1, sizeof *r);
    fill(r, true);
    int other[12 * CONTACTS], shorter[CONTACTS + 1];
    memcpy(other, r->dof, sizeof other), memcpy(shorter, r->start, sizeof shorter);
    other[5] = 6 * BODIES - 1, shorter[CONTACTS]--;
    jn_contact_rows H = {r->start, r->dof, r->H}, gap = {r->start, other, r->H}, few = {shorter, r->dof, r->H};
    jn_problem problem = {3, CONTACTS, 6 * BODIES, r->mu, r->q, 0, NULL, &H, &H};
    assert_true(jn_visits_suit(&problem));
    problem.Y = &gap;
    assert_false(jn_visits_suit(&problem));
    problem.H = &gap;
    assert_false(jn_visits_suit(&problem));
    problem.H = problem.Y = &few;
    assert_false(jn_visits_suit(&problem));
    problem.H = problem.Y = &H, problem.dimension = 2;
    assert_false(jn_visits_suit(&problem));
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_number_per_velocity),
        cmocka_unit_test(test_any_inertia),
        cmocka_unit_test(test_what_does_not_suit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
