/* One run of a study: the model with the values of its row, simulated while the measures look on. */
#include "workflow/study/study.h"

#include "algebra/elementary.h"
#include "base/memory.h"
#include "model/model_layout.h"
#include "step/between_steps.h"
#include "step/sim.h"
#include "trace/print_number.h"
#include "workflow/run_checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_PER_LOOK = 64 }; /* steps between two looks at the caller's wish to stop */
enum { BETWEEN = 4 };         /* looks within a step of an adaptive integrator */
#define AT_STEP 1e-9          /* of a step: nearer times are those of its end */

/* ------------------------------------------------------------------------------------------------------- worker */

bool jn_study_worker_create(jn_study_worker *w, jn_study *s) {
    size_t bytes = 0, channels = (size_t)s->channels + 1;
    *w = (jn_study_worker){.study = s};
    w->offset = jn_malloc((size_t)(s->measures + 1) * sizeof *w->offset);
    for (int i = 0; w->offset && i < s->measures; i++) {
        w->offset[i] = bytes;
        bytes += (s->measure[i].kind->state + 15) / 16 * 16;
    }
    w->state = jn_malloc(bytes + 16);
    w->state_size = bytes;
    w->value = jn_malloc(3 * channels * sizeof *w->value);
    if (w->value) w->before = w->value + channels, w->between = w->before + channels;
    size_t values = (size_t)(s->columns + 1) * sizeof(double),
           lists = (size_t)(s->lists + 1) * sizeof(jn_study_samples);
    char *block = jn_malloc(sizeof *w->row + values + lists);
    if (!w->offset || !w->state || !w->value || !block) {
        jn_free(block);
        return false;
    }
    memset(block, 0, sizeof *w->row + values + lists);
    w->row = (jn_study_row *)(void *)block;
    w->row->value = (double *)(void *)(block + sizeof *w->row);
    w->row->samples = (jn_study_samples *)(void *)(block + sizeof *w->row + values);
    return true;
}

void jn_study_worker_free(jn_study_worker *w) {
    if (w->row) jn_row_clear(w->study, w->row);
    jn_free(w->row);
    jn_channels_free(w->channels);
    jn_free(w->offset);
    jn_free(w->state);
    jn_free(w->value < w->before ? w->value : w->before);
    *w = (jn_study_worker){0};
}

/* --------------------------------------------------------------------------------------------------------- model */

/* The first error of a report, as the message of a row. */
static void note(jn_study_row *row, const jn_report *report, const char *otherwise) {
    const jn_error *e = NULL;
    for (int i = 0; i < report->count && !e; i++)
        if (report->item[i].severity == JN_SEVERITY_ERROR) e = &report->item[i];
    row->state =
        e && e->status == JN_ERR_MEMORY ? JN_ROW_OPEN : JN_ROW_FAILED; /* without memory it is not the run that fails */
    snprintf(row->message, sizeof row->message, "%.199s", e ? e->text : otherwise);
}

jn_model *jn_study_compile(const jn_study *s, const double *point, jn_report *report) {
    char text[JN_STUDY_VARIES][JN_NUMBER_SIZE];
    jn_node node[JN_STUDY_VARIES];
    jn_given given[JN_STUDY_VARIES];
    for (int i = 0; i < s->varies; i++) {
        const jn_vary *v = &s->vary[i];
        given[i] = (jn_given){v->full, &node[i], true, point[i]};
        if (v->kind == JN_VARY_WORDS) {
            given[i].value = v->word[(int)point[i]], given[i].is_number = false;
            continue;
        }
        jn_number_write(point[i], text[i]);
        node[i] = (jn_node){.kind = JN_NODE_SCALAR, .plain = true, .where = v->where, .text = text[i], .weight = 1};
    }
    jn_description *d = jn_document_describe(s->document, given, s->varies, report);
    jn_model *m = d ? jn_model_compile(d, report) : NULL;
    jn_description_free(d);
    return m;
}

