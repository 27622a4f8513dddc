/* Puts a stage together: what is said about a prim, by strength, is its own file with sublayers, what it inherits, its selected variants, its
 * references, its payloads and what it specializes [OpenUSD, Value resolution, LIVRPS], and for each of these the same again. */
#include "description/robot/usd/usd_stage.h"

#include <string.h>

enum { DEEPEST_PRIM = 100, MOST_NODES = 200000, MOST_ARCS = 1000000, DEEPEST_ARC = 100 };

/* Arcs that lead to what is looked at, to find circles. */
typedef struct chain {
    const jn_usd_stack *stack;
    const char *path;
    const struct chain *up;
    int depth;
} chain;

static bool expand(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *group, int count, const chain *up);

/* --------------------------------------------------------------------------------------------------- paths */

static bool below(const char *path, const char *prefix) {
    size_t n = strlen(prefix);
    if (n == 1) return true; /* "/" */
    return !strncmp(path, prefix, n) && (path[n] == 0 || path[n] == '/' || path[n] == '.');
}

const char *jn_usd_map_path(jn_robot *b, const jn_usd_map *map, const char *path) {
    for (; map; map = map->outer) {
        if (below(path, map->from)) {
            const char *rest = strlen(map->from) == 1 ? path : path + strlen(map->from);
            return jn_robot_text(b, "%s%s", map->to, rest);
        }
        if (map->closed) return NULL;
    }
    return path;
}

/* The prim of a layer at an absolute path, through no variants; NULL: none. */
static const jn_usd_prim *prim_at(const jn_usd_layer *layer, const char *path) {
    const jn_usd_prim *p = &layer->root;
    while (p && *path == '/') {
        path++;
        size_t n = strcspn(path, "/");
        if (n) p = jn_usd_child(p, path, n);
        path += n;
    }
    return p == &layer->root ? NULL : p;
}

jn_usd_node *jn_usd_find(const jn_usd_stage *s, const char *path) {
    jn_usd_node *n = s->root;
    while (n && *path == '/') {
        path++;
        size_t length = strcspn(path, "/.");
        jn_usd_node *next = NULL;
        for (int i = 0; i < n->child_count && !next; i++)
            if (!strncmp(n->children[i]->name, path, length) && !n->children[i]->name[length]) next = n->children[i];
        if (length) n = next;
        path += length;
    }
    return n == s->root ? NULL : n;
}

/* ---------------------------------------------------------------------------------------------------- arcs */

static bool add_source(jn_usd_stage *s, jn_usd_node *n, jn_usd_source source) {
    void *wide = jn_store_grow(s->b->r->scratch, n->sources, n->source_count, sizeof *n->sources);
    if (!wide) return jn_read_no_memory(s->b->r);
    n->sources = wide, n->sources[n->source_count++] = source;
    return true;
}

/* All that a stack says about the prim at a path, as opinions on the node. */
static bool follow(jn_usd_stage *s, jn_usd_node *n, const jn_usd_stack *stack, const char *path,
                   const jn_usd_map *outer, bool closed, jn_where where, const chain *up) {
    const chain here = {stack, path, up, up ? up->depth + 1 : 1};
    for (const chain *c = up; c; c = c->up)
        if (c->stack == stack && !strcmp(c->path, path))
            return jn_read_error(
                s->b->r, where, JN_ERR_MODEL,
                "prims refer to each other in a circle: <%.200s> leads to itself\nremove one of the references", path);
    if (here.depth > DEEPEST_ARC || ++s->arc_count > MOST_ARCS)
        return jn_read_error(
            s->b->r, where, JN_ERR_LIMIT,
            "references lead through more than %d others, or there are more than %d\ndo files refer to each other?",
            DEEPEST_ARC, MOST_ARCS);
    jn_usd_map *map = jn_store_alloc(s->b->r->scratch, sizeof *map);
    jn_usd_source *group = jn_store_array(s->b->r->scratch, (size_t)stack->count, sizeof *group);
    int count = 0;
    if (!map || !group) return jn_read_no_memory(s->b->r);
    *map = (jn_usd_map){path, n->path, closed, outer};
    for (int i = 0; i < stack->count; i++) {
        const jn_usd_prim *p = prim_at(stack->layers[i], path);
        if (p) group[count++] = (jn_usd_source){p, stack, map};
    }
    if (count == 0) {
        jn_robot_find(s->b, JN_FINDING_PHYSICS, where, jn_robot_text(s->b, "<%s>", path),
                      "references to prims that are not there", "they are left out");
        return true;
    }
    return expand(s, n, group, count, &here);
}

