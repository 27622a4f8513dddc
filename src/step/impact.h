/* Contact as events: smooth motion with the closed contacts as unilateral constraints, and impacts between. */
#ifndef JN_STEP_IMPACT_H
#define JN_STEP_IMPACT_H

#include "algebra/qr.h"
#include "step/nonsmooth.h"

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
    jn_vec3 direction; /* unit: where it slips, or slipped at the start of the step */
    jn_vec3 slip;      /* [m/s] tangential velocity at the last evaluation */
    double mu_s, mu_d;
    double margin[3]; /* normal force [N], what is left of the static cone [N], speed along direction [m/s]; >= 0 */
    double margin_before[3]; /* the same at the last state without an event */
} jn_unilateral;

/* What ends a smooth piece. */
typedef enum jn_cause {
    JN_CAUSE_NONE,
    JN_CAUSE_GAP,
    JN_CAUSE_FORCE,
    JN_CAUSE_CONE,
    JN_CAUSE_STOP,
    JN_CAUSE_LOST
} jn_cause;

typedef struct jn_seen {
    jn_cause cause;
    int contact;  /* of the set, or -1 */
    double value; /* gap or margin; negative */
    double rate;  /* [m/s] of the gap */
    bool now;     /* the gap is round-off */
} jn_seen;

/* Forces and accelerations of the closed contacts: W f + b = a. D = rows of each times contacts. */
typedef struct jn_impact_system {
    double *W, *b;             /* (D x D) [1/kg], (D) [m/s^2] accelerations without contact forces */
    double *bias;              /* (D) [m/s^2] of the motion of the points alone */
    double *f, *a;             /* (D) forces, accelerations of the contacts */
    double *matrix;            /* (D x D) of admissible forces */
    double *vector;            /* (8 D) */
    int *unknown, *active_set; /* (D), (2 D) */
    jn_qr qr;                  /* (D x D) */
    bool redundant;            /* the forces at the last evaluation are not unique */
} jn_impact_system;

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

typedef struct jn_impacts {
    jn_impact_options options;
    int most, d;   /* contacts that there is room for; rows of each */
    double closed; /* [m] smaller gaps are closed */
    double rest;   /* [s] impacts of a contact that follow each other faster end in rest */
    double travel; /* [m] no shape passes through another one within it; INFINITY where there are only planes */
    jn_unilateral *unilateral; /* (most) */
    jn_impact_system system;
    jn_impact_collision collision;
    double *rate;   /* (nv) */
    bool ready;     /* the closed contacts and their modes belong to the state */
    bool stopped;   /* after the impact events asked for */
    double since;   /* [s] from when on changes are counted */
    int same;       /* changes at one instant */
    double regular; /* [s] last step that was no crumb */
    char *block;    /* all of this */
} jn_impacts;

int jn_impacts_create(jn_sim *sim, jn_report *report);
void jn_impacts_free(jn_impacts *p);
/* The state was changed by hand. */
void jn_impacts_restart(jn_sim *sim);
/* One step of the integrator, at most to the time t; ends at events. */
int jn_step_impact(jn_sim *sim, double t, jn_step_function *step);

/* impact_unilateral.c: accelerations a (nv) and multipliers with the closed contacts in their modes; forces in p->f. */
int jn_impact_accelerate(jn_sim *sim, const jn_state *s, double *a, double *lambda);
/* The wrench from outside on all bodies with these accelerations, after it. */
jn_wrench jn_impact_external(jn_sim *sim, const double *a);
/* Forces and accelerations of the contacts in their modes. */
void jn_unilateral_solve(jn_impacts *p, const jn_contact_set *set);
/* Velocities of the closed contacts at the state of the work space: slips. */
void jn_unilateral_slips(jn_sim *sim);
void jn_unilateral_matrix(jn_sim *sim);
/* Contact points and tangents of the closed contacts at the poses of the work space. */
void jn_unilateral_follow(jn_sim *sim);
/* Leaves open contacts out. */
void jn_unilateral_drop_open(jn_sim *sim);
/* The contact forces of the last evaluation, as sums of each row and as loads for the user. */
void jn_unilateral_show(jn_sim *sim);
void jn_unilateral_hide(jn_sim *sim);

/* impact_modes.c: sticking, slipping or open for every closed contact, from W, b and slips. JN_OK; JN_NOT_CONVERGED: there are no such
 * forces; *jam: contact that slips against its own normal force, or -1. */
int jn_unilateral_choose(jn_sim *sim, double still, int *jam);
/* Forces in the modes, with the directions of contacts released from rest in space. */
void jn_unilateral_turn(jn_impacts *p, const jn_contact_set *set);
/* Whether the same accelerations belong to forces within the cones; p->f becomes the least of them. */
bool jn_unilateral_admissible(jn_impacts *p, const jn_contact_set *set);

/* impact_events.c */
jn_seen jn_impact_detect(jn_sim *sim, int *status);
int jn_impact_locate(jn_sim *sim, double h, jn_step_function *step, jn_seen *seen);
/* Margins of the closed contacts at the state are those to compare with. */
void jn_impact_keep(jn_sim *sim);
double jn_impact_still(const jn_sim *sim); /* [m/s] slower is at rest */

/* impact_collide.c: one impact of the closed contacts at the state; velocities, ledger, record, events. *any: there was one. */
int jn_impact_collide(jn_sim *sim, bool push, bool *any);

#endif
