/* MJCF: actuators on joints, tendons, sites and slider-cranks. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- actuators */

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

/* Two bounds that hold where a flag or the compiler says so. */
static bool read_bounds(jn_mjcf *x, const jn_xml *e, const char *name, const char *flag, bool *has, double *range) {
    int limited = jn_mjcf_flag(x, e, flag, -1);
    *has = limited == 1 || (limited < 0 && x->compiler.limits_by_range && jn_xml_attribute_of(e, name));
    return jn_robot_numbers(x->b, e, name, 2, false, range);
}

/* inheritrange: so many times the range of the joint, about its middle, bounds the target. */
static bool inherit_range(jn_mjcf *x, const jn_xml *e, const jn_robot_joint *j, jn_actuator_desc *d) {
    double share = 0;
    if (!jn_robot_numbers(x->b, e, "inheritrange", 1, false, &share)) return false;
    if (!(share > 0) || !j || !j->has_lower || d->has_control_range) return true;
    double middle = 0.5 * (j->lower + j->upper) + j->reference, half = 0.5 * share * (j->upper - j->lower);
    d->control_range[0] = middle - half, d->control_range[1] = middle + half, d->has_control_range = true;
    return true;
}

/* What an actuator is: its name, or that of the shortcut in its defaults. */
static const char *kind_of(const jn_xml *e) {
    const char *shortcut = jn_xml_attribute_of(e, jn_mjcf_shortcut);
    return shortcut && !strcmp(e->name, "general") ? shortcut : e->name;
}

/* The state of an actuator, as its type or dyntype says. */
static bool read_state(jn_mjcf *x, const jn_xml *e, jn_actuator_desc *d) {
    static const struct {
        const char *word;
        jn_activation activation;
    } words[] = {{"none", JN_ACTIVATION_NONE},
                 {"integrator", JN_ACTIVATION_INTEGRATOR},
                 {"filter", JN_ACTIVATION_FILTER},
                 {"filterexact", JN_ACTIVATION_FILTER},
                 {"muscle", JN_ACTIVATION_MUSCLE}};
    jn_robot *b = x->b;
    const char *dyn = strcmp(e->name, "general") ? NULL : jn_xml_attribute_of(e, "dyntype"), *kind = kind_of(e);
    bool cylinder = !strcmp(kind, "cylinder"), muscle = !strcmp(kind, "muscle");
    double prm[10] = {1, 0, 0};
    if (!strcmp(kind, "intvelocity")) d->activation = JN_ACTIVATION_INTEGRATOR;
    if (cylinder) d->activation = JN_ACTIVATION_FILTER;
    if (muscle) d->activation = JN_ACTIVATION_MUSCLE, prm[0] = 0.01, prm[1] = 0.04;
    for (size_t i = 0; dyn && i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i].word, dyn)) d->activation = words[i].activation;
    if (jn_robot_list(b, e, "dynprm", 10, prm) < 0) return false;
    int count = jn_robot_list(b, e, "timeconst", 2, prm);
    if (count < 0 || jn_robot_list(b, e, "tausmooth", 1, &prm[2]) < 0) return false;
    if (count > 0 && !strcmp(kind, "position") && prm[0] > 0) d->activation = JN_ACTIVATION_FILTER;
    d->time[0] = prm[0], d->time[1] = prm[1], d->smoothing = prm[2];
    if (d->activation != JN_ACTIVATION_MUSCLE) d->time[1] = d->time[0];
    if (d->activation == JN_ACTIVATION_FILTER && !(d->time[0] > 0)) d->activation = JN_ACTIVATION_NONE;
    return read_bounds(x, e, "actrange", "actlimited", &d->has_activation_range, d->activation_range);
}

