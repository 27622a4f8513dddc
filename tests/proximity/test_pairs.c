/* Every pair of convex primitives: certificates of optimality, symmetry, invariance, continuity, rates. */
#include "shapes.h"

static const jn_shape_type solids[] = {JN_SHAPE_SPHERE, JN_SHAPE_BOX,  JN_SHAPE_CYLINDER,  JN_SHAPE_CAPSULE,
                                       JN_SHAPE_CONE,   JN_SHAPE_HULL, JN_SHAPE_ELLIPSOID, JN_SHAPE_SUPERELLIPSOID,
                                       JN_SHAPE_PLANE};
static const jn_shape_type flats[] = {JN_SHAPE_CIRCLE, JN_SHAPE_RECTANGLE, JN_SHAPE_POLYGON, JN_SHAPE_SEGMENT,
                                      JN_SHAPE_HALF_PLANE};
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static double size_of(const jn_solid *s) { return isfinite(s->reach) ? s->reach : 0; }
static bool endless(const jn_solid *s) { return !isfinite(s->reach); }

/* Pose of B at which the two are about `gap` apart along a random direction. */
static void place(const jn_solid *A, const jn_solid *B, bool planar, double gap, jn_pose *XA, jn_pose *XB,
                  uint64_t *seed) {
    jn_vec3 d = planar ? v3_unit(v3(scene_random(seed), scene_random(seed) + 1e-3, 0)) : random_unit(seed);
    jn_quat qa = planar ? q4_exp(v3(0, 0, 3 * scene_random(seed))) : random_turn(seed);
    jn_quat qb = planar ? q4_exp(v3(0, 0, 3 * scene_random(seed))) : random_turn(seed);
    *XA = pose_at(planar ? v3(0.1, -0.2, 0) : v3_scale(0.2, random_vector(seed)), qa);
    *XB = pose_at(v3(0, 0, 0), qb);
    if (endless(A) || endless(B)) {
        const jn_pose *P = endless(A) ? XA : XB;
        jn_vec3 n = m3_column(&P->R, planar ? 1 : 2);
        double h = gap + 0.8 * size_of(endless(A) ? B : A);
        XB->p = v3_axpy(endless(A) ? h : -h, n, XA->p);
        return;
    }
    double far = 2 * (size_of(A) + size_of(B));
    jn_convex a = {.s = A, .X = *XA}, b = {.s = B, .X = *XB};
    b.X.p = v3_axpy(far, d, XA->p);
    double now = gap_in_direction(&a, &b, d);
    XB->p = v3_axpy(far - now + gap, d, XA->p);
}

/* Apart: both points lie in their solids, so that no distance can be smaller; and no direction has a larger gap. */
static void check_optimal(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB, bool planar,
                          double tolerance, uint64_t *seed, double *worst) {
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    int w = 0, n = jn_pair_collide(A, XA, B, XB, INFINITY, NULL, t);
    assert_true(n >= 1);
    double gap = least_gap(t, n, &w), size = size_of(A) + size_of(B);
    for (int i = 0; i < n; i++) check_contact(&t[i], 1);
    if (endless(A) || endless(B)) {
        const jn_solid *C = endless(A) ? B : A;
        jn_convex c = {.s = C, .X = endless(A) ? *XB : *XA};
        jn_vec3 m = endless(A) ? t[w].n : v3_neg(t[w].n), o = endless(A) ? XA->p : XB->p;
        double h = v3_dot(m, v3_sub(jn_core_support(&c, v3_neg(m)), o)) - C->radius;
        assert_near(gap, h, 1e-12);
        assert_below(outside(C, pose_local(&c.X, endless(A) ? t[w].pB : t[w].pA)), 1e-12);
        return;
    }
    jn_convex a = {.s = A, .X = *XA}, b = {.s = B, .X = *XB};
    assert_near(gap, gap_in_direction(&a, &b, t[w].n), tolerance * size); /* attained by its own normal */
    if (gap > 0) {
        assert_below(outside(A, pose_local(XA, t[w].pA)), tolerance * size);
        assert_below(outside(B, pose_local(XB, t[w].pB)), tolerance * size);
    }
    double best = best_direction(&a, &b, planar, gap > 0 ? 500 : 4000, t[w].n, seed);
    *worst = fmax(*worst, best - gap);
    assert_below(best - gap, tolerance * size);
}

