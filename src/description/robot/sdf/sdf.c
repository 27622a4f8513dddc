/* SDF: worlds and models of Gazebo. Links become bodies, joints the tree and, where a link has a second parent, loops. */
#include "description/robot/sdf/sdf.h"
#include "algebra/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double endless = 1e15; /* limits beyond it bind nothing */

static const struct {
    const char *name;
    jn_joint_type type;
} types[] = {{"revolute", JN_JOINT_REVOLUTE},
             {"continuous", JN_JOINT_REVOLUTE},
             {"prismatic", JN_JOINT_PRISMATIC},
             {"fixed", JN_JOINT_FIXED},
             {"ball", JN_JOINT_SPHERICAL},
             {"universal", JN_JOINT_UNIVERSAL},
             {"revolute2", JN_JOINT_UNIVERSAL},
             {"screw", JN_JOINT_SCREW}};

static bool read_type(jn_sdf *s, const jn_sdf_frame *f, jn_joint_type *type) {
    const char *word = jn_robot_attribute(s->b, f->e, "type");
    if (!word) return false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(types[i].name, word)) {
            *type = types[i].type;
            return true;
        }
    jn_robot_find(s->b, JN_FINDING_PHYSICS, f->e->where, jn_robot_text(s->b, "%.60s (%.40s)", f->name, word),
                  "joints of types that SDF 1.12 does not have",
                  "they are held fixed; write revolute, continuous, prismatic, screw, universal, revolute2, ball, fixed or gearbox");
    *type = JN_JOINT_FIXED;
    return true;
}

/* <xyz> is along the axes of the joint, or of its model where the file is old or says so, or of the frame that it names. */
bool jn_sdf_axis(jn_sdf *s, const jn_sdf_frame *f, const jn_xml *axis, jn_vec3 *out) {
    double x[3] = {0, 0, 1};
    const jn_xml *xyz = jn_xml_child(axis, "xyz");
    const char *in = xyz ? jn_xml_attribute_of(xyz, "expressed_in") : NULL;
    int frame = (int)(f - s->frames);
    if (!jn_sdf_numbers(s, axis, "xyz", 3, x)) return false;
    if (in && *in)
        frame = jn_sdf_find(s, in, f);
    else if (f->version < 1.5 || jn_sdf_flag(s, axis, "use_parent_model_frame"))
        frame = f->home;
    if (frame < -1) return jn_read_error(s->b->r, xyz->where, JN_ERR_MODEL, "there is no frame '%.60s'", in ? in : "");
    if (frame >= 0 && !jn_sdf_place(s, frame)) return false;
    jn_vec3 a = v3(x[0], x[1], x[2]);
    if (!(v3_norm(a) > 1e-12))
        return jn_read_error(s->b->r, axis->where, JN_ERR_MODEL, "joint '%.60s': its axis has length zero", f->name);
    *out = v3_unit(frame >= 0 ? q4_rotate(s->frames[frame].q, a) : a);
    return true;
}

static bool read_limits(jn_sdf *s, const jn_xml *axis, jn_robot_joint *j) {
    const jn_xml *limit = jn_xml_child(axis, "limit"), *dynamics = jn_xml_child(axis, "dynamics");
    double lower = -INFINITY, upper = INFINITY;
    if (limit && (!jn_sdf_numbers(s, limit, "lower", 1, &lower) || !jn_sdf_numbers(s, limit, "upper", 1, &upper)))
        return false;
    if (dynamics && (!jn_sdf_numbers(s, dynamics, "damping", 1, &j->damping) ||
                     !jn_sdf_numbers(s, dynamics, "friction", 1, &j->friction) ||
                     !jn_sdf_numbers(s, dynamics, "spring_stiffness", 1, &j->stiffness) ||
                     !jn_sdf_numbers(s, dynamics, "spring_reference", 1, &j->rest)))
        return false;
    j->damping = jn_fmax(0, j->damping), j->friction = jn_fmax(0, j->friction), j->stiffness = jn_fmax(0, j->stiffness);
    if (j->type == JN_JOINT_FIXED) j->damping = j->friction = j->stiffness = 0;
    if (j->type == JN_JOINT_FIXED || j->type == JN_JOINT_SPHERICAL || lower > upper) return true;
    if (lower == upper) {
        jn_robot_find(s->b, JN_FINDING_WARNING, limit->where, j->name, "joint whose limits are equal",
                      "it is held fixed");
        j->type = JN_JOINT_FIXED, j->damping = j->friction = j->stiffness = 0;
        return true;
    }
    j->has_lower = lower > -endless, j->has_upper = upper < endless;
    j->lower = j->has_lower ? lower : 0, j->upper = j->has_upper ? upper : 0;
    if (j->has_lower && lower > 0) j->position = lower;
    if (j->has_upper && upper < 0) j->position = upper;
    return true;
}

