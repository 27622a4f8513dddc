/* Layout of the work space. Every array says its size and who writes it. */
#ifndef JN_MOTION_WORK_H
#define JN_MOTION_WORK_H

#include "algebra/qr.h"
#include "base/counts.h"
#include "base/pool.h"
#include "model/reach.h"
#include <jounce/motion.h>

/* Pose and motion of a link's frame B, in world axes. Written by jn_kinematics. */
typedef struct jn_link_motion {
    jn_mat3 R;     /* from the link's frame to the world */
    jn_vec3 O;     /* [m] origin */
    jn_vec3 r;     /* [m] origin minus the parent's origin */
    jn_vec3 c;     /* [m] centre of mass minus origin */
    jn_twist V;    /* angular velocity; velocity of the origin */
    jn_twist bias; /* part of the acceleration that is quadratic in the velocities, added by this joint */
} jn_link_motion;

/* A force and a torque in world axes at a point that moves with a body. */
typedef struct jn_push {
    bool on;
    int link;
    jn_vec3 point;         /* [m] in the link's frame */
    jn_vec3 force, torque; /* [N], [N m] */
} jn_push;

/* Force of an actuator, and its slopes by coordinate, speed, activation (or control where there is none), and control. */
typedef struct jn_effort {
    double force, by_x, by_v, by_input, by_control;
    double secant_x, secant_v; /* by_x and by_v; at the end of the force's range the secants to where it would vanish */
    double voltage;            /* [V] of a motor */
} jn_effort;

/* Generalised forces of what does work beside potentials, apart: of what dissipates and of what drives. At velocities v they
 * take away the power wind - dissipating . v and put in wind + driving . v. */
typedef struct jn_working_forces {
    double *dissipating, *driving;              /* (nv) */
    jn_wrench *dissipating_load, *driving_load; /* (links) at the origins; scratch */
    double wind;                                /* [W] of a fluid that moves, by its drag */
} jn_working_forces;

enum { JN_SHARED_LINKS = 128 }; /* of a range: threads share loops over twice as many */

struct jn_work {
    const jn_model *model;
    bool all_alone; /* every link is free and alone: loops over links have no order. jn_work_create */
    jn_pool *pool;  /* threads that share them; NULL: one. Set by the simulation */
    jn_link_motion *link; /* (links) jn_kinematics */
    double rotor_kinetic; /* [J] of rotors behind gears; jn_kinematics */
    unsigned long placed; /* how often poses were written; jn_kinematics */
    jn_twist *S;          /* (nv) motion of the link's origin per unit velocity; jn_kinematics, of links with the axes of the world jn_work_create */
    double (*turn)[2];    /* (links) (1 - cos(h w))/h and sin(h w)/h of a segment in a plane; jn_segment_momenta */
    jn_twist *A;          /* (links) accelerations; jn_rnea, jn_aba, jn_accelerate */
    jn_twist *A_bias;     /* (links) accelerations at u' = 0, without gravity; constraint rows */
    jn_twist *twist;      /* (links) scratch of jn_external_inertia */
    jn_wrench *load;      /* (links) applied forces at the origins; jn_forces */
    jn_wrench *load_all;  /* (links) with those of constraints and of forces on measured coordinates; jn_observe */
    double *tau;          /* (nv) forces on joint coordinates; jn_forces */
    double *force;        /* (handles) actuator force on each joint coordinate; jn_forces */
    bool dry_rows;        /* dry friction is no force where it is a row; set by the simulation that has them */
    double elastic, contact_elastic; /* [J]; jn_forces */
    jn_ledger power;                 /* [W]; jn_forces */
    jn_working_forces *working;      /* NULL: not asked for; jn_forces */
    /* Contacts add to load and to the energies between jn_forces and jn_accelerations: step/evaluate.c. Set by the simulation. */
    bool contact_loads;
    /* Forces and torques that a user puts on bodies, one on each at most: added to load by jn_forces. Set by jn_sim_push. */
    jn_push *push;  /* (bodies) */
    int push_count; /* bodies that have one */
    /* Forces of a controller: added to tau by jn_forces. Set by the simulation that has one. */
    void (*control)(void *context, const jn_model *m, const jn_state *s, double *tau);
    void *control_context;
    double *control_tau; /* (nv) */
    double driver_power; /* [W] jn_accelerate */

