/* The JSON Schema of study files, from the tables that read them. */
#include "description/yaml/key_reference.h"
#include "workflow/study/study_keys.h"

#include <string.h>

enum { MOST = 48 };

/* Keys that several kinds of measures have. */
static const jn_field common[] = {
    {.key = "after", .kind = JN_FIELD_NUMBER, .doc = "looks from this time on", .example = "after: 0.1 s"},
    {.key = "before", .kind = JN_FIELD_NUMBER, .doc = "looks until this time", .example = "before: 1 s"},
    {.key = "below",
     .kind = JN_FIELD_NUMBER,
     .doc = "asks for the probability of a value below",
     .example = "below: 500 N"},
    {.key = "above",
     .kind = JN_FIELD_NUMBER,
     .doc = "asks for the probability of a value above",
     .example = "above: 0.1"},
    {.key = "at", .kind = JN_FIELD_NUMBER, .doc = "time of 'value'", .example = "at: 1 s"},
    {.key = "when", .kind = JN_FIELD_TEXT, .doc = "instants of 'sample'", .example = "when: event impact"},
    {.key = "skip", .kind = JN_FIELD_NUMBER, .doc = "instants that are left out first", .example = "skip: 50"},
    {.key = "most", .kind = JN_FIELD_NUMBER, .doc = "instants that count at most", .example = "most: 100"},
};

static bool holds(const jn_field *rows, const char *key) {
    for (; rows->key; rows++)
        if (!strcmp(rows->key, key)) return true;
    return false;
}

/* One row per kind of measure, those that several have, and those of one kind alone. */
static void measure_rows(jn_field *out) {
    int n = 0;
    for (int i = 0; jn_measure_kinds[i] && n < MOST - 1; i++)
        out[n++] = (jn_field){.key = jn_measure_kinds[i]->key,
                              .kind = JN_FIELD_CUSTOM,
                              .schema = "{}",
                              .doc = jn_measure_kinds[i]->doc,
                              .example = jn_measure_kinds[i]->example};
    for (size_t i = 0; i < sizeof common / sizeof *common && n < MOST - 1; i++) out[n++] = common[i];
    for (int i = 0; jn_measure_kinds[i]; i++)
        for (const char *const *key = jn_measure_kinds[i]->keys; key && *key; key++) {
            out[n].key = NULL;
            if (!holds(out, *key) && n < MOST - 1)
                out[n++] = (jn_field){.key = *key,
                                      .kind = JN_FIELD_CUSTOM,
                                      .schema = "{}",
                                      .doc = jn_measure_kinds[i]->doc,
                                      .example = jn_measure_kinds[i]->example};
        }
    out[n].key = NULL;
}

char *jn_study_schema(void) {
    jn_field rows[MOST], measures[MOST];
    int n = 0;
    memset(rows, 0, sizeof rows);
    memset(measures, 0, sizeof measures);
    measure_rows(measures);
    const jn_fieldset measure_set = {"measure.NAME", "A measure.", measures};
    const jn_fieldset *measure_sets[] = {&measure_set, NULL}, *samples_sets[] = {&jn_samples_fields, NULL},
                      *kind_sets[MOST][2];
    for (const jn_field *f = jn_study_fields.fields; f->key && n < MOST - 1; f++) {
        rows[n] = *f;
        if (!strcmp(f->key, "measure"))
            rows[n].kind = JN_FIELD_NAMED, rows[n].sets = measure_sets, rows[n].schema = NULL;
        if (!strcmp(f->key, "samples")) rows[n].kind = JN_FIELD_MAP, rows[n].sets = samples_sets, rows[n].schema = NULL;
        n++;
    }
    for (int i = 1; jn_study_kinds[i] && n < MOST - 1; i++) {
        const jn_study_kind *k = jn_study_kinds[i];
        kind_sets[n][0] = k->fields, kind_sets[n][1] = NULL;
        rows[n] = (jn_field){.key = k->key,
                             .kind = k->fields ? JN_FIELD_MAP : JN_FIELD_CUSTOM,
                             .schema = k->fields ? NULL : "{}",
                             .sets = kind_sets[n],
                             .doc = k->doc,
                             .example = k->example};
        n++;
    }
    rows[n].key = NULL;
    return jn_fields_schema("Jounce study", &(jn_fieldset){"the study", "", rows});
}
