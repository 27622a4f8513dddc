/* Work space of the nonsmooth method: groups of bodies, memory, and what a run must be. */
#include "base/components.h"
#include "proximity/detection.h"
#include "step/nonsmooth/leapfrog.h"
#include "step/nonsmooth/moreau.h"
#include "step/start/start_tolerances.h"

#include "base/memory.h"
#include <string.h>

static void tie(void *links, int a, int b) {
    if (a && b) jn_component_join(links, a, b);
}

static int root_of(const jn_model *m, int link) {
    while (m->links[link].parent) link = m->links[link].parent;
    return link;
}

static void mark_tied(void *nonsmooth, int a, int b) {
    jn_nonsmooth *x = nonsmooth;
    if (a) x->groups.group[x->groups.of[a]].tied = true;
    if (b) x->groups.group[x->groups.of[b]].tied = true;
}

/* Calls tie for the trees that a tendon ties together. */
static void tendon_pairs(const jn_model *m, void (*tie_pair)(void *, int, int), void *context) {
    for (int i = 0; i < m->tendon_count; i++) {
        const jn_handle *h = &m->handles[m->tendons[i].handle];
        for (int p = h->cols + 1; p < h->cols + h->count; p++) {
            int a = m->dof_link[m->row_cols[p - 1]], b = m->dof_link[m->row_cols[p]];
            if (root_of(m, a) != root_of(m, b)) tie_pair(context, a, b);
        }
    }
}

/* Which groups their contact problem knows by the velocities D^1/2 L u. */
static void normalise(const jn_model *m, jn_nonsmooth *x, int groups) {
    x->groups.any_normalised = x->groups.any_tied = false, x->groups.all_normalised = true;
    for (int g = 0; g < groups; g++) {
        jn_group *G = &x->groups.group[g];
        bool tree = G->count && (G->held || !m->links[m->dof_link[x->groups.dof[G->first]]].alone);
        G->tied |= tree && m->sparse_kkt; /* there is no factor of M alone */
        G->held &= !G->tied;
        G->normalised = tree && !G->tied;
        x->groups.any_tied |= G->tied, x->groups.any_normalised |= G->normalised,
            x->groups.all_normalised &= !G->count || G->normalised;
    }
}

