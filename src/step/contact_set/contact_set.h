/* The contact set of a step: its contact points, their rows in the velocities, and the contact problem that they pose. One owner for the
 * schemes of method nonsmooth and for method impact. */
#ifndef JN_STEP_CONTACT_SET_CONTACT_SET_H
#define JN_STEP_CONTACT_SET_CONTACT_SET_H

#include "reaction/problem/round_row.h"
#include "step/contact_set/contact_set_tolerances.h"
#include "step/sim.h"
#include <stddef.h>
#include <string.h>

/* A contact point of the step. Stops of coordinates stand behind the points of pairs, dry friction behind the stops: `a` says which. What most loops of a
 * step read stands first, in one line of the cache. */
typedef struct jn_contact_point {
    int a, b; /* solids; behind all solids: stops (b: 0 lower, 1 upper), then dry friction */
    uint32_t feature;
    int row;              /* contact row of the model */
    double gap, approach; /* [m], [m/s] gap and its rate where the contact was found closed */
    double bend,
        bends;      /* [m] momentum_leapfrog: what the motion bends the gap by, on the last segment and on this one */
    int cached;     /* its place in the contact cache of the state; -1: none */
    int island;     /* momentum_leapfrog: jn_islands_find */
    bool is_new;    /* was not active in the last step */
    bool impacting; /* closes faster than forces move it in a step */
    bool waits;     /* momentum_leapfrog: is open, and impacting after others if they bring it together */
    bool impacted;  /* momentum_leapfrog: at an earlier stage of the node */
    bool balls;     /* momentum_leapfrog: of two balls about their centres of mass, free and alone */
    bool slips;     /* momentum_leapfrog: on the segment, as its law counts slip */
    bool asleep;    /* momentum_leapfrog: of an island that sleeps, which keeps its impulses */
    bool lasting;   /* its impulse is that of a force that goes on */
    jn_vec3 t[2];   /* tangents */
    double slip[2]; /* [m/s] along the tangents where the contact was found closed */
    jn_vec3 force;  /* [N] on the second body, world axes, with which it goes on; else 0 */
    double force_last;   /* [N] momentum_leapfrog: the smaller of its last two normal forces where it bore load at both nodes, without impact; else 0 */
    double slip_last;    /* [m/s] momentum_leapfrog: slip speed on the last segment; 0: it was none */
    int link[2];         /* that its solids belong to; 0 of what is no pair */
    bool was_anchored;   /* momentum_leapfrog: it stuck at the last node */
    bool anchors_change; /* the points of its pair that stick are others than before */
    bool rebounds; /* momentum_leapfrog: impacting, and restitution decides how fast it leaves, not the way of its point */
    bool enclosed; /* momentum_leapfrog: of a ball or disc in a bore, socket or arc */
    int end_point; /* momentum_leapfrog: 1 + which of the points that the last solution of the step missed; 0: none */
    int group[2];  /* momentum_leapfrog: that move with it, -1: none; jn_islands_find */
    jn_contact_geometry geometry; /* points, normal and gap at the configuration of the last evaluation; without curvatures, which no rigid contact has */
} jn_contact_point;
_Static_assert(sizeof(jn_contact_point) % 64 == 0, "contact points begin with a line of the cache");

/* Begins the contact point of a pair of solids of the links A and B: zero but for its geometry. */
static inline void jn_contact_point_begin(jn_contact_point *h, const jn_solid_pair *pair, uint32_t feature, int row, int A, int B) {
    memset(h, 0, offsetof(jn_contact_point, geometry));
    h->a = pair->a, h->b = pair->b, h->feature = feature, h->row = row;
    h->link[0] = A, h->link[1] = B;
}
/* Contact row of a pair that has one. */
static inline int jn_pair_row(const jn_model *m, const jn_solid_pair *pair) {
    return m->contact_count == 1 ? 0 : jn_model_contact_of(m, pair->a, pair->b);
}
/* Takes the geometry, but for curvatures: two fifths of its memory. */
static inline void jn_contact_point_take(jn_contact_point *h, const jn_contact_geometry *point) {
    memcpy(&h->geometry, point, offsetof(jn_contact_geometry, kA));
}

/* How the contact problem is solved. */
typedef struct jn_set_solve {
    const jn_solver_info *solver; /* NULL: automatic */
    void *scratch;
    size_t scratch_size;
    double speed_error; /* [m/s] of the last problem */
    bool unsolved;      /* it is above the run's */
    double keep;        /* of the residual: a guess that solves nearly the same problem stays as it is; 0: it is none */
    bool certain;       /* a problem without solution is told from one that solvers fail at: set->hold */
    bool uncounted;     /* the audit counts the last problem of the step, which the scheme does itself */
} jn_set_solve;

