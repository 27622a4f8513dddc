/* A simulation: creation, and the loop over steps. */
#include "step/sim.h"
#include "base/memory.h"
#include "proximity/detection.h"
#include "proximity/narrow.h"
#include "reaction/compliant/compliant_change.h"
#include "reaction/solvers/sweeps/round.h"
#include "step/compliant/compliant_step.h"
#include "step/creep.h"
#include "step/impact/impact_method.h"
#include "step/nonsmooth/leapfrog.h"
#include "step/nonsmooth/moreau.h"
#include "step/start/other_run.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_STEPS 1e12  /* of a fixed step: months, and the time at the end still knows the step to a thousandth */
#define LONGEST_STEP 1e3 /* of the run, 1 s at least */
#define SHARED_SOLIDS 32 /* of a thread of the narrow phase: fewer shapes have few pairs */
#define SHARED_MOST 4    /* threads of the narrow phase */
#define USUAL_CONTACTS 3 /* of a ball in a pile, each counted once */

int jn_sim_fail(jn_sim *sim, int status, const char *format, ...) {
    va_list args;
    jn_error *e = &sim->error;
    *e = (jn_error){.severity = JN_SEVERITY_ERROR, .status = status};
    snprintf(e->file, sizeof e->file, "%s", sim->m->file);
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    char *hint = strchr(e->text, '\n');
    if (hint) {
        snprintf(e->hint, sizeof e->hint, "%s", hint + 1);
        *hint = 0;
    }
    return status;
}

/* Method impact has implicit steps of its own, which those for stiff systems stand for there. */
static jn_integrator integrator_of(const jn_model *m) {
    bool own = m->run.method == JN_METHOD_IMPACT && jn_integrator_get_info(m->run.integrator)->stiff;
    return own ? JN_INTEGRATOR_DOPRI45 : m->run.integrator;
}

static jn_sim *allocate(const jn_model *m) {
    int nz = jn_contacts_have_states(m) ? 3 * m->contact_room : 0, ny = m->nq + m->nv + nz + m->act_count + JN_LEDGER;
    size_t doubles = (size_t)ny * (JN_STAGES + 2) + 2 * (size_t)(m->nv + 1) + (size_t)m->solid_count;
    doubles += (size_t)m->actuator_count * sizeof(jn_creep) / sizeof(double);
    size_t links = (size_t)m->link_count * sizeof(jn_link_motion);
    size_t bytes = sizeof(jn_sim) + doubles * sizeof(double) + links;
    size_t states = (size_t)m->contact_room * sizeof(jn_contact_state);
    int seen = 0;
    for (int i = 0; i < m->sensor_count; i++)
        if (m->sensors[i].type == JN_SENSOR_TOUCH || m->sensors[i].type == JN_SENSOR_CONTACT) seen = m->contact_room;
    jn_sim *sim = jn_malloc(bytes + states + (size_t)seen * sizeof *sim->seen);
    if (!sim) return NULL;
    memset(sim, 0, bytes); /* contacts of a stage are copied before they are read */
    double *d = (double *)(sim + 1);
    sim->m = m;
    sim->ny = ny, sim->nz = nz;
    sim->y = d, d += ny;
    sim->trial = d, d += ny;
    for (int i = 0; i < JN_STAGES; i++) sim->k[i] = d, d += ny;
    sim->u_half = d, d += m->nv + 1;
    sim->force = d, d += m->nv + 1;
    sim->half_thickness = d, d += m->solid_count;
    for (int i = 0; i < m->solid_count; i++) sim->half_thickness[i] = -1;
    sim->creep = (jn_creep *)(void *)d, d = (double *)(void *)(sim->creep + m->actuator_count);
    sim->start_link = (jn_link_motion *)(void *)d;
    sim->stage_contact = (jn_contact_state *)(void *)((char *)d + links);
    sim->seen = (jn_contact_view *)(void *)(sim->stage_contact + m->contact_room), sim->seen_room = seen;
    sim->s = jn_state_create(m);
    sim->projected = jn_state_create_scratch(m);
    sim->untouched = jn_state_create_scratch(m);
    sim->before = jn_state_create_scratch(m);
    sim->after = jn_state_create_scratch(m);
    sim->step_limit = INFINITY;
    sim->audit.stiff_from = NAN;
    sim->w = jn_work_create(m);
    for (int i = 1; i < m->link_count; i++) sim->has_quaternions |= m->links[i].nq != m->links[i].nv;
    if (sim->s && sim->projected && sim->untouched && sim->before && sim->after && sim->w) return sim;
    jn_sim_free(sim);
    return NULL;
}

