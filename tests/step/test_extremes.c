/* Values from 1e-300 to 1e300 of place, mass, speed, spin and size by all methods: a run that ends well or is judged bad, or an error that
 * names the file, the line and what to do; no NaN in a run that is called good; steps are counted, not timed. */
#include "text_model.h"
#include <stdlib.h>

enum { MOST_STEPS = 20000 };

static const char *const methods[] = {"nonsmooth", "impact", "compliant"};
static const char *const kinds[] = {"place", "mass", "speed", "spin", "size"};
enum { PLACE, MASS, SPEED, SPIN, SIZE, KINDS };

static void write_model(char *text, size_t size, int method, int kind, double x, bool box) {
    double v[KINDS] = {0.16, 1, 0.5, 2, 0.1};
    v[kind] = x;
    if (kind == SIZE) v[PLACE] = 2 * x;
    /* steps that adapt resolve the turns of a body: as many as a run may have would be too many here */
    double until = kind == SPIN && x > 1e4 && x < 1e9 ? 1e3 / x : 0.1;
    char shape[128];
    snprintf(shape, sizeof shape, box ? "type: rectangle, size: [%g, %g]" : "type: circle, radius: %g",
             box ? 2 * v[SIZE] : v[SIZE], 1.5 * v[SIZE]);
    snprintf(text, size,
             "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
             "  body: {mass: %g, inertia: %g, com: [0, %g], velocity: [%g, 0], angular_velocity: %g,\n"
             "         shape: {%s, at: [0, %g]}}\n"
             "contacts: {floor: {between: [ground, body], restitution: 0.5, friction: 0.3%s}}\n"
             "run: {method: %s, until: %g s, step: %g s}\n",
             v[MASS], 0.005 * v[MASS], v[PLACE], v[SPEED], v[SPIN], shape, v[PLACE],
             method == 2 ? ", law: lankarani_nikravesh, stiffness: 1e6, exact: true" : "", methods[method], until,
             fmin(1e-3, until / 10));
}

/* What is wrong is said with its place and a hint. */
static void error_is_clear(const jn_report *report, const char *what) {
    for (int i = 0; i < report->count; i++) {
        const jn_error *e = &report->item[i];
        if (e->severity != JN_SEVERITY_ERROR) continue;
        if (strcmp(e->file, "model.yaml") || e->line < 1 || !e->hint[0])
            fail_msg("%s: an error without place or hint: %s", what, e->text);
        return;
    }
    fail_msg("%s: refused without an error", what);
}

/* Finite, or ended by an error with a text; the number of steps is bounded. Whether it came to its end. */
static bool run_ends(const jn_model *model, const char *what) {
    jn_report report = {0};
    jn_sim *sim = jn_sim_create(model, &report);
    if (!sim) {
        error_is_clear(&report, what);
        return false;
    }
    const jn_state *s = jn_sim_state(sim);
    int status = JN_OK, steps = 0;
    double until = jn_model_run(model)->until;
    for (; status >= 0 && status != JN_STOPPED && s->t < until; steps++) {
        if (steps == MOST_STEPS) fail_msg("%s: %d steps lead only to t = %g s", what, steps, s->t);
        status = jn_sim_step(sim, until);
        for (int i = 0; i < jn_model_nv(model) && status >= 0; i++)
            if (!isfinite(s->u[i])) fail_msg("%s: a velocity is %g at t = %g s", what, s->u[i], s->t);
    }
    if (status < 0 && (!jn_sim_error(sim)->text[0])) fail_msg("%s: broke off without a reason", what);
    const jn_audit *audit = jn_sim_audit(sim);
    if (audit->ok && !(isfinite(audit->energy_residual) && isfinite(audit->energy_scale)))
        fail_msg("%s: called good with an energy that is not finite", what);
    jn_sim_free(sim);
    return status >= 0;
}

static void test_extremes(void **state) {
    (void)state;
    int ended = 0, count = 0;
    for (int method = 0; method < 3; method++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int power = -300; power <= 300; power += power < -20 || power >= 20 ? 20 : 2)
                for (int box = 0; box < 2; box++, count++) {
                    char text[1024], what[128];
                    jn_report report = {0};
                    double x = pow(10, power);
                    snprintf(what, sizeof what, "%s, %s %g, %s", methods[method], kinds[kind], x, box ? "box" : "ball");
                    write_model(text, sizeof text, method, kind, x, box);
                    jn_model *model = text_model(text, &report);
                    if (!model)
                        error_is_clear(&report, what);
                    else
                        ended += run_ends(model, what);
                    jn_model_free(model);
                }
    print_message("%d of %d ran to their end\n", ended, count);
    assert_true(ended > count / 4);
}

