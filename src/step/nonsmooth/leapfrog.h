/* The momentum leapfrog: forces, joints and contacts act at nodes, bodies keep their momenta in between.
 *
 *     sum J(q_k)^T (P[k+1/2] - P[k-1/2]) = H f_k + G_k^T Lambda + W_k lambda,     q_k+1 = q_k [+] h u
 *
 * with P the momenta of the bodies on the segment with velocities u (motion/segment.c) and H the mean of the lengths of both segments. */
#ifndef JN_STEP_NONSMOOTH_LEAPFROG_H
#define JN_STEP_NONSMOOTH_LEAPFROG_H

#include "algebra/double_double.h"
#include "motion/segment.h"
#include "step/nonsmooth/nonsmooth.h"

/* Features of contacts at material points that the pair shows at the end of the segment alone: above those of any shape. */
#define JN_LEAPFROG_END_FEATURE 0xffffff00u

/* Where a solution of the segment would have ended too deep, and posed no contact: material points of both bodies. */
typedef struct jn_end_point {
    int a, b; /* solids */
    uint32_t feature;
    jn_vec3 in_a, in_b; /* [m] in the frames of their links */
    jn_vec3 n;          /* unit, world */
    double gap;         /* [m] along n where the last solution of the segment ended */
} jn_end_point;

/* The impulses of a contact by the last solution of the segment. */
typedef struct jn_found_impulse {
    int a, b;
    uint32_t feature;
    double p[3]; /* [N s] */
} jn_found_impulse;

/* What is known of a contact whose gap the linear prediction misses. */
typedef struct jn_gap_correction {
    double posed;       /* [m/s] normal bias before any correction, */
    double asked, last; /* [m/s] what the last one added to it, and the one before; 0: there was none */
    double end;         /* [m] gap that the last one was made for */
} jn_gap_correction;

/* A gap and its rates before the impulses of the node, and with its forces without contacts. */
typedef struct jn_closing {
    double gap, minus, free; /* [m], [m/s] */
} jn_closing;

/* A point of the detection that may act. */
typedef struct jn_chosen_point {
    int pair, point;
} jn_chosen_point;

/* [J] lost by the normal and the tangential impulse of a contact, what of it its spring stores where it gives way, and what is round-off. */
typedef struct jn_contact_work {
    double normal, tangential, stored, noise;
} jn_contact_work;

