/* Contact as complementarity: the contact set of a step, its problem, and schemes that solve it. */
#ifndef JN_STEP_NONSMOOTH_NONSMOOTH_H
#define JN_STEP_NONSMOOTH_NONSMOOTH_H

#include "step/contact_set/contact_set.h"
#include "step/nonsmooth/nonsmooth_tolerances.h"

/* Search for the largest factor of an island's coefficients of restitution with which its impacts gain no energy; leapfrog_restitution.c. */
typedef struct jn_bounce {
    double factor;             /* on trial, or found; 1: Newton's law as it is */
    double low, high;          /* largest that is known to gain nothing, < 0: none is; smallest that gains */
    double gain_low, gain_high; /* [J] with them */
    double gain_first;         /* [J] with the first factor */
    int stayed;                /* trials in a row that gain, or, negative, that do not */
    int tries;
    bool found;
} jn_bounce;

/* Bodies that move together: one free body, a tree, or trees tied by constraints. */
typedef struct jn_group {
    int first, count;     /* its velocities in jn_groups.dof, ascending */
    bool tied;            /* by constraint rows, or to them in one factor */
    bool normalised;      /* its contact problem knows it by the velocities D^1/2 L u: contact_rows.c */
    bool held;            /* such a one, by constraint rows that are independent */
    bool driven;          /* by a driver: its speed is not free */
    bool round;           /* a body that is free and alone with the same moment of inertia about every axis */
    bool impacted;        /* by an impact of the step */
    bool pushed;          /* its island, out of an overlap */
    bool jolted;          /* by an impulse of the node that is not of a force that goes on */
    double load, jolt;    /* [N s] of its contacts at the node, and what of it does not go on; 0 where all go on */
    bool touches;         /* it floats, and a contact of it that bore an impulse at the node does not open on the segment */
    double turned, turns; /* [1/s^2] squares of turns on the last segment, and with this one */
    bool borne;           /* by a contact, a stop or dry friction; leapfrog_sleep.c */
    bool still;           /* slow, borne and not pushed; the same */
    int contacts;         /* of the island that it is the first group of */
    bool grounded;        /* the same: such a contact is with the ground */
    bool impacts;         /* the same: some of them are impacting */
    bool awake;           /* the same: a group of it does not sleep */
    bool ripe;            /* the same: all its groups have rested long enough */
    bool jams;            /* the same: its impulses cancel each other but for round-off; leapfrog_jams.c */
    double demand;        /* [J] the same: most negative one of its contacts; leapfrog_jams.c */
    jn_bounce bounce;     /* the same */
    double gain, noise;   /* [J] the same: what its contacts give at the node, and what of it is round-off */
    bool rebounds;        /* the same: restitution decides how fast some of them leave */
    bool tried;           /* the same: with another factor of restitution */
    double swiftest;      /* [m/s] the same: largest normal velocity of its contacts without impulses; leapfrog_jams.c */
} jn_group;

typedef struct jn_groups {
    int count;            /* groups */
    int *of;              /* (links) group of each */
    jn_group *group;      /* (links) */
    int *dof;             /* (nv) velocities by groups */
    int *island;          /* (links) first group of the island of each; islands.c */
    bool joined;          /* an element acts between two groups; else contacts alone connect them */
    bool any_normalised;  /* some group is */
    bool any_tied;        /* some group is */
    bool all_normalised;  /* every group is */
    double *inverse_root; /* (nv) D^-1/2 of the inertia's factor, where some group is normalised */
    bool independent;     /* constraint rows are, and M has a factor of its own beside them */
    double *basis;        /* (rows x nv) of the motions that they forbid, in the velocities D^1/2 L u */
    bool plain;           /* every body is free and alone: M needs no factor */
} jn_groups;

typedef struct jn_stiff jn_stiff;   /* elements that are implicit in the step: stiff/stiff_system.c */
typedef struct jn_moreau jn_moreau; /* moreau.h */

typedef struct jn_nonsmooth {
    jn_contact_set set;
    jn_groups groups;
    jn_moreau *moreau;            /* of moreau_jean, moreau_midpoint and least_constraint; NULL: another scheme */
    struct jn_leapfrog *leapfrog; /* of momentum_leapfrog; NULL: another scheme */
    jn_stiff *stiff;              /* NULL: none */
    jn_state *at;                 /* where the terms of the step are evaluated */
    double gravity;               /* [m/s^2] its size */
    double *velocity;             /* (nv) end of the step */
    double *free;                 /* (nv) end without contacts */
    double *applied;              /* (nv) impulses of forces and contacts in the step */
    double *row;                  /* (nv) scratch, zero between calls */
    double *some;                 /* (3 JN_KKT_LANES x nv) scratch of jn_system_solve_some and of its callers, who may use the first two thirds */
    double *impulse;              /* (rows) of joints and drivers */
    double *dry_force;            /* (dry_count) mean dry friction during the last step */
    jn_wrench *load;              /* (links) mean force of the contacts during the last step, at the links' origins */
    bool shown;                   /* the work space holds it */
} jn_nonsmooth;

/* islands.c, once: whether elements connect groups. After the contacts were chosen: the islands of the groups, groups and island of each contact. */
void jn_islands_create(jn_sim *sim);
void jn_islands_find(jn_sim *sim);

int jn_nonsmooth_create(jn_sim *sim, jn_report *report);
void jn_nonsmooth_free(jn_nonsmooth *x);
/* Forgets the forces of the last step: the state was changed by hand. */
void jn_nonsmooth_restart(jn_sim *sim);

