/* From nodes to a description: the reader's state, tables of keys, and the readers of single values. */
#ifndef JN_DESCRIPTION_READ_READER_H
#define JN_DESCRIPTION_READ_READER_H

#include "base/expression.h"
#include "description/yaml/name_index.h"
#include "description/yaml/node.h"

#include <jounce/description.h>

typedef struct jn_parameter {
    const jn_node *node;
    enum { JN_PARAMETER_NEW, JN_PARAMETER_OPEN, JN_PARAMETER_DONE, JN_PARAMETER_FAILED } state;
    bool is_text, is_list;
    const char *text;
    double value;
    jn_type type;
    bool varied;    /* its value, or one that it depends on, differs between descriptions of a document */
    bool is_number; /* and is a number in all of them: programs may read it */
} jn_parameter;

/* One value given from outside: a name that jn_document_find made, and a scalar or list. */
typedef struct jn_given {
    const char *name;
    jn_node *value;
    bool is_number; /* its text is `number` as it is, without a unit; where a document learns: it always will be a number */
    double number;
} jn_given;

typedef struct jn_memo jn_memo; /* memo.h */
typedef struct jn_mesh_memo jn_mesh_memo; /* mesh_memo.h */

/* Variables that a function may read. */
enum { JN_MAY_T = 1, JN_MAY_XV = 2, JN_MAY_SIGNAL = 4, JN_MAY_UV = 8, JN_MAY_CHANNEL = 16 };

typedef enum jn_base { JN_BASE_AUTO, JN_BASE_FREE, JN_BASE_FIXED } jn_base;

/* How a robot's file is taken over. */
typedef struct jn_import_options {
    bool lenient;        /* what changes the physics is a warning, not an error */
    bool repair;         /* inertias that no body can have are mended */
    bool without_world;  /* leave out what the file fixes on the world itself */
    jn_base base;        /* of URDF: free unless its root is called world; of MJCF: as in the file */
    bool floor;          /* a plane below the robot, unless its file has one */
    double floor_height; /* [m] NaN: a little below its lowest point */
    jn_vec3 at;          /* [m] where its origin stands */
    jn_quat orientation;
    const char *packages; /* folders with ROS packages, separated by ':'; NULL: none */
    const char *xacro;    /* arguments of a template, NAME:=VALUE with spaces between them; NULL: none */
    const char *keyframe; /* MJCF: state at the start; NULL: as drawn */
    double simplify;      /* part of their size within which hulls lose corners */
    double density;       /* [kg/m^3] URDF: of collision shapes of links without <inertial>; 0: they weigh nothing */
} jn_import_options;

typedef struct jn_reader {
    jn_description *d;
    jn_store *store;   /* of the description */
    jn_store *scratch; /* of the nodes; freed after reading */
    jn_report *report;
    int status; /* of the first error, JN_OK if none */
    jn_node *root;
    jn_import_options import; /* for robots' files */
    jn_mesh_memo *meshes;     /* that have been read, the last one first; NULL: none */
    bool first_object;        /* of OBJ files the faces of the first object alone count */
    char path[128];           /* place in the model, for messages */
    size_t path_length;
    jn_names parameter_names, table_names, function_names, body_names, joint_names;
    jn_expression *functions; /* (function_names) */
    jn_parameter *parameters;
    int *joint_types;          /* jn_joint_type, or -1 if wrong */
    unsigned may;              /* variables that the expression at hand may read */
    const jn_node *expression; /* its text */
    int pending;               /* parameter that an expression waited for */
    char note[200];            /* text of a message about a name, until it is given */
    double *value;             /* (parameter_names) of parameters; NAN: no number, or not yet computed */
    const jn_given *given;     /* (given_count) from outside */
    int given_count;
    const jn_memo *memo; /* numbers that need not be read; NULL: none */
    jn_memo *learn;      /* where to keep them; NULL: nowhere */
    bool varies;         /* the expression at hand reads something that may differ between descriptions */
    bool programs;       /* varied parameters are variables of the expression at hand, */
    bool unfit;          /* which reads something that is neither a number nor one of them */
} jn_reader;

/* ------------------------------------------------------------------------------------------------- messages */

/* Notes an error at a place; the hint follows a '\n'. Always false. */
bool jn_read_error(jn_reader *r, jn_where where, int status, const char *format, ...) JN_PRINTF(4, 5);
bool jn_read_no_memory(jn_reader *r);
/* Steps into a key or a list item; returns the mark to go back to. */
size_t jn_path_key(jn_reader *r, const char *key);
size_t jn_path_item(jn_reader *r, int index);
void jn_path_back(jn_reader *r, size_t mark);

/* ------------------------------------------------------------------------------------------- robots' files */

