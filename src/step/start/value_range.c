/* Values that numbers of 64 bits cannot carry through a run: found before it starts, with the body that has them, or at the step
 * that leads to them. */
#include "algebra/elementary.h"
#include "step/sim.h"
#include "step/start/start_tolerances.h"
#include <float.h>

/* Of the components: squares of what is too large are infinite. */
static double largest(jn_vec3 v) { return jn_fmax(fabs(v.x), jn_fmax(fabs(v.y), fabs(v.z))); }

static int refuse(const jn_body *b, jn_report *report, const char *what, double value, const char *unit,
                  const char *why, const char *hint) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, b->where, b->name,
                         "%s of body '%.60s', %.3g %s, %s\n%s", what, b->name, value, unit, why, hint);
}

static int check_size(const jn_body *b, jn_report *report, const char *what, double value, const char *unit) {
    if (fabs(value) <= JN_RANGE_START_MOST) return JN_OK;
    return refuse(b, report, what, value, unit, "is too large to compute with: 1e50 is the most",
                  "look for a wrong unit or a division by a small number");
}

/* Whether a shape is smaller than the rounding of its place where its link is `far` [m] from the origin. */
static bool is_coarse(const jn_solid *s, double far) {
    return s->reach > 0 && DBL_EPSILON * (far + largest(s->local.p)) / s->reach > JN_RANGE_COARSE_REL;
}

/* Whether the places of a shape are resolved at the start and on its way. */
static int check_shape(const jn_sim *sim, const jn_solid *s, double until, jn_report *report) {
    const jn_body *b = &sim->m->bodies[s->body];
    const jn_link_motion *motion = &sim->w->link[s->link];
    double place = largest(motion->O), speed = largest(motion->V.v);
    if (is_coarse(s, place))
        return refuse(b, report, "the distance from the origin", place, "m",
                      "or that of its shapes is so large that they are smaller than the rounding of their places",
                      "place the model near the origin, or look for a wrong unit of the place or of the shape");
    if (is_coarse(s, place + speed * until))
        return refuse(b, report, "the speed", speed, "m/s",
                      "takes it so far until the end that its shapes are smaller than the rounding of its place",
                      "look for a wrong unit, or write a smaller run.until");
    return JN_OK;
}

/* One body at its start: sizes, and how far it turns. */
static int check_body(const jn_sim *sim, const jn_body *b, double until, jn_report *report) {
    const jn_model *m = sim->m;
    const jn_link *link = &m->links[b->link];
    const jn_link_motion *motion = &sim->w->link[b->link];
    double inertia = jn_fmax(link->inertia.xx, jn_fmax(link->inertia.yy, link->inertia.zz));
    double place = largest(motion->O), speed = largest(motion->V.v), spin = largest(motion->V.w);
    int status = check_size(b, report, "the mass", link->mass, "kg");
    if (!status) status = check_size(b, report, "the inertia", inertia, "kg m^2");
    if (!status) status = check_size(b, report, "the distance from the origin", place, "m");
    if (!status) status = check_size(b, report, "the speed", speed, "m/s");
    if (!status) status = check_size(b, report, "the angular velocity", spin, "rad/s");
    if (status) return status;
    if (spin * until > JN_RANGE_TURN_MOST)
        return refuse(b, report, "the angular velocity", spin, "rad/s",
                      "turns it more than 1e8 rad until the end, which no step resolves",
                      "look for a wrong unit, or write a smaller run.until");
    return JN_OK;
}

int jn_range_check(const jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    double until = m->run.analysis == JN_ANALYSIS_DYNAMIC ? m->run.until : 0;
    int status = JN_OK;
    jn_kinematics(m, sim->w, sim->s);
    for (int i = 0; i < m->body_count && !status; i++)
        if (m->bodies[i].link > 0) status = check_body(sim, &m->bodies[i], until, report);
    for (int i = 0; i < m->solid_count && !status; i++)
        if (m->solids[i].link > 0) status = check_shape(sim, &m->solids[i], until, report);
    return status;
}

/* False for NaN too. */
static bool is_within(const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= JN_RANGE_RUN_MOST)) return false;
    return true;
}

int jn_range_keep(jn_sim *sim) {
    if (is_within(sim->s->q, sim->m->nq) && is_within(sim->s->u, sim->m->nv)) return JN_OK;
    return jn_sim_fail(
        sim, JN_ERR_NUMERIC,
        "places or speeds are beyond all bounds or not numbers at t = %.9g s\nlook for a force that grows "
        "without limit or divides by zero, or take smaller steps",
        sim->s->t);
}

double jn_range_speed(const jn_model *m) {
    double size = INFINITY;
    for (int i = 0; i < m->solid_count; i++)
        if (m->solids[i].link > 0 && m->solids[i].reach > 0) size = jn_fmin(size, m->solids[i].reach);
    return JN_RANGE_COARSE_REL * size / (DBL_EPSILON * jn_fmax(1e-3, m->run.until));
}

int jn_range_by_hand(jn_sim *sim) {
    sim->by_hand = false;
    for (int i = 0; i < sim->m->nv; i++)
        if (!(fabs(sim->s->u[i]) <= sim->speed_most))
            return jn_sim_fail(sim, JN_ERR_NUMERIC,
                               "velocity %d was set to %.3g, which takes bodies so far until the end that their shapes "
                               "are smaller than "
                               "the rounding of their places\nset it below %.3g, and call jn_sim_restart",
                               i + 1, sim->s->u[i], sim->speed_most);
    return jn_range_keep(sim);
}
