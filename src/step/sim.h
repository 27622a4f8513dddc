/* Inside of a simulation. */
#ifndef JN_STEP_SIM_H
#define JN_STEP_SIM_H

#include "base/pool.h"
#include "motion/work.h"
#include "reaction/compliant/compliant_contact.h"
#include <jounce/step.h>

enum { JN_STAGES = 8 }; /* slope vectors that the integrators share */

struct jn_sim {
    const jn_model *m;
    jn_state *s;
    jn_work *w;
    jn_pool *pool; /* threads that solve large islands together, and share loops over many contacts; NULL: one */
    jn_audit audit;
    jn_error error;
    int ny; /* nq + nv + nz + activations + JN_LEDGER: coordinates, velocities, friction states, activations, ledger */
    int nz; /* 3 per active contact that there is room for, where some friction law has states, else 0 */
    jn_contact_state *stage_contact; /* (room) of a stage: with its own friction states */
    jn_contact_view *seen;           /* (seen_room) for sensors of contacts */
    int seen_room;                   /* 0: there are none */
    double *y, *trial;               /* (ny) */
    jn_contacts *contacts;           /* NULL: nothing can come into contact */
    struct jn_nonsmooth *nonsmooth;  /* NULL: contacts are continuous forces */
    struct jn_impacts *impact;       /* NULL: no events; else nonsmooth keeps the set of contacts */
    jn_state *before;                /* state at the start of a step with contacts */
    jn_state *after;                 /* and at its end, while the start of a contact is located */
    jn_link_motion *start_link;      /* (links) poses and twists there, while gaps within the step are looked at */
    double step_limit;               /* [s] longest step of an adaptive integrator: contacts are short */
    jn_state *projected;             /* a stage moved onto the constraints */
    jn_state *untouched;             /* positions and velocities before what jn_audit_before samples */
    double *k[JN_STAGES];            /* (ny) slopes */
    double *u_half, *force;          /* (nv) verlet */
    double h;                        /* next step of the adaptive integrators */
    double step_taken;               /* [s] length of the last step, not cut short by an output */
    double *half_thickness;          /* (solids) [m] jn_solid_half_thickness; negative: not asked for yet */
    struct jn_creep *creep;          /* (actuators) creep.h */
    double creep_seen;               /* [s] when they were last looked at */
    double moved;                    /* [J] that jn_audit_after booked last */
    double error_before;             /* of the last accepted step, for the controller */
    double h_regular;                /* last accepted step away from singular configurations */
    bool weak;                       /* a slope of this step was taken near a singular configuration */
    bool slope_known;                /* k[0] is the slope at the present state */
    bool has_quaternions;
    bool by_hand;      /* the state was changed since the last step, and not looked at */
    double speed_most; /* [m/s] or [rad/s] of a velocity that is given by hand */
    bool between;      /* the state is interpolated between two steps, for the user */
    void (*sink)(void *context, const jn_event *event);
    void *sink_context;
    jn_problem_sink *problem_sink;
    void *problem_context;
    jn_impact_sink *impact_sink;
    void *impact_context;
    void (*impact_path)(void *context, const jn_impact_sample *sample);
    void *impact_path_context;
    struct jn_cvode *cvode;       /* NULL: it takes no steps now */
    struct jn_cvode *stiff_cvode; /* integrator auto: what takes them where the motion is stiff; NULL: no such thing */
    int stiff_row, loose_row; /* steps limited by stability since six in a row were not; those in a row that were not */
    bool was_stiff;           /* integrator auto: some steps were those of bdf */
    char begun[256];          /* when and from what of another run this one begins, in words; "": it begins as drawn */
    char begun_from[2048];    /* the folder of that run */
    struct jn_contact_changes *changes; /* made by the first jn_sim_derivatives with contacts */
};

/* One step, at most to the time t; updates state and audit counters. */
typedef int jn_step_function(jn_sim *sim, double t);
jn_step_function jn_step_euler, jn_step_verlet, jn_step_rk4, jn_step_dopri45, jn_step_cvode;
jn_step_function *jn_integrator_step(jn_integrator integrator); /* integrator_table.c */

