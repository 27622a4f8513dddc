/* The help texts of the commands, read entry by entry: the manual page and the completion are made from them. */
#include "cli.h"
#include <string.h>

/* Adds the words of a line to the text, one blank between them. */
static void append(char *text, size_t size, const char *line, size_t length) {
    size_t used = strlen(text);
    while (length && line[0] == ' ') line++, length--;
    snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)length, line);
}

bool cli_term_next(const char **term, char flag[48], char value[48]) {
    const char *at = *term + strspn(*term, " ,");
    if (!*at) return false;
    size_t length = strcspn(at, ","), name = at[0] == '-' ? strcspn(at, " ,") : 0;
    size_t gap = name + strspn(at + name, " ");
    if (gap > length) gap = length;
    snprintf(flag, 48, "%.*s", (int)name, at);
    snprintf(value, 48, "%.*s", (int)(length - gap), at + gap);
    *term = at + length;
    return true;
}

static size_t blanks(const char *line) { return strspn(line, " "); }

bool cli_help_next(const char **help, cli_help_item *out) {
    const char *line = *help;
    while (*line == '\n') line++;
    *out = (cli_help_item){"", ""};
    if (!*line) return false;
    bool entry = blanks(line) == 2;
    if (entry) {
        const char *term = line + 2, *gap = strstr(term, "  ");
        size_t length = strcspn(term, "\n");
        if (gap && (size_t)(gap - term) < length) length = (size_t)(gap - term);
        snprintf(out->term, sizeof out->term, "%.*s", (int)length, term);
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

bool cli_help_find(const cli_command *command, const cli_option *option, cli_help_item *out, char value[48]) {
    char flag[48];
    for (const char *at = command->help; cli_help_next(&at, out);)
        for (const char *term = out->term; cli_term_next(&term, flag, value);)
            if (!strcmp(flag, option->name) || (option->brief && !strcmp(flag, option->brief))) return true;
    *out = (cli_help_item){"", ""};
    value[0] = 0;
    return false;
}
