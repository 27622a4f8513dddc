/* Contact by continuous forces [Rodrigues2024, section 4]: force by contact point. */
#include "algebra/elementary.h"
#include "reaction/compliant/clearance_motion.h"

#include "base/memory.h"
#include <string.h>

/* [m] smallest reach of a shape from its centre. */
static double smallest_shape(const jn_model *m) {
    double least = INFINITY;
    for (int i = 0; i < m->solid_count; i++) least = jn_fmin(least, m->solids[i].reach);
    return isfinite(least) ? least : 1;
}

/* Whether some shape is made of so many triangles that asking all of them takes long. */
static bool has_large_mesh(const jn_model *m) {
    for (int i = 0; i < m->solid_count; i++)
        if (m->solids[i].node && m->solids[i].triangle_count > 50) return true;
    return false;
}

/* [m] how far gaps are detected: any for few pairs, so that they can be recorded, else little more than what may come into contact. */
static double margin_of(const jn_contacts *c) {
    int n = c->m->solid_count, pairs = 0;
    if (has_large_mesh(c->m)) return 0.1 * smallest_shape(c->m);
    for (int a = 0; a < n && n <= 32; a++)
        for (int b = a + 1; b < n; b++) pairs += jn_detection_allowed(c->detection, a, b);
    if (n <= 32 && pairs <= 16) return 1e9;
    return (n <= 32 ? 0.1 : 1e-3) * smallest_shape(c->m);
}

jn_contacts *jn_contacts_create(const jn_model *m, jn_report *report) {
    size_t laws = (size_t)m->contact_count * sizeof(jn_contact_law),
           sums = (size_t)m->contact_count * sizeof(jn_contact_sum),
           rates = 3 * (size_t)m->contact_room * sizeof(double),
           seen = (size_t)m->contact_room * sizeof(jn_contact_seen);
    jn_contacts *c = jn_malloc(sizeof *c + laws + sums + rates + seen);
    if (!c) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 1, 1}, NULL, "%s",
                      jn_status_text(JN_ERR_MEMORY));
        return NULL;
    }
    memset(c, 0, sizeof *c + laws + sums + rates + seen);
    c->m = m;
    c->law = (jn_contact_law *)(c + 1);
    c->sum = (jn_contact_sum *)((char *)c->law + laws);
    c->friction_rate = (double *)((char *)c->sum + sums);
    c->seen = (jn_contact_seen *)((char *)c->friction_rate + rates);
    for (int i = 0; i < m->contact_count; i++) c->law[i].roller = -1;
    bool rigid = m->run.method >= JN_METHOD_NONSMOOTH; /* laws are set-valued there */
    if ((rigid || jn_contact_laws_prepare(c, report) >= 0) &&
        (c->detection = jn_detection_create(m, (jn_detection_limits){.with_law = true}, report)) &&
        jn_contact_laws_check(c, report) >= 0) {
        c->margin = margin_of(c);
        return c;
    }
    jn_contacts_free(c);
    return NULL;
}

void jn_contacts_free(jn_contacts *c) {
    if (!c) return;
    jn_detection_free(c->detection);
    jn_free(c);
}

jn_contact_state *jn_contact_active(const jn_state *s, const jn_solid_pair *pair, const jn_contact_geometry *point) {
    jn_contact_state *cached = jn_contact_cache_find(s, pair->a, pair->b, point->feature);
    return cached || pair->count > 1 ? cached : jn_contact_cache_find_single(s, pair->a, pair->b);
}

const jn_contact_geometry *jn_contact_point_of(const jn_contacts *c, const jn_state *s, const jn_contact_state *cached,
                                               const jn_solid_pair **pair) {
    const jn_contact_geometry *point = jn_contact_cache_point(c->detection, cached, pair);
    if (point || !*pair || (*pair)->count != 1) return point;
    return jn_contact_cache_find_single(s, cached->a, cached->b) ? jn_detection_contact(c->detection, (*pair)->first)
                                                                 : NULL;
}

jn_vec3 jn_contact_share(double share[2], int link_A, int link_B, const jn_contact_geometry *point) {
    share[0] = link_B == 0 ? 1 : link_A == 0 ? 0 : 0.5, share[1] = 1 - share[0];
    return v3_axpy(share[0], point->pA, v3_scale(share[1], point->pB));
}

