/* Work-precision: error at the end of a run against its wall time, for every integrator, on Andrews' squeezer
 * (constraints, fast motion) and a double pendulum. Right is what dopri45 gives at its finest; adams must agree with
 * it, and for Andrews' squeezer the values of the IVP Test Set in the model file. A plot goes to --svg FILE. */
#include "bench.h"
#include "chart/chart.h"
#include "scenes.h"
#include <jounce/trace.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANNELS = 8, RUNS = 7 };

typedef struct problem {
    const char *name;
    jn_description *d;
    double until; /* [s] */
    const char *channel[MAX_CHANNELS];
    double right[MAX_CHANNELS];
    int channels;
    double longest; /* [s] largest fixed step */
} problem;

typedef struct outcome {
    double seconds, value[MAX_CHANNELS];
    long steps;
    bool ok;
} outcome;

/* One run; the wall time is that of stepping, the best of up to eight. setting: step [s] or tolerance. */
static outcome solve(const problem *p, jn_integrator integrator, double setting) {
    outcome o = {.seconds = INFINITY, .ok = false};
    jn_report report = {0};
    bool adaptive = jn_integrator_get_info(integrator)->adaptive;
    p->d->run.integrator = integrator;
    p->d->run.step = adaptive ? 0 : setting;
    p->d->run.relative_tolerance = p->d->run.absolute_tolerance = setting;
    jn_model *m = jn_model_compile(p->d, &report);
    if (!m) bench_give_up(p->name, report.item[0].text);
    jn_channels *channels = jn_channels_create(m, p->channel, p->channels, &report);
    for (int k = 0; k < 8 && (k == 0 || k * o.seconds < 0.3); k++) {
        jn_sim *sim = jn_sim_create(m, &report);
        if (!sim || !channels) bench_give_up(p->name, report.item[0].text);
        double start = bench_now(), value[MAX_CHANNELS];
        int status = jn_sim_advance(sim, p->until);
        o.seconds = fmin(o.seconds, bench_now() - start);
        o.ok = status >= 0 && jn_channels_read(channels, sim, value) >= 0;
        o.steps = jn_sim_audit(sim)->steps;
        for (int i = 0; i < p->channels && o.ok; i++) o.value[i] = value[jn_channels_find(channels, p->channel[i])];
        jn_sim_free(sim);
        if (!o.ok) break;
    }
    jn_channels_free(channels);
    jn_model_free(m);
    return o;
}

static double error_of(const problem *p, const double *value) {
    double most = 0;
    for (int i = 0; i < p->channels; i++) most = fmax(most, fabs(value[i] - p->right[i]));
    return most;
}

/* Best error that each integrator must reach with its finest setting here. */
static const double must_reach[] = {
    [JN_INTEGRATOR_EULER] = 0.1,     [JN_INTEGRATOR_VERLET] = 1e-5, [JN_INTEGRATOR_RK4] = 1e-9,
    [JN_INTEGRATOR_DOPRI45] = 1e-10, [JN_INTEGRATOR_ADAMS] = 1e-9,  [JN_INTEGRATOR_BDF] = 1e-8};

enum { INTEGRATORS = JN_INTEGRATOR_BDF - JN_INTEGRATOR_EULER + 1 };

/* Error over time, a curve for each integrator. */
typedef struct diagram {
    double ms[INTEGRATORS][RUNS], error[INTEGRATORS][RUNS]; /* NAN where it broke off */
    chart_curve curve[INTEGRATORS];
} diagram;

