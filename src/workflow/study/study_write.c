/* The table of a study as files: study.csv and samples_NAME.csv; and runs that are kept whole. */
#include "base/memory.h"
#include "trace/print_number.h"
#include "workflow/study/perform.h"
#include "workflow/study/statistics/random.h"
#include "workflow/study/study_hdf5.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *jn_row_state_text(jn_row_state state) {
    static const char *const words[] = {"open", "good", "bad", "failed"};
    return words[state];
}

uint64_t jn_study_row_seed(const jn_study *s, long row) {
    return jn_random_bits((uint64_t)s->seed, UINT64_C(0x5eed), (uint64_t)row);
}

static void put_number(FILE *f, double value) {
    char text[JN_NUMBER_SIZE];
    jn_number_write(value, text);
    fprintf(f, ",%s", isnan(value) ? "" : text);
}

/* A text in quotes, as RFC 4180 has it. */
static void put_text(FILE *f, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fprintf(f, ",%s", text);
        return;
    }
    fputs(",\"", f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void put_header(FILE *f, const char *name, const char *unit) {
    char text[400];
    if (strcmp(unit, "1") != 0)
        snprintf(text, sizeof text, "%s [%s]", name, unit);
    else
        snprintf(text, sizeof text, "%s", name);
    put_text(f, text);
}

static void put_parameter(FILE *f, const jn_study *s, long row, int i) {
    double value = s->point[row * s->varies + i];
    if (s->vary[i].kind == JN_VARY_WORDS)
        put_text(f, s->vary[i].word[(int)value]->text);
    else
        put_number(f, value);
}

static void write_table(FILE *f, const jn_study *s) {
    fputs("run", f);
    for (int i = 0; i < s->varies + s->columns; i++)
        put_header(f, jn_study_column_name(s, i), jn_study_column_unit(s, i));
    fputs(",verdict,seed,hash,message\n", f);
    for (long r = 0; r < s->rows; r++) {
        const jn_study_row *row = &s->row[r];
        if (row->state == JN_ROW_OPEN) continue;
        fprintf(f, "%ld", r);
        for (int i = 0; i < s->varies; i++) put_parameter(f, s, r, i);
        for (int k = 0; k < s->columns; k++) put_number(f, row->value[k]);
        fprintf(f, ",%s,%" PRIu64 ",%016" PRIx64, jn_row_state_text(row->state), jn_study_row_seed(s, r), row->hash);
        put_text(f, row->message);
        fputc('\n', f);
    }
}

static void write_samples(FILE *f, const jn_study *s, const jn_study_measure *m) {
    size_t width = (size_t)m->channels + 1;
    fputs("run", f);
    for (int i = 0; i < s->varies; i++) put_header(f, s->vary[i].name, s->vary[i].unit);
    put_header(f, "time", "s");
    for (int k = 0; k < m->channels; k++) {
        const char *channel = s->channel[m->channel[k]];
        const jn_node *list = jn_node_get(m->node, m->kind->key);
        if (!strncmp(channel, "derived.study_", 14))
            channel = list->kind == JN_NODE_LIST ? list->items[k]->text : list->text;
        put_header(f, channel, s->unit[m->channel[k]]);
    }
    fputc('\n', f);
    for (long r = 0; r < s->rows; r++) {
        const jn_study_samples *list = &s->row[r].samples[m->samples];
        for (long i = 0; i < list->count; i++) {
            fprintf(f, "%ld", r);
            for (int k = 0; k < s->varies; k++) put_parameter(f, s, r, k);
            for (size_t k = 0; k < width; k++) put_number(f, list->data[(size_t)i * width + k]);
            fputc('\n', f);
        }
    }
}

static void write_findings(FILE *f, const jn_study *s) {
    fputs("finding,value,low,high,unit\n", f);
    for (int i = 0; i < s->findings; i++) {
        const jn_finding *n = &s->finding[i];
        fprintf(f, "%s", n->name);
        put_number(f, n->value), put_number(f, n->low), put_number(f, n->high);
        put_text(f, n->unit);
        fputc('\n', f);
    }
}

/* Writes beside the old file, which gives way to a whole one. measure NULL: the table; s->measure + measures: the findings. */
static int write_file(const jn_study *s, const char *folder, const char *name, const jn_study_measure *measure,
                      bool findings, jn_report *report) {
    char path[4200], part[4210];
    snprintf(path, sizeof path, "%.4000s/%.150s", folder, name);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *f = fopen(part, "w");
    if (f) {
        if (findings)
            write_findings(f, s);
        else if (measure)
            write_samples(f, s, measure);
        else
            write_table(f, s);
        bool failed = ferror(f) != 0;
        if (!fclose(f) && !failed && !rename(part, path)) return JN_OK;
    }
    int reason = errno;
    unlink(part);
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "it cannot be written: %s",
                         strerror(reason));
}

int jn_study_write(const jn_study *s, const char *folder, jn_report *report) {
    int status = write_file(s, folder, "study.csv", NULL, false, report);
    for (int i = 0; i < s->measures && status >= 0; i++) {
        char name[160];
        if (s->measure[i].samples < 0) continue;
        snprintf(name, sizeof name, "samples_%.120s.csv", s->measure[i].name);
        status = write_file(s, folder, name, &s->measure[i], false, report);
    }
    if (status >= 0 && s->findings) status = write_file(s, folder, "findings.csv", NULL, true, report);
    return status < 0 ? status : jn_study_hdf5_write(s, folder, report);
}

/* ------------------------------------------------------------------------------------------------------- kept runs */

void jn_study_keep(jn_study_worker *w, long index, const jn_study_row *row) {
    const jn_study *s = w->study;
    bool every = s->keep_every >= 1 && index % (long)s->keep_every == 0,
         failed = s->keep_failed && row->state != JN_ROW_GOOD;
    if (!w->folder || !(every || failed)) return;
    jn_study_row unheard = {0};
    jn_model *m = jn_study_row_model(w, index, &unheard);
    if (!m) return;
    char folder[4200];
    snprintf(folder, sizeof folder, "%.4000s/runs/%06ld", w->folder, index);
    jn_result_free(jn_run_with(m, &(jn_run_options){.folder = folder, .threads = 1}, &w->report));
    jn_model_free(m);
}
