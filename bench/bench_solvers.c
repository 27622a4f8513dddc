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

/* One problem. mine[0] is the automatic choice, then the rows of our table; its: Siconos's to our residual; own: Siconos's to its
 * own. */
typedef struct result {
    char name[80];
    int contacts;
    timed mine[SOLVERS], its[SOLVERS], own[SOLVERS];
} result;

static result results[PROBLEMS];
static int count;

/* ------------------------------------------------------------------------------------------------------------ peer */

#ifdef BENCH_SICONOS
static const char *peer_name(int k) { return peer_siconos_name(k); }

static void peer_time(const jn_problem *problem, int k, timed *own, timed *ours) {
    peer_solve by[2];
    timed *to[2] = {own, ours};
    peer_siconos_solve(problem, k, tolerance, &by[0], &by[1]);
    for (int c = 0; c < 2; c++) {
        *to[c] = (timed){1e3 * by[c].seconds, by[c].residual, ""};
        snprintf(to[c]->solver, sizeof to[c]->solver, "%s %s", peer_siconos_name(k), by[c].how);
    }
}
#else
static const char *peer_name(int k) { return (void)k, (const char *)0; }

static void peer_time(const jn_problem *problem, int k, timed *own, timed *ours) {
    (void)problem, (void)k, (void)own, (void)ours;
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
        double start = bench_processor();
        memset(p, 0, bytes);
        if (jn_solve(problem, solver, &settings, scratch, p, &how) < 0) break;
        seconds = bench_processor() - start;
        t.ms = fmin(t.ms, 1e3 * seconds);
        snprintf(t.solver, sizeof t.solver, "%s", how.solver);
    }
    free(scratch);
    return t;
}

/* W where the problem has none, so that all solvers are given the same; H and Y stay. */
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
        r->mine[k] = time_ours(&local, k ? jn_solver_get(k - 1) : NULL, p);
        if (isfinite(r->mine[k].ms)) r->mine[k].residual = jn_problem_residual(problem, p, v, u);
    }
    for (int k = 0; peer_name(k); k++) peer_time(&local, k, &r->own[k], &r->its[k]);
    bench_check(name, "the residual", r->mine[0].residual, tolerance);
    fprintf(stderr, "%s\n", name);
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

static bool solved(const timed *t) { return isfinite(t->ms) && t->residual <= tolerance; }

/* The fastest that met the tolerance, else the one that came nearest; NULL without a peer. */
static const timed *best_of(const timed *t, const char *(*name)(int)) {
    const timed *best = NULL;
    for (int k = 0; name(k); k++)
        if (!best || (solved(&t[k]) && (!solved(best) || t[k].ms < best->ms)) ||
            (!solved(best) && t[k].residual < best->residual))
            best = &t[k];
    return best;
}

/* What Siconos needs over what we need, by one of the two criteria. */
typedef struct comparison {
    double sum, least; /* of the logarithm, of the ratio */
    int compared, alone;
} comparison;

static void print_peer(const result *r, const timed *its, comparison *c) {
    const timed *a = &r->mine[0], *b = best_of(its, peer_name);
    if (!b) return;
    if (solved(b) && solved(a)) {
        double ratio = b->ms / a->ms;
        printf(" | %10.4f %-21s %6.1f", b->ms, b->solver, ratio);
        c->sum += log(ratio), c->least = fmin(c->least, ratio), c->compared++;
    } else {
        printf(" | %10s %-21s %6s", "none", "", "-");
        c->alone += solved(a);
    }
}

static void print_mean(const char *what, const comparison *c) {
    if (c->compared == 0) return;
    printf("%s: geometric mean of the ratios over %d problems %.2f, least %.2f; solved here alone: %d\n", what,
           c->compared, exp(c->sum / c->compared), c->least, c->alone);
    bench_record(what, c->compared, "ratio to Siconos", "1", exp(c->sum / c->compared));
}

static void record_peer(const result *r, const char *what, const timed *its) {
    const timed *b = best_of(its, peer_name);
    if (b && solved(b)) bench_record(r->name, r->contacts, what, "ms", b->ms);
}

static void print_main(void) {
    comparison ours = {.least = INFINITY}, own = {.least = INFINITY};
    printf("\nms of the processor to a relative residual of %.0e from p = 0, one thread; Siconos by the same residual "
           "and by its own\n",
           tolerance);
    printf("%-46s %8s | %10s %-20s %8s", "problem", "contacts", "auto", "solver", "residual");
    if (peer_name(0))
        printf(" | %10s %-21s %6s | %10s %-21s %6s", "Siconos", "best solver", "ratio", "by its own", "best solver",
               "ratio");
    printf("\n");
    for (int i = 0; i < count; i++) {
        const result *r = &results[i];
        const timed *a = &r->mine[0];
        printf("%-46s %8d | %10.4f %-20s %8.1e", r->name, r->contacts, a->ms, a->solver, a->residual);
        print_peer(r, r->its, &ours);
        print_peer(r, r->own, &own);
        printf("\n");
        bench_record(r->name, r->contacts, "auto", "ms", a->ms);
        record_peer(r, "Siconos", r->its);
        record_peer(r, "Siconos by its own residual", r->own);
    }
    print_mean("by the same residual", &ours);
    print_mean("Siconos by its own", &own);
}

static const char *our_name(int k) {
    return k == 0 ? "auto" : jn_solver_get(k - 1) ? jn_solver_get(k - 1)->name : NULL;
}

static void print_each(const char *who, const char *(*name)(int), size_t offset) {
    if (!name(0)) return;
    printf("\n%s: ms, or the residual where it missed the tolerance; a dash where it does not take the problem\n%-48s",
           who, "");
    for (int k = 0; name(k); k++) printf(" %13.13s", name(k));
    for (int i = 0; i < count; i++) {
        const timed *t = (const timed *)(const void *)((const char *)&results[i] + offset);
        printf("\n%-48s", results[i].name);
        for (int k = 0; name(k); k++)
            if (solved(&t[k]))
                printf(" %13.4f", t[k].ms);
            else if (isfinite(t[k].residual))
                printf("     (%7.1e)", t[k].residual);
            else
                printf(" %13s", "-");
    }
    printf("\n%-48s", "solved");
    for (int k = 0; name(k); k++) {
        int many = 0;
        for (int i = 0; i < count; i++)
            many += solved((const timed *)(const void *)((const char *)&results[i] + offset) + k);
        printf(" %7d of %2d", many, count);
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
    print_each("Siconos by the same residual", peer_name, offsetof(result, its));
    print_each("Siconos by its own residual", peer_name, offsetof(result, own));
    return bench_end();
}
