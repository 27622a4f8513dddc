/* Simulation in time: one model, one state, one work space, one integrator. */
#ifndef JOUNCE_STEP_H
#define JOUNCE_STEP_H

#include <jounce/motion.h>
#include <jounce/proximity.h>
#include <jounce/reaction.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One simulation: a model, a state, a work space, an integrator. Opaque. */
typedef struct jn_sim jn_sim;

/* What happened at an instant. Names live as long as the simulation. */
typedef struct jn_event {
    double time;                      /* [s] */
    const char *kind;                 /* impact, contact, separation, stick, slip, warning, ... */
    const char *where;                /* joint, contact or "" */
    double speed_before, speed_after; /* [m/s] */
    double impulse_n, impulse_t;      /* [N s] of a separation: integrals of normal force and of the size of friction */
} jn_event;

/* The run's own account: energy ledger, constraint violations, work done. */
typedef struct jn_audit {
    double energy_start;        /* [J] kinetic + potential + elastic at the start */
    double energy_size;         /* [J] largest sum of the entries' magnitudes: what round-off is measured against */
    double energy_scale;        /* [J] largest change of any entry of the ledger so far */
    double energy_residual;     /* [J] kinetic + potential + elastic + dissipated - driven - numerical - start, now */
    double max_energy_residual; /* [J] largest so far */
    double max_numerical;       /* [J] largest magnitude of the ledger's numerical entry so far */
    jn_wrench
        momentum_start; /* linear (f) [kg m/s] and angular (n) [kg m^2/s] about the world's origin, at the start */
    jn_wrench
        momentum_left; /* momentum - momentum_start - given: what the impulses from outside leave unexplained, now */
    double momentum_residual, angular_momentum_residual;         /* its sizes, now */
    double max_momentum_residual, max_angular_momentum_residual; /* largest so far */
    double momentum_scale, angular_momentum_scale; /* largest sum of the bodies' own, or impulse from outside, so far */
    double momentum_size, angular_momentum_size;   /* what round-off is measured against */
    double momentum_tolerance, angular_momentum_tolerance; /* relative to the scales: what counts as good */
    double max_position_violation;                         /* [m] or [rad] */
    double max_velocity_violation;                         /* [m/s] or [rad/s] */
    double max_penetration;                                /* [m] */
    double max_relative_penetration; /* largest penetration over half the thickness of the thinner of its shapes: above 1 bodies pass through each other */
    double half_thickness;           /* [m] of that shape; 0: no contact of shapes that have a thickness */
    const char *half_thickness_at;   /* the contact where that was; NULL: nowhere */
    double max_compliance; /* [m] how far contacts in piles gave way to their load, which they overlap by: run.compliance */
    double drawn_overlap; /* [m] sum over pairs of shapes of how deep they overlap as drawn, within what is allowed: methods nonsmooth and impact push them apart */
    double max_stop_overlap;     /* [m] or [rad] rigid stops of joints and tendons passed by so much */
    long contacts_lost;              /* compliant: contacts that were gone, or begun, while deep, with no other one of their pair: bodies pass through each other */
    double lost_depth;               /* [m] the deepest of them */
    const char *lost_at;             /* the last one; NULL: none */
    double max_creep; /* [m] or [rad] farthest that a coordinate went while its dry friction, which is regularised, was within what holds it */
    double creep_time;    /* [s] that this took */
    const char *creep_at; /* the joint or tendon; NULL: none crept */
    double contact_speed_error;  /* [m/s] largest: how far contact velocities were from meeting the laws */
    double contact_gain;         /* [J] gained by impacts with friction under Newton's law of restitution */
    const char *contact_gain_at; /* the contact where that was last; NULL: nowhere */
    long asleep;                 /* steps of a system at rest that were not solved again */
    long steps, rejected, evaluations, events, restarts;
    long stiff_steps;  /* of dopri45: as long as its stability allows, and shorter than its accuracy asks */
    double stiff_from; /* [s] integrator auto: when bdf took over for the first time; NaN: it did not */
    long impacts, impacts_unfinished;                       /* collisions; those that their law did not end */
    long impacts_limited, impacts_jammed, impacts_unsolved; /* of these, by jn_impact_end */
    long impacts_stopped;                                   /* 1: the run stopped after the impact events asked for */
    long
        jams; /* impacts without collision: friction left no other answer; nonsmooth: steps with contacts that friction jams */
    long
        impacts_bounded; /* nonsmooth: impacts of islands that had less restitution, since Newton's law with friction would have gained energy */
    long rests;                                   /* impacts without restitution that ended accumulations */
    double rest_loss;                             /* [J] lost by them */
    long knots;                                   /* nonsmooth steps of method impact, past knots of events */
    double knot_time, knot_first;                 /* [s] all of them together; when the first was */
    const char *knot_at;                          /* the contact of the first that has one; NULL: none */
    bool redundant_contacts;                      /* forces of resting contacts were not unique: those of least norm, */
    bool followed_contacts;                       /* or, in some steps, those near the last ones */
    long solver_iterations;                       /* of the contact problems */
    long fallbacks, unsolved;                     /* contact problems that a second solver ended, or none */
    long unconverged;                             /* implicit steps taken with one evaluation: no length converged */
    double energy_tolerance, violation_tolerance; /* what counts as good */
    double penetration_tolerance;                 /* [m] of a nonsmooth run; 0: not judged */
    bool ok;
    bool only_gain;    /* all that is wrong is contact_gain */
    char verdict[640]; /* in words: all that is wrong, or how good it is */
} jn_audit;

