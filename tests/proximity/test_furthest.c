/* The vector that reaches furthest: packed vectors, and the corners of a hull near a direction, give the place that a plain search gives, also where several reach equally far. */
#include "check.h"
#include "proximity/furthest.h"
#include "scenes.h"

enum { MOST = 200, ROUNDS = 20 };

static void packed_finds_the_same(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int count = 1; count <= MOST; count++)
        for (int round = 0; round < ROUNDS; round++) {
            jn_vec3 v[MOST], n = v3(scene_random(&seed), scene_random(&seed), round % 3 ? scene_random(&seed) : 0);
            double packed[3 * (MOST + JN_PACKED)];
            int pitch = jn_packed_pitch(count);
            bool ties = round % 2; /* few different places */
            for (int i = 0; i < count; i++) {
                v[i] = v3(scene_random(&seed), scene_random(&seed), scene_random(&seed));
                if (ties) v[i] = v3(v[i].x > 0 ? 1 : -1, v[i].y > 0 ? 1 : -1, v[i].z > 0 ? 1 : -1);
            }
            for (int i = 0; i < pitch; i++) {
                jn_vec3 own = v[i < count ? i : count - 1];
                packed[i] = own.x, packed[pitch + i] = own.y, packed[2 * pitch + i] = own.z;
            }
            assert_int_equal(jn_furthest_packed(packed, count, n), jn_furthest_of(v, count, n));
        }
}

/* The corners near n are those that directions within the chord ask for, and those that are lower by little then; beyond the chord all are looked at. The points need not be those
 * of a hull. */
static void near_corners_are_enough(void **state) {
    (void)state;
    uint64_t seed = 5;
    int served = 0, found = 0;
    for (int round = 0; round < 400; round++) {
        jn_vec3 v[MOST];
        double packed[3 * (MOST + JN_PACKED)], flat = round % 4 ? 1 : 0; /* a layer of points: many are as high */
        int count = 32 + round % (MOST - 32), pitch = jn_packed_pitch(count);
        jn_solid s = {.type = JN_SHAPE_HULL, .vertex = v, .vertex_count = count, .packed_vertex = packed};
        s.lower = v3(-1, -1, -1), s.upper = v3(1, 1, 1);
        for (int i = 0; i < count; i++) {
            v[i] = v3(scene_random(&seed), scene_random(&seed), scene_random(&seed));
            if (i % 10 == 0) v[i].z = 1 - 1e-3 * flat * fabs(scene_random(&seed));
        }
        for (int i = 0; i < pitch; i++) {
            jn_vec3 own = v[i < count ? i : count - 1];
            packed[i] = own.x, packed[pitch + i] = own.y, packed[2 * pitch + i] = own.z;
        }
        jn_quat turn = q4_unit((jn_quat){scene_random(&seed), scene_random(&seed), scene_random(&seed), 2});
        jn_convex c = {.s = &s, .X = {v3(1, 2, 3), q4_matrix(turn)}};
        jn_near_corners near;
        jn_vec3 n = m3_mul_v(&c.X.R, v3(0, 0, 1));
        if (!jn_near_find(&c, n, jn_core_support(&c, n), &near)) continue;
        found++;
        for (int k = 0; k < 50; k++) {
            double way = k % 2 ? 1e-3 : 4e-3;
            jn_vec3 l = v3_scale(2, v3(way * scene_random(&seed), way * scene_random(&seed), 1));
            int top = jn_furthest_of(v, count, l);
            c.near = &near;
            assert_int_equal(jn_corner_along(&c, l), top);
            c.near = NULL;
            if (!jn_near_serves(&near, l)) continue;
            served++;
            for (int i = 0, at = 0; i < count; i++) {
                jn_vec3 d = v3_sub(v[top], v[i]);
                bool low = v3_dot(v3_unit(l), d) > jn_near_lower * v3_norm(d);
                while (at < near.count && near.corner[at] < i) at++;
                assert_true(low || (at < near.count && near.corner[at] == i));
            }
        }
    }
    assert_true(found > 300 && served > 50 * found / 2 && served < 50 * found);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(packed_finds_the_same),
                                       cmocka_unit_test(near_corners_are_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