typedef struct jn_leapfrog {
    /* at the node where the state stands; evaluate_node */
    double *force;                  /* (nv) f */
    double *controlled;             /* (nv) f with what a controller asks for when the segment begins */
    double *v_node;                 /* (nv) velocities at which forces are taken */
    double *minus;                  /* (nv) velocities before the impulses of the node, M u- = p */
    double *rate;                   /* (rows) -dPhi/dt */
    jn_working_forces working;      /* of dampers, motors and applied forces, among f; with what a controller asked for when the node was reached, */
    bool works;                     /* there were some then */
    double *driving;                /* (nv) and its driving forces with what the controller asks for when the segment begins */
    double driven_to_node;          /* [J] by drivers, from the middle of the last segment to the node */
    jn_stiff_weights stiff_weights; /* with which the inertia was factored */
    double *q_seen, *u_seen;        /* (nq), (nv) the state that was evaluated */
    double t_seen;
    unsigned long placed; /* jn_work.placed then; other: the work space was used for something else */
    /* the segment that begins there; solve_node */
    double h, H;              /* [s] its length; how long forces act at the node */
    double *base;             /* (nv) p + H f + what implicit elements refer to */
    double *given;            /* (nv) base + G^T Lambda + W lambda - B u: the momenta at the node after its impulses */
    double *pi;               /* (nv) sum J^T P(u) */
    double *u, *free, *delta; /* (nv) velocities; without contacts; scratch */
    double *first;            /* (nv) velocities of the first pass without contacts, found with those of the node: where */
    bool begun;               /* they are */
    double *both;             /* (2 nv) scratch of two solutions */
    double *target;           /* (rows) G u that ends the segment on the constraints */
    double *lambda;           /* (rows) impulses of joints and drivers */
    double *miss;             /* (rows) what the linear prediction of Phi misses */
    double *p_guess;          /* (3 contacts) impulses that the contact problem of a pass starts from */
    double *gamma_free,
        *bias;          /* (3 room) contact velocities without contacts; what the laws add to those of the segment */
    double *gamma_last; /* (3 room) contact velocities at the end of the last segment */
    double *half;       /* (3 room) what half of the node's forces adds to contact velocities */
    jn_contact_work *work; /* (room) of the node's contacts; jn_leapfrog_find_jump */
    bool gains_known;   /* jn_leapfrog_find_gains was asked since the last solution */
    int bounded;        /* islands whose restitution was lowered, in all stages of the node */
    int stage;          /* impacts that follow each other at the node: how many have been */
    double *earlier;    /* (3 room) their impulses */
    bool apart;         /* which those of the present solution do not contain */
    double swiftest;    /* [m/s] fastest contact velocity, at least 1 */
    jn_segment_link *segment; /* (links) */
    bool may_sleep;           /* no force depends on time */
    int asleep;               /* groups of islands that sleep */
    double reach;             /* [m] largest distance of a point of a body from its centre of mass */
    double mass;              /* [kg] of all bodies */
    double stall;             /* of the velocities: smaller changes that no longer halve are round-off */
    double size;              /* [m] half of the shortest side of a shape, of all */
    double deepest;           /* [m] penetration that a segment may end with */
    double heaviest;          /* [kg] link */
    double *spring;           /* (room) [m/N] of contacts that give way, where no impact makes them rigid */
    double pile;              /* part of run.compliance that contacts of balls have; jn_leapfrog_pile */
    double compliant_overlap; /* [m] and how much further, by what its most compliant contact gives way */
    jn_gap_correction *correction; /* (room) of this segment */
    bool missed;              /* it ends deeper in contacts that were not among those of its start */
    jn_end_point *end_point;  /* (JN_LEAPFROG_END_POINTS_MOST) contacts that solutions of the segment have missed */
    int end_points;           /* how many */
    jn_found_impulse *found;  /* (room) of all contacts, where the segment is solved again; */
    int found_count;          /* 0: it is solved for the first time */
    jn_closing *closing;      /* (points of the detection) of all pairs; scratch of leapfrog_choice.c */
    jn_chosen_point *chosen;  /* (room) those that become contacts; the same */
    bool *ball;               /* (solids) about its centre of mass, of a body that is free and alone */
    bool has_hollows;         /* there are bores, sockets or arcs */
    double *reach_of;         /* (links) [m] largest distance of a point of its shapes from its centre of mass */
    double *swift;            /* (links) [m/s] no point was faster on segments of this node that missed contacts: they may come together so fast */
    double swiftest_point; /* [m/s] of all links, on segments of this node that were not the last; 0: there were none */
    double impact;         /* [m/s] fastest impact that the velocities at the node lead to */
    double closing_turn;      /* [rad/s] or [m/s] the same of coordinates and their stops */
    double dropped;           /* [m/s] largest correction of the node that no impulses could make, */
    bool jams;                /* and whether there was one, however small */
    bool detected;            /* the pairs are those of its end, */
    double least_gap;         /* [m] which have no smaller one */
    double *contact_force;    /* (nv) mean force of stops and dry friction, then with that of contacts that last [N] */
    double *fall;             /* (nv) [m/s] what gravity adds to the velocities before the node until its forces act, less what it adds after
                               * them until the middle of the segment: 0 between segments of one length; of a state the first part alone */
    bool falls;               /* it is not 0 */
    bool all_fall_freely;     /* gravity accelerates the free joints of all trees, and no other coordinate */
    double *falling;          /* (nv) accelerations by gravity alone, where implicit elements are on the diagonal of the factor */
    jn_wrench *lasting;       /* (links) that of contacts that last, about the world's origin; scratch */
    double *q_end;            /* (nq) */
    double *plain;            /* (nv) the velocities that the state shows, without what springs add */
    double *half_stiff;       /* (nv) half of what implicit elements do at the node beside their forces there, in the time of a step */
    double *v_taken;          /* (nv) v_node of the node where it begins */
    double *last;             /* (nv) velocities of the segment before; jn_leapfrog_take_base */
    double *p_rest, *q_rest;  /* (nv), (nq) what rounding leaves of base and q_end */
    double *given_rest;       /* (nv) and of the impulses of contacts in given */
    jn_twist *V_minus, *V_free, *V_last; /* (links) of minus, free, last */
    jn_link_motion *link;                /* (links) poses and */
    jn_twist *S; /* (nv) joint axes of the other end: change places with those of the work space */
    /* leapfrog_momentum.c, for the audit: wrenches about the world's origin */
    jn_wrench
        external; /* on all bodies from outside at the node, but by joints that hang trees on the ground; jn_node_forces */
    jn_wrench shown;   /* impulse of rows that brought the velocities before the node onto the constraints */
    jn_wrench hanging; /* momentum of the bodies of such trees on the last segment */
    double hanging_of; /* signature of the state that it led to */
    bool forced; /* no length of the step converges: the linear prediction and the last pass have to do */
} jn_leapfrog;

