/* jounce solve: contact problems from files, by one solver or by all. */
#include "base/memory.h"
#include "base/parse_number.h"
#include "base/suggest.h"
#include "cli.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct job {
    const cli_arguments *arguments;
    const jn_solver_info *solver; /* NULL: automatic */
    jn_solve_settings settings;
    char **paths;
    int count;
    bool bad_input, failed;
} job;

/* One solve with its time. */
typedef struct outcome {
    jn_solve_result result;
    int status;
    double seconds; /* best of several if it is short */
    double *p;
} outcome;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ------------------------------------------------------------------------------------------------------ arguments */

static bool read_number(const char *text, double least, double most, const char *option, double *value) {
    if (!text) return true;
    if (jn_number_read(text, strlen(text), value) && *value >= least && *value <= most) return true;
    cli_complain("write --tolerance 1e-8, --iterations 1000", "%s %s is no number that fits", option, text);
    return false;
}

static bool read_settings(job *j) {
    const cli_arguments *a = j->arguments;
    double iterations = 0;
    j->settings = jn_solve_default();
    if (!read_number(a->tolerance, 0, 1, "--tolerance", &j->settings.tolerance)) return false;
    if (!read_number(a->iterations, 1, 1e9, "--iterations", &iterations)) return false;
    j->settings.iterations = (int)iterations;
    if (!a->solver || !strcmp(a->solver, "auto") || !strcmp(a->solver, "automatic")) return true;
    j->solver = jn_solver_find(a->solver);
    if (j->solver) return true;
    jn_suggest suggest = jn_suggest_for(a->solver);
    char hint[96] = "jounce solve --list names them";
    for (int k = 0; jn_solver_get(k); k++) jn_suggest_offer(&suggest, jn_solver_get(k)->name);
    if (suggest.best) snprintf(hint, sizeof hint, "write --solver %s", suggest.best);
    cli_complain(hint, "there is no solver '%s'", a->solver);
    return false;
}

static int list_solvers(void) {
    for (int k = 0; jn_solver_get(k); k++) {
        const jn_solver_info *s = jn_solver_get(k);
        printf("%s%-20s%s %s [%s]\n", cli_paint(stdout, CLI_BOLD), s->name, cli_paint(stdout, CLI_PLAIN), s->summary,
               s->source);
    }
    printf("%s%-20s%s the first that suits, then the next where one does not converge; islands apart\n",
           cli_paint(stdout, CLI_BOLD), "auto", cli_paint(stdout, CLI_PLAIN));
    return CLI_FINE;
}

static bool add_path(job *j, const char *path) {
    size_t size = strlen(path) + 1;
    char **more = jn_realloc(j->paths, ((size_t)j->count + 1) * sizeof *more), *copy = jn_malloc(size);
    if (more) j->paths = more;
    if (!more || !copy) {
        jn_free(copy);
        return false;
    }
    memcpy(copy, path, size);
    j->paths[j->count++] = copy;
    return true;
}

/* Files as given; of a folder those that end in .hdf5 or .h5, in alphabetical order. */
static void collect(job *j, const char *path) {
    struct stat info;
    struct dirent **entries = NULL;
    if (stat(path, &info) || !S_ISDIR(info.st_mode)) {
        j->bad_input |= !add_path(j, path);
        return;
    }
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        const char *dot = strrchr(entries[i]->d_name, '.');
        bool fits = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name) < (int)sizeof inner;
        if (fits && dot && (!strcmp(dot, ".hdf5") || !strcmp(dot, ".h5"))) j->bad_input |= !add_path(j, inner);
        free(entries[i]);
    }
    free(entries);
}

/* ---------------------------------------------------------------------------------------------------------- solve */

/* Solves from zero; short solves are repeated for a fair time. */
static bool solve_once(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                       outcome *out) {
    size_t n = (size_t)problem->contacts * (size_t)problem->dimension, size = jn_solve_scratch(problem, solver);
    char *block = jn_malloc(size + 64);
    *out = (outcome){.status = JN_ERR_MEMORY, .seconds = INFINITY, .p = jn_malloc(n * sizeof(double))};
    if (!block || !out->p) {
        jn_free(block);
        return false;
    }
    void *scratch = block + (64 - (size_t)block % 64) % 64;
    double start = now();
    for (int k = 0; k < 100 && (k == 0 || now() - start < 0.02); k++) {
        memset(out->p, 0, n * sizeof(double));
        double before = now();
        out->status = jn_solve(problem, solver, settings, scratch, out->p, &out->result);
        out->seconds = fmin(out->seconds, now() - before);
    }
    jn_free(block);
    return true;
}

static const char *outcome_word(const outcome *o) {
    if (o->status == JN_ERR_ARGUMENT) return "does not take it";
    return o->status < 0 ? jn_status_text(o->status) : o->result.converged ? "" : "not converged";
}

static void print_outcome(const outcome *o, const char *solver) {
    printf("  %-20s ", solver);
    if (o->status >= 0)
        printf("%7d iterations %11.4f ms   residual %8.2e  ", o->result.iterations, 1e3 * o->seconds,
               o->result.residual);
    if (o->status >= 0 && o->result.tried > 1) printf("(%d solvers tried, %s) ", o->result.tried, o->result.solver);
    printf("%s%s%s\n", cli_paint(stdout, CLI_RED), outcome_word(o), cli_paint(stdout, CLI_PLAIN));
}

