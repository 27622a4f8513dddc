/* Sensors of contacts and of stops: what reactions of the last step tell. [MuJoCo, touch, jointlimitfrc] */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"

/* Whether a contact is in the zone, or the normal out of the body meets the zone from there. */
static bool counts(const jn_sensor *s, const jn_pose *X, jn_vec3 point, jn_vec3 outward) {
    jn_vec3 p = m3_tmul_v(&X->R, v3_sub(point, X->p)), d = m3_tmul_v(&X->R, outward);
    if (jn_zone_holds(s, p)) return true;
    const jn_pose still = {{0, 0, 0}, m3_identity()};
    bool straight = s->zone == JN_SHAPE_CYLINDER || s->zone == JN_SHAPE_CAPSULE;
    jn_solid zone = {.type = s->zone, .local = still, .size = s->zone_size, .radius = straight || s->zone == JN_SHAPE_SPHERE ? s->zone_size.x : 0};
    return isfinite(jn_solid_ray(&zone, &still, p, d, INFINITY, NULL));
}

static double touch(jn_sim *sim, const jn_sensor *s) {
    const jn_model *m = sim->m;
    const jn_side *side = &m->points[s->point].side;
    const jn_link_motion *L = &sim->w->link[side->link];
    jn_pose X = {v3_add(L->O, m3_mul_v(&L->R, side->p)), m3_mul(&L->R, &side->E)};
    int body = m->links[side->link].body, count = jn_sim_contacts(sim, sim->seen, sim->seen_room);
    double sum = 0;
    for (int i = 0; i < count && i < sim->seen_room; i++) {
        const jn_contact_view *c = &sim->seen[i];
        if (c->body[0] != body && c->body[1] != body) continue;
        if (counts(s, &X, c->point, c->body[0] == body ? c->normal : v3_neg(c->normal))) sum += v3_dot(c->force, c->normal);
    }
    return jn_max(0, sum);
}

/* Rigid stops of method nonsmooth: the mean force of the last step; elastic ones: as forces.c has it. */
static double stop_force(const jn_sim *sim, const jn_sensor *s) {
    const jn_model *m = sim->m;
    const jn_contact_set *set = sim->nonsmooth ? &sim->nonsmooth->set : NULL;
    double sum = 0;
    for (int i = 0; set && set->duration > 0 && set->time == sim->s->t && i < set->count; i++)
        if (jn_stop_is(m, &set->point[i]) && m->stops[set->point[i].a - m->solid_count].handle == s->handle)
            sum += set->p[i * set->dimension] / set->duration;
    for (int i = 0; i < m->actuator_count; i++) {
        const jn_coordinate_desc *law = &m->actuators[i].law;
        double x = sim->w->position[s->handle], v = sim->w->speed[s->handle];
        if (m->actuators[i].handle != s->handle || !(law->limit_stiffness > 0)) continue;
        if (law->has_lower && x < law->lower)
            sum += jn_max(0, law->limit_stiffness * (law->lower - x) - law->limit_damping * v);
        if (law->has_upper && x > law->upper)
            sum += jn_max(0, law->limit_stiffness * (x - law->upper) + law->limit_damping * v);
    }
    return sum;
}

int jn_sim_sensor(jn_sim *sim, int sensor, double out[JN_SENSOR_MOST]) {
    const jn_sensor *s = &sim->m->sensors[sensor];
    int count = jn_sensor_see(sim->m, sim->w, sensor, out);
    if (s->type == JN_SENSOR_TOUCH) out[0] = jn_sensor_cut_off(s, touch(sim, s));
    if (s->type == JN_SENSOR_JOINT_LIMIT_FORCE || s->type == JN_SENSOR_TENDON_LIMIT_FORCE)
        out[0] = jn_sensor_cut_off(s, stop_force(sim, s));
    return count;
}

double jn_sim_ray(jn_sim *sim, jn_vec3 from, jn_vec3 direction, double far, int except, jn_ray_hit *out) {
    jn_kinematics(sim->m, sim->w, sim->s);
    return jn_ray_cast(sim->m, sim->w, from, direction, far, except, out);
}
