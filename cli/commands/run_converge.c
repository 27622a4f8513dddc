#include "commands/run_converge.h"

#include "base/memory.h"
#include "model/model_layout.h"
#include "workflow/study/statistics/convergence.h"
#include "workflow/study/study.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 60, MOST_LINES = 8, LEVELS = 3 };
#define WITHIN 0.01        /* of its range: an error that is good enough */
#define SAFETY 0.9         /* of the step that the order says */
#define NO_MATTER 1e-4     /* of WITHIN: how differences of that size shrink is no matter */
#define STANDS_STILL 1e-12 /* of the largest range of its unit: it does not move */

/* A channel at the end of the run, on the way to shorter steps. */
typedef struct line {
    const char *channel, *unit;
    double range; /* of the channel over the run with the shortest step */
    jn_convergence found;
} line;

/* ------------------------------------------------------------------------------------------------------- the study */

/* A measure at the end of the run and its range over the run, named after the channel. */
static void put_channel(FILE *out, const char *channel) {
    char name[200];
    snprintf(name, sizeof name, "%s", channel);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    fprintf(out, "  %s: {end: %s}\n  %s_range: {range: %s}\n", name, channel, name, channel);
}

/* Places of bodies, joint coordinates with one number, and what was lost: those that move are looked at later. */
static void put_channels(FILE *out, const jn_model *m) {
    char name[160];
    int count = 0;
    for (int i = 0; i < jn_model_joints(m) && count < MOST_NAMES / 2; i++, count++) {
        if (jn_model_joint_nq(m, i) != 1) continue;
        snprintf(name, sizeof name, "joint.%.100s.q", jn_model_joint_name(m, i));
        put_channel(out, name);
    }
    for (int i = 1; i < jn_model_bodies(m) && count < MOST_NAMES; i++, count++)
        for (int k = 0; k < (m->planar ? 2 : 3); k++) {
            snprintf(name, sizeof name, "body.%.100s.%c", jn_model_body_name(m, i), "xyz"[k]);
            put_channel(out, name);
        }
    put_channel(out, "energy.dissipated");
}

static bool write_study(const char *path, const cli_arguments *a, const jn_model *m) {
    FILE *out = fopen(path, "w");
    char *model = realpath(a->files[0], NULL);
    if (out) {
        fprintf(out, "study: Convergence of %s\nmodel: \"%s\"\nconverge: {levels: %d}\nplots: []\n", a->files[0],
                model ? model : a->files[0], LEVELS);
        for (int i = 0; i < a->setting_count; i++)
            fprintf(out, "%s  %s: %s\n", i ? "" : "set:\n", a->settings[i].name, a->settings[i].value);
        fputs("measure:\n", out);
        put_channels(out, m);
    }
    free(model);
    return out && fclose(out) == 0;
}

/* --------------------------------------------------------------------------------------------------------- judgement */

static double value(const jn_study *s, int level, int column) { return s->row[level].value[column]; }

/* Ends and ranges stand in turn. An error counts as a part of the range: a coordinate may well end near zero. */
static int judge(const jn_study *s, double factor, double formal, line *out) {
    int count = 0;
    double most = 0;
    for (int c = 0; c + 1 < s->columns; c += 2) most = fmax(most, value(s, LEVELS - 1, c + 1));
    for (int c = 0; c + 1 < s->columns; c += 2) {
        double x[LEVELS], range = value(s, LEVELS - 1, c + 1);
        for (int k = 0; k < LEVELS; k++) x[k] = value(s, k, c);
        if (range <= STANDS_STILL * most) continue;
        line l = {s->channel[s->measure[c].channel[0]], s->column_unit[c], range,
                  jn_convergence_judge(x, LEVELS, factor, formal)};
        double off = fabs(l.found.limit - x[0]);
        if (l.found.spread <= NO_MATTER * WITHIN * range) l.found.verdict = JN_CONVERGED;
        l.found.error_first = (l.found.verdict == JN_CONVERGED ? off : fmax(off, l.found.error)) / range;
        out[count++] = l;
    }
    return count;
}

static bool is_worse(const line *a, const line *b) {
    if (a->found.verdict != b->found.verdict) return a->found.verdict > b->found.verdict;
    return a->found.error_first > b->found.error_first;
}

static void sort_worst_first(line *l, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && is_worse(&l[k], &l[k - 1]); k--) {
            line other = l[k];
            l[k] = l[k - 1], l[k - 1] = other;
        }
}

static void advise(const line *worst, const char *knob, double first, char *text, size_t size) {
    double off = worst->found.error_first;
    if (worst->found.verdict >= JN_DIVERGENT)
        snprintf(
            text, size,
            "%s does not converge: write a much smaller %s than %.3g; where single impacts decide the motion, trust "
            "means over time or over many runs",
            worst->channel, knob, first);
    else if (off <= WITHIN)
        snprintf(text, size, "the step error is at most %.2g %% of the motion: good enough", 100 * off);
    else if (worst->found.verdict == JN_IRREGULAR || !(worst->found.order > 0))
        snprintf(text, size, "%s shows no order yet and may be off by %.2g %%: write a smaller %s than %.3g",
                 worst->channel, 100 * off, knob, first);
    else
        snprintf(text, size, "for %.2g %% write '%s: %.2g'", 100 * WITHIN, knob,
                 SAFETY * first * pow(WITHIN / off, 1 / worst->found.order));
}

