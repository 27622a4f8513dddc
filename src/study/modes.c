/* Modes of small motion: the eigenvalues of x'' + C x' + K x = 0. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "study/tangent.h"
#include <jounce/study.h>
#include <stdlib.h>
#include <string.h>

/* The eigenproblem in the axes V in which K is diagonal (where K is symmetric). */
typedef struct jn_eigen {
    jn_tangent t;
    int n, kept;     /* degrees of freedom; those that are not plainly free */
    bool symmetric;  /* K is, and was diagonalised */
    double *V, *k;   /* (n x n), (n) */
    double *C;       /* (n x n) damping in these axes */
    int *keep;       /* (kept) axes of the eigenproblem; the others have eigenvalue zero */
    double *A, *X;   /* (2n x 2n) state matrix, eigenvectors */
    double *re, *im; /* (2n) */
    double *xr, *xi; /* (n) one shape */
    double *ur, *ui; /* (nv) */
    void *memory;
} jn_eigen;

static bool eigen_create(jn_eigen *e) {
    size_t n = (size_t)e->n + 1, nv = (size_t)e->t.nv + 1;
    e->memory = jn_malloc((11 * n * n + 7 * n + 2 * nv) * sizeof(double) + n * sizeof(int));
    if (!e->memory) return false;
    double *d = e->memory;
    e->V = d, d += n * n;
    e->C = d, d += n * n;
    e->A = d, d += 4 * n * n;
    e->X = d, d += 4 * n * n;
    e->k = d, d += n;
    e->re = d, d += 2 * n;
    e->im = d, d += 2 * n;
    e->xr = d, d += n;
    e->xi = d, d += n;
    e->ur = d, d += nv;
    e->ui = d, d += nv;
    e->keep = (int *)d;
    return true;
}

static double largest(const double *A, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = jn_fmax(most, fabs(A[i]));
    return most;
}

static bool is_symmetric(const double *K, int n, double tolerance) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(K[i + n * j] - K[j + n * i]) > tolerance) return false;
    return true;
}

/* Axes in which K is diagonal; unit axes where forces without potential make K unsymmetric. */
static int diagonalise(jn_eigen *e) {
    const double *K = e->t.K;
    int n = e->n;
    e->symmetric = is_symmetric(K, n, 1e-6 * (largest(K, n * n) + 1e-3 * e->t.rate_scale));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) e->V[i + n * j] = e->symmetric ? 0.5 * (K[i + n * j] + K[j + n * i]) : i == j;
    return e->symmetric ? jn_eigen_symmetric(n, e->V, e->k) : JN_OK;
}

/* C in these axes: V^T C V. */
static void turn_damping(jn_eigen *e) {
    int n = e->n;
    double *B = e->A; /* C V */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += e->t.C[i + n * k] * e->V[k + n * j];
            B[i + n * j] = sum;
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += e->V[k + n * i] * B[k + n * j];
            e->C[i + n * j] = sum;
        }
}

/* Plainly free axes, without stiffness and damping, are set aside: their double eigenvalue zero is defective, and a
 * general solver would return the square root of round-off. */
static void set_free_aside(jn_eigen *e) {
    int n = e->n;
    double most = e->symmetric ? largest(e->k, n) : 0, least = 1e-10 * most + 1e-9 * e->t.rate_scale;
    double damping = largest(e->C, n * n), slight = 1e-10 * damping + 1e-11 * sqrt(most + e->t.rate_scale);
    e->kept = 0;
    for (int i = 0; i < n; i++) {
        bool stiff = !e->symmetric || fabs(e->k[i]) > least, damped = false;
        if (e->symmetric && !stiff) e->k[i] = 0;
        for (int j = 0; j < n; j++) damped |= fabs(e->C[i + n * j]) > slight || fabs(e->C[j + n * i]) > slight;
        if (stiff || damped) e->keep[e->kept++] = i;
    }
}

/* Without damping each axis of a symmetric K is a mode: exact pairs, no general solver. */
static bool solve_undamped(jn_eigen *e) {
    int n = e->n, p = e->kept;
    double most = e->symmetric ? largest(e->k, n) : 0;
    if (!e->symmetric || largest(e->C, n * n) > 1e-11 * sqrt(most + e->t.rate_scale)) return false;
    memset(e->X, 0, (size_t)(4 * p * p) * sizeof *e->X);
    for (int i = 0; i < p; i++) {
        double k = e->k[e->keep[i]], w = sqrt(fabs(k));
        double *first = e->X + (size_t)(2 * i) * (size_t)(2 * p), *second = first + 2 * p;
        first[i] = 1;
        second[i] = k > 0 ? 0 : 1; /* a pair's imaginary part, or the second real vector */
        e->re[2 * i] = k > 0 ? 0 : w, e->re[2 * i + 1] = k > 0 ? 0 : -w;
        e->im[2 * i] = k > 0 ? w : 0, e->im[2 * i + 1] = k > 0 ? -w : 0;
    }
    return true;
}

/* z' = A z with z = (x, x') on the kept axes. */
static int solve_general(jn_eigen *e) {
    int p = e->kept, n = e->n, N = 2 * p;
    memset(e->A, 0, (size_t)(N * N) * sizeof *e->A);
    for (int j = 0; j < p; j++) {
        e->A[j + N * (p + j)] = 1;
        for (int i = 0; i < p; i++) {
            int a = e->keep[i], b = e->keep[j];
            e->A[p + i + N * j] = e->symmetric ? (a == b ? -e->k[a] : 0) : -e->t.K[a + n * b];
            e->A[p + i + N * (p + j)] = -e->C[a + n * b];
        }
    }
    return jn_eigen_general(N, e->A, e->re, e->im, e->X);
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* u = Z V x. */
static void expand(const jn_eigen *e, const double *x, double *u) {
    int n = e->n;
    double *y = e->A; /* free after the solution */
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += e->V[i + n * j] * x[j];
    }
    jn_tangent_expand(&e->t, y, u);
}

