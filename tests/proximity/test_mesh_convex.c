/* Meshes against convex solids: the gap is the least distance of all triangles, whichever shape and mesh; what overlaps a little has points that say so. */
#include "mesh_drops.h"
#include "shapes.h"

static const jn_shape_type types[] = {JN_SHAPE_SPHERE,  JN_SHAPE_BOX,       JN_SHAPE_HULL, JN_SHAPE_CYLINDER,
                                      JN_SHAPE_CAPSULE, JN_SHAPE_ELLIPSOID, JN_SHAPE_CONE, JN_SHAPE_SUPERELLIPSOID};
static const char *const type_name[] = {"sphere",  "box",       "hull", "cylinder",
                                        "capsule", "ellipsoid", "cone", "superellipsoid"};
enum { TYPES = sizeof types / sizeof *types };

static jn_solid *solid_of(const mesh *m, jn_store *store) {
    jn_solid *s = jn_store_alloc(store, sizeof *s);
    jn_shape_desc d = jn_shape_default(JN_SHAPE_MESH);
    d.points = m->points, d.point_count = m->point_count, d.triangles = m->triangles,
    d.triangle_count = m->triangle_count;
    assert_int_equal(jn_solid_build(s, &d, NULL, store, NULL, NULL), JN_OK);
    return s;
}

/* [m] least distance of the triangles and a convex solid, each by GJK; 0: they overlap. */
static double least_distance(const jn_solid *A, const jn_convex *B) {
    double least = INFINITY;
    for (int i = 0; i < A->triangle_count; i++) {
        jn_vec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = A->vertex[A->triangle[i][k]];
        jn_solid flat = {.type = JN_SHAPE_HULL, .vertex = corner, .vertex_count = 3, .reach = 2};
        jn_convex T = {.s = &flat, .X = pose_at(v3(0, 0, 0), q4_identity())};
        jn_gap g;
        jn_simplex x;
        if (v3_norm(A->triangle_normal[i]) == 0) continue;
        least = fmin(least, jn_gjk(&T, B, v3_sub(B->X.p, corner[0]), NULL, &g, &x) ? g.gap - B->s->radius : 0);
    }
    return least;
}

static double smallest(const jn_contact_geometry *points, int count, int *at) {
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        if (points[i].gap < least) least = points[i].gap, *at = i;
    return least;
}

/* Apart, and pushed against the normal until they overlap by 1 um: a point says so, and none is much deeper, whatever shorter way there is sideways. */
static void gaps_are_distances(void **state) {
    (void)state;
    uint64_t seed = 11;
    int looked = 0, missed = 0;
    double worst = 0, deepest = 0;
    for (int kind = 0; kind < MESH_KINDS; kind++) {
        jn_store *store = jn_store_create();
        mesh m = mesh_make(kind, 3);
        const jn_solid *A = solid_of(&m, store);
        const jn_pose X = pose_at(v3(0, 0, 0), q4_identity());
        for (int n = 0; n < 20 * TYPES; n++) {
            const jn_solid *B = random_solid(types[n % TYPES], store, &seed);
            jn_pose Y = pose_at(v3_scale(0.9, random_vector(&seed)), random_turn(&seed));
            const jn_convex b = {.s = B, .X = Y};
            jn_contact_geometry points[JN_MANIFOLD_MAX];
            double gap = mesh_distance(&m, Y.p) > 0.05 ? least_distance(A, &b) : 0;
            if (!(gap > 1e-6)) continue;
            int at = 0, count = jn_pair_collide(A, &X, B, &Y, INFINITY, NULL, points);
            double found = smallest(points, count, &at);
            if (!m.closed && fabs(points[at].n.z) < 0.2) continue; /* beside the border of an open mesh */
            looked++, worst = fmax(worst, fabs(found - gap));
            Y.p = v3_axpy(-gap - 1e-6, points[at].n, Y.p);
            count = jn_pair_collide(A, &X, B, &Y, 1e-3, NULL, points);
            found = smallest(points, count, &at);
            missed += !(found < 0), deepest = fmax(deepest, -found);
        }
        mesh_free(&m), jn_store_free(store);
    }
    print_message("%d gaps to %.1e m; overlaps of 1 um are %.1e m at most, %d are not told\n", looked, worst, deepest,
                  missed);
    assert_true(looked > 500);
    assert_below(worst, 1e-9);
    assert_below(deepest, 1e-5);
    assert_int_equal(missed, 0);
}

