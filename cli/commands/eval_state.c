/* Reads a state: raw coordinates, joint coordinates, or motions of bodies. */
#include "base/memory.h"
#include "base/suggest.h"
#include "commands/command_eval.h"
#include "description/yaml/node.h"
#include "motion/work.h"
#include "step/compliant/compliant_step.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(jn_report *report, const jn_node *node, const char *text, const char *name) {
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, node->where, NULL, text, name);
    return false;
}

/* ------------------------------------------------------------------------------------------------------- numbers */

static bool read_number(jn_report *report, const jn_node *node, double *out) {
    char *end = NULL;
    if (node->kind == JN_NODE_SCALAR) *out = strtod(node->text, &end);
    if (end && end != node->text && !*end && isfinite(*out)) return true;
    return wrong(report, node, "this is no finite number%s", "");
}

/* Numbers of nested lists in their order; *count grows, also beyond most. */
static bool flatten(jn_report *report, const jn_node *node, double *out, int most, int *count) {
    double value;
    if (node->kind != JN_NODE_LIST) {
        if (!read_number(report, node, &value)) return false;
        if (*count < most) out[*count] = value;
        ++*count;
        return true;
    }
    for (int i = 0; i < node->count; i++)
        if (!flatten(report, node->items[i], out, most, count)) return false;
    return true;
}

/* Exactly count numbers, in any nesting. */
static bool read_numbers(jn_report *report, const jn_node *node, const char *name, double *out, int count) {
    int found = 0;
    if (!flatten(report, node, out, count, &found)) return false;
    if (found == count) return true;
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, node->where, NULL,
                  "%s has %d number%s, the model needs %d\n%s", name, found, found == 1 ? "" : "s", count,
                  "jounce eval without --state prints q_names and u_names");
    return false;
}

static bool known_keys(jn_report *report, const jn_node *map, const char *const *keys) {
    for (int i = 0; i < map->count; i++) {
        jn_suggest suggest = jn_suggest_for(map->entries[i].key);
        bool found = false;
        for (int k = 0; keys[k]; k++) {
            found |= !strcmp(keys[k], map->entries[i].key);
            jn_suggest_offer(&suggest, keys[k]);
        }
        if (found) continue;
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, map->entries[i].where, NULL,
                      "unknown key '%.80s'\n%s%s%s", map->entries[i].key,
                      suggest.best ? "write '" : "known are time, q, u, joints, bodies, tau, a, derivatives, actuated",
                      suggest.best ? suggest.best : "", suggest.best ? "'" : "");
        return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------------- joints */

static bool set_joint(const jn_model *m, jn_state *s, int joint, const jn_node *node, jn_report *report) {
    static const char *const keys[] = {"q", "u", NULL};
    int q = jn_model_joint_q_index(m, joint), u = jn_model_joint_u_index(m, joint);
    const jn_node *value;
    if (node->kind != JN_NODE_MAP) return wrong(report, node, "a joint's state is {q: ..., u: ...}%s", "");
    if (!known_keys(report, node, keys)) return false;
    if (q < 0)
        return wrong(report, node,
                     "the joint '%s' closes a loop: its coordinates follow from the others\ngive the joints of the "
                     "tree, or bodies",
                     jn_model_joint_name(m, joint));
    if ((value = jn_node_get(node, "q")) && !read_numbers(report, value, "q", s->q + q, jn_model_joint_nq(m, joint)))
        return false;
    return !(value = jn_node_get(node, "u")) || read_numbers(report, value, "u", s->u + u, jn_model_joint_nv(m, joint));
}

static bool set_joints(const jn_model *m, jn_state *s, const jn_node *node, jn_report *report) {
    if (node->kind != JN_NODE_MAP)
        return wrong(report, node, "joints are given by name: {NAME: {q: ..., u: ...}}%s", "");
    for (int i = 0; i < node->count; i++) {
        int joint = jn_model_find_joint(m, node->entries[i].key);
        if (joint < 0)
            return wrong(report, node->entries[i].value, "the model has no joint '%.80s'", node->entries[i].key);
        if (!set_joint(m, s, joint, node->entries[i].value, report)) return false;
    }
    return true;
}

/* Absolute coordinates: the joints are set on the same mechanism in relative coordinates and the bodies follow. */
static bool set_joints_by_twin(eval_state *e, const jn_node *node, jn_report *report) {
    const jn_model *m = e->model, *twin = m->twin;
    jn_state *s = jn_state_create(twin);
    jn_work *w = jn_work_create(twin);
    jn_body_motion *bodies = jn_malloc((size_t)m->body_count * sizeof *bodies);
    bool fine = s && w && bodies;
    if (!fine) wrong(report, node, "out of memory%s", "");
    fine = fine && jn_assemble(twin, w, s, report) >= 0 && set_joints(twin, s, node, report);
    if (fine) {
        s->t = e->state->t;
        fine =
            jn_observe(twin, w, s) >= 0 || wrong(report, node, "the accelerations at this state are not finite%s", "");
    }
    for (int i = 0; i < m->body_count && fine; i++) jn_body_motion_get(twin, w, i, &bodies[i]);
    if (fine) jn_state_from_bodies(m, e->work, e->state, bodies);
    jn_free(bodies);
    jn_work_free(w);
    jn_state_free(s);
    return fine;
}

/* -------------------------------------------------------------------------------------------------------- bodies */

static bool read_vector(jn_report *report, const jn_node *node, const char *name, bool planar, jn_vec3 *out) {
    double v[3] = {0, 0, 0};
    if (!read_numbers(report, node, name, v, planar ? 2 : 3)) return false;
    *out = (jn_vec3){v[0], v[1], v[2]};
    return true;
}

static bool read_orientation(jn_report *report, const jn_node *node, jn_quat *out) {
    double q[4];
    if (!read_numbers(report, node, "orientation", q, 4)) return false;
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(n > 0)) return wrong(report, node, "a quaternion cannot be zero%s", "");
    *out = (jn_quat){q[0] / n, q[1] / n, q[2] / n, q[3] / n};
    return true;
}

