/* USD in text form with UsdPhysics: units, gravity, bodies; the parts are put together here. */
#include "description/robot/usd/usd.h"
#include "algebra/elementary.h"

#include <math.h>
#include <string.h>


bool jn_usd_walk(jn_usd *u, jn_usd_node *from, bool (*visit)(jn_usd *u, jn_usd_node *n)) {
    if (from->parent && !visit(u, from)) return false;
    for (int i = 0; i < from->child_count; i++)
        if (!jn_usd_walk(u, from->children[i], visit)) return false;
    return true;
}

jn_robot_pose jn_usd_body_pose(const jn_usd *u, int body) {
    if (body < 0) return (jn_robot_pose){{0, 0, 0}, {1, 0, 0, 0}};
    return (jn_robot_pose){u->b->bodies[body].at, u->b->bodies[body].orientation};
}

/* -------------------------------------------------------------------------------------------- units and gravity */

/* A number of the file's metadata; those of a layer below are not asked, as USD has it. */
static bool read_unit(jn_usd *u, const jn_usd_stack *stack, const char *name, double *out) {
    const jn_usd_field *f = jn_usd_metadata(stack, name);
    if (!f) return true;
    if (f->value.kind != JN_USD_NUMBERS || f->value.list || f->value.width != 1 || !(f->value.numbers[0] > 0) ||
        !isfinite(f->value.numbers[0]))
        return jn_read_error(u->b->r, f->value.where, JN_ERR_MODEL, "'%s' is a number above 0\nwrite '%s = 1'", name,
                             name);
    *out = f->value.numbers[0];
    return true;
}

static bool read_up(jn_usd *u, const jn_usd_stack *stack, bool *y_up) {
    const jn_usd_field *f = jn_usd_metadata(stack, "upAxis");
    *y_up = true;
    if (!f) return true;
    const char *word = f->value.kind == JN_USD_TEXTS && f->value.count == 1 ? f->value.texts[0] : "";
    *y_up = !strcmp(word, "Y");
    return *y_up || !strcmp(word, "Z") ||
           jn_read_error(u->b->r, f->value.where, JN_ERR_MODEL,
                         "'upAxis' is \"Y\" or \"Z\", not \"%.40s\"\nwrite 'upAxis = \"Z\"'", word);
}

/* From axes and units of the stage to metres and z upwards. */
static bool place_stage(jn_usd *u, const jn_usd_stack *stack) {
    jn_robot *b = u->b;
    bool y_up;
    u->meter = 0.01, u->kilogram = 1; /* as USD has it where the file says nothing */
    if (!read_unit(u, stack, "metersPerUnit", &u->meter) || !read_unit(u, stack, "kilogramsPerUnit", &u->kilogram) ||
        !read_up(u, stack, &y_up))
        return false;
    if (!jn_usd_metadata(stack, "metersPerUnit"))
        jn_robot_find(b, JN_FINDING_WARNING, (jn_where){b->file, 1, 1}, "0.01 m, as USD has it",
                      "the file does not say its unit of length",
                      "write 'metersPerUnit = 1' in the parentheses at its top if it is in metres");
    if (y_up)
        jn_robot_find(b, JN_FINDING_NOTE, (jn_where){b->file, 1, 1},
                      jn_usd_metadata(stack, "upAxis") ? "upAxis = \"Y\"" : "no upAxis, which is Y, as USD has it",
                      "the stage is turned", "its y axis stands upwards, along our z; its z is our -y");
    for (int i = 1; i < u->stage.stack_count; i++) {
        double other = 0.01;
        if (read_unit(u, u->stage.stacks[i], "metersPerUnit", &other) && fabs(other - u->meter) > 1e-9 * u->meter &&
            jn_usd_metadata(u->stage.stacks[i], "metersPerUnit"))
            jn_robot_find(
                b, JN_FINDING_WARNING, u->stage.stacks[i]->layers[0]->root.where, u->stage.stacks[i]->layers[0]->file,
                "files with another unit of length",
                "their numbers count in the unit of the stage, as USD has it; scale the prim that refers to them");
    }
    static const jn_mat3 stand_up = {{1, 0, 0, 0, 0, -1, 0, 1, 0}};
    jn_mat3 R = q4_matrix(b->options->orientation);
    if (y_up) R = m3_mul(&R, &stand_up);
    for (int k = 0; k < 9; k++) R.m[k] *= u->meter;
    u->stage.root->world = (jn_usd_matrix){R, b->options->at};
    return true;
}

/* Gravity of the first scene: along -z, 9.81 m/s^2, where the stage says nothing. */
static bool read_gravity(jn_usd *u, jn_usd_node *n) {
    static const double earth = 9.81; /* [m/s^2] */
    jn_vec3 along = {0, 0, 0};
    double size = -INFINITY;
    if (!jn_usd_is(n, "PhysicsScene")) return true;
    if (u->has_scene) {
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, n->path, "further scenes of physics",
                      "all bodies belong to the first");
        return true;
    }
    u->has_scene = true;
    if (!jn_usd_vector(&u->stage, n, "physics:gravityDirection", &along) ||
        !jn_usd_numbers(&u->stage, n, "physics:gravityMagnitude", 1, &size))
        return false;
    double g = size < 0 || !isfinite(size) ? earth : size * u->meter;
    jn_vec3 world = v3_scale(1 / u->meter, m3_mul_v(&u->stage.root->world.A, along));
    u->b->gravity = v3_norm(along) > 0 ? v3_scale(g, v3_unit(world)) : v3(0, 0, -g);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- bodies */

