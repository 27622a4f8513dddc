/* Collisions of method impact: kept, found by name, and written as impacts.json and impacts.csv. */
#include "trace/impacts.h"

#include "algebra/elementary.h"
#include "base/memory.h"
#include "trace/json_writer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KEPT = JN_IMPACTS_MOST, MOST_SAMPLES = 4000 };
#define WIDE(d) (2 * (d) + 3) /* numbers of a contact in a state of a path: v, p, works and critical friction */

/* ------------------------------------------------------------------------------------------------------ keeping */

void jn_impact_keep_state(void *context, const jn_impact_sample *s) {
    jn_impact_keeper *k = context;
    jn_impact_path *path = &k->path;
    int d = k->model->planar ? 2 : 3, contacts = 0;
    if (k->result->impacts_kept >= MOST_KEPT || path->count >= MOST_SAMPLES) return;
    for (int i = 0; i < s->contacts; i++) contacts = s->contact[i] >= contacts ? s->contact[i] + 1 : contacts;
    if (path->count == path->capacity) {
        int wide = 2 * path->capacity + 32;
        void *state = jn_realloc(path->state, (size_t)wide * sizeof *path->state);
        if (!state) return;
        path->state = state, path->capacity = wide;
    }
    size_t width = (size_t)(WIDE(d) * JN_IMPACT_WIDTH), need = (size_t)(path->count + 1) * width;
    if (contacts > JN_IMPACT_WIDTH) return; /* too many to draw */
    if (need > path->room) {
        void *v = jn_realloc(path->v, 2 * need * sizeof *path->v);
        if (!v) return;
        path->v = v, path->room = 2 * need;
    }
    double *v = path->v + (size_t)path->count * width;
    for (size_t i = 0; i < width; i++) v[i] = NAN;
    for (int i = 0; i < s->contacts; i++) {
        double *p = v + d * JN_IMPACT_WIDTH, *works = v + 2 * d * JN_IMPACT_WIDTH + 3 * s->contact[i];
        memcpy(v + d * s->contact[i], s->v + d * i, (size_t)d * sizeof *v);
        memcpy(p + d * s->contact[i], s->p + d * i, (size_t)d * sizeof *v);
        works[0] = s->normal_of[i], works[1] = s->slide_of[i], works[2] = s->critical[i];
    }
    path->state[path->count++] = (jn_impact_state){s->impact, s->impulse, s->work};
}

size_t jn_impact_lay_out(jn_impact_kept *k, char *base) {
    size_t used = 0, N = (size_t)k->contacts, D = N * (size_t)k->dimension, E = (size_t)k->events,
           S = (size_t)k->samples;
    const struct {
        void *to;
        size_t size;
    } part[] = {{&k->name, N * sizeof *k->name},
                {&k->body, N * sizeof *k->body},
                {&k->point, N * sizeof *k->point},
                {&k->before, D * sizeof(double)},
                {&k->after, D * sizeof(double)},
                {&k->p, D * sizeof(double)},
                {&k->normal_of, N * sizeof(double)},
                {&k->slide_of, N * sizeof(double)},
                {&k->slip, N * sizeof(int)},
                {&k->critical, N * sizeof(double)},
                {&k->body_before, 6 * (size_t)k->bodies * sizeof(double)},
                {&k->body_after, 6 * (size_t)k->bodies * sizeof(double)},
                {&k->event, E * sizeof *k->event},
                {&k->event_p, E * N * sizeof(double)},
                {&k->event_slip, E * N},
                {&k->sample, S * sizeof *k->sample},
                {&k->sample_v, S * D * sizeof(double)},
                {&k->sample_work, S * 3 * N * sizeof(double)},
                {&k->sample_body, S * (size_t)k->bodies * sizeof(double)}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char *at = base ? base + used : NULL;
        memcpy(part[i].to, &at, sizeof at);
        used += (part[i].size + 15) / 16 * 16;
    }
    return used;
}

