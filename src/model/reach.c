/* Lengths between places on links: paths of cables, places seen from others, sliders and cranks. Where a cable touches a round body its
 * length does not change if that point moves on the body (the curve is the shortest one), so that a cable is a chain of straight pieces,
 * each pulling the matter at its ends towards each other. Everything is written with changes along a direction: without one they
 * are zero, along the motion they give the part of the acceleration that is quadratic in the velocities, along q and u the
 * derivatives of forces. */
#include "model/reach.h"
#include "algebra/wrap.h"

static const jn_dual3 none = {{0, 0, 0}, {0, 0, 0}};

static jn_dual3 point_of(const jn_frames *x, const jn_side *s) {
    jn_pose L = x->pose(x->context, s->link);
    jn_dual3 p = {v3_add(L.p, m3_mul_v(&L.R, s->p)), v3(0, 0, 0)};
    jn_vec3 about;
    if (!x->change || !s->link) return p;
    jn_twist t = x->change(x->context, s->link, &about);
    p.d = v3_add(t.v, v3_cross(t.w, v3_sub(p.v, about)));
    return p;
}

static jn_vec3 turn_of(const jn_frames *x, int link) {
    jn_vec3 about;
    return x->change && link ? x->change(x->context, link, &about).w : v3(0, 0, 0);
}

/* A direction that the link of a side carries, given in the axes of the side. */
static jn_dual3 direction_of(const jn_frames *x, const jn_side *s, jn_vec3 local) {
    jn_pose L = x->pose(x->context, s->link);
    jn_dual3 e = {m3_mul_v(&L.R, m3_mul_v(&s->E, local)), v3(0, 0, 0)};
    e.d = v3_cross(turn_of(x, s->link), e.v);
    return e;
}

/* ------------------------------------------------------------------------------------------------------------- paths */

/* Pulls of a path while they are made. */
typedef struct path_sum {
    jn_dual length;
    jn_pull *pull;
    int count;
    double weight; /* 1 / divisor of the branch */
} path_sum;

static void add_piece(path_sum *s, int A, jn_dual3 a, int B, jn_dual3 b) {
    jn_dual3 d = du3_sub(b, a);
    s->length = du_add(s->length, du_scale(s->weight, du3_norm(d)));
    if (A != B) s->pull[s->count++] = (jn_pull){A, B, a, b, du3_scale(du(s->weight), du3_unit(d)), none};
}

static void add_round(const jn_frames *x, path_sum *s, const jn_path_node *from, const jn_path_node *over,
                      const jn_path_node *to) {
    jn_dual3 a = point_of(x, &from->place), b = point_of(x, &to->place);
    jn_round_body round = {.is_sphere = over->kind == JN_PATH_SPHERE,
                           .radius = over->radius,
                           .centre = point_of(x, &over->place),
                           .has_side = over->has_side};
    jn_wrapping touch;
    for (int k = 0; k < 3 && !round.is_sphere; k++) round.axes[k] = direction_of(x, &over->place, v3_axis(k));
    if (over->has_side) round.side = point_of(x, &over->side);
    if (!jn_wrap(&round, a, b, &touch)) {
        add_piece(s, from->place.link, a, to->place.link, b);
        return;
    }
    add_piece(s, from->place.link, a, over->place.link, touch.first);
    s->length = du_add(s->length, du_scale(s->weight, touch.curve));
    add_piece(s, over->place.link, touch.last, to->place.link, b);
}

static bool is_round(const jn_path_node *n) { return n->kind == JN_PATH_SPHERE || n->kind == JN_PATH_CYLINDER; }

static int evaluate_path(const jn_path_node *nodes, const jn_frames *x, const jn_reach *r, jn_dual *length,
                         jn_pull *out) {
    path_sum s = {.length = du(0), .pull = out, .weight = 1};
    const jn_path_node *n = nodes + r->node, *end = n + r->nodes;
    while (n + 1 < end) {
        if (n->kind == JN_PATH_PULLEY) {
            s.weight = 1 / n->divisor, n++;
        } else if (n[1].kind == JN_PATH_PULLEY) {
            n++;
        } else if (is_round(n + 1)) {
            add_round(x, &s, n, n + 1, n + 2), n += 2;
        } else {
            add_piece(&s, n->place.link, point_of(x, &n->place), n[1].place.link, point_of(x, &n[1].place)), n++;
        }
    }
    *length = s.length;
    return s.count;
}

/* --------------------------------------------------------------------------------------------- wrenches and cranks */

/* Rotation vector of B against A in the axes of A, and its change: phi' = psi - phi x psi/2 + g phi x (phi x psi) where B turns by psi against
 * A, g = (1 - a/2 cot(a/2))/a^2, a = |phi|. */
