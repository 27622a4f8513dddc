/* A run as a file from which it goes on: checkpoint.bin in its folder, with the simulation, the rows, the events and the impacts so far. */
#include "workflow/run_checkpoint.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "step/checkpoint_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { INSTANTS = 16 }; /* of a run with adams or bdf at which it may be written: the integrator starts anew there */

/* -------------------------------------------------------------------------------------------------------------- write */

static int fail(jn_recorder *r, const char *path, int reason) {
    jn_report_add(r->report, JN_SEVERITY_WARNING, JN_OK, (jn_where){path, 0, 0}, NULL,
                  "the checkpoint cannot be written: %s", strerror(reason));
    return JN_ERR_IO;
}

static jn_checkpoint_head head_of(jn_recorder *r, size_t note, size_t simulation) {
    const jn_result *result = r->result;
    jn_checkpoint_head h = {.note = note,
                            .simulation = simulation,
                            .rows = (uint64_t)result->rows * (uint64_t)(result->channels + 1) * sizeof(double),
                            .events = (uint64_t)result->event_count * sizeof *result->events,
                            .impacts = jn_impacts_pack(result, NULL),
                            .motion = jn_playback_flush(&r->playback),
                            .model = r->model->hash,
                            .channels = (uint64_t)result->channels,
                            .event_count = (uint64_t)result->event_count,
                            .event_size = sizeof *result->events,
                            .impact_count = (uint64_t)result->impact_count,
                            .impacts_kept = (uint64_t)result->impacts_kept,
                            .problems = (uint64_t)r->problems,
                            .period = r->period};
    memcpy(h.magic, JN_CHECKPOINT_MAGIC, sizeof h.magic);
    return h;
}

int jn_run_checkpoint_write(jn_recorder *r) {
    char path[4096 + 32];
    const jn_result *result = r->result;
    const char *note = r->note ? r->note : "";
    size_t simulation_size;
    jn_checkpoint_name(r->folder, path, sizeof path);
    unsigned char *simulation = jn_sim_pack(r->sim, &simulation_size);
    jn_checkpoint_head h = head_of(r, strlen(note) + 1, simulation_size);
    size_t size = sizeof h + h.note + h.simulation + h.rows + h.events + h.impacts;
    unsigned char *bytes = simulation ? jn_malloc(size + 8) : NULL, *at = bytes;
    if (bytes) {
        memcpy(at, &h, sizeof h), at += sizeof h;
        memcpy(at, note, h.note), at += h.note;
        memcpy(at, simulation, h.simulation), at += h.simulation;
        memcpy(at, result->data, h.rows), at += h.rows;
        if (h.events) memcpy(at, result->events, h.events), at += h.events;
        at += jn_impacts_pack(result, at);
        uint64_t hash = jn_hash_bytes(JN_HASH_START, bytes, size);
        memcpy(at, &hash, sizeof hash);
    }
    int reason = bytes ? jn_file_replace(path, bytes, size + 8) : ENOMEM;
    jn_free(bytes);
    jn_free(simulation);
    return reason ? fail(r, path, reason) : JN_OK;
}

void jn_run_checkpoint_remove(const char *folder) {
    char path[4096 + 32];
    jn_checkpoint_name(folder, path, sizeof path);
    remove(path);
}

/* --------------------------------------------------------------------------------------------------------------- read */

static int refuse(jn_report *report, const char *path, const char *text) {
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "%s", text);
    return JN_ERR_IO;
}

char *jn_run_checkpoint_note(const char *folder, jn_report *report) {
    char path[4096 + 32];
    jn_checkpoint_head h;
    unsigned char *bytes = jn_checkpoint_open(folder, &h, path, sizeof path, report);
    char *note = bytes ? jn_malloc(h.note) : NULL;
    if (note) memcpy(note, bytes + sizeof h, h.note);
    jn_free(bytes);
    return note;
}

