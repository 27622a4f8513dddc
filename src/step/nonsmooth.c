/* Moreau's time stepping: Signorini's, Coulomb's and Newton's laws on velocities, once per step.
 *
 *     M (u_E - u_A) = dt h + G^T Lambda + W_N P_N + W_T P_T,   xi_N = gamma_NE + e_N gamma_NA,   xi_T = gamma_TE + e_T gamma_TA
 *
 * moreau_midpoint takes all terms at q_M = q_A + dt/2 u_A [Flores2010, section 5], moreau_jean is the theta-method, implicit,
 * with its terms in the middle of the step or at its end [Acary2008, 10.1]. Closed is what has closed in the middle. */
#include "step/nonsmooth.h"

#include "base/memory.h"
#include "reaction/clearance.h"
#include <string.h>

enum { MAX_ITERATIONS = 30 };
#define DRAWN_OVERLAP 1e-6 /* [m] */
#define STILL 1e-9         /* [m/s] slower is at rest */

/* ---------------------------------------------------------------------------------------------------- creation */

static int root_of(int *up, int i) {
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

/* Trees that constraint rows tie together are one group. */
static void find_groups(const jn_model *m, jn_nonsmooth *x) {
    int *up = x->group_of, groups = 0, place = 0;
    for (int i = 0; i < m->link_count; i++) up[i] = i;
    for (int i = 1; i < m->link_count; i++)
        if (m->links[i].parent) up[root_of(up, i)] = root_of(up, m->links[i].parent);
    for (int r = 0; r < m->row_count; r++)
        for (int p = m->rows[r].first + 1; p < m->rows[r].first + m->rows[r].count; p++)
            up[root_of(up, m->dof_link[m->row_cols[p]])] = root_of(up, m->dof_link[m->row_cols[p - 1]]);
    for (int i = 1; i < m->link_count; i++) up[i] = root_of(up, i);
    for (int i = 1; i < m->link_count; i++) /* numbers in place of roots, from -1 down */
        if (up[i] == i) up[i] = -1 - groups++;
    for (int i = 1; i < m->link_count; i++)
        if (up[i] > 0) up[i] = up[up[i]];
    for (int i = 1; i < m->link_count; i++) up[i] = -1 - up[i];
    for (int k = 0; k < m->nv; k++) x->group[up[m->dof_link[k]]].count++;
    for (int g = 0; g < groups; g++) {
        x->group[g].first = place;
        place += x->group[g].count, x->group[g].count = 0;
    }
    for (int k = 0; k < m->nv; k++) {
        jn_group *g = &x->group[up[m->dof_link[k]]];
        x->dof[g->first + g->count++] = k;
    }
    for (int r = 0; r < m->row_count; r++)
        for (int p = m->rows[r].first; p < m->rows[r].first + m->rows[r].count; p++)
            x->group[x->group_of[m->dof_link[m->row_cols[p]]]].tied = true;
}

static bool is_round(const jn_sym3 *J) {
    double most = fmax(J->xx, fmax(J->yy, J->zz)), off = fabs(J->xy) + fabs(J->xz) + fabs(J->yz);
    return fabs(J->xx - J->yy) + fabs(J->yy - J->zz) + off < 1e-12 * most;
}

static void find_kind(const jn_model *m, jn_nonsmooth *x) {
    x->plain = m->row_count == 0;
    x->steady = m->spring_count + m->bushing_count + m->applied_count + m->actuator_count == 0;
    for (int i = 1; i < m->link_count; i++) {
        x->plain &= m->links[i].alone;
        x->steady &= m->links[i].alone && is_round(&m->links[i].inertia);
    }
}

static void *take(char **at, size_t count, size_t size) {
    void *out = *at;
    *at += (count * size + 63) / 64 * 64;
    return out;
}

/* Hands out the parts of one block; returns its size. With base NULL only measures. */
static size_t lay_out(jn_nonsmooth *x, const jn_model *m, char *base) {
    char *at = base;
    size_t room = (size_t)x->room, nv = (size_t)m->nv + 1, links = (size_t)m->link_count,
           rows = (size_t)m->row_count + 1;
    x->held = take(&at, room, sizeof *x->held);
    x->first = take(&at, room, sizeof *x->first);
    x->first_p = take(&at, 3 * room, sizeof(double));
    x->start = take(&at, room + 1, sizeof(int));
    x->dof_of = take(&at, (size_t)x->entries, sizeof(int));
    x->H = take(&at, 3 * (size_t)x->entries, sizeof(double));
    x->Y = take(&at, 3 * (size_t)x->entries, sizeof(double));
    x->mu = take(&at, room, sizeof(double));
    double **vectors[] = {&x->q, &x->p, &x->u, &x->before};
    for (int k = 0; k < 4; k++) *vectors[k] = take(&at, 3 * room, sizeof(double));
    x->group_of = take(&at, links, sizeof(int));
    x->group = take(&at, links, sizeof *x->group);
    x->dof = take(&at, nv, sizeof(int));
    x->load = take(&at, links, sizeof *x->load);
    double **velocities[] = {&x->start_force, &x->velocity, &x->iterate, &x->free, &x->kick, &x->row, &x->start_rate};
    for (int k = 0; k < 7; k++) *velocities[k] = take(&at, nv, sizeof(double));
    x->impulse = take(&at, rows, sizeof(double));
    x->start_lambda = take(&at, rows, sizeof(double));
    x->slots = take(&at, JN_SLOT * room, sizeof(double));
    x->scratch = take(&at, x->scratch_size, 1);
    return (size_t)(at - base);
}

/* Most entries that the contacts can need: two groups each. */
static long most_entries(const jn_model *m, const jn_group *group) {
    int first = 0, second = 0;
    for (int g = 0; g < m->link_count - 1; g++) { /* bodies fixed to the ground move nothing */
        int n = group[g].count;
        if (n > first)
            second = first, first = n;
        else if (n > second)
            second = n;
    }
    return first + second;
}

static int check_run(const jn_model *m, const jn_nonsmooth *x, jn_report *report) {
    if (m->run.solver && !x->solver)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){m->file, 1, 1}, "run.solver",
                             "there is no solver '%s'\nsee 'jounce solve --list' for those there are", m->run.solver);
    if (m->run.adapt && m->run.scheme == JN_SCHEME_MOREAU_MIDPOINT)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, "run.adapt",
                      "moreau_midpoint does not adapt its steps\nwrite 'scheme: moreau_jean'");
    if (m->run.theta < 0.5 || m->run.theta > 1)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){m->file, 1, 1}, "run.theta",
                             "'theta' lies between 0.5 and 1, not at %g\nwrite 'theta: 0.5'", m->run.theta);
    return JN_OK;
}

