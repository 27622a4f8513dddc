/* What the derivatives of the equations of motion share. All twists and wrenches are spatial: seen at one point c of the world per
 * tree, in axes parallel to the world. derivatives.c has the symbols. */
#ifndef JN_MOTION_DERIVATIVES_H
#define JN_MOTION_DERIVATIVES_H

#include "motion/work.h"

typedef double jn_matrix6[36]; /* wrench (n, f) = matrix * twist (w, v), row major */

/* One velocity of the tree. */
typedef struct jn_tree_column {
    jn_twist J;        /* motion per unit velocity */
    jn_twist C;        /* velocity of what carries its axis */
    jn_twist w, y, p;  /* see derivatives.c */
    jn_twist rate;     /* C x J */
    jn_wrench IJ, BtJ; /* I_m J and (2B_m)^T J of the subtree */
} jn_tree_column;

/* A vector with its first and second rate; or how these change along a direction. */
typedef struct jn_moving {
    jn_vec3 p, v, a;
} jn_moving;

/* A side of a joint: its point from c, and its axes. */
typedef struct jn_moving_side {
    jn_moving point, axis[3];
} jn_moving_side;

/* How a link changes along a direction: pose, twist and acceleration, spatial. */
typedef struct jn_change {
    jn_twist pose, twist, rate;
    bool any;
} jn_change;

/* How a scalar changes: itself and its two rates. */
typedef struct jn_scalar_change {
    double p, v, a;
} jn_scalar_change;

struct jn_derivatives_work {
    jn_twist *V, *A;     /* (links) spatial */
    jn_vec3 *c;          /* (links) the tree's point */
    jn_rigid *I;         /* (links) of the subtree, about c */
    jn_wrench *F;        /* (links) of the subtree */
    jn_matrix6 *B;       /* (links) 2B of the subtree */
    jn_tree_column *col; /* (nv) */
    double *x;           /* (nv) */
    const jn_work *w;    /* of the state: poses, and pulls as scratch */
    const double *a;     /* (nv) accelerations of the state; NULL: zero */

    /* The direction of the moment: jn_change_direction. */
    int along;                    /* velocity */
    bool by_u;                    /* a change of that velocity; else a motion along it */
    jn_change *change;            /* (links) */
    jn_wrench *load;              /* (links) loads that act, without their change */
    jn_wrench *load_change;       /* (links) */
    double *tau_change;           /* (nv) forces on coordinates of the tree */
    jn_scalar_change *row_change; /* (rows) Phi, Phi', Phi'' */
    jn_ledger power_change;       /* without that of drivers */
    jn_jet *var;                  /* (3 + signals) variables of functions, with their change */
    /* Once per state. */
    jn_moving_side *side;         /* (closures x 2) */
    bool adds_load;               /* loads are summed too, not only their changes */
    jn_ledger *power_q, *power_u; /* (nv) changes of the powers */
    /* Solutions. */
    double *f, *g, *y, *lambda; /* (nv), (rows), (nv), (rows) */
    double *rhs_q, *rhs_u;      /* (rows x nv) changes of Phi'' with what stabilises it, row major */
    double *rate_q;             /* (rows x nv) changes of Phi' */
    double *null;               /* (null_count x rows) orthonormal: G^T n = 0 */
    int null_count;
    double *zero, *probe; /* (nv), (nq + nv) */
};

static inline jn_twist jn_cross(jn_twist a, jn_twist b) {
    return (jn_twist){v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
}

static inline jn_wrench jn_cross_force(jn_twist a, jn_wrench f) {
    return (jn_wrench){v3_add(v3_cross(a.w, f.n), v3_cross(a.v, f.f)), v3_cross(a.w, f.f)};
}

/* Whether a change along velocity j of a joint carries the axis of velocity k of the same joint along. Rotations of spherical and
 * free joints count in axes of the parent, all at once; everything else is one after the other. */
static inline bool jn_velocity_carries(const jn_link *l, int j, int k) {
    int block = l->type == JN_JOINT_SPHERICAL ? 0 : l->type == JN_JOINT_FREE ? 3 : 6;
    return j < k && !(j >= block && k >= block);
}

/* derivatives.c: V, A, sums over subtrees and columns at accelerations a (NULL: zero). */
void jn_derivatives_prepare(const jn_model *m, jn_work *w, const jn_state *s, const double *a,
                            struct jn_derivatives_work *d);
/* change.c: links along velocity `along`; loads, rows and powers are set to zero. */
void jn_change_direction(const jn_model *m, struct jn_derivatives_work *d, int along, bool by_u);
/* Points and axes of all closures at the state. */
void jn_change_sides(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d);
jn_moving jn_point_moving(const struct jn_derivatives_work *d, int link, jn_vec3 at); /* at: in the world */
jn_moving jn_point_change(const struct jn_derivatives_work *d, int link, const jn_moving *point);
jn_moving jn_axis_moving(const struct jn_derivatives_work *d, int link, jn_vec3 axis);
jn_moving jn_axis_change(const struct jn_derivatives_work *d, int link, const jn_moving *axis);
/* Adds a force f and a torque n at a point of the world (its p) to the loads of a link, and their changes; the point changes by at. */
void jn_change_push(struct jn_derivatives_work *d, int link, jn_vec3 point, jn_vec3 at, jn_vec3 f, jn_vec3 df,
                    jn_vec3 n, jn_vec3 dn);
/* change_rows.c: a joint coordinate, its speed and its acceleration. */
jn_scalar_change jn_handle_change(const jn_model *m, const struct jn_derivatives_work *d, int handle);
/* A force on a measured coordinate, as loads on its two links, and their changes; the force itself changes by `by`. */
void jn_handle_push(const jn_model *m, struct jn_derivatives_work *d, int handle, double force, double by);
/* Loads of the multipliers, and their changes; with_rows: and those of the rows. */
void jn_change_rows(const jn_model *m, struct jn_derivatives_work *d, const double *lambda, bool with_rows);
/* change_forces.c: loads of springs, bushings, applied forces and what acts on joint coordinates. Signals are set first. */
void jn_change_forces(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d);
/* linearise.c: the stages of jn_system_derivatives, for those who add the changes of contacts between them (step/integrators/
 * sim_linearise.c). tau_q and tau_u, and the changes of rows, at given accelerations (NULL: zero) and multipliers: begin once; for
 * each velocity, by q and by u, begin and end the direction, and what adds to the loads' changes stands between; the controller. The work
 * space has the forces and measures of the state. */
void jn_changes_begin(const jn_model *m, jn_work *w, const jn_state *s, const double *a, const double *lambda,
                      jn_derivatives *out);
void jn_direction_begin(const jn_model *m, const jn_work *w, jn_derivatives *out, int along, bool by_u);
void jn_direction_end(const jn_model *m, jn_derivatives *out);
void jn_control_changes(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *out);
/* Before them, after the accelerations: factors, and the combinations of rows that vanish. After them: a_q, a_u, lambda_q, lambda_u; then
 * a_tau, lambda_tau and the turning of multipliers of redundant rows. */
int jn_changes_factor(const jn_model *m, jn_work *w, jn_derivatives *out);
int jn_changes_solve(const jn_model *m, jn_work *w, jn_derivatives *out);
/* Whether the model has a coupler over a path: how the acceleration of its length changes is not known, but at rest, where it is zero. */
bool jn_derivatives_lack(const jn_model *m);
int jn_changes_by_forces(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *out);

#endif
