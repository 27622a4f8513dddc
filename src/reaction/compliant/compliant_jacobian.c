/* Derivatives of contact forces: geometry of the touching surfaces, then the laws, then the loads. */
#include "reaction/compliant/compliant_jacobian.h"
#include "algebra/elementary.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- the geometry */

/* Symmetric 2x2 in the tangent plane, with respect to the axes t[0], t[1]. */
typedef struct jn_plane2 {
    double xx, xy, yy;
} jn_plane2;

typedef struct jn_geometry_change {
    jn_vec3 n, pA, pB;
    double gap;
} jn_geometry_change;

/* Shape operator: change of the outward normal per step on the surface. */
static jn_plane2 shape_operator(const double k[2], jn_vec3 d, const jn_vec3 t[2]) {
    double c = v3_dot(d, t[0]), s = v3_dot(d, t[1]);
    return (jn_plane2){k[0] * c * c + k[1] * s * s, (k[0] - k[1]) * c * s, k[0] * s * s + k[1] * c * c};
}

static void plane2_mul(const jn_plane2 *a, const double x[2], double y[2]) {
    double x0 = x[0], x1 = x[1];
    y[0] = a->xx * x0 + a->xy * x1, y[1] = a->xy * x0 + a->yy * x1;
}

/* (1 + g S)^-1, which commutes with S. */
static jn_plane2 resolvent(const jn_plane2 *S, double g) {
    double a = 1 + g * S->xx, b = g * S->xy, c = 1 + g * S->yy, det = a * c - b * b;
    return (jn_plane2){c / det, -b / det, a / det};
}

static jn_plane2 product(const jn_plane2 *a, const jn_plane2 *b) { /* of matrices that commute */
    return (jn_plane2){a->xx * b->xx + a->xy * b->xy, a->xx * b->xy + a->xy * b->yy, a->xy * b->xy + a->yy * b->yy};
}

/* y = T^+ x: nothing along directions in which T is zero against `scale`. */
static void solve_singular(const jn_plane2 *T, double scale, const double x[2], double y[2]) {
    double mean = 0.5 * (T->xx + T->yy), half = jn_hypot_safe(0.5 * (T->xx - T->yy), T->xy);
    double angle = 0.5 * jn_atan2(2 * T->xy, T->xx - T->yy), e[2] = {jn_cos(angle), jn_sin(angle)};
    double value[2] = {mean + half, mean - half};
    y[0] = y[1] = 0;
    for (int k = 0; k < 2; k++) {
        double d[2] = {k ? -e[1] : e[0], k ? e[0] : e[1]};
        if (fabs(value[k]) <= 1e-9 * scale) continue;
        double part = (d[0] * x[0] + d[1] * x[1]) / value[k];
        y[0] += part * d[0], y[1] += part * d[1];
    }
}

/* Which side carries the normal: the one with a surface where the other has an edge; a plane; else the flatter one. */
static bool normal_on_B(const jn_contacts *c, const jn_solid_pair *pair, const jn_contact_geometry *t) {
    if (t->smoothA != t->smoothB) return t->smoothB;
    jn_shape_type a = jn_solid_type(&c->m->solids[pair->a]), b = jn_solid_type(&c->m->solids[pair->b]);
    if (a == JN_SHAPE_PLANE || a == JN_SHAPE_HALF_PLANE) return false;
    if (b == JN_SHAPE_PLANE || b == JN_SHAPE_HALF_PLANE) return true;
    return t->kB[0] + t->kB[1] < t->kA[0] + t->kA[1];
}

/* Change of normal, gap and touching points. O carries the normal n, F faces it; their material points move by vO, vF and
 * the touching points slide by sO, sF on the surfaces, with shape operators SO, SF:
 *
 *     dn = wO x n + SO sO = wF x n - SF sF,      dpF - dpO = (v_T + sF - sO) + n dg,   v_T + sF - sO = g dn.
 *
 * Where F has an edge or corner, or both are flat (in one direction, or in both), sF = 0: F keeps its point. This is the
 * linearised common-normal condition [Rodrigues2024, eq. 33]. Edge against edge: as if the normal were fixed on O. The couple of points of circles is taken
 * as constant. */
