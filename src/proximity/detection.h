/* What the files of the pairs share. */
#ifndef JN_PROXIMITY_DETECTION_H
#define JN_PROXIMITY_DETECTION_H

#include "base/counts.h"
#include "base/pool.h"
#include "proximity/flush.h"
#include "proximity/narrow.h"

typedef struct jn_detection_exception {
    int a, b;
    bool allow;
} jn_detection_exception;

/* What loops over pairs read of a solid, of which four stand in a line of the cache. */
typedef struct jn_carried {
    double reach; /* [m] */
    int link;
} jn_carried;

struct jn_detection {
    const jn_model *model;
    int solids, pair_room, contact_room_of_pair, candidate_room;
    int pairs, contacts;
    long tests;
    jn_vec3 *lower, *upper;           /* (solids) boxes in the world, grown by half the margin */
    jn_vec3 *skin_lower, *skin_upper; /* (solids) the same with the skin, when the candidates were found */
    int (*candidate)[2];              /* (candidate_room) pairs whose skins meet, sorted */
    int candidates;
    int (*spare)[2]; /* (candidate_room) while they are sorted */
    int *first;      /* (solids + 1) likewise: places */
    bool *is_near;   /* (candidate_room) their boxes meet without the skins */
    double margin;   /* [m] of the last update; negative: there was none */
    double least,
        time; /* [m], [s] the same of jn_detection_update_moving; INFINITY: pairs have no margin of their own */
    const double *swift;          /* the same, or NULL */
    double listed;                /* [m] margin that the candidates were found with; negative: they are not valid */
    double *skin;                 /* (solids) [m] of the candidates: that of a fast body is thicker */
    double thinnest, thickest;    /* [m] their bounds */
    int served;                   /* updates since they were found */
    bool with_law;                /* pairs without a contact row are left out, also where there are no rows */
    jn_point_detail detail;       /* what contact points have */
    bool meshes;                  /* a solid is one */
    bool complete;                /* no candidate was left out */
    bool current;                 /* the contact points are all of those at `poses` */
    int *order;                   /* (solids) the finite ones, then the planes */
    int finite;                   /* how many are finite */
    int *head, *next, *large;     /* (slots), (solids), (solids) hashed grid; boxes much larger than its cells */
    int64_t (*cell)[3];           /* (solids) */
    int slots;                    /* a power of two */
    jn_solid_pair *pair, *old;    /* (pair_room) */
    jn_contact_geometry *contact; /* (contact_room) */
    signed char *verdict;         /* (solids x solids) of few solids: whether a pair may touch, 1, or not, -1; 0: nobody has asked; NULL: they are many */
    int (*joined)[2];             /* (joined_count) pairs of bodies with a joint, sorted */
    int joined_count;
    jn_detection_exception *exception; /* sorted by (a, b) */
    int exceptions, exception_room;
    jn_pose *poses;   /* (links) of the ground, and of links that carry a solid */
    int *carrier;     /* (carriers) these links, ascending */
    int carriers;     /* how many */
    jn_convex *world; /* (solids) with the poses of the shapes' frames */
    jn_carried *carried; /* (solids) */
    double *ball;     /* (solids) [m] radius of a sphere, -1: it is none */
    jn_vec3 *centre;  /* (solids) [m] origin of the shape's frame */
    bool *is_frame;   /* (solids) the shape's frame is that of its link */
    jn_vec3 *half, *middle; /* (solids) [m] half the edges of its own box, and the middle of that in the shape's frame */
    bool *is_centred;  /* (solids) that middle is the origin of the frame */
    jn_pose ground;   /* where the ground stood, and the margin of its boxes; negative: it was not placed */
    double placed;
    jn_flush flush;
    jn_pool *pool;    /* threads that share the narrow phase, and loops over many shapes; NULL: one */
    jn_counts counts; /* calls since creation */
};

enum { JN_DETECTION_FEW = 64 }; /* solids of which verdicts on pairs are kept */
#define JN_BALLS_REL 1e-9 /* of a distance: what rounding may make of it */
#define JN_ENDLESS 1e9    /* [m] margin within which everything is */

/* Threads that share the narrow phase of many pairs, or NULL. The points are the same. */
void jn_detection_share(jn_detection *s, jn_pool *pool);

