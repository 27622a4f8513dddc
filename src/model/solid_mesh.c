/* Triangles of meshes and heightfields, with the tree of boxes over them. */
#include "model/solid_mesh.h"

#include "algebra/elementary.h"
#include "base/store.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 };

/* Rows of heights become two triangles per cell, normals up. */
static void fill_heights(jn_solid *s, const jn_shape_desc *d) {
    int nx = d->grid[0], ny = d->grid[1], t = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            s->vertex[nx * j + i] = v3(d->size.x * ((double)i / (nx - 1) - 0.5),
                                       d->size.y * ((double)j / (ny - 1) - 0.5), d->heights[nx * j + i]);
    for (int j = 0; j + 1 < ny; j++)
        for (int i = 0; i + 1 < nx; i++) {
            int a = nx * j + i, b = a + 1, c = a + nx, e = c + 1;
            int pair[2][3] = {{a, b, e}, {a, e, c}};
            memcpy(s->triangle[t], pair, sizeof pair);
            t += 2;
        }
}

typedef struct edge {
    int a, b, triangle, side;
} edge;

static int compare_edges(const void *x, const void *y) {
    const edge *p = x, *q = y;
    int c = (p->a > q->a) - (p->a < q->a);
    if (!c) c = (p->b > q->b) - (p->b < q->b);
    return c ? c : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static void find_neighbours(jn_solid *s, edge *e) {
    int n = 3 * s->triangle_count;
    for (int i = 0; i < n; i++) {
        int a = s->triangle[i / 3][i % 3], b = s->triangle[i / 3][(i + 1) % 3];
        e[i] = (edge){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
        s->neighbour[i / 3][i % 3] = -1;
    }
    qsort(e, (size_t)n, sizeof *e, compare_edges);
    for (int i = 0; i + 1 < n; i++)
        if (e[i].a == e[i + 1].a && e[i].b == e[i + 1].b) {
            s->neighbour[e[i].triangle][e[i].side] = e[i + 1].triangle;
            s->neighbour[e[i + 1].triangle][e[i + 1].side] = e[i].triangle;
            i++;
        }
}

/* Pseudonormals of the corners [Baerentzen2005, eq. 4], and a triangle of each. */
static void find_corners(jn_solid *s) {
    for (int i = 0; i < s->vertex_count; i++) s->vertex_normal[i] = v3(0, 0, 0), s->vertex_triangle[i] = -1;
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        const int *t = s->triangle[i / 3];
        int here = t[i % 3];
        jn_vec3 a = v3_sub(s->vertex[t[(i + 1) % 3]], s->vertex[here]), b = v3_sub(s->vertex[t[(i + 2) % 3]], s->vertex[here]);
        double angle = jn_atan2(v3_norm(v3_cross(a, b)), v3_dot(a, b));
        s->vertex_normal[here] = v3_axpy(angle, s->triangle_normal[i / 3], s->vertex_normal[here]);
        if (s->vertex_triangle[here] == -1) s->vertex_triangle[here] = -2 - i / 3; /* until it is known to be a corner */
    }
}

/* Corners within a flat part of the surface, or on a straight edge of it, are none. along (vertex_count): zero, scratch. */
static void drop_flat_corners(jn_solid *s, jn_vec3 *along) {
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        const int *t = s->triangle[i / 3], ends[] = {t[i % 3], t[(i + 1) % 3]};
        int other = s->neighbour[i / 3][i % 3];
        jn_vec3 e = v3_unit(v3_sub(s->vertex[ends[1]], s->vertex[ends[0]]));
        if (other >= 0 && v3_dot(s->triangle_normal[i / 3], s->triangle_normal[other]) > 1 - 1e-12) continue;
        for (int k = 0; k < 2; k++) {
            int v = ends[k], *triangle = &s->vertex_triangle[v];
            if (v3_dot(along[v], along[v]) == 0)
                along[v] = e;
            else if (*triangle < -1 && fabs(v3_dot(along[v], e)) < 1 - 1e-12)
                *triangle = -2 - *triangle; /* two edges, or borders, meet there */
        }
    }
    for (int i = 0; i < s->vertex_count; i++)
        if (s->vertex_triangle[i] < -1) s->vertex_triangle[i] = -1;
}

static jn_vec3 centre(const jn_solid *s, int t) {
    const int *c = s->triangle[t];
    return v3_scale(1.0 / 3, v3_add(s->vertex[c[0]], v3_add(s->vertex[c[1]], s->vertex[c[2]])));
}

