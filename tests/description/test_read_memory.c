/* The k-th allocation fails, for every k: no crash, no leak, and the caller is reported. */
#include "base/memory.h"
#include "refused_memory.h"

#include <jounce/description.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char model[] =
    "plane: xy\n"
    "parameters: {l: 10 mm, n: 2*l, w: hertz}\n"
    "tables: {cam: [[0, 0], [1, 2], [2, 3], [3, 1]], wave: {periodic: true, points: [[0, 0], [1, 1], [2, 0], [3, -1], "
    "[4, 0]]}}\n"
    "functions: {lift: 'spline(wave, t)', twice: 2*lift + 1}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 1e-3, com: [l, 0]}\n"
    "  b: {density: 2, shapes: [{type: circle, radius: n}, {type: rectangle, size: [1, 2]}], masses: [{mass: 1, at: "
    "[0, 0]}]}\n"
    "points: {p: {on: a, at: [0, l]}}\n"
    "joints:\n"
    "  j: {type: revolute, between: [ground, a], at: [0, 0], motion: step(t, 0, 0, 1, 2) + spline(cam, t) + twice}\n"
    "  k: {type: revolute, between: [a, b], at: [l, 0], force: if(x > 0, -2*x, joint.j.u)}\n"
    "couplers: {g: {gear: [j, k], ratio: 2}}\n"
    "forces: {s: {type: spring, between: [ground, b], ends: [[0, 0], [1, 0]], stiffness: 5, tension: x^3}}\n"
    "record: {every: 1 ms, channels: ['body.*'], derived: {d: body.a.x/l + point.p.y}}\n"
    "expect:\n  - {channel: body.a.x, value: 1, within: 1}\n  - {event: first impact, time: 1, within: 1}\n";

static void test_every_allocation(void **state) {
    static jn_report report;
    const jn_setting set = {"l", "20 mm"};
    refused_memory c = {0, -1};
    jn_description *d = NULL;
    (void)state;
    for (c.refuse = 0; !d; c.refuse++) {
        c.made = 0;
        jn_memory_hook(allow_memory, &c);
        d = jn_description_parse(model, sizeof model - 1, "model", &set, 1, &report);
        jn_memory_hook(NULL, NULL);
        assert_true(c.refuse < 10000);
        if (!d) {
            assert_true(report.count > 0);
            assert_int_equal(report.item[report.count - 1].status, JN_ERR_MEMORY);
            assert_true(c.made > c.refuse);
        }
    }
    assert_true(c.refuse > 10);
    assert_int_equal(report.errors, 0);
    assert_int_equal(d->joint_count, 2);
    jn_description_free(d);
}

static void test_schema(void **state) {
    refused_memory c = {0, 0};
    char *schema = NULL;
    (void)state;
    for (; !schema; c.refuse++) {
        c.made = 0;
        jn_memory_hook(allow_memory, &c);
        schema = jn_description_schema();
        jn_memory_hook(NULL, NULL);
    }
    free(schema);
}

static void test_building(void **state) {
    jn_body_desc body = jn_body_default("a");
    (void)state;
    for (long refuse = 0; refuse < 200; refuse++) {
        refused_memory c = {0, refuse};
        jn_memory_hook(allow_memory, &c);
        jn_description *d = jn_description_create();
        for (int i = 0; d && i < 40; i++) {
            char name[8] = {'n', (char)('0' + i / 10), (char)('0' + i % 10), 0};
            int before = d->body_count, at;
            body.name = name;
            at = jn_description_add_body(d, &body);
            assert_true(at == before || (at == JN_ERR_MEMORY && d->body_count == before));
        }
        jn_memory_hook(NULL, NULL);
        jn_description_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_building),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
