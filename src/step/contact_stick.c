/* Friction that holds keeps the material points that touch. A step makes the slip vanish at its end, with rows of the middle;
 * positions follow the mean velocity, so that a contact on a body that turns, or that a driver carries, would creep by O(dt^2) per
 * step. The two points are kept in the contact's slot, and what has come between them along the tangents, s, is taken back by the
 * displacement of least kinetic norm,
 *
 *     M dq = W_N P_N + W_T P_T,   W_T^T dq = -s, W_N^T dq = -g_N where friction holds,
 *                                 0 <= g_N + W_N^T dq   orthogonal to   P_N >= 0   elsewhere,
 *
 * the tangential part of [Acary2013]'s projection. What slides in a step, or begins to, is left where it is: the laws of the step
 * alone decide on that. Points of bodies that roll on each other go along. The points that touched before come apart while the contact
 * travels by a way d in a step of dt, by w x d dt/2 with the angular velocity w of the bodies against each other: across the way where
 * they spin, along the normal where they roll. That is no creep. What is left of it, r^2/6 of the way for an angle r in a step, bounds r. */
#include "step/nonsmooth.h"

#include <string.h>

#define ROLLS 1e-4    /* [rad] in a step: more is not followed */
#define SPINS 1e-3    /* [rad] in a step about the normal, of a contact that travels: more is not followed */
#define PINNED 1e-4   /* [m/s] points that travel slower on one of the bodies are the same ones */
#define MOST_APART 10 /* times the tolerance, of points that nothing holds */
#define NO_WAY 0.9    /* of the distance of points that a correction leaves: nothing is to be gained by more of them */
#define SHARE 0.02    /* of the tolerance: to which a correction is solved */
enum { MAX_SWEEPS = 30 };
/* A slot's points: of a contact that slides or rolls; of one without load; held. 0: it has none. */
enum { FREE = -2, WAITS, STICKS = 1 };
/* What its contact does: it has stayed at the same point of one of the bodies; it rolls on as in the step before. */
enum { STAYS = 1, ROLLS_ON };
static jn_vec3 to_world(const jn_link_motion *B, const double *p) {
    return v3_add(B->O, m3_mul_v(&B->R, v3(p[0], p[1], p[2])));
}

static void to_link(const jn_link_motion *B, jn_vec3 p, double *out) {
    jn_vec3 r = m3_tmul_v(&B->R, v3_sub(p, B->O));
    out[0] = r.x, out[1] = r.y, out[2] = r.z;
}

static jn_vec3 along_plane(jn_vec3 v, jn_vec3 n) { return v3_axpy(-v3_dot(v, n), n, v); }

static const jn_link_motion *link_of(const jn_sim *sim, double solid) {
    return &sim->w->link[sim->m->solids[(int)solid].link];
}

/* The body that carries points of a contact through a step: one for all contacts of two bodies. */
static int carrier(const jn_sim *sim, const jn_held *h) {
    int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
    return B == 0 ? B : A;
}

/* What has become of the points that touched before. */
typedef struct passage {
    bool stays;          /* the contact has stayed where it was on one of the bodies */
    jn_vec3 way;         /* [m] of the contact, along the plane: mean of those on both bodies */
    jn_vec3 way_carried; /* [m] that on the body which carries its points */
    jn_vec3
        apart; /* [m] from the first point to the second, along the plane, less what rolling and spinning make of it */
    double turn, spin; /* [rad] of one body against the other, across the normal and about it */
} passage;

/* [m] by which points come apart while a contact travels away from them, at the end of that time. */
static jn_vec3 left_behind(const jn_link_motion *A, const jn_link_motion *B, jn_vec3 way, double time) {
    return v3_scale(-0.5 * time, v3_cross(v3_sub(B->V.w, A->V.w), way));
}

