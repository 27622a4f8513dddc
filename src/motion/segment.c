/* Discrete mechanics of trees: momenta of bodies between two nodes.
 *
 * A body turns by exp(h w) on a segment. Joints compose by Rodrigues' vectors g = tan(h|w|/2) w/|w|,
 *
 *     R1 R2:  g = (g1 + g2 + g1 x g2) / (1 - g1.g2),       exp(h w) r - r = 2 (g x r + g x (g x r)) / (1 + g.g)
 *
 * and the momentum of a body, the same seen from both ends, is that of the discrete Lagrangian with kinetic energy
 * (m v.v + w.I w) / 2 [Marsden2001, part 2]: the derivative of the exponential map [Iserles2000, 2.44] gives
 *
 *     p = m v,    L = I w + h/2 w x I w + c h^2 w x (w x I w),    c = (1 - x cot x) / (4 x^2), x = h|w|/2,    I = R(0) J R(0)^T,
 *
 * which is I w for a body that turns about an axis of its inertia. Velocities come from the increments, never from differences of
 * poses: nothing cancels. In a plane rotations add up, L = J w. */
#include "motion/segment.h"

#include "algebra/angle.h"
#include "algebra/elementary.h"
#include "algebra/four.h"
#include "motion/joint_dot.h"
#include <string.h>

static inline jn_vec3 compose(jn_vec3 g1, jn_vec3 g2) {
    return v3_scale(1 / (1 - v3_dot(g1, g2)), v3_add(v3_add(g1, g2), v3_cross(g1, g2)));
}

typedef long long four_flags __attribute__((vector_size(32)));

#define SMALL 0.01 /* squares of angles up to which eight terms of a series are exact */

/* (1 - atan(x)/x) / x^2 with small z = x^2. */
static inline double atan_series(double z) {
    return 1.0 / 3 -
           z * (1.0 / 5 -
                z * (1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11 - z * (1.0 / 13 - z * (1.0 / 15 - z * (1.0 / 17)))))));
}

static double atan_rest(double z) {
    double x = sqrt(z);
    return (1 - jn_atan(x) / x) / z;
}

/* tan(x)/x with small z = x^2. */
static inline double tan_series(double z) {
    return 1 + z * (1.0 / 3 +
                    z * (2.0 / 15 + z * (17.0 / 315 + z * (62.0 / 2835 +
                                                           z * (1382.0 / 155925 + z * (21844.0 / 6081075 +
                                                                                       z * (929569.0 / 638512875)))))));
}

static double tan_ratio(double z) {
    if (z <= SMALL) return tan_series(z);
    double c, s, x = sqrt(z);
    jn_cos_sin(x, &c, &s);
    return s / (c * x);
}

/* tan(x / 2) where x is not small */
static double half_tangent(double x) {
    double c, s;
    jn_cos_sin(x, &c, &s);
    return s / (1 + c);
}

/* Rodrigues' vector of a turn by the vector a. */
static jn_vec3 rodrigues(jn_vec3 a) { return v3_scale(0.5 * tan_ratio(0.25 * v3_dot(a, a)), a); }

/* (exp(h w) r - r), with k = 2 / (1 + g.g). */
static inline jn_vec3 chord(jn_vec3 g, double k, jn_vec3 r) {
    jn_vec3 gr = v3_cross(g, r);
    return v3_scale(k, v3_add(gr, v3_cross(g, gr)));
}

/* Rodrigues' vector of a link that is on no hinge from that of its parent: its joint's rotations one after the other, about their axes at the node. t: tangents
 * of half of the angles of its coordinates. */
static inline jn_vec3 turned_by_other(const jn_link *l, const jn_twist *S, const double *u, const double *t, double h,
                             jn_vec3 g) {
    switch (l->type) {
    case JN_JOINT_SCREW: return compose(g, v3_scale(t[0], S[0].w));
    case JN_JOINT_CYLINDRICAL: return compose(g, v3_scale(t[1], S[1].w));
    case JN_JOINT_PLANAR: return compose(g, v3_scale(t[2], S[2].w));
    case JN_JOINT_UNIVERSAL: return compose(compose(g, v3_scale(t[0], S[0].w)), v3_scale(t[1], S[1].w));
    case JN_JOINT_SPHERICAL:
    case JN_JOINT_FREE: {
        int k = l->type == JN_JOINT_FREE ? 3 : 0;
        jn_vec3 w = v3_axpy(u[k], S[k].w, v3_axpy(u[k + 1], S[k + 1].w, v3_scale(u[k + 2], S[k + 2].w)));
        return compose(g, rodrigues(v3_scale(h, w)));
    }
    default: return g;
    }
}

