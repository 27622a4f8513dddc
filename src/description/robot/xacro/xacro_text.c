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

bool jn_xacro_evaluate_text(jn_xacro *x, jn_xacro_scope *scope, const char *text, jn_where where, jn_xacro_value *out) {
    const char *sum = "", *at = text;
    bool whole = false;
    *out = jn_xacro_text(text);
    if (!strchr(text, '$')) return true;
    while (*at) {
        size_t plain = strcspn(at, "$");
        if (plain) sum = jn_robot_text(x->b, "%s%.*s", sum, (int)plain, at), at += plain;
        if (!*at) break;
        bool expression = at[1] == '{';
        size_t n = expression ? closed_at(at + 2, '{', '}') : at[1] == '(' ? closed_at(at + 2, '(', ')') : 0;
        if (at[1] == '$' && (at[2] == '{' || at[2] == '(')) { /* $${ stands for ${ */
            sum = jn_robot_text(x->b, "%s$%c", sum, at[2]), at += 3;
            continue;
        }
        if (!n) {
            sum = jn_robot_text(x->b, "%s$", sum), at++;
            continue;
        }
        jn_xacro_value v;
        const char *inner = jn_robot_text(x->b, "%.*s", (int)n - 1, at + 2);
        if (++x->nested > JN_XACRO_DEEPEST || strlen(sum) > JN_XACRO_LONGEST)
            return jn_read_error(x->b->r, where, JN_ERR_LIMIT,
                                 "expressions are nested deeper than %d levels, or longer than %d letters",
                                 JN_XACRO_DEEPEST, JN_XACRO_LONGEST);
        if (!jn_xacro_evaluate_text(x, scope, inner, where, &v)) return false; /* what is within comes first */
        x->nested--;
        inner = jn_xacro_string(x, &v);
        bool fine = expression ? jn_xacro_evaluate(x, scope, inner, strlen(inner), where, &v)
                               : jn_xacro_extension(x, inner, where, &v);
        if (!fine) return false;
        whole = at == text && !at[2 + n];
        at += 2 + n;
        *out = v;
        if (!whole) sum = jn_robot_text(x->b, "%s%s", sum, jn_xacro_string(x, &v));
    }
    if (!whole) *out = jn_xacro_text(sum);
    return true;
}
