/* What happens to contacts: they begin, reach their deepest point, stick, slip and end. Instants within a step come from the
 * cubic through gaps and gap rates at its ends: fourth order, no evaluation. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"
#include "step/compliant/compliant_step.h"
#include "step/compliant/compliant_tolerances.h"

#include "reaction/compliant/clearance_motion.h"
#include <string.h>

void jn_contact_report(jn_sim *sim, int row, jn_event e) {
    sim->audit.events++;
    e.where = sim->m->contacts[row].name;
    if (sim->sink) sim->sink(sim->sink_context, &e);
}

/* Cubic through (0, g0) and (1, g1) with slopes h r0, h r1, and its slope. */
typedef struct cubic {
    double g0, g1, d0, d1;
} cubic;

static double cubic_at(const cubic *c, double x) {
    double y = 1 - x;
    return y * y * ((1 + 2 * x) * c->g0 + x * c->d0) + x * x * ((3 - 2 * x) * c->g1 - y * c->d1);
}

static double cubic_slope(const cubic *c, double x) {
    double y = 1 - x;
    return 6 * x * y * (c->g1 - c->g0) + y * (1 - 3 * x) * c->d0 + x * (3 * x - 2) * c->d1;
}

/* Where a function that is negative at 0 and positive at 1 passes zero, by bisection to round-off. */
static double crossing(const cubic *c, double (*f)(const cubic *, double)) {
    double lo = 0, hi = 1;
    for (int n = 0; n < JN_CUBIC_BISECTIONS; n++) {
        double mid = 0.5 * (lo + hi);
        if (f(c, mid) < 0)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

double jn_gap_crossing(double g0, double g1, double d0, double d1) { return crossing(&(cubic){g0, g1, d0, d1}, cubic_at); }

/* Whether the pair has one point, the deepest, whatever its name: one of the solids is round all over. */
static bool has_one_point(const jn_sim *sim, const jn_solid_pair *pair) {
    jn_shape_type a = sim->m->solids[pair->a].type, b = sim->m->solids[pair->b].type;
    return pair->count == 1 && (a == JN_SHAPE_CIRCLE || b == JN_SHAPE_CIRCLE || jn_core_is_smooth(a) || jn_core_is_smooth(b));
}

static jn_contact_seen see(const jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *point,
                           const jn_contact_state *cached) {
    jn_relative_motion motion = jn_contact_motion(sim->contacts, sim->w, pair, point);
    jn_contact_seen seen = {jn_contact_gap(cached, point), motion.gap_rate, v3_norm(motion.slip), 0, 0, has_one_point(sim, pair)};
    jn_contact_load(sim->contacts, sim->w, pair, point, cached, &seen.fn, &seen.ft);
    return seen;
}

/* Impulses of a contact over the part x of the step: normal forces by the law at Gauss's points of the cubic; friction in its
 * proportion to them, which is taken as linear between the ends. */
static void add_impulses(const jn_sim *sim, int row, jn_contact_state *cached, const cubic *gap,
                         const jn_contact_seen *past, const jn_contact_seen *now, double h, double x) {
    static const double node[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weight[3] = {5.0 / 18, 4.0 / 9, 5.0 / 18};
    if (!(h > 0)) return;
    jn_normal_law law = jn_contact_normal(&sim->contacts->law[row], cached);
    double mu1 = now->fn > 0 ? now->ft / now->fn : past->fn > 0 ? past->ft / past->fn : 0;
    double mu0 = past->fn > 0 ? past->ft / past->fn : mu1;
    for (int k = 0; k < 3; k++) {
        double at = x * node[k];
        jn_normal_force n;
        jn_normal_eval(&law, -cubic_at(gap, at), -cubic_slope(gap, at) / h, cached->speed, &n);
        cached->compliant.impulse_n += weight[k] * x * h * n.f;
        cached->compliant.impulse_t += weight[k] * x * h * jn_fmax(0, n.f) * (mu0 + at * (mu1 - mu0));
    }
}

void jn_contact_note(jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    int used = sim->s->contact_count;
    for (int i = 0; i < used; i++) {
        const jn_solid_pair *pair;
        jn_contact_state *cached = &sim->s->contact[i];
        const jn_contact_geometry *point = jn_contact_point_of(c, sim->s, cached, &pair);
        if (point)
            cached->feature = point->feature; /* it is the only one of its pair where that changes: the order stays */
        if (point) jn_contact_axis_renew(c, sim->w, point, cached);
        c->seen[i] = point ? see(sim, pair, point, cached) : (jn_contact_seen){0};
    }
    c->seen_time = sim->s->t;
}

static int row_of(const jn_sim *sim, const jn_contact_state *cached) {
    return jn_model_contact_of(sim->m, cached->a, cached->b);
}

/* Slip speed passes the speed below which friction sticks: linear between the ends of the step. */
static void follow_slip(jn_sim *sim, jn_contact_state *cached, double before, double now, double h) {
    int row = row_of(sim, cached);
    double limit = jn_contact_stick_speed(sim->contacts, row);
    bool slides = now > limit;
    if (slides == (cached->slip == JN_SLIP_SLIPPING)) return;
    double x = now != before ? jn_fmin(1, jn_fmax(0, (limit - before) / (now - before))) : 1;
    cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
    jn_contact_report(sim, row,
                      (jn_event){.time = sim->s->t - (1 - x) * h,
                                 .kind = slides ? "slip" : "stick",
                                 .speed_before = before,
                                 .speed_after = now});
}

/* [m] depth up to which the law of a line holds; INFINITY for others. */
static double line_limit(const jn_sim *sim, int row, const jn_contact_state *cached) {
    return cached->compliant.line > 0 ? jn_contact_normal(&sim->contacts->law[row], cached).elastic.limit : INFINITY;
}

void jn_contact_judge_loss(jn_sim *sim, int contact, double h) {
    const jn_contact_state *c = &sim->s->contact[contact];
    const jn_contact_seen *seen = &sim->contacts->seen[contact];
    double gap = seen->gap + c->compliant.datum + h * jn_fmin(0, seen->rate);
    jn_audit_loss(sim, c->a, c->b, sim->m->contacts[row_of(sim, c)].name, -gap);
}

/* One contact after a step; true if it has ended. */
static bool follow_one(jn_sim *sim, int i) {
    jn_contacts *c = sim->contacts;
    jn_contact_state *cached = &sim->s->contact[i];
    double h = jn_fmax(0, sim->s->t - c->seen_time);
    const jn_solid_pair *pair;
    const jn_contact_geometry *point = jn_contact_point_of(c, sim->s, cached, &pair);
    jn_contact_seen past = c->seen[i], now = point ? see(sim, pair, point, cached) : past;
    if (!point && !pair) jn_contact_judge_loss(sim, i, h);
    bool open = !point || point->gap > jn_fmax(0, cached->compliant.datum);
    if (!open && now.gap > 0) { /* it leaves without load: what presses it again begins here */
        cached->compliant.datum = point->gap;
        now = see(sim, pair, point, cached);
    }
    int row = row_of(sim, cached);
    cubic gap = {past.gap, now.gap, h * past.rate, h * now.rate};
    if (point && past.rate < 0 && now.rate > 0 && h > 0)
        now.gap = jn_fmin(now.gap, cubic_at(&gap, crossing(&gap, cubic_slope))); /* deepest within the step */
    jn_audit_depth(sim, cached->a, cached->b, sim->m->contacts[row].name, -now.gap - cached->compliant.datum);
    if (-now.gap > line_limit(sim, row, cached) && cached->compliant.deepest <= line_limit(sim, row, cached))
        jn_contact_report(sim, row, (jn_event){.time = sim->s->t, .kind = "warning", .speed_before = now.rate});
    if (!open) {
        add_impulses(sim, row, cached, &gap, &past, &now, h, 1);
        follow_slip(sim, cached, past.slip, now.slip, h);
        jn_phase_follow(cached, sim->s->t, now.gap, now.rate);
        return false;
    }
    double x = point && past.gap < 0 ? crossing(&gap, cubic_at) : past.rate > 0 ? -past.gap / (past.rate * h) : 1;
    if (!(x >= 0 && x <= 1)) x = 1;
    double speed = h > 0 && point ? cubic_slope(&gap, x) / h : now.rate;
    if (point) add_impulses(sim, row, cached, &gap, &past, &now, h, x);
    jn_contact_report(sim, row,
                      (jn_event){.time = sim->s->t - (1 - x) * h,
                                 .kind = "separation",
                                 .speed_before = -cached->speed,
                                 .speed_after = speed,
                                 .impulse_n = cached->compliant.impulse_n,
                                 .impulse_t = cached->compliant.impulse_t});
    return true;
}

bool jn_contact_follow(jn_sim *sim) {
    bool any = false;
    int used = sim->s->contact_count, kept = 0;
    for (int i = 0; i < used; i++) {
        bool ended = follow_one(sim, i);
        any |= ended;
        if (ended) continue;
        sim->s->contact[kept++] = sim->s->contact[i];
    }
    jn_contact_cache_resize(sim->s, kept);
    return any;
}

/* The first contact of a pair, which procedure root begins where the gap closes, is deep: the bodies have come into each other unseen. */
static void judge_start(jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *point) {
    int first = jn_contact_cache_first(sim->s, pair->a, pair->b);
    if (sim->m->run.contact_start != JN_CONTACT_START_ROOT || jn_contact_cache_is_of(sim->s, first + 1, pair->a, pair->b)) return;
    jn_audit_loss(sim, pair->a, pair->b, sim->m->contacts[jn_model_contact_of(sim->m, pair->a, pair->b)].name, -point->gap);
}

int jn_contact_begin_all(jn_sim *sim, bool started, bool *any) {
    jn_contacts *c = sim->contacts;
    for (int p = 0; p < jn_detection_pairs(c->detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(c->detection, p);
        int row = jn_model_contact_of(sim->m, pair->a, pair->b);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = jn_detection_contact(c->detection, k);
            if (point->gap > 0 || jn_contact_active(sim->s, pair, point)) continue;
            int status = jn_contact_begin(c, sim->w, sim->s, pair, point);
            if (status == JN_ERR_LIMIT)
                return jn_sim_fail(sim, status, "there are more contact points at t = %.9g s than there is room for",
                                   sim->s->t);
            if (status < 0)
                return jn_sim_fail(
                    sim, status,
                    "contact '%s' has no stiffness at t = %.9g s\ngive it a stiffness, or shapes with radii for young",
                    sim->m->contacts[row].name, sim->s->t);
            double rate = jn_contact_motion(c, sim->w, pair, point).gap_rate;
            if (started) judge_start(sim, pair, point);
            if (started) jn_contact_set_datum(sim, pair, point, rate);
            double late = rate < 0 ? point->gap / rate : 0; /* since the gap was zero; within the step */
            late = jn_fmin(late, jn_fmax(0, sim->s->t - c->seen_time));
            jn_audit_depth(sim, pair->a, pair->b, sim->m->contacts[row].name, -point->gap);
            jn_contact_report(sim, row, (jn_event){.time = sim->s->t - late, .kind = "contact", .speed_before = rate});
            *any = true;
        }
    }
    return JN_OK;
}
