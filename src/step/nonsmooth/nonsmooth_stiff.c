/* Springs, dampers, bushings and motors that are stiff for the step: implicit in it. With J the rows of their deformations,
 *
 *     (M + B)(u_E - u_A) = dt h_k + B (u_k - u_A) + G^T Lambda + W P,    B = J^T S J,    S = theta dt c + (theta dt)^2 k,
 *
 * is Newton's iteration for the velocities u_k where h depends on them by these elements; whatever B is, its limit is the step's
 * equation. c and k are the slopes of the forces, not below zero, so that M + B is symmetric and positive. Its inverse comes from
 * that of M (on the motions that joints allow) by the rows alone [Hager1989, eq. 2]:
 *
 *     (M + B)^-1 = M^-1 - M^-1 J^T (S^-1 + J M^-1 J^T)^-1 J M^-1.
 *
 * The stiffer the element, the more like a constraint it is; nothing loses digits. What acts on a coordinate of a tree adds to the
 * diagonal of M, and goes into its factor at no cost. Soft elements stay in h alone. */
#include "algebra/elementary.h"
#include "step/nonsmooth/moreau.h"

#include "base/memory.h"
#include <string.h>

typedef enum jn_stiff_kind { STIFF_SPRING, STIFF_BUSHING, STIFF_ACTUATOR } jn_stiff_kind;

/* Of the leapfrog: what a row weighs at a node. */
typedef struct jn_stiff_row {
    double c, k, k_motor; /* weights of damping, of what stores energy and of what does not */
    bool late_c, late_k;  /* acts with what it has at the end of the segment */
    bool starts;          /* the node is the first: only half a segment lies about it */
} jn_stiff_row;

typedef struct jn_stiff_item {
    jn_stiff_kind kind;
    int index;     /* in the model's list */
    bool diagonal; /* adds to the diagonal of M and has no row */
    int first;     /* of its rows */
    int velocity;  /* that it acts on, where it is on the diagonal */
    bool motor;    /* its work is that of a motor */
    double W[6];   /* inverse inertia that each row feels, at the start */
    bool grows;    /* that is much less than in other positions: W is the present one */
    bool bounded;  /* actuators with a range act on it: their forces are not linear within a step */
    struct {
        double x, v, force, slope, time; /* of these at the last evaluation; half the time that they act */
    } drive;
    jn_stiff_row row[6];
} jn_stiff_item;

struct jn_stiff {
    int items, count; /* elements; rows of those that are not on the diagonal */
    jn_stiff_item *item;
    double *S; /* (count) weight of the row, 0: takes no part */
    double *S_A,
        *S_v; /* (count) of the leapfrog: what refers to the last segment's velocities, and to those of the forces */
    double *J, *Z;             /* (count x nv) rows; inverse inertia times each */
    double *C, *y;             /* (count x count) Cholesky factor of S^-1 + J M^-1 J^T, by rows; (count) */
    double *f;                 /* (nv) */
    double *added;             /* (nv) part of B on the diagonal */
    double *added_A, *added_v; /* (nv) as S_A and S_v */
    double *lambda;            /* (rows) */
    bool late;                 /* an element acts with what it has at the end of the segment */
    bool on;                   /* the factor holds, and jn_system_solve takes the elements into account */
};

static int rows_of(const jn_model *m, jn_stiff_kind kind) {
    return kind == STIFF_SPRING ? (m->planar ? 2 : 3) : kind == STIFF_BUSHING ? 6 : 1;
}

/* Whether an element adds to the diagonal of M. Redundant constraints are weighed by the factor of M alone. */
static bool can_be_diagonal(const jn_model *m, const jn_stiff_item *i, bool independent) {
    bool weighed = m->row_count && !independent;
    return i->kind == STIFF_ACTUATOR && !weighed && m->handles[m->actuators[i->index].handle].v >= 0;
}

/* ------------------------------------------------------------------------------------------------ rows and slopes */

/* The two slopes -df/dx and -df/dv of a function that adds `sign` times its value to a force. */
static void add_function_slopes(const jn_model *m, const jn_work *w, jn_function f, double x, double v, double sign,
                                double *k, double *c) {
    if (!jn_function_given(f)) return;
    w->var[JN_VAR_X] = x, w->var[JN_VAR_V] = v;
    *k -= sign * jn_function_slope(f, m->tables, w->var, JN_VAR_X);
    *c -= sign * jn_function_slope(f, m->tables, w->var, JN_VAR_V);
}

