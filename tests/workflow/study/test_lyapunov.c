/* Lyapunov exponents by a second simulation, against variational equations along the same motion, and maps. */
#include "base/memory.h"
#include "study_run.h"

static int enter(void **state) {
    (void)state;
    return command_enter() ? -1 : 0;
}

#define PI 3.14159265358979323846

/* x'' = f(t, x, v); f_x beside it. */
typedef struct equation {
    double (*f)(double t, double x, double v), (*f_x)(double x);
    double damping, x0;
} equation;

static double ueda(double t, double x, double v) { return 7.5 * cos(t) - x * x * x - 0.05 * v; }
static double ueda_x(double x) { return -3 * x * x; }
static double driven(double t, double x, double v) { return 2.5 * sin(t) - sin(x) - 0.1 * v; }
static double driven_x(double x) { return -cos(x); }

static void rate(const equation *e, double t, const double y[4], double slope[4]) {
    slope[0] = y[1], slope[1] = e->f(t, y[0], y[1]);
    slope[2] = y[3], slope[3] = e->f_x(y[0]) * y[2] - e->damping * y[3];
}

/* log of the size of a small distance at the times from and to, by the variational equations and steps of Runge and Kutta. */
static double exponent(const equation *e, double from, double to) {
    double y[4] = {e->x0, 0, 0.3, 1}, start = 0, sum = 0, h = 5e-4;
    long steps = lround(to / h);
    for (long i = 0; i <= steps; i++) {
        double k[4][4], z[4], t = (double)i * h, size = hypot(y[2], y[3] / (2 * PI));
        sum += log(size), y[2] /= size, y[3] /= size;
        if (i == lround(from / h)) start = sum;
        if (i == steps) break;
        rate(e, t, y, k[0]);
        for (int c = 0; c < 4; c++) z[c] = y[c] + h / 2 * k[0][c];
        rate(e, t + h / 2, z, k[1]);
        for (int c = 0; c < 4; c++) z[c] = y[c] + h / 2 * k[1][c];
        rate(e, t + h / 2, z, k[2]);
        for (int c = 0; c < 4; c++) z[c] = y[c] + h * k[2][c];
        rate(e, t + h, z, k[3]);
        for (int c = 0; c < 4; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    return (sum - start) / (to - from);
}

/* From 50 s on both have forgotten how they were shaken; to 100 s both are on the same motion. */
static void same_motion(void **state) {
    static const struct {
        const char *model;
        equation e;
    } cases[] = {{"duffing", {ueda, ueda_x, 0.05, 2.5}}, {"driven_pendulum", {driven, driven_x, 0.1, 0}}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "study: %s\nmodel: " JN_SOURCE_DIR "/models/textbook/%s.yaml\nuntil: 100 s\n"
                 "set: {run.tolerance: 1e-12}\nmeasure: {l: {lyapunov: 1 s, after: 9 s, skip: 40}}\n",
                 cases[i].model, cases[i].model);
        jn_study *s = study_run(text);
        double expected = exponent(&cases[i].e, 50, 100);
        assert_true(fabs(expected) > 0.02);
        assert_near(jn_study_value(s, 0, study_column(s, "l")), expected, 1e-4);
        jn_study_free(s);
    }
}

/* Within four standard errors of a run of 3000 s: 0.1033 and 0.1606 by variational equations over 5e6 s with steps of 1/400 of a period, apart from
 * this program; for the pendulum 0.160 is in the literature (arXiv physics/0303077). */
static void long_run(void **state) {
    static const struct {
        const char *model;
        double exponent;
    } cases[] = {{"duffing", 0.1033}, {"driven_pendulum", 0.1606}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "study: %s\nmodel: " JN_SOURCE_DIR "/models/textbook/%s.yaml\nuntil: 3000 s\n"
                 "set: {run.tolerance: 1e-9}\nmeasure: {l: {lyapunov: 1 s, after: 50 s}}\n",
                 cases[i].model, cases[i].model);
        jn_study *s = study_run(text);
        double found = jn_study_value(s, 0, study_column(s, "l")),
               error = jn_study_value(s, 0, study_column(s, "l.error"));
        if (!(error < 0.015)) fail_msg("%s: the standard error is %g", cases[i].model, error);
        assert_near(found, cases[i].exponent, 4 * error);
        jn_study_free(s);
    }
}

