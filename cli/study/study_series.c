/* Columns and samples of a study as arrays, by name. */
#include "base/memory.h"
#include "study/study_plots.h"
#include <math.h>
#include <string.h>

void study_series_name(const jn_study *s, const study_series *series, char *name, size_t size, const char **unit) {
    if (series->column >= 0) {
        snprintf(name, size, "%s", jn_study_column_name(s, series->column));
        *unit = jn_study_column_unit(s, series->column);
        return;
    }
    const jn_study_measure *m = &s->measure[series->measure];
    if (series->channel == 0) {
        snprintf(name, size, "time");
        *unit = "s";
        return;
    }
    const char *channel = s->channel[m->channel[series->channel - 1]];
    const jn_node *list = jn_node_get(m->node, m->kind->key);
    if (!strncmp(channel, "derived.study_", 14))
        channel = list->kind == JN_NODE_LIST ? list->items[series->channel - 1]->text : list->text;
    snprintf(name, size, "%s", channel);
    *unit = s->unit[m->channel[series->channel - 1]];
}

static double value_of(const jn_study *s, const study_series *series, long row, long sample) {
    if (series->column == STUDY_ROW_NUMBER) return (double)row;
    if (series->column >= 0) return jn_study_value(s, row, series->column);
    const jn_study_measure *m = &s->measure[series->measure];
    return s->row[row].samples[m->samples].data[sample * (m->channels + 1) + series->channel];
}

double **study_series_gather(const jn_study *s, const study_series *series, int count, size_t *points) {
    int measure = -1;
    size_t room = 0;
    for (int i = 0; i < count; i++)
        if (series[i].column == -1) measure = series[i].measure;
    int list = measure >= 0 ? s->measure[measure].samples : -1;
    for (long r = 0; r < s->rows; r++)
        if (s->row[r].state != JN_ROW_OPEN) room += list >= 0 ? (size_t)s->row[r].samples[list].count : 1;
    double **values = jn_malloc((size_t)count * sizeof *values + (size_t)count * (room + 1) * sizeof(double));
    if (!values) return NULL;
    for (int i = 0; i < count; i++) values[i] = (double *)(void *)(values + count) + (size_t)i * (room + 1);
    *points = 0;
    for (long r = 0; r < s->rows; r++) {
        if (s->row[r].state == JN_ROW_OPEN) continue;
        long n = list >= 0 ? s->row[r].samples[list].count : 1;
        for (long k = 0; k < n; k++, ++*points)
            for (int i = 0; i < count; i++) values[i][*points] = value_of(s, &series[i], r, k);
    }
    return values;
}