/* Slopes of a force: stiffness and damping. Those that drive the motion on are left to the iteration. k_motor: part of k that
 * stores no energy. more_k, more_c: what a motor at the end of its range has beyond its slopes, which vanish there, on the secant to where its
 * force would vanish; it counts where the motor could pass that point within the step. */
typedef struct slopes {
    double k, c, k_motor, more_k, more_c;
} slopes;

static slopes held_back(double k, double c) { return (slopes){.k = jn_max(0, k), .c = jn_max(0, c)}; }

static double weight(slopes s, jn_stiff_weights w) { return w.c * s.c + w.k * s.k; }

/* What an element adds to B, and to what B refers to: B u - A u_A - V v. Of moreau_jean only B counts. The leapfrog takes springs at
 * the mean of their lengths before, at (twice) and after the node, and dampers at the mean velocity; those that are stiffer than
 * the inertia at the end of the segment alone: the means would ring for ever with the frequency of the steps. */
typedef struct parts {
    double B, A, V;
} parts;

/* Whether a damper could pass the speed at which its force vanishes within the step. */
static bool passes_c(slopes s, jn_stiff_weights w, double W) {
    return 2 * w.c * (s.c + s.more_c) * W > JN_STIFF_LATE_REL;
}

static parts weigh_row(slopes s, jn_stiff_weights w, double W, double late, jn_stiff_row *row) {
    double more_k = 4 * w.k * (s.k + s.more_k) * W > late ? w.k * s.more_k : 0;
    double more_c = passes_c(s, w, W) ? w.c * s.more_c : 0;
    double k = w.k * s.k + more_k, c = w.c * s.c + more_c, k_motor = w.k * s.k_motor + more_k;
    bool late_k = w.leaps && 4 * k * W > late, late_c = w.leaps && 2 * c * W > JN_STIFF_LATE_REL;
    *row = (jn_stiff_row){c, k - k_motor, k_motor, late_c || w.starts, late_k, w.starts};
    if (late_k)
        k *= 4;
    else if (w.starts)
        k *= 2;
    if (row->late_c) c *= 2;
    bool mean_k = !late_k && !w.starts;
    return (parts){k + c, (mean_k ? k : 0) - (row->late_c ? 0 : c), row->late_c ? c : 2 * c};
}

/* Impulse of a row beside that of its forces at the mean velocity: of dampers and motors, with the rates u_A and u of the segments before and after the
 * node. */
static double other_impulse(const jn_stiff_row *row, double u_A, double u) {
    double damper = row->late_c ? row->c * (u_A - u) : 0;
    return damper + (row->late_k   ? -4 * row->k_motor * u
                     : row->starts ? -2 * row->k_motor * u
                                   : row->k_motor * (u_A - u));
}

/* The same for the half of the forces that a state shows: the rates are those before the node, of the last segment, shown, and that on which it works. */
static double other_half_impulse(const jn_stiff_row *row, double minus, double last, double shown, double mean) {
    double more = shown - minus;
    double damper = row->late_c ? -minus - 2 * more : -0.5 * (minus + last) - more;
    double motor = row->late_k ? -2 * minus - 4 * more : 0.5 * (last - minus) - more;
    return row->c * (damper + mean) + row->k_motor * motor;
}

/* [J] work of a spring that acts late at a node, and half of what it has stored from the node before to the node after it: energy is lost. */
static double late_work(const jn_stiff_row *row, double u_A, double u) {
    return !row->late_k ? 0 : row->starts ? -2 * row->k * u * u_A : -row->k * (u + u_A) * (u + u_A);
}

/* Row of a motion of link B against link A: the wrench that works on it, at the links' origins. */
static void pair_row(jn_sim *sim, int A, int B, jn_wrench on_A, jn_wrench on_B, double *row) {
    if (A) jn_load_scatter(sim, A, on_A, row);
    if (B) jn_load_scatter(sim, B, on_B, row);
}

