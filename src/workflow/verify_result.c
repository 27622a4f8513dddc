/* The expectations of a model file, compared with its result. */
#include <jounce/workflow.h>

#include "base/suggest.h"
#include "trace/result.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int jn_model_expects(const jn_model *m) { return m->expect_count; }

static const double *row_at(const jn_result *r, long row) { return r->data + (size_t)row * ((size_t)r->channels + 1); }

/* Smallest or largest value of a column. */
static double extreme(const jn_result *r, int channel, double from, bool largest) {
    double best = NAN;
    for (long row = 0; row < r->rows; row++) {
        double value = row_at(r, row)[channel + 1];
        if (row_at(r, row)[0] < from) continue;
        if (isnan(best) || (largest ? value > best : value < best)) best = value;
    }
    return best;
}

/* Over time, straight lines between the rows. */
static double mean(const jn_result *r, int channel, double from) {
    double sum = 0, span = 0;
    for (long row = 1; row < r->rows; row++) {
        const double *a = row_at(r, row - 1), *b = row_at(r, row);
        if (a[0] < from) continue;
        sum += 0.5 * (b[0] - a[0]) * (a[channel + 1] + b[channel + 1]);
        span += b[0] - a[0];
    }
    return sum / span;
}

static double event_time(const jn_result *r, const jn_expect_desc *e) {
    int seen = 0;
    for (long i = 0; i < r->event_count; i++)
        if (!strcmp(r->events[i].kind, e->event) && ++seen == e->event_nth) return r->events[i].event.time;
    return NAN;
}

static double find_value(const jn_result *r, const jn_expect_desc *e) {
    double value;
    if (e->at == JN_EXPECT_EVENT) return event_time(r, e);
    int channel = jn_result_channel(r, e->channel);
    if (channel < 0) return jn_summary_number(r, e->channel, &value) ? value : NAN;
    if (r->rows == 0) return NAN;
    if (e->at == JN_EXPECT_TIME) return jn_result_at(r, e->channel, e->time);
    if (e->at == JN_EXPECT_LAST)
        return r->data[(size_t)(r->rows - 1) * ((size_t)r->channels + 1) + (size_t)channel + 1];
    if (e->at == JN_EXPECT_MEAN) return mean(r, channel, e->from);
    return extreme(r, channel, e->from, e->at == JN_EXPECT_MAX);
}

/* Why there is no value. */
static void explain(const jn_result *r, const jn_expect_desc *e, char *text, size_t size) {
    double value;
    if (e->at == JN_EXPECT_EVENT) {
        snprintf(text, size, "there are fewer than %d events '%s'", e->event_nth, e->event);
    } else if (jn_result_channel(r, e->channel) >= 0) {
        snprintf(text, size, "the run ended at t = %.9g s", r->time);
    } else if (jn_summary_number(r, e->channel, &value)) {
        snprintf(text, size, "undefined");
    } else {
        jn_suggest suggest = jn_suggest_for(e->channel);
        for (int i = 0; i < r->channels; i++) jn_suggest_offer(&suggest, r->names[i]);
        for (int k = 0; jn_summary_name(k); k++) jn_suggest_offer(&suggest, jn_summary_name(k));
        snprintf(text, size, "no such channel%s%s%s", suggest.best ? "; write '" : "", suggest.best ? suggest.best : "",
                 suggest.best ? "'" : "");
    }
}

/* Whether a summary may have a number of that name; how many modes and collisions a run finds shows only then. */
static bool may_be_in_summary(const char *name) {
    for (int k = 0; jn_summary_name(k); k++)
        if (!strcmp(jn_summary_name(k), name)) return true;
    return !strncmp(name, "modes.", 6) || !strncmp(name, "impact.", 7);
}

static void complain(const jn_expect_desc *e, const jn_channels *all, jn_report *report) {
    jn_suggest suggest = jn_suggest_for(e->channel);
    for (int i = 0; i < jn_channels_count(all); i++) jn_suggest_offer(&suggest, jn_channels_name(all, i));
    for (int k = 0; jn_summary_name(k); k++) jn_suggest_offer(&suggest, jn_summary_name(k));
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, e->where, "expect", "no channel is called '%s'%s%s%s",
                  e->channel, suggest.best ? "\nwrite '" : "", suggest.best ? suggest.best : "",
                  suggest.best ? "'" : "");
}

void jn_expects_look(const jn_model *m, const jn_channels *all, jn_report *report) {
    for (int i = 0; i < m->expect_count; i++) {
        const jn_expect_desc *e = &m->expects[i];
        if (e->at == JN_EXPECT_EVENT || jn_channels_find(all, e->channel) >= 0 || may_be_in_summary(e->channel))
            continue;
        complain(e, all, report);
    }
}

/* An expectation about the end holds only for a run that came to its end. */
static bool cut_short(const jn_result *r, const jn_expect_desc *e) {
    return r->status != JN_OK && e->at != JN_EXPECT_TIME && e->at != JN_EXPECT_EVENT;
}

static void judge(const jn_result *r, const jn_expect_desc *e, jn_verdict *v) {
    *v = (jn_verdict){.expect = e, .found = find_value(r, e)};
    if (!isfinite(v->found)) {
        explain(r, e, v->text, sizeof v->text);
        return;
    }
    if (cut_short(r, e)) {
        snprintf(v->text, sizeof v->text, "the run did not come to its end");
        return;
    }
    double limit = e->relative ? e->within * fabs(e->value) : e->within;
    double off = fabs(v->found - e->value);
    if (e->has_value && !(off <= limit))
        snprintf(v->text, sizeof v->text, "off by %.3g, %.3g allowed", off, limit);
    else if (e->has_below && !(v->found < e->below))
        snprintf(v->text, sizeof v->text, "not below %.9g", e->below);
    else if (e->has_above && !(v->found > e->above))
        snprintf(v->text, sizeof v->text, "not above %.9g", e->above);
    else
        v->ok = true;
}

static bool states_gain(const jn_model *m) {
    for (int i = 0; i < m->expect_count; i++)
        if (m->expects[i].channel && !strcmp(m->expects[i].channel, "audit.contact_gain")) return true;
    return false;
}

bool jn_result_as_stated(const jn_model *m, const jn_result *r) {
    return r->status == JN_OK && r->expects_failed == 0 && (r->audit.ok || (r->audit.only_gain && states_gain(m)));
}

int jn_result_verify(const jn_model *m, const jn_result *r, jn_verdict *out) {
    int failed = 0;
    for (int i = 0; i < m->expect_count; i++) {
        judge(r, &m->expects[i], &out[i]);
        failed += !out[i].ok;
    }
    return failed;
}
