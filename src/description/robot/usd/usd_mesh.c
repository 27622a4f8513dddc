/* Meshes of a USD stage as colliders: by their hull, their triangles, a ball or a box. */
#include "algebra/elementary.h"
#include "description/mesh/hull.h"
#include "description/mesh/mesh_mass.h"
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

enum { MOST_CORNERS = 100000000 };

typedef struct mesh {
    jn_vec3 *points; /* (point_count) in the body's frame */
    int (*triangles)[3];
    int point_count, triangle_count;
} mesh;

/* A list of numbers of a width; count 0 without it. */
static bool read_list(jn_usd *u, const jn_usd_node *n, const char *name, int width, const double **out, int *count) {
    const jn_usd_property *p = jn_usd_attribute(&u->stage, n, name);
    *out = NULL, *count = 0;
    if (!p || p->value.count == 0) return true;
    if (p->value.kind != JN_USD_NUMBERS || !p->value.list || p->value.width != width)
        return jn_read_error(u->b->r, p->value.where, JN_ERR_MODEL, "'%s' of <%.200s> is no list of %s\nwrite %s", name,
                             n->path, width == 3 ? "points" : "numbers",
                             width == 3 ? "[(0, 0, 0), (1, 0, 0), ...]" : "[3, 3, ...]");
    *out = p->value.numbers, *count = p->value.count;
    return true;
}

static bool read_points(jn_usd *u, const jn_usd_node *n, mesh *m) {
    const double *x;
    jn_robot_pose back = jn_robot_pose_inverse(jn_usd_body_pose(u, n->body));
    if (!read_list(u, n, "points", 3, &x, &m->point_count)) return false;
    m->points = jn_store_array(u->b->r->scratch, (size_t)m->point_count + 1, sizeof *m->points);
    if (!m->points) return jn_read_no_memory(u->b->r);
    for (int i = 0; i < m->point_count; i++) {
        jn_vec3 p = jn_usd_point(&n->world, v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
        m->points[i] = v3_add(back.p, q4_rotate(back.q, p));
        if (!isfinite(p.x + p.y + p.z))
            return jn_read_error(u->b->r, jn_usd_attribute(&u->stage, n, "points")->value.where, JN_ERR_MODEL,
                                 "point %d of <%.200s> is not finite\nwrite finite numbers", i, n->path);
    }
    return true;
}

/* Polygons as fans of triangles, counter-clockwise from outside. */
static bool read_faces(jn_usd *u, const jn_usd_node *n, mesh *m) {
    const double *counts, *corners;
    int faces, total, at = 0;
    jn_vec3 c0 = m3_column(&n->world.A, 0), c1 = m3_column(&n->world.A, 1), c2 = m3_column(&n->world.A, 2);
    bool left = !strcmp(jn_usd_token(&u->stage, n, "orientation", "rightHanded"), "leftHanded"),
         flip = left != (v3_dot(c0, v3_cross(c1, c2)) < 0);
    if (!read_list(u, n, "faceVertexCounts", 1, &counts, &faces) ||
        !read_list(u, n, "faceVertexIndices", 1, &corners, &total))
        return false;
    if (total > MOST_CORNERS)
        return jn_read_error(u->b->r, n->where, JN_ERR_LIMIT, "<%.200s> has more than %d corners of faces", n->path,
                             MOST_CORNERS);
    m->triangles = jn_store_array(u->b->r->scratch, (size_t)total + 1, sizeof *m->triangles);
    if (!m->triangles) return jn_read_no_memory(u->b->r);
    for (int i = 0; i < total; i++)
        if (!(corners[i] >= 0 && corners[i] < m->point_count))
            return jn_read_error(u->b->r, jn_usd_attribute(&u->stage, n, "faceVertexIndices")->value.where,
                                 JN_ERR_MODEL, "faceVertexIndices of <%.200s> name point %g, of %d\nwrite 0 to %d",
                                 n->path, corners[i], m->point_count, m->point_count - 1);
    for (int f = 0; f < faces; f++) {
        if (!(counts[f] >= 0 && counts[f] <= total - at))
            return jn_read_error(u->b->r, jn_usd_attribute(&u->stage, n, "faceVertexCounts")->value.where, JN_ERR_MODEL,
                                 "faceVertexCounts of <%.200s> ask for more corners than the %d of "
                                 "faceVertexIndices\nwrite how many each face has",
                                 n->path, total);
        int count = (int)counts[f];
        for (int k = 2; k < count; k++) {
            int *t = m->triangles[m->triangle_count++], a = (int)corners[at + k - 1], b = (int)corners[at + k];
            t[0] = (int)corners[at], t[1] = flip ? b : a, t[2] = flip ? a : b;
        }
        at += count;
    }
    return true;
}

/* Ball and box around all points, in the prim's own axes. */
static bool bound(jn_usd *u, const jn_usd_node *n, bool ball, jn_robot_shape *shape, jn_lump *unit) {
    const double *x;
    int count;
    jn_robot_pose pose, back = jn_robot_pose_inverse(jn_usd_body_pose(u, n->body));
    jn_vec3 scale, low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double far = 0;
    if (!jn_usd_node_pose(u, n, 0, &pose, &scale) || !read_list(u, n, "points", 3, &x, &count)) return false;
    for (int i = 0; i < count; i++) {
        const double *p = &x[3 * i];
        low = v3(jn_fmin(low.x, p[0]), jn_fmin(low.y, p[1]), jn_fmin(low.z, p[2]));
        high = v3(jn_fmax(high.x, p[0]), jn_fmax(high.y, p[1]), jn_fmax(high.z, p[2]));
    }
    jn_vec3 middle = jn_usd_point(&n->world, v3_scale(0.5, v3_add(low, high))), edge = v3_sub(high, low);
    for (int i = 0; i < count; i++)
        far = jn_fmax(far, v3_norm(v3_sub(jn_usd_point(&n->world, v3(x[3 * i], x[3 * i + 1], x[3 * i + 2])), middle)));
    shape->type = ball ? JN_SHAPE_SPHERE : JN_SHAPE_BOX;
    shape->size = ball ? v3(far, 0, 0) : v3(edge.x * scale.x, edge.y * scale.y, edge.z * scale.z);
    shape->at = v3_add(back.p, q4_rotate(back.q, middle)), shape->orientation = q4_mul(back.q, pose.q);
    if (!(shape->size.x > 0) || (!ball && !(shape->size.y > 0 && shape->size.z > 0)))
        return jn_read_error(u->b->r, n->where, JN_ERR_MODEL,
                             "the points of <%.200s> span no volume\nwrite 'physics:approximation = \"none\"'",
                             n->path);
    jn_shape_desc desc = jn_shape_default(shape->type);
    desc.size = shape->size;
    *unit = jn_lump_place(jn_shape_unit(&desc), shape->at, shape->orientation);
    return true;
}

/* Mass at density 1: the volume that the mesh encloses, or that of its hull where it encloses none or the hull stands for it. */
static bool weigh(jn_usd *u, const jn_usd_node *n, const mesh *m, bool hull, jn_lump *unit) {
    jn_shape_desc desc = {.points = m->points,
                          .point_count = m->point_count,
                          .triangles = m->triangles,
                          .triangle_count = m->triangle_count};
    char reason[200] = "";
    int status = hull ? JN_ERR_MODEL : jn_mesh_lump(&desc, JN_MESH_EXACT, unit, reason);
    if (status == JN_ERR_MODEL) status = jn_mesh_lump(&desc, JN_MESH_CONVEX, unit, reason);
    if (status == JN_ERR_MEMORY) return jn_read_no_memory(u->b->r);
    if (status) *unit = (jn_lump){0};
    if (status == JN_ERR_MISSING)
        return jn_read_error(u->b->r, n->where, status, "the hull of <%.200s> cannot be made: %s", n->path, reason);
    if (status && n->body >= 0)
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, jn_robot_text(u->b, "%s: %s", n->path, reason),
                      "meshes without a volume", "they have no mass");
    return true;
}

