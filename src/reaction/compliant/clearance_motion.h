/* What a clearance joint does: where its journal stands, what it carries, and whether it is free, impacting or in lasting contact. */
#ifndef JN_REACTION_COMPLIANT_CLEARANCE_MOTION_H
#define JN_REACTION_COMPLIANT_CLEARANCE_MOTION_H

#include "reaction/compliant/compliant_contact.h"

/* Phase of a new contact, whose speed is known; of one that is still closed after a step: its deepest gap in
 * the step and the rate of the gap at its end. */
void jn_phase_begin(jn_contact_state *cached, double gap, double speed_floor);
void jn_phase_follow(jn_contact_state *cached, double time, double gap, double rate);

typedef struct jn_clearance_motion {
    jn_vec3 e; /* [m] place of the second body's part, from that of the first, in the joint's axes on the first */
    double eccentricity;      /* [m] its size across the joint's axis (a ball: all of it) */
    double tilt;              /* [rad] between the axes; of a block: angle of its turn, with its sign in a plane */
    double penetration;       /* [m] deepest, >= 0 */
    double force;             /* [N] size of the resultant of all contact forces */
    double mode;              /* 0 free flight, 1 impact, 2 continuous contact */
    jn_wrench reaction;       /* on the second body at the joint's point there, world axes */
    jn_wrench reaction_local; /* in the joint's axes on the first body */
} jn_clearance_motion;

/* State of clearance joint `joint` at the last evaluation of forces. c may be NULL: there are no contacts. */
void jn_clearance_get(const jn_model *m, const jn_contacts *c, const jn_work *w, const jn_state *s, int joint,
                      jn_clearance_motion *out);

#endif
