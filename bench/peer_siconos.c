/* Contact problems in the local form of Siconos, solved by its C interface. */
#include "peer_siconos.h"
#include "bench.h"
#include <fc3d_Solvers.h>
#include <math.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its own defaults but for what stands here; limits are those that its authors use in comparisons, or more. */
typedef struct choice {
    const char *name;
    int id, iterations;
    int inner; /* limit of the solver inside, 0 for its default */
    int local; /* solver of one contact, 0 for the default */
    int error; /* when the residual is computed, -1 for the default */
} choice;

static const choice choices[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 20000, 0, 0, -1},
    {"NSGS NSN", SICONOS_FRICTION_3D_NSGS, 20000, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN, -1},
    {"NSGS NSN full", SICONOS_FRICTION_3D_NSGS, 20000, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN,
     SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 1000, 0, 0, -1},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 20000, 0, 0, -1},
    {"PROX", SICONOS_FRICTION_3D_PROX, 200, 200, 0, -1},
    {"PROX hybrid", SICONOS_FRICTION_3D_PROX, 200, 200, 0, -1},
};
enum { COUNT = sizeof choices / sizeof *choices, LIMIT = 4 }; /* [s] of the processor for one process */

/* Blocks suit NSGS, which takes no others at that speed; the others factor a sparse matrix, or a dense one while it is small. */
static const struct {
    const char *name;
    NM_types type;
    int most; /* contacts */
} storages[] = {{"blocks", NM_SPARSE_BLOCK, 1 << 30}, {"sparse", NM_SPARSE, 1 << 30}, {"dense", NM_DENSE, 120}};

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
    if (c->local) solver_options_update_internal(options, 0, c->local);
    if (c->error >= 0) options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = c->error;
    if (c->inner > 0) {
        newton = options->internalSolvers[0];
        newton->iparam[SICONOS_IPARAM_MAX_ITER] = c->inner;
    }
    if (newton->solverId == SICONOS_FRICTION_3D_NSN_AC)
        newton->iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
    if (strstr(c->name, "hybrid")) /* an extra-gradient method comes first */
        newton->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
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
    double start = bench_processor();
    fc3d_driver(its, p, u, options);
    double seconds = bench_processor() - start;
    *iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    frictionContactProblem_free(its);
    free(u);
    return seconds;
}

double peer_siconos_residual(const jn_problem *problem, const double *p, const double *u) {
    double q2 = 0, p2 = 0, u2 = 0;
    for (int i = 0; i < 3 * problem->contacts; i++)
        q2 += problem->q[i] * problem->q[i], p2 += p[i] * p[i], u2 += u[i] * u[i];
    jn_problem scaled = *problem;
    scaled.norm = sqrt(fmax(q2, fmax(p2, u2)));
    return jn_problem_residual_of(&scaled, p, u);
}

/* What the process that solves leaves behind. */
typedef struct answers {
    peer_solve own, ours;
} answers;

/* A solve that met its criterion, repeated while that is quick. */
static double repeat(const jn_problem *problem, const choice *c, NM_types type, double asked, double seconds,
                     double *p) {
    double from = bench_now();
    int iterations;
    for (int k = 0; k < 200 && bench_now() - from + seconds < BENCH_REPEAT; k++)
        seconds = fmin(seconds, solve_once(problem, c, type, asked, p, &iterations));
    return seconds;
}

static void work(const jn_problem *problem, const choice *c, NM_types type, double tolerance, answers *a) {
    size_t n = 3 * (size_t)problem->contacts;
    double *p = calloc(n, sizeof *p), *u = calloc(n, sizeof *u),
           *v = calloc((size_t)problem->velocities + 1, sizeof *v);
    double asked = tolerance;
    for (int k = 0, iterations; k < 8; k++) {
        double seconds = solve_once(problem, c, type, asked, p, &iterations);
        double residual = jn_problem_residual(problem, p, v, u), own = peer_siconos_residual(problem, p, u);
        if (own <= tolerance && !isfinite(a->own.seconds))
            a->own.residual = own, a->own.seconds = repeat(problem, c, type, asked, seconds, p);
        if (residual <= tolerance)
            a->ours.residual = residual, a->ours.seconds = repeat(problem, c, type, asked, seconds, p);
        a->own.residual = fmin(a->own.residual, own), a->ours.residual = fmin(a->ours.residual, residual);
        if (residual <= tolerance || !isfinite(residual) || iterations >= c->iterations || asked < 1e-15) return;
        asked *= fmin(0.5 * tolerance / residual, 0.3);
    }
}

static void solve_apart(const jn_problem *problem, const choice *c, NM_types type, double tolerance, answers *a) {
    a->own = a->ours = (peer_solve){.seconds = INFINITY, .residual = INFINITY};
    fflush(NULL); /* or the child writes it again */
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
        setrlimit(RLIMIT_CPU, &(struct rlimit){LIMIT, LIMIT});
        work(problem, c, type, tolerance, a);
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void keep_better(peer_solve *best, const peer_solve *it, const char *how) {
    if (it->seconds > best->seconds || (!isfinite(it->seconds) && !(it->residual < best->residual))) return;
    *best = *it;
    snprintf(best->how, sizeof best->how, "%s", how);
}

void peer_siconos_solve(const jn_problem *problem, int solver, double tolerance, peer_solve *own, peer_solve *ours) {
    answers *a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *own = *ours = (peer_solve){.seconds = INFINITY, .residual = INFINITY};
    for (size_t k = 0; k < sizeof storages / sizeof *storages && a != MAP_FAILED; k++) {
        bool sweeps = choices[solver].id == SICONOS_FRICTION_3D_NSGS, blocks = storages[k].type == NM_SPARSE_BLOCK;
        if (sweeps != blocks || problem->contacts > storages[k].most) continue;
        solve_apart(problem, &choices[solver], storages[k].type, tolerance, a);
        keep_better(own, &a->own, storages[k].name);
        keep_better(ours, &a->ours, storages[k].name);
    }
    if (a != MAP_FAILED) munmap(a, sizeof *a);
}
