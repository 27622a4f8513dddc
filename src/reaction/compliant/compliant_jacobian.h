/* Derivatives of contact by continuous forces: how the loads of one contact change with the motion of its two links.
 *
 * A change is a direction: of the poses (turn and displacement of the links' origins), of their twists, and of the friction
 * states. The map is linear; it is prepared once per contact and applied once per direction. */
#ifndef JN_REACTION_COMPLIANT_COMPLIANT_JACOBIAN_H
#define JN_REACTION_COMPLIANT_COMPLIANT_JACOBIAN_H

#include "reaction/compliant/compliant_contact.h"

/* Change of one link, world axes: turn and displacement of its origin; change of its twist there. */
typedef struct jn_link_change {
    jn_twist pose, twist;
} jn_link_change;

/* What follows from it. */
typedef struct jn_contact_change {
    jn_wrench A, B;                      /* loads at the links' origins, world axes */
    jn_vec3 F;                           /* the force on B itself, unchanged */
    double rate[JN_FRICTION_MAX_STATES]; /* of the friction states */
    double damping, friction;            /* [W] power lost along the normal; by slip, rolling and spinning */
} jn_contact_change;

/* One active contact at the state of the work space. */
typedef struct jn_contact_tangent {
    int link_A, link_B;
    int states; /* of its friction law */
    bool planar, has_friction, has_resistance;
    int directions; /* in which friction acts: 2; 1 in a plane and on an omni wheel */
    bool axis_on_B; /* the axis of the tangents is carried by B */
    bool turned;    /* the surface that carries the normal is B's */
    jn_contact_geometry point;
    jn_vec3 origin_A, origin_B, t[2], axis; /* axis: carried by A (or B), t[0] = n x axis */
    jn_twist twist_A, twist_B;
    jn_relative_motion motion;
    jn_normal_force normal;
    double slope; /* [N/m] of the elastic part of the normal force */
    double v[2], turn[3];
    jn_friction_force friction;
    jn_resistance_torque resistance;
} jn_contact_tangent;

/* Laws and their derivatives of an active contact at a contact point. One evaluation of each law. */
void jn_contact_tangent_make(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                             const jn_contact_geometry *point, const jn_contact_state *cached, jn_contact_tangent *out);
/* Along changes of both links and of the friction states z (NULL: none). O(1). */
void jn_contact_tangent_apply(const jn_contact_tangent *c, const jn_link_change *A, const jn_link_change *B,
                              const double *z, jn_contact_change *out);

#endif
