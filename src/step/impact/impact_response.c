/* Velocities of all bodies per unit of every impulse of a collision, for those who follow its path. */
#include "step/impact/impact_response.h"
#include <string.h>

/* du = M^-1 J^T p on the motions that joints allow. */
static void velocity_change(jn_sim *sim, const double *p, double *du) {
    jn_impact_collision *c = &sim->impact->collision;
    const jn_model *m = sim->m;
    memset(du, 0, (size_t)m->nv * sizeof *du);
    if (m->row_count == 0) {
        jn_contact_set_apply(&sim->nonsmooth->set, sim, p, du);
        return;
    }
    memset(c->load, 0, (size_t)m->nv * sizeof *c->load);
    jn_contact_set_force(&sim->nonsmooth->set, p, c->load);
    jn_kkt_solve(m, sim->w, c->load, NULL, du, c->reaction);
}

/* R (6 bodies x D), velocity of the centre of mass, then angular velocity. The mass matrix is factored at the state, whose kinematics
 * are the work space's before and after. D times kinematics and a solve. */
const double *jn_impact_response(jn_sim *sim) {
    jn_impact_collision *c = &sim->impact->collision;
    const jn_model *m = sim->m;
    int D = sim->nonsmooth->set.count * sim->impact->d;
    if (!sim->impact_path || sim->nonsmooth->set.count > JN_RESPONSE_CONTACTS ||
        sim->audit.impacts > JN_RESPONSE_IMPACTS)
        return NULL;
    memcpy(c->kept, sim->s->u, (size_t)m->nv * sizeof *c->kept);
    memset(c->unit, 0, (size_t)D * sizeof *c->unit);
    for (int r = 0; r < D; r++) {
        c->unit[r] = 1;
        velocity_change(sim, c->unit, sim->s->u);
        c->unit[r] = 0;
        jn_kinematics(m, sim->w, sim->s);
        for (int b = 0; b < m->body_count; b++) {
            jn_body_motion motion;
            jn_body_motion_get(m, sim->w, b, &motion);
            const double six[6] = {motion.velocity.x,         motion.velocity.y,         motion.velocity.z,
                                   motion.angular_velocity.x, motion.angular_velocity.y, motion.angular_velocity.z};
            for (int k = 0; k < 6; k++) c->response[(6 * b + k) * D + r] = six[k];
        }
    }
    memcpy(sim->s->u, c->kept, (size_t)m->nv * sizeof *c->kept);
    jn_kinematics(m, sim->w, sim->s);
    return c->response;
}
