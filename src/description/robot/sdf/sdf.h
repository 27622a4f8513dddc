/* SDF (Gazebo) while it is read: the frames of models, links, joints, and frames of their own. */
#ifndef JN_DESCRIPTION_ROBOT_SDF_H
#define JN_DESCRIPTION_ROBOT_SDF_H

#include "description/robot/robot.h"

typedef enum jn_sdf_kind { JN_SDF_MODEL, JN_SDF_LINK, JN_SDF_JOINT, JN_SDF_FRAME } jn_sdf_kind;

typedef struct jn_sdf_frame {
    jn_sdf_kind kind;
    const char *name; /* within its model */
    const char *full; /* with the models around it, "outer::inner" */
    const jn_xml *e;
    int model;  /* the frame of the model whose names it knows; -1: the world */
    int home;   /* the frame that it calls __model__: that of the model, or where a model was merged */
    double version; /* of its file */
    bool fixed; /* in a static model */
    enum { JN_SDF_OPEN, JN_SDF_BUSY, JN_SDF_PLACED, JN_SDF_WRONG } state;
    jn_vec3 at; /* in the world */
    jn_quat q;
    int body; /* link: of the robot; -1: the ground; -2: not yet */
} jn_sdf_frame;

typedef struct jn_sdf {
    jn_robot *b;
    double version;
    jn_sdf_frame *frames;
    int frame_count;
    int includes; /* so far */
    bool lacks_models; /* some of them are not there */
} jn_sdf;

/* ------------------------------------------------------------------------------------------------ sdf_frames.c */

/* The text of a child, without spaces around it; NULL if there is none. */
const char *jn_sdf_text(jn_sdf *s, const jn_xml *e, const char *child);
/* count numbers of a child's text; without the child nothing is written. False with a message if there are others. */
bool jn_sdf_numbers(jn_sdf *s, const jn_xml *e, const char *child, int count, double *out);
bool jn_sdf_flag(jn_sdf *s, const jn_xml *e, const char *child);
/* <pose> of an element: x y z roll pitch yaw, in degrees if it says so; without one, none. */
bool jn_sdf_pose(jn_sdf *s, const jn_xml *e, jn_vec3 *at, jn_quat *q);
/* Models, links, joints and frames below an element, nested ones included; home: as in jn_sdf_frame. */
bool jn_sdf_collect(jn_sdf *s, const jn_xml *e, int model, int home, bool fixed, int depth);
/* A frame by its name as seen from another; -1: the world; -2: none. */
int jn_sdf_find(const jn_sdf *s, const char *name, const jn_sdf_frame *from);
int jn_sdf_find_in(const jn_sdf *s, const char *name, int model); /* the same within a model; -2: none */
/* Places a frame in the world; false with a message if frames refer to each other, or to none. */
bool jn_sdf_place(jn_sdf *s, int frame);

/* ----------------------------------------------------------------------------------------------- sdf_include.c */

/* The model that an <include> names, with its name and pose there; *out NULL: it is not there. False with a message: it is none. From here on
 * s->version is that of its file. */
bool jn_sdf_include(jn_sdf *s, const jn_xml *e, const jn_xml **out);
/* Whether it becomes part of the model that includes it. */
bool jn_sdf_merges(const jn_xml *include);

/* -------------------------------------------------------------------------------------------------- sdf_link.c */

/* Mass, centre of mass and inertia of a link; 1 kg and 1 kg m^2 where the file says nothing, as SDF has it. */
bool jn_sdf_inertial(jn_sdf *s, const jn_xml *link, jn_robot_body *body);
/* Collision shapes of a link; at, q: of its frame in its body. */
bool jn_sdf_collisions(jn_sdf *s, const jn_xml *link, int body, jn_vec3 at, jn_quat q);
/* <inertial auto='true'>: mass and inertia of the shapes from number `first` on, by their densities. */
bool jn_sdf_auto_inertial(jn_sdf *s, const jn_xml *link, int body, int first);

/* ----------------------------------------------------------------------------------------------- sdf_terrain.c */

/* A height field from a picture; *left_out: it is none. */
bool jn_sdf_heightmap(jn_sdf *s, const jn_xml *e, jn_robot_shape *shape, bool *left_out);

/* ---------------------------------------------------------------------------------------------- sdf_polyline.c */

/* All <polyline> of a geometry, drawn out from z = 0: a hull where they are convex, else a mesh. */
bool jn_sdf_polyline(jn_sdf *s, const jn_xml *geometry, jn_robot_shape *shape);

/* ----------------------------------------------------------------------------------------------- sdf_gearbox.c */

/* Joints of type gearbox: the angles of two hinges on a third link have a ratio. After all other joints. */
bool jn_sdf_gearboxes(jn_sdf *s);

/* ------------------------------------------------------------------------------------------------------- sdf.c */

bool jn_sdf_read(jn_robot *b, const jn_xml *root);
/* The axis of a joint in the world. */
bool jn_sdf_axis(jn_sdf *s, const jn_sdf_frame *f, const jn_xml *axis, jn_vec3 *out);
/* The link that a child of a joint names, or that holds the frame, joint or model of that name; -1: the world; -2 with a message: none. */
int jn_sdf_end(jn_sdf *s, const jn_sdf_frame *f, const char *which);

#endif
