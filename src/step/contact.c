/* Steps that find the instant of impact [Flores2009, section 3].
 *
 * While a step is taken the set of contacts under way is kept, so the motion is smooth within it. Afterwards the gaps are
 * looked at. If a new contact has begun deeper than it may, the step is taken again to an earlier time, found by regula falsi on
 * the smallest gap, until the contact begins between nothing and delta_max deep: then no energy appears from nowhere. */
#include "step/contact.h"

enum { MAX_TRIES = 60 };

/* The new touch that is deepest, among those that are not under way. */
typedef struct jn_newest {
    const jn_near *pair;
    double gap;     /* [m] smallest, INFINITY if there is none */
    double rate;    /* [m/s] of that gap */
    double allowed; /* [m] how deep it may begin */
    int status;     /* of the scan */
} jn_newest;

/* Deepest start that adds less than a part in 10^12 of the energy in motion: K d^(n+1) / (n+1). */
static double allowed_depth(const jn_sim *sim, int row, const jn_touch *touch, double speed) {
    const jn_contact_desc *d = &sim->m->contacts[row];
    if (!isnan(d->delta_max)) return d->delta_max;
    double K = jn_contact_stiffness(sim->contacts, row, touch), n = sim->contacts->law[row].normal.elastic.n;
    double energy = fmax(sim->audit.energy_scale, 1e-6 * speed * speed);
    if (!(K > 0)) K = 1e12;
    if (!(n > 0)) n = 1;
    return fmax(1e-15, pow((n + 1) * 1e-12 * fmax(energy, 1e-18) / K, 1 / (n + 1)));
}

static jn_newest look(jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    jn_newest found = {NULL, INFINITY, 0, 0, JN_OK};
    jn_kinematics(sim->m, sim->w, sim->s);
    int status = jn_scan_update_work(c->scan, sim->w, c->margin);
    if (status < 0) {
        found.status = jn_sim_fail(sim, status,
                                   "more shapes are near each other at t = %.9g s than there is room for\n"
                                   "leave pairs out with groups, or use fewer shapes",
                                   sim->s->t);
        return found;
    }
    for (int p = 0; p < jn_scan_pairs(c->scan); p++) {
        const jn_near *pair = jn_scan_pair(c->scan, p);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_touch *touch = jn_scan_touch(c->scan, k);
            if (touch->gap >= found.gap || jn_contact_slot(c, sim->s, pair, touch)) continue;
            double rate = jn_contact_motion(c, sim->w, pair, touch).gap_rate;
            found = (jn_newest){pair, touch->gap, rate,
                                allowed_depth(sim, jn_model_contact_of(sim->m, pair->a, pair->b), touch, rate), JN_OK};
        }
    }
    return found;
}

static void tell(jn_sim *sim, const char *kind, int row, double time, double before, double after) {
    sim->audit.events++;
    if (!sim->sink) return;
    jn_event e = {time, kind, sim->m->contacts[row].name, before, after, 0, 0};
    sim->sink(sim->sink_context, &e);
}

/* Contacts that have opened leave their slot. */
static bool end_contacts(jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    bool any = false;
    for (int i = 0; i < sim->m->slot_count; i++) {
        double *slot = sim->s->slot + JN_SLOT * i;
        if (slot[JN_SLOT_A] == 0) continue;
        bool closed = false;
        double rate = 0, late = 0; /* [s] since the gap opened, at its present rate */
        for (int p = 0; p < jn_scan_pairs(c->scan) && !closed; p++) {
            const jn_near *pair = jn_scan_pair(c->scan, p);
            if (pair->a + 1 != slot[JN_SLOT_A] || pair->b != slot[JN_SLOT_B]) continue;
            for (int k = pair->first; k < pair->first + pair->count; k++) {
                const jn_touch *touch = jn_scan_touch(c->scan, k);
                if (touch->feature != slot[JN_SLOT_FEATURE]) continue;
                rate = jn_contact_motion(c, sim->w, pair, touch).gap_rate;
                closed = touch->gap <= 0;
                late = rate > 0 ? fmax(0, touch->gap) / rate : 0;
            }
        }
        if (closed) continue;
        tell(sim, "separation", jn_model_contact_of(sim->m, (int)slot[JN_SLOT_A] - 1, (int)slot[JN_SLOT_B]),
             sim->s->t - late, -slot[JN_SLOT_SPEED], rate);
        slot[JN_SLOT_A] = 0;
        any = true;
    }
    return any;
}

