/* Inverse dynamics of a mechanism with loops, held points and more actuators than it needs: the forces of least weighted norm. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "step/sim.h"
#include "study/freedom.h"
#include <jounce/study.h>
#include <string.h>

/* tau of the actuators and multipliers with  S^T tau + G^T lambda = b,  b = M a - h. */
typedef struct balance {
    const jn_model *m;
    jn_sim *sim; /* whose contacts act, too; NULL: none */
    const jn_inverse_desc *wanted;
    int rows;        /* passive: without drivers, three for each held point */
    double *G;       /* (rows x nv) row major */
    jn_freedom free; /* the same rows in the metric of the bodies' motions: rank and the motions that they allow */
    double *left;    /* (rows) share of each that the tree's joints leave */
    double *Z;       /* (nv x dof) by columns */
    int dof;
    int *row_of; /* (rows) the model's row, -1: a held point */
    double *b;   /* (nv) */
    double *x;   /* (nv) */
    void *memory;
} balance;

static bool balance_create(balance *z) {
    size_t nv = (size_t)z->m->nv, most = (size_t)(z->m->row_count + 3 * z->wanted->holds), motions = nv * nv;
    z->memory = jn_malloc((most * nv + most + 8 * nv + motions + 1) * sizeof(double) + (most + 1) * sizeof(int));
    for (int i = 0; i < z->m->row_count; i++) z->rows += z->m->rows[i].type != JN_ROW_DRIVER;
    z->rows += (z->m->planar ? 2 : 3) * z->wanted->holds;
    if (!z->memory || !jn_freedom_create(&z->free, z->m, z->rows, true)) return false;
    double *d = z->memory;
    z->G = d, d += most * nv;
    z->left = d, d += most;
    z->b = d, d += nv;
    z->x = d, d += 7 * nv; /* a Jacobian of a held point behind it */
    z->Z = d, d += motions;
    z->row_of = (int *)(d + 1);
    return true;
}

static void put_model_rows(balance *z, jn_work *w) {
    const jn_model *m = z->m;
    size_t nv = (size_t)m->nv;
    int n = 0;
    for (int i = 0; i < m->row_count; i++) {
        if (m->rows[i].type == JN_ROW_DRIVER) continue;
        double *row = z->G + (size_t)n * nv;
        memset(row, 0, nv * sizeof *row);
        for (int p = m->rows[i].first; p < m->rows[i].first + m->rows[i].count; p++) row[m->row_cols[p]] = w->G[p];
        jn_freedom_put_row(&z->free, w, i, n);
        z->row_of[n++] = i;
    }
}

static void put_held_points(balance *z, jn_work *w, const jn_state *s) {
    const jn_model *m = z->m;
    size_t nv = (size_t)m->nv;
    int dimension = m->planar ? 2 : 3, n = z->rows - dimension * z->wanted->holds;
    for (int k = 0; k < z->wanted->holds; k++) {
        const jn_hold *hold = &z->wanted->hold[k];
        double *J = z->x + nv;
        jn_body_jacobian(m, w, s, hold->body, hold->from_com, JN_FRAME_MIXED, J, NULL);
        for (int r = 0; r < dimension; r++) {
            memcpy(z->G + (size_t)n * nv, J + (size_t)r * nv, nv * sizeof *J);
            jn_freedom_put_point(&z->free, w, J + (size_t)r * nv, hold->from_com, n);
            z->row_of[n++] = -1 - (3 * k + r);
        }
    }
}

/* Passive rows, the motions Z that they allow, and zero in the place of rows that the tree's joints fulfil but for round-off. */
static int passive_rows(balance *z, jn_work *w, const jn_state *s) {
    size_t nv = (size_t)z->m->nv;
    int status = jn_freedom_metric(&z->free, w);
    if (status < 0) return status;
    put_model_rows(z, w);
    put_held_points(z, w, s);
    for (int r = 0; r < z->rows; r++) {
        double sum = 0;
        for (size_t i = 0; i < nv; i++)
            sum += z->free.range.Y[(size_t)r * nv + i] * z->free.range.Y[(size_t)r * nv + i];
        z->left[r] = sqrt(sum);
    }
    status = jn_column_space_find(&z->free.range);
    if (status < 0) return status;
    for (int r = 0; r < z->rows; r++)
        if (!(z->left[r] > z->free.range.cut)) memset(z->G + (size_t)r * nv, 0, nv * sizeof *z->G);
    z->dof = z->m->nv - z->free.range.rank;
    for (int c = 0; c < z->dof; c++) jn_freedom_motion(&z->free, w, c, z->Z + (size_t)c * nv);
    return JN_OK;
}

