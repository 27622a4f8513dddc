/* A whole run: channels, simulation, rows, audit, expectations, files. */
#include "base/file.h"
#include "base/memory.h"
#include "workflow/folder.h"
#include "workflow/run_checkpoint.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int out_of_memory(const jn_model *m, jn_report *report) {
    return jn_report_add(
        report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 0, 0}, NULL,
        "out of memory for the results\nmake record.every longer or name fewer channels under record.channels");
}

double jn_wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---------------------------------------------------------------------------------------------------- preparing */

/* Makes the folder and keeps other runs out of it. */
static int open_folder(const char *folder, int *lock, jn_report *report) {
    int status = jn_folder_make(folder, report);
    if (status < 0 || (*lock = jn_folder_lock(folder)) >= 0) return status;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){folder, 0, 0}, NULL,
                         "another run writes into this folder\nwait for its end, or name another folder with -o");
}

/* The channels that the model asks for, and those that its expect rows look at. */
static jn_channels *choose_channels(const jn_model *m, jn_report *report) {
    if (m->record_count == 0) return jn_channels_create(m, NULL, 0, report);
    jn_channels *all = jn_channels_create(m, NULL, 0, report), *out = NULL;
    const char **patterns = jn_malloc(((size_t)m->record_count + (size_t)m->expect_count) * sizeof *patterns);
    int count = m->record_count;
    if (all && patterns) {
        memcpy(patterns, m->record, (size_t)count * sizeof *patterns);
        for (int i = 0; i < m->expect_count; i++) {
            const char *channel = m->expects[i].channel;
            if (channel && jn_channels_find(all, channel) >= 0) patterns[count++] = channel;
        }
        out = jn_channels_create(m, patterns, count, report);
    } else if (all) {
        out_of_memory(m, report);
    }
    jn_free(patterns);
    jn_channels_free(all);
    return out;
}

/* Names in one block: pointers, then texts. */
static bool copy_names(jn_result *result, const jn_channels *channels) {
    size_t bytes = 0, count = (size_t)jn_channels_count(channels);
    for (size_t i = 0; i < count; i++) bytes += strlen(jn_channels_name(channels, (int)i)) + 1;
    result->names = jn_malloc(count * sizeof *result->names + bytes);
    result->units = jn_malloc(count * sizeof *result->units);
    if (!result->names || !result->units) return false;
    char *text = (char *)(result->names + count);
    for (size_t i = 0; i < count; i++) {
        const char *name = jn_channels_name(channels, (int)i);
        size_t length = strlen(name) + 1;
        result->names[i] = memcpy(text, name, length);
        result->units[i] = jn_channels_unit(channels, (int)i);
        text += length;
    }
    result->channels = (int)count;
    return true;
}

static bool copy_bodies(jn_result *result, const jn_model *m) {
    result->bodies = jn_malloc((size_t)m->body_count * sizeof *result->bodies);
    if (!result->bodies) return false;
    result->body_count = m->body_count;
    result->model_bodies = m->body_count - 1, result->model_joints = m->joint_count;
    for (int b = 0; b < m->body_count; b++)
        snprintf(result->bodies[b], sizeof result->bodies[b], "%s", m->bodies[b].name);
    return true;
}

static bool has_time(const jn_model *m) {
    return m->run.analysis != JN_ANALYSIS_EQUILIBRIUM && m->run.analysis != JN_ANALYSIS_MODES;
}

enum { MANY_STEPS = 20000 }; /* with a row after each: for the number of frames */

/* All memory that the rows need. */
static int prepare(jn_recorder *r) {
    const jn_model *m = r->model;
    int status = jn_grid_create(m, r->sim->s->t, jn_channels_count(r->channels), &r->grid, r->report);
    if (status < 0) return status;
    jn_result *result = r->result = jn_malloc(sizeof *result);
    if (!result) return out_of_memory(m, r->report);
    memset(result, 0, sizeof *result);
    result->write_time = NAN;
    double rows = has_time(m) ? (double)r->grid.count + 1 : 1,
           bytes = rows * (jn_channels_count(r->channels) + 1.0) * sizeof(double);
    if (bytes < 1e15) result->data = jn_malloc((size_t)bytes);
    r->row_capacity = (long)rows;
    if (!result->data || !copy_names(result, r->channels) || !copy_bodies(result, m))
        return out_of_memory(m, r->report);
    if (has_time(m) && r->grid.stride > 1)
        snprintf(result->note, sizeof result->note,
                 "the series holds one of every %d steps; record.every chooses otherwise", r->grid.stride);
    long planned = m->run.record_each_step ? MANY_STEPS : r->grid.count;
    return jn_playback_create(&r->playback, m, r->folder, has_time(m) ? planned : 1, r->report);
}

/* ------------------------------------------------------------------------------------------------------- events */

