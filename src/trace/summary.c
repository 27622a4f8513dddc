/* summary.json: how the run went, how far it can be trusted, where it ended. */
#include "base/memory.h"
#include "description/read/reader.h"
#include "trace/json_writer.h"
#include "trace/result.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- words */

static const char *run_word(const char *key, int value) {
    const jn_field *field = jn_field_find(&jn_run_fields, key);
    for (const jn_keyword *w = field ? field->keywords : NULL; w && w->name; w++)
        if (w->value == value) return w->name;
    return "";
}

const char *jn_analysis_name(jn_analysis analysis) { return run_word("analysis", (int)analysis); }
const char *jn_method_name(jn_method method) { return run_word("method", (int)method); }
const char *jn_scheme_name(jn_scheme scheme) { return run_word("scheme", (int)scheme); }

const char *jn_stabilise_name(jn_stabilise stabilise) {
    static const char *const names[] = {[JN_STABILISE_PROJECTION] = "projection",
                                        [JN_STABILISE_BAUMGARTE] = "baumgarte",
                                        [JN_STABILISE_NONE] = "none",
                                        [JN_STABILISE_PENALTY] = "penalty",
                                        [JN_STABILISE_AUGMENTED_LAGRANGIAN] = "augmented_lagrangian",
                                        [JN_STABILISE_COORDINATE_PARTITIONING] = "coordinate_partitioning"};
    return names[stabilise];
}

static const char *status_word(int status) {
    if (status == JN_OK) return "finished";
    if (status == JN_STOPPED) return "stopped";
    return status > 0 ? "not converged" : "broke off";
}

/* ----------------------------------------------------------------------------------------------------- numbers */

static double part_of(double residual, double scale) { return scale > 0 ? residual / scale : residual; }

/* Residuals over their scales. */
static bool relative_residual(const jn_audit *a, const char *path, double *value) {
    if (!strcmp(path, "audit.energy_residual_relative"))
        *value = part_of(a->max_energy_residual, a->energy_scale);
    else if (!strcmp(path, "audit.momentum_residual_relative"))
        *value = part_of(a->max_momentum_residual, a->momentum_scale);
    else if (!strcmp(path, "audit.angular_momentum_residual_relative"))
        *value = part_of(a->max_angular_momentum_residual, a->angular_momentum_scale);
    else
        return false;
    return true;
}

typedef struct jn_summary_row {
    const char *name;
    size_t offset;
    bool whole; /* long, else double */
} jn_summary_row;

