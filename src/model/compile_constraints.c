/* Loop closures, drivers and couplers as constraint rows; handles for scalar joint coordinates. */
#include "description/joint_info.h"
#include "model/builder.h"
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- closures */

typedef struct jn_row_recipe {
    jn_row_type type;
    int a, b;
} jn_row_recipe;

/* Rows of each joint as a loop closure, [Rodrigues2024, eq. 1-6]. Column 2 of E is the joint's axis. */
static int closure_recipe(jn_joint_type type, bool planar, jn_row_recipe *out) {
    static const jn_row_recipe point[] = {{JN_ROW_POINT, 0, 0}, {JN_ROW_POINT, 1, 0}, {JN_ROW_POINT, 2, 0}};
    static const jn_row_recipe align[] = {{JN_ROW_DIRECTION, 2, 0}, {JN_ROW_DIRECTION, 2, 1}, {JN_ROW_DIRECTION, 0, 1}};
    static const jn_row_recipe slide[] = {{JN_ROW_SLIDE, 0, 0}, {JN_ROW_SLIDE, 1, 0}, {JN_ROW_SLIDE, 2, 0}};
    static const jn_row_recipe angle = {JN_ROW_ANGLE, 0, 0}, hooke = {JN_ROW_DIRECTION, 2, 0};
    static const jn_row_recipe distance = {JN_ROW_DISTANCE, 0, 0}, screw = {JN_ROW_SCREW, 0, 0};
    int n = 0;
#define TAKE(list, first, count) (memcpy(out + n, (list) + (first), (count) * sizeof *out), n += (count))
    switch (type) {
    case JN_JOINT_FIXED:
        if (planar) {
            TAKE(point, 0, 2);
            TAKE(&angle, 0, 1);
        } else {
            TAKE(point, 0, 3);
            TAKE(align, 0, 3);
        }
        break;
    case JN_JOINT_REVOLUTE:
        TAKE(point, 0, planar ? 2 : 3);
        if (!planar) TAKE(align, 0, 2);
        break;
    case JN_JOINT_PRISMATIC:
        if (planar) {
            TAKE(slide, 1, 1);
            TAKE(&angle, 0, 1);
        } else {
            TAKE(slide, 0, 2);
            TAKE(align, 0, 3);
        }
        break;
    case JN_JOINT_SCREW:
        TAKE(slide, 0, 2);
        TAKE(align, 0, 2);
        TAKE(&screw, 0, 1);
        break;
    case JN_JOINT_CYLINDRICAL:
        TAKE(slide, 0, 2);
        TAKE(align, 0, 2);
        break;
    case JN_JOINT_UNIVERSAL:
        TAKE(point, 0, 3);
        TAKE(&hooke, 0, 1);
        break;
    case JN_JOINT_SPHERICAL: TAKE(point, 0, planar ? 2 : 3); break;
    case JN_JOINT_PLANAR:
        TAKE(slide, 2, 1);
        TAKE(align, 0, 2);
        break;
    case JN_JOINT_POINT_ON_LINE: TAKE(slide, planar ? 1 : 0, planar ? 1 : 2); break;
    case JN_JOINT_DISTANCE: TAKE(&distance, 0, 1); break;
    default: break;
    }
#undef TAKE
    return n;
}

/* Angles that a measured joint has, for counting full turns. */
static int angle_count(jn_joint_type type, bool planar) {
    switch (type) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW:
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_PLANAR: return 1;
    case JN_JOINT_UNIVERSAL: return 2;
    case JN_JOINT_FREE: return planar ? 1 : 0;
    default: return 0;
    }
}

static bool needs_closure(const jn_joint *j) {
    bool awkward = j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_PLANAR || j->type == JN_JOINT_FREE;
    return j->link < 0 || (j->reversed && awkward);
}

static int link_depth(const jn_model *m, int i) {
    int depth = 0;
    for (; i > 0; i = m->links[i].parent) depth++;
    return depth;
}

