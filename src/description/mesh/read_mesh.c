/* Corners of polygons, hulls and meshes: from files, and what follows from them. */
#include "algebra/elementary.h"
#include "description/mesh/hull.h"
#include "description/mesh/mesh_memo.h"
#include "description/mesh/mesh_reader.h"
#include "description/read/shape_reader.h"

#include "algebra/vec3.h"
#include "base/memory.h"
#include "description/yaml/source.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool jn_mesh_add_point(jn_reader *r, jn_mesh *m, jn_vec3 p) {
    void *wide = jn_store_grow(r->scratch, m->points, m->point_count, sizeof *m->points);
    if (!wide) return jn_read_no_memory(r);
    m->points = wide;
    m->points[m->point_count++] = p;
    return true;
}

bool jn_mesh_add_triangle(jn_reader *r, jn_mesh *m, int a, int b, int c) {
    void *wide = jn_store_grow(r->scratch, m->triangles, m->triangle_count, sizeof *m->triangles);
    if (!wide) return jn_read_no_memory(r);
    m->triangles = wide;
    int *t = m->triangles[m->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
    return true;
}

static const char *next_line(const char *p) {
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

/* Three numbers; false if there are less. */
static bool three_numbers(const char *p, jn_vec3 *out) {
    char *end;
    double a[3];
    for (int k = 0; k < 3; k++) {
        a[k] = strtod(p, &end);
        if (end == p) return false;
        p = end;
    }
    *out = v3(a[0], a[1], a[2]);
    return isfinite(a[0] + a[1] + a[2]);
}

/* A face with four corners falls apart along its shorter diagonal: of the two triangles of a fan the edge is turned. */
static void turn_diagonal(jn_mesh *m) {
    int *one = m->triangles[m->triangle_count - 2], *two = one + 3, a = one[0], b = one[1], c = one[2], d = two[2];
    jn_vec3 ac = v3_sub(m->points[c], m->points[a]), bd = v3_sub(m->points[d], m->points[b]);
    if (v3_dot(ac, ac) < v3_dot(bd, bd)) return;
    one[2] = d, two[0] = b, two[1] = c;
}

/* "f 1 2 3 4" or "f 1/2/3 ...": a fan of triangles; negative numbers count from the end. */
static bool read_face(jn_reader *r, const char *p, jn_where where, jn_mesh *m) {
    int first = -1, last = -1, before = m->triangle_count;
    for (;;) {
        char *end;
        while (*p == ' ' || *p == '\t') p++;
        long i = strtol(p, &end, 10);
        if (end == p) break;
        i = i < 0 ? m->point_count + i : i - 1;
        if (i < 0 || i >= m->point_count) {
            return jn_read_error(r, where, JN_ERR_MODEL, "this face has a corner that is not in the file");
        }
        if (first < 0) {
            first = (int)i;
        } else {
            if (last >= 0 && !jn_mesh_add_triangle(r, m, first, last, (int)i)) return false;
            last = (int)i;
        }
        p = end + strcspn(end, " \t\r\n");
    }
    if (m->triangle_count == before + 2) turn_diagonal(m);
    return true;
}

static bool read_obj(jn_reader *r, const char *text, const char *path, jn_mesh *m) {
    int line = 1;
    bool later = false; /* behind the only object whose faces count */
    for (const char *p = text; *p; p = next_line(p), line++) {
        jn_where where = {path, line, 1};
        jn_vec3 v;
        if (p[0] == 'v' && (p[1] == ' ' || p[1] == '\t')) {
            if (!three_numbers(p + 1, &v)) return jn_read_error(r, where, JN_ERR_MODEL, "a vertex needs three numbers");
            if (!jn_mesh_add_point(r, m, v)) return false;
        } else if ((p[0] == 'o' || p[0] == 'g') && p[1] == ' ' && m->triangle_count) {
            later = r->first_object;
        } else if (p[0] == 'f' && !later && (p[1] == ' ' || p[1] == '\t') && !read_face(r, p + 1, where, m)) {
            return false;
        }
    }
    return true;
}

static bool read_stl_text(jn_reader *r, const char *text, const char *path, jn_mesh *m) {
    int line = 1;
    for (const char *p = text; *p; p = next_line(p), line++) {
        const char *word = p + strspn(p, " \t");
        jn_vec3 v;
        if (strncmp(word, "vertex", 6) != 0) continue;
        if (!three_numbers(word + 6, &v))
            return jn_read_error(r, (jn_where){path, line, 1}, JN_ERR_MODEL, "a vertex needs three numbers");
        if (!jn_mesh_add_point(r, m, v)) return false;
        int n = m->point_count;
        if (n % 3 == 0 && !jn_mesh_add_triangle(r, m, n - 3, n - 2, n - 1)) return false;
    }
    return true;
}

static uint32_t little_int(const unsigned char *b) { return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24; }

static float little_float(const unsigned char *b) {
    uint32_t bits = little_int(b);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static bool read_stl_binary(jn_reader *r, const unsigned char *bytes, jn_where where, uint32_t count, jn_mesh *m) {
    m->points = jn_store_array(r->scratch, 3 * (size_t)count, sizeof *m->points);
    m->triangles = jn_store_array(r->scratch, count, sizeof *m->triangles);
    if (!m->points || !m->triangles) return jn_read_no_memory(r);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *t = bytes + 84 + 50 * (size_t)i + 12;
        for (int k = 0; k < 3; k++, t += 12) {
            jn_vec3 v = v3((double)little_float(t), (double)little_float(t + 4), (double)little_float(t + 8));
            if (!isfinite(v.x + v.y + v.z))
                return jn_read_error(r, where, JN_ERR_MODEL, "a corner of this file is not finite");
            m->triangles[i][k] = m->point_count;
            m->points[m->point_count++] = v;
        }
    }
    m->triangle_count = (int)count;
    return true;
}

/* MuJoCo's own binary form (its XML reference, asset/mesh): numbers of corners, normals, texture coordinates and triangles, then
 * all of them as floats, and the corners of triangles as integers. */
static bool read_msh(jn_reader *r, const unsigned char *bytes, size_t length, jn_where where, jn_mesh *m) {
    enum { HEAD = 16 };
    size_t n[4] = {0}, corners = HEAD;
    for (int k = 0; k < 4 && length >= HEAD; k++) n[k] = little_int(bytes + 4 * k);
    size_t triangles = corners + 12 * (n[0] + n[1]) + 8 * n[2];
    if (length < HEAD || length != triangles + 12 * n[3])
        return jn_read_error(r, where, JN_ERR_MODEL,
                             "this .msh file has %zu bytes where its counts of corners, normals, texture coordinates and triangles ask for %zu",
                             length, triangles + 12 * n[3]);
    for (size_t i = 0; i < n[0]; i++) {
        const unsigned char *p = bytes + corners + 12 * i;
        jn_vec3 v = v3((double)little_float(p), (double)little_float(p + 4), (double)little_float(p + 8));
        if (!isfinite(v.x + v.y + v.z)) return jn_read_error(r, where, JN_ERR_MODEL, "a corner of this file is not finite");
        if (!jn_mesh_add_point(r, m, v)) return false;
    }
    for (size_t i = 0; i < n[3]; i++) {
        const unsigned char *p = bytes + triangles + 12 * i;
        uint32_t a = little_int(p), b = little_int(p + 4), c = little_int(p + 8);
        if (a >= n[0] || b >= n[0] || c >= n[0])
            return jn_read_error(r, where, JN_ERR_MODEL, "triangle %zu of this file has a corner that is not there", i);
        if (!jn_mesh_add_triangle(r, m, (int)a, (int)b, (int)c)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ equal points joined */

/* Cells of a table of points, a power of two; the cell of a point is found by its bits, 0 and -0 alike. */
static size_t cell_of(jn_vec3 p, size_t cells) {
    double x[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
        hash ^= hash >> 32;
    }
    return (size_t)hash & (cells - 1);
}

/* Numbers of the points where each of them counts once, in the order in which they come; the points move there. O(count). */
static int number_points(jn_mesh *m, int *cell, size_t cells, int *to) {
    int kept = 0;
    for (size_t i = 0; i < cells; i++) cell[i] = -1;
    for (int i = 0; i < m->point_count; i++) {
        jn_vec3 p = m->points[i];
        size_t at = cell_of(p, cells);
        for (; cell[at] >= 0; at = (at + 1) & (cells - 1)) {
            jn_vec3 own = m->points[cell[at]];
            if (own.x == p.x && own.y == p.y && own.z == p.z) break;
        }
        if (cell[at] < 0) m->points[kept] = p, cell[at] = kept++;
        to[i] = cell[at];
    }
    return kept;
}

/* Corners that are equal bit by bit become one; triangles without area go. */
static bool join_points(jn_reader *r, jn_mesh *m) {
    size_t cells = 16;
    while (cells < 2 * (size_t)m->point_count) cells *= 2;
    int *cell = jn_malloc(cells * sizeof *cell), *to = jn_malloc((size_t)m->point_count * sizeof *to), kept = 0;
    bool fine = cell && to;
    if (fine) {
        m->point_count = number_points(m, cell, cells, to);
        for (int i = 0; i < m->triangle_count; i++) {
            int a = to[m->triangles[i][0]], b = to[m->triangles[i][1]], c = to[m->triangles[i][2]];
            if (a == b || b == c || a == c) continue;
            m->triangles[kept][0] = a, m->triangles[kept][1] = b, m->triangles[kept++][2] = c;
        }
        m->triangle_count = kept;
    }
    jn_free(cell);
    jn_free(to);
    return fine || jn_read_no_memory(r);
}

static bool is_kind(const char *path, const char *ending) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

static bool read_format(jn_reader *r, const char *text, size_t length, const char *path, jn_where where, jn_mesh *m) {
    const unsigned char *b = (const unsigned char *)text;
    if (is_kind(path, ".obj")) return read_obj(r, text, path, m);
    if (is_kind(path, ".dae")) return jn_read_collada(r, text, length, path, m);
    if (is_kind(path, ".msh")) return read_msh(r, b, length, where, m);
    if (!is_kind(path, ".stl"))
        return jn_read_error(r, where, JN_ERR_MODEL, "'%.100s' is no OBJ, STL, COLLADA or MSH file\nend its name in .obj, .stl, .dae or .msh", path);
    uint32_t n = length >= 84 ? little_int(b + 80) : 0;
    bool binary = length >= 84 && length == 84 + 50 * (size_t)n;
    return binary ? read_stl_binary(r, b, where, n, m) : read_stl_text(r, text, path, m);
}

/* The corners and triangles of a file that are kept: those of the scratch go with it. */
static bool keep_mesh(jn_reader *r, const jn_mesh *m, jn_shape_desc *shape) {
    shape->points = jn_store_array(r->store, (size_t)m->point_count, sizeof *m->points);
    shape->triangles = jn_store_array(r->store, (size_t)m->triangle_count, sizeof *m->triangles);
    if (!shape->points || !shape->triangles) return jn_read_no_memory(r);
    memcpy(shape->points, m->points, (size_t)m->point_count * sizeof *m->points);
    if (m->triangle_count) memcpy(shape->triangles, m->triangles, (size_t)m->triangle_count * sizeof *m->triangles);
    shape->point_count = m->point_count, shape->triangle_count = m->triangle_count;
    return true;
}

/* Reads, scales and joins the corners of a file. */
static bool read_file(jn_reader *r, const jn_node *file, const char *path, jn_vec3 scale, jn_shape_desc *shape) {
    size_t length = 0;
    char *text = jn_source_load(r, path, file->where, r->scratch, &length);
    jn_mesh m = {0};
    if (!text) return false;
    bool fine = read_format(r, text, length, path, file->where, &m);
    if (!fine || m.point_count == 0)
        return fine ? jn_read_error(r, file->where, JN_ERR_MODEL, "'%.100s' has no corners", path) : false;
    for (int i = 0; i < m.point_count; i++)
        m.points[i] = v3(scale.x * m.points[i].x, scale.y * m.points[i].y, scale.z * m.points[i].z);
    for (int i = 0; scale.x * scale.y * scale.z < 0 && i < m.triangle_count; i++) { /* mirrored: normals stay outward */
        int t = m.triangles[i][0];
        m.triangles[i][0] = m.triangles[i][1], m.triangles[i][1] = t;
    }
    return join_points(r, &m) && keep_mesh(r, &m, shape);
}

bool jn_read_mesh(jn_reader *r, const jn_node *file, jn_vec3 scale, jn_shape_desc *shape) {
    const char *path = jn_source_beside(r, file->where.file, file->text);
    if (!path) return false;
    jn_mesh_key key = {path, scale, r->first_object && is_kind(path, ".obj")};
    if (jn_mesh_memo_find(r->meshes, &key, shape)) return true;
    return read_file(r, file, path, scale, shape) && (jn_mesh_memo_add(r, &key, shape) || jn_read_no_memory(r));
}

/* ----------------------------------------------------------------------------------------------------- checks */

static bool check_polygon(jn_reader *r, const jn_node *node, jn_shape_desc *s) {
    const jn_node *points = jn_node_get(node, "points");
    int n = s->point_count;
    double area = 0, size = 0;

    if (n < 3) {
        return jn_read_error(r, points->where, JN_ERR_MODEL, "a polygon needs three corners at least\nwrite '%s'",
                             jn_field_find(&jn_shape_fields, "points")->example);
    }
    for (int i = 0; i < n; i++) {
        jn_vec3 e = v3_sub(s->points[i], s->points[0]);
        area += v3_cross(s->points[i], s->points[(i + 1) % n]).z;
        size = jn_fmax(size, v3_dot(e, e));
    }
    if (!(fabs(area) > 1e-12 * size)) {
        return jn_read_error(r, points->where, JN_ERR_MODEL, "the polygon has no area");
    }
    for (int i = 0; area < 0 && i < n / 2; i++) { /* counter-clockwise */
        jn_vec3 t = s->points[i];
        s->points[i] = s->points[n - 1 - i];
        s->points[n - 1 - i] = t;
    }
    double turned = 0;
    for (int i = 0; i < n; i++) {
        jn_vec3 a = v3_sub(s->points[(i + 1) % n], s->points[i]),
                b = v3_sub(s->points[(i + 2) % n], s->points[(i + 1) % n]);
        turned += jn_atan2(v3_cross(a, b).z, v3_dot(a, b));
        if (!(v3_cross(a, b).z > 1e-12 * size) || turned > 6.3) {
            int at = area < 0 ? n - 1 - (i + 1) % n : (i + 1) % n;
            return jn_read_error(
                r, points->items[at]->where, JN_ERR_MODEL,
                "the polygon is not convex at this corner\nsplit it into convex parts, or remove corners "
                "on straight edges");
        }
    }
    return true;
}

static bool check_hull(jn_reader *r, const jn_node *node, double simplify, jn_shape_desc *s) {
    const jn_node *from = jn_node_get(node, "points");
    if (!from) from = jn_node_get(node, "file");
    return jn_shape_make_hull(r, from->where, from->kind == JN_NODE_SCALAR ? from->text : "points", simplify, s);
}

static bool check_mesh(jn_reader *r, const jn_node *node, jn_shape_desc *s) {
    const jn_node *file = jn_node_get(node, "file");
    const char *name = file ? file->text : "points";
    if (!file) file = jn_node_get(node, "triangles");
    for (int i = 0; i < s->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (s->triangles[i][k] >= s->point_count)
                return jn_read_error(r, file->where, JN_ERR_MODEL, "triangle %d names point %d, of %d\nwrite 0 to %d", i, s->triangles[i][k], s->point_count, s->point_count - 1);
    if (s->triangle_count == 0) return jn_read_error(r, file->where, JN_ERR_MODEL, "the mesh has no triangles");
    if (!jn_node_entry(node, "density")) return true;
    int open = jn_triangles_open_edges(s->triangles, s->triangle_count);
    if (open < 0) return jn_read_no_memory(r);
    if (open > 0)
        return jn_read_error(r, file->where, JN_ERR_MODEL,
                             "the mesh '%.100s' is not closed: %d edges have a triangle on one side only, so a density "
                             "gives no mass\nclose it, give mass and inertia, or write 'type: hull'",
                             name, open);
    if (!(jn_triangles_moments(s->points, s->triangles, s->triangle_count).volume > 0))
        return jn_read_error(r, file->where, JN_ERR_MODEL,
                             "the mesh '%.100s' encloses no volume, so a density gives no mass\nturn its triangles so "
                             "that their corners are counter-clockwise from outside",
                             name);
    return true;
}

bool jn_shape_corners(jn_reader *r, const jn_node *node, double simplify, jn_shape_desc *s) {
    switch (s->type) {
    case JN_SHAPE_POLYGON: return check_polygon(r, node, s);
    case JN_SHAPE_SEGMENT: {
        const jn_node *points = jn_node_get(node, "points");
        jn_vec3 d = s->point_count == 2 ? v3_sub(s->points[1], s->points[0]) : v3(0, 0, 0);
        return v3_dot(d, d) > 0 ||
               jn_read_error(r, points->where, JN_ERR_MODEL,
                             "a segment needs two different points\nwrite 'points: [[0, 0], [1, 0]]'");
    }
    case JN_SHAPE_HULL: return check_hull(r, node, simplify, s);
    case JN_SHAPE_MESH: return check_mesh(r, node, s);
    default: return true;
    }
}
