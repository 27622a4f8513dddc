/* The audit as a witness: momentum against the impulses from outside for every method; runs that are corrupted on purpose, as a program
 * or a scheme might do it by mistake, and are found bad in the right words; what projections add to the energy. */
#include "motion/work.h"
#include "text_model.h"

/* ------------------------------------------------------------------------------------------------------- isolated */

/* Two free bodies that spin, a spring between them, no ground. They collide after 0.13 s. */
static const char isolated[] =
    "gravity: none\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.3, 0.2, 0.1], velocity: [1, 0.1, 0],\n"
    "      angular_velocity: [1, 2, 3]%s}\n"
    "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0.8, 0.25, 0.1], velocity: [-1, 0, 0.05],\n"
    "      angular_velocity: [0, 1, -4]%s}\n"
    "forces:\n"
    "  s: {type: spring, between: [a, b], ends: [[0.35, 0.2, 0.1], [0.8, 0.3, 0.1]], stiffness: 20, damping: 0.1}\n"
    "%s"
    "run: {%s, until: 0.3}\n";

static const char *const smooth_ways[] = {"integrator: dopri45", "integrator: rk4, step: 1e-3",
                                          "integrator: verlet, step: 1e-3", "integrator: euler, step: 1e-4"};
static const char *const rough_ways[] = {"method: impact",
                                         "method: impact, integrator: rk4, step: 1e-3",
                                         "method: nonsmooth, scheme: momentum_leapfrog, step: 1e-3",
                                         "method: nonsmooth, scheme: moreau_midpoint, step: 1e-3",
                                         "method: nonsmooth, scheme: moreau_jean, step: 1e-3",
                                         "method: nonsmooth, scheme: least_constraint, step: 1e-3",
                                         "method: compliant"};
enum { SMOOTH = 4, WAYS = 11 };

static jn_sim *open_isolated(int k, jn_model **m, const char **name) {
    char text[2048];
    bool rough = k >= SMOOTH, soft = rough && k == WAYS - 1;
    *name = rough ? rough_ways[k - SMOOTH] : smooth_ways[k];
    snprintf(text, sizeof text, isolated, rough ? ", shape: {type: sphere, radius: 0.1, at: [0.3, 0.2, 0.1]}" : "",
             rough ? ", shape: {type: sphere, radius: 0.1, at: [0.8, 0.25, 0.1]}" : "",
             soft    ? "contacts: {c: {between: [a, b], law: hunt_crossley, stiffness: 1e6, restitution: 0.5}}\n"
             : rough ? "contacts: {c: {between: [a, b], friction: 0.3, restitution: 0.5}}\n"
                     : "",
             *name);
    return text_sim(text, m);
}

static void close_sim(jn_sim *sim, jn_model *m) {
    jn_sim_free(sim);
    jn_model_free(m);
}

/* By every way the linear momentum stays to round-off, over a collision with friction, and the verdict is good. */
static void isolated_bodies_keep_momentum(void **state) {
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        jn_model *m;
        const char *name;
        jn_sim *sim = open_isolated(k, &m, &name);
        assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%-55s linear %.1e of %.2g, angular %.1e of %.2g: %s\n", name, a->max_momentum_residual,
                      a->momentum_scale, a->max_angular_momentum_residual, a->angular_momentum_scale, a->verdict);
        assert_true(a->ok);
        assert_true(a->momentum_tolerance == 1e-11);
        assert_below(a->max_momentum_residual, 1e-13 * a->momentum_scale);
        assert_below(a->max_angular_momentum_residual, a->angular_momentum_tolerance * a->angular_momentum_scale);
        assert_true(k < SMOOTH || a->events > 0 || a->impacts > 0);
        close_sim(sim, m);
    }
}

/* A velocity scaled by 1 + 1e-9 behind the simulation's back. With jn_sim_restart it is no secret. */
static void a_velocity_scaled_is_seen(void **state) {
    (void)state;
    for (int k = 0; k < WAYS; k++)
        for (int told = 0; told < 2; told++) {
            jn_model *m;
            const char *name;
            jn_sim *sim = open_isolated(k, &m, &name);
            assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
            for (int i = 0; i < 3; i++) jn_sim_state(sim)->u[i] *= 1 + 1e-9;
            if (told) jn_sim_restart(sim);
            assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
            const jn_audit *a = jn_sim_audit(sim);
            if (a->ok != told) print_error("%s: %s\n", name, a->verdict);
            assert_true(a->ok == told);
            assert_true(told || strstr(a->verdict, "momentum is not balanced"));
            assert_true(told || strstr(a->verdict, "changed without jn_sim_restart"));
            assert_null(strstr(a->verdict, "energy is not balanced"));
            close_sim(sim, m);
        }
}