/* Links between two links, without their common ancestors. Returns the number; lists may be NULL for counting. */
static int path_between(const jn_model *m, int a, int b, int *out, int *a_count) {
    int da = link_depth(m, a), db = link_depth(m, b), n = 0, top_a = a, top_b = b;
    while (top_a != top_b) {
        if (da >= db)
            top_a = m->links[top_a].parent, da--;
        else
            top_b = m->links[top_b].parent, db--;
    }
    for (int i = a; i != top_a; i = m->links[i].parent, n++)
        if (out) out[n] = i;
    *a_count = n;
    for (int i = b; i != top_b; i = m->links[i].parent, n++)
        if (out) out[n] = i;
    return n;
}

static double drawn_distance(const jn_builder *b, int k) {
    const jn_side *s = b->side[k];
    const jn_pose *A = &b->drawn[s[0].link], *B = &b->drawn[s[1].link];
    return v3_norm(v3_sub(v3_add(B->p, m3_mul_v(&B->R, s[1].p)), v3_add(A->p, m3_mul_v(&A->R, s[0].p))));
}

static int fill_closure(jn_builder *b, int k, jn_closure *c) {
    const jn_joint_desc *j = &b->d->joints[k];
    jn_model *m = b->m;
    c->joint = k;
    c->type = b->d->planar && j->type == JN_JOINT_FREE ? JN_JOINT_PLANAR : jn_joint_ideal(j->type);
    c->tilts = !b->d->planar && jn_joint_has_clearance(j->type);
    c->A = m->joints[k].A;
    c->B = m->joints[k].B;
    if (j->type == JN_JOINT_FREE)
        c->B.p = m->links[c->B.link].com; /* its coordinates are those of the centre of mass */
    c->pitch = j->pitch / (2 * M_PI);
    c->length = j->has_length ? j->length : drawn_distance(b, k);
    if (j->type == JN_JOINT_DISTANCE && !(c->length > 0))
        return jn_report_add(
            b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, j->where, NULL,
            "joint '%s': the distance is zero\nplace its ends apart, or use a spherical or revolute joint", j->name);
    int angles = angle_count(c->type, b->d->planar);
    c->angle = angles ? m->angle_count : -1;
    m->angle_count += angles;
    return JN_OK;
}

