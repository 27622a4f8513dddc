/* Microseconds per call of the recursive algorithms and per step, on arms, a legged tree and chains, with other
 * programs on the same mechanisms where they are installed. A result is checked before its time counts. */
#include "bench.h"
#include "peer.h"
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double step_size = 1e-4; /* [s] */

static const peer *const peers[] = {
#ifdef BENCH_MUJOCO
    &peer_mujoco,
#endif
    NULL};

/* One mechanism at a random state, with accelerations a and the joint forces tau that belong to them. */
typedef struct setup {
    const char *name;
    jn_description *d;
    jn_model *m;
    jn_work *w;
    jn_state *s;
    int nv;
    double *a, *b, *tau;
    jn_sim *sim;
    double limit; /* of checks: round-off grows with the condition of the chain's mass matrix */
} setup;

static void job_rnea(void *context) {
    setup *x = context;
    jn_rnea(x->m, x->w, x->s, x->a, x->tau);
}
static void job_aba(void *context) {
    setup *x = context;
    jn_aba(x->m, x->w, x->s, x->tau, x->b);
}
static void job_crba(void *context) {
    setup *x = context;
    jn_mass_factor(x->m, x->w, x->s);
}
static void job_step(void *context) { jn_sim_step(((setup *)context)->sim, 1e9); }
static void job_restart(void *context) {
    setup *x = context;
    jn_state_copy(jn_sim_state(x->sim), x->s);
    jn_sim_restart(x->sim);
}

