/* What of a USD stage may not touch what: joined bodies, filtered pairs, collision groups, articulations that do not touch themselves. Colliders with the same
 * partners share a layer; where all colliders of two bodies are apart, the bodies are. */
#include "description/robot/usd/usd.h"

#include <string.h>

enum { MOST_COLLIDERS = 8000, MOST_LAYERS = 31 };

typedef struct filter {
    jn_usd *u;
    int count;          /* colliders that touch */
    jn_usd_node **node; /* (count) */
    bool *banned;       /* (count x count) */
    bool any;
    jn_usd_node **groups; /* (group_count) */
    int group_count;
} filter;

static bool is_below(const jn_usd_node *n, const jn_usd_node *root) {
    while (n && n != root) n = n->parent;
    return n == root;
}

static void ban(filter *f, int a, int b) { f->banned[a * f->count + b] = f->banned[b * f->count + a] = f->any = true; }

/* -------------------------------------------------------------------------------------------------------- pairs */

/* Whether a collider belongs to a prim: below it, or to the body that is. */
static bool belongs(const filter *f, int i, const jn_usd_node *n) {
    int body = f->node[i]->body;
    return is_below(f->node[i], n) || (body >= 0 && is_below(f->u->bodies[body], n));
}

static void filter_pairs(filter *f, jn_usd_node *n) {
    const char **targets;
    int count = jn_usd_targets(&f->u->stage, n, "physics:filteredPairs", &targets);
    for (int t = 0; t < count; t++) {
        const jn_usd_node *other = jn_usd_find(&f->u->stage, targets[t]);
        if (!other)
            jn_robot_find(f->u->b, JN_FINDING_WARNING, n->where, targets[t],
                          "filtered pairs with prims that are not there", "they have no effect");
        for (int a = 0; other && a < f->count; a++)
            for (int b = 0; b < f->count && belongs(f, a, n); b++)
                if (belongs(f, b, other)) ban(f, a, b);
    }
    for (int i = 0; i < n->child_count; i++) filter_pairs(f, n->children[i]);
}

/* ------------------------------------------------------------------------------------------------------- groups */

static bool find_groups(filter *f, jn_usd_node *n) {
    if (jn_usd_is(n, "PhysicsCollisionGroup")) {
        void *wide = jn_store_grow(f->u->b->r->scratch, f->groups, f->group_count, sizeof *f->groups);
        if (!wide) return jn_read_no_memory(f->u->b->r);
        f->groups = wide, f->groups[f->group_count++] = n;
    }
    for (int i = 0; i < n->child_count; i++)
        if (!find_groups(f, n->children[i])) return false;
    return true;
}

static bool lists(filter *f, const jn_usd_node *group, const char *name, const jn_usd_node *n) {
    const char **targets;
    int count = jn_usd_targets(&f->u->stage, group, name, &targets);
    for (int t = 0; t < count; t++) {
        const jn_usd_node *root = jn_usd_find(&f->u->stage, targets[t]);
        if (root && is_below(n, root)) return true;
    }
    return false;
}

static bool is_member(filter *f, const jn_usd_node *group, const jn_usd_node *n) {
    return lists(f, group, "collection:colliders:includes", n) && !lists(f, group, "collection:colliders:excludes", n);
}

/* One group, or those of one mergeGroup. */
static bool same_group(filter *f, const jn_usd_node *a, const jn_usd_node *b) {
    const char *x = jn_usd_token(&f->u->stage, a, "physics:mergeGroup", ""),
               *y = jn_usd_token(&f->u->stage, b, "physics:mergeGroup", "");
    return a == b || (*x && !strcmp(x, y));
}

/* Whether a group, or one merged with it, names another. */
static bool names_group(filter *f, const jn_usd_node *group, const jn_usd_node *other) {
    for (int g = 0; g < f->group_count; g++) {
        const char **targets;
        if (!same_group(f, group, f->groups[g])) continue;
        int count = jn_usd_targets(&f->u->stage, f->groups[g], "physics:filteredGroups", &targets);
        for (int t = 0; t < count; t++) {
            const jn_usd_node *named = jn_usd_find(&f->u->stage, targets[t]);
            if (named && same_group(f, named, other)) return true;
        }
    }
    return false;
}

