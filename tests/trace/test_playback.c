/* scene.json and motion.bin hold what the series holds: places of points and forces of contacts. */
#include <jounce/workflow.h>

#include "base/memory.h"
#include "check.h"
#include "json_reader.h"
#include "temporary_folder.h"
#include "trace/result.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tilted box that slides on a plane with a pendulum beside it; both methods read it. */
static const char text[] =
    "bodies:\n"
    "  box:\n    mass: 2\n    at: [0, 0, 0.1]\n    velocity: [1, 0.3, -0.5]\n    inertia: [0.02, 0.02, 0.02]\n"
    "    shapes: [{type: box, size: [0.2, 0.2, 0.2]}]\n"
    "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [3, 0, 0.5]}\n"
    "  ground:\n    shapes: [{type: plane}]\n"
    "joints:\n  ball: {type: spherical, between: [ground, rod], at: [3, 0, 1]}\n"
    "points: {corner: {on: box, at: [0.1, 0.1, 0.1]}, tip: {on: rod, at: [3.2, 0.1, 0]}}\n"
    "contacts: {floor: {stiffness: 1e5, restitution: 0.3, friction: 0.4}}\n"
    "run: {until: 0.3 s, step: 0.2 ms}\nrecord: {every: 1 ms}\n";

typedef struct frames {
    unsigned char *bytes;
    size_t size;
    uint32_t bodies;
    long count;
    size_t start[4096];
} frames;

static uint32_t u32_at(const frames *f, size_t at) {
    uint32_t x;
    memcpy(&x, f->bytes + at, sizeof x);
    return x;
}

static float f32_at(const frames *f, size_t at) {
    float x;
    memcpy(&x, f->bytes + at, sizeof x);
    return x;
}

