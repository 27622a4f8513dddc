/* Nonlinear dynamics by studies, against closed forms: hysteresis of an impact oscillator, grazing, a bouncing ball. */
#include "base/file.h"
#include "base/memory.h"
#include "study_run.h"

static int enter(void **state) {
    (void)state;
    return command_enter() ? -1 : 0;
}

/* --------------------------------------------------------------------------------------------------- impact oscillator */

#define PI 3.14159265358979323846
static const double z = 0.05, w = 1.4, stop_at = 1; /* of models/textbook/impact_oscillator.yaml */

/* The decaying oscillation over a time: (x, v) -> M (x, v). */
static void decay(double t, double M[2][2]) {
    double d = sqrt(1 - z * z), E = exp(-z * t), c = cos(d * t), s = sin(d * t);
    M[0][0] = E * (c + z / d * s), M[0][1] = E * s / d;
    M[1][0] = -E * s / d, M[1][1] = E * (c - z / d * s);
}

static double amplitude(void) { return 1 / hypot(1 - w * w, 2 * z * w); }

/* Motion with one impact in each period [ShawHolmes1983]: in the period T the decaying part goes from (stop - P, -e v - Q) to (stop - P, v - Q), P
 * and Q the forced motion at the impact. So (stop - P, -Q) = k v, and P^2 + (Q/w)^2 = (A F)^2 gives v. NAN: there is none. The greater
 * of both is the stable one. */
static double impact_speed(double F, double e) {
    double M[2][2];
    decay(2 * PI / w, M);
    double a = M[0][0] - 1, b = M[0][1], c = M[1][0], d = M[1][1] - 1, det = a * d - b * c;
    double r[2] = {M[0][1] * e, 1 + M[1][1] * e};
    double k[2] = {(d * r[0] - b * r[1]) / det, (a * r[1] - c * r[0]) / det};
    double A = k[0] * k[0] + k[1] * k[1] / (w * w), B = -stop_at * k[0],
           C = stop_at * stop_at - pow(amplitude() * F, 2);
    double root = B * B - A * C;
    return root < 0 ? (double)NAN : (-B + sqrt(root)) / A;
}

/* Up: without impact until it grazes at F = stop/A = 0.970. Down: with one impact in each period, until that motion ends in a fold at
 * F = 0.439. In between both are possible. */
static void hysteresis(void **state) {
    enum { N = 8 };
    static const double F[N] = {0.4, 0.45, 0.7, 0.8, 0.88, 0.92, 1, 1.1};
    (void)state;
    jn_study *s =
        study_run("study: hysteresis\nmodel: " JN_SOURCE_DIR "/models/textbook/impact_oscillator.yaml\n"
                  "parameters: {turn: 2*pi/1.4}\nuntil: 100*turn\nset: {run.tolerance: 1e-9}\n"
                  "vary: {F: [0.4, 0.45, 0.7, 0.8, 0.88, 0.92, 1, 1.1]}\nfollow: {}\n"
                  "measure: {speed: {sample: -joint.rail.u/e, when: event impact, after: 95*turn}, swing: {max: "
                  "joint.rail.q, after: 99*turn}}\n");
    int way = study_column(s, "way"), swing = study_column(s, "swing");
    assert_int_equal(s->rows, 2 * N);
    assert_int_equal(s->tasks, 1);
    assert_true(isnan(impact_speed(0.4, 0.5)) && impact_speed(0.45, 0.5) > 1);
    for (int r = 0; r < 2 * N; r++) {
        int k = r < N ? r : 2 * N - 1 - r;
        const jn_study_samples *list = &s->row[r].samples[0];
        bool impacts = r < N ? F[k] * amplitude() > stop_at : isfinite(impact_speed(F[k], 0.5));
        assert_near(jn_study_value(s, r, 0), F[k], 1e-15);
        assert_near(jn_study_value(s, r, way), r < N ? 1 : -1, 0);
        assert_int_equal(list->count, impacts ? 5 : 0);
        for (long i = 0; i < list->count; i++) assert_near(list->data[2 * i + 1], impact_speed(F[k], 0.5), 1e-6);
        if (!impacts) assert_near(jn_study_value(s, r, swing), F[k] * amplitude(), 1e-3);
    }
    jn_study_free(s);
}

