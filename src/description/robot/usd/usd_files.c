/* Files of a USD stage: each is read once, with the sublayers that it names. */
#include "description/robot/usd/usd_stage.h"
#include "description/yaml/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 1000, DEEPEST_SUBLAYER = 20 };

static const char *real_path(jn_usd_stage *s, const char *path) {
    char *full = realpath(path, NULL);
    const char *copy = jn_robot_text(s->b, "%s", full ? full : path);
    free(full);
    return copy;
}

static bool is_file(const char *path) {
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Reads a layer; NULL with an error, or with *finding: why it cannot be had. */
static const jn_usd_layer *load(jn_usd_stage *s, const char *path, jn_where where, const char **finding) {
    size_t length;
    char *text = jn_source_load(s->b->r, path, where, s->b->r->scratch, &length);
    if (!text) return NULL;
    if ((length >= 8 && !memcmp(text, "PXR-USDC", 8)) || (length >= 4 && !memcmp(text, "PK\003\004", 4))) {
        *finding = "files of USD in binary form";
        return NULL;
    }
    if (length >= 24 && !memcmp(text, "version https://git-lfs", 23)) {
        *finding = "files that are pointers of Git LFS";
        return NULL;
    }
    return jn_usd_parse(s->b->r, text, length, path);
}

static bool add_layer(jn_usd_stage *s, jn_usd_stack *stack, const jn_usd_layer *layer) {
    void *wide = jn_store_grow(s->b->r->scratch, stack->layers, stack->count, sizeof *stack->layers);
    if (!wide) return jn_read_no_memory(s->b->r);
    stack->layers = wide, stack->layers[stack->count++] = layer;
    return true;
}

/* The file that an arc names: beside the file that names it, or in the folders that the user gives. NULL with a finding: it is not there. */
static const char *find_file(jn_usd_stage *s, const jn_usd_arc *arc, const char *from) {
    const char *path = jn_source_beside(s->b->r, from, arc->asset), *list = s->b->options->packages;
    if (is_file(path)) return path;
    for (size_t n; list && *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        path = jn_robot_text(s->b, "%.*s/%s", (int)n, list, arc->asset);
        if (is_file(path)) return path;
    }
    jn_robot_find(s->b, JN_FINDING_MISSING, arc->where, arc->asset, "files of the stage that are not there",
                  "what they hold is left out; put them where they are named, or write --packages DIR");
    return NULL;
}

static void tell_file(jn_usd_stage *s, const jn_usd_arc *arc, const char *finding) {
    jn_robot_find(s->b, JN_FINDING_PHYSICS, arc->where, arc->asset, finding,
                  strstr(finding, "LFS")
                      ? "what they hold is left out; fetch them: 'git lfs pull'"
                      : "what they hold is left out; make texts of them: 'usdcat FILE -o FILE.usda', and name those");
}

/* A layer and, behind it, its sublayers in their order. chain: the files that lead here. */
static bool collect(jn_usd_stage *s, jn_usd_stack *stack, const jn_usd_layer *layer, int depth) {
    const jn_usd_field *f = jn_usd_field_of(&layer->root, "subLayers");
    if (!add_layer(s, stack, layer)) return false;
    for (int i = 0; f && i < f->value.count; i++) {
        const jn_usd_arc *arc = &f->value.arcs[i];
        const char *finding = NULL, *path = arc->asset ? find_file(s, arc, layer->file) : NULL;
        if (!path) continue;
        const char *real = real_path(s, path);
        for (int k = 0; k < stack->count; k++)
            if (!strcmp(real, real_path(s, stack->layers[k]->file)))
                return jn_read_error(s->b->r, arc->where, JN_ERR_MODEL,
                                     "the sublayers name each other: '%.200s' stands in itself\nremove one of them",
                                     arc->asset);
        if (depth > DEEPEST_SUBLAYER || stack->count > MOST_FILES)
            return jn_read_error(s->b->r, arc->where, JN_ERR_LIMIT, "sublayers are nested deeper than %d files",
                                 DEEPEST_SUBLAYER);
        const jn_usd_layer *next = load(s, path, arc->where, &finding);
        if (finding)
            tell_file(s, arc, finding);
        else if (!next || !collect(s, stack, next, depth + 1))
            return false;
    }
    return true;
}

static jn_usd_stack *add_stack(jn_usd_stage *s, const char *real) {
    void *wide = jn_store_grow(s->b->r->scratch, s->stacks, s->stack_count, sizeof *s->stacks);
    jn_usd_stack *stack = jn_store_alloc(s->b->r->scratch, sizeof *stack);
    if (!wide || !stack) {
        jn_read_no_memory(s->b->r);
        return NULL;
    }
    s->stacks = wide, s->stacks[s->stack_count++] = stack;
    stack->real = real;
    return stack;
}

const jn_usd_stack *jn_usd_open_text(jn_usd_stage *s, const char *text, size_t length, const char *file) {
    const jn_usd_layer *layer = jn_usd_parse(s->b->r, text, length, file);
    jn_usd_stack *stack = layer ? add_stack(s, real_path(s, file)) : NULL;
    return stack && collect(s, stack, layer, 0) ? stack : NULL;
}

const jn_usd_stack *jn_usd_open(jn_usd_stage *s, const jn_usd_arc *arc, const char *from, bool *fatal) {
    const char *finding = NULL, *path = find_file(s, arc, from);
    *fatal = false;
    if (!path) return NULL;
    const char *real = real_path(s, path);
    for (int i = 0; i < s->stack_count; i++)
        if (!strcmp(s->stacks[i]->real, real)) return s->stacks[i];
    *fatal = true;
    if (s->stack_count >= MOST_FILES) {
        jn_read_error(s->b->r, arc->where, JN_ERR_LIMIT, "the stage has more than %d files", MOST_FILES);
        return NULL;
    }
    const jn_usd_layer *layer = load(s, path, arc->where, &finding);
    if (finding) {
        *fatal = false;
        tell_file(s, arc, finding);
        return NULL;
    }
    jn_usd_stack *stack = layer ? add_stack(s, real) : NULL;
    return stack && collect(s, stack, layer, 0) ? stack : NULL;
}

const jn_usd_field *jn_usd_metadata(const jn_usd_stack *stack, const char *name) {
    return jn_usd_field_of(&stack->layers[0]->root, name);
}
