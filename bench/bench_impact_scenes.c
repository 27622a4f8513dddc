/* Random scenes by method impact: how many end, with which audit, how far from closed forms and from the nonsmooth method.
 *   bench_impact_scenes print NUMBER               the model file of a scene
 *   bench_impact_scenes odd [COUNT [FIRST]]        odd scenes (default 200): which end, and how
 *   bench_impact_scenes print odd NUMBER           the model file of one of them
 *   bench_impact_scenes hard [COUNT [FIRST]], bench_impact_scenes print hard NUMBER: the same of hard scenes
 *   bench_impact_scenes [COUNT [FIRST [compare]]]   COUNT scenes (default 1000) from the number FIRST on; compare: with the nonsmooth method at 1e-5 s, too
 * A scene that breaks off, or that misses its closed form by more than 1e-6, is named. The nonsmooth method has Moreau's law of impacts; it is compared with method
 * impact by that law. It agrees to its order where the difference is below 1e-4 m ('near') or falls with its step, by momentum_leapfrog or, for one coefficient
 * of friction, by moreau_jean ('moreau': by that alone; scenes with static friction are taken without it then, for it has none). Else: 'scatter' comes nearer than half of that with another step of 0.5e-5 to 2e-5 s, so that the nonsmooth
 * method has no answer of its own to that accuracy; 'crowded' has impacts that follow each
 * other within its step, which are one impact there; 'sensitive' moves as far where the inputs of method impact differ by 1e-5; the others are named. */
#include "bench.h"
#include "hard_scenes.h"
#include "impact_scenes.h"
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOW = 15 }; /* [s] of the processor for a scene */

typedef struct outcome {
    int status;
    bool good;
    double x[3]; /* [m] displacement of b */
    double time; /* [s] of the processor */
    jn_audit audit;
    char error[300];
    double impact; /* [s] time of the last impact, */
    bool crowded;  /* and whether some have followed each other within a step of the nonsmooth method */
} outcome;

static void note_impact(void *context, const jn_event *e) {
    outcome *o = context;
    if (strcmp(e->kind, "impact") || fabs(e->speed_before) < 1e-3) return;
    if (o->impact > 0 && e->time > o->impact && e->time - o->impact < 2e-5) o->crowded = true;
    o->impact = e->time;
}

static double processor(void) { return (double)clock() / CLOCKS_PER_SEC; }

static jn_vec3 place(const jn_model *m, jn_sim *sim) {
    jn_body_motion b;
    int body = 0;
    for (int i = 0; i < jn_model_bodies(m); i++)
        if (!strcmp(jn_model_body_name(m, i), "b")) body = i;
    jn_sim_observe(sim);
    jn_body_motion_get(m, jn_sim_work(sim), body, &b);
    return b.position;
}

static outcome run_text(const char *text, double until) {
    outcome o = {.status = JN_ERR_MODEL};
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "scene", NULL, 0, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    jn_description_free(d);
    if (!sim) {
        snprintf(o.error, sizeof o.error, "%.200s", report.item[0].text);
        return jn_model_free(m), o;
    }
    jn_sim_on_event(sim, note_impact, &o);
    jn_vec3 start = place(m, sim);
    double began = processor();
    o.status = JN_OK;
    while (o.status >= 0 && jn_sim_state(sim)->t < until && o.time < SLOW)
        o.status = jn_sim_step(sim, until), o.time = processor() - began;
    bool slow = o.status >= 0 && jn_sim_state(sim)->t < until;
    jn_vec3 end = place(m, sim);
    o.x[0] = end.x - start.x, o.x[1] = end.y - start.y, o.x[2] = end.z - start.z;
    o.audit = *jn_sim_audit(sim), o.good = o.audit.ok;
    snprintf(o.error, sizeof o.error, "%.290s", o.status < 0 ? jn_sim_error(sim)->text : o.audit.verdict);
    if (slow)
        o.status = JN_ERR_STEP,
        snprintf(o.error, sizeof o.error, "at t = %.9g s after %g s", jn_sim_state(sim)->t, o.time);
    jn_sim_free(sim), jn_model_free(m);
    return o;
}

