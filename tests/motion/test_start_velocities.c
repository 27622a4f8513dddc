/* Velocities at the start of mechanisms that float: those of one body are given, and the others follow as joints without a speed stand still. */
#include "algebra/vec3.h"
#include "opened.h"
#include "scenes.h"
#include <jounce/jounce.h>

enum { BODIES = 6 };

static uint64_t seed = 1;

static double uniform(void) { return scene_random(&seed); }
static int below(int n) { return (int)(0.5 * (1 + uniform()) * n); }
static jn_vec3 any(void) {
    double x = uniform(), y = uniform(), z = uniform();
    return v3(x, y, z);
}

static jn_vec3 velocity_at(const jn_body_motion *b, jn_vec3 point) {
    return v3_add(b->velocity, v3_cross(b->angular_velocity, v3_sub(point, b->position)));
}

/* A random tree of hinges, some of them with a speed; body `given` has a velocity and, where spins, an angular velocity. */
static void check_tree(jn_coordinates coordinates, bool spins) {
    jn_description *d = jn_description_create();
    int given = 1 + below(BODIES);
    double speed[BODIES + 1] = {0};
    jn_vec3 hinge[BODIES + 1], axis[BODIES + 1], velocity = any();
    jn_vec3 turn = any();
    int parent[BODIES + 1];
    for (int b = 1; b <= BODIES; b++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", b);
        jn_body_desc body = jn_body_default(name);
        body.mass = 1.5 + uniform(), body.com = any();
        body.inertia.xx = 1.2, body.inertia.yy = 1, body.inertia.zz = 0.8;
        if (b == given) body.has_velocity = true, body.velocity = velocity, body.has_angular_velocity = spins, body.angular_velocity = turn;
        assert_int_equal(jn_description_add_body(d, &body), b);
    }
    for (int b = 2; b <= BODIES; b++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", b);
        parent[b] = 1 + below(b - 1), hinge[b] = any(), axis[b] = v3_unit(any());
        jn_joint_desc *j = add_joint(d, name, JN_JOINT_REVOLUTE, parent[b], b, hinge[b], axis[b]);
        if (below(3) == 0) j->coordinate[0].has_speed = true, j->coordinate[0].speed = speed[b] = uniform();
    }
    scene s;
    scene_open(&s, d, coordinates);
    jn_work *w = jn_work_create(s.model);
    assert_non_null(w);
    assert_int_equal(jn_observe(s.model, w, jn_sim_state(s.sim)), JN_OK);
    jn_body_motion motion[BODIES + 1];
    for (int b = 1; b <= BODIES; b++) jn_body_motion_get(s.model, w, b, &motion[b]);
    assert_below(v3_norm(v3_sub(motion[given].velocity, velocity)), 1e-12);
    if (spins)
        assert_below(v3_norm(v3_sub(motion[given].angular_velocity, turn)), 1e-12);
    else
        assert_below(v3_norm(motion[1].angular_velocity), 1e-12); /* the root does not turn */
    for (int b = 2; b <= BODIES; b++) {
        jn_vec3 relative = v3_sub(motion[b].angular_velocity, motion[parent[b]].angular_velocity);
        jn_vec3 gap = v3_sub(velocity_at(&motion[b], hinge[b]), velocity_at(&motion[parent[b]], hinge[b]));
        assert_below(v3_norm(v3_axpy(-speed[b], axis[b], relative)), 1e-11);
        assert_below(v3_norm(gap), 1e-11);
    }
    jn_work_free(w);
    scene_close(&s);
}

static void floating_trees_start_as_one(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) check_tree(k % 2 ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE, k % 4 < 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(floating_trees_start_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
