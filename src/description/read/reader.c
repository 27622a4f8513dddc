/* Messages, the walk over a table of keys, and names. */
#include "description/read/reader.h"

#include "algebra/vec3.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool jn_read_error(jn_reader *r, jn_where where, int status, const char *format, ...) {
    char message[900];
    va_list args;

    if (r->status == JN_ERR_MEMORY) {
        return false; /* what follows from it is no news */
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (r->status == JN_OK || status == JN_ERR_MEMORY) {
        r->status = status;
    }
    jn_report_add(r->report, JN_SEVERITY_ERROR, status, where, r->path, "%s", message);
    return false;
}

bool jn_read_no_memory(jn_reader *r) {
    if (r->status == JN_ERR_MEMORY) {
        return false;
    }
    return jn_read_error(r, (jn_where){r->d ? r->d->file : "", 0, 0}, JN_ERR_MEMORY, "out of memory");
}

size_t jn_path_key(jn_reader *r, const char *key) {
    size_t mark = r->path_length, at = mark;
    if (mark && at < sizeof r->path - 1) r->path[at++] = '.';
    while (*key && at < sizeof r->path - 1) r->path[at++] = *key++;
    r->path[at] = '\0';
    r->path_length = at;
    return mark;
}

size_t jn_path_item(jn_reader *r, int index) {
    size_t mark = r->path_length, at = mark, last = sizeof r->path - 1;
    char digit[16];
    int n = 0;
    do digit[n++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    if (at < last) r->path[at++] = '[';
    while (n > 0 && at < last) r->path[at++] = digit[--n];
    if (at < last) r->path[at++] = ']';
    r->path[at] = '\0';
    r->path_length = at;
    return mark;
}

void jn_path_back(jn_reader *r, size_t mark) {
    r->path_length = mark;
    r->path[mark] = '\0';
}

/* ---------------------------------------------------------------------------------------------- table of keys */

const jn_field *jn_field_find(const jn_fieldset *set, const char *key) {
    for (const jn_field *field = set->fields; field->key; field++)
        if ((field->key[0] == key[0] && strcmp(field->key, key) == 0) ||
            (field->former && strcmp(field->former, key) == 0))
            return field;
    return NULL;
}

bool jn_field_next(jn_field_cursor *c) {
    const jn_field *row = c->set->fields;
    int fixed = 0;
    while (row[fixed].key && fixed < c->index) fixed++;
    if (row[fixed].key)
        c->field = row[fixed];
    else if (!row[fixed].more || !row[fixed].more(c->index - fixed, &c->field))
        return false;
    c->index++;
    return true;
}

bool jn_field_lookup(const jn_fieldset *set, const char *key, jn_field *field) {
    const jn_field *row = jn_field_find(set, key);
    if (row) return *field = *row, true;
    jn_field_cursor c = jn_fields(set);
    while (jn_field_next(&c))
        if (!strcmp(c.field.key, key) || (c.field.former && !strcmp(c.field.former, key))) {
            *field = c.field;
            return true;
        }
    return false;
}

/* Where a map stands, for messages: its path, which ends at `end`. */
static const char *place_of(const jn_reader *r, const jn_fieldset *set, size_t end, char place[sizeof r->path]) {
    if (!end) return set->name;
    memcpy(place, r->path, end);
    place[end] = '\0';
    return place;
}

static bool unknown_key(jn_reader *r, const jn_entry *entry, const jn_fieldset *set, const char *place) {
    jn_suggest suggest = jn_suggest_for(entry->key);
    char all[300] = "";

    const jn_field *last = set->fields;
    while (last->key) last++;
    for (const jn_removed_key *k = last->removed; k && k->key; k++)
        if (!strcmp(k->key, entry->key))
            return jn_read_error(r, entry->where, JN_ERR_MODEL, "there is no key '%s' any more: %s", k->key, k->text);
    for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);) {
        const char *key = c.field.key;
        jn_suggest_offer(&suggest, key);
        size_t n = strlen(all);
        if (n + strlen(key) + 3 < sizeof all) {
            snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", key);
        }
    }
    if (suggest.best) {
        return jn_read_error(r, entry->where, JN_ERR_MODEL, "unknown key '%.80s' in %s\nwrite '%s'", entry->key, place,
                             suggest.best);
    }
    return jn_read_error(r, entry->where, JN_ERR_MODEL, "unknown key '%.80s' in %s\nthe keys are %s", entry->key, place,
                         all);
}

static bool check_range(jn_reader *r, const jn_node *node, const jn_field *field, double value) {
    if (field->range == JN_RANGE_POSITIVE && !(value > 0)) {
        const char *example = field->example ? field->example : "";
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'%s' must be greater than 0, not %g%s%s%s", field->key,
                             value, *example ? "\nwrite '" : "", example, *example ? "', for example" : "");
    }
    if (field->range == JN_RANGE_NOT_NEGATIVE && !(value >= 0)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'%s' must not be negative, as %g is", field->key, value);
    }
    return true;
}