/* Bodies may be drawn touching to the digits that people write; what overlaps deeper is a mistake. */
static int check_start(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    const jn_scan *scan = sim->contacts->scan;
    double allowed = fmax(DRAWN_OVERLAP, m->run.penetration);
    jn_kinematics(m, sim->w, sim->s);
    int status = jn_scan_update_work(sim->contacts->scan, sim->w, sim->contacts->margin);
    for (int p = 0; p < jn_scan_pairs(scan) && status >= 0; p++) {
        const jn_near *pair = jn_scan_pair(scan, p);
        for (int k = pair->first; k < pair->first + pair->count; k++)
            if (jn_scan_touch(scan, k)->gap < -allowed)
                return jn_report_add(
                    report, JN_SEVERITY_ERROR, JN_ERR_MODEL,
                    m->contacts[jn_model_contact_of(m, pair->a, pair->b)].where, NULL,
                    "bodies '%s' and '%s' overlap by %.3g m at the start\ndraw them apart, or touching",
                    m->bodies[m->solids[pair->a].body].name, m->bodies[m->solids[pair->b].body].name,
                    -jn_scan_touch(scan, k)->gap);
    }
    return status < 0 ? status : JN_OK;
}

int jn_nonsmooth_create(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    jn_nonsmooth head = {.room = m->slot_count, .scratch_size = (size_t)4 << 20, .entries = 1};
    head.solver = m->run.solver ? jn_solver_find(m->run.solver) : NULL;
    int status = check_run(m, &head, report);
    if (status < 0) return status;
    head.scratch_size += (size_t)m->solid_count * ((size_t)64 << 10);
    char *first = jn_malloc(lay_out(&head, m, NULL) + sizeof head); /* to count the groups */
    if (!first) return JN_ERR_MEMORY;
    lay_out(&head, m, first);
    memset(head.group, 0, (size_t)m->link_count * sizeof *head.group);
    find_groups(m, &head);
    head.widest = most_entries(m, head.group);
    head.entries = head.widest * head.room;
    if (head.entries > 1 << 26) head.entries = 1 << 26;
    jn_free(first);
    size_t offset = (sizeof head + 63) / 64 * 64, size = lay_out(&head, m, NULL);
    char *block = jn_malloc(offset + size);
    if (!block) return JN_ERR_MEMORY;
    jn_nonsmooth *x = sim->nonsmooth = (jn_nonsmooth *)(void *)block;
    *x = head;
    lay_out(x, m, block + offset);
    memset(x->group, 0, (size_t)m->link_count * sizeof *x->group);
    memset(x->row, 0, (size_t)(m->nv + 1) * sizeof *x->row);
    find_groups(m, x);
    find_kind(m, x);
    jn_scan_curvatures(sim->contacts->scan, false);
    jn_nonsmooth_restart(sim);
    x->at = jn_state_create(m);
    return x->at ? check_start(sim, report) : JN_ERR_MEMORY;
}

