/* Contact as complementarity: the set of closed contacts of a step, their problem, and schemes that solve it. */
#ifndef JN_STEP_NONSMOOTH_H
#define JN_STEP_NONSMOOTH_H

#include "step/sim.h"

/* A closed contact of the step. */
typedef struct jn_held {
    int a, b; /* solids */
    uint32_t feature;
    int row;              /* contact row of the model */
    jn_touch touch;       /* at the configuration of the last evaluation */
    jn_vec3 t[2];         /* tangents */
    double gap, approach; /* [m], [m/s] gap and its rate where the contact was found closed */
    double slip[2];       /* [m/s] along the tangents there */
    bool fresh;           /* was open in the last step */
    bool strikes;         /* closes faster than forces move it in a step */
    bool waits;           /* is open, and strikes after others if they throw it together */
    bool struck;          /* at an earlier stage of the node */
    bool anew;            /* the points of its pair that stick are others than before */
    bool lasts;           /* its impulse is that of a force that goes on, */
    jn_vec3 force;        /* [N] on the second body, world axes */
    double unit;          /* dry friction: its row is that of the coordinate times this */
} jn_held;

/* Bodies that move together: one free body, a tree, or trees tied by constraints. */
typedef struct jn_group {
    int first, count; /* its velocities in jn_nonsmooth.dof, ascending */
    bool tied;        /* by constraint rows, or to them in one factor */
    bool halved;      /* a tree that its contact problem knows by the velocities D^1/2 L u: contact_rows.c */
    bool driven;      /* by a driver: its speed is not free */
    bool struck;      /* by an impact of the step */
    bool jolted;      /* by an impulse of the node that is not of a force that goes on */
} jn_group;

/* A driver during a step: its velocities at both ends, and its way less that at their mean. */
typedef struct jn_drive {
    double start, end; /* [m/s] or [rad/s] */
    double rest;       /* [m] or [rad] */
} jn_drive;

typedef struct jn_stiff jn_stiff; /* elements that are implicit in the step: nonsmooth_stiff.c */

typedef struct jn_nonsmooth {
    const jn_solver_info *solver; /* NULL: automatic */
    jn_pool *pool;                /* threads of the solver, or NULL */
    void *scratch;                /* of the solver */
    size_t scratch_size;
    int room;                   /* contacts */
    long widest, entries;       /* velocities that a contact can move, at most; room of the rows */
    int count, dimension;       /* contacts held; rows of each: 1 without friction, 2 in a plane, 3 in space */
    int dry;                    /* of them, the last: coordinates with dry friction */
    jn_held *held;              /* (room) sorted by (a, b, feature) */
    int *start;                 /* (room + 1) first entry of each contact */
    int *dof_of;                /* (entries) */
    double *H;                  /* (entries x dimension) rows in the velocities */
    double *V, *Y;              /* (entries x dimension) rows of the problem, W = V Y^T; V may be H */
    bool halves;                /* some group is halved */
    double *half;               /* (nv) D^-1/2 of the inertia's factor, where some group is halved */
    double (*rows)[4];          /* (nv) rows of one contact, zero between calls */
    double *mu;                 /* (room) */
    double *q, *p, *u;          /* (3 room) right-hand side, impulses, relative velocities at the end of the step */
    double *before;             /* (3 room) relative velocities at its start */
    jn_contact_state *last;     /* (room) active contacts of the last step */
    int *group_of;              /* (links) */
    jn_group *group;            /* (links) */
    int *dof;                   /* (nv) velocities by groups */
    double gravity;             /* [m/s^2] its size */
    bool plain;                 /* every body is free and alone: M needs no factor */
    bool steady;                /* and their equations are linear: one evaluation solves a step */
    double *start_force;        /* (nv) h at the start of the step */
    double *velocity, *iterate; /* (nv) end of the step, and before the last evaluation */
    double *change;             /* (nv) last change of the iterate */
    double *free, *kick, *row;  /* (nv) end without contacts; h dt; scratch, zero between calls */
    double *impulse;            /* (rows) of joints and drivers */
    jn_drive *drive;            /* (rows) of drivers */
    bool lag;                   /* positions do not follow all of them by themselves */
    double solved;              /* [m/s] speed error of the last problem */
    bool unsolved;              /* it is above the run's */
    bool posed;                 /* x->before and x->q are those of the step's problem */
    double *dry_force;          /* (dry_count) mean dry friction during the last step */
    jn_wrench *load;            /* (links) mean force of the contacts during the last step, at the links' origins */
    bool shown;                 /* the work space holds it */
    jn_held *first;  /* (room) least_constraint: contacts at the start of the step, their gaps; then those of its end */
    double *first_p; /* (3 room) and their impulses */
    int first_count; /* of them */
    double *carried; /* (3 room) impulses of the step, of contacts at its end */
    double closed, leaving;       /* [m], [m/s] larger gaps, and faster rates of the gap, count as open */
    bool only_closed;             /* moreau_jean: leave out what was open */
    double *start_rate;           /* (nv) accelerations without contacts at the start of the step */
    double *start_lambda;         /* (rows) and forces of the joints */
    jn_wrench given;              /* impulse from outside in the step, about the world's origin; for the audit */
    jn_wrench start_external;     /* the same as a force, of what acts at its start */
    jn_ledger start_power;        /* [W] of the forces at the start of the step */
    jn_twist *start_V;            /* (links) velocities with those at the start of the step; scratch of pushes */
    jn_state *at;                 /* where the terms of the step are evaluated */
    jn_stiff *stiff;              /* NULL: none */
    bool forced;                  /* no step converges: one evaluation has to do */
    struct jn_leapfrog *leapfrog; /* of momentum_leapfrog; NULL: another scheme */
} jn_nonsmooth;

