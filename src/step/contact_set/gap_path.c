/* Gaps are looked at where steps end. Between two ends the links move along cubics through their poses and twists, and every pair whose points can have met, by
 * their speeds, is followed along these: halves of the step, and halves of these, until gaps and their rates at both ends bound those between [Mirtich1996]. */
#include "step/contact_set/gap_path.h"

#include "algebra/elementary.h"
#include "proximity/detection.h"
#include "proximity/narrow.h"
#include "step/contact_set/contact_set_tolerances.h"
#include <string.h>

/* ---------------------------------------------------------------------------------------------- links between the ends of a step */

/* The inverse of dexp to the third order: rates of a rotation vector from an angular velocity [Iserles2000, 2.44]. */
static jn_vec3 turn_rate(jn_vec3 turn, jn_vec3 w) {
    jn_vec3 once = v3_cross(turn, w);
    return v3_axpy(1.0 / 12, v3_cross(turn, once), v3_axpy(-0.5, once, w));
}

static jn_vec3 angular_velocity(jn_vec3 turn, jn_vec3 rate) {
    jn_vec3 once = v3_cross(turn, rate);
    return v3_axpy(1.0 / 6, v3_cross(turn, once), v3_axpy(0.5, once, rate));
}

static jn_link_path link_path(const jn_link_motion *from, const jn_link_motion *to, double h) {
    jn_mat3 back = m3_transpose(&from->R), moved = m3_mul(&to->R, &back);
    jn_vec3 turn = q4_log(q4_from_matrix(&moved));
    return (jn_link_path){.R = from->R,
                          .O = from->O,
                          .along = v3_sub(to->O, from->O),
                          .v0 = v3_scale(h, from->V.v),
                          .v1 = v3_scale(h, to->V.v),
                          .turn = turn,
                          .turn_rate0 = v3_scale(h, from->V.w),
                          .turn_rate1 = turn_rate(turn, v3_scale(h, to->V.w))};
}

/* The cubic from zero to `end` with the slopes a and b at the part x, and its slope. [Hairer1993, II.6] */
static jn_vec3 cubic_at(jn_vec3 end, jn_vec3 a, jn_vec3 b, double x, jn_vec3 *slope) {
    double y = 1 - x;
    *slope = v3_axpy(6 * x * y, end, v3_axpy(y * (1 - 3 * x), a, v3_scale(x * (3 * x - 2), b)));
    return v3_axpy(x * x * (3 - 2 * x), end, v3_axpy(x * y * y, a, v3_scale(-x * x * y, b)));
}

static jn_pose path_at(const jn_link_path *path, double x, double h, jn_twist *V) {
    jn_vec3 v, rate, O = cubic_at(path->along, path->v0, path->v1, x, &v);
    jn_vec3 turn = cubic_at(path->turn, path->turn_rate0, path->turn_rate1, x, &rate);
    jn_mat3 T = q4_matrix(q4_exp(turn));
    *V = (jn_twist){.w = v3_scale(1 / h, angular_velocity(turn, rate)), .v = v3_scale(1 / h, v)};
    return (jn_pose){v3_add(path->O, O), m3_mul(&T, &path->R)};
}

/* ------------------------------------------------------------------------------------------------------------ gaps of a pair */

static void add_points(const jn_gap_path *g, const jn_pose X[2], const jn_twist V[2], jn_gap_node *node) {
    jn_contact_geometry found[JN_MANIFOLD_MAX];
    const jn_sim *sim = g->sim;
    const jn_solid_pair *pair = g->pair;
    const jn_solid *A = &sim->m->solids[pair->a], *B = &sim->m->solids[pair->b];
    jn_convex first = {.s = A, .X = pose_mul(&X[0], &A->local)}, second = {.s = B, .X = pose_mul(&X[1], &B->local)};
    jn_pair_cache cache = pair->cache;
    int count = jn_pair_points(&first, &second, g->margin, (jn_point_detail){.rocks = sim->impact != NULL}, &cache, found);
    node->count = 0;
    for (int k = 0; k < count; k++) {
        if (g->touches && g->is_active(sim, pair, found[k].feature)) continue;
        jn_relative_motion v = jn_geometry_motion(&found[k], X[0].p, V[0], X[1].p, V[1]);
        int at = node->count++;
        node->point[at].feature = found[k].feature, node->point[at].gap = found[k].gap;
        node->point[at].rate = v.gap_rate;
        if (node->point[at].gap < node->point[0].gap) {
            jn_gap_node swap = *node;
            node->point[0] = swap.point[at], node->point[at] = swap.point[0];
        }
    }
}

