#include "description/read/memo.h"

#include "base/memory.h"
#include "base/program.h"

#include <math.h>
#include <string.h>

enum { ROOM = 1 << 14 }; /* slots, a power of two */

typedef struct memo_slot {
    const jn_node *node; /* NULL: free */
    jn_measure measure;
    jn_type type;
    double value;        /* of a constant */
    jn_function program; /* of parameters, length 0: a constant */
} memo_slot;

struct jn_memo {
    jn_store *store;
    const jn_given *given; /* while it learns */
    int given_count;
    size_t count;
    memo_slot *slot; /* (ROOM) */
    jn_known_parameters parameters;
};

jn_memo *jn_memo_create(const jn_given *given, int count) {
    jn_memo *m = jn_malloc(sizeof *m);
    if (!m) return NULL;
    *m = (jn_memo){.store = jn_store_create(), .given = given, .given_count = count};
    m->slot = m->store ? jn_store_array(m->store, ROOM, sizeof *m->slot) : NULL;
    if (m->slot) return m;
    jn_memo_free(m);
    return NULL;
}

void jn_memo_finish(jn_memo *m) { m->given = NULL, m->given_count = 0; }

void jn_memo_free(jn_memo *m) {
    if (m) jn_store_free(m->store);
    jn_free(m);
}

const jn_given *jn_given_find(const jn_given *given, int count, const jn_node *node) {
    for (int i = 0; i < count; i++)
        if (given[i].value == node) return &given[i];
    return NULL;
}

const jn_given *jn_memo_given(const jn_memo *m, const jn_node *node) {
    return jn_given_find(m->given, m->given_count, node);
}

/* ------------------------------------------------------------------------------------------------------- numbers */

static size_t slot_of(const jn_node *node) {
    uint64_t h = (uint64_t)(uintptr_t)node * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 20) & (ROOM - 1);
}

/* The slot of a number, or the free one where it would stand. */
static memo_slot *find_slot(const jn_memo *m, const jn_node *node, jn_measure measure) {
    size_t k = slot_of(node);
    while (m->slot[k].node && !(m->slot[k].node == node && m->slot[k].measure == measure)) k = (k + 1) & (ROOM - 1);
    return &m->slot[k];
}

/* Whether all parameters that a program reads are numbers in this description. */
static bool is_complete(jn_function program, const double *value) {
    for (int k = 0; k < program.length; k++)
        if (program.code[k].op == JN_OP_VAR && isnan(value[program.code[k].index])) return false;
    return true;
}

bool jn_memo_find(const jn_memo *m, const jn_node *node, jn_measure measure, const double *value,
                  jn_expression *out) {
    const memo_slot *s = find_slot(m, node, measure);
    if (!s->node) return false;
    *out = (jn_expression){.constant = true, .value = s->value, .type = s->type};
    if (!s->program.length) return true;
    if (!value || !is_complete(s->program, value)) return false;
    out->value = jn_function_value(s->program, NULL, value);
    return isfinite(out->value); /* else the reader says what is wrong */
}

/* A free slot for a number; NULL: it has one, or half of the room is taken. */
static memo_slot *new_slot(jn_memo *m, const jn_node *node, jn_measure measure) {
    memo_slot *s = find_slot(m, node, measure);
    if (s->node || 2 * m->count >= ROOM) return NULL;
    m->count++;
    return s;
}

void jn_memo_keep(jn_memo *m, const jn_node *node, jn_measure measure, const jn_expression *number) {
    memo_slot *s = new_slot(m, node, measure);
    if (s) *s = (memo_slot){.node = node, .measure = measure, .type = number->type, .value = number->value};
}

bool jn_memo_keep_program(jn_memo *m, jn_reader *r, const jn_node *node, jn_measure measure) {
    jn_scope scope;
    jn_fault fault;
    jn_expression made;
    jn_scope_of(r, 0, &scope);
    r->programs = true, r->unfit = false;
    bool fine = jn_expression_compile(node->text, &scope, m->store, &made, &fault) && !r->unfit;
    r->programs = false;
    memo_slot *s = fine ? new_slot(m, node, measure) : NULL;
    if (s) *s = (memo_slot){.node = node, .measure = measure, .type = made.type, .program = made.function};
    return s != NULL;
}

/* ---------------------------------------------------------------------------------------------------- parameters */

bool jn_memo_note_varied(jn_memo *m, int parameter) {
    jn_known_parameters *p = &m->parameters;
    int *wide = jn_store_grow(m->store, p->varied, p->varied_count, sizeof *wide);
    if (!wide) return false;
    p->varied = wide;
    p->varied[p->varied_count++] = parameter;
    return true;
}

const jn_known_parameters *jn_memo_parameters(const jn_memo *m) { return &m->parameters; }

bool jn_memo_keep_parameters(jn_memo *m, const jn_reader *r, int count) {
    jn_known_parameters *p = &m->parameters;
    size_t n = (size_t)count;
    p->item = jn_store_array(m->store, n + 1, sizeof *p->item);
    p->listed = jn_store_array(m->store, n + 1, sizeof *p->listed);
    p->value = jn_store_array(m->store, n + 1, sizeof *p->value);
    if (!p->item || !p->listed || !p->value || !jn_names_create(&p->names, m->store, count)) return false;
    for (int i = 0; i < count; i++) {
        const jn_parameter_desc *from = &r->d->parameters[i];
        jn_parameter_desc *to = &p->listed[i];
        *to = *from, p->item[i] = r->parameters[i];
        p->value[i] = p->item[i].varied ? NAN : r->value[i];
        if (p->item[i].varied) p->item[i].state = JN_PARAMETER_NEW;
        to->name = jn_store_strdup(m->store, from->name);
        to->unit = jn_store_strdup(m->store, from->unit);
        to->text = from->text ? jn_store_strdup(m->store, from->text) : NULL;
        if (!to->name || !to->unit || (from->text && !to->text)) return false;
        jn_names_add(&p->names, to->name);
    }
    p->count = count;
    return true;
}
