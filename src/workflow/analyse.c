/* The analyses of a run: dynamic, kinematic and inverse, equilibrium, modes. */
#include "workflow/analyse.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include "workflow/run_checkpoint.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_PER_LOOK = 16 }; /* steps between two looks at the caller's wish to stop */
#define AT_STEP 1e-9          /* of a step: nearer rows are those of its end */

static bool wanted(jn_recorder *r, double time) {
    double until = r->model->run.until;
    return !r->progress || r->progress(r->context, time, until > 0 ? jn_fmin(1, time / until) : 1);
}

/* Room for one more row; their number is not known where each step has one. */
static bool make_room(jn_recorder *r) {
    jn_result *result = r->result;
    if (result->rows < r->row_capacity) return true;
    long capacity = 2 * r->row_capacity + 64;
    jn_series_writer_wait(r->series);
    double *wide = jn_realloc(result->data, (size_t)capacity * ((size_t)result->channels + 1) * sizeof *wide);
    if (!wide) return false;
    result->data = wide, r->row_capacity = capacity;
    return true;
}

/* One row at the present state, for the time t. */
static int record_as(jn_recorder *r, double t) {
    jn_result *result = r->result;
    if (!make_room(r)) return jn_sim_fail(r->sim, JN_ERR_MEMORY, "out of memory for %ld rows", result->rows);
    double *row = result->data + (size_t)result->rows * ((size_t)result->channels + 1);
    int status = jn_channels_read(r->channels, r->sim, row + 1);
    if (status < 0) return jn_sim_fail(r->sim, status, "the accelerations are not finite at t = %.9g s", r->sim->s->t);
    row[0] = t;
    result->rows++;
    jn_series_writer_rows(r->series, result->rows);
    jn_playback_row(&r->playback, r->sim, result, row[0] >= r->model->run.until);
    return JN_OK;
}

static int record(jn_recorder *r) { return record_as(r, r->sim->s->t); }

/* ------------------------------------------------------------------------------------------------------- dynamic */

/* The caller wants no more. */
static int stop(jn_recorder *r) {
    jn_run_checkpoint_stop(r);
    return JN_STOPPED;
}

/* The first row, or those of the checkpoint; the next time of the grid. */
static int begin(jn_recorder *r, long *next) {
    int status = r->resumes ? JN_OK : record(r);
    const jn_result *result = r->result;
    *next = 1;
    if (status < 0) return status;
    double last = result->data[(size_t)(result->rows - 1) * ((size_t)result->channels + 1)];
    while (*next < r->grid.count && r->grid.time[*next] <= last) ++*next;
    return status;
}

/* Steps to the time t, looking up now and then. */
static int advance(jn_recorder *r, double t) {
    for (int n = 1; r->sim->s->t < t; n++) {
        int status = jn_sim_step(r->sim, t);
        if (status < 0 || status == JN_STOPPED) return status;
        if (r->model->run.record_each_step && r->sim->s->t < t) status = record(r);
        if (status < 0) return status;
        if (n % STEPS_PER_LOOK == 0 && !wanted(r, r->sim->s->t)) return stop(r);
    }
    return JN_OK;
}

/* An adaptive integrator ends its steps at the rows. */
static int adaptive(jn_recorder *r) {
    long k;
    int status = begin(r, &k);
    for (; k < r->grid.count && status == JN_OK; k++) {
        status = advance(r, r->grid.time[k]);
        if (status == JN_OK || (status == JN_STOPPED && r->sim->s->t > r->grid.time[k - 1])) {
            int recorded = record(r);
            if (recorded < 0) status = recorded;
        }
        if (status == JN_OK && k + 1 < r->grid.count) jn_run_checkpoint_row(r, k);
        if (status == JN_OK && k + 1 < r->grid.count && !wanted(r, r->grid.time[k])) status = stop(r);
    }
    return status;
}

/* The row at a time within the last step: the state there is interpolated, and the simulation knows nothing of it. */
static int record_within(jn_recorder *r, double t) {
    if (fabs(t - r->sim->s->t) <= AT_STEP * r->model->run.step) return record_as(r, t);
    jn_look_at(r->sim, &r->look, t);
    int status = record_as(r, t);
    jn_look_back(r->sim, &r->look);
    return status;
}

/* Fixed steps go their own way to the end of the run; rows between two of them are interpolated. */
static int fixed(jn_recorder *r) {
    long k, n = 0;
    double until = r->grid.time[r->grid.count - 1], slack = AT_STEP * r->model->run.step;
    int status = jn_look_create(r->sim, &r->look);
    if (status < 0) return jn_sim_fail(r->sim, status, "out of memory");
    status = begin(r, &k);
    while (k < r->grid.count && status == JN_OK) {
        jn_look_step(r->sim, &r->look);
        status = jn_sim_step(r->sim, until);
        if (status < 0) return status;
        long first = k;
        for (; k < r->grid.count && r->grid.time[k] <= r->sim->s->t + slack; k++) {
            int recorded = record_within(r, r->grid.time[k]);
            if (recorded < 0) return recorded;
        }
        bool look = k > first || ++n % STEPS_PER_LOOK == 0;
        if (status == JN_OK && k < r->grid.count && k > first) jn_run_checkpoint_row(r, k - 1);
        if (status == JN_OK && k < r->grid.count && look && !wanted(r, r->sim->s->t)) status = stop(r);
    }
    if (status != JN_STOPPED || k == r->grid.count || !(r->sim->s->t > r->grid.time[k - 1] + slack)) return status;
    int recorded = record(r);
    return recorded < 0 ? recorded : status;
}

