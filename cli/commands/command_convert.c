/* jounce convert: the same model as JSON or YAML in one file, or as URDF, MJCF or SDF.
 *
 * The tree of the file is written, not the numbers it leads to: parameters, expressions and units stay, so that the
 * result reads to the same model and can still be changed. Included files are joined, --set is applied. */
#include "commands/command_convert.h"
#include "base/memory.h"
#include "cli.h"
#include "description/yaml/source.h"
#include "trace/json_writer.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------------- scalars */

/* A number as JSON writes it. [RFC 8259, section 6] */
static bool is_json_number(const char *p) {
    p += *p == '-';
    if (*p == '0')
        p++;
    else if (*p >= '1' && *p <= '9')
        while (*p >= '0' && *p <= '9') p++;
    else
        return false;
    if (*p == '.') {
        if (!(*++p >= '0' && *p <= '9')) return false;
        while (*p >= '0' && *p <= '9') p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        if (!(*p >= '0' && *p <= '9')) return false;
        while (*p >= '0' && *p <= '9') p++;
    }
    return !*p;
}

/* Can the text stand in YAML without quotes, inside brackets too? */
static bool is_plain(const char *text) {
    size_t n = strlen(text);
    if (n == 0 || strpbrk(text, ":#{}[],'\"\n\t\r\\") || strchr("&*!|>%@` ", text[0]) || text[n - 1] == ' ')
        return false;
    if ((text[0] == '-' || text[0] == '?') && (!text[1] || text[1] == ' ')) return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7f) return false;
    return strncmp(text, "---", 3) && strncmp(text, "...", 3);
}

static void write_quoted(FILE *out, const char *text) {
    jn_json j = {0};
    jn_json_text(&j, NULL, text);
    fputs(j.failed ? "\"\"" : j.text, out);
    jn_free(j.text);
}

/* --------------------------------------------------------------------------------------------------------- trees */

typedef struct writer {
    FILE *out;
    bool json;
    const char *folder; /* where the result will lie, for names of files; resolved */
} writer;

/* A file of a table or a mesh, as seen from the new place. */
static const char *table_file(const writer *w, const jn_node *node, char *buffer) {
    char beside[PATH_MAX], full[PATH_MAX];
    const char *slash = strrchr(node->where.file, '/');
    if (node->text[0] == '/') return node->text;
    int folder = slash ? (int)(slash - node->where.file) + 1 : 0;
    if (snprintf(beside, sizeof beside, "%.*s%s", folder, node->where.file, node->text) >= (int)sizeof beside ||
        !realpath(beside, full))
        return node->text;
    size_t n = strlen(w->folder);
    const char *shown = !strncmp(full, w->folder, n) && full[n] == '/' ? full + n + 1 : full;
    return memcpy(buffer, shown, strlen(shown) + 1);
}

/* Words that mean something else than themselves when they are not quoted. */
static bool is_special(const char *text) {
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "~", NULL};
    for (int i = 0; words[i]; i++)
        if (!strcasecmp(words[i], text)) return true;
    return false;
}

static void write_scalar(const writer *w, const jn_node *node, bool is_file) {
    char buffer[PATH_MAX];
    const char *text = is_file ? table_file(w, node, buffer) : node->text;
    bool in_json = node->plain && (is_json_number(text) || !strcmp(text, "true") || !strcmp(text, "false"));
    bool in_yaml = is_plain(text) && (node->plain || (!is_special(text) && !is_json_number(text)));
    if (w->json ? in_json : in_yaml)
        fputs(text, w->out);
    else
        write_quoted(w->out, text);
}

static void indent(const writer *w, int depth) { fprintf(w->out, "\n%*s", 2 * depth, ""); }

static void write_key(const writer *w, const char *key) {
    if (!w->json && is_plain(key))
        fputs(key, w->out);
    else
        write_quoted(w->out, key);
    fputs(":", w->out);
}

/* Takes the node's items from the budget; false when it is used up or the node is deeper than allowed. */
static bool fits(const jn_node *node, int levels, int *budget) {
    if ((*budget -= 1) < 0) return false;
    if (node->kind != JN_NODE_MAP && node->kind != JN_NODE_LIST) return true;
    if (levels == 0) return node->count == 0;
    for (int i = 0; i < node->count; i++)
        if (!fits(node->kind == JN_NODE_MAP ? node->entries[i].value : node->items[i], levels - 1, budget))
            return false;
    return true;
}

/* Lists of scalars and small maps stand on one line. */
static bool is_flat(const jn_node *node) {
    int budget = 16;
    return fits(node, 2, &budget);
}

/* Where in the model a node stands, as far as names of files are concerned. */
typedef enum place { ROOT, TABLES, BODIES, TABLE, BODY, FILE_NAME, ELSEWHERE } place;

static place place_below(place at, const char *key) {
    if (at == ROOT && key && !strcmp(key, "tables")) return TABLES;
    if (at == ROOT && key && !strcmp(key, "bodies")) return BODIES;
    if (at == TABLES && key) return TABLE;
    if ((at == TABLE || at == BODY) && key && !strcmp(key, "file")) return FILE_NAME;
    return at == BODIES || at == BODY ? BODY : ELSEWHERE; /* shapes, in lists or not */
}

