/* Words of a .usda file, each with its line and column. */
#include "description/robot/usd/usd_lexer.h"

#include "base/parse_number.h"

#include <math.h>
#include <string.h>

static void advance(jn_usd_lexer *x, size_t n) {
    for (; n > 0 && x->at < x->end; n--, x->at++) {
        unsigned char c = (unsigned char)*x->at;
        if (c == '\n')
            x->line++, x->column = 1;
        else if ((c & 0xC0) != 0x80)
            x->column++;
    }
}

static bool starts(const jn_usd_lexer *x, const char *word) {
    size_t n = strlen(word);
    return (size_t)(x->end - x->at) >= n && !memcmp(x->at, word, n);
}

/* Spaces, and comments: # and // to the end of the line, C's own between the lines. */
static bool skip_space(jn_usd_lexer *x) {
    while (x->at < x->end) {
        char c = *x->at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            advance(x, 1);
        } else if (c == '#' || starts(x, "//")) {
            while (x->at < x->end && *x->at != '\n') advance(x, 1);
        } else if (starts(x, "/*")) {
            jn_where where = {x->file, x->line, x->column};
            while (x->at < x->end && !starts(x, "*/")) advance(x, 1);
            if (x->at == x->end) return jn_read_error(x->r, where, JN_ERR_SYNTAX, "this comment has no end\nadd '*/'");
            advance(x, 2);
        } else {
            break;
        }
    }
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void read_word(jn_usd_lexer *x) {
    const char *p = x->at;
    while (p < x->end) {
        bool joins = (*p == ':' || *p == '.') && p + 1 < x->end && (is_letter(p[1]) || is_digit(p[1]));
        if (!is_letter(*p) && !is_digit(*p) && !joins && *p != '|') break;
        p++;
    }
    x->kind = JN_USD_WORD, x->text = x->at, x->length = (size_t)(p - x->at);
    advance(x, x->length);
}

static bool read_number(jn_usd_lexer *x) {
    const char *p = x->at, *digits = p + (*p == '-' || *p == '+');
    double sign = *p == '-' ? -1 : 1;
    for (p = digits; p < x->end; p++) {
        bool exponent_sign = (*p == '-' || *p == '+') && p > digits && (p[-1] == 'e' || p[-1] == 'E');
        if (!is_digit(*p) && !is_letter(*p) && *p != '.' && !exponent_sign) break;
    }
    size_t n = (size_t)(p - digits);
    x->kind = JN_USD_NUMBER, x->text = x->at, x->length = (size_t)(p - x->at);
    if (n == 3 && !memcmp(digits, "inf", 3))
        x->number = sign * INFINITY;
    else if (n == 3 && !memcmp(digits, "nan", 3))
        x->number = NAN;
    else if (jn_number_read(digits, n, &x->number))
        x->number *= sign;
    else
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "'%.*s' is not a number\nwrite it as 12, -0.5 or 1e-3",
                             x->length < 40 ? (int)x->length : 40, x->text);
    advance(x, x->length);
    return true;
}

/* Between delimiters on one line, or on several lines where they are tripled. */
static bool read_enclosed(jn_usd_lexer *x, jn_usd_token kind, char mark) {
    const char triple[4] = {mark, mark, mark, 0}, once[2] = {mark, 0};
    const char *close = starts(x, triple) ? triple : once;
    size_t n = strlen(close);
    bool string = kind == JN_USD_STRING, lines = string && n == 3;
    advance(x, n);
    x->kind = kind, x->text = x->at;
    while (x->at < x->end && !starts(x, close) && (lines || *x->at != '\n'))
        advance(x, string && *x->at == '\\' && x->end - x->at > 1 ? 2 : 1);
    if (x->at == x->end || !starts(x, close))
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "this %s does not end%s\nadd %s at its end",
                             string ? "text" : "file name", lines ? "" : " on its line", close);
    x->length = (size_t)(x->at - x->text);
    advance(x, n);
    return true;
}

static bool read_path(jn_usd_lexer *x) {
    advance(x, 1);
    x->kind = JN_USD_PATH, x->text = x->at;
    while (x->at < x->end && *x->at != '>' && *x->at != '\n') advance(x, 1);
    if (x->at == x->end || *x->at != '>')
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "this path does not end on its line\nadd > at its end");
    x->length = (size_t)(x->at - x->text);
    advance(x, 1);
    return true;
}

bool jn_usd_next(jn_usd_lexer *x) {
    if (!skip_space(x)) return false;
    x->where = (jn_where){x->file, x->line, x->column};
    x->text = x->at, x->length = 0;
    if (x->at >= x->end) {
        x->kind = JN_USD_END;
        return true;
    }
    char c = *x->at;
    if (is_letter(c)) {
        read_word(x);
        return true;
    }
    if (is_digit(c) || c == '-' || c == '+' || c == '.') return read_number(x);
    if (c == '"' || c == '\'') return read_enclosed(x, JN_USD_STRING, c);
    if (c == '@') return read_enclosed(x, JN_USD_ASSET, c);
    if (c == '<') return read_path(x);
    if (c && strchr("()[]{}=,;:&", c)) {
        x->kind = JN_USD_SIGN, x->length = 1;
        advance(x, 1);
        return true;
    }
    if ((unsigned char)c < 0x20 || c == 0x7F)
        return jn_read_error(
            x->r, x->where, JN_ERR_SYNTAX,
            "the byte 0x%02x has no place in a text\nconvert a binary file by 'usdcat FILE -o FILE.usda'", c);
    return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "'%c' has no meaning here\nremove it, or put the text in \" \"",
                         c);
}

bool jn_usd_sign(const jn_usd_lexer *x, char sign) { return x->kind == JN_USD_SIGN && *x->text == sign; }

bool jn_usd_word(const jn_usd_lexer *x, const char *word) {
    return x->kind == JN_USD_WORD && strlen(word) == x->length && !memcmp(x->text, word, x->length);
}

bool jn_usd_expected(jn_usd_lexer *x, const char *what, const char *advice) {
    if (x->kind == JN_USD_END)
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "expected %s, found the end of the file\n%s", what, advice);
    return jn_read_error(x->r, x->where, JN_ERR_SYNTAX, "expected %s, found '%.*s'\n%s", what,
                         x->length < 40 ? (int)x->length : 40, x->text, advice);
}

bool jn_usd_take(jn_usd_lexer *x, char sign, const char *what) {
    char advice[80] = "write '('";
    advice[7] = sign;
    if (!jn_usd_sign(x, sign)) return jn_usd_expected(x, what, advice);
    return jn_usd_next(x);
}

static char escaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c; }

char *jn_usd_text(jn_usd_lexer *x) {
    char *copy = jn_store_alloc(x->r->scratch, x->length + 1);
    size_t n = 0;
    if (!copy) {
        jn_read_no_memory(x->r);
        return NULL;
    }
    for (size_t i = 0; i < x->length; i++) {
        bool escape = x->kind == JN_USD_STRING && x->text[i] == '\\' && i + 1 < x->length;
        if (escape) i++;
        copy[n++] = escape ? escaped(x->text[i]) : x->text[i];
    }
    return copy;
}
