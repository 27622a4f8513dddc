/* Coordinates that creep although their dry friction holds them, where a method regularises it. */
#ifndef JN_STEP_CREEP_H
#define JN_STEP_CREEP_H

#include "step/sim.h"

/* What the audit follows of a coordinate with dry friction. */
struct jn_creep {
    double since; /* [s] slow enough for friction to hold it; INFINITY: it slides */
    double way;   /* [m] or [rad] gone since then */
    double allowed;  /* [m] or [rad] such ways are no creep */
    double speed; /* [m/s] or [rad/s] when it was last seen */
};
typedef struct jn_creep jn_creep;

/* Forgets what was seen; looks at the speeds of the work space at the time t. O(coordinates with laws) */
void jn_creep_start(jn_sim *sim);
void jn_creep_follow(jn_sim *sim, double t);

#endif
