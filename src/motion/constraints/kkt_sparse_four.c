/* Four right-hand sides of the sparse KKT matrix at a time: factor and rows are read once for all of them, as contacts and stiff elements ask for. Each solution has the bits that
 * jn_kkt_sparse_solve gives it alone: no lane depends on its neighbours. */
#include "algebra/elementary.h"
#include "motion/work.h"

enum { LANES = JN_KKT_LANES };
typedef double four __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* x = (L D L^T)^-1 x. */
static void solve_factored(const jn_kkt_pattern *k, const jn_work *w, four *restrict x) {
    const double *restrict L = w->L, *restrict D = w->Dk;
    const int *restrict row = w->L_row, *restrict start = k->factor_start;
    int n = k->n;
    for (int j = 0; j < n; j++) {
        four now = x[j];
        for (int p = start[j], end = start[j + 1]; p < end; p++) x[row[p]] -= L[p] * now;
    }
    for (int j = 0; j < n; j++) x[j] /= D[j];
    for (int j = n - 1; j >= 0; j--) {
        four now = x[j];
        for (int p = start[j], end = start[j + 1]; p < end; p++) now -= L[p] * x[row[p]];
        x[j] = now;
    }
}

/* r = [f - M a + G^T lambda; -G a]; r has f. */
static void residual(const jn_model *m, const jn_work *w, const four *restrict a, const four *restrict lambda, four *restrict r) {
    const double *restrict G = w->G;
    const int *restrict cols = m->row_cols;
    for (int k = 0; k < m->nv; k++) {
        const double *restrict row = w->M_raw + m->M_start[k];
        const int *restrict col = m->M_col + m->M_start[k];
        int depth = m->dof_depth[k];
        four sum = row[depth] * a[k];
        for (int p = 0; p < depth; p++) {
            sum += row[p] * a[col[p]];
            r[col[p]] -= row[p] * a[k];
        }
        r[k] -= sum;
    }
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        four sum = {0}, now = lambda[i];
        for (int p = row->first, end = row->first + row->count; p < end; p++) {
            r[cols[p]] += G[p] * now;
            sum += G[p] * a[cols[p]];
        }
        r[m->nv + i] = 0 - sum;
    }
}

static double largest(const four *x, int n, int lane) {
    const double *own = (const double *)(const void *)x + lane;
    double most = 0;
    for (int i = 0; i < n; i++) most = jn_fmax(most, fabs(own[i * LANES]));
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
static bool ends(const jn_model *m, jn_work *w, lane *s, int l, int n, const four *r) {
    s->forces = largest(r, m->nv, l);
    double now = largest(r + m->nv, m->row_count, l) + w->kkt_eps * s->forces;
    w->weak = n > JN_KKT_USUAL_REFINEMENTS;
    if (n == 0) s->start = s->forces;
    if (!isfinite(now)) s->status = JN_ERR_NUMERIC;
    bool end = s->status < 0 || (n > 1 && !(now < 0.5 * s->before));
    s->before = now;
    return end;
}

static void finish(const jn_model *m, lane *s, int l, const four *a, const four *lambda) {
    double size = jn_fmax(jn_fmax(s->start, largest(lambda, m->row_count, l)), 1e-9);
    if (s->status == JN_OK && s->forces > 1e-6 * size) s->status = JN_ERR_NUMERIC;
    for (int i = 0; i < m->nv; i++) s->a[i] = a[i][l];
    s->done = true;
}

/* Up to LANES of them. */
static int solve_lanes(const jn_model *m, jn_work *w, int count, lane *of) {
    const jn_kkt_pattern *k = &m->kkt;
    four *x = (four *)(void *)w->lanes, *r = x + k->n, *a = r + k->n, *lambda = a + m->nv;
    int left = count, status = JN_OK;
    for (int i = 0; i < k->n; i++) a[i] = (four){0};
    for (int n = 0; n < JN_KKT_MAX_REFINEMENTS && left > 0; n++) {
        for (int i = 0; i < m->nv; i++) {
            r[i] = (four){0};
            for (int l = 0; l < count; l++) r[i][l] = of[l].f[i];
        }
        residual(m, w, a, lambda, r);
        for (int l = 0; l < count; l++)
            if (!of[l].done && ends(m, w, &of[l], l, n, r)) finish(m, &of[l], l, a, lambda), left--;
        if (left == 0) break;
        for (int i = 0; i < k->n; i++) x[k->place[i]] = r[i];
        solve_factored(k, w, x);
        for (int i = 0; i < m->nv; i++) a[i] += x[k->place[i]];
        for (int i = 0; i < m->row_count; i++) lambda[i] -= x[k->place[m->nv + i]];
    }
    for (int l = 0; l < count; l++) {
        if (!of[l].done) finish(m, &of[l], l, a, lambda);
        if (status >= 0) status = of[l].status;
    }
    return status;
}

int jn_kkt_sparse_solve_some(const jn_model *m, jn_work *w, int count, const double *f, double *a) {
    int status = JN_OK;
    for (int first = 0; first < count && status >= 0; first += LANES) {
        lane of[LANES] = {{0}};
        int some = count - first < LANES ? count - first : LANES;
        for (int l = 0; l < some; l++)
            of[l] = (lane){.f = f + (first + l) * m->nv, .a = a + (first + l) * m->nv, .before = INFINITY};
        status = solve_lanes(m, w, some, of);
    }
    return status;
}
