/* Derivatives of the whole system, against central differences extrapolated to step zero: every joint type as a loop, drivers,
 * couplers and force elements, in relative and absolute coordinates, with and without Baumgarte's terms; and mechanisms with redundant
 * rows along motions that keep the constraints. */
#include "scenes.h"
#include "step/sim.h"
#include "text_model.h"
#include <lapacke.h>
#include <stdlib.h>

typedef struct bench {
    const jn_model *m;
    jn_work *w;
    jn_state *s, *moved;
    jn_derivatives *d;
    int nv, rows;
    double *tau, *out, *table; /* (nv), (nv + rows), (3 x (nv + rows)) */
} bench;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static bench bench_open(const jn_model *m, jn_work *w, const jn_state *from, uint64_t *seed) {
    bench b = {.m = m, .w = w, .s = jn_state_create(m), .moved = jn_state_create(m), .d = jn_derivatives_create(m)};
    b.nv = jn_model_nv(m), b.rows = jn_model_rows(m);
    b.tau = numbers(b.nv), b.out = numbers(b.nv + b.rows), b.table = numbers(3 * (b.nv + b.rows));
    if (from) jn_state_copy(b.s, from);
    for (int i = 0; i < b.nv; i++) b.tau[i] = 2 * scene_random(seed);
    return b;
}

static void bench_close(bench *b) {
    jn_state_free(b->s), jn_state_free(b->moved), jn_derivatives_free(b->d);
    free(b->tau), free(b->out), free(b->table);
}

typedef enum kind { BY_Q, BY_U, BY_TAU } kind;

static void accelerate_moved(bench *b, int k, double h, kind by, double *out) {
    double *e = numbers(b->nv), *tau = numbers(b->nv);
    jn_state_copy(b->moved, b->s);
    memcpy(tau, b->tau, (size_t)b->nv * sizeof *tau);
    e[k] = 1;
    if (by == BY_Q) jn_q_advance(b->m, b->moved->q, e, h);
    if (by == BY_U) b->moved->u[k] += h;
    if (by == BY_TAU) tau[k] += h;
    assert_int_equal(jn_accelerate(b->m, b->w, b->moved, tau, out, out + b->nv), JN_OK);
    free(e), free(tau);
}

/* Richardson's extrapolation of central differences with steps h, h/2, h/4: error of sixth order. */
static void extrapolate(double *t, int n, double *out) {
    for (int i = 0; i < n; i++) {
        double a = (4 * t[n + i] - t[i]) / 3, c = (4 * t[2 * n + i] - t[n + i]) / 3;
        out[i] = (16 * c - a) / 15;
    }
}

static void column_by_differences(bench *b, int k, kind by, double *out) {
    int n = b->nv + b->rows;
    double h = 4e-3;
    for (int level = 0; level < 3; level++, h /= 2) {
        double *row = b->table + level * n;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int side = -1; side <= 1; side += 2) {
            accelerate_moved(b, k, side * h, by, b->out);
            for (int i = 0; i < n; i++) row[i] += side * b->out[i] / (2 * h);
        }
    }
    extrapolate(b->table, n, out);
}

/* Largest deviations of accelerations and multipliers, against the largest entry. */
static void deviation(bench *b, kind by, double off[2]) {
    const double *A = by == BY_Q ? b->d->a_q : by == BY_U ? b->d->a_u : b->d->a_tau;
    const double *L = by == BY_Q ? b->d->lambda_q : by == BY_U ? b->d->lambda_u : b->d->lambda_tau;
    double *x = numbers(b->nv + b->rows), worst[2] = {0}, size[2] = {1, 1};
    for (int k = 0; k < b->nv; k++) {
        column_by_differences(b, k, by, x);
        for (int i = 0; i < b->nv + b->rows; i++) {
            int which = i >= b->nv;
            double here = which ? L[(i - b->nv) * b->nv + k] : A[i * b->nv + k];
            worst[which] = fmax(worst[which], fabs(here - x[i]));
            size[which] = fmax(size[which], fabs(x[i]));
        }
    }
    for (int k = 0; k < 2; k++) off[k] = fmax(off[k], worst[k] / size[k]);
    free(x);
}

static void check_all(bench *b, const char *name) {
    double off[3][2] = {{0}};
    assert_int_equal(jn_system_derivatives(b->m, b->w, b->s, b->tau, b->d), JN_OK);
    for (int by = BY_Q; by <= BY_TAU; by++) deviation(b, (kind)by, off[by]);
    print_message("%-44s a: q %.0e u %.0e tau %.0e  lambda: q %.0e u %.0e tau %.0e\n", name, off[0][0], off[1][0],
                  off[2][0], off[0][1], off[1][1], off[2][1]);
    for (int by = BY_Q; by <= BY_TAU; by++)
        for (int k = 0; k < 2; k++) assert_below(off[by][k], 1e-8);
}

