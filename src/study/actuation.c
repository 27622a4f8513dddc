/* Inverse dynamics of a mechanism with loops, held points and more actuators than it needs: the forces of least weighted norm. */
#include "base/memory.h"
#include "motion/work.h"
#include "study/dense.h"
#include <jounce/study.h>
#include <string.h>

/* tau of the actuators and multipliers with  S^T tau + G^T lambda = b,  b = M a - h. */
typedef struct balance {
    const jn_model *m;
    const jn_inverse_desc *wanted;
    int rows;      /* passive: without drivers, three for each held point */
    double *G;     /* (rows x nv) row major */
    double *scale; /* (rows) 1 / length of the row */
    int *row_of;   /* (rows) the model's row, -1: a held point */
    double *b;     /* (nv) */
    double *x;     /* (nv) */
    void *memory;
} balance;

static bool balance_create(balance *z) {
    size_t nv = (size_t)z->m->nv, most = (size_t)(z->m->row_count + 3 * z->wanted->holds);
    z->memory = jn_malloc((most * nv + most + 2 * nv + 6 * nv + 1) * sizeof(double) + (most + 1) * sizeof(int));
    if (!z->memory) return false;
    double *d = z->memory;
    z->G = d, d += most * nv;
    z->scale = d, d += most;
    z->b = d, d += nv;
    z->x = d, d += 7 * nv; /* a Jacobian of a held point behind it */
    z->row_of = (int *)(d + 1);
    return true;
}

static void passive_rows(balance *z, jn_work *w, const jn_state *s) {
    const jn_model *m = z->m;
    size_t nv = (size_t)m->nv;
    z->rows = 0;
    for (int i = 0; i < m->row_count; i++) {
        if (m->rows[i].type == JN_ROW_DRIVER) continue;
        double *row = z->G + (size_t)z->rows * nv;
        memset(row, 0, nv * sizeof *row);
        for (int p = m->rows[i].first; p < m->rows[i].first + m->rows[i].count; p++) row[m->row_cols[p]] = w->G[p];
        z->row_of[z->rows++] = i;
    }
    for (int k = 0; k < z->wanted->holds; k++) {
        double *J = z->x + nv;
        jn_body_jacobian(m, w, s, z->wanted->hold[k].body, z->wanted->hold[k].from_com, JN_FRAME_MIXED, J, NULL);
        for (int r = 0; r < (m->planar ? 2 : 3); r++) {
            memcpy(z->G + (size_t)z->rows * nv, J + (size_t)r * nv, nv * sizeof *J);
            z->row_of[z->rows++] = -1 - (3 * k + r);
        }
    }
    for (int r = 0; r < z->rows; r++) {
        double sum = 0;
        for (size_t i = 0; i < nv; i++) sum += z->G[(size_t)r * nv + i] * z->G[(size_t)r * nv + i];
        z->scale[r] = sum > 0 ? 1 / sqrt(sum) : 1;
    }
}

static double weight_root(const jn_inverse_desc *wanted, int k) { return wanted->weight ? sqrt(wanted->weight[k]) : 1; }

