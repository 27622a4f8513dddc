/* What is known of an integrator before it runs. */
#include "description/integrator_info.h"

#define INFO(value, name, order, kind, step, summary)                                                                  \
    [JN_INTEGRATOR_##value] = {name,                                                                                   \
                               order,                                                                                  \
                               ((kind)&JN_KIND_ADAPTIVE) != 0,                                                         \
                               summary,                                                                                \
                               ((kind)&JN_KIND_MULTISTEP) != 0,                                                        \
                               ((kind)&JN_KIND_STIFF) != 0,                                                            \
                               ((kind)&JN_KIND_SYMPLECTIC) != 0,                                                       \
                               ((kind)&JN_KIND_PROJECTS) != 0},
static const jn_integrator_info table[] = {JN_INTEGRATORS(INFO)};

const jn_integrator_info *jn_integrator_get_info(jn_integrator integrator) {
    return (size_t)integrator < sizeof table / sizeof *table ? &table[integrator] : NULL;
}