jn_model *jn_study_row_model(jn_study_worker *w, long index, jn_study_row *failed) {
    jn_report_clear(&w->report);
    const jn_study *s = w->study;
    jn_model *m = jn_study_compile(s, s->point + index * s->varies, &w->report);
    if (!m) note(failed, &w->report, "the model cannot be compiled");
    return m;
}

jn_model *jn_study_model(jn_study *s, long row, jn_report *report) {
    if (row >= 0 && row < s->rows) return jn_study_compile(s, s->point + row * s->varies, report);
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, (jn_where){s->path, 0, 0}, NULL,
                  "the study has no row %ld, only %ld", row, s->rows);
    return NULL;
}

/* Channels are the same as long as the parts of the model are. */
bool jn_same_parts(const jn_model *a, const jn_model *b) {
    if (a->body_count != b->body_count || a->joint_count != b->joint_count || a->point_count != b->point_count ||
        a->contact_count != b->contact_count || a->tendon_count != b->tendon_count ||
        a->derived_count != b->derived_count || a->input_count != b->input_count || a->planar != b->planar ||
        !a->contact_room != !b->contact_room)
        return false;
    for (int i = 0; i < a->joint_count; i++)
        if (a->joints[i].type != b->joints[i].type || a->joints[i].nq != b->joints[i].nq ||
            a->joints[i].nv != b->joints[i].nv)
            return false;
    return true;
}

static bool prepare_channels(jn_study_worker *w, const jn_model *m, jn_study_row *row) {
    bool own = !jn_same_parts(w->study->base, m);
    if (w->channels && !own && !w->odd) return true;
    jn_channels_free(w->channels);
    w->odd = own;
    w->channels = jn_channels_create(m, w->study->channel, w->study->channels, &w->report);
    if (!w->channels) note(row, &w->report, "a channel is missing");
    return w->channels != NULL;
}

/* Remarks about a model that starts are not written: only the message of one that does not is of interest. */
static jn_sim *create_simulation(jn_study_worker *w, const jn_model *m, jn_study_row *row) {
    jn_sim *sim = jn_sim_create(m, NULL);
    if (!sim && !(sim = jn_sim_create(m, &w->report))) note(row, &w->report, "the simulation cannot start");
    return sim;
}

/* --------------------------------------------------------------------------------------------------------- looks */

typedef struct pass {
    jn_study_run run;
    jn_study_worker *w;
    jn_look look;
    bool open;    /* the measures have begun */
    bool between; /* there are looks within steps */
} pass;

static void *state_of(const jn_study_worker *w, int measure) { return w->state + w->offset[measure]; }

static void on_event(void *context, const jn_event *event) {
    pass *p = context;
    const jn_study *s = p->run.study;
    if (!p->open) return;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (m->kind->event && event->time >= m->after && event->time <= m->before)
            m->kind->event(&p->run, m, state_of(p->w, i), event);
    }
}

/* Whether a measure wants to see the state at a time. */
static bool wants(const jn_study_measure *m, double t) {
    return m->kind->look && (m->kind->looks || m->at == t) && t >= m->after && t <= m->before;
}

static bool anyone_looks(const jn_study *s, double t) {
    for (int i = 0; i < s->measures; i++)
        if (wants(&s->measure[i], t)) return true;
    return false;
}

/* All measures see the present state, for the time t. */
static int look_here(pass *p, double t) {
    jn_study_run *run = &p->run;
    const jn_study *s = run->study;
    double *before = p->w->value;
    p->w->value = p->w->before, p->w->before = before;
    int status = jn_channels_read(p->w->channels, run->sim, p->w->value);
    if (status < 0) return jn_sim_fail(run->sim, status, "the accelerations are not finite at t = %.9g s", t);
    run->t_before = run->t, run->t = t;
    run->value = p->w->value, run->before = p->w->before;
    for (int i = 0; i < s->measures && !run->why; i++)
        if (wants(&s->measure[i], t)) s->measure[i].kind->look(run, &s->measure[i], state_of(p->w, i));
    run->has_before = true;
    return run->why ? jn_sim_fail(run->sim, run->why_status ? run->why_status : JN_ERR_NUMERIC, "%s", run->why) : JN_OK;
}

