/* Collisions of method impact: kept, found by name, and written as impacts.json and impacts.csv. */
#include "trace/impacts.h"

#include "base/memory.h"
#include "trace/json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KEPT = 20000, MOST_SAMPLES = 4000 };

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
    size_t width = (size_t)(d * JN_IMPACT_WIDTH), need = (size_t)(path->count + 1) * width;
    if (contacts > JN_IMPACT_WIDTH) return; /* too many to draw */
    if (need > path->room) {
        void *v = jn_realloc(path->v, 2 * need * sizeof *path->v);
        if (!v) return;
        path->v = v, path->room = 2 * need;
    }
    double *v = path->v + (size_t)path->count * width;
    for (size_t i = 0; i < width; i++) v[i] = NAN;
    for (int i = 0; i < s->contacts; i++) memcpy(v + d * s->contact[i], s->v + d * i, (size_t)d * sizeof *v);
    path->state[path->count++] = (struct jn_impact_state){s->impact, s->impulse, s->work};
}

/* Hands out the arrays of one block, or measures it. */
static size_t lay_out(jn_impact_kept *k, char *base) {
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
                {&k->body_before, 6 * (size_t)k->bodies * sizeof(double)},
                {&k->body_after, 6 * (size_t)k->bodies * sizeof(double)},
                {&k->event, E * sizeof *k->event},
                {&k->event_p, E * N * sizeof(double)},
                {&k->event_slip, E * N},
                {&k->sample, S * sizeof *k->sample},
                {&k->sample_v, S * D * sizeof(double)}};
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

static void copy_arrays(jn_impact_kept *k, const jn_impact_report *i) {
    const jn_impact_record *r = i->record;
    size_t N = (size_t)k->contacts, D = N * (size_t)k->dimension, E = (size_t)k->events;
    for (size_t c = 0; c < N; c++) {
        snprintf(k->name[c], sizeof k->name[c], "%s", i->name[c]);
        memcpy(k->body[c], i->body[c], sizeof k->body[c]);
        k->point[c] = i->problem->contact[c], k->point[c].e = NULL;
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
    char *block = jn_malloc(lay_out(&k, NULL) + 16);
    if (block) {
        lay_out(&k, block);
        copy_arrays(&k, i);
        size_t D = (size_t)(k.dimension * k.contacts), width = (size_t)(k.dimension * JN_IMPACT_WIDTH);
        if (k.samples) memcpy(k.sample, path->state, (size_t)k.samples * sizeof *k.sample);
        for (size_t s = 0; s < (size_t)k.samples; s++)
            memcpy(k.sample_v + s * D, path->v + s * width, D * sizeof(double));
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
    long number = 0;
    int used = 0;
    if (sscanf(path, "impact.%ld.%n", &number, &used) != 1 || !used || number < 1 || number > r->impacts_kept)
        return false;
    const jn_impact_kept *k = &r->impacts[number - 1];
    const char *what = path + used;
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

static const char *const slip_words[] = {"none", "stick", "slide"};
static const char *const end_words[] = {"complete", "limit", "jammed", "unsolved"};

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
    jn_json_text(j, "slip", slip_words[k->slip[c]]);
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
        for (int c = 0; c < k->contacts; c++) jn_json_text(j, NULL, slip_words[k->event_slip[e * k->contacts + c]]);
        jn_json_end(j);
        jn_json_end(j);
    }
    jn_json_end(j);
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
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void write_one(jn_json *j, const jn_model *m, const jn_result *r, const jn_impact_kept *k) {
    jn_json_object(j, NULL);
    jn_json_number(j, "time", k->time);
    jn_json_text(j, "kind", k->kind);
    jn_json_text(j, "law", jn_impact_get_info(m->run.impact_law)->name);
    jn_json_text(j, "end", end_words[k->end]);
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
