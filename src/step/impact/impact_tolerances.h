/* Tolerances and limits of the impact method, each with its unit and the reason for its size. Relative ones say of what. */
#ifndef JN_STEP_IMPACT_IMPACT_TOLERANCES_H
#define JN_STEP_IMPACT_IMPACT_TOLERANCES_H

/* ----------------------------------------------------------------------------------------------- sizes and defaults */
enum {
    JN_IMPACT_CONTACTS_MOST = 192, /* of one instant: their matrices are dense */
    JN_IMPACT_CONTACTS_LEAST = 32, /* that there is room for in every model */
    JN_IMPACT_EVENTS_KEPT = 512,   /* of one impact, for those who follow it */
    JN_RESPONSE_CONTACTS = 32,     /* contacts, */
    JN_RESPONSE_IMPACTS = 200,     /* and collisions of an instant up to which responses of bodies are kept */
};
#define JN_IMPACT_REST_TIME 1e-7  /* [s] default of run.rest_time: a hop of 1e-7 s under gravity is 1e-14 m high */
#define JN_IMPACT_KNOT_STEP 1e-6  /* [s] default of run.knot_step: gravity changes velocities by 1e-5 m/s in it */
#define JN_IMPACT_CLOSED_REL 1e-9 /* of the size of what moves, 1 m at most: smaller gaps are closed */
#define JN_IMPACT_STILL_REL 1e-10 /* of the fastest link, 1 m/s at least: slower is at rest */

/* ------------------------------------------------------------------------------------------------- steps of smooth motion */
enum {
    JN_IMPACT_PROJECTIONS_MOST = 6, /* of positions onto closed contacts by Newton's method, which stalls before */
    JN_IMPACT_CRUMBS_MOST = 50,     /* steps in a row that are much shorter than a knot step: then a knot */
    JN_IMPACT_JAMS_MOST = 3,        /* impacts that end a jam, of one instant */
    JN_IMPACT_LAWS_MOST = 1000, /* solutions of the law of many bodies within a crowd of knot steps: then a knot, */
    JN_IMPACT_LAWS_NEAR = 50,   /* and next to one: each costs as much as a step past it */
};
#define JN_IMPACT_PROJECTED_REL 1e-7   /* of a closed gap: contacts so near to their surfaces are on them */
#define JN_IMPACT_PROJECTION_STALL 0.5 /* of the residual before: a projection that gains less has stalled */
#define JN_IMPACT_DRIFT_REL 0.1        /* of a closed gap: contacts that drift further are projected */
#define JN_IMPACT_REST_STEP 0.01       /* [s] longest step while all bodies rest: loads may change meanwhile */
#define JN_IMPACT_REST_RATE 1e-3       /* [1/s] bodies that turn, or move by their size, slower are at rest for that */
#define JN_IMPACT_KINK_SIDE_REL 4e-15  /* of the time: just before or behind a kink; 18 units in its last place */
#define JN_IMPACT_KINK_TIME_LEAST 1e-3 /* [s] times near zero count as this */
#define JN_IMPACT_CRUMB_REL 1e-3       /* of a regular step: shorter ones, before an event, do not set the next */
#define JN_IMPACT_CRUMB_RESUME 1e-2    /* of a regular step: the step after such a one */
#define JN_IMPACT_CRUMB_KNOT_REL                                                                                       \
    1e-2                            /* of a knot step: steps shorter than that count towards JN_IMPACT_CRUMBS_MOST; all
                                          of it where features of contacts come and go within the step */
#define JN_IMPACT_FIRST_STEP 1e-3   /* [s] a step that is not known yet, where stiffness of slip is judged */
#define JN_IMPACT_SLIP_STABLE 1.6   /* |h lambda| of explicit steps in slow slip: about half the limit of dopri45 */
#define JN_IMPACT_SLIP_IMPLICIT 0.5 /* of such a step: explicit ones that would be longer become implicit, */
#define JN_IMPACT_SLIP_EXPLICIT 1.5 /* and implicit ones that are not longer than this explicit again */

