/* Options and files of a command, by table. */
#include "base/suggest.h"
#include "cli.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT(member) offsetof(cli_arguments, member)
static const cli_option options[] = {
    {"--out", "-o", CLI_OUT, true, ARGUMENT(out)},
    {"--set", NULL, CLI_SET, true, 0},
    {"--method", NULL, CLI_METHOD, true, ARGUMENT(method)},
    {"--state", NULL, CLI_STATE, true, ARGUMENT(state)},
    {"--linearise", NULL, CLI_STATE, false, ARGUMENT(linearise)},
    {"--quiet", "-q", CLI_QUIET, false, ARGUMENT(quiet)},
    {"--checkpoint", NULL, CLI_CHECKPOINT, true, ARGUMENT(checkpoint)},
    {"--plot-impacts", NULL, CLI_PLOT_IMPACTS, false, ARGUMENT(plot_impacts)},
    {"--converge", NULL, CLI_CONVERGE, false, ARGUMENT(converge)},
    {"--json", NULL, CLI_JSON, false, ARGUMENT(json)},
    {"--curve", NULL, CLI_CURVE, false, ARGUMENT(curve)},
    {"--svg", NULL, CLI_SVG, true, ARGUMENT(svg)},
    {"--solver", NULL, CLI_SOLVE, true, ARGUMENT(solver)},
    {"--tolerance", NULL, CLI_SOLVE, true, ARGUMENT(tolerance)},
    {"--iterations", NULL, CLI_SOLVE, true, ARGUMENT(iterations)},
    {"--threads", NULL, CLI_STUDY | CLI_CHECKPOINT, true, ARGUMENT(threads)},
    {"--save", NULL, CLI_SOLVE, true, ARGUMENT(save)},
    {"--all", NULL, CLI_SOLVE | CLI_ALL, false, ARGUMENT(all)},
    {"--limit", NULL, CLI_ALL, true, ARGUMENT(limit)},
    {"--list", NULL, CLI_SOLVE, false, ARGUMENT(list)},
    {"--resume", NULL, CLI_STUDY, false, ARGUMENT(resume)},
    {"--dry-run", NULL, CLI_STUDY, false, ARGUMENT(dry_run)},
    {"--port", NULL, CLI_SERVE, true, ARGUMENT(port)},
    {"--host", NULL, CLI_SERVE, true, ARGUMENT(host)},
    {"--no-open", NULL, CLI_SERVE, false, ARGUMENT(no_open)},
    {"--xy", NULL, CLI_FIGURE, false, ARGUMENT(xy)},
    {"--log", NULL, CLI_FIGURE, false, ARGUMENT(log)},
    {"--equal", NULL, CLI_FIGURE, false, ARGUMENT(equal)},
    {"--no-legend", NULL, CLI_FIGURE, false, ARGUMENT(no_legend)},
    {"--title", NULL, CLI_FIGURE, true, ARGUMENT(title)},
    {"--xlabel", NULL, CLI_FIGURE, true, ARGUMENT(xlabel)},
    {"--ylabel", NULL, CLI_FIGURE, true, ARGUMENT(ylabel)},
    {"--size", NULL, CLI_FIGURE, true, ARGUMENT(size)},
    {"--from", NULL, CLI_FIGURE, true, ARGUMENT(from)},
    {"--to", NULL, CLI_FIGURE, true, ARGUMENT(to)},
    {"--lenient", NULL, CLI_ROBOT, false, ARGUMENT(lenient)},
    {"--repair", NULL, CLI_ROBOT, false, ARGUMENT(repair)},
    {"--base", NULL, CLI_ROBOT, true, ARGUMENT(base)},
    {"--floor", NULL, CLI_ROBOT, false, ARGUMENT(floor)},
    {"--floor-height", NULL, CLI_ROBOT, true, ARGUMENT(floor_height)},
    {"--packages", NULL, CLI_ROBOT, true, ARGUMENT(packages)},
    {"--keyframe", NULL, CLI_ROBOT, true, ARGUMENT(keyframe)},
    {NULL, NULL, 0, false, 0},
};

const cli_option *cli_options(void) { return options; }

/* How the command is written, for a hint. */
static const char *usage(const cli_command *c) {
    static char text[160];
    snprintf(text, sizeof text, "jounce %s", c->usage);
    return text;
}

static void print_help(const cli_command *c) {
    printf("usage: jounce %s\n\n%s%s%s", c->usage, c->summary, c->help[0] ? "\n\n" : "\n", c->help);
    printf("\nexit status: 0 fine, 1 the audit or an expectation failed, 2 bad input\n");
}