/* What the options ask for must be possible. */
static int check_options(const jn_model *m, jn_report *report) {
    const jn_run_desc *run = &m->run;
    const jn_integrator_info *info = jn_integrator_get_info(run->integrator);
    bool fixed = run->method == JN_METHOD_NONSMOOTH || (info && !info->adaptive);
    if (!info || (fixed && !(run->step > 0)))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, (jn_where){m->file, 1, 1}, "run.step",
                             "%s '%s' needs a fixed step\nwrite run: {step: 1 ms}",
                             run->method == JN_METHOD_NONSMOOTH ? "method" : "integrator",
                             run->method == JN_METHOD_NONSMOOTH ? "nonsmooth"
                             : info                             ? info->name
                                                                : "?");
    if (fixed && run->analysis == JN_ANALYSIS_DYNAMIC && run->until > MOST_STEPS * run->step)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, (jn_where){m->file, 1, 1}, "run.step",
                             "the run would take %.3g steps, more than %g\nmake run.step longer or run.until shorter",
                             run->until / run->step, MOST_STEPS);
    if (info->projects && !jn_run_projects(run) && m->row_count)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, "run.stabilise",
                      "%s meets the constraints at every step by itself; 'stabilise' makes no difference", info->name);
    if (m->not_by[run->method])
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, "not_by",
                      "the model says that it does not run by this method: %.300s", m->not_by[run->method]);
    if (run->method != JN_METHOD_SMOOTH && m->contact_room == 0)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, "run.method",
                      run->method == JN_METHOD_NONSMOOTH
                          ? "nothing can come into contact in this model: an integrator is more accurate than fixed "
                            "steps of a contact "
                            "method\nleave out 'method', or keep it for comparison"
                          : "nothing can come into contact in this model, so the contact method makes no difference");
    return JN_OK;
}

/* What can come into contact; pairs that overlap as drawn are left out if the model says so. */
static int create_contacts(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    if (m->contact_room == 0 && m->run.method != JN_METHOD_NONSMOOTH) return JN_OK;
    for (int i = 0; i < m->contact_count && m->run.method != JN_METHOD_IMPACT; i++)
        if (m->contacts[i].restitution < 0)
            return jn_report_add(
                report, JN_SEVERITY_ERROR, JN_ERR_MODEL, m->contacts[i].where, m->contacts[i].name,
                "only method impact has restitutions below 0, as %g is\nwrite one from 0 to 1, or 'method: impact'",
                m->contacts[i].restitution);
    int errors = report ? report->errors : 0;
    sim->contacts = jn_contacts_create(m, report);
    if (!sim->contacts) return report && report->errors > errors ? JN_ERR_MODEL : JN_ERR_MEMORY;
    jn_warn_idle_keys(m, report);
    int ignored = jn_overlaps_ignore(sim, report);
    if (ignored < 0) return ignored;
    jn_joined_warn(sim, report);
    jn_unsupported_warn(m, report);
    return JN_OK;
}

/* The method's own data, with the contacts that are closed at the start. */
static int start_method(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    if (!sim->contacts) return JN_OK;
    if (m->run.method == JN_METHOD_NONSMOOTH) return jn_nonsmooth_create(sim, report);
    if (m->run.method == JN_METHOD_IMPACT) {
        int created = jn_nonsmooth_create(sim, report);
        return created < 0 ? created : jn_impacts_create(sim, report);
    }
    int status = jn_contact_start(sim, report);
    if (status < 0) return status;
    sim->w->contact_loads = true;
    return JN_OK;
}

/* Method, accelerations, audit and integrator at the state. */
static int prepare(jn_sim *sim, jn_report *report) {
    int status = start_method(sim, report);
    if (status >= 0) status = jn_sim_observe(sim);
    if (status >= 0) jn_usual_rank_set(sim->m, sim->w);
    if (status == JN_ERR_NUMERIC && report && !report->errors && sim->m->has_M)
        status = jn_complain_massless(sim->m, sim->w, sim->s, report);
    if (status < 0) return status;
    sim->speed_most = jn_range_speed(sim->m);
    jn_audit_limit(sim);
    jn_audit_start(sim);
    return jn_integrator_get_info(integrator_of(sim->m))->multistep ? jn_cvode_create(sim) : jn_auto_create(sim);
}

/* Where another run was. */
static int start_from(jn_sim *sim, jn_report *report) {
    jn_other_run other = {.records = -1};
    int status = jn_other_run_open(sim, &other, report);
    if (status >= 0) status = jn_other_run_place(sim, &other, report);
    if (status >= 0) status = prepare(sim, report);
    if (status >= 0) status = jn_other_run_restore(sim, &other, report);
    jn_other_run_close(&other);
    return status;
}