/* Gain and bias of the shortcuts for servos, which start from gainprm and biasprm of a default; moved: [kg], [kg m^2] what they move as drawn. */
static bool read_servo(jn_mjcf *x, const jn_xml *e, double moved, jn_actuator_desc *d) {
    jn_robot *b = x->b;
    bool speed = !strcmp(kind_of(e), "velocity");
    double gain[10] = {1}, bias[10] = {0}, ratio = 0;
    if (jn_robot_list(b, e, "gainprm", 10, gain) < 0 || jn_robot_list(b, e, "biasprm", 10, bias) < 0) return false;
    double kp = gain[0], kv = speed ? gain[0] : -bias[2];
    if (!jn_robot_numbers(b, e, "kp", 1, false, &kp) || !jn_robot_numbers(b, e, "kv", 1, false, &kv) ||
        !jn_robot_numbers(b, e, "dampratio", 1, false, &ratio))
        return false;
    if (jn_xml_attribute_of(x->as_written, "kv")) ratio = 0; /* the damping ratio is that of a default */
    if (!speed && ratio > 0 && kp > 0 && d->gear != 0) kv = 2 * ratio * sqrt(kp * moved) / fabs(d->gear);
    d->gain[0] = speed ? kv : kp, d->bias[0] = speed ? 0 : bias[0], d->bias[1] = speed ? 0 : -kp, d->bias[2] = -kv;
    return true;
}

/* Curves of a muscle, by the shortcut; the lengths by lengthrange, else by the range of the joint. */
static bool read_muscle(jn_mjcf *x, const jn_xml *e, jn_actuator_desc *d) {
    jn_robot *b = x->b;
    jn_muscle_desc *m = &d->muscle;
    const struct {
        const char *name;
        double *to;
    } numbers[] = {
        {"force", &m->force},  {"scale", &m->scale},         {"lmin", &m->shortest},          {"lmax", &m->longest},
        {"vmax", &m->fastest}, {"fpmax", &m->passive_force}, {"fvmax", &m->lengthening_force}};
    d->is_muscle = d->is_elastic = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!jn_robot_numbers(b, e, numbers[i].name, 1, false, numbers[i].to)) return false;
    return jn_robot_numbers(b, e, "range", 2, false, m->range);
}

/* The nine numbers of gainprm and biasprm that are a muscle's. */
static void put_curves(const jn_muscle_desc *m, double *prm) {
    const double all[] = {m->range[0], m->range[1], m->force,         m->scale,            m->shortest,
                          m->longest,  m->fastest,  m->passive_force, m->lengthening_force};
    memcpy(prm, all, sizeof all);
}

static jn_muscle_desc curves_of(const double *prm) {
    return (jn_muscle_desc){.range = {prm[0], prm[1]},
                            .force = prm[2],
                            .scale = prm[3],
                            .shortest = prm[4],
                            .longest = prm[5],
                            .fastest = prm[6],
                            .passive_force = prm[7],
                            .lengthening_force = prm[8]};
}

/* Types and numbers of gain and bias, where they are given; the others are those of the shortcut in the defaults. */
static bool read_general(jn_mjcf *x, const jn_xml *e, jn_actuator_desc *d) {
    jn_robot *b = x->b;
    double gain[10] = {d->gain[0], d->gain[1], d->gain[2]}, bias[10] = {d->bias[0], d->bias[1], d->bias[2]};
    const char *gains = jn_xml_attribute_of(e, "gaintype"), *biases = jn_xml_attribute_of(e, "biastype");
    bool shortcut = strcmp(kind_of(e), "general");
    if (d->is_muscle) put_curves(&d->muscle, gain), put_curves(&d->muscle, bias);
    if (jn_robot_list(b, e, "gainprm", 10, gain) < 0 || jn_robot_list(b, e, "biasprm", 10, bias) < 0) return false;
    if (gains) d->is_muscle = !strcmp(gains, "muscle");
    if (biases) d->is_elastic = !strcmp(biases, "muscle");
    bool bent = gains ? !strcmp(gains, "affine") : shortcut && !d->is_muscle;
    bool pushes = biases ? !strcmp(biases, "affine") : shortcut && !d->is_elastic;
    for (int k = 0; k < 3; k++) {
        d->gain[k] = k == 0 || bent ? gain[k] : 0;
        d->bias[k] = pushes ? bias[k] : 0;
    }
    if (d->is_muscle || d->is_elastic) d->muscle = curves_of(d->is_muscle ? gain : bias);
    return true;
}

bool jn_mjcf_plugin_number(jn_mjcf *x, const jn_xml *e, const jn_xml *instance, const char *key, double *out) {
    const jn_xml *const from[] = {instance, e};
    for (int n = 0; n < 2; n++)
        for (int i = 0; from[n] && i < from[n]->count; i++) {
            const jn_xml *c = from[n]->children[i];
            const char *name = jn_xml_attribute_of(c, "key");
            if (name && !strcmp(name, key) && !jn_robot_numbers(x->b, c, "value", 1, true, out)) return false;
        }
    return true;
}

