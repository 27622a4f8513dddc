/* Chains, robots, rows of four-bars and legged machines, built through the C interface. */
#include "scenes.h"
#include "algebra/elementary.h"
#include <math.h>
#include <stdio.h>

double scene_random(uint64_t *seed) { /* splitmix64 */
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)(int64_t)(z ^ (z >> 31)) / 9223372036854775808.0;
}

static jn_vec3 random_vec(uint64_t *seed) {
    double x = scene_random(seed), y = scene_random(seed), z = scene_random(seed);
    return (jn_vec3){x, y, z};
}

static jn_vec3 random_axis(uint64_t *seed) {
    jn_vec3 a = random_vec(seed);
    double n = sqrt(a.x * a.x + a.y * a.y + a.z * a.z) + 1e-12;
    return (jn_vec3){a.x / n, a.y / n, a.z / n};
}

int scene_add_body(jn_description *d, const char *name, jn_vec3 at, uint64_t *seed) {
    jn_body_desc b = jn_body_default(name);
    b.mass = 1 + 0.5 * scene_random(seed);
    b.com =
        (jn_vec3){at.x + 0.1 * scene_random(seed), at.y + 0.1 * scene_random(seed), at.z + 0.1 * scene_random(seed)};
    double xx = 0.05 + 0.01 * scene_random(seed), yy = 0.05 + 0.01 * scene_random(seed),
           zz = 0.05 + 0.01 * scene_random(seed);
    b.inertia =
        (jn_sym3){xx, yy, zz, 0.004 * scene_random(seed), 0.004 * scene_random(seed), 0.004 * scene_random(seed)};
    return jn_description_add_body(d, &b);
}

int scene_add_joint(jn_description *d, const char *name, jn_joint_type type, int a, int b, jn_vec3 at, jn_vec3 axis) {
    jn_joint_desc j = jn_joint_default(name, type);
    j.body[0] = a, j.body[1] = b;
    for (int s = 0; s < 2; s++) {
        j.frame[s].at = at;
        j.frame[s].axis = axis;
        if (type == JN_JOINT_UNIVERSAL) {
            jn_vec3 e = fabs(axis.x) < 0.7 ? (jn_vec3){1, 0, 0} : (jn_vec3){0, 1, 0};
            jn_vec3 n = {axis.y * e.z - axis.z * e.y, axis.z * e.x - axis.x * e.z, axis.x * e.y - axis.y * e.x};
            double l = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
            j.frame[s].axis2 = (jn_vec3){n.x / l, n.y / l, n.z / l};
        }
    }
    if (type == JN_JOINT_DISTANCE) j.frame[0].at = (jn_vec3){at.x + 0.2, at.y - 0.1, at.z + 0.15};
    j.pitch = 0.3;
    return jn_description_add_joint(d, &j);
}

jn_description *scene_chain(int n, jn_joint_type type, uint64_t seed) {
    jn_description *d = jn_description_create();
    char name[32];
    for (int i = 0, last = JN_GROUND; i < n; i++) {
        double x = (double)i / sqrt((double)n), y = 0;
        snprintf(name, sizeof name, "b%d", i + 1);
        int body = scene_add_body(d, name, (jn_vec3){x + 0.25, y, 0}, &seed);
        snprintf(name, sizeof name, "j%d", i + 1);
        scene_add_joint(d, name, type, last, body, (jn_vec3){x, y, 0}, random_axis(&seed));
        last = body;
    }
    return d;
}

/* Solid cylinder along the unit vector e. */
static jn_sym3 cylinder(double mass, double radius, double length, jn_vec3 e) {
    double t = mass * (3 * radius * radius + length * length) / 12, d = 0.5 * mass * radius * radius - t;
    return (jn_sym3){t + d * e.x * e.x, t + d * e.y * e.y, t + d * e.z * e.z,
                     d * e.x * e.y,     d * e.x * e.z,     d * e.y * e.z};
}

