/* The section measure: which numbers a study takes from each run. */
#include "trace/print_number.h"
#include "workflow/study/study_keys.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- channels */

static int find_channel(const jn_study *s, const char *name) {
    for (int i = 0; i < s->channels; i++)
        if (!strcmp(s->channel[i], name)) return i;
    return -1;
}

static int add_channel(jn_reader *r, jn_study *s, const char *name) {
    int found = find_channel(s, name);
    if (found >= 0) return found;
    void *wide = jn_store_grow(r->store, s->channel, s->channels, sizeof *s->channel);
    const char *copy = wide ? jn_store_strdup(r->store, name) : NULL;
    if (!copy) {
        jn_read_no_memory(r);
        return -1;
    }
    s->channel = wide;
    s->channel[s->channels] = copy;
    return s->channels++;
}

static bool is_channel(const jn_model *model, const char *name) {
    jn_report unheard = {0};
    jn_channels *c = jn_channels_create(model, &name, 1, &unheard);
    bool found = c && jn_channels_count(c) == 1 && !strcmp(jn_channels_name(c, 0), name);
    jn_channels_free(c);
    return found;
}

/* Looks like the name of a channel: then an unknown one is not an expression. */
static bool looks_plain(const char *text) {
    return strchr(text, '.') && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")];
}

static bool is_letter(char c) { return c == '_' || isalnum((unsigned char)c); }

/* The study's own parameter with that name, a number that the model does not have; NULL: none. */
static const jn_parameter_desc *own_parameter(const jn_study *s, const char *name, size_t length) {
    for (int i = 0; i < s->own->parameter_count; i++) {
        const jn_parameter_desc *p = &s->own->parameters[i];
        if (strlen(p->name) == length && !memcmp(p->name, name, length) && isfinite(p->value) &&
            !jn_document_has_parameter(s->document, p->name))
            return p;
    }
    return NULL;
}

/* An expression in which the study's own parameters are numbers: the model, which computes it, does not know them. NULL: no memory. */
static const char *with_own_parameters(jn_reader *r, const jn_study *s, const char *text) {
    size_t room = strlen(text) + 1, used = 0;
    for (const char *p = text; *p; p++) room += is_letter(*p) ? JN_NUMBER_SIZE + 130 : 0;
    char *out = jn_store_array(r->scratch, room, 1);
    for (const char *p = text; out && *p;) {
        size_t n = 0;
        while (is_letter(p[n])) n++;
        bool part = (p > text && p[-1] == '.') || p[n] == '.' || p[n] == '('; /* of a channel, or a function */
        const jn_parameter_desc *own = n && !part && !isdigit((unsigned char)*p) ? own_parameter(s, p, n) : NULL;
        if (own) {
            char number[JN_NUMBER_SIZE];
            jn_number_write(own->value, number);
            used += (size_t)snprintf(out + used, room - used, "(%s %s)", number, own->unit);
        } else {
            memcpy(out + used, p, n ? n : 1);
            used += n ? n : 1;
        }
        p += n ? n : 1;
    }
    return out;
}

int jn_measure_channel(jn_reader *r, const jn_node *node, jn_study_measure *m) {
    jn_study *s = m->study;
    char name[64], channel[80];
    jn_report own = {0};
    if (!jn_expect_kind(r, node, JN_NODE_SCALAR, "the name of a channel, or an expression over channels")) return -1;
    if (is_channel(s->base, node->text)) return add_channel(r, s, node->text);
    if (looks_plain(node->text)) {
        jn_channels_free(jn_channels_create(s->base, &node->text, 1, &own)); /* for its message */
        jn_read_error(r, node->where, JN_ERR_MODEL, "%.200s%s%.200s", own.item[0].text, own.item[0].hint[0] ? "\n" : "",
                      own.item[0].hint);
        return -1;
    }
    snprintf(name, sizeof name, "study_%d", s->derived++);
    snprintf(channel, sizeof channel, "derived.%s", name);
    jn_node *copy = jn_store_alloc(r->scratch, sizeof *copy);
    if (copy) *copy = *node, copy->text = with_own_parameters(r, s, node->text);
    if (!copy || !copy->text || jn_document_derive(s->document, name, copy) < 0) {
        jn_read_no_memory(r);
        return -1;
    }
    return add_channel(r, s, channel);
}

/* -------------------------------------------------------------------------------------------------------- instants */

