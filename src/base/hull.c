#include "base/hull.h"

#include "algebra/vec3.h"
#include "base/memory.h"

#include <stdbool.h>

typedef struct hull {
    const jn_vec3 *p;
    int (*tri)[3];
    bool *visible;
    int (*edge)[2]; /* horizon */
    int count;
    double tolerance;
} hull;

static double above(const hull *h, const int t[3], jn_vec3 q) {
    jn_vec3 a = h->p[t[0]], n = v3_cross(v3_sub(h->p[t[1]], a), v3_sub(h->p[t[2]], a));
    double l = v3_norm(n);
    return l > 0 ? v3_dot(n, v3_sub(q, a)) / l : 0;
}

/* Four points that span a volume, well apart; false if there are none. */
static bool first_four(hull *h, int n, int four[4]) {
    double best = -1;
    for (int i = 0; i < n; i++) {
        jn_vec3 d = v3_sub(h->p[i], h->p[0]);
        if (v3_dot(d, d) > best) best = v3_dot(d, d), four[0] = i;
    }
    jn_vec3 a = h->p[four[0]];
    best = -1;
    for (int i = 0; i < n; i++) {
        jn_vec3 d = v3_sub(h->p[i], a);
        if (v3_dot(d, d) > best) best = v3_dot(d, d), four[1] = i;
    }
    double size = sqrt(best);
    h->tolerance = 1e-12 * size;
    jn_vec3 e = v3_sub(h->p[four[1]], a);
    best = -1;
    for (int i = 0; i < n; i++) {
        jn_vec3 c = v3_cross(e, v3_sub(h->p[i], a));
        if (v3_dot(c, c) > best) best = v3_dot(c, c), four[2] = i;
    }
    if (!(sqrt(best) > 1e-9 * size * size)) return false;
    int t[3] = {four[0], four[1], four[2]};
    best = -1;
    for (int i = 0; i < n; i++)
        if (fabs(above(h, t, h->p[i])) > best) best = fabs(above(h, t, h->p[i])), four[3] = i;
    if (!(best > 1e-9 * size)) return false;
    if (above(h, t, h->p[four[3]]) > 0) four[0] = t[1], four[1] = t[0];
    return true;
}

static void add(hull *h, int a, int b, int c) {
    int *t = h->tri[h->count++];
    t[0] = a, t[1] = b, t[2] = c;
}

/* Edges of the faces that the point sees, whose other face it does not see. */
static int horizon(hull *h, const int *seen, int seen_count) {
    int edges = 0;
    for (int i = 0; i < seen_count; i++) {
        const int *t = h->tri[seen[i]];
        for (int k = 0; k < 3; k++) {
            bool inner = false;
            for (int j = 0; j < seen_count && !inner; j++) {
                const int *s = h->tri[seen[j]];
                for (int l = 0; l < 3; l++) inner = inner || (s[l] == t[(k + 1) % 3] && s[(l + 1) % 3] == t[k]);
            }
            if (!inner) h->edge[edges][0] = t[k], h->edge[edges++][1] = t[(k + 1) % 3];
        }
    }
    return edges;
}

static void add_point(hull *h, int q, int room, int *seen) {
    int seen_count = 0, kept = 0;
    for (int i = 0; i < h->count; i++) {
        h->visible[i] = above(h, h->tri[i], h->p[q]) > h->tolerance;
        if (h->visible[i]) seen[seen_count++] = i;
    }
    if (!seen_count) return;
    int edges = horizon(h, seen, seen_count);
    if (h->count - seen_count + edges > room) return;
    for (int i = 0; i < h->count; i++)
        if (!h->visible[i]) {
            for (int k = 0; k < 3; k++) h->tri[kept][k] = h->tri[i][k];
            kept++;
        }
    h->count = kept;
    for (int i = 0; i < edges; i++) add(h, h->edge[i][0], h->edge[i][1], q);
}

int jn_hull_build(const jn_vec3 *point, int count, int (*triangle)[3]) {
    int four[4] = {0}, room = 2 * count;
    hull h = {.p = point, .tri = triangle};
    if (count < 4 || !first_four(&h, count, four)) return 0;
    h.visible = jn_malloc((size_t)room * sizeof *h.visible);
    h.edge = jn_malloc(3 * (size_t)room * sizeof *h.edge);
    int *seen = jn_malloc((size_t)room * sizeof *seen);
    if (h.visible && h.edge && seen) {
        add(&h, four[0], four[1], four[2]);
        add(&h, four[0], four[2], four[3]);
        add(&h, four[2], four[1], four[3]);
        add(&h, four[1], four[0], four[3]);
        for (int i = 0; i < count; i++)
            if (i != four[0] && i != four[1] && i != four[2] && i != four[3]) add_point(&h, i, room, seen);
    }
    int result = h.visible && h.edge && seen ? h.count : -1;
    jn_free(seen);
    jn_free(h.edge);
    jn_free(h.visible);
    return result;
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
