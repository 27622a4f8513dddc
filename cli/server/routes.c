/* Answers of the viewer's server: the page, series, frames, events, and the files of the result folder by name. */
#include "server/routes.h"
#include "base/memory.h"
#include "server/assets.h"
#include "trace/json_writer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_STUDY_POINTS = 40000,
    MOST_CHANNELS = 64,
    MOST_POINTS = 20000,
    MOST_FRAMES = 4000,
    MOST_EVENTS = 4000,
    MOST_TEXT = 64 << 20
};
#define MOTION_BYTES (32 << 20)

/* Answers are made with the lock held and sent without it: a reader that stalls keeps nobody else waiting. */
static void reply_json(cli_routes *s, const cli_request *r, jn_json *j) {
    pthread_mutex_unlock(&s->lock);
    if (j->failed)
        cli_reply(r, 500, "text/plain", "out of memory\n", 14);
    else
        cli_reply(r, 200, "application/json", j->text, j->length);
    jn_free(j->text);
}

static void send_error(const cli_request *r, int status, const char *text) {
    cli_reply(r, status, "text/plain; charset=utf-8", text, strlen(text));
}

static void reply_error(cli_routes *s, const cli_request *r, int status, const char *text) {
    pthread_mutex_unlock(&s->lock);
    send_error(r, status, text);
}

/* A number of the query, between two limits; otherwise what is usual. */
static double query_number(const cli_request *r, const char *name, double usual, double low, double high) {
    char text[64], *end;
    if (cli_query(r->query, name, 0, text, sizeof text) != 1) return usual;
    double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) return usual;
    return fmin(high, fmax(low, x));
}

/* Channels named by c=...; -1 if one is unknown or there are too many. */
static int query_channels(const cli_routes *s, const cli_request *r, int *channel) {
    char name[256];
    int count = 0, found;
    while ((found = cli_query(r->query, "c", count, name, sizeof name)) != 0) {
        if (found < 0 || count == MOST_CHANNELS) return -1;
        channel[count] = cli_folder_find(&s->folder, name);
        if (channel[count++] == -1) return -1;
    }
    return count;
}

/* ------------------------------------------------------------------------------------------------------- answers */

static bool take_run(cli_routes *s, const cli_request *r);

static void answer_state(cli_routes *s, const cli_request *r) {
    jn_json j = {0};
    if (s->study.study && !take_run(s, r)) cli_folder_close(&s->folder);
    bool there = s->folder.names != NULL;
    jn_json_object(&j, NULL);
    jn_json_bool(&j, "follow", s->follow);
    jn_json_bool(&j, "study", s->study.study != NULL);
    jn_json_bool(&j, "waiting", !there);
    jn_json_bool(&j, "running", s->folder.running);
    jn_json_integer(&j, "stamp", s->folder.stamp % 1000000007L);
    jn_json_integer(&j, "rows", s->folder.rows);
    jn_json_integer(&j, "frames", there ? cli_motion_frames(&s->folder) : -1);
    jn_json_number(&j, "from", s->folder.from);
    jn_json_number(&j, "to", s->folder.to);
    jn_json_text(&j, "folder", s->folder.path);
    int csv = cli_folder_descriptor(&s->folder, "series.csv");
    jn_json_bool(&j, "csv", csv >= 0);
    if (csv >= 0) close(csv);
    jn_json_end(&j);
    reply_json(s, r, &j);
}

static void answer_channels(cli_routes *s, const cli_request *r) {
    jn_json j = {0};
    jn_json_object(&j, NULL);
    jn_json_row(&j, "names");
    for (int i = 0; i < s->folder.channels; i++) jn_json_text(&j, NULL, s->folder.names[i]);
    jn_json_end(&j);
    jn_json_row(&j, "units");
    for (int i = 0; i < s->folder.channels; i++) jn_json_text(&j, NULL, s->folder.units[i]);
    jn_json_end(&j);
    jn_json_end(&j);
    reply_json(s, r, &j);
}