    jn_wrench *F;        /* (links) forces through the joints; jn_rnea */
    jn_artic *IA;        /* (links) articulated inertias; jn_aba */
    jn_wrench *pA;       /* (links) articulated bias forces; jn_aba */
    jn_wrench *U;        /* (nv) IA S; jn_aba */
    double *D;           /* (nv) joint-space inertia: 1/D, or the Cholesky factor's place; jn_aba */
    double *eta;         /* (nv) joint-space force; jn_aba */
    double (*block)[36]; /* (multi-velocity links, by link) Cholesky factor of S^T IA S; jn_aba */
    int *block_of;       /* (links) index in block */

    jn_rigid *Ic;  /* (links) composite inertias; jn_mass_factor */
    double *M;     /* (M_size) mass matrix, then its factor; jn_mass_factor */
    double *M_raw; /* (M_size) the mass matrix itself; jn_mass_factor */
    double *D_inv; /* (nv) 1 / diagonal of the factor */

    const double *added; /* (nv) goes onto the diagonal of M where it is factored; NULL: nothing */

    double *h;       /* (nv) */
    double *a;       /* (nv) accelerations of the last jn_accelerate */
    double *scratch; /* (nv) always zero between calls: scattering of rows */

    double *G;                      /* (G_size) constraint rows; jn_constraint_rows */
    double *phi, *phi_rate, *gamma; /* (rows) */
    double *lambda;                 /* (rows) of the last jn_accelerate */
    double *row_rhs;                /* (rows) */
    double *dense;                  /* (nv + rows)(nv + 1) for penalty.c; NULL: not used */
    int *dense_column;              /* (rows) the same */
    double *var;                    /* (3 + signals) variables of functions */
    double *drive, *drive_x,
        *drive_v; /* (handles) force of the actuators on each coordinate, and its slopes; jn_forces */
    double *drive_secant_x,
        *drive_secant_v;      /* (handles) the same, but secants to where a force within a range vanishes; jn_forces */
    struct jn_effort *effort; /* (actuators of the model's section) jn_forces */
    double *control_value;    /* (the same) */
    double *muscle_peak;      /* (the same) [N] jn_work_create */
    double *act_rate;         /* (activations) [1/s] jn_forces */
    double act_time;          /* [s] time of the activations in a step that takes them after the motion; INFINITY: that of the state */
    double *position, *speed; /* (handles) scalar joint coordinates; jn_measure_all */
    jn_pull *pull;            /* (pull_room) of the lengths between places; jn_measure_all */
    int *pulls;               /* (reaches) how many each has */
    jn_adhesive *adhesive;           /* (pull_room if the model adheres) contact points that adhesion pulls at; a step writes them */

    jn_qr qr;       /* dense Schur complement: Y = D^-1/2 L^-T G^T factored; kkt_dense.c */
    double *row_x;  /* (rows) */
    double *column; /* (nv) */
    int rank;       /* of G; -1 unknown (sparse) */
    int usual_rank; /* of G at the assembled start; a lower one later is a singular configuration, not redundancy.
                             Set with usual_smallest and qr.weak by jn_usual_rank_set */
    double usual_smallest;        /* pivot of that factorisation against the first one */
    double *schur, *schur_factor; /* (rows x rows) for redundant rows; kkt_dense.c */
    bool weak;                    /* the configuration is nearly singular: accelerations feel the smallest violation */

    /* sparse KKT matrix, kkt_sparse.c */
    double *K, *L, *Dk, *kx, *kr, *ky; /* values, factor, diagonal, (n) vectors */
    double *lanes;                     /* (3 n x JN_KKT_LANES) of several right-hand sides */
    int *L_row, *L_count, *flag, *stack;
    double kkt_eps;
    const jn_state *state; /* of the last jn_kinematics */
    jn_counts counts;      /* calls since creation */
};

