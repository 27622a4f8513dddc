/* Inside of a study: what its file says, the plan of its runs, and the table that they fill.
 *
 *   study_read.c       the file: one table row per key
 *   study_vary.c       what is varied            study_plan.c      which values each run gets
 *   measure_table.c    what is measured          simulate.c        one run, with the measures looking on
 *   kind_table.c       kinds of studies          perform.c         all runs: threads, journal, progress
 *   journal.c          rows on disk              table.c           rows in memory
 *
 * A run depends on nothing but its row: the same bits on any number of threads. */
#ifndef JN_WORKFLOW_STUDY_STUDY_H
#define JN_WORKFLOW_STUDY_STUDY_H

#include "description/read/document.h"
#include "workflow/study/statistics/distribution.h"
#include <jounce/workflow.h>

/* ------------------------------------------------------------------------------------------------- what is varied */

typedef enum jn_vary_kind {
    JN_VARY_LIST,        /* numbers */
    JN_VARY_WORDS,       /* words; the number of a row is an index */
    JN_VARY_RANGE,       /* from, to */
    JN_VARY_DISTRIBUTION /* random */
} jn_vary_kind;

typedef struct jn_vary {
    const char *name, *full; /* as written, which names the column; as the document knows it */
    jn_where where;
    jn_vary_kind kind;
    int count;        /* LIST, WORDS: values; RANGE: of a grid, 0: not given */
    double *value;    /* LIST (count) */
    jn_node **word;   /* WORDS (count) */
    jn_node *written; /* one of the values as the file has it, for checks */
    double from, to;  /* RANGE */
    bool log;
    jn_distribution distribution;
    const char *unit; /* SI; "1": none or unknown */
} jn_vary;

enum { JN_STUDY_VARIES = 64 }; /* most parameters that a study varies */

/* The value at a part u in (0, 1) of its range, or of its probability. */
double jn_vary_at(const jn_vary *vary, double u);
/* The part of its range at which a value lies. */
double jn_vary_part(const jn_vary *vary, double value);
/* Value k of its count in a grid. */
double jn_vary_step(const jn_vary *vary, int k);

/* --------------------------------------------------------------------------------------------- what is measured */

enum { JN_MEASURE_CHANNELS = 8 };
struct jn_study_run;
struct jn_study_measure;

/* A kind of measure: one file and one row of measure_table.c. Any of the calls may be NULL. */
typedef struct jn_measure_kind {
    const char *key; /* of the study file */
    const char *doc, *example;
    const char *const *keys; /* more keys of its map, ends with NULL; after, before, below and above are always there */
    /* Reads the value of its key; channels are asked for by jn_measure_channel. */
    bool (*read)(jn_reader *r, const jn_node *value, struct jn_study_measure *m);
    size_t state;     /* bytes of memory in a run, zeroed at its start */
    bool looks;       /* look is called at every step and between the steps of adaptive integrators */
    bool has_samples; /* its lists of numbers go to run->samples by jn_study_sample */
    int columns;      /* numbers in a row of the table; 0: one per channel */
    double (*next)(const struct jn_study_measure *m, double t); /* [s] after t, at which it must look; INFINITY: none */
    int (*begin)(struct jn_study_run *run, const struct jn_study_measure *m, void *state);
    void (*look)(struct jn_study_run *run, const struct jn_study_measure *m, void *state);
    void (*event)(struct jn_study_run *run, const struct jn_study_measure *m, void *state, const jn_event *event);
    void (*end)(struct jn_study_run *run, const struct jn_study_measure *m, void *state, double *out);
    void (*free)(void *state); /* what begin has taken */
    const char *(*column)(const struct jn_study_measure *m, int k,
                          char *unit); /* suffix of its name; unit has 64 bytes */
} jn_measure_kind;

extern const jn_measure_kind *const jn_measure_kinds[]; /* ends with NULL */

/* An instant: a channel crosses a value, an event, or every so often. */
typedef enum jn_when_kind { JN_WHEN_NONE, JN_WHEN_CROSSING, JN_WHEN_EVENT, JN_WHEN_EVERY } jn_when_kind;
typedef struct jn_when {
    jn_when_kind kind;
    int channel, direction; /* CROSSING: in the run's list; 1: up, -1: down, 0: both */
    double level, period;   /* CROSSING: period 0: none; EVERY: [s] */
    const char *event, *at; /* EVENT: kind, and place or NULL */
} jn_when;

