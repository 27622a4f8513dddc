/* Applied forces: springs, bushings, forces and torques by function, and what acts on joint coordinates. Leaves loads on
 * links, forces on coordinates, the elastic energy and the powers for the energy ledger. */
#include "algebra/elementary.h"
#include "motion/segment.h"
#include "motion/work.h"
#include <string.h>

typedef struct jn_spot {
    jn_vec3 p, v, rho; /* point, its velocity, offset from the link's origin */
} jn_spot;

static jn_spot spot(const jn_work *w, const jn_side *s) {
    const jn_link_motion *B = &w->link[s->link];
    jn_vec3 rho = m3_mul_v(&B->R, s->p);
    return (jn_spot){v3_add(B->O, rho), v3_add(B->V.v, v3_cross(B->V.w, rho)), rho};
}

static void push_on(jn_wrench *load, int link, jn_vec3 rho, jn_vec3 force, jn_vec3 torque) {
    load[link].f = v3_add(load[link].f, force);
    load[link].n = v3_add(load[link].n, v3_add(torque, v3_cross(rho, force)));
}

static void push(jn_work *w, int link, jn_vec3 rho, jn_vec3 force, jn_vec3 torque) {
    push_on(w->load, link, rho, force, torque);
}

/* The same on link B at rho_B, and back on A at rho_A. */
static void push_between(jn_wrench *load, int A, jn_vec3 rho_A, int B, jn_vec3 rho_B, jn_vec3 force, jn_vec3 torque) {
    push_on(load, B, rho_B, force, torque);
    push_on(load, A, rho_A, v3_neg(force), v3_neg(torque));
}

static double call(const jn_model *m, jn_work *w, jn_function f, double x, double v) {
    if (!jn_function_given(f)) return 0;
    w->var[JN_VAR_X] = x;
    w->var[JN_VAR_V] = v;
    return jn_function_value(f, m->tables, w->var);
}

static void spring(const jn_model *m, jn_work *w, const jn_spring *s) {
    jn_spot A = spot(w, &s->A), B = spot(w, &s->B);
    jn_vec3 d = v3_sub(B.p, A.p);
    double l = v3_norm(d);
    jn_vec3 e = l > 0 ? v3_scale(1 / l, d) : v3(0, 0, 0); /* a spring of length zero pulls nowhere */
    double x = l - s->rest, v = v3_dot(e, v3_sub(B.v, A.v));
    double extra = call(m, w, s->tension, x, v);
    jn_vec3 f = v3_scale(s->preload + s->stiffness * x + s->damping * v + extra, e);
    push(w, s->A.link, A.rho, f, v3(0, 0, 0));
    push(w, s->B.link, B.rho, v3_neg(f), v3(0, 0, 0));
    if (w->working) {
        jn_vec3 damper = v3_scale(-s->damping * v, e), more = v3_scale(-extra, e), zero = v3(0, 0, 0);
        push_between(w->working->dissipating_load, s->A.link, A.rho, s->B.link, B.rho, damper, zero);
        push_between(w->working->driving_load, s->A.link, A.rho, s->B.link, B.rho, more, zero);
    }
    w->elastic += 0.5 * s->stiffness * x * x + s->preload * x;
    w->power.dissipated += s->damping * v * v;
    w->power.driven -= extra * v;
}

