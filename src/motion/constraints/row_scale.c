/* What counts as round-off in the rows of constraints: sizes before the tree's joints take their part. */
#include "algebra/elementary.h"
#include "motion/work.h"

double jn_mechanism_length(const jn_model *m) {
    double most = 0;
    for (int k = 0; k < m->joint_count; k++) {
        const jn_side *side[2] = {&m->joints[k].A, &m->joints[k].B};
        for (int i = 0; i < 2 && m->joints[k].type != JN_JOINT_FREE; i++)
            if (side[i]->link > 0) most = jn_fmax(most, v3_norm(v3_sub(side[i]->p, m->links[side[i]->link].com)));
    }
    return most > 0 ? most : 1;
}

/* Largest size of the terms whose sum is an entry of the row. */
static double row_terms(const jn_model *m, const jn_work *w, int i, double length) {
    const jn_closure *c = &m->closures[m->rows[i].item];
    const int *path = m->path_links + c->path;
    jn_wrench end[2];
    double most = 0;
    jn_row_wrenches(m, w, i, &end[0], &end[1]);
    for (int n = 0; n < c->count; n++) {
        jn_wrench *f = &end[n < c->a_count ? 0 : 1];
        const jn_link *l = &m->links[path[n]];
        double force = v3_norm(f->f), moment = v3_norm(f->n) + length * force;
        for (int k = l->v; k < l->v + l->nv; k++)
            most = jn_fmax(most, v3_norm(w->S[k].w) * moment + v3_norm(w->S[k].v) * force);
        *f = wr_shift(*f, w->link[path[n]].r);
    }
    return most;
}

bool jn_rows_vanish(const jn_model *m, const jn_work *w, double tolerance) {
    double length = jn_mechanism_length(m), largest = 0, terms = 0;
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        double size = 0;
        for (int p = row->first; p < row->first + row->count; p++) size = jn_fmax(size, fabs(w->G[p]));
        bool closure = row->type != JN_ROW_DRIVER && row->type != JN_ROW_COUPLER;
        if (size > 0 && !closure) return false;
        largest = jn_fmax(largest, size);
        if (closure) terms = jn_fmax(terms, row_terms(m, w, i, length));
    }
    return largest <= tolerance * terms;
}
