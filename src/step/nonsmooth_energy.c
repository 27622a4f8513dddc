/* Energy of the implicit midpoint rule. Impulses and forces work on the mean velocity of a step, and so do joints; what the
 * kinetic and potential energies gain beyond that work is the error of the rule, O(dt^3): the inertia turns with the bodies while
 * the rule takes it in the middle. It is taken back by scaling the velocities of the bodies concerned, a correction along the
 * discrete gradient of the energy [Gonzalez1996, section 4], so that no step wins or loses what nobody put in. Contacts that stick
 * or rest stay so. Bodies that move together are corrected together; all at once where forces act between them. */
#include "step/nonsmooth.h"

#include <string.h>

#define LARGEST 1e-3 /* of a group's kinetic energy that is changed in a step; the rest stays, and the audit shows it */

/* [J] twice that of rotors, which turn with the joint alone. */
static double twice_rotors(const jn_sim *sim, const jn_link *l) {
    double sum = 0;
    for (int k = l->v; k < l->v + l->nv; k++) sum += sim->m->armature[k] * sim->s->u[k] * sim->s->u[k];
    return sum;
}

static double twice_in_space(const jn_link *l, const jn_link_motion *B) {
    jn_vec3 v = v3_add(B->V.v, v3_cross(B->V.w, B->c)), w = m3_tmul_v(&B->R, B->V.w);
    return l->mass * v3_dot(v, v) + v3_dot(w, s3_mul_v(&l->inertia, w));
}

static inline double twice_in_plane(const jn_link *l, const jn_link_motion *B) {
    double w = B->V.w.z, x = B->V.v.x - w * B->c.y, y = B->V.v.y + w * B->c.x;
    return l->mass * (x * x + y * y) + l->inertia.zz * w * w;
}

static inline double kinetic_of(const jn_sim *sim, int link) {
    const jn_link *l = &sim->m->links[link];
    const jn_link_motion *B = &sim->w->link[link];
    double twice = sim->m->flat ? twice_in_plane(l, B) : twice_in_space(l, B);
    if (sim->m->armature) twice += twice_rotors(sim, l);
    return 0.5 * twice;
}

double jn_link_kinetic(const jn_sim *sim, int link) { return kinetic_of(sim, link); }

/* Whether forces act between bodies: then only the sum of all is known. */
static bool is_coupled(const jn_model *m) {
    return m->spring_count + m->bushing_count + m->applied_count + m->actuator_count > 0;
}

static int place(const jn_sim *sim, int link) { return is_coupled(sim->m) ? 0 : sim->nonsmooth->group_of[link]; }

/* [J] minus the weight of a link times its height. */
static inline double weight_work(const jn_sim *sim, int link) {
    const jn_link_motion *B = &sim->w->link[link];
    return sim->m->links[link].mass * v3_dot(sim->m->gravity, v3_add(B->O, B->c));
}

/* Kinetic and all energy of each group at the state, where the work space stands. */
static void measure(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    bool coupled = is_coupled(m);
    for (int g = 0; g < m->link_count; g++) x->budget[g].kinetic = x->budget[g].now = 0;
    for (int i = 1; i < m->link_count; i++) {
        int group = x->group_of[i];
        jn_budget *b = &x->budget[coupled ? 0 : group];
        double kinetic = kinetic_of(sim, i);
        b->now += kinetic - weight_work(sim, i);
        if (!x->group[group].driven) b->kinetic += kinetic;
    }
    if (!coupled) return;
    jn_measure_all(m, sim->w, sim->s);
    jn_forces(m, sim->w, sim->s);
    x->budget[0].now += sim->w->elastic;
}

/* The energy of the state is that of the next start. Only the state decides it: velocities are taken from the poses anew, as
 * they are where a run starts. */
static void remember(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_velocities(sim->m, sim->w, sim->s);
    measure(sim);
    for (int g = 0; g < sim->m->link_count; g++) x->budget[g].start = x->budget[g].now;
    x->measured = true;
}

void jn_energy_measure(jn_sim *sim) {
    if (sim->nonsmooth->keeps_energy && !sim->nonsmooth->measured) remember(sim);
}

void jn_energy_begin(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    if (!sim->nonsmooth->keeps_energy) return;
    if (!x->measured) jn_kinematics(m, sim->w, sim->s);
    jn_energy_measure(sim);
    for (int g = 0; g < m->link_count; g++) x->budget[g].work = 0, x->budget[g].struck = false;
    x->measured = false;
    x->account = sim->s->ledger.driven - sim->s->ledger.dissipated;
}

/* Work of the impulses of contacts on each group, with the rows of the step; the state is still that of its start. */
void jn_energy_book(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->dimension;
    if (!sim->nonsmooth->keeps_energy) return;
    for (int i = 0; i < x->count; i++)
        for (int k = x->start[i]; k < jn_contact_set_end(x, i); k++) {
            int dof = x->dof_of[k];
            double impulse = 0;
            for (int r = 0; r < d; r++) impulse += x->H[k * d + r] * x->p[i * d + r];
            jn_budget *b = &x->budget[place(sim, m->dof_link[dof])];
            b->work += 0.5 * impulse * (sim->s->u[dof] + x->velocity[dof]);
            b->struck |= x->held[i].strikes;
        }
}

/* What a group has too much, and may be taken. */
static double excess(const jn_budget *b, double work) {
    double most = LARGEST * b->kinetic;
    if (b->struck)
        return fmax(0, fmin(most, b->now - b->start - fmax(0, work))); /* an impact is of first order: it may lose */
    return fmax(-most, fmin(most, b->now - b->start - work));
}

/* What each group has too much, and, of those that were struck, what all of them have kept of the loss that the impulses tell. They may keep
 * no more than was lost, and what they keep is not there for a push. */
static void share_out(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    bool coupled = is_coupled(sim->m);
    double booked = sim->s->ledger.driven - sim->s->ledger.dissipated - x->account, kept = 0, lost = 0, moving = 0;
    for (int g = 0; g < sim->m->link_count; g++) {
        jn_budget *b = &x->budget[g];
        double work = coupled ? booked : b->work;
        b->excess = b->kinetic > 0 ? excess(b, work) : 0;
        lost -= b->work;
        if (b->struck && b->kinetic > 0) kept += b->now - b->excess - b->start - work, moving += b->kinetic;
    }
    double over = fmin(LARGEST * moving, kept - fmax(0, lost));
    x->spare = fmax(0, x->spare - fmax(0, kept));
    for (int g = 0; g < sim->m->link_count; g++) {
        jn_budget *b = &x->budget[g];
        if (b->struck && b->kinetic > 0 && over > 0) b->excess += over * b->kinetic / moving;
        b->scale = b->kinetic > 0 ? sqrt(1 - b->excess / b->kinetic) : 1;
    }
}

void jn_energy_keep(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    if (!sim->nonsmooth->keeps_energy) return;
    jn_kinematics(m, sim->w, sim->s);
    measure(sim);
    share_out(sim);
    bool coupled = is_coupled(m);
    for (int k = 0; k < m->nv; k++) {
        int group = x->group_of[m->dof_link[k]];
        if (!x->group[group].driven) sim->s->u[k] *= x->budget[coupled ? 0 : group].scale;
    }
    remember(sim);
}
