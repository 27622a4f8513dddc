/* Checkpoints: bytes of a good one are replaced and the hash at its end is made right again, so that the numbers inside are what is
 * checked. An input is the number of a model, or that of the run, then rows of an offset in words (two bytes), a value (eight bytes). Whatever is
 * accepted must be able to go on, with finite velocities. */
#include "base/file.h"
#include "base/hash.h"
#include "fuzz.h"
#include "step/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BALL(x, z)                                                                                                     \
    "{mass: 1, inertia: [0.1, 0.1, 0.1], com: [" x ", 0, " z "], shape: {type: sphere, radius: 0.1, at: [" x ", 0, " z \
    "]}}"
#define LAW "friction: 0.3, restitution: 0.2, stiffness: 1e5}"
#define BALLS(method)                                                                                                  \
    "bodies: {ground: {shape: {type: plane}}, a: " BALL("0", "0.1") ", b: " BALL(                                      \
        "0.02", "0.31") "}\n"                                                                                          \
                        "contacts: {floor: {between: [ground, a], " LAW ", pair: {between: [a, b], " LAW "}\n"         \
                        "run: {until: 1 s, step: 1 ms, method: " method "}\n"

static const char *const texts[] = {BALLS("nonsmooth"), BALLS("impact"), BALLS("compliant")};
enum { MODELS = sizeof texts / sizeof *texts, STEPS = 10 };

static struct {
    jn_model *model;
    unsigned char *bytes; /* a checkpoint of it after some steps */
    size_t size;
} kept[MODELS];

static void prepare(int k) {
    static jn_report report;
    jn_description *d = jn_description_parse(texts[k], strlen(texts[k]), "balls.yaml", NULL, 0, &report);
    kept[k].model = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = kept[k].model ? jn_sim_create(kept[k].model, &report) : NULL;
    if (!sim) fuzz_fail(report.item[0].text);
    jn_sim_advance(sim, 0.1);
    kept[k].bytes = jn_sim_pack(sim, &kept[k].size);
    jn_sim_free(sim);
    jn_description_free(d);
}

/* The words of a copy that the input names are replaced, then the hash at its end is made right. free it. */
static unsigned char *replace(const unsigned char *whole, size_t whole_size, const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(whole_size);
    if (!bytes) fuzz_fail("out of memory");
    memcpy(bytes, whole, whole_size);
    for (size_t at = 0; at + 10 <= size; at += 10) {
        size_t word = (size_t)(data[at] | data[at + 1] << 8) % (whole_size / 8 - 1);
        memcpy(bytes + 8 * word, data + at + 2, 8);
    }
    uint64_t hash = jn_hash_bytes(JN_HASH_START, bytes, whole_size - 8);
    memcpy(bytes + whole_size - 8, &hash, 8);
    return bytes;
}

static void simulation(int k, const uint8_t *data, size_t size) {
    static jn_report report;
    if (!kept[k].bytes) prepare(k);
    unsigned char *bytes = replace(kept[k].bytes, kept[k].size, data, size);
    jn_sim *sim = jn_sim_create(kept[k].model, &report);
    if (!sim) fuzz_fail("no simulation");
    jn_report_clear(&report);
    int status = jn_sim_unpack(sim, bytes, kept[k].size, "checkpoint.bin", &report);
    if (status < 0 && report.errors == 0) fuzz_fail("refused, and no message");
    for (int i = 0; i < STEPS && status >= 0; i++) status = jn_sim_step(sim, kept[k].model->run.until);
    for (int i = 0; i < kept[k].model->nv && status >= 0; i++)
        if (!isfinite(jn_sim_state(sim)->u[i])) fuzz_fail("a velocity is not finite");
    jn_sim_free(sim);
    free(bytes);
}

/* ------------------------------------------------------------------------------------------------ checkpoints of a run */

static bool stop_after(void *context, double time, double fraction) {
    (void)context, (void)fraction;
    return time < 0.05;
}

static void run(const uint8_t *data, size_t size) {
    static jn_report report;
    static unsigned char *whole, *motion;
    static size_t whole_size, motion_size;
    static char folder[128], path[160];
    int reason;
    if (!kept[0].bytes) prepare(0);
    if (!whole) {
        snprintf(folder, sizeof folder, "%s/run", fuzz_folder());
        jn_result_free(
            jn_run_with(kept[0].model, &(jn_run_options){.folder = folder, .progress = stop_after}, &report));
        snprintf(path, sizeof path, "%s/checkpoint.bin", folder);
        whole = jn_file_read(path, &whole_size, &reason);
        snprintf(path, sizeof path, "%s/motion.bin", folder);
        motion = jn_file_read(path, &motion_size, &reason);
        if (!whole || !motion) fuzz_fail("the run left no checkpoint");
    }
    unsigned char *bytes = replace(whole, whole_size, data, size);
    fuzz_file("run/checkpoint.bin", bytes, whole_size);
    fuzz_file("run/motion.bin", motion, motion_size);
    free(bytes);
    jn_report_clear(&report);
    const jn_run_options options = {.folder = folder, .progress = stop_after, .resume = true};
    jn_result *result = jn_run_with(kept[0].model, &options, &report);
    if (!result && report.errors == 0) fuzz_fail("refused, and no message");
    jn_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    int k = data[0] % (MODELS + 1);
    if (k < MODELS)
        simulation(k, data + 1, size - 1);
    else
        run(data + 1, size - 1);
    return 0;
}
