/* Contacts that close and open again within a step: a ball that grazes an edge in flight, a corner of a spinning body that grazes a wall. Where a gap may have a minimum
 * below zero (step/contact_set/gap_path.c) the step is taken to that time, and the minimum is found on the motion itself. */
#include "step/contact_set/gap_path.h"
#include "step/impact/impact_method.h"

static bool has_closed(const jn_sim *sim, const jn_solid_pair *pair) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++)
        if (set->point[i].a == pair->a && set->point[i].b == pair->b) return true;
    return false;
}

static bool is_closed(const jn_sim *sim, const jn_solid_pair *pair, uint32_t feature) {
    return jn_impact_is_closed(&sim->nonsmooth->set, pair->a, pair->b, feature);
}

/* The minimum of the pair's gap on the motion itself, from a first guess of its time: seen, or nothing where the gap stays open. The state is where the search
 * has ended. */
static int find_minimum(const jn_gap_path *g, jn_step_function *step, jn_seen *seen) {
    jn_sim *sim = g->sim;
    double t = sim->before->t + g->x * g->h;
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_gap_node b = jn_gap_node_here(g, sim->s->t);
    jn_kinematics(sim->m, sim->w, sim->before);
    jn_gap_node a = jn_gap_node_here(g, sim->before->t);
    double expected = NAN; /* [m] gap of the cubic at the trial */
    *seen = (jn_seen){0};
    for (int n = 0; n < JN_GRAZE_TRIALS && a.count && b.count && t > a.x && t < b.x; n++) {
        int status = jn_impact_try(sim, t, step, seen);
        if (status < 0 || seen->cause || sim->s->t < t) return status;
        jn_kinematics(sim->m, sim->w, sim->s);
        jn_gap_node m = jn_gap_node_here(g, t);
        if (m.count == 0) return JN_OK;
        if (m.point[0].rate < 0)
            a = m;
        else
            b = m;
        if (!(a.point[0].rate < 0 && b.point[0].rate > 0)) return JN_OK;
        double at, h = b.x - a.x,
                   least = jn_gap_smallest(a.point[0].gap, a.point[0].rate, b.point[0].gap, b.point[0].rate, h, &at);
        if (least > 0 && fabs(m.point[0].gap - expected) < JN_GRAZE_MET * least) return JN_OK;
        double bend = (b.point[0].rate - a.point[0].rate) / h;
        double before = least < 0 ? 0.5 * sqrt(-2 * least / bend) : 0; /* where it still falls, and lies below zero */
        t = jn_max(a.x + at * h - before, a.x + JN_EVENT_BEYOND_REL * at * h);
        expected = least + 0.5 * bend * before * before;
    }
    return JN_OK;
}

int jn_impact_find_graze(jn_sim *sim, double h, jn_step_function *step, jn_seen *seen) {
    jn_impacts *p = sim->impact;
    double end = sim->s->t, next = sim->h, next_slip = p->slip.h, from = 0;
    jn_seen at_end = *seen, found = {0};
    jn_solid_pair pair;
    if (!(end > sim->before->t)) return JN_OK;
    for (int n = 0; n < JN_GRAZE_MOST; n++) {
        jn_gap_path g = {.sim = sim, .still = jn_impact_still(sim), .from = from, .has_contacts = has_closed, .is_active = is_closed};
        jn_gap_path_first_minimum(&g, &pair);
        if (!(g.x < 1)) break;
        jn_state_copy(sim->after, sim->s);
        int status = find_minimum(&g, step, &found);
        if (status < 0) return status;
        if (found.cause) {
            *seen = found;
            return jn_impact_locate(sim, h, step, seen);
        }
        if (step == jn_step_cvode) {
            status = jn_impact_try(sim, end, step, seen);
        } else {
            jn_state_copy(sim->s, sim->after);
            sim->slope_known = false;
            jn_impact_detect(sim, &status);
        }
        if (status < 0) return status;
        sim->h = next, p->slip.h = next_slip, *seen = at_end;
        from = g.x + JN_GRAZE_APART;
    }
    return JN_OK;
}
