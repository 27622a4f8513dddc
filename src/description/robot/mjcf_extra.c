/* MJCF: equalities, contact pairs and keyframes. */
#include "algebra/elementary.h"
#include "description/robot/mjcf.h"

#include "base/suggest.h"

#include <math.h>
#include <string.h>

static int find_body(jn_mjcf *x, const jn_xml *e, const char *name) {
    const char *word = jn_xml_attribute_of(e, name);
    if (!word || !strcmp(word, "world")) return -1;
    int i = jn_robot_find_body(x->b, word);
    if (i >= 0) return i;
    jn_suggest suggest = jn_suggest_for(word);
    for (int k = 0; k < x->b->body_count; k++) jn_suggest_offer(&suggest, x->b->bodies[k].name);
    jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                  suggest.best ? "there is no body '%.60s'\nwrite '%s'" : "there is no body '%.60s'%.0s", word,
                  suggest.best ? suggest.best : "");
    return -2;
}

int jn_mjcf_find_joint(jn_mjcf *x, const jn_xml *e, const char *name) {
    const char *word = jn_robot_attribute(x->b, e, name);
    int i = word ? jn_robot_find_joint(x->b, word) : -1;
    if (i >= 0 || !word) return i;
    jn_suggest suggest = jn_suggest_for(word);
    for (int k = 0; k < x->b->joint_count; k++) jn_suggest_offer(&suggest, x->b->joints[k].name);
    jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                  suggest.best ? "there is no joint '%.60s'\nwrite '%s'" : "there is no joint '%.60s'%.0s", word,
                  suggest.best ? suggest.best : "");
    return -1;
}

/* ------------------------------------------------------------------------------------------------------ equalities */

static jn_vec3 to_world(const jn_robot *b, int body, jn_vec3 p) {
    return body < 0 ? p : v3_add(b->bodies[body].at, q4_rotate(b->bodies[body].orientation, p));
}

static jn_vec3 to_body(const jn_robot *b, int body, jn_vec3 p) {
    return body < 0 ? p : q4_rotate(q4_conj(b->bodies[body].orientation), v3_sub(p, b->bodies[body].at));
}

static jn_quat turn_of(const jn_robot *b, int body) { return body < 0 ? q4_identity() : b->bodies[body].orientation; }

/* Adds the ways in which the joints between a body and the world move a point of it, as a sum of squares. Joints that carry both
 * bodies of the loop move both alike, and are left out. */
static void add_ways(const jn_robot *b, int body, int other, jn_vec3 p, jn_sym3 *sum) {
    for (; body >= 0; body = b->bodies[body].parent) {
        bool common = false;
        for (int k = other; k >= 0; k = b->bodies[k].parent) common |= k == body;
        for (int i = 0; i < b->joint_count && !common; i++) {
            const jn_robot_joint *j = &b->joints[i];
            if (j->loop || j->body[1] != body) continue;
            jn_vec3 r = v3_sub(p, j->at);
            for (int k = 0; k < 3; k++) {
                jn_vec3 way = {0, 0, 0};
                if (j->type == JN_JOINT_SPHERICAL)
                    way = v3_cross(v3_axis(k), r);
                else if (j->type == JN_JOINT_FREE)
                    way = v3_axis(k);
                else if (k == 0 && j->type == JN_JOINT_REVOLUTE)
                    way = v3_cross(j->axis, r);
                else if (k == 0 && j->type == JN_JOINT_PRISMATIC)
                    way = j->axis;
                sum->xx += way.x * way.x, sum->yy += way.y * way.y, sum->zz += way.z * way.z;
                sum->xy += way.x * way.y, sum->xz += way.x * way.z, sum->yz += way.y * way.z;
            }
        }
    }
}

/* A point in a loop whose joints all but move in a plane is held in that plane alone: the direction across it is redundant, and no
 * exact solution has it where the axes of the hinges are not quite parallel. */
static bool moves_in_plane(const jn_robot *b, int first, int second, jn_vec3 p, jn_vec3 *across) {
    jn_sym3 sum = {0};
    double size[3];
    jn_mat3 V;
    add_ways(b, first, second, p, &sum);
    add_ways(b, second, first, p, &sum);
    jn_robot_principal(sum, size, &V);
    *across = m3_column(&V, 0);
    return size[0] < 1e-3 * size[1];
}

/* A point that holds on a line alone, fixed in both bodies. */
static void hold_on_line(jn_robot *b, jn_robot_joint *j, jn_vec3 along) {
    j->type = JN_JOINT_POINT_ON_LINE;
    for (int k = 0; k < 2; k++)
        j->frame_axis[k] = q4_rotate(q4_conj(turn_of(b, j->body[k])), along), j->frame_axis2[k] = v3(0, 0, 0);
}

