/* MJCF: geoms, the mass they give, and how their soft contact becomes a physical law. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static const char *const known[] = {
    "name",    "class",        "type", "pos",      "quat",       "axisangle",   "xyaxes", "zaxis",    "euler",
    "fromto",  "size",         "mass", "density",  "contype",    "conaffinity", "condim", "friction", "solref",
    "solimp",  "margin",       "mesh", "material", "rgba",       "group",       "user",   "solmix",   "hfield",
    "texture", "shellinertia", "gap",  "priority", "fluidshape", "fluidcoef",   "surfacevel", "adhesion", NULL};
static const char *const changing[] = {"fitscale", NULL};

static const struct {
    const char *name;
    jn_shape_type type;
    int sizes;
} types[] = {{"sphere", JN_SHAPE_SPHERE, 1},     {"capsule", JN_SHAPE_CAPSULE, 2},
             {"cylinder", JN_SHAPE_CYLINDER, 2}, {"ellipsoid", JN_SHAPE_ELLIPSOID, 3},
             {"box", JN_SHAPE_BOX, 3},           {"plane", JN_SHAPE_PLANE, 0},
             {"mesh", JN_SHAPE_HULL, 0}};

/* ----------------------------------------------------------------------------------------------------------- shape */

/* A signed distance field: that of a mesh, which touches as it is, or a ring; others that a plugin computes are not known here. */
static bool read_field(jn_mjcf *x, const jn_xml *e, jn_mjcf_solid *g) {
    const jn_xml *own = jn_xml_child(e, "plugin"), *instance = NULL;
    const char *plugin = own ? jn_mjcf_plugin_of(x, own, &instance) : "";
    double radius = 0.35, tube = 0.15; /* [m] MuJoCo's defaults */
    if (jn_xml_attribute_of(e, "mesh") && !own) {
        g->shape.type = JN_SHAPE_HULL, g->hollows = true;
        return true;
    }
    if (!strcmp(plugin, "mujoco.sdf.torus")) {
        if (!jn_mjcf_plugin_number(x, own, instance, "radius1", &radius) || !jn_mjcf_plugin_number(x, own, instance, "radius2", &tube)) return false;
        if (tube > 0 && radius > tube) return jn_mjcf_make_ring(x, g, radius, tube);
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "mujoco.sdf.torus needs radius1 above radius2, and both above 0");
    }
    jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, *plugin ? plugin : "sdf", "sdf geoms whose surface a plugin computes",
                  "they are left out; write the surface as a mesh, type=\"sdf\" with mesh=\"...\" and without <plugin>");
    return false;
}

static bool read_type(jn_mjcf *x, const jn_xml *e, jn_mjcf_solid *g, int *sizes) {
    const char *word = jn_xml_attribute_of(e, "type");
    if (!word) word = jn_xml_attribute_of(e, "mesh") ? "mesh" : "sphere";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(types[i].name, word)) {
            g->shape.type = types[i].type, *sizes = types[i].sizes;
            return true;
        }
    if (!strcmp(word, "hfield")) {
        g->shape.type = JN_SHAPE_HEIGHTFIELD, *sizes = 0;
        return true;
    }
    if (!strcmp(word, "sdf")) return read_field(x, e, g);
    return jn_read_error(
        x->b->r, e->where, JN_ERR_MODEL,
        "there is no geom type '%.40s'\nwrite sphere, capsule, cylinder, ellipsoid, box, plane or mesh", word);
}

/* Ends of its middle line instead of place, direction and length. */
static bool read_fromto(jn_mjcf *x, jn_mjcf_solid *g, double size[3]) {
    double a[6];
    if (!jn_robot_numbers(x->b, g->e, "fromto", 6, true, a)) return false;
    jn_vec3 p = v3(a[0], a[1], a[2]), q = v3(a[3], a[4], a[5]), d = v3_sub(p, q);
    double length = v3_norm(d), s;
    if (!(length > 1e-12)) return jn_read_error(x->b->r, g->e->where, JN_ERR_MODEL, "<geom fromto> has two equal ends");
    jn_vec3 z = v3_scale(1 / length, d), axis = v3_cross(v3(0, 0, 1), z);
    s = v3_norm(axis);
    g->shape.orientation =
        s < 1e-14 ? (z.z > 0 ? q4_identity() : (jn_quat){0, 1, 0, 0}) : q4_exp(v3_scale(jn_atan2(s, z.z) / s, axis));
    g->shape.at = v3_scale(0.5, v3_add(p, q));
    if (g->shape.type == JN_SHAPE_CAPSULE || g->shape.type == JN_SHAPE_CYLINDER)
        size[1] = 0.5 * length;
    else
        size[1] = size[0], size[2] = 0.5 * length;
    return true;
}

