/* Past a knot of events, or an instant at which no forces are found: a short time by the nonsmooth method, in steps that end where contacts close. Velocities at its end obey the contact law
 * with dynamic friction and without restitution, for all contacts that are closed or close in it, at the configuration of its middle; positions move with the
 * velocities of its start until there, and with those of its end from there on [Moreau1988]. So impulses act where both bodies are, and momentum is kept. Nothing
 * is decided beforehand. It is reported with time and place, and the audit counts it. */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"
#include "step/integrators/integrator_tolerances.h"

#include <string.h>

/* [s] no longer than until the next contact closes; but no shorter than a single knot step. *slowly: that is no impact, but the end of a hop that gravity
 * would make in a knot. */
static double until_closing(const jn_sim *sim, double dt, double hop, bool *slowly) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_impacts *p = sim->impact;
    double first = dt;
    *slowly = true;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (!(h->gap > p->closed && h->approach < 0 && h->gap < -first * h->approach)) continue;
        first = h->gap / -h->approach, *slowly = -h->approach < hop;
    }
    return jn_fmin(dt, jn_fmax(first, p->knot));
}

static bool is_before(const jn_contact_key *x, const jn_contact_point *y) {
    if (x->a != y->a) return x->a < y->a;
    return x->b != y->b ? x->b < y->b : x->feature < y->feature;
}

/* A guess of the impulses: those of the last step, as they grow with its length. Both are sorted. */
static void guess_impulses(jn_sim *sim, double dt) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    const jn_knot_impulses *last = &p->last_knot;
    memset(p->system.f, 0, (size_t)(p->d * set->count) * sizeof *p->system.f);
    if (!(last->dt > 0)) return;
    for (int i = 0, k = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        while (k < last->count && is_before(&last->key[k], h)) k++;
        bool same =
            k < last->count && last->key[k].a == h->a && last->key[k].b == h->b && last->key[k].feature == h->feature;
        for (int r = 0; r < p->d && same; r++) p->system.f[i * p->d + r] = last->p[k * p->d + r] * (dt / last->dt);
    }
}

static void keep_impulses(jn_sim *sim, double dt) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_knot_impulses *last = &sim->impact->last_knot;
    for (int i = 0; i < set->count; i++)
        last->key[i] = (jn_contact_key){set->point[i].a, set->point[i].b, set->point[i].feature};
    memcpy(last->p, sim->impact->system.f, (size_t)(sim->impact->d * set->count) * sizeof *last->p);
    last->count = set->count, last->dt = dt;
}

/* Impulses of the step into p->system.f: v + dt b + W p obeys the law; v with the velocities of its start. */
static bool find_impulses(jn_sim *sim, double dt) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    jn_impact_system *s = &p->system;
    int D = p->d * set->count;
    double most = JN_TINY;
    jn_contact_set_velocities(set, sim->before->u, p->collision.v);
    jn_unilateral_grip(sim);
    for (int i = 0; i < set->count; i++) {
        const jn_contact_desc *row = &sim->m->contacts[set->point[i].row];
        s->grip.contact[i] = (jn_grip_contact){.mu = row->friction > 0 ? row->friction : 0};
    }
    for (int i = 0; i < D; i++) { /* rows are those of the middle, and turn until the end */
        s->load[i] = p->collision.v[i] + dt * (s->b[i] - 0.5 * s->bias[i]);
        most = jn_max(most, fabs(s->load[i]));
    }
    for (int i = 0; i < set->count && dt > 0; i++)
        if (set->point[i].geometry.gap > p->closed)
            s->load[i * p->d] += 2 * set->point[i].geometry.gap / dt; /* open: until it has closed */
    s->grip.b = s->load, s->grip.scale = most;
    bool solved = jn_grip_solve(&s->grip);
    for (int i = 0; i < D; i++)
        if (!isfinite(s->f[i])) s->f[i] = 0, solved = false;
    return solved;
}

/* Change of the velocities by forces and impulses, into x->free; joints with their own in x->impulse. */
static int find_change(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    const jn_impacts *p = sim->impact;
    memset(x->free, 0, (size_t)m->nv * sizeof *x->free);
    if (m->row_count == 0) {
        if (x->set.count) jn_contact_set_apply(&x->set, sim, p->system.f, x->free);
    } else {
        for (int i = 0; i < m->row_count; i++) x->impulse[i] *= dt; /* forces until here */
        memset(x->applied, 0, (size_t)m->nv * sizeof *x->applied);
        jn_contact_set_force(&x->set, p->system.f, x->applied);
        int status = x->set.count ? jn_kkt_solve(m, sim->w, x->applied, NULL, x->free, sim->w->lambda) : JN_OK;
        if (status < 0) return status;
        for (int i = 0; i < m->row_count && x->set.count; i++) x->impulse[i] += sim->w->lambda[i];
    }
    for (int i = 0; i < m->nv; i++) x->free[i] += dt * p->rate[i];
    return JN_OK;
}

