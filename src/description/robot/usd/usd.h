/* The physics of a USD stage while it is read: bodies, colliders, materials and joints, as UsdPhysics describes them. */
#ifndef JN_DESCRIPTION_ROBOT_USD_USD_H
#define JN_DESCRIPTION_ROBOT_USD_USD_H

#include "description/read/inertia.h"
#include "description/robot/robot.h"
#include "description/robot/usd/usd_stage.h"

/* A collider: what gives mass to its body. */
typedef struct jn_usd_collider {
    jn_usd_node *node;
    int body;
    jn_lump unit; /* at density 1, in the body's frame; no mass: it has no volume */
} jn_usd_collider;

enum { JN_USD_AXES = 6 }; /* along x, y, z, about x, y, z */

/* A joint as the stage has it. */
typedef struct jn_usd_joint {
    jn_usd_node *node;
    int body[2];          /* of the robot; -1: the ground */
    jn_robot_pose frame[2]; /* in the world at first, then in the bodies */
    bool free[JN_USD_AXES];
    bool has_lower[JN_USD_AXES], has_upper[JN_USD_AXES];
    double lower[JN_USD_AXES], upper[JN_USD_AXES]; /* [m], [rad] from where the frames coincide */
    double drawn[JN_USD_AXES];                     /* coordinates as drawn */
    double distance[2];                            /* [m] least and largest; negative: none */
    double cone;                                   /* [rad] of a spherical joint; 0: it has none */
    int cone_axis;
    double armature;                               /* of schemas of other programs, in units of the stage */
    bool is_distance;
    bool excluded; /* from the tree */
    bool used;     /* in the tree, or as a loop */
} jn_usd_joint;

/* A coordinate of the robot that drives of a joint's axis act on. */
typedef struct jn_usd_driven {
    const jn_usd_joint *joint;
    int axis, made; /* made: index of the robot's joint */
} jn_usd_driven;

typedef struct jn_usd {
    jn_usd_stage stage;
    jn_robot *b;
    double meter, kilogram; /* per unit of the stage */
    jn_usd_node **bodies;   /* (body_count) prims of the robot's bodies */
    int body_count;
    jn_usd_collider *colliders;
    int collider_count;
    jn_usd_joint *joints;
    int joint_count;
    jn_usd_node **materials; /* (material_count) prims of the robot's materials; NULL: the usual one */
    int material_count;
    bool *kinematic; /* (body_count) */
    bool has_scene;
    jn_usd_driven *driven; /* (driven_count) */
    int driven_count;
} jn_usd;

/* ----------------------------------------------------------------------------------------------------- usd.c */

/* Calls for every prim, the parent first; stops with false. */
bool jn_usd_walk(jn_usd *u, jn_usd_node *from, bool (*visit)(jn_usd *u, jn_usd_node *n));
/* The pose of a body as drawn. */
jn_robot_pose jn_usd_body_pose(const jn_usd *u, int body);

/* ----------------------------------------------------------------------------------------------- usd_names.c */

/* Warns of properties of physics that UsdPhysics does not have. */
bool jn_usd_check_names(jn_usd *u, jn_usd_node *n);

/* ----------------------------------------------------------------------------------------------- usd_shape.c */

/* The shapes of a collider, and its mass at density 1. */
bool jn_usd_add_collider(jn_usd *u, jn_usd_node *n);
/* The pose of a prim, and the factors along its axes; false with a finding if its axes are no rotation. */
bool jn_usd_node_pose(jn_usd *u, const jn_usd_node *n, int mirror, jn_robot_pose *pose, jn_vec3 *scale);

/* ------------------------------------------------------------------------------------------------ usd_mesh.c */

/* A mesh as hull, triangles, ball or box, in the body's frame. */
bool jn_usd_read_mesh(jn_usd *u, jn_usd_node *n, jn_robot_shape *shape, jn_lump *unit);

/* -------------------------------------------------------------------------------------------- usd_material.c */

/* The material that is bound to a prim for physics; NULL: none. */
jn_usd_node *jn_usd_bound_material(jn_usd *u, const jn_usd_node *n);
/* Its index in the robot, which it is added to; -1 with a message: no memory. */
int jn_usd_material(jn_usd *u, const jn_usd_node *n);

/* ------------------------------------------------------------------------------------------------ usd_mass.c */

/* Mass, centre and inertia of all bodies. */
bool jn_usd_masses(jn_usd *u);

/* ----------------------------------------------------------------------------------------------- usd_joint.c */

/* All joints of the stage; bodies: the prims that they name are marked first. */
bool jn_usd_mark_jointed(jn_usd *u);
bool jn_usd_read_joints(jn_usd *u);
/* How far the axes of a joint have moved as drawn, from one frame to the other. */
jn_robot_pose jn_usd_joint_motion(const jn_usd_joint *j);

/* ------------------------------------------------------------------------------------------------ usd_tree.c */

/* Hangs the bodies on their joints; what is left closes loops. */
bool jn_usd_build_tree(jn_usd *u);

/* ----------------------------------------------------------------------------------------------- usd_chain.c */

/* Adds a joint of the stage to the robot: in the tree from `parent` to `child`, or as a loop. */
bool jn_usd_add_tree_joint(jn_usd *u, jn_usd_joint *j, int parent, int child);
bool jn_usd_add_loop_joint(jn_usd *u, jn_usd_joint *j);
/* Joints with one axis each between the same bodies, none like another, as converters write MuJoCo's bodies with several joints; how many,
 * at most JN_USD_AXES. */
int jn_usd_list_series(jn_usd *u, jn_usd_joint *j, jn_usd_joint **series);
/* Adds them one behind the other. */
bool jn_usd_add_series(jn_usd *u, jn_usd_joint **series, int count, int parent, int child);

/* ----------------------------------------------------------------------------------------------- usd_drive.c */

/* Notes that drives of a joint's axis act on a joint of the robot with one coordinate. */
bool jn_usd_note_drive(jn_usd *u, const jn_usd_joint *j, int axis, int made);
/* The actuators, once the tree is there. */
bool jn_usd_make_drives(jn_usd *u);

/* ---------------------------------------------------------------------------------------------- usd_filter.c */

/* What may not touch what: groups, pairs, joints, articulations. */
bool jn_usd_filters(jn_usd *u);

#endif