/* JN_ERR_MEMORY if there is none. */
int jn_leapfrog_create(jn_sim *sim);
void jn_leapfrog_free(jn_leapfrog *x);
/* One fixed step, at most to the time t. */
int jn_step_leapfrog(jn_sim *sim, double t);
/* Poses at the end of the segment change places with those of the node. */
void jn_leapfrog_swap_poses(jn_sim *sim);

/* leapfrog_node.c: the terms at the node of the state, unless the work space has them; its velocities before the impulses. */
int jn_node_evaluate(jn_sim *sim);
/* Forces at the node with what a controller asks for now: it may have changed since the node was reached. */
const double *jn_node_controlled(jn_sim *sim);
/* The state moves to the end of the segment. */
int jn_node_arrive(jn_sim *sim, double t_end);
/* The state goes back to the node that was evaluated last. */
void jn_node_return(jn_sim *sim);
/* f (nv) += x->half_stiff. */
void jn_leapfrog_add_half_stiff(const jn_sim *sim, double *f);
/* Length of the last segment [s]; the k-th velocities of the last segments, the latest first; smooth segments of a group. */
static inline double *jn_past_length(const jn_sim *sim) { return &sim->s->past[JN_PAST_LENGTH]; }
static inline double *jn_past_before(const jn_sim *sim) { return &sim->s->past[JN_PAST_BEFORE]; }
/* Length of the segment over that of the last one. */
static inline double jn_past_ratio(const jn_sim *sim) {
    double last = *jn_past_length(sim);
    return last > 0 ? sim->nonsmooth->leapfrog->h / last : 1;
}
static inline double *jn_past_impact(const jn_sim *sim) { return &sim->s->past[JN_PAST_IMPACT]; }
static inline double *jn_past_velocity(const jn_sim *sim, int k) {
    return sim->s->past + JN_PAST_HEAD + sim->m->link_count + (size_t)JN_PAST_STEPS * (size_t)k;
}
/* What the linear prediction of each constraint missed; what rounding has left of positions and of momenta so far [Kahan1965]. */
static inline double *jn_past_miss(const jn_sim *sim) { return jn_past_velocity(sim, sim->m->nv); }
static inline double *jn_past_q_rest(const jn_sim *sim) { return jn_past_miss(sim) + sim->m->row_count; }
static inline double *jn_past_p_rest(const jn_sim *sim) { return jn_past_q_rest(sim) + sim->m->nq; }
static inline double *jn_past_smooth(const jn_sim *sim, int group) { return &sim->s->past[JN_PAST_HEAD + group]; }

/* The first link behind link i that is of another group, or `end`: the velocities of the links before it stand side by side. */
static inline int jn_group_run(const jn_groups *groups, int i, int end) {
    int group = groups->of[i++];
    while (i < end && groups->of[i] == group) i++;
    return i;
}

/* What the state remembers of a contact, NULL where it is new; between the frames of a link and the world. */
static inline const jn_contact_state *jn_leapfrog_cached(const jn_sim *sim, const jn_contact_point *h) {
    return h->cached < 0 ? NULL : &sim->s->contact[h->cached];
}
static inline jn_vec3 jn_link_to_world(const jn_link_motion *B, jn_vec3 p) { return v3_add(B->O, m3_mul_v(&B->R, p)); }
static inline jn_vec3 jn_world_to_link(const jn_link_motion *B, jn_vec3 p) { return m3_tmul_v(&B->R, v3_sub(p, B->O)); }
static inline bool jn_solid_is_hollow(const jn_solid *s) {
    return s->type == JN_SHAPE_BORE || s->type == JN_SHAPE_SOCKET || s->type == JN_SHAPE_ARC;
}
/* Velocity of a body at a point. */
static inline jn_vec3 jn_velocity_at(const jn_sim *sim, jn_vec3 point, int link, const jn_twist *V) {
    return link ? tw_shift(V[link], v3_sub(point, sim->w->link[link].O)).v : v3(0, 0, 0);
}

