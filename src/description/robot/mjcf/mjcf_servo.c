/* MJCF: actuators with several inputs since MuJoCo 3.12, <pid> and <dcmotor>,
 *
 *     f = kp (pos - l) + kv (vel - l') + ki z + ff,    z' = pos - l,
 *
 * and of a motor with the constant K and the resistance R on a voltage alone f = K/R (voltage - K l') [MuJoCo, XML reference, actuator/pid,
 * actuator/dcmotor]. A motor's controller makes up for the back-EMF: its torque is the one it asks for, and a voltage beside it adds K/R of it. What
 * it has besides, from inductance to friction, is that of motor.c. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

enum { POSITION, SPEED, FORWARD, VOLTAGE, INPUTS };

static const char *const input_words[INPUTS] = {"pos", "vel", "ff", "voltage"};
static const char *const input_ranges[INPUTS] = {"posrange", "velrange", "ffrange", NULL};

/* The inputs that an actuator has, by bits. False with a message if it names others. */
static bool read_inputs(jn_mjcf *x, const jn_xml *e, bool motor, int *inputs) {
    const char *text = jn_xml_attribute_of(e, "input");
    *inputs = 0;
    if (!text) text = motor ? "voltage" : "pos vel";
    while (*(text += strspn(text, " \t\n\r"))) {
        size_t n = strcspn(text, " \t\n\r");
        int k = 0;
        while (k < (motor ? INPUTS : VOLTAGE) && !(strlen(input_words[k]) == n && !strncmp(input_words[k], text, n)))
            k++;
        bool none = n == 4 && !strncmp(text, "none", 4);
        if (!none && k == (motor ? INPUTS : VOLTAGE))
            return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                                 "<%s input> has a word that is not understood: '%.*s'\nwrite pos, vel, ff%s", e->name,
                                 (int)n, text, motor ? ", voltage, or none" : "");
        if (!none) *inputs |= 1 << k;
        text += n;
    }
    return true;
}

int jn_mjcf_input_count(const jn_xml *e) {
    const char *text = jn_xml_attribute_of(e, "input");
    bool servo = !strcmp(e->name, "pid"), turn = !strcmp(e->name, "orientation");
    if (turn) return text && !strcmp(text, "quat") ? 4 : 3;
    if (!servo && strcmp(e->name, "dcmotor")) return 1;
    if (!text) return servo ? 2 : 1;
    int count = 0;
    while (*(text += strspn(text, " \t\n\r"))) count += strncmp(text, "none", 4) != 0, text += strcspn(text, " \t\n\r");
    return count;
}

/* Motor constant and resistance, given or from the nominal voltage, stall torque and speed without load [MuJoCo, DC motor note, 2.1]. */
static bool read_constants(jn_mjcf *x, const jn_xml *e, double *K, double *R) {
    double k[2] = {0, 0}, nominal[3] = {0, 0, 0}, viscous[3] = {0};
    if (jn_robot_list(x->b, e, "motorconst", 2, k) < 0 || !jn_robot_numbers(x->b, e, "resistance", 1, false, R) ||
        jn_robot_list(x->b, e, "nominal", 3, nominal) < 0 || jn_robot_list(x->b, e, "damping", 3, viscous) < 0)
        return false;
    double V = nominal[0], torque = nominal[1], speed = nominal[2], B = viscous[0];
    if (V > 0 && k[1] <= 0 && speed > 0) {
        double left = V * V - 4 * *R * B * speed * speed, without = V / speed;
        k[1] = without;
        if (B > 0 && *R > 0 && left > 0) k[1] = (V + sqrt(left)) / (2 * speed);
        if (B > 0 && !(*R > 0) && torque > 0 && without - V * B / torque > 0) k[1] = without - V * B / torque;
    }
    *K = k[0] > 0 && k[1] > 0 ? sqrt(k[0] * k[1]) : k[0] > 0 ? k[0] : k[1];
    if (*R == 0 && V > 0 && torque > 0 && *K > 0) *R = *K * V / torque;
    return (*K > 0 && *R > 0) ||
           jn_read_error(
               x->b->r, e->where, JN_ERR_MODEL,
               "<dcmotor> needs a motor constant and a resistance above 0\nwrite motorconst and resistance, or "
               "nominal=\"voltage stall_torque no_load_speed\"");
}

