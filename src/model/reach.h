/* Lengths between places on links, and the forces that work on them. */
#ifndef JN_MODEL_REACH_H
#define JN_MODEL_REACH_H

#include "algebra/dual.h"
#include "model/model_layout.h"

/* A pair of forces of a length between places: f on link B at b, its opposite on link A at a; n on B, its opposite on A. Its rate is
 * f.(v_b - v_a) + n.(w_B - w_A), with the velocities of the links' matter there. Changes are those along a direction. */
typedef struct jn_pull {
    int A, B;
    jn_dual3 a, b, f, n;
} jn_pull;

/* Where links are, and how they move along a direction: their change seen at *about. */
typedef struct jn_frames {
    jn_pose (*pose)(const void *context, int link);
    jn_twist (*change)(const void *context, int link, jn_vec3 *about); /* NULL: they do not */
    const void *context;
    const jn_adhesive *adhesive; /* (pulls of the model) contact points; NULL: none */
} jn_frames;

/* The length and its pulls (at most reach->pulls), with their changes; nodes: of the paths of the model. Returns how many pulls. */
int jn_reach_evaluate(const jn_path_node *nodes, const jn_reach *reach, const jn_frames *frames, jn_dual *length,
                      jn_pull *out);

#endif
