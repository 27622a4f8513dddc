/* How constraint rows and measured coordinates change along a direction: the residual Phi and its two rates, and the loads of
 * their multipliers. Every row is made of products of points and axes of its two sides, so that the product rule does it all;
 * the rows are those of constraints.c. */
#include "description/joint_info.h"
#include "motion/derivatives/derivatives.h"

static const jn_vec3 nil = {0, 0, 0};

/* Both sides of a closure, p_B - p_A, and how all of it changes. */
typedef struct jn_ends_change {
    const jn_closure *c;
    const jn_moving_side *A, *B;
    jn_moving_side dA, dB;
    jn_moving d, dd;
    jn_vec3 w, alpha, dpose, dw, dalpha; /* angular velocity and acceleration of B against A; changes */
} jn_ends_change;

static jn_moving minus(const jn_moving *b, const jn_moving *a) {
    return (jn_moving){v3_sub(b->p, a->p), v3_sub(b->v, a->v), v3_sub(b->a, a->a)};
}

static jn_moving_side side_change(const struct jn_derivatives_work *d, int link, const jn_moving_side *s) {
    jn_moving_side out = {.point = jn_point_change(d, link, &s->point)};
    for (int k = 0; k < 3; k++) out.axis[k] = jn_axis_change(d, link, &s->axis[k]);
    return out;
}

static jn_ends_change ends_of(const jn_model *m, const struct jn_derivatives_work *d, int closure) {
    const jn_closure *c = &m->closures[closure];
    int a = c->A.link, b = c->B.link;
    jn_ends_change e = {.c = c, .A = &d->side[2 * closure], .B = &d->side[2 * closure + 1]};
    e.dA = side_change(d, a, e.A), e.dB = side_change(d, b, e.B);
    e.d = minus(&e.B->point, &e.A->point), e.dd = minus(&e.dB.point, &e.dA.point);
    e.w = v3_sub(d->V[b].w, d->V[a].w), e.alpha = v3_sub(d->A[b].w, d->A[a].w);
    jn_change none = {0};
    const jn_change *A = d->change[a].any ? &d->change[a] : &none, *B = d->change[b].any ? &d->change[b] : &none;
    e.dpose = v3_sub(B->pose.w, A->pose.w), e.dw = v3_sub(B->twist.w, A->twist.w);
    e.dalpha = v3_sub(B->rate.w, A->rate.w);
    return e;
}

/* Change of x.y and of its rates. */
static jn_scalar_change product(const jn_moving *x, const jn_moving *dx, const jn_moving *y, const jn_moving *dy) {
    return (jn_scalar_change){v3_dot(dx->p, y->p) + v3_dot(x->p, dy->p),
                              v3_dot(dx->v, y->p) + v3_dot(x->v, dy->p) + v3_dot(dx->p, y->v) + v3_dot(x->p, dy->v),
                              v3_dot(dx->a, y->p) + v3_dot(x->a, dy->p) +
                                  2 * (v3_dot(dx->v, y->v) + v3_dot(x->v, dy->v)) + v3_dot(dx->p, y->a) +
                                  v3_dot(x->p, dy->a)};
}

/* Rotation about the direction s of one side: its rate s.w, the rate of that. The angle itself is measured. */
static jn_scalar_change turning(const jn_ends_change *e, const jn_moving *s, const jn_moving *ds) {
    return (jn_scalar_change){0, v3_dot(ds->p, e->w) + v3_dot(s->p, e->dw),
                              v3_dot(ds->v, e->w) + v3_dot(s->v, e->dw) + v3_dot(ds->p, e->alpha) +
                                  v3_dot(s->p, e->dalpha)};
}

static double atan2_change(double s, double ds, double c, double dc) { return (c * ds - s * dc) / (c * c + s * s); }

static double cosine(jn_vec3 a, jn_vec3 b) { return v3_dot(a, b); }

