/* Four or eight right-hand sides of the sparse KKT matrix at a time: factor and rows are read once for all of them, as contacts and stiff elements ask for. Each solution has the
 * bits that jn_kkt_sparse_solve gives it alone: no lane depends on its neighbours. */
#include "algebra/elementary.h"
#include "motion/work.h"

enum { FOUR = 4, WIDE = JN_KKT_LANES / FOUR };
typedef double four __attribute__((vector_size(8 * FOUR), aligned(8), may_alias));
/* Compiled anew for each number of fours, which gives loops over them a constant length. */
#define FOR_WIDTHS static inline __attribute__((always_inline))

/* x = (L D L^T)^-1 x; `wide` fours stand for a number. */
FOR_WIDTHS void solve_factored(const jn_kkt_pattern *k, const jn_work *w, four *restrict x, const int wide) {
    const double *restrict L = w->L, *restrict D = w->Dk;
    const int *restrict row = w->L_row, *restrict start = k->factor_start;
    int n = k->n;
    four now[WIDE];
    for (int j = 0; j < n; j++) {
        for (int b = 0; b < wide; b++) now[b] = x[j * wide + b];
        for (int p = start[j], end = start[j + 1]; p < end; p++)
            for (int b = 0; b < wide; b++) x[row[p] * wide + b] -= L[p] * now[b];
    }
    for (int j = 0; j < n; j++)
        for (int b = 0; b < wide; b++) x[j * wide + b] /= D[j];
    for (int j = n - 1; j >= 0; j--) {
        for (int b = 0; b < wide; b++) now[b] = x[j * wide + b];
        for (int p = start[j], end = start[j + 1]; p < end; p++)
            for (int b = 0; b < wide; b++) now[b] -= L[p] * x[row[p] * wide + b];
        for (int b = 0; b < wide; b++) x[j * wide + b] = now[b];
    }
}

/* r = [f - M a + G^T lambda; -G a]; r has f. */
FOR_WIDTHS void residual(const jn_model *m, const jn_work *w, const four *restrict a, const four *restrict lambda,
                         four *restrict r, const int wide) {
    const double *restrict G = w->G;
    const int *restrict cols = m->row_cols;
    four sum[WIDE];
    for (int k = 0; k < m->nv; k++) {
        const double *restrict row = w->M_raw + m->M_start[k];
        const int *restrict col = m->M_col + m->M_start[k];
        int depth = m->dof_depth[k];
        for (int b = 0; b < wide; b++) sum[b] = row[depth] * a[k * wide + b];
        for (int p = 0; p < depth; p++)
            for (int b = 0; b < wide; b++) {
                sum[b] += row[p] * a[col[p] * wide + b];
                r[col[p] * wide + b] -= row[p] * a[k * wide + b];
            }
        for (int b = 0; b < wide; b++) r[k * wide + b] -= sum[b];
    }
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        for (int b = 0; b < wide; b++) sum[b] = (four){0};
        for (int p = row->first, end = row->first + row->count; p < end; p++)
            for (int b = 0; b < wide; b++) {
                r[cols[p] * wide + b] += G[p] * lambda[i * wide + b];
                sum[b] += G[p] * a[cols[p] * wide + b];
            }
        for (int b = 0; b < wide; b++) r[(m->nv + i) * wide + b] = 0 - sum[b];
    }
}

/* Of the numbers of a lane; lanes: how many there are. */
static double largest(const four *x, int n, int lane, int lanes) {
    const double *own = (const double *)(const void *)x + lane;
    double most = 0;
    for (int i = 0; i < n; i++) most = jn_fmax(most, fabs(own[i * lanes]));
    return most;
}

/* One right-hand side. */
typedef struct lane {
    const double *f;
    double *a;
    double before, forces, start; /* as in jn_kkt_sparse_solve */
    bool done;
    int status;
} lane;