static void bound(const jn_solid *s, jn_box_node *node) {
    for (int i = node->first; i < node->first + node->count; i++)
        for (int k = 0; k < 3; k++) {
            jn_vec3 p = s->vertex[s->triangle[s->order[i]][k]];
            bool start = i == node->first && k == 0;
            node->lower = start ? p : v3(jn_fmin(p.x, node->lower.x), jn_fmin(p.y, node->lower.y), jn_fmin(p.z, node->lower.z));
            node->upper = start ? p : v3(jn_fmax(p.x, node->upper.x), jn_fmax(p.y, node->upper.y), jn_fmax(p.z, node->upper.z));
        }
}

/* Puts those with the smaller centres along the axis first (quickselect by position and number: same order always). */
static void split(const jn_solid *s, int first, int count, int axis) {
    int lo = first, hi = first + count - 1, middle = first + count / 2;
    while (lo < hi) {
        int i = lo, j = hi;
        double pivot = v3_get(centre(s, s->order[(lo + hi) / 2]), axis);
        while (i <= j) {
            while (v3_get(centre(s, s->order[i]), axis) < pivot) i++;
            while (v3_get(centre(s, s->order[j]), axis) > pivot) j--;
            if (i <= j) {
                int t = s->order[i];
                s->order[i++] = s->order[j];
                s->order[j--] = t;
            }
        }
        if (middle <= j)
            hi = j;
        else if (middle >= i)
            lo = i;
        else
            break;
    }
}

static int grow_tree(jn_solid *s, int first, int count) {
    int index = s->node_count++;
    jn_box_node *node = &s->node[index];
    *node = (jn_box_node){.first = first, .count = count};
    bound(s, node);
    if (count > LEAF) {
        jn_vec3 d = v3_sub(node->upper, node->lower);
        split(s, first, count, d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2);
        node->count = 0;
        grow_tree(s, first, count / 2);
        s->node[index].second = grow_tree(s, first + count / 2, count - count / 2);
    }
    return index;
}

int jn_solid_mesh_build(jn_solid *s, const jn_shape_desc *d, struct jn_store *store, jn_report *report) {
    bool field = d->type == JN_SHAPE_HEIGHTFIELD;
    if (field && !(d->grid[0] >= 2 && d->grid[1] >= 2 && d->heights && d->size.x > 0 && d->size.y > 0))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                             "this heightfield needs a size and two rows of two heights at least");
    s->vertex_count = field ? d->grid[0] * d->grid[1] : d->point_count;
    s->triangle_count = field ? 2 * (d->grid[0] - 1) * (d->grid[1] - 1) : d->triangle_count;
    if (s->triangle_count < 1 || !(field || (d->points && d->triangles)))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL, "this mesh has no triangles");
    size_t n = (size_t)s->triangle_count;
    edge *edges = jn_store_array(store, 3 * n, sizeof *edges);
    jn_vec3 *along = jn_store_array(store, (size_t)s->vertex_count, sizeof *along);
    s->vertex = jn_store_array(store, (size_t)s->vertex_count, sizeof *s->vertex);
    s->triangle = jn_store_array(store, n, sizeof *s->triangle);
    s->neighbour = jn_store_array(store, n, sizeof *s->neighbour);
    s->triangle_normal = jn_store_array(store, n, sizeof *s->triangle_normal);
    s->vertex_normal = jn_store_array(store, (size_t)s->vertex_count, sizeof *s->vertex_normal);
    s->vertex_triangle = jn_store_array(store, (size_t)s->vertex_count, sizeof *s->vertex_triangle);
    s->order = jn_store_array(store, n, sizeof *s->order);
    s->node = jn_store_array(store, 2 * n, sizeof *s->node);
    if (!edges || !along || !s->vertex || !s->triangle || !s->neighbour || !s->triangle_normal || !s->vertex_normal || !s->vertex_triangle ||
        !s->order || !s->node)
        return JN_ERR_MEMORY;
    if (field) {
        fill_heights(s, d);
    } else {
        memcpy(s->vertex, d->points, (size_t)d->point_count * sizeof *s->vertex);
        memcpy(s->triangle, d->triangles, n * sizeof *s->triangle);
    }
    for (int i = 0; i < s->triangle_count; i++) {
        const int *t = s->triangle[i];
        jn_vec3 c = v3_cross(v3_sub(s->vertex[t[1]], s->vertex[t[0]]), v3_sub(s->vertex[t[2]], s->vertex[t[0]]));
        double l = v3_norm(c);
        s->triangle_normal[i] = l > 0 ? v3_scale(1 / l, c) : v3(0, 0, 0);
        s->order[i] = i;
    }
    find_corners(s);
    find_neighbours(s, edges);
    drop_flat_corners(s, along);
    s->node_count = 0;
    grow_tree(s, 0, s->triangle_count);
    return JN_OK;
}
