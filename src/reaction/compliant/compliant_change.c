/* Changes of compliant contact forces along a direction of positions or velocities. */
#include "reaction/compliant/compliant_change.h"
#include "base/memory.h"
#include <string.h>

jn_contact_changes *jn_contact_changes_create(jn_contacts *contacts, bool with_states) {
    const jn_model *m = contacts->m;
    size_t room = (size_t)m->contact_room, rates = with_states ? 3 * room * (size_t)m->nv : 0;
    jn_contact_changes *c =
        jn_malloc(sizeof *c + room * (sizeof *c->tangent + sizeof *c->place) + (2 * rates + 2) * sizeof(double));
    if (!c) return NULL;
    *c = (jn_contact_changes){.contacts = contacts};
    c->tangent = (jn_contact_tangent *)(c + 1);
    double *d = (double *)(c->tangent + room);
    if (with_states) c->rate_q = d, c->rate_u = d + rates;
    c->place = (int *)(d + 2 * rates);
    return c;
}

void jn_contact_changes_free(jn_contact_changes *changes) { jn_free(changes); }

void jn_contact_changes_prepare(jn_contact_changes *c, const jn_model *m, jn_work *w, const jn_state *s) {
    jn_contacts *contacts = c->contacts;
    c->count = 0;
    for (int p = 0; p < jn_detection_pairs(contacts->detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(contacts->detection, p);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = jn_detection_contact(contacts->detection, k);
            const jn_contact_state *cached = jn_contact_active(s, pair, point);
            if (!cached || c->count == m->contact_room) continue;
            c->place[c->count] = (int)(cached - s->contact);
            jn_contact_tangent_make(contacts, w, pair, point, cached, &c->tangent[c->count++]);
        }
    }
    size_t rates = 3 * (size_t)m->contact_room * (size_t)m->nv * sizeof(double);
    if (c->rate_q) memset(c->rate_q, 0, rates), memset(c->rate_u, 0, rates);
}

/* The change of a link as the contact sees it: at its origin. */
static jn_link_change seen_change(const jn_work *w, const struct jn_derivatives_work *d, int link) {
    if (!d->change[link].any) return (jn_link_change){{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    jn_moving O = jn_point_moving(d, link, w->link[link].O), dO = jn_point_change(d, link, &O);
    return (jn_link_change){{d->change[link].pose.w, dO.p}, {d->change[link].twist.w, dO.v}};
}

void jn_contact_changes_add(jn_contact_changes *c, const jn_model *m, const jn_work *w, struct jn_derivatives_work *d) {
    const jn_vec3 nil = {0, 0, 0};
    for (int i = 0; i < c->count; i++) {
        const jn_contact_tangent *t = &c->tangent[i];
        if (!d->change[t->link_A].any && !d->change[t->link_B].any) continue;
        jn_link_change A = seen_change(w, d, t->link_A), B = seen_change(w, d, t->link_B);
        jn_contact_change by;
        jn_contact_tangent_apply(t, &A, &B, NULL, &by);
        jn_change_push(d, t->link_A, t->origin_A, A.pose.v, v3_neg(by.F), by.A.f, nil, by.A.n);
        jn_change_push(d, t->link_B, t->origin_B, B.pose.v, by.F, by.B.f, nil, by.B.n);
        d->power_change.dissipated += by.damping + by.friction;
        d->power_change.damping += by.damping, d->power_change.friction += by.friction;
        double *rate = d->by_u ? c->rate_u : c->rate_q;
        if (!rate) continue;
        rate += 3 * ((size_t)d->along * (size_t)m->contact_room + (size_t)c->place[i]);
        for (int k = 0; k < t->states; k++) rate[k] += by.rate[k];
    }
}

/* x += (generalised forces of a load at the origin of a link). */
static void scatter(const jn_model *m, const jn_work *w, int link, jn_wrench f, double *x) {
    for (; link > 0; link = m->links[link].parent) {
        for (int k = m->links[link].v; k < m->links[link].v + m->links[link].nv; k++) x[k] += tw_dot(w->S[k], f);
        f = wr_shift(f, w->link[link].r);
    }
}

void jn_contact_changes_state(const jn_contact_changes *c, const jn_model *m, const jn_work *w, int contact, int k,
                              double *x, jn_contact_change *out) {
    const jn_contact_tangent *t = &c->tangent[contact];
    const jn_link_change none = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    double z[JN_FRICTION_MAX_STATES] = {0};
    z[k] = 1;
    jn_contact_tangent_apply(t, &none, &none, z, out);
    scatter(m, w, t->link_A, out->A, x);
    scatter(m, w, t->link_B, out->B, x);
}
