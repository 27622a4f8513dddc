/* The tree of a YAML or JSON file; every key and value knows its place. */
#ifndef JN_DESCRIPTION_YAML_NODE_H
#define JN_DESCRIPTION_YAML_NODE_H

#include "base/store.h"

#include <jounce/base.h>

typedef enum jn_node_kind { JN_NODE_EMPTY, JN_NODE_SCALAR, JN_NODE_LIST, JN_NODE_MAP } jn_node_kind;

typedef struct jn_node jn_node;

typedef struct jn_entry {
    const char *key;
    jn_where where; /* of the key */
    jn_node *value;
} jn_entry;

/* A value that several aliases name is one node with several parents: nothing writes to a node once it is read. */
struct jn_node {
    jn_node_kind kind;
    bool one_line; /* the scalar's text stands in the file as it is, `inset` columns after where */
    bool plain;    /* not quoted */
    int inset;
    jn_where where;
    const char *text; /* JN_NODE_SCALAR */
    const char *tag;  /* "!name" before it; NULL: none, as in every model */
    int count;
    jn_node **items;   /* JN_NODE_LIST (count) */
    jn_entry *entries; /* JN_NODE_MAP (count) */
    int height;        /* levels below */
    double weight;     /* nodes in it, aliases counted each time */
};

/* Limits that no sensible model reaches. */
enum { JN_NODE_DEEPEST = 100, JN_NODE_MOST = 5000000, JN_FILE_LARGEST = 64 * 1024 * 1024 };

/* Reads one document. NULL on error, with the message in the report and the status in *status. */
jn_node *jn_yaml_read(const char *text, size_t length, const char *file, jn_store *store, jn_report *report,
                      int *status);

/* The same for data of other programs: keys may stand twice in a map, and all their entries are there, in the order of the file; scalars may have tags. */
jn_node *jn_yaml_read_foreign(const char *text, size_t length, const char *file, jn_store *store, jn_report *report,
                              int *status);

const jn_entry *jn_node_entry(const jn_node *map, const char *key); /* NULL if there is none, or no map */
const jn_node *jn_node_get(const jn_node *map, const char *key);
const char *jn_node_kind_text(const jn_node *node); /* "a list" */

#endif
