/* The tests of SimBenchmark by method nonsmooth, with its default scheme in relative coordinates, at every step length of its tables;
 * those with elastic contact by method impact as well. The errors that other engines had are printed beside ours.
 *
 * --only NAME one test; --shortest DT leaves out shorter steps; --limit S of the clock for one run. */
#include "bench.h"
#include "simbenchmark.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 7, ENGINES = 6 };

typedef struct engine {
    const char *name;
    double error[STEPS]; /* mean of squares; 0: none */
} engine;

typedef struct table {
    simbenchmark_test test;
    const char *key, *unit;
    double step[STEPS]; /* [s]; 0: no more */
    engine engine[ENGINES];
    bool elastic; /* method impact is run too */
} table;

/* Data files of SimBenchmark: of the solvers of an engine the one with the smallest error. */
static const table tables[] = {
    {SIMBENCHMARK_MOMENTUM,
     "momentum",
     "(kg m/s)^2",
     {1e-5, 4e-5, 1e-4, 4e-4, 1e-3, 4e-3, 1e-2},
     {{"ODE", {1.6e-25, 3e-26, 5.8e-26, 1.3e-26, 1.3e-27, 5.4e-28, 4e-28}},
      {"MuJoCo RK4", {2.9e-22, 4.5e-20, 1.7e-16, 7.3e-13, 3e-13, 3.3e-7, 2.4e-5}},
      {"RaiSim", {3.7e-9, 5.9e-8, 3.9e-7, 6.2e-6, 4.7e-5, 9.1e-4, 5.4e-3}},
      {"Bullet", {2.6e-8, 4.2e-7, 2.6e-6, 4.2e-5, 2.7e-4, 4.3e-3, 2.3e-2}},
      {"MuJoCo Euler", {8.6e-8, 1.3e-6, 8.5e-6, 1.4e-4, 1.1e-3, 1.3e-2, 1.6e-2}},
      {"DART", {190, 180, 180, 180, 160, 150, 100}}},
     false},
    {SIMBENCHMARK_ENERGY,
     "energy",
     "J^2",
     {1e-5, 4e-5, 1e-4, 4e-4, 1e-3, 4e-3, 1e-2},
     {{"MuJoCo RK4", {2.9e-21, 1.3e-21, 1.6e-21, 3.6e-19, 1.6e-17, 4.5e-14, 5.6e-11}},
      {"RaiSim", {1.1e-6, 1.8e-5, 1.1e-4, 1.8e-3, 1.2e-2, 0.21, 1.4}},
      {"MuJoCo Euler", {3.5e-4, 5.6e-3, 3.5e-2, 0.56, 3.5, 56, 340}},
      {"ODE", {3.9e-4, 6.3e-3, 3.9e-2, 0.62, 3.9, 62, 380}},
      {"Bullet", {2.7e-2, 3.7e-2, 7.5e-2, 0.64, 3.7, 56, 340}},
      {"DART", {200, 200, 200, 210, 240, 390, 920}}},
     false},
    {SIMBENCHMARK_BOUNCING,
     "bouncing",
     "J^2",
     {1e-5, 1e-4, 1e-3, 1e-2, 1e-1},
     {{"RaiSim", {1.9e-10, 1.9e-6, 1.9e-2, 190, 6.1e5}},
      {"ODE", {1.9e-2, 1.9, 190, 1.9e4, 2e6}},
      {"Bullet", {7.5, 750, 7.5e4, 7.4e6, 7.7e8}},
      {"DART", {7.4, 480, 7.2e4, 7.4e6, 7.7e8}}},
     true},
    {SIMBENCHMARK_ELASTIC_666,
     "666",
     "J^2",
     {1e-4, 4e-4, 1e-3, 4e-3, 1e-2},
     {{"RaiSim", {1.1e-3, 0.25, 8.4, 260, 5.2e6}},
      {"ODE", {1.1, 18, 110, 1600, 8.6e6}},
      {"Bullet", {170, 3.6e3, 4.1e4, 8.4e5, 9.9e6}},
      {"DART", {2.4e3, 5.2e4, 3.5e5, 6.6e6, 1.3e10}}},
     true},
    {SIMBENCHMARK_ROLLING,
     "rolling",
     "(m/s)^2",
     {1e-3},
     {{"Bullet", {7.3e-28}},
      {"ODE", {7.6e-9}},
      {"RaiSim", {4.1e-7}},
      {"MuJoCo RK4", {2e-3}},
      {"MuJoCo Euler", {5.6e-3}},
      {"DART", {0.43}}},
     false},
    {SIMBENCHMARK_ROLLING_DIAGONAL, "diagonal", "(m/s)^2", {1e-3}, {{"ODE", {3.1}}, {"DART", {3.1}}}, false},
};
enum { TABLES = sizeof tables / sizeof *tables };

static const char *robot = JN_SOURCE_DIR "/../shared/reference/robots/anymal_b.urdf";
static double shortest, limit = 180; /* [s] of a step; of the clock for one run */

static double best_of_others(const table *t, int k) {
    double best = NAN;
    for (int i = 0; i < ENGINES && t->engine[i].name; i++)
        if (t->engine[i].error[k] > 0) best = fmin(best, t->engine[i].error[k]);
    return best;
}

