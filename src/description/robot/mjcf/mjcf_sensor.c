/* MJCF: sensors. Those that are not taken over do not change the motion. */
#include "description/robot/mjcf/mjcf.h"

#include <string.h>

static int sensor_type(const char *word) {
    for (int i = 0; i < JN_SENSOR_TYPES; i++)
        if (!strcmp(jn_sensor_type_info((jn_sensor_type)i)->name, word)) return i;
    return -1;
}

static int find_camera(const jn_mjcf *x, const char *name) {
    for (int i = 0; name && i < x->camera_count; i++)
        if (!strcmp(x->cameras[i].name, name) && x->cameras[i].fixed) return i;
    return -1;
}

/* The point with this name, made where it is not there. */
static int point_at(jn_robot *b, const char *label, const jn_xml *e, int body, jn_vec3 at, jn_quat q) {
    for (int i = 0; i < b->point_count; i++)
        if (!strcmp(b->points[i].name, label)) return i;
    jn_robot_point *p = jn_robot_add_point(b, label, e->where, body, at);
    if (!p) return -1;
    p->orientation = q;
    return b->point_count - 1;
}

bool jn_mjcf_is_followed(const jn_mjcf *x, const char *name) {
    static const char *const keys[2][2] = {{"objtype", "objname"}, {"reftype", "refname"}};
    for (int i = 0; name && i < x->root->count; i++) {
        const jn_xml *section = x->root->children[i];
        for (int k = 0; !strcmp(section->name, "sensor") && k < section->count; k++)
            for (int n = 0; n < 2; n++) {
                const char *type = jn_xml_attribute_of(section->children[k], keys[n][0]),
                           *own = jn_xml_attribute_of(section->children[k], keys[n][1]);
                if (type && own && !strcmp(type, "geom") && !strcmp(own, name)) return true;
            }
    }
    return false;
}

/* A point with the frame of an object: site, body (its centre of mass), xbody (its frame), a geom that is no mesh or a fixed camera;
 * -1: none, or not known. */
static int frame_of(jn_mjcf *x, const jn_xml *e, const char *type_key, const char *name_key) {
    jn_robot *b = x->b;
    const char *type = jn_xml_attribute_of(e, type_key), *name = jn_xml_attribute_of(e, name_key);
    if (!type || !name) return -1;
    if (!strcmp(type, "site")) return jn_mjcf_find_site(x, e, name_key);
    const jn_mjcf_geom *g = !strcmp(type, "geom") ? jn_mjcf_find_geom(x, name) : NULL;
    int camera = !strcmp(type, "camera") ? find_camera(x, name) : -1;
    if (g && g->placed) return point_at(b, jn_robot_text(b, "%.40s_geom", name), e, g->body, g->at, g->orientation);
    if (camera >= 0) {
        const jn_mjcf_camera *c = &x->cameras[camera];
        return point_at(b, jn_robot_text(b, "%.40s_camera", name), e, c->body, c->at, c->orientation);
    }
    int body = jn_robot_find_body(b, name);
    if ((strcmp(type, "body") && strcmp(type, "xbody")) || body < 0) return -1;
    bool centre = !strcmp(type, "body");
    const char *label = jn_robot_text(b, "%.40s_%s", name, centre ? "centre" : "frame");
    if (centre && !b->bodies[body].has_axes && strcmp(e->name, "insidesite") && strncmp(e->name, "framepos", 8) && strncmp(e->name, "framelin", 8) &&
        strncmp(e->name, "frameang", 8))
        return -1; /* axes of inertia that MuJoCo chooses */
    return point_at(b, label, e, body, centre ? b->bodies[body].com : v3(0, 0, 0),
                    centre && b->bodies[body].has_axes ? b->bodies[body].axes : q4_identity());
}

static int find_tendon(const jn_robot *b, const char *name) {
    for (int i = 0; name && i < b->tendon_count; i++)
        if (!strcmp(b->tendons[i].name, name)) return i;
    return -1;
}

static int find_actuator(const jn_robot *b, const char *name) {
    for (int i = 0; name && i < b->actuator_count; i++)
        if (!strcmp(b->actuators[i].desc.name, name)) return i;
    return -1;
}