/* An impulse on one body that the other does not feel, across its velocity, so that its speed stays: the energy knows nothing of it. */
static void an_impulse_not_given_back_is_seen(void **state) {
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        jn_model *m;
        const char *name;
        jn_sim *sim = open_isolated(k, &m, &name);
        assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
        double *u = jn_sim_state(sim)->u, x = u[0], y = u[1], turn = 1e-8;
        u[0] = x * cos(turn) - y * sin(turn), u[1] = x * sin(turn) + y * cos(turn);
        assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        assert_false(a->ok);
        assert_near(a->max_momentum_residual, 2 * hypot(x, y) * turn, 1e-3 * turn);
        assert_non_null(strstr(a->verdict, "momentum is not balanced"));
        assert_null(strstr(a->verdict, "energy"));
        close_sim(sim, m);
    }
}

/* ------------------------------------------------------------------------------------- a force without its reaction */

/* Takes the reaction of a user's force away, which is all that acts on the ground here; what it adds to tau is nothing. */
static void without_reaction(void *context, const jn_model *m, const jn_state *s, double *tau) {
    jn_work *w = context;
    (void)m, (void)s, (void)tau;
    assert_near(w->load[0].f.y, -1e-6, 1e-18);
    w->load[0] = wr_zero();
}

static void a_force_without_reaction_is_seen(void **state) {
    (void)state;
    for (int k = 0; k < SMOOTH; k++) {
        jn_model *m;
        const char *name;
        jn_sim *sim = open_isolated(k, &m, &name);
        int body = 0;
        while (m->bodies[body].link != 1) body++;
        assert_int_equal(jn_sim_push(sim, body, v3(0, 0, 0), v3(0, 1e-6, 0), v3(0, 0, 0)), JN_OK);
        jn_sim_on_control(sim, without_reaction, jn_sim_work(sim));
        assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%-35s %s\n", name, a->verdict);
        assert_false(a->ok);
        assert_near(a->momentum_residual, 0.3e-6, 1e-12);
        assert_non_null(strstr(a->verdict, "a force lacks its reaction"));
        assert_null(strstr(a->verdict, "energy is not balanced"));
        close_sim(sim, m);
    }
}

/* --------------------------------------------------------------------------------------- everything that acts from outside */

/* Trees on the ground and trees that float, springs and bushings to the ground, joints with springs, dampers, motors and rotors, loops,
 * drivers, a gear, applied forces: what they give explains the momentum. */
static const char everything[] =
    "coordinates: %s\n"
    "bodies:\n%s"
    "  arm: {mass: 1, inertia: [0.02, 0.1, 0.1], com: [0.5, 0, 0.2]}\n"
    "  hand: {mass: 0.5, inertia: [0.01, 0.05, 0.05], com: [1.4, 0.1, 0]}\n"
    "  drum: {mass: 2, inertia: [0.1, 0.1, 0.2], com: [0, 2, 0]}\n"
    "  flyer: {mass: 3, inertia: [0.1, 0.2, 0.3], com: [0, 0, 2], velocity: [0.3, 0.2, 1], angular_velocity: [1, 2, "
    "0.5]%s}\n"
    "  tail: {mass: 0.7, inertia: [0.01, 0.02, 0.03], com: [0.3, 0.4, 2.2]}\n"
    "  link: {mass: 0.4, inertia: [0.01, 0.02, 0.03], com: [2, 0.5, 0]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y, stiffness: 3, damping: 0.1%s}\n"
    "  elbow: {type: universal, between: [arm, hand], at: [1, 0, 0], axes: [y, z]}\n"
    "  spin: {type: revolute, between: [ground, drum], at: [0, 2, 0], axis: z, motion: sin(2*t)}\n"
    "  hip: {type: revolute, between: [flyer, tail], at: [0.2, 0.3, 2], axis: x, stiffness: 5, damping: 0.2,\n"
    "        motor: {speed: 1, kd: 0.3}%s}\n"
    "  rod: {type: distance, between: [hand, link], ends: [[1.8, 0.1, 0], [2, 0.5, 0.1]]}\n"
    "forces:\n"
    "  up: {type: spring, between: [ground, flyer], ends: [[0, 0, 3], [0.1, 0, 2.1]], stiffness: 30, damping: 0.2}\n"
    "  hold: {type: spring, between: [drum, link], ends: [[0.1, 2, 0], [2, 0.5, 0]], stiffness: 10}\n"
    "  push: {type: force, on: tail, at: [0.4, 0.4, 2.2], force: [\"sin(3*t)\", 0.2, 0]}\n"
    "  twist: {type: torque, on: hand, torque: [0, 0.1, \"cos(t)\"]}\n"
    "%s"
    "run: {%s, until: 1}\n";