void jn_nonsmooth_free(jn_nonsmooth *x) {
    if (!x) return;
    jn_state_free(x->at);
    jn_free(x);
}

/* Accelerations and reactions that a user looks at are those under the mean contact forces of the last step. */
static void show_forces(void *context, const jn_model *m, jn_work *w, const jn_state *s) {
    jn_nonsmooth *x = context;
    (void)s;
    for (int i = 0; i < m->link_count; i++) w->load[i] = wr_add(w->load[i], x->load[i]);
    x->shown = true;
}

/* Steps take impulses, not these forces. */
static void hide_forces(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    sim->w->contact = NULL;
    if (x->shown) memset(sim->w->load, 0, (size_t)sim->m->link_count * sizeof *sim->w->load);
    x->shown = false;
}

void jn_nonsmooth_restart(jn_sim *sim) {
    memset(sim->nonsmooth->load, 0, (size_t)sim->m->link_count * sizeof *sim->nonsmooth->load);
}

/* -------------------------------------------------------------------------------------------------- one problem */

static bool pushes_apart(const jn_sim *sim) {
    return sim->m->run.scheme == JN_SCHEME_MOREAU_JEAN && sim->m->run.stabilise == JN_STABILISE_PROJECTION;
}

/* What counts as closed at a configuration `ahead` of where gaps are judged, `late` before the end of the step. With
 * stabilised positions contacts rest within their tolerance, and none is struck after it has penetrated. */
static jn_closed closed_at(const jn_sim *sim, double ahead, double late) {
    jn_closed c = {.ahead = ahead};
    if (!pushes_apart(sim)) return c;
    double fall = v3_norm(sim->m->gravity) * sim->m->run.step; /* [m/s] what gravity does in a step */
    c.slack = sim->m->run.penetration, c.late = late;
    c.hold = fmax(c.slack, 4 * fall * sim->m->run.step);
    c.speed = fall;
    return c;
}

static int choose(jn_sim *sim, const jn_closed *closed) {
    int status = jn_contact_set_choose(sim, closed);
    if (status >= 0 && sim->nonsmooth->only_closed) jn_instant_filter(sim);
    return status;
}

/* x->free = u_A + A^-1 kick with G u = -dPhi/dt: the end of the step without contacts. The work space stands at x->at. */
int jn_nonsmooth_move_freely(jn_sim *sim, const double *kick, double *out) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    if (m->row_count == 0) {
        memcpy(out, kick, (size_t)m->nv * sizeof *out);
        jn_inertia_solve(sim, out);
    } else {
        int status = jn_kkt_solve(m, w, kick, w->row_rhs, out, x->impulse);
        if (status < 0) return status;
    }
    for (int i = 0; i < m->nv; i++) out[i] += sim->s->u[i];
    return JN_OK;
}

/* Rows of the constraints at x->at, and what G (u_E - u_A) must be. G u_E = -dPhi/dt [Flores2010, eq. 85]; with positions and
 * velocities corrected after the step it is the weighted mean of the velocities that meets the constraints, so that joints do no
 * work and drivers move in time. */
static void aim_constraints(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    if (m->row_count == 0) return;
    double part = pushes_apart(sim) && m->run.terms == JN_TERMS_MIDDLE ? m->run.theta : 1;
    jn_constraint_rows(m, w, x->at, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    for (int i = 0; i < m->nv; i++) x->row[i] = x->at->u[i] - sim->s->u[i];
    jn_rows_multiply(m, w, x->row, w->row_rhs);
    for (int i = 0; i < m->row_count; i++) w->row_rhs[i] = (w->row_rhs[i] - w->phi_rate[i]) / part;
    memset(x->row, 0, (size_t)m->nv * sizeof *x->row);
}

/* Impulses of the last step as a first guess: kept in the slots as vectors in world axes. */
void jn_contact_set_guess(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < x->count; i++) {
        const jn_held *h = &x->held[i];
        const double *slot = h->fresh ? NULL : jn_slot_find(sim->m, sim->s->slot, h->a, h->b, h->feature);
        jn_vec3 p =
            slot ? v3(slot[JN_SLOT_IMPULSE], slot[JN_SLOT_IMPULSE + 1], slot[JN_SLOT_IMPULSE + 2]) : v3(0, 0, 0);
        for (int r = 0; r < x->dimension; r++) x->p[i * x->dimension + r] = v3_dot(p, r ? h->t[r - 1] : h->touch.n);
    }
}

