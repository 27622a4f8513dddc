/* Files of triangles, whose first byte says of which kind: a model with the mesh as a shape and as a hull, read and compiled. */
#include "fuzz.h"
#include <stdio.h>
#include <string.h>

/* The first byte of an input: m, s, o or d. */
static const char *ending(uint8_t first) { return first == 'm' ? "msh" : first % 3 == 's' % 3 ? "stl" : first % 3 == 'o' % 3 ? "obj" : "dae"; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const shapes[] = {"mesh", "hull"};
    static jn_report report;
    char name[128], text[512], file[32];
    if (size < 1) return 0;
    snprintf(name, sizeof name, "%s/model.yaml", fuzz_folder());
    snprintf(file, sizeof file, "mesh.%s", ending(data[0]));
    fuzz_file(file, data + 1, size - 1);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "bodies: {ground: {shape: {type: plane}}, a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0.5], "
                 "shape: {type: %s, file: %s}}}\ncontacts: {c: {between: [ground, a]}}\noverlaps: ignore\n"
                 "run: {until: 1 ms, step: 1 ms, method: nonsmooth}\n",
                 shapes[i], file);
        fuzz_steps(jn_description_parse(text, strlen(text), name, NULL, 0, &report), &report);
    }
    return 0;
}
