/* Contact by continuous forces [Rodrigues2024, section 4]: law by row, force by touch. */
#include "reaction/clearance.h"

#include "base/memory.h"
#include <string.h>

static int unknown_law(jn_report *report, const jn_contact_desc *d, const char *what, const char *name) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                         "contact '%s': there is no %s law '%s'\nsee 'jounce laws %s' for those there are", d->name,
                         what, name, what);
}

static int prepare_normal(const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    const char *name = d->law ? d->law : isnan(d->restitution) ? "hertz" : "flores";
    const jn_normal_info *info = jn_normal_find(name);
    if (!info) return unknown_law(report, d, "normal", name);
    jn_normal_parameters p = jn_normal_default();
    p.stiffness = d->stiffness, p.restitution = d->restitution, p.damping = d->damping, p.mass = d->mass;
    if (!isnan(d->exponent)) p.exponent = d->exponent;
    if (!isnan(d->speed_floor)) p.speed_floor = d->speed_floor;
    p.exact = d->exact, p.attraction = d->attraction;
    law->from_radii = isnan(d->stiffness) && !isnan(d->young[0]);
    if (law->from_radii) {
        law->compliance = jn_contact_compliance(d->young[0], isnan(d->poisson[0]) ? 0.3 : d->poisson[0], d->young[1],
                                                isnan(d->poisson[1]) ? 0.3 : d->poisson[1]);
        p.stiffness = 1; /* in place until the radii are known */
    }
    return jn_normal_prepare(info, &p, d->where, report, &law->normal);
}

static int prepare_friction(const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    law->has_friction = d->friction_law || d->friction > 0;
    if (!law->has_friction) return JN_OK;
    const char *name = d->friction_law ? d->friction_law : "coulomb";
    const jn_friction_info *info = jn_friction_find(name);
    if (!info) return unknown_law(report, d, "friction", name);
    jn_friction_parameters p = jn_friction_default();
    p.dynamic = d->friction, p.stick = d->stick, p.v0 = d->v0, p.v1 = d->v1, p.xi = d->xi, p.stribeck = d->stribeck;
    p.sigma0 = d->sigma0, p.sigma1 = d->sigma1, p.sigma2 = d->sigma2, p.dwell = d->dwell;
    return jn_friction_prepare(info, &p, d->where, report, &law->friction);
}

static int prepare_resistance(const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    law->resistance = jn_resistance_default();
    law->has_resistance = d->rolling > 0 || d->spinning > 0;
    if (!law->has_resistance) return JN_OK;
    law->resistance.rolling = d->rolling > 0 ? d->rolling : 0;
    law->resistance.spinning = d->spinning > 0 ? d->spinning : 0;
    if (!isnan(d->resistance_speed)) law->resistance.speed = d->resistance_speed;
    return jn_resistance_check(&law->resistance, d->where, report);
}

/* Tells the user where a law does not give back the restitution that was put in. */
static void tell_restitution(const jn_contact_desc *d, const jn_contact_law *law, jn_report *report) {
    if (isnan(d->restitution) || isnan(law->normal.restitution) || d->joint >= 0)
        return; /* a joint's row repeats another */
    double out = jn_law_output_restitution(&law->normal, isnan(d->mass) ? 1 : d->mass);
    if (fabs(out - d->restitution) < 1e-3) return;
    if (!law->normal.info->chi && !law->normal.info->damping) {
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, d->where, NULL,
                      "contact '%s': law '%s' is elastic and gives back 1, not %g\nuse a law with damping, such as flores",
                      d->name, law->normal.info->name, d->restitution);
        return;
    }
    jn_report_add(
        report, JN_SEVERITY_NOTE, JN_OK, d->where, NULL,
        "contact '%s': law '%s' with restitution %g gives back %.4g\nwrite exact: true for the damping that returns %g",
        d->name, law->normal.info->name, d->restitution, out, d->restitution);
}

