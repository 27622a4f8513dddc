/* Constraint rows: residual Phi, Jacobian G and the right-hand side gamma of G u' = gamma. Each row is a pair of wrenches
 * on two links [Rodrigues2024, eq. 1-11, with the corrections of docs/motion.md]; the tree turns it into a row of G. */
#include "algebra/elementary.h"
#include "description/joint_info.h"
#include "motion/work.h"

typedef struct jn_pair {
    jn_wrench A, B;   /* at the links' origins: rate of Phi = A.V_A + B.V_B */
    double phi;       /* residual */
    double quadratic; /* part of Phi'' that is quadratic in the velocities, link accelerations not counted */
} jn_pair;

/* Everything about a closure that its rows share. */
typedef struct jn_ends {
    const jn_closure *c;
    jn_vec3 pA, pB, rhoA, rhoB, d, d_rate; /* points, offsets from the origins, p_B - p_A and its rate */
    jn_vec3 wA, wB, centripetal;           /* w x (w x rho) of B minus A */
    jn_mat3 EA, EB;
} jn_ends;

static jn_ends closure_ends(const jn_work *w, const jn_closure *c) {
    const jn_link_motion *A = &w->link[c->A.link], *B = &w->link[c->B.link];
    jn_ends e = {.c = c, .wA = A->V.w, .wB = B->V.w};
    e.rhoA = m3_mul_v(&A->R, c->A.p), e.rhoB = m3_mul_v(&B->R, c->B.p);
    e.pA = v3_add(A->O, e.rhoA), e.pB = v3_add(B->O, e.rhoB);
    e.EA = m3_mul(&A->R, &c->A.E), e.EB = m3_mul(&B->R, &c->B.E);
    e.d = v3_sub(e.pB, e.pA);
    e.d_rate = v3_sub(v3_add(B->V.v, v3_cross(e.wB, e.rhoB)), v3_add(A->V.v, v3_cross(e.wA, e.rhoA)));
    e.centripetal = v3_sub(v3_cross(e.wB, v3_cross(e.wB, e.rhoB)), v3_cross(e.wA, v3_cross(e.wA, e.rhoA)));
    return e;
}

/* A force f at B's point on B and its opposite at the same place `arm` on A. */
static jn_pair opposite(const jn_ends *e, jn_vec3 f, jn_vec3 arm) {
    return (jn_pair){{v3_neg(v3_cross(arm, f)), v3_neg(f)}, {v3_cross(e->rhoB, f), f}, 0, 0};
}

static jn_pair row_point(const jn_ends *e, int axis) { /* [Rodrigues2024, eq. 1-3] */
    jn_vec3 n = v3_axis(axis);
    jn_pair p = opposite(e, n, e->rhoA);
    p.phi = v3_dot(n, e->d);
    p.quadratic = v3_dot(n, e->centripetal);
    return p;
}

/* Sliding of B's point along the direction a, which is fixed on A. Points that coincide do so along three of them: a residual that does not
 * change when everything turns has rows that keep angular momentum, whatever is left of it. */
static jn_pair slide_along(const jn_ends *e, jn_vec3 a) {
    jn_vec3 a_rate = v3_cross(e->wA, a);
    jn_pair p = opposite(e, a, v3_add(e->rhoA, e->d));
    p.phi = v3_dot(a, e->d);
    p.quadratic = v3_dot(a, e->centripetal) + 2 * v3_dot(a_rate, e->d_rate) + v3_dot(v3_cross(e->wA, a_rate), e->d);
    return p;
}

static jn_pair row_slide(const jn_ends *e, int axis) { return slide_along(e, m3_column(&e->EA, axis)); }

static jn_pair row_direction(const jn_ends *e, int on_A, int on_B) { /* [Rodrigues2024, eq. 4-6] */
    jn_vec3 a = m3_column(&e->EA, on_A), b = m3_column(&e->EB, on_B), n = v3_cross(b, a);
    jn_vec3 a_rate = v3_cross(e->wA, a), b_rate = v3_cross(e->wB, b);
    double quadratic =
        v3_dot(v3_cross(e->wA, a_rate), b) + v3_dot(v3_cross(e->wB, b_rate), a) + 2 * v3_dot(a_rate, b_rate);
    return (jn_pair){{v3_neg(n), v3(0, 0, 0)}, {n, v3(0, 0, 0)}, v3_dot(a, b), quadratic};
}