enum {
    JN_STIFF_EVERY = 50, /* explicit steps: then the rate of stiff forces is looked at; it costs some evaluations */
    JN_STIFF_ITERATIONS = 12,  /* of the power method for it: an eigenvalue ten times the next is known to 1e-12 */
    JN_STIFF_VELOCITIES = 120, /* of a model at most: their matrices are dense */
};
#define JN_STIFF_STABLE 3.3 /* |h lambda| that explicit steps of dopri45 may have */
#define JN_STIFF_NEAR 0.5   /* of such a step: explicit ones that would be longer become implicit */
#define JN_STIFF_LONGER                                                                                                \
    2 /* times such a step: the first implicit one; where they become shorter than it they are explicit again */
#define JN_STIFF_DRIFT 1e-2 /* of a step: difference by which the drift of accelerations is found */
#define JN_STIFF_KNOT 0.3   /* of such a step: no step of a knot is longer, for forces are explicit there */

/* ----------------------------------------------------------------------------------------------------------- events */
enum {
    JN_EVENT_TRIALS_MOST = 100,     /* to locate an event: each fourth halves its bracket */
    JN_EVENT_STEPS_MOST = 20,       /* of a trial, where the motion is not smooth */
    JN_EVENT_SLIP_STEPS_MOST = 100, /* of a trial in slow slip, whose steps are short */
    JN_EVENT_BISECT_EVERY = 4,      /* trials: one of them halves the bracket */
};
#define JN_EVENT_GAP_REL 3e-6 /* of a closed gap: gaps are brought so near to zero; 3e-15 of the size of what moves */
#define JN_EVENT_TIME_ROUND_OFF 4.4e-16 /* of the time: two units in its last place, at the rate of the gap */
#define JN_EVENT_TIME_BEYOND 4e-16      /* of the time: a trial that is to lie behind the event */
#define JN_EVENT_TIME_SAME 2e-16        /* of the time: times nearer than this are one */
#define JN_EVENT_TIME_SAME_STEP 1e-3    /* of the step: what times near zero count as, for that */
#define JN_EVENT_HOLD_TIME 1e-12        /* [s] the same of departures, which have no sign to come nearer by */
#define JN_EVENT_BEYOND_REL 1e-3 /* of the bracket, or of the distance to the guess: the far end must come, too */
#define JN_EVENT_INSIDE_REL 1e-6 /* of the bracket: trials stay that far behind its start */
#define JN_EVENT_HOLD_REL 3e-12  /* of the largest acceleration: ten times what the solvers of few contacts leave, */
#define JN_EVENT_HOLD_MANY_REL 1e-10 /* and those of many */
#define JN_EVENT_HOLD_NOW 3          /* times that: departures so small are at the event */

enum {
    JN_GRAZE_TRIALS = 16, /* steps to a minimum: Newton's method on the rate of the gap */
    JN_GRAZE_MOST = 16,   /* minima of a step that turn out to lie above zero */
};
#define JN_GRAZE_APART 1e-3 /* of a step: minima that are nearer to each other are one */
#define JN_GRAZE_MET 0.1    /* of a minimum above zero: cubics that miss the motion by less have found it */
#define JN_EVENT_ROUND_EDGE                                                                                            \
    0.92 /* of the radius: centres of pressure inside do not leave a polygon of eight points, cos 22.5 deg */
#define JN_EVENT_ROUND_SAME 1e-6 /* [rad] a circle whose points begin this near to it is not turned */
#define JN_EVENT_SLIP_NOISE 0.5  /* of creep: speed against its slip that a contact at its start may have */
#define JN_EVENT_STOP_REL 1e-3   /* of creep: a slip that has turned back by more has stopped */