static int prepare(jn_contacts *c, jn_report *report) {
    int worst = JN_OK;
    for (int i = 0; i < c->m->contact_count; i++) {
        const jn_contact_desc *d = &c->m->contacts[i];
        int status = prepare_normal(d, &c->law[i], report);
        if (status >= 0) status = prepare_friction(d, &c->law[i], report);
        if (status >= 0) status = prepare_resistance(d, &c->law[i], report);
        if (status >= 0) tell_restitution(d, &c->law[i], report);
        if (status < worst) worst = status;
    }
    return worst;
}

bool jn_contacts_have_states(const jn_model *m) {
    for (int i = 0; i < m->contact_count; i++) {
        const jn_friction_info *info =
            m->contacts[i].friction_law ? jn_friction_find(m->contacts[i].friction_law) : NULL;
        if (info && info->states) return true;
    }
    return false;
}

/* [m] smallest reach of a shape from its centre. */
static double smallest_shape(const jn_model *m) {
    double least = INFINITY;
    for (int i = 0; i < m->solid_count; i++) least = fmin(least, m->solids[i].reach);
    return isfinite(least) ? least : 1;
}

jn_contacts *jn_contacts_create(const jn_model *m, jn_report *report) {
    if (m->slot_count == 0) return NULL;
    size_t laws = (size_t)m->contact_count * sizeof(jn_contact_law),
           sums = (size_t)m->contact_count * sizeof(jn_contact_sum), rates = 3 * (size_t)m->slot_count * sizeof(double),
           seen = (size_t)m->slot_count * sizeof(jn_contact_seen);
    jn_contacts *c = jn_malloc(sizeof *c + laws + sums + rates + seen);
    if (!c) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 1, 1}, NULL, "%s",
                      jn_status_text(JN_ERR_MEMORY));
        return NULL;
    }
    memset(c, 0, sizeof *c + laws + sums + rates + seen);
    c->m = m;
    c->margin = m->solid_count <= 32 ? 1e9 : 1e-3 * smallest_shape(m);
    c->law = (jn_contact_law *)(c + 1);
    c->sum = (jn_contact_sum *)((char *)c->law + laws);
    c->friction_rate = (double *)((char *)c->sum + sums);
    c->seen = (jn_contact_seen *)((char *)c->friction_rate + rates);
    if ((m->run.method == JN_METHOD_NONSMOOTH || prepare(c, report) >= 0) && (c->scan = jn_scan_create(m, (jn_scan_limits){0, 0}, report))) return c;
    jn_contacts_free(c);
    return NULL;
}

void jn_contacts_free(jn_contacts *c) {
    if (!c) return;
    jn_scan_free(c->scan);
    jn_free(c);
}

double *jn_contact_slot(const jn_contacts *c, const jn_state *s, const jn_near *pair, const jn_touch *touch) {
    return jn_slot_find(c->m, s->slot, pair->a, pair->b, touch->feature);
}

const jn_touch *jn_contact_touch(const jn_contacts *c, const double *slot, const jn_near **pair) {
    *pair = jn_scan_find(c->scan, (int)slot[JN_SLOT_A] - 1, (int)slot[JN_SLOT_B]);
    for (int k = 0; *pair && k < (*pair)->count; k++) {
        const jn_touch *touch = jn_scan_touch(c->scan, (*pair)->first + k);
        if (touch->feature == slot[JN_SLOT_FEATURE]) return touch;
    }
    return NULL;
}

jn_touch_motion jn_contact_motion(const jn_contacts *c, const jn_work *w, const jn_near *pair, const jn_touch *touch) {
    const jn_link_motion *A = &w->link[c->m->solids[pair->a].link], *B = &w->link[c->m->solids[pair->b].link];
    return jn_touch_relative(touch, A->O, A->V, B->O, B->V);
}

double jn_contact_stiffness(const jn_contacts *c, int row, const jn_touch *t) {
    const jn_contact_law *law = &c->law[row];
    if (!law->from_radii) return law->normal.elastic.K;
    double K = NAN, kA = t->kA[0] + t->kA[1], kB = t->kB[0] + t->kB[1];
    if (!c->m->planar)
        K = jn_hertz_stiffness_elliptic(law->compliance, t->kA, t->kB, acos(fmax(-1, fmin(1, v3_dot(t->dA, t->dB)))));
    if (isnan(K)) /* one curvature each, in a plane or on a line: round bodies as spheres */
        K = jn_hertz_stiffness(law->compliance, kA != 0 ? 1 / kA : INFINITY, kB != 0 ? 1 / kB : INFINITY);
    return K;
}

