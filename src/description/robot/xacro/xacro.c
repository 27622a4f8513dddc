/* Xacro: from a template to the tree that it stands for. Names are looked for where a macro is called, then around it, as in xacro. */
#include "description/robot/xacro/xacro.h"

#include "description/yaml/source.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 100, MOST_ELEMENTS = 500000 };

static bool expand_children(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to);

bool jn_xacro_is_template(const jn_xml *e) {
    if (!strncmp(e->name, "xacro:", 6)) return true;
    for (int i = 0; i < e->attribute_count; i++)
        if (strstr(e->attributes[i].value, "${") || strstr(e->attributes[i].value, "$(")) return true;
    for (int i = 0; i < e->count; i++)
        if (jn_xacro_is_template(e->children[i])) return true;
    return false;
}

static const char *given(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, const char *name, bool *fine) {
    const char *text = jn_xml_attribute_of(e, name);
    jn_xacro_value v;
    if (!text || !*fine) return NULL;
    *fine = jn_xacro_evaluate_text(x, scope, text, e->where, &v);
    return *fine ? jn_xacro_string(x, &v) : NULL;
}

static bool append(jn_xacro *x, jn_xml *to, jn_xml *child) {
    void *wide = jn_store_grow(x->b->r->scratch, to->children, to->count, sizeof *to->children);
    if (!wide) return jn_read_no_memory(x->b->r);
    to->children = wide, to->children[to->count++] = child;
    return true;
}

static jn_xml *make(jn_xacro *x, const jn_xml *like) {
    jn_xml *e = jn_store_alloc(x->b->r->scratch, sizeof *e);
    if (!e) jn_read_no_memory(x->b->r);
    if (e) *e = (jn_xml){.name = like->name, .where = like->where, .text = ""};
    return e;
}

/* ------------------------------------------------------------------------------------------------------ definitions */

static bool define(jn_xacro *x, jn_xacro_scope *scope, jn_xml *e) {
    bool fine = true;
    const char *name = given(x, scope, e, "name", &fine), *where = jn_xml_attribute_of(e, "scope");
    const char *value = jn_xml_attribute_of(e, "value"), *usual = jn_xml_attribute_of(e, "default");
    jn_xacro_value v = {.kind = JN_XACRO_NONE};
    if (!fine) return false;
    if (!name) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<xacro:property> has no name");
    if (!value && usual && jn_xacro_find(scope, name, strlen(name))) return true;
    if (!value) value = usual;
    const char *lazy = jn_xml_attribute_of(e, "lazy_eval");
    bool waits = value && !where && !(lazy && (!strcmp(lazy, "false") || !strcmp(lazy, "False") || !strcmp(lazy, "0")));
    if (value && !waits && !jn_xacro_evaluate_text(x, scope, value, e->where, &v)) return false;
    if (where && !strcmp(where, "global")) scope = &x->global;
    if (where && !strcmp(where, "parent") && scope->outer) scope = scope->outer;
    jn_xacro_symbol *s = jn_xacro_set(x, scope, name);
    if (!s) return false;
    *s = (jn_xacro_symbol){
        .name = s->name, .value = v, .block = value ? NULL : e, .pending = waits ? value : NULL, .where = e->where};
    return true;
}

static bool define_argument(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e) {
    bool fine = true;
    const char *name = given(x, scope, e, "name", &fine), *usual = fine ? jn_xml_attribute_of(e, "default") : NULL;
    jn_xacro_value v;
    if (!fine) return false;
    if (!name) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<xacro:arg> has no name");
    if (!usual || jn_xacro_find(&x->arguments, name, strlen(name))) return true;
    if (!jn_xacro_evaluate_text(x, scope, usual, e->where, &v)) return false;
    jn_xacro_symbol *s = jn_xacro_set(x, &x->arguments, name);
    if (s) s->value = v;
    return s != NULL;
}

static bool define_macro(jn_xacro *x, jn_xml *e) {
    const char *name = jn_xml_attribute_of(e, "name");
    if (!name) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<xacro:macro> has no name");
    if (!strncmp(name, "xacro:", 6)) name += 6;
    jn_xacro_symbol *s = jn_xacro_set(x, x->table, name);
    if (s) s->block = e;
    return s != NULL;
}

