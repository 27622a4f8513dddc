/* SDF: polygons that are drawn out to a height. Several of them in one geometry are counted by turns: the second within the first is a hole. */
#include "base/parse_number.h"
#include "description/robot/sdf/sdf.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 2000 };
static const double same = 1e-4; /* [m] a line whose ends are so near is closed [gz-common, MeshManager::CreateExtrudedPolyline] */

typedef struct loop {
    int first, count; /* points, counterclockwise; of a hole clockwise */
    int depth;        /* how many others it lies in */
    bool cut;         /* a hole that is joined to an outer line */
} loop;

typedef struct outline {
    jn_vec3 *p; /* (count) */
    int count;
    loop *loops;
    int loop_count;
    int *ring, ring_count; /* corners of one outer line with its holes, joined to it by cuts */
    int (*triangle)[3], triangles;
} outline;

/* Twice the area of a triangle, positive if it is counterclockwise. */
static double turn(jn_vec3 a, jn_vec3 b, jn_vec3 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

static bool equal(jn_vec3 a, jn_vec3 b) { return a.x == b.x && a.y == b.y; }

static double area(const outline *o, const loop *l) {
    double sum = 0;
    for (int i = 0; i < l->count; i++) sum += turn(v3(0, 0, 0), o->p[l->first + i], o->p[l->first + (i + 1) % l->count]);
    return 0.5 * sum;
}

static bool lies_in(const outline *o, const loop *l, jn_vec3 q) {
    bool in = false;
    for (int i = 0, k = l->count - 1; i < l->count; k = i++) {
        jn_vec3 a = o->p[l->first + i], b = o->p[l->first + k];
        if ((a.y > q.y) != (b.y > q.y) && q.x < (b.x - a.x) * (q.y - a.y) / (b.y - a.y) + a.x) in = !in;
    }
    return in;
}

static bool read_point(const jn_xml *e, jn_vec3 *p) {
    double x[2];
    const char *text = e->text ? e->text : "";
    for (int k = 0; k < 2; k++) {
        text += strspn(text, " \t\r\n");
        size_t n = strcspn(text, " \t\r\n");
        if (!n || !jn_number_read(text, n, &x[k]) || !isfinite(x[k])) return false;
        text += n;
    }
    *p = v3(x[0], x[1], 0);
    return true;
}

/* One line, without points that stand twice in a row. */
static bool read_line(jn_sdf *s, const jn_xml *e, outline *o) {
    loop *l = &o->loops[o->loop_count++];
    l->first = o->count;
    for (int i = 0; i < e->count; i++) {
        jn_vec3 p;
        if (strcmp(e->children[i]->name, "point")) continue;
        if (!read_point(e->children[i], &p)) return jn_read_error(s->b->r, e->children[i]->where, JN_ERR_MODEL, "<point> needs 2 numbers");
        if (o->count == MOST_POINTS) return jn_read_error(s->b->r, e->where, JN_ERR_LIMIT, "<polyline> has more than %d points", MOST_POINTS);
        if (o->count == l->first || !equal(p, o->p[o->count - 1])) o->p[o->count++] = p;
    }
    while (o->count > l->first + 1 && v3_norm(v3_sub(o->p[o->count - 1], o->p[l->first])) <= same) o->count--;
    l->count = o->count - l->first;
    return (l->count >= 3 && area(o, l) != 0) || jn_read_error(s->b->r, e->where, JN_ERR_MODEL, "<polyline> encloses nothing: it needs three points and more");
}

/* Depths, and the direction in which the lines run around what is solid. */
static void order(outline *o) {
    for (int i = 0; i < o->loop_count; i++) {
        loop *l = &o->loops[i];
        for (int k = 0; k < o->loop_count; k++) l->depth += k != i && lies_in(o, &o->loops[k], o->p[l->first]);
        bool hole = l->depth % 2 == 1, reversed = (area(o, l) > 0) == hole;
        for (int a = l->first, b = l->first + l->count - 1; reversed && a < b; a++, b--) {
            jn_vec3 t = o->p[a];
            o->p[a] = o->p[b], o->p[b] = t;
        }
    }
}

/* Whether the inner points of two stretches meet. */
static bool crosses(jn_vec3 a, jn_vec3 b, jn_vec3 c, jn_vec3 d) {
    if (equal(a, c) || equal(a, d) || equal(b, c) || equal(b, d)) return false;
    return turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0;
}

static bool is_clear(const outline *o, jn_vec3 a, jn_vec3 b) {
    for (int i = 0; i < o->loop_count; i++)
        for (int k = 0; k < o->loops[i].count; k++)
            if (crosses(a, b, o->p[o->loops[i].first + k], o->p[o->loops[i].first + (k + 1) % o->loops[i].count])) return false;
    for (int k = 0; k < o->ring_count; k++)
        if (crosses(a, b, o->p[o->ring[k]], o->p[o->ring[(k + 1) % o->ring_count]])) return false;
    return true;
}

/* Whether a stretch from a corner of the ring begins within its angle: corners at cuts stand in the ring more than once. [ORourke1998, 1.5.2] */
static bool starts_within(const outline *o, int i, jn_vec3 b) {
    int n = o->ring_count;
    jn_vec3 before = o->p[o->ring[(i + n - 1) % n]], a = o->p[o->ring[i]], after = o->p[o->ring[(i + 1) % n]];
    if (turn(a, after, before) >= 0) return turn(a, b, before) > 0 && turn(b, a, after) > 0;
    return !(turn(a, b, after) >= 0 && turn(b, a, before) >= 0);
}

/* Joins a hole to the ring by the shortest cut that crosses nothing; false: there is none. */
static bool cut(outline *o, const loop *hole) {
    int at = -1, from = -1;
    double least = INFINITY;
    for (int i = 0; i < o->ring_count; i++)
        for (int k = 0; k < hole->count; k++) {
            jn_vec3 a = o->p[o->ring[i]], b = o->p[hole->first + k];
            double d = v3_norm(v3_sub(a, b));
            if (d < least && starts_within(o, i, b) && is_clear(o, a, b)) least = d, at = i, from = k;
        }
    if (at < 0) return false;
    int extra = hole->count + 2;
    memmove(o->ring + at + 1 + extra, o->ring + at + 1, (size_t)(o->ring_count - at - 1) * sizeof *o->ring);
    for (int k = 0; k <= hole->count; k++) o->ring[at + 1 + k] = hole->first + (from + k) % hole->count;
    o->ring[at + extra] = o->ring[at];
    o->ring_count += extra;
    return true;
}

static bool is_ear(const outline *o, int i) {
    int n = o->ring_count;
    jn_vec3 a = o->p[o->ring[(i + n - 1) % n]], b = o->p[o->ring[i]], c = o->p[o->ring[(i + 1) % n]];
    if (!(turn(a, b, c) > 0)) return false;
    for (int k = 0; k < n; k++) {
        jn_vec3 q = o->p[o->ring[k]];
        if (equal(q, a) || equal(q, b) || equal(q, c)) continue;
        if (turn(a, b, q) >= 0 && turn(b, c, q) >= 0 && turn(c, a, q) >= 0) return false;
    }
    return true;
}

/* Ears are cut off the ring until it is a triangle; false: there is none, since lines cross. [Meisters1975] O(n^3) */
static bool clip_ears(outline *o) {
    while (o->ring_count > 2) {
        int i = 0, n = o->ring_count;
        while (i < n && !is_ear(o, i)) i++;
        if (i == n) return false;
        int *t = o->triangle[o->triangles++];
        t[0] = o->ring[(i + n - 1) % n], t[1] = o->ring[i], t[2] = o->ring[(i + 1) % n];
        memmove(o->ring + i, o->ring + i + 1, (size_t)(n - i - 1) * sizeof *o->ring);
        o->ring_count--;
    }
    return true;
}

/* Triangles of what lies between the outer lines and their holes. */
static bool fill(outline *o) {
    for (int i = 0; i < o->loop_count; i++) {
        const loop *l = &o->loops[i];
        if (l->depth % 2) continue;
        o->ring_count = 0;
        for (int k = 0; k < l->count; k++) o->ring[o->ring_count++] = l->first + k;
        for (int k = 0; k < o->loop_count; k++) {
            loop *h = &o->loops[k];
            if (h->cut || h->depth % 2 == 0 || h->depth != l->depth + 1 || !lies_in(o, l, o->p[h->first])) continue;
            if (!cut(o, h)) return false;
            h->cut = true;
        }
        if (!clip_ears(o)) return false;
    }
    return true;
}

static bool is_convex(const outline *o) {
    bool convex = o->loop_count == 1;
    for (int i = 0, n = o->count; i < n && convex; i++)
        for (int k = 0; k < n && convex; k++) convex = turn(o->p[i], o->p[(i + 1) % n], o->p[k]) >= 0;
    return convex;
}

/* Both ends and the sides: points below, then above; 2 triangles of the ends for each of the outline, 2 of the sides for each point. */
static bool extrude(jn_sdf *s, const outline *o, double height, jn_robot_shape *shape) {
    int n = o->count, count = 0;
    jn_vec3 *points = jn_store_array(s->b->r->scratch, 2 * (size_t)n, sizeof *points);
    int(*t)[3] = jn_store_array(s->b->r->scratch, 2 * (size_t)(o->triangles + n), sizeof *t);
    if (!points || !t) return jn_read_no_memory(s->b->r);
    for (int i = 0; i < n; i++) points[i] = o->p[i], points[n + i] = v3(o->p[i].x, o->p[i].y, height);
    for (int i = 0; i < o->triangles; i++) {
        const int *a = o->triangle[i];
        for (int k = 0; k < 3; k++) t[count][k] = n + a[k], t[count + 1][k] = a[2 - k];
        count += 2;
    }
    for (int i = 0; i < o->loop_count; i++)
        for (int k = 0; k < o->loops[i].count; k++) {
            int a = o->loops[i].first + k, b = o->loops[i].first + (k + 1) % o->loops[i].count;
            t[count][0] = a, t[count][1] = b, t[count++][2] = n + b;
            t[count][0] = a, t[count][1] = n + b, t[count++][2] = n + a;
        }
    shape->points = points, shape->point_count = 2 * n, shape->type = JN_SHAPE_HULL;
    if (!is_convex(o)) shape->type = JN_SHAPE_MESH, shape->triangles = (const int(*)[3])t, shape->triangle_count = count;
    return true;
}

bool jn_sdf_polyline(jn_sdf *s, const jn_xml *geometry, jn_robot_shape *shape) {
    jn_store *store = s->b->r->scratch;
    size_t lines = (size_t)geometry->count, most = MOST_POINTS + 1, wide = most + 2 * lines;
    outline o = {.p = jn_store_array(store, most, sizeof *o.p), .loops = jn_store_array(store, lines, sizeof *o.loops),
                 .ring = jn_store_array(store, wide, sizeof *o.ring), .triangle = jn_store_array(store, wide, sizeof *o.triangle)};
    double height = 1;
    if (!o.p || !o.loops || !o.ring || !o.triangle) return jn_read_no_memory(s->b->r);
    memset(o.loops, 0, lines * sizeof *o.loops);
    for (int i = 0; i < geometry->count; i++) {
        const jn_xml *e = geometry->children[i];
        if (!strcmp(e->name, "polyline") && (!read_line(s, e, &o) || !jn_sdf_numbers(s, e, "height", 1, &height))) return false;
    }
    if (!(height > 0)) return jn_read_error(s->b->r, geometry->where, JN_ERR_MODEL, "<polyline> has a height that is not above 0");
    order(&o);
    if (!fill(&o)) return jn_read_error(s->b->r, geometry->where, JN_ERR_MODEL, "<polyline>: its lines cross each other");
    return extrude(s, &o, height, shape);
}