/* Whether the contact problem may leave out the motions that constraint rows forbid: they are few and independent. */
static bool has_independent_rows(jn_sim *sim) {
    const jn_model *m = sim->m;
    if (m->row_count == 0 || m->sparse_kkt || !m->has_M || m->run.method != JN_METHOD_NONSMOOTH) return false;
    jn_kinematics(m, sim->w, sim->s);
    jn_constraint_rows(m, sim->w, sim->s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    return jn_kkt_factor(m, sim->w) >= 0 && sim->w->rank == m->row_count;
}

/* The same moment of inertia about every axis. */
static bool has_round_inertia(const jn_sym3 *inverse) {
    double off = jn_max(fabs(inverse->xy), jn_max(fabs(inverse->xz), fabs(inverse->yz)));
    off = jn_max(off, jn_max(fabs(inverse->xx - inverse->yy), fabs(inverse->xx - inverse->zz)));
    return off <= JN_CONTACT_ROUND_REL * inverse->xx;
}

/* Trees that constraint rows, tendons or stiff elements tie together are one group. */
static void find_groups(const jn_sim *sim, jn_nonsmooth *x) {
    const jn_model *m = sim->m;
    int *up = x->groups.of, groups = 0, place = 0;
    for (int i = 0; i < m->link_count; i++) up[i] = i;
    for (int i = 1; i < m->link_count; i++)
        if (m->links[i].parent) jn_component_join(up, i, m->links[i].parent);
    for (int r = 0; r < m->row_count; r++)
        for (int p = m->rows[r].first + 1; p < m->rows[r].first + m->rows[r].count; p++)
            jn_component_join(up, m->dof_link[m->row_cols[p]], m->dof_link[m->row_cols[p - 1]]);
    jn_stiff_pairs(sim, x->stiff, tie, up);
    tendon_pairs(m, tie, up);
    for (int i = 1; i < m->link_count; i++) up[i] = jn_component_root(up, i);
    for (int i = 1; i < m->link_count; i++) /* numbers in place of roots, from -1 down */
        if (up[i] == i) up[i] = -1 - groups++;
    for (int i = 1; i < m->link_count; i++)
        if (up[i] > 0) up[i] = up[up[i]];
    for (int i = 1; i < m->link_count; i++) up[i] = -1 - up[i];
    x->groups.count = groups;
    for (int k = 0; k < m->nv; k++) x->groups.group[up[m->dof_link[k]]].count++;
    for (int g = 0; g < groups; g++) {
        x->groups.group[g].first = place;
        place += x->groups.group[g].count, x->groups.group[g].count = 0;
    }
    for (int k = 0; k < m->nv; k++) {
        jn_group *g = &x->groups.group[up[m->dof_link[k]]];
        x->groups.dof[g->first + g->count++] = k;
    }
    for (int r = 0; r < m->row_count; r++)
        for (int p = m->rows[r].first; p < m->rows[r].first + m->rows[r].count; p++) {
            jn_group *g = &x->groups.group[x->groups.of[m->dof_link[m->row_cols[p]]]];
            g->held = x->groups.independent, g->tied = !g->held;
        }
    jn_stiff_pairs(sim, x->stiff, mark_tied, x);
    tendon_pairs(m, mark_tied, x);
    normalise(m, x, groups);
    for (int i = 1; i < m->link_count; i++) {
        jn_group *g = &x->groups.group[x->groups.of[i]];
        g->round = m->links[i].alone && !g->tied && !g->held && has_round_inertia(&m->links[i].inverse);
    }
    for (int r = 0; r < m->row_count; r++)
        if (m->rows[r].type == JN_ROW_DRIVER && m->rows[r].count)
            x->groups.group[x->groups.of[m->dof_link[m->row_cols[m->rows[r].first]]]].driven = true;
}

static void find_kind(const jn_model *m, jn_nonsmooth *x) {
    x->groups.plain = m->row_count == 0;
    for (int i = 1; i < m->link_count; i++) x->groups.plain &= m->links[i].alone;
}

static void *take(char **at, size_t count, size_t size) {
    void *out = *at;
    *at = (char *)((uintptr_t)*at + (count * size + 63) / 64 * 64); /* of no block too: it is measured then */
    return out;
}

/* Hands out the parts of one block; returns its size. With base NULL only measures. */
static size_t lay_out(jn_nonsmooth *x, const jn_model *m, char *base) {
    char *at = base;
    size_t room = (size_t)x->set.room, links = (size_t)m->link_count, rows = (size_t)m->row_count + 1;
    size_t nv = (size_t)(m->nv + m->dry_count) + 1; /* with those that bear the bounds of dry friction */
    x->set.point = take(&at, room, sizeof *x->set.point);
    x->set.start = take(&at, room + 1, sizeof(int)), x->set.from = take(&at, room, sizeof(int));
    x->set.dof_of = take(&at, (size_t)x->set.entries, sizeof(int));
    size_t numbers = 3 * (size_t)x->set.entries + 1; /* rows are read and written by fours */
    x->set.H = take(&at, numbers, sizeof(double)), x->set.Y = take(&at, numbers, sizeof(double));
    x->set.V = !x->groups.any_normalised  ? x->set.H
               : x->groups.all_normalised ? x->set.Y
                                          : take(&at, numbers, sizeof(double));
    x->set.round = take(&at, room, sizeof *x->set.round);
    x->set.rows = take(&at, nv, sizeof *x->set.rows);
    x->set.mu = take(&at, room, sizeof(double)), x->set.compliance = take(&at, room, sizeof(double));
    double **vectors[] = {&x->set.q, &x->set.p, &x->set.u, &x->set.before, &x->set.hold};
    for (int k = 0; k < 5; k++) *vectors[k] = take(&at, 3 * room, sizeof(double));
    x->set.surface = m->surfaces_move ? take(&at, 3 * room, sizeof(double)) : NULL;
    x->groups.of = take(&at, links, sizeof(int));
    x->groups.group = take(&at, links, sizeof *x->groups.group);
    x->groups.dof = take(&at, nv, sizeof(int));
    x->groups.island = take(&at, links, sizeof(int));
    x->load = take(&at, links, sizeof *x->load);
    x->dry_force = take(&at, (size_t)m->dry_count, sizeof(double));
    x->set.dry_mobility = take(&at, (size_t)m->dry_count, sizeof(double));
    x->set.start_V = take(&at, links, sizeof *x->set.start_V);
    double **velocities[] = {&x->velocity, &x->free, &x->applied, &x->row, &x->groups.inverse_root};
    for (int k = 0; k < 5; k++) *velocities[k] = take(&at, nv, sizeof(double));
    x->some = take(&at, 3 * JN_KKT_LANES * nv, sizeof(double));
    x->impulse = take(&at, rows, sizeof(double));
    x->groups.basis = take(&at, x->groups.independent ? rows * nv : 0, sizeof(double));
    x->set.next = take(&at, room, sizeof *x->set.next), x->set.gone = take(&at, room, sizeof *x->set.gone);
    x->set.reports = take(&at, room, sizeof *x->set.reports);
    x->set.solve.scratch = take(&at, x->set.solve.scratch_size, 1);
    return (size_t)(at - base);
}

double jn_smallest_shape(const jn_model *m) {
    double least = INFINITY;
    for (int i = 0; i < m->solid_count; i++) {
        jn_vec3 side = v3_sub(m->solids[i].upper, m->solids[i].lower);
        if (!m->solids[i].link) continue;
        for (int k = 0; k < (m->planar ? 2 : 3); k++)
            if (v3_get(side, k) > 0) least = jn_min(least, 0.5 * v3_get(side, k));
    }
    return least < INFINITY ? least : 1;
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

/* A key's place; the file's beginning if the value came from a program. */
static jn_where place_of(const jn_model *m, jn_where where) {
    return where.line > 0 ? where : (jn_where){m->file, 1, 1};
}

/* Keys of other methods, by name. */
static void warn_idle(const jn_model *m, jn_report *report) {
    const struct {
        jn_where where;
        const char *path, *text;
    } idle[] = {
        {m->run.integrator_where, "run.integrator", "'integrator' has no effect with method nonsmooth"},
        {m->run.max_step_where, "run.max_step", "'max_step' has no effect with method nonsmooth"},
        {m->run.contact_start_where, "run.contact_start", "'contact_start' has no effect with method nonsmooth"},
        {m->run.impact_steps_where, "run.impact_steps", "'impact_steps' has no effect with method nonsmooth"},
    };
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
        if (idle[k].where.line > 0)
            jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, idle[k].where, idle[k].path,
                          "%s\nwrite 'scheme' and 'step', or remove it", idle[k].text);
}

/* Mechanisms, discs and other schemes are rigid. */
static void warn_idle_compliance(const jn_sim *sim, jn_report *report) {
    const jn_run_desc *run = &sim->m->run;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (run->compliance_where.line == 0 || !(run->compliance > 0) || (x && x->pile > 0)) return;
    jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, run->compliance_where, "run.compliance",
                  "'compliance' has no effect here: contacts of balls give way by scheme momentum_leapfrog, in space, in models with "
                  "more than %d that move freely\nremove it",
                  JN_LEAPFROG_PILE);
}