jn_import_options jn_import_default(void);
/* Settings import.lenient, import.base, ... into r->import; the others are passed over. */
bool jn_import_set(jn_reader *r, const jn_setting *settings, int count);
bool jn_import_is_setting(const char *name);

/* ------------------------------------------------------------------------------------------- tables of keys */

typedef enum jn_field_kind {
    JN_FIELD_NUMBER,   /* double */
    JN_FIELD_VECTOR,   /* jn_vec3; 2 numbers in a planar model */
    JN_FIELD_KEYWORD,  /* int, one of keywords */
    JN_FIELD_TEXT,     /* const char * */
    JN_FIELD_BOOL,     /* bool */
    JN_FIELD_FUNCTION, /* jn_function of the variables in `may` */
    JN_FIELD_CUSTOM,   /* read() does it */
    JN_FIELD_MAP,      /* CUSTOM; a map with the keys of `sets` */
    JN_FIELD_LIST,     /* CUSTOM; a list of such maps */
    JN_FIELD_NAMED     /* CUSTOM; a map from names to such maps */
} jn_field_kind;

typedef enum jn_range { JN_RANGE_ANY, JN_RANGE_POSITIVE, JN_RANGE_NOT_NEGATIVE } jn_range;

typedef struct jn_keyword {
    const char *name;
    int value;
} jn_keyword;

/* JSON Schema of values that several keys have. */
#define JN_SCHEMA_NAME "{\"type\": \"string\"}"
#define JN_SCHEMA_NUMBER "{\"$ref\": \"#/$defs/number\"}"
#define JN_SCHEMA_NUMBERS "{\"type\": \"array\", \"items\": " JN_SCHEMA_NUMBER "}"
#define JN_SCHEMA_ORIENTATION "{\"$ref\": \"#/$defs/orientation\"}"
#define JN_SCHEMA_DIRECTION "{\"$ref\": \"#/$defs/direction\"}"

struct jn_fieldset;

/* A key of an earlier version: what the message says in place of "unknown key", a hint after a new line. */
typedef struct jn_removed_key {
    const char *key, *text;
} jn_removed_key;

/* One key: the reader, the JSON Schema and the key reference are made of these rows. */
typedef struct jn_field {
    const char *key;
    const char *former; /* a name that is read, too; NULL: none */
    jn_field_kind kind;
    jn_measure measure;
    size_t offset;
    size_t has;   /* offset of the bool to set, 0: none */
    size_t where; /* offset of a jn_where for its place, 0: none */
    jn_range range;
    bool required;
    unsigned may;
    const jn_keyword *keywords;
    bool (*read)(jn_reader *r, const jn_node *node, void *item);
    const struct jn_fieldset *const *sets; /* NULL-terminated */
    const char *schema;                    /* CUSTOM: JSON Schema of the value */
    const char *fallback;                  /* default, in words */
    const char *doc, *example;
    int (*put)(void *item, const char *key,
               double value); /* NUMBER: takes the value in place of offset; < 0: no room */
    bool (*more)(int index,
                 struct jn_field *field); /* of the last row: rows that the tables of laws add; false: no more */
    const jn_removed_key *removed;        /* of the last row: ends with key NULL; NULL: none */
} jn_field;

typedef struct jn_fieldset {
    const char *name; /* "bodies.NAME" */
    const char *doc;
    const jn_field *fields; /* ends with key NULL */
} jn_fieldset;

/* The rows of a set one after another: for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);) ... c.field */
typedef struct jn_field_cursor {
    const jn_fieldset *set;
    int index;
    jn_field field;
} jn_field_cursor;
static inline jn_field_cursor jn_fields(const jn_fieldset *set) { return (jn_field_cursor){.set = set}; }
bool jn_field_next(jn_field_cursor *cursor);
/* The row of a key, one from a law's table included; false: there is none. */
bool jn_field_lookup(const jn_fieldset *set, const char *key, jn_field *field);

/* The top-level keys. */
extern const jn_fieldset jn_model_fields;

/* Reads every key of the map into the item. False if anything was wrong; all keys are tried. */
bool jn_read_fields(jn_reader *r, const jn_node *map, const jn_fieldset *set, void *item);
const jn_field *jn_field_find(const jn_fieldset *set, const char *key);

/* --------------------------------------------------------------------------------------------- single values */

