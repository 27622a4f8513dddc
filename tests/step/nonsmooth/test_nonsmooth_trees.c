/* Contacts of trees: their rows reach from the contact to the ground, in velocities of the tree's own factor. */
#include "rigid.h"
#include "step/nonsmooth/nonsmooth.h"

enum { BESIDE = 40 };

/* A double pendulum with a ball at its end falls on a floor, bounces and slides; beside it `beside` arms that drivers hold. */
static void open_pendulum(rigid *r, int beside) {
    static char text[16384];
    int n = snprintf(text, sizeof text,
                     "bodies:\n"
                     "  upper: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [0.5, 0, 1]}\n"
                     "  lower: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [1.5, 0, 1],\n"
                     "          shape: {type: sphere, radius: 0.1, at: [2, 0, 1]}}\n");
    for (int k = 0; k < beside; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  arm%d: {mass: 1, inertia: [1, 1, 1], com: [0, %d, 5]}\n", k,
                      k + 2);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  ground: {shape: {type: plane, at: [0, 0, 0.4]}}\n"
                  "joints:\n"
                  "  shoulder: {type: spherical, between: [ground, upper], at: [0, 0, 1]}\n"
                  "  elbow: {type: revolute, between: [upper, lower], at: [1, 0, 1], axis: y, speed: 0.5}\n");
    for (int k = 0; k < beside; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  hold%d: {type: revolute, between: [ground, arm%d], at: [0, %d, 5], axis: y, motion: 0*t}\n", k,
                      k, k + 2);
    snprintf(text + n, sizeof text - (size_t)n,
             "contacts: {ball: {between: [lower, ground], friction: 0.3, restitution: 0.4}}\n"
             "run: {method: nonsmooth, step: 1 ms, until: 1}\n");
    rigid_text(r, text);
}

/* What stands beside a tree and does not touch it changes nothing, whichever way the constraints are solved. */
static void mechanisms_beside_change_nothing(void **state) {
    (void)state;
    double at[3][3];
    static const int beside[3] = {0, 3, BESIDE}; /* no rows, a dense system, a sparse one */
    for (int k = 0; k < 3; k++) {
        rigid r;
        open_pendulum(&r, beside[k]);
        rigid_go(&r, 1);
        jn_vec3 x = rigid_body(&r, 2).position;
        at[k][0] = x.x, at[k][1] = x.y, at[k][2] = x.z;
        assert_true(r.impacts > 0);
        assert_below(fabs(jn_sim_audit(r.sim)->energy_residual), 1e-2);
        rigid_close(&r);
    }
    for (int i = 0; i < 3; i++) {
        print_message("%.12g %.12g %.12g\n", at[0][i], at[1][i], at[2][i]);
        assert_near(at[1][i], at[0][i], 1e-9);
        assert_near(at[2][i], at[0][i], 1e-9);
    }
}

/* Two balls fall on each other beside a tree that touches nothing: contacts of balls alone, in a model whose rows are those of trees. */
static void balls_fall_beside_a_tree(void **state) {
    (void)state;
    static const char *const tree[2] = {
        "", "  upper: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [5, 0, 3]}\n"
            "  lower: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [6, 0, 3]}\n"
            "joints:\n"
            "  root: {type: revolute, between: [ground, upper], at: [4.5, 0, 3], axis: y}\n"
            "  elbow: {type: revolute, between: [upper, lower], at: [5.5, 0, 3], axis: y}\n"};
    double at[2][6];
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  ground: {shape: {type: plane}}\n"
                 "  low: {mass: 1, at: [0, 0, 0.11], shape: {type: sphere, radius: 0.1}}\n"
                 "  high: {mass: 2, at: [0.03, 0.02, 0.32], shape: {type: sphere, radius: 0.1}}\n%s"
                 "contacts: {balls: {friction: 0.4, restitution: 0.2}}\n"
                 "run: {method: nonsmooth, step: 1 ms, until: 0.3}\n",
                 tree[k]);
        rigid r;
        rigid_text(&r, text);
        rigid_go(&r, 0.3);
        assert_true(jn_sim_audit(r.sim)->ok);
        for (int b = 0; b < 2; b++) {
            jn_vec3 x = rigid_body(&r, b + 1).position;
            at[k][3 * b] = x.x, at[k][3 * b + 1] = x.y, at[k][3 * b + 2] = x.z;
        }
        rigid_close(&r);
    }
    for (int i = 0; i < 6; i++) assert_near(at[1][i], at[0][i], 1e-9);
}