/* Grazing: the motion without impact passes the stop by a part mu of its amplitude. The first impact has the speed w sqrt((A F)^2 - stop^2), which
 * grows with the square root of mu, and so does the place one period later. [Nordmark1991] */
static void grazing(void **state) {
    enum { N = 9 };
    char text[2000];
    double mu[N], last_speed = 0, last_shift = 0;
    (void)state;
    int length = snprintf(text, sizeof text,
                          "study: grazing\nmodel: " JN_SOURCE_DIR "/models/textbook/impact_oscillator.yaml\n"
                          "parameters: {turn: 2*pi/1.4}\nuntil: turn\nset: {run.tolerance: 1e-12, run.max_step: 1 ms}\n"
                          "measure: {speed: {sample: -joint.rail.u/e, when: event impact, most: 1}, place: {value: "
                          "joint.rail.q, at: turn}}\nvary: {F: [");
    for (int k = 0; k < N; k++) {
        mu[k] = pow(10, -6 + 0.5 * k);
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%.17g", k ? ", " : "",
                           stop_at / amplitude() * (1 + mu[k]));
    }
    snprintf(text + length, sizeof text - (size_t)length, "]}\n");
    jn_study *s = study_run(text);
    double phase = atan2(2 * z * w, 1 - w * w), turn = 2 * PI / w;
    for (int k = 0; k < N; k++) {
        const jn_study_samples *list = &s->row[k].samples[0];
        assert_int_equal(list->count, 1);
        double AF = stop_at * (1 + mu[k]), t = list->data[0], speed = list->data[1], M[2][2];
        double v = w * sqrt(AF * AF - stop_at * stop_at), at = (phase - acos(stop_at / AF)) / w;
        at += turn * ceil(-at / turn);
        assert_near(t, at, 1e-10 + 1e-13 / v); /* it is the less sharp, the slower the impact */
        assert_near(speed / v, 1, 1e-5);
        decay(turn - at, M);
        double shift = jn_study_value(s, k, study_column(s, "place")) - AF * cos(w * turn - phase);
        assert_near(shift / (-M[0][1] * 1.5 * v), 1, 1e-5);
        if (k) {
            double step = log(mu[k] / mu[k - 1]);
            assert_near(log(speed / last_speed) / step, 0.5, mu[k]);
            assert_near(log(shift / last_shift) / step, 0.5, 1e-3 + sqrt(mu[k]));
        }
        last_speed = speed, last_shift = shift;
    }
    jn_study_free(s);
}

/* ------------------------------------------------------------------------------------------------------- bouncing ball */

static const double g = 9.81, frequency = 60;

/* After every impact of method impact the next one is that of the closed form: flight is a parabola, the table a sine; the time of the next impact
 * is found here by Newton from that of the simulation. Hundreds of chaotic impacts, each to 1e-9. [Holmes1982] */
