/* The broad phase: the same pairs as comparing all with all, filters, limits, warm starts, no allocation in an update. */
#include "shapes.h"
#include "text_model.h"

#include "base/memory.h"
#include "model/model_layout.h"

#include <stdlib.h>

static jn_description *scene(int n, double box, uint64_t seed) {
    jn_description *d = jn_description_create();
    jn_shape_desc floor = jn_shape_default(JN_SHAPE_PLANE);
    floor.at = v3(0, 0, -box);
    assert_true(jn_description_add_shape(d, JN_GROUND, &floor) >= 0);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        jn_body_desc b = jn_body_default(name);
        b.mass = 1, b.inertia = (jn_sym3){0.01, 0.01, 0.01, 0, 0, 0};
        b.at = v3_scale(box, random_vector(&seed));
        int body = jn_description_add_body(d, &b);
        static const jn_shape_type types[] = {JN_SHAPE_SPHERE, JN_SHAPE_SPHERE, JN_SHAPE_BOX, JN_SHAPE_CAPSULE,
                                              JN_SHAPE_CYLINDER};
        jn_shape_desc s = jn_shape_default(n >= 1000 ? JN_SHAPE_SPHERE : types[i % 5]);
        s.size = v3(0.05, 0.08, 0.06);
        assert_true(jn_description_add_shape(d, body, &s) >= 0);
    }
    return d;
}

static jn_pose *drawn(const jn_description *d, const jn_model *m) {
    jn_pose *X = calloc((size_t)m->link_count, sizeof *X);
    for (int i = 0; i < m->link_count; i++) X[i] = pose_at(d->bodies[m->links[i].body].at, q4_identity());
    return X;
}

/* Every pair that the narrow phase finds within the margin is in the list, and in order. */
static void compare_all(const jn_model *m, jn_detection *detection, const jn_pose *X, double margin) {
    int at = 0, found = 0;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = a + 1; b < m->solid_count; b++) {
            jn_contact_geometry t[JN_MANIFOLD_MAX];
            const jn_solid *A = &m->solids[a], *B = &m->solids[b];
            int n = jn_detection_allowed(detection, a, b)
                        ? jn_pair_collide(A, &X[A->link], B, &X[B->link], margin, NULL, t)
                        : 0;
            if (!n) continue;
            while (at < jn_detection_pairs(detection) &&
                   (jn_detection_pair(detection, at)->a < a ||
                    (jn_detection_pair(detection, at)->a == a && jn_detection_pair(detection, at)->b < b))) {
                assert_int_equal(jn_detection_pair(detection, at)->count, 0); /* boxes meet, solids do not */
                at++;
            }
            assert_true(at < jn_detection_pairs(detection));
            const jn_solid_pair *p = jn_detection_pair(detection, at++);
            assert_int_equal(p->a, a);
            assert_int_equal(p->b, b);
            assert_int_equal(p->count, n);
            found += n;
        }
    assert_int_equal(found, jn_detection_contacts(detection));
}

static void test_random_scenes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        jn_report report;
        jn_report_clear(&report);
        jn_description *d = scene(120, 0.4, seed);
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        assert_int_equal(jn_model_solids(m), 121);
        jn_detection *detection = jn_detection_create(m, (jn_detection_limits){.pairs = 0, .contacts = 0}, &report);
        jn_detection_curvatures(detection, false); /* the points of jn_pair_collide */
        jn_pose *X = drawn(d, m);
        uint64_t move = seed;
        for (int step = 0; step < 4; step++) {
            assert_int_equal(jn_detection_update(detection, X, 0.01), JN_OK);
            assert_true(jn_detection_contacts(detection) > 20);
            compare_all(m, detection, X, 0.01);
            for (int i = 1; i < m->link_count; i++) {
                jn_mat3 R = q4_matrix(random_turn(&move));
                X[i] = (jn_pose){v3_axpy(0.05, random_vector(&move), X[i].p), m3_mul(&R, &X[i].R)};
            }
        }
        free(X);
        jn_detection_free(detection);
        jn_model_free(m);
        jn_description_free(d);
    }
}