static void test_all_pairs(void **state) {
    (void)state;
    uint64_t seed = 11;
    double worst = 0;
    int pairs = 0;
    for (int planar = 0; planar < 2; planar++) {
        const jn_shape_type *list = planar ? flats : solids;
        int n = planar ? COUNT(flats) : COUNT(solids);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (!jn_pair_supported(list[i], list[j])) {
                    assert_true(list[i] == list[j] && (list[i] == JN_SHAPE_PLANE || list[i] == JN_SHAPE_HALF_PLANE));
                    continue;
                }
                pairs++;
                for (int k = 0; k < 24; k++) {
                    jn_store *store = jn_store_create();
                    jn_solid *A = random_solid(list[i], store, &seed), *B = random_solid(list[j], store, &seed);
                    jn_pose XA, XB;
                    double gap = k % 3 == 0 ? 0.1 : k % 3 == 1 ? -0.02 : uniform(&seed, -0.15, 0);
                    place(A, B, planar, gap, &XA, &XB, &seed);
                    check_optimal(A, &XA, B, &XB, planar, 1e-12, &seed, &worst);
                    jn_store_free(store);
                }
            }
    }
    print_message("          %d pairs of types, best sampled direction better by at most %.1e m\n", pairs, worst);
}

/* A torus is not convex: against dense sampling of its surface. */
static void test_torus(void **state) {
    (void)state;
    uint64_t seed = 2;
    jn_store *store = jn_store_create();
    jn_solid *T = sized_solid(JN_SHAPE_TORUS, v3(0.2, 0.05, 0), 1, 1, store),
             *S = sized_solid(JN_SHAPE_SPHERE, v3(0.03, 0, 0), 1, 1, store);
    jn_solid *P = sized_solid(JN_SHAPE_PLANE, v3(0, 0, 0), 1, 1, store);
    for (int k = 0; k < 50; k++) {
        jn_pose X = pose_at(v3_scale(0.1, random_vector(&seed)), random_turn(&seed)),
                Y = pose_at(v3_scale(0.25, random_vector(&seed)), q4_identity());
        jn_contact_geometry t[JN_MANIFOLD_MAX];
        assert_int_equal(jn_pair_collide(T, &X, S, &Y, INFINITY, NULL, t), 1);
        check_contact(t, 1);
        assert_near(t->gap, outside(T, pose_local(&X, Y.p)) - 0.03, 1e-14);
        assert_near(outside(T, pose_local(&X, t->pA)), 0, 1e-14);
        int w = 0, n = jn_pair_collide(P, &Y, T, &X, INFINITY, NULL, t);
        double least = INFINITY;
        for (int i = 0; i < 2000; i++) {
            double a = 6.283185307179586 * i / 2000;
            least = fmin(least, pose_local(&Y, pose_point(&X, v3(0.2 * cos(a), 0.2 * sin(a), 0))).z - 0.05);
        }
        assert_near(least_gap(t, n, &w), least, 1e-6);
        assert_true(least_gap(t, n, &w) <= least + 1e-15);
    }
    jn_store_free(store);
}

