/* Colours, progress bar and Ctrl-C. */
#include "cli.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static bool is_terminal(FILE *stream) { return isatty(fileno(stream)) != 0; }

const char *cli_paint(FILE *stream, cli_style style) {
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m",  [CLI_BOLD] = "\033[1m",    [CLI_DIM] = "\033[2m",  [CLI_RED] = "\033[31m",
        [CLI_GREEN] = "\033[32m", [CLI_YELLOW] = "\033[33m", [CLI_BLUE] = "\033[34m"};
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no && *no) || (term && !strcmp(term, "dumb")) || !is_terminal(stream)) return "";
    return codes[style];
}

int cli_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

bool cli_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------- Ctrl-C */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

void cli_interrupt_catch(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART); /* the second one finds the default action */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit of its size is an error of the write */
}

bool cli_interrupted(void) { return interrupted != 0; }

/* ----------------------------------------------------------------------------------------------------- progress */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void cli_progress_start(cli_progress *p, const char *label, bool quiet) {
    *p = (cli_progress){.visible = !quiet && is_terminal(stderr), .start = now()};
    p->last = p->start;
    snprintf(p->label, sizeof p->label, "%.40s", label);
}

static void duration_text(double s, char *buffer, size_t size) {
    if (s < 100)
        snprintf(buffer, size, "%.0f s", s);
    else if (s < 6000)
        snprintf(buffer, size, "%.0f min", s / 60);
    else
        snprintf(buffer, size, "%.1f h", s / 3600);
}

static void draw(cli_progress *p, const char *text, double fraction, double elapsed) {
    char left[32] = "";
    bool utf8 = cli_utf8();
    int room = cli_width() - (int)strlen(p->label) - 44, cells = room > 30 ? 30 : room < 5 ? 5 : room;
    int full = (int)(fraction * cells + 0.5);
    if (fraction > 0.005) duration_text(elapsed * (1 - fraction) / fraction, left, sizeof left);
    fprintf(stderr, "\r\033[K  %s  %s", p->label, cli_paint(stderr, CLI_GREEN));
    for (int i = 0; i < cells; i++) {
        if (i == full) fputs(cli_paint(stderr, CLI_DIM), stderr);
        fputs(i < full ? (utf8 ? "\u2501" : "=") : utf8 ? "\u2500" : "-", stderr);
    }
    fprintf(stderr, "%s %3.0f %%  %s%s%s%s", cli_paint(stderr, CLI_PLAIN), 100 * fraction, text,
            *left ? "  " : "", left, *left ? " left" : "");
    fflush(stderr);
    p->drawn = true;
}

bool cli_progress_step(void *progress, double time, double fraction) {
    char text[32];
    snprintf(text, sizeof text, "t = %.4g s", time);
    return cli_progress_count(progress, fraction, text);
}

void cli_progress_write(void *progress, const char *file, double fraction) {
    cli_progress *p = progress;
    char text[64];
    double t = now();
    if (!p->visible) return;
    if (!p->writing || strcmp(p->writing, file)) p->writing = file, p->start = t; /* what is left is that of the file */
    if (t - p->last < 0.1 || (!p->drawn && t - p->start < 0.3)) return;
    p->last = t;
    snprintf(text, sizeof text, "writing %.40s", file);
    draw(p, text, fraction, t - p->start);
}

bool cli_progress_count(cli_progress *p, double fraction, const char *text) {
    if (interrupted) return false;
    if (!p->visible) return true;
    double t = now();
    if (t - p->last < 0.1 || t - p->start < 0.3) return true; /* a short run shows none */
    p->last = t;
    draw(p, text, fraction, t - p->start);
    return true;
}

void cli_progress_end(cli_progress *p) {
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = false;
}
