/* The Jacobian of the equations of motion with contacts, against differences; and what it is for: stiff contacts. */
#include "step/compliant/compliant_step.h"
#include "step/integrators/ode_jacobian.h"
#include "text_model.h"
#include <stdlib.h>

typedef struct scene {
    const char *name, *text; /* bodies and joints; shapes may overlap by a millimetre or so */
    bool planar;
    double shift[4]; /* of the first coordinates, before the contacts begin */
} scene;

static const scene scenes[] = {
    {"sphere-plane",
     "bodies:\n  ground: {shape: {type: plane}}\n"
     "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.01, 0.02, 0.1], shape: {type: sphere, radius: 0.1, at: [0, "
     "0, "
     "0.099]}}\n",
     false,
     {0}},
    {"sphere-sphere",
     "bodies:\n"
     "  a: {mass: 3, inertia: [0.05, 0.03, 0.04], com: [0, 0, 0], shape: {type: sphere, radius: 0.2}}\n"
     "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.1, 0.2, 0.2], shape: {type: sphere, radius: 0.102, at: [0.1, "
     "0.2, 0.2]}}\n",
     false,
     {0}},
    {"bodies in parts",
     "bodies:\n  ground: {shape: {type: plane}}\n"
     "  a: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.01, 0.02, 0.1], shape: {type: sphere, radius: 0.1, at: [0, "
     "0, 0.099]}}\n"
     "  b: {mass: 1, inertia: [0.02, 0.02, 0.04], com: [0.01, 0.19, 0.1], shape: {type: sphere, radius: 0.1, at: "
     "[0.05, 0.192, 0.0995]}}\n"
     "  c: {mass: 1, inertia: [0.02, 0.03, 0.03], com: [0.31, 0.02, 0.3]}\n"
     "  d: {mass: 1, inertia: [0.02, 0.03, 0.03], com: [0.1, 0.1, 0.1], shape: {type: sphere, radius: 0.1, at: "
     "[0.03, 0.17, 0.295]}}\n"
     "joints: {j: {type: revolute, between: [c, d], at: [0.1, 0.1, 0.3], axis: [0, 1, 1]}}\n"
     "forces: {s: {type: spring, between: [a, c], ends: [[0, 0, 0.1], [0.3, 0, 0.3]], stiffness: 100}}\n",
     false,
     {0}},
    {"box-plane",
     "bodies:\n  ground: {shape: {type: plane}}\n"
     "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.01, 0.02, 0.1], shape: {type: box, size: [0.3, 0.2, 0.2], "
     "at: "
     "[0, 0, 0.099]}}\n",
     false,
     {0}},
    {"tilted box-plane",
     "bodies:\n  ground: {shape: {type: plane}}\n"
     "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.01, 0.02, 0.1], shape: {type: box, size: [0.3, 0.2, 0.2], "
     "at: "
     "[0, 0, 0.192], orientation: {rpy: [0.4, 0.6, 0.1]}}}\n",
     false,
     {0}},
    {"ellipsoid-plane",
     "bodies:\n  ground: {shape: {type: plane}}\n"
     "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.01, 0.02, 0.1], shape: {type: ellipsoid, size: [0.3, 0.2, "
     "0.1], at: [0, 0, 0.1444], orientation: {rpy: [0.4, 0.3, 0.1]}}}\n",
     false,
     {0}},
    {"ellipsoid-ellipsoid",
     "bodies:\n"
     "  a: {mass: 3, inertia: [0.05, 0.03, 0.04], com: [0, 0, 0], shape: {type: ellipsoid, size: [0.2, 0.3, 0.25]}}\n"
     "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.1, 0.2, 0.2], shape: {type: ellipsoid, size: [0.2, 0.1, "
     "0.06], at: [0.119, 0.214, 0.245], orientation: {rpy: [0.4, 0.3, 0.1]}}}\n",
     false,
     {0}},
    {"chain of all joints on a plane",
     "bodies:\n  ground: {shape: {type: plane}}\n"
     "  a: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.1, 0, 0.5]}\n"
     "  b: {mass: 1, inertia: [0.02, 0.01, 0.03], com: [0.3, 0.1, 0.4]}\n"
     "  c: {mass: 1, inertia: [0.01, 0.02, 0.02], com: [0.5, 0, 0.3]}\n"
     "  d: {mass: 1, inertia: [0.01, 0.02, 0.02], com: [0.6, 0, 0.2]}\n"
     "  e: {mass: 1, inertia: [0.02, 0.02, 0.01], com: [0.7, 0, 0.1], shape: {type: sphere, radius: 0.1, at: [0.7, 0, "
     "0.099]}}\n"
     "joints:\n"
     "  j1: {type: universal, between: [ground, a], at: [0, 0, 0.5], axes: [x, z]}\n"
     "  j2: {type: cylindrical, between: [a, b], at: [0.2, 0, 0.5], axis: [1, 1, 0]}\n"
     "  j3: {type: spherical, between: [b, c], at: [0.4, 0, 0.4]}\n"
     "  j4: {type: universal, between: [c, d], at: [0.55, 0, 0.25], axes: [y, x]}\n"
     "  j5: {type: revolute, between: [d, e], at: [0.65, 0, 0.15], axis: [0, 1, 1]}\n",
     false,
     {0}},
    {"links of one chain against each other",
     "bodies:\n"
     "  a: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.1, 0, 0.5], shape: {type: sphere, radius: 0.1, at: [0.1, 0, "
     "0.5]}}\n"
     "  b: {mass: 1, inertia: [0.02, 0.01, 0.03], com: [0.3, 0.1, 0.4]}\n"
     "  c: {mass: 1, inertia: [0.01, 0.02, 0.02], com: [0.3, 0, 0.3], shape: {type: sphere, radius: 0.2, at: [0.3, "
     "0.1, "
     "0.301]}}\n"
     "joints:\n"
     "  j1: {type: screw, between: [ground, a], at: [0, 0, 0.5], axis: [1, 0, 1], pitch: 0.1}\n"
     "  j2: {type: prismatic, between: [a, b], at: [0.2, 0, 0.5], axis: [1, 1, 0]}\n"
     "  j3: {type: spherical, between: [b, c], at: [0.4, 0, 0.4]}\n",
     false,
     {0}},
    {"clearance joint",
     "bodies:\n"
     "  b: {mass: 2, inertia: 0.02, com: [0.1, 0.2]}\n"
     "  c: {mass: 1, inertia: 0.01, com: [0.3, 0.2]}\n"
     "joints:\n"
     "  j: {type: revolute, between: [b, c], at: [0.2, 0.2]}\n"
     "  k: {type: revolute_clearance, between: [ground, b], at: [0, 0], bearing: 10 mm, clearance: 0.5 mm, contact: "
     "all}\n",
     true,
     {6e-4, 3e-4}},
    {"clearance joint between moving links",
     "bodies:\n"
     "  b: {mass: 2, inertia: 0.02, com: [0.1, 0]}\n"
     "  c: {mass: 1, inertia: 0.01, com: [0.3, 0.2]}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, b], at: [0, 0]}\n"
     "  k: {type: revolute_clearance, between: [b, c], at: [0.2, 0.1], bearing: 10 mm, clearance: 0.5 mm, contact: "
     "all}\n",
     true,
     {5e-3}},
    {"closed loop on a half-plane",
     "bodies:\n  ground: {shape: {type: half_plane}}\n"
     "  a: {mass: 1, inertia: 0.01, com: [0, 0.3]}\n"
     "  b: {mass: 1, inertia: 0.02, com: [0.2, 0.3], shape: {type: circle, radius: 0.1, at: [0.2, 0.099]}}\n"
     "  c: {mass: 1, inertia: 0.01, com: [0.4, 0.3]}\n"
     "joints:\n"
     "  j1: {type: revolute, between: [ground, a], at: [0, 0.5]}\n"
     "  j2: {type: revolute, between: [a, b], at: [0.05, 0.2]}\n"
     "  j3: {type: revolute, between: [b, c], at: [0.4, 0.15]}\n"
     "  j4: {type: revolute, between: [ground, c], at: [0.5, 0.5]}\n",
     true,
     {0}},
    {"driven loop on a half-plane",
     "bodies:\n  ground: {shape: {type: half_plane}}\n"
     "  a: {mass: 1, inertia: 0.01, com: [0, 0.3]}\n"
     "  b: {mass: 1, inertia: 0.02, com: [0.2, 0.3], shape: {type: circle, radius: 0.1, at: [0.2, 0.099]}}\n"
     "  c: {mass: 1, inertia: 0.01, com: [0.4, 0.3]}\n"
     "  d: {mass: 1, inertia: 0.01, com: [0.1, 0.1], shape: {type: circle, radius: 0.1, at: [0.02, 0.15]}}\n"
     "joints:\n"
     "  j1: {type: revolute, between: [ground, a], at: [0, 0.5], rate: 2}\n"
     "  j2: {type: revolute, between: [a, b], at: [0.05, 0.2]}\n"
     "  j3: {type: revolute, between: [b, c], at: [0.4, 0.15]}\n"
     "  j4: {type: revolute, between: [ground, c], at: [0.5, 0.5]}\n",
     true,
     {0}},
};

