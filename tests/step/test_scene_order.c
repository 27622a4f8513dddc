/* Random scenes with their bodies written in the opposite order: the same motion but for round-off, until small causes have grown. Methods compliant and impact keep it in nine
 * scenes of ten at least. Nonsmooth steps do so in two of three only, whatever the residual of their
 * problems; why is not known. */
#include "random_scenes.h"
#include "text_model.h"
#include <stdlib.h>

enum { SCENES = 60, MOST_LINES = 16, MOST_STEPS = 4000 };

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

static void the_order_of_bodies_does_not_matter(void **state) {
    static const char *const methods[] = {"compliant", "nonsmooth", "impact"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        int compared = 0, differ = 0;
        for (unsigned seed = 2000; seed < 2000 + SCENES; seed++) {
            static char text[16000], other[16000];
            jn_vec3 a[MOST_LINES], b[MOST_LINES];
            double t = 0.3 * random_scene_write(text, sizeof text, seed, methods[k]), off = 0;
            reverse_bodies(text, other);
            int n = run(text, t, a), m = run(other, t, b);
            if (n == 0 || m == 0) continue;
            for (int i = 0; i < n; i++) off = fmax(off, fmax(fabs(a[i].x - b[i].x), fmax(fabs(a[i].y - b[i].y), fabs(a[i].z - b[i].z))));
            compared++, differ += !(off < 1e-6);
            if (!(off < 1e-6)) print_message("%s, seed %u: %.2g m apart at %.3g s\n", methods[k], seed, off, t);
        }
        print_message("%s: %d scenes compared, %d differ\n", methods[k], compared, differ);
        assert_true(compared > SCENES / 2);
        assert_true((k == 1 ? 3 : 10) * differ <= compared);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_order_of_bodies_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
