/* MJCF: sensors. Those that are not taken over do not change the motion. */
#include "description/robot/mjcf/mjcf.h"

#include <string.h>

static int sensor_type(const char *word) {
    for (int i = 0; i < JN_SENSOR_TYPES; i++)
        if (!strcmp(jn_sensor_type_info((jn_sensor_type)i)->name, word)) return i;
    return -1;
}

/* A point with the frame of an object: site, body (its centre of mass), xbody (its frame) or a geom; -1: none, or not known. */
static int frame_of(jn_mjcf *x, const jn_xml *e, const char *type_key, const char *name_key) {
    jn_robot *b = x->b;
    const char *type = jn_xml_attribute_of(e, type_key), *name = jn_xml_attribute_of(e, name_key);
    if (!type || !name) return -1;
    if (!strcmp(type, "site")) return jn_mjcf_find_site(x, e, name_key);
    int body = jn_robot_find_body(b, name);
    if ((strcmp(type, "body") && strcmp(type, "xbody")) || body < 0) return -1;
    bool centre = !strcmp(type, "body");
    const char *label = jn_robot_text(b, "%.40s_%s", name, centre ? "centre" : "frame");
    for (int i = 0; i < b->point_count; i++)
        if (!strcmp(b->points[i].name, label)) return i;
    if (centre && !b->bodies[body].has_axes && strcmp(e->name, "insidesite") && strncmp(e->name, "framepos", 8) && strncmp(e->name, "framelin", 8) &&
        strncmp(e->name, "frameang", 8))
        return -1; /* axes of inertia that MuJoCo chooses */
    jn_robot_point *p = jn_robot_add_point(b, label, e->where, body, centre ? b->bodies[body].com : v3(0, 0, 0));
    if (!p) return -1;
    p->orientation = centre && b->bodies[body].has_axes ? b->bodies[body].axes : q4_identity();
    return b->point_count - 1;
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
    const char *joint = jn_xml_attribute_of(e, "joint"), *body = jn_xml_attribute_of(e, "body");
    switch (jn_sensor_type_info(s->desc.type)->on) {
    case JN_SENSOR_ON_POINT: return jn_xml_attribute_of(e, "site") && (s->point = jn_mjcf_find_site(x, e, "site")) >= 0;
    case JN_SENSOR_ON_ZONE:
        s->point = jn_xml_attribute_of(e, "site") ? jn_mjcf_find_site(x, e, "site") : -1;
        if (s->point >= 0) take_zone(b, s->point, s);
        return s->point >= 0;
    case JN_SENSOR_ON_INSIDE: return find_inside(x, e, s);
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

bool jn_mjcf_read_sensors(jn_mjcf *x, const jn_xml *section) {
    jn_robot *b = x->b;
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = section->children[i];
        const char *name = jn_xml_attribute_of(e, "name");
        int type = sensor_type(e->name);
        jn_robot_sensor s = {.point = -1, .reference = -1, .joint = -1, .tendon = -1, .actuator = -1, .body = -1,
                             .pair = {-1, -1}, .shape = {-1, -1}};
        s.desc = jn_sensor_default(name ? name : jn_robot_text(b, "%s_%d", e->name, i + 1),
                                   type < 0 ? JN_SENSOR_CLOCK : (jn_sensor_type)type);
        s.desc.where = e->where;
        if (!jn_robot_numbers(b, e, "cutoff", 1, false, &s.desc.cutoff)) return false;
        if (type >= 0 && s.desc.type == JN_SENSOR_MAGNETOMETER) s.desc.field = x->magnetic;
        if (type < 0 || !find_object(x, e, &s)) {
            if (b->r->status == JN_ERR_MEMORY) return false;
            jn_robot_find(b, JN_FINDING_NOTE, e->where, s.desc.name, "sensors that are not understood",
                          "they are left out; the motion is the same");
            continue;
        }
        if (!jn_robot_add_sensor(b, &s)) return false;
    }
    return true;
}
