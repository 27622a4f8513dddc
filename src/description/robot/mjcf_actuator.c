/* MJCF: actuators on joints, tendons and sites. */
#include "description/robot/mjcf.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- actuators */

typedef struct drive {
    double gear, gain[3], bias[3]; /* force = gear (gain . (1, length, speed) act + bias . (1, length, speed)) */
    double wrench[6];              /* gear of a site */
    enum { NO_STATE, LAG, INTEGRAL } state; /* how act follows the control */
    double lag, act[2];                     /* [s]; range of an integral */
    bool held;                              /* it is bounded */
    double control[2], force[2];
    bool bounded, forced;
    const char *name; /* of the parameter that is its control */
} drive;

/* A name for an expression: letters, digits and _. */
static const char *parameter_name(jn_mjcf *x, const char *of) {
    char text[60];
    size_t n = 0;
    const char *full = jn_robot_text(x->b, "%sctrl_%.40s", x->b->prefix, of);
    for (; full[n] && n + 1 < sizeof text; n++) {
        char c = full[n];
        text[n] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    }
    text[n] = 0;
    const char *name = jn_robot_text(x->b, "%s", text);
    for (int k = 2, i = 0; i < x->b->parameter_count; i++)
        if (!strcmp(x->b->parameters[i].name, name)) name = jn_robot_text(x->b, "%s_%d", text, k++), i = -1;
    return name;
}

/* inheritrange: so many times the range of the joint, about its middle, bounds the target. */
static bool inherit_range(jn_mjcf *x, const jn_xml *e, const jn_robot_joint *j, drive *d) {
    double share = 0;
    if (!jn_robot_numbers(x->b, e, "inheritrange", 1, false, &share)) return false;
    if (!(share > 0) || !j || !j->has_lower || d->bounded) return true;
    double middle = 0.5 * (j->lower + j->upper) + j->reference, half = 0.5 * share * (j->upper - j->lower);
    d->control[0] = middle - half, d->control[1] = middle + half, d->bounded = true;
    return true;
}

/* The state of an actuator, as its type or dyntype says. */
static bool read_state(jn_mjcf *x, const jn_xml *e, drive *d) {
    jn_robot *b = x->b;
    const char *dyn = jn_xml_attribute_of(e, "dyntype");
    double prm[10] = {1};
    bool cylinder = !strcmp(e->name, "cylinder"), lags = dyn && !strncmp(dyn, "filter", 6);
    if (jn_robot_list(b, e, "dynprm", 10, prm) < 0) return false;
    d->lag = cylinder ? 1 : lags ? prm[0] : 0;
    if (jn_robot_list(b, e, "timeconst", 1, &d->lag) < 0) return false;
    if (!strcmp(e->name, "intvelocity") || (dyn && !strcmp(dyn, "integrator")))
        d->state = INTEGRAL;
    else if (d->lag > 0)
        d->state = LAG;
    if (!jn_robot_numbers(b, e, "actrange", 2, false, d->act)) return false;
    int held = jn_mjcf_flag(x, e, "actlimited", -1);
    d->held = held == 1 || (held < 0 && x->limits_by_range && jn_xml_attribute_of(e, "actrange"));
    return true;
}

/* Gain and bias of the shortcuts for servos; moved: [kg], [kg m^2] what they move as drawn. */
static bool read_servo(jn_mjcf *x, const jn_xml *e, double moved, drive *d) {
    jn_robot *b = x->b;
    bool speed = !strcmp(e->name, "velocity");
    double kp = 1, kv = speed ? 1 : 0, ratio = 0;
    if (!jn_robot_numbers(b, e, "kp", 1, false, &kp) || !jn_robot_numbers(b, e, "kv", 1, false, &kv) ||
        !jn_robot_numbers(b, e, "dampratio", 1, false, &ratio))
        return false;
    if (!speed && ratio > 0 && kp > 0 && d->gear != 0) kv = 2 * ratio * sqrt(kp * moved) / fabs(d->gear);
    d->gain[0] = speed ? kv : kp, d->bias[1] = speed ? 0 : -kp, d->bias[2] = -kv;
    return true;
}

