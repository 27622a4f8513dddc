/* The closed contacts of a step: which, and the problem that they pose. */
#include "step/nonsmooth/nonsmooth.h"

#include "proximity/detection.h"
#include "reaction/solvers/solvers.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------ the set */

void jn_contact_sort_features(jn_contact_point *h, int n) {
    for (int i = 1; i < n; i++) {
        if (h[i - 1].feature <= h[i].feature) continue;
        jn_contact_point x = h[i];
        int j = i;
        for (; j > 0 && h[j - 1].feature > x.feature; j--) h[j] = h[j - 1];
        h[j] = x;
    }
}

/* The rollers of an omni wheel let it slide along its axis: friction has the direction alone in which it rolls, and the other
 * row is none. */
void jn_contact_point_tangents(const jn_sim *sim, jn_contact_point *h) {
    const jn_contact_desc *row = &sim->m->contacts[h->row];
    jn_geometry_tangents(&h->geometry, sim->m->planar, h->t);
    if (!row->rolls) return;
    jn_vec3 along = v3_cross(m3_mul_v(&sim->w->link[sim->m->bodies[row->body[1]].link].R, row->roll), h->geometry.n);
    double size = v3_norm(along);
    if (size > JN_CONTACT_ROLL_LEAST) h->t[0] = v3_scale(1 / size, along);
    h->t[1] = v3(0, 0, 0);
}

/* How far collision detection reaches: what moves fastest may close this gap. Steps of a factor of two, so that the list of
 * pairs is kept. */
double jn_contact_margin(const jn_sim *sim, double ahead) {
    double most = 0, margin = sim->contacts->margin;
    if (!(margin < JN_CONTACT_MARGIN_ALL)) return margin;
    for (int i = 1; i < sim->m->link_count; i++) {
        const jn_twist *V = &sim->w->link[i].V;
        most = jn_max(most, v3_dot(V->v, V->v));
    }
    for (double need = JN_CONTACT_MARGIN_STEPS * ahead * sqrt(most); margin < need;) margin *= 2;
    return margin;
}

int jn_contacts_detect(jn_sim *sim, double ahead, double thrown) {
    double least = sim->contacts->margin;
    while (least < thrown) least *= 2;
    return jn_detection_update_moving(sim->contacts->detection, sim->w, jn_contact_margin(sim, ahead), least,
                                      JN_CONTACT_MARGIN_STEPS * fabs(ahead), NULL);
}

int jn_contact_set_check_room(jn_sim *sim, int more) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    if (set->count + more <= set->room) return JN_OK;
    return jn_sim_fail(sim, JN_ERR_LIMIT,
                       "there are more contact points at t = %.9g s than there is room for\nleave pairs out with "
                       "groups, or use fewer shapes",
                       sim->s->t);
}

