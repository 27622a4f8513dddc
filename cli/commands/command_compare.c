/* jounce compare: one model by every contact method and law, in one table and one plot. */
#include "base/memory.h"
#include "cli.h"
#include "trace/result.h"
#include <math.h>
#include <string.h>

enum { MOST_VARIANTS = 24, MOST_QUANTITIES = 12, NAME_WIDTH = 27, CELL_WIDTH = 16 };

/* A way to run the model, and how it went. */
typedef struct variant {
    char label[64];
    jn_setting settings[2];
    int setting_count;
    cli_model model;
    jn_result *result;
    char folder[2120];
    char refusal[256]; /* why it could not be run */
} variant;

/* A number looked at in every run: a channel at a time, or at the end where time is NAN. */
typedef struct quantity {
    const char *channel, *unit;
    double time;
    char heading[48];
} quantity;

typedef struct comparison {
    cli_arguments *arguments;
    char folder[2048];
    int variants, quantities;
    variant variant[MOST_VARIANTS];
    quantity quantity[MOST_QUANTITIES];
} comparison;

/* ------------------------------------------------------------------------------------------------------- variants */

static void add_variant(comparison *c, const char *method, const char *path, const char *value) {
    if (c->variants == MOST_VARIANTS || (c->arguments->method && strcmp(c->arguments->method, method))) return;
    variant *v = &c->variant[c->variants++];
    snprintf(v->label, sizeof v->label, "%s%s%s", method, value ? " " : "", value ? value : "");
    v->settings[v->setting_count++] = (jn_setting){"run.method", method};
    if (value) v->settings[v->setting_count++] = (jn_setting){path, value};
}

/* Every method; the nonsmooth one by each scheme, the impact one by each law. */
static void add_variants(comparison *c) {
    add_variant(c, "compliant", NULL, NULL);
    for (int i = 0; i <= JN_SCHEME_LEAST_CONSTRAINT; i++)
        add_variant(c, "nonsmooth", "run.scheme", jn_scheme_name((jn_scheme)i));
    for (int i = 0; jn_impact_get_info((jn_impact_kind)i); i++)
        add_variant(c, "impact", "run.law", jn_impact_get_info((jn_impact_kind)i)->name);
}

/* ------------------------------------------------------------------------------------------------------------ runs */

static void keep_refusal(variant *v, const jn_report *report) {
    snprintf(v->refusal, sizeof v->refusal, "it cannot be run");
    for (int i = report->count; i-- > 0;)
        if (report->item[i].severity == JN_SEVERITY_ERROR)
            snprintf(v->refusal, sizeof v->refusal, "%s", report->item[i].text);
}

static bool open_variant(comparison *c, variant *v) {
    jn_setting settings[CLI_MAX_SETTINGS + 2];
    jn_report report = {0};
    int count = c->arguments->setting_count;
    memcpy(settings, c->arguments->settings, (size_t)count * sizeof *settings);
    memcpy(settings + count, v->settings, (size_t)v->setting_count * sizeof *settings);
    v->model.description = jn_description_read(c->arguments->files[0], settings, count + v->setting_count, &report);
    if (v->model.description) v->model.model = jn_model_compile(v->model.description, &report);
    if (!v->model.model) keep_refusal(v, &report);
    return v->model.model != NULL;
}

static void run_variant(comparison *c, variant *v) {
    cli_progress progress;
    jn_report report = {0};
    if (!open_variant(c, v)) return;
    const jn_description *d = v->model.description;
    if (d->not_by[d->run.method]) { /* the file itself says so */
        snprintf(v->refusal, sizeof v->refusal, "%s", d->not_by[d->run.method]);
        return;
    }
    snprintf(v->folder, sizeof v->folder, "%s/%s", c->folder, v->label);
    for (char *at = v->folder + strlen(c->folder); *at; at++)
        if (*at == ' ') *at = '_';
    cli_progress_start(&progress, v->label, c->arguments->quiet);
    v->result = jn_run(v->model.model, v->folder, cli_progress_step, &progress, &report);
    cli_progress_end(&progress);
    if (!v->result) keep_refusal(v, &report);
}

/* ------------------------------------------------------------------------------------------------------ quantities */

static void add_quantity(comparison *c, const char *channel, double time) {
    for (int i = 0; i < c->quantities; i++) {
        const quantity *q = &c->quantity[i];
        if (!strcmp(q->channel, channel) && (q->time == time || (isnan(q->time) && isnan(time)))) return;
    }
    if (c->quantities == MOST_QUANTITIES) return;
    quantity *q = &c->quantity[c->quantities++];
    *q = (quantity){.channel = channel, .time = time};
    if (isnan(time))
        snprintf(q->heading, sizeof q->heading, "%.40s", channel);
    else
        snprintf(q->heading, sizeof q->heading, "%.32s @ %.4g", channel, time);
}