static double weight_root(const jn_inverse_desc *wanted, int k) { return wanted->weight ? sqrt(wanted->weight[k]) : 1; }

/* Along the motions Z that the passive rows allow:  Z^T S^T tau = Z^T b,  smallest sum of weight tau^2. */
static int actuators(const balance *z, double *tau, double *unbalanced) {
    const jn_inverse_desc *wanted = z->wanted;
    size_t nv = (size_t)z->m->nv;
    const double *Z = z->Z;
    jn_least least = {0};
    int dof = z->dof, status = jn_least_create(&least, dof, wanted->actuators) ? JN_OK : JN_ERR_MEMORY;
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
        *unbalanced = jn_fmax(*unbalanced, fabs(sum));
    }
    jn_least_free(&least);
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

/* x = h, and G in the work space. */
static void find_terms(balance *z, jn_work *w, const jn_state *s) {
    if (z->sim)
        jn_sim_terms(z->sim, s, NULL, NULL, z->x);
    else
        jn_system_terms(z->m, w, s, NULL, NULL, z->x);
}

/* b = M a - h. */
static void find_imbalance(balance *z, jn_work *w, const jn_state *s) {
    find_terms(z, w, s);
    jn_rnea(z->m, w, s, NULL, z->b);
    for (int i = 0; i < z->m->nv; i++) z->x[i] += z->b[i]; /* h without its inertial part */
    jn_rnea(z->m, w, s, z->wanted->a, z->b);
    for (int i = 0; i < z->m->nv; i++) z->b[i] -= z->x[i];
}

static int inverse(const jn_model *m, jn_sim *sim, jn_work *w, const jn_state *s, const jn_inverse_desc *wanted,
                   double *tau, double *lambda, jn_vec3 *force, double *unbalanced) {
    balance z = {.m = m, .sim = sim, .wanted = wanted};
    double open = 0;
    for (int k = 0; k < wanted->actuators; k++)
        if (wanted->actuated[k] < 0 || wanted->actuated[k] >= m->nv || (wanted->weight && !(wanted->weight[k] > 0)))
            return JN_ERR_ARGUMENT;
    for (int k = 0; k < wanted->holds; k++)
        if (wanted->hold[k].body < 1 || wanted->hold[k].body >= m->body_count) return JN_ERR_ARGUMENT;
    int status = balance_create(&z) ? JN_OK : JN_ERR_MEMORY;
    if (status >= 0) {
        find_terms(&z, w, s);
        status = passive_rows(&z, w, s);
    }
    if (status >= 0) {
        find_imbalance(&z, w, s);
        status = actuators(&z, tau, &open);
    }
    if (status >= 0) status = reactions(&z, tau, lambda, force);
    if (unbalanced) *unbalanced = open;
    jn_freedom_free(&z.free);
    jn_free(z.memory);
    return status;
}

int jn_study_inverse(const jn_model *m, jn_work *w, const jn_state *s, const jn_inverse_desc *wanted, double *tau,
                     double *lambda, jn_vec3 *force, double *unbalanced) {
    if (w->contact_loads) return JN_ERR_ARGUMENT; /* jn_study_inverse_sim has the contacts */
    return inverse(m, NULL, w, s, wanted, tau, lambda, force, unbalanced);
}

int jn_study_inverse_sim(jn_sim *sim, const jn_inverse_desc *wanted, double *tau, double *lambda, jn_vec3 *force,
                         double *unbalanced) {
    return inverse(sim->m, sim, sim->w, sim->s, wanted, tau, lambda, force, unbalanced);
}
