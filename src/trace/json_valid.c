/* Whether a text is JSON. [RFC 8259] */
#include "trace/json_writer.h"
#include <string.h>

enum { DEEPEST = 256 };

static const char *skip_space(const char *p) { return p + strspn(p, " \t\n\r"); }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_digits(const char *p) {
    while (is_digit(*p)) p++;
    return p;
}

/* These return the place behind what they name, NULL if it does not stand at p. */
static const char *skip_string(const char *p) {
    if (*p++ != '"') return NULL;
    while (*p != '"') {
        size_t n = jn_utf8_length((const unsigned char *)p);
        if (n == 0 || (unsigned char)*p < 0x20) return NULL;
        if (*p == '\\') {
            p++;
            if (*p == 'u') {
                if (strspn(p + 1, "0123456789abcdefABCDEF") < 4) return NULL;
                n = 5;
            } else if (!*p || !strchr("\"\\/bfnrt", *p)) {
                return NULL;
            }
        }
        p += n;
    }
    return p + 1;
}

static const char *skip_number(const char *p) {
    if (*p == '-') p++;
    if (!is_digit(*p)) return NULL;
    p = *p == '0' ? p + 1 : skip_digits(p);
    if (*p == '.') {
        if (!is_digit(p[1])) return NULL;
        p = skip_digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        if (!is_digit(*p)) return NULL;
        p = skip_digits(p);
    }
    return p;
}

static const char *skip_value(const char *p, int depth);

/* Members of an object or array, p behind its opening bracket. */
static const char *skip_members(const char *p, char closer, int depth) {
    p = skip_space(p);
    if (*p == closer) return p + 1;
    for (;;) {
        if (closer == '}') {
            p = skip_string(p);
            if (!p || *(p = skip_space(p)) != ':') return NULL;
            p = skip_space(p + 1);
        }
        p = skip_value(p, depth + 1);
        if (!p) return NULL;
        p = skip_space(p);
        if (*p == closer) return p + 1;
        if (*p != ',') return NULL;
        p = skip_space(p + 1);
    }
}

static const char *skip_value(const char *p, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    if (depth > DEEPEST) return NULL;
    if (*p == '{' || *p == '[') return skip_members(p + 1, *p == '{' ? '}' : ']', depth);
    if (*p == '"') return skip_string(p);
    for (int i = 0; i < 3; i++)
        if (!strncmp(p, words[i], strlen(words[i]))) return p + strlen(words[i]);
    return skip_number(p);
}

bool jn_json_valid(const char *text, size_t length) {
    const char *end = skip_value(skip_space(text), 0);
    return end && skip_space(end) == text + length;
}
