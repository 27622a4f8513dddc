/* Checks of convex hulls and closed surfaces. */
#include "algebra/elementary.h"
#include "description/mesh/hull.h"

#include "algebra/vec3.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct side {
    int low, high, face, entry; /* corners of the edge; entry: in face_corner */
    bool forward;               /* from low to high */
} side;

/* Counting sort by one corner of each side, stable. start (corners + 1). */
static void sort_by(bool high, const side *from, int count, int corners, int *start, side *to) {
    memset(start, 0, ((size_t)corners + 1) * sizeof *start);
    for (int i = 0; i < count; i++) start[(high ? from[i].high : from[i].low) + 1]++;
    for (int i = 0; i < corners; i++) start[i + 1] += start[i];
    for (int i = 0; i < count; i++) to[start[high ? from[i].high : from[i].low]++] = from[i];
}

/* By low corner, high corner and entry; they come by entry. False: no memory. */
static bool sort_sides(side *s, int count, int corners) {
    int *start = jn_malloc(((size_t)corners + 1) * sizeof *start);
    side *other = jn_malloc((size_t)count * sizeof *other);
    bool room = start && other;
    if (room) sort_by(true, s, count, corners, start, other), sort_by(false, other, count, corners, start, s);
    jn_free(start);
    jn_free(other);
    return room;
}

typedef struct checker {
    const jn_hull *h;
    side *sides;    /* (entries) */
    int *neighbour; /* (entries) face across the edge that begins at the entry */
    int *queue;     /* (faces) */
    char *seen;     /* (faces) */
    double *offset; /* (faces) of the plane n . x = offset, from the middle */
    jn_vec3 middle;
    bool room; /* there was memory for all of it */
} checker;

/* Each edge belongs to two faces, which pass it in opposite directions. */
static bool pair_edges(checker *c, char reason[JN_HULL_REASON]) {
    const jn_hull *h = c->h;
    int entries = h->face_start[h->face_count];
    for (int f = 0; f < h->face_count; f++) {
        int first = h->face_start[f], n = h->face_start[f + 1] - first;
        for (int k = 0; k < n; k++) {
            int a = h->face_corner[first + k], b = h->face_corner[first + (k + 1) % n];
            c->sides[first + k] = (side){a < b ? a : b, a < b ? b : a, f, first + k, a < b};
        }
    }
    if (!(c->room = sort_sides(c->sides, entries, h->corner_count))) return false;
    for (int i = 0; i < entries; i += 2) {
        const side *s = &c->sides[i], *t = s + 1, *u = i + 2 < entries ? t + 1 : NULL;
        bool fits = i + 1 < entries && s->low == t->low && s->high == t->high && s->forward != t->forward &&
                    s->low != s->high && !(u && u->low == s->low && u->high == s->high);
        if (!fits) {
            snprintf(reason, JN_HULL_REASON, "its surface is not closed at the edge between points %d and %d",
                     h->point[s->low], h->point[s->high]);
            return false;
        }
        c->neighbour[s->entry] = t->face, c->neighbour[t->entry] = s->face;
    }
    int euler = h->corner_count - entries / 2 + h->face_count; /* V - E + F = 2 */
    if (euler != 2) snprintf(reason, JN_HULL_REASON, "Euler's formula gives %d for its surface, not 2", euler);
    return euler == 2;
}

static bool is_one_piece(checker *c, char reason[JN_HULL_REASON]) {
    const jn_hull *h = c->h;
    int found = 1;
    for (int f = 0; f < h->face_count; f++) c->seen[f] = 0;
    c->queue[0] = 0, c->seen[0] = 1;
    for (int i = 0; i < found; i++)
        for (int k = h->face_start[c->queue[i]]; k < h->face_start[c->queue[i] + 1]; k++)
            if (!c->seen[c->neighbour[k]]) c->seen[c->neighbour[k]] = 1, c->queue[found++] = c->neighbour[k];
    if (found < h->face_count) snprintf(reason, JN_HULL_REASON, "its surface falls into several pieces");
    return found == h->face_count;
}