static int start(jn_sim *sim, jn_report *report) {
    int status = check_options(sim->m, report);
    if (status >= 0) status = jn_assemble(sim->m, sim->w, sim->s, report);
    if (status >= 0) status = jn_range_check(sim, report);
    if (status >= 0) status = create_contacts(sim, report);
    if (status < 0) return status;
    return sim->m->run.start_folder ? start_from(sim, report) : prepare(sim, report);
}
jn_sim *jn_sim_create(const jn_model *m, jn_report *report) {
    jn_sim *sim = allocate(m);
    int status = sim ? start(sim, report) : JN_ERR_MEMORY;
    if (status >= 0) return sim;
    if (report && !report->errors)
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){m->file, 1, 1}, NULL, "%s", jn_status_text(status));
    jn_sim_free(sim);
    return NULL;
}

int jn_sim_use_threads(jn_sim *sim, int threads) {
    int parts = sim->nonsmooth ? jn_round_parts(USUAL_CONTACTS * sim->m->solid_count) : 1;
    if (threads < 1) threads = jn_pool_processors();
    int shared = sim->contacts ? sim->m->solid_count / SHARED_SOLIDS : 0; /* by the narrow phase */
    if (shared > SHARED_MOST) shared = SHARED_MOST;
    if (shared > parts) parts = shared;
    if (threads > parts) threads = parts;
    jn_pool_free(sim->pool);
    sim->pool = threads > 1 ? jn_pool_create(threads) : NULL;
    if (sim->contacts) jn_detection_share(sim->contacts->detection, sim->pool);
    if (sim->nonsmooth) sim->nonsmooth->set.pool = sim->pool;
    sim->w->pool = sim->pool;
    return jn_pool_size(sim->pool);
}

void jn_sim_free(jn_sim *sim) {
    if (!sim) return;
    jn_pool_free(sim->pool);
    if (sim->stiff_cvode) sim->cvode = sim->stiff_cvode;
    jn_cvode_free(sim);
    jn_state_free(sim->s);
    jn_state_free(sim->projected);
    jn_state_free(sim->untouched);
    jn_state_free(sim->before);
    jn_state_free(sim->after);
    jn_contact_changes_free(sim->changes);
    jn_contacts_free(sim->contacts);
    jn_nonsmooth_free(sim->nonsmooth);
    jn_impacts_free(sim->impact);
    jn_work_free(sim->w);
    jn_free(sim);
}

double jn_half_thickness(const jn_sim *sim, int solid) {
    double *half = &sim->half_thickness[solid];
    if (*half < 0) *half = jn_solid_half_thickness(&sim->m->solids[solid]);
    return *half;
}

static int take_step(jn_sim *sim, double t) {
    jn_step_function *step = jn_integrator_step(integrator_of(sim->m));
    if (sim->impact) return jn_step_impact(sim, t, step);
    if (sim->nonsmooth && sim->nonsmooth->leapfrog) return jn_step_leapfrog(sim, t);
    if (sim->nonsmooth) return jn_step_moreau(sim, t);
    jn_auto_before(sim);
    if (sim->cvode) step = jn_step_cvode;
    int contacts = sim->s->contact_count;
    int status = sim->contacts ? jn_step_with_contacts(sim, t, step) : step(sim, t);
    jn_auto_after(sim, contacts);
    return status;
}

int jn_sim_step(jn_sim *sim, double t) {
    if (sim->error.status < 0) return sim->error.status;
    if (isnan(t)) return JN_ERR_ARGUMENT;
    if (!(sim->s->t < t)) return JN_OK;
    if (sim->by_hand && jn_range_by_hand(sim) < 0) return sim->error.status;
    double before = sim->s->t;
    t = jn_fmin(t, jn_fmax(before, 0) +
                       LONGEST_STEP * jn_fmax(1, sim->m->run.until)); /* steps of what stands still grow without end */
    if (sim->nonsmooth) jn_actuators_copy(sim->m, sim->nonsmooth->at, sim->s);
    int status = sim->m->adheres ? jn_adhesion_find(sim) : JN_OK;
    if (sim->nonsmooth && !sim->impact && sim->m->act_count) sim->w->act_time = sim->s->act[sim->m->act_count];
    if (status >= 0) status = take_step(sim, sim->m->adheres ? jn_fmin(t, before + jn_adhesion_step(sim->m)) : t);
    if (!sim->cvode && sim->s->t > before) sim->step_taken = sim->s->t - before;
    if (sim->nonsmooth) sim->nonsmooth->set.time = sim->s->t;
    sim->w->act_time = INFINITY;
    if (status >= 0) jn_activations_follow(sim);
    int bounds = status < 0 ? JN_OK : jn_range_keep(sim);
    return bounds < 0 ? bounds : status;
}