/* Points on both bodies of a ball joint that agree as drawn. */
static bool find_ball(jn_mjcf *x, const jn_xml *e, jn_robot_sensor *s) {
    jn_robot *b = x->b;
    int k = jn_robot_find_joint(b, jn_xml_attribute_of(e, "joint") ? jn_xml_attribute_of(e, "joint") : "");
    if (k < 0 || b->joints[k].type != JN_JOINT_SPHERICAL) return false;
    int child = b->joints[k].body[1], parent = b->joints[k].body[0];
    const char *name = b->joints[k].name;
    jn_quat back = q4_conj(parent < 0 ? q4_identity() : b->bodies[parent].orientation);
    s->point = b->point_count, s->reference = b->point_count + 1;
    jn_robot_point *p = jn_robot_add_point(b, jn_robot_text(b, "%.40s_ball", name), e->where, child, v3(0, 0, 0));
    if (p) p->orientation = q4_identity();
    jn_robot_point *q =
        p ? jn_robot_add_point(b, jn_robot_text(b, "%.40s_socket", name), e->where, parent, v3(0, 0, 0)) : NULL;
    if (q) q->orientation = q4_mul(back, b->bodies[child].orientation);
    return q != NULL;
}

static void take_zone(const jn_robot *b, int point, jn_robot_sensor *s) {
    s->desc.zone = b->points[point].zone, s->desc.zone_size = b->points[point].zone_size;
}

/* A geom that touches, with its body, or all geoms of a body. */
static bool find_side(jn_mjcf *x, const jn_xml *e, int k, jn_robot_sensor *s) {
    const char *geom = jn_xml_attribute_of(e, k ? "geom2" : "geom1"), *body = jn_xml_attribute_of(e, k ? "body2" : "body1");
    const jn_mjcf_geom *g = geom ? jn_mjcf_find_geom(x, geom) : NULL;
    if (g && g->shape >= 0) {
        s->pair[k] = g->body, s->shape[k] = g->shape;
        return true;
    }
    if (!body) return false;
    s->pair[k] = !strcmp(body, "world") ? -1 : jn_robot_find_body(x->b, body);
    return s->pair[k] >= 0 || !strcmp(body, "world");
}

/* A site in the image of a camera. */
static bool find_image(jn_mjcf *x, const jn_xml *e, jn_robot_sensor *s) {
    int camera = find_camera(x, jn_xml_attribute_of(e, "camera"));
    if (camera < 0 || !jn_xml_attribute_of(e, "site")) return false;
    const jn_mjcf_camera *c = &x->cameras[camera];
    for (int k = 0; k < 2; k++)
        if (!(c->focal[k] > 0 && c->resolution[k] > 0)) return false;
    memcpy(s->desc.focal, c->focal, sizeof c->focal), memcpy(s->desc.resolution, c->resolution, sizeof c->resolution);
    s->point = jn_mjcf_find_site(x, e, "site");
    s->reference = point_at(x->b, jn_robot_text(x->b, "%.40s_camera", c->name), e, c->body, c->at, c->orientation);
    return s->point >= 0 && s->reference >= 0;
}

/* Side k of a sensor of contacts: a geom, a body, a body with all that it carries; none is any. */
static bool find_touching(jn_mjcf *x, const jn_xml *e, int k, jn_robot_sensor *s) {
    const char *tree = jn_xml_attribute_of(e, k ? "subtree2" : "subtree1"), *geom = jn_xml_attribute_of(e, k ? "geom2" : "geom1"),
               *body = jn_xml_attribute_of(e, k ? "body2" : "body1");
    s->pair[k] = -2;
    if (!tree && !geom && !body) return true;
    if (!tree) return find_side(x, e, k, s);
    s->desc.subtree[k] = true;
    s->pair[k] = !strcmp(tree, "world") ? -1 : jn_robot_find_body(x->b, tree);
    return s->pair[k] >= 0 || !strcmp(tree, "world");
}

