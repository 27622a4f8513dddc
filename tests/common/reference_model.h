/* The mechanisms of ../shared/reference/models as descriptions. */
#ifndef JN_TESTS_REFERENCE_MODEL_H
#define JN_TESTS_REFERENCE_MODEL_H

#include <jounce/jounce.h>

/* Reads a model file of the reference (format: its README.md). NULL if it is missing or not understood. */
jn_description *reference_model_read(const char *path, jn_coordinates coordinates);
/* The same by name, as "charmie", from JN_SOURCE_DIR/../shared/reference/models. */
jn_description *reference_model_find(const char *name, jn_coordinates coordinates);
/* True where the folder is there; else prints one line that says so. */
bool reference_present(void);
/* Path of a file in the reference folder, in a static buffer. */
const char *reference_path(const char *file);

#endif
