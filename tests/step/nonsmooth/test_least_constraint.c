/* The scheme of least constraint: its equations step by step, its orders, impacts at their instants, and rest. */
#include "check.h"
#include "step/nonsmooth/nonsmooth.h"
#include <jounce/jounce.h>
#include <string.h>

typedef struct scene {
    jn_model *m;
    jn_sim *sim;
    int events;
    jn_event event[64];
} scene;

static void keep(void *context, const jn_event *e) {
    scene *s = context;
    if (s->events < 64 && !strcmp(e->kind, "impact")) s->event[s->events++] = *e;
}

static void start(scene *s, jn_description *d, jn_report *report) {
    check_report(report);
    s->events = 0;
    s->m = jn_model_compile(d, report);
    check_report(report);
    jn_description_free(d);
    s->sim = jn_sim_create(s->m, report);
    check_report(report);
    jn_sim_on_event(s->sim, keep, s);
}

static void load(scene *s, const char *file, const jn_setting *settings, int count) {
    char path[512];
    jn_report report;
    jn_report_clear(&report);
    snprintf(path, sizeof path, "%s/models/%s", JN_SOURCE_DIR, file);
    start(s, jn_description_read(path, settings, count, &report), &report);
}

static void parse(scene *s, const char *text, const jn_setting *settings, int count) {
    jn_report report;
    jn_report_clear(&report);
    start(s, jn_description_parse(text, strlen(text), "scene.yaml", settings, count, &report), &report);
}

static void stop(scene *s) { jn_sim_free(s->sim), jn_model_free(s->m); }

static void advance(scene *s, double t) {
    int status = jn_sim_advance(s->sim, t);
    if (status < 0) print_error("%s\n", jn_sim_error(s->sim)->text);
    assert_true(status >= 0);
}

/* ------------------------------------------------------------------------------------------ the paper's conditions */

/* Every step of the slider on its rod: lengths within their bounds, equations of motion to 1e-12, gaps to 1e-8, and no load
 * where there is a gap. [Chaturvedi2024, eq. 14 and section 4] */
static void check_steps(const char *number, const char *theta, const char *shortest) {
    scene s;
    jn_setting settings[] = {{"case", number}, {"run.theta", theta}, {"min_step", shortest}};
    load(&s, "chaturvedi/slider_rod.yaml", settings, 3);
    const jn_contact_set *x = &s.sim->nonsmooth->set;
    const double *q = s.sim->s->q, *u = s.sim->s->u;
    double w = s.m->run.theta, least = s.m->run.min_step;
    double m = 5, J = 8e-4, c = 1e-5, a = 0.01, f = 50, g = number[0] == '3' ? 0 : 9.81;
    double arm = number[0] == '1' ? 0 : number[0] == '2' ? 0.5e-3 : 0.01;
    while (s.sim->s->t < 0.05) {
        double t = s.sim->s->t, angle = q[2], v[3] = {u[0], u[1], u[2]}, P = 0, L = 0;
        assert_true(jn_sim_step(s.sim, 0.05) >= 0);
        double h = s.sim->s->t - t;
        assert_true(h <= 1e-3 * (1 + 1e-12) && (h >= least * (1 - 1e-9) || s.sim->s->t == 0.05));
        for (int i = 0; i < x->count; i++) {
            const jn_contact_geometry *contact = &x->point[i].geometry;
            jn_vec3 on_B = v3_scale(x->p[i * x->dimension], contact->n);
            assert_true(x->p[i * x->dimension] >= 0);
            assert_below(x->p[i * x->dimension] * fabs(contact->gap), 1e-14);
            if (s.m->solids[x->point[i].b].link == 0) on_B = v3_neg(on_B); /* the slider is A */
            P += on_B.y, L += (contact->pA.x - q[0]) * on_B.y;
        }
        double torque = h * f * arm * ((1 - w) * cos(angle) + w * cos(q[2]));
        assert_near(m * (u[0] - v[0]), h * f, 1e-12);
        assert_near(m * (u[1] - v[1]), P - h * m * g, 1e-12);
        assert_near(J * (u[2] - v[2]), torque + L, 1e-12);
        for (int e = -1; e <= 1; e += 2) assert_below(fabs(q[1] + e * a * sin(q[2])), c + 1e-8);
    }
    stop(&s);
}

