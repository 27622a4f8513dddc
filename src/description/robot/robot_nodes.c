/* A robot as the tree of a model file. Numbers have 15 digits, so that people can read them. */
#include "description/robot/robot_nodes.h"
#include "algebra/elementary.h"
#include "description/read/inertia.h"
#include "description/robot/robot_contact_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 63 };

/* ------------------------------------------------------------------------------------------------------- names */

/* A name as our format allows it, with the robot's prefix, not yet taken. */
static const char *clean(jn_robot *b, jn_names *taken, const char *name, jn_where where) {
    char text[NAME_MOST + 1], trial[NAME_MOST + 1];
    snprintf(text, sizeof text, "%s%.*s", b->prefix, NAME_MOST, name);
    bool changed = strlen(name) + strlen(b->prefix) > NAME_MOST;
    for (char *p = text; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool digit = *p >= '0' && *p <= '9';
        if (letter || (p > text && (digit || *p == '-'))) continue;
        *p = '_', changed = true;
    }
    if (!*text) snprintf(text, sizeof text, "unnamed");
    snprintf(trial, sizeof trial, "%s", text);
    for (int n = 2; !strcmp(trial, "ground") || jn_names_find(taken, trial) >= 0; n++, changed = true)
        snprintf(trial, sizeof trial, "%.50s_%d", text, n);
    const char *copy = jn_store_strdup(b->r->store, trial);
    if (!copy) {
        jn_read_no_memory(b->r);
        return name;
    }
    if (changed)
        jn_robot_find(b, JN_FINDING_NOTE, where, jn_robot_text(b, "'%.100s' is called '%s'", name, copy),
                      "names changed", "a name has up to 63 letters, digits, _ and -, starts with a letter and stands once");
    jn_names_add(taken, copy);
    return copy;
}

static bool clean_names(jn_robot *b) {
    jn_names bodies, joints, tendons, actuators, sensors, others;
    if (!jn_names_create(&bodies, b->r->scratch, b->body_count) ||
        !jn_names_create(&joints, b->r->scratch, b->joint_count) ||
        !jn_names_create(&tendons, b->r->scratch, b->tendon_count) ||
        !jn_names_create(&actuators, b->r->scratch, b->actuator_count) ||
        !jn_names_create(&sensors, b->r->scratch, b->sensor_count) ||
        !jn_names_create(&others, b->r->scratch,
                         b->coupler_count + b->point_count + b->material_count + b->parameter_count))
        return jn_read_no_memory(b->r);
    for (int i = 0; i < b->body_count; i++)
        b->bodies[i].name = clean(b, &bodies, b->bodies[i].name, b->bodies[i].where);
    for (int i = 0; i < b->joint_count; i++)
        b->joints[i].name = clean(b, &joints, b->joints[i].name, b->joints[i].where);
    for (int i = 0; i < b->parameter_count; i++) /* they stand in expressions, where a dash is a minus */
        jn_names_add(&others, b->parameters[i].name);
    for (int i = 0; i < b->coupler_count; i++)
        b->couplers[i].name = clean(b, &others, b->couplers[i].name, b->couplers[i].where);
    for (int i = 0; i < b->tendon_count; i++)
        b->tendons[i].name = clean(b, &tendons, b->tendons[i].name, b->tendons[i].where);
    for (int i = 0; i < b->actuator_count; i++)
        b->actuators[i].desc.name = clean(b, &actuators, b->actuators[i].desc.name, b->actuators[i].desc.where);
    for (int i = 0; i < b->sensor_count; i++)
        b->sensors[i].desc.name = clean(b, &sensors, b->sensors[i].desc.name, b->sensors[i].desc.where);
    for (int i = 0; i < b->point_count; i++)
        b->points[i].name = clean(b, &others, b->points[i].name, b->points[i].where);
    for (int i = 0; i < b->material_count; i++)
        b->materials[i].name = clean(b, &others, b->materials[i].name, b->materials[i].where);
    return true;
}

static jn_node *between(jn_robot *b, jn_where where, int first, int second) {
    jn_node *list = make(b, JN_NODE_LIST, where);
    append(b, list, word(b, where, body_name(b, first)));
    append(b, list, word(b, where, body_name(b, second)));
    return list;
}

/* ------------------------------------------------------------------------------------------------------ bodies */

static jn_node *points_node(jn_robot *b, const jn_robot_shape *s) {
    jn_node *list = make(b, JN_NODE_LIST, s->where);
    for (int i = 0; i < s->point_count; i++) append(b, list, vector(b, s->where, s->points[i]));
    return list;
}

