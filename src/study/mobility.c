/* Degrees of freedom and redundant equations of a mechanism.
 *
 * The tree joints of relative coordinates are independent by construction, so only loop closures, couplers and drivers
 * need a factorisation. In the metric |v|^2 + (length |w|)^2 of the bodies' motions the rows restricted to the motions
 * that the tree allows are exactly what is left of the rows in absolute coordinates after the tree's joints: the ranks
 * agree, and so do the sizes that decide them. */
#include "base/memory.h"
#include "study/freedom.h"
#include "study/model_scale.h"
#include <jounce/study.h>
#include <stdio.h>
#include <string.h>

typedef struct jn_mobile {
    const jn_model *m; /* in relative coordinates */
    jn_freedom free;
    jn_work *w;
    jn_state *s;
    int *order;     /* (rows) closures in the order of the file, then couplers, then drivers */
    bool *repeated; /* (rows) */
    double *left;   /* (rows) size of what earlier rows leave of a row */
    double *basis;  /* (nv x rows) */
    void *memory;
} jn_mobile;

static bool mobile_create(jn_mobile *x, const jn_model *m) {
    size_t rows = (size_t)m->row_count + 1, nv = (size_t)m->nv + 1;
    x->m = m;
    x->w = jn_work_create(m);
    x->s = jn_state_create(m);
    x->memory = jn_malloc(rows * (nv + 1) * sizeof(double) + rows * (sizeof(int) + sizeof(bool)));
    if (!x->memory || !x->w || !x->s || !jn_freedom_create(&x->free, m, m->row_count, m->row_count > 0)) return false;
    x->basis = x->memory;
    x->left = x->basis + rows * nv;
    x->order = (int *)(x->left + rows);
    x->repeated = (bool *)(x->order + rows);
    return true;
}

static void mobile_free(jn_mobile *x) {
    jn_freedom_free(&x->free);
    jn_work_free(x->w);
    jn_state_free(x->s);
    jn_free(x->memory);
}

static void order_rows(jn_mobile *x) {
    static const jn_row_type last[] = {JN_ROW_COUPLER, JN_ROW_DRIVER};
    int n = 0;
    for (int i = 0; i < x->m->row_count; i++)
        if (x->m->rows[i].type != last[0] && x->m->rows[i].type != last[1]) x->order[n++] = i;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < x->m->row_count; i++)
            if (x->m->rows[i].type == last[k]) x->order[n++] = i;
}

/* Scaled rows at the state as columns of range.Y, in the order of judgement. */
static int scaled_rows(jn_mobile *x) {
    const jn_model *m = x->m;
    jn_kinematics(m, x->w, x->s);
    jn_measure_all(m, x->w, x->s);
    jn_constraint_rows(m, x->w, x->s, JN_ROWS_JACOBIAN);
    int status = jn_freedom_metric(&x->free, x->w);
    if (status < 0) return status;
    for (int c = 0; c < m->row_count; c++) jn_freedom_put_row(&x->free, x->w, x->order[c], c);
    return JN_OK;
}

static void remove_part(const double *q, double *y, int n) { /* y -= q (q.y) */
    double dot = 0;
    for (int i = 0; i < n; i++) dot += q[i] * y[i];
    for (int i = 0; i < n; i++) y[i] -= dot * q[i];
}

static double norm(const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += y[i] * y[i];
    return sqrt(sum);
}

/* Marks each row that the rows before it imply (Gram-Schmidt, twice for orthogonality). O(nv rows rank). */
static void mark_repeated(jn_mobile *x) {
    int n = x->m->nv, rows = x->m->row_count, rank = 0;
    for (int c = 0; c < rows; c++) {
        double *y = x->basis + (size_t)rank * (size_t)n;
        memcpy(y, x->free.range.Y + (size_t)c * (size_t)n, (size_t)n * sizeof *y);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < rank; k++) remove_part(x->basis + (size_t)k * (size_t)n, y, n);
        x->left[c] = norm(y, n);
        x->repeated[c] = !(x->left[c] > x->free.range.cut) || rank == n;
        if (x->repeated[c]) continue;
        for (int i = 0; i < n; i++) y[i] /= x->left[c];
        rank++;
    }
}

