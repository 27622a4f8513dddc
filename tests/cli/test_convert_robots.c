/* jounce convert between YAML, URDF, MJCF and SDF: generated mechanisms of every feature that a format holds, and robots, come back as
 * the same mechanism: mass matrix, bias and poses to 1e-12, accelerations with springs, dampers, loops and couplers. */
#include "model/model_layout.h" /* before command.h, which has globals */

#include "command.h"
#include "reference_model.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { SEEDS = 40, TEXT = 60000 };
static const double close_enough = 1e-12; /* of the largest entry */

typedef enum feature { TREES = 0, SPRINGS = 1, BALLS = 2, ROTORS = 4, LOOPS = 8, LONG_COUPLERS = 16 } feature;

static unsigned seed;
static double uniform(void) { return 2.0 * rand_r(&seed) / RAND_MAX - 1; }

/* ---------------------------------------------------------------------------------------------- generated mechanisms */

static char text[TEXT];
static int used;

static void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    used += vsnprintf(text + used, (size_t)(TEXT - used), format, args);
    va_end(args);
    assert_true(used < TEXT);
}

static void say_vector(const char *key, double size) {
    say("%s: [%.3f, %.3f, %.3f]", key, size * uniform(), size * uniform(), size * uniform());
}

static void say_shape(unsigned kind) {
    static const char *const shapes[] = {"type: sphere, radius: 0.03", "type: box, size: [0.02, 0.03, 0.04]",
                                         "type: cylinder, radius: 0.02, length: 0.05",
                                         "type: capsule, radius: 0.02, length: 0.05"};
    say(", shape: {%s, ", shapes[kind % 4]);
    say_vector("at", 0.1);
    say(", orientation: {axis: [1, %.2f, %.2f], angle: %.2f}}", uniform(), uniform(), 3 * uniform());
}

static void say_body(int k, bool framed) {
    double a = 0.02 + 0.01 * uniform(), b = 0.02 + 0.01 * uniform(), c = 0.02 + 0.009 * uniform();
    say("  b%d: {mass: %.3f, ", k, 1 + 0.5 * uniform());
    say_vector("com", 0.5);
    say(", inertia: [%.4f, %.4f, %.4f, %.4f, %.4f, %.4f]", a + b, b + c, a + c, 1e-3 * uniform(), 1e-3 * uniform(),
        1e-3 * uniform());
    if (framed) {
        say(", "), say_vector("at", 1);
        say(", orientation: {axis: [%.2f, 1, %.2f], angle: %.2f}", uniform(), uniform(), 3 * uniform());
    }
    say_shape((unsigned)k);
    say("}\n");
}

static void say_joint(int k, int parent, int features) {
    static const char *const types[] = {"revolute", "prismatic", "fixed", "spherical"};
    int type = rand_r(&seed) % (features & BALLS ? 4 : 3);
    if (k < 3) type = 0; /* what couplers need */
    say("  j%d: {type: %s, between: [%s%.0d, b%d]", k, types[type], parent ? "b" : "ground", parent, k);
    if (type != 2) say(", "), say_vector("at", 1);
    if (type < 2) {
        say(", axis: [1, %.3f, %.3f], damping: %.3f", uniform(), uniform(), fabs(uniform()));
        if (type == 1 || rand_r(&seed) % 2) say(", lower: -3, upper: 2.5");
        if (features & SPRINGS && rand_r(&seed) % 2) say(", stiffness: 20, rest: 0.2");
        if (features & ROTORS && rand_r(&seed) % 2) say(", armature: 0.03, force: 0.5 - 2*x - 0.1*v");
    }
    say("}\n");
}

/* Four bars in a plane across [1, 2, 2]/3, on their own. */
static void say_four_bar(void) {
    static const double corner[4][3] = {{5, 0, 0}, {5.4, 0.4, -0.6}, {6.2, 0.6, -1.2}, {6.4, -0.1, -0.6}};
    static const char *const names[] = {"ground", "crank", "rod", "lever", "ground"};
    for (int k = 0; k < 4; k++)
        say("  hinge%d: {type: revolute, between: [%s, %s], at: [%g, %g, %g], axis: [1, 2, 2]%s}\n", k, names[k],
            names[k + 1], corner[k][0], corner[k][1], corner[k][2], k == 3 ? ", loop: true" : "");
}