static bool read_drive(jn_mjcf *x, const jn_xml *e, double moved, drive *d) {
    jn_robot *b = x->b;
    double gain[10] = {1}, bias[10] = {0}, kv = 1, area = 1, wide = -1;
    const char *gains = jn_xml_attribute_of(e, "gaintype"), *biases = jn_xml_attribute_of(e, "biastype");
    d->wrench[0] = 1;
    if (jn_robot_list(b, e, "gear", 6, d->wrench) < 0 || jn_robot_list(b, e, "gainprm", 10, gain) < 0 ||
        jn_robot_list(b, e, "biasprm", 10, bias) < 0 || !jn_robot_numbers(b, e, "ctrlrange", 2, false, d->control) ||
        !jn_robot_numbers(b, e, "forcerange", 2, false, d->force) || !read_state(x, e, d))
        return false;
    int bounded = jn_mjcf_flag(x, e, "ctrllimited", -1), forced = jn_mjcf_flag(x, e, "forcelimited", -1);
    d->gear = d->wrench[0], d->gain[0] = 1;
    d->bounded = bounded == 1 || (bounded < 0 && x->limits_by_range && jn_xml_attribute_of(e, "ctrlrange"));
    d->forced = forced == 1 || (forced < 0 && x->limits_by_range && jn_xml_attribute_of(e, "forcerange"));
    if (!strcmp(e->name, "position") || !strcmp(e->name, "velocity") || !strcmp(e->name, "intvelocity"))
        return read_servo(x, e, moved, d);
    if (!strcmp(e->name, "damper")) {
        if (!jn_robot_numbers(b, e, "kv", 1, false, &kv)) return false;
        d->gain[0] = 0, d->gain[2] = -kv;
    } else if (!strcmp(e->name, "cylinder")) {
        if (!jn_robot_numbers(b, e, "area", 1, false, &area) || !jn_robot_numbers(b, e, "diameter", 1, false, &wide) ||
            jn_robot_list(b, e, "bias", 3, d->bias) < 0)
            return false;
        d->gain[0] = wide >= 0 ? 0.25 * 3.14159265358979323846 * wide * wide : area;
    } else if (!strcmp(e->name, "general")) {
        d->gain[0] = gain[0];
        for (int k = 1; k < 3 && gains && !strcmp(gains, "affine"); k++) d->gain[k] = gain[k];
        for (int k = 0; k < 3 && biases && !strcmp(biases, "affine"); k++) d->bias[k] = bias[k];
    }
    return true;
}

/* Why an actuator cannot be taken over; NULL if it can. */
static const char *strange(const jn_xml *e) {
    static const char *const ways[] = {"refsite", "body", "slidersite", "cranksite", NULL};
    static const char *const kinds[] = {"motor",  "position",    "velocity", "general",
                                        "damper", "intvelocity", "cylinder", NULL};
    static const char *const states[] = {"none", "filter", "filterexact", "integrator", NULL};
    const char *dyn = jn_xml_attribute_of(e, "dyntype"), *gain = jn_xml_attribute_of(e, "gaintype"),
               *bias = jn_xml_attribute_of(e, "biastype");
    bool known = false, follows = !dyn;
    for (int i = 0; ways[i]; i++)
        if (jn_xml_attribute_of(e, ways[i])) return "actuators that act on neither a joint, a tendon nor a site alone";
    for (int i = 0; states[i]; i++) follows |= dyn && !strcmp(dyn, states[i]);
    for (int i = 0; kinds[i]; i++) known |= !strcmp(e->name, kinds[i]);
    if (!follows || (gain && strcmp(gain, "fixed") && strcmp(gain, "affine")) ||
        (bias && strcmp(bias, "none") && strcmp(bias, "affine")))
        return "actuators with muscles, or with states, gains and biases of a program";
    return known ? NULL : "actuators that are not understood";
}