const char *jn_mjcf_plugin_of(const jn_mjcf *x, const jn_xml *e, const jn_xml **instance) {
    const char *wanted = jn_xml_attribute_of(e, "instance"), *plugin = jn_xml_attribute_of(e, "plugin");
    *instance = NULL;
    for (int i = 0; wanted && i < x->root->count; i++)
        for (int k = 0; !strcmp(x->root->children[i]->name, "extension") && k < x->root->children[i]->count; k++) {
            const jn_xml *p = x->root->children[i]->children[k];
            for (int n = 0; n < p->count; n++) {
                const char *name = jn_xml_attribute_of(p->children[n], "name");
                if (name && !strcmp(name, wanted)) *instance = p->children[n], plugin = jn_xml_attribute_of(p, "plugin");
            }
        }
    return plugin ? plugin : "";
}

/* f = kp e + ki (integral of e, whose part stays within imax) - kd l', e = control - length [MuJoCo, plugin/actuator]. */
static bool read_pid(jn_mjcf *x, const jn_xml *e, jn_actuator_desc *d) {
    const jn_xml *instance;
    double kp = 0, ki = 0, kd = 0, most = -1, slew = -1;
    jn_mjcf_plugin_of(x, e, &instance);
    if (!jn_mjcf_plugin_number(x, e, instance, "kp", &kp) || !jn_mjcf_plugin_number(x, e, instance, "ki", &ki) ||
        !jn_mjcf_plugin_number(x, e, instance, "kd", &kd) || !jn_mjcf_plugin_number(x, e, instance, "imax", &most) ||
        !jn_mjcf_plugin_number(x, e, instance, "slewmax", &slew))
        return false;
    if (slew >= 0)
        jn_robot_find(x->b, JN_FINDING_WARNING, e->where, d->name, "PID controllers with slewmax",
                      "controls that a program changes are followed at once");
    d->bias[0] = 0, d->bias[1] = -kp, d->bias[2] = -kd;
    d->gain[0] = ki != 0 ? ki : kp;
    if (ki == 0) return true;
    d->activation = JN_ACTIVATION_ERROR, d->feed = kp;
    if (most >= 0)
        d->has_activation_range = true, d->activation_range[1] = most / fabs(ki), d->activation_range[0] = -d->activation_range[1];
    return true;
}

/* Whether it has several inputs. */
static bool has_inputs(const jn_xml *e) { return !strcmp(e->name, "pid") || !strcmp(e->name, "dcmotor"); }

static bool read_shortcut(jn_mjcf *x, const jn_xml *e, double moved, jn_actuator_desc *d) {
    jn_robot *b = x->b;
    const char *kind = kind_of(e);
    double kv = 1, area = 1, wide = -1;
    if (!strcmp(kind, "position") || !strcmp(kind, "velocity") || !strcmp(kind, "intvelocity"))
        return read_servo(x, e, moved, d);
    if (has_inputs(e)) return (strcmp(e->name, "pid") || read_servo(x, e, moved, d)) && jn_mjcf_read_servo(x, e, &x->servo, d);
    if (!strcmp(kind, "muscle")) return read_muscle(x, e, d);
    if (!strcmp(kind, "plugin")) return read_pid(x, e, d);
    if (!strcmp(kind, "damper")) {
        if (!jn_robot_numbers(b, e, "kv", 1, false, &kv)) return false;
        d->gain[0] = 0, d->gain[2] = -kv;
    } else if (!strcmp(kind, "adhesion")) {
        return jn_robot_numbers(b, e, "gain", 1, false, &d->gain[0]);
    } else if (!strcmp(kind, "cylinder")) {
        if (!jn_robot_numbers(b, e, "area", 1, false, &area) || !jn_robot_numbers(b, e, "diameter", 1, false, &wide) ||
            jn_robot_list(b, e, "bias", 3, d->bias) < 0)
            return false;
        d->gain[0] = wide >= 0 ? 0.25 * M_PI * wide * wide : area;
    }
    return true;
}

