/* Shortest decimal text of a double: 15 digits if they do, else 16, else 17. The text is that of %.15g, %.16g or %.17g, whichever first reads
 * back to the same number; asking the C library for them (write_any) is right and takes 0.9 us per number, eight times as long as whole
 * numbers of 64 bits (write_fast), which give way to it where they are in doubt. A series of six million numbers takes 0.7 s in place of 5 s;
 * Debian 12 has no library for C that does this. */
#include "trace/print_number.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int jn_whole_write(long long value, char *buffer) {
    char digits[24];
    int n = 0, length = 0;
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
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

/* Layout of %.{precision}g for the number n * 10^(exponent + 1 - precision), n of that many digits. */
static int write_digits(uint64_t n, int precision, int exponent, char *out) {
    char digit[24];
    int count = precision, length = 0;
    for (int i = precision; i-- > 0; n /= 10) digit[i] = (char)('0' + n % 10);
    while (count > 1 && digit[count - 1] == '0') count--;
    if (exponent < -4 || exponent >= precision) {
        int size = exponent < 0 ? -exponent : exponent; /* below 100 */
        out[length++] = digit[0];
        if (count > 1) out[length++] = '.';
        for (int i = 1; i < count; i++) out[length++] = digit[i];
        const char tail[] = {'e', exponent < 0 ? '-' : '+', (char)('0' + size / 10), (char)('0' + size % 10), 0};
        memcpy(out + length, tail, sizeof tail);
        return length + 4;
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

/* 10^p = ten[p - LEAST] 2^s to 64 bits, s = floor(p log2 10) - 63. */
enum { LEAST = -12, MOST = 56 };
static const uint64_t ten[MOST - LEAST + 1] = {
    0x8cbccc096f5088ccu, 0xafebff0bcb24aaffu, 0xdbe6fecebdedd5bfu, 0x89705f4136b4a597u, 0xabcc77118461cefdu,
    0xd6bf94d5e57a42bcu, 0x8637bd05af6c69b6u, 0xa7c5ac471b478423u, 0xd1b71758e219652cu, 0x83126e978d4fdf3bu,
    0xa3d70a3d70a3d70au, 0xcccccccccccccccdu, 0x8000000000000000u, 0xa000000000000000u, 0xc800000000000000u,
    0xfa00000000000000u, 0x9c40000000000000u, 0xc350000000000000u, 0xf424000000000000u, 0x9896800000000000u,
    0xbebc200000000000u, 0xee6b280000000000u, 0x9502f90000000000u, 0xba43b74000000000u, 0xe8d4a51000000000u,
    0x9184e72a00000000u, 0xb5e620f480000000u, 0xe35fa931a0000000u, 0x8e1bc9bf04000000u, 0xb1a2bc2ec5000000u,
    0xde0b6b3a76400000u, 0x8ac7230489e80000u, 0xad78ebc5ac620000u, 0xd8d726b7177a8000u, 0x878678326eac9000u,
    0xa968163f0a57b400u, 0xd3c21bcecceda100u, 0x84595161401484a0u, 0xa56fa5b99019a5c8u, 0xcecb8f27f4200f3au,
    0x813f3978f8940984u, 0xa18f07d736b90be5u, 0xc9f2c9cd04674edfu, 0xfc6f7c4045812296u, 0x9dc5ada82b70b59eu,
    0xc5371912364ce305u, 0xf684df56c3e01bc7u, 0x9a130b963a6c115cu, 0xc097ce7bc90715b3u, 0xf0bdc21abb48db20u,
    0x96769950b50d88f4u, 0xbc143fa4e250eb31u, 0xeb194f8e1ae525fdu, 0x92efd1b8d0cf37beu, 0xb7abc627050305aeu,
    0xe596b7b0c643c719u, 0x8f7e32ce7bea5c70u, 0xb35dbf821ae4f38cu, 0xe0352f62a19e306fu, 0x8c213d9da502de45u,
    0xaf298d050e4395d7u, 0xdaf3f04651d47b4cu, 0x88d8762bf324cd10u, 0xab0e93b6efee0054u, 0xd5d238a4abe98068u,
    0x85a36366eb71f041u, 0xa70c3c40a64e6c52u, 0xd0cf4b50cfe20766u, 0x82818f1281ed44a0u};

/* x 10^p = whole + part, with an error of 2^-64 of it: 0.006 where `whole` has 17 digits. */
typedef struct decimal {
    uint64_t whole;
    double part;
} decimal;

static decimal times_ten(uint64_t mantissa, int e2, int p) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)mantissa * ten[p - LEAST];
    int shift = 63 - e2 - ((p * 217706) >> 16); /* 217706/2^16: log2 10 */
    uint64_t rest = (uint64_t)((product << (128 - shift)) >> 64);
    return (decimal){(uint64_t)(product >> shift), (double)rest * 0x1p-64};
}