/* A new namespace of a scope. */
static jn_xacro_space *open_space(jn_xacro *x, jn_xacro_scope *scope, const char *name) {
    jn_xacro_space *space = jn_store_alloc(x->b->r->scratch, sizeof *space);
    jn_xacro_symbol *s = space ? jn_xacro_set(x, scope, name) : NULL;
    if (!space) jn_read_no_memory(x->b->r);
    if (!s) return NULL;
    *space = (jn_xacro_space){.symbols.outer = scope, .macros.outer = x->table};
    *s = (jn_xacro_symbol){.name = s->name, .space = space};
    return space;
}

/* Expands what a file holds into a namespace: its properties are NAME.property, its macros xacro:NAME.macro. */
static bool expand_into(jn_xacro *x, jn_xacro_scope *scope, const char *name, const jn_xml *root, jn_xml *to) {
    jn_xacro_scope *table = x->table;
    jn_xacro_space *space = open_space(x, scope, name);
    if (!space) return false;
    x->table = &space->macros;
    bool fine = expand_children(x, &space->symbols, root, to);
    x->table = table;
    return fine;
}

static bool include(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to) {
    jn_reader *r = x->b->r;
    bool fine = true;
    const char *name = given(x, scope, e, "filename", &fine), *space = given(x, scope, e, "ns", &fine);
    size_t length;
    int status = JN_OK;
    if (!fine) return false;
    if (!name) return jn_read_error(r, e->where, JN_ERR_MODEL, "<xacro:include> has no filename");
    const char *path = jn_source_beside(r, e->where.file, name);
    char *text = path ? jn_source_load(r, path, e->where, r->scratch, &length) : NULL;
    if (text && !jn_xacro_spend(x, (double)length)) return false;
    const jn_xml *root = text ? jn_xml_read(text, length, path, r->scratch, r->report, &status) : NULL;
    if (text && !root) r->status = r->status ? r->status : status;
    return root && (space && *space ? expand_into(x, scope, space, root, to) : expand_children(x, scope, root, to));
}

/* ----------------------------------------------------------------------------------------------------------- macros */

/* The next of a macro's parameters, NAME, NAME:=DEFAULT, *BLOCK or **BLOCKS, defaults in quotes or braces with spaces; NULL: none is left. */
static const char *next_parameter(jn_xacro *x, const char **at, const char **usual) {
    const char *begin = *at + strspn(*at, " \t\r\n"), *p = begin, *assign = NULL;
    char quote = 0;
    int depth = 0;
    for (; *p && (quote || depth || !isspace((unsigned char)*p)); p++) {
        if (quote)
            quote = *p == quote ? 0 : quote;
        else if (*p == '\'' || *p == '"')
            quote = *p;
        else if (*p == '{' || *p == '(')
            depth++;
        else if (*p == '}' || *p == ')')
            depth--;
        else if (*p == '=' && !assign)
            assign = p;
    }
    *at = p, *usual = NULL;
    if (p == begin) return NULL;
    if (!assign) return jn_robot_text(x->b, "%.*s", (int)(p - begin), begin);
    const char *value = assign + 1, *end = p;
    if (end - value > 1 && (*value == '\'' || *value == '"') && end[-1] == *value) value++, end--;
    *usual = jn_robot_text(x->b, "%.*s", (int)(end - value), value);
    return jn_robot_text(x->b, "%.*s", (int)(assign - begin - (assign > begin && assign[-1] == ':')), begin);
}

/* The value of a parameter that the call does not name: ^ is that of the same name outside, ^|DEFAULT of it or the default. */
static bool take_default(jn_xacro *x, jn_xacro_scope *own, const char *name, const char *usual, const jn_xml *call) {
    jn_xacro_value v;
    if (usual && *usual == '^') {
        jn_xacro_symbol *outer;
        if (!jn_xacro_resolve(x, own->outer, name, strlen(name), &outer)) return false;
        if (outer) {
            jn_xacro_symbol kept = *outer, *s = jn_xacro_set(x, own, name);
            if (s) s->value = kept.value, s->block = kept.block;
            return s != NULL;
        }
        usual = usual[1] == '|' ? usual + 2 : NULL;
    }
    if (!usual)
        return jn_read_error(x->b->r, call->where, JN_ERR_MODEL,
                             "<%.60s> does not give '%.60s', which the macro needs\nwrite %.60s=\"...\" here, or "
                             "%.60s:=VALUE in its params",
                             call->name, name, name, name);
    if (!jn_xacro_evaluate_text(x, own, usual, call->where, &v)) return false;
    jn_xacro_symbol *s = jn_xacro_set(x, own, name);
    if (s) s->value = v;
    return s != NULL;
}