static void spring_rows(jn_sim *sim, const jn_spring *s, slopes *S, double *J) {
    const jn_model *m = sim->m;
    const jn_link_motion *A = &sim->w->link[s->A.link], *B = &sim->w->link[s->B.link];
    jn_vec3 a = m3_mul_v(&A->R, s->A.p), b = m3_mul_v(&B->R, s->B.p);
    jn_vec3 d = v3_sub(v3_add(B->O, b), v3_add(A->O, a));
    jn_vec3 v = v3_sub(v3_add(B->V.v, v3_cross(B->V.w, b)), v3_add(A->V.v, v3_cross(A->V.w, a)));
    double l = v3_norm(d);
    if (!(l > 0)) return;
    jn_vec3 e[3] = {v3_scale(1 / l, d)};
    double x = l - s->rest, rate = v3_dot(e[0], v), k = s->stiffness, c = s->damping;
    double tension = s->preload + s->stiffness * x;
    if (m->planar)
        e[1] = v3(-e[0].y, e[0].x, 0);
    else
        e[1] = v3_any_normal(e[0]), e[2] = v3_cross(e[0], e[1]);
    add_function_slopes(m, sim->w, s->tension, x, rate, -1, &k, &c);
    if (jn_function_given(s->tension)) tension += jn_function_value(s->tension, m->tables, sim->w->var);
    for (int r = 0; r < rows_of(m, STIFF_SPRING); r++) {
        S[r] = r == 0 ? held_back(k, c) : held_back(tension / l, 0);
        jn_wrench on_B = {v3_cross(b, e[r]), e[r]}, on_A = {v3_cross(a, v3_neg(e[r])), v3_neg(e[r])};
        pair_row(sim, s->A.link, s->B.link, on_A, on_B, J + (size_t)r * (size_t)m->nv);
    }
}

static void bushing_rows(jn_sim *sim, const jn_bushing *s, slopes *S, double *J) {
    const jn_link_motion *A = &sim->w->link[s->A.link], *B = &sim->w->link[s->B.link];
    jn_mat3 E = m3_mul(&A->R, &s->A.E);
    jn_vec3 b = m3_mul_v(&B->R, s->B.p), a = v3_sub(v3_add(B->O, b), A->O), zero = v3(0, 0, 0);
    for (int r = 0; r < 6; r++) {
        jn_vec3 e = m3_mul_v(&E, v3(r % 3 == 0, r % 3 == 1, r % 3 == 2));
        jn_wrench on_B = r < 3 ? (jn_wrench){v3_cross(b, e), e} : (jn_wrench){e, zero};
        jn_wrench on_A = r < 3 ? (jn_wrench){v3_cross(a, v3_neg(e)), v3_neg(e)} : (jn_wrench){v3_neg(e), zero};
        S[r] = held_back(s->stiffness[r], s->damping[r]);
        pair_row(sim, s->A.link, s->B.link, on_A, on_B, J + (size_t)r * (size_t)sim->m->nv);
    }
}

/* Whether dry friction is a force, and no row of the contact problem. */
static bool rubs(const jn_work *w, const jn_actuator *a) { return a->law.friction != 0 && !(a->dry && w->dry_rows); }

/* Slopes of what acts on a joint coordinate. Dry friction by its secant, with which the iteration cannot overshoot. */
static slopes actuator_slopes(const jn_model *m, const jn_work *w, const jn_actuator *a) {
    const jn_coordinate_desc *law = &a->law;
    double x = w->position[a->handle], v = w->speed[a->handle], k = law->stiffness, c = law->damping, k_motor = 0;
    if (law->slack > 0 && jn_spring_stretch(law, x) == 0) k = 0;
    if (rubs(w, a)) {
        double z = v / law->friction_speed;
        c += law->friction / law->friction_speed * (fabs(z) < JN_STIFF_TANH_IS_LINEAR ? 1 : jn_tanh(z) / z);
    }
    if ((law->has_lower && x < law->lower) || (law->has_upper && x > law->upper))
        k += law->limit_stiffness, c += law->limit_damping;
    if (law->has_motor) {
        double force = 0;
        w->var[JN_VAR_X] = x, w->var[JN_VAR_V] = v;
        if (jn_function_given(law->motor_target))
            force += law->motor_kp * (jn_function_value(law->motor_target, m->tables, w->var) - x);
        double speed = jn_function_given(law->motor_speed) ? jn_function_value(law->motor_speed, m->tables, w->var) : 0;
        force += law->motor_kd * (speed - v);
        if (jn_function_given(law->motor_feed)) force += jn_function_value(law->motor_feed, m->tables, w->var);
        double most = law->motor_gear * law->motor_max, fall = most * law->motor_gear / law->motor_no_load;
        bool drives = force * v > 0; /* then its limit falls with the speed */
        double limit = drives && isfinite(law->motor_no_load) ? jn_max(0, most - fall * fabs(v)) : most;
        if (fabs(force) < limit)
            k_motor = jn_function_given(law->motor_target) ? jn_max(0, law->motor_kp) : 0, c += law->motor_kd;
        else if (drives && isfinite(law->motor_no_load) && limit > 0)
            c += fall;
    }
    if (m->actuation_count) k_motor += jn_max(0, -w->drive_x[a->handle]), c += jn_max(0, -w->drive_v[a->handle]);
    add_function_slopes(m, w, law->force, x, v, 1, &k, &c);
    slopes s = held_back(k + k_motor, c);
    s.k_motor = jn_min(k_motor, s.k);
    if (m->actuation_count)
        s.more_k = jn_max(0, w->drive_x[a->handle] - w->drive_secant_x[a->handle]),
        s.more_c = jn_max(0, w->drive_v[a->handle] - w->drive_secant_v[a->handle]);
    return s;
}

