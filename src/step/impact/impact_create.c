/* Memory and settings of the impact method. */
#include "step/contact_set/gap_path.h"
#include "step/impact/impact_method.h"
#include "step/impact/impact_response.h"

#include "base/memory.h"
#include <string.h>

static int complain(const jn_model *m, jn_report *report, const char *path, const char *text) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){m->file, 1, 1}, path, "%s", text);
}

/* One coefficient below zero asks for the law that knows what that is. */
static int check_coefficients(const jn_model *m, const jn_impact_info *law, jn_report *report) {
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_desc *c = &m->contacts[i];
        for (int k = 0; k < c->restitution_count; k++)
            if (c->restitutions[k] < 0 && !law->negative)
                return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, c->where, c->name,
                                     "law '%s' has no restitution below 0, as %g is\nwrite 'law: simultaneous' in run",
                                     law->name, c->restitutions[k]);
        int last = c->restitution_count - 1;
        if (last >= 0 && c->restitutions[last] == -1)
            return jn_report_add(
                report, JN_SEVERITY_ERROR, JN_ERR_MODEL, c->where, c->name,
                "a restitution of -1 ends an impact event before it begins, and the last one is that of "
                "all further events\nlet the list end with one above -1, as [-0.8, 0.5]");
        if (c->stick < c->friction)
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, c->where, c->name,
                                 "static friction, %g, is less than dynamic friction, %g\nmake 'static' the larger one",
                                 c->stick, c->friction);
        if (c->tangential_restitution > 0 && law != jn_impact_get_info(JN_IMPACT_STAGED))
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, c->where, c->name,
                                 "law '%s' has no tangential restitution\nwrite 'law: staged' in run, or leave "
                                 "'tangential_restitution' out",
                                 law->name);
    }
    return JN_OK;
}

static int check(const jn_sim *sim, const jn_impact_info *law, jn_report *report) {
    const jn_model *m = sim->m;
    if (jn_integrator_get_info(m->run.integrator)->symplectic)
        return complain(m, report, "run.integrator",
                        "method impact needs an integrator for accelerations\nwrite 'integrator: dopri45'");
    if (m->run.impact_work == JN_IMPACT_KINETIC_SPLIT && m->row_count)
        return complain(m, report, "run.work",
                        "'kinetic_split' is for systems without loops and drivers\nwrite 'work: normal', or "
                        "'coordinates: relative'");
    return check_coefficients(m, law, report);
}

static void set_options(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    const jn_run_desc *run = &sim->m->run;
    p->options = jn_impact_default(run->impact_law);
    p->options.rows = run->impact_rows, p->options.work = run->impact_work, p->options.binary = run->impact_binary;
    p->options.bi_stiffness = run->bi_stiffness;
    if (run->impact_tolerance > 0) p->options.tolerance = run->impact_tolerance;
    if (run->impact_events > 0) p->options.impacts = (int)run->impact_events, p->options.finish = false;
    for (int i = 0; i < sim->m->contact_count; i++)
        if (sim->m->contacts[i].exponent >= 1) p->options.exponent = sim->m->contacts[i].exponent;
    p->rest = run->rest_time > 0 ? run->rest_time : JN_IMPACT_REST_TIME;
    p->knot = run->knot_step > 0 ? run->knot_step : JN_IMPACT_KNOT_STEP, p->slack = 1, p->kink = -INFINITY;
}

/* Size of what moves, below a billionth of which gaps are closed; and how far bodies may move in a step. O(solids^2), once. */
static void set_sizes(jn_sim *sim) {
    const jn_model *m = sim->m;
    double size = 0;
    for (int i = 0; i < m->solid_count; i++) {
        const jn_solid *s = &m->solids[i];
        if (s->link && isfinite(s->reach)) size = jn_max(size, s->reach + v3_norm(s->local.p));
    }
    sim->impact->travel = jn_gap_path_length(sim);
    sim->impact->closed = JN_IMPACT_CLOSED_REL * jn_min(size > 0 ? size : 1, 1);
}