static int look_within(pass *p, double t) {
    jn_look_at(p->run.sim, &p->look, t);
    int status = look_here(p, t);
    jn_look_back(p->run.sim, &p->look);
    return status;
}

int jn_study_look_between(jn_study_run *run, double t, double *value) {
    pass *p = (pass *)(void *)run;
    bool inside = run->sim->between; /* at a look within the step */
    if (inside) jn_look_back(run->sim, &p->look);
    jn_look_at(run->sim, &p->look, t);
    int status = jn_channels_read(p->w->channels, run->sim, value);
    jn_look_back(run->sim, &p->look);
    if (inside) jn_look_at(run->sim, &p->look, run->t);
    return status;
}

/* The next time after t at which a measure wants to look exactly. */
static double next_time(const jn_study *s, double t, double until) {
    double next = until;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        double times[] = {m->after, m->before, m->at,
                          m->when.kind == JN_WHEN_EVERY ? m->when.period * (floor(t / m->when.period * (1 + 1e-14)) + 1)
                                                        : NAN,
                          m->kind->next ? m->kind->next(m, t) : NAN};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            if (times[k] > t * (1 + 1e-13) && times[k] < next) next = times[k];
    }
    return next;
}

/* Looks within the last step, from t to its end. */
static int look_along(pass *p, double from, double until) {
    jn_study_run *run = &p->run;
    const jn_study *s = run->study;
    double end = run->sim->s->t, h = end - from;
    bool fixed = jn_sim_is_fixed(run->sim);
    int status = JN_OK;
    for (int k = 1; !fixed && k < BETWEEN && status >= 0; k++) {
        double t = from + h * k / BETWEEN;
        if (t > from && t < end && anyone_looks(s, t)) status = look_within(p, t);
    }
    for (double t = from; fixed && status >= 0;) { /* fixed steps pass by the times that are asked for */
        t = next_time(s, t, until);
        if (!(t < end - AT_STEP * h)) break;
        if (anyone_looks(s, t)) status = look_within(p, t);
    }
    if (status < 0) return status;
    double t = end;
    if (fixed) { /* a time that is asked for, but for round-off */
        double asked = next_time(s, end - AT_STEP * h, until);
        if (fabs(asked - end) <= AT_STEP * h) t = asked;
    }
    return anyone_looks(s, t) ? look_here(p, t) : JN_OK;
}

static int begin_measures(pass *p) {
    const jn_study *s = p->run.study;
    memset(p->w->state, 0, p->w->state_size);
    p->open = true;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        int status = m->kind->begin ? m->kind->begin(&p->run, m, state_of(p->w, i)) : JN_OK;
        if (status < 0) return status;
    }
    return anyone_looks(s, p->run.sim->s->t) ? look_here(p, p->run.sim->s->t) : JN_OK;
}

static int end_measures(pass *p) {
    const jn_study *s = p->run.study;
    jn_study_run *run = &p->run;
    int status = jn_channels_read(p->w->channels, run->sim, p->w->value);
    if (status < 0) return jn_sim_fail(run->sim, status, "the accelerations are not finite at the end");
    run->value = p->w->value, run->t = run->sim->s->t;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (m->kind->end) m->kind->end(run, m, state_of(p->w, i), run->row->value + m->first);
    }
    return JN_OK;
}

static void free_measures(pass *p) {
    const jn_study *s = p->run.study;
    for (int i = 0; p->open && i < s->measures; i++)
        if (s->measure[i].kind->free) s->measure[i].kind->free(state_of(p->w, i));
}

/* ----------------------------------------------------------------------------------------------------------- run */

