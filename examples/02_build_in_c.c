/* Builds a double pendulum without a file: two uniform rods of 1 m and 1 kg, drawn hanging straight down.
 *
 * Small motions:  M q'' + K q = 0,  M = [4/3 1/2; 1/2 1/3], K = g [3/2 0; 0 1/2] in absolute angles, so
 *   w^2 = g (3 -+ 6 / sqrt 7).
 * Large motions: no damping, so the energy stays. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

static jn_model *double_pendulum(jn_report *report) {
    jn_description *d = jn_description_create();
    d->planar = true;
    d->gravity = (jn_vec3){0, -9.81, 0};
    for (int i = 0; i < 2; i++) {
        jn_body_desc rod = jn_body_default(i ? "lower" : "upper");
        rod.mass = 1;
        rod.com = (jn_vec3){0, -0.5 - i, 0};
        rod.inertia.zz = 1.0 / 12;
        int body = jn_description_add_body(d, &rod);
        jn_joint_desc pin = jn_joint_default(i ? "elbow" : "shoulder", JN_JOINT_REVOLUTE);
        pin.body[0] = i ? body - 1 : JN_GROUND;
        pin.body[1] = body;
        pin.frame[0].at = pin.frame[1].at = (jn_vec3){0, -i, 0}; /* where one sees it */
        pin.frame[0].axis = pin.frame[1].axis = (jn_vec3){0, 0, 1};
        pin.coordinate[0].has_speed = true; /* starts with a push */
        pin.coordinate[0].speed = i ? 0 : 5;
        jn_description_add_joint(d, &pin);
    }
    d->run.integrator = JN_INTEGRATOR_RK4;
    d->run.step = 1e-3;
    jn_model *model = jn_model_compile(d, report);
    jn_description_free(d);
    return model;
}

int main(void) {
    jn_report report = {0};
    jn_model *model = double_pendulum(&report);
    jn_sim *sim = model ? jn_sim_create(model, &report) : NULL;
    jn_modes modes = {0};
    if (!sim || jn_study_modes(sim, &modes, &report) < 0 || modes.count != 2)
        return fprintf(stderr, "%s\n", report.item[0].text), 1;
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        double exact = sqrt(9.81 * (3 + (i ? 6 : -6) / sqrt(7))) / (2 * acos(-1.0));
        printf("mode %d: %.9f Hz, exact %.9f Hz\n", i + 1, modes.mode[i].frequency, exact);
        ok = ok && fabs(modes.mode[i].frequency - exact) < 1e-8;
    }
    ok = jn_sim_advance(sim, 10) == JN_OK && ok;
    const jn_audit *audit = jn_sim_audit(sim);
    printf("after 10 s the energy is off by %.1e J at most\n", audit->max_energy_residual);
    ok = ok && audit->ok && audit->max_energy_residual < 1e-6;
    jn_modes_free(&modes), jn_sim_free(sim), jn_model_free(model);
    return ok ? 0 : 1;
}