/* An earlier connection of the same two bodies; -1: none. */
static int earlier_tie(const jn_robot *b, int index) {
    const jn_robot_joint *j = &b->joints[index];
    for (int i = 0; i < index; i++) {
        const jn_robot_joint *o = &b->joints[i];
        bool same = (o->body[0] == j->body[0] && o->body[1] == j->body[1]) ||
                    (o->body[0] == j->body[1] && o->body[1] == j->body[0]);
        if (o->loop && same && (o->type == JN_JOINT_SPHERICAL || o->type == JN_JOINT_POINT_ON_LINE)) return i;
    }
    return -1;
}

/* Rows of a connection that others hold already are left out: files have too few digits for all of them. In a loop that moves in a
 * plane the point, in the world, holds in that plane; a second point of the same bodies holds across the line to the first, and not
 * at all if that line is normal to the plane. */
static void free_redundant(jn_robot *b, int index, jn_vec3 point) {
    jn_robot_joint *j = &b->joints[index];
    jn_vec3 across;
    int other = earlier_tie(b, index);
    bool plane = moves_in_plane(b, j->body[0], j->body[1], point, &across);
    jn_vec3 line = v3(0, 0, 0);
    if (other >= 0) line = v3_sub(point, to_world(b, b->joints[other].body[0], b->joints[other].frame_at[0]));
    if (other >= 0 && plane && v3_norm(v3_cross(line, across)) < 1e-3 * v3_norm(line)) {
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "connections that hold already",
                      "another one of the same bodies and the hinges of the loop do the same; they are left out");
        b->joint_count--;
    } else if (plane) {
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "connections in loops that move in a plane",
                      "they hold the point in that plane; across it the hinges of the loop do");
        hold_on_line(b, j, across);
    } else if (other >= 0 && v3_norm(line) > 0) {
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "second connections of the same two bodies",
                      "they hold across the line to the first point; along it the first one does");
        hold_on_line(b, j, v3_unit(line));
    }
}

/* Two bodies joined at a point, or altogether, as drawn. */
static bool read_tie(jn_mjcf *x, const jn_xml *e, bool weld) {
    jn_robot *b = x->b;
    jn_vec3 anchor = {0, 0, 0};
    double pose[7] = {0, 0, 0, 0, 0, 0, 0};
    const char *name = jn_xml_attribute_of(e, "name");
    const jn_robot_point *sites[2] = {NULL, NULL};
    if (jn_xml_attribute_of(e, "site1")) {
        if (weld) {
            jn_robot_find(b, JN_FINDING_PHYSICS, e->where, e->name, "welds between sites", "they are left out");
            return true;
        }
        int one = jn_mjcf_find_site(x, e, "site1"), two = jn_mjcf_find_site(x, e, "site2");
        if (one < 0 || two < 0) return false;
        sites[0] = &b->points[one], sites[1] = &b->points[two];
    }
    if (!sites[0] && !jn_robot_attribute(b, e, "body1")) return false;
    int first = sites[0] ? sites[0]->body : find_body(x, e, "body1"),
        second = sites[0] ? sites[1]->body : find_body(x, e, "body2");
    if (first < -1 || second < -1) return false;
    if (first == second) return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s> ties a body to itself", e->name);
    if ((first >= 0 && b->bodies[first].mocap) || (second >= 0 && b->bodies[second].mocap)) {
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : e->name, "equalities with mocap bodies",
                      "a program would move the body; they are left out");
        return true;
    }
    if (!jn_robot_vector(b, e, "anchor", !weld && !sites[0], &anchor) ||
        !jn_robot_numbers(b, e, "relpose", 7, false, pose))
        return false;
    if (weld && (pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0))
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : e->name, "relpose of welds",
                      "the bodies are welded as drawn");
    if (sites[0]) anchor = sites[0]->at;
    if (weld) anchor = to_body(b, first, to_world(b, second, v3(0, 0, 0)));
    jn_robot_joint *j = jn_robot_add_joint(b, name ? name : jn_robot_text(b, "%s_%d", e->name, b->joint_count + 1),
                                           e->where, weld ? JN_JOINT_FIXED : JN_JOINT_SPHERICAL, first, second);
    if (!j) return false;
    j->loop = j->local = b->has_loops = true;
    j->tie_time[0] = 0.02, j->tie_time[1] = 1;
    if (jn_robot_list(b, e, "solref", 2, j->tie_time) < 0) return false;
    j->frame_at[0] = anchor;
    j->frame_at[1] = sites[0] ? sites[1]->at : to_body(b, second, to_world(b, first, anchor));
    for (int k = 0; k < 2; k++) {
        jn_quat back = q4_conj(turn_of(b, k ? second : first));
        j->frame_axis[k] = q4_rotate(back, v3(0, 0, 1)), j->frame_axis2[k] = q4_rotate(back, v3(1, 0, 0));
    }
    if (!weld) free_redundant(b, b->joint_count - 1, to_world(b, first, anchor));
    return true;
}