/* Whether something puts loads on links; whether forces other than gravity and contacts do work. */
static inline bool jn_work_has_loads(const jn_model *m, const jn_work *w) {
    return m->spring_count + m->bushing_count + m->applied_count + w->push_count > 0 || w->contact_loads;
}
static inline bool jn_work_has_power(const jn_model *m, const jn_work *w) {
    return m->spring_count + m->bushing_count + m->applied_count + m->actuator_count + w->push_count > 0 || w->control;
}

/* work.c */
/* A state to copy others into: contacts that it does not have are not set to zero. NULL: out of memory. */
jn_state *jn_state_create_scratch(const jn_model *m);

/* kinematics.c */
void jn_velocities(const jn_model *m, jn_work *w, const jn_state *s); /* of links and rotors alone; poses are done */
void jn_velocities_of(const jn_model *m, const jn_work *w, const double *u,
                      jn_twist *V); /* of links with u, at the present poses */
/* The same of three, with the same bits. */
void jn_velocities_of_three(const jn_model *m, const jn_work *w, const double *const u[3], jn_twist *const V[3]);
void jn_kinematics_link(const jn_model *m, jn_work *w, const jn_state *s, int link); /* one link; its parent is done */
/* out = q after the time h with the velocities u; out may be q. */
void jn_q_after(const jn_model *m, const double *q, const double *u, double h, double *out);
void jn_bias_accelerations(const jn_model *m, jn_work *w);
/* forces.c: applied loads and joint forces at the state; needs jn_kinematics. Contacts are not among them. */
void jn_forces(const jn_model *m, jn_work *w, const jn_state *s);
/* fluid.c */
void jn_fluid_force(const jn_ellipsoid *e, jn_dual3 v, jn_dual3 w, jn_dual3 *f, jn_dual3 *n);
/* accelerate.c: poses, velocities and what forces and rows measure. The first stage of jn_accelerate. */
void jn_positions(const jn_model *m, jn_work *w, const jn_state *s);
/* Its last stage, after jn_forces: accelerations and multipliers under the loads of the work space. */
int jn_accelerations(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, double *a, double *lambda);
/* The last stage of jn_system_terms, after jn_kinematics, jn_measure_all and jn_forces. */
void jn_loaded_terms(const jn_model *m, jn_work *w, const jn_state *s, double *G, double *gamma, double *h);
/* Power of these forces at the velocities v (nv). O(nv) */
jn_ledger jn_working_power(const jn_model *m, const jn_working_forces *f, const double *v);
/* Puts a force and a torque on a body, at a point from its centre of mass in its axes, until changed. False: it had them already. */
bool jn_push_set(const jn_model *m, jn_work *w, int body, jn_vec3 from_com, jn_vec3 force, jn_vec3 torque);
/* recursion.c: backward pass of inverse dynamics on A; load and tau may be NULL. */
void jn_rnea_forces(const jn_model *m, jn_work *w, const jn_wrench *load, double *tau);
void jn_rnea_accelerations(const jn_model *m, jn_work *w, const double *a, bool with_gravity);
/* M^-1 times the weights, of a tree without constraints: accelerations by gravity alone, as if nothing moved. After jn_kinematics. O(n) */
int jn_aba_falling(const jn_model *m, jn_work *w, double *a);
/* Inverse dynamics under gravity and loads: tau of the accelerations a, or of none; needs jn_kinematics. */
void jn_rnea_loaded(const jn_model *m, jn_work *w, const double *a, const jn_wrench *load, double *tau);
int jn_aba_loaded(const jn_model *m, jn_work *w, const double *tau, const jn_wrench *load, double *a);
/* mass.c, after jn_kinematics */
void jn_composite_inertias(const jn_model *m, jn_work *w); /* Ic: of what hangs behind each link, about its origin */
void jn_mass_rows(const jn_model *m, jn_work *w);          /* M and M_raw, not factored */
int jn_mass_factor_here(const jn_model *m, jn_work *w);
/* jn_mass_solve of x and of y, with the same bits; both (2 nv, aligned to 16 bytes): scratch. */
void jn_mass_solve_two(const jn_model *m, const jn_work *w, double *x, double *y, double *both);
void jn_mass_half_solve(const jn_model *m, const jn_work *w, double *x);   /* x = D^-1/2 L^-T x */
void jn_mass_half_solve_t(const jn_model *m, const jn_work *w, double *x); /* x = L^-1 D^-1/2 x */
/* planar_mechanism.c: the same for models that are flat. */
void jn_planar_kinematics(const jn_model *m, jn_work *w, const jn_state *s, int first, int end); /* some links */
void jn_planar_velocities(const jn_model *m, jn_work *w, const double *u);
void jn_planar_velocities_of(const jn_model *m, const jn_work *w, const double *u, jn_twist *V);
void jn_planar_forces(const jn_model *m, jn_work *w, const double *a, const jn_wrench *load, double *tau);
void jn_planar_mass_rows(const jn_model *m, jn_work *w);
/* handles.c */
void jn_measure_all(const jn_model *m, jn_work *w, const jn_state *s);
double jn_handle_bias(const jn_model *m, const jn_work *w, int handle); /* acceleration at u' = 0; needs A_bias */
void jn_handle_scatter_any(const jn_model *m, const jn_work *w, int handle, double factor, double *x);
/* x += factor row: of a coordinate of the tree its own velocity. */
static inline void jn_handle_scatter(const jn_model *m, const jn_work *w, int handle, double factor, double *x) {
    int v = m->handles[handle].v;
    if (v >= 0)
        x[v] += factor;
    else
        jn_handle_scatter_any(m, w, handle, factor, x);
}
void jn_handle_wrenches(const jn_model *m, const jn_work *w, int handle, jn_wrench *A,
                        jn_wrench *B); /* measured only */
