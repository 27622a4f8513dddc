/* The vector that reaches furthest: packed vectors, and the corners of a hull near a direction, give the place that a plain search gives, also where several reach equally far. */
#include "check.h"
#include "proximity/furthest.h"
#include "scenes.h"
#include <stdlib.h>

enum { MOST = 200, ROUNDS = 20, BLOCKS = (MOST + JN_PACKED_BLOCK - 1) / JN_PACKED_BLOCK, LARGE = 3000 };

/* Memory of packed vectors. */
typedef struct packing {
    int64_t place[BLOCKS * JN_PACKED_BLOCK];
    double value[3 * BLOCKS * JN_PACKED_BLOCK], box[6 * (BLOCKS + JN_PACKED_LANES)];
    jn_packed_key order[MOST];
} packing;

static jn_packed pack(packing *memory, const jn_vec3 *v, int count) {
    jn_packed p = {count, jn_packed_blocks(count), memory->place, memory->value, memory->box};
    jn_packed_fill(&p, v, memory->order);
    return p;
}

static void packed_finds_the_same(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int count = 1; count <= MOST; count++)
        for (int round = 0; round < ROUNDS; round++) {
            jn_vec3 v[MOST], n = v3(scene_random(&seed), scene_random(&seed), round % 3 ? scene_random(&seed) : 0);
            packing memory;
            bool ties = round % 2; /* few different places */
            for (int i = 0; i < count; i++) {
                v[i] = v3(scene_random(&seed), scene_random(&seed), scene_random(&seed));
                if (ties) v[i] = v3(v[i].x > 0 ? 1 : -1, v[i].y > 0 ? 1 : -1, v[i].z > 0 ? 1 : -1);
            }
            jn_packed packed = pack(&memory, v, count);
            assert_int_equal(jn_furthest_packed(&packed, n), jn_furthest_of(v, count, n));
        }
}

/* More blocks than are looked at together; points on a sphere, of which a search needs few blocks, and in a plane, where all reach equally far. */
static void many_blocks_do_the_same(void **state) {
    (void)state;
    uint64_t seed = 9;
    int blocks = jn_packed_blocks(LARGE);
    jn_vec3 *v = calloc(LARGE, sizeof *v);
    jn_packed p = {LARGE, blocks, calloc((size_t)blocks * JN_PACKED_BLOCK, 8),
                   calloc(3 * (size_t)blocks * JN_PACKED_BLOCK, 8), calloc(6 * (size_t)jn_packed_pitch(blocks), 8)};
    jn_packed_key *order = calloc(LARGE, sizeof *order);
    assert_true(v && p.place && p.value && p.box && order && blocks > JN_PACKED_CHUNK);
    for (int flat = 0; flat < 2; flat++) {
        for (int i = 0; i < LARGE; i++) {
            v[i] = v3_unit(v3(scene_random(&seed), scene_random(&seed), scene_random(&seed)));
            if (flat) v[i].z = 1;
        }
        jn_packed_fill(&p, v, order);
        for (int k = 0; k < 500; k++) {
            jn_vec3 n = k == 0 ? v3(0, 0, 1) : v3(scene_random(&seed), scene_random(&seed), scene_random(&seed));
            int top = jn_furthest_of(v, LARGE, n), found[64], count = 0;
            assert_int_equal(jn_furthest_packed(&p, n), top);
            double least = v3_dot(n, v[top]) - 1e-3;
            int far = jn_far_packed(&p, n, least, found, 64);
            for (int i = 0; i < LARGE; i++) {
                if (v3_dot(n, v[i]) < least) continue;
                if (far > count) assert_int_equal(found[count], i);
                count++;
            }
            assert_int_equal(far, count > 64 ? -1 : count);
        }
    }
    free(v), free(p.place), free(p.value), free(p.box), free(order);
}

/* The corners near n are those that directions within the chord ask for, and those that are lower by little then; beyond the chord all are looked at. The points need not be those
 * of a hull. */
static void near_corners_are_enough(void **state) {
    (void)state;
    uint64_t seed = 5;
    int served = 0, found = 0;
    for (int round = 0; round < 400; round++) {
        jn_vec3 v[MOST];
        packing memory;
        double flat = round % 4 ? 1 : 0; /* a layer of points: many are as high */
        int count = 32 + round % (MOST - 32);
        jn_solid s = {.type = JN_SHAPE_HULL, .vertex = v, .vertex_count = count};
        s.lower = v3(-1, -1, -1), s.upper = v3(1, 1, 1);
        for (int i = 0; i < count; i++) {
            v[i] = v3(scene_random(&seed), scene_random(&seed), scene_random(&seed));
            if (i % 10 == 0) v[i].z = 1 - 1e-3 * flat * fabs(scene_random(&seed));
        }
        s.packed_vertex = pack(&memory, v, count);
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
                                       cmocka_unit_test(many_blocks_do_the_same),
                                       cmocka_unit_test(near_corners_are_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
