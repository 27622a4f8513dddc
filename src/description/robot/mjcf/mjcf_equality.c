/* MJCF: equalities: connections and welds of bodies, polynomials between joints or tendons [MuJoCo, equality]. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static jn_vec3 to_world(const jn_robot *b, int body, jn_vec3 p) {
    return body < 0 ? p : v3_add(b->bodies[body].at, q4_rotate(b->bodies[body].orientation, p));
}

static jn_vec3 to_body(const jn_robot *b, int body, jn_vec3 p) {
    return body < 0 ? p : q4_rotate(q4_conj(b->bodies[body].orientation), v3_sub(p, b->bodies[body].at));
}

static jn_quat turn_of(const jn_robot *b, int body) { return body < 0 ? q4_identity() : b->bodies[body].orientation; }

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
    bool plane = jn_robot_moves_in_plane(b, j->body[0], j->body[1], point, &across, NULL);
    jn_vec3 line = v3(0, 0, 0);
    if (other >= 0) line = v3_sub(point, to_world(b, b->joints[other].body[0], b->joints[other].frame_at[0]));
    if (other >= 0 && plane && v3_norm(v3_cross(line, across)) < 1e-3 * v3_norm(line)) {
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "connections that hold already",
                      "another one of the same bodies and the hinges of the loop do the same; they are left out");
        b->joint_count--;
    } else if (plane) {
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "connections in loops that move in a plane",
                      "they hold the point in that plane; across it the hinges of the loop do");
        jn_robot_hold_on_line(b, j, across);
    } else if (other >= 0 && v3_norm(line) > 0) {
        jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "second connections of the same two bodies",
                      "they hold across the line to the first point; along it the first one does");
        jn_robot_hold_on_line(b, j, v3_unit(line));
    }
}

/* Frames of an equality on its two bodies. */
typedef struct tie {
    int body[2];
    jn_vec3 at[2];
    jn_quat turn[2]; /* of axes that agree, in the bodies */
} tie;

/* Both sites, or both bodies, that a connection or weld names; false with a message if there are none. */
static bool find_ends(jn_mjcf *x, const jn_xml *e, tie *t, bool *sites) {
    jn_robot *b = x->b;
    *sites = jn_xml_attribute_of(e, "site1");
    for (int k = 0; k < 2; k++) {
        if (*sites) {
            int point = jn_mjcf_find_site(x, e, k ? "site2" : "site1");
            if (point < 0) return false;
            const jn_robot_point *p = &b->points[point];
            t->body[k] = p->body, t->at[k] = p->at, t->turn[k] = p->orientation;
        } else {
            if (k == 0 && !jn_robot_attribute(b, e, "body1")) return false;
            t->body[k] = jn_mjcf_find_body(x, e, k ? "body2" : "body1");
            if (t->body[k] < -1) return false;
        }
    }
    return t->body[0] != t->body[1] ||
           jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s> ties a body to itself", e->name);
}

/* Frames of two bodies: a weld holds them as drawn, or as relpose says: where the anchor, a point of the second body, stands in the
 * first one, and how the second is turned against it. The anchor of a connection is one of the first body. */