/* With that point in place of the two. */
static jn_contact_geometry at_one_point(const jn_contacts *c, const jn_solid_pair *pair,
                                        const jn_contact_geometry *point) {
    jn_contact_geometry t = *point;
    double share[2];
    t.pA = t.pB = jn_contact_share(share, c->m->solids[pair->a].link, c->m->solids[pair->b].link, point);
    return t;
}

jn_relative_motion jn_contact_motion(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                                     const jn_contact_geometry *point) {
    const jn_link_motion *A = &w->link[c->m->solids[pair->a].link], *B = &w->link[c->m->solids[pair->b].link];
    jn_contact_geometry t = at_one_point(c, pair, point);
    jn_relative_motion motion = jn_geometry_motion(&t, A->O, A->V, B->O, B->V);
    if (!c->m->surfaces_move) return motion;
    jn_twist V = jn_surface_motion(c->m, w->link, pair->a, pair->b, t.pA, t.n);
    motion.v = v3_add(motion.v, V.v), motion.slip = v3_add(motion.slip, V.v), motion.w = v3_add(motion.w, V.w);
    return motion;
}

/* How long two free bodies of these masses are in contact when they meet at a speed without losses: under F = K d^n
 * 2 sqrt(pi) Gamma(1 + 1/p) / Gamma(1/2 + 1/p) d_max / v with p = n + 1, m v^2 / 2 = K d_max^p / p [Goldsmith1960, 4.2]; a line
 * contact is nearly linear, p = 2. */
static double impact_duration(const jn_contacts *c, const jn_elastic *elastic, const jn_solid_pair *pair,
                              double speed) {
    const jn_model *m = c->m;
    const jn_link *A = &m->links[m->solids[pair->a].link], *B = &m->links[m->solids[pair->b].link];
    double inverse = (A->mass > 0 ? 1 / A->mass : 0) + (B->mass > 0 ? 1 / B->mass : 0);
    double p = elastic->kind == JN_ELASTIC_POWER ? 1 + elastic->n : 2;
    if (!(speed > 0) || !(inverse > 0)) return 0;
    double deepest = jn_elastic_depth(elastic, 0.5 * speed * speed / inverse);
    return 2 * sqrt(M_PI) * jn_gamma(1 + 1 / p) / jn_gamma(0.5 + 1 / p) * deepest / speed;
}

const jn_contact_law *jn_contact_law_of(const jn_contacts *c, const jn_contact_state *cached) {
    return &c->law[jn_model_contact_of(c->m, cached->a, cached->b)];
}

void jn_contact_tangents(const jn_contacts *c, const jn_work *w, const jn_contact_geometry *point,
                         const jn_contact_state *cached, jn_vec3 t[2], jn_vec3 *axis) {
    const jn_contact_law *law = jn_contact_law_of(c, cached);
    const jn_mat3 *R = &w->link[c->m->solids[cached->a].link].R;
    *axis =
        law->roller >= 0 ? m3_mul_v(&w->link[law->roller].R, law->roller_axis) : m3_mul_v(R, cached->compliant.axis);
    jn_vec3 x = v3_cross(point->n, *axis);
    double length = v3_norm(x);
    if (c->m->planar || length < 0.1) { /* at the start of a contact there is no axis yet */
        jn_geometry_tangents(point, c->m->planar, t);
        *axis = v3_cross(t[0], point->n);
        return;
    }
    t[0] = v3_scale(1 / length, x);
    t[1] = v3_cross(point->n, t[0]);
}

void jn_contact_axis_renew(const jn_contacts *c, const jn_work *w, const jn_contact_geometry *point,
                           jn_contact_state *cached) {
    jn_vec3 t[2], axis;
    jn_contact_tangents(c, w, point, cached, t, &axis);
    cached->compliant.axis = m3_tmul_v(&w->link[c->m->solids[cached->a].link].R, v3_cross(t[0], point->n));
}

double jn_contact_stick_speed(const jn_contacts *c, int row) {
    const jn_contact_law *law = &c->law[row];
    return law->has_friction ? jn_friction_stick_speed(&law->friction) : INFINITY;
}

