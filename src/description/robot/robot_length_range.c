/* The shortest and the longest length that a cable can have: steepest descent and ascent over the joints within their ranges, in the metric of
 * the mass matrix, from the configuration as drawn. That is where a simulation ends which pulls at the cable alone and loses its speed, as that
 * of MuJoCo does [MuJoCo, Length range]; its soft stops give way by less than 1e-3 rad. */
#include "algebra/elementary.h"
#include "description/robot/robot_tree.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 1000 };
static const double first_step = 0.05, longest_step = 0.5,
                    shortest_step = 1e-7; /* [rad], [m] norm over all coordinates */

typedef struct search {
    jn_robot c; /* the robot as it is moved: bodies and joints of its own */
    jn_robot_body *saved_bodies;
    jn_robot_joint *saved_joints;
    double *q, *saved_q; /* (joint_count) of joints with one coordinate */
    const jn_robot_tendon *t;
    jn_robot_pull *pull;
    jn_robot_tree tree;
    double *d, *g; /* (n) direction, gradient of the length */
    double sense;  /* 1: to the longest, -1 */
} search;

static bool has_one_coordinate(const jn_robot_joint *j) {
    return j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC;
}

/* ------------------------------------------------------------------------------------------------------------ motion */

/* By a rotation about its place and a displacement. */
static void move_joint(search *s, int joint, jn_vec3 turn, jn_vec3 shift) {
    const jn_robot_joint *j = &s->c.joints[joint];
    jn_vec3 at = j->type == JN_JOINT_FREE ? s->c.bodies[j->body[1]].at : j->at;
    jn_quat q = q4_exp(turn);
    jn_robot_carry(&s->c, j->body[1], q, v3_add(shift, v3_sub(at, q4_rotate(q, at))));
}

static void move_to(search *s, int joint, double to) {
    jn_robot_joint *j = &s->c.joints[joint];
    if (j->has_lower) to = jn_fmax(to, j->lower);
    if (j->has_upper) to = jn_fmin(to, j->upper);
    jn_vec3 by = v3_scale(to - s->q[joint], v3_unit(j->axis)), none = {0, 0, 0};
    bool turns = j->type == JN_JOINT_REVOLUTE;
    s->q[joint] = to;
    move_joint(s, joint, turns ? by : none, turns ? none : by);
}

/* b x + c x^2 + d x^3 + e x^4 of a coupler, and its slope. */
static double term_of(const search *s, const jn_robot_coupler *c, int k, double *slope) {
    double x = s->q[c->joint[k]], f = c->factor[k];
    const double *p = c->power[k];
    *slope = f + x * (2 * p[0] + x * (3 * p[1] + x * 4 * p[2]));
    return x * (f + x * (p[0] + x * (p[1] + x * p[2])));
}

/* Couplers of joints; the first joint of each follows the others. */
static bool couples_joints(const jn_robot *b, const jn_robot_coupler *c) {
    for (int k = 0; k < c->count; k++)
        if (c->tendon[k] || !has_one_coordinate(&b->joints[c->joint[k]])) return false;
    return c->count > 0 && c->factor[0] != 0;
}

static void follow(search *s) {
    for (int pass = 0; pass < 3; pass++) /* chains of them */
        for (int i = 0; i < s->c.coupler_count; i++) {
            const jn_robot_coupler *c = &s->c.couplers[i];
            double sum = c->constant, slope;
            if (!couples_joints(&s->c, c)) continue;
            for (int k = 1; k < c->count; k++) sum -= term_of(s, c, k, &slope);
            move_to(s, c->joint[0], sum / c->factor[0]);
        }
}

static void copy_state(search *s, bool back) {
    size_t bodies = (size_t)s->c.body_count * sizeof *s->c.bodies,
           joints = (size_t)s->c.joint_count * sizeof *s->c.joints, q = (size_t)s->c.joint_count * sizeof *s->q;
    memcpy(back ? s->c.bodies : s->saved_bodies, back ? s->saved_bodies : s->c.bodies, bodies);
    memcpy(back ? s->c.joints : s->saved_joints, back ? s->saved_joints : s->c.joints, joints);
    memcpy(back ? s->q : s->saved_q, back ? s->saved_q : s->q, q);
}

