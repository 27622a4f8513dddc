/* Bodies that overlap at the start and, by the model's wish, never touch each other; free ones that are drawn in the ground are lifted out of it. */
#include "base/memory.h"
#include "step/sim.h"
#include "step/start/start_tolerances.h"

#include <stdio.h>
#include <string.h>

/* The free link that carries a body, which could fall if nothing held it: then it must touch the ground, however it is drawn. 0: none. */
static int loose_root(const jn_model *m, int body) {
    int link = m->bodies[body].link;
    while (link && m->links[link].parent) link = m->links[link].parent;
    return link && m->links[link].type == (m->planar ? JN_JOINT_PLANAR : JN_JOINT_FREE) ? link : 0;
}

/* The same of the other body of a pair with the ground; 0: it is no such pair. */
static int root_in_ground(const jn_model *m, const jn_solid_pair *pair) {
    int a = m->solids[pair->a].body, b = m->solids[pair->b].body;
    return a == JN_GROUND ? loose_root(m, b) : b == JN_GROUND ? loose_root(m, a) : 0;
}

/* A pair of solids that overlaps, neither of them on the ground unless joints hold the other there; NULL: none. */
static const jn_solid_pair *find_overlap(const jn_sim *sim) {
    const jn_detection *detection = sim->contacts->detection;
    for (int p = 0; p < jn_detection_pairs(detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, p);
        if (root_in_ground(sim->m, pair)) continue;
        for (int k = pair->first; k < pair->first + pair->count; k++)
            if (jn_detection_contact(detection, k)->gap < -JN_DRAWN_OVERLAP) return pair;
    }
    return NULL;
}

static int part(jn_sim *sim, int x, int y) {
    const jn_model *m = sim->m;
    int status = JN_OK;
    for (int a = 0; a < m->solid_count && status >= 0; a++)
        for (int b = a + 1; b < m->solid_count && status >= 0; b++) {
            int p = m->solids[a].body, q = m->solids[b].body;
            if ((p == x && q == y) || (p == y && q == x))
                status = jn_detection_allow(sim->contacts->detection, a, b, false);
        }
    return status;
}

/* [m] how far what each free link carries is to rise from the ground that it lies in; whether any does. What the ground pushes down lies
 * under it, and is no better off higher up. deepest (links): largest depth so far. */
static bool find_depths(const jn_sim *sim, jn_vec3 up, double *deep, double *deepest) {
    const jn_detection *detection = sim->contacts->detection;
    bool any = false;
    memset(deep, 0, (size_t)sim->m->link_count * sizeof *deep);
    for (int p = 0; p < jn_detection_pairs(detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, p);
        int root = root_in_ground(sim->m, pair);
        for (int k = pair->first; root && k < pair->first + pair->count; k++) {
            const jn_contact_geometry *c = jn_detection_contact(detection, k);
            double gap = c->gap, rise = sim->m->solids[pair->a].body == JN_GROUND ? v3_dot(c->n, up) : -v3_dot(c->n, up);
            if (gap < -JN_DRAWN_OVERLAP && rise > -JN_LIFT_DOWN && -gap > deep[root])
                deep[root] = jn_min(-gap, JN_LIFT_STEP), deepest[root] = jn_max(deepest[root], -gap), any = true;
        }
    }
    return any;
}

static void say_lifts(const jn_sim *sim, const double *lift, jn_report *report) {
    const jn_model *m = sim->m;
    for (int i = 1; i < m->link_count; i++) {
        const jn_body *body = &m->bodies[m->links[i].body];
        if (lift[i] > 0)
            jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, body->where, NULL,
                          "'%s' is drawn in the ground, and lifted out of it by %.4g m\ndraw it apart from the ground", body->name, lift[i]);
    }
}

/* Against gravity, by small steps until nothing overlaps: of deep overlaps the depth is not always the shortest way out. What does not end beside a wall
 * is left as drawn. After a collision detection; O(rounds), each another one. */
static int lift(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    size_t size = 3 * (size_t)m->link_count * sizeof(double);
    double g = v3_norm(m->gravity), *deep;
    int status = JN_OK, rounds = 0;
    bool any = false;
    if (!(g > 0) || (m->twin && m->row_count > 0)) return JN_OK; /* bodies with coordinates of their own would rise without those that joints hold */
    if (!(deep = jn_malloc(size))) return JN_ERR_MEMORY;
    double *sum = deep + m->link_count, *deepest = sum + m->link_count;
    jn_vec3 up = v3_scale(-1 / g, m->gravity);
    memset(deep, 0, size);
    jn_state_copy(sim->before, sim->s);
    while (status >= 0 && find_depths(sim, up, deep, deepest)) {
        any = ++rounds <= JN_LIFT_ROUNDS;
        for (int i = 1; i < m->link_count; i++) any = any && !(deep[i] > 0 && sum[i] > JN_LIFT_MOST * deepest[i]);
        if (!any) break;
        for (int i = 1; i < m->link_count; i++) {
            jn_vec3 way = m3_tmul_v(&m->links[i].E, v3_scale(deep[i], up));
            double *q = sim->s->q + m->links[i].q;
            if (!(deep[i] > 0)) continue;
            q[0] += way.x, q[1] += way.y, sum[i] += deep[i];
            if (!m->planar) q[2] += way.z;
        }
        jn_kinematics(m, sim->w, sim->s);
        status = jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    }
    if (status >= 0 && any && m->row_count > 0) status = jn_assemble(m, sim->w, sim->s, NULL); /* what loops tie to the ground comes back */
    if (status >= 0 && any && report) say_lifts(sim, sum, report);
    if (rounds > 0 && (!any || status < 0)) jn_state_copy(sim->s, sim->before);
    jn_free(deep);
    return status < 0 ? status : JN_OK;
}

int jn_overlaps_ignore(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    char list[400] = "";
    int count = 0, status;
    if (!m->ignore_overlaps || m->solid_count == 0) return JN_OK;
    jn_kinematics(m, sim->w, sim->s);
    while ((status = jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin)) >= 0) {
        const jn_solid_pair *pair = find_overlap(sim);
        if (!pair) break;
        int x = m->solids[pair->a].body, y = m->solids[pair->b].body;
        size_t n = strlen(list);
        if (n + strlen(m->bodies[x].name) + strlen(m->bodies[y].name) + 8 < sizeof list)
            snprintf(list + n, sizeof list - n, "%s%s and %s", n ? ", " : "", m->bodies[x].name, m->bodies[y].name);
        count++;
        if ((status = part(sim, x, y)) < 0) return status;
    }
    if (count)
        jn_report_add(
            report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, NULL,
            "%d pair%s of bodies overlap%s at the start and never touch%s: %s\ndraw them apart if they should touch",
            count, count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "es" : "", list);
    return status < 0 ? status : lift(sim, report);
}