static passage pass(const jn_sim *sim, const jn_held *h, const double *slot, double dt) {
    const jn_link_motion *A = link_of(sim, h->a), *B = link_of(sim, h->b);
    jn_vec3 onA = to_world(A, slot + JN_SLOT_POINT_A), onB = to_world(B, slot + JN_SLOT_POINT_B), n = h->touch.n;
    jn_vec3 c = v3_scale(0.5, v3_add(h->touch.pA, h->touch.pB)), w = v3_sub(B->V.w, A->V.w);
    jn_vec3 wayA = along_plane(v3_sub(c, onA), n), wayB = along_plane(v3_sub(c, onB), n);
    double a = v3_norm(wayA), b = v3_norm(wayB), reach = PINNED * dt + 10 * sim->m->run.penetration;
    passage p = {.stays = fmin(a, b) <= reach};
    p.way = v3_scale(0.5, v3_add(wayA, wayB));
    p.way_carried = carrier(sim, h) == sim->m->solids[h->b].link ? wayB : wayA;
    p.apart = along_plane(v3_sub(v3_sub(onB, onA), left_behind(A, B, p.way, dt)), n);
    p.turn = v3_norm(along_plane(w, n)) * dt, p.spin = fabs(v3_dot(w, n)) * dt;
    return p;
}

/* Whether points of a contact that does not slide are the same ones, or follow a motion that is slow enough. */
static bool is_followed(const jn_sim *sim, const passage *p) {
    bool here = v3_norm(p->way) <= 10 * sim->m->run.penetration;
    return (p->stays || p->turn <= ROLLS) && (here || p->spin <= SPINS);
}

/* Of a step: what is left of it after the place where contacts are noted. */
static double rest_of_step(const jn_sim *sim) { return sim->m->run.terms == JN_TERMS_END ? 0 : 1 - sim->m->run.theta; }

/* The way of a contact from the middle of a step to its end, as it went before. False: it is longer than it was. */
static bool look_ahead(const jn_sim *sim, jn_vec3 way, double dt, double *ahead) {
    double last = hypot(hypot(ahead[0], ahead[1]), ahead[2]);
    jn_vec3 next = v3_scale(rest_of_step(sim), way);
    ahead[0] = next.x, ahead[1] = next.y, ahead[2] = next.z;
    return v3_norm(next) <= 2 * last + PINNED * dt + 10 * sim->m->run.penetration;
}

/* What a contact does that was at its points one step before. One that jumps to another place has no way; one that is not followed goes
 * its way on the body whose points are carried back to the start of a step. */
static double passes_on(const jn_sim *sim, const passage *p, bool rolls, double dt, double *ahead) {
    bool goes_on = look_ahead(sim, rolls ? p->way_carried : p->way, dt, ahead);
    if (!goes_on && !rolls) ahead[0] = ahead[1] = ahead[2] = 0;
    return p->stays ? STAYS : rolls && goes_on ? ROLLS_ON : 0;
}

/* [m] more than that in a step is no creep: the state was changed by hand. */
static double farthest_creep(const jn_sim *sim, const double *slot, double dt) {
    double fall = fmax(v3_norm(sim->m->gravity) * dt, slot[JN_SLOT_FALL]); /* [m/s] what forces do in a step */
    return fmax(1e3 * sim->m->run.penetration, 4 * fall * dt);
}

void jn_stick_note(const jn_sim *sim, const jn_held *h, bool sticks, bool loaded, double dt, double *slot) {
    jn_vec3 apart = v3(0, 0, 0);
    double before = slot[JN_SLOT_STICKS], now = FREE;
    slot[JN_SLOT_STAYS] = 0;
    if (before != 0) {
        passage p = pass(sim, h, slot, dt);
        if (sticks && is_followed(sim, &p)) now = loaded ? STICKS : WAITS;
        if (before > FREE && now > FREE) apart = p.apart;
        if (v3_norm(apart) > (now == WAITS ? MOST_APART * sim->m->run.penetration : farthest_creep(sim, slot, dt)))
            apart = v3(0, 0, 0);
        slot[JN_SLOT_STAYS] = passes_on(sim, &p, sticks && now == FREE, dt, slot + JN_SLOT_AHEAD);
    }
    to_link(link_of(sim, h->a), h->touch.pA, slot + JN_SLOT_POINT_A);
    to_link(link_of(sim, h->b), v3_add(h->touch.pB, apart), slot + JN_SLOT_POINT_B);
    if (now != STICKS) slot[JN_SLOT_LEFT] = 0;
    slot[JN_SLOT_STICKS] = now;
}

