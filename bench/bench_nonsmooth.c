/* Contact as complementarity: time per step of the slider-crank with clearance, of spheres that settle in a box (its
 * growth from 10 to 10 000 bodies, what a smaller residual costs), of a stack of ten boxes, of a small mixed pile. Results are checked before the time counts: residual of the
 * contact problem, penetration, energy. */
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

static int contacts_of(jn_sim *sim) {
    const double *slot = jn_sim_state(sim)->slot;
    int n = 0;
    while (slot[JN_SLOT * n] != 0) n++;
    return n;
}

/* [us] per step over a stretch of time, best of several stretches. */
static double pace(const char *scene, jn_sim *sim, int steps, int stretches) {
    double best = INFINITY, step = jn_model_run(jn_sim_model(sim))->step;
    for (int k = 0; k < stretches; k++) {
        double begin = bench_now();
        advance(scene, sim, jn_sim_state(sim)->t + steps * step);
        best = fmin(best, 1e6 * (bench_now() - begin) / steps);
    }
    return best;
}

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

/* side: spheres along an edge of the floor; 0: a cube of them. */
static jn_sim *start_spheres_on(int n, int side, double residual, jn_model **m) {
    jn_description *d = side ? scene_spheres_on_floor(n, side, 0.05, 0.5) : scene_spheres_in_box(n, 0.05, 0.5);
    jn_contact_desc c = jn_contact_default("ball");
    c.restitution = 0.2, c.friction = 0.3;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 2e-3, d->run.residual = residual, d->run.penetration = 1e-5;
    jn_sim *sim = start("spheres", d, m);
    jn_description_free(d);
    return sim;
}

static jn_sim *start_spheres(int n, double residual, jn_model **m) { return start_spheres_on(n, 0, residual, m); }

static jn_sim *start_stack(int n, double residual, jn_model **m) {
    jn_description *d = scene_box_stack(n, 0.1, 1);
    jn_contact_desc c = jn_contact_default("box");
    c.restitution = 0, c.friction = 0.5;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 2e-3, d->run.residual = residual, d->run.penetration = 1e-5;
    jn_sim *sim = start("box stack", d, m);
    jn_description_free(d);
    return sim;
}

static void check_bodies(const char *scene, jn_sim *sim, double residual, double size) {
    const jn_audit *a = jn_sim_audit(sim);
    bench_check(scene, "residual", a->contact_speed_error, residual);
    bench_check(scene, "penetration [sizes]", a->max_penetration / size, 1e-3);
    bench_check(scene, "energy unexplained [J]", a->max_energy_residual, 1e-9);
}

static void check_pile(const char *scene, jn_sim *sim, double residual, double size) {
    check_bodies(scene, sim, residual, size);
    bench_check(scene, "problems unsolved", (double)jn_sim_audit(sim)->unsolved, 0);
}

static void finish(jn_sim *sim, jn_model *m) {
    jn_sim_free(sim);
    jn_model_free(m);
}

/* [us] of processor time per step from the present time to t, and what the solver did. */
static double stretch(const char *scene, int n, jn_sim *sim, double t) {
    const jn_audit *a = jn_sim_audit(sim);
    long steps = a->steps, iterations = a->solver_iterations, second = a->second_choices;
    double begin = bench_processor(), from = jn_sim_state(sim)->t;
    advance(scene, sim, t);
    double us = 1e6 * (bench_processor() - begin) / (double)(a->steps - steps);
    int contacts = contacts_of(sim);
    printf("%6d spheres, %.2f to %.2f s, %5d contacts: %9.3f ms per step, %7.3f us per contact, %6.1f iterations per "
           "step, "
           "%4ld of %4ld steps by a second solver\n",
           n, from, t, contacts, 1e-3 * us, us / contacts,
           (double)(a->solver_iterations - iterations) / (double)(a->steps - steps), a->second_choices - second,
           a->steps - steps);
    bench_record(scene, n, "step", "ms", 1e-3 * us);
    return us;
}

/* A hundred spheres from the first impacts until nothing moves. A problem on the way that no solver ends is told, and may be one in a
 * thousand. */
static void settling(void) {
    jn_model *m;
    jn_sim *sim = start_spheres(100, 1e-6, &m);
    for (int k = 1; k <= 16; k++) stretch("spheres settle", 100, sim, 0.25 * k);
    const jn_audit *a = jn_sim_audit(sim);
    printf("%ld of %ld problems stayed unsolved, largest residual %.1e\n", a->unsolved, a->steps,
           a->contact_speed_error);
    bench_check("spheres settle", "problems unsolved, part of the steps", (double)a->unsolved / (double)a->steps, 1e-3);
    check_bodies("spheres settle", sim, a->unsolved ? 1e-4 : 1e-6, 0.05);
    finish(sim, m);
}

/* Cost against the number of spheres, all at the same time of their fall: in a cube, which becomes deeper with their number, and in
 * layers over a floor that becomes wider. */
