/* Large islands of balls in parts: contacts of different parts share no ball, each contact stands in one pack, and the impulses meet the laws, the same for any number of threads. */
#include "check.h"
#include "contact_problem.h"
#include "reaction/solvers/sweeps/round_packs.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 17, BODIES = SIDE * SIDE * SIDE, MOST = 3 * BODIES };

typedef struct heap {
    jn_round_row row[MOST];
    int start[MOST + 1], dof[12 * MOST];
    double q[3 * MOST], mu[MOST], mass[MOST], p[3 * MOST], v[6 * BODIES], u[3 * MOST];
    jn_contact_rows rows;
    jn_problem problem;
    unsigned long long seed;
} heap;

static double number(heap *h) { return contact_random(&h->seed); }

/* A contact of ball b with the ball or the ground (a < 0) beside it along an axis. */
static void add_contact(heap *h, int a, int b, int axis) {
    int i = h->problem.contacts++, at = h->start[i];
    jn_round_row *r = &h->row[i];
    memset(r, 0, sizeof *r);
    for (int k = 0; k < 3; k++) r->d[k][(axis + k) % 3] = 1;
    for (int side = 0; side < 2; side++) {
        int body = side ? b : a;
        r->dof[side] = body < 0 ? -1 : 6 * body;
        if (body < 0) continue;
        r->rho[side] = side ? -0.05 : 0.05, r->light[side] = 2 + body % 3, r->inverse[side] = 1000 * r->light[side];
        for (int k = 0; k < 6; k++) h->dof[at++] = 6 * body + k;
    }
    h->start[i + 1] = at;
    h->mu[i] = 0.3;
    for (int k = 0; k < 3; k++) h->q[3 * i + k] = 0.02 * number(h) - (k == 0 && axis == 2 ? 0.02 : 0);
}

/* A grid of balls on the ground, of which some do not touch. */
static heap *make(int side, int height, unsigned long long seed) {
    heap *h = calloc(1, sizeof *h);
    assert_non_null(h);
    h->seed = seed;
    for (int b = 0; b < side * side * height; b++) {
        int x = b % side, y = b / side % side, z = b / side / side;
        if (x && number(h) < 0.7) add_contact(h, b - 1, b, 0);
        if (y && number(h) < 0.7) add_contact(h, b - side, b, 1);
        add_contact(h, z ? b - side * side : -1, b, 2);
    }
    h->rows = (jn_contact_rows){h->start, h->dof, NULL};
    h->problem = (jn_problem){.dimension = 3,
                              .contacts = h->problem.contacts,
                              .velocities = 6 * side * side * height,
                              .mu = h->mu,
                              .q = h->q,
                              .H = &h->rows,
                              .Y = &h->rows,
                              .mass = h->mass,
                              .round = h->row};
    jn_problem_masses(&h->problem, h->mass);
    return h;
}

static double solve(heap *h, int threads, int *sweeps) {
    void *scratch = aligned_alloc(64, (jn_round_scratch(&h->problem) + 63) / 64 * 64);
    jn_pool *pool = threads > 1 ? jn_pool_create(threads) : NULL;
    jn_round_aim aim = {.tolerance = 1e-5, .sweeps = 5000, .pool = pool};
    memset(h->p, 0, sizeof h->p);
    double error = jn_round_solve(&h->problem, &aim, scratch, NULL, h->p, sweeps);
    jn_pool_free(pool);
    free(scratch);
    return error;
}

