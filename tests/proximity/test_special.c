/* Patches, hollows, meshes, surfaces, and inputs without a unique answer. */
#include "shapes.h"

static jn_pose at(double x, double y, double z) { return pose_at(v3(x, y, z), q4_identity()); }

static int contact(const jn_solid *A, jn_pose XA, const jn_solid *B, jn_pose XB, double margin,
                   jn_contact_geometry *t) {
    int n = jn_pair_collide(A, &XA, B, &XB, margin, NULL, t);
    for (int i = 0; i < n; i++) check_contact(&t[i], 1);
    return n;
}

/* How many points faces give, and that their gaps are right. */
static void test_patches(void **state) {
    (void)state;
    jn_store *s = jn_store_create();
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    jn_solid *plane = sized_solid(JN_SHAPE_PLANE, v3(0, 0, 0), 1, 1, s),
             *box = sized_solid(JN_SHAPE_BOX, v3(2, 1, 0.5), 1, 1, s);
    jn_solid *cylinder = sized_solid(JN_SHAPE_CYLINDER, v3(0.2, 1, 0), 1, 1, s),
             *capsule = sized_solid(JN_SHAPE_CAPSULE, v3(0.1, 1, 0), 1, 1, s);
    jn_solid *cone = sized_solid(JN_SHAPE_CONE, v3(0.2, 0.5, 0), 1, 1, s);
    jn_quat lying = q4_exp(v3(0, 1.5707963267948966, 0));
    assert_int_equal(contact(plane, at(0, 0, 0), box, at(0, 0, 0.249), 0.01, t), 4);
    for (int i = 0; i < 4; i++) assert_near(t[i].gap, -0.001, 1e-15);
    assert_int_equal(contact(plane, at(0, 0, 0), capsule, pose_at(v3(0, 0, 0.1), lying), 0.01, t), 2);
    assert_int_equal(contact(plane, at(0, 0, 0), cylinder, pose_at(v3(0, 0, 0.2), lying), 0.01, t), 2);
    assert_int_equal(contact(plane, at(0, 0, 0), cylinder, at(0, 0, 0.5), 0.01, t), 8);
    assert_int_equal(contact(plane, at(0, 0, 0), cone, at(0, 0, 0), 0.01, t), 8);
    /* crossed boxes, one on the other: the corners of the common rectangle */
    assert_int_equal(
        contact(box, at(0, 0, 0), box, pose_at(v3(0, 0, 0.499), q4_exp(v3(0, 0, 1.5707963267948966))), 0.01, t), 4);
    for (int i = 0; i < 4; i++) {
        assert_near(t[i].gap, -0.001, 1e-12);
        assert_near(fabs(t[i].pA.x), 0.5, 1e-12);
        assert_near(fabs(t[i].pA.y), 0.5, 1e-12);
        assert_near(t[i].n.z, 1, 1e-12);
    }
    assert_int_equal(contact(box, at(0, 0, 0), box, pose_at(v3(0, 0, 0.499), q4_exp(v3(0, 0, 0.7))), 0.01, t), 8);
    assert_int_equal(contact(box, at(0, 0, 0), box, pose_at(v3(0.3, 0, 0.501), q4_identity()), 0.01, t), 4);
    assert_int_equal(contact(box, at(0, 0, 0), capsule, pose_at(v3(0, 0, 0.349), lying), 0.01, t), 2);
    assert_int_equal(contact(box, at(0, 0, 0), cylinder, pose_at(v3(0.8, 0, 0.45), lying), 0.01, t), 2);
    assert_near(fmax(t[0].pA.x, t[1].pA.x), 1, 1e-8); /* cut at the edge of the box */
    assert_int_equal(contact(capsule, at(0, 0, 0), capsule, at(0.19, 0, 0.3), 0.01, t), 2);
    assert_near(fabs(t[0].pA.z - t[1].pA.z), 0.7, 1e-9);
    /* edge across edge: one point */
    jn_quat edge = q4_exp(v3(0.7853981633974483, 0, 0)), other = q4_exp(v3(0, 0.7853981633974483, 0));
    assert_int_equal(contact(box, pose_at(v3(0, 0, 0), edge), box, pose_at(v3(0, 0, 1.3), other), 1, t), 1);
    jn_store_free(s);
}

