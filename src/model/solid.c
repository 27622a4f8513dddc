/* Sizes, corners, faces and bounds of a shape, checked and compiled into a solid. */
#include "model/solid.h"

#include "algebra/elementary.h"
#include "base/memory.h"
#include "base/store.h"
#include "description/mesh/hull.h"
#include "model/solid_mesh.h"

#include <string.h>

typedef struct maker {
    jn_solid *s;
    const jn_shape_desc *d;
    struct jn_store *store;
    jn_report *report;
    jn_hull_order *made; /* its hull; NULL: it is to be made */
    bool failed;
} maker;

static void *array(maker *m, int count, size_t size) {
    void *memory = jn_store_array(m->store, (size_t)(count > 0 ? count : 1), size);
    if (!memory) m->failed = true;
    return memory;
}

static int wrong(maker *m, const char *text) {
    jn_where where = m->d->where;
    return jn_report_add(m->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL, "this %s %s",
                         jn_shape_type_info(m->d->type)->name, text);
}

static int make_planar(maker *m, const jn_vec3 *corner, int count) {
    jn_solid *s = m->s;
    s->vertex_count = s->face_count = count;
    s->vertex = array(m, count, sizeof *s->vertex);
    s->face_normal = array(m, count, sizeof *s->face_normal);
    if (m->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        jn_vec3 e = v3_sub(corner[(i + 1) % count], corner[i]);
        double l = jn_hypot_safe(e.x, e.y);
        if (!(l > 0)) return wrong(m, "has two equal corners");
        s->vertex[i] = v3(corner[i].x, corner[i].y, 0);
        s->face_normal[i] = v3(e.y / l, -e.x / l, 0);
    }
    return JN_OK;
}

static int make_box(maker *m) {
    static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const signed char normal[6][3] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    jn_solid *s = m->s;
    s->vertex_count = 8, s->face_count = 6;
    s->vertex = array(m, 8, sizeof *s->vertex);
    s->face_normal = array(m, 6, sizeof *s->face_normal);
    s->face_start = array(m, 7, sizeof *s->face_start);
    s->face_vertex = array(m, 24, sizeof *s->face_vertex);
    if (m->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < 8; i++)
        s->vertex[i] =
            v3(i & 1 ? s->size.x : -s->size.x, i & 2 ? s->size.y : -s->size.y, i & 4 ? s->size.z : -s->size.z);
    for (int f = 0; f < 6; f++) {
        s->face_normal[f] = v3(normal[f][0], normal[f][1], normal[f][2]);
        s->face_start[f + 1] = 4 * (f + 1);
        memcpy(s->face_vertex + 4 * f, face[f], sizeof face[f]);
    }
    return JN_OK;
}

static jn_packed pack(maker *m, const jn_vec3 *v, int count) {
    jn_packed p = {.count = count, .blocks = jn_packed_blocks(count)};
    int all = p.blocks * JN_PACKED_BLOCK;
    p.place = array(m, all, sizeof *p.place), p.value = array(m, 3 * all, sizeof *p.value);
    p.box = array(m, 6 * jn_packed_pitch(p.blocks), sizeof *p.box);
    jn_packed_key *order = jn_malloc((size_t)count * sizeof *order);
    if (!order) m->failed = true;
    if (!m->failed) jn_packed_fill(&p, v, order);
    jn_free(order);
    return p;
}

/* Corners and faces of the hull of the points; those inside or on an edge are left out. */
static int make_hull(maker *m) {
    jn_solid *s = m->s;
    jn_hull_order own = {.point = m->d->points, .count = m->d->points ? m->d->point_count : 0};
    jn_hull_order *o = m->made ? m->made : &own;
    if (!m->made) jn_hull_build_many(&own, 1, 1);
    if (o->status == JN_ERR_MEMORY) return o->status;
    if (o->status)
        return jn_report_add(m->report, JN_SEVERITY_ERROR, o->status, m->d->where, NULL, "this hull cannot be made: %s",
                             o->reason);
    const jn_hull *h = &o->hull;
    int entries = h->face_start[h->face_count];
    s->vertex_count = h->corner_count, s->face_count = h->face_count;
    s->vertex = array(m, h->corner_count, sizeof *s->vertex);
    s->face_normal = array(m, h->face_count, sizeof *s->face_normal);
    s->face_start = array(m, h->face_count + 1, sizeof *s->face_start);
    s->face_vertex = array(m, entries, sizeof *s->face_vertex);
    if (!m->failed) {
        memcpy(s->vertex, h->corner, (size_t)h->corner_count * sizeof *s->vertex);
        memcpy(s->face_normal, h->face_normal, (size_t)h->face_count * sizeof *s->face_normal);
        memcpy(s->face_start, h->face_start, ((size_t)h->face_count + 1) * sizeof *s->face_start);
        memcpy(s->face_vertex, h->face_corner, (size_t)entries * sizeof *s->face_vertex);
        s->packed_vertex = pack(m, h->corner, h->corner_count);
        s->packed_normal = pack(m, h->face_normal, h->face_count);
    }
    jn_hull_free(&o->hull);
    return m->failed ? JN_ERR_MEMORY : JN_OK;
}