/* Everything but what it acts on; moved: [kg], [kg m^2] what it moves as drawn. */
static bool read_drive(jn_mjcf *x, const jn_xml *e, double moved, jn_actuator_desc *d) {
    bool fine = read_state(x, e, d) &&
                read_bounds(x, e, "ctrlrange", "ctrllimited", &d->has_control_range, d->control_range) &&
                read_bounds(x, e, "forcerange", "forcelimited", &d->has_force_range, d->force_range) &&
                read_shortcut(x, e, moved, d);
    if (fine && !strcmp(e->name, "general")) fine = read_general(x, e, d);
    jn_muscle_desc *m = &d->muscle;
    return fine && ((!d->is_muscle && !d->is_elastic) || jn_robot_numbers(x->b, e, "lengthrange", 2, false, m->lengths));
}

/* Why an actuator cannot be taken over; NULL if it can. */
static const char *strange(const jn_mjcf *x, const jn_xml *e) {
    static const char *const kinds[] = {"motor",       "position", "velocity", "general",  "damper",
                                        "intvelocity", "cylinder", "muscle",   "adhesion", "plugin", "pid",    "dcmotor", NULL};
    const jn_xml *instance;
    static const char *const states[] = {"none", "filter", "filterexact", "integrator", "muscle", NULL};
    static const char *const forces[] = {"none", "fixed", "affine", "muscle", NULL};
    const char *word[] = {jn_xml_attribute_of(e, "dyntype"), jn_xml_attribute_of(e, "gaintype"),
                          jn_xml_attribute_of(e, "biastype")};
    bool known = false;
    for (int i = 0; kinds[i]; i++) known |= !strcmp(e->name, kinds[i]);
    if (!strcmp(e->name, "orientation")) return "orientation servos of ball joints";
    if (!known) return "actuators that are not understood";
    if (!strcmp(e->name, "plugin") && (strcmp(jn_mjcf_plugin_of(x, e, &instance), "mujoco.pid") || (word[0] && strcmp(word[0], "none"))))
        return "actuators by plugins other than mujoco.pid, or with a dyntype";
    for (int k = 0; k < 3; k++) {
        bool fine = !word[k];
        for (const char *const *w = k ? forces : states; *w && !fine; w++) fine = !strcmp(*w, word[k]);
        if (!fine) return "actuators with states, gains and biases of a program";
    }
    return NULL;
}

static const char *const actuator_known[] = {
    jn_mjcf_shortcut, "name",        "class",     "group",       "user",       "joint",        "jointinparent", "tendon",
    "gear",        "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "actrange",      "actlimited",
    "lengthrange", "kp",        "kv",          "dampratio",  "gainprm",      "gaintype",      "biasprm",
    "biastype",    "dynprm",    "dyntype",     "timeconst",  "inheritrange", "actdim",        "actearly",
    "cranklength", "site",      "area",        "diameter",   "bias",         "refsite",       "cranksite",
    "slidersite",  "range",     "force",       "scale",      "lmin",         "lmax",          "vmax",
    "body",        "gain",      "fpmax",       "fvmax",     "tausmooth",   "plugin",     "instance",     "damping",
    "armature",    "ki",        "imax",        "slewmax",    "input",        "posrange",      "velrange",
    "ffrange",     "resistance", "motorconst", "nominal",    "inductance",   "thermal",       "saturation",
    "cogging",     "lugre",     "controller",  NULL};
static const char *const actuator_changing[] = {NULL};

/* As MuJoCo has it for damping ratios: the sum over the joints of inertia / factor^2. */
static double moved_by_tendon(const jn_robot *b, const jn_robot_tendon *t) {
    double sum = 0;
    for (int k = 0; k < t->count; k++)
        if (t->factor[k] != 0) sum += jn_robot_moved_inertia(b, t->joint[k]) / (t->factor[k] * t->factor[k]);
    return sum;
}

const char *jn_mjcf_add_control(jn_mjcf *x, const jn_xml *e, const char *of) {
    void *wide = jn_store_grow(x->b->r->scratch, x->controls, x->control_count, sizeof *x->controls);
    const char *name = parameter_name(x, of);
    if (!wide) jn_read_no_memory(x->b->r);
    if (!wide || !jn_robot_add_parameter(x->b, name, 0, e->where)) return NULL;
    x->controls = wide;
    x->controls[x->control_count++] = x->b->parameter_count - 1;
    return name;
}

