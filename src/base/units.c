/* Tables of units, prefixes and measures. Factors: BIPM SI brochure, 9th edition; NIST SP 811 for inch, foot, pound. */
#include "base/units.h"

#include "algebra/elementary.h"
#include "base/parse_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>


typedef struct unit_row {
    const char *name;
    bool prefix; /* may carry one */
    double factor;
    double e[JN_DIMS]; /* kg m s K A */
} unit_row;

static const unit_row units[] = {
    {"m", true, 1, {0, 1, 0, 0, 0}},
    {"g", true, 1e-3, {1, 0, 0, 0, 0}},
    {"s", true, 1, {0, 0, 1, 0, 0}},
    {"K", true, 1, {0, 0, 0, 1, 0}},
    {"A", true, 1, {0, 0, 0, 0, 1}},
    {"N", true, 1, {1, 1, -2, 0, 0}},
    {"Nm", true, 1, {1, 2, -2, 0, 0}},
    {"Pa", true, 1, {1, -1, -2, 0, 0}},
    {"bar", true, 1e5, {1, -1, -2, 0, 0}},
    {"J", true, 1, {1, 2, -2, 0, 0}},
    {"W", true, 1, {1, 2, -3, 0, 0}},
    {"V", true, 1, {1, 2, -3, 0, -1}},
    {"Hz", true, 1, {0, 0, -1, 0, 0}},
    {"rad", true, 1, {0, 0, 0, 0, 0}},
    {"deg", false, M_PI / 180, {0, 0, 0, 0, 0}},
    {"\xC2\xB0", false, M_PI / 180, {0, 0, 0, 0, 0}},
    {"rev", false, 2 * M_PI, {0, 0, 0, 0, 0}},
    {"rpm", false, 2 * M_PI / 60, {0, 0, -1, 0, 0}},
    {"%", false, 0.01, {0, 0, 0, 0, 0}},
    {"min", false, 60, {0, 0, 1, 0, 0}},
    {"h", false, 3600, {0, 0, 1, 0, 0}},
    {"t", false, 1000, {1, 0, 0, 0, 0}},
    {"in", false, 0.0254, {0, 1, 0, 0, 0}},
    {"ft", false, 0.3048, {0, 1, 0, 0, 0}},
    {"lb", false, 0.45359237, {1, 0, 0, 0, 0}},
    {"lbf", false, 4.4482216152605, {1, 1, -2, 0, 0}},
};

static const struct {
    const char *name;
    double factor;
} prefixes[] = {
    {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"\xC2\xB5", 1e-6}, {"\xCE\xBC", 1e-6}, {"m", 1e-3},
    {"c", 1e-2},  {"d", 1e-1}, {"k", 1e3},  {"M", 1e6},         {"G", 1e9},         {"T", 1e12},
};

