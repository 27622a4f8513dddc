/* A run as a file from which it goes on: checkpoint.bin in its folder, with the simulation, the rows and the events so far.
 *
 *     JNRUN\r\n\0  bytes of: note, simulation, rows, events, motion.bin  ...  note  simulation  rows  events  hash of all before */
#include "workflow/run_checkpoint.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "JNRUN\r\n";
enum { INSTANTS = 16 }; /* of a run with adams or bdf at which it may be written: the integrator starts anew there */

typedef struct head {
    char magic[8];
    uint64_t note, simulation, rows, events, motion; /* bytes */
    uint64_t channels, event_count, event_size, impact_count;
    double period; /* [s] */
} head;

static void name_file(const char *folder, char *path, size_t size) {
    snprintf(path, size, "%s/checkpoint.bin", folder);
}

/* -------------------------------------------------------------------------------------------------------------- write */

static int fail(jn_recorder *r, const char *path, int reason) {
    jn_report_add(r->report, JN_SEVERITY_WARNING, JN_OK, (jn_where){path, 0, 0}, NULL,
                  "the checkpoint cannot be written: %s", strerror(reason));
    return JN_ERR_IO;
}

int jn_run_checkpoint_write(jn_recorder *r) {
    char path[4096 + 32];
    jn_result *result = r->result;
    size_t simulation_size;
    name_file(r->folder, path, sizeof path);
    unsigned char *simulation = jn_sim_pack(r->sim, &simulation_size);
    const char *note = r->note ? r->note : "";
    head h = {.note = strlen(note) + 1,
              .simulation = simulation_size,
              .rows = (uint64_t)result->rows * (uint64_t)(result->channels + 1) * sizeof(double),
              .events = (uint64_t)result->event_count * sizeof *result->events,
              .motion = jn_playback_flush(&r->playback),
              .channels = (uint64_t)result->channels,
              .event_count = (uint64_t)result->event_count,
              .event_size = sizeof *result->events,
              .impact_count = (uint64_t)result->impact_count,
              .period = r->period};
    memcpy(h.magic, magic, sizeof h.magic);
    size_t size = sizeof h + h.note + h.simulation + h.rows + h.events;
    unsigned char *bytes = simulation ? jn_malloc(size + 8) : NULL, *at = bytes;
    if (bytes) {
        memcpy(at, &h, sizeof h), at += sizeof h;
        memcpy(at, note, h.note), at += h.note;
        memcpy(at, simulation, h.simulation), at += h.simulation;
        memcpy(at, result->data, h.rows), at += h.rows;
        if (h.events) memcpy(at, result->events, h.events), at += h.events;
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
    name_file(folder, path, sizeof path);
    remove(path);
}

/* --------------------------------------------------------------------------------------------------------------- read */

static int refuse(jn_report *report, const char *path, const char *text) {
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "%s", text);
    return JN_ERR_IO;
}

/* The bytes of the file behind its head, all of them there. NULL with a report: else. */
static unsigned char *open_file(const char *folder, head *h, char *path, size_t path_size, jn_report *report) {
    size_t size;
    int reason;
    name_file(folder, path, path_size);
    unsigned char *bytes = jn_file_read(path, &size, &reason);
    if (!bytes) {
        refuse(report, path,
               reason == ENOENT
                   ? "there is no checkpoint: the run came to its end, or wrote none\nrun it with --checkpoint 60s"
                   : strerror(reason));
        return NULL;
    }
    uint64_t hash = 0, left = size >= sizeof *h + 8 ? size - sizeof *h - 8 : 0;
    if (left) memcpy(h, bytes, sizeof *h), memcpy(&hash, bytes + size - 8, 8);
    bool fine = left && !memcmp(h->magic, magic, sizeof magic) &&
                hash == jn_hash_bytes(JN_HASH_START, bytes, size - 8) && h->note <= left && h->simulation <= left &&
                h->rows <= left && h->events <= left && h->note + h->simulation + h->rows + h->events == left &&
                h->note > 0 && bytes[sizeof *h + h->note - 1] == 0;
    if (fine) return bytes;
    refuse(report, path, "this is no checkpoint of a run, or it is damaged");
    jn_free(bytes);
    return NULL;
}

char *jn_run_checkpoint_note(const char *folder, jn_report *report) {
    char path[4096 + 32];
    head h;
    unsigned char *bytes = open_file(folder, &h, path, sizeof path, report);
    char *note = bytes ? jn_malloc(h.note) : NULL;
    if (note) memcpy(note, bytes + sizeof h, h.note);
    jn_free(bytes);
    return note;
}

int jn_run_checkpoint_read(jn_recorder *r) {
    char path[4096 + 32];
    head h;
    unsigned char *bytes = open_file(r->folder, &h, path, sizeof path, r->report);
    if (!bytes) return JN_ERR_IO;
    jn_result *result = r->result;
    uint64_t width = (uint64_t)(result->channels + 1) * sizeof(double);
    const unsigned char *at = bytes + sizeof h + h.note;
    int status = JN_OK;
    if (h.channels != (uint64_t)result->channels || h.event_size != sizeof *result->events || h.rows % width ||
        h.rows / width > (uint64_t)r->grid.count || h.events % h.event_size || h.events / h.event_size != h.event_count)
        status = refuse(r->report, path, "this is the checkpoint of a run of another model");
    if (status >= 0) status = jn_sim_unpack(r->sim, at, h.simulation, path, r->report);
    if (status >= 0 && h.events) {
        result->events = jn_malloc(h.events);
        if (!result->events) status = JN_ERR_MEMORY;
    }
    if (status >= 0) {
        at += h.simulation;
        memcpy(result->data, at, h.rows), at += h.rows;
        if (h.events) memcpy(result->events, at, h.events);
        for (uint64_t i = 0; i < h.event_count; i++) { /* texts end inside, whatever the file says */
            jn_event_record *e = &result->events[i];
            e->kind[sizeof e->kind - 1] = e->where[sizeof e->where - 1] = 0;
        }
        result->rows = (long)(h.rows / width);
        result->event_count = r->event_capacity = (long)h.event_count;
        result->impact_count = (long)h.impact_count;
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
