/* Following: each run starts where the one before ended, with the next value of a parameter, upwards and then downwards. Where the two ways
 * differ, several motions are possible: hysteresis. */
#include "base/memory.h"
#include "step/sim.h"
#include "workflow/study/kinds/kinds.h"
#include "workflow/study/measures/measures.h"

#include <stddef.h>
#include <string.h>

enum { BOTH, UP, DOWN };
static const jn_keyword ways[] = {{"both", BOTH}, {"up", UP}, {"down", DOWN}, {NULL, 0}};

typedef struct follow {
    const char *parameter;
    int way;
    int vary, column; /* which parameter; the column of the way: 1 up, -1 down */
    long length;      /* values on a way */
} follow;

static const jn_field rows[] = {
    {.key = "parameter",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(follow, parameter),
     .fallback = "the one that is varied",
     .doc = "the parameter that changes from run to run",
     .example = "parameter: a"},
    {.key = "way",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(follow, way),
     .keywords = ways,
     .fallback = "both",
     .doc = "up: from the first value to the last; down: back; both: up, and from there down",
     .example = "way: both"},
    {.key = NULL},
};
static const jn_fieldset fields = {"follow", "Each run starts where the one before ended.", rows};

static bool read_follow(jn_reader *r, jn_study *s) {
    follow *own = s->data;
    const jn_entry *entry = jn_node_entry(s->root, "follow");
    own->vary = own->parameter || s->varies != 1 ? -1 : 0;
    for (int i = 0; own->parameter && i < s->varies; i++)
        if (!strcmp(own->parameter, s->vary[i].name)) own->vary = i;
    if (own->vary < 0)
        return jn_read_error(r, entry->where, JN_ERR_MODEL,
                             "'follow' needs one of the parameters that are varied\nwrite 'follow: {parameter: %s}'",
                             s->varies ? s->vary[0].name : "NAME");
    if (s->has_keep)
        return jn_read_error(r, entry->where, JN_ERR_MODEL,
                             "runs that start where others ended cannot be done again one by one\nremove 'keep'");
    own->column = jn_study_add_column(r, s, "way", entry->where);
    return own->column >= 0;
}

/* The grid of all other parameters; at each of its points one task: the values of the followed one, up, down or both. */
static int plan(jn_study *s, jn_report *report) {
    follow *own = s->data;
    int n = s->varies, f = own->vary;
    const jn_entry *entry = jn_node_entry(s->root, "follow");
    long others = 1;
    for (int i = 0; i < n; i++) {
        if (s->vary[i].kind == JN_VARY_DISTRIBUTION || s->vary[i].count == 0 || s->count > 0)
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, entry->where, "follow",
                                 "following needs a grid: lists, and ranges with 'count'\nwrite '%s: {from: 1, to: 2, "
                                 "count: 100}', without 'samples'",
                                 s->vary[i].name);
        if (i != f) others *= s->vary[i].count;
    }
    long values = s->vary[f].count;
    own->length = own->way == BOTH ? 2 * values : values;
    s->first = jn_malloc((size_t)(others + 1) * sizeof *s->first);
    double *point = s->first ? jn_study_plan_rows(s, others * own->length) : NULL;
    if (!point) return JN_ERR_MEMORY;
    s->tasks = others;
    s->rule = JN_RULE_GRID;
    for (long task = 0; task <= others; task++) s->first[task] = task * own->length;
    for (long r = 0; r < s->rows; r++) {
        long rest = r / own->length, k = r % own->length;
        for (int i = n - 1; i >= 0; i--) {
            if (i == f) continue;
            point[r * n + i] = jn_vary_step(&s->vary[i], (int)(rest % s->vary[i].count));
            rest /= s->vary[i].count;
        }
        if (own->way == DOWN || k >= values) k = own->length - 1 - k;
        point[r * n + f] = jn_vary_step(&s->vary[f], (int)k);
    }
    return JN_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- runs */

/* Coordinates, velocities and turns at the end of the last run. */
typedef struct carried {
    double *number;
    int nq, nv, angles;
    bool valid;
} carried;

/* Driven coordinates follow their drivers; everything else goes on. The time starts anew: a drive goes on where a run lasts a whole number
 * of its periods. */
static int take_up(void *context, jn_sim *sim) {
    const carried *c = context;
    jn_state *s = sim->s;
    int angles = (int)(s->momentum - s->angle);
    if (!c->valid) return JN_OK;
    if (c->nq != sim->m->nq || c->nv != sim->m->nv || c->angles != angles)
        return jn_sim_fail(sim, JN_ERR_MODEL, "the model has other coordinates than at the last value");
    memcpy(s->q, c->number, (size_t)c->nq * sizeof *s->q);
    memcpy(s->u, c->number + c->nq, (size_t)c->nv * sizeof *s->u);
    memcpy(s->angle, c->number + c->nq + c->nv, (size_t)angles * sizeof *s->angle);
    int status = jn_project(sim->m, sim->w, s);
    jn_sim_restart(sim);
    return status;
}

static void leave(void *context, jn_sim *sim) {
    carried *c = context;
    const jn_state *s = sim->s;
    int nq = sim->m->nq, nv = sim->m->nv, angles = (int)(s->momentum - s->angle);
    double *wide = jn_realloc(c->number, (size_t)(nq + nv + angles + 1) * sizeof *wide);
    c->valid =
        wide && sim->error.status >= 0; /* a run that failed is not followed: the next one starts as the model says */
    if (!wide) return;
    *c = (carried){.number = wide, .nq = nq, .nv = nv, .angles = angles, .valid = c->valid};
    memcpy(wide, s->q, (size_t)nq * sizeof *wide);
    memcpy(wide + nq, s->u, (size_t)nv * sizeof *wide);
    memcpy(wide + nq + nv, s->angle, (size_t)angles * sizeof *wide);
}

static int perform(jn_study_worker *w, long task) {
    const jn_study *s = w->study;
    const follow *own = s->data;
    carried c = {0};
    jn_row_hooks hooks = {.begin = take_up, .end = leave, .context = &c};
    int status = JN_OK;
    long first = jn_study_task_first(s, task), values = s->vary[own->vary].count;
    for (long r = first; status >= 0 && r < jn_study_task_first(s, task + 1); r++) {
        jn_study_row_run(w, r, &hooks, w->row);
        if (!c.number && w->row->state != JN_ROW_FAILED) status = JN_ERR_MEMORY;
        w->row->value[own->column] = own->way == DOWN || r - first >= values ? -1 : 1;
        if (status >= 0 && s->row[r].state == JN_ROW_OPEN) status = jn_study_row_done(w, r, w->row);
    }
    jn_free(c.number);
    return status;
}

const jn_study_kind jn_kind_follow = {
    .key = "follow",
    .doc = "a bifurcation diagram by following: each run starts where the one before ended, up and down",
    .example = "follow: {parameter: a, way: both}",
    .fields = &fields,
    .size = sizeof(follow),
    .read = read_follow,
    .plan = plan,
    .perform = perform};
