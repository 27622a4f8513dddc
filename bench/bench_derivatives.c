/* Microseconds of the derivatives of forward dynamics: along the tree, and with everything that acts; against central differences
 * of the accelerations, which is what one does without them. Checked against each other before a time counts; along a motion
 * that keeps the constraints where rows are redundant. */
#include "bench.h"
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setup {
    jn_description *d;
    jn_model *m;
    jn_sim *sim;
    jn_state *moved;
    jn_derivatives *out;
    int nv, rows;
    double *tau, *a, *lambda, *e;       /* (nv), (nv), (rows), (nv) */
    double *by_q, *by_u, *by_tau, step; /* (nv x nv) by differences, columns one after the other */
} setup;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void set_up(setup *x, const char *name, jn_description *d, double until) {
    jn_report report = {0};
    *x = (setup){.d = d, .m = d ? jn_model_compile(d, &report) : NULL, .step = 1e-6};
    x->sim = x->m ? jn_sim_create(x->m, &report) : NULL;
    if (!x->sim) bench_give_up(name, report.item[0].text);
    if (until > 0 && jn_sim_advance(x->sim, until) < 0) bench_give_up(name, jn_sim_error(x->sim)->text);
    x->nv = jn_model_nv(x->m), x->rows = jn_model_rows(x->m);
    x->moved = jn_state_create(x->m), x->out = jn_derivatives_create(x->m);
    x->tau = numbers(x->nv), x->a = numbers(x->nv), x->lambda = numbers(x->rows), x->e = numbers(x->nv);
    x->by_q = numbers(x->nv * x->nv), x->by_u = numbers(x->nv * x->nv), x->by_tau = numbers(x->nv * x->nv);
    uint64_t seed = 3;
    if (until == 0) scene_random_state(x->m, jn_sim_state(x->sim), x->rows ? 0 : 1, 1, &seed);
    if (x->rows) jn_project(x->m, jn_sim_work(x->sim), jn_sim_state(x->sim));
}

static void tear_down(setup *x) {
    free(x->tau), free(x->a), free(x->lambda), free(x->e), free(x->by_q), free(x->by_u), free(x->by_tau);
    jn_derivatives_free(x->out), jn_state_free(x->moved);
    jn_sim_free(x->sim), jn_model_free(x->m), jn_description_free(x->d);
}

static void job_tree(void *context) {
    setup *x = context;
    jn_forward_derivatives(x->m, jn_sim_work(x->sim), jn_sim_state(x->sim), x->tau, x->out);
}
static void job_all(void *context) {
    setup *x = context;
    jn_sim_derivatives(x->sim, x->tau, x->out);
}
static void job_accelerate(void *context) {
    setup *x = context;
    jn_sim_accelerate(x->sim, jn_sim_state(x->sim), x->tau, x->a, x->lambda);
}

static void add_side(setup *x, double side, double *column) {
    jn_sim_accelerate(x->sim, x->moved, x->tau, x->a, x->lambda);
    for (int i = 0; i < x->nv; i++) column[i] += side / (2 * x->step) * x->a[i];
}

static void job_differences(void *context) {
    setup *x = context;
    size_t size = (size_t)(x->nv * x->nv) * sizeof(double);
    memset(x->by_q, 0, size), memset(x->by_u, 0, size), memset(x->by_tau, 0, size);
    for (int k = 0; k < x->nv; k++)
        for (int side = -1; side <= 1; side += 2) {
            jn_state_copy(x->moved, jn_sim_state(x->sim));
            x->e[k] = 1;
            jn_q_advance(x->m, x->moved->q, x->e, side * x->step);
            x->e[k] = 0;
            add_side(x, side, x->by_q + k * x->nv);
            jn_state_copy(x->moved, jn_sim_state(x->sim));
            x->moved->u[k] += side * x->step;
            add_side(x, side, x->by_u + k * x->nv);
            jn_state_copy(x->moved, jn_sim_state(x->sim));
            x->tau[k] += side * x->step;
            add_side(x, side, x->by_tau + k * x->nv);
            x->tau[k] -= side * x->step;
        }
}

