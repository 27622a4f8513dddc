/* Closed contacts as constraints on accelerations:
 *
 *     W f + b = a,   a_N = 0,   stick: a_T = 0,   slide: f_T = -mu_d f_N v_T / |v_T|          [Rodriguez2014, eq. 2.1-2.2]
 *
 * b holds the accelerations without contact forces and those of the points on their surfaces, d(H)/dt u, which are taken as a
 * central difference of H u along the motion: right for every pair of shapes. */
#include "algebra/elementary.h"
#include "step/impact/impact_method.h"

#include "proximity/narrow.h"
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/shared_velocities.h"
#include <string.h>

/* ------------------------------------------------------------------------------------------------ contact points */

static jn_pose pose_of(const jn_sim *sim, int solid) {
    const jn_link_motion *L = &sim->w->link[sim->m->solids[solid].link];
    return (jn_pose){L->O, L->R};
}

int jn_impact_pair_points(const jn_sim *sim, int a, int b, const jn_pose X[2], double margin, const jn_pair_cache *warm,
                          jn_contact_geometry out[JN_MANIFOLD_MAX]) {
    const jn_solid *A = &sim->m->solids[a], *B = &sim->m->solids[b];
    jn_convex first = {.s = A, .X = pose_mul(&X[0], &A->local)}, second = {.s = B, .X = pose_mul(&X[1], &B->local)};
    jn_pair_cache cache = warm ? *warm : (jn_pair_cache){0};
    return jn_pair_points(&first, &second, margin, (jn_point_detail){.rocks = true}, &cache, out);
}

typedef struct jn_points_of_pair {
    int a, b, count;
    jn_contact_geometry point[JN_MANIFOLD_MAX];
} jn_points_of_pair;

/* The contact point of a closed contact at the poses of the work space; NULL where its feature is gone, or on another side of a corner. */
static const jn_contact_geometry *find_point(jn_sim *sim, const jn_contact_point *h, jn_points_of_pair *pair) {
    if (pair->a != h->a || pair->b != h->b) {
        const jn_solid_pair *found = jn_detection_find(sim->contacts->detection, h->a, h->b);
        jn_pose X[2] = {pose_of(sim, h->a), pose_of(sim, h->b)};
        pair->a = h->a, pair->b = h->b;
        pair->count =
            jn_impact_pair_points(sim, h->a, h->b, X, sim->contacts->margin, found ? &found->cache : NULL, pair->point);
    }
    for (int k = 0; k < pair->count; k++)
        if (pair->point[k].feature == h->feature)
            return v3_dot(pair->point[k].n, h->geometry.n) > JN_FORCES_SAME_SIDE ? &pair->point[k] : NULL;
    return NULL;
}

static jn_relative_motion motion_of(const jn_sim *sim, const jn_contact_point *h, const jn_contact_geometry *point) {
    const jn_link_motion *A = &sim->w->link[sim->m->solids[h->a].link], *B = &sim->w->link[sim->m->solids[h->b].link];
    jn_relative_motion motion = jn_geometry_motion(point, A->O, A->V, B->O, B->V);
    if (!sim->m->surfaces_move) return motion;
    jn_vec3 place = jn_contact_place(h->link[0], h->link[1], point), v = jn_surface_motion(sim->m, sim->w->link, h->a, h->b, place, point->n).v;
    motion.v = v3_add(motion.v, v), motion.slip = v3_add(motion.slip, v);
    return motion;
}

void jn_unilateral_slips(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++) {
        jn_relative_motion v = motion_of(sim, &set->point[i], &set->point[i].geometry);
        set->point[i].approach = v.gap_rate;
        jn_vec3 along = set->point[i].t[0]; /* the rollers of an omni wheel slip freely aside */
        bool rolls = sim->m->contacts[set->point[i].row].rolls;
        sim->impact->unilateral[i].slip = rolls ? v3_scale(v3_dot(v.slip, along), along) : v.slip;
    }
}

/* ----------------------------------------------------------------------------------------------------------- bias */

