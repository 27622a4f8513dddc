/* Result folders compared file by file. */
#ifndef JN_TESTS_SAME_FILES_H
#define JN_TESTS_SAME_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether both folders have the same files, in the same bytes but for wall times: of summary.json without those lines, of result.h5 all data sets but
 * its copy of the summary. Else which one differs, in words. */
bool same_folders(const char *a, const char *b, char *difference, size_t size);

#endif