/* At random states; on the constraints where an angle is measured, else off them. */
static void check_description(jn_description *d, const char *name, uint64_t seed, bool on_constraints) {
    for (int absolute = 0; absolute < 2; absolute++)
        for (int stabilise = JN_STABILISE_PROJECTION; stabilise <= JN_STABILISE_BAUMGARTE; stabilise++) {
            char full[128];
            jn_report report = {0};
            if (stabilise != JN_STABILISE_PROJECTION && stabilise != JN_STABILISE_BAUMGARTE) continue;
            d->coordinates = absolute ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE;
            d->run.stabilise = (jn_stabilise)stabilise;
            jn_model *m = jn_model_compile(d, &report);
            check_report(&report);
            jn_work *w = jn_work_create(m);
            bench b = bench_open(m, w, NULL, &seed);
            scene_random_state(m, b.s, 0.3, 1.5, &seed);
            b.s->t = 0.37;
            if (on_constraints) assert_int_equal(jn_project(m, w, b.s), JN_OK);
            snprintf(full, sizeof full, "%s%s%s", name, absolute ? " absolute" : "",
                     stabilise == JN_STABILISE_BAUMGARTE ? " baumgarte" : "");
            check_all(&b, full);
            bench_close(&b);
            jn_work_free(w), jn_model_free(m);
        }
    jn_description_free(d);
}

static void every_closure(void **state) {
    (void)state;
    for (int type = 0; type < JN_JOINT_TYPES; type++) {
        const jn_joint_info *info = jn_joint_type_info((jn_joint_type)type);
        if (info->rows == 0) continue;
        check_description(scene_loop((jn_joint_type)type, 21 + (uint64_t)type), info->name, 31 + (uint64_t)type,
                          type == JN_JOINT_SCREW);
    }
}

static void drivers_and_couplers(void **state) {
    (void)state;
    static const jn_joint_type types[] = {JN_JOINT_REVOLUTE,    JN_JOINT_PRISMATIC, JN_JOINT_SCREW,
                                          JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PLANAR};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int variant = 0; variant < 4; variant++) {
            bool in_loop = variant & 1, bent = variant & 2;
            jn_report report = {0};
            char name[64];
            jn_description *d = scene_loop(types[k], 51 + k);
            int joint = in_loop ? 3 : 1, last = jn_joint_type_info(d->joints[joint].type)->nv - 1;
            d->joints[joint].coordinate[last].motion = jn_description_function(d, "0.3*sin(2*t) + 0.1*t^2", &report);
            jn_coupler_desc c = {
                .name = "gear", .count = 2, .joint = {1, 3}, .coordinate = {0, 0}, .factor = {1.5, -2}};
            if (bent) memcpy(c.power, (double[2][3]){{0.3, -0.2, 0.1}, {-0.4, 0.3, 0.2}}, 2 * sizeof *c.power);
            jn_description_add_coupler(d, &c);
            check_report(&report);
            snprintf(name, sizeof name, "%s driven %s%s", jn_joint_type_info(types[k])->name, in_loop ? "loop" : "tree",
                     bent ? ", coupled by polynomials" : "");
            check_description(d, name, 61 + k, true);
        }
}

/* ------------------------------------------------------------------------------------------------------------ forces */

#define BODIES                                                                                                         \
    "bodies:\n"                                                                                                        \
    "  a: {mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.3, 0.1, 0.1]}\n"                                                 \
    "  b: {mass: 1, inertia: [0.2, 0.1, 0.3], com: [0.7, 0.2, 0.2]}\n"                                                 \
    "  c: {mass: 1, inertia: [0.1, 0.2, 0.2], com: [1.1, 0.2, 0.4]}\n"

#define TREE                                                                                                           \
    "joints:\n"                                                                                                        \
    "  j1: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [x, z]}\n"                                     \
    "  j2: {type: revolute, between: [a, b], at: [0.5, 0, 0], axis: [1, 1, 2]"