/* [s] over which the motion turns or shifts the contacts by JN_BIAS_SHIFT_REL of their size; 0: there is no motion. */
static double difference_time(const jn_sim *sim) {
    double most = 0, size = sim->impact->travel;
    for (int i = 1; i < sim->m->link_count; i++) {
        const jn_twist *V = &sim->w->link[i].V;
        most = jn_max(most, jn_max(v3_norm(V->w), v3_norm(V->v) / size));
    }
    return most > JN_BIAS_RATE_LEAST ? JN_BIAS_SHIFT_REL / most : 0;
}

/* How far a contact has moved over both surfaces after a time, in parts of the smaller solid: over that on which it moves less. */
static double wander(const jn_sim *sim, const jn_contact_point *h, const jn_contact_geometry *point, double after) {
    const jn_solid *A = &sim->m->solids[h->a], *B = &sim->m->solids[h->b];
    const jn_link_motion *a = &sim->w->link[A->link], *b = &sim->w->link[B->link];
    jn_vec3 vA = v3_add(a->V.v, v3_cross(a->V.w, v3_sub(point->pA, a->O)));
    jn_vec3 vB = v3_add(b->V.v, v3_cross(b->V.w, v3_sub(point->pB, b->O)));
    double on_A = v3_norm(v3_sub(v3_sub(point->pA, h->geometry.pA), v3_scale(after, vA)));
    double on_B = v3_norm(v3_sub(v3_sub(point->pB, h->geometry.pB), v3_scale(after, vB)));
    return jn_min(on_A, on_B) / jn_min(A->reach, B->reach);
}

/* Adds the velocities of the contacts a time `after` along the motion, times the factor; those whose feature is gone there keep
 * the velocity that they have. How far contacts wander until there. */
static double add_velocities(jn_sim *sim, const jn_state *s, double after, double factor) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    jn_points_of_pair pair = {.a = -1};
    double most = 0;
    memcpy(x->at->q, s->q, (size_t)sim->m->nq * sizeof *s->q);
    memcpy(x->at->u, s->u, (size_t)sim->m->nv * sizeof *s->u);
    x->at->t = s->t;
    jn_q_advance(sim->m, x->at->q, s->u, after);
    jn_kinematics(sim->m, sim->w, x->at);
    for (int i = 0; i < x->set.count; i++) {
        const jn_contact_point *h = &x->set.point[i];
        const jn_contact_geometry *point = find_point(sim, h, &pair);
        jn_relative_motion v = motion_of(sim, h, point ? point : &h->geometry);
        p->system.bias[i * p->d] += factor * v.gap_rate;
        for (int r = 1; r < p->d; r++) p->system.bias[i * p->d + r] += factor * v3_dot(v.v, h->t[r - 1]);
        if (point)
            most = jn_max(most, wander(sim, h, point, after));
        else
            p->system.flickers = true;
    }
    return most;
}

void jn_unilateral_follow(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_points_of_pair pair = {.a = -1};
    for (int i = 0; i < set->count; i++) {
        jn_contact_point *h = &set->point[i];
        const jn_contact_geometry *point = find_point(sim, h, &pair);
        sim->impact->unilateral[i].lost = !point;
        if (point) h->geometry = *point;
        jn_contact_point_tangents(sim, h);
    }
}

/* Contact points and tangents at the state; then the bias. The work space is left at other states. A rim that has just left its plane rolls along it at a
 * rate without bound: the time is shorter there. */
static void find_bias(jn_sim *sim, const jn_state *s) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    jn_kinematics(sim->m, sim->w, s);
    jn_unilateral_follow(sim);
    size_t bytes = (size_t)(p->d * set->count) * sizeof *p->system.bias;
    double h = difference_time(sim), wide = INFINITY;
    memset(p->system.bias, 0, bytes);
    if (!(h > 0)) return;
    for (int n = 0; n < JN_BIAS_TRIES && wide > JN_BIAS_WANDER_MOST; n++) {
        if (n) h *= jn_max(JN_BIAS_SHORTER, 0.1 * JN_BIAS_WANDER_MOST / wide);
        memset(p->system.bias, 0, bytes);
        wide = add_velocities(sim, s, h, 0.5 / h);
        wide = jn_max(wide, add_velocities(sim, s, -h, -0.5 / h));
    }
}

/* --------------------------------------------------------------------------------------------------------- forces */

