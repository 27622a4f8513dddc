/* The server's answers without a network: every byte that would be sent is read. */
#ifndef JN_TESTS_FUZZ_ANSWERS_H
#define JN_TESTS_FUZZ_ANSWERS_H

#include "fuzz.h"

/* Runs a small model in the scratch folder and gives the folder of its results; the same at every call. */
const char *fuzz_results(void);

#endif
