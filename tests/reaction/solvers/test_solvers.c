/* Every solver of the table against closed forms and against each other; linear complementarity problems; factors; FCLIB. */
#include "base/memory.h"
#include "check.h"
#include "contact_problem.h"
#include "reaction/problem/scaled_problem.h"
#include "reaction/solvers/lemke_pivoting.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static jn_solve_result try(const jn_problem *problem, const jn_solver_info *solver, double tolerance, double *p) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    void *scratch = contact_scratch(problem, solver);
    settings.tolerance = tolerance;
    int status = jn_solve(problem, solver, &settings, scratch, p, &result);
    free(scratch);
    assert_int_equal(status, result.converged ? JN_OK : JN_NOT_CONVERGED);
    return result;
}

static jn_solve_result solve(const jn_problem *problem, const jn_solver_info *solver, double tolerance, double *p) {
    jn_solve_result result = try(problem, solver, tolerance, p);
    if (!result.converged)
        fail_msg("%s: residual %g after %d", solver ? solver->name : "auto", result.residual, result.iterations);
    return result;
}

/* ------------------------------------------------------------------------------------------------ bodies in contact */

enum { MOST_CONTACTS = 16, MOST_SPEEDS = 12 };

/* Contacts given by their rows of H over diagonal masses: W = H M^-1 H^T, q = H v. */
typedef struct scene {
    int d, contacts, speeds;
    double mass[MOST_SPEEDS], v[MOST_SPEEDS]; /* masses and free velocities */
    double H[3 * MOST_CONTACTS][MOST_SPEEDS];
    double mu[MOST_CONTACTS];
    double q[3 * MOST_CONTACTS], W[9 * MOST_CONTACTS * MOST_CONTACTS];
    int start[MOST_CONTACTS + 1], column[MOST_CONTACTS * MOST_CONTACTS];
    jn_blocks blocks;
    jn_problem problem;
} scene;

static void scene_finish(scene *s) {
    int d = s->d, n = s->contacts, at = 0;
    for (int i = 0; i < n; i++) {
        s->start[i] = at;
        for (int k = 0; k < d; k++) {
            s->q[i * d + k] = 0;
            for (int l = 0; l < s->speeds; l++) s->q[i * d + k] += s->H[i * d + k][l] * s->v[l];
        }
        for (int j = 0; j < n; j++, at++) {
            s->column[at] = j;
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++) {
                    double sum = 0;
                    for (int l = 0; l < s->speeds; l++) sum += s->H[i * d + r][l] * s->H[j * d + c][l] / s->mass[l];
                    s->W[(at * d + r) * d + c] = sum;
                }
        }
    }
    s->start[n] = at;
    s->blocks = (jn_blocks){s->start, s->column, s->W};
    s->problem = (jn_problem){.dimension = d, .contacts = n, .mu = s->mu, .q = s->q, .W = &s->blocks};
}

/* Velocities after the impulses. */
static void scene_motion(const scene *s, const double *p, double *v) {
    for (int l = 0; l < s->speeds; l++) {
        v[l] = s->v[l];
        for (int i = 0; i < s->d * s->contacts; i++) v[l] += s->H[i][l] * p[i] / s->mass[l];
    }
}

/* A contact at r of a body whose six speeds begin at `first`, normal z; sign -1 for the lower body of a pair. */
static void spatial_contact(scene *s, int contact, int first, double x, double y, double z, double sign) {
    const double rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 6; l++) s->H[3 * contact + k][first + l] += sign * rows[k][l];
}

static void set_body(scene *s, int first, double m, double I, const double v[3]) {
    for (int l = 0; l < 6; l++) s->mass[first + l] = l < 3 ? m : I, s->v[first + l] = l < 3 ? v[l] : 0;
}

/* ----------------------------------------------------------------------------------------------------- closed forms */