/* Whether a run of this model with these records can have written it. */
static bool is_of_run(const jn_recorder *r, const jn_checkpoint_head *h) {
    uint64_t width = (uint64_t)(r->result->channels + 1) * sizeof(double);
    return h->model == r->model->hash && h->channels == (uint64_t)r->result->channels &&
           h->event_size == sizeof *r->result->events && h->rows > 0 && h->rows % width == 0 &&
           (h->rows / width <= (uint64_t)r->grid.count || r->model->run.record_each_step) &&
           h->events % h->event_size == 0 && h->events / h->event_size == h->event_count &&
           h->problems <= JN_PROBLEMS_MOST && (h->impacts_kept == 0 || r->impacts.result);
}

/* Rows, events and impacts behind the simulation. */
static int take_records(jn_recorder *r, const jn_checkpoint_head *h, const unsigned char *at) {
    jn_result *result = r->result;
    uint64_t width = (uint64_t)(result->channels + 1) * sizeof(double);
    if (h->events && !(result->events = jn_malloc(h->events))) return JN_ERR_MEMORY;
    if (h->rows / width > (uint64_t)r->row_capacity) { /* a row after each step: nobody knew how many */
        double *wide = jn_realloc(result->data, h->rows);
        if (!wide) return JN_ERR_MEMORY;
        result->data = wide, r->row_capacity = (long)(h->rows / width);
    }
    memcpy(result->data, at, h->rows), at += h->rows;
    if (h->events) memcpy(result->events, at, h->events), at += h->events;
    for (uint64_t i = 0; i < h->event_count; i++) { /* texts end inside, whatever the file says */
        jn_event_record *e = &result->events[i];
        e->kind[sizeof e->kind - 1] = e->where[sizeof e->where - 1] = 0;
    }
    result->rows = (long)(h->rows / width);
    result->event_count = r->event_capacity = (long)h->event_count;
    result->impact_count = (long)h->impact_count;
    r->problems = (int)h->problems;
    return h->impacts_kept ? jn_impacts_unpack(&r->impacts, at, h->impacts, h->impacts_kept) : JN_OK;
}

int jn_run_checkpoint_read(jn_recorder *r) {
    char path[4096 + 32];
    jn_checkpoint_head h;
    unsigned char *bytes = jn_checkpoint_open(r->folder, &h, path, sizeof path, r->report);
    if (!bytes) return JN_ERR_IO;
    const unsigned char *at = bytes + sizeof h + h.note;
    int status = is_of_run(r, &h)
                     ? JN_OK
                     : refuse(r->report, path,
                              "this is the checkpoint of a run of another model, or of other settings\nrun the model "
                              "anew, or take back what was changed in its file");
    if (status >= 0) status = jn_sim_unpack(r->sim, at, h.simulation, path, r->report);
    if (status >= 0 && (status = take_records(r, &h, at + h.simulation)) < 0)
        refuse(r->report, path, status == JN_ERR_MEMORY ? "out of memory" : "this checkpoint contradicts itself");
    if (status >= 0) {
        if (!(r->period > 0)) r->period = h.period;
        status = jn_playback_go_on(&r->playback, h.motion, r->report);
    }
    jn_free(bytes);
    return status;
}

/* --------------------------------------------------------------------------------------------------------------- when */

static bool is_multistep(const jn_recorder *r) { return r->sim->cvode != NULL; }

void jn_run_checkpoint_row(jn_recorder *r, long row) {
    if (!r->folder || !(r->period > 0)) return;
    if (!is_multistep(r)) {
        if (jn_wall_clock() - r->written < r->period) return;
    } else {
        long part = (r->grid.count + INSTANTS - 1) / INSTANTS;
        if (row % part) return;
        jn_cvode_restart(r->sim);
    }
    jn_run_checkpoint_write(r);
    r->written = jn_wall_clock();
}

void jn_run_checkpoint_stop(jn_recorder *r) {
    if (r->folder && !is_multistep(r)) r->resumable = jn_run_checkpoint_write(r) == JN_OK;
    if (r->folder && is_multistep(r)) r->resumable = r->written > 0;
}
