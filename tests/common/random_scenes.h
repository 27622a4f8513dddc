/* Random valid scenes as text of model files: bodies of all shapes, joints, loops, springs, drivers, contact laws, steps. */
#ifndef JN_TESTS_RANDOM_SCENES_H
#define JN_TESTS_RANDOM_SCENES_H

#include <stddef.h>

/* The scene of a seed for a method ("compliant", "nonsmooth", "impact"): bodies, joints and forces are the same for all methods.
 * Returns its end [s]. O(bodies) */
double random_scene_write(char *text, size_t size, unsigned seed, const char *method);

/* Three to seven solids of six kinds, in space, thrown onto a plane and each other, by the nonsmooth method in steps [s]; they end after 2 s. */
void random_solids_write(char *text, size_t size, unsigned seed, double step);

/* One to three solids of seven kinds thrown onto a random terrain, a heightfield or a mesh: hills, steps, peaks, flat ones, of 8 to 288 triangles, alike for all methods.
 * Returns its end [s]. */
double random_terrain_write(char *text, size_t size, unsigned seed, const char *method);

#endif
