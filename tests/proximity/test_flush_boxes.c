/* Boxes that lie on each other as bricks do, with what steps leave between them: places and turns that differ by 1e-9. Contact points are the corners of the overlap of
 * both faces, and keep their names. */
#include "shapes.h"

enum { TRIES = 500, CORNERS = 4 };

static jn_pose shaken(jn_vec3 p, double size, uint64_t *seed) {
    jn_vec3 turn = v3_scale(size, random_vector(seed)), way = v3_scale(size, random_vector(seed));
    return pose_at(v3_add(p, way), q4_exp(turn));
}

/* Points of a brick over another one, shifted along x and y; fails where one lies beside the overlap. */
static int find_points(const jn_solid *brick, jn_vec3 shift, double noise, uint64_t *seed, jn_contact_geometry *t) {
    jn_vec3 half = brick->size;
    jn_convex below = {.s = brick, .X = shaken(v3(0, 0, 0), noise, seed)},
              above = {.s = brick, .X = shaken(v3(shift.x, shift.y, 2 * half.z), noise, seed)};
    int count = jn_pair_points(&below, &above, 0.1 * half.z, (jn_point_detail){0}, NULL, t);
    for (int i = 0; i < count; i++) {
        jn_vec3 p = t[i].pA;
        assert_true(fabs(p.x) <= half.x + 1e-8 && fabs(p.x - shift.x) <= half.x + 1e-8);
        assert_true(fabs(p.y) <= half.y + 1e-8 && fabs(p.y - shift.y) <= half.y + 1e-8);
        assert_true(fabs(t[i].gap) < 1e-8 && t[i].n.z > 1 - 1e-12);
    }
    return count;
}

static void points_are_the_corners_of_the_overlap(void **state) {
    (void)state;
    uint64_t seed = 5;
    jn_store *store = jn_store_create();
    for (int n = 0; n < TRIES; n++) {
        jn_solid *brick = random_solid(JN_SHAPE_BOX, store, &seed);
        bool along = n % 2; /* with edges that lie along each other */
        jn_vec3 shift =
            v3(uniform(&seed, 0.2, 1.5) * brick->size.x, along ? 0 : uniform(&seed, 0.2, 1.5) * brick->size.y, 0);
        jn_contact_geometry exact[JN_MANIFOLD_MAX], t[JN_MANIFOLD_MAX];
        assert_int_equal(find_points(brick, shift, 0, &seed, exact), CORNERS);
        assert_int_equal(find_points(brick, shift, 1e-9, &seed, t), CORNERS);
        for (int i = 0; i < CORNERS; i++) {
            int same = 0;
            for (int k = 0; k < CORNERS; k++)
                same += t[i].feature == exact[k].feature && v3_norm(v3_sub(t[i].pA, exact[k].pA)) < 1e-6;
            assert_int_equal(same, 1);
        }
    }
    jn_store_free(store);
}

/* Boxes side by side across an edge, or a corner: apart by `more` of their size along both axes. */
static int count_across(const jn_solid *box, bool corner, double more, double noise, uint64_t *seed, double *least) {
    jn_vec3 half = box->size;
    double z = corner ? 2 * half.z : 0.7 * half.z, apart = more * jn_min(half.x, jn_min(half.y, half.z));
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    jn_convex one = {.s = box, .X = shaken(v3(0, 0, 0), noise, seed)},
              other = {.s = box, .X = shaken(v3(2 * half.x + apart, 2 * half.y + apart, z), noise, seed)};
    int count = jn_pair_points(&one, &other, 0.1 * half.z, (jn_point_detail){0}, NULL, t);
    *least = INFINITY;
    for (int i = 0; i < count; i++) *least = jn_min(*least, t[i].gap);
    return count;
}

/* Two faces would claim the normal, and round-off choose: there is no contact until one of them is nearer. */
static void neighbours_across_an_edge_have_no_contact(void **state) {
    (void)state;
    uint64_t seed = 9;
    jn_store *store = jn_store_create();
    for (int n = 0; n < TRIES; n++) {
        jn_solid *box = random_solid(JN_SHAPE_BOX, store, &seed);
        bool corner = n % 2;
        double least, size = jn_min(box->size.x, jn_min(box->size.y, box->size.z));
        assert_int_equal(count_across(box, corner, 0, 1e-9, &seed, &least), 0);
        assert_true(count_across(box, false, -1e-4, 1e-9, &seed, &least) > 0);
        assert_near(least, -1e-4 * size, 1e-8);
        assert_true(count_across(box, corner, 1e-3, 1e-9, &seed, &least) > 0);
        assert_true(least > 1e-3 * size - 1e-8);
    }
    jn_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_are_the_corners_of_the_overlap),
                                       cmocka_unit_test(neighbours_across_an_edge_have_no_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