/* The control, or what follows it: controls are parameters, so that a lag is 1 - exp(-t / T), and an integral grows with t. */
static const char *act_text(jn_mjcf *x, const drive *d) {
    jn_robot *b = x->b;
    const char *u =
        d->bounded ? jn_robot_text(b, "min(max(%s, %.15g), %.15g)", d->name, d->control[0], d->control[1]) : d->name;
    if (d->state == LAG) return jn_robot_text(b, "%s*(1 - exp(-t/%.15g))", u, d->lag);
    if (d->state != INTEGRAL) return u;
    return d->held ? jn_robot_text(b, "min(max(%s*t, %.15g), %.15g)", u, d->act[0], d->act[1])
                   : jn_robot_text(b, "%s*t", u);
}

/* The force as an expression of the control and of x and v of the joint or tendon; reference: what the file calls x = 0. */
static const char *force_text(jn_mjcf *x, const drive *d, double reference) {
    jn_robot *b = x->b;
    const char *gain = jn_robot_text(b, "%.15g", d->gain[0]);
    if (d->gain[1] != 0) gain = jn_robot_text(b, "%s + %.15g*(x + %.15g)", gain, d->gain[1] * d->gear, reference);
    if (d->gain[2] != 0) gain = jn_robot_text(b, "%s + %.15g*v", gain, d->gain[2] * d->gear);
    if (d->gain[1] != 0 || d->gain[2] != 0) gain = jn_robot_text(b, "(%s)", gain);
    const char *f = jn_robot_text(b, "%s*%s", gain, act_text(x, d));
    if (d->bias[0] != 0) f = jn_robot_text(b, "%s + %.15g", f, d->bias[0]);
    if (d->bias[1] != 0) f = jn_robot_text(b, "%s + %.15g*(x + %.15g)", f, d->bias[1] * d->gear, reference);
    if (d->bias[2] != 0) f = jn_robot_text(b, "%s + %.15g*v", f, d->bias[2] * d->gear);
    if (d->forced) f = jn_robot_text(b, "min(max(%s, %.15g), %.15g)", f, d->force[0], d->force[1]);
    return d->gear == 1 ? f : jn_robot_text(b, "%.15g*(%s)", d->gear, f);
}

static const char *const actuator_known[] = {
    "name",      "class",        "group",       "user",        "joint",       "jointinparent",
    "tendon",    "gear",         "ctrlrange",   "ctrllimited", "forcerange",  "forcelimited",
    "actrange",  "actlimited",   "lengthrange", "kp",          "kv",          "dampratio",
    "gainprm",   "gaintype",     "biasprm",     "biastype",    "dynprm",      "dyntype",
    "timeconst", "inheritrange", "actdim",      "actearly",    "cranklength", "site",
    "area",      "diameter",     "bias",        NULL};
static const char *const actuator_changing[] = {NULL};

/* As MuJoCo has it for damping ratios: the sum over the joints of inertia / factor^2. */
static double moved_by_tendon(const jn_robot *b, const jn_robot_tendon *t) {
    double sum = 0;
    for (int k = 0; k < t->count; k++)
        if (t->factor[k] != 0) sum += jn_robot_moved_inertia(b, t->joint[k]) / (t->factor[k] * t->factor[k]);
    return sum;
}

/* Adds the force to what drives the joint or tendon already; j: NULL for a tendon. */
static bool add_force(jn_mjcf *x, const jn_xml *e, const char *of, double moved, double reference,
                      const jn_robot_joint *j, const char **force) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name");
    drive d = {0};
    jn_mjcf_look(x, e, actuator_known, actuator_changing);
    if (!read_drive(x, e, moved, &d) || !inherit_range(x, e, j, &d)) return false;
    d.name = parameter_name(x, name ? name : of);
    if (!jn_robot_add_parameter(b, d.name, 0, e->where)) return false;
    x->controls[x->control_count - 1] = b->parameter_count - 1;
    const char *f = force_text(x, &d, reference);
    *force = *force ? jn_robot_text(b, "%s + %s", *force, f) : f;
    return true;
}