static bool read_value(jn_reader *r, const jn_node *node, const jn_field *field, void *item) {
    char *to = (char *)item + field->offset;
    double number;

    switch (field->kind) {
    case JN_FIELD_NUMBER:
        if (!jn_read_number(r, node, field->measure, &number) || !check_range(r, node, field, number)) {
            return false;
        }
        if (field->put) {
            return field->put(item, field->key, number) >= 0 ||
                   jn_read_error(r, node->where, JN_ERR_LIMIT, "there are too many parameters\nremove '%s'",
                                 field->key);
        }
        *(double *)(void *)to = number;
        return true;
    case JN_FIELD_VECTOR: return jn_read_vector(r, node, field->measure, (jn_vec3 *)(void *)to);
    case JN_FIELD_KEYWORD: return jn_read_keyword(r, node, field->keywords, (int *)(void *)to);
    case JN_FIELD_TEXT: return jn_read_text(r, node, (const char **)(void *)to);
    case JN_FIELD_BOOL: return jn_read_bool(r, node, (bool *)(void *)to);
    case JN_FIELD_FUNCTION: return jn_read_function(r, node, field->measure, field->may, (jn_function *)(void *)to);
    default: return field->read ? field->read(r, node, item) : true;
    }
}

bool jn_read_fields(jn_reader *r, const jn_node *map, const jn_fieldset *set, void *item) {
    char place[sizeof r->path];
    size_t end = r->path_length;
    bool fine = true;

    if (map->kind != JN_NODE_MAP) {
        return jn_read_error(r, map->where, JN_ERR_MODEL, "expected a map in %s, found %s\nwrite {%s, ...}",
                             place_of(r, set, end, place), jn_node_kind_text(map), set->fields->example);
    }
    for (int i = 0; i < map->count; i++) {
        const jn_entry *entry = &map->entries[i];
        jn_field field;
        size_t mark = jn_path_key(r, entry->key);
        if (!jn_field_lookup(set, entry->key, &field)) {
            fine = unknown_key(r, entry, set, place_of(r, set, end, place));
        } else if (field.former && !strcmp(field.former, entry->key) && jn_node_entry(map, field.key)) {
            fine = jn_read_error(r, entry->where, JN_ERR_MODEL,
                                 "'%s' is the former name of '%s', which is there\nremove it", field.former, field.key);
        } else if (entry->value->kind == JN_NODE_EMPTY) {
            fine = jn_read_error(r, entry->where, JN_ERR_MODEL, "'%s' has no value\nwrite '%s', or remove the key",
                                 entry->key, field.example);
        } else if (!read_value(r, entry->value, &field, item)) {
            fine = false;
        } else {
            if (field.has) *(bool *)(void *)((char *)item + field.has) = true;
            if (field.where) *(jn_where *)(void *)((char *)item + field.where) = entry->where;
        }
        jn_path_back(r, mark);
    }
    for (const jn_field *f = set->fields; f->key; f++) {
        if (f->required && !jn_node_entry(map, f->key) && !(f->former && jn_node_entry(map, f->former))) {
            fine = jn_read_error(r, map->where, JN_ERR_MODEL, "'%s' is missing in %s\nadd '%s'", f->key,
                                 place_of(r, set, end, place), f->example);
        }
    }
    return fine;
}

/* ------------------------------------------------------------------------------------------------------ names */

bool jn_check_name(jn_reader *r, const jn_entry *entry, bool dash, const char *what) {
    const char *p = entry->key;
    bool fine = *p != '\0' && !(*p >= '0' && *p <= '9') && *p != '-' && strlen(p) <= 63;
    for (; fine && *p; p++) {
        fine = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_' ||
               (dash && *p == '-');
    }
    return fine ||
           jn_read_error(r, entry->where, JN_ERR_MODEL,
                         "'%.80s' cannot be the name of %s\nuse at most 63 letters, digits%s and '_', and no digit "
                         "first",
                         entry->key, what, dash ? ", '-'" : "");
}

static bool read_name(jn_reader *r, const jn_node *node, const jn_names *names, const char *what, const char *kind,
                      const char *section, int *out) {
    const char *word;
    jn_suggest suggest;

    if (!jn_expect_kind(r, node, JN_NODE_SCALAR, what)) {
        return false;
    }
    word = node->text;
    *out = jn_names_find(names, word);
    if (*out < 0) {
        word = jn_read_plain_word(r, node);
        *out = jn_names_find(names, word);
    }
    if (*out >= 0) {
        return true;
    }
    suggest = jn_suggest_for(word);
    jn_names_offer(names, &suggest);
    if (suggest.best) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "no %s '%.80s'\nwrite '%s'", kind, word, suggest.best);
    }
    return jn_read_error(r, node->where, JN_ERR_MODEL, "no %s '%.80s'\ndefine it under '%s'", kind, word, section);
}

bool jn_read_body_name(jn_reader *r, const jn_node *node, int *out) {
    return read_name(r, node, &r->body_names, "the name of a body", "body", "bodies", out);
}

bool jn_read_joint_name(jn_reader *r, const jn_node *node, int *out) {
    return read_name(r, node, &r->joint_names, "the name of a joint", "joint", "joints", out);
}

bool jn_read_between(jn_reader *r, const jn_node *node, int body[2]) {
    bool fine = true;

    if (!jn_expect_list(r, node, 2, "the names of two bodies, as in 'between: [ground, crank]'")) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        size_t mark = jn_path_item(r, i);
        fine = jn_read_body_name(r, node->items[i], &body[i]) && fine;
        jn_path_back(r, mark);
    }
    if (fine && body[0] == body[1]) {
        return jn_read_error(r, node->items[1]->where, JN_ERR_MODEL,
                             "'%s' is connected to itself\nname two different bodies", r->body_names.name[body[0]]);
    }
    return fine;
}

jn_vec3 jn_to_body(const jn_body_desc *body, jn_vec3 p_world) {
    return q4_rotate(q4_conj(body->orientation), v3_sub(p_world, body->at));
}
