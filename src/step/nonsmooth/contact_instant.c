/* The instant at which a step should end: where the first of the open contacts closes.
 *
 * Contacts that are closed at the start of a step keep acting in it; the others are left out, and the length of the step is
 * sought at which the smallest of their gaps vanishes [Studer2009, step size adjustment; Chaturvedi2024, h as an unknown]. There
 * they collide: an impact in impulses, which takes no time. */
#include "algebra/elementary.h"
#include "step/nonsmooth/moreau.h"

#include <string.h>

double jn_instant_shortest(const jn_sim *sim) {
    return sim->m->run.min_step > 0 ? sim->m->run.min_step : JN_INSTANT_SHORTEST_REL * sim->m->run.step;
}

static int order(const jn_contact_point *x, const jn_contact_point *y) {
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

int jn_instant_first(const jn_nonsmooth *x, const jn_contact_point *key) {
    for (int lo = 0, hi = x->moreau->first_count - 1; lo <= hi;) {
        int mid = (lo + hi) / 2, order_there = order(&x->moreau->first[mid], key);
        if (order_there == 0) return mid;
        if (order_there < 0)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return -1;
}

void jn_instant_keep(jn_nonsmooth *x) {
    memcpy(x->moreau->first, x->set.point, (size_t)x->set.count * sizeof *x->set.point);
    memcpy(x->moreau->first_p, x->set.p, (size_t)(x->set.count * x->set.dimension) * sizeof *x->set.p);
    x->moreau->first_count = x->set.count;
}

int jn_instant_start(jn_sim *sim, double closed, double length) {
    jn_nonsmooth *x = sim->nonsmooth;
    int status = jn_contact_set_choose(&x->set, sim, &(jn_closed){.gap = INFINITY});
    if (status < 0) return status;
    memset(x->set.p, 0, 3 * (size_t)x->set.count * sizeof *x->set.p);
    x->moreau->closed = closed, x->moreau->leaving = closed / length;
    jn_instant_keep(x);
    return JN_OK;
}

static bool is_closed(const jn_sim *sim, const jn_contact_point *h) {
    return h->gap <= sim->nonsmooth->moreau->closed && h->approach <= sim->nonsmooth->moreau->leaving;
}

static bool was_open(const jn_sim *sim, const jn_contact_point *key) {
    int k = jn_instant_first(sim->nonsmooth, key);
    return k < 0 || !is_closed(sim, &sim->nonsmooth->moreau->first[k]);
}

void jn_instant_filter(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    int kept = 0;
    for (int i = 0; i < set->count; i++)
        if (!was_open(sim, &set->point[i])) set->point[kept++] = set->point[i];
    set->count = kept;
}

/* Keeps the contacts that carried load during the step. */
static void keep_loaded(jn_nonsmooth *x, int before) {
    int kept = 0;
    for (int i = 0; i < x->set.count; i++) {
        int k = jn_instant_first(x, &x->set.point[i]);
        if (k >= 0 && x->moreau->first_p[k * before] > 0) x->set.point[kept++] = x->set.point[i];
    }
    x->set.count = kept;
}

double jn_instant_gap(const jn_sim *sim) {
    const jn_detection *detection = sim->contacts->detection;
    double gap = jn_stops_gap(sim, was_open);
    for (int p = 0; p < jn_detection_pairs(detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, p);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = jn_detection_contact(detection, k);
            jn_contact_point key = {.a = pair->a, .b = pair->b, .feature = point->feature};
            if (point->gap < gap && was_open(sim, &key)) gap = point->gap;
        }
    }
    return gap;
}

bool jn_instant_impacting(const jn_sim *sim) {
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < x->moreau->first_count; i++)
        if (x->moreau->first[i].gap <= x->moreau->closed && x->moreau->first[i].approach < -JN_STILL) return true;
    return false;
}

