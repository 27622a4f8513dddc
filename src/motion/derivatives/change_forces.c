/* How the forces of forces.c change along a direction, and the powers of the energy ledger. Functions of the model are
 * differentiated exactly: their variables carry their changes (jn_function_jet). */
#include "algebra/elementary.h"
#include "motion/derivatives/derivatives.h"

static const jn_vec3 nil = {0, 0, 0};

static jn_jet call(const jn_model *m, struct jn_derivatives_work *d, jn_function f, jn_jet x, jn_jet v) {
    if (!jn_function_given(f)) return (jn_jet){0, 0, 0};
    d->var[JN_VAR_X] = x, d->var[JN_VAR_V] = v;
    return jn_function_jet(f, m->tables, d->var);
}

static jn_vec3 place(const jn_work *w, const jn_side *s) {
    const jn_link_motion *L = &w->link[s->link];
    return v3_add(L->O, m3_mul_v(&L->R, s->p));
}

static jn_change change_of(const struct jn_derivatives_work *d, int link) {
    return d->change[link].any ? d->change[link] : (jn_change){.any = false};
}

static bool moves(const struct jn_derivatives_work *d, const jn_side *A, const jn_side *B) {
    return d->change[A->link].any || d->change[B->link].any;
}

/* A spring pulls A's point to B's: f = T e, e = d / l. */
static void spring(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, const jn_spring *s) {
    jn_moving A = jn_point_moving(d, s->A.link, place(w, &s->A)), B = jn_point_moving(d, s->B.link, place(w, &s->B));
    jn_moving dA = jn_point_change(d, s->A.link, &A), dB = jn_point_change(d, s->B.link, &B);
    jn_vec3 r = v3_sub(B.p, A.p), rate = v3_sub(B.v, A.v), dr = v3_sub(dB.p, dA.p), drate = v3_sub(dB.v, dA.v);
    double l = v3_norm(r);
    if (!(l > 0)) { /* only a spring that is relaxed there has a slope */
        jn_vec3 pull = v3_scale(s->rest == 0 && s->preload == 0 ? s->stiffness : 0, dr);
        jn_change_push(d, s->A.link, A.p, dA.p, nil, pull, nil, nil);
        jn_change_push(d, s->B.link, B.p, dB.p, nil, v3_neg(pull), nil, nil);
        return;
    }
    jn_vec3 e = v3_scale(1 / l, r);
    double dl = v3_dot(e, dr);
    jn_vec3 de = v3_scale(1 / l, v3_axpy(-dl, e, dr));
    jn_jet x = {l - s->rest, dl, 0}, v = {v3_dot(e, rate), v3_dot(de, rate) + v3_dot(e, drate), 0};
    jn_jet extra = call(m, d, s->tension, x, v);
    double T = s->preload + s->stiffness * x.v + s->damping * v.v + extra.v;
    double dT = s->stiffness * x.d + s->damping * v.d + extra.d;
    jn_vec3 f = v3_scale(T, e), df = v3_axpy(dT, e, v3_scale(T, de));
    jn_change_push(d, s->A.link, A.p, dA.p, f, df, nil, nil);
    jn_change_push(d, s->B.link, B.p, dB.p, v3_neg(f), v3_neg(df), nil, nil);
    d->power_change.dissipated += 2 * s->damping * v.v * v.d;
    d->power_change.driven -= extra.d * v.v + extra.v * v.d;
}

static jn_vec3 scaled(const double k[3], jn_vec3 x) { return v3(k[0] * x.x, k[1] * x.y, k[2] * x.z); }

/* g(a^2) = (1 - a/2 cot(a/2)) / a^2 and its slope in a^2. */
static void log_factor(double a2, double *g, double *slope) {
    double a = sqrt(a2);
    if (a < 0.1) {
        *g = 1.0 / 12 + a2 * (1.0 / 720 + a2 * (1.0 / 30240 + a2 / 1209600));
        *slope = 1.0 / 720 + a2 * (1.0 / 15120 + a2 / 403200);
        return;
    }
    double sine = jn_sin(0.5 * a), cot = jn_cos(0.5 * a) / sine, h = 1 - 0.5 * a * cot;
    *g = h / a2;
    *slope = ((0.25 * a / (sine * sine) - 0.5 * cot) / a - 2 * *g) / (2 * a2);
}