/* Whether all pairs are near, whatever their boxes. */
static inline bool jn_detection_endless(double margin) { return margin >= JN_ENDLESS; }

/* Order of the pairs (a, b) and (c, d). */
static inline int jn_pair_order(int a, int b, int c, int d) { return a != c ? (a < c ? -1 : 1) : (b > d) - (b < d); }

/* Whether two boxes do not meet. */
static inline bool jn_boxes_apart(const jn_vec3 *lower, const jn_vec3 *upper, int a, int b) {
    return lower[a].x > upper[b].x || lower[b].x > upper[a].x || lower[a].y > upper[b].y || lower[b].y > upper[a].y ||
           lower[a].z > upper[b].z || lower[b].z > upper[a].z;
}

static inline bool jn_are_balls(const jn_detection *s, int a, int b) { return s->ball[a] >= 0 && s->ball[b] >= 0; }
/* Whether two solids are balls whose surfaces are further apart than this; their boxes meet at corners long before. */
static inline bool jn_balls_apart(const jn_detection *s, int a, int b, double distance) {
    if (!jn_are_balls(s, a, b)) return false;
    jn_vec3 d = v3_sub(s->centre[b], s->centre[a]);
    double least = (1 + JN_BALLS_REL) * (s->ball[a] + s->ball[b] + distance);
    return v3_dot(d, d) > least * least;
}

/* jn_detection_update_work where pairs have margins of their own, up to the one given: `least` [m] and what bodies close in `time` [s] at the velocities of
 * the work space, and with `swift` (links) [m/s], or NULL, at the sum of theirs beside. */
int jn_detection_update_moving(jn_detection *s, const jn_work *work, double margin, double least, double time,
                               const double *swift);

/* [m] gap up to which pairs were looked at however slow they are; INFINITY: all as far as the margin. */
static inline double jn_detection_least(const jn_detection *s) { return s->least < s->margin ? s->least : INFINITY; }

/* jn_detection_find for pairs that are asked for in their order: begins at the place where the last one was. */
const jn_solid_pair *jn_detection_find_from(const jn_detection *s, int from, int a, int b);

/* Whether points of polyhedra have normals of their own where edges cross; after jn_detection_curvatures. */
void jn_detection_rocks(jn_detection *s, bool wanted);

/* Points that stand for a circle on a plane begin at this direction (unit, in x and y of the round solid) while it lies flat. */
void jn_detection_turn_circle(jn_detection *s, const jn_solid_pair *pair, const double direction[2]);

/* Height of a box over a plane: at most this much. */
static inline double jn_box_height(const jn_detection *s, int plane, const jn_vec3 *lower, const jn_vec3 *upper,
                                   int b) {
    const jn_pose *X = &s->world[plane].X;
    jn_vec3 n = m3_column(&X->R, s->model->solids[plane].type == JN_SHAPE_PLANE ? 2 : 1);
    jn_vec3 low =
        v3(n.x > 0 ? lower[b].x : upper[b].x, n.y > 0 ? lower[b].y : upper[b].y, n.z > 0 ? lower[b].z : upper[b].z);
    return v3_dot(n, v3_sub(low, X->p));
}

/* detection_memory.c: what the last update found, as plain data, so that another one can be undone: poses, pairs with their warm starts, contact
 * points. */
size_t jn_detection_memory_size(const jn_detection *s);
void jn_detection_memory_save(const jn_detection *s, void *to);
void jn_detection_memory_load(jn_detection *s, const void *from);

/* pair_filter.c: jn_detection_allowed, which is asked once where solids are few; pairs of bodies that a joint holds together. */
bool jn_detection_may_touch(jn_detection *s, int a, int b);
void jn_detection_find_joined(jn_detection *s);
bool jn_detection_joint_alone(const jn_detection *s, int a,
                              int b); /* two solids would touch but for the joint of their bodies */

/* broad_phase.c: bounds of the skin, from the shapes. */
void jn_detection_fit_bounds(jn_detection *s);
/* Candidates that serve the margin, for which the boxes are grown: those there are, or new ones. s->complete: none is left out. */
void jn_detection_list(jn_detection *s, double margin);

/* Whether jn_detection_tiled holds for a solid. */
bool jn_detection_has_tiles(const jn_detection *detection);

#endif
