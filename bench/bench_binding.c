/* The C side of bench_python.py: microseconds of processor time for one step of a model. usage: bench_binding MODEL STEPS; prints the
 * best of several rounds. */
#include "bench.h"
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7 };

static double processor(void) { /* [s] of all threads */
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double alone(const jn_model *m, long steps) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        jn_sim *sim = jn_sim_create(m, NULL);
        if (!sim) bench_give_up("binding", "no simulation");
        double start = processor();
        for (long k = 0; k < steps; k++)
            if (jn_sim_step(sim, jn_sim_state(sim)->t + 1) < 0) bench_give_up("binding", "a step failed");
        best = fmin(best, 1e6 * (processor() - start) / (double)steps);
        jn_sim_free(sim);
    }
    return best;
}

int main(int argc, char **argv) {
    if (argc != 3) { /* run by itself among the other benchmarks: nothing to compare with */
        printf("bench_binding is called by bench/bench_python.py\n");
        return 0;
    }
    jn_report report = {0};
    jn_description *d = jn_description_read(argv[1], NULL, 0, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    if (!m) bench_give_up("binding", report.count ? report.item[0].text : "no model");
    printf("%.6f\n", alone(m, strtol(argv[2], NULL, 10)));
    jn_model_free(m);
    jn_description_free(d);
    return 0;
}