/* How long two free bodies of these masses touch when they meet at a speed under F = K d^n without losses:
 * 2 sqrt(pi) Gamma(1 + 1/p) / Gamma(1/2 + 1/p) d_max / v with p = n + 1, m v^2 / 2 = K d_max^p / p [Goldsmith1960, 4.2]. */
static double impact_duration(const jn_contacts *c, int row, const jn_near *pair, double K, double speed) {
    const jn_model *m = c->m;
    const jn_link *A = &m->links[m->solids[pair->a].link], *B = &m->links[m->solids[pair->b].link];
    double inverse = (A->mass > 0 ? 1 / A->mass : 0) + (B->mass > 0 ? 1 / B->mass : 0);
    double n = c->law[row].normal.elastic.n, p = 1 + (n > 0 ? n : 1);
    if (!(speed > 0) || !(inverse > 0)) return 0;
    double deepest = pow(0.5 * p * speed * speed / (inverse * K), 1 / p);
    return 2 * sqrt(M_PI) * tgamma(1 + 1 / p) / tgamma(0.5 + 1 / p) * deepest / speed;
}

void jn_contact_tangents(const jn_contacts *c, const jn_work *w, const jn_touch *touch, const double *slot,
                         jn_vec3 t[2], jn_vec3 *axis) {
    const double *e = slot + JN_SLOT_AXIS;
    const jn_mat3 *R = &w->link[c->m->solids[(int)slot[JN_SLOT_A] - 1].link].R;
    *axis = m3_mul_v(R, v3(e[0], e[1], e[2]));
    jn_vec3 x = v3_cross(touch->n, *axis);
    double length = v3_norm(x);
    if (c->m->planar || length < 0.1) { /* at the start of a contact there is no axis yet */
        jn_touch_tangents(touch, c->m->planar, t);
        *axis = v3_cross(t[0], touch->n);
        return;
    }
    t[0] = v3_scale(1 / length, x);
    t[1] = v3_cross(touch->n, t[0]);
}

void jn_contact_axis_renew(const jn_contacts *c, const jn_work *w, const jn_touch *touch, double *slot) {
    jn_vec3 t[2], axis;
    jn_contact_tangents(c, w, touch, slot, t, &axis);
    jn_vec3 e = m3_tmul_v(&w->link[c->m->solids[(int)slot[JN_SLOT_A] - 1].link].R, v3_cross(t[0], touch->n));
    slot[JN_SLOT_AXIS] = e.x, slot[JN_SLOT_AXIS + 1] = e.y, slot[JN_SLOT_AXIS + 2] = e.z;
}

double jn_contact_stick_speed(const jn_contacts *c, int row) {
    const jn_contact_law *law = &c->law[row];
    return law->has_friction ? jn_friction_stick_speed(&law->friction) : INFINITY;
}

int jn_contact_begin(const jn_contacts *c, const jn_work *w, jn_state *s, const jn_near *pair, const jn_touch *touch) {
    int row = jn_model_contact_of(c->m, pair->a, pair->b);
    double K = jn_contact_stiffness(c, row, touch);
    if (!(K > 0)) return JN_ERR_MODEL;
    double *slot = jn_slot_insert(c->m, s->slot, pair->a, pair->b, touch->feature);
    if (!slot) return JN_ERR_LIMIT;
    jn_touch_motion motion = jn_contact_motion(c, w, pair, touch);
    slot[JN_SLOT_SPEED] = fmax(0, -motion.gap_rate);
    slot[JN_SLOT_STIFFNESS] = K;
    slot[JN_SLOT_START] = s->t;
    slot[JN_SLOT_DURATION] = impact_duration(c, row, pair, K, slot[JN_SLOT_SPEED]);
    slot[JN_SLOT_SLIDES] = v3_norm(motion.slip) > jn_contact_stick_speed(c, row);
    jn_phase_begin(slot, touch->gap, c->law[row].normal.speed_floor);
    return JN_OK;
}