static void set_size(jn_mjcf_solid *g, const double s[3]) {
    switch (g->shape.type) {
    case JN_SHAPE_SPHERE: g->shape.size = v3(s[0], 0, 0); break;
    case JN_SHAPE_CAPSULE:
    case JN_SHAPE_CYLINDER: g->shape.size = v3(s[0], 2 * s[1], 0); break;
    case JN_SHAPE_BOX: g->shape.size = v3(2 * s[0], 2 * s[1], 2 * s[2]); break;
    default: g->shape.size = v3(s[0], s[1], s[2]); break;
    }
}

static bool read_shape(jn_mjcf *x, jn_mjcf_solid *g) {
    double size[3] = {0};
    int sizes = 0;
    if (!read_type(x, g->e, g, &sizes)) return false;
    if (!jn_robot_vector(x->b, g->e, "pos", false, &g->shape.at) ||
        !jn_mjcf_orientation(x, g->e, &g->shape.orientation))
        return false;
    g->at = g->shape.at, g->orientation = g->shape.orientation;
    if (g->shape.type == JN_SHAPE_HULL) return jn_mjcf_read_mesh(x, g);
    if (g->shape.type == JN_SHAPE_HEIGHTFIELD) return jn_mjcf_read_heights(x, g);
    if (g->shape.type == JN_SHAPE_PLANE || g->shape.type == JN_SHAPE_TORUS) return true;
    if (jn_xml_attribute_of(g->e, "mesh")) return jn_mjcf_fit_mesh(x, g);
    int found = jn_robot_list(x->b, g->e, "size", 3, size);
    if (found < 0) return false;
    bool line = jn_xml_attribute_of(g->e, "fromto") && g->shape.type != JN_SHAPE_SPHERE;
    if (line && !read_fromto(x, g, size)) return false;
    g->at = g->shape.at, g->orientation = g->shape.orientation;
    for (int k = 0; k < sizes; k++)
        if (!(size[k] > 0))
            return jn_read_error(x->b->r, g->e->where, JN_ERR_MODEL,
                                 "<geom size> needs %d number%s above 0 for this type", line ? 1 : sizes,
                                 !line && sizes > 1 ? "s" : "");
    set_size(g, size);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ mass */

static bool add_mass(jn_mjcf *x, jn_mjcf_solid *g, const char *body, jn_lump *sum) {
    double density = 1000, mass = 0, group = 0;
    if (!jn_robot_numbers(x->b, g->e, "density", 1, false, &density) ||
        !jn_robot_numbers(x->b, g->e, "mass", 1, false, &mass) ||
        !jn_robot_numbers(x->b, g->e, "group", 1, false, &group))
        return false;
    if (density < 0 || mass < 0)
        return jn_read_error(x->b->r, g->e->where, JN_ERR_MODEL, "<geom> has a negative mass or density");
    if (group < x->compiler.group_range[0] || group > x->compiler.group_range[1] || g->shape.type == JN_SHAPE_PLANE ||
        g->shape.type == JN_SHAPE_HEIGHTFIELD)
        return true;
    if (g->hollow) {
        jn_robot_find(x->b, jn_robot_mesh_finding(g->reason), g->e->where, body,
                      "mesh that gives a mass and cannot be read", "it weighs nothing");
        return true;
    }
    if (!g->is_mesh && jn_mjcf_flag(x, g->e, "shellinertia", 0) == 1)
        jn_robot_find(x->b, JN_FINDING_PHYSICS, g->e->where, body, "shellinertia", "the solid counts as filled");
    jn_lump lump;
    if (!jn_mjcf_unit_mass(x, g, &lump)) return false;
    if (!(lump.mass > 0)) return true;
    double scale = jn_xml_attribute_of(g->e, "mass") ? mass / lump.mass : density;
    lump.mass *= scale;
    double *J = &lump.inertia.xx;
    for (int k = 0; k < 6; k++) J[k] *= scale;
    if (lump.mass > 0) x->heavy += g->is_mesh ? 2 : 1, x->heavy_axes = g->shape.orientation; /* a mesh has others */
    if (lump.mass > 0) *sum = jn_lump_add(*sum, jn_lump_place(lump, g->shape.at, g->shape.orientation));
    return true;
}

/* --------------------------------------------------------------------------------------------------------- contact */

/* Soft contact as a law: with the damping ratio z a linear spring and damper returns exp(-pi z / sqrt(1 - z^2)) of the speed, and
 * its stiffness per mass is 1 / (d T z)^2 and its damping per mass 2 / (d T) with the time constant T and the impedance d. */
static void map_soft(jn_mjcf *x, const jn_xml *e, jn_robot_material *m) {
    double ref[2] = {0.02, 1}, imp[5] = {0.9, 0.95, 0.001, 0.5, 2}, z, k, c;
    if (jn_robot_list(x->b, e, "solref", 2, ref) < 0 || jn_robot_list(x->b, e, "solimp", 5, imp) < 0) return;
    if (ref[0] > 0)
        z = ref[1], k = 1 / jn_fmax(1e-12, jn_pow(imp[1] * ref[0] * z, 2)), c = 2 / jn_fmax(1e-12, imp[1] * ref[0]);
    else
        k = -ref[0], c = -ref[1], z = c / jn_fmax(1e-12, 2 * sqrt(jn_fmax(1e-12, k)));
    m->restitution = z < 1 && z >= 0 ? jn_exp(-M_PI * z / sqrt(1 - z * z)) : 0;
    m->stiffness = k, m->damping = jn_fmax(0, c);
}

static void tell_soft(jn_mjcf *x, const jn_xml *e, const jn_robot_material *m) {
    const char *ref = jn_xml_attribute_of(e, "solref"), *imp = jn_xml_attribute_of(e, "solimp");
    jn_robot_find(x->b, JN_FINDING_NOTE, e->where,
                  jn_robot_text(x->b,
                                "solref %.40s, solimp %.40s -> restitution %.3g, in method compliant a stiffness of "
                                "%.4g N/m per kg of the robot",
                                ref ? ref : "0.02 1", imp ? imp : "0.9 0.95 0.001", m->restitution, m->stiffness),
                  "MuJoCo's soft contact as a law",
                  "method nonsmooth is rigid and needs the restitution alone; contact begins where surfaces touch, "
                  "'margin' has no effect");
}

static int read_material(jn_mjcf *x, const jn_xml *e) {
    double friction[3] = {1, 0.005, 0.0001}, condim = 3, priority = 0;
    jn_robot_material m = {.where = e->where};
    if (jn_robot_list(x->b, e, "friction", 3, friction) < 0 ||
        !jn_robot_numbers(x->b, e, "condim", 1, false, &condim) ||
        !jn_robot_numbers(x->b, e, "priority", 1, false, &priority))
        return -1;
    m.priority = (int)jn_fmax(-1e6, jn_fmin(1e6, priority));
    m.dimensions = (int)condim, m.slide = jn_fmax(0, friction[0]);
    m.friction = m.dimensions >= 3 ? m.slide : 0;
    m.spinning = m.dimensions >= 4 ? friction[1] : 0, m.rolling = m.dimensions >= 6 ? friction[2] : 0;
    map_soft(x, e, &m);
    for (int i = 0; i < x->b->material_count; i++) {
        const jn_robot_material *o = &x->b->materials[i];
        if (o->slide == m.slide && o->dimensions == m.dimensions && o->restitution == m.restitution &&
            o->stiffness == m.stiffness && o->damping == m.damping && o->priority == m.priority && o->spinning == m.spinning &&
            o->rolling == m.rolling)
            return i;
    }
    tell_soft(x, e, &m);
    m.name = jn_robot_text(x->b, "surface_%d", x->b->material_count + 1);
    jn_robot_material *to = jn_robot_add_material(x->b);
    if (to) *to = m;
    return to ? x->b->material_count - 1 : -1;
}

/* A ring touches as the hulls between its neighbouring sections, since shapes that are not convex do not touch each other, nor planes. */
static bool keep_ring(jn_mjcf *x, const jn_mjcf_solid *g, const jn_robot_shape *ring) {
    for (int k = 0; k < JN_MJCF_RING; k++) {
        jn_robot_shape *s = jn_robot_add_shape(x->b, ring->body, JN_SHAPE_HULL, g->e->where);
        if (!s) return false;
        *s = *ring;
        s->type = JN_SHAPE_HULL, s->points = g->shape.points + k * JN_MJCF_RING, s->point_count = 2 * JN_MJCF_RING;
    }
    x->geoms[x->geom_count - 1].shapes = JN_MJCF_RING;
    return true;
}

static bool keep_shape(jn_mjcf *x, const jn_mjcf_solid *g, int body, double contype, double conaffinity) {
    static const jn_robot_body massless;
    jn_robot *b = x->b;
    int material = read_material(x, g->e);
    jn_robot_shape *s = jn_robot_add_shape(b, body, g->shape.type, g->e->where);
    if (!s) return false;
    s->name = jn_xml_attribute_of(g->e, "name");
    s->size = g->shape.size, s->at = g->shape.at, s->orientation = g->shape.orientation;
    s->file = g->file, s->scale = g->scale, s->material = material;
    if (g->inlined) s->points = g->shape.points, s->point_count = g->shape.point_count;
    bool faces = g->inlined && g->shape.triangle_count > 0;
    if (g->hollows && faces) s->triangles = (const int(*)[3])g->shape.triangles, s->triangle_count = g->shape.triangle_count;
    if (g->hollows && (g->file || faces)) s->type = JN_SHAPE_MESH;
    s->heights = g->shape.heights, s->grid[0] = g->shape.grid[0], s->grid[1] = g->shape.grid[1];
    s->layer = (int64_t)contype & 0xffffffff, s->touches = (int64_t)conaffinity & 0xffffffff;
    if (g->shape.type == JN_SHAPE_TORUS) {
        jn_robot_shape ring = *s;
        b->shape_count--;
        return keep_ring(x, g, &ring);
    }
    if (g->hollow) {
        jn_robot_find(b, jn_robot_mesh_finding(g->reason), g->e->where, body < 0 ? "the ground" : b->bodies[body].name,
                      jn_robot_text(b, "collision mesh that cannot be read (%s)", g->reason),
                      jn_robot_mesh_advice(b, g->sought));
        x->geoms[x->geom_count - 1].shape = jn_robot_stand_in(b, body < 0 ? &massless : &b->bodies[body]);
    }
    return true;
}

static bool is_in_fluid(const jn_mjcf *x, const jn_xml *e, int body) {
    const char *shape = jn_xml_attribute_of(e, "fluidshape");
    return body >= 0 && shape && !strcmp(shape, "ellipsoid") && (x->b->density > 0 || x->b->viscosity > 0);
}

/* An ellipsoid in the fluid, with lift and added mass; its semi-axes are those of the geom's box. */
static bool put_in_fluid(jn_mjcf *x, const jn_mjcf_solid *g, int body) {
    jn_robot *b = x->b;
    jn_vec3 a = g->shape.size; /* as jn_shape_desc: edge lengths of boxes */
    b->bodies[body].shaped_drag = true;
    switch (g->shape.type) {
    case JN_SHAPE_SPHERE: a = v3(a.x, a.x, a.x); break;
    case JN_SHAPE_CAPSULE: a = v3(a.x, a.x, 0.5 * a.y + a.x); break;
    case JN_SHAPE_CYLINDER: a = v3(a.x, a.x, 0.5 * a.y); break;
    case JN_SHAPE_BOX: a = v3_scale(0.5, a); break;
    case JN_SHAPE_ELLIPSOID: break;
    default:
        jn_robot_find(b, JN_FINDING_PHYSICS, g->e->where, b->bodies[body].name, "meshes with fluidshape ellipsoid",
                      "the fluid does nothing to them: use a primitive");
        return true;
    }
    jn_robot_fluid *f = jn_robot_add_fluid(b);
    if (!f) return false;
    *f = (jn_robot_fluid){.where = g->e->where,
                          .body = body,
                          .at = g->shape.at,
                          .axes = a,
                          .orientation = g->shape.orientation,
                          .coefficient = {0.5, 0.25, 1.5, 1, 1}};
    return jn_robot_list(b, g->e, "fluidcoef", 5, f->coefficient) >= 0;
}

/* Remembers the geom by its name; touches: the next shape of the robot is its own. */
static bool note_geom(jn_mjcf *x, const char *name, int body, bool touches) {
    void *wide = jn_store_grow(x->b->r->scratch, x->geoms, x->geom_count, sizeof *x->geoms);
    if (!wide) return jn_read_no_memory(x->b->r);
    x->geoms = wide;
    x->geoms[x->geom_count++] = (jn_mjcf_geom){
        .name = name ? name : "", .body = body, .shape = touches ? x->b->shape_count : -1, .shapes = 1};
    return true;
}

/* The surfaces of the shapes from `first` on move by v + w x (x - p) in the frame (p, q) of their geom, which the body's frame has; each shape has it in
 * its own. [MuJoCo, geom surfacevel] */
static bool move_surfaces(jn_mjcf *x, const jn_xml *e, int first, jn_robot_pose frame) {
    double moves[6] = {0};
    jn_vec3 at = frame.p;
    jn_quat q = frame.q;
    if (jn_robot_list(x->b, e, "surfacevel", 6, moves) < 0) return false;
    jn_vec3 v = q4_rotate(q, v3(moves[0], moves[1], moves[2])), w = q4_rotate(q, v3(moves[3], moves[4], moves[5]));
    for (int i = first; i < x->b->shape_count; i++) {
        jn_robot_shape *s = &x->b->shapes[i];
        jn_quat back = q4_conj(s->orientation);
        s->surface_velocity = q4_rotate(back, v3_add(v, v3_cross(w, v3_sub(s->at, at))));
        s->surface_rotation = q4_rotate(back, w);
    }
    return true;
}

/* Contacts of the shapes from `first` on pull with a force of their own. [MuJoCo, geom adhesion] */
static bool make_sticky(jn_mjcf *x, const jn_xml *e, const char *name, int first, double gap) {
    double force = 0, priority = 0;
    if (!jn_robot_numbers(x->b, e, "adhesion", 1, false, &force) ||
        !jn_robot_numbers(x->b, e, "priority", 1, false, &priority))
        return false;
    if (force < 0)
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "the adhesion of a geom is not negative, as %g is",
                             force);
    if (force > 0 && priority != 0)
        jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, name, "adhesion of geoms with a priority",
                      "the forces of both geoms add up");
    for (int i = first; i < x->b->shape_count; i++)
        x->b->shapes[i].adhesion = force, x->b->shapes[i].adhesion_reach = gap;
    return true;
}