/* Denavit-Hartenberg frames at zero angles: each turns about x by a multiple of 90 degrees, so that z is (0, -s, c). */
jn_description *scene_ur5(void) {
    static const struct {
        double a, d; /* [m] */
        int quarter; /* turns about x */
        double mass; /* [kg] */
        jn_vec3 com; /* [m] in the frame after the joint */
        double r, l; /* [m] cylinder, along x if a is not zero, else along z */
    } row[6] = {{0, 0.089159, 1, 3.7, {0, -0.02561, 0.00193}, 0.06, 0.15},
                {-0.425, 0, 0, 8.393, {0.2125, 0, 0.11336}, 0.06, 0.425},
                {-0.39225, 0, 0, 2.275, {0.11993, 0, 0.0265}, 0.05, 0.39225},
                {0, 0.10915, 1, 1.219, {0, -0.0018, 0.01634}, 0.045, 0.1},
                {0, 0.09465, -1, 1.219, {0, 0.0018, 0.01634}, 0.045, 0.1},
                {0, 0.0823, 0, 0.1879, {0, 0, -0.001159}, 0.0375, 0.03}};
    jn_description *d = jn_description_create();
    jn_vec3 o = {0, 0, 0};
    char name[32];
    for (int i = 0, last = JN_GROUND, c = 1, s = 0; i < 6; i++) {
        jn_vec3 at = o, axis = {0, -s, c};
        o = (jn_vec3){o.x + row[i].a, o.y - s * row[i].d, o.z + c * row[i].d};
        int turn = row[i].quarter, cosine = turn ? -s * turn : c;
        s = turn ? c * turn : s, c = cosine;
        jn_vec3 p = row[i].com;
        snprintf(name, sizeof name, "link%d", i + 1);
        jn_body_desc b = jn_body_default(name);
        b.mass = row[i].mass;
        b.com = (jn_vec3){o.x + p.x, o.y + c * p.y - s * p.z, o.z + s * p.y + c * p.z};
        b.inertia = cylinder(b.mass, row[i].r, row[i].l, row[i].a != 0 ? (jn_vec3){1, 0, 0} : (jn_vec3){0, -s, c});
        int body = jn_description_add_body(d, &b);
        snprintf(name, sizeof name, "axis%d", i + 1);
        scene_add_joint(d, name, JN_JOINT_REVOLUTE, last, body, at, axis);
        last = body;
    }
    return d;
}

static int add_bar(jn_description *d, const char *kind, int i, double x, double y) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, i);
    jn_body_desc b = jn_body_default(name);
    b.mass = 1;
    b.com = (jn_vec3){x, y, 0};
    b.inertia.zz = 1.0 / 12;
    return jn_description_add_body(d, &b);
}

static int pin(jn_description *d, const char *kind, int i, int a, int b, double x, double y) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, i);
    return scene_add_joint(d, name, JN_JOINT_REVOLUTE, a, b, (jn_vec3){x, y, 0}, (jn_vec3){0, 0, 1});
}

jn_description *scene_four_bars(int n) {
    jn_description *d = jn_description_create();
    d->planar = true;
    d->gravity = (jn_vec3){0, -9.81, 0};
    int post = add_bar(d, "post", 0, 0, 0.5), first = pin(d, "A", 0, JN_GROUND, post, 0, 0);
    d->joints[first].coordinate[0].has_speed = true;
    d->joints[first].coordinate[0].speed = -1;
    for (int i = 1; i <= n; i++) {
        int bar = add_bar(d, "bar", i, i - 0.5, 1), next = add_bar(d, "post", i, i, 0.5);
        pin(d, "A", i, JN_GROUND, next, i, 0);
        pin(d, "B", i, post, bar, i - 1, 1);
        pin(d, "C", i, bar, next, i, 1);
        post = next;
    }
    return d;
}

