/* What the benchmarks share: timing, checks, and the table of results. */
#ifndef JN_BENCH_BENCH_H
#define JN_BENCH_BENCH_H

#include <stdbool.h>

typedef void bench_job(void *context);

/* [s] for which one solve of a contact problem is repeated, ours and a peer's. */
#define BENCH_REPEAT 0.1

/* [s] monotonic clock. */
double bench_now(void);
/* [s] of the processor that this thread has had: what a long computation costs on a machine that others use too. */
double bench_processor(void);
/* [us] of one undisturbed call: the best of up to 12 batches, each of at least half a millisecond. reset, which may be
 * NULL, runs before every batch and is not counted. On a shared machine disturbances last longer than this: programs go
 * round all their measurements several times and keep the best of each (bench_best). */
double bench_microseconds(bench_job *job, bench_job *reset, void *context);

/* Reads the arguments: --csv FILE appends results to a file. */
void bench_begin(int argc, char **argv, const char *program);
/* Value of an argument such as "--svg", or NULL. */
const char *bench_argument(int argc, char **argv, const char *name);
/* One result: program,scene,size,quantity,unit,value. NaN is left out. */
void bench_record(const char *scene, int size, const char *quantity, const char *unit, double value);
/* A time counts only if what was computed is right: error <= limit. A failure is printed and remembered. */
bool bench_check(const char *scene, const char *what, double error, double limit);
/* Ends the program for a reason that is no measurement: a scene that cannot be built. */
void bench_give_up(const char *scene, const char *text);
/* Exit status: 1 if a check failed. */
int bench_end(void);

/* One line of a table. Cells start as NaN. */
enum { BENCH_CELLS = 8 };
typedef struct bench_row {
    char who[16], scene[32];
    int size;
    double cell[BENCH_CELLS];
} bench_row;
/* The row of that name, made if it is new. At most 128 rows, in the order of their making. */
bench_row *bench_row_get(const char *who, const char *scene, int size);
/* The smaller of the two; NaN counts as nothing. */
void bench_best(double *cell, double value);
/* Prints all rows under a head of column names and records them in the unit; the first `counts` columns are plain
 * numbers. */
void bench_print(const char *title, const char *const *columns, int count, int counts, const char *unit);

/* A number in a table cell of the given width; a dash for NaN. */
void bench_cell(int width, double value);
/* Slope of log y against log x by least squares. */
double bench_exponent(const double *x, const double *y, int count);

#endif
