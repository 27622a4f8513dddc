/* What the fuzz targets share: a scratch folder, and a model that is taken as far as it goes. */
#ifndef JN_TESTS_FUZZ_H
#define JN_TESTS_FUZZ_H

#include <jounce/jounce.h>
#include <stddef.h>
#include <stdint.h>

/* The target: one input, from libFuzzer or from the corpus (replay.c). Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A scratch folder of this process, made at the first call and removed at its end. */
const char *fuzz_folder(void);
/* Writes a file into the scratch folder and gives its path, which is valid until the next call. */
const char *fuzz_file(const char *name, const void *bytes, size_t size);

/* Compiles a description, makes a simulation and takes at most ten steps. Frees the description; NULL does nothing. Stops the program
 * if a message is missing, or if a call that returns no error leaves a number that is not finite. */
void fuzz_steps(jn_description *description, const jn_report *report);

/* Ends the program, which the fuzzer counts as a crash. */
void fuzz_fail(const char *what);

#endif