static jn_geometry_change geometry_change(const jn_contact_tangent *c, const jn_link_change *A,
                                          const jn_link_change *B) {
    const jn_contact_geometry *t = &c->point;
    const jn_link_change *O = c->turned ? B : A, *F = c->turned ? A : B;
    jn_vec3 vA = tw_shift(A->pose, v3_sub(t->pA, c->origin_A)).v, vB = tw_shift(B->pose, v3_sub(t->pB, c->origin_B)).v;
    jn_vec3 v = c->turned ? v3_sub(vA, vB) : v3_sub(vB, vA), n = c->turned ? v3_neg(t->n) : t->n;
    jn_plane2 SA = shape_operator(t->kA, t->dA, c->t), SB = shape_operator(t->kB, t->dB, c->t);
    jn_plane2 SO = c->turned ? SB : SA, SF = c->turned ? SA : SB, E = resolvent(&SO, t->gap), ES = product(&E, &SO);
    jn_plane2 T = {SF.xx + ES.xx, SF.xy + ES.xy, SF.yy + ES.yy};
    jn_vec3 turn_O = v3_cross(O->pose.w, n), turn_F = v3_cross(F->pose.w, n);
    double vT[2], base[2], part[2], rhs[2], sF[2] = {0, 0}, dn[2];
    for (int k = 0; k < 2; k++) vT[k] = v3_dot(v, c->t[k]), base[k] = v3_dot(turn_O, c->t[k]);
    plane2_mul(&E, base, base);
    plane2_mul(&ES, vT, part);
    for (int k = 0; k < 2; k++) base[k] += part[k], rhs[k] = v3_dot(turn_F, c->t[k]) - base[k];
    double scale = fabs(SF.xx) + fabs(SF.yy) + fabs(ES.xx) + fabs(ES.yy);
    if (c->turned ? t->smoothA : t->smoothB) solve_singular(&T, scale, rhs, sF);
    plane2_mul(&ES, sF, dn);
    for (int k = 0; k < 2; k++) dn[k] += base[k];
    jn_vec3 slide_F = v3_axpy(sF[0], c->t[0], v3_scale(sF[1], c->t[1]));
    jn_vec3 slide_O =
        v3_axpy(vT[0] + sF[0] - t->gap * dn[0], c->t[0], v3_scale(vT[1] + sF[1] - t->gap * dn[1], c->t[1]));
    jn_vec3 d = v3_axpy(dn[0], c->t[0], v3_scale(dn[1], c->t[1]));
    return (jn_geometry_change){.n = c->turned ? v3_neg(d) : d,
                                .pA = v3_add(vA, c->turned ? slide_F : slide_O),
                                .pB = v3_add(vB, c->turned ? slide_O : slide_F),
                                .gap = v3_dot(v, n) + v3_dot(t->couple, v3_sub(B->pose.w, A->pose.w))};
}

/* Change of the tangents: t1 = (n x e)/|n x e| with the axis e on a link that changes, t2 = n x t1. */
static void tangent_change(const jn_contact_tangent *c, jn_vec3 dn, const jn_link_change *carrier, jn_vec3 dt[2]) {
    if (c->planar) {
        dt[0] = v3(dn.y, -dn.x, 0);
    } else {
        jn_vec3 e = c->axis, de = v3_cross(carrier->pose.w, e), n = c->point.n;
        jn_vec3 d = v3_scale(1 / v3_norm(v3_cross(n, e)), v3_add(v3_cross(dn, e), v3_cross(n, de)));
        dt[0] = v3_axpy(-v3_dot(c->t[0], d), c->t[0], d);
    }
    dt[1] = v3_add(v3_cross(dn, c->t[0]), v3_cross(c->point.n, dt[0]));
}