static bool filter_groups(filter *f) {
    bool *member = jn_store_array(f->u->b->r->scratch, (size_t)f->count * (size_t)f->group_count + 1, sizeof *member);
    if (!member) return jn_read_no_memory(f->u->b->r);
    for (int g = 0; g < f->group_count; g++)
        for (int i = 0; i < f->count; i++) member[g * f->count + i] = is_member(f, f->groups[g], f->node[i]);
    for (int g = 0; g < f->group_count; g++) {
        bool inverted = false;
        if (!jn_usd_flag(&f->u->stage, f->groups[g], "physics:invertFilteredGroups", &inverted)) return false;
        for (int b = 0; b < f->count; b++) {
            bool named = false;
            for (int h = 0; h < f->group_count; h++)
                named |= member[h * f->count + b] && names_group(f, f->groups[g], f->groups[h]);
            for (int a = 0; named != inverted && a < f->count; a++)
                if (member[g * f->count + a]) ban(f, a, b);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- articulations */

/* The body at the foot of the tree that a body hangs in. */
static int foot(const jn_robot *b, int body) {
    while (body >= 0 && b->bodies[body].parent >= 0) body = b->bodies[body].parent;
    return body;
}

/* Bodies of an articulation that does not touch itself, as PhysX and Newton write it. */
static void filter_articulations(filter *f, jn_usd_node *n) {
    jn_usd *u = f->u;
    bool touches = true;
    if (jn_usd_has(n, "PhysicsArticulationRootAPI", NULL) &&
        jn_usd_flag(&u->stage, n, "physxArticulation:enabledSelfCollisions", &touches) &&
        jn_usd_flag(&u->stage, n, "newton:selfCollisionEnabled", &touches) && !touches) {
        for (int k = 0; k < u->body_count; k++) {
            bool inside = is_below(u->bodies[k], n);
            for (int j = 0; j < u->joint_count; j++)
                inside |= u->joints[j].node == n && (u->joints[j].body[0] == k || u->joints[j].body[1] == k);
            for (int a = 0; inside && a < f->count; a++)
                for (int b = 0; b < a; b++)
                    if (f->node[a]->body >= 0 && f->node[b]->body >= 0 &&
                        foot(u->b, f->node[a]->body) == foot(u->b, k) && foot(u->b, f->node[b]->body) == foot(u->b, k))
                        ban(f, a, b);
        }
    }
    for (int i = 0; i < n->child_count; i++) filter_articulations(f, n->children[i]);
}

/* ------------------------------------------------------------------------------------------------------ the robot */

static bool is_direct(const jn_robot *b, int x, int y) {
    for (int i = 0; i < b->pair_count; i++) /* told before */
        if ((b->pairs[i].body[0] == x && b->pairs[i].body[1] == y) ||
            (b->pairs[i].body[0] == y && b->pairs[i].body[1] == x))
            return true;
    for (int i = 0; i < b->joint_count; i++)
        if ((b->joints[i].body[0] == x && b->joints[i].body[1] == y) ||
            (b->joints[i].body[0] == y && b->joints[i].body[1] == x))
            return true;
    return false;
}

/* Joined bodies: the engine keeps those apart that one joint joins; chains and cables are told here. */
static bool filter_joints(jn_usd *u) {
    for (int k = 0; k < u->joint_count; k++) {
        const jn_usd_joint *j = &u->joints[k];
        bool touches = false;
        int material = -1;
        if (j->body[0] < 0 || j->body[1] < 0) continue;
        if (!jn_usd_flag(&u->stage, j->node, "physics:collisionEnabled", &touches)) return false;
        for (int i = 0; touches && i < u->b->shape_count; i++)
            if (u->b->shapes[i].body == j->body[0]) material = u->b->shapes[i].material;
        if (touches ? material < 0 : is_direct(u->b, j->body[0], j->body[1])) continue;
        jn_robot_pair *p = jn_robot_add_pair(u->b, j->body[0], j->body[1], j->node->where);
        if (!p) return false;
        p->material = material;
    }
    return true;
}

/* Colliders of a body stand one behind the other. */
static bool bodies_apart(const filter *f, int a, int b) {
    int x = f->node[a]->body, y = f->node[b]->body;
    for (int c = a; c < f->count && f->node[c]->body == x; c++)
        for (int d = b; d < f->count && f->node[d]->body == y; d++)
            if (!f->banned[c * f->count + d]) return false;
    return true;
}

static void take_back(const filter *f, int a, int b) {
    int x = f->node[a]->body, y = f->node[b]->body;
    for (int c = a; c < f->count && f->node[c]->body == x; c++)
        for (int d = b; d < f->count && f->node[d]->body == y; d++)
            f->banned[c * f->count + d] = f->banned[d * f->count + c] = false;
}

/* Pairs of bodies take over what they can. */
static bool lift_to_bodies(filter *f) {
    f->any = false;
    for (int a = 0; a < f->count; a++)
        for (int b = 0; b < a; b++) {
            int x = f->node[a]->body, y = f->node[b]->body;
            bool first = (a == 0 || f->node[a - 1]->body != x) && (b == 0 || f->node[b - 1]->body != y);
            if (x != y && first && bodies_apart(f, a, b)) {
                if (!jn_robot_add_pair(f->u->b, x, y, f->node[a]->where)) return false;
                take_back(f, a, b);
            }
            f->any = f->any || (x != y && f->banned[a * f->count + b]);
        }
    return true;
}

/* Colliders with the same partners share a layer. */
static bool share_layers(filter *f) {
    int *layer = jn_store_array(f->u->b->r->scratch, (size_t)f->count + 1, sizeof *layer), layers = 0;
    if (!layer) return jn_read_no_memory(f->u->b->r);
    for (int a = 0; a < f->count; a++) {
        layer[a] = -1;
        for (int b = 0; b < a && layer[a] < 0; b++)
            if (!memcmp(&f->banned[a * f->count], &f->banned[b * f->count], (size_t)f->count * sizeof *f->banned))
                layer[a] = layer[b];
        if (layer[a] < 0) layer[a] = layers++;
    }
    if (layers > MOST_LAYERS) {
        jn_robot_find(f->u->b, JN_FINDING_PHYSICS, f->node[0]->where,
                      jn_robot_text(f->u->b, "%d kinds of colliders", layers),
                      "more filters of single colliders than there are layers", "they have no effect");
        return true;
    }
    for (int a = 0; a < f->count; a++) {
        int64_t touches = 0;
        for (int b = 0; b < f->count; b++)
            if (!f->banned[a * f->count + b]) touches |= (int64_t)1 << layer[b];
        for (int i = f->node[a]->shape; i < f->node[a]->shape_end; i++)
            f->u->b->shapes[i].layer = (int64_t)1 << layer[a], f->u->b->shapes[i].touches = touches;
    }
    return true;
}

/* Those that touch, by their bodies, the ground first. */
static bool sort_colliders(filter *f) {
    jn_usd *u = f->u;
    int *next = jn_store_array(u->b->r->scratch, (size_t)u->body_count + 3, sizeof *next);
    if (!next) return jn_read_no_memory(u->b->r);
    for (int i = 0; i < u->collider_count; i++)
        if (u->colliders[i].node->shape >= 0) next[u->colliders[i].body + 2]++, f->count++;
    for (int k = 1; k < u->body_count + 3; k++) next[k] += next[k - 1];
    for (int i = 0; i < u->collider_count; i++)
        if (u->colliders[i].node->shape >= 0) f->node[next[u->colliders[i].body + 1]++] = u->colliders[i].node;
    return true;
}

bool jn_usd_filters(jn_usd *u) {
    filter f = {.u = u};
    if (!filter_joints(u)) return false;
    f.node = jn_store_array(u->b->r->scratch, (size_t)u->collider_count + 1, sizeof *f.node);
    if (!f.node) return jn_read_no_memory(u->b->r);
    if (!sort_colliders(&f)) return false;
    if (f.count > MOST_COLLIDERS) {
        jn_robot_find(u->b, JN_FINDING_WARNING, (jn_where){u->b->file, 1, 1},
                      jn_robot_text(u->b, "%d colliders", f.count), "filters of very many colliders",
                      "they are not looked for");
        return true;
    }
    f.banned = jn_store_array(u->b->r->scratch, (size_t)f.count * (size_t)f.count + 1, sizeof *f.banned);
    if (!f.banned) return jn_read_no_memory(u->b->r);
    filter_pairs(&f, u->stage.root);
    filter_articulations(&f, u->stage.root);
    if (!find_groups(&f, u->stage.root) || !filter_groups(&f)) return false;
    if (!f.any) return true;
    if (!lift_to_bodies(&f)) return false;
    return !f.any || share_layers(&f);
}