void jn_stick_mark(const jn_sim *sim, const jn_held *h, double *slot) {
    to_link(link_of(sim, h->a), h->touch.pA, slot + JN_SLOT_POINT_A);
    to_link(link_of(sim, h->b), h->touch.pB, slot + JN_SLOT_POINT_B);
}

void jn_stick_recall(const double *slot, jn_held *h) {
    h->sticks = slot && slot[JN_SLOT_STICKS] == STICKS;
    h->stays = slot && slot[JN_SLOT_STAYS] == STAYS && slot[JN_SLOT_SLIDES] == 0;
    h->rolls = slot && slot[JN_SLOT_STAYS] == ROLLS_ON && slot[JN_SLOT_SLIDES] == 0;
}

static jn_vec3 ahead_of(const double *slot) {
    return v3(slot[JN_SLOT_AHEAD], slot[JN_SLOT_AHEAD + 1], slot[JN_SLOT_AHEAD + 2]);
}

static jn_vec3 velocity_at(const jn_link_motion *B, jn_vec3 c) {
    return v3_add(B->V.v, v3_cross(B->V.w, v3_sub(c, B->O)));
}

/* Whether the work space has the poses of the state since the last step, and nobody has changed either. */
static bool stands_at_state(const jn_sim *sim) {
    const jn_nonsmooth *x = sim->nonsmooth;
    return x->placed == sim->w->placed && !memcmp(x->stood, sim->s->q, (size_t)sim->m->nq * sizeof *x->stood);
}

void jn_stick_leave(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    x->placed = sim->w->placed;
    memcpy(x->stood, sim->s->q, (size_t)sim->m->nq * sizeof *x->stood);
}

void jn_stick_look(jn_sim *sim) {
    const jn_model *m = sim->m;
    const double *slot = sim->s->slot;
    int k = 0, used = jn_slots_used(m, slot);
    while (k < used && !(slot[JN_SLOT * k + JN_SLOT_STAYS] != 0 && slot[JN_SLOT * k + JN_SLOT_A] <= m->solid_count))
        k++;
    if (k == used) return;
    if (!stands_at_state(sim)) jn_kinematics(m, sim->w, sim->s);
    jn_velocities(m, sim->w, sim->s); /* from the poses, wherever those come from */
    memcpy(sim->nonsmooth->begun, sim->w->link, (size_t)m->link_count * sizeof *sim->w->link);
}

/* A point of a link at another of its poses. */
static jn_vec3 carry(const jn_link_motion *from, const jn_link_motion *to, jn_vec3 p) {
    return v3_add(to->O, m3_mul_v(&to->R, m3_tmul_v(&from->R, v3_sub(p, from->O))));
}

/* Velocity of the second body against the first at the start of the step, at the point and along the axes that one of the bodies
 * has carried to where the work space stands, less the way that a contact which rolls has come since. One body for all contacts of
 * two bodies: what they differ by from the velocities of the same points here is a rigid motion then, which all of them can
 * follow at once. */
static jn_vec3 velocity_before(const jn_sim *sim, const jn_held *h, jn_vec3 way) {
    const jn_link_motion *was = sim->nonsmooth->begun, *is = sim->w->link;
    int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link, by = carrier(sim, h);
    jn_vec3 c = carry(&is[by], &was[by], v3_sub(jn_held_point(sim, h), way));
    jn_vec3 v = v3_sub(velocity_at(&was[B], c), velocity_at(&was[A], c));
    return m3_mul_v(&is[by].R, m3_tmul_v(&was[by].R, v));
}

