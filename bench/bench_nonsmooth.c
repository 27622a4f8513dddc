/* Contact as complementarity: time per step of the slider-crank with clearance, and of a small mixed pile. Results are checked before the
 * time counts: residual of the contact problem, penetration, energy. Spheres and boxes are in bench_piles.c. */
#include "bench.h"
#include "scenes.h"
#include <jounce/reaction.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static jn_sim *start(const char *scene, const jn_description *d, jn_model **m) {
    jn_report report = {0};
    *m = jn_model_compile(d, &report);
    jn_sim *sim = *m ? jn_sim_create(*m, &report) : NULL;
    if (!sim) bench_give_up(scene, report.item[0].text);
    return sim;
}

static void advance(const char *scene, jn_sim *sim, double t) {
    if (jn_sim_advance(sim, t) < 0) bench_give_up(scene, jn_sim_error(sim)->text);
}

static int contacts_of(jn_sim *sim) { return jn_sim_state(sim)->contact_count; }

typedef struct siconos_run {
    double us;    /* per step; NaN where Siconos is not installed */
    double crank; /* [rad] its angle at the end */
} siconos_run;

/* The same mechanism in Siconos, checked against what its own tutorial wrote, where that is at hand. */
static siconos_run run_siconos(void) {
    siconos_run run = {NAN, NAN};
#ifdef BENCH_SLIDER_CRANK
    const char *reference = JN_SOURCE_DIR "/../shared/reference/siconos/SliderCrankMoreauJeanOSI.debian440.dat.gz";
    bool known = access(reference, R_OK) == 0;
    char command[1024];
    double off = NAN;
    snprintf(command, sizeof command, "'%s' '%s'", BENCH_SLIDER_CRANK, reference);
    if (!known) snprintf(command, sizeof command, "'%s'", BENCH_SLIDER_CRANK);
    FILE *from = popen(command, "r");
    int read = from ? fscanf(from, "%lf us per step %*f %lf %*[^\n] %lf", &run.us, &run.crank, &off) : 0;
    if (!from || pclose(from) != 0 || read < 2 + known) bench_give_up("slider-crank", "Siconos did not run");
    if (known) bench_check("slider-crank", "Siconos against its tutorial", off, 1e-9);
#endif
    return run;
}

/* [us] per step of 0.2 s, processor time, best of some runs. The crank's angle at the end is compared with Siconos's. */
static double time_slider_crank(const jn_description *d, double crank_there, double limit) {
    double best = INFINITY;
    for (int n = 0; n < 4; n++) {
        jn_model *m;
        jn_sim *sim = start("slider-crank", d, &m);
        double begin = bench_processor();
        advance("slider-crank", sim, 0.2);
        best = fmin(best, 1e6 * (bench_processor() - begin) / 20000);
        const jn_audit *a = jn_sim_audit(sim);
        double crank = jn_sim_state(sim)->q[0];
        if (n == 0) bench_check("slider-crank", "residual", a->contact_speed_error, 1e-8);
        if (n == 0) bench_check("slider-crank", "energy", a->max_energy_residual / a->energy_scale, 2e-2);
        if (n == 0 && !isnan(crank_there))
            bench_check("slider-crank", "crank against Siconos [rad]", fabs(crank - crank_there), limit);
        jn_sim_free(sim);
        jn_model_free(m);
    }
    return best;
}

/* The three schemes, the last being Siconos's, and Siconos; round and round, so that a disturbance does not meet one alone. */
static void slider_crank(void) {
    static const char *const names[] = {"moreau_midpoint", "moreau_jean", "moreau_jean, terms: end", "Siconos"};
    static const char *const quantity[] = {"moreau_midpoint", "moreau_jean", "moreau_jean_end", "siconos"};
    jn_report report = {0};
    jn_setting spin = {"slider_spin", "-0.01"};
    double best[] = {NAN, NAN, NAN, NAN};
    for (int round = 0; round < 4; round++) {
        siconos_run siconos = run_siconos();
        bench_best(&best[3], siconos.us);
        for (int k = 0; k < 3; k++) {
            jn_description *d =
                jn_description_read(JN_SOURCE_DIR "/models/flores2010/slider_crank.yaml", &spin, 1, &report);
            if (!d) bench_give_up("slider-crank", report.item[0].text);
            d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 1e-5;
            d->run.scheme = k ? JN_SCHEME_MOREAU_JEAN : JN_SCHEME_MOREAU_MIDPOINT;
            if (k == 2) d->run.terms = JN_TERMS_END, d->run.stabilise = JN_STABILISE_NONE, d->run.theta = 0.5;
            bench_best(&best[k],
                       time_slider_crank(d, siconos.crank, k == 2 ? 1e-3 : 0.2)); /* its own scheme; another */
            jn_description_free(d);
        }
    }
    for (int k = 0; k < 4 && !isnan(best[k]); k++) {
        printf("slider-crank, %-24s %8.3f us per step", names[k], best[k]);
        if (k < 3 && !isnan(best[3])) printf(", %.1f times faster than Siconos", best[3] / best[k]);
        printf("\n");
        bench_record("slider-crank", 3, quantity[k], "us", best[k]);
    }
}

static void finish(jn_sim *sim, jn_model *m) {
    jn_sim_free(sim);
    jn_model_free(m);
}

/* Thirty boxes, spheres and capsules from the first impacts to rest. */
static void mixed_pile(void) {
    jn_description *d = scene_mixed_in_box(30);
    jn_contact_desc c = jn_contact_default("all");
    c.restitution = 0.2, c.friction = 0.5;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 2e-3, d->run.residual = 1e-6, d->run.penetration = 1e-5;
    jn_model *m;
    jn_sim *sim = start("mixed pile", d, &m);
    jn_description_free(d);
    const jn_audit *a = jn_sim_audit(sim);
    for (int k = 1; k <= 6; k++) {
        long steps = a->steps, iterations = a->solver_iterations, evaluations = a->evaluations, rejected = a->rejected;
        double begin = bench_processor();
        advance("mixed pile", sim, 0.5 * k);
        double n = (double)(a->steps - steps), us = 1e6 * (bench_processor() - begin) / n;
        printf(
            "mixed pile of thirty, until %.1f s, %3d contacts: %8.1f us per step, %4.1f evaluations, %5.1f iterations, "
            "%ld steps halved\n",
            0.5 * k, contacts_of(sim), us, (double)(a->evaluations - evaluations) / n,
            (double)(a->solver_iterations - iterations) / n, a->rejected - rejected);
        bench_record("mixed pile", k, "step", "us", us);
    }
    bench_check("mixed pile", "residual", a->contact_speed_error, 1e-6);
    bench_check("mixed pile", "problems unsolved", (double)a->unsolved, 0);
    bench_check("mixed pile", "penetration [m]", a->max_penetration, 1e-4);
    bench_check("mixed pile", "energy", a->max_energy_residual / a->energy_scale, 1e-2);
    finish(sim, m);
}

/* All parts, or the one that --only names. */
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"slider_crank", slider_crank}, {"mixed", mixed_pile}};
    const char *only = bench_argument(argc, argv, "--only");
    bool found = false;
    bench_begin(argc, argv, "nonsmooth");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!only || !strcmp(only, parts[k].name)) parts[k].run(), found = true;
    if (!found) bench_give_up(only, "no such part: slider_crank, mixed");
    return bench_end();
}
