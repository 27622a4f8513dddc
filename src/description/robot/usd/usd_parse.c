/* The grammar of .usda: prims, their metadata, properties and variants. */
#include "description/robot/usd/usd_value.h"

#include "base/suggest.h"

#include <string.h>
#include <strings.h>

enum { MOST_PRIMS = 1000000 };

typedef struct parser {
    jn_usd_lexer x; /* first */
    int prims;
} parser;

static bool read_body(parser *p, jn_usd_prim *prim, int depth);

/* -------------------------------------------------------------------------------------------------- metadata */

static bool take_op(jn_usd_lexer *x, jn_usd_op *op) {
    static const struct {
        const char *word;
        jn_usd_op op;
    } ops[] = {{"prepend", JN_USD_PREPEND},
               {"append", JN_USD_APPEND},
               {"add", JN_USD_APPEND},
               {"delete", JN_USD_DELETE},
               {"reorder", JN_USD_REORDER}};
    *op = JN_USD_SET;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (jn_usd_word(x, ops[i].word)) {
            *op = ops[i].op;
            return jn_usd_next(x);
        }
    return true;
}

static bool read_field(jn_usd_lexer *x, jn_usd_prim *prim, int depth) {
    jn_usd_field *wide = jn_store_grow(x->r->scratch, prim->fields, prim->field_count, sizeof *wide);
    if (!wide) return jn_read_no_memory(x->r);
    prim->fields = wide;
    jn_usd_field *f = &prim->fields[prim->field_count];
    *f = (jn_usd_field){.where = x->where};
    if (!take_op(x, &f->op)) return false;
    if (x->kind != JN_USD_WORD) return jn_usd_expected(x, "metadata, or ')'", "write 'name = value'");
    if (!(f->name = jn_usd_text(x)) || !jn_usd_next(x) || !jn_usd_take(x, '=', "'=' behind the name of metadata"))
        return false;
    bool arcs = !strcmp(f->name, "references") || !strcmp(f->name, "payload") || !strcmp(f->name, "subLayers");
    if (!strcmp(f->name, "relocates") && jn_usd_sign(x, '{')) {
        if (!jn_usd_skip_part(x)) return false;
        f->value.kind = JN_USD_DICTIONARY;
    } else if (arcs ? !jn_usd_read_arcs(x, &f->value) : !jn_usd_read_value(x, depth + 1, &f->value)) {
        return false;
    }
    prim->field_count++;
    return true;
}

/* ( ... ) behind the head of a file, prim or variant; without it nothing. Texts alone are comments. */
static bool read_fields(jn_usd_lexer *x, jn_usd_prim *prim, int depth) {
    if (!jn_usd_sign(x, '(')) return true;
    if (!jn_usd_next(x)) return false;
    while (!jn_usd_sign(x, ')')) {
        if (x->kind == JN_USD_STRING || jn_usd_sign(x, ';') || jn_usd_sign(x, ',')) {
            if (!jn_usd_next(x)) return false;
        } else if (!read_field(x, prim, depth)) {
            return false;
        }
    }
    return jn_usd_next(x);
}

/* ------------------------------------------------------------------------------------------------ properties */

/* Splits ".timeSamples", ".connect" and the like off the name. */
static bool name_property(jn_usd_lexer *x, jn_usd_property *p) {
    static const char *const suffixes[] = {".timeSamples", ".spline", ".connect", ".default"};
    char *name = jn_usd_text(x);
    if (!name) return false;
    char *dot = strchr(name, '.');
    p->name = name;
    if (!dot) return true;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (!strcmp(dot, suffixes[i])) {
            p->has_samples = i < 2, p->connection = i == 2;
            *dot = 0;
            return true;
        }
    return jn_read_error(x->r, x->where, JN_ERR_SYNTAX,
                         "'%.60s' is nothing that an attribute has\nwrite .timeSamples, .connect or no '.'", dot);
}

static bool take_word(jn_usd_lexer *x, const char *word, bool *found) {
    if (!jn_usd_word(x, word)) return true;
    *found = true;
    return jn_usd_next(x);
}

