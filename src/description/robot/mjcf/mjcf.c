/* MJCF: includes, settings of the compiler, options, and the order in which its sections are read. */
#include "description/robot/mjcf/mjcf.h"

#include "description/yaml/source.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST_INCLUDE = 32, MOST_INCLUDES = 1000 };

/* -------------------------------------------------------------------------------------------------------- includes */

jn_xml *jn_mjcf_load(jn_robot *b, const jn_xml *e, int depth, int *count) {
    const char *name = jn_robot_attribute(b, e, "file"),
               *path = name ? jn_source_beside(b->r, e->where.file, name) : NULL;
    if (path && access(path, R_OK) != 0)
        path = jn_source_beside(b->r, b->file, name); /* or beside the outermost file */
    static jn_xml nothing;
    size_t length;
    int status;
    if (!path) return NULL;
    if (depth > DEEPEST_INCLUDE || ++*count > MOST_INCLUDES) {
        jn_read_error(b->r, e->where, JN_ERR_LIMIT,
                      "files are included in more than %d levels, or more than %d: do they include each other?",
                      DEEPEST_INCLUDE, MOST_INCLUDES);
        return NULL;
    }
    if (b->options->lenient && access(path, R_OK) != 0) {
        jn_robot_find(b, JN_FINDING_MISSING, e->where, name, "included files that cannot be opened",
                      "what they hold is missing");
        return &nothing;
    }
    char *text = jn_source_load(b->r, path, e->where, b->r->scratch, &length);
    if (!text) return NULL;
    jn_xml *root = jn_xml_read(text, length, path, b->r->scratch, b->r->report, &status);
    if (!root) b->r->status = b->r->status ? b->r->status : status;
    return root && jn_mjcf_include(b, root, depth + 1, count) ? root : NULL;
}

