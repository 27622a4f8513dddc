/* Contact rows: which law holds for which pair of shapes. */
#include "base/suggest.h"
#include "description/joint_info.h"
#include "model/builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void copy_row(jn_builder *b, const jn_contact_desc *from, jn_contact_desc *to) {
    *to = *from;
    to->name = jn_builder_text(b, from->name);
    to->where.file = from->where.file ? jn_builder_text(b, from->where.file) : "";
    to->law = jn_builder_text(b, from->law);
    to->line = jn_builder_text(b, from->line);
    to->friction_law = jn_builder_text(b, from->friction_law);
    if (from->rolls)
        to->roll =
            m3_mul_v(&b->m->links[b->link_of[from->body[1]]].user, m3_tmul_v(&b->drawn[from->body[1]].R, from->roll));
}

/* A clearance joint has a row of its own, with the joint's name and the law of the row that it names. */
static int add_joint_row(jn_builder *b, int k) {
    const jn_joint_desc *j = &b->d->joints[k];
    for (int i = 0; j->contact && i < b->d->contact_count; i++) {
        if (strcmp(b->d->contacts[i].name, j->contact)) continue;
        jn_contact_desc *row = &b->m->contacts[b->m->contact_count++];
        copy_row(b, &b->d->contacts[i], row);
        row->name = b->m->joints[k].name;
        row->where = b->m->joints[k].where;
        row->is_pair = true, row->body[0] = j->body[0], row->body[1] = j->body[1];
        row->joint = k;
        if (isnan(row->length) && j->has_length) row->length = j->length;
        return JN_OK;
    }
    return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, j->where, NULL,
                         "joint '%s': there is no contact '%s'\nadd it to the section contacts", j->name,
                         j->contact ? j->contact : "");
}

/* ------------------------------------------------------------------------------------------------------ mistakes */

static int mistake(jn_builder *b, jn_where where, const char *format, ...) JN_PRINTF(3, 4);
static int mistake(jn_builder *b, jn_where where, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL, "%s", text);
}

static bool same_pair(const int p[2], const int q[2]) {
    return (p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0]);
}

/* One row for one pair of bodies. */
static int check_twice(jn_builder *b, int i) {
    const jn_description *d = b->d;
    const jn_contact_desc *c = &d->contacts[i];
    for (int k = 0; k < i; k++)
        if (d->contacts[k].is_pair && same_pair(d->contacts[k].body, c->body))
            return mistake(b, c->where,
                           "contact '%s': bodies '%s' and '%s' have the law of '%s' already (line %d)\nkeep one of the "
                           "two rows",
                           c->name, d->bodies[c->body[0]].name, d->bodies[c->body[1]].name, d->contacts[k].name,
                           d->contacts[k].where.line);
    return JN_OK;
}

/* Both bodies of a pair need a shape, unless the row is there for a clearance joint. */
static int check_shapes(jn_builder *b, int i) {
    const jn_description *d = b->d;
    const jn_contact_desc *c = &d->contacts[i];
    for (int k = 0; k < d->joint_count; k++)
        if (d->joints[k].contact && !strcmp(d->joints[k].contact, c->name)) return JN_OK;
    for (int s = 0; s < 2; s++)
        if (d->bodies[c->body[s]].shape_count == 0)
            return mistake(b, c->where,
                           "contact '%s': body '%s' has no shape to touch with\nadd a shape to it, or remove the row",
                           c->name, d->bodies[c->body[s]].name);
    return JN_OK;
}

/* A shape's material is a row without a pair. */
static int check_material(jn_builder *b, const jn_shape_desc *s) {
    if (!s->contact) return JN_OK;
    jn_suggest suggest = jn_suggest_for(s->contact);
    for (int i = 0; i < b->d->contact_count; i++) {
        const jn_contact_desc *c = &b->d->contacts[i];
        bool found = !strcmp(c->name, s->contact);
        if (found && c->is_pair)
            return mistake(b, s->where,
                           "'%s' is a contact between two bodies, not a material for shapes\nremove 'contact' here, or "
                           "'between' there",
                           c->name);
        if (found) return JN_OK;
    }
    for (int i = 0; i < b->d->contact_count; i++)
        if (!b->d->contacts[i].is_pair) jn_suggest_offer(&suggest, b->d->contacts[i].name);
    if (suggest.best)
        return mistake(b, s->where, "there is no contact material '%s'\nwrite '%s'", s->contact, suggest.best);
    return mistake(b, s->where, "there is no contact material '%s'\nadd '%s: {stiffness: 1e8}' to the section contacts",
                   s->contact, s->contact);
}