/* URDF has no gravity of its own. */
static void generate(unsigned number, int features) {
    seed = 17 * number + 5, used = 0;
    int bodies = 3 + rand_r(&seed) % 6;
    bool loose = rand_r(&seed) % 2;
    say("title: generated\n%sbodies:\n", features == TREES ? "" : "gravity: [0.3, -0.2, -9.81]\n");
    for (int k = 1; k <= bodies; k++) say_body(k, rand_r(&seed) % 2);
    if (features & LOOPS)
        for (int k = 0; k < 3; k++)
            say("  %s: {mass: %d, com: [%g, 0.2, -0.5], inertia: [0.1, 0.12, 0.15]}\n",
                (const char *[]){"crank", "rod", "lever"}[k], k + 1, 5.2 + 0.5 * k);
    say("joints:\n");
    for (int k = 1; k <= bodies; k++) {
        if (k == 1 && loose)
            say("  root: {type: free, between: [ground, b1]}\n");
        else
            say_joint(k, k == 1 ? 0 : 1 + rand_r(&seed) % (k - 1), features);
    }
    if (features & LOOPS) say_four_bar();
    if (!loose) {
        say("couplers:\n  gear: {joints: {j1: 1, j2: -1.5}}\n");
        if (features & LONG_COUPLERS && features & LOOPS) say("  sum: {joints: {j1: 1, j2: 0.5, hinge0: 0.25}}\n");
    }
    say("overlaps: ignore\nrun: {until: 1, step: 1 ms}\n");
    save("generated.yaml", text);
}

/* -------------------------------------------------------------------------------------------------------- comparisons */

typedef struct system {
    jn_description *d;
    jn_model *m;
    jn_work *w;
    jn_state *s;
} system_of;

static system_of open_file(const char *path, const char *base) {
    jn_setting settings[2] = {{"import.base", base}, {"import.lenient", "true"}};
    jn_report report = {0};
    system_of a = {.d = jn_description_read(path, settings, 2, &report)};
    check_report(&report);
    a.m = jn_model_compile(a.d, &report);
    check_report(&report);
    a.w = jn_work_create(a.m), a.s = jn_state_create(a.m);
    assert_non_null(a.s);
    return a;
}

static void close_system(system_of *a) {
    jn_state_free(a->s), jn_work_free(a->w), jn_model_free(a->m), jn_description_free(a->d);
}

/* The joint of b that is joint k of a: by name, or, for the free joint of a root, by type. */
static int same_joint(const system_of *a, const system_of *b, int k) {
    int other = jn_model_find_joint(b->m, jn_model_joint_name(a->m, k));
    for (int i = 0; other < 0 && i < jn_model_joints(b->m); i++)
        if (jn_model_joint_type(b->m, i) == jn_model_joint_type(a->m, k) &&
            jn_model_joint_type(a->m, k) == JN_JOINT_FREE)
            other = i;
    return other;
}

static void map_state(const system_of *a, const system_of *b, int *map) {
    for (int k = 0; k < jn_model_joints(a->m); k++) {
        int q = jn_model_joint_q_index(a->m, k), u = jn_model_joint_u_index(a->m, k);
        if (q < 0 || jn_model_joint_nq(a->m, k) == 0) continue;
        int other = same_joint(a, b, k);
        if (other < 0) fail_msg("no joint %s", jn_model_joint_name(a->m, k));
        int qb = jn_model_joint_q_index(b->m, other), ub = jn_model_joint_u_index(b->m, other);
        for (int i = 0; i < jn_model_joint_nq(a->m, k); i++) b->s->q[qb + i] = a->s->q[q + i];
        for (int i = 0; i < jn_model_joint_nv(a->m, k); i++) b->s->u[ub + i] = a->s->u[u + i], map[u + i] = ub + i;
    }
}

static double compare_poses(const system_of *a, const system_of *b) {
    double off = 0;
    assert_true(jn_observe(a->m, a->w, a->s) >= 0 && jn_observe(b->m, b->w, b->s) >= 0);
    for (int k = 1; k < jn_model_bodies(a->m); k++) {
        jn_body_motion x, y;
        int other = jn_model_find_body(b->m, jn_model_body_name(a->m, k));
        if (!(jn_model_body_mass(a->m, k) > 0)) continue;
        assert_true(other > 0);
        jn_body_motion_get(a->m, a->w, k, &x), jn_body_motion_get(b->m, b->w, other, &y);
        const double p[] = {x.position.x - y.position.x, x.position.y - y.position.y, x.position.z - y.position.z};
        double turn = fabs(x.orientation.w * y.orientation.w + x.orientation.x * y.orientation.x +
                           x.orientation.y * y.orientation.y + x.orientation.z * y.orientation.z);
        for (int i = 0; i < 3; i++) off = fmax(off, fabs(p[i]));
        off = fmax(off, fabs(1 - turn));
    }
    return off;
}