/* Bodies that move on, each with its own velocity, a few of them fast: the candidates of an update serve later ones, and none is missed. */
static void test_kept_candidates(void **state) {
    (void)state;
    jn_report report = {0};
    jn_description *d = scene(150, 0.4, 5);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_detection *detection = jn_detection_create(m, (jn_detection_limits){.pairs = 0, .contacts = 0}, &report);
    jn_detection_curvatures(detection, false);
    jn_pose *X = drawn(d, m);
    int listed = 0;
    for (int step = 0; step < 80; step++) {
        uint64_t move = 3;
        double margin = step % 3 ? 0.004 : 0.01;
        assert_int_equal(jn_detection_update(detection, X, margin), JN_OK);
        compare_all(m, detection, X, margin);
        listed += jn_detection_tests(detection) > 0;
        for (int i = 1; i < m->link_count; i++) X[i].p = v3_axpy(i % 20 ? 2e-4 : 4e-3, random_vector(&move), X[i].p);
    }
    print_message("          80 updates, %d lists of candidates\n", listed);
    assert_true(listed < 40);
    free(X);
    jn_detection_free(detection);
    jn_model_free(m);
    jn_description_free(d);
}

static bool refuse(void *context, size_t size) { return (void)context, (void)size, false; }

/* A margin without end has all pairs, wherever bodies and the ground move to; a smaller one after it, and it again. */
static void test_all_pairs(void **state) {
    (void)state;
    static const double margin[] = {1e9, 1e9, 0.05, 1e9, 0.2};
    uint64_t seed = 7;
    jn_report report = {0};
    jn_description *d = scene(12, 0.4, 11);
    jn_model *m = jn_model_compile(d, &report);
    jn_pose *X = drawn(d, m);
    jn_detection *detection = jn_detection_create(m, (jn_detection_limits){.pairs = 0, .contacts = 0}, &report);
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < m->link_count; i++) X[i].p = v3_add(X[i].p, v3_scale(0.3, random_vector(&seed)));
        assert_int_equal(jn_detection_update(detection, X, margin[k]), JN_OK);
        compare_all(m, detection, X, margin[k]);
        if (margin[k] > 1) assert_int_equal(jn_detection_pairs(detection), 12 * 13 / 2);
    }
    jn_detection_free(detection);
    free(X);
    jn_model_free(m);
    jn_description_free(d);
}

static void test_thousand_spheres(void **state) {
    (void)state;
    jn_report report;
    jn_report_clear(&report);
    jn_description *d = scene(1000, 0.8, 7);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_detection *detection = jn_detection_create(m, (jn_detection_limits){.pairs = 0, .contacts = 0}, &report);
    jn_pose *X = drawn(d, m);
    jn_memory_hook(refuse, NULL);
    int status = jn_detection_update(detection, X, 0.001);
    jn_memory_hook(NULL, NULL);
    assert_int_equal(status, JN_OK);
    compare_all(m, detection, X, 0.001);
    print_message("          1000 spheres: %ld boxes compared, %d pairs near\n", jn_detection_tests(detection),
                  jn_detection_pairs(detection));
    assert_true(jn_detection_tests(detection) < 100000);
    /* the same bits from a saved warm start */
    size_t size = jn_detection_state_size(detection);
    void *kept = malloc(size);
    jn_detection_state_save(detection, kept);
    assert_int_equal(jn_detection_update(detection, X, 0.001), JN_OK);
    int n = jn_detection_contacts(detection);
    jn_contact_geometry *first = malloc((size_t)n * sizeof *first);
    for (int i = 0; i < n; i++) first[i] = *jn_detection_contact(detection, i);
    jn_detection_state_load(detection, kept);
    assert_int_equal(jn_detection_update(detection, X, 0.001), JN_OK);
    assert_int_equal(jn_detection_contacts(detection), n);
    for (int i = 0; i < n; i++)
        assert_memory_equal(&first[i].pA, &jn_detection_contact(detection, i)->pA, sizeof first[i].pA);
    free(first);
    free(kept);
    free(X);
    jn_detection_free(detection);
    /* too little room is said */
    detection = jn_detection_create(m, (jn_detection_limits){.pairs = 10, .contacts = 10}, &report);
    X = drawn(d, m);
    assert_int_equal(jn_detection_update(detection, X, 0.001), JN_ERR_LIMIT);
    assert_int_equal(jn_detection_pairs(detection), 10);
    free(X);
    jn_detection_free(detection);
    jn_model_free(m);
    jn_description_free(d);
}