static jn_pair row_distance(const jn_ends *e) {
    double l = e->c->length;
    jn_pair p = opposite(e, v3_scale(1 / l, e->d), e->rhoA);
    p.phi = (v3_dot(e->d, e->d) - l * l) / (2 * l);
    p.quadratic = (v3_dot(e->d, e->centripetal) + v3_dot(e->d_rate, e->d_rate)) / l;
    return p;
}

static double closure_angle(const jn_work *w, const jn_model *m, const jn_closure *c) {
    return w->position[m->joints[c->joint].handle]; /* the first coordinate of revolute and screw joints */
}

static jn_pair row_screw(const jn_model *m, const jn_work *w, const jn_ends *e) {
    jn_pair p = row_slide(e, 2);
    jn_vec3 s = m3_column(&e->EA, 2);
    double k = e->c->pitch;
    p.A.n = v3_axpy(k, s, p.A.n);
    p.B.n = v3_axpy(-k, s, p.B.n);
    p.phi -= k * closure_angle(w, m, e->c);
    p.quadratic -= k * v3_dot(v3_cross(e->wA, s), v3_sub(e->wB, e->wA));
    return p;
}

/* Planar: angle between the two sides about z. */
static jn_pair row_angle(const jn_ends *e) {
    jn_vec3 z = v3(0, 0, 1), xA = m3_column(&e->EA, 1), xB = m3_column(&e->EB, 1);
    double angle = jn_atan2(v3_dot(z, v3_cross(xA, xB)), v3_dot(xA, xB));
    return (jn_pair){{v3_neg(z), v3(0, 0, 0)}, {z, v3(0, 0, 0)}, angle, 0};
}

static jn_pair closure_row(const jn_model *m, const jn_work *w, const jn_row *row, const jn_ends *e) {
    switch (row->type) {
    case JN_ROW_POINT: return row_point(e, row->a);
    case JN_ROW_POINT_ON_A:
    case JN_ROW_SLIDE: return row_slide(e, row->a);
    case JN_ROW_DIRECTION: return row_direction(e, row->a, row->b);
    case JN_ROW_DISTANCE: return row_distance(e);
    case JN_ROW_SCREW: return row_screw(m, w, e);
    default: return row_angle(e);
    }
}

void jn_wrench_scatter(const jn_model *m, const jn_work *w, const jn_closure *c, jn_wrench fA, jn_wrench fB,
                       double *x) {
    const int *path = m->path_links + c->path;
    for (int n = 0; n < c->count; n++) {
        jn_wrench *f = n < c->a_count ? &fA : &fB;
        const jn_link *l = &m->links[path[n]];
        for (int k = l->v; k < l->v + l->nv; k++) x[k] += tw_dot(w->S[k], *f);
        *f = wr_shift(*f, w->link[path[n]].r);
    }
}

/* Moves the scattered row into G and leaves the scratch vector zero. */
static void gather(const jn_model *m, jn_work *w, const jn_row *row) {
    for (int p = row->first; p < row->first + row->count; p++) {
        w->G[p] = w->scratch[m->row_cols[p]];
        w->scratch[m->row_cols[p]] = 0;
    }
}

static double driver_residual(const jn_model *m, const jn_work *w, const jn_driver *d, double target) {
    double diff = w->position[d->handle] - target;
    const jn_joint *j = &m->joints[d->joint];
    bool angular = jn_joint_is_angular(j->type, m->planar, d->coordinate);
    bool measured = m->handles[d->handle].v < 0;
    return angular && measured ? remainder(diff, 2 * M_PI) : diff;
}

static void driver_row(const jn_model *m, jn_work *w, const jn_state *s, int i, int what) {
    const jn_row *row = &m->rows[i];
    const jn_driver *d = &m->drivers[row->item];
    jn_jet jet[3] = {{s->t, 1, 0}, {0, 0, 0}, {0, 0, 0}};
    jn_jet f = jn_function_jet(d->motion, m->tables, jet);
    w->phi[i] = driver_residual(m, w, d, f.v);
    w->phi_rate[i] = w->speed[d->handle] - f.d;
    if (what & JN_ROWS_JACOBIAN) {
        jn_handle_scatter(m, w, d->handle, 1, w->scratch);
        gather(m, w, row);
    }
    if (what & JN_ROWS_GAMMA) w->gamma[i] = f.dd - jn_handle_bias(m, w, d->handle);
}