static void item_rows(jn_sim *sim, const jn_stiff_item *i, slopes *S, double *J) {
    const jn_model *m = sim->m;
    if (i->kind == STIFF_SPRING)
        spring_rows(sim, &m->springs[i->index], S, J);
    else if (i->kind == STIFF_BUSHING)
        bushing_rows(sim, &m->bushings[i->index], S, J);
    else {
        S[0] = actuator_slopes(m, sim->w, &m->actuators[i->index]);
        jn_handle_scatter(m, sim->w, m->actuators[i->index].handle, 1, J);
    }
}

/* ----------------------------------------------------------------------------------------------- the linear algebra */

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* a = inverse inertia times f on the motions that G a = g leaves. */
static int solve_inertia(jn_sim *sim, const double *f, const double *g, double *a, double *lambda) {
    if (sim->m->row_count) return jn_kkt_solve(sim->m, sim->w, f, g, a, lambda);
    jn_inertia_solve_for(sim, f, a);
    return JN_OK;
}

/* C = S^-1 + J Z, then its Cholesky factor. */
static bool factor(jn_stiff *x, int nv) {
    int n = x->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            bool both = x->S[i] > 0 && x->S[j] > 0;
            double sum = both ? dot(x->J + (size_t)i * (size_t)nv, x->Z + (size_t)j * (size_t)nv, nv) : 0;
            if (i == j) sum += x->S[i] > 0 ? 1 / x->S[i] : 1;
            for (int k = 0; k < j; k++) sum -= x->C[i * n + k] * x->C[j * n + k];
            if (i == j && !(sum > 0)) return false;
            x->C[i * n + j] = i == j ? sqrt(sum) : sum / x->C[j * n + j];
        }
    return true;
}

static void note_drive(const jn_sim *sim, jn_stiff_item *item, slopes s, jn_stiff_weights weights) {
    const jn_work *w = sim->w;
    int h = sim->m->actuators[item->index].handle;
    double slope = jn_max(0, -w->drive_v[h]) + (passes_c(s, weights, item->W[0]) ? s.more_c : 0);
    item->drive.x = w->position[h], item->drive.v = w->speed[h], item->drive.force = w->drive[h];
    item->drive.slope = -slope, item->drive.time = weights.c;
}

static void weigh_diagonal(jn_sim *sim, jn_stiff_item *item, jn_stiff_weights weights) {
    jn_stiff *x = sim->nonsmooth->stiff;
    slopes own = actuator_slopes(sim->m, sim->w, &sim->m->actuators[item->index]);
    parts s = weigh_row(own, weights, item->W[0], JN_STIFF_LATE_REL, item->row);
    if (item->bounded) note_drive(sim, item, own, weights);
    int v = item->velocity;
    x->added[v] += s.B, x->added_A[v] += s.A, x->added_v[v] += s.V;
    x->late |= item->row[0].late_c || item->row[0].late_k;
}

static void weigh_rows(jn_sim *sim, jn_stiff_item *item, jn_stiff_weights weights) {
    const jn_model *m = sim->m;
    jn_stiff *x = sim->nonsmooth->stiff;
    size_t nv = (size_t)m->nv;
    slopes s[6] = {{0}};
    item_rows(sim, item, s, x->J + (size_t)item->first * nv);
    if (item->bounded) note_drive(sim, item, s[0], weights);
    for (int r = 0; r < rows_of(m, item->kind); r++) {
        bool aside = item->kind == STIFF_SPRING && r > 0; /* forces across the line of a spring would be a couple */
        slopes own = weights.leaps && aside ? (slopes){0} : s[r];
        int at = item->first + r;
        if (item->grows) item->W[r] = jn_inertia_mobility(sim, x->J + (size_t)at * nv, x->f);
        parts p = weigh_row(own, weights, item->W[r], m->row_count ? JN_STIFF_LATE_REL : JN_STIFF_UNSEEN_REL,
                            &item->row[r]);
        x->S[at] = p.B, x->S_A[at] = p.A, x->S_v[at] = p.V;
        x->late |= item->row[r].late_c || item->row[r].late_k;
    }
}

