/* What of a robot may touch what. As in MuJoCo, bodies welded together never touch, nor do a body and the one that carries it;
 * the engine leaves out welded bodies and pairs with a joint between them by itself, the others are listed. */
#include "description/robot/robot_contact_pairs.h"

#include "algebra/elementary.h"
#include "description/read/inertia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double drop = 0.05; /* [m] between the floor and the lowest point of a robot */

/* ------------------------------------------------------------------------------------------------------ neighbours */

/* The joint that carries a body; -1: none. */
static int carrier(const jn_robot *b, int body) {
    for (int i = 0; i < b->joint_count; i++)
        if (!b->joints[i].loop && b->joints[i].body[1] == body) return i;
    return -1;
}

typedef struct welds {
    int *of; /* (bodies) body that stands for all that are welded to it; -1: the ground */
    int *up; /* (bodies) weld that carries that of the body; -2: nothing does */
    bool *shaped, *known;
} welds;

static int weld_of(const welds *w, int body) { return body < 0 ? -1 : w->of[body]; }

/* Fills in a body after those that carry it. */
static void find_weld(const jn_robot *b, welds *w, int i, int depth) {
    if (w->known[i] || depth > b->body_count) return;
    int k = carrier(b, i), parent = k < 0 ? -1 : b->joints[k].body[0];
    jn_joint_type type = k < 0 ? JN_JOINT_FREE : b->joints[k].type;
    if (parent >= 0) find_weld(b, w, parent, depth + 1);
    bool stays = type == JN_JOINT_FIXED;
    w->known[i] = true;
    w->of[i] = stays ? weld_of(w, parent) : i;
    if (stays)
        w->up[i] = parent < 0 ? -2 : w->up[parent];
    else if (type == JN_JOINT_FREE)
        w->up[i] = -2;
    else /* helpers between two joints of a body count as nothing */
        w->up[i] = parent >= 0 && b->bodies[parent].helper ? w->up[parent] : weld_of(w, parent);
}

static bool find_welds(jn_robot *b, welds *w) {
    size_t n = (size_t)b->body_count + 1;
    w->of = jn_store_array(b->r->scratch, n, sizeof *w->of);
    w->up = jn_store_array(b->r->scratch, n, sizeof *w->up);
    w->shaped = jn_store_array(b->r->scratch, n, sizeof *w->shaped);
    w->known = jn_store_array(b->r->scratch, n, sizeof *w->known);
    if (!w->of || !w->up || !w->shaped || !w->known) return jn_read_no_memory(b->r);
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].body >= 0) w->shaped[b->shapes[i].body] = true;
    for (int i = 0; i < b->body_count; i++) find_weld(b, w, i, 0);
    return true;
}

static bool direct(const jn_robot *b, int x, int y) {
    for (int i = 0; i < b->joint_count; i++) {
        const jn_robot_joint *j = &b->joints[i];
        if (j->type != JN_JOINT_FREE && ((j->body[0] == x && j->body[1] == y) || (j->body[0] == y && j->body[1] == x)))
            return true;
    }
    return false;
}

static bool has_pair(const jn_robot *b, int x, int y) {
    for (int i = 0; i < b->pair_count; i++)
        if ((b->pairs[i].body[0] == x && b->pairs[i].body[1] == y) ||
            (b->pairs[i].body[0] == y && b->pairs[i].body[1] == x))
            return true;
    return false;
}

static bool is_banned(const jn_robot *b, int x, int y) {
    for (int i = 0; i < b->pair_count; i++)
        if (b->pairs[i].material < 0 && ((b->pairs[i].body[0] == x && b->pairs[i].body[1] == y) ||
                                         (b->pairs[i].body[0] == y && b->pairs[i].body[1] == x)))
            return true;
    return false;
}

static void ban(jn_robot *b, int x, int y) {
    if (!direct(b, x, y) && !has_pair(b, x, y)) jn_robot_add_pair(b, x, y, b->bodies[y].where);
}

static void ban_neighbours(jn_robot *b, const welds *w) {
    bool floor = false;
    for (int i = 0; i < b->shape_count; i++) floor |= b->shapes[i].body < 0;
    for (int y = 0; y < b->body_count; y++) {
        if (!w->shaped[y]) continue;
        for (int x = 0; x < y; x++) {
            bool carried = w->of[x] == w->up[y] || (w->of[y] == w->up[x] && w->of[y] >= 0);
            if (w->of[x] == -1 && b->world_parents_collide) carried = false;
            if (w->shaped[x] && carried && w->of[x] != w->of[y]) ban(b, x, y);
        }
        if (floor && w->up[y] == -1 && w->of[y] != -1 && !b->world_parents_collide) ban(b, -1, y);
    }
}