/* ------------------------------------------------------------------------------------------------ modes and their forces */
enum {
    JN_BIAS_TRIES = 4,  /* of a central difference, with a shorter time where contacts wander far in it */
    JN_MODES_TURNS = 3, /* changes of the contacts that carry no load, in search of forces within the cones */
};
#define JN_MODES_PROBE_REL 1e-5  /* of the largest acceleration: how far along the way of the loads the law is asked */
#define JN_MODES_SOLVER 10       /* times what the solver left of the law: accelerations below are none */
#define JN_MODES_MOVES_REL 1e-9  /* of the largest acceleration: slower is none */
#define JN_MODES_PROBE_MOVES 1e6 /* times probe and moves: a thousandth of the probe */
#define JN_MODES_LOAD_CHANGE_REL 1e-13 /* of the largest acceleration: loads that changed by less have not */
#define JN_MODES_UNSTABLE_PUSH 1e6     /* times the largest acceleration: opens a contact for certain */
#define JN_MODES_RANK_REL 1e-9         /* of the largest pivot: forces with a smaller one are redundant */
#define JN_MODES_SLACK_GROWTH 10       /* of hold tolerances, where forces do not hold and no mode changes, */
#define JN_MODES_SLACK_MOST 1e4        /* at most: 3e-8 of the largest acceleration */
#define JN_MODES_SLACK_FALL 0.1        /* with every step, down to 1 */
#define JN_FORCES_RIGID_REL 1e-7       /* of the largest acceleration: contacts whose forces leave less are at rest */
#define JN_FORCES_DEPARTURE_REL 1e-11  /* of the largest acceleration: forces that depart less are of the modes, */
#define JN_FORCES_DEPARTURE_BASE 9     /* times this and the slack: 1e-10 as long as forces hold */
#define JN_FORCES_WEIGHT_REL 1e-3      /* of gravity: accelerations below it are the noise of weights that cancel */
#define JN_FORCES_SAME_SIDE 0.8        /* cosine between normals: of more than a step turns a body */
#define JN_BIAS_SHIFT_REL 1e-5 /* of their size: how far contacts move for a central difference; its error is 1e-10 */
#define JN_BIAS_WANDER_MOST                                                                                            \
    1e-3                     /* of the smaller solid: how far contacts may move over both surfaces then; balls: 1e-5 */
#define JN_BIAS_SHORTER 1e-4 /* of the time, at most: for rims that have just left their planes */
#define JN_BIAS_RATE_LEAST 1e-100 /* [1/s] the bias is less than any round-off, and the time for it may overflow */

/* ------------------------------------------------------------------------------------------------- impacts and knots */
#define JN_IMPACT_SLOW 1e-6         /* [m/s] slower impacts count as changes of modes */
#define JN_IMPACT_STOP_SPEED 1e-9   /* [m/s] slips that are slower where one stops have stopped, too */
#define JN_IMPACT_GAIN_REL 1e-9     /* of the energy before: a law that adds more than that has gained energy */
#define JN_IMPACT_APPROACH_REL 2e-9 /* of the contact velocities: twice the approach that laws take for none */
#define JN_IMPACT_PUSH_REL 3e-9     /* of the slip: approach of a contact that jams, thrice what laws take for none */
enum {
    JN_CROWD = 32,           /* changes of modes that make a knot where they are less than so many knot steps apart: */
    JN_KNOTS_APART = 10,     /* these */
    JN_CROWD_NEAR_KNOT = 8,  /* part of them that does where a knot was passed a moment ago */
    JN_KNOT_STEPS_NEAR = 16, /* steps next to a knot that together do not get on by its length: another one */
    JN_KNOT_DOUBLINGS = 10,  /* of its length, where knots follow each other */
    JN_KNOT_PASSES = 2,      /* of the forces: at the velocities of the start, and at the mean ones */
    JN_KNOT_PIECES = 100,    /* steps of a knot, which end where contacts close */
};
#define JN_KNOT_APART_MOST 64e-6 /* [s] times 10: changes further apart are no knot, however long it would be */
#define JN_KNOT_TURN_MOST 0.01   /* [rad] that no body turns further in a step of a knot */
#define JN_KNOT_SINK_MOST 10 /* times a closed gap: what contacts may leave their surfaces in it, or sink into others */
#define JN_KNOT_SINK_MORE 1.001 /* times what they had sunk before, where that is more */
#define JN_KNOT_FALL_REACH 10 /* times the height of a fall in it: open contacts this near may close in it */
#define JN_KNOT_SHORTER 0.25  /* of a step in which contacts drift: the next attempt, */
#define JN_KNOT_LONGER 2      /* and of one in which they do not: the one after it */
#define JN_KNOT_UNSTOPPED 0.5  /* of the speed at which a closed contact approached: more of it at the end is a motion that takes no notice of impulses */

/* --------------------------------------------------------------------------------------------------------- slow slip */
#define JN_SLIP_ERROR_SAFETY 3 /* times the root mean square: errors of a slip that starts do not cancel */
#define JN_SLIP_CHANGE_MOST 2  /* times its speed: the Jacobian is that of one direction and speed */

#endif