void jn_positions_locate(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_kinematics(m, sim->w, sim->s);
    if (m->row_count + m->actuator_count + m->signal_count + m->stop_count) jn_measure_all(m, sim->w, sim->s);
    if (m->row_count) jn_constraint_rows(m, sim->w, sim->s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
}

static jn_vec3 point_velocity(const jn_sim *sim, int link, const jn_twist *V, jn_vec3 point) {
    if (!link) return v3(0, 0, 0);
    return tw_shift(*V, v3_sub(point, sim->w->link[link].O)).v;
}

/* Rate of a gap with velocities VA and VB of the links A and B. */
static double gap_rate(const jn_sim *sim, const jn_contact_geometry *t, int A, const jn_twist *VA, int B,
                       const jn_twist *VB) {
    return v3_dot(v3_sub(point_velocity(sim, B, VB, t->pB), point_velocity(sim, A, VA, t->pA)), t->n);
}

/* Slip in the contact's tangents. */
static void take_slip(const jn_sim *sim, jn_contact_point *h, int A, const jn_twist *VA, int B, const jn_twist *VB) {
    const jn_link_motion *link = sim->w->link;
    jn_relative_motion motion = jn_geometry_motion(&h->geometry, link[A].O, *VA, link[B].O, *VB);
    if (sim->m->surfaces_move)
        motion.slip = v3_add(motion.slip,
                             jn_surface_motion(sim->m, link, h->a, h->b, jn_contact_point_place(h), h->geometry.n).v);
    for (int r = 0; r < 2; r++) h->slip[r] = v3_dot(h->t[r], motion.slip);
}

int jn_contact_set_choose(jn_contact_set *set, jn_sim *sim, const jn_closed *closed) {
    jn_contacts *c = sim->contacts;
    const jn_model *m = sim->m;
    int status = jn_detection_update_work(c->detection, sim->w, jn_contact_margin(sim, closed->ahead));
    if (status < 0)
        return jn_sim_fail(sim, status,
                           "more pairs of shapes are in reach of each other at t = %.9g s than there is room for\n"
                           "leave pairs out with groups, or use fewer shapes",
                           sim->s->t);
    jn_seams_pass(sim);
    set->count = set->dry = 0;
    bool rough = false;
    double most = jn_max(closed->gap, closed->kept);
    if (closed->back > 0) jn_velocities_of(m, sim->w, sim->s->u, set->start_V);
    const jn_solid_pair *pairs = jn_detection_pair(c->detection, 0);
    const jn_contact_geometry *points = jn_detection_contact(c->detection, 0);
    for (int p = 0, n = jn_detection_pairs(c->detection); p < n; p++) {
        const jn_solid_pair *pair = pairs + p;
        int row = -1, first = set->count, A = m->solids[pair->a].link, B = m->solids[pair->b].link;
        const jn_twist *VA = &sim->w->link[A].V, *VB = &sim->w->link[B].V;
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = points + k;
            double gap = point->gap, rate = gap_rate(sim, point, A, VA, B, VB);
            if (closed->back > 0) { /* those that the velocities at the start of the step lead to */
                double start = gap_rate(sim, point, A, &set->start_V[A], B, &set->start_V[B]);
                gap += closed->back * (start - rate), rate = start;
            }
            if (gap + closed->ahead * rate > most) continue;
            const jn_contact_state *cached = jn_contact_cache_find(sim->s, pair->a, pair->b, point->feature);
            if (gap + closed->ahead * rate > closed->gap && !cached) continue;
            if (set->count == set->room)
                return jn_sim_fail(sim, JN_ERR_LIMIT,
                                   "there are more contact points at t = %.9g s than there is room for", sim->s->t);
            if (row < 0) row = jn_pair_row(m, pair);
            jn_contact_point *h = &set->point[set->count++];
            jn_contact_point_begin(h, pair, point->feature, row, A, B);
            jn_contact_point_take(h, point);
            h->gap = gap, h->approach = rate;
            h->is_new = !cached, h->cached = cached ? (int)(cached - sim->s->contact) : -1;
            jn_contact_point_tangents(sim, h);
            bool back = closed->back > 0;
            take_slip(sim, h, A, back ? &set->start_V[A] : VA, B, back ? &set->start_V[B] : VB);
            rough |= m->contacts[row].friction > 0;
        }
        if (set->count > first + 1) jn_contact_sort_features(set->point + first, set->count - first);
    }
    set->dimension = !rough ? 1 : m->planar ? 2 : 3;
    return m->stop_count ? jn_stops_choose(sim, closed) : JN_OK;
}

const jn_contact_geometry *jn_contact_point_find(const jn_sim *sim, const jn_contact_point *h) {
    const jn_detection *detection = sim->contacts->detection;
    const jn_solid_pair *pair = jn_detection_find_from(detection, sim->contacts->last_found, h->a, h->b);
    if (pair) sim->contacts->last_found = (int)(pair - jn_detection_pair(detection, 0));
    for (int k = 0; pair && k < pair->count; k++) {
        const jn_contact_geometry *point = jn_detection_contact(detection, pair->first + k);
        if (point->feature == h->feature) return point;
    }
    return NULL;
}

bool jn_contact_point_follow(const jn_sim *sim, jn_contact_point *h) {
    const jn_contact_geometry *point = jn_contact_point_find(sim, h);
    if (point) jn_contact_point_take(h, point);
    return point;
}

void jn_contact_set_follow(jn_contact_set *set, jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    if (set->count == 0) return;
    jn_detection_update_work(c->detection, sim->w, jn_contact_margin(sim, sim->m->run.step));
    for (int i = 0; i < set->count; i++) {
        jn_contact_point *h = &set->point[i];
        if (jn_stop_is(sim->m, h)) jn_stop_follow(sim, h);
        if (!jn_pair_is(sim->m, h)) continue;
        if (!jn_contact_point_follow(sim, h)) jn_seams_follow(sim, h);
        jn_contact_point_tangents(sim, h);
    }
}

/* -------------------------------------------------------------------------------------------------- the problem */

double jn_contact_set_residual(const jn_sim *sim) {
    return sim->m->run.residual > 0 ? sim->m->run.residual : JN_CONTACT_RESIDUAL;
}

/* Whether impulses are so large that they cancel each other but for round-off: their problem has no solution. */
static bool is_boundless(const jn_contact_set *set) {
    int d = set->dimension;
    double most = 0, size = 0;
    for (int i = 0; i < set->count; i++) {
        most = jn_max(most, jn_contact_mobility(set, i, 0) * set->p[i * d]), size = jn_max(size, fabs(set->q[i * d]));
    }
    return most > JN_IMPULSES_BOUNDLESS * size;
}

/* [m/s] error of a problem that says that it has no solution: a part of the fastest approach. */
static double large_error(const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double fastest = 0;
    for (int i = 0; i < set->count - set->dry; i++) fastest = jn_max(fastest, -set->q[i * set->dimension]);
    return jn_max(JN_CONTACT_UNMET_RESIDUALS * jn_contact_set_residual(sim), JN_CONTACT_UNMET * jn_min(1, fastest));
}

