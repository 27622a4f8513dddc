/* The shapes of all bodies, compiled and placed on their links. */
#include "algebra/elementary.h"
#include "description/joint_info.h"
#include "description/mesh/hull.h"
#include "model/builder.h"

#include <stdlib.h>
#include <string.h>

/* Number of the group with this name: that of the first shape that has it. */
static int group_number(const jn_description *d, int shape) {
    const char *name = d->shapes[shape].group;
    for (int i = 0; name && i < shape; i++)
        if (d->shapes[i].group && strcmp(d->shapes[i].group, name) == 0) return i;
    return name ? shape : -1;
}

/* v + w x (p - origin) of a shape as a twist of its link. */
static void move_surface(jn_model *m, jn_solid *s, const jn_shape_desc *d) {
    jn_vec3 w = m3_mul_v(&s->local.R, d->surface_rotation), v = m3_mul_v(&s->local.R, d->surface_velocity);
    s->belt = (jn_twist){w, v3_sub(v, v3_cross(w, s->local.p))};
    s->surface_moves = v3_norm(w) > 0 || v3_norm(v) > 0;
    m->surfaces_move |= s->surface_moves;
}

static int build_one(jn_builder *b, int body, int shape, jn_hull_order *hull) {
    jn_model *m = b->m;
    const jn_shape_desc *d = &b->d->shapes[shape];
    jn_solid *s = &m->solids[m->solid_count];
    int status = jn_solid_build(s, d, m->tables, b->store, hull, b->report);
    if (status < 0) return status;
    jn_side side = jn_builder_link_side(b, body, s->local.p, &s->local.R);
    s->local = (jn_pose){side.p, side.E};
    move_surface(m, s, d);
    s->body = body, s->link = side.link, s->shape = shape;
    s->group = group_number(b->d, shape);
    s->name = jn_builder_text(b, d->name);
    s->contact = jn_builder_text(b, d->contact);
    s->where = d->where;
    s->where.file = d->where.file ? jn_builder_text(b, d->where.file) : "";
    m->solid_count++;
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}

/* Hulls of all bodies in the order of their shapes, by several threads. Returns how many. */
static int make_hulls(const jn_description *d, jn_hull_order *order) {
    int count = 0;
    for (int body = 0; body < d->body_count; body++)
        for (int k = 0; k < d->bodies[body].shape_count; k++) {
            const jn_shape_desc *s = &d->shapes[d->bodies[body].shape_first + k];
            if (s->type == JN_SHAPE_HULL)
                order[count++] = (jn_hull_order){.point = s->points, .count = s->points ? s->point_count : 0};
        }
    jn_hull_build_many(order, count, 0);
    return count;
}

static int build_shapes(jn_builder *b) {
    jn_hull_order *order = jn_builder_temp(b, b->d->shape_count, sizeof *order), *next = order;
    if (!order) return JN_ERR_MEMORY;
    int status = JN_OK, hulls = make_hulls(b->d, order);
    for (int body = 0; body < b->d->body_count && status >= 0; body++) {
        const jn_body_desc *d = &b->d->bodies[body];
        for (int shape = d->shape_first; shape < d->shape_first + d->shape_count && status >= 0; shape++)
            status = build_one(b, body, shape, b->d->shapes[shape].type == JN_SHAPE_HULL ? next++ : NULL);
    }
    for (int i = 0; i < hulls; i++) jn_hull_free(&order[i].hull); /* of a model that cannot be built */
    return status;
}

/* One part of clearance joint k on its body s. Parts of the first body come first, so that its contact normals point to
 * the second. */
static int add_part(jn_builder *b, int k, int s, jn_shape_desc *shape) {
    jn_solid *solid = &b->m->solids[b->m->solid_count];
    shape->where = b->d->joints[k].where;
    int status = jn_solid_build(solid, shape, b->m->tables, b->store, NULL, b->report);
    if (status < 0) return status;
    jn_side side = jn_builder_link_side(b, b->d->joints[k].body[s], solid->local.p, &solid->local.R);
    solid->local = (jn_pose){side.p, side.E};
    solid->body = b->d->joints[k].body[s], solid->link = side.link, solid->shape = -1 - k; /* of joint k */
    solid->group = -1;
    solid->where = b->m->joints[k].where;
    solid->name = b->m->joints[k].name;
    b->m->solid_count++;
    return JN_OK;
}

/* The hollow on the first body and what turns in it on the second. Rods and journals in space lie in a bore along the
 * joint's axis that reaches BORE lengths beyond them; the bearing of a revolute joint has walls at both ends. */
static int build_round(jn_builder *b, int k) {
    enum { BORE = 1000 };
    const jn_joint_desc *j = &b->d->joints[k];
    const jn_side *A = &b->side[k][0], *B = &b->side[k][1];
    bool ball = j->type == JN_JOINT_SPHERICAL_CLEARANCE, rod = !ball && !b->d->planar;
    jn_shape_desc hollow = jn_shape_default(ball ? JN_SHAPE_SOCKET : rod ? JN_SHAPE_BORE : JN_SHAPE_ARC);
    jn_shape_desc inner = jn_shape_default(ball ? JN_SHAPE_SPHERE : rod ? JN_SHAPE_CYLINDER : JN_SHAPE_CIRCLE);
    hollow.size = v3(j->bearing, 0, 0), hollow.at = A->p;
    hollow.range[0][1] = 2 * M_PI; /* a whole circle */
    inner.size = v3(j->journal, 0, 0), inner.at = B->p;
    if (rod) {
        hollow.size.y = 2 * BORE * j->length, inner.size.y = j->length;
        if (j->type == JN_JOINT_REVOLUTE_CLEARANCE) hollow.size.z = j->length + 2 * j->axial;
        hollow.orientation = q4_from_matrix(&A->E), inner.orientation = q4_from_matrix(&B->E);
    }
    int status = add_part(b, k, 0, &hollow);
    return status < 0 ? status : add_part(b, k, 1, &inner);
}