int jn_nonsmooth_create(jn_sim *sim, jn_report *report);
void jn_nonsmooth_free(jn_nonsmooth *x);
/* Forgets the forces of the last step: the state was changed by hand. */
void jn_nonsmooth_restart(jn_sim *sim);
/* One fixed step, at most to the time t. */
int jn_step_nonsmooth(jn_sim *sim, double t);

/* Which contacts count as closed. */
typedef struct jn_closed {
    double ahead; /* [s] gaps are judged this long after the configuration, at their present rates [Acary2008, 10.1] */
    double gap;   /* [m] gaps up to it are closed */
    double kept;  /* [m] and gaps up to it of contacts that were closed in the last step */
    double
        back; /* [s] the configuration was reached in this time, by other velocities than those at the start of the step: gaps
                     are those that these lead to, so that an iterate has no part in them */
} jn_closed;

/* contact_set.c, after jn_kinematics. */
int jn_contact_set_choose(jn_sim *sim, const jn_closed *closed);
/* The same contacts at another configuration. */
void jn_contact_set_follow(jn_sim *sim);
/* contact_rows.c. Rows H, V and Y of the set; the inertia is factored, and stays so until the last kick. */
int jn_contact_set_rows(jn_sim *sim);
/* Where both bodies of a contact feel its impulse: one point, so that it adds no couple; that on the ground, or on the first body. Points of
 * a body that stands on a plane lie in that plane then, whatever their gaps, and can stick together while it tilts. */
jn_vec3 jn_held_point(const jn_sim *sim, const jn_held *h);
/* End of the entries of a contact in the velocities of the model. The last entry of dry friction lies behind: it bears the bound. */
static inline int jn_contact_set_end(const jn_nonsmooth *x, int i) {
    return x->start[i + 1] - (i >= x->count - x->dry);
}
/* y = H x. */
void jn_contact_set_multiply(const jn_nonsmooth *x, const double *v, double *y);
void jn_contact_multiply_one(const jn_nonsmooth *x, int contact, const double *v, double *y);
/* f += H^T p; v += A^-1 H^T p, or what Y says where it was changed. */
void jn_contact_set_force(const jn_nonsmooth *x, const double *p, double *f);
void jn_contact_set_kick(jn_sim *sim, const double *p, double *v);
/* [m/s] speed error asked of the contact problem. */
double jn_contact_set_residual(const jn_sim *sim);
/* Solves u = W p + q for p and u. */
int jn_contact_set_solve(jn_sim *sim);
/* Adds a wrench on a link, at its origin, to generalised forces. */
void jn_load_scatter(const jn_sim *sim, int link, jn_wrench f, double *x);
/* Factor of M, or of M with the constraint rows; x = M^-1 x without constraints on single groups. */
int jn_inertia_factor(jn_sim *sim);
void jn_inertia_solve(jn_sim *sim, double *x);