/* q = gamma_E without impulses + e gamma_A. [Flores2010, eq. 69-70] gamma_A = W^T u_A with the rows of the problem, or with
 * those at the start of the step where its terms stand at the end [Acary2008, 10.1]. A contact that closes no faster than
 * forces move it in a step has come to rest: throwing it back would only show the step; a gap that is left may close. */
static void pose_problem(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->dimension;
    bool rests = pushes_apart(sim), end = sim->m->run.terms == JN_TERMS_END;
    jn_contact_set_multiply(x, sim->s->u, x->before);
    jn_contact_set_multiply(x, x->free, x->q);
    for (int i = 0; i < x->count; i++) {
        jn_held *h = &x->held[i];
        const jn_contact_desc *row = &sim->m->contacts[h->row];
        double start[3] = {h->approach, h->slip[0], h->slip[1]};
        const double *gamma_A = end ? start : x->before + i * d;
        double e_N = row->restitution > 0 ? row->restitution : 0;
        double e_T = row->tangential_restitution > 0 ? row->tangential_restitution : 0;
        double v = x->before[i * d], gap = fmax(0, h->gap);
        h->strikes = -v > fmax(STILL, fabs(x->q[i * d] - v));
        if (rests && !h->strikes) /* what has bounced may fall back as fast as it rose, not stop in flight */
            x->q[i * d] += fmax(0.5 * gap / dt, h->thrown ? v : 0);
        else
            x->q[i * d] += e_N * gamma_A[0];
        for (int r = 1; r < d; r++) x->q[i * d + r] += e_T * gamma_A[r];
    }
}

/* Velocities at the end of the step with the terms at x->at, into x->velocity. */
static int solve_here(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    aim_constraints(sim);
    int status = jn_inertia_factor(sim);
    if (status >= 0) status = jn_nonsmooth_move_freely(sim, x->kick, x->free);
    if (status < 0) return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\ntake smaller steps", sim->s->t);
    memcpy(x->velocity, x->free, (size_t)sim->m->nv * sizeof *x->velocity);
    if (x->count == 0) return JN_OK;
    status = jn_contact_set_rows(sim);
    if (status < 0) return status;
    pose_problem(sim, dt);
    status = jn_contact_set_solve(sim);
    if (status < 0) return status;
    if (sim->m->row_count == 0) {
        jn_contact_set_kick(x, x->p, x->velocity);
        return JN_OK;
    }
    jn_contact_set_force(x, x->p, x->kick); /* with the impulses of joints and drivers */
    return jn_nonsmooth_move_freely(sim, x->kick, x->velocity);
}

/* --------------------------------------------------------------------------------------------- what has happened */

void jn_nonsmooth_tell(jn_sim *sim, const char *kind, const jn_held *h, double time, double before, double after,
                       const double *p) {
    sim->audit.events++;
    if (!sim->sink) return;
    jn_event e = {time, kind, sim->m->contacts[h->row].name, before, after, p ? p[0] : 0, 0};
    if (p && sim->nonsmooth->dimension > 1) e.impulse_t = sim->nonsmooth->dimension > 2 ? hypot(p[1], p[2]) : p[1];
    sim->sink(sim->sink_context, &e);
}

/* Energy that impacts with restitution have won: Newton's law with friction can do so [Kane1985]. Told with the contact that won
 * most. */
static void tell_gain(jn_sim *sim, double gain, int most) {
    const jn_nonsmooth *x = sim->nonsmooth;
    const jn_held *h = &x->held[most];
    sim->audit.contact_gain += gain;
    sim->audit.contact_gain_at = sim->m->contacts[h->row].name;
    jn_nonsmooth_tell(sim, "gain", h, sim->s->t, x->before[most * x->dimension], x->u[most * x->dimension],
                      x->p + most * x->dimension);
}

/* Work of the impulses with the mean of the velocities before and after: exactly what the kinetic energy loses to them. What the
 * law of restitution wins is told; what contacts win that do not bounce is an error of the step, to be taken back. */
