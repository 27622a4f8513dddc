/* A closed loop: four hinges in space, a parallelogram that swings in its plane under gravity.
 *
 * The fourth hinge closes the loop with 5 equations, 3 of which repeat what the others say: Gruebler's count is
 * 6*3 - 4*5 = -2, the true mobility is 1. The hinges on the ground carry all bodies:
 *   sum of reactions = sum of m (a - g),   whatever the loop does. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "bodies:\n"
                           "  left:  {mass: 1, inertia: [0.09, 0.09, 0.01], com: [0, 0, -0.5]}\n"
                           "  bar:   {mass: 2, inertia: [0.01, 0.7, 0.7], com: [1, 0, -1]}\n"
                           "  right: {mass: 1, inertia: [0.09, 0.09, 0.01], com: [2, 0, -0.5]}\n"
                           "joints:\n"
                           "  A: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: y, position: 60 deg}\n"
                           "  B: {type: revolute, between: [left, bar], at: [0, 0, -1], axis: y}\n"
                           "  C: {type: revolute, between: [bar, right], at: [2, 0, -1], axis: y}\n"
                           "  D: {type: revolute, between: [ground, right], at: [2, 0, 0], axis: y}\n"
                           "run: {tolerance: 1e-10}\n";

static jn_vec3 add(jn_vec3 a, double s, jn_vec3 b) { return (jn_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

int main(void) {
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "four_bar.yaml", NULL, 0, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    jn_mobility mobility;
    jn_sim *sim = model ? jn_sim_create(model, &report) : NULL; /* assembles the loop from 60 degrees */
    if (!sim || jn_study_mobility(model, &mobility, &report) < 0)
        return fprintf(stderr, "%s\n", report.item[0].text), 1;
    printf("Gruebler %d, true freedoms %d, redundant %d\n", mobility.gruebler, mobility.dof, mobility.redundant);
    bool ok = mobility.gruebler == -2 && mobility.dof == 1 && mobility.redundant == 3;

    double worst = 0;
    for (int i = 1; i <= 20; i++) {
        if (jn_sim_advance(sim, 0.1 * i) < 0 || jn_sim_observe(sim) < 0) return 1;
        jn_vec3 sum = {0, 0, 0};
        for (int k = 1; k < jn_model_bodies(model); k++) {
            jn_body_motion body;
            jn_body_motion_get(model, jn_sim_work(sim), k, &body);
            sum = add(sum, -jn_model_body_mass(model, k), add(body.acceleration, 9.81, (jn_vec3){0, 0, 1}));
        }
        for (int k = 0; k < 4; k += 3) { /* A and D: what the ground does to the cranks */
            jn_joint_motion joint;
            jn_joint_motion_get(model, jn_sim_work(sim), k, &joint);
            sum = add(sum, 1, joint.reaction.f);
        }
        worst = fmax(worst, sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z));
    }
    const jn_audit *audit = jn_sim_audit(sim);
    printf("forces balance to %.1e N; %s\n", worst, audit->verdict);
    ok = ok && audit->ok && worst < 1e-10;
    jn_mobility_free(&mobility), jn_sim_free(sim), jn_model_free(model), jn_description_free(d);
    return ok ? 0 : 1;
}
