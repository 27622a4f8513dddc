/* Actuators: a control, its activation, and the force along a joint coordinate, a tendon or a length between places,
 *
 *     length l = gear (x + offset),    f = gain(l, l') w + feed u + bias(l, l'),    w: the activation, or the control u where there is none.
 *
 * Muscles [MuJoCo, Muscles]: gain = -F0 FL(L) FV(V), bias = -F0 FP(L), with lengths L in units of the fibre's own and speeds V of its
 * fastest. Activations follow their control by a first order equation; their rates are part of the equations of motion. Motors (motor.c) turn
 * what f asks for into a current. */
#include "algebra/elementary.h"
#include "motion/work.h"

static const double tiny = 1e-15;

/* Value and slope. */
typedef struct curve {
    double v, d;
} curve;

/* Two parabolas up from `low` to 1 at length 1, two down to `high`. */
static curve active_length(double L, double low, double high) {
    double a = 0.5 * (low + 1), b = 0.5 * (1 + high);
    if (L < low || L > high) return (curve){0, 0};
    bool rises = L <= 1, outer = L <= a || L > b;
    double width = jn_max(tiny, L <= a ? a - low : L <= 1 ? 1 - a : L <= b ? b - 1 : high - b);
    double x = (L <= a ? L - low : L <= 1 ? 1 - L : L <= b ? L - 1 : high - L) / width;
    double slope = x / width;
    return outer ? (curve){0.5 * x * x, rises ? slope : -slope} : (curve){1 - 0.5 * x * x, rises ? slope : -slope};
}

/* Nothing at the fastest shortening, 1 at rest, `most` when it is pulled. */
static curve active_speed(double V, double most) {
    double y = most - 1;
    if (V <= -1) return (curve){0, 0};
    if (V <= 0) return (curve){(V + 1) * (V + 1), 2 * (V + 1)};
    if (V > y) return (curve){most, 0};
    return (curve){most - (y - V) * (y - V) / jn_max(tiny, y), 2 * (y - V) / jn_max(tiny, y)};
}

static curve passive_length(double L, double high, double most) {
    double b = 0.5 * (1 + high), width = jn_max(tiny, b - 1);
    if (L <= 1) return (curve){0, 0};
    double x = (L <= b ? L - 1 : L - b) / width;
    return L <= b ? (curve){most * 0.5 * x * x, most * x / width} : (curve){most * (0.5 + x), most / width};
}

/* A force within its range. */
static jn_effort bounded(const jn_actuation *a, jn_effort e) {
    if (!a->has_force_range || (e.force >= a->force_range[0] && e.force <= a->force_range[1])) return e;
    double bound = jn_max(a->force_range[0], jn_min(a->force_range[1], e.force)), part = jn_max(0, bound / e.force);
    return (jn_effort){
        .force = bound, .secant_x = part * e.secant_x, .secant_v = part * e.secant_v, .voltage = e.voltage};
}

static inline jn_effort force_of(const jn_actuation *a, const double *act, double late, double peak, double input,
                                 double control, double x, double v) {
    double l = a->gear * (x + a->offset), speed = a->gear * v, gain = a->gain[0] + a->gain[1] * l + a->gain[2] * speed;
    double bias = a->bias[0] + a->bias[1] * l + a->bias[2] * speed, by_l = a->gain[1] * input + a->bias[1];
    double by_v = a->gain[2] * input + a->bias[2];
    const jn_muscle_desc *m = &a->muscle;
    double unit = 0, L = 0; /* of the fibre */
    if (a->is_muscle || a->is_elastic) {
        unit = (m->lengths[1] - m->lengths[0]) / jn_max(tiny, m->range[1] - m->range[0]);
        L = m->range[0] + (l - m->lengths[0]) / jn_max(tiny, unit);
    }
    if (a->is_muscle) {
        double fastest = jn_max(tiny, unit * m->fastest);
        curve FL = active_length(L, m->shortest, m->longest), FV = active_speed(speed / fastest, m->lengthening_force);
        gain = -peak * FL.v * FV.v;
        by_l = -peak * FL.d * FV.v / jn_max(tiny, unit) * input + (a->is_elastic ? 0 : a->bias[1]);
        by_v = -peak * FL.v * FV.d / fastest * input + (a->is_elastic ? 0 : a->bias[2]);
    }
    if (a->is_elastic) {
        curve FP = passive_length(L, m->longest, m->passive_force);
        bias = -peak * FP.v, by_l += -peak * FP.d / jn_max(tiny, unit);
    }
    double by_x = by_l * a->gear, by_control = a->activation == JN_ACTIVATION_NONE ? a->feed + gain : a->feed;
    by_v *= a->gear;
    jn_effort e = {gain * input + bias, by_x, by_v, gain, by_control, by_x, by_v, 0};
    if (a->feed != 0) e.force += a->feed * control;
    if (a->is_motor) e = jn_motor_drive(a, act, late, e, speed);
    e = bounded(a, e);
    return a->is_motor ? jn_motor_rub(a, act, late, e, l, speed) : e;
}