static bool find_frames(jn_mjcf *x, const jn_xml *e, bool weld, tie *t) {
    jn_robot *b = x->b;
    double pose[7] = {0, 1, 0, 0, 0, 0, 0};
    jn_vec3 anchor = {0, 0, 0};
    if (!jn_robot_vector(b, e, "anchor", !weld, &anchor) || !jn_robot_numbers(b, e, "relpose", 7, false, pose))
        return false;
    int own = weld ? 1 : 0;
    jn_quat q = {pose[3], pose[4], pose[5], pose[6]};
    t->at[own] = anchor, t->at[!own] = to_body(b, t->body[!own], to_world(b, t->body[own], anchor));
    for (int k = 0; k < 2; k++) t->turn[k] = q4_conj(turn_of(b, t->body[k]));
    if (!weld || !(q4_norm(q) > 0)) return true;
    t->turn[0] = q4_unit(q), t->turn[1] = q4_identity();
    t->at[0] = v3(pose[0], pose[1], pose[2]);
    return true;
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

/* Rotation about `across` from the axes of a tie on its first body to those on its second, as drawn; false: they differ by more than that. */
static bool turn_in_plane(const jn_robot *b, const tie *t, jn_vec3 across, double *angle) {
    jn_quat first = q4_mul(turn_of(b, t->body[0]), t->turn[0]), second = q4_mul(turn_of(b, t->body[1]), t->turn[1]);
    jn_vec3 phi = q4_log(q4_mul(second, q4_conj(first)));
    *angle = v3_dot(phi, across);
    return v3_norm(v3_axpy(-*angle, across, phi)) < 1e-3;
}

/* The sum of the angles of parallel hinges by which the second body of a loop is turned against the first; false: others are in the loop. */
static bool sum_of_hinges(const jn_robot *b, const jn_robot_joint *loop, const char *mark, jn_vec3 across, jn_robot_coupler *sum) {
    for (int i = 0; i < b->joint_count; i++) {
        const jn_robot_joint *j = &b->joints[i];
        double along = v3_dot(j->axis, across);
        bool second = false;
        if (!mark[i]) continue;
        if (j->type != JN_JOINT_REVOLUTE || v3_norm(v3_cross(j->axis, across)) > 1e-2 || sum->count == JN_COUPLER_MAX) return false;
        for (int k = loop->body[1]; k >= 0; k = b->bodies[k].parent) second |= k == j->body[1];
        sum->joint[sum->count] = i, sum->factor[sum->count++] = (along > 0) == second ? 1 : -1;
    }
    return sum->count >= 3;
}

/* A weld in a loop of parallel hinges holds its point in the plane of motion, and the sum of their angles: the other directions are redundant, and
 * no exact solution has them where the axes are not quite parallel. */
static bool weld_in_plane(jn_mjcf *x, int index, const tie *t) {
    jn_robot *b = x->b;
    jn_robot_joint *j = &b->joints[index];
    char *mark = jn_store_array(b->r->scratch, (size_t)b->joint_count + 1, 1);
    jn_robot_coupler sum = {.has_constant = true};
    jn_vec3 across;
    double angle;
    if (!mark) return jn_read_no_memory(b->r);
    mark_loop(b, j, mark);
    if (!jn_robot_moves_in_plane(b, t->body[0], t->body[1], to_world(b, t->body[0], t->at[0]), &across, NULL) || !turn_in_plane(b, t, across, &angle) ||
        !sum_of_hinges(b, j, mark, across, &sum))
        return true;
    jn_robot_coupler *own = jn_robot_add_coupler(b, jn_robot_text(b, "%.50s_turn", j->name), j->where);
    if (!own) return false;
    sum.name = own->name, sum.where = own->where, sum.constant = -angle;
    *own = sum;
    jn_robot_find(b, JN_FINDING_NOTE, j->where, j->name, "welds in loops that move in a plane",
                  "they hold the point in that plane and the sum of the angles; the rest the hinges of the loop do");
    jn_robot_hold_on_line(b, j, across);
    j->turn_held = true;
    return true;
}

/* Two bodies joined at a point, or altogether. torquescale only weighs rotations against displacements, but at 0 it leaves them free. */
static bool read_tie(jn_mjcf *x, const jn_xml *e, bool weld) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name");
    double scale = 1;
    tie t = {.body = {-1, -1}};
    bool sites;
    if (!find_ends(x, e, &t, &sites) || (!sites && !find_frames(x, e, weld, &t)) ||
        !jn_robot_numbers(b, e, "torquescale", 1, false, &scale))
        return false;
    for (int k = 0; k < 2; k++)
        if (t.body[k] >= 0 && b->bodies[t.body[k]].mocap)
            jn_robot_find(b, JN_FINDING_WARNING, e->where, name ? name : e->name, "equalities with mocap bodies",
                          "they hold other bodies where the mocap body is drawn: no program moves it here");
    weld = weld && scale != 0;
    jn_robot_joint *j = jn_robot_add_joint(b, name ? name : jn_robot_text(b, "%s_%d", e->name, b->joint_count + 1),
                                           e->where, weld ? JN_JOINT_FIXED : JN_JOINT_SPHERICAL, t.body[0], t.body[1]);
    if (!j) return false;
    j->loop = j->local = b->has_loops = true;
    j->tie_time[0] = 0.02, j->tie_time[1] = 1;
    if (jn_robot_list(b, e, "solref", 2, j->tie_time) < 0) return false;
    for (int k = 0; k < 2; k++) {
        j->frame_at[k] = t.at[k];
        j->frame_axis[k] = q4_rotate(t.turn[k], v3(0, 0, 1)), j->frame_axis2[k] = q4_rotate(t.turn[k], v3(1, 0, 0));
    }
    if (weld) return weld_in_plane(x, b->joint_count - 1, &t);
    free_redundant(b, b->joint_count - 1, to_world(b, t.body[0], t.at[0]));
    return true;
}