/* A part of a text as a scalar with its place. */
static jn_node *part_of(jn_reader *r, const jn_node *node, size_t start, size_t length) {
    while (length && node->text[start] == ' ') start++, length--;
    while (length && node->text[start + length - 1] == ' ') length--;
    jn_node *part = jn_store_alloc(r->scratch, sizeof *part);
    char *text = part ? jn_store_copy(r->scratch, node->text + start, length) : NULL;
    if (!text) {
        jn_read_no_memory(r);
        return NULL;
    }
    *part = (jn_node){.kind = JN_NODE_SCALAR,
                      .where = jn_node_inside(node, start),
                      .text = text,
                      .one_line = node->one_line,
                      .plain = true,
                      .weight = 1};
    return part;
}

static bool read_crossing(jn_reader *r, const jn_node *node, size_t at, jn_study_measure *m, jn_when *out) {
    const char *text = node->text;
    size_t start = at + strlen(" crosses "), length = strlen(text) - start;
    const char *mod = strstr(text + start, " mod ");
    jn_node *channel = part_of(r, node, 0, at), *period = NULL;
    if (mod) {
        size_t place = (size_t)(mod - text) + 5;
        period = part_of(r, node, place, strlen(text) - place);
        length = (size_t)(mod - text) - start;
        if (!period) return false;
    }
    static const struct {
        const char *word;
        int direction;
    } ways[] = {{" up", 1}, {" upwards", 1}, {" down", -1}, {" downwards", -1}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        size_t n = strlen(ways[k].word);
        if (length > n && !strncmp(text + start + length - n, ways[k].word, n)) {
            out->direction = ways[k].direction, length -= n;
            break;
        }
    }
    jn_node *level = channel ? part_of(r, node, start, length) : NULL;
    if (!level || !jn_read_number(r, level, JN_MEASURE_ANY, &out->level)) return false;
    if (period && !jn_read_number(r, period, JN_MEASURE_ANY, &out->period)) return false;
    if (period && !(out->period > 0))
        return jn_read_error(r, period->where, JN_ERR_MODEL,
                             "the period must be greater than 0\nwrite 'crosses 0 mod 360 deg'");
    out->kind = JN_WHEN_CROSSING;
    out->channel = jn_measure_channel(r, channel, m);
    return out->channel >= 0;
}

bool jn_when_read(jn_reader *r, const jn_node *node, jn_study_measure *m, jn_when *out) {
    if (!jn_expect_kind(r, node, JN_NODE_SCALAR, "an instant such as 'joint.crank.q crosses 0 mod 360 deg'"))
        return false;
    const char *text = node->text, *crosses = strstr(text, " crosses ");
    *out = (jn_when){0};
    if (crosses) return read_crossing(r, node, (size_t)(crosses - text), m, out);
    if (!strncmp(text, "every ", 6)) {
        jn_node *time = part_of(r, node, 6, strlen(text) - 6);
        out->kind = JN_WHEN_EVERY;
        if (!time || !jn_read_number(r, time, JN_MEASURE_TIME, &out->period)) return false;
        return out->period > 0 ||
               jn_read_error(r, time->where, JN_ERR_MODEL, "the time must be greater than 0\nwrite 'every 10 ms'");
    }
    if (!strncmp(text, "event ", 6)) {
        const char *at = strstr(text, " at ");
        jn_node *kind = part_of(r, node, 6, (at ? (size_t)(at - text) : strlen(text)) - 6);
        jn_node *place = at ? part_of(r, node, (size_t)(at - text) + 4, strlen(at) - 4) : NULL;
        out->kind = JN_WHEN_EVENT;
        out->event = kind ? kind->text : NULL, out->at = place ? place->text : NULL;
        return kind && (!at || place);
    }
    return jn_read_error(r, node->where, JN_ERR_MODEL,
                         "'%.80s' is no instant\nwrite 'CHANNEL crosses VALUE [up | down] [mod PERIOD]', 'event impact "
                         "[at CONTACT]' or 'every 10 ms'",
                         text);
}

/* -------------------------------------------------------------------------------------------------------- measures */

static const jn_measure_kind *find_kind(jn_reader *r, const jn_node *map, jn_where where) {
    jn_suggest suggest = jn_suggest_for(map->count ? map->entries[0].key : "");
    for (int i = 0; jn_measure_kinds[i]; i++) {
        if (jn_node_get(map, jn_measure_kinds[i]->key)) return jn_measure_kinds[i];
        jn_suggest_offer(&suggest, jn_measure_kinds[i]->key);
    }
    jn_read_error(r, map->count ? map->entries[0].where : where, JN_ERR_MODEL, "this measures nothing\nwrite '%s'",
                  suggest.best ? suggest.best : "max: CHANNEL', 'end: CHANNEL' or 'count: events.impact");
    return NULL;
}

static bool read_number_key(jn_reader *r, const jn_node *map, const char *key, jn_measure measure, double *out) {
    const jn_node *node = jn_node_get(map, key);
    return !node || jn_read_number(r, node, measure, out);
}

