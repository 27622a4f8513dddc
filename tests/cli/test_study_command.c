/* jounce study: what it says, what it writes, figures of every kind, and what it refuses. */
#include "command.h"
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char pendulum[] = "plane: xy\nparameters: {l: 1, m: 1, q0: 0.1}\n"
                               "bodies: {bob: {mass: m, inertia: 0, com: [0, -l]}}\n"
                               "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0], position: q0}}\n"
                               "run: {until: 0.5 s}\n";

static int enter(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("pendulum.yaml", pendulum);
    return 0;
}

static long size_of(const char *path) {
    struct stat info;
    return stat(path, &info) ? -1 : (long)info.st_size;
}

/* All kinds of figures in all formats, and a page that needs nothing from elsewhere. */
static void figures(void **state) {
    static char page[2000000];
    (void)state;
    save("grid.yaml", "study: Grid & <figures>\nmodel: pendulum.yaml\n"
                      "vary: {l: {from: 0.5, to: 2, count: 6}, q0: {from: 0.1, to: 1, count: 4}}\n"
                      "measure:\n  q: {end: joint.pin.q, below: 0.2}\n  path: {sample: [joint.pin.q, joint.pin.u], "
                      "when: every 50 ms}\n"
                      "plots:\n  - {heat: [l, q0, q], file: heat.png}\n  - {heat: [l, q0, q], file: heat.svg}\n  - "
                      "{section: [path, path.2], file: section.pdf}\n"
                      "  - {bifurcation: [l, path], file: many.svg}\n  - {histogram: q, file: bars.svg, title: Bars}\n "
                      " - {scatter: [l, q], log_x: true}\n");
    assert_int_equal(jounce("study grid.yaml -o grid --threads 2"), 0);
    said("24 of 24 runs");
    said("P(q < 0.2)");
    said("drawn     6 figures");
    static const char *const made[] = {"grid/heat.png", "grid/heat.svg",    "grid/section.pdf",
                                       "grid/many.svg", "grid/bars.svg",    "grid/plot06_scatter_q.svg",
                                       "grid/study.h5", "grid/findings.csv"};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (size_of(made[k]) < 60) fail_msg("%s is missing or empty", made[k]);
    load("grid/report.html", page, sizeof page);
    has(page, "Grid &amp; &lt;figures&gt;");
    has(page, "default-src 'none'");
    assert_int_equal(count_of(page, "<figure>"), 6);
    assert_int_equal(count_of(page, "src="), 0);
    assert_int_equal(count_of(page, "href="), 0);
    load("grid/heat.svg", page, sizeof page);
    assert_true(count_of(page, "M") > 24); /* a box for each run */
}

/* Pareto's front against the closed form: at each speed the throw at 45 degrees alone; and a fit with its residuals. */
static void fronts_and_fits(void **state) {
    static char page[2000000];
    (void)state;
    save("front.yaml", "study: Front\nmodel: " JN_SOURCE_DIR "/models/textbook/throw.yaml\n"
                       "vary: {speed: {from: 5, to: 9, count: 5}, angle: [20 deg, 45 deg, 70 deg]}\n"
                       "measure: {range: {end: body.ball.x}, energy: {max: energy.kinetic}}\n"
                       "plots:\n  - {pareto: [energy, range], best: [small, large], file: front.svg}\n  - {pareto: "
                       "[energy, range], file: least.png}\n");
    assert_int_equal(jounce("study front.yaml -o front"), 0);
    load("front/front.svg", page, sizeof page);
    has(page, "none is better in both");
    assert_true(size_of("front/least.png") > 1000);
    save("data.csv", "time,angle\n0.1,0.0952\n0.2,0.0814\n0.3,0.0593\n0.4,0.0311\n");
    save("fit.yaml",
         "study: Fit\nmodel: pendulum.yaml\ntables: {seen: {file: data.csv, x: time, y: angle}}\n"
         "vary: {l: {from: 0.5, to: 2}}\nmeasure: {q: {compare: joint.pin.q, with: seen, deviation: 0.001}}\n"
         "identify: {starts: 2}\n");
    assert_int_equal(jounce("study fit.yaml -o fit"), 0);
    load("fit/plot01_fit_joint_pin_q.svg", page, sizeof page);
    has(page, "measured");
    has(page, "residual");
    load("fit/report.html", page, sizeof page);
    has(page, "residual");
}