/* y = c0 + c1 x + c2 x^2 + c3 x^3 + c4 x^4, all from the drawn configuration, as a coupler; x is not there: y = c0. */
static jn_robot_coupler *polynomial(jn_mjcf *x, const jn_xml *e, const char *name, bool has_second) {
    double c[5] = {0, 1, 0, 0, 0};
    if (jn_robot_list(x->b, e, "polycoef", 5, c) < 0) return NULL;
    jn_robot_coupler *k = jn_robot_add_coupler(x->b, name, e->where);
    if (!k) return NULL;
    k->count = has_second ? 2 : 1;
    k->factor[0] = 1, k->factor[1] = -c[1];
    for (int i = 0; i < 3 && has_second; i++) k->power[1][i] = c[2 + i] == 0 ? 0 : -c[2 + i];
    k->has_constant = true, k->constant = c[0];
    return k;
}

static bool read_coupling(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name");
    int first = jn_mjcf_find_joint(x, e, "joint1"),
        second = jn_xml_attribute_of(e, "joint2") ? jn_mjcf_find_joint(x, e, "joint2") : -1;
    if (first < 0 || (jn_xml_attribute_of(e, "joint2") && second < 0)) return false;
    jn_robot_coupler *k = polynomial(
        x, e, name ? name : jn_robot_text(b, "%.50s_coupler", b->joints[first].name), second >= 0);
    if (!k) return false;
    k->joint[0] = first, k->joint[1] = second;
    return true;
}

static int tendon_of(jn_mjcf *x, const jn_xml *e, const char *which) {
    const char *name = jn_robot_attribute(x->b, e, which);
    for (int i = 0; name && i < x->b->tendon_count; i++)
        if (!strcmp(x->b->tendons[i].name, name)) return i;
    if (name) jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "there is no tendon '%.60s'", name);
    return -1;
}

/* The length of a tendon is held, or follows that of another. */
static bool read_tendon_tie(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name");
    bool two = jn_xml_attribute_of(e, "tendon2");
    int first = tendon_of(x, e, "tendon1"), second = two ? tendon_of(x, e, "tendon2") : -1;
    if (first < 0 || (two && second < 0)) return false;
    jn_robot_coupler *k =
        polynomial(x, e, name ? name : jn_robot_text(b, "coupler_%d", b->coupler_count + 1), two);
    if (!k) return false;
    k->tendon[0] = first + 1, k->tendon[1] = second + 1;
    b->has_loops = true;
    return true;
}