static const char *const frictions[] = {
    "",
    ", friction: {law: coulomb, dynamic: 0.4, v0: 0.2}",
    ", friction: {law: ambrosio, dynamic: 0.4, v0: 0.01, v1: 3}",
    (", friction: {law: lugre, dynamic: 0.3, static: 0.4, stribeck: 0.5, sigma0: 100, sigma1: 0.1, sigma2: 0.05}"),
    (", friction: {law: gonthier, dynamic: 0.3, static: 0.4, v0: 0.2, stribeck: 0.5, sigma0: 100, sigma1: 3}"
     ", rolling: 0.002, spinning: 0.003, resistance_speed: 0.5"),
};

static double random_one(void) { return 2.0 * rand() / RAND_MAX - 1; }

static jn_sim *in_contact(const scene *s, const char *friction, const char *coordinates, jn_model **m) {
    char text[4096];
    snprintf(text, sizeof text,
             "%s%scoordinates: %s\n"
             "contacts: {all: {law: flores, stiffness: 1e5, restitution: 0.6, delta_max: 1%s}}\n"
             "run: {integrator: bdf, tolerance: 1e-8}\n",
             s->planar ? "plane: xy\n" : "", s->text, coordinates, friction);
    jn_sim *sim = text_sim(text, m);
    for (int i = 0; i < 4; i++) sim->s->q[i] += s->shift[i];
    jn_report report = {0};
    assert_int_equal(jn_contact_start(sim, &report), JN_OK);
    srand(7);
    for (int i = 0; i < (*m)->nv; i++) sim->s->u[i] = random_one();
    for (int i = 0; i < sim->s->contact_count; i++) {
        jn_contact_state *c = &sim->s->contact[i];
        c->speed = 4;
        for (int k = 0; k < 3 && sim->nz; k++) c->compliant.friction[k] = (k == 2 ? 0.5 : 1e-3) * (1.5 + random_one());
    }
    return sim;
}