/* The features of a box on a plane keep their numbers while it slides and rocks. */
static void test_features(void **state) {
    (void)state;
    jn_store *s = jn_store_create();
    jn_solid *plane = sized_solid(JN_SHAPE_PLANE, v3(0, 0, 0), 1, 1, s),
             *box = sized_solid(JN_SHAPE_BOX, v3(2, 1, 0.5), 1, 1, s);
    jn_contact_geometry t[JN_MANIFOLD_MAX], u[JN_MANIFOLD_MAX];
    assert_int_equal(contact(plane, at(0, 0, 0), box, at(0, 0, 0.25), 0.1, t), 4);
    assert_int_equal(contact(plane, at(0, 0, 0), box, pose_at(v3(0.3, 0.1, 0.26), q4_exp(v3(1e-3, 2e-3, 0.2))), 0.1, u),
                     4);
    for (int i = 0; i < 4; i++) assert_int_equal(t[i].feature, u[i].feature);
    jn_store_free(s);
}

static void test_hollows(void **state) {
    (void)state;
    uint64_t seed = 9;
    jn_store *s = jn_store_create();
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    jn_solid *arc = sized_solid(JN_SHAPE_ARC, v3(0.01, 0, 0), 1, 1, s),
             *journal = sized_solid(JN_SHAPE_CIRCLE, v3(0.0095, 0, 0), 1, 1, s);
    jn_solid *socket = sized_solid(JN_SHAPE_SOCKET, v3(0.01, 0, 0), 1, 1, s),
             *ball = sized_solid(JN_SHAPE_SPHERE, v3(0.0095, 0, 0), 1, 1, s);
    jn_solid *bore = sized_solid(JN_SHAPE_BORE, v3(0.01, 0.04, 0), 1, 1, s),
             *pin = sized_solid(JN_SHAPE_CYLINDER, v3(0.0095, 0.03, 0), 1, 1, s);
    jn_solid *rod = sized_solid(JN_SHAPE_CYLINDER, v3(0.0095, 0.09, 0), 1, 1, s);
    assert_int_equal(contact(arc, at(1, 2, 0), journal, at(1.0006, 2.0008, 0), 1, t),
                     1); /* eccentricity 1 mm, clearance 0.5 mm */
    assert_near(t->gap, -0.0005, 1e-15);
    assert_near(t->n.x, -0.6, 1e-12);
    assert_near(t->kA[1], -100, 1e-12);
    assert_near(t->kB[0], 1 / 0.0095, 1e-12);
    assert_int_equal(contact(arc, at(0, 0, 0), journal, at(0, 0, 0), 1, t),
                     1); /* centred: some normal, the right gap */
    assert_near(t->gap, 0.0005, 1e-15);
    assert_int_equal(contact(journal, at(0.0006, 0.0008, 0), arc, at(0, 0, 0), 1, t), 1);
    assert_near(t->n.x, 0.6, 1e-12);
    assert_near(t->kB[1], -100, 1e-12);
    assert_int_equal(contact(socket, at(0, 0, 0), ball, at(0, 0, 0.001), 1, t), 1);
    assert_near(t->gap, -0.0005, 1e-15);
    assert_near(t->n.z, -1, 1e-12);
    assert_int_equal(contact(bore, at(0, 0, 0), pin, at(0.0002, 0, 0), 1, t), 2);
    for (int i = 0; i < 2; i++) assert_near(t[i].gap, 0.0003, 1e-15);
    assert_int_equal(contact(bore, at(0, 0, 0), rod, at(0.0002, 0, 0), 1, t), 2); /* longer than the bore */
    for (int i = 0; i < 2; i++) assert_near(t[i].gap, 0.0003, 1e-15);
    assert_near(fabs(t[0].pA.z), 0.02, 1e-12);
    /* a tilted pin against dense sampling of its two rims */
    for (int k = 0; k < 50; k++) {
        jn_pose X = pose_at(v3_scale(2e-4, random_vector(&seed)), q4_exp(v3_scale(0.02, random_vector(&seed))));
        int w = 0, n = contact(bore, at(0, 0, 0), pin, X, INFINITY, t);
        double least = INFINITY;
        for (int i = 0; i < 20000; i++) {
            double a = 6.283185307179586 * i / 10000;
            jn_vec3 p = pose_point(&X, v3(0.0095 * cos(a), 0.0095 * sin(a), i < 10000 ? 0.015 : -0.015));
            least = fmin(least, 0.01 - hypot(p.x, p.y));
        }
        assert_near(least_gap(t, n, &w), least, 1e-9);
    }
    /* a part of a circle: nothing beyond its ends */
    jn_shape_desc d = jn_shape_default(JN_SHAPE_ARC);
    d.size.x = 0.01, d.range[0][0] = 3.141592653589793, d.range[0][1] = 6.283185307179586;
    jn_solid *half = jn_store_alloc(s, sizeof *half);
    assert_int_equal(jn_solid_build(half, &d, NULL, s, NULL, NULL), JN_OK);
    assert_int_equal(contact(half, at(0, 0, 0), journal, at(0, 0.001, 0), 1, t), 0);
    assert_int_equal(contact(half, at(0, 0, 0), journal, at(0, -0.001, 0), 1, t), 1);
    /* corners of a rectangle in a circle; an ellipsoid in a sphere */
    jn_solid *block = sized_solid(JN_SHAPE_RECTANGLE, v3(0.012, 0.012, 0), 1, 1, s),
             *egg = sized_solid(JN_SHAPE_ELLIPSOID, v3(0.004, 0.005, 0.008), 1, 1, s);
    assert_int_equal(contact(arc, at(0, 0, 0), block, at(0, 0, 0), 1, t), 4);
    assert_near(t->gap, 0.01 - 0.006 * sqrt(2), 1e-15);
    assert_int_equal(contact(socket, at(0, 0, 0), egg, pose_at(v3(0, 0, 0), q4_exp(v3(0.3, 0.8, 0))), 1, t), 1);
    assert_near(t->gap, 0.002, 1e-12);
    jn_store_free(s);
}

