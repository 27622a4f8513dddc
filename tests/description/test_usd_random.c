/* USD: random mechanisms written as .usda and, by their own formulas, as YAML: mass matrix, bias and poses are equal. Joints of all kinds, placed at random, are drawn at
 * random coordinates; bodies stand in nested prims with random operations, in other units and with Y upwards. */
#include "algebra/vec3.h"
#include "import_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MECHANISMS = 1000, MOST_BODIES = 9, ROOM = 1 << 16 };

typedef struct pose {
    jn_vec3 p;
    jn_quat q;
} pose;

static uint64_t seed;
static double draw(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static jn_vec3 draw_vector(double size) { return v3(draw(-size, size), draw(-size, size), draw(-size, size)); }
static jn_quat draw_quat(void) { return q4_unit((jn_quat){draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)}); }
static pose draw_pose(void) { return (pose){draw_vector(0.5), draw_quat()}; }
static pose mul(pose a, pose b) { return (pose){v3_add(a.p, q4_rotate(a.q, b.p)), q4_unit(q4_mul(a.q, b.q))}; }
static pose inverse(pose a) { return (pose){v3_neg(q4_rotate(q4_conj(a.q), a.p)), q4_conj(a.q)}; }

typedef struct text {
    char *at;
    size_t n;
} text;
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, ROOM - t->n, format, args);
    va_end(args);
    assert_true(t->n < ROOM);
}
static void put_vector(text *t, const char *name, jn_vec3 v) {
    put(t, "%s = (%.17g, %.17g, %.17g)\n", name, v.x, v.y, v.z);
}
static void put_quat(text *t, const char *name, jn_quat q) {
    put(t, "%s = (%.17g, %.17g, %.17g, %.17g)\n", name, q.w, q.x, q.y, q.z);
}
static void put_list(text *t, const char *name, jn_vec3 v) {
    put(t, "%s: [%.17g, %.17g, %.17g], ", name, v.x, v.y, v.z);
}

