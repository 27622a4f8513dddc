/* Studies from the file to the table: plans, bits, journal, failures, known truths. */
#include "base/file.h"
#include "base/memory.h"
#include "study_run.h"
#include "workflow/study/journal.h"
#include "workflow/study/statistics/random.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char pendulum[] =
    "plane: xy\n"
    "gravity: [0, -10]\n"
    "parameters: {l: 1, m: 1, amplitude: 0.1, broken: 1}\n"
    "bodies: {bob: {mass: m*broken, inertia: 0, com: [0, -l]}}\n"
    "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0], position: amplitude}}\n"
    "run: {until: 1 s}\n";
static const char ball[] =
    "plane: xy\n"
    "parameters: {e: 0.5, drop: 1}\n"
    "bodies:\n"
    "  ground: {shape: {type: half_plane}}\n"
    "  ball: {mass: 1, inertia: 0.01, com: [0, drop], shape: {type: circle, radius: 0.1, at: [0, drop]}}\n"
    "contacts: {floor: {between: [ground, ball], restitution: e}}\n"
    "run: {method: nonsmooth, step: 1 ms, until: 1 s}\n";

static int enter(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("pendulum.yaml", pendulum);
    save("ball.yaml", ball);
    return 0;
}

static void run_study(jn_study *s, const char *folder, int threads) {
    jn_report report = {0};
    int status = jn_study_perform(s, &(jn_study_options){.folder = folder, .threads = threads}, &report);
    check_report(&report);
    assert_int_equal(status, JN_OK);
}

/* Grid: the last parameter changes fastest, the ends are exact. */
static void grid(void **state) {
    (void)state;
    jn_study *s = study_open("study: grid\nmodel: pendulum.yaml\n"
                             "vary: {l: {from: 0.5, to: 2, count: 3, spacing: log}, bob.mass: [1, 200 g]}\n"
                             "measure: {q: {end: joint.pin.q}}\n");
    static const double expected[6][2] = {{0.5, 1}, {0.5, 0.2}, {1, 1}, {1, 0.2}, {2, 1}, {2, 0.2}};
    assert_int_equal(jn_study_rows(s), 6);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 2; c++) assert_near(jn_study_value(s, r, c), expected[r][c], 1e-15);
    run_study(s, NULL, 1);
    for (int r = 0; r < 6; r++) assert_int_equal(jn_study_state(s, r), 1);
    assert_near(jn_study_value(s, 0, 2), jn_study_value(s, 1, 2), 1e-9); /* the mass makes no difference */
    assert_string_equal(jn_study_column_name(s, 1), "bob.mass");
    assert_string_equal(jn_study_column_unit(s, 1), "kg");
    jn_study_free(s);
}

/* A mass that no body can have: a row with its message, the others go on. */
static void failures(void **state) {
    (void)state;
    jn_study *s = study_open("study: failures\nmodel: pendulum.yaml\n"
                             "vary: {broken: [1, -1, 2]}\nmeasure: {q: {end: joint.pin.q}}\n");
    run_study(s, "failures", 2);
    assert_int_equal(jn_study_state(s, 0), 1);
    assert_int_equal(jn_study_state(s, 1), 3);
    assert_int_equal(jn_study_state(s, 2), 1);
    has(jn_study_message(s, 1), "mass");
    assert_true(isnan(jn_study_value(s, 1, 1)));
    char text[4000];
    load("failures/study.csv", text, sizeof text);
    has(text, "failed");
    jn_study_free(s);
}

static const char shaken[] =
    "study: bits\nmodel: ball.yaml\nvary: {e: {uniform: [0.1, 0.9]}, drop: {normal: [1, 0.1], limits: [0.5, 2]}}\n"
    "samples: {count: 20, rule: latin, seed: 3}\n"
    "measure:\n"
    "  speed: {max: abs(body.ball.vy)}\n"
    "  impacts: {count: events.impact}\n"
    "  bounces: {sample: [body.ball.y, body.ball.vy], when: event impact}\n"
    "  apex: {sample: [body.ball.y], when: body.ball.vy crosses 0 down}\n";

static unsigned char *bytes_of(const char *path, size_t *length) {
    int reason = 0;
    unsigned char *bytes = jn_file_read(path, length, &reason);
    if (!bytes) fail_msg("%s cannot be read", path);
    return bytes;
}