/* Place of a byte of the scalar's text. */
jn_where jn_node_inside(const jn_node *node, size_t offset);
bool jn_read_expression(jn_reader *r, const jn_node *node, jn_measure measure, unsigned may, jn_expression *out);
bool jn_read_number(jn_reader *r, const jn_node *node, jn_measure measure, double *out);
bool jn_read_function(jn_reader *r, const jn_node *node, jn_measure measure, unsigned may, jn_function *out);
/* A list of exactly count numbers. */
bool jn_read_numbers(jn_reader *r, const jn_node *node, jn_measure measure, int count, double *out);
bool jn_read_vector(jn_reader *r, const jn_node *node, jn_measure measure, jn_vec3 *out);
/* A direction: x, y, z, -x, ... or a vector that is not zero; unit length. */
bool jn_read_direction(jn_reader *r, const jn_node *node, jn_vec3 *out);
bool jn_read_orientation(jn_reader *r, const jn_node *node, jn_quat *out);
/* The list that a parameter of this name is, or the node itself. */
const jn_node *jn_read_list(const jn_reader *r, const jn_node *node);
/* The scalar's word, with a text parameter replaced by its word; NULL if it is no scalar (no message). */
const char *jn_read_plain_word(jn_reader *r, const jn_node *node);
bool jn_read_keyword(jn_reader *r, const jn_node *node, const jn_keyword *keywords, int *out);
bool jn_read_bool(jn_reader *r, const jn_node *node, bool *out);
/* The text itself, kept in the description. */
bool jn_read_text(jn_reader *r, const jn_node *node, const char **out);
bool jn_expect_kind(jn_reader *r, const jn_node *node, jn_node_kind kind, const char *what);
/* A list of count items. */
bool jn_expect_list(jn_reader *r, const jn_node *node, int count, const char *what);
/* Moment or tensor of inertia. Whether a body can have it is another question: jn_check_inertia. */
bool jn_read_inertia(jn_reader *r, const jn_node *node, jn_sym3 *out);
bool jn_check_inertia(jn_reader *r, const jn_node *node, jn_sym3 tensor);
bool jn_read_body_name(jn_reader *r, const jn_node *node, int *out);
/* "NAME" or "NAME.2": one scalar coordinate. */
bool jn_read_coordinate_name(jn_reader *r, const jn_node *node, int *joint, int *coordinate);
bool jn_read_tendon_name(jn_reader *r, const jn_node *node, int *out);
bool jn_read_point_name(jn_reader *r, const jn_node *node, int *out);
bool jn_read_joint_name(jn_reader *r, const jn_node *node, int *out);
/* between: [a, b], two different bodies */
bool jn_read_between(jn_reader *r, const jn_node *node, int body[2]);
/* Letters, digits, _ and - (with dash), not starting with a digit. */
bool jn_check_name(jn_reader *r, const jn_entry *entry, bool dash, const char *what);
/* World coordinates, as drawn, to the body's own frame. */
jn_vec3 jn_to_body(const jn_body_desc *body, jn_vec3 p_world);

/* --------------------------------------------------------------------------------------------------- sections */

/* All sections of r->root into the description, in the order in which they need each other. */
bool jn_read_sections(jn_reader *r);
bool jn_read_parameters(jn_reader *r);
void jn_scope_of(jn_reader *r, unsigned may, jn_scope *scope);
bool jn_read_tables(jn_reader *r);
bool jn_read_functions(jn_reader *r); /* after parameters and tables */
bool jn_read_bodies(jn_reader *r, const jn_node *node, void *item);
bool jn_read_points(jn_reader *r, const jn_node *node, void *item);
bool jn_read_joints(jn_reader *r, const jn_node *node, void *item);
bool jn_read_couplers(jn_reader *r, const jn_node *node, void *item);
bool jn_read_path(jn_reader *r, const jn_node *node, void *tendon);
bool jn_read_tendons(jn_reader *r, const jn_node *node, void *item);
bool jn_read_actuators(jn_reader *r, const jn_node *node, void *item);
bool jn_read_sensors(jn_reader *r, const jn_node *node, void *item);
bool jn_read_forces(jn_reader *r, const jn_node *node, void *item);
bool jn_read_contacts(jn_reader *r, const jn_node *node, void *item);
bool jn_read_run(jn_reader *r, const jn_node *node, void *item);
bool jn_read_record(jn_reader *r, const jn_node *node, void *item);
bool jn_read_expects(jn_reader *r, const jn_node *node, void *item);
/* Names and types of all joints, before any of them is read. */
bool jn_register_joints(jn_reader *r);

extern const jn_fieldset jn_body_fields, jn_point_fields, jn_joint_fields, jn_coupler_fields, jn_tendon_fields, jn_path_fields,
    jn_actuator_fields, jn_muscle_fields, jn_dc_motor_fields, jn_sensor_fields,
    jn_spring_fields, jn_bushing_fields, jn_contact_fields, jn_force_fields, jn_torque_fields, jn_drag_fields,
    jn_run_fields, jn_record_fields, jn_expect_fields, jn_table_fields, jn_robot_fields;
extern const jn_keyword jn_method_keywords[]; /* smooth, compliant, nonsmooth, impact */
extern const jn_keyword jn_scheme_keywords[]; /* of the nonsmooth method */

#endif
