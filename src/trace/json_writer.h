/* A small JSON writer into memory. Numbers that JSON cannot hold become null. */
#ifndef JN_TRACE_JSON_WRITER_H
#define JN_TRACE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>

enum { JN_JSON_DEEPEST = 32 };

/* Start with {0}. After an allocation that failed nothing more is written and failed is set. */
typedef struct jn_json {
    char *text; /* jn_free when done; NULL if failed */
    size_t length, capacity;
    int depth, flat; /* flat: depth from which everything stands on one line, 0: none */
    bool first, failed;
    char closer[JN_JSON_DEEPEST];
} jn_json;

/* key is NULL inside arrays. object and array stand on many lines, row and pair on one. */
void jn_json_object(jn_json *json, const char *key);
void jn_json_array(jn_json *json, const char *key);
void jn_json_row(jn_json *json, const char *key);  /* an array on one line */
void jn_json_pair(jn_json *json, const char *key); /* an object on one line */
void jn_json_end(jn_json *json);
void jn_json_number(jn_json *json, const char *key, double value);
void jn_json_integer(jn_json *json, const char *key, long value);
void jn_json_bool(jn_json *json, const char *key, bool value);
void jn_json_text(jn_json *json, const char *key, const char *value); /* NULL: null */
/* A text taken as it is, for values that are JSON already. */
void jn_json_raw(jn_json *json, const char *key, const char *value);
void jn_json_numbers(jn_json *json, const char *key, const double *values, size_t count);
/* Row major, one row on a line. */
void jn_json_matrix(jn_json *json, const char *key, const double *values, size_t rows, size_t columns);

/* Bytes of the well-formed UTF-8 character at p, 0 if it is none; reads no further than a zero. [RFC 3629] */
size_t jn_utf8_length(const unsigned char *p);
/* Whether a text that ends with a zero at `length` is one JSON value in UTF-8, nested at most 256 deep. [RFC 8259] O(length). */
bool jn_json_valid(const char *text, size_t length);

#endif