/* Bodies that touch the ground though a joint joins them to it need a row of their own. */
static void allow_ground(jn_robot *b, const welds *w) {
    bool ground = false;
    for (int i = 0; i < b->shape_count; i++) ground |= b->shapes[i].body < 0;
    if (!ground) return;
    for (int y = 0; y < b->body_count; y++) {
        int material = -1;
        if (!w->shaped[y] || w->of[y] == -1 || !direct(b, -1, y) || has_pair(b, -1, y)) continue;
        for (int i = 0; i < b->shape_count; i++)
            if (b->shapes[i].body < 0 || (b->shapes[i].body == y && material < 0)) material = b->shapes[i].material;
        jn_robot_pair *p = material >= 0 ? jn_robot_add_pair(b, -1, y, b->bodies[y].where) : NULL;
        if (p) p->material = material;
    }
}

/* ----------------------------------------------------------------------------------------------------------- floor */

typedef struct move {
    jn_quat q;
    jn_vec3 p;
} move;

/* How a body stands at the start, as a motion of the world from the drawn configuration. */
static move moved(const jn_robot *b, int body) {
    int k = body < 0 ? -1 : carrier(b, body);
    move up = {{1, 0, 0, 0}, {0, 0, 0}};
    if (k < 0) return up;
    const jn_robot_joint *j = &b->joints[k];
    up = moved(b, j->body[0]);
    if (j->position == 0 || (j->type != JN_JOINT_REVOLUTE && j->type != JN_JOINT_PRISMATIC)) return up;
    jn_vec3 a = v3_unit(j->axis);
    bool turns = j->type == JN_JOINT_REVOLUTE;
    jn_quat q = turns ? q4_exp(v3_scale(j->position, a)) : q4_identity();
    jn_vec3 p = turns ? v3_sub(j->at, q4_rotate(q, j->at)) : v3_scale(j->position, a);
    return (move){q4_mul(up.q, q), v3_add(up.p, q4_rotate(up.q, p))};
}

/* [m] how far a shape reaches below its centre. */
static double reach_down(jn_robot *b, const jn_robot_shape *s, const jn_mat3 *R) {
    double x = R->m[6], y = R->m[7], z = R->m[8], deep = 0;
    jn_shape_desc mesh = {0};
    switch (s->type) {
    case JN_SHAPE_SPHERE: return s->size.x;
    case JN_SHAPE_BOX: return 0.5 * (fabs(x) * s->size.x + fabs(y) * s->size.y + fabs(z) * s->size.z);
    case JN_SHAPE_CAPSULE: return 0.5 * fabs(z) * s->size.y + s->size.x;
    case JN_SHAPE_CYLINDER: return 0.5 * fabs(z) * s->size.y + s->size.x * sqrt(jn_fmax(0, 1 - z * z));
    case JN_SHAPE_CONE: return jn_fmax(-z * s->size.y, s->size.x * sqrt(jn_fmax(0, 1 - z * z)));
    case JN_SHAPE_ELLIPSOID:
        return sqrt(jn_pow(x * s->size.x, 2) + jn_pow(y * s->size.y, 2) + jn_pow(z * s->size.z, 2));
    case JN_SHAPE_HULL:
    case JN_SHAPE_MESH:
        for (int i = 0; i < s->point_count; i++) deep = jn_fmax(deep, -m3_mul_v(R, s->points[i]).z);
        if (!s->file || !jn_robot_mesh_read(b, s->file, s->where, s->scale, &mesh)) return deep;
        for (int i = 0; i < mesh.point_count; i++) deep = jn_fmax(deep, -m3_mul_v(R, mesh.points[i]).z);
        return deep;
    default: return 0;
    }
}

/* Where a moving shape has its centre at the start. */
static jn_vec3 centre(const jn_robot *b, const jn_robot_shape *s) {
    const jn_robot_body *body = &b->bodies[s->body];
    move m = moved(b, s->body);
    return v3_add(m.p, q4_rotate(m.q, v3_add(body->at, q4_rotate(body->orientation, s->at))));
}

/* [m] height of its lowest point. */
static double bottom(jn_robot *b, const jn_robot_shape *s) {
    jn_mat3 R = q4_matrix(q4_mul(moved(b, s->body).q, q4_mul(b->bodies[s->body].orientation, s->orientation)));
    return centre(b, s).z - reach_down(b, s, &R);
}

static double lowest(jn_robot *b) {
    double low = INFINITY;
    for (int i = 0; i < b->shape_count; i++) {
        const jn_robot_shape *s = &b->shapes[i];
        if (s->body >= 0 && (s->layer != 0 || s->touches != 0)) low = jn_fmin(low, bottom(b, s));
    }
    for (int i = 0; i < b->body_count && !isfinite(low); i++) low = jn_fmin(low, b->bodies[i].at.z);
    return isfinite(low) ? low : 0;
}

