/* Derivatives of runs by variational equations against differences of runs, extrapolated by Richardson; identification with them. */
#include "base/file.h"
#include "base/memory.h"
#include "study_run.h"
#include "workflow/study/statistics/distribution.h"
#include "workflow/study/statistics/random.h"
#include <math.h>
#include <stdlib.h>

enum { VALUES = 40 };

typedef struct scene {
    const char *name, *model, *channel;
    double until, limit; /* of the error of derivatives, as a part of their norm */
    const char *parameter[6]; /* whose values in the model are in the middle of their ranges; ends with NULL */
    double value[6];
} scene;

static const char pendulum[] =
    "plane: xy\nparameters: {m1: 0.8 kg, k: 3 N*m/rad, d: 0.04, l: 0.5 m, q0: 1 rad}\n"
    "bodies: {bob: {mass: m1, inertia: 0.01, com: [0, -l]}}\n"
    "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0], position: q0, stiffness: k, damping: d}}\n"
    "run: {until: 2 s, tolerance: 1e-12, integrator: dopri45}\n";

/* A closed loop, whose lengths are parameters. */
static const char slider_crank[] =
    "plane: xy\nparameters: {a: 0.15 m, b: 0.3 m, k: 40 N/m, m1: 0.2 kg}\n"
    "bodies:\n  crank: {mass: 0.1, inertia: 1e-3, com: [0, a/2]}\n"
    "  rod: {mass: m1, inertia: 2e-3, com: [sqrt(b^2 - a^2)/2, a/2]}\n"
    "  slider: {mass: 0.3, inertia: 1e-3, com: [sqrt(b^2 - a^2), 0]}\n"
    "joints:\n  pivot: {type: revolute, between: [ground, crank], at: [0, 0], speed: 3 rad/s, damping: 0.01}\n"
    "  pin: {type: revolute, between: [crank, rod], at: [0, a]}\n"
    "  wrist: {type: revolute, between: [rod, slider], at: [sqrt(b^2 - a^2), 0]}\n"
    "  rail: {type: prismatic, between: [ground, slider], at: [sqrt(b^2 - a^2), 0], axis: x, stiffness: k}\n"
    "run: {until: 1 s, tolerance: 1e-12, integrator: dopri45}\n";

/* Rotations in space, from a start that depends on a parameter. */
static const char top[] =
    "parameters: {k: 30 N/m, spin: 20 rad/s, I: 4e-3, m1: 0.5 kg}\n"
    "bodies:\n  top: {mass: m1, inertia: [2e-3, 3e-3, I], com: [0, 0, 0.2], angular_velocity: [2, 0, spin], velocity: [0.3, 0, 0]}\n"
    "forces:\n  rope: {type: spring, between: [ground, top], ends: [[0, 0, 1], [0, 0, 0.3]], stiffness: k, damping: 0.2}\n"
    "run: {until: 1 s, tolerance: 1e-12, integrator: dopri45}\n";

/* Impacts that last: the laws remember the speed of approach, which depends on all that was before. */
#define BALL(law)                                                                                                      \
    "plane: xy\nparameters: {K: 1e5, e: 0.8, drop: 0.4 m, mu: 0.3, vx: 1 m/s}\n"                                       \
    "bodies:\n  ground: {shape: {type: half_plane}}\n"                                                                 \
    "  ball: {mass: 1, inertia: 2e-4, com: [0, drop + 20 mm], velocity: [vx, 0],\n"                             \
    "    shape: {type: circle, radius: 20 mm, at: [0, drop + 20 mm]}}\n"                                               \
    "contacts: {floor: {between: [ground, ball], law: " law                                                            \
    ", stiffness: K, restitution: e, friction: mu}}\n"                                                                 \
    "run: {until: 1 s, method: compliant, tolerance: 1e-13, integrator: dopri45}\n"

static const scene scenes[] = {
    {"pendulum", pendulum, "joint.pin.q", 2, 1e-7, {"m1", "k", "d", "l", "q0", NULL}, {0.8, 3, 0.04, 0.5, 1}},
    {"pendulum", pendulum, "joint.pin.fy", 2, 1e-7, {"m1", "k", "d", "l", "q0", NULL}, {0.8, 3, 0.04, 0.5, 1}},
    {"slider-crank", slider_crank, "body.slider.x", 1, 1e-7, {"a", "b", "k", "m1", NULL}, {0.15, 0.3, 40, 0.2}},
    {"top", top, "body.top.z", 1, 1e-7, {"k", "spin", "I", "m1", NULL}, {30, 20, 4e-3, 0.5}},
    {"top", top, "body.top.wx", 1, 1e-7, {"k", "spin", "I", "m1", NULL}, {30, 20, 4e-3, 0.5}},
    {"ball, flores", BALL("flores"), "body.ball.y", 1, 5e-6, {"K", "e", "drop", NULL}, {1e5, 0.8, 0.4}},
    {"ball, hunt_crossley", BALL("hunt_crossley"), "body.ball.x", 1, 5e-6, {"mu", "drop", "vx", NULL}, {0.3, 0.4, 1}},
};
enum { SCENES = sizeof scenes / sizeof *scenes };
#define WIDE 0.2  /* half of the range, as a part of the value */

