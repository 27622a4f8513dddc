/* Lengths between places on links (model/reach.c) at a state: their rates, rows and accelerations. */
#include "motion/work.h"

jn_pose jn_link_pose(const void *work, int link) {
    const jn_link_motion *L = &((const jn_work *)work)->link[link];
    return (jn_pose){L->O, L->R};
}

/* Velocity of the matter of a link at a point. */
static jn_vec3 velocity_at(const jn_link_motion *L, jn_vec3 p) {
    return v3_add(L->V.v, v3_cross(L->V.w, v3_sub(p, L->O)));
}

static double pull_rate(const jn_work *w, const jn_pull *p) {
    const jn_link_motion *A = &w->link[p->A], *B = &w->link[p->B];
    jn_vec3 v = v3_sub(velocity_at(B, p->b.v), velocity_at(A, p->a.v));
    return v3_dot(p->f.v, v) + v3_dot(p->n.v, v3_sub(B->V.w, A->V.w));
}

void jn_reach_measure(const jn_model *m, jn_work *w, int handle) {
    int k = m->handles[handle].reach - 1;
    const jn_reach *r = &m->reaches[k];
    jn_dual length;
    const jn_frames frames = {jn_link_pose, NULL, w, m->adheres ? w->adhesive : NULL};
    w->pulls[k] = jn_reach_evaluate(m->path_nodes, r, &frames, &length, w->pull + r->pull);
    w->position[handle] = length.v, w->speed[handle] = 0;
    for (int i = 0; i < w->pulls[k]; i++) w->speed[handle] += pull_rate(w, &w->pull[r->pull + i]);
}

static jn_twist along_motion(const void *work, int link, jn_vec3 *about) {
    const jn_work *w = work;
    *about = w->link[link].O;
    return w->link[link].V;
}

/* Acceleration of a link's matter where a point is that moves with the velocity v: A + alpha x r + w x (v - V). */
static jn_vec3 acceleration_at(const jn_work *w, int link, jn_dual3 p) {
    const jn_link_motion *L = &w->link[link];
    jn_twist A = w->A_bias[link];
    jn_vec3 r = v3_sub(p.v, L->O);
    return v3_add(v3_add(A.v, v3_cross(A.w, r)), v3_cross(L->V.w, v3_sub(p.d, L->V.v)));
}

double jn_reach_bias(const jn_model *m, const jn_work *w, const jn_reach *r) {
    jn_pull *pull = w->pull + m->pull_room - m->pull_spare; /* the last ones are scratch */
    jn_dual length;
    const jn_frames frames = {jn_link_pose, along_motion, w, m->adheres ? w->adhesive : NULL};
    int count = jn_reach_evaluate(m->path_nodes, r, &frames, &length, pull);
    double sum = 0;
    for (const jn_pull *p = pull; p < pull + count; p++) {
        const jn_link_motion *A = &w->link[p->A], *B = &w->link[p->B];
        jn_vec3 v = v3_sub(velocity_at(B, p->b.v), velocity_at(A, p->a.v));
        jn_vec3 a = v3_sub(acceleration_at(w, p->B, p->b), acceleration_at(w, p->A, p->a));
        sum += v3_dot(p->f.d, v) + v3_dot(p->f.v, a);
        sum += v3_dot(p->n.d, v3_sub(B->V.w, A->V.w)) + v3_dot(p->n.v, v3_sub(w->A_bias[p->B].w, w->A_bias[p->A].w));
    }
    return sum;
}

void jn_pull_wrenches(const jn_work *w, const jn_pull *p, jn_wrench *A, jn_wrench *B) {
    jn_vec3 f = p->f.v, n = p->n.v;
    *B = (jn_wrench){v3_add(n, v3_cross(v3_sub(p->b.v, w->link[p->B].O), f)), f};
    *A = (jn_wrench){v3_neg(v3_add(n, v3_cross(v3_sub(p->a.v, w->link[p->A].O), f))), v3_neg(f)};
}

/* From both links up to the first that carries both. */
void jn_reach_scatter(const jn_model *m, const jn_work *w, int reach, double factor, double *x) {
    const jn_pull *pull = w->pull + m->reaches[reach].pull;
    for (const jn_pull *p = pull; p < pull + w->pulls[reach]; p++) {
        jn_wrench fA, fB;
        jn_pull_wrenches(w, p, &fA, &fB);
        for (int A = p->A, B = p->B; A != B;) {
            int *at = A > B ? &A : &B;
            jn_wrench *f = A > B ? &fA : &fB;
            const jn_link *l = &m->links[*at];
            for (int k = l->v; k < l->v + l->nv; k++) x[k] += factor * tw_dot(w->S[k], *f);
            *f = wr_shift(*f, w->link[*at].r);
            *at = l->parent;
        }
    }
}