static int begin_contacts(jn_sim *sim, bool *any) {
    jn_contacts *c = sim->contacts;
    for (int p = 0; p < jn_scan_pairs(c->scan); p++) {
        const jn_near *pair = jn_scan_pair(c->scan, p);
        int row = jn_model_contact_of(sim->m, pair->a, pair->b);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_touch *touch = jn_scan_touch(c->scan, k);
            if (touch->gap > 0 || jn_contact_slot(c, sim->s, pair, touch)) continue;
            int status = jn_contact_begin(c, sim->w, sim->s, pair, touch);
            if (status == JN_ERR_LIMIT)
                return jn_sim_fail(sim, status, "more points touch at t = %.9g s than there is room for", sim->s->t);
            if (status < 0)
                return jn_sim_fail(
                    sim, status,
                    "contact '%s' has no stiffness at t = %.9g s\ngive it a stiffness, or shapes with radii for young",
                    sim->m->contacts[row].name, sim->s->t);
            double rate = jn_contact_motion(c, sim->w, pair, touch).gap_rate;
            tell(sim, "contact", row, sim->s->t - (rate < 0 ? touch->gap / rate : 0), rate,
                 0); /* when the gap was zero */
            *any = true;
        }
    }
    return JN_OK;
}

/* Deepest contact at the present state, for the audit. */
static void note_penetration(jn_sim *sim) {
    const jn_scan *scan = sim->contacts->scan;
    for (int k = 0; k < jn_scan_touches(scan); k++)
        sim->audit.max_penetration = fmax(sim->audit.max_penetration, -jn_scan_touch(scan, k)->gap);
}

/* Contacts begin and end at the present state; the integrator starts anew where forces have changed. */
static int change_contacts(jn_sim *sim) {
    note_penetration(sim);
    bool any = end_contacts(sim);
    int status = begin_contacts(sim, &any);
    if (status < 0 || !any) return status;
    double h = sim->h;
    jn_sim_restart(sim);
    sim->h = 1e-2 * h; /* a contact is short: let the controller find its size from below */
    return JN_OK;
}

int jn_contact_start(jn_sim *sim, jn_report *report) {
    jn_newest first = look(sim);
    if (first.status < 0) return first.status;
    if (first.gap < -first.allowed) {
        const jn_model *m = sim->m;
        const jn_solid *A = &m->solids[first.pair->a], *B = &m->solids[first.pair->b];
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL,
                             m->contacts[jn_model_contact_of(m, first.pair->a, first.pair->b)].where, NULL,
                             "bodies '%s' and '%s' overlap by %.3g m at the start\ndraw them apart, or touching",
                             m->bodies[A->body].name, m->bodies[B->body].name, -first.gap);
    }
    bool any = false;
    return begin_contacts(sim, &any);
}

/* Takes the state back to `before`; CVODE interpolates within its last step instead. */
static void go_back(jn_sim *sim) {
    if (sim->cvode) return;
    jn_state_copy(sim->s, sim->before);
    sim->fresh = false;
}

static int step_to(jn_sim *sim, double t, jn_step_function *step) {
    int status = step(sim, t);
    while (status >= 0 && sim->s->t < t) status = step(sim, t);
    return status;
}

/* Steps from the state before to an earlier end; looks at the gaps there. */
static int try_to(jn_sim *sim, double t, jn_step_function *step, jn_newest *found) {
    go_back(sim);
    int status = step_to(sim, t, step);
    if (status < 0) return status;
    *found = look(sim);
    return found->status;
}

int jn_step_with_contacts(jn_sim *sim, double t, jn_step_function *step) {
    jn_state_copy(sim->before, sim->s);
    double h = sim->h, t0 = sim->s->t, g0 = INFINITY; /* last time without a new contact, and the gap there if known */
    int status = step(sim, t);
    if (status < 0) return status;
    jn_newest b = look(sim);
    double t1 = sim->s->t, g1 = b.gap;
    for (int n = 0; n < MAX_TRIES && b.status >= 0 && b.gap < -b.allowed && t1 - t0 > 1e-14 * fmax(1, fabs(t1)); n++) {
        double aim = 0.5 * b.allowed, guess = t1 - (b.gap + aim) / b.rate; /* Newton: back along the approach */
        if (isfinite(g0)) guess = t1 - (t1 - t0) * (g1 + aim) / (g1 - g0);
        double least = t0 + 0.01 * (t1 - t0), most = t1 - 0.01 * (t1 - t0);
        guess = isfinite(guess) ? fmin(most, fmax(least, guess)) : 0.5 * (t0 + t1);
        sim->audit.rejected++;
        sim->h = fmin(h, guess - t0);
        status = try_to(sim, guess, step, &b);
        if (status < 0) return status;
        if (b.gap < -b.allowed) {
            t1 = guess, g1 = b.gap;
            g0 *= 0.5;                             /* Illinois: keep the far end moving */
        } else if (b.gap > 0 && isfinite(b.gap)) { /* just before: go on from here by the rate of the gap */
            jn_state_copy(sim->before, sim->s);
            t0 = guess, g0 = b.gap;
            status = try_to(sim, fmin(t1, guess + (b.gap + aim) / fmax(-b.rate, 1e-12)), step, &b);
            if (status < 0) return status;
            t1 = sim->s->t, g1 = b.gap;
        }
    }
    if (b.status < 0) return b.status;
    if (b.gap < -b.allowed) /* the step cannot be made shorter: say so and go on [Flores2009, step vii] */
        tell(sim, "warning", jn_model_contact_of(sim->m, b.pair->a, b.pair->b), t1, b.rate, 0);
    sim->h = fmax(sim->h, 1e-3 * h);
    return change_contacts(sim);
}