/* The children of the included file's root stand in the place of the element. */
bool jn_mjcf_include(jn_robot *b, jn_xml *e, int depth, int *count) {
    for (int i = 0; i < e->count; i++) {
        if (strcmp(e->children[i]->name, "include")) {
            if (!jn_mjcf_include(b, e->children[i], depth, count)) return false;
            continue;
        }
        jn_xml *root = jn_mjcf_load(b, e->children[i], depth, count);
        if (!root) return false;
        size_t all = (size_t)e->count + (size_t)root->count;
        jn_xml **wide = jn_store_array(b->r->scratch, all, sizeof *wide);
        if (!wide) return jn_read_no_memory(b->r);
        memcpy(wide, e->children, (size_t)i * sizeof *wide);
        if (root->count) memcpy(wide + i, root->children, (size_t)root->count * sizeof *wide);
        memcpy(wide + i + root->count, e->children + i + 1, (size_t)(e->count - i - 1) * sizeof *wide);
        e->children = wide;
        e->count += root->count - 1;
        i += root->count - 1;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------------- settings */

static bool is_in(const char *const *list, const char *name) {
    for (int i = 0; list[i]; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

bool jn_mjcf_read_compiler(jn_mjcf *x, const jn_xml *e) {
    static const char *const known[] = {"angle",
                                        "eulerseq",
                                        "autolimits",
                                        "inertiafromgeom",
                                        "meshdir",
                                        "assetdir",
                                        "texturedir",
                                        "boundmass",
                                        "boundinertia",
                                        "balanceinertia",
                                        "settotalmass",
                                        "coordinate",
                                        "inertiagrouprange",
                                        "strippath",
                                        "discardvisual",
                                        "fusestatic",
                                        "convexhull",
                                        "usethread",
                                        "exactmeshinertia",
                                        "alignfree",
                                        "saveinertial",
                                        "fitaabb",
                                        "conflict",
                                        NULL};
    static const char *const changing[] = {NULL};
    jn_robot *b = x->b;
    const char *word;
    jn_mjcf_look(x, e, known, changing);
    if ((word = jn_xml_attribute_of(e, "angle"))) {
        if (strcmp(word, "degree") && strcmp(word, "radian"))
            return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<compiler angle> is degree or radian, not '%.40s'",
                                 word);
        x->compiler.degrees = word[0] == 'd';
    }
    if ((word = jn_xml_attribute_of(e, "eulerseq"))) {
        if (strlen(word) != 3 || strspn(word, "xyzXYZ") != 3)
            return jn_read_error(b->r, e->where, JN_ERR_MODEL,
                                 "<compiler eulerseq> has three letters of xyzXYZ, not '%.40s'", word);
        memcpy(x->compiler.euler, word, 4);
    }
    if ((word = jn_xml_attribute_of(e, "coordinate"))) x->compiler.global = !strcmp(word, "global");
    if ((word = jn_xml_attribute_of(e, "assetdir"))) x->compiler.mesh_folder = word;
    if ((word = jn_xml_attribute_of(e, "meshdir"))) x->compiler.mesh_folder = word;
    int geoms = jn_mjcf_flag(x, e, "inertiafromgeom", x->compiler.from_geoms ? 1 : x->compiler.never_from_geoms ? 0 : -1);
    x->compiler.from_geoms = geoms == 1, x->compiler.never_from_geoms = geoms == 0;
    x->compiler.exact_meshes = jn_mjcf_flag(x, e, "exactmeshinertia", x->compiler.exact_meshes) == 1;
    x->compiler.strip_paths = jn_mjcf_flag(x, e, "strippath", x->compiler.strip_paths) == 1;
    x->compiler.balance = jn_mjcf_flag(x, e, "balanceinertia", x->compiler.balance) == 1;
    x->compiler.limits_by_range = jn_mjcf_flag(x, e, "autolimits", x->compiler.limits_by_range) != 0;
    return jn_robot_numbers(b, e, "boundmass", 1, false, &x->compiler.least_mass) &&
           jn_robot_numbers(b, e, "boundinertia", 1, false, &x->compiler.least_inertia) &&
           jn_robot_numbers(b, e, "settotalmass", 1, false, &x->total_mass) &&
           jn_robot_numbers(b, e, "inertiagrouprange", 2, false, x->compiler.group_range);
}

/* Of the flags of the solver those matter that switch off a part of the physics. */
static void look_at_flags(jn_mjcf *x, const jn_xml *flag) {
    static const char *const idle[] = {"energy",  "fwdinv",   "sensornoise", "sensor",    "warmstart", "gravity",
                                       "contact", "multiccd", "eulerdamp",   "midphase",  "override",  "invdiscrete",
                                       "island",  "refsafe",  "autoreset",   "nativeccd", "clampctrl",
                                       "sleep",   NULL}; /* MuJoCo lets bodies at rest sleep to save time */
    static const char *const parts[] = {"constraint", "equality", "frictionloss", "limit", "passive",
                                        "spring",     "damper",   "actuation",    NULL};
    unsigned off = 0;
    for (int i = 0; i < flag->attribute_count; i++) {
        const char *name = flag->attributes[i].name;
        if (!strcmp(name, "filterparent")) {
            if (jn_mjcf_flag(x, flag, name, 1) == 1) continue;
        } else if (is_in(parts, name) || is_in(idle, name)) {
            continue;
        }
        jn_robot_find(x->b, JN_FINDING_PHYSICS, flag->where, name, "flags that are not understood",
                      "they have no effect");
    }
    for (int k = 0; parts[k]; k++)
        if (jn_mjcf_flag(x, flag, parts[k], 1) == 0) off |= 1u << k;
    if (off & 1) off |= 2 | 4 | 8; /* constraint: equality, frictionloss, limit */
    if (off & 16) off |= 32 | 64;  /* passive: spring, damper */
    x->without = (jn_mjcf_without){.equalities = off & 2,
                                   .friction = off & 4,
                                   .limits = off & 8,
                                   .springs = off & 32,
                                   .dampers = off & 64,
                                   .actuators = off & 128};
}

/* What the flags switch off goes, after all has been read. */
static void apply_flags(jn_mjcf *x) {
    jn_robot *b = x->b;
    const jn_mjcf_without *w = &x->without;
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        if (w->friction) j->friction = 0;
        if (w->limits) j->has_lower = j->has_upper = false;
        if (w->springs) j->stiffness = j->more_stiffness[0] = j->more_stiffness[1] = 0;
        if (w->dampers) j->damping = j->more_damping[0] = j->more_damping[1] = 0;
    }
    if (w->actuators) b->actuator_count = 0;
    for (int i = 0; i < b->tendon_count; i++) {
        jn_robot_tendon *t = &b->tendons[i];
        if (w->friction) t->friction = 0;
        if (w->limits) t->has_lower = t->has_upper = false;
        if (w->springs) t->stiffness = t->more_stiffness[0] = t->more_stiffness[1] = 0;
        if (w->dampers) t->damping = t->more_damping[0] = t->more_damping[1] = 0;
    }
}

/* actuatorgroupdisable: numbers of groups, 0 to 30. */
static bool read_disabled_groups(jn_mjcf *x, const jn_xml *e) {
    double groups[31] = {0};
    int count = jn_xml_attribute_of(e, "actuatorgroupdisable") ? jn_robot_list(x->b, e, "actuatorgroupdisable", 31, groups) : 0;
    for (int i = 0; i < count; i++) {
        if (!(groups[i] >= 0 && groups[i] <= 30))
            return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<option actuatorgroupdisable> needs numbers from 0 to 30");
        x->idle_groups |= (int64_t)1 << (int)groups[i];
    }
    return count >= 0;
}

static bool read_option(jn_mjcf *x, const jn_xml *e) {
    static const char *const known[] = {"timestep",
                                        "gravity",
                                        "integrator",
                                        "cone",
                                        "jacobian",
                                        "solver",
                                        "iterations",
                                        "tolerance",
                                        "noslip_iterations",
                                        "noslip_tolerance",
                                        "mpr_iterations",
                                        "mpr_tolerance",
                                        "ls_iterations",
                                        "ls_tolerance",
                                        "ccd_iterations",
                                        "ccd_tolerance",
                                        "impratio",
                                        "apirate",
                                        "collision",
                                        "sdf_iterations",
                                        "sdf_initpoints",
                                        "o_margin",
                                        "o_solref",
                                        "o_solimp",
                                        "o_friction",
                                        "magnetic",
                                        "actuatorgroupdisable",
                                        "sleep_tolerance",
                                        "wind",
                                        "density",
                                        "viscosity",
                                        NULL};
    static const char *const changing[] = {NULL};
    jn_mjcf_look(x, e, known, changing);
    if (!jn_robot_numbers(x->b, e, "timestep", 1, false, &x->b->step) ||
        !jn_robot_vector(x->b, e, "gravity", false, &x->b->gravity) ||
        !jn_robot_vector(x->b, e, "wind", false, &x->b->wind) ||
        !jn_robot_vector(x->b, e, "magnetic", false, &x->magnetic) ||
        !jn_robot_numbers(x->b, e, "density", 1, false, &x->b->density) ||
        !jn_robot_numbers(x->b, e, "viscosity", 1, false, &x->b->viscosity) || !read_disabled_groups(x, e))
        return false;
    if (x->b->density < 0 || x->b->viscosity < 0)
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<option density> and viscosity are not negative");
    if (!(x->b->step > 0)) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<option timestep> must be above 0");
    const jn_xml *flag = jn_xml_child(e, "flag");
    if (!flag) return true;
    if (jn_mjcf_flag(x, flag, "gravity", 1) == 0) x->b->gravity = v3(0, 0, 0);
    if (jn_mjcf_flag(x, flag, "contact", 1) == 0 || jn_mjcf_flag(x, flag, "constraint", 1) == 0) x->touching = false;
    look_at_flags(x, flag);
    return true;
}

static bool read_assets(jn_mjcf *x, const jn_xml *section) {
    for (int i = 0; i < section->count; i++) {
        if (strcmp(section->children[i]->name, "mesh") && strcmp(section->children[i]->name, "hfield")) continue;
        void *wide = jn_store_grow(x->b->r->scratch, x->meshes, x->mesh_count, sizeof *x->meshes);
        if (!wide) return jn_read_no_memory(x->b->r);
        x->meshes = wide;
        x->meshes[x->mesh_count++] = section->children[i];
    }
    return true;
}

static bool defaults(jn_mjcf *x, const jn_xml *section) { return jn_mjcf_read_defaults(x, section, NULL); }

/* ---------------------------------------------------------------------------------------------------------- sections */

/* Things that matter to the eye or to memory only. */
static const char *const idle_sections[] = {"visual", "statistic", "custom", "size", "keyframe", "extension", NULL};
static const char *const read_sections[] = {"compiler", "option",   "default", "asset",  "worldbody", "contact",
                                            "equality", "actuator", "tendon",  "sensor", NULL};

static bool each(jn_mjcf *x, const jn_xml *root, const char *name, bool (*read)(jn_mjcf *x, const jn_xml *section)) {
    bool fine = true;
    for (int i = 0; fine && i < root->count; i++) {
        if (strcmp(root->children[i]->name, name)) continue;
        jn_mjcf_compiler before = jn_mjcf_switch(x, root->children[i]);
        fine = read(x, root->children[i]);
        x->compiler = before;
    }
    return fine;
}

/* <compiler>, which sets what the others are read with. */
static bool each_plain(jn_mjcf *x, const jn_xml *root, const char *name, bool (*read)(jn_mjcf *x, const jn_xml *section)) {
    for (int i = 0; i < root->count; i++)
        if (!strcmp(root->children[i]->name, name) && !read(x, root->children[i])) return false;
    return true;
}

static bool expand(jn_mjcf *x) {
    for (int i = 0, count = x->root->count; i < count; i++) /* sections of attached models, which come behind, are expanded */
        if (!strcmp(x->root->children[i]->name, "worldbody") && !jn_mjcf_expand(x, x->root->children[i], 0)) return false;
    return true;
}

void jn_mjcf_tell_flexible(jn_mjcf *x, const jn_xml *e, const char *what, const char *effect) {
    static const char *const flexible[] = {"flexcomp", "flex", "composite", NULL};
    if (!strcmp(e->name, "skin")) return; /* for the eye alone */
    bool bends = is_in(flexible, e->name);
    const char *name = bends ? jn_xml_attribute_of(e, "name") : NULL;
    jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, name ? name : e->name,
                  bends ? "flexible bodies (flexcomp, flex, composite), where Jounce has rigid ones only" : what,
                  bends ? "they, and what is tied to them, are left out" : effect);
}

void jn_mjcf_tell_others(jn_mjcf *x, const jn_xml *root) {
    for (int i = 0; i < root->count; i++) {
        const jn_xml *e = root->children[i];
        if (is_in(read_sections, e->name) || is_in(idle_sections, e->name)) continue;
        for (int k = 0; k < e->count; k++)
            jn_mjcf_tell_flexible(x, e->children[k], jn_robot_text(x->b, "elements of <%s>, which are not understood", e->name),
                                  "they have no effect, and the physics differ");
    }
}

/* The keyframe that is asked for; without a wish the first one, if the drawn configuration is outside the ranges of the joints. */
static bool read_keyframe(jn_mjcf *x, const jn_xml *root) {
    jn_robot *b = x->b;
    const char *wanted = b->options->keyframe;
    bool any = !wanted || !*wanted;
    if (any && !x->outside) return true;
    for (int i = 0; i < root->count; i++)
        for (int k = 0; !strcmp(root->children[i]->name, "keyframe") && k < root->children[i]->count; k++) {
            const jn_xml *key = root->children[i]->children[k];
            const char *name = jn_xml_attribute_of(key, "name");
            if (!jn_xml_attribute_of(key, "qpos") || (!any && !(name && !strcmp(name, wanted)))) continue;
            if (any)
                jn_robot_find(b, JN_FINDING_NOTE, key->where, name ? name : "the first keyframe",
                              "joints are drawn outside their range",
                              "the robot starts at this keyframe; --keyframe NAME chooses another");
            return jn_mjcf_read_keyframe(x, key);
        }
    if (!any) return jn_read_error(b->r, root->where, JN_ERR_MODEL, "there is no keyframe '%.60s'", wanted);
    x->at_ends = true;
    for (int i = 0; i < b->joint_count; i++) {
        const jn_robot_joint *j = &b->joints[i];
        if (j->has_lower && (j->lower > 0 || j->upper < 0))
            jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "joints that are drawn outside their range",
                          "they start at its nearer end");
    }
    return true;
}