typedef struct jn_contact_set {
    int count, dimension;    /* contact points; rows of each: 1 without friction, 2 in a plane, 3 in space */
    int dry;                 /* of them, the last: coordinates with dry friction */
    int room;                /* contact points that there is memory for */
    long widest, entries;    /* velocities that a contact can move, at most; room of the rows */
    jn_contact_point *point; /* (room) sorted by (a, b, feature) */
    int *start;              /* (room + 1) first entry of each contact */
    int *from;               /* (room) entry of each before which its rows in H are zero */
    int *dof_of;             /* (entries) */
    double *H;               /* (entries x dimension) rows in the velocities */
    double *V, *Y;           /* (entries x dimension) rows of the problem, W = V Y^T; V may be H or Y */
    jn_round_row *round;     /* (room) the same rows where all contacts are round */
    bool is_round;           /* they are, */
    bool has_values;         /* H and Y are filled, of round contacts too */
    bool some_asleep;        /* contacts of islands that sleep are among them */
    double (*rows)[8];       /* (nv) rows of two contacts, four numbers for each, zero between calls */
    double *mu;              /* (room) */
    double *compliance;      /* (room) [1/kg] of contacts in piles; as in jn_problem */
    bool some_comply;        /* one of them is not 0 */
    double *hold;            /* (3 room) impulses of contacts that friction jams, 0 where there are none; jn_solve_judged, asked for by solve.certain */
    double *q, *p, *u;       /* (3 room) right-hand side, impulses, relative velocities at the end of the step */
    double *before;          /* (3 room) relative velocities at its start */
    double *surface;         /* (3 room) [m/s] relative velocities of surfaces that move by themselves; NULL: there are none */
    double *dry_mobility;    /* (dry) [1/kg] or [1/(kg m^2)] dry friction: what an impulse does to the speed of its coordinate */
    jn_contact_state *next;  /* (room) what the contact cache becomes, while its contacts are still asked; scratch of jn_nonsmooth_note, */
    int *gone;               /* (room) contacts of the cache that are not in the set, and */
    bool *reports;           /* (room) whether a contact has an event to report; the same */
    jn_twist *start_V;       /* (links) velocities at the start of the step; scratch of jn_contact_set_choose */
    double duration;         /* [s] during which the impulses p acted; 1: they are forces */
    double time;             /* [s] of the end of the step */
    jn_pool *pool;           /* threads that share loops over many contacts; NULL: one. Set by jn_sim_use_threads */
    jn_set_solve solve;
} jn_contact_set;

/* Which contacts count as closed. */
typedef struct jn_closed {
    double ahead; /* [s] gaps are judged this long after the configuration, at their present rates [Acary2008, 10.1] */
    double gap;   /* [m] gaps up to it are closed */
    double kept;  /* [m] and gaps up to it of contacts that were closed in the last step */
    double
        back; /* [s] the configuration was reached in this time, by other velocities than those at the start of the step: gaps
                     are those that these lead to, so that an iterate has no part in them */
} jn_closed;

/* contact_set.c, after jn_kinematics: the closed contacts; the same ones at another configuration. */
int jn_contact_set_choose(jn_contact_set *set, jn_sim *sim, const jn_closed *closed);
void jn_contact_set_follow(jn_contact_set *set, jn_sim *sim);
/* [m/s] speed error asked of the contact problem. */
double jn_contact_set_residual(const jn_sim *sim);
/* Solves u = W p + q for p and u. */
int jn_contact_set_solve(jn_contact_set *set, jn_sim *sim);
/* An error of the simulation at contact i: a driver takes no notice of contacts, and where it moves bodies into each other no impulses can meet the laws. */
int jn_contact_set_fail_driven(jn_sim *sim, int i);
/* How far collision detection reaches for steps of this length [m]. */
double jn_contact_margin(const jn_sim *sim, double ahead);
/* Collision detection of all that can meet in the time ahead [s] where impacts throw bodies by the length `thrown` [m], each pair as far as its bodies move. */
int jn_contacts_detect(jn_sim *sim, double ahead, double thrown);
/* An error of the simulation where its contact set has no room for so many more. */
int jn_contact_set_check_room(jn_sim *sim, int more);
/* Poses and velocities of the state, and rows of constraints there. */
void jn_positions_locate(jn_sim *sim);

