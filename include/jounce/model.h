/* The compiled model: flat, immutable, shared by any number of simulations and threads. */
#ifndef JOUNCE_MODEL_H
#define JOUNCE_MODEL_H

#include <jounce/description.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque; see the calls below. */
typedef struct jn_model jn_model;

/* Compiles a description. NULL on error; messages with file and line are in the report. The description may be freed
 * afterwards. O(bodies + joints + equations). */
JN_API jn_model *jn_model_compile(const jn_description *description, jn_report *report);
JN_API void jn_model_free(jn_model *model);

/* Sizes of the model and what its file says. */
JN_API bool jn_model_planar(const jn_model *model);
JN_API jn_coordinates jn_model_coordinates(const jn_model *model);
JN_API int jn_model_nq(const jn_model *model);     /* coordinates */
JN_API int jn_model_nv(const jn_model *model);     /* velocities */
JN_API int jn_model_rows(const jn_model *model);   /* constraint equations: loop closures, drivers, couplers */
JN_API int jn_model_bodies(const jn_model *model); /* the ground included */
JN_API int jn_model_joints(const jn_model *model); /* as written by the user */
/* Named points, the title, a hash of all files read and values set, and how to run. */
JN_API int jn_model_points(const jn_model *model);
JN_API int jn_model_tendons(const jn_model *model);
JN_API int jn_model_actuators(const jn_model *model);
JN_API int jn_model_sensors(const jn_model *model);
JN_API const char *jn_model_title(const jn_model *model);
JN_API uint64_t jn_model_hash(const jn_model *model);
JN_API const jn_run_desc *jn_model_run(const jn_model *model);

/* Index by name, or -1. */
JN_API int jn_model_find_body(const jn_model *model, const char *name);
JN_API int jn_model_find_joint(const jn_model *model, const char *name);
JN_API int jn_model_find_tendon(const jn_model *model, const char *name);
JN_API int jn_model_find_actuator(const jn_model *model, const char *name);
JN_API int jn_model_find_sensor(const jn_model *model, const char *name);
JN_API int jn_model_find_point(const jn_model *model, const char *name);
JN_API const char *jn_model_body_name(const jn_model *model, int body);
JN_API const char *jn_model_joint_name(const jn_model *model, int joint);
JN_API const char *jn_model_point_name(const jn_model *model, int point);
JN_API jn_where jn_model_body_where(const jn_model *model, int body);
JN_API jn_where jn_model_joint_where(const jn_model *model, int joint);
JN_API jn_joint_type jn_model_joint_type(const jn_model *model, int joint);
JN_API double jn_model_body_mass(const jn_model *model, int body);
JN_API bool jn_model_joint_is_loop(const jn_model *model, int joint); /* closes a loop (or all are constraints) */
JN_API int jn_model_joint_nq(const jn_model *model, int joint);       /* numbers that describe its position */
JN_API int jn_model_joint_nv(const jn_model *model, int joint);       /* and its velocity */
/* First of the joint's coordinates in q and velocities in u, or -1 where it is a constraint. */
JN_API int jn_model_joint_q_index(const jn_model *model, int joint);
JN_API int jn_model_joint_u_index(const jn_model *model, int joint);
/* Text for constraint row i, as "joint pin: point x". Returns the joint's index or -1 (coupler). */
JN_API int jn_model_row_name(const jn_model *model, int row, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
