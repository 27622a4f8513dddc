/* From the problem with velocities and joints to the one that solvers see: contacts alone. Done once per problem that comes
 * from a file; a step builds its rows itself. */
#include "algebra/elementary.h"
#include "base/components.h"
#include "base/store.h"
#include "reaction/problem/problem_data.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double no_mass = 1e-15; /* of the largest pivot: a mass matrix with a smaller one is singular */
static const double redundant =
    1e-10; /* of the largest pivot: rows of joints with a smaller one follow from the others */

/* Dense L U = P A Q. */
typedef struct lu {
    int n, rank;
    double *a; /* (n x n) */
    int *row, *column;
} lu;

/* Velocities that M or G couple, with their factor. */
typedef struct component {
    int size, joints;  /* velocities, columns of G */
    const int *dof;    /* (size) ascending */
    const int *column; /* (joints) of G */
    lu M, S;           /* S = G^T M^-1 G */
    double *G, *MG;    /* (size x joints), M^-1 G */
} component;

typedef struct reducer {
    const jn_global_problem *g;
    jn_store *store;
    int nv, joints, count;
    component *list;
    int *owner, *place;        /* (nv) component of a velocity, position in it */
    int *column_place;         /* (joints) position of a column of G in its component */
    double *x, *y, *s, *spare; /* (nv), (nv), (joints), (nv + joints) */
} reducer;

static void *take(reducer *r, size_t count, size_t size) { return jn_store_array(r->store, count ? count : 1, size); }

/* ------------------------------------------------------------------------------------------------------ dense LU */

static void swap_rows(lu *f, int i, int j) {
    for (int k = 0; k < f->n; k++) {
        double t = f->a[i * f->n + k];
        f->a[i * f->n + k] = f->a[j * f->n + k];
        f->a[j * f->n + k] = t;
    }
    int t = f->row[i];
    f->row[i] = f->row[j], f->row[j] = t;
}

static void swap_columns(lu *f, int i, int j) {
    for (int k = 0; k < f->n; k++) {
        double t = f->a[k * f->n + i];
        f->a[k * f->n + i] = f->a[k * f->n + j];
        f->a[k * f->n + j] = t;
    }
    int t = f->column[i];
    f->column[i] = f->column[j], f->column[j] = t;
}

/* Gaussian elimination; pivots below `small` of the largest entry count as zero. Complete pivoting reveals the rank, pivoting
 * by rows alone is enough for M. O(n^3). */
static void lu_factor(lu *f, double small, bool complete) {
    int n = f->n;
    double largest = 0;
    for (int k = 0; k < n * n; k++) largest = jn_fmax(largest, fabs(f->a[k]));
    for (int k = 0; k < n; k++) f->row[k] = f->column[k] = k;
    for (f->rank = 0; f->rank < n; f->rank++) {
        int k = f->rank, bi = k, bj = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < (complete ? n : k + 1); j++)
                if (fabs(f->a[i * n + j]) > fabs(f->a[bi * n + bj])) bi = i, bj = j;
        if (!(fabs(f->a[bi * n + bj]) > small * largest)) return;
        if (bi != k) swap_rows(f, bi, k);
        if (bj != k) swap_columns(f, bj, k);
        for (int i = k + 1; i < n; i++) {
            double m = f->a[i * n + k] /= f->a[k * n + k];
            if (m == 0) continue;
            for (int j = k + 1; j < n; j++) f->a[i * n + j] -= m * f->a[k * n + j];
        }
    }
}

/* x = A^-1 b; unknowns beyond the rank are zero. spare (n). O(n^2). */
static void lu_solve(const lu *f, const double *b, double *x, double *spare) {
    int n = f->n, rank = f->rank;
    for (int i = 0; i < rank; i++) {
        spare[i] = b[f->row[i]];
        for (int j = 0; j < i; j++) spare[i] -= f->a[i * n + j] * spare[j];
    }
    for (int i = rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < rank; j++) spare[i] -= f->a[i * n + j] * spare[j];
        spare[i] /= f->a[i * n + i];
    }
    for (int i = 0; i < n; i++) x[f->column[i]] = i < rank ? spare[i] : 0;
}

static int lu_create(reducer *r, lu *f, int n) {
    f->n = n;
    f->a = take(r, (size_t)n * (size_t)n, sizeof *f->a);
    f->row = take(r, (size_t)n, sizeof *f->row);
    f->column = take(r, (size_t)n, sizeof *f->column);
    return f->a && f->row && f->column ? JN_OK : JN_ERR_MEMORY;
}

/* ---------------------------------------------------------------------------------------------------- components */

