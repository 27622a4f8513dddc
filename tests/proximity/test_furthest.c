/* The vector that reaches furthest: packed vectors give the place that a plain search gives, also where several reach equally far. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(packed_finds_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
