/* The section actuators: controls, activations and forces along joints, tendons and between points. */
#include "description/read/reader.h"

#include "description/joint_info.h"

#include <stddef.h>
#include <string.h>

typedef struct actuator_item {
    jn_actuator_desc actuator;           /* first */
    int point, reference, crank, slider; /* points; -1: none */
    bool has_joint, has_tendon, has_adhesion, has_reach, has_force, has_torque, has_rod, has_gear;
    int force_axes, torque_axes; /* 0: as usual, 1: of the point, 2: of the reference */
} actuator_item;

bool jn_read_coordinate_name(jn_reader *r, const jn_node *node, int *joint, int *coordinate) {
    const char *text = jn_read_plain_word(r, node), *dot = text ? strrchr(text, '.') : NULL;
    bool numbered = dot && dot[1] >= '1' && dot[1] <= '9' && !dot[2];
    if (!text) return jn_expect_kind(r, node, JN_NODE_SCALAR, "the name of a joint");
    jn_node name = {.kind = JN_NODE_SCALAR, .where = node->where};
    name.text = jn_store_copy(r->scratch, text, numbered ? (size_t)(dot - text) : strlen(text));
    if (!name.text) return jn_read_no_memory(r);
    if (!jn_read_joint_name(r, &name, joint) || r->joint_types[*joint] < 0) return false;
    jn_joint_type type = (jn_joint_type)r->joint_types[*joint];
    int n = jn_joint_velocities(type, r->d->planar), k = numbered ? dot[1] - '1' : 0;
    *coordinate = k;
    if (k < n && (n == 1 || numbered) && jn_joint_is_scalar(type, r->d->planar, k)) return true;
    return jn_read_error(r, node->where, JN_ERR_MODEL, "'%.80s' is not one coordinate of a joint\n%s", text,
                         n > 1 ? "write 'NAME.1', 'NAME.2', ... for a joint with several"
                               : "name a joint that has a coordinate");
}

bool jn_read_tendon_name(jn_reader *r, const jn_node *node, int *out) {
    const char *word = jn_read_plain_word(r, node);
    for (int i = 0; word && i < r->d->tendon_count; i++)
        if (!strcmp(r->d->tendons[i].name, word)) return *out = i, true;
    return jn_read_error(r, node->where, JN_ERR_MODEL, "there is no tendon '%.80s'\nadd it to 'tendons'",
                         word ? word : "");
}

static bool read_joint(jn_reader *r, const jn_node *node, void *item) {
    actuator_item *a = item;
    a->has_joint = true, a->actuator.on = JN_ACTUATOR_JOINT;
    return jn_read_coordinate_name(r, node, &a->actuator.joint, &a->actuator.coordinate);
}

static bool read_tendon(jn_reader *r, const jn_node *node, void *item) {
    actuator_item *a = item;
    a->has_tendon = true, a->actuator.on = JN_ACTUATOR_TENDON;
    return jn_read_tendon_name(r, node, &a->actuator.tendon);
}

static bool read_adhesion(jn_reader *r, const jn_node *node, void *item) {
    actuator_item *a = item;
    a->has_adhesion = true, a->actuator.on = JN_ACTUATOR_ADHESION;
    return jn_read_body_name(r, node, &a->actuator.body[1]);
}

#define POINT_READER(name, member)                                                                                     \
    static bool name(jn_reader *r, const jn_node *node, void *item) {                                                  \
        return jn_read_point_name(r, node, &((actuator_item *)item)->member);                                          \
    }
POINT_READER(read_point, point)
POINT_READER(read_reference, reference)
POINT_READER(read_crank, crank)
POINT_READER(read_slider, slider)

#define RANGE_READER(name, member)                                                                                     \
    static bool name(jn_reader *r, const jn_node *node, void *item) {                                                  \
        jn_actuator_desc *a = item;                                                                                    \
        a->has_##member = true;                                                                                        \
        if (!jn_read_numbers(r, node, JN_MEASURE_ANY, 2, a->member)) return false;                                     \
        return a->member[0] <= a->member[1] ||                                                                         \
               jn_read_error(r, node->where, JN_ERR_MODEL, "the first number is above the second\nexchange them");     \
    }
