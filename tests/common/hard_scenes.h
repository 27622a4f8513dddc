/* Hard scenes for method impact: several bodies in a box, loops with clearance, legs on a moving platform, cylinders over edges, thin plates, ratios of masses. */
#ifndef JN_TESTS_HARD_SCENES_H
#define JN_TESTS_HARD_SCENES_H

#include "odd_scenes.h"

/* The scene of a number: always the same one. */
void hard_scene_make(unsigned number, odd_scene *out);
/* Kinds take turns with the numbers. */
int hard_scene_kinds(void);

#endif
