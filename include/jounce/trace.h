/* Results: channels by name, recorded into CSV, HDF5 and summary.json. */
#ifndef JOUNCE_TRACE_H
#define JOUNCE_TRACE_H

#include <jounce/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------- channels */

/* The named numbers that can be seen at any instant of a simulation:
 *   body.NAME.x .y .z .vx .vy .vz .ax .ay .az .qw .qx .qy .qz .wx .wy .wz .alx .aly .alz    (space)
 *   body.NAME.x .y .angle .vx .vy .w .ax .ay .al                                            (plane)
 *   joint.NAME.q .u .a (numbered q1 q2 ... where there are several), .fx .fy .fz .tx .ty .tz (world axes),
 *     .lfx .. .ltz (joint's axes), .drive (prescribed coordinates), .actuator (springs, dampers, motors);
 *     in a plane .fx .fy .tz .lfx .lfy .ltz, and all six local ones where the joint's axis lies in the plane
 *   point.NAME.x .y .z .vx .. .az
 *   contact.NAME.gap (smallest), .fn .ft (sums over the touching points)
 *   energy.kinetic .potential .elastic .dissipated .driven .total .residual
 *   derived.NAME: an expression of the model file over those above */
typedef struct jn_channels jn_channels;

/* The channels of the model that match one of the patterns (* matches any characters): in the order of the patterns, those of one
 * pattern in the order of the model, none twice. No pattern given: all. */
JN_API jn_channels *jn_channels_create(const jn_model *model, const char *const *patterns, int pattern_count,
                                       jn_report *report);
JN_API void jn_channels_free(jn_channels *channels);
JN_API int jn_channels_count(const jn_channels *channels);
JN_API const char *jn_channels_name(const jn_channels *channels, int index);
JN_API const char *jn_channels_unit(const jn_channels *channels, int index); /* SI: "m/s", "1" for pure numbers */
JN_API int jn_channels_find(const jn_channels *channels, const char *name);  /* or -1 */
/* Values (count) at the present state of the simulation. Calls jn_sim_observe. No allocation. Derived
 * channels are computed in memory of `channels`: one thread at a time reads them. */
JN_API int jn_channels_read(const jn_channels *channels, jn_sim *sim, double *values);

/* --------------------------------------------------------------------------------------------------------- running */

/* A state on the way through the impulses of a collision. */
typedef struct jn_impact_state {
    int impact;           /* impact event */
    double impulse, work; /* as in jn_impact_sample */
} jn_impact_state;

/* One collision of method impact. Arrays lie in one block of the result. */
typedef struct jn_impact_kept {
    double time; /* [s] */
    char kind[8];
    int dimension, contacts, bodies;
    int impacts; /* impact events */
    jn_impact_end end;
    bool plastic;
    double energy, change, normal, tangential; /* [J] kinetic energy before; change; works */
    char (*name)[64];                          /* (contacts) */
    int (*body)[2];                            /* (contacts) */
    jn_impact_contact *point;                  /* (contacts) */
    double *before, *after, *p;                /* (dimension x contacts) */
    double *normal_of, *slide_of;              /* (contacts) [J] */
    int *slip;                                 /* (contacts) jn_impact_slip */
    double *critical;                          /* (contacts) friction with which the point alone would stick */
    double *body_before, *body_after;          /* (bodies x 6) velocity of the centre of mass, angular velocity */
    int events;                                /* kept */
    jn_impact_event *event;
    double *event_p;         /* (events x contacts) */
    signed char *event_slip; /* (events x contacts) */
    int samples;
    jn_impact_state *sample; /* (samples) */
    double *sample_v;        /* (samples x dimension x contacts) NAN where a contact takes no part */
    double *sample_work;     /* (samples x contacts x 3) [J] normal and tangential work so far; critical friction */
    double *sample_body;     /* (samples x bodies) [J] change of the kinetic energy of each body */
} jn_impact_kept;

/* An event with copies of its names. */
typedef struct jn_event_record {
    jn_event event;
    char kind[24], where[64];
} jn_event_record;

/* How a run ended and what it found. */
typedef struct jn_result {
    int status; /* jn_status: JN_OK, JN_STOPPED, or the error that broke it off */
    jn_error error;
    jn_audit audit;
    double time, wall_time; /* [s] of the simulation; of the machine, for everything but writing the files */
    double write_time; /* [s] of the machine, from the end of the run until the files were written; NAN: none were */
    long model_bodies, model_joints; /* without the ground; as written */
    uint64_t
        state_hash; /* jn_state_hash at the end: one number per model and version, on every machine (docs/bits.md) */
    int channels;   /* columns without time */
    long rows;
    char **names;       /* (channels) */
    const char **units; /* (channels) */
    double *data;       /* (rows x (1 + channels)), first column time */
    jn_energy energy;   /* [J] at the end */
    jn_ledger ledger;   /* [J] since the start */
    bool resumable;     /* it was stopped, and goes on from its checkpoint if asked */
    int expects, expects_failed;
    char start[256]; /* when and from what of another run it began (run.start); "": as drawn */
    char note[256];  /* what the run did on its own account, such as thinning the rows; "" if nothing */
    long event_count;
    jn_event_record *events;         /* (event_count) */
    long impact_count, impacts_kept; /* collisions; the first ones are kept */
    jn_impact_kept *impacts;
    int body_count;
    char (*bodies)[64]; /* (body_count) names */
    jn_modes modes;     /* analysis modes */
    char *summary;      /* summary.json as text */
} jn_result;

/* Releases a result. */
JN_API void jn_result_free(jn_result *result);
/* Column of a channel, or -1; value at a time (linear between rows), NAN if unknown or outside the run. Runs record
 * rows at the times of all expect rows, so that no expectation is judged by an interpolated value. */
JN_API int jn_result_channel(const jn_result *result, const char *name);
JN_API double jn_result_at(const jn_result *result, const char *name, double time);

/* A run is good when it came to its end, its audit is good and every expect row is met. */
JN_API bool jn_result_ok(const jn_result *result);

/* Whether a model is as its file says: a good run; or one in which all that is wrong is energy that the impact law gained, where an
 * expect row on audit.contact_gain states it. */
JN_API bool jn_result_as_stated(const jn_model *model, const jn_result *result);

/* One expectation of the model file, looked at. */
typedef struct jn_verdict {
    const jn_expect_desc *expect;
    double found; /* NAN if there is no such value */
    bool ok;
    char text[256];
} jn_verdict;
#ifdef __cplusplus
}
#endif

#endif