static bool bind(jn_xacro *x, jn_xacro_scope *own, const char *name, const char *usual, const jn_xml *call,
                 const jn_xml *blocks, int *used) {
    jn_xacro_value v;
    if (*name == '*') {
        if (*used >= blocks->count)
            return jn_read_error(x->b->r, call->where, JN_ERR_MODEL,
                                 "<%.60s> lacks the element for '%.60s' of its macro", call->name, name);
        jn_xacro_symbol *s = jn_xacro_set(x, own, name); /* with its stars, as insert_block tells them apart */
        if (s) s->block = blocks->children[(*used)++];
        return s != NULL;
    }
    const char *text = jn_xml_attribute_of(call, name);
    if (!text) return take_default(x, own, name, usual, call);
    if (!jn_xacro_evaluate_text(x, own->outer, text, call->where, &v)) return false;
    jn_xacro_symbol *s = jn_xacro_set(x, own, name);
    if (s) s->value = v;
    return s != NULL;
}

/* Whether a macro takes all that a call gives: a name that is misspelt would leave the default. */
static bool check_call(jn_xacro *x, const jn_xacro_scope *own, const jn_xml *body, const jn_xml *call, int left) {
    jn_xacro_scope alone = {.symbols = own->symbols, .count = own->count};
    const char *takes = jn_xml_attribute_of(body, "params");
    for (int i = 0; i < call->attribute_count; i++) {
        const char *name = call->attributes[i].name;
        if (jn_xacro_find(&alone, name, strlen(name)) || (!strcmp(call->name, "xacro:call") && !strcmp(name, "macro")))
            continue;
        return jn_read_error(x->b->r, call->where, JN_ERR_MODEL,
                             "<%.60s> gives '%.60s', which the macro does not take\nits params: '%.200s'", call->name,
                             name, takes ? takes : "");
    }
    return left == 0 || jn_read_error(x->b->r, call->where, JN_ERR_MODEL,
                                      "<%.60s> holds more elements than the macro takes, by %d\nits params: '%.200s'",
                                      call->name, left, takes ? takes : "");
}

/* The macro of a name, or of SPACE.NAME; around it: the scope that its names are looked for in, and the macros that it may call. NULL: none. */
static const jn_xacro_symbol *find_macro(jn_xacro *x, jn_xacro_scope *scope, const char *name, jn_xacro_space *around) {
    const jn_xacro_symbol *macro = jn_xacro_find(x->table, name, strlen(name));
    *around = (jn_xacro_space){.symbols.outer = scope, .macros.outer = x->table};
    for (const char *dot; !macro && (dot = strchr(name, '.')) != NULL; name = dot + 1) {
        const jn_xacro_symbol *s = jn_xacro_find(around->symbols.outer, name, (size_t)(dot - name));
        if (!s || !s->space) return NULL;
        around->symbols.outer = &s->space->symbols, around->macros.outer = &s->space->macros;
        jn_xacro_scope alone = {.symbols = s->space->macros.symbols, .count = s->space->macros.count};
        macro = jn_xacro_find(&alone, dot + 1, strlen(dot + 1));
    }
    return macro;
}

static bool call_macro(jn_xacro *x, jn_xacro_scope *scope, const char *name, const jn_xml *call, jn_xml *to) {
    jn_xacro_space around;
    const jn_xacro_symbol *macro = find_macro(x, scope, name, &around);
    jn_xacro_scope own = {.outer = scope}, *table = x->table;
    jn_xml *blocks = make(x, call);
    int used = 0;
    if (!macro)
        return jn_read_error(x->b->r, call->where, JN_ERR_MODEL,
                             "there is no macro '%.80s'\ninclude the file that defines it before", name);
    if (!blocks || !expand_children(x, scope, call, blocks)) return false;
    const jn_xml *body = macro->block;
    const char *at = jn_xml_attribute_of(body, "params"), *usual;
    for (const char *parameter; at && (parameter = next_parameter(x, &at, &usual));)
        if (!bind(x, &own, parameter, usual, call, blocks, &used)) return false;
    if (!check_call(x, &own, body, call, blocks->count - used)) return false;
    own.outer = around.symbols.outer, x->table = around.macros.outer;
    bool fine = expand_children(x, &own, body, to);
    x->table = table;
    return fine;
}

