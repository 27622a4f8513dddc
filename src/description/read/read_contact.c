/* The section contacts. */
#include "description/read/reader.h"

#include "base/suggest.h"
#include <jounce/laws.h>

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

typedef struct contact_item {
    jn_contact_desc contact; /* first: the table's offsets are those of the contact */
} contact_item;

static bool read_rolls(jn_reader *r, const jn_node *node, void *item) {
    jn_contact_desc *c = &((contact_item *)item)->contact;
    c->rolls = true;
    if (r->d->planar)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "in a plane a wheel has no rollers\nremove 'rolls'");
    return jn_read_direction(r, node, &c->roll);
}

static bool read_between(jn_reader *r, const jn_node *node, void *item) {
    jn_contact_desc *c = &((contact_item *)item)->contact;
    c->is_pair = true;
    return jn_read_between(r, node, c->body);
}

/* Name of a law of a kind, in the order of its table; NULL beyond the last. */
typedef const char *law_name(int index);
static const char *normal_name(int i) { return jn_normal_get_info(i) ? jn_normal_get_info(i)->name : NULL; }
static const char *friction_name(int i) { return jn_friction_get_info(i) ? jn_friction_get_info(i)->name : NULL; }
static const char *line_name(int i) { return jn_line_get_info(i) ? jn_line_get_info(i)->name : NULL; }

/* The name of a law, or the text parameter that holds it. kind: its table in `jounce laws`. */
static bool read_law_name(jn_reader *r, const jn_node *node, const char *kind, law_name *name, const char **out) {
    const char *word = jn_read_plain_word(r, node);
    if (!word)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected the name of a %s law\nwrite 'law: %s'", kind,
                             name(0));
    for (int i = 0; (*out = name(i)); i++)
        if (!strcmp(*out, word)) return true;
    jn_suggest suggest = jn_suggest_for(word);
    for (int i = 0; name(i); i++) jn_suggest_offer(&suggest, name(i));
    if (suggest.best)
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "there is no %s law '%.60s'\nwrite '%s'; see 'jounce laws %s' for the others", kind, word,
                             suggest.best, kind);
    return jn_read_error(r, node->where, JN_ERR_MODEL,
                         "there is no %s law '%.60s'\nsee 'jounce laws %s' for those there are", kind, word, kind);
}

static bool read_law(jn_reader *r, const jn_node *node, void *item) {
    return read_law_name(r, node, "normal", normal_name, &((contact_item *)item)->contact.law);
}

static bool read_line(jn_reader *r, const jn_node *node, void *item) {
    return read_law_name(r, node, "line", line_name, &((contact_item *)item)->contact.line);
}

static bool read_friction_law(jn_reader *r, const jn_node *node, void *item) {
    return read_law_name(r, node, "friction", friction_name, &((contact_item *)item)->contact.friction_law);
}

/* One value for both bodies, or one for each. */
static bool read_both(jn_reader *r, const jn_node *node, jn_measure measure, double out[2]) {
    if (node->kind == JN_NODE_LIST) return jn_read_numbers(r, node, measure, 2, out);
    if (!jn_read_number(r, node, measure, &out[0])) return false;
    out[1] = out[0];
    return true;
}

/* An infinite stiffness is a wish for a rigid contact, which another method gives. */
static bool is_rigid(jn_reader *r, const jn_node *node) {
    const char *word = jn_read_plain_word(r, node);
    if (word && *word == '+') word++;
    if (word && *word == '.') word++;
    if (!word || (strcasecmp(word, "inf") && strcasecmp(word, "infinity"))) return false;
    return !jn_read_error(
        r, node->where, JN_ERR_MODEL,
        "a contact cannot be infinitely stiff: its force is that of a depth\nwrite a stiffness such as "
        "'stiffness: 1e8', or take rigid contact: 'method: nonsmooth' in run");
}

