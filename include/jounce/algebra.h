/* Small value types of mechanics. SI units, right-handed axes, quaternions (w, x, y, z) of unit length. */
#ifndef JOUNCE_ALGEBRA_H
#define JOUNCE_ALGEBRA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Components of a vector. */
typedef struct jn_vec3 {
    double x, y, z;
} jn_vec3;

/* Rotation from body to world: r_world = q r_body q*. */
typedef struct jn_quat {
    double w, x, y, z;
} jn_quat;

/* Row major: m[3*row + column]. */
typedef struct jn_mat3 {
    double m[9];
} jn_mat3;

/* Symmetric 3x3, for inertia tensors: xx is the moment about x, xy the (signed) off-diagonal entry of the tensor. */
typedef struct jn_sym3 {
    double xx, yy, zz, xy, xz, yz;
} jn_sym3;

/* Where a frame stands in another: its origin and axes. */
typedef struct jn_pose {
    jn_vec3 p; /* [m] */
    jn_mat3 R; /* from the frame to the other */
} jn_pose;

/* Motion of a rigid body seen at one of its points: angular velocity and velocity of the point (or their rates). */
typedef struct jn_twist {
    jn_vec3 w; /* [rad/s] */
    jn_vec3 v; /* [m/s] */
} jn_twist;

/* Load on a rigid body reduced to one of its points: moment about the point and force. A twist and a wrench are
 * different types, so that adding a force to a velocity does not compile. */
typedef struct jn_wrench {
    jn_vec3 n; /* [N m] */
    jn_vec3 f; /* [N] */
} jn_wrench;

#ifdef __cplusplus
}
#endif

#endif