/* Creates a simulation in its assembled initial state. NULL on error, see the report. All memory is taken here. */
JN_API jn_sim *jn_sim_create(const jn_model *model, jn_report *report);
JN_API void jn_sim_free(jn_sim *sim);
/* Threads that work on one step, the caller among them, until the simulation is freed; without this call there is one. threads < 1: as many as the machine has. They share
 * what is large enough, contact problems of more than 2000 contacts of balls in one pile, the narrow phase of many pairs and loops over 256 contacts or bodies, and sleep otherwise; a model of fewer than 64 shapes keeps one. The bits are the same for
 * any number. Returns the number in use. Allocates; not while the simulation steps. */
JN_API int jn_sim_use_threads(jn_sim *sim, int threads);

/* Advances to the time t exactly. Fixed steps end at multiples of run.step: only where t is none the last one is shortened, and the next
 * call leads back to a multiple first. To look between steps without changing them, step beyond and use jn_sim_between. JN_OK; < 0:
 * see jn_sim_error. No allocation. */
JN_API int jn_sim_advance(jn_sim *sim, double t);
/* One step of the integrator, of its own choice of size for adaptive ones, not beyond t, and none from t on; INFINITY: as long as it chooses, a thousand times
 * run.until at most. JN_ERR_ARGUMENT for NaN, and from jn_sim_advance for a time that is not finite; the simulation stays as it is. */
JN_API int jn_sim_step(jn_sim *sim, double t);

/* The state at a time t within a step from `before` to the present state: coordinates by cubics through positions and velocities
 * (parabolas with the first velocity where the step had events of method nonsmooth or impact: jumps), orientations along the shortest rotation,
 * velocities and the ledger linear. Changes nothing of the simulation. O(n). */
JN_API void jn_sim_between(const jn_sim *sim, const jn_state *before, double t, bool jumps, jn_state *out);

/* Writes all that decides the next steps to a file, and reads it into a simulation of the same model (the same text and settings) and version,
 * which goes on with the same bits. Integrators adams and bdf start anew where they are saved. The format is that of little-endian machines;
 * forces put on by jn_sim_push, controllers and sinks are not in it. JN_OK, or < 0 with a report: a file that is damaged or belongs to another
 * model is an error and changes nothing. */
JN_API int jn_sim_save(jn_sim *sim, const char *path, jn_report *report);
JN_API int jn_sim_load(jn_sim *sim, const char *path, jn_report *report);
/* The same in memory: bytes that jn_bytes_free releases; NULL: no memory, or the simulation broke off. */
JN_API unsigned char *jn_sim_to_bytes(jn_sim *sim, size_t *size);
JN_API int jn_sim_from_bytes(jn_sim *sim, const unsigned char *bytes, size_t size, jn_report *report);
JN_API void jn_bytes_free(unsigned char *bytes);

/* Whether the run has come to the end that run.impact_events asks for; steps return JN_STOPPED then. */
JN_API bool jn_sim_stopped(const jn_sim *sim);

/* What the simulation holds. */
JN_API const jn_model *jn_sim_model(const jn_sim *sim);
JN_API jn_state *jn_sim_state(jn_sim *sim); /* may be changed; call jn_sim_restart then */
JN_API jn_work *jn_sim_work(jn_sim *sim);
/* After the state was changed by hand; the audit starts from there; clears an error. */
JN_API void jn_sim_restart(jn_sim *sim);
/* jn_system_derivatives at the present state, with compliant contacts (their friction states held). Methods nonsmooth and impact:
 * without contacts. The first call with contacts takes memory. */
