/* Many constraint rows: sparse factorisation of the quasi-definite matrix K = [M G^T; G -eps 1] = L D L^T, which exists for
 * any order of elimination [Vanderbei1995], and refinement against eps = 0. The refinement is a proximal iteration on the
 * multipliers that starts at zero, so redundant rows get the multipliers of least norm and need no rank decision. A shift of
 * M where bodies lack inertia is refined away in the same way. */
#include "algebra/elementary.h"
#include "motion/work.h"
#include <string.h>

static const double regularisation = 1e-9; /* eps relative to the largest diagonal of G M^-1 G^T, estimated */

static double schur_scale(const jn_model *m, const jn_work *w) {
    double largest = 0;
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        double sum = 0;
        for (int p = row->first; p < row->first + row->count; p++) {
            int c = m->row_cols[p];
            sum += w->G[p] * w->G[p] / (w->M_raw[m->M_start[c] + m->dof_depth[c]] + 1e7 * m->M_shift[c]);
        }
        if (sum > largest) largest = sum;
    }
    return largest > 0 ? largest : 1;
}

/* Numeric factorisation, row by row of L (up-looking) [Davis2006, ch. 4.8]. O(sum of squared column counts). */
static int factor(const jn_model *m, jn_work *w) {
    const jn_kkt_pattern *k = &m->kkt;
    double *restrict y = w->ky, *restrict D = w->Dk;
    for (int c = 0; c < k->n; c++) {
        int top = k->n;
        y[c] = 0;
        w->flag[c] = c;
        w->L_count[c] = 0;
        for (int p = k->start[c]; p < k->start[c + 1]; p++) {
            int i = k->row[p], length = 0;
            y[i] += w->K[p];
            for (; w->flag[i] != c; i = k->parent[i]) w->stack[length++] = i, w->flag[i] = c;
            while (length > 0) w->stack[--top] = w->stack[--length];
        }
        D[c] = y[c], y[c] = 0;
        for (; top < k->n; top++) {
            int i = w->stack[top], end = k->factor_start[i] + w->L_count[i];
            double yi = y[i];
            y[i] = 0;
            for (int p = k->factor_start[i]; p < end; p++) y[w->L_row[p]] -= w->L[p] * yi;
            double l = yi / D[i];
            D[c] -= l * yi;
            w->L_row[end] = c, w->L[end] = l;
            w->L_count[i]++;
        }
        if (D[c] == 0 || !isfinite(D[c])) return JN_ERR_NUMERIC;
    }
    return JN_OK;
}

static void solve_factored(const jn_kkt_pattern *k, const jn_work *w, double *restrict x) {
    for (int j = 0; j < k->n; j++)
        for (int p = k->factor_start[j]; p < k->factor_start[j + 1]; p++) x[w->L_row[p]] -= w->L[p] * x[j];
    for (int j = 0; j < k->n; j++) x[j] /= w->Dk[j];
    for (int j = k->n - 1; j >= 0; j--)
        for (int p = k->factor_start[j]; p < k->factor_start[j + 1]; p++) x[j] -= w->L[p] * x[w->L_row[p]];
}

int jn_kkt_sparse_factor(const jn_model *m, jn_work *w) {
    const jn_kkt_pattern *k = &m->kkt;
    w->kkt_eps = regularisation * schur_scale(m, w);
    const int *to = k->from_M;
    for (int i = 0; i < m->nv; i++) {
        const double *row = w->M_raw + m->M_start[i];
        for (int a = 0; a < m->dof_depth[i]; a++) w->K[*to++] = row[a];
        w->K[*to++] = row[m->dof_depth[i]] + m->M_shift[i];
    }
    for (int p = 0; p < m->G_size; p++) w->K[k->from_G[p]] = w->G[p];
    for (int i = 0; i < m->row_count; i++) w->K[k->diagonal[i]] = -w->kkt_eps;
    w->rank = -1;
    return factor(m, w);
}

/* r = [f - M a + G^T lambda; g - G a]. */
static void residual(const jn_model *m, jn_work *w, const double *f, const double *g, const double *a,
                     const double *lambda, double *r) {
    for (int i = 0; i < m->nv; i++) r[i] = f ? f[i] : 0;
    for (int k = 0; k < m->nv; k++) {
        const double *row = w->M_raw + m->M_start[k];
        const int *col = m->M_col + m->M_start[k];
        int depth = m->dof_depth[k];
        double sum = row[depth] * a[k];
        for (int p = 0; p < depth; p++) {
            sum += row[p] * a[col[p]];
            r[col[p]] -= row[p] * a[k];
        }
        r[k] -= sum;
    }
    jn_rows_multiply_t(m, w, lambda, r);
    double *low = r + m->nv;
    jn_rows_multiply(m, w, a, low);
    for (int i = 0; i < m->row_count; i++) low[i] = (g ? g[i] : 0) - low[i];
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = jn_fmax(most, fabs(x[i]));
    return most;
}

int jn_kkt_sparse_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda) {
    const jn_kkt_pattern *k = &m->kkt;
    int rows = m->row_count;
    double before = INFINITY, forces = 0, start = 0; /* force residual now and at first */
    memset(a, 0, (size_t)m->nv * sizeof *a);
    memset(lambda, 0, (size_t)rows * sizeof *lambda);
    for (int n = 0; n < JN_KKT_MAX_REFINEMENTS; n++) {
        w->weak = n > JN_KKT_USUAL_REFINEMENTS;
        residual(m, w, f, g, a, lambda, w->kr);
        forces = largest(w->kr, m->nv);
        double now = largest(w->kr + m->nv, rows) + w->kkt_eps * forces;
        if (n == 0) start = forces;
        if (!isfinite(now)) return JN_ERR_NUMERIC;
        if (n > 1 && !(now < 0.5 * before)) break;
        before = now;
        for (int i = 0; i < k->n; i++) w->kx[k->place[i]] = w->kr[i];
        solve_factored(k, w, w->kx);
        for (int i = 0; i < m->nv; i++) a[i] += w->kx[k->place[i]];
        for (int i = 0; i < rows; i++) lambda[i] -= w->kx[k->place[m->nv + i]];
    }
    double size =
        jn_fmax(jn_fmax(start, largest(lambda, rows)), 1e-9); /* of forces, also where the constraints alone ask for them */
    return f && forces > 1e-6 * size ? JN_ERR_NUMERIC : JN_OK; /* nothing resists some force */
}
