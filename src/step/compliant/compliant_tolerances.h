/* Tolerances and limits of the compliant method, each with its unit and the reason for its size. Relative ones say of what. */
#ifndef JN_STEP_COMPLIANT_COMPLIANT_TOLERANCES_H
#define JN_STEP_COMPLIANT_COMPLIANT_TOLERANCES_H

/* Start of a contact: contact_locate.c. Energy that one start may add, of that in motion; well below what the integrator leaves. */
#define JN_START_ENERGY_ADAPTIVE_REL 1e-12 /* adaptive integrators, */
#define JN_START_ENERGY_HIGH_REL 1e-10     /* fixed steps of fourth order and more, */
#define JN_START_ENERGY_LOW_REL 1e-7       /* and of lower order */
#define JN_START_ENERGY_PER_SPEED 1e-6     /* [kg] times the squared speed of approach: energy at least */
#define JN_START_ENERGY_LEAST 1e-18        /* [J] the same where nothing moves */
#define JN_START_DEPTH_LEAST 1e-15         /* [m] round-off of lengths of metres */
#define JN_START_STIFFNESS 1e12            /* [N/m] of a contact whose own is not known yet */
#define JN_START_RATE_LEAST 1e-12          /* [m/s] a gap that closes slower is reached by bisection */
#define JN_START_AIM 0.5                   /* of the allowed depth: where the search aims at */
#define JN_START_INSIDE 0.01               /* of the bracket: trials stay that far from its ends */
#define JN_START_TIME_REL 1e-14            /* of the time, 1 s at least: shorter brackets are lost in its round-off */
#define JN_START_STEP_REL 1e-2             /* of the last step: first step of a contact, which is short */
#define JN_START_STEP_LEAST_REL 1e-3       /* of the last step: the step after a search is no shorter */
#define JN_START_STEP_RUN_REL                                                                                          \
    1e-9 /* of the run: the step after a change is no shorter, however closely changes follow each other */
#define JN_START_INSIDE_SOLID 2 /* times the allowed depth: what begins deeper has come up inside a solid */
#define JN_PASS_TIME_REL                                                                                               \
    1e-7 /* of a step: how close the instant is located at which a point passes on: contact_pass.c */
#define JN_PASS_SEARCHES_MOST 8 /* for the instant at which a contact point passes on */
#define JN_PASS_APART_REL 1 /* of its depth: how far open the point may be that takes over a contact that has lost its own */
#define JN_GRAZE_STILL 1e-9     /* [m/s] gaps that change slower do not close and open within a step: contact_graze.c */
#define JN_GRAZE_APART_REL 1e-3 /* of a step: minima that are nearer to each other are one */
enum {
    JN_GRAZE_TRIES = 16,        /* minima of a step that turn out to lie above zero */
    JN_START_TRIALS_MOST = 100, /* of regula falsi, every third one a bisection */
    JN_CUBIC_BISECTIONS = 52,   /* of a unit interval, to round-off: contact_events.c */
};

#endif