/* Random state on the constraints; terms of the equations there. */
static void compare(system_of *a, system_of *b, const char *name) {
    int nv = jn_model_nv(a->m);
    assert_int_equal(jn_model_nv(b->m), nv);
    size_t n = (size_t)nv;
    double *Ma = calloc(2 * n * n + 4 * n, sizeof *Ma), *Mb = Ma + n * n, *ha = Mb + n * n, *hb = ha + n, *aa = hb + n,
           *ab = aa + n, size = 1e-300, off = 0, bias = 0, largest = 1, acceleration = 0;
    int *map = calloc(n, sizeof *map);
    for (int i = 0; i < nv; i++) a->s->u[i] = uniform();
    jn_q_advance(a->m, a->s->q, a->s->u, 0.3);
    for (int i = 0; i < nv; i++) a->s->u[i] = uniform();
    assert_true(jn_project(a->m, a->w, a->s) >= 0);
    map_state(a, b, map);
    double pose = compare_poses(a, b);
    jn_mass_matrix(a->m, a->w, a->s, Ma), jn_mass_matrix(b->m, b->w, b->s, Mb);
    jn_rnea(a->m, a->w, a->s, NULL, ha), jn_rnea(b->m, b->w, b->s, NULL, hb);
    assert_true(jn_accelerate(a->m, a->w, a->s, NULL, aa, NULL) >= 0);
    assert_true(jn_accelerate(b->m, b->w, b->s, NULL, ab, NULL) >= 0);
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < nv; k++) {
            size = fmax(size, fabs(Ma[i * nv + k]));
            off = fmax(off, fabs(Ma[i * nv + k] - Mb[map[i] * nv + map[k]]));
        }
        largest = fmax(largest, fabs(ha[i])), bias = fmax(bias, fabs(ha[i] - hb[map[i]]));
    }
    double speed = 1;
    for (int i = 0; i < nv; i++)
        speed = fmax(speed, fabs(aa[i])), acceleration = fmax(acceleration, fabs(aa[i] - ab[map[i]]));
    if (off > close_enough * size || bias > close_enough * largest || pose > close_enough ||
        acceleration > 1e-9 * speed)
        printf("%s: mass matrix %.1e of %.1e, bias %.1e of %.1e, poses %.1e, accelerations %.1e of %.1e\n", name, off,
               size, bias, largest, pose, acceleration, speed);
    assert_below(off, close_enough * size);
    assert_below(bias, close_enough * largest);
    assert_below(pose, close_enough);
    assert_below(acceleration, 1e-9 * speed);
    free(Ma), free(map);
}

/* One conversion after another, each compared with the first file. */
static void convert_chain(const char *first, const char *base, const char *const *endings, bool lenient) {
    char from[600], to[64], command[1500];
    snprintf(from, sizeof from, "%s", first);
    for (int k = 0; endings[k]; k++) {
        snprintf(to, sizeof to, "converted_%d.%s", k, endings[k]);
        snprintf(command, sizeof command, "convert %s --base %s '%s' %s", lenient ? "--lenient" : "", base, from, to);
        if (jounce(command) != 0) fail_msg("%s: %s", command, err);
        system_of a = open_file(first, base), b = open_file(to, base);
        char pair[700];
        snprintf(pair, sizeof pair, "%s, %s", first, to);
        compare(&a, &b, pair);
        close_system(&a), close_system(&b);
        snprintf(from, sizeof from, "%s", to);
    }
}

static void test_mjcf(void **state) {
    (void)state;
    for (unsigned k = 0; k < SEEDS; k++) {
        generate(k, SPRINGS | BALLS | ROTORS | LOOPS | LONG_COUPLERS);
        convert_chain("generated.yaml", "auto", (const char *[]){"xml", "yaml", "xml", NULL}, false);
    }
}

static void test_sdf(void **state) {
    (void)state;
    for (unsigned k = 0; k < SEEDS; k++) {
        generate(1000 + k, SPRINGS | BALLS | LOOPS);
        convert_chain("generated.yaml", "auto", (const char *[]){"sdf", "yaml", "xml", "sdf", NULL}, false);
    }
}

