/* Hashes of short runs that must be the same on every machine. */
#ifndef JN_TESTS_GOLDEN_H
#define JN_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One row of tests/bits/golden.txt: a hash, a model, settings as `jounce run --set` takes them, apart by " | ". */
typedef struct golden_row {
    uint64_t hash;
    char text[400]; /* all behind the hash */
} golden_row;

/* The next row of the table; false at its end. Lines that begin with # and empty ones are passed over, and printed to `keep` if it is given. */
bool golden_read(FILE *table, golden_row *row, FILE *keep);
/* Runs the row's model from the folder `root`. False: no run, with the reason on stderr. */
bool golden_run(const char *root, const golden_row *row, uint64_t *hash);
/* The row's model compiled, NULL with the reason on stderr; rows that are no model have none. */
struct jn_model *golden_model(const char *root, const golden_row *row);
/* golden_core.c: a pile of spheres by method nonsmooth. Over arguments of all sizes of all elementary functions. */
bool golden_pile(bool rigid, uint64_t *hash);
uint64_t golden_elementary(void);

#endif
