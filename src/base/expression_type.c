/* Rules of dimensions in expressions. */
#include "base/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 96 };

static bool fail(jn_fault *fault, const char *format, const char *a, const char *b, const char *c) {
    fault->status = JN_ERR_UNIT;
    snprintf(fault->text, sizeof fault->text, format, a, b, c);
    fault->hint[0] = '\0';
    return false;
}

bool jn_type_fits(jn_type type, jn_measure measure, jn_fault *fault) {
    const jn_measure_info *info = jn_measure_get(measure);
    char found[NAME_SIZE];

    if (measure == JN_MEASURE_ANY || type.kind != JN_KIND_TYPED ||
        jn_dimension_equal(type.dimension, info->dimension)) {
        return true;
    }
    jn_dimension_text(type.dimension, found, sizeof found);
    fault->status = JN_ERR_UNIT;
    snprintf(fault->text, sizeof fault->text, "expected %s such as %s%s%s%s; found %s", info->name, info->example,
             info->unit[0] ? " [" : "", info->unit, info->unit[0] ? "]" : "", found);
    fault->hint[0] = '\0';
    return false;
}

bool jn_type_alike(jn_type a, jn_type b, const char *operation, jn_type *out, jn_fault *fault) {
    char left[NAME_SIZE], right[NAME_SIZE];

    if (a.kind == JN_KIND_TYPED && b.kind == JN_KIND_TYPED && !jn_dimension_equal(a.dimension, b.dimension)) {
        jn_dimension_text(a.dimension, left, sizeof left);
        jn_dimension_text(b.dimension, right, sizeof right);
        return fail(fault, "%s cannot join %s and %s", operation, left, right);
    }
    *out = a.kind >= b.kind ? a : b; /* typed over loose over literal */
    return true;
}

jn_type jn_type_product(jn_type a, jn_type b, double power) {
    if (a.kind == JN_KIND_LOOSE || b.kind == JN_KIND_LOOSE) {
        return (jn_type){.kind = JN_KIND_LOOSE};
    }
    if (a.kind == JN_KIND_LITERAL && b.kind == JN_KIND_LITERAL) {
        return a;
    }
    return (jn_type){JN_KIND_TYPED, jn_dimension_combine(a.dimension, b.dimension, power)};
}

bool jn_type_power(jn_type a, jn_type b, bool constant, double exponent, jn_type *out, jn_fault *fault) {
    char name[NAME_SIZE];

    if (!jn_type_pure(b, "an exponent", fault)) {
        return false;
    }
    if (a.kind != JN_KIND_TYPED) {
        *out = a.kind == JN_KIND_LOOSE || b.kind == JN_KIND_LOOSE ? (jn_type){.kind = JN_KIND_LOOSE} : a;
        return true;
    }
    if (constant && isfinite(exponent)) {
        *out = (jn_type){JN_KIND_TYPED, jn_dimension_combine((jn_dimension){{0}}, a.dimension, exponent)};
        return true;
    }
    if (!jn_dimension_none(a.dimension)) {
        jn_dimension_text(a.dimension, name, sizeof name);
        return fail(fault, "%s can only be raised to a constant power%s%s", name, "", "");
    }
    *out = (jn_type){.kind = JN_KIND_LITERAL};
    return true;
}

bool jn_type_pure(jn_type a, const char *function, jn_fault *fault) {
    char name[NAME_SIZE];

    if (a.kind != JN_KIND_TYPED || jn_dimension_none(a.dimension)) {
        return true;
    }
    jn_dimension_text(a.dimension, name, sizeof name);
    return fail(fault, "%s needs a plain number or an angle; found %s%s", function, name, "");
}