/* Change of an angle as jn_joint_measure takes it: of B's x axis in A's xy plane; second angle of a universal joint: of A's z axis
 * in B's yz plane. */
static double angle_change(const jn_ends_change *e, bool second) {
    const jn_moving *a = e->A->axis, *b = e->B->axis, *da = e->dA.axis, *db = e->dB.axis;
    int sa = second ? 2 : 1, ca = second ? 2 : 0, sb = second ? 1 : 0, cb = second ? 2 : 0;
    return atan2_change(cosine(a[sa].p, b[sb].p), cosine(da[sa].p, b[sb].p) + cosine(a[sa].p, db[sb].p),
                        cosine(a[ca].p, b[cb].p), cosine(da[ca].p, b[cb].p) + cosine(a[ca].p, db[cb].p));
}

/* ---------------------------------------------------------------------------------------------- joint coordinates */

/* How coordinate k of a joint is measured: a slide along, or an angle about, an axis of one side. */
typedef struct jn_gauge {
    bool slides, on_B, has_angle;
    int axis;
} jn_gauge;

static jn_gauge gauge_of(jn_joint_type type, int k) {
    switch (type) {
    case JN_JOINT_PRISMATIC: return (jn_gauge){.slides = true, .axis = 2};
    case JN_JOINT_CYLINDRICAL: return (jn_gauge){.slides = k == 0, .axis = 2, .has_angle = true};
    case JN_JOINT_UNIVERSAL: return (jn_gauge){.axis = k == 0 ? 2 : 0, .on_B = k == 1, .has_angle = true};
    case JN_JOINT_PLANAR: return (jn_gauge){.slides = k < 2, .axis = k < 2 ? k : 2, .has_angle = true};
    case JN_JOINT_SPHERICAL: return (jn_gauge){.axis = k};
    case JN_JOINT_FREE: return (jn_gauge){.slides = k < 3, .axis = k % 3};
    default: return (jn_gauge){.axis = 2, .has_angle = true};
    }
}

/* x.y and its two rates. */
static jn_scalar_change value_of(const jn_moving *x, const jn_moving *y) {
    return (jn_scalar_change){v3_dot(x->p, y->p), v3_dot(x->v, y->p) + v3_dot(x->p, y->v),
                              v3_dot(x->a, y->p) + 2 * v3_dot(x->v, y->v) + v3_dot(x->p, y->a)};
}

/* The angle of B's x axis in A's xy plane where B is tilted: with a, b its parts along x and y of A,
 * angle' = (a b' - b a')/(a^2 + b^2), and the rate of that. */
static jn_scalar_change tilted_change(const jn_ends_change *e) {
    const jn_moving *A = e->A->axis, *x = &e->B->axis[0], *dA = e->dA.axis, *dx = &e->dB.axis[0];
    jn_scalar_change a = value_of(&A[0], x), b = value_of(&A[1], x);
    jn_scalar_change da = product(&A[0], &dA[0], x, dx), db = product(&A[1], &dA[1], x, dx);
    double D = a.p * a.p + b.p * b.p, D_rate = 2 * (a.p * a.v + b.p * b.v);
    double N = a.p * b.v - b.p * a.v, N_rate = a.p * b.a - b.p * a.a;
    double dD = 2 * (a.p * da.p + b.p * db.p), dD_rate = 2 * (da.p * a.v + a.p * da.v + db.p * b.v + b.p * db.v);
    double dN = da.p * b.v + a.p * db.v - db.p * a.v - b.p * da.v;
    double dN_rate = da.p * b.a + a.p * db.a - db.p * a.a - b.p * da.a;
    double rate = N / D, d_rate = (dN - rate * dD) / D;
    double second = (N_rate - rate * D_rate) / D; /* angle'' = (N' - angle' D')/D */
    return (jn_scalar_change){atan2_change(b.p, db.p, a.p, da.p), d_rate,
                              (dN_rate - d_rate * D_rate - rate * dD_rate - second * dD) / D};
}

