/* jounce laws: every law is listed and can be drawn. */
#include "command.h"
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* jounce laws ARGUMENTS; exit status. */
static int laws(const char *arguments) {
    char line[512];
    snprintf(line, sizeof line, "laws %s", arguments);
    return jounce(line);
}

static void every_law_is_listed_and_drawn(void **state) {
    (void)state;
    char line[200];
    for (int i = 0; jn_normal_get_info(i); i++) {
        const char *name = jn_normal_get_info(i)->name;
        assert_int_equal(laws("normal"), 0);
        said(name);
        snprintf(line, sizeof line, "normal.%s --curve", name);
        assert_int_equal(laws(line), 0);
        said("largest penetration");
    }
    for (int i = 0; jn_friction_get_info(i); i++) {
        const char *name = jn_friction_get_info(i)->name;
        assert_int_equal(laws("friction"), 0);
        said(name);
        snprintf(line, sizeof line, "friction.%s --curve --svg curve.svg", name);
        assert_int_equal(laws(line), 0);
        said("written: curve.svg");
        assert_int_equal(access("curve.svg", R_OK), 0);
    }
}

static void every_impact_law_is_listed(void **state) {
    (void)state;
    assert_int_equal(laws("impact"), 0);
    said("staged (default)");
    said("impact_events");
    for (int i = 0; jn_impact_get_info((jn_impact_kind)i); i++) said(jn_impact_get_info((jn_impact_kind)i)->summary);
    assert_int_equal(laws("simultaneous"), 0);
    said("restitution from -1 to 1");
    assert_int_equal(laws("poisson_lcp"), 0);
    said("Pfeiffer1996");
}

static void a_law_tells_its_restitution(void **state) {
    (void)state;
    assert_int_equal(laws("hunt_crossley"), 0);
    said("eq. 42");
    said("0.6630");
    assert_int_equal(laws("hunt_crossley --curve --set restitution=0.5 --set speed='100 mm/s'"), 0);
    said("0.662962 (put in: 0.5");
    assert_int_equal(laws("hunt_crossley --curve --set restitution=0.5 --set exact=1"), 0);
    said("restitution out        0.5\n");
    said("stiffness 1e+08 N/m^1.5");
    assert_int_equal(laws("anagnostopoulos"), 0);
    said("0.5503"); /* exp[-2 xi acos(xi)/sqrt(1 - xi^2)] with xi of a half wave and 0.5 */
    said("law: anagnostopoulos, stiffness: 1e6, restitution: 0.7, mass: 0.5");
    assert_int_equal(laws("lugre"), 0);
    said("friction: {law: lugre, dynamic: 0.3, static: 0.4}");
    assert_int_equal(laws("lugre --curve"), 0);
    said("with dynamic 0.3, static 0.375");
    assert_int_equal(laws("contacts"), 0);
    said("joined");
}

static void mistakes_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *text, *hint;
    } cases[] = {{"hunt_crosley", "no section or law", "write 'hunt_crossley'"},
                 {"gonthier --curve", "two laws", "friction.gonthier"},
                 {"simultanous", "no section or law", "write 'simultaneous'"},
                 {"staged --curve", "has no curve", "hunt_crossley"},
                 {"flores --curve --set restitutoin=1", "no parameter", "write 'restitution'"},
                 {"flores --curve --set restitution=0", "restitution of flores is 0", "above 0"},
                 {"flores --curve --set speed='3 kg'", "no value for speed", "m/s"},
                 {"flores --svg a.svg", "nothing to draw", "--curve"},
                 {"--curve", "name of one law", "hunt_crossley"},
                 {"resistance --curve", "'resistance' is a section", "name one law"},
                 {"flores --curve --svg /nowhere/a.svg", "cannot write", "another place"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(laws(cases[i].arguments), 2);
        said(cases[i].text);
        said(cases[i].hint);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_listed_and_drawn), cmocka_unit_test(every_impact_law_is_listed),
        cmocka_unit_test(a_law_tells_its_restitution), cmocka_unit_test(mistakes_are_explained)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
