/* Newton's matrix over free bodies: products with it, its factors, and problems of walls that sweeps leave. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/least_norm_work.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 30, CONTACTS = 200, N = 3 * CONTACTS, NV = 6 * BODIES };

static contact_scene scene_of(unsigned long long seed, double mu) {
    return (contact_scene){
        .seed = seed, .dimension = 3, .bodies = BODIES, .contacts = CONTACTS, .mu = mu, .neighbours = seed % 2};
}

/* Returns the memory, to be freed. */
static void *start_bodies(const jn_problem *rows, jn_bodies *s) {
    jn_scratch measure = {0};
    jn_bodies_layout(rows, &measure, s);
    jn_scratch take = {.base = aligned_alloc(64, measure.used + 64)};
    assert_non_null(take.base);
    jn_bodies_layout(rows, &take, s);
    assert_true(jn_bodies_suit(rows) && jn_bodies_start(s));
    return take.base;
}

/* x with (1 + Y^T C H) x = b, by the products alone. */
static void the_factors_solve_the_matrix(void **state) {
    (void)state;
    for (unsigned long long seed = 1; seed <= 20; seed++) {
        contact_scene scene = scene_of(seed, 0.5);
        contact_problem c;
        contact_problem_make(&scene, &c);
        jn_bodies s;
        void *memory = start_bodies(c.rows, &s);
        assert_true(s.count <= BODIES);
        static double C[9 * CONTACTS], x[NV], b[NV], u[N], p[N], back[NV];
        unsigned long long draw = seed;
        for (int i = 0; i < CONTACTS; i++) {
            bool open = i % 5 == 0;
            for (int k = 0; k < 9; k++) C[9 * i + k] = open ? 0 : (k % 4 == 0 ? 2 : 0) + 0.5 * contact_random(&draw);
        }
        for (int k = 0; k < 6 * s.count; k++) x[k] = b[k] = contact_random(&draw);
        assert_true(jn_bodies_factor(&s, C));
        jn_bodies_solve(&s, x);
        jn_bodies_gather(&s, x, u);
        for (int i = 0; i < N; i++) {
            p[i] = 0;
            for (int l = 0; l < 3; l++) p[i] += C[3 * i + l] * u[i / 3 * 3 + l];
        }
        jn_bodies_scatter(&s, p, back);
        for (int k = 0; k < 6 * s.count; k++) assert_near(x[k] + back[k], b[k], 1e-9);
        free(memory);
        contact_problem_free(&c);
    }
}

/* Products with the rows are those of the problem. */
static void the_products_are_those_of_the_problem(void **state) {
    (void)state;
    contact_scene scene = scene_of(3, 0.5);
    contact_problem c;
    contact_problem_make(&scene, &c);
    jn_bodies s;
    void *memory = start_bodies(c.rows, &s);
    static double p[N], v[NV], u[N], all[NV], expected[N];
    unsigned long long seed = 4;
    for (int i = 0; i < N; i++) p[i] = contact_random(&seed);
    jn_bodies_scatter(&s, p, v), jn_bodies_gather(&s, v, u);
    jn_problem_velocity(c.rows, p, all, expected);
    for (int i = 0; i < N; i++) assert_near(u[i] + c.rows->q[i], expected[i], 1e-11);
    free(memory);
    contact_problem_free(&c);
}

/* Seven contacts for each body, more than hold it: solved to the speed that is asked for, by this method alone and from zero impulses. (With friction of
 * 0.8 it ends about half of such problems, whose contacts lie at random.) */
static void redundant_contacts_are_solved(void **state) {
    (void)state;
    int solved = 0, steps = 0, count = 40;
    for (unsigned long long seed = 1; seed <= (unsigned long long)count; seed++) {
        contact_scene scene = scene_of(seed, 0.3);
        contact_problem c;
        contact_problem_make(&scene, &c);
        static double mass[CONTACTS], p[N], v[NV], u[N];
        jn_problem problem = *c.rows;
        jn_problem_masses(&problem, mass);
        problem.mass = mass;
        assert_true(jn_proximal_bodies_suit(&problem));
        char *memory = aligned_alloc(64, (jn_proximal_bodies_scratch(&problem) + 127) / 64 * 64);
        jn_solve_settings settings = jn_solve_default();
        jn_solve_result result = {0};
        settings.tolerance = 1e-6, settings.iterations = 600;
        memset(p, 0, sizeof p);
        assert_true(jn_proximal_bodies_solve(&problem, &settings, memory, p, &result) >= 0);
        double error = jn_problem_residual(&problem, p, v, u);
        assert_true(fabs(error - result.residual) <= 1e-12 + 1e-6 * error);
        solved += error <= 1e-6, steps += result.iterations;
        free(memory);
        contact_problem_free(&c);
    }
    print_message("%d of %d solved, %.1f steps of Newton's method in the mean\n", solved, count, (double)steps / count);
    assert_int_equal(solved, count);
}

/* Bodies on the ground with a contact each: as many as the method takes, and one more, which is refused and needs memory for its contact alone. */
static void more_bodies_are_refused(void **state) {
    (void)state;
    enum { MOST = JN_SHARED_BODIES + 1 };
    static int start[MOST + 1], dof[6 * MOST];
    size_t used[2];
    for (int i = 0; i <= MOST; i++) start[i] = 6 * i;
    for (int k = 0; k < 6 * MOST; k++) dof[k] = k;
    jn_contact_rows rows = {.start = start, .dof = dof};
    for (int more = 0; more < 2; more++) {
        int count = JN_SHARED_BODIES + more;
        jn_problem problem = {.dimension = 3, .contacts = count, .velocities = 6 * count, .H = &rows, .Y = &rows};
        jn_scratch measure = {0};
        jn_bodies s;
        jn_bodies_layout(&problem, &measure, &s);
        char *memory = aligned_alloc(64, (measure.used + 63) / 64 * 64);
        jn_scratch take = {.base = memory};
        jn_bodies_layout(&problem, &take, &s);
        assert_true(jn_bodies_suit(&problem));
        assert_int_equal(jn_bodies_start(&s), !more);
        used[more] = measure.used;
        free(memory);
    }
    assert_true(used[1] - used[0] < 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_products_are_those_of_the_problem),
        cmocka_unit_test(the_factors_solve_the_matrix),
        cmocka_unit_test(redundant_contacts_are_solved),
        cmocka_unit_test(more_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