/* The fixed step to the next multiple of it, shortened to end at t, not leaving a crumb shorter than a millionth of it; and the time
 * it ends at. */
double jn_fixed_step(const jn_sim *sim, double t, double *end);
/* y' at (t, y). Counts the evaluation. */
int jn_slope(jn_sim *sim, double t, const double *y, double *rate);
/* evaluate.c: jn_forces and the loads of contacts; jn_system_terms with them; jn_sim_observe with generalised forces tau (nv) added, NULL for none. */
void jn_sim_forces(jn_sim *sim, const jn_state *s);
void jn_sim_terms(jn_sim *sim, const jn_state *s, double *G, double *gamma, double *h);
int jn_sim_observe_under(jn_sim *sim, const double *tau);
/* sim_linearise.c: tau_q, tau_u and changes of rows at accelerations a (NULL: zero) and multipliers, with those of contacts (NULL: none);
 * after jn_sim_terms or jn_sim_accelerate. */
void jn_sim_force_changes(jn_sim *sim, const jn_state *s, const double *a, const double *lambda,
                          struct jn_contact_changes *contacts, jn_derivatives *out);
/* a_q, a_u, lambda_q, lambda_u at a state. */
int jn_sim_changes(jn_sim *sim, const jn_state *s, const double *tau, struct jn_contact_changes *contacts,
                   jn_derivatives *out);
/* Forces h(q, u, t) of M u' = h at a state, into sim->force; the work space holds its kinematics. */
void jn_forces_at(jn_sim *sim, const jn_state *s);
/* The same less M a. */
void jn_forces_left(jn_sim *sim, const jn_state *s, const double *a);
/* Slope at the present state into k[0]; samples the audit too. */
int jn_slope_here(jn_sim *sim);
/* to += h rate */
void jn_ledger_add(jn_ledger *to, double h, const jn_ledger *rate);
/* Active contacts of the state with the friction states z (nz); sim->stage_contact. Those of the state moved on: += h rate (nz). */
jn_contact_state *jn_stage_contacts(jn_sim *sim, const double *z);
void jn_friction_advance(jn_sim *sim, double h, const double *rate);
void jn_pack(jn_sim *sim, double *y);
/* Activations that steps left behind, to the present time. */
void jn_activations_follow(jn_sim *sim);
void jn_unpack(jn_sim *sim, double t, const double *y);
/* After a step: unit quaternions, projection if asked for. */
int jn_settle(jn_sim *sim);
/* audit.c: a witness, which no scheme asks before it acts. What counts as good; the account starts at the state of the last
 * evaluation; energy, momentum and violation there. */
jn_energy jn_sim_energy(const jn_sim *sim); /* with what contacts of method nonsmooth store */
void jn_audit_limit(jn_sim *sim);
void jn_audit_start(jn_sim *sim);
/* jn_sim_audit, which leaves a->verdict empty where all is well. */
const jn_audit *jn_audit_judge(jn_sim *sim);
void jn_audit_sample(jn_sim *sim, const jn_state *state);
/* Steps since `before` were trials that are taken back: what was sampled in them is no part of the run. Counters stay. */
void jn_audit_take_back(jn_sim *sim, const jn_audit *before);
/* sim.c: [m] jn_solid_half_thickness, found once. */
double jn_half_thickness(const jn_sim *sim, int solid);
/* A contact of two solids that is so deep [m]; where: its name. */
void jn_audit_depth(jn_sim *sim, int a, int b, const char *where, double depth);
/* The same of one that is gone at that depth, without having opened, or has begun there. */
void jn_audit_loss(jn_sim *sim, int a, int b, const char *where, double depth);
/* The state was changed by hand: residuals stay what they were. */
void jn_audit_move(jn_sim *sim);
/* An impulse from outside on all bodies, about the world's origin: n [N m s], f [N s]. */
void jn_audit_give(jn_sim *sim, jn_wrench impulse);
double jn_audit_energy_residual(const jn_audit *a, const jn_energy *e, const jn_ledger *l); /* [J] */
/* What a scheme does to the state besides its equations stands between these: the energy it adds goes into the ledger. */
void jn_audit_before(jn_sim *sim);
void jn_audit_after(jn_sim *sim);
/* A part of what was booked last stands elsewhere in the ledger [J]. */
void jn_audit_explain(jn_sim *sim, double energy);
/* Whether steps have the length that the run gives them. */
bool jn_sim_is_fixed(const jn_sim *sim);
/* The integrator starts anew at the state, without what it knows of earlier steps. */
void jn_sim_begin_anew(jn_sim *sim);
int jn_sim_fail(jn_sim *sim, int status, const char *format, ...) JN_PRINTF(3, 4);