int jn_contact_begin(const jn_contacts *c, const jn_work *w, jn_state *s, const jn_solid_pair *pair,
                     const jn_contact_geometry *point) {
    int row = jn_model_contact_of(c->m, pair->a, pair->b);
    jn_elastic elastic;
    if (jn_contact_elastic(c, row, point, &elastic) < 0) return JN_ERR_MODEL;
    jn_contact_state *cached = jn_contact_cache_insert(c->m, s, pair->a, pair->b, point->feature);
    if (!cached) return JN_ERR_LIMIT;
    jn_relative_motion motion = jn_contact_motion(c, w, pair, point);
    cached->speed = jn_fmax(0, -motion.gap_rate);
    bool line = elastic.kind != JN_ELASTIC_POWER;
    cached->compliant.stiffness = line ? elastic.force / elastic.depth : elastic.K;
    cached->compliant.line = line ? elastic.depth : 0;
    cached->start = s->t;
    cached->compliant.duration = impact_duration(c, &elastic, pair, cached->speed);
    cached->slip = v3_norm(motion.slip) > jn_contact_stick_speed(c, row) ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
    jn_phase_begin(cached, point->gap, c->law[row].normal.speed_floor);
    return JN_OK;
}

/* Slip velocity in the contact's tangents, as far as it meets friction. */
static void slip_along(const jn_contacts *c, const jn_contact_law *law, const jn_relative_motion *motion,
                       const jn_vec3 t[2], double v[2]) {
    v[0] = v3_dot(t[0], motion->slip);
    v[1] = c->m->planar || law->roller >= 0 ? 0 : v3_dot(t[1], motion->slip);
}

/* Normal force; friction along the tangents t, zero where the contact has none. */
static double load_along(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                         const jn_contact_geometry *point, const jn_contact_state *cached, jn_vec3 t[2],
                         jn_friction_force *f) {
    const jn_contact_law *law = &c->law[jn_model_contact_of(c->m, pair->a, pair->b)];
    jn_relative_motion motion = jn_contact_motion(c, w, pair, point);
    jn_normal_law normal = jn_contact_normal(law, cached);
    jn_normal_force n;
    jn_normal_eval(&normal, -jn_contact_gap(cached, point), -motion.gap_rate, cached->speed, &n);
    f->f[0] = f->f[1] = 0;
    t[0] = t[1] = v3(0, 0, 0);
    if (!law->has_friction) return n.f;
    jn_vec3 axis;
    double v[2];
    jn_contact_tangents(c, w, point, cached, t, &axis);
    slip_along(c, law, &motion, t, v);
    jn_friction_eval(&law->friction, jn_fmax(0, n.f), v, cached->compliant.friction, NULL, f);
    return n.f;
}

void jn_contact_load(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                     const jn_contact_geometry *point, const jn_contact_state *cached, double *fn, double *ft) {
    jn_friction_force f;
    jn_vec3 t[2];
    *fn = load_along(c, w, pair, point, cached, t, &f);
    *ft = jn_hypot_safe(f.f[0], f.f[1]);
}

jn_vec3 jn_contact_force(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                         const jn_contact_geometry *point, const jn_contact_state *cached) {
    jn_friction_force f;
    jn_vec3 t[2];
    double fn = load_along(c, w, pair, point, cached, t, &f);
    return v3_axpy(fn, point->n, v3_axpy(f.f[0], t[0], v3_scale(f.f[1], t[1])));
}

/* Torque of rolling and spinning on the second link, and what it dissipates. */
static jn_vec3 resist(const jn_contact_law *law, double load, const jn_relative_motion *motion, jn_vec3 n, const jn_vec3 t[2],
                      double *dissipation) {
    double turn[3] = {v3_dot(t[0], motion->w), v3_dot(t[1], motion->w), v3_dot(n, motion->w)};
    jn_resistance_torque m;
    jn_resistance_eval(&law->resistance, jn_fmax(0, load), turn, &m);
    *dissipation = m.dissipation;
    return v3_axpy(m.m[0], t[0], v3_axpy(m.m[1], t[1], v3_scale(m.m[2], n)));
}