static double difference(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void set_up(setup *x, const char *name, jn_description *d) {
    jn_report report = {0};
    uint64_t seed = 1;
    *x = (setup){.name = name, .d = d, .m = jn_model_compile(d, &report)};
    if (!x->m) bench_give_up(name, report.item[0].text);
    x->nv = jn_model_nv(x->m);
    x->w = jn_work_create(x->m), x->s = jn_state_create(x->m);
    x->a = calloc((size_t)x->nv, sizeof(double)), x->b = calloc((size_t)x->nv, sizeof(double));
    x->tau = calloc((size_t)x->nv, sizeof(double));
    scene_random_state(x->m, x->s, 1, 1, &seed);
    for (int i = 0; i < x->nv; i++) x->a[i] = scene_random(&seed);
    x->limit = 1e-12 * fmax(10, (double)x->nv * x->nv);
    job_rnea(x);
}

static void tear_down(setup *x) {
    free(x->a), free(x->b), free(x->tau);
    jn_state_free(x->s), jn_work_free(x->w), jn_model_free(x->m), jn_description_free(x->d);
}

/* Forward dynamics undoes inverse dynamics, by recursion and by the factored mass matrix. */
static bool check_algorithms(setup *x, bool factored) {
    job_aba(x);
    if (!bench_check(x->name, "aba(rnea(a)) - a", difference(x->a, x->b, x->nv), x->limit)) return false;
    if (!factored) return true;
    jn_rnea(x->m, x->w, x->s, NULL, x->b);
    for (int i = 0; i < x->nv; i++) x->b[i] = x->tau[i] - x->b[i];
    job_crba(x);
    jn_mass_solve(x->m, x->w, x->b);
    return bench_check(x->name, "M^-1 (tau - bias) - a", difference(x->a, x->b, x->nv), x->limit);
}

static jn_sim *start(setup *x, jn_integrator integrator, jn_model **m) {
    jn_report report = {0};
    x->d->run.integrator = integrator;
    x->d->run.step = integrator == JN_INTEGRATOR_DOPRI45 ? 0 : step_size;
    x->d->run.max_step = step_size;
    x->d->run.relative_tolerance = x->d->run.absolute_tolerance = 1e-12;
    *m = jn_model_compile(x->d, &report);
    jn_sim *sim = jn_sim_create(*m, &report);
    if (!sim) bench_give_up(x->name, report.item[0].text);
    return sim;
}

static void coordinates_at(setup *x, jn_integrator integrator, double t, double *q) {
    jn_model *m;
    x->sim = start(x, integrator, &m);
    job_restart(x);
    if (jn_sim_advance(x->sim, t) < 0) bench_give_up(x->name, jn_sim_error(x->sim)->text);
    for (int i = 0; i < jn_model_nq(m); i++) q[i] = jn_sim_state(x->sim)->q[i];
    jn_sim_free(x->sim), jn_model_free(m);
}

/* Time of a step of each integrator, after a comparison of its motion over 20 steps with dopri45 at a tolerance of
 * 1e-12. dopri45 is held to the same step size, so that no step is rejected. */
static void time_steps(setup *x, double *us) {
    static const jn_integrator kind[] = {JN_INTEGRATOR_EULER, JN_INTEGRATOR_VERLET, JN_INTEGRATOR_RK4,
                                         JN_INTEGRATOR_DOPRI45};
    static const double limit[] = {2e-4, 2e-5, 1e-9, 1e-12};
    size_t nq = (size_t)jn_model_nq(x->m);
    double *right = calloc(nq, sizeof(double)), *found = calloc(nq, sizeof(double));
    coordinates_at(x, JN_INTEGRATOR_DOPRI45, 20 * step_size, right);
    for (int i = 0; i < 4; i++) {
        jn_model *m;
        coordinates_at(x, kind[i], 20 * step_size, found);
        double error = difference(right, found, (int)nq);
        if (!bench_check(x->name, jn_integrator_get_info(kind[i])->name, error, limit[i])) continue;
        x->sim = start(x, kind[i], &m);
        bench_best(&us[i], bench_microseconds(job_step, job_restart, x));
        jn_sim_free(x->sim), jn_model_free(m);
    }
    free(right), free(found);
}

/* The peer's accelerations must be ours before its time counts. */
static void time_peer(setup *x, const peer *p) {
    void *it = p->create(x->d, step_size);
    if (!it) return;
    jn_observe(x->m, x->w, x->s);
    p->set(it, x->m, x->w, x->s);
    p->accelerations(it, x->tau, x->b);
    if (bench_check(x->name, p->name, difference(x->a, x->b, x->nv), fmax(1e-8, 10 * x->limit))) {
        bench_job *job[4] = {p->rnea, p->forward, p->crba, p->step};
        double *us = bench_row_get(p->name, x->name, x->nv)->cell;
        for (int i = 0; i < 4; i++)
            if (job[i]) bench_best(&us[i], bench_microseconds(job[i], p->reset, it));
    }
    p->free(it);
}

static void measure(const char *name, jn_description *d, bool steps) {
    setup x;
    set_up(&x, name, d);
    double *us = bench_row_get("Jounce", name, x.nv)->cell;
    bool factored = x.nv <= 1000;
    if (check_algorithms(&x, factored)) {
        bench_best(&us[0], bench_microseconds(job_rnea, NULL, &x));
        bench_best(&us[1], bench_microseconds(job_aba, NULL, &x));
        if (factored) bench_best(&us[2], bench_microseconds(job_crba, NULL, &x));
    }
    if (steps) time_steps(&x, us + 3);
    for (int i = 0; peers[i] && factored; i++) time_peer(&x, peers[i]);
    tear_down(&x);
}

static void name_chain(char name[32], int length) { snprintf(name, 32, "chain %d", length); }

static void measure_all(bool long_chains) {
    measure("arm 2", scene_chain(2, JN_JOINT_REVOLUTE, 1), true);
    measure("arm 4", scene_chain(4, JN_JOINT_REVOLUTE, 2), true);
    measure("arm 6 (UR5)", scene_ur5(), true);
    measure("arm 7", scene_chain(7, JN_JOINT_REVOLUTE, 4), true);
    measure("tree 36", scene_legged(6, 5, 5), true);
    for (int length = 10; length <= (long_chains ? 10000 : 100); length *= 10) {
        char name[32];
        name_chain(name, length);
        measure(name, scene_chain(length, JN_JOINT_REVOLUTE, 6), length <= 100);
    }
}

/* rnea and aba are O(n). */
static void fit_chains(void) {
    static const char *const what[2] = {"exponent of rnea", "exponent of aba"};
    double n[4], us[4];
    for (int k = 0; k < 2; k++) {
        for (int i = 0, length = 10; i < 4; i++, length *= 10) {
            char name[32];
            name_chain(name, length);
            n[i] = length, us[i] = bench_row_get("Jounce", name, length)->cell[k];
        }
        double exponent = bench_exponent(n, us, 4);
        printf("%s over chains 10..10000: %.2f\n", what[k], exponent);
        bench_record("chains", 0, what[k], "1", exponent);
        bench_check("chains", what[k], exponent, 1.2);
    }
}

int main(int argc, char **argv) {
    static const char *const columns[] = {"rnea", "forward", "crba+factor", "euler", "verlet", "rk4", "dopri45"};
    enum { ROUNDS = 10 };
    bench_begin(argc, argv, "dynamics");
    for (int round = 0; round < ROUNDS; round++) measure_all(round % 5 == 0);
    const char *title = "microseconds per call (forward: aba; mj_forward in MuJoCo) or per step of 0.1 ms";
    bench_print(title, columns, 7, 0, "us");
    fit_chains();
    return bench_end();
}