/* A linear oscillator: every distance decays with half of its damping, by every integrator. */
static void linear(void **state) {
    (void)state;
    jn_study *s = study_run("study: linear\nmodel: " JN_SOURCE_DIR "/models/textbook/impact_oscillator.yaml\n"
                            "set: {stop: 10}\nuntil: 200 s\nvary: {run.integrator: [dopri45, adams]}\n"
                            "measure: {l: {lyapunov: 2*pi/sqrt(1 - 0.05^2), after: 1 s}}\n");
    for (int r = 0; r < 2; r++) assert_near(jn_study_value(s, r, study_column(s, "l")), -0.05, 1e-4);
    jn_study_free(s);
}

/* The ball after an impact at the time t with the speed v, and small changes of both. */
typedef struct bounce {
    double t, v, table, dt, dv;
} bounce;

/* log of the distance at a later time of the flight, in the measure of the simulation. */
static double log_distance(const bounce *b, double time, double tau) {
    double flight = time - b->t, dy = (b->table - b->v + 9.81 * flight) * b->dt + flight * b->dv,
           dv = b->dv + 9.81 * b->dt;
    return log(hypot(dy, tau * dv));
}

/* The ball's map from impact to impact, (t, v) -> (t', v'), linearised along the impacts of the run: the exponent per impact by the map and by
 * the simulation, whose distances jump at impacts, from 2 s to 60 s. [Holmes1982] */
static void ball(void **state) {
    (void)state;
    jn_study *s = study_run("study: ball\nmodel: " JN_SOURCE_DIR "/models/textbook/bouncing_ball.yaml\n"
                            "set: {run.tolerance: 1e-11, a: 5, e: 0.8, lift: 1.1}\nuntil: 60 s\n"
                            "measure: {l: {lyapunov: 0.1 s, after: 1.4 s}, impacts: {sample: [body.ball.vy, phase], "
                            "when: event impact}}\n");
    const jn_study_samples *list = &s->row[0].samples[0];
    double g = 9.81, W = 2 * PI * 60, A = 5 * g / (W * W), e = 0.8, sum = 0, start = NAN, tau = 0.1 / (2 * PI);
    bounce b = {.dt = 1, .dv = 1};
    long n = 0;
    for (long i = 0; i < list->count; i++) {
        double t = list->data[3 * i], phase = list->data[3 * i + 2], table = -A * W * cos(W * t + phase);
        if (i) {
            double flight = t - b.t, bend = A * W * W * sin(W * t + phase), before = b.v - g * flight;
            double next = -((b.table - before) * b.dt + flight * b.dv) / (before - table);
            double change = (1 + e) * bend * next - e * (b.dv - g * (next - b.dt)), size = hypot(next, change / W);
            assert_true(b.v > b.table); /* it never comes to rest on the table */
            if (b.t < 2 && t >= 2) start = sum + log_distance(&b, 2, tau);
            n += b.t >= 2;
            sum += log(size), b.dt = next / size, b.dv = change / size;
        }
        b.t = t, b.v = list->data[3 * i + 1], b.table = table;
    }
    double map = (sum + log_distance(&b, 60, tau) - start) / (double)n;
    double simulated = jn_study_value(s, 0, study_column(s, "l")) * 58 / (double)n;
    if (n < 500) fail_msg("%ld impacts are too few", n);
    assert_true(map > 0.1);
    assert_near(simulated, map, 1e-3);
    jn_study_free(s);
}

/* Motion with one impact in each period: distances shrink by e at each. By all methods; those with fixed steps and with forces of contact need
 * larger distances and know it less sharply. */
static void methods(void **state) {
    static const struct {
        const char *set;
        double until, tolerance; /* [s]; relative */
    } cases[] = {{"run.method: impact", 6, 0.005},
                 {"run.method: nonsmooth, run.step: 5e-6", 2, 0.05},
                 {"run.method: compliant, contacts.plate.stiffness: 1e10, contacts.plate.law: flores, "
                  "contacts.plate.exact: true",
                  8, 0.01}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "study: methods\nmodel: " JN_SOURCE_DIR "/models/textbook/bouncing_ball.yaml\n"
                 "set: {a: 1.4, lift: 1.01, %s}\nuntil: %g s\nmeasure: {l: {lyapunov: 1/60, after: 0.5 s}}\n",
                 cases[i].set, cases[i].until);
        jn_study *s = study_run(text);
        assert_near(jn_study_value(s, 0, study_column(s, "l")) / (60 * log(0.5)), 1, cases[i].tolerance);
        jn_study_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion), cmocka_unit_test(long_run),
                                       cmocka_unit_test(linear), cmocka_unit_test(ball), cmocka_unit_test(methods)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}