static void same_files(const char *a, const char *b, const char *name) {
    char path[2][300];
    size_t length[2];
    snprintf(path[0], sizeof path[0], "%s/%s", a, name);
    snprintf(path[1], sizeof path[1], "%s/%s", b, name);
    unsigned char *x = bytes_of(path[0], &length[0]), *y = bytes_of(path[1], &length[1]);
    if (length[0] != length[1] || memcmp(x, y, length[0])) fail_msg("%s and %s differ", path[0], path[1]);
    jn_free(x), jn_free(y);
}

static void same_results(const char *a, const char *b) {
    static const char *const names[] = {"study.csv", "samples_bounces.csv", "samples_apex.csv", "findings.csv",
                                        "study.h5"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) same_files(a, b, names[k]);
}

/* Every file has the same bytes on 1, 2 and 5 threads. */
static void threads(void **state) {
    static const int counts[] = {1, 2, 5};
    char folder[3][16];
    (void)state;
    for (int k = 0; k < 3; k++) {
        jn_study *s = study_open(shaken);
        snprintf(folder[k], sizeof folder[k], "threads%d", counts[k]);
        run_study(s, folder[k], counts[k]);
        jn_study_free(s);
    }
    same_results(folder[0], folder[1]);
    same_results(folder[0], folder[2]);
}

/* What is left of a journal, however it was cut, shortened or damaged, is enough to go on to the same end. 200 random damages. */
static void damage(void **state) {
    size_t length;
    (void)state;
    jn_study *s = study_open(shaken);
    run_study(s, "whole", 1);
    unsigned char *journal = bytes_of("whole/study.journal", &length);
    jn_report report = {0};
    for (int k = 0; k < 200; k++) {
        unsigned char *part = jn_malloc(length);
        size_t left = jn_random_bits(1, 0, (uint64_t)k) % (length + 1);
        memcpy(part, journal, length);
        for (int hole = 0; left && hole < k % 4; hole++) { /* pages that never reached the disk */
            size_t at = jn_random_bits(2, (uint64_t)hole, (uint64_t)k) % left,
                   size = jn_random_bits(3, (uint64_t)hole, (uint64_t)k) % 3000;
            memset(part + at, 0, at + size < left ? size : left - at);
        }
        mkdir("cut", 0777);
        assert_int_equal(jn_file_write("cut/study.journal", part, left), 0);
        jn_free(part);
        int status =
            jn_study_perform(s, &(jn_study_options){.folder = "cut", .threads = 1 + k % 2, .resume = true}, &report);
        check_report(&report);
        assert_int_equal(status, JN_OK);
        same_files("whole", "cut", "study.csv");
        if (k % 20 == 0) same_results("whole", "cut");
    }
    jn_free(journal);
    jn_study_free(s);
}

/* The journal of another study is refused. */
static void foreign(void **state) {
    jn_report report = {0};
    (void)state;
    jn_study *s = study_open("study: other\nmodel: ball.yaml\nvary: {e: [0.1, 0.2]}\nmeasure: {n: {count: events}}\n");
    assert_true(jn_study_perform(s, &(jn_study_options){.folder = "whole", .threads = 1, .resume = true}, &report) < 0);
    has(report.item[0].text, "another study");
    long rows;
    jn_report_clear(&report);
    jn_journal *first =
        jn_journal_open(s, "whole", false, &rows, &report); /* two at a time would write over each other */
    assert_non_null(first);
    assert_null(jn_journal_open(s, "whole", true, &rows, &report));
    has(report.item[0].text, "another process");
    jn_journal_close(first);
    jn_study_free(s);
}

/* The process is killed by signal 9 at ten random instants, and goes on each time. */
static void killed(void **state) {
    static const char text[] =
        "study: killed\nmodel: ball.yaml\nset: {run.step: 0.05 ms}\nvary: {e: {from: 0.1, to: 0.9, count: 60}}\n"
        "measure: {impacts: {count: events.impact}, y: {end: body.ball.y}}\n";
    char command[400];
    (void)state;
    save("killed.yaml", text);
    assert_int_equal(jounce("study killed.yaml -o calm --threads 2 --quiet"), 0);
    for (int k = 0; k < 10; k++) {
        snprintf(command, sizeof command,
                 "timeout -s KILL 0.%02d " JN_CLI
                 " study killed.yaml -o hurried --threads 2 --quiet %s >/dev/null 2>&1",
                 5 + 7 * k % 30, k ? "--resume" : "");
        (void)!system(command);
    }
    assert_int_equal(jounce("study killed.yaml -o hurried --threads 2 --quiet --resume"), 0);
    same_files("calm", "hurried", "study.csv");
}

