/* Results: channels by name, recorded into CSV, HDF5 and summary.json. */
#ifndef JOUNCE_TRACE_H
#define JOUNCE_TRACE_H

#include <jounce/study.h>

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

/* All channels of the model that match one of the patterns (* matches any characters); none given: all. */
jn_channels *jn_channels_create(const jn_model *model, const char *const *patterns, int pattern_count,
                                jn_report *report);
void jn_channels_free(jn_channels *channels);
int jn_channels_count(const jn_channels *channels);
const char *jn_channels_name(const jn_channels *channels, int index);
const char *jn_channels_unit(const jn_channels *channels, int index); /* SI: "m/s", "1" for pure numbers */
int jn_channels_find(const jn_channels *channels, const char *name);  /* or -1 */
/* Values (count) at the present state of the simulation. Calls jn_observe. No allocation. Derived
 * channels are computed in memory of `channels`: one thread at a time reads them. */
int jn_channels_read(const jn_channels *channels, jn_sim *sim, double *values);

/* --------------------------------------------------------------------------------------------------------- running */

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
    struct jn_impact_state {
        int impact;
        double impulse, work;
    } * sample;          /* (samples) */
    double *sample_v;    /* (samples x dimension x contacts) NAN where a contact takes no part */
    double *sample_work; /* (samples x contacts x 3) [J] normal and tangential work so far; critical friction */
    double *sample_body; /* (samples x bodies) [J] change of the kinetic energy of each body */
} jn_impact_kept;

/* How a run ended and what it found. */
typedef struct jn_result {
    int status; /* jn_status: JN_OK, JN_STOPPED, or the error that broke it off */
    jn_error error;
    jn_audit audit;
    double time, wall_time;
    int channels; /* columns without time */
    long rows;
    char **names;       /* (channels) */
    const char **units; /* (channels) */
    double *data;       /* (rows x (1 + channels)), first column time */
    jn_energy energy;   /* [J] at the end */
    jn_ledger ledger;   /* [J] since the start */
    int expects, expects_failed;
    char note[256]; /* what the run did on its own account, such as thinning the rows; "" if nothing */
    long event_count;
    struct jn_event_record {
        jn_event event;
        char kind[24], where[64];
    } * events;
    long impact_count, impacts_kept; /* collisions; the first ones are kept */
    jn_impact_kept *impacts;
    int body_count;
    char (*bodies)[64]; /* (body_count) names */
    jn_modes modes;     /* analysis modes */
    char *summary;      /* summary.json as text */
} jn_result;

/* Progress of a run: fraction done in 0..1; return false to stop it cleanly. */
typedef bool jn_progress(void *context, double time, double fraction);

/* Runs the model's analysis, keeps the series in memory and, if folder is given, writes summary.json, series.csv,
 * events.csv and result.h5 into it (created if missing). A run that breaks off or is stopped keeps what it computed.
 * NULL only if nothing could be run or kept; see the report. */
jn_result *jn_run(const jn_model *model, const char *folder, jn_progress *progress, void *context, jn_report *report);
void jn_result_free(jn_result *result);
/* Column of a channel, or -1; value at a time (linear between rows), NAN if unknown or outside the run. Runs record
 * rows at the times of all expect rows, so that no expectation is judged by an interpolated value. */
int jn_result_channel(const jn_result *result, const char *name);
double jn_result_at(const jn_result *result, const char *name, double time);

/* A run is good when it came to its end, its audit is good and every expect row is met. */
bool jn_result_ok(const jn_result *result);

/* Whether a model is as its file says: a good run; or one in which all that is wrong is energy that the impact law gained, where an
 * expect row on audit.contact_gain states it. */
bool jn_result_as_stated(const jn_model *model, const jn_result *result);

/* One expectation of the model file, looked at. */
typedef struct jn_verdict {
    const jn_expect_desc *expect;
    double found; /* NAN if there is no such value */
    bool ok;
    char text[256];
} jn_verdict;
/* Judges all expect rows. Returns how many failed; out has room for all (jn_model_expects). */
int jn_result_verify(const jn_model *model, const jn_result *result, jn_verdict *out);
int jn_model_expects(const jn_model *model);

#endif