/* A new actuator with its control, a parameter or a sum over several. */
static jn_robot_actuator *add_actuator(jn_mjcf *x, const jn_xml *e, const char *of, double moved,
                                       const jn_robot_joint *j, double gear) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name");
    jn_actuator_desc d = jn_actuator_default(name ? name : of);
    d.gear = gear;
    jn_mjcf_look(x, e, actuator_known, actuator_changing);
    if (!read_drive(x, e, moved, &d) || !inherit_range(x, e, j, &d)) return NULL;
    d.where = e->where;
    const char *control = has_inputs(e) ? jn_mjcf_servo_control(x, e, &x->servo, &d) : jn_mjcf_add_control(x, e, d.name);
    return control ? jn_robot_add_actuator(b, &d, control) : NULL;
}

/* A muscle whose file names no lengths has those of the range, or those that its tendon can have; without either it is left out. It is the actuator
 * added last. */
static bool find_lengths(jn_mjcf *x, jn_robot_actuator *a, bool has_range, double lower, double upper) {
    jn_actuator_desc *d = &a->desc;
    double range[2] = {lower, upper};
    if ((!d->is_muscle && !d->is_elastic) || d->muscle.lengths[1] > d->muscle.lengths[0]) return true;
    if (!has_range && d->on == JN_ACTUATOR_TENDON &&
        !jn_robot_length_range(x->b, &x->b->tendons[a->tendon], range, &has_range))
        return false;
    double low = d->gear * (range[0] + d->offset), high = d->gear * (range[1] + d->offset);
    if (has_range) {
        d->muscle.lengths[0] = jn_fmin(low, high), d->muscle.lengths[1] = jn_fmax(low, high);
        return true;
    }
    jn_robot_find(x->b, JN_FINDING_PHYSICS, d->where, d->name,
                  "muscles without lengthrange, whose length no range of joints bounds, or in mechanisms with loops",
                  "they are left out: write lengthrange");
    x->b->actuator_count--;
    return true;
}

/* Damper and rotor of an actuator, as its joint or tendon has them: gear^2 times its own. */
static bool add_rotor(jn_mjcf *x, const jn_xml *e, double gear, double *damping, double more[2], double *armature) {
    double c = 0, d[2] = {0, 0}, a = 0, square = gear * gear;
    if (!jn_mjcf_polynomial(x, e, "damping", &c, d) || !jn_robot_numbers(x->b, e, "armature", 1, false, &a)) return false;
    if (c < 0 || a < 0) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "damping and armature of an actuator are not negative");
    *damping += square * c, *armature += square * a;
    more[0] += square * d[0], more[1] += square * d[1];
    return true;
}

static bool drive_tendon(jn_mjcf *x, const jn_xml *e, double gear) {
    jn_robot *b = x->b;
    const char *tendon = jn_xml_attribute_of(e, "tendon");
    for (int i = 0; i < b->tendon_count; i++) {
        jn_robot_tendon *t = &b->tendons[i];
        if (strcmp(t->name, tendon)) continue;
        if (!add_rotor(x, e, gear, &t->damping, t->more_damping, &t->armature)) return false;
        jn_robot_actuator *a = add_actuator(x, e, tendon, moved_by_tendon(b, t), NULL, gear);
        if (!a) return false;
        a->desc.on = JN_ACTUATOR_TENDON, a->tendon = i, a->desc.offset = t->path_count ? 0 : t->reference;
        a->desc.has_total_range = t->force_limited;
        a->desc.total_range[0] = t->force_range[0], a->desc.total_range[1] = t->force_range[1];
        return find_lengths(x, a, t->has_lower && t->has_upper, t->lower, t->upper);
    }
    return jn_read_error(b->r, e->where, JN_ERR_MODEL, "there is no tendon '%.60s'", tendon);
}

/* A wrench at a site, along its axes or along those of a reference. */
static bool drive_site(jn_mjcf *x, const jn_xml *e, const double *gear) {
    int point = jn_mjcf_find_site(x, e, "site"),
        reference = jn_xml_attribute_of(e, "refsite") ? jn_mjcf_find_site(x, e, "refsite") : -1;
    if (point < 0 || (reference < 0 && jn_xml_attribute_of(e, "refsite"))) return false;
    int other = reference < 0 ? -1 : x->b->points[reference].body;
    jn_robot_actuator *a = add_actuator(x, e, jn_xml_attribute_of(e, "site"), 0, NULL, 1);
    if (!a) return false;
    a->desc.on = JN_ACTUATOR_PLACE, a->point = point, a->reference = reference;
    a->desc.force = v3(gear[0], gear[1], gear[2]), a->desc.torque = v3(gear[3], gear[4], gear[5]);
    if (x->b->points[point].body != other) return find_lengths(x, a, false, 0, 0);
    x->b->actuator_count--; /* both on one body: it moves nothing */
    return true;
}

