/* Which closed contacts stick, slip or open: one problem in accelerations for all of them [Rodriguez2014, eq. 2.1-2.2], and modes read from
 * its accelerations, which are unique where forces are not.
 *
 * An event at which forces no longer hold has, with one coefficient of friction, no accelerations yet: the law is asked a little further along the way
 * that the loads have gone in the last step. */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"

#include <string.h>

void jn_unilateral_start(jn_sim *sim, double still) {
    jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++) {
        jn_unilateral *o = &sim->impact->unilateral[i];
        const jn_contact_desc *row = &sim->m->contacts[set->point[i].row];
        double speed = v3_norm(o->slip);
        o->mu_d = row->friction > 0 ? row->friction : 0;
        o->mu_s = row->stick > o->mu_d ? row->stick : o->mu_d;
        o->moving = speed > still;
        o->mode = o->moving || !(o->mu_s > 0) ? JN_UNILATERAL_SLIPPING : JN_UNILATERAL_STICKING;
        o->direction = speed > 0 ? v3_scale(1 / speed, o->slip) : set->point[i].t[0];
    }
}

/* W_NN - mu W_NT e of a contact that slips. */
static double own_inertia(const jn_grip *g, int i) {
    return jn_grip_own(g, i, 0);
}

/* A contact that slips and whose friction undoes its normal force: more f_N would press it further [Genot1999]. */
static int find_jam(const jn_grip *g) {
    for (int i = 0; i < g->n; i++)
        if (g->contact[i].slips && own_inertia(g, i) <= 0 && g->b[g->d * i] < 0) return i;
    return -1;
}

/* With W_NN - mu W_NT e <= 0 and b_N >= 0 a contact may go on or open; it opens: the other answer grows without bound. */
static void open_unstable(const jn_grip *g, double *load) {
    for (int i = 0; i < g->n; i++)
        if (g->contact[i].slips && own_inertia(g, i) <= 0 && g->b[g->d * i] >= 0)
            load[g->d * i] += JN_MODES_UNSTABLE_PUSH * g->scale;
}

/* Row of b_before of a contact, or -1. */
static int row_before(const jn_impacts *p, const jn_contact_point *h) {
    for (int k = 0; k < p->system.keys; k++) {
        const jn_contact_key *key = &p->system.key[k];
        if (key->a == h->a && key->b == h->b && key->feature == h->feature) return k * p->d;
    }
    return -1;
}

/* The loads a little further along the way of the last step; false: they have not changed. */
static bool find_probe(const jn_sim *sim, double *load) {
    const jn_impacts *p = sim->impact;
    const jn_impact_system *s = &p->system;
    const jn_grip *g = &s->grip;
    double most = 0;
    for (int i = 0; i < g->n; i++) {
        int before = row_before(p, &sim->nonsmooth->set.point[i]);
        for (int r = 0; r < g->d; r++) {
            load[i * g->d + r] = before < 0 ? 0 : s->b[i * g->d + r] - s->b_before[before + r];
            most = jn_max(most, fabs(load[i * g->d + r]));
        }
    }
    if (!(most > JN_MODES_LOAD_CHANGE_REL * g->scale) || !isfinite(most)) return false;
    for (int i = 0; i < g->d * g->n; i++) load[i] = s->b[i] + JN_MODES_PROBE_REL * g->scale / most * load[i];
    return true;
}

static double tangential(const double *a, int d) { return d == 2 ? fabs(a[1]) : jn_hypot_safe(a[1], a[2]); }

static bool still(const jn_grip *g, int i) { return !g->contact[i].slips && g->contact[i].mu > 0; }

/* Contacts at rest that start to slip have the dynamic coefficient, and then others may start: *any. */
static void break_static(jn_impacts *p, double slow, bool *any) {
    jn_grip *g = &p->system.grip;
    *any = false, slow = jn_max(slow, JN_MODES_SOLVER * g->error);
    for (int i = 0; i < g->n; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        if (!still(g, i) || g->contact[i].mu == o->mu_d || tangential(g->a + i * g->d, g->d) <= slow) continue;
        g->contact[i].mu = o->mu_d, *any = true;
        if (!(o->mu_d > 0)) g->contact[i].slips = true;
    }
}

/* Modes from the accelerations. Returns whether one of them has changed. */
static bool read_modes(jn_sim *sim, double slow) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    const jn_grip *g = &p->system.grip;
    bool changed = false;
    slow = jn_max(slow, JN_MODES_SOLVER * g->error); /* what the solver has left is no motion */
    for (int i = 0; i < set->count; i++) {
        jn_unilateral *o = &p->unilateral[i];
        const double *a = g->a + i * g->d;
        jn_unilateral_mode before = o->mode;
        double size = tangential(a, g->d);
        if (a[0] > slow && g->f[i * g->d] <= 0) {
            o->mode = JN_UNILATERAL_OPEN;
        } else if (o->mode == JN_UNILATERAL_STICKING && size > slow) {
            o->mode = JN_UNILATERAL_SLIPPING, o->direction = v3(0, 0, 0);
            for (int r = 1; r < g->d; r++) o->direction = v3_axpy(a[r] / size, set->point[i].t[r - 1], o->direction);
        }
        changed |= o->mode != before;
    }
    return changed;
}