/* Where the order of the file leaves another count than the rank, the doubtful rows change sides. */
static void settle_count(jn_mobile *x, int rank) {
    int rows = x->m->row_count, count = 0;
    for (int c = 0; c < rows; c++) count += !x->repeated[c];
    while (count != rank) {
        bool raise = count < rank;
        int pick = -1;
        for (int c = 0; c < rows; c++) {
            if (x->repeated[c] != raise) continue;
            if (pick < 0 || (raise ? x->left[c] > x->left[pick] : x->left[c] < x->left[pick])) pick = c;
        }
        if (pick < 0) return;
        x->repeated[pick] = !raise;
        count += raise ? 1 : -1;
    }
}

static int find_rank(jn_mobile *x, bool name, int *rank) {
    *rank = 0;
    if (x->m->row_count == 0) return JN_OK;
    int status = scaled_rows(x);
    if (status >= 0) status = jn_column_space_find(&x->free.range);
    if (status < 0) return status;
    *rank = x->free.range.rank;
    memset(x->repeated, 0, (size_t)x->m->row_count * sizeof *x->repeated);
    if (!name || *rank == x->m->row_count) return JN_OK;
    status = scaled_rows(x); /* the factorisation destroyed them */
    mark_repeated(x);
    settle_count(x, *rank);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- reporting */

/* Redundant rows of a joint; writes what they are. */
static int joint_repeats(const jn_mobile *x, int joint, char *text, size_t size) {
    int count = 0;
    size_t used = 0;
    text[0] = 0;
    for (int c = 0; c < x->m->row_count; c++) {
        if (!x->repeated[c] || x->m->rows[x->order[c]].joint != joint) continue;
        char name[160];
        jn_model_row_name(x->m, x->order[c], name, sizeof name);
        const char *what = strrchr(name, ':');
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", count ? ", " : "", what ? what + 2 : name);
        count++;
    }
    return count;
}

static int list_redundant(const jn_mobile *x, jn_mobility *out, jn_report *report) {
    const jn_model *m = x->m;
    char text[256], name[160];
    out->redundant_joint = jn_malloc(((size_t)m->joint_count + 1) * sizeof(int));
    out->redundant_rows = jn_malloc(((size_t)m->joint_count + 1) * sizeof(int));
    if (!out->redundant_joint || !out->redundant_rows) return JN_ERR_MEMORY;
    for (int c = 0; c < m->row_count; c++)
        if (x->repeated[c] && m->rows[x->order[c]].joint < 0) {
            jn_model_row_name(m, x->order[c], name, sizeof name);
            jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, (jn_where){m->file, 0, 0}, NULL,
                          "%s repeats what joints already fix\nremove it if it is not meant", name);
        }
    for (int k = m->joint_count - 1; k >= 0; k--) {
        int rows = joint_repeats(x, k, text, sizeof text);
        if (!rows) continue;
        out->redundant_joint[out->redundant_joints] = k;
        out->redundant_rows[out->redundant_joints++] = rows;
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, m->joints[k].where, NULL,
                      "joint '%s': %d of its equations (%s) repeat%s what others already fix\n"
                      "harmless; how they share a load is a choice (least norm). A joint with more freedom "
                      "(spherical, cylindrical, point_on_line) makes them unique",
                      m->joints[k].name, rows, text, rows == 1 ? "s" : "");
    }
    return JN_OK;
}

/* Equations of all joints, drivers and couplers. */
static int count_equations(const jn_model *m) {
    int n = m->driver_count + m->coupler_count;
    for (int k = 0; k < m->joint_count; k++) {
        const jn_joint_info *info = jn_joint_type_info(m->joints[k].type);
        n += m->planar ? info->plane_rows : info->rows;
    }
    return n;
}

