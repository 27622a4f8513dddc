/* Shortest decimal text of a double. */
#include "trace/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers below 2^53: most zeros, counters and round inputs of a table pass here. */
static int write_whole(long long value, char *buffer) {
    char digits[24];
    int n = 0, length = 0;
    unsigned long long rest = value < 0 ? (unsigned long long)-value : (unsigned long long)value;
    do digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) buffer[length++] = '-';
    while (n) buffer[length++] = digits[--n];
    buffer[length] = 0;
    return length;
}

int jn_number_write(double value, char *buffer) {
    if (!isfinite(value)) return snprintf(buffer, JN_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    if (fabs(value) < 1e15 && value == (double)(long long)value && !(value == 0 && signbit(value)))
        return write_whole((long long)value, buffer);
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(buffer, JN_NUMBER_SIZE, "%.*g", digits, value);
        if (digits == 17 || strtod(buffer, NULL) == value) break;
    }
    return length;
}