static jn_solid *heightfield(jn_store *s, int n, double (*height)(double, double)) {
    jn_shape_desc d = jn_shape_default(JN_SHAPE_HEIGHTFIELD);
    double *h = jn_store_array(s, (size_t)(n * n), sizeof *h);
    d.size = v3(2, 2, 0), d.grid[0] = d.grid[1] = n, d.heights = h;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) h[n * j + i] = height(2.0 * i / (n - 1) - 1, 2.0 * j / (n - 1) - 1);
    jn_solid *f = jn_store_alloc(s, sizeof *f);
    assert_int_equal(jn_solid_build(f, &d, NULL, s, NULL, NULL), JN_OK);
    return f;
}
static double level(double x, double y) { return (void)x, (void)y, 0.1; }
static double waves(double x, double y) { return 0.1 * sin(3 * x) * cos(2 * y); }

static double triangle_distance(const jn_solid *m, jn_vec3 p) {
    double least = INFINITY;
    for (int i = 0; i < m->triangle_count; i++) {
        jn_vec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = m->vertex[m->triangle[i][k]];
        jn_solid flat = {.type = JN_SHAPE_HULL, .vertex = corner, .vertex_count = 3, .reach = 2},
                 point = {.type = JN_SHAPE_SPHERE};
        jn_convex T = {.s = &flat, .X = at(0, 0, 0)}, P = {.s = &point, .X = pose_at(p, q4_identity())};
        jn_gap g;
        jn_simplex x;
        if (jn_gjk(&T, &P, v3(0, 0, 1), NULL, &g, &x))
            least = fmin(least, g.gap);
        else
            least = 0;
    }
    return least;
}