static void every_step_meets_equations_and_gaps(void **state) {
    (void)state;
    const char *cases[] = {"1", "2", "3"};
    for (int k = 0; k < 3; k++) {
        check_steps(cases[k], "0.5", "1e-6");
        check_steps(cases[k], "1", "1e-4"); /* the bounds of the paper */
    }
}

/* A mass that falls on the floor, theta = 1: below the gap's root no contact and Z = 0; a step of h from the floor that has
 * Z = (m v/h + m g)^2 / m is longest. So: two steps to the floor, then the longest. */
static void the_length_is_the_one_of_least_constraint(void **state) {
    (void)state;
    scene s;
    parse(&s,
          "plane: xy\n"
          "bodies: {ground: {shape: {type: half_plane}}, mass: {mass: 2, inertia: 1, at: [0, 0.11], velocity: [0, -1], "
          "shape: {type: circle, radius: 0.1}}}\n"
          "contacts: {floor: {restitution: 0}}\n"
          "run: {method: nonsmooth, scheme: least_constraint, theta: 1, step: 8 ms, min_step: 0.1 ms}\n",
          NULL, 0);
    double g = 9.81, v = 1 + g * 8e-3, gap = 0.01 - 8e-3 * v, h = (sqrt(v * v + 4 * g * gap) - v) / (2 * g);
    const double expected[] = {8e-3, h, 8e-3, 8e-3};
    const double load[] = {0, 0, 2 * ((v + g * h) / 8e-3 + g), 2 * g};
    for (int k = 0; k < 4; k++) {
        double t = s.sim->s->t;
        assert_true(jn_sim_step(s.sim, 1) >= 0);
        assert_near(s.sim->s->t - t, expected[k], 1e-12);
        assert_near(s.sim->contacts->sum[0].fn, load[k], 1e-9);
    }
    assert_near(s.sim->s->u[1], 0, 1e-14);
    stop(&s);
}

/* ------------------------------------------------------------------------------------------------- orders */

/* Case 1 with friction has a closed form: fall, an impact whose friction takes mu g t1, slide. */
static double slide_error(const char *scheme, const char *theta, const char *step) {
    scene s;
    jn_setting settings[] = {{"contacts.left.friction", "0.3"},
                             {"contacts.right.friction", "0.3"},
                             {"run.scheme", scheme},
                             {"run.theta", theta},
                             {"step", step},
                             {"run.adapt", "false"}};
    load(&s, "chaturvedi/slider_rod.yaml", settings, 6);
    advance(&s, 0.02);
    double g = 9.81, mu = 0.3, t1 = sqrt(2e-5 / g), d = 0.02 - t1;
    double x = 5 * t1 * t1 + (10 - mu * g) * t1 * d + 0.5 * (10 - mu * g) * d * d;
    double error = fabs(s.sim->s->q[0] - x);
    stop(&s);
    return error;
}

static void agrees_with_moreau_in_the_limit(void **state) {
    (void)state;
    const char *scheme[] = {"least_constraint", "moreau_jean", "moreau_jean"}, *theta[] = {"1", "1", "0.5"};
    for (int k = 0; k < 3; k++) {
        double coarse = slide_error(scheme[k], theta[k], "1 ms"), fine = slide_error(scheme[k], theta[k], "10 us");
        double order = 0.5 * log10(coarse / fine);
        print_message("%s, theta %s: %.3g, %.3g, order %.2f\n", scheme[k], theta[k], coarse, fine, order);
        assert_below(coarse, 1e-4);
        assert_true(order > 0.95);
    }
    assert_below(slide_error("least_constraint", "0.5", "1 ms"),
                 1e-12); /* exact: constant forces, impact at its instant */
    assert_below(slide_error("least_constraint", "0.5", "0.1 ms"), 1e-12);
}

/* First impact of the slider-crank: changing inertia, in both kinds of coordinates. */
static double first_impact(const char *step, const char *coordinates) {
    scene s;
    jn_setting settings[] = {{"run.method", "nonsmooth"},
                             {"run.scheme", "least_constraint"},
                             {"run.step", step},
                             {"coordinates", coordinates}};
    load(&s, "flores2010/slider_crank.yaml", settings, 4);
    while (s.events == 0 && s.sim->s->t < 4e-3) assert_true(jn_sim_step(s.sim, 4e-3) >= 0);
    assert_true(s.events > 0);
    for (int i = 0; i < s.events; i++) assert_near(s.event[i].speed_after, -0.4 * s.event[i].speed_before, 1e-9);
    double t = s.event[0].time;
    stop(&s);
    return t;
}