/* Central differences of fourth order. */
static void differences(jn_sim *sim, const double *y, double *D) {
    int ny = sim->ny, nq = sim->m->nq, nv = sim->m->nv;
    double *x = malloc((size_t)ny * sizeof *x), *f = malloc((size_t)ny * sizeof *f);
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const int at[4] = {-2, -1, 1, 2};
    memset(D, 0, (size_t)ny * (size_t)ny * sizeof *D);
    for (int c = 0; c < ny - JN_LEDGER; c++)
        for (int k = 0; k < 4; k++) {
            double h = c >= nq && c < nq + nv ? 1e-4 : 1e-5;
            memcpy(x, y, (size_t)ny * sizeof *x);
            x[c] += at[k] * h;
            assert_true(jn_slope_unit(sim, 0, x, f) >= 0);
            for (int i = 0; i < ny; i++) D[(size_t)c * (size_t)ny + (size_t)i] += weight[k] * f[i] / h;
        }
    free(x), free(f);
}

static int group(const jn_sim *sim, int i) {
    int nq = sim->m->nq, nv = sim->m->nv;
    return i < nq ? 0 : i < nq + nv ? 1 : i < nq + nv + sim->nz ? 2 : 3 + i - (nq + nv + sim->nz);
}

/* Largest error against the largest entry of its block (q, u, friction states, each energy of the ledger). Rows of what the ledger has
 * beside energies are empty: they take no part in the error. */
