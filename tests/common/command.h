/* The real command, run in a folder of its own that is removed at the end. */
#ifndef JN_TEST_COMMAND_H
#define JN_TEST_COMMAND_H

#include "check.h"
#include <string.h>

enum { COMMAND_OUT = 400000, COMMAND_ERR = 100000 };
extern char out[COMMAND_OUT], err[COMMAND_ERR]; /* what the last command printed */
extern char command_folder[];                   /* its path, after command_enter */

/* Makes the folder and goes there; removes it. 0, or -1: for set-up and tear-down. */
int command_enter(void);
int command_leave(void);
/* The same as a group's set-up and tear-down. */
int command_setup(void **state);
int command_teardown(void **state);

/* jounce ARGUMENTS; exit status. */
int jounce(const char *arguments);

void save(const char *name, const char *text);
/* The file with a zero behind it; how long it is. A file that is not there fails the test. */
size_t load(const char *name, char *buffer, size_t size);

/* Fails, with the text, if the part is not in it. */
void has(const char *text, const char *part);
/* The same with what the last command printed, messages or not. */
void said(const char *part);
int count_of(const char *text, const char *part);

/* A model that repeats five equations: a door on two hinges. */
extern const char command_door[];

#endif
