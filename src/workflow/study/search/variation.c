#include "workflow/study/search/variation.h"

#include "algebra/dormand_prince.h"
#include "algebra/elementary.h"
#include "algebra/scalar.h"
#include "base/memory.h"
#include "model/model_layout.h"
#include "reaction/compliant/compliant_change.h"
#include "reaction/compliant/compliant_contact.h"
#include "step/sim.h"
#include "workflow/study/measures/compare.h"
#include "workflow/study/measures/measures.h"

#include <math.h>
#include <string.h>

#define NEARBY 1e-6    /* of the range of a parameter, between models: round-off / 1e-6 is 1e-10, and depths where a contact begins are larger */
#define TOLERANCE 1e-8 /* of the largest derivative so far, in a step */
#define SMALL 0.1      /* of the state: smaller derivatives by parts of a range are measured by it */
enum { NODES = 2, STAGES = 7, MOST_STEPS = 1000 }; /* MOST_STEPS: of ours in one of the run */

/* Differences of second order: in the middle of the range, at its lower and at its upper end; the last weight is that of the run's own model. */
static const double node[3][NODES] = {{-1, 1}, {1, 2}, {-1, -2}};
static const double weight[3][NODES + 1] = {{-0.5, 0.5, 0}, {2, -0.5, -1.5}, {-2, 0.5, 1.5}};

/* A parameter: the models beside the run's. */
typedef struct side {
    int rule; /* row of `node` and `weight` */
    jn_model *model[NODES];
    jn_sim *sim[NODES];
} side;

struct jn_variation {
    jn_study_worker *w;
    int k, nq, nv, ny; /* parameters; ny: doubles of y = (q, u, S), S (k x 2 nv): of q along velocities, of u */
    jn_model *model;
    jn_sim *sim; /* of ours at the parameters of the run: the run's own is left alone */
    jn_derivatives *d;
    side *side;      /* (k) */
    double *y, *at;  /* (ny) at the end of the last step of ours; at a stage */
    double *rate;    /* (STAGES x ny); the first: at y */
    double *most;    /* (2 (k + 1)) largest entries so far: of q, of u, and of each column of S by q and by u */
    double *a, *channel; /* (nv); (3 x channels) */
    long *next;      /* (measures) row of the table */
    jn_contact_state *known; /* (known_count) contacts at the end of the last step */
    int known_count, room;
    double *speed, *speed_next; /* (k x room) derivatives of their speeds of approach, which laws with restitution remember */
    bool lost;       /* there are no derivatives from here on */
};

bool jn_variation_possible(const jn_model *m) {
    bool impulses = m->run.method == JN_METHOD_NONSMOOTH || m->run.method == JN_METHOD_IMPACT;
    return m->run.analysis == JN_ANALYSIS_DYNAMIC && m->has_M && !impulses && !m->act_count;
}

/* ---------------------------------------------------------------------------------------------------------- models */

void jn_variation_free(jn_variation *v) {
    if (!v) return;
    for (int p = 0; v->side && p < v->k; p++)
        for (int n = 0; n < NODES; n++) jn_sim_free(v->side[p].sim[n]), jn_model_free(v->side[p].model[n]);
    jn_derivatives_free(v->d);
    jn_sim_free(v->sim);
    jn_model_free(v->model);
    jn_free(v->side);
    jn_free(v->y);
    jn_free(v->next);
    jn_free(v->known);
    jn_free(v->speed < v->speed_next ? v->speed : v->speed_next);
    jn_free(v);
}

/* A simulation of the model at a point; NULL: it cannot be made, or has parts of another kind. */
static jn_sim *simulate(jn_variation *v, const double *point, jn_model **model) {
    *model = jn_study_compile(v->w->study, point, NULL);
    jn_sim *sim = *model && (!v->model || jn_same_parts(v->model, *model)) ? jn_sim_create(*model, NULL) : NULL;
    return sim && !sim->nz ? sim : (jn_sim_free(sim), NULL);
}

