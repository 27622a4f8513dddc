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
#include "step/nonsmooth/moreau.h"
#include "step/nonsmooth/stiff/stiff.h"

#include <string.h>

/* What an element adds to B, and to what B refers to: B u - A u_A - V v. Of moreau_jean only B counts. The leapfrog takes springs at
 * the mean of their lengths before, at (twice) and after the node, and dampers at the mean velocity; those that are stiffer than
 * the inertia at the end of the segment alone: the means would ring for ever with the frequency of the steps. */
typedef struct parts {
    double B, A, V;
} parts;

/* Whether a damper could pass the speed at which its force vanishes within the step. */
static bool passes_c(jn_stiff_slopes s, jn_stiff_weights w, double W) {
    return 2 * w.c * (s.c + s.more_c) * W > JN_STIFF_LATE_REL;
}

static parts weigh_row(jn_stiff_slopes s, jn_stiff_weights w, double W, double late, jn_stiff_row *row) {
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

/* a = inverse inertia times f on the motions that G a = g leaves. */
int jn_inertia_solve_rows(jn_sim *sim, const double *f, const double *g, double *a, double *lambda) {
    if (sim->m->row_count) return jn_kkt_solve(sim->m, sim->w, f, g, a, lambda);
    jn_inertia_solve_for(sim, f, a);
    return JN_OK;
}

/* The same of several f (count x nv) with g = 0. lambda (rows): scratch. */
static int solve_inertia_some(jn_sim *sim, int count, const double *f, double *a, double *lambda) {
    int nv = sim->m->nv;
    if (sim->m->row_count) return jn_kkt_solve_some(sim->m, sim->w, count, f, a, lambda);
    for (int i = 0; i < count; i++) jn_inertia_solve_for(sim, f + i * nv, a + i * nv);
    return JN_OK;
}

/* C = S^-1 + J Z, then its Cholesky factor. */
static bool factor(jn_stiff *x, int nv) {
    int n = x->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            bool both = x->S[i] > 0 && x->S[j] > 0;
            double sum = both ? jn_stiff_dot(x->J + (size_t)i * (size_t)nv, x->Z + (size_t)j * (size_t)nv, nv) : 0;
            if (i == j) sum += x->S[i] > 0 ? 1 / x->S[i] : 1;
            for (int k = 0; k < j; k++) sum -= x->C[i * n + k] * x->C[j * n + k];
            if (i == j && !(sum > 0)) return false;
            x->C[i * n + j] = i == j ? sqrt(sum) : sum / x->C[j * n + j];
        }
    return true;
}

static void weigh_diagonal(jn_sim *sim, jn_stiff_item *item, jn_stiff_weights weights) {
    jn_stiff *x = sim->nonsmooth->stiff;
    jn_stiff_slopes own = jn_stiff_actuator_slopes(sim->m, sim->w, &sim->m->actuators[item->index]);
    parts s = weigh_row(own, weights, item->W[0], JN_STIFF_LATE_REL, item->row);
    int v = item->velocity;
    x->added[v] += s.B, x->added_A[v] += s.A, x->added_v[v] += s.V;
}

static void weigh_rows(jn_sim *sim, jn_stiff_item *item, jn_stiff_weights weights) {
    const jn_model *m = sim->m;
    jn_stiff *x = sim->nonsmooth->stiff;
    size_t nv = (size_t)m->nv;
    jn_stiff_slopes s[6] = {{0}};
    jn_stiff_item_rows(sim, item, s, x->J + (size_t)item->first * nv);
    for (int r = 0; r < jn_stiff_rows_of(m, item->kind); r++) {
        bool aside = item->kind == STIFF_SPRING && r > 0; /* forces across the line of a spring would be a couple */
        jn_stiff_slopes own = weights.leaps && aside ? (jn_stiff_slopes){0} : s[r];
        int at = item->first + r;
        if (item->grows) item->W[r] = jn_inertia_mobility(sim, x->J + (size_t)at * nv, x->f);
        parts p =
            weigh_row(own, weights, item->W[r], m->row_count ? JN_STIFF_LATE_REL : JN_STIFF_UNSEEN_REL, &item->row[r]);
        x->S[at] = p.B, x->S_A[at] = p.A, x->S_v[at] = p.V;
    }
}

