/* Sensors of contacts and of stops: what reactions of the last step tell. [MuJoCo, touch, contact, jointlimitfrc] */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"

#include <string.h>

/* Whether a contact is in the zone, or the normal out of the body meets the zone from there. */
static bool counts(const jn_sensor *s, const jn_pose *X, jn_vec3 point, jn_vec3 outward) {
    jn_vec3 p = m3_tmul_v(&X->R, v3_sub(point, X->p)), d = m3_tmul_v(&X->R, outward);
    if (jn_zone_holds(s, p)) return true;
    const jn_pose still = {{0, 0, 0}, m3_identity()};
    bool straight = s->zone == JN_SHAPE_CYLINDER || s->zone == JN_SHAPE_CAPSULE;
    jn_solid zone = {.type = s->zone, .local = still, .size = s->zone_size, .radius = straight || s->zone == JN_SHAPE_SPHERE ? s->zone_size.x : 0};
    return isfinite(jn_solid_ray(&zone, &still, p, d, INFINITY, NULL));
}

static jn_pose place_of(const jn_sim *sim, int point) {
    const jn_side *side = &sim->m->points[point].side;
    const jn_link_motion *L = &sim->w->link[side->link];
    return (jn_pose){v3_add(L->O, m3_mul_v(&L->R, side->p)), m3_mul(&L->R, &side->E)};
}

static double touch(jn_sim *sim, const jn_sensor *s) {
    const jn_model *m = sim->m;
    jn_pose X = place_of(sim, s->point);
    int body = m->links[m->points[s->point].side.link].body, count = jn_sim_contacts(sim, sim->seen, sim->seen_room);
    double sum = 0;
    for (int i = 0; i < count && i < sim->seen_room; i++) {
        const jn_contact_view *c = &sim->seen[i];
        if (c->body[0] != body && c->body[1] != body) continue;
        if (counts(s, &X, c->point, c->body[0] == body ? c->normal : v3_neg(c->normal))) sum += v3_dot(c->force, c->normal);
    }
    return jn_max(0, sum);
}

/* Whether side k of the sensor is the shape `solid` of `body`. */
static bool is_side(const jn_model *m, const jn_sensor *s, int k, int body, int solid) {
    int wanted = k ? s->other : s->body;
    if (wanted < 0) return true;
    if (s->subtree[k]) {
        int link = m->bodies[body].link, root = m->bodies[wanted].link;
        while (link > root) link = m->links[link].parent;
        return link == root;
    }
    return body == wanted && (!s->shape[k] || (m->solids[solid].name && !strcmp(m->solids[solid].name, s->shape[k])));
}

/* 1: the contact is one of the sensor's, -1: seen from its second body, 0: none. Where both ways would do, as it is. */
static int match(const jn_sim *sim, const jn_sensor *s, const jn_pose *X, const jn_contact_view *c) {
    const jn_model *m = sim->m;
    if (s->point >= 0 && !jn_zone_holds(s, m3_tmul_v(&X->R, v3_sub(c->point, X->p)))) return 0;
    if (is_side(m, s, 0, c->body[0], c->solid[0]) && is_side(m, s, 1, c->body[1], c->solid[1])) return 1;
    return is_side(m, s, 0, c->body[1], c->solid[1]) && is_side(m, s, 1, c->body[0], c->solid[0]) ? -1 : 0;
}

/* The contact as its second body has it: the same force from the other side. */
static void turn_round(jn_contact_view *c) {
    int body = c->body[0], solid = c->solid[0];
    c->body[0] = c->body[1], c->body[1] = body, c->solid[0] = c->solid[1], c->solid[1] = solid;
    c->normal = v3_neg(c->normal), c->force = v3_neg(c->force), c->torque = v3_neg(c->torque);
}