static void test_filters(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model(
        "bodies:\n"
        "  ground: {shape: {type: plane, name: floor, contact: steel}}\n"
        "  a: {mass: 1, inertia: [1, 1, 1], shapes: [{type: sphere, radius: 1}, {type: sphere, radius: 2}]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1, group: g}}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], shape: {type: box, size: [1, 1, 1], group: g}}\n"
        "  e: {mass: 1, inertia: [1, 1, 1], shape: {type: plane}}\n"
        "joints:\n"
        "  j: {type: spherical, between: [a, b], at: [0, 0, 0]}\n"
        "  f: {type: free, between: [ground, c]}\n"
        "contacts: {steel: {stiffness: 1e8}}\n",
        &report);
    check_report(&report);
    jn_detection *s = jn_detection_create(m, (jn_detection_limits){.pairs = 0, .contacts = 0}, &report);
    assert_non_null(s);
    assert_string_equal(jn_solid_name(jn_model_solid(m, 0)), "floor");
    assert_string_equal(jn_solid_contact(jn_model_solid(m, 0)), "steel");
    assert_null(jn_solid_contact(jn_model_solid(m, 1)));
    assert_true(jn_detection_allowed(s, 0, 1));
    assert_false(jn_detection_allowed(s, 1, 2)); /* one body */
    assert_false(jn_detection_allowed(s, 1, 3)); /* joined */
    assert_false(jn_detection_allowed(s, 3, 4)); /* one group */
    assert_true(jn_detection_allowed(s, 2, 4));
    assert_true(jn_detection_allowed(s, 0, 4));  /* a free joint joins nothing */
    assert_false(jn_detection_allowed(s, 0, 5)); /* two planes have no contact */
    assert_int_equal(jn_detection_allow(s, 3, 1, true), JN_OK);
    assert_true(jn_detection_allowed(s, 1, 3));
    assert_false(jn_detection_allowed(s, 2, 3));
    assert_int_equal(jn_detection_allow_bodies(s, 1, 2, true), JN_OK);
    assert_true(jn_detection_allowed(s, 2, 3));
    assert_int_equal(jn_detection_allow_bodies(s, 0, 1, false), JN_OK);
    assert_false(jn_detection_allowed(s, 0, 2));
    assert_int_equal(jn_detection_allow(s, 0, 17, true), JN_ERR_ARGUMENT);
    jn_detection_free(s);
    jn_model_free(m);
}

/* Touches at the state of a simulation: a sphere of radius 1 at height 0.9 over the floor. */
static void test_state(void **state) {
    (void)state;
    jn_report report;
    jn_model *m;
    jn_sim *sim = text_sim("bodies:\n"
                           "  ground: {shapes: [{type: plane, normal: [0, 0, 1], at: [0, 0, 0.5]}]}\n"
                           "  a: {at: [3, 0, 1.4], mass: 2, shape: {type: sphere, radius: 1, at: [0, 0, 0]}}\n",
                           &m);
    jn_detection *s = jn_detection_create(m, (jn_detection_limits){.pairs = 0, .contacts = 0}, &report);
    jn_work *w = jn_work_create(m);
    jn_state *x = jn_state_create(m);
    assert_true(jn_assemble(m, w, x, &report) >= 0);
    jn_kinematics(m, w, x);
    assert_int_equal(jn_detection_update_work(s, w, 0.1), JN_OK);
    assert_int_equal(jn_detection_contacts(s), 1);
    assert_near(jn_detection_contact(s, 0)->gap, -0.1, 1e-15);
    assert_near(jn_detection_contact(s, 0)->pA.x, 3, 1e-15);
    jn_state_free(x);
    jn_work_free(w);
    jn_detection_free(s);
    jn_sim_free(sim);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_scenes), cmocka_unit_test(test_kept_candidates),
        cmocka_unit_test(test_all_pairs),     cmocka_unit_test(test_thousand_spheres),
        cmocka_unit_test(test_filters),       cmocka_unit_test(test_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