static double worst_entry(const jn_sim *sim, const double *J, const double *D) {
    double size[3 + JN_LEDGER][3 + JN_LEDGER] = {{0}}, worst = 0;
    int ny = sim->ny, rows = ny - JN_LEDGER + JN_LEDGER_ENERGIES;
    for (int c = 0; c < ny; c++)
        for (int i = 0; i < rows; i++) {
            double *s = &size[group(sim, i)][group(sim, c)];
            *s = fmax(*s, fabs(D[(size_t)c * (size_t)ny + (size_t)i]));
        }
    for (int c = 0; c < ny; c++)
        for (int i = 0; i < rows; i++) {
            size_t at = (size_t)c * (size_t)ny + (size_t)i;
            worst = fmax(worst, fabs(J[at] - D[at]) / fmax(size[group(sim, i)][group(sim, c)], 1e-2));
        }
    return worst;
}

static double check_scene(const scene *s, const char *friction, const char *coordinates) {
    jn_model *m;
    jn_sim *sim = in_contact(s, friction, coordinates, &m);
    size_t ny = (size_t)sim->ny, all = ny * ny;
    double *y = malloc((ny + 2 * all) * sizeof *y), *J = y + ny, *D = J + all, force = 0;
    jn_jacobian *j;
    assert_int_equal(jn_jacobian_create(sim, &j), JN_OK);
    jn_pack(sim, y);
    assert_int_equal(jn_jacobian_eval(j, sim, 0, y, J), JN_OK);
    for (int i = 0; i < m->contact_count; i++) force += sim->contacts->sum[i].fn;
    assert_true(force > 0);
    differences(sim, y, D);
    double worst = worst_entry(sim, J, D);
    jn_jacobian_free(j);
    free(y);
    jn_sim_free(sim);
    jn_model_free(m);
    return worst;
}

static void derivatives_are_those_of_the_slope(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
        double worst = 0;
        for (size_t k = 0; k < sizeof frictions / sizeof *frictions; k++) {
            worst = fmax(worst, check_scene(&scenes[n], frictions[k], "relative"));
            worst = fmax(worst, check_scene(&scenes[n], frictions[k], "absolute"));
        }
        print_message("%s: %.1e\n", scenes[n].name, worst);
        assert_below(worst, 1e-6);
    }
}

/* An omni wheel: the axis of its tangents turns with the second body, friction has one direction. */
static void derivatives_of_a_roller(void **state) {
    (void)state;
    static const char *const laws[] = {
        ", between: [ground, b], rolls: [0.6, 0.8, 0.1], friction: {law: coulomb, dynamic: 0.4, v0: 0.2}",
        ", between: [ground, b], rolls: [0.6, 0.8, 0.1], friction: {law: bengisu_akay, dynamic: 0.3, static: 0.4, v0: "
        "0.2, xi: 2}"};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        double worst = fmax(check_scene(&scenes[0], laws[k], "relative"), check_scene(&scenes[0], laws[k], "absolute"));
        print_message("omni wheel: %.1e\n", worst);
        assert_below(worst, 1e-6);
    }
}