RANGE_READER(read_control_range, control_range)
RANGE_READER(read_force_range, force_range)
RANGE_READER(read_activation_range, activation_range)
RANGE_READER(read_total_range, total_range)

/* One number, or as many as there is room for. */
static bool read_up_to(jn_reader *r, const jn_node *node, int most, double *out) {
    if (node->kind != JN_NODE_LIST) return jn_read_number(r, node, JN_MEASURE_ANY, out);
    if (node->count < 1 || node->count > most)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected 1 to %d numbers, found %d", most, node->count);
    return jn_read_numbers(r, node, JN_MEASURE_ANY, node->count, out);
}

static bool read_gain(jn_reader *r, const jn_node *node, void *item) {
    return read_up_to(r, node, 3, ((jn_actuator_desc *)item)->gain);
}

static bool read_bias(jn_reader *r, const jn_node *node, void *item) {
    return read_up_to(r, node, 3, ((jn_actuator_desc *)item)->bias);
}

static bool read_time(jn_reader *r, const jn_node *node, void *item) {
    jn_actuator_desc *a = item;
    a->time[1] = -1;
    if (!read_up_to(r, node, 2, a->time)) return false;
    if (a->time[1] < 0) a->time[1] = a->time[0];
    return (a->time[0] > 0 && a->time[1] > 0) ||
           jn_read_error(r, node->where, JN_ERR_MODEL, "time constants are above zero\nwrite as in 'time: 0.05 s'");
}

static bool read_pair(jn_reader *r, const jn_node *node, double *out) {
    return jn_read_numbers(r, node, JN_MEASURE_ANY, 2, out);
}
static bool read_lengths(jn_reader *r, const jn_node *node, void *item) {
    return read_pair(r, node, ((jn_muscle_desc *)item)->lengths);
}
static bool read_range(jn_reader *r, const jn_node *node, void *item) {
    return read_pair(r, node, ((jn_muscle_desc *)item)->range);
}

#define MUSCLE(member) offsetof(jn_muscle_desc, member)
#define MUSCLE_NUMBER(name, where, usual, words)                                                                       \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_NUMBER, .measure = JN_MEASURE_ANY, .offset = MUSCLE(where), .fallback = usual,   \
        .doc = words, .example = name ": " usual                                                                       \
    }
static const jn_field muscle_rows[] = {
    {.key = "lengths",
     .kind = JN_FIELD_CUSTOM,
     .read = read_lengths,
     .schema = JN_SCHEMA_NUMBERS,
     .required = true,
     .doc = "shortest and longest length that the joints allow, times the gear",
     .example = "lengths: [0.2, 0.4]"},
    {.key = "range",
     .kind = JN_FIELD_CUSTOM,
     .read = read_range,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "[0.75, 1.05]",
     .doc = "what these are in units of the fibre's best length",
     .example = "range: [0.75, 1.05]"},
    MUSCLE_NUMBER("force", force, "-1",
                  "peak force; negative: scale over the acceleration that a unit force gives as drawn"),
    MUSCLE_NUMBER("scale", scale, "200", "for a negative force"),
    MUSCLE_NUMBER("shortest", shortest, "0.5", "length below which it gives no active force"),
    MUSCLE_NUMBER("longest", longest, "1.6", "length above which it gives none"),
    MUSCLE_NUMBER("fastest", fastest, "1.5", "lengths per second of shortening at which the force vanishes"),
    MUSCLE_NUMBER("passive_force", passive_force, "1.3",
                  "passive force half way to the longest, in units of the peak, doubled"),
    MUSCLE_NUMBER("lengthening_force", lengthening_force, "1.2",
                  "active force when it is pulled fast, in units of the peak"),
    {.key = NULL},
};
const jn_fieldset jn_muscle_fields = {"actuators.NAME.muscle",
                                      "Curves of force over length and speed [MuJoCo, Muscles].", muscle_rows};

