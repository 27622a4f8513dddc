/* MJCF: contact pairs and keyframes. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include "base/suggest.h"

#include <math.h>
#include <string.h>

/* nearest: the most similar name; NULL: none is. */
static void refuse_unknown(jn_mjcf *x, const jn_xml *e, const char *kind, const char *word, const char *nearest) {
    jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                  nearest ? "there is no %s '%.60s'\nwrite '%s'" : "there is no %s '%.60s'%.0s", kind, word,
                  nearest ? nearest : "");
}

int jn_mjcf_find_body(jn_mjcf *x, const jn_xml *e, const char *name) {
    const char *word = jn_xml_attribute_of(e, name);
    if (!word || !strcmp(word, "world")) return -1;
    int i = jn_robot_find_body(x->b, word);
    if (i >= 0) return i;
    jn_suggest suggest = jn_suggest_for(word);
    for (int k = 0; k < x->b->body_count; k++) jn_suggest_offer(&suggest, x->b->bodies[k].name);
    refuse_unknown(x, e, "body", word, suggest.best);
    return -2;
}

int jn_mjcf_find_joint(jn_mjcf *x, const jn_xml *e, const char *name) {
    const char *word = jn_robot_attribute(x->b, e, name);
    int i = word ? jn_robot_find_joint(x->b, word) : -1;
    if (i >= 0 || !word) return i;
    jn_suggest suggest = jn_suggest_for(word);
    for (int k = 0; k < x->b->joint_count; k++) jn_suggest_offer(&suggest, x->b->joints[k].name);
    refuse_unknown(x, e, "joint", word, suggest.best);
    return -1;
}

/* --------------------------------------------------------------------------------------------------------- contacts */

static jn_mjcf_geom *find_geom(jn_mjcf *x, const jn_xml *e, const char *which) {
    const char *name = jn_robot_attribute(x->b, e, which);
    for (int i = 0; name && i < x->geom_count; i++)
        if (!strcmp(x->geoms[i].name, name)) return &x->geoms[i];
    if (name) jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "there is no geom '%.60s'", name);
    return NULL;
}

bool jn_mjcf_is_paired(const jn_mjcf *x, const char *name) {
    for (int i = 0; name && i < x->root->count; i++) {
        const jn_xml *section = x->root->children[i];
        for (int k = 0; !strcmp(section->name, "contact") && k < section->count; k++) {
            const char *first = jn_xml_attribute_of(section->children[k], "geom1"),
                       *second = jn_xml_attribute_of(section->children[k], "geom2");
            if ((first && !strcmp(first, name)) || (second && !strcmp(second, name))) return true;
        }
    }
    return false;
}

/* A bit that no shape uses; 0: none is left. */
static int64_t spare_layer(const jn_robot *b) {
    int64_t used = 0;
    for (int i = 0; i < b->shape_count; i++) used |= b->shapes[i].layer | b->shapes[i].touches;
    for (int k = 30; k >= 0; k--)
        if (!(used >> k & 1)) return (int64_t)1 << k;
    return 0;
}

/* Lets two geoms touch whose masks do not: one of them, the ground if it is there, has a layer of its own, which the other touches. */
static bool allow_contact(jn_robot *b, jn_mjcf_geom *A, jn_mjcf_geom *B) {
    bool swap = A->layer || (!B->layer && A->body < 0);
    jn_mjcf_geom *owner = swap ? A : B, *other = swap ? B : A;
    jn_robot_shape *s = &b->shapes[owner->shape], *t = &b->shapes[other->shape];
    if ((s->layer & t->touches) || (t->layer & s->touches)) return true;
    if (!owner->layer && !(owner->layer = spare_layer(b))) return false;
    for (int i = 0; i < owner->shapes; i++) s[i].layer |= owner->layer;
    for (int i = 0; i < other->shapes; i++) t[i].touches |= owner->layer;
    return true;
}

