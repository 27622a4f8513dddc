/* Nodes of the tree of a model file while a robot is written into it: robot_nodes.c and robot_drive_nodes.c. */
#ifndef JN_DESCRIPTION_ROBOT_ROBOT_NODES_H
#define JN_DESCRIPTION_ROBOT_ROBOT_NODES_H

#include "description/robot/robot.h"

#include <math.h>

static inline jn_node *make(jn_robot *b, jn_node_kind kind, jn_where where) {
    jn_node *node = jn_store_alloc(b->r->scratch, sizeof *node);
    if (!node) {
        jn_read_no_memory(b->r);
        b->spare = (jn_node){.kind = JN_NODE_EMPTY}; /* never read: the error has been reported */
        return &b->spare;
    }
    *node = (jn_node){.kind = kind, .where = where, .plain = true, .weight = 1};
    return node;
}

static inline void put(jn_robot *b, jn_node *map, const char *key, jn_node *value) {
    void *wide = jn_store_grow(b->r->scratch, map->entries, map->count, sizeof *map->entries);
    if (!wide) {
        jn_read_no_memory(b->r);
        return;
    }
    map->entries = wide;
    map->entries[map->count++] = (jn_entry){key, value->where, value};
}

static inline void append(jn_robot *b, jn_node *list, jn_node *value) {
    void *wide = jn_store_grow(b->r->scratch, list->items, list->count, sizeof *list->items);
    if (!wide) {
        jn_read_no_memory(b->r);
        return;
    }
    list->items = wide;
    list->items[list->count++] = value;
}

static inline jn_node *word(jn_robot *b, jn_where where, const char *text) {
    jn_node *node = make(b, JN_NODE_SCALAR, where);
    node->text = text;
    return node;
}

static inline jn_node *number(jn_robot *b, jn_where where, double x) {
    return word(b, where, jn_robot_text(b, "%.15g", fabs(x) < 1e-15 ? 0 : x));
}

static inline jn_node *numbers(jn_robot *b, jn_where where, int count, const double *x) {
    jn_node *list = make(b, JN_NODE_LIST, where);
    for (int i = 0; i < count; i++) append(b, list, number(b, where, x[i]));
    return list;
}

static inline jn_node *vector(jn_robot *b, jn_where where, jn_vec3 v) {
    return numbers(b, where, 3, (double[]){v.x, v.y, v.z});
}

static inline bool is_zero(jn_vec3 v) { return v3_norm(v) < 1e-15; }
static inline bool is_turned(jn_quat q) { return fabs(q.x) + fabs(q.y) + fabs(q.z) > 1e-15; }

static inline void put_number(jn_robot *b, jn_node *map, jn_where where, const char *key, double x) {
    if (x != 0) put(b, map, key, number(b, where, x));
}

static inline void put_place(jn_robot *b, jn_node *map, jn_where where, jn_vec3 at, jn_quat q) {
    if (!is_zero(at)) put(b, map, "at", vector(b, where, at));
    if (is_turned(q)) put(b, map, "orientation", numbers(b, where, 4, (double[]){q.w, q.x, q.y, q.z}));
}

static inline const char *body_name(const jn_robot *b, int i) { return i < 0 ? "ground" : b->bodies[i].name; }

/* The sections tendons, actuators and sensors: maps from their names. */
jn_node *jn_robot_tendons_node(jn_robot *b, jn_where where);
jn_node *jn_robot_actuators_node(jn_robot *b, jn_where where);
jn_node *jn_robot_sensors_node(jn_robot *b, jn_where where);

/* robot.c: what acts beyond a linear spring and damper, as a function of x and v; NULL: nothing. */
const char *jn_robot_polynomial(jn_robot *b, double rest, double slack, const double stiffness[2], const double damping[2]);

#endif
