/* Frictional contact problems: time to a relative residual of 1e-8 by the automatic choice, by each solver, and by Siconos's
 * where it is installed. All answers are judged by jn_problem_residual. Reading is not timed. */
#include "bench.h"
#include "contact_problem.h"
#include "peer_siconos.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBLEMS = 256, SOLVERS = 16 };
static const double tolerance = 1e-8;

typedef struct timed {
    double ms, residual;
    char solver[24]; /* that gave the answer */
} timed;

/* One problem. mine[0] is the automatic choice, then the rows of our table; its: Siconos's. */
typedef struct result {
    char name[80];
    int contacts;
    timed mine[SOLVERS], its[SOLVERS];
} result;

static result results[PROBLEMS];
static int count;

/* ------------------------------------------------------------------------------------------------------------ peer */

#ifdef BENCH_SICONOS
static const char *peer_name(int k) { return peer_siconos_name(k); }

static timed peer_time(const jn_problem *problem, int k, double *p) {
    peer_solve solve = peer_siconos_solve(problem, k, tolerance, p);
    timed t = {1e3 * solve.seconds, NAN, ""};
    snprintf(t.solver, sizeof t.solver, "%s, %s", peer_siconos_name(k), solve.storage);
    return t;
}
#else
static const char *peer_name(int k) { return (void)k, (const char *)0; }

static timed peer_time(const jn_problem *problem, int k, double *p) {
    (void)problem, (void)k, (void)p;
    return (timed){NAN, NAN, ""};
}
#endif

/* ---------------------------------------------------------------------------------------------------------- timing */

/* From p = 0, repeated while that is quick; memory is taken before. */
static timed time_ours(const jn_problem *problem, const jn_solver_info *solver, double *p) {
    timed t = {INFINITY, INFINITY, ""};
    size_t bytes = 3 * (size_t)problem->contacts * sizeof *p;
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result how;
    if (solver && !solver->can(problem)) return t;
    void *scratch = contact_scratch(problem, solver);
    settings.tolerance = tolerance;
    double from = bench_now(), seconds = 0;
    for (int k = 0; k < 200 && (k == 0 || bench_now() - from + seconds < BENCH_REPEAT); k++) {
        double start = bench_now();
        memset(p, 0, bytes);
        if (jn_solve(problem, solver, &settings, scratch, p, &how) < 0) break;
        seconds = bench_now() - start;
        t.ms = fmin(t.ms, 1e3 * seconds);
        snprintf(t.solver, sizeof t.solver, "%s", how.solver);
    }
    free(scratch);
    return t;
}

/* W for the peer where the problem has none. */
static jn_problem with_blocks(const jn_problem *problem, jn_blocks *W) {
    jn_problem local = *problem;
    if (problem->W) return local;
    int *scratch = calloc(jn_blocks_scratch(problem), sizeof *scratch);
    int *start = calloc((size_t)problem->contacts + 1, sizeof *start);
    size_t blocks = jn_blocks_count(problem, scratch);
    int *column = calloc(blocks, sizeof *column);
    double *value = calloc(9 * blocks, sizeof *value);
    jn_blocks_form(problem, scratch, start, column, value);
    free(scratch);
    *W = (jn_blocks){start, column, value};
    local.W = W;
    return local;
}

static void measure(const char *name, const jn_problem *problem) {
    size_t n = 3 * (size_t)problem->contacts;
    double *p = calloc(n, sizeof *p), *u = calloc(n, sizeof *u),
           *v = calloc((size_t)problem->velocities + 1, sizeof *v);
    jn_blocks W = {0};
    jn_problem local = with_blocks(problem, &W);
    if (count == PROBLEMS) bench_give_up(name, "too many problems");
    result *r = &results[count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->contacts = problem->contacts;
    for (int k = 0; k == 0 || jn_solver_get(k - 1); k++) {
        r->mine[k] = time_ours(problem, k ? jn_solver_get(k - 1) : NULL, p);
        if (isfinite(r->mine[k].ms)) r->mine[k].residual = jn_problem_residual(problem, p, v, u);
    }
    for (int k = 0; peer_name(k); k++) {
        r->its[k] = peer_time(&local, k, p);
        r->its[k].residual = isfinite(r->its[k].ms) ? jn_problem_residual(problem, p, v, u) : INFINITY;
    }
    bench_check(name, "the residual", r->mine[0].residual, tolerance);
    if (!problem->W)
        free((void *)(uintptr_t)W.start), free((void *)(uintptr_t)W.column), free((void *)(uintptr_t)W.value);
    free(p), free(u), free(v);
}

/* -------------------------------------------------------------------------------------------------------- problems */

static bool measure_folder(const char *folder) {
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, NULL, alphasort), before = count;
    for (int i = 0; i < found; i++) {
        char path[1024], name[256];
        const char *dot = strrchr(entries[i]->d_name, '.');
        if (dot && !strcmp(dot, ".hdf5")) {
            jn_report report = {0};
            jn_fclib *file = NULL;
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            snprintf(name, sizeof name, "%.*s", (int)(dot - entries[i]->d_name), entries[i]->d_name);
            int status = jn_fclib_read(path, &report, &file);
            if (status < 0)
                printf("%s is left out: %s\n", path, report.errors ? report.item[0].text : "no HDF5 in this build");
            else if (file->problem->dimension == 3)
                measure(name, file->problem);
            jn_fclib_free(file);
        }
        free(entries[i]);
    }
    free(entries);
    return count > before;
}

