/* Stages of USD in text form: read leniently and strictly, compiled, ten steps on a floor. */
#include "fuzz.h"
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const jn_setting lenient[] = {
        {"import.lenient", "true"}, {"import.repair", "true"}, {"import.floor", "true"}};
    static jn_report report;
    char name[128];
    snprintf(name, sizeof name, "%s/stage.usda", fuzz_folder());
    jn_description_free(jn_description_parse((const char *)data, size, name, NULL, 0, &report));
    fuzz_steps(jn_description_parse((const char *)data, size, name, lenient, 3, &report), &report);
    return 0;
}
