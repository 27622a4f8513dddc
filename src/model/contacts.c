/* Contact rows: which law holds for which pair of shapes. */
#include "model/builder.h"

#include <string.h>

int jn_build_contacts(jn_builder *b) {
    jn_model *m = b->m;
    m->contact_count = b->d->contact_count;
    m->contacts = jn_builder_array(b, m->contact_count, sizeof *m->contacts);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_desc *from = &b->d->contacts[i];
        jn_contact_desc *to = &m->contacts[i];
        *to = *from;
        to->name = jn_builder_text(b, from->name);
        to->where.file = from->where.file ? jn_builder_text(b, from->where.file) : "";
        to->law = jn_builder_text(b, from->law);
        to->friction_law = jn_builder_text(b, from->friction_law);
    }
    m->slot_count = m->contact_count && m->solid_count ? 8 + 8 * m->solid_count : 0;
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}

static bool names(const jn_solid *s, const jn_contact_desc *c) { return s->contact && !strcmp(s->contact, c->name); }

int jn_model_contact_of(const jn_model *m, int solid_a, int solid_b) {
    const jn_solid *A = &m->solids[solid_a], *B = &m->solids[solid_b];
    int materials = 0, last = -1;
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_desc *c = &m->contacts[i];
        if (c->is_pair &&
            ((c->body[0] == A->body && c->body[1] == B->body) || (c->body[0] == B->body && c->body[1] == A->body)))
            return i;
        if (!c->is_pair) materials++, last = i;
    }
    for (int i = 0; i < m->contact_count; i++)
        if (!m->contacts[i].is_pair && (names(A, &m->contacts[i]) || names(B, &m->contacts[i]))) return i;
    return materials == 1 ? last : -1;
}