/* The study's own parameters stand in expressions over channels, too. */
static void own_parameters(void **state) {
    static char text[20000];
    (void)state;
    save("own.yaml",
         "study: x\nmodel: pendulum.yaml\nparameters: {span: 0.25 s, lq: 3}\nvary: {l: [1, 2]}\nuntil: 2*span\n"
         "measure: {a: {end: joint.pin.q*1}, b: {end: lq*joint.pin.q + 0*lq}, c: {end: joint.pin.q/span}}\n");
    assert_int_equal(jounce("study own.yaml -o own"), 0);
    load("own/study.csv", text, sizeof text);
    double a, b, c, l;
    assert_int_equal(sscanf(strchr(text, '\n') + 1, "0,%lf,%lf,%lf,%lf", &l, &a, &b, &c), 4);
    assert_near(b, 3 * a, 1e-15);
    assert_near(c, 4 * a, 1e-15);
}

/* Without `plots` the study chooses; the default folder is out/NAME. */
static void choice(void **state) {
    (void)state;
    save("tolerance.yaml", "study: Tolerance\nmodel: pendulum.yaml\nvary: {l: {normal: [1, 0.01]}}\nsamples: {count: "
                           "64}\nmeasure: {q: {end: joint.pin.q}}\n");
    assert_int_equal(jounce("study tolerance.yaml"), 0);
    said("95 % of q");
    assert_true(size_of("out/tolerance/plot01_histogram_q.svg") > 200);
    save("indices.yaml", "study: Indices\nmodel: pendulum.yaml\nvary: {l: {normal: [1, 0.01]}, q0: {uniform: [0.1, "
                         "0.2]}}\nsensitivity: {points: 16}\nmeasure: {q: {end: joint.pin.q}}\n");
    assert_int_equal(jounce("study indices.yaml -o indices"), 0);
    said("total index of q by q0");
    assert_true(size_of("indices/plot01_tornado_q.svg") > 200);
}

static void dry_run(void **state) {
    (void)state;
    assert_int_equal(jounce("study grid.yaml -o nothing --dry-run"), 0);
    said("24 runs");
    said("all of them about");
    said("MB");
    assert_int_equal(size_of("nothing"), -1);
}

/* Mistakes in `plots` are reported before any run. */
static void mistakes(void **state) {
    static const char *const plots[][3] = {
        {"[{scater: [l, q]}]", "no key 'scater'", "scatter"},
        {"[{scatter: [l, p]}]", "no parameter or measure 'p'", ""},
        {"[{scatter: [l]}]", "number of names", "scatter: [PARAMETER, MEASURE]"},
        {"[{scatter: [l, q], file: a.gif}]", "no picture", "a.gif"},
        {"[{pareto: [l, q], best: [tiny, large]}]", "small or large, not 'tiny'", ""},
        {"[{fit: q}]", "'compare'", "with: TABLE"},
        {"[{scatter: [l, q], best: [small, large]}]", "'pareto'", "best"},
        {"scatter", "is a list", "plots: ["}};
    char text[600];
    (void)state;
    for (size_t k = 0; k < sizeof plots / sizeof *plots; k++) {
        snprintf(text, sizeof text,
                 "study: x\nmodel: pendulum.yaml\nvary: {l: [1, 2]}\nmeasure: {q: {end: joint.pin.q}}\nplots: %s\n",
                 plots[k][0]);
        save("wrong.yaml", text);
        assert_int_equal(jounce("study wrong.yaml -o wrong"), 2);
        has(err, "wrong.yaml:5:");
        has(err, plots[k][1]);
        has(err, plots[k][2]);
        assert_int_equal(size_of("wrong"), -1);
    }
    assert_int_equal(jounce("study grid.yaml --threads none"), 2);
    assert_int_equal(jounce("study nowhere.yaml"), 2);
    assert_int_equal(jounce("study grid.yaml --resum"), 2);
    has(err, "--resume");
}

/* All runs fail: exit status 1, and the table says why. */
static void all_fail(void **state) {
    static char text[20000];
    (void)state;
    save("fail.yaml",
         "study: x\nmodel: pendulum.yaml\nvary: {m: [-1, -2]}\nmeasure: {q: {end: joint.pin.q}}\nkeep: failed\n");
    int status = jounce("study fail.yaml -o fail");
    if (status == 2) return; /* the first value is tried while the file is read: an error with its place */
    assert_int_equal(status, 1);
    load("fail/study.csv", text, sizeof text);
    assert_int_equal(count_of(text, "failed"), 2);
}

