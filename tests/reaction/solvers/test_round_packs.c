/* Packs of round contacts: no two contacts of a pack share a body that moves, each contact stands in one lane, those with impulses in the first packs, and there
 * are few lanes without contacts. */
#include "check.h"
#include "reaction/solvers/sweeps/round_packs.h"
#include <stdlib.h>
#include <string.h>

enum { CASES = 100, MOST = 600, BODIES = 120, ROWS = BODIES + 2 * (JN_PARTS + JN_PART_NODES) };
enum { PACKS = MOST / LANES + 2 * JN_COLOURS };

static uint64_t seed = 5;

/* Below a bound. */
static int number(int bound) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)bound);
}

typedef struct pack_case {
    jn_round_row row[MOST];
    double mu[MOST], mass[MOST], p[3 * MOST], q[3 * MOST];
    jn_round_contact read[MOST];
    bool loaded[MOST];
    int order[MOST], by_colour[MOST], colour[MOST];
    uint64_t taken[6 * BODIES + ROWS];
    double light[ROWS], inverse[ROWS];
    jn_round_pack at[PACKS];
    jn_round_exact exact[PACKS];
    jn_round_impulses total[PACKS], best[PACKS];
    jn_wide16 f[3 * PACKS], before[3 * PACKS];
} pack_case;

/* Contacts between random balls, every eighth on the ground; every third is open. */
static void fill(pack_case *c, int contacts, int bodies) {
    for (int i = 0; i < contacts; i++) {
        int a = number(bodies), b = (a + 1 + number(bodies - 1)) % bodies;
        c->row[i] = (jn_round_row){.d = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                   .rho = {0.05, -0.05},
                                   .light = {2, 2},
                                   .inverse = {2000, 2000},
                                   .dof = {6 * a, 6 * b}};
        if (i % 8 == 0) c->row[i].dof[0] = -1, c->row[i].light[0] = c->row[i].inverse[0] = c->row[i].rho[0] = 0;
        c->mu[i] = 0.3, c->mass[i] = 0.1, c->loaded[i] = number(3) > 0;
    }
}

static jn_round solver_of(pack_case *c, const jn_problem *problem) {
    return (jn_round){.problem = problem,
                      .bodies = BODIES,
                      .capacity = PACKS,
                      .at = c->at,
                      .exact = c->exact,
                      .total = c->total,
                      .best = c->best,
                      .f = c->f,
                      .before = c->before,
                      .light = c->light,
                      .inverse = c->inverse,
                      .read = c->read,
                      .loaded = c->loaded,
                      .taken = c->taken,
                      .colour = c->colour,
                      .order = c->order,
                      .colours.order = c->by_colour};
}

static void check_pack(const jn_round *s, int k, int *seen) {
    int bodies[2 * LANES], count = 0;
    for (int lane = 0; lane < LANES; lane++) {
        int i = s->at[k].contact[lane];
        if (i < 0) continue;
        seen[i]++;
        assert_int_equal(s->loaded[i], s->loaded[s->at[k].contact[0]]);
        for (int b = 0; b < 2; b++) {
            int body = s->read[i].body[b];
            int row = body == s->bodies ? jn_round_still(s, 1) : body;
            assert_int_equal(s->at[k].body[b][row_of(lane)], (size_t)row * sizeof(jn_row8));
            for (int n = 0; n < count; n++) assert_int_not_equal(bodies[n], body);
            if (body < s->bodies) bodies[count++] = body;
        }
    }
}

static void test_packs(void **state) {
    static pack_case c;
    int all = 0, needed = 0;
    (void)state;
    for (int n = 0; n < CASES; n++) {
        int contacts = 1 + number(MOST), seen[MOST] = {0}, open = 0;
        fill(&c, contacts, 40 + number(BODIES - 40));
        jn_problem problem = {.dimension = 3,
                              .contacts = contacts,
                              .velocities = 6 * BODIES,
                              .mu = c.mu,
                              .mass = c.mass,
                              .q = c.q,
                              .round = c.row};
        jn_round s = solver_of(&c, &problem);
        assert_true(jn_round_read(&s, c.p));
        jn_colour_contacts(&problem, c.colour, c.taken, &s.colours);
        assert_true(s.colours.count < JN_COLOURS);
        jn_round_part(&s);
        assert_int_equal(s.parts, 1);
        jn_round_fill(&s, 1);
        for (int i = 0; i < contacts; i++) open += !c.loaded[i];
        all += s.node[1].end, needed += (contacts - open + LANES - 1) / LANES + (open + LANES - 1) / LANES;
        for (int k = 0; k < s.node[1].end; k++) check_pack(&s, k, seen);
        for (int k = 1; k < s.node[1].end; k++)
            assert_true(c.loaded[s.at[k - 1].contact[0]] >= c.loaded[s.at[k].contact[0]]);
        for (int i = 0; i < contacts; i++) assert_int_equal(seen[i], 1);
        assert_true(s.node[1].end <= contacts / LANES + 2 * s.colours.count);
    }
    print_message("%d packs, at least %d\n", all, needed);
    assert_true(all < 1.5 * needed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