/* [m] per turn of a right-handed thread; older files have radians per metre of a left-handed one. */
static bool read_pitch(jn_sdf *s, const jn_sdf_frame *f, jn_robot_joint *j) {
    double old = 1, pitch = 0;
    if (!jn_sdf_numbers(s, f->e, "thread_pitch", 1, &old) || !jn_sdf_numbers(s, f->e, "screw_thread_pitch", 1, &pitch))
        return false;
    j->pitch = jn_xml_child(f->e, "screw_thread_pitch") ? pitch : -2 * M_PI / old;
    return (isfinite(j->pitch) && j->pitch != 0) ||
           jn_read_error(s->b->r, f->e->where, JN_ERR_MODEL, "joint '%.60s': its thread has no pitch", f->name);
}

/* Whether a body is another one, or the tree that was read so far hangs it there: a joint between both closes a loop. */
static bool hangs_on(const jn_robot *b, int body, int root) {
    while (body >= 0 && body != root) body = b->bodies[body].parent;
    return body == root;
}

static bool has_law(const jn_robot_joint *j) {
    return j->type == JN_JOINT_FIXED || j->has_lower || j->has_upper || j->damping != 0 || j->friction != 0 || j->stiffness != 0;
}

/* Both axes of a universal joint, each as a hinge with its range and what acts along it. */
static bool read_two_axes(jn_sdf *s, const jn_sdf_frame *f, const char *name, jn_robot_joint hinge[2]) {
    const jn_xml *axis[2] = {jn_xml_child(f->e, "axis"), jn_xml_child(f->e, "axis2")};
    if (!axis[1]) return jn_read_error(s->b->r, f->e->where, JN_ERR_MODEL, "joint '%.60s' has no <axis2>", f->name);
    for (int k = 0; k < 2; k++) {
        hinge[k] = (jn_robot_joint){.name = name, .where = f->e->where, .type = JN_JOINT_REVOLUTE, .axis = {0, 0, 1}, .mimic = -1, .factor = 1};
        if (axis[k] && (!jn_sdf_axis(s, f, axis[k], &hinge[k].axis) || !read_limits(s, axis[k], &hinge[k]))) return false;
    }
    return true;
}

/* Two hinges in a row, with a massless body between them: they have ranges, springs and friction, a universal joint has none. */
static bool add_two_hinges(jn_sdf *s, int frame, const jn_robot_joint hinge[2], int A, int B) {
    jn_robot *b = s->b;
    const jn_sdf_frame *f = &s->frames[frame];
    jn_robot_body *cross = jn_robot_add_body(b, jn_robot_text(b, "%.50s_cross", f->full), f->e->where);
    int middle = b->body_count - 1;
    if (!cross) return false;
    cross->at = f->at, cross->orientation = f->q, cross->parent = A, cross->helper = true;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? jn_robot_text(b, "%.60s_2", f->full) : f->full;
        jn_robot_joint *j = jn_robot_add_joint(b, name, f->e->where, hinge[k].type, k ? middle : A, k ? B : middle);
        if (!j) return false;
        *j = hinge[k];
        j->name = name, j->body[0] = k ? middle : A, j->body[1] = k ? B : middle, j->at = f->at;
    }
    b->bodies[B].parent = middle;
    return true;
}