/* Velocity of a link from its parent, which turns by g: O = O_P + r, and slides along S.v. */
static inline jn_vec3 move_link(const jn_link *l, const jn_link_motion *B, const jn_twist *S, const double *u, double h,
                                const jn_segment_link *P) {
    jn_vec3 slide = v3(0, 0, 0), arm = B->r;
    if (l->type != JN_JOINT_REVOLUTE) {
        for (int k = 0; k < l->nv; k++) slide = v3_axpy(u[k], S[k].v, slide);
        arm = v3_axpy(h, slide, arm); /* what the parent's turn does to the slide too */
    }
    jn_vec3 v = v3_add(P->v, slide);
    return l->in_place ? v : v3_add(v, chord(P->g, P->chord, arm));
}

/* Turn and velocity of a link. by_h = 1/h. Returns g.g. */
static inline double turn_link(const jn_link *l, const jn_link_motion *B, const jn_twist *S, const double *u,
                               const double *t, double h, double by_h, const jn_segment_link *P, jn_segment_link *out) {
    jn_vec3 g = P->g, v;
    if (l->world_axes) {
        g = rodrigues(v3_scale(h, v3(u[3], u[4], u[5]))), v = v3(u[0], u[1], u[2]);
    } else {
        v = move_link(l, B, S, u, h, P);
        if (l->type == JN_JOINT_REVOLUTE)
            g = compose(g, v3_scale(t[0], S[0].w));
        else if (l->nv)
            g = turned_by_other(l, S, u, t, h, g);
    }
    double z = v3_dot(g, g);
    out->g = g, out->v = v, out->chord = 2 * by_h / (1 + z);
    return z;
}

/* Momenta about the centre of mass, at the link's origin. */
static inline jn_wrench at_origin(jn_vec3 c, jn_vec3 p, jn_vec3 L) { return (jn_wrench){v3_add(L, v3_cross(c, p)), p}; }

/* Momenta of a link that has turned; z = g.g, rest = (1 - atan(x)/x) / x^2 of x = |g|. F: at its origin. */
static inline void link_momenta(const jn_link *l, const jn_link_motion *B, double h, double by_h, double z, double rest,
                                jn_segment_link *out, jn_wrench *F) {
    double a = 1 - z * rest; /* atan(x)/x */
    jn_vec3 g = out->g, w = v3_scale(2 * a * by_h, g), com = B->c;
    out->w = w;
    if (l->massless) {
        out->p = out->L = v3(0, 0, 0), *F = wr_zero();
        return;
    }
    double c = rest / (4 * a * a); /* (1 - x cot x) / (4 x^2) of x = atan|g| */
    jn_vec3 p = v3_scale(l->mass, v3_add(out->v, chord(g, out->chord, com)));
    jn_vec3 Iw = m3_mul_v(&B->R, s3_mul_v(&l->inertia, m3_tmul_v(&B->R, w))), wIw = v3_cross(w, Iw);
    jn_vec3 L = v3_add(Iw, v3_axpy(0.5 * h, wIw, v3_scale(c * h * h, v3_cross(w, wIw))));
    out->p = p, out->L = L, *F = at_origin(com, p, L);
}

enum { BLOCK = 32 }; /* links whose series are summed together: alone each term waits for the one before */

bool jn_link_is_round(const jn_link *l) {
    const jn_sym3 *J = &l->inertia;
    return l->alone && J->xx == J->yy && J->yy == J->zz && J->xy == 0 && J->xz == 0 && J->yz == 0;
}

/* The same for such bodies, whose velocities have the axes of the world: p = m v, L = I w. */
static void round_segments(const jn_model *m, const double *u, double h, int from, int to, jn_segment_link *seg) {
    for (int i = from; i < to; i++) {
        const jn_link *l = &m->links[i];
        const double *x = u + l->v;
        jn_vec3 v = v3(x[0], x[1], x[2]), w = v3(x[3], x[4], x[5]);
        seg[i] = (jn_segment_link){
            .chord = 2 / h, .w = w, .v = v, .L = v3_scale(l->inertia.xx, w), .p = v3_scale(l->mass, v)};
    }
}

