/* Bodies that pass through each other, or would. */
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
                if (status < 0 || !(height(sim) > 0))
                    fail_msg("%s, plate %d, body %d at %.3f m: %s", runs[k], p, b, height(sim), a->verdict);
                jn_sim_free(sim), jn_model_free(m);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