static jn_gap_node node_at(const jn_gap_path *g, double x) {
    jn_gap_node node = {.x = x};
    jn_twist V[2];
    jn_pose X[2];
    for (int k = 0; k < 2; k++) X[k] = path_at(&g->path[k], x, g->h, &V[k]);
    add_points(g, X, V, &node);
    return node;
}

jn_gap_node jn_gap_node_here(const jn_gap_path *g, double x) {
    const jn_sim *sim = g->sim;
    jn_gap_node node = {.x = x};
    jn_twist V[2];
    jn_pose X[2];
    for (int k = 0; k < 2; k++) {
        const jn_link_motion *L = &sim->w->link[sim->m->solids[k ? g->pair->b : g->pair->a].link];
        X[k] = (jn_pose){L->O, L->R}, V[k] = L->V;
    }
    add_points(g, X, V, &node);
    return node;
}

static int find_feature(const jn_gap_node *node, uint32_t feature) {
    for (int k = 0; k < node->count; k++)
        if (node->point[k].feature == feature) return k;
    return -1;
}

double jn_gap_smallest(double g0, double r0, double g1, double r1, double h, double *at) {
    double a = h * r0, b = h * r1, d = g1 - g0;
    double p = 3 * (a + b - 2 * d), q = 2 * (3 * d - 2 * a - b); /* slope: a + q x + p x^2 */
    double root = sqrt(jn_max(0, q * q - 4 * p * a)), x = -2 * a / (q + root);
    if (!(x > 0 && x < 1)) x = a / (a - b);
    *at = x;
    return g0 + x * (a + x * (q / 2 + x * p / 3));
}

/* Keeps the minimum between two nodes if the motion, which is not quite the cubic's, may go below zero there. */
static void keep_minimum(jn_gap_path *g, const jn_gap_node *a, int i, const jn_gap_node *b, int j) {
    double at, h = (b->x - a->x) * g->h;
    if (!(a->point[i].rate < -g->still && b->point[j].rate > g->still)) return;
    if (a->x == 0 && !(a->point[i].gap > 0)) return; /* it leaves an overlap */
    double least = jn_gap_smallest(a->point[i].gap, a->point[i].rate, b->point[j].gap, b->point[j].rate, h, &at);
    double dip = jn_max(a->point[i].gap, b->point[j].gap) - least;
    double x = a->x + at * (b->x - a->x);
    if (least < JN_GRAZE_NEAR * dip && x > g->from) g->x = jn_min(g->x, x);
}

static void keep_minima(jn_gap_path *g, const jn_gap_node *a, const jn_gap_node *b) {
    for (int i = 0; i < a->count; i++) {
        int j = find_feature(b, a->point[i].feature);
        if (j >= 0) keep_minimum(g, a, i, b, j);
    }
    if (!g->touches && find_feature(b, a->point[0].feature) < 0) keep_minimum(g, a, 0, b, 0);
}

/* Whether a gap may have a minimum between two nodes: it falls and then rises, or its point is not that of the other end. */
static bool may_turn(const jn_gap_path *g, const jn_gap_node *a, const jn_gap_node *b) {
    for (int i = 0; i < a->count; i++) {
        int j = find_feature(b, a->point[i].feature);
        if (j >= 0 && a->point[i].rate < -g->still && b->point[j].rate > g->still) return true;
    }
    return !g->touches && (find_feature(b, a->point[0].feature) < 0 || find_feature(a, b->point[0].feature) < 0);
}

/* Whether the points at the middle are those at both ends, with the gaps of their cubics. */
static bool is_told(const jn_gap_path *g, const jn_gap_node *a, const jn_gap_node *m, const jn_gap_node *b) {
    double h = (b->x - a->x) * g->h;
    for (int k = 0; k < m->count; k++) {
        int i = find_feature(a, m->point[k].feature), j = find_feature(b, m->point[k].feature);
        if (i < 0 || j < 0) return false;
        double middle = 0.5 * (a->point[i].gap + b->point[j].gap) + h / 8 * (a->point[i].rate - b->point[j].rate);
        double bend = h * (fabs(a->point[i].rate) + fabs(b->point[j].rate));
        if (fabs(middle - m->point[k].gap) > JN_GRAZE_TOLD * bend) return false;
    }
    return true;
}