int jn_closure_measure(const jn_model *m, const jn_work *w, int closure, double *out);
double jn_handle_row_dot(const jn_model *m, jn_work *w, int handle, const double *x);
void jn_angles_update(const jn_model *m, jn_work *w, jn_state *s); /* counts full turns */
/* Activations and controls of another state. */
static inline void jn_actuators_copy(const jn_model *m, jn_state *to, const jn_state *from) {
    for (int i = 0; m->actuation_count && i < m->act_count + 1 + m->actuation_count; i++) to->act[i] = from->act[i];
}
/* sensors.c: whether a sensor's zone holds a point, seen along its axes from its middle; a value within the cutoff. */
bool jn_zone_holds(const jn_sensor *sensor, jn_vec3 p);
double jn_sensor_cut_off(const jn_sensor *sensor, double value);
/* moving_surface.c: motion of the surface of solid b against that of a beyond that of their links, at a place p: across the normal n, and spin about it. */
jn_twist jn_surface_motion(const jn_model *m, const jn_link_motion *link, int a, int b, jn_vec3 p, jn_vec3 n);
/* actuation.c: forces of all actuators and rates of their activations, after read signals. */
void jn_actuations(const jn_model *m, jn_work *w, const jn_state *s);
/* Forces of all actuators along a joint coordinate: its own, and what those of tendons and at places bring; of a tendon: its own. */
double jn_drive_along(const jn_model *m, const jn_work *w, int handle);
jn_effort jn_actuation_effort(const jn_model *m, const jn_work *w, const jn_state *s, int actuation); /* with control_value, position, speed */
double jn_actuation_control(const jn_model *m, const jn_work *w, const jn_state *s, int actuation);
double jn_activation_rate(const jn_actuation *a, double control, double act);
/* What an activation follows: the control, or the error; after jn_actuations, with the lengths of the work space. */
static inline double jn_activation_input(const jn_work *w, const jn_actuation *a, int actuation) {
    double u = w->control_value[actuation];
    return a->activation == JN_ACTIVATION_ERROR ? u - a->gear * (w->position[a->handle] + a->offset) : u;
}
/* motor.c: the force of a motor that is asked for e, at the speed l' and a time h after that of its states; with its cogging and friction at the
 * length l; rates of its states; the states after a time h in which voltage and speed stay. act: the states of all actuators. */
