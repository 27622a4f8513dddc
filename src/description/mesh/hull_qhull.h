/* Facets of a convex hull as Qhull finds them. */
#ifndef JN_DESCRIPTION_HULL_QHULL_H
#define JN_DESCRIPTION_HULL_QHULL_H

#include "description/mesh/hull.h"

typedef struct jn_facets {
    int count, room;
    int *start;      /* (count + 1) into point */
    int *point;      /* indices of points, counter-clockwise from outside */
    jn_vec3 *normal; /* (count) outward */
    double volume;
} jn_facets;

/* point (count x 3) must lie within some units of the origin and is not kept. joggle: move the points by roundings of 1e-11
 * until no facets need merging. JN_OK, JN_ERR_MODEL with Qhull's reason, JN_ERR_MISSING, JN_ERR_MEMORY. */
int jn_qhull_facets(double *point, int count, bool joggle, jn_facets *out, char reason[JN_HULL_REASON]);
void jn_facets_free(jn_facets *facets);

#endif