static void *take(char **at, size_t count, size_t size) {
    void *out = *at;
    *at = (char *)((uintptr_t)*at + (count * size + 63) / 64 * 64); /* of no block too: it is measured then */
    return out;
}

static void lay_out_slip(jn_slow_slip *s, size_t n, size_t nv, size_t ny, char **at) {
    s->V = take(at, n * nv, sizeof(double)), s->B = take(at, n * nv, sizeof(double));
    s->C = take(at, n * n, sizeof(double)), s->S = take(at, n * n, sizeof(double));
    s->G = take(at, 2 * n, sizeof(double)), s->x = take(at, n, sizeof(double)), s->y = take(at, n, sizeof(double));
    s->bias = take(at, n, sizeof(double)), s->slip = take(at, n, sizeof(double));
    s->start = take(at, n, sizeof *s->start), s->speed = take(at, n, sizeof(double)),
    s->external = take(at, n, sizeof *s->external);
    s->driven = take(at, n, sizeof *s->driven);
    s->pivot = take(at, n, sizeof(int)), s->error = take(at, ny, sizeof(double));
}

static void lay_out_stiff(jn_stiff_motion *s, size_t nv, char **at) {
    s->J = take(at, nv * nv, sizeof(double)), s->S = take(at, nv * nv, sizeof(double));
    s->x = take(at, nv, sizeof(double)), s->pivot = take(at, nv, sizeof(int));
}

/* Whether there are forces that may be stiff, and room for their Jacobian. */
static bool may_be_stiff(const jn_model *m) {
    return m->has_M && m->nv <= JN_STIFF_VELOCITIES && m->actuator_count + m->spring_count + m->bushing_count > 0;
}

static size_t lay_out(jn_impacts *p, const jn_sim *sim, size_t scratch, size_t record, char *base) {
    char *at = base;
    const jn_model *m = sim->m;
    size_t most = (size_t)p->most, D = most * (size_t)p->d, nv = (size_t)m->nv + 1, ny = (size_t)sim->ny;
    size_t widest = (size_t)sim->nonsmooth->set.widest;
    p->unilateral = take(&at, most, sizeof *p->unilateral);
    jn_grip *g = &p->system.grip;
    double **square[] = {&p->system.W, &g->A, &p->system.qr.Y},
           **line[] = {&p->system.b, &p->system.b_before, &p->system.bias, &p->system.f,
                       &p->system.a, &p->system.load,     &p->collision.v, &g->z,
                       &g->r,        &g->spring,          &g->mu,          &g->q};
    for (size_t k = 0; k < sizeof square / sizeof *square; k++) *square[k] = take(&at, D * D, sizeof(double));
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) *line[k] = take(&at, D, sizeof(double));
    p->system.f_held = take(&at, 2 * D, sizeof(double)), p->system.anchor = take(&at, D, sizeof(double));
    p->system.key = take(&at, most, sizeof *p->system.key);
    g->contact = take(&at, most, sizeof *g->contact);
    g->unknown = take(&at, D, sizeof(int)), g->pivot = take(&at, D, sizeof(int));
    g->island = take(&at, most, sizeof(int)), g->first = take(&at, most + 1, sizeof(int));
    g->order = take(&at, most, sizeof(int)), g->from = take(&at, most + 1, sizeof(int));
    g->place = take(&at, most, sizeof(size_t)), g->x_from = take(&at, most + 1, sizeof(int));
    g->parent = take(&at, nv, sizeof(int)), g->id = take(&at, nv, sizeof(int)), g->at = take(&at, nv, sizeof(int));
    g->x = take(&at, nv, sizeof(double)), g->open = take(&at, most, sizeof(double));
    g->Y_slip = take(&at, most * widest * (size_t)p->d, sizeof(double));
    lay_out_slip(&p->slip, p->d == 3 ? 2 * most : 0, nv, ny, &at);
    if (may_be_stiff(m)) lay_out_stiff(&p->stiff, nv, &at);
    p->system.vector = take(&at, 8 * D, sizeof(double));
    p->system.qr.beta = take(&at, D, sizeof(double)), p->system.qr.tz = take(&at, D, sizeof(double)),
    p->system.qr.x = take(&at, D, sizeof(double));
    p->system.qr.pivot = take(&at, D, sizeof(int));
    p->system.unknown = take(&at, D, sizeof(int));
    p->rate = take(&at, nv, sizeof(double));
    p->collision.point = take(&at, most, sizeof *p->collision.point);
    p->collision.body = take(&at, most, sizeof *p->collision.body);
    p->collision.motion = take(&at, 2 * (size_t)m->body_count, sizeof *p->collision.motion);
    p->collision.name = take(&at, most, sizeof *p->collision.name);
    if (p->options.work == JN_IMPACT_KINETIC_SPLIT) {
        p->collision.split = take(&at, D * D, sizeof(double));
        p->collision.dense = take(&at, nv * nv + D * nv + nv * (3 * nv + 2 * D), sizeof(double));
    }
    size_t followed = (size_t)(p->most < JN_RESPONSE_CONTACTS ? p->most : JN_RESPONSE_CONTACTS) * (size_t)p->d;
    p->collision.response = take(&at, 6 * (size_t)m->body_count * followed, sizeof(double));
    p->collision.unit = take(&at, followed, sizeof(double)), p->collision.kept = take(&at, nv, sizeof(double));
    p->collision.load = take(&at, nv, sizeof(double));
    p->last_knot.key = take(&at, (size_t)p->most, sizeof *p->last_knot.key);
    p->last_knot.p = take(&at, (size_t)(p->d * p->most), sizeof(double));
    p->collision.reaction = take(&at, (size_t)m->row_count + 1, sizeof(double));
    p->collision.scratch = take(&at, scratch, 1);
    p->collision.record_memory = take(&at, record, 1);
    return (size_t)(at - base);
}

