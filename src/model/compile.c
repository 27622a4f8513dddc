/* Description -> model, step by step. */
#include "base/memory.h"
#include "description/joint_info.h"
#include "model/builder.h"
#include <string.h>

static void *take(jn_builder *b, struct jn_store *store, int count, size_t size) {
    void *memory = jn_store_array(store, (size_t)(count > 0 ? count : 1), size); /* zeroed */
    if (!memory) b->failed = true;
    return memory;
}

void *jn_builder_array(jn_builder *b, int count, size_t size) { return take(b, b->store, count, size); }
void *jn_builder_temp(jn_builder *b, int count, size_t size) { return take(b, b->temp, count, size); }

const char *jn_builder_text(jn_builder *b, const char *text) {
    if (!text) return NULL;
    const char *copy = jn_store_strdup(b->store, text);
    if (!copy) b->failed = true;
    return copy;
}

static jn_where copy_where(jn_builder *b, jn_where where) {
    where.file = where.file ? jn_builder_text(b, where.file) : "";
    return where;
}

jn_function jn_builder_function(jn_builder *b, jn_function f) {
    if (f.length <= 0) return (jn_function){NULL, 0};
    jn_instr *code = jn_builder_array(b, f.length, sizeof *code);
    if (code) memcpy(code, f.code, (size_t)f.length * sizeof *code);
    return (jn_function){code, code ? f.length : 0};
}

static double *copy_numbers(jn_builder *b, const double *from, int count) {
    double *to = jn_builder_array(b, count, sizeof *to);
    if (to && from) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static bool copy_derived(jn_builder *b) {
    const jn_description *d = b->d;
    jn_model *m = b->m;
    m->derived_count = d->derived_count;
    m->input_count = d->input_count;
    m->derived = jn_builder_array(b, d->derived_count, sizeof *m->derived);
    m->inputs = jn_builder_array(b, d->input_count, sizeof *m->inputs);
    if (b->failed) return false;
    for (int i = 0; i < d->derived_count; i++)
        m->derived[i] =
            (jn_derived_desc){jn_builder_text(b, d->derived[i].name), jn_builder_function(b, d->derived[i].value)};
    for (int i = 0; i < d->input_count; i++)
        m->inputs[i] = (jn_input_desc){jn_builder_text(b, d->inputs[i].channel), copy_where(b, d->inputs[i].where)};
    return !b->failed;
}

static void copy_run(jn_builder *b) {
    jn_run_desc *run = &b->m->run;
    *run = b->d->run;
    run->solver = run->solver ? jn_builder_text(b, run->solver) : NULL;
    run->start_folder = run->start_folder ? jn_builder_text(b, run->start_folder) : NULL;
    jn_where *keys[] = {&run->integrator_where,   &run->max_step_where, &run->contact_start_where,
                        &run->impact_steps_where, &run->solver_where,   &run->theta_where,
                        &run->adapt_where,        &run->method_where,   &run->start_where,
                        &run->compliance_where};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) *keys[k] = copy_where(b, *keys[k]);
}

static void copy_bodies(jn_builder *b) {
    for (int i = 0; i < b->d->body_count; i++) {
        const jn_body_desc *from = &b->d->bodies[i];
        b->m->bodies[i] = (jn_body){jn_builder_text(b, from->name),
                                    copy_where(b, from->where),
                                    0,
                                    from->has_velocity,
                                    from->has_angular_velocity,
                                    from->velocity,
                                    from->angular_velocity};
    }
}

static void copy_joints(jn_builder *b) {
    for (int i = 0; i < b->d->joint_count; i++) {
        const jn_joint_desc *from = &b->d->joints[i];
        jn_joint *to = &b->m->joints[i];
        to->name = jn_builder_text(b, from->name);
        to->where = copy_where(b, from->where);
        to->type = from->type;
        for (int k = 0; k < JN_JOINT_MAX_NV; k++) {
            to->coordinate[k] = from->coordinate[k];
            to->coordinate[k].motion = jn_builder_function(b, from->coordinate[k].motion);
            to->coordinate[k].force = jn_builder_function(b, from->coordinate[k].force);
            to->coordinate[k].motor_target = jn_builder_function(b, from->coordinate[k].motor_target);
            to->coordinate[k].motor_speed = jn_builder_function(b, from->coordinate[k].motor_speed);
            to->coordinate[k].motor_feed = jn_builder_function(b, from->coordinate[k].motor_feed);
        }
    }
}

static void copy_tables(jn_builder *b) {
    for (int i = 0; i < b->d->table_count; i++) {
        const jn_table *t = &b->d->tables[i];
        b->m->tables[i] = (jn_table){jn_builder_text(b, t->name),       t->count,
                                     copy_numbers(b, t->x, t->count),   copy_numbers(b, t->y, t->count),
                                     copy_numbers(b, t->ydd, t->count), t->periodic};
    }
}

static bool holds_for(const jn_expect_desc *e, const jn_run_desc *run) {
    if (e->has_method && e->method != (int)run->method) return false;
    return !e->has_scheme || (run->method == JN_METHOD_NONSMOOTH && e->scheme == (int)run->scheme);
}

/* The rows that hold for the run's method and scheme. */
static void copy_expects(jn_builder *b) {
    for (int i = 0; i < b->d->expect_count; i++) {
        jn_expect_desc e = b->d->expects[i];
        if (!holds_for(&e, &b->d->run)) continue;
        e.where = copy_where(b, e.where);
        e.channel = jn_builder_text(b, e.channel);
        e.event = jn_builder_text(b, e.event);
        e.source = jn_builder_text(b, e.source);
        b->m->expects[b->m->expect_count++] = e;
    }
}

