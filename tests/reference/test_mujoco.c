/* Every MJCF file of ../shared/reference/robots against MuJoCo itself: mass matrix, bias, poses and Jacobians at random states. */
#include "mujoco_missing.h"
#include "reference_model.h"

#ifdef TEST_MUJOCO
#include "mujoco_pair.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 100 };

/* The file without meshes and textures, which are not there: they are only seen; into a file of its own. */
static void without_meshes(const char *path, char *copy) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1 << 20, 1);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    static const char *const starts[] = {"<geom type=\"mesh\"", "<mesh ", "<texture ", "<material "};
    for (char *p = text; *p; p++)
        for (int k = 0; k < 4; k++)
            while (!strncmp(p, starts[k], strlen(starts[k]))) {
                char *end = strchr(p, '>');
                memmove(p, end + 1, n - (size_t)(end + 1 - text) + 1);
                n = strlen(text);
            }
    for (char *p; (p = strstr(text, " material=\""));) { /* and what names them */
        char *end = strchr(p + 11, '"');
        memmove(p, end + 1, strlen(end + 1) + 1);
    }
    int to = mkstemps(copy, 4);
    assert_true(to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text));
    close(to);
    free(text);
}

static void compare_file(const char *path, const char *name) {
    static double (*const compare[])(pair *) = {pair_mass, pair_bias, pair_poses, pair_tendons, pair_jacobians};
    pair x = {0};
    unsigned seed = 1;
    double worst[5] = {0};
    char copy[] = "/tmp/jounce_mujoco_XXXXXX.xml";
    without_meshes(path, copy);
    bool both = pair_open(&x, copy, NULL, 0);
    unlink(copy);
    if (!x.m) {
        printf("%s: skipped, %s\n", name, x.why);
        return;
    }
    if (!both) fail_msg("%s: %s", name, x.why);
    assert_below(pair_inertias(&x), 1e-6); /* principal axes of a full tensor */
    pair_take_inertias(&x);
    for (int n = 0; n < STATES; n++) {
        pair_draw(&x, &seed);
        for (int k = 0; k < (n < 10 ? 5 : 4); k++) worst[k] = fmax(worst[k], compare[k](&x));
    }
    printf("%-24s MuJoCo %d, %d states: mass matrix %.1e, bias %.1e, poses %.1e, tendons %.1e, Jacobians %.1e\n", name,
           mj_version(), STATES, worst[0], worst[1], worst[2], worst[3], worst[4]);
    for (int k = 0; k < 5; k++) assert_below(worst[k], 1e-10);
    pair_close(&x);
}

static void test_robots(void **state) {
    (void)state;
    if (!reference_present()) return;
    char folder[512];
    snprintf(folder, sizeof folder, "%s", reference_path("robots"));
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort), compared = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (dot && !strcmp(dot, ".xml")) compare_file(path, name), compared++;
        free(entries[i]);
    }
    free(entries);
    assert_true(compared > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_robots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
