/* Jacobian of y' = f(t, y) for implicit integration: exact, contacts and constraints included. */
#ifndef JN_STEP_INTEGRATORS_ODE_JACOBIAN_H
#define JN_STEP_INTEGRATORS_ODE_JACOBIAN_H

#include "step/sim.h"

typedef struct jn_jacobian jn_jacobian;

/* JN_OK or JN_ERR_MEMORY. O(ny^2) memory. */
int jn_jacobian_create(const jn_sim *sim, jn_jacobian **out);
void jn_jacobian_free(jn_jacobian *j);
/* The slope, with quaternions of y taken at unit length: f does not change along them. */
int jn_slope_unit(jn_sim *sim, double t, const double *y, double *rate);
/* J (ny x ny by columns) = df/dy at (t, y), f as of jn_slope_unit. */
int jn_jacobian_eval(jn_jacobian *j, jn_sim *sim, double t, const double *y, double *J);
/* The same by differences of f. */
int jn_jacobian_difference(jn_sim *sim, double t, const double *y, double *J);

#endif