static bool read_body(const jn_model *m, const jn_node *node, jn_body_motion *b, jn_report *report) {
    static const char *const keys[] = {"position",     "orientation",          "angle", "velocity", "angular_velocity",
                                       "acceleration", "angular_acceleration", NULL};
    const jn_node *value;
    if (node->kind != JN_NODE_MAP) return wrong(report, node, "a body's state is {position: ..., velocity: ...}%s", "");
    if (!known_keys(report, node, keys)) return false;
    if ((value = jn_node_get(node, "position")) && !read_vector(report, value, "position", m->planar, &b->position))
        return false;
    if ((value = jn_node_get(node, "orientation")) && !read_orientation(report, value, &b->orientation)) return false;
    if ((value = jn_node_get(node, "angle"))) {
        if (!read_number(report, value, &b->angle)) return false;
        b->orientation = (jn_quat){cos(0.5 * b->angle), 0, 0, sin(0.5 * b->angle)};
    }
    if ((value = jn_node_get(node, "velocity")) && !read_vector(report, value, "velocity", m->planar, &b->velocity))
        return false;
    if (!(value = jn_node_get(node, "angular_velocity"))) return true;
    if (m->planar) return read_numbers(report, value, "angular_velocity", &b->angular_velocity.z, 1);
    return read_vector(report, value, "angular_velocity", false, &b->angular_velocity);
}

/* Bodies that are not named keep their motion of the initial state. */
/* In relative coordinates the joints may not be able to follow the poses that were given. */
static bool check_poses(const jn_model *m, const eval_state *e, const jn_node *node, const jn_body_motion *wanted,
                        jn_report *report) {
    jn_kinematics(m, e->work, e->state);
    for (int i = 1; i < m->body_count; i++) {
        jn_body_motion b;
        jn_body_motion_get(m, e->work, i, &b);
        const jn_body_motion *x = &wanted[i];
        jn_vec3 d = v3_sub(b.position, x->position);
        jn_vec3 turn = q4_log(q4_mul(b.orientation, q4_conj(q4_unit(x->orientation))));
        if (v3_norm(d) > 1e-6 * (1 + v3_norm(x->position)) || v3_norm(turn) > 1e-6)
            return wrong(report, node,
                         "the joints do not allow this pose of body '%s'\nwrite joint coordinates, or use "
                         "--set coordinates=absolute",
                         m->bodies[i].name);
    }
    return true;
}