static void save(job *j, const jn_fclib *file, const double *p) {
    jn_report report = {0};
    jn_fclib copy = *file;
    copy.solution = p;
    if (jn_fclib_write(j->arguments->save, &copy, &report)) j->bad_input = true;
    cli_report_print(&report, false);
}

static int count_islands(const jn_problem *problem) {
    int *work = jn_malloc(((size_t)problem->contacts * 2 + (size_t)problem->velocities) * sizeof *work);
    int count = work ? jn_problem_islands(problem, work, work + problem->contacts + problem->velocities) : 0;
    jn_free(work);
    return count;
}

static jn_fclib *open_file(job *j, const char *path) {
    jn_report report = {0};
    jn_fclib *file = NULL;
    if (jn_fclib_read(path, &report, &file)) j->bad_input = true;
    cli_report_print(&report, false);
    return file;
}

/* What it takes to eliminate the velocities of the global form, which the solve does not count. */
static void print_form(const jn_fclib *file) {
    jn_problem_data *data = NULL;
    if (!file->global) {
        printf("local form\n");
        return;
    }
    double start = now();
    int status = jn_global_reduce(file->global, &data);
    double seconds = now() - start;
    jn_problem_data_free(data);
    if (status)
        printf("global form\n");
    else
        printf("global form, %d velocities eliminated in %.4f ms\n", file->problem->velocities, 1e3 * seconds);
}

static void solve_file(job *j, const char *path) {
    jn_fclib *file = open_file(j, path);
    if (!file) return;
    const jn_problem *problem = file->problem;
    char stem[96];
    cli_stem(path, stem, sizeof stem);
    printf("%s%s%s  %s\n  %d contacts in %d dimensions, %d islands, ", cli_paint(stdout, CLI_BOLD), stem,
           cli_paint(stdout, CLI_PLAIN), file->title, problem->contacts, problem->dimension, count_islands(problem));
    print_form(file);
    outcome o;
    if (solve_once(problem, j->solver, &j->settings, &o)) {
        print_outcome(&o, j->solver ? j->solver->name : "auto");
        if (j->arguments->save && o.status >= 0) save(j, file, o.p);
    }
    j->failed |= o.status != JN_OK;
    jn_free(o.p);
    jn_fclib_free(file);
}

/* ---------------------------------------------------------------------------------------------------------- table */

static void print_cell(job *j, const jn_problem *problem, const jn_solver_info *solver) {
    outcome o;
    if (!solve_once(problem, solver, &j->settings, &o))
        printf(" %14s", "no memory");
    else if (o.status < 0)
        printf(" %14s", "-");
    else if (!o.result.converged)
        printf(" %s%14s%s", cli_paint(stdout, CLI_RED), "no", cli_paint(stdout, CLI_PLAIN));
    else
        printf(" %14.4f", 1e3 * o.seconds);
    if (!solver) j->failed |= o.status != JN_OK;
    jn_free(o.p);
    fflush(stdout);
}

/* Solver x problem: milliseconds, or that it did not converge. */
static void solve_table(job *j) {
    printf("%s%-48s %8s %14s", cli_paint(stdout, CLI_BOLD), "milliseconds to the tolerance", "contacts", "auto");
    for (int k = 0; jn_solver_get(k); k++) printf(" %14.14s", jn_solver_get(k)->name);
    printf("%s\n", cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < j->count && !cli_interrupted(); i++) {
        jn_fclib *file = open_file(j, j->paths[i]);
        char stem[96];
        if (!file) continue;
        cli_stem(j->paths[i], stem, sizeof stem);
        printf("%-48s %8d", stem, file->problem->contacts);
        print_cell(j, file->problem, NULL);
        for (int k = 0; jn_solver_get(k) && !cli_interrupted(); k++) print_cell(j, file->problem, jn_solver_get(k));
        printf("\n");
        jn_fclib_free(file);
    }
}

int cli_solve(cli_arguments *arguments) {
    job j = {.arguments = arguments};
    if (arguments->list) return list_solvers();
    if (!arguments->file_count) return cli_complain("jounce solve problem.hdf5", "jounce solve needs a file");
    if (!read_settings(&j)) return CLI_BAD_INPUT;
    cli_interrupt_catch();
    for (int i = 0; i < arguments->file_count; i++) collect(&j, arguments->files[i]);
    if (arguments->save && j.count != 1) {
        j.bad_input = true;
        cli_complain("give one file", "--save keeps one problem, not %d", j.count);
    } else if (arguments->all) {
        solve_table(&j);
    } else {
        for (int i = 0; i < j.count && !cli_interrupted(); i++) solve_file(&j, j.paths[i]);
    }
    if (!j.count && !j.bad_input)
        j.bad_input = cli_complain("give a file or a folder with *.hdf5", "there is nothing to solve here");
    for (int i = 0; i < j.count; i++) jn_free(j.paths[i]);
    jn_free(j.paths);
    return j.bad_input ? CLI_BAD_INPUT : j.failed || cli_interrupted() ? CLI_FAILED : CLI_FINE;
}