typedef struct rates {
    int checked;
    double worst; /* [m/s] */
} rates;

/* Rates of gaps against differences of the gaps, for all points that keep their names and normals; parts: of a face, a corner, an edge of the mesh. */
static void compare_rates(const jn_solid *A, const jn_pose *X, jn_twist VA, const jn_solid *B, const jn_pose *Y, jn_twist VB,
                          rates parts[4]) {
    double h = 1e-7;
    jn_contact_geometry t[3][JN_MANIFOLD_MAX];
    int count[3];
    for (int k = 0; k < 3; k++) {
        jn_convex a = {.s = A, .X = pose_after(X, VA, (k - 1) * h)}, b = {.s = B, .X = pose_after(Y, VB, (k - 1) * h)};
        count[k] = jn_pair_points(&a, &b, 0.01, (jn_point_detail){.curved = true, .edges = true}, NULL, t[k]);
    }
    for (int i = 0; i < count[1]; i++) {
        const jn_contact_geometry *at = &t[1][i], *past = point_named(t[0], count[0], at->feature),
                                  *next = point_named(t[2], count[2], at->feature);
        if (!past || !next || v3_norm(v3_sub(next->n, past->n)) > 1e-4) continue;
        double rate = jn_geometry_motion(at, X->p, VA, Y->p, VB).gap_rate;
        rates *r = &parts[at->feature & 3];
        double off = fabs((next->gap - past->gap) / (2 * h) - rate);
        r->worst = fmax(r->worst, off), r->checked++;
    }
}

/* Turns a solid so that one of its faces, or its z axis, looks against n, but for a small tilt. */
static void lay(const jn_solid *B, jn_vec3 n, uint64_t *seed, jn_pose *Y) {
    jn_vec3 own = B->face_count ? B->face_normal[(int)uniform(seed, 0, B->face_count)] : v3(0, 0, -1);
    jn_vec3 up = m3_mul_v(&Y->R, own), axis = v3_cross(up, v3_neg(n));
    jn_quat turn = q4_exp(v3_scale(atan2(v3_norm(axis), -v3_dot(up, n)) / v3_norm(axis), axis)),
            tilt = q4_exp(v3_scale(uniform(seed, 0, 0.1), random_vector(seed)));
    jn_mat3 R = q4_matrix(q4_mul(tilt, turn));
    Y->R = m3_mul(&R, &Y->R);
}