/* A mass on a plane at (u_N, u_T): flies off, sticks, or slides on with |p_T| = mu p_N against its slip. */
static void one_contact(void **state) {
    (void)state;
    const double m = 0.25, mu = 0.5;
    const struct {
        double q[3], p[3];
    } cases[] = {{{2, 1, 0}, {0, 0, 0}},
                 {{-2, 0.3, 0.4}, {2, -0.3, -0.4}},
                 {{-2, 3, 4}, {2, -0.6, -0.8}},
                 {{-2, 0, 0}, {2, 0, 0}},
                 {{0, 3, 4}, {0, 0, 0}}};
    for (int d = 1; d <= 3; d++)
        for (int k = 0; jn_solver_get(k); k++)
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
                scene s = {.d = d, .contacts = 1, .speeds = d, .mu = {mu}};
                double p[3] = {0}, t = d == 3 ? 1 : 5; /* in a plane the slip is all along the one tangent */
                for (int l = 0; l < d; l++) s.mass[l] = m, s.v[l] = cases[c].q[l], s.H[l][l] = 1;
                if (d == 2) s.v[1] = hypot(cases[c].q[1], cases[c].q[2]);
                scene_finish(&s);
                if (!jn_solver_get(k)->can(&s.problem)) continue;
                solve(&s.problem, jn_solver_get(k), 1e-12, p);
                assert_near(p[0], m * cases[c].p[0], 1e-10);
                if (d == 2) assert_near(p[1], -m * hypot(cases[c].p[1], cases[c].p[2]), 1e-10);
                for (int l = 1; d == 3 && l < 3; l++) assert_near(p[l], m * cases[c].p[l] * t, 1e-10);
            }
}

/* A box on its four corners, and one box on another: impulses are not unique, motions are. Pushed below the limit of friction
 * nothing moves; beyond it everything slides together and keeps v - mu g dt. */
static void stacked_boxes(void **state) {
    (void)state;
    const double m = 2, I = 0.3, fall = -0.1, mu = 0.4, a = 1, h = 0.2;
    for (int boxes = 1; boxes <= 2; boxes++)
        for (int push = 0; push < 2; push++) {
            scene s = {.d = 3, .contacts = 4 * boxes, .speeds = 6 * boxes};
            double speed = push ? 0.1 : 0.03;
            for (int b = 0; b < boxes; b++) {
                const double v[3] = {speed, 0, fall};
                set_body(&s, 6 * b, m, I, v);
                for (int c = 0; c < 4; c++) {
                    double x = c & 1 ? a : -a, y = c & 2 ? a : -a;
                    spatial_contact(&s, 4 * b + c, 6 * b, x, y, -h, 1);
                    if (b) spatial_contact(&s, 4 * b + c, 0, x, y, h, -1);
                    s.mu[4 * b + c] = mu;
                }
            }
            scene_finish(&s);
            for (int k = 0; jn_solver_get(k); k++) {
                const jn_solver_info *solver = jn_solver_get(k);
                double p[3 * MOST_CONTACTS] = {0}, v[MOST_SPEEDS], load = 0;
                if (!solver->can(&s.problem)) continue;
                solve(&s.problem, solver, 1e-11, p);
                scene_motion(&s, p, v);
                for (int l = 0; l < s.speeds; l++) assert_near(v[l], l % 6 == 0 && push ? speed + mu * fall : 0, 1e-8);
                for (int c = 0; c < 4; c++) load += p[3 * c];
                assert_near(load, -boxes * m * fall, 1e-8);
            }
        }
}

/* The slider of [Flores2010] hits its guide with both corners at once: the friction columns coincide, W has rank 3 of 4, and its
 * entries differ by four powers of ten. */
