/* Half the thickness of shapes of all types: closed forms, however a hull or mesh lies in its frame. */
#include "shapes.h"

static void expect_half(const char *name, const jn_solid *s, double half, double within) {
    double found = jn_solid_half_thickness(s);
    if (isinf(half) ? !isinf(found) : !(fabs(found - half) <= within * half))
        fail_msg("%s: %.17g in place of %.17g", name, found, half);
}

static jn_solid *of(jn_store *store, const jn_shape_desc *d) {
    jn_solid *s = jn_store_alloc(store, sizeof *s);
    jn_report report = {0};
    assert_int_equal(jn_solid_build(s, d, NULL, store, NULL, &report), JN_OK);
    return s;
}

static void test_sizes(void **state) {
    static const struct {
        jn_shape_type type;
        jn_vec3 size;
        double half;
    } row[] = {{JN_SHAPE_SPHERE, {0.3, 0, 0}, 0.3},
               {JN_SHAPE_BOX, {0.3, 0.01, 0.2}, 0.005},
               {JN_SHAPE_CYLINDER, {0.1, 0.5, 0}, 0.1},
               {JN_SHAPE_CYLINDER, {0.1, 0.02, 0}, 0.01},
               {JN_SHAPE_CAPSULE, {0.1, 0.5, 0}, 0.1},
               {JN_SHAPE_CONE, {0.1, 0.5, 0}, 0.1},
               {JN_SHAPE_CONE, {0.1, 0.02, 0}, 0.01},
               {JN_SHAPE_ELLIPSOID, {0.3, 0.1, 0.2}, 0.1},
               {JN_SHAPE_SUPERELLIPSOID, {0.3, 0.1, 0.2}, 0.1},
               {JN_SHAPE_TORUS, {0.3, 0.05, 0}, 0.05},
               {JN_SHAPE_CIRCLE, {0.3, 0, 0}, 0.3},
               {JN_SHAPE_RECTANGLE, {0.3, 0.02, 0}, 0.01},
               {JN_SHAPE_PLANE, {0, 0, 0}, INFINITY},
               {JN_SHAPE_HALF_PLANE, {0, 0, 0}, INFINITY},
               {JN_SHAPE_BORE, {0.1, 0.5, 0}, INFINITY}, /* what is hollow has no other side */
               {JN_SHAPE_SOCKET, {0.1, 0, 0}, INFINITY},
               {JN_SHAPE_ARC, {0.1, 0, 0}, INFINITY}};
    jn_store *store = jn_store_create();
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        expect_half(jn_shape_type_info(row[i].type)->name, sized_solid(row[i].type, row[i].size, 1, 1, store), row[i].half, 1e-14);
    jn_store_free(store);
}

/* Corners of a plate, of the thickness 0.02, turned and moved. */
static void plate(jn_vec3 corner[8], jn_vec3 size, uint64_t *seed) {
    jn_pose X = pose_at(random_vector(seed), random_turn(seed));
    for (int i = 0; i < 8; i++)
        corner[i] = pose_point(&X, v3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z));
}

static int box_triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 4, 6}, {0, 6, 2},
                                   {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}};

static void test_turned(void **state) {
    jn_store *store = jn_store_create();
    uint64_t seed = 3;
    (void)state;
    for (int n = 0; n < 50; n++) {
        jn_vec3 corner[8];
        plate(corner, v3(0.6, 0.4, 0.02), &seed);
        jn_shape_desc hull = jn_shape_default(JN_SHAPE_HULL), mesh = jn_shape_default(JN_SHAPE_MESH);
        hull.points = mesh.points = corner, hull.point_count = mesh.point_count = 8;
        mesh.triangles = box_triangles, mesh.triangle_count = 12;
        mesh.at = random_vector(&seed), mesh.orientation = random_turn(&seed);
        expect_half("plate as a hull", of(store, &hull), 0.01, 1e-11);
        expect_half("plate as a mesh", of(store, &mesh), 0.01, 1e-6);
        mesh.triangle_count = 2; /* one side of it alone */
        expect_half("open mesh", of(store, &mesh), INFINITY, 0);
    }
    jn_vec3 corner[4] = {{0, 0, 0}, {0.3, 0.3, 0}, {0.29, 0.31, 0}, {-0.01, 0.01, 0}};
    jn_shape_desc polygon = jn_shape_default(JN_SHAPE_POLYGON), segment = jn_shape_default(JN_SHAPE_SEGMENT);
    polygon.points = segment.points = corner, polygon.point_count = 4, segment.point_count = 2;
    expect_half("polygon", of(store, &polygon), 0.005 * sqrt(2), 1e-12);
    expect_half("line", of(store, &segment), INFINITY, 0);
    segment.size.x = 0.03;
    expect_half("segment", of(store, &segment), 0.03, 0);
    jn_store_free(store);
}

/* A ball, and a shell between two of them, by triangles: as thick as the ball, and as the shell. */
static void test_balls(void **state) {
    enum { N = 24, M = 48, POINTS = N * M, TRIANGLES = 2 * (N - 1) * M };
    static jn_vec3 point[2 * POINTS];
    static int triangle[2 * TRIANGLES][3];
    jn_store *store = jn_store_create();
    int count = 0;
    (void)state;
    for (int shell = 0; shell < 2; shell++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) {
                double a = 1e-3 + (3.14159 - 2e-3) * i / (N - 1), b = 2 * 3.141592653589793 * j / M, r = shell ? 0.09 : 0.1;
                int at = shell * POINTS + i * M, here = at + j, next = at + (j + 1) % M;
                point[here] = v3(r * sin(a) * cos(b), r * sin(a) * sin(b), r * cos(a));
                if (i == N - 1) continue;
                int pair[2][3] = {{here, here + M, next + M}, {here, next + M, next}};
                for (int k = 0; k < 2; k++, count++)
                    for (int c = 0; c < 3; c++) triangle[count][c] = pair[k][shell ? 2 - c : c];
            }
    assert_int_equal(count, 2 * TRIANGLES);
    jn_shape_desc d = jn_shape_default(JN_SHAPE_MESH);
    d.points = point, d.triangles = triangle;
    d.point_count = POINTS, d.triangle_count = TRIANGLES;
    expect_half("ball", of(store, &d), 0.1, 0.02);
    d.point_count = 2 * POINTS, d.triangle_count = 2 * TRIANGLES;
    expect_half("shell", of(store, &d), 0.005, 0.05);
    jn_store_free(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_turned), cmocka_unit_test(test_balls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
