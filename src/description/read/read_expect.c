/* The section expect. */
#include "description/read/reader.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct expect_item {
    jn_expect_desc expect; /* first */
    const jn_node *event;
    bool has_time, has_at, has_within, has_from;
    bool left_out; /* a parameter has another value than the row is for */
    int at;
} expect_item;

static const jn_keyword at_keywords[] = {
    {"last", JN_EXPECT_LAST}, {"min", JN_EXPECT_MIN}, {"max", JN_EXPECT_MAX}, {"mean", JN_EXPECT_MEAN}, {NULL, 0}};

static bool keep_event(jn_reader *r, const jn_node *node, void *item) {
    ((expect_item *)item)->event = node;
    return jn_expect_kind(r, node, JN_NODE_SCALAR, "an event such as 'first impact'");
}

/* A list against the value of a parameter. */
static bool same_list(jn_reader *r, const jn_parameter *p, const jn_node *node, bool *left_out) {
    double want, is;
    if (!p->is_list || node->kind != JN_NODE_LIST || node->count != p->node->count) return *left_out = true;
    for (int i = 0; i < node->count; i++) {
        if (!jn_read_number(r, node->items[i], JN_MEASURE_ANY, &want) ||
            !jn_read_number(r, p->node->items[i], JN_MEASURE_ANY, &is))
            return false;
        *left_out |= !(fabs(want - is) <= 1e-12 * fabs(want));
    }
    return true;
}

/* {parameter: value, ...}: the row is for these values only. */
static bool read_when(jn_reader *r, const jn_node *node, void *item) {
    expect_item *e = item;
    if (!jn_expect_kind(r, node, JN_NODE_MAP, "parameters and their values, as {restitution: 1}")) return false;
    for (int i = 0; i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        int k = jn_names_find(&r->parameter_names, entry->key);
        double value;
        if (k < 0)
            return jn_read_error(r, entry->where, JN_ERR_MODEL,
                                 "the model has no parameter '%.80s'\nadd it under 'parameters'", entry->key);
        const jn_parameter *p = &r->parameters[k];
        if (p->is_list || entry->value->kind == JN_NODE_LIST) {
            if (!same_list(r, p, entry->value, &e->left_out)) return false;
            continue;
        }
        if (p->is_text) {
            const char *word = jn_read_plain_word(r, entry->value);
            e->left_out |= !word || strcmp(word, p->text) != 0;
            continue;
        }
        if (!jn_read_number(r, entry->value, JN_MEASURE_ANY, &value)) return false;
        e->left_out |= !(fabs(value - p->value) <= 1e-12 * fabs(value));
    }
    return true;
}

#define EXPECT(member) offsetof(expect_item, expect.member)
static const jn_field expect_rows[] = {
    {.key = "method",
     .kind = JN_FIELD_KEYWORD,
     .offset = EXPECT(method),
     .has = EXPECT(has_method),
     .keywords = jn_method_keywords,
     .fallback = "any",
     .doc = "the row holds for runs by this method alone",
     .example = "method: nonsmooth"},
    {.key = "scheme",
     .kind = JN_FIELD_KEYWORD,
     .offset = EXPECT(scheme),
     .has = EXPECT(has_scheme),
     .keywords = jn_scheme_keywords,
     .fallback = "any",
     .doc = "the row holds for nonsmooth runs by this scheme alone",
     .example = "scheme: least_constraint"},
    {.key = "channel",
     .kind = JN_FIELD_TEXT,
     .offset = EXPECT(channel),
     .doc = "a channel, or a number of the summary",
     .example = "channel: joint.pin.q"},
    {.key = "time",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = EXPECT(time),
     .has = offsetof(expect_item, has_time),
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "when to look; with an event: when it must happen",
     .example = "time: 0.5 s"},
    {.key = "at",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(expect_item, at),
     .has = offsetof(expect_item, has_at),
     .keywords = at_keywords,
     .fallback = "last",
     .doc = "instead of a time: the last, smallest or largest value, or the mean over time",
     .example = "at: max"},
    {.key = "from",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_TIME,
     .offset = EXPECT(from),
     .has = offsetof(expect_item, has_from),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "with at: min, max or mean: look from this time on",
     .example = "from: 2 s"},
    {.key = "event",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_event,
     .schema = JN_SCHEMA_NAME,
     .doc = "kind of an event, with first, second, third, ... or 7th in front; the row is about its time",
     .example = "event: first impact"},
    {.key = "value",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(value),
     .has = EXPECT(has_value),
     .doc = "what is expected",
     .example = "value: 30 deg"},
    {.key = "within",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(within),
     .has = offsetof(expect_item, has_within),
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "allowed distance from the value",
     .example = "within: 1e-9"},
    {.key = "relative",
     .kind = JN_FIELD_BOOL,
     .offset = EXPECT(relative),
     .fallback = "false",
     .doc = "`within` is a fraction of the value",
     .example = "relative: true"},
    {.key = "below",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(below),
     .has = EXPECT(has_below),
     .doc = "the result must be below this",
     .example = "below: 1e-8"},
    {.key = "above",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = EXPECT(above),
     .has = EXPECT(has_above),
     .doc = "the result must be above this",
     .example = "above: 0"},
    {.key = "when",
     .kind = JN_FIELD_CUSTOM,
     .read = read_when,
     .schema = "{\"type\": \"object\"}",
     .doc = "the row counts only where these parameters have these values",
     .example = "when: {restitution: 1}"},
    {.key = "source",
     .kind = JN_FIELD_TEXT,
     .offset = EXPECT(source),
     .doc = "where the number comes from",
     .example = "source: closed form"},
    {.key = NULL},
};
const jn_fieldset jn_expect_fields = {
    "expect", "Expectations of the model about its own result, one per row; `jounce verify` checks them.", expect_rows};

