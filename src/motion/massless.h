/* Links between the axes of one joint: bodies on several hinges hang on a series of them, and all but the last carry nothing. */
#ifndef JN_MOTION_MASSLESS_H
#define JN_MOTION_MASSLESS_H

#include "model/model_layout.h"

/* Whether a link has no momentum, whatever its motion: no mass, and no moments of inertia, whose products are bounded by them. */
static inline bool jn_link_is_massless(const jn_link *l) {
    return l->mass == 0 && l->inertia.xx == 0 && l->inertia.yy == 0 && l->inertia.zz == 0;
}

#endif