/* A guide on the first body whose surface is normal to n, at the distance h from the joint's point. */
static int add_guide(jn_builder *b, int k, jn_vec3 n, double h) {
    jn_shape_desc guide = jn_shape_default(b->d->planar ? JN_SHAPE_HALF_PLANE : JN_SHAPE_PLANE);
    guide.at = v3_axpy(-h, n, b->side[k][0].p);
    jn_vec3 t = v3_any_normal(n);
    jn_mat3 E = b->d->planar ? m3_from_columns(v3(n.y, -n.x, 0), n, v3(0, 0, 1)) /* y is the normal */
                             : m3_from_columns(t, v3_cross(n, t), n);            /* z is */
    guide.orientation = q4_from_matrix(&E);
    return add_part(b, k, 0, &guide);
}

/* Guides on the first body, which face each other, and a block on the second. Column 2 of the joint's axes is its
 * direction, column 1 the normal of the guides in a plane, columns 0 and 1 those in space. */
static int build_guides(jn_builder *b, int k) {
    const jn_joint_desc *j = &b->d->joints[k];
    const jn_side *A = &b->side[k][0], *B = &b->side[k][1];
    bool plane = b->d->planar;
    int status = JN_OK;
    for (int side = plane ? 2 : 0; side < 4 && status >= 0; side++) {
        double across = side < 2 ? j->width : j->height;
        status = add_guide(b, k, v3_scale(side & 1 ? -1 : 1, m3_column(&A->E, side / 2)), 0.5 * across + j->clearance);
    }
    if (status < 0) return status;
    jn_shape_desc block = jn_shape_default(plane ? JN_SHAPE_RECTANGLE : JN_SHAPE_BOX);
    jn_vec3 along = m3_column(&B->E, 2);
    block.size = plane ? v3(j->length, j->height, 0) : v3(j->width, j->height, j->length), block.at = B->p;
    block.orientation = plane ? q4_exp(v3(0, 0, jn_atan2(along.y, along.x))) : q4_from_matrix(&B->E);
    return add_part(b, k, 1, &block);
}

static int build_clearance(jn_builder *b, int k) {
    return b->d->joints[k].type == JN_JOINT_TRANSLATIONAL_CLEARANCE ? build_guides(b, k) : build_round(b, k);
}

static int compare_pairs(const void *a, const void *b) {
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void list_apart(jn_builder *b) {
    jn_model *m = b->m;
    for (int i = 0; i < b->d->no_contact_count; i++) {
        int x = b->d->no_contact[i][0], y = b->d->no_contact[i][1];
        m->apart[m->apart_count][0] = x < y ? x : y, m->apart[m->apart_count++][1] = x < y ? y : x;
    }
    if (m->apart_count) qsort(m->apart, (size_t)m->apart_count, sizeof *m->apart, compare_pairs);
}

static int weld_of(const int *weld, int body) {
    while (weld[body] != body) body = weld[body];
    return body;
}

/* Bodies that fixed joints join move as one. */
static void find_welds(jn_builder *b) {
    int *weld = jn_builder_temp(b, b->d->body_count, sizeof *weld);
    if (!weld) return;
    for (int i = 0; i < b->d->body_count; i++) weld[i] = i;
    for (int k = 0; k < b->d->joint_count; k++) {
        const jn_joint_desc *j = &b->d->joints[k];
        if (j->type != JN_JOINT_FIXED) continue;
        int x = weld_of(weld, j->body[0]), y = weld_of(weld, j->body[1]);
        weld[x > y ? x : y] = x < y ? x : y;
        for (int s = 0; s < 2; s++) weld[j->body[s]] = x < y ? x : y;
    }
    for (int i = 0; i < b->m->solid_count; i++) b->m->solids[i].weld = weld_of(weld, b->m->solids[i].body);
}

int jn_build_solids(jn_builder *b) {
    jn_model *m = b->m;
    m->solids = jn_builder_array(b, b->d->shape_count + 5 * b->d->joint_count, sizeof *m->solids);
    m->joined = jn_builder_array(b, b->d->joint_count, sizeof *m->joined);
    m->apart = jn_builder_array(b, b->d->no_contact_count, sizeof *m->apart);
    if (b->failed) return JN_ERR_MEMORY;
    m->ignore_overlaps = b->d->ignore_overlaps;
    list_apart(b);
    for (int i = 0; i < b->d->joint_count; i++)
        m->joined[i][0] = b->d->joints[i].body[0], m->joined[i][1] = b->d->joints[i].body[1];
    int status = build_shapes(b);
    if (status < 0) return status;
    for (int k = 0; k < b->d->joint_count; k++) {
        status = jn_joint_has_clearance(b->d->joints[k].type) ? build_clearance(b, k) : JN_OK;
        if (status < 0) return status;
    }
    find_welds(b);
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}