/* Torque -J_l(phi)^-T (k phi) of a bushing and its change, when B turns against A by psi (axes on A): dphi = J_l^-1 psi. */
static jn_vec3 bushing_torque(const double k[3], jn_vec3 phi, jn_vec3 psi, jn_vec3 *change) {
    double g, slope;
    log_factor(v3_dot(phi, phi), &g, &slope);
    jn_vec3 dphi = v3_add(v3_axpy(-0.5, v3_cross(phi, psi), psi), v3_scale(g, v3_cross(phi, v3_cross(phi, psi))));
    jn_vec3 e = scaled(k, phi), de = scaled(k, dphi), pe = v3_cross(phi, e);
    jn_vec3 dpe = v3_add(v3_cross(dphi, e), v3_cross(phi, de)), ppe = v3_cross(phi, pe);
    jn_vec3 dppe = v3_add(v3_cross(dphi, pe), v3_cross(phi, dpe));
    double dg = 2 * slope * v3_dot(phi, dphi);
    *change = v3_neg(v3_add(v3_axpy(0.5, dpe, de), v3_axpy(dg, ppe, v3_scale(g, dppe))));
    return v3_neg(v3_add(v3_axpy(0.5, pe, e), v3_scale(g, ppe)));
}

/* A vector seen from A, in its axes E; and its change. */
static jn_vec3 seen(const jn_mat3 *E, jn_vec3 x, jn_vec3 dx, jn_vec3 turn, jn_vec3 *change) {
    *change = m3_tmul_v(E, v3_sub(dx, v3_cross(turn, x)));
    return m3_tmul_v(E, x);
}

static void bushing(const jn_work *w, struct jn_derivatives_work *d, const jn_bushing *s) {
    int a = s->A.link, b = s->B.link;
    jn_change cA = change_of(d, a), cB = change_of(d, b);
    jn_moving A = jn_point_moving(d, a, place(w, &s->A)), B = jn_point_moving(d, b, place(w, &s->B));
    jn_moving dA = jn_point_change(d, a, &A), dB = jn_point_change(d, b, &B);
    jn_mat3 EA = m3_mul(&w->link[a].R, &s->A.E), EB = m3_mul(&w->link[b].R, &s->B.E), EAt = m3_transpose(&EA),
            R = m3_mul(&EAt, &EB);
    jn_vec3 wA = d->V[a].w, r = v3_sub(B.p, A.p), dr = v3_sub(dB.p, dA.p), dx, dv, dw, dn;
    jn_vec3 slip = v3_sub(v3_sub(B.v, A.v), v3_cross(wA, r));
    jn_vec3 dslip = v3_sub(v3_sub(dB.v, dA.v), v3_add(v3_cross(cA.twist.w, r), v3_cross(wA, dr)));
    jn_vec3 x = seen(&EA, r, dr, cA.pose.w, &dx), v = seen(&EA, slip, dslip, cA.pose.w, &dv);
    jn_vec3 turn = seen(&EA, v3_sub(d->V[b].w, wA), v3_sub(cB.twist.w, cA.twist.w), cA.pose.w, &dw);
    const double *k = s->stiffness, *c = s->damping;
    jn_vec3 f = v3_neg(v3_add(scaled(k, x), scaled(c, v))), df = v3_neg(v3_add(scaled(k, dx), scaled(c, dv)));
    jn_vec3 psi = m3_tmul_v(&EA, v3_sub(cB.pose.w, cA.pose.w));
    jn_vec3 n = bushing_torque(k + 3, q4_log(q4_from_matrix(&R)), psi, &dn);
    n = v3_sub(n, scaled(c + 3, turn)), dn = v3_sub(dn, scaled(c + 3, dw));
    jn_vec3 F = m3_mul_v(&EA, f), N = m3_mul_v(&EA, n);
    jn_vec3 dF = v3_add(m3_mul_v(&EA, df), v3_cross(cA.pose.w, F)),
            dN = v3_add(m3_mul_v(&EA, dn), v3_cross(cA.pose.w, N));
    jn_change_push(d, b, B.p, dB.p, F, dF, N, dN);
    jn_change_push(d, a, B.p, dB.p, v3_neg(F), v3_neg(dF), v3_neg(N), v3_neg(dN));
    d->power_change.dissipated += 2 * (v3_dot(scaled(c, v), dv) + v3_dot(scaled(c + 3, turn), dw));
}

