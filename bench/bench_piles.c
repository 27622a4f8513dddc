/* Piles by method nonsmooth: spheres in a box from the first impact to rest, at two residuals; thirty such piles, and ten of a thousand; what a smaller residual costs; the growth of
 * a step's cost from 100 to 10 000 spheres; ten boxes one on the other, a wall, a pyramid, and boxes that fall on each other.
 *
 * A time counts only if the result is right: residual of the contact problem, penetration, and an energy that never rises, computed from
 * the state after every step and outside the time. --only NAME one part; --limit S of the clock for one pile; --until T [s] its end; --residual R one of
 * the two of `hundred` and `thousand`; --compliance C (0: rigid) of contacts; --threads N (left out: as many as there are processors). Times are those of the thread that
 * steps, which waits awake for the others: what other programs take of the processors counts as little as it can. */
#include "bench.h"
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double radius = 0.05, mass = 0.5, step = 2e-3, window = 0.1, gravity = 9.81; /* in SI units */
static double limit = 120, until = 2; /* [s] of the clock, of the pile */
static double only_residual = 0;      /* [m/s] of `hundred` and `thousand`; 0: both */
static int threads = 0;               /* 0: as many as there are processors */
static double compliance = -1;        /* of contacts; below 0: the default */

typedef struct pile {
    const char *scene;
    int size;
    double residual;
    jn_model *m;
    jn_sim *sim;
    jn_work *w;          /* of the measurement alone, */
    jn_state *at;        /* and this */
    double total;        /* [kg] */
    double energy, rise; /* [J] after the last step; largest rise in one step */
    double start;        /* [J] energy at the start */
    bool broken;         /* a step failed: nothing of it counts */
} pile;

/* [J] kinetic, potential and what contacts store, in the middle of the last segment, from positions and the velocities with which it was passed. Those that the state
 * shows contain half of the forces of contacts that last, and move with these. */
static double energy_of(pile *p) {
    const jn_state *s = jn_sim_state(p->sim);
    const double *past = s->past + JN_PAST_HEAD + jn_model_bodies(p->m); /* every body is free: as many links */
    double before = step * (s->t > 0);
    p->at->t = s->t; /* no more of the state is copied: what is written here leaves the caches of the next step */
    memcpy(p->at->q, s->q, (size_t)jn_model_nq(p->m) * sizeof *s->q);
    for (int k = 0; k < jn_model_nv(p->m); k++) p->at->u[k] = s->t > 0 ? past[JN_PAST_STEPS * k] : s->u[k];
    jn_kinematics(p->m, p->w, p->at);
    jn_energy e = jn_energy_get(p->m, p->w);
    double stored = 0;
    for (int i = 0; i < s->contact_count; i++) stored += (double)s->contact[i].stepping.stored;
    return e.kinetic + e.potential + stored - 0.5 * before * gravity * jn_momentum_get(p->m, p->w, p->at, NULL).linear.z;
}

/* Opens the description, which it frees. */
static pile begin(const char *scene, int size, jn_description *d, double restitution, double friction,
                  double residual) {
    pile p = {.scene = scene, .size = size, .residual = residual};
    jn_report report = {0};
    jn_contact_desc c = jn_contact_default("all");
    c.restitution = restitution, c.friction = friction;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = step, d->run.residual = residual;
    if (compliance >= 0) d->run.compliance = compliance;
    p.m = jn_model_compile(d, &report);
    p.sim = p.m ? jn_sim_create(p.m, &report) : NULL;
    p.w = p.m ? jn_work_create(p.m) : NULL;
    p.at = p.m ? jn_state_create(p.m) : NULL;
    if (!p.sim || !p.w || !p.at) bench_give_up(scene, report.errors ? report.item[0].text : "out of memory");
    jn_sim_use_threads(p.sim, threads);
    p.total = jn_momentum_get(p.m, p.w, jn_sim_state(p.sim), NULL).mass;
    p.start = p.energy = energy_of(&p);
    jn_description_free(d);
    return p;
}

/* side: spheres along an edge of the floor; 0: a cube of them. */
static pile begin_spheres(const char *scene, int n, int side, double residual) {
    jn_description *d = side ? scene_spheres_on_floor(n, side, radius, mass) : scene_spheres_in_box(n, radius, mass);
    return begin(scene, n, d, 0.2, 0.3, residual);
}