static bool count_element(jn_xacro *x, jn_where where) {
    return ++x->made <= MOST_ELEMENTS ||
           jn_read_error(x->b->r, where, JN_ERR_LIMIT, "the template has more than %d elements", MOST_ELEMENTS);
}

/* A copy of what has been expanded: blocks that are inserted twice count twice. */
static bool insert(jn_xacro *x, const jn_xml *e, jn_xml *to) {
    jn_xml *own = make(x, e);
    if (!own || !count_element(x, e->where) || !append(x, to, own)) return false;
    own->text = e->text, own->attributes = e->attributes, own->attribute_count = e->attribute_count;
    for (int i = 0; i < e->count; i++)
        if (!insert(x, e->children[i], own)) return false;
    return true;
}

static bool insert_block(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to) {
    bool fine = true;
    const char *name = given(x, scope, e, "name", &fine);
    if (!fine || !name)
        return fine && jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<xacro:insert_block> has no name");
    const jn_xacro_symbol *one = jn_xacro_find(scope, jn_robot_text(x->b, "*%s", name), strlen(name) + 1),
                          *all = jn_xacro_find(scope, jn_robot_text(x->b, "**%s", name), strlen(name) + 2),
                          *own = jn_xacro_find(scope, name, strlen(name));
    if (one && one->block) return insert(x, one->block, to);
    if (all && all->block) {
        for (int i = 0; i < all->block->count; i++)
            if (!insert(x, all->block->children[i], to)) return false;
        return true;
    }
    if (own && own->block) return expand_children(x, scope, own->block, to);
    return jn_read_error(
        x->b->r, e->where, JN_ERR_MODEL,
        "there is no block '%.80s'\nwrite a parameter *%.80s of the macro, or a property of that name without a value",
        name, name);
}

/* -------------------------------------------------------------------------------------------------------- expansion */

static bool choose(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, bool wanted, jn_xml *to) {
    const char *text = jn_xml_attribute_of(e, "value");
    jn_xacro_value v;
    if (!text) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<%s> has no value", e->name);
    if (!jn_xacro_evaluate_text(x, scope, text, e->where, &v)) return false;
    v = jn_xacro_literal(v);
    if (v.kind == JN_XACRO_TEXT && *v.text)
        return jn_read_error(
            x->b->r, e->where, JN_ERR_MODEL,
            "<%s>: '%.60s' is neither true nor false\nwrite true, false, a number or an expression in ${}", e->name,
            v.text);
    return jn_xacro_true(&v) != wanted || expand_children(x, scope, e, to);
}

static bool copy_attributes(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *own) {
    jn_xacro_value v;
    own->attributes = jn_store_array(x->b->r->scratch, (size_t)e->attribute_count + 1, sizeof *own->attributes);
    if (!own->attributes) return jn_read_no_memory(x->b->r);
    for (int i = 0; i < e->attribute_count; i++) {
        if (!jn_xacro_evaluate_text(x, scope, e->attributes[i].value, e->where, &v)) return false;
        own->attributes[own->attribute_count++] = (jn_xml_attribute){e->attributes[i].name, jn_xacro_string(x, &v)};
    }
    return true;
}

static bool copy(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to) {
    jn_xml *own = make(x, e);
    jn_xacro_value v;
    if (!own || !append(x, to, own) || !copy_attributes(x, scope, e, own)) return false;
    if (!jn_xacro_evaluate_text(x, scope, e->text, e->where, &v)) return false;
    own->text = jn_xacro_string(x, &v);
    return expand_children(x, scope, e, own);
}