/* A universal joint; where it has ranges, or anything acts along its axes, or they are not at right angles, and it closes no loop, two hinges. */
static bool read_universal(jn_sdf *s, int frame, int A, int B, bool reversed) {
    jn_robot *b = s->b;
    const jn_sdf_frame *f = &s->frames[frame];
    jn_robot_joint hinge[2];
    bool loop = b->bodies[B].parent != -2 || hangs_on(b, A, B);
    if (!read_two_axes(s, f, f->full, hinge)) return false;
    if (reversed) { /* the second axis comes first; angles of the first body against the second about -axis are the same */
        jn_robot_joint t = hinge[0];
        hinge[0] = hinge[1], hinge[1] = t;
        for (int k = 0; k < 2; k++) hinge[k].axis = v3_neg(hinge[k].axis);
    }
    bool crossed = fabs(v3_dot(hinge[0].axis, hinge[1].axis)) < 1e-6; /* as our universal joint needs them */
    bool laws = !crossed || has_law(&hinge[0]) || has_law(&hinge[1]);
    if (laws && !loop) return add_two_hinges(s, frame, hinge, A, B);
    if (laws)
        jn_robot_find(b, JN_FINDING_PHYSICS, f->e->where, f->name, "ranges, dynamics and skew axes of universal joints that close loops",
                      "they have no effect; write two revolute joints and a link between them");
    jn_robot_joint *j = jn_robot_add_joint(b, f->full, f->e->where, JN_JOINT_UNIVERSAL, A, B);
    if (!j) return false;
    j->at = f->at, j->axis = hinge[0].axis, j->axis2 = hinge[1].axis;
    if (loop)
        j->loop = b->has_loops = true;
    else
        b->bodies[B].parent = A;
    return true;
}

/* What holds a model: its canonical link, which it names, or its first link, else that of its first nested model; -2: none. */
static int canonical_link(const jn_sdf *s, int model) {
    const char *name = jn_xml_attribute_of(s->frames[model].e, "canonical_link");
    int nested = -2;
    if (name && *name) return jn_sdf_find_in(s, name, model);
    for (int i = model + 1; i < s->frame_count; i++) {
        if (s->frames[i].model != model) continue;
        if (s->frames[i].kind == JN_SDF_LINK) return i;
        if (s->frames[i].kind == JN_SDF_MODEL && nested < 0) nested = i;
    }
    return nested;
}

/* What a frame is attached to: of its own, the one that it names; of a joint, its child; of a model, its canonical link. */
static int held_by(jn_sdf *s, int i) {
    const jn_sdf_frame *f = &s->frames[i];
    const char *to = f->kind == JN_SDF_JOINT ? jn_sdf_text(s, f->e, "child") : jn_xml_attribute_of(f->e, "attached_to");
    if (f->kind == JN_SDF_MODEL) return canonical_link(s, i);
    return to && *to ? jn_sdf_find(s, to, f) : f->home;
}

int jn_sdf_end(jn_sdf *s, const jn_sdf_frame *f, const char *which) {
    const char *name = jn_sdf_text(s, f->e, which);
    int i = name ? jn_sdf_find(s, name, f) : -2;
    for (int depth = 0; i >= 0 && s->frames[i].kind != JN_SDF_LINK && depth < s->frame_count; depth++) i = held_by(s, i);
    if (i >= 0 && s->frames[i].kind == JN_SDF_LINK) return i;
    if (i == -1) return -1;
    if (s->lacks_models && name && strstr(name, "::")) {
        jn_robot_find(s->b, JN_FINDING_MISSING, f->e->where, f->name, "joints of included models that are not there", "they are left out");
        return -2;
    }
    jn_read_error(s->b->r, f->e->where, JN_ERR_MODEL, "joint '%.60s': its <%s> '%.60s' is no link", f->name, which,
                  name ? name : "");
    return -2;
}