jn_surface_point jn_solid_surface_at(const jn_solid *s, double u, double v) {
    jn_surface_point out = {0};
    jn_jet j[3][3]; /* along u, v, and u + v */
    for (int way = 0; way < 3; way++) {
        jn_jet var[3] = {{u, way != 1, 0}, {0, 0, 0}, {v, way != 0, 0}};
        for (int k = 0; k < 3; k++) j[way][k] = jn_function_jet(s->surface[k], s->tables, var);
    }
    out.p = v3(j[0][0].v, j[0][1].v, j[0][2].v);
    out.u = v3(j[0][0].d, j[0][1].d, j[0][2].d);
    out.v = v3(j[1][0].d, j[1][1].d, j[1][2].d);
    out.uu = v3(j[0][0].dd, j[0][1].dd, j[0][2].dd);
    out.vv = v3(j[1][0].dd, j[1][1].dd, j[1][2].dd);
    jn_vec3 both = v3(j[2][0].dd, j[2][1].dd, j[2][2].dd);
    out.uv = v3_scale(0.5, v3_sub(both, v3_add(out.uu, out.vv)));
    return out;
}

static int make_surface(maker *m, const jn_table *tables) {
    enum { SAMPLES = 25 };
    jn_solid *s = m->s;
    for (int k = 0; k < 3; k++) {
        jn_function f = m->d->surface[k];
        jn_instr *code = array(m, f.length, sizeof *code);
        if (m->failed) return JN_ERR_MEMORY;
        if (f.length <= 0) return wrong(m, "lacks a function");
        memcpy(code, f.code, (size_t)f.length * sizeof *code);
        s->surface[k] = (jn_function){code, f.length};
    }
    s->tables = tables;
    s->samples = SAMPLES;
    s->sample = array(m, SAMPLES * SAMPLES, sizeof *s->sample);
    if (m->failed) return JN_ERR_MEMORY;
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++) {
            double u = s->range[0][0] + (s->range[0][1] - s->range[0][0]) * i / (SAMPLES - 1);
            double v = s->range[1][0] + (s->range[1][1] - s->range[1][0]) * j / (SAMPLES - 1);
            jn_surface_point p = jn_solid_surface_at(s, u, v);
            double regular = v3_norm(v3_cross(p.u, p.v));
            if (!isfinite(p.p.x + p.p.y + p.p.z + regular)) return wrong(m, "is not finite everywhere in its limits");
            s->sample[SAMPLES * j + i] = p.p;
        }
    return JN_OK;
}

/* Bounds of the curved shapes and of the corners. */
static void measure(jn_solid *s) {
    jn_vec3 h = v3(0, 0, 0), c = v3(0, 0, 0);
    switch (s->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE: h = v3(s->radius, s->radius, s->radius); break;
    case JN_SHAPE_SOCKET:
    case JN_SHAPE_ARC: h = v3(s->size.x, s->size.x, s->size.x); break;
    case JN_SHAPE_CAPSULE: h = v3(s->radius, s->radius, s->size.y + s->radius); break;
    case JN_SHAPE_CYLINDER:
    case JN_SHAPE_BORE: h = v3(s->size.x, s->size.x, s->size.y); break;
    case JN_SHAPE_CONE: h = v3(s->size.x, s->size.x, s->size.y / 2), c.z = s->size.y / 2; break;
    case JN_SHAPE_TORUS: h = v3(s->size.x + s->radius, s->size.x + s->radius, s->radius); break;
    case JN_SHAPE_ELLIPSOID:
    case JN_SHAPE_SUPERELLIPSOID: h = s->size; break;
    default: break;
    }
    s->lower = v3_sub(c, h), s->upper = v3_add(c, h);
    const jn_vec3 *p = s->sample ? s->sample : s->vertex;
    int n = s->sample ? s->samples * s->samples : s->vertex_count;
    for (int i = 0; i < n; i++) {
        s->lower = i ? v3(jn_fmin(s->lower.x, p[i].x), jn_fmin(s->lower.y, p[i].y), jn_fmin(s->lower.z, p[i].z)) : p[i];
        s->upper = i ? v3(jn_fmax(s->upper.x, p[i].x), jn_fmax(s->upper.y, p[i].y), jn_fmax(s->upper.z, p[i].z)) : p[i];
        s->reach = jn_fmax(s->reach, v3_norm(p[i]));
    }
    jn_vec3 d = v3_sub(s->upper, s->lower);
    if (n) { /* rounding; a smooth patch may bulge between its samples */
        double pad = s->radius + (s->sample ? 0.02 * v3_norm(d) : 0);
        s->lower = v3_sub(s->lower, v3(pad, pad, pad)), s->upper = v3_add(s->upper, v3(pad, pad, pad));
        s->reach += pad;
    } else {
        jn_vec3 far = v3(jn_fmax(-s->lower.x, s->upper.x), jn_fmax(-s->lower.y, s->upper.y), jn_fmax(-s->lower.z, s->upper.z));
        bool round = s->type == JN_SHAPE_SPHERE || s->type == JN_SHAPE_CIRCLE || s->type == JN_SHAPE_ARC ||
                     s->type == JN_SHAPE_SOCKET;
        s->reach = round ? far.x : s->type == JN_SHAPE_ELLIPSOID ? jn_fmax(far.x, jn_fmax(far.y, far.z)) : v3_norm(far);
    }
    bool flat = jn_shape_type_info(s->type)->planar;
    s->thickness = 0.5 * jn_fmin(jn_fmin(d.x, d.y), flat ? d.x : d.z);
    if (s->type == JN_SHAPE_PLANE || s->type == JN_SHAPE_HALF_PLANE) s->reach = INFINITY;
}

