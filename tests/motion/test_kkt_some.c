/* Several right-hand sides of the sparse KKT matrix at once: each has the bits that it has alone. */
#include <jounce/jounce.h>

#include "check.h"
#include "motion/work.h"
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 9 };

static void each_has_its_own_bits(void **state) {
    (void)state;
    jn_report report = {0};
    const char *path = JN_SOURCE_DIR "/models/iftomm/a02_forty_four_bars.yaml";
    jn_description *d = jn_description_read(path, &(jn_setting){"coordinates", "absolute"}, 1, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    check_report(&report);
    assert_true(m->sparse_kkt);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    uint64_t seed = 7;
    size_t nv = (size_t)m->nv;
    double *f = calloc(MOST * nv, 8), *a = calloc(MOST * nv, 8), *one = calloc(nv, 8), *lambda = calloc((size_t)m->row_count, 8);
    assert_true(f && a && one && lambda);
    jn_kinematics(m, w, s);
    jn_constraint_rows(m, w, s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    assert_int_equal(jn_kkt_factor(m, w), JN_OK);
    for (size_t k = 0; k < MOST * nv; k++) f[k] = k / nv == 1 ? 0 : scene_random(&seed); /* one of them ends at once */
    for (int count = 1; count <= MOST; count++) {
        assert_int_equal(jn_kkt_solve_some(m, w, count, f, a, lambda), JN_OK);
        for (int i = 0; i < count; i++) {
            assert_int_equal(jn_kkt_solve(m, w, f + (size_t)i * nv, NULL, one, lambda), JN_OK);
            assert_memory_equal(one, a + (size_t)i * nv, nv * sizeof *one);
        }
    }
    free(f), free(a), free(one), free(lambda);
    jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_has_its_own_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
