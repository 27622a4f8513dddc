#include "peer_siconos.h"
#include "bench.h"
#include <fc3d_Solvers.h>
#include <math.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its own defaults but for the limits, which are those that its authors use in comparisons or more. */
typedef struct choice {
    const char *name;
    int id, iterations, inner; /* inner: limit of the solver inside, 0 for its default */
    int linear;                /* of Newton's method */
} choice;

static const choice choices[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 20000, 0, -1},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 1000, 0, SICONOS_FRICTION_3D_NSN_USE_CSLUSOL},
    {"NSN_AC MUMPS", SICONOS_FRICTION_3D_NSN_AC, 1000, 0, SICONOS_FRICTION_3D_NSN_USE_MUMPS},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 20000, 0, -1},
    {"PROX", SICONOS_FRICTION_3D_PROX, 200, 200, SICONOS_FRICTION_3D_NSN_USE_CSLUSOL},
};
enum { COUNT = sizeof choices / sizeof *choices, LIMIT = 60 }; /* [s] for one process */

static const struct {
    const char *name;
    NM_types type;
} storages[] = {{"blocks", NM_SPARSE_BLOCK}, {"sparse", NM_SPARSE}, {"dense", NM_DENSE}};
enum { DENSE_MOST = 300 }; /* contacts */

const char *peer_siconos_name(int solver) { return solver >= 0 && solver < COUNT ? choices[solver].name : NULL; }

static NumericsMatrix *make_sparse(const jn_problem *problem) {
    const jn_blocks *W = problem->W;
    int n = 3 * problem->contacts;
    NumericsMatrix *M = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(M, 9 * W->start[problem->contacts]);
    M->matrix2->origin = NSM_TRIPLET;
    for (int i = 0; i < problem->contacts; i++)
        for (int k = W->start[i]; k < W->start[i + 1]; k++)
            for (int e = 0; e < 9; e++)
                NM_entry(M, 3 * i + e / 3, 3 * W->column[k] + e % 3, W->value[9 * (size_t)k + (size_t)e]);
    return M;
}

static NumericsMatrix *make_matrix(const jn_problem *problem, NM_types type) {
    int n = 3 * problem->contacts;
    if (type == NM_SPARSE) return make_sparse(problem);
    NumericsMatrix *M = NM_create(type, n, n), *sparse = make_sparse(problem);
    if (type == NM_SPARSE_BLOCK) {
        SBM_from_csparse(3, NM_csc(sparse), M->matrix1);
    } else {
        const jn_blocks *W = problem->W;
        memset(M->matrix0, 0, (size_t)n * (size_t)n * sizeof(double));
        for (int i = 0; i < problem->contacts; i++)
            for (int k = W->start[i]; k < W->start[i + 1]; k++)
                for (int e = 0; e < 9; e++)
                    M->matrix0[(size_t)(3 * i + e / 3) + (size_t)n * (size_t)(3 * W->column[k] + e % 3)] =
                        W->value[9 * (size_t)k + (size_t)e];
    }
    NM_free(sparse);
    return M;
}

static SolverOptions *make_options(const choice *c, double tolerance) {
    SolverOptions *options = solver_options_create(c->id), *newton = options;
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = c->iterations;
    if (c->inner > 0) {
        newton = options->internalSolvers[0];
        newton->iparam[SICONOS_IPARAM_MAX_ITER] = c->inner;
    }
    if (c->linear >= 0) newton->iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = c->linear;
    return options;
}

/* [s] of one solve. */
static double solve_once(const jn_problem *problem, const choice *c, NM_types type, double tolerance, double *p,
                         int *iterations) {
    size_t n = 3 * (size_t)problem->contacts;
    double *u = calloc(n, sizeof *u), *q = malloc(n * sizeof *q), *mu = malloc(n * sizeof *mu);
    memcpy(q, problem->q, n * sizeof *q);
    memcpy(mu, problem->mu, (size_t)problem->contacts * sizeof *mu);
    FrictionContactProblem *its =
        frictionContactProblem_new_with_data(3, problem->contacts, make_matrix(problem, type), q, mu);
    SolverOptions *options = make_options(c, tolerance);
    memset(p, 0, n * sizeof *p);
    double start = bench_now();
    fc3d_driver(its, p, u, options);
    double seconds = bench_now() - start;
    *iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    frictionContactProblem_free(its);
    free(u);
    return seconds;
}

/* Written by the process that solves. */
typedef struct answer {
    double seconds;
    int iterations;
    double p[];
} answer;

/* Its stopping test may end a little above ours: then the tolerance is made smaller. The best time of repeated solves. */
static void work(const jn_problem *problem, const choice *c, NM_types type, double tolerance, answer *a) {
    size_t n = 3 * (size_t)problem->contacts;
    double *p = calloc(n, sizeof *p), *u = calloc(n, sizeof *u),
           *v = calloc((size_t)problem->velocities + 1, sizeof *v);
    int iterations;
    double asked = tolerance, seconds = 0;
    for (int k = 0; k < 4; k++, asked *= 0.3) {
        seconds = solve_once(problem, c, type, asked, p, &iterations);
        if (jn_problem_residual(problem, p, v, u) <= tolerance) break;
        if (iterations >= c->iterations) break;
    }
    memcpy(a->p, p, n * sizeof *p);
    a->iterations = iterations;
    a->seconds = seconds;
    double from = bench_now();
    if (asked > 0.01 * tolerance && jn_problem_residual(problem, p, v, u) <= tolerance)
        for (int k = 0; k < 200 && bench_now() - from + seconds < BENCH_REPEAT; k++)
            a->seconds = fmin(a->seconds, solve_once(problem, c, type, asked, p, &iterations));
}

static void solve_apart(const jn_problem *problem, const choice *c, NM_types type, double tolerance, answer *a) {
    a->seconds = INFINITY;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
        alarm(LIMIT);
        work(problem, c, type, tolerance, a);
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

peer_solve peer_siconos_solve(const jn_problem *problem, int solver, double tolerance, double *p) {
    size_t n = 3 * (size_t)problem->contacts, bytes = sizeof(answer) + n * sizeof(double);
    peer_solve best = {"", INFINITY, 0};
    double *u = calloc(n, sizeof *u), *v = calloc((size_t)problem->velocities + 1, sizeof *v), least = INFINITY;
    answer *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(p, 0, n * sizeof *p);
    for (size_t k = 0; k < sizeof storages / sizeof *storages && a != MAP_FAILED; k++) {
        if (storages[k].type == NM_DENSE && problem->contacts > DENSE_MOST) continue;
        solve_apart(problem, &choices[solver], storages[k].type, tolerance, a);
        double residual = isfinite(a->seconds) ? jn_problem_residual(problem, a->p, v, u) : NAN;
        bool met = residual <= tolerance, before = least <= tolerance;
        if ((met && before) ? a->seconds < best.seconds : residual < least) {
            best = (peer_solve){storages[k].name, a->seconds, a->iterations};
            least = residual;
            memcpy(p, a->p, n * sizeof *p);
        }
    }
    if (a != MAP_FAILED) munmap(a, bytes);
    free(u), free(v);
    return best;
}