void jn_contact_set_book(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->dimension, most = 0;
    double thrown = 0, pushed = 0, best = 0, noise = 0; /* [J] won by contacts that bounce, and by the others */
    jn_ledger *l = &sim->s->ledger;
    jn_contact_set_multiply(x, x->velocity, x->u);
    x->lost = x->closing = x->won = 0;
    jn_contact_forget(sim);
    for (int i = 0; i < x->count; i++) {
        const double *p = x->p + i * d, *u = x->u + i * d, *v = x->before + i * d;
        double normal = -0.5 * p[0] * (u[0] + v[0]), tangential = 0;
        for (int r = 1; r < d; r++) tangential -= 0.5 * p[r] * (u[r] + v[r]);
        x->lost += normal, x->closing += 0.5 * p[0] * fmax(0, -v[0]);
        l->damping += normal, l->friction += tangential, l->dissipated += normal + tangential;
        double gain = -normal - tangential;
        bool bounces = x->held[i].strikes && sim->m->contacts[x->held[i].row].restitution > 0;
        noise += STILL * p[0] + 1e-8 * (fabs(normal) + fabs(tangential));
        if (bounces)
            thrown += gain;
        else
            pushed += gain;
        if (!bounces && gain > 0) jn_contact_mark(sim, i);
        if (bounces && gain > best) best = gain, most = i;
    }
    x->spare = fmax(0, fmin(x->lost, -pushed - thrown));
    double won = fmin(pushed, pushed + thrown);
    if (pushes_apart(sim) && won > 1e-4 * noise) x->won = won;
    if (thrown > noise && pushed + thrown > noise) tell_gain(sim, fmin(thrown, pushed + thrown), most);
}

/* Impulse of a contact as a vector in world axes. */
static jn_vec3 impulse_of(const jn_nonsmooth *x, int i) {
    const double *p = x->p + i * x->dimension;
    jn_vec3 P = v3_scale(p[0], x->held[i].touch.n);
    for (int r = 1; r < x->dimension; r++) P = v3_axpy(p[r], x->held[i].t[r - 1], P);
    return P;
}

static void sum_up(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_contacts *c = sim->contacts;
    int d = x->dimension;
    for (int i = 0; i < sim->m->contact_count; i++) c->sum[i] = (jn_contact_sum){.gap = INFINITY};
    jn_nonsmooth_restart(sim);
    for (int p = 0; p < jn_scan_pairs(c->scan); p++) {
        const jn_near *pair = jn_scan_pair(c->scan, p);
        if (!pair->count) continue;
        jn_contact_sum *sum = &c->sum[jn_model_contact_of(sim->m, pair->a, pair->b)];
        for (int k = pair->first; k < pair->first + pair->count; k++)
            sum->gap = fmin(sum->gap, jn_scan_touch(c->scan, k)->gap);
    }
    for (int i = 0; i < x->count; i++) {
        const jn_held *h = &x->held[i];
        jn_contact_sum *sum = &c->sum[h->row];
        const double *p = x->p + i * d;
        sum->fn += p[0] / dt, sum->pn += p[0];
        if (d > 1) sum->ft += (d > 2 ? hypot(p[1], p[2]) : fabs(p[1])) / dt;
        jn_vec3 f = v3_scale(1 / dt, impulse_of(x, i));
        sum->on_second = wr_add(sum->on_second, (jn_wrench){v3_cross(h->touch.pB, f), f});
        int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
        jn_touch_row w = jn_touch_row_along(&h->touch, f, sim->w->link[A].O, sim->w->link[B].O);
        x->load[A] = wr_add(x->load[A], w.A), x->load[B] = wr_add(x->load[B], w.B);
        if (!pushes_apart(sim)) sim->audit.max_penetration = fmax(sim->audit.max_penetration, -h->touch.gap);
    }
}

static double slip_of(const jn_nonsmooth *x, const double *u) {
    return x->dimension == 1 ? 0 : x->dimension == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
}

/* Whether a contact that slid and did not close has stopped at once because friction takes hold of what it presses: with the
 * friction of its slip, a larger p_N would close the contact further (Painleve's paradox). [Genot1999] */
static bool jams(const jn_nonsmooth *x, int i) {
    int d = x->dimension;
    const double *v = x->before + i * d;
    double slip = slip_of(x, v), W[3] = {0, 0, 0};
    if (x->held[i].strikes || !(slip > STILL) || slip_of(x, x->u + i * d) > STILL) return false;
    for (int k = x->start[i]; k < x->start[i + 1]; k++)
        for (int r = 0; r < d; r++) W[r] += x->H[k * d] * x->Y[k * d + r];
    for (int r = 1; r < d; r++) W[0] -= x->mu[i] * W[r] * v[r] / slip;
    return x->p[i * d] > 0 && W[0] <= 0;
}