static void keep_event(void *context, const jn_event *event) {
    jn_recorder *r = context;
    jn_result *result = r->result;
    if (result->event_count == r->event_capacity) {
        long capacity = r->event_capacity * 2 + 64;
        void *wide = jn_realloc(result->events, (size_t)capacity * sizeof *result->events);
        if (!wide) return;
        result->events = wide;
        r->event_capacity = capacity;
    }
    jn_event_record *e = &result->events[result->event_count++];
    *e = (jn_event_record){.event = *event}; /* its texts go into files whole, with zeros behind them */
    snprintf(e->kind, sizeof e->kind, "%s", event->kind ? event->kind : "");
    snprintf(e->where, sizeof e->where, "%s", event->where ? event->where : "");
}

/* A contact problem that was hard to solve, as a file beside the results. */
static void keep_problem(void *context, double time, const jn_problem *problem, const double *p,
                         const jn_solve_result *result) {
    jn_recorder *r = context;
    char path[4096], text[160];
    if (problem->dimension != 3 || r->problems == JN_PROBLEMS_MOST) return;
    snprintf(path, sizeof path, "%.4000s/problem_%03d.hdf5", r->folder, r->problems++);
    snprintf(text, sizeof text, "t = %.9g s, %d solvers tried, residual %.2e", time, result->tried, result->residual);
    jn_fclib_write(path, &(jn_fclib){r->model->title, text, "", problem, NULL, p, NULL}, r->report);
}

/* ---------------------------------------------------------------------------------------------------- finishing */

/* The error that broke the run off, from wherever it was said. */
static void note_error(jn_recorder *r) {
    jn_result *result = r->result;
    if (result->status >= 0) return;
    result->error = r->sim->error;
    for (int i = 0; result->error.status >= 0 && i < r->report->count; i++)
        if (r->report->item[i].severity == JN_SEVERITY_ERROR) result->error = r->report->item[i];
    if (result->error.status >= 0) {
        result->error = (jn_error){.severity = JN_SEVERITY_ERROR, .status = result->status};
        snprintf(result->error.text, sizeof result->error.text, "%s", jn_status_text(result->status));
    }
    result->audit.ok = false;
    snprintf(result->audit.verdict, sizeof result->audit.verdict, "the run broke off: %.200s", result->error.text);
}

/* Expectations, and summary.json as text. */
static int summarise(jn_recorder *r) {
    jn_result *result = r->result;
    const jn_model *m = r->model;
    jn_verdict *verdicts = jn_malloc((size_t)m->expect_count * sizeof *verdicts);
    if (!verdicts) return out_of_memory(m, r->report);
    result->expects = m->expect_count;
    result->expects_failed = jn_result_verify(m, result, verdicts);
    int status = jn_summary_write(m, r->sim, result, verdicts);
    jn_free(verdicts);
    return status < 0 ? out_of_memory(m, r->report) : JN_OK;
}

static int finish(jn_recorder *r) {
    jn_result *result = r->result;
    note_error(r);
    result->time = r->sim->s->t;
    result->state_hash = jn_state_hash(r->sim->s);
    result->energy = jn_sim_energy(r->sim);
    snprintf(result->start, sizeof result->start, "%s", r->sim->begun);
    result->ledger = r->sim->s->ledger;
    for (long i = 0; i < result->event_count; i++) {
        result->events[i].event.kind = result->events[i].kind;
        result->events[i].event.where = result->events[i].where;
    }
    return summarise(r);
}

/* series.csv grows with the run. Without it none of an earlier run stays. */
static int start_series(jn_recorder *r) {
    char path[4096];
    if (!r->folder) return JN_OK;
    snprintf(path, sizeof path, "%.4000s/series.csv", r->folder);
    if (!r->model->run.record_csv) {
        unlink(path);
        return JN_OK;
    }
    r->series = jn_series_writer_start(r->result, path);
    return r->series ? JN_OK : out_of_memory(r->model, r->report);
}

static int finish_series(jn_recorder *r) {
    int status = jn_series_writer_finish(r->series, &r->watch, r->report);
    r->series = NULL;
    return status;
}

/* Where the simulation ended, whole: another run may begin there (run.start). */
static int write_end(jn_recorder *r, const char *folder) {
    char path[4096 + 32];
    jn_where where = {path, 0, 0};
    snprintf(path, sizeof path, "%s/state.bin", folder);
    if (r->model->run.analysis != JN_ANALYSIS_DYNAMIC || r->result->status < 0) {
        unlink(path);
        return JN_OK;
    }
    size_t size;
    unsigned char *bytes = jn_sim_pack(r->sim, &size);
    int reason = bytes ? jn_file_replace(path, bytes, size) : ENOMEM;
    jn_free(bytes);
    return reason ? jn_report_add(r->report, JN_SEVERITY_ERROR, JN_ERR_IO, where, NULL, "cannot be written: %s",
                                  strerror(reason))
                  : JN_OK;
}

/* Of method impact; by another one none of an earlier run stays. */
static int write_impacts(jn_recorder *r, const char *folder) {
    char path[2][4096 + 32];
    snprintf(path[0], sizeof path[0], "%s/impacts.json", folder);
    snprintf(path[1], sizeof path[1], "%s/impacts.csv", folder);
    if (r->model->run.method != JN_METHOD_IMPACT) {
        unlink(path[0]), unlink(path[1]);
        return JN_OK;
    }
    char *text = jn_impacts_json(r->model, r->result);
    int status = text ? jn_text_write(text, path[0], r->report) : out_of_memory(r->model, r->report);
    jn_free(text);
    int second = jn_impacts_csv_write(r->result, path[1], r->report);
    return second < 0 ? second : status;
}