static bool read_stiffness(jn_reader *r, const jn_node *node, void *item) {
    jn_contact_desc *c = &((contact_item *)item)->contact;
    jn_expression K;
    char found[80];
    if (is_rigid(r, node) || !jn_read_expression(r, node, JN_MEASURE_ANY, 0, &K)) return false;
    if (!(K.value > 0))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "'stiffness' must be greater than 0, not %g\nwrite a stiffness such as 1e8", K.value);
    c->stiffness = K.value;
    if (K.type.kind != JN_KIND_TYPED) return true;
    const double *e = K.type.dimension.e;
    c->stiffness_power = 1 - e[JN_DIM_LENGTH];
    if (e[JN_DIM_MASS] == 1 && e[JN_DIM_TIME] == -2 && e[JN_DIM_TEMPERATURE] == 0 && e[JN_DIM_CURRENT] == 0)
        return true;
    jn_dimension_text(K.type.dimension, found, sizeof found);
    return jn_read_error(r, node->where, JN_ERR_MODEL, "expected a stiffness in N/m^n; found %s\nwrite '1e8 N/m^1.5'",
                         found);
}

static bool read_tangential_restitution(jn_reader *r, const jn_node *node, void *item) {
    double *c = &((contact_item *)item)->contact.tangential_restitution;
    return jn_read_number(r, node, JN_MEASURE_NUMBER, c) &&
           ((*c >= 0 && *c <= 1) ||
            jn_read_error(
                r, node->where, JN_ERR_MODEL,
                "'tangential_restitution' lies between 0 and 1, not at %g\nwrite 'tangential_restitution: 0.2'", *c));
}

static bool read_restitution(jn_reader *r, const jn_node *node, void *item) {
    jn_contact_desc *c = &((contact_item *)item)->contact;
    const jn_node *list = jn_read_list(r, node);
    int count = list->kind == JN_NODE_LIST ? list->count : 1;
    const char *word = jn_read_plain_word(r, node);
    if (word && !strcmp(word, "exact"))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "'restitution' is a number\nwrite 'restitution: 0.9' and 'exact: true' beside it");
    if (count < 1 || count > JN_RESTITUTIONS)
        return jn_read_error(
            r, list->where, JN_ERR_MODEL,
            "a list of restitutions has 1 to %d numbers, one per impact event\nwrite 'restitution: [0.8, 0.6]'",
            JN_RESTITUTIONS);
    for (int i = 0; i < count; i++) {
        const jn_node *at = list->kind == JN_NODE_LIST ? list->items[i] : node;
        double *e = &c->restitutions[i];
        if (!jn_read_number(r, at, JN_MEASURE_NUMBER, e)) return false;
        if (!(*e >= -1 && *e <= 1))
            return jn_read_error(r, at->where, JN_ERR_MODEL, "'restitution' lies between 0 and 1, not at %g", *e);
    }
    c->restitution_count = count, c->restitution = c->restitutions[count - 1];
    return true;
}

static bool read_young(jn_reader *r, const jn_node *node, void *item) {
    double *E = ((contact_item *)item)->contact.young;
    return !is_rigid(r, node) && read_both(r, node, JN_MEASURE_ANY, E) &&
           ((E[0] > 0 && E[1] > 0) ||
            jn_read_error(r, node->where, JN_ERR_MODEL, "Young's modulus must be greater than 0"));
}

static bool read_poisson(jn_reader *r, const jn_node *node, void *item) {
    double *nu = ((contact_item *)item)->contact.poisson;
    return read_both(r, node, JN_MEASURE_NUMBER, nu) &&
           ((nu[0] > -1 && nu[0] <= 0.5 && nu[1] > -1 && nu[1] <= 0.5) ||
            jn_read_error(r, node->where, JN_ERR_MODEL, "Poisson's ratio lies between -1 and 0.5"));
}