static void finish(pile *p) {
    jn_work_free(p->w);
    jn_state_free(p->at);
    jn_sim_free(p->sim);
    jn_model_free(p->m);
}

static int contacts_of(jn_sim *sim) { return jn_sim_state(sim)->contact_count; }

/* [ms] per step over some steps; the energy is looked at after each. NaN: it breaks off, which is printed. */
static double pace(pile *p, int steps) {
    double busy = 0;
    for (int k = 0; k < steps; k++) {
        double from = bench_processor(), t = jn_sim_state(p->sim)->t;
        if (jn_sim_advance(p->sim, t + step) < 0)
            return bench_check(p->scene, jn_sim_error(p->sim)->text, 1, 0), p->broken = true, NAN;
        busy += bench_processor() - from;
        double now = energy_of(p);
        p->rise = fmax(p->rise, now - p->energy), p->energy = now;
    }
    return 1e3 * busy / steps;
}

/* Velocities that miss the laws by the residual give energy: the impulses of a step, which are at most the momentum of all at 1 m/s, times
 * the residual. */
static bool check(pile *p) {
    const jn_audit *a = jn_sim_audit(p->sim);
    char scene[64];
    snprintf(scene, sizeof scene, "%s %d, residual %.0e", p->scene, p->size, p->residual);
    bool right = bench_check(scene, "residual", a->contact_speed_error, p->residual);
    right = bench_check(scene, "penetration [radii]", a->max_penetration / radius, 1e-3) && right;
    right = bench_check(scene, "energy gained in one step [J]", p->rise, p->residual * p->total) && right;
    return bench_check(scene, "problems unsolved", (double)a->unsolved, 0) && right && !p->broken;
}

static void say_goal(const char *what, double value, double goal, const char *unit) {
    printf("  %s %.4g %s, goal %g: %s\n", what, value, unit, goal, value <= goal ? "met" : "missed (*)");
}

/* From the first impact to rest: the mean of a step over each window, and the largest of these. */
static void settle(int n, double residual, double goal) {
    if (only_residual > 0 && residual != only_residual) return;
    pile p = begin_spheres("spheres settle", n, 0, residual);
    const jn_audit *a = jn_sim_audit(p.sim);
    double begun = bench_now(), largest = 0, sum = 0;
    int windows = 0, steps = (int)lround(window / step);
    printf("%d spheres, residual %.0e\n", n, residual);
    for (int all = (int)lround(until / window); windows < all && bench_now() - begun < limit && !p.broken; windows++) {
        long iterations = a->solver_iterations, unsolved = a->unsolved;
        double ms = pace(&p, steps);
        if (p.broken) break;
        largest = fmax(largest, ms), sum += ms;
        printf("  until %.1f s: %8.3f ms per step, %5d contacts, %7.1f iterations per step, %ld unsolved\n",
               window * (windows + 1), ms, contacts_of(p.sim), (double)(a->solver_iterations - iterations) / steps,
               a->unsolved - unsolved);
    }
    a = jn_sim_audit(p.sim);
    printf(
        "  until %.1f s: mean %.3f ms, largest window %.3f ms, residual %.1e, penetration %.1e m, energy gained in one "
        "step %.1e J of %.3g J\n",
        window * windows, sum / windows, largest, a->contact_speed_error, a->max_penetration, p.rise,
        p.start - p.energy);
    if (window * windows < until - 1e-9 && !p.broken) printf("  stopped after %.0f s of the clock\n", limit);
    if (!p.broken) say_goal("largest window", largest, goal, "ms");
    char quantity[48];
    snprintf(quantity, sizeof quantity, "largest window, residual %.0e", residual);
    if (check(&p)) bench_record("spheres settle", n, quantity, "ms", largest);
    finish(&p);
}