/* A row has the hash of jounce run with the same values. */
static void same_run(void **state) {
    char hash[40];
    (void)state;
    jn_study *s = study_open(
        "study: same\nmodel: ball.yaml\nvary: {e: [0.3, 0.7], drop: [0.7]}\nmeasure: {y: {end: body.ball.y}}\n");
    run_study(s, NULL, 1);
    for (int r = 0; r < 2; r++) {
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->row[r].hash);
        assert_int_equal(jounce(r ? "run ball.yaml --set e=0.7 --set drop=0.7 -o one"
                                  : "run ball.yaml --set e=0.3 --set drop=0.7 -o one"),
                         0);
        said(hash);
    }
    jn_study_free(s);
}

/* Between two impacts the ball flies on parabolas: apex heights e^2 h, up to the step. */
static void samples(void **state) {
    (void)state;
    jn_study *s = study_open("study: apex\nmodel: ball.yaml\nset: {run.step: 0.1 ms}\nvary: {e: [0.5, 0.8]}\n"
                             "measure: {apex: {sample: [body.ball.y], when: body.ball.vy crosses 0 down, most: 1}}\n");
    run_study(s, NULL, 1);
    for (int r = 0; r < 2; r++) {
        const jn_study_samples *list = &s->row[r].samples[0];
        double e = r ? 0.8 : 0.5;
        assert_int_equal(list->count, 1);
        assert_near(list->data[1] - 0.1, 0.9 * e * e, 2e-3);
        assert_near(list->data[0], (1 + e) * sqrt(2 * 0.9 / 9.81), 1e-3);
    }
    jn_study_free(s);
}

/* A ball on a vibrating table: below the first period doubling each impact throws it up with g T/2, beyond it with two speeds in turn
 * [Holmes1982]; 1.5272 is the acceleration in between, for e = 0.5. */
static void doubling(void **state) {
    jn_report report = {0};
    (void)state;
    jn_study *s = jn_study_open(JN_SOURCE_DIR "/models/studies/bouncing_ball.yaml", NULL, 0, &report);
    check_report(&report);
    double limit = sqrt(pow(acos(-1) / 3, 2) + pow(2 * 1.25 / 2.25, 2)), half = 9.81 / 120;
    static const double share[] = {0.98, 0.995, 1.005, 1.02};
    for (int k = 0; k < 4; k++) s->point[k] = share[k] * limit;
    s->rows = s->tasks = 4;
    run_study(s, NULL, 2);
    for (int k = 0; k < 4; k++) {
        const jn_study_samples *list = &s->row[k].samples[0];
        assert_true(list->count >= 40);
        const double *last = list->data + 3 * (list->count - 2), *first = last - 3;
        double before = fabs(first[2] - last[2]);
        print_message("a = %.4f: speeds %.9f and %.9f m/s, g T/2 = %.9f\n", s->point[k], first[2], last[2], half);
        if (k == 0) assert_near(last[2], half, 1e-9);
        if (k == 1) assert_near(last[2], half, 1e-3);
        if (k == 3) assert_true(before > 5e-3);
    }
    s->rows = 240;
    jn_study_free(s);
}

/* T = 4 K(sin(A/2)) / w with K by the arithmetic-geometric mean. */
static double period(double l, double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int k = 0; k < 8; k++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return 2 * acos(-1) * sqrt(l / 10) / a;
}