JN_API int jn_sim_derivatives(jn_sim *sim, const double *tau, jn_derivatives *out);
/* jn_observe and jn_accelerate with the contacts of the simulation: everything at its present state, reactions included, for the calls that
 * read the work space; accelerations a (nv) and multipliers lambda (rows, may be NULL) at a state, under tau (nv, may be NULL). By methods
 * nonsmooth and impact contacts act with their forces of the last step. JN_OK, JN_ERR_NUMERIC. No allocation. */
JN_API int jn_sim_observe(jn_sim *sim);
JN_API int jn_sim_accelerate(jn_sim *sim, const jn_state *state, const double *tau, double *a, double *lambda);
/* Why the last advance or step returned < 0. */
JN_API const jn_error *jn_sim_error(const jn_sim *sim);
/* Updates and judges the audit at the present state. */
JN_API const jn_audit *jn_sim_audit(jn_sim *sim);
/* Events go to this function as they happen, in the middle of a step: the state and the contacts of the simulation are read when it has ended. */
JN_API void jn_sim_on_event(jn_sim *sim, void (*sink)(void *context, const jn_event *event), void *context);

/* A controller: adds its generalised forces to tau (nv), which is zero before, at every evaluation of the forces. It reads the state
 * and nothing else of the simulation; what it does is booked as driven. For control at fixed instants let it return what the loop around
 * jn_sim_advance has computed; call jn_sim_restart after a jump if the integrator is adams or bdf. NULL: none. */
typedef void jn_control(void *context, const jn_model *model, const jn_state *state, double *tau);
JN_API void jn_sim_on_control(jn_sim *sim, jn_control *control, void *context);

/* Puts a force and a torque on a body until changed; both zero: takes them away. World axes; the point, which moves with the body, is given
 * from its centre of mass in its axes, as in jn_body_jacobian. One force and torque per body: a second call replaces the first. They act
 * from the present time on, for every method; their work is booked as driven and their impulse as one from outside. They belong to the
 * simulation, not to its state. JN_OK; JN_ERR_ARGUMENT: the ground, no such body, or not finite. No allocation. */
JN_API int jn_sim_push(jn_sim *sim, int body, jn_vec3 point_on_body, jn_vec3 force, jn_vec3 torque);
/* Adds a value to the control of an actuator until changed; it is part of the state. JN_ERR_ARGUMENT. */
JN_API int jn_sim_control(jn_sim *sim, int actuator, double value);

/* Whether a body sleeps, with its island or with the whole system: it rests, and its contacts are not solved again until something wakes it.
 * Scheme momentum_leapfrog only. */
JN_API bool jn_sim_is_asleep(const jn_sim *sim, int body);

/* An active contact, as a user sees it. */
typedef struct jn_contact_view {
    int body[2];      /* bodies of the model */
    const char *name; /* of the contact row; lives as long as the model */
    jn_vec3 point;    /* [m] middle of the points on both bodies, world axes */
    jn_vec3 normal;   /* unit, from the first body to the second */
    double gap;       /* [m] < 0: penetration */
    jn_vec3 force;    /* [N] on the second body, its opposite on the first; method nonsmooth: mean of the last step */
    jn_vec3 impulse;  /* [N s] method nonsmooth: of the last step; else 0 */
    jn_vec3 slip;     /* [m/s] tangential velocity of the second body against the first, at the present velocities */
    jn_contact_mode mode; /* method nonsmooth: in the last step */
    int solid[2];         /* shapes of the model, as jn_model_solid counts them */
    jn_vec3 torque;       /* [N m] compliant: of rolling and spinning, on the second body; else 0 */
} jn_contact_view;

/* The active contacts of the last step (method nonsmooth: those that carried load, and those that rest without) or at the present state
 * (compliant, impact). Writes up to `room` of them, sorted by their shapes, and returns how many there are; out may be NULL if room is 0. None
 * before the first step of method nonsmooth or impact, and after the state was changed by hand. Points, normals and gaps are those of the
 * last collision detection: at the end of the step; moreau_jean and moreau_midpoint: in its middle. Changes no step. */
JN_API int jn_sim_contacts(const jn_sim *sim, jn_contact_view *out, int room);

