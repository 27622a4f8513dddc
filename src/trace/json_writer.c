/* JSON into memory, indented by two. */
#include "trace/json_writer.h"
#include "base/memory.h"
#include "trace/print_number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(jn_json *j, const char *text, size_t length) {
    if (j->failed) return;
    if (j->length + length + 1 > j->capacity) {
        size_t capacity = (j->length + length + 1) * 2 + 256;
        char *wide = jn_realloc(j->text, capacity);
        if (!wide) {
            jn_free(j->text);
            j->text = NULL;
            j->failed = true;
            return;
        }
        j->text = wide;
        j->capacity = capacity;
    }
    memcpy(j->text + j->length, text, length);
    j->length += length;
    j->text[j->length] = 0;
}

static void put_text(jn_json *j, const char *text) { put(j, text, strlen(text)); }

size_t jn_utf8_length(const unsigned char *p) {
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
               : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
               : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F)) return 0;
    if ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)) return 0;
    return n;
}

static void put_quoted(jn_json *j, const char *text) {
    put_text(j, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        char escape[8] = {'\\', 0};
        size_t n = jn_utf8_length(p);
        if (*p == '"' || *p == '\\')
            escape[1] = (char)*p;
        else if (*p == '\n')
            escape[1] = 'n';
        else if (*p == '\t')
            escape[1] = 't';
        else if (*p < 0x20 || *p == 0x7f)
            snprintf(escape, sizeof escape, "\\u%04x", *p);
        else if (n == 0)
            snprintf(escape, sizeof escape, "\\ufffd");
        if (escape[1]) {
            put_text(j, escape);
            p++;
        } else {
            put(j, (const char *)p, n);
            p += n;
        }
    }
    put_text(j, "\"");
}

static void new_line(jn_json *j) {
    put_text(j, "\n");
    for (int i = 0; i < j->depth; i++) put_text(j, "  ");
}

/* Comma, line and key before a value. */
static void lead(jn_json *j, const char *key) {
    bool flat = j->flat && j->depth >= j->flat;
    if (j->depth) {
        if (!j->first) put_text(j, flat ? ", " : ",");
        if (!flat) new_line(j);
    }
    j->first = false;
    if (!key) return;
    put_quoted(j, key);
    put_text(j, ": ");
}

static void begin(jn_json *j, const char *key, char opener, char closer, bool flat) {
    lead(j, key);
    put(j, &opener, 1);
    j->closer[j->depth++ % JN_JSON_DEEPEST] = closer;
    if (flat && !j->flat) j->flat = j->depth;
    j->first = true;
}

void jn_json_object(jn_json *j, const char *key) { begin(j, key, '{', '}', false); }
void jn_json_array(jn_json *j, const char *key) { begin(j, key, '[', ']', false); }
void jn_json_row(jn_json *j, const char *key) { begin(j, key, '[', ']', true); }
void jn_json_pair(jn_json *j, const char *key) { begin(j, key, '{', '}', true); }

void jn_json_end(jn_json *j) {
    bool flat = j->flat && j->depth >= j->flat;
    char closer = j->closer[--j->depth % JN_JSON_DEEPEST];
    if (j->depth < j->flat) j->flat = 0;
    if (!flat && !j->first) new_line(j);
    put(j, &closer, 1);
    j->first = false;
    if (j->depth == 0) put_text(j, "\n");
}

void jn_json_number(jn_json *j, const char *key, double value) {
    char buffer[JN_NUMBER_SIZE] = "null";
    if (isfinite(value)) jn_number_write(value, buffer);
    jn_json_raw(j, key, buffer);
}

void jn_json_integer(jn_json *j, const char *key, long value) {
    char buffer[JN_NUMBER_SIZE];
    jn_whole_write(value, buffer);
    jn_json_raw(j, key, buffer);
}

void jn_json_bool(jn_json *j, const char *key, bool value) { jn_json_raw(j, key, value ? "true" : "false"); }

void jn_json_text(jn_json *j, const char *key, const char *value) {
    if (!value) {
        jn_json_raw(j, key, "null");
        return;
    }
    lead(j, key);
    put_quoted(j, value);
}

void jn_json_raw(jn_json *j, const char *key, const char *value) {
    lead(j, key);
    put_text(j, value);
}

void jn_json_numbers(jn_json *j, const char *key, const double *values, size_t count) {
    jn_json_row(j, key);
    for (size_t i = 0; i < count; i++) jn_json_number(j, NULL, values[i]);
    jn_json_end(j);
}

void jn_json_matrix(jn_json *j, const char *key, const double *values, size_t rows, size_t columns) {
    jn_json_array(j, key);
    for (size_t i = 0; i < rows; i++) jn_json_numbers(j, NULL, values + i * columns, columns);
    jn_json_end(j);
}
