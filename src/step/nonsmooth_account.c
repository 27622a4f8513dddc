/* What a nonsmooth step has done: energy of its impulses, forces to look at, contacts held, events. */
#include "step/leapfrog.h"

#include "reaction/clearance.h"
#include <string.h>

void jn_nonsmooth_tell(jn_sim *sim, const char *kind, const jn_held *h, double time, double before, double after,
                       const double *p) {
    sim->audit.events++;
    if (!sim->sink) return;
    jn_event e = {time, kind, jn_held_name(sim->m, h), before, after, p ? p[0] : 0, 0};
    if (p && sim->nonsmooth->dimension > 1) e.impulse_t = sim->nonsmooth->dimension > 2 ? hypot(p[1], p[2]) : p[1];
    sim->sink(sim->sink_context, &e);
}

/* Energy that impacts with restitution have won: Newton's law with friction can do so [Kane1985]. Told with the contact that won
 * most. */
static void tell_gain(jn_sim *sim, double gain, int most) {
    const jn_nonsmooth *x = sim->nonsmooth;
    const jn_held *h = &x->held[most];
    sim->audit.contact_gain += gain;
    sim->audit.contact_gain_at = jn_held_name(sim->m, h);
    jn_nonsmooth_tell(sim, "gain", h, sim->s->t, x->before[most * x->dimension], x->u[most * x->dimension],
                      x->p + most * x->dimension);
}

/* Work of the impulses with the mean of the velocities before and after: exactly what the kinetic energy loses to them. What the
 * law of restitution wins is told; what contacts win that do not bounce is an error of the step, to be taken back. */
void jn_contact_set_book(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->dimension, most = 0;
    double gained = 0, best = 0, noise = 0; /* [J] by all contacts of the step, by the best of those that bounce */
    jn_ledger *l = &sim->s->ledger;
    jn_contact_set_multiply(x, x->velocity, x->u);
    for (int i = 0; i < x->count; i++) {
        const double *p = x->p + i * d, *u = x->u + i * d, *v = x->before + i * d;
        double normal = -0.5 * p[0] * (u[0] + v[0]), tangential = 0;
        for (int r = 1; r < d; r++) tangential -= 0.5 * p[r] * (u[r] + v[r]);
        l->damping += normal, l->friction += tangential, l->dissipated += normal + tangential;
        double gain = -normal - tangential;
        bool bounces = x->held[i].strikes && sim->m->contacts[x->held[i].row].restitution > 0;
        noise += JN_STILL * fabs(p[0]) + 1e-8 * (fabs(normal) + fabs(tangential));
        gained += gain;
        if (bounces && gain > best) best = gain, most = i;
    }
    if (best > noise && gained > noise) tell_gain(sim, fmin(best, gained), most);
}

jn_vec3 jn_contact_impulse(const jn_nonsmooth *x, const double *all, int i) {
    const double *p = all + i * x->dimension;
    jn_vec3 P = v3_scale(p[0], x->held[i].touch.n);
    for (int r = 1; r < x->dimension; r++) P = v3_axpy(p[r], x->held[i].t[r - 1], P);
    return P;
}

jn_wrench jn_contacts_external(const jn_sim *sim, const double *p) {
    const jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_wrench sum = wr_zero();
    for (int i = 0; i < x->count; i++) {
        const jn_held *h = &x->held[i];
        if (jn_touch_is(m, h))
            sum = wr_add(sum, jn_external_contact(m, m->solids[h->a].link, m->solids[h->b].link, jn_held_point(sim, h),
                                                  jn_contact_impulse(x, p, i)));
        else
            jn_held_external(sim, h, p + i * x->dimension, &sum);
    }
    return sum;
}

jn_wrench jn_nonsmooth_external(jn_sim *sim, double dt, const double *du, const double *rows, const double *p) {
    const jn_model *m = sim->m;
    jn_wrench sum = wr_add(jn_contacts_external(sim, p), jn_external_inertia(m, sim->w, du));
    if (rows) sum = wr_add(sum, jn_external_rows(m, sim->w, rows));
    if (dt == 0) return sum;
    if (m->floats < m->link_count - 1) jn_rnea_loaded(m, sim->w, NULL, sim->w->load, sim->force);
    return wr_add(sum, wr_scale(dt, jn_external_forces(m, sim->w)));
}

jn_wrench jn_nonsmooth_step_external(jn_sim *sim, double dt) {
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < sim->m->nv; i++) sim->force[i] = x->velocity[i] - sim->s->u[i];
    return jn_nonsmooth_external(sim, dt, sim->force, x->impulse, x->p);
}

