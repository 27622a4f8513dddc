/* Products with the rows of contacts (contact_rows.c): velocities of contacts from those of the system, forces and changes of velocities from their impulses. */
#include "algebra/four.h"
#include "step/nonsmooth/nonsmooth.h"

#include <string.h>

/* Whether the first six of so many velocities, ascending, follow each other, as those of a free joint do. */
static inline bool begin_with_six(const int *dof, int count) {
    return count >= JN_M_SIX && dof[JN_M_SIX - 1] == dof[0] + JN_M_SIX - 1;
}

static inline void multiply_some(const jn_contact_set *set, int i, const double *v, double *y, const int d) {
    double sum[3] = {0, 0, 0};
    for (int k = set->from[i], end = jn_contact_set_end(set, i); k < end; k++)
        for (int r = 0; r < d; r++) sum[r] += set->H[k * d + r] * v[set->dof_of[k]];
    for (int r = 0; r < d; r++) y[r] = sum[r];
}

/* The same of three rows, four numbers at a time: the last of them is no row of the contact. */
static inline void multiply_three(const jn_contact_set *set, int i, const double *v, double *y) {
    jn_four sum = {0};
    const double *H = set->H;
    const int *dof = set->dof_of;
    int k = set->from[i], end = jn_contact_set_end(set, i);
    if (begin_with_six(dof + k, end - k)) {
        const double *six = v + dof[k];
        for (int c = 0; c < JN_M_SIX; c++) sum += JN_FOUR_OF(H + 3 * (k + c)) * six[c];
        k += JN_M_SIX;
    }
    for (; k < end; k++) sum += JN_FOUR_OF(H + 3 * k) * v[dof[k]];
    for (int r = 0; r < 3; r++) y[r] = sum[r];
}

void jn_contact_multiply_one(const jn_contact_set *set, int i, const double *v, double *y) {
    if (set->is_round) {
        jn_round_gather(&set->round[i], v, y);
        return;
    }
    switch (set->dimension) { /* loops of constant length */
    case 1: multiply_some(set, i, v, y, 1); break;
    case 2: multiply_some(set, i, v, y, 2); break;
    default: multiply_three(set, i, v, y);
    }
}

/* y = H v of the set, of one v or of three. */
typedef struct product {
    const jn_contact_set *set;
    const double *v[3];
    double *y[3];
} product;

static void multiply_range(void *context, int from, int to) {
    const product *all = context;
    const jn_contact_set *set = all->set;
    const double *v = all->v[0];
    double *y = all->y[0];
    int d = set->dimension;
    for (int i = from; i < to && set->is_round; i++) jn_round_gather(&set->round[i], v, y + 3 * i);
    if (set->is_round) return;
    for (int i = from; i < to && d == 1; i++) multiply_some(set, i, v, y + i, 1);
    for (int i = from; i < to && d == 2; i++) multiply_some(set, i, v, y + i * 2, 2);
    for (int i = from; i < to && d == 3; i++) multiply_three(set, i, v, y + i * 3);
}

void jn_contact_set_multiply(const jn_contact_set *set, const double *v, double *y) {
    jn_pool_range(set->pool, set->count, JN_SHARED_CONTACTS, multiply_range, &(product){set, {v}, {y}});
}

static void multiply_range_three(void *context, int from, int to) {
    const product *all = context;
    const jn_contact_set *set = all->set;
    const double *const *v = all->v;
    double *const *y = all->y;
    const int *dof = set->dof_of;
    for (int i = from; i < to && set->is_round; i++)
        for (int n = 0; n < 3; n++) jn_round_gather(&set->round[i], v[n], y[n] + 3 * i);
    for (int i = from; i < to && !set->is_round; i++) {
        jn_four a = {0}, b = {0}, c = {0};
        int k = set->from[i], end = jn_contact_set_end(set, i);
        if (begin_with_six(dof + k, end - k)) {
            const double *six[3] = {v[0] + dof[k], v[1] + dof[k], v[2] + dof[k]};
            for (int n = 0; n < JN_M_SIX; n++) {
                jn_four H = JN_FOUR_OF(set->H + 3 * (k + n));
                a += H * six[0][n], b += H * six[1][n], c += H * six[2][n];
            }
            k += JN_M_SIX;
        }
        for (; k < end; k++) {
            jn_four H = JN_FOUR_OF(set->H + 3 * k);
            a += H * v[0][dof[k]], b += H * v[1][dof[k]], c += H * v[2][dof[k]];
        }
        for (int r = 0; r < 3; r++) y[0][3 * i + r] = a[r], y[1][3 * i + r] = b[r], y[2][3 * i + r] = c[r];
    }
}