/* Force of one contact under way, onto both links. */
static void push(jn_contacts *c, jn_work *w, int row, const jn_near *pair, const jn_touch *touch, const double *slot,
                 double *rate) {
    const jn_contact_law *law = &c->law[row];
    int a = c->m->solids[pair->a].link, b = c->m->solids[pair->b].link;
    jn_touch_motion motion = jn_contact_motion(c, w, pair, touch);
    jn_normal_law normal = law->normal;
    if (law->from_radii) normal.elastic.K = slot[JN_SLOT_STIFFNESS];
    jn_normal_force n;
    jn_normal_eval(&normal, -touch->gap, -motion.gap_rate, slot[JN_SLOT_SPEED], &n);
    jn_vec3 force = v3_scale(n.f, touch->n), torque = v3(0, 0, 0), t[2], axis;
    jn_contact_tangents(c, w, touch, slot, t, &axis);
    c->sum[row].fn += n.f;
    w->elastic += n.energy, w->contact_elastic += n.energy;
    w->power.dissipated += n.dissipation, w->power.damping += n.dissipation;
    if (law->has_friction) {
        double v[2] = {v3_dot(t[0], motion.slip), c->m->planar ? 0 : v3_dot(t[1], motion.slip)};
        jn_friction_force f;
        jn_friction_eval(&law->friction, fmax(0, n.f), v, slot + JN_SLOT_FRICTION, NULL, &f);
        for (int k = 0; k < law->friction.info->states; k++) rate[k] = f.rate[k];
        force = v3_add(force, v3_axpy(f.f[0], t[0], v3_scale(f.f[1], t[1])));
        c->sum[row].ft += hypot(f.f[0], f.f[1]);
        double lost = -f.f[0] * v[0] - f.f[1] * v[1]; /* all of it: what bristles store changes with the load, too */
        w->power.dissipated += lost, w->power.friction += lost;
    }
    if (law->has_resistance) {
        double turn[3] = {v3_dot(t[0], motion.w), v3_dot(t[1], motion.w), v3_dot(touch->n, motion.w)};
        jn_resistance_torque m;
        jn_resistance_eval(&law->resistance, fmax(0, n.f), turn, &m);
        torque = v3_axpy(m.m[0], t[0], v3_axpy(m.m[1], t[1], v3_scale(m.m[2], touch->n)));
        w->power.dissipated += m.dissipation, w->power.friction += m.dissipation;
    }
    jn_touch_row r = jn_touch_row_along(touch, force, w->link[a].O, w->link[b].O);
    w->load[a] = wr_add(w->load[a], wr_sub(r.A, (jn_wrench){torque, v3(0, 0, 0)}));
    r.B.n = v3_add(r.B.n, torque);
    w->load[b] = wr_add(w->load[b], r.B);
    c->sum[row].on_second = wr_add(c->sum[row].on_second, wr_shift(r.B, w->link[b].O));
}

void jn_contact_forces(void *contacts, const jn_model *m, jn_work *w, const jn_state *s) {
    jn_contacts *c = contacts;
    memset(c->friction_rate, 0, 3 * (size_t)m->slot_count * sizeof *c->friction_rate);
    for (int i = 0; i < m->contact_count; i++) c->sum[i] = (jn_contact_sum){.gap = INFINITY};
    jn_scan_update_work(c->scan, w, c->margin);
    for (int p = 0; p < jn_scan_pairs(c->scan); p++) {
        const jn_near *pair = jn_scan_pair(c->scan, p);
        int row = jn_model_contact_of(m, pair->a, pair->b);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_touch *touch = jn_scan_touch(c->scan, k);
            c->sum[row].gap = fmin(c->sum[row].gap, touch->gap);
            const double *slot = jn_contact_slot(c, s, pair, touch);
            if (!slot) continue;
            if (touch->gap < 0) push(c, w, row, pair, touch, slot, c->friction_rate + 3 * ((slot - s->slot) / JN_SLOT));
        }
    }
}
