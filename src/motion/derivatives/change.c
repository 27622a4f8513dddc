/* How links, points and axes change along one direction: a motion along velocity j, or a change of it.
 *
 * What is behind velocity j moves by J_j. With U_j, A_j the parts of V and A that this leaves alone and w, y, p as in derivatives.c,
 *
 *     by q:  dV = J_j x V + w_j,   dA = J_j x A + y_j + g x J_j + w_j x V        by u:  dV = J_j,   dA = p_j + J_j x V
 *
 * at constant u and u'. A point r of a link, seen from c, then has r' = v + w x r and r'' = a + alpha x r + w x r', and their
 * changes follow by the product rule. */
#include "motion/derivatives/derivatives.h"
#include <string.h>

void jn_change_direction(const jn_model *m, struct jn_derivatives_work *d, int along, bool by_u) {
    const jn_tree_column *col = &d->col[along];
    const jn_twist g = {v3(0, 0, 0), m->gravity}, J = col->J;
    int own = m->dof_link[along];
    d->along = along, d->by_u = by_u;
    for (int i = 0; i < own; i++) d->change[i].any = false;
    for (int i = own; i < m->link_count; i++) {
        jn_change *c = &d->change[i];
        c->any = i == own || d->change[m->links[i].parent].any;
        if (!c->any) continue;
        jn_twist carried = jn_cross(J, d->V[i]);
        c->pose = by_u ? tw_zero() : J;
        c->twist = by_u ? J : tw_add(carried, col->w);
        c->rate = by_u
                      ? tw_add(col->p, carried)
                      : tw_add(tw_add(jn_cross(J, d->A[i]), tw_add(col->y, jn_cross(g, J))), jn_cross(col->w, d->V[i]));
    }
    memset(d->load_change, 0, (size_t)m->link_count * sizeof *d->load_change);
    memset(d->tau_change, 0, (size_t)m->nv * sizeof *d->tau_change);
    memset(d->row_change, 0, (size_t)m->row_count * sizeof *d->row_change);
    d->power_change = (jn_ledger){0};
}

jn_moving jn_point_moving(const struct jn_derivatives_work *d, int link, jn_vec3 at) {
    jn_twist V = d->V[link], A = d->A[link];
    jn_vec3 r = v3_sub(at, d->c[link]), v = v3_add(V.v, v3_cross(V.w, r));
    return (jn_moving){at, v, v3_add(v3_add(A.v, v3_cross(A.w, r)), v3_cross(V.w, v))};
}

jn_moving jn_point_change(const struct jn_derivatives_work *d, int link, const jn_moving *point) {
    const jn_change *c = &d->change[link];
    jn_moving out = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (!c->any) return out;
    jn_vec3 r = v3_sub(point->p, d->c[link]), w = d->V[link].w, alpha = d->A[link].w;
    out.p = v3_add(c->pose.v, v3_cross(c->pose.w, r));
    out.v = v3_add(v3_add(c->twist.v, v3_cross(c->twist.w, r)), v3_cross(w, out.p));
    out.a = v3_add(v3_add(c->rate.v, v3_cross(c->rate.w, r)), v3_cross(alpha, out.p));
    out.a = v3_add(out.a, v3_add(v3_cross(c->twist.w, point->v), v3_cross(w, out.v)));
    return out;
}

jn_moving jn_axis_moving(const struct jn_derivatives_work *d, int link, jn_vec3 axis) {
    jn_vec3 w = d->V[link].w, v = v3_cross(w, axis);
    return (jn_moving){axis, v, v3_add(v3_cross(d->A[link].w, axis), v3_cross(w, v))};
}

jn_moving jn_axis_change(const struct jn_derivatives_work *d, int link, const jn_moving *axis) {
    const jn_change *c = &d->change[link];
    jn_moving out = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (!c->any) return out;
    jn_vec3 w = d->V[link].w;
    out.p = v3_cross(c->pose.w, axis->p);
    out.v = v3_add(v3_cross(c->twist.w, axis->p), v3_cross(w, out.p));
    out.a = v3_add(v3_cross(c->rate.w, axis->p), v3_cross(d->A[link].w, out.p));
    out.a = v3_add(out.a, v3_add(v3_cross(c->twist.w, axis->v), v3_cross(w, out.v)));
    return out;
}

static jn_moving_side side(const jn_work *w, const struct jn_derivatives_work *d, const jn_side *s) {
    const jn_link_motion *L = &w->link[s->link];
    jn_mat3 E = m3_mul(&L->R, &s->E);
    jn_moving_side out = {.point = jn_point_moving(d, s->link, v3_add(L->O, m3_mul_v(&L->R, s->p)))};
    for (int k = 0; k < 3; k++) out.axis[k] = jn_axis_moving(d, s->link, m3_column(&E, k));
    return out;
}

void jn_change_sides(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d) {
    for (int i = 0; i < m->closure_count; i++) {
        d->side[2 * i] = side(w, d, &m->closures[i].A);
        d->side[2 * i + 1] = side(w, d, &m->closures[i].B);
    }
}

void jn_change_push(struct jn_derivatives_work *d, int link, jn_vec3 point, jn_vec3 at, jn_vec3 f, jn_vec3 df,
                    jn_vec3 n, jn_vec3 dn) {
    jn_vec3 r = v3_sub(point, d->c[link]);
    jn_wrench by = {v3_add(dn, v3_add(v3_cross(at, f), v3_cross(r, df))), df};
    d->load_change[link] = wr_add(d->load_change[link], by);
    if (d->adds_load) d->load[link] = wr_add(d->load[link], (jn_wrench){v3_add(n, v3_cross(r, f)), f});
}