/* The next step starts from the velocities of the state: forces have changed since its node was evaluated. */
static inline void jn_leapfrog_start_anew(jn_sim *sim) {
    *jn_past_length(sim) = 0;
    sim->nonsmooth->leapfrog->placed = (unsigned long)-1;
}

/* The momenta belong to the present time, positions and velocities; whether they do. */
void jn_node_sign(jn_sim *sim);
bool jn_node_signed(const jn_sim *sim);
/* Whether the terms at the node are those of the present state: the next step does not evaluate them again. */
bool jn_node_stands(const jn_sim *sim);

/* leapfrog_swings.c, at a node: an error where the tension of a spring swings bodies across its line so fast that the step gains energy without
 * bound. square_of_step: H h [s^2], of the forces and of the segment. */
int jn_leapfrog_check_swings(jn_sim *sim, double square_of_step);
/* Velocities of the links on the last segment, into V_last. */
void jn_leapfrog_last_velocities(jn_sim *sim);

/* leapfrog_sleep.c: whether the forces of a model allow sleep; after a step: whether the system falls asleep; before one: whether it sleeps on
 * until the time end. */
bool jn_sleep_possible(const jn_model *m);
double jn_sleep_reach(const jn_model *m);
void jn_sleep_watch(jn_sim *sim);
bool jn_sleep_on(jn_sim *sim, double end);
/* After the islands of a step were found: those with a body that is awake wake. Whether a group sleeps. */
void jn_sleep_wake(jn_sim *sim);
bool jn_group_sleeps(const jn_sim *sim, int group);
/* Of islands that sleep: contact impulses for the time that forces act at the node; velocities; what is left of the node's momenta goes to the
 * ground; forces of contacts that the next node shows. */
void jn_sleep_keep_impulses(jn_sim *sim);
void jn_sleep_hold(jn_sim *sim, double *u);
void jn_sleep_book(jn_sim *sim);
void jn_sleep_balance(jn_sim *sim);

/* leapfrog_passes.c: first velocities of the segment; G u such that drivers and joints are met at its end; momenta without contacts, and velocities at the node without them, also with the solution
 * of the first pass; passes until the contact problem and what is not linear agree, with less restitution where impacts would gain energy. again: after others on the segment. */
void jn_leapfrog_predict(jn_sim *sim);
void jn_leapfrog_aim_at_constraints(jn_sim *sim);
int jn_leapfrog_take_base(jn_sim *sim);
int jn_leapfrog_move_freely(jn_sim *sim);
int jn_leapfrog_move_and_begin(jn_sim *sim);
int jn_leapfrog_solve_passes(jn_sim *sim, bool again);
/* [m/s] or [rad/s] largest of the velocities u (nv). Vectors count with their lengths, which are the same in all axes. */
double jn_leapfrog_largest_speed(const jn_model *m, const double *u);
/* leapfrog_choice.c: contacts that may act at the node. */
int jn_leapfrog_choose(jn_sim *sim);
/* [m] how far impacts at this speed [m/s] throw bodies on a segment of length h. */
double jn_leapfrog_thrown(const jn_sim *sim, double h, double impact);
/* Collision detection at the node as far as the fastest impact throws bodies, and as those move that have come together on other segments of it. */
int jn_leapfrog_detect_again(jn_sim *sim);
/* Collision detection for a segment of length h, with room for impacts as fast as the one before it [m/s], and as those of contacts at rest. */
int jn_leapfrog_detect(jn_sim *sim, double h, double impact);
/* Speeds that no point of a shape exceeds on the segment: of all in x->swiftest_point; where it missed contacts, those of each link in x->swift. */
void jn_leapfrog_note_speeds(jn_sim *sim);
/* leapfrog_bends.c: what the motion bends gaps by [m]. Whether contact i, with what its last node left (NULL: nothing), closes by its rate, and shapes may pass by each other all the
 * same, for which bias accelerations are needed; its bend before the solution, and whether they do pass; squares of the turns of all groups, on the last segment or with this one,
 * before contacts are asked for what is left with its velocities; how far that may be off; those of contacts that the last solution missed. */