/* Words of an attribute as bits, in the order of the list; false: there is another one. */
static bool read_words(const char *text, const char *const *words, int count, unsigned *bits) {
    for (*bits = 0; *text;) {
        size_t length = strcspn(text, " \t\r\n");
        int k = 0;
        while (k < count && (strlen(words[k]) != length || strncmp(words[k], text, length))) k++;
        if (length && k == count) return false;
        if (length) *bits |= 1u << k;
        text += length + (text[length] != 0);
    }
    return *bits != 0;
}

static bool find_contacts(jn_mjcf *x, const jn_xml *e, jn_robot_sensor *s) {
    static const char *const data[] = {"found", "force", "torque", "dist", "pos", "normal", "tangent"};
    static const char *const reduce[] = {"none", "mindist", "maxforce", "netforce"};
    const char *words = jn_xml_attribute_of(e, "data"), *how = jn_xml_attribute_of(e, "reduce");
    unsigned way = 1;
    double num = 1;
    if (!find_touching(x, e, 0, s) || !find_touching(x, e, 1, s)) return false;
    if (jn_xml_attribute_of(e, "site")) {
        if ((s->point = jn_mjcf_find_site(x, e, "site")) < 0) return false;
        take_zone(x->b, s->point, s);
    }
    if (words && !read_words(words, data, 7, &s->desc.data))
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                             "there is no data '%.80s' of a contact\nwrite some of found, force, torque, dist, pos, normal, tangent", words);
    if (how && !read_words(how, reduce, 4, &way))
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "there is no reduce '%.40s'\nwrite none, mindist, maxforce or netforce", how);
    if (!jn_robot_numbers(x->b, e, "num", 1, false, &num)) return false;
    if (!(num >= 1)) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "'num' is below 1\nwrite how many contacts to read");
    while (!(way >> s->desc.reduce & 1)) s->desc.reduce++;
    int size = jn_sensor_count(&s->desc), room = JN_SENSOR_MOST / size;
    s->desc.slots = s->desc.reduce == JN_REDUCE_SUM ? 1 : num < room ? (int)num : room;
    if (num > room)
        jn_robot_find(x->b, JN_FINDING_NOTE, e->where, s->desc.name, "sensors of more contacts than there is room for",
                      jn_robot_text(x->b, "they read %d numbers at most", JN_SENSOR_MOST));
    return true;
}

/* An object in the volume of a site. */
static bool find_inside(jn_mjcf *x, const jn_xml *e, jn_robot_sensor *s) {
    s->point = frame_of(x, e, "objtype", "objname");
    s->reference = s->point < 0 || !jn_xml_attribute_of(e, "site") ? -1 : jn_mjcf_find_site(x, e, "site");
    if (s->reference >= 0) take_zone(x->b, s->reference, s);
    return s->reference >= 0;
}

