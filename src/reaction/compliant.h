/* Contact by continuous forces: from near pairs to loads on links. */
#ifndef JN_REACTION_COMPLIANT_H
#define JN_REACTION_COMPLIANT_H

#include "motion/work.h"
#include <jounce/proximity.h>
#include <jounce/reaction.h>

/* What one contact row does. */
typedef struct jn_contact_law {
    jn_normal_law normal;
    bool from_radii;   /* stiffness follows from materials and curvatures at the start of each contact */
    double compliance; /* [1/Pa] of the pair of materials */
    jn_elastic_kind
        line;      /* law of cylinders that touch along a line; JN_ELASTIC_POWER: as if they touched in a point */
    double length; /* [m] of that line */
    bool has_friction;
    jn_friction_law friction;
    jn_resistance_parameters resistance;
    bool has_resistance;
    int roller;          /* link of an omni wheel, on which friction acts only across its axis; -1: none */
    jn_vec3 roller_axis; /* unit, the link's frame */
} jn_contact_law;

/* Sums over the touches of a contact row at the last evaluation. */
typedef struct jn_contact_sum {
    double gap;          /* [m] smallest; INFINITY if nothing is near */
    double fn, ft;       /* [N] normal forces; magnitude of the friction forces */
    double pn;           /* [N s] normal impulses of the last step; nonsmooth */
    jn_wrench on_second; /* about the world's origin, on the bodies of the second solids: see reaction/clearance.h */
} jn_contact_sum;

/* A contact under way keeps in its slot of the state: solids a + 1 and b, feature, speed at its start [m/s], stiffness, three
 * numbers for friction, time of its start [s], how long an impact of that speed lasts [s], whether it slides, its
 * deepest penetration [m], its phase (reaction/clearance.h), the axis of its tangents in the frame of link a, and the unit of
 * depth [m] of a line contact (0: a power law), and the impulses [N s] of normal force and of friction so far. Slots are sorted by (a, b, feature); free ones have a = 0 and stand behind. */
enum {
    JN_SLOT_A,
    JN_SLOT_B,
    JN_SLOT_FEATURE,
    JN_SLOT_SPEED,
    JN_SLOT_STIFFNESS,
    JN_SLOT_STICKS = JN_SLOT_STIFFNESS, /* nonsmooth: has not slid since the points below were taken */
    JN_SLOT_FRICTION,
    JN_SLOT_START = JN_SLOT_FRICTION + 3,
    JN_SLOT_DURATION,
    JN_SLOT_STAYS = JN_SLOT_DURATION, /* nonsmooth: at the point below of one of the bodies */
    JN_SLOT_SLIDES,
    JN_SLOT_DEEPEST,
    JN_SLOT_THROWN = JN_SLOT_DEEPEST, /* nonsmooth: speed with which it bounced in the last step [m/s] */
    JN_SLOT_PHASE,
    JN_SLOT_AXIS,                   /* three numbers */
    JN_SLOT_IMPULSE = JN_SLOT_AXIS, /* nonsmooth: impulse of the last step [N s] in world axes */
    JN_SLOT_LINE = JN_SLOT_AXIS + 3,
    JN_SLOT_FALL = JN_SLOT_LINE, /* nonsmooth: change of the normal velocity by forces in the last step [m/s] */
    JN_SLOT_IMPULSE_N,
    JN_SLOT_IMPULSE_T,
    JN_SLOT_POINT_A, /* nonsmooth: two material points that touched, [m] in the frames of links a and b */
    JN_SLOT_POINT_B = JN_SLOT_POINT_A + 3,
    JN_SLOT_AHEAD =
        JN_SLOT_POINT_B + 3, /* nonsmooth: way of the contact from there to the end of the step, [m] in world axes */
    JN_SLOT_LEFT = JN_SLOT_AHEAD + 3 /* nonsmooth: distance of the points that no correction can take away [m] */
};

/* A contact under way at the end of the last step. */
typedef struct jn_contact_seen {
    double gap, rate, slip; /* [m], [m/s], [m/s] */
    double fn, ft;          /* [N] normal force, magnitude of friction */
} jn_contact_seen;

