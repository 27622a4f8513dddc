/* Coordinates that creep although their dry friction holds them: regularised, F tanh(u/u_s), it bears a load of less than F only while it slips, with
 * u = u_s artanh(load/F). A witness, as the audit is. */
#include "step/audit_limits.h"
#include "step/creep.h"

#include <math.h>

/* [m/s] or [rad/s] up to which the friction is within what holds. */
static double speed_of(const jn_actuator *a) { return JN_AUDIT_CREEP_SPEEDS * a->law.friction_speed; }

static const char *name_of(const jn_model *m, const jn_actuator *a) {
    if (a->joint >= 0) return m->joints[a->joint].name;
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].handle == a->handle) return m->tendons[i].name;
    return NULL;
}

/* What comes to rest under its friction goes on by u^2/(2 a) in any case. */
static void begin(jn_creep *c, const jn_actuator *a, double t, double v, double dt) {
    double slowing = dt > 0 ? fabs(c->speed - v) / dt : 0, speed = speed_of(a);
    bool slid = fabs(c->speed) > speed;
    c->since = t, c->way = 0;
    c->allowed = JN_AUDIT_CREEP_TIME * a->law.friction_speed;
    if (slid && slowing > 0) c->allowed += JN_AUDIT_CREEP_STOP * speed * speed / slowing;
}

static void follow(jn_sim *sim, int k, double t, double dt) {
    const jn_actuator *a = &sim->m->actuators[k];
    jn_creep *c = &sim->creep[k];
    jn_audit *audit = &sim->audit;
    double v = sim->w->speed[a->handle];
    if (fabs(v) > speed_of(a))
        c->since = INFINITY;
    else if (!(c->since <= t))
        begin(c, a, t, v, dt);
    else
        c->way += 0.5 * dt * (c->speed + v);
    c->speed = v;
    if (!(c->since < t) || !(fabs(c->way) > jn_max(c->allowed, audit->max_creep))) return;
    audit->max_creep = fabs(c->way), audit->creep_time = t - c->since, audit->creep_at = name_of(sim->m, a);
}

void jn_creep_start(jn_sim *sim) {
    for (int k = 0; k < sim->m->actuator_count; k++) sim->creep[k] = (jn_creep){.since = INFINITY};
    sim->creep_seen = sim->s->t;
}

void jn_creep_follow(jn_sim *sim, double t) {
    const jn_model *m = sim->m;
    double dt = jn_max(0, t - sim->creep_seen); /* a step that was taken back is taken again */
    for (int k = 0; k < m->actuator_count; k++)
        if (m->actuators[k].holds && !(m->actuators[k].dry && sim->w->dry_rows)) follow(sim, k, t, dt);
    sim->creep_seen = t;
}