int jn_sim_advance(jn_sim *sim, double t) {
    if (!isfinite(t)) return JN_ERR_ARGUMENT;
    while (sim->s->t < t) {
        int status = jn_sim_step(sim, t);
        if (status < 0 || status == JN_STOPPED) return status;
    }
    return JN_OK;
}

int jn_sim_order(const jn_sim *sim) {
    if (sim->cvode) return jn_cvode_order(sim);
    if (sim->nonsmooth && !sim->impact) return sim->nonsmooth->leapfrog ? 2 : 1;
    return jn_integrator_get_info(integrator_of(sim->m))->order;
}

bool jn_sim_is_fixed(const jn_sim *sim) {
    return (sim->nonsmooth && !sim->impact) || !jn_integrator_get_info(sim->m->run.integrator)->adaptive;
}

bool jn_sim_stopped(const jn_sim *sim) { return sim->impact && sim->impact->stopped; }

const jn_model *jn_sim_model(const jn_sim *sim) { return sim->m; }
jn_state *jn_sim_state(jn_sim *sim) { return sim->s; }
jn_work *jn_sim_work(jn_sim *sim) { return sim->w; }
const jn_error *jn_sim_error(const jn_sim *sim) { return &sim->error; }

void jn_sim_begin_anew(jn_sim *sim) {
    sim->slope_known = false;
    sim->h = 0;
    sim->error = (jn_error){0};
    if (sim->cvode) jn_cvode_restart(sim);
    if (sim->nonsmooth) jn_nonsmooth_restart(sim);
    if (sim->impact) jn_impacts_restart(sim);
}

void jn_sim_restart(jn_sim *sim) {
    jn_sim_begin_anew(sim);
    sim->by_hand = true;
    if (sim->nonsmooth) sim->nonsmooth->set.time = NAN; /* its contacts are not those of the state */
    jn_audit_move(sim);
}

void jn_sim_on_control(jn_sim *sim, jn_control *control, void *context) {
    sim->w->control = control;
    sim->w->control_context = context;
    if (!control) memset(sim->w->tau, 0, (size_t)sim->m->nv * sizeof *sim->w->tau);
    jn_sim_begin_anew(sim);
}

int jn_sim_push(jn_sim *sim, int body, jn_vec3 point_on_body, jn_vec3 force, jn_vec3 torque) {
    const jn_vec3 all[3] = {point_on_body, force, torque};
    if (body < 0 || body >= sim->m->body_count || sim->m->bodies[body].link == 0) return JN_ERR_ARGUMENT;
    for (int i = 0; i < 3; i++)
        if (!isfinite(all[i].x) || !isfinite(all[i].y) || !isfinite(all[i].z)) return JN_ERR_ARGUMENT;
    if (!jn_push_set(sim->m, sim->w, body, point_on_body, force, torque)) return JN_OK;
    if (sim->nonsmooth && sim->nonsmooth->leapfrog) jn_leapfrog_start_anew(sim);
    jn_sim_begin_anew(sim);
    return JN_OK;
}

int jn_sim_control(jn_sim *sim, int actuator, double value) {
    if (actuator < 0 || actuator >= sim->m->actuation_count || !isfinite(value)) return JN_ERR_ARGUMENT;
    if (sim->s->control[actuator] == value) return JN_OK;
    sim->s->control[actuator] = value;
    if (sim->nonsmooth && sim->nonsmooth->leapfrog) jn_leapfrog_start_anew(sim);
    jn_sim_begin_anew(sim);
    return JN_OK;
}

void jn_sim_on_event(jn_sim *sim, void (*sink)(void *, const jn_event *), void *context) {
    sim->sink = sink;
    sim->sink_context = context;
}

void jn_sim_on_impact(jn_sim *sim, jn_impact_sink *sink, void *context) {
    sim->impact_sink = sink;
    sim->impact_context = context;
}

void jn_sim_on_impact_path(jn_sim *sim, void (*sink)(void *, const jn_impact_sample *), void *context) {
    sim->impact_path = sink;
    sim->impact_path_context = context;
}

void jn_sim_on_problem(jn_sim *sim, jn_problem_sink *sink, void *context) {
    sim->problem_sink = sink;
    sim->problem_context = context;
}