/* Whether a lane ends with its present solution, before refinement n. */
static bool ends(const jn_model *m, jn_work *w, lane *s, int l, int lanes, int n, const four *r) {
    s->forces = largest(r, m->nv, l, lanes);
    double now = largest(r + m->nv * (lanes / FOUR), m->row_count, l, lanes) + w->kkt_eps * s->forces;
    w->weak = n > JN_KKT_USUAL_REFINEMENTS;
    if (n == 0) s->start = s->forces;
    if (!isfinite(now)) s->status = JN_ERR_NUMERIC;
    bool end = s->status < 0 || (n > 1 && !(now < 0.5 * s->before));
    s->before = now;
    return end;
}

static void finish(const jn_model *m, lane *s, int l, int lanes, const four *a, const four *lambda) {
    double size = jn_fmax(jn_fmax(s->start, largest(lambda, m->row_count, l, lanes)), 1e-9);
    if (s->status == JN_OK && s->forces > 1e-6 * size) s->status = JN_ERR_NUMERIC;
    for (int i = 0; i < m->nv; i++) s->a[i] = ((const double *)(const void *)a)[i * lanes + l];
    s->done = true;
}

/* Up to as many of them as `wide` fours have lanes. */
FOR_WIDTHS int solve_lanes(const jn_model *m, jn_work *w, int count, lane *of, const int wide) {
    const jn_kkt_pattern *k = &m->kkt;
    const int lanes = wide * FOUR;
    four *x = (four *)(void *)w->lanes, *r = x + k->n * wide, *a = r + k->n * wide, *lambda = a + m->nv * wide;
    int left = count, status = JN_OK;
    for (int i = 0; i < k->n * wide; i++) a[i] = (four){0};
    for (int n = 0; n < JN_KKT_MAX_REFINEMENTS && left > 0; n++) {
        double *f = (double *)(void *)r;
        for (int i = 0; i < m->nv * wide; i++) r[i] = (four){0};
        for (int l = 0; l < count; l++)
            for (int i = 0; i < m->nv; i++) f[i * lanes + l] = of[l].f[i];
        residual(m, w, a, lambda, r, wide);
        for (int l = 0; l < count; l++)
            if (!of[l].done && ends(m, w, &of[l], l, lanes, n, r)) finish(m, &of[l], l, lanes, a, lambda), left--;
        if (left == 0) break;
        for (int i = 0; i < k->n; i++)
            for (int b = 0; b < wide; b++) x[k->place[i] * wide + b] = r[i * wide + b];
        solve_factored(k, w, x, wide);
        for (int i = 0; i < m->nv; i++)
            for (int b = 0; b < wide; b++) a[i * wide + b] += x[k->place[i] * wide + b];
        for (int i = 0; i < m->row_count; i++)
            for (int b = 0; b < wide; b++) lambda[i * wide + b] -= x[k->place[m->nv + i] * wide + b];
    }
    for (int l = 0; l < count; l++) {
        if (!of[l].done) finish(m, &of[l], l, lanes, a, lambda);
        if (status >= 0) status = of[l].status;
    }
    return status;
}

static int solve_four(const jn_model *m, jn_work *w, int count, lane *of) { return solve_lanes(m, w, count, of, 1); }
static int solve_eight(const jn_model *m, jn_work *w, int count, lane *of) {
    return solve_lanes(m, w, count, of, WIDE);
}

int jn_kkt_sparse_solve_some(const jn_model *m, jn_work *w, int count, const double *f, double *a) {
    int status = JN_OK;
    for (int first = 0; first < count && status >= 0; first += JN_KKT_LANES) {
        lane of[JN_KKT_LANES] = {{0}};
        int some = count - first < JN_KKT_LANES ? count - first : JN_KKT_LANES;
        for (int l = 0; l < some; l++)
            of[l] = (lane){.f = f + (first + l) * m->nv, .a = a + (first + l) * m->nv, .before = INFINITY};
        status = some > FOUR ? solve_eight(m, w, some, of) : solve_four(m, w, some, of);
    }
    return status;
}