#define RESULT(member) offsetof(jn_result, member)
static const jn_summary_row rows[] = {
    {"steps", RESULT(audit.steps), true},
    {"rejected", RESULT(audit.rejected), true},
    {"evaluations", RESULT(audit.evaluations), true},
    {"restarts", RESULT(audit.restarts), true},
    {"stiff_steps", RESULT(audit.stiff_steps), true},
    {"events", RESULT(event_count), true},
    {"impacts", RESULT(impact_count), true},
    {"rows", RESULT(rows), true},
    {"bodies", RESULT(model_bodies), true},
    {"joints", RESULT(model_joints), true},
    {"time", RESULT(time), false},
    {"wall_time", RESULT(wall_time), false},
    {"write_time", RESULT(write_time), false},
    {"audit.energy_residual", RESULT(audit.max_energy_residual), false},
    {"audit.energy_residual_final", RESULT(audit.energy_residual), false},
    {"audit.energy_scale", RESULT(audit.energy_scale), false},
    {"audit.momentum_residual", RESULT(audit.max_momentum_residual), false},
    {"audit.momentum_residual_final", RESULT(audit.momentum_residual), false},
    {"audit.momentum_scale", RESULT(audit.momentum_scale), false},
    {"audit.angular_momentum_residual", RESULT(audit.max_angular_momentum_residual), false},
    {"audit.angular_momentum_residual_final", RESULT(audit.angular_momentum_residual), false},
    {"audit.angular_momentum_scale", RESULT(audit.angular_momentum_scale), false},
    {"audit.max_position_violation", RESULT(audit.max_position_violation), false},
    {"audit.max_velocity_violation", RESULT(audit.max_velocity_violation), false},
    {"audit.max_penetration", RESULT(audit.max_penetration), false},
    {"audit.max_relative_penetration", RESULT(audit.max_relative_penetration), false},
    {"audit.half_thickness", RESULT(audit.half_thickness), false},
    {"audit.max_compliance", RESULT(audit.max_compliance), false},
    {"audit.drawn_overlap", RESULT(audit.drawn_overlap), false},
    {"audit.max_stop_overlap", RESULT(audit.max_stop_overlap), false},
    {"audit.contacts_lost", RESULT(audit.contacts_lost), true},
    {"audit.lost_depth", RESULT(audit.lost_depth), false},
    {"audit.max_creep", RESULT(audit.max_creep), false},
    {"audit.creep_time", RESULT(audit.creep_time), false},
    {"audit.contact_speed_error", RESULT(audit.contact_speed_error), false},
    {"audit.unsolved", RESULT(audit.unsolved), true},
    {"audit.asleep", RESULT(audit.asleep), true},
    {"audit.contact_gain", RESULT(audit.contact_gain), false},
    {"audit.impacts_unfinished", RESULT(audit.impacts_unfinished), true},
    {"audit.impacts_limited", RESULT(audit.impacts_limited), true},
    {"audit.impacts_jammed", RESULT(audit.impacts_jammed), true},
    {"audit.impacts_unsolved", RESULT(audit.impacts_unsolved), true},
    {"audit.impacts_stopped", RESULT(audit.impacts_stopped), true},
    {"audit.impacts_bounded", RESULT(audit.impacts_bounded), true},
    {"audit.jams", RESULT(audit.jams), true},
    {"audit.rests", RESULT(audit.rests), true},
    {"audit.rest_loss", RESULT(audit.rest_loss), false},
    {"audit.knots", RESULT(audit.knots), true},
    {"audit.knot_time", RESULT(audit.knot_time), false},
    {"audit.energy.start", RESULT(audit.energy_start), false},
    {"audit.energy.kinetic", RESULT(energy.kinetic), false},
    {"audit.energy.potential", RESULT(energy.potential), false},
    {"audit.energy.elastic", RESULT(energy.elastic), false},
    {"audit.energy.dissipated", RESULT(ledger.dissipated), false},
    {"audit.energy.contact", RESULT(energy.contact), false},
    {"audit.energy.damping", RESULT(ledger.damping), false},
    {"audit.energy.friction", RESULT(ledger.friction), false},
    {"audit.energy.driven", RESULT(ledger.driven), false},
    {"audit.energy.numerical", RESULT(ledger.numerical), false},
    {"audit.energy.numerical_size", RESULT(ledger.numerical_size), false},
    {"audit.momentum_residual_relative", 0, false},
    {"audit.angular_momentum_residual_relative", 0, false},
    {"audit.energy_residual_relative", 0, false},
    {NULL, 0, false},
};

const char *jn_summary_name(int k) { return rows[k].name; }

const char *jn_path_numbered(const char *path, const char *list, long most, long *number) {
    size_t n = strlen(list);
    char *end;
    if (strncmp(path, list, n) || path[n] != '.' || path[n + 1] < '0' || path[n + 1] > '9') return NULL;
    *number = strtol(path + n + 1, &end, 10); /* too large ones are LONG_MAX */
    return *end == '.' && *number >= 1 && *number <= most ? end + 1 : NULL;
}

static bool mode_number(const jn_result *r, const char *path, double *value) {
    long number;
    const char *what = jn_path_numbered(path, "modes", r->modes.count, &number);
    if (!what) return false;
    const jn_mode *mode = &r->modes.mode[number - 1];
    if (!strcmp(what, "frequency"))
        *value = mode->frequency;
    else if (!strcmp(what, "damping"))
        *value = mode->damping;
    else if (!strcmp(what, "re"))
        *value = mode->re;
    else if (!strcmp(what, "im"))
        *value = mode->im;
    else
        return false;
    return true;
}