static int make_closures(jn_builder *b) {
    jn_model *m = b->m;
    for (int k = 0; k < m->joint_count; k++) {
        jn_joint *j = &m->joints[k];
        const jn_side *s = b->side[k];
        j->A = jn_builder_link_side(b, s[0].link, s[0].p, &s[0].E);
        j->B = jn_builder_link_side(b, s[1].link, s[1].p, &s[1].E);
        j->closure = needs_closure(j) ? m->closure_count++ : -1;
    }
    m->closures = jn_builder_array(b, m->closure_count, sizeof *m->closures);
    if (b->failed) return JN_ERR_MEMORY;
    int links = 0, status = JN_OK;
    for (int k = 0; k < m->joint_count; k++) {
        if (m->joints[k].closure < 0) continue;
        jn_closure *c = &m->closures[m->joints[k].closure];
        int failed = fill_closure(b, k, c);
        if (failed < 0) status = failed;
        c->path = links;
        c->count = path_between(m, c->A.link, c->B.link, NULL, &c->a_count);
        links += c->count;
    }
    m->path_links = jn_builder_array(b, links, sizeof(int));
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->closure_count; i++) {
        jn_closure *c = &m->closures[i];
        path_between(m, c->A.link, c->B.link, m->path_links + c->path, &c->a_count);
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------------- columns */

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Growing list of columns; rows are appended one after the other. */
typedef struct jn_columns {
    int *data, count, capacity;
} jn_columns;

static void append_column(jn_builder *b, jn_columns *list, int column) {
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 1024;
        int *data = jn_builder_temp(b, capacity, sizeof *data);
        if (!data) return;
        if (list->count) memcpy(data, list->data, (size_t)list->count * sizeof *data);
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = column;
}

static void append_closure(jn_builder *b, jn_columns *list, const jn_closure *c) {
    for (int i = 0; i < c->count; i++) {
        const jn_link *link = &b->m->links[b->m->path_links[c->path + i]];
        for (int k = 0; k < link->nv; k++) append_column(b, list, link->v + k);
    }
}

/* Velocities that move two links against each other. */
static void append_between(jn_builder *b, jn_columns *list, int A, int B) {
    while (A != B) {
        int *at = A > B ? &A : &B;
        const jn_link *link = &b->m->links[*at];
        for (int k = 0; k < link->nv; k++) append_column(b, list, link->v + k);
        *at = link->parent;
    }
}

static void append_reach(jn_builder *b, jn_columns *list, const jn_reach *r) {
    const jn_path_node *n = b->m->path_nodes + r->node;
    if (r->type != JN_REACH_PATH) append_between(b, list, r->A.link, r->B.link);
    for (int i = 1; i < r->nodes; i++)
        if (n[i].kind != JN_PATH_PULLEY && n[i - 1].kind != JN_PATH_PULLEY)
            append_between(b, list, n[i - 1].place.link, n[i].place.link);
}

static void append_handle(jn_builder *b, jn_columns *list, const jn_handle *h) {
    if (h->v >= 0)
        append_column(b, list, h->v);
    else if (h->reach)
        append_reach(b, list, &b->m->reaches[h->reach - 1]);
    else if (h->terms)
        for (int i = 0; i < h->terms; i++) append_handle(b, list, &b->m->handles[b->m->terms[h->term + i].handle]);
    else
        append_closure(b, list, &b->m->closures[h->closure]);
}

/* Sorts the columns from `first` on and removes repeated ones. */
static int finish_columns(jn_columns *list, int first) {
    int n = first;
    if (list->count > first) qsort(list->data + first, (size_t)(list->count - first), sizeof(int), compare_ints);
    for (int i = first; i < list->count; i++)
        if (n == first || list->data[n - 1] != list->data[i]) list->data[n++] = list->data[i];
    list->count = n;
    return n - first;
}

/* ----------------------------------------------------------------------------------------------------- handles */

static void tree_handle(const jn_model *m, const jn_joint *j, int k, jn_handle *h) {
    const jn_link *link = &m->links[j->link];
    int own = j->reversed && j->type == JN_JOINT_UNIVERSAL ? 1 - k : k;
    h->v = link->v + own;
    bool scalar = link->nq == link->nv || own < link->nv - 3;
    h->q = scalar ? link->q + own : -1;
    h->closure = -1;
}

static int make_handles(jn_builder *b) {
    jn_model *m = b->m;
    for (int k = 0; k < m->joint_count; k++) {
        jn_joint *j = &m->joints[k];
        const jn_joint_info *info = jn_joint_type_info(j->type);
        bool plane_free = m->planar && j->type == JN_JOINT_FREE;
        j->nv = m->planar ? (info->plane_nv > 0 ? info->plane_nv : 0) : info->nv;
        j->nq = plane_free ? 3 : info->nq;
        j->handle = m->handle_count;
        m->handle_count += j->nv;
    }
    m->handle_count += b->d->tendon_count;
    for (int i = 0; i < b->d->actuator_count; i++) m->handle_count += jn_actuator_reaches(&b->d->actuators[i]);
    m->handles = jn_builder_array(b, m->handle_count, sizeof *m->handles);
    if (b->failed) return JN_ERR_MEMORY;
    for (int k = 0; k < m->joint_count; k++) {
        const jn_joint *j = &m->joints[k];
        for (int i = 0; i < j->nv; i++) {
            jn_handle *h = &m->handles[j->handle + i];
            if (j->closure < 0)
                tree_handle(m, j, i, h);
            else
                *h = (jn_handle){.v = -1, .q = -1, .closure = j->closure, .measure = i};
        }
    }
    return JN_OK;
}

/* -------------------------------------------------------------------------------------------------------- rows */

/* A coordinate at the start: as the user says, or as drawn. */
static double initial_value(const jn_builder *b, int joint, int coordinate) {
    const jn_joint *j = &b->m->joints[joint];
    const jn_handle *h = &b->m->handles[j->handle + coordinate];
    double drawn[JN_JOINT_MAX_NQ] = {0};
    if (j->coordinate[coordinate].has_position) return j->coordinate[coordinate].position;
    if (h->v >= 0) return h->q >= 0 ? b->m->q_drawn[h->q] : 0;
    const jn_side *s = b->side[joint];
    const jn_pose *A = &b->drawn[s[0].link], *B = &b->drawn[s[1].link];
    jn_mat3 EA = m3_mul(&A->R, &s[0].E), EB = m3_mul(&B->R, &s[1].E);
    jn_joint_measure(b->m->closures[j->closure].type, v3_add(A->p, m3_mul_v(&A->R, s[0].p)), &EA,
                     v3_add(B->p, m3_mul_v(&B->R, s[1].p)), &EB, drawn);
    return drawn[coordinate];
}

bool jn_joint_has_scalar(const jn_model *m, const jn_joint *j, int coordinate) {
    return coordinate >= 0 && coordinate < j->nv && jn_joint_ideal(j->type) != JN_JOINT_SPHERICAL &&
           !(j->type == JN_JOINT_FREE && !m->planar);
}

/* Length of a tendon at the start, from the drawn configuration; of a path it is not known before the assembly. */
static double initial_length(const jn_builder *b, int tendon) {
    const jn_tendon_desc *t = &b->d->tendons[tendon];
    double sum = 0;
    for (int k = 0; k < t->count; k++) sum += t->factor[k] * initial_value(b, t->joint[k], t->coordinate[k]);
    return sum;
}

/* Term k of a coupler, which its value at the start is added to. */
static int couple(jn_builder *b, const jn_coupler_desc *from, jn_coupler *to, int k) {
    jn_model *m = b->m;
    double x, f = to->factor[k] = from->factor[k];
    const double *p = memcpy(to->power[k], from->power[k], sizeof to->power[k]);
    if (from->tendon[k]) {
        int tendon = from->tendon[k] - 1, reach = m->handles[to->handle[k] = m->tendons[tendon].handle].reach;
        if (reach) to->reference[k] = jn_builder_drawn_length(b, reach - 1);
        x = initial_length(b, tendon);
    } else {
        const jn_joint *j = &m->joints[from->joint[k]];
        if (!jn_joint_has_scalar(m, j, from->coordinate[k]))
            return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, from->where, NULL,
                                 "coupler '%s': joint '%s' has no such scalar coordinate\n"
                                 "couple revolute, prismatic, screw, cylindrical, universal or planar joints",
                                 from->name, j->name);
        to->handle[k] = j->handle + from->coordinate[k];
        x = initial_value(b, from->joint[k], from->coordinate[k]);
    }
    to->constant += x * (f + x * (p[0] + x * (p[1] + x * p[2])));
    return JN_OK;
}

