/* jounce verify: runs models and holds them to their expect rows. */
#include "base/memory.h"
#include "base/store.h"
#include "cli.h"
#include "description/yaml/node.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct tally {
    const cli_arguments *arguments;
    int passed, failed;
    bool bad_input;
} tally;

/* ----------------------------------------------------------------------------------------------------- one model */

static void print_head(void) {
    printf("%s%-28s %-30s %18s %18s %11s  %s%s\n", cli_paint(stdout, CLI_BOLD), "model", "channel", "expected", "found",
           "tolerance", "ok", cli_paint(stdout, CLI_PLAIN));
}

/* "joint.pin.q @ 0.5", "joint.pin.q max", "impact 1". */
static void name_text(const jn_expect_desc *e, char *buffer, size_t size) {
    switch (e->at) {
    case JN_EXPECT_TIME: snprintf(buffer, size, "%s @ %g", e->channel, e->time); break;
    case JN_EXPECT_MIN: snprintf(buffer, size, "%s min", e->channel); break;
    case JN_EXPECT_MAX: snprintf(buffer, size, "%s max", e->channel); break;
    case JN_EXPECT_MEAN: snprintf(buffer, size, "%s mean", e->channel); break;
    case JN_EXPECT_EVENT: snprintf(buffer, size, "%s %d", e->event, e->event_nth); break;
    default: snprintf(buffer, size, "%s", e->channel); break;
    }
}

static void expected_text(const jn_expect_desc *e, char *expected, char *tolerance, size_t size) {
    tolerance[0] = 0;
    if (e->has_value) {
        snprintf(expected, size, "%.10g", e->value);
        snprintf(tolerance, size, "%.2g%s", e->within, e->relative ? " rel" : "");
    } else if (e->has_below && e->has_above) {
        snprintf(expected, size, "%.4g .. %.4g", e->above, e->below);
    } else {
        snprintf(expected, size, "%s %.6g", e->has_below ? "<" : ">", e->has_below ? e->below : e->above);
    }
}

static void print_row(tally *t, const char *model, const jn_verdict *v) {
    char name[128], expected[32], tolerance[32], found[32] = "-";
    t->passed += v->ok;
    t->failed += !v->ok;
    if (v->ok && t->arguments->quiet) return;
    name_text(v->expect, name, sizeof name);
    expected_text(v->expect, expected, tolerance, sizeof expected);
    if (isfinite(v->found)) snprintf(found, sizeof found, "%.10g", v->found);
    printf("%-28s %-30s %18s %18s %11s  %s%s%s%s%s\n", model, name, expected, found, tolerance,
           cli_paint(stdout, v->ok ? CLI_GREEN : CLI_RED), v->ok ? "yes" : "NO", cli_paint(stdout, CLI_PLAIN),
           v->text[0] ? "  " : "", v->text);
}

/* A model without expect rows must at least run with a good audit; one with a bad audit fails anyway. */
static void print_audit(tally *t, const char *model, const jn_result *r) {
    bool ok = r->status == JN_OK && r->audit.ok;
    t->passed += ok;
    t->failed += !ok;
    if (ok && t->arguments->quiet) return;
    printf("%-28s %-30s %18s %18s %11s  %s%s%s  %s\n", model, "audit", "good", ok ? "good" : "bad", "",
           cli_paint(stdout, ok ? CLI_GREEN : CLI_RED), ok ? "yes" : "NO", cli_paint(stdout, CLI_PLAIN),
           r->audit.verdict);
}

static void print_result(tally *t, const char *stem, const jn_model *m, const jn_result *r) {
    int count = jn_model_expects(m);
    jn_verdict *verdicts = jn_malloc((size_t)count * sizeof *verdicts);
    if (!verdicts) {
        t->failed++;
        return;
    }
    jn_result_verify(m, r, verdicts);
    for (int i = 0; i < count; i++) print_row(t, stem, &verdicts[i]);
    bool stated = r->expects_failed > 0 ? r->audit.ok || r->audit.only_gain : jn_result_as_stated(m, r);
    if (count == 0 || r->status != JN_OK || !stated) print_audit(t, stem, r);
    jn_free(verdicts);
}