/* Only the leapfrog tells sticking from sliding before it solves. */
static int check_static_friction(const jn_model *m, jn_report *report) {
    if (m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG) return JN_OK;
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_desc *c = &m->contacts[i];
        if (c->stick > c->friction && c->friction > 0)
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, c->where, c->name,
                                 "this scheme has one coefficient of friction, but static is %g and dynamic %g\nwrite "
                                 "'scheme: momentum_leapfrog', or leave 'static' out",
                                 c->stick, c->friction);
    }
    return JN_OK;
}

static int check_run(const jn_model *m, const jn_contact_set *set, jn_report *report) {
    const jn_run_desc *run = &m->run;
    warn_idle(m, report);
    if (check_static_friction(m, report) < 0) return JN_ERR_MODEL;
    if (run->solver && !set->solve.solver)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place_of(m, run->solver_where), "run.solver",
                             "there is no solver '%s'\nsee 'jounce solve --list' for those there are", run->solver);
    if (run->adapt && run->scheme == JN_SCHEME_MOREAU_MIDPOINT)
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, place_of(m, run->adapt_where), "run.adapt",
                      "moreau_midpoint does not adapt its steps\nwrite 'scheme: moreau_jean'");
    if (run->order != 2 && run->order != 4 && run->order != 6)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, (jn_where){m->file, 1, 1}, "run.order",
                             "'order' is 2, 4 or 6, not %g\nwrite 'order: 4'", run->order);
    if (run->theta < 0.5 || run->theta > 1)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place_of(m, run->theta_where), "run.theta",
                             "'theta' lies between 0.5 and 1, not at %g\nwrite 'theta: 0.5'", run->theta);
    return JN_OK;
}

/* Bodies may be drawn touching to the digits that people write; what overlaps deeper is a mistake. */
static int check_start(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    const jn_detection *detection = sim->contacts->detection;
    double allowed = jn_max(JN_DRAWN_OVERLAP, m->run.penetration);
    jn_kinematics(m, sim->w, sim->s);
    jn_measure_all(m, sim->w, sim->s);
    for (int k = 0; k < m->stop_count; k++) {
        double q = sim->w->position[m->stops[k].handle], outside = jn_max(m->stops[k].lower - q, q - m->stops[k].upper);
        if (outside > JN_OUTSIDE_STOP)
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, jn_stop_where(m, &m->stops[k]), NULL,
                                 "%s '%s' starts at %.6g, outside its stops\nset %s between %.6g and %.6g",
                                 jn_stop_kind(&m->stops[k]), jn_stop_name(m, &m->stops[k]), q,
                                 m->stops[k].joint < 0 ? "'position' of its joints, so that it lies" : "its 'position'",
                                 m->stops[k].lower, m->stops[k].upper);
    }
    int status = jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    for (int p = 0; p < jn_detection_pairs(detection) && status >= 0; p++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, p);
        const jn_contact_desc *row = &m->contacts[jn_model_contact_of(m, pair->a, pair->b)];
        double deepest = 0;
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            double depth = -jn_detection_contact(detection, k)->gap;
            deepest = jn_max(deepest, depth);
            if (depth > allowed)
                return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, row->where, NULL,
                                     "bodies '%s' and '%s' overlap by %.3g m at the start\ndraw them apart, or "
                                     "touching; if they are never to touch, put "
                                     "them in 'no_contact' or their shapes in one 'group'; 'overlaps: ignore' lets pairs that overlap never touch, and lifts free "
                                     "bodies out of the ground",
                                     m->bodies[m->solids[pair->a].body].name, m->bodies[m->solids[pair->b].body].name,
                                     depth);
        }
        sim->audit.drawn_overlap += deepest;
    }
    if (status >= 0) jn_nonsmooth_note_gaps(sim); /* the first row of a series has them */
    return status < 0 ? status : JN_OK;
}