/* ----------------------------------------------------------------------------------------------------- the laws */

void jn_contact_tangent_make(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                             const jn_contact_geometry *point, const jn_contact_state *cached,
                             jn_contact_tangent *out) {
    const jn_contact_law *law = &c->law[jn_model_contact_of(c->m, pair->a, pair->b)];
    memset(out, 0, sizeof *out);
    out->link_A = c->m->solids[pair->a].link, out->link_B = c->m->solids[pair->b].link;
    const jn_link_motion *A = &w->link[out->link_A], *B = &w->link[out->link_B];
    out->directions = c->m->planar || law->roller >= 0 ? 1 : 2;
    out->axis_on_B = law->roller >= 0 && law->roller == out->link_B;
    out->planar = c->m->planar, out->point = *point, out->turned = normal_on_B(c, pair, point);
    out->origin_A = A->O, out->origin_B = B->O, out->twist_A = A->V, out->twist_B = B->V;
    out->motion = jn_contact_motion(c, w, pair, point);
    jn_contact_tangents(c, w, point, cached, out->t, &out->axis);
    jn_normal_law normal = jn_contact_normal(law, cached);
    double depth = -jn_contact_gap(cached, point);
    jn_normal_eval(&normal, depth, -out->motion.gap_rate, cached->speed, &out->normal);
    out->slope = jn_elastic_eval(&normal.elastic, depth).slope;
    double load = jn_fmax(0, out->normal.f);
    out->has_friction = law->has_friction, out->has_resistance = law->has_resistance;
    if (law->has_friction) {
        for (int k = 0; k < out->directions; k++) out->v[k] = v3_dot(out->t[k], out->motion.slip);
        out->states = law->friction.info->states;
        jn_friction_eval(&law->friction, load, out->v, cached->compliant.friction, NULL, &out->friction);
    }
    if (law->has_resistance) {
        for (int k = 0; k < 3; k++) out->turn[k] = v3_dot(k < 2 ? out->t[k] : point->n, out->motion.w);
        jn_resistance_eval(&law->resistance, load, out->turn, &out->resistance);
    }
}

/* What the laws see change. */
typedef struct jn_contact_point_change {
    jn_geometry_change point;
    jn_vec3 dt[2], v, w; /* tangents, relative velocity, relative angular velocity */
    double df, load;     /* normal force, and as far as friction sees it */
} jn_contact_point_change;

static jn_contact_point_change see(const jn_contact_tangent *c, const jn_link_change *A, const jn_link_change *B,
                                   jn_contact_change *out) {
    jn_contact_point_change s = {.point = geometry_change(c, A, B)};
    tangent_change(c, s.point.n, c->axis_on_B ? B : A, s.dt);
    double share[2];
    jn_vec3 at = jn_contact_share(share, c->link_A, c->link_B, &c->point);
    jn_vec3 moved = v3_axpy(share[0], s.point.pA, v3_scale(share[1], s.point.pB));
    jn_vec3 rA = v3_sub(at, c->origin_A), rB = v3_sub(at, c->origin_B);
    jn_vec3 drA = v3_sub(moved, A->pose.v), drB = v3_sub(moved, B->pose.v);
    jn_vec3 vA = v3_add(tw_shift(A->twist, rA).v, v3_cross(c->twist_A.w, drA));
    jn_vec3 vB = v3_add(tw_shift(B->twist, rB).v, v3_cross(c->twist_B.w, drB));
    s.v = v3_sub(vB, vA), s.w = v3_sub(B->twist.w, A->twist.w);
    double depth = -s.point.gap, rate = -v3_dot(s.v, c->point.n) - v3_dot(c->motion.v, s.point.n) - v3_dot(c->point.couple, s.w);
    s.df = c->normal.f_depth * depth + c->normal.f_rate * rate;
    s.load = c->normal.f > 0 ? s.df : 0;
    out->damping = -(s.df - c->slope * depth) * c->motion.gap_rate + (c->normal.f - c->normal.elastic) * rate;
    return s;
}