static bool create_sides(jn_variation *v, const double *point) {
    double beside[JN_STUDY_VARIES];
    memcpy(beside, point, (size_t)v->k * sizeof *beside);
    for (int p = 0; p < v->k; p++) {
        const jn_vary *vary = &v->w->study->vary[p];
        double u = jn_vary_part(vary, point[p]);
        side *s = &v->side[p];
        s->rule = u < NEARBY ? 1 : u > 1 - NEARBY ? 2 : 0;
        for (int n = 0; n < NODES; n++) {
            beside[p] = jn_vary_at(vary, u + node[s->rule][n] * NEARBY);
            s->sim[n] = simulate(v, beside, &s->model[n]);
            if (!s->sim[n]) return false;
        }
        beside[p] = point[p];
    }
    return true;
}

jn_variation *jn_variation_create(jn_study_worker *w, long row) {
    const jn_study *s = w->study;
    jn_variation *v = jn_malloc(sizeof *v);
    if (!v) return NULL;
    const double *point = s->point + row * s->varies;
    *v = (jn_variation){.w = w, .k = s->varies};
    v->sim = simulate(v, point, &v->model);
    bool fine = v->sim && jn_variation_possible(v->model);
    if (fine) {
        v->nq = v->model->nq, v->nv = v->model->nv, v->ny = v->nq + v->nv + 2 * v->nv * v->k;
        size_t n = (size_t)v->ny;
        v->d = jn_derivatives_create(v->model);
        v->side = jn_malloc((size_t)v->k * sizeof *v->side);
        v->next = jn_malloc((size_t)(s->measures + 1) * sizeof *v->next);
        v->y = jn_malloc(((STAGES + 2) * n + (size_t)v->nv + 2 * (size_t)(v->k + 1) + 3 * (size_t)s->channels) * sizeof *v->y);
        v->room = v->model->contact_room;
        size_t speeds = 2 * (size_t)v->k * (size_t)v->room;
        v->known = jn_malloc((size_t)v->room * sizeof *v->known);
        v->speed = jn_malloc(speeds * sizeof *v->speed);
        if (v->speed) v->speed_next = v->speed + speeds / 2, memset(v->speed, 0, speeds * sizeof *v->speed);
        fine = v->d && v->side && v->next && v->y && v->known && v->speed;
        if (v->side) memset(v->side, 0, (size_t)v->k * sizeof *v->side);
        if (v->next) memset(v->next, 0, (size_t)(s->measures + 1) * sizeof *v->next);
        if (v->y) v->at = v->y + n, v->rate = v->at + n, v->a = v->rate + STAGES * n, v->most = v->a + v->nv, v->channel = v->most + 2 * (v->k + 1);
    }
    if (fine && v->sim->contacts) fine = (v->sim->changes = jn_contact_changes_create(v->sim->contacts, false)) != NULL;
    if (fine && create_sides(v, point)) return v;
    jn_variation_free(v);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- equations */

static double *slope_of(const jn_variation *v, double *y, int p) { return y + v->nq + v->nv + 2 * v->nv * p; }

/* sum_n weight_n value_n / NEARBY with the value of the run's own model where it counts. */
static double quotient(const side *s, const double value[NODES], double middle) {
    double sum = weight[s->rule][NODES] * middle;
    for (int n = 0; n < NODES; n++) sum += weight[s->rule][n] * value[n];
    return sum / NEARBY;
}

/* The state of a simulation of ours: that of the run at the beginning of its step, with q, u at the time t. */
static void place(const jn_variation *v, jn_sim *sim, const jn_state *from, double t, const double *y) {
    jn_state_copy(sim->s, from);
    sim->s->t = t;
    memcpy(sim->s->q, y, (size_t)v->nq * sizeof *y);
    memcpy(sim->s->u, y + v->nq, (size_t)v->nv * sizeof *y);
}

/* The same for a simulation beside the run's, by `by` parts of the range: its contacts began with other speeds. */
static void place_beside(const jn_variation *v, jn_sim *sim, const jn_state *from, double t, const double *y, int p,
                         double by) {
    place(v, sim, from, t, y);
    for (int i = 0; i < sim->s->contact_count; i++) sim->s->contact[i].speed += by * v->speed[p * v->room + i];
}

/* f_p at the state y, into the rates of u of S; the accelerations of the run's own model are v->d->a. */
static int find_by_parameter(jn_variation *v, const jn_state *from, double t, const double *y, double *rate) {
    for (int p = 0; p < v->k; p++) {
        const side *s = &v->side[p];
        double *out = slope_of(v, rate, p) + v->nv;
        for (int i = 0; i < v->nv; i++) out[i] = weight[s->rule][NODES] * v->d->a[i] / NEARBY;
        for (int n = 0; n < NODES; n++) {
            jn_sim *sim = s->sim[n];
            place_beside(v, sim, from, t, y, p, node[s->rule][n] * NEARBY);
            int status = jn_sim_accelerate(sim, sim->s, NULL, v->a, sim->w->lambda);
            if (status < 0) return status;
            for (int i = 0; i < v->nv; i++) out[i] += weight[s->rule][n] * v->a[i] / NEARBY;
        }
    }
    return JN_OK;
}

/* A small rotation xi of a ball or free joint is seen in axes that do not turn with it: xi' = dw + w x xi. */
static void turn_along(const jn_model *m, const double *u, const double *S, double *rate) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        if (l->nq == l->nv) continue;
        int at = l->v + l->nv - 3;
        const double *w = u + at, *x = S + at;
        for (int k = 0; k < 3; k++) rate[at + k] += w[(k + 1) % 3] * x[(k + 2) % 3] - w[(k + 2) % 3] * x[(k + 1) % 3];
    }
}