static void move_along(search *s, double step) {
    for (int i = 0; i < s->tree.n;) {
        int joint = s->tree.list[i].joint;
        const double *d = s->d + i;
        const jn_robot_joint *j = &s->c.joints[joint];
        int nv = jn_joint_type_info(j->type)->nv, turn = nv - 3;
        if (nv == 1)
            move_to(s, joint, s->q[joint] + step * d[0]);
        else
            move_joint(s, joint, v3_scale(step, v3(d[turn], d[turn + 1], d[turn + 2])),
                       turn ? v3_scale(step, v3(d[0], d[1], d[2])) : v3(0, 0, 0));
        i += nv;
    }
    follow(s);
}

/* --------------------------------------------------------------------------------------------------------- direction */

static double length_of(search *s, int *pulls) {
    double sum = 0;
    *pulls = 0;
    if (s->t->path_count) return jn_robot_path_length(&s->c, s->t, s->pull, pulls);
    for (int k = 0; k < s->t->count; k++) sum += s->t->factor[k] * s->q[s->t->joint[k]];
    return sum;
}

/* Gradient of the length, uphill or downhill. */
static void find_gradient(search *s, int pulls) {
    jn_robot_tree_fill(&s->c, &s->tree);
    for (int i = 0; i < s->tree.n; i++) {
        const jn_robot_coordinate *x = &s->tree.list[i];
        s->g[i] = 0;
        for (int k = 0; k < s->t->count; k++) s->g[i] += s->t->joint[k] == x->joint ? s->t->factor[k] : 0;
        for (const jn_robot_pull *p = s->pull; p < s->pull + pulls; p++)
            if (p->body >= 0 && jn_robot_is_behind(&s->c, p->body, s->c.joints[x->joint].body[1]))
                s->g[i] += v3_dot(p->f, v3_add(x->v, v3_cross(x->w, p->at)));
        s->g[i] *= s->sense;
    }
}

/* Couplers hold by a weight that is large beside all masses: M + W G^T G. */
static void add_couplers(search *s) {
    int n = s->tree.n;
    double *M = s->tree.M, heavy = 0;
    for (int i = 0; i < n; i++) heavy = jn_fmax(heavy, M[i * n + i]);
    for (int c = 0; c < s->c.coupler_count; c++) {
        const jn_robot_coupler *k = &s->c.couplers[c];
        double size = 0;
        if (!couples_joints(&s->c, k)) continue;
        for (int i = 0; i < n; i++) {
            s->tree.row[i] = 0;
            for (int m = 0; m < k->count; m++) {
                double slope;
                if (k->joint[m] != s->tree.list[i].joint) continue;
                term_of(s, k, m, &slope), s->tree.row[i] += slope;
            }
            size += s->tree.row[i] * s->tree.row[i];
        }
        for (int i = 0; i < n * n && size > 0; i++)
            M[i] += 1e6 * heavy / size * s->tree.row[i / n] * s->tree.row[i % n];
    }
}

/* Whether a coordinate stands at an end of its range and would pass it along a direction. */
static bool would_pass(const search *s, int i, const double *direction) {
    int joint = s->tree.list[i].joint;
    const jn_robot_joint *j = &s->c.joints[joint];
    if (!has_one_coordinate(j)) return false;
    return (direction[i] < 0 && j->has_lower && s->q[joint] <= j->lower) ||
           (direction[i] > 0 && j->has_upper && s->q[joint] >= j->upper);
}