int jn_impacts_create(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    jn_impacts *p = sim->impact = jn_malloc(sizeof *p);
    if (!p) return JN_ERR_MEMORY;
    memset(p, 0, sizeof *p);
    p->d = m->planar ? 2 : 3;
    p->most = m->contact_room < JN_IMPACT_CONTACTS_LEAST  ? JN_IMPACT_CONTACTS_LEAST
              : m->contact_room > JN_IMPACT_CONTACTS_MOST ? JN_IMPACT_CONTACTS_MOST
                                                          : m->contact_room;
    if (p->most > m->contact_room) p->most = m->contact_room;
    p->collision.events = JN_IMPACT_EVENTS_KEPT;
    int status = check(sim, jn_impact_get_info(m->run.impact_law), report);
    if (status < 0) return status;
    set_options(sim);
    set_sizes(sim);
    jn_impact_contact *rough = jn_malloc((size_t)p->most * sizeof *rough);
    if (!rough) return JN_ERR_MEMORY;
    for (int i = 0; i < p->most; i++) rough[i] = (jn_impact_contact){.mu_s = 1, .mu_d = 1};
    size_t scratch =
        jn_impact_scratch(&(jn_impact_problem){.dimension = p->d, .contacts = p->most, .contact = rough}, &p->options);
    jn_free(rough);
    size_t record = jn_impact_record_size(p->d, p->most, p->collision.events);
    p->block = jn_malloc(lay_out(p, sim, scratch, record, NULL) + 64);
    if (!p->block) return JN_ERR_MEMORY;
    lay_out(p, sim, scratch, record, p->block + (64 - (size_t)p->block % 64) % 64);
    size_t rows = (size_t)(p->most * p->d) * sizeof(double); /* what checkpoints hold before it was evaluated */
    memset(p->system.b, 0, rows), memset(p->system.f_held, 0, 2 * rows), memset(p->system.anchor, 0, rows);
    if (!may_be_stiff(m)) return JN_OK;
    p->stiff.d = jn_derivatives_create(m);
    return p->stiff.d ? JN_OK : JN_ERR_MEMORY;
}

void jn_impacts_restart(jn_sim *sim) { sim->impact->ready = sim->impact->stopped = false; }

void jn_impacts_free(jn_impacts *p) {
    if (!p) return;
    jn_derivatives_free(p->stiff.d);
    jn_free(p->block);
    jn_free(p);
}
