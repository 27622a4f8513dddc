/* The series that a run left in its result.h5. */
#ifndef JN_STEP_START_RECORDS_H
#define JN_STEP_START_RECORDS_H

#include <stdbool.h>

/* A handle of the library; -1: there is no such file, or it is none of HDF5, or this build does not read it. */
long long jn_records_open(const char *path);
void jn_records_close(long long file);
long jn_records_rows(long long file); /* -1: no series */
/* Values of a channel in some rows, NULL: their times. False: there is no such channel, or it has not so many rows. */
bool jn_records_read(long long file, const char *channel, long first, long count, double *out);

#endif