static bool drive_crank(jn_mjcf *x, const jn_xml *e, double gear) {
    int crank = jn_mjcf_find_site(x, e, "cranksite"), slider = jn_mjcf_find_site(x, e, "slidersite");
    double rod = 0;
    if (crank < 0 || slider < 0 || !jn_robot_numbers(x->b, e, "cranklength", 1, true, &rod)) return false;
    jn_robot_actuator *a = add_actuator(x, e, jn_xml_attribute_of(e, "cranksite"), 0, NULL, gear);
    if (!a) return false;
    a->desc.on = JN_ACTUATOR_CRANK, a->point = crank, a->reference = slider, a->desc.rod = rod;
    return find_lengths(x, a, false, 0, 0);
}

/* Pulls a body onto what it touches; no control repels. */
static bool drive_adhesion(jn_mjcf *x, const jn_xml *e, double gear) {
    const char *name = jn_xml_attribute_of(e, "body");
    int body = jn_mjcf_find_body(x, e, "body");
    if (body < -1) return false;
    jn_robot_actuator *a = add_actuator(x, e, name, 0, NULL, gear);
    if (!a) return false;
    a->desc.on = JN_ACTUATOR_ADHESION, a->body = body, a->desc.reach = body < 0 ? 0 : x->b->bodies[body].gap;
    bool plain = strcmp(e->name, "adhesion") != 0;
    if (plain || (a->desc.has_control_range && a->desc.control_range[0] >= 0)) return true;
    return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<adhesion> needs a ctrlrange that is not negative\nwrite ctrlrange=\"0 1\"");
}

/* Torque of a ball joint along axes of its body, or force and torque of a free joint, in world axes and along axes of its body;
 * jointinparent: torques along axes of what carries the body. */
static bool drive_rotation(jn_mjcf *x, const jn_xml *e, const jn_robot_joint *j, const double *gear, bool in_parent) {
    jn_robot *b = x->b;
    bool ball = j->type == JN_JOINT_SPHERICAL;
    int child = j->body[1], parent = j->body[0];
    jn_quat q = b->bodies[child].orientation,
            back = q4_conj(parent < 0 ? q4_identity() : b->bodies[parent].orientation);
    const char *name = j->name;
    jn_vec3 at = b->bodies[child].at;
    jn_robot_actuator *a = add_actuator(x, e, name, 0, NULL, 1);
    if (!a) return false;
    a->desc.on = JN_ACTUATOR_PLACE;
    a->desc.force = ball ? v3(0, 0, 0) : v3(gear[0], gear[1], gear[2]);
    a->desc.torque = ball ? v3(gear[0], gear[1], gear[2]) : v3(gear[3], gear[4], gear[5]);
    a->force_axes = 2, a->torque_axes = in_parent ? 2 : 1;
    a->point = b->point_count;
    jn_robot_point *p = jn_robot_add_point(b, jn_robot_text(b, "%.40s_actuated", name), e->where, child, v3(0, 0, 0));
    if (p) p->orientation = q4_identity();
    a->reference = ball ? b->point_count : -1;
    if (!find_lengths(x, a, false, 0, 0)) return false;
    if (!p || !ball) return p != NULL;
    jn_vec3 from = parent < 0 ? v3(0, 0, 0) : b->bodies[parent].at;
    p = jn_robot_add_point(b, jn_robot_text(b, "%.40s_reference", name), e->where, parent,
                           q4_rotate(back, v3_sub(at, from)));
    if (p) p->orientation = q4_mul(back, q);
    return p != NULL;
}

