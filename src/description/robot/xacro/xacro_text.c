/* Xacro: texts with ${expressions} and $(extensions) in them. */
#include "description/robot/xacro/xacro.h"

#include <string.h>

/* Length up to the bracket that closes, quotes and inner brackets passed over; 0: none does. */
static size_t closed_at(const char *text, char open, char close) {
    char quote = 0;
    int depth = 1;
    for (size_t i = 0; text[i]; i++) {
        if (quote)
            quote = text[i] == quote ? 0 : quote;
        else if (open == '{' && (text[i] == '\'' || text[i] == '"'))
            quote = text[i];
        else if (text[i] == open)
            depth++;
        else if (text[i] == close && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* A text that grows. */
typedef struct sum {
    char *text;
    size_t length, room;
} sum;

static bool too_long(jn_xacro *x, jn_where where) {
    return jn_read_error(x->b->r, where, JN_ERR_LIMIT,
                         "expressions are nested deeper than %d levels, or longer than %d letters\nwrite parts of them "
                         "as properties",
                         JN_XACRO_DEEPEST, JN_XACRO_LONGEST);
}

static bool add(jn_xacro *x, sum *s, const char *text, size_t n, jn_where where) {
    if (s->length + n > JN_XACRO_LONGEST) return too_long(x, where);
    if (s->length + n >= s->room) {
        size_t room = 2 * (s->length + n) + 1;
        char *wide = jn_store_alloc(x->b->r->scratch, room);
        if (!wide) return jn_read_no_memory(x->b->r);
        if (!jn_xacro_spend(x, (double)room)) return false;
        if (s->length) memcpy(wide, s->text, s->length);
        s->text = wide, s->room = room;
    }
    memcpy(s->text + s->length, text, n), s->length += n; /* zeros follow */
    return true;
}

/* What an expression or extension, n letters with the bracket that closes, stands for. */
static bool evaluate_part(jn_xacro *x, jn_xacro_scope *scope, const char *text, size_t n, bool expression,
                          jn_where where, jn_xacro_value *out) {
    if (++x->nested > JN_XACRO_DEEPEST || n > JN_XACRO_LONGEST) return too_long(x, where);
    if (!jn_xacro_spend(x, (double)n)) return false;
    const char *inner = jn_robot_text(x->b, "%.*s", (int)n - 1, text);
    if (!jn_xacro_evaluate_text(x, scope, inner, where, out)) return false; /* what is within comes first */
    x->nested--;
    inner = jn_xacro_string(x, out);
    return expression ? jn_xacro_evaluate(x, scope, inner, strlen(inner), where, out)
                      : jn_xacro_extension(x, inner, where, out);
}

bool jn_xacro_evaluate_text(jn_xacro *x, jn_xacro_scope *scope, const char *text, jn_where where, jn_xacro_value *out) {
    const char *at = text;
    sum s = {0};
    bool whole = false;
    *out = jn_xacro_text(text);
    if (!strchr(text, '$')) return true;
    while (*at) {
        size_t plain = strcspn(at, "$");
        if (!add(x, &s, at, plain, where)) return false;
        at += plain;
        if (!*at) break;
        bool expression = at[1] == '{', escaped = at[1] == '$' && (at[2] == '{' || at[2] == '(');
        if (!expression && at[1] != '(') { /* $${ stands for ${ */
            if (!add(x, &s, escaped ? at + 1 : at, escaped ? 2 : 1, where)) return false;
            at += escaped ? 3 : 1;
            continue;
        }
        size_t n = expression ? closed_at(at + 2, '{', '}') : closed_at(at + 2, '(', ')');
        if (!n)
            return jn_read_error(x->b->r, where, JN_ERR_MODEL,
                                 "'%.60s' has no '%c'\nclose it, or write $%.2s for the letters themselves", at,
                                 expression ? '}' : ')', at);
        if (!evaluate_part(x, scope, at + 2, n, expression, where, out)) return false;
        whole = at == text && !at[2 + n];
        at += 2 + n;
        const char *made = whole ? "" : jn_xacro_string(x, out);
        if (!add(x, &s, made, strlen(made), where)) return false;
    }
    if (!whole) *out = jn_xacro_text(s.text);
    return true;
}
