/* Values of channels at the present state. */
#include "description/joint_info.h"
#include "reaction/compliant/clearance_motion.h"
#include "trace/channels.h"

#include <string.h>

static jn_energies_seen energies_get(jn_sim *sim) {
    jn_energy e = jn_sim_energy(sim);
    jn_energies_seen out = {.kinetic = e.kinetic, .potential = e.potential, .elastic = e.elastic, .contact = e.contact};
    out.dissipated = sim->s->ledger.dissipated, out.driven = sim->s->ledger.driven;
    out.damping = sim->s->ledger.damping, out.friction = sim->s->ledger.friction;
    out.numerical = sim->s->ledger.numerical;
    out.total = e.kinetic + e.potential + e.elastic;
    out.residual =
        sim->between ? sim->audit.energy_residual : jn_audit_energy_residual(&sim->audit, &e, &sim->s->ledger);
    return out;
}

/* Between two steps the residuals are those of the step: what lies between is interpolated, which the ledger knows nothing of. */
static jn_momenta_seen momenta_get(const jn_sim *sim) {
    double size[2];
    jn_momenta_seen out = {.sum = jn_momentum_sum(sim->m, sim->w, size)};
    jn_wrench left = wr_sub(wr_sub(out.sum, sim->audit.momentum_start), sim->s->ledger.given);
    if (sim->between) left = sim->audit.momentum_left;
    out.residual = v3_norm(left.f), out.angular_residual = v3_norm(left.n);
    return out;
}

/* A gap beyond what collision detection looks at is not known. */
static jn_contact_sum contact_sum(const jn_sim *sim, int contact) {
    jn_contact_sum sum = sim->contacts ? sim->contacts->sum[contact] : (jn_contact_sum){.gap = NAN};
    if (!isfinite(sum.gap)) sum.gap = NAN;
    return sum;
}

/* The forces between the parts of a clearance joint are its reaction. */
static void joint_motion(jn_sim *sim, int joint, jn_joint_motion *out) {
    jn_joint_motion_get(sim->m, sim->w, joint, out);
    if (!jn_joint_has_clearance(sim->m->joints[joint].type)) return;
    jn_clearance_motion motion;
    jn_clearance_get(sim->m, sim->contacts, sim->w, sim->s, joint, &motion);
    out->reaction = motion.reaction, out->reaction_local = motion.reaction_local;
}

/* All channels but derived ones, at the state last observed; returns how many are derived. */
static int read_plain(const jn_channels *c, jn_sim *sim, double *values) {
    union {
        jn_body_motion body;
        jn_joint_motion joint;
        jn_clearance_motion clearance;
        jn_point_seen point;
        jn_contact_sum contact;
        jn_tendon_motion tendon;
        jn_actuator_motion actuator;
        double sensor[JN_SENSOR_MOST];
        jn_energies_seen energy;
        jn_momenta_seen momentum;
        jn_step_seen step;
    } seen;
    int source = -1, item = -1, derived = 0;
    memset(&seen, 0, sizeof seen);
    for (int i = 0; i < c->count; i++) {
        const jn_channel *channel = &c->list[i];
        if (channel->source == SOURCE_DERIVED) {
            derived++;
            continue;
        }
        if (channel->source != source || channel->item != item) { /* channels of one item stand together */
            source = channel->source, item = channel->item;
            if (source == SOURCE_BODY) jn_body_motion_get(sim->m, sim->w, item, &seen.body);
            if (source == SOURCE_JOINT) joint_motion(sim, item, &seen.joint);
            if (source == SOURCE_CLEARANCE)
                jn_clearance_get(sim->m, sim->contacts, sim->w, sim->s, item, &seen.clearance);
            if (source == SOURCE_POINT)
                jn_point_motion_get(sim->m, sim->w, item, &seen.point.p, &seen.point.v, &seen.point.a);
            if (source == SOURCE_TENDON) seen.tendon = jn_tendon_motion_get(sim->m, sim->w, item);
            if (source == SOURCE_ACTUATOR) seen.actuator = jn_actuator_motion_get(sim->m, sim->w, item);
            if (source == SOURCE_SENSOR) jn_sim_sensor(sim, item, seen.sensor);
            if (source == SOURCE_CONTACT) seen.contact = contact_sum(sim, item);
            if (source == SOURCE_ENERGY) seen.energy = energies_get(sim);
            if (source == SOURCE_MOMENTUM) seen.momentum = momenta_get(sim);
            if (source == SOURCE_STEP) seen.step = (jn_step_seen){sim->step_taken, jn_sim_order(sim)};
        }
        memcpy(&values[i], (const char *)&seen + channel->offset, sizeof *values);
    }
    return derived;
}

int jn_channels_read(const jn_channels *c, jn_sim *sim, double *values) {
    int status = jn_sim_observe(sim);
    if (status < 0) return status;
    if (!read_plain(c, sim, values)) return JN_OK;
    c->var[JN_VAR_T] = sim->s->t;
    read_plain(c->inputs, sim, c->var + JN_VAR_SIGNAL);
    for (int i = 0; i < c->count; i++)
        if (c->list[i].source == SOURCE_DERIVED)
            values[i] = jn_function_value(sim->m->derived[c->list[i].item].value, sim->m->tables, c->var);
    return JN_OK;
}
