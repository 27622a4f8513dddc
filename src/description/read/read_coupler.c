/* The section couplers: sums of joint coordinates and lengths of tendons that are held. */
#include "description/read/term_list.h"

#include "description/joint_info.h"

#include <stddef.h>
#include <string.h>

static bool has_term(const jn_term_list *t, int joint, int coordinate) {
    for (int i = 0; i < *t->count; i++)
        if (t->joint[i] == joint && t->coordinate[i] == coordinate) return true;
    return false;
}

/* "NAME" or "NAME.2" for the second coordinate. */
static bool add_term(jn_reader *r, const char *text, jn_where where, double factor, const jn_term_list *t) {
    const char *dot = strrchr(text, '.');
    bool numbered = dot && dot[1] >= '1' && dot[1] <= '9' && !dot[2];
    char *name = jn_store_copy(r->scratch, text, numbered ? (size_t)(dot - text) : strlen(text));
    jn_node node = {.kind = JN_NODE_SCALAR, .where = where, .text = name};
    int joint, k = numbered ? dot[1] - '1' : 0, n;

    if (!name) return jn_read_no_memory(r);
    if (!jn_read_joint_name(r, &node, &joint) || r->joint_types[joint] < 0) return false;
    jn_joint_type type = (jn_joint_type)r->joint_types[joint];
    n = jn_joint_velocities(type, r->d->planar);
    if (k >= n || (n > 1 && !numbered) || !jn_joint_is_scalar(type, r->d->planar, k))
        return jn_read_error(r, where, JN_ERR_MODEL, "'%.80s' is not one coordinate of a joint\n%s", text,
                             n > 1 ? "write 'NAME.1', 'NAME.2', ... for a joint with several"
                                   : "couple joints that have coordinates");
    if (*t->count == t->most)
        return jn_read_error(r, where, JN_ERR_LIMIT, "%s joins at most %d coordinates", t->what, t->most);
    if (has_term(t, joint, k))
        return jn_read_error(r, where, JN_ERR_MODEL, "'%.80s' is coupled to itself\nname two different joints", text);
    t->joint[*t->count] = joint;
    t->coordinate[*t->count] = k;
    t->factor[(*t->count)++] = factor;
    return true;
}

/* A factor, or those of x, x^2, x^3 and x^4. */
static bool read_factors(jn_reader *r, const jn_node *node, bool powers, double factor[4]) {
    memset(factor, 0, 4 * sizeof *factor);
    if (!powers || node->kind != JN_NODE_LIST) return jn_read_number(r, node, JN_MEASURE_ANY, factor);
    if (node->count < 1 || node->count > 4)
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "%d factors, but a polynomial has 1 to 4 of them: of x, x^2, x^3, x^4", node->count);
    for (int k = 0; k < node->count; k++)
        if (!jn_read_number(r, node->items[k], JN_MEASURE_ANY, &factor[k])) return false;
    return true;
}

bool jn_read_terms(jn_reader *r, const jn_node *node, const jn_term_list *t) {
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "factors of joints, as in 'joints: {a: 1, b: -2.5}'");
    for (int i = 0; fine && i < node->count; i++) {
        double factor[4];
        fine = read_factors(r, node->entries[i].value, t->power, factor) &&
               add_term(r, node->entries[i].key, node->entries[i].where, factor[0], t);
        if (fine && t->power) memcpy(t->power[*t->count - 1], factor + 1, 3 * sizeof *factor);
    }
    return fine;
}

/* ---------------------------------------------------------------------------------------------------- couplers */

typedef struct coupler_item {
    jn_coupler_desc coupler; /* first */
    const jn_node *gear, *ratio;
} coupler_item;

static jn_term_list coupler_terms(jn_coupler_desc *c) {
    return (jn_term_list){&c->count, c->joint, c->coordinate, c->factor, c->power, JN_COUPLER_MAX, "a coupler"};
}

static bool read_terms(jn_reader *r, const jn_node *node, void *item) {
    jn_term_list t = coupler_terms(item);
    return jn_read_terms(r, node, &t);
}

static bool read_tendons(jn_reader *r, const jn_node *node, void *item) {
    jn_coupler_desc *c = item;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "factors of tendons, as in 'tendons: {a: 1, b: -2.5}'");
    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        jn_node name = {.kind = JN_NODE_SCALAR, .where = entry->where, .text = entry->key};
        double factor[4];
        int tendon;
        if (!read_factors(r, entry->value, true, factor) || !jn_read_tendon_name(r, &name, &tendon)) return false;
        if (c->count == JN_COUPLER_MAX)
            return jn_read_error(r, entry->where, JN_ERR_LIMIT, "a coupler joins at most %d coordinates",
                                 JN_COUPLER_MAX);
        c->tendon[c->count] = tendon + 1;
        c->factor[c->count] = factor[0];
        memcpy(c->power[c->count++], factor + 1, 3 * sizeof *factor);
    }
    return fine;
}