/* Whether a round body turns by more than half a turn: Rodrigues' vectors do not know it, and L = I w does. */
static bool turns_far(const jn_link *l, const double *u, double h) {
    if (!l->alone) return false;
    const double *w = u + l->v + 3;
    return h * h * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > M_PI * M_PI && jn_link_is_round(l);
}

static inline int whole(int count) { return (count + 3) & ~3; } /* the next multiple of four */

/* Whether one of so many numbers is larger than those of which the series are exact. */
static inline bool is_any_large(const double *z, int count) {
    four_flags any = {0};
    for (int k = 0; k < count; k += 4) any |= JN_FOUR_OF(z + k) > SMALL;
    return any[0] | any[1] | any[2] | any[3];
}

/* tan(h u / 2); whole vectors, the last filled up with zeros. */
static inline void find_tangents(const double *u, int count, double h, double *restrict tangent) {
    double x[6 * BLOCK + 4], z[6 * BLOCK + 4];
    int end = whole(count);
    for (int k = 0; k < count; k++) x[k] = h * u[k];
    JN_FOUR(x + count) = (jn_four){0};
    for (int k = 0; k < end; k++) z[k] = 0.25 * x[k] * x[k], tangent[k] = 0.5 * x[k] * tan_series(z[k]);
    if (!is_any_large(z, end)) return;
    for (int k = 0; k < count; k++)
        if (z[k] > SMALL) tangent[k] = half_tangent(x[k]);
}

/* (1 - atan(x)/x) / x^2 with z = x^2; the same, and there is room for four numbers more. */
static inline void find_rests(double *restrict z, int count, double *restrict rest) {
    int end = whole(count);
    JN_FOUR(z + count) = (jn_four){0};
    for (int k = 0; k < end; k++) rest[k] = atan_series(z[k]);
    if (!is_any_large(z, end)) return;
    for (int k = 0; k < count; k++)
        if (z[k] > SMALL) rest[k] = atan_rest(z[k]);
}

/* Links from `from` to before `to`, after their parents. */
static void block_segments(const jn_model *m, jn_work *work, const double *u, double h, int from, int to,
                           jn_segment_link *seg) {
    double by_h = 1 / h, tangent[6 * BLOCK + 4], z[BLOCK + 4], rest[BLOCK + 4];
    const jn_link *last = &m->links[to - 1];
    bool round = true;
    for (int i = from; i < to && round; i++) round = jn_link_is_round(&m->links[i]);
    if (round) {
        round_segments(m, u, h, from, to, seg);
        return;
    }
    int v = m->links[from].v;
    find_tangents(u + v, last->v + last->nv - v, h, tangent);
    for (int i = from; i < to; i++) {
        const jn_link *l = &m->links[i];
        z[i - from] = turn_link(l, &work->link[i], work->S + l->v, u + l->v, tangent + (l->v - v), h, by_h,
                                &seg[l->parent], &seg[i]);
    }
    find_rests(z, to - from, rest);
    for (int i = from; i < to; i++) {
        const jn_link *l = &m->links[i];
        link_momenta(l, &work->link[i], h, by_h, z[i - from], rest[i - from], &seg[i], &work->F[i]);
        if (turns_far(l, u, h)) round_segments(m, u, h, i, i + 1, seg);
    }
}

/* The same in a plane: (exp(h w) r - r) / h = sin(h w)/h e_z x r - (1 - cos(h w))/h r. */
static inline jn_vec3 flat_chord(double c, double s, jn_vec3 r) { return v3(-s * r.y - c * r.x, s * r.x - c * r.y, 0); }

static inline void flat_segment(const jn_link *l, const jn_link_motion *B, const jn_twist *S, const double *u, double h,
                                const double turn_P[2], const jn_segment_link *P, double turn[2],
                                jn_segment_link *out) {
    double w = P->w.z, x = 0, y = 0, c, s;
    for (int k = 0; k < l->nv; k++) w += u[k] * S[k].w.z, x += u[k] * S[k].v.x, y += u[k] * S[k].v.y;
    jn_vec3 arm = flat_chord(turn_P[0], turn_P[1], v3(B->r.x + h * x, B->r.y + h * y, 0));
    out->w = v3(0, 0, w);
    out->v = v3(P->v.x + x + arm.x, P->v.y + y + arm.y, 0);
    jn_cos_sin(h * w, &c, &s);
    turn[0] = s * s / (1 + c) / h, turn[1] = s / h;
    if (c < 0) turn[0] = (1 - c) / h;
    jn_vec3 com = flat_chord(turn[0], turn[1], B->c);
    out->p = v3(l->mass * (out->v.x + com.x), l->mass * (out->v.y + com.y), 0);
    out->L = v3(0, 0, l->inertia.zz * w);
}

