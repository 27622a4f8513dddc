/* A simulation begins where another run was: to the bit where that run left a whole simulation of the same motion (state.bin at its end,
 * checkpoint.bin where it was stopped), else from the positions and velocities in its records. */
#include "step/start/other_run.h"
#include "algebra/elementary.h"
#include "base/file.h"
#include "base/memory.h"
#include "step/checkpoint_file.h"
#include "step/start/records.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SAME_TIME_REL 1e-12 /* of the time, 1 s at least: sums of steps end so near to the decimals that people write */
#define FOLLOWED_REL 1e-6   /* of the farthest body: records in single precision are met to that */
#define AT_ROW 1e-9         /* of the interval between two rows: nearer is at the row */

static int refuse(const jn_sim *sim, jn_report *report, const char *text, const char *path, double a, double b) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, sim->m->run.start_where, "run.start", text, path, a, b);
}

/* --------------------------------------------------------------------------------------------------------------- find */

static bool is_folder(const char *path) {
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

/* Beside the model's file, or else as the program sees it. */
static bool find_folder(const jn_model *m, char *out, size_t size) {
    const char *name = m->run.start_folder, *slash = m->file ? strrchr(m->file, '/') : NULL;
    if (slash && name[0] != '/') {
        snprintf(out, size, "%.*s/%s", (int)(slash - m->file), m->file, name);
        if (is_folder(out)) return true;
    }
    snprintf(out, size, "%s", name);
    return is_folder(out);
}

static bool is_wanted(const jn_model *m, double time) {
    double wanted = m->run.start_time;
    return isnan(wanted) || fabs(time - wanted) <= SAME_TIME_REL * jn_fmax(1, fabs(wanted));
}

/* state.bin, the simulation at the end of the run. */
static bool find_end(const jn_sim *sim, jn_other_run *o) {
    int reason;
    snprintf(o->path, sizeof o->path, "%s/state.bin", o->folder);
    o->bytes = jn_file_read(o->path, &o->size, &reason);
    o->simulation = o->bytes;
    return o->bytes && jn_sim_peek(sim, o->bytes, o->size, &o->time) && is_wanted(sim->m, o->time);
}

/* checkpoint.bin, of a run that goes on or was stopped. */
static bool find_checkpoint(const jn_sim *sim, jn_other_run *o) {
    jn_checkpoint_head h;
    jn_report unheard = {0};
    o->bytes = jn_checkpoint_open(o->folder, &h, o->path, sizeof o->path, &unheard);
    if (!o->bytes) return false;
    o->simulation = o->bytes + sizeof h + h.note, o->size = h.simulation;
    return jn_sim_peek(sim, o->simulation, o->size, &o->time) && is_wanted(sim->m, o->time);
}

static void drop_bytes(jn_other_run *o) {
    jn_free(o->bytes);
    o->bytes = NULL;
}

/* The last row whose time is not behind t, by bisection. -1: the file does not say. */
static long row_before(long long file, long rows, double t) {
    long low = 0, high = rows - 1;
    while (low < high) {
        long middle = low + (high - low + 1) / 2;
        double time;
        if (!jn_records_read(file, NULL, middle, 1, &time)) return -1;
        if (time <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int find_row(const jn_sim *sim, jn_other_run *o, jn_report *report) {
    long rows = jn_records_rows(o->records);
    double first, last, here[2];
    if (rows < 1 || !jn_records_read(o->records, NULL, 0, 1, &first) ||
        !jn_records_read(o->records, NULL, rows - 1, 1, &last))
        return refuse(sim, report, "%s has no series: it is no result of a run, or it is damaged%.0s%.0s", o->path, 0,
                      0);
    o->time = isnan(sim->m->run.start_time) ? last : sim->m->run.start_time;
    double slack = SAME_TIME_REL * jn_fmax(1, fabs(o->time));
    if (!(o->time >= first - slack && o->time <= last + slack))
        return refuse(sim, report,
                      "the records of %s go from %.9g s to %.9g s: the start lies outside\nname a time between them",
                      o->path, first, last);
    o->row = row_before(o->records, rows, o->time + slack);
    if (o->row < 0 || !jn_records_read(o->records, NULL, o->row, o->row + 1 < rows ? 2 : 1, here))
        return refuse(sim, report, "%s is damaged: its times cannot be read%.0s%.0s", o->path, 0, 0);
    if (o->row + 1 == rows) return JN_OK;
    o->interval = here[1] - here[0], o->part = jn_fmax(0, (o->time - here[0]) / o->interval);
    if (!(o->interval > 0) || o->part <= AT_ROW) o->part = 0;
    return JN_OK;
}

int jn_other_run_open(jn_sim *sim, jn_other_run *o, jn_report *report) {
    const jn_model *m = sim->m;
    o->records = -1;
    if (!m->run.start_folder) return JN_OK;
    if (m->run.analysis != JN_ANALYSIS_DYNAMIC)
        return refuse(
            sim, report,
            "only a dynamic run begins where another was (%s)%.0s%.0s\nremove 'start', or write 'analysis: dynamic'",
            m->run.start_folder, 0, 0);
    if (!find_folder(m, o->folder, sizeof o->folder))
        return refuse(sim, report,
                      "there is no folder '%s'%.0s%.0s\nname the results of a run, as 'start: out/other_run @ 1.5 s'; "
                      "it is looked for "
                      "beside the model's file, then where the program runs",
                      m->run.start_folder, 0, 0);
    if (find_end(sim, o)) return JN_OK;
    drop_bytes(o);
    if (find_checkpoint(sim, o)) return JN_OK;
    drop_bytes(o);
    struct stat info;
    snprintf(o->path, sizeof o->path, "%s/result.h5", o->folder);
    if (!stat(o->path, &info) && S_ISREG(info.st_mode)) o->records = jn_records_open(o->path);
    if (o->records < 0)
        return refuse(sim, report,
                      "%s is not there or cannot be read, and no checkpoint in its folder is one of this motion at "
                      "this time%.0s%.0s\n"
                      "let that run come to its end, or name the time of its checkpoint",
                      o->path, 0, 0);
    return find_row(sim, o, report);
}

void jn_other_run_close(jn_other_run *o) {
    drop_bytes(o);
    if (o->records >= 0) jn_records_close(o->records);
    o->records = -1;
}

/* -------------------------------------------------------------------------------------------------------------- place */

/* A value and its rate at one row or at two: between rows the cubic that has both at both ends, without a rate the straight line. */
static bool read_value(const jn_other_run *o, const char *body, const char *key, const char *rate_key, double *out) {
    char name[160];
    long count = o->part > 0 ? 2 : 1;
    double x[2], v[2];
    snprintf(name, sizeof name, "body.%.64s.%s", body, key);
    if (!jn_records_read(o->records, name, o->row, count, x)) return false;
    *out = x[0];
    if (count == 1) return true;
    double s = o->part, h = o->interval;
    snprintf(name, sizeof name, "body.%.64s.%s", body, rate_key);
    *out = x[0] + s * (x[1] - x[0]);
    if (jn_records_read(o->records, name, o->row, 2, v))
        *out += s * (1 - s) * ((1 - s) * (h * v[0] - (x[1] - x[0])) - s * (h * v[1] - (x[1] - x[0])));
    return true;
}

/* The orientation: straight between two rows, from q to the nearer of q' and -q', made a unit. */
static bool read_orientation(const jn_other_run *o, const char *body, jn_quat *out) {
    static const char *const keys[] = {"qw", "qx", "qy", "qz"};
    char name[160];
    double q[4][2], dot = 0;
    long count = o->part > 0 ? 2 : 1;
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "body.%.64s.%s", body, keys[k]);
        if (!jn_records_read(o->records, name, o->row, count, q[k])) return false;
        dot += count == 2 ? q[k][0] * q[k][1] : 0;
    }
    double a = 1 - o->part, b = dot < 0 ? -o->part : o->part;
    for (int k = 0; k < 4 && count == 2; k++) q[k][0] = a * q[k][0] + b * q[k][1];
    *out = (jn_quat){q[0][0], q[1][0], q[2][0], q[3][0]};
    double size = q4_norm(*out);
    *out = q4_unit(*out);
    return size > 0.5 && size < 2;
}

static bool read_body(const jn_other_run *o, const jn_model *m, const char *name, jn_body_motion *b) {
    if (m->planar) {
        if (!read_value(o, name, "x", "vx", &b->position.x) || !read_value(o, name, "y", "vy", &b->position.y) ||
            !read_value(o, name, "angle", "w", &b->angle) || !read_value(o, name, "vx", "ax", &b->velocity.x) ||
            !read_value(o, name, "vy", "ay", &b->velocity.y) || !read_value(o, name, "w", "al", &b->angular_velocity.z))
            return false;
        b->orientation = (jn_quat){jn_cos(0.5 * b->angle), 0, 0, jn_sin(0.5 * b->angle)};
        return true;
    }
    return read_value(o, name, "x", "vx", &b->position.x) && read_value(o, name, "y", "vy", &b->position.y) &&
           read_value(o, name, "z", "vz", &b->position.z) && read_orientation(o, name, &b->orientation) &&
           read_value(o, name, "vx", "ax", &b->velocity.x) && read_value(o, name, "vy", "ay", &b->velocity.y) &&
           read_value(o, name, "vz", "az", &b->velocity.z) &&
           read_value(o, name, "wx", "alx", &b->angular_velocity.x) &&
           read_value(o, name, "wy", "aly", &b->angular_velocity.y) &&
           read_value(o, name, "wz", "alz", &b->angular_velocity.z);
}

static int lacks_body(const jn_sim *sim, const jn_other_run *o, const char *name, jn_report *report) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, sim->m->run.start_where, "run.start",
                         "%s has no positions and velocities of body '%.64s'\nthe other run must have all bodies of "
                         "this one, by name, and record "
                         "their channels: 'record: {channels: [\"body.*\"]}', or all by default",
                         o->path, name);
}

