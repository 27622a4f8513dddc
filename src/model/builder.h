/* What the steps of compilation share. */
#ifndef JN_MODEL_BUILDER_H
#define JN_MODEL_BUILDER_H

#include "base/store.h"
#include "model/model_layout.h"

typedef struct jn_builder {
    const jn_description *d;
    jn_model *m;
    struct jn_store *store; /* memory of the model */
    struct jn_store *temp;  /* memory of this compilation only */
    jn_report *report;
    jn_pose *drawn;     /* (bodies) user's frames as drawn */
    jn_vec3 *origin;    /* (bodies) origin of the link's frame, in the user's body frame */
    jn_side (*side)[2]; /* (joints) point and axes on both bodies, in the user's body frames; link = body index */
    int *link_of;       /* (bodies) */
    bool failed;        /* out of memory */
    bool passed_stop;   /* a rigid stop that is passed by has been reported */
} jn_builder;

void *jn_builder_array(jn_builder *b, int count, size_t size); /* zeroed, lives with the model; never NULL size */
void *jn_builder_temp(jn_builder *b, int count, size_t size);
const char *jn_builder_text(jn_builder *b, const char *text);
jn_function jn_builder_function(jn_builder *b, jn_function f);

int jn_build_joint_sides(jn_builder *b); /* joint frames in user's body frames; checks axes */
int jn_build_tree(jn_builder *b);        /* links, coordinates, dof structure, drawn coordinates */
jn_ellipsoid *jn_build_ellipsoid(jn_builder *b, const jn_force_desc *f); /* NULL: out of memory */
int jn_build_constraints(jn_builder *b); /* closures, handles, drivers, couplers, rows and their columns */
int jn_build_elements(jn_builder *b);    /* springs, bushings, applied forces, actuators, points, signals */
int jn_build_solids(jn_builder *b);      /* shapes */
int jn_build_materials(jn_builder *b);   /* the rows of shapes, and of two materials that meet: part of the contacts */
int jn_count_mixes(const jn_description *d); /* pairs of materials, at most */
int jn_build_contacts(jn_builder *b);        /* contact rows; room for active contacts */
int jn_build_kkt_pattern(jn_builder *b);     /* ordering and symbolic factorisation for large systems */

/* Shapes with an adhesion: one more actuator pulls at their contact points. b->d is `sticky` then. */
int jn_build_adhesion(jn_builder *b, jn_description *sticky);
bool jn_actuator_reaches(const jn_actuator_desc *actuator);    /* along a length of its own */
void jn_build_actuator_reaches(jn_builder *b, int handle);     /* these lengths, from the first handle on */
int jn_build_actuators(jn_builder *b);
int jn_build_tendons(jn_builder *b);         /* part of the constraints: their handles, and lengths between places */
bool jn_joint_has_scalar(const jn_model *m, const jn_joint *j, int coordinate); /* a coordinate that can be added */
double jn_builder_drawn_length(const jn_builder *b, int reach);                 /* [m] */

/* A point and axes given in the user's frame of a body, moved to the link's frame. */
jn_side jn_builder_link_side(const jn_builder *b, int body, jn_vec3 p_user, const jn_mat3 *E_user);

#endif