/* Spring forces in the axes on A; the rotation enters as the rotation vector of B against A. */
static void bushing(jn_work *w, const jn_bushing *s) {
    const jn_link_motion *LA = &w->link[s->A.link], *LB = &w->link[s->B.link];
    jn_spot A = spot(w, &s->A), B = spot(w, &s->B);
    jn_mat3 EA = m3_mul(&LA->R, &s->A.E), EB = m3_mul(&LB->R, &s->B.E), EAt = m3_transpose(&EA), R = m3_mul(&EAt, &EB);
    jn_vec3 d = m3_mul_v(&EAt, v3_sub(B.p, A.p)), phi = q4_log(q4_from_matrix(&R));
    jn_vec3 at_B = v3_add(LA->V.v, v3_cross(LA->V.w, v3_sub(B.p, LA->O))); /* velocity of A's material at B's point */
    jn_vec3 v = m3_mul_v(&EAt, v3_sub(B.v, at_B)), rate = m3_mul_v(&EAt, v3_sub(LB->V.w, LA->V.w));
    const double *k = s->stiffness, *c = s->damping;
    jn_vec3 f = v3(-k[0] * d.x - c[0] * v.x, -k[1] * d.y - c[1] * v.y, -k[2] * d.z - c[2] * v.z);
    /* torque from the energy k phi^2 / 2: T = J_l(phi)^-T k phi, with J_l^-T = 1 + phi~/2 + (1/a^2 - cot(a/2)/(2a)) phi~^2 */
    jn_vec3 e = v3(k[3] * phi.x, k[4] * phi.y, k[5] * phi.z), pe = v3_cross(phi, e);
    double a2 = v3_dot(phi, phi), a = sqrt(a2), g = a < 1e-3 ? 1.0 / 12 + a2 / 720 : (1 - 0.5 * a / jn_tan(0.5 * a)) / a2;
    jn_vec3 n = v3_neg(v3_add(v3_axpy(0.5, pe, e), v3_scale(g, v3_cross(phi, pe))));
    n = v3_sub(n, v3(c[3] * rate.x, c[4] * rate.y, c[5] * rate.z));
    jn_vec3 F = m3_mul_v(&EA, f), N = m3_mul_v(&EA, n);
    push(w, s->B.link, B.rho, F, N);
    push(w, s->A.link, v3_sub(B.p, LA->O), v3_neg(F), v3_neg(N));
    if (w->working) {
        jn_vec3 damper = m3_mul_v(&EA, v3(-c[0] * v.x, -c[1] * v.y, -c[2] * v.z));
        jn_vec3 turned = m3_mul_v(&EA, v3(-c[3] * rate.x, -c[4] * rate.y, -c[5] * rate.z));
        push_between(w->working->dissipating_load, s->A.link, v3_sub(B.p, LA->O), s->B.link, B.rho, damper, turned);
    }
    w->elastic += 0.5 * (k[0] * d.x * d.x + k[1] * d.y * d.y + k[2] * d.z * d.z + k[3] * phi.x * phi.x +
                         k[4] * phi.y * phi.y + k[5] * phi.z * phi.z);
    w->power.dissipated += c[0] * v.x * v.x + c[1] * v.y * v.y + c[2] * v.z * v.z + c[3] * rate.x * rate.x +
                           c[4] * rate.y * rate.y + c[5] * rate.z * rate.z;
}

/* [N], [N m] of the components of a velocity: -(linear + quadratic |v|) v. */
static jn_vec3 resist(const double *linear, const double *quadratic, jn_vec3 v) {
    return v3(-(linear[0] + quadratic[0] * fabs(v.x)) * v.x, -(linear[1] + quadratic[1] * fabs(v.y)) * v.y,
              -(linear[2] + quadratic[2] * fabs(v.z)) * v.z);
}

/* What a fluid does to a body, in axes that it carries; the opposite acts on the ground. */
static void drag(jn_work *w, const jn_applied *s) {
    const jn_link_motion *LB = &w->link[s->B.link], *LA = &w->link[s->A.link];
    jn_spot B = spot(w, &s->B);
    jn_mat3 E = m3_mul(&LB->R, &s->B.E), Et = m3_transpose(&E);
    jn_vec3 v = m3_mul_v(&Et, v3_sub(B.v, s->wind)), turn = m3_mul_v(&Et, LB->V.w);
    jn_vec3 f = resist(s->linear, s->quadratic, v), n = resist(s->linear + 3, s->quadratic + 3, turn), rest = {0, 0, 0};
    if (s->ellipsoid) {
        jn_dual3 more_f, more_n;
        jn_fluid_force(s->ellipsoid, (jn_dual3){v, rest}, (jn_dual3){turn, rest}, &more_f, &more_n);
        f = v3_add(f, more_f.v), n = v3_add(n, more_n.v);
    }
    jn_vec3 F = m3_mul_v(&E, f), N = m3_mul_v(&E, n), all = v3_add(F, s->buoyancy);
    push(w, s->B.link, B.rho, all, N);
    push(w, s->A.link, v3_sub(B.p, LA->O), v3_neg(all), v3_neg(N));
    if (w->working) {
        push_between(w->working->dissipating_load, s->A.link, v3_sub(B.p, LA->O), s->B.link, B.rho, F, N);
        w->working->wind += v3_dot(F, s->wind);
    }
    w->power.dissipated -= v3_dot(f, v) + v3_dot(n, turn);
    w->power.driven += v3_dot(F, s->wind);
    w->elastic -= v3_dot(s->buoyancy, B.p);
}

static void applied(const jn_model *m, jn_work *w, const jn_applied *s) {
    if (s->is_drag) {
        drag(w, s);
        return;
    }
    const jn_link_motion *LA = &w->link[s->A.link], *LB = &w->link[s->B.link];
    jn_spot B = spot(w, &s->B);
    jn_vec3 f =
        v3(call(m, w, s->component[0], 0, 0), call(m, w, s->component[1], 0, 0), call(m, w, s->component[2], 0, 0));
    if (s->in_body) f = m3_mul_v(&LB->R, m3_mul_v(&s->axes, f));
    jn_vec3 zero = v3(0, 0, 0), arm = v3_sub(B.p, LA->O);
    push(w, s->B.link, B.rho, s->is_torque ? zero : f, s->is_torque ? f : zero);
    push(w, s->A.link, arm, s->is_torque ? zero : v3_neg(f), s->is_torque ? v3_neg(f) : zero);
    if (w->working)
        push_between(w->working->driving_load, s->A.link, arm, s->B.link, B.rho, s->is_torque ? zero : f,
                     s->is_torque ? f : zero);
    jn_vec3 vA = v3_add(LA->V.v, v3_cross(LA->V.w, arm));
    w->power.driven += s->is_torque ? v3_dot(f, v3_sub(LB->V.w, LA->V.w)) : v3_dot(f, v3_sub(B.v, vA));
}