/* Direction s of that angle, angle' = s.(w_B - w_A), and its change. */
static void tilted_direction(const jn_ends_change *e, jn_vec3 *s, jn_vec3 *ds) {
    jn_vec3 x = e->A->axis[0].p, y = e->A->axis[1].p, xB = e->B->axis[0].p;
    jn_vec3 dx = e->dA.axis[0].p, dy = e->dA.axis[1].p, dxB = e->dB.axis[0].p;
    double a = v3_dot(x, xB), b = v3_dot(y, xB), da = v3_dot(dx, xB) + v3_dot(x, dxB);
    double db = v3_dot(dy, xB) + v3_dot(y, dxB), D = a * a + b * b, dD = 2 * (a * da + b * db);
    jn_vec3 n = v3_sub(v3_scale(a, y), v3_scale(b, x));
    jn_vec3 dn = v3_sub(v3_axpy(da, y, v3_scale(a, dy)), v3_axpy(db, x, v3_scale(b, dx)));
    *s = v3_scale(1 / D, v3_cross(xB, n));
    *ds = v3_sub(v3_scale(1 / D, v3_add(v3_cross(dxB, n), v3_cross(xB, dn))), v3_scale(dD / D, *s));
}

/* An angle between bodies whose axes need not agree. */
static bool is_tilted(const jn_closure *c, jn_gauge g) { return c->tilts && !g.slides && g.has_angle; }

static jn_scalar_change gauge_change(const jn_ends_change *e, int k) {
    jn_gauge g = gauge_of(e->c->type, k);
    if (is_tilted(e->c, g)) return tilted_change(e);
    const jn_moving *s = g.on_B ? &e->B->axis[g.axis] : &e->A->axis[g.axis];
    const jn_moving *ds = g.on_B ? &e->dB.axis[g.axis] : &e->dA.axis[g.axis];
    if (g.slides) return product(s, ds, &e->d, &e->dd);
    jn_scalar_change out = turning(e, s, ds);
    if (g.has_angle) out.p = angle_change(e, g.on_B);
    return out;
}

static bool moves(const struct jn_derivatives_work *d, const jn_closure *c) {
    return d->change[c->A.link].any || d->change[c->B.link].any;
}

/* ------------------------------------------------------------------------------------- lengths between places on links */

static jn_pose change_pose(const void *derivatives, int link) {
    return jn_link_pose(((const struct jn_derivatives_work *)derivatives)->w, link);
}

static jn_twist pose_change(const void *derivatives, int link, jn_vec3 *about) {
    const struct jn_derivatives_work *d = derivatives;
    *about = d->c[link];
    return d->change[link].any ? d->change[link].pose : tw_zero();
}

static int changed_pulls(const jn_model *m, const struct jn_derivatives_work *d, const jn_reach *r, jn_dual *length,
                         jn_pull **pull) {
    *pull = d->w->pull + m->pull_room - m->pull_spare;
    const jn_frames frames = {change_pose, pose_change, d, m->adheres ? d->w->adhesive : NULL};
    return jn_reach_evaluate(m->path_nodes, r, &frames, length, *pull);
}

/* Velocity of a link's matter at a point, which changes by p.d, and the change of it. */
static jn_dual3 velocity_change(const struct jn_derivatives_work *d, int link, jn_dual3 p) {
    jn_vec3 r = v3_sub(p.v, d->c[link]), w = d->V[link].w;
    jn_twist by = d->change[link].any ? d->change[link].twist : tw_zero();
    return (jn_dual3){v3_add(d->V[link].v, v3_cross(w, r)), v3_add(v3_add(by.v, v3_cross(by.w, r)), v3_cross(w, p.d))};
}

static jn_dual3 turn_change(const struct jn_derivatives_work *d, int link) {
    return (jn_dual3){d->V[link].w, d->change[link].any ? d->change[link].twist.w : nil};
}