bool jn_summary_number(const jn_result *r, const char *path, double *value) {
    if (relative_residual(&r->audit, path, value)) return true;
    for (const jn_summary_row *row = rows; row->name; row++) {
        if (strcmp(row->name, path)) continue;
        long whole = 0;
        if (row->whole) memcpy(&whole, (const char *)r + row->offset, sizeof whole);
        if (!row->whole) memcpy(value, (const char *)r + row->offset, sizeof *value);
        if (row->whole) *value = (double)whole;
        return true;
    }
    return mode_number(r, path, value) || jn_impact_number(r, path, value);
}

/* ---------------------------------------------------------------------------------------------------- sections */

static void write_head(jn_json *j, const jn_model *m, const jn_result *r) {
    char hash[20], state[20];
    const jn_integrator_info *integrator = jn_integrator_get_info(m->run.integrator);
    snprintf(hash, sizeof hash, "%016" PRIx64, m->hash);
    snprintf(state, sizeof state, "%016" PRIx64, r->state_hash);
    jn_json_bool(j, "ok", jn_result_ok(r));
    jn_json_text(j, "status", status_word(r->status));
    jn_json_text(j, "error", r->status < 0 ? r->error.text : NULL);
    jn_json_text(j, "title", m->title ? m->title : "");
    jn_json_text(j, "model", m->file ? m->file : "");
    jn_json_text(j, "model_hash", hash);
    jn_json_text(j, "state_hash", state);
    jn_json_text(j, "version", jn_version());
    jn_json_text(j, "analysis", jn_analysis_name(m->run.analysis));
    jn_json_text(j, "method", jn_method_name(m->run.method));
    jn_json_text(j, "integrator", integrator ? integrator->name : "");
    if (m->run.method == JN_METHOD_NONSMOOTH) jn_json_text(j, "scheme", jn_scheme_name(m->run.scheme));
    jn_json_text(j, "stabilise", jn_stabilise_name(m->run.stabilise));
    jn_json_text(j, "coordinates", m->coordinates == JN_COORDINATES_ABSOLUTE ? "absolute" : "relative");
    jn_json_integer(j, "bodies", r->model_bodies);
    jn_json_integer(j, "joints", r->model_joints);
    jn_json_text(j, "start", r->start[0] ? r->start : NULL);
    jn_json_number(j, "time", r->time);
    jn_json_integer(j, "steps", r->audit.steps);
    jn_json_integer(j, "rejected", r->audit.rejected);
    jn_json_integer(j, "evaluations", r->audit.evaluations);
    jn_json_integer(j, "events", r->event_count);
    jn_json_integer(j, "rows", r->rows);
    jn_json_number(j, "wall_time", r->wall_time);
    jn_json_number(j, "write_time", r->write_time);
    jn_json_text(j, "note", r->note[0] ? r->note : NULL);
}

