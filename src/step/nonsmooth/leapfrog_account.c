/* Work of a node of the momentum leapfrog. Impulses work on the mean of the velocities before and after them. The velocities that a state
 * shows contain half of the forces at its node: the work of that half is booked with them, and taken back when all of it is known. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

/* Work of dampers, motors and applied forces at the node: the forces that they had at the velocities x->v_taken act for half of
 * both segments, and work on the mean of the velocities of both. What implicit elements do beside: jn_stiff_book. */
static void book_forces(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double before = 0.5 * *jn_past_length(sim), after = 0.5 * x->h;
    if (!x->works && !sim->w->control) return;
    for (int k = 0; k < m->nv; k++) n->velocity[k] = 0.5 * (x->u[k] + x->last[k] + x->fall[k]);
    if (x->works) {
        jn_ledger power = jn_working_power(m, &x->working, n->velocity);
        jn_ledger_add(&sim->s->ledger, sim->w->control ? before : before + after, &power);
    }
    if (sim->w->control) { /* asked again when the segment begins */
        jn_working_forces later = x->working;
        later.driving = x->driving;
        jn_ledger power = jn_working_power(m, &later, n->velocity);
        jn_ledger_add(&sim->s->ledger, after, &power);
    }
}

/* Mean of the velocities before and after the half of the forces that a state shows. */
static double mean_shown(const jn_sim *sim, int k) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    return 0.5 * (x->minus[k] + x->fall[k] + sim->s->u[k]);
}

/* The same for the half of the forces that the velocities of a state contain. */
static jn_ledger shown_power(const jn_sim *sim) {
    const jn_nonsmooth *n = sim->nonsmooth;
    if (!n->leapfrog->works) return (jn_ledger){0};
    for (int k = 0; k < sim->m->nv; k++) n->velocity[k] = mean_shown(sim, k);
    return jn_working_power(sim->m, &n->leapfrog->working, n->velocity);
}

/* [J] lost by the impulses of a contact. */
static jn_contact_work work_of(const jn_contact_set *set, int i) {
    int d = set->dimension;
    const double *p = set->p + i * d, *u = set->u + i * d, *v = set->before + i * d;
    bool dry = i >= set->count - set->dry;
    jn_contact_work w = {.normal = dry ? 0 : -0.5 * p[0] * (u[0] + v[0])};
    for (int r = 1; r < d; r++) w.tangential -= 0.5 * p[r] * (u[r] + v[r]);
    w.noise = (JN_STILL + JN_LEAPFROG_GAIN_ERROR * set->solve.speed_error) * fabs(p[0]) +
              JN_POWER_ROUND_OFF_REL * (fabs(w.normal) + fabs(w.tangential));
    return w;
}

/* [J] by the spring of a contact since the last node, or since the last stage of this one. */
static double newly_stored(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    if (!(n->leapfrog->pile > 0)) return 0;
    const jn_contact_state *cached = jn_leapfrog_cached(sim, &n->set.point[i]);
    double p[3] = {0}, before = cached ? (double)cached->stepping.stored : 0;
    for (int r = 0; r < n->set.dimension; r++) p[r] = jn_leapfrog_impulse(sim, i, r);
    if (n->leapfrog->apart) before = jn_leapfrog_stored(sim, i, n->leapfrog->earlier + i * n->set.dimension);
    return jn_leapfrog_stored(sim, i, p) - before;
}

/* gamma_free + W^T (what the contacts add), less the half of the forces that acts after the node, of some contacts, and their work. */
static void find_some_jumps(void *context, int from, int to) {
    const jn_sim *sim = context;
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    for (int i = from * d; i < to * d; i++) n->set.u[i] += x->gamma_free[i] - x->half[i];
    for (int i = from; i < to; i++) {
        x->work[i] = work_of(&n->set, i);
        x->work[i].stored = newly_stored(sim, i);
    }
}

void jn_leapfrog_find_jump(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    for (int k = 0; k < sim->m->nv; k++) n->velocity[k] = x->u[k] - x->free[k];
    jn_contact_set_multiply(&n->set, n->velocity, n->set.u);
    jn_pool_range(sim->pool, n->set.count, JN_SHARED_CONTACTS, find_some_jumps, sim);
}

/* Work of contact impulses on half of what gravity adds before the node beyond what it adds after it. */
static void book_fall(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_ledger *l = &sim->s->ledger;
    for (int i = 0; i < set->count; i++) {
        const double *p = set->p + i * set->dimension;
        bool dry = i >= set->count - set->dry;
        double v[3] = {0, 0, 0}, tangential = 0;
        jn_contact_multiply_one(set, i, sim->nonsmooth->leapfrog->fall, v);
        double normal = dry ? 0 : -0.5 * p[0] * v[0];
        for (int r = 1; r < set->dimension; r++) tangential -= 0.5 * p[r] * v[r];
        l->damping += normal, l->friction += dry ? 0 : tangential, l->dissipated += normal + tangential;
    }
}