/* The length and its rate. Drivers and couplers are over joints: no constraint row has a length along a path, and the change of its
 * acceleration is not needed. */
static jn_scalar_change reach_change(const jn_model *m, const struct jn_derivatives_work *d, const jn_reach *r) {
    jn_pull *pull;
    jn_dual length, rate = du(0);
    int count = changed_pulls(m, d, r, &length, &pull);
    for (const jn_pull *p = pull; p < pull + count; p++) {
        jn_dual3 v = du3_sub(velocity_change(d, p->B, p->b), velocity_change(d, p->A, p->a));
        jn_dual3 w = du3_sub(turn_change(d, p->B), turn_change(d, p->A));
        rate = du_add(rate, du_add(du3_dot(p->f, v), du3_dot(p->n, w)));
    }
    return (jn_scalar_change){length.d, rate.d, 0};
}

static void reach_push(const jn_model *m, struct jn_derivatives_work *d, const jn_reach *r, double force, double by) {
    jn_pull *pull;
    jn_dual length, size = {force, by};
    int count = changed_pulls(m, d, r, &length, &pull);
    for (const jn_pull *p = pull; p < pull + count; p++) {
        jn_dual3 f = du3_scale(size, p->f), n = du3_scale(size, p->n);
        jn_change_push(d, p->B, p->b.v, p->b.d, f.v, f.d, n.v, n.d);
        jn_change_push(d, p->A, p->a.v, p->a.d, v3_neg(f.v), v3_neg(f.d), v3_neg(n.v), v3_neg(n.d));
    }
}

jn_scalar_change jn_handle_change(const jn_model *m, const struct jn_derivatives_work *d, int handle) {
    const jn_handle *h = &m->handles[handle];
    jn_scalar_change out = {0, 0, 0};
    if (h->v >= 0) {
        if (h->v == d->along) out = (jn_scalar_change){!d->by_u && h->q >= 0, d->by_u, 0};
        return out;
    }
    if (h->reach) return reach_change(m, d, &m->reaches[h->reach - 1]);
    for (const jn_term *t = m->terms + h->term; h->terms && t < m->terms + h->term + h->terms; t++) {
        jn_scalar_change x = jn_handle_change(m, d, t->handle);
        out.p += t->factor * x.p, out.v += t->factor * x.v, out.a += t->factor * x.a;
    }
    if (h->terms || !moves(d, &m->closures[h->closure])) return out;
    jn_ends_change e = ends_of(m, d, h->closure);
    return gauge_change(&e, h->measure);
}

/* ------------------------------------------------------------------------------------------------------- loads */

/* A force on B's point of B; its opposite on A, at B's point or at A's. */
static void push_force(struct jn_derivatives_work *d, const jn_ends_change *e, jn_vec3 f, jn_vec3 df, bool at_A) {
    const jn_moving *on_A = at_A ? &e->A->point : &e->B->point, *change = at_A ? &e->dA.point : &e->dB.point;
    jn_change_push(d, e->c->B.link, e->B->point.p, e->dB.point.p, f, df, nil, nil);
    jn_change_push(d, e->c->A.link, on_A->p, change->p, v3_neg(f), v3_neg(df), nil, nil);
}

static void push_torque(struct jn_derivatives_work *d, const jn_ends_change *e, jn_vec3 n, jn_vec3 dn) {
    jn_change_push(d, e->c->B.link, e->B->point.p, nil, nil, nil, n, dn);
    jn_change_push(d, e->c->A.link, e->A->point.p, nil, nil, nil, v3_neg(n), v3_neg(dn));
}

