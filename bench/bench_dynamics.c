/* Microseconds per call of the recursive algorithms and per step, on arms, a legged tree and chains. Each result is checked
 * before its time counts: forward dynamics must undo inverse dynamics. */
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench {
    jn_model *m;
    jn_work *w;
    jn_state *s;
    double *a, *b, *tau;
} bench;

typedef void job(bench *b);
static void job_rnea(bench *b) { jn_rnea(b->m, b->w, b->s, b->a, b->tau); }
static void job_aba(bench *b) { jn_aba(b->m, b->w, b->s, b->tau, b->b); }
static void job_crba(bench *b) { jn_mass_factor(b->m, b->w, b->s); }

/* Best of several batches: the time of one undisturbed call. */
static double microseconds(job *run, bench *b) {
    double best = 1e9;
    int calls = 1;
    for (double spent = 0; spent < 2e-3; calls *= 2) {
        double t = now();
        for (int i = 0; i < calls; i++) run(b);
        spent = now() - t;
    }
    for (int batch = 0; batch < 15; batch++) {
        double t = now();
        for (int i = 0; i < calls; i++) run(b);
        best = fmin(best, (now() - t) / calls);
    }
    return 1e6 * best;
}

static double per_step(jn_description *d, jn_integrator integrator) {
    jn_report report = {0};
    d->run.integrator = integrator;
    d->run.step = 1e-4;
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = jn_sim_create(m, &report);
    double best = 1e9;
    for (int batch = 0; batch < 8; batch++) {
        double t = now();
        for (int i = 0; i < 200; i++) jn_sim_step(sim, 1e9);
        best = fmin(best, (now() - t) / 200);
    }
    jn_sim_free(sim);
    jn_model_free(m);
    return 1e6 * best;
}

static void measure(const char *name, jn_description *d, bool steps) {
    jn_report report = {0};
    uint64_t seed = 1;
    bench b = {.m = jn_model_compile(d, &report)};
    if (!b.m) {
        printf("%-14s %s\n", name, report.item[0].text);
        exit(1);
    }
    int nv = jn_model_nv(b.m);
    b.w = jn_work_create(b.m), b.s = jn_state_create(b.m);
    b.a = calloc((size_t)nv, 8), b.b = calloc((size_t)nv, 8), b.tau = calloc((size_t)nv, 8);
    scene_random_state(b.m, b.s, 1, 1, &seed);
    for (int i = 0; i < nv; i++) b.a[i] = scene_random(&seed);
    job_rnea(&b), job_aba(&b);
    double error = 0;
    for (int i = 0; i < nv; i++) error = fmax(error, fabs(b.a[i] - b.b[i]));
    double rnea = microseconds(job_rnea, &b), aba = microseconds(job_aba, &b), crba = nv <= 1000 ? microseconds(job_crba, &b) : NAN;
    printf("%-14s %6d  %9.3f  %9.3f  %9.3f", name, nv, rnea, aba, crba);
    if (steps) printf("  %9.3f  %9.3f", per_step(d, JN_INTEGRATOR_EULER), per_step(d, JN_INTEGRATOR_RK4));
    printf("%s  aba(rnea(a)) - a = %.1e\n", steps ? "" : "                      ", error);
    free(b.a), free(b.b), free(b.tau);
    jn_state_free(b.s), jn_work_free(b.w), jn_model_free(b.m);
    jn_description_free(d);
}

int main(void) {
    printf("%-14s %6s  %9s  %9s  %9s  %9s  %9s\n", "microseconds", "nv", "rnea", "aba", "crba+ltdl", "euler", "rk4");
    measure("arm 2", scene_chain(2, JN_JOINT_REVOLUTE, 1), true);
    measure("arm 4", scene_chain(4, JN_JOINT_REVOLUTE, 2), true);
    measure("arm 6", scene_chain(6, JN_JOINT_REVOLUTE, 3), true);
    measure("arm 7", scene_chain(7, JN_JOINT_REVOLUTE, 4), true);
    measure("tree 36", scene_legged(6, 5, 5), true);
    for (int n = 10; n <= 10000; n *= 10) {
        char name[32];
        snprintf(name, sizeof name, "chain %d", n);
        measure(name, scene_chain(n, JN_JOINT_REVOLUTE, 6), n <= 100);
    }
    return 0;
}