/* Work of the impulses, of forces during the step, and of drivers; impulses from outside. */
static void book(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    const jn_model *m = sim->m;
    jn_ledger power = jn_power_get(sim->w), *l = &sim->s->ledger;
    double after[3];
    power.given = wr_zero();
    power.driven -= sim->w->driver_power; /* below, from the impulses */
    jn_ledger_add(l, dt, &power);
    for (int i = 0; i < x->set.count; i++) {
        const double *f = p->system.f + i * p->d, *before = p->collision.v + i * p->d;
        jn_contact_multiply_one(&x->set, i, x->free, after);
        double normal = -f[0] * (before[0] + 0.5 * after[0]), slip = 0;
        for (int r = 1; r < p->d; r++) slip -= f[r] * (before[r] + 0.5 * after[r]);
        l->damping += normal, l->friction += slip, l->dissipated += normal + slip;
        l->driven += jn_contact_surface_work(&x->set, i, f);
    }
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER)
            l->driven += x->impulse[i] * sim->w->speed[m->drivers[m->rows[i].item].handle];
    jn_audit_give(sim, jn_nonsmooth_external(sim, dt, x->free, m->row_count ? x->impulse : NULL, p->system.f));
}

/* The contact with the largest impulse stands for all. */
static void note(jn_sim *sim, bool solved, double dt) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_impacts *p = sim->impact;
    jn_audit *a = &sim->audit;
    int most = 0;
    for (int i = 1; i < set->count; i++)
        if (p->system.f[i * p->d] > p->system.f[most * p->d]) most = i;
    if (a->knots++ == 0) a->knot_first = sim->s->t;
    a->knot_time += dt, a->unsolved += !solved;
    if (set->count == 0) return;
    if (!a->knot_at) a->knot_at = jn_contact_point_name(sim->m, &set->point[most]);
    jn_nonsmooth_report(sim, "knot", &set->point[most], sim->s->t, p->collision.v[most * p->d],
                        p->system.a[most * p->d], p->system.f + most * p->d);
}

double jn_impact_knot_length(const jn_impacts *p) {
    double length = p->knot * (1 << p->knots), stable = JN_STIFF_KNOT * p->stiff.allowed;
    return stable > 0 ? jn_max(p->knot, jn_min(length, stable)) : length;
}

/* [s] of a step of at most dt from the state: bodies turn little in it, and it ends where the next contact closes, *slowly or by an impact. */
static int choose_length(jn_sim *sim, double *dt, bool *slowly) {
    jn_impacts *p = sim->impact;
    double fastest = 0, hop = jn_impact_knot_length(p) * v3_norm(sim->m->gravity);
    int status = jn_impact_gather(sim, *dt, 0);
    if (status < 0) return status;
    for (int i = 1; i < sim->m->link_count; i++) fastest = jn_max(fastest, v3_norm(sim->w->link[i].V.w));
    if (*dt > p->knot && fastest * *dt > JN_KNOT_TURN_MOST) *dt = jn_max(p->knot, JN_KNOT_TURN_MOST / fastest);
    *dt = until_closing(sim, *dt, hop, slowly);
    return JN_OK;
}

/* Forces and impulses at the middle of the step, where the positions of the state are; velocities change by x->free. */
static int solve(jn_sim *sim, double dt, bool *solved) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    double falls = JN_KNOT_FALL_REACH * v3_norm(sim->m->gravity) * dt * dt;
    int nv = sim->m->nv, status = jn_impact_gather(sim, 0.5 * dt, falls);
    for (int pass = 0; pass < JN_KNOT_PASSES && status >= 0; pass++) {
        for (int i = 0; i < nv && pass; i++) sim->s->u[i] = sim->before->u[i] + 0.5 * x->free[i];
        status = jn_unilateral_pose(sim, sim->s, p->rate, sim->w->lambda);
        if (status < 0) return jn_sim_fail(sim, status, "the accelerations are not finite at t = %.9g s", sim->s->t);
        if (x->set.count == 0) memcpy(x->impulse, sim->w->lambda, (size_t)sim->m->row_count * sizeof *x->impulse);
        if (pass == 0) guess_impulses(sim, dt);
        *solved = x->set.count == 0 || find_impulses(sim, dt);
        status = find_change(sim, dt);
        if (status < 0)
            return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\nlook at the configuration just before",
                               sim->s->t);
    }
    return status;
}

/* One step of the length dt from sim->before to the time `end`. */
static int take(jn_sim *sim, double dt, double end, bool *solved) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_q_advance(m, sim->s->q, sim->s->u, 0.5 * dt);
    if (sim->has_quaternions) jn_q_normalise(m, sim->s->q);
    sim->s->t += 0.5 * dt;
    jn_kinematics(m, sim->w, sim->s);
    int status = solve(sim, dt, solved);
    if (status < 0) return status;
    book(sim, dt);
    for (int i = 0; i < m->nv; i++) {
        sim->s->u[i] = sim->before->u[i] + x->free[i];
        if (!isfinite(sim->s->u[i]))
            return jn_sim_fail(sim, JN_ERR_NUMERIC, "velocities are not finite at t = %.9g s", sim->s->t);
    }
    jn_q_advance(m, sim->s->q, sim->s->u, 0.5 * dt);
    if (sim->has_quaternions) jn_q_normalise(m, sim->s->q);
    sim->s->t = end;
    return JN_OK;
}

