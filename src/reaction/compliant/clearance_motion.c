/* Clearance joints, as the user sees them: eccentricity, orbit, force and mode [Flores2010]. */
#include "reaction/compliant/clearance_motion.h"
#include "algebra/elementary.h"

#include <string.h>

/* An impact is over after so many deepest penetrations over its speed: 2.94 without loss, 17 with a restitution of 0.1. */
static const double lasting = 20;

void jn_phase_begin(jn_contact_state *cached, double gap, double speed_floor) {
    cached->compliant.deepest = jn_fmax(0, -gap);
    cached->phase = cached->speed < speed_floor ? JN_PHASE_LASTING : JN_PHASE_IMPACTING;
}

void jn_phase_follow(jn_contact_state *cached, double time, double gap, double rate) {
    cached->compliant.deepest = jn_fmax(cached->compliant.deepest, -gap);
    bool impact = (time - cached->start) * cached->speed <= lasting * cached->compliant.deepest;
    if (cached->phase == JN_PHASE_IMPACTING && rate > 0)
        cached->phase = JN_PHASE_REBOUNDING;
    else if (cached->phase == JN_PHASE_REBOUNDING && rate < 0)
        impact = false;
    if (!impact) cached->phase = JN_PHASE_LASTING;
}

/* The most lasting of the contacts of a joint. */
static double mode_of(const jn_model *m, const jn_state *s, int joint) {
    double mode = 0;
    for (int i = 0; i < s->contact_count; i++) {
        const jn_contact_state *cached = &s->contact[i];
        if (cached->a >= m->solid_count) break; /* stops of joints */
        if (m->solids[cached->a].shape != -1 - joint) continue;
        mode = jn_fmax(mode, cached->phase == JN_PHASE_LASTING ? 2 : 1);
    }
    return mode;
}

/* Angle of the block's whole turn in space; in a plane that of its axis, with its sign. */
static double block_tilt(const jn_model *m, const jn_mat3 *EA, const jn_mat3 *EB) {
    jn_vec3 a = m3_column(EA, 2), b = m3_column(EB, 2);
    if (m->planar) return jn_atan2(a.x * b.y - a.y * b.x, v3_dot(a, b));
    jn_mat3 EAt = m3_transpose(EA), R = m3_mul(&EAt, EB);
    jn_quat q = q4_from_matrix(&R);
    return 2 * jn_atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), fabs(q.w));
}

static void load_of(const jn_contacts *c, int joint, jn_clearance_motion *out) {
    for (int i = 0; i < c->m->contact_count; i++) {
        if (c->m->contacts[i].joint != joint) continue;
        const jn_contact_sum *sum = &c->sum[i];
        out->penetration = jn_fmax(0, -sum->gap);
        out->reaction = sum->on_second;
        out->force = v3_norm(sum->on_second.f);
    }
}

void jn_clearance_get(const jn_model *m, const jn_contacts *c, const jn_work *w, const jn_state *s, int joint,
                      jn_clearance_motion *out) {
    const jn_joint *j = &m->joints[joint];
    const jn_link_motion *A = &w->link[j->A.link], *B = &w->link[j->B.link];
    jn_vec3 pA = v3_add(A->O, m3_mul_v(&A->R, j->A.p)), pB = v3_add(B->O, m3_mul_v(&B->R, j->B.p));
    jn_mat3 EA = m3_mul(&A->R, &j->A.E), EB = m3_mul(&B->R, &j->B.E), EAt = m3_transpose(&EA);
    memset(out, 0, sizeof *out);
    out->e = m3_mul_v(&EAt, v3_sub(pB, pA));
    bool ball = j->type == JN_JOINT_SPHERICAL_CLEARANCE, block = j->type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
    out->eccentricity = ball ? v3_norm(out->e) : jn_hypot_safe(out->e.x, out->e.y);
    jn_vec3 axis = m3_mul_v(&EAt, m3_column(&EB, 2)); /* of the second body's part, in the first one's axes */
    out->tilt = block ? block_tilt(m, &EA, &EB) : jn_atan2(jn_hypot_safe(axis.x, axis.y), axis.z);
    if (c) load_of(c, joint, out);
    out->mode = mode_of(m, s, joint);
    out->reaction = wr_shift(out->reaction, v3_neg(pB));
    out->reaction_local = (jn_wrench){m3_mul_v(&EAt, out->reaction.n), m3_mul_v(&EAt, out->reaction.f)};
}