/* First and last velocity of a contact; its velocities ascend. */
static bool share(const jn_contact_set *set, int i, int j) {
    int a = set->start[i], b = set->start[i + 1] - 1, c = set->start[j], d = set->start[j + 1] - 1;
    return a <= b && c <= d && set->dof_of[a] <= set->dof_of[d] && set->dof_of[c] <= set->dof_of[b];
}

/* W = V Y^T. O(contacts^2 entries). */
void jn_unilateral_matrix(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    int d = p->d, D = d * x->set.count;
    for (int j = 0; j < x->set.count; j++)
        for (int s = 0; s < d; s++) {
            for (int k = x->set.start[j]; k < x->set.start[j + 1]; k++) x->row[x->set.dof_of[k]] = x->set.Y[k * d + s];
            for (int i = 0; i < x->set.count; i++) {
                double sum[3] = {0, 0, 0};
                bool together = share(&x->set, i, j);
                for (int k = x->set.start[i]; k < x->set.start[i + 1] && together; k++)
                    for (int r = 0; r < d; r++) sum[r] += x->set.V[k * d + r] * x->row[x->set.dof_of[k]];
                for (int r = 0; r < d; r++) p->system.W[(d * i + r) * D + d * j + s] = sum[r];
            }
            for (int k = x->set.start[j]; k < x->set.start[j + 1]; k++) x->row[x->set.dof_of[k]] = 0;
        }
}

/* Direction of slip in the tangents. In a plane that of the step; in space that of the slip, which is rounded off below the speed of creep
 * towards the direction of the step, so that it has a limit where the slip vanishes. */
static void slide_direction(const jn_impacts *p, const jn_unilateral *o, const jn_contact_point *h, double out[2]) {
    jn_vec3 e = o->direction;
    double size = 0;
    if (p->d == 3 && v3_dot(o->slip, o->direction) >= 0) e = v3_axpy(p->creep, o->direction, o->slip);
    out[1] = 0;
    for (int r = 1; r < p->d; r++) out[r - 1] = v3_dot(e, h->t[r - 1]), size = jn_hypot_safe(size, out[r - 1]);
    for (int r = 1; r < p->d && size > 0; r++) out[r - 1] /= size;
}

/* Accelerations below it are the noise of weights that cancel. */
static double largest_acceleration(const jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    double most = jn_max(JN_TINY, JN_FORCES_WEIGHT_REL * v3_norm(sim->m->gravity));
    for (int i = 0; i < p->d * sim->nonsmooth->set.count; i++) most = jn_max(most, fabs(p->system.b[i]));
    return most;
}

void jn_unilateral_grip(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_grip *g = &p->system.grip;
    g->d = p->d, g->n = set->count, g->velocities = sim->m->nv;
    g->b = p->system.b, g->f = p->system.f, g->a = p->system.a;
    p->system.H = (jn_contact_rows){set->start, set->dof_of, set->V};
    p->system.Y = (jn_contact_rows){set->start, set->dof_of, set->Y};
    g->H = &p->system.H, g->Y = &p->system.Y;
    g->scale = largest_acceleration(sim);
    g->scratch = set->solve.scratch, g->room = set->solve.scratch_size;
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        bool slips = o->mode == JN_UNILATERAL_SLIPPING;
        g->contact[i] =
            (jn_grip_contact){.slips = slips && o->mu_d > 0, .mu = slips ? o->mu_d : o->mu_s, .idle = o->idle};
        if (slips) slide_direction(p, o, &set->point[i], g->contact[i].e);
    }
}

/* Forces within the cones with the modes as they are, and with more or fewer contacts that carry load. O(JN_MODES_TURNS) solutions. */
static bool hold_with_others(jn_grip *g) {
    for (int turn = 0; turn < JN_MODES_TURNS && jn_grip_change_idle(g); turn++)
        if (jn_grip_hold(g) <= JN_FORCES_RIGID_REL * g->scale && jn_grip_inside(g)) return true;
    return false;
}

bool jn_unilateral_holds(jn_sim *sim) {
    jn_grip *g = &sim->impact->system.grip;
    jn_unilateral_grip(sim);
    if (!(jn_grip_hold(g) <= JN_FORCES_RIGID_REL * g->scale)) return false;
    if (!jn_grip_inside(g) && !hold_with_others(g)) return false;
    return jn_grip_departure(g) <= JN_FORCES_DEPARTURE_REL * (JN_FORCES_DEPARTURE_BASE + 1) * g->scale;
}

