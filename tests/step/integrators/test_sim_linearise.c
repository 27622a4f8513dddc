/* Derivatives of whole simulations, compliant contacts and loops included: robots on their feet and wheels, against central
 * differences of the accelerations extrapolated to step zero. */
#include "step/sim.h"
#include "text_model.h"
#include <stdlib.h>

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static double *accelerations(jn_sim *sim, const jn_state *at, double *a) {
    double *lambda = numbers(sim->m->row_count);
    assert_true(jn_sim_accelerate(sim, at, NULL, a, lambda) >= 0);
    free(lambda);
    return a;
}

/* Column k by Richardson's extrapolation of steps h, h/2, h/4. */
static void column(jn_sim *sim, jn_state *moved, int k, bool by_u, double first, double *out) {
    int nv = sim->m->nv;
    double *e = numbers(nv), *a = numbers(nv), *t = numbers(3 * nv), h = first;
    e[k] = 1;
    for (int level = 0; level < 3; level++, h /= 2)
        for (int side = -1; side <= 1; side += 2) {
            jn_state_copy(moved, sim->s);
            if (by_u)
                moved->u[k] += side * h;
            else
                jn_q_advance(sim->m, moved->q, e, side * h);
            accelerations(sim, moved, a);
            for (int i = 0; i < nv; i++) t[level * nv + i] += side * a[i] / (2 * h);
        }
    for (int i = 0; i < nv; i++) {
        double b = (4 * t[nv + i] - t[i]) / 3, c = (4 * t[2 * nv + i] - t[nv + i]) / 3;
        out[i] = (16 * c - b) / 15;
    }
    free(e), free(a), free(t);
}

typedef struct robot {
    jn_description *d;
    jn_model *m;
    jn_sim *sim;
    jn_derivatives *out;
    jn_state *moved;
    double force; /* [N] of contacts */
} robot;

static robot open_robot(const char *file, double until) {
    char path[512];
    robot r = {0};
    jn_report report = {0};
    snprintf(path, sizeof path, "%s/models/%s", JN_SOURCE_DIR, file);
    r.d = jn_description_read(path, NULL, 0, &report);
    r.m = r.d ? jn_model_compile(r.d, &report) : NULL;
    check_report(&report);
    r.sim = jn_sim_create(r.m, &report);
    check_report(&report);
    assert_true(jn_sim_advance(r.sim, until) >= 0);
    r.out = jn_derivatives_create(r.m), r.moved = jn_state_create(r.m);
    assert_int_equal(jn_sim_derivatives(r.sim, NULL, r.out), JN_OK);
    for (int i = 0; i < r.m->contact_count; i++) r.force += r.sim->contacts->sum[i].fn;
    assert_true(r.force > 1);
    return r;
}

static void close_robot(robot *r) {
    jn_state_free(r->moved), jn_derivatives_free(r->out);
    jn_sim_free(r->sim), jn_model_free(r->m), jn_description_free(r->d);
}

static void athena_on_its_feet(void **state) {
    (void)state;
    robot r = open_robot("rodrigues2024/athena.yaml", 0.31);
    int nv = r.m->nv;
    double off[2] = {0}, size[2] = {1, 1}, *x = numbers(nv);
    for (int k = 0; k < nv; k++)
        for (int by_u = 0; by_u < 2; by_u++) {
            column(r.sim, r.moved, k, by_u, 1e-6, x);
            for (int i = 0; i < nv; i++) {
                off[by_u] = fmax(off[by_u], fabs((by_u ? r.out->a_u : r.out->a_q)[i * nv + k] - x[i]));
                size[by_u] = fmax(size[by_u], fabs(x[i]));
            }
        }
    print_message("athena: nv %d, rows %d, contacts push with %.1f N: by q %.1e of %.1e, by u %.1e of %.1e\n", nv,
                  r.m->row_count, r.force, off[0] / size[0], size[0], off[1] / size[1], size[1]);
    assert_below(off[0] / size[0], 1e-8);
    assert_below(off[1] / size[1], 1e-8);
    free(x);
    close_robot(&r);
}

/* Redundant rows: along a motion that keeps the constraints, with the velocities that go with it. */
static void charmie_on_its_wheels(void **state) {
    (void)state;
    robot r = open_robot("rodrigues2024/charmie_drive.yaml", 0.2);
    int nv = r.m->nv;
    double *z = numbers(nv), *a = numbers(nv), *t = numbers(6 * nv), h = 1e-6, off = 0, size = 1;
    srand(3);
    jn_state_copy(r.moved, r.sim->s);
    for (int i = 0; i < nv; i++) r.moved->u[i] += 2.0 * rand() / RAND_MAX - 1;
    assert_int_equal(jn_project(r.m, r.sim->w, r.moved), JN_OK);
    for (int i = 0; i < nv; i++) z[i] = r.moved->u[i] - r.sim->s->u[i]; /* drivers stand still along it */
    for (int level = 0; level < 3; level++, h /= 2)
        for (int side = -1; side <= 1; side += 2) {
            jn_state_copy(r.moved, r.sim->s);
            jn_q_advance(r.m, r.moved->q, z, side * h);
            assert_int_equal(jn_project(r.m, r.sim->w, r.moved), JN_OK);
            accelerations(r.sim, r.moved, a);
            for (int i = 0; i < nv; i++) t[level * nv + i] += side * a[i] / (2 * h);
            for (int i = 0; i < nv; i++) t[(3 + level) * nv + i] += side * r.moved->u[i] / (2 * h);
        }
    for (int i = 0; i < nv; i++) {
        double found = (64 * t[2 * nv + i] - 20 * t[nv + i] + t[i]) / 45, given = 0;
        for (int k = 0; k < nv; k++) {
            double du = (64 * t[5 * nv + k] - 20 * t[4 * nv + k] + t[3 * nv + k]) / 45;
            given += r.out->a_q[i * nv + k] * z[k] + r.out->a_u[i * nv + k] * du;
        }
        off = fmax(off, fabs(given - found)), size = fmax(size, fabs(found));
    }
    print_message("charmie: nv %d, rows %d, of which %d repeat others, contacts push with %.1f N: %.1e of %.1e\n", nv,
                  r.m->row_count, jn_redundancy_get(r.out), r.force, off / size, size);
    assert_below(off / size, 1e-7);
    free(z), free(a), free(t);
    close_robot(&r);
}

/* A controller is differentiated too. */
static void push_back(void *context, const jn_model *m, const jn_state *s, double *tau) {
    (void)context, (void)m;
    tau[0] = -7 * sin(s->q[0]) - 3 * s->u[0] * s->u[0];
}

static void controllers_count(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [1, 1, 1], com: [0, 0, 0]}}\n"
                           "joints: {j: {type: prismatic, between: [ground, b], axis: x, position: 0.4, speed: 0.3}}\n",
                           &m);
    jn_derivatives *out = jn_derivatives_create(m);
    jn_sim_on_control(sim, push_back, NULL);
    assert_int_equal(jn_sim_derivatives(sim, NULL, out), JN_OK);
    assert_near(out->a_q[0], -7 * cos(0.4) / 2, 1e-9);
    assert_near(out->a_u[0], -6 * 0.3 / 2, 1e-9);
    jn_derivatives_free(out);
    jn_sim_free(sim), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(athena_on_its_feet), cmocka_unit_test(charmie_on_its_wheels),
                                       cmocka_unit_test(controllers_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