/* Names that people use; only for suggestions. */
static const char *const common[] = {"mm", "cm", "um", "km", "kg", "ms", "us", "kN", "GPa", "MPa", "kJ", "kW", "mrad"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool jn_dimension_equal(jn_dimension a, jn_dimension b) {
    for (int i = 0; i < JN_DIMS; i++) {
        if (fabs(a.e[i] - b.e[i]) > 1e-9) {
            return false;
        }
    }
    return true;
}

bool jn_dimension_none(jn_dimension a) { return jn_dimension_equal(a, (jn_dimension){{0}}); }

jn_dimension jn_dimension_combine(jn_dimension a, jn_dimension b, double power) {
    for (int i = 0; i < JN_DIMS; i++) {
        a.e[i] += power * b.e[i];
    }
    return a;
}

static const unit_row *find_row(const char *name, size_t length) {
    for (size_t i = 0; i < COUNT(units); i++) {
        if (units[i].name[0] == name[0] && strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

bool jn_unit_find(const char *name, size_t length, jn_unit *unit) {
    const unit_row *row = find_row(name, length);
    double factor = 1;

    for (size_t i = 0; !row && i < COUNT(prefixes); i++) {
        size_t n = strlen(prefixes[i].name);
        if (length > n && memcmp(prefixes[i].name, name, n) == 0) {
            const unit_row *plain = find_row(name + n, length - n);
            if (plain && plain->prefix) {
                row = plain;
                factor = prefixes[i].factor;
            }
        }
    }
    if (!row) {
        return false;
    }
    unit->factor = row->factor * factor;
    memcpy(unit->dimension.e, row->e, sizeof row->e);
    return true;
}

double jn_unit_to_si(double value, jn_unit unit) {
    double inverse = 1 / unit.factor, whole = rint(inverse);
    bool exact = inverse > 1 && inverse < 1e15 && fabs(inverse - whole) < 1e-12 * whole;
    return exact ? value / whole : value * unit.factor;
}

void jn_unit_offer(jn_suggest *suggest) {
    for (size_t i = 0; i < COUNT(units); i++) {
        jn_suggest_offer(suggest, units[i].name);
    }
    for (size_t i = 0; i < COUNT(common); i++) {
        jn_suggest_offer(suggest, common[i]);
    }
}

bool jn_unit_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* An exponent such as 2, -1 or 1.5 after '^'. */
static const char *read_exponent(const char *p, double *power) {
    const char *start = p = skip_blanks(p);
    if (*p == '-' || *p == '+') {
        p++;
    }
    if (*p < '0' || *p > '9') {
        return NULL;
    }
    while ((*p >= '0' && *p <= '9') || *p == '.') {
        p++;
    }
    return jn_number_read(start, (size_t)(p - start), power) && fabs(*power) <= 12 ? p : NULL;
}

/* One factor with its exponent; NULL if there is none here. */
static const char *read_factor(const char *p, double sign, jn_unit *unit,
                               bool (*taken)(void *context, const char *name, size_t length), void *context) {
    size_t n = 0;
    double power = 1;
    jn_unit one;
    const char *next;

    while (jn_unit_letter(p[n])) {
        n++;
    }
    next = skip_blanks(p + n);
    if (n == 0 || p[n] == '_' || (p[n] >= '0' && p[n] <= '9') || p[n] == '.' || *next == '(' ||
        !jn_unit_find(p, n, &one) || (taken && taken(context, p, n))) {
        return NULL;
    }
    p += n;
    if (*next == '^') {
        next = read_exponent(next + 1, &power);
        if (!next) {
            return NULL;
        }
        p = next;
    }
    unit->factor *= jn_pow(one.factor, sign * power);
    unit->dimension = jn_dimension_combine(unit->dimension, one.dimension, sign * power);
    return p;
}

size_t jn_unit_parse(const char *text, jn_unit *unit, bool (*taken)(void *context, const char *name, size_t length),
                     void *context) {
    const char *p = text, *next;

    *unit = (jn_unit){.factor = 1};
    if (*p == '1' && *skip_blanks(p + 1) == '/') {
        p = p + 1;
    } else {
        p = read_factor(p, 1, unit, NULL, NULL);
        if (!p) {
            return 0;
        }
    }
    for (;;) {
        next = skip_blanks(p);
        if (*next != '*' && *next != '/') {
            break;
        }
        next = read_factor(skip_blanks(next + 1), *next == '/' ? -1 : 1, unit, taken, context);
        if (!next) {
            break;
        }
        p = next;
    }
    return *text == '1' && p == text + 1 ? 0 : (size_t)(p - text);
}

static const jn_measure_info measures[JN_MEASURES] = {
    [JN_MEASURE_ANY] = {"a number", "0.5", "", {{0}}},
    [JN_MEASURE_NUMBER] = {"a plain number", "0.5", "", {{0}}},
    [JN_MEASURE_ANGLE] = {"an angle", "'30 deg' or 0.5236", "rad", {{0}}},
    [JN_MEASURE_LENGTH] = {"a length", "'10 mm' or 0.01", "m", {{0, 1}}},
    [JN_MEASURE_MASS] = {"a mass", "'250 g' or 0.25", "kg", {{1}}},
    [JN_MEASURE_TIME] = {"a time", "'10 ms' or 0.01", "s", {{0, 0, 1}}},
    [JN_MEASURE_FREQUENCY] = {"a frequency", "'5 Hz' or 5", "1/s", {{0, 0, -1}}},
    [JN_MEASURE_SPEED] = {"a speed", "'20 mm/s' or 0.02", "m/s", {{0, 1, -1}}},
    [JN_MEASURE_ANGULAR_SPEED] = {"an angular speed", "'150 rpm' or 15.7", "rad/s", {{0, 0, -1}}},
    [JN_MEASURE_ACCELERATION] = {"an acceleration", "'9.81 m/s^2' or 9.81", "m/s^2", {{0, 1, -2}}},
    [JN_MEASURE_FORCE] = {"a force", "'2 kN' or 2000", "N", {{1, 1, -2}}},
    [JN_MEASURE_TORQUE] = {"a torque", "'5 N*m' or 5", "N*m", {{1, 2, -2}}},
    [JN_MEASURE_STIFFNESS] = {"a stiffness", "'2 N/mm' or 2000", "N/m", {{1, 0, -2}}},
    [JN_MEASURE_ANGULAR_STIFFNESS] = {"a torsional stiffness", "'5 N*m/rad' or 5", "N*m/rad", {{1, 2, -2}}},
    [JN_MEASURE_DAMPING] = {"a damping coefficient", "'5 N*s/m' or 5", "N*s/m", {{1, 0, -1}}},
    [JN_MEASURE_ANGULAR_DAMPING] = {"a torsional damping coefficient",
                                    "'0.1 N*m*s/rad' or 0.1",
                                    "N*m*s/rad",
                                    {{1, 2, -1}}},
    [JN_MEASURE_INERTIA] = {"a moment of inertia", "'5 kg*cm^2' or 5e-4", "kg*m^2", {{1, 2}}},
    [JN_MEASURE_DENSITY] = {"a density", "'7.8 g/cm^3' or 7800", "kg/m^3", {{1, -3}}},
    [JN_MEASURE_AREA_DENSITY] = {"a mass per area", "'15 kg/m^2' or 15", "kg/m^2", {{1, -2}}},
    [JN_MEASURE_INVERSE_LENGTH] = {"an inverse length", "'100 1/mm' or 1e5", "1/m", {{0, -1}}},
    [JN_MEASURE_INVERSE_SPEED] = {"an inverse speed", "'20 s/m' or 20", "s/m", {{0, -1, 1}}},
};

const jn_measure_info *jn_measure_get(jn_measure measure) { return &measures[measure]; }

static const jn_measure_info *measure_of(jn_dimension dimension) {
    for (int i = JN_MEASURE_LENGTH; i < JN_MEASURES; i++)
        if (jn_dimension_equal(dimension, measures[i].dimension)) return &measures[i];
    return NULL;
}

void jn_dimension_unit(jn_dimension dimension, char *buffer, size_t size) {
    static const char *const base[JN_DIMS] = {"kg", "m", "s", "K", "A"};
    const jn_measure_info *known = jn_dimension_none(dimension) ? NULL : measure_of(dimension);
    buffer[0] = '\0';
    if (known) {
        snprintf(buffer, size, "%s", known->unit);
        return;
    }
    for (int i = 0, first = 1; i < JN_DIMS; i++) {
        size_t n = strlen(buffer);
        if (fabs(dimension.e[i]) > 1e-9 && n + 1 < size) {
            snprintf(buffer + n, size - n, dimension.e[i] == 1 ? "%s%s" : "%s%s^%g", first ? "" : "*", base[i],
                     dimension.e[i]);
            first = 0;
        }
    }
}

void jn_dimension_text(jn_dimension dimension, char *buffer, size_t size) {
    char unit[128];
    if (jn_dimension_none(dimension)) {
        snprintf(buffer, size, "a number or angle without dimension");
        return;
    }
    const jn_measure_info *known = measure_of(dimension);
    jn_dimension_unit(dimension, unit, sizeof unit);
    if (known)
        snprintf(buffer, size, "%s (%s)", known->name, unit);
    else
        snprintf(buffer, size, "a quantity in %s", unit);
}