static void copy_motion(const jn_body_motion *from, int bodies, double *to) {
    for (int b = 0; b < bodies; b++, to += 6) {
        const jn_vec3 v = from[b].velocity, w = from[b].angular_velocity;
        const double six[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(to, six, sizeof six);
    }
}

/* |beta_TT^-1 beta_TN| of one point [Rodriguez2014, section 5.1]; NAN where it cannot move along its tangents. */
static double critical_friction(const jn_impact_problem *problem, int c) {
    int d = problem->dimension, D = d * problem->contacts;
    const double *B = problem->beta + (size_t)(d * c) * (size_t)(D + 1);
    double tt = B[D + 1], tn = B[D];
    if (d == 2) return tt > 0 ? fabs(tn) / tt : NAN;
    double tu = B[D + 2], uu = B[2 * D + 2], un = B[2 * D], det = tt * uu - tu * tu;
    return det > 1e-14 * tt * uu ? jn_hypot_safe(uu * tn - tu * un, tt * un - tu * tn) / det : NAN;
}

static void copy_arrays(jn_impact_kept *k, const jn_impact_report *i) {
    const jn_impact_record *r = i->record;
    size_t N = (size_t)k->contacts, D = N * (size_t)k->dimension, E = (size_t)k->events;
    for (size_t c = 0; c < N; c++) {
        snprintf(k->name[c], sizeof k->name[c], "%s", i->name[c]);
        memcpy(k->body[c], i->body[c], sizeof k->body[c]);
        k->point[c] = i->problem->contact[c], k->point[c].e = NULL;
        k->critical[c] = critical_friction(i->problem, (int)c);
    }
    memcpy(k->before, i->problem->v, D * sizeof(double));
    memcpy(k->after, r->v, D * sizeof(double));
    memcpy(k->p, r->p, D * sizeof(double));
    memcpy(k->normal_of, r->normal_of, N * sizeof(double));
    memcpy(k->slide_of, r->slide_of, N * sizeof(double));
    memcpy(k->slip, r->slip, N * sizeof(int));
    copy_motion(i->before, k->bodies, k->body_before);
    copy_motion(i->after, k->bodies, k->body_after);
    memcpy(k->event, r->event, E * sizeof *k->event);
    memcpy(k->event_p, r->event_p, E * N * sizeof(double));
    memcpy(k->event_slip, r->event_slip, E * N);
}

/* Does an impact event, or another island of one, begin with this state? Impulses start from zero then. */
static bool begins(const jn_impact_path *path, size_t s, size_t contacts, size_t d) {
    size_t width = (size_t)WIDE(d) * JN_IMPACT_WIDTH;
    const double *now = path->v + s * width, *last = now - width;
    if (path->state[s].impact != path->state[s - 1].impact || path->state[s].impulse < path->state[s - 1].impulse)
        return true;
    for (size_t c = 0; c < contacts; c++)
        if (isnan(now[d * c]) != isnan(last[d * c])) return true;
    return false;
}

/* Kinetic energy of a body with velocities v (6) of its centre of mass and about it. */
static double kinetic(const jn_model *m, int body, const jn_mat3 *R, const double *v) {
    const jn_link *l = &m->links[m->bodies[body].link];
    jn_vec3 w = m3_tmul_v(R, v3(v[3], v[4], v[5]));
    return 0.5 * l->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 0.5 * v3_dot(w, s3_mul_v(&l->inertia, w));
}

/* Change of the kinetic energy of every body by the impulses so far, p (D): velocities of bodies are linear in them. */
static void work_on_bodies(const jn_model *m, const jn_impact_kept *k, const jn_impact_report *i, const double *p,
                           double *out) {
    size_t D = (size_t)(k->dimension * k->contacts);
    for (int b = 0; b < k->bodies; b++) {
        out[b] = 0;
        if (!i->response || b == 0) continue;
        const double *before = k->body_before + (size_t)(6 * b);
        double v[6];
        for (size_t c = 0; c < 6; c++) {
            v[c] = before[c];
            for (size_t r = 0; r < D; r++) v[c] += i->response[((size_t)(6 * b) + c) * D + r] * p[r];
        }
        jn_mat3 U = q4_matrix(i->before[b].orientation), ut = m3_transpose(&m->links[m->bodies[b].link].user);
        jn_mat3 R = m3_mul(&U, &ut);
        out[b] = kinetic(m, b, &R, v) - kinetic(m, b, &R, before);
    }
}

/* The states of the path, with impulses and works summed over the impact events of the collision. */
static void copy_path(jn_impact_kept *k, const jn_impact_keeper *keeper, const jn_impact_report *report) {
    const jn_impact_path *path = &keeper->path;
    size_t d = (size_t)k->dimension, N = (size_t)k->contacts, D = d * N, width = (size_t)WIDE(d) * JN_IMPACT_WIDTH;
    double sum[3 * JN_IMPACT_WIDTH] = {0}, works[2 * JN_IMPACT_WIDTH] = {0}; /* of events that are over */
    double p[3 * JN_IMPACT_WIDTH] = {0}, last[2 * JN_IMPACT_WIDTH] = {0};
    memcpy(k->sample, path->state, (size_t)k->samples * sizeof *k->sample);
    for (size_t s = 0; s < (size_t)k->samples; s++) {
        const double *v = path->v + s * width, *own_p = v + d * JN_IMPACT_WIDTH, *own = v + 2 * d * JN_IMPACT_WIDTH;
        if (s > 0 && begins(path, s, N, d)) memcpy(sum, p, sizeof sum), memcpy(works, last, sizeof works);
        memcpy(k->sample_v + s * D, v, D * sizeof(double));
        for (size_t c = 0; c < N; c++) {
            bool takes_part = !isnan(v[d * c]);
            for (size_t r = 0; r < d; r++) p[d * c + r] = sum[d * c + r] + (takes_part ? own_p[d * c + r] : 0);
            for (size_t r = 0; r < 2; r++) last[2 * c + r] = works[2 * c + r] + (takes_part ? own[3 * c + r] : 0);
            double *to = k->sample_work + 3 * (s * N + c);
            to[0] = last[2 * c], to[1] = last[2 * c + 1], to[2] = takes_part ? own[3 * c + 2] : NAN;
        }
        work_on_bodies(keeper->model, k, report, p, k->sample_body + s * (size_t)k->bodies);
    }
}

void jn_impact_keep_one(void *context, const jn_impact_report *i) {
    jn_impact_keeper *keeper = context;
    jn_result *result = keeper->result;
    jn_impact_path *path = &keeper->path;
    const jn_impact_record *r = i->record;
    result->impact_count++;
    if (result->impacts_kept == keeper->capacity && keeper->capacity < MOST_KEPT) {
        long wide = 2 * keeper->capacity + 16;
        void *more = jn_realloc(result->impacts, (size_t)wide * sizeof *result->impacts);
        if (more) result->impacts = more, keeper->capacity = wide;
    }
    if (result->impacts_kept == keeper->capacity) return;
    jn_impact_kept k = {.time = i->time,
                        .dimension = i->problem->dimension,
                        .contacts = i->problem->contacts,
                        .bodies = keeper->model->body_count,
                        .impacts = r->impacts,
                        .end = r->end,
                        .plastic = r->plastic,
                        .energy = r->energy,
                        .change = r->change,
                        .normal = r->normal,
                        .tangential = r->tangential,
                        .events = r->events < r->capacity ? r->events : r->capacity};
    snprintf(k.kind, sizeof k.kind, "%s", i->kind);
    k.samples = k.contacts <= JN_IMPACT_WIDTH ? path->count : 0;
    size_t bytes = jn_impact_lay_out(&k, NULL);
    char *block = jn_malloc(bytes + 16);
    if (block) {
        memset(block, 0, bytes);
        jn_impact_lay_out(&k, block);
        copy_arrays(&k, i);
        if (k.samples) copy_path(&k, keeper, i);
        result->impacts[result->impacts_kept++] = k;
    }
    path->count = 0;
}

void jn_impact_keeper_end(jn_impact_keeper *keeper) {
    jn_free(keeper->path.state);
    jn_free(keeper->path.v);
}

/* -------------------------------------------------------------------------------------------------------- finding */

static bool body_number(const jn_result *r, const jn_impact_kept *k, bool before, const char *path, double *value) {
    static const char *const words[] = {"vx", "vy", "vz", "wx", "wy", "wz", "w"};
    const char *dot = strrchr(path, '.');
    int component = -1, body = -1;
    for (int i = 0; dot && i < 7; i++)
        if (!strcmp(dot + 1, words[i])) component = i == 6 ? 5 : i;
    for (int b = 0; component >= 0 && b < k->bodies; b++) {
        const char *name = r->bodies[b];
        if (strlen(name) == (size_t)(dot - path) && !strncmp(name, path, (size_t)(dot - path))) body = b;
    }
    if (body < 0) return false;
    *value = (before ? k->body_before : k->body_after)[6 * body + component];
    return true;
}

bool jn_impact_number(const jn_result *r, const char *path, double *value) {
    long number;
    const char *what = jn_path_numbered(path, "impact", r->impacts_kept, &number);
    if (!what) return false;
    const jn_impact_kept *k = &r->impacts[number - 1];
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"time", k->time},
                   {"contacts", k->contacts},
                   {"events", k->impacts},
                   {"energy", k->energy},
                   {"change", k->change},
                   {"normal_work", k->normal},
                   {"tangential_work", k->tangential},
                   {NULL, 0}};
    for (int i = 0; numbers[i].name; i++)
        if (!strcmp(numbers[i].name, what)) return *value = numbers[i].value, true;
    if (!strncmp(what, "body.", 5)) return body_number(r, k, false, what + 5, value);
    if (!strncmp(what, "before.body.", 12)) return body_number(r, k, true, what + 12, value);
    return false;
}