/* All files are tried even if one fails; that of the series is last, since its thread works meanwhile. The summary states how long that took,
 * so that its copy in result.h5 cannot. */
static int write_files(jn_recorder *r, const char *folder) {
    char path[4096 + 32];
    int status = JN_OK, one;
    double start = jn_wall_clock();
    snprintf(path, sizeof path, "%s/events.csv", folder);
    if ((one = jn_events_csv_write(r->result, path, r->report)) < 0) status = one;
    if ((one = write_impacts(r, folder)) < 0) status = one;
    if ((one = write_end(r, folder)) < 0) status = one;
    snprintf(path, sizeof path, "%s/result.h5", folder);
    if ((one = jn_hdf5_write(r->model, r->result, path, &r->watch, r->report)) < 0) status = one;
    if ((one = finish_series(r)) < 0) status = one;
    r->result->write_time = jn_wall_clock() - start;
    if ((one = summarise(r)) < 0) status = one;
    snprintf(path, sizeof path, "%s/summary.json", folder);
    if ((one = jn_text_write(r->result->summary, path, r->report)) < 0) status = one;
    if ((one = jn_playback_finish(&r->playback, r->report)) < 0) status = one;
    return status;
}

/* A run must not write over the results that it begins from. */
static int check_start(const jn_recorder *r, const char *folder) {
    struct stat a, b;
    const jn_run_desc *run = &r->model->run;
    if (!folder || r->resumes || !run->start_folder || stat(folder, &a) || stat(r->sim->begun_from, &b) ||
        a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return JN_OK;
    return jn_report_add(r->report, JN_SEVERITY_ERROR, JN_ERR_IO, run->start_where, "run.start",
                         "the run would write into the folder that it begins from, %s\nname another with -o", folder);
}

static int perform(jn_recorder *r, const char *folder) {
    double start = jn_wall_clock();
    r->sim = jn_sim_create(r->model, r->report);
    if (!r->sim) return JN_ERR_ASSEMBLY;
    jn_sim_use_threads(r->sim, r->threads);
    int status = check_start(r, folder);
    if (status >= 0) status = prepare(r);
    if (status < 0) return status;
    jn_sim_on_event(r->sim, keep_event, r);
    if (r->model->run.method == JN_METHOD_IMPACT) {
        r->impacts = (jn_impact_keeper){.model = r->model, .result = r->result};
        jn_sim_on_impact(r->sim, jn_impact_keep_one, &r->impacts);
        jn_sim_on_impact_path(r->sim, jn_impact_keep_state, &r->impacts);
    }
    if (folder && r->model->run.save_hard) jn_sim_on_problem(r->sim, keep_problem, r);
    if (r->resumes && (status = jn_run_checkpoint_read(r)) < 0) return status;
    if ((status = start_series(r)) < 0) return status; /* with the rows of the checkpoint */
    r->written = r->sim->cvode ? 0 : start;
    r->result->status = jn_analyse(r);
    r->result->resumable = r->resumable;
    if (folder && r->result->status != JN_STOPPED) jn_run_checkpoint_remove(folder);
    r->result->wall_time = jn_wall_clock() - start;
    status = finish(r);
    if (status < 0 || !folder) return status;
    if (write_files(r, folder) < 0 && r->result->status >= 0) {
        r->result->status = JN_ERR_IO;
        r->result->error = r->report->item[r->report->count - 1];
    }
    return JN_OK;
}

jn_result *jn_run(const jn_model *m, const char *folder, jn_progress *progress, void *context, jn_report *report) {
    return jn_run_with(m, &(jn_run_options){.folder = folder, .progress = progress, .context = context}, report);
}

jn_result *jn_run_with(const jn_model *m, const jn_run_options *options, jn_report *report) {
    jn_report own = {0};
    const char *folder = options->folder;
    jn_recorder r = {.model = m,
                     .report = report ? report : &own,
                     .progress = options->progress,
                     .context = options->context,
                     .watch = {options->writing, options->context},
                     .folder = folder,
                     .period = options->checkpoint,
                     .note = options->note,
                     .threads = options->threads,
                     .resumes = options->resume && m->run.analysis == JN_ANALYSIS_DYNAMIC};
    int lock = -1, status = folder ? open_folder(folder, &lock, r.report) : JN_OK;
    if (status >= 0) r.channels = choose_channels(m, r.report);
    status = r.channels ? perform(&r, folder) : status < 0 ? status : JN_ERR_MODEL;
    jn_series_writer_finish(r.series, NULL, NULL); /* of a run that failed */
    if (status < 0) {
        jn_result_free(r.result);
        r.result = NULL;
    }
    jn_playback_free(&r.playback);
    jn_impact_keeper_end(&r.impacts);
    jn_grid_free(&r.grid);
    jn_look_free(&r.look);
    jn_channels_free(r.channels);
    jn_sim_free(r.sim);
    jn_folder_unlock(lock);
    return r.result;
}