static void measure_integrator(const problem *p, jn_integrator integrator, diagram *d) {
    const jn_integrator_info *info = jn_integrator_get_info(integrator);
    double best = INFINITY;
    int k = integrator - JN_INTEGRATOR_EULER;
    d->curve[k] = (chart_curve){d->ms[k], d->error[k], RUNS, info->name};
    for (int i = 0; i < RUNS; i++) {
        double setting = info->adaptive ? pow(10, -4 - 1.5 * i) : p->longest * pow(0.5, i);
        outcome o = solve(p, integrator, setting);
        d->ms[k][i] = d->error[k][i] = NAN;
        printf("%-16s %-8s %10.2e", p->name, info->name, setting);
        if (!o.ok) {
            printf(" %10s %12s %12s\n", "-", "-", "breaks off");
            continue;
        }
        double error = error_of(p, o.value);
        printf(" %10ld %12.3f %12.2e\n", o.steps, 1e3 * o.seconds, error);
        char label[48];
        snprintf(label, sizeof label, "%s %.1e", info->name, setting);
        bench_record(p->name, (int)o.steps, label, "ms", 1e3 * o.seconds);
        bench_record(p->name, (int)o.steps, label, "error", error);
        d->ms[k][i] = 1e3 * o.seconds, d->error[k][i] = error;
        best = fmin(best, error);
    }
    bench_check(p->name, info->name, best, must_reach[integrator]);
}

static void measure(const problem *p, diagram *d) {
    printf("%-16s %-8s %10s %10s %12s %12s\n", "", "", "step/tol", "steps", "ms", "error");
    for (int k = JN_INTEGRATOR_EULER; k <= JN_INTEGRATOR_BDF; k++) measure_integrator(p, (jn_integrator)k, d);
}

static void find_right(problem *p) {
    outcome a = solve(p, JN_INTEGRATOR_DOPRI45, 1e-14), b = solve(p, JN_INTEGRATOR_ADAMS, 1e-14);
    memcpy(p->right, a.value, sizeof p->right);
    bench_check(p->name, "dopri45 against adams", error_of(p, b.value), 1e-10);
}

static problem andrews(void) {
    jn_report report = {0};
    problem p = {.name = "andrews", .until = 0.03, .longest = 1e-4};
    double published[MAX_CHANNELS];
    p.d = jn_description_read(JN_SOURCE_DIR "/models/iftomm/andrews.yaml", NULL, 0, &report);
    if (!p.d) bench_give_up(p.name, report.item[0].text);
    for (int i = 0; i < p.d->expect_count && p.channels < MAX_CHANNELS; i++) {
        const jn_expect_desc *e = &p.d->expects[i];
        if (e->at != JN_EXPECT_TIME || e->time != p.until) continue;
        p.channel[p.channels] = e->channel;
        published[p.channels++] = e->value;
    }
    find_right(&p);
    bench_check(p.name, "dopri45 against the IVP Test Set", error_of(&p, published), 1e-8);
    return p;
}

static problem double_pendulum(void) {
    problem p = {.name = "double pendulum",
                 .until = 2,
                 .longest = 2e-2,
                 .d = scene_double_pendulum(),
                 .channels = 2,
                 .channel = {"joint.shoulder.q", "joint.elbow.q"}};
    find_right(&p);
    return p;
}

enum { PROBLEMS = 2, WIDTH = 95, HEIGHT = 85 }; /* [mm] of a diagram */

static void draw(const char *path, const problem *problems, const diagram *diagrams) {
    canvas *c = canvas_open_svg(path, PROBLEMS * WIDTH, HEIGHT);
    for (int i = 0; i < PROBLEMS && c; i++) {
        chart picture = {.title = problems[i].name,
                         .x = {.label = "wall time [ms]", .log = true},
                         .y = {.name = "error", .log = true},
                         .curve = diagrams[i].curve,
                         .curves = INTEGRATORS,
                         .style = CHART_LINES_AND_POINTS,
                         .legend = true};
        chart_draw(c, &picture, (canvas_box){i * WIDTH, 0, (i + 1) * WIDTH, HEIGHT});
    }
    if (!c || !canvas_close(c)) bench_give_up(path, "cannot be written");
}

int main(int argc, char **argv) {
    bench_begin(argc, argv, "precision");
    const char *path = bench_argument(argc, argv, "--svg");
    problem problems[PROBLEMS] = {andrews(), double_pendulum()};
    diagram diagrams[PROBLEMS];
    for (int i = 0; i < PROBLEMS; i++) {
        measure(&problems[i], &diagrams[i]);
        jn_description_free(problems[i].d);
    }
    if (path) draw(path, problems, diagrams);
    return bench_end();
}
