/* Masses and inertias of a robot's file: which no body can have, and how they are mended. */
#include "algebra/elementary.h"
#include "description/robot/robot.h"

#include <math.h>
#include <string.h>

void jn_robot_principal(jn_sym3 J, double moment[3], jn_mat3 *V) {
    double A[3][3] = {{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}};
    *V = m3_identity();
    for (int sweep = 0; sweep < 40; sweep++)
        for (int k = 0; k < 3; k++) {
            int p = k == 2, q = k == 0 ? 1 : 2;
            if (A[p][q] == 0) continue;
            double t = 0.5 * jn_atan2(2 * A[p][q], A[p][p] - A[q][q]), c = jn_cos(t), s = jn_sin(t);
            for (int i = 0; i < 3; i++) {
                double x = A[i][p], y = A[i][q], v = V->m[3 * i + p], w = V->m[3 * i + q];
                A[i][p] = c * x + s * y, A[i][q] = c * y - s * x;
                V->m[3 * i + p] = c * v + s * w, V->m[3 * i + q] = c * w - s * v;
            }
            for (int i = 0; i < 3; i++) {
                double x = A[p][i], y = A[q][i];
                A[p][i] = c * x + s * y, A[q][i] = c * y - s * x;
            }
            A[p][q] = A[q][p] = 0;
        }
    for (int i = 0; i < 3; i++) moment[i] = A[i][i];
    for (int i = 0; i < 2; i++) /* ascending */
        for (int j = 0; j < 2 - i; j++)
            if (moment[j] > moment[j + 1]) {
                double t = moment[j];
                moment[j] = moment[j + 1], moment[j + 1] = t;
                jn_vec3 a = m3_column(V, j), c = m3_column(V, j + 1), keep = m3_column(V, 3 - 2 * j - 1);
                *V = j == 0 ? m3_from_columns(c, a, keep) : m3_from_columns(keep, c, a);
            }
}

static jn_sym3 from_principal(const double I[3], const jn_mat3 *V) {
    jn_sym3 D = {I[0], I[1], I[2], 0, 0, 0};
    return s3_rotate(V, &D);
}

/* [kg m^2] of a ball of water: 2/5 m r^2. */
static double ball_moment(double mass) {
    const double water = 1000; /* [kg/m^3] */
    double r = jn_cbrt(3 * mass / (4 * M_PI * water));
    return 0.4 * mass * r * r;
}

/* Of the moments of a ball of water: no body of its mass has less, since the densest matter, 23 times as dense, has an eighth of them. Files
 * that were converted have 1e-20 kg m^2 for zero. */
#define NO_MOMENT_REL 1e-3

/* Moments that are not positive become a thousandth of the largest, or, where all are zero but for round-off, those of a ball of water; the
 * largest becomes the sum of the others at most. */
static void mend(jn_robot *b, jn_robot_body *body) {
    double I[3];
    jn_mat3 V;
    jn_robot_principal(body->inertia, I, &V);
    double largest = jn_fmax(fabs(I[0]), fabs(I[2])), ball = ball_moment(body->mass);
    if (largest <= NO_MOMENT_REL * ball) largest = 1e3 * ball;
    for (int k = 0; k < 3; k++) I[k] = jn_fmax(I[k], 1e-3 * largest);
    I[2] = jn_fmin(I[2], I[0] + I[1]);
    body->inertia = from_principal(I, &V);
    jn_robot_find(
        b, JN_FINDING_WARNING, body->inertia_where, body->name, "inertias mended",
        "the largest principal moment was lowered to the sum of the others, those that were not positive raised");
}

/* Whether a free joint carries the body alone. */
static bool is_free(const jn_robot *b, const jn_robot_body *body) {
    int index = (int)(body - b->bodies);
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].body[0] == index) return false;
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].body[1] == index && b->joints[i].type == JN_JOINT_FREE) return true;
    return false;
}

static void check_inertia(jn_robot *b, jn_robot_body *body) {
    double I[3];
    jn_mat3 V;
    jn_robot_principal(body->inertia, I, &V);
    double slack = 1e-6 * (fabs(I[0]) + fabs(I[1]) + fabs(I[2]));
    bool negative = I[0]<-slack, excess = I[2]> 1.02 * (I[0] + I[1]) + slack;
    bool zero = body->mass > 0 && fabs(I[0]) <= slack && is_free(b, body);
    if (!negative && !excess && !zero) return;
    if (b->options->repair)
        mend(b, body);
    else
        jn_robot_find(
            b, negative || zero ? JN_FINDING_PHYSICS : JN_FINDING_WARNING, body->inertia_where, body->name,
            negative ? "inertia with a negative principal moment, which no body has"
            : zero   ? "free body whose smallest principal moment is zero, about which nothing keeps it from turning"
                     : "inertia that no body has, its largest principal moment is above the sum of the others",
            "it is taken as it is; correct the values and their units, or let --repair mend them");
    body->impossible = !b->options->repair;
}