static int make_couplers(jn_builder *b) {
    jn_model *m = b->m;
    m->coupler_count = b->d->coupler_count;
    m->couplers = jn_builder_array(b, m->coupler_count, sizeof *m->couplers);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->coupler_count; i++) {
        const jn_coupler_desc *from = &b->d->couplers[i];
        jn_coupler *to = &m->couplers[i];
        to->name = jn_builder_text(b, from->name);
        to->count = from->count;
        for (int k = 0; k < from->count; k++)
            if (couple(b, from, to, k) < 0) return JN_ERR_MODEL;
        if (from->has_constant) to->constant = from->constant;
    }
    return JN_OK;
}

static int count_drivers(jn_builder *b) {
    int n = 0;
    for (int k = 0; k < b->m->joint_count; k++)
        for (int i = 0; i < b->m->joints[k].nv; i++) n += jn_function_given(b->m->joints[k].coordinate[i].motion);
    return n;
}

static int add_driver(jn_builder *b, int joint, int coordinate) {
    jn_model *m = b->m;
    jn_joint *j = &m->joints[joint];
    if (jn_joint_ideal(j->type) == JN_JOINT_SPHERICAL || (j->type == JN_JOINT_FREE && !m->planar && coordinate >= 3))
        return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, j->where, NULL,
                             "joint '%s': a rotation in space cannot be prescribed by three angles\n"
                             "prescribe revolute or universal joints instead",
                             j->name);
    jn_driver *d = &m->drivers[m->driver_count];
    *d = (jn_driver){joint, coordinate, j->handle + coordinate, j->coordinate[coordinate].motion};
    jn_row *row = &m->rows[m->row_count];
    *row = (jn_row){JN_ROW_DRIVER, joint, coordinate, 0, m->driver_count++, 0, 0};
    if (j->driver_row < 0) j->driver_row = m->row_count;
    m->row_count++;
    return JN_OK;
}