#define CONTACT(member) offsetof(contact_item, contact.member)
#define NUMBER(name, of, member, limits, said, sample)                                                                 \
    {                                                                                                                  \
        .key = name, .kind = JN_FIELD_NUMBER, .measure = of, .offset = CONTACT(member), .range = limits, .doc = said,  \
        .example = sample                                                                                              \
    }

/* The measure whose SI unit a law's row names; any, where there is no word for it. */
static jn_measure measure_of(const char *unit) {
    for (int i = JN_MEASURE_NUMBER; i < JN_MEASURES; i++)
        if (!strcmp(jn_measure_get((jn_measure)i)->unit, unit)) return (jn_measure)i;
    return strcmp(unit, "1") ? JN_MEASURE_ANY : JN_MEASURE_NUMBER;
}

static int put_parameter(void *item, const char *key, double value) {
    return jn_contact_set_parameter(&((contact_item *)item)->contact, key, value);
}

/* Whether a law before this one has a parameter of that name, or all methods know it. */
static bool is_listed(int law, const char *name) {
    if (!strcmp(name, "dynamic") || !strcmp(name, "static")) return true;
    for (int i = 0; i < law; i++)
        for (const jn_law_parameter *p = jn_friction_get_info(i)->parameters; p->name; p++)
            if (!strcmp(p->name, name)) return true;
    return false;
}

/* Parameters of all friction laws, each name once, as the first law that has it says. */
static bool friction_parameter(int index, jn_field *field) {
    for (int i = 0; jn_friction_get_info(i); i++)
        for (const jn_law_parameter *p = jn_friction_get_info(i)->parameters; p->name; p++) {
            if (is_listed(i, p->name) || index-- > 0) continue;
            *field = (jn_field){.key = p->name,
                                .kind = JN_FIELD_NUMBER,
                                .measure = measure_of(p->unit),
                                .range = p->open ? JN_RANGE_POSITIVE : JN_RANGE_NOT_NEGATIVE,
                                .put = put_parameter,
                                .fallback = "that of the law",
                                .doc = p->doc,
                                .example = p->example};
            return true;
        }
    return false;
}

static const jn_field friction_rows[] = {
    {.key = "law",
     .kind = JN_FIELD_CUSTOM,
     .read = read_friction_law,
     .schema = JN_SCHEMA_NAME,
     .fallback = "coulomb",
     .doc = "friction law, see 'jounce laws friction'",
     .example = "law: lugre"},
    NUMBER("dynamic", JN_MEASURE_NUMBER, friction, JN_RANGE_NOT_NEGATIVE, "coefficient of sliding friction",
           "dynamic: 0.3"),
    NUMBER("static", JN_MEASURE_NUMBER, stick, JN_RANGE_NOT_NEGATIVE,
           "coefficient of sticking friction; impact: at rest, with dynamic for sliding", "static: 0.4"),
    {.key = NULL, .more = friction_parameter},
};

static const jn_fieldset friction_fields = {
    "contacts.NAME.friction", "A friction law with its parameters; `jounce laws friction` has those of each law.",
    friction_rows};
static const jn_fieldset *const friction_sets[] = {&friction_fields, NULL};

/* A friction law and its parameters mean nothing without a coefficient above 0. */
static bool check_friction(jn_reader *r, const jn_node *node, const jn_contact_desc *c) {
    if (isnan(c->friction))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "friction has no coefficient\nadd 'dynamic: 0.3' to it, or leave friction out");
    bool plain = !c->friction_law && c->parameter_count == 0 && !isnan(c->stick);
    if (c->friction == 0 && !plain) /* coefficients alone may be 0, so that a parameter can say so */
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "friction has a law or parameters, but its coefficient is 0\nwrite 'friction: 0' for a "
                             "contact without friction, or a 'dynamic' above 0");
    return true;
}

