/* State and work space: each one block of memory. */
#include "motion/work.h"
#include "base/hash.h"
#include "base/memory.h"
#include <string.h>

_Static_assert(sizeof(jn_contact_state) == 6 * sizeof(int32_t) + 4 * sizeof(int32_t) + 36 * sizeof(double),
               "a contact state has no padding: its bytes are hashed");

/* Hands out aligned pieces of a block; without a block it only counts. */
typedef struct jn_pieces {
    char *base;
    size_t used;
} jn_pieces;

static void *take(jn_pieces *p, long count, size_t size) {
    size_t at = (p->used + 63) & ~(size_t)63;
    p->used = at + (size_t)(count > 0 ? count : 1) * size;
    return p->base ? p->base + at : NULL;
}
#define TAKE(field, count) ((field) = take(p, (count), sizeof *(field)))

static void lay_out_dynamics(const jn_model *m, jn_work *w, jn_pieces *p, int blocks) {
    int n = m->link_count;
    TAKE(w->link, n);
    TAKE(w->S, m->nv);
    TAKE(w->turn, n);
    TAKE(w->A, n);
    TAKE(w->A_bias, n);
    TAKE(w->twist, n);
    TAKE(w->load, n);
    TAKE(w->load_all, n);
    TAKE(w->tau, m->nv);
    TAKE(w->force, m->handle_count);
    TAKE(w->F, n);
    TAKE(w->IA, n);
    TAKE(w->pA, n);
    TAKE(w->U, m->nv);
    TAKE(w->D, m->nv);
    TAKE(w->eta, m->nv);
    TAKE(w->block, blocks);
    TAKE(w->block_of, n);
    TAKE(w->Ic, n);
    TAKE(w->M, m->M_size);
    TAKE(w->M_raw, m->M_size);
    TAKE(w->D_inv, m->nv);
    TAKE(w->h, m->nv);
    TAKE(w->a, m->nv);
    TAKE(w->scratch, m->nv);
    TAKE(w->control_tau, m->nv);
    TAKE(w->push, m->body_count);
    TAKE(w->column, m->nv);
    TAKE(w->var, JN_VAR_SIGNAL + m->signal_count);
    TAKE(w->position, m->handle_count);
    TAKE(w->speed, m->handle_count);
    TAKE(w->drive, m->handle_count);
    TAKE(w->drive_x, m->handle_count);
    TAKE(w->drive_v, m->handle_count);
    TAKE(w->drive_secant_x, m->handle_count);
    TAKE(w->drive_secant_v, m->handle_count);
    TAKE(w->effort, m->actuation_count);
    TAKE(w->control_value, m->actuation_count);
    TAKE(w->muscle_peak, m->actuation_count);
    TAKE(w->act_rate, m->act_count);
    w->act_time = INFINITY;
    TAKE(w->pull, m->pull_room);
    TAKE(w->pulls, m->reach_count);
    TAKE(w->adhesive, m->adheres ? m->pull_room : 0);
}

static void lay_out_constraints(const jn_model *m, jn_work *w, jn_pieces *p) {
    int rows = m->row_count, n = m->kkt.n;
    TAKE(w->G, m->G_size);
    TAKE(w->phi, rows);
    TAKE(w->phi_rate, rows);
    TAKE(w->gamma, rows);
    TAKE(w->lambda, rows);
    TAKE(w->row_rhs, rows);
    TAKE(w->row_x, rows);
    if (rows && (jn_run_penalises(&m->run) || m->run.stabilise == JN_STABILISE_COORDINATE_PARTITIONING)) {
        TAKE(w->dense, (long)(m->nv + rows) * (m->nv + 1));
        TAKE(w->dense_column, rows);
    }
    if (!m->sparse_kkt) {
        w->qr.n = m->nv, w->qr.cols = rows, w->qr.weak = 1e-6;
        TAKE(w->qr.Y, (long)m->nv * rows);
        TAKE(w->qr.beta, rows);
        TAKE(w->qr.tz, rows);
        TAKE(w->qr.pivot, rows);
        TAKE(w->qr.x, rows);
        TAKE(w->schur, (long)rows * rows);
        TAKE(w->schur_factor, (long)rows * rows);
        return;
    }
    TAKE(w->K, m->kkt.nz);
    TAKE(w->L, m->kkt.factor_nz);
    TAKE(w->L_row, m->kkt.factor_nz);
    TAKE(w->L_count, n);
    TAKE(w->Dk, n);
    TAKE(w->kx, n);
    TAKE(w->kr, n);
    TAKE(w->ky, n);
    TAKE(w->lanes, 3L * JN_KKT_LANES * n);
    TAKE(w->flag, n);
    TAKE(w->stack, n);
}