static bool are_same(jn_stiff_weights a, jn_stiff_weights b) {
    return a.c == b.c && a.k == b.k && a.leaps == b.leaps && a.starts == b.starts;
}

/* Rows, weights and diagonal at the last evaluation, of elements whose inverse inertia is that of the start. */
static void weigh(jn_sim *sim, jn_stiff_weights weights) {
    jn_stiff *x = sim->nonsmooth->stiff;
    size_t nv = (size_t)sim->m->nv;
    if (x->constant && are_same(weights, x->weighed)) return;
    x->weighed = weights;
    memset(x->J, 0, (size_t)x->count * nv * sizeof *x->J);
    memset(x->S, 0, (size_t)x->count * sizeof *x->S);
    memset(x->added, 0, 3 * nv * sizeof *x->added);
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
    for (int r = 0, end; r < x->count && status >= 0; r = end) { /* rows that take part and follow each other */
        for (end = r; end < x->count && x->S[end] > 0;) end++;
        if (end > r) status = solve_inertia_some(sim, end - r, x->J + (size_t)r * nv, x->Z + (size_t)r * nv, x->lambda);
        if (end == r) end++;
    }
    if (status < 0) return status;
    x->on = factor(x, sim->m->nv);
    return x->on ? JN_OK : jn_inertia_factor(sim); /* without them */
}

void jn_stiff_leave(jn_sim *sim) {
    if (sim->nonsmooth->stiff) sim->nonsmooth->stiff->on = false;
}

/* y += part of B times x. */
static void multiply(const jn_stiff *s, const double *added, const double *S, const double *x, double *restrict y,
                     int nv) {
    for (int i = 0; i < nv; i++) y[i] += added[i] * x[i];
    for (int r = 0; r < s->count; r++) {
        const double *J = s->J + (size_t)r * (size_t)nv;
        if (S[r] == 0) continue;
        double rate = S[r] * jn_stiff_dot(J, x, nv);
        for (int i = 0; i < nv; i++) y[i] += rate * J[i];
    }
}

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

/* Weight of what a row stores energy with, where that is kept and the row has its part of the inverse inertia. */
static double kept_weight(const jn_sim *sim, const jn_stiff_item *item, int r) {
    return sim->m->row_count || item->diagonal || item->row[r].late_k ? 0 : item->row[r].k;
}

void jn_stiff_add_springs(const jn_sim *sim, const double *u, double *f, bool as_velocity) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    int nv = sim->m->nv;
    if (!jn_stiff_on(sim) || x->count == 0) return; /* what is on the diagonal keeps none */
    for (int i = 0; i < x->items; i++)
        for (int r = 0; r < jn_stiff_rows_of(sim->m, x->item[i].kind); r++) {
            double k = kept_weight(sim, &x->item[i], r);
            if (k == 0) continue;
            const double *along = (as_velocity ? x->Z : x->J) + (size_t)(x->item[i].first + r) * (size_t)nv;
            double rate = k * jn_stiff_rate(sim, &x->item[i], r, u);
            for (int j = 0; j < nv; j++) f[j] += rate * along[j];
        }
}

void jn_stiff_add(jn_sim *sim, const double *before, double *impulse) {
    const jn_nonsmooth *x = sim->nonsmooth;
    if (!jn_stiff_on(sim)) return;
    for (int i = 0; i < sim->m->nv; i++) x->stiff->f[i] = x->moreau->iterate[i] - before[i];
    jn_stiff_multiply(sim, x->stiff->f, impulse);
}

bool jn_stiff_has_diagonal(const jn_sim *sim) { return sim->nonsmooth->stiff && sim->nonsmooth->stiff->diagonal; }
bool jn_stiff_has_rows(const jn_sim *sim) { return jn_stiff_on(sim) && sim->nonsmooth->stiff->count; }