/* "first impact", "7th impact", "impact": number and kind. */
static bool read_event(jn_reader *r, expect_item *e) {
    static const char *const ordinals[] = {"first", "second",  "third",  "fourth", "fifth",
                                           "sixth", "seventh", "eighth", "ninth",  "tenth"};
    const char *text = e->event->text, *space = strchr(text, ' ');
    size_t n = space ? (size_t)(space - text) : 0;

    e->expect.at = JN_EXPECT_EVENT;
    e->expect.event_nth = space ? 0 : 1;
    for (int i = 0; space && i < 10; i++) {
        if (strlen(ordinals[i]) == n && strncmp(ordinals[i], text, n) == 0) {
            e->expect.event_nth = i + 1;
        }
    }
    if (space && text[0] >= '1' && text[0] <= '9') {
        char *end;
        long nth = strtol(text, &end, 10);
        e->expect.event_nth = nth < 1000000 && end + 2 == space ? (int)nth : 0;
    }
    if (e->expect.event_nth == 0 || !(space ? space[1] : text[0]) || (space && strchr(space + 1, ' '))) {
        return jn_read_error(r, e->event->where, JN_ERR_MODEL,
                             "'%.80s' is not an event\nwrite 'impact', 'first impact' or '7th impact'", text);
    }
    e->expect.event = jn_store_strdup(r->store, space ? space + 1 : text);
    return e->expect.event ? true : jn_read_no_memory(r);
}

static bool finish_event(jn_reader *r, const jn_node *node, expect_item *e) {
    if (e->expect.channel || e->has_at || e->expect.has_value) {
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "a row with 'event' is about the event's time\nwrite {event: first impact, time: 2.7 ms, within: 10 us}");
    }
    if (!read_event(r, e)) {
        return false;
    }
    e->expect.has_value = e->has_time;
    e->expect.value = e->expect.time;
    return true;
}

static bool finish_expect(jn_reader *r, const jn_node *node, expect_item *e) {
    jn_expect_desc *x = &e->expect;

    if (e->event) {
        if (!finish_event(r, node, e)) {
            return false;
        }
    } else if (!x->channel) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a row needs a channel or an event\nadd 'channel: joint.NAME.q'");
    } else if (e->has_time && e->has_at) {
        return jn_read_error(r, jn_node_entry(node, "at")->where, JN_ERR_MODEL,
                             "'time' and 'at' exclude each other\nremove one");
    } else {
        x->at = e->has_time ? JN_EXPECT_TIME : e->has_at ? (jn_expect_at)e->at : JN_EXPECT_LAST;
    }
    if (e->has_from && x->at != JN_EXPECT_MIN && x->at != JN_EXPECT_MAX && x->at != JN_EXPECT_MEAN)
        return jn_read_error(r, jn_node_entry(node, "from")->where, JN_ERR_MODEL,
                             "'from' goes with 'at: min', 'at: max' or 'at: mean'\nadd one of them, or remove 'from'");
    if (!x->has_value && !x->has_below && !x->has_above) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a row must expect something\nadd 'value' with 'within', 'below' or 'above'");
    }
    if (x->has_value != e->has_within) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'%s' is missing: a value needs a tolerance\nadd '%s'",
                             x->has_value ? "within"
                             : e->event   ? "time"
                                          : "value",
                             x->has_value ? "within: 1e-6"
                             : e->event   ? "time: 2.7 ms"
                                          : "value: 0.5");
    }
    return true;
}

bool jn_read_expects(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    (void)item;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "a list of rows, each '- {channel: ..., value: ..., within: ...}'")) {
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        expect_item e = {.expect = {.where = node->items[i]->where}};
        size_t mark = jn_path_item(r, i);
        void *wide = jn_store_grow(r->store, d->expects, d->expect_count, sizeof *d->expects);
        if (!wide) {
            return jn_read_no_memory(r);
        }
        d->expects = wide;
        bool fine = jn_read_fields(r, node->items[i], &jn_expect_fields, &e) && finish_expect(r, node->items[i], &e);
        if (fine && !e.left_out) d->expects[d->expect_count++] = e.expect;
        jn_path_back(r, mark);
    }
    return true;
}