static const struct {
    const char *name, *text;
} forced[] = {
    {"springs", BODIES TREE
     "}\n"
     "  j3: {type: spherical, between: [b, c], at: [0.9, 0.1, 0.3]}\n"
     "forces:\n"
     "  s: {type: spring, between: [a, c], ends: [[0.2, 0.3, 0], [1, 0.4, 0.5]], stiffness: 200, damping: 7, rest: "
     "0.5, "
     "preload: 3, tension: 40*x^3 + 2*v*x + sin(3*t) + 5*joint.j2.q*joint.j2.u}\n"
     "  g: {type: spring, between: [ground, b], ends: [[0.2, 1, 0], [0.8, 0.4, 0.5]], stiffness: 90, damping: 3, rest: "
     "0.2}\n"},
    {"bushings", BODIES
     "forces:\n"
     "  k: {type: bushing, between: [ground, a], at: [0.1, 0, 0], stiffness: [100, 200, 300, 10, 25, 40], damping: [3, "
     "4, "
     "5, 1, 2, 3]}\n"
     "  l: {type: bushing, between: [a, b], at: [0.5, 0.2, 0], orientation: {rpy: [0.3, 0.2, 0.1]}, stiffness: [100, "
     "200, 300, 15, 25, 60], damping: [3, 4, 5, 1, 2, 3]}\n"
     "  m: {type: bushing, between: [c, b], at: [0.9, 0.2, 0], stiffness: [150, 150, 150, 20, 20, 20], damping: [4, 4, "
     "4, 2, 2, 2]}\n"},
    {"drag",
     BODIES TREE "}\n"
                 "  j3: {type: cylindrical, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1]}\n"
                 "forces:\n"
                 "  f: {type: drag, body: c, at: [1.2, 0.3, 0.4], orientation: {rpy: [0.3, 0.2, 0.1]}, linear: [1, 2, 3, "
                 "0.1, 0.2, 0.3], quadratic: [3, 2, 1, 0.3, 0.2, 0.1], wind: [0.5, 1, -1]}\n"},
    {"ellipsoid in a fluid",
     BODIES TREE "}\n"
                 "  j3: {type: cylindrical, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1]}\n"
                 "forces:\n"
                 "  f: {type: drag, body: c, at: [1.2, 0.3, 0.4], orientation: {rpy: [0.3, 0.2, 0.1]}, ellipsoid: [0.1, 0.2, "
                 "0.4], density: 12, viscosity: 0.3, coefficients: [0.4, 0.3, 1.2, 0.8, 1.1], volume: 0.05, wind: [0.5, 1, -1]}\n"},
    {"applied",
     BODIES TREE "}\n"
                 "  j3: {type: cylindrical, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1]}\n"
                 "forces:\n"
                 "  f: {type: force, on: c, at: [1.2, 0.3, 0.4], force: [3*sin(t), 5*joint.j2.q, 2], in: body}\n"
                 "  g: {type: force, on: c, from: a, at: [1.0, 0.3, 0.4], force: [3, 1 + joint.j2.u^2, -4]}\n"
                 "  h: {type: torque, on: b, torque: [1, 2*joint.j2.q*joint.j2.u, 3], in: body}\n"
                 "  i: {type: torque, on: a, from: c, torque: [2, -1, t]}\n"},
    {"coordinates", BODIES TREE
     ", stiffness: 30, damping: 2, rest: 0.2, friction: 3, friction_speed: 0.7, force: 10*x^2*v - sin(4*x)}\n"
     "  j3: {type: cylindrical, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1], stiffness: [50, 20], damping: "
     "[3, "
     "1]}\n"},
    {"tendons", BODIES TREE "}\n"
                            "  j3: {type: prismatic, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1]}\n"
                            "tendons:\n"
                            "  t: {joints: {j2: -1.5, j3: 2}, stiffness: 30, rest: 0.1, damping: 2, friction: 3, "
                            "friction_speed: 0.7, force: 10*x^2*v}\n"},
    {"stops and motors", BODIES TREE
     ", lower: -5, upper: -2, limit_stiffness: 300, limit_damping: 1, motor: {target: 0.3*sin(t) + "
     "0.2*joint.j3.q, speed: cos(t), feed: 3*joint.j3.u, kp: 40, kd: 3}}\n"
     "  j3: {type: revolute, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1], motor: {target: 9, kp: 400, kd: 3, "
     "max: 20, no_load_speed: 60, gear: 5}}\n"},
    {"motions of bodies", BODIES TREE
     "}\n"
     "  j3: {type: spherical, between: [b, c], at: [0.9, 0.1, 0.3]}\n"
     "forces:\n"
     "  f: {type: force, on: c, at: [1.2, 0.3, 0.4], force: [3*body.a.vx*body.b.y, 5*body.c.wz, body.b.wx^2], in: "
     "body}\n"
     "  s: {type: spring, between: [a, c], ends: [[0.2, 0.3, 0], [1, 0.4, 0.5]], tension: 4*x*body.b.vz + body.c.x}\n"
     "  h: {type: torque, on: b, torque: [body.c.vy, 2*body.a.z, joint.j2.q*body.a.wy]}\n"},
    {"joints with clearance", BODIES
     "contacts: {steel: {stiffness: 1e6, restitution: 0.5}}\n"
     "joints:\n"
     "  j1: {type: revolute_clearance, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 2], bearing: 1, length: 1, "
     "clearance: 0.5, contact: steel, motion: 0.3*sin(2*t)}\n"
     "  j2: {type: cylindrical_clearance, between: [a, b], at: [0.5, 0, 0], axis: [1, 1, 2], bearing: 1, length: 1, "
     "clearance: 0.5, contact: steel, stiffness: [50, 20], damping: [3, 1], force: [7*x*v, "
     "2*joint.j2.q1*joint.j2.u2]}\n"
     "  j3: {type: translational_clearance, between: [b, c], at: [0.9, 0.1, 0.3], axis: y, axis2: x, length: 1, width: "
     "1, height: 1, clearance: 0.5, contact: steel, motor: {target: 0.2, kp: 30, kd: 2}}\n"},
    {"loop with forces on its coordinates",
     BODIES "joints:\n"
            "  j1: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [x, z]}\n"
            "  j2: {type: spherical, between: [a, b], at: [0.5, 0, 0]}\n"
            "  j3: {type: spherical, between: [ground, c], at: [1.2, 0, 0]}\n"
            "  j4: {type: cylindrical, between: [b, c], at: [0.9, 0.1, 0.3], axis: [0, 1, 1], loop: true, stiffness: "
            "[50, 20], "
            "damping: [3, 0], friction: [0, 2], friction_speed: [1, 0.8], force: [7*x*v, 2*joint.j4.q1*joint.j4.u2], "
            "motor: [null, "
            "{target: 0.5 + joint.j4.q1, kp: 30, kd: 2}]}\n"},
};

