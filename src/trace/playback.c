/* Frames of the moving bodies and contact forces, and the rows of a run in progress. */
#include "trace/playback.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include "step/nonsmooth/nonsmooth.h"
#include "trace/scene.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FRAMES = 4000, MOST_BYTES = 48 << 20, FIRST_ROOM = 1 << 16 };
#define LIVE_PERIOD 0.5 /* [s] of wall time between two writes of a run in progress */

static double wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ------------------------------------------------------------------------------------------------------- buffer */

static void put(jn_playback *p, const void *bytes, size_t count) {
    if (p->error) return;
    if (p->length + count > p->capacity) {
        size_t capacity = 2 * (p->length + count) + FIRST_ROOM;
        void *wide = jn_realloc(p->buffer, capacity);
        if (!wide) {
            p->error = ENOMEM;
            return;
        }
        p->buffer = wide, p->capacity = capacity;
    }
    memcpy(p->buffer + p->length, bytes, count);
    p->length += count;
}

static void put_u32(jn_playback *p, uint32_t x) { put(p, &x, sizeof x); }

static void put_vector(jn_playback *p, jn_vec3 v) {
    const float f[3] = {(float)v.x, (float)v.y, (float)v.z};
    put(p, f, sizeof f);
}

/* ------------------------------------------------------------------------------------------------------- frames */

static void put_contact(jn_playback *p, int row, const jn_contact_geometry *contact, jn_vec3 force) {
    put_u32(p, (uint32_t)row);
    put_vector(p, v3_scale(0.5, v3_add(contact->pA, contact->pB)));
    put_vector(p, force);
}

/* Forces of the contact set: mean ones of the last step (nonsmooth), those at the state (impact, duration 1). They are what the channels
 * contact.NAME.fn and ft sum up. O(contacts) */
static uint32_t put_set(jn_playback *p, const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    uint32_t count = 0;
    for (int i = 0; i < set->count && set->duration > 0; i++) {
        const jn_contact_point *h = &set->point[i];
        if (!jn_pair_is(sim->m, h) || !(set->p[i * set->dimension] > 0)) continue;
        put_contact(p, h->row, &h->geometry, v3_scale(1 / set->duration, jn_contact_impulse(set, set->p, i)));
        count++;
    }
    return count;
}

/* Forces of active contacts, at the state of the last evaluation. */
static uint32_t put_forces(jn_playback *p, const jn_sim *sim) {
    const jn_contacts *c = sim->contacts;
    int used = sim->s->contact_count;
    uint32_t count = 0;
    for (int i = 0; i < used; i++) {
        const jn_contact_state *cached = &sim->s->contact[i];
        const jn_solid_pair *pair;
        const jn_contact_geometry *contact = jn_contact_cache_point(c->detection, cached, &pair);
        if (!contact) continue;
        put_contact(p, jn_model_contact_of(sim->m, pair->a, pair->b), contact,
                    jn_contact_force(c, sim->w, pair, contact, cached));
        count++;
    }
    return count;
}

static void put_frame(jn_playback *p, const jn_sim *sim, long row) {
    const jn_model *m = sim->m;
    size_t head = p->length;
    put_u32(p, 0);
    put_u32(p, (uint32_t)row);
    put(p, &sim->s->t, sizeof(double));
    for (int b = 0; b < m->body_count; b++) {
        const jn_link_motion *link = &sim->w->link[m->bodies[b].link];
        jn_quat q = q4_from_matrix(&link->R);
        const float f[4] = {(float)q.w, (float)q.x, (float)q.y, (float)q.z};
        put_vector(p, link->O);
        put(p, f, sizeof f);
    }
    uint32_t contacts = sim->nonsmooth ? put_set(p, sim) : sim->contacts ? put_forces(p, sim) : 0;
    if (!p->error) memcpy(p->buffer + head, &contacts, sizeof contacts);
}

/* -------------------------------------------------------------------------------------------------------- files */

static FILE *open_in(const jn_playback *p, const char *name) {
    char path[4096 + 32];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return fopen(path, "wb");
}

static void remove_in(const jn_playback *p, const char *name) {
    char path[4096 + 32];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    unlink(path);
}

static void note_failure(jn_playback *p) {
    if (!p->error) p->error = errno ? errno : EIO;
}

/* All frames so far into motion.bin. */
static void write_motion(jn_playback *p) {
    errno = 0;
    if (!p->motion) p->motion = open_in(p, "motion.bin");
    if (!p->motion || fwrite(p->buffer, 1, p->length, p->motion) != p->length || fflush(p->motion)) note_failure(p);
    p->written += p->length;
    p->length = 0;
}