static void test_swap_and_motion(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int planar = 0; planar < 2; planar++) {
        const jn_shape_type *list = planar ? flats : solids;
        int n = planar ? COUNT(flats) : COUNT(solids);
        for (int k = 0; k < 20 * n * n; k++) {
            jn_shape_type a = list[k % n], b = list[k / n % n];
            if (!jn_pair_supported(a, b)) continue;
            jn_store *store = jn_store_create();
            jn_solid *A = random_solid(a, store, &seed), *B = random_solid(b, store, &seed);
            jn_pose XA, XB,
                M = pose_at(planar ? v3(0.3, 1, 0) : v3(0.3, 1, -2), planar ? q4_exp(v3(0, 0, 2)) : random_turn(&seed));
            place(A, B, planar, uniform(&seed, -0.05, 0.05), &XA, &XB, &seed);
            jn_contact_geometry t[JN_MANIFOLD_MAX], s[JN_MANIFOLD_MAX], again[JN_MANIFOLD_MAX], m[JN_MANIFOLD_MAX];
            int i = 0, j = 0, l = 0, nt = jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, t);
            int ns = jn_pair_collide(B, &XB, A, &XA, INFINITY, NULL, s);
            memset(again, 0, sizeof again);
            memset(m, 0, sizeof m);
            assert_int_equal(nt, jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, again));
            for (int q = 0; q < nt; q++) { /* the same bits */
                assert_memory_equal(&t[q].gap, &again[q].gap, sizeof t[q].gap);
                assert_memory_equal(&t[q].n, &again[q].n, sizeof t[q].n);
                assert_memory_equal(&t[q].pA, &again[q].pA, sizeof t[q].pA);
                assert_int_equal(t[q].feature, again[q].feature);
            }
            assert_near(least_gap(t, nt, &i), least_gap(s, ns, &j), 1e-11);
            if (nt == 1 && ns == 1 && t->gap > 1e-4) assert_below(v3_norm(v3_add(t[i].n, s[j].n)), 1e-4);
            jn_pose YA = pose_mul(&M, &XA), YB = pose_mul(&M, &XB);
            int nm = jn_pair_collide(A, &YA, B, &YB, INFINITY, NULL, m);
            assert_near(least_gap(t, nt, &i), least_gap(m, nm, &l), 1e-10); /* one pair 5e-11, the others 1e-15 */
            jn_store_free(store);
        }
    }
}

/* Moved by a step, the gap changes by no more than the step: through contact and deep into it. */
static void test_continuity(void **state) {
    (void)state;
    uint64_t seed = 31;
    for (int planar = 0; planar < 2; planar++) {
        const jn_shape_type *list = planar ? flats : solids;
        int n = planar ? COUNT(flats) : COUNT(solids);
        for (int k = 0; k < 2 * n * n; k++) {
            jn_shape_type a = list[k % n], b = list[k / n % n];
            if (!jn_pair_supported(a, b)) continue;
            jn_store *store = jn_store_create();
            jn_solid *A = random_solid(a, store, &seed), *B = random_solid(b, store, &seed);
            jn_pose XA, XB, end, Y;
            jn_pair_cache cache = {0};
            double last = NAN;
            place(A, B, planar, 0.02, &XA, &XB, &seed);
            end = XB;
            place(A, B, planar, -0.06, &Y, &end, &seed);
            end.p = v3_add(XB.p, v3_scale(-0.15, v3_unit(v3_add(v3_sub(XB.p, XA.p), v3(1e-3, 0, 0)))));
            enum { STEPS = 300 };
            double step = v3_norm(v3_sub(end.p, XB.p)) / STEPS;
            jn_vec3 from = XB.p;
            for (int i = 0; i <= STEPS; i++) {
                jn_contact_geometry t[JN_MANIFOLD_MAX];
                int w = 0;
                XB.p = v3_axpy((double)i / STEPS, v3_sub(end.p, from), from);
                int c = jn_pair_collide(A, &XA, B, &XB, INFINITY, &cache, t);
                double gap = least_gap(t, c, &w);
                if (i) assert_below(fabs(gap - last), step * (1 + 1e-9) + 2e-9);
                last = gap;
            }
            jn_store_free(store);
        }
    }
}

static jn_pose moved(const jn_pose *X, jn_twist V, double dt) {
    jn_mat3 R = q4_matrix(q4_exp(v3_scale(dt, V.w)));
    return (jn_pose){v3_axpy(dt, V.v, X->p), m3_mul(&R, &X->R)};
}