/* [m] how far a point, seen from the middle, lies above a face. */
static double above(const checker *c, int f, jn_vec3 p) { return v3_dot(c->h->face_normal[f], p) - c->offset[f]; }

/* Planes lie so that all corners of a face are on or below them; then each face's neighbours must be below it. */
static bool bends_outward(checker *c, double tolerance, char reason[JN_HULL_REASON]) {
    const jn_hull *h = c->h;
    jn_vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < h->corner_count; i++) sum = v3_add(sum, v3_sub(h->corner[i], h->corner[0]));
    c->middle = v3_axpy(1.0 / h->corner_count, sum, h->corner[0]);
    for (int f = 0; f < h->face_count; f++) {
        double high = -HUGE_VAL, low = HUGE_VAL;
        for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
            double d = v3_dot(h->face_normal[f], v3_sub(h->corner[h->face_corner[k]], c->middle));
            high = jn_fmax(high, d), low = jn_fmin(low, d);
        }
        c->offset[f] = high;
        if (!(high > 0) || !(high - low <= 2 * tolerance) || !(fabs(v3_norm(h->face_normal[f]) - 1) < 1e-9)) {
            snprintf(reason, JN_HULL_REASON, "a face of it is not level");
            return false;
        }
    }
    for (int f = 0; f < h->face_count; f++)
        for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
            int g = c->neighbour[k];
            for (int l = h->face_start[g]; l < h->face_start[g + 1]; l++)
                if (!(above(c, f, v3_sub(h->corner[h->face_corner[l]], c->middle)) <= tolerance)) {
                    snprintf(reason, JN_HULL_REASON, "it is hollow at point %d", h->point[h->face_corner[l]]);
                    return false;
                }
        }
    return true;
}

/* Climbs from face to face while the ratio of the point's height to the plane's grows; then while the height itself does. The
 * ratio is linear on the dual polytope, so that the top of a climb is the highest of all. */
static int climb(const checker *c, jn_vec3 p, int f) {
    const jn_hull *h = c->h;
    for (int by_height = 0; by_height < 2; by_height++)
        for (int next = f; next >= 0;) {
            double best = v3_dot(h->face_normal[f], p);
            best = by_height ? best - c->offset[f] : best / c->offset[f];
            next = -1;
            for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
                int g = c->neighbour[k];
                double d = v3_dot(h->face_normal[g], p);
                d = by_height ? d - c->offset[g] : d / c->offset[g];
                if (d > best) best = d, next = g;
            }
            if (next >= 0) f = next;
        }
    return f;
}

static bool holds_all(const checker *c, const jn_vec3 *point, int count, double tolerance,
                      char reason[JN_HULL_REASON]) {
    const jn_hull *h = c->h;
    for (int i = 0, f = 0, corner = 0; i < count; i++) {
        while (corner < h->corner_count && h->point[corner] < i) corner++;
        if (corner < h->corner_count && h->point[corner] == i && h->corner[corner].x == point[i].x &&
            h->corner[corner].y == point[i].y && h->corner[corner].z == point[i].z)
            continue; /* inside, because the surface bends outward everywhere */
        jn_vec3 p = v3_sub(point[i], c->middle);
        f = climb(c, p, f);
        if (above(c, f, p) <= tolerance) continue;
        snprintf(reason, JN_HULL_REASON, "point %d lies %.3g m outside", i, above(c, f, p));
        return false;
    }
    return true;
}

