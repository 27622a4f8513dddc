/* A second simulation of the same model beside the first one, a small distance away. */
#ifndef JN_WORKFLOW_STUDY_SHADOW_H
#define JN_WORKFLOW_STUDY_SHADOW_H

#include <jounce/step.h>

typedef struct jn_shadow {
    jn_sim *sim;
    jn_state *kept;
    double tau; /* [s] weight of velocities against positions in distances */
} jn_shadow;

/* A simulation at the state of main, its velocities shaken so that it is `distance` away. JN_OK or < 0; free it in both cases. */
int jn_shadow_create(jn_shadow *shadow, const jn_sim *main, double distance, double tau, jn_report *report);
void jn_shadow_free(jn_shadow *shadow);
/* Root of the sum of (difference of coordinates)^2 and (tau difference of velocities)^2. O(n). */
double jn_shadow_distance(const jn_shadow *shadow, const jn_sim *main);
/* The shadow comes nearer along the line to main: its distance is multiplied by the factor, and its direction stays. O(n). */
void jn_shadow_pull(jn_shadow *shadow, const jn_sim *main, double factor);

#endif