/* W = V Y^T is H M^-1 H^T, and a jump of the velocities is M^-1 H^T p, by the dense mass matrix. */
static void rows_are_those_of_the_mass_matrix(void **state) {
    (void)state;
    rigid r;
    open_pendulum(&r, 0);
    while (jn_sim_state(r.sim)->contact_count == 0) assert_true(jn_sim_step(r.sim, 1) >= 0);
    jn_sim *sim = r.sim;
    jn_contact_set *x = &sim->nonsmooth->set;
    int nv = sim->m->nv, d = 3;
    double H[3][4] = {{0}}, p[3] = {2, 0.3, -0.1}, jump[4] = {0}, force[4] = {0}, M[16];
    jn_kinematics(sim->m, sim->w, sim->s);
    assert_int_equal(jn_contact_set_choose(x, sim, &(jn_closed){.gap = 0.1}), JN_OK);
    assert_int_equal(x->count, 1);
    assert_int_equal(x->dimension, d);
    assert_int_equal(nv, 4);
    assert_int_equal(jn_inertia_factor(sim), JN_OK);
    assert_int_equal(jn_contact_set_rows(x, sim), JN_OK);
    for (int k = x->start[0]; k < x->start[1]; k++)
        for (int i = 0; i < d; i++) H[i][x->dof_of[k]] = x->H[k * d + i];
    jn_contact_set_apply(x, sim, p, jump);
    jn_contact_set_force(x, p, force);
    double W[9] = {0};
    for (int k = x->start[0]; k < x->start[1]; k++)
        for (int i = 0; i < 9; i++) W[i] += x->V[k * d + i / d] * x->Y[k * d + i % d];
    jn_mass_matrix(sim->m, sim->w, sim->s, M);
    for (int i = 0; i < nv; i++) { /* M jump = H^T p */
        double sum = 0;
        for (int k = 0; k < nv; k++) sum += M[i * nv + k] * jump[k];
        assert_near(sum, force[i], 1e-12);
    }
    for (int i = 0; i < d; i++) { /* W p = H kick */
        double by_W = 0, by_impulse = 0;
        for (int k = 0; k < d; k++) by_W += W[i * d + k] * p[k];
        for (int k = 0; k < nv; k++) by_impulse += H[i][k] * jump[k];
        assert_near(by_W, by_impulse, 1e-12);
    }
    rigid_close(&r);
}

/* A free arm whose two fingers a coupler ties, with a stiff servo on one, over a floor. */
static void open_gripper(rigid *r) {
    rigid_text(r, "bodies:\n"
                  "  palm: {mass: 2, inertia: [0.02, 0.03, 0.02], com: [0, 0, 1],\n"
                  "         shape: {type: sphere, radius: 0.1, at: [0.02, 0.03, 1]}}\n"
                  "  left: {mass: 0.5, inertia: [0.002, 0.001, 0.002], com: [0.1, 0.1, 1]}\n"
                  "  tip: {mass: 0.2, inertia: [0.001, 0.001, 0.001], com: [0.2, 0.1, 1],\n"
                  "         shape: {type: sphere, radius: 0.04, at: [0.25, 0.1, 0.94]}}\n"
                  "  right: {mass: 0.5, inertia: [0.002, 0.001, 0.002], com: [0.1, -0.1, 1]}\n"
                  "  ground: {shape: {type: plane, at: [0, 0, 0.89]}}\n"
                  "joints:\n"
                  "  a: {type: revolute, between: [palm, left], at: [0, 0.1, 1], axis: y, damping: 50}\n"
                  "  b: {type: revolute, between: [left, tip], at: [0.15, 0.1, 1], axis: y}\n"
                  "  c: {type: revolute, between: [palm, right], at: [0, -0.1, 1], axis: y}\n"
                  "couplers: {tie: {joints: {a: -1, c: 1}}}\n"
                  "contacts: {floor: {friction: 0.3}}\n"
                  "run: {method: nonsmooth, step: 2 ms, until: 1}\n");
}

/* Where independent constraints hold a tree: W = V Y^T is H A^-1 H^T, and a jump of the velocities A^-1 H^T p, with the
 * inverse inertia A^-1 that jn_system_solve has for the motions that they leave. */
static void rows_leave_what_constraints_forbid(void **state) {
    (void)state;
    rigid r;
    open_gripper(&r);
    while (jn_sim_state(r.sim)->contact_count < 2) assert_true(jn_sim_step(r.sim, 1) >= 0);
    jn_sim *sim = r.sim;
    jn_contact_set *x = &sim->nonsmooth->set;
    enum { NV = 9, D = 3 };
    assert_int_equal(sim->m->nv, NV);
    assert_true(sim->nonsmooth->groups.group[sim->nonsmooth->groups.of[1]].held);
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_constraint_rows(sim->m, sim->w, sim->s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    assert_int_equal(jn_contact_set_choose(x, sim, &(jn_closed){.gap = 0.1}), JN_OK);
    assert_int_equal(x->count, 2);
    assert_int_equal(jn_system_factor(sim, (jn_stiff_weights){1e-3, 1e-6, true, false}), JN_OK);
    assert_int_equal(jn_contact_set_rows(x, sim), JN_OK);
    for (int i = 0; i < 2 * D; i++) {
        double p[2 * D] = {0}, jump[NV] = {0}, force[NV] = {0}, wanted[NV], rate[1], speed[2 * D], lambda[1];
        p[i] = 1;
        jn_contact_set_apply(x, sim, p, jump);
        jn_contact_set_force(x, p, force);
        assert_int_equal(jn_system_solve(sim, force, NULL, wanted, lambda), JN_OK);
        for (int k = 0; k < NV; k++) assert_near(jump[k], wanted[k], 1e-12);
        jn_rows_multiply(sim->m, sim->w, jump, rate);
        assert_near(rate[0], 0, 1e-12);
        jn_contact_set_multiply(x, wanted, speed);
        for (int j = 0; j < 2; j++)
            for (int a = 0; a < D; a++) { /* W p of contact j */
                double W = 0;
                for (int k = x->start[j]; k < x->start[j + 1]; k++)
                    for (int l = x->start[i / D]; l < x->start[i / D + 1]; l++)
                        if (x->dof_of[k] == x->dof_of[l]) W += x->V[k * D + a] * x->Y[l * D + i % D];
                assert_near(W, speed[j * D + a], 1e-12);
            }
    }
    rigid_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_beside_change_nothing),
        cmocka_unit_test(balls_fall_beside_a_tree),
        cmocka_unit_test(rows_are_those_of_the_mass_matrix),
        cmocka_unit_test(rows_leave_what_constraints_forbid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
