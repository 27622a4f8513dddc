/* Random scenes for method impact: blocks, cylinders, spheres and polygons on planes, slopes, belts and in grooves. */
#ifndef JN_TESTS_IMPACT_SCENES_H
#define JN_TESTS_IMPACT_SCENES_H

#include <stdbool.h>

typedef struct impact_scene {
    const char *kind;
    char text[2400];  /* a model file; its body 'b' is what moves */
    double until;     /* [s] */
    bool chaotic;     /* impacts with restitution, tumbling, rocking: small causes grow */
    bool known;       /* there is a closed form: */
    double x[3];      /* [m] displacement of b at the end, */
    double slip_time; /* [s] and when it first slips; NaN: not known */
} impact_scene;

/* The scene of a number: always the same one. Each input is multiplied by 1 + shake r with its own r in (-1, 1), which depends on `twin`. */
void impact_scene_make(unsigned number, double shake, unsigned twin, impact_scene *out);
/* Kinds take turns with the numbers. */
int impact_scene_kinds(void);

#endif
