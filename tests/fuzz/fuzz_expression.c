/* Expressions and units: compiled with some names in scope, evaluated with their derivatives. */
#include "base/expression.h"
#include "fuzz.h"
#include <string.h>

enum { VARIABLES = JN_VAR_SIGNAL + 2 };

static const double knot[] = {0, 1, 2, 4}, value[] = {0, 1, 0, 1}, bend[] = {0, -1, 1, 0};
static const jn_table table = {"cam", 4, knot, value, bend, false};

static jn_symbol_kind find(void *context, const char *name, bool wants_table, jn_symbol *symbol) {
    static const char *const variables[VARIABLES] = {"t", "x", "v", "pin.q", "pin.u"};
    (void)context;
    if (wants_table) return symbol->index = 0, strcmp(name, "cam") ? JN_SYMBOL_NONE : JN_SYMBOL_TABLE;
    symbol->type = (jn_type){.kind = JN_KIND_LOOSE};
    for (int i = 0; i < VARIABLES; i++)
        if (!strcmp(name, variables[i])) return symbol->index = i, JN_SYMBOL_VARIABLE;
    if (!strcmp(name, "radius")) return symbol->value = 0.5, JN_SYMBOL_CONSTANT;
    if (!strcmp(name, "word")) return symbol->text = "steel", JN_SYMBOL_TEXT;
    if (!strcmp(name, "later")) return symbol->index = 3, JN_SYMBOL_PENDING;
    return JN_SYMBOL_NONE;
}

static void offer(void *context, jn_suggest *suggest) {
    (void)context;
    jn_suggest_offer(suggest, "radius");
}

static void evaluate(jn_function f) {
    static const double times[] = {0, 0.3, 1e-300, -1e300};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        double var[VARIABLES] = {times[k], 1, -2, 0.1, 0};
        jn_jet jet[VARIABLES] = {{times[k], 1, 0}, {1, 0, 0}, {-2, 1, 1}, {0.1, 2, 0}, {0, 0, 1}};
        (void)jn_function_value(f, &table, var);
        (void)jn_function_jet(f, &table, jet);
        for (int by = 0; by < VARIABLES; by++) (void)jn_function_slope(f, &table, var, by);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char text[4096];
    const jn_scope scope = {NULL, find, offer};
    jn_expression e;
    jn_fault fault = {0};
    jn_unit unit;
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (jn_unit_parse(text, &unit, NULL, NULL) > strlen(text)) fuzz_fail("a unit longer than its text");
    jn_store *store = jn_store_create();
    if (!store) return 0;
    if (jn_expression_compile(text, &scope, store, &e, &fault)) {
        for (int m = 0; m < JN_MEASURES; m++) (void)jn_type_fits(e.type, (jn_measure)m, &fault);
        evaluate(e.function);
    } else if (fault.status && !fault.text[0]) {
        fuzz_fail("an error without a message");
    } else if (fault.offset > strlen(text)) {
        fuzz_fail("an error behind the text");
    }
    jn_store_free(store);
    return 0;
}