static void take_momenta(const jn_model *m, jn_work *w, const jn_segment_link *seg) {
    for (int i = 1; i < m->link_count; i++)
        if (!m->links[i].alone) w->F[i] = at_origin(w->link[i].c, seg[i].p, seg[i].L);
}

/* pi = S.F of the momenta w->F at the links' origins, inwards. */
static void project_inwards(const jn_model *m, jn_work *w, const jn_segment_link *seg, double *pi) {
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        jn_wrench F = w->F[i];
        if (l->alone) {
            jn_wrench_put((jn_wrench){seg[i].L, seg[i].p}, pi + l->v);
            continue;
        }
        jn_joint_dot(l, w->S + l->v, F, pi + l->v);
        if (l->parent > 0) w->F[l->parent] = wr_add(w->F[l->parent], jn_joint_shift(l, &w->link[i], F));
    }
}

static void add_rotors(const jn_model *m, const double *u, double *pi) {
    for (int k = 0; k < m->nv && m->armature; k++) pi[k] += m->armature[k] * u[k];
}

/* What is found of the links: momenta on a segment with velocities u, or forces, into pi (nv). */
typedef struct moving {
    const jn_model *m;
    jn_work *w;
    const double *u;
    double h;
    jn_segment_link *seg;
    double *pi;
    const jn_wrench *load;
} moving;

/* Blocks from `from` to before `to`, with their part of pi where all links are alone. */
static void some_segments(void *context, int from, int to) {
    const moving *all = context;
    const jn_model *m = all->m;
    for (int k = from; k < to; k++) {
        int first = 1 + k * BLOCK, end = first + BLOCK < m->link_count ? first + BLOCK : m->link_count;
        block_segments(m, all->w, all->u, all->h, first, end, all->seg);
        for (int i = first; i < end && all->w->all_alone; i++)
            jn_wrench_put((jn_wrench){all->seg[i].L, all->seg[i].p}, all->pi + m->links[i].v);
    }
}

void jn_segment_momenta(const jn_model *m, jn_work *w, const double *u, double h, jn_segment_link *seg, double *pi) {
    seg[0] = (jn_segment_link){0};
    if (m->flat) {
        double(*turn)[2] = w->turn;
        turn[0][0] = turn[0][1] = 0;
        for (int i = 1; i < m->link_count; i++) {
            const jn_link *l = &m->links[i];
            flat_segment(l, &w->link[i], w->S + l->v, u + l->v, h, turn[l->parent], &seg[l->parent], turn[i], &seg[i]);
        }
        take_momenta(m, w, seg);
    } else {
        int blocks = (m->link_count - 1 + BLOCK - 1) / BLOCK;
        moving all = {.m = m, .w = w, .u = u, .h = h, .seg = seg, .pi = pi};
        jn_pool_range(w->all_alone ? w->pool : NULL, blocks, JN_SHARED_LINKS / BLOCK, some_segments, &all);
    }
    if (!w->all_alone) project_inwards(m, w, seg, pi);
    add_rotors(m, u, pi);
}

void jn_segment_project(const jn_model *m, jn_work *w, const double *u, const jn_segment_link *seg, double *pi) {
    take_momenta(m, w, seg);
    project_inwards(m, w, seg, pi);
    add_rotors(m, u, pi);
}

/* Where all links are alone, of some behind the ground. */
static void some_forces(void *context, int from, int to) {
    const moving *all = context;
    const jn_work *w = all->w;
    for (int i = from + 1; i < to + 1; i++) {
        const jn_link *l = &all->m->links[i];
        jn_vec3 weight = v3_scale(l->mass, all->m->gravity);
        jn_wrench F = wr_add(w->load[i], (jn_wrench){v3_cross(w->link[i].c, weight), weight});
        all->w->F[i] = F;
        jn_wrench_put(F, all->pi + l->v);
        for (int k = l->v; k < l->v + l->nv; k++) all->pi[k] += w->tau[k];
    }
}