/* Coordinates of joints that count full turns, which poses of bodies do not tell: jn_state_from_bodies keeps those nearest to what is there. */
static void read_turns(jn_sim *sim, const jn_other_run *o) {
    const jn_model *m = sim->m;
    for (int k = 0; k < m->joint_count; k++) {
        char name[160];
        double q;
        int handle = m->joints[k].handle;
        if (m->joints[k].nv != 1 || m->handles[handle].q < 0) continue;
        snprintf(name, sizeof name, "joint.%.64s.q", m->joints[k].name);
        if (jn_records_read(o->records, name, o->row, 1, &q) && isfinite(q)) sim->s->q[m->handles[handle].q] = q;
    }
}

static void note_start(jn_sim *sim, const jn_other_run *o) {
    snprintf(sim->begun_from, sizeof sim->begun_from, "%s", o->folder);
    if (o->bytes)
        snprintf(sim->begun, sizeof sim->begun, "at %.9g s from %.120s, to the bit", o->time, o->path);
    else
        snprintf(sim->begun, sizeof sim->begun, "at %.9g s with positions and velocities from %s %ld of %.100s",
                 o->time, o->part > 0 ? "between rows, behind row" : "row", o->row + 1, o->path);
}

/* Says which body the joints of this model put elsewhere, if one is. */
static void compare_places(jn_sim *sim, const jn_other_run *o, const jn_body_motion *bodies, jn_report *report) {
    const jn_model *m = sim->m;
    double size = 0, most = 0;
    int worst = 0;
    jn_kinematics(m, sim->w, sim->s);
    for (int b = 1; b < m->body_count; b++) {
        jn_body_motion now;
        jn_body_motion_get(m, sim->w, b, &now);
        double far = v3_norm(v3_sub(now.position, bodies[b].position));
        size = jn_fmax(size, v3_norm(now.position));
        if (far > most) most = far, worst = b;
    }
    if (most > FOLLOWED_REL * size)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, m->run.start_where, "run.start",
                      "the joints of this model do not let the bodies stand as in %s: '%.64s' begins %.3g m from there",
                      o->path, m->bodies[worst].name, most);
}