/* Surfaces without an inside on the ground are touched from above: many files wind theirs the other way, with two sides. */
static bool face_up(jn_usd *u, const jn_usd_node *n, mesh *m) {
    jn_vec3 sum = {0, 0, 0};
    int open = jn_triangles_open_edges(m->triangles, m->triangle_count);
    if (open < 0) return jn_read_no_memory(u->b->r);
    for (int i = 0; i < m->triangle_count; i++) {
        const int *t = m->triangles[i];
        jn_vec3 a = m->points[t[0]];
        sum = v3_add(sum, v3_cross(v3_sub(m->points[t[1]], a), v3_sub(m->points[t[2]], a)));
    }
    if (open == 0 || v3_dot(sum, u->b->gravity) <= 0) return true;
    jn_robot_find(u->b, JN_FINDING_WARNING, n->where, n->path, "surfaces of the ground that face downwards",
                  "they are turned over, so that they are touched from above");
    for (int i = 0; i < m->triangle_count; i++) {
        int *t = m->triangles[i], keep = t[1];
        t[1] = t[2], t[2] = keep;
    }
    return true;
}

bool jn_usd_read_mesh(jn_usd *u, jn_usd_node *n, jn_robot_shape *shape, jn_lump *unit) {
    const char *how = jn_usd_has(n, "PhysicsMeshCollisionAPI", NULL)
                          ? jn_usd_token(&u->stage, n, "physics:approximation", "none")
                          : "none";
    bool hull = !strcmp(how, "convexHull"), ball = !strcmp(how, "boundingSphere"), box = !strcmp(how, "boundingCube");
    mesh m = {0};
    if (!read_points(u, n, &m) || !read_faces(u, n, &m)) return false;
    if (m.point_count == 0) {
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, n->path, "collision meshes without points",
                      "they touch nothing");
        shape->type = JN_SHAPE_TYPES;
        return true;
    }
    if (ball || box) return bound(u, n, ball, shape, unit);
    if (!weigh(u, n, &m, hull, unit)) return false;
    shape->points = m.points, shape->point_count = m.point_count, shape->type = JN_SHAPE_HULL;
    if (n->body >= 0) {
        if (unit->mass <= 0) shape->type = JN_SHAPE_TYPES;
        if (!hull)
            jn_robot_find(
                u->b, JN_FINDING_WARNING, n->where, jn_robot_text(u->b, "%s (%s)", n->path, how),
                "collision meshes of moving bodies whose approximation is no hull",
                "their convex hulls touch, also where the meshes have hollows; split those into convex parts");
    } else if (!hull || unit->mass <= 0) {
        if (m.triangle_count && !face_up(u, n, &m)) return false;
        shape->type = m.triangle_count ? JN_SHAPE_MESH : JN_SHAPE_TYPES;
        shape->triangles = (const int(*)[3])m.triangles, shape->triangle_count = m.triangle_count;
    }
    return true;
}
