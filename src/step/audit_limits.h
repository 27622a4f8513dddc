/* Limits of the audit, each with its unit and the reason for its size: what is judged, never what a scheme aims at. */
#ifndef JN_STEP_AUDIT_LIMITS_H
#define JN_STEP_AUDIT_LIMITS_H

/* Energy and momentum, of their sizes in the run */
#define JN_AUDIT_EXACT_REL 1e-11         /* of schemes that keep a momentum to round-off */
#define JN_AUDIT_FIRST_ORDER_REL 2e-2    /* of schemes that are of first order at impacts, and whose steps are large */
#define JN_AUDIT_HANGING_REL 1e-2        /* of the leapfrog, whose reactions of trees that hang are of second order */
#define JN_AUDIT_FIXED_HIGH_REL 1e-5     /* of fixed steps of fourth order and more: exact to an engineer */
#define JN_AUDIT_FIXED_LOW_REL 1e-3      /* of fixed steps of lower order: exact to the eye */
#define JN_AUDIT_ADAPTIVE_LEAST_REL 1e-7 /* of adaptive integrators: the tolerance times a slack, between this */
#define JN_AUDIT_ADAPTIVE_MOST_REL 1e-3  /* and this */
#define JN_AUDIT_SLACK_ONE_STEP 1e3      /* times the relative tolerance: local errors add up; */
#define JN_AUDIT_SLACK_MULTISTEP 1e4     /* many short ones in multistep methods */
#define JN_AUDIT_SLACK_STIFF 10          /* times that of energy: impulses from outside take no part in bdf's error */
#define JN_AUDIT_ROUND_OFF_REL 1e-13     /* of what round-off is measured against; grows with the root of the steps */
#define JN_AUDIT_AT_REST 1e-9 /* [m/s] speed whose round-off is noise: bodies at rest in weightlessness have no other */
#define JN_AUDIT_REST_LOSS_REL 1e-9      /* of the energy: losses at the end of accumulations below it go unreported */

/* Positions */
#define JN_AUDIT_PROJECTED 1e-8            /* [m] or [rad], of a mechanism of 1 m: constraints that are projected */
#define JN_AUDIT_DRIFTING 1e-3             /* the same, stabilised or not at all: to the eye */
#define JN_AUDIT_REPAIR_SLACK 100          /* times the tolerance that CVODE repairs drift at: */
#define JN_AUDIT_REPAIR_ABSOLUTE 10        /* the relative one, or so many absolute ones */
#define JN_AUDIT_RATE_PER_POSITION 1e3     /* [1/s] limit of velocities over that of positions */
#define JN_AUDIT_PENETRATION_KEPT_REL 1e-3 /* of the smallest shape: schemes that meet positions */
#define JN_AUDIT_PENETRATION_LOOSE_REL 0.5 /* the same: schemes that leave positions alone */
#define JN_AUDIT_PENETRATION_SLACK 100     /* times run.penetration */
#define JN_AUDIT_THROUGH 1                 /* of half the thickness of a shape: deeper, it is nearer to its other side */
#define JN_AUDIT_LOST 0.5                  /* of half the thickness: contacts that end or begin at such depths did not slide off or onto an edge */
#define JN_AUDIT_DRAWN 1e-8                /* [m] overlaps as drawn that are worth a remark: numbers with fewer digits than people mean */

/* Dry friction that is regularised */
#define JN_AUDIT_CREEP_SPEEDS 2.65 /* times friction_speed: friction is 99 % of what it is, below it holds */
#define JN_AUDIT_CREEP_TIME 0.1    /* [s] times friction_speed: shorter ways are those of a reversal */
#define JN_AUDIT_CREEP_STOP 2      /* times u^2/a: four times the way that friction takes to stop what slides */

/* Contact problems, and what is worth a remark */
#define JN_AUDIT_UNSOLVED 1e-3 /* [m/s] problems that are left with more may force bodies into each other */
enum {
    JN_AUDIT_STEPS_PER_MOMENTUM = 16, /* what is lost stays lost: it need not be looked for at every step */
    JN_AUDIT_STIFF_STEPS = 1000       /* steps that stability makes short: below, nobody waits */
};

#endif
