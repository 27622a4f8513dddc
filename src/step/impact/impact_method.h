/* Contact as events: smooth motion with the closed contacts as unilateral constraints, and impacts between. */
#ifndef JN_STEP_IMPACT_IMPACT_METHOD_H
#define JN_STEP_IMPACT_IMPACT_METHOD_H

#include "algebra/qr.h"
#include "reaction/impact/grip.h"
#include "step/impact/impact_tolerances.h"
#include "step/nonsmooth/nonsmooth.h"

typedef enum jn_unilateral_mode {
    JN_UNILATERAL_OPEN,
    JN_UNILATERAL_STICKING,
    JN_UNILATERAL_SLIPPING
} jn_unilateral_mode;

/* A closed contact as a unilateral constraint; goes with the contact point of the same number. */
typedef struct jn_unilateral {
    jn_unilateral_mode mode;
    bool moving;       /* slipped when the modes were chosen; a contact that slips else has been released from rest */
    bool lost;         /* its feature is not found at this configuration */
    bool idle;         /* carries no load where others do, in the forces of the last evaluation */
    jn_vec3 direction; /* unit: where it slips, or slipped at the start of the step */
    jn_vec3 slip;      /* [m/s] tangential velocity at the last evaluation */
    double mu_s, mu_d;
    double along;        /* [m/s] speed along the direction; INFINITY where that says nothing */
    double along_before; /* the same at the last state without an event */
} jn_unilateral;

/* What ends a smooth piece. */
typedef enum jn_cause {
    JN_CAUSE_NONE,
    JN_CAUSE_GAP,  /* an open contact closes */
    JN_CAUSE_STOP, /* a slip ends */
    JN_CAUSE_HOLD, /* no forces hold the modes: contacts open, or those at rest slip */
    JN_CAUSE_LOST  /* the feature of a contact is gone */
} jn_cause;

typedef struct jn_seen {
    jn_cause cause;
    int contact;  /* of the set, or -1 */
    double value; /* gap, speed, or minus the acceleration by which the modes are left; negative */
    double rate;  /* [m/s] of the gap */
    bool now;     /* the value is round-off */
} jn_seen;

typedef struct jn_contact_key {
    int a, b;
    uint32_t feature;
} jn_contact_key;

/* Forces and accelerations of the closed contacts: W f + b = a. D = rows of each times contacts. */
typedef struct jn_impact_system {
    double *W, *b;       /* (D x D) [1/kg], (D) [m/s^2] accelerations without contact forces */
    double *b_before;    /* (D) at the last state without an event, */
    jn_contact_key *key; /* (most) of these contacts, */
    int keys;            /* and how many */
    double *bias;        /* (D) [m/s^2] of the motion of the points alone */
    double *f, *a;       /* (D) forces, accelerations of the contacts */
    double *f_held;      /* (2 D) forces and accelerations with the modes as they are */
    double *anchor;      /* (D) last forces of the law in these modes, */
    bool anchored;       /* and whether there are any */
    double *vector;      /* (8 D) */
    double *load;        /* (D) with which modes are chosen */
    int *unknown;        /* (D) */
    jn_qr qr;            /* (D x D) */
    jn_grip grip;
    jn_contact_rows H, Y; /* of the set, for the problem */
    double departure; /* [m/s^2] by which the law leaves the modes at the last evaluation; INFINITY: it has no answer */
    double left_at;   /* [s] earliest evaluation of this step at which the law leaves the modes */
    bool redundant;   /* the forces are not unique */
    bool flickers;    /* the feature of a contact was gone next to some evaluation of the step */
} jn_impact_system;

/* Slow slip in space: how the slip velocities answer to themselves, for the implicit steps. n = 2 contacts that slip. */
typedef struct jn_slow_slip {
    int n;
    double *V, *B;       /* (n x nv) rows of the slips, velocities by unit impulses along them */
    double *G;           /* (n x 2) force by slip, 2 x 2 blocks */
    double *C, *S;       /* (n x n) slips by unit impulses; 1 - gamma h C G and its factors */
    int *pivot;          /* (n) */
    jn_wrench *external; /* (n) impulses from outside by unit impulses along the slips */
    double *x, *y;       /* (n) */
    double *driven;      /* (n) [m/s] what moves surfaces does by unit impulses along the slips */
    double *slip;        /* (n) [m/s] of the stage */
    double *bias;        /* (n) [m/s^2] of the slips, by the motion of their contacts alone */
    double *speed;       /* (n / 2) [m/s] of the slips, rounded off, */
    jn_vec3 *start;      /* (n / 2) [m/s] and the slips themselves, at the start of the step */
    double *error;       /* (ny) */
    double h;            /* [s] next implicit step; 0: unknown */
    double error_last;   /* of the last accepted one */
} jn_slow_slip;