static bool has_law(const jn_robot *b, int first, int second) {
    for (int i = 0; i < b->pair_count; i++) {
        const jn_robot_pair *p = &b->pairs[i];
        bool same = (p->body[0] == first && p->body[1] == second) || (p->body[0] == second && p->body[1] == first);
        if (same && p->material >= 0) return true;
    }
    return false;
}

/* A pair of geoms has the law of their bodies, the first one where there are several. */
static bool read_pair(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    jn_mjcf_geom *A = find_geom(x, e, "geom1"), *B = find_geom(x, e, "geom2");
    double friction[5] = {1, 1, 0.005, 0.0001, 0.0001}, condim = 3;
    if (!A || !B) return false;
    if (jn_robot_list(b, e, "friction", 5, friction) < 0 || !jn_robot_numbers(b, e, "condim", 1, false, &condim))
        return false;
    if (A->shape < 0 || B->shape < 0) return true; /* contacts are switched off */
    if (!allow_contact(b, A, B)) {
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, jn_robot_text(b, "%.40s and %.40s", A->name, B->name),
                      "contact pairs beyond those that 31 layers can hold", "they do not touch");
        return true;
    }
    double sticks = b->shapes[A->shape].adhesion + b->shapes[B->shape].adhesion;
    if (!jn_robot_numbers(b, e, "adhesion", 1, false, &sticks)) return false;
    if (sticks != 0)
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, jn_robot_text(b, "%.40s and %.40s", A->name, B->name),
                      "adhesion of contact pairs", "they pull as their geoms do");
    if (has_law(b, A->body, B->body)) return true;
    jn_robot_material *m = jn_robot_add_material(b);
    jn_robot_pair *p = m ? jn_robot_add_pair(b, A->body, B->body, e->where) : NULL;
    if (!p) return false;
    *m = (jn_robot_material){
        .name = jn_robot_text(b, "pair_%d", b->pair_count), .where = e->where, .slide = friction[0]};
    m->dimensions = (int)condim, m->friction = condim >= 3 ? friction[0] : 0;
    p->material = b->material_count - 1;
    return true;
}