/* Force of friction, its change added to dF; the slip v_k = t_k . v. */
static void friction_change(const jn_contact_tangent *c, const jn_contact_point_change *s, const double *z, jn_vec3 *dF,
                            jn_contact_change *out) {
    const jn_friction_force *f = &c->friction;
    double dv[2] = {0, 0};
    for (int k = 0; k < c->directions; k++) dv[k] = v3_dot(c->t[k], s->v) + v3_dot(s->dt[k], c->motion.v);
    for (int i = 0; i < 2; i++) {
        double df = f->f_load[i] * s->load + f->f_v[i][0] * dv[0] + f->f_v[i][1] * dv[1];
        for (int k = 0; z && k < c->states; k++) df += f->f_z[i][k] * z[k];
        *dF = v3_add(*dF, v3_axpy(df, c->t[i], v3_scale(f->f[i], s->dt[i])));
        out->friction -= df * c->v[i] + f->f[i] * dv[i];
    }
    for (int i = 0; i < c->states; i++) {
        out->rate[i] = f->rate_v[i][0] * dv[0] + f->rate_v[i][1] * dv[1];
        for (int k = 0; z && k < c->states; k++) out->rate[i] += f->rate_z[i][k] * z[k];
    }
}

static jn_vec3 resistance_change(const jn_contact_tangent *c, const jn_contact_point_change *s,
                                 jn_contact_change *out) {
    const jn_resistance_torque *m = &c->resistance;
    jn_vec3 axis[3] = {c->t[0], c->t[1], c->point.n}, d_axis[3] = {s->dt[0], s->dt[1], s->point.n}, torque = {0, 0, 0};
    double dw[3];
    for (int k = 0; k < 3; k++) dw[k] = v3_dot(axis[k], s->w) + v3_dot(d_axis[k], c->motion.w);
    for (int i = 0; i < 3; i++) {
        double dm = m->m_load[i] * s->load;
        for (int k = 0; k < 3; k++) dm += m->m_w[i][k] * dw[k];
        torque = v3_add(torque, v3_axpy(dm, axis[i], v3_scale(m->m[i], d_axis[i])));
        out->friction -= dm * c->turn[i] + m->m[i] * dw[i];
    }
    return torque;
}

void jn_contact_tangent_apply(const jn_contact_tangent *c, const jn_link_change *A, const jn_link_change *B,
                              const double *z, jn_contact_change *out) {
    memset(out, 0, sizeof *out);
    jn_contact_point_change s = see(c, A, B, out);
    const jn_vec3 n = c->point.n;
    jn_vec3 F = v3_scale(c->normal.f, n), dF = v3_axpy(s.df, n, v3_scale(c->normal.f, s.point.n)), dM = {0, 0, 0};
    if (c->has_friction) {
        F = v3_add(F, v3_axpy(c->friction.f[0], c->t[0], v3_scale(c->friction.f[1], c->t[1])));
        friction_change(c, &s, z, &dF, out);
    }
    if (c->has_resistance) dM = resistance_change(c, &s, out);
    dM = v3_axpy(s.df, c->point.couple, dM);
    double share[2];
    jn_vec3 at = jn_contact_share(share, c->link_A, c->link_B, &c->point);
    jn_vec3 moved = v3_axpy(share[0], s.point.pA, v3_scale(share[1], s.point.pB));
    jn_vec3 rA = v3_sub(at, c->origin_A), rB = v3_sub(at, c->origin_B);
    jn_vec3 drA = v3_sub(moved, A->pose.v), drB = v3_sub(moved, B->pose.v);
    out->F = F;
    out->A = (jn_wrench){v3_neg(v3_add(v3_add(v3_cross(drA, F), v3_cross(rA, dF)), dM)), v3_neg(dF)};
    out->B = (jn_wrench){v3_add(v3_add(v3_cross(drB, F), v3_cross(rB, dF)), dM), dF};
}
