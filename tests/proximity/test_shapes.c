/* Shapes of model files: what is read, mass properties, and what is said about mistakes. */
#include "shapes.h"
#include "text_model.h"

static jn_description *parse(const char *text, jn_report *report) {
    jn_report_clear(report);
    return jn_description_parse(text, strlen(text), "model.yaml", NULL, 0, report);
}

static void expect_error(const char *text, const char *message) {
    jn_report report;
    char found[1400] = "accepted";
    jn_description *d = parse(text, &report);
    if (!d) jn_error_format(&report.item[0], found, sizeof found);
    if (strncmp(found, message, strlen(message)) != 0) print_error("found:    %s\nexpected: %s\n", found, message);
    assert_true(strncmp(found, message, strlen(message)) == 0);
    jn_description_free(d);
}

static void test_mistakes(void **state) {
    (void)state;
#define SPACE(shape) "bodies:\n  a: {mass: 1, shape: " shape "}\n"
#define PLANE(shape) "plane: xy\nbodies:\n  a: {mass: 1, shape: " shape "}\n"
    expect_error(SPACE("{type: sphere, radius: 0}"), "model.yaml:2:46: 'radius' must be greater than 0");
    expect_error(SPACE("{type: box, size: [1, 0, 1]}"), "model.yaml:2:45: a size must be greater than 0, not 0");
    expect_error(SPACE("{type: sphere, radius: 1, length: 2}"),
                 "model.yaml:2:49: a sphere has no 'length' (remove it)");
    expect_error(SPACE("{type: cone, radius: 1}"), "model.yaml:2:23: a cone needs 'height' (add 'height: 50 mm')");
    expect_error(SPACE("{type: plane, density: 3}"), "model.yaml:2:37: a plane has no inside");
    expect_error(SPACE("{type: circle, radius: 1}"), "model.yaml:2:23: a circle is a planar shape");
    expect_error(SPACE("{type: superellipsoid, size: [1, 1, 1], exponents: [0, 1]}"),
                 "model.yaml:2:75: an exponent must be between 0.05 and 1.95");
    expect_error(SPACE("{type: torus, radius: 1, tube: 1}"), "model.yaml:2:23: the tube of a torus must be thinner");
    expect_error(SPACE("{type: hull}"), "model.yaml:2:23: a hull needs either 'points' or 'file'");
    expect_error(SPACE("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}"),
                 "model.yaml:2:44: the hull of 'points' cannot be made: its 4 points lie in one plane");
    expect_error(SPACE("{type: mesh, file: nothing.stl}"), "model.yaml:2:42: 'nothing.stl' cannot be opened");
    expect_error(SPACE("{type: mesh, file: nothing.txt}"), "model.yaml:2:42: 'nothing.txt' cannot be opened");
    expect_error(SPACE("{type: heightfield, size: [1, 1], heights: [[0, 1]]}"),
                 "model.yaml:2:66: a heightfield needs two rows");
    expect_error(SPACE("{type: surface, surface: [u, v, w], u: [0, 1], v: [0, 1]}"), "model.yaml:2:55: ");
    expect_error(SPACE("{type: surface, surface: [u, v, 0], u: [1, 0], v: [0, 1]}"),
                 "model.yaml:2:62: the first limit must be below the second");
    expect_error(SPACE("{type: plane, normal: z, orientation: [1, 0, 0, 0]}"),
                 "model.yaml:2:37: 'normal' and 'orientation' say the same");
    expect_error(PLANE("{type: polygon, points: [[0, 0], [1, 0], [0.2, 0.2], [0, 1]]}"),
                 "model.yaml:3:64: the polygon is not convex at this corner");
    expect_error(PLANE("{type: polygon, points: [[0, 0], [1, 0]]}"), "model.yaml:3:47: a polygon needs three corners");
    expect_error(PLANE("{type: segment, points: [[0, 0], [0, 0]]}"),
                 "model.yaml:3:47: a segment needs two different points");
    expect_error(PLANE("{type: arc, radius: 1, from: 90 deg, to: 10 deg}"),
                 "model.yaml:3:23: an arc goes counter-clockwise");
    expect_error("bodies:\n  a: {density: 1, shape: {type: plane}}\n",
                 "model.yaml:2:7: no shape of this body has an inside");
    expect_error("bodies:\n  ground: {mass: 1}\n", "model.yaml:2:12: 'ground' is the world itself and has no 'mass'");
}