static bool read_muscle(jn_reader *r, const jn_node *node, void *item) {
    jn_actuator_desc *a = item;
    a->is_muscle = a->is_elastic = true;
    if (a->activation == JN_ACTIVATION_NONE) a->activation = JN_ACTIVATION_MUSCLE;
    return jn_expect_kind(r, node, JN_NODE_MAP, "as in 'muscle: {lengths: [0.2, 0.4], force: 500}'") &&
           jn_read_fields(r, node, &jn_muscle_fields, &a->muscle);
}

#define MOTOR(member) offsetof(jn_motor_desc, member)
#define MOTOR_NUMBER(name, where, words, shown)                                                                        \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_NUMBER, .measure = JN_MEASURE_ANY, .offset = MOTOR(where),                       \
        .range = JN_RANGE_NOT_NEGATIVE, .fallback = "0", .doc = words, .example = name ": " shown                      \
    }
#define MOTOR_TEMPERATURE(name, where, words, shown)                                                                   \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_NUMBER, .measure = JN_MEASURE_ANY, .offset = MOTOR(where), .fallback = "0",      \
        .doc = words, .example = name ": " shown                                                                       \
    }
static const jn_keyword asks_words[] = {{"force", false}, {"voltage", true}, {NULL, 0}};

static bool read_cogging(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_numbers(r, node, JN_MEASURE_ANY, 3, ((jn_motor_desc *)item)->cogging);
}

static bool read_asks(jn_reader *r, const jn_node *node, void *item) {
    int value = 0;
    if (!jn_read_keyword(r, node, asks_words, &value)) return false;
    ((jn_motor_desc *)item)->by_voltage = value;
    return true;
}

static const jn_field motor_rows[] = {
    MOTOR_NUMBER("constant", constant, "torque per current, and voltage per speed, K; 0: only cogging and friction act",
                 "0.05"),
    MOTOR_NUMBER("resistance", resistance, "of the winding, at its reference temperature", "1.2"),
    {.key = "asks",
     .kind = JN_FIELD_CUSTOM,
     .read = read_asks,
     .schema = "{\"enum\": [\"force\", \"voltage\"]}",
     .fallback = "force",
     .doc = "what control, gain and bias give: the force of the motor, for which its driver finds the voltage, or the "
            "voltage",
     .example = "asks: voltage"},
    MOTOR_NUMBER("voltage", voltage, "largest of the driver; 0: no bound", "24"),
    MOTOR_NUMBER("inductance", inductance, "of the winding; 0: the current follows at once", "1e-3"),
    MOTOR_NUMBER("current_rate", current_rate, "largest rate of the current where there is an inductance; 0: no bound",
                 "5000"),
    MOTOR_NUMBER("thermal_resistance", thermal_resistance,
                 "rise of temperature per power in steady motion; 0: the winding stays as it is", "4"),
    MOTOR_NUMBER("heat_capacity", heat_capacity, "of the winding", "12"),
    MOTOR_TEMPERATURE("temperature_coefficient", temperature_coefficient, "of the resistance, per kelvin", "0.0039"),
    MOTOR_TEMPERATURE("reference_temperature", reference_temperature,
                      "at which the resistance is given, in degrees Celsius", "25"),
    MOTOR_TEMPERATURE("ambient_temperature", ambient_temperature, "around the winding, in degrees Celsius", "20"),
    {.key = "cogging",
     .kind = JN_FIELD_CUSTOM,
     .read = read_cogging,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "none",
     .doc = "[A, N, phase]: a force A sin(N length + phase)",
     .example = "cogging: [0.02, 14, 0]"},
    MOTOR_NUMBER("bristle_stiffness", bristle_stiffness, "of friction by the LuGre model; 0: none", "1000"),
    MOTOR_NUMBER("bristle_damping", bristle_damping, "of the same", "1"),
    MOTOR_NUMBER("coulomb", coulomb, "its force in fast motion", "0.1"),
    MOTOR_NUMBER("stick", stick, "its force in slow motion", "0.15"),
    MOTOR_NUMBER("stribeck_speed", stribeck_speed, "speed between slow and fast", "0.1"),
    {.key = NULL},
};
const jn_fieldset jn_dc_motor_fields = {
    "actuators.NAME.motor", "A DC motor: winding, heat, cogging, friction [MuJoCo, DC motor note].", motor_rows};