/* Whether forces within the cones are as good as others: where nothing slips the motion does not depend on them, and among many contacts no solver finds
 * those of least norm. */
static bool may_follow(const jn_impacts *p, int contacts) {
    if (contacts > JN_LEAST_NORM) return true;
    for (int i = 0; i < contacts; i++)
        if (p->unilateral[i].mode == JN_UNILATERAL_SLIPPING && p->unilateral[i].mu_d > 0) return false;
    return true;
}

/* Forces near the last ones of the law. */
static bool follow(jn_sim *sim) {
    jn_impact_system *s = &sim->impact->system;
    jn_grip *g = &s->grip;
    double left = jn_grip_follow(g, s->anchor);
    if (left <= JN_FORCES_RIGID_REL * g->scale && jn_grip_inside(g)) {
        s->departure = jn_max(0, jn_grip_departure(g) - 2 * left);
        if (s->departure <= JN_FORCES_DEPARTURE_REL * (JN_FORCES_DEPARTURE_BASE + sim->impact->slack) * g->scale)
            return true;
    }
    s->anchored = false;
    jn_unilateral_grip(sim);
    return false;
}

/* Whether the law of many contacts is solved over and over while the motion hardly gets on: a knot. */
static bool is_overworked(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    if (sim->before->t - p->laws_from > JN_KNOTS_APART * jn_impact_knot_length(p))
        p->laws = 0, p->laws_from = sim->before->t;
    return p->laws > (p->knots ? JN_IMPACT_LAWS_NEAR : JN_IMPACT_LAWS_MOST);
}

/* Forces with the modes as they are: those of the law where it leaves them, else without bounds, so that the motion stays smooth beyond the event
 * that ends them. */
static void find_forces(jn_sim *sim, double t) {
    jn_impacts *p = sim->impact;
    jn_impact_system *s = &p->system;
    jn_grip *g = &s->grip;
    jn_unilateral_grip(sim);
    size_t n = (size_t)(g->d * g->n);
    if (s->anchored && follow(sim)) return;
    double left = jn_grip_hold(g);
    bool rests = left <= JN_FORCES_RIGID_REL * g->scale, inside = rests && jn_grip_inside(g);
    s->departure = inside ? jn_grip_departure(g) : 0;
    if (inside && s->departure <= JN_FORCES_RIGID_REL * g->scale) {
        s->departure = jn_max(0, s->departure - 2 * left);
        if (s->departure <= JN_FORCES_DEPARTURE_REL * (JN_FORCES_DEPARTURE_BASE + p->slack) * g->scale) return;
    }
    memcpy(s->f_held, g->f, n * sizeof *g->f), memcpy(s->f_held + n, g->a, n * sizeof *g->a);
    inside = rests && hold_with_others(g);
    if (!inside) {
        p->laws += sim->m->nv > JN_SHARED;
        s->departure = jn_grip_solve(g) ? jn_grip_departure(g) : INFINITY;
        if (rests) s->departure = jn_max(0, s->departure - 2 * left);
        s->anchored = isfinite(s->departure) && may_follow(p, g->n);
        if (s->anchored) memcpy(s->anchor, g->f, n * sizeof *g->f);
        jn_grip_find_idle(g);
    } else {
        s->departure = jn_grip_departure(g);
    }
    if (s->departure <= JN_FORCES_DEPARTURE_REL * (JN_FORCES_DEPARTURE_BASE + p->slack) * g->scale) {
        for (int i = 0; i < g->n; i++) p->unilateral[i].idle = g->contact[i].idle;
        return;
    }
    s->left_at = jn_min(s->left_at, t);
    memcpy(g->f, s->f_held, n * sizeof *g->f), memcpy(g->a, s->f_held + n, n * sizeof *g->a);
}

static void book_power(jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++) {
        double power = 0;
        sim->w->power.driven += jn_contact_surface_work(set, i, p->system.f + i * p->d);
        if (p->unilateral[i].mode != JN_UNILATERAL_SLIPPING) continue;
        for (int r = 1; r < p->d; r++)
            power -= p->system.f[i * p->d + r] * v3_dot(p->unilateral[i].slip, set->point[i].t[r - 1]);
        sim->w->power.friction += power, sim->w->power.dissipated += power;
    }
}