/* A ball as an omni wheel: along its axis it slides on for ever, across it rolls after a while as any ball does, at 5/7 of its speed. */
static void roller_slides_along_its_axis(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("bodies:\n  ground: {shape: {type: plane}}\n"
                           "  ball: {mass: 1, com: [0, 0, 0.1], inertia: [4e-3, 4e-3, 4e-3], velocity: [1, 1, 0], "
                           "shape: {type: sphere, radius: 0.1, at: [0, 0, 0.1]}}\n"
                           "contacts: {floor: {between: [ground, ball], rolls: y, stiffness: 1e7, restitution: 0.1, "
                           "friction: {dynamic: 0.5, v0: 1 mm/s}}}\n"
                           "run: {method: compliant, integrator: bdf, tolerance: 1e-10, until: 1}\n",
                           &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    jn_body_motion b;
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), jn_model_find_body(m, "ball"), &b);
    assert_near(b.velocity.y, 1, 1e-9);
    assert_near(b.velocity.x, 5.0 / 7, 1e-5);
    assert_near(b.angular_velocity.y, 50.0 / 7, 1e-4);
    assert_near(b.angular_velocity.x, 0, 1e-9);
    const jn_audit *a = jn_sim_audit(sim);
    print_message("%s\n", a->verdict);
    assert_true(a->ok);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* A block set down on a hard floor with a push: it settles in microseconds, slides, and sticks after 20 ms. An egg that slides
 * and rolls there. */
static const char *const hard_scenes[] = {
    "{mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.1], velocity: [0.1, 0, 0], shape: {type: box, size: [0.3, "
    "0.2, "
    "0.2], at: [0, 0, 0.1]}}",
    "{mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.2], velocity: [0.2, 0, 0], angular_velocity: [0, 1, 0], "
    "shape: {type: ellipsoid, size: [0.3, 0.25, 0.2], at: [0, 0, 0.2]}}"};

static const char hard_floor[] =
    "bodies:\n  ground: {shape: {type: plane}}\n  body: %s\n"
    "contacts: {floor: {between: [ground, body], law: kelvin_voigt, stiffness: %g, damping: %g, "
    "friction: {dynamic: 0.5, v0: 1 mm/s}}}\n"
    "run: {integrator: %s, tolerance: 1e-8, until: 0.05}\n";

typedef struct rest {
    double x, z, lost;
    long steps, evaluations;
} rest;

static rest set_down(int which, double K, double c, const char *integrator) {
    char text[1024];
    jn_model *m;
    snprintf(text, sizeof text, hard_floor, hard_scenes[which], K, c, integrator);
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 0.05), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    if (!a->ok) print_error("%s\n", a->verdict);
    assert_true(a->ok);
    const double *q = jn_sim_state(sim)->q;
    rest r = {q[0], q[2], jn_sim_state(sim)->ledger.dissipated, a->steps, a->evaluations};
    print_message("scene %d, K %g, c %g, %s: %ld steps, %ld evaluations, moved %.9f m\n", which, K, c, integrator,
                  r.steps, r.evaluations, r.x);
    jn_sim_free(sim);
    jn_model_free(m);
    return r;
}

static void hard_contacts_force_no_small_steps(void **state) {
    (void)state;
    static const double cases[][2] = {{1e9, 1e5}, {1e10, 1e5}, {1e12, 1e6}};
    for (int k = 0; k < 3; k++) {
        double K = cases[k][0], depth = 9.81 / (4 * K);
        rest implicit = set_down(0, K, cases[k][1], "bdf"), explicit = set_down(0, K, cases[k][1], "dopri45");
        assert_true(50 * implicit.steps < explicit.steps);
        assert_true(200 * implicit.evaluations < explicit.evaluations);
        assert_true(implicit.steps < 300 && implicit.evaluations < 600); /* whatever the stiffness */
        assert_near(implicit.x, explicit.x, 1e-8);
        assert_near((0.1 - implicit.z) / depth, 1, 1e-4);
        assert_near((0.1 - explicit.z) / depth, 1, 1e-2);
        assert_near(implicit.lost, explicit.lost, 1e-7);
    }
}

