/* Contact points as compliant forces need them: where faces overlap in part, edges cross, and corners stand over faces, the rate of each
 * gap is that of its own points, so that the work of a force that depends on the gap is the change of its energy. */
#include "shapes.h"

/* Points of two solids: by how much rates of gaps differ from differences of the gaps, for all points that keep their names and normals. */
static double compare_rates(const jn_solid *A, const jn_pose *XA, jn_twist VA, const jn_solid *B, const jn_pose *XB,
                            jn_twist VB, bool edges, int *checked, int *several) {
    double h = 1e-7, worst = 0;
    jn_contact_geometry t[3][JN_MANIFOLD_MAX];
    int count[3];
    for (int k = 0; k < 3; k++) {
        jn_convex a = {.s = A, .X = pose_after(XA, VA, (k - 1) * h)}, b = {.s = B, .X = pose_after(XB, VB, (k - 1) * h)};
        jn_point_detail all = {.curved = true, .edges = true};
        count[k] = edges ? jn_pair_points(&a, &b, INFINITY, all, NULL, t[k])
                         : jn_pair_collide(A, &a.X, B, &b.X, INFINITY, NULL, t[k]);
    }
    *several += count[1] > 1;
    for (int i = 0; i < count[1]; i++) {
        const jn_contact_geometry *at = &t[1][i], *past = point_named(t[0], count[0], at->feature),
                                  *next = point_named(t[2], count[2], at->feature);
        if (!past || !next || v3_norm(v3_sub(next->n, past->n)) > 1e-4) continue;
        jn_relative_motion motion = jn_geometry_motion(at, XA->p, VA, XB->p, VB);
        worst = fmax(worst, fabs((next->gap - past->gap) / (2 * h) - motion.gap_rate));
        ++*checked;
    }
    return worst;
}

/* A box, a capsule, a cylinder or a rectangle that lies with a small tilt over the border of another one. */
static double lean(jn_shape_type a, jn_shape_type b, bool planar, uint64_t seed, bool edges, int *checked,
                   int *several) {
    jn_store *store = jn_store_create();
    jn_solid *A = random_solid(a, store, &seed), *B = random_solid(b, store, &seed);
    double tilt = uniform(&seed, 0.02, 0.3),
           high = planar ? A->size.y + B->size.y : A->size.z + (b == JN_SHAPE_BOX ? B->size.z : B->radius);
    if (b == JN_SHAPE_CYLINDER) high = A->size.z + B->size.x;
    jn_quat lying = b == JN_SHAPE_BOX || planar ? q4_identity() : q4_exp(v3(0, 0.5 * 3.14159265358979, 0));
    jn_vec3 axis = planar ? v3(0, 0, 1) : v3_unit(v3(scene_random(&seed), scene_random(&seed), 0.2));
    jn_quat turn = planar ? q4_identity() : q4_exp(v3(0, 0, uniform(&seed, 0.2, 1.2)));
    jn_vec3 place = planar ? v3(0.7 * A->size.x, high - 0.002, 0) : v3(0.7 * A->size.x, 0.3 * A->size.y, high - 0.002);
    jn_pose XA = pose_at(v3(0, 0, 0), q4_identity());
    jn_pose XB = pose_at(place, q4_mul(q4_exp(v3_scale(tilt, axis)), q4_mul(turn, lying)));
    jn_twist VA = {random_vector(&seed), random_vector(&seed)}, VB = {random_vector(&seed), random_vector(&seed)};
    if (planar) VA.w.x = VA.w.y = VA.v.z = VB.w.x = VB.w.y = VB.v.z = 0;
    double worst = compare_rates(A, &XA, VA, B, &XB, VB, edges, checked, several);
    jn_store_free(store);
    return worst;
}

static void test_rates_of_all_points(void **state) {
    static const struct {
        jn_shape_type a, b;
        bool planar;
    } rows[] = {{JN_SHAPE_BOX, JN_SHAPE_BOX, false},
                {JN_SHAPE_BOX, JN_SHAPE_CAPSULE, false},
                {JN_SHAPE_BOX, JN_SHAPE_CYLINDER, false},
                {JN_SHAPE_RECTANGLE, JN_SHAPE_RECTANGLE, true},
                {JN_SHAPE_RECTANGLE, JN_SHAPE_POLYGON, true}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double worst[2] = {0};
        int checked = 0, several = 0;
        for (uint64_t seed = 1; seed <= 100; seed++)
            for (int edges = 0; edges < 2; edges++)
                worst[edges] = fmax(worst[edges],
                                    lean(rows[r].a, rows[r].b, rows[r].planar, 77 * seed, edges, &checked, &several));
        print_message("rates of gaps off by %.1e m/s, %.1e m/s with one normal for a patch; %d points\n", worst[1],
                      worst[0], checked);
        assert_true(several > 40);
        assert_true(checked > 100);
        assert_below(worst[1], 1e-5);
        assert_true(worst[0] > 1e-3); /* what the normals are there for */
    }
}