void jn_handle_push(const jn_model *m, struct jn_derivatives_work *d, int handle, double force, double by) {
    const jn_handle *h = &m->handles[handle];
    if (h->v >= 0) {
        d->tau_change[h->v] += by;
        return;
    }
    if (h->reach) {
        reach_push(m, d, &m->reaches[h->reach - 1], force, by);
        return;
    }
    if (h->terms) {
        for (const jn_term *t = m->terms + h->term; t < m->terms + h->term + h->terms; t++)
            jn_handle_push(m, d, t->handle, t->factor * force, t->factor * by);
        return;
    }
    if (by == 0 && !moves(d, &m->closures[h->closure]) && !d->adds_load) return;
    jn_ends_change e = ends_of(m, d, h->closure);
    jn_gauge g = gauge_of(e.c->type, h->measure);
    jn_vec3 s = g.on_B ? e.B->axis[g.axis].p : e.A->axis[g.axis].p;
    jn_vec3 ds = g.on_B ? e.dB.axis[g.axis].p : e.dA.axis[g.axis].p;
    if (is_tilted(e.c, g)) tilted_direction(&e, &s, &ds);
    jn_vec3 f = v3_scale(force, s), df = v3_axpy(by, s, v3_scale(force, ds));
    if (g.slides)
        push_force(d, &e, f, df, false);
    else
        push_torque(d, &e, f, df);
}

/* -------------------------------------------------------------------------------------------------------- rows */

static jn_scalar_change minus_turn(const jn_ends_change *e, jn_scalar_change slide) {
    jn_scalar_change turn = gauge_change(e, 0);
    double k = e->c->pitch;
    return (jn_scalar_change){slide.p - k * turn.p, slide.v - k * turn.v, slide.a - k * turn.a};
}

static jn_scalar_change row_change(const jn_row *row, const jn_ends_change *e) {
    const jn_moving *a = &e->A->axis[row->a], *da = &e->dA.axis[row->a];
    jn_vec3 n = v3_axis(row->a), z = v3(0, 0, 1);
    double l = e->c->length;
    jn_scalar_change x;
    switch (row->type) {
    case JN_ROW_POINT: return (jn_scalar_change){v3_dot(n, e->dd.p), v3_dot(n, e->dd.v), v3_dot(n, e->dd.a)};
    case JN_ROW_POINT_ON_A:
    case JN_ROW_SLIDE: return product(a, da, &e->d, &e->dd);
    case JN_ROW_DIRECTION: return product(a, da, &e->B->axis[row->b], &e->dB.axis[row->b]);
    case JN_ROW_DISTANCE:
        x = product(&e->d, &e->dd, &e->d, &e->dd);
        return (jn_scalar_change){x.p / (2 * l), x.v / (2 * l), x.a / (2 * l)};
    case JN_ROW_SCREW: return minus_turn(e, product(&e->A->axis[2], &e->dA.axis[2], &e->d, &e->dd));
    default: return (jn_scalar_change){v3_dot(z, e->dpose), v3_dot(z, e->dw), v3_dot(z, e->dalpha)};
    }
}

static void row_push(struct jn_derivatives_work *d, const jn_row *row, const jn_ends_change *e, double lambda) {
    const jn_moving *A = e->A->axis, *dA = e->dA.axis, *b = &e->B->axis[row->b], *db = &e->dB.axis[row->b];
    jn_vec3 a = A[row->a].p, da = dA[row->a].p;
    double l = e->c->length, k = e->c->pitch;
    switch (row->type) {
    case JN_ROW_POINT: push_force(d, e, v3_scale(lambda, v3_axis(row->a)), nil, true); break;
    case JN_ROW_POINT_ON_A:
    case JN_ROW_SLIDE: push_force(d, e, v3_scale(lambda, a), v3_scale(lambda, da), false); break;
    case JN_ROW_DIRECTION:
        push_torque(d, e, v3_scale(lambda, v3_cross(b->p, a)),
                    v3_scale(lambda, v3_add(v3_cross(db->p, a), v3_cross(b->p, da))));
        break;
    case JN_ROW_DISTANCE: push_force(d, e, v3_scale(lambda / l, e->d.p), v3_scale(lambda / l, e->dd.p), true); break;
    case JN_ROW_SCREW:
        push_force(d, e, v3_scale(lambda, A[2].p), v3_scale(lambda, dA[2].p), false);
        push_torque(d, e, v3_scale(-lambda * k, A[2].p), v3_scale(-lambda * k, dA[2].p));
        break;
    default: push_torque(d, e, v3(0, 0, lambda), nil); break;
    }
}