static void write_audit(jn_json *j, const jn_result *r) {
    const jn_audit *a = &r->audit;
    jn_json_object(j, "audit");
    jn_json_bool(j, "ok", a->ok);
    jn_json_text(j, "verdict", a->verdict);
    jn_json_number(j, "energy_residual", a->max_energy_residual);
    jn_json_number(j, "energy_residual_relative", part_of(a->max_energy_residual, a->energy_scale));
    jn_json_number(j, "energy_residual_final", a->energy_residual);
    jn_json_number(j, "momentum_residual", a->max_momentum_residual);
    jn_json_number(j, "momentum_residual_relative", part_of(a->max_momentum_residual, a->momentum_scale));
    jn_json_number(j, "momentum_residual_final", a->momentum_residual);
    jn_json_number(j, "momentum_scale", a->momentum_scale);
    jn_json_number(j, "angular_momentum_residual", a->max_angular_momentum_residual);
    jn_json_number(j, "angular_momentum_residual_relative",
                   part_of(a->max_angular_momentum_residual, a->angular_momentum_scale));
    jn_json_number(j, "angular_momentum_residual_final", a->angular_momentum_residual);
    jn_json_number(j, "angular_momentum_scale", a->angular_momentum_scale);
    jn_json_number(j, "max_position_violation", a->max_position_violation);
    jn_json_number(j, "max_velocity_violation", a->max_velocity_violation);
    jn_json_number(j, "max_penetration", a->max_penetration);
    jn_json_number(j, "max_relative_penetration", a->max_relative_penetration);
    jn_json_number(j, "half_thickness", a->half_thickness);
    jn_json_text(j, "half_thickness_at", a->half_thickness_at);
    jn_json_number(j, "max_compliance", a->max_compliance);
    jn_json_number(j, "drawn_overlap", a->drawn_overlap);
    jn_json_number(j, "max_stop_overlap", a->max_stop_overlap);
    jn_json_number(j, "contacts_lost", (double)a->contacts_lost);
    jn_json_number(j, "lost_depth", a->lost_depth);
    jn_json_text(j, "lost_at", a->lost_at);
    jn_json_number(j, "max_creep", a->max_creep);
    jn_json_number(j, "creep_time", a->creep_time);
    jn_json_text(j, "creep_at", a->creep_at);
    jn_json_number(j, "contact_speed_error", a->contact_speed_error);
    jn_json_number(j, "unsolved", (double)a->unsolved);
    jn_json_number(j, "asleep", (double)a->asleep);
    jn_json_number(j, "contact_gain", a->contact_gain);
    jn_json_number(j, "impacts_bounded", (double)a->impacts_bounded);
    jn_json_number(j, "energy_tolerance", a->energy_tolerance);
    jn_json_number(j, "momentum_tolerance", a->momentum_tolerance);
    jn_json_number(j, "angular_momentum_tolerance", a->angular_momentum_tolerance);
    jn_json_number(j, "violation_tolerance", a->violation_tolerance);
    if (a->penetration_tolerance > 0) jn_json_number(j, "penetration_tolerance", a->penetration_tolerance);
    jn_json_object(j, "energy");
    jn_json_number(j, "start", a->energy_start);
    jn_json_number(j, "kinetic", r->energy.kinetic);
    jn_json_number(j, "potential", r->energy.potential);
    jn_json_number(j, "elastic", r->energy.elastic);
    jn_json_number(j, "contact", r->energy.contact);
    jn_json_number(j, "dissipated", r->ledger.dissipated);
    jn_json_number(j, "damping", r->ledger.damping);
    jn_json_number(j, "friction", r->ledger.friction);
    jn_json_number(j, "driven", r->ledger.driven);
    jn_json_number(j, "numerical", r->ledger.numerical);
    jn_json_number(j, "numerical_size", r->ledger.numerical_size);
    jn_json_end(j);
    jn_json_end(j);
}

static void write_vector(jn_json *j, const char *key, jn_vec3 v, bool planar) {
    jn_json_numbers(j, key, (const double[]){v.x, v.y, v.z}, planar ? 2 : 3);
}

static void write_body(jn_json *j, const jn_model *m, jn_sim *sim, int body) {
    jn_body_motion b;
    jn_body_motion_get(m, sim->w, body, &b);
    jn_json_object(j, m->bodies[body].name);
    write_vector(j, "position", b.position, m->planar);
    if (m->planar)
        jn_json_number(j, "angle", b.angle);
    else
        jn_json_numbers(j, "orientation",
                        (const double[]){b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z}, 4);
    write_vector(j, "velocity", b.velocity, m->planar);
    if (m->planar)
        jn_json_number(j, "angular_velocity", b.angular_velocity.z);
    else
        write_vector(j, "angular_velocity", b.angular_velocity, false);
    jn_json_end(j);
}