/* Monte Carlo of a pendulum's period: each run against the closed form, mean and quantiles of all against theirs. */
static void pendulum_period(void **state) {
    (void)state;
    jn_study *s = study_open(
        "study: period\nmodel: pendulum.yaml\nvary: {l: {normal: [1 m, 20 mm]}, amplitude: {uniform: [0.2, 1.2]}}\n"
        "samples: {count: 512, rule: sobol}\n"
        "measure: {quarter: {instant: joint.pin.q crosses 0, below: 0.5 s}}\n");
    run_study(s, NULL, 2);
    double worst = 0, mean = 0, exact = 0;
    for (long r = 0; r < 512; r++) {
        double t = 4 * jn_study_value(s, r, 2), closed = period(jn_study_value(s, r, 0), jn_study_value(s, r, 1));
        worst = fmax(worst, fabs(t - closed) / closed), mean += t / 512;
    }
    for (int i = 0; i < 400; i++) /* the length's part is E sqrt(1 + 0.02 z) = 1 - 0.02^2 / 8 */
        exact += period(1, 0.2 + (i + 0.5) / 400) / 400 * (1 - 0.0004 / 8);
    print_message("period: largest relative error %.2e of a run, %.2e of the mean\n", worst,
                  fabs(mean - exact) / exact);
    assert_below(worst, 1e-6);
    assert_near(mean, exact, 2e-5 * exact);
    bool found = false;
    for (int i = 0; i < s->findings; i++) found |= !strncmp(s->finding[i].name, "P(quarter < 0.5", 15);
    assert_true(found);
    jn_study_free(s);
}

/* Sobol indices of Ishigami's function [Ishigami1990] through the model language, to 1 %, within their intervals. */
static void ishigami(void **state) {
    const double pi = acos(-1), a = 7, b = 0.1,
                 variance = a * a / 8 + b * pow(pi, 4) / 5 + b * b * pow(pi, 8) / 18 + 0.5;
    const double v1 = 0.5 * pow(1 + b * pow(pi, 4) / 5, 2), v2 = a * a / 8, v13 = b * b * pow(pi, 8) * 8 / 225;
    const double exact[6] = {v1 / variance, v2 / variance, 0, (v1 + v13) / variance, v2 / variance, v13 / variance};
    jn_report report = {0};
    (void)state;
    jn_study *s = jn_study_open(JN_SOURCE_DIR "/models/studies/ishigami.yaml", NULL, 0, &report);
    check_report(&report);
    run_study(s, NULL, 2);
    assert_int_equal(s->findings, 6);
    for (int i = 0; i < 6; i++) {
        print_message("%s: %.4f (%.4f to %.4f), exact %.4f\n", s->finding[i].name, s->finding[i].value,
                      s->finding[i].low, s->finding[i].high, exact[i]);
        assert_near(s->finding[i].value, exact[i], 0.01);
        assert_true(s->finding[i].low < exact[i] && exact[i] < s->finding[i].high);
    }
    jn_study_free(s);
}

/* Mistakes are reported with their place and what to write instead. */
static void mistakes(void **state) {
    static const struct {
        const char *text, *message, *hint;
        int line;
    } cases[] = {
        {"study: x\nmodel: pendulum.yaml\nvary: {lenght: [1]}\nmeasure: {q: {end: joint.pin.q}}\n",
         "no parameter 'lenght'", "", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {amplitud: [1]}\nmeasure: {q: {end: joint.pin.q}}\n",
         "no parameter 'amplitud'", "amplitude", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {bob.mas: [1]}\nmeasure: {q: {end: joint.pin.q}}\n",
         "unknown key 'mas'", "mass", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {bobb.mass: [1]}\nmeasure: {q: {end: joint.pin.q}}\n", "'bobb'",
         "bob.mass", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {bob.mass: [1 m]}\nmeasure: {q: {end: joint.pin.q}}\n", "mass", "", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: {from: 1 m, to: 2 kg}}\nmeasure: {q: {end: joint.pin.q}}\n", "", "",
         3},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: {normall: [1, 2]}}\nmeasure: {q: {end: joint.pin.q}}\n",
         "neither a range", "normal", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: {normal: [1]}}\nmeasure: {q: {end: joint.pin.q}}\n",
         "takes 2 numbers", "normal", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: {normal: [1, 2]}}\nmeasure: {q: {end: joint.pin.q}}\n",
         "number of samples", "count", 1},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\nmeasure: {q: {end: joint.pim.q}}\n", "joint.pim.q",
         "joint.pin.q", 4},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\nmeasure: {q: {maks: joint.pin.q}}\n", "measures nothing",
         "max", 4},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\nmeasure: {q: {max: joint.pin.q, affter: 1}}\n", "'affter'",
         "after", 4},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\nmeasure: {q: {sample: joint.pin.q}}\n", "instants", "when",
         4},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\nmeasure: {q: {sample: joint.pin.q, when: sometimes}}\n",
         "no instant", "crosses", 4},
        {"study: x\nmodel: pendulum.yaml\nvari: {l: [1]}\nmeasure: {q: {end: joint.pin.q}}\n", "unknown key 'vari'",
         "vary", 3},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\n", "'measure' is missing", "measure", 1},
        {"study: x\nmodel: nowhere.yaml\nvary: {l: [1]}\nmeasure: {q: {end: joint.pin.q}}\n", "nowhere.yaml", "", 0},
        {"study: x\nmodel: pendulum.yaml\nvary: {l: [1]}\nsamples: {rule: soboll}\nmeasure: {q: {end: joint.pin.q}}\n",
         "soboll", "sobol", 4},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jn_report report = {0};
        save("wrong.yaml", cases[k].text);
        jn_study *s = jn_study_open("wrong.yaml", NULL, 0, &report);
        if (s || !report.errors) fail_msg("case %zu is taken for good:\n%s", k, cases[k].text);
        const jn_error *e = &report.item[0];
        if (!strstr(e->text, cases[k].message) || !strstr(e->hint, cases[k].hint) ||
            (cases[k].line && e->line != cases[k].line))
            fail_msg("case %zu: line %d: %s (%s), expected line %d: %s (%s)", k, e->line, e->text, e->hint,
                     cases[k].line, cases[k].message, cases[k].hint);
    }
}