/* nonsmooth_stops.c: rigid stops of joint coordinates, held behind the contacts of the set. */
bool jn_stop_is(const jn_model *m, const jn_held *h);
bool jn_dry_is(const jn_model *m, const jn_held *h);
bool jn_touch_is(const jn_model *m, const jn_held *h);         /* of two shapes */
const char *jn_held_name(const jn_model *m, const jn_held *h); /* of the contact row, or of the joint */
int jn_stops_choose(jn_sim *sim, const jn_closed *closed);
void jn_stop_follow(const jn_sim *sim, jn_held *h);
/* Of a stop or of dry friction: its group, its velocity (-1: the coordinate is measured) and its row. */
int jn_held_group(const jn_sim *sim, const jn_held *h);
int jn_held_velocity(const jn_sim *sim, const jn_held *h);
void jn_held_scatter(const jn_sim *sim, const jn_held *h, double *row);
/* Adds what it does from outside to all bodies, with the impulse p of its contact problem. */
void jn_held_external(const jn_sim *sim, const jn_held *h, const double *p, jn_wrench *sum);
double jn_stops_deepest(const jn_sim *sim);
/* [rad] or [m] smallest gap of those that count. */
double jn_stops_gap(const jn_sim *sim, bool (*counts)(const jn_sim *sim, const jn_held *key));

/* nonsmooth_dry.c: dry friction of joint coordinates and tendons, behind the stops. Adds it to the set that was chosen. */
int jn_dry_choose(jn_sim *sim);
/* The entry that bears its bound, behind those at `at`; returns the end. */
int jn_dry_close_row(jn_nonsmooth *x, int contact, int at, int nv);
void jn_dry_pose(jn_sim *sim, int contact, double dt);
/* First guess of its impulses, where the state has none; its contact state and events after the step; its mean force. */
void jn_dry_guess(jn_sim *sim, double dt);
void jn_dry_note(jn_sim *sim, int contact, jn_contact_state *cached, double t_E);
void jn_dry_sum_up(jn_sim *sim, double dt);
/* Adds the mean forces of the last step to those that are looked at. */
void jn_dry_show(const jn_model *m, jn_work *w, const double *force);

#define JN_STILL 1e-9 /* [m/s] slower is at rest */

/* nonsmooth_account.c, after a step of length dt from t_A: sums of each contact row; contact cache and events; work; work of
 * dampers, motors and drivers. */
void jn_nonsmooth_sum_up(jn_sim *sim, double dt);
void jn_nonsmooth_note(jn_sim *sim, double t_A, double dt);
void jn_nonsmooth_book_forces(jn_sim *sim, double dt);
/* Impulse from outside, about the world's origin, where the work space stands: of contacts, stops and dry friction p alone; of forces during dt; of the change du of the velocities
 * in trees that hang on the ground; of rows; of contacts, stops and dry friction p. Changes sim->force. */
jn_wrench jn_contacts_external(const jn_sim *sim, const double *p);
jn_wrench jn_nonsmooth_external(jn_sim *sim, double dt, const double *du, const double *rows, const double *p);
/* The same of a whole step of dt from the state to x->velocity with all terms there. */
jn_wrench jn_nonsmooth_step_external(jn_sim *sim, double dt);

