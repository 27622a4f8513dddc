/* Columns that a kind of study adds to the table and fills by itself. */
#include "workflow/study/measures/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *column_number(const jn_study_measure *m, int k, char *unit) {
    (void)m, (void)k;
    snprintf(unit, 64, "1");
    return NULL;
}

static const jn_measure_kind added = {.key = "", .columns = 1, .column = column_number};

int jn_study_add_column(jn_reader *r, jn_study *s, const char *name, jn_where where) {
    for (int i = 0; i < s->measures; i++)
        if (!strcmp(s->measure[i].name, name)) {
            jn_read_error(r, s->measure[i].where, JN_ERR_MODEL, "'%s' is a column of this kind of study\nrename it",
                          name);
            return -1;
        }
    jn_study_measure *wide = jn_store_array(r->store, (size_t)s->measures + 1, sizeof *wide);
    if (!wide) {
        jn_read_no_memory(r);
        return -1;
    }
    if (s->measures) memcpy(wide, s->measure, (size_t)s->measures * sizeof *wide);
    s->measure = wide;
    wide[s->measures++] = (jn_study_measure){.name = name,
                                             .where = where,
                                             .study = s,
                                             .kind = &added,
                                             .node = NULL,
                                             .before = INFINITY,
                                             .at = NAN,
                                             .below = NAN,
                                             .above = NAN,
                                             .first = s->columns,
                                             .columns = 1,
                                             .samples = -1,
                                             .slopes = -1};
    return s->columns++;
}
