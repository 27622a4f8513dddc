/* A linear model about a state, in as many coordinates as there are degrees of freedom.
 *
 * With Z the motions that the constraints allow, dq = Z y and du = Z v + D y stay on the constraints if G D = -d(G u)/dq Z. Z is made
 * the identity on `dof` of the velocities and D zero there, so that y and v are changes of these coordinates and velocities:
 *
 *     y' = v + T y,     v' = (a_q Z + a_u D) y + a_u Z v + a_tau dtau      (rows of these velocities)
 *
 * T is zero but for rotations, which count along world or parent axes: a turn dtheta of a body that spins has
 * dtheta' = dw + w x dtheta. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "motion/derivatives/derivatives.h"
#include "study/tangent.h"
#include <jounce/study.h>
#include <string.h>

typedef struct jn_linearising {
    const jn_model *m;
    jn_work *w;
    const jn_state *s;
    jn_derivatives *d;
    jn_column_space range;
    jn_linear *out;
    double *by_columns; /* (nv x nv) */
    double *x, *lambda; /* (nv), (rows) */
} jn_linearising;

static bool create(jn_linearising *l) {
    size_t nv = (size_t)l->m->nv + 1, rows = (size_t)l->m->row_count + 1;
    l->d = jn_derivatives_create(l->m);
    l->by_columns = jn_malloc((nv * nv + nv + rows) * sizeof(double));
    if (!l->d || !l->by_columns || !jn_column_space_create(&l->range, l->m->nv, l->m->row_count, true)) return false;
    l->x = l->by_columns + nv * nv, l->lambda = l->x + nv;
    return true;
}

static void destroy(jn_linearising *l) {
    jn_column_space_free(&l->range);
    jn_derivatives_free(l->d);
    jn_free(l->by_columns);
}

static bool create_result(jn_linear *out, int nv, int dof) {
    size_t n = (size_t)dof, wide = (size_t)nv;
    double *d =
        jn_malloc((2 * wide * n + 4 * n * n + 2 * n * wide + wide + 1) * sizeof(double) + (n + 1) * sizeof(int));
    if (!d) return false;
    *out = (jn_linear){.nv = nv, .dof = dof, .Z = d};
    out->D = out->Z + wide * n;
    out->A = out->D + wide * n;
    out->B = out->A + 4 * n * n;
    out->a = out->B + 2 * n * wide;
    out->independent = (int *)(out->a + wide);
    return true;
}

/* ------------------------------------------------------------------------------------------------- allowed motions */

/* The entry of Z that counts most among the rows not taken and the columns from k on; lengths and angles weighed by what they move. */
static void find_pivot(const jn_linearising *l, int dof, int k, const bool *taken, int *row, int *column) {
    const jn_model *m = l->m;
    double most = -1;
    for (int i = 0; i < m->nv; i++) {
        double weight = sqrt(l->w->M_raw[m->M_start[i] + m->dof_depth[i]]);
        for (int c = k; c < dof && !taken[i]; c++) {
            double size = weight * fabs(l->by_columns[(size_t)c * (size_t)m->nv + (size_t)i]);
            if (size > most * (1 + 1e-9)) most = size, *row = i, *column = c;
        }
    }
}

/* Turns the columns of Z until they are the identity on some rows. */
static bool choose(jn_linearising *l, int dof, int *row_of) {
    size_t nv = (size_t)l->m->nv;
    bool *taken = jn_malloc(nv + 1);
    if (!taken) return false;
    memset(taken, 0, nv);
    for (int k = 0; k < dof; k++) {
        int row = 0, column = k;
        find_pivot(l, dof, k, taken, &row, &column);
        double *z = l->by_columns + (size_t)k * nv, *other = l->by_columns + (size_t)column * nv;
        for (size_t i = 0; i < nv; i++) {
            double swap = z[i];
            z[i] = other[i], other[i] = swap;
        }
        double pivot = z[row];
        for (size_t i = 0; i < nv; i++) z[i] /= pivot;
        for (int c = 0; c < dof; c++) {
            double *x = l->by_columns + (size_t)c * nv, part = x[row];
            for (size_t i = 0; i < nv && c != k; i++) x[i] -= part * z[i];
        }
        taken[row] = true, row_of[k] = row;
    }
    jn_free(taken);
    return true;
}

