/* MJCF: tendons over joints, and through sites. */
#include "description/robot/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static const char *const tendon_known[] = {"name",
                                           "class",
                                           "group",
                                           "limited",
                                           "range",
                                           "stiffness",
                                           "damping",
                                           "margin",
                                           "springlength",
                                           "frictionloss",
                                           "armature",
                                           "solreflimit",
                                           "solimplimit",
                                           "solreffriction",
                                           "solimpfriction",
                                           "width",
                                           "actuatorfrcrange",
                                           "actuatorfrclimited",
                                           "material",
                                           "rgba",
                                           "user",
                                           NULL};
static const char *const tendon_changing[] = {NULL};

static bool read_terms(jn_mjcf *x, const jn_xml *e, jn_robot_tendon *t) {
    jn_robot *b = x->b;
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        double factor = 1;
        int joint = strcmp(c->name, "joint") ? -1 : jn_mjcf_find_joint(x, c, "joint");
        if (joint < 0 || !jn_robot_numbers(b, c, "coef", 1, true, &factor)) return false;
        if (jn_joint_type_info(b->joints[joint].type)->nv != 1)
            return jn_read_error(b->r, c->where, JN_ERR_MODEL, "a tendon goes over hinges and slides, not over '%.60s'",
                                 b->joints[joint].name);
        if (t->count == JN_TENDON_MAX)
            return jn_read_error(b->r, c->where, JN_ERR_LIMIT, "a tendon goes over at most %d joints", JN_TENDON_MAX);
        t->joint[t->count] = joint, t->factor[t->count++] = factor;
        t->reference += factor * b->joints[joint].reference;
        t->rest += factor * b->joints[joint].rest; /* without springlength: where the springs of the joints rest */
    }
    return t->count > 0 || jn_read_error(b->r, e->where, JN_ERR_MODEL,
                                         "this tendon has no joints\nadd <joint joint=\"...\" coef=\"1\"/>");
}

/* Of a point of a path, as drawn, in the world. */
static jn_vec3 place_of(const jn_robot *b, const jn_robot_path *p) {
    const jn_robot_point *s = &b->points[p->point];
    return s->body < 0 ? s->at : v3_add(b->bodies[s->body].at, q4_rotate(b->bodies[s->body].orientation, s->at));
}

static bool read_spring(jn_mjcf *x, const jn_xml *e, jn_robot_tendon *t) {
    jn_robot *b = x->b;
    double length[2] = {-1, -1};
    int count = jn_robot_list(b, e, "springlength", 2, length);
    if (count < 0 || !jn_mjcf_polynomial(x, e, "stiffness", &t->stiffness, t->more_stiffness) ||
        !jn_mjcf_polynomial(x, e, "damping", &t->damping, t->more_damping) ||
        !jn_robot_numbers(b, e, "frictionloss", 1, false, &t->friction) ||
        !jn_robot_numbers(b, e, "armature", 1, false, &t->armature))
        return false;
    if (t->stiffness < 0 || t->damping < 0 || t->friction < 0 || t->armature < 0)
        return jn_read_error(b->r, e->where, JN_ERR_MODEL,
                             "tendon '%s': stiffness, damping, armature and frictionloss are not negative", t->name);
    t->drawn_rest = !(count && length[0] >= 0);
    if (!t->drawn_rest) t->rest = length[0] - t->reference;
    if (count == 2 && length[1] > length[0] && !t->drawn_rest) t->slack = length[1] - length[0];
    bool bent = t->more_stiffness[0] != 0 || t->more_stiffness[1] != 0;
    if (bent && t->drawn_rest && t->path_count) t->rest = jn_robot_path_length(b, t, NULL, NULL), t->drawn_rest = false;
    return true;
}

