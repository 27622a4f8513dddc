/* A channel beside measured values of a table: its values at their times, and the root of the mean square of the differences. */
#include "model/model_layout.h"
#include "workflow/study/measures/compare.h"

#include "workflow/study/measures/measures.h"

#include <math.h>
#include <string.h>

typedef struct comparison {
    long next; /* row of the table */
    double squares;
} comparison;

/* The table by its name; its times lie within the run. */
static bool find_table(jn_reader *r, const jn_node *name, jn_study_measure *m, const jn_table **out) {
    const jn_description *d = r->d;
    jn_suggest suggest = jn_suggest_for(name->text);
    double until = m->study->base->run.until;
    *out = NULL;
    for (int i = 0; i < d->table_count; i++) {
        jn_suggest_offer(&suggest, d->tables[i].name);
        if (!strcmp(d->tables[i].name, name->text)) *out = &d->tables[i];
    }
    if (!*out)
        return jn_read_error(r, name->where, JN_ERR_MODEL, "there is no table '%.60s'\nwrite '%s'", name->text,
                             suggest.best ? suggest.best
                                          : "tables: {measured: {file: measured.csv}}' at the top of the study");
    double last = (*out)->x[(*out)->count - 1];
    if ((*out)->x[0] < 0 || last > until * (1 + JN_COMPARE_END))
        return jn_read_error(r, name->where, JN_ERR_MODEL,
                             "table '%s' has times from %g s to %g s, and runs go from 0 to %g s\nadd 'until: %g s', "
                             "or shift the times",
                             (*out)->name, (*out)->x[0], last, until, last);
    return true;
}

static bool read(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    const jn_node *with = jn_node_get(m->node, "with"), *deviation = jn_node_get(m->node, "deviation");
    jn_compared *own = jn_store_alloc(r->store, sizeof *own);
    if (!own) return jn_read_no_memory(r);
    *own = (jn_compared){.deviation = NAN};
    m->data = own;
    if (!with)
        return jn_read_error(r, m->where, JN_ERR_MODEL,
                             "'compare' needs measured values\nwrite {compare: CHANNEL, with: TABLE}");
    if (!jn_expect_kind(r, with, JN_NODE_SCALAR, "the name of a table") || !find_table(r, with, m, &own->table))
        return false;
    if (deviation && !jn_read_number(r, deviation, JN_MEASURE_ANY, &own->deviation)) return false;
    if (deviation && !(own->deviation > 0))
        return jn_read_error(r, deviation->where, JN_ERR_MODEL, "the standard deviation must be greater than 0");
    m->channel[0] = jn_measure_channel(r, value, m);
    m->channels = 1;
    return m->channel[0] >= 0;
}

/* The value x of the channel at the next time of the table. */
static void take(jn_study_run *run, const jn_study_measure *m, comparison *c, const jn_table *table, double x) {
    double t = table->x[c->next], off = x - table->y[c->next];
    c->next++;
    if (t < m->after || t > m->before) return;
    c->squares += off * off;
    jn_study_sample(run, m, t, &x, 1);
}

static void look(jn_study_run *run, const jn_study_measure *m, void *state) {
    const jn_table *table = ((const jn_compared *)m->data)->table;
    comparison *c = state;
    double *there = run->worker->between;
    while (c->next < table->count && table->x[c->next] <= run->t && !run->why) {
        double t = table->x[c->next], x = run->value[m->channel[0]];
        if (t < run->t && t >= m->after && run->has_before) {
            if (jn_study_look_between(run, t, there) < 0) run->why = "a channel is not finite at a measured time";
            x = there[m->channel[0]];
        }
        take(run, m, c, table, x);
    }
}

/* Adaptive integrators end a step at the times of the table. O(log rows) */
static double next(const jn_study_measure *m, double t) {
    const jn_table *table = ((const jn_compared *)m->data)->table;
    int low = 0, high = table->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (table->x[middle] > t * (1 + 1e-13))
            high = middle;
        else
            low = middle + 1;
    }
    return low < table->count ? table->x[low] : INFINITY;
}

/* The last times may lie behind the end by round-off. */
static void end(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const jn_table *table = ((const jn_compared *)m->data)->table;
    comparison *c = state;
    while (c->next < table->count && table->x[c->next] <= run->t * (1 + JN_COMPARE_END))
        take(run, m, c, table, run->value[m->channel[0]]);
    long count = run->row->samples[m->samples].count;
    *out = count ? sqrt(c->squares / (double)count) : NAN;
}

static const char *const keys[] = {"with", "deviation", NULL};
const jn_measure_kind jn_measure_compare = {
    .key = "compare",
    .doc = "a channel beside the measured values of a table: root of the mean square of their differences",
    .example = "height: {compare: body.ball.y, with: measured, deviation: 0.2 mm}",
    .keys = keys,
    .read = read,
    .state = sizeof(comparison),
    .looks = true,
    .has_samples = true,
    .columns = 1,
    .next = next,
    .look = look,
    .end = end};