/* rate = (q', a, S_u (and S_q turning), a_q S_q + a_u S_u + a_p) at y. */
static int find_rate(jn_variation *v, const jn_state *from, double t, double *y, double *rate) {
    int nv = v->nv;
    place(v, v->sim, from, t, y);
    int status = jn_sim_changes(v->sim, v->sim->s, NULL, v->sim->changes, v->d);
    if (status >= 0) status = find_by_parameter(v, from, t, y, rate);
    if (status < 0) return status;
    jn_q_rate(v->model, y, y + v->nq, rate);
    memcpy(rate + v->nq, v->d->a, (size_t)nv * sizeof *rate);
    for (int p = 0; p < v->k; p++) {
        const double *S = slope_of(v, y, p);
        double *out = slope_of(v, rate, p);
        memcpy(out, S + nv, (size_t)nv * sizeof *out);
        turn_along(v->model, y + v->nq, S, out);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++)
                out[nv + i] += v->d->a_q[i * nv + j] * S[j] + v->d->a_u[i * nv + j] * S[nv + j];
    }
    return JN_OK;
}

/* Parts of y: coordinates, velocities, then both of each column of S. */
static double *part_of(const jn_variation *v, double *y, int part) {
    return part == 0 ? y : y + v->nq + v->nv * (part - 1);
}

/* Largest entry of a part. */
static double size_of(const double *x, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = jn_max(most, fabs(x[i]));
    return most;
}

static void note_sizes(jn_variation *v, double *y) {
    for (int part = 0; part < 2 * (v->k + 1); part++)
        v->most[part] = jn_max(v->most[part], size_of(part_of(v, y, part), part == 0 ? v->nq : v->nv));
}

/* Error of S in units of TOLERANCE, by the embedded formula of fourth order. Its measure is the largest S so far, or a part of the largest x:
 * derivatives that are next to nothing are round-off. */
static double error_of(const jn_variation *v, double h) {
    double worst = 0;
    for (int part = 2; part < 2 * (v->k + 1); part++) {
        double most = jn_max(jn_max(v->most[part], size_of(part_of(v, v->at, part), v->nv)), SMALL * v->most[part % 2]);
        double error = 0;
        for (int i = 0; i < v->nv; i++) {
            double sum = 0;
            for (int s = 0; s < STAGES; s++) sum += jn_dormand_prince_e[s] * part_of(v, v->rate + s * v->ny, part)[i];
            error = jn_max(error, fabs(h * sum));
        }
        if (error > 0) worst = jn_max(worst, error / (TOLERANCE * most));
    }
    return worst;
}

