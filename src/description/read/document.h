/* A model file kept as its tree, so that it can be described again with other values and without being read again. */
#ifndef JN_DESCRIPTION_READ_DOCUMENT_H
#define JN_DESCRIPTION_READ_DOCUMENT_H

#include "description/read/reader.h"

/* Constant once it is open: any number of threads may describe it. */
typedef struct jn_document jn_document;

/* Reads the file, all it includes, and the settings. NULL on error, see the report. */
jn_document *jn_document_open(const char *path, const jn_setting *settings, int count, jn_report *report);
void jn_document_free(jn_document *document);

/* Adds an expression over channels to record.derived for good, before any description is made. JN_OK or JN_ERR_MEMORY. */
int jn_document_derive(jn_document *document, const char *name, jn_node *expression);

/* The name under which --set knows a value: a parameter as it is, a path as it is, and NAME.KEY as SECTION.NAME.KEY where
 * one section alone has that name. Status, with a message at `where` that suggests a name. */
int jn_document_find(const jn_document *document, const char *name, jn_where where, char *full, size_t size,
                     jn_report *report);
/* Whether the file has a parameter of that name. */
bool jn_document_has_parameter(const jn_document *document, const char *name);

/* Leaves out derived channels that are not among these names ("derived.NAME"), for good. JN_OK or JN_ERR_MEMORY. */
int jn_document_drop_derived(jn_document *document, const char *const *used, int count);

/* Notes which numbers of the file do not depend on these values, and how the others do: later descriptions, with the same names given, do
 * not read them again. Status. */
int jn_document_learn(jn_document *document, const jn_given *given, int count, jn_report *report);

/* The description with other values; without expect rows, which are for the values of the file. The hash is that of the same
 * values given by --set. NULL on error, see the report. O(size of the file), its text is not read again. */
jn_description *jn_document_describe(const jn_document *document, const jn_given *given, int count, jn_report *report);

#endif
