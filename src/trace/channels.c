/* Channels: those that a run asks for. */
#include "trace/channels.h"

#include "base/memory.h"
#include "base/suggest.h"
#include <string.h>

/* * matches any characters, also none. O(text * stars). */
static bool matches(const char *pattern, const char *text) {
    const char *star = NULL, *back = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            back = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

/* What is being built, and which patterns have been of use. */
typedef struct builder {
    jn_channels *out;
    const char *const *patterns;
    int pattern_count;
    bool *used;
    bool failed;
    jn_suggest *suggest; /* given: names are only offered to it, nothing is kept */
    char nearest[320];   /* copy of the best name so far */
} builder;

static bool grow(void **block, size_t need, size_t *capacity, size_t size) {
    if (need <= *capacity) return true;
    size_t wide = need * 2 + 64;
    void *moved = jn_realloc(*block, wide * size);
    if (!moved) return false;
    *block = moved;
    *capacity = wide;
    return true;
}

/* Names are kept as offsets into one text until it no longer moves. */
static void keep(builder *b, const char *name, jn_channel channel) {
    jn_channels *c = b->out;
    size_t length = strlen(name) + 1, capacity = (size_t)c->capacity;
    void *list = c->list, *text = c->text;
    b->failed |= !grow(&list, (size_t)c->count + 1, &capacity, sizeof *c->list);
    b->failed |= !grow(&text, c->text_length + length, &c->text_capacity, 1);
    c->list = list;
    c->text = text;
    c->capacity = (int)capacity;
    if (b->failed) return;
    memcpy(c->text + c->text_length, name, length);
    c->text_length += length;
    c->list[c->count++] = channel;
}

static void offer(void *context, const char *name, jn_channel channel) {
    builder *b = context;
    int first = b->pattern_count == 0 && channel.source != SOURCE_STEP ? 0 : -1; /* steps: only by name */
    if (b->failed) return;
    if (b->suggest) {
        jn_suggest_offer(b->suggest, name);
        if (b->suggest->best == name) b->suggest->best = strcpy(b->nearest, name);
        return;
    }
    for (int i = b->pattern_count; i-- > 0;)
        if (matches(b->patterns[i], name)) b->used[i] = true, first = i;
    channel.pattern = first;
    if (first >= 0) keep(b, name, channel);
}

/* where: of an input of derived channels; else the pattern is from record.channels or a program. */
static void report_unused(const jn_model *m, const char *pattern, const jn_where *where, jn_report *report) {
    jn_suggest suggest = jn_suggest_for(pattern);
    builder names = {.suggest = &suggest};
    jn_where place = where ? *where : (jn_where){m->file, 0, 0};
    const char *path = where ? "record.derived" : "record.channels";
    jn_channels_offer(m, (jn_channel_taker){offer, &names});
    if (!where) jn_channels_offer_derived(m, (jn_channel_taker){offer, &names});
    if (suggest.best)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place, path, "no channel is called '%s'\nwrite '%s'",
                      pattern, suggest.best);
    else
        jn_report_add(
            report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place, path,
            "no channel matches '%s'\nchannels are called body.NAME.x, joint.NAME.q, point.NAME.x, energy.total",
            pattern);
}

/* The order asked for: that of the patterns, each one's channels in the order of the model. O(channels + patterns) */
static bool sort_by_pattern(jn_channels *c, int pattern_count) {
    jn_channel *sorted = jn_malloc((size_t)c->capacity * sizeof *sorted);
    int *next = jn_malloc(((size_t)pattern_count + 1) * sizeof *next); /* place of the next channel of each pattern */
    bool ok = sorted && next;
    if (ok) {
        memset(next, 0, ((size_t)pattern_count + 1) * sizeof *next);
        for (int i = 0; i < c->count; i++) next[c->list[i].pattern + 1]++;
        for (int p = 0; p < pattern_count; p++) next[p + 1] += next[p];
        for (int i = 0; i < c->count; i++) sorted[next[c->list[i].pattern]++] = c->list[i];
        jn_free(c->list);
        c->list = sorted;
    } else {
        jn_free(sorted);
    }
    jn_free(next);
    return ok;
}

/* Gives every channel its name; false where a pattern matched nothing. */
static bool finish(builder *b, const jn_model *m, jn_report *report) {
    bool ok = true;
    const char *name = b->out->text;
    for (int i = 0; i < b->out->count; i++) {
        b->out->list[i].name = name;
        name += strlen(name) + 1;
    }
    for (int i = 0; i < b->pattern_count; i++) {
        if (b->used[i]) continue;
        report_unused(m, b->patterns[i], NULL, report);
        ok = false;
    }
    return ok;
}

/* The channels that derived ones read, in the order of their variables. O(inputs * channels) */
static bool create_inputs(builder *b, const jn_model *m, jn_report *report) {
    jn_channels *inputs = b->out->inputs = jn_malloc(sizeof *inputs);
    size_t vars = (size_t)m->input_count + JN_VAR_SIGNAL;
    bool ok = true;
    if (inputs) memset(inputs, 0, sizeof *inputs);
    b->out->var = jn_malloc(vars * sizeof *b->out->var);
    b->failed = !inputs || !b->out->var;
    for (int i = 0; i < m->input_count && !b->failed; i++) {
        bool used = false;
        builder one = {.out = inputs, .patterns = &m->inputs[i].channel, .pattern_count = 1, .used = &used};
        jn_channels_offer(m, (jn_channel_taker){offer, &one});
        b->failed = one.failed;
        if (!used && !b->failed) report_unused(m, m->inputs[i].channel, &m->inputs[i].where, report);
        ok = ok && used;
    }
    if (!b->failed) memset(b->out->var, 0, vars * sizeof *b->out->var);
    return ok && !b->failed;
}

jn_channels *jn_channels_create(const jn_model *m, const char *const *patterns, int pattern_count, jn_report *report) {
    jn_channels *c = jn_malloc(sizeof *c);
    bool *used = jn_malloc((size_t)pattern_count * sizeof *used + 1);
    builder b = {.out = c, .patterns = patterns, .pattern_count = pattern_count, .used = used, .failed = !c || !used};
    bool ok = false;
    if (c) memset(c, 0, sizeof *c);
    if (!b.failed) {
        memset(used, 0, (size_t)pattern_count * sizeof *used);
        jn_channels_offer(m, (jn_channel_taker){offer, &b});
        jn_channels_offer_derived(m, (jn_channel_taker){offer, &b});
        ok = !b.failed && finish(&b, m, report);
        if (ok && pattern_count > 1) b.failed = !sort_by_pattern(c, pattern_count), ok = !b.failed;
        if (ok && m->derived_count) ok = create_inputs(&b, m, report);
    }
    jn_free(used);
    if (ok) return c;
    if (b.failed)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 0, 0}, NULL, "out of memory");
    jn_channels_free(c);
    return NULL;
}

void jn_channels_free(jn_channels *c) {
    if (!c) return;
    jn_channels_free(c->inputs);
    jn_free(c->var);
    jn_free(c->list);
    jn_free(c->text);
    jn_free(c);
}

int jn_channels_count(const jn_channels *c) { return c->count; }
const char *jn_channels_name(const jn_channels *c, int index) { return c->list[index].name; }
const char *jn_channels_unit(const jn_channels *c, int index) { return c->list[index].unit; }

int jn_channels_find(const jn_channels *c, const char *name) {
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->list[i].name, name)) return i;
    return -1;
}