static bool positive(jn_vec3 a, int n) {
    return a.x > 0 && (n < 2 || a.y > 0) && (n < 3 || a.z > 0) && isfinite(a.x + a.y + a.z);
}

static int fill(maker *m, const jn_table *tables) {
    jn_solid *s = m->s;
    const jn_shape_desc *d = m->d;
    jn_vec3 a = d->size;
    switch (d->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE: s->radius = a.x; return positive(a, 1) ? JN_OK : wrong(m, "has no radius");
    case JN_SHAPE_CAPSULE:
        s->radius = a.x, s->size = v3(a.x, a.y / 2, 0);
        return positive(a, 2) ? JN_OK : wrong(m, "has no size");
    case JN_SHAPE_CYLINDER: s->size = v3(a.x, a.y / 2, 0); return positive(a, 2) ? JN_OK : wrong(m, "has no size");
    case JN_SHAPE_BORE: s->size = v3(a.x, a.y / 2, a.z / 2); return positive(a, 2) ? JN_OK : wrong(m, "has no size");
    case JN_SHAPE_CONE: return positive(a, 2) ? JN_OK : wrong(m, "has no size");
    case JN_SHAPE_TORUS: s->radius = a.y; return positive(a, 2) && a.y < a.x ? JN_OK : wrong(m, "has a wrong size");
    case JN_SHAPE_ARC:
    case JN_SHAPE_SOCKET: return positive(a, 1) ? JN_OK : wrong(m, "has no radius");
    case JN_SHAPE_SUPERELLIPSOID:
        if (!(s->e1 >= 0.05 && s->e1 <= 1.95 && s->e2 >= 0.05 && s->e2 <= 1.95))
            return wrong(m, "needs exponents between 0.05 and 1.95");
        return positive(a, 3) ? JN_OK : wrong(m, "has no size");
    case JN_SHAPE_ELLIPSOID: return positive(a, 3) ? JN_OK : wrong(m, "has no size");
    case JN_SHAPE_BOX: s->size = v3_scale(0.5, a); return positive(a, 3) ? make_box(m) : wrong(m, "has no size");
    case JN_SHAPE_RECTANGLE: {
        double x = a.x / 2, y = a.y / 2;
        jn_vec3 corner[4] = {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}};
        return positive(a, 2) ? make_planar(m, corner, 4) : wrong(m, "has no size");
    }
    case JN_SHAPE_POLYGON:
        return d->point_count >= 3 ? make_planar(m, d->points, d->point_count) : wrong(m, "needs three corners");
    case JN_SHAPE_SEGMENT:
        s->radius = a.x;
        return d->point_count == 2 ? make_planar(m, d->points, 2) : wrong(m, "needs two points");
    case JN_SHAPE_HULL: return make_hull(m);
    case JN_SHAPE_MESH:
    case JN_SHAPE_HEIGHTFIELD: return jn_solid_mesh_build(s, d, m->store, m->report);
    case JN_SHAPE_SURFACE: return make_surface(m, tables);
    default: return JN_OK;
    }
}

int jn_solid_build(jn_solid *solid, const jn_shape_desc *shape, const jn_table *tables, struct jn_store *store,
                   jn_hull_order *made, jn_report *report) {
    maker m = {solid, shape, store, report, made, false};
    *solid = (jn_solid){.type = shape->type, .size = shape->size, .e1 = shape->e1, .e2 = shape->e2, .group = -1};
    solid->layer = shape->layer, solid->touches = shape->touches;
    solid->adhesion = shape->adhesion, solid->adhesion_reach = shape->adhesion_reach;
    memcpy(solid->range, shape->range, sizeof solid->range);
    solid->local = (jn_pose){shape->at, q4_matrix(shape->orientation)};
    for (int i = 0; i < shape->point_count; i++) solid->reach = jn_fmax(solid->reach, v3_norm(shape->points[i]));
    int status = fill(&m, tables);
    if (status >= 0) measure(solid);
    return status;
}