/* Rows, weights and diagonal at the last evaluation, of elements whose inverse inertia is that of the start. */
static void weigh(jn_sim *sim, jn_stiff_weights weights) {
    jn_stiff *x = sim->nonsmooth->stiff;
    size_t nv = (size_t)sim->m->nv;
    memset(x->J, 0, (size_t)x->count * nv * sizeof *x->J);
    memset(x->S, 0, (size_t)x->count * sizeof *x->S);
    memset(x->added, 0, 3 * nv * sizeof *x->added);
    x->late = false;
    for (int i = 0; i < x->items; i++) {
        if (x->item[i].diagonal)
            weigh_diagonal(sim, &x->item[i], weights);
        else if (!x->item[i].grows)
            weigh_rows(sim, &x->item[i], weights);
    }
}

int jn_system_factor(jn_sim *sim, jn_stiff_weights weights) {
    jn_stiff *x = sim->nonsmooth->stiff;
    size_t nv = (size_t)sim->m->nv;
    if (!x) return jn_inertia_factor(sim);
    x->on = false;
    weigh(sim, weights);
    sim->w->added = x->added;
    int status = jn_inertia_factor(sim);
    sim->w->added = NULL;
    for (int i = 0; i < x->items && status >= 0; i++)
        if (x->item[i].grows) weigh_rows(sim, &x->item[i], weights);
    for (int r = 0; r < x->count && status >= 0; r++)
        if (x->S[r] > 0) status = solve_inertia(sim, x->J + (size_t)r * nv, NULL, x->Z + (size_t)r * nv, x->lambda);
    if (status < 0) return status;
    x->on = factor(x, sim->m->nv);
    return x->on ? JN_OK : jn_inertia_factor(sim); /* without them */
}

void jn_stiff_leave(jn_sim *sim) {
    if (sim->nonsmooth->stiff) sim->nonsmooth->stiff->on = false;
}

/* y += part of B times x. */
static void multiply(const jn_stiff *s, const double *added, const double *S, const double *x, double *y, int nv) {
    for (int i = 0; i < nv; i++) y[i] += added[i] * x[i];
    for (int r = 0; r < s->count; r++) {
        const double *J = s->J + (size_t)r * (size_t)nv;
        if (S[r] == 0) continue;
        double rate = S[r] * dot(J, x, nv);
        for (int i = 0; i < nv; i++) y[i] += rate * J[i];
    }
}

bool jn_stiff_late(const jn_sim *sim) { return jn_stiff_on(sim) && sim->nonsmooth->stiff->late; }
bool jn_stiff_on(const jn_sim *sim) { return sim->nonsmooth->stiff && sim->nonsmooth->stiff->on; }
const double *jn_stiff_added(const jn_sim *sim) { return jn_stiff_on(sim) ? sim->nonsmooth->stiff->added : NULL; }

void jn_stiff_multiply(const jn_sim *sim, const double *x, double *y) {
    const jn_stiff *s = sim->nonsmooth->stiff;
    if (jn_stiff_on(sim)) multiply(s, s->added, s->S, x, y, sim->m->nv);
}

void jn_stiff_refer(const jn_sim *sim, const double *u_A, const double *v, double *y) {
    const jn_stiff *s = sim->nonsmooth->stiff;
    if (!jn_stiff_on(sim)) return;
    multiply(s, s->added_A, s->S_A, u_A, y, sim->m->nv);
    multiply(s, s->added_v, s->S_v, v, y, sim->m->nv);
}

/* Rate of a row of an element. */
static double rate_of(const jn_sim *sim, const jn_stiff_item *item, int r, const double *u) {
    const jn_model *m = sim->m;
    const jn_stiff *x = sim->nonsmooth->stiff;
    if (item->diagonal) return u[item->velocity];
    return dot(x->J + (size_t)(item->first + r) * (size_t)m->nv, u, m->nv);
}

/* [N s] or [N m s] what actuators with a range give at a node, or in half of its time, beside the forces that they have at another speed:
 * rows account for them as if these were linear. */
static double unbounded_impulse(const jn_sim *sim, const jn_stiff_item *item, double v) {
    if (!item->bounded) return 0;
    double force = jn_drive_at(sim->m, sim->w, sim->s, sim->m->actuators[item->index].handle, item->drive.x, v);
    return item->drive.time * (item->drive.force + item->drive.slope * (v - item->drive.v) - force);
}

static void book_work(const jn_stiff_item *item, double work, jn_ledger *l) {
    if (item->motor)
        l->driven += work;
    else
        l->dissipated -= work;
}

