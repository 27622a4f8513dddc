#include "server/study_folder.h"

#include "base/memory.h"
#include "workflow/study/perform.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SETTINGS = 256 };
static const char *const NOTE = "study.source"; /* path of the study file, then NAME=VALUE on lines of their own */

/* ------------------------------------------------------------------------------------------------------------- note */

static FILE *open_note(const char *folder, const char *mode) {
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/%s", folder, NOTE);
    return fopen(path, mode);
}

bool cli_study_folder_is(const char *path) {
    FILE *note = open_note(path, "r");
    if (note) fclose(note);
    return note != NULL;
}

bool cli_study_folder_note(const char *path, const char *file, const jn_setting *settings, int count) {
    char *full = realpath(file, NULL);
    FILE *note = open_note(path, "w");
    if (note) fprintf(note, "%s\n", full ? full : file);
    for (int i = 0; note && i < count; i++) fprintf(note, "%s=%s\n", settings[i].name, settings[i].value);
    free(full);
    return note && fclose(note) == 0;
}

/* The study that the note names. */
static jn_study *open_noted(const char *folder, jn_report *report) {
    char text[1 << 14];
    jn_setting setting[MOST_SETTINGS];
    int count = 0;
    FILE *note = open_note(folder, "r");
    size_t length = note ? fread(text, 1, sizeof text - 1, note) : 0;
    if (note) fclose(note);
    text[length] = 0;
    char *rest = NULL, *file = strtok_r(text, "\n", &rest);
    for (char *line; file && count < MOST_SETTINGS && (line = strtok_r(NULL, "\n", &rest));) {
        char *equals = strchr(line, '=');
        if (!equals) continue;
        *equals = 0;
        setting[count++] = (jn_setting){line, equals + 1};
    }
    if (file) return jn_study_open(file, setting, count, report);
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){folder, 0, 0}, NULL,
                  "%s does not name the study\nrun 'jounce study FILE -o %s --resume' once more", NOTE, folder);
    return NULL;
}

bool cli_study_folder_open(cli_study_folder *f, const char *path, jn_report *report) {
    *f = (cli_study_folder){0};
    snprintf(f->path, sizeof f->path, "%s", path);
    f->study = open_noted(path, report);
    f->plot = f->study ? jn_malloc(STUDY_MOST_PLOTS * sizeof *f->plot) : NULL;
    if (f->plot && jn_study_load(f->study, path, report) >= 0)
        f->plots = study_plots_choose(f->study, f->plot, report);
    else if (f->study)
        f->plots = -1;
    if (f->study && f->plot && f->plots >= 0) return true;
    cli_study_folder_close(f);
    return false;
}

void cli_study_folder_close(cli_study_folder *f) {
    jn_study_free(f->study);
    jn_free(f->plot);
    *f = (cli_study_folder){0};
}

/* ------------------------------------------------------------------------------------------------------------- data */

static void put_axis(const jn_study *s, const study_series *series, const char *key, bool log, jn_json *j) {
    char name[200];
    const char *unit;
    study_series_name(s, series, name, sizeof name, &unit);
    jn_json_pair(j, key);
    jn_json_text(j, "name", name);
    jn_json_text(j, "unit", unit);
    jn_json_bool(j, "log", log);
    jn_json_end(j);
}

/* Every k-th point, so that there are at most so many. */
static void put_points(const jn_study *s, const study_plot *p, size_t most, jn_json *j) {
    study_series series[4] = {p->series[0], p->series[1], p->series[2], {STUDY_ROW_NUMBER, -1, 0}};
    int axes = p->kind == STUDY_HEAT ? 3 : 2;
    size_t count = 0;
    series[axes] = series[3];
    double **v = study_series_gather(s, series, axes + 1, &count);
    size_t every = count > most ? (count + most - 1) / most : 1, shown = 0;
    for (size_t i = 0; v && i < count; i += every, shown++)
        for (int k = 0; k <= axes; k++) v[k][shown] = v[k][i];
    jn_json_integer(j, "points", (long)count);
    for (int k = 0; v && k <= axes; k++)
        jn_json_numbers(j, k == axes ? "row" : k == 0 ? "xs" : k == 1 ? "ys" : "zs", v[k], shown);
    jn_free(v);
}

