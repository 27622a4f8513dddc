/* Two jaws catch a box that moves between them: four corners on each side share the load. Of many solutions a solver takes the one of least norm,
 * which has the symmetry of the problem: the box does not turn. */
#include "rigid.h"

#define GRASP                                                                                                          \
    "gravity: [0, 0, 0]\nbodies:\n  ground: {}\n"                                                                      \
    "  left: {mass: 0.5, inertia: [0.01, 0.01, 0.01], com: [-0.16, 0, 0], shape: {type: box, size: [0.1, 1, 1], at: [-0.16, 0, 0]}}\n" \
    "  right: {mass: 0.5, inertia: [0.01, 0.01, 0.01], com: [0.16, 0, 0], shape: {type: box, size: [0.1, 1, 1], at: [0.16, 0, 0]}}\n" \
    "  box: {mass: 1, inertia: [0.002, 0.002, 0.002], com: [0, 0, 0], velocity: [0, 0, 0.5], shape: {type: box, size: [0.2, 0.1, 0.1]}}\n" \
    "joints:\n  jl: {type: prismatic, between: [ground, left], axis: x, force: 20}\n"                                  \
    "  jr: {type: prismatic, between: [ground, right], axis: x, force: -20}\n"                                         \
    "contacts: {all: {friction: 0.5}}\n"                                                                               \
    "run: {method: nonsmooth, step: %s%s%s, until: 1}\n"

/* By every solver that takes problems in space, at three steps. */
static void a_symmetric_grasp_does_not_turn(void **state) {
    (void)state;
    static const char *const solvers[] = {"", "gauss_seidel", "proximal", "interior_point"};
    static const char *const steps[] = {"1e-4", "1e-3", "1e-2"};
    for (int k = 0; k < 12; k++) {
        char text[2048];
        rigid r;
        const char *solver = solvers[k / 3];
        snprintf(text, sizeof text, GRASP, steps[k % 3], *solver ? ", solver: " : "", solver);
        rigid_text(&r, text);
        rigid_go(&r, 1);
        jn_body_motion b = rigid_body(&r, 3);
        double turn = 2 * sqrt(b.orientation.x * b.orientation.x + b.orientation.y * b.orientation.y +
                               b.orientation.z * b.orientation.z);
        print_message("%s, step %s: turned by %.1e rad, %.6f m on, %.1e m/s\n", *solver ? solver : "automatic",
                      steps[k % 3], turn, b.position.z, v3_norm(b.velocity));
        assert_below(turn, 1e-6);
        assert_below(v3_norm(b.velocity), 1e-7);
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_symmetric_grasp_does_not_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