/* Z by rows, in the order of the velocities it is the identity on. */
static int allowed_motions(jn_linearising *l) {
    const jn_model *m = l->m;
    size_t nv = (size_t)m->nv;
    int dof = m->nv, status = JN_OK;
    if (m->row_count) status = jn_allowed_motions(m, l->w, &l->range, l->by_columns, &dof);
    if (status < 0) return status;
    if (!create_result(l->out, m->nv, dof)) return JN_ERR_MEMORY;
    jn_linear *out = l->out;
    memset(out->Z, 0, 2 * nv * (size_t)dof * sizeof *out->Z);
    if (m->row_count == 0) {
        for (int k = 0; k < dof; k++) out->Z[(size_t)k * (nv + 1)] = 1, out->independent[k] = k;
        return JN_OK;
    }
    int *row_of = jn_malloc(((size_t)dof + 1) * sizeof *row_of);
    if (!row_of || !choose(l, dof, row_of)) return jn_free(row_of), JN_ERR_MEMORY;
    for (int k = 0; k < dof; k++) {
        int place = 0;
        for (int c = 0; c < dof; c++) place += row_of[c] < row_of[k];
        out->independent[place] = row_of[k];
        for (size_t i = 0; i < nv; i++) out->Z[i * (size_t)dof + (size_t)place] = l->by_columns[(size_t)k * nv + i];
    }
    jn_free(row_of);
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------------- the model */

/* Column c of D: velocities that keep G u where the motion Z_c takes it elsewhere, none of the independent ones. */
static int rate_column(jn_linearising *l, int c) {
    const jn_model *m = l->m;
    jn_linear *out = l->out;
    size_t nv = (size_t)m->nv, dof = (size_t)out->dof;
    const double *rate_q = l->d->work->rate_q;
    double *g = l->d->work->g;
    for (size_t i = 0; i < (size_t)m->row_count; i++) {
        g[i] = 0;
        for (size_t k = 0; k < nv; k++) g[i] -= rate_q[i * nv + k] * out->Z[k * dof + (size_t)c];
    }
    int status = jn_kkt_solve(m, l->w, NULL, g, l->x, l->lambda);
    for (size_t k = 0; k < nv; k++) {
        double sum = l->x[k];
        for (size_t r = 0; r < dof; r++) sum -= out->Z[k * dof + r] * l->x[out->independent[r]];
        out->D[k * dof + (size_t)c] = sum;
    }
    return status;
}

/* x = w x dtheta on the rotations of spherical and free joints, along column c of Z. */
static void turn(const jn_linearising *l, int c, double *x) {
    const jn_model *m = l->m;
    size_t dof = (size_t)l->out->dof;
    memset(x, 0, (size_t)m->nv * sizeof *x);
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *k = &m->links[i];
        if (k->nq == k->nv) continue;
        int v = k->v + k->nv - 3;
        const double *u = l->s->u + v, *z = l->out->Z + (size_t)v * dof + (size_t)c;
        jn_vec3 rate = v3_cross(v3(u[0], u[1], u[2]), v3(z[0], z[dof], z[2 * dof]));
        x[v] = rate.x, x[v + 1] = rate.y, x[v + 2] = rate.z;
    }
}

static void fill_model(jn_linearising *l) {
    jn_linear *out = l->out;
    size_t nv = (size_t)out->nv, dof = (size_t)out->dof, wide = 2 * dof;
    memset(out->A, 0, (wide * wide + wide * nv) * sizeof *out->A);
    for (size_t c = 0; c < dof; c++) {
        turn(l, (int)c, l->x);
        for (size_t r = 0; r < dof; r++) {
            size_t i = (size_t)out->independent[r];
            double by_y = 0, by_v = 0;
            for (size_t k = 0; k < nv; k++) {
                by_y += l->d->a_q[i * nv + k] * out->Z[k * dof + c] + l->d->a_u[i * nv + k] * out->D[k * dof + c];
                by_v += l->d->a_u[i * nv + k] * out->Z[k * dof + c];
            }
            out->A[r * wide + c] = l->x[i], out->A[r * wide + dof + c] = r == c;
            out->A[(dof + r) * wide + c] = by_y, out->A[(dof + r) * wide + dof + c] = by_v;
        }
    }
    for (size_t r = 0; r < dof; r++)
        memcpy(out->B + (dof + r) * nv, l->d->a_tau + (size_t)out->independent[r] * nv, nv * sizeof *out->B);
    memcpy(out->a, l->d->a, nv * sizeof *out->a);
}

/* With the contacts of a simulation; NULL: there are none. */
static int linearise(const jn_model *m, jn_sim *sim, jn_work *w, const jn_state *s, const double *tau, jn_linear *out) {
    jn_linearising l = {.m = m, .w = w, .s = s, .out = out};
    memset(out, 0, sizeof *out);
    if (!m->has_M || jn_fmax(m->nv, m->row_count) * m->nv > jn_largest_matrix) return JN_ERR_LIMIT;
    int status = create(&l) ? JN_OK : JN_ERR_MEMORY;
    if (status >= 0) status = sim ? jn_sim_derivatives(sim, tau, l.d) : jn_system_derivatives(m, w, s, tau, l.d);
    if (status >= 0 && m->sparse_kkt) status = jn_mass_factor_here(m, w);
    if (status >= 0) status = allowed_motions(&l);
    for (int c = 0; m->row_count && c < out->dof && status >= 0; c++) status = rate_column(&l, c);
    if (status >= 0) fill_model(&l);
    destroy(&l);
    if (status < 0) jn_linear_free(out);
    return status < 0 ? status : JN_OK;
}

int jn_study_linearise(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, jn_linear *out) {
    return linearise(m, NULL, w, s, tau, out);
}

int jn_study_linearise_sim(jn_sim *sim, const double *tau, jn_linear *out) {
    return linearise(sim->m, sim, sim->w, sim->s, tau, out);
}

void jn_linear_free(jn_linear *linear) {
    jn_free(linear->Z);
    memset(linear, 0, sizeof *linear);
}