/* Piles of a row of sizes, residual 1e-6: what one of them takes is chance, since roundings decide which of its problems are hard. */
static void several(const char *scene, int first, int apart, int piles, double goal) {
    int windows = (int)lround(until / window), steps = (int)lround(window / step), within = 0;
    double mean = 0, largest = 0;
    long unsolved = 0, iterations = 0;
    for (int n = first; n < first + piles * apart; n += apart) {
        pile p = begin_spheres(scene, n, 0, 1e-6);
        double most = 0, sum = 0;
        for (int k = 0; k < windows && !p.broken; k++) {
            double ms = pace(&p, steps);
            most = fmax(most, ms), sum += ms, within += ms <= goal;
        }
        const jn_audit *a = jn_sim_audit(p.sim);
        mean += sum / windows / piles, largest += most / piles, unsolved += a->unsolved, iterations += a->solver_iterations;
        printf("%3d spheres: mean %.3f ms, largest window %.3f ms, %.1f iterations per step, residual %.1e, penetration %.1e m, %ld unsolved\n", n,
               sum / windows, most, (double)a->solver_iterations / (windows * steps), a->contact_speed_error, a->max_penetration, (long)a->unsolved);
        bench_check(p.scene, "penetration [radii]", a->max_penetration / radius, 1e-3);
        bench_check(p.scene, "energy gained in one step [J]", p.rise, p.residual * p.total);
        finish(&p);
    }
    printf("%s, residual 1e-6: mean %.3f ms, largest windows %.3f ms in the mean, %d of %d windows within "
           "%g ms, %.1f iterations per step, %ld of %d problems unsolved\n",
           scene, mean, largest, within, piles * windows, goal, (double)iterations / ((double)piles * windows * steps), unsolved,
           piles * windows * steps);
    bench_record(scene, first, "step", "ms", mean);
}

static void thirty(void) { several("thirty piles of 90 spheres and more", 90, 1, 30, 1.5); }

static void ten(void) { several("ten piles of 910 spheres and more", 910, 10, 10, 27); }

static void hundred(void) {
    settle(100, 1e-4, 1.5);
    settle(100, 1e-6, 1.5);
}

static void thousand(void) {
    settle(1000, 1e-4, 5);
    settle(1000, 1e-6, 27);
}

/* [ms] of a step of n spheres from 0.16 to 0.2 s of their fall, the least of some starts, which are alike: what other programs take of caches and clock only adds. */
static double time_falling(const char *scene, int n, int layers) {
    enum { STARTS = 5 };
    double least = INFINITY, iterations = 0, contacts = 0;
    for (int start = 0; start < STARTS; start++) {
        pile p = begin_spheres(scene, n, layers ? (int)ceil(sqrt((double)n / layers)) : 0, 1e-6);
        pace(&p, 80);
        iterations = -(double)jn_sim_audit(p.sim)->solver_iterations;
        double ms = pace(&p, 20);
        iterations += (double)jn_sim_audit(p.sim)->solver_iterations, contacts = contacts_of(p.sim);
        if (check(&p)) least = fmin(least, ms);
        finish(&p);
    }
    printf("%s, %5d of them, 0.16 to 0.2 s: %9.3f ms per step, %.3f us per contact, %.0f iterations per step\n", scene, n,
           least, 1e3 * least / contacts, iterations / 20);
    if (isfinite(least)) bench_record(scene, n, "step", "ms", least);
    return least;
}

/* Cost against the number of spheres, all at the same time of their fall: in a cube, which becomes deeper with their number, and in
 * layers over a floor that becomes wider. */
static void grow(const char *scene, int layers) {
    double size[3], time[3];
    for (int k = 0, n = 100; k < 3; k++, n *= 10) size[k] = n, time[k] = time_falling(scene, n, layers);
    double exponent = bench_exponent(size, time, 3);
    say_goal("exponent of the growth", exponent, 1.15, "");
    bench_record(scene, 10000, "exponent", "1", exponent);
}

static void growth(void) {
    grow("spheres in a cube", 0);
    grow("spheres in four layers", 4);
}

static void step_once(void *context) { jn_sim_step(context, 1e9); }

/* Ten boxes at rest one on the other: forty contacts, more than hold them. */
static void stack(void) {
    pile p = begin("box stack", 10, scene_box_stack(10, 0.1, 1), 0, 0.5, 1e-6);
    double us = INFINITY;
    pace(&p, 250);
    for (int n = 0; n < 5; n++) us = fmin(us, bench_microseconds(step_once, NULL, p.sim));
    printf("stack of ten boxes, %d contacts: %.3f us per step\n", contacts_of(p.sim), us);
    say_goal("step", us, 30, "us");
    bool right = bench_check("box stack", "fall of the top [m]", fabs(jn_sim_state(p.sim)->q[7 * 9 + 2] - 0.95), 1e-4);
    if (check(&p) && right) bench_record("box stack", 10, "step", "us", us);
    finish(&p);
}

