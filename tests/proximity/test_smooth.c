/* Ellipsoids and superellipsoids: the reference cases, brute force, and the support function itself. */
#include "body_scenes.h"
#include "reference_model.h"
#include "shapes.h"

static jn_vec3 vector_of(const json *node) {
    double a[3] = {0};
    json_numbers(node, a, 3);
    return v3(a[0], a[1], a[2]);
}

static jn_solid *solid_of(const json *node, jn_store *store, jn_pose *X) {
    double q[4];
    json_numbers(json_get(node, "quat"), q, 4);
    *X = pose_at(vector_of(json_get(node, "center")), (jn_quat){q[0], q[1], q[2], q[3]});
    double e1 = json_number(json_get(node, "e1"), 1), e2 = json_number(json_get(node, "e2"), 1);
    jn_shape_type type = e1 == 1 && e2 == 1 ? JN_SHAPE_ELLIPSOID : JN_SHAPE_SUPERELLIPSOID;
    return sized_solid(type, vector_of(json_get(node, "semi_axes")), e1, e2, store);
}

static void compare_vector(jn_vec3 found, const json *expected, double tolerance) {
    jn_vec3 e = vector_of(expected);
    assert_near(found.x, e.x, tolerance);
    assert_near(found.y, e.y, tolerance);
    assert_near(found.z, e.z, tolerance);
}

static void check_case(const json *c) {
    const json *in = json_get(c, "input"), *want = json_get(c, "expected"), *plane = json_get(in, "plane");
    jn_store *store = jn_store_create();
    jn_pose XA, XB, home = {{0, 0, 0}, m3_identity()};
    jn_solid *A = solid_of(json_get(in, "A"), store, &XA), *B;
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    if (plane) {
        jn_vec3 n = vector_of(json_get(plane, "normal")), x = v3_any_normal(n);
        B = sized_solid(JN_SHAPE_PLANE, v3(0, 0, 0), 1, 1, store);
        XB = (jn_pose){v3_scale(json_number(json_get(plane, "offset"), 0), n), m3_from_columns(x, v3_cross(n, x), n)};
        assert_int_equal(jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, t), 1);
        compare_vector(v3_neg(t->n), json_get(want, "n_plane"), 1e-12);
        compare_vector(t->pB, json_get(want, "pPlane"), 1e-9);
    } else {
        B = solid_of(json_get(in, "B"), store, &XB);
        assert_int_equal(jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, t), 1);
        compare_vector(t->n, json_get(want, "n_AtoB"), 1e-9);
        compare_vector(t->pB, json_get(want, "pB"), 1e-9);
    }
    (void)home;
    assert_near(t->gap, json_number(json_get(want, "gap"), NAN), 1e-12);
    compare_vector(t->pA, json_get(want, "pA"), 1e-9);
    jn_store_free(store);
}

static void test_reference_cases(void **state) {
    (void)state;
    json *file = json_read(reference_path("cases_000.json"));
    int found = 0;
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        return;
    }
    const json *list = json_get(file, "cases") ? json_get(file, "cases") : file;
    for (const json *c = list->first; c; c = c->next) {
        const char *id = json_text(json_get(c, "id"), c->key ? c->key : "");
        if (strncmp(id, "contact_", 8) != 0 ||
            strncmp(json_text(json_get(c, "area"), ""), "contact kinematics", 18) != 0)
            continue;
        check_case(c);
        found++;
    }
    assert_true(found >= 6);
    json_free(file);
}

/* The support point lies on the surface, and no sampled surface point lies further. */
static void test_support(void **state) {
    (void)state;
    uint64_t seed = 5;
    jn_store *store = jn_store_create();
    for (int k = 0; k < 40; k++) {
        jn_solid *s = random_solid(k % 4 ? JN_SHAPE_SUPERELLIPSOID : JN_SHAPE_ELLIPSOID, store, &seed);
        jn_convex c = {.s = s, .X = pose_at(v3(0, 0, 0), q4_identity())};
        for (int i = 0; i < 50; i++) {
            jn_vec3 n = i < 6 ? v3_scale(i & 1 ? -1 : 1, v3_axis(i / 2)) : random_unit(&seed),
                    p = jn_core_support(&c, n);
            assert_near(outside(s, p), 0, 1e-13);
            for (int j = 0; j < 200; j++) {
                double eta = uniform(&seed, -1.5707963, 1.5707963), w = uniform(&seed, -3.1415926, 3.1415926);
                double ce = cos(eta), se = sin(eta), cw = cos(w), sw = sin(w), e1 = s->e1, e2 = s->e2;
                jn_vec3 q = v3(s->size.x * pow(ce, e1) * copysign(pow(fabs(cw), e2), cw),
                               s->size.y * pow(ce, e1) * copysign(pow(fabs(sw), e2), sw),
                               s->size.z * copysign(pow(fabs(se), e1), se));
                assert_true(v3_dot(n, q) <= v3_dot(n, p) + 1e-13);
            }
        }
    }
    jn_store_free(store);
}