/* contact_rows.c: rows H, V and Y of the set; the inertia is factored, and stays so until the last impulse is applied. */
int jn_contact_set_rows(jn_contact_set *set, jn_sim *sim);
/* End of the entries of a contact in the velocities of the model. The last entry of dry friction lies behind: it bears the bound. */
static inline int jn_contact_set_end(const jn_contact_set *set, int i) {
    return set->start[i + 1] - (i >= set->count - set->dry);
}
/* contact_round.c: finds whether all contacts are round, and fills set->round then, and the rows where somebody reads them. False: the rows are left to
 * others. */
bool jn_contact_set_fill_round(jn_contact_set *set, jn_sim *sim);
/* [1/kg] entry of W_ii on its diagonal. */
static inline double jn_contact_mobility(const jn_contact_set *set, int i, int r) {
    double W = 0;
    if (set->is_round) return r ? jn_round_tangent(&set->round[i]) : jn_round_normal(&set->round[i]);
    for (int k = set->start[i], d = set->dimension; k < set->start[i + 1]; k++)
        W += set->V[k * d + r] * set->Y[k * d + r];
    return W;
}
/* [1/kg] mean of those of the tangents: the same for all tangents that the contact may have. */
static inline double jn_contact_tangent_mobility(const jn_contact_set *set, int i) {
    return set->dimension > 2 ? 0.5 * (jn_contact_mobility(set, i, 1) + jn_contact_mobility(set, i, 2))
                              : jn_contact_mobility(set, i, 1);
}
/* y = H x; of three at once; of one contact. */
void jn_contact_set_multiply(const jn_contact_set *set, const double *v, double *y);
void jn_contact_set_multiply_three(const jn_contact_set *set, const double *const v[3], double *const y[3]);
void jn_contact_multiply_one(const jn_contact_set *set, int contact, const double *v, double *y);
/* Relative velocities of contacts: H v, and what surfaces that move by themselves add; of all contacts, of one. */
void jn_contact_set_velocities(const jn_contact_set *set, const double *v, double *y);
void jn_contact_velocities_one(const jn_contact_set *set, int contact, const double *v, double *y);
void jn_contact_set_add_surfaces(const jn_contact_set *set, double *y);
/* [J] what moves the surfaces of a contact does with its impulses p. */
static inline double jn_contact_surface_work(const jn_contact_set *set, int i, const double *p) {
    double work = 0;
    for (int r = 1; r < set->dimension && set->surface; r++) work -= p[r] * set->surface[i * set->dimension + r];
    return work;
}
/* f += H^T p; v += A^-1 H^T p, or what Y says where it was changed. */
void jn_contact_set_force(const jn_contact_set *set, const double *p, double *f);
void jn_contact_set_apply(jn_contact_set *set, jn_sim *sim, const double *p, double *v);
/* Adds a wrench on a link, at its origin, to generalised forces. */
void jn_load_scatter(const jn_sim *sim, int link, jn_wrench f, double *x);
/* Factor of M, or of M with the constraint rows; x = M^-1 f and x = M^-1 x without constraints on single groups. */
int jn_inertia_factor(jn_sim *sim);
void jn_inertia_solve_for(jn_sim *sim, const double *f, double *x);
static inline void jn_inertia_solve(jn_sim *sim, double *x) { jn_inertia_solve_for(sim, x, x); }
/* h^T M^-1 h of a row h of all velocities; moved (nv): M^-1 h. */
double jn_inertia_mobility(jn_sim *sim, const double *row, double *moved);

/* First guess of the impulses: those of the last step. Work of the impulses set->p between set->before and x->velocity. */
void jn_contact_set_guess(jn_contact_set *set, jn_sim *sim);
void jn_contact_set_book(jn_contact_set *set, jn_sim *sim);
/* [m/s] or [N s] size of the tangential part of a velocity or an impulse of a contact. */
static inline double jn_contact_slip_speed(const jn_contact_set *set, const double *u) {
    return set->dimension == 1 ? 0 : set->dimension == 2 ? fabs(u[1]) : jn_hypot(u[1], u[2]);
}
/* Impulse of a contact as a vector in world axes; all: those of the step, or another guess of them. */
static inline jn_vec3 jn_contact_impulse(const jn_contact_set *set, const double *all, int i) {
    const double *p = all + i * set->dimension;
    jn_vec3 P = v3_scale(p[0], set->point[i].geometry.n);
    for (int r = 1; r < set->dimension; r++) P = v3_axpy(p[r], set->point[i].t[r - 1], P);
    return P;
}
/* Whether friction jams what it presses. */
bool jn_contact_jams(const jn_contact_set *set, int contact);

/* Where both links of a contact receive its impulse: one point, so that it adds no couple; that on the ground, or halfway between both bodies,
 * whichever is first. Points of a body that stands on a plane lie in that plane then, whatever their gaps, and can stick together while it tilts. */