static bool read_property_value(jn_usd_lexer *x, jn_usd_property *p) {
    if (!jn_usd_sign(x, '=')) return true;
    if (!jn_usd_next(x)) return false;
    if (p->has_samples) {
        p->value = (jn_usd_value){.where = x->where};
        return jn_usd_sign(x, '{') ? jn_usd_skip_part(x) : jn_usd_expected(x, "'{'", "write { time: value, ... }");
    }
    p->has_value = true;
    if (!jn_usd_read_value(x, 0, &p->value)) return false;
    if (!p->relation || p->value.kind == JN_USD_PATHS || p->value.kind == JN_USD_NONE || p->value.count == 0)
        return true;
    return jn_read_error(x->r, p->value.where, JN_ERR_SYNTAX, "a relationship names prims\nwrite </Path/To/Prim>");
}

/* 'dfe Xform "name"', or 'dfe "name"'. */
static bool misspelled(jn_usd_lexer *x, jn_where where, const char *word) {
    static const char *const heads[] = {"def", "over", "class"};
    jn_suggest suggest = jn_suggest_for(word);
    for (int i = 0; i < 3; i++) jn_suggest_offer(&suggest, heads[i]);
    return jn_read_error(x->r, where, JN_ERR_SYNTAX, "'%.40s' begins no prim\nwrite %s", word,
                         suggest.best ? suggest.best : "def, over or class");
}

/* [op] [custom] [uniform] rel|type[[]] name [= value] [(metadata)] */
static bool read_property(jn_usd_lexer *x, jn_usd_prim *prim, jn_usd_op op, int depth) {
    jn_usd_property *wide = jn_store_grow(x->r->scratch, prim->properties, prim->property_count, sizeof *wide);
    bool ignored = false;
    if (!wide) return jn_read_no_memory(x->r);
    prim->properties = wide;
    jn_usd_property *p = &prim->properties[prim->property_count];
    *p = (jn_usd_property){.where = x->where, .op = op};
    if (!take_word(x, "custom", &ignored) || !take_word(x, "uniform", &ignored) || !take_word(x, "varying", &ignored) ||
        !take_word(x, "config", &ignored))
        return false;
    if (x->kind != JN_USD_WORD)
        return jn_usd_expected(x, "a property, a prim or '}'",
                               "write 'float name = 1', 'rel name = </Prim>' or 'def Xform \"name\" {}'");
    jn_where type_at = x->where;
    const char *type = jn_usd_text(x);
    if (!type || !jn_usd_next(x)) return false;
    p->relation = !strcmp(type, "rel");
    if (jn_usd_sign(x, '[') && (!jn_usd_next(x) || !jn_usd_take(x, ']', "']' of the type"))) return false;
    if (x->kind == JN_USD_STRING) return misspelled(x, type_at, type);
    p->where = x->where;
    if (x->kind != JN_USD_WORD)
        return jn_usd_expected(x, "the name of a property behind its type", "write 'float name = 1'");
    if (!name_property(x, p) || !jn_usd_next(x)) return false;
    if (x->kind == JN_USD_STRING) return misspelled(x, type_at, type);
    p->relation |= p->connection;
    if (!read_property_value(x, p)) return false;
    jn_usd_prim ignored_fields = {0};
    if (!read_fields(x, &ignored_fields, depth)) return false;
    prim->property_count++;
    return true;
}

/* ----------------------------------------------------------------------------------------------------- prims */

const jn_usd_prim *jn_usd_child(const jn_usd_prim *prim, const char *name, size_t length) {
    for (int i = 0; i < prim->child_count; i++)
        if (!strncmp(prim->children[i]->name, name, length) && !prim->children[i]->name[length])
            return prim->children[i];
    return NULL;
}

const jn_usd_field *jn_usd_field_of(const jn_usd_prim *prim, const char *name) {
    for (int i = 0; i < prim->field_count; i++)
        if (!strcmp(prim->fields[i].name, name)) return &prim->fields[i];
    return NULL;
}

static jn_usd_prim *make(parser *p, jn_usd_prim ***list, int *count) {
    jn_usd_prim **wide = jn_store_grow(p->x.r->scratch, *list, *count, sizeof *wide), *one;
    if (++p->prims > MOST_PRIMS) {
        jn_read_error(p->x.r, p->x.where, JN_ERR_LIMIT, "the file holds more than %d prims", MOST_PRIMS);
        return NULL;
    }
    if (!wide || !(one = jn_store_alloc(p->x.r->scratch, sizeof *one))) {
        jn_read_no_memory(p->x.r);
        return NULL;
    }
    *list = wide, wide[(*count)++] = one;
    *one = (jn_usd_prim){.where = p->x.where, .type = "", .name = ""};
    return one;
}