/* checkpoint.c: what jn_sim_save writes and jn_sim_load reads, in memory; jn_free it. NULL: out of memory. */
unsigned char *jn_sim_pack(jn_sim *sim, size_t *size);
int jn_sim_unpack(jn_sim *sim, const unsigned char *bytes, size_t size, const char *path, jn_report *report);
/* Whether the bytes are those of a simulation of the same motion by the same version, and at which time. */
bool jn_sim_peek(const jn_sim *sim, const unsigned char *bytes, size_t size, double *time);

/* auto_integrator.c: integrator auto. Before a step: dopri45 hands over to bdf where it is stiff; after it: back where nothing is in contact. */
int jn_auto_create(jn_sim *sim);
void jn_auto_before(jn_sim *sim);
void jn_auto_after(jn_sim *sim, int contacts_before);
void jn_auto_note(jn_sim *sim, bool stiff);
/* The integrator that the run has, or of auto the one that its errors are those of. */
jn_integrator jn_sim_integrator(const jn_sim *sim);
int jn_cvode_create(jn_sim *sim);
void jn_cvode_free(jn_sim *sim);
void jn_cvode_restart(jn_sim *sim);
int jn_cvode_order(const jn_sim *sim);
/* Order of the last step. */
int jn_sim_order(const jn_sim *sim);

/* nonsmooth_create.c: [m] half the shortest side of the smallest moving shape. */
double jn_smallest_shape(const jn_model *m);
/* overlaps.c: if the model says so, pairs of bodies that overlap at the start are left out, and free ones in the ground are lifted out of it. */
int jn_overlaps_ignore(jn_sim *sim, jn_report *report);
/* joined.c: warns of bodies joined to the ground that never touch it, though both have shapes that stand apart and a material. */
void jn_joined_warn(jn_sim *sim, jn_report *report);
/* unsupported.c: warns of contact rows whose shapes have no algorithm of the narrow phase. O(rows shapes^2) where there are such shapes. */
void jn_unsupported_warn(const jn_model *m, jn_report *report);

/* value_range.c: bodies whose mass, place, speed or spin cannot be carried through the run are errors with their line. O(bodies shapes),
 * after jn_assemble. */
int jn_range_check(const jn_sim *sim, jn_report *report);
/* After a step: an error if a coordinate or velocity is not a number or beyond 1e100. O(nq + nv). */
int jn_range_keep(jn_sim *sim);
/* Velocities that take no shape farther until the end than places are known to a part of its size; INFINITY without shapes. O(shapes) */
double jn_range_speed(const jn_model *m);
/* Whether a state that was given by hand can be carried on; else the simulation fails. O(nq + nv) */
int jn_range_by_hand(jn_sim *sim);
/* idle_keys.c: warns of keys of contact rows that the run does not use. */
void jn_warn_idle_keys(const jn_model *m, jn_report *report);

/* adhesion.c, before each step: the contact points that adhesion pulls at. */
int jn_adhesion_find(jn_sim *sim);
void jn_adhesion_restore(jn_sim *sim); /* those of a state that a run goes on from */
/* [s] longest step with adhesion: points are found anew, and adhesion ends where a contact opens, after it. */
double jn_adhesion_step(const jn_model *m);

#endif
