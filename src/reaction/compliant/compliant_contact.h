/* Contact by continuous forces: from pairs to loads on links. */
#ifndef JN_REACTION_COMPLIANT_COMPLIANT_CONTACT_H
#define JN_REACTION_COMPLIANT_COMPLIANT_CONTACT_H

#include "motion/work.h"
#include "reaction/contact_cache.h"
#include <jounce/proximity.h>
#include <jounce/reaction.h>

/* What one contact row does. */
typedef struct jn_contact_law {
    jn_normal_law normal;
    bool from_radii;      /* stiffness follows from materials and curvatures at the start of each contact */
    double compliance;    /* [1/Pa] of the pair of materials */
    jn_elastic_kind line; /* law of cylinders in contact along a line; JN_ELASTIC_POWER: as if in contact at a point */
    double length;        /* [m] of that line */
    bool has_friction;
    jn_friction_law friction;
    jn_resistance_parameters resistance;
    bool has_resistance;
    int roller;          /* link of an omni wheel, on which friction acts only across its axis; -1: none */
    jn_vec3 roller_axis; /* unit, the link's frame */
} jn_contact_law;

/* Sums over the contact points of a contact row at the last evaluation. */
typedef struct jn_contact_sum {
    double gap;    /* [m] smallest; INFINITY if no pair is in reach */
    double fn, ft; /* [N] normal forces; magnitude of the friction forces */
    double pn;     /* [N s] normal impulses of the last step; nonsmooth */
    jn_wrench
        on_second; /* about the world's origin, on the bodies of the second solids: see reaction/compliant/clearance_motion.h */
} jn_contact_sum;

/* An active contact at the end of the last step. */
typedef struct jn_contact_seen {
    double gap, rate, slip; /* [m], [m/s], [m/s] */
    double fn, ft;          /* [N] normal force, magnitude of friction */
    bool alone;             /* its point was the only one of its pair, and the deepest */
} jn_contact_seen;

typedef struct jn_contacts {
    const jn_model *m;
    jn_detection *detection;
    jn_contact_law *law;   /* (contact_count) */
    jn_contact_sum *sum;   /* (contact_count) */
    jn_contact_seen *seen; /* (room) */
    double seen_time;      /* [s] */
    double *friction_rate; /* (3 room) rates of the friction states at the last evaluation */
    double margin;         /* [m] pairs up to this gap are detected; any for few pairs, so that gaps can be recorded */
    double length;         /* [m] smallest pair of shapes that can meet: steps are no longer than a part of it */
    int last_found;        /* place of the pair that was asked for last: the next one is near */
} jn_contacts;

/* Whether some row has a friction law with states of its own. */
bool jn_contacts_have_states(const jn_model *m);

/* Prepares the laws and collision detection. NULL on error, or where nothing can come into contact (no error then). */
jn_contacts *jn_contacts_create(const jn_model *m, jn_report *report);
void jn_contacts_free(jn_contacts *c);

/* Loads of all active contacts at the state, added to those of the work space after jn_forces. O(pairs) and the narrow phase. */
void jn_contact_forces(jn_contacts *contacts, const jn_model *m, jn_work *w, const jn_state *s);

/* [m] gap as the law of an active contact sees it: its depth begins at the datum. */
static inline double jn_contact_gap(const jn_contact_state *cached, const jn_contact_geometry *point) {
    return point->gap - cached->compliant.datum;
}
/* The active contact at a contact point, or NULL: there is none. The only point of a pair is its deepest one, whose gap does not jump where it
 * passes on to another feature: it belongs to the only active contact of the pair. */
jn_contact_state *jn_contact_active(const jn_state *s, const jn_solid_pair *pair, const jn_contact_geometry *point);
/* The contact point of an active contact at the last collision detection, and its pair; NULL: it has gone. */
const jn_contact_geometry *jn_contact_point_of(const jn_contacts *c, const jn_state *s, const jn_contact_state *cached,
                                               const jn_solid_pair **pair);
/* contact_law.c: the laws of all rows; whether each pair of shapes that may come into contact has what its law needs. */
int jn_contact_laws_prepare(jn_contacts *c, jn_report *report);
int jn_contact_laws_check(const jn_contacts *c, jn_report *report);
/* Elastic force of a contact point under its row: given, or from its curvatures by Hertz or by a law for lines. JN_ERR_MODEL if no
 * stiffness follows. */
int jn_contact_elastic(const jn_contacts *c, int row, const jn_contact_geometry *point, jn_elastic *out);
/* The normal law of an active contact. */
jn_normal_law jn_contact_normal(const jn_contact_law *law, const jn_contact_state *cached);
/* The law of an active contact. */
const jn_contact_law *jn_contact_law_of(const jn_contacts *c, const jn_contact_state *cached);
/* Tangents (t1, t2, n) of an active contact: t1 = n x e with an axis e that link a carries along, so that they turn with the
 * bodies and do not jump (on an omni wheel e is its axis, and t1 the direction in which it rolls): the friction states count in them. [Rodrigues2024, section 3] */
void jn_contact_tangents(const jn_contacts *c, const jn_work *w, const jn_contact_geometry *point,
                         const jn_contact_state *cached, jn_vec3 t[2], jn_vec3 *axis);
/* Takes the present t1 as where the axis points from: after every step. */
void jn_contact_axis_renew(const jn_contacts *c, const jn_work *w, const jn_contact_geometry *point,
                           jn_contact_state *cached);
/* [m/s] slower slip is sticking, in the sense of a regularised law; INFINITY without friction. */
double jn_contact_stick_speed(const jn_contacts *c, int row);
/* Makes a contact point an active contact. JN_ERR_LIMIT if there is no room. */
int jn_contact_begin(const jn_contacts *c, const jn_work *w, jn_state *s, const jn_solid_pair *pair,
                     const jn_contact_geometry *point);
/* Normal force and magnitude of friction [N] of an active contact at the state of the work space. */
void jn_contact_load(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                     const jn_contact_geometry *point, const jn_contact_state *cached, double *fn, double *ft);
/* The whole of it as a vector [N] on the second solid, world axes. */
jn_vec3 jn_contact_force(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                         const jn_contact_geometry *point, const jn_contact_state *cached);
/* Torque [N m] on the second solid beside that of its force: the couple of the normal force, rolling and spinning; world axes. */
jn_vec3 jn_contact_torque(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                          const jn_contact_geometry *point, const jn_contact_state *cached);
/* Where both bodies of a contact feel its force: one point, else friction would be a couple from nowhere. That of the body which touches the
 * ground, or the middle of the penetration; share: of pA and pB in it. */
jn_vec3 jn_contact_share(double share[2], int link_A, int link_B, const jn_contact_geometry *point);
jn_relative_motion jn_contact_motion(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                                     const jn_contact_geometry *point);

#endif