/* A closed contact after the step. It is told when it carries something for the first time. */
static void note_contact(jn_sim *sim, int i, double *slot, double t_A, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_held *h = &x->held[i];
    const double *p = x->p + i * x->dimension, *u = x->u + i * x->dimension, *before = x->before + i * x->dimension;
    const jn_run_desc *run = &sim->m->run;
    bool slides = slip_of(x, u) > STILL;
    if (jams(x, i)) jn_nonsmooth_tell(sim, "jam", h, t_A, slip_of(x, before), slip_of(x, u), p);
    slot[JN_SLOT_THROWN] = p[0] > 0 && u[0] > STILL;
    if (p[0] > 0 && slot[JN_SLOT_PHASE] < JN_PHASE_CONTINUOUS) {
        double found =
            t_A + (run->terms == JN_TERMS_END || run->scheme == JN_SCHEME_LEAST_CONSTRAINT ? 0 : run->theta) *
                      dt; /* where the gap is known */
        slot[JN_SLOT_START] = fmin(t_A + dt, fmax(t_A, h->approach < 0 ? found - h->gap / h->approach : found));
        slot[JN_SLOT_SPEED] = -h->approach, slot[JN_SLOT_SLIDES] = slides;
        slot[JN_SLOT_PHASE] = JN_PHASE_CONTINUOUS;
        jn_nonsmooth_tell(sim, h->strikes ? "impact" : "contact", h, slot[JN_SLOT_START], before[0], u[0], p);
    } else if (p[0] > 0 && slides != (slot[JN_SLOT_SLIDES] != 0)) {
        slot[JN_SLOT_SLIDES] = slides;
        jn_nonsmooth_tell(sim, slides ? "slip" : "stick", h, t_A + dt, slip_of(x, before), slip_of(x, u), NULL);
    }
    jn_vec3 P = impulse_of(x, i);
    slot[JN_SLOT_IMPULSE] = P.x, slot[JN_SLOT_IMPULSE + 1] = P.y, slot[JN_SLOT_IMPULSE + 2] = P.z;
}

static int compare(const double *slot, const jn_held *h) {
    const double key[3] = {h->a + 1, h->b, h->feature};
    for (int k = 0; k < 3; k++)
        if (slot[k] != key[k]) return slot[k] < key[k] ? -1 : 1;
    return 0;
}

/* The slots become the closed contacts of the step; both lists are sorted. */
static void note_contacts(jn_sim *sim, double t_A, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    double *slot = sim->s->slot, *old = x->slots;
    int used = jn_slots_used(m, slot), k = 0;
    memcpy(old, slot, (size_t)(JN_SLOT * used) * sizeof *slot);
    for (int i = 0; i < x->count || k < used; i++) {
        int order = -1;
        while (k < used && (i >= x->count || (order = compare(old + JN_SLOT * k, &x->held[i])) < 0)) { /* open now */
            const double *gone = old + JN_SLOT * k++;
            jn_held h = {.row = jn_model_contact_of(m, (int)gone[JN_SLOT_A] - 1, (int)gone[JN_SLOT_B])};
            if (gone[JN_SLOT_PHASE] != 0) jn_nonsmooth_tell(sim, "separation", &h, t_A + dt, 0, 0, NULL);
        }
        if (i >= x->count) break;
        double *to = slot + JN_SLOT * i;
        const jn_held *h = &x->held[i];
        memset(to, 0, JN_SLOT * sizeof *to);
        if (k < used && order == 0)
            memcpy(to, old + JN_SLOT * k++, JN_SLOT * sizeof *to);
        else
            to[JN_SLOT_A] = h->a + 1, to[JN_SLOT_B] = h->b, to[JN_SLOT_FEATURE] = h->feature;
        note_contact(sim, i, to, t_A, dt);
    }
    if (used > x->count) memset(slot + JN_SLOT * x->count, 0, (size_t)(JN_SLOT * (used - x->count)) * sizeof *slot);
}

void jn_nonsmooth_book_drivers(jn_sim *sim) {
    const jn_model *m = sim->m;
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER)
            sim->s->ledger.driven += sim->nonsmooth->impulse[i] * sim->w->speed[m->drivers[m->rows[i].item].handle];
}

/* Work of dampers, motors and drivers over the step. */
static void book_forces(jn_sim *sim, double dt) {
    jn_ledger_add(&sim->s->ledger, dt, &sim->w->power);
    jn_nonsmooth_book_drivers(sim);
}

/* ------------------------------------------------------------------------------------------------------ schemes */

static double change(const double *a, const double *b, int n) {
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]), now = fabs(b[i]);
        most = off > most ? off : most, size = now > size ? now : size;
    }
    return most / (size + 1e-3);
}

/* Whether the fixed point of the velocities is reached; or fails. x->velocity against the iterate before, in x->iterate. Changes
 * shrink by a constant factor, so that two of them tell the next. With contacts it is reached as well as their problem is
 * solved. */