/* Mass, centre and inertia by summing small cells. */
static void sampled(const jn_solid *s, int n, double *mass, jn_vec3 *com, jn_sym3 *J) {
    jn_vec3 d = v3_sub(s->upper, s->lower), first = v3(0, 0, 0);
    double cell = d.x * d.y * d.z / ((double)n * n * n);
    *mass = 0, *J = (jn_sym3){0};
    for (int i = 0; i < n * n * n; i++) {
        jn_vec3 p =
            v3_add(s->lower, v3(d.x * (i % n + 0.5) / n, d.y * (i / n % n + 0.5) / n, d.z * (i / n / n + 0.5) / n));
        if (outside(s, p) > 0) continue;
        *mass += cell, first = v3_axpy(cell, p, first), *J = s3_add(*J, s3_point_mass(cell, p));
    }
    *com = v3_scale(1 / *mass, first);
    jn_sym3 shift = s3_point_mass(-*mass, *com);
    *J = s3_add(*J, shift);
}

static void test_mass(void **state) {
    (void)state;
    static const char *const shapes[] = {
        "{type: superellipsoid, size: [0.3, 0.2, 0.25], exponents: [0.6, 1.2]}",
        "{type: superellipsoid, size: [0.3, 0.2, 0.25], exponents: [1.4, 0.5]}",
        "{type: torus, radius: 0.3, tube: 0.1}",
        "{type: hull, points: [[0, 0, 0], [0.4, 0, 0], [0, 0.3, 0], [0, 0, 0.5], [0.3, 0.3, 0.4], [0.1, 0.1, 0.1]]}",
        "{type: cone, radius: 0.2, height: 0.4}",
        "{type: capsule, radius: 0.1, length: 0.4}",
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char text[300];
        jn_report report;
        snprintf(text, sizeof text, "bodies: {a: {density: 1000, shape: %s}}\n", shapes[k]);
        jn_description *d = parse(text, &report);
        check_report(&report);
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        double mass;
        jn_vec3 com;
        jn_sym3 J;
        sampled(jn_model_solid(m, 0), 120, &mass, &com, &J);
        const jn_body_desc *b = &d->bodies[1];
        assert_near(b->mass / 1000, mass, 2e-3 * mass);
        assert_below(v3_norm(v3_sub(b->com, com)), 3e-4);
        double size = J.xx + J.yy + J.zz;
        assert_near(b->inertia.xx / 1000, J.xx, 2e-3 * size);
        assert_near(b->inertia.yy / 1000, J.yy, 2e-3 * size);
        assert_near(b->inertia.zz / 1000, J.zz, 2e-3 * size);
        assert_near(b->inertia.xy / 1000, J.xy, 2e-3 * size);
        assert_near(b->inertia.xz / 1000, J.xz, 2e-3 * size);
        jn_model_free(m);
        jn_description_free(d);
    }
}

/* Exact: a superellipsoid with exponents 1 is an ellipsoid, the hull of a box's corners (and inner points) a box, the
 * polygon of a rectangle a rectangle. */
