#!/usr/bin/env python3
"""Writes src/algebra/elementary_tables.h: the numbers behind our sin, exp, log and friends, from their definitions.

Only Python's decimal arithmetic is used, with far more digits than a pair of doubles holds. Run from the repository's root:
    tools/elementary_tables.py > src/algebra/elementary_tables.h
"""
from decimal import Decimal as D, getcontext

getcontext().prec = 450
ONE = D(1)


def arctan(x):
    """Halved four times, then the series."""
    for _ in range(4):
        x = x / (1 + (1 + x * x).sqrt())
    total, power, k = D(0), x, 1
    while abs(power) > D(10) ** -440:
        total += power / k if k % 4 == 1 else -power / k
        power *= x * x
        k += 2
    return 16 * total


PI = 4 * arctan(ONE)
LN2 = D(2).ln()


def pair(value):
    """A number as two doubles, the second the rest of the first."""
    high = float(value)
    return high, float(value - D(high))


def cut(value, bits):
    """The leading bits of a positive number as a double."""
    scale = 0
    while value * D(2) ** scale < D(2) ** (bits - 1):
        scale += 1
    return float(D(int(value * D(2) ** scale)) / D(2) ** scale)


def put_pair(name, value, comment):
    high, low = pair(value)
    print(f"static const jn_pair {name} = {{{high.hex()}, {low.hex()}}}; /* {comment} */")


def put_pairs(name, values, comment):
    print(f"/* {comment} */\nstatic const jn_pair {name}[{len(values)}] = {{")
    for value in values:
        high, low = pair(value)
        print(f"    {{{high.hex()}, {low.hex()}}},")
    print("};")


def put_parts(name, value, bits, comment):
    """Parts of so many bits each, then a rest of full precision."""
    parts = []
    for _ in range(bits[1]):
        parts.append(cut(value - sum(map(D, parts)), bits[0]))
    parts.append(float(value - sum(map(D, parts))))
    print(f"static const double {name}[{len(parts)}] = {{{', '.join(p.hex() for p in parts)}}}; /* {comment} */")


def logarithm_rows():
    """Interval i of [0.6875, 1.375): 1/c cut to nine bits behind the point, and -log(1/c). Around 1 both are exact."""
    rows = []
    for i in range(128):
        edges = []
        for k in (i, i + 1):
            bits = (0x3FE6 << 48) + (k << 45)
            exponent, fraction = (bits >> 52) - 1023, bits & ((1 << 52) - 1)
            edges.append((1 + D(fraction) / D(1 << 52)) * D(2) ** exponent)
        middle = (edges[0] + edges[1]) / 2
        inverse = ONE if i in (79, 80) else D(int(512 / middle + D("0.5"))) / 512
        rows.append((inverse, -inverse.ln() if inverse != 1 else D(0)))
    return rows


def main():
    print("/* Tables of the elementary functions, written by tools/elementary_tables.py. */")
    print("#ifndef JN_ALGEBRA_ELEMENTARY_TABLES_H\n#define JN_ALGEBRA_ELEMENTARY_TABLES_H\n")
    print('#include "algebra/double_double.h"\n#include <stdint.h>\n')
    print("// clang-format off")
    put_pair("pi_pair", PI, "pi")
    put_pair("half_pi_pair", PI / 2, "pi/2")
    put_pair("quarter_pi_pair", PI / 4, "pi/4")
    put_pair("ln2_pair", LN2, "ln 2")
    put_pair("inverse_ln10_pair", 1 / D(10).ln(), "1/ln 10")
    put_pair("half_ln_two_pi_pair", (2 * PI).ln() / 2, "ln(2 pi)/2")
    put_parts("half_pi_parts", PI / 2, (33, 3), "pi/2, parts of 33 bits: 2^20 of them are exact")
    put_parts("ln2_parts", LN2, (41, 1), "ln 2, a part of 41 bits: 2^11 of them are exact")
    put_parts("ln2_128_parts", LN2 / 128, (35, 1), "ln 2/128, a part of 35 bits: 2^18 of them are exact")
    put_pairs("power_of_two", [(LN2 * i / 128).exp() for i in range(128)], "2^(i/128)")
    put_pairs("arc_tangent", [arctan(D(i) / 64) if i else D(0) for i in range(65)], "atan(i/64)")
    print("/* 1/c and -log(1/c) for the intervals [c] of [0.6875, 1.375) */")
    print("static const struct jn_log_row {\n    double inverse;\n    jn_pair log;\n} logarithm[128] = {")
    for inverse, value in logarithm_rows():
        high, low = pair(value)
        print(f"    {{{float(inverse).hex()}, {{{high.hex()}, {low.hex()}}}}},")
    print("};")
    words = 20
    bits = int(2 / PI * D(2) ** (64 * words))
    print("/* A word of zeros, then 2/pi behind the binary point [Payne1983] */")
    print(f"static const uint64_t two_over_pi[{words + 1}] = {{\n    UINT64_C(0),")
    for k in range(words):
        print(f"    UINT64_C(0x{(bits >> (64 * (words - 1 - k))) & (2**64 - 1):016x}),")
    print("};\n// clang-format on\n\n#endif")


main()