/* What the sensor sits on; false: it is not known here. */
static bool find_object(jn_mjcf *x, const jn_xml *e, jn_robot_sensor *s) {
    jn_robot *b = x->b;
    const char *joint = jn_xml_attribute_of(e, "joint"), *body = jn_xml_attribute_of(e, "body"), *data = jn_xml_attribute_of(e, "data");
    switch (jn_sensor_type_info(s->desc.type)->on) {
    case JN_SENSOR_ON_POINT:
        if (s->desc.type == JN_SENSOR_RANGEFINDER && data && strcmp(data, "dist")) return false;
        return jn_xml_attribute_of(e, "site") && (s->point = jn_mjcf_find_site(x, e, "site")) >= 0;
    case JN_SENSOR_ON_ZONE:
        s->point = jn_xml_attribute_of(e, "site") ? jn_mjcf_find_site(x, e, "site") : -1;
        if (s->point >= 0) take_zone(b, s->point, s);
        return s->point >= 0;
    case JN_SENSOR_ON_INSIDE: return find_inside(x, e, s);
    case JN_SENSOR_ON_IMAGE: return find_image(x, e, s);
    case JN_SENSOR_ON_CONTACT: return find_contacts(x, e, s);
    case JN_SENSOR_ON_PAIR: return find_side(x, e, 0, s) && find_side(x, e, 1, s) && s->pair[0] != s->pair[1];
    case JN_SENSOR_ON_FRAME:
        s->point = frame_of(x, e, "objtype", "objname");
        if (!jn_xml_attribute_of(e, "refname")) return s->point >= 0;
        return s->point >= 0 && (s->reference = frame_of(x, e, "reftype", "refname")) >= 0;
    case JN_SENSOR_ON_ROTATION: return find_ball(x, e, s);
    case JN_SENSOR_ON_JOINT:
        s->joint = joint ? jn_robot_find_joint(b, joint) : -1;
        if (s->joint >= 0 && s->desc.type == JN_SENSOR_JOINT_POSITION) s->desc.offset = b->joints[s->joint].reference;
        return s->joint >= 0 && jn_joint_type_info(b->joints[s->joint].type)->nv == 1;
    case JN_SENSOR_ON_TENDON:
        s->tendon = find_tendon(b, jn_xml_attribute_of(e, "tendon"));
        if (s->tendon >= 0 && s->desc.type == JN_SENSOR_TENDON_POSITION && !b->tendons[s->tendon].path_count)
            s->desc.offset = b->tendons[s->tendon].reference;
        return s->tendon >= 0;
    case JN_SENSOR_ON_ACTUATOR: return (s->actuator = find_actuator(b, jn_xml_attribute_of(e, "actuator"))) >= 0;
    case JN_SENSOR_ON_BODY: return body && (s->body = jn_robot_find_body(b, body)) >= 0;
    default: return true;
    }
}

/* What is wrong with a sensor that is left out: its kind, or what it names. */
static void tell_left_out(jn_robot *b, const jn_xml *e, const char *name) {
    static const struct {
        const char *kind, *what;
    } others[] = {{"user", "sensors 'user', which a program fills"},
                  {"plugin", "sensors 'plugin', which a program computes"},
                  {"tactile", "sensors 'tactile', which look into sdf geoms"}};
    const char *what = sensor_type(e->name) < 0 ? "sensors of a kind that MuJoCo 3.12 does not have" : NULL;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (!strcmp(others[k].kind, e->name)) what = others[k].what;
    if (!what)
        what = !strcmp(e->name, "rangefinder")
                   ? "sensors 'rangefinder' of cameras, or with data other than dist"
                   : jn_robot_text(b, "sensors '%.40s' of something that is not there, or not taken over (a mesh's frame, axes that "
                                      "MuJoCo chooses, a camera that turns)", e->name);
    jn_robot_find(b, JN_FINDING_NOTE, e->where, name, what, "they are left out; the motion is the same");
}

bool jn_mjcf_read_sensors(jn_mjcf *x, const jn_xml *section) {
    jn_robot *b = x->b;
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = section->children[i];
        const char *name = jn_xml_attribute_of(e, "name");
        int type = sensor_type(e->name), errors = b->r->report ? b->r->report->errors : 0;
        jn_robot_sensor s = {.point = -1, .reference = -1, .joint = -1, .tendon = -1, .actuator = -1, .body = -1,
                             .pair = {-1, -1}, .shape = {-1, -1}};
        s.desc = jn_sensor_default(name ? name : jn_robot_text(b, "%s_%d", e->name, i + 1),
                                   type < 0 ? JN_SENSOR_CLOCK : (jn_sensor_type)type);
        s.desc.where = e->where;
        if (!jn_robot_numbers(b, e, "cutoff", 1, false, &s.desc.cutoff)) return false;
        if (type >= 0 && s.desc.type == JN_SENSOR_MAGNETOMETER) s.desc.field = x->magnetic;
        if (type < 0 || !find_object(x, e, &s)) {
            if (b->r->status == JN_ERR_MEMORY) return false;
            if (!b->r->report || b->r->report->errors == errors) tell_left_out(b, e, s.desc.name);
            continue;
        }
        if (jn_xml_attribute_of(e, "delay") || jn_xml_attribute_of(e, "interval"))
            jn_robot_find(b, JN_FINDING_NOTE, e->where, s.desc.name, "delay and interval of sensors", "they show the present");
        if (!jn_robot_add_sensor(b, &s)) return false;
    }
    return true;
}