/* [m] how deep the deepest contact point lies at the state; INFINITY: more pairs than there is room for. */
static double find_depth(jn_sim *sim) {
    const jn_detection *detection = sim->contacts->detection;
    double deepest = 0;
    jn_kinematics(sim->m, sim->w, sim->s);
    if (jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin) < 0) return INFINITY;
    for (int q = 0; q < jn_detection_pairs(detection); q++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, q);
        for (int k = pair->first; k < pair->first + pair->count; k++)
            deepest = jn_max(deepest, -jn_detection_contact(detection, k)->gap);
    }
    return deepest;
}

/* Whether contacts that carry load have left their surfaces by more than they may, or others have sunk; depth [m]: of the start. */
static bool drifts(jn_sim *sim, double depth) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_impacts *p = sim->impact;
    double most = jn_max(JN_KNOT_SINK_MOST * p->closed, JN_KNOT_SINK_MORE * depth);
    if (find_depth(sim) > most) return true;
    jn_unilateral_follow(sim);
    for (int i = 0; i < set->count; i++) {
        bool loaded = p->system.f[i * p->d] > 0 && !p->unilateral[i].lost;
        if (loaded && fabs(set->point[i].geometry.gap) > most) return true;
    }
    return false;
}

/* Closed contacts that approach stop, without restitution. */
static int stop_approaching(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool any = false, solved;
    jn_kinematics(sim->m, sim->w, sim->s);
    int status = jn_impact_gather(sim, 0, 0);
    for (int i = 0; i < set->count && status >= 0; i++) any |= set->point[i].approach < -jn_impact_still(sim);
    if (!any || status < 0) return status;
    jn_state_copy(sim->before, sim->s);
    return take(sim, 0, sim->s->t, &solved);
}

/* Of contacts that were closed and approached one that the impulses have not stopped, by the velocities that the law was asked of: their rows turn by half of the
 * step. -1: there is none. */
static int find_unstopped(const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_impacts *p = sim->impact;
    double dt = sim->s->t - sim->before->t, after[3];
    for (int i = 0; i < set->count; i++) {
        double before = p->collision.v[i * p->d];
        if (!(set->point[i].gap <= p->closed && before < -jn_impact_still(sim))) continue;
        jn_contact_velocities_one(set, i, sim->s->u, after);
        if (after[0] + 0.5 * dt * p->system.bias[i * p->d] < JN_KNOT_UNSTOPPED * before) return i;
    }
    return -1;
}

/* One step, at most to the time `end`; *slowly: as above. */
static int pass(jn_sim *sim, double end, bool *slowly) {
    jn_impacts *p = sim->impact;
    double left = end - sim->s->t, dt = jn_min(left, p->last_knot.fits), depth = 0;
    bool solved = true, shorter = false;
    int status = stop_approaching(sim);
    if (dt > p->knot) depth = find_depth(sim);
    jn_state_copy(sim->before, sim->s);
    if (status >= 0) status = choose_length(sim, &dt, slowly);
    for (bool again = status >= 0; again;) {
        double to = dt >= left * (1 - JN_CONTROL_LAST_REL) ? end : sim->before->t + dt;
        status = take(sim, to - sim->before->t, to, &solved);
        again = status >= 0 && dt > p->knot && drifts(sim, depth);
        if (again) jn_state_copy(sim->s, sim->before), dt = jn_max(p->knot, JN_KNOT_SHORTER * dt), shorter = true;
    }
    int driven = status >= 0 && sim->m->driver_count ? find_unstopped(sim) : -1;
    if (driven >= 0) return jn_contact_set_fail_driven(sim, driven);
    p->last_knot.fits = shorter ? dt : jn_max(p->last_knot.fits, JN_KNOT_LONGER * dt);
    if (status >= 0) note(sim, solved, sim->s->t - sim->before->t), keep_impulses(sim, sim->s->t - sim->before->t);
    return status < 0 ? status : jn_settle(sim);
}

int jn_impact_knot(jn_sim *sim, double t) {
    jn_impacts *p = sim->impact;
    const jn_nonsmooth *x = sim->nonsmooth;
    double begin = sim->s->t, length = jn_impact_knot_length(p), end = t - begin > length ? begin + length : t;
    bool slowly = true;
    int status = JN_OK;
    jn_nonsmooth_hide_forces(sim);
    if (p->knots == 0) p->last_knot.fits = INFINITY, p->last_knot.count = 0;
    for (int n = 0; n < JN_KNOT_PIECES && status >= 0 && slowly && sim->s->t < end; n++)
        status = pass(sim, end, &slowly);
    if (status < 0) return status;
    for (int i = 0; i < p->d * x->set.count; i++) p->system.f[i] /= sim->s->t - sim->before->t;
    p->ready = false, p->knot_end = sim->s->t, p->laws = 0;
    p->knot_steps = sim->audit.steps + sim->audit.rejected;
    if (p->knots < JN_KNOT_DOUBLINGS) p->knots++;
    return status;
}
