/* An impact: the problem of all closed contacts at this instant, the law, and what comes of it. */
#include "step/impact/impact_method.h"
#include "step/impact/impact_response.h"

#include "reaction/compliant/clearance_motion.h"
#include <string.h>

/* Axes, friction and coefficients of the closed contacts. The impulse acts on the second body. */
static void describe(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        const jn_contact_desc *row = &sim->m->contacts[h->row];
        jn_impact_contact *c = &p->collision.point[i];
        int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
        jn_vec3 axis[3] = {h->geometry.n, h->t[0], h->t[1]}, r = v3_scale(0.5, v3_add(h->geometry.pA, h->geometry.pB));
        double *to[4] = {c->normal, c->tangent[0], c->tangent[1], c->r};
        for (int k = 0; k < 4; k++) {
            jn_vec3 v = k < 3 ? axis[k] : r;
            to[k][0] = v.x, to[k][1] = v.y, to[k][2] = v.z;
        }
        c->body[0] = B ? B : -1, c->body[1] = A ? A : -1;
        c->mu_d = row->friction > 0 ? row->friction : 0;
        c->mu_s = row->stick > c->mu_d ? row->stick : c->mu_d;
        c->stiffness = row->stiffness > 0 ? row->stiffness : 0;
        c->e = row->restitution_count  ? row->restitutions
               : row->restitution >= 0 ? &row->restitution
                                       : &p->collision.none;
        c->e_count = row->restitution_count ? row->restitution_count : 1;
        c->e_t = row->tangential_restitution > 0 ? row->tangential_restitution : 0;
        p->collision.name[i] = row->name;
        p->collision.body[i][0] = sim->m->solids[h->a].body, p->collision.body[i][1] = sim->m->solids[h->b].body;
    }
}

/* Kinematics, rows and velocities of the closed contacts at the state. */
static int pose(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    const jn_model *m = sim->m;
    jn_kinematics(m, sim->w, sim->s);
    if (m->closure_count + m->reach_count + m->row_count + m->actuator_count + m->signal_count) jn_measure_all(m, sim->w, sim->s);
    if (m->row_count) jn_constraint_rows(m, sim->w, sim->s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    set->dimension = p->d;
    for (int i = 0; i < set->count; i++) jn_contact_point_tangents(sim, &set->point[i]);
    int status = jn_inertia_factor(sim);
    if (status >= 0) status = jn_contact_set_rows(set, sim);
    if (status < 0)
        return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\nlook at the configuration just before",
                           sim->s->t);
    jn_unilateral_matrix(sim);
    jn_contact_set_velocities(set, sim->s->u, p->collision.v);
    return JN_OK;
}

/* Dense M and J for the split of the kinetic energy. */
static void split_energy(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    int nv = sim->m->nv, d = p->d, D = d * set->count;
    double *M = p->collision.dense, *J = M + (size_t)nv * (size_t)nv, *rest = J + (size_t)D * (size_t)nv;
    jn_mass_matrix(sim->m, sim->w, sim->s, M);
    memset(J, 0, (size_t)D * (size_t)nv * sizeof *J);
    for (int i = 0; i < set->count; i++)
        for (int k = set->start[i]; k < set->start[i + 1]; k++)
            for (int r = 0; r < d; r++) J[(d * i + r) * nv + set->dof_of[k]] = set->H[k * d + r];
    jn_impact_split(nv, D, M, J, rest, p->collision.split);
}

/* Whether all contacts that approach have collided a moment ago. */
static bool accumulates(const jn_sim *sim, double still) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool all = true;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (sim->impact->collision.v[i * sim->impact->d] >= -still) continue;
        const jn_contact_state *cached = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
        all &= cached && cached->collided && sim->s->t - cached->start < sim->impact->rest;
    }
    return all;
}

static void look_at_bodies(jn_sim *sim, int after) {
    jn_impacts *p = sim->impact;
    if (!sim->impact_sink) return;
    for (int b = 0; b < sim->m->body_count; b++)
        jn_body_motion_get(sim->m, sim->w, b, &p->collision.motion[after * sim->m->body_count + b]);
}

