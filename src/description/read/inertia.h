/* Mass properties: checks, solids of uniform density, sums. */
#ifndef JN_DESCRIPTION_READ_INERTIA_H
#define JN_DESCRIPTION_READ_INERTIA_H

#include <jounce/description.h>

typedef struct jn_lump {
    double mass;     /* [kg] */
    jn_vec3 com;     /* [m] */
    jn_sym3 inertia; /* [kg m^2] about com */
} jn_lump;

/* Eigenvalues of a symmetric tensor, ascending (Jacobi's method). */
void jn_principal_moments(jn_sym3 inertia, double moment[3]);
/* The two together, about their common centre (parallel-axis theorem). */
jn_lump jn_lump_add(jn_lump a, jn_lump b);
/* A solid of unit density in its own axes; planar shapes have unit mass per area. Closed forms, exact. No mass for
 * planes, hollows and other shapes without inside. */
jn_lump jn_shape_unit(const jn_shape_desc *shape);
bool jn_shape_is_planar(jn_shape_type type);
/* Moved: rotated by q, then shifted by at. */
jn_lump jn_lump_place(jn_lump a, jn_vec3 at, jn_quat q);
/* As dense by the factor k. */
jn_lump jn_lump_scale(double k, jn_lump a);

#endif