/* Masses that add up to settotalmass; stiffnesses that were per mass. */
static void scale_masses(jn_mjcf *x) {
    double total = 0;
    for (int i = 0; i < x->b->body_count; i++) total += x->b->bodies[i].mass;
    double scale = x->total_mass > 0 && total > 0 ? x->total_mass / total : 1;
    for (int i = 0; i < x->b->body_count; i++) {
        double *J = &x->b->bodies[i].inertia.xx;
        x->b->bodies[i].mass *= scale;
        for (int k = 0; k < 6; k++) J[k] *= scale;
    }
    for (int i = 0; i < x->b->material_count; i++) {
        x->b->materials[i].stiffness *= total * scale;
        x->b->materials[i].damping *= total * scale;
    }
}

static bool settles(const jn_robot_joint *j) {
    bool springy = j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC || j->type == JN_JOINT_SPHERICAL;
    return j->settle[0] > 0 && j->settle[1] > 0 && springy;
}

/* springdamper: stiffness and damping that give the time constant and the damping ratio as drawn, where all other joints give way. */
static bool settle_joints(jn_mjcf *x) {
    jn_robot *b = x->b;
    bool any = false;
    for (int i = 0; i < b->joint_count; i++) any |= settles(&b->joints[i]);
    double *inertia = any ? jn_store_array(b->r->scratch, (size_t)b->joint_count, sizeof *inertia) : NULL;
    if (!any) return true;
    if (!inertia) return jn_read_no_memory(b->r);
    if (!jn_robot_apparent_inertias(b, inertia)) return false;
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        double T = j->settle[0], z = j->settle[1];
        if (!settles(j)) continue;
        j->stiffness = inertia[i] / (T * T * z * z), j->damping = 2 * inertia[i] / T; /* k = I / (T z)^2, c = 2 I / T */
        if (j->type != JN_JOINT_SPHERICAL) continue;
        if (!x->without.springs && !jn_mjcf_add_spring(x, j)) return false;
        j->stiffness = 0;
    }
    return true;
}

