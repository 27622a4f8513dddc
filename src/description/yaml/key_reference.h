/* Texts made from the reader's tables. */
#ifndef JN_DESCRIPTION_YAML_KEY_REFERENCE_H
#define JN_DESCRIPTION_YAML_KEY_REFERENCE_H

/* The key reference in docs/model.md, as Markdown. Caller frees; NULL if there is no memory. */
char *jn_description_reference(void);

struct jn_fieldset;
/* The JSON Schema of a file with these keys. Caller frees; NULL if there is no memory. */
char *jn_fields_schema(const char *title, const struct jn_fieldset *set);

#endif
