/* jounce laws: every law is listed and can be drawn. */
#include "check.h"
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/jounce_laws_XXXXXX";
static char out[100000];

static int jounce(const char *arguments) {
    char line[512];
    snprintf(line, sizeof line, "'%s' laws %s >out.txt 2>&1", JN_CLI, arguments);
    int status = system(line);
    FILE *f = fopen("out.txt", "r");
    assert_non_null(f);
    out[fread(out, 1, sizeof out - 1, f)] = 0;
    fclose(f);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void has(const char *part) {
    if (!strstr(out, part)) fail_msg("no '%s' in:\n%s", part, out);
}

static void every_law_is_listed_and_drawn(void **state) {
    (void)state;
    char line[200];
    for (int i = 0; jn_normal_get_info((jn_normal_kind)i); i++) {
        const char *name = jn_normal_get_info((jn_normal_kind)i)->name;
        assert_int_equal(jounce("normal"), 0);
        has(name);
        snprintf(line, sizeof line, "normal.%s --curve", name);
        assert_int_equal(jounce(line), 0);
        has("largest penetration");
    }
    for (int i = 0; jn_friction_get_info((jn_friction_kind)i); i++) {
        const char *name = jn_friction_get_info((jn_friction_kind)i)->name;
        assert_int_equal(jounce("friction"), 0);
        has(name);
        snprintf(line, sizeof line, "friction.%s --curve --svg curve.svg", name);
        assert_int_equal(jounce(line), 0);
        has("written: curve.svg");
        assert_int_equal(access("curve.svg", R_OK), 0);
    }
}

static void a_law_tells_its_restitution(void **state) {
    (void)state;
    assert_int_equal(jounce("hunt_crossley"), 0);
    has("eq. 42");
    has("0.6630");
    assert_int_equal(jounce("hunt_crossley --curve --set restitution=0.5 --set speed='100 mm/s'"), 0);
    has("0.662962 (put in: 0.5");
    assert_int_equal(jounce("hunt_crossley --curve --set restitution=0.5 --set exact=1"), 0);
    has("restitution out        0.5\n");
    has("stiffness 1e+08 N/m^1.5");
    assert_int_equal(jounce("anagnostopoulos"), 0);
    has("0.5503"); /* exp[-2 xi acos(xi)/sqrt(1 - xi^2)] with xi of a half wave and 0.5 */
    has("law: anagnostopoulos, stiffness: 1e6, restitution: 0.7, mass: 0.5");
    assert_int_equal(jounce("lugre"), 0);
    has("friction: {law: lugre, dynamic: 0.3, static: 0.4}");
    assert_int_equal(jounce("lugre --curve"), 0);
    has("with dynamic 0.3, static 0.375");
    assert_int_equal(jounce("contacts"), 0);
    has("joined");
}

static void mistakes_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *text, *hint;
    } cases[] = {{"hunt_crosley", "no section or law", "write 'hunt_crossley'"},
                 {"gonthier --curve", "two laws", "friction.gonthier"},
                 {"flores --curve --set restitutoin=1", "no parameter", "write 'restitution'"},
                 {"flores --curve --set restitution=0", "restitution of flores is 0", "above 0"},
                 {"flores --curve --set speed='3 kg'", "no value for speed", "m/s"},
                 {"flores --svg a.svg", "nothing to draw", "--curve"},
                 {"--curve", "name of one law", "hunt_crossley"},
                 {"resistance --curve", "'resistance' is a section", "name one law"},
                 {"flores --curve --svg /nowhere/a.svg", "cannot write", "another place"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(jounce(cases[i].arguments), 2);
        has(cases[i].text);
        has(cases[i].hint);
    }
}

static int enter(void **state) {
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    remove("out.txt");
    remove("curve.svg");
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_is_listed_and_drawn),
                                       cmocka_unit_test(a_law_tells_its_restitution),
                                       cmocka_unit_test(mistakes_are_explained)};
    return cmocka_run_group_tests(tests, enter, leave);
}
