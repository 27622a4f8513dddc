/* Materials of a USD stage: friction, restitution and density of what is bound to colliders. */
#include "algebra/elementary.h"
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

jn_usd_node *jn_usd_bound_material(jn_usd *u, const jn_usd_node *n) {
    static const char *const purposes[] = {"material:binding:physics", "material:binding"};
    for (int k = 0; k < 2; k++)
        for (const jn_usd_node *at = n; at && at->parent; at = at->parent) {
            const char **targets;
            int count = jn_usd_targets(&u->stage, at, purposes[k], &targets);
            jn_usd_node *found = count ? jn_usd_find(&u->stage, targets[0]) : NULL;
            if (count && !found && k == 0)
                jn_robot_find(u->b, JN_FINDING_WARNING, at->where, targets[0],
                              "materials for physics that are not there", "the usual one holds");
            if (found && jn_usd_has(found, "PhysicsMaterialAPI", NULL)) return found;
            if (count) break; /* the nearest binding holds */
        }
    return NULL;
}

/* Friction 0.5 and no restitution, PhysX' own, where nothing is bound. */
static bool read_material(jn_usd *u, const jn_usd_node *n, jn_robot_material *m) {
    double fixed = 0, sliding = 0, restitution = 0;
    *m = (jn_robot_material){.name = "usual",
                             .where = {u->b->file, 1, 1},
                             .friction = 0.5,
                             .slide = 0.5,
                             .dimensions = 3,
                             .combine = "mean"};
    if (!n) return true;
    if (!jn_usd_numbers(&u->stage, n, "physics:staticFriction", 1, &fixed) ||
        !jn_usd_numbers(&u->stage, n, "physics:dynamicFriction", 1, &sliding) ||
        !jn_usd_numbers(&u->stage, n, "physics:restitution", 1, &restitution))
        return false;
    if (fixed < 0 || sliding < 0 || restitution < 0 || restitution > 1)
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, n->path,
                      "materials with a friction below 0 or a restitution outside of 0 to 1",
                      "the nearest value holds");
    if (fixed != sliding)
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, jn_robot_text(u->b, "%s: %g and %g", n->path, fixed, sliding),
                      "materials whose static and dynamic friction differ", "the dynamic one holds");
    m->name = n->name, m->where = n->where;
    m->friction = m->slide = jn_fmin(1e3, jn_fmax(0, sliding)), m->restitution = jn_fmin(1, jn_fmax(0, restitution));
    return true;
}

int jn_usd_material(jn_usd *u, const jn_usd_node *n) {
    jn_usd_node *prim = jn_usd_bound_material(u, n);
    for (int i = 0; i < u->material_count; i++)
        if (u->materials[i] == prim) return i;
    jn_robot_material m;
    if (!read_material(u, prim, &m)) return -1;
    void *wide = jn_store_grow(u->b->r->scratch, u->materials, u->material_count, sizeof *u->materials);
    jn_robot_material *to = wide ? jn_robot_add_material(u->b) : NULL;
    if (!to) {
        jn_read_no_memory(u->b->r);
        return -1;
    }
    *to = m;
    u->materials = wide, u->materials[u->material_count] = prim;
    return u->material_count++;
}