/* Least first: by gap, or by force from the largest on. Contacts that are equal in that stay in their order. */
static void sort_contacts(jn_contact_view *c, int count, jn_contact_reduce by) {
    for (int i = 1; i < count; i++) {
        jn_contact_view own = c[i];
        int k = i;
        for (; k > 0; k--) {
            bool before = by == JN_REDUCE_GAP ? own.gap < c[k - 1].gap
                                              : v3_dot(own.force, own.force) > v3_dot(c[k - 1].force, c[k - 1].force);
            if (!before) break;
            c[k] = c[k - 1];
        }
        c[k] = own;
    }
}

/* One contact in place of all, in world axes: at their centre by the sizes of their forces, with the same force and torque. */
static jn_contact_view sum_contacts(const jn_contact_view *c, int count) {
    jn_contact_view sum = {.normal = {1, 0, 0}};
    double weight = 0;
    for (int i = 0; i < count; i++) {
        double size = v3_norm(c[i].force);
        sum.point = v3_axpy(size, c[i].point, sum.point), weight += size;
        sum.force = v3_add(sum.force, c[i].force);
    }
    if (weight > 0) sum.point = v3_scale(1 / weight, sum.point);
    for (int i = 0; i < count; i++)
        sum.torque = v3_add(sum.torque, v3_add(c[i].torque, v3_cross(v3_sub(c[i].point, sum.point), c[i].force)));
    return sum;
}

static double *put(double *out, jn_vec3 v) {
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
    return out + 3;
}

static double *put_contact(double *out, unsigned data, const jn_contact_view *c, int found) {
    jn_vec3 n = c->normal, y = fabs(n.y) < 0.5 ? v3(0, 1, 0) : v3(0, 0, 1);
    jn_vec3 t = v3_unit(v3_axpy(-v3_dot(y, n), n, y)), b = v3_cross(n, t);
    if (data & JN_CONTACT_FOUND) *out++ = found;
    if (data & JN_CONTACT_FORCE) out = put(out, v3(v3_dot(c->force, n), v3_dot(c->force, t), v3_dot(c->force, b)));
    if (data & JN_CONTACT_TORQUE) out = put(out, v3(v3_dot(c->torque, n), v3_dot(c->torque, t), v3_dot(c->torque, b)));
    if (data & JN_CONTACT_GAP) *out++ = c->gap;
    if (data & JN_CONTACT_PLACE) out = put(out, c->point);
    if (data & JN_CONTACT_NORMAL) out = put(out, n);
    return data & JN_CONTACT_TANGENT ? put(out, t) : out;
}

/* [MuJoCo, sensor contact]: matching, reduction, extraction. O(contacts), O(contacts^2) where they are sorted. */
static void read_contacts(jn_sim *sim, const jn_sensor *s, double *out) {
    int count = jn_sim_contacts(sim, sim->seen, sim->seen_room), found = 0;
    jn_pose X = s->point < 0 ? (jn_pose){{0, 0, 0}, m3_identity()} : place_of(sim, s->point);
    for (int i = 0; i < count && i < sim->seen_room; i++) {
        int way = match(sim, s, &X, &sim->seen[i]);
        if (!way) continue;
        sim->seen[found] = sim->seen[i];
        if (way < 0) turn_round(&sim->seen[found]);
        found++;
    }
    if (found && s->reduce == JN_REDUCE_SUM) {
        jn_contact_view all = sum_contacts(sim->seen, found);
        put_contact(out, s->data, &all, found);
        return;
    }
    if (s->reduce != JN_REDUCE_NONE) sort_contacts(sim->seen, found, s->reduce);
    for (int i = 0; i < found && i < s->slots; i++) out = put_contact(out, s->data, &sim->seen[i], found);
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
    if (s->type == JN_SENSOR_CONTACT) read_contacts(sim, s, out);
    if (s->type == JN_SENSOR_JOINT_LIMIT_FORCE || s->type == JN_SENSOR_TENDON_LIMIT_FORCE)
        out[0] = jn_sensor_cut_off(s, stop_force(sim, s));
    return count;
}

double jn_sim_ray(jn_sim *sim, jn_vec3 from, jn_vec3 direction, double far, int except, jn_ray_hit *out) {
    jn_kinematics(sim->m, sim->w, sim->s);
    return jn_ray_cast(sim->m, sim->w, from, direction, far, except, out);
}
