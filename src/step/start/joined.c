/* Bodies that never touch because a joint joins them: a bar hinged to the ground passes through its floor unless a row names both. */
#include "proximity/detection.h"
#include "step/sim.h"
#include <stdio.h>
#include <string.h>

/* Whether shapes of the body would touch those of the ground but for the joint, and none overlaps one as drawn. */
static bool passes_ground(const jn_sim *sim, int body, const jn_pose *at) {
    static const jn_pose ground = {.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    const jn_model *m = sim->m;
    bool any = false;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = 0; b < m->solid_count && m->solids[a].body == JN_GROUND; b++) {
            jn_contact_geometry points[JN_MANIFOLD_MAX];
            if (m->solids[b].body != body || !jn_detection_joint_alone(sim->contacts->detection, a, b)) continue;
            if (jn_pair_collide(&m->solids[a], &ground, &m->solids[b], at, 0, NULL, points) > 0) return false;
            any = true;
        }
    return any;
}

static bool can_approach(jn_joint_type type) { /* bodies of free and distance joints touch anyway */
    return type != JN_JOINT_FIXED && type != JN_JOINT_FREE && type != JN_JOINT_DISTANCE;
}

void jn_joined_warn(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    if (!report) return;
    jn_kinematics(m, sim->w, sim->s);
    for (int k = 0; k < m->joint_count; k++) {
        int x = m->joined[k][0], body = x == JN_GROUND ? m->joined[k][1] : x;
        if (!can_approach(m->joints[k].type) || (x != JN_GROUND && m->joined[k][1] != JN_GROUND)) continue;
        const jn_link_motion *B = &sim->w->link[m->bodies[body].link];
        if (!passes_ground(sim, body, &(jn_pose){B->O, B->R})) continue;
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, m->joints[k].where, NULL,
                      "the shapes of '%s' and the ground never touch, because joint '%s' joins them\n"
                      "add a row 'between: [ground, %s]' to contacts if they should, or 'no_contact: [[ground, %s]]' "
                      "to the model",
                      m->bodies[body].name, m->joints[k].name, m->bodies[body].name, m->bodies[body].name);
    }
}
