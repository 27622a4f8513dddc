/* jounce check --all: every robot's file of a folder, in one table. */
#include <jounce/workflow.h>

#include "commands/check_folder.h"

#include "base/memory.h"
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 20, MOST_FILES = 20000, BEGINNING = 4096, ROW = 4096, OWN = 3 /* settings of a check */ };
static const double usual_limit = 120; /* [s] processor time of one robot */

typedef struct list {
    char **path;
    int count;
} list;

/* How a file ended; the exit status of the process that looked at it. */
typedef enum outcome { GOOD, BAD, UNFINISHED, INCOMPLETE, REFUSED, LOST, OUTCOMES } outcome;

/* Processor time of this process [s]. */
static double spent(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether a text of USD says of a body itself that it is one; parts that others refer to do not count for themselves. */
static bool is_stage(const char *path) {
    FILE *file = fopen(path, "rb");
    char line[BEGINNING];
    bool text = file && fgets(line, sizeof line, file) && !strncmp(line, "#usda", 5), body = false, scene = false;
    while (text && fgets(line, sizeof line, file)) {
        body = body || strstr(line, "PhysicsRigidBodyAPI");
        scene = scene || strstr(line, "references = ") || strstr(line, "payload = ") || strstr(line, "subLayers = ");
    }
    if (file) fclose(file);
    return body || scene;
}

/* Puts blanks in the place of comments; *within: whether the line begins, and ends, in one. */
static void blank_comments(char *line, bool *within) {
    for (char *from = *within ? line : strstr(line, "<!--"); from; from = strstr(from, "<!--")) {
        char *close = strstr(from, "-->"), *end = close ? close + 3 : from + strlen(from);
        *within = !close;
        memset(from, ' ', (size_t)(end - from));
    }
}

/* Whether a tag of xacro is one of its own words, and calls no macro. */
static bool is_word(const char *tag) {
    static const char *const words[] = {"macro", "property", "arg", "include", "if", "unless", "insert_block"};
    size_t n = strcspn(tag, " \t\r\n/>");
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strlen(words[k]) == n && !strncmp(tag, words[k], n)) return true;
    return false;
}

/* Whether a template of xacro makes a robot: it has links, or calls macros, outside of those that it defines. */
static bool is_called(FILE *file) {
    static const char own[] = "<xacro:";
    char line[BEGINNING];
    bool macro = false, comment = false, called = false;
    while (!called && fgets(line, sizeof line, file)) {
        blank_comments(line, &comment);
        const char *tag = strstr(line, own);
        if (strstr(line, "<xacro:macro")) macro = true;
        called = !macro && ((tag && !is_word(tag + sizeof own - 1)) || strstr(line, "<link "));
        if (strstr(line, "</xacro:macro>")) macro = false;
    }
    return called;
}

/* Whether a file is a robot's: by its first tags, and of MJCF and xacro only those that are more than a part to be included. */
static bool is_robot(const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot && (!strcmp(dot, ".usda") || !strcmp(dot, ".usd"))) return is_stage(path);
    static const char *const endings[] = {".urdf", ".xml", ".mjcf", ".sdf", ".world", ".xacro"};
    bool known = false;
    for (size_t k = 0; dot && k < sizeof endings / sizeof endings[0]; k++) known |= !strcmp(dot, endings[k]);
    if (!known) return false;
    FILE *file = fopen(path, "rb");
    char text[BEGINNING + 1], line[BEGINNING];
    if (!file) return false;
    text[fread(text, 1, BEGINNING, file)] = 0;
    bool urdf = strstr(text, "<robot") || strstr(text, "<sdf"),
         mjcf = strstr(text, "<mujoco>") || strstr(text, "<mujoco ");
    bool whole = false;
    if (strstr(text, "//YARP//DTD")) urdf = false; /* lists of devices, which begin with <robot>, too */
    rewind(file);
    if (urdf && !strcmp(dot, ".xacro")) urdf = !strstr(path, ".srdf") && is_called(file); /* SRDF: of MoveIt, without links */
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
    return spent() < *(const double *)context;
}

/* First line of a text, as a cell of a table. */
static void print_cell(FILE *out, const char *text, int most) {
    for (int i = 0; text[i] && text[i] != '\n' && i < most; i++) fputc(text[i] == '|' ? '/' : text[i], out);
}

static const jn_error *first_error(const jn_report *report) {
    static const jn_error none = {.status = JN_ERR_MEMORY, .text = "no memory"};
    for (int i = 0; i < report->count; i++)
        if (report->item[i].severity == JN_SEVERITY_ERROR) return &report->item[i];
    return &none;
}