jn_vec3 jn_contact_torque(const jn_contacts *c, const jn_work *w, const jn_solid_pair *pair,
                          const jn_contact_geometry *point, const jn_contact_state *cached) {
    const jn_contact_law *law = &c->law[jn_model_contact_of(c->m, pair->a, pair->b)];
    jn_friction_force f;
    jn_vec3 t[2], axis;
    double load = load_along(c, w, pair, point, cached, t, &f), lost;
    jn_vec3 couple = v3_scale(load, point->couple);
    if (!law->has_resistance) return couple;
    jn_relative_motion motion = jn_contact_motion(c, w, pair, point);
    jn_contact_tangents(c, w, point, cached, t, &axis); /* zero so far where nothing rubs */
    return v3_add(couple, resist(law, load, &motion, point->n, t, &lost));
}

/* Force of one active contact, onto both links. Where its gap is open within a step the force is zero, but bristles go on
 * as they did: their rates do not depend on the load and have no jump there. */
static void push(jn_contacts *c, jn_work *w, int row, const jn_solid_pair *pair, const jn_contact_geometry *point,
                 const jn_contact_state *cached, double *rate) {
    const jn_contact_law *law = &c->law[row];
    int a = c->m->solids[pair->a].link, b = c->m->solids[pair->b].link;
    jn_relative_motion motion = jn_contact_motion(c, w, pair, point);
    jn_normal_law normal = jn_contact_normal(law, cached);
    jn_normal_force n;
    jn_normal_eval(&normal, -jn_contact_gap(cached, point), -motion.gap_rate, cached->speed, &n);
    jn_vec3 force = v3_scale(n.f, point->n), torque = v3_scale(n.f, point->couple), t[2], axis;
    jn_contact_tangents(c, w, point, cached, t, &axis);
    c->sum[row].fn += n.f;
    w->elastic += n.energy, w->contact_elastic += n.energy;
    w->power.dissipated += n.dissipation, w->power.damping += n.dissipation;
    if (law->has_friction) {
        double v[2];
        jn_friction_force f;
        slip_along(c, law, &motion, t, v);
        jn_friction_eval(&law->friction, jn_fmax(0, n.f), v, cached->compliant.friction, NULL, &f);
        for (int k = 0; k < law->friction.info->states; k++) rate[k] = f.rate[k];
        force = v3_add(force, v3_axpy(f.f[0], t[0], v3_scale(f.f[1], t[1])));
        c->sum[row].ft += jn_hypot_safe(f.f[0], f.f[1]);
        double lost = -f.f[0] * v[0] - f.f[1] * v[1]; /* all of it: what bristles store changes with the load, too */
        w->power.dissipated += lost, w->power.friction += lost;
    }
    if (law->has_resistance) {
        double lost;
        torque = v3_add(torque, resist(law, n.f, &motion, point->n, t, &lost));
        w->power.dissipated += lost, w->power.friction += lost;
    }
    jn_contact_geometry both = at_one_point(c, pair, point);
    if (c->m->surfaces_move) { /* what moves the surfaces works against friction */
        jn_twist V = jn_surface_motion(c->m, w->link, pair->a, pair->b, both.pA, both.n);
        w->power.driven -= v3_dot(force, V.v) + v3_dot(torque, V.w);
    }
    jn_contact_row r = jn_contact_row_along(&both, force, w->link[a].O, w->link[b].O);
    w->load[a] = wr_add(w->load[a], wr_sub(r.A, (jn_wrench){torque, v3(0, 0, 0)}));
    r.B.n = v3_add(r.B.n, torque);
    w->load[b] = wr_add(w->load[b], r.B);
    c->sum[row].on_second = wr_add(c->sum[row].on_second, wr_shift(r.B, w->link[b].O));
}

void jn_contact_forces(jn_contacts *c, const jn_model *m, jn_work *w, const jn_state *s) {
    memset(c->friction_rate, 0, 3 * (size_t)m->contact_room * sizeof *c->friction_rate);
    for (int i = 0; i < m->contact_count; i++) c->sum[i] = (jn_contact_sum){.gap = INFINITY};
    jn_detection_update_work(c->detection, w, c->margin);
    for (int p = 0; p < jn_detection_pairs(c->detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(c->detection, p);
        int row = jn_model_contact_of(m, pair->a, pair->b);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = jn_detection_contact(c->detection, k);
            c->sum[row].gap = jn_fmin(c->sum[row].gap, point->gap);
            const jn_contact_state *cached = jn_contact_active(s, pair, point);
            if (cached) push(c, w, row, pair, point, cached, c->friction_rate + 3 * (cached - s->contact));
        }
    }
}