static void note_gap(const jn_sim *sim, const jn_near *pair, const jn_touch *touch) {
    jn_contact_sum *sum = &sim->contacts->sum[jn_model_contact_of(sim->m, pair->a, pair->b)];
    double gap = sum->gap;
    for (int k = 0; k < pair->count; k++) gap = touch[k].gap < gap ? touch[k].gap : gap;
    sum->gap = gap;
}

void jn_nonsmooth_sum_gaps(jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    const jn_near *pairs = jn_scan_pair(c->scan, 0);
    const jn_touch *touches = jn_scan_touch(c->scan, 0);
    double deepest = 0;
    for (int i = 0; i < sim->m->contact_count; i++) c->sum[i].gap = INFINITY;
    for (int p = 0, n = jn_scan_pairs(c->scan); p < n; p++) {
        if (pairs[p].count) note_gap(sim, &pairs[p], touches + pairs[p].first);
        for (int k = pairs[p].first; k < pairs[p].first + pairs[p].count; k++)
            deepest = touches[k].gap < deepest ? touches[k].gap : deepest;
    }
    if (sim->nonsmooth->leapfrog) sim->audit.max_penetration = fmax(sim->audit.max_penetration, -deepest);
}

void jn_nonsmooth_sum_forces(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_contacts *c = sim->contacts;
    int d = x->dimension;
    for (int i = 0; i < sim->m->contact_count; i++) c->sum[i] = (jn_contact_sum){.gap = INFINITY};
    jn_nonsmooth_restart(sim);
    for (int i = 0; i < x->count; i++) {
        const jn_held *h = &x->held[i];
        if (!jn_touch_is(sim->m, h)) continue;
        jn_contact_sum *sum = &c->sum[h->row];
        const double *p = x->p + i * d;
        sum->fn += p[0] / dt, sum->pn += p[0];
        if (d > 1) sum->ft += (d > 2 ? hypot(p[1], p[2]) : fabs(p[1])) / dt;
        jn_vec3 f = v3_scale(1 / dt, jn_contact_impulse(x, x->p, i));
        sum->on_second = wr_add(sum->on_second, (jn_wrench){v3_cross(h->touch.pB, f), f});
        int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
        jn_touch_row w = jn_touch_row_along(&h->touch, f, sim->w->link[A].O, sim->w->link[B].O);
        x->load[A] = wr_add(x->load[A], w.A), x->load[B] = wr_add(x->load[B], w.B);
        if (!x->leapfrog) sim->audit.max_penetration = fmax(sim->audit.max_penetration, -h->touch.gap);
    }
    jn_dry_sum_up(sim, dt);
}

void jn_nonsmooth_sum_up(jn_sim *sim, double dt) {
    jn_nonsmooth_sum_forces(sim, dt);
    jn_nonsmooth_sum_gaps(sim);
}

static double slip_of(const jn_nonsmooth *x, const double *u) {
    return x->dimension == 1 ? 0 : x->dimension == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
}

/* Whether a contact that slid and did not close has stopped at once because friction takes hold of what it presses: with the
 * friction of its slip, a larger p_N would close the contact further (Painleve's paradox). [Genot1999] */
bool jn_contact_jams(const jn_nonsmooth *x, int i) {
    int d = x->dimension;
    const double *v = x->before + i * d;
    double slip = slip_of(x, v), W[3] = {0, 0, 0};
    if (x->held[i].strikes || !(slip > JN_STILL) || slip_of(x, x->u + i * x->dimension) > JN_STILL) return false;
    for (int k = x->start[i]; k < x->start[i + 1]; k++)
        for (int r = 0; r < d; r++) W[r] += x->V[k * d] * x->Y[k * d + r];
    for (int r = 1; r < d; r++) W[0] -= x->mu[i] * W[r] * v[r] / slip;
    return x->p[i * d] > 0 && W[0] <= 0;
}

/* Material points that touch, in the frames of the links: where the contact is looked for when it passes on over a seam. */
static void keep_points(const jn_sim *sim, const jn_held *h, jn_contact_state *cached) {
    const jn_link_motion *A = &sim->w->link[sim->m->solids[h->a].link], *B = &sim->w->link[sim->m->solids[h->b].link];
    cached->stepping.point_a = m3_tmul_v(&A->R, v3_sub(h->touch.pA, A->O));
    cached->stepping.point_b = m3_tmul_v(&B->R, v3_sub(h->touch.pB, B->O));
}