static bool drive_tendon(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    const char *tendon = jn_xml_attribute_of(e, "tendon");
    for (int i = 0; i < b->tendon_count; i++)
        if (!strcmp(b->tendons[i].name, tendon))
            return add_force(x, e, tendon, moved_by_tendon(b, &b->tendons[i]), b->tendons[i].reference, NULL,
                             &b->tendons[i].force);
    return jn_read_error(b->r, e->where, JN_ERR_MODEL, "there is no tendon '%.60s'", tendon);
}

/* A wrench at a site, along its axes. Its length is 0, and what hangs on its speed is left to programs. */
static bool drive_site(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    const char *site = jn_xml_attribute_of(e, "site"), *name = jn_xml_attribute_of(e, "name");
    const jn_robot_point *p = NULL;
    drive d = {0};
    for (int i = 0; i < b->point_count && !p; i++)
        if (!strcmp(b->points[i].name, site)) p = &b->points[i];
    if (!p) return jn_read_error(b->r, e->where, JN_ERR_MODEL, "there is no site '%.60s'", site);
    jn_mjcf_look(x, e, actuator_known, actuator_changing);
    if (!read_drive(x, e, 0, &d)) return false;
    if (d.gain[2] != 0 || d.bias[2] != 0)
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : site, "actuators on sites that depend on speed",
                      "their damping is left out");
    d.gain[1] = d.gain[2] = d.bias[1] = d.bias[2] = 0, d.gear = 1;
    d.name = parameter_name(x, name ? name : site);
    if (!jn_robot_add_parameter(b, d.name, 0, e->where)) return false;
    x->controls[x->control_count - 1] = b->parameter_count - 1;
    if (p->body < 0) return true; /* the ground does not move */
    jn_robot_thrust *t = jn_robot_add_thrust(b, d.name, e->where, p->body);
    if (!t) return false;
    t->at = p->at, t->size = force_text(x, &d, 0);
    t->force = q4_rotate(p->orientation, v3(d.wrench[0], d.wrench[1], d.wrench[2]));
    t->torque = q4_rotate(p->orientation, v3(d.wrench[3], d.wrench[4], d.wrench[5]));
    return true;
}

static bool read_actuator(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    const char *why = strange(e), *name = jn_xml_attribute_of(e, "name");
    if (why) {
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : e->name, why, "they give no force");
        return true;
    }
    if (jn_xml_attribute_of(e, "tendon")) return drive_tendon(x, e);
    if (jn_xml_attribute_of(e, "site")) return drive_site(x, e);
    int k = jn_mjcf_find_joint(x, e, jn_xml_attribute_of(e, "joint") ? "joint" : "jointinparent");
    if (k < 0) return false;
    jn_robot_joint *j = &b->joints[k];
    if (jn_joint_type_info(j->type)->nv != 1) {
        if (j->type != JN_JOINT_FIXED)
            jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : e->name, "actuators on ball and free joints",
                          "they give no force");
        return true;
    }
    return add_force(x, e, j->name, jn_robot_moved_inertia(b, k), j->reference, j, &j->force);
}

static void bound_force(jn_robot *b, jn_robot_joint *j) {
    if (j->force && j->force_limited)
        j->force = jn_robot_text(b, "min(max(%s, %.15g), %.15g)", j->force, j->force_range[0], j->force_range[1]);
    j->force_limited = false;
}

bool jn_mjcf_read_actuators(jn_mjcf *x, const jn_xml *section) {
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = section->children[i];
        void *wide = jn_store_grow(x->b->r->scratch, x->controls, x->control_count, sizeof *x->controls);
        if (!wide) return jn_read_no_memory(x->b->r);
        x->controls = wide;
        x->controls[x->control_count++] = -1;
        if (!read_actuator(x, jn_mjcf_with_defaults(x, e, e->name, NULL)) && x->b->r->status == JN_ERR_MEMORY)
            return false;
    }
    for (int i = 0; i < x->b->joint_count; i++) bound_force(x->b, &x->b->joints[i]);
    return true;
}