static bool read_joint(jn_sdf *s, int frame) {
    jn_robot *b = s->b;
    const jn_sdf_frame *f = &s->frames[frame];
    const char *word = jn_xml_attribute_of(f->e, "type");
    if (word && !strcmp(word, "gearbox")) return true; /* it holds nothing: jn_sdf_gearboxes */
    int parent = jn_sdf_end(s, f, "parent"), child = jn_sdf_end(s, f, "child");
    jn_joint_type type;
    if (parent < -1 || child < -1) return s->b->r->status == JN_OK; /* left out */
    if (!jn_sdf_place(s, frame) || !read_type(s, f, &type)) return false;
    int A = parent < 0 ? -1 : s->frames[parent].body, B = child < 0 ? -1 : s->frames[child].body;
    if (A == B) return true; /* both on the ground */
    bool reversed = B < 0 || (b->bodies[B].parent >= -1 && A >= 0 && b->bodies[A].parent == -2);
    if (reversed) {
        int t = A;
        A = B, B = t;
    }
    if (type == JN_JOINT_UNIVERSAL) return read_universal(s, frame, A, B, reversed);
    jn_robot_joint *j = jn_robot_add_joint(b, f->full, f->e->where, type, A, B);
    if (!j) return false;
    const jn_xml *axis = jn_xml_child(f->e, "axis");
    j->at = s->frames[frame].at;
    if (axis && type != JN_JOINT_SPHERICAL && type != JN_JOINT_FIXED && !jn_sdf_axis(s, f, axis, &j->axis)) return false;
    if (axis && !read_limits(s, axis, j)) return false;
    if (type == JN_JOINT_SCREW && !read_pitch(s, f, j)) return false;
    if (reversed) j->axis = v3_neg(j->axis);
    if (b->bodies[B].parent == -2 && !hangs_on(b, A, B))
        b->bodies[B].parent = A;
    else
        j->loop = b->has_loops = true;
    return true;
}

/* Ball joints and hinges that close loops which all but move in a plane hold their point in that plane: the hinges of the loop do the rest. */
static void hold_in_planes(jn_robot *b) {
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        jn_vec3 across;
        bool exactly, hinge = j->type == JN_JOINT_REVOLUTE && !j->has_lower && !j->has_upper && j->damping == 0 && j->friction == 0 && j->stiffness == 0;
        if (!j->loop || (j->type != JN_JOINT_SPHERICAL && !hinge)) continue;
        if (!jn_robot_moves_in_plane(b, j->body[0], j->body[1], j->at, &across, &exactly) || exactly) continue;
        if (hinge && v3_norm(v3_cross(v3_unit(j->axis), across)) > 0.03) continue;
        for (int k = 0; k < 2; k++) {
            const jn_robot_body *body = j->body[k] < 0 ? NULL : &b->bodies[j->body[k]];
            j->frame_at[k] = body ? q4_rotate(q4_conj(body->orientation), v3_sub(j->at, body->at)) : j->at;
        }
        j->local = true;
        jn_robot_hold_on_line(b, j, across);
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "joints that close loops which move in a plane",
                      "they hold their point in that plane; across it the hinges of the loop do");
    }
}

/* <mimic> of an axis: own = multiplier (of - reference) + offset. */
static bool read_mimics(jn_sdf *s) {
    jn_robot *b = s->b;
    for (int i = 0; i < s->frame_count; i++) {
        const jn_sdf_frame *f = &s->frames[i];
        const jn_xml *axis = f->kind == JN_SDF_JOINT ? jn_xml_child(f->e, "axis") : NULL,
                     *e = axis ? jn_xml_child(axis, "mimic") : NULL;
        int own = e ? jn_robot_find_joint(b, f->full) : -1;
        const char *other = own >= 0 ? jn_robot_attribute(b, e, "joint") : NULL;
        double factor = 1, offset = 0, reference = 0;
        if (!other || !jn_sdf_numbers(s, e, "multiplier", 1, &factor) || !jn_sdf_numbers(s, e, "offset", 1, &offset) ||
            !jn_sdf_numbers(s, e, "reference", 1, &reference))
            continue;
        int of = jn_sdf_find(s, other, f);
        of = of >= 0 ? jn_robot_find_joint(b, s->frames[of].full) : -1;
        if (!jn_robot_mimic(b, e, own, of, other, factor, offset - factor * reference)) return false;
    }
    jn_robot_start_mimics(b);
    return true;
}