/* An element whose name is computed: its attribute xacro:name. */
static bool make_element(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to) {
    bool fine = true;
    const char *name = given(x, scope, e, "xacro:name", &fine);
    if (!fine) return false;
    if (!name || !*name)
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                             "<xacro:element> has no xacro:name\nadd xacro:name=\"...\"");
    if (!copy(x, scope, e, to)) return false;
    jn_xml *own = to->children[to->count - 1];
    own->name = name;
    for (int i = 0; i < own->attribute_count; i++)
        if (!strcmp(own->attributes[i].name, "xacro:name"))
            own->attributes[i] = own->attributes[--own->attribute_count];
    return true;
}

/* An attribute of the element around it. */
static bool make_attribute(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to) {
    bool fine = true;
    const char *name = given(x, scope, e, "name", &fine), *value = given(x, scope, e, "value", &fine);
    if (!fine) return false;
    if (!name || !value)
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<xacro:attribute> needs a name and a value");
    jn_xml_attribute *wide = jn_store_array(x->b->r->scratch, (size_t)to->attribute_count + 1, sizeof *wide);
    if (!wide) return jn_read_no_memory(x->b->r);
    if (to->attribute_count) memcpy(wide, to->attributes, (size_t)to->attribute_count * sizeof *wide);
    to->attributes = wide;
    for (int i = 0; i < to->attribute_count; i++)
        if (!strcmp(wide[i].name, name)) return wide[i].value = value, true;
    wide[to->attribute_count++] = (jn_xml_attribute){name, value};
    return true;
}

static bool expand(jn_xacro *x, jn_xacro_scope *scope, jn_xml *e, jn_xml *to) {
    const char *word = e->name + 6;
    bool fine = true;
    x->where = e->where;
    if (!count_element(x, e->where)) return false;
    if (strncmp(e->name, "xacro:", 6)) return copy(x, scope, e, to);
    if (!strcmp(word, "property")) return define(x, scope, e);
    if (!strcmp(word, "arg")) return define_argument(x, scope, e);
    if (!strcmp(word, "macro")) return define_macro(x, e);
    if (!strcmp(word, "include")) return include(x, scope, e, to);
    if (!strcmp(word, "if") || !strcmp(word, "unless")) return choose(x, scope, e, *word == 'i', to);
    if (!strcmp(word, "insert_block")) return insert_block(x, scope, e, to);
    if (!strcmp(word, "element")) return make_element(x, scope, e, to);
    if (!strcmp(word, "attribute")) return make_attribute(x, scope, e, to);
    if (strcmp(word, "call")) return call_macro(x, scope, word, e, to);
    const char *name = given(x, scope, e, "macro", &fine);
    if (fine && !name) return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<xacro:call> has no macro");
    return fine && call_macro(x, scope, name, e, to);
}

static bool expand_children(jn_xacro *x, jn_xacro_scope *scope, const jn_xml *e, jn_xml *to) {
    if (++x->depth > DEEPEST)
        return jn_read_error(
            x->b->r, e->where, JN_ERR_LIMIT,
            "macros and includes are nested deeper than %d levels\nend what calls or includes itself by <xacro:if>",
            DEEPEST);
    for (int i = 0; i < e->count; i++)
        if (!expand(x, scope, e->children[i], to) || x->b->r->status != JN_OK) return false;
    x->depth--;
    return true;
}

/* NAME:=VALUE, several with spaces between them, as on the command line of xacro. */
static bool take_settings(jn_xacro *x, const char *text) {
    const char *usual;
    for (const char *name; text && (name = next_parameter(x, &text, &usual));) {
        jn_xacro_symbol *s = jn_xacro_set(x, &x->arguments, name);
        if (!s) return false;
        s->value = jn_xacro_text(usual ? usual : "");
    }
    return true;
}

jn_xml *jn_xacro_expand(jn_robot *b, const jn_xml *root) {
    jn_xacro x = {.b = b};
    x.table = &x.macros;
    jn_xml *out = make(&x, root);
    if (!out || !take_settings(&x, b->options->xacro)) return NULL;
    if (!expand_children(&x, &x.global, root, out) || b->r->status != JN_OK) return NULL;
    if (!out->count && x.macros.count) {
        jn_read_error(b->r, root->where, JN_ERR_MODEL,
                      "the template defines macros, as '%.60s', and calls none\nread the file that includes it",
                      x.macros.symbols[0].name);
        return NULL;
    }
    return copy_attributes(&x, &x.global, root, out) ? out : NULL; /* which may ask for arguments that stand within */
}
