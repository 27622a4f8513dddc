/* Rows of constraints and of held points, their rank and the motions that they leave. */
#include "study/freedom.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include "study/model_scale.h"
#include <string.h>

bool jn_freedom_create(jn_freedom *f, const jn_model *m, int rows, bool want_Q) {
    size_t links = (size_t)m->link_count;
    memset(f, 0, sizeof *f);
    f->m = m, f->even = *m, f->length = jn_mechanism_length(m);
    f->even.armature = NULL;
    f->even.links = jn_malloc((links + 1) * sizeof *f->even.links);
    if (!f->even.links || !jn_column_space_create(&f->range, m->nv, rows, want_Q)) return false;
    f->range.largest = 1;
    for (size_t i = 0; i < links; i++) {
        double I = f->length * f->length;
        f->even.links[i] = m->links[i];
        f->even.links[i].mass = 1;
        f->even.links[i].inertia = (jn_sym3){I, I, I, 0, 0, 0};
    }
    return true;
}

void jn_freedom_free(jn_freedom *f) {
    jn_column_space_free(&f->range);
    if (f->m) jn_free(f->even.links);
    f->m = NULL;
}

int jn_freedom_metric(jn_freedom *f, jn_work *w) {
    const double *added = w->added;
    w->added = NULL;
    int status = jn_mass_factor_here(&f->even, w);
    w->added = added;
    return status;
}

/* Size that the rate of a joint coordinate would have with both bodies free. */
static double handle_size(const jn_freedom *f, jn_work *w, int handle) {
    const jn_model *m = f->m;
    const jn_handle *h = &m->handles[handle];
    double total = 0;
    for (const jn_term *t = m->terms + h->term; h->terms && t < m->terms + h->term + h->terms; t++)
        total += fabs(t->factor) * handle_size(f, w, t->handle);
    for (int i = 0; h->reach && i < w->pulls[h->reach - 1]; i++) {
        const jn_pull *p = &w->pull[m->reaches[h->reach - 1].pull + i];
        jn_wrench A, B;
        jn_pull_wrenches(w, p, &A, &B);
        total += jn_study_pair_size(w, p->A, A, p->B, B, f->length);
    }
    if (h->terms || h->reach) return total;
    if (h->v < 0) {
        const jn_closure *c = &m->closures[m->handles[handle].closure];
        jn_wrench A, B;
        jn_handle_wrenches(m, w, handle, &A, &B);
        return jn_study_pair_size(w, c->A.link, A, c->B.link, B, f->length);
    }
    double *y = w->column, sum = 0;
    memset(y, 0, (size_t)m->nv * sizeof *y);
    y[m->handles[handle].v] = 1;
    jn_mass_half_solve(&f->even, w, y);
    for (int i = 0; i < m->nv; i++) sum += y[i] * y[i];
    return sqrt(sum);
}

/* Size of a row in absolute coordinates: never zero, so that a row which the tree already fulfils shows as zero. */
static double row_size(const jn_freedom *f, jn_work *w, int i) {
    const jn_model *m = f->m;
    const jn_row *row = &m->rows[i];
    if (row->type == JN_ROW_DRIVER) return handle_size(f, w, m->drivers[row->item].handle);
    if (row->type == JN_ROW_COUPLER) {
        const jn_coupler *c = &m->couplers[row->item];
        double sum = 0;
        for (int k = 0; k < c->count; k++) sum += fabs(jn_coupler_term(w, c, k).slope) * handle_size(f, w, c->handle[k]);
        return sum;
    }
    jn_wrench A, B;
    jn_row_wrenches(m, w, i, &A, &B);
    return jn_study_pair_size(w, m->closures[row->item].A.link, A, m->closures[row->item].B.link, B, f->length);
}

static void finish_column(const jn_freedom *f, const jn_work *w, double size, double *y) {
    jn_mass_half_solve(&f->even, w, y); /* D^-1/2 L^-T G^T */
    for (int i = 0; i < f->m->nv && size > 0; i++) y[i] /= size;
}

void jn_freedom_put_row(jn_freedom *f, jn_work *w, int i, int column) {
    const jn_row *row = &f->m->rows[i];
    double *y = f->range.Y + (size_t)column * (size_t)f->m->nv, size = row_size(f, w, i);
    memset(y, 0, (size_t)f->m->nv * sizeof *y);
    for (int p = row->first; p < row->first + row->count; p++) y[f->m->row_cols[p]] = w->G[p];
    finish_column(f, w, size, y);
}

void jn_freedom_put_point(jn_freedom *f, const jn_work *w, const double *row, jn_vec3 arm, int column) {
    double *y = f->range.Y + (size_t)column * (size_t)f->m->nv;
    memcpy(y, row, (size_t)f->m->nv * sizeof *y);
    finish_column(f, w, jn_hypot_safe(1, v3_norm(arm) / f->length), y);
}

void jn_freedom_motion(const jn_freedom *f, const jn_work *w, int c, double *z) {
    size_t nv = (size_t)f->m->nv;
    memcpy(z, f->range.Q + (size_t)(f->range.rank + c) * nv, nv * sizeof *z);
    jn_mass_half_solve_t(&f->even, w, z); /* L^-1 D^-1/2 Q2 */
}

int jn_study_rank(const jn_model *m, jn_work *w, int *rank) {
    jn_freedom f;
    int status = jn_freedom_create(&f, m, m->row_count, false) ? jn_freedom_metric(&f, w) : JN_ERR_MEMORY;
    for (int i = 0; i < m->row_count && status >= 0; i++) jn_freedom_put_row(&f, w, i, i);
    if (status >= 0) status = jn_column_space_find(&f.range);
    *rank = f.range.rank;
    jn_freedom_free(&f);
    return status < 0 ? status : jn_mass_factor_here(m, w);
}