/* Random bodies and contacts with full blocks, where there is no collection. */
static void measure_own(void) {
    static const struct {
        int bodies, contacts;
        bool neighbours;
    } scenes[] = {{5, 8, false}, {20, 40, false}, {20, 80, true}, {60, 200, true}, {150, 400, false}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        contact_scene scene = {.seed = 40 + k,
                               .dimension = 3,
                               .bodies = scenes[k].bodies,
                               .contacts = scenes[k].contacts,
                               .mu = 0.5,
                               .neighbours = scenes[k].neighbours};
        contact_problem c;
        char name[80];
        contact_problem_make(&scene, &c);
        snprintf(name, sizeof name, "%d bodies%s", scene.bodies, scene.neighbours ? " in a row" : "");
        measure(name, &c.blocks);
        contact_problem_free(&c);
    }
}

/* ---------------------------------------------------------------------------------------------------------- tables */

static bool solved(const timed *t) { return t->residual <= tolerance; }

/* The fastest that met the tolerance, else the one that came nearest; NULL without a peer. */
static const timed *best_of(const timed *t, const char *(*name)(int)) {
    const timed *best = NULL;
    for (int k = 0; name(k); k++)
        if (!best || (solved(&t[k]) && (!solved(best) || t[k].ms < best->ms)) ||
            (!solved(best) && t[k].residual < best->residual))
            best = &t[k];
    return best;
}

static void print_main(void) {
    double sum = 0, least = INFINITY;
    int compared = 0, alone = 0;
    printf("\nTime to a relative residual of %.0e, one thread, from p = 0\n", tolerance);
    printf("%-48s %8s | %10s %-20s %8s | %10s %-22s %8s | %7s\n", "problem", "contacts", "auto ms", "solver",
           "residual", "Siconos ms", "best solver", "residual", "ratio");
    for (int i = 0; i < count; i++) {
        const result *r = &results[i];
        const timed *a = &r->mine[0], *b = best_of(r->its, peer_name);
        printf("%-48s %8d | %10.4f %-20s %8.1e", r->name, r->contacts, a->ms, a->solver, a->residual);
        bench_record(r->name, r->contacts, "auto", "ms", a->ms);
        if (b && solved(b)) {
            double ratio = b->ms / a->ms;
            printf(" | %10.4f %-22s %8.1e | %7.1f", b->ms, b->solver, b->residual, ratio);
            bench_record(r->name, r->contacts, "Siconos best", "ms", b->ms);
            if (solved(a)) sum += log(ratio), least = fmin(least, ratio), compared++;
        } else if (b) {
            printf(" | %10s %-22s %8.1e |", "-", b->solver, b->residual);
            alone += solved(a);
        }
        printf("\n");
    }
    if (compared == 0) return;
    printf("geometric mean of the ratios over %d problems that both solve: %.2f (least %.2f); solved here alone: %d\n",
           compared, exp(sum / compared), least, alone);
    bench_record("all", compared, "ratio to Siconos", "1", exp(sum / compared));
}

static const char *our_name(int k) {
    return k == 0 ? "auto" : jn_solver_get(k - 1) ? jn_solver_get(k - 1)->name : NULL;
}

static void print_each(const char *who, const char *(*name)(int), size_t offset) {
    if (!name(0)) return;
    printf("\n%s: ms, or the residual where it missed the tolerance; a dash where it does not take the problem\n%-48s",
           who, "");
    for (int k = 0; name(k); k++) printf(" %12.12s", name(k));
    for (int i = 0; i < count; i++) {
        const timed *t = (const timed *)(const void *)((const char *)&results[i] + offset);
        printf("\n%-48s", results[i].name);
        for (int k = 0; name(k); k++)
            if (solved(&t[k]))
                printf(" %12.4f", t[k].ms);
            else if (isfinite(t[k].residual))
                printf("    (%7.1e)", t[k].residual);
            else
                printf(" %12s", "-");
    }
    printf("\n%-48s", "solved");
    for (int k = 0; name(k); k++) {
        int many = 0;
        for (int i = 0; i < count; i++)
            many += solved((const timed *)(const void *)((const char *)&results[i] + offset) + k);
        printf(" %6d of %2d", many, count);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    const char *folder = bench_argument(argc, argv, "--problems");
    if (!getenv("OPENBLAS_NUM_THREADS")) { /* one thread for all; the library reads it when it is loaded */
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    bench_begin(argc, argv, "solvers");
    if (!peer_name(0)) printf("Siconos is not installed (tools/setup.sh --peers)\n");
    if (!folder) folder = JN_SOURCE_DIR "/../shared/reference/fclib";
    if (!measure_folder(folder)) {
        printf("no problems in %s (--problems FOLDER): random ones in their place\n", folder);
        measure_own();
    }
    print_main();
    print_each("ours", our_name, offsetof(result, mine));
    print_each("Siconos", peer_name, offsetof(result, its));
    return bench_end();
}