jn_effort jn_motor_drive(const jn_actuation *a, const double *act, double h, jn_effort e, double speed);
jn_effort jn_motor_rub(const jn_actuation *a, const double *act, double h, jn_effort e, double l, double speed);
double jn_motor_current(const jn_actuation *a, const double *act, double voltage, double speed);
void jn_motor_rates(const jn_actuation *a, const double *act, double voltage, double speed, double *rate);
void jn_motor_advance(const jn_actuation *a, double h, double voltage, double speed, double *act);
void jn_muscle_peaks(const jn_model *m, jn_work *w);
/* How far the spring of a coordinate is from rest, with its sign. */
static inline double jn_spring_stretch(const jn_coordinate_desc *law, double x) {
    double beyond = x - law->rest;
    return beyond <= 0 ? beyond : beyond > law->slack ? beyond - law->slack : 0;
}
/* pulls.c: lengths between places on links. */
jn_pose jn_link_pose(const void *work, int link);
void jn_reach_measure(const jn_model *m, jn_work *w, int handle); /* position, speed, pulls; needs velocities */
double jn_reach_bias(const jn_model *m, const jn_work *w, const jn_reach *reach); /* needs A_bias */
void jn_reach_scatter(const jn_model *m, const jn_work *w, int reach, double factor, double *x);
/* Wrenches of a pull at the origins of its links. */
void jn_pull_wrenches(const jn_work *w, const jn_pull *p, jn_wrench *A, jn_wrench *B);
/* Term k of a coupler: a polynomial of degree 4 of its coordinate, with its derivatives; needs jn_measure_all. */
typedef struct jn_polynomial {
    double value, slope, bend, third;
} jn_polynomial;
static inline jn_polynomial jn_coupler_term(const jn_work *w, const jn_coupler *c, int k) {
    const double *p = c->power[k];
    double x = w->position[c->handle[k]] - c->reference[k], f = c->factor[k];
    return (jn_polynomial){x * (f + x * (p[0] + x * (p[1] + x * p[2]))), f + x * (2 * p[0] + x * (3 * p[1] + x * 4 * p[2])),
                           2 * p[0] + x * (6 * p[1] + x * 12 * p[2]), 6 * p[1] + x * 24 * p[2]};
}
/* constraints.c: needs jn_kinematics, jn_measure_all. */
enum { JN_ROWS_POSITION = 1, JN_ROWS_JACOBIAN = 2, JN_ROWS_GAMMA = 4 };
void jn_constraint_rows(const jn_model *m, jn_work *w, const jn_state *s, int what);
void jn_wrench_scatter(const jn_model *m, const jn_work *w, const jn_closure *c, jn_wrench fA, jn_wrench fB, double *x);
void jn_rows_multiply(const jn_model *m, const jn_work *w, const double *x, double *y);   /* y = G x */
void jn_rows_multiply_t(const jn_model *m, const jn_work *w, const double *y, double *x); /* x += G^T y */
/* Sliding of the second side along a direction fixed on the first: wrenches of its rate; returns the quadratic part. */
double jn_slide_wrenches(const jn_work *w, const jn_closure *c, jn_vec3 a, jn_wrench *A, jn_wrench *B);
void jn_row_wrenches(const jn_model *m, const jn_work *w, int row, jn_wrench *A, jn_wrench *B); /* closure rows only */
jn_wrench jn_closure_wrench(const jn_model *m, const jn_work *w, int joint, const double *lambda);
/* row_scale.c: [m] length of the mechanism's bodies, the largest distance of a joint from the centre of mass of one of its bodies;
 * 1 if all are zero. O(joints). */
double jn_mechanism_length(const jn_model *m);
/* Whether the tree's joints fulfil all rows of closures, so that G is round-off against the terms it is made of, and there are
 * no others. Needs G. O(entries of G). */