static jn_node *triangles_node(jn_robot *b, const jn_robot_shape *s) {
    jn_node *list = make(b, JN_NODE_LIST, s->where);
    for (int i = 0; i < s->triangle_count; i++)
        append(b, list, numbers(b, s->where, 3, (double[]){s->triangles[i][0], s->triangles[i][1], s->triangles[i][2]}));
    return list;
}

static jn_node *rows_node(jn_robot *b, const jn_robot_shape *s) {
    jn_node *list = make(b, JN_NODE_LIST, s->where);
    for (int i = 0; i < s->grid[1]; i++)
        append(b, list, numbers(b, s->where, s->grid[0], s->heights + (size_t)i * (size_t)s->grid[0]));
    return list;
}

static jn_node *shape_node(jn_robot *b, const jn_robot_shape *s) {
    jn_node *map = make(b, JN_NODE_MAP, s->where);
    put(b, map, "type", word(b, s->where, jn_shape_type_info(s->type)->name));
    switch (s->type) {
    case JN_SHAPE_SPHERE: put(b, map, "radius", number(b, s->where, s->size.x)); break;
    case JN_SHAPE_CYLINDER:
    case JN_SHAPE_CAPSULE:
        put(b, map, "radius", number(b, s->where, s->size.x));
        put(b, map, "length", number(b, s->where, s->size.y));
        break;
    case JN_SHAPE_CONE:
        put(b, map, "radius", number(b, s->where, s->size.x));
        put(b, map, "height", number(b, s->where, s->size.y));
        break;
    case JN_SHAPE_BOX:
    case JN_SHAPE_ELLIPSOID: put(b, map, "size", vector(b, s->where, s->size)); break;
    case JN_SHAPE_HEIGHTFIELD:
        put(b, map, "size", numbers(b, s->where, 2, &s->size.x));
        put(b, map, "heights", rows_node(b, s));
        break;
    case JN_SHAPE_MESH:
    case JN_SHAPE_HULL:
        if (s->type == JN_SHAPE_HULL) put_number(b, map, s->where, "simplify", b->options->simplify);
        if (!s->file) {
            put(b, map, "points", points_node(b, s));
            if (s->triangle_count) put(b, map, "triangles", triangles_node(b, s));
            break;
        }
        put(b, map, "file", word(b, s->where, s->file));
        if (s->scale.x == s->scale.y && s->scale.y == s->scale.z && s->scale.x != 1)
            put(b, map, "scale", number(b, s->where, s->scale.x));
        else if (s->scale.x != 1 || s->scale.y != 1 || s->scale.z != 1)
            put(b, map, "scale", vector(b, s->where, s->scale));
        break;
    default: break;
    }
    put_place(b, map, s->where, s->at, s->orientation);
    if (s->name) put(b, map, "name", word(b, s->where, s->name));
    if (s->material >= 0) put(b, map, "contact", word(b, s->where, b->materials[s->material].name));
    if (s->layer != 1)
        put(b, map, "layer", s->layer < 0 ? word(b, s->where, "all") : number(b, s->where, (double)s->layer));
    if (s->touches >= 0) put(b, map, "touches", number(b, s->where, (double)s->touches));
    put_number(b, map, s->where, "adhesion", s->adhesion);
    if (s->adhesion > 0) put_number(b, map, s->where, "adhesion_reach", s->adhesion_reach);
    if (v3_norm(s->surface_velocity) > 0) put(b, map, "surface_velocity", vector(b, s->where, s->surface_velocity));
    if (v3_norm(s->surface_rotation) > 0) put(b, map, "surface_rotation", vector(b, s->where, s->surface_rotation));
    return map;
}

static void put_shapes(jn_robot *b, jn_node *map, int body, jn_where where) {
    jn_node *list = make(b, JN_NODE_LIST, where);
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].body == body) append(b, list, shape_node(b, &b->shapes[i]));
    if (list->count == 1)
        put(b, map, "shape", list->items[0]);
    else if (list->count)
        put(b, map, "shapes", list);
}

