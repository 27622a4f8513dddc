/* XML by libxml2, behind this file. Nothing outside the text is ever looked at: no entities, no DTD, no network. */
#include "description/robot/xml.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 200, MOST_ELEMENTS = 1000000 };

typedef struct builder {
    const char *text, *file;
    size_t length, at; /* how far the tags have been found in the text */
    int line, column;  /* of `at` */
    jn_store *store;
    jn_report *report;
    int made, status;
    int first_line, first_column; /* where the parser complained first; 0: it did not */
    char first[200];              /* and of what */
} builder;

static jn_xml *fail(builder *b, int status, jn_where where, const char *message) {
    b->status = jn_report_add(b->report, JN_SEVERITY_ERROR, status, where, NULL, "%s", message);
    return NULL;
}

static void advance(builder *b, size_t n) {
    for (; n > 0 && b->at < b->length; n--, b->at++) {
        unsigned char c = (unsigned char)b->text[b->at];
        if (c == '\n')
            b->line++, b->column = 1;
        else if ((c & 0xC0) != 0x80)
            b->column++;
    }
}

static bool starts(const builder *b, const char *word) {
    size_t n = strlen(word);
    return b->length - b->at >= n && !memcmp(b->text + b->at, word, n);
}

static void skip_past(builder *b, const char *word) {
    while (b->at < b->length && !starts(b, word)) advance(b, 1);
    advance(b, strlen(word));
}

/* Place of the next start tag: the parser itself tells only the line where a tag ends. */
static jn_where next_tag(builder *b, int fallback) {
    while (b->at < b->length) {
        if (starts(b, "<!--")) {
            skip_past(b, "-->");
        } else if (starts(b, "<![CDATA[")) {
            skip_past(b, "]]>");
        } else if (starts(b, "<?")) {
            skip_past(b, "?>");
        } else if (starts(b, "<") && !starts(b, "</") && !starts(b, "<!")) {
            jn_where where = {b->file, b->line, b->column};
            advance(b, 1);
            return where;
        } else {
            advance(b, 1);
        }
    }
    return (jn_where){b->file, fallback, 1};
}

/* Letters of a text stand for themselves, "<" and "&" among them; entities are not looked up. */
static bool is_plain(const xmlAttr *a) {
    for (const xmlNode *part = a->children; part; part = part->next)
        if (part->type != XML_TEXT_NODE) return false;
    return true;
}

/* Words of xacro keep their prefix, others lose it. */
static const char *copy_name(builder *b, const xmlNs *space, const xmlChar *own) {
    char name[128];
    bool template = space && space->prefix && !strcmp((const char *)space->prefix, "xacro");
    if (!template) return jn_store_strdup(b->store, (const char *)own);
    snprintf(name, sizeof name, "xacro:%.100s", (const char *)own);
    return jn_store_strdup(b->store, name);
}

static bool copy_attributes(builder *b, const xmlNode *node, jn_xml *to) {
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        void *wide = jn_store_grow(b->store, to->attributes, to->attribute_count, sizeof *to->attributes);
        xmlChar *value = xmlNodeListGetString(node->doc, a->children, is_plain(a));
        if (!wide) {
            xmlFree(value);
            return false;
        }
        to->attributes = wide;
        jn_xml_attribute *out = &to->attributes[to->attribute_count++];
        out->name = copy_name(b, a->ns, a->name);
        out->value = jn_store_strdup(b->store, value ? (const char *)value : "");
        xmlFree(value);
        if (!out->name || !out->value) return false;
    }
    return true;
}

static bool copy_text(builder *b, const xmlNode *node, jn_xml *to) {
    to->text = "";
    if (to->count) return true;
    xmlChar *text = xmlNodeGetContent(node);
    if (text) to->text = jn_store_strdup(b->store, (const char *)text);
    xmlFree(text);
    return to->text != NULL;
}

static jn_xml *copy(builder *b, const xmlNode *node, int depth) {
    jn_where where = next_tag(b, (int)xmlGetLineNo(node));
    jn_xml *to = jn_store_alloc(b->store, sizeof *to);
    if (!to) return fail(b, JN_ERR_MEMORY, where, "out of memory");
    if (depth > DEEPEST) return fail(b, JN_ERR_LIMIT, where, "the file is nested deeper than 200 levels");
    if (++b->made > MOST_ELEMENTS) return fail(b, JN_ERR_LIMIT, where, "the file holds more than a million elements");
    to->where = where;
    to->name = copy_name(b, node->ns, node->name);
    if (!to->name || !copy_attributes(b, node, to)) return fail(b, JN_ERR_MEMORY, where, "out of memory");
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (child->type == XML_ENTITY_REF_NODE)
            return fail(b, JN_ERR_SYNTAX, where, "the file uses an entity\nwrite out what it stands for");
        if (child->type != XML_ELEMENT_NODE) continue;
        void *wide = jn_store_grow(b->store, to->children, to->count, sizeof *to->children);
        if (!wide) return fail(b, JN_ERR_MEMORY, where, "out of memory");
        to->children = wide;
        if (!(to->children[to->count] = copy(b, child, depth + 1))) return NULL;
        to->count++;
    }
    return copy_text(b, node, to) ? to : fail(b, JN_ERR_MEMORY, where, "out of memory");
}