/* The same text as write_any by whole numbers, where that is beyond doubt; 0 where it is not. The error of the product must
 * change neither the rounding to digits nor whether they read back to x. */
static int write_fast(double value, char *buffer) {
    uint64_t bits, many = 100000000000000000u; /* 10^17 */
    memcpy(&bits, &value, sizeof bits);
    int e2 = (int)(bits >> 52 & 0x7ff) - 1075; /* x = mantissa 2^e2 */
    uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    double x = fabs(value);
    if (!(x >= 1e-38 && x < 1e26) || mantissa == (uint64_t)1 << 52) return 0;
    int e = ((e2 + 52) * 19728) >> 16; /* 19728/2^16: log10 2; 10^e <= x < 10^(e+2) but for rounding */
    decimal s = times_ten(mantissa, e2, 16 - e);
    if (s.whole >= many) s = times_ten(mantissa, e2, 16 - ++e);
    if (s.whole < many / 10) return 0;
    double half = 0.5 * (double)s.whole / (double)mantissa; /* of an ulp */
    for (int digits = 15, unit = 100; digits <= 17; digits++, unit /= 10) {
        uint64_t n = s.whole / (uint64_t)unit;
        double over = (double)(s.whole - n * (uint64_t)unit) + s.part, tie = 0.5 * unit;
        if (fabs(over - tie) < 0.02) return 0;
        if (over > tie) n++, over -= unit;
        double off = fabs(over) / half;
        if (fabs(off - 1) < 1.0 / 64) return 0;
        if (off > 1) continue;
        if (n * (uint64_t)unit >= many) return 0;
        buffer[0] = '-';
        return (value < 0) + write_digits(n, digits, e, buffer + (value < 0));
    }
    return 0;
}

int jn_number_write(double value, char *buffer) {
    if (!isfinite(value))
        return snprintf(buffer, JN_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    if (fabs(value) < 1e15 && value == (double)(long long)value && !(value == 0 && signbit(value)))
        return jn_whole_write((long long)value, buffer); /* most zeros, counters and round inputs of a table */
    int length = write_fast(value, buffer);
    return length ? length : write_any(value, buffer);
}

/* Seven digits are whole numbers here, and their quotient by a power of ten that a double holds is rounded once, as that of the text is;
 * what lies near the middle of two such texts goes by the C library. */
double jn_number_round(double x) {
    static const double power[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9, 1e10,
                                   1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20};
    char text[40];
    double size = fabs(x);
    if (!isfinite(x) || x == 0) return x;
    for (int k = 0; k <= 20 && size < 1e7; k++) {
        double scaled = size * power[k], whole = floor(scaled);
        if (scaled < 1e6) continue;
        if (scaled >= 1e7 - 1 || fabs(scaled - whole - 0.5) < 1e-6) break;
        return copysign((whole + (scaled - whole > 0.5)) / power[k], x);
    }
    snprintf(text, sizeof text, "%.7g", x);
    return strtod(text, NULL);
}