/* d = M^-1 g where stops hold what is pulled against them; what would pass one all the same is held, too, one after the other. Returns |d|. */
static double find_direction(search *s, bool *held) {
    int n = s->tree.n, passes;
    double size;
    for (int i = 0; i < n; i++) held[i] = would_pass(s, i, s->g);
    do {
        jn_robot_tree_fill(&s->c, &s->tree);
        add_couplers(s);
        for (int i = 0; i < n; i++)
            if (held[i]) s->tree.M[i * n + i] = INFINITY;
        jn_robot_tree_factor(&s->tree);
        memcpy(s->d, s->g, (size_t)n * sizeof *s->d);
        jn_robot_tree_solve(&s->tree, s->d);
        size = 0, passes = -1;
        for (int i = 0; i < n; i++) {
            if (!held[i] && would_pass(s, i, s->d) && (passes < 0 || fabs(s->d[i]) > fabs(s->d[passes]))) passes = i;
            size += s->d[i] * s->d[i];
        }
        if (passes >= 0) held[passes] = true;
    } while (passes >= 0);
    return sqrt(size);
}

/* ------------------------------------------------------------------------------------------------------------ search */

/* False: it goes on without end. */
static bool climb(search *s, bool *held, double *length) {
    double step = first_step, settled = 0;
    int pulls;
    *length = length_of(s, &pulls);
    for (int n = 0; n < MOST_STEPS; n++) {
        find_gradient(s, pulls);
        double size = find_direction(s, held);
        if (!(size > 0) || !isfinite(size)) return isfinite(*length);
        copy_state(s, false);
        for (;; step *= 0.5) {
            if (step < shortest_step) return true;
            move_along(s, step / size);
            double next = length_of(s, &pulls), gain = s->sense * (next - *length);
            if (gain > 0) {
                settled = gain < 1e-6 * step ? settled + 1 : 0, *length = next;
                break;
            }
            copy_state(s, true);
        }
        if (settled > 20) return true;
        step = jn_fmin(1.5 * step, longest_step);
    }
    return false;
}

static bool make_search(jn_robot *b, const jn_robot_tendon *t, search *s) {
    jn_store *store = b->r->scratch;
    size_t joints = (size_t)b->joint_count + 1, bodies = (size_t)b->body_count + 1;
    *s = (search){.c = *b, .t = t};
    s->c.bodies = jn_store_array(store, bodies, sizeof *b->bodies),
    s->saved_bodies = jn_store_array(store, bodies, sizeof *b->bodies);
    s->c.joints = jn_store_array(store, joints, sizeof *b->joints),
    s->saved_joints = jn_store_array(store, joints, sizeof *b->joints);
    s->q = jn_store_array(store, joints, sizeof *s->q), s->saved_q = jn_store_array(store, joints, sizeof *s->q);
    s->pull = jn_store_array(store, 4 * (size_t)t->path_count + 1, sizeof *s->pull);
    if (!s->c.bodies || !s->saved_bodies || !s->c.joints || !s->saved_joints || !s->q || !s->saved_q || !s->pull)
        return jn_read_no_memory(b->r);
    if (!jn_robot_tree_create(b, &s->tree)) return false;
    s->d = jn_store_array(store, (size_t)s->tree.n + 1, sizeof *s->d),
    s->g = jn_store_array(store, (size_t)s->tree.n + 1, sizeof *s->g);
    return (s->d && s->g) || jn_read_no_memory(b->r);
}

bool jn_robot_length_range(jn_robot *b, const jn_robot_tendon *t, double *range, bool *found) {
    search s;
    *found = false;
    if (!make_search(b, t, &s)) return false;
    bool *held = jn_store_array(b->r->scratch, (size_t)s.tree.n + 1, sizeof *held);
    if (!held) return jn_read_no_memory(b->r);
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].loop) return true;
    for (int side = 0; side < 2; side++) {
        memcpy(s.c.bodies, b->bodies, (size_t)b->body_count * sizeof *b->bodies);
        memcpy(s.c.joints, b->joints, (size_t)b->joint_count * sizeof *b->joints);
        memset(s.q, 0, (size_t)b->joint_count * sizeof *s.q);
        for (int i = 0; i < b->joint_count; i++)
            if (has_one_coordinate(&b->joints[i])) move_to(&s, i, 0);
        follow(&s);
        s.sense = side ? 1 : -1;
        if (!climb(&s, held, &range[side])) return true;
    }
    *found = range[1] > range[0];
    return true;
}
