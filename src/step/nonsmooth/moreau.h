/* What only Moreau's schemes and least_constraint need: iterates of implicit steps, contacts at the start of a step, drivers. */
#ifndef JN_STEP_NONSMOOTH_MOREAU_H
#define JN_STEP_NONSMOOTH_MOREAU_H

#include "step/nonsmooth/nonsmooth.h"

/* A driver during a step: its velocities at both ends, and its displacement less that at their mean. */
typedef struct jn_drive {
    double start, end; /* [m/s] or [rad/s] */
    double rest;       /* [m] or [rad] */
} jn_drive;

struct jn_moreau {
    bool steady; /* every body is free and alone and the equations are linear: one evaluation solves a step */
    bool forced; /* no step converges: one evaluation has to do */
    double *iterate, *change; /* (nv) velocities before the last evaluation; their last change */
    /* at the start of the step */
    double *start_force;      /* (nv) h */
    double *start_rate;       /* (nv) accelerations without contacts */
    double *start_lambda;     /* (rows) and forces of the joints */
    jn_ledger start_power;    /* [W] of the forces */
    jn_wrench start_external; /* force from outside, about the world's origin */
    jn_wrench given;          /* impulse from outside in the step; for the audit */
    jn_drive *drive;          /* (rows) of drivers */
    bool lag;                 /* positions do not follow all of them by themselves */
    /* contact_instant.c */
    jn_contact_point *first; /* (room) contact points at the start of the step, their gaps; then those of its end */
    double *first_p;         /* (3 room) and their impulses */
    int first_count;         /* of them */
    double *carried;         /* (3 room) impulses of the step, of contacts at its end */
    double closed, leaving;  /* [m], [m/s] larger gaps, and faster rates of the gap, count as open */
    bool only_closed;        /* moreau_jean: leave out what was open */
};

/* moreau_create.c. JN_ERR_MEMORY if there is none. */
int jn_moreau_create(jn_sim *sim);
void jn_moreau_free(jn_moreau *x);

/* moreau.c: one fixed step, at most to the time t. */
int jn_step_moreau(jn_sim *sim, double t);
/* End of the step without contacts: u_A + A^-1 applied. */
int jn_nonsmooth_move_freely(jn_sim *sim, const double *applied, double *out);

/* moreau_account.c: work of dampers, motors and drivers over a step of length dt. */
void jn_nonsmooth_book_forces(jn_sim *sim, double dt);
/* Impulse from outside of a whole step of dt from the state to x->velocity with all terms there. */
jn_wrench jn_nonsmooth_step_external(jn_sim *sim, double dt);
/* Power of the forces: from that at the start of the step and the last one, by the weight of the end. */
void jn_nonsmooth_mean_power(jn_sim *sim, double theta);
/* A closed contact after the step from t_A: its state and events. */
void jn_moreau_note_contact(jn_sim *sim, int i, jn_contact_state *cached, double t_A, double dt);

/* moreau_explicit.c: warns of springs that are too stiff for explicit steps. */
void jn_moreau_warn_explicit(jn_sim *sim, jn_report *report);

/* moreau_fixed_point.c: how the iteration of an implicit step goes on. */
typedef struct jn_fixed_point {
    int n, idle;        /* evaluations; those since the least change */
    double last, least; /* changes of the velocities */
    double part;        /* of the last change that was made */
    bool done;
} jn_fixed_point;

static inline jn_fixed_point jn_fixed_point_start(void) {
    return (jn_fixed_point){.last = INFINITY, .least = INFINITY, .part = 1};
}
/* After an evaluation, x->velocity, that started from the iterate: whether the fixed point is reached, else the next iterate; or fails. */
int jn_fixed_point_judge(jn_sim *sim, jn_fixed_point *p);

/* moreau_guess.c: velocities at the end of an implicit step from the last steps, or u_A. */
void jn_guess_velocity(jn_sim *sim, double dt, double *velocity);
/* After a step of length dt, before the state has its velocities. */
void jn_guess_learn(jn_sim *sim, double dt);
/* By how much an evaluation shrinks the error, as last found; part of the state. 0: unknown. */
double *jn_guess_rate(jn_sim *sim);

/* contact_instant.c. h-, and the contacts at the start of the step, at its state. A gap up to
 * `closed` that does not open further than that in the time `length` counts as closed. */
double jn_instant_shortest(const jn_sim *sim);
int jn_instant_start(jn_sim *sim, double closed, double length);
/* Keeps the present set and its impulses; the place of a contact in it, or -1. */
void jn_instant_keep(jn_nonsmooth *x);
int jn_instant_first(const jn_nonsmooth *x, const jn_contact_point *key);
/* Leaves contacts out of the set that were open. Smallest gap of those at the last collision detection. */
void jn_instant_filter(jn_sim *sim);
double jn_instant_gap(const jn_sim *sim);
/* Whether a closed contact moves inwards at the start. */
bool jn_instant_impacting(const jn_sim *sim);
/* A step of length h without the open contacts, and their smallest gap at its end. */
typedef int jn_trial(jn_sim *sim, double h, double theta, double *gap);
/* Largest h up to *h at which no open contact has closed; the step is solved there, with the gap within JN_INSTANT_ROOT above zero.
 * Gives up below `least`: *h is smaller then. late_gap: smallest gap at the end of *h. */
int jn_instant_find(jn_sim *sim, jn_trial *attempt, double theta, double least, double *h, double late_gap);
/* Impact of the contacts that are closed at the end of a step of length h: x->velocity and set->p after it. Books it. all: also of
 * those that carried nothing during the step. */
int jn_instant_collide(jn_sim *sim, double h, bool all);

/* least_constraint.c: one step, of length *h at most; its length comes back. x->velocity and the positions are those of its end. */
int jn_least_constraint_step(jn_sim *sim, double *h);

/* moreau_drivers.c: drivers of a step of length dt from the state, whose positions follow velocities of weight theta at the end. */
void jn_drivers_prepare(jn_sim *sim, double dt, double theta);
/* What their rows have to meet with velocities of weight `part` at the end: sets phi_rate. */
void jn_drivers_aim(jn_sim *sim, double part);
/* Work of their impulses during the step, in x->impulse; of impulses at its end. */
void jn_drivers_book(jn_sim *sim);
void jn_drivers_book_impulse(jn_sim *sim, const double *impulse);
/* Velocities at the end of the step brought onto joints and drivers. */
int jn_drivers_meet(jn_sim *sim, double *velocity);
/* jn_settle, with the drivers' part in it booked. */
int jn_drivers_settle(jn_sim *sim);

#endif