void jn_stiff_book(jn_sim *sim, const double *u_A, const double *u, const double *fall) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    jn_ledger *l = &sim->s->ledger;
    for (int i = 0; jn_stiff_on(sim) && i < x->items; i++) {
        const jn_stiff_item *item = &x->item[i];
        double work = 0, late = 0, damping = 0;
        for (int r = 0; r < rows_of(sim->m, item->kind); r++) {
            const jn_stiff_row *row = &item->row[r];
            if (row->c + row->k + row->k_motor == 0) continue;
            double old = rate_of(sim, item, r, u_A), now = rate_of(sim, item, r, u);
            double more = 0.5 * rate_of(sim, item, r, fall), mean = 0.5 * (old + now) + more;
            work += (other_impulse(row, old, now) + 2 * row->c * more + 2 * unbounded_impulse(sim, item, mean)) * mean;
            late += late_work(row, old, now), damping += row->c;
        }
        book_work(item, work, l);
        if (damping > 0) /* the damper would have taken it by the end of the step */
            l->dissipated -= late;
        else
            l->numerical += late, l->numerical_size += fabs(late);
    }
}

void jn_stiff_book_half(const jn_sim *sim, const double *minus, const double *last, const double *plain,
                        const double *fall, const double *shown, jn_ledger *l) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    for (int i = 0; jn_stiff_on(sim) && i < x->items; i++) {
        const jn_stiff_item *item = &x->item[i];
        double work = 0;
        for (int r = 0; r < rows_of(sim->m, item->kind); r++) {
            if (item->row[r].c + item->row[r].k_motor == 0) continue;
            double m = rate_of(sim, item, r, minus), s = rate_of(sim, item, r, shown), w = rate_of(sim, item, r, plain);
            double g = rate_of(sim, item, r, fall), mean = 0.5 * (m + g + s);
            double other = other_half_impulse(&item->row[r], m, rate_of(sim, item, r, last), w, 0.5 * (m + g + w));
            work += (other + unbounded_impulse(sim, item, mean)) * mean;
        }
        book_work(item, work, l);
    }
}

/* Weight of what a row stores energy with, where that is kept and the row has its part of the inverse inertia. */
static double kept_weight(const jn_sim *sim, const jn_stiff_item *item, int r) {
    return sim->m->row_count || item->diagonal || item->row[r].late_k ? 0 : item->row[r].k;
}

void jn_stiff_add_springs(const jn_sim *sim, const double *u, double *f, bool as_velocity) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    int nv = sim->m->nv;
    if (!jn_stiff_on(sim) || x->count == 0) return; /* what is on the diagonal keeps none */
    for (int i = 0; i < x->items; i++)
        for (int r = 0; r < rows_of(sim->m, x->item[i].kind); r++) {
            double k = kept_weight(sim, &x->item[i], r);
            if (k == 0) continue;
            const double *along = (as_velocity ? x->Z : x->J) + (size_t)(x->item[i].first + r) * (size_t)nv;
            double rate = k * rate_of(sim, &x->item[i], r, u);
            for (int j = 0; j < nv; j++) f[j] += rate * along[j];
        }
}

void jn_stiff_add(jn_sim *sim, const double *before, double *impulse) {
    const jn_nonsmooth *x = sim->nonsmooth;
    if (!jn_stiff_on(sim)) return;
    for (int i = 0; i < sim->m->nv; i++) x->stiff->f[i] = x->moreau->iterate[i] - before[i];
    jn_stiff_multiply(sim, x->stiff->f, impulse);
}

bool jn_stiff_has_rows(const jn_sim *sim) { return jn_stiff_on(sim) && sim->nonsmooth->stiff->count; }

bool jn_system_is_tree(const jn_sim *sim) { return !sim->nonsmooth->groups.plain && !jn_stiff_has_rows(sim); }

