/* Tolerances and limits of the nonsmooth method, each with its unit and the reason for its size. Relative ones say of what. */
#ifndef JN_STEP_NONSMOOTH_NONSMOOTH_TOLERANCES_H
#define JN_STEP_NONSMOOTH_NONSMOOTH_TOLERANCES_H

/* ------------------------------------------------------------------------------------------------------ all schemes */
#define JN_STILL 1e-9               /* [m/s] slower is at rest: a nanometre per second is below any model's accuracy */
#define JN_POWER_ROUND_OFF_REL 1e-8 /* of the work of a contact: sums of products of solved velocities lose that much */
#define JN_OUTSIDE_STOP 1e-3        /* [m] or [rad] beyond a stop; less is pushed back in the first step */
#define JN_LOCKED_INVERSE_MASS 1e-12 /* [1/kg] or [1/(kg m^2)] a coordinate that joints lock has less: round-off of 1 */

/* Elements that are implicit in the step: stiff/stiff_system.c */
#define JN_STIFF_SOFT_REL 0.02 /* of the inertia that an element moves: one that adds less needs no matrix */
#define JN_STIFF_MAY_REL 0.25  /* of the inertia: explicit dampers, taken at extrapolated velocities, are stable up to 0.5 */
#define JN_STIFF_LATE_REL 1.0  /* of the inertia: stiffer elements act with what they have at the end of a segment */
#define JN_STIFF_UNSEEN_REL                                                                                            \
    40.0                             /* of the inertia: a period of less than a step, (2 pi)^2; such springs between
                                  * bodies without loops act late */
#define JN_STIFF_TANH_IS_LINEAR 1e-4 /* argument below which tanh(z)/z is 1 to z^2/3 = 3e-9 */
enum { JN_STIFF_ROWS_MOST = 2000 };  /* more rows stay explicit: their matrix is dense */

/* ------------------------------------------------------------------------------------------------- momentum leapfrog */
/* Passes of Newton's method over a segment: leapfrog.c */
enum {
    JN_LEAPFROG_PASSES_MOST = 40,     /* of one segment; each shrinks the error by about h |w| */
    JN_LEAPFROG_PASSES_FREE = 8,      /* passes before a growing change is a failure: the first ones may overshoot */
    JN_LEAPFROG_CLOSURES_MOST = 12,   /* corrections of what the linear prediction of the constraints misses */
    JN_LEAPFROG_GAPS_MOST = 4,        /* corrections of gaps that end too deep, each a solution of the segment */
    JN_LEAPFROG_HELD_MOST = 3,        /* solutions in which more contacts have compressed their springs by their most */
    JN_LEAPFROG_PILE = 32,            /* balls that move freely, from which on contacts of balls give way; twice as many: by all of run.compliance */
    JN_LEAPFROG_BENDS_MOST = 3,       /* passes in which the bends of gaps may be scaled anew */
    JN_LEAPFROG_MISSED_MOST = 6,      /* solutions of the segment with contacts that the one before missed */
    JN_LEAPFROG_END_POINTS_MOST = 64, /* such contacts in a step */
    JN_LEAPFROG_HALVES_MOST = 10,     /* halvings of a step that fails: to a thousandth of it */
    JN_LEAPFROG_HALVES_SINGULAR = 4,  /* the same of a loop without contacts whose bodies do not turn far */
    JN_LEAPFROG_SAMPLE_EVERY = 32,    /* steps between samples of the audit, which evaluate all forces */
};
#define JN_LEAPFROG_TURNS_FAR 0.1           /* [rad] in a step: passes gain a digit at least if bodies turn less */
#define JN_LEAPFROG_SPEED_FLOOR 1e-6        /* [m/s] or [rad/s] what changes are relative to where all is at rest */
#define JN_LEAPFROG_CHANGE_REL 1e-13        /* of the velocities: a segment without contacts is solved to round-off */
#define JN_LEAPFROG_CHANGE_CONTACT_REL 1e-5 /* the same with contacts, whose problem is solved to run.residual alone */
#define JN_LEAPFROG_LEFT_REL 1e-4         /* the same: what contact problems solved twice may leave for the next node */
#define JN_LEAPFROG_KEEP_AGAIN                                                                                         \
    1e-2 /* of the residual: what a corrected aim may change before its problem is solved again */