static bool read_actuator(jn_mjcf *x, const jn_xml *e) {
    jn_robot *b = x->b;
    const char *why = strange(x, e), *name = jn_xml_attribute_of(e, "name");
    double gear[6] = {1, 0, 0, 0, 0, 0}, group = 0;
    if (!jn_robot_numbers(b, e, "group", 1, false, &group)) return false;
    if (group >= 0 && group <= 30 && x->idle_groups >> (int)group & 1) {
        jn_robot_find(b, JN_FINDING_NOTE, e->where, name ? name : e->name, "actuators of groups that actuatorgroupdisable switches off", "they are left out");
        return true;
    }
    if (why) {
        jn_robot_find(b, JN_FINDING_PHYSICS, e->where, name ? name : e->name, why,
                      !strcmp(e->name, "orientation") ? "they give no force; write three <position> actuators with gear=\"1 0 0\" and so on"
                                                      : "they give no force");
        return true;
    }
    if (jn_robot_list(b, e, "gear", 6, gear) < 0) return false;
    if (jn_xml_attribute_of(e, "body")) return drive_adhesion(x, e, gear[0]);
    if (jn_xml_attribute_of(e, "tendon")) return drive_tendon(x, e, gear[0]);
    if (jn_xml_attribute_of(e, "site")) return drive_site(x, e, gear);
    if (jn_xml_attribute_of(e, "cranksite")) return drive_crank(x, e, gear[0]);
    bool in_parent = !jn_xml_attribute_of(e, "joint");
    int k = jn_mjcf_find_joint(x, e, in_parent ? "jointinparent" : "joint");
    if (k < 0) return false;
    jn_robot_joint *j = &b->joints[k];
    if (j->type == JN_JOINT_FIXED) return true;
    if (jn_joint_type_info(j->type)->nv == 1 && !add_rotor(x, e, gear[0], &j->damping, j->more_damping, &j->armature)) return false;
    if (jn_joint_type_info(j->type)->nv != 1) return drive_rotation(x, e, j, gear, in_parent);
    jn_robot_actuator *a = add_actuator(x, e, j->name, jn_robot_moved_inertia(b, k), j, gear[0]);
    if (!a) return false;
    a->desc.on = JN_ACTUATOR_JOINT, a->joint = k, a->desc.offset = j->reference;
    a->desc.has_total_range = j->force_limited;
    a->desc.total_range[0] = j->force_range[0], a->desc.total_range[1] = j->force_range[1];
    return find_lengths(x, a, j->has_lower && j->has_upper, j->lower, j->upper);
}

/* actuatorfrcrange of joints that only actuators of tendons or at sites drive: an actuator without force holds the range. */
bool jn_mjcf_bound_joints(jn_mjcf *x) {
    jn_robot *b = x->b;
    bool any = false;
    for (int i = 0; i < b->actuator_count; i++) any |= b->actuators[i].joint < 0 && b->actuators[i].desc.on != JN_ACTUATOR_ADHESION;
    for (int j = 0; any && j < b->joint_count; j++) {
        const jn_robot_joint *on = &b->joints[j];
        bool own = false;
        for (int i = 0; i < b->actuator_count; i++) own |= b->actuators[i].joint == j;
        if (!on->force_limited || own || jn_joint_type_info(on->type)->nv != 1) continue;
        jn_actuator_desc d = jn_actuator_default(jn_robot_text(b, "%.50s_force_range", on->name));
        d.where = on->where, d.on = JN_ACTUATOR_JOINT, d.has_total_range = true, d.gain[0] = 0;
        d.total_range[0] = on->force_range[0], d.total_range[1] = on->force_range[1];
        jn_robot_actuator *a = jn_robot_add_actuator(b, &d, "0");
        if (!a) return false;
        a->joint = j;
    }
    return true;
}

bool jn_mjcf_read_actuators(jn_mjcf *x, const jn_xml *section) {
    for (int i = 0; i < section->count; i++) {
        const jn_xml *e = section->children[i];
        int after = x->control_count + jn_mjcf_input_count(e);
        x->as_written = e, x->servo = (jn_mjcf_servo){0};
        if (!read_actuator(x, jn_mjcf_with_defaults(x, e, e->name, NULL)) && x->b->r->status == JN_ERR_MEMORY)
            return false;
        if (!jn_mjcf_servo_beside(x, &x->servo)) return false;
        while (x->control_count < after) { /* it is left out: a keyframe counts its inputs */
            void *wide = jn_store_grow(x->b->r->scratch, x->controls, x->control_count, sizeof *x->controls);
            if (!wide) return jn_read_no_memory(x->b->r);
            x->controls = wide;
            x->controls[x->control_count++] = -1;
        }
    }
    return true;
}
