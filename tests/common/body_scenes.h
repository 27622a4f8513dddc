/* Models opened for tests, and states given body by body as the reference files do. */
#ifndef JN_TESTS_BODIES_H
#define JN_TESTS_BODIES_H

#include "json_reader.h"
#include <jounce/jounce.h>

typedef struct bench {
    jn_report report;
    jn_description *d;
    jn_model *model;
    jn_sim *sim;
} bench;

/* Compiles the description, which it takes over, and makes a simulation. Fails the test on any error. */
void bench_open(bench *b, jn_description *d);
/* The same from a file below JN_SOURCE_DIR, in the given coordinates. */
void bench_read(bench *b, const char *file, jn_coordinates coordinates);
void bench_close(bench *b);
/* Sets the state: q (x y z qw qx qy qz) and v (vx vy vz wx wy wz) of each body but the ground. */
void bench_place(bench *b, const double *q, const double *v);
/* Everything at the present state; fails the test on any error. */
void bench_observe(bench *b);
jn_body_motion bench_body(const bench *b, int body);
jn_joint_motion bench_joint(const bench *b, int joint);

/* The largest |found - expected| over all numbers below a node of the file, divided by max(1, largest |expected|). */
double json_deviation(const double *found, const json *expected);
/* A case of cases_000.json by name, or NULL. */
const json *json_case(const json *file, const char *name);

#endif
