/* Checkpoints: a simulation that goes on from a file has the bits of one that was never interrupted, by every method. */
#include "base/hash.h"
#include "golden.h"
#include "random_scenes.h"
#include "scenes.h"
#include "step/sim.h"
#include "text_model.h"
#include <jounce/jounce.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLES JN_SOURCE_DIR "/tests/bits/"

static jn_sim *create(const jn_model *m) {
    jn_report report = {0};
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    return sim;
}

static bool same_audit(const jn_audit *a, const jn_audit *b) {
    return a->steps == b->steps && a->max_energy_residual == b->max_energy_residual &&
           a->max_momentum_residual == b->max_momentum_residual && a->max_penetration == b->max_penetration &&
           a->max_stop_overlap == b->max_stop_overlap && a->ok == b->ok && !strcmp(a->verdict, b->verdict);
}

/* To an instant, by whole steps or by a shorter last one. */
static int go(jn_sim *sim, double t, bool whole_steps) {
    int status = JN_OK;
    while (whole_steps && status == JN_OK && jn_sim_state(sim)->t < t)
        status = jn_sim_step(sim, jn_model_run(jn_sim_model(sim))->until);
    return whole_steps ? status : jn_sim_advance(sim, t);
}

/* One simulation goes through, the other one is written, forgotten and read again at three instants. Multistep integrators start anew where they
 * are written. */
static bool goes_on(const char *name, const jn_model *m, bool whole_steps) {
    const jn_run_desc *run = jn_model_run(m);
    bool multistep = run->integrator >= JN_INTEGRATOR_ADAMS; /* auto is one where it is stiff */
    const char *path = "test_checkpoint.bin", *other = "test_checkpoint_through.bin";
    jn_report report = {0};
    jn_sim *through = create(m), *parts = create(m);
    for (int k = 0; k < 3; k++) {
        double t = run->until * (0.13 + 0.37 * k);
        int status = go(through, t, whole_steps);
        assert_int_equal(go(parts, t, whole_steps), status);
        if (status != JN_OK) break;
        if (multistep) assert_int_equal(jn_sim_save(through, other, &report), JN_OK);
        assert_int_equal(jn_sim_save(parts, path, &report), JN_OK);
        jn_sim_free(parts);
        parts = create(m);
        if (jn_sim_load(parts, path, &report) != JN_OK) fail_msg("%s: %s", name, report.item[0].text);
    }
    int status = jn_sim_advance(through, run->until);
    assert_int_equal(jn_sim_advance(parts, run->until), status);
    bool bits = jn_state_hash(jn_sim_state(parts)) == jn_state_hash(jn_sim_state(through));
    bool audits = same_audit(jn_sim_audit(through), jn_sim_audit(parts));
    if (!bits || !audits) print_error("%s:%s%s\n", name, bits ? "" : " other bits", audits ? "" : " another audit");
    remove(path), remove(other);
    jn_sim_free(through);
    jn_sim_free(parts);
    return bits && audits;
}

static void all_go_on(const char *table_name) {
    FILE *table = fopen(table_name, "r");
    assert_non_null(table);
    golden_row row;
    int rows = 0, wrong = 0;
    while (golden_read(table, &row, NULL)) {
        if (strncmp(row.text, "models/", 7)) continue;
        jn_model *m = golden_model(JN_SOURCE_DIR, &row);
        assert_non_null(m);
        if (jn_model_run(m)->analysis == JN_ANALYSIS_DYNAMIC)
            rows++, wrong += !goes_on(row.text, m, false) || !goes_on(row.text, m, true);
        jn_model_free(m);
    }
    fclose(table);
    print_message("%d of %d runs go on with other bits\n", wrong, rows);
    assert_int_equal(wrong, 0);
    assert_true(rows > 5);
}

static void single_steps_go_on(void **state) { (void)state, all_go_on(TABLES "golden.txt"); }
static void multistep_integrators_go_on(void **state) { (void)state, all_go_on(TABLES "libraries.txt"); }

static jn_model *model_of(const char *text) {
    golden_row row = {0};
    snprintf(row.text, sizeof row.text, "%s", text);
    jn_model *m = golden_model(JN_SOURCE_DIR, &row);
    assert_non_null(m);
    return m;
}