int jn_contact_set_fail_driven(jn_sim *sim, int i) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    bool stop = jn_stop_is(sim->m, h);
    return jn_sim_fail(sim, JN_ERR_NUMERIC,
                       "a driver and the contacts cannot both be met at t = %.9g s: it presses %s%s '%.64s'\nend its "
                       "motion before, or drive with a motor that has a largest force",
                       sim->s->t, stop ? "against the stop of " : "bodies into each other at contact",
                       stop ? jn_stop_kind(&sim->m->stops[h->a - sim->m->solid_count]) : "",
                       jn_contact_point_name(sim->m, h));
}

static int find_most_loaded(const jn_contact_set *set) {
    int most = 0;
    for (int i = 1; i < set->count - set->dry; i++)
        if (set->p[i * set->dimension] > set->p[most * set->dimension]) most = i;
    return most;
}

/* Contacts of islands that sleep have no part in the problem: they are open in it, and keep their impulses in set->u meanwhile. */
static void leave_out_asleep(jn_contact_set *set) {
    int d = set->dimension;
    for (int i = 0; i < set->count && set->some_asleep; i++) {
        if (!set->point[i].asleep) continue;
        memcpy(set->u + i * d, set->p + i * d, (size_t)d * sizeof *set->u);
        memset(set->p + i * d, 0, (size_t)d * sizeof *set->p);
        set->q[i * d] = 1;
    }
}

static void take_back_asleep(jn_contact_set *set) {
    int d = set->dimension;
    for (int i = 0; i < set->count && set->some_asleep; i++)
        if (set->point[i].asleep) memcpy(set->p + i * d, set->u + i * d, (size_t)d * sizeof *set->p);
}

int jn_contact_set_solve(jn_contact_set *set, jn_sim *sim) {
    bool values = !set->is_round || set->has_values;
    jn_contact_rows V = {set->start, set->dof_of, values ? set->V : NULL};
    jn_contact_rows Y = {set->start, set->dof_of, values ? set->Y : NULL};
    jn_problem problem = {.dimension = set->dimension,
                          .contacts = set->count,
                          .velocities = sim->m->nv + set->dry,
                          .mu = set->mu,
                          .q = set->q,
                          .H = &V,
                          .Y = &Y,
                          .round = set->is_round ? set->round : NULL,
                          .compliance = set->some_comply ? set->compliance : NULL};
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    const jn_solver_info *solver = set->solve.solver;
    settings.speed = jn_contact_set_residual(sim), settings.keep = set->solve.keep;
    if (set->dry && !sim->nonsmooth->leapfrog) settings.speed = jn_min(settings.speed, JN_CONTACT_RESIDUAL_DRY);
    settings.room = set->solve.scratch_size, settings.pool = sim->pool;
    if (set->solve.keep && set->solve.unsolved && set->count > JN_CONTACT_LARGE)
        settings.iterations =
            JN_CONTACT_SWEEPS_AGAIN; /* nearly the same problem, from what a long solution has left of it */
    if (set->count > JN_CONTACT_LARGE &&
        jn_solve_scratch(&problem, jn_solver_find("gauss_seidel")) > set->solve.scratch_size) /* fewer have room */
        return jn_sim_fail(sim, JN_ERR_LIMIT, "the contact problem at t = %.9g s needs more memory than there is",
                           sim->s->t);
    leave_out_asleep(set);
    double *hold = set->solve.certain ? set->hold : NULL;
    int status = jn_solve_judged(&problem, solver, &settings, sim->problem_sink != NULL, set->solve.scratch, set->p,
                                 hold, &result);
    take_back_asleep(set);
    if (status < 0)
        return jn_sim_fail(sim, status, "solver '%s' cannot take the contact problem at t = %.9g s\nleave 'solver' out",
                           solver ? solver->name : "auto", sim->s->t);
    set->solve.speed_error = result.speed_error;
    if (!set->solve.uncounted)
        sim->audit.contact_speed_error = jn_max(sim->audit.contact_speed_error, set->solve.speed_error);
    if (sim->problem_sink && (result.tried > 1 || status == JN_NOT_CONVERGED))
        sim->problem_sink(sim->problem_context, sim->s->t, &problem, set->p, &result);
    bool unmet = status == JN_NOT_CONVERGED && result.speed_error > large_error(sim);
    if (sim->m->driver_count && (unmet || is_boundless(set))) return jn_contact_set_fail_driven(sim, find_most_loaded(set));
    set->solve.unsolved = status == JN_NOT_CONVERGED && set->solve.speed_error > jn_contact_set_residual(sim);
    sim->audit.unsolved += set->solve.unsolved && !set->solve.uncounted;
    sim->audit.fallbacks += result.tried > 1;
    sim->audit.solver_iterations += result.iterations;
    return JN_OK;
}