/* Joints that follow others start where their equalities hold; chains of them: until nothing changes. */
void jn_mjcf_start_equalities(jn_mjcf *x) {
    jn_robot *b = x->b;
    for (int round = 0; round <= b->coupler_count; round++) { /* the last one finds that nothing changes */
        bool changed = false;
        for (int i = 0; i < b->coupler_count; i++) {
            const jn_robot_coupler *c = &b->couplers[i];
            if (c->tendon[0] || !c->has_constant || c->count > 2) continue;
            double q = c->count > 1 ? b->joints[c->joint[1]].position : 0, *own = &b->joints[c->joint[0]].position;
            const double *p = c->power[1];
            double y = c->constant - q * (c->factor[1] + q * (p[0] + q * (p[1] + q * p[2])));
            if (fabs(y - *own) > 1e-6 && round == 0 && *own != 0)
                jn_robot_find(b, JN_FINDING_NOTE, c->where, b->joints[c->joint[0]].name,
                              "joints whose equality does not hold in the keyframe", "they start where it does");
            changed |= y != *own, *own = y;
        }
        if (!changed) return;
    }
    if (b->coupler_count) b->has_loops = true; /* they go round in a circle: positions are guesses */
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

/* Makes a connection soft, with the time constant that its file names: k = m / (T z)^2, c = 2 m / T; a weld resists rotations, too. */
static bool soften(jn_robot *b, int index, double mass, double inertia, const char *what) {
    jn_robot_joint j = b->joints[index];
    double T = j.tie_time[0], z = j.tie_time[1];
    jn_robot_tie *t = jn_robot_add_tie(b, j.name, j.where);
    if (!t) return false;
    if (!(T > 0 && z > 0)) T = 0.02, z = 1;
    t->stiffness = mass / (T * T * z * z), t->damping = 2 * mass / T;
    t->turn_stiffness = inertia / (T * T * z * z), t->turn_damping = 2 * inertia / T;
    for (int k = 0; k < 2; k++) t->body[k] = j.body[k], t->at[k] = j.frame_at[k];
    jn_robot_find(b, JN_FINDING_WARNING, j.where, j.name, what,
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
        int joints = mark_loop(b, &b->joints[i], mark), first = 2 + b->joints[i].turn_held, rows = first;
        for (int k = 0; k < i; k++) { /* earlier loops that share a joint */
            bool shares = false;
            if (!b->joints[k].loop || b->joints[k].type != JN_JOINT_POINT_ON_LINE) continue;
            memset(own, 0, n);
            mark_loop(b, &b->joints[k], own);
            for (int l = 0; l < b->joint_count; l++) shares |= own[l] && mark[l];
            if (shares) joints += mark_loop(b, &b->joints[k], mark), rows += 2 + b->joints[k].turn_held;
        }
        if (rows == first || joints > rows) continue;
        if (!soften(b, i, carried_mass(b, mark), 0, "connections that would leave a loop without freedom")) return false;
        i--;
    }
    return true;
}

/* Where joints start at an end of their range, since they are drawn outside it, nothing can be where it is tied as drawn: ties to mocap bodies,
 * which a program would move, are soft. */
bool jn_mjcf_soften_mocap(jn_mjcf *x) {
    jn_robot *b = x->b;
    for (int i = 0; i < b->joint_count && x->at_ends; i++) {
        const jn_robot_joint *j = &b->joints[i];
        int own = j->body[0] >= 0 && b->bodies[j->body[0]].mocap ? 0 : 1, other = j->body[!own];
        double mass = 0, inertia = 0;
        if (!j->loop || j->body[own] < 0 || !b->bodies[j->body[own]].mocap || other < 0) continue;
        if (!jn_robot_apparent_mass_at(b, other, to_world(b, other, j->frame_at[!own]), &mass, &inertia)) return false;
        if (j->type != JN_JOINT_FIXED) inertia = 0;
        if (!soften(b, i--, mass, inertia, "equalities with mocap bodies, of joints that are drawn outside their range")) return false;
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