static bool read_range(jn_mjcf *x, const jn_xml *e, jn_robot_tendon *t) {
    double range[2] = {0, 0};
    int bounded = jn_mjcf_flag(x, e, "actuatorfrclimited", -1);
    t->force_limited =
        bounded == 1 || (bounded < 0 && x->compiler.limits_by_range && jn_xml_attribute_of(e, "actuatorfrcrange"));
    if (!jn_robot_numbers(x->b, e, "actuatorfrcrange", 2, false, t->force_range)) return false;
    int limited = jn_mjcf_flag(x, e, "limited", -1);
    bool given = jn_xml_attribute_of(e, "range") != NULL;
    if (!jn_robot_numbers(x->b, e, "range", 2, false, range)) return false;
    if (limited == 0 || !given || (limited < 0 && !x->compiler.limits_by_range)) return true;
    if (range[0] >= range[1])
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                             "tendon '%s': the lower end of its range is not below the upper one", t->name);
    t->has_lower = t->has_upper = true;
    t->lower = range[0] - t->reference, t->upper = range[1] - t->reference;
    t->limit_time[0] = 0.02, t->limit_time[1] = 1;
    return jn_robot_list(x->b, e, "solreflimit", 2, t->limit_time) >= 0;
}

/* ----------------------------------------------------------------------------------------------------- through sites */

int jn_mjcf_find_site(jn_mjcf *x, const jn_xml *e, const char *attribute) {
    const char *name = jn_robot_attribute(x->b, e, attribute);
    for (int i = 0; name && i < x->b->point_count; i++)
        if (!strcmp(x->b->points[i].name, name)) return i;
    if (name) jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "there is no site '%.60s'", name);
    return -1;
}

const jn_mjcf_geom *jn_mjcf_find_geom(const jn_mjcf *x, const char *name) {
    for (int i = 0; name && i < x->geom_count; i++)
        if (!strcmp(x->geoms[i].name, name)) return &x->geoms[i];
    return NULL;
}

static bool runs_over(const jn_xml *e, const char *name) {
    for (int i = 0; i < e->count; i++) {
        const char *geom = jn_xml_attribute_of(e->children[i], "geom");
        if ((!strcmp(e->name, "spatial") && geom && !strcmp(geom, name)) || runs_over(e->children[i], name))
            return true;
    }
    return false;
}

bool jn_mjcf_is_wrapped(const jn_mjcf *x, const char *name) {
    for (int i = 0; name && i < x->root->count; i++)
        if (!strcmp(x->root->children[i]->name, "tendon") && runs_over(x->root->children[i], name)) return true;
    return false;
}

static bool read_round(jn_mjcf *x, const jn_xml *c, jn_robot_path *p) {
    jn_robot *b = x->b;
    const char *name = jn_robot_attribute(b, c, "geom");
    const jn_mjcf_geom *g = jn_mjcf_find_geom(x, name);
    if (!name) return false;
    if (!g || !g->placed || (g->type != JN_SHAPE_SPHERE && g->type != JN_SHAPE_CYLINDER))
        return jn_read_error(b->r, c->where, JN_ERR_MODEL,
                             "there is no sphere or cylinder '%.60s'\na tendon runs over these", name);
    p->kind = g->type == JN_SHAPE_SPHERE ? JN_PATH_SPHERE : JN_PATH_CYLINDER;
    p->body = g->body, p->at = g->at, p->orientation = g->orientation, p->radius = g->radius, p->side = -1;
    if (jn_xml_attribute_of(c, "sidesite")) p->side = jn_mjcf_find_site(x, c, "sidesite");
    return !jn_xml_attribute_of(c, "sidesite") || p->side >= 0;
}