/* What a sensor reads at the state last observed (jn_sim_observe), contacts and stops included; returns how many values. */
JN_API int jn_sim_sensor(jn_sim *sim, int sensor, double values[JN_SENSOR_MOST]);
/* jn_ray_cast at the present state. */
JN_API double jn_sim_ray(jn_sim *sim, jn_vec3 from, jn_vec3 direction, double far, int except, jn_ray_hit *out);

/* Contact problems that the first solver did not end go to this function, with the impulses found. The problem lives during the
 * call only. */
typedef void jn_problem_sink(void *context, double time, const jn_problem *problem, const double *p,
                             const jn_solve_result *result);
JN_API void jn_sim_on_problem(jn_sim *sim, jn_problem_sink *sink, void *context);

/* Many independent simulations, stepped by several threads. The same bits for any number of threads. */
typedef struct jn_batch jn_batch;
/* count simulations of one model in the assembled initial state; NULL on error, see the report. */
JN_API jn_batch *jn_batch_create(const jn_model *model, int count, int threads, jn_report *report);
/* The same of (count) models, one for each, that differ in their numbers alone: with other parameters. They may repeat. */
JN_API jn_batch *jn_batch_create_of(const jn_model *const *models, int count, int threads, jn_report *report);
JN_API void jn_batch_free(jn_batch *batch);
JN_API int jn_batch_count(const jn_batch *batch);
/* One of them: to change its state, give it a controller or look at it, between the calls below. */
JN_API jn_sim *jn_batch_sim(jn_batch *batch, int i);

/* Coordinates and velocities of all, without copies: those of simulation i begin at q + i stride and u + i stride. From the first of these
 * calls on, what is written there (or into jn_sim_state) counts from the next call on, as if jn_sim_restart were called; a number that is not
 * finite makes the simulation fail with JN_ERR_ARGUMENT until it is written again. NULL: no memory. */
JN_API double *jn_batch_q(jn_batch *batch, size_t *stride);
JN_API double *jn_batch_u(jn_batch *batch, size_t *stride);
/* Generalised forces (count x nv) that act on all during the calls below, zero at first: controls that change between calls. Takes the place
 * of the simulations' controllers. NULL: no memory. */
JN_API double *jn_batch_tau(jn_batch *batch);
/* Takes what was written of simulation i now: for calls that look at it. JN_OK, or the error of the simulation. */
JN_API int jn_batch_sync(jn_batch *batch, int i);
/* The present q and u of simulation i are its own: after jn_sim_step or jn_sim_load of jn_batch_sim. */
JN_API void jn_batch_accept(jn_batch *batch, int i);
/* Simulation i as it was created, with the bits of a new one; clears its error, its row of jn_batch_tau and what jn_sim_push put on it. */
JN_API int jn_batch_reset(jn_batch *batch, int i);

/* All of them to the time t, or by a number of steps of their integrators. One that fails stands still from then on, until jn_batch_reset,
 * jn_sim_restart or a new state; the others go on. JN_OK, or the worst status of all. No allocation. */
JN_API int jn_batch_advance(jn_batch *batch, double t);
JN_API int jn_batch_step(jn_batch *batch, long steps);
JN_API int jn_batch_status(const jn_batch *batch, int i);
/* go_on is called by the calling thread about twenty times a second during these calls, while no simulation steps; where it returns false they end with JN_STOPPED, each
 * simulation after some step of its own. NULL: none. */
JN_API void jn_batch_on_progress(jn_batch *batch, bool (*go_on)(void *context), void *context);

/* A collision by method impact. All of it lives during the call only, except the names. */
typedef struct jn_impact_report {
    double time;             /* [s] */
    const char *kind;        /* impact; rest: end of impacts that accumulate; jam: without collision */
    const char *const *name; /* (contacts) of the contact rows */
    const jn_impact_problem *problem;
    const int (*body)[2];                 /* (contacts) bodies of the model that touch */
    const jn_body_motion *before, *after; /* (bodies) positions and velocities */
    const jn_impact_record *record;
    const double *response; /* (6 bodies x d contacts) body velocities per unit impulse; NULL: not computed */
} jn_impact_report;
typedef void jn_impact_sink(void *context, const jn_impact_report *impact);
JN_API void jn_sim_on_impact(jn_sim *sim, jn_impact_sink *sink, void *context);
/* States on the way through the impulses of an impact, before it is reported. */
JN_API void jn_sim_on_impact_path(jn_sim *sim, void (*sink)(void *context, const jn_impact_sample *sample),
                                  void *context);

#ifdef __cplusplus
}
#endif

#endif
