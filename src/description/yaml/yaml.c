/* libyaml events -> tree of nodes. The only file that knows libyaml. No recursion: the depth of a file cannot exhaust
 * the stack. */
#include "description/yaml/node.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MOST_ANCHORS = 10000 };

typedef struct frame {
    jn_node *node;
    bool flow;
    bool has_key;   /* map: a key waits for its value */
    bool swallow;   /* the value of this key is a rest of an expression: nothing is expected */
    jn_entry entry; /* map: the key */
} frame;

typedef struct anchor {
    const char *name;
    jn_node *node;
    bool open;
} anchor;

typedef struct builder {
    const char *file;
    jn_store *store;
    jn_report *report;
    int status;
    frame stack[JN_NODE_DEEPEST];
    int depth;
    jn_node *root;
    anchor *anchors;
    int anchor_count;
    double made;  /* nodes so far */
    bool foreign; /* keys may stand twice in a map, scalars may have tags */
} builder;

static bool fail(builder *b, int status, jn_where where, const char *format, ...) JN_PRINTF(4, 5);
static bool fail(builder *b, int status, jn_where where, const char *format, ...) {
    char message[800];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    b->status = status;
    jn_report_add(b->report, JN_SEVERITY_ERROR, status, where, NULL, "%s", message);
    return false;
}

static bool no_memory(builder *b) { return fail(b, JN_ERR_MEMORY, (jn_where){b->file, 0, 0}, "out of memory"); }

static jn_where place(const builder *b, yaml_mark_t mark) {
    return (jn_where){b->file, (int)mark.line + 1, (int)mark.column + 1};
}

/* ------------------------------------------------------------------------------------------- before libyaml */

/* Length of the valid UTF-8 character at p, 0 if there is none (RFC 3629). */
static size_t utf8_length(const unsigned char *p, size_t room) {
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (n == 0 || n > room) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F)) {
        return 0;
    }
    return n;
}

/* Text, in UTF-8, not empty? */
static bool check_text(builder *b, const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    jn_where where = {b->file, 1, 1};
    bool blank = true;

    for (size_t i = 0; i < length;) {
        size_t n = utf8_length(p + i, length - i);
        if (n == 0) {
            return fail(b, JN_ERR_SYNTAX, where, "byte 0x%02X is not UTF-8 text\nsave the file as UTF-8", p[i]);
        }
        if (n == 1 && (p[i] < 0x20 || p[i] == 0x7F) && p[i] != '\n' && p[i] != '\r' && p[i] != '\t') {
            return fail(b, JN_ERR_SYNTAX, where,
                        "byte 0x%02X does not belong in a text file\na model file is YAML or "
                        "JSON text",
                        p[i]);
        }
        blank = blank && (p[i] == ' ' || p[i] == '\n' || p[i] == '\r' || p[i] == '\t');
        where.column++;
        if (p[i] == '\n') {
            where.line++;
            where.column = 1;
        }
        i += n;
    }
    return !blank || fail(b, JN_ERR_SYNTAX, (jn_where){b->file, 1, 1},
                          "the file is empty\na model has at least 'bodies', 'joints' and 'run'");
}

/* ------------------------------------------------------------------------------------------------- expressions */

/* Open minus closed parentheses. */
static int open_parentheses(const char *text) {
    int open = 0;
    for (; *text; text++) {
        open += (*text == '(') - (*text == ')');
    }
    return open;
}

/* In [ ] and { } YAML splits "step(t, 0, 1)" at its commas. The piece is joined to the one before if that one has a
 * parenthesis open, so that expressions need no quotes. *joined tells whether it was. */
static bool join(builder *b, frame *f, const char *text, bool *joined) {
    jn_node *last = NULL;
    char *longer;
    size_t n;

    *joined = false;
    if (f->flow && f->node->count > 0) {
        last = f->node->kind == JN_NODE_LIST ? f->node->items[f->node->count - 1]
                                             : f->node->entries[f->node->count - 1].value;
    }
    if (!last || last->kind != JN_NODE_SCALAR || !last->plain || open_parentheses(last->text) <= 0) {
        return true;
    }
    n = strlen(last->text) + strlen(text) + 3;
    if (n > 4096) {
        return fail(b, JN_ERR_LIMIT, last->where, "an expression is longer than 4096 letters\nclose its parenthesis");
    }
    longer = jn_store_alloc(b->store, n);
    if (!longer) {
        return no_memory(b);
    }
    snprintf(longer, n, "%s, %s", last->text, text);
    last->text = longer;
    last->one_line = false;
    *joined = true;
    return true;
}