/* -(linear + quadratic |v|) v, its change, and the change of the power that it takes. */
static jn_vec3 resist(const double *linear, const double *quadratic, jn_vec3 v, jn_vec3 dv, jn_vec3 *df, double *dp) {
    double f[3], d[3];
    for (int k = 0; k < 3; k++) {
        double x = v3_get(v, k), dx = v3_get(dv, k), q = quadratic[k] * fabs(x);
        f[k] = -(linear[k] + q) * x, d[k] = -(linear[k] + 2 * q) * dx;
        *dp += (2 * linear[k] + 3 * q) * x * dx;
    }
    *df = v3(d[0], d[1], d[2]);
    return v3(f[0], f[1], f[2]);
}

static void drag(const jn_work *w, struct jn_derivatives_work *d, const jn_applied *s) {
    int a = s->A.link, b = s->B.link;
    jn_change c = change_of(d, b);
    jn_moving B = jn_point_moving(d, b, place(w, &s->B)), dB = jn_point_change(d, b, &B);
    jn_mat3 E = m3_mul(&w->link[b].R, &s->B.E), Et = m3_transpose(&E);
    jn_vec3 v = v3_sub(B.v, s->wind), turn = d->V[b].w, df, dn; /* in axes on B: E' (dv - dphi x v) */
    jn_vec3 dv = m3_mul_v(&Et, v3_sub(dB.v, v3_cross(c.pose.w, v))),
            dw = m3_mul_v(&Et, v3_sub(c.twist.w, v3_cross(c.pose.w, turn)));
    jn_vec3 f = resist(s->linear, s->quadratic, m3_mul_v(&Et, v), dv, &df, &d->power_change.dissipated),
            n = resist(s->linear + 3, s->quadratic + 3, m3_mul_v(&Et, turn), dw, &dn, &d->power_change.dissipated);
    if (s->ellipsoid) {
        jn_dual3 by_v = {m3_mul_v(&Et, v), dv}, by_w = {m3_mul_v(&Et, turn), dw}, more_f, more_n;
        jn_fluid_force(s->ellipsoid, by_v, by_w, &more_f, &more_n);
        f = v3_add(f, more_f.v), df = v3_add(df, more_f.d), n = v3_add(n, more_n.v), dn = v3_add(dn, more_n.d);
        d->power_change.dissipated -= du3_dot(more_f, by_v).d + du3_dot(more_n, by_w).d;
    }
    jn_vec3 F = m3_mul_v(&E, f), N = m3_mul_v(&E, n);
    jn_vec3 dF = v3_add(m3_mul_v(&E, df), v3_cross(c.pose.w, F)), dN = v3_add(m3_mul_v(&E, dn), v3_cross(c.pose.w, N));
    jn_vec3 all = v3_add(F, s->buoyancy);
    jn_change_push(d, b, B.p, dB.p, all, dF, N, dN);
    jn_change_push(d, a, B.p, dB.p, v3_neg(all), v3_neg(dF), v3_neg(N), v3_neg(dN));
    d->power_change.driven += v3_dot(dF, s->wind);
}

static void applied(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, const jn_applied *s) {
    int a = s->A.link, b = s->B.link;
    if (s->is_drag) {
        drag(w, d, s);
        return;
    }
    const jn_jet none = {0, 0, 0};
    jn_jet x = call(m, d, s->component[0], none, none), y = call(m, d, s->component[1], none, none),
           z = call(m, d, s->component[2], none, none);
    jn_vec3 f = v3(x.v, y.v, z.v), df = v3(x.d, y.d, z.d);
    jn_change cA = change_of(d, a), cB = change_of(d, b);
    if (s->in_body) {
        f = m3_mul_v(&w->link[b].R, m3_mul_v(&s->axes, f));
        df = v3_add(m3_mul_v(&w->link[b].R, m3_mul_v(&s->axes, df)), v3_cross(cB.pose.w, f));
    }
    jn_moving B = jn_point_moving(d, b, place(w, &s->B)), dB = jn_point_change(d, b, &B);
    jn_vec3 force = s->is_torque ? nil : f, dforce = s->is_torque ? nil : df;
    jn_vec3 torque = s->is_torque ? f : nil, dtorque = s->is_torque ? df : nil;
    jn_change_push(d, b, B.p, dB.p, force, dforce, torque, dtorque);
    jn_change_push(d, a, B.p, dB.p, v3_neg(force), v3_neg(dforce), v3_neg(torque), v3_neg(dtorque));
    jn_vec3 r = v3_sub(B.p, d->c[a]), wA = d->V[a].w; /* velocity of A's matter at B's point, and its change */
    jn_vec3 vA = v3_add(d->V[a].v, v3_cross(wA, r));
    jn_vec3 dvA = v3_add(v3_add(cA.twist.v, v3_cross(cA.twist.w, r)), v3_cross(wA, dB.p));
    jn_vec3 v = s->is_torque ? v3_sub(d->V[b].w, wA) : v3_sub(B.v, vA);
    jn_vec3 dv = s->is_torque ? v3_sub(cB.twist.w, cA.twist.w) : v3_sub(dB.v, dvA);
    d->power_change.driven += v3_dot(df, v) + v3_dot(f, dv);
}

