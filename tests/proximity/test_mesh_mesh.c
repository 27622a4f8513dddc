/* Two meshes: distances and overlaps of convex ones are those that GJK and EPA find; two that are not convex meet in their hollows. */
#include "shapes.h"

/* The surface of a polytope as triangles. */
static jn_solid *mesh_of(const jn_solid *hull, jn_store *store) {
    static int triangles[200][3];
    jn_solid *s = jn_store_alloc(store, sizeof *s);
    jn_shape_desc d = jn_shape_default(JN_SHAPE_MESH);
    d.points = hull->vertex, d.point_count = hull->vertex_count, d.triangles = triangles;
    for (int f = 0; f < hull->face_count; f++)
        for (int k = hull->face_start[f] + 1; k + 1 < hull->face_start[f + 1]; k++, d.triangle_count++) {
            int *t = triangles[d.triangle_count];
            t[0] = hull->face_vertex[hull->face_start[f]], t[1] = hull->face_vertex[k], t[2] = hull->face_vertex[k + 1];
        }
    assert_int_equal(jn_solid_build(s, &d, NULL, store, NULL, NULL), JN_OK);
    return s;
}

static double smallest_gap(const jn_contact_geometry *points, int count) {
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, points[i].gap);
    return least;
}

static void test_convex(void **state) {
    jn_store *store = jn_store_create();
    uint64_t seed = 7;
    int apart = 0, deep = 0, missed = 0;
    (void)state;
    for (int n = 0; n < 2000; n++) {
        jn_solid *A = random_solid(JN_SHAPE_HULL, store, &seed), *B = random_solid(JN_SHAPE_HULL, store, &seed);
        const jn_solid *mA = mesh_of(A, store), *mB = mesh_of(B, store);
        jn_pose XA = pose_at(random_vector(&seed), random_turn(&seed)),
                XB = pose_at(v3_axpy(uniform(&seed, 0.1, 0.6), random_unit(&seed), XA.p), random_turn(&seed));
        jn_contact_geometry points[JN_MANIFOLD_MAX], own[JN_MANIFOLD_MAX];
        int count = jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, points);
        assert_true(count > 0);
        double gap = smallest_gap(points, count);
        if (n % 2) { /* pushed along the normal until they overlap by 0.1 um */
            XB.p = v3_axpy(-gap - 1e-7, points[0].n, XB.p);
            count = jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, points);
            gap = smallest_gap(points, count);
        }
        int found = jn_pair_collide(mA, &XA, mB, &XB, n % 2 ? 1e-3 : INFINITY, NULL, own);
        if (gap < -1e-3 || (n % 2 && gap > 1e-3)) continue; /* deep from the start: no surface is the one to leave by */
        apart += gap > 0, deep += gap < 0, missed += gap < 0 && !found;
        if (gap > 0) assert_near(smallest_gap(own, found), gap, 1e-9);
        if (found)
            assert_true(smallest_gap(own, found) >
                        (gap < 0 ? 2 * gap : 0)); /* a corner that has entered beside an edge is less deep */
        for (int i = 0; i < found; i++) {
            jn_vec3 d = v3_axpy(-own[i].gap, own[i].n, v3_sub(own[i].pB, own[i].pA));
            assert_true(v3_norm(d) < 1e-9); /* gap = n (pB - pA), and n is along it */
        }
    }
    assert_true(apart > 900 && deep > 700 &&
                missed < 0.02 * deep); /* missed: edges cut off a corner, and neither has a corner inside */
    jn_store_free(store);
}

/* Two L of three unit cubes each, hooked into each other: the one lies in the hollow of the other, with clearances of 0.1 on three sides. */
static void test_hollow(void **state) {
    static jn_vec3 points[12];
    static int triangles[20][3] = {{0, 2, 1}, {0, 3, 2}, {0, 4, 3},  {0, 5, 4},
                                   {6, 7, 8}, {6, 8, 9}, {6, 9, 10}, {6, 10, 11}};
    static const double corner[6][2] = {{1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 1}};
    jn_store *store = jn_store_create();
    jn_shape_desc d = jn_shape_default(JN_SHAPE_MESH);
    jn_solid L = {0};
    (void)state;
    for (int k = 0; k < 6; k++) {
        points[k] = v3(corner[k][0], corner[k][1], 0), points[k + 6] = v3(corner[k][0], corner[k][1], 1);
        int next = (k + 1) % 6, a[3] = {k, next, next + 6}, b[3] = {k, next + 6, k + 6};
        memcpy(triangles[8 + 2 * k], a, sizeof a), memcpy(triangles[9 + 2 * k], b, sizeof b);
    }
    d.points = points, d.point_count = 12, d.triangles = triangles, d.triangle_count = 20;
    assert_int_equal(jn_solid_build(&L, &d, NULL, store, NULL, NULL), JN_OK);
    jn_contact_geometry found[JN_MANIFOLD_MAX];
    jn_pose X = pose_at(v3(0, 0, 0), q4_identity()), Y = pose_at(v3(3.1, 3.1, 0.2), q4_exp(v3(0, 0, M_PI)));
    int count = jn_pair_collide(&L, &X, &L, &Y, INFINITY, NULL, found); /* their corners are 0.1 apart along x and y */
    assert_near(smallest_gap(found, count), 0.1 * sqrt(2), 1e-12);
    Y.p = v3(2.999, 2.5, 0.2); /* overlaps with both arms */
    count = jn_pair_collide(&L, &X, &L, &Y, 0.01, NULL, found);
    assert_true(count >= 2);
    assert_near(smallest_gap(found, count), -0.001, 1e-12);
    bool upper = false, lower = false;
    for (int i = 0; i < count; i++) {
        assert_near(found[i].n.x, 1, 1e-9);
        upper |= found[i].pA.y > 1.4, lower |= found[i].pA.y < 1.1;
    }
    assert_true(upper && lower);
    jn_store_free(store);
}

/* A level surface has no extent of its own: a box that is a millimetre deep in it touches it, whichever of the two comes first. */
static void test_level(void **state) {
    double heights[4] = {0, 0, 0, 0};
    jn_store *store = jn_store_create();
    jn_shape_desc level = jn_shape_default(JN_SHAPE_HEIGHTFIELD);
    jn_solid *floor = jn_store_alloc(store, sizeof *floor);
    (void)state;
    level.size = v3(2, 2, 0), level.heights = heights, level.grid[0] = level.grid[1] = 2;
    assert_int_equal(jn_solid_build(floor, &level, NULL, store, NULL, NULL), JN_OK);
    const jn_solid *box = mesh_of(sized_solid(JN_SHAPE_BOX, v3(0.1, 0.1, 0.1), 1, 1, store), store);
    for (int k = 0; k < 2; k++) {
        jn_pose down = pose_at(v3(0.3, 0.1, 0.049), q4_exp(v3(0, 0, 0.3))), still = pose_at(v3(0, 0, 0), q4_exp(v3(0, 0, 0)));
        jn_contact_geometry points[JN_MANIFOLD_MAX];
        int found = k ? jn_pair_collide(box, &down, floor, &still, 1e-3, NULL, points) : jn_pair_collide(floor, &still, box, &down, 1e-3, NULL, points);
        assert_int_equal(found, 4);
        for (int i = 0; i < found; i++) assert_near(points[i].gap, -1e-3, 1e-12);
    }
    jn_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convex), cmocka_unit_test(test_hollow), cmocka_unit_test(test_level)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
