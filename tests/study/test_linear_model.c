/* The linear model about a state: closed forms, the flow near a moving state on the constraints, and the modes. */
#include "scenes.h"
#include "step/sim.h"
#include "text_model.h"
#include <jounce/study.h>
#include <lapacke.h>
#include <stdlib.h>

/* Cart of 1 kg with a pole of 0.1 kg at its end 0.5 m away, hanging upwards. */
static void cart_and_pole(void **state) {
    (void)state;
    jn_model *m;
    jn_linear l;
    double M = 1, k = 0.1, length = 0.5, g = 9.81;
    jn_sim *sim = text_sim("plane: xy\nbodies:\n"
                           "  cart: {mass: 1, inertia: 1, com: [0, 0]}\n"
                           "  pole: {mass: 0.1, inertia: 0, com: [0, 0.5]}\n"
                           "joints:\n"
                           "  rail: {type: prismatic, between: [ground, cart], axis: x}\n"
                           "  pin: {type: revolute, between: [cart, pole], at: [0, 0]}\n",
                           &m);
    assert_int_equal(jn_study_linearise_sim(sim, NULL, &l), JN_OK);
    assert_int_equal(l.dof, 2);
    const double A[16] = {[2] = 1, [7] = 1, [9] = k * g / M, [13] = (M + k) * g / (M * length)};
    for (int i = 0; i < 16; i++) assert_near(l.A[i], A[i], 1e-12);
    assert_near(l.B[4], 1 / M, 1e-12); /* the pole's angle counts to the left, where the cart goes from under it */
    assert_near(l.B[6], 1 / (M * length), 1e-12);
    jn_linear_free(&l);
    jn_sim_free(sim), jn_model_free(m);
}

/* A body that spins freely about an axis: a turn across it goes round with it. */
static void spinning_body(void **state) {
    (void)state;
    jn_model *m;
    jn_linear l;
    jn_sim *sim =
        text_sim("gravity: [0, 0, 0]\nbodies:\n  b: {mass: 1, inertia: [1, 2, 3], angular_velocity: [0, 0, 5]}\n", &m);
    assert_int_equal(jn_study_linearise_sim(sim, NULL, &l), JN_OK);
    assert_int_equal(l.dof, 6);
    assert_near(l.A[3 * 12 + 4], -5, 1e-13); /* dtheta' = dw + w x dtheta */
    assert_near(l.A[4 * 12 + 3], 5, 1e-13);
    assert_near(l.A[9 * 12 + 10], -5, 1e-12); /* Euler: 1 w1' = (2 - 3) 5 w2, 2 w2' = (3 - 1) 5 w1 */
    assert_near(l.A[10 * 12 + 9], 5, 1e-12);
    jn_linear_free(&l);
    jn_sim_free(sim), jn_model_free(m);
}

/* States near a moving one, on the constraints: their velocities and accelerations are those of the linear model, up to what is
 * quadratic in the distance. */