static void report(jn_sim *sim, const char *kind, const jn_impact_problem *problem) {
    const jn_impacts *p = sim->impact;
    jn_kinematics(sim->m, sim->w, sim->s);
    look_at_bodies(sim, 1);
    if (!sim->impact_sink) return;
    jn_impact_report out = {.time = sim->s->t,
                            .kind = kind,
                            .name = p->collision.name,
                            .problem = problem,
                            .body = (const int(*)[2])p->collision.body,
                            .before = p->collision.motion,
                            .after = p->collision.motion + sim->m->body_count,
                            .record = &p->collision.record,
                            .response = jn_impact_response(sim)};
    sim->impact_sink(sim->impact_context, &out);
}

/* Velocities after the impulses, with those of joints and drivers. */
static int apply(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    const double *p = sim->impact->collision.record.p;
    if (m->row_count == 0) {
        memcpy(x->free, sim->s->u, (size_t)m->nv * sizeof *x->free);
        jn_contact_set_apply(&x->set, sim, p, sim->s->u);
        for (int i = 0; i < m->nv; i++) x->free[i] = sim->s->u[i] - x->free[i];
        jn_audit_give(sim, jn_nonsmooth_external(sim, 0, x->free, NULL, p));
        return JN_OK;
    }
    memset(x->applied, 0, (size_t)m->nv * sizeof *x->applied);
    jn_contact_set_force(&x->set, p, x->applied);
    int status = jn_kkt_solve(m, sim->w, x->applied, NULL, x->free, x->impulse);
    for (int i = 0; i < m->nv; i++) sim->s->u[i] += x->free[i];
    jn_audit_give(sim, jn_nonsmooth_external(sim, 0, x->free, x->impulse, p));
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER)
            sim->s->ledger.driven += x->impulse[i] * sim->w->speed[m->drivers[m->rows[i].item].handle];
    return status;
}

static void book(jn_sim *sim) {
    const jn_impact_record *r = &sim->impact->collision.record;
    jn_ledger *l = &sim->s->ledger;
    jn_audit *audit = &sim->audit;
    l->damping -= r->normal, l->friction -= r->tangential, l->dissipated -= r->normal + r->tangential;
    for (int i = 0; i < sim->nonsmooth->set.count; i++)
        l->driven += jn_contact_surface_work(&sim->nonsmooth->set, i, r->p + i * sim->impact->d);
    audit->impacts++;
    bool stops =
        r->end == JN_IMPACT_LIMIT && !sim->impact->options.finish; /* the events asked for were made: an end, too */
    if (stops) audit->impacts_stopped = 1;
    if (r->end != JN_IMPACT_COMPLETE && !stops) {
        audit->impacts_unfinished++;
        ++*(r->end == JN_IMPACT_LIMIT    ? &audit->impacts_limited
            : r->end == JN_IMPACT_JAMMED ? &audit->impacts_jammed
                                         : &audit->impacts_unsolved);
    }
    if (r->change > JN_IMPACT_GAIN_REL * r->energy) {
        int most = 0;
        for (int i = 1; i < sim->nonsmooth->set.count; i++)
            if (r->normal_of[i] + r->slide_of[i] > r->normal_of[most] + r->slide_of[most]) most = i;
        audit->contact_gain += r->change, audit->contact_gain_at = sim->impact->collision.name[most];
    }
}

/* The cache remembers when a contact collided, for the rule of accumulation; events report it. */
static void note(jn_sim *sim, const char *kind) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_impacts *p = sim->impact;
    int d = p->d;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        const double *P = p->collision.record.p + i * d;
        if (!(P[0] > 0)) continue;
        jn_contact_state *cached = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
        if (!cached) cached = jn_contact_cache_insert(sim->m, sim->s, h->a, h->b, h->feature);
        if (cached) cached->start = sim->s->t, cached->collided = 1, cached->speed = -p->collision.v[i * d];
        jn_nonsmooth_report(sim, kind, h, sim->s->t, p->collision.v[i * d], p->collision.record.v[i * d], P);
    }
}

