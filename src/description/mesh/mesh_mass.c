/* Mass of meshes, as MuJoCo counts it. */
#include "description/mesh/mesh_mass.h"

#include "algebra/vec3.h"
#include "base/memory.h"
#include "description/mesh/hull.h"

#include <stdio.h>

typedef struct surface {
    const jn_vec3 *p;
    int (*t)[3];
    int count;
    jn_mesh_mass mode;
} surface;

/* Volume of the pyramid from o over triangle i, or its area. */
static double weight(const surface *s, int i, jn_vec3 o) {
    jn_vec3 a = v3_sub(s->p[s->t[i][0]], o), b = v3_sub(s->p[s->t[i][1]], o), c = v3_sub(s->p[s->t[i][2]], o);
    if (s->mode == JN_MESH_SHELL) return 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    double volume = v3_dot(a, v3_cross(b, c)) / 6;
    return s->mode == JN_MESH_LEGACY ? fabs(volume) : volume;
}

static jn_vec3 sum_of(const surface *s, int i) {
    return v3_add(s->p[s->t[i][0]], v3_add(s->p[s->t[i][1]], s->p[s->t[i][2]]));
}

/* Middle of the surface, its area as weight: where the pyramids of the first pass begin. */
static jn_vec3 middle_of(const surface *s) {
    surface shell = *s;
    shell.mode = JN_MESH_SHELL;
    double area = 0;
    jn_vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < s->count; i++) {
        double w = weight(&shell, i, v3(0, 0, 0));
        area += w, sum = v3_axpy(w / 3, sum_of(s, i), sum);
    }
    return area > 0 ? v3_scale(1 / area, sum) : sum;
}

/* Integrals over pyramids from the centre c: the sum of 2 a_i a_j and of a_i b_j + a_j b_i over the corners is that of
 * s_i s_j + a_i a_j + b_i b_j + c_i c_j with s = a + b + c. */
static jn_sym3 inertia_about(const surface *s, jn_vec3 c, double *total) {
    jn_sym3 P = {0};
    const double parts = s->mode == JN_MESH_SHELL ? 12 : 20;
    *total = 0;
    for (int i = 0; i < s->count; i++) {
        double w = weight(s, i, c), k = w / parts;
        jn_vec3 sum = v3_sub(sum_of(s, i), v3_scale(3, c)), e[4] = {sum};
        for (int n = 0; n < 3; n++) e[n + 1] = v3_sub(s->p[s->t[i][n]], c);
        *total += w;
        for (int n = 0; n < 4; n++) {
            P.xx += k * e[n].x * e[n].x, P.yy += k * e[n].y * e[n].y, P.zz += k * e[n].z * e[n].z;
            P.xy += k * e[n].x * e[n].y, P.xz += k * e[n].x * e[n].z, P.yz += k * e[n].y * e[n].z;
        }
    }
    return (jn_sym3){P.yy + P.zz, P.xx + P.zz, P.xx + P.yy, -P.xy, -P.xz, -P.yz};
}

static int integrate(const surface *s, jn_lump *lump, char reason[200]) {
    jn_vec3 middle = middle_of(s), first = v3(0, 0, 0);
    double total = 0;
    for (int i = 0; i < s->count; i++) {
        double w = weight(s, i, middle);
        jn_vec3 centre = v3_scale(1.0 / 3, sum_of(s, i));
        if (s->mode != JN_MESH_SHELL) centre = v3_add(v3_scale(0.75, centre), v3_scale(0.25, middle));
        total += w, first = v3_axpy(w, centre, first);
    }
    if (!(total > 0)) {
        snprintf(reason, 200, "%s", total < 0 ? "its triangles are clockwise from outside" : "it encloses no volume");
        return JN_ERR_MODEL;
    }
    lump->com = v3_scale(1 / total, first);
    lump->inertia = inertia_about(s, lump->com, &lump->mass);
    return JN_OK;
}

int jn_mesh_lump(const jn_shape_desc *shape, jn_mesh_mass mode, jn_lump *lump, char reason[200]) {
    surface s = {shape->points, shape->triangles, shape->triangle_count, mode};
    bool bare = s.count == 0; /* corners alone: the surface is that of their hull, as in MuJoCo */
    *lump = (jn_lump){0};
    if (mode == JN_MESH_EXACT && !bare) {
        int open = jn_triangles_open_edges(s.t, s.count);
        if (open < 0) return JN_ERR_MEMORY;
        if (open > 0) {
            snprintf(reason, 200, "it is not closed: %d edges have a triangle on one side only", open);
            return JN_ERR_MODEL;
        }
    }
    if (mode != JN_MESH_CONVEX && !bare) return integrate(&s, lump, reason);
    jn_hull hull;
    int status = jn_hull_build(shape->points, shape->point_count, &hull, reason);
    if (status) return status;
    s.p = hull.corner, s.t = jn_malloc(2 * (size_t)hull.corner_count * sizeof *s.t);
    if (s.t) s.count = jn_hull_triangles(&hull, s.t);
    status = s.t ? integrate(&s, lump, reason) : JN_ERR_MEMORY;
    jn_free(s.t);
    jn_hull_free(&hull);
    return status;
}