static bool read_path(jn_mjcf *x, const jn_xml *e, jn_robot_tendon *t) {
    jn_robot *b = x->b;
    if (e->count < 2)
        return jn_read_error(b->r, e->where, JN_ERR_MODEL,
                             "a spatial tendon goes through two sites at least\nadd <site site=\"...\"/>");
    t->path = jn_store_array(b->r->scratch, (size_t)e->count + 1, sizeof *t->path);
    if (!t->path) return jn_read_no_memory(b->r);
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        jn_robot_path *p = &t->path[t->path_count++];
        *p = (jn_robot_path){.kind = JN_PATH_POINT, .side = -1};
        bool fine = false;
        if (!strcmp(c->name, "site"))
            fine = (p->point = jn_mjcf_find_site(x, c, "site")) >= 0;
        else if (!strcmp(c->name, "geom"))
            fine = read_round(x, c, p);
        else if (!strcmp(c->name, "pulley"))
            p->kind = JN_PATH_PULLEY, fine = jn_robot_numbers(b, c, "divisor", 1, true, &p->divisor);
        else
            jn_read_error(b->r, c->where, JN_ERR_MODEL,
                          "<%.40s> is no part of a spatial tendon\nwrite <site>, <geom> or <pulley>", c->name);
        if (!fine) return false;
    }
    return true;
}

static bool read_tendon(jn_mjcf *x, const jn_xml *e, bool spatial) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name");
    jn_robot_tendon *t =
        jn_robot_add_tendon(b, name ? name : jn_robot_text(b, "tendon_%d", b->tendon_count + 1), e->where);
    if (!t) return false;
    jn_mjcf_look(x, e, tendon_known, tendon_changing);
    return (spatial ? read_path(x, e, t) : read_terms(x, e, t)) && read_spring(x, e, t) && read_range(x, e, t);
}

/* --------------------------------------------------------------------------------------------- lengths as drawn */

double *jn_mjcf_path_lengths(jn_mjcf *x) {
    double *out = jn_store_array(x->b->r->scratch, (size_t)x->b->tendon_count + 1, sizeof *out);
    if (!out) jn_read_no_memory(x->b->r);
    for (int i = 0; out && i < x->b->tendon_count; i++)
        out[i] = jn_robot_path_length(x->b, &x->b->tendons[i], NULL, NULL);
    return out;
}

/* x1 = P(x2) where lengths count from other places: y = x + d, so P'(x2) = P(x2 + d2) - d1. */
static void shift_polynomial(jn_robot_coupler *c, double d1, double d2) {
    static const double choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    double a[5] = {c->constant, -c->factor[1], -c->power[1][0], -c->power[1][1], -c->power[1][2]}, s[5] = {0};
    for (int k = 0; k < 5; k++) {
        double power = 1;
        for (int m = k; m < 5; m++, power *= d2) s[k] += a[m] * choose[m][k] * power;
    }
    c->constant = s[0] - d1;
    if (c->count < 2) return;
    c->factor[1] = -s[1];
    for (int k = 0; k < 3; k++) c->power[1][k] = s[2 + k] == 0 ? 0 : -s[2 + k];
}

bool jn_mjcf_keep_lengths(jn_mjcf *x, const double *before) {
    jn_robot *b = x->b;
    double *now = jn_mjcf_path_lengths(x);
    if (!now) return false;
    for (int i = 0; i < b->tendon_count; i++) {
        jn_robot_tendon *t = &b->tendons[i];
        bool rests = t->path_count && t->drawn_rest && t->stiffness > 0;
        if (rests && now[i] != before[i]) t->rest = before[i], t->drawn_rest = false;
    }
    for (int i = 0; i < b->coupler_count; i++) {
        jn_robot_coupler *c = &b->couplers[i];
        double d[2] = {0, 0};
        for (int k = 0; k < 2 && k < c->count; k++) {
            int at = c->tendon[k] - 1;
            if (at >= 0 && b->tendons[at].path_count) d[k] = now[at] - before[at];
        }
        if (c->has_constant && (d[0] != 0 || d[1] != 0)) shift_polynomial(c, d[0], d[1]);
    }
    return true;
}

