/* Sparsity of K = [M G^T; G -eps 1], its ordering and the structure of its factor L D L^T. */
#include "algebra/elementary.h"
#include "model/builder.h"
#include "model/order.h"
#include <limits.h>

enum { SPARSE_FROM_ROWS = 32 }; /* below, the dense Schur complement is faster (bench/constraints) */

typedef struct jn_entry_list {
    int *i, *j; /* (nz) unknowns of each entry, i <= j after permutation */
    int nz;
} jn_entry_list;

/* All entries of one triangle: first M, then G, then the diagonal of the rows. */
static void list_entries(const jn_model *m, jn_entry_list *e) {
    int n = 0;
    for (int k = 0; k < m->nv; k++)
        for (int a = 0; a <= m->dof_depth[k]; a++) e->i[n] = m->M_col[m->M_start[k] + a], e->j[n++] = k;
    for (int r = 0; r < m->row_count; r++)
        for (int p = 0; p < m->rows[r].count; p++) e->i[n] = m->row_cols[m->rows[r].first + p], e->j[n++] = m->nv + r;
    for (int r = 0; r < m->row_count; r++) e->i[n] = e->j[n] = m->nv + r, n++;
    e->nz = n;
}

/* Columns of the permuted upper triangle; `to` says where each listed entry went. Rows within a column are not sorted:
 * the factorisation does not need it. */
static void columns_of(const jn_entry_list *e, const int *place, int n, int *start, int *row, int *to) {
    for (int c = 0; c <= n; c++) start[c] = 0;
    for (int p = 0; p < e->nz; p++) {
        int a = place[e->i[p]], b = place[e->j[p]];
        start[(a > b ? a : b) + 1]++;
    }
    for (int c = 0; c < n; c++) start[c + 1] += start[c];
    for (int p = 0; p < e->nz; p++) {
        int a = place[e->i[p]], b = place[e->j[p]], c = a > b ? a : b;
        to[p] = start[c]++;
        row[to[p]] = a > b ? b : a;
    }
    for (int c = n; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
}

/* Elimination tree and column counts of L [Davis2006, ch. 4]. O(nz(L)). Returns the number of entries, < 0: too many. */
static int factor_structure(int n, const int *start, const int *row, int *parent, int *factor_start, int *mark,
                            int *count) {
    for (int k = 0; k < n; k++) {
        parent[k] = -1, mark[k] = k, count[k] = 0;
        for (int p = start[k]; p < start[k + 1]; p++)
            for (int i = row[p]; i < k && mark[i] != k; i = parent[i]) {
                if (parent[i] < 0) parent[i] = k;
                count[i]++;
                mark[i] = k;
            }
    }
    double total = 0;
    factor_start[0] = 0;
    for (int k = 0; k < n; k++) {
        total += count[k];
        if (total > INT_MAX / 2) return -1;
        factor_start[k + 1] = (int)total;
    }
    return (int)total;
}

static int build(jn_builder *b) {
    jn_model *m = b->m;
    jn_kkt_pattern *k = &m->kkt;
    int n = k->n = m->nv + m->row_count, nz = m->M_entries + m->G_size + m->row_count;
    jn_entry_list e = {jn_builder_temp(b, nz, sizeof(int)), jn_builder_temp(b, nz, sizeof(int)), 0};
    int *to = jn_builder_array(b, nz, sizeof(int)), *mark = jn_builder_temp(b, n, sizeof(int));
    int *count = jn_builder_temp(b, n, sizeof(int));
    k->order = jn_builder_array(b, n, sizeof(int));
    k->place = jn_builder_array(b, n, sizeof(int));
    k->start = jn_builder_array(b, n + 1, sizeof(int));
    k->row = jn_builder_array(b, nz, sizeof(int));
    k->parent = jn_builder_array(b, n, sizeof(int));
    k->factor_start = jn_builder_array(b, n + 1, sizeof(int));
    if (b->failed) return JN_ERR_MEMORY;
    list_entries(m, &e);
    k->nz = e.nz;
    for (int i = 0; i < n; i++) k->place[i] = i;
    columns_of(&e, k->place, n, k->start, k->row, to);
    if (jn_order_sparse(n, k->start, k->row, k->order) < 0) return JN_ERR_MEMORY;
    for (int i = 0; i < n; i++) k->place[k->order[i]] = i;
    columns_of(&e, k->place, n, k->start, k->row, to);
    k->factor_nz = factor_structure(n, k->start, k->row, k->parent, k->factor_start, mark, count);
    if (k->factor_nz < 0)
        return jn_report_add(
            b->report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, (jn_where){m->file, 1, 1}, NULL,
            "the factor of the equations of motion does not fit into memory\nwrite coordinates: absolute");
    k->from_M = to;
    k->from_G = to + m->M_entries;
    k->diagonal = to + m->M_entries + m->G_size;
    return JN_OK;
}

/* True if some rotation of the link about its own centre costs nothing: point masses and thin rods. */
static bool lacks_inertia(const jn_model *m, const jn_link *l) {
    const jn_sym3 *J = &l->inertia;
    double limit = 1e-10 * (J->xx + J->yy + J->zz);
    if (m->planar) return !(J->zz > 0);
    double a = J->xx, b = J->xy, c = J->xz, d = J->yy, e = J->yz, f = J->zz;
    if (!(a > limit)) return true;
    d -= b * b / a, e -= b * c / a, f -= c * c / a;
    if (!(d > limit)) return true;
    return !(f - e * e / d > limit);
}

/* With absolute coordinates a body that lacks inertia makes M singular although its joints may fix what it lacks. The sparse
 * solver gets a small shift there, which its refinement removes again. */
static bool shift_singular_links(jn_builder *b) {
    jn_model *m = b->m;
    bool any = false;
    for (int i = 1; i < m->link_count && m->coordinates == JN_COORDINATES_ABSOLUTE; i++) {
        const jn_link *l = &m->links[i];
        if (!lacks_inertia(m, l) || !(l->mass > 0)) continue;
        double arm2 = 0;
        for (int k = 0; k < m->joint_count; k++)
            for (int s = 0; s < 2; s++) {
                const jn_side *side = s ? &m->joints[k].B : &m->joints[k].A;
                if (side->link == i) arm2 = jn_fmax(arm2, v3_dot(side->p, side->p));
            }
        if (!(arm2 > 0)) continue; /* nothing holds its rotation: reported at assembly */
        for (int k = m->planar ? 2 : 3; k < l->nv; k++) m->M_shift[l->v + k] = 1e-7 * l->mass * arm2;
        any = true;
    }
    return any;
}

int jn_build_kkt_pattern(jn_builder *b) {
    b->m->M_shift = jn_builder_array(b, b->m->nv, sizeof(double));
    if (b->failed) return JN_ERR_MEMORY;
    bool shifted = shift_singular_links(b);
    b->m->sparse_kkt = b->m->row_count > 0 && (shifted || b->m->row_count >= SPARSE_FROM_ROWS);
    return b->m->sparse_kkt ? build(b) : JN_OK;
}