/* Numbers the components and lists their velocities and joints. parent (nv), seen (joints): a velocity of each column. */
static int list_components(reducer *r, int *parent, const int *seen) {
    int *dofs = take(r, (size_t)r->nv, sizeof *dofs), *columns = take(r, (size_t)r->joints, sizeof *columns);
    for (int i = 0; i < r->nv; i++)
        r->owner[i] = jn_component_root(parent, i) == i ? r->count++ : r->owner[jn_component_root(parent, i)];
    r->list = take(r, (size_t)r->count, sizeof *r->list);
    if (!dofs || !columns || !r->list) return JN_ERR_MEMORY;
    for (int i = 0; i < r->nv; i++) r->list[r->owner[i]].size++;
    for (int k = 0; k < r->joints; k++)
        if (seen[k] >= 0) r->list[r->owner[seen[k]]].joints++;
    for (int c = 0, at = 0, from = 0; c < r->count; c++) {
        component *p = &r->list[c];
        p->dof = dofs + at, p->column = columns + from;
        at += p->size, from += p->joints;
        p->size = p->joints = 0;
    }
    for (int i = 0; i < r->nv; i++) {
        component *p = &r->list[r->owner[i]];
        r->place[i] = p->size;
        dofs[p->dof - dofs + p->size++] = i;
    }
    for (int k = 0; k < r->joints; k++) {
        if (seen[k] < 0) continue;
        component *p = &r->list[r->owner[seen[k]]];
        r->column_place[k] = p->joints;
        columns[p->column - columns + p->joints++] = k;
    }
    return JN_OK;
}

/* Velocities are joined by entries of M and by columns of G. O(entries). */
static int find_components(reducer *r) {
    const jn_entries *M = &r->g->M, *G = &r->g->G;
    int *parent = take(r, (size_t)r->nv, sizeof *parent), *seen = take(r, (size_t)r->joints, sizeof *seen);
    if (!parent || !seen) return JN_ERR_MEMORY;
    for (int i = 0; i < r->nv; i++) parent[i] = i;
    for (int k = 0; k < r->joints; k++) seen[k] = -1;
    for (int k = 0; k < M->count; k++)
        if (M->value[k] != 0) jn_component_join(parent, M->row[k], M->column[k]);
    for (int k = 0; k < G->count; k++) {
        if (G->value[k] == 0) continue;
        if (seen[G->column[k]] < 0) seen[G->column[k]] = G->row[k];
        jn_component_join(parent, seen[G->column[k]], G->row[k]);
    }
    return list_components(r, parent, seen);
}

static int create_component(reducer *r, component *c) {
    int status = lu_create(r, &c->M, c->size);
    if (!status) status = lu_create(r, &c->S, c->joints);
    c->G = take(r, (size_t)c->size * (size_t)c->joints, sizeof *c->G);
    c->MG = take(r, (size_t)c->size * (size_t)c->joints, sizeof *c->MG);
    return c->G && c->MG ? status : JN_ERR_MEMORY;
}

static void fill_components(reducer *r) {
    const jn_entries *M = &r->g->M, *G = &r->g->G;
    for (int k = 0; k < M->count; k++) {
        if (M->value[k] == 0) continue;
        component *c = &r->list[r->owner[M->row[k]]];
        c->M.a[r->place[M->row[k]] * c->size + r->place[M->column[k]]] += M->value[k];
    }
    for (int k = 0; k < G->count; k++) {
        if (G->value[k] == 0) continue;
        component *c = &r->list[r->owner[G->row[k]]];
        c->G[r->place[G->row[k]] * c->joints + r->column_place[G->column[k]]] += G->value[k];
    }
}

static int factor_component(reducer *r, component *c) {
    int m = c->size, g = c->joints;
    lu_factor(&c->M, no_mass, false);
    if (c->M.rank < m) return JN_ERR_NUMERIC;
    for (int k = 0; k < g; k++) {
        for (int i = 0; i < m; i++) r->x[i] = c->G[i * g + k];
        lu_solve(&c->M, r->x, r->y, r->spare);
        for (int i = 0; i < m; i++) c->MG[i * g + k] = r->y[i];
    }
    for (int i = 0; i < g; i++)
        for (int j = 0; j < g; j++)
            for (int k = 0; k < m; k++) c->S.a[i * g + j] += c->G[k * g + i] * c->MG[k * g + j]; /* G^T M^-1 G */
    lu_factor(&c->S, redundant, true);
    return JN_OK;
}