/* Path of an internal arc: absolute, or as seen from the source's prim, whose own path is found from the node's. */
static bool follow_path(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *from, const char *path, jn_where where,
                        const chain *up) {
    if (*path != '/')
        return jn_read_error(s->b->r, where, JN_ERR_MODEL,
                             "the path <%.100s> does not begin with '/'\nwrite it from the top of the file", path);
    return follow(s, n, from->stack, path, from->map, false, where, up);
}

static bool follow_arc(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *from, const jn_usd_arc *arc,
                       const chain *up) {
    bool fatal;
    if (!arc->asset && arc->path) return follow_path(s, n, from, arc->path, arc->where, up);
    const jn_usd_stack *stack = arc->asset ? jn_usd_open(s, arc, arc->where.file, &fatal) : from->stack;
    if (!stack) return !fatal;
    const char *path = arc->path;
    const jn_usd_field *usual = jn_usd_metadata(stack, "defaultPrim");
    if (!path && usual && usual->value.kind == JN_USD_TEXTS && usual->value.count == 1)
        path =
            *usual->value.texts[0] == '/' ? usual->value.texts[0] : jn_robot_text(s->b, "/%s", usual->value.texts[0]);
    if (!path) {
        jn_robot_find(s->b, JN_FINDING_PHYSICS, arc->where, arc->asset ? arc->asset : "this file",
                      "files without a defaultPrim that are referred to",
                      "they are left out; write @file@</Prim>, or defaultPrim = \"Prim\" in the file");
        return true;
    }
    return follow(s, n, stack, path, NULL, true, arc->where, up);
}

static bool same_arc(const jn_usd_arc *a, const jn_usd_arc *b) {
    const char *x = a->asset ? a->asset : "", *y = b->asset ? b->asset : "", *p = a->path ? a->path : "",
               *q = b->path ? b->path : "";
    return !strcmp(x, y) && !strcmp(p, q) && (!*x || !strcmp(a->where.file, b->where.file));
}

typedef struct arcs {
    jn_usd_arc *list;
    int count;
} arcs;

/* Puts the arcs of one opinion on a list of weaker ones. */
static bool merge_arcs(jn_usd_stage *s, arcs *all, const jn_usd_field *f) {
    arcs next = {0};
    const jn_usd_value *v = &f->value;
    size_t room = (size_t)all->count + (size_t)v->count + 1;
    next.list = jn_store_array(s->b->r->scratch, room, sizeof *next.list);
    if (!next.list) return jn_read_no_memory(s->b->r);
    for (int i = 0; f->op == JN_USD_PREPEND && i < v->count; i++) next.list[next.count++] = v->arcs[i];
    for (int i = 0; f->op != JN_USD_SET && i < all->count; i++) {
        bool again = false;
        for (int k = 0; k < v->count && f->op != JN_USD_REORDER; k++) again |= same_arc(&v->arcs[k], &all->list[i]);
        if (!again) next.list[next.count++] = all->list[i];
    }
    for (int i = 0; (f->op == JN_USD_SET || f->op == JN_USD_APPEND) && i < v->count; i++)
        next.list[next.count++] = v->arcs[i];
    *all = next;
    return true;
}

/* References or payloads of a group, in their order. */
static bool expand_arcs(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *group, int count, const char *name,
                        const chain *up) {
    arcs all = {0};
    for (int i = count - 1; i >= 0; i--)
        for (int k = 0; k < group[i].prim->field_count; k++) {
            const jn_usd_field *f = &group[i].prim->fields[k];
            if (!strcmp(f->name, name) && f->value.kind == JN_USD_ARCS && !merge_arcs(s, &all, f)) return false;
        }
    for (int i = 0; i < all.count; i++)
        if (!follow_arc(s, n, &group[0], &all.list[i], up)) return false;
    return true;
}