/* A batch of models with other parameters ends with the hashes of the study. */
static void batch(void **state) {
    enum { N = 5 };
    jn_model *model[N];
    jn_report report = {0};
    (void)state;
    jn_study *s = study_open("study: batch\nmodel: ball.yaml\nvary: {e: {from: 0.1, to: 0.9, count: 5}}\nmeasure: {y: "
                             "{end: body.ball.y}}\n");
    run_study(s, NULL, 1);
    for (int i = 0; i < N; i++) assert_non_null(model[i] = jn_study_model(s, i, &report));
    for (int threads = 1; threads < 4; threads++) {
        jn_batch *b = jn_batch_create_of((const jn_model *const *)model, N, threads, &report);
        check_report(&report);
        assert_int_equal(jn_batch_advance(b, 1.0), JN_OK);
        for (int i = 0; i < N; i++) assert_true(jn_state_hash(jn_sim_state(jn_batch_sim(b, i))) == s->row[i].hash);
        jn_batch_free(b);
    }
    assert_null(jn_study_model(s, N, &report));
    for (int i = 0; i < N; i++) jn_model_free(model[i]);
    jn_study_free(s);
}

static bool not_now(void *context, long done, long rows, double wall) {
    (void)context, (void)done, (void)rows, (void)wall;
    return false;
}

/* A caller who wants no more is heard within a long run; the study goes on from there to the same bytes. */
static void stopped(void **state) {
    static const char text[] =
        "study: stopped\nmodel: ball.yaml\nset: {run.until: 400 s, run.sleep: false}\nvary: {e: [0.5, 0.6, 0.7]}\n"
        "measure: {y: {end: body.ball.y}}\n";
    jn_report report = {0};
    (void)state;
    jn_study *s = study_open(text);
    assert_int_equal(
        jn_study_perform(s, &(jn_study_options){.folder = "stopped", .threads = 2, .progress = not_now}, &report),
        JN_STOPPED);
    for (long r = 0; r < 3; r++) assert_int_equal(jn_study_state(s, r), 0);
    assert_int_equal(
        jn_study_perform(s, &(jn_study_options){.folder = "stopped", .threads = 2, .resume = true}, &report), JN_OK);
    run_study(s, "straight", 1);
    same_files("stopped", "straight", "study.csv");
    jn_study_free(s);
}

static long allowed; /* allocations until one fails; < 0: none fails */

static bool allow(void *context, size_t size) {
    (void)context, (void)size;
    return allowed < 0 || allowed-- != 0;
}