/* A box that rocks by some 1e-6 rad on the edge of another one: points over the edge have the normal of the face that slides over it. */
static void test_rocking_faces(void **state) {
    double worst[2] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = 91 * seed;
        jn_store *store = jn_store_create();
        jn_solid *A = random_solid(JN_SHAPE_BOX, store, &random), *B = random_solid(JN_SHAPE_BOX, store, &random);
        double tilt = uniform(&random, 1e-6, 1e-5);
        jn_pose XA = pose_at(v3(0, 0, 0), q4_identity());
        jn_pose XB = pose_at(v3(A->size.x, 0, A->size.z + B->size.z), q4_exp(v3(0, -tilt, 0)));
        jn_twist VA = {v3(0, 0, 0), v3(0, 0, 0)}, VB = {v3(0, 0, 0), v3(1, 0, 0)};
        for (int rocks = 0; rocks < 2; rocks++) {
            jn_convex a = {.s = A, .X = XA}, b[2] = {{.s = B, .X = XB}, {.s = B, .X = pose_after(&XB, VB, 1e-5)}};
            jn_contact_geometry t[2][JN_MANIFOLD_MAX];
            int count[2];
            for (int k = 0; k < 2; k++)
                count[k] = jn_pair_points(&a, &b[k], 0.01, (jn_point_detail){.rocks = rocks}, NULL, t[k]);
            for (int i = 0; i < count[0]; i++) {
                const jn_contact_geometry *next = point_named(t[1], count[1], t[0][i].feature);
                if (!next || fabs(t[0][i].pA.x - A->size.x) > 1e-9) continue; /* those over the edge */
                double rate = jn_geometry_motion(&t[0][i], XA.p, VA, XB.p, VB).gap_rate;
                worst[rocks] = fmax(worst[rocks], fabs((next->gap - t[0][i].gap) / 1e-5 - rate));
            }
        }
        jn_store_free(store);
    }
    assert_below(worst[1], 1e-9);
    assert_true(worst[0] > 1e-6); /* what the normals are there for */
}

/* An edge of a box along the side of a cylinder, in any direction between its two faces: the ends of their overlap, each with its own gap. */
static void test_edge_along_a_side(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t random = 53 * seed;
        jn_store *store = jn_store_create();
        jn_solid *A = random_solid(JN_SHAPE_BOX, store, &random), *B = random_solid(JN_SHAPE_CYLINDER, store, &random);
        double angle = uniform(&random, 0.05, 1.5), gap = uniform(&random, -1e-4, 1e-4), off = uniform(&random, 0, 0.3);
        jn_vec3 n = v3(sin(angle), 0, cos(angle)), edge = v3(A->size.x, 0, A->size.z);
        double half = fmin(A->size.y, off * A->size.y + B->size.y) - fmax(-A->size.y, off * A->size.y - B->size.y);
        jn_convex a = {.s = A, .X = pose_at(v3(0, 0, 0), q4_identity())};
        jn_convex b = {.s = B, .X = pose_at(v3_add(v3_axpy(B->size.x + gap, n, edge), v3(0, off * A->size.y, 0)),
                                  q4_exp(v3(0.5 * 3.14159265358979323846, 0, 0)))};
        jn_contact_geometry t[JN_MANIFOLD_MAX];
        int found = 0, count = jn_pair_points(&a, &b, 0.01, (jn_point_detail){0}, NULL, t);
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            if (fabs(t[i].gap - gap) > 1e-9) continue;
            assert_below(v3_norm(v3_sub(t[i].n, n)), 1e-9);
            low = fmin(low, t[i].pA.y), high = fmax(high, t[i].pA.y), found++;
        }
        assert_int_equal(found, 2);
        assert_below(fabs(high - low - half), 1e-9);
        jn_store_free(store);
    }
}

/* Points that stand for the circle of a cylinder or a cone begin where it is lowest, and run around it while the solid turns. */
static void test_rates_of_circles(void **state) {
    static const jn_shape_type rows[][2] = {{JN_SHAPE_PLANE, JN_SHAPE_CYLINDER},
                                            {JN_SHAPE_PLANE, JN_SHAPE_CONE},
                                            {JN_SHAPE_CYLINDER, JN_SHAPE_CYLINDER}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double worst = 0;
        int checked = 0, several = 0;
        for (uint64_t n = 1; n <= 100; n++) {
            uint64_t seed = 991 * n;
            jn_store *store = jn_store_create();
            jn_solid *A = random_solid(rows[r][0], store, &seed), *B = random_solid(rows[r][1], store, &seed);
            jn_vec3 lean = v3(uniform(&seed, 0.001, 0.1), uniform(&seed, -0.1, 0.1), 0);
            double low = rows[r][1] == JN_SHAPE_CONE ? 0 : B->size.y, high = rows[r][0] == JN_SHAPE_PLANE ? 0 : A->size.y;
            jn_pose XA = pose_at(v3(0, 0, 0), q4_identity());
            jn_pose XB = pose_at(v3(0.1 * A->size.x, 0, high + low - 0.01), q4_exp(lean));
            jn_twist VA = {random_vector(&seed), random_vector(&seed)}, VB = {random_vector(&seed), random_vector(&seed)};
            worst = fmax(worst, compare_rates(A, &XA, VA, B, &XB, VB, true, &checked, &several));
            jn_store_free(store);
        }
        print_message("circles: rates of gaps off by %.1e m/s; %d points\n", worst, checked);
        assert_true(several > 90);
        assert_below(worst, 1e-5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates_of_all_points), cmocka_unit_test(test_rocking_faces),
                                       cmocka_unit_test(test_edge_along_a_side),
                                       cmocka_unit_test(test_rates_of_circles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