static void refuses(const jn_model *m, const char *path, int status) {
    jn_report report = {0};
    jn_sim *sim = create(m);
    uint64_t hash = jn_state_hash(jn_sim_state(sim));
    assert_int_equal(jn_sim_load(sim, path, &report), status);
    assert_int_equal(report.errors, 1);
    assert_true(jn_state_hash(jn_sim_state(sim)) == hash); /* nothing has changed */
    assert_int_equal(jn_sim_advance(sim, 0.01), JN_OK);
    jn_sim_free(sim);
}

/* Every byte of a file counts; files that are cut, longer, missing, or of another model are errors. */
static void damaged_files_are_errors(void **state) {
    (void)state;
    const char *path = "test_checkpoint_damaged.bin";
    static unsigned char bytes[1 << 20];
    jn_report report = {0};
    jn_model *m = model_of("models/outside/box_stack.yaml"), *other = model_of("models/outside/zeno_ball.yaml");
    jn_model *changed = model_of("models/outside/box_stack.yaml | run.step=3 ms");
    jn_sim *sim = create(m);
    assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
    assert_int_equal(jn_sim_save(sim, path, &report), JN_OK);
    refuses(other, path, JN_ERR_MODEL);
    refuses(changed, path, JN_ERR_MODEL);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t k = 0; k < 200; k++) {
        size_t at = k * size / 200, length = k % 4 == 1 ? at : k % 4 == 2 ? size + 8 : size;
        if (k % 4 == 0) bytes[at] ^= 16;
        file = fopen(path, "wb");
        assert_int_equal(fwrite(bytes, 1, length, file), length);
        fclose(file);
        if (k % 4 != 3) refuses(m, path, JN_ERR_IO);
        if (k % 4 == 0) bytes[at] ^= 16;
    }
    remove(path);
    refuses(m, path, JN_ERR_IO);
    assert_int_equal(jn_sim_save(sim, "/nowhere/checkpoint", &report), JN_ERR_IO);
    jn_sim_free(sim);
    jn_model_free(m), jn_model_free(other), jn_model_free(changed);
}

/* A checkpoint of whatever the random scene is at an instant is taken, and the run goes on with its bits. */
static void random_scenes_go_on(void **state) {
    static const char *const methods[] = {"compliant", "nonsmooth", "impact"};
    (void)state;
    int compared = 0;
    for (unsigned seed = 3000; seed < 3040; seed++) {
        char text[16000], what[64];
        jn_report report = {0};
        random_scene_write(text, sizeof text, seed, methods[seed % 3]);
        snprintf(what, sizeof what, "%s, seed %u", methods[seed % 3], seed);
        jn_model *m = text_model(text, &report);
        jn_sim *through = m ? jn_sim_create(m, &report) : NULL, *parts = through ? create(m) : NULL;
        double until = through ? 0.3 * jn_model_run(m)->until : 0;
        int status = through ? JN_OK : JN_ERR_MODEL;
        for (int k = 0; k < 400 && status >= 0 && jn_sim_state(through)->t < until; k++) {
            status = jn_sim_step(through, until);
            if (k % 20 || status < 0) continue;
            size_t size;
            unsigned char *bytes = jn_sim_to_bytes(through, &size);
            if (jn_sim_from_bytes(parts, bytes, size, &report) != JN_OK) fail_msg("%s: %s", what, report.item[0].text);
            jn_bytes_free(bytes);
            assert_int_equal(jn_sim_step(parts, until), status = jn_sim_step(through, until));
            if (jn_state_hash(jn_sim_state(parts)) != jn_state_hash(jn_sim_state(through)))
                fail_msg("%s: other bits at %g s", what, jn_sim_state(through)->t);
            compared++;
        }
        jn_sim_free(through), jn_sim_free(parts), jn_model_free(m);
    }
    assert_true(compared > 300);
}

/* Hulls and boxes that fall onto each other: the corners that were nearest last time, with which the narrow phase begins, go with them. */
static jn_model *hulls(void) {
    static char text[16000];
    uint64_t seed = 7;
    int at = snprintf(text, sizeof text, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int i = 0; i < 12; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "  b%d: {mass: 1, at: [%g, %g, %g], shape: ", i,
                       0.25 * (i % 2), 0.25 * (i / 2 % 2), 0.2 + 0.26 * (i / 4));
        if (i % 3 == 0) {
            at += snprintf(text + at, sizeof text - (size_t)at, "{type: box, size: [0.2, 0.18, 0.16]}}\n");
            continue;
        }
        at += snprintf(text + at, sizeof text - (size_t)at, "{type: hull, points: [");
        for (int k = 0; k < 40; k++) {
            double p[3];
            for (int l = 0; l < 3; l++) p[l] = 0.1 * scene_random(&seed);
            at +=
                snprintf(text + at, sizeof text - (size_t)at, "%s[%.4f, %.4f, %.4f]", k ? ", " : "", p[0], p[1], p[2]);
        }
        at += snprintf(text + at, sizeof text - (size_t)at, "]}}\n");
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "contacts: {all: {friction: 0.4}}\nrun: {method: nonsmooth, step: 2 ms, until: 1}\n");
    jn_report report = {0};
    jn_model *m = text_model(text, &report);
    check_report(&report);
    return m;
}