static void coupler_row(const jn_model *m, jn_work *w, int i, int what) {
    const jn_row *row = &m->rows[i];
    const jn_coupler *c = &m->couplers[row->item];
    w->phi[i] = -c->constant;
    w->phi_rate[i] = 0;
    if (what & JN_ROWS_GAMMA) w->gamma[i] = 0;
    for (int k = 0; k < c->count; k++) {
        jn_polynomial p = jn_coupler_term(w, c, k);
        double v = w->speed[c->handle[k]];
        w->phi[i] += p.value;
        w->phi_rate[i] += p.slope * v;
        if (what & JN_ROWS_JACOBIAN) jn_handle_scatter(m, w, c->handle[k], p.slope, w->scratch);
        if (what & JN_ROWS_GAMMA) w->gamma[i] -= p.slope * jn_handle_bias(m, w, c->handle[k]) + p.bend * v * v;
    }
    if (what & JN_ROWS_JACOBIAN) gather(m, w, row);
}

void jn_constraint_rows(const jn_model *m, jn_work *w, const jn_state *s, int what) {
    int last = -1;
    jn_ends ends = {0};
    if (what & JN_ROWS_JACOBIAN) w->counts.constraint_rows++;
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        if (row->type == JN_ROW_DRIVER) {
            driver_row(m, w, s, i, what);
            continue;
        }
        if (row->type == JN_ROW_COUPLER) {
            coupler_row(m, w, i, what);
            continue;
        }
        const jn_closure *c = &m->closures[row->item];
        if (row->item != last) ends = closure_ends(w, c), last = row->item;
        jn_pair p = closure_row(m, w, row, &ends);
        w->phi[i] = p.phi;
        w->phi_rate[i] = tw_dot(w->link[c->A.link].V, p.A) + tw_dot(w->link[c->B.link].V, p.B);
        if (what & JN_ROWS_JACOBIAN) {
            jn_wrench_scatter(m, w, c, p.A, p.B, w->scratch);
            gather(m, w, row);
        }
        if (what & JN_ROWS_GAMMA)
            w->gamma[i] = -(tw_dot(w->A_bias[c->A.link], p.A) + tw_dot(w->A_bias[c->B.link], p.B) + p.quadratic);
    }
}

void jn_rows_multiply(const jn_model *m, const jn_work *w, const double *x, double *y) {
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        double sum = 0;
        for (int p = row->first; p < row->first + row->count; p++) sum += w->G[p] * x[m->row_cols[p]];
        y[i] = sum;
    }
}

void jn_rows_multiply_t(const jn_model *m, const jn_work *w, const double *y, double *x) {
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        for (int p = row->first; p < row->first + row->count; p++) x[m->row_cols[p]] += w->G[p] * y[i];
    }
}

double jn_slide_wrenches(const jn_work *w, const jn_closure *c, jn_vec3 a, jn_wrench *A, jn_wrench *B) {
    jn_ends e = closure_ends(w, c);
    jn_pair p = slide_along(&e, a);
    *A = p.A, *B = p.B;
    return p.quadratic;
}

void jn_row_wrenches(const jn_model *m, const jn_work *w, int row, jn_wrench *A, jn_wrench *B) {
    jn_ends e = closure_ends(w, &m->closures[m->rows[row].item]);
    jn_pair p = closure_row(m, w, &m->rows[row], &e);
    *A = p.A, *B = p.B;
}

/* What a closure's multipliers do to its second body, reduced to that body's joint point. */
jn_wrench jn_closure_wrench(const jn_model *m, const jn_work *w, int joint, const double *lambda) {
    const jn_joint *j = &m->joints[joint];
    jn_wrench sum = wr_zero();
    if (!j->rows) return sum;
    const jn_closure *c = &m->closures[j->closure];
    jn_ends e = closure_ends(w, c);
    for (int i = j->row; i < j->row + j->rows; i++) {
        jn_pair p = closure_row(m, w, &m->rows[i], &e);
        sum = wr_add(sum, wr_scale(lambda[i], wr_shift(p.B, v3_neg(e.rhoB))));
    }
    return sum;
}