int jn_system_solve(jn_sim *sim, const double *f, const double *g, double *a, double *lambda) {
    jn_stiff *x = sim->nonsmooth->stiff;
    int nv = sim->m->nv, n = x ? x->count : 0;
    if (!x || !x->on || x->count == 0) return solve_inertia(sim, f, g, a, lambda);
    memcpy(x->f, f, (size_t)nv * sizeof *f);
    int status = solve_inertia(sim, x->f, g, a, lambda);
    if (status < 0) return status;
    for (int i = 0; i < n; i++) { /* y = C^-T C^-1 J a */
        x->y[i] = x->S[i] > 0 ? dot(x->J + (size_t)i * (size_t)nv, a, nv) : 0;
        for (int k = 0; k < i; k++) x->y[i] -= x->C[i * n + k] * x->y[k];
        x->y[i] /= x->C[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x->y[i] /= x->C[i * n + i];
        for (int k = 0; k < i; k++) x->y[k] -= x->C[i * n + k] * x->y[i];
    }
    for (int r = 0; r < n; r++)
        for (int i = 0; i < nv && x->S[r] > 0; i++) x->f[i] -= x->y[r] * x->J[(size_t)r * (size_t)nv + (size_t)i];
    return solve_inertia(sim, x->f, g, a, lambda); /* with the impulses of the joints */
}

/* --------------------------------------------------------------------------------------------------------- creation */

/* Whether actuators act on a coordinate whose force has a range: their slopes at the start may not be the largest. */
static bool is_bounded(const jn_model *m, int handle) {
    for (int i = 0; i < m->actuation_count; i++) {
        const jn_actuation *a = &m->actuations[i];
        if (a->handle == handle && (a->has_force_range || a->has_total_range)) return true;
    }
    return false;
}

/* Inverse inertia that a force on a link at p (link's frame) feels at most, in any direction and position of the mechanism: joints make it less. */
static double most_mobility(const jn_model *m, const jn_side *side) {
    const jn_link *l = &m->links[side->link];
    jn_sym3 inverse;
    if (!side->link) return 0;
    jn_vec3 arm = v3_sub(side->p, l->com);
    bool plane = m->planar && l->inertia.zz > 0;
    if (!(l->mass > 0) || (!plane && !s3_inverse(&l->inertia, &inverse))) return INFINITY;
    return 1 / l->mass + v3_dot(arm, arm) * (plane ? 1 / l->inertia.zz : inverse.xx + inverse.yy + inverse.zz);
}

/* Whether a spring that hardly moves its mechanism at the start would be unstable as an explicit force in another position. */
static bool may_be_stiff(const jn_model *m, const jn_stiff_item *i, slopes along, jn_stiff_weights weights) {
    if (i->kind != STIFF_SPRING || !weights.leaps) return false;
    const jn_spring *s = &m->springs[i->index];
    return weight(along, weights) * (most_mobility(m, &s->A) + most_mobility(m, &s->B)) > JN_STIFF_MAY_REL;
}

/* Whether an element needs the matrix at the state of the start: against the inertia that its motion feels; by functions always,
 * and where it may become stiff (stops). */
static bool is_stiff(jn_sim *sim, jn_stiff_item *i, jn_stiff_weights weights, double *J, double *Z) {
    const jn_model *m = sim->m;
    int rows = rows_of(m, i->kind);
    double most = 0, floor = 0;
    memset(J, 0, (size_t)(rows * m->nv) * sizeof *J);
    slopes S[6] = {{0}};
    item_rows(sim, i, S, J);
    for (int r = 0; r < rows; r++) {
        memcpy(Z, J + (size_t)r * (size_t)m->nv, (size_t)m->nv * sizeof *Z);
        jn_mass_solve(m, sim->w, Z);
        i->W[r] = dot(J + (size_t)r * (size_t)m->nv, Z, m->nv);
    }
    if (i->kind == STIFF_SPRING && jn_function_given(m->springs[i->index].tension)) return true;
    if (i->kind == STIFF_ACTUATOR) {
        const jn_coordinate_desc *law = &m->actuators[i->index].law;
        if (jn_function_given(law->force) && !jn_function_is_constant(law->force)) return true;
        if (is_bounded(m, m->actuators[i->index].handle)) return true;
        bool stops = law->has_lower || law->has_upper;
        if (law->damping > 0 && m->row_count == 0 && m->handles[m->actuators[i->index].handle].v >= 0) return true;
        floor = stops ? weight(held_back(law->limit_stiffness, law->limit_damping), weights) : 0;
        if (law->has_motor) floor += weight(held_back(law->motor_kp, law->motor_kd), weights);
        if (rubs(sim->w, &m->actuators[i->index])) floor += weights.c * law->friction / law->friction_speed;
    }
    for (int r = 0; r < rows; r++) most = jn_max(most, jn_max(weight(S[r], weights), floor) * i->W[r]);
    i->grows = !(most > JN_STIFF_SOFT_REL) && may_be_stiff(m, i, S[0], weights);
    return most > JN_STIFF_SOFT_REL || i->grows;
}

/* The elements that count, and the number of their rows; list may be NULL. */
static int find_items(jn_sim *sim, jn_stiff_weights weights, bool independent, double *scratch, jn_stiff_item *list,
                      int *rows) {
    const jn_model *m = sim->m;
    int count = 0, sizes[] = {m->spring_count, m->bushing_count, m->actuator_count};
    double *J = scratch, *Z = J + 6 * m->nv;
    *rows = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < sizes[kind]; i++) {
            jn_stiff_item item = {.kind = (jn_stiff_kind)kind, .index = i, .first = *rows};
            if (!is_stiff(sim, &item, weights, J, Z)) continue;
            item.bounded = kind == STIFF_ACTUATOR && is_bounded(m, m->actuators[i].handle);
            item.motor = kind == STIFF_ACTUATOR && m->actuators[i].law.has_motor;
            item.diagonal = can_be_diagonal(m, &item, independent);
            if (item.diagonal) item.velocity = m->handles[m->actuators[i].handle].v;
            if (list) list[count] = item;
            count++, *rows += item.diagonal ? 0 : rows_of(m, item.kind);
        }
    return count;
}