/* Resistance to heat and capacity of the winding, of which two or their product are given. */
static bool read_heat(jn_mjcf *x, const jn_xml *e, jn_motor_desc *m) {
    double heat[6] = {0};
    if (jn_robot_list(x->b, e, "thermal", 6, heat) < 0) return false;
    double resistance = heat[0], capacity = heat[1], time = heat[2];
    if (!(resistance > 0 || capacity > 0 || time > 0)) return true;
    if (time > 0 && resistance > 0 && capacity == 0) capacity = time / resistance;
    if (time > 0 && capacity > 0 && resistance == 0) resistance = time / capacity;
    if (!(resistance > 0 && capacity > 0))
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                             "<dcmotor thermal> needs two of resistance, capacitance and timeconst above 0\n"
                             "write thermal=\"resistance capacitance timeconst tempcoef reftemp ambient\"");
    m->thermal_resistance = resistance, m->heat_capacity = capacity;
    m->temperature_coefficient = heat[3], m->reference_temperature = heat[4], m->ambient_temperature = heat[5];
    return true;
}

/* Winding, cogging and friction. */
static bool read_winding(jn_mjcf *x, const jn_xml *e, const double *saturation, jn_motor_desc *m) {
    double winding[2] = {0}, lugre[5] = {0};
    if (jn_robot_list(x->b, e, "inductance", 2, winding) < 0 || jn_robot_list(x->b, e, "lugre", 5, lugre) < 0 ||
        jn_robot_list(x->b, e, "cogging", 3, m->cogging) < 0 || !read_heat(x, e, m))
        return false;
    if (winding[0] < 0 || winding[1] < 0)
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<dcmotor inductance> is not negative");
    m->inductance = winding[0] > 0 ? winding[0] : winding[1] * m->resistance;
    m->current_rate = m->inductance > 0 ? saturation[2] : 0;
    if (!(lugre[0] > 0)) return true;
    if (!(lugre[2] > 0 && lugre[3] >= lugre[2]))
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                             "<dcmotor lugre> needs a coulomb friction above 0, and a static one no less\n"
                             "write lugre=\"stiffness damping coulomb static stribeck\"");
    m->bristle_stiffness = lugre[0], m->bristle_damping = lugre[1], m->coulomb = lugre[2], m->stick = lugre[3],
    m->stribeck_speed = lugre[4];
    return true;
}

/* Whether the motor is more than a force by a voltage. */
static bool is_real(const jn_motor_desc *m) {
    return m->voltage > 0 || m->inductance > 0 || m->thermal_resistance > 0 || m->cogging[0] != 0 ||
           m->bristle_stiffness > 0;
}

/* The law of a motor that is real: its inputs ask for a voltage, or for a force. */
static void ask_motor(jn_mjcf *x, const jn_xml *e, jn_mjcf_servo *s, bool controlled, jn_actuator_desc *d) {
    bool raw = s->inputs & 1 << VOLTAGE;
    d->is_motor = true, d->motor.by_voltage = !controlled;
    if (!controlled) s->volt = 1, d->bias[2] = 0;
    if (controlled && raw && d->motor.voltage > 0)
        jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, d->name,
                      "dcmotors with Vmax, and the input voltage beside others", "Vmax bounds it, too");
    if (s->ki > 0 && s->inputs != 1 << POSITION)
        jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, d->name,
                      "dcmotors with an integral part, inputs beside pos, and inductance, thermal or Vmax",
                      "what these inputs ask for acts at once");
}

static bool read_motor(jn_mjcf *x, const jn_xml *e, jn_mjcf_servo *s, jn_actuator_desc *d) {
    jn_motor_desc *m = &d->motor;
    double controller[6] = {0}, saturation[3] = {0};
    if (!read_constants(x, e, &m->constant, &m->resistance) ||
        jn_robot_list(x->b, e, "controller", 6, controller) < 0 ||
        jn_robot_list(x->b, e, "saturation", 3, saturation) < 0 || !read_winding(x, e, saturation, m))
        return false;
    double K = m->constant, R = m->resistance;
    bool controlled = s->inputs & (1 << POSITION | 1 << SPEED | 1 << FORWARD);
    s->volt = K / R;
    if (controlled)
        s->kp = controller[0], s->ki = controller[1], s->kv = controller[2], s->slew = controller[3],
        s->imax = controller[4];
    if (controlled) m->voltage = jn_fmax(0, controller[5]);
    d->bias[0] = 0, d->bias[1] = -s->kp, d->bias[2] = controlled ? -s->kv : -K * K / R;
    if (is_real(m)) ask_motor(x, e, s, controlled, d);
    double most = saturation[0] > 0 ? saturation[0] : K * saturation[1];
    if (most > 0) d->has_force_range = true, d->force_range[0] = -most, d->force_range[1] = most;
    return true;
}