static bool specifier_of(const jn_usd_lexer *x, jn_usd_specifier *out) {
    static const char *const words[] = {[JN_USD_OVER] = "over", [JN_USD_DEF] = "def", [JN_USD_CLASS] = "class"};
    for (int k = 0; k < 3; k++)
        if (jn_usd_word(x, words[k])) {
            *out = (jn_usd_specifier)k;
            return true;
        }
    return false;
}

/* def Type "name" ( metadata ) { ... } */
static bool read_prim(parser *p, jn_usd_prim *parent, jn_usd_specifier specifier, int depth) {
    jn_usd_lexer *x = &p->x;
    if (depth > JN_USD_DEEPEST)
        return jn_read_error(x->r, x->where, JN_ERR_LIMIT, "prims are nested deeper than %d levels", JN_USD_DEEPEST);
    jn_usd_prim **list = parent->children, *prim;
    int count = parent->child_count;
    if (!(prim = make(p, &list, &count)) || !jn_usd_next(x)) return false;
    prim->specifier = specifier;
    if (x->kind == JN_USD_WORD && (!(prim->type = jn_usd_text(x)) || !jn_usd_next(x))) return false;
    if (x->kind != JN_USD_STRING)
        return jn_usd_expected(x, "the name of the prim in quotes", "write 'def Xform \"name\" {}'");
    if (!(prim->name = jn_usd_text(x))) return false;
    prim->where = x->where;
    if (!*prim->name || strpbrk(prim->name, "/.<>[]{} \t\n"))
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "'%.60s' is no name of a prim\nwrite letters, digits and _",
                             prim->name);
    const jn_usd_prim *other = jn_usd_child(parent, prim->name, strlen(prim->name));
    if (other)
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX,
                             "a second prim is called '%.60s'\nthe first is at line %d; give them different names",
                             prim->name, other->where.line);
    parent->children = list, parent->child_count = count;
    if (!jn_usd_next(x) || !read_fields(x, prim, depth) || !jn_usd_take(x, '{', "'{' behind the head of a prim"))
        return false;
    return read_body(p, prim, depth + 1);
}

/* variantSet "name" = { "one" ( metadata ) { ... } ... } */
static bool read_variants(parser *p, jn_usd_prim *prim, int depth) {
    jn_usd_lexer *x = &p->x;
    jn_usd_variants *wide = jn_store_grow(x->r->scratch, prim->sets, prim->set_count, sizeof *wide);
    if (!wide) return jn_read_no_memory(x->r);
    if (depth > JN_USD_DEEPEST)
        return jn_read_error(x->r, x->where, JN_ERR_LIMIT, "variants are nested deeper than %d levels", JN_USD_DEEPEST);
    prim->sets = wide;
    jn_usd_variants set = {0};
    if (!jn_usd_next(x)) return false;
    if (x->kind != JN_USD_STRING)
        return jn_usd_expected(x, "the name of the variant set in quotes", "write 'variantSet \"name\" = {}'");
    if (!(set.name = jn_usd_text(x)) || !jn_usd_next(x) ||
        !jn_usd_take(x, '=', "'=' behind the name of a variant set") || !jn_usd_take(x, '{', "'{' around the variants"))
        return false;
    while (!jn_usd_sign(x, '}')) {
        if (x->kind != JN_USD_STRING)
            return jn_usd_expected(x, "the name of a variant in quotes, or '}'", "write '\"name\" { ... }'");
        jn_usd_prim *one = make(p, &set.prims, &set.count);
        if (!one || !(one->name = jn_usd_text(x)) || !jn_usd_next(x) || !read_fields(x, one, depth) ||
            !jn_usd_take(x, '{', "'{' behind the name of a variant") || !read_body(p, one, depth + 1))
            return false;
    }
    prim->sets[prim->set_count++] = set;
    return jn_usd_next(x);
}

/* reorder nameChildren = [...] */
static bool skip_order(jn_usd_lexer *x) {
    jn_usd_value ignored;
    return jn_usd_next(x) && jn_usd_take(x, '=', "'=' behind what is reordered") && jn_usd_read_value(x, 0, &ignored);
}

