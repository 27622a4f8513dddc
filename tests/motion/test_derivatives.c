/* Jacobians, gravity and Coriolis terms, momentum, and the derivatives of inverse and forward dynamics, over all joint types:
 * against differences of fourth order and against identities. */
#include "check.h"
#include "scenes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    jn_model *m;
    jn_work *w;
    jn_state *s, *moved;
    jn_derivatives *d;
    int nv;
} fixture;

static fixture open_fixture(jn_description *d) {
    fixture f = {0};
    jn_report report = {0};
    f.m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    f.w = jn_work_create(f.m);
    f.s = jn_state_create(f.m);
    f.moved = jn_state_create(f.m);
    f.d = jn_derivatives_create(f.m);
    f.nv = jn_model_nv(f.m);
    return f;
}

static void close_fixture(fixture *f) {
    jn_derivatives_free(f->d);
    jn_state_free(f->s), jn_state_free(f->moved);
    jn_work_free(f->w);
    jn_model_free(f->m);
}

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

/* The state moved along velocity k by h, in q or in u. */
static void move(fixture *f, int k, double h, bool in_u) {
    jn_state_copy(f->moved, f->s);
    if (in_u) {
        f->moved->u[k] += h;
        return;
    }
    double *e = numbers(f->nv);
    e[k] = 1;
    jn_q_advance(f->m, f->moved->q, e, h);
    free(e);
}

typedef void function(fixture *f, const jn_state *at, const double *given, double *out);
static void inverse(fixture *f, const jn_state *at, const double *a, double *out) { jn_rnea(f->m, f->w, at, a, out); }
static void forward(fixture *f, const jn_state *at, const double *tau, double *out) {
    assert_int_equal(jn_aba(f->m, f->w, at, tau, out), JN_OK);
}

/* Largest deviation of a matrix from differences of fourth order, relative to its largest entry. */
static double deviation(fixture *f, function *call, const double *given, bool in_u, const double *matrix) {
    static const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    double *y = numbers(f->nv), *sum = numbers(f->nv), worst = 0, size = 1;
    for (int k = 0; k < f->nv; k++) {
        memset(sum, 0, (size_t)f->nv * sizeof *sum);
        for (int p = 0; p < 4; p++) {
            move(f, k, h * at[p], in_u);
            call(f, f->moved, given, y);
            for (int i = 0; i < f->nv; i++) sum[i] += weight[p] / h * y[i];
        }
        for (int i = 0; i < f->nv; i++) {
            worst = fmax(worst, fabs(sum[i] - matrix[i * f->nv + k]));
            size = fmax(size, fabs(sum[i]));
        }
    }
    free(y), free(sum);
    return worst / size;
}

static void check_derivatives(jn_description *d, const char *name, uint64_t seed) {
    fixture f = open_fixture(d);
    double *a = numbers(f.nv), *tau = numbers(f.nv), *M = numbers(f.nv * f.nv), off[4] = {0};
    for (int trial = 0; trial < 3; trial++) {
        scene_random_state(f.m, f.s, 1.5, 2, &seed);
        for (int i = 0; i < f.nv; i++) a[i] = 3 * scene_random(&seed);
        jn_inverse_derivatives(f.m, f.w, f.s, a, f.d);
        off[0] = fmax(off[0], deviation(&f, inverse, a, false, f.d->tau_q));
        off[1] = fmax(off[1], deviation(&f, inverse, a, true, f.d->tau_u));
        jn_rnea(f.m, f.w, f.s, a, tau);
        assert_int_equal(jn_forward_derivatives(f.m, f.w, f.s, tau, f.d), JN_OK);
        for (int i = 0; i < f.nv; i++) assert_near(f.d->a[i], a[i], 1e-9);
        off[2] = fmax(off[2], deviation(&f, forward, tau, false, f.d->a_q));
        off[3] = fmax(off[3], deviation(&f, forward, tau, true, f.d->a_u));
        jn_mass_matrix(f.m, f.w, f.s, M);
        for (int i = 0; i < f.nv; i++)
            for (int j = 0; j < f.nv; j++) {
                double one = 0;
                for (int k = 0; k < f.nv; k++) one += M[i * f.nv + k] * f.d->a_tau[k * f.nv + j];
                assert_near(one, i == j, 1e-9);
            }
    }
    printf("%-12s inverse: q %.0e u %.0e  forward: q %.0e u %.0e\n", name, off[0], off[1], off[2], off[3]);
    for (int k = 0; k < 4; k++) assert_below(off[k], 1e-8);
    free(a), free(tau), free(M);
    close_fixture(&f);
}

static void derivatives(void **state) {
    (void)state;
    for (int kind = JN_JOINT_REVOLUTE; kind <= JN_JOINT_FREE; kind++)
        check_derivatives(scene_chain(3, (jn_joint_type)kind, (uint64_t)kind + 1),
                          jn_joint_type_info((jn_joint_type)kind)->name, (uint64_t)kind + 40);
    check_derivatives(scene_mixed_tree(20, 0, 4), "tree", 8);
    check_derivatives(scene_mixed_tree(20, 3, 5), "reversed", 9);
    check_derivatives(scene_legged(6, 5, 3), "legged", 7);
    check_derivatives(scene_double_pendulum(), "planar", 10);
}