/* Universal joints, threads and cones have places in SDF. */
static void test_threads(void **state) {
    (void)state;
    save("threads.yaml",
         "bodies:\n  a: {mass: 2, com: [0, 0, 0.3], inertia: [0.1, 0.12, 0.15], shape: {type: cone, radius: 0.1, height: 0.4, at: [0, 0, 0.2], orientation: "
         "{axis: [1, 2, 3], angle: 0.5}}}\n  b: {mass: 1, com: [0, 0, 0.9], inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.6], orientation: {axis: [1, 2, 3], angle: "
         "0.4}}\n  c: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1], shape: {type: sphere, radius: 0.1}}\n"
         "joints:\n  hip: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [[0, 1, 0], [1, 0, 0]]}\n"
         "  knee: {type: universal, between: [a, b], at: [0, 0, 0.6], axes: [[0, 1, 0], [1, 0, 0.2]]}\n"
         "  nut: {type: screw, between: [a, c], at: [1, 0, 0], axis: x, pitch: 10 mm, damping: 0.1}\nrun: {until: 1, method: nonsmooth, step: 1 ms}\n");
    convert_chain("threads.yaml", "auto", (const char *[]){"sdf", "yaml", "sdf", NULL}, false);
}

static void test_urdf(void **state) {
    (void)state;
    for (unsigned k = 0; k < SEEDS; k++) {
        generate(2000 + k, TREES);
        convert_chain("generated.yaml", "auto", (const char *[]){"urdf", "xml", "sdf", "urdf", NULL}, false);
    }
}

static void test_robots(void **state) {
    static const char *const files[] = {"anymal_b.urdf", "phantomx.urdf", "ur5_robot.urdf",   "kuka_iiwa_robot.urdf",
                                        "ant.xml",       "humanoid.xml",  "hopper_planar.xml"};
    (void)state;
    if (!reference_present()) return;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char name[100], path[600];
        snprintf(name, sizeof name, "robots/%s", files[k]);
        snprintf(path, sizeof path, "%s", reference_path(name));
        convert_chain(path, "auto", (const char *[]){"yaml", "xml", "yaml", NULL}, true);
        if (strstr(files[k], ".urdf")) convert_chain(path, "auto", (const char *[]){"sdf", "xml", "sdf", NULL}, true);
    }
}

/* Tendons along paths, actuators at places and on cranks, polynomials, welds and sensors come back from MJCF: the same lengths, forces and
 * values at random states. */
