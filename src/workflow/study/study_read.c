/* The study file: its keys, and the order in which they are read. */
#include "workflow/study/study_keys.h"

#include "base/hash.h"
#include "base/memory.h"
#include "description/yaml/source.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool jn_study_check_keys(jn_reader *r, const jn_node *map, const char *const *keys, const char *what) {
    bool fine = true;
    for (int i = 0; i < map->count; i++) {
        jn_suggest suggest = jn_suggest_for(map->entries[i].key);
        bool known = false;
        for (int k = 0; keys[k]; k++) {
            known |= strcmp(keys[k], map->entries[i].key) == 0;
            jn_suggest_offer(&suggest, keys[k]);
        }
        if (!known)
            fine = jn_read_error(r, map->entries[i].where, JN_ERR_MODEL, "%s has no key '%.60s'\nwrite '%s'", what,
                                 map->entries[i].key, suggest.best ? suggest.best : keys[0]);
    }
    return fine;
}

/* -------------------------------------------------------------------------------------------------------- samples */

static const jn_keyword rule_keywords[] = {
    {"grid", JN_RULE_GRID}, {"random", JN_RULE_RANDOM}, {"latin", JN_RULE_LATIN}, {"sobol", JN_RULE_SOBOL}, {NULL, 0}};

static const jn_field samples_rows[] = {
    {.key = "count",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(jn_study, count),
     .range = JN_RANGE_POSITIVE,
     .fallback = "all of the grid",
     .doc = "how many runs",
     .example = "count: 10000"},
    {.key = "rule",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(jn_study, rule),
     .keywords = rule_keywords,
     .fallback = "grid; sobol where something has a distribution",
     .doc = "grid: every value with every other; random: independent; latin: Latin hypercube; sobol: Sobol's sequence, "
            "scrambled",
     .example = "rule: sobol"},
    {.key = "seed",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = offsetof(jn_study, seed),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "1",
     .doc = "of the random numbers: another seed, other points",
     .example = "seed: 1"},
    {.key = NULL},
};
const jn_fieldset jn_samples_fields = {"samples", "Which points are taken.", samples_rows};

static bool read_samples(jn_reader *r, const jn_node *node, void *item) {
    jn_study *s = item;
    if (!jn_read_fields(r, node, &jn_samples_fields, s)) return false;
    if (s->count != floor(s->count) || s->count > 1e9)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'count' must be a whole number up to 1e9, not %g",
                             s->count);
    if (s->seed != floor(s->seed) || s->seed > 9e15)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'seed' must be a whole number up to 9e15, not %g", s->seed);
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- keep */