/* Motions of a link by velocities along the world's axes, wherever it is. */
static void write_axes(jn_twist *S) {
    for (int k = 0; k < 3; k++)
        S[k] = (jn_twist){v3(0, 0, 0), v3_axis(k)}, S[3 + k] = (jn_twist){v3_axis(k), v3(0, 0, 0)};
}

jn_work *jn_work_create(const jn_model *m) {
    int blocks = 0;
    for (int i = 1; i < m->link_count; i++) blocks += m->links[i].nv > 1;
    jn_pieces pieces = {NULL, 0}, *p = &pieces;
    jn_work *w = NULL, count;
    TAKE(w, 1);
    lay_out_dynamics(m, &count, p, blocks);
    lay_out_constraints(m, &count, p);
    char *block = jn_malloc(pieces.used + 64);
    if (!block) return NULL;
    memset(block, 0, pieces.used + 64);
    pieces = (jn_pieces){block, 0};
    TAKE(w, 1);
    lay_out_dynamics(m, w, p, blocks);
    lay_out_constraints(m, w, p);
    w->model = m;
    for (int i = 0; i < m->link_count; i++) w->link[i].R = m3_identity(); /* the ground stays so */
    for (int i = 1, k = 0; i < m->link_count; i++)
        if (m->links[i].nv > 1) w->block_of[i] = k++;
    w->all_alone = true;
    for (int i = 1; i < m->link_count; i++) {
        w->all_alone &= m->links[i].alone;
        if (m->links[i].world_axes) write_axes(w->S + m->links[i].v);
    }
    if (m->actuation_count) jn_muscle_peaks(m, w);
    return w;
}

void jn_work_free(jn_work *w) { jn_free(w); }

/* A state of the model. Memory of contacts that it does not have is zero, or left as it is. */
static jn_state *lay_out_state(const jn_model *m, bool zero_contacts) {
    jn_state *s;
    int past = JN_PAST_HEAD + 2 * m->link_count + JN_PAST_STEPS * m->nv + m->row_count + m->nq + m->nv;
    int actuators = m->actuation_count ? m->act_count + 1 + m->actuation_count : 0;
    int size = m->nq + 2 * m->nv + m->angle_count + actuators + past;
    size_t head = sizeof *s + (size_t)(size + 1) * sizeof(double);
    size_t contacts = (size_t)m->contact_room * sizeof *s->contact;
    s = jn_malloc(head + contacts);
    if (!s) return NULL;
    memset(s, 0, zero_contacts ? head + contacts : head);
    s->size = size;
    s->q = (double *)(s + 1);
    s->u = s->q + m->nq;
    s->angle = s->u + m->nv;
    s->act = s->angle + m->angle_count;
    s->control = s->act + m->act_count + 1;
    s->momentum = s->act + actuators;
    s->past = s->momentum + m->nv;
    s->contact = (jn_contact_state *)(void *)(s->q + size + 1);
    memcpy(s->q, m->q_drawn, (size_t)m->nq * sizeof *s->q);
    for (int i = 0; i < m->actuation_count; i++)
        if (m->actuations[i].activation != JN_ACTIVATION_NONE) s->act[m->actuations[i].state] = m->actuations[i].start;
    return s;
}

jn_state *jn_state_create(const jn_model *m) { return lay_out_state(m, true); }
jn_state *jn_state_create_scratch(const jn_model *m) { return lay_out_state(m, false); }

void jn_state_free(jn_state *s) { jn_free(s); }

void jn_state_copy(jn_state *to, const jn_state *from) {
    memcpy(to->q, from->q, (size_t)from->size * sizeof *to->q);
    memcpy(to->contact, from->contact, (size_t)from->contact_count * sizeof *to->contact);
    if (to->contact_count > from->contact_count)
        memset(to->contact + from->contact_count, 0,
               (size_t)(to->contact_count - from->contact_count) * sizeof *to->contact);
    to->contact_count = from->contact_count;
    to->t = from->t;
    to->ledger = from->ledger;
}

uint64_t jn_state_hash(const jn_state *s) {
    uint64_t head = jn_hash_bytes(jn_hash_bytes(JN_HASH_START, &s->t, sizeof s->t), &s->ledger, sizeof s->ledger);
    head = jn_hash_bytes(head, s->q, (size_t)s->size * sizeof *s->q);
    return jn_hash_bytes(head, s->contact, (size_t)s->contact_count * sizeof *s->contact);
}
