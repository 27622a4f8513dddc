/* The three equations of a body in a plane give what the six in space give: poses, velocities, forces, inertia. */
#include "motion/work.h"
#include "text_model.h"
#include <string.h>

/* Every joint of a plane, one of them from its second body to its first, a branch, rotors. */
#define TREE                                                                                                           \
    "plane: xy\n"                                                                                                      \
    "bodies:\n"                                                                                                        \
    "  crank: {mass: 2, inertia: 0.1, com: [0.3, 0.1]}\n"                                                              \
    "  slide: {mass: 1.5, inertia: 0.2, com: [0.9, -0.2]}\n"                                                           \
    "  tip: {mass: 0.7, inertia: 0.03, com: [1.4, 0.3]}\n"                                                             \
    "  plate: {mass: 3, inertia: 0.4, com: [-0.5, 0.6]}\n"                                                             \
    "  arm: {mass: 0.4, inertia: 0.02, com: [-0.9, 0.8]}\n"                                                            \
    "joints:\n"                                                                                                        \
    "  a: {type: revolute, between: [crank, ground], at: [0, 0], armature: 0.05}\n"                                    \
    "  b: {type: prismatic, between: [crank, slide], at: [0.6, 0], axis: [3, 4]}\n"                                    \
    "  c: {type: revolute, between: [slide, tip], at: [1.2, 0.1]}\n"                                                   \
    "  d: {type: revolute, between: [plate, arm], at: [-0.7, 0.7]}\n"

typedef struct both {
    jn_model *m;
    jn_work *flat, *space;
    jn_state *s;
} both;

static both start(const char *text) {
    jn_report report = {0};
    both x = {.m = text_model(text, &report)};
    check_report(&report);
    x.flat = jn_work_create(x.m), x.space = jn_work_create(x.m), x.s = jn_state_create(x.m);
    for (int k = 0; k < x.m->nq; k++) x.s->q[k] = sin(1.7 * k + 0.3);
    for (int k = 0; k < x.m->nv; k++) x.s->u[k] = 3 * cos(2.3 * k);
    jn_kinematics(x.m, x.flat, x.s);
    x.m->flat = false;
    jn_kinematics(x.m, x.space, x.s);
    x.m->flat = true;
    return x;
}

static void finish(both *x) { jn_work_free(x->flat), jn_work_free(x->space), jn_state_free(x->s), jn_model_free(x->m); }

static void assert_alike(const double *a, const double *b, size_t n) {
    for (size_t k = 0; k < n; k++) assert_near(a[k], b[k], 1e-13 * (1 + fabs(b[k])));
}

static void poses_and_velocities(void **state) {
    (void)state;
    both x = start(TREE);
    jn_twist V[2][8];
    size_t links = (size_t)x.m->link_count;
    assert_alike((double *)x.flat->link, (double *)x.space->link, links * sizeof(jn_link_motion) / sizeof(double));
    assert_alike((double *)x.flat->S, (double *)x.space->S, (size_t)x.m->nv * sizeof(jn_twist) / sizeof(double));
    for (int k = 0; k < x.m->nv; k++) x.s->u[k] = 2 - k;
    for (int flat = 0; flat < 2; flat++) {
        x.m->flat = flat;
        jn_velocities(x.m, flat ? x.flat : x.space, x.s);
        jn_velocities_of(x.m, flat ? x.flat : x.space, x.s->u, V[flat]);
    }
    assert_alike((double *)x.flat->link, (double *)x.space->link, links * sizeof(jn_link_motion) / sizeof(double));
    assert_alike((double *)V[1], (double *)V[0], links * sizeof(jn_twist) / sizeof(double));
    finish(&x);
}

static void forces_and_inertia(void **state) {
    (void)state;
    both x = start(TREE);
    double a[16], tau[2][16];
    jn_wrench load[8];
    for (int i = 0; i < x.m->link_count; i++) load[i] = (jn_wrench){v3(0, 0, 2 - i), v3(i, 3 - i, 0)};
    for (int k = 0; k < x.m->nv; k++) a[k] = 10 * sin(k + 1.0);
    for (int with = 0; with < 2; with++) {
        for (int flat = 0; flat < 2; flat++) {
            x.m->flat = flat;
            jn_rnea_loaded(x.m, flat ? x.flat : x.space, with ? a : NULL, load, tau[flat]);
            jn_mass_rows(x.m, flat ? x.flat : x.space);
        }
        assert_alike(tau[1], tau[0], (size_t)x.m->nv);
        assert_alike(x.flat->M, x.space->M, (size_t)x.m->M_size);
    }
    finish(&x);
}

/* What leaves the plane, or is no model of a plane, goes by the equations in space. */
static void only_what_is_flat(void **state) {
    (void)state;
    jn_report report = {0};
    jn_model *m = text_model("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: revolute, between: "
                             "[ground, a], axis: z, at: [0, 0, 0]}}\n",
                             &report);
    check_report(&report);
    assert_false(m->flat);
    jn_model_free(m);
    m = text_model(TREE, &report);
    assert_true(m->flat);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(poses_and_velocities), cmocka_unit_test(forces_and_inertia),
                                       cmocka_unit_test(only_what_is_flat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