/* Rotors need coordinates of their own. */
static void write_everything(char *text, size_t size, bool absolute, const char *run) {
    bool floor = strstr(run, "nonsmooth");
    snprintf(text, size, everything, absolute ? "absolute" : "relative",
             floor ? "  ground: {shape: {type: plane, at: [0, 0, 1.65]}}\n" : "",
             floor ? ", shape: {type: sphere, radius: 0.3, at: [0, 0, 2]}" : "", absolute ? "" : ", armature: 0.05",
             absolute ? "" : ", armature: 0.03",
             floor ? "contacts: {floor: {between: [ground, flyer], friction: 0.3, restitution: 0.5}}\n" : "", run);
}

static void everything_from_outside_is_counted(void **state) {
    (void)state;
    static const char *const run[] = {"integrator: dopri45, tolerance: 1e-11",
                                      "integrator: rk4, step: 5e-4",
                                      "integrator: verlet, step: 5e-4",
                                      "integrator: adams, tolerance: 1e-11",
                                      "integrator: bdf, tolerance: 1e-10",
                                      "method: nonsmooth, scheme: momentum_leapfrog, step: 5e-4",
                                      "method: nonsmooth, scheme: moreau_jean, step: 5e-4",
                                      "method: nonsmooth, scheme: moreau_midpoint, step: 5e-4",
                                      "method: nonsmooth, scheme: least_constraint, step: 5e-4"};
    static const double linear[] = {1e-11, 1e-10, 1e-6, 1e-9, 1e-8, 1e-6, 1e-3, 1e-3, 1e-3};
    for (int k = 0; k < 18; k++) {
        char text[4096];
        jn_model *m;
        write_everything(text, sizeof text, k % 2, run[k / 2]);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%s %-40s linear %.1e of %.2g, angular %.1e of %.2g: %s\n", k % 2 ? "absolute" : "relative",
                      run[k / 2], a->max_momentum_residual, a->momentum_scale, a->max_angular_momentum_residual,
                      a->angular_momentum_scale, a->verdict);
        assert_below(a->max_momentum_residual, linear[k / 2] * a->momentum_scale);
        assert_below(a->max_angular_momentum_residual, linear[k / 2] * a->angular_momentum_scale);
        assert_true(a->ok);
        close_sim(sim, m);
    }
}

/* The sums are those of jn_momentum_get, which reckons about the centre of mass. */
static void momentum_is_the_centroidal_one(void **state) {
    (void)state;
    char text[4096];
    jn_model *m;
    write_everything(text, sizeof text, false, "integrator: dopri45");
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
    jn_momentum about = jn_momentum_get(m, jn_sim_work(sim), jn_sim_state(sim), NULL);
    double size[2];
    jn_wrench sum = jn_momentum_sum(m, jn_sim_work(sim), size);
    jn_vec3 n = v3_add(about.angular, v3_cross(about.com, about.linear));
    assert_below(v3_norm(v3_sub(sum.f, about.linear)), 1e-13);
    assert_below(v3_norm(v3_sub(sum.n, n)), 1e-13);
    assert_true(size[0] >= v3_norm(sum.f) && size[1] >= v3_norm(sum.n));
    close_sim(sim, m);
}

/* ------------------------------------------------------------------------------------------------------ numerical */

static const char four_bar[] =
    "plane: xy\ncoordinates: absolute\nbodies:\n"
    "  crank: {mass: 1, inertia: 0.1, com: [0, 0.5]}\n  bar: {mass: 2, inertia: 0.3, com: [1, 1]}\n"
    "  rocker: {mass: 1, inertia: 0.1, com: [2, 0.5]}\n"
    "joints:\n  a: {type: revolute, between: [ground, crank], at: [0, 0], speed: 3}\n"
    "  b: {type: revolute, between: [crank, bar], at: [0, 1]}\n  c: {type: revolute, between: [bar, rocker], at: [2, "
    "1]}\n"
    "  d: {type: revolute, between: [ground, rocker], at: [2, 0]}\n"
    "run: {integrator: %s, until: 1}\n";