static void double_impact(void **state) {
    (void)state;
    const double m = 0.076, I = 2.7e-6, a = 0.05, b = 0.025, mu = 0.01, e = 0.4, vy = -1.5, vx = 20;
    scene s = {.d = 2, .contacts = 2, .speeds = 3, .mass = {m, m, I}, .v = {vx, vy, 0}, .mu = {mu, mu}};
    for (int c = 0; c < 2; c++) {
        double x = c ? a : -a;
        const double normal[3] = {0, 1, x}, tangent[3] = {1, 0, b};
        memcpy(s.H[2 * c], normal, sizeof normal);
        memcpy(s.H[2 * c + 1], tangent, sizeof tangent);
    }
    scene_finish(&s);
    for (int c = 0; c < 2; c++) s.q[2 * c] *= 1 + e; /* u_N stands for u_N+ + e u_N- */
    for (int k = 0; jn_solver_get(k); k++) {
        double p[4] = {0}, v[3], P = -(1 + e) * vy * m;
        if (!jn_solver_get(k)->can(&s.problem)) continue;
        solve(&s.problem, jn_solver_get(k), 1e-12, p);
        scene_motion(&s, p, v);
        assert_near(p[0] + p[2], P, 1e-10);
        assert_near(p[1] + p[3], -mu * P, 1e-10);
        assert_near(v[1], -e * vy, 1e-9);
        assert_near(v[0], vx - mu * P / m, 1e-9);
        assert_near(v[2], 0, 1e-6); /* friction tips it about the corners, which share the load unevenly */
        assert_near((p[2] - p[0]) * a, mu * P * b, 1e-10);
    }
}

/* ------------------------------------------------------------------------------------------------------- agreement */

/* All solvers that take the problem solve it, without friction, with little and with much; velocities agree where friction is
 * small. With more of it there may be several exact solutions: seed 109 with mu = 0.3 has two. */
static void solvers_agree(void **state) {
    (void)state;
    static const double mus[] = {0, 0.1, 0.3, 0.8};
    int compared = 0;
    for (int seed = 100; seed < 160; seed++) {
        contact_scene random = {.seed = (unsigned long long)seed,
                                .dimension = 2 + seed % 2,
                                .bodies = 6,
                                .contacts = seed % 2 ? 12 : 6,
                                .mu = mus[seed / 2 % 4]};
        contact_problem c;
        contact_problem_make(&random, &c);
        double first[40] = {0}, u[40], v[40];
        for (int k = 0; jn_solver_get(k); k++) {
            double p[40] = {0};
            if (!jn_solver_get(k)->can(&c.blocks)) continue;
            solve(&c.blocks, jn_solver_get(k), 1e-11, p);
            jn_problem_velocity(&c.blocks, p, v, k ? u : first);
            for (int i = 0; k && random.mu < 0.2 && i < c.n; i++, compared++)
                if (fabs(u[i] - first[i]) > 1e-7)
                    fail_msg("%s, seed %d: u[%d] = %.9g, %.9g expected", jn_solver_get(k)->name, seed, i, u[i],
                             first[i]);
        }
        contact_problem_free(&c);
    }
    assert_true(compared > 1000);
}

static bool refuse(void *context, size_t size) {
    (void)size;
    ++*(int *)context;
    return false;
}

static void no_solver_takes_memory(void **state) {
    (void)state;
    for (int d = 1; d <= 3; d++) {
        contact_scene random = {.seed = 7, .dimension = d, .bodies = 5, .contacts = 7, .mu = 0.3};
        contact_problem c;
        contact_problem_make(&random, &c);
        for (int k = 0; jn_solver_get(k); k++) {
            double p[21] = {0};
            int asked = 0;
            jn_solve_settings settings = jn_solve_default();
            jn_solve_result result;
            if (!jn_solver_get(k)->can(c.rows)) continue;
            void *scratch = contact_scratch(c.rows, jn_solver_get(k));
            settings.tolerance = 1e-6; /* which all of them reach */
            jn_memory_hook(refuse, &asked);
            int status = jn_solve(c.rows, jn_solver_get(k), &settings, scratch, p, &result);
            jn_memory_hook(NULL, NULL);
            assert_int_equal(status, JN_OK);
            assert_int_equal(asked, 0);
            free(scratch);
        }
        contact_problem_free(&c);
    }
}

