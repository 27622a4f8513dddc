/* Whether what a checkpoint gave can be worked with: a hash says that a file is whole, not who wrote it. Indices lie in their arrays,
 * truth values are 0 or 1, the state is finite. */
#include "step/checkpoint_check.h"
#include "proximity/detection.h"
#include "step/impact/impact_method.h"
#include <limits.h>
#include <math.h>
#include <stddef.h>

/* Solids, or behind them a stop with its side, or dry friction. */
static bool key_fits(const jn_model *m, int a, int b) {
    int stops = m->solid_count, dry = stops + m->stop_count;
    if (a < stops) return a >= 0 && b > a && b < m->solid_count;
    return b >= 0 && b <= 1 && a < dry + m->dry_count;
}

/* A bool whose byte came from a file. */
static bool is_truth(const bool *x) { return *(const unsigned char *)x <= 1; }

static bool all_finite(const double *x, size_t count) {
    bool fine = true;
    for (size_t i = 0; i < count; i++) fine = fine && isfinite(x[i]);
    return fine;
}

/* Doubles of a record, from one member to another. */
#define FINITE(record, type, first, last)                                                                              \
    all_finite((const double *)(const void *)((const char *)(record) + offsetof(type, first)),                         \
               (offsetof(type, last) - offsetof(type, first)) / sizeof(double) + 1)

static bool contact_fits(const jn_model *m, const jn_contact_state *c) {
    return key_fits(m, c->a, c->b) && c->phase >= JN_PHASE_NEW && c->phase <= JN_PHASE_LASTING &&
           c->slip >= JN_SLIP_UNKNOWN && c->slip <= JN_SLIP_SLIPPING && FINITE(c, jn_contact_state, start, stepping.slip_start.z) && isfinite(c->stepping.stored);
}

static bool state_fits(const jn_model *m, const jn_state *s) {
    bool fine = isfinite(s->t) && all_finite(s->q, (size_t)s->size) && FINITE(&s->ledger, jn_ledger, dissipated, given.f.z);
    for (int i = 0; fine && i < s->contact_count; i++) fine = contact_fits(m, &s->contact[i]);
    return fine;
}

/* The reach of collision detection is doubled until it is far enough: none may be 0. */
static bool contacts_fit(const jn_contacts *c) {
    const jn_detection *d = c->detection;
    bool fine = c->margin > 0;
    for (int i = 0; i < d->pairs; i++) fine = fine && FINITE(&d->pair[i].cache, jn_pair_cache, n.x, u[1]);
    return fine;
}

static bool point_fits(const jn_sim *sim, const jn_contact_point *h) {
    const bool *const truths[] = {&h->is_new,   &h->impacting,        &h->waits,
                                  &h->impacted, &h->anchors_change,   &h->asleep,
                                  &h->balls,    &h->enclosed,         &h->rebounds,         &h->slips,
                                  &h->lasting,
                                  &h->was_anchored, &h->geometry.smoothA, &h->geometry.smoothB};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (!is_truth(truths[i])) return false;
    if (!FINITE(h, jn_contact_point, t, slip[1]) || !FINITE(&h->geometry, jn_contact_geometry, pA.x, couple.z) ||
        !FINITE(&h->geometry, jn_contact_geometry, kA[0], dB.z))
        return false;
    if (!key_fits(sim->m, h->a, h->b)) return false;
    bool pair = jn_pair_is(sim->m, h);
    if (h->link[0] != (pair ? sim->m->solids[h->a].link : 0) || h->link[1] != (pair ? sim->m->solids[h->b].link : 0))
        return false;
    return h->row >= 0 && h->row < sim->m->contact_count + !pair;
}

static bool active_contacts_fit(const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool fine = true;
    for (int i = 0; i < set->count; i++) fine = fine && point_fits(sim, &set->point[i]);
    return fine;
}

static bool closed_contacts_fit(const jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    const jn_contact_set *set = &sim->nonsmooth->set;
    const int counts[] = {p->changes, p->crumbs, p->laws, p->stiff.steps};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k] < 0 || counts[k] > INT_MAX / 2) return false;
    if (p->knots < 0 || p->knots > JN_KNOT_DOUBLINGS || (p->knots && !(p->last_knot.fits > 0))) return false;
    if (p->knot_steps < 0 || p->knot_steps > LONG_MAX / 2) return false;
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *c = &p->unilateral[i];
        if (!point_fits(sim, &set->point[i]) || set->point[i].cached < -1 ||
            set->point[i].cached >= sim->s->contact_count || (unsigned)c->mode > JN_UNILATERAL_SLIPPING || !is_truth(&c->moving) ||
            !is_truth(&c->lost) || !is_truth(&c->idle) || !FINITE(c, jn_unilateral, direction.x, mu_d) ||
            isnan(c->along) || isnan(c->along_before))
            return false;
    }
    for (int i = 0; i < p->system.keys; i++)
        if (!key_fits(sim->m, p->system.key[i].a, p->system.key[i].b)) return false;
    return true;
}

bool jn_checkpoint_fits(const jn_sim *sim) {
    return state_fits(sim->m, sim->s) && (!sim->contacts || contacts_fit(sim->contacts)) &&
           (!sim->nonsmooth || sim->impact || active_contacts_fit(sim)) && (!sim->impact || closed_contacts_fit(sim));
}
