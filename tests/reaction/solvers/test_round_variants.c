/* Kernels of round contacts for several processors give the same bits (reaction/solvers/variants.h). */
#include "check.h"
#include "reaction/solvers/sweeps/round_packs.h"
#include <stdlib.h>
#include <string.h>

enum { CASES = 100, SWEEPS = 3, PACKS = 4, BODIES = 80 };

static uint64_t seed = 11;

/* Between low and high. */
static float number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (float)(low + (high - low) * (double)(seed >> 11) * 0x1p-53);
}

typedef struct round_case {
    jn_round_pack pack[PACKS];
    jn_wide16 f[3 * PACKS], before[3 * PACKS];
    jn_row8 v[BODIES + 1], v_before[BODIES + 1];
    jn_round_sums swept[SWEEPS];
    jn_round_look look[SWEEPS];
    int watch[PACKS], watched[SWEEPS];
    bool meets[SWEEPS];
} round_case;

/* Contacts of balls of 0.5 kg: open, sticking and slipping ones; every fifth on a body that does not move, the last lane empty. */
static void fill_lane(jn_round_pack *c, int k, int lane) {
    float n[3], t[3], size = 0, along = 0, load = jn_max(0, number(-0.01, 0.02)), used = number(0, 0.4);
    bool empty = lane == LANES - 1, ground = lane % 5 == 0;
    for (int l = 0; l < 3; l++) n[l] = number(-1, 1), size += n[l] * n[l];
    for (int l = 0; l < 3; l++) n[l] /= sqrtf(size), t[l] = number(-1, 1), along += n[l] * t[l];
    for (int l = 0; l < 3; l++) {
        t[l] -= along * n[l], c->n[l][lane] = empty ? 0 : n[l];
        c->base[l][lane] = empty ? 0 : jn_min(used, 0.3f) * load * t[l],
        c->slip[l][lane] = used > 0.3f ? 1e-2f * t[l] : 0;
    }
    c->mu[lane] = empty ? 0 : 0.3f, c->load[lane] = empty ? 0 : load, c->q[lane] = number(-1e-3, 1e-3);
    c->inside[lane] = empty ? 0 : 0.09f * load * load;
    for (int l = 0; l < 3; l++) c->inside[lane] -= c->base[l][lane] * c->base[l][lane];
    for (int b = 0; b < 2; b++) {
        bool fixed = empty || (ground && b == 0);
        c->rho[b][lane] = fixed ? 0 : 0.05f, c->light[b][lane] = fixed ? 0 : 2, c->spin[b][lane] = fixed ? 0 : 100;
        int body = fixed ? BODIES : (lane + LANES * b + 17 * k) % BODIES;
        c->body[b][row_of(lane)] = (uint32_t)body * (uint32_t)sizeof(jn_row8);
    }
    c->normal[lane] = 0.25f, c->tangent[lane] = 0.07f, c->weight[lane] = 9,
    c->contact[lane] = empty ? -1 : LANES * k + lane;
}

static void fill(round_case *c) {
    memset(c, 0, sizeof *c);
    for (int k = 0; k < PACKS; k++)
        for (int lane = 0; lane < LANES; lane++) {
            fill_lane(&c->pack[k], k, lane);
            for (int l = 0; l < 3 && lane < LANES - 1; l++)
                c->f[3 * k + l][lane] = number(-1e-4, 1e-4), c->before[3 * k + l][lane] = number(-1e-4, 1e-4);
        }
    for (int b = 0; b < BODIES; b++)
        for (int l = 0; l < 8; l++)
            if (l % 4 < 3) c->v[b][l] = number(-1e-3, 1e-3), c->v_before[b][l] = number(-1e-3, 1e-3);
}

static jn_round solver_of(round_case *c) {
    return (jn_round){.bodies = BODIES,
                      .at = c->pack,
                      .f = c->f,
                      .before = c->before,
                      .v = c->v,
                      .v_before = c->v_before,
                      .watch = c->watch,
                      .allowed = 1e-7f,
                      .ahead = 0.6f};
}

/* What the calls take, against the kernel for any processor: the call takes the widest one that the machine has. */
static void test_kernels(void **state) {
    static round_case a, b;
    (void)state;
    for (int n = 0; n < CASES; n++) {
        fill(&a);
        b = a;
        jn_round s = solver_of(&a), t = solver_of(&b);
        for (int k = 0; k < SWEEPS; k++) {
            jn_round_extrapolate(&s, 0, BODIES), jn_round_extrapolate_any(&t, 0, BODIES);
            jn_round_sweep(&s, 0, PACKS, &a.swept[k]), jn_round_sweep_any(&t, 0, PACKS, &b.swept[k]);
            jn_round_look_at(&s, 0, PACKS, &a.look[k]), jn_round_look_at_any(&t, 0, PACKS, &b.look[k]);
            a.watched[k] = s.watched = a.look[k].watched, b.watched[k] = t.watched = b.look[k].watched;
            assert_int_equal(s.watched > 0, largest(&a.look[k].most) > s.allowed);
            a.meets[k] = jn_round_meets(&s, s.allowed), b.meets[k] = jn_round_meets_any(&t, t.allowed);
            assert_int_equal(a.meets[k], a.watched[k] == 0);
            assert_true(jn_round_meets(&s, INFINITY) && jn_round_meets_any(&t, INFINITY) && s.watched == 0);
        }
        assert_true(largest(&a.look[0].most) > 0 && isfinite(largest(&a.look[SWEEPS - 1].most)));
        if (memcmp(&a, &b, sizeof a)) fail_msg("case %d: the kernels differ", n);
    }
}

/* Velocities whose squares are below the smallest number of single precision: impulses stay numbers. */
static void test_tiny_velocities(void **state) {
    static round_case a;
    (void)state;
    fill(&a);
    memset(a.v, 0, sizeof a.v), memset(a.f, 0, sizeof a.f), memset(a.before, 0, sizeof a.before);
    for (int k = 0; k < PACKS; k++)
        for (int lane = 0; lane < LANES; lane++) {
            jn_round_pack *c = &a.pack[k];
            c->load[lane] = c->inside[lane] = 0, c->q[lane] = -8e-24f;
            for (int l = 0; l < 3; l++) c->base[l][lane] = c->slip[l][lane] = 0;
            c->slip[lane % 3][lane] = -2e-19f / (float)(1 << lane);
        }
    jn_round s = solver_of(&a);
    jn_round_sweep(&s, 0, PACKS, &a.swept[0]);
    for (int k = 0; k < 3 * PACKS; k++)
        for (int lane = 0; lane < LANES; lane++) assert_true(fabsf(a.f[k][lane]) < 1e-18f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_tiny_velocities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