/* (N' - angle' D')/D of tilted_change. */
static double tilted_acceleration(const jn_ends_change *e) {
    jn_scalar_change a = value_of(&e->A->axis[0], &e->B->axis[0]), b = value_of(&e->A->axis[1], &e->B->axis[0]);
    double D = a.p * a.p + b.p * b.p, rate = (a.p * b.v - b.p * a.v) / D;
    return (a.p * b.a - b.p * a.a - rate * 2 * (a.p * a.v + b.p * b.v)) / D;
}

/* Second rate of a coordinate at the accelerations of the state; of a path it is not known here, and not needed: jn_derivatives_lack. */
static double acceleration_of(const jn_model *m, const struct jn_derivatives_work *d, int handle) {
    const jn_handle *h = &m->handles[handle];
    double sum = 0;
    if (h->v >= 0) return d->a ? d->a[h->v] : 0;
    if (h->reach) return 0;
    for (const jn_term *t = m->terms + h->term; h->terms && t < m->terms + h->term + h->terms; t++)
        sum += t->factor * acceleration_of(m, d, t->handle);
    if (h->terms) return sum;
    jn_ends_change e = ends_of(m, d, h->closure);
    jn_gauge g = gauge_of(e.c->type, h->measure);
    const jn_moving *s = g.on_B ? &e.B->axis[g.axis] : &e.A->axis[g.axis];
    if (is_tilted(e.c, g)) return tilted_acceleration(&e);
    return g.slides ? value_of(s, &e.d).a : v3_dot(s->v, e.w) + v3_dot(s->p, e.alpha);
}

/* A term p(x) of a coupler: p' dx, its rate p' x' and its acceleration p' x'' + p'' x'^2, and the force lambda p' along x. */
static void coupler_change(const jn_model *m, struct jn_derivatives_work *d, const jn_coupler *c, double lambda,
                           jn_scalar_change *sum) {
    for (int k = 0; k < c->count; k++) {
        int handle = c->handle[k];
        jn_polynomial p = jn_coupler_term(d->w, c, k);
        jn_scalar_change x = jn_handle_change(m, d, handle);
        double v = d->w->speed[handle], a = p.bend != 0 ? acceleration_of(m, d, handle) : 0;
        sum->p += p.slope * x.p;
        sum->v += p.slope * x.v + p.bend * x.p * v;
        sum->a += p.slope * x.a + p.bend * (x.p * a + 2 * v * x.v) + p.third * x.p * v * v;
        jn_handle_push(m, d, handle, p.slope * lambda, p.bend * x.p * lambda);
    }
}

void jn_change_rows(const jn_model *m, struct jn_derivatives_work *d, const double *lambda, bool with_rows) {
    int last = -1;
    jn_ends_change ends = {0};
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        if (row->type == JN_ROW_DRIVER) {
            int handle = m->drivers[row->item].handle;
            if (with_rows) d->row_change[i] = jn_handle_change(m, d, handle);
            jn_handle_push(m, d, handle, lambda[i], 0);
        } else if (row->type == JN_ROW_COUPLER) {
            const jn_coupler *c = &m->couplers[row->item];
            jn_scalar_change sum = {0, 0, 0};
            coupler_change(m, d, c, lambda[i], &sum);
            if (with_rows) d->row_change[i] = sum;
        } else if (moves(d, &m->closures[row->item]) || d->adds_load) {
            if (row->item != last) ends = ends_of(m, d, row->item), last = row->item;
            if (with_rows) d->row_change[i] = row_change(row, &ends);
            row_push(d, row, &ends, lambda[i]);
        }
    }
}
