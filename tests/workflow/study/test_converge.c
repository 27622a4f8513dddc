/* Convergence studies: orders and limits that are known, and the tutorial's bearing, whose losses depend on the step while every audit is good. */
#include "study_run.h"
#include "workflow/study/statistics/convergence.h"

static int enter(void **state) {
    (void)state;
    return command_enter() ? -1 : 0;
}

/* x = limit + c h^p: order and limit come back, the error at the first step is c h^p. */
static void sequences(void **state) {
    (void)state;
    for (int p = 1; p <= 6; p++)
        for (double factor = 1.5; factor < 4; factor += 0.5) {
            double x[5];
            for (int k = 0; k < 5; k++) x[k] = 3 - 0.1 * pow(factor, -p * k);
            jn_convergence c = jn_convergence_judge(x, 4, factor, p);
            assert_int_equal(c.verdict, JN_CONVERGED);
            assert_near(c.order, p, 1e-5);
            assert_near(c.limit, 3, 1e-9);
            assert_near(c.error_first, 0.1 / 3, 1e-9);
            assert_near(c.error, 1.25 * 0.1 * pow(factor, -p * 3), 1e-9);
            c = jn_convergence_judge(x, 4, factor, p - 0.5); /* better than it can be: not relied on */
            assert_true(c.error > fabs(c.limit - 3));
        }
    assert_int_equal(jn_convergence_judge((double[]){2, 2, 2}, 3, 2, 2).verdict, JN_CONVERGED);
    assert_int_equal(jn_convergence_judge((double[]){1, 2, 1.6}, 3, 2, 2).verdict, JN_IRREGULAR); /* to and fro */
    assert_int_equal(jn_convergence_judge((double[]){1, 2, 4}, 3, 2, 2).verdict, JN_DIVERGENT);
    assert_int_equal(jn_convergence_judge((double[]){1, 1, 4}, 3, 2, 2).verdict, JN_DIVERGENT);
    assert_int_equal(jn_convergence_judge((double[]){1, (double)NAN, 1}, 3, 2, 2).verdict, JN_UNKNOWN);
}

static double finding(const jn_study *s, const char *name) {
    for (int i = 0; i < s->findings; i++)
        if (!strcmp(s->finding[i].name, name)) return s->finding[i].value;
    fail_msg("nothing was found of '%s'", name);
    return NAN;
}

/* A linear oscillator by integrators of orders 1, 2 and 4: cos t at t = 1. */
static void orders(void **state) {
    static const struct {
        const char *integrator;
        double order;
    } cases[] = {{"euler", 1}, {"verlet", 2}, {"rk4", 4}};
    (void)state;
    save("spring.yaml", "plane: xy\ngravity: [0, 0]\nbodies: {mass: {mass: 1, inertia: 1, com: [0, 0]}}\n"
                        "joints: {rail: {type: prismatic, between: [ground, mass], at: [0, 0], axis: x, stiffness: 1, "
                        "position: 1}}\nrun: {step: 10 ms, until: 1 s}\n");
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "study: order\nmodel: spring.yaml\nset: {run.integrator: %s}\nconverge: {}\n"
                 "measure: {x: {end: joint.rail.q}}\n",
                 cases[i].integrator);
        jn_study *s = study_run(text);
        assert_int_equal(s->rows, 3);
        assert_near(finding(s, "order of x"), cases[i].order, 0.05);
        assert_near(finding(s, "x in the limit"), cos(1), 1e-5);
        double own = fabs(jn_study_value(s, 0, 1) - cos(1)) / cos(1);
        assert_near(finding(s, "relative error of x") / own, 1, 0.02);
        jn_study_free(s);
    }
}

/* The bearing of docs/getting_started.md. */
static const char bearing[] =
    "plane: xy\ngravity: [0, -9.81]\n"
    "bodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
    "joints: {pin: {type: revolute_clearance, between: [ground, rod], at: [0, 0], bearing: 10 mm, clearance: 0.5 mm, "
    "contact: steel}}\n"
    "contacts: {steel: {law: flores, stiffness: 1e8, restitution: 0.7, friction: 0.05}}\n"
    "run: {method: nonsmooth, step: 5 ms, until: 1 s}\n";

/* Threefold losses with a step whose audit is good: the study says so, and its limit is that of another scheme with a short step. */
static void tutorial(void **state) {
    jn_report report = {0};
    (void)state;
    save("bearing.yaml", bearing);
    jn_study *fine = study_run("study: fine\nmodel: bearing.yaml\nset: {run.step: 0.1 ms}\n"
                               "measure: {loss: {end: energy.dissipated}}\n");
    double truth = jn_study_value(fine, 0, 0);
    jn_study_free(fine);
    jn_study *s = study_open("study: bearing\nmodel: bearing.yaml\nset: {run.scheme: moreau_jean}\n"
                             "converge: {levels: 4}\nmeasure: {loss: {end: energy.dissipated}}\n");
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 1}, &report), JN_OK);
    for (long r = 0; r < s->rows; r++) assert_int_equal(s->row[r].state, JN_ROW_GOOD);
    assert_true(jn_study_value(s, 0, 1) > 2.5 * truth);
    assert_near(finding(s, "loss in the limit") / truth, 1, 0.02);
    assert_near(finding(s, "order of loss"), 1, 0.1);
    assert_true(finding(s, "relative error of loss") > 1.5);
    bool reported = false;
    for (int i = 0; i < report.count; i++)
        reported |= report.item[i].severity == JN_SEVERITY_WARNING &&
                    strstr(report.item[i].text, "loss converges with order 1") &&
                    strstr(report.item[i].hint, "write 'step:");
    assert_true(reported);
    jn_study_free(s);
}

/* Adaptive: smaller tolerances. */
static void tolerances(void **state) {
    (void)state;
    save("spring.yaml", "plane: xy\ngravity: [0, 0]\nbodies: {mass: {mass: 1, inertia: 1, com: [0, 0]}}\n"
                        "joints: {rail: {type: prismatic, between: [ground, mass], at: [0, 0], axis: x, stiffness: 1, "
                        "position: 1}}\nrun: {tolerance: 1e-4, until: 10 s}\n");
    jn_study *s = study_run("study: t\nmodel: spring.yaml\nconverge: {levels: 4}\nmeasure: {x: {end: joint.rail.q}}\n");
    assert_string_equal(jn_study_column_name(s, 0), "run.tolerance");
    double own = fabs(jn_study_value(s, 0, 1) - cos(10)) / fabs(cos(10));
    assert_true(own > 1e-6);
    assert_near(finding(s, "relative error of x") / own, 1, 0.2);
    jn_study_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sequences), cmocka_unit_test(orders),
                                       cmocka_unit_test(tutorial), cmocka_unit_test(tolerances)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}