/* What the projection adds stands on its own line: the residual of the energy is the integrator's. Large steps are called so. */
static void projections_are_booked(void **state) {
    (void)state;
    static const char *const run[] = {"dopri45", "rk4, step: 1e-3", "euler, step: 1e-3", "euler, step: 2e-2"};
    double numerical[4], residual[4];
    for (int k = 0; k < 4; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text, four_bar, run[k]);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        const jn_ledger *l = &jn_sim_state(sim)->ledger;
        jn_energy e = jn_energy_get(m, jn_sim_work(sim));
        numerical[k] = l->numerical, residual[k] = a->energy_residual;
        print_message("%-20s numerical %.3e (%.3e), residual %.3e, momentum %.1e: %s\n", run[k], l->numerical,
                      l->numerical_size, a->energy_residual, a->max_momentum_residual, a->verdict);
        assert_near(e.kinetic + e.potential - a->energy_start, numerical[k] + residual[k], 1e-12 * a->energy_scale);
        assert_true(l->numerical_size >= fabs(l->numerical) && a->max_numerical >= fabs(l->numerical));
        assert_true(l->numerical_size > 0);
        bool words = strstr(a->verdict, "beside its equations");
        assert_true(words == (a->max_numerical > a->energy_tolerance * a->energy_scale));
        assert_true(a->ok == (k < 2) || k == 2);
        close_sim(sim, m);
    }
    assert_true(fabs(numerical[3]) > fabs(numerical[2]) && fabs(numerical[2]) > fabs(numerical[0]));
}

/* ------------------------------------------------------------------------------------------------------- third law */

/* Friction of a compliant contact is no couple: two discs that spin and rub, a millimetre deep, keep their angular momentum. */
static void compliant_friction_is_no_couple(void **state) {
    (void)state;
    static const char text[] =
        "plane: xy\ngravity: none\nbodies:\n"
        "  a: {mass: 1, inertia: 0.005, com: [0, 0], velocity: [0.5, 0], angular_velocity: 20,\n"
        "      shape: {type: circle, radius: 0.1}}\n"
        "  b: {mass: 2, inertia: 0.01, com: [0.21, 0.02], angular_velocity: 5,\n"
        "      shape: {type: circle, radius: 0.1, at: [0.21, 0.02]}}\n"
        "contacts: {c: {between: [a, b], law: hunt_crossley, stiffness: 1e4, restitution: 0.5, friction: 0.3}}\n"
        "run: {method: compliant, until: 0.3, tolerance: 1e-10}\n";
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    print_message("%.1e m deep, angular %.1e of %.2g: %s\n", a->max_penetration, a->max_angular_momentum_residual,
                  a->angular_momentum_scale, a->verdict);
    assert_true(a->ok && a->max_penetration > 1e-3);
    assert_true(jn_sim_state(sim)->ledger.friction > 1e-3);
    assert_below(a->max_angular_momentum_residual, 1e-12 * a->angular_momentum_scale);
    close_sim(sim, m);
}

/* ----------------------------------------------------------------------------------------------------------- steps */

/* Fixed steps end at multiples of their length; whoever asks for other times gets them, and the steps lead back. */
static void fixed_steps_keep_their_grid(void **state) {
    (void)state;
    static const char text[] = "bodies: {a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0]}}\n"
                               "run: {integrator: rk4, step: 0.1, until: 1}\n";
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 0.25), JN_OK);
    assert_true(jn_sim_state(sim)->t == 0.25);
    static const double ends[] = {3 * 0.1, 4 * 0.1, 0.42};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(jn_sim_step(sim, 0.42), JN_OK);
        assert_true(jn_sim_state(sim)->t == ends[k]);
    }
    assert_int_equal(jn_sim_audit(sim)->steps, 6);
    close_sim(sim, m);
}