static bool read_motor(jn_reader *r, const jn_node *node, void *item) {
    jn_actuator_desc *a = item;
    jn_motor_desc *m = &a->motor;
    a->is_motor = true;
    if (!jn_expect_kind(r, node, JN_NODE_MAP, "as in 'motor: {constant: 0.05, resistance: 1.2, inductance: 1e-3}'") ||
        !jn_read_fields(r, node, &jn_dc_motor_fields, m))
        return false;
    if (m->constant > 0 && !(m->resistance > 0))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a motor with a constant needs a resistance above 0\nwrite as in 'resistance: 1.2'");
    if (m->thermal_resistance > 0 && !(m->heat_capacity > 0))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a motor that warms up needs a heat capacity above 0\nwrite as in 'heat_capacity: 12'");
    if (m->bristle_stiffness > 0 && !(m->coulomb > 0 && m->stick >= m->coulomb))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "friction of bristles needs 'coulomb' above 0, and 'stick' no less\nwrite as in 'coulomb: "
                             "0.1, stick: 0.15'");
    return true;
}

static const jn_keyword activation_words[] = {
    {"none", JN_ACTIVATION_NONE},     {"integrator", JN_ACTIVATION_INTEGRATOR}, {"filter", JN_ACTIVATION_FILTER},
    {"muscle", JN_ACTIVATION_MUSCLE}, {"error", JN_ACTIVATION_ERROR},           {NULL, 0}};
static const jn_keyword axes_words[] = {{"point", 1}, {"reference", 2}, {NULL, 0}};
static const jn_fieldset *const muscle_sets[] = {&jn_muscle_fields, NULL};
static const jn_fieldset *const motor_sets[] = {&jn_dc_motor_fields, NULL};

#define ITEM(member) offsetof(actuator_item, member)
#define NUMBERS(name, reader, usual, words, shown)                                                                     \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_CUSTOM, .read = reader,                                                          \
        .schema = "{\"anyOf\": [" JN_SCHEMA_NUMBER ", " JN_SCHEMA_NUMBERS "]}", .fallback = usual, .doc = words,       \
        .example = shown                                                                                               \
    }
#define NAMED(name, reader, words, shown)                                                                              \
    { .key = name, .kind = JN_FIELD_CUSTOM, .read = reader, .schema = JN_SCHEMA_NAME, .doc = words, .example = shown }