static void test_mass_exact(void **state) {
    (void)state;
    jn_report report;
    jn_description *d =
        parse("bodies:\n"
              "  a: {density: 2, shape: {type: superellipsoid, size: [0.3, 0.2, 0.1], exponents: [1, 1]}}\n"
              "  b: {density: 2, shape: {type: ellipsoid, size: [0.3, 0.2, 0.1]}}\n"
              "  c: {density: 2, shape: {type: hull, points: [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0.3, 0.2, 0], [0, "
              "0, 0.1], [0.3, 0, 0.1], "
              "[0, 0.2, 0.1], [0.3, 0.2, 0.1], [0.1, 0.1, 0.05], [0.1, 0.1, 0]], at: [-0.15, -0.1, -0.05]}}\n"
              "  e: {density: 2, shape: {type: box, size: [0.3, 0.2, 0.1]}}\n",
              &report);
    check_report(&report);
    for (int k = 1; k < 4; k += 2) {
        jn_body_desc a = d->bodies[k], b = d->bodies[k + 1];
        assert_near(a.mass / b.mass, 1, 1e-12);
        assert_near(a.inertia.xx / b.inertia.xx, 1, 1e-12);
        assert_near(a.inertia.yy / b.inertia.yy, 1, 1e-12);
        assert_near(a.inertia.zz / b.inertia.zz, 1, 1e-12);
        assert_below(v3_norm(v3_sub(a.com, b.com)), 1e-15);
    }
    jn_model *m = jn_model_compile(d, &report);
    assert_int_equal(jn_model_solid(m, 2)->face_count, 6); /* triangles in one plane are one face */
    assert_int_equal(jn_model_solid(m, 2)->vertex_count, 8);
    jn_model_free(m);
    jn_description_free(d);
    d = parse("plane: xy\nbodies:\n"
              "  a: {density: 2, shape: {type: polygon, points: [[0, 0.2], [0.3, 0.2], [0.3, 0], [0, 0]], at: [-0.15, "
              "-0.1]}}\n"
              "  b: {density: 2, shape: {type: box, size: [0.3, 0.2]}}\n",
              &report);
    check_report(&report);
    assert_near(d->bodies[1].mass / d->bodies[2].mass, 1, 1e-12);
    assert_near(d->bodies[1].inertia.zz / d->bodies[2].inertia.zz, 1, 1e-12);
    assert_int_equal(d->shapes[1].type, JN_SHAPE_RECTANGLE);
    jn_description_free(d);
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_files(void **state) {
    (void)state;
    jn_report report;
    write_file("cube.obj",
               "# a cube of 2 units\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
               "f 4 3 2 1\nf 5 6 7 8\nf 1/1 2/1 6/1 5/1\nf 2 3 7 6\nf 3 4 8 7\nf -5 -8 -4 -1\n");
    write_file(
        "tetra.stl",
        "solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
        "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
        "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
        "facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n");
    jn_description *d = parse("bodies:\n"
                              "  a: {density: 1000, shape: {type: mesh, file: cube.obj, scale: 0.1}}\n"
                              "  b: {density: 1000, shape: {type: hull, file: cube.obj, scale: 0.1}}\n"
                              "  c: {density: 1, shape: {type: mesh, file: tetra.stl}}\n",
                              &report);
    check_report(&report);
    for (int k = 1; k < 3; k++) {
        assert_near(d->bodies[k].mass, 8, 1e-12);
        assert_near(d->bodies[k].com.x, 0.1, 1e-15);
        assert_near(d->bodies[k].inertia.zz, 8 * 0.08 / 12, 1e-14);
        assert_near(d->bodies[k].inertia.xy, 0, 1e-15);
    }
    assert_near(d->bodies[3].mass, 1.0 / 6, 1e-15);
    assert_int_equal(d->shapes[2].point_count, 4); /* equal corners joined */
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 3; k++) assert_true(jn_model_solid(m, 2)->neighbour[t][k] >= 0);
    jn_model_free(m);
    jn_description_free(d);
    write_file("bad.obj", "v 0 0 0\nv 1 0\n");
    expect_error("bodies: {a: {mass: 1, shape: {type: hull, file: bad.obj}}}\n",
                 "bad.obj:2:1: a vertex needs three numbers");
    write_file("far.obj", "v 0 0 0\nf 1 2 3\n");
    expect_error("bodies: {a: {mass: 1, shape: {type: mesh, file: far.obj}}}\n",
                 "far.obj:2:1: this face has a corner that is not in the file");
    remove("cube.obj"), remove("tetra.stl"), remove("bad.obj"), remove("far.obj");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes), cmocka_unit_test(test_mass),
                                       cmocka_unit_test(test_mass_exact), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
