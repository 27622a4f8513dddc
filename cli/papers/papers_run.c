/* Models of a paper's entry, run; numbers taken from their results and compared with those of the paper. */
#include <jounce/workflow.h>

#include "base/expression.h"
#include "papers/command_papers.h"
#include "trace/result.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------------------------- running */

/* The settings of the entry as jounce run's --set. False if a value is no text. */
static int settings_of(const papers_run *r, jn_setting *out, int most) {
    const jn_node *set = jn_node_get(r->entry, "set");
    int count = 0;
    for (int i = 0; set && set->kind == JN_NODE_MAP && i < set->count && count < most; i++)
        if (set->entries[i].value->kind == JN_NODE_SCALAR)
            out[count++] = (jn_setting){set->entries[i].key, set->entries[i].value->text};
    return count;
}

static void run_one(papers_run *r, bool quiet) {
    static cli_arguments arguments;
    cli_model m;
    cli_progress progress;
    jn_report report = {0};
    arguments = (cli_arguments){.quiet = true};
    arguments.setting_count = settings_of(r, arguments.settings, CLI_MAX_SETTINGS);
    if (access(r->path, R_OK)) {
        r->missing = true;
        snprintf(r->trouble, sizeof r->trouble, "model not there: %s", papers_text(r->entry, "model"));
        return;
    }
    if (!cli_model_open(r->path, &arguments, &m)) {
        snprintf(r->trouble, sizeof r->trouble, "the model cannot be read with these settings");
        return;
    }
    if (jn_study_mobility(m.model, &r->mobility, NULL) >= 0) {
        jn_mobility names = r->mobility;
        r->mobility.redundant_joint = r->mobility.redundant_rows = NULL;
        jn_mobility_free(&names);
    }
    cli_progress_start(&progress, r->id, quiet);
    r->result = jn_run(m.model, r->folder, cli_progress_step, &progress, &report);
    cli_progress_end(&progress);
    cli_report_print(&report, true);
    if (!r->result)
        snprintf(r->trouble, sizeof r->trouble, "%s", report.count ? report.item[0].text : "the model cannot be run");
    else if (r->result->status != JN_OK || !r->result->audit.ok)
        snprintf(r->trouble, sizeof r->trouble, "%s", r->result->audit.verdict);
    cli_model_close(&m);
}

void papers_run_all(papers_paper *p, const char *folder, bool quiet) {
    for (int i = 0; i < p->runs && !cli_interrupted(); i++) {
        papers_run *r = &p->run[i];
        snprintf(r->folder, sizeof r->folder, "%.700s/%.60s/%.200s", folder, papers_text(p->root, "number"), r->id);
        run_one(r, quiet);
        const char *expected = papers_text(r->entry, "audit");
        r->bad = r->result && r->trouble[0] && !(expected && !strcmp(expected, "bad"));
        p->tally.missing += r->missing;
        p->tally.bad += r->bad;
        if (quiet) continue;
        printf("  %-5s %-22s ", papers_text(p->root, "number"), r->id);
        if (r->result) printf("%7.2f s  ", r->result->wall_time);
        printf("%s\n", r->trouble[0] ? r->trouble : r->result->audit.verdict);
        fflush(stdout);
    }
}

papers_run *papers_find_run(const papers_paper *p, const char *id) {
    for (int i = 0; i < p->runs; i++)
        if (!strcmp(p->run[i].id, id)) return &p->run[i];
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- numbers */

/* Where a number is looked for, and what went wrong. */
typedef struct lookup {
    papers_paper *paper;
    double time, from, to; /* of the row */
    char trouble[640];
    bool mistake;
} lookup;

static double value_of(const jn_result *r, long row, int channel) {
    return r->data[(size_t)row * ((size_t)r->channels + 1) + (size_t)channel + 1];
}

/* A series to one number, over the rows in [from, to]. */
static double reduce(const jn_result *r, int channel, const char *how, const lookup *at) {
    double sum = 0, span = 0, best = NAN, low = INFINITY, high = -INFINITY, first = NAN, last = NAN, when = NAN;
    double since = NAN, longest = 0; /* of stretches above 0 */
    long rows = 0, positive = 0;
    for (long i = 0; i < r->rows; i++) {
        double t = value_of(r, i, -1), v = value_of(r, i, channel);
        if (!(t >= at->from && t <= at->to)) continue;
        if (rows > 0) sum += 0.5 * (v + last) * (t - value_of(r, i - 1, -1)), span += t - value_of(r, i - 1, -1);
        if (rows++ == 0) first = v;
        if (v > high) when = t;
        low = fmin(low, v), high = fmax(high, v), last = v;
        positive += v > 0;
        since = v > 0 ? (isnan(since) ? t : since) : NAN;
        if (v > 0) longest = fmax(longest, t - since);
    }
    if (!strcmp(how, "first")) best = first;
    if (!strcmp(how, "last")) best = last;
    if (!strcmp(how, "max")) best = high;
    if (!strcmp(how, "min")) best = low;
    if (!strcmp(how, "absmax")) best = fmax(high, -low);
    if (!strcmp(how, "span")) best = high - low;
    if (!strcmp(how, "mean")) best = sum / span;
    if (!strcmp(how, "share")) best = (double)positive / (double)rows;
    if (!strcmp(how, "longest")) best = longest;
    if (!strcmp(how, "when_max")) best = when;
    return best;
}

static bool is_reducer(const char *how) {
    static const char *const words[] = {"first", "last",  "max",     "min",      "absmax", "span",
                                        "mean",  "share", "longest", "when_max", "at"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], how)) return true;
    return false;
}

