/* The table of laws: one row each. What a law is, with parameters, units, ranges and source, stands at the end of its file. */
#include "reaction/laws/law_functions.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- parameters */

#define RESISTANCE(member) offsetof(jn_resistance_parameters, member)

static const jn_law_parameter resistance_parameters[] = {
    {"rolling", "m", false, 0, 0, INFINITY, false, RESISTANCE(rolling), "rolling torque over normal force",
     "rolling: 0.1 mm"},
    {"spinning", "m", false, 0, 0, INFINITY, false, RESISTANCE(spinning), "spinning torque over normal force",
     "spinning: 0.1 mm"},
    {"resistance_speed", "rad/s", false, 1e-2, 0, INFINITY, true, RESISTANCE(speed),
     "smoothing: 76 % of the torque at this speed", "resistance_speed: 0.01"},
    JN_PARAMETERS_END};

/* ----------------------------------------------------------------------------------------------------------- rows */

/* One row per normal law and per friction law: jn_normal_NAME and jn_friction_NAME stand at the end of their files. */
#define NORMAL_LAWS(LAW)                                                                                               \
    LAW(hooke)                                                                                                         \
    LAW(hertz)                                                                                                         \
    LAW(kelvin_voigt)                                                                                                  \
    LAW(anagnostopoulos)                                                                                               \
    LAW(hunt_crossley)                                                                                                 \
    LAW(herbert_mcwhannell)                                                                                            \
    LAW(lee_wang)                                                                                                      \
    LAW(lankarani_nikravesh)                                                                                           \
    LAW(gonthier)                                                                                                      \
    LAW(zhang_sharf)                                                                                                   \
    LAW(zhiying_qishao)                                                                                                \
    LAW(flores)                                                                                                        \
    LAW(hu_guo)
#define FRICTION_LAWS(LAW)                                                                                             \
    LAW(coulomb)                                                                                                       \
    LAW(threlfall)                                                                                                     \
    LAW(bengisu_akay)                                                                                                  \
    LAW(ambrosio)                                                                                                      \
    LAW(brown_mcphee)                                                                                                  \
    LAW(karnopp)                                                                                                       \
    LAW(dahl)                                                                                                          \
    LAW(lugre)                                                                                                         \
    LAW(gonthier)

#define DECLARE_NORMAL(law) extern const jn_normal_info jn_normal_##law;
#define POINT_NORMAL(law) &jn_normal_##law,
NORMAL_LAWS(DECLARE_NORMAL)
static const jn_normal_info *const normal_laws[] = {NORMAL_LAWS(POINT_NORMAL)};

#define DECLARE_FRICTION(law) extern const jn_friction_info jn_friction_##law;
#define POINT_FRICTION(law) &jn_friction_##law,
FRICTION_LAWS(DECLARE_FRICTION)
static const jn_friction_info *const friction_laws[] = {FRICTION_LAWS(POINT_FRICTION)};

static const jn_resistance_info resistance_law = {
    "resistance", "torques against rolling and spinning, smoothed at rest", "Johnson1985",
    "chapter 9; smoothing is our own", resistance_parameters};

static const jn_line_info line_laws[] = {
    {"johnson", "d = q [ln(4 dR/q) - 1], holds while d < 0.541 dR", "Pereira2011", "Johnson's law", JN_ELASTIC_JOHNSON},
    {"esdu", "d = q [ln(4 dR/q) + 1], holds while d < 4 dR", "Pereira2011", "ESDU-78035", JN_ELASTIC_ESDU},
};

/* -------------------------------------------------------------------------------------------------------- look-up */

const jn_normal_info *jn_normal_get_info(int index) {
    return (size_t)index < sizeof normal_laws / sizeof *normal_laws ? normal_laws[index] : NULL;
}

const jn_friction_info *jn_friction_get_info(int index) {
    return (size_t)index < sizeof friction_laws / sizeof *friction_laws ? friction_laws[index] : NULL;
}

const jn_resistance_info *jn_resistance_get_info(void) { return &resistance_law; }

const jn_line_info *jn_line_get_info(int index) {
    return (size_t)index < sizeof line_laws / sizeof *line_laws ? &line_laws[index] : NULL;
}

const jn_line_info *jn_line_find(const char *name) {
    for (int i = 0; jn_line_get_info(i); i++)
        if (!strcmp(line_laws[i].name, name)) return &line_laws[i];
    return NULL;
}

const jn_normal_info *jn_normal_find(const char *name) {
    for (int i = 0; jn_normal_get_info(i); i++)
        if (!strcmp(normal_laws[i]->name, name)) return normal_laws[i];
    return NULL;
}

const jn_friction_info *jn_friction_find(const char *name) {
    for (int i = 0; jn_friction_get_info(i); i++)
        if (!strcmp(friction_laws[i]->name, name)) return friction_laws[i];
    return NULL;
}

bool jn_law_set(const jn_law_parameter *rows, void *values, const char *name, double value) {
    for (const jn_law_parameter *row = rows; row->name; row++)
        if (!strcmp(row->name, name)) {
            *(double *)(void *)((char *)values + row->offset) = value;
            return true;
        }
    return false;
}