#define JN_LEAPFROG_STALL_REL 1e-9        /* of the velocities: smaller changes that no longer halve are round-off */
#define JN_LEAPFROG_STALL_CHAIN 4         /* units of round-off times the square of a chain's length: the same; 1 was seen */
#define JN_LEAPFROG_CLOSED 1e-11          /* [m] or [rad] within which a segment ends on the constraints */
#define JN_LEAPFROG_CLOSED_STALL 1e-9     /* [m] or [rad] the same, where it no longer halves */
#define JN_LEAPFROG_STALL_RATIO 0.5       /* of the change before: an iteration that gains less has stalled */
#define JN_LEAPFROG_WEIGHT_REL 1e-9       /* weights of stiff elements that differ by less are those of equal steps */
#define JN_LEAPFROG_DEEPEST_REL 1e-4      /* of the smallest shape: overlap that is allowed where the run names none */
#define JN_LEAPFROG_SWING_MOST 8.0 /* [rad] phase of a swing across a spring in a step: from 2 on an explicit force gains energy, here 4000 times */
#define JN_LEAPFROG_SWING_TURN 3.0 /* [rad] in a step: a body turns so far that its spring pulls anywhere, */
#define JN_LEAPFROG_SWING_ARM 0.25 /* [rad^2] where that swings it by half a radian in the step */
#define JN_LEAPFROG_SWING_FINE 0.5 /* [rad] of a swing or turn that a step resolves */
#define JN_LEAPFROG_BOUNCE_TRIES 20  /* factors of restitution that are tried where it gains energy */
#define JN_LEAPFROG_BOUNCE_REL 1e-6  /* of the factor, which need not be found better */
#define JN_LEAPFROG_BOUNCE_EDGE 0.02 /* of the interval: trials stay away from its ends, so that it shrinks */
#define JN_LEAPFROG_GIVEN_MOST 0.05  /* of the energy of motion: contacts that give more make the step shorter */
#define JN_LEAPFROG_GAIN_ERROR 4 /* times the speed error of the contact problem: noise of an impact's energy */

/* Which contacts may act: leapfrog_choice.c */
#define JN_LEAPFROG_REACH_IMPACT 2 /* times the fastest impact: an elastic one from a heavy body doubles the speed */
#define JN_LEAPFROG_REACH_REST                                                                                         \
    8 /* steps of gravity: impacts as fast are allowed for before any is known, since contacts at rest are such in every step */
#define JN_LEAPFROG_REACH_APPROACH 0.5 /* times the rate of the gap: what impulses of others may add to it */

/* What the motion bends gaps by: leapfrog_bends.c */
#define JN_LEAPFROG_RIM_TURN 0.5      /* [rad] of a rim, along which a contact point runs on in a step */
#define JN_LEAPFROG_ENCLOSED_SWING 0.5 /* [rad^2] of a swing in a hollow that a segment resolves */
#define JN_LEAPFROG_ENCLOSED_TURN 0.5 /* [rad] about the middle of a hollow: further on, a segment does not know where it ends */

/* Contacts that a segment missed: leapfrog_gaps.c */
#define JN_LEAPFROG_AIM_DEPTH 0.5       /* of the allowed overlap: what corrections of deeper gaps aim at, so that what they miss is allowed */
#define JN_LEAPFROG_RESPONSE_LEAST 0.25 /* of what the last correction of a gap asked for: what is counted on at least */
#define JN_LEAPFROG_MISSED_DEPTH 2.0 /* times the allowed overlap: what gaps that were corrected may leave */
#define JN_LEAPFROG_SHORTEST_DEEP 0.065 /* of the run's step: longer segments that end too deep are halved, to a sixteenth */
#define JN_LEAPFROG_SAME_POINT 0.02  /* of the smallest shape: points so near feel the same impulse */

/* Laws of the contacts: leapfrog_laws.c */
enum {
    JN_LEAPFROG_STAGES_MOST = 60, /* impacts that follow each other at a node */
    JN_LEAPFROG_JAMS_MOST =
        8, /* problems of a pass that leave out what the one before could not meet; the last leaves out all of an island */
    JN_LEAPFROG_STAGED_CONTACTS = 64, /* of an island, up to which they do: larger ones are piles */
    JN_LEAPFROG_EXACT_JOINTED = 16    /* of one with joints, up to which problems are solved to round-off as a rule */
};
#define JN_LEAPFROG_UNRESOLVED 4 /* units of round-off of places in the world: distances so small are none */
#define JN_LEAPFROG_LEFT                                                                                               \
    0.3 /* the same in larger islands of bodies with faces or joints, of the residual times the step */
#define JN_LEAPFROG_ANCHOR_SLACK                                                                                       \
    10 /* of the residual times the step: how far contacts of balls that stick may creep in islands of more than STAGED_CONTACTS */