static void growth(const char *scene, int layers) {
    double size[4], time[4];
    for (int k = 0, n = 10; k < 4; k++, n *= 10) {
        jn_model *m;
        jn_sim *sim = start_spheres_on(n, layers ? (int)ceil(sqrt((double)n / layers)) : 0, 1e-6, &m);
        advance(scene, sim, 0.16);
        size[k] = n, time[k] = stretch(scene, n, sim, 0.2);
        check_pile(scene, sim, 1e-6, 0.05);
        finish(sim, m);
    }
    for (int from = 0; from < 2; from++) {
        double exponent = bench_exponent(size + from, time + from, 4 - from);
        printf("%s: cost grows with their number to the power %.2f from %g on\n", scene, exponent, size[from]);
        bench_record(scene, from, "exponent", "1", exponent);
    }
}

/* What a smaller residual costs. */
static void work_precision(void) {
    static const double residual[] = {1e-2, 1e-4, 1e-6, 1e-8};
    for (int k = 0; k < 4; k++) {
        jn_model *m;
        jn_sim *sim = start_spheres(100, residual[k], &m);
        advance("spheres by residual", sim, 0.4);
        printf("residual %.0e: ", residual[k]);
        stretch("spheres by residual", 100, sim, 0.6);
        check_pile("spheres by residual", sim, residual[k], 0.05);
        finish(sim, m);
    }
    for (int k = 0; k < 4; k++) {
        jn_model *m;
        jn_sim *sim = start_stack(10, residual[k], &m);
        advance("box stack", sim, 0.5);
        double us = pace("box stack", sim, 100, 5);
        printf("residual %.0e: stack of ten boxes %8.3f us per step\n", residual[k], us);
        bench_record("box stack by residual", k, "step", "us", us);
        finish(sim, m);
    }
}

/* The same pile goes on for 0.2 s with a smaller residual, the second half is timed. What was found with a larger residual is
 * not at rest for a smaller one: steps that stay unsolved meanwhile are told, and only what is timed has to be solved. */
static jn_sim *go_on(jn_sim *coarse, jn_model *m, double residual, jn_model **finer) {
    jn_sim *sim = start_spheres(1000, residual, finer);
    jn_state_copy(jn_sim_state(sim), jn_sim_state(coarse));
    jn_sim_restart(sim);
    finish(coarse, m);
    double t = jn_sim_state(sim)->t;
    advance("thousand spheres at rest", sim, t + 0.1);
    long before = jn_sim_audit(sim)->unsolved;
    printf("residual %.0e, %ld unsolved before: ", residual, before);
    stretch("thousand spheres at rest", 1000, sim, t + 0.2);
    bench_check("thousand spheres at rest", "problems unsolved", (double)(jn_sim_audit(sim)->unsolved - before), 0);
    return sim;
}

/* A thousand spheres: what a smaller residual costs while they fall on each other; until they rest, with a residual of 1e-3;
 * and at rest, down to 1e-6. */
static void thousand(void) {
    static const double residual[] = {1e-2, 1e-4, 1e-6, 1e-8}, resting[] = {1e-4, 1e-6};
    jn_model *m;
    for (int k = 0; k < 4; k++) {
        jn_sim *sim = start_spheres(1000, residual[k], &m);
        advance("thousand spheres", sim, 0.2);
        printf("residual %.0e: ", residual[k]);
        stretch("thousand spheres", 1000, sim, 0.24);
        check_pile("thousand spheres", sim, residual[k], 0.05);
        finish(sim, m);
    }
    jn_sim *pile = start_spheres(1000, 1e-3, &m);
    for (int k = 1; k <= 20; k++) stretch("thousand spheres settle", 1000, pile, 0.2 * k);
    check_pile("thousand spheres settle", pile, 1e-3, 0.05);
    for (int k = 0; k < 2; k++) {
        jn_model *finer;
        pile = go_on(pile, m, resting[k], &finer);
        m = finer;
    }
    finish(pile, m);
}

/* Ten boxes at rest one on the other: forty contacts, more than hold them. */
static void box_stack(void) {
    jn_model *m;
    jn_sim *sim = start_stack(10, 1e-6, &m);
    advance("box stack", sim, 0.5);
    double us = pace("box stack", sim, 200, 10);
    const jn_audit *a = jn_sim_audit(sim);
    check_pile("box stack", sim, 1e-6, 0.1);
    bench_check("box stack", "fall of the top [m]", fabs(jn_sim_state(sim)->q[7 * 9 + 2] - 0.95), 1e-4);
    printf("stack of ten boxes, %d contacts: %8.3f us per step, %6.1f iterations per step, %ld second choices\n",
           contacts_of(sim), us, (double)a->solver_iterations / (double)a->steps, a->second_choices);
    bench_record("box stack", 10, "step", "us", us);
    finish(sim, m);
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

static void growth_of_both(void) {
    growth("spheres in a cube", 0);
    growth("spheres in four layers", 4);
}

/* All parts, or the one that --only names. */
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"slider_crank", slider_crank}, {"stack", box_stack},         {"mixed", mixed_pile},
                 {"settle", settling},           {"residual", work_precision}, {"growth", growth_of_both},
                 {"thousand", thousand}};
    const char *only = bench_argument(argc, argv, "--only");
    bool found = false;
    bench_begin(argc, argv, "nonsmooth");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!only || !strcmp(only, parts[k].name)) parts[k].run(), found = true;
    if (!found) bench_give_up(only, "no such part: slider_crank, stack, mixed, settle, residual, growth, thousand");
    return bench_end();
}
