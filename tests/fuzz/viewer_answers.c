/* A result folder for the targets of the viewer's server. */
#include "viewer_answers.h"
#include "server/assets.h"
#include <stdio.h>
#include <string.h>

static const char model[] =
    "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, ball: {mass: 1, inertia: 0.1, com: [0, 0.2], "
    "shape: {type: circle, radius: 0.1, at: [0, 0.2]}}}\n"
    "contacts: {c: {between: [ground, ball], restitution: 0.5}}\n"
    "record: {channels: [body.ball.y, energy.*]}\n"
    "run: {until: 0.2 s, step: 1 ms, method: nonsmooth}\n";

const char *fuzz_results(void) {
    static char folder[128];
    static jn_report report;
    if (folder[0]) return folder;
    snprintf(folder, sizeof folder, "%s/run", fuzz_folder());
    jn_description *d = jn_description_parse(model, strlen(model), "ball.yaml", NULL, 0, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_result *result = m ? jn_run(m, folder, NULL, NULL, &report) : NULL;
    if (!result) fuzz_fail("the model of the results does not run");
    jn_result_free(result);
    jn_model_free(m);
    jn_description_free(d);
    return folder;
}

/* The page is no part of these targets. */
bool cli_asset_find(const char *path, cli_asset *asset) {
    (void)path, (void)asset;
    return false;
}