/* gamma = W^T u of the same points changes with the configuration: by W_M^T u_A - W_A^T u_A on the way to the middle, theta dt, and
 * as much on the rest of it. So W_E^T u_E = 0 to second order, and impulses of contacts that hold work on nothing. */
void jn_stick_turn(const jn_sim *sim, int contact) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_held *h = &x->held[contact];
    double theta = sim->m->run.theta, rest = (1 - theta) / theta;
    if (sim->m->run.terms == JN_TERMS_END || !(rest > 0)) return;
    jn_vec3 ahead = ahead_of(jn_slot_find(sim->m, sim->s->slot, h->a, h->b, h->feature));
    jn_vec3 v = velocity_before(sim, h, v3_scale(1 / rest, ahead));
    for (int r = h->rolls; r < x->dimension; r++) {
        int k = contact * x->dimension + r;
        h->turn[r] = rest * (x->before[k] - v3_dot(r ? h->t[r - 1] : h->touch.n, v));
        x->q[k] += h->turn[r];
    }
}

/* From the first point to the second in world axes: s, and the gap along the normal. The work space stands at the state, `time` after
 * the points were taken. */
static jn_vec3 apart_by(const jn_sim *sim, const double *slot, double time) {
    const jn_link_motion *A = link_of(sim, slot[JN_SLOT_A] - 1), *B = link_of(sim, slot[JN_SLOT_B]);
    jn_vec3 apart = v3_sub(to_world(B, slot + JN_SLOT_POINT_B), to_world(A, slot + JN_SLOT_POINT_A));
    return v3_sub(apart, left_behind(A, B, ahead_of(slot), time));
}

/* [m] way of the next step in which a contact that closes at a rate comes to rest, where two shapes rock on several points. */
static double way_to_rest(const jn_sim *sim, const jn_near *pair, double rate) {
    return pair && pair->count > 1 ? (1 - sim->m->run.theta) * sim->m->run.step * fmax(0, -rate) : 0;
}

/* [m] how far the points of a contact that sticks are apart, but for a gap that is about to close. */
static double creep_of(const jn_sim *sim, const double *slot, double time) {
    const jn_link_motion *A = link_of(sim, slot[JN_SLOT_A] - 1), *B = link_of(sim, slot[JN_SLOT_B]);
    jn_vec3 apart = apart_by(sim, slot, time), c = to_world(A, slot + JN_SLOT_POINT_A);
    const jn_near *pair;
    const jn_touch *t = v3_norm(apart) > sim->m->run.penetration ? jn_slot_touch(sim, slot, &pair) : NULL;
    if (!t) return v3_norm(apart);
    double gap = fmax(0, v3_dot(apart, t->n)), rate = v3_dot(v3_sub(velocity_at(B, c), velocity_at(A, c)), t->n);
    return v3_norm(v3_axpy(-fmin(gap, way_to_rest(sim, pair, rate)), t->n, apart));
}

/* [m] how far points that stick are apart, at most, beyond what cannot be taken away. */
static double farthest(const jn_sim *sim, double time) {
    const jn_model *m = sim->m;
    const double *slot = sim->s->slot;
    double most = 0;
    for (int k = 0; k < m->slot_count && slot[JN_SLOT_A] != 0 && slot[JN_SLOT_A] <= m->solid_count;
         k++, slot += JN_SLOT)
        if (slot[JN_SLOT_STICKS] == STICKS) most = fmax(most, creep_of(sim, slot, time) - slot[JN_SLOT_LEFT]);
    return most;
}