static bool read_coupling(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    double c[5] = {0, 1, 0, 0, 0};
    const char *name = jn_xml_attribute_of(e, "name");
    int first = jn_mjcf_find_joint(x, e, "joint1"),
        second = jn_xml_attribute_of(e, "joint2") ? jn_mjcf_find_joint(x, e, "joint2") : -1;
    if (first < 0 || (jn_xml_attribute_of(e, "joint2") && second < 0)) return false;
    if (jn_robot_list(b, e, "polycoef", 5, c) < 0) return false;
    if (second >= 0 && (c[2] != 0 || c[3] != 0 || c[4] != 0)) {
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : b->joints[first].name,
                      "equalities of joints that are not linear", "their linear part holds");
    }
    jn_robot_coupler *k =
        jn_robot_add_coupler(b, name ? name : jn_robot_text(b, "%.50s_coupler", b->joints[first].name), e->where);
    if (!k) return false;
    if (!jn_robot_couple(b, k, first, 1) || (second >= 0 && !jn_robot_couple(b, k, second, -c[1]))) return false;
    b->joints[first].position = c[0] + (second >= 0 ? c[1] * b->joints[second].position : 0);
    return true;
}

static bool couple_tendon(jn_mjcf *x, const jn_xml *e, const char *which, double factor, jn_robot_coupler *k) {
    jn_robot *b = x->b;
    const char *name = jn_robot_attribute(b, e, which);
    for (int i = 0; name && i < b->tendon_count; i++) {
        const jn_robot_tendon *t = &b->tendons[i];
        if (strcmp(t->name, name)) continue;
        bool fine = true;
        if (t->path_count)
            jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name, "equalities of spatial tendons", "they are left out");
        for (int n = 0; n < t->count && fine; n++) fine = jn_robot_couple(b, k, t->joint[n], factor * t->factor[n]);
        return fine;
    }
    return name && jn_read_error(b->r, e->where, JN_ERR_MODEL, "there is no tendon '%.60s' over joints", name);
}

/* The length of a tendon is held, or follows that of another. */
static bool read_tendon_tie(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    double c[5] = {0, 1, 0, 0, 0};
    const char *name = jn_xml_attribute_of(e, "name");
    if (jn_robot_list(b, e, "polycoef", 5, c) < 0) return false;
    if (c[0] != 0 || c[2] != 0 || c[3] != 0 || c[4] != 0)
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : e->name,
                      "equalities of tendons that are not linear, or do not hold as drawn", "their linear part holds");
    jn_robot_coupler *k =
        jn_robot_add_coupler(b, name ? name : jn_robot_text(b, "coupler_%d", b->coupler_count + 1), e->where);
    return k && couple_tendon(x, e, "tendon1", 1, k) &&
           (!jn_xml_attribute_of(e, "tendon2") || couple_tendon(x, e, "tendon2", -c[1], k));
}

/* Joints of the tree that a loop passes, as marks; how many. */
static int mark_loop(const jn_robot *b, const jn_robot_joint *loop, char *mark) {
    int count = 0;
    for (int side = 0; side < 2; side++)
        for (int body = loop->body[side]; body >= 0; body = b->bodies[body].parent) {
            bool common = false;
            for (int k = loop->body[!side]; k >= 0; k = b->bodies[k].parent) common |= k == body;
            for (int i = 0; i < b->joint_count && !common; i++)
                if (!b->joints[i].loop && b->joints[i].body[1] == body && b->joints[i].type != JN_JOINT_FIXED &&
                    !mark[i])
                    mark[i] = 1, count++;
        }
    return count;
}

/* [kg] of all that the joints of a loop carry. */
static double carried_mass(const jn_robot *b, const char *mark) {
    double sum = 0;
    for (int i = 0; i < b->body_count; i++) {
        bool carried = false;
        for (int body = i; body >= 0; body = b->bodies[body].parent)
            for (int k = 0; k < b->joint_count; k++)
                carried |= mark[k] && !b->joints[k].loop && b->joints[k].body[1] == body;
        if (carried) sum += b->bodies[i].mass;
    }
    return sum;
}