static bool read_friction(jn_reader *r, const jn_node *node, void *item) {
    if (node->kind == JN_NODE_MAP)
        return jn_read_fields(r, node, &friction_fields, item) &&
               check_friction(r, node, &((contact_item *)item)->contact);
    double *mu = &((contact_item *)item)->contact.friction;
    return jn_read_number(r, node, JN_MEASURE_NUMBER, mu) &&
           (*mu >= 0 ||
            jn_read_error(r, node->where, JN_ERR_MODEL, "a coefficient of friction is not negative, as %g is", *mu));
}

static const jn_keyword combine_keywords[] = {
    {"mean", JN_COMBINE_MEAN}, {"min", JN_COMBINE_MIN}, {"max", JN_COMBINE_MAX}, {NULL, 0}};

static const jn_field contact_rows[] = {
    {.key = "between",
     .kind = JN_FIELD_CUSTOM,
     .read = read_between,
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"string\"}}",
     .fallback = "a material, for shapes that name it or for all",
     .doc = "the two bodies whose shapes touch in this way",
     .example = "between: [ground, ball]"},
    {.key = "joined",
     .kind = JN_FIELD_BOOL,
     .offset = CONTACT(joined),
     .fallback = "true",
     .doc = "with between: the bodies touch though a joint joins them",
     .example = "joined: false"},
    {.key = "law",
     .kind = JN_FIELD_CUSTOM,
     .read = read_law,
     .schema = JN_SCHEMA_NAME,
     .fallback = "flores with a restitution, else hertz",
     .doc = "normal force law, see 'jounce laws normal'",
     .example = "law: lankarani_nikravesh"},
    {.key = "stiffness",
     .kind = JN_FIELD_CUSTOM,
     .read = read_stiffness,
     .schema = JN_SCHEMA_NUMBER,
     .doc = "K of the law's power K d^n [N/m^n]",
     .example = "stiffness: 1e8 N/m^1.5"},
    NUMBER("exponent", JN_MEASURE_NUMBER, exponent, JN_RANGE_POSITIVE, "n of that power (default 1.5)",
           "exponent: 1.5"),
    {.key = "restitution",
     .kind = JN_FIELD_CUSTOM,
     .read = read_restitution,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\"}]}",
     .doc = "coefficient of restitution, 0 to 1; nonsmooth and impact: 0 where none is given. A list: one per impact "
            "event of a "
            "collision by method impact, the last one for all others, and that one for the other methods; law "
            "simultaneous: -1 to 1",
     .example = "restitution: 0.9"},
    {.key = "tangential_restitution",
     .kind = JN_FIELD_CUSTOM,
     .read = read_tangential_restitution,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "nonsmooth, and impact by law staged: slip returned by an impact that sticks, 0 to 1",
     .example = "tangential_restitution: 0.2"},
    {.key = "combine",
     .kind = JN_FIELD_KEYWORD,
     .offset = CONTACT(combine),
     .keywords = combine_keywords,
     .fallback = "mean",
     .doc = "a material that meets another: friction and restitution are the geometric mean of both, the smaller or "
            "the larger one; of two different words the later one in mean, min, max holds",
     .example = "combine: max"},
    {.key = "exact",
     .kind = JN_FIELD_BOOL,
     .offset = CONTACT(exact),
     .fallback = "false",
     .doc = "choose the damping that does return the coefficient, whatever the law's own formula",
     .example = "exact: true"},
    {.key = "attraction",
     .kind = JN_FIELD_BOOL,
     .offset = CONTACT(attraction),
     .fallback = "false",
     .doc = "let the force pull while bodies part",
     .example = "attraction: true"},
    NUMBER("damping", JN_MEASURE_ANY, damping, JN_RANGE_NOT_NEGATIVE, "of a linear damper [N s/m]", "damping: 100"),
    NUMBER("mass", JN_MEASURE_MASS, mass, JN_RANGE_POSITIVE,
           "reduced mass, where a linear damper follows from the restitution", "mass: 0.5"),
    NUMBER("speed_floor", JN_MEASURE_SPEED, speed_floor, JN_RANGE_POSITIVE,
           "smallest impact speed that damping refers to", "speed_floor: 1 mm/s"),
    {.key = "young",
     .kind = JN_FIELD_CUSTOM,
     .read = read_young,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\"}]}",
     .doc = "Young's modulus, instead of a stiffness: one, or one for each body",
     .example = "young: 207 GPa"},
    {.key = "poisson",
     .kind = JN_FIELD_CUSTOM,
     .read = read_poisson,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\"}]}",
     .doc = "Poisson's ratio, with young",
     .example = "poisson: 0.3"},
    {.key = "line",
     .kind = JN_FIELD_CUSTOM,
     .read = read_line,
     .schema = JN_SCHEMA_NAME,
     .fallback = "none",
     .doc = "law of cylinders that touch along a line, with young: johnson or esdu",
     .example = "line: johnson"},
    NUMBER("length", JN_MEASURE_LENGTH, length, JN_RANGE_POSITIVE,
           "of that line (default: the length of the clearance joint)", "length: 20 mm"),
    {.key = "friction",
     .kind = JN_FIELD_MAP,
     .read = read_friction,
     .sets = friction_sets,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "none",
     .doc = "coefficient of friction, or a law with its parameters",
     .example = "friction: {law: brown_mcphee, dynamic: 0.3, static: 0.4, v0: 1 mm/s}"},
    {.key = "rolls",
     .kind = JN_FIELD_CUSTOM,
     .read = read_rolls,
     .schema = "{\"type\": [\"string\", \"array\"]}",
     .fallback = "friction in all directions",
     .doc = "with between: the second body is an omni wheel about this axis, as drawn; its rollers let it "
            "slide along the "
            "axis without friction",
     .example = "rolls: y"},
    NUMBER("rolling", JN_MEASURE_LENGTH, rolling, JN_RANGE_NOT_NEGATIVE, "rolling resistance: torque over normal force",
           "rolling: 0.1 mm"),
    NUMBER("spinning", JN_MEASURE_LENGTH, spinning, JN_RANGE_NOT_NEGATIVE,
           "spinning resistance: torque over normal force", "spinning: 0.1 mm"),
    NUMBER("resistance_speed", JN_MEASURE_ANGULAR_SPEED, resistance_speed, JN_RANGE_POSITIVE,
           "speed of their regularisation", "resistance_speed: 0.01"),
    NUMBER("delta_max", JN_MEASURE_LENGTH, delta_max, JN_RANGE_POSITIVE,
           "deepest penetration with which a contact may start (default automatic)", "delta_max: 1e-9"),
    {.key = NULL},
};
const jn_fieldset jn_contact_fields = {
    "contacts.NAME",
    "How bodies touch. With `between` for that pair of bodies; without, a material for shapes that name it.",
    contact_rows};

bool jn_read_contacts(jn_reader *r, const jn_node *node, void *item) {
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "contacts, each 'name: {between: [a, b], ...}'");
    (void)item;
    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        contact_item c = {.contact = jn_contact_default(entry->key)};
        size_t mark = jn_path_key(r, entry->key);
        c.contact.where = entry->where;
        bool good = jn_check_name(r, entry, true, "a contact");
        good = jn_expect_kind(r, entry->value, JN_NODE_MAP, "a contact") && good &&
               jn_read_fields(r, entry->value, &jn_contact_fields, &c);
        if (good && c.contact.rolls && !c.contact.is_pair)
            good = jn_read_error(r, jn_node_entry(entry->value, "rolls")->where, JN_ERR_MODEL,
                                 "'rolls' is about the second body of a pair\nadd 'between: [ground, wheel]'");
        if (good && jn_description_add_contact(r->d, &c.contact) < 0) return jn_read_no_memory(r);
        jn_path_back(r, mark);
    }
    return fine && r->status == JN_OK;
}
