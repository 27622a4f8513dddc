/* Mechanisms with many contacts by method impact, beside the other methods: time of the processor, audit, and what knots there were.
 *   bench_impact_runs [NAME]    only the one of this name
 * A run that takes longer than the limit is stopped; then the time that it reached is printed. Robots' files lie beside the repository, or are left out. */
#include <jounce/jounce.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double limit = 400; /* [s] of the processor for a run */

typedef struct scene {
    const char *name, *path; /* from the root of the repository */
    const char *until;
    const char *step;       /* of method nonsmooth */
    const char *integrator; /* of method impact, or NULL */
    bool robot;             /* needs a floor */
    bool compliant;
} scene;

static const scene scenes[] = {
    {"athena", "models/rodrigues2024/athena_nonsmooth.yaml", "6", "1e-3", "dopri45", false, true},
    {"charmie_drive", "models/rodrigues2024/charmie_drive_nonsmooth.yaml", "3", "1e-3", "dopri45", false, true},
    {"charmie_grasp", "models/rodrigues2024/charmie_grasp.yaml", "2", "1e-3", NULL, false, false},
    {"anymal", "../shared/reference/robots/anymal_b.urdf", "3", "1e-3", NULL, true, false},
    {"phantomx", "../shared/reference/robots/phantomx.urdf", "3", "1e-3", NULL, true, false},
    {"humanoid", "../shared/reference/robots/humanoid.xml", "6", "1e-3", NULL, true, false},
    {"door", "models/clearance/hung_door.yaml", "0.3", "1e-4", NULL, false, false},
    {"rotor", "models/clearance/two_bearings.yaml", "0.3", "1e-4", NULL, false, false},
    {"dominoes", "models/textbook/dominoes.yaml", "1", "1e-4", NULL, false, true},
    {"brick_wall", "models/textbook/brick_wall.yaml", "0.55", "1e-3", NULL, false, false},
    {"struck_wall", "bench/struck_wall.yaml", "0.5", "1e-3", NULL, false, false},
};

static double processor(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void run(const scene *s, const char *method) {
    static jn_report report;
    char path[600];
    jn_setting settings[6] = {{"run.method", method}, {"run.until", s->until}};
    int count = 2;
    bool impact = !strcmp(method, "impact");
    if (!strcmp(method, "nonsmooth")) settings[count++] = (jn_setting){"run.step", s->step};
    if (impact && s->integrator) settings[count++] = (jn_setting){"run.integrator", s->integrator};
    if (s->robot) settings[count++] = (jn_setting){"import.floor", "true"};
    if (s->robot) settings[count++] = (jn_setting){"import.lenient", "true"};
    jn_report_clear(&report);
    snprintf(path, sizeof path, "%s/%s", JN_SOURCE_DIR, s->path);
    jn_description *d = jn_description_read(path, settings, count, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    if (!sim) {
        printf("%-14s %-10s left out: %.80s\n", s->name, method, report.count ? report.item[0].text : "");
        jn_model_free(m), jn_description_free(d);
        return;
    }
    double until = jn_model_run(m)->until, began = processor(), rows = until / 100;
    int status = JN_OK;
    for (int k = 1; k <= 100 && status >= 0 && processor() - began < limit; k++)
        while (status >= 0 && jn_sim_state(sim)->t < k * rows * (1 - 1e-12) && processor() - began < limit)
            status = jn_sim_step(sim, k * rows);
    const jn_audit *a = jn_sim_audit(sim);
    printf("%-14s %-10s %6.3g of %-5.3g %8.2f %9ld %7ld %7ld %8.1e  %s\n", s->name, method, jn_sim_state(sim)->t, until,
           processor() - began, (long)a->steps, (long)a->impacts, (long)a->knots, a->knot_time,
           status < 0 ? jn_sim_error(sim)->text
           : a->ok    ? "good"
                      : a->verdict);
    fflush(stdout);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

int main(int argc, char **argv) {
    printf("%-14s %-10s %15s %8s %9s %7s %7s %8s  %s\n", "scene", "method", "until [s]", "cpu [s]", "steps", "impacts",
           "knots", "[s]", "audit");
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const scene *s = &scenes[k];
        if (argc > 1 && strcmp(argv[1], s->name)) continue;
        run(s, "impact");
        run(s, "nonsmooth");
        if (s->compliant) run(s, "compliant");
    }
    return 0;
}