/* ------------------------------------------------------------------------------------- linear complementarity problems */

static int lemke(int n, const double *A, const double *b, double *z, int *pivots) {
    void *scratch = aligned_alloc(64, (jn_lcp_scratch(n) + 63) / 64 * 64);
    int status = jn_lcp_lemke(n, A, b, 10000, z, scratch, pivots);
    free(scratch);
    return status;
}

static void assert_complementary(int n, const double *A, const double *b, const double *z) {
    for (int i = 0; i < n; i++) {
        double w = b[i];
        for (int j = 0; j < n; j++) w += A[i * n + j] * z[j];
        assert_true(z[i] >= 0);
        assert_below(-w, 1e-10);
        assert_below(fabs(w * z[i]), 1e-10);
    }
}

/* Pivoting rules without a way to break ties run in circles on the first, and take 2^n - 1 pivots on the second [Cottle2009]. */
static void pivots_do_not_cycle(void **state) {
    (void)state;
    enum { N = 10 };
    const double circle[] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, minus[] = {-1, -1, -1};
    double z[N], A[N * N], b[N];
    int pivots;
    assert_int_equal(lemke(3, circle, minus, z, &pivots), JN_OK);
    for (int i = 0; i < 3; i++) assert_near(z[i], 1.0 / 3, 1e-14);
    for (int i = 0; i < N; i++) {
        b[i] = -1;
        for (int j = 0; j < N; j++) A[i * N + j] = i == j ? 1 : j > i ? 2 : 0;
    }
    assert_int_equal(lemke(N, A, b, z, &pivots), JN_OK);
    for (int i = 0; i < N; i++) assert_near(z[i], i == N - 1, 1e-12);
    assert_true(pivots < 1 << N);
}

/* Nothing to do; no solution; zero rows; and positive semi-definite ones with many ties. */
static void linear_complementarity(void **state) {
    (void)state;
    enum { N = 12, R = 5 };
    const double negative = -1, one = 1, zero = 0;
    double z[N];
    int pivots;
    assert_int_equal(lemke(1, &negative, &negative, z, &pivots), JN_NOT_CONVERGED);
    assert_true(z[0] == 0);
    assert_int_equal(lemke(1, &negative, &one, z, &pivots), JN_OK);
    assert_true(z[0] == 0 && pivots == 0);
    assert_int_equal(lemke(1, &zero, &zero, z, &pivots), JN_OK);
    unsigned long long seed = 3;
    for (int round = 0; round < 50; round++) {
        double B[N][R], A[N * N], b[N], known[N];
        for (int i = 0; i < N; i++) {
            known[i] = fmax(contact_random(&seed), 0);
            for (int k = 0; k < R; k++) B[i][k] = i % 3 == 2 ? B[i - 1][k] : contact_random(&seed); /* repeated rows */
        }
        for (int i = 0; i < N; i++) {
            b[i] = known[i] > 0 ? 0 : i % 2;
            for (int j = 0; j < N; j++) {
                A[i * N + j] = 0;
                for (int k = 0; k < R; k++) A[i * N + j] += B[i][k] * B[j][k];
                b[i] -= A[i * N + j] * known[j]; /* z = known is a solution */
            }
        }
        assert_int_equal(lemke(N, A, b, z, &pivots), JN_OK);
        assert_complementary(N, A, b, z);
    }
}

/* --------------------------------------------------------------------------------------------------------- factors */