/* The Hessian of the support function is the derivative of the support point. */
static void test_hessian(void **state) {
    (void)state;
    uint64_t seed = 8;
    jn_store *store = jn_store_create();
    for (int k = 0; k < 60; k++) {
        jn_solid *s = random_solid(k % 3 ? JN_SHAPE_SUPERELLIPSOID : JN_SHAPE_ELLIPSOID, store, &seed);
        jn_convex c = {.s = s, .X = pose_at(v3(0, 0, 0), random_turn(&seed))};
        jn_vec3 n = random_unit(&seed), d = random_unit(&seed);
        double h = 1e-6;
        jn_mat3 H = jn_core_hessian(&c, n);
        jn_vec3 fd =
            v3_scale(0.5 / h, v3_sub(jn_core_support(&c, v3_axpy(h, d, n)), jn_core_support(&c, v3_axpy(-h, d, n))));
        jn_vec3 e = v3_sub(m3_mul_v(&H, d), fd);
        jn_vec3 l = m3_tmul_v(&c.X.R, n);
        if (fmin(fabs(l.x), fmin(fabs(l.y), fabs(l.z))) < 0.05) continue; /* the flat spots have no third derivative */
        assert_below(v3_norm(e), 1e-7);
    }
    jn_store_free(store);
}

static jn_vec3 on_surface(const jn_solid *s, const jn_pose *X, double eta, double w) {
    double ce = fabs(cos(eta)), se = sin(eta), cw = cos(w), sw = sin(w), sg = cos(eta) < 0 ? -1 : 1;
    return pose_point(X, v3(s->size.x * sg * pow(ce, s->e1) * copysign(pow(fabs(cw), s->e2), cw),
                            s->size.y * sg * pow(ce, s->e1) * copysign(pow(fabs(sw), s->e2), sw),
                            s->size.z * copysign(pow(fabs(se), s->e1), se)));
}

static double distance4(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB, const double x[4]) {
    return v3_norm(v3_sub(on_surface(B, XB, x[2], x[3]), on_surface(A, XA, x[0], x[1])));
}

/* Least distance of two surfaces over their four parameters: a grid, then random steps that shrink. */
static double brute_distance(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB,
                             uint64_t *seed) {
    double x[4] = {0}, best = INFINITY;
    enum { N = 14 };
    for (int i = 0; i < N * N * N * N; i++) {
        double y[4];
        for (int k = 0, j = i; k < 4; k++, j /= N) y[k] = (k & 1 ? 6.2831853 : 3.1415926) * ((j % N + 0.5) / N - 0.5);
        double d = distance4(A, XA, B, XB, y);
        if (d < best) best = d, memcpy(x, y, sizeof x);
    }
    double size = 0.3;
    for (int i = 0; i < 200000 && size > 1e-9; i++) {
        double y[4];
        for (int k = 0; k < 4; k++) y[k] = x[k] + size * scene_random(seed);
        double d = distance4(A, XA, B, XB, y);
        if (d < best)
            best = d, memcpy(x, y, sizeof x), size *= 1.3;
        else
            size *= 0.985;
    }
    return best;
}

static void test_brute_force(void **state) {
    (void)state;
    uint64_t seed = 77;
    jn_store *store = jn_store_create();
    int apart = 0, inside = 0;
    double worst = 0;
    for (int k = 0; k < 24; k++) {
        jn_solid *A = random_solid(k % 2 ? JN_SHAPE_SUPERELLIPSOID : JN_SHAPE_ELLIPSOID, store, &seed);
        jn_solid *B = random_solid(k % 3 ? JN_SHAPE_SUPERELLIPSOID : JN_SHAPE_ELLIPSOID, store, &seed);
        jn_pose XA = pose_at(v3_scale(0.05, random_vector(&seed)), random_turn(&seed));
        jn_pose XB =
            pose_at(v3_scale(k % 4 < 2 ? 0.42 : uniform(&seed, 0.03, 0.15), random_unit(&seed)), random_turn(&seed));
        jn_contact_geometry t[JN_MANIFOLD_MAX];
        jn_convex a = {.s = A, .X = XA}, b = {.s = B, .X = XB};
        assert_int_equal(jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, t), 1);
        check_contact(t, 1);
        assert_near(outside(A, pose_local(&XA, t->pA)), 0, 1e-11);
        assert_near(outside(B, pose_local(&XB, t->pB)), 0, 1e-11);
        double best = best_direction(&a, &b, false, 20000, v3(1, 0, 0), &seed);
        worst = fmax(worst, fabs(best - t->gap));
        assert_near(t->gap, best, 1e-9);
        if (t->gap > 0) {
            assert_near(t->gap, brute_distance(A, &XA, B, &XB, &seed), 1e-9);
            apart++;
        } else {
            inside++;
        }
    }
    print_message("          %d apart, %d penetrating, largest difference %.1e m\n", apart, inside, worst);
    assert_true(apart >= 10 && inside >= 10);
    jn_store_free(store);
}

