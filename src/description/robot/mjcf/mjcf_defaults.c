/* MJCF: classes of defaults, orientations, and attributes that nobody asked for. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include "base/suggest.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- defaults */

static bool is_actuator(const char *name) {
    static const char *const kinds[] = {"motor",       "position", "velocity", "general",  "damper",
                                        "intvelocity", "cylinder", "muscle",   "adhesion", "plugin", NULL};
    for (int i = 0; kinds[i]; i++)
        if (!strcmp(kinds[i], name)) return true;
    return false;
}

const char jn_mjcf_shortcut[] = " shortcut"; /* no name of an attribute has a space */

/* Shortcuts for actuators share their defaults. */
static const char *kind_of(const char *name) { return is_actuator(name) ? "general" : name; }

static jn_xml *find_kind(const jn_mjcf_class *c, const char *kind) {
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->kinds[i]->name, kind)) return c->kinds[i];
    return NULL;
}

/* to + the attributes of from that it does not have. */
static bool merge(jn_mjcf *x, jn_xml *to, const jn_xml *from) {
    for (int i = 0; i < from->attribute_count; i++) {
        if (jn_xml_attribute_of(to, from->attributes[i].name)) continue;
        jn_xml_attribute *all = jn_store_array(x->b->r->scratch, (size_t)to->attribute_count + 1, sizeof *all);
        if (!all) return jn_read_no_memory(x->b->r);
        if (to->attribute_count) memcpy(all, to->attributes, (size_t)to->attribute_count * sizeof *all);
        all[to->attribute_count++] = from->attributes[i];
        to->attributes = all;
    }
    return true;
}

static bool add_kind(jn_mjcf *x, jn_mjcf_class *c, const jn_xml *e) {
    const char *kind = kind_of(e->name);
    jn_xml *old = find_kind(c, kind), *own = jn_store_alloc(x->b->r->scratch, sizeof *own);
    if (!own) return jn_read_no_memory(x->b->r);
    *own = *e;
    own->name = kind, own->children = NULL, own->count = 0;
    jn_xml_attribute which = {jn_mjcf_shortcut, e->name}; /* <general> of the class is what the shortcut says */
    jn_xml shortcut = {.attributes = &which, .attribute_count = 1};
    if (is_actuator(e->name) && strcmp(e->name, "general") && !merge(x, own, &shortcut)) return false;
    if (old && !merge(x, own, old)) return false;
    if (old) {
        *old = *own;
        return true;
    }
    void *wide = jn_store_grow(x->b->r->scratch, c->kinds, c->count, sizeof *c->kinds);
    if (!wide) return jn_read_no_memory(x->b->r);
    c->kinds = wide;
    c->kinds[c->count++] = own;
    return true;
}

static jn_mjcf_class *find_class(jn_mjcf *x, const char *name) {
    for (jn_mjcf_class *c = x->classes; c; c = c->next)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

bool jn_mjcf_read_defaults(jn_mjcf *x, const jn_xml *e, jn_mjcf_class *parent) {
    const char *name = jn_xml_attribute_of(e, "class"), *top = jn_xml_attribute_of(e, jn_mjcf_outermost);
    if (!name && parent) return jn_robot_attribute(x->b, e, "class");
    top = top ? top : "main";
    name = name ? name : top;
    jn_mjcf_class *c = parent ? NULL : find_class(x, top);
    if (parent && find_class(x, name))
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "a second class is called '%.60s'", name);
    if (!c) {
        if (!(c = jn_store_alloc(x->b->r->scratch, sizeof *c))) return jn_read_no_memory(x->b->r);
        *c = (jn_mjcf_class){.name = name, .parent = parent, .next = x->classes};
        x->classes = c;
    }
    for (int i = 0; parent && i < parent->count; i++)
        if (!add_kind(x, c, parent->kinds[i])) return false;
    for (int i = 0; i < e->count; i++)
        if (strcmp(e->children[i]->name, "default") && !add_kind(x, c, e->children[i])) return false;
    for (int i = 0; i < e->count; i++)
        if (!strcmp(e->children[i]->name, "default") && !jn_mjcf_read_defaults(x, e->children[i], c)) return false;
    return true;
}

const jn_xml *jn_mjcf_with_defaults(jn_mjcf *x, const jn_xml *e, const char *kind, const char *childclass) {
    const char *name = jn_xml_attribute_of(e, "class");
    jn_mjcf_class *c = find_class(x, name ? name : childclass ? childclass : "main");
    const jn_xml *from = c ? find_kind(c, kind_of(kind)) : NULL;
    if (!c && name) {
        jn_suggest suggest = jn_suggest_for(name);
        for (jn_mjcf_class *k = x->classes; k; k = k->next) jn_suggest_offer(&suggest, k->name);
        jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                      suggest.best ? "there is no class '%.60s' of defaults\nwrite '%s'"
                                   : "there is no class '%.60s' of defaults%.0s",
                      name, suggest.best ? suggest.best : "");
    }
    if (!from) return e;
    jn_xml *all = jn_store_alloc(x->b->r->scratch, sizeof *all);
    if (!all) {
        jn_read_no_memory(x->b->r);
        return e;
    }
    *all = *e;
    return merge(x, all, from) ? all : e;
}

/* ---------------------------------------------------------------------------------------------------- orientations */