/* ------------------------------------------------------------------------------------------- on joint coordinates */

static jn_jet stop(const jn_coordinate_desc *law, double depth, double by, double rate, double rate_by) {
    double f = law->limit_stiffness * depth + law->limit_damping * rate;
    if (f <= 0) return (jn_jet){0, 0, 0};
    return (jn_jet){f, law->limit_stiffness * by + law->limit_damping * rate_by, 0};
}

/* What a motor gives: the wish, or its limit, which falls with the speed in the direction of the motion. */
static jn_jet motor(const jn_model *m, struct jn_derivatives_work *d, const jn_coordinate_desc *law, jn_jet x,
                    jn_jet v) {
    jn_jet target = call(m, d, law->motor_target, x, v), speed = call(m, d, law->motor_speed, x, v),
           feed = call(m, d, law->motor_feed, x, v);
    double kp = jn_function_given(law->motor_target) ? law->motor_kp : 0, kd = law->motor_kd;
    jn_jet wish = {kp * (target.v - x.v) + kd * (speed.v - v.v) + feed.v,
                   kp * (target.d - x.d) + kd * (speed.d - v.d) + feed.d, 0};
    double most = law->motor_gear * law->motor_max, left = 1 - law->motor_gear * fabs(v.v) / law->motor_no_load;
    bool falls = !isinf(law->motor_no_load) && left > 0;
    double along = isinf(law->motor_no_load) ? most : most * jn_fmax(left, 0);
    double slope = falls ? most * law->motor_gear / law->motor_no_load : 0; /* of the limit against the speed */
    double upper = v.v > 0 ? along : most, lower = v.v < 0 ? -along : -most;
    if (wish.v > upper) return (jn_jet){upper, v.v > 0 ? -slope * v.d : 0, 0};
    if (wish.v < lower) return (jn_jet){lower, v.v < 0 ? -slope * v.d : 0, 0};
    return wish;
}

/* The force and its change; powers into the ledger. */
static jn_jet actuator(const jn_model *m, struct jn_derivatives_work *d, const jn_coordinate_desc *law, double friction,
                       jn_jet x, jn_jet v) {
    double th = friction != 0 ? jn_tanh(v.v / law->friction_speed) : 0;
    double slope = friction != 0 ? friction / law->friction_speed * (1 - th * th) : 0;
    jn_jet lost = {-law->damping * v.v - friction * th, -(law->damping + slope) * v.d, 0}, elastic, outside;
    double stretch = jn_spring_stretch(law, x.v), k = stretch != 0 || law->slack == 0 ? law->stiffness : 0;
    elastic = (jn_jet){-k * stretch, -k * x.d, 0};
    for (int side = 0; side < 2; side++) {
        bool upper = side == 1,
             touches = upper ? law->has_upper && x.v > law->upper : law->has_lower && x.v < law->lower;
        if (!touches) continue;
        double sign = upper ? -1 : 1, depth = upper ? x.v - law->upper : law->lower - x.v;
        jn_jet f = stop(law, depth, -sign * x.d, -sign * v.v, -sign * v.d);
        double part = law->limit_stiffness * depth, by = -sign * law->limit_stiffness * x.d;
        lost.v += sign * (f.v - part), lost.d += sign * (f.d - by);
        elastic.v += sign * part, elastic.d += sign * by;
    }
    outside = call(m, d, law->force, x, v);
    if (law->has_motor) {
        jn_jet given = motor(m, d, law, x, v);
        outside.v += given.v, outside.d += given.d;
    }
    d->power_change.dissipated -= lost.d * v.v + lost.v * v.d;
    d->power_change.driven += outside.d * v.v + outside.v * v.d;
    return (jn_jet){elastic.v + lost.v + outside.v, elastic.d + lost.d + outside.d, 0};
}

