/* Timing, checks and the table of results of all benchmarks. */
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    const char *program;
    FILE *csv;
    int failures, rows;
    bench_row row[128];
} bench;

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void) { return read_clock(CLOCK_MONOTONIC); }

double bench_processor(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

static double batch(bench_job *job, bench_job *reset, void *context, int calls) {
    if (reset) reset(context);
    double start = bench_now();
    for (int i = 0; i < calls; i++) job(context);
    return bench_now() - start;
}

double bench_microseconds(bench_job *job, bench_job *reset, void *context) {
    enum { BATCHES = 12, LEAST = 2 };
    const double shortest = 5e-4, longest = 0.06; /* [s] one batch, all batches */
    int calls = 1;
    while (batch(job, reset, context, calls) < shortest) calls *= 2;
    double best = INFINITY, start = bench_now();
    for (int i = 0; i < BATCHES && (i < LEAST || bench_now() - start < longest); i++)
        best = fmin(best, batch(job, reset, context, calls) / calls);
    return 1e6 * best;
}

const char *bench_argument(int argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return NULL;
}

void bench_begin(int argc, char **argv, const char *program) {
    const char *path = bench_argument(argc, argv, "--csv");
    bench.program = program;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a long run shows how far it is */
    if (path && !(bench.csv = fopen(path, "a"))) bench_give_up(path, "cannot be written");
}

void bench_record(const char *scene, int size, const char *quantity, const char *unit, double value) {
    if (bench.csv && !isnan(value))
        fprintf(bench.csv, "%s,%s,%d,%s,%s,%.4g\n", bench.program, scene, size, quantity, unit, value);
}

bool bench_check(const char *scene, const char *what, double error, double limit) {
    if (error <= limit) return true;
    printf("FAILED %s: %s is %.2e, limit %.2e\n", scene, what, error, limit);
    bench.failures++;
    return false;
}

void bench_give_up(const char *scene, const char *text) {
    printf("FAILED %s: %s\n", scene, text);
    exit(1);
}

int bench_end(void) {
    if (bench.csv && fclose(bench.csv) != 0) bench.failures++;
    return bench.failures > 0;
}

void bench_cell(int width, double value) {
    if (isnan(value))
        printf(" %*s", width, "-");
    else if (value != 0 && fabs(value) < 1e-3)
        printf(" %*.1e", width, value);
    else
        printf(" %*.*f", width, value == floor(value) ? 0 : value < 100 ? 3 : value < 10000 ? 1 : 0, value);
}

bench_row *bench_row_get(const char *who, const char *scene, int size) {
    for (int i = 0; i < bench.rows; i++) {
        bench_row *r = &bench.row[i];
        if (strcmp(r->who, who) == 0 && strcmp(r->scene, scene) == 0 && r->size == size) return r;
    }
    if (bench.rows == (int)(sizeof bench.row / sizeof *bench.row)) bench_give_up(scene, "the table is full");
    bench_row *r = &bench.row[bench.rows++];
    snprintf(r->who, sizeof r->who, "%s", who);
    snprintf(r->scene, sizeof r->scene, "%s", scene);
    r->size = size;
    for (int i = 0; i < BENCH_CELLS; i++) r->cell[i] = NAN;
    return r;
}

void bench_best(double *cell, double value) { *cell = fmin(*cell, value); }

void bench_print(const char *title, const char *const *columns, int count, int counts, const char *unit) {
    printf("%s\n%-9s %-14s %6s", title, "", "", "size");
    for (int i = 0; i < count; i++) printf(" %11s", columns[i]);
    printf("\n");
    for (int k = 0; k < bench.rows; k++) {
        const bench_row *r = &bench.row[k];
        printf("%-9s %-14s %6d", r->who, r->scene, r->size);
        for (int i = 0; i < count; i++) {
            char quantity[64];
            snprintf(quantity, sizeof quantity, "%s %s", r->who, columns[i]);
            bench_cell(11, r->cell[i]);
            bench_record(r->scene, r->size, quantity, i < counts ? "1" : unit, r->cell[i]);
        }
        printf("\n");
    }
}

double bench_exponent(const double *x, const double *y, int count) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}