/* J x = b with J = A W + B, with contacts left out, and in the symmetric form. */
static void block_factors(void **state) {
    (void)state;
    for (int d = 1; d <= 3; d++) {
        contact_scene random = {.seed = 5, .dimension = d, .bodies = 30, .contacts = 40, .mu = 0.3};
        contact_problem c;
        contact_problem_make(&random, &c);
        jn_scaled s;
        jn_block_lu lu;
        jn_scratch measure = {NULL, 0}, take = {NULL, 0};
        jn_scaled_layout(&c.blocks, &measure, &s);
        jn_block_lu_layout(d, 40, jn_scaled_fill(&c.blocks), &measure, &lu);
        take.base = aligned_alloc(64, measure.used);
        jn_scaled_layout(&c.blocks, &take, &s);
        jn_block_lu_layout(d, 40, jn_scaled_fill(&c.blocks), &take, &lu);
        double p[120] = {0}, y[120], A[360] = {0}, B[360], b[120], x[120], Wx[120];
        bool active[40];
        unsigned long long seed = 9;
        assert_int_equal(jn_scaled_start(&c.blocks, &s, p, y), JN_OK);
        assert_true(s.symmetric);
        assert_int_equal(jn_block_lu_analyse(&lu, s.start, s.column), JN_OK);
        for (int form = 0; form < 3; form++) { /* general; with contacts left out; symmetric */
            for (int i = 0; i < 40; i++) {
                active[i] = form != 1 || i % 3;
                for (int k = 0; k < d * d; k++) {
                    A[i * d * d + k] = (k % (d + 1) == 0) + (form == 2 ? 0 : 0.2 * contact_random(&seed));
                    B[i * d * d + k] = k % (d + 1) == 0;
                }
            }
            for (int i = 0; i < 40 * d; i++) b[i] = active[i / d] ? contact_random(&seed) : 0;
            jn_blocks W = jn_scaled_matrix(&s);
            assert_int_equal(jn_block_lu_factor(&lu, &W, form == 2 ? NULL : A, B, active, form == 2), JN_OK);
            jn_block_lu_solve(&lu, b, x);
            jn_scaled_velocity(&s, x, Wx);
            for (int i = 0; i < 40 * d; i++) {
                double sum = 0;
                for (int l = 0; l < d; l++) {
                    int at = i / d * d + l;
                    sum += A[i * d + l] * (Wx[at] - s.q[at]) + B[i * d + l] * x[at];
                }
                assert_near(active[i / d] ? sum : x[i], b[i], 1e-12);
            }
        }
        free(take.base);
        contact_problem_free(&c);
    }
}

/* ----------------------------------------------------------------------------------------------------------- FCLIB */

/* Every public problem to 1e-8 by the automatic choice; nearly all by each solver with a factorisation. The paths of these are
 * sensitive to rounding in the hardest problems, so that their numbers leave room for other builds and processors. */
static void public_problems(void **state) {
    (void)state;
    static const char *const names[] = {"proximal", "interior_point"};
    const char *folder = JN_SOURCE_DIR "/../shared/reference/fclib";
    DIR *directory = opendir(folder);
    int count = 0, ended[2] = {0};
    if (!directory) {
        print_message("skipped: no ../shared/reference\n");
        return;
    }
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char path[600];
        jn_fclib *file;
        if (!strstr(entry->d_name, ".hdf5")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_int_equal(jn_fclib_read(path, NULL, &file), JN_OK);
        size_t n = (size_t)(file->problem->contacts * file->problem->dimension);
        double *p = calloc(n, sizeof *p);
        assert_below(solve(file->problem, NULL, 1e-8, p).residual, 1e-8);
        for (int k = 0; k < 2; k++) {
            memset(p, 0, n * sizeof *p);
            ended[k] += try(file->problem, jn_solver_find(names[k]), 1e-8, p).converged;
        }
        free(p);
        jn_fclib_free(file);
        count++;
    }
    closedir(directory);
    assert_int_equal(count, 29);
    for (int k = 0; k < 2; k++) print_message("%s ends %d of %d\n", names[k], ended[k], count);
    assert_true(ended[0] >= 27 && ended[1] >= 24);
}

