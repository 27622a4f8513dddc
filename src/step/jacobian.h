/* Jacobian of y' = f(t, y) for implicit integration: contacts by their derivatives, the rest by differences. */
#ifndef JN_STEP_JACOBIAN_H
#define JN_STEP_JACOBIAN_H

#include "step/sim.h"

typedef struct jn_jacobian jn_jacobian;

/* JN_OK or JN_ERR_MEMORY. O(ny^2) memory. */
int jn_jacobian_create(const jn_sim *sim, jn_jacobian **out);
void jn_jacobian_free(jn_jacobian *j);
/* The slope, with quaternions of y taken at unit length: f does not change along them. */
int jn_slope_unit(jn_sim *sim, double t, const double *y, double *rate);
/* J (ny x ny by columns) = df/dy at (t, y), f as of jn_slope_unit. The part without contacts may be up to 50 steps old. */
int jn_jacobian_eval(jn_jacobian *j, jn_sim *sim, double t, const double *y, double *J);
/* The part that comes from the change of the contacts' loads alone; keeps these loads. */
int jn_jacobian_contacts(jn_jacobian *j, jn_sim *sim, double t, const double *y, double *J);
/* From here on contacts push with the loads that were kept (true), or as they should. */
void jn_jacobian_freeze(jn_jacobian *j, jn_sim *sim, bool frozen);
/* All of it by differences of f. */
int jn_jacobian_difference(jn_sim *sim, double t, const double *y, double *J);

#endif