/* The stages of a step h from y at t, whose rates are there; the last of them, v->at, is its end. [Hairer1993, II.4] */
static int find_stages(jn_variation *v, const jn_state *from, double t, double h) {
    for (int stage = 1; stage < STAGES; stage++) {
        memcpy(v->at, v->y, (size_t)v->ny * sizeof *v->at);
        for (int s = 0; s < stage; s++)
            for (int i = 0; i < v->ny; i++) v->at[i] += h * jn_dormand_prince_a[stage][s] * v->rate[s * v->ny + i];
        int status = find_rate(v, from, t + jn_dormand_prince_c[stage] * h, v->at, v->rate + stage * v->ny);
        if (status < 0) return status;
    }
    return JN_OK;
}

/* y from *t to `to`, within a step of the run: S asks for steps of its own where a contact begins or ends. */
static int go_to(jn_variation *v, const jn_state *from, double *t, double to) {
    double h = to - *t;
    for (int n = 0; *t < to; n++) {
        if (n == MOST_STEPS) return JN_ERR_NUMERIC;
        bool last = !(*t + h < to);
        if (last) h = to - *t;
        int status = find_stages(v, from, *t, h);
        if (status < 0) return status;
        double error = error_of(v, h);
        if (!isfinite(error)) return JN_ERR_NUMERIC;
        if (error <= 1) {
            memcpy(v->y, v->at, (size_t)v->ny * sizeof *v->y);
            memcpy(v->rate, v->rate + (STAGES - 1) * v->ny, (size_t)v->ny * sizeof *v->rate);
            note_sizes(v, v->y);
            *t = last ? to : *t + h;
        }
        h *= jn_min(5, jn_max(0.2, 0.9 * jn_pow(jn_max(error, 1e-10), -0.2)));
    }
    return JN_OK;
}

/* --------------------------------------------------------------------------------------------------------- contacts */

/* Gap of a contact and its rate at the state y of a simulation of ours; false: there is no such point. Leaves v->a. */
static bool see(jn_variation *v, jn_sim *sim, const jn_state *from, const double *y, const jn_contact_state *contact,
                double *gap, double *rate) {
    const jn_solid_pair *pair;
    place(v, sim, from, from->t, y);
    if (jn_sim_accelerate(sim, sim->s, NULL, v->a, sim->w->lambda) < 0) return false;
    const jn_contact_geometry *point = jn_contact_point_of(sim->contacts, sim->s, contact, &pair);
    if (!point) return false;
    *gap = jn_contact_gap(contact, point);
    *rate = jn_contact_motion(sim->contacts, sim->w, pair, point).gap_rate;
    return true;
}

/* Second rate of the gap in the run's own motion, from states a little before and after. */
static bool find_gap_bend(jn_variation *v, const jn_state *at, double dt, const jn_contact_state *contact,
                          double *bend) {
    double gap, rate[2] = {0, 0}, *a = v->rate, *mean = a + v->nv; /* free between two steps of the run */
    const double *u = v->y + v->nq;
    if (!see(v, v->sim, at, v->y, contact, &gap, &rate[0])) return false;
    memcpy(a, v->a, (size_t)v->nv * sizeof *a);
    for (int way = 0; way < 2; way++) {
        double h = way ? dt : -dt;
        for (int i = 0; i < v->nv; i++) {
            mean[i] = u[i] + 0.5 * h * a[i];
            v->at[v->nq + i] = u[i] + h * a[i];
        }
        jn_q_after(v->model, v->y, mean, h, v->at);
        if (!see(v, v->sim, at, v->at, contact, &gap, &rate[way])) return false;
    }
    *bend = (rate[1] - rate[0]) / (2 * dt);
    return true;
}

/* Speed of approach where the gap of a motion beside the run's vanishes: a little before or after. */
static double speed_at_contact(double gap, double rate, double bend) { return -(rate - bend * gap / rate); }

/* v->at: the state y moved along a column of S. */
static void move(jn_variation *v, const double *S, double by) {
    jn_q_after(v->model, v->y, S, by, v->at);
    for (int i = 0; i < v->nv; i++) v->at[v->nq + i] = v->y[v->nq + i] + by * S[v->nv + i];
}

