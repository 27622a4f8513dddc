/* What the stage says about a prim: attributes, relationships, applied schemas. */
#include "description/robot/usd/usd_stage.h"

#include <math.h>
#include <string.h>

bool jn_usd_is(const jn_usd_node *n, const char *type) { return !strcmp(n->type, type); }

bool jn_usd_has(const jn_usd_node *n, const char *schema, const char *instance) {
    size_t length = strlen(schema);
    for (int i = 0; i < n->api_count; i++) {
        const char *name = n->api[i];
        if (strncmp(name, schema, length)) continue;
        if (instance ? name[length] == ':' && !strcmp(name + length + 1, instance)
                     : name[length] == 0 || name[length] == ':')
            return true;
    }
    return false;
}

const jn_usd_field *jn_usd_node_field(const jn_usd_node *n, const char *name) {
    for (int i = 0; i < n->source_count; i++) {
        const jn_usd_field *f = jn_usd_field_of(n->sources[i].prim, name);
        if (f) return f;
    }
    return NULL;
}

static bool holds(const char **list, int count, const char *text) {
    for (int i = 0; i < count; i++)
        if (!strcmp(list[i], text)) return true;
    return false;
}

/* Puts the texts of one opinion on a list of weaker ones, none twice; false: no memory. */
static bool merge(jn_usd_stage *s, const char ***list, int *count, jn_usd_op op, const char **texts, int more) {
    const char **next = jn_store_array(s->b->r->scratch, (size_t)*count + (size_t)more + 1, sizeof *next);
    int n = 0;
    if (!next) return jn_read_no_memory(s->b->r);
    if (op == JN_USD_REORDER) return true;
    for (int i = 0; op == JN_USD_PREPEND && i < more; i++)
        if (!holds(next, n, texts[i])) next[n++] = texts[i];
    for (int i = 0; op != JN_USD_SET && i < *count; i++)
        if (!holds(texts, more, (*list)[i])) next[n++] = (*list)[i];
    for (int i = 0; (op == JN_USD_SET || op == JN_USD_APPEND) && i < more; i++)
        if (!holds(next, n, texts[i])) next[n++] = texts[i];
    *list = next, *count = n;
    return true;
}

int jn_usd_list(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char ***out) {
    int count = 0;
    *out = NULL;
    for (int i = n->source_count - 1; i >= 0; i--) {
        const jn_usd_prim *p = n->sources[i].prim;
        for (int k = 0; k < p->field_count; k++) {
            const jn_usd_field *f = &p->fields[k];
            bool texts = f->value.kind == JN_USD_TEXTS || f->value.count == 0;
            if (!strcmp(f->name, name) && texts && !merge(s, out, &count, f->op, f->value.texts, f->value.count))
                return 0;
        }
    }
    return count;
}

const jn_usd_property *jn_usd_attribute(jn_usd_stage *s, const jn_usd_node *n, const char *name) {
    for (int i = 0; i < n->source_count; i++) {
        const jn_usd_prim *p = n->sources[i].prim;
        const jn_usd_property *value = NULL;
        bool samples = false;
        for (int k = 0; k < p->property_count; k++) {
            const jn_usd_property *a = &p->properties[k];
            if (a->relation || strcmp(a->name, name)) continue;
            if (a->has_samples) {
                samples = true;
                jn_robot_find(s->b, JN_FINDING_PHYSICS, a->where, jn_robot_text(s->b, "%s of %s", name, n->path),
                              "attributes that change in time (timeSamples, spline)", "the value without a time holds");
            }
            if (a->has_value) value = a;
        }
        if (value || samples) return value && value->value.kind != JN_USD_NONE ? value : NULL;
    }
    return NULL;
}