/* y = A^-1 x on one component, so that G^T y = -b. b NULL is zero. */
static void component_solve(reducer *r, const component *c, const double *x, const double *b, double *y) {
    int m = c->size, g = c->joints;
    double *lambda = r->s + g;
    lu_solve(&c->M, x, y, r->spare);
    if (!g) return;
    for (int k = 0; k < g; k++) {
        r->s[k] = b ? b[c->column[k]] : 0;
        for (int i = 0; i < m; i++) r->s[k] += c->G[i * g + k] * y[i];
    }
    lu_solve(&c->S, r->s, lambda, r->spare);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < g; k++) y[i] -= c->MG[i * g + k] * lambda[k];
}

/* ---------------------------------------------------------------------------------------------------------- rows */

typedef struct place {
    int contact, dof, row;
    double value;
} place;

static int compare_places(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->contact != q->contact) return p->contact < q->contact ? -1 : 1;
    if (p->dof != q->dof) return p->dof < q->dof ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

/* Rows of H by contact, dofs ascending, from FCLIB's nv x n matrix. */
static int rows_of_H(reducer *r, jn_contact_rows *H) {
    const jn_entries *E = &r->g->H;
    int d = r->g->dimension, n = r->g->contacts, count = 0;
    place *list = take(r, (size_t)E->count, sizeof *list);
    int *start = take(r, (size_t)n + 1, sizeof *start), *dof = take(r, (size_t)E->count, sizeof *dof);
    double *value = take(r, (size_t)E->count * (size_t)d, sizeof *value);
    if (!list || !start || !dof || !value) return JN_ERR_MEMORY;
    for (int k = 0; k < E->count; k++) list[k] = (place){E->column[k] / d, E->row[k], E->column[k] % d, E->value[k]};
    qsort(list, (size_t)E->count, sizeof *list, compare_places);
    for (int k = 0; k < E->count; k++) {
        bool is_new = k == 0 || list[k].contact != list[k - 1].contact || list[k].dof != list[k - 1].dof;
        if (is_new) dof[count++] = list[k].dof;
        value[(size_t)(count - 1) * (size_t)d + (size_t)list[k].row] += list[k].value;
        start[list[k].contact + 1] = count;
    }
    for (int i = 0; i < n; i++)
        if (start[i + 1] < start[i]) start[i + 1] = start[i];
    *H = (jn_contact_rows){start, dof, value};
    return JN_OK;
}

static int compare_ints(const void *a, const void *b) {
    int p = *(const int *)a, q = *(const int *)b;
    return (p > q) - (p < q);
}

/* Components that contact i touches, ascending. */
static int touched(const reducer *r, const jn_contact_rows *H, int i, int *list) {
    int count = 0;
    for (int k = H->start[i]; k < H->start[i + 1]; k++) {
        int c = r->owner[H->dof[k]], known = 0;
        for (int j = 0; j < count && !known; j++) known = list[j] == c;
        if (!known) list[count++] = c;
    }
    return count;
}

/* Values of Y for one contact, dofs of its components given in order; at (nv) finds the entry of a dof. */
static void fill_Y(reducer *r, const jn_contact_rows *H, int i, const int *list, int count, const int *at,
                   double *value) {
    int d = r->g->dimension;
    for (int j = 0; j < count; j++) {
        const component *c = &r->list[list[j]];
        for (int row = 0; row < d; row++) {
            memset(r->x, 0, (size_t)c->size * sizeof *r->x);
            for (int k = H->start[i]; k < H->start[i + 1]; k++)
                if (r->owner[H->dof[k]] == list[j])
                    r->x[r->place[H->dof[k]]] = H->value[(size_t)k * (size_t)d + (size_t)row];
            component_solve(r, c, r->x, NULL, r->y);
            for (int k = 0; k < c->size; k++) value[(size_t)at[c->dof[k]] * (size_t)d + (size_t)row] = r->y[k];
        }
    }
}

/* Y_i = (A^-1 H_i^T)^T: every velocity of the components that the contact touches. */
static int rows_of_Y(reducer *r, const jn_contact_rows *H, jn_contact_rows *Y) {
    int n = r->g->contacts, d = r->g->dimension;
    int *start = take(r, (size_t)n + 1, sizeof *start), *at = take(r, (size_t)r->nv, sizeof *at);
    int *list = take(r, (size_t)r->count, sizeof *list), *dof;
    double *value;
    if (!start || !at || !list) return JN_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        int count = touched(r, H, i, list);
        start[i + 1] = start[i];
        for (int j = 0; j < count; j++) start[i + 1] += r->list[list[j]].size;
    }
    dof = take(r, (size_t)start[n], sizeof *dof);
    value = take(r, (size_t)start[n] * (size_t)d, sizeof *value);
    if (!dof || !value) return JN_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        int count = touched(r, H, i, list), k = start[i];
        for (int j = 0; j < count; j++)
            for (int l = 0; l < r->list[list[j]].size; l++) dof[k++] = r->list[list[j]].dof[l];
        qsort(dof + start[i], (size_t)(k - start[i]), sizeof *dof, compare_ints);
        for (k = start[i]; k < start[i + 1]; k++) at[dof[k]] = k;
        fill_Y(r, H, i, list, count, at, value);
    }
    *Y = (jn_contact_rows){start, dof, value};
    return JN_OK;
}

