/* A cable from one point to another over a sphere or a cylinder, which may stand in its way. */
#ifndef JN_ALGEBRA_WRAP_H
#define JN_ALGEBRA_WRAP_H

#include "algebra/dual.h"

/* What stands there, in the world. */
typedef struct jn_round_body {
    bool is_sphere; /* else a cylinder without ends */
    double radius;
    jn_dual3 centre;  /* on the cylinder's axis */
    jn_dual3 axes[3]; /* of the cylinder; z: its axis */
    bool has_side;    /* the cable passes on the side of a point; inside, if the point lies inside */
    jn_dual3 side;
} jn_round_body;

/* Where the cable touches it, and the length of the curve between. */
typedef struct jn_wrapping {
    jn_dual3 first, last;
    jn_dual curve;
} jn_wrapping;

/* False: the cable is straight. Tangent points and length are those of the shortest curve on the chosen side. [MuJoCo, Tendon] O(1) */
bool jn_wrap(const jn_round_body *body, jn_dual3 from, jn_dual3 to, jn_wrapping *out);

#endif