static jn_node *body_node(jn_robot *b, int i) {
    const jn_robot_body *body = &b->bodies[i];
    jn_where w = body->inertia_where;
    jn_node *map = make(b, JN_NODE_MAP, body->where);
    double a = body->rotor;
    jn_lump lump =
        jn_lump_add((jn_lump){body->mass, body->com, body->inertia}, (jn_lump){a, {0, 0, 0}, {a, a, a, 0, 0, 0}});
    if (a == 0) lump = (jn_lump){body->mass, body->com, body->inertia};
    put_place(b, map, body->where, body->at, body->orientation);
    put(b, map, "mass", number(b, w, lump.mass));
    if (lump.mass > 0) {
        const jn_sym3 *J = &lump.inertia;
        bool plain = J->xy == 0 && J->xz == 0 && J->yz == 0;
        put(b, map, "com", vector(b, w, lump.com));
        put(b, map, "inertia", numbers(b, w, plain ? 3 : 6, (double[]){J->xx, J->yy, J->zz, J->xy, J->xz, J->yz}));
        if (body->impossible) put(b, map, "unchecked", word(b, w, "true"));
    }
    if (body->moves) {
        put(b, map, "velocity", vector(b, body->where, body->velocity));
        put(b, map, "angular_velocity", vector(b, body->where, body->angular_velocity));
    }
    put_shapes(b, map, i, body->where);
    return map;
}

static jn_node *bodies_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where), *ground = make(b, JN_NODE_MAP, where);
    put_shapes(b, ground, -1, where);
    if (ground->count) put(b, map, "ground", ground);
    for (int i = 0; i < b->body_count; i++) put(b, map, b->bodies[i].name, body_node(b, i));
    return map;
}

/* ------------------------------------------------------------------------------------------------------ joints */

/* One value, or the same for all coordinates of the joint. */
static void put_coordinate(jn_robot *b, jn_node *map, const jn_robot_joint *j, const char *key, double x) {
    double all[JN_JOINT_MAX_NV] = {x, x, x, x, x, x};
    int nv = jn_joint_type_info(j->type)->nv;
    if (x != 0) put(b, map, key, nv == 1 ? number(b, j->where, x) : numbers(b, j->where, nv, all));
}

static void put_frames(jn_robot *b, jn_node *map, const jn_robot_joint *j) {
    jn_node *list = make(b, JN_NODE_LIST, j->where);
    for (int k = 0; k < 2; k++) {
        jn_node *frame = make(b, JN_NODE_MAP, j->where);
        put(b, frame, "at", vector(b, j->where, j->frame_at[k]));
        if (!is_zero(j->frame_axis[k])) put(b, frame, "axis", vector(b, j->where, j->frame_axis[k]));
        if (!is_zero(j->frame_axis2[k])) put(b, frame, "axis2", vector(b, j->where, j->frame_axis2[k]));
        append(b, list, frame);
    }
    put(b, map, "frames", list);
}

static jn_node *joint_node(jn_robot *b, const jn_robot_joint *j) {
    const jn_joint_info *info = jn_joint_type_info(j->type);
    jn_node *map = make(b, JN_NODE_MAP, j->where);
    put(b, map, "type", word(b, j->where, info->name));
    put(b, map, "between", between(b, j->where, j->body[0], j->body[1]));
    if (j->local) {
        put_frames(b, map, j);
    } else if (j->type != JN_JOINT_FIXED && j->type != JN_JOINT_FREE) {
        put(b, map, "at", vector(b, j->where, j->at));
        if (info->needs_axis && j->type != JN_JOINT_UNIVERSAL) put(b, map, "axis", vector(b, j->where, j->axis));
    }
    if (j->type == JN_JOINT_UNIVERSAL) {
        jn_node *axes = make(b, JN_NODE_LIST, j->where);
        append(b, axes, vector(b, j->where, j->axis)), append(b, axes, vector(b, j->where, j->axis2));
        put(b, map, "axes", axes);
    }
    if (j->type == JN_JOINT_SCREW) put(b, map, "pitch", number(b, j->where, j->pitch));
    if (j->loop) put(b, map, "loop", word(b, j->where, "true"));
    put_coordinate(b, map, j, "position", j->position);
    if (j->position != 0 && (b->has_loops || j->mimic >= 0)) put(b, map, "approximate", word(b, j->where, "true"));
    if (j->has_lower) put(b, map, "lower", number(b, j->where, j->lower));
    if (j->has_upper) put(b, map, "upper", number(b, j->where, j->upper));
    put_coordinate(b, map, j, "armature", j->armature);
    put_coordinate(b, map, j, "stiffness", j->stiffness);
    if (j->stiffness != 0) put_coordinate(b, map, j, "rest", j->rest);
    put_coordinate(b, map, j, "damping", j->damping);
    put_coordinate(b, map, j, "friction", j->friction);
    const char *force = jn_robot_polynomial(b, j->rest, 0, j->more_stiffness, j->more_damping);
    if (force) put(b, map, "force", word(b, j->where, force));
    return map;
}

