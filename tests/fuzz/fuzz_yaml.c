/* Model files in YAML or JSON: read, compiled, ten steps. */
#include "fuzz.h"
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static jn_report report;
    char name[128]; /* in an empty folder: includes and meshes are not found */
    snprintf(name, sizeof name, "%s/model.yaml", fuzz_folder());
    fuzz_steps(jn_description_parse((const char *)data, size, name, NULL, 0, &report), &report);
    return 0;
}
