/* Random scenes with their bodies written in the opposite order: the same motion but for round-off, until small causes have grown. Where they have, a
 * change of the inputs by round-off parts the motions as well. Nonsmooth steps in joint coordinates are those of the tree, and the body written first is the one
 * of a floating mechanism that its joints start from: another tree has another error of the steps. In absolute coordinates no body is before another. */
#include "algebra/vec3.h"
#include "random_scenes.h"
#include "scenes.h"
#include "text_model.h"
#include <ctype.h>
#include <stdlib.h>

enum { SCENES = 60, MOST_LINES = 16, MOST_STEPS = 4000, SHAKES = 3, MOST_TEXT = 16000 };

/* The lines of the bodies b0, b1, ... the other way round. */
static void reverse_bodies(const char *text, char *out) {
    const char *first = strstr(text, "\n  b0: ") + 1, *line[MOST_LINES + 1], *end = first;
    int count = 0;
    while (!strncmp(end, "  b", 3) && count < MOST_LINES) line[count++] = end, end = strchr(end, '\n') + 1;
    line[count] = end;
    char *to = out + (first - text);
    memcpy(out, text, (size_t)(first - text));
    for (int i = count - 1; i >= 0; i--) {
        size_t length = (size_t)(line[i + 1] - line[i]);
        memcpy(to, line[i], length), to += length;
    }
    strcpy(to, end);
}

/* All numbers in the lines of the bodies changed by 1e-14 of themselves at most. */
static void shake_bodies(const char *text, uint64_t seed, char *out) {
    const char *from = strstr(text, "\n  b0: ") + 1;
    char *to = out + (from - text);
    memcpy(out, text, (size_t)(from - text));
    while (!strncmp(from, "  b", 3))
        for (bool line = true; line;) {
            const char *digit = *from == '-' ? from + 1 : from;
            if ((from[-1] == '[' || from[-1] == ' ') && isdigit((unsigned char)*digit)) {
                char *end;
                double value = strtod(from, &end);
                to += sprintf(to, "%.17g", value * (1 + 1e-14 * scene_random(&seed))), from = end;
            } else {
                line = *from != '\n', *to++ = *from++;
            }
        }
    strcpy(to, from);
}

static void use_absolute_coordinates(char *text) {
    static const char line[] = "coordinates: absolute\n";
    char *at = strstr(text, "bodies:");
    if (strstr(text, line)) return;
    memmove(at + strlen(line), at, strlen(at) + 1), memcpy(at, line, strlen(line));
}

/* Places of the bodies by number at the time t, or how many bodies there are: 0 if the run does not come so far. */
static int run(const char *text, double t, jn_vec3 *place) {
    jn_report report = {0};
    jn_model *m = text_model(text, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    int status = sim ? JN_OK : JN_ERR_MODEL, count = 0;
    for (int k = 0; k < MOST_STEPS && status >= 0 && jn_sim_state(sim)->t < t; k++) status = jn_sim_step(sim, t);
    if (status >= 0 && !(jn_sim_state(sim)->t < t))
        for (int b = 1; b < jn_model_bodies(m); b++, count++) {
            jn_body_motion motion;
            jn_body_motion_get(m, jn_sim_work(sim), b, &motion);
            place[atoi(jn_model_body_name(m, b) + 1)] = motion.position;
        }
    jn_sim_free(sim), jn_model_free(m);
    return count;
}

/* [m] how far two runs end apart; NAN where one of them does not come so far. */
static double apart(const char *text, const char *other, double t) {
    jn_vec3 a[MOST_LINES], b[MOST_LINES];
    int n = run(text, t, a), m = run(other, t, b);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, v3_norm(v3_sub(a[i], b[i])));
    return n && m ? most : NAN;
}

/* Whether inputs shaken by round-off part the runs, too. */
static bool is_sensitive(const char *text, double t) {
    static char other[MOST_TEXT];
    bool parts = false;
    for (uint64_t k = 1; k <= SHAKES && !parts; k++) {
        shake_bodies(text, k, other);
        parts = apart(text, other, t) >= 1e-6;
    }
    return parts;
}

typedef struct tally {
    int compared, differ, steady; /* differ: by the order of bodies; steady: those among them that no shake parts */
} tally;

static tally count(const char *method, bool absolute) {
    tally n = {0};
    for (unsigned seed = 2000; seed < 2000 + SCENES; seed++) {
        static char text[MOST_TEXT], other[MOST_TEXT];
        double t = 0.3 * random_scene_write(text, sizeof text, seed, method);
        if (absolute) use_absolute_coordinates(text);
        reverse_bodies(text, other);
        double off = apart(text, other, t);
        n.compared += isfinite(off);
        if (!(off >= 1e-6)) continue;
        bool sensitive = is_sensitive(text, t);
        n.differ++, n.steady += !sensitive;
        print_message("%s, seed %u: %.2g m apart at %.3g s%s\n", method, seed, off, t, sensitive ? ", by a shake, too" : "");
    }
    print_message("%s%s: %d scenes compared, %d differ, %d of them by no shake\n", method, absolute ? ", absolute coordinates" : "", n.compared,
                  n.differ, n.steady);
    assert_true(n.compared > SCENES / 2);
    return n;
}

static void the_order_of_bodies_does_not_matter(void **state) {
    (void)state;
    tally compliant = count("compliant", false), impact = count("impact", false), nonsmooth = count("nonsmooth", true);
    assert_true(10 * compliant.differ <= compliant.compared);
    assert_true(10 * impact.differ <= impact.compared);
    assert_true(20 * nonsmooth.differ <= nonsmooth.compared);
    assert_true(50 * nonsmooth.steady <= nonsmooth.compared);
}

static void nonsmooth_steps_in_joint_coordinates_are_those_of_the_tree(void **state) {
    (void)state;
    tally n = count("nonsmooth", false);
    assert_true(7 * n.differ <= n.compared);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_order_of_bodies_does_not_matter),
                                       cmocka_unit_test(nonsmooth_steps_in_joint_coordinates_are_those_of_the_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