#define JN_LEAPFROG_COMPLIANT_OVERLAP 6e-4 /* of the radius of a ball: by which contacts that give way overlap at most, as under impacts elsewhere in the pile */
#define JN_LEAPFROG_COMPLIANT_SWING 0.05   /* of the square of the step, over the mass of the heaviest body: contacts are no softer, so that it swings on one of them in 1.4 steps at most */
#define JN_LEAPFROG_COMPLIANT_SLACK 1.01   /* times that: what the next node finds is held there */
#define JN_LEAPFROG_WAITS_GAP 1e-12 /* [m] contacts with a larger gap may impact one after the other at a node */
#define JN_LEAPFROG_FAR_OPEN 100.0  /* times the fastest contact velocity: keeps a contact open */
#define JN_LEAPFROG_LIVELY 0.5      /* restitution from which impacts are staged in piles too; below, energy is lost */
#define JN_LEAPFROG_BALL_REL_SQUARED 1e-24 /* (centre off the centre of mass / radius)^2: a ball to round-off */
#define JN_LEAPFROG_SLIDES_ON 4   /* times what friction changes in a step: faster slip cannot end at this node */
#define JN_LEAPFROG_BEND_FALL 0.1 /* of h^2 g: bends that miss less than this are not posed again */
#define JN_LEAPFROG_BEND_REL 1e-3 /* the same, of the bend */

#define JN_LEAPFROG_JAM_OFF_REL 1e-3 /* of the smallest shape: what the audit allows of overlaps */
#define JN_LEAPFROG_IMMOBILE_REL 1e-20 /* of the mobility along the tangents, the square of a ratio of rows: less is round-off of a row that is zero */
#define JN_LEAPFROG_JAM_DEMAND 0.1 /* of the largest demand: corrections that share so much in what cannot be are left out */

/* Contacts after the solution: leapfrog_contacts.c */
#define JN_LEAPFROG_OVERLAP_ROUND_OFF 1e-12 /* [m] overlaps so small are round-off */
#define JN_LEAPFROG_CONE_REL 1e-9           /* of what dry friction may be: what leaves more than this of it sticks */
#define JN_LEAPFROG_SLIP_ERROR 2     /* times the speed error of the contact problem: slower slip may be its error */
#define JN_LEAPFROG_ROLLED 1e-7      /* [m] a contact point that moves further over its bodies in a step rolls */
#define JN_LEAPFROG_LASTING_GROWTH 4 /* times the last forces, or those of a step: larger impulses are of impacts */
#define JN_LEAPFROG_STEADY_GROWTH 1.5 /* times the last force: what the next node has is unknown */
#define JN_LEAPFROG_STEADY_FALL 0.05  /* of h g: a new contact that stopped faster bodies will have another force */
#define JN_LEAPFROG_STEADY_PART 0.1   /* of the loads of a body: what does not go on is more, and its forces are unknown */
#define JN_LEAPFROG_WEIGHT_BORNE 1.2 /* times the weight of all bodies: a new contact that bears more is of an impact */
#define JN_LEAPFROG_SLOW_FALL 0.5    /* of h g: bodies that approach slower have not fallen for a step */
#define JN_LEAPFROG_PUSH_FALL 0.1    /* of h times what forces do in a step: deeper overlaps are pushed out */

/* Sleep: leapfrog_sleep.c */
enum { JN_SLEEP_STEPS = 20 }; /* at rest before sleep, at least, however long they are */
#define JN_SLEEP_TIME 0.5     /* [s] what begins to move is faster than the bound by then, if it has 1e-6 of gravity */
#define JN_SLEEP_SPEED 50     /* times the residual of the contact problems [m/s]: such speeds are rest */