void jn_contact_set_multiply_three(const jn_contact_set *set, const double *const v[3], double *const y[3]) {
    product all = {set, {v[0], v[1], v[2]}, {y[0], y[1], y[2]}};
    for (int n = 0; n < 3 && set->dimension < 3; n++) jn_contact_set_multiply(set, v[n], y[n]);
    if (set->dimension == 3)
        jn_pool_range(set->pool, set->count, JN_SHARED_CONTACTS, multiply_range_three, &all);
}

void jn_contact_set_add_surfaces(const jn_contact_set *set, double *y) {
    for (int i = 0; i < set->count * set->dimension && set->surface; i++) y[i] += set->surface[i];
}

void jn_contact_set_velocities(const jn_contact_set *set, const double *v, double *y) {
    jn_contact_set_multiply(set, v, y);
    jn_contact_set_add_surfaces(set, y);
}

void jn_contact_velocities_one(const jn_contact_set *set, int i, const double *v, double *y) {
    jn_contact_multiply_one(set, i, v, y);
    for (int r = 1; r < set->dimension && set->surface; r++) y[r] += set->surface[i * set->dimension + r];
}

static inline void add_entry(const double *restrict value, const double *restrict p, double *restrict f, const int d) {
    double sum = *f;
    for (int r = 0; r < d; r++) sum += value[r] * p[r];
    *f = sum;
}

/* f += value^T p; start: entry of each contact before which its rows are zero. */
static inline void add_some(const jn_contact_set *set, const double *restrict value, const int *restrict start,
                            const double *restrict p, double *restrict f, const int d) {
    const int *dof = set->dof_of;
    for (int i = 0, count = set->count; i < count; i++) {
        const double own[3] = {p[i * d], d > 1 ? p[i * d + 1] : 0, d > 2 ? p[i * d + 2] : 0};
        if (own[0] == 0 && own[1] == 0 && own[2] == 0) continue; /* open */
        int k = start[i], end = jn_contact_set_end(set, i);
        if (begin_with_six(dof + k, end - k)) {
            for (int c = 0; c < JN_M_SIX; c++) add_entry(value + (k + c) * d, own, f + dof[k] + c, d);
            k += JN_M_SIX;
        }
        for (; k < end; k++) add_entry(value + k * d, own, f + dof[k], d);
    }
}

static void add_transposed(const jn_contact_set *set, const double *value, const int *start, const double *p,
                           double *f) {
    switch (set->dimension) {
    case 1: add_some(set, value, start, p, f, 1); break;
    case 2: add_some(set, value, start, p, f, 2); break;
    default: add_some(set, value, start, p, f, 3);
    }
}

void jn_contact_set_force(const jn_contact_set *set, const double *p, double *f) {
    for (int i = 0; i < set->count && set->is_round; i++) jn_round_scatter_force(&set->round[i], p + 3 * i, f);
    if (!set->is_round) add_transposed(set, set->H, set->from, p, f);
}

/* x = L^-1 D^-1/2 x on the velocities of a tree, ascending. */
static void apply_inverse_root_t(const jn_sim *sim, const int *dof, int count, double *x) {
    const jn_model *m = sim->m;
    for (int i = 0; i < count; i++) {
        jn_M_row r = m->M_row[dof[i]];
        const double *L = sim->w->M + r.start;
        const int *col = m->M_col + r.start;
        double sum = x[dof[i]] * sim->nonsmooth->groups.inverse_root[dof[i]], *root = x + col[0];
        int a = 0;
        if (r.six)
            for (; a < JN_M_SIX; a++) sum -= L[a] * root[a];
        for (; a < r.depth; a++) sum -= L[a] * x[col[a]];
        x[dof[i]] = sum;
    }
}

void jn_contact_set_apply(jn_contact_set *set, jn_sim *sim, const double *p, double *v) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < set->count && set->is_round; i++) jn_round_scatter(&set->round[i], p + 3 * i, v);
    if (set->is_round) return;
    if (!x->groups.any_normalised || set->count == 0) {
        add_transposed(set, set->Y, set->start, p, v);
        return;
    }
    add_transposed(set, set->Y, set->start, p, x->row);
    for (int g = 0; g < x->groups.count; g++)
        if (x->groups.group[g].normalised)
            apply_inverse_root_t(sim, x->groups.dof + x->groups.group[g].first, x->groups.group[g].count, x->row);
    for (int k = 0; k < sim->m->nv; k++) v[k] += x->row[k], x->row[k] = 0;
}
