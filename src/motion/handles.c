/* Scalar joint coordinates, whether they are coordinates of the tree or must be measured between two bodies. A measured
 * coordinate's rate is a pair of wrenches on the two links, like any constraint row. */
#include "motion/work.h"

/* Side of a joint in the world. */
typedef struct jn_placed {
    jn_vec3 p;
    jn_mat3 E;
} jn_placed;

static jn_placed place(const jn_work *w, const jn_side *s) {
    const jn_link_motion *B = &w->link[s->link];
    return (jn_placed){v3_add(B->O, m3_mul_v(&B->R, s->p)), m3_mul(&B->R, &s->E)};
}

static double nearest_turn(double angle, double last) { return angle + 2 * M_PI * round((last - angle) / (2 * M_PI)); }

/* Index of the first measured value of a joint that is an angle. */
static int angle_place(jn_joint_type type) {
    switch (type) {
    case JN_JOINT_CYLINDRICAL: return 1;
    case JN_JOINT_PLANAR: return 2;
    default: return 0;
    }
}

/* Measured coordinates of a closure with full turns counted. */
static int measure(const jn_work *w, const jn_closure *c, const double *angle, double *out) {
    jn_placed A = place(w, &c->A), B = place(w, &c->B);
    int n = jn_joint_measure(c->type, A.p, &A.E, B.p, &B.E, out);
    if (c->angle >= 0) {
        int at = angle_place(c->type), count = c->type == JN_JOINT_UNIVERSAL ? 2 : 1;
        for (int k = 0; k < count; k++) out[at + k] = nearest_turn(out[at + k], angle[c->angle + k]);
    }
    return n;
}

/* The rate of measured coordinate k as wrenches at the links' origins, and its acceleration's part that is quadratic in
 * the velocities (beyond what the links' accelerations bring). */
typedef struct jn_rate_row {
    jn_wrench A, B;
    double quadratic;
} jn_rate_row;

/* Rotation about the direction s, which is fixed on A (or on B). */
static jn_rate_row turning(const jn_work *w, const jn_closure *c, jn_vec3 s, bool on_B) {
    jn_vec3 wA = w->link[c->A.link].V.w, wB = w->link[c->B.link].V.w;
    jn_vec3 s_rate = v3_cross(on_B ? wB : wA, s);
    return (jn_rate_row){{v3_neg(s), v3(0, 0, 0)}, {s, v3(0, 0, 0)}, v3_dot(s_rate, v3_sub(wB, wA))};
}

/* Angle of B's x axis in A's xy plane where B's z axis is tilted: with a, b its parts along x and y of A,
 * angle' = s.(w_B - w_A),  s = x_B x (a y - b x)/(a^2 + b^2). */
static jn_rate_row turning_tilted(const jn_work *w, const jn_closure *c, const jn_placed *A, const jn_placed *B) {
    jn_vec3 wA = w->link[c->A.link].V.w, wB = w->link[c->B.link].V.w, rel = v3_sub(wB, wA);
    jn_vec3 x = m3_column(&A->E, 0), y = m3_column(&A->E, 1), xB = m3_column(&B->E, 0);
    double a = v3_dot(x, xB), b = v3_dot(y, xB), D = a * a + b * b;
    jn_vec3 n = v3_sub(v3_scale(a, y), v3_scale(b, x)), s = v3_scale(1 / D, v3_cross(xB, n));
    double da = v3_dot(rel, v3_cross(xB, x)), db = v3_dot(rel, v3_cross(xB, y)), dD = 2 * (a * da + b * db);
    jn_vec3 dn = v3_sub(v3_axpy(da, y, v3_scale(a, v3_cross(wA, y))), v3_axpy(db, x, v3_scale(b, v3_cross(wA, x))));
    jn_vec3 ds = v3_add(v3_cross(v3_cross(wB, xB), n), v3_cross(xB, dn));
    ds = v3_sub(v3_scale(1 / D, ds), v3_scale(dD / D, s));
    return (jn_rate_row){{v3_neg(s), v3(0, 0, 0)}, {s, v3(0, 0, 0)}, v3_dot(ds, rel)};
}

static jn_rate_row sliding(const jn_work *w, const jn_closure *c, jn_vec3 a) {
    jn_rate_row r;
    r.quadratic = jn_slide_wrenches(w, c, a, &r.A, &r.B);
    return r;
}

static jn_rate_row rate_row(const jn_work *w, const jn_closure *c, int k) {
    jn_placed A = place(w, &c->A), B = place(w, &c->B);
    bool turns = c->type == JN_JOINT_REVOLUTE || (c->type == JN_JOINT_CYLINDRICAL && k == 1);
    if (c->tilts && turns) return turning_tilted(w, c, &A, &B);
    switch (c->type) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW: return turning(w, c, m3_column(&A.E, 2), false);
    case JN_JOINT_PRISMATIC: return sliding(w, c, m3_column(&A.E, 2));
    case JN_JOINT_CYLINDRICAL:
        return k == 0 ? sliding(w, c, m3_column(&A.E, 2)) : turning(w, c, m3_column(&A.E, 2), false);
    case JN_JOINT_UNIVERSAL:
        return k == 0 ? turning(w, c, m3_column(&A.E, 2), false) : turning(w, c, m3_column(&B.E, 0), true);
    case JN_JOINT_PLANAR: return k < 2 ? sliding(w, c, m3_column(&A.E, k)) : turning(w, c, m3_column(&A.E, 2), false);
    case JN_JOINT_SPHERICAL: return turning(w, c, m3_column(&A.E, k), false);
    case JN_JOINT_FREE: return k < 3 ? sliding(w, c, m3_column(&A.E, k)) : turning(w, c, m3_column(&A.E, k - 3), false);
    default: return (jn_rate_row){{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, 0};
    }
}