/* Change of what a signal reads of a body. */
static double body_change(const jn_model *m, const jn_work *w, const struct jn_derivatives_work *d,
                          const jn_signal_desc *signal) {
    int link = m->bodies[signal->body].link;
    const jn_link_motion *B = &w->link[link];
    if (!d->change[link].any) return 0;
    if (signal->coordinate >= 3) return v3_get(d->change[link].twist.w, signal->coordinate - 3);
    jn_moving p = jn_point_moving(d, link, v3_add(B->O, B->c)), dp = jn_point_change(d, link, &p);
    return v3_get(signal->speed ? dp.v : dp.p, signal->coordinate);
}

static void read_signals(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d) {
    d->var[JN_VAR_T] = (jn_jet){w->var[JN_VAR_T], 0, 0};
    for (int i = 0; i < m->signal_count; i++) {
        if (m->signal_handle[i] < 0) {
            d->var[JN_VAR_SIGNAL + i] = (jn_jet){w->var[JN_VAR_SIGNAL + i], body_change(m, w, d, &m->signals[i]), 0};
            continue;
        }
        jn_scalar_change x = jn_handle_change(m, d, m->signal_handle[i]);
        d->var[JN_VAR_SIGNAL + i] = (jn_jet){w->var[JN_VAR_SIGNAL + i], m->signals[i].speed ? x.v : x.p, 0};
    }
}

/* Of the user: constant in world axes. Its part on the ground changes no motion. */
static void user_push(const jn_work *w, struct jn_derivatives_work *d, const jn_push *s) {
    const jn_link_motion *link = &w->link[s->link];
    jn_change c = change_of(d, s->link);
    jn_moving B = jn_point_moving(d, s->link, v3_add(link->O, m3_mul_v(&link->R, s->point)));
    jn_moving dB = jn_point_change(d, s->link, &B);
    jn_change_push(d, s->link, B.p, dB.p, s->force, nil, s->torque, nil);
    d->power_change.driven += v3_dot(s->force, dB.v) + v3_dot(s->torque, c.twist.w);
}

/* Change of the actuators' forces on a coordinate by controls that read signals. */
static double control_change(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, int handle) {
    double sum = 0;
    for (int i = 0; i < m->actuation_count && m->signal_count; i++) {
        const jn_actuation *a = &m->actuations[i];
        if (a->handle != handle || w->effort[i].by_control == 0 || !jn_function_given(a->control)) continue;
        jn_jet u = jn_function_jet(a->control, m->tables, d->var);
        double held = w->control_value[i];
        bool ends = a->has_control_range && (held <= a->control_range[0] || held >= a->control_range[1]);
        if (!ends) sum += a->gear * w->effort[i].by_control * u.d;
    }
    return sum;
}

void jn_change_forces(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d) {
    bool all = m->signal_count > 0; /* what reads signals changes even where its own links do not */
    read_signals(m, w, d);
    for (int i = 0; i < m->spring_count; i++)
        if (all || moves(d, &m->springs[i].A, &m->springs[i].B)) spring(m, w, d, &m->springs[i]);
    for (int i = 0; i < m->bushing_count; i++)
        if (moves(d, &m->bushings[i].A, &m->bushings[i].B)) bushing(w, d, &m->bushings[i]);
    for (int i = 0; i < m->applied_count; i++)
        if (all || moves(d, &m->applied[i].A, &m->applied[i].B)) applied(m, w, d, &m->applied[i]);
    for (int i = 0; i < m->body_count && w->push_count; i++)
        if (w->push[i].on && d->change[w->push[i].link].any) user_push(w, d, &w->push[i]);
    for (int i = 0; i < m->actuator_count; i++) {
        const jn_actuator *a = &m->actuators[i];
        jn_scalar_change by = jn_handle_change(m, d, a->handle);
        const jn_handle *h = &m->handles[a->handle];
        if (by.p == 0 && by.v == 0 && !all && h->v >= 0) continue;
        jn_jet x = {w->position[a->handle], by.p, 0}, v = {w->speed[a->handle], by.v, 0};
        jn_jet f = actuator(m, d, &a->law, a->dry && w->dry_rows ? 0 : a->law.friction, x, v);
        if (m->actuation_count) {
            jn_jet drive = {w->drive[a->handle], w->drive_x[a->handle] * x.d + w->drive_v[a->handle] * v.d, 0};
            drive.d += control_change(m, w, d, a->handle);
            f.v += drive.v, f.d += drive.d;
            d->power_change.driven += drive.d * v.v + drive.v * v.d;
        }
        jn_handle_push(m, d, a->handle, f.v, f.d);
    }
}
