/* Another program's dynamics on the same mechanism, so that both are timed in one run. Mechanisms are trees of revolute
 * joints, the base free or not, given in global coordinates as tests/common/scenes.c makes them. */
#ifndef JN_BENCH_PEER_H
#define JN_BENCH_PEER_H

#include <jounce/step.h>

typedef struct peer {
    const char *name;
    void *(*create)(const jn_description *d, double step); /* NULL: it cannot hold the mechanism */
    void (*free)(void *it);
    /* Takes over the state; work space filled by jn_observe at it. */
    void (*set)(void *it, const jn_model *m, const jn_work *w, const jn_state *s);
    /* Accelerations under joint forces tau (nv), written in the velocities of ours. */
    void (*accelerations)(void *it, const double *tau, double *a);
    /* One call each, kinematics included, from the state that was set. NULL: it has no such function. */
    void (*rnea)(void *it), (*forward)(void *it), (*crba)(void *it), (*step)(void *it);
    void (*reset)(void *it); /* back to the state that was set */
} peer;

extern const peer peer_mujoco;

#endif
