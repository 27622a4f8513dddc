/* Spanning tree over the joints: links with frames, coordinates and the sparsity of the mass matrix. */
#include "model/builder.h"
#include <limits.h>
#include <string.h>

/* Which joint carries each body, and in which direction it is passed. */
typedef struct jn_span {
    int *joint;  /* (bodies) -1: a free joint made by the compiler */
    int *parent; /* (bodies) body */
    int *order;  /* (bodies) bodies from the ground outwards */
} jn_span;

static int find_root(int *set, int i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

/* Joints in the order of the file join the tree unless they would close a loop (Kruskal). */
static void choose_tree_joints(jn_builder *b, bool *in_tree, int *set) {
    for (int i = 0; i < b->d->body_count; i++) set[i] = i;
    if (b->d->coordinates == JN_COORDINATES_ABSOLUTE) return;
    for (int k = 0; k < b->d->joint_count; k++) {
        const jn_joint_desc *j = &b->d->joints[k];
        int x = find_root(set, j->body[0]), y = find_root(set, j->body[1]);
        if (x == y || j->closes_loop || !jn_joint_type_info(j->type)->tree) continue;
        in_tree[k] = true;
        set[x > y ? x : y] = x < y ? x : y; /* the ground, body 0, stays its set's root */
    }
}

/* Appends to `order` all bodies reached from order[*count-1...] over tree joints, nearest first. */
static void grow_tree(jn_builder *b, const bool *in_tree, const int *first, const int *next, jn_span *span, int *count,
                      bool *seen, int from) {
    for (int head = from; head < *count; head++) {
        int body = span->order[head];
        for (int e = first[body]; e >= 0; e = next[e]) {
            int k = e / 2, other = b->d->joints[k].body[1 - e % 2];
            if (!in_tree[k] || seen[other]) continue;
            seen[other] = true;
            span->joint[other] = k;
            span->parent[other] = body;
            span->order[(*count)++] = other;
        }
    }
}

static int span_bodies(jn_builder *b, jn_span *span) {
    int nb = b->d->body_count, nj = b->d->joint_count;
    bool *in_tree = jn_builder_temp(b, nj, sizeof *in_tree), *seen = jn_builder_temp(b, nb, sizeof *seen);
    int *set = jn_builder_temp(b, nb, sizeof *set), *first = jn_builder_temp(b, nb, sizeof *first);
    int *next = jn_builder_temp(b, 2 * nj, sizeof *next);
    span->joint = jn_builder_temp(b, nb, sizeof *span->joint);
    span->parent = jn_builder_temp(b, nb, sizeof *span->parent);
    span->order = jn_builder_temp(b, nb, sizeof *span->order);
    if (b->failed) return JN_ERR_MEMORY;
    choose_tree_joints(b, in_tree, set);
    for (int i = 0; i < nb; i++) first[i] = -1;
    for (int k = nj - 1; k >= 0; k--) /* backwards, so that each body's list is in the order of the file */
        for (int s = 0; s < 2; s++) {
            int e = 2 * k + s;
            next[e] = first[b->d->joints[k].body[s]];
            first[b->d->joints[k].body[s]] = e;
        }
    int count = 0;
    for (int root = 0; root < nb; root++) { /* the ground first; then every body that nothing carries, set free */
        if (seen[root] || (root > 0 && find_root(set, root) != root)) continue;
        int from = count;
        seen[root] = true;
        span->joint[root] = -1;
        span->parent[root] = JN_GROUND;
        span->order[count++] = root;
        grow_tree(b, in_tree, first, next, span, &count, seen, from);
    }
    return JN_OK;
}

static void link_coordinates(jn_builder *b, jn_link *link, int *nq, int *nv) {
    const jn_joint_info *info = jn_joint_type_info(link->type);
    bool plane_free = b->d->planar && link->type == JN_JOINT_PLANAR;
    link->nq = plane_free ? 3 : info->nq;
    link->nv = plane_free ? 3 : info->nv;
    link->q = *nq, link->v = *nv;
    *nq += link->nq, *nv += link->nv;
}

static bool is_identity(const jn_mat3 *A) {
    for (int k = 0; k < 9; k++)
        if (A->m[k] != (k % 4 == 0)) return false;
    return true;
}

/* Mass, centre and inertia of the body in the link's frame. */
static void link_inertia(jn_builder *b, jn_link *link) {
    const jn_body_desc *body = &b->d->bodies[link->body];
    link->mass = body->mass;
    link->com = m3_mul_v(&link->user, v3_sub(body->com, b->origin[link->body]));
    link->inertia = s3_rotate(&link->user, &body->inertia);
}

/* The point of a free joint on the parent, from which its coordinates count. */
static jn_vec3 free_anchor(const jn_builder *b, const jn_link *link, bool reversed) {
    if (link->joint < 0) return v3(0, 0, 0);
    const jn_link *parent = &b->m->links[link->parent];
    const jn_side *on_parent = &b->side[link->joint][reversed ? 1 : 0];
    return m3_mul_v(&parent->user, v3_sub(on_parent->p, b->origin[parent->body]));
}

/* Axes of a free joint on the parent: the world's as drawn, carried by the parent. */
static jn_mat3 free_axes(const jn_builder *b, const jn_link *link) {
    const jn_link *parent = &b->m->links[link->parent];
    jn_mat3 Rt = m3_transpose(&b->drawn[parent->body].R);
    return m3_mul(&parent->user, &Rt);
}

/* A free joint: the link's frame is the user's body frame moved to the centre of mass (in a plane: turned with the joint's
 * axes). */
static void hang_free(jn_builder *b, jn_link *link, bool reversed) {
    link->type = b->d->planar ? JN_JOINT_PLANAR : JN_JOINT_FREE;
    link->E = free_axes(b, link);
    link->axis = v3(0, 0, 1);
    link->axis2 = m3_column(&link->E, 0);
    link->anchor = free_anchor(b, link, reversed);
    link->user = b->d->planar ? link->E : m3_identity();
    b->origin[link->body] = b->d->bodies[link->body].com;
}

/* Any other joint: the frame's origin is the joint's point, its axes are the parent's at zero coordinates. */
static void hang_by_joint(jn_builder *b, jn_link *link, bool reversed) {
    const jn_side *side = b->side[link->joint], *on_parent = &side[reversed ? 1 : 0],
                  *on_child = &side[reversed ? 0 : 1];
    const jn_link *parent = &b->m->links[link->parent];
    jn_mat3 E = m3_mul(&parent->user, &on_parent->E), Et = m3_transpose(&on_child->E);
    link->user = m3_mul(&E, &Et);
    link->E = E;
    link->anchor = m3_mul_v(&parent->user, v3_sub(on_parent->p, b->origin[parent->body]));
    b->origin[link->body] = on_child->p;
    double sign = reversed ? -1 : 1;
    link->axis = v3_scale(sign, m3_column(&E, 2));
    link->axis2 = v3_scale(sign, m3_column(&E, 0));
    if (reversed && link->type == JN_JOINT_UNIVERSAL) {
        jn_vec3 swap = link->axis;
        link->axis = link->axis2, link->axis2 = swap;
    }
    link->pitch = b->d->joints[link->joint].pitch / (2 * M_PI);
}

/* With absolute coordinates a free joint from the ground is the link's own. */
static void name_free_links(jn_builder *b) {
    for (int k = 0; k < b->d->joint_count; k++) {
        const jn_joint_desc *j = &b->d->joints[k];
        if (j->type != JN_JOINT_FREE || j->body[0] != JN_GROUND) continue;
        jn_link *link = &b->m->links[b->link_of[j->body[1]]];
        b->m->joints[k].link = b->link_of[j->body[1]];
        link->joint = k;
        link->anchor = free_anchor(b, link, false);
    }
}

/* Free bodies with the axes of the world, and those of them whose origin is their centre of mass and that carry no other. */
static void find_alone(jn_model *m) {
    for (int i = 1; i < m->link_count; i++) {
        jn_link *l = &m->links[i];
        bool upright = l->joint < 0 || !m->joints[l->joint].reversed;
        l->world_axes = l->type == JN_JOINT_FREE && l->nv == 6 && l->parent == 0 && l->plain && upright;
        l->alone = l->world_axes && l->mass > 0 && v3_norm(l->com) == 0 && s3_inverse(&l->inertia, &l->inverse);
    }
    for (int i = 1; i < m->link_count; i++) m->links[m->links[i].parent].alone = false;
}

/* Links of a series of hinges, which stand for one body on several. */
static void find_series(jn_model *m) {
    for (int i = 1; i < m->link_count; i++) {
        jn_link *l = &m->links[i];
        const jn_sym3 *J = &l->inertia;
        l->massless = l->mass == 0 && J->xx == 0 && J->yy == 0 && J->zz == 0;
        l->in_place = l->type == JN_JOINT_REVOLUTE && l->anchor.x == 0 && l->anchor.y == 0 && l->anchor.z == 0;
    }
}

/* A joint that turns about z or slides in the plane, and a body whose rotation about z turns no other axis. */
static bool is_flat(const jn_link *l) {
    bool turns = l->type == JN_JOINT_REVOLUTE || l->type == JN_JOINT_PLANAR, slides = l->type == JN_JOINT_PRISMATIC;
    bool normal = l->axis.x == 0 && l->axis.y == 0 && fabs(l->axis.z) == 1;
    if (!(turns && normal) && !(slides && l->axis.z == 0) && l->nv > 0) return false;
    if (l->type == JN_JOINT_PLANAR && l->axis2.z != 0) return false;
    return l->anchor.z == 0 && l->com.z == 0 && l->inertia.xz == 0 && l->inertia.yz == 0;
}

static bool all_flat(const jn_model *m) {
    for (int i = 1; i < m->link_count; i++)
        if (!is_flat(&m->links[i])) return false;
    return m->planar && m->gravity.z == 0;
}

/* A joint that leaves its tree free carries no force; in a plane the planar joint is such a one. See motion/external.c. */
static void find_hanging(jn_model *m) {
    m->links[0].hangs = true;
    m->floats = 0;
    for (int i = 1; i < m->link_count; i++) {
        jn_link *l = &m->links[i];
        bool is_free = l->type == JN_JOINT_FREE || (m->flat && l->type == JN_JOINT_PLANAR);
        l->hangs = l->parent ? m->links[l->parent].hangs : !is_free;
        m->floats += !l->hangs;
    }
}

static void find_roots(jn_model *m) {
    for (int i = 1; i < m->link_count; i++)
        if (m->links[i].parent == 0) m->roots[m->root_count++] = i;
}

static int make_links(jn_builder *b, const jn_span *span) {
    jn_model *m = b->m;
    m->link_count = b->d->body_count;
    m->links = jn_builder_array(b, m->link_count, sizeof *m->links);
    m->roots = jn_builder_array(b, m->link_count, sizeof *m->roots);
    if (b->failed) return JN_ERR_MEMORY;
    for (int k = 0; k < b->d->joint_count; k++) m->joints[k].link = -1;
    for (int i = 0; i < m->link_count; i++) b->link_of[span->order[i]] = i;
    for (int i = 0; i < m->link_count; i++) {
        jn_link *link = &m->links[i];
        link->body = span->order[i];
        link->parent = i ? b->link_of[span->parent[link->body]] : -1;
        link->joint = span->joint[link->body];
        m->bodies[link->body].link = i;
        if (i == 0) {
            link->user = m3_identity();
            continue;
        }
        bool reversed = false;
        if (link->joint >= 0) {
            jn_joint *joint = &m->joints[link->joint];
            reversed = joint->reversed = b->d->joints[link->joint].body[1] != link->body;
            joint->link = i;
            link->type = joint->type;
        }
        if (link->joint < 0 || link->type == JN_JOINT_FREE)
            hang_free(b, link, reversed);
        else
            hang_by_joint(b, link, reversed);
        link->plain = is_identity(&link->E);
        link_inertia(b, link);
        link_coordinates(b, link, &m->nq, &m->nv);
    }
    find_alone(m);
    if (b->d->coordinates == JN_COORDINATES_ABSOLUTE) name_free_links(b);
    find_series(m);
    m->flat = all_flat(m);
    find_hanging(m);
    find_roots(m);
    return JN_OK;
}

/* Sparsity of M along the tree: the row of a dof holds its ancestors from the root to itself, so that the row of an
 * ancestor is the beginning of the row of each descendant. Rows have room for whole vectors. */
static int make_dofs(jn_builder *b) {
    jn_model *m = b->m;
    m->dof_link = jn_builder_array(b, m->nv, sizeof(int));
    m->dof_parent = jn_builder_array(b, m->nv, sizeof(int));
    m->dof_depth = jn_builder_array(b, m->nv, sizeof(int));
    m->M_row = jn_builder_array(b, m->nv, sizeof *m->M_row);
    m->M_start = jn_builder_array(b, m->nv + 1, sizeof(int));
    int *last = jn_builder_temp(b, m->link_count, sizeof(int)); /* last dof at or above each link */
    if (b->failed) return JN_ERR_MEMORY;
    double size = 0, entries = 0;
    last[0] = -1;
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *link = &m->links[i];
        last[i] = last[link->parent];
        for (int k = link->v; k < link->v + link->nv; k++) {
            m->dof_link[k] = i;
            m->dof_parent[k] = last[i];
            m->dof_depth[k] = last[i] < 0 ? 0 : m->dof_depth[last[i]] + 1;
            entries += m->dof_depth[k] + 1;
            size += (m->dof_depth[k] / JN_M_LANES + 1) * JN_M_LANES;
            m->M_start[k + 1] = size < INT_MAX ? (int)size : INT_MAX;
            last[i] = k;
        }
    }
    m->has_M = entries <= 4e7;
    m->M_size = m->has_M ? (int)size : 0, m->M_entries = m->has_M ? (int)entries : 0;
    m->M_col = jn_builder_array(b, m->M_size, sizeof(int));
    if (b->failed) return JN_ERR_MEMORY;
    m->chain = true;
    for (int k = 0; m->has_M && k < m->nv; k++) {
        int *row = m->M_col + m->M_start[k], depth = m->dof_depth[k];
        if (depth) memcpy(row, m->M_col + m->M_start[m->dof_parent[k]], (size_t)depth * sizeof *row);
        row[depth] = k;
        if (depth != k) m->chain = false;
        int run = 0, parent = m->dof_parent[k];
        while (run < depth && row[run] == row[0] + run) run++;
        bool pair = depth > 1 && parent == k - 1;
        const jn_link *l = &m->links[m->dof_link[k]];
        bool is_root = l->nv == JN_M_SIX && m->dof_depth[l->v] == 0;
        m->M_row[k] = (jn_M_row){.start = m->M_start[k],
                                 .depth = depth,
                                 .pair = pair,
                                 .place = (int8_t)(is_root ? k - l->v : -1),
                                 .six = run >= JN_M_SIX + pair};
    }
    return JN_OK;
}