/* Stiff forces on coordinates (motors, dampers): accelerations by velocities, with the contacts in their modes, for the same implicit steps. */
typedef struct jn_stiff_motion {
    jn_derivatives *d; /* NULL: the model has no such forces, or too many velocities */
    double *J, *S;     /* (nv x nv) [1/s]; 1 - gamma h J and its factors */
    double *x;         /* (nv) */
    int *pivot;        /* (nv) */
    int steps;         /* explicit ones since their rate was looked at */
    double allowed;    /* [s] explicit step that is stable */
    bool on;           /* steps are implicit */
    bool used;         /* some were */
} jn_stiff_motion;

/* A collision: its problem, its record, and what is reported of it. */
typedef struct jn_impact_collision {
    double *v;             /* (D) [m/s] velocities of the contacts before it */
    double *split, *dense; /* kinetic_split: (D x D), scratch */
    jn_impact_contact *point;
    jn_impact_record record;
    int (*body)[2];         /* (most) bodies of the contacts */
    jn_body_motion *motion; /* (2 bodies) before and after */
    const char **name;      /* (most) of the contacts */
    void *scratch;
    char *record_memory;
    double *response;        /* (6 bodies x D) of jn_impact_response, for JN_RESPONSE_CONTACTS */
    double *unit, *kept;     /* (D), (nv) its scratch */
    double *load, *reaction; /* (nv), (rows) */
    int events;              /* kept of it */
    double none;             /* no restitution */
} jn_impact_collision;

/* Impulses of the last step past a knot, from which those of the next one are found. */
typedef struct jn_knot_impulses {
    jn_contact_key *key; /* (most) in the order of the contact set */
    double *p;           /* (D) [N s] */
    int count;
    double dt;   /* [s] of that step */
    double fits; /* [s] length of step in which contacts do not drift, as far as it is known */
} jn_knot_impulses;

typedef struct jn_impacts {
    jn_impact_options options;
    int most, d;   /* contacts that there is room for; rows of each */
    double creep;  /* [m/s] slower is at rest; of the step */
    double closed; /* [m] smaller gaps are closed */
    double rest;   /* [s] impacts of a contact that follow each other faster end in rest */
    double travel; /* [m] no shape passes through another one within it; INFINITY where there are only planes */
    jn_unilateral *unilateral; /* (most) */
    jn_impact_system system;
    jn_slow_slip slip;
    jn_stiff_motion stiff;
    jn_impact_collision collision;
    double *rate;               /* (nv) */
    bool trying;                /* a step whose end may lie behind an event: the audit does not look at it */
    bool ready;                 /* the closed contacts and their modes belong to the state */
    bool rested;                /* the last impacts at this instant ended an accumulation */
    bool stopped;               /* after the impact events asked for */
    double knot;                /* [s] shortest nonsmooth step past a knot */
    double crowd[JN_CROWD];     /* [s] times of the last changes, a ring */
    int changes;                /* of modes so far */
    int knots;                  /* doublings of the length of the next one, */
    double knot_end;            /* [s] and when the last one ended */
    long knot_steps;            /* of the run until then, with those that were rejected */
    int crumbs;                 /* steps in a row that were much shorter than a knot step */
    int laws;                   /* solutions of the law of many bodies since the time */
    double laws_from;           /* [s] laws_from */
    jn_knot_impulses last_knot;
    bool impacted;              /* at the last event, not slowly */
    double fastest;             /* [m/s] approach of the last impact */
    double slack;               /* factor of the tolerance of holding: larger after events that changed nothing */
    double kink, kink_from;     /* [s] next kink of a load, seen from here on */
    double regular;             /* [s] last step that was no crumb */
    char *block;                /* all of this */
} jn_impacts;

int jn_impacts_create(jn_sim *sim, jn_report *report);
void jn_impacts_free(jn_impacts *p);
/* The state was changed by hand. */
void jn_impacts_restart(jn_sim *sim);
/* One step of the integrator, at most to the time t; ends at events. */
int jn_step_impact(jn_sim *sim, double t, jn_step_function *step);

/* impact_unilateral.c: points of a pair with the links of its solids at the poses X, as collision detection finds them for this method: without
 * curvatures. Returns how many. */
int jn_impact_pair_points(const jn_sim *sim, int a, int b, const jn_pose X[2], double margin, const jn_pair_cache *warm,
                          jn_contact_geometry out[JN_MANIFOLD_MAX]);