static void ball_map(void **state) {
    (void)state;
    jn_study *s = study_run("study: map\nmodel: " JN_SOURCE_DIR "/models/textbook/bouncing_ball.yaml\n"
                            "set: {run.tolerance: 1e-12, a: 5, e: 0.8, lift: 1.1}\nuntil: 30 s\n"
                            "measure: {impacts: {sample: [body.ball.vy, a, e, phase], when: event impact}}\n");
    const jn_study_samples *list = &s->row[0].samples[0];
    double W = 2 * PI * frequency, a = list->data[2], e = list->data[3], phase = list->data[4], A = a * g / (W * W);
    long compared = 0;
    double worst = 0;
    for (long i = 0; i + 1 < list->count; i++) {
        double t0 = list->data[5 * i], v0 = list->data[5 * i + 1], t = list->data[5 * (i + 1)],
               v1 = list->data[5 * (i + 1) + 1];
        if (v0 + A * W * cos(W * t0 + phase) < 1e-2)
            continue; /* impacts that accumulate end in rest, by a rule of their own */
        double y0 = -A * sin(W * t0 + phase), start = t;
        for (int k = 0; k < 5; k++) {
            double f = y0 + v0 * (t - t0) - g / 2 * (t - t0) * (t - t0) + A * sin(W * t + phase);
            t -= f / (v0 - g * (t - t0) + A * W * cos(W * t + phase));
        }
        double table = -A * W * cos(W * t + phase), v = (1 + e) * table - e * (v0 - g * (t - t0));
        worst = fmax(worst, fmax(W * fabs(t - start), fabs(v - v1)));
        compared++;
    }
    if (worst > 1e-9) fail_msg("of %ld impacts one is off by %g", compared, worst);
    assert_true(compared > 200);
    jn_study_free(s);
}

/* Period 1 loses its stability at a^2 = pi^2 ((1 - e)/(1 + e))^2 + (2 (1 + e^2)/(1 + e)^2)^2: 0.4 % below it is found, 0.4 % above the period
 * is 2. The runs end when they are periodic. */
static void ball_period(void **state) {
    (void)state;
    double critical = hypot(PI * 0.5 / 1.5, 2 * 1.25 / 2.25);
    char text[900];
    snprintf(text, sizeof text,
             "study: period\nmodel: " JN_SOURCE_DIR "/models/textbook/bouncing_ball.yaml\n"
             "set: {lift: 1.001}\nuntil: 60 s\nvary: {a: [1.3, %.17g, %.17g]}\n"
             "measure: {turns: {period: ['mod(w*t + phase, 2*pi)', body.ball.vy], when: event impact, tolerance: 1e-7, "
             "stop: true}, "
             "time: {end: t}}\n",
             0.996 * critical, 1.004 * critical);
    jn_study *s = study_run(text);
    int turns = study_column(s, "turns"), since = study_column(s, "turns.since"), time = study_column(s, "time");
    static const double expected[] = {1, 1, 2};
    for (int r = 0; r < 3; r++) {
        assert_near(jn_study_value(s, r, turns), expected[r], 0);
        assert_near(jn_study_value(s, r, since), jn_study_value(s, r, time), 1e-12);
        assert_true(jn_study_value(s, r, time) < 60);
    }
    assert_true(jn_study_value(s, 0, time) < 2);
    jn_study_free(s);
}

/* ---------------------------------------------------------------------------------------------------------------- bits */

static const char two_ways[] = "study: bits\nmodel: " JN_SOURCE_DIR "/models/textbook/impact_oscillator.yaml\n"
                               "parameters: {turn: 2*pi/1.4}\nuntil: 5*turn\n"
                               "vary: {e: [0.3, 0.5, 0.7], F: [0.9, 0.98, 1.1]}\nfollow: {parameter: F}\n"
                               "measure: {q: {end: joint.rail.q}, impacts: {count: events.impact}}\n";

static bool stop_early(void *context, long done, long rows, double wall) {
    (void)rows, (void)wall;
    return done < *(const long *)context;
}