typedef struct jn_study_measure {
    const char *name;
    jn_where where;
    struct jn_study *study;
    const jn_measure_kind *kind;
    const jn_node *node;                        /* its map, for keys of its own */
    int channels, channel[JN_MEASURE_CHANNELS]; /* in the run's list */
    double after, before;                       /* [s] it looks within these */
    double at;                                  /* [s] of `at` */
    jn_when when;
    int skip, most;               /* of instants: the first ones left out; most that count, 0: all */
    double below, above;          /* limits whose probability is wanted; NAN: none */
    int first, columns;           /* of its numbers in a row */
    int samples;                  /* index of its list of samples, or -1 */
    int slopes;                   /* index of the list of their derivatives by the varied parameters, or -1 */
    const char *event, *event_at; /* count: kind and place, NULL: any */
    void *data;                   /* of its kind, in the study's store */
} jn_study_measure;

/* The run's index of a channel or of an expression over channels, which is added to it; -1 with a message. */
int jn_measure_channel(jn_reader *r, const jn_node *node, jn_study_measure *m);
/* "CHANNEL crosses VALUE [up | down] [mod PERIOD]", "event KIND [at PLACE]", "every TIME". */
bool jn_when_read(jn_reader *r, const jn_node *node, jn_study_measure *m, jn_when *out);

/* ------------------------------------------------------------------------------------------------------- kinds */

struct jn_study_worker;

/* A kind of study: one file and one row of kind_table.c. Calls may be NULL: then it is a sweep in that respect. */
typedef struct jn_study_kind {
    const char *key; /* of the study file: whoever writes it asks for this kind; NULL: the default */
    const char *doc, *example;
    const jn_fieldset *fields; /* keys under it, read into study->data of `size` bytes */
    size_t size;
    /* After fields and measures: checks them, adds columns by jn_study_add_column. */
    bool (*read)(jn_reader *r, struct jn_study *study);
    /* Fills rows and points by jn_study_plan_rows, and the tasks where a task has several rows. */
    int (*plan)(struct jn_study *study, jn_report *report);
    /* All rows of a task, in order; jn_study_row_run and jn_study_row_done for each. NULL: one run per row. */
    int (*perform)(struct jn_study_worker *worker, long task);
    /* After all rows: findings by jn_study_find. > 0: it has planned more rows, which are done too. */
    int (*conclude)(struct jn_study *study, jn_report *report);
} jn_study_kind;

extern const jn_study_kind *const jn_study_kinds[]; /* ends with NULL; the first is the sweep, which has no key */

/* -------------------------------------------------------------------------------------------------------- rows */

typedef struct jn_study_samples {
    long count, room; /* samples */
    double *data;     /* (count x width) time and values */
} jn_study_samples;

typedef enum jn_row_state { JN_ROW_OPEN, JN_ROW_GOOD, JN_ROW_BAD, JN_ROW_FAILED } jn_row_state;

/* One run of the table. */
typedef struct jn_study_row {
    jn_row_state state; /* good: the audit is; bad: the audit is not; failed: no numbers, see the message */
    uint64_t hash;      /* of the state at the end */
    double wall;        /* [s] that it took */
    long steps;
    double *value;             /* (columns) */
    jn_study_samples *samples; /* (lists) */
    char message[200];
} jn_study_row;

/* ------------------------------------------------------------------------------------------------------- study */

typedef enum jn_rule_kind { JN_RULE_GRID, JN_RULE_RANDOM, JN_RULE_LATIN, JN_RULE_SOBOL } jn_rule_kind;

struct jn_study {
    jn_description *own; /* its store holds what the file says */
    jn_store *store, *nodes;
    jn_node *root;
    const char *path, *title, *model_path;
    uint64_t hash; /* of the file, the model and the settings */
    jn_document *document;
    jn_model *base; /* compiled with one of the values of each parameter */

    int varies, measures, lists; /* lists of samples */
    jn_vary *vary;
    jn_study_measure *measure;
    int channels; /* that runs read */
    const char **channel;
    const char **unit;                       /* (channels) */
    int columns;                             /* numbers of a row */
    const char **column_name, **column_unit; /* (columns) */
    int derived;                             /* expressions added to the model */

    int rule; /* jn_rule_kind, -1: not given */
    double count, seed;
    double keep_every;
    bool keep_failed, has_keep;
    double until; /* [s] in place of run.until; NAN: as the model says */
    const jn_study_kind *kind;
    void *data; /* of the kind */
    int mode;   /* of the kind, for the rows of the round at hand; other ranks get it with their points */

    long rows, tasks;
    double *point; /* (rows x varies) */
    long *first;   /* (tasks + 1) first row of each; NULL: one row each */
    jn_study_row *row;
    int findings;
    jn_finding *finding;
};

/* Room for `rows` more rows; returns their points (rows x varies), NULL: no memory. */
double *jn_study_plan_rows(struct jn_study *study, long rows);
/* Rows by the rule of samples. */
int jn_study_plan_samples(struct jn_study *study, jn_report *report);
/* count points by a rule in `dimensions` dimensions, into u (count x dimensions) in (0, 1). */
int jn_plan_unit_cube(int rule, long count, int dimensions, uint64_t seed, double *u, jn_where where,
                      jn_report *report);