static int judge(jn_sim *sim, int n, double *last, bool *done) {
    jn_nonsmooth *x = sim->nonsmooth;
    double now = change(x->velocity, x->iterate, sim->m->nv), noise = x->count ? 1e3 * sim->m->run.residual : 0;
    memcpy(x->iterate, x->velocity, (size_t)sim->m->nv * sizeof *x->iterate);
    bool stalls = now < fmax(1e-10, noise) && now > 0.5 * *last;
    *done = now < 1e-13 || stalls || (n > 0 && now < 1e-9 && now * now < 1e-13 * *last);
    bool fails = n > 8 && now > 2 * *last && now > noise;
    *last = now;
    if (!fails) return JN_OK;
    return jn_sim_fail(sim, JN_ERR_STEP, "the implicit step does not converge at t = %.9g s\ntake smaller steps",
                       sim->s->t);
}

/* State at a part of the way: velocity v, positions after `length` seconds of it. */
static void stand_at(jn_sim *sim, double weight, double length, double t) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    for (int i = 0; i < m->nv; i++) x->at->u[i] = weight * x->iterate[i] + (1 - weight) * sim->s->u[i];
    memcpy(x->at->q, sim->s->q, (size_t)m->nq * sizeof *x->at->q);
    jn_q_advance(m, x->at->q, x->at->u, length);
    x->at->t = t;
}

/* All terms at q_A + theta dt u with u = theta u_E + (1 - theta) u_A. The first iterate has u = u_A: with theta = 1/2 that is
 * Moreau's midpoint rule [Flores2010, eq. 36-44]; further ones make it the implicit midpoint rule, of second order where
 * nothing strikes. */
static int step_middle(jn_sim *sim, double dt, double theta, int most) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    double last = INFINITY;
    bool done = false;
    jn_closed closed = closed_at(sim, 0, (1 - theta) * dt);
    for (int n = 0; n < most && !done; n++) {
        stand_at(sim, n ? theta : 0, theta * dt, sim->s->t + theta * dt);
        jn_forces_at(sim, x->at);
        for (int i = 0; i < m->nv; i++) x->kick[i] = dt * sim->force[i];
        int status = JN_OK;
        if (n == 0) {
            status = choose(sim, &closed);
            if (status >= 0) jn_contact_set_guess(sim);
        } else {
            jn_contact_set_follow(sim);
        }
        if (status >= 0) status = solve_here(sim, dt);
        if (status >= 0) status = judge(sim, n, &last, &done);
        if (status < 0) return status;
    }
    if (most == 1) { /* q_E = q_M + dt/2 u_E, eq. 44 */
        memcpy(sim->s->q, x->at->q, (size_t)m->nq * sizeof *sim->s->q);
        jn_q_advance(m, sim->s->q, x->velocity, (1 - theta) * dt);
        return JN_OK;
    }
    stand_at(sim, theta, dt, sim->s->t + dt);
    memcpy(sim->s->q, x->at->q, (size_t)m->nq * sizeof *sim->s->q);
    return JN_OK;
}

/* h = theta h_E + (1 - theta) h_A; M and W at q_E = q_A + dt (theta u_E + (1 - theta) u_A) [Acary2008, 10.1]. The first of
 * several iterates takes all terms at the start, where they are known already. */
static int step_end(jn_sim *sim, double dt, double theta, int most) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    double last = INFINITY;
    bool done = false;
    jn_forces_at(sim, sim->s);
    memcpy(x->start_force, sim->force, (size_t)m->nv * sizeof *sim->force);
    jn_closed closed = closed_at(sim, 0.5 * dt, 0.5 * dt);
    int status = choose(sim, &closed);
    if (status < 0) return status;
    jn_contact_set_guess(sim);
    for (int n = 0; n < most && !done; n++) {
        if (n == 0 && most > 1) {
            stand_at(sim, 0, 0, sim->s->t);
        } else {
            stand_at(sim, theta, dt, sim->s->t + dt);
            memcpy(x->at->u, x->iterate, (size_t)m->nv * sizeof *x->iterate);
            jn_forces_at(sim, x->at);
            jn_contact_set_follow(sim);
        }
        for (int i = 0; i < m->nv; i++) x->kick[i] = dt * (theta * sim->force[i] + (1 - theta) * x->start_force[i]);
        status = solve_here(sim, dt);
        if (status >= 0) status = judge(sim, n, &last, &done);
        if (status < 0) return status;
    }
    stand_at(sim, theta, dt, sim->s->t + dt);
    memcpy(sim->s->q, x->at->q, (size_t)m->nq * sizeof *sim->s->q);
    return JN_OK;
}

