/* Many robots at once: steps per second of N copies of ATHENA that walk by the nonsmooth method at 1 ms, on 1 to T threads.
 * Checked: every copy ends in the same bits as alone on one thread. */
#include "bench.h"
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 50, MOST_THREADS = 64 };

static jn_model *athena(void) {
    jn_report report = {0};
    jn_description *d =
        jn_description_read(JN_SOURCE_DIR "/models/rodrigues2024/athena_nonsmooth.yaml", NULL, 0, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_description_free(d);
    if (!m) bench_give_up("athena", report.item[0].text);
    return m;
}

static double processor_of_all_threads(void) { /* [s] */
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* [1/s]; the processor time of a step [us]; and the number of copies that differ from the hash, which the first call sets. */
static double steps_per_second(const jn_model *m, int count, int threads, double *cost, uint64_t *hash, int *wrong) {
    jn_report report = {0};
    double best = 0;
    *cost = INFINITY;
    for (int round = 0; round < 3; round++) {
        jn_batch *b = jn_batch_create(m, count, threads, &report);
        if (!b) bench_give_up("athena", report.item[0].text);
        double start = bench_now(), used = processor_of_all_threads();
        if (jn_batch_step(b, STEPS) < 0) bench_give_up("athena", "a step failed");
        double rate = (double)count * STEPS / (bench_now() - start);
        if (rate > best) best = rate;
        *cost = fmin(*cost, 1e6 * (processor_of_all_threads() - used) / ((double)count * STEPS));
        for (int i = 0; i < count; i++) {
            uint64_t found = jn_state_hash(jn_sim_state(jn_batch_sim(b, i)));
            if (!*hash) *hash = found;
            *wrong += found != *hash;
        }
        jn_batch_free(b);
    }
    return best;
}

int main(int argc, char **argv) {
    static const int sizes[] = {1, 4, 16, 64};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int most = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores, wrong = 0;
    uint64_t hash = 0;
    bench_begin(argc, argv, "batch");
    jn_model *m = athena();
    printf("ATHENA, steps of 1 ms: steps per second, and microseconds of processor per step\n  robots ");
    for (int threads = 1; threads <= most; threads *= 2) printf(" %10d thread%s", threads, threads > 1 ? "s" : " ");
    printf("\n");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        printf("  %6d ", sizes[k]);
        for (int threads = 1; threads <= most; threads *= 2) {
            char quantity[32];
            double cost, rate = steps_per_second(m, sizes[k], threads, &cost, &hash, &wrong);
            printf(" %10.0f %7.1f", rate, cost);
            fflush(stdout);
            snprintf(quantity, sizeof quantity, "threads_%d", threads);
            bench_record("athena", sizes[k], quantity, "steps/s", rate);
        }
        printf("\n");
    }
    bench_check("athena", "copies that differ", wrong, 0.5);
    jn_model_free(m);
    return bench_end();
}