jn_description *scene_legged(int legs, int joints, uint64_t seed) {
    jn_description *d = jn_description_create();
    char name[32];
    int base = scene_add_body(d, "base", (jn_vec3){0, 0, 0}, &seed);
    scene_add_joint(d, "float", JN_JOINT_FREE, JN_GROUND, base, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1});
    for (int l = 0; l < legs; l++)
        for (int k = 0, last = base; k < joints; k++) {
            double angle = 6.283185307179586 * l / legs;
            jn_vec3 at = {(0.3 + 0.3 * k) * cos(angle), (0.3 + 0.3 * k) * sin(angle), -0.1 * k};
            snprintf(name, sizeof name, "leg%d_%d", l + 1, k + 1);
            int body = scene_add_body(d, name, at, &seed);
            snprintf(name, sizeof name, "j%d_%d", l + 1, k + 1);
            scene_add_joint(d, name, JN_JOINT_REVOLUTE, last, body, at, random_axis(&seed));
            last = body;
        }
    return d;
}

jn_description *scene_mixed_tree(int n, int reverse, uint64_t seed) {
    static const jn_joint_type types[] = {JN_JOINT_REVOLUTE,  JN_JOINT_PRISMATIC, JN_JOINT_SCREW,  JN_JOINT_CYLINDRICAL,
                                          JN_JOINT_UNIVERSAL, JN_JOINT_SPHERICAL, JN_JOINT_PLANAR, JN_JOINT_FREE,
                                          JN_JOINT_FIXED,     JN_JOINT_REVOLUTE};
    jn_description *d = jn_description_create();
    char name[32];
    for (int i = 0; i < n; i++) {
        jn_vec3 at = random_vec(&seed);
        snprintf(name, sizeof name, "b%d", i + 1);
        int body = scene_add_body(d, name, at, &seed);
        int parent = i < 2 ? JN_GROUND : 1 + (int)(fabs(scene_random(&seed)) * (i - 1));
        bool back = reverse && i % reverse == 1;
        snprintf(name, sizeof name, "j%d", i + 1);
        scene_add_joint(d, name, types[i % 10], back ? body : parent, back ? parent : body, at, random_axis(&seed));
    }
    return d;
}

jn_description *scene_loop(jn_joint_type closing, uint64_t seed) {
    jn_description *d = jn_description_create();
    int a = scene_add_body(d, "a", (jn_vec3){0.3, 0.2, 0.1}, &seed);
    int b = scene_add_body(d, "b", (jn_vec3){-0.3, 0.1, 0.2}, &seed);
    int c = scene_add_body(d, "c", (jn_vec3){-0.4, 0.5, 0.6}, &seed);
    scene_add_joint(d, "ja", JN_JOINT_SPHERICAL, JN_GROUND, a, (jn_vec3){0, 0, 0}, random_axis(&seed));
    scene_add_joint(d, "jb", JN_JOINT_UNIVERSAL, JN_GROUND, b, (jn_vec3){-0.5, 0, 0}, random_axis(&seed));
    scene_add_joint(d, "jc", JN_JOINT_FREE, b, c, (jn_vec3){-0.4, 0.4, 0.3}, random_axis(&seed));
    int k = scene_add_joint(d, "close", closing, a, c, (jn_vec3){0.1, 0.4, 0.3}, random_axis(&seed));
    d->joints[k].closes_loop = true;
    return d;
}

jn_description *scene_double_pendulum(void) {
    jn_description *d = jn_description_create();
    d->planar = true;
    d->gravity = (jn_vec3){0, -9.81, 0};
    for (int i = 0, last = JN_GROUND; i < 2; i++) {
        jn_body_desc b = jn_body_default(i ? "lower" : "upper");
        b.mass = 1;
        b.com = (jn_vec3){i + 0.5, 0, 0};
        b.inertia.zz = 1.0 / 12;
        int body = jn_description_add_body(d, &b);
        last = (scene_add_joint(d, i ? "elbow" : "shoulder", JN_JOINT_REVOLUTE, last, body, (jn_vec3){i, 0, 0},
                                (jn_vec3){0, 0, 1}),
                body);
    }
    return d;
}

void scene_random_state(const jn_model *m, jn_state *s, double q_size, double u_size, uint64_t *seed) {
    int nv = jn_model_nv(m);
    for (int i = 0; i < nv; i++) s->u[i] = scene_random(seed);
    jn_q_advance(m, s->q, s->u, q_size); /* random displacement that keeps quaternions unit */
    for (int i = 0; i < nv; i++) s->u[i] = u_size * scene_random(seed);
}

