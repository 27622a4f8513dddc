/* Looking between two steps: a state that is interpolated, and a simulation that is put back as it was. */
#include "step/between_steps.h"

#include "base/memory.h"
#include "proximity/detection.h"
#include "step/sim.h"
#include <string.h>

/* Cubic through the positions a and b with the rates u and v over the time h, at the part x of it. [Hairer1993, II.6] */
static double cubic(double a, double u, double b, double v, double h, double x) {
    double y = 1 - x;
    return y * y * (1 + 2 * x) * a + x * x * (1 + 2 * y) * b + h * x * y * (y * u - x * v);
}

/* Parabola through both positions with the first rate: the motion up to a jump at the end. */
static double parabola(double a, double u, double b, double h, double x) {
    return a + x * (h * u + x * (b - a - h * u));
}

static void turn_between(const double *a, const double *b, double x, double *out) {
    jn_quat from = {a[0], a[1], a[2], a[3]}, to = {b[0], b[1], b[2], b[3]};
    jn_quat way = q4_mul(to, (jn_quat){from.w, -from.x, -from.y, -from.z});
    if (way.w < 0) way = (jn_quat){-way.w, -way.x, -way.y, -way.z};
    jn_quat q = q4_unit(q4_mul(q4_exp(v3_scale(x, q4_log(way))), from));
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
}

void jn_sim_between(const jn_sim *sim, const jn_state *from, double t, bool jumps, jn_state *out) {
    const jn_model *m = sim->m;
    const jn_state *to = sim->s;
    double h = to->t - from->t, x = h > 0 ? (t - from->t) / h : 1;
    jn_state_copy(out, sim->nonsmooth ? to : from); /* contacts of the step */
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++) {
            double a = from->q[l->q + k], b = to->q[l->q + k], u = from->u[l->v + k];
            out->q[l->q + k] = jumps ? parabola(a, u, b, h, x) : cubic(a, u, b, to->u[l->v + k], h, x);
        }
        if (l->nq != l->nv) turn_between(from->q + l->q + head, to->q + l->q + head, x, out->q + l->q + head);
    }
    for (int k = 0; k < m->nv; k++) out->u[k] = from->u[k] + x * (to->u[k] - from->u[k]);
    for (int k = 0; k < m->angle_count; k++) out->angle[k] = from->angle[k] + x * (to->angle[k] - from->angle[k]);
    for (int k = 0; k < m->act_count; k++) out->act[k] = from->act[k] + x * (to->act[k] - from->act[k]);
    const double *a = (const double *)&from->ledger, *b = (const double *)&to->ledger;
    double *ledger = (double *)&out->ledger;
    for (int k = 0; k < JN_LEDGER; k++) ledger[k] = a[k] + x * (b[k] - a[k]);
    out->t = t;
}

/* ------------------------------------------------------------------------------------------------ a look, and back */

/* Compliant contacts are looked for anew where one looks. */
static jn_detection *detection_of(const jn_sim *sim) {
    return sim->contacts && !sim->nonsmooth ? sim->contacts->detection : NULL;
}

int jn_look_create(const jn_sim *sim, jn_look *look) {
    *look = (jn_look){.before = jn_state_create_scratch(sim->m), .after = jn_state_create_scratch(sim->m)};
    size_t size = detection_of(sim) ? jn_detection_memory_size(detection_of(sim)) : 0;
    if (size) look->detection = jn_malloc(size);
    return look->before && look->after && (!size || look->detection) ? JN_OK : JN_ERR_MEMORY;
}

void jn_look_free(jn_look *look) {
    jn_state_free(look->before);
    jn_state_free(look->after);
    jn_free(look->detection);
    *look = (jn_look){0};
}

void jn_look_step(const jn_sim *sim, jn_look *look) {
    jn_state_copy(look->before, sim->s);
    look->events = sim->audit.events;
}

void jn_look_at(jn_sim *sim, jn_look *look, double t) {
    bool jumps = sim->nonsmooth && sim->audit.events != look->events;
    jn_state_copy(look->after, sim->s);
    if (look->detection) jn_detection_memory_save(detection_of(sim), look->detection);
    jn_sim_between(sim, look->before, t, jumps, sim->projected);
    jn_state_copy(sim->s, sim->projected);
    sim->between = true;
}

void jn_look_back(jn_sim *sim, jn_look *look) {
    jn_state_copy(sim->s, look->after);
    if (look->detection) jn_detection_memory_load(detection_of(sim), look->detection);
    sim->between = false;
}