static void write_joint(jn_json *j, const jn_model *m, jn_sim *sim, int joint) {
    jn_joint_motion motion;
    jn_joint_motion_get(m, sim->w, joint, &motion);
    jn_json_pair(j, m->joints[joint].name);
    jn_json_numbers(j, "q", motion.q, (size_t)m->joints[joint].nq);
    jn_json_numbers(j, "u", motion.u, (size_t)m->joints[joint].nv);
    jn_json_end(j);
}

static void write_final(jn_json *j, const jn_model *m, jn_sim *sim) {
    jn_json_object(j, "final");
    jn_json_number(j, "time", sim->s->t);
    jn_json_object(j, "bodies");
    for (int i = 1; i < m->body_count; i++) write_body(j, m, sim, i);
    jn_json_end(j);
    jn_json_object(j, "joints");
    for (int i = 0; i < m->joint_count; i++) write_joint(j, m, sim, i);
    jn_json_end(j);
    jn_json_numbers(j, "q", sim->s->q, (size_t)m->nq);
    jn_json_numbers(j, "u", sim->s->u, (size_t)m->nv);
    jn_json_end(j);
}

static void write_modes(jn_json *j, const jn_modes *modes) {
    jn_json_array(j, "modes");
    for (int i = 0; i < modes->count; i++) {
        const jn_mode *mode = &modes->mode[i];
        jn_json_object(j, NULL);
        jn_json_number(j, "frequency", mode->frequency);
        jn_json_number(j, "damping", mode->damping);
        jn_json_numbers(j, "eigenvalue", (const double[]){mode->re, mode->im}, 2);
        jn_json_numbers(j, "shape", mode->shape, (size_t)modes->nv);
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void write_expect(jn_json *j, const jn_verdict *v) {
    static const char *const at[] = {
        [JN_EXPECT_LAST] = "last", [JN_EXPECT_MIN] = "min", [JN_EXPECT_MAX] = "max", [JN_EXPECT_MEAN] = "mean"};
    const jn_expect_desc *e = v->expect;
    jn_json_object(j, NULL);
    if (e->at == JN_EXPECT_EVENT) {
        jn_json_text(j, "event", e->event);
        jn_json_integer(j, "nth", e->event_nth);
    } else {
        jn_json_text(j, "channel", e->channel);
        if (e->at == JN_EXPECT_TIME) jn_json_number(j, "time", e->time);
        if (e->at != JN_EXPECT_TIME) jn_json_text(j, "at", at[e->at]);
    }
    if (e->has_value) {
        jn_json_number(j, "value", e->value);
        jn_json_number(j, "within", e->relative ? e->within * fabs(e->value) : e->within);
    }
    if (e->has_below) jn_json_number(j, "below", e->below);
    if (e->has_above) jn_json_number(j, "above", e->above);
    jn_json_number(j, "found", v->found);
    jn_json_bool(j, "ok", v->ok);
    if (v->text[0]) jn_json_text(j, "text", v->text);
    if (e->source) jn_json_text(j, "source", e->source);
    jn_json_end(j);
}

int jn_summary_write(const jn_model *m, jn_sim *sim, jn_result *r, const jn_verdict *verdicts) {
    jn_json j = {0};
    jn_json_object(&j, NULL);
    write_head(&j, m, r);
    write_audit(&j, r);
    if (sim) write_final(&j, m, sim);
    if (m->run.analysis == JN_ANALYSIS_MODES) write_modes(&j, &r->modes);
    if (m->expect_count) {
        jn_json_array(&j, "expect");
        for (int i = 0; i < m->expect_count; i++) write_expect(&j, &verdicts[i]);
        jn_json_end(&j);
    }
    jn_json_end(&j);
    if (j.failed) return JN_ERR_MEMORY;
    jn_free(r->summary);
    r->summary = j.text;
    return JN_OK;
}
