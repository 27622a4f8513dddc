/* Bodies that pass through each other, since their contact is too soft: the verdict says so, however well energy and momentum are balanced. */
#include "text_model.h"
#include <math.h>

static const char *const plates[] = {
    "{type: box, size: [1, 1, 0.01], at: [0, 0, -0.005]}",
    "{type: hull, points: [[-.5, -.5, 0], [.5, -.5, 0], [.5, .5, 0], [-.5, .5, 0], [-.5, -.5, -.01], [.5, -.5, -.01], [.5, .5, -.01], [-.5, .5, -.01]]}",
    "{type: mesh, points: [[-.5, -.5, 0], [.5, -.5, 0], [.5, .5, 0], [-.5, .5, 0], [-.5, -.5, -.01], [.5, -.5, -.01], [.5, .5, -.01], [-.5, .5, -.01]],\n"
    "      triangles: [[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6], [0, 5, 1], [0, 4, 5], [1, 6, 2], [1, 5, 6], [2, 7, 3], [2, 6, 7], [3, 4, 0], [3, 7, 4]]}",
    "{type: mesh, points: [[-.5, -.5, 0], [.5, -.5, 0], [.5, .5, 0], [-.5, .5, 0]], triangles: [[0, 1, 2], [0, 2, 3]]}",
    "{type: heightfield, size: [1, 1], heights: [[0, 0], [0, 0]]}"};
static const char *const bodies[] = {
    "{type: sphere, radius: 0.05, at: [0, 0, 0.1]}",
    "{type: box, size: [0.1, 0.1, 0.1], at: [0.01, 0.02, 0.1]}",
    "{type: box, size: [0.1, 0.1, 0.1], at: [0.01, 0.02, 0.1], orientation: {axis: [1, 2, 0.3], angle: 40 deg}}",
    "{type: cylinder, radius: 0.05, length: 0.1, at: [0.01, 0.02, 0.1], orientation: {axis: [1, 2, 0.3], angle: 40 deg}}",
    "{type: capsule, radius: 0.03, length: 0.06, at: [0.01, 0.02, 0.1], orientation: {axis: [1, 2, 0.3], angle: 40 deg}}",
    "{type: ellipsoid, size: [0.05, 0.03, 0.06], at: [0.01, 0.02, 0.1]}",
    "{type: mesh, points: [[-.05, -.05, .15], [.05, -.05, .15], [.05, .05, .15], [-.05, .05, .15], [-.05, -.05, .05], [.05, -.05, .05], [.05, .05, .05], "
    "[-.05, .05, .05]],\n"
    "      triangles: [[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6], [0, 5, 1], [0, 4, 5], [1, 6, 2], [1, 5, 6], [2, 7, 3], [2, 6, 7], [3, 4, 0], [3, 7, 4]]}"};
enum { PLATES = sizeof plates / sizeof *plates, BODIES = sizeof bodies / sizeof *bodies };

static jn_sim *thrown(const char *plate, const char *body, double mass, double speed, const char *contact, const char *run,
                      jn_model **m) {
    char text[4000];
    snprintf(text, sizeof text,
             "bodies:\n  ground: {shape: %s}\n"
             "  ball: {mass: %g, inertia: [%g, %g, %g], com: [0, 0, 0.1], velocity: [0, 0, %g], shape: %s}\n"
             "contacts: {all: {%s}}\nrun: {%s, until: 0.3}\n",
             plate, mass, 3e-3 * mass, 3e-3 * mass, 3e-3 * mass, -speed, body, contact, run);
    return text_sim(text, m);
}

static double height(jn_sim *sim) {
    jn_body_motion b;
    jn_body_motion_get(jn_sim_model(sim), jn_sim_work(sim), 1, &b);
    return b.position.z;
}

