/* Units and dimensions. A dimension is a product of powers of kg, m, s, K and A; angles have none. */
#ifndef JN_BASE_UNITS_H
#define JN_BASE_UNITS_H

#include "base/suggest.h"

#include <stdbool.h>
#include <stddef.h>

enum { JN_DIM_MASS, JN_DIM_LENGTH, JN_DIM_TIME, JN_DIM_TEMPERATURE, JN_DIM_CURRENT, JN_DIMS };

/* Exponents may be fractions, as in N/m^1.5. */
typedef struct jn_dimension {
    double e[JN_DIMS];
} jn_dimension;

typedef struct jn_unit {
    double factor; /* to SI */
    jn_dimension dimension;
} jn_unit;

bool jn_dimension_equal(jn_dimension a, jn_dimension b);
bool jn_dimension_none(jn_dimension a);
/* a * b^power */
jn_dimension jn_dimension_combine(jn_dimension a, jn_dimension b, double power);

/* One unit by name, with or without a prefix: "mm", "deg", "GPa". */
bool jn_unit_find(const char *name, size_t length, jn_unit *unit);
/* value * factor, rounded once where the factor is 1/10^n: '153 mm' is the double nearest to 0.153. */
double jn_unit_to_si(double value, jn_unit unit);
/* Offers the names of all units. */
void jn_unit_offer(jn_suggest *suggest);

/* Bytes that can stand in the name of a unit: letters, % and those of characters beyond ASCII. */
bool jn_unit_letter(char c);

/* Reads a compound unit ("N*s/m", "kg*m^2", "1/s") at the start of text and returns the number of bytes used, 0 if
 * there is none. A factor after * or / belongs to the unit if it is one and taken() does not claim its name for
 * something else; taken may be NULL. */
size_t jn_unit_parse(const char *text, jn_unit *unit, bool (*taken)(void *context, const char *name, size_t length),
                     void *context);

/* What a value of the model file is, for checks and for messages. */
typedef enum jn_measure {
    JN_MEASURE_ANY,
    JN_MEASURE_NUMBER,
    JN_MEASURE_ANGLE,
    JN_MEASURE_LENGTH,
    JN_MEASURE_MASS,
    JN_MEASURE_TIME,
    JN_MEASURE_FREQUENCY,
    JN_MEASURE_SPEED,
    JN_MEASURE_ANGULAR_SPEED,
    JN_MEASURE_ACCELERATION,
    JN_MEASURE_FORCE,
    JN_MEASURE_TORQUE,
    JN_MEASURE_STIFFNESS,
    JN_MEASURE_ANGULAR_STIFFNESS,
    JN_MEASURE_DAMPING,
    JN_MEASURE_ANGULAR_DAMPING,
    JN_MEASURE_INERTIA,
    JN_MEASURE_DENSITY,
    JN_MEASURE_AREA_DENSITY,
    JN_MEASURE_INVERSE_LENGTH,
    JN_MEASURE_INVERSE_SPEED,
    JN_MEASURES
} jn_measure;

typedef struct jn_measure_info {
    const char *name;    /* with its article: "a length" */
    const char *example; /* "'10 mm' or 0.01" */
    const char *unit;    /* SI: "m" */
    jn_dimension dimension;
} jn_measure_info;

const jn_measure_info *jn_measure_get(jn_measure measure);
/* SI unit of a dimension: "m", "N*m", "kg^2*m"; "" where there is none. Writes at most size bytes. */
void jn_dimension_unit(jn_dimension dimension, char *buffer, size_t size);
/* "a length (m)", or "a quantity in kg*m/s" where there is no name. Writes at most size bytes. */
void jn_dimension_text(jn_dimension dimension, char *buffer, size_t size);

#endif