/* -------------------------------------------------------------------------------------------------------- writing */

static const char *const slip_keywords[] = {"none", "stick", "slide"};
static const char *const end_keywords[] = {"complete", "limit", "jammed", "unsolved"};

static void write_contact(jn_json *j, const jn_result *r, const jn_impact_kept *k, int c) {
    size_t d = (size_t)k->dimension, at = d * (size_t)c;
    jn_json_object(j, NULL);
    jn_json_text(j, "contact", k->name[c]);
    jn_json_row(j, "bodies");
    for (int b = 0; b < 2; b++) jn_json_text(j, NULL, r->bodies[k->body[c][b]]);
    jn_json_end(j);
    jn_json_numbers(j, "point", k->point[c].r, d);
    jn_json_numbers(j, "normal", k->point[c].normal, d);
    jn_json_numbers(j, "velocity_before", k->before + at, d);
    jn_json_numbers(j, "velocity_after", k->after + at, d);
    jn_json_numbers(j, "impulse", k->p + at, d);
    jn_json_number(j, "normal_work", k->normal_of[c]);
    jn_json_number(j, "tangential_work", k->slide_of[c]);
    jn_json_text(j, "slip", slip_keywords[k->slip[c]]);
    jn_json_number(j, "critical_friction", k->critical[c]);
    jn_json_end(j);
}