/* Lengths of tendons, after the coordinates that they are made of. */
static void measure_tendons(const jn_model *m, jn_work *w) {
    for (int k = 0; k < m->tendon_count; k++) {
        int handle = m->tendons[k].handle;
        const jn_handle *h = &m->handles[handle];
        if (h->reach) continue;
        w->position[handle] = w->speed[handle] = 0;
        for (const jn_term *t = m->terms + h->term; t < m->terms + h->term + h->terms; t++) {
            w->position[handle] += t->factor * w->position[t->handle]; /* l = sum c q */
            w->speed[handle] += t->factor * w->speed[t->handle];
        }
    }
}

/* Coordinates of a joint that closes a loop. */
static void measure_closure(const jn_model *m, jn_work *w, const jn_joint *j, const double *angle) {
    double out[JN_JOINT_MAX_NQ] = {0};
    measure(w, &m->closures[j->closure], angle, out);
    for (int i = 0; i < j->nv; i++) {
        int handle = j->handle + i;
        const jn_closure *c = &m->closures[m->handles[handle].closure];
        jn_rate_row r = rate_row(w, c, m->handles[handle].measure);
        w->position[handle] = j->nq == j->nv || i < 3 ? out[i] : 0;
        w->speed[handle] = tw_dot(w->link[c->A.link].V, r.A) + tw_dot(w->link[c->B.link].V, r.B);
    }
}

void jn_measure_all(const jn_model *m, jn_work *w, const jn_state *s) {
    for (int k = 0; k < m->joint_count; k++) {
        const jn_joint *j = &m->joints[k];
        if (j->closure >= 0) {
            measure_closure(m, w, j, s->angle);
            continue;
        }
        for (int handle = j->handle; handle < j->handle + j->nv; handle++) {
            const jn_handle *h = &m->handles[handle];
            w->position[handle] = h->q >= 0 ? s->q[h->q] : 0, w->speed[handle] = s->u[h->v];
        }
    }
    measure_tendons(m, w);
    for (int i = 0; i < m->reach_count; i++) jn_reach_measure(m, w, m->reaches[i].handle);
}

void jn_handle_wrenches(const jn_model *m, const jn_work *w, int handle, jn_wrench *A, jn_wrench *B) {
    const jn_handle *h = &m->handles[handle];
    jn_rate_row r = rate_row(w, &m->closures[h->closure], h->measure);
    *A = r.A, *B = r.B;
}

int jn_closure_measure(const jn_model *m, const jn_work *w, int closure, double *out) {
    return measure(w, &m->closures[closure], w->state->angle, out);
}

double jn_handle_bias(const jn_model *m, const jn_work *w, int handle) {
    const jn_handle *h = &m->handles[handle];
    if (h->v >= 0) return 0;
    if (h->reach) return jn_reach_bias(m, w, &m->reaches[h->reach - 1]);
    if (h->terms) {
        double sum = 0;
        for (int i = h->term; i < h->term + h->terms; i++)
            sum += m->terms[i].factor * jn_handle_bias(m, w, m->terms[i].handle);
        return sum;
    }
    const jn_closure *c = &m->closures[h->closure];
    jn_rate_row r = rate_row(w, c, h->measure);
    return tw_dot(w->A_bias[c->A.link], r.A) + tw_dot(w->A_bias[c->B.link], r.B) + r.quadratic;
}

void jn_handle_scatter_any(const jn_model *m, const jn_work *w, int handle, double factor, double *x) {
    const jn_handle *h = &m->handles[handle];
    if (h->reach) {
        jn_reach_scatter(m, w, h->reach - 1, factor, x);
        return;
    }
    if (h->terms) {
        for (int i = h->term; i < h->term + h->terms; i++)
            jn_handle_scatter(m, w, m->terms[i].handle, factor * m->terms[i].factor, x);
        return;
    }
    const jn_closure *c = &m->closures[h->closure];
    jn_rate_row r = rate_row(w, c, h->measure);
    jn_wrench_scatter(m, w, c, wr_scale(factor, r.A), wr_scale(factor, r.B), x);
}

double jn_handle_row_dot(const jn_model *m, jn_work *w, int handle, const double *x) {
    const jn_handle *h = &m->handles[handle];
    if (h->v >= 0) return x[h->v];
    double sum = 0;
    jn_handle_scatter(m, w, handle, 1, w->scratch);
    for (int p = h->cols; p < h->cols + h->count; p++) {
        sum += w->scratch[m->row_cols[p]] * x[m->row_cols[p]];
        w->scratch[m->row_cols[p]] = 0;
    }
    return sum;
}

void jn_angles_update(const jn_model *m, jn_work *w, jn_state *s) {
    double out[JN_JOINT_MAX_NQ];
    for (int k = 0; k < m->closure_count; k++) {
        const jn_closure *c = &m->closures[k];
        if (c->angle < 0) continue;
        measure(w, c, s->angle, out);
        int at = angle_place(c->type), count = c->type == JN_JOINT_UNIVERSAL ? 2 : 1;
        for (int i = 0; i < count; i++) s->angle[c->angle + i] = out[at + i];
    }
}