static double distance(const double *x, const double *y) {
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

typedef enum verdict { NOT_COMPARED, NEAR, FALLS, SCATTERS, CROWDED, SENSITIVE, DIFFERS, VERDICTS } verdict;

typedef struct tally {
    const char *kind;
    int count, ended, good, known, met, moreau, verdict[VERDICTS];
    long steps, knots;
    double worst, far, time, slowest, other_time;
} tally;

/* The scene with another last line. */
static outcome run_as(const impact_scene *s, const char *line) {
    static char text[sizeof s->text + 100];
    size_t before = (size_t)(strstr(s->text, "run: ") - s->text);
    memcpy(text, s->text, before);
    snprintf(text + before, sizeof text - before, "run: {%s, until: %.17g}\n", line, s->until);
    return run_text(text, s->until);
}

static const char *const impact_run = "method: impact, law: moreau, tolerance: 1e-10";

/* [m] how far the end moves where the inputs do by 1e-5. */
static double shake(unsigned number, const double *x) {
    static impact_scene s;
    double most = 0;
    for (unsigned twin = 1; twin <= 6; twin++) {
        impact_scene_make(number, 1e-5, twin, &s);
        outcome o = run_as(&s, impact_run);
        if (o.status >= 0) most = fmax(most, distance(x, o.x));
    }
    return most;
}

enum { STEPS = 5 };
static const double other_steps[STEPS] = {0.5e-5, 0.7e-5, 0.83e-5, 1.13e-5, 1.37e-5}; /* [s] */

/* The nonsmooth method by a scheme, against method impact; where it is not near, with twice the step and other steps, too. */
static verdict compare_with(const impact_scene *s, const outcome *one, const char *scheme, tally *a, double apart[2]) {
    char line[100];
    snprintf(line, sizeof line, "method: nonsmooth, scheme: %s, step: 1e-5", scheme);
    outcome fine = run_as(s, line);
    a->other_time += fine.time, apart[0] = apart[1] = INFINITY;
    if (fine.status < 0 || one->status < 0) return DIFFERS;
    apart[0] = distance(one->x, fine.x);
    if (apart[0] <= 1e-4) return a->far = fmax(a->far, apart[0]), NEAR;
    snprintf(line, sizeof line, "method: nonsmooth, scheme: %s, step: 2e-5", scheme);
    outcome coarse = run_as(s, line);
    apart[1] = coarse.status >= 0 ? distance(one->x, coarse.x) : INFINITY;
    if (isfinite(apart[1]) && apart[0] <= 0.7 * apart[1]) return FALLS;
    double least = apart[1];
    for (int k = 0; k < STEPS && least > 0.5 * apart[0]; k++) {
        snprintf(line, sizeof line, "method: nonsmooth, scheme: %s, step: %g", scheme, other_steps[k]);
        outcome other = run_as(s, line);
        if (other.status >= 0) least = fmin(least, distance(one->x, other.x));
    }
    return least <= 0.5 * apart[0] ? SCATTERS : DIFFERS;
}

/* The scene with dynamic friction alone, where it has static friction. */
static bool drop_static(const impact_scene *s, impact_scene *out) {
    const char *from = strstr(s->text, "friction: {dynamic: "), *fixed = from ? strstr(from, ", static: ") : NULL;
    const char *end = fixed ? strchr(fixed, '}') : NULL;
    if (!end) return false;
    *out = *s;
    size_t head = (size_t)(from - s->text) + strlen("friction: "), number = strlen("{dynamic: ");
    size_t length = (size_t)(fixed - s->text) - head - number;
    memcpy(out->text + head, s->text + head + number, length);
    snprintf(out->text + head + length, sizeof out->text - head - length, "%s", end + 1);
    return true;
}

static verdict judge(unsigned number, const impact_scene *s, const outcome *o, tally *a) {
    static const char *const schemes[] = {"momentum_leapfrog", "moreau_jean"};
    static impact_scene twin;
    outcome one = o->audit.impacts ? run_as(s, impact_run) : *o;
    double apart[2][2];
    verdict of[2];
    for (int k = 0; k < 2; k++) {
        bool other = k == 1 && drop_static(s, &twin);
        outcome of_twin = other ? run_as(&twin, impact_run) : one;
        of[k] = compare_with(other ? &twin : s, &of_twin, schemes[k], a, apart[k]);
        if (k == 1 && of[k] <= FALLS) a->moreau++;
        if (of[k] <= FALLS) return of[k];
    }
    if (of[0] == SCATTERS || of[1] == SCATTERS) return SCATTERS;
    if (one.crowded) return CROWDED;
    double spread = shake(number, one.x), least = fmin(apart[0][0], apart[1][0]);
    verdict v = spread >= 0.3 * least ? SENSITIVE : DIFFERS;
    printf(
        "%5u %-42s %s: %.2e m from momentum_leapfrog (2e-5 s: %.2e m), %.2e m from moreau_jean (%.2e m), shaken %.2e "
        "m, other law %.2e m (%s)\n",
        number, s->kind, v == DIFFERS ? "DIFFERS" : "sensitive", apart[0][0], apart[0][1], apart[1][0], apart[1][1],
        spread, distance(one.x, o->x), one.error);
    return v;
}

static void run_scene(unsigned n, bool compare, tally *a, int *bad) {
    static impact_scene s;
    impact_scene_make(n, 0, 0, &s);
    outcome o = run_text(s.text, s.until);
    double off = s.known ? distance(o.x, s.x) : 0;
    a->kind = s.kind, a->count++, a->ended += o.status >= 0, a->good += o.status >= 0 && o.good;
    a->known += s.known, a->met += s.known && off <= 1e-6 && o.status >= 0, a->worst = fmax(a->worst, off);
    a->time += o.time, a->slowest = fmax(a->slowest, o.time), a->steps += o.audit.steps, a->knots += o.audit.knots;
    bool wrong = o.status < 0 || !o.good || off > 1e-6 || o.audit.knots || o.time > 2;
    *bad += o.status < 0 || off > 1e-6;
    if (wrong) printf("%5u %-42s off %8.1e, %5.2f s, %ld steps: %s\n", n, s.kind, off, o.time, o.audit.steps, o.error);
    a->verdict[compare && !s.known ? judge(n, &s, &o, a) : NOT_COMPARED]++;
}

typedef struct family {
    const char *name;
    void (*make)(unsigned, odd_scene *);
    int (*kinds)(void);
} family;
static const family families[] = {{"odd", odd_scene_make, odd_scene_kinds}, {"hard", hard_scene_make, hard_scene_kinds}};

/* Odd or hard scenes: those that break off, take long or have a bad audit are named. */
static int run_odd(const family *of, int count, unsigned first) {
    static struct odd_tally {
        const char *kind;
        int count, ended, good;
        long steps, impacts, unsolved, jams, knots;
        double time, slowest;
    } all[64], *a;
    int kinds = of->kinds(), bad = 0;
    for (unsigned n = first; n < first + (unsigned)count; n++) {
        static odd_scene s;
        of->make(n, &s);
        outcome o = run_text(s.text, s.until);
        a = &all[n % (unsigned)kinds];
        a->kind = s.kind, a->count++, a->ended += o.status >= 0, a->good += o.status >= 0 && o.good;
        a->steps += o.audit.steps, a->impacts += o.audit.impacts, a->unsolved += o.audit.impacts_unfinished;
        a->jams += o.audit.jams, a->knots += o.audit.knots, a->time += o.time, a->slowest = fmax(a->slowest, o.time);
        bad += o.status < 0;
        if (o.status < 0 || !o.good || o.time > 5)
            printf("%5u %-50s %5.2f s, %ld steps: %s\n", n, s.kind, o.time, o.audit.steps, o.error);
    }
    printf("%-50s %6s %6s %6s %8s %8s %8s %6s %6s %s\n", "kind", "scenes", "ended", "good", "steps", "impacts",
           "unsolved", "jams", "knots", "time [s] (most)");
    for (int k = 0; k < kinds; k++)
        if (all[k].count)
            a = &all[k],
            printf("%-50s %6d %6d %6d %8ld %8ld %8ld %6ld %6ld %8.2f (%5.2f)\n", a->kind, a->count, a->ended, a->good,
                   a->steps, a->impacts, a->unsolved, a->jams, a->knots, a->time, a->slowest);
    return bad ? 1 : 0;
}

static int print_scene(const family *of, unsigned number) {
    static impact_scene one;
    static odd_scene other;
    if (of)
        of->make(number, &other);
    else
        impact_scene_make(number, 0, 0, &one);
    return fputs(of ? other.text : one.text, stdout) < 0;
}

int main(int argc, char **argv) {
    bool printed = argc > 2 && !strcmp(argv[1], "print");
    const family *of = NULL;
    for (int k = 0; k < 2 && argc > 1 + printed; k++)
        if (!strcmp(argv[1 + printed], families[k].name)) of = &families[k];
    setvbuf(stdout, NULL, _IOLBF, 0);
    argc -= printed + (of != NULL), argv += printed + (of != NULL);
    if (printed) return argc > 1 ? print_scene(of, (unsigned)atoi(argv[1])) : 1;
    if (of) return run_odd(of, argc > 1 ? atoi(argv[1]) : 200, argc > 2 ? (unsigned)atoi(argv[2]) : 0);
    int count = argc > 1 ? atoi(argv[1]) : 1000, kinds = impact_scene_kinds(), bad = 0;
    unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    static tally all[64];
    for (unsigned n = first; n < first + (unsigned)count; n++) run_scene(n, argc > 3, &all[n % (unsigned)kinds], &bad);
    printf("%-42s %6s %6s %6s %6s %6s %9s %5s %8s %5s %6s %7s %7s %9s %7s %5s %7s %16s %s\n", "kind", "scenes", "ended",
           "good", "known", "met", "worst [m]", "near", "far [m]", "falls", "moreau", "scatter", "crowded", "sensitive",
           "differs", "knots", "steps", "time [s] (most)", "nonsmooth [s]");
    for (int k = 0; k < kinds; k++) {
        const tally *a = &all[k];
        const int *v = a->verdict;
        if (a->count)
            printf("%-42s %6d %6d %6d %6d %6d %9.1e %5d %8.1e %5d %6d %7d %7d %9d %7d %5ld %7ld %8.2f (%5.2f) %8.2f\n",
                   a->kind, a->count, a->ended, a->good, a->known, a->met, a->worst, v[NEAR], a->far, v[FALLS],
                   a->moreau, v[SCATTERS], v[CROWDED], v[SENSITIVE], v[DIFFERS], a->knots, a->steps, a->time,
                   a->slowest, a->other_time);
    }
    return bad ? 1 : 0;
}