/* "impact.3", the third impact: its time, or its normal speed before or after. */
static double event_number(const jn_result *r, const char *how, const char *text) {
    const char *dot = strrchr(text, '.');
    size_t length = dot ? (size_t)(dot - text) : 0;
    long nth = dot ? strtol(dot + 1, NULL, 10) : 0, seen = 0;
    for (long i = 0; i < r->event_count; i++) {
        const jn_event *e = &r->events[i].event;
        if (strlen(r->events[i].kind) != length || strncmp(r->events[i].kind, text, length) || ++seen != nth) continue;
        return !strcmp(how, "before") ? e->speed_before : !strcmp(how, "after") ? e->speed_after : e->time;
    }
    return NAN;
}

static double event_count(const jn_result *r, const char *kind, const lookup *at) {
    double count = 0;
    for (long i = 0; i < r->event_count; i++)
        count += !strcmp(r->events[i].kind, kind) && r->events[i].event.time >= at->from &&
                 r->events[i].event.time <= at->to;
    return count;
}

/* What jounce check counts: bodies, joints and degrees of freedom. */
static double count_of(const jn_mobility *x, const char *what) {
    const struct {
        const char *name;
        int value;
    } counts[] = {{"bodies", x->bodies}, {"joints", x->joints},     {"gruebler", x->gruebler},  {"rank", x->rank},
                  {"dof", x->dof},       {"undriven", x->undriven}, {"redundant", x->redundant}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(counts[i].name, what)) return counts[i].value;
    return NAN;
}

/* RUN.HOW.WHAT as a number; NAN with trouble. */
static double number_of(lookup *at, const char *name) {
    char id[128], how[128];
    const char *dot = strchr(name, '.'), *rest = dot ? strchr(dot + 1, '.') : NULL;
    double value = NAN;
    at->mistake = true;
    if (!rest) {
        snprintf(at->trouble, sizeof at->trouble, "'%s' is not RUN.HOW.CHANNEL, such as a.max.joint.pin.q", name);
        return NAN;
    }
    snprintf(id, sizeof id, "%.*s", (int)(dot - name), name);
    snprintf(how, sizeof how, "%.*s", (int)(rest - dot - 1), dot + 1);
    rest++;
    papers_run *run = papers_find_run(at->paper, id);
    if (!run) {
        snprintf(at->trouble, sizeof at->trouble, "the entry has no run '%s'", id);
        return NAN;
    }
    at->mistake = !run->result && !run->missing;
    if (!run->result) {
        snprintf(at->trouble, sizeof at->trouble, "%s", run->trouble);
        return NAN;
    }
    const jn_result *r = run->result;
    int channel = jn_result_channel(r, rest);
    if (!strcmp(how, "event") || !strcmp(how, "before") || !strcmp(how, "after")) value = event_number(r, how, rest);
    if (!strcmp(how, "count")) value = event_count(r, rest, at);
    if (!strcmp(how, "impacts")) value = papers_json_number(run, "impacts.json", dot + 1);
    if (!strcmp(how, "check")) value = count_of(&run->mobility, rest);
    if (!strcmp(how, "summary") && !jn_summary_number(r, rest, &value)) value = NAN;
    if (is_reducer(how) && channel >= 0)
        value = strcmp(how, "at") ? reduce(r, channel, how, at) : jn_result_at(r, rest, at->time);
    at->mistake = !isfinite(value);
    if (at->mistake) snprintf(at->trouble, sizeof at->trouble, "run '%s' has no number '%s.%s'", id, how, rest);
    return value;
}