/* The values that are refused are named, at their line. */
static void test_messages(void **state) {
    static const struct {
        int kind;
        double x;
        const char *says;
    } rows[] = {{PLACE, 1e18, "distance from the origin"},
                {PLACE, 1e300, "distance from the origin"},
                {MASS, 1e300, "mass"},
                {SPEED, 1e200, "speed"},
                {SPIN, 1e12, "angular velocity"}};
    (void)state;
    for (int method = 0; method < 3; method++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char text[1024];
            jn_report report = {0};
            write_model(text, sizeof text, method, rows[i].kind, rows[i].x, true);
            jn_model *model = text_model(text, &report);
            check_report(&report);
            assert_null(jn_sim_create(model, &report));
            assert_int_equal(report.errors, 1);
            const jn_error *e = &report.item[report.count - 1];
            if (!strstr(e->text, rows[i].says)) fail_msg("no '%s' in '%s'", rows[i].says, e->text);
            assert_int_equal(e->line, 4);
            assert_true(e->hint[0]);
            jn_model_free(model);
        }
}

/* Velocities that a program sets end in an error or in a finite state, by each method and for steps to any time. */
static void test_by_hand(void **state) {
    (void)state;
    const double values[] = {1e-300, 1, 1e9, 1e20, 1e60, 1e120, 1e300, INFINITY};
    for (int method = 0; method < 3; method++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            for (int i = 0; i < 3; i += 2) {
                char text[1024];
                jn_report report = {0};
                write_model(text, sizeof text, method, MASS, 1, true);
                jn_model *model = text_model(text, &report);
                jn_sim *sim = model ? jn_sim_create(model, &report) : NULL;
                assert_non_null(sim);
                jn_sim_state(sim)->u[i] = values[k];
                jn_sim_restart(sim);
                int status = JN_OK;
                for (int n = 0; n < 5 && status >= 0; n++)
                    status = jn_sim_step(sim, n == 4 ? INFINITY : 1e-3 * (n + 1));
                if (status < 0 && !jn_sim_error(sim)->text[0])
                    fail_msg("%s, u = %g: no reason", methods[method], values[k]);
                if (status >= 0 && !(fabs(jn_sim_state(sim)->u[i]) <= 1e100))
                    fail_msg("%s, u = %g", methods[method], values[k]);
                if (values[k] > 1e19 && status >= 0) fail_msg("%s, u = %g goes on", methods[method], values[k]);
                jn_sim_free(sim), jn_model_free(model);
            }
}

/* More fixed steps than a run can take are an error before the first one. */
static void test_step_counts(void **state) {
    (void)state;
    const char *const steps[] = {"1e-300", "1e-100", "1e-13"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        jn_report report = {0};
        snprintf(text, sizeof text,
                 "bodies: {ground: {shape: {type: plane}}, a: {mass: 1, com: [0, 0, 1], shape: {type: sphere, radius: "
                 "0.1, at: [0, 0, 1]}}}\n"
                 "contacts: {c: {friction: 0.3}}\nrun: {method: nonsmooth, until: 1 s, step: %s}\n",
                 steps[i]);
        jn_model *model = text_model(text, &report);
        assert_non_null(model);
        jn_sim *sim = jn_sim_create(model, &report);
        assert_null(sim);
        assert_non_null(strstr(report.item[report.count - 1].text, "steps, more than"));
        jn_model_free(model);
    }
}

/* Rates of the relative turns of a level chain that lets go [rad/s^2]: forces F between its links, of mass 1, length 0.1 and inertia 0.01, from
 *     (l^2/J - 1/m) F_i-1 + 2 (1/m + l^2/J) F_i + (l^2/J - 1/m) F_i+1 = 0,   (1/m + l^2/J) F_0 + (l^2/J - 1/m) F_1 = g
 * about y, which points away: a link that falls at its free end turns by more than 0. */
static void accelerate_level_chain(int n, double *a) {
    const double g = 9.80665, l = 0.05, c = l * l / 0.01, off = c - 1;
    double *F = calloc((size_t)n + 1, sizeof *F), *d = calloc((size_t)n, sizeof *d);
    d[0] = 1 + c, F[0] = g;
    for (int i = 1; i < n; i++) d[i] = 2 * (1 + c) - off * off / d[i - 1], F[i] = -off / d[i - 1] * F[i - 1];
    F[n - 1] /= d[n - 1];
    for (int i = n - 2; i >= 0; i--) F[i] = (F[i] - off * F[i + 1]) / d[i];
    for (int i = 0; i < n; i++) a[i] = l / 0.01 * (F[i] + F[i + 1]);
    for (int i = n - 1; i > 0; i--) a[i] -= a[i - 1];
    free(F), free(d);
}

/* A level chain lets go: its velocities after a short step, although the momenta of its first joints are sums over thousands of bodies. */
static void test_long_chain(void **state) {
    (void)state;
    enum { BODIES = 2500, ROOM = 200 * BODIES };
    const double h = 1e-4;
    char *text = malloc(ROOM);
    assert_non_null(text);
    int n = snprintf(text, ROOM, "bodies:\n");
    for (int i = 0; i < BODIES; i++)
        n += snprintf(text + n, (size_t)(ROOM - n), "  b%d: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [%.2f, 0, 0]}\n",
                      i, 0.1 * i + 0.05);
    n += snprintf(text + n, (size_t)(ROOM - n), "joints:\n");
    for (int i = 0; i < BODIES; i++) {
        char before[16];
        snprintf(before, sizeof before, i ? "b%d" : "ground", i - 1);
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "  j%d: {type: revolute, between: [%s, b%d], at: [%.1f, 0, 0], axis: y}\n", i, before, i, 0.1 * i);
    }
    snprintf(text + n, (size_t)(ROOM - n), "gravity: [0, 0, -9.80665]\nrun: {method: nonsmooth, step: %g, until: 1 s}\n", h);
    jn_model *model;
    jn_sim *sim = text_sim(text, &model);
    double *a = calloc(BODIES, sizeof *a), most = 0, off = 0;
    accelerate_level_chain(BODIES, a);
    int status = jn_sim_step(sim, 1);
    if (status < 0) fail_msg("%s", jn_sim_error(sim)->text);
    for (int i = 0; i < BODIES; i++) {
        most = fmax(most, fabs(h * a[i]));
        off = fmax(off, fabs(jn_sim_state(sim)->u[i] - h * a[i]));
    }
    print_message("%d bodies: velocities of %g rad/s differ by %g\n", BODIES, most, off);
    assert_true(most > 1e-3 && off < 1e-4 * most);
    jn_sim_free(sim), jn_model_free(model);
    free(a), free(text);
}

