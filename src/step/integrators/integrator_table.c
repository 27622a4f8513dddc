/* The function that takes a step, of every integrator. */
#include "description/integrator_info.h"
#include "step/sim.h"

#define STEP(value, name, order, kind, step, summary) [JN_INTEGRATOR_##value] = step,
static jn_step_function *const table[] = {JN_INTEGRATORS(STEP)};

jn_step_function *jn_integrator_step(jn_integrator integrator) { return table[integrator]; }
