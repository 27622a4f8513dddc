/* A segment: the motion between two nodes, on which velocities u are constant and every body keeps its momentum. */
#ifndef JN_MOTION_SEGMENT_H
#define JN_MOTION_SEGMENT_H

#include "motion/work.h"

/* A body on a segment, in world axes. */
typedef struct jn_segment_link {
    jn_vec3 g;    /* Rodrigues' vector of its turn; not in a plane */
    double chord; /* 2 / (1 + g.g) / h; not in a plane */
    jn_vec3 w;    /* [rad/s] R(h) = exp(h w) R(0) */
    jn_vec3 v;    /* [m/s] origin of the link: (O(h) - O(0)) / h */
    jn_vec3 L;    /* [kg m^2/s] angular momentum about the centre of mass */
    jn_vec3 p;    /* [kg m/s] momentum */
} jn_segment_link;

/* Momenta of all bodies on a segment of length h (which may be negative) that starts at the node of the work space with velocities u, into
 * seg (links); pi (nv) = sum J^T P at that node. O(n), no allocation. */
void jn_segment_momenta(const jn_model *m, jn_work *w, const double *u, double h, jn_segment_link *seg, double *pi);
/* pi (nv) = sum J^T P of the same bodies at the node where the segment ends; the work space stands there. u: of the segment. */
void jn_segment_project(const jn_model *m, jn_work *w, const double *u, const jn_segment_link *seg, double *pi);
/* jn_q_after of the links from `from` to before `to`. O(n) */
void jn_q_after_links(const jn_model *m, const double *q, const double *u, double h, int from, int to, double *out);
/* Whether a body turns about an axis of its inertia, whatever the axis, and no other hangs on it. */
bool jn_link_is_round(const jn_link *l);
/* f (nv) += generalised forces of wrenches at the origins of the links, which become those of the trees behind. O(n) */
void jn_wrenches_gather(const jn_model *m, const jn_work *w, jn_wrench *F, double *f);
/* f (nv) += generalised forces of wrenches about the world's origin, one for each link. O(n) */
void jn_loads_add(const jn_model *m, jn_work *w, const jn_wrench *load, double *f);
/* f (nv): generalised forces of gravity, loads and joint forces after jn_forces, without those of the motion. O(n) */
void jn_node_forces(const jn_model *m, jn_work *w, double *f);
/* The same of gravity alone, at the poses of the work space. O(n) */
void jn_node_weights(const jn_model *m, jn_work *w, double *f);
/* y (nv) = M x with the mass matrix as it was factored last, less w->added as it was then (NULL: nothing). */
void jn_mass_multiply(const jn_model *m, const jn_work *w, const double *added, const double *x, double *y);

#endif