static int dynamic(jn_recorder *r) {
    int status = jn_sim_is_fixed(r->sim) ? fixed(r) : adaptive(r);
    if (status == JN_STOPPED && jn_sim_stopped(r->sim)) {
        snprintf(r->result->note, sizeof r->result->note,
                 "the run ends after %g impact events, as run.impact_events asks", r->model->run.impact_events);
        status = JN_OK;
    }
    r->result->audit = *jn_sim_audit(r->sim);
    return status;
}

/* ------------------------------------------------------------------------------------------- kinematic, inverse */

/* The drivers fix the motion: no integration, one solution of the kinematic equations per row. */
static int kinematic(jn_recorder *r) {
    int status = JN_OK;
    for (long k = 0; k < r->grid.count && status == JN_OK; k++) {
        status = jn_study_kinematic(r->sim, r->grid.time[k]);
        if (status == JN_OK && k == 0) jn_audit_start(r->sim);
        if (status == JN_OK) status = record(r);
        if (status == JN_OK && k + 1 < r->grid.count && !wanted(r, r->grid.time[k])) status = JN_STOPPED;
    }
    r->result->audit = *jn_sim_audit(r->sim);
    return status;
}

/* --------------------------------------------------------------------------------------------- equilibrium, modes */

/* Acceleration left over, the largest component. */
static double unrest(const jn_recorder *r) {
    double largest = 0;
    const double *a = jn_accelerations_get(r->sim->w);
    for (int i = 0; i < r->model->nv; i++) largest = jn_fmax(largest, fabs(a[i]));
    return largest;
}

static int equilibrium(jn_recorder *r) {
    int status = jn_study_equilibrium(r->sim, r->report);
    jn_audit *a = &r->result->audit;
    if (status < 0) return status;
    int seen = jn_sim_observe(r->sim);
    if (seen < 0) return jn_sim_fail(r->sim, seen, "the accelerations are not finite at the equilibrium");
    jn_audit_start(r->sim);
    double left = unrest(r);
    seen = record(r);
    if (seen < 0) return seen;
    *a = *jn_sim_audit(r->sim);
    a->ok = status == JN_OK && a->max_position_violation <= a->violation_tolerance;
    if (a->ok)
        snprintf(a->verdict, sizeof a->verdict, "equilibrium found: largest remaining acceleration %.1e", left);
    else
        snprintf(a->verdict, sizeof a->verdict, "no equilibrium found: the best state still accelerates by %.3g", left);
    return status;
}

/* Modes about the equilibrium near the drawn state, or about the drawn state if there is none. */
static int modes(jn_recorder *r) {
    jn_state *drawn = jn_state_create(r->model);
    jn_result *result = r->result;
    jn_report unheard = {0};
    if (!drawn) return jn_sim_fail(r->sim, JN_ERR_MEMORY, "out of memory");
    jn_state_copy(drawn, r->sim->s);
    if (jn_study_equilibrium(r->sim, &unheard) != JN_OK) {
        jn_state_copy(r->sim->s, drawn);
        snprintf(result->note, sizeof result->note,
                 "no equilibrium near the drawn state: the modes are those about the drawn state");
    } else {
        snprintf(result->note, sizeof result->note,
                 "the modes are those about the equilibrium nearest to the drawn state");
    }
    jn_state_free(drawn);
    int status = jn_study_modes(r->sim, &result->modes, r->report);
    if (status < 0) return status;
    int seen = jn_sim_observe(r->sim);
    if (seen < 0) return jn_sim_fail(r->sim, seen, "the accelerations are not finite");
    jn_audit_start(r->sim);
    seen = record(r);
    if (seen < 0) return seen;
    result->audit = *jn_sim_audit(r->sim);
    result->audit.ok = status == JN_OK && result->audit.max_position_violation <= result->audit.violation_tolerance;
    snprintf(result->audit.verdict, sizeof result->audit.verdict, "%d mode%s found", result->modes.count,
             result->modes.count == 1 ? "" : "s");
    return status;
}

int jn_analyse(jn_recorder *r) {
    switch (r->model->run.analysis) {
    case JN_ANALYSIS_KINEMATIC:
    case JN_ANALYSIS_INVERSE: return kinematic(r);
    case JN_ANALYSIS_EQUILIBRIUM: return equilibrium(r);
    case JN_ANALYSIS_MODES: return modes(r);
    default: return dynamic(r);
    }
}