static bool read_whole_key(jn_reader *r, const jn_node *map, const char *key, int *out) {
    double value = 0;
    const jn_node *node = jn_node_get(map, key);
    if (!node) return true;
    if (!jn_read_number(r, node, JN_MEASURE_NUMBER, &value)) return false;
    if (!(value >= 0 && value <= 1e9 && value == floor(value)))
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'%s' must be a whole number, not %g", key, value);
    *out = (int)value;
    return true;
}

/* Keys of all kinds; those of one kind alone are in its list. */
static bool check_keys(jn_reader *r, const jn_node *map, const jn_measure_kind *kind) {
    const char *keys[24] = {kind->key, "after", "before", "below", "above"};
    int n = 5;
    for (const char *const *k = kind->keys; k && *k && n < 23; k++) keys[n++] = *k;
    char what[80];
    snprintf(what, sizeof what, "a measure by '%s'", kind->key);
    return jn_study_check_keys(r, map, keys, what);
}

static bool read_one(jn_reader *r, const jn_entry *entry, jn_study *s, jn_study_measure *m) {
    const jn_node *map = entry->value;
    *m = (jn_study_measure){.name = entry->key,
                            .where = entry->where,
                            .study = s,
                            .node = map,
                            .before = INFINITY,
                            .at = NAN,
                            .below = NAN,
                            .above = NAN,
                            .samples = -1,
                            .slopes = -1};
    if (!jn_check_name(r, entry, false, "a measure") ||
        !jn_expect_kind(r, map, JN_NODE_MAP, "a measure such as {max: CHANNEL}"))
        return false;
    m->kind = find_kind(r, map, entry->where);
    if (!m->kind || !check_keys(r, map, m->kind)) return false;
    bool fine = read_number_key(r, map, "after", JN_MEASURE_TIME, &m->after) &&
                read_number_key(r, map, "before", JN_MEASURE_TIME, &m->before) &&
                read_number_key(r, map, "below", JN_MEASURE_ANY, &m->below) &&
                read_number_key(r, map, "above", JN_MEASURE_ANY, &m->above) &&
                read_whole_key(r, map, "skip", &m->skip) && read_whole_key(r, map, "most", &m->most);
    if (fine && !(m->after >= 0 && m->after < m->before))
        fine = jn_read_error(r, entry->where, JN_ERR_MODEL,
                             "'after' must lie before 'before'\nwrite 'after: 0.1 s, before: 1 s'");
    fine = fine && m->kind->read(r, jn_node_entry(map, m->kind->key)->value, m);
    const jn_node *when = jn_node_get(map, "when");
    if (fine && when) fine = jn_when_read(r, when, m, &m->when);
    return fine;
}

bool jn_study_read_measures(jn_reader *r, const jn_node *node, void *item) {
    jn_study *s = item;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "measures, each 'name: {max: CHANNEL}'");
    if (!fine) return false;
    s->measure = jn_store_array(r->store, (size_t)node->count + 1, sizeof *s->measure);
    if (!s->measure) return jn_read_no_memory(r);
    for (int i = 0; i < node->count; i++) {
        jn_study_measure *m = &s->measure[s->measures];
        size_t mark = jn_path_key(r, node->entries[i].key);
        for (int k = 0; k < s->varies; k++)
            if (!strcmp(s->vary[k].name, node->entries[i].key))
                fine = jn_read_error(r, node->entries[i].where, JN_ERR_MODEL,
                                     "'%s' is varied and cannot name a measure\nrename it", s->vary[k].name);
        bool good = read_one(r, &node->entries[i], s, m);
        if (good) {
            s->measures++;
            m->first = s->columns;
            m->columns = m->kind->columns ? m->kind->columns : m->channels;
            s->columns += m->columns;
            if (m->kind->has_samples) m->samples = s->lists++;
        }
        fine = fine && good;
        jn_path_back(r, mark);
    }
    if (fine && s->channels == 0)
        fine = add_channel(r, s, "energy.kinetic") >= 0; /* no names would mean all channels */
    return fine;
}

void jn_study_column(const jn_study *s, int column, char *name, size_t size, char *unit) {
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        int k = column - m->first;
        if (k < 0 || k >= m->columns) continue;
        snprintf(unit, 64, "%s", m->channels ? s->unit[m->channel[k < m->channels ? k : 0]] : "1");
        const char *suffix = m->kind->column ? m->kind->column(m, k, unit) : NULL;
        snprintf(name, size, "%s%s%s", m->name, suffix && *suffix ? "." : "", suffix ? suffix : "");
        return;
    }
    snprintf(name, size, "?");
}