static jn_stiff *allocate(const jn_model *m, int items, int rows) {
    size_t n = (size_t)rows, nv = (size_t)m->nv, doubles = 4 * n + 2 * n * nv + n * n + 4 * nv + (size_t)m->row_count;
    jn_stiff *x = jn_malloc(sizeof *x + (size_t)items * sizeof *x->item + doubles * sizeof(double));
    if (!x) return NULL;
    *x = (jn_stiff){.items = items, .count = rows, .S = (double *)(x + 1)};
    x->S_A = x->S + n, x->S_v = x->S_A + n, x->y = x->S_v + n, x->J = x->y + n, x->Z = x->J + n * nv,
    x->C = x->Z + n * nv, x->f = x->C + n * n;
    x->added = x->f + nv, x->added_A = x->added + nv, x->added_v = x->added_A + nv;
    x->lambda = x->added_v + nv, x->item = (jn_stiff_item *)(void *)(x->lambda + m->row_count);
    return x;
}

int jn_stiff_create(jn_sim *sim, bool independent, jn_stiff **out) {
    const jn_model *m = sim->m;
    bool leapfrog = m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG;
    double reach = (leapfrog ? 0.5 : m->run.theta) * m->run.step;
    jn_stiff_weights weights = {reach, reach * reach, leapfrog, false};
    *out = NULL;
    bool none = m->spring_count + m->bushing_count + m->actuator_count == 0;
    if (none || m->run.scheme == JN_SCHEME_MOREAU_MIDPOINT || m->run.iterations == 1 || !m->has_M) return JN_OK;
    if (jn_mass_factor(m, sim->w, sim->s) < 0) return JN_OK; /* a massless coordinate; reported elsewhere */
    jn_forces_at(sim, sim->s);
    double *scratch = jn_malloc(7 * ((size_t)m->nv + 1) * sizeof *scratch);
    if (!scratch) return JN_ERR_MEMORY;
    int rows, items = find_items(sim, weights, independent, scratch, NULL, &rows);
    bool wanted = items && rows <= JN_STIFF_ROWS_MOST;
    if (wanted && (*out = allocate(m, items, rows)) != NULL)
        find_items(sim, weights, independent, scratch, (*out)->item, &rows);
    jn_free(scratch);
    return wanted && !*out ? JN_ERR_MEMORY : JN_OK;
}

void jn_stiff_free(jn_stiff *stiff) { jn_free(stiff); }

static void tie_tendon(const jn_model *m, const jn_handle *h, void (*tie)(void *, int, int), void *context) {
    for (int p = h->cols; p < h->cols + h->count; p++)
        tie(context, m->dof_link[m->row_cols[h->cols]], m->dof_link[m->row_cols[p]]);
}

void jn_stiff_pairs(const jn_sim *sim, const jn_stiff *x, void (*tie)(void *, int, int), void *context) {
    const jn_model *m = sim->m;
    for (int i = 0; x && i < x->items; i++) {
        int index = x->item[i].index;
        if (x->item[i].diagonal) continue; /* a tree is one by itself */
        if (x->item[i].kind == STIFF_SPRING)
            tie(context, m->springs[index].A.link, m->springs[index].B.link);
        else if (x->item[i].kind == STIFF_BUSHING)
            tie(context, m->bushings[index].A.link, m->bushings[index].B.link);
        else if (m->actuators[index].joint >= 0)
            tie(context, m->joints[m->actuators[index].joint].A.link, m->joints[m->actuators[index].joint].B.link);
        else
            tie_tendon(m, &m->handles[m->actuators[index].handle], tie, context);
    }
}
