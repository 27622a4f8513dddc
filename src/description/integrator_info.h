/* The integrators, one row each: name, order (0: variable), kind, function of a step, and one line. The reader's keywords, `jounce laws`, the
 * documentation and the table of step functions (step/integrators/integrator_table.c) are made of these rows; all else asks for a property. */
#ifndef JN_DESCRIPTION_INTEGRATOR_INFO_H
#define JN_DESCRIPTION_INTEGRATOR_INFO_H

#include <jounce/description.h>

enum {
    JN_KIND_FIXED = 0,      /* needs run.step */
    JN_KIND_ADAPTIVE = 1,   /* chooses its steps by an error estimate */
    JN_KIND_MULTISTEP = 2,  /* by CVODE: keeps a history, which an event ends */
    JN_KIND_STIFF = 4,      /* solves linear systems with a Jacobian */
    JN_KIND_SYMPLECTIC = 8, /* advances positions and velocities in turn; takes no accelerations of another kind */
    JN_KIND_PROJECTS = 16   /* meets constraints at every step by itself */
};

#define JN_INTEGRATORS(ROW)                                                                                            \
    ROW(EULER, "euler", 1, JN_KIND_SYMPLECTIC, jn_step_euler, "semi-implicit Euler: one evaluation a step")            \
    ROW(VERLET, "verlet", 2, JN_KIND_SYMPLECTIC | JN_KIND_PROJECTS, jn_step_verlet,                                    \
        "symmetric Verlet / RATTLE: energy does not drift over long runs")                                             \
    ROW(RK4, "rk4", 4, JN_KIND_FIXED, jn_step_rk4, "classical Runge-Kutta, fixed step")                                \
    ROW(DOPRI45, "dopri45", 5, JN_KIND_ADAPTIVE, jn_step_dopri45, "Dormand-Prince 5(4), adaptive step")                \
    ROW(ADAMS, "adams", 0, JN_KIND_ADAPTIVE | JN_KIND_MULTISTEP, jn_step_cvode,                                        \
        "CVODE Adams-Moulton, variable step and order 1-12")                                                           \
    ROW(BDF, "bdf", 0, JN_KIND_ADAPTIVE | JN_KIND_MULTISTEP | JN_KIND_STIFF, jn_step_cvode,                            \
        "CVODE BDF, variable step and order 1-5, for stiff systems")                                                   \
    ROW(AUTO, "auto", 5, JN_KIND_ADAPTIVE, jn_step_dopri45, "dopri45, and bdf where compliant contacts are stiff")

#endif