/* Accelerations without the contacts, and the rows of the contacts there. */
static int pose(jn_sim *sim, const jn_state *s, double *a, double *lambda) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    int status = jn_accelerate(sim->m, sim->w, s, NULL, a, lambda);
    if (status < 0 || x->set.count == 0) return status;
    x->set.dimension = p->d;
    memcpy(x->impulse, sim->w->lambda, (size_t)sim->m->row_count * sizeof *x->impulse);
    if (sim->m->row_count == 0) status = jn_inertia_factor(sim);
    if (status >= 0) status = jn_contact_set_rows(&x->set, sim);
    if (status < 0) return status;
    jn_unilateral_slips(sim);
    jn_contact_set_multiply(&x->set, a, p->system.b);
    for (int i = 0; i < p->d * x->set.count; i++) p->system.b[i] += p->system.bias[i];
    return JN_OK;
}

int jn_unilateral_pose(jn_sim *sim, const jn_state *s, double *a, double *lambda) {
    jn_nonsmooth_hide_forces(sim);
    if (sim->nonsmooth->set.count) find_bias(sim, s);
    return pose(sim, s, a, lambda);
}

int jn_impact_accelerate(jn_sim *sim, const jn_state *s, double *a, double *lambda) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    jn_work *w = sim->w;
    int status = jn_unilateral_pose(sim, s, a, lambda);
    if (status < 0 || x->set.count == 0) return status;
    if (is_overworked(sim)) return JN_ERR_NUMERIC;
    find_forces(sim, s->t);
    if (m->row_count == 0) {
        jn_contact_set_apply(&x->set, sim, p->system.f, a);
    } else {
        memset(x->applied, 0, (size_t)m->nv * sizeof *x->applied);
        jn_contact_set_force(&x->set, p->system.f, x->applied);
        status = jn_kkt_solve(m, w, x->applied, NULL, x->free, w->lambda);
        if (status < 0) return status;
        for (int i = 0; i < m->nv; i++) a[i] += x->free[i];
        for (int i = 0; i < m->row_count; i++) lambda[i] = x->impulse[i] + w->lambda[i];
        if (lambda != w->lambda) memcpy(w->lambda, lambda, (size_t)m->row_count * sizeof *lambda);
        w->driver_power = 0;
        for (int i = 0; i < m->row_count; i++)
            if (m->rows[i].type == JN_ROW_DRIVER)
                w->driver_power += lambda[i] * w->speed[m->drivers[m->rows[i].item].handle];
    }
    for (int i = 0; i < m->nv; i++)
        if (!isfinite(a[i])) return JN_ERR_NUMERIC;
    if (a != w->a) memcpy(w->a, a, (size_t)m->nv * sizeof *a);
    book_power(sim);
    return JN_OK;
}

jn_wrench jn_impact_external(jn_sim *sim, const double *a) {
    return jn_nonsmooth_external(sim, 1, a, sim->w->lambda, sim->impact->system.f);
}

/* ---------------------------------------------------------------------------------------------- for the user */

void jn_unilateral_show(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_impacts *p = sim->impact;
    x->set.dimension = p->d;
    if (x->set.count) memcpy(x->set.p, p->system.f, (size_t)(p->d * x->set.count) * sizeof *p->system.f);
    jn_nonsmooth_sum_up(sim, 1);
    for (int i = 0; i < sim->m->contact_count; i++) sim->contacts->sum[i].pn = 0;
    jn_nonsmooth_show_forces(sim);
}

void jn_unilateral_drop_open(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    int kept = 0;
    for (int i = 0; i < set->count; i++) {
        if (p->unilateral[i].mode == JN_UNILATERAL_OPEN) continue;
        set->point[kept] = set->point[i], p->unilateral[kept] = p->unilateral[i];
        for (int r = 0; r < p->d; r++) p->system.f[kept * p->d + r] = p->system.f[i * p->d + r];
        kept++;
    }
    if (kept < set->count) p->system.anchored = false;
    set->count = kept;
}
