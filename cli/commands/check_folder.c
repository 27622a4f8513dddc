/* jounce check --all: every robot's file of a folder, in one table. */
#include <jounce/workflow.h>

#include "commands/check_folder.h"

#include "base/memory.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { DEEPEST = 20, MOST_FILES = 20000, BEGINNING = 4096 };
static const double longest = 120; /* [s] wall time of one run */

typedef struct list {
    char **path;
    int count;
} list;

typedef struct tally {
    int files, loaded, good;
} tally;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether a file is a robot's: by its first tags, and of MJCF only those that are more than a part to be included. */
static bool is_robot(const char *path) {
    const char *dot = strrchr(path, '.');
    if (!dot || (strcmp(dot, ".urdf") && strcmp(dot, ".xml") && strcmp(dot, ".mjcf") && strcmp(dot, ".sdf")))
        return false;
    FILE *file = fopen(path, "rb");
    char text[BEGINNING + 1], line[BEGINNING];
    if (!file) return false;
    text[fread(text, 1, BEGINNING, file)] = 0;
    bool urdf = strstr(text, "<robot") || strstr(text, "<sdf"),
         mjcf = strstr(text, "<mujoco>") || strstr(text, "<mujoco ");
    bool whole = false;
    rewind(file);
    while (mjcf && !whole && fgets(line, sizeof line, file))
        whole = strstr(line, "<worldbody") || strstr(line, "<include");
    fclose(file);
    return urdf || whole;
}

static bool add(list *l, const char *path) {
    char **wide = jn_realloc(l->path, ((size_t)l->count + 1) * sizeof *wide);
    if (wide) l->path = wide;
    size_t size = strlen(path) + 1;
    char *copy = wide ? jn_malloc(size) : NULL;
    if (!copy) return false;
    memcpy(copy, path, size);
    l->path[l->count++] = copy;
    return true;
}

/* Files below a folder, in the order of their names. */
static bool collect(const char *folder, int depth, list *l) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    bool fine = count >= 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat info;
        const char *name = entries[i]->d_name;
        int n = snprintf(path, sizeof path, "%s/%s", folder, name);
        bool there = fine && name[0] != '.' && n < (int)sizeof path && stat(path, &info) == 0;
        if (there && S_ISDIR(info.st_mode) && depth < DEEPEST)
            fine = collect(path, depth + 1, l);
        else if (there && S_ISREG(info.st_mode) && l->count < MOST_FILES && is_robot(path))
            fine = add(l, path);
        free(entries[i]);
    }
    free(entries);
    return fine;
}

static bool in_time(void *context, double time, double fraction) {
    (void)time, (void)fraction;
    return now() < *(const double *)context;
}

/* First line of a text, as a cell of a table. */
static void print_cell(const char *text, int most) {
    for (int i = 0; text[i] && text[i] != '\n' && i < most; i++) putchar(text[i] == '|' ? '/' : text[i]);
}

static const char *first_error(const jn_report *report) {
    for (int i = 0; i < report->count; i++)
        if (report->item[i].severity == JN_SEVERITY_ERROR) return report->item[i].text;
    return "no memory";
}

/* Runs a model that has been read; the cells after "loads". */
static void run_model(const jn_model *model, jn_report *report, int remarks, tally *t) {
    double end = now() + longest;
    jn_result *r = jn_run(model, NULL, in_time, &end, report);
    if (!r) {
        printf("no | %d | ", remarks);
        print_cell(first_error(report), 160);
        printf(" | |\n");
        return;
    }
    t->loaded++, t->good += jn_result_ok(r);
    printf("yes | %d | ", remarks);
    if (r->status == JN_STOPPED)
        printf("not finished after %g s of wall time, at t = %.3g s", longest, r->time);
    else
        printf("%s: ", jn_result_ok(r) ? "good" : "BAD"), print_cell(r->audit.verdict, 160);
    printf(" | %.2f |\n", r->wall_time);
    jn_result_free(r);
}

static void check_file(const char *path, const char *name, const cli_arguments *arguments, tally *t) {
    jn_setting settings[CLI_MAX_SETTINGS + 2] = {{"import.floor", "true"}, {"run.until", "3"}};
    jn_report report = {0};
    memcpy(settings + 2, arguments->settings, (size_t)arguments->setting_count * sizeof *settings);
    jn_description *d = jn_description_read(path, settings, arguments->setting_count + 2, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    t->files++;
    printf("| %s | ", name);
    if (model) {
        run_model(model, &report, report.count, t);
    } else {
        printf("no | %d | ", report.count);
        print_cell(first_error(&report), 160);
        printf(" | |\n");
    }
    fflush(stdout);
    jn_model_free(model);
    jn_description_free(d);
}

int cli_check_folder(const char *folder, const cli_arguments *arguments) {
    list l = {0};
    tally t = {0};
    if (!collect(folder, 0, &l))
        return cli_complain("give a folder", "the folder '%.200s' cannot be read", folder), CLI_BAD_INPUT;
    printf("| file | loads | remarks | after 3 s on the floor | wall time [s] |\n|---|---|---|---|---|\n");
    for (int i = 0; i < l.count; i++) {
        check_file(l.path[i], l.path[i] + strlen(folder) + 1, arguments, &t);
        jn_free(l.path[i]);
    }
    jn_free(l.path);
    printf("\n%d files: %d load, %d of them end with a good audit; %d refused\n", t.files, t.loaded, t.good,
           t.files - t.loaded);
    return t.good == t.loaded ? CLI_FINE : CLI_FAILED;
}
