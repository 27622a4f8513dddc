/* A folder for the files of one test program: made before its tests, removed after them. */
#ifndef JN_TESTS_TEMPORARY_FOLDER_H
#define JN_TESTS_TEMPORARY_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/jounce_test_XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char line[64];
    (void)state;
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line);
}

#endif