/* Bodies that loads alone hold, without gravity and energy: what is unexplained is round-off, and good. */
static void what_loads_hold_is_good(void **state) {
    (void)state;
    static const char *const methods[] = {"impact", "nonsmooth"};
    static const char pressed[] = "plane: xy\ngravity: none\nbodies:\n  ground: {shape: {type: half_plane, normal: [-1, 0]}}\n"
                                  "  block: {mass: 1, inertia: 0.05, com: [-0.1, 0], shape: {type: rectangle, size: [0.2, 0.3], at: [-0.1, 0]}}\n"
                                  "forces: {f: {type: force, body: block, at: [-0.2, 0.03], force: [50, 7]}}\n"
                                  "contacts: {c: {friction: 0.6}}\nrun: {method: %s, until: 1, step: 0.5 ms}\n";
    static const char clamped[] = "plane: xy\ngravity: none\nbodies:\n"
                                  "  a: {mass: 1, inertia: 0.01, com: [-0.2, 0], shape: {type: rectangle, size: [0.2, 0.2], at: [-0.2, 0]}}\n"
                                  "  b: {mass: 1, inertia: 0.01, com: [0.2, 0], shape: {type: rectangle, size: [0.2, 0.2], at: [0.2, 0]}}\n"
                                  "  c: {mass: 1, inertia: 0.01, com: [0, 0], shape: {type: rectangle, size: [0.2, 0.2], at: [0, 0]}}\n"
                                  "forces: {f: {type: force, body: a, from: b, at: [-.2, 0.013], force: [40, 0]}}\n"
                                  "contacts: {c: {friction: 0.6}}\nrun: {method: %s, until: 1, step: 1 ms}\n";
    for (int k = 0; k < 4; k++) {
        char text[1000];
        jn_report report = {0};
        snprintf(text, sizeof text, k / 2 ? clamped : pressed, methods[k % 2]);
        jn_model *m = text_model(text, &report);
        jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
        check_report(&report);
        assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        if (!a->ok) print_message("%s\n", a->verdict);
        assert_true(a->ok);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* Boxes at rest on each other, drawn into each other by what fewer digits make: pushing them apart lifts them, which is all that happens, and good. What
 * the lift takes is the weight of each box times the overlaps below it. */
static void drawn_overlaps_are_no_fault(void **state) {
    (void)state;
    static const char *const methods[] = {"impact", "nonsmooth"};
    static const double overlap[][3] = {{3e-7, 5e-7, 2e-7}, {9e-7, 9e-7, 9e-7}, {2e-8, 0, 6e-7}};
    for (int k = 0; k < 6; k++) {
        const double *d = overlap[k / 2];
        char text[1000];
        double low[3] = {d[0], d[0] + d[1], d[0] + d[1] + d[2]}, lift = 0;
        size_t n = (size_t)sprintf(text, "gravity: [0, 0, -10]\nbodies:\n  ground: {shape: {type: plane}}\n");
        for (int i = 0; i < 3; i++) {
            lift += 10 * (i + 1) * low[i];
            n += (size_t)sprintf(text + n, "  b%d: {mass: %d, at: [0, 0, %.10f], shape: {type: box, size: [0.2, 0.2, 0.2]}}\n", i, i + 1, 0.1 + 0.2 * i - low[i]);
        }
        sprintf(text + n, "contacts: {c: {friction: 0.6}}\nrun: {method: %s, until: 0.05, step: 1 ms}\n", methods[k % 2]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.05), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        const jn_ledger *l = &jn_sim_state(sim)->ledger;
        print_message("%s, %.1e m: booked %.4e J, lifted by %.4e J: %s\n", methods[k % 2], a->drawn_overlap, l->numerical - l->dissipated, lift, a->verdict);
        assert_true(a->ok);
        assert_near(a->drawn_overlap, low[2], 1e-12);
        assert_near(l->numerical - l->dissipated, lift, 1e-3 * lift);
        close_sim(sim, m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_bodies_keep_momentum),      cmocka_unit_test(a_velocity_scaled_is_seen),
        cmocka_unit_test(an_impulse_not_given_back_is_seen),  cmocka_unit_test(a_force_without_reaction_is_seen),
        cmocka_unit_test(everything_from_outside_is_counted), cmocka_unit_test(momentum_is_the_centroidal_one),
        cmocka_unit_test(compliant_friction_is_no_couple),    cmocka_unit_test(projections_are_booked),
        cmocka_unit_test(fixed_steps_keep_their_grid),        cmocka_unit_test(what_loads_hold_is_good),
        cmocka_unit_test(drawn_overlaps_are_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
