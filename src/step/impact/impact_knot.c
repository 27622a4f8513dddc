/* Past a knot of events, or an instant at which no forces are found: one short step of the nonsmooth method. Velocities at its end obey the contact law
 * with dynamic friction and without restitution, for all contacts that are closed or close in it; positions move with the mean velocity. Nothing is
 * decided beforehand. It is reported with time and place, and the audit counts it. */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"

#include <string.h>

enum { DOUBLINGS = 6 }; /* of the step, where knots follow each other */

/* [s] no longer than until the next contact closes, where it is an impact; but no shorter than a single knot step. */
static double until_closing(const jn_sim *sim, double dt) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_impacts *p = sim->impact;
    double first = dt;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (h->gap > p->closed && h->approach < 0) first = jn_fmin(first, h->gap / -h->approach);
    }
    return jn_fmin(dt, jn_fmax(first, p->knot));
}

/* Impulses of the step into p->system.f: v + dt b + W p obeys the law. */
static bool find_impulses(jn_sim *sim, double dt) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    jn_impact_system *s = &p->system;
    int D = p->d * set->count;
    double most = 1e-300;
    jn_contact_set_multiply(set, sim->s->u, p->collision.v);
    jn_unilateral_grip(sim);
    for (int i = 0; i < set->count; i++) {
        const jn_contact_desc *row = &sim->m->contacts[set->point[i].row];
        s->grip.contact[i] = (jn_grip_contact){.mu = row->friction > 0 ? row->friction : 0};
    }
    for (int i = 0; i < D; i++) s->load[i] = p->collision.v[i] + dt * s->b[i], most = jn_max(most, fabs(s->load[i]));
    for (int i = 0; i < set->count && dt > 0; i++)
        s->load[i * p->d] += jn_max(0, set->point[i].geometry.gap) / dt; /* open: until it has closed */
    s->grip.b = s->load, s->grip.scale = most;
    memset(s->f, 0, (size_t)D * sizeof *s->f);
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
    a->knots++, a->knot_time += dt, a->unsolved += !solved;
    if (set->count == 0) return;
    if (!a->knot_at) a->knot_at = jn_contact_point_name(sim->m, &set->point[most]), a->knot_first = sim->s->t;
    jn_nonsmooth_report(sim, "knot", &set->point[most], sim->s->t, p->collision.v[most * p->d],
                        p->system.a[most * p->d], p->system.f + most * p->d);
}

static void advance(jn_sim *sim, double dt, double end) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < m->nv; i++) sim->s->u[i] += 0.5 * x->free[i];
    jn_q_advance(m, sim->s->q, sim->s->u, dt);
    for (int i = 0; i < m->nv; i++) sim->s->u[i] += 0.5 * x->free[i];
    sim->s->t = end;
}

double jn_impact_knot_length(const jn_impacts *p) {
    return p->knot * (1 << (p->knots < DOUBLINGS ? p->knots : DOUBLINGS));
}

int jn_impact_knot(jn_sim *sim, double t) {
    jn_impacts *p = sim->impact;
    jn_nonsmooth *x = sim->nonsmooth;
    double dt = jn_impact_knot_length(p), left = t - sim->s->t;
    bool last = dt >= left * (1 - 1e-9);
    if (last) dt = left;
    p->knots++;
    jn_unilateral_hide(sim);
    int status = jn_impact_gather(sim, dt);
    double first = status < 0 ? dt : until_closing(sim, dt);
    if (first < dt) dt = first, last = false, status = jn_impact_gather(sim, dt);
    if (status >= 0) status = jn_unilateral_pose(sim, sim->s, p->rate, sim->w->lambda);
    if (status < 0)
        return sim->error.status < 0
                   ? status
                   : jn_sim_fail(sim, status, "the accelerations are not finite at t = %.9g s", sim->s->t);
    if (x->set.count == 0) memcpy(x->impulse, sim->w->lambda, (size_t)sim->m->row_count * sizeof *x->impulse);
    bool solved = x->set.count == 0 || find_impulses(sim, dt);
    status = find_change(sim, dt);
    if (status < 0)
        return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\nlook at the configuration just before",
                           sim->s->t);
    book(sim, dt);
    note(sim, solved, dt);
    advance(sim, dt, last ? t : sim->s->t + dt);
    for (int i = 0; i < sim->m->nv; i++)
        if (!isfinite(sim->s->u[i]))
            return jn_sim_fail(sim, JN_ERR_NUMERIC, "velocities are not finite at t = %.9g s", sim->s->t);
    status = jn_settle(sim);
    for (int i = 0; i < p->d * x->set.count; i++) p->system.f[i] /= dt;
    p->ready = false, p->knot_end = sim->s->t;
    return status;
}