/* A flat mesh acts as a plane: no contacts at the edges of its triangles. Waves: the distance to the nearest triangle. */
static void test_meshes(void **state) {
    (void)state;
    uint64_t seed = 4;
    jn_store *s = jn_store_create();
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    jn_solid *flat = heightfield(s, 21, level), *wavy = heightfield(s, 15, waves);
    jn_solid *ball = sized_solid(JN_SHAPE_SPHERE, v3(0.08, 0, 0), 1, 1, s),
             *box = sized_solid(JN_SHAPE_BOX, v3(0.3, 0.2, 0.1), 1, 1, s);
    for (int k = 0; k < 200; k++) {
        double x = 0.8 * scene_random(&seed), y = 0.8 * scene_random(&seed), h = uniform(&seed, -0.01, 0.01);
        assert_int_equal(contact(flat, at(0, 0, 0), ball, at(x, y, 0.18 + h), 0.02, t), 1);
        assert_near(t->gap, h, 1e-12);
        assert_near(t->n.z, 1, 1e-9);
        jn_quat turn = q4_exp(v3(0, 0, 3 * scene_random(&seed)));
        assert_int_equal(contact(flat, at(0, 0, 0), box, pose_at(v3(0.8 * x, 0.8 * y, 0.15 + h), turn), 0.02, t), 4);
        for (int i = 0; i < 4; i++) assert_near(t[i].gap, h, 1e-12);
        jn_vec3 c = v3(x, y, waves(x, y) + uniform(&seed, 0.05, 0.12));
        int w = 0, n = contact(wavy, at(0, 0, 0), ball, pose_at(c, q4_identity()), 1, t);
        assert_true(n >= 1);
        assert_near(least_gap(t, n, &w), triangle_distance(wavy, c) - 0.08, 1e-10);
    }
    jn_store_free(s);
}