/* ------------------------------------------------------------------------------------------- Moreau's schemes */
/* Fixed point of an implicit step: moreau_fixed_point.c */
enum {
    JN_EVALUATIONS_MOST = 30,     /* of a step */
    JN_FIXED_POINT_FREE = 8,      /* evaluations before growth is a failure */
    JN_FIXED_POINT_IDLE_MOST = 8, /* evaluations without gain before it is one */
    JN_MOREAU_PARTS_MOST = 16,    /* into which a step is cut for a problem that is not solved */
    JN_MOREAU_SAMPLE_EVERY = 16,  /* steps between samples of the audit */
};
#define JN_FIXED_POINT_SPEED_FLOOR 1e-3 /* [m/s] or [rad/s] added to the size that changes are relative to */
#define JN_FIXED_POINT_DONE_REL 1e-13   /* of the velocities: round-off of an evaluation */
#define JN_FIXED_POINT_NEAR_REL 1e-9   /* the same: below, changes shrink as predicted, and the last need not be seen */
#define JN_FIXED_POINT_STALL_REL 1e-10 /* the same: smaller changes that no longer halve are round-off */
#define JN_FIXED_POINT_STALL_RATIO 0.5 /* of the change before */
#define JN_FIXED_POINT_FAIL_REL 1e-8   /* the same: what may be left when evaluations run out */
#define JN_FIXED_POINT_GROWTH 2        /* times the change before: the iteration diverges */
#define JN_FIXED_POINT_GAIN 0.7        /* of the least change: an evaluation that gains less is idle */
#define JN_FIXED_POINT_PER_SPEED 1e-4  /* [s/m] relative change per residual of the contact problem */
#define JN_FIXED_POINT_NOISE 1e3       /* times that: changes so small may be those of the contact problem's solution */
#define JN_FIXED_POINT_BELOW 0.1       /* of the residual: what is smaller would be lost in it */
#define JN_FIXED_POINT_SWINGS -0.25    /* ratio of changes: more negative goes to and fro */
#define JN_FIXED_POINT_PART_LEAST 0.1  /* of a change that is made: shorter ones would not arrive */
#define JN_FIXED_POINT_RATIO_MOST 0.9  /* of changes, for the secant: longer ones would leap */
#define JN_FIXED_POINT_RATE_FORGOTTEN 1.05 /* growth of a rate that was not measured: it is measured again in time */
#define JN_FIXED_POINT_RATE_LEAST 1e-4     /* rate after a change that stalled: below, nothing is predicted better */
#define JN_FIXED_POINT_RATE_STALLED 0.1 /* of the rate before, where changes stall: the first evaluation was enough */
#define JN_FIXED_POINT_RATE_FALL 0.3    /* of the rate before: it falls no faster from one step to the next */

#define JN_DRIVER_LAG 1e-16       /* [m] or [rad] a driver's motion that a step misses by less, it follows */
#define JN_MOREAU_ROUND_REL 1e-12 /* of the largest moment of inertia: a body whose moments differ by less is a ball */
#define JN_MOREAU_CLOSED 2e-9     /* [m] gaps at the start of a step that ends at impacts: smaller ones are closed */
#define JN_MOREAU_FORCED_REL 2e-3 /* of the run's step: shorter steps are taken without convergence, and counted */
#define JN_MOREAU_WHOLE_REL 1e-6  /* of a step: one that is cut by less ends where it was to end */
#define JN_MOREAU_SHORTEST_ROUND 1.01 /* times the shortest part: equal but for round-off of halving */

/* Least constraint: least_constraint.c */
enum {
    JN_LEAST_ITERATIONS_MOST = 60, /* of Newton's method */
    JN_LEAST_FAR_AFTER = 10,       /* iterations after which it must be near */
    JN_LEAST_GROWS_AFTER = 20,     /* iterations after which a growing change is a failure */
};
#define JN_LEAST_CLOSED 1e-10      /* [m] gaps below it are closed: well above what Newton's method leaves */
#define JN_LEAST_SPEED_FLOOR 1e-12 /* [m/s] or [rad/s] what changes are relative to where all is at rest */
#define JN_LEAST_CHANGE_REL 1e-14  /* of the velocities: round-off */
#define JN_LEAST_STALL_REL 1e-9    /* the same: smaller changes that no longer halve are round-off */
#define JN_LEAST_ROUND_OFF 16      /* units of round-off of a place: errors of gaps and joints, sums of about ten terms */
#define JN_LEAST_STALL_RATIO 0.5   /* of the change before */
#define JN_LEAST_FAR_REL 1e-3      /* the same: Newton's method is lost */
#define JN_LEAST_GROWTH 2          /* times the change before: it diverges */
#define JN_LEAST_LESS_REL 1e-9     /* constraints Z that differ by less are alike */

/* The instant at which a step ends: contact_instant.c */
enum {
    JN_INSTANT_TRIALS_MOST = 80, /* of regula falsi and bisection together: 40 halvings are 1e-12 of a step */
    JN_INSTANT_FALSI_MOST = 40,  /* trials of regula falsi before bisection */
};
#define JN_INSTANT_ROOT 1e-13 /* [m] how close to zero a gap is brought: round-off of a scene of metres is 1e-16 */
#define JN_INSTANT_SHORTEST_REL 1e-3 /* of the run's step: h- where the run names none */
#define JN_INSTANT_BRACKET_REL 1e-15 /* of the step: a bracket so short is round-off */
#define JN_INSTANT_INSIDE 0.001      /* of the bracket: trials stay that far from its ends */

#endif
