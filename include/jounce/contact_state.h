/* What a state remembers of an active contact. Flat, copyable, hashable: integers of fixed width and doubles, without padding. */
#ifndef JOUNCE_CONTACT_STATE_H
#define JOUNCE_CONTACT_STATE_H

#include <jounce/algebra.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Along the normal. Compliant contacts: an impact is compressed once and released once; it is lasting
 *   once it is compressed again before it has opened,
 *   once it has lasted longer than 20 deepest penetrations over its impact speed (an elastic Hertz impact lasts 2.94),
 *   from its start if that was slower than the speed floor of its law.
 * The other methods know new (it carries nothing, or nothing yet) and lasting (it has been reported as an active contact). */
typedef enum jn_contact_phase {
    JN_PHASE_NEW,
    JN_PHASE_IMPACTING,
    JN_PHASE_REBOUNDING,
    JN_PHASE_LASTING
} jn_contact_phase;

/* Along the tangents. */
typedef enum jn_contact_slip { JN_SLIP_UNKNOWN, JN_SLIP_STICKING, JN_SLIP_SLIPPING } jn_contact_slip;

/* Both together, for a user. */
typedef enum jn_contact_mode {
    JN_CONTACT_NEW,
    JN_CONTACT_IMPACTING,
    JN_CONTACT_REBOUNDING,
    JN_CONTACT_STICKING,
    JN_CONTACT_SLIPPING,
    JN_CONTACT_SEPARATING
} jn_contact_mode;

/* Of a compliant law. Written by reaction/compliant/compliant_contact.c where the contact begins and by step/compliant/contact_events.c after each step. */
typedef struct jn_compliant_state {
    double stiffness;   /* of the elastic law: N/m^n, or N/m of a line */
    double line;        /* [m] unit of depth of a line contact; 0: a power law */
    double duration;    /* [s] of an impact with its speed */
    double deepest;     /* [m] penetration so far */
    double datum;       /* [m] gap at which the force is zero: below 0 where the point came up inside a solid */
    double friction[3]; /* states of the friction law; advanced by the integrator */
    jn_vec3 axis;       /* of the tangents, unit, in the frame of the first link */
    double impulse_n, impulse_t; /* [N s] of the normal force and of the size of friction so far */
} jn_compliant_state;

/* Of a time-stepping scheme. Written after each step: moreau schemes the impulse and the points, momentum_leapfrog all of it. */
typedef struct jn_stepping_state {
    jn_vec3
        impulse; /* [N s] of the last step on the second body, world axes: the next one starts from it. Stops and dry
                                        friction: along the normal, then along the coordinate */
    jn_vec3 point_a, point_b;           /* [m] material points that touched, in the frames of the links */
    double force, force_before;         /* [N] normal force at the last node and at that before */
    double cone_part, cone_part_before; /* of its cone that friction used at these nodes */
    double predicted_gap;               /* [m] at the end of the segment, seen from its start */
    double slip_speed;                  /* [m/s] on the last segment */
    jn_vec3
        predicted_shift; /* [m] from point_a to point_b at the end of the segment, seen from its start, world axes. Dry friction: y is how far the
                            coordinate crept since it sticks */
    jn_vec3 slip_start;  /* [m/s] slip with which the segment began, world axes */
    int32_t anchored;    /* 1: point_a and point_b stick together */
    int32_t lasting;     /* 1: its impulse was that of a force that goes on */
    int32_t loaded;      /* nodes, one after the other, at which it carried load without impact; 2 at most */
    float stored;        /* [J] by what gives way: contacts of balls in piles; run.compliance */
} jn_stepping_state;

/* An active contact. The method of the run decides which of its last two parts is used; the other one is zero. */
typedef struct jn_contact_state {
    int32_t a, b; /* solids, a < b. Behind all solids: stops (b: 0 lower, 1 upper), then dry friction of coordinates */
    uint32_t feature; /* which point of the pair: proximity.h */
    int32_t phase;    /* jn_contact_phase */
    int32_t slip;     /* jn_contact_slip */
    int32_t collided; /* method impact: 1 after an impact at the time `start` */
    double start;     /* [s] when it began */
    double speed;     /* [m/s] of approach then */
    jn_compliant_state compliant;
    jn_stepping_state stepping;
} jn_contact_state;

/* What a user calls its mode. */
static inline jn_contact_mode jn_contact_state_mode(const jn_contact_state *c) {
    return c->phase == JN_PHASE_IMPACTING    ? JN_CONTACT_IMPACTING
           : c->phase == JN_PHASE_REBOUNDING ? JN_CONTACT_REBOUNDING
           : c->phase == JN_PHASE_NEW        ? JN_CONTACT_NEW
           : c->slip == JN_SLIP_SLIPPING     ? JN_CONTACT_SLIPPING
                                             : JN_CONTACT_STICKING;
}

#ifdef __cplusplus
}
#endif

#endif