/* A wall of the ground: a plane through `at` whose normal z is turned by `turn`. */
static void add_wall(jn_description *d, jn_vec3 at, jn_quat turn) {
    jn_shape_desc plane = jn_shape_default(JN_SHAPE_PLANE);
    plane.at = at, plane.orientation = turn;
    jn_description_add_shape(d, JN_GROUND, &plane);
}

/* A floor and four walls at the distance `half`. */
static void add_box_walls(jn_description *d, double half) {
    double s = sqrt(0.5);
    add_wall(d, (jn_vec3){0, 0, 0}, (jn_quat){1, 0, 0, 0});
    add_wall(d, (jn_vec3){-half, 0, 0}, (jn_quat){s, 0, s, 0});
    add_wall(d, (jn_vec3){half, 0, 0}, (jn_quat){s, 0, -s, 0});
    add_wall(d, (jn_vec3){0, -half, 0}, (jn_quat){s, -s, 0, 0});
    add_wall(d, (jn_vec3){0, half, 0}, (jn_quat){s, s, 0, 0});
}

jn_description *scene_spheres_in_box(int n, double radius, double mass) {
    return scene_spheres_on_floor(n, (int)ceil(jn_cbrt(n)), radius, mass);
}

jn_description *scene_spheres_on_floor(int n, int side, double radius, double mass) {
    jn_description *d = jn_description_create();
    double pitch = 2.2 * radius;
    uint64_t seed = 7;
    add_box_walls(d, 0.5 * pitch * side + 0.1 * radius);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "s%d", i + 1);
        jn_body_desc b = jn_body_default(name);
        jn_shape_desc ball = jn_shape_default(JN_SHAPE_SPHERE);
        int x = i % side, y = i / side % side, z = i / side / side;
        b.mass = mass;
        b.inertia.xx = b.inertia.yy = b.inertia.zz = 0.4 * mass * radius * radius;
        b.com = (jn_vec3){pitch * (x - 0.5 * (side - 1)) + 0.09 * radius * scene_random(&seed),
                          pitch * (y - 0.5 * (side - 1)) + 0.09 * radius * scene_random(&seed),
                          radius + pitch * (z + 0.1) + 0.09 * radius * scene_random(&seed)};
        ball.size.x = radius, ball.at = b.com;
        jn_description_add_shape(d, jn_description_add_body(d, &b), &ball);
    }
    return d;
}

/* Body i of the mixed pile: 0.5 kg, its frame at the centre of mass. */
static void add_mixed(jn_description *d, int i, uint64_t *seed) {
    static const jn_shape_type types[] = {JN_SHAPE_BOX, JN_SHAPE_SPHERE, JN_SHAPE_CAPSULE};
    static const jn_vec3 sizes[] = {{0.12, 0.1, 0.08}, {0.05, 0, 0}, {0.04, 0.08, 0}};
    static const jn_sym3 inertias[] = {
        {6.8e-4, 8.7e-4, 1.02e-3, 0, 0, 0}, {5e-4, 5e-4, 5e-4, 0, 0, 0}, {9e-4, 9e-4, 4e-4, 0, 0, 0}};
    char name[32];
    snprintf(name, sizeof name, "b%d", i + 1);
    jn_body_desc b = jn_body_default(name);
    jn_shape_desc shape = jn_shape_default(types[i % 3]);
    double x = 0.01 * scene_random(seed), y = 0.01 * scene_random(seed), z = 0.01 * scene_random(seed),
           half = 1.5 * scene_random(seed);
    b.mass = 0.5, b.inertia = inertias[i % 3];
    b.at = (jn_vec3){0.18 * (i % 3 - 1) + x, 0.18 * (i / 3 % 3 - 1) + y, 0.1 + 0.18 * (i / 9) + z};
    b.orientation = (jn_quat){cos(half), 0.6 * sin(half), 0.8 * sin(half), 0};
    shape.size = sizes[i % 3];
    jn_description_add_shape(d, jn_description_add_body(d, &b), &shape);
}

