/* The section couplers: sums of joint coordinates that are held. */
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

bool jn_read_terms(jn_reader *r, const jn_node *node, const jn_term_list *t) {
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "factors of joints, as in 'joints: {a: 1, b: -2.5}'");
    for (int i = 0; fine && i < node->count; i++) {
        double factor;
        fine = jn_read_number(r, node->entries[i].value, JN_MEASURE_ANY, &factor) &&
               add_term(r, node->entries[i].key, node->entries[i].where, factor, t);
    }
    return fine;
}

/* ---------------------------------------------------------------------------------------------------- couplers */

typedef struct coupler_item {
    jn_coupler_desc coupler; /* first */
    const jn_node *gear, *ratio;
} coupler_item;

static jn_term_list coupler_terms(jn_coupler_desc *c) {
    return (jn_term_list){&c->count, c->joint, c->coordinate, c->factor, JN_COUPLER_MAX, "a coupler"};
}

static bool read_terms(jn_reader *r, const jn_node *node, void *item) {
    jn_term_list t = coupler_terms(item);
    return jn_read_terms(r, node, &t);
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

static const jn_field coupler_rows[] = {
    {.key = "joints",
     .kind = JN_FIELD_CUSTOM,
     .read = read_terms,
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}",
     .doc = "factors: the sum of factor * coordinate keeps its initial value; 'NAME.2' is the second coordinate of a "
            "joint",
     .example = "joints: {a: 1, b: -2.5}"},
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
    "couplers.NAME", "A linear relation between joint coordinates: gears, racks, differentials.", coupler_rows};

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
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a coupler needs joints\nwrite {joints: {a: 1, b: -2.5}}");
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