static void test_drives(void **state) {
    (void)state;
    save("drives.yaml",
         "bodies:\n  a: {mass: 2, com: [0, 0, 0.3], inertia: [0.1, 0.12, 0.15], shape: {type: sphere, radius: 0.1, name: knob}}\n"
         "  b: {mass: 1, com: [0, 0, 0.9], inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.6], orientation: {axis: [1, 2, 3], angle: 0.4}, "
         "shape: {type: box, size: [0.1, 0.2, 0.1], at: [0.3, 0, 0], surface_velocity: [1, 2, 3], surface_rotation: [0.1, 0.2, 0.3]}}\n  c: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
         "  ground: {shape: {type: plane, at: [0, 0, -3]}}\n"
         "points:\n  hook: {body: ground, at: [0.4, 0, 1]}\n  p: {body: a, at: [0.3, 0.1, 0.2], orientation: {axis: y, angle: 2.5}}\n  q: {body: b, at: [0.1, 0.2, 0.3]}\n"
         "joints:\n  hip: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}\n"
         "  knee: {type: revolute, between: [a, b], at: [0, 0, 0.6], axis: [1, 1, 0], lower: -0.2, upper: 0.3}\n"
         "  slide: {type: prismatic, between: [ground, c], at: [1, 0, 0], axis: x}\n"
         "tendons:\n  cable: {path: [hook, {sphere: 0.1, body: a, at: [0, 0, 0.2], side: p}, q], stiffness: 20, rest: "
         "0.4, slack: 0.1, damping: 2}\n"
         "couplers: {cam: {joints: {slide: 1, hip: [-0.5, 0.1, 0.05]}, constant: 0.02}}\n"
         "actuators:\n  jet: {point: p, force: [1, 2, 3], torque: [0.1, 0.2, 0.3], bias: 2}\n"
         "  servo: {point: q, reference: p, force: [1, 0, 0], bias: [1, -3, -0.2]}\n"
         "  crank: {crank: q, slider: p, rod: 3, bias: [1, 2, 0.5], activation: filter, time: 0.2}\n"
         "  glue: {adhesion: a, gain: 3, bias: 0.5, control_range: [0, 2]}\n"
         "  pull: {tendon: cable, bias: [3, -1, 0], total_range: [-2.9, 2.7]}\n  turn: {joint: hip, bias: [1, -2, 0], total_range: [-0.5, 0.4]}\n"
         "sensors:\n  imu: {type: accelerometer, point: p}\n  eye: {type: rangefinder, point: p}\n  pose: {type: framepos, point: q, "
         "reference: p}\n  stop: {type: jointlimitpos, joint: knee}\n  near: {type: distance, between: [a.knob, b], cutoff: 3}\n"
         "  in: {type: insidesite, point: q, reference: p, zone: box, zone_size: [0.5, 0.6, 0.7]}\n  long: {type: tendonpos, tendon: cable}\n"
         "  force: {type: actuatorfrc, actuator: pull}\n  sum: {type: jointactuatorfrc, joint: hip}\n  image: {type: camprojection, point: q, reference: p, focal: [500, 500], "
         "resolution: [640, 480]}\n  wide: {type: camprojection, point: hook, reference: p, focal: [500, 600], resolution: [640, 480]}\n"
         "  felt: {type: contact, first: a.knob, second: {subtree: b}, data: [force, found, gap], reduce: maxforce, slots: 3}\n"
         "  spot: {type: contact, second: ground, point: q, zone: cylinder, zone_size: [0.5, 0.2, 0.1]}\noverlaps: ignore\nrun: {method: nonsmooth, until: 1, step: 1 ms}\n");
    static const char *const endings[] = {"xml", "yaml", "xml", NULL};
    convert_chain("drives.yaml", "auto", endings, false);
    system_of a = open_file("drives.yaml", "auto"), b = open_file("converted_2.xml", "auto");
    int *map = calloc((size_t)jn_model_nv(a.m), sizeof *map);
    assert_int_equal(jn_model_sensors(b.m), jn_model_sensors(a.m));
    assert_int_equal(jn_model_actuators(b.m), jn_model_actuators(a.m));
    assert_true(a.m->surfaces_move && a.m->solid_count == b.m->solid_count);
    for (int k = 0; k < a.m->solid_count; k++) assert_true(a.m->solids[k].surface_moves == b.m->solids[k].surface_moves);
    for (int k = 0; k < jn_model_sensors(a.m); k++) {
        const jn_sensor *x = &a.m->sensors[k], *y = &b.m->sensors[k];
        if (x->type != JN_SENSOR_CONTACT) continue;
        assert_true(x->data == y->data && x->slots == y->slots && x->reduce == y->reduce && x->subtree[0] == y->subtree[0]);
        assert_true(x->subtree[1] == y->subtree[1] && !x->shape[0] == !y->shape[0] && (x->body < 0) == (y->body < 0));
        assert_true((x->point < 0) == (y->point < 0) && x->zone == y->zone && (x->other < 0) == (y->other < 0));
    }
    for (int n = 0; n < 100; n++) {
        for (int i = 0; i < jn_model_nq(a.m); i++) a.s->q[i] = 0.6 * uniform();
        for (int i = 0; i < jn_model_nv(a.m); i++) a.s->u[i] = uniform();
        map_state(&a, &b, map);
        assert_true(jn_observe(a.m, a.w, a.s) >= 0 && jn_observe(b.m, b.w, b.s) >= 0);
        for (int k = 0; k < jn_model_sensors(a.m); k++) {
            double x[JN_SENSOR_MOST], y[JN_SENSOR_MOST];
            int count = jn_sensor_see(a.m, a.w, k, x), same = jn_sensor_see(b.m, b.w, k, y);
            assert_int_equal(count, same);
            for (int i = 0; i < count; i++) assert_near(y[i], x[i], 1e-10 * fmax(1, fabs(x[i])));
        }
        for (int k = 0; k < jn_model_actuators(a.m); k++)
            assert_near(jn_actuator_motion_get(b.m, b.w, k).force, jn_actuator_motion_get(a.m, a.w, k).force, 1e-11);
    }
    free(map), close_system(&a), close_system(&b);
}