/* all, failed, none, or {every: N} */
static bool read_keep(jn_reader *r, const jn_node *node, void *item) {
    static const char *const keys[] = {"every", "failed", NULL};
    static const jn_keyword keywords[] = {{"none", 0}, {"all", 1}, {"failed", 2}, {NULL, 0}};
    jn_study *s = item;
    int word = 0;
    s->has_keep = true;
    if (node->kind == JN_NODE_MAP) {
        const jn_node *every = jn_node_get(node, "every"), *failed = jn_node_get(node, "failed");
        if (!jn_study_check_keys(r, node, keys, "'keep'")) return false;
        if (every && !jn_read_number(r, every, JN_MEASURE_NUMBER, &s->keep_every)) return false;
        if (every && !(s->keep_every >= 1 && s->keep_every == floor(s->keep_every)))
            return jn_read_error(r, every->where, JN_ERR_MODEL, "'every' must be a whole number from 1 on, not %g",
                                 s->keep_every);
        return !failed || jn_read_bool(r, failed, &s->keep_failed);
    }
    if (!jn_read_keyword(r, node, keywords, &word)) return false;
    s->keep_every = word == 1 ? 1 : 0;
    s->keep_failed = word == 2;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ keys */

#define STUDY(member) offsetof(jn_study, member)
#define ANY_MAP "{\"type\": \"object\"}"

static const jn_field study_rows[] = {
    {.key = "study",
     .kind = JN_FIELD_TEXT,
     .offset = STUDY(title),
     .required = true,
     .doc = "the question, in one line",
     .example = "study: Which clearance can this slider-crank live with?"},
    {.key = "model",
     .kind = JN_FIELD_TEXT,
     .offset = STUDY(model_path),
     .required = true,
     .doc = "the model file, beside this one",
     .example = "model: ../flores2010/slider_crank.yaml"},
    {.key = "parameters",
     .kind = JN_FIELD_CUSTOM,
     .schema = ANY_MAP,
     .doc = "named values for this file",
     .example = "parameters: {turn: 2*pi/150}"},
    {.key = "tables",
     .kind = JN_FIELD_CUSTOM,
     .schema = ANY_MAP,
     .doc = "measured values, for 'compare'; the same keys as in models",
     .example = "tables: {measured: {file: rebound.csv, x: time, y: height}}"},
    {.key = "set",
     .kind = JN_FIELD_CUSTOM,
     .schema = ANY_MAP,
     .doc = "values of the model that are the same in all runs, by name or path",
     .example = "set: {driven: true, run.method: impact}"},
    {.key = "vary",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_study_read_vary,
     .schema = ANY_MAP,
     .doc = "parameters of the model, NAME.KEY of its parts or paths: lists, ranges or distributions",
     .example =
         "vary: {clearance: {from: 0.1 mm, to: 2 mm, count: 200, spacing: log}, slider.mass: {normal: [76 g, 2 g]}}"},
    {.key = "samples",
     .kind = JN_FIELD_CUSTOM,
     .read = read_samples,
     .schema = ANY_MAP,
     .fallback = "the grid of all values",
     .doc = "how many points, by which rule",
     .example = "samples: {count: 10000, rule: sobol, seed: 1}"},
    {.key = "measure",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_study_read_measures,
     .required = true,
     .schema = ANY_MAP,
     .doc = "numbers of each run",
     .example = "measure: {peak: {max: contact.steel.fn, after: 0.1 s}}"},
    {.key = "until",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = STUDY(until),
     .range = JN_RANGE_POSITIVE,
     .fallback = "run.until of the model",
     .doc = "end of each run",
     .example = "until: 2 s"},
    {.key = "keep",
     .kind = JN_FIELD_CUSTOM,
     .read = read_keep,
     .schema = "{}",
     .fallback = "none",
     .doc = "runs of which all results are kept in runs/N: none, all, failed, or {every: 100}",
     .example = "keep: {every: 100}"},
    {.key = "plots",
     .kind = JN_FIELD_CUSTOM,
     .schema = "{\"type\": \"array\"}",
     .fallback = "chosen by what is varied",
     .doc = "figures to draw, see below",
     .example = "plots: [{scatter: [clearance, section.y]}]"},
    {.key = NULL},
};
const jn_fieldset jn_study_fields = {"the study", "The keys at the top of a study file.", study_rows};

/* The key of a kind of study, if the file has one. */
static const jn_study_kind *find_kind(jn_reader *r) {
    const jn_study_kind *found = jn_study_kinds[0];
    for (int i = 1; jn_study_kinds[i]; i++) {
        const jn_study_kind *k = jn_study_kinds[i];
        if (!jn_node_get(r->root, k->key)) continue;
        if (found->key)
            jn_read_error(r, jn_node_entry(r->root, k->key)->where, JN_ERR_MODEL,
                          "a study has one of '%s' and '%s'\nremove one, or make two files", found->key, k->key);
        found = k;
    }
    return found;
}

static bool check_top(jn_reader *r) {
    bool fine = true;
    for (int i = 0; i < r->root->count; i++) {
        const jn_entry *e = &r->root->entries[i];
        jn_suggest suggest = jn_suggest_for(e->key);
        bool known = false;
        for (const jn_field *f = study_rows; f->key; f++)
            known |= !strcmp(f->key, e->key), jn_suggest_offer(&suggest, f->key);
        for (int k = 1; jn_study_kinds[k]; k++)
            known |= !strcmp(jn_study_kinds[k]->key, e->key), jn_suggest_offer(&suggest, jn_study_kinds[k]->key);
        if (!known)
            fine = jn_read_error(r, e->where, JN_ERR_MODEL,
                                 suggest.best ? "unknown key '%.80s' in the study\nwrite '%s'"
                                              : "unknown key '%.80s' in the study%s",
                                 e->key, suggest.best ? suggest.best : "");
    }
    for (const jn_field *f = study_rows; f->key; f++)
        if (f->required && !jn_node_get(r->root, f->key))
            fine = jn_read_error(r, r->root->where, JN_ERR_MODEL, "'%s' is missing in the study\nadd '%s'", f->key,
                                 f->example);
    return fine;
}

/* One top-level key by its row. */
static bool read_key(jn_reader *r, const char *key, jn_study *s) {
    const jn_entry *entry = jn_node_entry(r->root, key);
    jn_field rows[2] = {*jn_field_find(&jn_study_fields, key), {.key = NULL}};
    jn_fieldset one = {"the study", "", rows};
    if (!entry) return true;
    jn_entry copy = *entry;
    jn_node only = {.kind = JN_NODE_MAP, .count = 1, .where = entry->where, .entries = &copy};
    return jn_read_fields(r, &only, &one, s);
}

/* ------------------------------------------------------------------------------------------------------ the model */

/* Values of `set`, and until, as settings after those from outside. */
static bool open_model(jn_reader *r, jn_study *s, const jn_setting *settings, int count) {
    const jn_node *set = jn_node_get(r->root, "set");
    int more = set && set->kind == JN_NODE_MAP ? set->count : 0, n = 0;
    jn_setting *all = jn_store_array(r->store, (size_t)(more + count) + 2, sizeof *all);
    if (!all) return jn_read_no_memory(r);
    if (set && !jn_expect_kind(r, set, JN_NODE_MAP, "values of the model, each 'name: value'")) return false;
    for (int i = 0; i < more; i++) {
        if (!jn_expect_kind(r, set->entries[i].value, JN_NODE_SCALAR, "a value")) return false;
        all[n++] = (jn_setting){set->entries[i].key, set->entries[i].value->text};
    }
    if (isfinite(s->until)) {
        char *text = jn_store_alloc(r->store, 32);
        if (!text) return jn_read_no_memory(r);
        snprintf(text, 32, "%.17g", s->until);
        all[n++] = (jn_setting){"run.until", text};
    }
    for (int i = 0; i < count; i++) all[n++] = settings[i];
    const char *path = jn_source_beside(r, s->path, s->model_path);
    if (!path) return false;
    int errors = r->report ? r->report->errors : 0;
    s->document = jn_document_open(path, all, n, r->report);
    if (!s->document) {
        r->status = r->status ? r->status : JN_ERR_MODEL;
        if (r->report && r->report->errors == errors) return jn_read_no_memory(r);
    }
    return s->document != NULL;
}

/* One value of each parameter as it is written, so that mistakes are reported with their place in the study file. */
static jn_model *compile_base(jn_study *s, bool learn, jn_report *report) {
    jn_given *given = jn_store_array(s->store, (size_t)s->varies + 1, sizeof *given);
    if (!given) return NULL;
    for (int i = 0; i < s->varies; i++) 
        given[i] = (jn_given){s->vary[i].full, s->vary[i].written, learn && s->vary[i].kind != JN_VARY_WORDS, NAN};
    if (learn && jn_document_learn(s->document, given, s->varies, report) < 0) return NULL;
    for (int i = 0; i < s->varies; i++) given[i].is_number = false; /* it is written with its unit */
    jn_description *d = jn_document_describe(s->document, given, s->varies, report);
    jn_model *m = d ? jn_model_compile(d, report) : NULL;
    jn_description_free(d);
    return m;
}

static bool name_columns(jn_study *s) {
    s->column_name = jn_store_array(s->store, (size_t)s->columns + 1, sizeof *s->column_name);
    s->column_unit = jn_store_array(s->store, (size_t)s->columns + 1, sizeof *s->column_unit);
    for (int k = 0; s->column_name && s->column_unit && k < s->columns; k++) {
        char name[256], unit[64];
        jn_study_column(s, k, name, sizeof name, unit);
        s->column_name[k] = jn_store_strdup(s->store, name);
        s->column_unit[k] = jn_store_strdup(s->store, unit);
        if (!s->column_name[k] || !s->column_unit[k]) return false;
    }
    return s->column_name && s->column_unit;
}

/* The model with the measures' expressions, and the channels that it has. */
static bool check_channels(jn_reader *r, jn_study *s) {
    jn_model_free(s->base);
    s->base = NULL;
    if (!s->has_keep && jn_document_drop_derived(s->document, s->channel, s->channels) < 0) return jn_read_no_memory(r);
    s->base = compile_base(s, true, r->report);
    jn_channels *c = s->base ? jn_channels_create(s->base, s->channel, s->channels, r->report) : NULL;
    if (c) {
        s->unit = jn_store_array(s->store, (size_t)s->channels + 1, sizeof *s->unit);
        for (int i = 0; s->unit && i < s->channels; i++) s->unit[i] = jn_channels_unit(c, i);
    }
    jn_channels_free(c);
    if (c && s->unit && name_columns(s)) return true;
    r->status = r->status ? r->status : JN_ERR_MODEL;
    return false;
}

static bool read_kind(jn_reader *r, jn_study *s) {
    s->kind = find_kind(r);
    if (!s->kind->key || !s->kind->fields) return true;
    const jn_entry *entry = jn_node_entry(r->root, s->kind->key);
    s->data = jn_store_alloc(s->store, s->kind->size);
    if (!s->data) return jn_read_no_memory(r);
    size_t mark = jn_path_key(r, s->kind->key);
    static const jn_node nothing = {.kind = JN_NODE_MAP};
    const jn_node *map = entry->value->kind == JN_NODE_EMPTY ? &nothing : entry->value;
    bool fine = jn_read_fields(r, map, s->kind->fields, s->data) && (!s->kind->read || s->kind->read(r, s));
    jn_path_back(r, mark);
    return fine;
}

static bool read_sections(jn_reader *r, jn_study *s, const jn_setting *settings, int count) {
    if (!jn_expect_kind(r, r->root, JN_NODE_MAP, "a study, with keys such as 'model', 'vary' and 'measure'"))
        return false;
    bool fine = check_top(r) && jn_read_parameters(r) && jn_read_tables(r) && jn_read_functions(r);
    fine = fine && read_key(r, "study", s) && read_key(r, "model", s) && read_key(r, "until", s);
    if (!fine || !open_model(r, s, settings, count)) return false;
    fine = read_key(r, "vary", s);
    fine = read_key(r, "samples", s) && fine;
    fine = read_key(r, "keep", s) && fine;
    if (!fine || !(s->base = compile_base(s, false, r->report))) {
        r->status = r->status ? r->status : JN_ERR_MODEL;
        return false;
    }
    fine = read_key(r, "measure", s) && read_kind(r, s);
    return fine && check_channels(r, s);
}

void jn_study_free(jn_study *s) {
    if (!s) return;
    jn_study_rows_free(s);
    jn_model_free(s->base);
    jn_document_free(s->document);
    jn_store_free(s->nodes);
    jn_free(s->point);
    jn_free(s->first);
    jn_free(s->finding);
    jn_description_free(s->own);
    jn_free(s);
}

/* A row of measures decides how many numbers a run has. */
static int plan(jn_study *s, jn_report *report) {
    int status = s->kind->plan ? s->kind->plan(s, report) : jn_study_plan_samples(s, report);
    if (status >= 0 && !jn_study_rows_create(s, 0, s->rows)) status = JN_ERR_MEMORY;
    if (status == JN_ERR_MEMORY)
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){s->path, 0, 0}, NULL, "out of memory for %ld runs",
                      s->rows);
    return status;
}