/* ------------------------------------------------------------------------------------------------------- nodes */

static jn_node *new_node(builder *b, jn_node_kind kind, yaml_mark_t mark) {
    jn_node *node = NULL;
    if (++b->made > JN_NODE_MOST) {
        fail(b, JN_ERR_LIMIT, place(b, mark), "the file holds more than %d values", JN_NODE_MOST);
    } else if (!(node = jn_store_alloc(b->store, sizeof *node))) {
        no_memory(b);
    } else {
        *node = (jn_node){.kind = kind, .where = place(b, mark), .weight = 1};
    }
    return node;
}

static bool note_anchor(builder *b, const yaml_char_t *name, jn_node *node, bool open) {
    void *wide;
    if (!name) {
        return true;
    }
    if (b->anchor_count == MOST_ANCHORS) {
        return fail(b, JN_ERR_LIMIT, node->where, "the file has more than %d anchors", MOST_ANCHORS);
    }
    wide = jn_store_grow(b->store, b->anchors, b->anchor_count, sizeof *b->anchors);
    if (!wide) {
        return no_memory(b);
    }
    b->anchors = wide;
    b->anchors[b->anchor_count].name = jn_store_strdup(b->store, (const char *)name);
    b->anchors[b->anchor_count].node = node;
    b->anchors[b->anchor_count].open = open;
    return b->anchors[b->anchor_count++].name ? true : no_memory(b);
}

/* Puts a finished or just opened value into the innermost list or map. */
static bool attach(builder *b, jn_node *node) {
    frame *f;
    void *wide;

    if (b->depth == 0) {
        b->root = node;
        return true;
    }
    f = &b->stack[b->depth - 1];
    if (f->swallow) {
        f->swallow = f->has_key = false;
        return node->kind == JN_NODE_EMPTY ||
               fail(b, JN_ERR_SYNTAX, node->where, "an expression is cut in two by a ':'\nput it in quotes");
    }
    if (f->node->kind == JN_NODE_LIST) {
        wide = jn_store_grow(b->store, f->node->items, f->node->count, sizeof *f->node->items);
        if (!wide) {
            return no_memory(b);
        }
        f->node->items = wide;
        f->node->items[f->node->count++] = node;
        return true;
    }
    if (!f->has_key) {
        return fail(b, JN_ERR_SYNTAX, node->where, "a key must be a word\nwrite 'key: value'");
    }
    wide = jn_store_grow(b->store, f->node->entries, f->node->count, sizeof *f->node->entries);
    if (!wide) {
        return no_memory(b);
    }
    f->entry.value = node;
    f->node->entries = wide;
    f->node->entries[f->node->count++] = f->entry;
    f->has_key = false;
    return true;
}

static bool on_open(builder *b, const yaml_event_t *event, jn_node_kind kind) {
    bool map = kind == JN_NODE_MAP;
    jn_node *node = new_node(b, kind, event->start_mark);

    if (!node) {
        return false;
    }
    if (b->depth == JN_NODE_DEEPEST) {
        return fail(b, JN_ERR_LIMIT, node->where, "the file is nested deeper than %d levels", JN_NODE_DEEPEST);
    }
    if (!attach(b, node) ||
        !note_anchor(b, map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor, node, true)) {
        return false;
    }
    b->stack[b->depth++] = (frame){
        .node = node,
        .flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                    : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
    };
    return true;
}

