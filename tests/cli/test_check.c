/* jounce check: what it counts in a model, and the mistakes that it finds. */
#include "command.h"
#include <string.h>

static void test_model(void **state) {
    (void)state;
    save("door.yaml", command_door);
    assert_int_equal(jounce("check door.yaml"), 0);
    has(out, "by Gruebler          -4");
    has(out, "by rank               1");
    has(out, "redundant             5");
    has(out, "upper");
    has(out, "(line 6)");
    static const char ball[] =
        "bodies:\n  ground: {shape: {type: plane}}\n"
        "  ball: {mass: 1, inertia: [1, 1, 1], com: [0, 0, %s], shape: {type: sphere, radius: 0.1, at: [0, 0, %s]}}\n"
        "contacts: {floor: {between: [ground, ball], law: %s, stiffness: 1e8}}\n";
    char text[512];
    snprintf(text, sizeof text, ball, "0.05", "0.05", "hertz");
    save("overlap.yaml", text);
    assert_int_equal(jounce("check overlap.yaml"), 2);
    has(err, "overlap by 0.05 m at the start");
    snprintf(text, sizeof text, ball, "1", "1", "herz");
    save("law.yaml", text);
    assert_int_equal(jounce("check law.yaml"), 2);
    has(err, "write 'hertz'");
    snprintf(text, sizeof text, ball, "1", "1", "hertz");
    save("fine.yaml", text);
    assert_int_equal(jounce("check fine.yaml"), 0);
    has(out, "no mistakes found");
    assert_null(strstr(err, "moves by itself"));
}

/* Names of channels are looked at before a run has made them. */
static void test_channels(void **state) {
    static const char model[] = "bodies: {ball: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0]}}\n"
                                "run: {until: 1 s}\nrecord: {channels: [%s]}\nexpect:\n"
                                "  - {channel: audit.energy_residual_relative, below: 1}\n"
                                "  - {channel: %s, at: max, value: 0, within: 1}\n";
    char text[512];
    (void)state;
    snprintf(text, sizeof text, model, "'body.*'", "energy.totl");
    save("promise.yaml", text);
    assert_int_equal(jounce("check promise.yaml"), 2);
    has(err, "promise.yaml:6:5: error: no channel is called 'energy.totl'");
    has(err, "write 'energy.total'");
    assert_null(strstr(err, "audit"));
    snprintf(text, sizeof text, model, "'bodi.*'", "energy.total");
    save("record.yaml", text);
    assert_int_equal(jounce("check record.yaml"), 2);
    has(err, "no channel matches 'bodi.*'");
    snprintf(text, sizeof text, model, "'body.*'", "energy.total");
    save("known.yaml", text);
    assert_int_equal(jounce("check known.yaml"), 0);
    has(out, "1 body, 0 joints");
}

/* A joint with play is no constraint, and its long name keeps the columns. */
static void test_clearance(void **state) {
    (void)state;
    save("play.yaml",
         "plane: xy\nbodies: {block: {mass: 1, inertia: 1, com: [0, 0]}}\n"
         "joints: {guide: {type: translational_clearance, between: [ground, block], at: [0, 0], along: x,\n"
         "  length: 1, height: 1, clearance: 0.1, contact: steel}}\n"
         "contacts: {steel: {stiffness: 1e6}}\nrun: {until: 1 s}\n");
    assert_int_equal(jounce("check play.yaml"), 0);
    has(out, "  joint            type                     between                          as\n"
             "  guide            translational_clearance  ground - block                   contact\n");
}

/* A folder of robots: one that is fine, one that is refused with its reason, one in a folder below, and a file that is no robot. */
static void test_folder(void **state) {
    (void)state;
    save("ball.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
                     "<geom size='.1'/></body></worldbody></mujoco>");
    save("seen.urdf", "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
                      "</inertial></link></robot>");
    save("wrong.urdf", "<robot name='r'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>");
    save("absent.urdf",
         "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
         "</inertial><collision><geometry><mesh filename='a.stl'/></geometry></collision></link></robot>");
    save("scene.world", "<sdf version='1.6'><world name='w'><model name='m'><pose>0 0 1 0 0 0</pose><link name='a'><collision name='c'><geometry><sphere>"
                        "<radius>.1</radius></sphere></geometry></collision></link></model></world></sdf>");
    save("notes.xml", "<notes/>");
    assert_int_equal(jounce("check --all ."), 0);
    has(out, "| ball.xml | yes | ");
    has(out, "good: energy balanced");
    has(out, "nothing can touch the ground");
    has(out, "| scene.world | yes | ");
    has(out, "| wrong.urdf | no | 3 | link 'a' has a negative mass, -1 kg | | |");
    has(out,
        "5 files: 3 load, 3 of them end with a good audit; 1 refused, 1 more since files that they name are not there");
    assert_null(strstr(out, "notes.xml"));
    assert_int_equal(jounce("check --all . --limit 10s"), 0);
    assert_int_equal(jounce("check --all . --limit soon"), 2);
    assert_int_equal(jounce("check --all nowhere"), 2);
}

/* A ball of MJCF by method compliant: critically damped contact is a linear spring and damper, and the ball rests g (0.95 * 0.02 s)^2 deep. */
static void test_soft(void **state) {
    (void)state;
    save("soft.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 0.1'><freejoint/>"
                     "<geom size='.1'/></body></worldbody></mujoco>");
    save("soft.yaml", "include: soft.xml\nrun: {method: compliant, until: 1}\n"
                      "expect:\n  - {channel: body.b.z, time: 1, value: 0.09645859, within: 1e-9, source: closed form}\n");
    assert_int_equal(jounce("verify soft.yaml"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_channels),
                                       cmocka_unit_test(test_clearance), cmocka_unit_test(test_folder),
                                       cmocka_unit_test(test_soft)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