static void answer_series(cli_routes *s, const cli_request *r) {
    int channel[MOST_CHANNELS], count = query_channels(s, r, channel);
    char pick[16] = "";
    if (cli_query(r->query, "pick", 0, pick, sizeof pick) != 1) pick[0] = 0;
    double from = query_number(r, "from", s->folder.from, s->folder.from, s->folder.to);
    double to = query_number(r, "to", s->folder.to, from, s->folder.to);
    long n = (long)query_number(r, "n", 1000, 1, MOST_POINTS);
    cli_series series;
    if (count < 0) {
        reply_error(s, r, 400, "no such channel, or too many\n");
    } else if (!cli_series_read(&s->folder, channel, count, from, to, n, !strcmp(pick, "even"), &series)) {
        reply_error(s, r, 500, "the series cannot be read\n");
    } else {
        jn_json j = {0};
        jn_json_object(&j, NULL);
        jn_json_numbers(&j, "time", series.time, (size_t)series.count);
        jn_json_array(&j, "values");
        for (int i = 0; i < count; i++) jn_json_numbers(&j, NULL, series.value[i], (size_t)series.count);
        jn_json_end(&j);
        jn_json_end(&j);
        cli_series_free(&series, count);
        reply_json(s, r, &j);
    }
}

/* Values at a time, linear between rows. */
static void answer_at(cli_routes *s, const cli_request *r) {
    int channel[MOST_CHANNELS], count = query_channels(s, r, channel);
    double t = query_number(r, "t", s->folder.from, s->folder.from, s->folder.to), time[2] = {0}, value[2];
    if (count < 0 || s->folder.rows == 0) {
        reply_error(s, r, 400, "no such channel, too many, or no rows\n");
        return;
    }
    long row = cli_folder_row(&s->folder, t), pair = row + 1 < s->folder.rows ? 2 : 1;
    if (!cli_folder_read(&s->folder, -2, row, pair, time)) pair = 1;
    double x = pair == 2 && time[1] > time[0] ? (t - time[0]) / (time[1] - time[0]) : 0;
    jn_json j = {0};
    jn_json_object(&j, NULL);
    jn_json_number(&j, "time", t);
    jn_json_row(&j, "values");
    for (int i = 0; i < count; i++) {
        bool read = cli_folder_read(&s->folder, channel[i], row, pair, value);
        jn_json_number(&j, NULL, !read ? NAN : x == 0 ? value[0] : value[0] + x * (value[1] - value[0]));
    }
    jn_json_end(&j);
    jn_json_end(&j);
    reply_json(s, r, &j);
}

static bool send_part(void *request, const void *bytes, size_t count) { return cli_reply_part(request, bytes, count); }

static void answer_motion(cli_routes *s, const cli_request *r) {
    cli_request copy = *r;
    cli_folder folder = {.hdf5 = -1}; /* frames are read by the path alone */
    if (cli_motion_frames(&s->folder) < 0) {
        reply_error(s, r, 404, "there is no motion.bin\n");
        return;
    }
    long skip = (long)query_number(r, "skip", 0, 0, 1e9),
         most = (long)query_number(r, "n", MOST_FRAMES, 2, MOST_FRAMES);
    memcpy(folder.path, s->folder.path, sizeof folder.path);
    pthread_mutex_unlock(&s->lock);
    cli_reply_begin(r, "application/octet-stream", NULL);
    cli_motion_thin(&folder, skip, most, MOTION_BYTES, send_part, &copy);
    cli_reply_end(r);
}

static void answer_events(cli_routes *s, const cli_request *r) {
    jn_json j = {0};
    cli_events_json(&s->folder, MOST_EVENTS, &j);
    reply_json(s, r, &j);
}

/* ---------------------------------------------------------------------------------------------------------- studies */

/* The row that a query names by `name`; -1: none. */
static long query_row(const cli_routes *s, const cli_request *r, const char *name) {
    double row = query_number(r, name, -1, -1, 1e15);
    return row == floor(row) && row < (double)s->study.study->rows ? (long)row : -1;
}

static void answer_study(cli_routes *s, const cli_request *r) {
    jn_json j = {0};
    cli_study_json(&s->study, MOST_STUDY_POINTS, &j);
    reply_json(s, r, &j);
}

static void answer_row(cli_routes *s, const cli_request *r) {
    jn_json j = {0};
    long row = query_row(s, r, "row");
    if (row < 0) {
        reply_error(s, r, 400, "the study has no such run\n");
        return;
    }
    cli_study_row_json(&s->study, row, &j);
    reply_json(s, r, &j);
}

