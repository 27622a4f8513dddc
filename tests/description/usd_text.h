/* What tests of the USD reader share: stages from texts, in files of their own where they refer to each other. */
#ifndef JN_TEST_USD_TEXT_H
#define JN_TEST_USD_TEXT_H

#include "import_text.h"

#include <stdlib.h>
#include <unistd.h>

#define HEAD "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n"
#define API(list) "(prepend apiSchemas = [" list "])"
#define BODY_API "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\""
/* A body of mass 1 with inertia, at a place; more: further properties and prims. */
#define BODY(name, place, more)                                                                                        \
    "def Xform \"" name "\" " API(BODY_API) " {\n float physics:mass = 1\n float3 physics:diagonalInertia = (1, 2, "   \
                                            "3)\n double3 xformOp:translate = " place                                  \
                                            "\n uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" more "\n}\n"
#define JOINT(type, name, first, second, more)                                                                         \
    "def Physics" type "Joint \"" name "\" {\n rel physics:body0 = <" first ">\n rel physics:body1 = <" second         \
    ">\n" more "\n}\n"

static inline jn_description *read_stage(const char *text) {
    jn_description *d = parse(text, "stage.usda", NULL, 0);
    check_report(&report);
    assert_non_null(d);
    return d;
}

static inline jn_description *read_leniently(const char *text) {
    static const char *lenient[][2] = {{"import.lenient", "true"}};
    jn_description *d = parse(text, "stage.usda", lenient, 1);
    check_report(&report);
    assert_non_null(d);
    return d;
}

/* A file in a folder of the test. */
static inline const char *write_file(const char *folder, const char *name, const char *text) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline jn_description *read_path(const char *path, bool lenient) {
    const jn_setting settings[] = {{"import.lenient", lenient ? "true" : "false"}};
    return jn_description_read(path, settings, 1, &report);
}

#endif