static void test_threads(void **state) {
    static const int size[][2] = {{10, 3}, {13, 9}, {17, 9}, {17, 17}}, threads[] = {2, 3, 8}, parts[] = {1, 2, 4, 8};
    (void)state;
    for (int k = 0; k < 4; k++) {
        heap *h = make(size[k][0], size[k][1], 7 + (unsigned long long)k);
        size_t bytes = 3 * (size_t)h->problem.contacts * sizeof *h->p;
        int sweeps, again;
        assert_int_equal(jn_round_parts(h->problem.contacts), parts[k]);
        double error = solve(h, 1, &sweeps), *p = malloc(bytes);
        memcpy(p, h->p, bytes);
        jn_problem_velocity(&h->problem, h->p, h->v, h->u);
        double judged = jn_problem_speed_error(&h->problem, h->p, h->u);
        print_message("%d contacts, %d parts: %d sweeps, %.2g m/s\n", h->problem.contacts, parts[k], sweeps, judged);
        assert_true(error <= 1e-5 && judged <= 1.000001e-5);
        for (int t = 0; t < 3; t++) {
            assert_true(solve(h, threads[t], &again) == error && again == sweeps);
            assert_memory_equal(p, h->p, bytes);
        }
        free(p), free(h);
    }
}

/* The order of the contacts, or other numbers of the balls, change the parts but not that they part. */
static void check_parts(jn_round *s) {
    int *level_of = calloc((size_t)jn_round_rows(s->bodies), sizeof *level_of), contacts = s->problem->contacts,
        seen = 0;
    for (int level = s->parts; level > 0; level /= 2) {
        memset(level_of, 0, (size_t)jn_round_rows(s->bodies) * sizeof *level_of);
        for (int n = level; n < 2 * level; n++) {
            int end = n + 1 < 2 * level ? s->node[n + 1].order : level > 1 ? s->node[level / 2].order : contacts;
            for (int k = s->node[n].order; k < end; k++, seen++)
                for (int b = 0; b < 2; b++) {
                    int body = s->read[s->order[k]].body[b];
                    if (body == s->bodies) continue;
                    assert_true(level_of[body] == 0 || level_of[body] == n);
                    level_of[body] = n;
                    if (level == s->parts) assert_in_range(body, s->node[n].body, s->node[n].last_body - 1);
                    assert_true(s->light[body] > 0 && (float)s->light[body] == s->read[s->order[k]].light[b]);
                }
        }
    }
    assert_int_equal(seen, contacts);
    free(level_of);
}

static void test_parts(void **state) {
    (void)state;
    for (int n = 0; n < 12; n++) {
        heap *h = make(13 + n % 5, 9 + n % 8, 100 + (unsigned long long)n);
        int contacts = h->problem.contacts, bodies = h->problem.velocities / 6 + 1;
        size_t rows = (size_t)jn_round_rows(bodies), c = (size_t)contacts;
        jn_round s = {.problem = &h->problem, .bodies = bodies};
        s.light = calloc(rows, sizeof *s.light), s.inverse = calloc(rows, sizeof *s.inverse);
        s.sum = calloc(rows, sizeof *s.sum), s.read = calloc(c, sizeof *s.read), s.order = calloc(c, sizeof *s.order);
        s.colour = calloc(c, sizeof *s.colour), s.colours.order = calloc(c, sizeof *s.colours.order);
        s.taken = calloc((size_t)h->problem.velocities + rows, sizeof *s.taken);
        s.loaded = calloc(c, sizeof *s.loaded);
        s.graph = calloc(jn_round_graph(contacts, bodies), sizeof *s.graph);
        assert_true(jn_round_read(&s, h->p));
        jn_colour_contacts(&h->problem, s.colour, s.taken, &s.colours);
        jn_round_part(&s);
        assert_true(s.parts > 1);
        check_parts(&s);
        int most = 0, least = contacts, between;
        for (int k = s.parts; k < 2 * s.parts; k++) {
            int end = k + 1 < 2 * s.parts ? s.node[k + 1].order : s.node[s.parts / 2].order;
            if (end - s.node[k].order > most) most = end - s.node[k].order;
            if (end - s.node[k].order < least) least = end - s.node[k].order;
        }
        between = contacts - s.node[s.parts / 2].order;
        print_message("%d contacts: %d parts of %d to %d, %d between them\n", contacts, s.parts, least, most, between);
        assert_true(most < 1.3 * least && 3 * between < contacts);
        free(s.light), free(s.inverse), free(s.sum), free(s.read), free(s.order), free(s.colour);
        free(s.colours.order), free(s.taken), free(s.loaded), free(s.graph), free(h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
