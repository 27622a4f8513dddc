/* The section points. */
#include "algebra/vec3.h"
#include "description/read/reader.h"

#include <stddef.h>

typedef struct point_item {
    jn_point_desc point; /* first */
    bool local, has_orientation;
} point_item;

static bool read_on(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_body_name(r, node, &((point_item *)item)->point.body);
}

static bool read_orientation(jn_reader *r, const jn_node *node, void *item) {
    point_item *p = item;
    p->has_orientation = true;
    return jn_read_orientation(r, node, &p->point.orientation);
}

static const jn_field point_rows[] = {
    {.key = "body",
     .former = "on", /* which YAML 1.1 takes for true */
     .kind = JN_FIELD_CUSTOM,
     .read = read_on,
     .schema = JN_SCHEMA_NAME,
     .required = true,
     .doc = "its body",
     .example = "body: rod"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(point_item, point.at),
     .required = true,
     .doc = "its place in the drawn configuration, global coordinates",
     .example = "at: [0.3, 0, 0]"},
    {.key = "orientation",
     .kind = JN_FIELD_CUSTOM,
     .read = read_orientation,
     .schema = JN_SCHEMA_ORIENTATION,
     .fallback = "that of the body",
     .doc = "of its axes, for actuators and sensors; global, as drawn",
     .example = "orientation: {axis: z, angle: 90 deg}"},
    {.key = "local",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(point_item, local),
     .fallback = "false",
     .doc = "`at` and `orientation` are given in the body's own frame",
     .example = "local: true"},
    {.key = NULL},
};
const jn_fieldset jn_point_fields = {"points.NAME", "A point whose motion is recorded: channels point.NAME.x, .vx, ...",
                                     point_rows};

bool jn_read_points(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "points, each 'name: {body: rod, at: [...]}'");
    (void)item;

    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        point_item p = {.point = {.name = entry->key, .where = entry->where}};
        size_t mark = jn_path_key(r, entry->key);
        bool good = jn_check_name(r, entry, true, "a point");
        good = jn_read_fields(r, entry->value, &jn_point_fields, &p) && good;
        if (good && !p.local) {
            p.point.at = jn_to_body(&d->bodies[p.point.body], p.point.at);
            if (p.has_orientation)
                p.point.orientation =
                    q4_mul(q4_conj(q4_unit(d->bodies[p.point.body].orientation)), q4_unit(p.point.orientation));
        }
        if (good && jn_description_add_point(d, &p.point) < 0) {
            return jn_read_no_memory(r);
        }
        jn_path_back(r, mark);
    }
    return fine && r->status == JN_OK;
}