/* The mean time of a step until the end, and the largest of windows of 0.1 s. */
static void pass(pile *p, double end) {
    double largest = 0, sum = 0;
    int windows = (int)lround(end / window), steps = (int)lround(window / step);
    for (int k = 0; k < windows && !p->broken; k++) {
        double ms = pace(p, steps);
        largest = fmax(largest, ms), sum += ms;
    }
    const jn_audit *a = jn_sim_audit(p->sim);
    printf("%s, %d boxes until %g s: mean %.3f ms, largest window %.3f ms, %.1f iterations per step, %d contacts, %ld "
           "of %ld "
           "steps asleep, %ld unsolved\n",
           p->scene, p->size, end, sum / windows, largest, (double)a->solver_iterations / (windows * steps),
           contacts_of(p->sim), (long)a->asleep, (long)a->steps, (long)a->unsolved);
    if (check(p)) bench_record(p->scene, p->size, "step", "ms", sum / windows);
    finish(p);
}

/* A wall, a pyramid and a block that stand, from their first step until they sleep, and boxes that fall on each other. */
static void boxes(void) {
    pile p = begin("wall of bricks", 100, scene_brick_wall(10, 10, false, 0.2), 0, 0.5, 1e-6);
    pass(&p, 0.5);
    p = begin("pyramid", 120, scene_brick_wall(15, 15, true, 0.2), 0, 0.5, 1e-6);
    pass(&p, 0.5);
    p = begin("block", 125, scene_block_of_boxes(5, 0.2), 0, 0.5, 1e-6);
    pass(&p, 0.5);
    p = begin("boxes fall", 100, scene_boxes_over_floor(100), 0, 0.5, 1e-6);
    pass(&p, until);
    p = begin("boxes fall", 500, scene_boxes_over_floor(500), 0, 0.5, 1e-6);
    pass(&p, 1.2);
}

/* [ms] per step of a pile from one time to another, with what it takes to be sure of it. */
static void stretch(pile *p, double from, double to) {
    pace(p, (int)lround(from / step));
    double ms = p->broken ? NAN : pace(p, (int)lround((to - from) / step));
    bool right = check(p);
    printf("residual %.0e: %s of %d, %g to %g s: %.3f ms per step%s\n", p->residual, p->scene, p->size, from, to, ms,
           right ? "" : ", which does not count");
    char quantity[40];
    snprintf(quantity, sizeof quantity, "step, residual %.0e", p->residual);
    if (right) bench_record(p->scene, p->size, quantity, "ms", ms);
    finish(p);
}

/* What a smaller residual costs. */
static void residuals(void) {
    static const double residual[] = {1e-2, 1e-4, 1e-6, 1e-8};
    for (int k = 0; k < 4; k++) {
        pile p = begin_spheres("spheres by residual", 100, 0, residual[k]);
        stretch(&p, 0.4, 0.6);
        p = begin_spheres("spheres by residual", 1000, 0, residual[k]);
        stretch(&p, 0.2, 0.24);
        p = begin("boxes by residual", 10, scene_box_stack(10, 0.1, 1), 0, 0.5, residual[k]);
        stretch(&p, 0.5, 1);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"stack", stack},        {"boxes", boxes},   {"hundred", hundred},  {"thirty", thirty},    {"ten", ten},
                 {"residual", residuals}, {"growth", growth}, {"thousand", thousand}};
    const char *only = bench_argument(argc, argv, "--only"), *text;
    bool found = false;
    bench_begin(argc, argv, "piles");
    if ((text = bench_argument(argc, argv, "--limit"))) limit = strtod(text, NULL);
    if ((text = bench_argument(argc, argv, "--until"))) until = strtod(text, NULL);
    if ((text = bench_argument(argc, argv, "--residual"))) only_residual = strtod(text, NULL);
    if ((text = bench_argument(argc, argv, "--compliance"))) compliance = strtod(text, NULL);
    if ((text = bench_argument(argc, argv, "--threads"))) threads = (int)strtol(text, NULL, 10);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!only || !strcmp(only, parts[k].name)) parts[k].run(), found = true;
    if (!found) bench_give_up(only, "no such part: stack, boxes, hundred, thirty, ten, residual, growth, thousand");
    return bench_end();
}
