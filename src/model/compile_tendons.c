/* Tendons: sums of joint coordinates, and paths between places on bodies. */
#include "model/builder.h"
#include "model/reach.h"

/* Links of a tree that floats are turned with the frame of its first body. */
static jn_pose drawn_pose(const void *builder, int link) {
    const jn_builder *b = builder;
    int body = b->m->links[link].body;
    const jn_pose *pose = &b->drawn[body];
    jn_mat3 to_user = m3_transpose(&b->m->links[link].user);
    return link ? (jn_pose){v3_add(pose->p, m3_mul_v(&pose->R, b->origin[body])), m3_mul(&pose->R, &to_user)}
                : (jn_pose){v3(0, 0, 0), m3_identity()};
}

double jn_builder_drawn_length(const jn_builder *b, int reach) {
    const jn_frames frames = {drawn_pose, NULL, b, NULL};
    const jn_reach *r = &b->m->reaches[reach];
    jn_dual length = du(0);
    jn_pull *pull = jn_store_alloc(b->temp, (size_t)r->pulls * sizeof *pull);
    if (pull) jn_reach_evaluate(b->m->path_nodes, r, &frames, &length, pull);
    return length.v;
}

static jn_side place(const jn_builder *b, int body, jn_vec3 at, jn_quat orientation) {
    jn_mat3 E = q4_norm(orientation) > 0 ? q4_matrix(q4_unit(orientation)) : m3_identity();
    return jn_builder_link_side(b, body, at, &E);
}

static void fill_path(jn_builder *b, const jn_tendon_desc *from, jn_reach *r) {
    for (int k = 0; k < from->path_count; k++) {
        const jn_path_desc *p = &from->path[k];
        jn_path_node *to = &b->m->path_nodes[r->node + k];
        *to = (jn_path_node){.kind = p->kind, .radius = p->radius, .divisor = p->divisor};
        if (p->kind == JN_PATH_PULLEY) continue;
        to->place = place(b, p->body, p->at, p->orientation);
        to->has_side = p->has_side;
        if (p->has_side) to->side = place(b, p->side_body, p->side, (jn_quat){1, 0, 0, 0});
    }
}

/* Paths: points first and last, and around what is round; pulleys between branches. */
static int check_path(jn_builder *b, const jn_tendon_desc *t) {
    const char *wrong = NULL;
    jn_where where = t->where;
    for (int k = 0; k < t->path_count && !wrong; k++) {
        const jn_path_desc *p = &t->path[k], *before = k ? p - 1 : NULL, *after = k + 1 < t->path_count ? p + 1 : NULL;
        bool round = p->kind == JN_PATH_SPHERE || p->kind == JN_PATH_CYLINDER;
        bool single = p->kind == JN_PATH_POINT && (!before || before->kind == JN_PATH_PULLEY) &&
                      (!after || after->kind == JN_PATH_PULLEY);
        if (round && (!before || !after || before->kind != JN_PATH_POINT || after->kind != JN_PATH_POINT))
            wrong = "a sphere or cylinder stands between two points of the path\nadd a point before and behind it";
        else if (round && !(p->radius > 0))
            wrong = "its radius is not above zero\nwrite as in {cylinder: 0.02, body: thigh, at: [0, 0, 0]}";
        else if (single)
            wrong = "a branch needs two points at least\nadd a point";
        else if (p->kind == JN_PATH_PULLEY && (!after || after->kind == JN_PATH_PULLEY || !(p->divisor > 0)))
            wrong = "a pulley has a positive divisor, and a branch behind it\nwrite as in {pulley: 2}";
        if (wrong) where = p->where;
    }
    if (!wrong && t->path_count < 2) wrong = "a path has two points at least\nadd points";
    if (!wrong) return JN_OK;
    return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL, "tendon '%s': %s", t->name, wrong);
}

static int make_path(jn_builder *b, const jn_tendon_desc *from, int handle) {
    jn_model *m = b->m;
    jn_reach *r = &m->reaches[m->reach_count++];
    *r = (jn_reach){.type = from->is_rotation ? JN_REACH_ROTATION : JN_REACH_PATH,
                    .handle = handle,
                    .pull = m->pull_room,
                    .nodes = from->path_count};
    for (int i = 0; i < m->reach_count - 1; i++) r->node += m->reaches[i].nodes;
    r->pulls = from->path_count;
    m->pull_room += r->pulls;
    m->pull_spare = r->pulls > m->pull_spare ? r->pulls : m->pull_spare;
    m->handles[handle] = (jn_handle){.v = -1, .q = -1, .closure = -1, .reach = m->reach_count};
    fill_path(b, from, r);
    r->swings = from->is_swing;
    if (from->is_rotation) r->A = m->path_nodes[r->node].place, r->B = m->path_nodes[r->node + 1].place;
    return check_path(b, from);
}

static int make_sum(jn_builder *b, const jn_tendon_desc *from, int handle, int *next) {
    jn_model *m = b->m;
    m->handles[handle] = (jn_handle){.v = -1, .q = -1, .closure = -1, .term = *next, .terms = from->count};
    for (int k = 0; k < from->count; k++) {
        const jn_joint *j = &m->joints[from->joint[k]];
        if (!jn_joint_has_scalar(m, j, from->coordinate[k]))
            return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, from->where, NULL,
                                 "tendon '%s': joint '%s' has no such scalar coordinate\n"
                                 "lead it over revolute, prismatic, screw, cylindrical, universal or planar joints",
                                 from->name, j->name);
        m->terms[(*next)++] = (jn_term){j->handle + from->coordinate[k], from->factor[k]};
    }
    return JN_OK;
}

/* The lengths of tendons are handles behind those of the joints. */
int jn_build_tendons(jn_builder *b) {
    jn_model *m = b->m;
    int terms = 0, nodes = 0, paths = 0, own = 0, next = 0, status = JN_OK;
    m->tendon_count = b->d->tendon_count;
    for (int i = 0; i < m->tendon_count; i++) {
        terms += b->d->tendons[i].count, nodes += b->d->tendons[i].path_count;
        paths += b->d->tendons[i].path_count > 0;
    }
    for (int i = 0; i < b->d->actuator_count; i++) own += jn_actuator_reaches(&b->d->actuators[i]);
    int first = m->handle_count - own - m->tendon_count;
    m->tendons = jn_builder_array(b, m->tendon_count, sizeof *m->tendons);
    m->terms = jn_builder_array(b, terms, sizeof *m->terms);
    m->reaches = jn_builder_array(b, paths + own, sizeof *m->reaches);
    m->path_nodes = jn_builder_array(b, nodes, sizeof *m->path_nodes);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->tendon_count && status == JN_OK; i++) {
        const jn_tendon_desc *from = &b->d->tendons[i];
        int handle = first + i;
        m->tendons[i] = (jn_tendon){jn_builder_text(b, from->name), from->where, handle};
        status = from->path_count ? make_path(b, from, handle) : make_sum(b, from, handle, &next);
    }
    jn_build_actuator_reaches(b, m->handle_count - own);
    m->pull_room += m->pull_spare;
    return status;
}