/* The parser goes on after a mistake, and what it then misses misleads: the first complaint counts. */
static void keep_first(void *parser, xmlErrorPtr e) {
    builder *b = ((xmlParserCtxtPtr)parser)->_private;
    if (b->first_line || !e || !e->message || e->level < XML_ERR_ERROR) return;
    b->first_line = e->line > 0 ? e->line : 1, b->first_column = e->int2 > 0 ? e->int2 : 1;
    snprintf(b->first, sizeof b->first, "%.*s", (int)strcspn(e->message, "\n"), e->message);
}

static void parser_error(builder *b, const xmlError *last) {
    char text[300] = "the file is not well-formed XML";
    if (b->first_line) snprintf(text, sizeof text, "not well-formed XML: %s", b->first);
    jn_where where = {b->file, b->first_line ? b->first_line : 1, b->first_line ? b->first_column : 1};
    fail(b, last && last->code == XML_ERR_NO_MEMORY ? JN_ERR_MEMORY : JN_ERR_SYNTAX, where, text);
}

enum { NO_PART, OPEN_PART };

/* End of a part that begins at `at` with `open` and ends with `close`; NO_PART: none begins there, OPEN_PART: it has no end. */
static size_t part_end(const char *text, size_t length, size_t at, const char *open, const char *close) {
    size_t n = strlen(open), m = strlen(close);
    if (length - at < n || memcmp(text + at, open, n)) return NO_PART;
    for (size_t i = at + n; i + m <= length; i++)
        if (!memcmp(text + i, close, m)) return i + m;
    return OPEN_PART;
}

/* version="0.0" and the like become 1.0, the XML that is meant; a declaration with version="1" is left out. */
static void set_version(char *declaration, size_t length) {
    for (size_t i = 0; i + 13 <= length; i++) {
        if (memcmp(declaration + i, "version=", 8)) continue;
        if (declaration[i + 8] == declaration[i + 12]) memcpy(declaration + i + 9, "1.0", 3);
        if (declaration[i + 8] == declaration[i + 10]) memset(declaration, ' ', length);
    }
}

/* A copy without what XML forbids and the readers of MuJoCo and ROS let pass: "--" and bytes that are not UTF-8 in a comment, a
 * declaration that does not come first, another version. Spaces stand in their place, so that lines and columns stay. */
static char *without_comments(const char *text, size_t length, jn_store *store) {
    char *out = jn_store_alloc(store, length + 1);
    size_t first = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0; /* behind a byte order mark */
    if (!out) return NULL;
    memcpy(out, text, length);
    size_t declared = first < length ? part_end(text, length, first, "<?xml ", "?>") : NO_PART;
    if (declared > OPEN_PART) set_version(out + first, declared - first);
    for (size_t at = 0; at < length; at++) {
        if (text[at] != '<') continue;
        size_t data = part_end(text, length, at, "<![CDATA[", "]]>"), end = part_end(text, length, at, "<!--", "-->");
        if (end == NO_PART && at > first) end = part_end(text, length, at, "<?xml ", "?>");
        if (data == OPEN_PART || end == OPEN_PART) break; /* the parser says so */
        for (size_t i = at; i < end; i++)
            if (text[i] != '\n') out[i] = ' ';
        if (data != NO_PART || end != NO_PART) at = (data != NO_PART ? data : end) - 1;
    }
    return out;
}

jn_xml *jn_xml_read(const char *text, size_t length, const char *file, jn_store *store, jn_report *report,
                    int *status) {
    const int options =
        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA | XML_PARSE_COMPACT;
    builder b = {
        .text = text, .file = file, .length = length, .line = 1, .column = 1, .store = store, .report = report};
    jn_xml *root = NULL;
    char *plain = without_comments(text, length, store);
    xmlParserCtxtPtr parser = plain && length < INT_MAX ? xmlNewParserCtxt() : NULL;
    if (parser) parser->_private = &b, parser->sax->serror = (xmlStructuredErrorFunc)keep_first;
    xmlDocPtr document = parser ? xmlCtxtReadMemory(parser, plain, (int)length, NULL, NULL, options) : NULL;

    b.status = JN_ERR_MEMORY;
    if (!parser)
        fail(&b, JN_ERR_MEMORY, (jn_where){file, 0, 0}, "out of memory");
    else if (!document)
        parser_error(&b, xmlCtxtGetLastError(parser));
    else if (document->intSubset || document->extSubset)
        fail(&b, JN_ERR_SYNTAX, (jn_where){file, 1, 1},
             "the file has a document type (<!DOCTYPE ...>), which is not read\nremove it, and write out its entities");
    else if ((root = copy(&b, xmlDocGetRootElement(document), 0)))
        b.status = JN_OK;
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    *status = b.status;
    return root;
}

const char *jn_xml_attribute_of(const jn_xml *element, const char *name) {
    for (int i = 0; i < element->attribute_count; i++)
        if (!strcmp(element->attributes[i].name, name)) return element->attributes[i].value;
    return NULL;
}

const jn_xml *jn_xml_child(const jn_xml *element, const char *name) {
    for (int i = 0; i < element->count; i++)
        if (!strcmp(element->children[i]->name, name)) return element->children[i];
    return NULL;
}