static void impacts_are_found_with_second_order(void **state) {
    (void)state;
    const char *coordinates[] = {"relative", "absolute"};
    for (int k = 0; k < 2; k++) {
        double t[] = {first_impact("0.2 ms", coordinates[k]), first_impact("0.1 ms", coordinates[k]),
                      first_impact("50 us", coordinates[k])};
        double order = log2((t[0] - t[1]) / (t[1] - t[2]));
        print_message("%s: %.9f ms, order %.2f\n", coordinates[k], 1e3 * t[2], order);
        assert_near(order, 2, 0.2);
        assert_near((4 * t[2] - t[1]) / 3, 2.6925028e-3, 5e-9); /* event-driven solution, extrapolated */
    }
}

/* ------------------------------------------------------------------------------------------- impact, rest, friction */

static const char ball[] =
    "bodies:\n"
    "  ground: {shape: {type: plane}}\n"
    "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, 1.1], shape: {type: sphere, radius: 0.1}}\n"
    "contacts: {floor: {restitution: 0.5}}\n"
    "run: {method: nonsmooth, scheme: least_constraint, residual: 1e-12 m/s, step: 10 ms, until: 3}\n";

/* Impacts of the bouncing ball at their instants, at a step of 10 ms, until the flight is shorter than h-; then rest. */
static void check_ball(const char *scheme, double gain) {
    scene s;
    jn_setting settings[] = {{"run.scheme", scheme}, {"run.adapt", "true"}};
    parse(&s, ball, settings, 2);
    double energy = INFINITY;
    while (s.sim->s->t < 3) {
        assert_true(jn_sim_step(s.sim, 3) >= 0);
        double now = 0.5 * s.sim->s->u[2] * s.sim->s->u[2] + 9.81 * s.sim->s->q[2];
        assert_below(now - energy, gain);
        energy = now;
    }
    double g = 9.81, t = sqrt(2 / g), v = g * t;
    assert_true(s.events >= 10);
    for (int k = 0; k < 10; k++) {
        assert_near(s.event[k].time, t, 1e-9);
        assert_near(s.event[k].speed_before, -v, 1e-9);
        v *= 0.5, t += 2 * v / g;
    }
    assert_near(s.sim->s->q[2], 0.1, scheme[0] == 'l' ? 1e-9 : 1e-6); /* moreau_jean leaves what it has sunk */
    assert_near(s.sim->s->u[2], 0, 1e-14);
    assert_true(jn_sim_audit(s.sim)->ok);
    stop(&s);
}

static void a_ball_bounces_at_the_right_times(void **state) {
    (void)state;
    check_ball("least_constraint", 1e-13);
    check_ball("moreau_jean",
               5e-9); /* the last flight, shorter than h-, is stopped on its way up within the tolerance of gaps */
}

static const char block[] =
    "parameters: {vx: 2, vy: 1}\n"
    "bodies:\n"
    "  ground: {shape: {type: plane}}\n"
    "  box: {mass: 10, inertia: [0.2, 0.2, 0.3], at: [0, 0, 0.1], velocity: [vx, vy, 0], "
    "shape: {type: box, size: [0.4, 0.4, 0.2]}}\n"
    "contacts: {floor: {restitution: 0, friction: 0.3}}\n"
    "run: {method: nonsmooth, scheme: least_constraint, residual: 1e-12 m/s, step: 1 ms, until: 2}\n";

/* v^2 / (2 mu g), along the speed; then rest without creep. */
static void a_block_slides_to_rest(void **state) {
    (void)state;
    scene s;
    parse(&s, block, NULL, 0);
    advance(&s, 1);
    double way = 5 / (2 * 0.3 * 9.81), q[7];
    memcpy(q, s.sim->s->q, sizeof q);
    assert_near(hypot(q[0], q[1]), way, 1e-6);
    assert_near(q[1] / q[0], 0.5, 1e-9);
    advance(&s, 2);
    for (int k = 0; k < 3; k++) assert_near(s.sim->s->q[k], q[k], 1e-12);
    for (int k = 0; k < 6; k++) assert_near(s.sim->s->u[k], 0, 1e-12);
    assert_below(jn_sim_audit(s.sim)->max_penetration, 1e-12);
    stop(&s);
}