/* What contacts give to an island beyond round-off. Newton's restitution, where it may: reported. Else their gaps and anchors, which pushed bodies to where they belong. */
static void book_gains(jn_sim *sim, double best, int most) {
    jn_ledger *l = &sim->s->ledger;
    jn_groups *groups = &sim->nonsmooth->groups;
    double law = 0;
    for (int g = 0; g < groups->count; g++) {
        const jn_group *island = &groups->group[g];
        if (!(island->gain > island->noise)) continue;
        if (island->rebounds && !sim->m->run.energetic_bound)
            law += island->gain;
        else
            l->damping += island->gain, l->dissipated += island->gain, l->numerical += island->gain,
                l->numerical_size += island->gain;
    }
    if (law > 0) jn_contact_report_gain(sim, jn_min(best, law), most);
    sim->nonsmooth->leapfrog->bounded += jn_leapfrog_bounded_islands(sim);
}

void jn_leapfrog_book_contacts(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    int most = 0;
    double best = 0;
    jn_ledger *l = &sim->s->ledger;
    jn_leapfrog_find_gains(sim);
    for (int i = 0; i < set->count; i++) {
        jn_contact_work w = sim->nonsmooth->leapfrog->work[i];
        double lost = w.normal + w.tangential;
        l->damping += w.normal, l->friction += i >= set->count - set->dry ? 0 : w.tangential, l->dissipated += lost;
        l->driven += jn_contact_surface_work(set, i, set->p + i * set->dimension);
        if (set->point[i].impacting && -lost > best) best = -lost, most = i;
    }
    book_gains(sim, best, most);
    if (sim->nonsmooth->leapfrog->falls) book_fall(sim);
}

/* Of a driver on the segment that ends at the state. */
static double segment_rate(const jn_sim *sim, int row) {
    double h = sim->nonsmooth->leapfrog->h;
    return -jn_driver_displacement(sim->m, row, sim->s->t, -h) / h;
}

/* What drivers do from the middle of the segment to its end: inertia changes there with the poses, their rates do not. */
void jn_leapfrog_book_rows(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->driven_to_node = 0;
    for (int i = 0; i < m->row_count && m->driver_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER) x->driven_to_node += x->lambda[i] * segment_rate(sim, i);
}

/* Drivers: impulse times the mean speed of the motion on both segments. */
static void book_drivers(jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double before = *jn_past_length(sim);
    for (int i = 0; i < m->row_count && m->driver_count; i++) {
        if (m->rows[i].type != JN_ROW_DRIVER) continue;
        double speed = jn_driver_displacement(m, i, sim->s->t, x->h) / x->h;
        double old = before != 0 ? -jn_driver_displacement(m, i, sim->s->t, -before) / before : x->rate[i];
        sim->s->ledger.driven += 0.5 * x->lambda[i] * (speed + old);
    }
}

/* Mean forces of stops and dry friction on their coordinates, for the velocities that the next node shows. */
static void take_coordinate_forces(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    memset(x->contact_force, 0, (size_t)sim->m->nv * sizeof *x->contact_force);
    if (sim->m->stop_count + n->set.dry == 0 || n->set.count == 0) return;
    memset(n->set.q, 0, (size_t)(n->set.count * d) * sizeof *n->set.q);
    for (int i = 0; i < n->set.count; i++) {
        bool dry = i >= n->set.count - n->set.dry;
        if (jn_pair_is(sim->m, &n->set.point[i]) || !(dry || n->set.point[i].lasting)) continue;
        if (dry && jn_dry_stops(sim, i)) continue;
        for (int r = dry; r < d; r++) n->set.q[i * d + r] = n->set.p[i * d + r] / x->H;
    }
    jn_contact_set_force(&n->set, n->set.q, x->contact_force);
}

void jn_leapfrog_book(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    const jn_ledger *pending = (const jn_ledger *)(const void *)(sim->s->past + JN_PAST_PENDING);
    jn_ledger_add(&sim->s->ledger, -1, pending);
    book_forces(sim);
    jn_stiff_book(sim, x->last, x->v_taken, x->u, x->fall);
    if (n->set.count) {
        jn_leapfrog_book_contacts(sim);
        jn_leapfrog_join_stages(sim);
        sim->audit.impacts_bounded += x->bounded;
    }
    book_drivers(sim);
    jn_leapfrog_give(sim);
    jn_leapfrog_find_lasting(sim);
    take_coordinate_forces(sim);
}

void jn_leapfrog_book_half(jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_ledger *pending = (jn_ledger *)(void *)(sim->s->past + JN_PAST_PENDING);
    double half = 0.5 * x->h, friction = 0;
    jn_ledger power = shown_power(sim);
    *pending = (jn_ledger){0};
    jn_ledger_add(pending, half, &power);
    jn_stiff_book_half(sim, x->minus, x->u, x->v_node, x->plain, x->fall, sim->s->u, pending);
    for (int k = 0; k < m->nv; k++) friction -= half * x->contact_force[k] * mean_shown(sim, k);
    pending->dissipated += friction, pending->friction += friction;
    pending->driven += x->driven_to_node;
    for (int i = 0; i < m->row_count && m->driver_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER)
            pending->driven += 0.5 * x->lambda[i] * (x->rate[i] + segment_rate(sim, i));
    pending->given = jn_leapfrog_half_given(sim);
    jn_ledger_add(&sim->s->ledger, 1, pending);
}
