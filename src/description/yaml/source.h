/* Files: reading them, and joining those that a model includes. */
#ifndef JN_DESCRIPTION_YAML_SOURCE_H
#define JN_DESCRIPTION_YAML_SOURCE_H

#include "description/read/reader.h"

/* The whole file as a text with a zero byte behind it; NULL on error. where: who asks for it, for messages. */
char *jn_source_load(jn_reader *r, const char *path, jn_where where, jn_store *store, size_t *length);
/* "folder of from" + "/" + name, unless the name is absolute. In the description's store. */
const char *jn_source_beside(jn_reader *r, const char *from, const char *name);
/* Parses the text and everything it includes into one tree; false on error. */
bool jn_source_read(jn_reader *r, const char *text, size_t length, const char *file);
/* Puts a value into the tree at a parameter's name or a path; of a scalar the hash of the description takes notice. */
bool jn_source_put(jn_reader *r, const char *name, jn_node *value);
/* Replaces values of the tree by those given from outside. */
bool jn_source_set(jn_reader *r, const jn_setting *settings, int count);

#endif
