/* Channels of a model: where each number comes from. */
#ifndef JN_TRACE_CHANNELS_H
#define JN_TRACE_CHANNELS_H

#include "step/sim.h"
#include <jounce/trace.h>
#include <stddef.h>

typedef enum jn_source {
    SOURCE_BODY,
    SOURCE_JOINT,
    SOURCE_CLEARANCE,
    SOURCE_TENDON,
    SOURCE_ACTUATOR,
    SOURCE_SENSOR,
    SOURCE_POINT,
    SOURCE_CONTACT,
    SOURCE_ENERGY,
    SOURCE_MOMENTUM,
    SOURCE_STEP,
    SOURCE_DERIVED
} jn_source;

typedef struct jn_channel {
    const char *name; /* in the names block */
    const char *unit;
    int source, item;
    size_t offset; /* of the double in what the source yields */
    int pattern;   /* the first that asks for it */
} jn_channel;

struct jn_channels {
    int count, capacity;
    jn_channel *list;
    size_t text_length, text_capacity;
    char *text;
    struct jn_channels *inputs; /* what the derived ones among them read; NULL if there are none */
    double *var;                /* (JN_VAR_SIGNAL + inputs) variables of the derived ones */
};

typedef struct jn_point_seen {
    jn_vec3 p, v, a;
} jn_point_seen;

typedef struct jn_energies_seen {
    double kinetic, potential, elastic, contact, dissipated, driven, damping, friction, numerical, total, residual;
} jn_energies_seen;

/* Of all bodies, about the world's origin; what impulses from outside leave unexplained, in size. */
typedef struct jn_momenta_seen {
    jn_wrench sum;
    double residual, angular_residual;
} jn_momenta_seen;

/* Of the last step. */
typedef struct jn_step_seen {
    double length, order;
} jn_step_seen;

/* channel_names.c: all channels of a model in their order, given to `take` with their names, which last for the call; those derived from others. */
typedef struct jn_channel_taker {
    void (*take)(void *context, const char *name, jn_channel channel);
    void *context;
} jn_channel_taker;
void jn_channels_offer(const jn_model *m, jn_channel_taker to);
void jn_channels_offer_derived(const jn_model *m, jn_channel_taker to);

#endif
