/* The types of shapes, and shapes added by a program. */
#include <jounce/description.h>

#include "algebra/vec3.h"
#include "base/store.h"
#include "description/shape_info.h"

#include <string.h>

#define INFO(value, name, kind, must, may, summary)                                                                    \
    [JN_SHAPE_##                                                                                                       \
        value] = {name,    ((kind)&JN_FORM_PLANAR) != 0, ((kind)&JN_FORM_CONVEX) != 0, ((kind)&JN_FORM_CLOSED) != 0,   \
                  summary, ((kind)&JN_FORM_DRAWN) != 0},
static const jn_shape_info shape_info[JN_SHAPE_TYPES] = {JN_SHAPES(INFO)};

const jn_shape_info *jn_shape_type_info(jn_shape_type type) {
    return (int)type >= 0 && type < JN_SHAPE_TYPES ? &shape_info[type] : NULL;
}

jn_shape_desc jn_shape_default(jn_shape_type type) {
    return (jn_shape_desc){
        .where = {"", 0, 0}, .type = type, .layer = 1, .touches = UINT32_MAX, .e1 = 1, .e2 = 1, .orientation = {1, 0, 0, 0}, .range = {{0, 0}, {0, 0}}};
}

/* A copy in the description's store; NULL for nothing or if there is no memory. */
static void *copied(jn_description *d, const void *from, int count, size_t size, bool *fine) {
    void *to = NULL;
    if (from && count > 0) {
        to = jn_store_array(d->store, (size_t)count, size);
        *fine = *fine && to;
        if (to) {
            memcpy(to, from, (size_t)count * size);
        }
    }
    return to;
}

static const char *copied_text(jn_description *d, const char *text, bool *fine) {
    const char *to = text ? jn_store_strdup(d->store, text) : NULL;
    *fine = *fine && (to || !text);
    return to;
}

int jn_description_add_shape(jn_description *d, int body, const jn_shape_desc *shape) {
    bool fine = true;
    int index;
    void *wide;
    jn_shape_desc s = *shape;

    if (body < 0 || body >= d->body_count || !jn_shape_type_info(shape->type) || !(q4_norm(shape->orientation) > 0)) {
        return JN_ERR_ARGUMENT;
    }
    s.where.file = s.where.file ? s.where.file : "";
    s.name = copied_text(d, s.name, &fine);
    s.contact = copied_text(d, s.contact, &fine);
    s.group = copied_text(d, s.group, &fine);
    s.points = copied(d, s.points, s.point_count, sizeof *s.points, &fine);
    s.triangles = copied(d, s.triangles, s.triangle_count, sizeof *s.triangles, &fine);
    s.heights = copied(d, s.heights, s.grid[0] * s.grid[1], sizeof *s.heights, &fine);
    wide = fine ? jn_store_grow(d->store, d->shapes, d->shape_count, sizeof *d->shapes) : NULL;
    if (!wide) {
        return JN_ERR_MEMORY;
    }
    d->shapes = wide;
    jn_body_desc *b = &d->bodies[body];
    index = b->shape_count ? b->shape_first + b->shape_count : d->shape_count;
    memmove(&d->shapes[index + 1], &d->shapes[index], (size_t)(d->shape_count - index) * sizeof *d->shapes);
    for (int i = 0; i < d->body_count && index < d->shape_count; i++) {
        if (i != body && d->bodies[i].shape_count && d->bodies[i].shape_first >= index) {
            d->bodies[i].shape_first++;
        }
    }
    b->shape_first = b->shape_count ? b->shape_first : index;
    b->shape_count++;
    d->shapes[index] = s;
    d->shape_count++;
    return index;
}