static void write_events(jn_json *j, const jn_impact_kept *k) {
    jn_json_array(j, "events");
    for (int e = 0; e < k->events; e++) {
        const jn_impact_event *x = &k->event[e];
        jn_json_pair(j, NULL);
        jn_json_text(j, "kind", jn_impact_event_name(x->kind));
        jn_json_integer(j, "impact", x->impact + 1);
        jn_json_integer(j, "contact", x->contact < 0 ? 0 : x->contact + 1);
        jn_json_number(j, "e", x->e);
        jn_json_number(j, "impulse", x->impulse);
        jn_json_number(j, "work", x->work);
        jn_json_numbers(j, "p_n", k->event_p + (size_t)e * (size_t)k->contacts, (size_t)k->contacts);
        jn_json_row(j, "slip");
        for (int c = 0; c < k->contacts; c++) jn_json_text(j, NULL, slip_keywords[k->event_slip[e * k->contacts + c]]);
        jn_json_end(j);
        jn_json_end(j);
    }
    jn_json_end(j);
}

/* Of every contact: sliding speed s and direction phi from the first tangent, works so far, critical friction. */
static void write_slips(jn_json *j, const jn_impact_kept *k, int s) {
    enum { SPEED, DIRECTION, NORMAL, TANGENTIAL, CRITICAL, COLUMNS };
    static const char *const names[COLUMNS] = {"s", "phi", "normal_work", "tangential_work", "critical_friction"};
    double row[JN_IMPACT_WIDTH];
    for (int column = 0; column < COLUMNS; column++) {
        for (int c = 0; c < k->contacts; c++) {
            const double *v = k->sample_v + (size_t)((s * k->contacts + c) * k->dimension);
            const double *works = k->sample_work + (size_t)(3 * (s * k->contacts + c));
            double second = k->dimension == 3 ? v[2] : 0;
            row[c] = column == SPEED       ? jn_hypot_safe(v[1], second)
                     : column == DIRECTION ? jn_atan2(second, v[1])
                                           : works[column - NORMAL];
        }
        jn_json_numbers(j, names[column], row, (size_t)k->contacts);
    }
}

