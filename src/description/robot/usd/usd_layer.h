/* One file of USD in text form (.usda): prims, properties and metadata as they are written, each with its line and column. */
#ifndef JN_DESCRIPTION_ROBOT_USD_USD_LAYER_H
#define JN_DESCRIPTION_ROBOT_USD_USD_LAYER_H

#include "description/read/reader.h"

typedef enum jn_usd_kind {
    JN_USD_NONE,    /* the value is blocked: None */
    JN_USD_NUMBERS, /* numbers, truth values, tuples and matrices */
    JN_USD_TEXTS,   /* strings, tokens */
    JN_USD_ASSETS,
    JN_USD_PATHS,
    JN_USD_ARCS, /* references, payloads, sublayers */
    JN_USD_DICTIONARY
} jn_usd_kind;

/* A prim of another file or of the same one. */
typedef struct jn_usd_arc {
    const char *asset; /* NULL: the same file */
    const char *path;  /* NULL: the default prim */
    jn_where where;
} jn_usd_arc;

typedef struct jn_usd_value {
    jn_usd_kind kind;
    jn_where where;
    bool list;                   /* written with brackets */
    int count;                   /* elements; 1 unless it is a list */
    int width;                   /* numbers per element */
    double *numbers;             /* (count x width) */
    const char **texts;          /* (count) texts, assets, paths */
    jn_usd_arc *arcs;            /* (count) */
    struct jn_usd_field *fields; /* (count) dictionary */
} jn_usd_value;

/* How a list is put on those of weaker opinions. */
typedef enum jn_usd_op { JN_USD_SET, JN_USD_PREPEND, JN_USD_APPEND, JN_USD_DELETE, JN_USD_REORDER } jn_usd_op;

/* Metadata, or an entry of a dictionary. */
typedef struct jn_usd_field {
    const char *name;
    jn_usd_op op;
    jn_where where;
    jn_usd_value value;
} jn_usd_field;

typedef struct jn_usd_property {
    const char *name;
    jn_where where;
    jn_usd_op op;
    bool relation; /* rel, or .connect of an attribute */
    bool connection;
    bool has_value;
    bool has_samples; /* .timeSamples or .spline, whose values are not kept */
    jn_usd_value value;
} jn_usd_property;

typedef enum jn_usd_specifier { JN_USD_OVER, JN_USD_DEF, JN_USD_CLASS } jn_usd_specifier;

typedef struct jn_usd_prim jn_usd_prim;

typedef struct jn_usd_variants {
    const char *name;
    jn_usd_prim **prims; /* (count) called as the variants are */
    int count;
} jn_usd_variants;

struct jn_usd_prim {
    jn_usd_specifier specifier;
    const char *type; /* "": none */
    const char *name;
    jn_where where;
    int field_count, property_count, child_count, set_count;
    jn_usd_field *fields;
    jn_usd_property *properties;
    jn_usd_prim **children;
    jn_usd_variants *sets;
};

/* A file; its root holds the metadata of the file and the prims at the top. */
typedef struct jn_usd_layer {
    const char *file;
    jn_usd_prim root;
} jn_usd_layer;

/* Reads a file's text into scratch memory; NULL with a message that has line and column. */
jn_usd_layer *jn_usd_parse(jn_reader *r, const char *text, size_t length, const char *file);
/* Whether a text is USD of any form: "#usda", a binary crate, or (by the name) a package. */
bool jn_usd_is_usd(const char *text, size_t length, const char *file);

const jn_usd_field *jn_usd_field_of(const jn_usd_prim *prim, const char *name);            /* the first, NULL: none */
const jn_usd_prim *jn_usd_child(const jn_usd_prim *prim, const char *name, size_t length); /* NULL: none */

#endif