/* Under mpirun without the component: what is missing, and what to do. */
static void no_component(void **state) {
    char line[700];
    (void)state;
    snprintf(line, sizeof line,
             "cp '%s' alone && OMPI_COMM_WORLD_SIZE=2 ./alone study grid.yaml >stdout.txt 2>stderr.txt", JN_CLI);
    assert_int_not_equal(system(line), 0);
    load("stderr.txt", err, sizeof err);
    said("libjounce_mpi.so");
    said("libopenmpi-dev");
}

/* keep: every second run has all its results. */
static void kept(void **state) {
    (void)state;
    save("keep.yaml",
         "study: x\nmodel: pendulum.yaml\nvary: {l: [1, 2, 3]}\nmeasure: {q: {end: joint.pin.q}}\nkeep: {every: 2}\n");
    assert_int_equal(jounce("study keep.yaml -o keep"), 0);
    assert_true(size_of("keep/runs/000000/summary.json") > 100);
    assert_true(size_of("keep/runs/000002/series.csv") > 100);
    assert_int_equal(size_of("keep/runs/000001"), -1);
}

/* Number behind a key in a line of summary.json. */
static double number_of(const char *line, const char *key) {
    const char *at = strstr(line, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* jounce run --converge: the order of rk4, a limit that holds the closed form cos(10 t) within its error, and advice that leads to 1 % of the range. */
static void converge(void **state) {
    static char text[200000];
    char command[120] = "run decay.yaml -o decay --converge";
    int rounds = 1;
    (void)state;
    save("decay.yaml", "plane: xy\nbodies: {cart: {mass: 1, inertia: 1, com: [0, 0]}}\n"
                       "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0], along: x, position: 1, "
                       "stiffness: 100}}\ngravity: [0, 0]\nrun: {until: 2 s, integrator: rk4, step: 0.1 s}\n");
    assert_true(jounce(command) <= 1); /* the audit may be bad with so long a step */
    said("converge  step 0.1, 0.05 and 0.025");
    for (const char *advice; rounds < 4 && (advice = strstr(out, "write 'step: ")); rounds++) {
        snprintf(command, sizeof command, "run decay.yaml -o decay --converge --set run.step=%g",
                 strtod(advice + 13, NULL));
        assert_true(jounce(command) <= 1);
    }
    assert_true(rounds > 1);
    said("good enough");
    load("decay/summary.json", text, sizeof text);
    const char *line = strstr(text, "\"channel\": \"joint.rail.q\"");
    assert_non_null(line);
    double limit = number_of(line, "\"limit\": "), error = number_of(line, "\"error\": ");
    assert_near(number_of(line, "\"order\": "), 4, 0.6);
    assert_true(fabs(limit - cos(20)) < error);
    assert_true(number_of(line, "\"error_of_this_run\": ") < 0.01 * 2);
    assert_int_equal(jounce("study decay/converge.yaml -o decay_study"),
                     0); /* the study that it wrote can be done on its own */
    said("order of joint_rail_q");
}

/* A journal that may not grow: file and reason are named, the status is not 0, and what was written leads on to the table of a whole study. */
static void full_disk(void **state) {
    static char whole[100000], resumed[100000];
    struct rlimit usual, limit;
    (void)state;
    save("many.yaml", "study: Many\nmodel: pendulum.yaml\nvary: {q0: {from: 0.1, to: 1, count: 24}}\n"
                      "measure: {q: {end: joint.pin.q}}\n");
    assert_int_equal(jounce("study many.yaml -o many --threads 2 --quiet"), 0);
    rlim_t size = (rlim_t)size_of("many/study.journal");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    for (rlim_t part = 0; part < 4; part++) {
        limit = (struct rlimit){size * part / 4 + 100, usual.rlim_max}; /* within a record */
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        int status = jounce("study many.yaml -o short --threads 2 --quiet");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        assert_int_equal(status, 2);
        has(err, "short/study.journal: error: cannot be written: File too large");
        assert_int_equal(count_of(err, "error:"), 1);
        assert_int_equal(jounce("study many.yaml -o short --threads 2 --resume"), 0);
        said("24 of 24 runs");
        load("many/study.csv", whole, sizeof whole), load("short/study.csv", resumed, sizeof resumed);
        assert_string_equal(whole, resumed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures),        cmocka_unit_test(choice),
                                       cmocka_unit_test(dry_run),        cmocka_unit_test(mistakes),
                                       cmocka_unit_test(all_fail),       cmocka_unit_test(no_component),
                                       cmocka_unit_test(kept),           cmocka_unit_test(fronts_and_fits),
                                       cmocka_unit_test(own_parameters), cmocka_unit_test(converge),
                                       cmocka_unit_test(full_disk)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}
