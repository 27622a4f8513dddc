/* The tree of a USD stage's bodies: from the ground and from the roots of articulations, joint by joint; joints that are left close loops. */
#include "description/robot/usd/usd.h"

#include <string.h>

/* Hangs all that joints lead to from a body, the near ones first. */
static bool grow(jn_usd *u, int root, int *queue) {
    int count = 0;
    queue[count++] = root;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < u->joint_count; k++) {
            jn_usd_joint *j = &u->joints[k];
            if (j->used || j->excluded || j->is_distance) continue;
            int side = j->body[0] == queue[i] ? 0 : j->body[1] == queue[i] ? 1 : -1;
            if (side < 0) continue;
            int child = j->body[!side];
            if (child < 0 || u->b->bodies[child].parent != -2) continue;
            jn_usd_joint *series[JN_USD_AXES];
            int links = jn_usd_list_series(u, j, series);
            if (links > 1 ? !jn_usd_add_series(u, series, links, queue[i], child)
                          : !jn_usd_add_tree_joint(u, j, queue[i], child))
                return false;
            queue[count++] = child;
        }
    return true;
}

static bool hang_root(jn_usd *u, int body, jn_joint_type type) {
    jn_robot *b = u->b;
    const char *name = jn_robot_text(b, "%.50s_%s", b->bodies[body].name, type == JN_JOINT_FIXED ? "ground" : "free");
    b->bodies[body].parent = -1;
    return jn_robot_add_joint(b, name, b->bodies[body].where, type, -1, body) != NULL;
}

static bool is_articulated(const jn_usd_node *n, bool self) {
    for (; n && n->parent; n = self ? NULL : n->parent)
        if (jn_usd_has(n, "PhysicsArticulationRootAPI", NULL)) return true;
    return false;
}

/* The next body that nothing carries: roots of articulations first, then bodies within them, then others. -1: none. */
static int next_root(const jn_usd *u) {
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < u->body_count; i++)
            if (u->b->bodies[i].parent == -2 && (pass == 2 || is_articulated(u->bodies[i], pass == 0))) return i;
    return -1;
}

/* Initial velocities hold for bodies that are free. */
static void look_at_velocities(jn_usd *u) {
    for (int i = 0; i < u->body_count; i++) {
        jn_robot_body *body = &u->b->bodies[i];
        bool free = false;
        for (int k = 0; k < u->b->joint_count; k++)
            free |= u->b->joints[k].body[1] == i && u->b->joints[k].type == JN_JOINT_FREE;
        if (body->moves && !free)
            jn_robot_find(u->b, JN_FINDING_PHYSICS, body->where, u->bodies[i]->path,
                          "velocities of bodies that joints or the ground hold", "they have no effect");
        body->moves = body->moves && free;
    }
}

bool jn_usd_build_tree(jn_usd *u) {
    jn_joint_type base = u->b->options->base == JN_BASE_FIXED ? JN_JOINT_FIXED : JN_JOINT_FREE;
    int *queue = jn_store_array(u->b->r->scratch, (size_t)u->body_count + 1, sizeof *queue), root;
    if (!queue) return jn_read_no_memory(u->b->r);
    for (int i = 0; i < u->body_count; i++) {
        if (!u->kinematic[i]) continue;
        jn_robot_find(u->b, JN_FINDING_NOTE, u->b->bodies[i].where, u->bodies[i]->path, "kinematic bodies",
                      "they stand where they are drawn");
        if (!hang_root(u, i, JN_JOINT_FIXED)) return false;
    }
    if (!grow(u, -1, queue)) return false;
    for (int i = 0; i < u->body_count; i++)
        if (u->kinematic[i] && !grow(u, i, queue)) return false;
    while ((root = next_root(u)) >= 0)
        if (!hang_root(u, root, base) || !grow(u, root, queue)) return false;
    for (int k = 0; k < u->joint_count; k++)
        if (!u->joints[k].used && !jn_usd_add_loop_joint(u, &u->joints[k])) return false;
    look_at_velocities(u);
    return jn_usd_make_drives(u);
}