/* q = H^T v + w with the velocity v that M, f and the joints alone would give. */
static int free_velocity(reducer *r, const jn_contact_rows *H, double *q) {
    int d = r->g->dimension;
    double *v = take(r, (size_t)r->nv, sizeof *v);
    if (!v) return JN_ERR_MEMORY;
    for (int j = 0; j < r->count; j++) {
        const component *c = &r->list[j];
        for (int k = 0; k < c->size; k++) r->x[k] = r->g->f[c->dof[k]];
        component_solve(r, c, r->x, r->g->b, r->y);
        for (int k = 0; k < c->size; k++) v[c->dof[k]] = r->y[k];
    }
    for (int i = 0; i < r->g->contacts; i++) {
        jn_rows_gather(H, d, i, v, q + (size_t)i * (size_t)d);
        for (int k = i * d; k < (i + 1) * d; k++) q[k] += r->g->w[k];
    }
    return JN_OK;
}

/* Memory and factors of all components. */
static int prepare(reducer *r) {
    r->owner = take(r, (size_t)r->nv, sizeof *r->owner), r->place = take(r, (size_t)r->nv, sizeof *r->place);
    r->column_place = take(r, (size_t)r->joints, sizeof *r->column_place);
    r->x = take(r, (size_t)r->nv, sizeof *r->x), r->y = take(r, (size_t)r->nv, sizeof *r->y);
    r->s = take(r, 2 * (size_t)r->joints, sizeof *r->s);
    r->spare = take(r, (size_t)(r->nv + r->joints), sizeof *r->spare);
    if (!r->owner || !r->place || !r->column_place || !r->x || !r->y || !r->s || !r->spare) return JN_ERR_MEMORY;
    int status = find_components(r);
    for (int c = 0; c < r->count && !status; c++) status = create_component(r, &r->list[c]);
    if (!status) fill_components(r);
    for (int c = 0; c < r->count && !status; c++) status = factor_component(r, &r->list[c]);
    return status;
}

static int reduce(reducer *r, jn_problem_data *data) {
    const jn_global_problem *g = r->g;
    size_t n = (size_t)g->contacts, d = (size_t)g->dimension;
    double *q = take(r, n * d, sizeof *q), *mu = take(r, n, sizeof *mu);
    int status = q && mu ? prepare(r) : JN_ERR_MEMORY;
    if (!status) status = rows_of_H(r, &data->H);
    if (!status) status = rows_of_Y(r, &data->H, &data->Y);
    if (!status) status = free_velocity(r, &data->H, q);
    if (status) return status;
    if (g->mu) memcpy(mu, g->mu, n * sizeof *mu);
    data->problem =
        (jn_problem){.dimension = g->dimension, .contacts = g->contacts, .velocities = r->nv, .mu = mu, .q = q};
    data->problem.H = &data->H, data->problem.Y = &data->Y;
    return JN_OK;
}

static bool sizes_fit(const jn_global_problem *g) {
    return g->dimension >= 1 && g->dimension <= 3 && g->M.rows == g->M.columns && g->H.rows == g->M.rows &&
           g->H.columns == g->dimension * g->contacts && (!g->G.columns || g->G.rows == g->M.rows);
}

int jn_global_reduce(const jn_global_problem *global, jn_problem_data **out) {
    *out = NULL;
    if (!sizes_fit(global)) return JN_ERR_ARGUMENT;
    jn_problem_data *data = jn_problem_data_create();
    if (!data) return JN_ERR_MEMORY;
    reducer r = {.g = global, .store = data->store, .nv = global->M.rows, .joints = global->G.columns};
    int status = reduce(&r, data);
    if (status)
        jn_problem_data_free(data);
    else
        *out = data;
    return status;
}