jn_mat3 jn_link_axes(const jn_link *link, bool on_child) {
    if (link->type == JN_JOINT_FREE) return on_child ? m3_identity() : link->E;
    if (link->type == JN_JOINT_SPHERICAL) return link->E;
    return m3_from_columns(link->axis2, v3_cross(link->axis, link->axis2), link->axis);
}

/* Coordinates of the tree joint that put link i where its body is drawn. */
static void draw_coordinates(jn_builder *b, int i) {
    jn_model *m = b->m;
    const jn_link *link = &m->links[i], *up = &m->links[link->parent];
    const jn_pose *child = &b->drawn[link->body], *parent = &b->drawn[up->body];
    double *q = m->q_drawn + link->q;
    /* link frames as drawn: the user's frame turned by the constant rotation, at the origin */
    jn_mat3 ut = m3_transpose(&up->user), ct = m3_transpose(&link->user);
    jn_mat3 RP = m3_mul(&parent->R, &ut), RC = m3_mul(&child->R, &ct);
    jn_vec3 OP = v3_add(parent->p, m3_mul_v(&parent->R, b->origin[up->body]));
    jn_vec3 OC = v3_add(child->p, m3_mul_v(&child->R, b->origin[link->body]));
    jn_vec3 pA = v3_add(OP, m3_mul_v(&RP, link->anchor));
    jn_mat3 A = jn_link_axes(link, false), B = jn_link_axes(link, true);
    jn_mat3 EA = m3_mul(&RP, &A), EB = m3_mul(&RC, &B);
    jn_joint_measure(link->type, pA, &EA, OC, &EB, q);
}

int jn_build_tree(jn_builder *b) {
    jn_span span;
    int status = span_bodies(b, &span);
    if (status == JN_OK) status = make_links(b, &span);
    if (status == JN_OK) status = make_dofs(b);
    if (status < 0) return status;
    b->m->q_drawn = jn_builder_array(b, b->m->nq, sizeof(double));
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 1; i < b->m->link_count; i++) draw_coordinates(b, i);
    return JN_OK;
}

jn_side jn_builder_link_side(const jn_builder *b, int body, jn_vec3 p_user, const jn_mat3 *E_user) {
    int link = b->link_of[body];
    const jn_mat3 *user = &b->m->links[link].user;
    return (jn_side){link, m3_mul_v(user, v3_sub(p_user, b->origin[body])), m3_mul(user, E_user)};
}