bool jn_system_is_tree(const jn_sim *sim) { return !sim->nonsmooth->groups.plain && !jn_stiff_has_rows(sim); }

/* f -= J^T (S^-1 + J M^-1 J^T)^-1 J a. */
static void subtract_stiff(jn_stiff *x, int nv, const double *a, double *f) {
    int n = x->count;
    for (int i = 0; i < n; i++) { /* y = C^-T C^-1 J a */
        x->y[i] = x->S[i] > 0 ? jn_stiff_dot(x->J + (size_t)i * (size_t)nv, a, nv) : 0;
        for (int k = 0; k < i; k++) x->y[i] -= x->C[i * n + k] * x->y[k];
        x->y[i] /= x->C[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x->y[i] /= x->C[i * n + i];
        for (int k = 0; k < i; k++) x->y[k] -= x->C[i * n + k] * x->y[i];
    }
    for (int r = 0; r < n; r++)
        for (int i = 0; i < nv && x->S[r] > 0; i++) f[i] -= x->y[r] * x->J[(size_t)r * (size_t)nv + (size_t)i];
}

int jn_system_solve(jn_sim *sim, const double *f, const double *g, double *a, double *lambda) {
    jn_stiff *x = sim->nonsmooth->stiff;
    if (!jn_stiff_has_rows(sim)) return jn_inertia_solve_rows(sim, f, g, a, lambda);
    memcpy(x->f, f, (size_t)sim->m->nv * sizeof *f);
    int status = jn_inertia_solve_rows(sim, x->f, g, a, lambda);
    if (status < 0) return status;
    subtract_stiff(x, sim->m->nv, a, x->f);
    return jn_inertia_solve_rows(sim, x->f, g, a, lambda); /* with the impulses of the joints */
}

/* Numbers of several solutions at one place. */
enum { LANES = JN_KKT_LANES };
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* a = (M + B)^-1 f of several f (count x nv), from a = M^-1 f: a -= Z^T (S^-1 + J Z^T)^-1 J a. by_velocity (nv x LANES): scratch. */
static void leave_stiff(jn_stiff *x, int nv, int count, double *a, double *by_velocity) {
    int n = x->count;
    lanes *now = (lanes *)(void *)by_velocity, *y = (lanes *)(void *)x->y;
    for (int k = 0; k < nv; k++)
        for (int l = 0; l < LANES; l++) by_velocity[k * LANES + l] = l < count ? a[l * nv + k] : 0;
    for (int i = 0; i < n; i++) { /* y = C^-T C^-1 J a */
        const double *J = x->J + (size_t)i * (size_t)nv, *C = x->C + (size_t)i * (size_t)n;
        lanes sum = {0};
        for (int k = 0; k < nv && x->S[i] > 0; k++) sum += J[k] * now[k];
        for (int k = 0; k < i; k++) sum -= C[k] * y[k];
        y[i] = sum / C[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *C = x->C + (size_t)i * (size_t)n;
        y[i] /= C[i];
        for (int k = 0; k < i; k++) y[k] -= C[k] * y[i];
    }
    for (int i = 0; i < n; i++) {
        const double *Z = x->Z + (size_t)i * (size_t)nv;
        for (int k = 0; k < nv && x->S[i] > 0; k++) now[k] -= Z[k] * y[i];
    }
    for (int l = 0; l < count; l++)
        for (int k = 0; k < nv; k++) a[l * nv + k] = by_velocity[k * LANES + l];
}

int jn_system_solve_some(jn_sim *sim, int count, const double *f, double *a) {
    int nv = sim->m->nv;
    int status = solve_inertia_some(sim, count, f, a, sim->w->lambda);
    if (status >= 0 && jn_stiff_has_rows(sim))
        leave_stiff(sim->nonsmooth->stiff, nv, count, a, sim->nonsmooth->some + 2 * JN_KKT_LANES * nv);
    return status;
}