bool jn_mjcf_read_geom(jn_mjcf *x, const jn_xml *e, int body, jn_vec3 at, jn_quat q, jn_lump *sum) {
    jn_robot *b = x->b;
    jn_mjcf_solid g = {.e = e, .shape = jn_shape_default(JN_SHAPE_SPHERE), .scale = {1, 1, 1}};
    double contype = 1, conaffinity = 1, gap = 0;
    const char *name = body < 0 ? "the ground" : b->bodies[body].name;
    if (!jn_robot_numbers(b, e, "contype", 1, false, &contype) ||
        !jn_robot_numbers(b, e, "conaffinity", 1, false, &conaffinity) || !jn_robot_numbers(b, e, "gap", 1, false, &gap))
        return false;
    if (body >= 0) b->bodies[body].gap = jn_fmax(b->bodies[body].gap, gap);
    jn_mjcf_look(x, e, known, changing);
    int errors = b->r->report ? b->r->report->errors : 0;
    const char *own = jn_xml_attribute_of(e, "name");
    bool touches = (contype != 0 || conaffinity != 0 || jn_mjcf_is_paired(x, own)) && x->touching;
    bool followed = jn_mjcf_is_wrapped(x, own) || jn_mjcf_is_followed(x, own), wet = is_in_fluid(x, e, body);
    if (!touches && !sum && !followed && !wet) return note_geom(x, own, body, false);        /* only seen */
    if (!read_shape(x, &g)) return !b->r->report || b->r->report->errors == errors; /* left out, or an error */
    g.shape.at = v3_add(at, q4_rotate(q, g.shape.at)), g.shape.orientation = q4_mul(q, g.shape.orientation);
    jn_robot_pose frame = jn_robot_pose_mul((jn_robot_pose){at, q}, (jn_robot_pose){g.at, g.orientation});
    if (sum && !add_mass(x, &g, name, sum)) return false;
    if (wet && !put_in_fluid(x, &g, body)) return false;
    if (!note_geom(x, own, body, touches)) return false;
    if (followed && !g.is_mesh) { /* the frame of a mesh is that of its inertia */
        jn_mjcf_geom *to = &x->geoms[x->geom_count - 1];
        to->placed = true, to->type = g.shape.type, to->radius = g.shape.size.x;
        to->at = g.shape.at, to->orientation = g.shape.orientation;
    }
    bool endless = g.shape.type == JN_SHAPE_PLANE || g.shape.type == JN_SHAPE_HEIGHTFIELD;
    if (endless && body >= 0 && b->bodies[body].still) { /* a part of the ground */
        jn_quat turn = b->bodies[body].orientation;
        g.shape.at = v3_add(b->bodies[body].at, q4_rotate(turn, g.shape.at)), g.shape.orientation = q4_mul(turn, g.shape.orientation);
        frame = jn_robot_pose_mul((jn_robot_pose){b->bodies[body].at, turn}, frame);
        body = -1;
    } else if (endless && body >= 0) {
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name, "a plane or height field on a moving body",
                      "it is left out");
        return true;
    }
    int first = b->shape_count;
    return !touches || (keep_shape(x, &g, body, contype, conaffinity) && make_sticky(x, e, name, first, gap) &&
                        move_surfaces(x, e, first, frame));
}