static void write_path(jn_json *j, const jn_impact_kept *k) {
    size_t D = (size_t)(k->dimension * k->contacts);
    jn_json_array(j, "path");
    for (int s = 0; s < k->samples; s++) {
        jn_json_pair(j, NULL);
        jn_json_integer(j, "impact", k->sample[s].impact + 1);
        jn_json_number(j, "impulse", k->sample[s].impulse);
        jn_json_number(j, "work", k->sample[s].work);
        jn_json_numbers(j, "velocity", k->sample_v + (size_t)s * D, D);
        write_slips(j, k, s);
        jn_json_numbers(j, "body_work", k->sample_body + (size_t)s * (size_t)k->bodies + 1, (size_t)k->bodies - 1);
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void write_one(jn_json *j, const jn_model *m, const jn_result *r, const jn_impact_kept *k) {
    jn_json_object(j, NULL);
    jn_json_number(j, "time", k->time);
    jn_json_text(j, "kind", k->kind);
    jn_json_text(j, "law", jn_impact_get_info(m->run.impact_law)->name);
    jn_json_text(j, "end", end_keywords[k->end]);
    jn_json_bool(j, "plastic", k->plastic);
    jn_json_integer(j, "impacts", k->impacts);
    jn_json_number(j, "kinetic_before", k->energy);
    jn_json_number(j, "kinetic_after", k->energy + k->change);
    jn_json_number(j, "normal_work", k->normal);
    jn_json_number(j, "tangential_work", k->tangential);
    jn_json_array(j, "contacts");
    for (int c = 0; c < k->contacts; c++) write_contact(j, r, k, c);
    jn_json_end(j);
    jn_json_object(j, "bodies");
    for (int b = 1; b < k->bodies; b++) {
        jn_json_pair(j, r->bodies[b]);
        jn_json_numbers(j, "before", k->body_before + (size_t)(6 * b), 6);
        jn_json_numbers(j, "after", k->body_after + (size_t)(6 * b), 6);
        jn_json_end(j);
    }
    jn_json_end(j);
    write_events(j, k);
    if (r->impacts_kept <= 200) write_path(j, k); /* paths are for looking at */
    jn_json_end(j);
}

char *jn_impacts_json(const jn_model *m, const jn_result *r) {
    jn_json j = {0};
    jn_json_object(&j, NULL);
    jn_json_text(&j, "note",
                 "velocities and impulses: normal, then tangents; contacts count from 1 in the order of each impact");
    jn_json_integer(&j, "count", r->impact_count);
    jn_json_array(&j, "impacts");
    for (long i = 0; i < r->impacts_kept; i++) write_one(&j, m, r, &r->impacts[i]);
    jn_json_end(&j);
    jn_json_end(&j);
    return j.failed ? NULL : j.text;
}
