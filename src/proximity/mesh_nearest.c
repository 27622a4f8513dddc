/* The nearest point of a mesh, and on which side of it a point is. [Baerentzen2005] */
#include "algebra/elementary.h"
#include "proximity/mesh_points.h"

/* Nearest point of a triangle, and on which part of it: 0 to 2 a corner, 3 to 5 the edge behind it, 6 the face. [Ericson2004, 5.1.5] */
static jn_vec3 on_triangle(const jn_vec3 c[3], jn_vec3 p, int *part) {
    jn_vec3 ab = v3_sub(c[1], c[0]), ac = v3_sub(c[2], c[0]), ap = v3_sub(p, c[0]), bp = v3_sub(p, c[1]),
            cp = v3_sub(p, c[2]);
    double d1 = v3_dot(ab, ap), d2 = v3_dot(ac, ap), d3 = v3_dot(ab, bp), d4 = v3_dot(ac, bp), d5 = v3_dot(ab, cp),
           d6 = v3_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) return *part = 0, c[0];
    if (d3 >= 0 && d4 <= d3) return *part = 1, c[1];
    if (d6 >= 0 && d5 <= d6) return *part = 2, c[2];
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return *part = 3, v3_axpy(d1 / (d1 - d3), ab, c[0]);
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return *part = 4, v3_axpy((d4 - d3) / ((d4 - d3) + (d5 - d6)), v3_sub(c[2], c[1]), c[1]);
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return *part = 5, v3_axpy(d2 / (d2 - d6), ac, c[0]);
    double sum = 1 / (va + vb + vc);
    return *part = 6, v3_axpy(vb * sum, ab, v3_axpy(vc * sum, ac, c[0]));
}

static double box_distance2(const jn_box_node *node, jn_vec3 p) {
    double x = jn_fmax(0, jn_fmax(node->lower.x - p.x, p.x - node->upper.x)),
           y = jn_fmax(0, jn_fmax(node->lower.y - p.y, p.y - node->upper.y)),
           z = jn_fmax(0, jn_fmax(node->lower.z - p.z, p.z - node->upper.z));
    return x * x + y * y + z * z;
}

static void ask_triangle(const jn_solid *s, int t, jn_vec3 p, jn_mesh_nearest *best) {
    const int *k = s->triangle[t];
    const jn_vec3 c[3] = {s->vertex[k[0]], s->vertex[k[1]], s->vertex[k[2]]};
    int part;
    jn_vec3 at = on_triangle(c, p, &part), d = v3_sub(p, at), n = s->triangle_normal[t];
    double d2 = v3_dot(d, d);
    if (!(d2 < best->distance2) || v3_dot(n, n) == 0) return;
    int other = part >= 3 && part < 6 ? s->neighbour[t][part - 3] : -1;
    *best = (jn_mesh_nearest){at, n, n, d2, t, part >= 3 && part < 6 && other < 0};
    if (part < 3) best->normal = s->vertex_normal[k[part]];
    if (other >= 0) best->normal = v3_add(n, s->triangle_normal[other]);
}

bool jn_mesh_find_nearest(const jn_solid *s, jn_vec3 p, double within, jn_mesh_nearest *out) {
    int stack[JN_MESH_STACK], top = 0;
    *out = (jn_mesh_nearest){.distance2 = within * within, .triangle = -1};
    stack[top++] = 0;
    while (top) {
        const jn_box_node *node = &s->node[stack[--top]];
        if (box_distance2(node, p) >= out->distance2) continue;
        for (int i = node->first; i < node->first + node->count; i++) ask_triangle(s, s->order[i], p, out);
        if (node->count || top + 2 > JN_MESH_STACK) continue;
        int first = (int)(node - s->node) + 1, second = node->second;
        bool swap = box_distance2(&s->node[second], p) < box_distance2(&s->node[first], p);
        stack[top++] = swap ? first : second, stack[top++] = swap ? second : first; /* the nearer one comes next */
    }
    return out->triangle >= 0;
}