bool jn_usd_numbers(jn_usd_stage *s, const jn_usd_node *n, const char *name, int count, double *out) {
    const jn_usd_property *p = jn_usd_attribute(s, n, name);
    if (!p) return true;
    const jn_usd_value *v = &p->value;
    if (v->kind != JN_USD_NUMBERS || v->list || v->width != count)
        return jn_read_error(s->b->r, v->where, JN_ERR_MODEL, "'%s' of <%.200s> needs %s\nwrite %s", name, n->path,
                             count == 1   ? "one number"
                             : count == 3 ? "three numbers"
                             : count == 4 ? "four numbers"
                                          : "a matrix of four rows of four numbers",
                             count == 1   ? "it as 'float name = 1'"
                             : count == 3 ? "them as (1, 2, 3)"
                             : count == 4 ? "them as (1, 0, 0, 0)"
                                          : "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))");
    for (int i = 0; i < count; i++)
        if (isnan(v->numbers[i]))
            return jn_read_error(s->b->r, v->where, JN_ERR_MODEL, "'%s' of <%.200s> is not a number\nwrite one", name,
                                 n->path);
    memcpy(out, v->numbers, (size_t)count * sizeof *out);
    return true;
}

bool jn_usd_vector(jn_usd_stage *s, const jn_usd_node *n, const char *name, jn_vec3 *out) {
    double x[3] = {out->x, out->y, out->z};
    if (!jn_usd_numbers(s, n, name, 3, x)) return false;
    *out = v3(x[0], x[1], x[2]);
    return true;
}

bool jn_usd_quaternion(jn_usd_stage *s, const jn_usd_node *n, const char *name, jn_quat *out) {
    double x[4] = {out->w, out->x, out->y, out->z};
    if (!jn_usd_numbers(s, n, name, 4, x)) return false;
    jn_quat q = {x[0], x[1], x[2], x[3]};
    double norm = q4_norm(q);
    if (!(norm > 1e-12 && norm < 1e12))
        return jn_read_error(s->b->r, jn_usd_attribute(s, n, name)->value.where, JN_ERR_MODEL,
                             "'%s' of <%.200s> is no rotation: its length is %g\nwrite (1, 0, 0, 0) for none", name,
                             n->path, norm);
    *out = q4_unit(q);
    return true;
}

bool jn_usd_flag(jn_usd_stage *s, const jn_usd_node *n, const char *name, bool *out) {
    double x = *out;
    if (!jn_usd_numbers(s, n, name, 1, &x)) return false;
    *out = x != 0;
    return true;
}

const char *jn_usd_token(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char *usual) {
    const jn_usd_property *p = jn_usd_attribute(s, n, name);
    return p && p->value.kind == JN_USD_TEXTS && p->value.count == 1 ? p->value.texts[0] : usual;
}

/* Targets of one opinion, as paths of the stage; those that lead nowhere are left out. */
static int map_targets(jn_usd_stage *s, const jn_usd_source *source, const jn_usd_node *n, const jn_usd_property *p,
                       const char **out) {
    int count = 0;
    for (int i = 0; i < p->value.count && p->value.kind == JN_USD_PATHS; i++) {
        const char *path = p->value.texts[i];
        if (*path && *path != '/')
            path = jn_robot_text(s->b, "%s/%s", n->path, path); /* below the prim itself */
        else
            path = jn_usd_map_path(s->b, source->map, path);
        if (path)
            out[count++] = path;
        else
            jn_robot_find(s->b, JN_FINDING_WARNING, p->where, p->value.texts[i],
                          "relationships that lead out of a referenced prim", "they lead nowhere, as USD has it");
    }
    return count;
}

int jn_usd_targets(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char ***targets) {
    int count = 0;
    *targets = NULL;
    for (int i = n->source_count - 1; i >= 0; i--) {
        const jn_usd_prim *prim = n->sources[i].prim;
        for (int k = 0; k < prim->property_count; k++) {
            const jn_usd_property *p = &prim->properties[k];
            if (!p->relation || p->connection || !p->has_value || strcmp(p->name, name)) continue;
            const char **mapped = jn_store_array(s->b->r->scratch, (size_t)p->value.count + 1, sizeof *mapped);
            if (!mapped) {
                jn_read_no_memory(s->b->r);
                return 0;
            }
            int more = map_targets(s, &n->sources[i], n, p, mapped);
            if (!merge(s, targets, &count, p->op, mapped, more)) return 0;
        }
    }
    return count;
}
