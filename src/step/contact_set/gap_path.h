/* Gaps of pairs of shapes within the last step, along the paths of their links: where one may have closed and opened again. */
#ifndef JN_STEP_CONTACT_SET_GAP_PATH_H
#define JN_STEP_CONTACT_SET_GAP_PATH_H

#include "step/sim.h"

/* A link between two poses: origin and rotation vector (world axes, from the first pose on) as cubics of the part x of the step. */
typedef struct jn_link_path {
    jn_mat3 R;                            /* at the start */
    jn_vec3 O, along, v0, v1;             /* [m] origin, its displacement, velocities times the length of the step */
    jn_vec3 turn, turn_rate0, turn_rate1; /* [rad] */
} jn_link_path;

/* The open points of a pair at a part x of the step, the one with the smallest gap first. */
typedef struct jn_gap_node {
    double x;
    int count;
    struct {
        uint32_t feature;
        double gap, rate; /* [m], [m/s] */
    } point[JN_MANIFOLD_MAX];
} jn_gap_node;

/* A pair, followed through the step from sim->before to sim->s. */
typedef struct jn_gap_path {
    jn_sim *sim;
    const jn_solid_pair *pair;
    jn_link_path path[2]; /* of both links */
    double h;             /* [s] of the step */
    double speed;         /* [m/s] no point of one solid moves faster against one of the other */
    double still;         /* [m/s] slower is at rest */
    double margin;        /* [m] of collision detection */
    bool touches;         /* some point of the pair is an active contact */
    double from, x; /* part of the step with the first minimum behind `from` that may be below zero; INFINITY: none */
    bool (*has_contacts)(const jn_sim *sim, const jn_solid_pair *pair); /* whether the pair has active contacts */
    bool (*is_active)(const jn_sim *sim, const jn_solid_pair *pair,
                      uint32_t feature); /* whether a point is one; NULL: pairs that have some are left out */
} jn_gap_path;

/* The first minimum behind search->from, of all pairs: x of it, and the pair, a copy. Needs still, from and the functions. Ends with the kinematics of sim->s in the
 * work space. O(pairs), and narrow phases of those that can have met. */
void jn_gap_path_first_minimum(jn_gap_path *search, jn_solid_pair *pair);
/* Whether two solids that are apart by a gap [m] meet while their links, that of the first and that of the second, move on cubics between two poses with their velocities in
 * the time h. gap: that at the end. Narrow phases along the way. */
bool jn_gap_path_meets(jn_sim *sim, const jn_solid_pair *pair, const jn_link_motion from[2], const jn_link_motion to[2], double h, double *gap);
/* The pair at the poses of the work space, at the part or time x. */
jn_gap_node jn_gap_node_here(const jn_gap_path *g, double x);
/* Where the cubic through two gaps with their rates, the first one falling and the second one rising, is smallest: part of the time h between them. */
double jn_gap_smallest(double g0, double r0, double g1, double r1, double h, double *at);
/* [1/s] how fast the fastest body turns, or moves by a length [m]: steps over which paths are followed are bounded by a part of its inverse. O(links) */
double jn_gap_path_rate(const jn_sim *sim, double length);
/* [s] in which no body moves by more than a part of the length, or of a radian: at its present speed, and beside meshes, which do not see what is deep below them, under
 * gravity, too, which is all that moves a body at the top of its way. O(links) */
double jn_gap_path_time(const jn_sim *sim, double length);
/* [m] the smallest pair of shapes that can meet: no shape passes through another one on a shorter path. INFINITY where there are only planes. O(solids^2) */
double jn_gap_path_length(const jn_sim *sim);

#endif