/* The sun, a probe and a cloud of a radius of 1e10 m: each starts with the velocities that are written. */
static void test_uneven_masses(void **state) {
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        char text[700];
        snprintf(text, sizeof text,
                 "gravity: none\ncoordinates: %s\nbodies:\n"
                 "  sun: {mass: 2e30, inertia: [3.8e47, 3.8e47, 3.8e47], velocity: [0, 12, 0], angular_velocity: [0, 0, 2.9e-6]}\n"
                 "  probe: {mass: 1e-3, inertia: [1e-6, 1e-6, 2e-6], com: [1.5e11, 0, 0], velocity: [0, 3e4, 0], angular_velocity: [1, 0, 2]}\n"
                 "  cloud: {mass: 1, inertia: [4e19, 4e19, 4e19], com: [0, 1e12, 0], velocity: [1e10, 0, 0], angular_velocity: [0, 1, 0]}\n"
                 "run: {until: 1 s}\n",
                 absolute ? "absolute" : "relative");
        jn_model *model;
        jn_sim *sim = text_sim(text, &model);
        const double wanted[3][6] = {{0, 12, 0, 0, 0, 2.9e-6}, {0, 3e4, 0, 1, 0, 2}, {1e10, 0, 0, 0, 1, 0}};
        for (int b = 0; b < 3; b++) {
            jn_body_motion motion;
            jn_body_motion_get(model, jn_sim_work(sim), b + 1, &motion);
            const double is[6] = {motion.velocity.x,         motion.velocity.y,         motion.velocity.z,
                                  motion.angular_velocity.x, motion.angular_velocity.y, motion.angular_velocity.z};
            for (int k = 0; k < 6; k++)
                if (is[k] != wanted[b][k])
                    fail_msg("%s: velocity %d of %s is %g, not %g", absolute ? "absolute" : "relative", k,
                             jn_model_body_name(model, b + 1), is[k], wanted[b][k]);
        }
        jn_sim_free(sim), jn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes), cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_by_hand), cmocka_unit_test(test_step_counts),
                                       cmocka_unit_test(test_long_chain), cmocka_unit_test(test_uneven_masses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