/* The pose as operations of an Xform, in one of several ways; v in units of the stage. */
static void put_ops(text *t, jn_vec3 v, jn_quat q, int way) {
    const double degree = 3.14159265358979323846 / 180;
    jn_mat3 R = q4_matrix(q);
    const double *m = R.m;
    if (way == 0) {
        put_vector(t, "double3 xformOp:translate", v), put_quat(t, "quatd xformOp:orient", q);
        put(t, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
    } else if (way == 1) { /* a matrix in rows */
        put(t,
            "matrix4d xformOp:transform = ((%.17g, %.17g, %.17g, 0), (%.17g, %.17g, %.17g, 0), (%.17g, %.17g, %.17g, "
            "0), (%.17g, %.17g, %.17g, 1))\n",
            m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8], v.x, v.y, v.z);
        put(t, "uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
    } else { /* angles about x, then y, then z, and a pivot that moves the place */
        double a = atan2(m[7], m[8]), b = atan2(-m[6], hypot(m[7], m[8])), c = atan2(m[3], m[0]);
        jn_vec3 pivot = draw_vector(1), moved = v3_sub(v, v3_sub(pivot, q4_rotate(q, pivot)));
        put_vector(t, "double3 xformOp:translate", moved), put_vector(t, "double3 xformOp:translate:pivot", pivot);
        put(t, "double3 xformOp:rotateXYZ = (%.17g, %.17g, %.17g)\n", a / degree, b / degree, c / degree);
        put(t, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:translate:pivot\", "
               "\"xformOp:rotateXYZ\", \"!invert!xformOp:translate:pivot\"]\n");
    }
}

typedef struct units {
    double meter, kilogram;
    bool y_up;
    pose stage; /* axes of the file in the world */
} units;

typedef struct mechanism {
    int count, parent[MOST_BODIES];
    pose body[MOST_BODIES];
    bool nested[MOST_BODIES]; /* its prim stands in that of its parent */
    text usd, joints, yaml, yaml_joints;
} mechanism;

/* Mass of a body, in the file's units, and in YAML. */
static void put_mass(mechanism *m, const units *u, int i) {
    double mass = draw(0.5, 2), I[3] = {draw(0.1, 0.2), draw(0.1, 0.2), draw(0.1, 0.2)};
    jn_vec3 com = draw_vector(0.1);
    jn_quat axes = draw_quat();
    double unit = u->kilogram * u->meter * u->meter;
    put(&m->usd, "double physics:mass = %.17g\n", mass / u->kilogram);
    put_vector(&m->usd, "double3 physics:centerOfMass", v3_scale(1 / u->meter, com));
    put(&m->usd, "double3 physics:diagonalInertia = (%.17g, %.17g, %.17g)\n", I[0] / unit, I[1] / unit, I[2] / unit);
    put_quat(&m->usd, "quatd physics:principalAxes", axes);
    jn_mat3 R = q4_matrix(axes);
    jn_sym3 J = {I[0], I[1], I[2], 0, 0, 0};
    J = s3_rotate(&R, &J);
    put(&m->yaml, "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], ", i, mass, J.xx, J.yy,
        J.zz, J.xy, J.xz, J.yz);
    put_list(&m->yaml, "com", com), put_list(&m->yaml, "at", m->body[i].p);
    jn_quat q = m->body[i].q;
    put(&m->yaml, "orientation: [%.17g, %.17g, %.17g, %.17g]}\n", q.w, q.x, q.y, q.z);
}

static void put_joint(mechanism *m, const units *u, int i, pose frame, pose in_child, int kind, int axis,
                      bool reversed) {
    static const char *const types[] = {"Fixed", "Revolute", "Prismatic", "Spherical"}, *const ours[] = {
                                                                                            "fixed", "revolute",
                                                                                            "prismatic", "spherical"};
    int p = m->parent[i];
    pose in_parent = p < 0 ? mul(inverse(u->stage), frame) : mul(inverse(m->body[p]), frame),
         first = reversed ? in_child : in_parent, second = reversed ? in_parent : in_child;
    char parent[200] = "", child[200], path[2][120] = {"", ""};
    for (int side = 0; side < 2; side++) { /* paths from the top through nested prims */
        int chain[MOST_BODIES], n = 0;
        for (int k = side ? i : p; k >= 0; k = m->nested[k] ? m->parent[k] : -1) chain[n++] = k;
        size_t at = n ? (size_t)snprintf(path[side], sizeof path[side], "/World") : 0;
        while (n > 0) at += (size_t)snprintf(path[side] + at, sizeof path[side] - at, "/b%d", chain[--n]);
    }
    snprintf(child, sizeof child, "rel physics:body%d = <%s>\n", !reversed, path[1]);
    if (p >= 0) snprintf(parent, sizeof parent, "rel physics:body%d = <%s>\n", reversed, path[0]);
    put(&m->joints, "def Physics%sJoint \"j%d\" {\n%s%s", types[kind], i, parent, child);
    if (kind == 1 || kind == 2) put(&m->joints, "uniform token physics:axis = \"%c\"\n", 'X' + axis);
    put_vector(&m->joints, "double3 physics:localPos0", v3_scale(1 / u->meter, first.p)),
        put_quat(&m->joints, "quatd physics:localRot0", first.q);
    put_vector(&m->joints, "double3 physics:localPos1", v3_scale(1 / u->meter, second.p)),
        put_quat(&m->joints, "quatd physics:localRot1", second.q);
    put(&m->joints, "}\n");
    jn_vec3 a = q4_rotate(frame.q, v3_axis(axis));
    snprintf(parent, sizeof parent, p < 0 ? "ground" : "b%d", p);
    put(&m->yaml_joints, "  j%d: {type: %s, between: [%s, b%d], ", i, ours[kind], parent, i);
    if (kind) put_list(&m->yaml_joints, "at", frame.p);
    if (kind == 1 || kind == 2) put_list(&m->yaml_joints, "axis", reversed ? v3_neg(a) : a);
    m->yaml_joints.n -= 2;
    put(&m->yaml_joints, "}\n");
}

/* A body with its joint: the frame on the parent, a motion of the joint as drawn, and the frame on the child. */
static void make_body(mechanism *m, const units *u, int i) {
    int kind = (int)draw(0, 4), axis = (int)draw(0, 3);
    pose base = m->parent[i] < 0 ? u->stage : m->body[m->parent[i]], frame = mul(base, draw_pose()),
         motion = {{0, 0, 0}, {1, 0, 0, 0}};
    double x = draw(-0.8, 0.8);
    if (i == 0 && m->parent[0] == -2) { /* free */
        m->body[0] = mul(u->stage, draw_pose());
        put(&m->yaml_joints, "  j0: {type: free, between: [ground, b0]}\n");
        return;
    }
    if (kind == 1) motion.q = q4_exp(v3_scale(x, v3_axis(axis)));
    if (kind == 2) motion.p = v3_scale(x, v3_axis(axis));
    if (kind == 3) motion.q = draw_quat();
    pose in_child = draw_pose();
    m->body[i] = mul(mul(frame, motion), inverse(in_child));
    bool reversed = draw(0, 1) < 0.3;
    put_joint(m, u, i, frame, in_child, kind, axis, reversed);
}

static void put_prim(mechanism *m, const units *u, int i) {
    pose up = m->nested[i] ? m->body[m->parent[i]] : u->stage, local = mul(inverse(up), m->body[i]);
    put(&m->usd, "def Xform \"b%d\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\n", i);
    put_ops(&m->usd, v3_scale(1 / u->meter, local.p), local.q, (int)draw(0, 3));
    put_mass(m, u, i);
    for (int k = i + 1; k < m->count; k++)
        if (m->nested[k] && m->parent[k] == i) put_prim(m, u, k);
    put(&m->usd, "}\n");
}

static void make(mechanism *m, const units *u) {
    m->count = 1 + (int)draw(0, MOST_BODIES);
    for (int i = 0; i < m->count; i++) {
        m->parent[i] = i == 0 ? (draw(0, 1) < 0.4 ? -2 : -1) : (int)draw(0, i);
        m->nested[i] = i > 0 && draw(0, 1) < 0.4;
    }
    put(&m->usd,
        "#usda 1.0\n(\ndefaultPrim = \"World\"\nmetersPerUnit = %.17g\nkilogramsPerUnit = %.17g\nupAxis = "
        "\"%s\"\n)\ndef Xform \"World\" {\ndef PhysicsScene \"scene\" {}\n",
        u->meter, u->kilogram, u->y_up ? "Y" : "Z");
    put(&m->yaml, "bodies:\n");
    for (int i = 0; i < m->count; i++) make_body(m, u, i);
    for (int i = 0; i < m->count; i++)
        if (!m->nested[i]) put_prim(m, u, i);
    put(&m->usd, "%s}\n", m->joints.at);
    put(&m->yaml, "joints:\n%srun: {method: smooth, until: 1}\n", m->yaml_joints.at);
}

typedef struct dynamics {
    int nv;
    double M[3600], tau[60];
    jn_body_motion body[MOST_BODIES];
} dynamics;

/* At the drawn configuration, moving: coordinates of both files have the same names, but may stand in another order. */
static void evaluate(const char *source, const char *name, int count, dynamics *out) {
    static const char *smooth[][2] = {{"run.method", "smooth"}};
    jn_description *d = parse(source, name, smooth, 1);
    if (!d) print_error("%s\n", source);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    double acceleration[60], M[3600], tau[60];
    int map[60], n = 0;
    out->nv = jn_model_nv(m);
    for (int i = 0; i < count; i++) { /* b0, b1 ... in their order */
        char label[16];
        snprintf(label, sizeof label, "j%d", i);
        int k = jn_model_find_joint(m, label);
        if (k < 0) k = jn_model_find_joint(m, "b0_free");
        for (int c = 0; c < jn_model_joint_nv(m, k); c++) map[n++] = jn_model_joint_u_index(m, k) + c;
    }
    assert_int_equal(n, out->nv);
    for (int i = 0; i < n; i++) s->u[map[i]] = sin(1 + i), acceleration[map[i]] = cos(3 * i);
    jn_mass_matrix(m, w, s, M);
    jn_rnea(m, w, s, acceleration, tau);
    for (int i = 0; i < n; i++) {
        out->tau[i] = tau[map[i]];
        for (int k = 0; k < n; k++) out->M[i * n + k] = M[map[i] * n + map[k]];
    }
    assert_true(jn_observe(m, w, s) >= 0);
    for (int i = 0; i < count; i++) {
        char label[16];
        snprintf(label, sizeof label, "b%d", i);
        jn_body_motion_get(m, w, jn_model_find_body(m, label), &out->body[i]);
    }
    jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
}

static void test_random(void **state) {
    static dynamics a, b;
    static char room[4][ROOM];
    const units all[] = {{1, 1, false, {{0, 0, 0}, {1, 0, 0, 0}}},
                         {0.01, 1, true, {{0, 0, 0}, {0.70710678118654757, 0.70710678118654757, 0, 0}}},
                         {0.0254, 0.45, false, {{0, 0, 0}, {1, 0, 0, 0}}}};
    (void)state;
    for (int i = 0; i < MECHANISMS; i++) {
        mechanism m = {.usd = {room[0], 0}, .joints = {room[1], 0}, .yaml = {room[2], 0}, .yaml_joints = {room[3], 0}};
        for (int k = 0; k < 4; k++) room[k][0] = 0;
        seed = 1000 + (uint64_t)i;
        make(&m, &all[i % 3]);
        evaluate(m.usd.at, "random.usda", m.count, &a);
        evaluate(m.yaml.at, "random.yaml", m.count, &b);
        assert_int_equal(a.nv, b.nv);
        for (int k = 0; k < a.nv * a.nv; k++) assert_near(a.M[k], b.M[k], 1e-12 * (1 + fabs(b.M[k])));
        for (int k = 0; k < a.nv; k++) assert_near(a.tau[k], b.tau[k], 1e-11 * (1 + fabs(b.tau[k])));
        for (int k = 0; k < m.count; k++) {
            assert_near(v3_norm(v3_sub(a.body[k].position, b.body[k].position)), 0, 1e-12);
            jn_quat off = q4_mul(q4_conj(a.body[k].orientation), b.body[k].orientation);
            assert_near(v3_norm(v3(off.x, off.y, off.z)), 0, 1e-12);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