/* The rate of the gap by eq (34)-(35), and by the power of the rows, against central differences of the gap. */
static void test_rates(void **state) {
    (void)state;
    uint64_t seed = 41;
    double worst = 0;
    int checked = 0;
    for (int planar = 0; planar < 2; planar++) {
        const jn_shape_type *list = planar ? flats : solids;
        int n = planar ? COUNT(flats) : COUNT(solids);
        for (int k = 0; k < 10 * n * n; k++) {
            jn_shape_type a = list[k % n], b = list[k / n % n];
            if (!jn_pair_supported(a, b)) continue;
            jn_store *store = jn_store_create();
            jn_solid *A = random_solid(a, store, &seed), *B = random_solid(b, store, &seed);
            jn_pose XA, XB;
            place(A, B, planar, k % 2 ? 0.03 : -0.01, &XA, &XB, &seed);
            jn_twist VA = {random_vector(&seed), random_vector(&seed)},
                     VB = {random_vector(&seed), random_vector(&seed)};
            if (planar) VA.w.x = VA.w.y = VA.v.z = VB.w.x = VB.w.y = VB.v.z = 0;
            jn_contact_geometry t[JN_MANIFOLD_MAX], u[JN_MANIFOLD_MAX];
            int w = 0, c = jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, t);
            least_gap(t, c, &w);
            jn_relative_motion m = jn_geometry_motion(&t[w], XA.p, VA, XB.p, VB);
            jn_contact_row row = jn_contact_row_along(&t[w], t[w].n, XA.p, XB.p);
            assert_near(m.gap_rate, tw_dot(VA, row.A) + tw_dot(VB, row.B), 1e-13);
            jn_vec3 e[2], slip = v3(0, 0, 0);
            jn_geometry_tangents(&t[w], planar, e);
            for (int q = 0; q < 2; q++) {
                jn_contact_row r = jn_contact_row_along(&t[w], e[q], XA.p, XB.p);
                slip = v3_axpy(tw_dot(VA, r.A) + tw_dot(VB, r.B), e[q], slip);
                assert_near(v3_dot(e[q], t[w].n), 0, 1e-15);
            }
            assert_below(v3_norm(v3_sub(slip, m.slip)), 1e-13);
            double h = 1e-6, g[2];
            for (int q = 0; q < 2; q++) {
                jn_pose YA = moved(&XA, VA, q ? h : -h), YB = moved(&XB, VB, q ? h : -h);
                int x = 0, count = jn_pair_collide(A, &YA, B, &YB, INFINITY, NULL, u);
                g[q] = least_gap(u, count, &x);
            }
            double rate = (g[1] - g[0]) / (2 * h);
            worst = fmax(worst, fabs(rate - m.gap_rate));
            assert_near(m.gap_rate, rate, 3e-7); /* gaps to 3e-13 m, over 2e-6 s */
            checked++;
            jn_store_free(store);
        }
    }
    print_message("          %d pairs, largest difference of the rates %.1e m/s\n", checked, worst);
}

/* Two boxes by their axes against GJK and EPA: aligned, almost so, and turned; apart, touching and deep. */
static void test_boxes(void **state) {
    (void)state;
    static const double tilt[] = {1, 1e-3, 1e-7, 0}, gap[] = {1e-2, 1e-3, 1e-9, 0, -1e-9, -2e-2};
    uint64_t seed = 5;
    double worst = 0;
    int decided = 0, count = 0;
    for (int k = 0; k < 6000; k++) {
        jn_store *store = jn_store_create();
        jn_vec3 size = v3(0.15 + 0.05 * scene_random(&seed), 0.15, 0.12);
        const jn_solid *A = sized_solid(JN_SHAPE_BOX, size, 0, 0, store), *B = A;
        jn_pose XA = pose_at(v3(0, 0, 0), random_turn(&seed)),
                XB = pose_at(v3(0, 0, 0), q4_exp(v3_scale(tilt[k % 4], random_vector(&seed))));
        XB.R = m3_mul(&XA.R, &XB.R);
        XB.p = m3_mul_v(&XA.R, v3(0.1 * scene_random(&seed), 0.1 * scene_random(&seed), 2 * A->size.z + gap[k % 6]));
        jn_convex a = {.s = A, .X = XA}, b = {.s = B, .X = XB};
        jn_gap axes, other;
        jn_simplex simplex;
        jn_vec3 more[JN_EPA_OTHER];
        count++;
        if (jn_box_gap(&a, &b, &axes)) {
            decided++;
            if (!jn_gjk(&a, &b, v3_sub(XB.p, XA.p), NULL, &other, &simplex)) jn_epa(&a, &b, &simplex, &other, more);
            worst = fmax(worst, fabs(axes.gap - other.gap));
            assert_near(axes.gap, other.gap, 1e-10);
            assert_near(v3_dot(axes.n, v3_sub(axes.pB, axes.pA)), axes.gap, 1e-14);
        }
        jn_store_free(store);
    }
    print_message("          %d of %d pairs of boxes decided, largest difference %.1e m\n", decided, count, worst);
    assert_true(decided > count * 9 / 10);
}