/* Makes a connection soft, with the time constant that its file names: k = m / (T z)^2, c = 2 m / T. */
static bool soften(jn_robot *b, int index, double mass) {
    jn_robot_joint j = b->joints[index];
    double T = j.tie_time[0], z = j.tie_time[1];
    jn_robot_tie *t = jn_robot_add_tie(b, j.name, j.where);
    if (!t) return false;
    if (!(T > 0 && z > 0)) T = 0.02, z = 1;
    t->stiffness = mass / (T * T * z * z), t->damping = 2 * mass / T;
    for (int k = 0; k < 2; k++) t->body[k] = j.body[k], t->at[k] = j.frame_at[k];
    jn_robot_find(b, JN_FINDING_WARNING, j.where, j.name, "connections that would leave a loop without freedom",
                  "they are soft, as in MuJoCo: springs and dampers with the time constant of solref");
    memmove(&b->joints[index], &b->joints[index + 1], (size_t)(b->joint_count - index - 1) * sizeof *b->joints);
    b->joint_count--;
    return true;
}

/* Loops in a plane that share hinges, such as a parallelogram with two rods: where their rows leave no freedom, the mechanism moves
 * only if its lengths fit to the last digit, which those of files do not. The later connections become soft. */
static bool soften_redundant(jn_robot *b) {
    size_t n = (size_t)b->joint_count + 1;
    char *mark = jn_store_array(b->r->scratch, n, 1), *own = jn_store_array(b->r->scratch, n, 1);
    if (!mark || !own) return jn_read_no_memory(b->r);
    for (int i = 0; i < b->joint_count; i++) {
        if (!b->joints[i].loop || b->joints[i].type != JN_JOINT_POINT_ON_LINE) continue;
        memset(mark, 0, n);
        int joints = mark_loop(b, &b->joints[i], mark), rows = 2;
        for (int k = 0; k < i; k++) { /* earlier loops that share a joint */
            bool shares = false;
            if (!b->joints[k].loop || b->joints[k].type != JN_JOINT_POINT_ON_LINE) continue;
            memset(own, 0, n);
            mark_loop(b, &b->joints[k], own);
            for (int l = 0; l < b->joint_count; l++) shares |= own[l] && mark[l];
            if (shares) joints += mark_loop(b, &b->joints[k], mark), rows += 2;
        }
        if (rows < 4 || joints > rows) continue;
        if (!soften(b, i, carried_mass(b, mark))) return false;
        i--;
    }
    return true;
}

bool jn_mjcf_read_equalities(jn_mjcf *x, const jn_xml *section) {
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = jn_mjcf_with_defaults(x, section->children[i], "equality", NULL);
        bool fine = true;
        if (jn_mjcf_flag(x, e, "active", 1) == 0)
            jn_robot_find(x->b, JN_FINDING_NOTE, e->where, e->name, "equalities that are not active",
                          "they are left out");
        else if (!strcmp(e->name, "connect") || !strcmp(e->name, "weld"))
            fine = read_tie(x, e, !strcmp(e->name, "weld"));
        else if (!strcmp(e->name, "joint"))
            fine = read_coupling(x, e);
        else if (!strcmp(e->name, "tendon"))
            fine = read_tendon_tie(x, e);
        else
            jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, e->name, "equalities that are not understood",
                          "they are left out");
        if (!fine && x->b->r->status == JN_ERR_MEMORY) return false;
    }
    return soften_redundant(x->b);
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
    s->layer |= owner->layer, t->touches |= owner->layer;
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
            int first = find_body(x, e, "body1"), second = find_body(x, e, "body2");
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

static bool hangs_on(const jn_robot *b, int body, int from) {
    for (; body >= 0; body = b->bodies[body].parent)
        if (body == from) return true;
    return false;
}

/* Moves all that hangs on a body by a motion of the world. */
static void carry(jn_robot *b, int from, jn_quat q, jn_vec3 p) {
    for (int i = 0; i < b->body_count; i++) {
        jn_robot_body *body = &b->bodies[i];
        if (!hangs_on(b, i, from)) continue;
        body->at = v3_add(p, q4_rotate(q, body->at)), body->orientation = q4_unit(q4_mul(q, body->orientation));
    }
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        if (j->loop || !hangs_on(b, j->body[1], from)) continue;
        j->at = v3_add(p, q4_rotate(q, j->at)), j->axis = q4_rotate(q, j->axis);
    }
}

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
        const jn_robot_body *body = &b->bodies[j->body[1]];
        jn_quat own = body->orientation, up = q4_mul(b->options->orientation, q4_unit(to));
        jn_quat turn =
            j->type == JN_JOINT_FREE ? q4_mul(up, q4_conj(own)) : q4_mul(q4_mul(own, q4_unit(to)), q4_conj(own));
        jn_vec3 place = j->type == JN_JOINT_FREE
                            ? v3_add(b->options->at, q4_rotate(b->options->orientation, v3(v[0], v[1], v[2])))
                            : j->at;
        carry(b, j->body[1], turn, v3_sub(place, q4_rotate(turn, j->type == JN_JOINT_FREE ? body->at : j->at)));
    }
    return true;
}