/* Followed with the warm start through contact: the gap never changes faster than the solids move, and agrees with a cold start. */
static void test_warm_start(void **state) {
    (void)state;
    uint64_t seed = 3;
    jn_store *store = jn_store_create();
    for (int k = 0; k < 12; k++) {
        jn_solid *A = random_solid(k % 2 ? JN_SHAPE_SUPERELLIPSOID : JN_SHAPE_ELLIPSOID, store, &seed);
        jn_solid *B = random_solid(k % 3 ? JN_SHAPE_SUPERELLIPSOID : JN_SHAPE_SPHERE, store, &seed);
        jn_pose XA = pose_at(v3(0, 0, 0), random_turn(&seed)), XB = pose_at(v3(0, 0, 0), random_turn(&seed));
        jn_vec3 from = v3_scale(0.5, random_unit(&seed)),
                to = v3_add(v3_scale(-0.3, from), v3_scale(0.1, random_vector(&seed)));
        jn_pair_cache cache = {0};
        double last = NAN;
        enum { STEPS = 400 };
        for (int i = 0; i <= STEPS; i++) {
            jn_contact_geometry t[JN_MANIFOLD_MAX], cold[JN_MANIFOLD_MAX];
            XB.p = v3_axpy((double)i / STEPS, v3_sub(to, from), from);
            assert_int_equal(jn_pair_collide(A, &XA, B, &XB, INFINITY, &cache, t), 1);
            assert_int_equal(jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, cold), 1);
            assert_near(t->gap, cold->gap, 1e-11);
            if (i) assert_below(fabs(t->gap - last), v3_norm(v3_sub(to, from)) / STEPS * (1 + 1e-9));
            last = t->gap;
        }
    }
    jn_store_free(store);
}

/* Ellipsoid: known curvatures at the ends of its axes; sphere of a superellipsoid with e = 1. */
static void test_curvature(void **state) {
    (void)state;
    jn_store *store = jn_store_create();
    jn_solid *E = sized_solid(JN_SHAPE_ELLIPSOID, v3(0.3, 0.2, 0.1), 1, 1, store);
    jn_solid *S = sized_solid(JN_SHAPE_SUPERELLIPSOID, v3(0.3, 0.2, 0.1), 1, 1, store);
    jn_solid *P = sized_solid(JN_SHAPE_PLANE, v3(0, 0, 0), 1, 1, store);
    jn_pose X = pose_at(v3(0, 0, 0.11), q4_identity()), home = pose_at(v3(0, 0, 0), q4_identity());
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    assert_int_equal(jn_pair_collide(P, &home, E, &X, 1, NULL, t), 1);
    assert_near(t->gap, 0.01, 1e-15);
    assert_near(t->kB[0], 0.1 / (0.2 * 0.2), 1e-12);
    assert_near(t->kB[1], 0.1 / (0.3 * 0.3), 1e-12);
    assert_near(fabs(t->dB.y), 1, 1e-9);
    assert_true(t->smoothA && t->smoothB && t->kA[0] == 0 && t->kA[1] == 0);
    X = pose_at(v3(0, 0, 0.3), q4_exp(v3(0.4, 0.3, 0.2)));
    double k[2][2];
    assert_int_equal(jn_pair_collide(P, &home, E, &X, 1, NULL, t), 1);
    memcpy(k[0], t->kB, sizeof k[0]);
    assert_int_equal(jn_pair_collide(P, &home, S, &X, 1, NULL, t), 1);
    assert_near(t->kB[0], k[0][0], 1e-9);
    assert_near(t->kB[1], k[0][1], 1e-9);
    jn_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_cases), cmocka_unit_test(test_support),    cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_brute_force),     cmocka_unit_test(test_warm_start), cmocka_unit_test(test_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