static int check_rows(jn_builder *b) {
    int worst = JN_OK, (*const checks[])(jn_builder *, int) = {check_twice, check_shapes};
    for (int i = 0; i < b->d->contact_count; i++)
        for (int k = 0, status = JN_OK; k < 2 && status == JN_OK && b->d->contacts[i].is_pair; k++) {
            status = checks[k](b, i);
            if (status < worst) worst = status;
        }
    for (int k = 0; k < b->d->shape_count; k++) {
        int status = check_material(b, &b->d->shapes[k]);
        if (status < worst) worst = status;
    }
    return worst;
}

/* Contact points that there is room for. A ball in a pile has six to twelve neighbours, each pair one point; a box among boxes 26, four to eight points with six of them.
 * The other methods are for fewer: friction states of all these points are unknowns of compliant runs. */
static int room_of_solids(const jn_model *m, jn_method method) {
    enum { FEW_BALLS = 512, OF_BALL = 8, OF_FEW_BALLS = 24, FEW_SOLIDS = 2048, OF_SOLID = 32, OF_FEW_SOLIDS = 64, MORE = 8 };
    int of_ball = m->solid_count < FEW_BALLS ? OF_FEW_BALLS : OF_BALL, of_solid = of_ball, room = m->solid_count ? MORE : 0;
    if (method == JN_METHOD_NONSMOOTH) of_solid = m->solid_count < FEW_SOLIDS ? OF_FEW_SOLIDS : OF_SOLID;
    for (int i = 0; i < m->solid_count; i++) {
        bool ball = m->solids[i].type == JN_SHAPE_SPHERE || m->solids[i].type == JN_SHAPE_CIRCLE;
        room += ball ? of_ball : of_solid;
    }
    return room;
}

int jn_build_contacts(jn_builder *b) {
    jn_model *m = b->m;
    int wrong = check_rows(b);
    if (wrong < 0) return wrong;
    m->contacts =
        jn_builder_array(b, b->d->contact_count + b->d->joint_count + jn_count_mixes(b->d) + 1, sizeof *m->contacts);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < b->d->contact_count; i++) copy_row(b, &b->d->contacts[i], &m->contacts[m->contact_count++]);
    for (int k = 0; k < b->d->joint_count; k++) {
        int status = jn_joint_has_clearance(b->d->joints[k].type) ? add_joint_row(b, k) : JN_OK;
        if (status < 0) return status;
    }
    int status = jn_build_materials(b);
    if (status < 0) return status;
    m->contacts[m->contact_count] = jn_contact_default("stop"); /* the law of rigid stops: none of the user's rows */
    m->contact_room = (m->contact_count ? room_of_solids(m, b->d->run.method) : 0) + 2 * m->stop_count + m->dry_count;
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}

int jn_model_contact_of(const jn_model *m, int solid_a, int solid_b) {
    const jn_solid *A = &m->solids[solid_a], *B = &m->solids[solid_b];
    if (A->shape < 0 || B->shape < 0) /* parts of clearance joints touch their counterpart only */
        return A->shape == B->shape ? A->material : -1;
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_desc *c = &m->contacts[i];
        if (!c->is_pair || c->joint >= 0) continue;
        if ((c->body[0] == A->body && c->body[1] == B->body) || (c->body[0] == B->body && c->body[1] == A->body))
            return i;
    }
    if (A->named && B->named && A->material != B->material) return jn_model_mix_of(m, A->material, B->material);
    return A->named ? A->material : B->material;
}

bool jn_model_contact_used(const jn_model *m, int contact) {
    if (m->contacts[contact].joint >= 0) return true;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = a + 1; b < m->solid_count; b++)
            if (m->solids[a].body != m->solids[b].body && jn_model_contact_of(m, a, b) == contact) return true;
    return false;
}