/* Masks that let everything touch need not be written. */
static void plain_masks(jn_robot *b) {
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].layer != 1 || b->shapes[i].touches != 1) return;
    for (int i = 0; i < b->shape_count; i++) b->shapes[i].touches = -1;
}

bool jn_mjcf_read(jn_robot *b, jn_xml *root) {
    jn_mjcf x = {.b = b,
                 .root = root,
                 .touching = true,
                 .magnetic = {0, -0.5, 0},
                 .compiler = {.degrees = true, .limits_by_range = true, .euler = "xyz", .group_range = {0, 1e9}, .file = b->file}};
    b->title = jn_xml_attribute_of(root, "model");
    b->step = 0.002;
    b->gravity = v3(0, 0, -9.81);
    b->world_parents_collide = true;
    if (!jn_mjcf_include(b, root, 0, &x.included)) return false;
    jn_mjcf_tell_others(&x, root);
    if (!each_plain(&x, root, "compiler", jn_mjcf_read_compiler) || !each(&x, root, "option", read_option) || !expand(&x) ||
        !each(&x, root, "default", defaults) || !each(&x, root, "asset", read_assets) ||
        !each(&x, root, "worldbody", jn_mjcf_read_bodies))
        return false;
    scale_masses(&x);
    if (!settle_joints(&x)) return false;
    if (!each(&x, root, "contact", jn_mjcf_read_contacts) || !each(&x, root, "tendon", jn_mjcf_read_tendons) ||
        (!x.without.equalities && !each(&x, root, "equality", jn_mjcf_read_equalities)) ||
        !each(&x, root, "actuator", jn_mjcf_read_actuators) || !jn_mjcf_bound_joints(&x) || !each(&x, root, "sensor", jn_mjcf_read_sensors) ||
        !read_keyframe(&x, root))
        return false;
    jn_mjcf_start_equalities(&x);
    if (!jn_mjcf_soften_mocap(&x) || !jn_mjcf_soften_tendons(&x)) return false;
    apply_flags(&x);
    if (!jn_mjcf_add_rotors(&x)) return false;
    jn_mjcf_ground_laws(&x);
    plain_masks(b);
    if (b->body_count == 0 && b->shape_count == 0)
        return jn_read_error(b->r, root->where, JN_ERR_MODEL, "the model has no <body> in <worldbody>");
    if (b->body_count == 0) jn_robot_tell_still(b, root->where);
    return b->r->status == JN_OK;
}