static bool on_scalar(builder *b, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    yaml_mark_t from = event->start_mark, to = event->end_mark;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE, joined = false;
    bool empty = plain && (*text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
    frame *f = b->depth ? &b->stack[b->depth - 1] : NULL;
    char *copy;
    jn_node *node;

    if (strlen(text) != event->data.scalar.length) {
        return fail(b, JN_ERR_SYNTAX, place(b, from), "a text holds a zero byte");
    }
    bool key = f && f->node->kind == JN_NODE_MAP && !f->has_key;
    if (f && plain && (key || f->node->kind == JN_NODE_LIST)) {
        if (!join(b, f, text, &joined)) {
            return false;
        }
        f->has_key = f->swallow = joined && key;
        if (joined) {
            return true;
        }
    }
    copy = jn_store_strdup(b->store, text);
    if (!copy) {
        return no_memory(b);
    }
    if (key) {
        f->has_key = true;
        f->entry = (jn_entry){copy, place(b, from), NULL};
        return true;
    }
    node = new_node(b, empty ? JN_NODE_EMPTY : JN_NODE_SCALAR, from);
    if (!node) {
        return false;
    }
    node->text = copy;
    node->plain = plain;
    if (event->data.scalar.tag && !(node->tag = jn_store_strdup(b->store, (const char *)event->data.scalar.tag))) {
        return no_memory(b);
    }
    node->inset = !plain;
    node->one_line = from.line == to.line && (plain || to.column - from.column == strlen(text) + 2);
    return note_anchor(b, event->data.scalar.anchor, node, false) && attach(b, node);
}

static bool on_alias(builder *b, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    for (int i = b->anchor_count - 1; i >= 0; i--) {
        if (strcmp(b->anchors[i].name, name) == 0) {
            return b->anchors[i].open ? fail(b, JN_ERR_SYNTAX, place(b, event->start_mark),
                                             "the alias '*%s' stands inside what it names", name)
                                      : attach(b, b->anchors[i].node);
        }
    }
    return fail(b, JN_ERR_SYNTAX, place(b, event->start_mark), "no anchor '&%s' for this alias", name);
}

/* ----------------------------------------------------------------------------------------------- closing a node */

static int by_key(const void *a, const void *b) {
    const jn_entry *const *x = a, *const *y = b;
    int order = strcmp((*x)->key, (*y)->key);
    return order ? order : (*x > *y) - (*x < *y);
}

/* No key may stand twice in a map. O(n log n) */
static bool check_keys(builder *b, const jn_node *map) {
    const jn_entry **sorted = jn_malloc((size_t)map->count * sizeof *sorted), *again = NULL, *first = NULL;
    if (!sorted) {
        return no_memory(b);
    }
    for (int i = 0; i < map->count; i++) {
        sorted[i] = &map->entries[i];
    }
    qsort(sorted, (size_t)map->count, sizeof *sorted, by_key);
    for (int i = 1; i < map->count; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0 && (!again || sorted[i] < again)) {
            first = sorted[i - 1];
            again = sorted[i];
        }
    }
    jn_free(sorted);
    return !again || fail(b, JN_ERR_SYNTAX, again->where, "'%.100s' is given twice\nthe first is at line %d",
                          again->key, first->where.line);
}

/* "<<: *base": takes over the entries of another map that are not given here. */
static bool merge_keys(builder *b, jn_node *map) {
    for (int i = 0; i < map->count; i++) {
        const jn_node *base = map->entries[i].value;
        if (strcmp(map->entries[i].key, "<<") != 0) {
            continue;
        }
        if (base->kind != JN_NODE_MAP) {
            return fail(b, JN_ERR_SYNTAX, base->where, "'<<' takes a map\nwrite '<<: *NAME' with an anchor '&NAME'");
        }
        memmove(&map->entries[i], &map->entries[i + 1], (size_t)(map->count - i - 1) * sizeof *map->entries);
        jn_entry *all = jn_store_array(b->store, 2 * (size_t)(map->count + base->count), sizeof *all);
        if (!all) {
            return no_memory(b);
        }
        map->count--;
        memcpy(all, map->entries, (size_t)map->count * sizeof *all);
        map->entries = all;
        for (int k = 0, own = map->count; k < base->count; k++) {
            bool given = false;
            for (int j = 0; j < own && !given; j++) {
                given = strcmp(all[j].key, base->entries[k].key) == 0;
            }
            if (!given) {
                all[map->count++] = base->entries[k];
            }
        }
        return true;
    }
    return true;
}

