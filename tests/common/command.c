/* The command in a folder of its own, with its output kept. */
#include "command.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const char command_door[] = "title: A door with two hinges\n"
                            "bodies:\n  door: {mass: 20, inertia: [3, 4, 1], com: [0.5, 0, 1]}\n"
                            "joints:\n  lower: {type: revolute, between: [ground, door], at: [0, 0, 0.2], axis: z}\n"
                            "  upper: {type: revolute, between: [ground, door], at: [0, 0, 1.8], axis: z}\n"
                            "run: {until: 0.1 s}\n";

char out[COMMAND_OUT], err[COMMAND_ERR];
char command_folder[] = "/tmp/jounce_test_XXXXXX";

int command_enter(void) { return mkdtemp(command_folder) && !chdir(command_folder) ? 0 : -1; }

int command_leave(void) {
    char line[64];
    snprintf(line, sizeof line, "rm -rf '%s'", command_folder);
    return chdir("/") || system(line) ? -1 : 0;
}

int command_setup(void **state) {
    (void)state;
    return command_enter();
}

int command_teardown(void **state) {
    (void)state;
    return command_leave();
}

int jounce(const char *arguments) {
    char line[1024];
    snprintf(line, sizeof line, "'%s' %s >stdout.txt 2>stderr.txt", JN_CLI, arguments);
    int status = system(line);
    assert_true(WIFEXITED(status));
    load("stdout.txt", out, sizeof out);
    load("stderr.txt", err, sizeof err);
    return WEXITSTATUS(status);
}

void save(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

size_t load(const char *name, char *buffer, size_t size) {
    FILE *file = fopen(name, "rb");
    if (!file) fail_msg("there is no %s", name);
    size_t n = fread(buffer, 1, size - 1, file);
    buffer[n] = 0;
    fclose(file);
    return n;
}

void has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("no '%s' in:\n%.4000s", part, text);
}

void said(const char *part) {
    if (!strstr(out, part)) has(err, part);
}

int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + strlen(part), part)) count++;
    return count;
}