/* nonsmooth_account.c, after a step of length dt from t_A: sums of each contact row; contact cache and events. */
void jn_nonsmooth_sum_up(jn_sim *sim, double dt);
void jn_nonsmooth_note(jn_sim *sim, double t_A, double dt);
/* Sums of forces over the contacts of the set, and of gaps over all pairs, of each contact row. */
void jn_nonsmooth_sum_forces(jn_sim *sim, double dt);
void jn_nonsmooth_sum_gaps(jn_sim *sim);
/* Gaps alone, without the audit; how deep the deepest penetration is [m]. */
double jn_nonsmooth_note_gaps(jn_sim *sim);
/* Reports an event of a contact; p: its impulses, or NULL. */
void jn_nonsmooth_report(jn_sim *sim, const char *kind, const jn_contact_point *h, double time, double before,
                         double after, const double *p);
/* Energy [J] that impacts with restitution have gained: Newton's law with friction can do so [Kane1985]. Counted, and reported with the contact
 * that gained most. */
void jn_contact_report_gain(jn_sim *sim, double gain, int most);
/* Impulse from outside, about the world's origin, where the work space stands: of contacts, stops and dry friction p alone; of forces during dt; of the change du of the velocities
 * in trees that hang on the ground; of rows; of contacts, stops and dry friction p. Changes sim->force. */
jn_wrench jn_contacts_external(const jn_sim *sim, const double *p);
jn_wrench jn_nonsmooth_external(jn_sim *sim, double dt, const double *du, const double *rows, const double *p);

/* nonsmooth_forces.c. Steps take impulses, not the mean forces of the last step that a user sees: hides them, shows them again. */
void jn_nonsmooth_hide_forces(jn_sim *sim);
void jn_nonsmooth_show_forces(jn_sim *sim);
void jn_nonsmooth_add_forces(jn_sim *sim); /* to the loads of the work space, after jn_forces */
/* Energies and violations at the state, for the audit; now and then, and where results are read. */
void jn_nonsmooth_sample(jn_sim *sim);

/* moreau_drivers.c: displacement of the driver of a row in the time h after t. */
double jn_driver_displacement(const jn_model *m, int row, double t, double h);

/* stiff/stiff_create.c. NULL: no element is stiff for the run's step. */
int jn_stiff_create(jn_sim *sim, bool independent, jn_stiff **out);
void jn_stiff_free(jn_stiff *stiff);
/* [J] what contacts of a state store that give way: leapfrog_compliance.c. */
double jn_contacts_stored(const jn_sim *sim);
/* Calls back with the links of every element; 0: the ground. */
void jn_stiff_pairs(const jn_sim *sim, const jn_stiff *stiff, void (*tie)(void *context, int a, int b), void *context);
/* What damping and stiffness weigh in B: (theta dt), (theta dt)^2. */
typedef struct jn_stiff_weights {
    double c, k; /* [s], [s^2] */
    bool leaps;  /* of the momentum leapfrog */
    bool starts; /* at the first node of a run: forces act for half a segment, and nothing was before */
} jn_stiff_weights;
/* Factor of the inertia with their matrix B at the last evaluation; forgets B, until the next factor. */
int jn_system_factor(jn_sim *sim, jn_stiff_weights weights);
void jn_stiff_leave(jn_sim *sim);
/* y += B x; y += what B u refers to, in the leapfrog, with the velocities of the last segment and those of the forces. Whether there is a B; its part on the diagonal, or NULL. */
void jn_stiff_multiply(const jn_sim *sim, const double *x, double *y);
void jn_stiff_refer(const jn_sim *sim, const double *u_A, const double *v, double *y);
/* Work of implicit elements at a node beside that of their forces at the velocities v: dampers that act with the velocities of
 * the segments, and motors with places other than that of the node. u_A, u: velocities of the segments before and after it; fall: jn_leapfrog. */
void jn_stiff_book(jn_sim *sim, const double *u_A, const double *v, const double *u, const double *fall);
/* The same in the half of the forces that the velocities `shown` of a state contain; plain: the
 * same without what springs add; minus, last: those before the node, and of the last segment; fall: what gravity has added to minus. */
void jn_stiff_book_half(const jn_sim *sim, const double *minus, const double *last, const double *v, const double *plain,
                        const double *fall, const double *shown, jn_ledger *l);
/* Springs that keep their energy are taken at the mean of their lengths about a node, and velocities of segments are means of those at both ends: at
 * the node itself bodies have M^-1 K u more than the mean u of the segments about it. f += K u, or as_velocity M^-1 K u; u and f differ. */
void jn_stiff_add_springs(const jn_sim *sim, const double *u, double *f, bool as_velocity);
bool jn_stiff_on(const jn_sim *sim);
const double *jn_stiff_added(const jn_sim *sim); /* (nv) to the diagonal of M; NULL: nothing */
bool jn_stiff_has_rows(const jn_sim *sim);       /* elements that the diagonal does not hold */
bool jn_stiff_has_diagonal(const jn_sim *sim);   /* elements that it may hold */
/* f += B (iterate - before). */
void jn_stiff_add(jn_sim *sim, const double *before, double *f);
/* a = (M + B)^-1 (f + G^T lambda) with G a = g; B only between factor and leave. */
int jn_system_solve(jn_sim *sim, const double *f, const double *g, double *a, double *lambda);
/* The same, but for rounding, of up to JN_KKT_LANES f (count x nv) with g = 0, without the multipliers; no solution depends on the others. */
int jn_system_solve_some(jn_sim *sim, int count, const double *f, double *a);
/* The same without rows of B: with what the inertia was factored with, on the diagonal. */
int jn_inertia_solve_rows(jn_sim *sim, const double *f, const double *g, double *a, double *lambda);
/* Whether jn_system_solve is jn_mass_solve where no constraints act. */
bool jn_system_is_tree(const jn_sim *sim);

#endif
