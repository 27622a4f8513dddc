/* DC motors: winding, heat, cogging and friction of bristles between what an actuator asks for and its force [MuJoCo, DC motor note],
 *
 *     L i' = V - R(T) i - K l',    C T' = R(T) i^2 - T / R_T,    z' = l' - s0 |l'| z / g(l'),
 *     f = K i + A sin(N l + phase) - s0 z - s1 z'.
 *
 * L is constant; MuJoCo keeps L / R(T), which is the same while the winding is at its reference temperature. Steps that take states after the motion
 * (jn_activations_follow) have forces at the time h after that of the states: each state by its own linear equation at the speed there, so that
 * windings and bristles that are fast for the step act as the dampers and springs they are. */
#include "algebra/elementary.h"
#include "motion/work.h"

static const double tiny = 1e-15;

static double resistance_of(const jn_actuation *a, const double *act) {
    const jn_motor_desc *m = &a->motor;
    if (a->temperature < 0) return m->resistance;
    double T = act[a->temperature] + m->ambient_temperature - m->reference_temperature;
    return jn_max(tiny, m->resistance * (1 + m->temperature_coefficient * T));
}

/* The current that the winding tends to. */
static double settled_current(const jn_actuation *a, const double *act, double voltage, double speed) {
    return (voltage - a->motor.constant * speed) / resistance_of(a, act);
}

double jn_motor_current(const jn_actuation *a, const double *act, double voltage, double speed) {
    if (!(a->motor.constant > 0)) return 0;
    return a->current < 0 ? settled_current(a, act, voltage, speed) : act[a->current];
}

/* The voltage for what is asked for, with its slopes in place of the force's. */
static jn_effort voltage_of(const jn_actuation *a, jn_effort e, double speed) {
    const jn_motor_desc *m = &a->motor;
    double by = m->by_voltage ? 1 : m->resistance / m->constant, back = m->by_voltage ? 0 : m->constant;
    double V = by * e.force + back * speed;
    if (m->voltage > 0 && fabs(V) > m->voltage) return (jn_effort){.force = V > 0 ? m->voltage : -m->voltage};
    return (jn_effort){.force = V,
                       .by_x = by * e.by_x,
                       .by_v = by * e.by_v + back * a->gear,
                       .by_input = by * e.by_input,
                       .by_control = by * e.by_control};
}

/* What a current does in a time h in which voltage and speed stay: it tends to `to` with the time constant `time`, at no more than the rate `most`.
 * follows: the part by which it follows a change of `to`. */
static double relax(double i, double to, double time, double most, double h, double *follows) {
    double away = fabs(to - i), ramp = most > 0 ? jn_max(0, away / most - time) : 0;
    *follows = 0;
    if (h <= ramp) return i + (to > i ? most : -most) * h;
    double left = ramp > 0 ? (to > i ? most : -most) * time : to - i, E = jn_exp(-(h - ramp) / time);
    *follows = 1 - E;
    return to - left * E;
}

/* The current at the time h after that of the states. */
static double later_current(const jn_actuation *a, const double *act, double h, double voltage, double speed,
                            double *follows) {
    double to = settled_current(a, act, voltage, speed);
    *follows = 1;
    return a->current < 0 ? to
                          : relax(act[a->current], to, a->motor.inductance / resistance_of(a, act),
                                  a->motor.current_rate, h, follows);
}

jn_effort jn_motor_drive(const jn_actuation *a, const double *act, double h, jn_effort e, double speed) {
    const jn_motor_desc *m = &a->motor;
    if (!(m->constant > 0)) return (jn_effort){0};
    jn_effort V = voltage_of(a, e, speed);
    double follows, i = later_current(a, act, h, V.force, speed, &follows),
                    G = follows * m->constant / resistance_of(a, act);
    jn_effort f = {.force = m->constant * i,
                   .by_x = G * V.by_x,
                   .by_v = G * (V.by_v - m->constant * a->gear),
                   .by_input = G * V.by_input,
                   .by_control = G * V.by_control,
                   .voltage = V.force};
    f.secant_x = f.by_x, f.secant_v = f.by_v;
    return f;
}