/* What the model file itself has expectations of. */
static void add_expected(comparison *c, const jn_model *m, const jn_result *r) {
    for (int i = 0; i < m->expect_count; i++) {
        const jn_expect_desc *e = &m->expects[i];
        if (!e->channel || jn_result_channel(r, e->channel) < 0) continue;
        if (e->at == JN_EXPECT_TIME) add_quantity(c, e->channel, e->time);
        if (e->at == JN_EXPECT_LAST) add_quantity(c, e->channel, NAN);
    }
}

static double change_of(const jn_result *r, int channel) {
    double low = INFINITY, high = -INFINITY;
    for (long row = 0; row < r->rows; row++) {
        double value = r->data[(size_t)row * ((size_t)r->channels + 1) + (size_t)channel + 1];
        low = fmin(low, value), high = fmax(high, value);
    }
    return high - low;
}

/* Without expectations: the velocities of bodies that change most, at the end. */
static void add_liveliest(comparison *c, const jn_result *r) {
    for (int n = 0; n < 3; n++) {
        int best = -1;
        for (int k = 0; k < r->channels; k++) {
            const char *last = strrchr(r->names[k], '.');
            bool taken = strncmp(r->names[k], "body.", 5) || !last || (last[1] != 'v' && last[1] != 'w');
            for (int i = 0; i < c->quantities; i++) taken = taken || !strcmp(c->quantity[i].channel, r->names[k]);
            if (!taken && (best < 0 || change_of(r, k) > change_of(r, best))) best = k;
        }
        if (best >= 0) add_quantity(c, r->names[best], NAN);
    }
}

static void choose_quantities(comparison *c) {
    for (int i = 1; i < c->arguments->file_count; i++) add_quantity(c, c->arguments->files[i], NAN);
    for (int i = 0; i < c->variants && c->arguments->file_count == 1; i++)
        if (c->variant[i].result) add_expected(c, c->variant[i].model.model, c->variant[i].result);
    for (int i = 0; i < c->variants && c->quantities == 0; i++)
        if (c->variant[i].result) add_liveliest(c, c->variant[i].result);
    for (int i = 0; i < c->quantities; i++)
        for (int k = 0; k < c->variants && !c->quantity[i].unit; k++) {
            const jn_result *r = c->variant[k].result;
            int channel = r ? jn_result_channel(r, c->quantity[i].channel) : -1;
            if (channel >= 0) c->quantity[i].unit = r->units[channel];
        }
}

static double value_of(const quantity *q, const jn_result *r) {
    return jn_result_at(r, q->channel, isnan(q->time) ? r->time : q->time);
}

/* ---------------------------------------------------------------------------------------------------------- tables */

/* Impacts, or the starts of contacts where forces are continuous. */
static long impacts_of(const jn_result *r, double *first) {
    long count = 0;
    *first = NAN;
    for (long i = 0; i < r->event_count; i++)
        if ((!strcmp(r->events[i].kind, "impact") || !strcmp(r->events[i].kind, "contact")) && count++ == 0)
            *first = r->events[i].event.time;
    return count;
}

static void print_variant(const variant *v) {
    const jn_result *r = v->result;
    double first;
    if (!r) {
        printf("  %-*s %snot run%s  %s\n", NAME_WIDTH, v->label, cli_paint(stdout, CLI_YELLOW),
               cli_paint(stdout, CLI_PLAIN), v->refusal);
        return;
    }
    bool good = r->status == JN_OK && r->audit.ok;
    long impacts = impacts_of(r, &first);
    printf("  %-*s %s%-5s%s %8ld", NAME_WIDTH, v->label, cli_paint(stdout, good ? CLI_GREEN : CLI_RED),
           good ? "good" : "BAD", cli_paint(stdout, CLI_PLAIN), impacts);
    if (impacts)
        printf(" %14.9g", first);
    else
        printf(" %14s", "-");
    printf(" %12.5g %10.2g %10.2g %9ld %9.3g\n", r->ledger.dissipated, r->audit.max_energy_residual,
           r->audit.max_penetration, r->audit.steps, r->wall_time);
}

static void print_runs(const comparison *c) {
    printf("%s  %-*s %-5s %8s %14s %12s %10s %10s %9s %9s%s\n", cli_paint(stdout, CLI_BOLD), NAME_WIDTH, "by", "audit",
           "impacts", "first [s]", "lost [J]", "unexpl.", "sunk [m]", "steps", "wall [s]",
           cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < c->variants; i++) print_variant(&c->variant[i]);
}

/* Columns from `first` on, as many as fit; the next one to print. */
static int print_values(const comparison *c, int first) {
    int last = first, room = cli_width() - NAME_WIDTH - 3;
    while (last < c->quantities && room >= (int)strlen(c->quantity[last].heading) + 2) {
        int width = (int)strlen(c->quantity[last++].heading);
        room -= (width > CELL_WIDTH ? width : CELL_WIDTH) + 2;
    }
    if (last == first) last++;
    printf("\n%s  %-*s", cli_paint(stdout, CLI_BOLD), NAME_WIDTH, "");
    for (int k = first; k < last; k++) printf("  %*s", CELL_WIDTH, c->quantity[k].heading);
    printf("%s\n", cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < c->variants; i++) {
        if (!c->variant[i].result) continue;
        printf("  %-*s", NAME_WIDTH, c->variant[i].label);
        for (int k = first; k < last; k++) {
            int width = (int)strlen(c->quantity[k].heading);
            printf("  %*.9g", width > CELL_WIDTH ? width : CELL_WIDTH, value_of(&c->quantity[k], c->variant[i].result));
        }
        printf("\n");
    }
    return last;
}

