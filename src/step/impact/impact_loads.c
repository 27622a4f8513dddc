/* Loads that change with time: where they have kinks, and how long steps may be while all bodies rest, so that nothing happens unseen between stages. */
#include "step/impact/impact_method.h"

#include "base/program.h"
#include "step/contact_set/contact_set_tolerances.h"
#include "step/contact_set/gap_path.h"

static double earlier(const jn_sim *sim, jn_function f, double kink) {
    return f.length ? jn_min(kink, jn_function_next_kink(f, sim->m->tables, sim->s->t)) : kink;
}

/* [s] next kink of all forces, drivers and motors after the present time. O(length of the functions) */
static double find_kink(const jn_sim *sim) {
    const jn_model *m = sim->m;
    double kink = INFINITY;
    for (int i = 0; i < m->applied_count; i++)
        for (int k = 0; k < 3; k++) kink = earlier(sim, m->applied[i].component[k], kink);
    for (int i = 0; i < m->spring_count; i++) kink = earlier(sim, m->springs[i].tension, kink);
    for (int i = 0; i < m->driver_count; i++) kink = earlier(sim, m->drivers[i].motion, kink);
    for (int i = 0; i < m->actuator_count; i++) {
        const jn_coordinate_desc *law = &m->actuators[i].law;
        const jn_function all[] = {law->force, law->motor_target, law->motor_speed, law->motor_feed};
        for (int k = 0; k < 4; k++) kink = earlier(sim, all[k], kink);
    }
    return kink;
}

/* Steps end just before a kink and just behind it: what jumps there is taken from its own side by both. */
double jn_impact_step_end(jn_sim *sim, double t) {
    jn_impacts *p = sim->impact;
    double now = sim->s->t, side = JN_IMPACT_KINK_SIDE_REL * jn_max(JN_IMPACT_KINK_TIME_LEAST, fabs(now));
    if (!(now >= p->kink_from && now < p->kink + 0.5 * side)) p->kink = find_kink(sim), p->kink_from = now;
    return jn_min(t, now < p->kink - 2 * side ? p->kink - side : p->kink + side);
}

double jn_impact_step_limit(const jn_sim *sim) {
    double most = jn_gap_path_rate(sim, sim->impact->travel);
    double limit = jn_gap_path_time(sim, sim->impact->travel);
    return sim->nonsmooth->set.count && limit > JN_IMPACT_REST_STEP && most < JN_IMPACT_REST_RATE ? JN_IMPACT_REST_STEP
                                                                                                  : limit;
}
