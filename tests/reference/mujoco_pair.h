/* One MJCF file read by MuJoCo and by Jounce: the two models side by side at the same state.
 *
 * A free joint of ours carries the velocity of the centre of mass and the angular velocity in world axes, MuJoCo's that of the
 * body's origin and the angular velocity in the body's axes; balls likewise: u = T u_mujoco, block by block. */
#ifndef JN_TESTS_MUJOCO_PAIR_H
#define JN_TESTS_MUJOCO_PAIR_H

#include "algebra/vec3.h"
#include <jounce/jounce.h>
#include <mujoco/mujoco.h>

typedef struct pair {
    mjModel *m;
    mjData *d;
    jn_description *description;
    jn_model *model;
    jn_work *work;
    jn_state *state;
    bool global;    /* frames of bodies are their principal axes as drawn */
    int nv, *joint; /* (their joints) ours */
    int *body;      /* (their bodies) ours; -1: none */
    double *T;      /* (nv x nv) */
    jn_quat *own;   /* (their bodies) orientations of our frames as drawn */
    jn_quat *apart; /* and of theirs in ours, which differ where MuJoCo chooses the frame */
    bool loud;      /* differences are printed */
    bool limited;   /* sensors: MuJoCo's limits are on */
    char why[600];  /* after pair_open failed */
} pair;

/* Both read the file; false with the reason if one of them cannot, or if they find other joints. */
bool pair_open(pair *x, const char *path, const jn_setting *settings, int count);
void pair_close(pair *x);
/* A random state in both programs, and T; MuJoCo has computed all that hangs on positions and velocities. */
void pair_draw(pair *x, unsigned *seed);
/* Our state in MuJoCo, which computes all that hangs on positions and velocities. */
void pair_give(pair *x);
/* [-1, 1] */
double pair_uniform(unsigned *seed);

/* Largest differences: of masses and inertias of bodies, relative; of mass matrix and bias, relative to the largest entry; of
 * places [m] and turns [rad]; of Jacobians; of lengths and rates of tendons, and of their moments. */
double pair_inertias(const pair *x);
/* Takes MuJoCo's inertias over and compiles anew: it finds principal axes to some 1e-6 only. */
void pair_take_inertias(pair *x);
/* Takes loops, couplers, dry friction and stops out of ours: MuJoCo is asked for what it computes without constraints. */
void pair_loosen(pair *x);
double pair_mass(pair *x);
double pair_bias(pair *x);
double pair_poses(pair *x);
double pair_jacobians(pair *x);
double pair_tendons(pair *x);
double pair_moments(pair *x);
/* Forces, lengths, speeds of actuators and rates of their activations; values of sensors, and how many there are in both: relative where
 * above 1, without constraints. */
double pair_actuators(pair *x);
double pair_sensors(pair *x, int *count);
/* Passive and actuator forces along MuJoCo's velocities, relative to the largest of them and of the bias, at least 1; after
 * pair_actuators or pair_sensors, which let MuJoCo compute them. */
double pair_forces(pair *x);
/* Ours of MuJoCo's actuator, -1: none; how many there are; control and activation of it in both. */
int pair_actuator(const pair *x, int actuator);
int pair_count_actuators(const pair *x);
void pair_control(pair *x, int actuator, double control, double act);
/* Place of the activation of MuJoCo's actuator in its state. */
int pair_activation(const pair *x, int actuator);
/* Accelerations by all forces but those of contacts, limits, dry friction and equalities, for the controls in d->ctrl. */
double pair_accelerations(pair *x);

#endif
