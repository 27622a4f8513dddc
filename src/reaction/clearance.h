/* What a joint with play does: where its journal stands, what it carries, and whether it flies, strikes or stays. */
#ifndef JN_REACTION_CLEARANCE_H
#define JN_REACTION_CLEARANCE_H

#include "reaction/compliant.h"

/* Phase of a contact under way. An impact is compressed once and released once. A contact is continuous
 *   once it is compressed again before it has opened,
 *   once it has lasted longer than 20 deepest penetrations over its impact speed (an elastic Hertz impact lasts 2.94),
 *   from its start if that was slower than the speed floor of its law. */
typedef enum jn_phase { JN_PHASE_COMPRESSION = 1, JN_PHASE_RESTITUTION, JN_PHASE_CONTINUOUS } jn_phase;

/* Phase of a new contact in its slot, which knows its speed; of one that is still closed after a step: its deepest gap in
 * the step and the rate of the gap at its end. */
void jn_phase_begin(double *slot, double gap, double speed_floor);
void jn_phase_follow(double *slot, double time, double gap, double rate);

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

/* State of clearance joint `joint` at the last evaluation of forces. c may be NULL: nothing touches. */
void jn_clearance_get(const jn_model *m, const jn_contacts *c, const jn_work *w, const jn_state *s, int joint,
                      jn_clearance_motion *out);

#endif