/* A closed contact after the step. It is told when it carries something for the first time. */
static void note_contact(jn_sim *sim, int i, jn_contact_state *cached, double t_A, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_held *h = &x->held[i];
    const double *p = x->p + i * x->dimension, *u = x->u + i * x->dimension, *before = x->before + i * x->dimension;
    const jn_run_desc *run = &sim->m->run;
    bool slides = slip_of(x, u) > JN_STILL;
    if (jn_touch_is(sim->m, h)) keep_points(sim, h, cached);
    if (jn_contact_jams(x, i))
        jn_nonsmooth_tell(sim, "jam", h, t_A, slip_of(x, before), slip_of(x, x->u + i * x->dimension), p);
    if (p[0] > 0 && cached->phase < JN_PHASE_LASTING) {
        double found =
            t_A + (run->terms == JN_TERMS_END || run->scheme == JN_SCHEME_LEAST_CONSTRAINT ? 0 : run->theta) *
                      dt; /* where the gap is known */
        cached->start = fmin(t_A + dt, fmax(t_A, h->approach < 0 ? found - h->gap / h->approach : found));
        cached->speed = -h->approach, cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
        cached->phase = JN_PHASE_LASTING;
        jn_nonsmooth_tell(sim, h->strikes ? "impact" : "contact", h, cached->start, before[0], u[0], p);
    } else if (p[0] > 0 && slides != (cached->slip == JN_SLIP_SLIPPING)) {
        cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
        jn_nonsmooth_tell(sim, slides ? "slip" : "stick", h, t_A + dt, slip_of(x, before),
                          slip_of(x, x->u + i * x->dimension), NULL);
    }
    cached->stepping.impulse = jn_contact_impulse(x, x->p, i);
}

static int compare(const jn_contact_state *c, const jn_held *h) {
    if (c->a != h->a) return c->a < h->a ? -1 : 1;
    if (c->b != h->b) return c->b < h->b ? -1 : 1;
    return c->feature < h->feature ? -1 : c->feature > h->feature;
}

/* An active contact of the last step that is open now. */
static void tell_separation(jn_sim *sim, const jn_contact_state *gone, double time) {
    const jn_model *m = sim->m;
    jn_held h = {.a = gone->a, .b = gone->b};
    h.row = jn_touch_is(m, &h) ? jn_model_contact_of(m, h.a, h.b) : m->contact_count;
    if (gone->phase != JN_PHASE_NEW) jn_nonsmooth_tell(sim, "separation", &h, time, 0, 0, NULL);
}

/* The contact cache becomes the closed contacts of the step; both lists are sorted. */
void jn_nonsmooth_note(jn_sim *sim, double t_A, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_state *s = sim->s;
    const jn_contact_state *last = x->last;
    int used = s->contact_count, k = 0;
    if (used + x->count == 0) return;
    memcpy(x->last, s->contact, (size_t)used * sizeof *last);
    jn_contact_cache_resize(s, x->count);
    for (int i = 0; i < x->count; i++) {
        const jn_held *h = &x->held[i];
        jn_contact_state *to = &s->contact[i];
        int order = 1;
        while (k < used && (order = compare(&last[k], h)) < 0) tell_separation(sim, &last[k++], t_A + dt);
        if (k < used && order == 0)
            *to = last[k++];
        else
            *to = (jn_contact_state){.a = h->a, .b = h->b, .feature = h->feature};
        if (jn_dry_is(m, h))
            jn_dry_note(sim, i, to, t_A + dt);
        else if (x->leapfrog)
            jn_leapfrog_keep_contact(sim, i, to);
        else
            note_contact(sim, i, to, t_A, dt);
    }
    while (k < used) tell_separation(sim, &last[k++], t_A + dt);
}

void jn_nonsmooth_mean_power(jn_sim *sim, double theta) {
    jn_ledger end = sim->w->power;
    sim->w->power = (jn_ledger){0};
    jn_ledger_add(&sim->w->power, 1 - theta, &sim->nonsmooth->start_power);
    jn_ledger_add(&sim->w->power, theta, &end);
}

/* Work of dampers, motors and drivers over the step. */
void jn_nonsmooth_book_forces(jn_sim *sim, double dt) {
    jn_ledger_add(&sim->s->ledger, dt, &sim->w->power);
    jn_audit_give(sim, sim->nonsmooth->given);
    jn_drivers_book(sim);
}