static jn_symbol_kind find_symbol(void *context, const char *name, bool table, jn_symbol *symbol) {
    lookup *at = context;
    if (table || !strchr(name, '.')) return JN_SYMBOL_NONE;
    symbol->value = number_of(at, name);
    symbol->type = (jn_type){.kind = JN_KIND_LOOSE};
    return isfinite(symbol->value) ? JN_SYMBOL_CONSTANT : JN_SYMBOL_FAILED;
}

/* Value of an expression over numbers of the runs; NAN with trouble. */
static double evaluate(lookup *at, const jn_node *node) {
    jn_scope scope = {.context = at, .find = find_symbol};
    jn_expression e;
    jn_fault fault = {.status = JN_OK, .pending = -1};
    at->trouble[0] = 0;
    if (node->kind == JN_NODE_SCALAR && jn_expression_compile(node->text, &scope, NULL, &e, &fault) && e.constant) {
        if (!isfinite(e.value)) snprintf(at->trouble, sizeof at->trouble, "'%s' is not finite", node->text);
        return e.value;
    }
    if (!at->trouble[0]) {
        at->mistake = true;
        snprintf(at->trouble, sizeof at->trouble, "%s", fault.text[0] ? fault.text : "this is no expression");
    }
    return NAN;
}

/* ------------------------------------------------------------------------------------------------------ judgement */

/* A number of the row, or what it is when it is not given. */
static double number_or(lookup *at, const jn_node *row, const char *key, double otherwise) {
    const jn_node *node = jn_node_get(row, key);
    return node ? evaluate(at, node) : otherwise;
}

/* "1 %" of the reference, or a size. */
static double tolerance_of(lookup *at, const jn_node *row, bool *relative) {
    const char *text = papers_text(row, "within");
    size_t length = text ? strlen(text) : 0;
    *relative = length && text[length - 1] == '%';
    if (*relative) return strtod(text, NULL) / 100;
    return number_or(at, row, "within", 0);
}

static void compare_value(lookup *at, const jn_node *row, papers_verdict *v) {
    const char *within = papers_text(row, "within");
    v->reference = evaluate(at, jn_node_get(row, v->source));
    if (within && !strcmp(within, "none")) { /* shown, not judged */
        v->relative = v->reference != 0;
        v->deviation = (v->ours - v->reference) / (v->relative ? fabs(v->reference) : 1);
        return;
    }
    v->allowed = tolerance_of(at, row, &v->relative);
    if (!isfinite(v->reference) || !isfinite(v->allowed)) return;
    v->deviation = v->ours - v->reference;
    if (v->relative) v->deviation /= fabs(v->reference);
    v->mark = fabs(v->deviation) <= v->allowed ? PAPERS_MET : PAPERS_DIFFERS;
}

static void compare_bounds(lookup *at, const jn_node *row, papers_verdict *v) {
    v->below = number_or(at, row, "below", INFINITY);
    v->above = number_or(at, row, "above", -INFINITY);
    if (isnan(v->below) || isnan(v->above)) return;
    if (!isfinite(v->below) && !isfinite(v->above)) return;
    v->mark = v->ours < v->below && v->ours > v->above ? PAPERS_MET : PAPERS_DIFFERS;
}

void papers_judge(papers_paper *p, const jn_node *row, papers_verdict *v) {
    static const char *const sources[PAPERS_STATEMENT] = {"paper", "independent", "closed_form"};
    lookup at = {.paper = p, .from = -INFINITY, .to = INFINITY};
    *v = (papers_verdict){.reference = NAN, .deviation = NAN, .allowed = NAN, .below = INFINITY, .above = -INFINITY};
    v->kind = PAPERS_STATEMENT;
    for (int i = 0; i < PAPERS_STATEMENT; i++)
        if (jn_node_get(row, sources[i])) v->source = sources[i], v->kind = (papers_kind)i;
    at.time = number_or(&at, row, "time", NAN);
    at.from = number_or(&at, row, "from", -INFINITY);
    at.to = number_or(&at, row, "to", INFINITY);
    v->ours = evaluate(&at, jn_node_get(row, "ours"));
    if (isfinite(v->ours) && v->source) compare_value(&at, row, v);
    if (isfinite(v->ours) && !v->source) compare_bounds(&at, row, v);
    if (at.trouble[0]) {
        v->mistake = at.mistake;
        snprintf(v->trouble, sizeof v->trouble, "%s", at.trouble);
    }
    p->tally.rows[v->kind][v->mark]++;
    p->tally.mistakes += v->mistake;
    if (v->mark == PAPERS_DIFFERS && !papers_text(row, "why")) p->tally.unexplained++;
}