/* The tables as a file: one row per run. */
static bool write_csv(const comparison *c) {
    char path[2200];
    double first;
    snprintf(path, sizeof path, "%s/compare.csv", c->folder);
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "by,audit,impacts,first_impact,dissipated,max_energy_residual,max_penetration,steps,wall_time");
    for (int k = 0; k < c->quantities; k++) fprintf(f, ",%s", c->quantity[k].heading);
    fputc('\n', f);
    for (int i = 0; i < c->variants; i++) {
        const jn_result *r = c->variant[i].result;
        if (!r) continue;
        long impacts = impacts_of(r, &first);
        fprintf(f, "%s,%s,%ld,%.17g,%.17g,%.17g,%.17g,%ld,%.6g", c->variant[i].label,
                r->status == JN_OK && r->audit.ok ? "good" : "bad", impacts, first, r->ledger.dissipated,
                r->audit.max_energy_residual, r->audit.max_penetration, r->audit.steps, r->wall_time);
        for (int k = 0; k < c->quantities; k++) fprintf(f, ",%.17g", value_of(&c->quantity[k], r));
        fputc('\n', f);
    }
    bool good = !ferror(f);
    return fclose(f) == 0 && good;
}

/* One figure per channel, all runs in it: compare.svg for the first, compare_2.svg and so on. */
static int draw(comparison *c) {
    char path[2200], channel[256], *files[MOST_VARIANTS + 1];
    int status = CLI_FINE, drawn = 0;
    for (int k = 0; k < c->quantities && status == CLI_FINE; k++) {
        cli_arguments plot = {.files = files, .out = path, .quiet = true};
        bool again = false;
        for (int j = 0; j < k; j++) again = again || !strcmp(c->quantity[j].channel, c->quantity[k].channel);
        if (again) continue;
        for (int i = 0; i < c->variants; i++)
            if (c->variant[i].result && jn_result_channel(c->variant[i].result, c->quantity[k].channel) >= 0)
                files[plot.file_count++] = c->variant[i].folder;
        if (plot.file_count == 0) continue;
        snprintf(channel, sizeof channel, "%s", c->quantity[k].channel);
        files[plot.file_count++] = channel;
        snprintf(path, sizeof path, drawn ? "%s/compare_%d.svg" : "%s/compare.svg", c->folder, drawn + 1);
        drawn++;
        status = cli_figure(&plot);
    }
    return status;
}

/* --------------------------------------------------------------------------------------------------------- command */

static void close_variants(comparison *c) {
    for (int i = 0; i < c->variants; i++) {
        jn_result_free(c->variant[i].result);
        cli_model_close(&c->variant[i].model);
    }
}

/* Bad input where no variant could be run; failed where a run broke off. A bad audit is part of the answer. */
static int status_of(const comparison *c) {
    int runs = 0, broken = 0;
    for (int i = 0; i < c->variants; i++) {
        runs += c->variant[i].result != NULL;
        broken += c->variant[i].result && c->variant[i].result->status != JN_OK;
    }
    return runs == 0 ? CLI_BAD_INPUT : broken ? CLI_FAILED : CLI_FINE;
}

int cli_compare(cli_arguments *arguments) {
    static comparison c;
    char stem[256];
    cli_model as_written; /* what is wrong with the file itself is reported once, with its place */
    c = (comparison){.arguments = arguments};
    if (arguments->method) arguments->setting_count--; /* each variant sets its own */
    cli_stem(arguments->files[0], stem, sizeof stem);
    snprintf(c.folder, sizeof c.folder, "%s%s", arguments->out ? arguments->out : "out/compare_",
             arguments->out ? "" : stem);
    add_variants(&c);
    if (!cli_model_open(arguments->files[0], arguments, &as_written)) return CLI_BAD_INPUT;
    cli_model_close(&as_written);
    cli_interrupt_catch();
    for (int i = 0; i < c.variants && !cli_interrupted(); i++) run_variant(&c, &c.variant[i]);
    choose_quantities(&c);
    print_runs(&c);
    for (int next = 0; next < c.quantities;) next = print_values(&c, next);
    bool written = status_of(&c) == CLI_BAD_INPUT || write_csv(&c);
    if (!written) cli_complain(NULL, "'%s/compare.csv' cannot be written", c.folder);
    int status = written ? status_of(&c) : CLI_BAD_INPUT;
    if (status != CLI_BAD_INPUT && draw(&c) != CLI_FINE) status = CLI_BAD_INPUT;
    if (status != CLI_BAD_INPUT && !arguments->quiet)
        printf("\n  %s/  compare.csv  compare.svg  and the result of each run\n", c.folder);
    close_variants(&c);
    return status;
}
