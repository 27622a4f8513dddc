/* Random scenes by method impact: how many end, with which audit, how far from closed forms and from the nonsmooth method.
 *   bench_impact_scenes print NUMBER               the model file of a scene
 *   bench_impact_scenes [COUNT [FIRST [compare]]]   COUNT scenes (default 1000) from the number FIRST on; compare: with momentum_leapfrog at 1e-5 s, too
 * A scene that breaks off, or that misses its closed form by more than 1e-6, is named. */
#include "bench.h"
#include "impact_scenes.h"
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOW = 60 }; /* [s] of the processor for a scene */

typedef struct outcome {
    int status;
    bool good;
    double x[3]; /* [m] displacement of b */
    double time; /* [s] of the processor */
    jn_audit audit;
    char error[300];
} outcome;

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

typedef struct tally {
    const char *kind;
    int count, ended, good, known, met, compared, near;
    long steps, knots;
    double worst, far, time, slowest;
} tally;

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1000, kinds = impact_scene_kinds(), bad = 0;
    unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    bool compare = argc > 3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    tally all[64] = {0};
    if (argc > 2 && !strcmp(argv[1], "print")) {
        static impact_scene one;
        impact_scene_make(first, 0, 0, &one);
        return fputs(one.text, stdout) < 0;
    }
    for (unsigned n = first; n < first + (unsigned)count; n++) {
        static impact_scene s;
        static char text[sizeof s.text + 100];
        impact_scene_make(n, 0, 0, &s);
        tally *a = &all[n % (unsigned)kinds];
        outcome o = run_text(s.text, s.until);
        double off = s.known ? distance(o.x, s.x) : 0;
        a->kind = s.kind, a->count++, a->ended += o.status >= 0, a->good += o.status >= 0 && o.good;
        a->known += s.known, a->met += s.known && off <= 1e-6 && o.status >= 0, a->worst = fmax(a->worst, off);
        a->time += o.time, a->slowest = fmax(a->slowest, o.time), a->steps += o.audit.steps, a->knots += o.audit.knots;
        bool wrong = o.status < 0 || !o.good || off > 1e-6 || o.audit.knots || o.time > 2;
        bad += o.status < 0 || off > 1e-6;
        if (wrong)
            printf("%5u %-42s off %8.1e, %5.2f s, %ld steps: %s\n", n, s.kind, off, o.time, o.audit.steps, o.error);
        if (!compare || s.chaotic) continue;
        snprintf(text, sizeof text, "%s", s.text);
        char *method = strstr(text, "run: ");
        snprintf(method, sizeof text - (size_t)(method - text), "run: {method: nonsmooth, step: 1e-5, until: %.17g}\n",
                 s.until);
        outcome other = run_text(text, s.until);
        double apart = distance(o.x, other.x);
        a->compared++, a->near += apart <= 1e-3, a->far = fmax(a->far, apart);
        if (apart > 1e-3) printf("%5u %-42s %.2e m from nonsmooth (%s)\n", n, s.kind, apart, other.error);
    }
    printf("%-42s %6s %6s %6s %6s %6s %9s %7s %8s %6s %8s %8s\n", "kind", "scenes", "ended", "good", "known", "met",
           "worst [m]", "near", "far [m]", "knots", "steps", "time [s]");
    for (int k = 0; k < kinds; k++) {
        const tally *a = &all[k];
        if (a->count)
            printf("%-42s %6d %6d %6d %6d %6d %9.1e %3d/%3d %8.1e %6ld %8ld %8.2f (%.2f)\n", a->kind, a->count,
                   a->ended, a->good, a->known, a->met, a->worst, a->near, a->compared, a->far, a->knots, a->steps,
                   a->time, a->slowest);
    }
    return bad ? 1 : 0;
}