static bool read_constant(jn_reader *r, const jn_node *node, void *item) {
    jn_coupler_desc *c = item;
    c->has_constant = true;
    return jn_read_number(r, node, JN_MEASURE_ANY, &c->constant);
}

static bool keep_gear(jn_reader *r, const jn_node *node, void *item) {
    ((coupler_item *)item)->gear = node;
    return jn_expect_list(r, node, 2, "the names of two joints");
}

static bool keep_ratio(jn_reader *r, const jn_node *node, void *item) {
    (void)r;
    ((coupler_item *)item)->ratio = node;
    return true;
}

#define FACTORS                                                                                                        \
    "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, "                        \
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 1, \"maxItems\": 4}]}}"
static const jn_field coupler_rows[] = {
    {.key = "joints",
     .kind = JN_FIELD_CUSTOM,
     .read = read_terms,
     .schema = FACTORS,
     .doc = "factors: the sum of factor * coordinate keeps its initial value; 'NAME.2' is the second coordinate of a "
            "joint; a list has the factors of x, x^2, x^3 and x^4",
     .example = "joints: {a: 1, b: [-2.5, 0.1]}"},
    {.key = "tendons",
     .kind = JN_FIELD_CUSTOM,
     .read = read_tendons,
     .schema = FACTORS,
     .doc = "the same of tendons, whose lengths count from the drawn configuration",
     .example = "tendons: {left: 1, right: 1}"},
    {.key = "constant",
     .kind = JN_FIELD_CUSTOM,
     .read = read_constant,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "at the start",
     .doc = "what the sum is held at",
     .example = "constant: 0.1"},
    {.key = "gear",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_gear,
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2}",
     .doc = "two joints a, b: q_a = ratio * q_b, both counted from the start",
     .example = "gear: [a, b]"},
    {.key = "ratio",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_ratio,
     .schema = JN_SCHEMA_NUMBER,
     .doc = "of a gear; negative for wheels that turn against each other",
     .example = "ratio: -2.5"},
    {.key = NULL},
};
const jn_fieldset jn_coupler_fields = {
    "couplers.NAME", "A relation between joint coordinates, or lengths of tendons: gears, racks, differentials, cams.", coupler_rows};

static bool finish_coupler(jn_reader *r, const jn_node *node, coupler_item *c) {
    double ratio = 0;
    jn_term_list terms = coupler_terms(&c->coupler);

    if (c->gear && (c->coupler.count > 0 || !c->ratio)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a gear needs 'ratio', and no 'joints'\nwrite {gear: [a, b], ratio: -2.5}");
    }
    if (!c->gear && c->ratio) {
        return jn_read_error(r, c->ratio->where, JN_ERR_MODEL,
                             "'ratio' belongs to 'gear'\nwrite {gear: [a, b], ratio: -2.5}");
    }
    if (c->gear) {
        for (int i = 0; i < 2; i++) {
            if (!jn_expect_kind(r, c->gear->items[i], JN_NODE_SCALAR, "the name of a joint")) {
                return false;
            }
        }
        if (!jn_read_number(r, c->ratio, JN_MEASURE_ANY, &ratio) ||
            !add_term(r, c->gear->items[0]->text, c->gear->items[0]->where, 1, &terms) ||
            !add_term(r, c->gear->items[1]->text, c->gear->items[1]->where, -ratio, &terms)) {
            return false;
        }
    }
    if (c->coupler.count == 0) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a coupler needs joints or tendons\nwrite {joints: {a: 1, b: -2.5}}");
    }
    return true;
}

bool jn_read_couplers(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "couplers, each 'name: {joints: {...}}'");
    (void)item;

    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        coupler_item c = {.coupler = {.name = jn_store_strdup(r->store, entry->key), .where = entry->where}};
        size_t mark = jn_path_key(r, entry->key);
        void *wide = jn_store_grow(r->store, d->couplers, d->coupler_count, sizeof *d->couplers);
        if (!wide || !c.coupler.name) {
            return jn_read_no_memory(r);
        }
        d->couplers = wide;
        if (jn_check_name(r, entry, true, "a coupler") && jn_read_fields(r, entry->value, &jn_coupler_fields, &c) &&
            finish_coupler(r, entry->value, &c)) {
            d->couplers[d->coupler_count++] = c.coupler;
        }
        jn_path_back(r, mark);
    }
    return fine;
}