static jn_dual3 rotation_between(const jn_frames *x, const jn_reach *r) {
    jn_pose A = x->pose(x->context, r->A.link), B = x->pose(x->context, r->B.link);
    jn_mat3 EA = m3_mul(&A.R, &r->A.E), EB = m3_mul(&B.R, &r->B.E);
    jn_mat3 EAt = m3_transpose(&EA), R = m3_mul(&EAt, &EB);
    jn_vec3 phi = q4_log(q4_from_matrix(&R));
    jn_vec3 psi = m3_mul_v(&EAt, v3_sub(turn_of(x, r->B.link), turn_of(x, r->A.link))), twice = v3_cross(phi, psi);
    double a2 = v3_dot(phi, phi), a = sqrt(a2);
    double g = a < 1e-3 ? 1.0 / 12 + a2 / 720 : (1 - 0.5 * a / jn_tan(0.5 * a)) / a2;
    return (jn_dual3){phi, v3_add(v3_axpy(-0.5, twice, psi), v3_scale(g, v3_cross(phi, twice)))};
}

static jn_dual3 constant(jn_vec3 v) { return (jn_dual3){v, v3(0, 0, 0)}; }

static int evaluate_wrench(const jn_frames *x, const jn_reach *r, jn_dual *length, jn_pull *out) {
    jn_dual3 b = point_of(x, &r->B), f = direction_of(x, r->force_on_B ? &r->B : &r->A, r->force),
             n = direction_of(x, r->turn_on_B ? &r->B : &r->A, r->torque);
    *out = (jn_pull){r->A.link, r->B.link, b, b, f, n};
    *length = du(0);
    if (r->measures)
        *length = du_add(du3_dot(direction_of(x, &r->A, r->force), du3_sub(b, point_of(x, &r->A))),
                         du3_dot(constant(r->torque), rotation_between(x, r)));
    return 1;
}

/* Angle between the z axes: it changes by the rotation about the normal of both. */
static int evaluate_swing(const jn_frames *x, const jn_reach *r, jn_dual *length, jn_pull *out) {
    jn_dual3 a = direction_of(x, &r->A, v3(0, 0, 1)), c = direction_of(x, &r->B, v3(0, 0, 1)), n = du3_cross(a, c),
             b = point_of(x, &r->B);
    *length = du_atan2(du3_norm(n), du3_dot(a, c));
    *out = (jn_pull){r->A.link, r->B.link, b, b, none, du3_unit(n)};
    return r->A.link != r->B.link;
}

/* The angle |phi|: its rate is that of the rotation about its own axis. Where nothing is turned it has no axis, and no row. */
static int evaluate_rotation(const jn_frames *x, const jn_reach *r, jn_dual *length, jn_pull *out) {
    jn_dual3 phi = rotation_between(x, r), axis = du3_unit(phi), b = point_of(x, &r->B);
    jn_pose A = x->pose(x->context, r->A.link);
    jn_mat3 E = m3_mul(&A.R, &r->A.E);
    jn_dual3 n = {m3_mul_v(&E, axis.v), m3_mul_v(&E, axis.d)};
    n.d = v3_add(n.d, v3_cross(turn_of(x, r->A.link), n.v));
    *length = du3_norm(phi);
    *out = (jn_pull){r->A.link, r->B.link, b, b, none, n};
    return r->A.link != r->B.link;
}

/* The slider is at the distance s along its axis e with |v - s e| = rod, v from its zero to the crank: s = e.v - sqrt((e.v)^2 + rod^2 - v.v). A
 * rod that is too short holds it below the crank. */
static int evaluate_crank(const jn_frames *x, const jn_reach *r, jn_dual *length, jn_pull *out) {
    jn_dual3 b = point_of(x, &r->B), v = du3_sub(b, point_of(x, &r->A)), e = direction_of(x, &r->A, v3(0, 0, 1)), f = e;
    jn_dual along = du3_dot(e, v), left = du_sub(du_add(du_mul(along, along), du(r->rod * r->rod)), du3_dot(v, v));
    *length = along;
    if (left.v > 0) {
        jn_dual root = du_sqrt(left);
        *length = du_sub(along, root);
        f = du3_add(du3_scale(du_sub(du(1), du_div(along, root)), e), du3_scale(du_div(du(1), root), v));
    }
    *out = (jn_pull){r->A.link, r->B.link, b, b, f, none};
    return 1;
}

/* Towards each other along the normals, each with its part. */
static int evaluate_contacts(const jn_frames *x, const jn_reach *r, jn_dual *length, jn_pull *out) {
    int count = 0;
    *length = du(0);
    for (const jn_adhesive *g = x->adhesive ? x->adhesive + r->pull : NULL; g && count < r->pulls && g->weight > 0; g++) {
        const jn_side A = {.link = g->A, .E = m3_identity()}, B = {.link = g->B, .p = g->at};
        jn_dual3 b = point_of(x, &B), n = direction_of(x, &A, v3_scale(-g->weight, g->n));
        out[count++] = (jn_pull){g->A, g->B, b, b, n, none};
    }
    return count;
}

int jn_reach_evaluate(const jn_path_node *nodes, const jn_reach *r, const jn_frames *x, jn_dual *length, jn_pull *out) {
    switch (r->type) {
    case JN_REACH_PATH: return evaluate_path(nodes, x, r, length, out);
    case JN_REACH_CONTACTS: return evaluate_contacts(x, r, length, out);
    case JN_REACH_ROTATION: return r->swings ? evaluate_swing(x, r, length, out) : evaluate_rotation(x, r, length, out);
    case JN_REACH_WRENCH: return evaluate_wrench(x, r, length, out);
    default: return evaluate_crank(x, r, length, out);
    }
}