/* Illinois' regula falsi, kept inside its bracket; bisection when it is slow. */
int jn_instant_find(jn_sim *sim, jn_trial *attempt, double theta, double least, double *h, double late_gap) {
    const jn_nonsmooth *x = sim->nonsmooth;
    double early = 0, early_gap = INFINITY, late = *h;
    int side = 0, status;
    for (int i = 0; i < x->moreau->first_count; i++)
        if (!is_closed(sim, &x->moreau->first[i])) early_gap = jn_fmin(early_gap, x->moreau->first[i].gap);
    if (early_gap <= x->moreau->closed) early_gap = INFINITY; /* it opens first: halve the step until it is seen open */
    for (int n = 0; n < JN_INSTANT_TRIALS_MOST && late >= least && late - early > JN_INSTANT_BRACKET_REL * *h; n++) {
        double part = early_gap < INFINITY ? early_gap / (early_gap - late_gap) : 0.5, gap;
        double middle = early + jn_fmin(1 - JN_INSTANT_INSIDE, jn_fmax(JN_INSTANT_INSIDE, part)) * (late - early);
        if (n > JN_INSTANT_FALSI_MOST) middle = 0.5 * (early + late);
        if ((status = attempt(sim, middle, theta, &gap)) < 0) return status;
        sim->audit.rejected++;
        if (gap >= 0 && gap <= JN_INSTANT_ROOT) {
            *h = middle;
            return JN_OK;
        }
        if (gap > 0) {
            early = middle, early_gap = gap;
            if (side == 1) late_gap *= 0.5;
            side = 1;
        } else {
            late = middle, late_gap = gap;
            if (side == -1 && early_gap < INFINITY) early_gap *= 0.5;
            side = -1;
        }
    }
    *h = early;
    return early >= least && early > 0 ? attempt(sim, early, theta, &late_gap) : JN_OK;
}

/* --------------------------------------------------------------------------------------------- the impact there */

/* A contact that is impacting was open in the step, even if it was closed at its start. */
static void part(jn_sim *sim, jn_contact_point *c) {
    jn_contact_state *cached = jn_contact_cache_find(sim->s, c->a, c->b, c->feature);
    if (!cached) return;
    bool reported = cached->phase != JN_PHASE_NEW;
    jn_contact_cache_remove(sim->s, (int)(cached - sim->s->contact));
    c->is_new = true;
    if (reported) jn_nonsmooth_report(sim, "separation", c, sim->s->t, 0, 0, NULL);
}

/* Velocities after the impact, and what joints and drivers add to it. */
static int apply_impulses(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    if (m->row_count == 0 || x->set.count == 0) {
        memcpy(x->free, x->velocity, (size_t)m->nv * sizeof *x->free);
        jn_contact_set_apply(&x->set, sim, x->set.p, x->velocity);
        for (int i = 0; i < m->nv; i++) x->free[i] = x->velocity[i] - x->free[i];
        jn_audit_give(sim, jn_nonsmooth_external(sim, 0, x->free, NULL, x->set.p));
        return JN_OK;
    }
    memset(x->applied, 0, (size_t)m->nv * sizeof *x->applied);
    jn_contact_set_force(&x->set, x->set.p, x->applied);
    int status = jn_kkt_solve(m, sim->w, x->applied, NULL, x->free, sim->w->lambda);
    for (int i = 0; i < m->nv; i++) x->velocity[i] += x->free[i];
    if (status < 0) return status;
    jn_drivers_book_impulse(sim, sim->w->lambda);
    jn_audit_give(sim, jn_nonsmooth_external(sim, 0, x->free, sim->w->lambda, x->set.p));
    return JN_OK;
}

/* The contacts that are closed at the end of the step, or those of them that were loaded in it, and their rows. */
static int choose_at_end(jn_sim *sim, bool loaded, int before) {
    jn_nonsmooth *x = sim->nonsmooth;
    int status = jn_contact_set_choose(&x->set, sim, &(jn_closed){.gap = x->moreau->closed});
    if (status >= 0 && loaded) keep_loaded(x, before);
    return status >= 0 ? jn_contact_set_rows(&x->set, sim) : status;
}

/* Impulses that the contacts of the set had during the step, 0 for others, into x->moreau->carried. */
static void carry_over(jn_nonsmooth *x, int before) {
    for (int i = 0; i < x->set.count; i++) {
        int k = jn_instant_first(x, &x->set.point[i]);
        for (int r = 0; r < x->set.dimension; r++)
            x->moreau->carried[i * x->set.dimension + r] =
                k >= 0 && r < before ? x->moreau->first_p[k * before + r] : 0;
    }
}