long jn_study_task_first(const struct jn_study *study, long task);
/* Adds a number to what the study has found. */
void jn_study_find(struct jn_study *study, const char *name, const char *unit, double value, double low, double high);
/* Name of a column of the table without those of parameters; its unit has 64 bytes. */
void jn_study_column(const struct jn_study *study, int column, char *name, size_t size, char *unit);

/* Adds a column that the kind fills, in a row of jn_study_row_run or in conclude; its index in the values of a row, -1 with a message. */
int jn_study_add_column(jn_reader *r, struct jn_study *study, const char *name, jn_where where);

bool jn_study_rows_create(struct jn_study *study, long from, long to);
void jn_study_rows_free(struct jn_study *study);
void jn_row_clear(const struct jn_study *study, jn_study_row *row);

extern const jn_fieldset jn_study_fields;

/* --------------------------------------------------------------------------------------------------- one run */

/* A run, as its measures see it. */
typedef struct jn_study_run {
    const struct jn_study *study;
    const jn_model *model;
    jn_sim *sim;
    double t, t_before;           /* [s] of this look and of the one before */
    const double *value, *before; /* (channels) there */
    bool has_before;
    bool stop; /* a measure asks for the end of the run */
    int why_status;
    const char *why; /* or says that it failed */
    jn_study_row *row;
    struct jn_study_worker *worker;
} jn_study_run;

/* Values of the run's channels at a time within the last step, (channels) numbers; for instants between two looks. */
int jn_study_look_between(jn_study_run *run, double t, double *value);
/* Whether the instant lies between the last look and this one; its time and the values there. State: one jn_when_state, zeroed. */
typedef struct jn_when_state {
    long events, times; /* events not yet taken; multiples of the period that have passed */
    double done;        /* [s] the look at which a crossing was taken */
} jn_when_state;
bool jn_when_happens(jn_study_run *run, const jn_study_measure *m, const jn_when *when, jn_when_state *state, double *t,
                     const double **value);
void jn_when_event(const jn_when *when, jn_when_state *state, const jn_event *event);
/* Adds a time and values to a list; false: no memory. */
bool jn_samples_add(jn_study_samples *list, double t, const double *values, int count);
/* Adds a sample to the list of a measure. */
bool jn_study_sample(jn_study_run *run, const jn_study_measure *m, double t, const double *values, int count);

/* What a thread needs. */
typedef struct jn_study_worker {
    struct jn_study *study;
    jn_channels *channels;
    double *value, *before, *between; /* (channels) */
    char *state;                      /* memory of the measures in a run */
    size_t *offset, state_size;       /* (measures) */
    bool odd;                         /* the channels are those of a model with other parts than the base */
    jn_report report;
    jn_study_row *row;  /* for the row at hand */
    const char *folder; /* of the study's results, NULL: none */
    int (*done)(void *context, long row, const jn_study_row *result);
    bool (*goes_on)(void *context); /* asked now and then within a run; NULL: always */
    void *context;                  /* of both */
    bool stopped;                   /* the run at hand was, and its row is open */
} jn_study_worker;

bool jn_study_worker_create(jn_study_worker *worker, struct jn_study *study);
void jn_study_worker_free(jn_study_worker *worker);
/* What a kind may do with a simulation: before its first step, after each, and at its end. Any may be NULL. */
typedef struct jn_row_hooks {
    int (*begin)(void *context, jn_sim *sim);
    void (*step)(void *context, const jn_sim *sim, const jn_state *before); /* after each step, which began there */
    void (*end)(void *context, jn_sim *sim);
    void *context;
} jn_row_hooks;
/* Runs one row. hooks may be NULL. The row is filled in any case; a run that fails is a row with its message. */
void jn_study_row_run(jn_study_worker *worker, long row, const jn_row_hooks *hooks, jn_study_row *out);
/* Hands a row over to the journal and the table. < 0: the study must end; so it must where a run left its row open, for want of memory.
 * JN_STOPPED: the caller wants no more. */
int jn_study_row_done(jn_study_worker *worker, long row, const jn_study_row *result);
/* The model with the values of a point (varies). NULL on error, see the report. */
jn_model *jn_study_compile(const struct jn_study *study, const double *point, jn_report *report);
/* Whether two models have the same channels. */
bool jn_same_parts(const jn_model *a, const jn_model *b);
/* The model with the values of a row; *failed has the message where it is NULL. */
jn_model *jn_study_row_model(jn_study_worker *worker, long row, jn_study_row *failed);

#endif
