/* Messages: file:line:column, what is wrong, the line itself with a caret, what to write instead. */
#include "cli.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 4096, WINDOW = 100 };

/* Line number `line` of a file, without its end; false if it cannot be had. */
static bool read_line(const char *path, int line, char *buffer, size_t size) {
    FILE *file = path[0] ? fopen(path, "r") : NULL;
    bool found = false;
    if (!file) return false;
    for (int at = 1; at <= line;) {
        if (!fgets(buffer, (int)size, file)) break;
        found = at == line;
        if (found) break;
        at += strchr(buffer, '\n') != NULL;
    }
    fclose(file);
    if (found) buffer[strcspn(buffer, "\r\n")] = 0;
    return found;
}

static bool continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; } /* inside a UTF-8 character */

/* Shows the line around the column and points at it. */
static void print_source(const jn_error *e) {
    char text[LINE_MOST], pad[WINDOW * 2 + 8];
    if (e->line <= 0 || !read_line(e->file, e->line, text, sizeof text)) return;
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 && *p != '\t') *p = ' '; /* no escape sequences from files */
    const char *start = text, *at = text;
    int column = 1;
    for (; *at && column < e->column; at++)
        if (!continues(at[1])) column++;
    while (at - start > WINDOW) start++;
    while (continues(*start)) start++;
    size_t n = 0;
    for (const char *p = start; p < at && n + 2 < sizeof pad; p++)
        if (!continues(*p)) pad[n++] = *p == '\t' ? '\t' : ' ';
    pad[n] = 0;
    const char *dim = cli_paint(stderr, CLI_DIM), *plain = cli_paint(stderr, CLI_PLAIN),
               *red = cli_paint(stderr, CLI_RED);
    fprintf(stderr, "%s%6d |%s %.*s\n", dim, e->line, plain, 2 * WINDOW, start);
    fprintf(stderr, "%s       |%s %s%s^%s\n", dim, plain, pad, red, plain);
}

void cli_message_print(const jn_error *e) {
    static const char *const words[] = {"note", "warning", "error"};
    static const cli_style styles[] = {CLI_BLUE, CLI_YELLOW, CLI_RED};
    const char *bold = cli_paint(stderr, CLI_BOLD), *plain = cli_paint(stderr, CLI_PLAIN);
    fputs(bold, stderr);
    if (e->line > 0)
        fprintf(stderr, "%s:%d:%d: ", e->file, e->line, e->column);
    else if (e->file[0])
        fprintf(stderr, "%s: ", e->file);
    fprintf(stderr, "%s%s%s:%s %s\n", plain, cli_paint(stderr, styles[e->severity]), words[e->severity], plain,
            e->text);
    print_source(e);
    if (e->hint[0]) fprintf(stderr, "  hint: %s\n", e->hint);
}

void cli_report_print(const jn_report *report, bool quiet) {
    for (int i = 0; i < report->count; i++)
        if (!quiet || report->item[i].severity == JN_SEVERITY_ERROR) cli_message_print(&report->item[i]);
    if (report->errors + report->warnings > JN_REPORT_CAPACITY)
        fprintf(stderr, "%d errors and %d warnings in all\n", report->errors, report->warnings);
}

int cli_complain(const char *hint, const char *format, ...) {
    va_list args;
    fprintf(stderr, "jounce: %serror:%s ", cli_paint(stderr, CLI_RED), cli_paint(stderr, CLI_PLAIN));
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (hint) fprintf(stderr, "  hint: %s\n", hint);
    return CLI_BAD_INPUT;
}

bool cli_model_open(const char *path, const cli_arguments *arguments, cli_model *out) {
    jn_report report = {0};
    *out = (cli_model){NULL, NULL, 0};
    out->description = jn_description_read(path, arguments->settings, arguments->setting_count, &report);
    if (out->description) out->model = jn_model_compile(out->description, &report);
    cli_report_print(&report, arguments->quiet);
    out->warnings = report.warnings;
    if (out->model) return true;
    if (!report.errors) fprintf(stderr, "%s: error: the model cannot be read\n", path);
    cli_model_close(out);
    return false;
}

void cli_model_close(cli_model *model) {
    jn_model_free(model->model);
    jn_description_free(model->description);
    *model = (cli_model){NULL, NULL, 0};
}

void cli_stem(const char *path, char *buffer, size_t size) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    snprintf(buffer, size, "%.*s", (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name)), name);
}
