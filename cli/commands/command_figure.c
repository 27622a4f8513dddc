/* jounce plot: figures for papers. */
#include "base/memory.h"
#include "base/suggest.h"
#include "chart/chart.h"
#include "cli.h"
#include "server/result_folder.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_RUNS = 32, MOST_CURVES = 256, BUCKETS = 2000 };

typedef struct figure {
    cli_folder run[MOST_RUNS];
    int runs;
    const char *channel[MOST_CURVES]; /* names in the first run's list */
    int channels;
    chart_curve curve[MOST_CURVES];
    double *values[MOST_CURVES][2]; /* of the curves */
    char name[MOST_CURVES][320];
    int curves;
    char x_name[256], x_unit[64], y_name[256], y_unit[64]; /* "" where several differ */
} figure;

/* -------------------------------------------------------------------------------------------------------- input */

static bool is_folder(const char *path) {
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static int open_runs(figure *f, const cli_arguments *a) {
    jn_error error;
    for (int i = 0; i < a->file_count; i++) {
        bool named = cli_folder_fits("*.*", a->files[i]) && !strchr(a->files[i], '/');
        if (!is_folder(a->files[i]) && (i > 0 || named)) continue;
        if (f->runs == MOST_RUNS) return cli_complain("plot some of them", "too many folders");
        if (!cli_folder_open(&f->run[f->runs], a->files[i], &error)) {
            cli_message_print(&error);
            return CLI_BAD_INPUT;
        }
        f->runs++;
    }
    if (f->runs == 0) return cli_complain("jounce plot DIR CHANNEL... -o FIG.svg", "no folder of results is named");
    return -1;
}

static int unknown_channel(const figure *f, const char *name) {
    char hint[320];
    jn_suggest suggest = jn_suggest_for(name);
    for (int k = 0; k < f->run[0].channels; k++) jn_suggest_offer(&suggest, f->run[0].names[k]);
    if (suggest.best)
        snprintf(hint, sizeof hint, "write '%s'", suggest.best);
    else
        snprintf(hint, sizeof hint, "the head line of series.csv has the names; * stands for anything");
    return cli_complain(hint, "the result has no channel '%s'", name);
}

static int choose_channels(figure *f, const cli_arguments *a) {
    const cli_folder *run = &f->run[0];
    for (int i = 0; i < a->file_count; i++) {
        int before = f->channels;
        if (is_folder(a->files[i])) continue;
        if (!strcmp(a->files[i], "time")) f->channel[f->channels++] = "time";
        for (int k = 0; k < run->channels && f->channels < MOST_CURVES; k++)
            if (cli_folder_fits(a->files[i], run->names[k])) f->channel[f->channels++] = run->names[k];
        if (f->channels == before) return unknown_channel(f, a->files[i]);
    }
    if (f->channels == 0) return cli_complain("jounce plot DIR CHANNEL... -o FIG.svg", "no channel is named");
    if (a->xy && f->channels % 2)
        return cli_complain("jounce plot DIR --xy joint.pin.q joint.pin.u -o FIG.svg",
                            "--xy takes two channels for a curve, not %d", f->channels);
    if (f->channels * f->runs > MOST_CURVES) return cli_complain("name fewer channels", "too many curves");
    return -1;
}

static const char *unit_of(const cli_folder *run, int channel) { return channel < 0 ? "s" : run->units[channel]; }

/* Unit or name of an axis; "" from the second curve on that has another. */
static void merge(char *text, size_t size, const char *other, bool first) {
    if (first)
        snprintf(text, size, "%s", other);
    else if (strcmp(text, other))
        text[0] = 0;
}

/* Length of the name that both channels begin with, as point.A of point.A.x and point.A.y; all of the second if there is none. */
static int common_name(const char *x, const char *y) {
    const char *dot = strrchr(y, '.');
    int length = dot ? (int)(dot - y) : 0;
    return length && !strncmp(x, y, (size_t)length + 1) ? length : (int)strlen(y);
}

/* Name of the next curve: what tells it from the others. */
static void name_curve(figure *f, const cli_folder *run, const char *x, const char *y) {
    char *name = f->name[f->curves];
    const char *folder = strrchr(run->path, '/');
    int length = common_name(x, y);
    bool one_channel = f->channels == (strcmp(x, "time") ? 2 : 1);
    folder = folder ? folder + 1 : run->path;
    if (f->runs == 1)
        snprintf(name, sizeof f->name[0], "%.*s", length, y);
    else if (one_channel)
        snprintf(name, sizeof f->name[0], "%.300s", folder);
    else
        snprintf(name, sizeof f->name[0], "%.150s, %.*s", folder, length < 150 ? length : 150, y);
}

/* One curve of a run, channel k over the time or, with --xy, over the channel before it. */
static int read_curve(figure *f, const cli_arguments *a, int r, int k) {
    const cli_folder *run = &f->run[r];
    const char *y_name = f->channel[k], *x_name = a->xy ? f->channel[k - 1] : "time";
    int channel[2] = {cli_folder_find(run, x_name), cli_folder_find(run, y_name)};
    if (channel[0] == -1 || channel[1] == -1)
        return cli_complain("lay runs of the same model over each other", "%s has no channel '%s'", run->path,
                            channel[0] == -1 ? x_name : y_name);
    double from = a->from ? strtod(a->from, NULL) : run->from, to = a->to ? strtod(a->to, NULL) : run->to;
    cli_series s;
    if (!cli_series_read(run, channel, 2, from, to, a->xy ? 10 * BUCKETS : BUCKETS, a->xy, &s))
        return cli_complain("run the model again", "the results of %s cannot be read", run->path);
    double **values = f->values[f->curves];
    values[0] = a->xy ? s.value[0] : s.time, values[1] = s.value[1];
    jn_free(a->xy ? s.time : s.value[0]);
    jn_free(s.value);
    name_curve(f, run, x_name, y_name);
    f->curve[f->curves] = (chart_curve){values[0], values[1], (size_t)s.count, f->name[f->curves]};
    merge(f->x_name, sizeof f->x_name, x_name, f->curves == 0);
    merge(f->x_unit, sizeof f->x_unit, unit_of(run, channel[0]), f->curves == 0);
    merge(f->y_name, sizeof f->y_name, y_name, f->curves == 0);
    merge(f->y_unit, sizeof f->y_unit, unit_of(run, channel[1]), f->curves == 0);
    f->curves++;
    return -1;
}

static int read_curves(figure *f, const cli_arguments *a) {
    int status = -1;
    for (int r = 0; r < f->runs && status < 0; r++)
        for (int k = a->xy ? 1 : 0; k < f->channels && status < 0; k += a->xy ? 2 : 1) status = read_curve(f, a, r, k);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ command */

static int check_numbers(const cli_arguments *a, double *width, double *height) {
    const char *const times[] = {a->from, a->to};
    *width = 140, *height = 90;
    /* NOLINTNEXTLINE(cert-err34-c): numbers out of range are no sizes either */
    if (a->size && (sscanf(a->size, "%lfx%lf", width, height) != 2 || !(*width >= 30 && *width <= 2000) ||
                    !(*height >= 30 && *height <= 2000)))
        return cli_complain("write millimetres as --size 140x90, from 30 to 2000", "'%s' is no size", a->size);
    for (int i = 0; i < 2; i++) {
        char *end;
        if (!times[i]) continue;
        strtod(times[i], &end);
        if (end == times[i] || *end) return cli_complain("write a number of seconds", "'%s' is no time", times[i]);
    }
    return -1;
}

static int write_figure(figure *f, const cli_arguments *a) {
    double width, height;
    int status = check_numbers(a, &width, &height);
    if (status >= 0 || (status = open_runs(f, a)) >= 0 || (status = choose_channels(f, a)) >= 0 ||
        (status = read_curves(f, a)) >= 0)
        return status;
    canvas *c = canvas_open(a->out, width, height);
    if (!c) return cli_complain("end its name with .svg, .png or .pdf", "'%s' names no kind of picture", a->out);
    chart picture = {.title = a->title,
                     .x = {.name = f->x_name, .unit = f->x_unit, .label = a->xlabel, .tight = !a->xy},
                     .y = {.name = f->y_name, .unit = f->y_unit, .label = a->ylabel, .log = a->log},
                     .curve = f->curve,
                     .curves = f->curves,
                     .legend = !a->no_legend,
                     .equal = a->equal};
    chart_draw(c, &picture, (canvas_box){0, 0, width, height});
    if (!canvas_close(c)) return cli_complain("", "%s cannot be written", a->out);
    if (!a->quiet) printf("made  %s\n", a->out);
    return CLI_FINE;
}

int cli_figure(cli_arguments *a) {
    if (!a->out) return cli_complain("jounce plot DIR CHANNEL... -o FIG.svg", "jounce plot needs -o");
    figure *f = jn_malloc(sizeof *f);
    if (!f) return cli_complain("", "out of memory");
    memset(f, 0, sizeof *f);
    int status = write_figure(f, a);
    for (int i = 0; i < f->runs; i++) cli_folder_close(&f->run[i]);
    for (int i = 0; i < f->curves; i++) jn_free(f->values[i][0]), jn_free(f->values[i][1]);
    jn_free(f);
    return status;
}