static int take_step(jn_sim *sim, double dt) {
    const jn_run_desc *run = &sim->m->run;
    jn_nonsmooth *x = sim->nonsmooth;
    int most = run->iterations > 0 ? (int)run->iterations : x->steady ? 1 : MAX_ITERATIONS;
    memcpy(x->iterate, sim->s->u, (size_t)sim->m->nv * sizeof *x->iterate);
    if (run->scheme == JN_SCHEME_MOREAU_MIDPOINT) return step_middle(sim, dt, 0.5, 1);
    return run->terms == JN_TERMS_END ? step_end(sim, dt, run->theta, most) : step_middle(sim, dt, run->theta, most);
}

/* A step without the contacts that were open at its start; x->at is where it ends. */
static int try_step(jn_sim *sim, double dt, double theta, double *gap) {
    jn_nonsmooth *x = sim->nonsmooth;
    (void)theta;
    x->only_closed = true;
    memcpy(sim->before->q, sim->s->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    int status = take_step(sim, dt);
    x->only_closed = false;
    memcpy(x->at->q, sim->s->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    memcpy(sim->s->q, sim->before->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    if (status < 0) return status;
    jn_kinematics(sim->m, sim->w, x->at);
    status = jn_scan_update_work(sim->contacts->scan, sim->w, sim->contacts->margin);
    *gap = jn_instant_gap(sim);
    return status;
}

/* A step that ends where a contact closes, and strikes there [Studer2009]. Resting contacts are held on velocities; what leaves
 * is followed as long as its flight is longer than h-. */
static int take_adapted_step(jn_sim *sim, double *dt) {
    double least = fmin(*dt, jn_instant_shortest(sim)), gap;
    jn_kinematics(sim->m, sim->w, sim->s);
    int status = jn_instant_look(sim, 2 * sim->m->run.penetration, *dt);
    if (status < 0) return status;
    status = try_step(sim, *dt, 0, &gap);
    if (status >= 0 && gap < 0) status = jn_instant_find(sim, try_step, 0, least, dt, gap);
    if (status < 0) return status;
    if (*dt < least) { /* nearer than that: it falls into the step */
        status = take_step(sim, *dt = least);
        if (status >= 0) jn_contact_set_book(sim);
        return status;
    }
    memcpy(sim->s->q, sim->nonsmooth->at->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    jn_contact_set_book(sim);
    jn_nonsmooth *x = sim->nonsmooth;
    double lost = x->lost, closing = x->closing, spare = x->spare; /* the impact books its own */
    status = jn_instant_strike(sim, *dt);
    x->lost += lost, x->closing += closing, x->spare += spare;
    return status;
}

/* Energies and violations at the end of the step, for the audit; now and then, and where results are read. */
static void look(jn_sim *sim) {
    jn_kinematics(sim->m, sim->w, sim->s);
    if (sim->m->row_count) {
        jn_measure_all(sim->m, sim->w, sim->s);
        jn_constraint_rows(sim->m, sim->w, sim->s, JN_ROWS_POSITION);
    }
    jn_forces(sim->m, sim->w, sim->s);
    jn_audit_sample(sim, sim->s);
}

int jn_step_nonsmooth(jn_sim *sim, double t) {
    double end, dt = jn_fixed_step(sim, t, &end), start = sim->s->t;
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_run_desc *run = &sim->m->run;
    bool least = run->scheme == JN_SCHEME_LEAST_CONSTRAINT, adapts = run->adapt && run->scheme == JN_SCHEME_MOREAU_JEAN;
    double longest = dt;
    hide_forces(sim);
    int status = least ? jn_least_constraint_step(sim, &dt) : adapts ? take_adapted_step(sim, &dt) : take_step(sim, dt);
    if (status < 0) return status;
    if (dt < longest * (1 - 1e-6)) end = start + dt; /* no crumbs */
    for (int i = 0; i < sim->m->nv; i++)
        if (!isfinite(x->velocity[i]))
            return jn_sim_fail(sim, JN_ERR_NUMERIC, "the velocities are not finite at t = %.9g s\ntake smaller steps",
                               start);
    if (!least && !adapts) jn_contact_set_book(sim);
    book_forces(sim, dt);
    sum_up(sim, dt);
    note_contacts(sim, start, dt);
    memcpy(sim->s->u, x->velocity, (size_t)sim->m->nv * sizeof *sim->s->u);
    sim->s->t = end;
    jn_contact_take_gain(sim);
    status = jn_settle(sim);
    if (status >= 0 && x->count && pushes_apart(sim)) status = jn_contact_push_apart(sim);
    if (status >= 0 && sim->audit.steps % 16 == 0) look(sim);
    sim->w->contact = show_forces, sim->w->contact_context = x;
    return status;
}