static jn_node *couplers_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->coupler_count; i++) {
        const jn_robot_coupler *c = &b->couplers[i];
        jn_node *one = make(b, JN_NODE_MAP, c->where), *terms = make(b, JN_NODE_MAP, c->where),
                *tendons = make(b, JN_NODE_MAP, c->where);
        for (int k = 0; k < c->count; k++) {
            const double *p = c->power[k], all[] = {c->factor[k], p[0], p[1], p[2]};
            bool bends = p[0] != 0 || p[1] != 0 || p[2] != 0;
            jn_node *factors = bends ? numbers(b, c->where, 4, all) : number(b, c->where, c->factor[k]);
            put(b, c->tendon[k] ? tendons : terms,
                c->tendon[k] ? b->tendons[c->tendon[k] - 1].name : b->joints[c->joint[k]].name, factors);
        }
        if (terms->count) put(b, one, "joints", terms);
        if (tendons->count) put(b, one, "tendons", tendons);
        if (c->has_constant) put(b, one, "constant", number(b, c->where, c->constant));
        put(b, map, c->name, one);
    }
    return map;
}

/* Against gravity: the weight of a mass, at a point of the body's frame. */
static jn_node *lift_node(jn_robot *b, const jn_robot_body *body, double mass, jn_vec3 point) {
    jn_node *one = make(b, JN_NODE_MAP, body->where);
    put(b, one, "type", word(b, body->where, "force"));
    put(b, one, "body", word(b, body->where, body->name));
    put(b, one, "at", vector(b, body->where, v3_add(body->at, q4_rotate(body->orientation, point))));
    put(b, one, "force", vector(b, body->where, v3_scale(-mass, b->gravity)));
    return one;
}

/* MuJoCo's fluid on the box that has the inertia of the body: Stokes's law of a ball of its mean side, and the dynamic pressure on
 * its faces [MuJoCo, Fluid forces, inertia model]. */
static jn_node *drag_node(jn_robot *b, const jn_robot_body *body) {
    const double least = 1e-15;
    double I[3], s[3], linear[6], quadratic[6];
    jn_mat3 V;
    jn_robot_principal(body->inertia, I, &V);
    V = m3_from_columns(v3_cross(m3_column(&V, 1), m3_column(&V, 2)), m3_column(&V, 1), m3_column(&V, 2));
    if (body->has_axes) {
        V = q4_matrix(body->axes);
        jn_mat3 back = m3_transpose(&V);
        jn_sym3 J = s3_rotate(&back, &body->inertia);
        I[0] = J.xx, I[1] = J.yy, I[2] = J.zz;
    }
    for (int k = 0; k < 3; k++) s[k] = sqrt(jn_fmax(least, I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]) / body->mass * 6);
    double ball = (s[0] + s[1] + s[2]) / 3;
    for (int k = 0; k < 3; k++) {
        double y = s[(k + 1) % 3], z = s[(k + 2) % 3];
        linear[k] = 3 * M_PI * ball * b->viscosity, linear[k + 3] = M_PI * ball * ball * ball * b->viscosity;
        quadratic[k] = 0.5 * b->density * y * z;
        quadratic[k + 3] = b->density * s[k] * (y * y * y * y + z * z * z * z) / 64;
    }
    jn_quat q = q4_mul(body->orientation, q4_from_matrix(&V));
    jn_node *one = make(b, JN_NODE_MAP, body->where);
    put(b, one, "type", word(b, body->where, "drag"));
    put(b, one, "body", word(b, body->where, body->name));
    put(b, one, "at", vector(b, body->where, v3_add(body->at, q4_rotate(body->orientation, body->com))));
    if (is_turned(q)) put(b, one, "orientation", numbers(b, body->where, 4, (double[]){q.w, q.x, q.y, q.z}));
    if (b->viscosity > 0) put(b, one, "linear", numbers(b, body->where, 6, linear));
    if (b->density > 0) put(b, one, "quadratic", numbers(b, body->where, 6, quadratic));
    if (!is_zero(b->wind)) put(b, one, "wind", vector(b, body->where, b->wind));
    return one;
}

