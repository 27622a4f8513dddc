/* The parts of clearance joints: a journal in a bearing with end walls, a block between four guides. */
#include "shapes.h"

static const double R = 0.01, r = 0.0098, half = 0.015, wall = 0.0153;

static jn_solid *bearing(jn_store *s) { return sized_solid(JN_SHAPE_BORE, v3(R, 2000 * half, 2 * wall), 1, 1, s); }
static jn_solid *journal(jn_store *s) { return sized_solid(JN_SHAPE_CYLINDER, v3(r, 2 * half, 0), 1, 1, s); }

/* Near the contact: play and tilt of the size that the clearance allows, any turn about the axis. */
static jn_pose near_contact(uint64_t *seed) {
    jn_quat turn = q4_mul(q4_exp(v3_scale(0.02, random_vector(seed))), q4_exp(v3(0, 0, 3 * scene_random(seed))));
    return pose_at(v3(2.5e-4 * scene_random(seed), 2.5e-4 * scene_random(seed), 4e-4 * scene_random(seed)), turn);
}

static jn_vec3 rim_point(const jn_pose *X, double angle, double z) {
    return pose_point(X, v3(r * cos(angle), r * sin(angle), z));
}

/* Least gap of one end circle: to the hollow (up 0) or to the wall at +z or -z; golden section around the best sample. */
static double sampled(const jn_pose *X, double z, int up) {
    double best = 0, least = INFINITY, step = 6.283185307179586 / 720;
    for (int pass = 0; pass < 2; pass++) {
        double lo = pass ? best - step : 0, width = pass ? 2 * step : 6.283185307179586;
        for (int i = 0; i <= 2000; i++) {
            double a = lo + width * i / 2000;
            jn_vec3 p = rim_point(X, a, z);
            double g = up ? wall - up * p.z : R - hypot(p.x, p.y);
            if (g < least) least = g, best = a;
        }
    }
    return least;
}

static void ends_and_walls_are_exact(void **state) {
    (void)state;
    uint64_t seed = 3;
    jn_store *s = jn_store_create();
    jn_solid *A = bearing(s), *B = journal(s);
    jn_pose X0 = pose_at(v3(0, 0, 0), q4_identity());
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    for (int k = 0; k < 300; k++) {
        jn_pose X = near_contact(&seed);
        double end[2] = {INFINITY, INFINITY}, walls[2] = {INFINITY, INFINITY};
        int n = jn_pair_collide(A, &X0, B, &X, INFINITY, NULL, t);
        assert_int_equal(n, JN_MANIFOLD_MAX);
        for (int i = 0; i < n; i++) {
            check_contact(&t[i], 1);
            double *least = t[i].feature < 2 ? &end[t[i].feature] : &walls[(t[i].feature - 4) / 4];
            *least = fmin(*least, t[i].gap);
            jn_vec3 local = pose_local(&X, t[i].pB); /* a material point of the journal's edge */
            assert_near(hypot(local.x, local.y), r, 1e-14);
            assert_near(fabs(local.z), half, 1e-14);
            double reached = t[i].feature < 2 ? hypot(t[i].pA.x, t[i].pA.y) - R : fabs(t[i].pA.z) - wall;
            assert_near(reached, 0, 1e-14);
            assert_near(t[i].kB[0], 1 / r, 1e-9);
            assert_near(t[i].kA[1], t[i].feature < 2 ? -1 / R : 0, 1e-9);
            assert_int_equal(t[i].smoothB, t[i].feature < 2);
        }
        for (int up = 0; up < 2; up++) {
            assert_near(end[up], sampled(&X, up ? half : -half, 0), 2e-12);
            assert_true(end[up] <= sampled(&X, up ? half : -half, 0) + 1e-17);
            assert_near(walls[up], sampled(&X, up ? half : -half, up ? 1 : -1), 1e-10);
        }
    }
    jn_store_free(s);
}

static jn_pose moved(const jn_pose *X, jn_twist V, double dt) {
    jn_mat3 turn = q4_matrix(q4_exp(v3_scale(dt, V.w)));
    return (jn_pose){v3_axpy(dt, V.v, X->p), m3_mul(&turn, &X->R)};
}

static double gap_of(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB, uint32_t feature) {
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    int n = jn_pair_collide(A, XA, B, XB, INFINITY, NULL, t);
    for (int i = 0; i < n; i++)
        if (t[i].feature == feature) return t[i].gap;
    return NAN;
}

