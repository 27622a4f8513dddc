/* Basins of attraction: a sweep over initial conditions whose rows are distinguished by where they end. Rows whose measures agree have the same
 * attractor; they are numbered in the order in which rows show them. */
#include "base/memory.h"
#include "workflow/study/kinds/kinds.h"
#include "workflow/study/statistics/statistics.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { MOST = 1000 }; /* attractors; more are none: their rows have the number 0 */

typedef struct basins {
    double tolerance;
    int column;
} basins;

static const jn_field rows[] = {
    {.key = "tolerance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(basins, tolerance),
     .range = JN_RANGE_POSITIVE,
     .fallback = "0.001",
     .doc = "measures of one attractor differ by less than this part of their range over all rows",
     .example = "tolerance: 0.01"},
    {.key = NULL},
};
static const jn_fieldset fields = {"basins", "Rows are distinguished by where they end.", rows};

static bool read_basins(jn_reader *r, jn_study *s) {
    basins *own = s->data;
    const jn_entry *entry = jn_node_entry(s->root, "basins");
    if (own->tolerance == 0) own->tolerance = 1e-3;
    own->column = jn_study_add_column(r, s, "attractor", entry->where);
    return own->column >= 0;
}

static bool alike(const basins *own, const jn_study *s, const double *a, const double *b, const double *range) {
    for (int c = 0; c < s->columns; c++)
        if (c != own->column && !(fabs(a[c] - b[c]) <= own->tolerance * range[c]) && !(isnan(a[c]) && isnan(b[c])))
            return false;
    return true;
}

/* The number of each row's attractor, 0: failed; how many there are. O(rows attractors) */
static int number_rows(const basins *own, jn_study *s, const double *range, long *first, long *hits) {
    int count = 0;
    for (long r = 0; r < s->rows; r++) {
        jn_study_row *row = &s->row[r];
        int k = 0;
        row->value[own->column] = 0;
        if (row->state == JN_ROW_FAILED || row->state == JN_ROW_OPEN) continue;
        while (k < count && !alike(own, s, row->value, s->row[first[k]].value, range)) k++;
        if (k == MOST) continue;
        if (k == count) first[count++] = r, hits[k] = 0;
        hits[k]++;
        row->value[own->column] = k + 1;
    }
    return count;
}

static int conclude(jn_study *s, jn_report *report) {
    const basins *own = s->data;
    long *first = jn_malloc(2 * MOST * sizeof *first);
    double *range = jn_malloc((size_t)s->columns * sizeof *range);
    (void)report;
    if (!first || !range) {
        jn_free(first), jn_free(range);
        return JN_ERR_MEMORY;
    }
    for (int c = 0; c < s->columns; c++) {
        double low = INFINITY, high = -INFINITY;
        for (long r = 0; r < s->rows; r++) {
            double x = s->row[r].value[c];
            if (isfinite(x)) low = x < low ? x : low, high = x > high ? x : high;
        }
        range[c] = high > low ? high - low : 0;
    }
    int count = number_rows(own, s, range, first, first + MOST);
    jn_study_find(s, "attractors", "1", count, NAN, NAN);
    for (int k = 0; k < count && k < 20; k++) {
        char name[96];
        jn_interval p = jn_proportion(first[MOST + k], s->rows);
        snprintf(name, sizeof name, "share of attractor %d, first in row %ld", k + 1, first[k]);
        jn_study_find(s, name, "1", p.value, NAN, NAN);
    }
    jn_free(first), jn_free(range);
    return JN_OK;
}

const jn_study_kind jn_kind_basins = {
    .key = "basins",
    .doc = "basins of attraction: a column 'attractor' numbers the rows whose measures agree",
    .example = "basins: {tolerance: 0.01}",
    .fields = &fields,
    .size = sizeof(basins),
    .read = read_basins,
    .conclude = conclude};