typedef struct jn_contacts {
    const jn_model *m;
    jn_scan *scan;
    jn_contact_law *law;   /* (contact_count) */
    jn_contact_sum *sum;   /* (contact_count) */
    jn_contact_seen *seen; /* (slots) */
    double seen_time;      /* [s] */
    double *friction_rate; /* (3 slots) rates of the friction states at the last evaluation */
    double margin;         /* [m] pairs up to this gap are looked at; any for few pairs, so that gaps can be recorded */
} jn_contacts;

/* Whether some row has a friction law with states of its own. */
bool jn_contacts_have_states(const jn_model *m);

/* Prepares the laws and the scan. NULL on error, or where nothing can touch (no error then). */
jn_contacts *jn_contacts_create(const jn_model *m, jn_report *report);
void jn_contacts_free(jn_contacts *c);

/* Loads of all contacts under way at the state of the work space; the hook of jn_forces. */
void jn_contact_forces(void *contacts, const jn_model *m, jn_work *w, const jn_state *s);

/* slots.c: how many contacts are under way; the slot of one or NULL, O(log n); a new one (NULL: no room). */
int jn_slots_used(const jn_model *m, const double *slot);
double *jn_slot_find(const jn_model *m, double *slot, int a, int b, uint32_t feature);
double *jn_slot_insert(const jn_model *m, double *slot, int a, int b, uint32_t feature);

/* Slot of a touch, or NULL if it is not under way. */
double *jn_contact_slot(const jn_contacts *c, const jn_state *s, const jn_near *pair, const jn_touch *touch);
/* The touch of a contact under way at the last update of the scan, and its pair; NULL if they are not near. O(log n) */
const jn_touch *jn_contact_touch(const jn_contacts *c, const double *slot, const jn_near **pair);
/* contact_law.c: the laws of all rows; whether each pair of shapes that may touch has what its law needs. */
int jn_contact_laws_prepare(jn_contacts *c, jn_report *report);
int jn_contact_laws_check(const jn_contacts *c, jn_report *report);
/* Elastic force of a touch under its row: given, or from its curvatures by Hertz or by a law for lines. JN_ERR_MODEL if no
 * stiffness follows. */
int jn_contact_elastic(const jn_contacts *c, int row, const jn_touch *touch, jn_elastic *out);
/* The normal law of a contact under way. */
jn_normal_law jn_contact_normal(const jn_contact_law *law, const double *slot);
/* The law of a contact under way. */
const jn_contact_law *jn_contact_law_of(const jn_contacts *c, const double *slot);
/* Tangents (t1, t2, n) of a contact under way: t1 = n x e with an axis e that link a carries along, so that they turn with the
 * bodies and do not jump (on an omni wheel e is its axis, and t1 the way it rolls): the friction states count in them. [Rodrigues2024, section 3] */
void jn_contact_tangents(const jn_contacts *c, const jn_work *w, const jn_touch *touch, const double *slot,
                         jn_vec3 t[2], jn_vec3 *axis);
/* Takes the present t1 as where the axis points from: after every step. */
void jn_contact_axis_renew(const jn_contacts *c, const jn_work *w, const jn_touch *touch, double *slot);
/* [m/s] slower slip is sticking, in the sense of a regularised law; INFINITY without friction. */
double jn_contact_stick_speed(const jn_contacts *c, int row);
/* Makes a touch a contact under way. JN_ERR_LIMIT if there is no free slot. */
int jn_contact_begin(const jn_contacts *c, const jn_work *w, jn_state *s, const jn_near *pair, const jn_touch *touch);
/* Normal force and magnitude of friction [N] of a contact under way at the state of the work space. */
void jn_contact_load(const jn_contacts *c, const jn_work *w, const jn_near *pair, const jn_touch *touch,
                     const double *slot, double *fn, double *ft);
/* The whole of it as a vector [N] on the second solid, world axes. */
jn_vec3 jn_contact_force(const jn_contacts *c, const jn_work *w, const jn_near *pair, const jn_touch *touch,
                         const double *slot);
jn_touch_motion jn_contact_motion(const jn_contacts *c, const jn_work *w, const jn_near *pair, const jn_touch *touch);

#endif
