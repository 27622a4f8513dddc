/* Meshes of MJCF that its compiler makes (builtin), those in MuJoCo's binary form, and files that several shapes name. */
#include "import_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

/* The mass at density 1000 of a free body with one mesh. */
static double mass_of(const char *mesh) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' inertia='exact' %s/></asset><worldbody><body name='a'><freejoint/><geom type='mesh' "
             "mesh='m'/></body></worldbody></mujoco>",
             mesh);
    jn_description *d = read_text(text);
    double mass = body(d, "a")->mass;
    jn_description_free(d);
    return mass;
}

/* Solids with a closed form: an icosahedron within the unit sphere, pyramids on regular polygons, half an octahedron. */
static void test_closed_forms(void **state) {
    (void)state;
    double edge = 1 / sin(2 * pi / 5), area = 2.5 * sin(2 * pi / 5);
    assert_near(mass_of("builtin='sphere' params='0'"), 1000 * 5 * (3 + sqrt(5)) / 12 * edge * edge * edge, 1e-9);
    assert_near(mass_of("builtin='hemisphere' params='0'"), 2000.0 / 3, 1e-9);
    assert_near(mass_of("builtin='cone' params='5 0'"), 1000 * area * 2 / 3, 1e-9);
    assert_near(mass_of("builtin='cone' params='5 1'"), 1000 * area * 2, 1e-9);
    assert_near(mass_of("builtin='cone' params='5 .5' scale='1 1 3'"), 1000 * area * 2 * 3 * (1 + 0.5 + 0.25) / 3, 1e-9);
}

/* Finer and finer, they come to the volume of what they stand for, by the square of their edges. */
static void test_convergence(void **state) {
    static const struct {
        const char *coarse, *fine;
        double volume; /* over pi */
    } rows[] = {
        {"builtin='sphere' params='3'", "builtin='sphere' params='4'", 4.0 / 3},
        {"builtin='hemisphere' params='4'", "builtin='hemisphere' params='9'", 2.0 / 3},
        {"builtin='supersphere' params='40 1 1'", "builtin='supersphere' params='80 1 1'", 4.0 / 3},
        {"builtin='supertorus' params='40 .3 1 1'", "builtin='supertorus' params='80 .3 1 1'", 2 * 0.09 * 3.14159265358979323846},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double coarse = 1 - mass_of(rows[i].coarse) / (1000 * pi * rows[i].volume), fine = 1 - mass_of(rows[i].fine) / (1000 * pi * rows[i].volume);
        assert_true(fine > 0 && fine < 0.02);
        assert_near(coarse / fine, 4, 0.2);
    }
    /* the eight faces of e = n = 2 are planes: an octahedron */
    assert_near(mass_of("builtin='supersphere' params='16 2 2'"), 4000.0 / 3, 1e-9);
}

static void test_wrong_builtin(void **state) {
    static const struct {
        const char *mesh, *expected;
    } rows[] = {
        {"builtin='sphere' params='5'", "write subdivisions 0 to 4"},
        {"builtin='sphere' params='1.5'", "write subdivisions 0 to 4"},
        {"builtin='cone' params='2 0'", "write corners 3 to 400"},
        {"builtin='supertorus' params='8 0 1 1'", "write resolution 3 to 400"},
        {"builtin='plate' params='3 3'", "wedge and plate are for tactile sensors"},
        {"builtin='ball'", "has no volume"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><asset>\n<mesh name='m' %s/></asset><worldbody><body><freejoint/><geom type='mesh' "
                 "mesh='m'/></body></worldbody></mujoco>",
                 rows[i].mesh);
        jn_description *d = jn_description_parse(text, strlen(text), "robot.xml", NULL, 0, &report);
        assert_null(d);
        const jn_error *e = &report.item[0];
        if (!strstr(e->text, rows[i].expected) && !strstr(e->hint, rows[i].expected)) fail_msg("%s: %s | %s", rows[i].mesh, e->text, e->hint);
        assert_int_equal(e->line, 2);
    }
}

/* A tetrahedron with unused normals and texture coordinates. */
static size_t write_msh(const char *path, int triangles, int last) {
    static const float corner[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}};
    int32_t face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 0}}, head[4] = {4, 4, 4, triangles};
    float idle[20] = {0};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    face[3][2] = last;
    size_t n = fwrite(head, 4, 4, file) + fwrite(corner, 4, 12, file) + fwrite(idle, 4, 20, file) + fwrite(face, 4, 12, file);
    fclose(file);
    return n;
}

static void test_msh(void **state) {
    char folder[] = "/tmp/jounce_msh_XXXXXX", path[80], text[600];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part.msh", folder);
    snprintf(text, sizeof text, "file='%s'", path);
    assert_int_equal(write_msh(path, 4, 3), 48);
    assert_near(mass_of(text), 1000 * 2 * 3 * 4.0 / 6, 1e-9);
    static const struct {
        int triangles, last;
        const char *expected;
    } wrong[] = {{5, 3, "this .msh file has 192 bytes where its counts of corners, normals, texture coordinates and triangles ask for 204"}, {4, 4, "triangle 3 of this file has a corner that is not there"}};
    for (int i = 0; i < 2; i++) {
        write_msh(path, wrong[i].triangles, wrong[i].last);
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='m' file='%s'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
                 path);
        assert_null(jn_description_parse(text, strlen(text), "robot.xml", NULL, 0, &report));
        if (!strstr(report.item[0].text, wrong[i].expected)) fail_msg("%s", report.item[0].text);
    }
    unlink(path), rmdir(folder);
}

/* A tetrahedron as STL, whose corners stand in the file three times each, zeros with both signs. */
static void write_stl(const char *path) {
    static const float corner[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const char head[80] = {0};
    const uint32_t count = 4;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(head, 1, sizeof head, file), fwrite(&count, 4, 1, file);
    for (int i = 0; i < 4; i++) {
        float row[12] = {0};
        for (int k = 0; k < 9; k++) {
            float x = corner[face[i][k / 3]][k % 3];
            row[3 + k] = x == 0 && i % 2 ? -0.0f : x;
        }
        fwrite(row, 4, 12, file), fwrite(head, 1, 2, file);
    }
    fclose(file);
}

/* Equal corners become one. Shapes that name one file share what was read of it, unless their scales differ. */
static void test_shared_file(void **state) {
    static const char *const kind[] = {"mesh", "hull"};
    char folder[] = "/tmp/jounce_stl_XXXXXX", path[80], text[900];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part.stl", folder);
    write_stl(path);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{type: %s, file: %s}, {type: %s, file: %s, at: [9, 0, 0]}, "
                 "{type: %s, file: %s, scale: [2, 2, -2]}]}}",
                 kind[i], path, kind[i], path, kind[i], path);
        jn_description *d = parse(text, "part.yaml", NULL, 0);
        check_report(&report);
        assert_int_equal(d->shape_count, 3);
        const jn_shape_desc *s = d->shapes;
        for (int k = 0; k < 3; k++) assert_int_equal(s[k].point_count, 4), assert_int_equal(s[k].triangle_count, 4);
        assert_ptr_equal(s[0].points, s[1].points), assert_ptr_equal(s[0].triangles, s[1].triangles);
        assert_ptr_not_equal(s[0].points, s[2].points);
        for (int k = 0; k < 4; k++) assert_near(s[2].points[k].z, -2 * s[0].points[k].z, 0);
        jn_description_free(d);
    }
    unlink(path), rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_convergence), cmocka_unit_test(test_wrong_builtin),
                                       cmocka_unit_test(test_msh), cmocka_unit_test(test_shared_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