/* Of the user; its opposite acts on the ground. */
static void user_push(jn_work *w, const jn_push *s) {
    if (!s->on) return;
    const jn_link_motion *B = &w->link[s->link];
    jn_vec3 rho = m3_mul_v(&B->R, s->point);
    push(w, s->link, rho, s->force, s->torque);
    push(w, 0, v3_sub(v3_add(B->O, rho), w->link[0].O), v3_neg(s->force), v3_neg(s->torque));
    if (w->working) push_on(w->working->driving_load, s->link, rho, s->force, s->torque);
    w->power.driven += v3_dot(s->force, v3_add(B->V.v, v3_cross(B->V.w, rho))) + v3_dot(s->torque, B->V.w);
}

bool jn_push_set(const jn_model *m, jn_work *w, int body, jn_vec3 from_com, jn_vec3 force, jn_vec3 torque) {
    int link = m->bodies[body].link;
    const jn_link *l = &m->links[link];
    jn_push *old = &w->push[body], now = {.link = link, .force = force, .torque = torque};
    now.on = v3_norm(force) > 0 || v3_norm(torque) > 0;
    now.point = v3_add(l->com, m3_mul_v(&l->user, from_com));
    bool same = now.on == old->on && now.point.x == old->point.x && now.point.y == old->point.y &&
                now.point.z == old->point.z && !memcmp(&now.force, &old->force, sizeof now.force) &&
                !memcmp(&now.torque, &old->torque, sizeof now.torque);
    if (same || (!now.on && !old->on)) return false;
    w->push_count += now.on - old->on;
    *old = now;
    if (!now.on) memset(w->load, 0, (size_t)m->link_count * sizeof *w->load); /* nothing may write there from now on */
    return true;
}

/* What acts on joint coordinates, summed: elastic energy [J] and powers [W]. */
typedef struct tally {
    double elastic, dissipated, driven;
} tally;

/* Elastic stop: pushes back, never pulls. */
static inline void stop(tally *sum, const jn_coordinate_desc *law, double depth, double rate, double sign, double *all,
                        double *elastic) {
    double spring_part = law->limit_stiffness * depth, f = spring_part + law->limit_damping * rate;
    *all += sign * jn_max(f, 0);
    *elastic += sign * spring_part;
    sum->elastic += 0.5 * spring_part * depth;
}

/* What the motor is asked for, as far as it can give it. In the direction of the motion its limit falls with the speed. */
static double motor(const jn_model *m, jn_work *w, const jn_coordinate_desc *law, double x, double v) {
    double target = jn_function_given(law->motor_target) ? call(m, w, law->motor_target, x, v) - x : 0;
    double f = law->motor_kp * target + law->motor_kd * (call(m, w, law->motor_speed, x, v) - v) +
               call(m, w, law->motor_feed, x, v);
    double most = law->motor_gear * law->motor_max, left = 1 - law->motor_gear * fabs(v) / law->motor_no_load;
    double along = isinf(law->motor_no_load) ? most : most * jn_max(left, 0);
    return jn_max(v < 0 ? -along : -most, jn_min(v > 0 ? along : most, f));
}

static inline double actuator(const jn_model *m, jn_work *w, const jn_actuator *a, tally *sum) {
    const jn_coordinate_desc *law = &a->law;
    double x = w->position[a->handle], v = w->speed[a->handle], rest = jn_spring_stretch(law, x);
    double spring_force = -law->stiffness * rest, damper = -law->damping * v;
    bool rubs = law->friction != 0 && !(a->dry && w->dry_rows);
    double dry = rubs ? -law->friction * jn_tanh(v / law->friction_speed) : 0;
    double stops = 0, stop_elastic = 0; /* all of the stops' force, and its elastic part */
    if (law->has_lower && x < law->lower) stop(sum, law, law->lower - x, -v, 1, &stops, &stop_elastic);
    if (law->has_upper && x > law->upper) stop(sum, law, x - law->upper, v, -1, &stops, &stop_elastic);
    double outside = call(m, w, law->force, x, v);
    if (law->has_motor) outside += motor(m, w, law, x, v);
    if (m->actuation_count) outside += w->drive[a->handle];
    if (w->working) {
        double dissipating = damper + dry + (stops - stop_elastic);
        if (dissipating != 0) jn_handle_scatter(m, w, a->handle, dissipating, w->working->dissipating);
        if (outside != 0) jn_handle_scatter(m, w, a->handle, outside, w->working->driving);
    }
    sum->elastic += 0.5 * law->stiffness * rest * rest;
    sum->dissipated -= (damper + dry + (stops - stop_elastic)) * v;
    sum->driven += outside * v;
    return spring_force + damper + dry + stops + outside;
}