/* A damper between a free body's origin and the ground. */
static jn_node *damper_node(jn_robot *b, const jn_robot_body *body) {
    double c = body->free_damping;
    jn_node *one = make(b, JN_NODE_MAP, body->where);
    put(b, one, "type", word(b, body->where, "drag"));
    put(b, one, "body", word(b, body->where, body->name));
    put(b, one, "at", vector(b, body->where, body->at));
    put(b, one, "linear", numbers(b, body->where, 6, (double[]){c, c, c, c, c, c}));
    return one;
}

/* A geom as an ellipsoid in the fluid. */
static jn_node *fluid_node(jn_robot *b, const jn_robot_fluid *f) {
    const jn_robot_body *body = &b->bodies[f->body];
    jn_quat q = q4_mul(body->orientation, f->orientation);
    jn_node *one = make(b, JN_NODE_MAP, f->where);
    put(b, one, "type", word(b, f->where, "drag"));
    put(b, one, "body", word(b, f->where, body->name));
    put(b, one, "at", vector(b, f->where, v3_add(body->at, q4_rotate(body->orientation, f->at))));
    if (is_turned(q)) put(b, one, "orientation", numbers(b, f->where, 4, (double[]){q.w, q.x, q.y, q.z}));
    put(b, one, "ellipsoid", vector(b, f->where, f->axes));
    put(b, one, "coefficients", numbers(b, f->where, 5, f->coefficient));
    put_number(b, one, f->where, "density", b->density);
    put_number(b, one, f->where, "viscosity", b->viscosity);
    if (!is_zero(b->wind)) put(b, one, "wind", vector(b, f->where, b->wind));
    return one;
}

/* Points where ties hold their bodies, of those that do not rest as drawn. */
static bool add_tie_points(jn_robot *b) {
    for (int i = 0; i < b->tie_count; i++)
        for (int k = 0; b->ties[i].framed && k < 2; k++) {
            jn_robot_tie *t = &b->ties[i];
            t->point[k] = b->point_count;
            jn_robot_point *p =
                jn_robot_add_point(b, jn_robot_text(b, "%.55s_%d", t->name, k + 1), t->where, t->body[k], t->at[k]);
            if (!p) return false;
            p->orientation = t->frame[k];
        }
    return true;
}

static jn_node *tie_node(jn_robot *b, const jn_robot_tie *t) {
    jn_node *one = make(b, JN_NODE_MAP, t->where), *ends = make(b, JN_NODE_LIST, t->where);
    double k = t->stiffness, c = t->damping;
    put(b, one, "type", word(b, t->where, "bushing"));
    if (!t->framed) put(b, one, "between", between(b, t->where, t->body[0], t->body[1]));
    for (int i = 0; i < 2; i++)
        append(b, ends, t->framed ? word(b, t->where, b->points[t->point[i]].name) : vector(b, t->where, t->at[i]));
    put(b, one, t->framed ? "points" : "ends", ends);
    if (!t->framed) put(b, one, "local", word(b, t->where, "true"));
    double turn = t->turn_stiffness, slow = t->turn_damping;
    put(b, one, "stiffness", numbers(b, t->where, 6, (double[]){k, k, k, turn, turn, turn}));
    if (c > 0) put(b, one, "damping", numbers(b, t->where, 6, (double[]){c, c, c, slow, slow, slow}));
    return one;
}

/* Forces that carry a part of the weight of bodies, and that of rotors; what a fluid does. */
static jn_node *forces_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->body_count; i++) {
        const jn_robot_body *body = &b->bodies[i];
        if (body->lift != 0 && body->mass > 0)
            put(b, map, jn_robot_text(b, "%.52s_gravcomp", body->name),
                lift_node(b, body, body->lift * body->mass, body->com));
        if (body->mass > 0 && !body->shaped_drag && (b->density > 0 || b->viscosity > 0))
            put(b, map, jn_robot_text(b, "%.52s_drag", body->name), drag_node(b, body));
        if (body->free_damping > 0) put(b, map, jn_robot_text(b, "%.52s_damping", body->name), damper_node(b, body));
        if (body->rotor > 0 && v3_norm(b->gravity) > 0)
            put(b, map, jn_robot_text(b, "%.52s_armature", body->name), lift_node(b, body, body->rotor, v3(0, 0, 0)));
    }
    for (int i = 0; i < b->fluid_count; i++)
        put(b, map, jn_robot_text(b, "%.44s_fluid_%d", b->bodies[b->fluids[i].body].name, i + 1), fluid_node(b, &b->fluids[i]));
    for (int i = 0; i < b->tie_count; i++) put(b, map, b->ties[i].name, tie_node(b, &b->ties[i]));
    return map;
}

/* ---------------------------------------------------------------------------------------------------- contacts */