/* ------------------------------------------------------------------------------------------------------------ output */

static void print_lines(const jn_study *s, const line *l, int count, const char *knob, const char *advice) {
    const jn_vary *v = &s->vary[s->varies - 1];
    printf("\n  converge  %s %.4g, %.4g and %.4g; errors as parts of the range over the run\n", knob, v->value[0],
           v->value[1], v->value[2]);
    printf("    %-26s %14s %12s %8s %14s\n", "at the end", "in the limit", "error there", "order", "error now");
    for (int i = 0; i < count && i < MOST_LINES; i++) {
        const jn_convergence *f = &l[i].found;
        char order[16] = "none";
        if (isfinite(f->order)) snprintf(order, sizeof order, "%.2g", f->order);
        printf("    %-26s %14.9g %12.2g %8s %12.2g %%\n", l[i].channel, f->limit, f->error,
               f->verdict == JN_CONVERGED && !isfinite(f->order) ? "-" : order, 100 * f->error_first);
    }
    if (count > MOST_LINES) printf("    %d more are better\n", count - MOST_LINES);
    printf("  advice    %s\n", advice);
}

static void put_number(FILE *out, const char *key, double x) {
    fprintf(out, isfinite(x) ? ", \"%s\": %.17g" : ", \"%s\": null", key, x);
}

/* Adds "convergence" to summary.json, before its last bracket. */
static bool add_to_summary(const char *folder, const line *l, int count, const char *knob, double first,
                           const char *advice) {
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/summary.json", folder);
    FILE *file = fopen(path, "r+");
    long at = -1;
    if (!file) return false;
    for (int c; (c = fgetc(file)) != EOF;)
        if (c == '}') at = ftell(file) - 1;
    if (at < 1 || fseek(file, at - 1, SEEK_SET)) return fclose(file), false;
    fprintf(file, ",\n  \"convergence\": {\n    \"%s\": %.17g,\n    \"advice\": \"%s\",\n    \"at_end\": [", knob,
            first, advice);
    for (int i = 0; i < count; i++) {
        static const char *const words[] = {"converged", "irregular", "divergent", "unknown"};
        fprintf(file, "%s\n      {\"channel\": \"%s\", \"verdict\": \"%s\"", i ? "," : "", l[i].channel,
                words[l[i].found.verdict]);
        put_number(file, "limit", l[i].found.limit), put_number(file, "error", l[i].found.error);
        put_number(file, "order", l[i].found.order), put_number(file, "range", l[i].range);
        put_number(file, "error_of_this_run", l[i].found.error_first * l[i].range);
        fputc('}', file);
    }
    fputs("\n    ]\n  }\n}\n", file);
    return fclose(file) == 0;
}

static int say(const jn_study *s, const jn_model *m, const char *folder, bool quiet) {
    const jn_vary *v = &s->vary[s->varies - 1];
    bool fixed = !strcmp(v->name, "run.step");
    const char *knob = fixed ? "step" : "tolerance";
    double formal = !fixed                                         ? 1
                    : m->run.method != JN_METHOD_NONSMOOTH         ? jn_integrator_get_info(m->run.integrator)->order
                    : m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG ? 2
                                                                   : 1;
    char advice[400] = "nothing moves";
    line *l = jn_malloc((size_t)(s->columns + 1) * sizeof *l);
    if (!l) return cli_complain("", "out of memory");
    for (long r = 0; r < s->rows; r++)
        if (s->row[r].state == JN_ROW_FAILED) {
            jn_free(l);
            return cli_complain("", "--converge: the run with %s %g failed: %s", knob, v->value[r], s->row[r].message);
        }
    int count = judge(s, v->value[0] / v->value[1], formal, l);
    sort_worst_first(l, count);
    if (count) advise(&l[0], knob, v->value[0], advice, sizeof advice);
    if (!quiet) print_lines(s, l, count, knob, advice);
    bool fine = add_to_summary(folder, l, count, knob, v->value[0], advice);
    jn_free(l);
    return fine ? CLI_FINE : cli_complain("", "%s/summary.json cannot be written", folder);
}

int cli_run_converge(const cli_arguments *a, const jn_model *m, const char *folder) {
    char path[4200];
    jn_report report = {0};
    if (m->run.analysis != JN_ANALYSIS_DYNAMIC)
        return cli_complain("write run: {analysis: dynamic}", "--converge is for dynamic runs");
    snprintf(path, sizeof path, "%.4000s/converge.yaml", folder);
    if (!write_study(path, a, m)) return cli_complain("", "%s cannot be written", path);
    jn_study *s = jn_study_open(path, NULL, 0, &report);
    int status = s ? jn_study_perform(s, &(jn_study_options){.threads = 0}, &(jn_report){0}) : JN_ERR_MODEL;
    if (!s || status < 0) cli_report_print(&report, a->quiet);
    status = s && status >= 0 ? say(s, m, folder, a->quiet) : CLI_FAILED;
    jn_study_free(s);
    return status;
}