/* A paraboloid z = (u^2 / a + v^2 / b) / 2 from inside and outside; a sphere written as a surface against a true one. */
static void test_surfaces(void **state) {
    (void)state;
    uint64_t seed = 6;
    jn_store *s = jn_store_create();
    jn_report report;
    jn_report_clear(&report);
    static const char text[] =
        "bodies:\n  ground:\n    shapes:\n"
        "    - {type: surface, surface: [0.5*cos(u)*cos(v), 0.5*sin(u)*cos(v), 0.5*sin(v)], u: [-3, 3], v: [-1.4, "
        "1.4]}\n"
        "    - {type: surface, surface: [u, v, u^2/(2*0.5) - v^2/(2*0.8)], u: [-0.5, 0.5], v: [-0.5, 0.5]}\n";
    jn_description *d = jn_description_parse(text, strlen(text), "surface.yaml", NULL, 0, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    const jn_solid *globe = jn_model_solid(m, 0), *saddle = jn_model_solid(m, 1);
    jn_solid *ball = sized_solid(JN_SHAPE_SPHERE, v3(0.1, 0, 0), 1, 1, s),
             *big = sized_solid(JN_SHAPE_SPHERE, v3(0.5, 0, 0), 1, 1, s);
    jn_solid *egg = sized_solid(JN_SHAPE_ELLIPSOID, v3(0.1, 0.15, 0.2), 1, 1, s);
    for (int k = 0; k < 60; k++) {
        double a = 2.5 * scene_random(&seed), b = 1.0 * scene_random(&seed), r = uniform(&seed, 0.55, 0.75);
        jn_vec3 p = v3(r * cos(a) * cos(b), r * sin(a) * cos(b), r * sin(b));
        assert_int_equal(contact(globe, at(0, 0, 0), ball, pose_at(p, q4_identity()), INFINITY, t), 1);
        assert_near(t->gap, r - 0.6, 1e-12);
        assert_near(t->kA[0], 2, 1e-6);
        assert_near(t->kA[1], 2, 1e-6);
        jn_contact_geometry u[JN_MANIFOLD_MAX];
        jn_pose X = pose_at(v3_scale(1.2, p), random_turn(&seed));
        if (contact(globe, at(0, 0, 0), egg, X, INFINITY, t) == 1) {
            assert_int_equal(contact(big, at(0, 0, 0), egg, X, INFINITY, u), 1);
            assert_near(t->gap, u->gap, 1e-9);
        }
    }
    assert_int_equal(contact(saddle, at(0, 0, 0), ball, at(0, 0, 0.11), INFINITY, t), 1);
    assert_near(t->gap, 0.01, 1e-12);
    assert_near(t->kA[0], 1 / 0.8, 1e-9);
    assert_near(t->kA[1], -1 / 0.5, 1e-9);
    assert_near(fabs(t->dA.y), 1, 1e-9);
    jn_model_free(m);
    jn_description_free(d);
    jn_store_free(s);
}

/* Concentric, parallel, coincident, deep, tiny steps off them: an answer, finite and consistent, every time. */
static void test_degenerate(void **state) {
    (void)state;
    uint64_t seed = 123;
    static const jn_shape_type list[] = {
        JN_SHAPE_SPHERE, JN_SHAPE_BOX,       JN_SHAPE_CYLINDER, JN_SHAPE_CAPSULE,   JN_SHAPE_CONE,
        JN_SHAPE_HULL,   JN_SHAPE_PLANE,     JN_SHAPE_TORUS,    JN_SHAPE_ELLIPSOID, JN_SHAPE_SUPERELLIPSOID,
        JN_SHAPE_CIRCLE, JN_SHAPE_RECTANGLE, JN_SHAPE_POLYGON,  JN_SHAPE_SEGMENT,   JN_SHAPE_HALF_PLANE};
    enum { N = sizeof list / sizeof *list };
    for (int k = 0; k < 40 * N * N; k++) {
        jn_shape_type a = list[k % N], b = list[k / N % N];
        bool flat = jn_shape_type_info(a)->planar || jn_shape_type_info(b)->planar;
        if (!jn_pair_supported(a, b)) continue;
        jn_store *s = jn_store_create();
        uint64_t one = seed;
        jn_solid *A = random_solid(a, s, &seed),
                 *B = a == b && k % 2 ? random_solid(b, s, &one) : random_solid(b, s, &seed);
        jn_quat q = flat ? q4_identity() : random_turn(&seed);
        static const double angle[] = {0, 1.5707963267948966, 3.141592653589793, 1e-9, 1e-15};
        jn_quat by = q4_exp(v3_scale(angle[k % 5], flat ? v3(0, 0, 1) : v3_axis(k / 5 % 3)));
        jn_vec3 o = v3(0, 0, 0);
        static const double off[] = {0, 1e-16, 1e-12, 1e-9, 1e-6, 0.05};
        o = v3_scale(off[k / 7 % 6], k % 3 ? v3_axis(k % (flat ? 2 : 3)) : flat ? v3(0.6, 0.8, 0) : random_unit(&seed));
        jn_pose XA = pose_at(v3(0.1, 0.2, flat ? 0 : 0.3), q), XB = pose_at(v3_add(XA.p, o), q4_mul(q, by));
        jn_contact_geometry t[JN_MANIFOLD_MAX];
        jn_pair_cache cache = {0};
        for (int pass = 0; pass < 2; pass++) {
            int n = jn_pair_collide(A, &XA, B, &XB, INFINITY, &cache, t);
            assert_true(n >= 1 && n <= JN_MANIFOLD_MAX);
            for (int i = 0; i < n; i++) check_contact(&t[i], 1);
        }
        jn_store_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patches), cmocka_unit_test(test_features), cmocka_unit_test(test_hollows),
        cmocka_unit_test(test_meshes),  cmocka_unit_test(test_surfaces), cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