static jn_node *material_node(jn_robot *b, const jn_robot_material *m, jn_where w) {
    jn_node *map = make(b, JN_NODE_MAP, w);
    if (m->stiffness > 0) {
        put(b, map, "law", word(b, w, "kelvin_voigt"));
        put(b, map, "stiffness", number(b, w, m->stiffness));
        put(b, map, "damping", number(b, w, m->damping));
    }
    put(b, map, "restitution", number(b, w, m->restitution));
    put(b, map, "friction", number(b, w, m->friction));
    put(b, map, "combine", word(b, w, m->combine ? m->combine : "max")); /* as MuJoCo does */
    put_number(b, map, w, "spinning", m->spinning);
    put_number(b, map, w, "rolling", m->rolling);
    return map;
}

static jn_node *contacts_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->material_count; i++)
        put(b, map, b->materials[i].name, material_node(b, &b->materials[i], b->materials[i].where));
    for (int i = 0; i < b->pair_count; i++) {
        const jn_robot_pair *p = &b->pairs[i];
        if (p->material < 0) continue;
        jn_node *one = material_node(b, &b->materials[p->material], p->where);
        put(b, one, "between", between(b, p->where, p->body[0], p->body[1]));
        put(b, one, "joined", word(b, p->where, "true"));
        put(b, map, jn_robot_text(b, "%.28s_%.28s", body_name(b, p->body[0]), body_name(b, p->body[1])), one);
    }
    return map;
}

static jn_node *no_contact_node(jn_robot *b, jn_where where) {
    jn_node *list = make(b, JN_NODE_LIST, where);
    for (int i = 0; i < b->pair_count; i++)
        if (b->pairs[i].material < 0)
            append(b, list, between(b, b->pairs[i].where, b->pairs[i].body[0], b->pairs[i].body[1]));
    return list;
}

/* ---------------------------------------------------------------------------------------------------- the whole */

static void put_section(jn_robot *b, jn_node *root, const char *key, jn_node *section) {
    if (section->count) put(b, root, key, section);
}

static jn_node *run_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where);
    put(b, map, "method", word(b, where, "nonsmooth"));
    put(b, map, "step", number(b, where, b->step));
    put(b, map, "until", number(b, where, 10));
    return map;
}

jn_node *jn_robot_nodes(jn_robot *b) {
    jn_where where = {b->file, 1, 1};
    jn_node *root = make(b, JN_NODE_MAP, where), *map;
    if (!jn_robot_contact_pairs(b) || !add_tie_points(b) || !clean_names(b)) return NULL;
    if (b->title && *b->title && !*b->prefix) put(b, root, "title", word(b, where, b->title));
    if (!*b->prefix) put(b, root, "gravity", vector(b, where, b->gravity));
    map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->parameter_count; i++)
        put(b, map, b->parameters[i].name, number(b, b->parameters[i].where, b->parameters[i].value));
    put_section(b, root, "parameters", map);
    put_section(b, root, "bodies", bodies_node(b, where));
    map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->point_count; i++) {
        const jn_robot_point *p = &b->points[i];
        jn_node *one = make(b, JN_NODE_MAP, p->where);
        put(b, one, "body", word(b, p->where, body_name(b, p->body)));
        put(b, one, "at", vector(b, p->where, p->at));
        if (is_turned(p->orientation))
            put(b, one, "orientation",
                numbers(b, p->where, 4,
                        (double[]){p->orientation.w, p->orientation.x, p->orientation.y, p->orientation.z}));
        put(b, one, "local", word(b, p->where, "true"));
        put(b, map, p->name, one);
    }
    put_section(b, root, "points", map);
    map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->joint_count; i++) put(b, map, b->joints[i].name, joint_node(b, &b->joints[i]));
    put_section(b, root, "joints", map);
    put_section(b, root, "couplers", couplers_node(b, where));
    put_section(b, root, "tendons", jn_robot_tendons_node(b, where));
    put_section(b, root, "actuators", jn_robot_actuators_node(b, where));
    put_section(b, root, "sensors", jn_robot_sensors_node(b, where));
    put_section(b, root, "forces", forces_node(b, where));
    put_section(b, root, "contacts", contacts_node(b, where));
    put_section(b, root, "no_contact", no_contact_node(b, where));
    if (b->shape_count) put(b, root, "overlaps", word(b, where, "ignore"));
    if (!*b->prefix) put(b, root, "run", run_node(b, where));
    return b->r->status == JN_OK ? root : NULL;
}