static outcome refuse(FILE *out, const jn_report *report, int remarks) {
    const jn_error *e = first_error(report);
    fprintf(out, "no | %d | ", remarks);
    print_cell(out, e->text, 160);
    fprintf(out, " | | |\n");
    return e->status == JN_ERR_IO ? INCOMPLETE : REFUSED;
}

/* Runs a model that has been read; the cells after "loads". */
static outcome run_model(FILE *out, const jn_model *model, jn_report *report, int remarks, double limit) {
    jn_result *r = jn_run(model, NULL, in_time, &limit, report);
    if (!r) return refuse(out, report, remarks);
    outcome ended = r->status == JN_STOPPED ? UNFINISHED : jn_result_ok(r) ? GOOD : BAD;
    fprintf(out, "yes | %d | ", remarks);
    if (ended == UNFINISHED)
        fprintf(out, "not finished after %g s of processor time, at t = %.3g s", limit, r->time);
    else
        fprintf(out, "%s: ", ended == GOOD ? "good" : "BAD"), print_cell(out, r->audit.verdict, 160);
    fprintf(out, " | %.2f | %.2f |\n", r->wall_time, spent());
    jn_result_free(r);
    return ended;
}

/* Reads and runs one file; writes the cells behind its name. */
static outcome check_file(FILE *out, const char *path, const cli_arguments *arguments, double limit) {
    /* nobody reads a series here: start and end are enough */
    jn_setting settings[CLI_MAX_SETTINGS + OWN] = {{"import.floor", "true"}, {"run.until", "3"}, {"record.every", "3"}};
    jn_report report = {0};
    memcpy(settings + OWN, arguments->settings, (size_t)arguments->setting_count * sizeof *settings);
    jn_description *d = jn_description_read(path, settings, arguments->setting_count + OWN, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    outcome ended = model ? run_model(out, model, &report, report.count, limit) : refuse(out, &report, report.count);
    jn_model_free(model);
    jn_description_free(d);
    return ended;
}

/* A file is looked at by a process of its own: one that crashes or does not come back is a row like any other. */
static outcome check_apart(const char *path, const char *name, const cli_arguments *arguments, double limit) {
    char row[ROW] = "";
    size_t length = 0;
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends) != 0) return REFUSED;
    pid_t child = fork();
    if (child == 0) {
        FILE *out = fdopen(ends[1], "w");
        const rlim_t most = (rlim_t)fmin(2 * limit, 1e9) + 1;
        setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 1}); /* kills what hangs outside of steps */
        outcome ended = out ? check_file(out, path, arguments, limit) : REFUSED;
        if (out) fclose(out);
        _exit(ended);
    }
    close(ends[1]);
    for (ssize_t n; child > 0 && (n = read(ends[0], row + length, sizeof row - 1 - length)) > 0;) length += (size_t)n;
    close(ends[0]);
    row[length] = 0;
    printf("| %s | ", name);
    bool done = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    if (done)
        fputs(row, stdout);
    else if (child > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        printf("no | | HANGS: not back after %g s of processor time | | |\n", 2 * limit);
    else
        printf("no | | CRASHES: signal %d | | |\n", child > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return done ? (outcome)WEXITSTATUS(status) : LOST;
}

int cli_check_folder(const char *folder, const cli_arguments *arguments) {
    list l = {0};
    int ended[OUTCOMES] = {0};
    double limit = arguments->limit ? cli_duration(arguments->limit) : usual_limit;
    if (limit < 0) return cli_complain("write --limit 60s", "'%s' is no duration", arguments->limit);
    if (!collect(folder, 0, &l))
        return cli_complain("give a folder", "the folder '%.200s' cannot be read", folder), CLI_BAD_INPUT;
    printf("| file | loads | remarks | after 3 s on the floor | wall time [s] | processor time [s] |\n"
           "|---|---|---|---|---|---|\n");
    for (int i = 0; i < l.count; i++) {
        ended[check_apart(l.path[i], l.path[i] + strlen(folder) + 1, arguments, limit)]++;
        jn_free(l.path[i]);
    }
    jn_free(l.path);
    int loaded = ended[GOOD] + ended[BAD] + ended[UNFINISHED];
    printf("\n%d files: %d load, %d of them end with a good audit", l.count, loaded, ended[GOOD]);
    if (ended[BAD]) printf(", %d with a bad one", ended[BAD]);
    if (ended[UNFINISHED]) printf(", %d not within the limit", ended[UNFINISHED]);
    printf("; %d refused", ended[REFUSED]);
    if (ended[INCOMPLETE]) printf(", %d more since files that they name are not there", ended[INCOMPLETE]);
    if (ended[LOST]) printf(", %d CRASH OR HANG", ended[LOST]);
    putchar('\n');
    return ended[GOOD] == loaded && !ended[LOST] ? CLI_FINE : CLI_FAILED;
}