/* Polytopes that follow each other with what their cache knows have the gaps that they have without: on ways through contact and apart, small steps and jumps, and margins that
 * leave pairs out in between. */
static void test_polytopes_with_a_past(void **state) {
    (void)state;
    static const jn_shape_type types[] = {JN_SHAPE_HULL, JN_SHAPE_BOX};
    uint64_t seed = 11;
    double worst = 0;
    int apart = 0, inside = 0, beyond = 0;
    for (int k = 0; k < 300; k++) {
        jn_store *store = jn_store_create();
        const jn_solid *A = random_solid(JN_SHAPE_HULL, store, &seed), *B = random_solid(types[k % 2], store, &seed);
        jn_pair_cache cache = {0};
        jn_pose XA = pose_at(v3(0, 0, 0), random_turn(&seed)),
                XB = pose_at(v3_scale(0.25, random_unit(&seed)), random_turn(&seed));
        jn_twist V = {random_vector(&seed), v3_scale(-1, XB.p)};
        for (int n = 0; n < 60; n++) {
            jn_contact_geometry own[JN_MANIFOLD_MAX], plain[JN_MANIFOLD_MAX];
            double margin = n % 3 ? INFINITY : 0.02;
            int at = 0, there = 0, count = jn_pair_collide(A, &XA, B, &XB, margin, &cache, own);
            int all = jn_pair_collide(A, &XA, B, &XB, margin, NULL, plain);
            assert_int_equal(count > 0, all > 0);
            beyond += count == 0;
            if (count) {
                double gap = least_gap(own, count, &at), other = least_gap(plain, all, &there);
                worst = fmax(worst, fabs(gap - other));
                assert_near(gap, other, 1e-11);
                apart += gap > 0, inside += gap < 0;
            }
            XB = n % 20 == 19 ? pose_at(v3_scale(0.3, random_unit(&seed)), random_turn(&seed)) : moved(&XB, V, 0.02);
        }
        jn_store_free(store);
    }
    print_message("          %d apart, %d inside, %d beyond the margin, largest difference %.1e m\n", apart, inside,
                  beyond, worst);
    assert_true(apart > 2000 && inside > 1000 && beyond > 1000);
}

/* Caches of other pairs, and such with any bits: gaps are those without a cache. */
static void test_caches_from_elsewhere(void **state) {
    (void)state;
    static const jn_shape_type types[] = {JN_SHAPE_HULL, JN_SHAPE_BOX};
    uint64_t seed = 12;
    jn_pair_cache cache = {0};
    for (int k = 0; k < 1000; k++) {
        jn_store *store = jn_store_create();
        const jn_solid *A = random_solid(JN_SHAPE_HULL, store, &seed), *B = random_solid(types[k % 2], store, &seed);
        jn_pose XA = pose_at(v3(0, 0, 0), random_turn(&seed)),
                XB = pose_at(v3_scale(0.25, random_unit(&seed)), random_turn(&seed));
        uint16_t bits[8];
        for (int i = 0; i < 8; i++) bits[i] = (uint16_t)uniform(&seed, 0, k % 3 ? 65536 : 12);
        if (k % 3 == 0) bits[0] %= 5;
        if (k % 4) memcpy(cache.u, bits, sizeof bits);
        jn_contact_geometry own[JN_MANIFOLD_MAX], plain[JN_MANIFOLD_MAX];
        int at, there, count = jn_pair_collide(A, &XA, B, &XB, INFINITY, &cache, own);
        int all = jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, plain);
        assert_near(least_gap(own, count, &at), least_gap(plain, all, &there), 1e-11);
        assert_true(isfinite(cache.u[0]) && isfinite(cache.u[1]));
        jn_store_free(store);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polytopes_with_a_past),
        cmocka_unit_test(test_caches_from_elsewhere),
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_swap_and_motion),
        cmocka_unit_test(test_continuity),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