static void hulls_go_on(void **state) {
    (void)state;
    jn_model *m = hulls();
    jn_sim *through = create(m), *parts = create(m);
    jn_report report = {0};
    for (int k = 0; k < 500; k++) {
        if (k % 25 == 0) {
            size_t size;
            unsigned char *bytes = jn_sim_to_bytes(through, &size);
            if (jn_sim_from_bytes(parts, bytes, size, &report) != JN_OK) fail_msg("%s", report.item[0].text);
            jn_bytes_free(bytes);
        }
        assert_int_equal(jn_sim_step(parts, 1), jn_sim_step(through, 1));
        if (jn_state_hash(jn_sim_state(parts)) != jn_state_hash(jn_sim_state(through)))
            fail_msg("other bits at %g s", jn_sim_state(through)->t);
    }
    jn_sim_free(through), jn_sim_free(parts), jn_model_free(m);
}

/* With one word of a checkpoint no number, and the hash right again: it is refused, or the word decides nothing and the motion stays finite. */
static void what_is_no_number_is_refused(void **state) {
    static const char *const names[] = {"models/outside/box_stack.yaml", "models/rodriguez2014/cradle5.yaml",
                                        "models/flores_ambrosio/quick_return.yaml"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        jn_model *m = model_of(names[k]);
        jn_sim *sim = create(m);
        double until = jn_model_run(m)->until;
        assert_true(jn_sim_advance(sim, 0.3 * until) >= 0);
        size_t size, refused = 0;
        unsigned char *bytes = jn_sim_to_bytes(sim, &size);
        for (size_t at = 0; at + 8 < size; at += 8) {
            jn_report report = {0};
            uint64_t kept, none = UINT64_MAX;
            memcpy(&kept, bytes + at, 8), memcpy(bytes + at, &none, 8);
            uint64_t hash = jn_hash_bytes(JN_HASH_START, bytes, size - 8);
            memcpy(bytes + size - 8, &hash, 8);
            int status = jn_sim_from_bytes(sim, bytes, size, &report);
            if (status < 0) assert_int_equal(report.errors, 1), refused++;
            for (int i = 0; i < 3 && status >= 0; i++) status = jn_sim_step(sim, until);
            for (int i = 0; i < jn_model_nv(m) && status >= 0; i++)
                if (!isfinite(jn_sim_state(sim)->u[i])) fail_msg("%s: word %zu is taken", names[k], at / 8);
            memcpy(bytes + at, &kept, 8);
        }
        print_message("%s: %zu of %zu words are refused\n", names[k], refused, size / 8 - 1);
        assert_true(refused > size / 16);
        jn_bytes_free(bytes);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Collision detection reaches twice as far until it is far enough: from 0 it would never be. */
static void no_reach_is_refused(void **state) {
    (void)state;
    jn_model *m = model_of("models/outside/box_stack.yaml");
    jn_sim *sim = create(m), *other = create(m);
    static const double reaches[] = {0, -1, NAN};
    for (int k = 0; k < 3; k++) {
        jn_report report = {0};
        size_t size;
        sim->contacts->margin = reaches[k];
        unsigned char *bytes = jn_sim_to_bytes(sim, &size);
        assert_true(jn_sim_from_bytes(other, bytes, size, &report) < 0);
        assert_int_equal(report.errors, 1);
        jn_bytes_free(bytes);
    }
    jn_sim_free(sim), jn_sim_free(other), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_steps_go_on),
                                       cmocka_unit_test(multistep_integrators_go_on),
                                       cmocka_unit_test(damaged_files_are_errors),
                                       cmocka_unit_test(random_scenes_go_on),
                                       cmocka_unit_test(hulls_go_on),
                                       cmocka_unit_test(what_is_no_number_is_refused),
                                       cmocka_unit_test(no_reach_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