/* Rows that start where others ended have the same bits on any number of threads, and after a study that was stopped anywhere. */
static void same_bits(void **state) {
    char expected[6000], found[6000];
    jn_report report = {0};
    (void)state;
    for (long k = -2; k < 18; k += 3) {
        jn_study *s = study_open(two_ways);
        char folder[32], path[64];
        snprintf(folder, sizeof folder, "bits%ld", k + 2);
        snprintf(path, sizeof path, "%s/study.csv", folder);
        jn_study_options o = {.folder = folder, .threads = k == -2 ? 1 : 3};
        if (k > 0) {
            o.progress = stop_early, o.context = &k;
            assert_int_equal(jn_study_perform(s, &o, &report), JN_STOPPED);
            jn_study_free(s);
            s = study_open(two_ways);
            o.progress = NULL, o.resume = true;
        }
        assert_int_equal(jn_study_perform(s, &o, &report), JN_OK);
        load(path, k == -2 ? expected : found, sizeof expected);
        if (k != -2) assert_string_equal(found, expected);
        jn_study_free(s);
    }
}

/* Every mistake is an error with its line and what to write. */
static void mistakes(void **state) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"vary: {F: [1, 2], e: [0.1, 0.2]}\nfollow: {}\nmeasure: {q: {end: joint.rail.q}}\n",
         "'follow' needs one of the parameters"},
        {"vary: {F: [1, 2]}\nfollow: {parameter: G}\nmeasure: {q: {end: joint.rail.q}}\n",
         "'follow' needs one of the parameters"},
        {"vary: {F: {uniform: [1, 2]}}\nfollow: {}\nmeasure: {q: {end: joint.rail.q}}\n", "following needs a grid"},
        {"vary: {F: [1, 2]}\nfollow: {}\nkeep: all\nmeasure: {q: {end: joint.rail.q}}\n", "remove 'keep'"},
        {"vary: {F: [1, 2]}\nfollow: {}\nmeasure: {way: {end: joint.rail.q}}\n", "'way' is a column"},
        {"vary: {F: [1, 2]}\nfollow: {}\nconverge: {}\nmeasure: {q: {end: joint.rail.q}}\n",
         "one of 'follow' and 'converge'"},
        {"converge: {levels: 2}\nmeasure: {q: {end: joint.rail.q}}\n", "from 3 to 20"},
        {"converge: {factor: 1}\nmeasure: {q: {end: joint.rail.q}}\n", "greater than 1"},
        {"vary: {run.tolerance: [1e-6, 1e-8]}\nconverge: {}\nmeasure: {q: {end: joint.rail.q}}\n",
         "other parameters than steps"},
        {"vary: {F: [1, 2]}\nmeasure: {q: {lyapunov: 0 s}}\n", "must be greater than 0"},
        {"vary: {F: [1, 2]}\nmeasure: {q: {lyapunov: 1 s, distance: 2}}\n", "small part of the motion"},
        {"vary: {F: [1, 2]}\nmeasure: {q: {period: joint.rail.q}}\n", "'period' needs instants"},
        {"vary: {F: [1, 2]}\nmeasure: {q: {period: joint.rail.q, when: every 1 s, tolerance: 2}}\n", "between 0 and 1"},
        {"vary: {F: [1, 2]}\nmeasure: {q: {spectrum: joint.rail.q}}\n", "time between its samples"},
        {"vary: {F: [1, 2]}\nmeasure: {q: {spectrum: joint.rail.q, every: -1 s}}\n", "must be greater than 0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        jn_report report = {0};
        snprintf(text, sizeof text,
                 "study: mistake\nmodel: " JN_SOURCE_DIR "/models/textbook/impact_oscillator.yaml\n%s", cases[i].text);
        save("study.yaml", text);
        jn_study *s = jn_study_open("study.yaml", NULL, 0, &report);
        assert_null(s);
        bool found = false;
        for (int k = 0; k < report.count; k++)
            found |= (strstr(report.item[k].text, cases[i].error) || strstr(report.item[k].hint, cases[i].error)) &&
                     report.item[k].line > 0;
        if (!found)
            fail_msg("'%s' is reported as '%s'", cases[i].error, report.count ? report.item[0].text : "nothing");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hysteresis), cmocka_unit_test(grazing),
                                       cmocka_unit_test(ball_map),   cmocka_unit_test(ball_period),
                                       cmocka_unit_test(same_bits),  cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}