/* Quintic from 0 to 1. */
static double sigmoid(double x) { return x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (3 * x * (2 * x - 5) + 10); }

double jn_activation_rate(const jn_actuation *a, double control, double act) {
    double rate = 0;
    if (a->activation == JN_ACTIVATION_INTEGRATOR || a->activation == JN_ACTIVATION_ERROR) rate = control;
    if (a->activation == JN_ACTIVATION_FILTER) rate = (control - act) / jn_max(tiny, a->time[0]);
    if (a->activation == JN_ACTIVATION_MUSCLE) { /* [Millard2013, eq. 1] */
        double target = jn_max(0, jn_min(1, control)), held = jn_max(0, jn_min(1, act)), by = target - act;
        double up = a->time[0] * (0.5 + 1.5 * held), down = a->time[1] / (0.5 + 1.5 * held);
        double T = a->smoothing < tiny ? (by > 0 ? up : down) : down + (up - down) * sigmoid(by / a->smoothing + 0.5);
        rate = by / jn_max(tiny, T);
    }
    bool ends = a->has_activation_range &&
                ((act <= a->activation_range[0] && rate < 0) || (act >= a->activation_range[1] && rate > 0));
    return ends ? 0 : rate;
}

double jn_actuation_control(const jn_model *m, const jn_work *w, const jn_state *s, int i) {
    const jn_actuation *a = &m->actuations[i];
    double u = s->control[i];
    if (jn_function_given(a->control)) u += jn_function_value(a->control, m->tables, w->var);
    return a->has_control_range ? jn_max(a->control_range[0], jn_min(a->control_range[1], u)) : u;
}

/* What drives the force: the activation within its range, or the control. */
static double input_of(const jn_actuation *a, const jn_state *s, double control) {
    if (a->activation == JN_ACTIVATION_NONE) return control;
    double act = s->act[a->state];
    return a->has_activation_range ? jn_max(a->activation_range[0], jn_min(a->activation_range[1], act)) : act;
}

static inline void find_effort(const jn_model *m, const jn_work *w, const jn_state *s, int i, jn_effort *out) {
    const jn_actuation *a = &m->actuations[i];
    double u = w->control_value[i], late = s->t > w->act_time ? s->t - w->act_time : 0;
    *out =
        force_of(a, s->act, late, w->muscle_peak[i], input_of(a, s, u), u, w->position[a->handle], w->speed[a->handle]);
}

jn_effort jn_actuation_effort(const jn_model *m, const jn_work *w, const jn_state *s, int i) {
    jn_effort out;
    find_effort(m, w, s, i, &out);
    return out;
}

/* What actuators of tendons and at places bring to the velocities: w->column. */
static void scatter_drives(const jn_model *m, const jn_work *w) {
    for (int k = 0; k < m->nv; k++) w->column[k] = 0;
    for (int t = 0; t < m->tendon_count; t++) {
        int h = m->tendons[t].handle;
        if (w->drive[h] != 0) jn_handle_scatter(m, w, h, w->drive[h], w->column);
    }
    for (int r = 0; r < m->reach_count; r++) {
        int h = m->reaches[r].handle;
        bool along_tendon = m->reaches[r].type == JN_REACH_PATH || m->reaches[r].type == JN_REACH_ROTATION;
        if (!along_tendon && w->drive[h] != 0) jn_handle_scatter(m, w, h, w->drive[h], w->column);
    }
}