bool jn_mjcf_read_servo(jn_mjcf *x, const jn_xml *e, jn_mjcf_servo *s, jn_actuator_desc *d) {
    bool motor = !strcmp(e->name, "dcmotor");
    if (!read_inputs(x, e, motor, &s->inputs)) return false;
    if (motor && !read_motor(x, e, s, d)) return false;
    if (!motor) {
        s->kp = d->gain[0], s->kv = -d->bias[2];
        if (!jn_robot_numbers(x->b, e, "ki", 1, false, &s->ki) ||
            !jn_robot_numbers(x->b, e, "imax", 1, false, &s->imax) ||
            !jn_robot_numbers(x->b, e, "slewmax", 1, false, &s->slew))
            return false;
    }
    if (s->ki > 0 && !(s->inputs & 1 << POSITION))
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<%s> with an integral part needs the input pos",
                             e->name);
    if (s->slew > 0)
        jn_robot_find(x->b, JN_FINDING_WARNING, e->where, d->name, "PID controllers with slewmax",
                      "controls that a program changes are followed at once");
    for (int k = 0; k < INPUTS; k++) {
        if (input_ranges[k] && jn_robot_list(x->b, e, input_ranges[k], 2, s->range[k]) < 0) return false;
        s->limited[k] = input_ranges[k] && jn_xml_attribute_of(e, input_ranges[k]) && x->compiler.limits_by_range;
    }
    return true;
}

/* An input within its range, times a factor; NULL: it has none. */
static const char *weighted(jn_mjcf *x, const jn_xml *e, const jn_mjcf_servo *s, const char *of, int k, double factor) {
    if (!(s->inputs >> k & 1)) return NULL;
    bool alone = s->inputs == 1 << k || k == POSITION;
    const char *name = jn_mjcf_add_control(x, e, alone ? of : jn_robot_text(x->b, "%.40s_%s", of, input_words[k]));
    if (!name || factor == 0) return NULL;
    if (s->limited[k]) name = jn_robot_text(x->b, "max(%.17g, min(%.17g, %s))", s->range[k][0], s->range[k][1], name);
    return jn_robot_text(x->b, "%.17g*%s", factor, name);
}

const char *jn_mjcf_servo_control(jn_mjcf *x, const jn_xml *e, jn_mjcf_servo *s, jn_actuator_desc *d) {
    double factor[INPUTS] = {s->kp, s->kv, 1, s->volt};
    const char *sum = NULL;
    int first = 0;
    while (first < INPUTS && !(s->inputs >> first & 1)) first++;
    if (d->has_control_range && first < INPUTS)
        s->limited[first] = true, s->range[first][0] = d->control_range[0], s->range[first][1] = d->control_range[1];
    bool single = first < INPUTS && s->inputs == 1 << first && s->ki == 0;
    d->gain[0] = single ? factor[first] : 1;
    d->has_control_range = single && s->limited[first];
    if (single) {
        d->control_range[0] = s->range[first][0], d->control_range[1] = s->range[first][1];
        return jn_mjcf_add_control(x, e, d->name);
    }
    bool whole = s->ki > 0; /* the position is the control, the others act beside it */
    for (int k = whole ? SPEED : 0, plain = 0; k < INPUTS; k++) {
        if (whole && plain++ == 0 && !(s->own = jn_mjcf_add_control(x, e, d->name))) return NULL;
        const char *one = weighted(x, e, s, d->name, k, factor[k]);
        if (x->b->r->status == JN_ERR_MEMORY) return NULL;
        if (one) sum = sum ? jn_robot_text(x->b, "%s + %s", sum, one) : one;
    }
    if (!whole) return sum ? sum : "0";
    d->activation = JN_ACTIVATION_ERROR, d->gain[0] = s->ki, d->feed = s->kp;
    if (s->imax > 0)
        d->has_activation_range = true, d->activation_range[0] = -s->imax, d->activation_range[1] = s->imax;
    d->has_control_range = s->limited[POSITION], d->control_range[0] = s->range[POSITION][0],
    d->control_range[1] = s->range[POSITION][1];
    s->beside = sum;
    return s->own;
}

bool jn_mjcf_servo_beside(jn_mjcf *x, const jn_mjcf_servo *s) {
    jn_robot *b = x->b;
    if (!s->beside || !b->actuator_count) return true;
    jn_robot_actuator main = b->actuators[b->actuator_count - 1];
    if (main.desc.has_force_range)
        jn_robot_find(b, JN_FINDING_PHYSICS, main.desc.where, main.desc.name,
                      "actuators with an integral part, a forcerange, and the input vel or ff",
                      "the range bounds what these inputs give, and the rest, apart");
    jn_actuator_desc d = jn_actuator_default(jn_robot_text(b, "%.50s_inputs", main.desc.name));
    d.where = main.desc.where, d.on = main.desc.on, d.gear = main.desc.gear, d.offset = main.desc.offset,
    d.rod = main.desc.rod;
    d.force = main.desc.force, d.torque = main.desc.torque;
    jn_robot_actuator *a = jn_robot_add_actuator(b, &d, s->beside);
    if (!a) return false;
    a->joint = main.joint, a->tendon = main.tendon, a->point = main.point, a->reference = main.reference;
    a->force_axes = main.force_axes, a->torque_axes = main.torque_axes;
    return true;
}
