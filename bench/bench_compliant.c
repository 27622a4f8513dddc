/* Contact by continuous forces: many spheres that settle in a box (time per step and per contact), and the quick-return
 * mechanism with four clearance joints by every integrator and every way to find the start of a contact (error against work).
 * Right, for the latter, is the finest run of dopri45; the ram is compared after some twenty impacts. */
#include "bench.h"
#include "scenes.h"
#include <jounce/trace.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* ----------------------------------------------------------------------------------------------------- spheres */

enum { STEPS = 20, ROUNDS = 5 };

/* [s] processor time: these runs are too long to be repeated until nothing disturbs them. */
static double processor(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int contacts_of(jn_sim *sim) { return jn_sim_state(sim)->contact_count; }

/* Best time of a step, over rounds of a few. A step that is cut where a contact begins counts as one. */
static double time_of_step(jn_sim *sim) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        long before = jn_sim_audit(sim)->steps;
        double begin = processor();
        for (int k = 0; k < STEPS; k++) jn_sim_step(sim, INFINITY);
        best = fmin(best, (processor() - begin) / (double)(jn_sim_audit(sim)->steps - before));
    }
    return 1e6 * best;
}

/* Damping above the speed floor is mild enough for the fixed step; a contact may begin as deep as adds 7 uJ. */
static void settle(int n, double seconds) {
    jn_report report = {0};
    jn_description *d = scene_spheres_in_box(n, 0.05, 0.5);
    jn_contact_desc c = jn_contact_default("ball");
    c.law = "flores", c.stiffness = 1e7, c.restitution = 0.5, c.friction = 0.3;
    jn_contact_set_parameter(&c, "v0", 0.1);
    c.speed_floor = 0.1, c.delta_max = 2e-5;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_COMPLIANT, d->run.integrator = JN_INTEGRATOR_RK4, d->run.step = 2e-4;
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    if (!sim) bench_give_up("spheres", report.item[0].text);
    if (jn_sim_advance(sim, seconds) < 0) bench_give_up("spheres", jn_sim_error(sim)->text);
    const jn_audit *a = jn_sim_audit(sim);
    double kinetic = jn_energy_get(m, jn_sim_work(sim)).kinetic, us = time_of_step(sim);
    int contacts = contacts_of(sim);
    bench_check("spheres", "energy left in motion [part of all]", kinetic / a->energy_scale, 2e-2);
    bench_check("spheres", "energy not explained [part of all]", a->max_energy_residual / a->energy_scale, 1e-3);
    bench_check("spheres", "penetration [radii]", a->max_penetration / 0.05, 0.05);
    printf(
        "%5d spheres, %5d contacts: %8.1f us per step, %6.3f us per contact; after %ld steps energy off by %.1e, %.1e "
        "of it in motion\n",
        n, contacts, us, us / contacts, a->steps, a->max_energy_residual / a->energy_scale, kinetic / a->energy_scale);
    bench_record("spheres", n, "step", "us", us);
    bench_record("spheres", n, "contacts", "1", contacts);
    bench_record("spheres", n, "contact", "us", us / contacts);
    jn_sim_free(sim);
    jn_model_free(m);
    jn_description_free(d);
}

/* ------------------------------------------------------------------------------------------------ quick-return */

typedef struct outcome {
    double seconds, x, v, residual;
    long steps, rejected, evaluations;
    bool ok;
} outcome;

static outcome solve(jn_description *d, jn_integrator integrator, jn_contact_start_kind start, double tolerance) {
    outcome o = {.seconds = INFINITY};
    jn_report report = {0};
    d->run.integrator = integrator, d->run.contact_start = start;
    d->run.relative_tolerance = d->run.absolute_tolerance = tolerance;
    d->run.step = jn_integrator_get_info(integrator)->adaptive ? 0 : tolerance;
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    if (!sim) bench_give_up("quick-return", report.item[0].text);
    double begin = processor();
    o.ok = jn_sim_advance(sim, d->run.until) >= 0;
    o.seconds = processor() - begin;
    jn_body_motion ram;
    jn_body_motion_get(m, jn_sim_work(sim), jn_model_find_body(m, "ram"), &ram);
    const jn_audit *a = jn_sim_audit(sim);
    o.x = ram.position.x, o.v = ram.velocity.x;
    o.residual = a->max_energy_residual / a->energy_scale;
    o.steps = a->steps, o.rejected = a->rejected, o.evaluations = a->evaluations;
    jn_sim_free(sim);
    jn_model_free(m);
    return o;
}

static void quick_return(void) {
    static const char *const starts[] = {"root", "interpolate", "reject"};
    jn_report report = {0};
    jn_description *d =
        jn_description_read(JN_SOURCE_DIR "/models/flores_ambrosio/quick_return.yaml", NULL, 0, &report);
    if (!d) bench_give_up("quick-return", report.item[0].text);
    d->run.until = 0.05;
    outcome right = solve(d, JN_INTEGRATOR_DOPRI45, JN_CONTACT_START_ROOT, 1e-13);
    outcome other = solve(d, JN_INTEGRATOR_ADAMS, JN_CONTACT_START_ROOT, 1e-12);
    bench_check("quick-return", "dopri45 against adams [m]", fabs(right.x - other.x), 1e-7);
    printf("\n%-8s %-12s %8s %8s %8s %8s %9s %10s %10s\n", "", "start", "tol", "steps", "rejected", "evals", "ms",
           "error [m]", "energy");
    for (int i = 0; jn_integrator_get_info((jn_integrator)i); i++)
        for (int s = 0; s < 3 && jn_integrator_get_info((jn_integrator)i)->adaptive; s++) {
            double best = INFINITY;
            for (double tolerance = 1e-5; tolerance > 5e-12; tolerance *= 1e-2) {
                outcome o = solve(d, (jn_integrator)i, (jn_contact_start_kind)s, tolerance);
                char label[64];
                double error = fabs(o.x - right.x);
                const char *name = jn_integrator_get_info((jn_integrator)i)->name;
                printf("%-8s %-12s %8.0e %8ld %8ld %8ld %9.2f %10.1e %10.1e\n", name, starts[s], tolerance, o.steps,
                       o.rejected, o.evaluations, 1e3 * o.seconds, error, o.residual);
                snprintf(label, sizeof label, "%s %s %.0e", name, starts[s], tolerance);
                bench_record("quick-return", (int)o.steps, label, "ms", 1e3 * o.seconds);
                bench_record("quick-return", (int)o.steps, label, "error", error);
                if (o.ok) best = fmin(best, error);
            }
            if (s != JN_CONTACT_START_INTERPOLATE) bench_check("quick-return", starts[s], best, 1e-5);
        }
    jn_description_free(d);
}

int main(int argc, char **argv) {
    bench_begin(argc, argv, "compliant");
    settle(100, 1);
    settle(1000, 0.5);
    quick_return();
    return bench_end();
}