/* Bodies of links; links of static models are parts of the ground. */
static bool add_links(jn_sdf *s) {
    jn_robot *b = s->b;
    for (int i = 0; i < s->frame_count; i++) {
        jn_sdf_frame *f = &s->frames[i];
        if (f->kind != JN_SDF_LINK) continue;
        if (!jn_sdf_place(s, i)) return false;
        f->body = -1;
        if (!f->fixed) {
            jn_robot_body *body = jn_robot_add_body(b, f->full, f->e->where);
            if (!body) return false;
            body->at = f->at, body->orientation = f->q, body->parent = -2; /* none yet */
            f->body = b->body_count - 1;
            if (!jn_sdf_inertial(s, f->e, body)) return false;
        }
        jn_vec3 at = f->fixed ? f->at : v3(0, 0, 0);
        int first = b->shape_count;
        if (!jn_sdf_collisions(s, f->e, f->body, at, f->fixed ? f->q : q4_identity())) return false;
        if (!f->fixed && !jn_sdf_auto_inertial(s, f->e, f->body, first)) return false;
    }
    return true;
}

/* Links that no joint carries are free, or, with a fixed base, joined to the ground. */
static bool add_roots(jn_robot *b) {
    bool fixed = b->options->base == JN_BASE_FIXED;
    for (int i = 0; i < b->body_count; i++) {
        if (b->bodies[i].parent != -2) continue;
        b->bodies[i].parent = -1;
        const char *name = jn_robot_text(b, "%.50s_%s", b->bodies[i].name, fixed ? "ground" : "free");
        if (!jn_robot_add_joint(b, name, b->bodies[i].where, fixed ? JN_JOINT_FIXED : JN_JOINT_FREE, -1, i))
            return false;
    }
    return true;
}

/* The step of the physics that the world uses: the one that is marked as default, else the first; 1 ms without one, as SDF has it. */
static bool read_step(jn_sdf *s, const jn_xml *world) {
    const jn_xml *physics = jn_xml_child(world, "physics");
    for (int i = 0; i < world->count; i++) {
        const char *chosen = strcmp(world->children[i]->name, "physics") ? NULL : jn_xml_attribute_of(world->children[i], "default");
        if (chosen && (!strcmp(chosen, "true") || !strcmp(chosen, "1"))) physics = world->children[i];
    }
    double step = s->b->step;
    if (physics && !jn_sdf_numbers(s, physics, "max_step_size", 1, &step)) return false;
    if (step > 0 && isfinite(step)) s->b->step = step;
    return true;
}

bool jn_sdf_read(jn_robot *b, const jn_xml *root) {
    jn_sdf s = {.b = b};
    const char *version = jn_xml_attribute_of(root, "version");
    const jn_xml *world = jn_xml_child(root, "world"), *from = world ? world : root;
    double g[3] = {0, 0, -9.8};
    s.version = version ? strtod(version, NULL) : 1.5;
    b->step = 1e-3;
    if (world && (!jn_sdf_numbers(&s, world, "gravity", 3, g) || !read_step(&s, world))) return false;
    b->gravity = v3(g[0], g[1], g[2]);
    b->title = jn_xml_child(from, "model") ? jn_xml_attribute_of(jn_xml_child(from, "model"), "name") : NULL;
    if (!jn_sdf_collect(&s, from, -1, -1, false, 0) || !add_links(&s)) return false;
    for (int i = 0; i < s.frame_count; i++)
        if (s.frames[i].kind == JN_SDF_JOINT && !read_joint(&s, i)) return false;
    if (b->body_count == 0 && b->shape_count == 0)
        return jn_read_error(b->r, root->where, s.lacks_models ? JN_ERR_IO : JN_ERR_MODEL, "the file has no <link> in a <model> that moves, and no <collision>%s",
                             s.lacks_models ? ": models that it includes are not there\nname the folder that holds theirs by --packages DIR" : "");
    if (b->body_count == 0) jn_robot_tell_still(b, root->where);
    hold_in_planes(b);
    if (!read_mimics(&s) || !jn_sdf_gearboxes(&s) || !add_roots(b)) return false;
    jn_robot_hold_massless_roots(b);
    return b->r->status == JN_OK;
}