/* A contact that begins at the end of a step, at y: how its speed changes with each parameter. */
static bool begin_contact(jn_variation *v, const jn_state *at, double step, int i) {
    const jn_contact_state *contact = &at->contact[i];
    double gap, rate, bend;
    if (!find_gap_bend(v, at, 1e-3 * step, contact, &bend) || !see(v, v->sim, at, v->y, contact, &gap, &rate))
        return false;
    double middle = speed_at_contact(gap, rate, bend);
    for (int p = 0; p < v->k; p++) {
        const side *s = &v->side[p];
        double value[NODES];
        const double *S = slope_of(v, v->y, p);
        for (int n = 0; n < NODES; n++) {
            move(v, S, node[s->rule][n] * NEARBY);
            if (!see(v, s->sim[n], at, v->at, contact, &gap, &rate)) return false;
            value[n] = speed_at_contact(gap, rate, bend);
        }
        v->speed_next[p * v->room + i] = rate < 0 ? quotient(s, value, middle) : 0;
    }
    return true;
}

/* Contacts at the end of a step: those that go on keep what is known of them. */
static int take_contacts(jn_variation *v, const jn_state *at, double step) {
    for (int i = 0; i < at->contact_count; i++) {
        const jn_contact_state *c = &at->contact[i];
        int same = 0;
        while (same < v->known_count && (v->known[same].a != c->a || v->known[same].b != c->b ||
                                         v->known[same].feature != c->feature || v->known[same].start != c->start))
            same++;
        if (same == v->known_count && !begin_contact(v, at, step, i)) return JN_ERR_NUMERIC;
        for (int p = 0; p < v->k && same < v->known_count; p++)
            v->speed_next[p * v->room + i] = v->speed[p * v->room + same];
    }
    double *speed = v->speed;
    v->speed = v->speed_next, v->speed_next = speed;
    v->known_count = at->contact_count;
    memcpy(v->known, at->contact, (size_t)at->contact_count * sizeof *v->known);
    return JN_OK;
}

/* Differences dq of coordinates as motions along velocities: of quaternions (0, xi) = 2 dq q^-1. */
static void along_velocities(const jn_model *m, const double *q, const double *dq, double *S) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++) S[l->v + k] = dq[l->q + k];
        if (l->nq == l->nv) continue;
        const double *e = q + l->q + head, *d = dq + l->q + head;
        jn_quat turn = q4_mul((jn_quat){d[0], d[1], d[2], d[3]}, (jn_quat){e[0], -e[1], -e[2], -e[3]});
        S[l->v + head] = 2 * turn.x, S[l->v + head + 1] = 2 * turn.y, S[l->v + head + 2] = 2 * turn.z;
    }
}

int jn_variation_begin(jn_variation *v, const jn_sim *run) {
    const jn_state *own = run->s;
    memcpy(v->y, own->q, (size_t)v->nq * sizeof *v->y);
    memcpy(v->y + v->nq, own->u, (size_t)v->nv * sizeof *v->y);
    for (int p = 0; p < v->k; p++) {
        const side *s = &v->side[p];
        double value[NODES], *S = slope_of(v, v->y, p), *dq = v->at;
        for (int i = 0; i < v->nq; i++) {
            for (int n = 0; n < NODES; n++) value[n] = s->sim[n]->s->q[i];
            dq[i] = quotient(s, value, own->q[i]);
        }
        along_velocities(v->model, own->q, dq, S);
        for (int i = 0; i < v->nv; i++) {
            for (int n = 0; n < NODES; n++) value[n] = s->sim[n]->s->u[i];
            S[v->nv + i] = quotient(s, value, own->u[i]);
        }
    }
    memset(v->most, 0, 2 * (size_t)(v->k + 1) * sizeof *v->most);
    note_sizes(v, v->y);
    v->known_count = own->contact_count;
    memcpy(v->known, own->contact, (size_t)own->contact_count * sizeof *v->known);
    return JN_OK;
}

/* --------------------------------------------------------------------------------------------------------- channels */

/* Derivatives of the channels at y, along (S, 1): by differences with model and state moved together. sum (channels) for one
 * parameter. */
