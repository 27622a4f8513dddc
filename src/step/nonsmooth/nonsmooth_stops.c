/* Rigid stops of joint coordinates and tendons: unilateral rows among the contacts of a step, with Signorini's law and no restitution,
 *
 *     0 <= q - lower,   0 <= upper - q.
 *
 * A stop is like a contact whose first solid lies behind all real ones; its row has an entry for each velocity that the
 * coordinate depends on, and none along tangents. */
#include "algebra/elementary.h"
#include "step/nonsmooth/nonsmooth.h"

/* The coordinate of a stop, or of dry friction. */
static jn_stop coordinate_of(const jn_model *m, const jn_contact_point *h) {
    if (jn_stop_is(m, h)) return m->stops[h->a - m->solid_count];
    const jn_actuator *a = &m->actuators[m->dry[h->a - m->solid_count - m->stop_count]];
    return (jn_stop){.joint = a->joint, .handle = a->handle};
}

static int handle_of(const jn_model *m, const jn_contact_point *h) {
    return jn_stop_is(m, h) ? m->stops[h->a - m->solid_count].handle : coordinate_of(m, h).handle;
}

const char *jn_contact_point_name(const jn_model *m, const jn_contact_point *h) {
    if (jn_pair_is(m, h)) return m->contacts[h->row].name;
    jn_stop c = coordinate_of(m, h);
    return jn_stop_name(m, &c);
}

static double gap_of(const jn_stop *s, const jn_work *w, int side) {
    double q = w->position[s->handle];
    return side ? s->upper - q : q - s->lower;
}

/* Stops that are closed, behind the contacts. The work space has the coordinates. */
int jn_stops_choose(jn_sim *sim, const jn_closed *c) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_model *m = sim->m;
    for (int k = 0; k < m->stop_count; k++)
        for (int side = 0; side < 2; side++) {
            const jn_stop *s = &m->stops[k];
            double gap = gap_of(s, sim->w, side), sign = side ? -1 : 1, rate = sign * sim->w->speed[s->handle];
            if (c->back > 0) { /* as the velocities at the start of the step lead there */
                double start = sign * jn_handle_row_dot(m, sim->w, s->handle, sim->s->u);
                gap += c->back * (start - rate), rate = start;
            }
            double later = gap + c->ahead * rate;
            if (!(later <= jn_fmax(c->gap, c->kept)) || isinf(gap)) continue; /* or no stop */
            const jn_contact_state *cached = jn_contact_cache_find(sim->s, m->solid_count + k, side, 0);
            if (later > c->gap && !cached) continue;
            int status = jn_contact_set_check_room(sim, 1);
            if (status < 0) return status;
            jn_contact_point *h = &set->point[set->count++];
            *h = (jn_contact_point){
                .a = m->solid_count + k, .b = side, .row = m->contact_count, .gap = gap, .approach = rate};
            h->geometry.n = v3(1, 0, 0), h->t[0] = v3(0, 1, 0), h->t[1] = v3(0, 0, 1), h->geometry.gap = gap;
            h->is_new = !cached, h->cached = cached ? (int)(cached - sim->s->contact) : -1;
        }
    return JN_OK;
}

void jn_stop_follow(const jn_sim *sim, jn_contact_point *h) {
    h->geometry.gap = gap_of(&sim->m->stops[h->a - sim->m->solid_count], sim->w, h->b);
}

/* The group that the coordinate moves, and its row in the velocities. */
int jn_contact_point_group(const jn_sim *sim, const jn_contact_point *h) {
    const jn_model *m = sim->m;
    const jn_handle *handle = &m->handles[handle_of(m, h)];
    if (handle->terms || handle->reach) return sim->nonsmooth->groups.of[m->dof_link[m->row_cols[handle->cols]]];
    if (handle->v >= 0) return sim->nonsmooth->groups.of[m->dof_link[handle->v]];
    const jn_joint *joint = &m->joints[coordinate_of(m, h).joint];
    int link = joint->B.link ? joint->B.link : joint->A.link;
    return sim->nonsmooth->groups.of[link];
}

int jn_contact_point_velocity(const jn_sim *sim, const jn_contact_point *h) {
    return sim->m->handles[handle_of(sim->m, h)].v;
}

void jn_contact_point_scatter(const jn_sim *sim, const jn_contact_point *h, double *row) {
    jn_handle_scatter(sim->m, sim->w, handle_of(sim->m, h), jn_contact_point_sign(h), row);
}

void jn_contact_point_external(const jn_sim *sim, const jn_contact_point *h, const double *p, jn_wrench *sum) {
    double force = jn_stop_is(sim->m, h) ? (h->b ? -p[0] : p[0]) : p[1];
    jn_external_handle(sim->m, sim->w, handle_of(sim->m, h), force, sum);
}

double jn_stops_gap(const jn_sim *sim, bool (*counts)(const jn_sim *sim, const jn_contact_point *key)) {
    const jn_model *m = sim->m;
    double least = INFINITY;
    for (int k = 0; k < m->stop_count; k++)
        for (int side = 0; side < 2; side++) {
            double gap = gap_of(&m->stops[k], sim->w, side);
            if (gap < least && counts(sim, &(jn_contact_point){.a = m->solid_count + k, .b = side})) least = gap;
        }
    return least;
}