static jn_description *parse(const char *text) {
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "model.yaml", NULL, 0, &report);
    check_report(&report);
    return d;
}

static void every_force(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof forced / sizeof *forced; k++)
        check_description(parse(forced[k].text), forced[k].name, 81 + k, true);
}

/* Forces that forward dynamics does without constraints: the calls along the tree say the same. */
static void trees_agree(void **state) {
    (void)state;
    jn_report report = {0};
    jn_description *d = scene_mixed_tree(20, 3, 5);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    uint64_t seed = 9;
    bench b = bench_open(m, w, NULL, &seed);
    jn_derivatives *tree = jn_derivatives_create(m);
    scene_random_state(m, b.s, 1.5, 2, &seed);
    assert_int_equal(jn_system_derivatives(m, w, b.s, b.tau, b.d), JN_OK);
    assert_int_equal(jn_forward_derivatives(m, w, b.s, b.tau, tree), JN_OK);
    for (int i = 0; i < b.nv * b.nv; i++) {
        assert_near(b.d->a_q[i], tree->a_q[i], 1e-9 * (1 + fabs(tree->a_q[i])));
        assert_near(b.d->a_u[i], tree->a_u[i], 1e-9 * (1 + fabs(tree->a_u[i])));
        assert_near(b.d->a_tau[i], tree->a_tau[i], 1e-9 * (1 + fabs(tree->a_tau[i])));
    }
    jn_derivatives_free(tree);
    bench_close(&b);
    jn_work_free(w), jn_model_free(m), jn_description_free(d);
}

/* -------------------------------------------------------------------------------------------------- redundant rows */

/* The state moved along z (velocities) by h and brought back to the constraints; its change per h is z to first order. */
static void move_along(bench *b, const double *z, const double *du, double h) {
    jn_state_copy(b->moved, b->s);
    jn_q_advance(b->m, b->moved->q, z, h);
    for (int i = 0; i < b->nv; i++) b->moved->u[i] += h * du[i];
    assert_int_equal(jn_project(b->m, b->w, b->moved), JN_OK);
}

/* The multipliers of least norm with the same forces G^T lambda: those of redundant rows carry round-off that does no work. */
static void least_norm(bench *b, const jn_state *at, double *lambda) {
    int nv = b->nv, rows = b->rows, most = nv > rows ? nv : rows, rank;
    double *G = numbers(rows * nv), *f = numbers(most), *sigma = numbers(most);
    if (rows == 0) return;
    jn_system_terms(b->m, b->w, at, G, NULL, NULL);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < nv; k++) f[k] += G[i * nv + k] * lambda[i];
    assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, nv, rows, 1, G, nv, f, most, sigma, 1e-8, &rank), 0);
    memcpy(lambda, f, (size_t)rows * sizeof *f);
    free(G), free(f), free(sigma);
}

