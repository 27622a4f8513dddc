/* A recursive reader of JSON. */
#include "json_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json *parse_value(const char **p, int depth);

static void skip_space(const char **p) {
    while (**p == ' ' || **p == '\n' || **p == '\t' || **p == '\r') (*p)++;
}

static char *parse_string(const char **p) {
    const char *start = ++*p;
    while (**p && **p != '"') *p += **p == '\\' && (*p)[1] ? 2 : 1;
    if (**p != '"') return NULL;
    size_t length = (size_t)(*p - start), n = 0;
    char *text = malloc(length + 1);
    for (size_t i = 0; text && i < length; i++) text[n++] = start[i] == '\\' ? start[++i] : start[i];
    if (text) text[n] = 0;
    (*p)++;
    return text;
}

static bool parse_members(const char **p, json *node, char end, int depth) {
    json **tail = &node->first;
    (*p)++;
    skip_space(p);
    while (**p != end) {
        char *key = NULL;
        if (node->kind == JSON_MAP) {
            key = **p == '"' ? parse_string(p) : NULL;
            skip_space(p);
            if (!key || *(*p)++ != ':') {
                free(key);
                return false;
            }
        }
        json *member = parse_value(p, depth + 1);
        if (!member) {
            free(key);
            return false;
        }
        member->key = key;
        *tail = member, tail = &member->next;
        node->count++;
        skip_space(p);
        if (**p == ',')
            (*p)++;
        else if (**p != end)
            return false;
        skip_space(p);
    }
    (*p)++;
    return true;
}

static bool parse_word(const char **p, json *node) {
    static const struct {
        const char *word;
        json_kind kind;
        double number;
    } words[] = {{"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}, {"null", JSON_NULL, 0}};
    for (size_t i = 0; i < 3; i++)
        if (!strncmp(*p, words[i].word, strlen(words[i].word))) {
            node->kind = words[i].kind, node->number = words[i].number;
            *p += strlen(words[i].word);
            return true;
        }
    char *end;
    node->kind = JSON_NUMBER;
    node->number = strtod(*p, &end);
    if (end == *p) return false;
    *p = end;
    return true;
}

static json *parse_value(const char **p, int depth) {
    json *node = depth < 100 ? calloc(1, sizeof *node) : NULL;
    if (!node) return NULL;
    skip_space(p);
    bool ok;
    if (**p == '"') {
        node->kind = JSON_STRING;
        ok = (node->text = parse_string(p)) != NULL;
    } else if (**p == '[' || **p == '{') {
        node->kind = **p == '[' ? JSON_LIST : JSON_MAP;
        ok = parse_members(p, node, **p == '[' ? ']' : '}', depth);
    } else {
        ok = parse_word(p, node);
    }
    if (ok) return node;
    json_free(node);
    return NULL;
}

json *json_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
    json *node = NULL;
    if (text && fread(text, 1, (size_t)size, file) == (size_t)size) {
        const char *p = text;
        node = parse_value(&p, 0);
    }
    free(text);
    fclose(file);
    return node;
}

void json_free(json *node) {
    while (node) {
        json *next = node->next;
        json_free(node->first);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}

const json *json_get(const json *map, const char *key) {
    for (const json *m = map ? map->first : NULL; m; m = m->next)
        if (m->key && !strcmp(m->key, key)) return m;
    return NULL;
}

const json *json_at(const json *list, int index) {
    const json *m = list ? list->first : NULL;
    while (m && index-- > 0) m = m->next;
    return m;
}

double json_number(const json *node, double otherwise) {
    return node && (node->kind == JSON_NUMBER || node->kind == JSON_BOOL) ? node->number : otherwise;
}

const char *json_text(const json *node, const char *otherwise) { return node && node->text ? node->text : otherwise; }

int json_numbers(const json *node, double *out, int capacity) {
    if (!node) return 0;
    if (node->kind == JSON_NUMBER) {
        if (capacity > 0) *out = node->number;
        return 1;
    }
    int n = 0;
    for (const json *m = node->first; m; m = m->next) {
        int room = capacity > n ? capacity - n : 0;
        n += json_numbers(m, room ? out + n : NULL, room);
    }
    return n;
}
