/* The table of a study in memory, and what is found from it. */
#include "workflow/study/study.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One block for the numbers of each row: value (columns), samples (lists). */
bool jn_study_rows_create(jn_study *s, long from, long to) {
    jn_study_row *wide = jn_realloc(s->row, (size_t)(to ? to : 1) * sizeof *wide);
    if (!wide) return false;
    s->row = wide;
    memset(wide + from, 0, (size_t)(to - from) * sizeof *wide);
    for (long i = from; i < to; i++) {
        size_t values = (size_t)(s->columns + 1) * sizeof(double), lists = (size_t)s->lists * sizeof(jn_study_samples);
        char *block = jn_malloc(values + lists);
        if (!block) return false;
        memset(block, 0, values + lists);
        wide[i].value = (double *)(void *)block;
        wide[i].samples = (jn_study_samples *)(void *)(block + values);
        for (int k = 0; k < s->columns; k++) wide[i].value[k] = NAN;
    }
    return true;
}

void jn_row_clear(const jn_study *s, jn_study_row *row) {
    for (int k = 0; row->samples && k < s->lists; k++) {
        jn_free(row->samples[k].data);
        row->samples[k] = (jn_study_samples){0};
    }
    for (int k = 0; row->value && k < s->columns; k++) row->value[k] = NAN;
    row->state = JN_ROW_OPEN, row->message[0] = 0, row->hash = 0, row->wall = 0, row->steps = 0;
}

void jn_study_rows_free(jn_study *s) {
    for (long i = 0; s->row && i < s->rows; i++) {
        jn_row_clear(s, &s->row[i]);
        jn_free(s->row[i].value);
    }
    jn_free(s->row);
    s->row = NULL;
}

void jn_study_find(jn_study *s, const char *name, const char *unit, double value, double low, double high) {
    jn_finding *wide = jn_realloc(s->finding, (size_t)(s->findings + 1) * sizeof *wide);
    if (!wide) return;
    s->finding = wide;
    jn_finding *f = &wide[s->findings++];
    *f = (jn_finding){.value = value, .low = low, .high = high};
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->unit, sizeof f->unit, "%s", unit);
}

/* --------------------------------------------------------------------------------------------------- for the caller */

const char *jn_study_title(const jn_study *s) { return s->title; }
long jn_study_rows(const jn_study *s) { return s->rows; }
int jn_study_parameters(const jn_study *s) { return s->varies; }
int jn_study_columns(const jn_study *s) { return s->varies + s->columns; }
int jn_study_state(const jn_study *s, long row) { return (int)s->row[row].state; }
const char *jn_study_message(const jn_study *s, long row) { return s->row[row].message; }

long jn_study_row_samples(const jn_study *s, const char *measure, long row, const double **data, int *width) {
    *data = NULL, *width = 0;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (m->samples < 0 || strcmp(m->name, measure) != 0) continue;
        *data = s->row[row].samples[m->samples].data, *width = m->channels + 1;
        return s->row[row].samples[m->samples].count;
    }
    return 0;
}

int jn_study_findings(const jn_study *s) { return s->findings; }
const jn_finding *jn_study_finding(const jn_study *s, int index) { return &s->finding[index]; }

const char *jn_study_column_name(const jn_study *s, int column) {
    return column < s->varies ? s->vary[column].name : s->column_name[column - s->varies];
}

const char *jn_study_column_unit(const jn_study *s, int column) {
    return column < s->varies ? s->vary[column].unit : s->column_unit[column - s->varies];
}

double jn_study_value(const jn_study *s, long row, int column) {
    return column < s->varies ? s->point[row * s->varies + column] : s->row[row].value[column - s->varies];
}