/* Friction of bristles in steady motion, and its slope. */
static double stribeck(const jn_motor_desc *m, double speed, double *slope) {
    double width = jn_max(tiny, m->stribeck_speed), ratio = speed / width,
           more = (m->stick - m->coulomb) * jn_exp(-ratio * ratio);
    *slope = -2 * ratio / width * more;
    return jn_max(tiny, m->coulomb + more);
}

/* z' = l' - r z with r = s0 |l'| / g, its rate of relaxation, and where it ends; values and slopes by the speed. */
typedef struct bristles {
    double rate, rate_slope, end, end_slope;
} bristles;

static bristles bristles_at(const jn_motor_desc *m, double speed) {
    double slope, g = stribeck(m, speed, &slope), s0 = m->bristle_stiffness, sign = speed > 0 ? 1 : speed < 0 ? -1 : 0;
    return (bristles){s0 * fabs(speed) / g, s0 * (sign / g - fabs(speed) * slope / (g * g)), sign * g / s0,
                      sign * slope / s0};
}

/* The deflection at a time h later at the same speed, and its slope by the speed. */
static double later_bristle(bristles b, double z, double h, double speed, double *slope) {
    *slope = h;
    if (speed == 0) return z;
    double E = jn_exp(-b.rate * h), away = z - b.end;
    *slope = b.end_slope * (1 - E) - away * E * h * b.rate_slope;
    return b.end + away * E;
}

jn_effort jn_motor_rub(const jn_actuation *a, const double *act, double h, jn_effort e, double l, double speed) {
    const jn_motor_desc *m = &a->motor;
    if (m->cogging[0] != 0) {
        double angle = m->cogging[1] * l + m->cogging[2],
               slope = m->cogging[0] * m->cogging[1] * a->gear * jn_cos(angle);
        e.force += m->cogging[0] * jn_sin(angle), e.by_x += slope, e.secant_x += slope;
    }
    if (a->bristle < 0) return e;
    bristles b = bristles_at(m, speed);
    double slope, z = later_bristle(b, act[a->bristle], h, speed, &slope);
    double by_v = m->bristle_stiffness * slope + m->bristle_damping * (1 - b.rate_slope * z - b.rate * slope);
    e.force -= m->bristle_stiffness * z + m->bristle_damping * (speed - b.rate * z);
    e.by_v -= a->gear * by_v, e.secant_v -= a->gear * by_v;
    return e;
}

void jn_motor_rates(const jn_actuation *a, const double *act, double voltage, double speed, double *rate) {
    const jn_motor_desc *m = &a->motor;
    double R = resistance_of(a, act);
    if (a->temperature >= 0) {
        double i = jn_motor_current(a, act, voltage, speed);
        rate[a->temperature] = (R * i * i - act[a->temperature] / m->thermal_resistance) / m->heat_capacity;
    }
    if (a->bristle >= 0) rate[a->bristle] = speed - bristles_at(m, speed).rate * act[a->bristle];
    if (a->current < 0) return;
    double most = m->current_rate, by = (voltage - m->constant * speed - R * act[a->current]) / m->inductance;
    rate[a->current] = most > 0 ? jn_max(-most, jn_min(most, by)) : by;
}

/* The winding warms up by the current in the middle. */
void jn_motor_advance(const jn_actuation *a, double h, double voltage, double speed, double *act) {
    const jn_motor_desc *m = &a->motor;
    double unused, R = resistance_of(a, act);
    double i = later_current(a, act, 0.5 * h, voltage, speed, &unused), end = R * i * i * m->thermal_resistance;
    if (a->current >= 0) act[a->current] = later_current(a, act, h, voltage, speed, &unused);
    if (a->temperature >= 0)
        act[a->temperature] =
            end + (act[a->temperature] - end) * jn_exp(-h / (m->thermal_resistance * m->heat_capacity));
    if (a->bristle >= 0) act[a->bristle] = later_bristle(bristles_at(m, speed), act[a->bristle], h, speed, &unused);
}