/* A tilted box tumbles onto the floor: corners strike one after the other, and the place where it stops converges. */
static double tumble(const char *scheme, const char *step, double q[7]) {
    scene s;
    jn_setting settings[] = {{"bodies.box.at[2]", "0.4"},
                             {"bodies.box.orientation", "{rpy: [0.3, 0.2, 0]}"},
                             {"vx", "1"},
                             {"vy", "0.5"},
                             {"run.step", step},
                             {"run.scheme", scheme},
                             {"run.adapt", "true"}};
    parse(&s, block, settings, 7);
    advance(&s, 2);
    memcpy(q, s.sim->s->q, 7 * sizeof *q);
    const jn_audit *audit = jn_sim_audit(s.sim);
    assert_true(audit->ok && audit->unsolved == 0);
    assert_below(audit->max_penetration, scheme[0] == 'l' ? 1e-10 : 1e-5); /* moreau_jean leaves positions alone */
    double speed = 0;
    for (int k = 0; k < 6; k++) speed = fmax(speed, fabs(s.sim->s->u[k]));
    stop(&s);
    return speed;
}

static void a_tumbling_box_comes_to_rest_where_it_should(void **state) {
    (void)state;
    double a[7], b[7], c[7];
    assert_below(tumble("least_constraint", "4 ms", a), 1e-12);
    assert_below(tumble("least_constraint", "0.5 ms", b), 1e-12);
    assert_below(tumble("moreau_jean", "0.5 ms", c), 1e-6);
    assert_near(b[2], 0.1, 1e-10);
    for (int k = 0; k < 7; k++) assert_near(a[k], b[k], 1e-3), assert_near(c[k], b[k], 1e-3);
}

/* Four journals with clearance in a driven mechanism: what the driver does in impacts is accounted for. */
static void a_driven_mechanism_keeps_its_account(void **state) {
    (void)state;
    scene s;
    jn_setting settings[] = {{"run.method", "nonsmooth"}, {"run.scheme", "least_constraint"}, {"run.step", "0.1 ms"}};
    load(&s, "flores_ambrosio/quick_return.yaml", settings, 3);
    advance(&s, 0.2);
    const jn_audit *audit = jn_sim_audit(s.sim);
    assert_true(audit->ok && audit->unsolved == 0 && s.events > 3);
    assert_below(audit->max_energy_residual / audit->energy_scale, 1e-4);
    assert_below(audit->max_penetration, 1e-10);
    assert_below(audit->max_position_violation, 1e-10);
    stop(&s);
}

/* Where nothing moves, round-off of places is all that Newton's method sees. */
static void what_is_fixed_stays(void **state) {
    (void)state;
    scene s;
    parse(&s,
          "plane: xy\ncoordinates: absolute\nbodies:\n  ground: {shape: {type: half_plane}}\n"
          "  b: {density: 34, at: [0, 0.38], orientation: -2.062, shape: {type: rectangle, size: [0.3957, 0.2691]}}\n"
          "joints: {j: {type: fixed, between: [ground, b], at: [0, 0.38]}}\ncontacts: {all: {friction: 0.2}}\n"
          "run: {method: nonsmooth, scheme: least_constraint, step: 0.4 ms, until: 0.3 s}\n",
          NULL, 0);
    advance(&s, 0.3);
    for (int i = 0; i < jn_model_nv(s.m); i++) assert_below(fabs(jn_sim_state(s.sim)->u[i]), 1e-9);
    assert_true(jn_sim_audit(s.sim)->ok);
    stop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_step_meets_equations_and_gaps),
                                       cmocka_unit_test(the_length_is_the_one_of_least_constraint),
                                       cmocka_unit_test(agrees_with_moreau_in_the_limit),
                                       cmocka_unit_test(impacts_are_found_with_second_order),
                                       cmocka_unit_test(a_ball_bounces_at_the_right_times),
                                       cmocka_unit_test(a_block_slides_to_rest),
                                       cmocka_unit_test(a_driven_mechanism_keeps_its_account),
                                       cmocka_unit_test(what_is_fixed_stays),
                                       cmocka_unit_test(a_tumbling_box_comes_to_rest_where_it_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