/* Classes that are inherited, or prims that are specialized. */
static bool expand_paths(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *group, int count, const char *name,
                         const chain *up) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < group[i].prim->field_count; k++) {
            const jn_usd_field *f = &group[i].prim->fields[k];
            if (strcmp(f->name, name) || f->value.kind != JN_USD_PATHS || f->op == JN_USD_DELETE ||
                f->op == JN_USD_REORDER)
                continue;
            for (int p = 0; p < f->value.count; p++)
                if (!follow_path(s, n, &group[i], f->value.texts[p], f->where, up)) return false;
        }
    return true;
}

/* ------------------------------------------------------------------------------------------------- variants */

/* The selected variant of a set, by the strongest of the opinions; NULL: none. */
static const char *selection(const jn_usd_node *n, const char *set) {
    for (int i = 0; i < n->source_count; i++) {
        const jn_usd_prim *p = n->sources[i].prim;
        for (int k = 0; k < p->field_count; k++) {
            if (strcmp(p->fields[k].name, "variants") || p->fields[k].value.kind != JN_USD_DICTIONARY) continue;
            const jn_usd_value *v = &p->fields[k].value;
            for (int e = 0; e < v->count; e++)
                if (!strcmp(v->fields[e].name, set) && v->fields[e].value.kind == JN_USD_TEXTS &&
                    v->fields[e].value.count == 1)
                    return v->fields[e].value.texts[0];
        }
    }
    return NULL;
}

static bool expand_variants(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *group, int count, const chain *up) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < group[i].prim->set_count; k++) {
            const jn_usd_variants *set = &group[i].prim->sets[k];
            const char *chosen = selection(n, set->name);
            const jn_usd_prim *found = NULL;
            for (int v = 0; v < set->count; v++)
                if (chosen && !strcmp(set->prims[v]->name, chosen)) found = set->prims[v];
            jn_robot_find(s->b, JN_FINDING_NOTE, group[i].prim->where,
                          jn_robot_text(s->b, "%s of %s: %s", set->name, n->path, found ? chosen : "none"), "variants",
                          "the one that is selected holds, the others have no effect");
            const chain here = {group[i].stack, jn_robot_text(s->b, "%s{%s}", n->path, set->name), up,
                                up ? up->depth + 1 : 1};
            if (here.depth > DEEPEST_ARC)
                return jn_read_error(s->b->r, group[i].prim->where, JN_ERR_LIMIT,
                                     "variants are nested deeper than %d levels", DEEPEST_ARC);
            if (found && !expand(s, n, &(jn_usd_source){found, group[i].stack, group[i].map}, 1, &here)) return false;
        }
    return true;
}

/* Adds a group of opinions of one stack to a node, and all that they lead to. */
static bool expand(jn_usd_stage *s, jn_usd_node *n, const jn_usd_source *group, int count, const chain *up) {
    for (int i = 0; i < count; i++)
        if (!add_source(s, n, group[i])) return false;
    return expand_paths(s, n, group, count, "inherits", up) && expand_variants(s, n, group, count, up) &&
           expand_arcs(s, n, group, count, "references", up) && expand_arcs(s, n, group, count, "payload", up) &&
           expand_paths(s, n, group, count, "specializes", up);
}

/* ---------------------------------------------------------------------------------------------------- nodes */

static bool is_new(const jn_usd_node *n, const char *name) {
    for (int i = 0; i < n->child_count; i++)
        if (!strcmp(n->children[i]->name, name)) return false;
    return true;
}

static jn_usd_node *add_node(jn_usd_stage *s, jn_usd_node *parent, const jn_usd_prim *prim) {
    jn_usd_node *n = jn_store_alloc(s->b->r->scratch, sizeof *n);
    void *wide = jn_store_grow(s->b->r->scratch, parent->children, parent->child_count, sizeof *parent->children);
    if (++s->node_count > MOST_NODES) {
        jn_read_error(s->b->r, prim->where, JN_ERR_LIMIT,
                      "the stage has more than %d prims\ndo files refer to each other?", MOST_NODES);
        return NULL;
    }
    if (!n || !wide) {
        jn_read_no_memory(s->b->r);
        return NULL;
    }
    parent->children = wide, parent->children[parent->child_count++] = n;
    *n = (jn_usd_node){.name = prim->name,
                       .parent = parent,
                       .type = "",
                       .where = prim->where,
                       .body = -1,
                       .shape = -1,
                       .shape_end = -1};
    n->path = jn_robot_text(s->b, "%s/%s", parent->parent ? parent->path : "", prim->name);
    return n;
}

