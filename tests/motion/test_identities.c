/* Identities between the algorithms: each computes the same thing in another way. */
#include "check.h"
#include "motion/work.h"
#include "scenes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    jn_model *m;
    jn_work *w;
    jn_state *s;
    int nv;
    double *a, *b, *tau, *M;
} fixture;

static fixture open_fixture(jn_description *d) {
    fixture f = {0};
    jn_report report = {0};
    f.m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    f.w = jn_work_create(f.m);
    f.s = jn_state_create(f.m);
    f.nv = jn_model_nv(f.m);
    f.a = calloc((size_t)f.nv + 1, sizeof(double)), f.b = calloc((size_t)f.nv + 1, sizeof(double));
    f.tau = calloc((size_t)f.nv + 1, sizeof(double)), f.M = calloc((size_t)f.nv * (size_t)f.nv + 1, sizeof(double));
    return f;
}

static void close_fixture(fixture *f) {
    free(f->a), free(f->b), free(f->tau), free(f->M);
    jn_state_free(f->s);
    jn_work_free(f->w);
    jn_model_free(f->m);
}

static double difference(const double *a, const double *b, int n) {
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most / size;
}

/* Rotors on all coordinates that can have one. */
static void add_rotors(jn_description *d, uint64_t seed) {
    for (int k = 0; k < d->joint_count; k++) {
        const jn_joint_info *info = jn_joint_type_info(d->joints[k].type);
        int scalars = info->nq == info->nv ? info->nv : 0;
        for (int i = 0; i < scalars; i++) d->joints[k].coordinate[i].armature = fabs(scene_random(&seed));
    }
}

/* Two solutions at once are those of one after the other, to the last bit. */
static void check_two(const fixture *f, uint64_t *seed) {
    size_t bytes = (size_t)f->nv * sizeof(double);
    double *x = malloc(bytes), *y = malloc(bytes), *one = malloc(bytes), *other = malloc(bytes), *both = malloc(2 * bytes);
    for (int i = 0; i < f->nv; i++) x[i] = one[i] = scene_random(seed), y[i] = other[i] = scene_random(seed);
    jn_mass_solve(f->m, f->w, one), jn_mass_solve(f->m, f->w, other);
    jn_mass_solve_two(f->m, f->w, x, y, both);
    assert_memory_equal(x, one, bytes);
    assert_memory_equal(y, other, bytes);
    free(x), free(y), free(one), free(other), free(both);
}

static void check_tree(jn_description *d, uint64_t seed) {
    fixture f = open_fixture(d);
    for (int trial = 0; trial < 5; trial++) {
        scene_random_state(f.m, f.s, 1.5, 2, &seed);
        for (int i = 0; i < f.nv; i++) f.a[i] = 3 * scene_random(&seed);
        /* forward after inverse dynamics */
        jn_rnea(f.m, f.w, f.s, f.a, f.tau);
        assert_int_equal(jn_aba(f.m, f.w, f.s, f.tau, f.b), JN_OK);
        assert_below(difference(f.b, f.a, f.nv), 3e-11); /* round-off: 1.1e-11 seen */
        /* factorised mass matrix */
        double *h = calloc((size_t)f.nv, sizeof *h);
        jn_rnea(f.m, f.w, f.s, NULL, h);
        for (int i = 0; i < f.nv; i++) f.b[i] = f.tau[i] - h[i];
        assert_int_equal(jn_mass_factor(f.m, f.w, f.s), JN_OK);
        jn_mass_solve(f.m, f.w, f.b);
        assert_below(difference(f.b, f.a, f.nv), 1e-11);
        check_two(&f, &seed);
        /* dense mass matrix: M a + h = tau, and kinetic energy u M u / 2 */
        jn_mass_matrix(f.m, f.w, f.s, f.M);
        double kinetic = 0;
        for (int i = 0; i < f.nv; i++) {
            f.b[i] = h[i];
            for (int j = 0; j < f.nv; j++) {
                f.b[i] += f.M[i * f.nv + j] * f.a[j];
                kinetic += 0.5 * f.s->u[i] * f.M[i * f.nv + j] * f.s->u[j];
            }
        }
        assert_below(difference(f.b, f.tau, f.nv), 1e-12);
        jn_kinematics(f.m, f.w, f.s);
        assert_near(jn_energy_get(f.m, f.w).kinetic, kinetic, 1e-12 * fmax(1, kinetic));
        free(h);
    }
    close_fixture(&f);
}

static void trees_agree(void **state) {
    (void)state;
    static const jn_joint_type types[] = {JN_JOINT_REVOLUTE,  JN_JOINT_PRISMATIC, JN_JOINT_SCREW, JN_JOINT_CYLINDRICAL,
                                          JN_JOINT_UNIVERSAL, JN_JOINT_SPHERICAL, JN_JOINT_FREE};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) check_tree(scene_chain(4, types[k], k + 1), k + 100);
    check_tree(scene_legged(6, 5, 3), 7);
    check_tree(scene_mixed_tree(30, 0, 4), 8);
    check_tree(scene_mixed_tree(30, 3, 5), 9);
    check_tree(scene_double_pendulum(), 10);
}

static void rotors_agree(void **state) {
    (void)state;
    for (int kind = JN_JOINT_REVOLUTE; kind <= JN_JOINT_FREE; kind++) {
        if (kind == JN_JOINT_PLANAR) continue;
        jn_description *d = scene_chain(4, (jn_joint_type)kind, (uint64_t)kind + 1);
        add_rotors(d, (uint64_t)kind);
        check_tree(d, (uint64_t)kind + 200);
    }
    jn_description *d = scene_mixed_tree(30, 0, 5);
    add_rotors(d, 3);
    check_tree(d, 11);
}