static int unknown_option(const cli_command *c, const char *text, size_t length) {
    char name[64], hint[128];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    jn_suggest suggest = jn_suggest_for(name);
    for (const cli_option *o = options; o->name; o++)
        if (o->bit & c->options) jn_suggest_offer(&suggest, o->name);
    jn_suggest_offer(&suggest, "--help");
    if (suggest.best)
        snprintf(hint, sizeof hint, "write '%s'", suggest.best);
    else
        snprintf(hint, sizeof hint, "jounce %s --help lists the options", c->name);
    return cli_complain(hint, "jounce %s has no option '%s'", c->name, name);
}

/* "NAME=VALUE" into a setting; the text stays in argv. */
static int add_setting(cli_arguments *out, char *text) {
    char *equals = strchr(text, '=');
    if (!equals || equals == text) return cli_complain("write --set NAME=VALUE", "'%s' sets nothing", text);
    if (out->setting_count == CLI_MAX_SETTINGS) return cli_complain("put them into a model file", "too many --set");
    *equals = 0;
    out->settings[out->setting_count++] = (jn_setting){text, equals + 1};
    return -1;
}

/* "--out", "-o", or "-oDIR". */
static bool is_option(const cli_option *o, const char *text, size_t length) {
    if (strlen(o->name) == length && !strncmp(o->name, text, length)) return true;
    return o->brief && text[1] == o->brief[1] && (o->takes_value || !text[2]);
}

/* Reads the option at argv[*at]. */
static int read_option(const cli_command *c, int argc, char **argv, int *at, cli_arguments *out) {
    char *text = argv[*at], *equals = text[1] == '-' ? strchr(text, '=') : NULL, *value = NULL;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const cli_option *o = options;
    while (o->name && !is_option(o, text, length)) o++;
    if (!o->name || !(o->bit & c->options)) return unknown_option(c, text, length);
    if (!o->takes_value) {
        if (equals) return cli_complain("write it alone", "%s takes no value", o->name);
        *(bool *)((char *)out + o->offset) = true;
        return -1;
    }
    if (equals)
        value = equals + 1;
    else if (text[1] != '-' && text[2])
        value = text + 2;
    else if (*at + 1 < argc)
        value = argv[++*at];
    if (!value || !*value) return cli_complain(usage(c), "%.*s needs a value", (int)length, text);
    if (o->bit == CLI_SET) return add_setting(out, value);
    *(const char **)((char *)out + o->offset) = value;
    return -1;
}

int cli_arguments_read(const cli_command *c, int argc, char **argv, cli_arguments *out) {
    bool plain = false;
    out->command = c->name;
    out->files = argv;
    for (int i = 0; i < argc; i++) {
        if (plain || argv[i][0] != '-' || !argv[i][1]) {
            argv[out->file_count++] = argv[i]; /* never beyond what has been read */
        } else if (!strcmp(argv[i], "--")) {
            plain = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            print_help(c);
            return CLI_FINE;
        } else if (!strcmp(argv[i], "--version")) {
            printf("jounce %s\n", jn_version());
            return CLI_FINE;
        } else {
            int status = read_option(c, argc, argv, &i, out);
            if (status >= 0) return status;
        }
    }
    if (out->file_count < c->least) return cli_complain(usage(c), "jounce %s needs a file", c->name);
    if (c->most >= 0 && out->file_count > c->most)
        return cli_complain(usage(c), "jounce %s does not know what to do with '%s'", c->name, out->files[c->most]);
    const jn_setting more[] = {{"import.lenient", out->lenient ? "true" : NULL},
                               {"import.repair", out->repair ? "true" : NULL},
                               {"import.base", out->base},
                               {"import.floor", out->floor_height ? out->floor_height
                                                : out->floor      ? "true"
                                                                  : NULL},
                               {"import.packages", out->packages},
                               {"import.keyframe", out->keyframe},
                               {"run.method", out->method}}; /* last: jounce compare takes it away again */
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        if (!more[i].value) continue;
        if (out->setting_count == CLI_MAX_SETTINGS) return cli_complain("put them into a model file", "too many --set");
        out->settings[out->setting_count++] = more[i];
    }
    return -1;
}

int cli_threads(const cli_arguments *a, int *threads) {
    char *end;
    if (!a->threads) return -1;
    *threads = (int)strtol(a->threads, &end, 10);
    if (*end || *threads < 1 || *threads > 4096)
        return cli_complain("write --threads 4", "'%s' is no number of threads", a->threads);
    return -1;
}

double cli_duration(const char *text) {
    char *end;
    double value = strtod(text, &end);
    while (*end == ' ') end++;
    double unit = !*end || !strcmp(end, "s") ? 1 : !strcmp(end, "min") ? 60 : !strcmp(end, "h") ? 3600 : -1;
    return end == text || !(value > 0) || unit < 0 ? -1 : value * unit;
}
