/* Shortest decimal text of a double: 15 digits if they do, else 16, else 17. */
#include "trace/number.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Whole numbers below 10^15: most zeros, counters and round inputs of a table pass here. */
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

/* Any number, by the C library: right and slow. Below DBL_MIN fewer digits than 15 may be enough. */
static int write_any(double value, char *buffer) {
    int length = 0;
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        length = snprintf(buffer, JN_NUMBER_SIZE, "%.*g", digits, value);
        if (digits == 17 || strtod(buffer, NULL) == value) break;
    }
    return length;
}

#if LDBL_MANT_DIG >= 64

enum { POWERS = 28 }; /* 10^27 and below are exact in 64 bits */
static const long double power[POWERS] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                          1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                          1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

static long double scale(long double x, int p) { return p >= 0 ? x * power[p] : x / power[-p]; }

/* Layout of %.{precision}g for the number n * 10^(exponent + 1 - precision), n of that many digits. */
static int write_digits(unsigned long long n, int precision, int exponent, char *out) {
    char digit[24];
    int count = precision, length = 0;
    for (int i = precision; i-- > 0; n /= 10) digit[i] = (char)('0' + n % 10);
    while (count > 1 && digit[count - 1] == '0') count--;
    if (exponent < -4 || exponent >= precision) {
        out[length++] = digit[0];
        if (count > 1) out[length++] = '.';
        for (int i = 1; i < count; i++) out[length++] = digit[i];
        return length + snprintf(out + length, 8, "e%+03d", exponent);
    }
    if (exponent < 0) {
        out[length++] = '0', out[length++] = '.';
        for (int i = -1; i > exponent; i--) out[length++] = '0';
    }
    for (int i = 0; i < count || i <= exponent; i++) {
        if (i == exponent + 1 && exponent >= 0) out[length++] = '.';
        out[length++] = i < count ? digit[i] : '0';
    }
    out[length] = 0;
    return length;
}

/* The same text as write_any in extended precision, where that is beyond doubt; 0 where it is not. An error of 2^-64
 * in a product must change neither the rounding to digits nor whether they read back to x. */
static int write_fast(double value, char *buffer) {
    int e2, sign = value < 0;
    double x = fabs(value);
    if (!(x >= 1e-10 && x < 1e25) || frexp(x, &e2) == 0.5) return 0;
    int e = (int)floor((e2 - 1) * 0.30102999566398120); /* 10^e <= x < 10^(e+1) */
    e += scale(1, e + 1) <= (long double)x;
    long double half = ldexpl(0.5L, e2 - DBL_MANT_DIG); /* half an ulp */
    for (int digits = 15; digits <= 17; digits++) {
        int p = digits - 1 - e;
        long double s = scale(x, p), n = floorl(s), part = s - n;
        if (fabsl(part - 0.5L) < 0.02L) return 0;
        if (part > 0.5L) n += 1;
        if (n >= power[digits]) return 0;
        long double off = fabsl(scale(n, -p) - (long double)x) / half;
        if (fabsl(off - 1) < 1.0L / 256) return 0;
        if (off > 1 && digits < 17) continue;
        if (off > 1) return 0;
        buffer[0] = '-';
        return sign + write_digits((unsigned long long)n, digits, e, buffer + sign);
    }
    return 0;
}

#else
static int write_fast(double value, char *buffer) {
    (void)value, (void)buffer;
    return 0;
}
#endif

int jn_number_write(double value, char *buffer) {
    if (!isfinite(value))
        return snprintf(buffer, JN_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    if (fabs(value) < 1e15 && value == (double)(long long)value && !(value == 0 && signbit(value)))
        return write_whole((long long)value, buffer);
    int length = write_fast(value, buffer);
    return length ? length : write_any(value, buffer);
}
