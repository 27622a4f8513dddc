/* A small reader of JSON for tests: the whole file becomes a tree. */
#ifndef JN_TESTS_JSON_H
#define JN_TESTS_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_MAP } json_kind;

typedef struct json {
    json_kind kind;
    double number;             /* JSON_NUMBER; JSON_BOOL: 0 or 1 */
    char *text;                /* JSON_STRING */
    char *key;                 /* name of this member in its map */
    struct json *first, *next; /* JSON_LIST, JSON_MAP: members in order */
    int count;
} json;

/* NULL if the file cannot be read or is not JSON. */
json *json_read(const char *path);
void json_free(json *node);
const json *json_get(const json *map, const char *key); /* NULL if missing; map may be NULL */
const json *json_at(const json *list, int index);
double json_number(const json *node, double otherwise);
const char *json_text(const json *node, const char *otherwise);
/* All numbers below a node in order, into out (capacity); returns how many there are. */
int json_numbers(const json *node, double *out, int capacity);

#endif