static const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void read_frames(frames *f) {
    FILE *file = fopen(in_folder("motion.bin"), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    f->size = (size_t)ftell(file);
    rewind(file);
    f->bytes = malloc(f->size);
    assert_int_equal(fread(f->bytes, 1, f->size, file), f->size);
    fclose(file);
    assert_memory_equal(f->bytes, "JNMOTN1\n", 8);
    f->bodies = u32_at(f, 8), f->count = 0;
    size_t at = 16;
    while (at < f->size) {
        f->start[f->count++] = at;
        at += 16 + 28 * (size_t)f->bodies + 28 * (size_t)u32_at(f, at);
    }
    assert_int_equal(at, f->size); /* no part of a frame is left over */
}

/* Place of a body's point in a frame. */
static jn_vec3 place(const frames *f, long frame, int body, const double at[3]) {
    size_t p = f->start[frame] + 16 + 28 * (size_t)body;
    jn_quat q = {f32_at(f, p + 12), f32_at(f, p + 16), f32_at(f, p + 20), f32_at(f, p + 24)};
    jn_vec3 r = q4_rotate(q, v3(at[0], at[1], at[2]));
    return v3(r.x + f32_at(f, p), r.y + f32_at(f, p + 4), r.z + f32_at(f, p + 8));
}

static jn_result *run(const char *model, const char *method) {
    jn_report report = {0};
    jn_setting setting = {"run.method", method};
    jn_description *d = jn_description_parse(model, strlen(model), "model.yaml", &setting, 1, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_result *r = jn_run(m, folder, NULL, NULL, &report);
    check_report(&report);
    assert_non_null(r);
    jn_model_free(m);
    jn_description_free(d);
    return r;
}

static double value(const jn_result *r, long row, const char *name) {
    int channel = jn_result_channel(r, name);
    assert_true(channel >= 0);
    return r->data[(size_t)row * ((size_t)r->channels + 1) + (size_t)channel + 1];
}

/* Points where the scene says, moved by the frames, stand where the series says. */
static void check_points(const jn_result *r, const frames *f, const json *scene) {
    const json *points = json_get(scene, "points");
    assert_int_equal(points->count, 2);
    for (int i = 0; i < 2; i++) {
        const json *p = json_at(points, i);
        double at[3];
        char name[64];
        json_numbers(json_get(p, "at"), at, 3);
        for (long k = 0; k < f->count; k++) {
            long row = u32_at(f, f->start[k] + 4);
            jn_vec3 x = place(f, k, (int)json_number(json_get(p, "body"), -1), at);
            const double found[3] = {x.x, x.y, x.z};
            for (int c = 0; c < 3; c++) {
                snprintf(name, sizeof name, "point.%s.%c", json_text(json_get(p, "name"), ""), "xyz"[c]);
                assert_near(found[c], value(r, row, name), 2e-6);
            }
        }
    }
}

/* Contact forces of a frame sum up to the channels of their row; some frames have forces. */
static void check_forces(const jn_result *r, const frames *f) {
    long loaded = 0;
    for (long k = 0; k < f->count; k++) {
        double normal = 0, friction = 0;
        long row = u32_at(f, f->start[k] + 4);
        size_t at = f->start[k] + 16 + 28 * (size_t)f->bodies;
        uint32_t count = u32_at(f, f->start[k]);
        for (uint32_t i = 0; i < count; i++, at += 28) {
            assert_int_equal(u32_at(f, at), 0);
            assert_true(fabs(f32_at(f, at + 12)) < 0.02); /* on the plane */
            normal += fabs(f32_at(f, at + 24));
            friction += hypot(f32_at(f, at + 16), f32_at(f, at + 20));
        }
        double size = 1e-4 * fmax(1, fabs(value(r, row, "contact.floor.fn")));
        assert_near(normal, value(r, row, "contact.floor.fn"), size);
        assert_near(friction, value(r, row, "contact.floor.ft"), size);
        loaded += normal > 0;
    }
    assert_true(loaded > 10);
}

static void check_method(const char *method) {
    frames f = {0};
    jn_result *r = run(text, method);
    read_frames(&f);
    json *scene = json_read(in_folder("scene.json"));
    assert_non_null(scene);
    assert_int_equal(f.bodies, json_get(scene, "bodies")->count);
    assert_int_equal(f.count, r->rows); /* few rows: each is a frame */
    check_points(r, &f, scene);
    check_forces(r, &f);
    assert_int_equal(access(in_folder("live.bin"), F_OK), -1); /* only while the run goes on */
    json_free(scene);
    free(f.bytes);
    jn_result_free(r);
}

static void test_compliant(void **state) {
    (void)state;
    check_method("compliant");
}

static void test_nonsmooth(void **state) {
    (void)state;
    check_method("nonsmooth");
}

/* How far a point is outside the superellipsoid of the next test, in units of its implicit function. */
static double outside(double x, double y, double z) {
    double round = pow(pow(fabs(x) / 0.1, 2 / 0.8) + pow(fabs(y) / 0.05, 2 / 0.8), 0.8 / 0.6);
    return round + pow(fabs(z) / 0.03, 2 / 0.6) - 1;
}

/* A shape that the viewer has no form for is in the scene with triangles: on its surface, closed and with the volume that its density gives. */
static void test_support_points(void **state) {
    static double p[30000], corner[30000];
    (void)state;
    jn_result *r = run("bodies:\n  foot: {density: 1000, shape: {type: superellipsoid, size: [0.1, 0.05, 0.03], "
                       "exponents: [0.6, 0.8]}}\nrun: {until: 1 ms}\n",
                       "smooth");
    json *scene = json_read(in_folder("scene.json"));
    const json *shape = json_at(json_get(scene, "shapes"), 0);
    int count = json_numbers(json_get(shape, "vertices"), p, 30000),
        corners = json_numbers(json_get(shape, "triangles"), corner, 30000);
    double volume = 0, mass = json_number(json_get(json_at(json_get(scene, "bodies"), 1), "mass"), NAN);
    assert_true(count > 300 && count % 3 == 0 && corners > 300 && corners % 3 == 0 && corners < 30000);
    for (int i = 0; i < count; i += 3) assert_near(outside(p[i], p[i + 1], p[i + 2]), 0, 1e-5);
    for (int t = 0; t < corners; t += 3) { /* the pyramids over all triangles */
        const double *a = p + 3 * (int)corner[t], *b = p + 3 * (int)corner[t + 1], *c = p + 3 * (int)corner[t + 2];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            assert_true(3 * corner[t + i] < count);
            volume += a[i] * (b[j] * c[k] - b[k] * c[j]) / 6;
        }
    }
    assert_true(volume < mass / 1000); /* triangles cut a little off */
    assert_near(volume, mass / 1000, 0.02 * mass / 1000);
    json_free(scene);
    jn_result_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compliant), cmocka_unit_test(test_nonsmooth),
                                       cmocka_unit_test(test_support_points)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