int jn_other_run_place(jn_sim *sim, const jn_other_run *o, jn_report *report) {
    const jn_model *m = sim->m;
    if (o->records < 0) return JN_OK;
    jn_body_motion *bodies = jn_malloc((size_t)m->body_count * sizeof *bodies);
    if (!bodies) return JN_ERR_MEMORY;
    int status = JN_OK;
    jn_kinematics(m, sim->w, sim->s);
    for (int b = 0; b < m->body_count && status >= 0; b++) {
        jn_body_motion_get(m, sim->w, b, &bodies[b]);
        if (m->bodies[b].link > 0 && !read_body(o, m, m->bodies[b].name, &bodies[b]))
            status = lacks_body(sim, o, m->bodies[b].name, report);
    }
    if (status >= 0) {
        note_start(sim, o);
        read_turns(sim, o);
        sim->s->t = o->time;
        jn_state_from_bodies(m, sim->w, sim->s, bodies);
        status = jn_range_keep(sim) < 0
                     ? refuse(sim, report, "%s holds values that are no numbers%.0s%.0s", o->path, 0, 0)
                     : jn_project(m, sim->w, sim->s);
        if (status >= 0) compare_places(sim, o, bodies, report);
    }
    jn_free(bodies);
    return status >= 0 ? jn_range_check(sim, report) : status;
}

/* ------------------------------------------------------------------------------------------------------------ restore */

int jn_other_run_restore(jn_sim *sim, const jn_other_run *o, jn_report *report) {
    if (!o->bytes) return JN_OK;
    note_start(sim, o);
    return jn_sim_unpack(sim, o->simulation, o->size, o->path, report);
}