/* Forces of all actuators of a joint or tendon together stay within a range: tendons first, then joints with what others bring. */
static void bound_totals(const jn_model *m, jn_work *w, bool joined) {
    bool scattered = false;
    for (int i = 0; i < m->actuation_count; i++) {
        const jn_actuation *a = &m->actuations[i];
        if (!a->has_total_range || a->joined != joined) continue;
        if (joined && !scattered) scatter_drives(m, w), scattered = true;
        double *f = &w->drive[a->handle], other = joined ? w->column[m->handles[a->handle].v] : 0, sum = *f + other;
        if (sum >= a->total_range[0] && sum <= a->total_range[1]) continue;
        double bound = jn_max(a->total_range[0], jn_min(a->total_range[1], sum)), part = jn_max(0, bound / sum);
        for (int k = 0; k < m->actuation_count && !joined && m->handles[a->handle].v < 0;
             k++) /* those of a tendon each give their part */
            if (m->actuations[k].handle == a->handle) w->effort[k].force *= bound / sum;
        *f = bound - other;
        w->drive_x[a->handle] = w->drive_v[a->handle] = 0;
        w->drive_secant_x[a->handle] *= part, w->drive_secant_v[a->handle] *= part;
    }
}

void jn_actuations(const jn_model *m, jn_work *w, const jn_state *s) {
    for (int i = 0; i < m->actuation_count; i++) {
        int h = m->actuations[i].handle;
        w->drive[h] = w->drive_x[h] = w->drive_v[h] = w->drive_secant_x[h] = w->drive_secant_v[h] = 0;
    }
    bool bounded = false;
    for (int i = 0; i < m->actuation_count; i++) {
        const jn_actuation *a = &m->actuations[i];
        w->control_value[i] = jn_actuation_control(m, w, s, i);
        jn_effort *e = &w->effort[i];
        double gear = a->gear;
        int h = a->handle;
        find_effort(m, w, s, i, e);
        bounded |= a->has_total_range;
        w->drive[h] += gear * e->force;
        w->drive_x[h] += gear * e->by_x, w->drive_v[h] += gear * e->by_v;
        w->drive_secant_x[h] += gear * e->secant_x, w->drive_secant_v[h] += gear * e->secant_v;
        if (a->activation != JN_ACTIVATION_NONE)
            w->act_rate[a->state] = jn_activation_rate(a, jn_activation_input(w, a, i), s->act[a->state]);
        if (a->is_motor) jn_motor_rates(a, s->act, e->voltage, gear * w->speed[h], w->act_rate);
    }
    if (!bounded) return;
    bound_totals(m, w, false);
    bound_totals(m, w, true);
}

double jn_drive_along(const jn_model *m, const jn_work *w, int handle) {
    int v = m->handles[handle].v;
    if (v < 0) return w->drive[handle];
    scatter_drives(m, w);
    return w->drive[handle] + w->column[v];
}

/* Peak force of muscles without one: scale over the acceleration that a unit force gives as drawn, |M^-1 r| with the row r of the length. */
void jn_muscle_peaks(const jn_model *m, jn_work *w) {
    bool any = false;
    for (int i = 0; i < m->actuation_count; i++) {
        w->muscle_peak[i] = m->actuations[i].muscle.force;
        any |= (m->actuations[i].is_muscle || m->actuations[i].is_elastic) && w->muscle_peak[i] < 0;
    }
    jn_state *s = any ? jn_state_create(m) : NULL;
    if (!s) return;
    if (jn_mass_factor(m, w, s) >= 0) {
        jn_measure_all(m, w, s);
        for (int i = 0; i < m->actuation_count; i++) {
            const jn_actuation *a = &m->actuations[i];
            double sum = 0, *y = w->column;
            if (!(w->muscle_peak[i] < 0)) continue;
            for (int k = 0; k < m->nv; k++) y[k] = 0;
            jn_handle_scatter(m, w, a->handle, a->gear, y);
            jn_mass_solve(m, w, y);
            for (int k = 0; k < m->nv; k++) sum += y[k] * y[k];
            w->muscle_peak[i] = a->muscle.scale / jn_max(tiny, sqrt(sum));
        }
    }
    jn_state_free(s);
}

jn_actuator_motion jn_actuator_motion_get(const jn_model *m, const jn_work *w, int actuator) {
    const jn_actuation *a = &m->actuations[actuator];
    double act = a->activation == JN_ACTIVATION_NONE ? 0 : w->state->act[a->state];
    jn_actuator_motion out = {.force = w->effort[actuator].force,
                              .length = a->gear * (w->position[a->handle] + a->offset),
                              .speed = a->gear * w->speed[a->handle],
                              .control = w->control_value[actuator],
                              .activation = act};
    if (!a->is_motor) return out;
    out.voltage = w->effort[actuator].voltage;
    out.current = jn_motor_current(a, w->state->act, out.voltage, out.speed);
    out.temperature = a->motor.ambient_temperature + (a->temperature < 0 ? 0 : w->state->act[a->temperature]);
    return out;
}