static void make_pile(int k, contact_problem *c) {
    contact_problem_make(&(contact_scene){.seed = (unsigned)(100 + k),
                                          .dimension = 1 + k % 3,
                                          .bodies = 12,
                                          .contacts = k % 3 == 0   ? 90
                                                      : k % 3 == 1 ? 50
                                                                   : 36,
                                          .mu = 0.2,
                                          .neighbours = k % 2},
                         c);
}

/* More contacts than hold the bodies, in one dimension, in a plane, in space: sweeps and Newton's method end nearly all of them, from zero
 * impulses and from what ten sweeps left, and the velocities are those of the automatic choice on W alone. */
static void piles(void **state) {
    (void)state;
    static const char *const names[] = {"gauss_seidel", "proximal"};
    int ended[2] = {0};
    for (int k = 0; k < 30; k++) {
        contact_problem c;
        make_pile(k, &c);
        size_t n = (size_t)c.n;
        double *p = calloc(4 * n, sizeof *p), *other = p + n, *u = p + 2 * n, *w = p + 3 * n;
        double *v = calloc((size_t)c.rows->velocities + 1, sizeof *v);
        solve(&c.blocks, NULL, 1e-9, other);
        jn_problem_velocity(&c.blocks, other, NULL, w);
        for (int l = 0; l < 2; l++) { /* the second from where the first ended */
            bool ends = try(c.rows, jn_solver_find(names[l]), 1e-9, p).converged;
            ended[l] += ends;
            jn_problem_velocity(c.rows, p, v, u);
            for (size_t i = 0; i < n && ends; i++) assert_near(u[i], w[i], 1e-5);
        }
        free(p);
        free(v);
        contact_problem_free(&c);
    }
    for (int l = 0; l < 2; l++) print_message("%s ends %d of 30\n", names[l], ended[l]);
    assert_true(ended[0] >= 26 && ended[1] == 30);
}

/* Few bodies with more contacts than hold them: all are ended, with and without friction, most of them by Newton's method for the impulses of
 * least norm at once, and the velocities are those of the proximal method. */
static void few_bodies(void **state) {
    (void)state;
    int direct = 0;
    for (int k = 0; k < 60; k++) {
        contact_problem c;
        contact_problem_make(&(contact_scene){.seed = (unsigned)(300 + k),
                                              .dimension = 1 + k % 3,
                                              .bodies = 3 + k % 4,
                                              .contacts = 12 + k % 20,
                                              .mu = k % 5 ? 0.2 : 0,
                                              .neighbours = k % 2},
                             &c);
        size_t n = (size_t)c.n;
        double *p = calloc(4 * n, sizeof *p), *other = p + n, *u = p + 2 * n, *w = p + 3 * n;
        double *v = calloc((size_t)c.rows->velocities + 1, sizeof *v);
        jn_solve_settings settings = jn_solve_default();
        jn_solve_result result;
        void *scratch = contact_scratch(c.rows, NULL);
        settings.speed = 1e-9;
        if (jn_solve(c.rows, NULL, &settings, scratch, p, &result))
            fail_msg("seed %d: %.3g m/s", 300 + k, result.speed_error);
        free(scratch);
        direct += !strcmp(result.solver, "least_norm");
        solve(&c.blocks, jn_solver_find("proximal"), 1e-9, other);
        jn_problem_velocity(c.rows, p, v, u);
        jn_problem_velocity(&c.blocks, other, NULL, w);
        for (size_t i = 0; i < n; i++) assert_near(u[i], w[i], 1e-5);
        free(p);
        free(v);
        contact_problem_free(&c);
    }
    print_message("least_norm ends %d of 60\n", direct);
    assert_true(direct >= 45);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bodies),
        cmocka_unit_test(one_contact),
        cmocka_unit_test(stacked_boxes),
        cmocka_unit_test(double_impact),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(piles),
        cmocka_unit_test(no_solver_takes_memory),
        cmocka_unit_test(pivots_do_not_cycle),
        cmocka_unit_test(linear_complementarity),
        cmocka_unit_test(block_factors),
        cmocka_unit_test(public_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
