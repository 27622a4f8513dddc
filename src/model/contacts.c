/* Contact rows: which law holds for which pair of shapes. */
#include "description/joint_info.h"
#include "model/builder.h"

#include <string.h>

static void copy_row(jn_builder *b, const jn_contact_desc *from, jn_contact_desc *to) {
    *to = *from;
    to->name = jn_builder_text(b, from->name);
    to->where.file = from->where.file ? jn_builder_text(b, from->where.file) : "";
    to->law = jn_builder_text(b, from->law);
    to->friction_law = jn_builder_text(b, from->friction_law);
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
        return JN_OK;
    }
    return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, j->where, NULL,
                         "joint '%s': there is no contact '%s'\nadd it to the section contacts", j->name,
                         j->contact ? j->contact : "");
}

/* The row of each shape: that of its joint, else the material it names, else the only material there is. */
static void find_materials(jn_model *m) {
    int only = -1, materials = 0;
    for (int i = 0; i < m->contact_count; i++)
        if (!m->contacts[i].is_pair) only = i, materials++;
    for (int k = 0; k < m->solid_count; k++) {
        jn_solid *s = &m->solids[k];
        s->material = materials == 1 ? only : -1;
        for (int i = 0; i < m->contact_count; i++) {
            const jn_contact_desc *c = &m->contacts[i];
            bool own =
                s->shape < 0 ? c->joint == -1 - s->shape : !c->is_pair && s->contact && !strcmp(s->contact, c->name);
            if (own) s->material = i, s->named = true;
        }
    }
}

int jn_build_contacts(jn_builder *b) {
    jn_model *m = b->m;
    m->contacts = jn_builder_array(b, b->d->contact_count + b->d->joint_count, sizeof *m->contacts);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < b->d->contact_count; i++) copy_row(b, &b->d->contacts[i], &m->contacts[m->contact_count++]);
    for (int k = 0; k < b->d->joint_count; k++) {
        int status = jn_joint_has_clearance(b->d->joints[k].type) ? add_joint_row(b, k) : JN_OK;
        if (status < 0) return status;
    }
    find_materials(m);
    m->slot_count = m->contact_count && m->solid_count ? 8 + 8 * m->solid_count : 0;
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
    return A->named ? A->material : B->material;
}

bool jn_model_contact_used(const jn_model *m, int contact) {
    if (m->contacts[contact].joint >= 0) return true;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = a + 1; b < m->solid_count; b++)
            if (m->solids[a].body != m->solids[b].body && jn_model_contact_of(m, a, b) == contact) return true;
    return false;
}