/* The material of a pair as MuJoCo mixes it: that of the higher priority; else the larger friction, the larger number of
 * dimensions. */
static int mixed(jn_mjcf *x, int m, int n) {
    jn_robot *b = x->b;
    jn_robot_material A = b->materials[m], B = b->materials[n], C = A;
    if (A.priority != B.priority) return A.priority > B.priority ? m : n;
    C.slide = jn_fmax(A.slide, B.slide), C.dimensions = A.dimensions > B.dimensions ? A.dimensions : B.dimensions;
    C.friction = C.dimensions >= 3 ? C.slide : 0;
    if (C.friction == A.friction) return m;
    C.name = jn_robot_text(b, "%.28s_%.28s", A.name, B.name);
    for (int i = 0; i < b->material_count; i++)
        if (!strcmp(b->materials[i].name, C.name)) return i;
    jn_robot_material *to = jn_robot_add_material(b);
    if (to) *to = C;
    return to ? b->material_count - 1 : m;
}

void jn_mjcf_ground_laws(jn_mjcf *x) {
    jn_robot *b = x->b;
    int ground = -1;
    for (int i = 0; i < b->shape_count && ground < 0; i++)
        if (b->shapes[i].body < 0) ground = b->shapes[i].material;
    for (int y = 0; y < b->body_count && ground >= 0; y++) {
        int own = -1; /* of the shape that has the highest priority */
        for (int i = 0; i < b->shape_count; i++) {
            int m = b->shapes[i].body == y ? b->shapes[i].material : -1;
            if (m >= 0 && (own < 0 || b->materials[m].priority > b->materials[own].priority)) own = m;
        }
        int law = own < 0 ? -1 : mixed(x, ground, own);
        if (law < 0 || law == ground) continue;
        jn_robot_pair *p = jn_robot_add_pair(b, -1, y, b->bodies[y].where);
        if (p) p->material = law;
    }
}