/* Rate of the gap by the rows W_N. */
static double rate_of(const jn_contact_geometry *t, const jn_pose *XA, jn_twist VA, const jn_pose *XB, jn_twist VB) {
    jn_contact_row row = jn_contact_row_along(t, t->n, XA->p, XB->p);
    return tw_dot(VA, row.A) + tw_dot(VB, row.B);
}

/* The power of the rows W_N is the rate of the gap, for each point by itself: ends, deepest and highest points at the
 * walls, corners. The two points between them at a wall are fixed to the direction of the tilt, not to the journal: they
 * have one gap, and the mean of their rates is its rate. */
static void rates_meet_differences(void **state) {
    (void)state;
    uint64_t seed = 17;
    int checked = 0, pairs = 0;
    jn_store *s = jn_store_create();
    jn_solid *hollow[] = {bearing(s), sized_solid(JN_SHAPE_PLANE, v3(0, 0, 0), 1, 1, s)};
    jn_solid *inner[] = {journal(s), sized_solid(JN_SHAPE_BOX, v3(0.02, 0.03, 0.01), 1, 1, s)};
    for (int k = 0; k < 400; k++) {
        const jn_solid *A = hollow[k % 2], *B = inner[k % 2];
        jn_pose XA = pose_at(v3_scale(0.1, random_vector(&seed)), random_turn(&seed)), near = near_contact(&seed);
        if (k % 2) near.p.z += 0.005;
        jn_pose XB = pose_mul(&XA, &near);
        jn_twist VA = {random_vector(&seed), random_vector(&seed)}, VB = {random_vector(&seed), random_vector(&seed)};
        jn_contact_geometry t[JN_MANIFOLD_MAX];
        int n = jn_pair_collide(A, &XA, B, &XB, INFINITY, NULL, t);
        for (int i = 0; i < n; i++) {
            double h = 1e-7, g[4], rate = rate_of(&t[i], &XA, VA, &XB, VB);
            assert_near(jn_geometry_motion(&t[i], XA.p, VA, XB.p, VB).gap_rate, rate, 1e-13);
            if (k % 2 == 0 && t[i].feature >= 4 && t[i].feature % 2) {
                int j = 0;
                while (j < n && t[j].feature != t[i].feature + 2) j++;
                if (j == n || t[i].feature % 4 == 3) continue;
                assert_near(t[j].gap, t[i].gap, 1e-16);
                rate = 0.5 * (rate + rate_of(&t[j], &XA, VA, &XB, VB)), pairs++;
            }
            for (int q = 0; q < 4; q++) {
                double dt = h * (q < 2 ? q - 2 : q - 1); /* -2, -1, 1, 2 */
                jn_pose YA = moved(&XA, VA, dt), YB = moved(&XB, VB, dt);
                g[q] = gap_of(A, &YA, B, &YB, t[i].feature);
            }
            assert_near((8 * (g[2] - g[1]) - (g[3] - g[0])) / (12 * h), rate, 3e-8);
            checked++;
        }
    }
    assert_true(checked > 1500);
    assert_true(pairs > 200);
    jn_store_free(s);
}

/* Squarely in the bearing: the gaps of a drawing, and four points at each wall that carry evenly. */
static void aligned_journal(void **state) {
    (void)state;
    jn_store *s = jn_store_create();
    jn_solid *A = bearing(s), *B = journal(s);
    jn_pose X0 = pose_at(v3(0, 0, 0), q4_identity()), X = pose_at(v3(0.0001, 0, 0.0004), q4_identity());
    jn_contact_geometry t[JN_MANIFOLD_MAX];
    int at_wall = 0, n = jn_pair_collide(A, &X0, B, &X, 0.00015, NULL, t);
    jn_vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < n; i++) {
        bool end = t[i].feature < 2;
        assert_near(t[i].gap, end ? 0.0001 : -0.0001, 1e-17);
        assert_near(end ? t[i].n.x : t[i].n.z, -1, 1e-15);
        if (!end) at_wall++, sum = v3_add(sum, v3_sub(t[i].pB, X.p));
    }
    assert_int_equal(n, 6);
    assert_int_equal(at_wall, 4);
    assert_near(hypot(sum.x, sum.y), 0, 1e-16);
    jn_store_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_walls_are_exact),
        cmocka_unit_test(rates_meet_differences),
        cmocka_unit_test(aligned_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
