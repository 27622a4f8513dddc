/* Readers of the sections of a study file. */
#ifndef JN_WORKFLOW_STUDY_STUDY_KEYS_H
#define JN_WORKFLOW_STUDY_STUDY_KEYS_H

#include "workflow/study/study.h"

bool jn_study_read_vary(jn_reader *r, const jn_node *node, void *item);
bool jn_study_read_measures(jn_reader *r, const jn_node *node, void *item);
extern const jn_fieldset jn_samples_fields;
/* Every key of the map is one of these; else an error that suggests one. keys ends with NULL. */
bool jn_study_check_keys(jn_reader *r, const jn_node *map, const char *const *keys, const char *what);

#endif
