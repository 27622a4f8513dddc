/* A stage: the prims of a .usda file together with those of the files that it refers to. */
#ifndef JN_DESCRIPTION_ROBOT_USD_USD_STAGE_H
#define JN_DESCRIPTION_ROBOT_USD_USD_STAGE_H

#include "description/robot/robot.h"
#include "description/robot/usd/usd_layer.h"

/* A file with its sublayers, the strongest first. */
typedef struct jn_usd_stack {
    const char *real; /* path of the file on the disk */
    const jn_usd_layer **layers;
    int count;
} jn_usd_stack;

/* Where paths of a source lead to: those below `from` to `to`, others by `outer`, or nowhere. */
typedef struct jn_usd_map {
    const char *from, *to;
    bool closed; /* others lead nowhere: another file */
    const struct jn_usd_map *outer;
} jn_usd_map;

/* One place where something is said about a prim. */
typedef struct jn_usd_source {
    const jn_usd_prim *prim;
    const jn_usd_stack *stack;
    const jn_usd_map *map; /* NULL: paths are those of the stage */
} jn_usd_source;

/* x -> A x + t, from a prim's own axes to the world [m]. */
typedef struct jn_usd_matrix {
    jn_mat3 A;
    jn_vec3 t;
} jn_usd_matrix;

/* A prim of the stage. */
typedef struct jn_usd_node {
    const char *name, *path, *type;
    jn_where where;
    struct jn_usd_node *parent;
    struct jn_usd_node **children; /* (child_count) */
    jn_usd_source *sources;        /* (source_count) the strongest first */
    int child_count, source_count;
    bool still;       /* instanceable: what is said about its children from outside has no effect */
    const char **api; /* (api_count) applied schemas */
    int api_count;
    jn_usd_matrix world;
    bool reset; /* its place does not count from that of its parent */
    bool is_body;
    bool is_collider;
    int body;      /* of the robot, that it belongs to; -1: the ground */
    int shape;     /* collider: first shape of the robot; -1: none */
    int shape_end; /* behind its last */
} jn_usd_node;

typedef struct jn_usd_stage {
    jn_robot *b;
    jn_usd_stack **stacks; /* files that are open */
    int stack_count, node_count, arc_count;
    jn_usd_node *root;
} jn_usd_stage;

/* ----------------------------------------------------------------------------------------------- usd_files.c */

/* The file with its sublayers. NULL: it cannot be had; *fatal: with an error, else with a finding. */
const jn_usd_stack *jn_usd_open(jn_usd_stage *s, const jn_usd_arc *arc, const char *from, bool *fatal);
/* A stack of a text that is already there, with the sublayers that it names. */
const jn_usd_stack *jn_usd_open_text(jn_usd_stage *s, const char *text, size_t length, const char *file);
/* The metadata of the first file of a stack; NULL: none. */
const jn_usd_field *jn_usd_metadata(const jn_usd_stack *stack, const char *name);

/* --------------------------------------------------------------------------------------------- usd_compose.c */

/* All prims of the stage, below s->root; false with a message if that fails. */
bool jn_usd_compose(jn_usd_stage *s, const jn_usd_stack *stack);
/* A path of a source as one of the stage; NULL: it leads nowhere. */
const char *jn_usd_map_path(jn_robot *b, const jn_usd_map *map, const char *path);
/* A prim of the stage by its path; a property behind a '.' is left out. NULL: none. */
jn_usd_node *jn_usd_find(const jn_usd_stage *s, const char *path);

/* ------------------------------------------------------------------------------------------------- usd_get.c */

/* The strongest opinion on an attribute; NULL: none, or it is blocked. Samples in time are reported. */
const jn_usd_property *jn_usd_attribute(jn_usd_stage *s, const jn_usd_node *n, const char *name);
/* count numbers of an attribute; without it nothing is written. False with a message if there are others. */
bool jn_usd_numbers(jn_usd_stage *s, const jn_usd_node *n, const char *name, int count, double *out);
bool jn_usd_vector(jn_usd_stage *s, const jn_usd_node *n, const char *name, jn_vec3 *out);
bool jn_usd_quaternion(jn_usd_stage *s, const jn_usd_node *n, const char *name, jn_quat *out);
bool jn_usd_flag(jn_usd_stage *s, const jn_usd_node *n, const char *name, bool *out);
/* The text of an attribute, or the one given. */
const char *jn_usd_token(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char *usual);
/* Targets of a relationship as paths of the stage; returns their number. */
int jn_usd_targets(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char ***targets);
/* Whether a schema is applied; instance NULL: any, else "SCHEMA:instance". */
bool jn_usd_has(const jn_usd_node *n, const char *schema, const char *instance);
/* The strongest metadata of a prim; NULL: none. */
const jn_usd_field *jn_usd_node_field(const jn_usd_node *n, const char *name);
bool jn_usd_is(const jn_usd_node *n, const char *type);
/* Texts of a list that is put together from all opinions, as apiSchemas is. */
int jn_usd_list(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char ***out);

/* ----------------------------------------------------------------------------------------------- usd_xform.c */

/* world of all prims below the root, whose own is given. */
bool jn_usd_place(jn_usd_stage *s);
jn_vec3 jn_usd_point(const jn_usd_matrix *m, jn_vec3 x);
/* The matrix as a rotation and factors along its axes: A = R diag(scale). False if it shears. mirror: the axis that is reversed where the
 * matrix is a mirror. */
bool jn_usd_split(const jn_usd_matrix *m, int mirror, jn_quat *q, jn_vec3 *scale, bool *mirrored);

#endif