/* [m] distance of the farthest point of a shape from a point of its body, or more. */
static double reach(const jn_robot_shape *s, jn_vec3 from) {
    double away = v3_norm(v3_sub(s->at, from));
    switch (s->type) {
    case JN_SHAPE_SPHERE: return away + s->size.x;
    case JN_SHAPE_BOX: return away + 0.5 * v3_norm(s->size);
    case JN_SHAPE_CYLINDER: return away + jn_hypot_safe(s->size.x, 0.5 * s->size.y);
    case JN_SHAPE_CONE: return away + jn_fmax(s->size.x, s->size.y);
    case JN_SHAPE_CAPSULE: return away + s->size.x + 0.5 * s->size.y;
    case JN_SHAPE_ELLIPSOID: return away + jn_fmax(s->size.x, jn_fmax(s->size.y, s->size.z));
    default: return INFINITY;
    }
}

/* No mass m within a distance L of its centre has a moment above m L^2. Shapes may be smaller than what they stand for: ten times. */
static void check_size(jn_robot *b, int i) {
    const jn_robot_body *body = &b->bodies[i];
    double far = 0, I[3];
    jn_mat3 V;
    for (int k = 0; k < b->shape_count; k++)
        if (b->shapes[k].body == i)
            far = jn_fmax(far, b->shapes[k].stands_in ? INFINITY : reach(&b->shapes[k], body->com));
    jn_robot_principal(body->inertia, I, &V);
    if (far > 0 && body->mass > 0 && I[2] > 10 * body->mass * far * far)
        jn_robot_find(b, JN_FINDING_WARNING, body->inertia_where, body->name,
                      "inertia above ten times what its mass can have within its shapes",
                      "it is taken as it is, and the robot moves sluggishly; look at its values and their units");
}

/* Whether anything with mass moves with the body: itself, or what hangs on it. */
static bool moves_mass(const jn_robot *b, int body, int depth) {
    if (b->bodies[body].mass > 0) return true;
    for (int i = 0; i < b->body_count && depth < b->body_count; i++)
        if (b->bodies[i].parent == body && moves_mass(b, i, depth + 1)) return true;
    return false;
}

double jn_robot_moved_inertia(const jn_robot *b, int joint) {
    const jn_robot_joint *j = &b->joints[joint];
    double sum = j->armature;
    for (int i = 0; i < b->body_count; i++) {
        const jn_robot_body *body = &b->bodies[i];
        int up = i;
        while (up >= 0 && up != j->body[1]) up = b->bodies[up].parent;
        if (up < 0) continue;
        jn_vec3 a = q4_rotate(q4_conj(body->orientation), j->axis);
        jn_vec3 r = v3_sub(v3_add(body->at, q4_rotate(body->orientation, body->com)), j->at),
                arm = v3_cross(j->axis, r);
        double turned =
            v3_dot(a, s3_mul_v(&body->inertia, a)) + body->mass * v3_dot(arm, arm); /* a I a + m |a x r|^2 */
        sum += j->type == JN_JOINT_PRISMATIC ? body->mass : turned;
    }
    return sum;
}

static bool couples(const jn_robot_coupler *c, int joint) {
    for (int k = 0; k < c->count; k++)
        if (!c->tendon[k] && c->joint[k] == joint) return true;
    return false;
}

/* Actuators and couplers follow their tendon to another place; -1: it is gone, and so are the couplers. */
static void rename_tendon(jn_robot *b, int from, int to) {
    for (int i = 0; i < b->actuator_count; i++)
        if (b->actuators[i].tendon == from) b->actuators[i].tendon = to;
    for (int i = 0; i < b->coupler_count; i++)
        for (int k = 0; k < b->couplers[i].count; k++)
            if (b->couplers[i].tendon[k] == from + 1) {
                b->couplers[i].tendon[k] = to + 1;
                if (to < 0) b->couplers[i--] = b->couplers[--b->coupler_count];
                break;
            }
}