/* Accelerations a (nv) and multipliers with the closed contacts in their modes; forces in p->system.f. */
int jn_impact_accelerate(jn_sim *sim, const jn_state *s, double *a, double *lambda);
/* The same without contact forces: rows, W and b of the contacts. */
int jn_unilateral_pose(jn_sim *sim, const jn_state *s, double *a, double *lambda);
/* The wrench from outside on all bodies with these accelerations, after it. */
jn_wrench jn_impact_external(jn_sim *sim, const double *a);
/* The problem of the contacts with W and b as they are; contacts that slip and those that are still, by their modes. */
void jn_unilateral_grip(jn_sim *sim);
/* Whether forces within the cones let all contacts go on in their modes; forces in p->system.f. */
bool jn_unilateral_holds(jn_sim *sim);
/* Velocities of the closed contacts at the state of the work space: slips. */
void jn_unilateral_slips(jn_sim *sim);
void jn_unilateral_matrix(jn_sim *sim);
/* Contact points and tangents of the closed contacts at the poses of the work space. */
void jn_unilateral_follow(jn_sim *sim);
/* Leaves open contacts out. */
void jn_unilateral_drop_open(jn_sim *sim);
/* The contact forces of the last evaluation, as sums of each row and as loads for the user. */
void jn_unilateral_show(jn_sim *sim);

/* impact_modes.c: contacts that slip faster than `still` slip on, the others are at rest. */
void jn_unilateral_start(jn_sim *sim, double still);
/* Sticking, slipping or open for every closed contact, from W, b and slips, all at once. seen: the event, or NULL. JN_OK; JN_NOT_CONVERGED:
 * no forces are found; *jam: contact that slips against its own normal force, or -1. */
int jn_unilateral_choose(jn_sim *sim, const jn_seen *seen, int *jam);

/* impact_events.c */
jn_seen jn_impact_detect(jn_sim *sim, int *status);
int jn_impact_locate(jn_sim *sim, double h, jn_step_function *step, jn_seen *seen);
/* The last step again, to an earlier time. */
int jn_impact_try(jn_sim *sim, double t, jn_step_function *step, jn_seen *seen);
/* Speeds and loads of the closed contacts at the state are those to compare with. */
void jn_impact_keep(jn_sim *sim);
double jn_impact_still(const jn_sim *sim); /* [m/s] slower is at rest */
/* Whether the point of a pair is one of the closed contacts. O(log contacts) */
bool jn_impact_is_closed(const jn_contact_set *set, int a, int b, uint32_t feature);

/* impact_grazing.c: an event before the end of the last step, where a gap has closed and opened again within it. *seen is that of its end otherwise, and the
 * state as it was. h: the step that the integrator would have taken. */
int jn_impact_find_graze(jn_sim *sim, double h, jn_step_function *step, jn_seen *seen);

/* impact_loads.c: [s] end of a step that may last until t: no kink of a load lies before it. Longest step: no body moves further than a part of the
 * smallest shape, and none turns further than a quarter radian, so that no contact closes and opens unseen; nor do loads on what rests. */
double jn_impact_step_end(jn_sim *sim, double t);
double jn_impact_step_limit(const jn_sim *sim);

/* impact_round_faces.c: points that stand for a circle on a plane begin at its centre of pressure, where that is about to leave their polygon. Returns
 * whether a circle was turned; the detection is that of the state then. */
bool jn_impact_turn_round_faces(jn_sim *sim);

/* impact_slow_slip.c: a linearly implicit step in which slow slip is not stiff; the slope at the state is known. */
int jn_step_slip(jn_sim *sim, double t);
/* The same where forces on coordinates are stiff, too. */
int jn_step_stiff(jn_sim *sim, double t);
/* [1/s] how fast forces on coordinates change velocities, at the state; 0: not known. */
double jn_impact_stiff_rate(jn_sim *sim);
/* [1/s] at most: how fast slips turn towards their steady directions. */
double jn_impact_slip_rate(const jn_sim *sim);

/* impact_method.c: contact points that are closed, or nearer than `gap`, now or after the time `ahead`, in p->unilateral without modes. */
int jn_impact_gather(jn_sim *sim, double ahead, double gap);
/* impact_knot.c: one short step on velocities with all contacts that are closed or close in it. */
int jn_impact_knot(jn_sim *sim, double t);
double jn_impact_knot_length(const jn_impacts *p); /* [s] longer where knots follow each other */

/* impact_collide.c: one impact of the closed contacts at the state; velocities, ledger, record, events. *any: there was one.
 * JN_NOT_CONVERGED: no law has an answer. */
int jn_impact_collide(jn_sim *sim, bool push, bool *any);

#endif