bool jn_rows_vanish(const jn_model *m, const jn_work *w, double tolerance);
/* external.c: linear and angular momentum of all bodies about the world's origin, at the motion of the work space; size: sums of
 * magnitudes. */
jn_wrench jn_momentum_sum(const jn_model *m, const jn_work *w, double size[2]);
jn_wrench jn_momentum_of(const jn_model *m, jn_work *w,
                         const double *u); /* with velocities u (nv) at the present poses */
/* The wrench on all bodies from outside, about the world's origin, in parts: gravity, loads and forces on coordinates, with trees that
 * hang on the ground at a = 0 (after jn_forces and jn_rnea_loaded with NULL); what accelerations a, or jumps of the
 * velocities, add in such trees; rows with multipliers or impulses; one contact that puts the force on_B on link B and its opposite on
 * link A at a point; a force on a coordinate. O(n), O(rows). */
jn_wrench jn_external_forces(const jn_model *m, const jn_work *w);
jn_wrench jn_external_at_rest(const jn_model *m, const jn_work *w); /* the same without motion, after jn_node_forces */
jn_wrench jn_external_coordinates(const jn_model *m, const jn_work *w,
                                  const double *f); /* forces (nv) on free joints */
jn_wrench jn_external_inertia(const jn_model *m, jn_work *w, const double *a);
jn_wrench jn_external_rows(const jn_model *m, const jn_work *w, const double *lambda);
jn_wrench jn_external_contact(const jn_model *m, int A, int B, jn_vec3 point, jn_vec3 on_B);
void jn_external_handle(const jn_model *m, const jn_work *w, int handle, double force, jn_wrench *sum);
/* All of it right after jn_accelerate. */
jn_wrench jn_external_rate(const jn_model *m, jn_work *w, const double *a, const double *lambda);
/* observe.c: the last stage of jn_observe, after jn_accelerations into w->a and w->lambda: forces through the joints. O(n) */
void jn_reactions(const jn_model *m, jn_work *w, const jn_state *s);
/* assemble.c: reports the coordinate that moves no mass. */
int jn_complain_massless(const jn_model *m, jn_work *w, const jn_state *s, jn_report *report);
/* kkt.c: factor once, solve often. a = M^-1 (f + G^T lambda) with G a = g. */
/* penalty.c: accelerations and multipliers for stabilise penalty and augmented_lagrangian; corrections for coordinate_partitioning. */
int jn_penalty_solve(const jn_model *m, jn_work *w, const double *h, const double *g, double *a, double *lambda);
void jn_partition_solve(const jn_model *m, jn_work *w, const double *residual, double *dx);
/* Whether each step ends on the constraints. */
static inline bool jn_run_projects(const jn_run_desc *run) {
    return run->stabilise == JN_STABILISE_PROJECTION || run->stabilise == JN_STABILISE_COORDINATE_PARTITIONING;
}
static inline bool jn_run_penalises(const jn_run_desc *run) {
    return run->stabilise == JN_STABILISE_PENALTY || run->stabilise == JN_STABILISE_AUGMENTED_LAGRANGIAN;
}
int jn_kkt_factor(const jn_model *m, jn_work *w);
void jn_usual_rank_set(const jn_model *m, jn_work *w); /* after a factorisation at a representative configuration */
int jn_kkt_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda);
/* The same of several f (count x nv) with g = 0, each with the bits that it has alone; without the multipliers. lambda (rows): scratch. */
int jn_kkt_solve_some(const jn_model *m, jn_work *w, int count, const double *f, double *a, double *lambda);
int jn_kkt_dense_factor(const jn_model *m, jn_work *w);
void jn_kkt_dense_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda);
int jn_kkt_sparse_factor(const jn_model *m, jn_work *w);
enum { JN_KKT_LANES = 8, JN_KKT_MAX_REFINEMENTS = 12, JN_KKT_USUAL_REFINEMENTS = 4 };
int jn_kkt_sparse_solve_some(const jn_model *m, jn_work *w, int count, const double *f, double *a);
int jn_kkt_sparse_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda);

#endif
