/* The help texts of the commands, read entry by entry: the manual page and the completion are made from them. */
#include "cli.h"
#include <string.h>

/* Adds the words of a line to the text, one blank between them. */
static void append(char *text, size_t size, const char *line, size_t length) {
    size_t used = strlen(text);
    while (length && line[0] == ' ') line++, length--;
    snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)length, line);
}

/* "-o DIR", "--set NAME=VALUE", "PATH": the option, if it is one, and what follows it. */
static void split_term(const char *term, size_t length, cli_help_item *out) {
    size_t flag = 0;
    while (term[0] == '-' && flag < length && term[flag] != ' ') flag++;
    snprintf(out->flag, sizeof out->flag, "%.*s", (int)flag, term);
    while (flag < length && term[flag] == ' ') flag++;
    snprintf(out->value, sizeof out->value, "%.*s", (int)(length - flag), term + flag);
}

static size_t blanks(const char *line) { return strspn(line, " "); }

bool cli_help_next(const char **help, cli_help_item *out) {
    const char *line = *help;
    while (*line == '\n') line++;
    *out = (cli_help_item){"", "", ""};
    if (!*line) return false;
    bool entry = blanks(line) == 2;
    if (entry) {
        const char *term = line + 2, *gap = strstr(term, "  ");
        size_t length = strcspn(term, "\n");
        if (gap && (size_t)(gap - term) < length) length = (size_t)(gap - term);
        split_term(term, length, out);
        line = term + length;
    }
    do {
        size_t length = strcspn(line, "\n");
        append(out->text, sizeof out->text, line, length);
        line += length + (line[length] == '\n');
    } while (*line && *line != '\n' && (entry ? blanks(line) > 2 : blanks(line) != 2));
    *help = line;
    return true;
}

bool cli_help_find(const cli_command *command, const cli_option *option, cli_help_item *out) {
    for (const char *at = command->help; cli_help_next(&at, out);)
        if (!strcmp(out->flag, option->name) || (option->brief && !strcmp(out->flag, option->brief))) return true;
    return false;
}