static bool add_floor(jn_robot *b) {
    if (!b->options->floor) return true;
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].body < 0 && b->shapes[i].type == JN_SHAPE_PLANE) {
            jn_robot_find(b, JN_FINDING_NOTE, b->shapes[i].where, "a plane of the ground", "the file has a floor",
                          "no other is added");
            return true;
        }
    double height = isnan(b->options->floor_height) ? lowest(b) - drop : b->options->floor_height;
    jn_robot_shape *s = jn_robot_add_shape(b, -1, JN_SHAPE_PLANE, (jn_where){b->file, 1, 1});
    if (!s) return false;
    s->at = v3(0, 0, height), s->name = "floor", s->layer = -1;
    return true;
}

static bool meet(const jn_robot_shape *s, const jn_robot_shape *t) {
    return (s->layer & t->touches) != 0 || (t->layer & s->touches) != 0;
}

static bool hangs_on(const jn_robot *b, int body, int root) {
    for (; body >= 0; body = b->bodies[body].parent)
        if (body == root) return true;
    return false;
}

/* Whether it is a level plane or box of the ground. */
static bool is_level(const jn_robot_shape *g) {
    return g->body < 0 && (g->type == JN_SHAPE_BOX || g->type == JN_SHAPE_PLANE) && q4_rotate(g->orientation, v3(0, 0, 1)).z >= 1 - 1e-12;
}

/* [m] height of a level plane, or of the top of a level box under a place above it; -INFINITY: the place is not above the box. */
static double level(const jn_robot_shape *g, jn_vec3 at) {
    if (g->type == JN_SHAPE_PLANE) return g->at.z;
    jn_vec3 d = q4_rotate(q4_conj(g->orientation), v3_sub(at, g->at));
    bool over = 2 * fabs(d.x) <= g->size.x && 2 * fabs(d.y) <= g->size.y && 2 * d.z > g->size.z;
    return over ? g->at.z + 0.5 * g->size.z : -INFINITY;
}

/* [m] how deep what hangs on a body is drawn in the level ground under it. */
static double depth_in_floor(jn_robot *b, int root) {
    double deep = 0;
    for (int k = 0; k < b->shape_count; k++) {
        const jn_robot_shape *ground = &b->shapes[k];
        if (!is_level(ground)) continue;
        for (int i = 0; i < b->shape_count; i++) {
            const jn_robot_shape *s = &b->shapes[i];
            if (s->body < 0 || !meet(s, ground) || !hangs_on(b, s->body, root) || is_banned(b, -1, s->body)) continue;
            double height = level(ground, centre(b, s));
            if (isfinite(height)) deep = jn_fmax(deep, height - bottom(b, s));
        }
    }
    return deep;
}

/* A free robot that is drawn in the floor starts on it. */
static void lift_robots(jn_robot *b) {
    for (int j = 0; j < b->joint_count; j++) {
        const jn_robot_joint *root = &b->joints[j];
        if (root->type != JN_JOINT_FREE || root->loop || root->body[0] >= 0) continue;
        double deep = depth_in_floor(b, root->body[1]);
        if (!(deep > 0)) continue;
        jn_robot_find(b, JN_FINDING_WARNING, b->bodies[root->body[1]].where,
                      jn_robot_text(b, "%.60s by %.4g m", b->bodies[root->body[1]].name, deep),
                      "robots that are drawn in the floor", "they are lifted by so much, onto it");
        int body = root->body[1];
        for (int i = 0; i < b->joint_count; i++)
            if (!b->joints[i].loop && hangs_on(b, b->joints[i].body[1], body)) b->joints[i].at.z += deep;
        for (int i = 0; i < b->body_count; i++)
            if (hangs_on(b, i, body)) b->bodies[i].at.z += deep;
    }
}

/* Robots for the eye alone fall through every floor. */
static void look_for_shapes(jn_robot *b) {
    bool ground = false, moving = false;
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].body < 0)
            ground = true;
        else
            moving = true;
    if (ground && !moving)
        jn_robot_find(b, JN_FINDING_WARNING, (jn_where){b->file, 1, 1}, "no link has a collision shape",
                      "nothing of the robot can touch the ground",
                      "give its links <collision> shapes, or geoms that touch");
}

bool jn_robot_contact_pairs(jn_robot *b) {
    welds w;
    if (!add_floor(b) || !find_welds(b, &w)) return false;
    look_for_shapes(b);
    lift_robots(b);
    if (b->shape_count && b->material_count == 0) {
        jn_robot_material *m = jn_robot_add_material(b);
        if (!m) return false;
        *m = (jn_robot_material){
            .name = "robot", .where = {b->file, 1, 1}, .friction = 0.8, .dimensions = 3, .slide = 0.8};
    }
    if (!b->joints_alone_ban) ban_neighbours(b, &w);
    if (b->world_parents_collide) allow_ground(b, &w);
    return b->r->status == JN_OK;
}