static inline jn_vec3 jn_contact_place(int A, int B, const jn_contact_geometry *at) {
    if (A == 0) return at->pA;
    return B == 0 ? at->pB : v3_scale(0.5, v3_add(at->pA, at->pB));
}
static inline jn_vec3 jn_contact_point_place(const jn_contact_point *h) {
    return jn_contact_place(h->link[0], h->link[1], &h->geometry);
}
/* Tangents; contact points of a pair by feature; the same point where pairs were detected last: false if it is not there. */
void jn_contact_point_tangents(const jn_sim *sim, jn_contact_point *h);
void jn_contact_sort_features(jn_contact_point *h, int n);
bool jn_contact_point_follow(const jn_sim *sim, jn_contact_point *h);
/* Where that is; NULL: it is not there. */
const jn_contact_geometry *jn_contact_point_find(const jn_sim *sim, const jn_contact_point *h);
/* Of two shapes; a stop; dry friction. Name of the contact row, or of the joint. */
static inline bool jn_pair_is(const jn_model *m, const jn_contact_point *h) { return h->a < m->solid_count; }
static inline bool jn_dry_is(const jn_model *m, const jn_contact_point *h) {
    return h->a >= m->solid_count + m->stop_count;
}
static inline bool jn_stop_is(const jn_model *m, const jn_contact_point *h) {
    return !jn_pair_is(m, h) && !jn_dry_is(m, h);
}
/* Of surfaces that move by themselves. */
static inline bool jn_contact_on_belt(const jn_model *m, const jn_contact_point *h) {
    return m->surfaces_move && jn_pair_is(m, h) && (m->solids[h->a].surface_moves || m->solids[h->b].surface_moves);
}
const char *jn_contact_point_name(const jn_model *m, const jn_contact_point *h);

/* contact_seams.c, after collision detection: active contacts that have passed on to a neighbour in the surface take its key. */
void jn_seams_pass(jn_sim *sim);
/* The contact point of a contact that has passed on since the set was chosen, if there is one. */
void jn_seams_follow(const jn_sim *sim, jn_contact_point *h);

/* nonsmooth_stops.c: rigid stops of coordinates and tendons. */
int jn_stops_choose(jn_sim *sim, const jn_closed *closed);
void jn_stop_follow(const jn_sim *sim, jn_contact_point *h);
/* Of a stop or of dry friction: its group, its velocity (-1: the coordinate is measured) and its row. */
int jn_contact_point_group(const jn_sim *sim, const jn_contact_point *h);
int jn_contact_point_velocity(const jn_sim *sim, const jn_contact_point *h);
/* What its row has where that is a velocity: the gap at an upper end falls with the coordinate. */
static inline double jn_contact_point_sign(const jn_contact_point *h) { return h->b ? -1 : 1; }
void jn_contact_point_scatter(const jn_sim *sim, const jn_contact_point *h, double *row);
/* Adds what it does from outside to all bodies, with the impulse p of its contact problem. */
void jn_contact_point_external(const jn_sim *sim, const jn_contact_point *h, const double *p, jn_wrench *sum);
/* [rad] or [m] smallest gap of those that count. */
double jn_stops_gap(const jn_sim *sim, bool (*counts)(const jn_sim *sim, const jn_contact_point *key));

/* nonsmooth_dry.c: dry friction of coordinates and tendons, behind the stops. Adds it to the set that was chosen. */
int jn_dry_choose(jn_sim *sim);
/* The last entry of its row, which bears its bound; the others are there. */
void jn_dry_close_row(jn_contact_set *set, int contact, int nv);
void jn_dry_pose(jn_sim *sim, int contact, double dt);
/* First guess of its impulses, where the state has none; its contact state and events after the step; its mean force. */
void jn_dry_guess(jn_sim *sim, double dt);
void jn_dry_note(jn_sim *sim, int contact, jn_contact_state *cached, double t_E);
/* Whether it holds its coordinate, within the error of the problem; set->u are velocities at the end of the step. */
bool jn_dry_sticks(const jn_sim *sim, int contact);
/* momentum_leapfrog, before the states are noted: whether it stops a coordinate that slipped until this node. */
bool jn_dry_stops(const jn_sim *sim, int contact);
/* momentum_leapfrog: what brings coordinates that stick back to where they did. */
void jn_dry_anchor(jn_sim *sim);
void jn_dry_sum_up(jn_sim *sim, double dt);
/* Adds the mean forces of the last step to those that are shown. */
void jn_dry_show(const jn_model *m, jn_work *w, const double *force);

#endif