static int advance(pass *p, const jn_row_hooks *hooks) {
    jn_sim *sim = p->run.sim;
    const jn_study *s = p->run.study;
    double until = p->run.model->run.until;
    bool fixed = jn_sim_is_fixed(sim);
    int status = begin_measures(p);
    for (long n = 1; status >= 0 && sim->s->t < until && !p->run.stop; n++) {
        double from = sim->s->t;
        if (n % STEPS_PER_LOOK == 0 && p->w->goes_on && !p->w->goes_on(p->w->context)) {
            p->w->stopped = true;
            return JN_STOPPED;
        }
        jn_look_step(sim, &p->look);
        status = jn_sim_step(sim, fixed ? until : next_time(s, from, until));
        if (status < 0) break;
        if (hooks && hooks->step) hooks->step(hooks->context, sim, p->look.before);
        bool stopped = status == JN_STOPPED;
        status = look_along(p, from, until);
        if (stopped) break;
    }
    return status < 0 ? status : end_measures(p);
}

static void judge(pass *p, int status) {
    jn_study_row *row = p->run.row;
    jn_sim *sim = p->run.sim;
    const jn_audit *audit = jn_audit_judge(sim);
    row->steps = audit->steps;
    row->hash = jn_state_hash(sim->s);
    if (p->w->stopped) return; /* the row stays open */
    if (status < 0) {
        const jn_error *e = jn_sim_error(sim);
        row->state = status == JN_ERR_MEMORY ? JN_ROW_OPEN : JN_ROW_FAILED;
        snprintf(row->message, sizeof row->message, "%.199s", e->text[0] ? e->text : jn_status_text(status));
        for (int k = 0; k < p->run.study->columns; k++) row->value[k] = NAN;
    } else {
        row->state = audit->ok ? JN_ROW_GOOD : JN_ROW_BAD;
        if (!audit->ok) snprintf(row->message, sizeof row->message, "%.199s", audit->verdict);
    }
}

void jn_study_row_run(jn_study_worker *w, long index, const jn_row_hooks *hooks, jn_study_row *row) {
    double start = jn_wall_clock();
    jn_row_clear(w->study, row);
    w->stopped = false;
    jn_model *m = jn_study_row_model(w, index, row);
    jn_sim *sim = NULL;
    if (m && m->run.analysis != JN_ANALYSIS_DYNAMIC)
        row->state = JN_ROW_FAILED,
        snprintf(row->message, sizeof row->message, "a study takes dynamic runs: write 'run: {analysis: dynamic}'");
    else if (m && prepare_channels(w, m, row))
        sim = create_simulation(w, m, row);
    if (sim) {
        pass p = {.run = {.study = w->study, .model = m, .sim = sim, .row = row, .worker = w}, .w = w};
        int status = jn_look_create(sim, &p.look);
        if (status >= 0 && hooks && hooks->begin) status = hooks->begin(hooks->context, sim);
        jn_sim_on_event(sim, on_event, &p);
        if (status >= 0) status = advance(&p, hooks);
        if (hooks && hooks->end) hooks->end(hooks->context, sim);
        judge(&p, status);
        free_measures(&p);
        jn_look_free(&p.look);
    }
    jn_sim_free(sim);
    jn_model_free(m);
    row->wall = jn_wall_clock() - start;
}

bool jn_study_sample(jn_study_run *run, const jn_study_measure *m, double t, const double *values, int count) {
    if (jn_samples_add(&run->row->samples[m->samples], t, values, count)) return true;
    run->why = "out of memory for samples", run->why_status = JN_ERR_MEMORY;
    return false;
}

bool jn_samples_add(jn_study_samples *list, double t, const double *values, int count) {
    size_t width = (size_t)count + 1;
    if (list->count == list->room) {
        long room = list->room * 2 + 16;
        double *wide = jn_realloc(list->data, (size_t)room * width * sizeof *wide);
        if (!wide) return false;
        list->data = wide, list->room = room;
    }
    double *to = list->data + (size_t)list->count++ * width;
    to[0] = t;
    memcpy(to + 1, values, (size_t)count * sizeof *to);
    return true;
}
