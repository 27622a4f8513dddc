/* Decimal numbers from text, without the locale. */
#include "base/parse_number.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* strtod reads the decimal point of the user's locale: that one is put in. */
bool jn_number_read(const char *text, size_t length, double *value) {
    char buffer[512], *end;
    const char *point = localeconv()->decimal_point;
    size_t n = 0, width = strlen(point);

    if (length == 0 || length > 400 || width == 0 || width > 4) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!strchr("0123456789+-eE.", text[i]) || text[i] == '\0' || n + width >= sizeof buffer) {
            return false;
        }
        memcpy(buffer + n, text[i] == '.' ? point : &text[i], text[i] == '.' ? width : 1);
        n += text[i] == '.' ? width : 1;
    }
    buffer[n] = '\0';
    *value = strtod(buffer, &end);
    return *end == '\0';
}