/* Opinions of the parent's sources on a child, in their order; those of one stack and map together. */
static bool gather(jn_usd_stage *s, jn_usd_node *n) {
    const jn_usd_node *parent = n->parent;
    for (int i = 0; i < parent->source_count;) {
        const jn_usd_source *first = &parent->sources[i];
        int from = i;
        while (i < parent->source_count && parent->sources[i].stack == first->stack &&
               parent->sources[i].map == first->map)
            i++;
        jn_usd_source *group = jn_store_array(s->b->r->scratch, (size_t)(i - from), sizeof *group);
        int count = 0;
        if (!group) return jn_read_no_memory(s->b->r);
        if (parent->still && !first->map) continue;
        for (int k = from; k < i; k++) {
            const jn_usd_prim *p = jn_usd_child(parent->sources[k].prim, n->name, strlen(n->name));
            if (p) group[count++] = (jn_usd_source){p, first->stack, first->map};
        }
        if (count && !expand(s, n, group, count, NULL)) return false;
    }
    return true;
}

/* Type, and whether it is there at all: defined, active, no class. */
static bool settle(jn_usd_stage *s, jn_usd_node *n) {
    jn_usd_specifier specifier = JN_USD_OVER;
    for (int i = 0; i < n->source_count; i++) {
        const jn_usd_prim *p = n->sources[i].prim;
        if (specifier == JN_USD_OVER) specifier = p->specifier;
        if (!*n->type) n->type = p->type;
    }
    const jn_usd_field *active = jn_usd_node_field(n, "active"), *still = jn_usd_node_field(n, "instanceable");
    if (specifier != JN_USD_DEF) return false;
    if (active && active->value.kind == JN_USD_NUMBERS && active->value.count && active->value.numbers[0] == 0)
        return false;
    n->where = n->sources[0].prim->where;
    bool arrived = false;
    for (int i = 0; i < n->source_count; i++) arrived |= n->sources[i].map != NULL;
    n->still =
        arrived && still && still->value.kind == JN_USD_NUMBERS && still->value.count && still->value.numbers[0] != 0;
    n->api_count = jn_usd_list(s, n, "apiSchemas", &n->api);
    return true;
}

static bool compose_children(jn_usd_stage *s, jn_usd_node *n, int depth) {
    if (depth > DEEPEST_PRIM)
        return jn_read_error(
            s->b->r, n->where, JN_ERR_LIMIT,
            "prims of the stage are nested deeper than %d levels\ndoes <%.200s> refer to a prim that holds it?",
            DEEPEST_PRIM, n->path);
    for (int i = n->source_count - 1; i >= 0; i--) { /* the order of the weakest comes first [OpenUSD, PcpPrimIndex] */
        const jn_usd_prim *p = n->sources[i].prim;
        if (n->still && !n->sources[i].map) {
            if (p->child_count)
                jn_robot_find(s->b, JN_FINDING_WARNING, p->where, n->path,
                              "instanceable prims whose children are changed from outside",
                              "the changes have no effect, as USD has it");
            continue;
        }
        for (int k = 0; k < p->child_count; k++) {
            if (!is_new(n, p->children[k]->name)) continue;
            jn_usd_node *child = add_node(s, n, p->children[k]);
            if (!child || !gather(s, child)) return false;
            if (!settle(s, child)) {
                n->child_count--;
                continue;
            }
            if (!compose_children(s, child, depth + 1)) return false;
        }
    }
    return true;
}

bool jn_usd_compose(jn_usd_stage *s, const jn_usd_stack *stack) {
    s->root = jn_store_alloc(s->b->r->scratch, sizeof *s->root);
    if (!s->root) return jn_read_no_memory(s->b->r);
    *s->root = (jn_usd_node){
        .name = "", .path = "/", .type = "", .where = {s->b->file, 1, 1}, .body = -1, .shape = -1, .shape_end = -1};
    for (int i = 0; i < stack->count; i++)
        if (!add_source(s, s->root, (jn_usd_source){&stack->layers[i]->root, stack, NULL})) return false;
    return compose_children(s, s->root, 0);
}