static bool on_close(builder *b) {
    jn_node *node = b->stack[--b->depth].node;

    if (node->kind == JN_NODE_MAP && node->count > 0 && !((b->foreign || check_keys(b, node)) && merge_keys(b, node))) {
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        const jn_node *child = node->kind == JN_NODE_LIST ? node->items[i] : node->entries[i].value;
        node->weight += child->weight;
        node->height = child->height + 1 > node->height ? child->height + 1 : node->height;
    }
    if (node->weight > JN_NODE_MOST) {
        return fail(b, JN_ERR_LIMIT, node->where, "the aliases in here make more than %d values", JN_NODE_MOST);
    }
    if (node->height + b->depth > JN_NODE_DEEPEST) {
        return fail(b, JN_ERR_LIMIT, node->where, "the file is nested deeper than %d levels", JN_NODE_DEEPEST);
    }
    for (int i = 0; i < b->anchor_count; i++) {
        b->anchors[i].open = b->anchors[i].open && b->anchors[i].node != node;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- the events */

static bool has_tag(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT: return event->data.mapping_start.tag != NULL;
    default: return false;
    }
}

static bool on_event(builder *b, const yaml_event_t *event) {
    if (has_tag(event) && !(b->foreign && event->type == YAML_SCALAR_EVENT)) {
        return fail(b, JN_ERR_SYNTAX, place(b, event->start_mark),
                    "tags such as '!name' have no meaning here\nremove it");
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return !b->root || fail(b, JN_ERR_SYNTAX, place(b, event->start_mark),
                                "a second document begins\nkeep one model in a file");
    case YAML_SCALAR_EVENT: return on_scalar(b, event);
    case YAML_ALIAS_EVENT: return on_alias(b, event);
    case YAML_SEQUENCE_START_EVENT: return on_open(b, event, JN_NODE_LIST);
    case YAML_MAPPING_START_EVENT: return on_open(b, event, JN_NODE_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_close(b);
    default: return true;
    }
}

/* What to write instead of what the parser could not read; "" where its own words are enough. */
static const char *hint_for(const char *problem) {
    if (strstr(problem, "cannot start any token"))
        return "\nindent with spaces, not tabs; put texts with special characters in quotes";
    if (strstr(problem, "mapping values are not allowed")) return "\nput a text that holds ': ' in quotes";
    if (strstr(problem, "did not find expected key"))
        return "\nindent the keys of a section alike; put a text as a whole in quotes";
    return "";
}

static bool parser_error(builder *b, const yaml_parser_t *parser) {
    const char *problem = parser->problem ? parser->problem : "unreadable", *hint = hint_for(problem);
    if (parser->error == YAML_MEMORY_ERROR) {
        return no_memory(b);
    }
    if (parser->context && parser->context_mark.line != parser->problem_mark.line) {
        return fail(b, JN_ERR_SYNTAX, place(b, parser->problem_mark), "%s, %s that begins at line %d%s", problem,
                    parser->context, (int)parser->context_mark.line + 1, hint);
    }
    return fail(b, JN_ERR_SYNTAX, place(b, parser->problem_mark), "%s%s%s%s", problem, parser->context ? ", " : "",
                parser->context ? parser->context : "", hint);
}

static jn_node *read(const char *text, size_t length, const char *file, bool foreign, jn_store *store,
                     jn_report *report, int *status) {
    builder *b = jn_malloc(sizeof *b);
    jn_node *root = NULL;
    yaml_parser_t parser;
    yaml_event_t event;
    bool going;

    *status = JN_ERR_MEMORY;
    if (!b) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){file, 0, 0}, NULL, "out of memory");
        return NULL;
    }
    *b = (builder){.file = file, .store = store, .report = report, .foreign = foreign};
    going = check_text(b, text, length);
    if (going && !yaml_parser_initialize(&parser)) {
        going = no_memory(b);
    } else if (going) {
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
        for (bool end = false; going && !end;) {
            if (!yaml_parser_parse(&parser, &event)) {
                going = parser_error(b, &parser);
                break;
            }
            end = event.type == YAML_STREAM_END_EVENT;
            going = on_event(b, &event);
            yaml_event_delete(&event);
        }
        yaml_parser_delete(&parser);
    }
    if (going && !b->root) {
        fail(b, JN_ERR_SYNTAX, (jn_where){file, 1, 1},
             "the file is empty\na model has at least 'bodies', 'joints' and 'run'");
    }
    root = going ? b->root : NULL;
    *status = b->status;
    jn_free(b);
    return root;
}

jn_node *jn_yaml_read(const char *text, size_t length, const char *file, jn_store *store, jn_report *report,
                      int *status) {
    return read(text, length, file, false, store, report, status);
}

jn_node *jn_yaml_read_foreign(const char *text, size_t length, const char *file, jn_store *store, jn_report *report,
                              int *status) {
    return read(text, length, file, true, store, report, status);
}
