/* Which points of a mesh a pair keeps. */
#include "proximity/mesh_points.h"

#include "algebra/elementary.h"

void jn_mesh_points_add(jn_mesh_points *q, const jn_mesh_point *c) {
    int at = q->count;
    if (!(c->gap <= q->margin)) return;
    if (at == JN_MESH_POINTS) {
        at = 0;
        for (int i = 1; i < JN_MESH_POINTS; i++)
            if (q->list[i].gap > q->list[at].gap) at = i;
        if (c->gap >= q->list[at].gap) return;
    } else
        q->count++;
    q->list[at] = *c;
}

void jn_mesh_points_drop_deeper_edges(jn_mesh_points *q) {
    bool deeper[JN_MESH_POINTS];
    int kept = 0;
    for (int i = 0; i < q->count; i++) {
        const jn_mesh_point *c = &q->list[i];
        deeper[i] = false;
        for (int k = 0; k < q->count && c->gap < 0 && c->part == JN_MESH_EDGES && !deeper[i]; k++)
            deeper[i] =
                q->list[k].gap < 0 && q->list[k].gap > c->gap && v3_norm(v3_sub(c->pB, q->list[k].pB)) < -20 * c->gap;
    }
    for (int i = 0; i < q->count; i++)
        if (!deeper[i]) q->list[kept++] = q->list[i];
    q->count = kept;
}

/* How far a point is from another: in space, and by its normal. */
static double apart(const jn_mesh_points *q, int i, int k) {
    const jn_mesh_point *a = &q->list[i], *b = &q->list[k];
    return v3_norm(v3_sub(a->pB, b->pB)) + q->size * (1 - v3_dot(a->n, b->n));
}

void jn_mesh_points_choose(const jn_mesh_points *q, const jn_pose *X, jn_manifold *out) {
    double far[JN_MESH_POINTS]; /* from those that were chosen; -1: it is one of them, or the same point as one */
    int best = 0;
    for (int i = 0; i < q->count; i++) {
        far[i] = INFINITY;
        if (q->list[i].gap < q->list[best].gap) best = i;
    }
    double least = q->count ? q->list[best].gap : 0;
    for (int n = 0; n < JN_MANIFOLD_MAX && n < q->count && best >= 0; n++) {
        const jn_mesh_point *c = &q->list[best];
        jn_contact_geometry *at =
            jn_manifold_add(out, pose_point(X, c->pA), pose_point(X, c->pB), m3_mul_v(&X->R, c->n), c->gap, c->feature);
        if (at && out->edges) at->couple = m3_mul_v(&X->R, c->couple);
        double most = -INFINITY;
        int last = best;
        best = -1;
        for (int i = 0; i < q->count; i++) {
            if (far[i] < 0) continue;
            far[i] = jn_fmin(far[i], apart(q, i, last));
            if (far[i] < 1e-6 * q->size) {
                far[i] = -1;
                continue;
            }
            double worth = far[i] - 50 * (q->list[i].gap - least); /* wide gaps count less */
            if (worth > most) most = worth, best = i;
        }
    }
}