/* Place or velocity of a body's centre of mass, or its angular velocity, in world axes. */
static double read_body(const jn_model *m, const jn_work *w, const jn_signal_desc *signal) {
    const jn_link_motion *B = &w->link[m->bodies[signal->body].link];
    if (!signal->speed) return v3_get(v3_add(B->O, B->c), signal->coordinate);
    if (signal->coordinate >= 3) return v3_get(B->V.w, signal->coordinate - 3);
    return v3_get(v3_add(B->V.v, v3_cross(B->V.w, B->c)), signal->coordinate);
}

static void read_signals(const jn_model *m, jn_work *w, const jn_state *s) {
    w->var[JN_VAR_T] = s->t;
    for (int i = 0; i < m->signal_count; i++) {
        int handle = m->signal_handle[i];
        if (handle < 0) {
            w->var[JN_VAR_SIGNAL + i] = read_body(m, w, &m->signals[i]);
            continue;
        }
        w->var[JN_VAR_SIGNAL + i] = m->signals[i].speed ? w->speed[handle] : w->position[handle];
    }
}

static void control(const jn_model *m, jn_work *w, const jn_state *s) {
    memset(w->control_tau, 0, (size_t)m->nv * sizeof *w->control_tau);
    w->control(w->control_context, m, s, w->control_tau);
    for (int k = 0; k < m->nv; k++) {
        w->tau[k] += w->control_tau[k];
        if (w->working) w->working->driving[k] += w->control_tau[k];
        w->power.driven += w->control_tau[k] * s->u[k];
    }
}

static void begin_working(const jn_model *m, const jn_work *w, jn_working_forces *f) {
    memset(f->dissipating, 0, (size_t)m->nv * sizeof *f->dissipating);
    memset(f->driving, 0, (size_t)m->nv * sizeof *f->driving);
    f->wind = 0;
    if (!jn_work_has_loads(m, w)) return;
    memset(f->dissipating_load, 0, (size_t)m->link_count * sizeof *f->dissipating_load);
    memset(f->driving_load, 0, (size_t)m->link_count * sizeof *f->driving_load);
}

static void end_working(const jn_model *m, const jn_work *w, jn_working_forces *f) {
    if (!jn_work_has_loads(m, w)) return;
    jn_wrenches_gather(m, w, f->dissipating_load, f->dissipating);
    jn_wrenches_gather(m, w, f->driving_load, f->driving);
}

jn_ledger jn_working_power(const jn_model *m, const jn_working_forces *f, const double *v) {
    jn_ledger power = {.dissipated = f->wind, .driven = f->wind};
    for (int k = 0; k < m->nv; k++) power.dissipated -= f->dissipating[k] * v[k], power.driven += f->driving[k] * v[k];
    return power;
}

void jn_forces(const jn_model *m, jn_work *w, const jn_state *s) {
    w->counts.forces++;
    w->elastic = w->contact_elastic = 0;
    w->power = (jn_ledger){0};
    if (jn_work_has_loads(m, w)) memset(w->load, 0, (size_t)m->link_count * sizeof *w->load);
    if (m->actuator_count || w->control) memset(w->tau, 0, (size_t)m->nv * sizeof *w->tau);
    if (w->working) begin_working(m, w, w->working);
    read_signals(m, w, s);
    if (m->actuation_count) jn_actuations(m, w, s);
    for (int i = 0; i < m->spring_count; i++) spring(m, w, &m->springs[i]);
    for (int i = 0; i < m->bushing_count; i++) bushing(w, &m->bushings[i]);
    for (int i = 0; i < m->applied_count; i++) applied(m, w, &m->applied[i]);
    for (int i = 0; i < m->body_count && w->push_count; i++) user_push(w, &w->push[i]);
    tally sum = {w->elastic, w->power.dissipated, w->power.driven};
    for (int i = 0; i < m->actuator_count; i++) {
        const jn_actuator *a = &m->actuators[i];
        double f = w->force[a->handle] = actuator(m, w, a, &sum);
        jn_handle_scatter(m, w, a->handle, f, w->tau);
    }
    w->elastic = sum.elastic, w->power.dissipated = sum.dissipated, w->power.driven = sum.driven;
    if (w->control) control(m, w, s);
    if (w->working) end_working(m, w, w->working);
}