bool jn_mjcf_read_contacts(jn_mjcf *x, const jn_xml *section) {
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = jn_mjcf_with_defaults(x, section->children[i], section->children[i]->name, NULL);
        if (!strcmp(e->name, "exclude")) {
            int first = jn_mjcf_find_body(x, e, "body1"), second = jn_mjcf_find_body(x, e, "body2");
            if (first < -1 || second < -1 || first == second) continue;
            if (!jn_robot_add_pair(x->b, first, second, e->where)) return false;
        } else if (!strcmp(e->name, "pair")) {
            if (!read_pair(x, e) && x->b->r->status == JN_ERR_MEMORY) return false;
        } else {
            jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, e->name, "elements of <contact> that are not understood",
                          "they are left out");
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------------- keyframes */

/* Controls of the keyframe become the values of the parameters. */
static bool read_controls(jn_mjcf *x, const jn_xml *key) {
    jn_robot *b = x->b;
    double *u = jn_store_array(b->r->scratch, (size_t)x->control_count + 1, sizeof *u);
    if (!u) return jn_read_no_memory(b->r);
    int found = jn_robot_list(b, key, "ctrl", x->control_count, u);
    if (found > 0 && found != x->control_count)
        return jn_read_error(b->r, key->where, JN_ERR_MODEL, "<key ctrl> has %d numbers, but there are %d actuators",
                             found, x->control_count);
    for (int i = 0; i < found; i++)
        if (x->controls[i] >= 0) b->parameters[x->controls[i]].value = u[i];
    return found >= 0;
}

/* Stops are rigid: a robot cannot start beyond them. */
static void keep_in_range(jn_robot *b, const jn_xml *key, jn_robot_joint *j) {
    double inside = j->position;
    if (j->has_lower) inside = jn_fmax(inside, j->lower);
    if (j->has_upper) inside = jn_fmin(inside, j->upper);
    if (fabs(inside - j->position) > 1e-6)
        jn_robot_find(b, JN_FINDING_WARNING, key->where,
                      jn_robot_text(b, "%.60s by %.3g", j->name, fabs(inside - j->position)),
                      "coordinates of a keyframe outside the range of their joints", "they start at its nearer end");
    j->position = inside;
}

/* The turn of a ball joint as far as its range lets it. */
static jn_quat keep_in_cone(jn_robot *b, const jn_xml *key, const jn_robot_joint *j, jn_quat turn) {
    jn_vec3 phi = q4_log(turn);
    double angle = v3_norm(phi);
    if (!(j->cone > 0) || !(angle > j->cone)) return turn;
    if (angle - j->cone > 1e-6)
        jn_robot_find(b, JN_FINDING_WARNING, key->where, jn_robot_text(b, "%.60s by %.3g", j->name, angle - j->cone),
                      "coordinates of a keyframe outside the range of their joints", "they start at its nearer end");
    return q4_exp(v3_scale(j->cone / angle, phi));
}

bool jn_mjcf_read_keyframe(jn_mjcf *x, const jn_xml *key) {
    jn_robot *b = x->b;
    if (!read_controls(x, key)) return false;
    double *q = jn_store_array(b->r->scratch, 8 * (size_t)b->joint_count + 8, sizeof *q);
    int need = 0, at = 0;
    if (!q) return jn_read_no_memory(b->r);
    for (int i = 0; i < b->joint_count; i++)
        if (!b->joints[i].loop && b->joints[i].type != JN_JOINT_FIXED)
            need += jn_joint_type_info(b->joints[i].type)->nq;
    int found = jn_robot_list(b, key, "qpos", 8 * b->joint_count + 8, q);
    if (found <= 0) return found == 0;
    double *lengths = jn_mjcf_path_lengths(x);
    if (!lengths) return false;
    if (found != need)
        return jn_read_error(b->r, key->where, JN_ERR_MODEL,
                             "<key qpos> has %d numbers, but the joints have %d coordinates", found, need);
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        if (j->loop || j->type == JN_JOINT_FIXED) continue;
        const double *v = q + at;
        at += jn_joint_type_info(j->type)->nq;
        if (j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC) {
            j->position = v[0] - j->reference;
            keep_in_range(b, key, j);
            continue;
        }
        const double *r = j->type == JN_JOINT_FREE ? v + 3 : v;
        jn_quat to = {r[0], r[1], r[2], r[3]};
        if (!(q4_norm(to) > 1e-9)) {
            jn_robot_find(b, JN_FINDING_WARNING, key->where, j->name, "quaternions of length zero in a keyframe",
                          "they turn by nothing, as in MuJoCo");
            to = q4_identity();
        }
        if (j->type == JN_JOINT_SPHERICAL) to = keep_in_cone(b, key, j, q4_unit(to));
        const jn_robot_body *body = &b->bodies[j->body[1]];
        jn_quat own = body->orientation, up = q4_mul(b->options->orientation, q4_unit(to));
        jn_quat turn =
            j->type == JN_JOINT_FREE ? q4_mul(up, q4_conj(own)) : q4_mul(q4_mul(own, q4_unit(to)), q4_conj(own));
        jn_vec3 place = j->type == JN_JOINT_FREE
                            ? v3_add(b->options->at, q4_rotate(b->options->orientation, v3(v[0], v[1], v[2])))
                            : j->at;
        jn_vec3 shift = v3_sub(place, q4_rotate(turn, j->type == JN_JOINT_FREE ? body->at : j->at));
        for (int k = 0; k < b->tie_count; k++) b->ties[k].framed |= b->ties[k].joint == i;
        jn_robot_carry(b, j->body[1], turn, shift);
    }
    return jn_mjcf_keep_lengths(x, lengths);
}