void jn_node_forces(const jn_model *m, jn_work *w, double *restrict f) {
    if (w->all_alone) {
        jn_pool_range(w->pool, m->link_count - 1, JN_SHARED_LINKS, some_forces, &(moving){.m = m, .w = w, .pi = f});
        return;
    }
    for (int i = 1; i < m->link_count; i++) {
        jn_vec3 weight = v3_scale(m->links[i].mass, m->gravity);
        w->F[i] = wr_add(w->load[i], (jn_wrench){v3_cross(w->link[i].c, weight), weight});
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        jn_wrench F = w->F[i];
        jn_joint_dot(l, w->S + l->v, F, f + l->v);
        if (l->parent > 0) w->F[l->parent] = wr_add(w->F[l->parent], jn_joint_shift(l, &w->link[i], F));
    }
    const double *tau = w->tau;
    for (int k = 0; k < m->nv; k++) f[k] = tau[k] + f[k];
}

void jn_node_weights(const jn_model *m, jn_work *w, double *f) {
    for (int i = 1; i < m->link_count; i++) {
        jn_vec3 weight = v3_scale(m->links[i].mass, m->gravity);
        w->F[i] = (jn_wrench){v3_cross(w->link[i].c, weight), weight};
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        jn_wrench F = w->F[i];
        jn_joint_dot(l, w->S + l->v, F, f + l->v);
        if (l->parent > 0) w->F[l->parent] = wr_add(w->F[l->parent], jn_joint_shift(l, &w->link[i], F));
    }
}

/* Few links bear contacts. */
static inline bool is_none(const jn_wrench *F) {
    return F->f.x == 0 && F->f.y == 0 && F->f.z == 0 && F->n.x == 0 && F->n.y == 0 && F->n.z == 0;
}

void jn_wrenches_gather(const jn_model *m, const jn_work *w, jn_wrench *F, double *f) {
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        double own[6];
        if (is_none(&F[i])) continue;
        jn_joint_dot(l, w->S + l->v, F[i], own);
        for (int k = 0; k < l->nv; k++) f[l->v + k] += own[k];
        if (l->parent > 0) F[l->parent] = wr_add(F[l->parent], jn_joint_shift(l, &w->link[i], F[i]));
    }
}

/* Where all links are alone, of some behind the ground. */
static void add_some_loads(void *context, int from, int to) {
    const moving *all = context;
    const jn_work *w = all->w;
    for (int i = from + 1; i < to + 1; i++) {
        const jn_link *l = &all->m->links[i];
        jn_wrench F = w->F[i] = wr_shift(all->load[i], v3_neg(w->link[i].O));
        for (int k = l->v; k < l->v + l->nv; k++) all->pi[k] += tw_dot(w->S[k], F);
    }
}

void jn_loads_add(const jn_model *m, jn_work *w, const jn_wrench *load, double *f) {
    moving all = {.m = m, .w = w, .load = load, .pi = f};
    if (w->all_alone) {
        jn_pool_range(w->pool, m->link_count - 1, JN_SHARED_LINKS, add_some_loads, &all);
        return;
    }
    for (int i = 1; i < m->link_count; i++)
        w->F[i] = is_none(&load[i]) ? wr_zero() : wr_shift(load[i], v3_neg(w->link[i].O));
    jn_wrenches_gather(m, w, w->F, f);
}

void jn_mass_multiply(const jn_model *m, const jn_work *w, const double *added, const double *x, double *y) {
    memset(y, 0, (size_t)m->nv * sizeof *y);
    for (int k = 0; k < m->nv; k++) {
        jn_M_row r = m->M_row[k];
        const double *row = w->M_raw + r.start, *root = x + m->M_col[r.start];
        const int *col = m->M_col + r.start;
        double sum = (row[r.depth] - (added ? added[k] : 0)) * x[k], *first = y + col[0], now = x[k];
        int a = 0;
        if (r.six)
            for (; a < JN_M_SIX; a++) sum += row[a] * root[a], first[a] += row[a] * now;
        for (; a < r.depth; a++) sum += row[a] * x[col[a]], y[col[a]] += row[a] * now;
        y[k] += sum;
    }
}
