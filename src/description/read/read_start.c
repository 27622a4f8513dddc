/* run.start: as drawn, as the mechanism without clearance, or where another run was. */
#include "description/read/read_start.h"
#include <math.h>
#include <string.h>

static const jn_keyword start_keywords[] = {{"drawn", JN_START_DRAWN}, {"ideal", JN_START_IDEAL}, {NULL, 0}};

/* The text without blanks at its ends, kept in the description. */
static const char *trimmed(jn_reader *r, const char *text, size_t length) {
    while (length && strchr(" \t", text[length - 1])) length--;
    while (length && strchr(" \t", *text)) text++, length--;
    char *copy = jn_store_copy(r->store, text, length);
    if (!copy) jn_read_no_memory(r);
    return copy;
}

/* "FOLDER @ TIME" or "FOLDER/": a name with a slash or an @ is a folder. */
static bool read_folder(jn_reader *r, const jn_node *node, jn_run_desc *run) {
    const char *at = strrchr(node->text, '@');
    size_t length = at ? (size_t)(at - node->text) : strlen(node->text);
    while (length > 1 && strchr(" \t/", node->text[length - 1])) length--;
    run->start_folder = trimmed(r, node->text, length);
    run->start_where = node->where;
    if (!run->start_folder) return false;
    if (!run->start_folder[0])
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "no folder stands before the '@'\nwrite 'start: out/other_run @ 1.5 s'");
    if (!at) return true;
    jn_node time = *node;
    time.text = trimmed(r, at + 1, strlen(at + 1));
    time.inset += (int)(at + 1 - node->text) + (int)strspn(at + 1, " \t");
    if (!time.text) return false;
    if (!time.text[0])
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "no time stands behind the '@'\nwrite 'start: %s @ 1.5 s', or leave the '@' out to begin "
                             "at the end of that run",
                             run->start_folder);
    if (!jn_read_number(r, &time, JN_MEASURE_TIME, &run->start_time)) return false;
    return run->start_time >= 0 ||
           jn_read_error(r, node->where, JN_ERR_MODEL, "the time of another run cannot be negative, as %g s is",
                         run->start_time);
}

bool jn_read_start(jn_reader *r, const jn_node *node, void *item) {
    jn_run_desc *run = item;
    int word = 0;
    if (node->kind == JN_NODE_SCALAR && strpbrk(node->text, "/@")) return read_folder(r, node, run);
    if (!jn_read_keyword(r, node, start_keywords, &word)) return false;
    run->start = (jn_start_kind)word;
    return true;
}
