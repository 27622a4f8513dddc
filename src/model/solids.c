/* The shapes of all bodies, compiled and placed on their links. */
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

int jn_build_solids(jn_builder *b) {
    jn_model *m = b->m;
    m->solids = jn_builder_array(b, b->d->shape_count, sizeof *m->solids);
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
    return JN_OK;
}