bool jn_bend_may_pass(const jn_sim *sim, int i, const jn_contact_state *cached);
bool jn_bend_find(jn_sim *sim, int i, const jn_contact_state *cached);
void jn_bends_sum_turns(jn_sim *sim, bool now);
double jn_bend_now(const jn_sim *sim, int i);
double jn_bend_allowed(const jn_sim *sim, const jn_contact_point *h);
void jn_bends_take_end(jn_sim *sim);
/* leapfrog_laws.c: the laws' part of the problem. */
/* [m/s] what all but contacts do to a gap's rate in a step, towards each other; at least as much as gravity. */
double jn_leapfrog_press(const jn_sim *sim, int i);
void jn_leapfrog_pose(jn_sim *sim);
/* Whether a contact has a ball. */
static inline bool jn_leapfrog_has_ball(const jn_sim *sim, const jn_contact_point *h) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    return x->ball[h->a] || x->ball[h->b];
}
/* leapfrog_compliance.c: how contact i gives way to its impulse, into set->compliance; after all of them: whether one does. */
void jn_leapfrog_pose_compliance(jn_sim *sim, int i);
void jn_leapfrog_note_compliance(jn_sim *sim);
/* Makes contacts rigid whose springs the solution compresses further than by their most, as impacts elsewhere in the pile do; false: there are none. */
bool jn_leapfrog_hold_compressed(jn_sim *sim);
/* [m] by which a contact overlaps whose spring is compressed by its most, and which is rigid therefore; and of another one what of its overlap at the node its spring bore. 0: neither. */
double jn_leapfrog_held(const jn_sim *sim, int i);
double jn_leapfrog_compressed(const jn_sim *sim, int i);
/* Which part of run.compliance contacts of balls have: none where a model has few balls that move freely, so that mechanisms stay rigid. */
double jn_leapfrog_pile(const jn_model *m, const bool *ball);
/* Impulse along an axis of a contact, of all stages so far. */
static inline double jn_leapfrog_impulse(const jn_sim *sim, int i, int r) {
    const jn_nonsmooth *n = sim->nonsmooth;
    int at = i * n->set.dimension + r;
    return n->set.p[at] + (n->leapfrog->apart ? n->leapfrog->earlier[at] : 0);
}
/* A later stage of impacts: contacts have given way to the impulses of earlier ones. */
void jn_leapfrog_pose_earlier(jn_sim *sim, int i);
void jn_leapfrog_forget_earlier(jn_sim *sim);
/* How far friction has stretched contact i, as the last node left it [m]. After the solution: how far it gives way along its normal [m]; the largest such overlap, into
 * x->compliant_overlap; and what it stores by impulses p along its axes [J]. */
jn_vec3 jn_leapfrog_stretch(const jn_sim *sim, int i, const jn_contact_state *cached);
double jn_compliant_overlap(const jn_sim *sim, int i);
void jn_leapfrog_note_overlaps(jn_sim *sim);
double jn_leapfrog_stored(const jn_sim *sim, int i, const double *p);
/* The impulses of the present solution, for the guess of the next one of the same segment. */
void jn_leapfrog_note_impulses(jn_sim *sim);
/* [m/s] the bias with which a contact closes its gap by the end of the segment. */
double jn_leapfrog_close_gap(const jn_sim *sim, int contact);
/* [m/s] what overlaps leaves no faster than it came, but for what its spring does: least bias of a contact without restitution. */
double jn_leapfrog_fastest_exit(const jn_sim *sim, int contact);
/* Contacts that would end the segment deeper than allowed aim higher, or impact. Whether there are some. first: none were corrected before on this segment. */
bool jn_leapfrog_correct_gaps(jn_sim *sim, bool first);
/* leapfrog_jams.c: Where friction jams contacts, no impulses of finite size move them out of an overlap, back to where they stuck, or let them rebound: their problem without these
 * corrections, which rest solves, is posed in its place. earlier: how often it was in this pass, for contacts that jam when others do no longer. False: there is nothing to leave out. */
bool jn_leapfrog_drop_corrections(jn_sim *sim, int earlier);
/* Notes the points where the segment ends deeper than allowed and no contact was posed near by; whether there are new ones. */
bool jn_leapfrog_find_end_points(jn_sim *sim);
/* Whether the segment ends beyond a stop that was not among its contacts: impulses of others have thrown the coordinate there. Notes how fast in closing_turn. */
bool jn_leapfrog_passes_stop(jn_sim *sim);
/* Whether the segment ends deeper than allowed after all corrections, and is long enough to be halved. A point that turns in by the curve of its way
 * would have to leave the node faster than it came, which gains energy; what it turns in by goes with the square of the length. */
