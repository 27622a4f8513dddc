/* The types of shapes, and shapes added by a program. */
#include <jounce/description.h>

#include "algebra/vec3.h"
#include "base/store.h"

#include <string.h>

static const jn_shape_info shape_info[JN_SHAPE_TYPES] = {
    [JN_SHAPE_SPHERE] = {"sphere", false, true, true, "ball of a radius"},
    [JN_SHAPE_BOX] = {"box", false, true, true, "edge lengths in size; in a plane with two lengths a rectangle"},
    [JN_SHAPE_CYLINDER] = {"cylinder", false, true, true, "radius and length along z"},
    [JN_SHAPE_CAPSULE] = {"capsule", false, true, true, "cylinder with half spheres at its ends"},
    [JN_SHAPE_CONE] = {"cone", false, true, true, "radius of the base and height along z"},
    [JN_SHAPE_ELLIPSOID] = {"ellipsoid", false, true, true, "semi-axes in size"},
    [JN_SHAPE_SUPERELLIPSOID] = {"superellipsoid", false, true, true, "semi-axes in size, exponents e1 and e2"},
    [JN_SHAPE_TORUS] = {"torus", false, false, true, "circle of a radius in xy, thickened by tube"},
    [JN_SHAPE_HULL] = {"hull", false, true, true, "convex hull of points or of a file's points"},
    [JN_SHAPE_PLANE] = {"plane", false, true, false, "half space below a plane; in a plane a half_plane"},
    [JN_SHAPE_MESH] = {"mesh", false, false, true, "triangles from a file"},
    [JN_SHAPE_HEIGHTFIELD] = {"heightfield", false, false, false, "heights over a grid, solid below"},
    [JN_SHAPE_SURFACE] = {"surface", false, false, false, "smooth patch s(u, v)"},
    [JN_SHAPE_BORE] = {"bore", false, false, false, "hollow cylinder along z, touched from inside"},
    [JN_SHAPE_SOCKET] = {"socket", false, false, false, "hollow sphere, touched from inside"},
    [JN_SHAPE_CIRCLE] = {"circle", true, true, true, "disc of a radius"},
    [JN_SHAPE_RECTANGLE] = {"rectangle", true, true, true, "edge lengths in size"},
    [JN_SHAPE_POLYGON] = {"polygon", true, true, true, "convex, by its corners"},
    [JN_SHAPE_SEGMENT] = {"segment", true, true, false, "line between two points, touched from both sides"},
    [JN_SHAPE_HALF_PLANE] = {"half_plane", true, true, false, "everything below a line"},
    [JN_SHAPE_ARC] = {"arc", true, false, false, "hollow circle or part of it, touched from inside"},
};

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
    for (int i = 0; i < d->body_count; i++) {
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