/* Copies names, places, functions, tables and options, so that the description may be freed. */
static int copy_plain_data(jn_builder *b) {
    const jn_description *d = b->d;
    jn_model *m = b->m;
    m->title = jn_builder_text(b, d->title ? d->title : "");
    m->file = jn_builder_text(b, d->file ? d->file : "");
    m->text = jn_builder_text(b, d->text);
    m->hash = d->hash;
    m->motion_hash = d->motion_hash;
    m->planar = d->planar;
    m->coordinates = d->coordinates;
    m->gravity = d->gravity;
    m->weightless = d->weightless;
    m->body_count = d->body_count;
    m->joint_count = d->joint_count;
    m->table_count = d->table_count;
    m->record_count = d->record_count;
    m->bodies = jn_builder_array(b, d->body_count, sizeof *m->bodies);
    m->joints = jn_builder_array(b, d->joint_count, sizeof *m->joints);
    m->tables = jn_builder_array(b, d->table_count, sizeof *m->tables);
    m->record = jn_builder_array(b, d->record_count, sizeof *m->record);
    m->expects = jn_builder_array(b, d->expect_count, sizeof *m->expects);
    if (b->failed || !copy_derived(b)) return JN_ERR_MEMORY;
    copy_run(b);
    for (int i = 0; i < JN_METHODS; i++) m->not_by[i] = jn_builder_text(b, d->not_by[i]);
    copy_bodies(b);
    copy_joints(b);
    copy_tables(b);
    for (int i = 0; i < d->record_count; i++) m->record[i] = jn_builder_text(b, d->record[i]);
    copy_expects(b);
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}

static void draw_bodies(jn_builder *b) {
    for (int i = 0; i < b->d->body_count; i++) {
        const jn_body_desc *body = &b->d->bodies[i];
        b->drawn[i] = (jn_pose){body->at, q4_matrix(body->orientation)};
    }
}

static int run_steps(jn_builder *b) {
    typedef int step(jn_builder *);
    static step *const steps[] = {copy_plain_data,   jn_build_joint_sides, jn_build_tree,     jn_build_constraints,
                                  jn_build_elements, jn_build_solids,      jn_build_contacts, jn_build_kkt_pattern};
    b->drawn = jn_builder_temp(b, b->d->body_count, sizeof *b->drawn);
    b->origin = jn_builder_temp(b, b->d->body_count, sizeof *b->origin);
    b->link_of = jn_builder_temp(b, b->d->body_count, sizeof *b->link_of);
    b->side = jn_builder_temp(b, b->d->joint_count, sizeof *b->side);
    if (b->failed) return JN_ERR_MEMORY;
    draw_bodies(b);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        int status = steps[k](b);
        if (status < 0) return status;
        if (b->failed) return JN_ERR_MEMORY;
    }
    return JN_OK;
}

/* The mechanism without clearance, in relative coordinates: NULL where there is none, or it cannot be built. */
static int compile_ideal(const jn_description *d, jn_model *m, jn_report *report) {
    bool loose = false, clearance = false;
    for (int i = 0; i < d->joint_count; i++) {
        loose |= d->joints[i].loose;
        clearance |= jn_joint_has_clearance(d->joints[i].type);
    }
    if (!loose && !clearance)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, "run.start",
                      "no joint has a clearance, so 'start: ideal' makes no difference\nremove it");
    if (!clearance) return JN_OK;
    jn_description ideal = *d;
    ideal.joints = jn_malloc((size_t)d->joint_count * sizeof *ideal.joints);
    if (!ideal.joints) return JN_ERR_MEMORY;
    memcpy(ideal.joints, d->joints, (size_t)d->joint_count * sizeof *ideal.joints);
    for (int i = 0; i < d->joint_count; i++) ideal.joints[i].type = jn_joint_ideal(d->joints[i].type);
    ideal.coordinates = JN_COORDINATES_RELATIVE;
    ideal.run.start = JN_START_DRAWN;
    m->ideal = jn_model_compile(&ideal, NULL);
    jn_free(ideal.joints);
    if (m->ideal) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){m->file, 1, 1}, "run.start",
                         "the mechanism without clearance cannot be built, which 'start: ideal' starts from\n"
                         "look at it with 'clearance: 0', or write 'start: drawn'");
}

jn_model *jn_model_compile(const jn_description *description, jn_report *report) {
    jn_builder b = {.d = description, .report = report};
    jn_description sticky;
    b.store = jn_store_create();
    b.temp = jn_store_create();
    int status = JN_ERR_MEMORY;
    if (b.store && b.temp && (b.m = jn_store_alloc(b.store, sizeof *b.m))) {
        memset(b.m, 0, sizeof *b.m);
        b.m->store = b.store;
        status = jn_build_adhesion(&b, &sticky);
        if (status >= 0) status = run_steps(&b);
    }
    jn_store_free(b.temp);
    if (status >= 0 && description->coordinates == JN_COORDINATES_ABSOLUTE) {
        jn_description relative = *description;
        relative.coordinates = JN_COORDINATES_RELATIVE;
        relative.run.start = JN_START_DRAWN;
        b.m->twin = jn_model_compile(&relative, report);
        if (!b.m->twin) status = JN_ERR_MODEL;
    }
    if (status >= 0 && description->run.start == JN_START_IDEAL) status = compile_ideal(description, b.m, report);
    if (status >= 0) return b.m;
    if (b.m) jn_model_free(b.m->twin);
    if (status == JN_ERR_MEMORY)
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){"", 0, 0}, NULL, "%s", jn_status_text(status));
    jn_store_free(b.store);
    return NULL;
}

void jn_model_free(jn_model *model) {
    if (!model) return;
    jn_model_free(model->twin);
    jn_model_free(model->ideal);
    jn_store_free(model->store);
}