static void save_table(double until) {
    char text[VALUES * 60] = "t,y\n";
    size_t at = strlen(text);
    for (int j = 0; j < VALUES; j++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%.17g,0\n", until * (j + 0.7) / VALUES);
    save("values.csv", text);
}

static jn_study *run_scene(const scene *sc, const char *vary, const char *more) {
    char text[2000];
    snprintf(text, sizeof text,
             "study: s\nmodel: model.yaml\ntables: {camera: {file: values.csv}}\nvary: {%s}\nmeasure: {y: {compare: %s, with: "
             "camera}}\n%s",
             vary, sc->channel, more);
    return study_run(text);
}

static double sample(const jn_study *s, long row, int j) {
    const double *data;
    int width;
    assert_int_equal(jn_study_row_samples(s, "y", row, &data, &width), VALUES);
    return data[j * width + 1];
}

/* Derivatives of all values by one parameter, in parts of its range: from runs on both sides, extrapolated. */
static void extrapolate(const scene *sc, int p, double apart, double *slope) {
    char vary[200];
    double range = 2 * WIDE * sc->value[p], h = apart * range;
    snprintf(vary, sizeof vary, "%s: [%.17g, %.17g, %.17g, %.17g]", sc->parameter[p], sc->value[p] - h, sc->value[p] + h,
             sc->value[p] - h / 2, sc->value[p] + h / 2);
    jn_study *s = run_scene(sc, vary, "");
    for (int j = 0; j < VALUES; j++) {
        double coarse = (sample(s, 1, j) - sample(s, 0, j)) / (2 * h), fine = (sample(s, 3, j) - sample(s, 2, j)) / h;
        slope[j] = range * (4 * fine - coarse) / 3;
    }
    jn_study_free(s);
}

static double distance(const double *a, const double *b) {
    double size = 0, off = 0;
    for (int j = 0; j < VALUES; j++) size += b[j] * b[j], off += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(off / size);
}

/* The extrapolation that differs least from the next one: wide differences leave terms of higher order, narrow ones the errors of the runs.
 * How far they differ. */
static double find_truth(const scene *sc, int p, double *truth) {
    static const double apart[] = {2e-2, 5e-3, 1e-3, 2.5e-4, 6e-5};
    enum { TRIES = sizeof apart / sizeof *apart };
    double slope[TRIES][VALUES], best = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        extrapolate(sc, p, apart[k], slope[k]);
        double off = k ? distance(slope[k - 1], slope[k]) : INFINITY;
        if (off < best) best = off, memcpy(truth, slope[k], sizeof slope[k]);
    }
    return best;
}

static void against_differences(void **state) {
    (void)state;
    for (int n = 0; n < SCENES; n++) {
        const scene *sc = &scenes[n];
        char vary[600] = "", *at = vary;
        int k = 0;
        save("model.yaml", sc->model);
        save_table(sc->until);
        for (; sc->parameter[k]; k++)
            at += sprintf(at, "%s%s: {from: %.17g, to: %.17g}", k ? ", " : "", sc->parameter[k],
                          (1 - WIDE) * sc->value[k], (1 + WIDE) * sc->value[k]);
        jn_study *s = run_scene(sc, vary, "identify: {rounds: 1, derivatives: variational}\n");
        const jn_study_samples *list = &s->row[0].samples[s->measure[0].slopes];
        assert_int_equal(list->count, VALUES);
        for (int p = 0; p < k; p++) {
            double truth[VALUES], slope[VALUES], uncertain = find_truth(sc, p, truth);
            for (int j = 0; j < VALUES; j++) slope[j] = list->data[j * (k + 1) + 1 + p];
            double off = distance(slope, truth);
            print_message("%-20s d %s / d %s: off by %.1e, differences by %.1e\n", sc->name, sc->channel,
                          sc->parameter[p], off, uncertain);
            if (!(off <= sc->limit)) fail_msg("%s: %s is off by %g", sc->name, sc->parameter[p], off);
        }
        jn_study_free(s);
    }
}

/* -------------------------------------------------------------------------------------------------- identification */

/* Angles of the pendulum with k and d, with noise. */
static void save_angles(int attempt, double k, double d) {
    char text[VALUES * 60] = "t,y\n", vary[100];
    size_t at = strlen(text);
    save_table(2);
    snprintf(vary, sizeof vary, "k: [%.17g], d: [%.17g]", k, d);
    jn_study *s = run_scene(&scenes[0], vary, "");
    for (int j = 0; j < VALUES; j++) {
        double z = jn_normal_value(jn_random_unit(jn_random_bits(21, (uint64_t)attempt, (uint64_t)j)));
        at += (size_t)snprintf(text + at, sizeof text - at, "%.17g,%.17g\n", 2 * (j + 0.7) / VALUES,
                               sample(s, 0, j) + 2e-3 * z);
    }
    jn_study_free(s);
    save("values.csv", text);
}