/* Runs a row. Others wait meanwhile: HDF5, which the run writes and they read, knows one thread. */
static void answer_open(cli_routes *s, const cli_request *r) {
    char error[600];
    long row = query_row(s, r, "row");
    if (row < 0) {
        reply_error(s, r, 400, "the study has no such run\n");
        return;
    }
    bool fine = cli_study_run(&s->study, row, error, sizeof error);
    pthread_mutex_unlock(&s->lock);
    if (fine)
        cli_reply(r, 200, "application/json", "{}\n", 3);
    else
        send_error(r, 500, error);
}

/* Takes the folder of the run that the query names by run=; false: it names none, or there are no results. */
static bool take_run(cli_routes *s, const cli_request *r) {
    char path[4200];
    jn_error unheard;
    long row = query_row(s, r, "run");
    if (row < 0) return false;
    cli_study_run_path(&s->study, row, path, sizeof path);
    if (!strcmp(path, s->folder.path) && s->folder.names) return cli_folder_refresh(&s->folder);
    cli_folder_close(&s->folder);
    return cli_folder_open(&s->folder, path, &unheard);
}

static void answer_text(cli_routes *s, const cli_request *r, const char *name) {
    size_t length;
    char *text = cli_folder_text(&s->folder, name, MOST_TEXT, &length);
    pthread_mutex_unlock(&s->lock);
    if (!text)
        cli_reply(r, 200, "application/json", "null\n", 5);
    else if (jn_json_valid(text, length))
        cli_reply(r, 200, "application/json", text, length);
    else
        send_error(r, 500, "this file of the results is damaged: it is not JSON\n");
    jn_free(text);
}

/* One of the files by its exact name; links are not followed. */
static void answer_file(cli_routes *s, const cli_request *r, const char *name) {
    static const char *const names[] = {"summary.json", "series.csv", "events.csv",
                                        "result.h5",    "scene.json", "motion.bin"};
    char buffer[1 << 16];
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) known |= !strcmp(name, names[i]);
    pthread_mutex_lock(&s->lock);
    known = known && (!s->study.study || take_run(s, r));
    int file = known ? cli_folder_descriptor(&s->folder, name) : -1;
    pthread_mutex_unlock(&s->lock);
    if (file < 0) {
        send_error(r, 404, "there is no such file\n");
        return;
    }
    cli_reply_begin(r, "application/octet-stream", name);
    for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;)
        if (!cli_reply_part(r, buffer, (size_t)n)) break;
    cli_reply_end(r);
    close(file);
}

/* -------------------------------------------------------------------------------------------------------- routes */

typedef struct route {
    const char *path;
    void (*answer)(cli_routes *s, const cli_request *r); /* lets go of the lock */
    bool waits;                                          /* may be asked while there are no results */
} route;

static void answer_scene(cli_routes *s, const cli_request *r) { answer_text(s, r, "scene.json"); }
static void answer_summary(cli_routes *s, const cli_request *r) { answer_text(s, r, "summary.json"); }

static const route routes[] = {
    {"/api/state", answer_state, true},    {"/api/channels", answer_channels, false},
    {"/api/series", answer_series, false}, {"/api/at", answer_at, false},
    {"/api/motion", answer_motion, false}, {"/api/events", answer_events, false},
    {"/api/scene", answer_scene, false},   {"/api/summary", answer_summary, false},
};
static const route study_routes[] = {
    {"/api/study", answer_study, true}, {"/api/row", answer_row, true}, {"/api/open", answer_open, true}};

/* Answers a request by one of the routes; false: none has its path. */
static bool answer_by(const route *table, size_t count, cli_routes *s, const cli_request *r) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].path, r->path)) continue;
        pthread_mutex_lock(&s->lock);
        bool there = s->study.study ? table[i].waits || take_run(s, r) : cli_folder_refresh(&s->folder);
        if (there || table[i].waits)
            table[i].answer(s, r);
        else
            reply_error(s, r, 404, "there are no results yet\n");
        return true;
    }
    return false;
}

void cli_routes_answer(void *context, const cli_request *r) {
    cli_routes *s = context;
    cli_asset asset;
    if (cli_asset_find(r->path, &asset)) {
        cli_reply(r, 200, asset.type, asset.bytes, asset.size);
        return;
    }
    if (!strncmp(r->path, "/files/", 7)) {
        answer_file(s, r, r->path + 7);
        return;
    }
    if (s->study.study && answer_by(study_routes, sizeof study_routes / sizeof *study_routes, s, r)) return;
    if (answer_by(routes, sizeof routes / sizeof *routes, s, r)) return;
    send_error(r, 404, "there is nothing here\n");
}
