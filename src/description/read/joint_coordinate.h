/* A joint while it is read, and the keys that belong to its coordinates. */
#ifndef JN_DESCRIPTION_READ_JOINT_COORDINATE_H
#define JN_DESCRIPTION_READ_JOINT_COORDINATE_H

#include "description/read/reader.h"

typedef struct jn_joint_item {
    jn_joint_desc joint; /* first: the table's offsets are those of the joint */
    const jn_node *map;
    bool has_at, has_axis, has_axis2, has_ends, has_pitch, has_clearance;
    double clearance;
    jn_vec3 at, axis, axis2, ends[2];
    bool has_rate[JN_JOINT_MAX_NV];
    double rate[JN_JOINT_MAX_NV];
    bool approximate;
    bool driven; /* false: the rate is the speed at the start alone */
} jn_joint_item;

/* Readers of the keys, for the table of jn_joint_fields; item is a jn_joint_item. */
bool jn_coordinate_position(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_speed(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_stiffness(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_rest(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_damping(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_lower(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_upper(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_limit_stiffness(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_limit_damping(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_friction(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_friction_speed(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_motion(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_rate(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_force(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_armature(jn_reader *r, const jn_node *node, void *item);
bool jn_coordinate_motor(jn_reader *r, const jn_node *node, void *item);

/* Conflicts between the keys of coordinate k; makes the motion of a constant rate. */
bool jn_coordinate_finish(jn_reader *r, jn_joint_item *joint, int k);
/* Two keys that exclude each other. Always false. */
bool jn_joint_conflict(jn_reader *r, const jn_joint_item *joint, const char *kept, const char *removed);

/* The key frames: its place on each body, in the body's own frame. */
bool jn_joint_read_frames(jn_reader *r, const jn_node *node, void *item);
/* After the keys: place and axes, as drawn, into both frames, with the defaults of the type. */
bool jn_joint_place(jn_reader *r, jn_joint_item *joint);
/* Keys that make no sense for the type. */
bool jn_joint_check_keys(jn_reader *r, const jn_joint_item *joint);
/* Axes that are missing, parallel or not in the plane. */
bool jn_joint_check_axes(jn_reader *r, const jn_joint_item *joint);

/* Sizes of a clearance joint; without clearance it becomes the ideal joint. */
bool jn_read_clearance(jn_reader *r, jn_joint_item *joint);

extern const jn_fieldset jn_motor_fields, jn_joint_frame_fields;

#endif
