/* Parameter studies: what a run costs beyond its steps, runs per second by threads, and beside a loop of `jounce run`. Checked: the table has the
 * same bits on any number of threads. */
#include "bench.h"
#include "workflow/study/study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 64, ROUNDS = 3 };

static char path[] = "/tmp/jounce_bench_XXXXXX";

static jn_study *open_study(const char *until, int count) {
    jn_report report = {0};
    FILE *file = fopen(path, "w");
    if (!file) bench_give_up("slider_crank", "no room for a file");
    fprintf(file,
            "study: bench\nmodel: %s/models/flores2010/slider_crank.yaml\nset: {driven: true}\nuntil: %s\n"
            "vary: {clearance: {from: 0.1 mm, to: 2 mm}, restitution: {from: 0.1, to: 0.9}}\n"
            "samples: {count: %d, rule: sobol}\nmeasure: {loss: {end: energy.dissipated}}\n",
            JN_SOURCE_DIR, until, count);
    fclose(file);
    jn_study *s = jn_study_open(path, NULL, 0, &report);
    if (!s) bench_give_up("slider_crank", report.item[0].text);
    return s;
}

/* [s] of the wall for all rows; *hash of all their hashes. */
static double perform(jn_study *s, int threads, uint64_t *hash) {
    jn_report report = {0};
    double start = bench_now();
    if (jn_study_perform(s, &(jn_study_options){.threads = threads}, &report) < 0)
        bench_give_up("slider_crank", report.item[0].text);
    double time = bench_now() - start;
    *hash = 0;
    for (long r = 0; r < jn_study_rows(s); r++) *hash = *hash * 31 + s->row[r].hash;
    return time;
}

/* [us] of the processor for a row of one step, and for that step alone with a model and a simulation that are there already. */
static void overhead(void) {
    jn_study *s = open_study("10 us", 2000);
    jn_report report = {0};
    double whole = INFINITY, step = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_processor();
        if (jn_study_perform(s, &(jn_study_options){.threads = 1}, &report) < 0)
            bench_give_up("slider_crank", report.item[0].text);
        whole = fmin(whole, 1e6 * (bench_processor() - start) / 2000);
        jn_sim *sim = jn_sim_create(s->base, &report);
        if (!sim) bench_give_up("slider_crank", report.item[0].text);
        start = bench_processor();
        for (int k = 1; k <= 2000; k++) jn_sim_step(sim, INFINITY);
        step = fmin(step, 1e6 * (bench_processor() - start) / 2000);
        jn_sim_free(sim);
    }
    printf("slider-crank: %.1f us for a run of one step, %.1f us for the step: %.1f us beyond the steps\n", whole, step,
           whole - step);
    bench_record("slider_crank", 1, "beyond_steps", "us", whole - step);
    jn_study_free(s);
}

/* Runs per second by threads; returns that of the most threads. */
static double by_threads(int steps, int runs) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int most = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
    uint64_t first = 0, hash;
    double best = 0;
    char until[32];
    snprintf(until, sizeof until, "%d us", 10 * steps);
    jn_study *s = open_study(until, runs);
    for (int threads = 1; threads <= most; threads *= 2) {
        double time = INFINITY;
        char quantity[48];
        for (int round = 0; round < ROUNDS; round++) {
            time = fmin(time, perform(s, threads, &hash));
            if (!first) first = hash;
            bench_check("slider_crank", "tables that differ", hash != first, 0.5);
        }
        best = fmax(best, runs / time);
        printf("%6d steps a run: %8.0f runs/s on %d thread%s\n", steps, runs / time, threads, threads > 1 ? "s" : "");
        snprintf(quantity, sizeof quantity, "steps_%d_threads_%d", steps, threads);
        bench_record("slider_crank", runs, quantity, "runs/s", runs / time);
    }
    jn_study_free(s);
    return best;
}

/* Runs per second of a loop over the command: each starts a process, reads the file, writes its results. */
static double by_loop(int steps) {
    enum { LOOP = 20 };
    char command[600], quantity[48];
    double start = bench_now();
    for (int k = 0; k < LOOP; k++) {
        snprintf(command, sizeof command,
                 JN_CLI " run " JN_SOURCE_DIR "/models/flores2010/slider_crank.yaml --set driven=true --set "
                                              "run.until=%dus --set clearance=%gmm -o %s.run --quiet >/dev/null 2>&1",
                 10 * steps, 0.1 + 0.1 * k, path);
        if (system(command) < 0) bench_give_up("slider_crank", "no shell");
    }
    double loop = LOOP / (bench_now() - start);
    snprintf(command, sizeof command, "rm -rf %s.run", path);
    if (system(command) < 0) bench_give_up("slider_crank", "no shell");
    snprintf(quantity, sizeof quantity, "steps_%d_loop", steps);
    bench_record("slider_crank", LOOP, quantity, "runs/s", loop);
    return loop;
}

/* How much faster a study is depends on how long its runs are: the loop pays for each of them, the study for its steps. */
static void threads_and_loop(void) {
    static const int steps[] = {50, 500, 5000};
    for (int i = 0; i < 3; i++) {
        double best = by_threads(steps[i], steps[i] > 1000 ? 40 : 400), loop = by_loop(steps[i]);
        printf("%6d steps a run: %8.0f runs/s by a loop of `jounce run`; the study is %.0f times as fast\n", steps[i],
               loop, best / loop);
    }
}

int main(int argc, char **argv) {
    bench_begin(argc, argv, "study");
    int file = mkstemp(path);
    if (file < 0) bench_give_up("slider_crank", "no room for a file");
    close(file);
    overhead();
    threads_and_loop();
    unlink(path);
    return bench_end();
}