static bool set_bodies(eval_state *e, const jn_node *node, jn_report *report) {
    const jn_model *m = e->model;
    jn_body_motion *bodies = jn_malloc((size_t)m->body_count * sizeof *bodies);
    bool fine = bodies && node->kind == JN_NODE_MAP && jn_observe(m, e->work, e->state) >= 0;
    if (!fine) wrong(report, node, "bodies are given by name: {NAME: {position: ..., velocity: ...}}%s", "");
    for (int i = 0; i < m->body_count && fine; i++) jn_body_motion_get(m, e->work, i, &bodies[i]);
    for (int i = 0; fine && i < node->count; i++) {
        int body = jn_model_find_body(m, node->entries[i].key);
        if (body < 0)
            fine = wrong(report, node->entries[i].value, "the model has no body '%.80s'", node->entries[i].key);
        else
            fine = read_body(m, node->entries[i].value, &bodies[body], report);
    }
    if (fine) jn_state_from_bodies(m, e->work, e->state, bodies);
    if (fine) fine = check_poses(m, e, node, bodies, report);
    jn_free(bodies);
    return fine;
}

/* --------------------------------------------------------------------------------------------------------- state */

static bool read_optional(const jn_node *root, const char *key, int count, double **out, jn_report *report) {
    const jn_node *node = jn_node_get(root, key);
    if (!node || node->kind == JN_NODE_EMPTY) return true;
    *out = jn_malloc(((size_t)count + 1) * sizeof **out);
    return *out ? read_numbers(report, node, key, *out, count) : wrong(report, node, "out of memory%s", "");
}

/* [NAME, ...] or {NAME: weight, ...}: joints of the tree with one coordinate. */
static bool read_actuated(eval_state *e, const jn_node *node, jn_report *report) {
    const jn_model *m = e->model;
    bool map = node->kind == JN_NODE_MAP;
    if (!map && node->kind != JN_NODE_LIST)
        return wrong(report, node, "'actuated' is a list of joints, or {joint: weight}%s", "");
    e->actuated = jn_malloc(((size_t)node->count + 1) * sizeof *e->actuated);
    e->weight = jn_malloc(((size_t)node->count + 1) * sizeof *e->weight);
    if (!e->actuated || !e->weight) return wrong(report, node, "out of memory%s", "");
    for (e->actuators = 0; e->actuators < node->count; e->actuators++) {
        const jn_node *value = map ? node->entries[e->actuators].value : node->items[e->actuators];
        const char *name = map ? node->entries[e->actuators].key : value->kind == JN_NODE_SCALAR ? value->text : "";
        int joint = jn_model_find_joint(m, name), at = joint >= 0 ? jn_model_joint_u_index(m, joint) : -1;
        double weight = 1;
        if (joint < 0) return wrong(report, value, "there is no joint '%s'", name);
        if (at < 0 || jn_model_joint_nv(m, joint) != 1)
            return wrong(report, value, "the joint '%s' is not a joint of the tree with one coordinate", name);
        if (map && !read_number(report, value, &weight)) return false;
        if (!(weight > 0)) return wrong(report, value, "the weight of '%s' must be greater than 0", name);
        e->actuated[e->actuators] = at, e->weight[e->actuators] = weight;
    }
    return true;
}

