/* Odd scenes for method impact: Painleve's rod, friction of 5, no gravity, many contacts at one instant, small steps, wedges, heavy on light, coins. */
#ifndef JN_TESTS_ODD_SCENES_H
#define JN_TESTS_ODD_SCENES_H

#include <stdbool.h>

typedef struct odd_scene {
    const char *kind;
    char text[4096]; /* a model file */
    double until;    /* [s] */
} odd_scene;

/* The scene of a number: always the same one. */
void odd_scene_make(unsigned number, odd_scene *out);
/* Kinds take turns with the numbers. */
int odd_scene_kinds(void);

#endif