static void write_names(FILE *file, const jn_result *r) {
    static const char zeros[8] = {0};
    uint32_t head[2] = {(uint32_t)r->channels, 0};
    size_t bytes = 0;
    for (int i = 0; i < r->channels; i++) bytes += strlen(r->names[i]) + strlen(r->units[i]) + 2;
    size_t pad = (8 - bytes % 8) % 8;
    head[1] = (uint32_t)(bytes + pad);
    fwrite("JNLIVE1\n", 1, 8, file);
    fwrite(head, sizeof head, 1, file);
    for (int i = 0; i < r->channels; i++) {
        fwrite(r->names[i], 1, strlen(r->names[i]) + 1, file);
        fwrite(r->units[i], 1, strlen(r->units[i]) + 1, file);
    }
    fwrite(zeros, 1, pad, file);
}

/* Rows so far into live.bin; what an earlier run left would be taken for this one's. */
static void write_live(jn_playback *p, const jn_result *r) {
    if (!p->live) {
        remove_in(p, "summary.json");
        remove_in(p, "result.h5");
        remove_in(p, "events.csv");
        p->live = open_in(p, "live.bin");
        if (p->live) write_names(p->live, r);
    }
    size_t width = (size_t)r->channels + 1;
    if (!p->live) return;
    fwrite(r->data + (size_t)p->rows_live * width, width * sizeof(double), (size_t)(r->rows - p->rows_live), p->live);
    fflush(p->live);
    p->rows_live = r->rows;
}

/* ---------------------------------------------------------------------------------------------------- interface */

int jn_playback_create(jn_playback *p, const jn_model *m, const char *folder, long rows, jn_report *report) {
    *p = (jn_playback){.model = m, .folder = folder, .last = wall_clock()};
    if (!folder) return JN_OK;
    double frame = 16.0 + 28.0 * m->body_count, most = jn_fmin(MOST_FRAMES, jn_fmax(2, MOST_BYTES / frame));
    p->every = (long)ceil((double)rows / most);
    if (p->every < 1) p->every = 1;
    put(p, "JNMOTN1\n", 8);
    put_u32(p, (uint32_t)m->body_count);
    put_u32(p, (uint32_t)m->contact_count);
    char path[4096 + 32], *scene = jn_scene_text(m);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    int status = scene ? jn_text_write(scene, path, report) : JN_ERR_MEMORY;
    jn_free(scene);
    return status;
}

void jn_playback_row(jn_playback *p, const jn_sim *sim, const jn_result *r, bool last) {
    if (!p->folder) return;
    if ((r->rows - 1) % p->every == 0 || last) put_frame(p, sim, r->rows - 1);
    double now = wall_clock();
    if (now - p->last < LIVE_PERIOD) return;
    p->last = now;
    write_motion(p);
    write_live(p, r);
}

size_t jn_playback_flush(jn_playback *p) {
    if (p->folder) write_motion(p);
    return p->written;
}

int jn_playback_go_on(jn_playback *p, size_t bytes, jn_report *report) {
    char path[4096 + 32];
    if (!p->folder) return JN_OK;
    snprintf(path, sizeof path, "%s/motion.bin", p->folder);
    errno = 0;
    p->motion = fopen(path, "r+b");
    bool long_enough = p->motion && !fseek(p->motion, 0, SEEK_END) && (size_t)ftell(p->motion) >= bytes;
    bool fine = long_enough && !ftruncate(fileno(p->motion), (off_t)bytes) && !fseek(p->motion, 0, SEEK_END);
    p->length = 0, p->written = bytes; /* the head is in the file */
    if (fine) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL,
                         "the run cannot go on from this file: %s",
                         long_enough || errno ? strerror(errno) : "it is too short");
}

int jn_playback_finish(jn_playback *p, jn_report *report) {
    if (!p->folder) return JN_OK;
    char path[4096 + 32];
    write_motion(p);
    errno = 0;
    if (p->motion && fclose(p->motion)) note_failure(p);
    p->motion = NULL;
    if (p->live) fclose(p->live);
    p->live = NULL;
    remove_in(p, "live.bin");
    if (!p->error) return JN_OK;
    snprintf(path, sizeof path, "%s/motion.bin", p->folder);
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be written: %s",
                         strerror(p->error));
}

void jn_playback_free(jn_playback *p) {
    if (p->motion) fclose(p->motion);
    if (p->live) fclose(p->live);
    p->motion = p->live = NULL;
    jn_free(p->buffer);
    p->buffer = NULL;
}
