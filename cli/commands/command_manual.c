/* jounce manual: the manual page, made from the table of commands and their help texts. */
#include "cli.h"
#include <string.h>

enum { WIDTH = 78 }; /* of the source: roff fills its lines anew */

static int put_word(const char *word, size_t length) {
    int written = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '\\' || word[i] == '-') putchar('\\'), written++;
        putchar(word[i] == '\\' ? 'e' : word[i]);
        written++;
    }
    return written;
}

/* Text for roff: no line starts with a control character, backslashes and hyphens stand for themselves, lines end between words. */
static void put(const char *text) {
    int column = 0;
    while (*text) {
        size_t gap = strspn(text, " "), length = strcspn(text + gap, " ");
        bool wrap = gap && length && column + (int)(gap + 2 * length) > WIDTH;
        if (wrap) putchar('\n'), column = 0;
        for (size_t i = 0; !wrap && i < gap; i++) putchar(' '), column++;
        text += gap;
        if (column == 0 && (*text == '.' || *text == '\'')) column += (fputs("\\&", stdout), 2);
        column += put_word(text, length);
        text += length;
    }
}

static void put_line(const char *text) {
    put(text);
    putchar('\n');
}

/* "-o, --out DIR" in bold and italics. */
static void put_term(const cli_help_item *item) {
    char flag[48], value[48];
    int count = 0;
    fputs(".TP\n", stdout);
    for (const char *term = item->term; cli_term_next(&term, flag, value); count++) {
        const cli_option *o = cli_options();
        while (o->name && strcmp(o->name, flag) && !(o->brief && !strcmp(o->brief, flag))) o++;
        if (count) fputs(", ", stdout);
        if (flag[0]) fputs("\\fB", stdout), put(o->brief ? o->brief : flag);
        if (o->brief) fputs("\\fR, \\fB", stdout), put(o->name);
        if (flag[0]) fputs(value[0] ? "\\fR " : "\\fR", stdout);
        if (value[0]) fputs("\\fI", stdout), put(value), fputs("\\fR", stdout);
    }
    putchar('\n');
}

static void put_command(const cli_command *c) {
    cli_help_item item;
    printf(".SS ");
    put_line(c->name);
    fputs(".B jounce\n", stdout);
    put_line(c->usage);
    fputs(".PP\n", stdout);
    printf("%c", c->summary[0] >= 'a' && c->summary[0] <= 'z' ? c->summary[0] - 'a' + 'A' : c->summary[0]);
    put(c->summary + 1);
    fputs(".\n", stdout);
    for (const char *at = c->help; cli_help_next(&at, &item);) {
        if (item.term[0])
            put_term(&item);
        else
            fputs(".PP\n", stdout);
        put_line(item.text);
    }
}

int cli_manual(cli_arguments *arguments) {
    (void)arguments;
    printf(".TH JOUNCE 1 " JN_DATE " \"jounce %s\" \"User Commands\"\n", jn_version());
    puts(".SH NAME\njounce \\- multibody dynamics with contact and impact");
    puts(".SH SYNOPSIS\n.B jounce\n.I COMMAND\n.RI [ ARGUMENT ]...\n.br\n.B jounce \\-\\-help\n.br\n.B jounce\n.I "
         "COMMAND\n.B \\-\\-help\n.br\n.B jounce \\-\\-version");
    puts(".SH DESCRIPTION");
    puts("Jounce simulates multibody systems that come into contact and collide:\nrigid bodies, joints, closed loops, "
         "clearance joints, "
         "contact with friction,\nsprings, drivers and motors, written in a YAML file.\nEvery run audits itself.");
    puts(".PP\nResults go to the standard output, messages to the standard error, as\n"
         ".I file:line:column: error: text\nwith the line, a caret and a hint.\n"
         "An option is written as\n.B \\-\\-name value\nor\n.BR \\-\\-name=value .\n"
         "After\n.B \\-\\-\nall arguments are files.");
    puts(".SH COMMANDS");
    for (const cli_command *c = cli_commands; c->name; c++) put_command(c);
    puts(".SH EXIT STATUS\n.TP\n.B 0\nfine\n.TP\n.B 1\nan audit or an expectation failed, or the run was stopped\n"
         ".TP\n.B 2\nbad input");
    puts(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set and not empty: no colours. Without a terminal there are none "
         "either.");
    puts(".SH FILES\n.TP\n.I out/NAME/summary.json\nthe audit in numbers and words\n"
         ".TP\n.I out/NAME/series.csv\none row per recorded time, one column per channel\n"
         ".TP\n.I out/NAME/events.csv\nimpacts, separations, stick and slip\n"
         ".TP\n.I out/NAME/result.h5\nall of it in one HDF5 file, with the model");
    puts(".SH EXAMPLES\n.nf\njounce run pendulum.yaml\njounce run slider.yaml \\-o out/free \\-\\-set friction=0\n"
         "jounce check linkage.yaml\njounce verify models/\njounce laws hunt_crossley \\-\\-curve\n.fi");
    return CLI_FINE;
}