/* What cannot be taken back, because more points hold than a rigid body has freedoms, is no creep: they count from here. */
static void give_up(const jn_sim *sim, double time) {
    const jn_model *m = sim->m;
    double *slot = sim->s->slot;
    for (int k = 0; k < m->slot_count && slot[JN_SLOT_A] != 0 && slot[JN_SLOT_A] <= m->solid_count;
         k++, slot += JN_SLOT)
        if (slot[JN_SLOT_STICKS] == STICKS) {
            slot[JN_SLOT_LEFT] = creep_of(sim, slot, time);
            to_link(link_of(sim, slot[JN_SLOT_B]), to_world(link_of(sim, slot[JN_SLOT_A] - 1), slot + JN_SLOT_POINT_A),
                    slot + JN_SLOT_POINT_B);
        }
}

/* W_ii of one contact, without the rows that do not count. */
static void fill_block(const jn_nonsmooth *x, int i, double *W) {
    int d = x->dimension, rows = x->held[i].sticks ? d : 1;
    memset(W, 0, (size_t)(d * d) * sizeof *W);
    for (int k = x->start[i]; k < x->start[i + 1]; k++)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < rows; c++) W[r * d + c] += x->V[k * d + r] * x->Y[k * d + c];
}

/* Right-hand sides of all contacts near: gaps, and s of those that stick. Returns the largest of these. */
static double pose(jn_sim *sim, double time, double *blocks) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->dimension;
    double most = 0;
    for (int i = 0; i < x->count; i++) {
        jn_held *h = &x->held[i];
        const double *slot = jn_touch_is(sim->m, h) ? jn_slot_find(sim->m, sim->s->slot, h->a, h->b, h->feature) : NULL;
        jn_vec3 s = h->sticks ? apart_by(sim, slot, time) : v3(0, 0, 0);
        double gap = h->gap;
        if (h->sticks && gap > 0)
            gap = fmax(0, gap - way_to_rest(sim, jn_scan_find(sim->contacts->scan, h->a, h->b), h->approach));
        fill_block(x, i, blocks + i * d * d);
        for (int r = 0; r < d; r++) {
            x->q[i * d + r] = r ? v3_dot(h->t[r - 1], s) : gap;
            x->p[i * d + r] = 0;
            if (h->sticks) most = fmax(most, fabs(x->q[i * d + r]));
        }
    }
    return most;
}

/* Meets one row of a contact after another: u has its velocities, change what its impulses gain. Returns by how much the worst was off. */
static double meet_rows(int d, int rows, bool sticks, const double *W, double *u, double *p, double *change) {
    double most = 0;
    for (int r = 0; r < rows; r++) {
        double own = W[r * d + r];
        if (!(own > 0)) continue;
        double next = p[r] - u[r] / own;
        if (!sticks && next < 0) next = 0;
        change[r] = next - p[r], p[r] = next;
        for (int c = r + 1; c < d; c++) u[c] += W[c * d + r] * change[r];
        double off = own * fabs(change[r]);
        most = off > most ? off : most;
    }
    return most;
}

/* One row after another is met, of the first `rows` of each contact; x->free is the displacement, in the velocities of the rows V. Returns by how
 * much the worst row was off. */
static double sweep(jn_nonsmooth *x, const double *blocks, int rows) {
    int d = x->dimension;
    double most = 0;
    for (int i = 0; i < x->count; i++) {
        double u[3] = {0}, change[3] = {0};
        for (int k = x->start[i]; k < x->start[i + 1]; k++)
            for (int r = 0; r < d; r++) u[r] += x->V[k * d + r] * x->free[x->dof_of[k]];
        for (int r = 0; r < d; r++) u[r] += x->q[i * d + r];
        double off = meet_rows(d, rows, x->held[i].sticks, blocks + i * d * d, u, x->p + i * d, change);
        if (off == 0) continue;
        most = off > most ? off : most;
        for (int k = x->start[i]; k < x->start[i + 1]; k++)
            for (int r = 0; r < d; r++) x->free[x->dof_of[k]] += x->Y[k * d + r] * change[r];
    }
    return most;
}