int jn_nonsmooth_create(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    jn_nonsmooth head = {.set = {.room = m->contact_room, .entries = 1, .solve.scratch_size = (size_t)4 << 20}};
    head.set.solve.solver = m->run.solver ? jn_solver_find(m->run.solver) : NULL;
    int status = m->run.method == JN_METHOD_NONSMOOTH ? check_run(m, &head.set, report)
                                                      : JN_OK; /* impact keeps its contacts here */
    if (status < 0) return status;
    sim->w->dry_rows = m->dry_count > 0;
    head.groups.independent = has_independent_rows(sim);
    size_t solids = (size_t)(m->solid_count + m->dry_count) * ((size_t)64 << 10);
    size_t contacts = (size_t)m->contact_room * ((size_t)4 << 10); /* sweeps need 2.7 KiB of each, judging them some more; what is not used takes no memory */
    head.set.solve.scratch_size += solids > contacts ? solids : contacts;
    char *first = jn_malloc(lay_out(&head, m, NULL) + sizeof head); /* to count the groups */
    if (!first) return JN_ERR_MEMORY;
    if ((status = jn_stiff_create(sim, head.groups.independent, &head.stiff)) < 0) {
        jn_free(first);
        return status;
    }
    lay_out(&head, m, first);
    memset(head.groups.group, 0, (size_t)m->link_count * sizeof *head.groups.group);
    find_groups(sim, &head);
    head.set.widest = most_entries(m, head.groups.group) + (m->dry_count > 0);
    head.set.entries = head.set.widest * head.set.room;
    if (head.set.entries > 1 << 26) head.set.entries = 1 << 26;
    jn_free(first);
    size_t size = lay_out(&head, m, NULL);
    char *block = jn_malloc(sizeof head + size + 64);
    if (!block) {
        jn_stiff_free(head.stiff);
        return JN_ERR_MEMORY;
    }
    jn_nonsmooth *x = sim->nonsmooth = (jn_nonsmooth *)(void *)block;
    *x = head;
    lay_out(x, m, (char *)(((uintptr_t)(block + sizeof head) + 63) & ~(uintptr_t)63)); /* vectors want whole lines */
    memset(x->groups.group, 0, (size_t)m->link_count * sizeof *x->groups.group);
    memset(x->set.point, 0, (size_t)x->set.room * sizeof *x->set.point); /* curvatures stay so: checkpoints have them */
    memset(x->row, 0, (size_t)(m->nv + 1) * sizeof *x->row);
    memset(x->set.rows, 0, (size_t)(m->nv + 1) * sizeof *x->set.rows);
    find_groups(sim, x);
    find_kind(m, x);
    jn_islands_create(sim);
    x->gravity = v3_norm(m->gravity);
    jn_detection_curvatures(sim->contacts->detection, false);
    jn_detection_rocks(sim->contacts->detection, m->run.method == JN_METHOD_IMPACT);
    jn_nonsmooth_restart(sim);
    x->at = jn_state_create_scratch(m);
    if (m->run.method == JN_METHOD_NONSMOOTH)
        status = m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG ? jn_leapfrog_create(sim) : jn_moreau_create(sim);
    if (status < 0) return status;
    if (x->moreau) jn_moreau_warn_explicit(sim, report);
    if (m->run.method == JN_METHOD_NONSMOOTH) warn_idle_compliance(sim, report);
    return x->at ? check_start(sim, report) : JN_ERR_MEMORY;
}

void jn_nonsmooth_free(jn_nonsmooth *x) {
    if (!x) return;
    jn_state_free(x->at);
    jn_stiff_free(x->stiff);
    jn_leapfrog_free(x->leapfrog);
    jn_moreau_free(x->moreau);
    jn_free(x);
}