/* What stands in the braces of a prim, up to the closing one. */
static bool read_body(parser *p, jn_usd_prim *prim, int depth) {
    jn_usd_lexer *x = &p->x;
    jn_usd_specifier specifier;
    jn_usd_op op;
    bool fine = true;
    while (fine && !jn_usd_sign(x, '}')) {
        if (x->kind == JN_USD_END) return jn_usd_expected(x, "'}' at the end of the prim", "close the braces");
        if (jn_usd_sign(x, ';'))
            fine = jn_usd_next(x);
        else if (specifier_of(x, &specifier))
            fine = read_prim(p, prim, specifier, depth);
        else if (jn_usd_word(x, "variantSet"))
            fine = read_variants(p, prim, depth);
        else if (take_op(x, &op))
            fine = op == JN_USD_REORDER && (jn_usd_word(x, "nameChildren") || jn_usd_word(x, "properties"))
                       ? skip_order(x)
                       : read_property(x, prim, op, depth);
        else
            fine = false;
    }
    return fine && jn_usd_next(x);
}

/* ------------------------------------------------------------------------------------------------------ files */

static bool begins(const char *text, size_t length, const char *with) {
    size_t n = strlen(with);
    return length >= n && !memcmp(text, with, n);
}

static bool ends(const char *file, const char *with) {
    size_t n = strlen(file), m = strlen(with);
    return n >= m && !strcasecmp(file + n - m, with);
}

bool jn_usd_is_usd(const char *text, size_t length, const char *file) {
    return begins(text, length, "#usda") || begins(text, length, "PXR-USDC") || begins(text, length, "#sdf 1.") ||
           ends(file, ".usda") || ends(file, ".usd") || ends(file, ".usdc") || ends(file, ".usdz");
}

/* "#usda 1.0"; binary files say how to make a text of them. */
static bool read_head(jn_reader *r, const char *text, size_t length, const char *file) {
    jn_where where = {file, 1, 1};
    if (begins(text, length, "PXR-USDC"))
        return jn_read_error(r, where, JN_ERR_SYNTAX,
                             "this is a binary USD file (crate)\nmake a text of it: 'usdcat FILE -o FILE.usda'");
    if (begins(text, length, "PK\003\004"))
        return jn_read_error(
            r, where, JN_ERR_SYNTAX,
            "this is a package of USD files (usdz)\nmake a text of it: 'usdcat --flatten FILE -o FILE.usda'");
    if (begins(text, length, "version https://git-lfs"))
        return jn_read_error(r, where, JN_ERR_SYNTAX,
                             "this is a pointer of Git LFS, not the file itself\nfetch the file: 'git lfs pull'");
    if (!begins(text, length, "#usda 1.") && !begins(text, length, "#sdf 1."))
        return jn_read_error(r, where, JN_ERR_SYNTAX,
                             "a USD file in text form begins with its version\nwrite '#usda 1.0' as the first line");
    return true;
}

jn_usd_layer *jn_usd_parse(jn_reader *r, const char *text, size_t length, const char *file) {
    parser p = {.x = {.r = r, .file = file, .at = text, .end = text + length, .line = 1, .column = 1}};
    jn_usd_layer *layer = jn_store_alloc(r->scratch, sizeof *layer);
    jn_usd_specifier specifier;
    jn_usd_lexer *x = &p.x;
    if (!layer) {
        jn_read_no_memory(r);
        return NULL;
    }
    *layer = (jn_usd_layer){.file = file, .root = {.where = {file, 1, 1}, .type = "", .name = ""}};
    bool fine = read_head(r, text, length, file) && jn_usd_next(x) && read_fields(x, &layer->root, 0);
    while (fine && x->kind != JN_USD_END) {
        if (jn_usd_sign(x, ';'))
            fine = jn_usd_next(x);
        else if (specifier_of(x, &specifier))
            fine = read_prim(&p, &layer->root, specifier, 1);
        else if (jn_usd_word(x, "reorder"))
            fine = jn_usd_next(x) && skip_order(x);
        else
            fine = jn_usd_expected(x, "a prim", "write 'def Xform \"name\" {}'");
    }
    return fine ? layer : NULL;
}
