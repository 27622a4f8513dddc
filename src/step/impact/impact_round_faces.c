/* Eight points stand for a circle that lies flat on a plane. Its rim carries more than their polygon does: between two of them the centre of pressure would
 * leave the polygon 8 % too early, the body would tip on its edge, fall back on the rim, and so on. Where forces no longer hold, the points are turned so that
 * one of them lies where the centre of pressure is. */
#include "algebra/elementary.h"
#include "proximity/detection.h"
#include "step/impact/impact_method.h"

/* The round solid of a contact between a plane and one that may stand on a circle; -1: none. */
static int round_solid(const jn_model *m, const jn_contact_point *h) {
    jn_shape_type a = m->solids[h->a].type, b = m->solids[h->b].type;
    if (a == JN_SHAPE_PLANE && (b == JN_SHAPE_CYLINDER || b == JN_SHAPE_CONE)) return h->b;
    if (b == JN_SHAPE_PLANE && (a == JN_SHAPE_CYLINDER || a == JN_SHAPE_CONE)) return h->a;
    return -1;
}

/* Centre of pressure of the contacts from `first` to before `end` in the axes of a solid, x and y in parts of the distance of the contacts from its axis. False:
 * there is none. */
static bool find_pressure(const jn_sim *sim, int first, int end, int solid, double out[2]) {
    const jn_solid *s = &sim->m->solids[solid];
    const jn_link_motion *L = &sim->w->link[s->link];
    jn_pose link = {L->O, L->R}, X = pose_mul(&link, &s->local);
    double sum = 0, radius = 0;
    out[0] = out[1] = 0;
    for (int i = first; i < end; i++) {
        jn_vec3 r = pose_local(&X, sim->nonsmooth->set.point[i].geometry.pA);
        double f = sim->impact->system.f[i * sim->impact->d];
        sum += f, out[0] += f * r.x, out[1] += f * r.y;
        radius = jn_max(radius, jn_hypot_safe(r.x, r.y));
    }
    if (!(sum * radius > 0)) return false;
    out[0] /= sum * radius, out[1] /= sum * radius;
    return true;
}

/* Where the points of the circle begin now: the first of them. */
static bool turn(jn_sim *sim, int first, int end, int solid) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[first];
    const jn_solid_pair *pair = jn_detection_find(sim->contacts->detection, h->a, h->b);
    double c[2];
    if (!pair || !find_pressure(sim, first, end, solid, c)) return false;
    double size = jn_hypot_safe(c[0], c[1]);
    if (!(size > JN_EVENT_ROUND_EDGE)) return false;
    for (int k = 0; k < 2; k++) c[k] /= size;
    const double *u = pair->cache.u, cosine = u[0] * c[0] + u[1] * c[1], sine = u[0] * c[1] - u[1] * c[0];
    if (cosine > 0 && fabs(sine) < JN_EVENT_ROUND_SAME) return false;
    jn_detection_turn_circle(sim->contacts->detection, pair, c);
    return true;
}

bool jn_impact_turn_round_faces(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool any = false;
    for (int i = 0, end; i < set->count; i = end) {
        for (end = i + 1;
             end < set->count && set->point[end].a == set->point[i].a && set->point[end].b == set->point[i].b;)
            end++;
        int solid = end - i > 2 ? round_solid(sim->m, &set->point[i]) : -1;
        any |= solid >= 0 && turn(sim, i, end, solid);
    }
    if (!any) return false;
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    return true;
}