/* Velocities that the contacts change. */
static int count_velocities(const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double *seen = sim->nonsmooth->row;
    int count = 0;
    for (int k = 0; k < set->start[set->count]; k++) count += seen[set->dof_of[k]] == 0, seen[set->dof_of[k]] = 1;
    for (int k = 0; k < set->start[set->count]; k++) seen[set->dof_of[k]] = 0;
    return count;
}

/* Whether the forces of the modes are redundant: more than velocities, or dependent. O(n^3) */
static void find_redundancy(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    jn_grip *g = &p->system.grip;
    int n = 0, D = g->d * g->n;
    for (int i = 0; i < g->n; i++)
        for (int r = 0; r < (still(g, i) ? g->d : 1); r++) p->system.unknown[n++] = i * g->d + r;
    p->system.redundant = n > count_velocities(sim);
    if (p->system.redundant) return;
    jn_unilateral_matrix(sim);
    for (int c = 0; c < n; c++)
        for (int k = 0; k < n; k++)
            p->system.qr.Y[c * n + k] = p->system.W[p->system.unknown[c] * D + p->system.unknown[k]];
    p->system.qr.n = p->system.qr.cols = n;
    p->system.redundant = n > 0 && jn_qr_factor(&p->system.qr, JN_MODES_RANK_REL, 0) && p->system.qr.rank < n;
}

/* The law with static friction first, and dynamic friction where that breaks. O(contacts) problems. */
static bool solve_law(jn_sim *sim, double *slow, bool probed) {
    jn_impacts *p = sim->impact;
    jn_impact_system *s = &p->system;
    jn_grip *g = &s->grip;
    bool any = true;
    memset(g->f, 0, (size_t)(g->d * g->n) * sizeof *g->f);
    for (int turn = 0; turn <= g->n && any; turn++) {
        if (!jn_grip_solve(g)) return false;
        break_static(p, *slow, &any);
        if (any && probed) { /* with less friction the loads themselves make them move */
            memcpy(s->load, s->b, (size_t)(g->d * g->n) * sizeof *s->load);
            *slow = JN_MODES_MOVES_REL * g->scale, probed = false;
        }
    }
    return true;
}

int jn_unilateral_choose(jn_sim *sim, const jn_seen *seen, int *jam) {
    jn_impacts *p = sim->impact;
    jn_impact_system *s = &p->system;
    jn_grip *g = &s->grip;
    jn_unilateral_grip(sim);
    jn_grip_columns(g);
    *jam = find_jam(g);
    if (*jam >= 0) return JN_NOT_CONVERGED;
    if (!(seen && seen->cause == JN_CAUSE_HOLD) && jn_unilateral_holds(sim)) {
        for (int i = 0; i < g->n; i++) p->unilateral[i].idle = g->contact[i].idle;
        jn_unilateral_grip(sim);
        find_redundancy(sim);
        return JN_OK;
    }
    jn_unilateral_grip(sim);
    jn_grip_columns(g);
    size_t bytes = (size_t)(g->d * g->n) * sizeof *s->load;
    bool held = seen && seen->cause == JN_CAUSE_HOLD && find_probe(sim, s->load);
    double slow = JN_MODES_MOVES_REL * g->scale;
    if (held) slow *= JN_MODES_PROBE_REL * JN_MODES_PROBE_MOVES;
    if (!held) memcpy(s->load, s->b, bytes);
    open_unstable(g, s->load);
    g->b = s->load;
    bool solved = solve_law(sim, &slow, held), changed = solved && read_modes(sim, slow);
    if (held && !(solved && changed)) { /* the loads themselves */
        jn_unilateral_grip(sim);
        memcpy(s->load, s->b, bytes);
        open_unstable(g, s->load);
        g->b = s->load, slow = JN_MODES_MOVES_REL * g->scale;
        solved = solve_law(sim, &slow, false), changed = solved && read_modes(sim, slow);
    }
    if (seen && seen->cause == JN_CAUSE_HOLD)
        p->slack = changed ? 1 : jn_min(JN_MODES_SLACK_MOST, JN_MODES_SLACK_GROWTH * p->slack);
    if (!solved) return JN_NOT_CONVERGED;
    jn_grip_find_idle(g);
    for (int i = 0; i < g->n; i++) p->unilateral[i].idle = g->contact[i].idle;
    jn_unilateral_grip(sim);
    find_redundancy(sim);
    return JN_OK;
}