/* Power of the forces: from that at the start of the step and the last one, by the weight of the end. */
void jn_nonsmooth_mean_power(jn_sim *sim, double theta);

/* Steps take impulses, not the mean forces of the last step that a user looks at: hides them, shows them again. Samples the audit. */
void jn_nonsmooth_hide_forces(jn_sim *sim);
void jn_nonsmooth_show_forces(jn_sim *sim);
void jn_nonsmooth_look(jn_sim *sim);
/* Sums of forces over the contacts of the set, and of gaps over the near pairs, of each contact row. */
void jn_nonsmooth_sum_forces(jn_sim *sim, double dt);
void jn_nonsmooth_sum_gaps(jn_sim *sim);
/* Impulse of a contact as a vector in world axes; all: those of the step, or another guess of them. */
jn_vec3 jn_contact_impulse(const jn_nonsmooth *x, const double *all, int contact);
/* contact_set.c: tangents of a contact; contacts of a pair by feature; how far contacts are looked for. */
void jn_contact_take_tangents(const jn_sim *sim, jn_held *h);
void jn_contact_sort_features(jn_held *h, int n);
/* The contact point where the pairs were looked at last; false: it is not there. */
bool jn_contact_follow_touch(const jn_sim *sim, jn_held *h);
/* nonsmooth_account.c: whether friction takes hold of what it presses. */
bool jn_contact_jams(const jn_nonsmooth *x, int contact);
double jn_contact_margin(const jn_sim *sim, double ahead);
/* nonsmooth_drivers.c: way of the driver of a row in the time h after t. */
double jn_driver_way(const jn_model *m, int row, double t, double h);

/* nonsmooth.c: parts of a step that schemes share. End of the step without contacts: u_A + A^-1 kick. */
int jn_nonsmooth_move_freely(jn_sim *sim, const double *kick, double *out);
/* Sends an event of a contact; p: its impulses, or NULL. */
void jn_nonsmooth_tell(jn_sim *sim, const char *kind, const jn_held *h, double time, double before, double after,
                       const double *p);
/* First guess of the impulses: those of the last step. */
void jn_contact_set_guess(jn_sim *sim);
/* Work of the impulses x->p between x->before and x->velocity. */
void jn_contact_set_book(jn_sim *sim);

/* nonsmooth_fixed_point.c: how the iteration of an implicit step goes on. */
typedef struct jn_fixed_point {
    int n, idle;        /* evaluations; those since the least change */
    double last, least; /* changes of the velocities */
    double part;        /* of the last change that was made */
    bool done;
} jn_fixed_point;

enum { JN_EVALUATIONS_MOST = 30 }; /* of a step */
static inline jn_fixed_point jn_fixed_point_start(void) {
    return (jn_fixed_point){.last = INFINITY, .least = INFINITY, .part = 1};
}
/* After an evaluation, x->velocity, that started from x->iterate: whether the fixed point is reached, else the next iterate; or fails. */
int jn_fixed_point_judge(jn_sim *sim, jn_fixed_point *p);

/* nonsmooth_guess.c: velocities at the end of an implicit step from the last steps, or u_A. */
void jn_guess_velocity(jn_sim *sim, double dt, double *velocity);
/* After a step of length dt, before the state has its velocities. */
void jn_guess_learn(jn_sim *sim, double dt);
/* By how much an evaluation shrinks the error, as last found; part of the state. 0: unknown. */
double *jn_guess_rate(jn_sim *sim);

/* contact_instant.c. h-, and the contacts at the start of the step, at its state. A gap up to
 * `closed` that does not open further than that in the time `length` counts as closed. */