/* Pyramids from the middle over the faces, against what Qhull found. */
static bool fills_volume(const checker *c, double tolerance, char reason[JN_HULL_REASON]) {
    const jn_hull *h = c->h;
    double sum = 0, area = 0;
    for (int f = 0; f < h->face_count; f++) {
        const int *e = h->face_corner + h->face_start[f];
        jn_vec3 a = v3_sub(h->corner[e[0]], c->middle);
        for (int k = 1; k + 1 < h->face_start[f + 1] - h->face_start[f]; k++) {
            jn_vec3 b = v3_sub(h->corner[e[k]], c->middle), d = v3_sub(h->corner[e[k + 1]], c->middle);
            sum += v3_dot(a, v3_cross(b, d)) / 6;
            area += 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(d, a)));
        }
    }
    bool fits = sum > 0 && fabs(sum - h->volume) <= 2 * tolerance * area + 1e-9 * sum;
    if (!fits) snprintf(reason, JN_HULL_REASON, "its faces enclose %.6g m^3, Qhull finds %.6g m^3", sum, h->volume);
    return fits;
}

int jn_hull_check(const jn_hull *h, const jn_vec3 *point, int count, double tolerance, char reason[JN_HULL_REASON]) {
    size_t entries = h->face_count > 0 ? (size_t)h->face_start[h->face_count] : 0, faces = (size_t)h->face_count;
    checker c = {.h = h,
                 .sides = jn_malloc(entries * sizeof *c.sides),
                 .neighbour = jn_malloc(entries * sizeof *c.neighbour),
                 .queue = jn_malloc(faces * sizeof *c.queue),
                 .seen = jn_malloc(faces),
                 .offset = jn_malloc(faces * sizeof *c.offset)};
    c.room = c.sides && c.neighbour && c.queue && c.seen && c.offset;
    bool fine = c.room && faces >= 4;
    if (faces < 4) snprintf(reason, JN_HULL_REASON, "it has less than four faces");
    fine = fine && pair_edges(&c, reason) && is_one_piece(&c, reason) && bends_outward(&c, tolerance, reason) &&
           fills_volume(&c, tolerance, reason) && holds_all(&c, point, count, tolerance, reason);
    jn_free(c.sides);
    jn_free(c.neighbour);
    jn_free(c.queue);
    jn_free(c.seen);
    jn_free(c.offset);
    return fine ? JN_OK : c.room ? JN_ERR_MODEL : JN_ERR_MEMORY;
}

int jn_triangles_open_edges(int (*triangle)[3], int count) {
    side *s = jn_malloc(3 * (size_t)count * sizeof *s);
    int open = 0, corners = 0;
    if (!s) return -1;
    for (int i = 0; i < 3 * count; i++) {
        int a = triangle[i / 3][i % 3], b = triangle[i / 3][(i + 1) % 3];
        s[i] = (side){a < b ? a : b, a < b ? b : a, i / 3, i, a < b};
        if (a >= corners) corners = a + 1;
    }
    if (!sort_sides(s, 3 * count, corners)) {
        jn_free(s);
        return -1;
    }
    for (int i = 0; i < 3 * count;) {
        int sum = 0, first = i;
        for (; i < 3 * count && s[i].low == s[first].low && s[i].high == s[first].high; i++)
            sum += s[i].forward ? 1 : -1;
        open += sum != 0;
    }
    jn_free(s);
    return open;
}

jn_moments jn_triangles_moments(const jn_vec3 *point, int (*triangle)[3], int count) {
    jn_moments m = {0};
    for (int i = 0; i < count; i++) {
        jn_vec3 a = point[triangle[i][0]], b = point[triangle[i][1]], c = point[triangle[i][2]];
        jn_vec3 s = v3_add(a, v3_add(b, c));
        double v = v3_dot(a, v3_cross(b, c)) / 6;
        m.volume += v;
        m.first = v3_axpy(v / 4, s, m.first);
        /* integral of x y over the tetrahedron (0, a, b, c): v/20 (s_x s_y + sum of a_x a_y) */
        m.second.xx += v / 20 * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
        m.second.yy += v / 20 * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
        m.second.zz += v / 20 * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
        m.second.xy += v / 20 * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
        m.second.xz += v / 20 * (s.x * s.z + a.x * a.z + b.x * b.z + c.x * c.z);
        m.second.yz += v / 20 * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
    }
    return m;
}