static void print_others(const table *t, int count) {
    for (int i = 0; i < ENGINES && t->engine[i].name; i++) {
        printf("%-22s", t->engine[i].name);
        for (int k = 0; k < count; k++) printf(" %10.1e ", t->engine[i].error[k]);
        printf("\n");
    }
}

/* One cell of ours; a run that did not come to its end counts as worse than any. Returns whether some engine is better. */
static bool run_cell(const table *t, jn_method method, int k, simbenchmark_result *r) {
    simbenchmark_run run = {.robot = robot, .method = method, .limit = limit};
    run.step = method == JN_METHOD_IMPACT ? 1e-3 : t->step[k];
    *r = simbenchmark_measure(t->test, &run);
    double best = best_of_others(t, k);
    return !r->complete || !(r->error <= best || isnan(best));
}

static void print_ours(const table *t, int count) {
    simbenchmark_result r[STEPS] = {0};
    bool worse[STEPS] = {false}, left_out[STEPS] = {false};
    int behind = 0;
    for (int k = 0; k < count; k++) {
        left_out[k] = t->step[k] < shortest * (1 - 1e-9);
        if (!left_out[k]) worse[k] = run_cell(t, JN_METHOD_NONSMOOTH, k, &r[k]);
        behind += worse[k];
    }
    printf("%-22s", "Jounce nonsmooth");
    for (int k = 0; k < count; k++) {
        if (left_out[k])
            printf(" %10s ", "-");
        else
            printf(" %10.1e%c", r[k].error, worse[k] ? '*' : ' ');
    }
    if (!isnan(r[count - 1].last)) {
        printf("\n%-22s", "  gained at the end [J]");
        for (int k = 0; k < count; k++) printf(left_out[k] ? "          - " : " %10.1e ", r[k].last);
    }
    printf("\n%-22s", "  processor [s]");
    for (int k = 0; k < count; k++) printf(left_out[k] ? "          - " : " %10.3g ", r[k].seconds);
    printf("\n%-22s", "  us per step");
    for (int k = 0; k < count; k++)
        printf(left_out[k] ? "          - " : " %10.3g ", 1e6 * r[k].seconds / (double)(r[k].steps ? r[k].steps : 1));
    printf("\n");
    for (int k = 0; k < count; k++) {
        if (left_out[k]) continue;
        if (!r[k].complete) printf("  step %g s: %s; error so far %.1e\n", t->step[k], r[k].text, r[k].error);
        char quantity[32];
        snprintf(quantity, sizeof quantity, "error at %g s", t->step[k]);
        bench_record(t->key, k, quantity, t->unit, r[k].complete ? r[k].error : INFINITY);
        snprintf(quantity, sizeof quantity, "time at %g s", t->step[k]);
        bench_record(t->key, k, quantity, "s", r[k].seconds);
    }
    char what[64];
    snprintf(what, sizeof what, "step lengths at which another engine is better (*)");
    bench_check(simbenchmark_name(t->test), what, behind, 0);
}

/* Method impact has no step length: one run, sampled every millisecond. */
static void print_impact(const table *t) {
    simbenchmark_result r;
    run_cell(t, JN_METHOD_IMPACT, 0, &r);
    printf("%-22s  %10.1e, largest %.1e, %.3g s", "Jounce impact", r.error, r.worst, r.seconds);
    printf(r.complete ? "\n" : ": %s\n", r.text);
    bench_record(t->key, 0, "error, impact", t->unit, r.complete ? r.error : INFINITY);
    bench_check(simbenchmark_name(t->test), "impact: not at its end", !r.complete, 0);
    if (r.complete) bench_check(simbenchmark_name(t->test), "impact: mean of squares [J^2]", r.error, 1e-12);
}

static void print_table(const table *t) {
    int count = 0;
    while (count < STEPS && t->step[count] > 0) count++;
    printf("%s, %g s: mean of squares [%s]\n%-22s", simbenchmark_name(t->test), simbenchmark_time(t->test), t->unit,
           "step [s]");
    for (int k = 0; k < count; k++) printf(" %10.0e ", t->step[k]);
    printf("\n");
    print_others(t, count);
    print_ours(t, count);
    if (t->elastic) print_impact(t);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *only = bench_argument(argc, argv, "--only"), *text;
    bool found = false;
    bench_begin(argc, argv, "simbenchmark");
    if ((text = bench_argument(argc, argv, "--shortest"))) shortest = strtod(text, NULL);
    if ((text = bench_argument(argc, argv, "--limit"))) limit = strtod(text, NULL);
    for (int i = 0; i < TABLES; i++) {
        if (only && strcmp(only, tables[i].key) != 0) continue;
        found = true;
        if (simbenchmark_needs_robot(tables[i].test) && access(robot, R_OK) != 0)
            printf("%s: skipped: no ../shared/reference\n\n", simbenchmark_name(tables[i].test));
        else
            print_table(&tables[i]);
    }
    if (!found) bench_give_up(only, "no such test: momentum, energy, bouncing, 666, rolling, diagonal");
    return bench_end();
}
