/* Hulls in the place of points: as shapes ask for them, and many at a time before they do. */
#include "base/memory.h"
#include "description/mesh/hull.h"
#include "description/mesh/mesh_memo.h"
#include "description/read/shape_reader.h"
#include <string.h>

/* Corners and triangles of the hull; false: out of memory. */
static bool take_hull(jn_reader *r, const jn_hull *hull, jn_shape_desc *s) {
    s->points = jn_store_array(r->store, (size_t)hull->corner_count, sizeof *s->points);
    s->triangles = jn_store_array(r->store, 2 * (size_t)hull->corner_count, sizeof *s->triangles);
    if (!s->points || !s->triangles) return false;
    memcpy(s->points, hull->corner, (size_t)hull->corner_count * sizeof *s->points);
    s->point_count = hull->corner_count;
    s->triangle_count = jn_hull_triangles(hull, s->triangles);
    return true;
}

/* The hull of the points in the place of the shape's corners. */
static bool make_hull(jn_reader *r, jn_where where, const char *name, double simplify, jn_shape_desc *s) {
    char reason[JN_HULL_REASON];
    jn_hull hull;
    int status = jn_hull_build_simple(s->points, s->point_count, simplify, &hull, reason);
    if (status == JN_ERR_MEMORY) return jn_read_no_memory(r);
    if (status) return jn_read_error(r, where, status, "the hull of '%.100s' cannot be made: %s", name, reason);
    bool fine = take_hull(r, &hull, s);
    jn_hull_free(&hull);
    return fine || jn_read_no_memory(r);
}

bool jn_shape_make_hull(jn_reader *r, jn_where where, const char *name, double simplify, jn_shape_desc *s) {
    const jn_vec3 *points = s->points;
    if (jn_mesh_memo_hull(r->meshes, points, simplify, s)) return true;
    if (!make_hull(r, where, name, simplify, s)) return false;
    jn_mesh_memo_keep_hull(r->meshes, points, simplify, s);
    return true;
}

/* Whether a hull of these points is there, or ordered. */
static bool is_known(const jn_reader *r, const jn_vec3 *points, double simplify, const jn_hull_order *order,
                     int count) {
    jn_shape_desc other;
    for (int i = 0; i < count; i++)
        if (order[i].point == points) return true;
    return jn_mesh_memo_hull(r->meshes, points, simplify, &other);
}

void jn_meshes_make_hulls(jn_reader *r, const jn_shape_desc *mesh, int count, double simplify) {
    jn_hull_order *order = jn_store_array(r->scratch, (size_t)count, sizeof *order);
    int hulls = 0;
    for (int i = 0; order && i < count; i++)
        if (!is_known(r, mesh[i].points, simplify, order, hulls))
            order[hulls++] = (jn_hull_order){.point = mesh[i].points, .count = mesh[i].point_count, .part = simplify};
    jn_hull_build_many(order, hulls, 0);
    for (int i = 0; i < hulls; i++) {
        jn_shape_desc own = {0};
        if (!order[i].status && take_hull(r, &order[i].hull, &own))
            jn_mesh_memo_keep_hull(r->meshes, order[i].point, simplify, &own);
        jn_hull_free(&order[i].hull);
    }
}