static int find_channels(jn_variation *v, const jn_state *from, double t, int p, const double *middle, double *sum) {
    const side *s = &v->side[p];
    const double *S = slope_of(v, v->y, p);
    int channels = v->w->study->channels;
    double *value = sum + channels;
    for (int c = 0; c < channels; c++) sum[c] = weight[s->rule][NODES] * middle[c] / NEARBY;
    for (int n = 0; n < NODES; n++) {
        double by = node[s->rule][n] * NEARBY;
        move(v, S, by);
        place_beside(v, s->sim[n], from, t, v->at, p, by);
        int status = jn_channels_read(v->w->channels, s->sim[n], value);
        if (status < 0) return status;
        for (int c = 0; c < channels; c++) sum[c] += weight[s->rule][n] * value[c] / NEARBY;
    }
    return JN_OK;
}

/* The row (t, dy/dp_1, ...) of a measure, at y. */
static int take(jn_variation *v, const jn_state *from, double t, const jn_study_measure *m) {
    double slope[JN_STUDY_VARIES], *middle = v->channel, *sum = middle + v->w->study->channels;
    place(v, v->sim, from, t, v->y);
    int status = jn_channels_read(v->w->channels, v->sim, middle);
    for (int p = 0; p < v->k && status >= 0; p++) {
        status = find_channels(v, from, t, p, middle, sum);
        slope[p] = sum[m->channel[0]];
        if (status >= 0 && !isfinite(slope[p])) status = JN_ERR_NUMERIC;
    }
    if (status < 0) return status;
    return jn_samples_add(&v->w->row->samples[m->slopes], t, slope, v->k) ? JN_OK : JN_ERR_MEMORY;
}

/* The earliest time of a table that is still to come, up to `end`; the measure it belongs to, or NULL. */
static const jn_study_measure *next_time(const jn_variation *v, double end, double *t) {
    const jn_study *s = v->w->study;
    const jn_study_measure *found = NULL;
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (m->slopes < 0) continue;
        const jn_table *table = ((const jn_compared *)m->data)->table;
        while (v->next[i] < table->count && table->x[v->next[i]] < m->after) v->next[i]++;
        if (v->next[i] >= table->count || table->x[v->next[i]] > m->before) continue;
        double x = table->x[v->next[i]];
        if (x <= end && (!found || x < *t)) *t = x, found = m;
    }
    return found;
}

int jn_variation_step(jn_variation *v, const jn_sim *run, const jn_state *before) {
    double t = before->t, end = run->s->t, until = run->m->run.until, to = t;
    int status = v->lost ? JN_ERR_NUMERIC : JN_OK;
    if (!(end > t)) return status;
    if (status >= 0) status = find_rate(v, before, t, v->y, v->rate);
    double last = end >= until ? until * (1 + JN_COMPARE_END) : end; /* the last times may lie behind the end by round-off */
    for (const jn_study_measure *m; status >= 0 && (m = next_time(v, last, &to));) {
        status = go_to(v, before, &t, jn_min(jn_max(to, t), end));
        if (status >= 0) status = take(v, before, t, m);
        v->next[m - v->w->study->measure]++;
    }
    if (status >= 0) status = go_to(v, before, &t, end);
    memcpy(v->y, run->s->q, (size_t)v->nq * sizeof *v->y); /* the run's own state: ours does not drift from it */
    memcpy(v->y + v->nq, run->s->u, (size_t)v->nv * sizeof *v->y);
    if (status >= 0) status = take_contacts(v, run->s, end - before->t);
    v->lost = status < 0;
    return status;
}

bool jn_variation_end(jn_variation *v) {
    const jn_study *s = v->w->study;
    jn_study_row *row = v->w->row;
    bool whole = !v->lost;
    for (int i = 0; i < s->measures; i++)
        if (s->measure[i].slopes >= 0)
            whole = whole && row->samples[s->measure[i].slopes].count == row->samples[s->measure[i].samples].count;
    for (int i = 0; i < s->measures && !whole; i++)
        if (s->measure[i].slopes >= 0) row->samples[s->measure[i].slopes].count = 0;
    return whole;
}