static const char *const by[] = {"set: {run.tolerance: 1e-9}\nidentify: {derivatives: variational, tolerance: 1e-6}\n",
                                 "set: {run.tolerance: 1e-9}\nidentify: {derivatives: differences, tolerance: 1e-6}\n"};
static const char bounds[] = "k: {from: 2, to: 4}, d: {from: 0.01, to: 0.08}";

/* How often the intervals of 95 % hold the true values: 95 of 100 are expected, with a deviation of 2.2; and how many runs that takes. */
static void coverage(void **state) {
    enum { TRIES = 100 };
    int held[2] = {0};
    long runs[2] = {0};
    (void)state;
    save("model.yaml", pendulum);
    for (int n = 0; n < TRIES; n++) {
        double truth[2] = {2.5 + jn_random_unit(jn_random_bits(22, 0, (uint64_t)n)),
                           0.02 + 0.05 * jn_random_unit(jn_random_bits(22, 1, (uint64_t)n))};
        save_angles(n, truth[0], truth[1]);
        jn_study *s = run_scene(&scenes[0], bounds, by[0]), *other = n < 10 ? run_scene(&scenes[0], bounds, by[1]) : NULL;
        for (int p = 0; p < 2; p++) {
            const jn_finding *f = jn_study_finding(s, p);
            held[p] += f->low <= truth[p] && truth[p] <= f->high;
            if (other) assert_near(jn_study_finding(other, p)->value, f->value, 1e-2 * (f->high - f->low));
        }
        if (other) runs[0] += s->rows, runs[1] += other->rows;
        jn_study_free(s), jn_study_free(other);
    }
    print_message("intervals that hold the truth: %d and %d of %d; runs of ten searches: %ld, by differences %ld\n", held[0],
                  held[1], TRIES, runs[0], runs[1]);
    for (int p = 0; p < 2; p++)
        if (held[p] < 87) fail_msg("%d of %d intervals hold parameter %d", held[p], TRIES, p);
    assert_true(2 * runs[0] < runs[1]);
}

/* Derivatives are in the journal: a study that was cut off gives the same table. */
static void resumed(void **state) {
    jn_report report = {0};
    size_t length, whole_length, csv_length;
    int reason;
    (void)state;
    save("model.yaml", pendulum);
    save_angles(1, 3, 0.03);
    jn_study_free(run_scene(&scenes[0], bounds, by[0])); /* leaves study.yaml */
    jn_study *s = jn_study_open("study.yaml", NULL, 0, &report);
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.folder = "whole", .threads = 2}, &report), JN_OK);
    jn_study_free(s);
    unsigned char *journal = jn_file_read("whole/study.journal", &length, &reason),
                  *whole = jn_file_read("whole/study.csv", &whole_length, &reason);
    for (int part = 1; part < 5; part++) {
        s = jn_study_open("study.yaml", NULL, 0, &report);
        assert_int_equal(jn_file_write("cut.journal", journal, length * (size_t)part / 5), 0);
        assert_int_equal(system("mkdir -p cut && mv cut.journal cut/study.journal"), 0);
        jn_study_options options = {.folder = "cut", .threads = 1, .resume = true};
        assert_int_equal(jn_study_perform(s, &options, &report), JN_OK);
        unsigned char *csv = jn_file_read("cut/study.csv", &csv_length, &reason);
        assert_int_equal(csv_length, whole_length);
        assert_memory_equal(csv, whole, whole_length);
        jn_free(csv), jn_study_free(s);
    }
    jn_free(journal), jn_free(whole);
}

/* A damper whose force jumps where the contact begins: the equations do not hold across it, which is found and said. */
static void jumps(void **state) {
    static const char model[] = "plane: xy\nparameters: {K: 1e5, c: 100, drop: 0.4 m}\n"
                                "bodies:\n  ground: {shape: {type: half_plane}}\n"
                                "  ball: {mass: 1, shape: {type: circle, radius: 20 mm, at: [0, drop + 20 mm]}}\n"
                                "contacts: {floor: {between: [ground, ball], law: kelvin_voigt, stiffness: K, damping: c}}\n"
                                "run: {until: 1 s, method: compliant, tolerance: 1e-12, integrator: dopri45}\n";
    scene sc = {.channel = "body.ball.y"};
    jn_report report = {0};
    (void)state;
    save("model.yaml", model);
    save_table(1);
    jn_study_free(run_scene(&sc, "c: {from: 50, to: 150}, drop: {from: 0.3, to: 0.5}", by[0]));
    jn_study *s = jn_study_open("study.yaml", NULL, 0, &report);
    assert_int_equal(jn_study_perform(s, NULL, &report), JN_OK);
    bool said = false, differences = false;
    for (int i = 0; i < report.count; i++) said |= strstr(report.item[i].text, "differences of runs") != NULL;
    for (int i = 0; i < jn_study_findings(s); i++)
        differences |= strstr(jn_study_finding(s, i)->name, "derivatives by differences") != NULL;
    assert_true(said && differences);
    jn_study_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_differences), cmocka_unit_test(coverage),
                                       cmocka_unit_test(resumed), cmocka_unit_test(jumps)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
