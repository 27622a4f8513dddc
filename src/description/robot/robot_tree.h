/* The mass matrix of a robot as its bodies stand. */
#ifndef JN_DESCRIPTION_ROBOT_TREE_H
#define JN_DESCRIPTION_ROBOT_TREE_H

#include "description/read/inertia.h"
#include "description/robot/robot.h"

/* One coordinate: the twist that it gives all behind it, about the world's origin. */
typedef struct jn_robot_coordinate {
    int joint;
    jn_vec3 w, v; /* [1], [m] or [0], [1] */
} jn_robot_coordinate;

typedef struct jn_robot_tree {
    jn_robot_coordinate *list; /* (n) */
    jn_lump *behind;           /* (joint_count) all that hangs on a joint */
    double *M;                 /* (n, n), then its Cholesky factor in the lower part */
    double *row;               /* (n) scratch */
    int n;
} jn_robot_tree;

/* Room for the coordinates of a robot. False with a message: there is none. */
bool jn_robot_tree_create(jn_robot *b, jn_robot_tree *t);
/* Coordinates and M by composite rigid bodies about the world's origin [Featherstone2008, section 6.2]. */
void jn_robot_tree_fill(const jn_robot *b, jn_robot_tree *t);
/* M = L L^T. O(n^3). A coordinate that moves no mass, or whose diagonal is infinite, holds. */
void jn_robot_tree_factor(jn_robot_tree *t);
/* x = M^-1 x */
void jn_robot_tree_solve(const jn_robot_tree *t, double *x);
/* Whether a body is that root, or hangs on it. */
bool jn_robot_is_behind(const jn_robot *b, int body, int root);

#endif
