/* Kernels for several processors give the same bits (reaction/solvers/variants.h), and solve what they are to solve. What this machine or build does not have is left out. */
#include "check.h"
#include "reaction/solvers/shared_velocities.h"
#include "reaction/solvers/sweeps/packs.h"
#include <stdlib.h>
#include <string.h>

enum { CASES = 600, CONTACTS = 5, D = 3, NV = 37, PITCH = 40, DEEP = 16, PACKS = 4, SLOTS = 40 };
enum { FEW = 21, FEW_PITCH = 24 }; /* velocities of every second six cases, whose eights are taken all */

static uint64_t seed = 7;

/* Between low and high. */
static double number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static void numbers(void *to, size_t bytes, double low, double high) {
    double *x = to;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = number(low, high);
}

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
static bool has(int level) {
    return level == 4 ? __builtin_cpu_supports("x86-64-v4") : __builtin_cpu_supports("x86-64-v3");
}
#else
static bool has(int level) { return (void)level, false; }
#endif

/* What the calls take, against the kernel for any processor: the call takes the widest one that the machine has. */
typedef struct shared_case {
    jn_shared s;
    double H[CONTACTS * D * PITCH], columns[NV * DEEP], K[NV * PITCH], L[NV * PITCH], inverse[PITCH];
    double p[DEEP], v[PITCH], u[DEEP], x[PITCH];
    uint32_t parts[CONTACTS], row_parts[NV];
} shared_case;

static void place(shared_case *c) {
    c->s.H = c->H, c->s.Y = c->H, c->s.columns = c->columns;
    c->s.K = c->K, c->s.L = c->L, c->s.inverse = c->inverse;
    c->s.parts = c->parts, c->s.row_parts = c->row_parts;
}

/* ALL: rows of all velocities. LIMBS: of the first six and of eights that every second contact shares, as limbs of a tree have them. SLIPS: of every third eight and of others;
 * every second contact moves the first ones along its normal alone, the others across it. */
typedef enum rows_kind { ALL, LIMBS, SLIPS } rows_kind;

static bool has_velocity(rows_kind kind, int i, int k) {
    int eight = k / 8 % 3;
    if (kind == LIMBS) return k < 6 || eight == 1 + i % 2;
    return kind == ALL || eight == 2 || eight == 1 - i % 2;
}

static void fill_rows(shared_case *c, rows_kind kind, int *start, int *dof) {
    int at = 0;
    for (int i = 0; i < CONTACTS; i++) {
        start[i] = at;
        for (int k = 0; k < c->s.nv; k++) {
            if (!has_velocity(kind, i, k)) continue;
            dof[at++] = k, c->parts[i] |= 1u << k / 8;
            for (int r = 0; r < D; r++)
                if (kind != SLIPS || i % 2 || (r == 0) == (k / 8 % 3 == 2))
                    c->H[(i * D + r) * c->s.pitch + k] = number(-1, 1);
        }
    }
    start[CONTACTS] = at;
}

