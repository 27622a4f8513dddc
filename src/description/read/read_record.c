/* The record block: rows, channels, and channels computed from others. */
#include "description/read/reader.h"

#include <stddef.h>

static bool read_channels(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    (void)item;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "a list of channels, as [\"body.rod.*\"]")) {
        return false;
    }
    d->record = jn_store_array(r->store, (size_t)node->count, sizeof *d->record);
    if (!d->record) {
        return jn_read_no_memory(r);
    }
    for (int i = 0; i < node->count; i++) {
        if (!jn_read_text(r, node->items[i], &d->record[i])) {
            return false;
        }
        d->record_count = i + 1;
    }
    return true;
}

/* {NAME: expression of channels, parameters and t} */
static bool read_derived(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "channels to compute, each 'name: expression'");
    (void)item;

    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        jn_derived_desc derived = {.name = jn_store_strdup(r->store, entry->key)};
        jn_derived_desc *wide = jn_store_grow(r->store, d->derived, d->derived_count, sizeof *wide);
        size_t mark = jn_path_key(r, entry->key);
        if (!derived.name || !wide) {
            return jn_read_no_memory(r);
        }
        d->derived = wide;
        bool good = jn_check_name(r, entry, true, "a channel");
        good = jn_read_function(r, entry->value, JN_MEASURE_ANY, JN_MAY_T | JN_MAY_CHANNEL, &derived.value) && good;
        if (good) {
            d->derived[d->derived_count++] = derived;
        }
        jn_path_back(r, mark);
    }
    return fine && r->status == JN_OK;
}

/* Levels of zlib: higher ones take longer and gain nothing on such numbers. */
static const jn_keyword compression_keywords[] = {{"none", 0}, {"deflate", 1}, {NULL, 0}};

static const jn_field record_rows[] = {
    {.key = "every",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = offsetof(jn_run_desc, record_every),
     .range = JN_RANGE_POSITIVE,
     .fallback = "every step (fixed step), or 1000 rows",
     .doc = "time between rows",
     .example = "every: 1 ms"},
    {.key = "each_step",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(jn_run_desc, record_each_step),
     .fallback = "false",
     .doc = "a row after each step, also of adaptive integrators, in place of rows at equal times; channels "
            "step.length and step.order show the steps",
     .example = "each_step: true"},
    {.key = "channels",
     .kind = JN_FIELD_CUSTOM,
     .read = read_channels,
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
     .fallback = "all",
     .doc = "names of channels, * stands for anything",
     .example = "channels: [\"body.rod.*\", \"joint.*.q\"]"},
    {.key = "derived",
     .kind = JN_FIELD_CUSTOM,
     .read = read_derived,
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", \"number\"]}}",
     .doc = "channels derived.NAME, each an expression of other channels, parameters and t",
     .example = "derived: {height: point.tip.y/l}"},
    {.key = "csv",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(jn_run_desc, record_csv),
     .fallback = "true",
     .doc = "write series.csv; result.h5 holds the same numbers",
     .example = "csv: false"},
    {.key = "compression",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(jn_run_desc, record_compression),
     .keywords = compression_keywords,
     .fallback = "none",
     .doc = "of result.h5: deflate makes it about a quarter smaller and takes longer than many runs",
     .example = "compression: deflate"},
    {.key = "float32",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(jn_run_desc, record_float32),
     .fallback = "false",
     .doc = "channels of result.h5 in single precision; the time stays double",
     .example = "float32: true"},
    {.key = NULL},
};
const jn_fieldset jn_record_fields = {"record", "What is written to the results.", record_rows};

bool jn_read_record(jn_reader *r, const jn_node *node, void *item) {
    (void)item;
    return jn_read_fields(r, node, &jn_record_fields, &r->d->run);
}