/* Between two nodes of the path. O(2^JN_GRAZE_LEVELS) narrow phases at most, where the bound by the speeds prunes nothing. */
static void follow(jn_gap_path *g, const jn_gap_node *a, const jn_gap_node *b, int level) {
    if (a->count == 0 || b->count == 0 || a->x >= g->x) return;
    if (a->point[0].gap + b->point[0].gap > g->speed * (b->x - a->x) * g->h) return;
    if (!may_turn(g, a, b)) return;
    jn_gap_node m = node_at(g, 0.5 * (a->x + b->x));
    if (m.count && m.point[0].gap < 0 && !g->touches && m.x > g->from) g->x = jn_min(g->x, m.x);
    if (level == JN_GRAZE_LEVELS || is_told(g, a, &m, b)) {
        keep_minima(g, a, &m), keep_minima(g, &m, b);
        return;
    }
    follow(g, a, &m, level + 1), follow(g, &m, b, level + 1);
}

/* -------------------------------------------------------------------------------------------------------------- the step */

/* [m/s] bound of the speeds of points of the solid against the link's origin. */
static double spin(const jn_solid *s, const jn_twist *V) {
    double w = v3_norm(V->w);
    return w > 0 ? w * (s->reach + v3_norm(s->local.p)) : 0;
}

static double speed_between(const jn_solid *A, const jn_twist *a, const jn_solid *B, const jn_twist *b) {
    return v3_norm(v3_sub(b->v, a->v)) + spin(A, a) + spin(B, b);
}

static double pair_speed(const jn_sim *sim, const jn_solid_pair *pair, const jn_link_motion *link) {
    const jn_solid *A = &sim->m->solids[pair->a], *B = &sim->m->solids[pair->b];
    return speed_between(A, &link[A->link].V, B, &link[B->link].V);
}

/* [m] smallest gap of a pair as collision detection has found it. */
static double nearest(const jn_sim *sim, const jn_solid_pair *pair) {
    double least = INFINITY;
    for (int k = pair->first; k < pair->first + pair->count; k++)
        least = jn_min(least, jn_detection_contact(sim->contacts->detection, k)->gap);
    return least;
}

/* The first part of the step, after g->x, at which the pair may have met. */
static void look_at_pair(jn_gap_path *g, const jn_link_motion *start) {
    const jn_sim *sim = g->sim;
    const jn_link_motion *end = sim->w->link;
    int link[2] = {sim->m->solids[g->pair->a].link, sim->m->solids[g->pair->b].link};
    g->speed = JN_GRAZE_SPEED * jn_max(pair_speed(sim, g->pair, start), pair_speed(sim, g->pair, end));
    g->touches = g->has_contacts(sim, g->pair);
    if (g->touches && !g->is_active) return;
    if (g->pair->count == 0 || !(nearest(sim, g->pair) < g->speed * g->h)) return;
    jn_gap_node last = jn_gap_node_here(g, 1);
    if (last.count == 0 || !(last.point[0].gap < g->speed * g->h)) return;
    for (int k = 0; k < 2; k++) g->path[k] = link_path(&start[link[k]], &end[link[k]], g->h);
    jn_gap_node first = node_at(g, 0);
    follow(g, &first, &last, 0);
}

/* Collision detection that sees all that can have met in the step; its margin [m]. */
static double detect_around(jn_sim *sim, double h) {
    double margin = sim->contacts->margin, wide = margin, most = 0;
    if (!(margin < JN_CONTACT_MARGIN_ALL)) return margin;
    for (int q = 0; q < sim->m->solid_count; q++) {
        const jn_solid *s = &sim->m->solids[q];
        const jn_twist *V = &sim->w->link[s->link].V;
        if (isfinite(s->reach)) most = jn_max(most, v3_norm(V->v) + spin(s, V));
    }
    while (wide < 2 * JN_GRAZE_SPEED * most * h) wide *= 2;
    if (wide > margin && jn_detection_update_work(sim->contacts->detection, sim->w, wide) < 0)
        jn_detection_update_work(sim->contacts->detection, sim->w, margin);
    return wide;
}