double jn_mjcf_angle(const jn_mjcf *x, double a) { return x->compiler.degrees ? a * JN_DEGREE : a; }

/* Lower case turns about the axes that turn along, upper case about fixed ones. */
jn_quat jn_mjcf_from_euler(const jn_mjcf *x, const double a[3]) {
    jn_quat q = q4_identity();
    for (int k = 0; k < 3; k++) {
        char c = x->compiler.euler[k];
        int axis = (c | 32) - 'x';
        jn_quat turn = q4_exp(v3_scale(jn_mjcf_angle(x, a[k]), v3_axis(axis)));
        q = c >= 'a' ? q4_mul(q, turn) : q4_mul(turn, q);
    }
    return q;
}

static jn_quat from_axes(jn_vec3 a, jn_vec3 b) {
    jn_vec3 e = v3_unit(a), f = v3_unit(v3_axpy(-v3_dot(b, e), e, b));
    jn_mat3 R = m3_from_columns(e, f, v3_cross(e, f));
    return q4_from_matrix(&R);
}

/* The shortest turn of z into the direction. */
jn_quat jn_mjcf_from_z(jn_vec3 d) {
    jn_vec3 z = v3_unit(d), axis = v3_cross(v3(0, 0, 1), z);
    double s = v3_norm(axis);
    if (s < 1e-12) return z.z > 0 ? q4_identity() : (jn_quat){0, 1, 0, 0};
    return q4_exp(v3_scale(jn_atan2(s, z.z) / s, axis));
}

static bool bad_direction(jn_mjcf *x, const jn_xml *e, const char *name) {
    return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<%s %s> has a direction of length zero", e->name, name);
}

bool jn_mjcf_orientation(jn_mjcf *x, const jn_xml *e, jn_quat *q) {
    double a[6];
    *q = q4_identity();
    if (jn_xml_attribute_of(e, "quat")) {
        if (!jn_robot_numbers(x->b, e, "quat", 4, true, a)) return false;
        *q = (jn_quat){a[0], a[1], a[2], a[3]};
        if (!(q4_norm(*q) > 1e-12)) return bad_direction(x, e, "quat");
        *q = q4_unit(*q);
    } else if (jn_xml_attribute_of(e, "axisangle")) {
        if (!jn_robot_numbers(x->b, e, "axisangle", 4, true, a)) return false;
        if (!(jn_hypot_safe(jn_hypot_safe(a[0], a[1]), a[2]) > 1e-12)) return bad_direction(x, e, "axisangle");
        *q = q4_exp(v3_scale(jn_mjcf_angle(x, a[3]), v3_unit(v3(a[0], a[1], a[2]))));
    } else if (jn_xml_attribute_of(e, "euler")) {
        if (!jn_robot_numbers(x->b, e, "euler", 3, true, a)) return false;
        *q = jn_mjcf_from_euler(x, a);
    } else if (jn_xml_attribute_of(e, "xyaxes")) {
        if (!jn_robot_numbers(x->b, e, "xyaxes", 6, true, a)) return false;
        jn_vec3 u = v3(a[0], a[1], a[2]), v = v3(a[3], a[4], a[5]);
        if (!(v3_norm(v3_cross(u, v)) > 1e-12)) return bad_direction(x, e, "xyaxes");
        *q = from_axes(u, v);
    } else if (jn_xml_attribute_of(e, "zaxis")) {
        if (!jn_robot_numbers(x->b, e, "zaxis", 3, true, a)) return false;
        if (!(jn_hypot_safe(jn_hypot_safe(a[0], a[1]), a[2]) > 1e-12)) return bad_direction(x, e, "zaxis");
        *q = jn_mjcf_from_z(v3(a[0], a[1], a[2]));
    }
    return true;
}

int jn_mjcf_flag(jn_mjcf *x, const jn_xml *e, const char *name, int fallback) {
    const char *value = jn_xml_attribute_of(e, name);
    if (!value) return fallback;
    if (!strcmp(value, "true") || !strcmp(value, "enable")) return 1;
    if (!strcmp(value, "false") || !strcmp(value, "disable")) return 0;
    if (strcmp(value, "auto"))
        jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<%s %s> is true, false or auto, not '%.40s'", e->name, name,
                      value);
    return -1;
}

static bool is_in(const char *const *list, const char *name) {
    for (int i = 0; list[i]; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

bool jn_mjcf_polynomial(jn_mjcf *x, const jn_xml *e, const char *name, double *first, double more[2]) {
    double v[3] = {*first, 0, 0};
    if (jn_robot_list(x->b, e, name, 3, v) < 0) return false;
    *first = v[0], more[0] = v[1], more[1] = v[2];
    return true;
}

void jn_mjcf_look(jn_mjcf *x, const jn_xml *e, const char *const *known, const char *const *changing) {
    for (int i = 0; i < e->attribute_count; i++) {
        const char *name = e->attributes[i].name, *value = e->attributes[i].value;
        bool idle = !value[strspn(value, "0. \t\r\n-+e")] || !strcmp(value, "false");
        if (is_in(known, name) || (idle && is_in(changing, name))) continue;
        jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, jn_robot_text(x->b, "%s '%.40s'", name, value),
                      jn_robot_text(x->b, "attributes of <%s> that are not understood", e->name),
                      "they have no effect, and the physics differ");
    }
}