/* Ten kilograms at 20 m/s onto a contact that would need 0.2 m to stop them. */
static void test_plates(void **state) {
    (void)state;
    for (int p = 0; p < PLATES; p++)
        for (int b = 0; b < BODIES; b++) {
            jn_model *m;
            jn_sim *sim = thrown(plates[p], bodies[b], 10, 20, "stiffness: 1e5, restitution: 0.5", "method: compliant", &m);
            assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
            const jn_audit *a = jn_sim_audit(sim);
            if (a->ok || !strstr(a->verdict, "pass through each other") || !strstr(a->verdict, "'all'") || !strstr(a->verdict, "take "))
                fail_msg("plate %d, body %d at %.3f m: %s", p, b, height(sim), a->verdict);
            assert_true(height(sim) < -1);
            assert_true(a->max_relative_penetration > 1 || a->contacts_lost > 0);
            jn_sim_free(sim), jn_model_free(m);
        }
}

/* One kilogram at 1 m/s onto contacts that hold it, while steps are as long as the methods like: without rows to record at the top of its way. */
static void test_held(void **state) {
    static const char *const runs[] = {"method: compliant", "method: impact", "method: nonsmooth, step: 1e-3"};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int p = 0; p < PLATES; p++)
            for (int b = 0; b < BODIES; b++) {
                jn_model *m;
                jn_sim *sim = thrown(plates[p], bodies[b], 1, 1, "stiffness: 1e9, restitution: 0.5", runs[k], &m);
                int status = jn_sim_advance(sim, 0.3);
                const jn_audit *a = jn_sim_audit(sim);
                if (status < 0 || !(height(sim) > 0) || strstr(a->verdict, "pass through") || a->max_relative_penetration > 0.2)
                    fail_msg("%s, plate %d, body %d at %.3f m: %s", runs[k], p, b, height(sim), a->verdict);
                jn_sim_free(sim), jn_model_free(m);
            }
}

/* A linear spring without damping: depth v sqrt(m/K) is 0.9 and 1.1 of the radius, on a plane, which has no thickness of its own. */
static void test_limit(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char contact[100];
        double part = k ? 1.1 : 0.9, radius = 0.05, speed = 20;
        snprintf(contact, sizeof contact, "law: kelvin_voigt, stiffness: %.17g, damping: 0", speed * speed / (part * part * radius * radius));
        jn_model *m;
        jn_sim *sim = thrown("{type: plane}", bodies[0], 1, speed, contact, "method: compliant", &m);
        assert_int_equal(jn_sim_advance(sim, 0.02), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%.4f of the radius: %s\n", a->max_relative_penetration, a->verdict);
        assert_near(a->max_relative_penetration, part, 5e-3);
        assert_near(a->half_thickness, radius, 1e-15);
        assert_near(a->max_relative_penetration * a->half_thickness, a->max_penetration, 1e-12);
        assert_string_equal(a->half_thickness_at, "all");
        assert_true(a->ok == !k);
        assert_true(!k || strstr(a->verdict, "contact 'all' is 0.055"));
        assert_true(!k || strstr(a->verdict, "(0.05 m)"));
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* What was seen goes on with a checkpoint, the name too. */
static void test_checkpoint(void **state) {
    (void)state;
    for (int p = 0; p < PLATES; p += 2) {
        jn_model *m, *same;
        jn_report report = {0};
        jn_sim *sim = thrown(plates[p], bodies[0], 10, 20, "stiffness: 1e5, restitution: 0.5", "method: compliant", &m);
        jn_sim *other = thrown(plates[p], bodies[0], 10, 20, "stiffness: 1e5, restitution: 0.5", "method: compliant", &same);
        assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
        size_t size;
        unsigned char *bytes = jn_sim_to_bytes(sim, &size);
        assert_int_equal(jn_sim_from_bytes(other, bytes, size, &report), JN_OK);
        jn_bytes_free(bytes);
        const jn_audit *a = jn_sim_audit(sim), *b = jn_sim_audit(other);
        assert_false(b->ok);
        assert_string_equal(a->verdict, b->verdict);
        assert_true(a->max_relative_penetration == b->max_relative_penetration && a->half_thickness == b->half_thickness);
        assert_true(a->contacts_lost == b->contacts_lost && a->lost_depth == b->lost_depth);
        jn_sim_free(sim), jn_sim_free(other), jn_model_free(m), jn_model_free(same);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plates), cmocka_unit_test(test_held), cmocka_unit_test(test_limit), cmocka_unit_test(test_checkpoint)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