/* Meshes that the compiler makes, springdamper, and joints whose range a tendon's actuators meet, through YAML and back. */
static void test_derived(void **state) {
    (void)state;
    save("derived.xml",
         "<mujoco><asset><mesh name='m' builtin='supertorus' params='9 .3 1 1' scale='.1 .1 .2'/><mesh name='c' builtin='cone' params='5 .5' scale='.1 .1 "
         ".2'/></asset><worldbody><body name='a'><joint name='l' axis='1 0 .2' springdamper='.2 .5' actuatorfrcrange='-.1 .2'/><geom type='mesh' mesh='m'/>"
         "<body name='b' pos='0 0 .5'><joint name='r' axis='0 1 0' springdamper='.1 1'/><geom type='mesh' mesh='c' pos='0 .1 0'/></body></body></worldbody>"
         "<tendon><fixed name='t'><joint joint='l' coef='.5'/><joint joint='r' coef='1'/></fixed></tendon><actuator><general name='m' tendon='t' "
         "biastype='affine' biasprm='.3 -2 -.1'/></actuator></mujoco>");
    static const char *const endings[] = {"yaml", "xml", "yaml", NULL};
    convert_chain("derived.xml", "auto", endings, false);
}

/* What a format cannot hold is named; --lenient leaves out what is no joint. */
static void test_refusals(void **state) {
    (void)state;
    save("planar.yaml", "bodies: {puck: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                        "joints: {table: {type: planar, between: [ground, puck], at: [0, 0, 0], axis: z}}\nrun: {until: 1}\n");
    save("spring.yaml", "bodies: {ball: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                        "forces: {coil: {type: spring, between: [ground, ball], ends: [[0, 0, 1], [0, 0, 0]], "
                        "stiffness: 5}}\nrun: {until: 1}\n");
    save("bushing.yaml", "bodies: {ball: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                         "forces: {rubber: {type: bushing, between: [ground, ball], at: [0, 0, 1], stiffness: [5, 5, 5, 1, 1, 1]}}\nrun: {until: 1}\n");
    static const char *const endings[] = {"xml", "sdf", "urdf"};
    for (int k = 0; k < 3; k++) {
        char command[200];
        snprintf(command, sizeof command, "convert --lenient planar.yaml out.%s", endings[k]);
        assert_int_equal(jounce(command), 2);
        has(err, "planar.yaml:2: error: joint 'table': ");
        snprintf(command, sizeof command, "convert spring.yaml out.%s", endings[k]);
        assert_int_equal(jounce(command), 2);
        has(err, "force 'coil': springs have no counterpart: write a tendon through two points, with stiffness and damping, for MJCF (--lenient leaves it out)");
        snprintf(command, sizeof command, "convert bushing.yaml out.%s", endings[k]);
        assert_int_equal(jounce(command), 2);
        has(err, "force 'rubber': bushings have no counterpart: write joints with stiffness and damping between its bodies");
        snprintf(command, sizeof command, "convert --lenient spring.yaml out.%s", endings[k]);
        assert_int_equal(jounce(command), 0);
        has(err, "warning: force 'coil'");
    }
    assert_int_equal(jounce("convert spring.yaml out.txt"), 2);
    has(err, "end it in .yaml, .json, .urdf, .xml (MJCF) or .sdf");
}

/* The range of a ball joint: a stop of its angle, and a range again; points do not become more. */
static void test_ball_range(void **state) {
    (void)state;
    save("ball.xml", "<mujoco><worldbody><body name='a' pos='0 0 1' euler='10 20 30'><joint name='j' type='ball' "
                     "range='0 40' damping='.1'/>"
                     "<geom size='.1' pos='.3 0 0'/></body></worldbody></mujoco>");
    static const char *const endings[] = {"yaml", "xml", "yaml", "xml", NULL};
    convert_chain("ball.xml", "auto", endings, false);
    system_of a = open_file("ball.xml", "auto"), b = open_file("converted_3.xml", "auto");
    assert_int_equal(jn_model_tendons(b.m), 1);
    assert_int_equal(jn_model_points(b.m), jn_model_points(a.m));
    assert_int_equal(b.m->stop_count, 1);
    assert_near(b.m->stops[0].upper, 40 * M_PI / 180, 1e-14);
    close_system(&a), close_system(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drives), cmocka_unit_test(test_ball_range), cmocka_unit_test(test_derived),
        cmocka_unit_test(test_mjcf),   cmocka_unit_test(test_sdf),        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_urdf),   cmocka_unit_test(test_robots),     cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