/* Forces that depend on gaps do the work that their energy says only if the rate of each gap is that of its points: apart, and overlapping by up to 2 cm. */
static void rates_are_those_of_gaps(void **state) {
    (void)state;
    uint64_t seed = 5;
    int checked = 0;
    double worst = 0;
    for (int type = 0; type < (int)TYPES; type++) {
        rates parts[4] = {0};
        for (int kind = 0; kind < MESH_KINDS; kind++) {
            jn_store *store = jn_store_create();
            mesh m = mesh_make(kind, 3);
            const jn_solid *A = solid_of(&m, store);
            for (int n = 0; n < 80; n++) {
                const jn_pose X = pose_at(v3(0, 0, 0), q4_identity());
                const jn_solid *B = random_solid(types[type], store, &seed);
                jn_pose Y = pose_at(v3_scale(0.9, random_vector(&seed)), random_turn(&seed));
                jn_twist VA = {random_vector(&seed), random_vector(&seed)}, VB = {random_vector(&seed), random_vector(&seed)};
                jn_contact_geometry points[JN_MANIFOLD_MAX];
                double deep = uniform(&seed, -0.005, 0.02);
                int at = 0;
                if (mesh_distance(&m, Y.p) < 0.05) continue;
                if (!jn_pair_collide(A, &X, B, &Y, INFINITY, NULL, points)) continue;
                if (n % 2) lay(B, points[0].n, &seed, &Y);
                int count = jn_pair_collide(A, &X, B, &Y, INFINITY, NULL, points);
                double gap = smallest(points, count, &at);
                if (!count || !(gap > 0) || (!m.closed && fabs(points[at].n.z) < 0.2)) continue;
                Y.p = v3_axpy(-gap - deep, points[at].n, Y.p);
                compare_rates(A, &X, VA, B, &Y, VB, parts);
            }
            mesh_free(&m), jn_store_free(store);
        }
        print_message("%-14s faces %5d to %.1e m/s, corners %4d to %.1e, edges %5d to %.1e\n", type_name[type],
                      parts[1].checked, parts[1].worst, parts[2].checked, parts[2].worst, parts[3].checked, parts[3].worst);
        for (int k = 0; k < 4; k++) checked += parts[k].checked, worst = fmax(worst, parts[k].worst);
    }
    assert_true(checked > 5000);
    assert_below(worst, 1e-6);
}

/* A peak that has entered a solid by its flat end, 3 mm deep, and stands nearer to the side than to the end: it cannot leave by the side, and is told as deep as it is. */
static void peaks_next_to_an_edge_are_told(void **state) {
    (void)state;
    static const jn_shape_type kinds[] = {JN_SHAPE_BOX, JN_SHAPE_CYLINDER, JN_SHAPE_CONE, JN_SHAPE_HULL};
    jn_vec3 peak[] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {0, 0, 0}},
            hull[] = {{-0.1, -0.1, 0}, {0.1, -0.1, 0}, {0.1, 0.1, 0}, {-0.1, 0.1, 0}, {-0.1, -0.1, 0.2}, {0.1, -0.1, 0.2}, {0.1, 0.1, 0.2}, {-0.1, 0.1, 0.2}};
    int triangles[][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    mesh m = {.points = peak, .triangles = triangles, .point_count = 5, .triangle_count = 4};
    jn_store *store = jn_store_create();
    const jn_convex A = {.s = solid_of(&m, store), .X = pose_at(v3(0, 0, 0), q4_identity())};
    for (int k = 0; k < 4; k++) {
        jn_solid *B = jn_store_alloc(store, sizeof *B);
        jn_shape_desc d = jn_shape_default(kinds[k]);
        d.size = kinds[k] == JN_SHAPE_BOX ? v3(0.2, 0.2, 0.2) : v3(0.1, 0.2, 0);
        if (kinds[k] == JN_SHAPE_HULL) d.points = hull, d.point_count = 8;
        assert_int_equal(jn_solid_build(B, &d, NULL, store, NULL, NULL), JN_OK);
        double below = kinds[k] == JN_SHAPE_BOX || kinds[k] == JN_SHAPE_CYLINDER ? -0.1 : 0; /* of its flat end */
        const jn_convex b = {.s = B, .X = pose_at(v3(kinds[k] == JN_SHAPE_CONE ? -0.097 : -0.098, 0, -0.003 - below), q4_identity())};
        jn_contact_geometry points[JN_MANIFOLD_MAX];
        int at = -1, count = jn_pair_points(&A, &b, 0.01, (jn_point_detail){.curved = true, .edges = true}, NULL, points);
        for (int i = 0; i < count; i++)
            if (v3_norm(v3_sub(points[i].pA, v3(0, 0, 0))) < 1e-12) at = i;
        if (at < 0) fail_msg("solid %d: the peak is not told", k);
        assert_near(points[at].gap, -0.003, 1e-12);
        assert_near(points[at].n.z, 1, 1e-12);
    }
    jn_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_distances), cmocka_unit_test(rates_are_those_of_gaps),
                                       cmocka_unit_test(peaks_next_to_an_edge_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
