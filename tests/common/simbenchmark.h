/* The scenes of SimBenchmark (github leggedrobotics/SimBenchmark) and their errors, as tests and benchmarks share them.
 *
 * An error is the mean of squares over all steps, computed from the state by kinematics of its own: nothing of the audit enters. */
#ifndef JN_TESTS_SIMBENCHMARK_H
#define JN_TESTS_SIMBENCHMARK_H

#include <jounce/step.h>

typedef enum simbenchmark_test {
    SIMBENCHMARK_MOMENTUM,    /* a ball strikes ANYmal in empty space: |p - p at the start|^2 [(kg m/s)^2] */
    SIMBENCHMARK_ENERGY,      /* ANYmal, thrown up for 1 s, falls for 2 s: (E - E at the start of the fall)^2 [J^2] */
    SIMBENCHMARK_BOUNCING,    /* 49 elastic balls on a floor: (E - 49 m g 5 m)^2 [J^2] */
    SIMBENCHMARK_ELASTIC_666, /* 216 elastic balls that fall on each other: (E - E at the start)^2 [J^2] */
    SIMBENCHMARK_ROLLING, /* 25 balls on a box that is pulled along y: squared velocity errors of box and first ball, summed [(m/s)^2] */
    SIMBENCHMARK_ROLLING_DIAGONAL, /* the same along (1/2, sqrt(3)/2, 0) */
    SIMBENCHMARK_TESTS
} simbenchmark_test;

typedef struct simbenchmark_run {
    const char *robot;          /* file of ANYmal */
    jn_method method;           /* nonsmooth with its default scheme, or impact */
    double step;                /* [s] of the nonsmooth method; of impact: between two samples */
    double until;               /* [s] of the measured part; 0: all of the test */
    double limit;               /* [s] of the clock for the whole run; 0: none */
    jn_coordinates coordinates; /* relative by default */
} simbenchmark_run;

typedef struct simbenchmark_result {
    double error;   /* mean of squares over the steps */
    double worst;   /* largest square */
    double last;    /* [J] energy gained at the end; NaN where the error is of another kind */
    double time;    /* [s] simulated, measured part */
    double seconds; /* [s] of the processor in steps, without the measurement */
    long steps;     /* all of them, also those before the measured part */
    bool complete;  /* it came to its end; else text says why not */
    char text[256];
} simbenchmark_result;

const char *simbenchmark_name(simbenchmark_test test);
/* [s] of the measured part. */
double simbenchmark_time(simbenchmark_test test);
/* Whether the test needs the robot's file. */
bool simbenchmark_needs_robot(simbenchmark_test test);

/* The scene with everything but `run`; NULL: see the report. */
jn_description *simbenchmark_scene(simbenchmark_test test, const char *robot, jn_report *report);
/* Builds, runs and measures one test. */
simbenchmark_result simbenchmark_measure(simbenchmark_test test, const simbenchmark_run *run);

#endif