static const jn_field actuator_rows[] = {
    NAMED("joint", read_joint, "acts on its coordinate; 'NAME.2': the second one", "joint: knee"),
    NAMED("tendon", read_tendon, "acts along it", "tendon: biceps"),
    NAMED("point", read_point, "acts there with force and torque per unit, along its axes", "point: nozzle"),
    NAMED("reference", read_reference,
          "a point on another body that takes the opposite; force and torque are along its axes, and the length is "
          "that of the "
          "point as seen from it",
          "reference: hand"),
    {.key = "force",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.force),
     .has = ITEM(has_force),
     .fallback = "none",
     .doc = "of a point: direction and gear of the force",
     .example = "force: [0, 0, 1]"},
    {.key = "torque",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.torque),
     .has = ITEM(has_torque),
     .fallback = "none",
     .doc = "of a point: axis and gear of the torque",
     .example = "torque: [0, 0, 0.1]"},
    {.key = "force_axes",
     .kind = JN_FIELD_KEYWORD,
     .keywords = axes_words,
     .offset = ITEM(force_axes),
     .fallback = "reference where there is one, else point",
     .doc = "whose axes; the reference is the ground where none is given",
     .example = "force_axes: reference"},
    {.key = "torque_axes",
     .kind = JN_FIELD_KEYWORD,
     .keywords = axes_words,
     .offset = ITEM(torque_axes),
     .fallback = "reference where there is one, else point",
     .doc = "the same for the torque",
     .example = "torque_axes: point"},
    NAMED("crank", read_crank, "end of a rod whose other end pushes a slider", "crank: pin"),
    NAMED("slider", read_slider, "where the slider is at zero; it moves along the z axis of this point",
          "slider: guide"),
    {.key = "rod",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = ITEM(actuator.rod),
     .has = ITEM(has_rod),
     .range = JN_RANGE_POSITIVE,
     .doc = "length of the rod",
     .example = "rod: 0.2"},
    NAMED("adhesion", read_adhesion,
          "a body that it pulls onto what it touches: the force acts along the normals of its contact points, to equal "
          "parts (of the first 64)",
          "adhesion: foot"),
    {.key = "reach",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = ITEM(actuator.reach),
     .has = ITEM(has_reach),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of adhesion: gaps up to it are pulled at, too",
     .example = "reach: 1 mm"},
    {.key = "gear",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.gear),
     .fallback = "1",
     .doc =
         "force on the coordinate or tendon per force of the actuator; its length and speed are so many times theirs",
     .example = "gear: 50"},
    {.key = "offset",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.offset),
     .fallback = "0",
     .doc = "added to the coordinate: length = gear * (x + offset)",
     .example = "offset: 0.1"},
    {.key = "control",
     .kind = JN_FIELD_FUNCTION,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.control),
     .may = JN_MAY_T | JN_MAY_SIGNAL,
     .fallback = "0",
     .doc = "function of t and joints; programs may add to it (jn_sim_control)",
     .example = "control: 0.5*sin(2*t)"},
    NUMBERS("control_range", read_control_range, "none", "least and largest control", "control_range: [-1, 1]"),
    NUMBERS("gain", read_gain, "1",
            "force per control or activation: a number, or [a, b, c] for a + b length + c speed", "gain: 100"),
    NUMBERS("bias", read_bias, "0", "force without control: a number, or [a, b, c] for a + b length + c speed",
            "bias: [0, -100, -10]"),
    {.key = "feed",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.feed),
     .fallback = "0",
     .doc = "force per control beside the activation: a PID controller has {activation: error, gain: ki, feed: kp, "
            "bias: [0, -kp, -kd]}",
     .example = "feed: 40"},
    NUMBERS("force_range", read_force_range, "none", "least and largest force of the actuator",
            "force_range: [-20, 20]"),
    NUMBERS("total_range", read_total_range, "none",
            "of all actuators of the same joint or tendon together, gears included; on a joint with what those of "
            "tendons and at places bring",
            "total_range: [-30, 30]"),
    {.key = "activation",
     .kind = JN_FIELD_KEYWORD,
     .keywords = activation_words,
     .offset = ITEM(actuator.activation),
     .fallback = "none; of a muscle: muscle",
     .doc = "what stands between control and force: none, the integral of the control, a filter of first order, "
            "that of a muscle, or the integral of the error, control - length, which PID controllers have",
     .example = "activation: filter"},
    NUMBERS("time", read_time, "1 s; of a muscle [0.01, 0.04]", "time constant of a filter; of a muscle: up and down",
            "time: 0.05 s"),
    {.key = "smoothing",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = ITEM(actuator.smoothing),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of a muscle: width of the change between its two time constants",
     .example = "smoothing: 0.1"},
    NUMBERS("activation_range", read_activation_range, "none", "least and largest activation",
            "activation_range: [0, 1]"),
    {.key = "start",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = ITEM(actuator.start),
     .fallback = "0",
     .doc = "activation at the start",
     .example = "start: 0.1"},
    {.key = "muscle",
     .kind = JN_FIELD_MAP,
     .read = read_muscle,
     .sets = muscle_sets,
     .doc = "its force is that of a muscle, in place of gain and bias",
     .example = "muscle: {lengths: [0.2, 0.4], force: 500}"},
    {.key = "motor",
     .kind = JN_FIELD_MAP,
     .read = read_motor,
     .sets = motor_sets,
     .doc = "control, gain and bias give what a DC motor is asked for; its force follows from its current",
     .example = "motor: {constant: 0.05, resistance: 1.2, inductance: 1e-3}"},
    {.key = NULL},
};
const jn_fieldset jn_actuator_fields = {
    "actuators.NAME",
    "A force by a control: gain(length, speed) * control + bias(length, speed), along a joint's coordinate, a tendon, "
    "at a point, or "
    "on a slider with crank. Channels actuator.NAME.force, .length, .speed, .control, .activation.",
    actuator_rows};