/* M v = f + H p + G lambda, component by component. */
static void recover(reducer *r, const double *p, double *v, double *lambda) {
    const jn_entries *H = &r->g->H;
    memcpy(v, r->g->f, (size_t)r->nv * sizeof *v);
    for (int k = 0; k < H->count; k++) v[H->row[k]] += H->value[k] * p[H->column[k]];
    for (int k = 0; k < r->joints; k++) lambda[k] = 0;
    for (int j = 0; j < r->count; j++) {
        const component *c = &r->list[j];
        for (int k = 0; k < c->size; k++) r->x[k] = v[c->dof[k]];
        component_solve(r, c, r->x, r->g->b, r->y);
        for (int k = 0; k < c->size; k++) v[c->dof[k]] = r->y[k];
        for (int k = 0; k < c->joints; k++) lambda[c->column[k]] = -r->s[c->joints + k];
    }
}

int jn_global_recover(const jn_global_problem *global, const double *p, double *v, double *lambda) {
    if (!sizes_fit(global)) return JN_ERR_ARGUMENT;
    reducer r = {.g = global, .store = jn_store_create(), .nv = global->M.rows, .joints = global->G.columns};
    if (!r.store) return JN_ERR_MEMORY;
    int status = prepare(&r);
    if (!status) recover(&r, p, v, lambda);
    jn_store_free(r.store);
    return status;
}

/* ------------------------------------------------------------------------------- bilateral rows in the local form */

/* Rows of V that are not zero, in ascending order. Returns their number. */
static int touched_rows(const jn_entries *V, int *spot, int *list) {
    int count = 0;
    for (int i = 0; i < V->rows; i++) spot[i] = -1;
    for (int k = 0; k < V->count; k++) spot[V->row[k]] = 0;
    for (int i = 0; i < V->rows; i++)
        if (spot[i] == 0) spot[i] = count, list[count++] = i;
    return count;
}

/* X = R^-1 V^T by columns, for the rows of V in the list and, as the last one, R^-1 s. */
static int solve_columns(reducer *r, const jn_entries *V, const jn_entries *R, const double *s, const int *spot,
                         int count, double *dense, double *X) {
    lu f;
    size_t m = (size_t)R->rows;
    double *spare = take(r, m, sizeof *spare);
    if (lu_create(r, &f, R->rows) || !spare) return JN_ERR_MEMORY;
    for (int k = 0; k < R->count; k++) f.a[R->row[k] * R->rows + R->column[k]] += R->value[k];
    for (int k = 0; k < V->count; k++) dense[(size_t)spot[V->row[k]] * m + (size_t)V->column[k]] += V->value[k];
    memcpy(dense + (size_t)count * m, s, m * sizeof *s);
    lu_factor(&f, redundant, true);
    for (int i = 0; i <= count; i++) lu_solve(&f, dense + (size_t)i * m, X + (size_t)i * m, spare);
    return JN_OK;
}

int jn_problem_data_set_bilateral(jn_problem_data *data, const jn_entries *W, const jn_entries *V, const jn_entries *R,
                                  const double *s) {
    reducer r = {.store = data->store};
    size_t n = (size_t)W->rows, m = (size_t)R->rows;
    int *spot = take(&r, n, sizeof *spot), *list = take(&r, n, sizeof *list);
    if (!spot || !list) return JN_ERR_MEMORY;
    size_t count = (size_t)touched_rows(V, spot, list), total = (size_t)W->count + count * count;
    double *dense = take(&r, (count + 1) * m, sizeof *dense), *X = take(&r, (count + 1) * m, sizeof *X);
    int *row = take(&r, total, sizeof *row), *column = take(&r, total, sizeof *column);
    double *value = take(&r, total, sizeof *value), *q = take(&r, n, sizeof *q);
    if (!dense || !X || !row || !column || !value || !q) return JN_ERR_MEMORY;
    if (solve_columns(&r, V, R, s, spot, (int)count, dense, X)) return JN_ERR_MEMORY;
    memcpy(row, W->row, (size_t)W->count * sizeof *row), memcpy(column, W->column, (size_t)W->count * sizeof *column);
    memcpy(value, W->value, (size_t)W->count * sizeof *value), memcpy(q, data->problem.q, n * sizeof *q);
    for (size_t i = 0, at = (size_t)W->count; i < count; i++)
        for (size_t j = 0; j <= count; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++) sum += dense[i * m + k] * X[j * m + k];
            if (j == count)
                q[list[i]] -= sum; /* V R^-1 s */
            else
                row[at] = list[i], column[at] = list[j], value[at++] = -sum; /* V R^-1 V^T */
        }
    data->problem.q = q;
    return jn_problem_data_set_blocks(data, &(jn_entries){W->rows, W->columns, (int)total, row, column, value});
}