/* C u = c;  M' = C + C^T by differences along u;  gravity and Coriolis terms make up inverse dynamics. */
static void coriolis(void **state) {
    (void)state;
    fixture f = open_fixture(scene_mixed_tree(20, 0, 4));
    uint64_t seed = 3;
    int n = f.nv;
    double *C = numbers(n * n), *c = numbers(n), *g = numbers(n), *tau = numbers(n), *P = numbers(n * n),
           *Q = numbers(n * n), h = 1e-5;
    scene_random_state(f.m, f.s, 1.5, 2, &seed);
    jn_coriolis_matrix(f.m, f.w, f.s, f.d, C);
    jn_coriolis_forces(f.m, f.w, f.s, c);
    jn_gravity_forces(f.m, f.w, f.s, g);
    jn_rnea(f.m, f.w, f.s, NULL, tau);
    for (int side = 0; side < 2; side++) {
        jn_state_copy(f.moved, f.s);
        jn_q_advance(f.m, f.moved->q, f.s->u, side ? h : -h);
        jn_mass_matrix(f.m, f.w, f.moved, side ? Q : P);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            sum += C[i * n + j] * f.s->u[j];
            assert_near((Q[i * n + j] - P[i * n + j]) / (2 * h), C[i * n + j] + C[j * n + i], 1e-6);
        }
        assert_near(sum, c[i], 1e-10 * fmax(1, fabs(c[i])));
        assert_near(c[i] - g[i], tau[i], 1e-10 * fmax(1, fabs(tau[i])));
    }
    free(C), free(c), free(g), free(tau), free(P), free(Q);
    close_fixture(&f);
}

/* J u is the motion that jn_body_motion_get reports; J' u by differences along the motion at constant u; all three frames. */
static void jacobians(void **state) {
    (void)state;
    fixture f = open_fixture(scene_mixed_tree(20, 3, 4));
    uint64_t seed = 5;
    int n = f.nv;
    double *J = numbers(6 * n);
    const jn_vec3 at = {0.3, -0.2, 0.1};
    scene_random_state(f.m, f.s, 1.5, 2, &seed);
    for (int body = 1; body < jn_model_bodies(f.m); body++) {
        for (int frame = JN_FRAME_MIXED; frame <= JN_FRAME_WORLD; frame++) {
            double bias[6], rate[6] = {0}, h = 1e-5;
            for (int side = -1; side <= 1; side++) {
                jn_state_copy(f.moved, f.s);
                jn_q_advance(f.m, f.moved->q, f.s->u, side * h);
                jn_body_jacobian(f.m, f.w, f.moved, body, at, (jn_frame)frame, J, side ? NULL : bias);
                for (int r = 0; r < 6; r++) {
                    double sum = 0;
                    for (int k = 0; k < n; k++) sum += J[r * n + k] * f.s->u[k];
                    rate[r] += side * sum / (2 * h);
                }
            }
            for (int r = 0; r < 6; r++) assert_near(rate[r], bias[r], 1e-6 * fmax(1, fabs(bias[r])));
            if (frame != JN_FRAME_MIXED) continue;
            jn_body_jacobian(f.m, f.w, f.s, body, (jn_vec3){0, 0, 0}, JN_FRAME_MIXED, J, NULL);
            jn_body_motion b;
            jn_kinematics(f.m, f.w, f.s);
            jn_body_motion_get(f.m, f.w, body, &b);
            for (int r = 0; r < 6; r++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += J[r * n + k] * f.s->u[k];
                assert_near(sum, r < 3 ? (&b.velocity.x)[r] : (&b.angular_velocity.x)[r - 3], 1e-11);
            }
        }
    }
    free(J);
    close_fixture(&f);
}

/* Momentum: A u, the sum over the bodies, and its rate: the external forces. */
static void momentum(void **state) {
    (void)state;
    fixture f = open_fixture(scene_legged(4, 3, 3));
    uint64_t seed = 6;
    int n = f.nv;
    double *A = numbers(6 * n), *a = numbers(n), *tau = numbers(n), h = 1e-5;
    scene_random_state(f.m, f.s, 1.5, 2, &seed);
    jn_momentum p = jn_momentum_get(f.m, f.w, f.s, A), side[2];
    for (int r = 0; r < 6; r++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += A[r * n + k] * f.s->u[k];
        assert_near(sum, r < 3 ? (&p.linear.x)[r] : (&p.angular.x)[r - 3], 1e-11);
    }
    for (int k = 6; k < n; k++) tau[k] = scene_random(&seed); /* inner forces */
    assert_int_equal(jn_aba(f.m, f.w, f.s, tau, a), JN_OK);
    for (int k = 0; k < 2; k++) {
        double e = k ? h : -h;
        jn_state_copy(f.moved, f.s);
        for (int i = 0; i < n; i++) f.moved->u[i] += 0.5 * e * a[i];
        jn_q_advance(f.m, f.moved->q, f.moved->u, e);
        for (int i = 0; i < n; i++) f.moved->u[i] += 0.5 * e * a[i];
        side[k] = jn_momentum_get(f.m, f.w, f.moved, NULL);
    }
    const double weight[3] = {0, 0, -9.81 * p.mass};
    for (int k = 0; k < 3; k++) {
        assert_near(((&side[1].linear.x)[k] - (&side[0].linear.x)[k]) / (2 * h), weight[k], 1e-5 * p.mass);
        assert_near(((&side[1].angular.x)[k] - (&side[0].angular.x)[k]) / (2 * h), 0, 1e-5 * p.mass);
    }
    free(A), free(a), free(tau);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(coriolis),
                                       cmocka_unit_test(jacobians), cmocka_unit_test(momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