/* least_constraint meets gaps in positions. What carried load is kept closed in velocities too, as joints and drivers are, before
 * anything collides: the laws are those of the impulses p + x->moreau->carried. They replace those of the step in x->moreau->first_p. */
static int hold_loaded(jn_sim *sim, int before) {
    jn_nonsmooth *x = sim->nonsmooth;
    int status = jn_drivers_meet(sim, x->velocity);
    if (status >= 0) status = choose_at_end(sim, true, before);
    if (status < 0 || x->set.count == 0) return status;
    int d = x->set.dimension;
    carry_over(x, before);
    jn_contact_set_velocities(&x->set, x->velocity, x->set.before);
    memset(x->applied, 0, (size_t)sim->m->nv * sizeof *x->applied);
    jn_contact_set_apply(&x->set, sim, x->moreau->carried, x->applied);
    jn_contact_set_multiply(&x->set, x->applied, x->set.q);
    for (int i = 0; i < x->set.count * d; i++)
        x->set.q[i] = x->set.before[i] - x->set.q[i], x->set.p[i] = x->moreau->carried[i];
    if ((status = jn_contact_set_solve(&x->set, sim)) < 0) return status;
    for (int i = 0; i < x->set.count; i++) {
        int k = jn_instant_first(x, &x->set.point[i]);
        for (int r = 0; r < d && r < before; r++) x->moreau->first_p[k * before + r] = x->set.p[i * d + r];
    }
    for (int i = 0; i < x->set.count * d; i++) x->set.p[i] -= x->moreau->carried[i];
    status = apply_impulses(sim);
    if (status >= 0) jn_contact_set_book(&x->set, sim);
    return status;
}

/* Newton's and Coulomb's laws for the contacts of the set; what carried load before does not bounce. Returns whether any impulse
 * is needed. */
static bool pose_impact(jn_sim *sim, double h) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->set.dimension;
    bool approaches = false;
    jn_contact_set_velocities(&x->set, x->velocity, x->set.before);
    for (int i = 0; i < x->set.count; i++) {
        jn_contact_point *c = &x->set.point[i];
        const jn_contact_desc *row = &sim->m->contacts[c->row];
        bool arrives = !(x->moreau->carried[i * d] > 0) && x->set.before[i * d] < -JN_STILL;
        double e_N = arrives && row->restitution > 0 ? row->restitution : 0;
        double e_T = arrives && row->tangential_restitution > 0 ? row->tangential_restitution : 0;
        for (int r = 0; r < d; r++)
            x->set.q[i * d + r] = (1 + (r ? e_T : e_N)) * x->set.before[i * d + r], x->set.p[i * d + r] = 0;
        approaches |= x->set.before[i * d] < 0;
        if (arrives && !c->is_new) part(sim, c);
        c->impacting = c->is_new && arrives;
        c->approach = x->set.before[i * d], c->gap = -c->approach * h;
    }
    return approaches;
}

/* Impulses of contacts that have closed at the end of the step, by Newton's and Coulomb's laws. x->velocity becomes that after
 * the impact; x->set.p keeps the impulses of step and impact together. */
int jn_instant_collide(jn_sim *sim, double h, bool all) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_instant_keep(x);
    int before = x->set.dimension;
    jn_positions_locate(sim);
    jn_stiff_leave(sim); /* an impact takes no time */
    int status = jn_inertia_factor(sim);
    if (status >= 0 && sim->m->run.scheme == JN_SCHEME_LEAST_CONSTRAINT) status = hold_loaded(sim, before);
    if (status >= 0) status = choose_at_end(sim, !all, before);
    if (status < 0) return status;
    carry_over(x, before);
    if (pose_impact(sim, h) && (status = jn_contact_set_solve(&x->set, sim)) < 0) return status;
    status = apply_impulses(sim);
    if (status < 0) return status;
    jn_contact_set_book(&x->set, sim);
    for (int i = 0; i < x->set.count * x->set.dimension; i++) x->set.p[i] += x->moreau->carried[i];
    return JN_OK;
}
