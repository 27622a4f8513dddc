/* What the writers of robots' formats share: the tree of joints, poses, numbers, and what a format cannot hold. */
#ifndef JN_CLI_CONVERT_ROBOT_H
#define JN_CLI_CONVERT_ROBOT_H

#include "cli.h"

#include "algebra/vec3.h"

typedef struct convert_pose {
    jn_vec3 p;
    jn_quat q;
} convert_pose;

typedef struct converter {
    const jn_description *d;
    const char *format; /* its name in messages */
    FILE *out;          /* text in memory: nothing is written if anything is refused */
    bool lenient;       /* what the format cannot hold is left out with a warning */
    int errors;
    int *carrier;  /* (bodies) joint that carries the body, -1: none */
    int *children; /* (bodies) joints that hang on it */
} converter;

/* Finds the tree; false with a message if the model is planar or there is no memory. */
bool convert_begin(converter *c, const jn_description *d, const char *format, bool lenient);
/* Writes the file, if nothing was refused, and frees everything; exit status. */
int convert_end(converter *c, const char *path);

/* What the format cannot hold: an error, or left out with a warning. */
void convert_refuse(converter *c, jn_where where, const char *kind, const char *name, const char *what);
/* The same for what cannot be left out: an error always. */
void convert_forbid(converter *c, jn_where where, const char *kind, const char *name, const char *what);
void convert_remark(const char *format, ...) JN_PRINTF(1, 2);

/* Joints that close loops, or hang on their second body. */
bool convert_closes_loop(const converter *c, int joint);
/* Where a joint is as drawn, on its second body; false with a message if its frames do not coincide as drawn. */
bool convert_joint_place(converter *c, const jn_joint_desc *j, jn_vec3 *at, jn_vec3 *axis);
/* Whether all joints of the loop that a joint closes move points across the axis of that joint alone. */
bool convert_loop_in_plane(const converter *c, const jn_joint_desc *j);
/* A point of a joint's side k in the frame of its body. */
jn_vec3 convert_joint_end(const converter *c, const jn_joint_desc *j, int k);
convert_pose convert_body_pose(const converter *c, int body);      /* in the world, as drawn */
convert_pose convert_inside(convert_pose a, jn_vec3 p, jn_quat q); /* of what stands in the world, seen from a */
/* Whether a term of a coupler has no powers above the first; whether all of them are such, of joints; what its sum is held at, counted
 * from the drawn configuration. */
bool convert_is_linear(const jn_coupler_desc *k, int term);
bool convert_mimics(const jn_coupler_desc *k);
double convert_held_at(const converter *c, const jn_coupler_desc *k);
/* Forces, functions and other things that only YAML holds; formats say which they take. */
void convert_refuse_forces(converter *c);
void convert_refuse_surfaces(converter *c);  /* that pull or move: what MJCF alone holds */
void convert_refuse_actuators(converter *c); /* and sensors: what MJCF alone holds */
/* Whether a function is k[0] + k[1] x + k[2] v, tried at many points; without a function k is 0. */
bool convert_is_affine(const converter *c, jn_function f, double k[3]);
/* The force on a coordinate as such a function: its motor and its applied force. */
bool convert_drive(const converter *c, const jn_coordinate_desc *q, double k[3]);

double convert_clean(double x); /* round-off around zero */
void convert_vector(converter *c, const char *attribute, jn_vec3 v);
/* A name that other programs take: letters, digits, _ and -. */
const char *convert_title(const jn_description *d);

#endif