static void check_flow(const char *file, const char *coordinates, double until) {
    char path[512];
    uint64_t seed = 5;
    jn_report report = {0};
    const jn_setting changes[] = {{"coordinates", coordinates}};
    snprintf(path, sizeof path, "%s/models/%s", JN_SOURCE_DIR, file);
    jn_description *d = jn_description_read(path, changes, 1, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    assert_true(jn_sim_advance(sim, until) >= 0);
    int nv = m->nv;
    jn_linear l;
    jn_state *moved = jn_state_create(m);
    double *z = calloc((size_t)nv, 8), *a[2], *u[2], h = 1e-5, worst = 0, size = 1;
    assert_int_equal(jn_study_linearise_sim(sim, NULL, &l), JN_OK);
    for (int k = 0; k < 2; k++) a[k] = calloc((size_t)nv + 1, 8), u[k] = calloc((size_t)nv + 1, 8);
    double *x = calloc(2 * (size_t)l.dof, 8);
    for (int r = 0; r < l.dof; r++) x[r] = scene_random(&seed);
    for (int i = 0; i < nv; i++)
        for (int r = 0; r < l.dof; r++) z[i] += l.Z[i * l.dof + r] * x[r];
    for (int side = 0; side < 2; side++) {
        jn_state_copy(moved, sim->s);
        jn_q_advance(m, moved->q, z, side ? h : -h);
        assert_int_equal(jn_project(m, sim->w, moved), JN_OK);
        memcpy(u[side], moved->u, (size_t)nv * 8);
        assert_int_equal(jn_sim_accelerate(sim, moved, NULL, a[side], sim->w->lambda), JN_OK);
    }
    for (int r = 0; r < l.dof; r++) x[l.dof + r] = (u[1][l.independent[r]] - u[0][l.independent[r]]) / (2 * h);
    for (int i = 0; i < nv; i++) { /* velocities that keep the constraints */
        double du = 0;
        for (int r = 0; r < l.dof; r++) du += l.Z[i * l.dof + r] * x[l.dof + r] + l.D[i * l.dof + r] * x[r];
        size = fmax(size, fabs(du));
        worst = fmax(worst, fabs(du - (u[1][i] - u[0][i]) / (2 * h)));
    }
    assert_below(worst / size, 1e-7);
    worst = 0, size = 1;
    for (int r = 0; r < l.dof; r++) {
        double found = (a[1][l.independent[r]] - a[0][l.independent[r]]) / (2 * h), given = 0;
        for (int c = 0; c < 2 * l.dof; c++) given += l.A[(l.dof + r) * 2 * l.dof + c] * x[c];
        size = fmax(size, fabs(found));
        worst = fmax(worst, fabs(found - given));
    }
    print_message("%s %s: %d degrees of freedom, %.1e\n", file, coordinates, l.dof, worst / size);
    assert_below(worst / size, 1e-6);
    for (int k = 0; k < 2; k++) free(a[k]), free(u[k]);
    free(x), free(z);
    jn_linear_free(&l), jn_state_free(moved);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

static void flow_on_the_constraints(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "absolute"};
    for (int k = 0; k < 2; k++) {
        check_flow("rodrigues2024/four_bar.yaml", coordinates[k], 0.2);
        check_flow("rodrigues2024/bennett.yaml", coordinates[k], 0.2);
        check_flow("iftomm/andrews.yaml", coordinates[k], 0.01);
        check_flow("iftomm/heavy_top.yaml", coordinates[k], 0.1);
        check_flow("rodrigues2024/rssr.yaml", coordinates[k], 0.1);
    }
}

/* About an equilibrium the eigenvalues of A are those of the modes, in both kinds of coordinates. */
static void eigenvalues_are_the_modes(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "absolute"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        jn_model *m;
        jn_linear l;
        jn_modes modes;
        jn_report report = {0};
        snprintf(text, sizeof text,
                 "plane: xy\ncoordinates: %s\nbodies:\n"
                 "  a: {mass: 1, inertia: 0.1, com: [0, -0.5]}\n  b: {mass: 2, inertia: 0.2, com: [0.5, -1]}\n"
                 "  c: {mass: 1, inertia: 0.1, com: [1, -0.5]}\n  d: {mass: 0.5, inertia: 0.03, com: [0.5, -1.3]}\n"
                 "joints:\n"
                 "  j1: {type: revolute, between: [ground, a], at: [0, 0], damping: 0.3}\n"
                 "  j2: {type: revolute, between: [a, b], at: [0, -1]}\n"
                 "  j3: {type: revolute, between: [b, c], at: [1, -1]}\n"
                 "  j4: {type: revolute, between: [ground, c], at: [1, 0], stiffness: 5}\n"
                 "  j5: {type: revolute, between: [b, d], at: [0.5, -1], damping: 0.1}\n",
                 coordinates[k]);
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_study_equilibrium(sim, &report) >= 0);
        assert_int_equal(jn_study_linearise_sim(sim, NULL, &l), JN_OK);
        assert_int_equal(jn_study_modes(sim, &modes, &report), JN_OK);
        assert_int_equal(l.dof, 2);
        assert_int_equal(modes.count, 2);
        double re[4], im[4];
        assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', 4, l.A, 4, re, im, NULL, 4, NULL, 4), 0);
        for (int i = 0; i < modes.count; i++) {
            double nearest = INFINITY;
            for (int r = 0; r < 4; r++)
                nearest = fmin(nearest, hypot(re[r] - modes.mode[i].re, im[r] - modes.mode[i].im));
            print_message("%s: mode %.9f %+.9f i, off by %.1e\n", coordinates[k], modes.mode[i].re, modes.mode[i].im,
                          nearest);
            assert_below(nearest, 1e-8);
        }
        jn_linear_free(&l), jn_modes_free(&modes);
        jn_sim_free(sim), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cart_and_pole), cmocka_unit_test(spinning_body),
                                       cmocka_unit_test(flow_on_the_constraints),
                                       cmocka_unit_test(eigenvalues_are_the_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