/* Freedoms that drivers take: their rows come last in the order, so those that nothing before them implies. */
static int count_driven(const jn_mobile *x) {
    int n = 0;
    for (int c = 0; c < x->m->row_count; c++) n += x->m->rows[x->order[c]].type == JN_ROW_DRIVER && !x->repeated[c];
    return n;
}

/* In a singular position a mechanism has freedoms that vanish as soon as it moves: looks a little further. */
static int look_further(jn_mobile *x, const jn_mobility *out, jn_report *report) {
    const jn_model *m = x->m;
    if (out->dof < 1 || m->row_count == 0) return JN_OK;
    int status = scaled_rows(x), rank = 0;
    if (status >= 0) status = jn_column_space_find(&x->free.range);
    if (status < 0) return status;
    double *u = x->s->u;
    unsigned seed = 1;
    memset(u, 0, (size_t)m->nv * sizeof *u);
    for (int c = 0; c < m->nv - x->free.range.rank; c++) {
        double *z = x->basis, share = 1 + (double)((seed = seed * 1103515245u + 12345u) >> 16 & 255) / 256;
        jn_freedom_motion(&x->free, x->w, c, z);
        for (int i = 0; i < m->nv; i++) u[i] += share * z[i];
    }
    jn_kinematics(m, x->w, x->s);
    double speed = jn_study_speed(m, x->w, x->free.length);
    if (!(speed > 0)) return JN_OK;
    jn_q_advance(m, x->s->q, u, 0.02 / speed);
    memset(u, 0, (size_t)m->nv * sizeof *u);
    if (jn_project(m, x->w, x->s) != JN_OK) return JN_OK;
    status = find_rank(x, false, &rank);
    if (status >= 0 && m->nv - rank < out->dof)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 0, 0}, NULL,
                      "the drawn position is singular: %d degrees of freedom here, %d close by\n"
                      "start from another position, or expect the motion to choose a branch",
                      out->dof, m->nv - rank);
    return status;
}

static int study(jn_mobile *x, const jn_model *model, jn_mobility *out, jn_report *report) {
    const jn_model *m = x->m;
    int status = jn_assemble(m, x->w, x->s, report), rank = 0, per_body = m->planar ? 3 : 6;
    if (status < 0) return status;
    double violation[2];
    jn_constraint_residual(m, x->w, x->s, NULL, NULL, violation);
    order_rows(x);
    status = find_rank(x, true, &rank);
    if (status < 0) return status;
    int equations = count_equations(m);
    out->bodies = model->body_count - 1;
    out->joints = model->joint_count;
    out->gruebler = per_body * out->bodies - equations;
    out->dof = m->nv - rank;
    out->undriven = out->dof + count_driven(x);
    out->rank = per_body * out->bodies - out->dof;
    out->redundant = equations - out->rank;
    out->locked = out->dof == 0 && out->bodies > 0 && m->driver_count == 0;
    out->violation = violation[0];
    status = list_redundant(x, out, report);
    if (out->locked)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 0, 0}, NULL,
                      "nothing can move: the joints leave no degree of freedom\n"
                      "remove a joint or give one more freedom, unless a structure is meant");
    return status < 0 ? status : look_further(x, out, report);
}

int jn_study_mobility(const jn_model *model, jn_mobility *out, jn_report *report) {
    jn_mobile x = {0};
    memset(out, 0, sizeof *out);
    int status = mobile_create(&x, model->twin ? model->twin : model) ? study(&x, model, out, report) : JN_ERR_MEMORY;
    mobile_free(&x);
    if (status >= 0) return status;
    jn_mobility_free(out);
    if (!report || !report->errors)
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){model->file, 0, 0}, NULL, "%s",
                      jn_status_text(status));
    return status;
}

void jn_mobility_free(jn_mobility *mobility) {
    jn_free(mobility->redundant_joint);
    jn_free(mobility->redundant_rows);
    memset(mobility, 0, sizeof *mobility);
}