/* The same entries as a problem has them. */
static void pack_rows(const shared_case *c, const int *start, const int *dof, double *value) {
    for (int i = 0; i < CONTACTS; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            for (int r = 0; r < D; r++) value[k * D + r] = c->H[(i * D + r) * c->s.pitch + dof[k]];
}

/* Largest entry of b - (1 + Y^T C H) x. */
static double residual(const jn_shared *s, const double *C, const double *b, const double *x) {
    double r[NV], most = 0;
    for (int k = 0; k < s->nv; k++) r[k] = b[k] - x[k];
    for (int i = 0; i < CONTACTS; i++)
        for (int c = 0; c < D; c++) {
            double Hx = 0;
            for (int k = 0; k < s->nv; k++) Hx += s->H[(i * D + c) * s->pitch + k] * x[k];
            for (int n = 0; n < D; n++) {
                double factor = n < s->rows[i] && c < s->rows[i] ? C[(i * D + n) * D + c] : 0;
                if (s->given[i] > 0 && n == 1 && c == 1) factor += C[(i * D + 1) * D + 1];
                for (int k = 0; k < s->nv; k++) r[k] -= s->Y[(i * D + n) * s->pitch + k] * factor * Hx;
            }
        }
    for (int k = 0; k < s->nv; k++) most = fmax(most, fabs(r[k]));
    return most;
}

static void test_shared(void **state) {
    static shared_case a, b;
    int start[CONTACTS + 1], dof[CONTACTS * NV], rows[CONTACTS];
    double given[CONTACTS] = {0}; /* the last contact in every second case */
    double C[CONTACTS * D * D], value[CONTACTS * NV * D], rhs[PITCH];
    jn_contact_rows H = {start, dof, value};
    jn_problem problem = {.dimension = D, .contacts = CONTACTS, .H = &H};
    (void)state;
    for (int n = 0; n < CASES; n++) {
        bool few = n / 6 % 2;
        memset(&a, 0, sizeof a);
        a.s = (jn_shared){.problem = &problem,
                          .d = D,
                          .nc = CONTACTS,
                          .nv = few ? FEW : NV,
                          .pitch = few ? FEW_PITCH : PITCH,
                          .deep = DEEP,
                          .dof = dof,
                          .rows = rows,
                          .given = given};
        given[CONTACTS - 1] = n % 2;
        for (int i = 0; i < CONTACTS; i++) rows[i] = 1 + (n + i) % D;
        rows_kind kind = n / 2 % 3;
        fill_rows(&a, kind, start, dof);
        for (int r = 0; r < D && given[CONTACTS - 1] > 0;
             r++) /* the last velocity of such a contact is not among them */
            a.H[((CONTACTS - 1) * D + r) * a.s.pitch + dof[start[CONTACTS] - 1]] = 0;
        pack_rows(&a, start, dof, value);
        numbers(a.columns, sizeof a.columns, -1, 1);
        numbers(a.p, sizeof a.p, 0, 1), numbers(a.x, (size_t)a.s.nv * sizeof(double), -1, 1);
        numbers(C, sizeof C, 0, 0.1);
        for (int i = 0; i < CONTACTS && kind == SLIPS; i++) C[9 * i + 1] = C[9 * i + 2] = 0; /* slips do not press */
        b = a;
        memcpy(rhs, a.x, sizeof rhs);
        place(&a), place(&b);
        jn_shared_scatter(&a.s, a.p, a.v), jn_shared_scatter_any(&b.s, b.p, b.v);
        jn_shared_gather(&a.s, a.v, a.u), jn_shared_gather_any(&b.s, b.v, b.u);
        assert_true(jn_shared_factor(&a.s, C) && jn_shared_factor_any(&b.s, C));
        jn_shared_solve(&a.s, a.x), jn_shared_solve_any(&b.s, b.x);
        assert_below(residual(&a.s, C, rhs, a.x), 1e-10);
        memset(&a.s, 0, sizeof a.s), memset(&b.s, 0, sizeof b.s);
        if (memcmp(&a, &b, sizeof a)) fail_msg("case %d: the kernels differ", n);
    }
}

typedef struct packs_case {
    jn_pack pack[PACKS];
    jn_wide scale[SLOTS + 1], v[SLOTS + 1], x[3 * PACKS], before[3 * PACKS];
    jn_swept swept;
    double error;
} packs_case;

static void fill(packs_case *c) {
    memset(c, 0, sizeof *c);
    for (int k = 0; k < PACKS; k++) {
        numbers(c->pack[k].H, sizeof c->pack[k].H, -1, 1);
        for (double *x = (double *)&c->pack[k].W; x < (double *)(void *)c->pack[k].body; x++) *x = number(0.1, 1);
        for (int lane = 0; lane < JN_LANES_OF_PACK; lane++) {
            for (int b = 0; b < 2; b++) c->pack[k].body[b][lane] = (lane + 8 * b + 11 * k) % SLOTS;
            c->pack[k].contact[lane] = 8 * k + lane;
        }
        c->pack[k].pair = k % 2;
    }
    numbers(c->scale, sizeof c->scale, 0.1, 1);
    numbers(c->x, sizeof c->x, 0, 1), numbers(c->before, sizeof c->before, 0, 1);
}

static void test_packs(void **state) {
    static packs_case a, b;
    (void)state;
    for (int n = 0; n < CASES; n++) {
        fill(&a);
        b = a;
        jn_packs s = {.count = PACKS,
                      .capacity = PACKS,
                      .slots = SLOTS,
                      .at = a.pack,
                      .scaled = true,
                      .scale = a.scale,
                      .exact = 1e-10},
                 t = s;
        t.at = b.pack, t.scale = b.scale;
        jn_packs_impulse(&s, a.x, a.v), jn_packs_impulse_any(&t, b.x, b.v);
        a.swept = jn_packs_sweep(&s, 0, PACKS, a.before, a.x, a.v);
        b.swept = jn_packs_sweep_any(&t, 0, PACKS, b.before, b.x, b.v);
        a.error = jn_packs_error(&s, n % 2, a.before, a.x, a.v);
        b.error = jn_packs_error_any(&t, n % 2, b.before, b.x, b.v);
        if (memcmp(a.v, b.v, sizeof a.v) || memcmp(a.x, b.x, sizeof a.x)) fail_msg("case %d: the kernels differ", n);
        assert_true(!memcmp(&a.swept, &b.swept, sizeof a.swept) && a.error == b.error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared), cmocka_unit_test(test_packs)};
    print_message("this machine has%s%s\n", has(3) ? " AVX2" : " no wide vectors", has(4) ? ", AVX-512" : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