void cli_study_json(const cli_study_folder *f, size_t most, jn_json *j) {
    static const char *const words[STUDY_PLOTS] = {
        [STUDY_SCATTER] = "scatter", [STUDY_HEAT] = "heat", [STUDY_PARETO] = "pareto"};
    const jn_study *s = f->study;
    long count[4] = {0};
    for (long r = 0; r < s->rows; r++) count[s->row[r].state]++;
    jn_json_object(j, NULL);
    jn_json_text(j, "title", s->title);
    jn_json_text(j, "model", s->model_path);
    jn_json_integer(j, "rows", s->rows);
    jn_json_integer(j, "open", count[JN_ROW_OPEN]);
    jn_json_integer(j, "bad", count[JN_ROW_BAD]);
    jn_json_integer(j, "failed", count[JN_ROW_FAILED]);
    jn_json_bool(j, "starts_anew", s->kind->key && !strcmp(s->kind->key, "follow"));
    jn_json_array(j, "plots");
    for (int i = 0; i < f->plots; i++) {
        const study_plot *p = &f->plot[i];
        if (!words[p->kind]) continue;
        jn_json_object(j, NULL);
        jn_json_text(j, "kind", words[p->kind]);
        jn_json_text(j, "title", p->title);
        put_axis(s, &p->series[0], "x", p->log_x, j);
        put_axis(s, &p->series[1], "y", p->log_y, j);
        if (p->kind == STUDY_HEAT) put_axis(s, &p->series[2], "z", false, j);
        put_points(s, p, most, j);
        jn_json_end(j);
    }
    jn_json_end(j);
    jn_json_end(j);
}

void cli_study_row_json(const cli_study_folder *f, long row, jn_json *j) {
    static const char *const words[] = {"open", "good", "bad", "failed"};
    const jn_study *s = f->study;
    jn_json_object(j, NULL);
    jn_json_integer(j, "row", row);
    jn_json_text(j, "verdict", words[s->row[row].state]);
    jn_json_text(j, "message", s->row[row].message);
    jn_json_integer(j, "parameters", s->varies);
    jn_json_array(j, "columns");
    for (int c = 0; c < jn_study_columns(s); c++) {
        jn_json_pair(j, NULL);
        jn_json_text(j, "name", jn_study_column_name(s, c));
        jn_json_text(j, "unit", jn_study_column_unit(s, c));
        double x = jn_study_value(s, row, c);
        if (c < s->varies && s->vary[c].kind == JN_VARY_WORDS)
            jn_json_text(j, "word", s->vary[c].word[(int)s->point[row * s->varies + c]]->text);
        else
            jn_json_number(j, "value", x);
        jn_json_end(j);
    }
    jn_json_end(j);
    jn_json_end(j);
}

/* -------------------------------------------------------------------------------------------------------------- run */

void cli_study_run_path(const cli_study_folder *f, long row, char *path, size_t size) {
    snprintf(path, size, "%s/runs/%06ld", f->path, row);
}

static bool goes_on(void *context, double time, double until) {
    (void)time, (void)until;
    return !atomic_load(&((cli_study_folder *)context)->ending);
}

bool cli_study_run(cli_study_folder *f, long row, char *error, size_t size) {
    char path[4200], file[4300];
    struct stat info;
    jn_report report = {0};
    cli_study_run_path(f, row, path, sizeof path);
    snprintf(file, sizeof file, "%s/summary.json", path);
    if (!stat(file, &info)) return true; /* a kept run, or one that was opened before */
    jn_model *m = jn_study_model(f->study, row, &report);
    jn_result *r = m ? jn_run(m, path, goes_on, f, &report) : NULL;
    bool fine = r && r->status != JN_STOPPED && r->rows > 1;
    snprintf(error, size, "%s",
             fine                    ? ""
             : r && r->error.text[0] ? r->error.text
             : report.count          ? report.item[0].text
                                     : "the run was stopped");
    jn_result_free(r);
    jn_model_free(m);
    return fine;
}