static void hardness_costs_nothing(void **state) {
    (void)state;
    rest soft = set_down(0, 1e8, 1e4, "bdf"), hard = set_down(0, 1e12, 1e8, "bdf");
    assert_true(hard.steps <= soft.steps);
    assert_near(hard.x, soft.x, 1e-7);
}

/* The normal turns on the body, the touching point wanders. */
static void hard_contacts_may_roll(void **state) {
    (void)state;
    rest implicit = set_down(1, 1e10, 1e5, "bdf"), explicit = set_down(1, 1e10, 1e5, "dopri45");
    assert_true(10 * implicit.steps < explicit.steps);
    assert_true(30 * implicit.evaluations < explicit.evaluations);
    assert_near(implicit.x, explicit.x, 1e-6);
    assert_near(implicit.z, explicit.z, 1e-6);
    assert_near(implicit.lost, explicit.lost, 1e-5);
}

enum { EVENTS = 16 };

typedef struct seen {
    jn_event event[EVENTS];
    char what[EVENTS][64]; /* kind and place: the event's own words go with the model */
    int count;
} seen;

static void watch(void *context, const jn_event *e) {
    seen *s = context;
    if (s->count < EVENTS) {
        s->event[s->count] = *e;
        snprintf(s->what[s->count], sizeof s->what[0], "%s %s", e->kind, e->where);
    }
    s->count++;
}

static void quick_return(const char *integrator, seen *s) {
    const jn_setting changes[] = {{"run.integrator", integrator}, {"run.tolerance", "1e-12"}, {"until", "0.03"}};
    jn_report report = {0};
    jn_description *d =
        jn_description_read(JN_SOURCE_DIR "/models/flores_ambrosio/quick_return.yaml", changes, 3, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    jn_sim_on_event(sim, watch, s);
    assert_int_equal(jn_sim_advance(sim, 0.03), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    print_message("%s: %d events, %ld steps, %ld evaluations, %s\n", integrator, s->count, a->steps, a->evaluations,
                  a->verdict);
    assert_true(a->ok);
    jn_sim_free(sim);
    jn_model_free(m);
    jn_description_free(d);
}

/* Four clearance joints: steps are cut at each impact, by interpolation in CVODE's last step or by going back. */
static void impacts_come_when_they_come(void **state) {
    (void)state;
    seen bdf = {.count = 0}, dopri45 = {.count = 0};
    quick_return("bdf", &bdf);
    quick_return("dopri45", &dopri45);
    assert_int_equal(bdf.count, dopri45.count);
    assert_true(bdf.count >= 10);
    for (int i = 0; i < bdf.count && i < EVENTS; i++) {
        assert_string_equal(bdf.what[i], dopri45.what[i]);
        assert_near(bdf.event[i].time, dopri45.event[i].time,
                    i < 6 ? 1e-10 : 1e-8); /* errors grow from impact to impact */
        assert_near(bdf.event[i].speed_before, dopri45.event[i].speed_before, 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_those_of_the_slope),
                                       cmocka_unit_test(derivatives_of_a_roller),
                                       cmocka_unit_test(roller_slides_along_its_axis),
                                       cmocka_unit_test(hard_contacts_force_no_small_steps),
                                       cmocka_unit_test(hardness_costs_nothing),
                                       cmocka_unit_test(hard_contacts_may_roll),
                                       cmocka_unit_test(impacts_come_when_they_come)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
