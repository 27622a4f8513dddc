/* Scenes seen from another frame: turned, shifted and mirrored, which changes no physics; or shaken by round-off, which changes nothing that one could measure. */
#ifndef JN_TESTS_MOVED_SCENES_H
#define JN_TESTS_MOVED_SCENES_H

#include <jounce/step.h>

/* x' = turn (S x) + shift, where S swaps x and y if the scene is mirrored. */
typedef struct scene_frame {
    bool mirrored;
    jn_quat turn;
    jn_vec3 shift; /* [m] */
} scene_frame;

/* The frame of the scene itself; a random one, in a plane about z. */
scene_frame scene_frame_own(void);
scene_frame scene_frame_random(bool planar, bool turned, bool shifted, bool mirrored, uint64_t *seed);

/* Applied forces count in the axes of their bodies, in which they are the same in every frame. */
void scene_turn_forces_with_bodies(jn_description *d);
/* All that a description of bodies, shapes, joints and forces says, in another frame. */
void scene_move(jn_description *d, const scene_frame *frame);
/* Places, velocities, masses and sizes of the bodies changed by 1e-14 of themselves at most. */
void scene_shake(jn_description *d, uint64_t seed);

/* Where bodies are, seen from the frame of the scene. */
enum { SCENE_BODIES_MOST = 64 };
typedef struct scene_places {
    int count; /* 0: the run did not come so far */
    jn_vec3 position[SCENE_BODIES_MOST];
    jn_quat orientation[SCENE_BODIES_MOST];
    char end[200]; /* why, or its verdict */
} scene_places;

/* The places at the time t of a run in steps, at most `steps` of them. Frees nothing. */
void scene_run(const jn_description *d, const scene_frame *frame, double t, int steps, scene_places *out);
/* [m] or [rad] how far two runs end apart; NAN where one of them did not come so far. */
double scene_apart(const scene_places *a, const scene_places *b);

#endif