static bool read_velocity(jn_usd *u, jn_usd_node *n, jn_robot_body *body) {
    jn_vec3 v = {0, 0, 0}, w = {0, 0, 0};
    if (!jn_usd_vector(&u->stage, n, "physics:velocity", &v) ||
        !jn_usd_vector(&u->stage, n, "physics:angularVelocity", &w))
        return false;
    body->velocity = m3_mul_v(&n->world.A, v); /* in the prim's own space */
    body->angular_velocity = q4_rotate(body->orientation, v3_scale(JN_DEGREE, w));
    body->moves = v3_norm(v) > 0 || v3_norm(w) > 0;
    return true;
}

static bool add_body(jn_usd *u, jn_usd_node *n) {
    jn_robot_body *body = jn_robot_add_body(u->b, n->name, n->where);
    void *bodies = jn_store_grow(u->b->r->scratch, u->bodies, u->body_count, sizeof *u->bodies),
         *kinematic = jn_store_grow(u->b->r->scratch, u->kinematic, u->body_count, sizeof *u->kinematic);
    jn_robot_pose pose;
    jn_vec3 scale;
    if (!body || !bodies || !kinematic) return jn_read_no_memory(u->b->r);
    u->bodies = bodies, u->kinematic = kinematic;
    n->body = u->b->body_count - 1;
    u->bodies[u->body_count] = n, u->kinematic[u->body_count++] = false;
    if (!jn_usd_node_pose(u, n, 0, &pose, &scale)) return false;
    body->at = pose.p, body->orientation = pose.q, body->parent = -2; /* none yet */
    return jn_usd_flag(&u->stage, n, "physics:kinematicEnabled", &u->kinematic[n->body]) && read_velocity(u, n, body);
}

/* A body, or a part of that of its parent. */
static bool read_body(jn_usd *u, jn_usd_node *n) {
    bool enabled = true, jointed = n->is_body;
    n->body = n->reset ? -1 : n->parent->body;
    n->is_body = false;
    if (!jn_usd_has(n, "PhysicsRigidBodyAPI", NULL)) return true;
    if (!jn_usd_flag(&u->stage, n, "physics:rigidBodyEnabled", &enabled)) return false;
    if (!enabled) {
        jn_robot_find(u->b, JN_FINDING_NOTE, n->where, n->path, "bodies that are switched off (rigidBodyEnabled)",
                      "they are parts of what carries them");
        return true;
    }
    if (n->body >= 0 && !jointed) {
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, n->path, "bodies within bodies that no joint names",
                      "they are parts of the body around them, as UsdPhysics has it");
        return true;
    }
    n->is_body = true;
    return add_body(u, n);
}

static bool read_collider(jn_usd *u, jn_usd_node *n) {
    n->is_collider = jn_usd_has(n, "PhysicsCollisionAPI", NULL);
    return !n->is_collider || jn_usd_add_collider(u, n);
}

/* Schemas that add physics of their own; the marks of others, as cameras and lights, are none of ours. */
static bool look_for_others(jn_usd *u, jn_usd_node *n) {
    static const char *const makers[] = {"Mjc", "Physx", "Newton", "OmniPhysics", NULL};
    for (int k = 0; makers[k]; k++) {
        size_t length = strlen(makers[k]);
        for (int i = 0; i < n->api_count; i++) {
            bool moves = strstr(n->api[i], "Tendon") || strstr(n->api[i], "Mimic") || strstr(n->api[i], "Equality");
            if (!strncmp(n->api[i], makers[k], length))
                jn_robot_find(u->b, moves ? JN_FINDING_WARNING : JN_FINDING_NOTE, n->where, n->api[i],
                              moves ? "forces and constraints by schemas of other programs"
                                    : "schemas of other programs",
                              "they are not read: only what UsdPhysics says holds");
        }
        if (!strncmp(n->type, makers[k], length) && !strstr(n->type, "Joint"))
            jn_robot_find(u->b, JN_FINDING_WARNING, n->where, jn_robot_text(u->b, "%s (%s)", n->path, n->type),
                          "prims of other programs", "they have no effect");
    }
    if (jn_usd_is(n, "PointInstancer"))
        jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, n->path, "PointInstancer", "what it repeats is left out");
    return true;
}

bool jn_usd_read(jn_robot *b, const char *text, size_t length) {
    jn_usd u = {.stage = {.b = b}, .b = b};
    b->step = 1e-3;
    b->gravity = v3(0, 0, -9.81);
    b->world_parents_collide = b->joints_alone_ban = true;
    const jn_usd_stack *stack = jn_usd_open_text(&u.stage, text, length, b->file);
    if (!stack || !jn_usd_compose(&u.stage, stack) || !place_stage(&u, stack) || !jn_usd_place(&u.stage)) return false;
    jn_usd_node *root = u.stage.root;
    if (!jn_usd_walk(&u, root, look_for_others) || !jn_usd_walk(&u, root, jn_usd_check_names) ||
        !jn_usd_walk(&u, root, read_gravity) || !jn_usd_mark_jointed(&u) || !jn_usd_walk(&u, root, read_body) ||
        !jn_usd_walk(&u, root, read_collider))
        return false;
    const jn_usd_field *title = jn_usd_metadata(stack, "defaultPrim");
    b->title = title && title->value.kind == JN_USD_TEXTS && title->value.count == 1 ? title->value.texts[0] : NULL;
    if (b->body_count == 0) {
        jn_robot_tell(b), b->finding_count = 0;
        return jn_read_error(
            b->r, (jn_where){b->file, 1, 1}, JN_ERR_MODEL,
            "the stage has no body that moves\nadd 'prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]' to a prim");
    }
    if (!jn_usd_masses(&u) || !jn_usd_read_joints(&u) || !jn_usd_build_tree(&u) || !jn_usd_filters(&u)) return false;
    return b->r->status == JN_OK;
}
