/* One mass against a surface, m d'' = -f(d, d'), integrated numerically: a check on closed forms. */
#ifndef JN_TESTS_IMPACT_H
#define JN_TESTS_IMPACT_H

#include <jounce/reaction.h>

typedef struct impact {
    double compression, duration, release; /* [s] */
    double max_depth, max_force;           /* [m], [N] */
    double restitution;
    double stored_most, dissipated; /* [J] */
    double energy_error;            /* [J] largest |kinetic + stored + dissipated - start| */
    double lowest_force;            /* [N] */
    double loop;                    /* [J] area of the loop of force over depth */
} impact;

/* Dormand-Prince 5(4) with the given relative tolerance, events by bisection of the step. */
impact impact_integrate(const jn_normal_law *law, double mass, double speed, double tolerance);

#endif
