/* The tree of an XML file; every element knows the line and column where its tag begins. */
#ifndef JN_DESCRIPTION_ROBOT_XML_H
#define JN_DESCRIPTION_ROBOT_XML_H

#include "base/store.h"

#include <jounce/base.h>

typedef struct jn_xml_attribute {
    const char *name, *value;
} jn_xml_attribute;

typedef struct jn_xml {
    const char *name; /* without the prefix of a namespace, but for "xacro:" */
    jn_where where;
    const char *text; /* between its tags, if it holds no other element; else "" */
    int attribute_count, count;
    jn_xml_attribute *attributes;
    struct jn_xml **children; /* (count) elements in the order of the file */
} jn_xml;

/* Parses a document without entities, DTD and network. NULL on error, with the message in the report and the status in *status. */
jn_xml *jn_xml_read(const char *text, size_t length, const char *file, jn_store *store, jn_report *report, int *status);

const char *jn_xml_attribute_of(const jn_xml *element, const char *name); /* NULL if there is none */
const jn_xml *jn_xml_child(const jn_xml *element, const char *name);      /* the first of its kind, or NULL */

#endif