/* Along the motions Z that the passive rows allow:  Z^T S^T tau = Z^T b,  smallest sum of weight tau^2. */
static int actuators(const balance *z, double *tau, double *unbalanced) {
    const jn_inverse_desc *wanted = z->wanted;
    size_t nv = (size_t)z->m->nv;
    jn_range range;
    jn_least least = {0};
    if (!jn_range_create(&range, z->m->nv, z->rows, true)) return JN_ERR_MEMORY;
    for (int r = 0; r < z->rows; r++)
        for (size_t i = 0; i < nv; i++) range.Y[(size_t)r * nv + i] = z->scale[r] * z->G[(size_t)r * nv + i];
    int status = jn_range_find(&range), dof = z->m->nv - range.rank;
    const double *Z = range.Q + (size_t)range.rank * nv;
    if (status >= 0 && !jn_least_create(&least, dof, wanted->actuators)) status = JN_ERR_MEMORY;
    if (status >= 0) {
        least.as_is = true;
        for (int k = 0; k < wanted->actuators; k++)
            for (int c = 0; c < dof; c++)
                least.A[(size_t)k * (size_t)dof + (size_t)c] =
                    Z[(size_t)c * nv + (size_t)wanted->actuated[k]] / weight_root(wanted, k);
        for (int c = 0; c < dof; c++) {
            least.b[c] = 0;
            for (size_t i = 0; i < nv; i++) least.b[c] += Z[(size_t)c * nv + i] * z->b[i];
        }
        status = jn_least_solve(&least);
    }
    memset(tau, 0, nv * sizeof *tau);
    for (int k = 0; k < wanted->actuators && status >= 0; k++)
        tau[wanted->actuated[k]] += least.b[k] / weight_root(wanted, k);
    *unbalanced = 0;
    for (int c = 0; c < dof && status >= 0; c++) {
        double sum = 0;
        for (size_t i = 0; i < nv; i++) sum += Z[(size_t)c * nv + i] * (z->b[i] - tau[i]);
        *unbalanced = fmax(*unbalanced, fabs(sum));
    }
    jn_least_free(&least);
    jn_range_free(&range);
    return status;
}

/* G^T lambda = b - S^T tau, of least norm. */
static int reactions(const balance *z, const double *tau, double *lambda, jn_vec3 *force) {
    size_t nv = (size_t)z->m->nv;
    jn_least least = {0};
    if (lambda) memset(lambda, 0, (size_t)z->m->row_count * sizeof *lambda);
    if (force) memset(force, 0, (size_t)z->wanted->holds * sizeof *force);
    if (z->rows == 0) return JN_OK;
    if (!jn_least_create(&least, z->m->nv, z->rows)) return JN_ERR_MEMORY;
    least.as_is = true;
    memcpy(least.A, z->G, (size_t)z->rows * nv * sizeof *z->G); /* rows of G are columns of G^T */
    for (size_t i = 0; i < nv; i++) least.b[i] = z->b[i] - tau[i];
    int status = jn_least_solve(&least);
    for (int r = 0; r < z->rows && status >= 0; r++) {
        int at = -1 - z->row_of[r];
        if (at < 0 && lambda) lambda[z->row_of[r]] = least.b[r];
        if (at >= 0 && force) (&force[at / 3].x)[at % 3] = least.b[r];
    }
    jn_least_free(&least);
    return status;
}

int jn_study_inverse(const jn_model *m, jn_work *w, const jn_state *s, const jn_inverse_desc *wanted, double *tau,
                     double *lambda, jn_vec3 *force, double *unbalanced) {
    balance z = {.m = m, .wanted = wanted};
    double open = 0;
    for (int k = 0; k < wanted->actuators; k++)
        if (wanted->actuated[k] < 0 || wanted->actuated[k] >= m->nv || (wanted->weight && !(wanted->weight[k] > 0)))
            return JN_ERR_ARGUMENT;
    for (int k = 0; k < wanted->holds; k++)
        if (wanted->hold[k].body < 1 || wanted->hold[k].body >= m->body_count) return JN_ERR_ARGUMENT;
    if (!balance_create(&z)) return JN_ERR_MEMORY;
    jn_system_terms(m, w, s, NULL, NULL, z.x); /* h, and G in the work space */
    passive_rows(&z, w, s);
    jn_system_terms(m, w, s, NULL, NULL, z.x);
    jn_rnea(m, w, s, NULL, z.b);
    for (int i = 0; i < m->nv; i++) z.x[i] += z.b[i]; /* h without its inertial part */
    jn_rnea(m, w, s, wanted->a, z.b);
    for (int i = 0; i < m->nv; i++) z.b[i] -= z.x[i]; /* M a - h */
    int status = actuators(&z, tau, &open);
    if (status >= 0) status = reactions(&z, tau, lambda, force);
    if (unbalanced) *unbalanced = open;
    jn_free(z.memory);
    return status;
}