/* The scheme that keeps angular momentum to round-off. */
static bool by_leapfrog(const jn_model *m) {
    return m->run.method == JN_METHOD_NONSMOOTH && m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG;
}

static void add_closure_rows(jn_builder *b, int k) {
    jn_model *m = b->m;
    jn_joint *j = &m->joints[k];
    jn_row_recipe recipe[6];
    j->row = m->row_count;
    j->rows = j->link < 0 ? closure_recipe(j->type, m->planar, recipe) : 0;
    for (int i = 0; i < j->rows; i++) {
        jn_row_type type = recipe[i].type == JN_ROW_POINT && by_leapfrog(m) ? JN_ROW_POINT_ON_A : recipe[i].type;
        m->rows[m->row_count++] = (jn_row){type, k, recipe[i].a, recipe[i].b, j->closure, 0, 0};
    }
}

static void append_row(jn_builder *b, jn_columns *list, const jn_row *row) {
    const jn_model *m = b->m;
    if (row->type == JN_ROW_DRIVER) {
        append_handle(b, list, &m->handles[m->drivers[row->item].handle]);
    } else if (row->type == JN_ROW_COUPLER) {
        const jn_coupler *c = &m->couplers[row->item];
        for (int i = 0; i < c->count; i++) append_handle(b, list, &m->handles[c->handle[i]]);
    } else {
        append_closure(b, list, &m->closures[row->item]);
    }
}

static int make_rows(jn_builder *b) {
    jn_model *m = b->m;
    int drivers = count_drivers(b), most = 6 * m->joint_count + drivers + m->coupler_count, status = JN_OK;
    m->rows = jn_builder_array(b, most, sizeof *m->rows);
    m->drivers = jn_builder_array(b, drivers, sizeof *m->drivers);
    if (b->failed) return JN_ERR_MEMORY;
    for (int k = 0; k < m->joint_count; k++) {
        jn_joint *j = &m->joints[k];
        add_closure_rows(b, k);
        j->driver_row = -1;
        for (int i = 0; i < j->nv; i++)
            if (jn_function_given(j->coordinate[i].motion)) {
                int failed = add_driver(b, k, i);
                if (failed < 0) status = failed;
            }
    }
    for (int i = 0; i < m->coupler_count; i++) m->rows[m->row_count++] = (jn_row){JN_ROW_COUPLER, -1, 0, 0, i, 0, 0};
    if (m->row_count && !m->has_M)
        return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, (jn_where){m->file, 1, 1}, NULL,
                             "the mass matrix of this chain with constraints does not fit into memory\n"
                             "write coordinates: absolute");
    return status;
}

/* Sparsity of G first, then of the measured coordinates, in one list. */
static int make_columns(jn_builder *b) {
    jn_model *m = b->m;
    jn_columns list = {0};
    for (int i = 0; i < m->row_count; i++) {
        m->rows[i].first = list.count;
        append_row(b, &list, &m->rows[i]);
        if (b->failed) return JN_ERR_MEMORY;
        m->rows[i].count = finish_columns(&list, m->rows[i].first);
    }
    m->G_size = list.count;
    for (int i = 0; i < m->handle_count; i++) {
        jn_handle *h = &m->handles[i];
        if (h->v >= 0) continue;
        h->cols = list.count;
        append_handle(b, &list, h);
        if (b->failed) return JN_ERR_MEMORY;
        h->count = finish_columns(&list, h->cols);
    }
    m->row_cols = jn_builder_array(b, list.count, sizeof(int));
    if (b->failed) return JN_ERR_MEMORY;
    if (list.count) memcpy(m->row_cols, list.data, (size_t)list.count * sizeof(int));
    return JN_OK;
}

int jn_build_constraints(jn_builder *b) {
    int status = make_closures(b);
    if (status == JN_OK) status = make_handles(b);
    if (status == JN_OK) status = jn_build_tendons(b);
    if (status == JN_OK) status = make_couplers(b);
    if (status == JN_OK) status = make_rows(b);
    if (status == JN_OK) status = make_columns(b);
    return status;
}