/* [m/s] approaches that the laws take for none: in parts of the velocities that they see. */
static double least_approach(const jn_sim *sim, double still) {
    const jn_impacts *p = sim->impact;
    double most = 0;
    for (int i = 0; i < sim->nonsmooth->set.count; i++) {
        bool rough = sim->m->contacts[sim->nonsmooth->set.point[i].row].friction > 0;
        for (int r = 0; r < (rough ? p->d : 1); r++) most = jn_max(most, fabs(p->collision.v[i * p->d + r]));
    }
    return jn_max(still, JN_IMPACT_APPROACH_REL * most);
}

/* Impact without restitution of a contact that jams: pushed from an approach that vanishes against its slip. */
static void add_push(jn_impacts *p, int contacts) {
    double slip = 0;
    for (int i = 0; i < p->d * contacts; i++) slip = jn_max(slip, fabs(p->collision.v[i]));
    for (int i = 0; i < contacts; i++)
        p->collision.v[i * p->d] = jn_min(p->collision.v[i * p->d], -JN_IMPACT_PUSH_REL * slip);
}

/* The law of the run, or one impact without restitution. False: it has no answer, or leaves contacts that approach. */
static bool solve(jn_sim *sim, jn_impact_problem *problem, bool ends, double still) {
    jn_impacts *p = sim->impact;
    jn_impact_options options = p->options;
    static const double none[1] = {0};
    if (ends) {
        options.law = JN_IMPACT_MOREAU, options.e = none, options.e_count = 1;
        for (int i = 0; i < problem->contacts; i++) p->collision.point[i].e = NULL;
    }
    problem->split = NULL;
    if (options.work == JN_IMPACT_KINETIC_SPLIT && !ends)
        split_energy(sim), problem->split = p->collision.split;
    else
        options.work = JN_IMPACT_NORMAL;
    problem->energy = jn_energy_get(sim->m, sim->w).kinetic;
    options.sample = sim->impact_path, options.context = sim->impact_path_context;
    jn_impact_record_place(&p->collision.record, p->d, problem->contacts, p->collision.events,
                           p->collision.record_memory);
    if (jn_impact_solve(problem, &options, p->collision.scratch, &p->collision.record) < 0) return false;
    p->stopped = p->collision.record.end == JN_IMPACT_LIMIT && !options.finish;
    bool fine = true;
    for (int i = 0; i < problem->contacts && !p->stopped; i++) fine &= p->collision.record.v[i * p->d] >= -still;
    return fine;
}

/* Impacts of an accumulation, and what is lost by not following it. */
static void note_rest(jn_sim *sim) {
    const jn_impact_record *r = &sim->impact->collision.record;
    sim->audit.rests++, sim->audit.rest_loss -= r->normal + r->tangential;
}

int jn_impact_collide(jn_sim *sim, bool push, bool *any) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    *any = p->rested = false;
    if (set->count == 0) return JN_OK;
    int status = pose(sim), d = p->d;
    if (status < 0) return status;
    double still = least_approach(sim, jn_impact_still(sim));
    p->fastest = 0;
    for (int i = 0; i < set->count; i++) p->fastest = jn_max(p->fastest, -p->collision.v[i * d]);
    *any = p->fastest > still;
    if (push) add_push(p, set->count), *any = true;
    if (!*any) return JN_OK;
    describe(sim);
    jn_impact_problem problem = {.dimension = d,
                                 .contacts = set->count,
                                 .beta = p->system.W,
                                 .v = p->collision.v,
                                 .contact = p->collision.point};
    bool ends = push || accumulates(sim, still);
    look_at_bodies(sim, 0);
    bool solved = solve(sim, &problem, ends, push ? INFINITY : still);
    if (!solved && !ends) { /* the law has no answer */
        ends = true, sim->audit.impacts_unfinished++, sim->audit.impacts_unsolved++;
        solved = solve(sim, &problem, ends, still);
    }
    if (!solved) return p->stopped = false, JN_NOT_CONVERGED;
    p->rested = ends;
    status = apply(sim);
    if (status < 0) return status;
    book(sim);
    if (ends && !push) note_rest(sim);
    note(sim, push ? "jam" : ends ? "rest" : "impact");
    report(sim, push ? "jam" : ends ? "rest" : "impact", &problem);
    return JN_OK;
}