jn_study *jn_study_open(const char *path, const jn_setting *settings, int count, jn_report *report) {
    jn_study *s = jn_malloc(sizeof *s);
    size_t length = 0;
    int status = JN_OK;
    if (report) jn_report_clear(report);
    if (s) {
        *s =
            (jn_study){.own = jn_description_create(), .nodes = jn_store_create(), .rule = -1, .seed = 1, .until = NAN};
        s->store = s->own ? s->own->store : NULL;
        s->path = s->store ? jn_store_strdup(s->store, path) : NULL;
    }
    if (!s || !s->path || !s->nodes) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){path, 0, 0}, NULL, "out of memory");
        jn_study_free(s);
        return NULL;
    }
    jn_reader r = {.report = report,
                   .pending = -1,
                   .import = jn_import_default(),
                   .d = s->own,
                   .store = s->store,
                   .scratch = s->nodes};
    s->own->hash = JN_HASH_START, s->own->file = s->path;
    char *text = jn_source_load(&r, path, (jn_where){s->path, 0, 0}, s->store, &length);
    r.root = s->root = text ? jn_yaml_read(text, length, s->path, s->nodes, report, &status) : NULL;
    bool fine = s->root && read_sections(&r, s, settings, count) && r.status == JN_OK;
    if (fine) {
        uint64_t parts[2] = {s->own->hash, jn_model_hash(s->base)};
        s->hash = jn_hash_text(jn_hash_bytes(JN_HASH_START, parts, sizeof parts), jn_version());
        fine = plan(s, report) >= 0;
    }
    if (fine) return s;
    if (report && !report->errors) /* whatever fails without a message of its own lacks memory */
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){path, 0, 0}, NULL, "out of memory");
    jn_study_free(s);
    return NULL;
}