static void put_place(jn_reader *r, jn_actuator_desc *a, int side, int point) {
    if (point < 0) return;
    const jn_point_desc *p = &r->d->points[point];
    a->body[side] = p->body, a->at[side] = p->at, a->orientation[side] = p->orientation;
}

static bool finish(jn_reader *r, const jn_node *node, actuator_item *i) {
    jn_actuator_desc *a = &i->actuator;
    bool crank = i->crank >= 0 || i->slider >= 0, at_point = i->point >= 0;
    if (i->has_joint + i->has_tendon + i->has_adhesion + crank + at_point != 1)
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "an actuator acts on one thing\nwrite one of 'joint', 'tendon', 'adhesion', 'point', or "
                             "'crank' and 'slider'");
    if (i->has_reach && !i->has_adhesion)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'reach' belongs to 'adhesion'\nleave it out");
    if (crank && !(i->crank >= 0 && i->slider >= 0 && i->has_rod))
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a crank needs 'crank', 'slider' and 'rod'");
    if (at_point != (i->has_force || i->has_torque))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "'force' and 'torque' belong to 'point'\nwrite as in {point: nozzle, force: [0, 0, 1]}");
    if (i->reference >= 0 && !at_point)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'reference' belongs to 'point'\nleave it out");
    if (!at_point && !crank) return true;
    a->on = crank ? JN_ACTUATOR_CRANK : JN_ACTUATOR_PLACE;
    a->measures = i->reference >= 0;
    put_place(r, a, 0, crank ? i->slider : i->reference);
    put_place(r, a, 1, crank ? i->crank : i->point);
    int usual = i->reference >= 0 ? 2 : 1;
    a->force_on_second = (i->force_axes ? i->force_axes : usual) == 1;
    a->torque_on_second = (i->torque_axes ? i->torque_axes : usual) == 1;
    if (a->body[0] == a->body[1])
        return jn_read_error(r, node->where, JN_ERR_MODEL, "both points are on one body\nchoose points of two bodies");
    return true;
}

bool jn_read_actuators(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "actuators, each 'name: {joint: knee, gear: 50, control: 0.2}'");
    (void)item;
    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        actuator_item a = {
            .actuator = jn_actuator_default(entry->key), .point = -1, .reference = -1, .crank = -1, .slider = -1};
        a.actuator.where = entry->where;
        a.actuator.time[0] = -1;
        size_t mark = jn_path_key(r, entry->key);
        bool good = jn_check_name(r, entry, true, "an actuator");
        good = jn_read_fields(r, entry->value, &jn_actuator_fields, &a) && good && finish(r, entry->value, &a);
        bool slow = a.actuator.activation != JN_ACTIVATION_MUSCLE;
        if (a.actuator.time[0] < 0) a.actuator.time[0] = slow ? 1 : 0.01, a.actuator.time[1] = slow ? 1 : 0.04;
        if (good && jn_description_add_actuator(d, &a.actuator) < 0) return jn_read_no_memory(r);
        jn_path_back(r, mark);
    }
    return fine && r->status == JN_OK;
}