/* The displacement into x->free; any: there is something to correct. */
static int find_way_back(jn_sim *sim, double apart, double time, bool *any) {
    jn_nonsmooth *x = sim->nonsmooth;
    double tolerance = sim->m->run.penetration, near = fmax(tolerance, 4 * apart),
           *blocks = x->slots; /* which have been read */
    int status = jn_contact_set_choose(sim, &(jn_closed){.slack = near, .hold = near});
    if (status >= 0) status = jn_system_factor(sim, sim->m->run.theta * sim->m->run.step);
    if (status >= 0) status = jn_contact_set_rows(sim);
    if (status < 0) return status;
    memset(x->free, 0, (size_t)sim->m->nv * sizeof *x->free);
    *any = pose(sim, time, blocks) > tolerance;
    for (int n = 0; *any && n < MAX_SWEEPS && sweep(x, blocks, x->dimension) > SHARE * tolerance; n++) {
    }
    for (int n = 0; *any && n < MAX_SWEEPS && sweep(x, blocks, 1) > SHARE * tolerance;
         n++) { /* gaps come before creep */
    }
    memset(x->free, 0, (size_t)sim->m->nv * sizeof *x->free);
    if (*any) jn_contact_set_kick(sim, x->p, x->free);
    return JN_OK;
}

/* Whether a driver moves one of the bodies that were moved. */
static bool drivers_hold(const jn_sim *sim) {
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 1; i < sim->m->link_count; i++)
        if (x->group[x->group_of[i]].won && x->group[x->group_of[i]].driven) return true;
    return false;
}

/* The sum of all energies stays: what the way takes comes from the drivers that carry the bodies, else from their motion; what it
 * frees goes there, or is lost in friction. Returns what nobody has to give. */
static double settle_account(jn_sim *sim, jn_energy before, jn_energy after) {
    jn_nonsmooth *x = sim->nonsmooth;
    double more = after.potential + after.elastic + after.kinetic - before.potential - before.elastic - before.kinetic;
    jn_contact_forget(sim);
    for (int k = 0; k < x->count * x->dimension; k++)
        if (x->p[k] != 0) jn_contact_mark(sim, k / x->dimension);
    if (drivers_hold(sim)) {
        sim->s->ledger.driven += more;
        return 0;
    }
    if (fabs(more) < 1e-2 * after.kinetic) more = jn_contact_slow_down(sim, more);
    sim->s->ledger.dissipated -= more, sim->s->ledger.friction -= more;
    return fmax(0, more);
}

/* Where the state stood before a correction, and back to there. */
static void keep_place(const jn_sim *sim) {
    memcpy(sim->before->q, sim->s->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    memcpy(sim->before->u, sim->s->u, (size_t)sim->m->nv * sizeof *sim->s->u);
}

static void take_back(jn_sim *sim, const jn_ledger *ledger) {
    memcpy(sim->s->q, sim->before->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    memcpy(sim->s->u, sim->before->u, (size_t)sim->m->nv * sizeof *sim->s->u);
    sim->s->ledger = *ledger;
    jn_positions_locate(sim, false);
}

int jn_stick_hold(jn_sim *sim, double dt) {
    const jn_model *m = sim->m;
    double time = rest_of_step(sim) * dt;
    bool any = false;
    if (!sim->nonsmooth->measured) jn_kinematics(m, sim->w, sim->s);
    double apart = farthest(sim, time);
    if (!(apart > m->run.penetration)) return JN_OK;
    jn_positions_locate(sim, true);
    int status = find_way_back(sim, apart, time, &any);
    if (status >= 0 && any) {
        jn_energy before = jn_positions_energies(sim);
        jn_ledger ledger = sim->s->ledger;
        keep_place(sim);
        jn_positions_move(sim, 1);
        if (m->row_count) {
            status = jn_project(m, sim->w, sim->s);
            jn_positions_locate(sim, false);
        }
        bool unpaid = settle_account(sim, before, jn_positions_energies(sim)) > 0;
        if (unpaid) take_back(sim, &ledger);
        if (unpaid || farthest(sim, time) > NO_WAY * apart) give_up(sim, time);
    }
    jn_stiff_leave(sim);
    return status;
}