void jn_gap_path_first_minimum(jn_gap_path *first, jn_solid_pair *pair) {
    jn_sim *sim = first->sim;
    first->h = sim->s->t - sim->before->t, first->x = INFINITY;
    jn_kinematics(sim->m, sim->w, sim->before);
    memcpy(sim->start_link, sim->w->link, (size_t)sim->m->link_count * sizeof *sim->start_link);
    jn_kinematics(sim->m, sim->w, sim->s);
    first->margin = detect_around(sim, first->h);
    const jn_detection *detection = sim->contacts->detection;
    for (int q = 0; q < jn_detection_pairs(detection); q++) {
        jn_gap_path g = *first;
        g.pair = jn_detection_pair(detection, q);
        look_at_pair(&g, sim->start_link);
        if (g.x < first->x) *first = g, *pair = *g.pair;
    }
    first->pair = pair;
}

bool jn_gap_path_meets(jn_sim *sim, const jn_solid_pair *pair, const jn_link_motion from[2], const jn_link_motion to[2], double h, double *gap) {
    const jn_solid *A = &sim->m->solids[pair->a], *B = &sim->m->solids[pair->b];
    jn_gap_path g = {.sim = sim, .pair = pair, .h = h, .from = -1, .x = INFINITY};
    for (int k = 0; k < 2; k++) g.path[k] = link_path(&from[k], &to[k], h);
    g.speed = JN_GRAZE_SPEED * jn_max(speed_between(A, &from[0].V, B, &from[1].V), speed_between(A, &to[0].V, B, &to[1].V));
    g.margin = *gap + g.speed * h;
    jn_gap_node first = node_at(&g, 0), last = node_at(&g, 1);
    *gap = last.count ? last.point[0].gap : g.margin;
    if (!(*gap > 0)) return true;
    follow(&g, &first, &last, 0);
    return isfinite(g.x);
}

double jn_gap_path_rate(const jn_sim *sim, double length) {
    double most = 0;
    for (int i = 1; i < sim->m->link_count; i++) {
        const jn_twist *V = &sim->w->link[i].V;
        most = jn_max(most, jn_max(v3_norm(V->w), v3_norm(V->v) / length));
    }
    return most;
}

double jn_gap_path_time(const jn_sim *sim, double length) {
    double rate = jn_gap_path_rate(sim, length), pull = v3_norm(sim->m->gravity) / length;
    if (!sim->contacts->detection->meshes || !(pull > 0)) return rate > 0 ? JN_GRAZE_TURN / rate : INFINITY;
    return 2 * JN_GRAZE_TURN / (rate + sqrt(rate * rate + 2 * pull * JN_GRAZE_TURN)); /* rate h + pull h^2/2 = 1/4 */
}

/* [m] on a shorter path neither passes through the other. Meshes are surfaces: what lies below one by more than half of its extent is not seen any more, nor what has passed the
 * middle of the body that one encloses. Those that are flat have no extent of their own. */
static double pair_length(const jn_sim *sim, int first, int second) {
    const jn_solid *a = &sim->m->solids[first], *b = &sim->m->solids[second];
    double all = a->reach + b->reach, thinner = INFINITY;
    if ((!a->node && !b->node) || !isfinite(all)) return all;
    if ((b->node || !a->node) && a->thickness > 0) thinner = a->thickness;
    if ((a->node || !b->node) && b->thickness > 0) thinner = jn_min(thinner, b->thickness);
    if (a->node) thinner = jn_min(thinner, jn_half_thickness(sim, first));
    if (b->node) thinner = jn_min(thinner, jn_half_thickness(sim, second));
    double seen = a->node && b->node ? JN_GRAZE_MESHES * JN_MESHES_SEEN : 1;
    return jn_min(all, 2 * seen * thinner);
}

double jn_gap_path_length(const jn_sim *sim) {
    const jn_model *m = sim->m;
    double length = INFINITY;
    for (int i = 0; i < m->solid_count; i++) {
        const jn_solid *s = &m->solids[i];
        if (!s->link || !isfinite(s->reach)) continue;
        for (int j = 0; j < m->solid_count; j++)
            if (j != i && m->solids[j].body != s->body && jn_detection_allowed(sim->contacts->detection, i, j))
                length = jn_min(length, pair_length(sim, i, j));
    }
    return length;
}
