/* The shapes of all bodies, compiled and placed on their links. */
#include "description/joint_info.h"
#include "model/builder.h"

#include <string.h>

/* Number of the group with this name: that of the first shape that has it. */
static int group_number(const jn_description *d, int shape) {
    const char *name = d->shapes[shape].group;
    for (int i = 0; name && i < shape; i++)
        if (d->shapes[i].group && strcmp(d->shapes[i].group, name) == 0) return i;
    return name ? shape : -1;
}

static int build_one(jn_builder *b, int body, int shape) {
    jn_model *m = b->m;
    const jn_shape_desc *d = &b->d->shapes[shape];
    jn_solid *s = &m->solids[m->solid_count];
    int status = jn_solid_build(s, d, m->tables, b->store, b->report);
    if (status < 0) return status;
    jn_side side = jn_builder_link_side(b, body, s->local.p, &s->local.R);
    s->local = (jn_pose){side.p, side.E};
    s->body = body, s->link = side.link, s->shape = shape;
    s->group = group_number(b->d, shape);
    s->name = jn_builder_text(b, d->name);
    s->contact = jn_builder_text(b, d->contact);
    s->where = d->where;
    s->where.file = d->where.file ? jn_builder_text(b, d->where.file) : "";
    m->solid_count++;
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}

/* One part of clearance joint k on its body s. */
static int add_part(jn_builder *b, int k, int s, jn_shape_desc *shape) {
    jn_solid *solid = &b->m->solids[b->m->solid_count];
    shape->where = b->d->joints[k].where;
    int status = jn_solid_build(solid, shape, b->m->tables, b->store, b->report);
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

/* The hollow on the first body and what turns in it on the second. */
static int build_round(jn_builder *b, int k) {
    const jn_joint_desc *j = &b->d->joints[k];
    bool plane = j->type == JN_JOINT_REVOLUTE_CLEARANCE;
    jn_shape_desc hollow = jn_shape_default(plane ? JN_SHAPE_ARC : JN_SHAPE_SOCKET);
    jn_shape_desc inner = jn_shape_default(plane ? JN_SHAPE_CIRCLE : JN_SHAPE_SPHERE);
    hollow.size = v3(j->bearing, 0, 0), hollow.at = b->side[k][0].p;
    hollow.range[0][1] = 2 * M_PI; /* a whole circle */
    inner.size = v3(j->journal, 0, 0), inner.at = b->side[k][1].p;
    int status = add_part(b, k, 0, &hollow);
    return status < 0 ? status : add_part(b, k, 1, &inner);
}

/* Two guides on the first body, which face each other, and a block on the second. Column 2 of the joint's axes is its
 * direction, column 1 the normal in the plane. */
static int build_guides(jn_builder *b, int k) {
    const jn_joint_desc *j = &b->d->joints[k];
    const jn_side *A = &b->side[k][0], *B = &b->side[k][1];
    jn_shape_desc block = jn_shape_default(JN_SHAPE_RECTANGLE);
    jn_vec3 along = m3_column(&B->E, 2);
    block.size = v3(j->length, j->height, 0), block.at = B->p;
    block.orientation = q4_exp(v3(0, 0, atan2(along.y, along.x)));
    int status = add_part(b, k, 1, &block);
    for (int side = 0; side < 2 && status >= 0; side++) {
        jn_shape_desc guide = jn_shape_default(JN_SHAPE_HALF_PLANE);
        jn_vec3 n = v3_scale(side ? -1 : 1, m3_column(&A->E, 1)); /* into the gap */
        guide.at = v3_axpy(-(0.5 * j->height + j->clearance), n, A->p);
        guide.orientation = q4_exp(v3(0, 0, atan2(n.y, n.x) - 0.5 * M_PI)); /* turns y onto n */
        status = add_part(b, k, 0, &guide);
    }
    return status;
}

static int build_clearance(jn_builder *b, int k) {
    return b->d->joints[k].type == JN_JOINT_TRANSLATIONAL_CLEARANCE ? build_guides(b, k) : build_round(b, k);
}

int jn_build_solids(jn_builder *b) {
    jn_model *m = b->m;
    m->solids = jn_builder_array(b, b->d->shape_count + 3 * b->d->joint_count, sizeof *m->solids);
    m->joined = jn_builder_array(b, b->d->joint_count, sizeof *m->joined);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < b->d->joint_count; i++)
        m->joined[i][0] = b->d->joints[i].body[0], m->joined[i][1] = b->d->joints[i].body[1];
    for (int body = 0; body < b->d->body_count; body++) {
        const jn_body_desc *d = &b->d->bodies[body];
        for (int k = 0; k < d->shape_count; k++) {
            int status = build_one(b, body, d->shape_first + k);
            if (status < 0) return status;
        }
    }
    for (int k = 0; k < b->d->joint_count; k++) {
        int status = jn_joint_has_clearance(b->d->joints[k].type) ? build_clearance(b, k) : JN_OK;
        if (status < 0) return status;
    }
    return JN_OK;
}
