/* The path of a tendon: points, round bodies that it runs over, pulleys. */
#include "description/read/reader.h"

#include "algebra/vec3.h"
#include "base/suggest.h"

#include <stddef.h>
#include <string.h>

bool jn_read_point_name(jn_reader *r, const jn_node *node, int *out) {
    const char *word = jn_read_plain_word(r, node);
    jn_suggest suggest = jn_suggest_for(word ? word : "");
    if (!word) return jn_expect_kind(r, node, JN_NODE_SCALAR, "the name of a point");
    for (int i = 0; i < r->d->point_count; i++)
        if (!strcmp(r->d->points[i].name, word)) return *out = i, true;
    for (int i = 0; i < r->d->point_count; i++) jn_suggest_offer(&suggest, r->d->points[i].name);
    return jn_read_error(r, node->where, JN_ERR_MODEL,
                         suggest.best ? "there is no point '%.80s'\nwrite '%s'"
                                      : "there is no point '%.80s'%.0s\nadd it to 'points'",
                         word, suggest.best ? suggest.best : "");
}

typedef struct path_item {
    jn_path_desc path; /* first */
    int point, side;   /* -1: none */
    bool has_body, has_at, local, has_sphere, has_cylinder, has_pulley, has_axis;
    double sphere, cylinder;
    jn_vec3 axis;
} path_item;

static bool read_point(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_point_name(r, node, &((path_item *)item)->point);
}

static bool read_side(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_point_name(r, node, &((path_item *)item)->side);
}

static bool read_body(jn_reader *r, const jn_node *node, void *item) {
    path_item *p = item;
    p->has_body = true;
    return jn_read_body_name(r, node, &p->path.body);
}

static bool read_axis(jn_reader *r, const jn_node *node, void *item) {
    path_item *p = item;
    p->has_axis = true;
    return jn_read_direction(r, node, &p->axis);
}

static const jn_field path_rows[] = {
    {.key = "point",
     .kind = JN_FIELD_CUSTOM,
     .read = read_point,
     .schema = JN_SCHEMA_NAME,
     .doc = "a named point that the cable runs through; its name alone will do",
     .example = "point: insertion"},
    {.key = "body",
     .kind = JN_FIELD_CUSTOM,
     .read = read_body,
     .schema = JN_SCHEMA_NAME,
     .doc = "of a place, sphere or cylinder",
     .example = "body: thigh"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(path_item, path.at),
     .has = offsetof(path_item, has_at),
     .doc = "the place, the centre of the sphere, or a place on the cylinder's axis; as drawn, global coordinates",
     .example = "at: [0, 0, 0.4]"},
    {.key = "local",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(path_item, local),
     .fallback = "false",
     .doc = "`at` and `axis` are given in the body's own frame",
     .example = "local: true"},
    {.key = "sphere",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(path_item, sphere),
     .has = offsetof(path_item, has_sphere),
     .range = JN_RANGE_POSITIVE,
     .doc = "radius of a sphere that the cable runs over where it stands in the way",
     .example = "sphere: 3 cm"},
    {.key = "cylinder",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(path_item, cylinder),
     .has = offsetof(path_item, has_cylinder),
     .range = JN_RANGE_POSITIVE,
     .doc = "radius of a cylinder without ends; in a plane: of a circle",
     .example = "cylinder: 2 cm"},
    {.key = "axis",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis,
     .schema = JN_SCHEMA_DIRECTION,
     .fallback = "z",
     .doc = "of the cylinder",
     .example = "axis: y"},
    {.key = "side",
     .kind = JN_FIELD_CUSTOM,
     .read = read_side,
     .schema = JN_SCHEMA_NAME,
     .fallback = "the shorter way round",
     .doc = "a point on whose side the cable passes; if it lies inside the sphere or cylinder, the cable stays inside",
     .example = "side: kneecap"},
    {.key = "pulley",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(path_item, path.divisor),
     .has = offsetof(path_item, has_pulley),
     .range = JN_RANGE_POSITIVE,
     .doc = "ends a branch; lengths and forces of the branch behind count so many times less",
     .example = "pulley: 2"},
    {.key = NULL},
};
const jn_fieldset jn_path_fields = {
    "tendons.NAME.path", "One element of a path: a point, a sphere or cylinder between two points, or a pulley.",
    path_rows};

static bool finish_item(jn_reader *r, const jn_node *node, path_item *p) {
    jn_path_desc *to = &p->path;
    int round = p->has_sphere + p->has_cylinder, place = p->has_body + (p->has_at || round);
    bool plain = p->point >= 0 && !place && !round && !p->has_pulley;
    bool pulley = p->has_pulley && p->point < 0 && !place && !round;
    bool placed = p->has_body && !p->has_pulley && p->point < 0 && round <= 1 && (p->has_at || round);
    if (!plain && !pulley && !placed)
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "this is no element of a path\nwrite the name of a point, {body: thigh, at: [0, 0, 0]}, "
                             "{cylinder: 0.02, body: thigh, at: [0, 0, 0], axis: y} or {pulley: 2}");
    if ((p->side >= 0 && !round) || (p->has_axis && !p->has_cylinder))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "'side' belongs to a sphere or cylinder, and 'axis' to a cylinder\nleave it out");
    to->kind = pulley            ? JN_PATH_PULLEY
               : p->has_sphere   ? JN_PATH_SPHERE
               : p->has_cylinder ? JN_PATH_CYLINDER
                                 : JN_PATH_POINT;
    to->radius = p->has_sphere ? p->sphere : p->cylinder;
    if (plain) to->body = r->d->points[p->point].body, to->at = r->d->points[p->point].at;
    const jn_body_desc *body = &r->d->bodies[to->body];
    if (placed && !p->local) to->at = jn_to_body(body, to->at);
    jn_vec3 axis = p->has_axis ? p->axis : v3(0, 0, 1);
    if (placed && !p->local) axis = q4_rotate(q4_conj(q4_unit(body->orientation)), axis);
    jn_vec3 x = v3_any_normal(axis);
    jn_mat3 E = m3_from_columns(x, v3_cross(axis, x), axis);
    to->orientation = q4_from_matrix(&E);
    to->has_side = p->side >= 0;
    if (to->has_side) to->side_body = r->d->points[p->side].body, to->side = r->d->points[p->side].at;
    return true;
}

bool jn_read_path(jn_reader *r, const jn_node *node, void *tendon) {
    jn_tendon_desc *t = tendon;
    bool fine = jn_expect_kind(r, node, JN_NODE_LIST, "a list of points, spheres, cylinders and pulleys");
    if (!fine) return false;
    t->path = jn_store_alloc(r->store, (size_t)(node->count + 1) * sizeof *t->path);
    if (!t->path) return jn_read_no_memory(r);
    for (int i = 0; i < node->count; i++) {
        const jn_node *one = node->items[i];
        path_item p = {.path = {.where = one->where}, .point = -1, .side = -1};
        size_t mark = jn_path_item(r, i);
        bool good = one->kind == JN_NODE_SCALAR ? jn_read_point_name(r, one, &p.point)
                                                : jn_expect_kind(r, one, JN_NODE_MAP, "an element of a path") &&
                                                      jn_read_fields(r, one, &jn_path_fields, &p);
        good = good && finish_item(r, one, &p);
        t->path[t->path_count++] = p.path;
        fine = fine && good;
        jn_path_back(r, mark);
    }
    return fine;
}