/* [1/kg] what the ends of a path give way by, as drawn. False: no memory. */
static bool find_mobility(jn_robot *b, const jn_robot_tendon *t, double *sum) {
    const jn_robot_path *end[2] = {&t->path[0], &t->path[t->path_count - 1]};
    while (end[0]->kind == JN_PATH_PULLEY) end[0]++; /* which a point follows */
    *sum = 0;
    for (int k = 0; k < 2; k++) {
        double mass = 0, inertia = 0;
        int body = b->points[end[k]->point].body;
        if (body >= 0 && !jn_robot_apparent_mass_at(b, body, place_of(b, end[k]), &mass, &inertia)) return false;
        if (mass > 0) *sum += 1 / mass;
    }
    return true;
}

/* A cable that is drawn longer or shorter than its range cannot start between rigid stops: they are soft, k = m / (T z)^2, c = 2 m / T. */
bool jn_mjcf_soften_tendons(jn_mjcf *x) {
    const double outside = 1e-3; /* [m] what rigid stops allow at the start */
    jn_robot *b = x->b;
    for (int i = 0; i < b->tendon_count; i++) {
        jn_robot_tendon *t = &b->tendons[i];
        double length = t->path_count && t->has_lower ? jn_robot_path_length(b, t, NULL, NULL) : NAN, mobility,
               T = t->limit_time[0], z = t->limit_time[1];
        if (isnan(length) || (length >= t->lower - outside && length <= t->upper + outside)) continue;
        if (!find_mobility(b, t, &mobility)) return false;
        if (!(mobility > 0)) continue;
        if (!(T > 0 && z > 0)) T = 0.02, z = 1;
        t->limit_stiffness = 1 / (mobility * T * T * z * z), t->limit_damping = 2 / (mobility * T);
        jn_robot_find(b, JN_FINDING_WARNING, t->where, jn_robot_text(b, "%.60s at %.4g m", t->name, length), "tendons that are drawn outside their range",
                      "their stops are soft, as in MuJoCo: springs and dampers with the time constant of solreflimit");
    }
    return true;
}

/* A mass that slides across gravity by the length of the tendon: kinetic energy a l'^2 / 2, as MuJoCo has it. */
bool jn_mjcf_add_rotors(jn_mjcf *x) {
    jn_robot *b = x->b;
    const double ball = 1e-4; /* [m^2] of its moments of inertia, which nothing turns */
    for (int i = 0; i < b->tendon_count; i++) {
        const jn_robot_tendon *t = &b->tendons[i];
        double m = t->armature;
        if (!(m > 0)) continue;
        const char *name = jn_robot_text(b, "%.50s_armature", t->name);
        jn_robot_body *body = jn_robot_add_body(b, name, t->where);
        jn_robot_joint *j = body ? jn_robot_add_joint(b, name, t->where, JN_JOINT_PRISMATIC, -1, b->body_count - 1) : NULL;
        jn_robot_coupler *c = j ? jn_robot_add_coupler(b, name, t->where) : NULL;
        if (!c) return false;
        body = &b->bodies[b->body_count - 1];
        body->parent = -1, body->orientation = q4_identity(), body->mass = m, body->inertia = (jn_sym3){m * ball, m * ball, m * ball, 0, 0, 0};
        j->axis = v3_norm(b->gravity) > 0 ? v3_any_normal(b->gravity) : v3(1, 0, 0);
        c->count = 2, c->tendon[0] = i + 1, c->joint[1] = b->joint_count - 1, c->factor[0] = 1, c->factor[1] = -1;
        b->has_loops = true;
    }
    return true;
}

bool jn_mjcf_read_tendons(jn_mjcf *x, const jn_xml *section) {
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = jn_mjcf_with_defaults(x, section->children[i], "tendon", NULL);
        bool fine = true;
        if (!strcmp(e->name, "fixed") || !strcmp(e->name, "spatial"))
            fine = read_tendon(x, e, !strcmp(e->name, "spatial"));
        else
            jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, e->name, "elements of <tendon> that are not understood",
                          "they are left out");
        if (!fine && x->b->r->status == JN_ERR_MEMORY) return false;
    }
    return true;
}