double jn_instant_shortest(const jn_sim *sim);
int jn_instant_look(jn_sim *sim, double closed, double length);
/* Keeps the present set and its impulses in x->first; the place of a contact in it, or -1. */
void jn_instant_keep(jn_nonsmooth *x);
int jn_instant_first(const jn_nonsmooth *x, const jn_held *key);
/* Leaves contacts out of the set that were open. Smallest gap of those, where the scan stands. */
void jn_instant_filter(jn_sim *sim);
double jn_instant_gap(const jn_sim *sim);
/* Whether a closed contact moves inwards at the start. */
bool jn_instant_strikes(const jn_sim *sim);
/* A step of length h without the open contacts, and their smallest gap at its end. */
typedef int jn_trial(jn_sim *sim, double h, double theta, double *gap);
/* Largest h up to *h at which no open contact has closed; the step is solved there, with the gap within 1e-13 m above zero.
 * Gives up below `least`: *h is smaller then. late_gap: smallest gap at the end of *h. */
int jn_instant_find(jn_sim *sim, jn_trial *attempt, double theta, double least, double *h, double late_gap);
/* Impact of the contacts that are closed at the end of a step of length h: x->velocity and x->p after it. Books it. all: also of
 * those that carried nothing during the step. */
int jn_instant_strike(jn_sim *sim, double h, bool all);

/* least_constraint.c: one step, of length *h at most; its length comes back. x->velocity and the positions are those of its end. */
int jn_least_constraint_step(jn_sim *sim, double *h);

/* nonsmooth_stiff.c. NULL: no element is stiff for the run's step. */
int jn_stiff_create(jn_sim *sim, jn_stiff **out);
void jn_stiff_free(jn_stiff *stiff);
/* Calls back with the links of every element; 0: the ground. */
void jn_stiff_pairs(const jn_sim *sim, const jn_stiff *stiff, void (*tie)(void *context, int a, int b), void *context);
/* What damping and stiffness weigh in B: (theta dt), (theta dt)^2. */
typedef struct jn_stiff_weights {
    double c, k; /* [s], [s^2] */
    bool leaps;  /* of the momentum leapfrog */
} jn_stiff_weights;
/* Factor of the inertia with their matrix B at the last evaluation; forgets B, until the next factor. */
int jn_system_factor(jn_sim *sim, jn_stiff_weights weights);
void jn_stiff_leave(jn_sim *sim);
/* y += B x; y += what B u refers to, in the leapfrog, with the velocities of the last segment and those of the forces. Whether there is a B; its part on the diagonal, or NULL. */
void jn_stiff_multiply(const jn_sim *sim, const double *x, double *y);
void jn_stiff_refer(const jn_sim *sim, const double *u_A, const double *v, double *y);
bool jn_stiff_on(const jn_sim *sim);
const double *jn_stiff_added(const jn_sim *sim);
/* kick += B (x->iterate - before). */
void jn_stiff_add(jn_sim *sim, const double *before, double *kick);
/* a = (M + B)^-1 (f + G^T lambda) with G a = g; B only between factor and leave. */
int jn_system_solve(jn_sim *sim, const double *f, const double *g, double *a, double *lambda);

/* nonsmooth_drivers.c: drivers of a step of length dt from the state, whose positions follow velocities of weight theta at the end. */
void jn_drivers_look(jn_sim *sim, double dt, double theta);
/* What their rows have to meet with velocities of weight `part` at the end: sets phi_rate. */
void jn_drivers_aim(jn_sim *sim, double part);
/* Work of their impulses during the step, in x->impulse; of impulses at its end. */
void jn_drivers_book(jn_sim *sim);
void jn_drivers_book_kick(jn_sim *sim, const double *impulse);
/* Velocities at the end of the step brought onto joints and drivers. */
int jn_drivers_meet(jn_sim *sim, double *velocity);
/* jn_settle, with the drivers' part in it booked. */
int jn_drivers_settle(jn_sim *sim);

/* contact_set.c: poses and velocities of the state, and rows of constraints there. */
void jn_positions_locate(jn_sim *sim);

/* contact_seams.c, after collision detection: active contacts that have passed on to a neighbour in the surface take its key. */
void jn_seams_pass(jn_sim *sim);
/* The contact point of a contact that has passed on since the set was chosen, if there is one. */
void jn_seams_follow(const jn_sim *sim, jn_held *h);

#endif
