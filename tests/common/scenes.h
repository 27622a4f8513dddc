/* Mechanisms that tests and benchmarks share, built through the C interface. */
#ifndef JN_TESTS_SCENES_H
#define JN_TESTS_SCENES_H

#include <jounce/step.h>

/* Repeatable random numbers in (-1, 1). */
double scene_random(uint64_t *seed);
/* A body of random mass, shape of inertia and place near `at`. */
int scene_add_body(jn_description *d, const char *name, jn_vec3 at, uint64_t *seed);
/* A joint between two bodies at a point, with an axis. Universal joints get a second axis normal to it. */
int scene_add_joint(jn_description *d, const char *name, jn_joint_type type, int a, int b, jn_vec3 at, jn_vec3 axis);

/* Serial chain of n bodies with joints of one type and random axes. */
jn_description *scene_chain(int n, jn_joint_type type, uint64_t seed);
/* Six-axis arm of the UR5's structure: lengths, masses and centres of mass of published models, links as cylinders. */
jn_description *scene_ur5(void);
/* n parallelogram four-bars in a row in a plane (IFToMM A02), links 1 m, 1 kg, driven by a speed of the first post. */
jn_description *scene_four_bars(int n);
/* Tree with a free base and `legs` legs of `joints` revolutes each. */
jn_description *scene_legged(int legs, int joints, uint64_t seed);
/* Random tree that uses every joint type that can carry a body; every `reverse`-th joint is written child first. */
jn_description *scene_mixed_tree(int n, int reverse, uint64_t seed);
/* Two bodies side by side on the ground by `outer` joints, closed by one joint of the type, or of none. */
jn_description *scene_loop(jn_joint_type closing, uint64_t seed);
/* Planar double pendulum, links 1 m, 1 kg. */
jn_description *scene_double_pendulum(void);

/* n spheres over the floor of a box with an open top, in a loose, slightly disturbed lattice: a cube, or side x side of them on the
 * floor. No contact law yet. */
jn_description *scene_spheres_in_box(int n, double radius, double mass);
jn_description *scene_spheres_on_floor(int n, int side, double radius, double mass);

/* n boxes, spheres and capsules in turn, turned at random, over the floor of a box with an open top. No contact law yet. */
jn_description *scene_mixed_in_box(int n);

/* n cubes one on the other on a plane, no gaps between them. No contact law yet. */
jn_description *scene_box_stack(int n, double edge, double mass);
/* Rows of cubes of 1 kg, each cube over two of the row below, no gaps between rows: a wall, whose cubes lie flush side by side, or a pyramid with a gap of a tenth between them, whose rows
 * become shorter. No contact law yet. */
jn_description *scene_brick_wall(int rows, int columns, bool pyramid, double edge);
/* A block of side^3 boxes of 1 kg on a plane, which touch on all sides. No contact law yet. */
jn_description *scene_block_of_boxes(int side, double edge);
/* n boxes of 1 kg in layers of sixteen over a plane, turned at random. No contact law yet. */
jn_description *scene_boxes_over_floor(int n);

/* Fills q (unit quaternions kept) and u with random values of the given sizes. */
void scene_random_state(const jn_model *m, jn_state *s, double q_size, double u_size, uint64_t *seed);

#endif