/* Largest difference between the two, against the largest entry. */
static double disagreement(setup *x) {
    const double *exact[] = {x->out->a_q, x->out->a_u, x->out->a_tau}, *other[] = {x->by_q, x->by_u, x->by_tau};
    double worst = 0;
    for (int n = 0; n < 3; n++) {
        double off = 0, size = 1;
        for (int i = 0; i < x->nv; i++)
            for (int k = 0; k < x->nv; k++) {
                off = fmax(off, fabs(exact[n][i * x->nv + k] - other[n][k * x->nv + i]));
                size = fmax(size, fabs(exact[n][i * x->nv + k]));
            }
        worst = fmax(worst, off / size);
    }
    return worst;
}

/* [us] of one call: long ones by what the processor gave, best of a few. */
static double microseconds(bench_job *job, setup *x) {
    double start = bench_processor(), best = INFINITY;
    job(x);
    if (bench_processor() - start < 1e-3) return bench_microseconds(job, NULL, x);
    for (int k = 0; k < 4; k++) {
        start = bench_processor();
        job(x);
        best = fmin(best, 1e6 * (bench_processor() - start));
    }
    return best;
}

/* Where rows repeat others, differences off the constraints mean nothing: that their number is right must do here, the derivatives
 * themselves are tested (tests/motion/test_linearise.c). */
static void measure(const char *name, jn_description *d, double until, int redundant) {
    setup x;
    set_up(&x, name, d, until);
    bench_row *row = bench_row_get("Jounce", name, x.nv);
    job_all(&x);
    job_differences(&x);
    bool fine = redundant ? bench_check(name, "repeated rows", abs(jn_redundancy_get(x.out) - redundant), 0)
                          : bench_check(name, "against differences", disagreement(&x), 1e-5);
    row->cell[0] = x.nv, row->cell[1] = x.rows;
    if (fine) {
        bench_best(&row->cell[2], microseconds(job_accelerate, &x));
        bench_best(&row->cell[3], x.rows ? NAN : microseconds(job_tree, &x));
        bench_best(&row->cell[4], microseconds(job_all, &x));
        bench_best(&row->cell[5], microseconds(job_differences, &x));
        row->cell[6] = row->cell[5] / row->cell[4];
    }
    tear_down(&x);
}

static jn_description *from_file(const char *file, jn_coordinates coordinates) {
    char path[512];
    jn_report report = {0};
    snprintf(path, sizeof path, "%s/models/rodrigues2024/%s", JN_SOURCE_DIR, file);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    if (!d) bench_give_up(file, report.item[0].text);
    d->coordinates = coordinates;
    return d;
}

static jn_description *four_bars(int n, jn_coordinates coordinates) {
    jn_description *d = scene_four_bars(n);
    d->coordinates = coordinates;
    return d;
}

int main(int argc, char **argv) {
    static const char *const columns[] = {"nv", "rows", "forward", "tree", "all", "differences", "gain"};
    bench_begin(argc, argv, "derivatives");
    for (int round = 0; round < 3; round++) {
        measure("arm, 6 joints (UR5)", scene_ur5(), 0, 0);
        measure("tree, 36 velocities", scene_legged(6, 5, 3), 0, 0);
        measure("chain of 100", scene_chain(100, JN_JOINT_REVOLUTE, 6), 0, 0);
        measure("3 four-bars", four_bars(3, JN_COORDINATES_RELATIVE), 0.01, 0);
        measure("3 four-bars, absolute", four_bars(3, JN_COORDINATES_ABSOLUTE), 0.01, 0);
        measure("ATHENA on its feet", from_file("athena.yaml", JN_COORDINATES_RELATIVE), 0.31, 0);
        measure("CHARMIE on its wheels", from_file("charmie_drive.yaml", JN_COORDINATES_RELATIVE), 0.2, 40);
        measure("CHARMIE, absolute", from_file("charmie.yaml", JN_COORDINATES_ABSOLUTE), 0, 40);
    }
    bench_print("derivatives of forward dynamics", columns, 7, 2, "us");
    return bench_end();
}