static void verify_model(tally *t, const char *path) {
    cli_model m;
    cli_progress progress;
    jn_report report = {0};
    char stem[64];
    cli_stem(path, stem, sizeof stem);
    if (!cli_model_open(path, t->arguments, &m)) {
        printf("%-28s %scannot be read%s\n", stem, cli_paint(stdout, CLI_RED), cli_paint(stdout, CLI_PLAIN));
        t->failed++;
        t->bad_input = true;
        return;
    }
    cli_progress_start(&progress, stem, t->arguments->quiet);
    jn_result *r = jn_run(m.model, NULL, cli_progress_step, &progress, &report);
    cli_progress_end(&progress);
    cli_report_print(&report, true);
    if (r) {
        print_result(t, stem, m.model, r);
    } else {
        t->failed++;
        t->bad_input = true;
    }
    fflush(stdout);
    jn_result_free(r);
    cli_model_close(&m);
}

/* ------------------------------------------------------------------------------------------------------- folders */

/* Is the file a model to run, and no piece that others include? Broken files count, so that they are seen. */
static bool is_model(const char *path) {
    jn_store *store = jn_store_create();
    FILE *file = fopen(path, "rb");
    struct stat info;
    bool found = true;
    if (store && file && fstat(fileno(file), &info) == 0 && info.st_size < JN_FILE_LARGEST) {
        char *text = jn_store_alloc(store, (size_t)info.st_size + 1);
        size_t length = text ? fread(text, 1, (size_t)info.st_size, file) : 0;
        jn_report report = {0};
        int status = JN_OK;
        const jn_node *root = text ? jn_yaml_read(text, length, path, store, &report, &status) : NULL;
        if (root) found = jn_node_get(root, "run") || jn_node_get(root, "expect");
    }
    if (file) fclose(file);
    jn_store_free(store);
    return found;
}

static bool is_yaml(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static void verify_path(tally *t, const char *path, bool named);

static int verify_folder(tally *t, const char *path) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        bool fits = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name) < (int)sizeof inner;
        if (fits && entries[i]->d_name[0] != '.' && !cli_interrupted()) verify_path(t, inner, false);
        free(entries[i]);
    }
    free(entries);
    return count;
}

/* named: given by the user; else found in a folder, where only models count. */
static void verify_path(tally *t, const char *path, bool named) {
    struct stat info;
    if ((named ? stat : lstat)(path, &info)) { /* links inside folders are not followed: no cycles */
        if (!named) return;
        t->bad_input = true;
        cli_complain(NULL, "'%s' cannot be opened: %s", path, strerror(errno));
    } else if (S_ISDIR(info.st_mode)) {
        if (verify_folder(t, path) < 0) {
            t->bad_input = true;
            cli_complain(NULL, "the folder '%s' cannot be read: %s", path, strerror(errno));
        }
    } else if (named || (S_ISREG(info.st_mode) && is_yaml(path) && is_model(path))) {
        verify_model(t, path);
    }
}

int cli_verify(cli_arguments *arguments) {
    tally t = {.arguments = arguments};
    cli_interrupt_catch();
    if (!arguments->quiet) print_head();
    for (int i = 0; i < arguments->file_count && !cli_interrupted(); i++) verify_path(&t, arguments->files[i], true);
    if (cli_interrupted()) printf("stopped\n");
    printf("%s%d passed, %d failed%s\n", cli_paint(stdout, t.failed ? CLI_RED : CLI_GREEN), t.passed, t.failed,
           cli_paint(stdout, CLI_PLAIN));
    if (!t.bad_input && !cli_interrupted() && t.passed + t.failed == 0) {
        cli_complain("give a model file, or a folder with models", "there is nothing to verify here");
        return CLI_BAD_INPUT;
    }
    return t.bad_input ? CLI_BAD_INPUT : t.failed || cli_interrupted() ? CLI_FAILED : CLI_FINE;
}
