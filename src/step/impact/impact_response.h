/* Velocities of bodies per unit impulse, for those who follow the path of a collision. */
#ifndef JN_STEP_IMPACT_IMPACT_RESPONSE_H
#define JN_STEP_IMPACT_IMPACT_RESPONSE_H

#include "step/impact/impact_method.h"

/* R (6 bodies x D) at the state, or NULL where nobody follows paths or there are more contacts or collisions. */
const double *jn_impact_response(jn_sim *sim);

#endif