static bool set_state(eval_state *e, const jn_node *root, jn_report *report) {
    static const char *const keys[] = {"time", "q", "u",           "joints",   "bodies",
                                       "tau",  "a", "derivatives", "actuated", NULL};
    const jn_model *m = e->model;
    const jn_node *q = jn_node_get(root, "q"), *u = jn_node_get(root, "u"), *joints = jn_node_get(root, "joints");
    const jn_node *bodies = jn_node_get(root, "bodies"), *time = jn_node_get(root, "time");
    if (root->kind != JN_NODE_MAP) return wrong(report, root, "a state is a map with q and u, joints or bodies%s", "");
    if (!known_keys(report, root, keys)) return false;
    bool complete = q && u; /* decides alone, and needs no assembly to start from */
    if (!complete && jn_assemble(m, e->work, e->state, report) < 0) return false;
    if (time && !read_number(report, time, &e->state->t)) return false;
    if (bodies && !complete && !set_bodies(e, bodies, report)) return false;
    if (joints && !complete &&
        !(m->twin ? set_joints_by_twin(e, joints, report) : set_joints(m, e->state, joints, report)))
        return false;
    if (q && !read_numbers(report, q, "q", e->state->q, m->nq)) return false;
    if (u && !read_numbers(report, u, "u", e->state->u, m->nv)) return false;
    jn_q_normalise(m, e->state->q);
    jn_kinematics(m, e->work, e->state);
    jn_angles_update(m, e->work, e->state);
    const jn_node *derivatives = jn_node_get(root, "derivatives");
    e->derivatives = derivatives && derivatives->kind == JN_NODE_SCALAR && !strcmp(derivatives->text, "true");
    if (derivatives && !e->derivatives && (derivatives->kind != JN_NODE_SCALAR || strcmp(derivatives->text, "false")))
        return wrong(report, derivatives, "'derivatives' is true or false%s", "");
    const jn_node *actuated = jn_node_get(root, "actuated");
    if (actuated && !read_actuated(e, actuated, report)) return false;
    return read_optional(root, "tau", m->nv, &e->tau, report) && read_optional(root, "a", m->nv, &e->a, report);
}

/* The whole file in the store; NULL with a message. */
static char *load(const char *path, jn_store *store, size_t *length, jn_report *report) {
    bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdin : fopen(path, "rb");
    size_t room = 4096, used = 0, got;
    char *text = file ? jn_malloc(room) : NULL, *copy = NULL;
    while (text && (got = fread(text + used, 1, room - used, file)) > 0) {
        used += got;
        if (used < room) continue;
        char *wide = room < JN_FILE_LARGEST ? jn_realloc(text, room * 2) : NULL;
        if (!wide) break;
        text = wide;
        room *= 2;
    }
    if (!file || ferror(file))
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be read: %s",
                      strerror(errno));
    else if (text && (copy = jn_store_copy(store, text, used)))
        *length = used;
    if (file && !standard) fclose(file);
    jn_free(text);
    return copy;
}

bool eval_state_read(eval_state *e, const jn_model *m, const char *path, jn_report *report) {
    *e = (eval_state){.model = m, .work = jn_work_create(m), .state = jn_state_create(m), .actuators = -1};
    jn_where where = {path ? path : "", 0, 0};
    jn_store *store = jn_store_create();
    size_t length = 0;
    int status = JN_OK;
    bool fine = e->work && e->state && store;
    if (!fine) jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, where, NULL, "out of memory");
    if (fine && !path) fine = jn_assemble(m, e->work, e->state, report) >= 0;
    if (fine && path) {
        char *text = load(path, store, &length, report);
        const jn_node *root = text ? jn_yaml_read(text, length, path, store, report, &status) : NULL;
        fine = root && set_state(e, root, report);
    }
    jn_store_free(store);
    return fine;
}

bool eval_contacts_begin(eval_state *e, jn_report *report) {
    const jn_model *m = e->model;
    if (m->contact_room == 0 || m->run.method != JN_METHOD_COMPLIANT) return true;
    jn_sim *sim = jn_sim_create(m, report);
    if (!sim) return false;
    jn_contact_cache_resize(e->state, 0);
    jn_state_copy(sim->s, e->state);
    jn_work_free(e->work);
    jn_state_free(e->state);
    e->sim = sim, e->work = sim->w, e->state = sim->s;
    jn_kinematics(m, sim->w, sim->s);
    bool any;
    return jn_contact_detect(sim).status >= 0 && jn_contact_begin_all(sim, false, &any) >= 0;
}

void eval_state_free(eval_state *e) {
    if (!e->sim) jn_work_free(e->work), jn_state_free(e->state);
    jn_sim_free(e->sim);
    jn_free(e->actuated);
    jn_free(e->weight);
    jn_free(e->tau);
    jn_free(e->a);
}