/* Gives every body a frame of its own, somewhere and turned somehow. */
static void turn_bodies(jn_description *d, uint64_t seed) {
    for (int i = 1; i < d->body_count; i++) {
        double q[4], size = 0;
        for (int k = 0; k < 4; k++) q[k] = scene_random(&seed), size += q[k] * q[k];
        size = sqrt(size);
        d->bodies[i].orientation = (jn_quat){q[0] / size, q[1] / size, q[2] / size, q[3] / size};
        d->bodies[i].at = (jn_vec3){scene_random(&seed), scene_random(&seed), scene_random(&seed)};
    }
}

/* Forces and dampers on all joint coordinates: they act along the same axes in both coordinates. */
static void push_joints(jn_description *d, uint64_t seed) {
    for (int k = 0; k < d->joint_count; k++)
        for (int i = 0; i < jn_joint_type_info(d->joints[k].type)->nv; i++) {
            char text[64];
            jn_report report = {0};
            snprintf(text, sizeof text, "%.3f", scene_random(&seed));
            d->joints[k].coordinate[i].damping = fabs(scene_random(&seed));
            d->joints[k].coordinate[i].force = jn_description_function(d, text, &report);
            check_report(&report);
        }
}

/* The same tree in absolute coordinates: every joint a constraint, solved through the KKT matrix. */
static void absolute_agrees(jn_description *(*make)(uint64_t), uint64_t seed, bool turned, double tolerance) {
    jn_description *d = make(seed), *e = make(seed);
    e->coordinates = JN_COORDINATES_ABSOLUTE;
    if (turned) turn_bodies(d, seed), turn_bodies(e, seed), push_joints(d, seed), push_joints(e, seed);
    fixture rel = open_fixture(d), abs_ = open_fixture(e);
    int nb = jn_model_bodies(rel.m);
    jn_body_motion *bodies = calloc((size_t)nb, sizeof *bodies);
    for (int trial = 0; trial < 3; trial++) {
        scene_random_state(rel.m, rel.s, 1, 1.5, &seed);
        assert_int_equal(jn_observe(rel.m, rel.w, rel.s), JN_OK);
        for (int i = 0; i < nb; i++) jn_body_motion_get(rel.m, rel.w, i, &bodies[i]);
        jn_state_from_bodies(abs_.m, abs_.w, abs_.s, bodies);
        double violation[2];
        jn_constraint_residual(abs_.m, abs_.w, abs_.s, NULL, NULL, violation);
        assert_below(violation[0], 1e-12);
        assert_below(violation[1], 1e-11);
        assert_int_equal(jn_observe(abs_.m, abs_.w, abs_.s), JN_OK);
        for (int i = 1; i < nb; i++) {
            jn_body_motion b;
            jn_body_motion_get(abs_.m, abs_.w, i, &b);
            double size =
                1 + fabs(bodies[i].acceleration.x) + fabs(bodies[i].acceleration.y) + fabs(bodies[i].acceleration.z);
            assert_near(b.acceleration.x, bodies[i].acceleration.x, tolerance * size);
            assert_near(b.acceleration.y, bodies[i].acceleration.y, tolerance * size);
            assert_near(b.acceleration.z, bodies[i].acceleration.z, tolerance * size);
            assert_near(b.angular_acceleration.x, bodies[i].angular_acceleration.x, tolerance * size * 10);
        }
        for (int j = 0; j < jn_model_joints(rel.m); j++) { /* coordinates and reactions */
            jn_joint_motion x, y;
            jn_joint_motion_get(rel.m, rel.w, j, &x);
            jn_joint_motion_get(abs_.m, abs_.w, j, &y);
            double size = 1 + fabs(x.reaction.f.x) + fabs(x.reaction.f.y) + fabs(x.reaction.f.z);
            for (int k = 0; k < jn_model_joint_nv(rel.m, j); k++) {
                assert_near(y.u[k], x.u[k], 1e-10);
                assert_near(y.a[k], x.a[k], tolerance * 100);
            }
            assert_near(y.reaction.f.x, x.reaction.f.x, tolerance * size);
            assert_near(y.reaction.f.y, x.reaction.f.y, tolerance * size);
            assert_near(y.reaction.f.z, x.reaction.f.z, tolerance * size);
            assert_near(y.reaction.n.x, x.reaction.n.x, tolerance * size);
            assert_near(y.reaction.n.y, x.reaction.n.y, tolerance * size);
            assert_near(y.reaction.n.z, x.reaction.n.z, tolerance * size);
        }
    }
    free(bodies);
    close_fixture(&rel);
    close_fixture(&abs_);
}

static jn_description *small_tree(uint64_t seed) { return scene_mixed_tree(10, 0, seed); }
static jn_description *reversed_tree(uint64_t seed) { return scene_mixed_tree(10, 2, seed); }
static jn_description *large_tree(uint64_t seed) { return scene_mixed_tree(60, 3, seed); }

static void coordinates_agree(void **state) {
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            absolute_agrees(small_tree, 11 + seed, turned, 1e-8);
            absolute_agrees(reversed_tree, 51 + seed, turned, 1e-8);
        }
        absolute_agrees(large_tree, 13, turned, 1e-7); /* sparse solver */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_agree), cmocka_unit_test(rotors_agree),
                                       cmocka_unit_test(coordinates_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