bool jn_leapfrog_ends_deep(jn_sim *sim);
/* The k-th of them as a contact point at the node. */
jn_contact_point jn_leapfrog_end_point(const jn_sim *sim, int k);
/* A contact that would turn in on the segment impacts at its node, where its law has restitution for that; else false. */
bool jn_leapfrog_pose_impact(jn_sim *sim, int i);
/* The aim of an impact again, with the factor of restitution that its island has now. */
void jn_leapfrog_pose_rebound(jn_sim *sim, int i);
/* A contact that impacts closes its gap without restitution instead. */
void jn_leapfrog_pose_closing(jn_sim *sim, int i);
/* Fits what gaps are bent by to the velocities of the segment; whether that changes the problem. */
bool jn_leapfrog_scale_bends(jn_sim *sim);
/* Poses the impacts of what the last ones have brought together; false: there are none. Afterwards n->p has the impulses of all. */
bool jn_leapfrog_next_stage(jn_sim *sim);
void jn_leapfrog_join_stages(jn_sim *sim);
/* leapfrog_restitution.c: what contacts give to their islands at the node, with the impulses of the set and jn_leapfrog_find_jump; once for each solution. */
void jn_leapfrog_find_gains(jn_sim *sim);
/* After a solution. Whether impacts of an island gain energy and are posed with less restitution, to be solved again. */
bool jn_leapfrog_bound_restitution(jn_sim *sim);
/* Before the first of them. anew: from Newton's law; else from the factors that islands have. */
void jn_leapfrog_begin_bounds(jn_sim *sim, bool anew);
/* Whether contacts give a large part of the energy of motion beside restitution: the ways of their points curve too much for the step. */
bool jn_leapfrog_gives_much(jn_sim *sim);
/* Islands whose restitution is lowered. */
int jn_leapfrog_bounded_islands(const jn_sim *sim);
/* leapfrog_contacts.c: what the state keeps of contacts, and events. */
void jn_leapfrog_keep(jn_sim *sim);
/* What the contact cache keeps of a contact that it has so far as the last node left it; whether there is an event. Events of a contact, while the cache is that of the last node. */
bool jn_leapfrog_keep_contact(const jn_sim *sim, int contact, jn_contact_state *cached);
void jn_leapfrog_report_contact(jn_sim *sim, int contact);
/* Both of a contact that keeps its place in the cache. */
void jn_leapfrog_note_contact(jn_sim *sim, int contact, jn_contact_state *cached);
/* [s] when an active contact parted that is open at the node, to first order by its last two forces. */
double jn_leapfrog_parted(const jn_sim *sim, const jn_contact_state *gone);
/* Finds the contacts whose forces go on. */
void jn_leapfrog_find_lasting(jn_sim *sim);
/* Whether most of what its contacts bore at the node does not go on. */
bool jn_group_is_unsteady(const jn_group *group);
/* Marks the groups whose velocities jump at the node. */
void jn_leapfrog_note_smooth(jn_sim *sim);

/* leapfrog_momentum.c: impulses from outside, for the audit. Of forces at the node (after jn_node_forces), of the rows of find_minus, of
 * the whole node; of the half of the next node's that its velocities contain. */
void jn_leapfrog_take_external(jn_sim *sim);
void jn_leapfrog_take_rows(jn_sim *sim);
void jn_leapfrog_book_rows(jn_sim *sim); /* the same of their work */
void jn_leapfrog_give(jn_sim *sim);
jn_wrench jn_leapfrog_half_given(jn_sim *sim);

/* leapfrog_account.c: work of the node's impulses; of the half of the next node's that its velocities contain. */
void jn_leapfrog_book(jn_sim *sim);
/* x->fall in the time before the node less that after it [s]; the work space has the poses of the node, and the factor of its inertia. */
int jn_leapfrog_find_fall(jn_sim *sim, double time);
/* n->u: contact velocities at the node after all impulses and half of its forces, as n->before are those before; work of n->p between them, into x->work. */
void jn_leapfrog_find_jump(jn_sim *sim);
void jn_leapfrog_book_contacts(jn_sim *sim);
void jn_leapfrog_book_half(jn_sim *sim);

/* a + b, and what rounding leaves of it. */
static inline double jn_add_exactly(double a, double b, double *rest) {
    jn_double_double sum = dd_sum(a, b);
    *rest = sum.l;
    return sum.h;
}

#endif
