/* jounce study: many runs, one table. */
#include "base/memory.h"
#include "cli.h"
#include "server/study_folder.h"
#include "study/study_pages.h"
#include "study/study_ranks.h"
#include "workflow/folder.h"
#include "workflow/study/ranks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The bar and the time left count the rows of this call. */
typedef struct study_progress {
    cli_progress bar;
    long first; /* rows that a journal had; -1: not known yet */
} study_progress;

static bool step(void *context, long done, long rows, double wall) {
    study_progress *p = context;
    char text[64];
    (void)wall;
    if (p->first < 0) p->first = done > 0 ? done - 1 : 0;
    snprintf(text, sizeof text, "%ld of %ld runs", done, rows);
    return cli_progress_count(&p->bar, rows > p->first ? (double)(done - p->first) / (double)(rows - p->first) : 1,
                              text);
}

static void duration(double s, char *text, size_t size) {
    if (s < 1e-3)
        snprintf(text, size, "%.3g us", s * 1e6);
    else if (s < 1)
        snprintf(text, size, "%.3g ms", s * 1e3);
    else if (s < 120)
        snprintf(text, size, "%.3g s", s);
    else if (s < 7200)
        snprintf(text, size, "%.3g min", s / 60);
    else
        snprintf(text, size, "%.3g h", s / 3600);
}

static void print_head(const jn_study *s, int threads, const jn_transport *ranks) {
    printf("%s%s%s\n", cli_paint(stdout, CLI_BOLD), jn_study_title(s), cli_paint(stdout, CLI_PLAIN));
    bool searches = s->kind->key && (!strcmp(s->kind->key, "identify") || !strcmp(s->kind->key, "optimise"));
    printf("  study     %s%ld run%s of %s; %d parameter%s, %d measure%s; ",
           searches ? "a search that starts with " : "", s->rows, s->rows == 1 ? "" : "s", s->model_path, s->varies,
           s->varies == 1 ? "" : "s", s->measures, s->measures == 1 ? "" : "s");
    if (ranks) printf("%d rank%s of ", ranks->size, ranks->size == 1 ? "" : "s");
    printf("%d thread%s\n", threads, threads == 1 ? "" : "s");
    fflush(stdout);
}

/* Two runs of the study, the first and the middle one, show how long all will take. */
static int dry_run(jn_study *s, int threads) {
    jn_study_worker *w = jn_malloc(sizeof *w);
    long tried[2] = {0, s->rows / 2};
    double wall = 0, bytes = 0;
    char text[32], each[32];
    if (!w || !jn_study_worker_create(w, s)) return cli_complain("", "out of memory");
    for (int k = 0; k < 2; k++) {
        jn_row_bytes packed = {0};
        jn_study_row_run(w, tried[k], NULL, w->row);
        if (w->row->state == JN_ROW_FAILED) printf("  run %ld failed: %s\n", tried[k], w->row->message);
        wall += 0.5 * w->row->wall;
        size_t blocks = jn_row_pack(s, tried[k], w->row, &packed) ? (packed.length + 207) / 208 : 0;
        bytes += 0.5 * 256 * (double)blocks;
        jn_free(packed.bytes);
    }
    duration(wall, each, sizeof each);
    duration(wall * (double)s->rows / threads, text, sizeof text);
    printf("  each run takes %s; all of them about %s on %d thread%s\n", each, text, threads, threads == 1 ? "" : "s");
    printf("  the journal will have about %.3g MB\n", bytes * (double)s->rows / 1e6);
    jn_study_worker_free(w);
    jn_free(w);
    return CLI_FINE;
}

static int perform(jn_study *s, const cli_arguments *a, const char *folder, int threads, jn_transport *ranks) {
    study_progress progress = {.first = -1};
    jn_report report = {0};
    char each[32], all[32];
    double start = now(), wall = 0;
    long count[4] = {0};
    cli_interrupt_catch();
    cli_progress_start(&progress.bar, "study", a->quiet);
    jn_study_options options = {
        .folder = folder, .threads = threads, .resume = a->resume, .progress = step, .context = &progress};
    if (!ranks || ranks->rank == 0) {
        int made = jn_folder_make(folder, &report);
        if (made >= 0) cli_study_folder_note(folder, a->files[0], a->settings, a->setting_count);
    }
    int status = ranks ? jn_study_perform_ranks(s, &options, ranks, &report) : jn_study_perform(s, &options, &report);
    if (ranks && ranks->rank > 0) return status < 0 ? CLI_FAILED : CLI_FINE;
    cli_progress_end(&progress.bar);
    cli_report_print(&report, a->quiet);
    if (status < 0) return status == JN_ERR_IO ? CLI_BAD_INPUT : CLI_FAILED;
    for (long r = 0; r < s->rows; r++) count[s->row[r].state]++, wall += s->row[r].wall;
    if (!a->quiet) {
        long done = s->rows - count[JN_ROW_OPEN];
        duration(now() - start, all, sizeof all);
        duration(done ? wall / (double)done : 0, each, sizeof each);
        printf("  done      %ld of %ld runs in %s, %s each: %ld good, %ld bad, %ld failed\n", done, s->rows, all, each,
               count[JN_ROW_GOOD], count[JN_ROW_BAD], count[JN_ROW_FAILED]);
        study_summary_print(stdout, s);
    }
    if (status == JN_STOPPED) {
        if (!a->quiet) printf("stopped   jounce study %s -o %s --resume goes on\n", a->files[0], folder);
        return CLI_FAILED;
    }
    int drawn = study_pages_write(s, folder, a->quiet);
    if (!a->quiet)
        printf("made      %s/study.csv, study.h5, report.html; jounce view %s shows points and their runs\n", folder,
               folder);
    return count[JN_ROW_FAILED] == s->rows ? CLI_FAILED : drawn;
}

/* On one machine, or as one of several ranks, which have one thread each unless --threads says otherwise. Rank 0 speaks. */
static int run_study(cli_arguments *a, int threads, jn_transport *ranks) {
    jn_report report = {0};
    char folder[4096], stem[256];
    cli_stem(a->files[0], stem, sizeof stem);
    snprintf(folder, sizeof folder, "%s%s", a->out ? a->out : "out/", a->out ? "" : stem);
    if (ranks && ranks->rank > 0) a->quiet = true;
    jn_study *s = jn_study_open(a->files[0], a->settings, a->setting_count, &report);
    if (!ranks || ranks->rank == 0) cli_report_print(&report, a->quiet);
    if (s && (!ranks || ranks->rank == 0) && !study_pages_check(s, a->quiet)) jn_study_free(s), s = NULL;
    if (!s) {
        if (ranks) jn_study_ranks_fail(ranks);
        return CLI_BAD_INPUT;
    }
    threads = ranks && threads < 1 ? 1 : jn_study_threads(&(jn_study_options){.threads = threads});
    if (!a->quiet) print_head(s, threads, ranks);
    int status;
    if (a->dry_run)
        status = ranks && ranks->rank > 0 ? CLI_FINE : dry_run(s, threads * (ranks ? ranks->size : 1));
    else
        status = perform(s, a, folder, threads, ranks);
    jn_study_free(s);
    return status;
}

int cli_study(cli_arguments *a) {
    int threads = 0, status = cli_threads(a, &threads);
    if (status >= 0) return status;
    jn_transport *ranks = NULL;
    if (study_ranks_expected() > 1 && !(ranks = study_ranks_start())) return CLI_FAILED;
    status = run_study(a, threads, ranks);
    if (ranks) study_ranks_stop(ranks);
    return status;
}