/* A joint that is fixed leaves the sums of coordinates that name it. */
static void hold(jn_robot *b, int joint) {
    jn_robot_joint *j = &b->joints[joint];
    j->type = JN_JOINT_FIXED;
    j->has_lower = j->has_upper = false;
    j->position = j->damping = j->friction = j->stiffness = 0;
    int kept = 0;
    for (int i = 0; i < b->coupler_count; i++)
        if (!couples(&b->couplers[i], joint)) b->couplers[kept++] = b->couplers[i];
    b->coupler_count = kept;
    for (int i = 0; i < b->tendon_count; i++) {
        jn_robot_tendon *t = &b->tendons[i];
        kept = 0;
        for (int k = 0; k < t->count; k++)
            if (t->joint[k] != joint) t->joint[kept] = t->joint[k], t->factor[kept++] = t->factor[k];
        t->count = kept;
    }
    kept = 0;
    for (int i = 0; i < b->tendon_count; i++)
        if (b->tendons[i].count || b->tendons[i].path_count)
            rename_tendon(b, i, kept), b->tendons[kept++] = b->tendons[i];
        else
            rename_tendon(b, i, -1);
    b->tendon_count = kept;
}

/* Mass of a body and of all that fixed joints join to it. */
static double welded_mass(const jn_robot *b, int body) {
    double sum = b->bodies[body].mass;
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].type == JN_JOINT_FIXED && !b->joints[i].loop && b->joints[i].body[0] == body)
            sum += welded_mass(b, b->joints[i].body[1]);
    return sum;
}

void jn_robot_hold_massless_roots(jn_robot *b) {
    for (int i = 0; i < b->joint_count && b->options->base == JN_BASE_AUTO; i++) {
        jn_robot_joint *j = &b->joints[i];
        if (j->type != JN_JOINT_FREE || j->body[0] >= 0 || welded_mass(b, j->body[1]) > 0) continue;
        jn_robot_find(b, JN_FINDING_WARNING, b->bodies[j->body[1]].where, b->bodies[j->body[1]].name,
                      "bases without mass",
                      "they are joined to the ground, as in Bullet; give them <inertial> to set them free");
        j->type = JN_JOINT_FIXED;
    }
}

void jn_robot_check_mass(jn_robot *b) {
    for (int i = 0; i < b->body_count; i++) {
        jn_robot_body *body = &b->bodies[i];
        double trace = body->inertia.xx + body->inertia.yy + body->inertia.zz;
        if (!(body->mass > 0) && (trace != 0 || body->inertia.xy != 0)) {
            jn_robot_find(b, JN_FINDING_WARNING, body->inertia_where, body->name, "inertia without mass",
                          "a link without mass has no inertia; it is left out");
            body->inertia = (jn_sym3){0};
        }
        check_inertia(b, body);
        check_size(b, i);
    }
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        if (j->loop || j->type == JN_JOINT_FIXED || j->body[1] < 0 || moves_mass(b, j->body[1], 0) || j->armature > 0)
            continue;
        bool root = j->body[0] < 0 && j->type == JN_JOINT_FREE;
        jn_robot_find(b, JN_FINDING_WARNING, b->bodies[j->body[1]].where, b->bodies[j->body[1]].name,
                      root ? "robot without mass" : "link that moves without mass",
                      root ? "it cannot be accelerated; give its links <inertial>"
                           : "its joint cannot be accelerated and is held fixed; give it an inertial, or in URDF a "
                             "density to all links without one: --set import.density=1000");
        if (!root) hold(b, i);
    }
}

bool jn_robot_shape_lump(jn_robot *b, const jn_robot_shape *shape, jn_mesh_mass mode, jn_lump *lump) {
    jn_shape_desc desc = jn_shape_default(shape->type);
    char reason[200];
    desc.size = shape->size;
    if (shape->type != JN_SHAPE_HULL && shape->type != JN_SHAPE_MESH) {
        *lump = jn_shape_unit(&desc);
        return true;
    }
    if (!shape->file) {
        size_t points = (size_t)shape->point_count, triangles = (size_t)shape->triangle_count;
        desc.points = jn_store_array(b->r->scratch, points + 1, sizeof *desc.points), desc.point_count = shape->point_count;
        desc.triangles = jn_store_array(b->r->scratch, triangles + 1, sizeof *desc.triangles), desc.triangle_count = shape->triangle_count;
        if (!desc.points || !desc.triangles) return jn_read_no_memory(b->r);
        memcpy(desc.points, shape->points, points * sizeof *desc.points);
        if (triangles) memcpy(desc.triangles, shape->triangles, triangles * sizeof *desc.triangles);
        if (!triangles) mode = JN_MESH_CONVEX;
    }
    if (shape->file && !jn_robot_mesh_read(b, shape->file, shape->where, shape->scale, &desc)) return false;
    int status = jn_mesh_lump(&desc, mode, lump, reason);
    if (status == JN_ERR_MEMORY) return jn_read_no_memory(b->r);
    return !status || jn_read_error(b->r, shape->where, status, "the mass of the mesh '%.100s' cannot be found: %s\nwrite <mass> and <inertia>",
                                    shape->file ? shape->file : shape->name ? shape->name : "", reason);
}
