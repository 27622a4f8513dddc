/* Adhesion: before each step the contact points of a body are found that an actuator pulls at, each with an equal part of its force, or those of all shapes
 * that stick, each with the forces of both, along the normal that the first body carries. Contact laws know nothing of it: they resist a force that acts on both bodies [MuJoCo, actuator
 * adhesion]. It begins in the step after the one in which surfaces meet. */
#include "step/nonsmooth/leapfrog.h"

static const double LONGEST_STEP = 1e-3; /* [s] where the run names none */

typedef struct found {
    jn_adhesive *point; /* (room) */
    int count, room;
    bool changed; /* other points than before */
    bool full;    /* there were more */
} found;

static void add(found *f, const jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *p, double weight) {
    const jn_model *m = sim->m;
    int A = m->solids[pair->a].link, B = m->solids[pair->b].link;
    if (A == B) return;
    f->full |= f->count == f->room;
    if (f->full) return;
    double share[2];
    jn_adhesive *g = &f->point[f->count++];
    f->changed |= g->weight == 0 || g->A != A || g->B != B || g->feature != p->feature;
    const jn_link_motion *a = &sim->w->link[A], *b = &sim->w->link[B];
    jn_vec3 shared = jn_contact_share(share, A, B, p);
    *g = (jn_adhesive){A, B, p->feature, m3_tmul_v(&b->R, v3_sub(shared, b->O)), m3_tmul_v(&a->R, p->n), weight};
}

/* Whether a contact point bore a load in the last step of a time-stepping scheme, whose cache keeps points that have just opened; with the
 * other methods whether it is active. */
static bool bears(const jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *p) {
    const jn_contact_state *cached = jn_contact_active(sim->s, pair, p);
    return cached && (!sim->nonsmooth || sim->impact || v3_dot(cached->stepping.impulse, p->n) > 0);
}

/* Whether a pair is pulled at, how strong each of its points is and how far it reaches. */
static bool sticks(const jn_model *m, const jn_reach *r, const jn_solid_pair *pair, double *weight, double *range) {
    const jn_solid *a = &m->solids[pair->a], *b = &m->solids[pair->b];
    *weight = r->of_shapes ? a->adhesion + b->adhesion : 1;
    *range = r->of_shapes ? jn_fmax(a->adhesion > 0 ? a->adhesion_reach : 0, b->adhesion > 0 ? b->adhesion_reach : 0)
                          : r->range;
    return r->of_shapes ? *weight > 0 : a->body == r->body || b->body == r->body;
}

/* All points of the body that bear a load, or are no farther than the reach. 1: others than before. An actuator has a fixed force, which the first of very many points share; shapes have one at each. */
static int find_points(jn_sim *sim, const jn_reach *r) {
    const jn_detection *d = sim->contacts->detection;
    found f = {.point = sim->w->adhesive + r->pull, .room = r->pulls};
    int before = 0;
    while (before < f.room && f.point[before].weight > 0) before++;
    for (int i = 0; i < jn_detection_pairs(d); i++) {
        const jn_solid_pair *pair = jn_detection_pair(d, i);
        double weight, range;
        if (!sticks(sim->m, r, pair, &weight, &range)) continue;
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *p = jn_detection_contact(d, k);
            if (p->gap <= range || bears(sim, pair, p)) add(&f, sim, pair, p, weight);
        }
    }
    if (f.full && r->of_shapes)
        return jn_sim_fail(sim, JN_ERR_LIMIT,
                           "shapes that stick have more than %d contact points at t = %.9g s\ngive 'adhesion' to the "
                           "other shapes of these pairs, or to fewer shapes",
                           f.room, sim->s->t);
    for (int i = 0; i < f.count && !r->of_shapes; i++) f.point[i].weight = 1.0 / f.count;
    for (int i = f.count; i < before; i++) f.point[i].weight = 0;
    return f.changed || f.count != before;
}

/* The points of all lengths; 1: others than before. */
static int find_all(jn_sim *sim) {
    const jn_model *m = sim->m;
    double margin = sim->contacts->margin;
    bool changed = false;
    jn_kinematics(m, sim->w, sim->s);
    for (int i = 0; i < m->reach_count; i++)
        if (m->reaches[i].type == JN_REACH_CONTACTS) margin = jn_fmax(margin, m->reaches[i].range);
    int status = jn_detection_update_work(sim->contacts->detection, sim->w, margin);
    if (status < 0) return status;
    for (int i = 0; i < m->reach_count && status >= 0; i++) {
        if (m->reaches[i].type != JN_REACH_CONTACTS) continue;
        status = find_points(sim, &m->reaches[i]);
        changed |= status > 0;
    }
    return status < 0 ? status : changed;
}

int jn_adhesion_find(jn_sim *sim) {
    int changed = sim->contacts ? find_all(sim) : 0;
    if (changed <= 0) return changed;
    if (sim->nonsmooth && sim->nonsmooth->leapfrog) jn_leapfrog_start_anew(sim); /* forces have changed */
    jn_sim_begin_anew(sim);
    return JN_OK;
}

void jn_adhesion_restore(jn_sim *sim) {
    if (sim->contacts) find_all(sim);
}

double jn_adhesion_step(const jn_model *m) { return m->run.step > 0 ? m->run.step : LONGEST_STEP; }