/* JSON, or YAML in its bracketed form. */
static void write_flow(const writer *w, const jn_node *node, int depth, place at) {
    bool flat = is_flat(node), map = node->kind == JN_NODE_MAP;
    if (node->kind == JN_NODE_EMPTY) fputs("null", w->out);
    if (node->kind == JN_NODE_SCALAR) write_scalar(w, node, at == FILE_NAME);
    if (node->kind == JN_NODE_EMPTY || node->kind == JN_NODE_SCALAR) return;
    fputc(map ? '{' : '[', w->out);
    for (int i = 0; i < node->count; i++) {
        const char *key = map ? node->entries[i].key : NULL;
        if (i) fputs(flat ? ", " : ",", w->out);
        if (!flat) indent(w, depth + 1);
        if (key) {
            write_key(w, key);
            fputc(' ', w->out);
        }
        write_flow(w, map ? node->entries[i].value : node->items[i], depth + 1, place_below(at, key));
    }
    if (!flat && node->count) indent(w, depth);
    fputc(map ? '}' : ']', w->out);
}

/* Sections stand in lines unless they are short and simple. */
static bool is_inner(const jn_node *value, int depth) {
    int budget = 5;
    if ((value->kind != JN_NODE_MAP && value->kind != JN_NODE_LIST) || value->count == 0) return false;
    return depth == 0 ? !fits(value, 1, &budget) : !is_flat(value);
}

/* YAML in lines, as people write it; small things in brackets. */
static void write_block(const writer *w, const jn_node *node, int depth, place at) {
    for (int i = 0; i < node->count; i++) {
        const char *key = node->kind == JN_NODE_MAP ? node->entries[i].key : NULL;
        const jn_node *value = key ? node->entries[i].value : node->items[i];
        bool inner = is_inner(value, depth);
        if (i || depth) indent(w, depth);
        if (key)
            write_key(w, key);
        else
            fputc('-', w->out);
        if (!inner) fputc(' ', w->out);
        if (inner)
            write_block(w, value, depth + 1, place_below(at, key));
        else
            write_flow(w, value, depth + 1, place_below(at, key));
    }
}

/* ------------------------------------------------------------------------------------------------------- command */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && !strcmp(text + n - k, end);
}

static void out_folder(const char *path, char *folder) {
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!realpath(slash == path ? "/" : name, folder)) folder[0] = 0;
}

static int write_tree(const jn_node *root, const char *path) {
    char folder[PATH_MAX];
    bool standard = !strcmp(path, "-");
    writer w = {.out = standard ? stdout : fopen(path, "w"), .json = ends_with(path, ".json"), .folder = folder};
    if (!w.out) return cli_complain(NULL, "'%s' cannot be written", path);
    out_folder(path, folder);
    if (w.json)
        write_flow(&w, root, 0, ROOT);
    else
        write_block(&w, root, 0, ROOT);
    fputc('\n', w.out);
    bool failed = ferror(w.out) != 0;
    if (!standard) failed |= fclose(w.out) != 0;
    return failed ? cli_complain(NULL, "'%s' cannot be written", path) : CLI_FINE;
}

/* Reads the tree again, this time to keep it. */
static int convert(const cli_arguments *arguments, jn_description *d) {
    jn_report report = {0};
    jn_reader r = {.d = d,
                   .store = d->store,
                   .scratch = jn_store_create(),
                   .report = &report,
                   .pending = -1,
                   .import = jn_import_default()};
    size_t length = 0;
    int status = CLI_BAD_INPUT;
    char *text =
        r.scratch ? jn_source_load(&r, arguments->files[0], (jn_where){d->file, 0, 0}, r.scratch, &length) : NULL;
    if (text && jn_import_set(&r, arguments->settings, arguments->setting_count) &&
        jn_source_read(&r, text, length, d->file) && jn_source_set(&r, arguments->settings, arguments->setting_count))
        status = write_tree(r.root, arguments->out);
    cli_report_print(&report, true); /* warnings were reported when the model was opened */
    jn_store_free(r.scratch);
    return status;
}

/* Formats by the ending of the file. */
static const struct {
    const char *ending;
    int (*write)(const jn_description *d, const char *path, bool lenient); /* NULL: our own */
} formats[] = {{".yaml", NULL},          {".yml", NULL},
               {".json", NULL},          {".urdf", cli_write_urdf},
               {".xml", cli_write_mjcf}, {".mjcf", cli_write_mjcf},
               {".sdf", cli_write_sdf},  {"-", NULL}};

int cli_convert(cli_arguments *arguments) {
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    cli_model m;
    int k = 0;
    if (!arguments->out && arguments->file_count == 2) arguments->out = arguments->files[1];
    if (!arguments->out) return cli_complain("add -o OUT.json or -o OUT.yaml", "jounce convert needs a file to write");
    while (k < FORMATS && !ends_with(arguments->out, formats[k].ending)) k++;
    if (k == FORMATS)
        return cli_complain("end it in .yaml, .json, .urdf, .xml (MJCF) or .sdf", "'%s' does not say which format",
                            arguments->out);
    if (!cli_model_open(arguments->files[0], arguments, &m)) return CLI_BAD_INPUT;
    int status = formats[k].write ? formats[k].write(m.description, arguments->out, arguments->lenient)
                                  : convert(arguments, m.description);
    cli_model_close(&m);
    return status;
}