/* Real part of the shape with the phase that makes its largest component 1. */
static void shape_from(jn_eigen *e, double *shape) {
    int nv = e->t.nv, top = 0;
    double most = -1;
    expand(e, e->xr, e->ur);
    expand(e, e->xi, e->ui);
    for (int i = 0; i < nv; i++) {
        double size = jn_hypot_safe(e->ur[i], e->ui[i]);
        if (size > most * (1 + 1e-9)) most = size, top = i;
    }
    double a = e->ur[top] / (most * most), b = -e->ui[top] / (most * most);
    for (int i = 0; i < nv; i++) shape[i] = most > 0 ? a * e->ur[i] - b * e->ui[i] : 0;
}

static void add_mode(jn_eigen *e, jn_modes *out, double re, double im) {
    jn_mode *mode = &out->mode[out->count];
    double size = jn_hypot_safe(re, im);
    mode->re = re, mode->im = im;
    mode->frequency = im / (2 * M_PI);
    mode->damping = size > 0 ? -re / size : 0;
    shape_from(e, mode->shape);
    out->count++;
}

static int by_size(const void *a, const void *b) {
    const jn_mode *x = a, *y = b;
    double p = jn_hypot_safe(x->re, x->im), q = jn_hypot_safe(y->re, y->im);
    if (p != q) return p < q ? -1 : 1;
    return (x->re > y->re) - (x->re < y->re);
}

static int collect(jn_eigen *e, jn_modes *out) {
    int most = 2 * e->n, N = 2 * e->kept, nv = e->t.nv;
    out->nv = nv;
    out->mode = jn_malloc((size_t)(most + 1) * (sizeof(jn_mode) + (size_t)(nv + 1) * sizeof(double)));
    if (!out->mode) return JN_ERR_MEMORY;
    double *shapes = (double *)(out->mode + most + 1);
    for (int i = 0; i < most; i++) out->mode[i].shape = shapes + (size_t)i * (size_t)(nv + 1);
    for (int i = 0, next = 0; i < e->n; i++) { /* the axes set aside */
        if (next < e->kept && e->keep[next] == i) {
            next++;
            continue;
        }
        memset(e->xr, 0, (size_t)e->n * sizeof *e->xr);
        memset(e->xi, 0, (size_t)e->n * sizeof *e->xi);
        e->xr[i] = 1;
        add_mode(e, out, 0, 0);
    }
    for (int c = 0; c < N; c++) {
        if (e->im[c] < 0) continue;
        const double *vr = e->X + (size_t)c * (size_t)N, *vi = vr + N;
        memset(e->xr, 0, (size_t)e->n * sizeof *e->xr);
        memset(e->xi, 0, (size_t)e->n * sizeof *e->xi);
        for (int i = 0; i < e->kept; i++) e->xr[e->keep[i]] = vr[i], e->xi[e->keep[i]] = e->im[c] > 0 ? vi[i] : 0;
        add_mode(e, out, e->re[c], e->im[c]);
    }
    qsort(out->mode, (size_t)out->count, sizeof *out->mode, by_size);
    return JN_OK;
}

static void warn_if_moving(const jn_eigen *e, jn_report *report) {
    double sum = 0;
    for (int i = 0; i < e->n; i++) sum += e->t.force[i] * e->t.force[i];
    if (sqrt(sum) > 1e-7 * e->t.force_scale)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){e->t.m->file, 0, 0}, NULL,
                      "the modes are taken about a state that is no equilibrium: %.2g of the loads is not balanced\n"
                      "find the equilibrium first",
                      sqrt(sum) / e->t.force_scale);
}

static int solve(jn_eigen *e, jn_modes *out, jn_report *report) {
    int status = jn_tangent_basis(&e->t);
    if (status < 0) return status;
    e->n = e->t.dof;
    if (!eigen_create(e)) return JN_ERR_MEMORY;
    warn_if_moving(e, report);
    jn_tangent_slopes(&e->t);
    status = diagonalise(e);
    if (status < 0) return status;
    turn_damping(e);
    set_free_aside(e);
    if (!solve_undamped(e)) status = solve_general(e);
    return status < 0 ? status : collect(e, out);
}

int jn_study_modes(jn_sim *sim, jn_modes *out, jn_report *report) {
    jn_eigen e = {0};
    memset(out, 0, sizeof *out);
    int status = jn_tangent_create(&e.t, sim);
    if (status >= 0) status = solve(&e, out, report);
    jn_tangent_free(&e.t);
    jn_free(e.memory);
    if (status < 0) {
        jn_modes_free(out);
        return jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){sim->m->file, 0, 0}, NULL, "modes: %s%s",
                             jn_status_text(status),
                             status == JN_ERR_LIMIT
                                 ? "\nthe mechanism is too large for dense matrices; write coordinates: relative"
                                 : "");
    }
    sim->slope_known = false;
    return jn_sim_observe(sim);
}

void jn_modes_free(jn_modes *modes) {
    jn_free(modes->mode);
    memset(modes, 0, sizeof *modes);
}