/* Total derivative along a curve on the constraints: that of the velocities is taken from the curve. */
static void check_along(bench *b, const char *name, uint64_t *seed, double tolerance) {
    int nv = b->nv, n = nv + b->rows, all = n + nv;
    double *z = numbers(nv), *du = numbers(nv), *x = numbers(all), *t = numbers(3 * all), h = 4e-3;
    double off[2] = {0}, size[2] = {1, 1};
    jn_state_copy(b->moved, b->s); /* z: a random velocity that the constraints allow; drivers stand still */
    for (int i = 0; i < nv; i++) b->moved->u[i] = scene_random(seed), du[i] = scene_random(seed);
    assert_int_equal(jn_project(b->m, b->w, b->moved), JN_OK);
    memcpy(z, b->moved->u, (size_t)nv * sizeof *z);
    assert_int_equal(jn_system_derivatives(b->m, b->w, b->s, b->tau, b->d), JN_OK);
    for (int level = 0; level < 3; level++, h /= 2)
        for (int side = -1; side <= 1; side += 2) {
            double *row = t + level * all;
            move_along(b, z, du, side * h);
            assert_int_equal(jn_accelerate(b->m, b->w, b->moved, b->tau, b->out, b->out + nv), JN_OK);
            least_norm(b, b->moved, b->out + nv);
            for (int i = 0; i < all; i++) row[i] += side * (i < n ? b->out[i] : b->moved->u[i - n]) / (2 * h);
        }
    extrapolate(t, all, x);
    for (int i = 0; i < n; i++) {
        const double *Q = i < nv ? b->d->a_q + i * nv : b->d->lambda_q + (i - nv) * nv;
        const double *U = i < nv ? b->d->a_u + i * nv : b->d->lambda_u + (i - nv) * nv;
        double here = 0;
        for (int k = 0; k < nv; k++) here += Q[k] * z[k] + U[k] * x[n + k];
        off[i >= nv] = fmax(off[i >= nv], fabs(here - x[i]));
        size[i >= nv] = fmax(size[i >= nv], fabs(x[i]));
    }
    print_message("%-44s nv %d rows %d repeated %d: a %.0e lambda %.0e\n", name, nv, b->rows, jn_redundancy_get(b->d),
                  off[0] / size[0], off[1] / size[1]);
    assert_below(off[0] / size[0], tolerance);
    assert_below(off[1] / size[1], tolerance);
    free(z), free(du), free(x), free(t);
}

/* Nothing is prescribed any more. */
static void set_free(jn_description *d) {
    for (int k = 0; k < d->joint_count; k++)
        for (int i = 0; i < JN_JOINT_MAX_NV; i++) d->joints[k].coordinate[i].motion = (jn_function){0};
}

static void check_file(const char *file, const char *coordinates, double until, double tolerance) {
    char path[512];
    uint64_t seed = 17;
    jn_report report = {0};
    const jn_setting changes[] = {{"coordinates", coordinates}};
    snprintf(path, sizeof path, "%s/models/%s", JN_SOURCE_DIR, file);
    jn_description *d = jn_description_read(path, changes, 1, &report);
    check_report(&report);
    set_free(d);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    if (until > 0) assert_true(jn_sim_advance(sim, until) >= 0);
    bench b = bench_open(m, sim->w, sim->s, &seed);
    for (int i = 0; i < b.nv; i++) b.s->u[i] += 0.5 * scene_random(&seed);
    assert_int_equal(jn_project(m, sim->w, b.s), JN_OK);
    snprintf(path, sizeof path, "%s %s", file, coordinates);
    check_along(&b, path, &seed, tolerance);
    bench_close(&b);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

static void redundant_rows(void **state) {
    (void)state;
    static const char *const coordinates[] = {"relative", "absolute"};
    for (int k = 0; k < 2; k++) {
        check_file("rodrigues2024/four_bar.yaml", coordinates[k], 0.1, 1e-7);
        check_file("rodrigues2024/bennett.yaml", coordinates[k], 0.1, 1e-7);
        check_file("rodrigues2024/bricard.yaml", coordinates[k], 0.1, 1e-7);
        check_file("rodrigues2024/rssr.yaml", coordinates[k], 0.1, 1e-7);
        check_file("iftomm/andrews.yaml", coordinates[k], 0.01, 1e-7);
        check_file("rodrigues2024/charmie.yaml", coordinates[k], 0, 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_closure), cmocka_unit_test(drivers_and_couplers),
                                       cmocka_unit_test(every_force), cmocka_unit_test(trees_agree),
                                       cmocka_unit_test(redundant_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