/* Whichever allocation fails: a message or a whole study, never a row that blames the run. */
static void memory(void **state) {
    static const char text[] = "study: memory\nmodel: ball.yaml\nset: {run.until: 10 ms}\nvary: {e: [0.2, 0.4], drop: "
                               "{from: 1, to: 2, count: 2}}\n"
                               "measure: {y: {max: 2*body.ball.y}, s: {sample: [body.ball.y], when: every 1 ms}}\n";
    long failures = 0, k = 0;
    (void)state;
    save("memory.yaml", text);
    for (bool whole = false; !whole && k < 20000; k += k < 400 ? 1 : 7) {
        jn_report report = {0};
        allowed = k;
        jn_memory_hook(allow, NULL);
        jn_study *s = jn_study_open("memory.yaml", NULL, 0, &report);
        int status =
            s ? jn_study_perform(s, &(jn_study_options){.folder = "memory", .threads = 1}, &report) : JN_ERR_MEMORY;
        whole = allowed >= 0 && status == JN_OK;
        jn_memory_hook(NULL, NULL);
        if (!whole) {
            failures++;
            if (status >= 0 && allowed < 0)
                status = JN_ERR_MEMORY; /* a part that can do without, such as a suggestion */
            if (!s && !report.errors) fail_msg("allocation %ld fails without a message", k);
        }
        for (long r = 0; s && r < jn_study_rows(s); r++)
            if (jn_study_state(s, r) == 3)
                fail_msg("allocation %ld: row %ld is blamed: %s", k, r, jn_study_message(s, r));
        jn_study_free(s);
    }
    print_message("%ld allocations were made to fail\n", failures);
    assert_true(failures > 300);
    assert_true(k < 20000);
}

/* schema/study.schema.json is what the tables make (JN_UPDATE=1 writes it), and the page names every key. */
static void schema(void **state) {
    size_t length, page_length;
    char *made = jn_study_schema();
    const char *path = JN_SOURCE_DIR "/schema/study.schema.json";
    (void)state;
    assert_non_null(made);
    if (getenv("JN_UPDATE")) assert_int_equal(jn_file_write(path, made, strlen(made)), 0);
    unsigned char *kept = bytes_of(path, &length), *page = bytes_of(JN_SOURCE_DIR "/docs/studies.md", &page_length);
    if (length != strlen(made) || memcmp(kept, made, length))
        fail_msg("schema/study.schema.json is not that of the tables; JN_UPDATE=1 writes it");
    char *text = jn_malloc(page_length + 1);
    memcpy(text, page, page_length), text[page_length] = 0;
    for (const jn_field *f = jn_study_fields.fields; f->key; f++) has(text, f->key);
    for (int i = 0; jn_measure_kinds[i]; i++) has(text, jn_measure_kinds[i]->key);
    for (int i = 1; jn_study_kinds[i]; i++) has(text, jn_study_kinds[i]->key);
    free(made), jn_free(kept), jn_free(page), jn_free(text);
}

/* The first example of the documentation is a study. */
static void documented(void **state) {
    size_t length;
    int reason;
    jn_report report = {0};
    char text[4000];
    (void)state;
    char *page = (char *)jn_file_read(JN_SOURCE_DIR "/docs/studies.md", &length, &reason);
    assert_non_null(page);
    page[length - 1] = 0;
    char *from = strstr(page, "```yaml\n"), *to = from ? strstr(from + 8, "```") : NULL, *model = strstr(page, "../flores2010");
    assert_true(to && model && model < to);
    snprintf(text, sizeof text, "%.*s" JN_SOURCE_DIR "/models/flores2010%.*s", (int)(model - from - 8), from + 8,
             (int)(to - model - 13), model + 13);
    save("study.yaml", text);
    jn_study *s = jn_study_open("study.yaml", NULL, 0, &report);
    check_report(&report);
    assert_int_equal(jn_study_rows(s), 10000);
    jn_study_free(s);
    jn_free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid),     cmocka_unit_test(failures), cmocka_unit_test(threads),
        cmocka_unit_test(same_run), cmocka_unit_test(samples),  cmocka_unit_test(doubling),
        cmocka_unit_test(mistakes), cmocka_unit_test(batch),    cmocka_unit_test(memory),
        cmocka_unit_test(schema), cmocka_unit_test(documented),   cmocka_unit_test(stopped),  cmocka_unit_test(pendulum_period),
        cmocka_unit_test(ishigami), cmocka_unit_test(killed),   cmocka_unit_test(damage),
        cmocka_unit_test(foreign)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}