jn_description *scene_mixed_in_box(int n) {
    jn_description *d = jn_description_create();
    uint64_t seed = 11;
    add_box_walls(d, 0.28);
    for (int i = 0; i < n; i++) add_mixed(d, i, &seed);
    return d;
}

/* A box of uniform density with its frame at its centre. */
static void add_box(jn_description *d, int number, double mass, jn_vec3 edge, jn_vec3 at, jn_quat turn) {
    char name[32];
    snprintf(name, sizeof name, "b%d", number);
    jn_body_desc b = jn_body_default(name);
    jn_shape_desc box = jn_shape_default(JN_SHAPE_BOX);
    b.mass = mass, b.at = at, b.orientation = turn;
    b.inertia.xx = mass * (edge.y * edge.y + edge.z * edge.z) / 12;
    b.inertia.yy = mass * (edge.z * edge.z + edge.x * edge.x) / 12;
    b.inertia.zz = mass * (edge.x * edge.x + edge.y * edge.y) / 12;
    box.size = edge;
    jn_description_add_shape(d, jn_description_add_body(d, &b), &box);
}

jn_description *scene_box_stack(int n, double edge, double mass) {
    jn_description *d = jn_description_create();
    add_wall(d, (jn_vec3){0, 0, 0}, (jn_quat){1, 0, 0, 0});
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d", i + 1);
        jn_body_desc b = jn_body_default(name);
        jn_shape_desc box = jn_shape_default(JN_SHAPE_BOX);
        b.mass = mass;
        b.inertia.xx = b.inertia.yy = b.inertia.zz = mass * edge * edge / 6;
        b.com = (jn_vec3){0, 0, edge * (i + 0.5)};
        box.size = (jn_vec3){edge, edge, edge}, box.at = b.com;
        jn_description_add_shape(d, jn_description_add_body(d, &b), &box);
    }
    return d;
}

jn_description *scene_brick_wall(int rows, int columns, bool pyramid, double edge) {
    jn_description *d = jn_description_create();
    add_wall(d, (jn_vec3){0, 0, 0}, (jn_quat){1, 0, 0, 0});
    for (int row = 0, number = 1; row < rows; row++)
        for (int k = 0; k < columns - (pyramid ? row : 0); k++, number++) {
            double shift = 0.5 * (pyramid ? row : row % 2), pitch = pyramid ? 1.1 * edge : edge;
            add_box(d, number, 1, (jn_vec3){edge, edge, edge}, (jn_vec3){(k + shift) * pitch, 0, (row + 0.5) * edge},
                    (jn_quat){1, 0, 0, 0});
        }
    return d;
}

jn_description *scene_block_of_boxes(int side, double edge) {
    jn_description *d = jn_description_create();
    add_wall(d, (jn_vec3){0, 0, 0}, (jn_quat){1, 0, 0, 0});
    for (int n = 0; n < side * side * side; n++) {
        jn_vec3 at = {n % side * edge, n / side % side * edge, (n / (side * side) + 0.5) * edge};
        add_box(d, n + 1, 1, (jn_vec3){edge, edge, edge}, at, (jn_quat){1, 0, 0, 0});
    }
    return d;
}

jn_description *scene_boxes_over_floor(int n) {
    jn_description *d = jn_description_create();
    uint64_t seed = 3;
    add_wall(d, (jn_vec3){0, 0, 0}, (jn_quat){1, 0, 0, 0});
    for (int i = 0; i < n; i++) {
        double x = 0.02 * scene_random(&seed), y = 0.02 * scene_random(&seed), half = 1.5 * scene_random(&seed);
        jn_vec3 axis = random_axis(&seed), at = {0.35 * (i % 4) + x, 0.35 * (i / 4 % 4) + y, 0.3 + 0.35 * (i / 16)};
        jn_quat turn = {cos(half), axis.x * sin(half), axis.y * sin(half), axis.z * sin(half)};
        add_box(d, i + 1, 1, (jn_vec3){0.2, 0.16, 0.12}, at, turn);
    }
    return d;
}
