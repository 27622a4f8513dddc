/* What real files hold beside the standards, and other programs let pass: what becomes of it, and what is reported. */
#include "import_text.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK(name)                                                                                                     \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"
#define JOINT(name, type, parent, child, inside)                                                                       \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" inside "</joint>\n"

/* A base without mass stands on the ground, also with massless links fixed to it; one with a heavy link fixed to it is free. */
static void test_massless_base(void **state) {
    (void)state;
    jn_description *d = read_text("<robot><link name='base'/><link name='plate'/>" LINK("arm") JOINT(
        "weld", "fixed", "base", "plate", "") JOINT("hip", "continuous", "plate", "arm", "") "</robot>");
    assert_int_equal(joint(d, "base_free")->type, JN_JOINT_FIXED);
    told("bases without mass: base");
    jn_description_free(d);
    d = read_text("<robot><link name='base'/>" LINK("trunk") JOINT("weld", "fixed", "base", "trunk", "") "</robot>");
    assert_int_equal(joint(d, "base_free")->type, JN_JOINT_FREE);
    jn_description_free(d);
}

static void test_joints(void **state) {
    (void)state;
    jn_description *d =
        read_text("<robot>" LINK("a") LINK("b") LINK("c") LINK("d") LINK("e")
                      JOINT("weld", "fixed", "a", "b", "<dynamics damping='1' friction='2'/><mimic joint='lid'/>")
                          JOINT("hip", "revolute", "b", "c", "<limit lower='1' upper='-1'/>")
                              JOINT("lid", "continuous", "c", "d", "<mimic joint='weld' offset='0.3'/>")
                                  JOINT("eye", "continuous", "d", "e", "") "</robot>");
    assert_int_equal(report.errors, 0);
    told("<dynamics> of fixed joints: weld");
    told("<mimic> of fixed joints: weld of lid");
    told("limits are reversed");
    assert_false(joint(d, "hip")->coordinate[0].has_lower || joint(d, "hip")->coordinate[0].has_upper);
    assert_int_equal(d->coupler_count, 1); /* holds the lid where it is */
    assert_int_equal(d->couplers[0].count, 1);
    assert_near(joint(d, "lid")->coordinate[0].position, 0.3, 0);
    jn_description_free(d);
    static const char *lenient[][2] = {{"import.lenient", "true"}};
    static const char orphan[] =
        "<robot>" LINK("a") LINK("b") JOINT("hip", "continuous", "a", "b", "<mimic joint='none'/>") "</robot>";
    assert_null(parse(orphan, "robot.urdf", NULL, 0));
    told("<mimic> of joints that are not there: hip of none");
    d = parse(orphan, "robot.urdf", lenient, 1);
    assert_non_null(d);
    jn_description_free(d);
}

/* Flags of MJCF switch off parts of the physics. */
static void test_flags(void **state) {
#define FLAGGED(flag)                                                                                                  \
    "<mujoco><option><flag " flag "/></option><worldbody><geom type='plane' size='1 1 1'/><body name='a'>" BALL        \
    "<joint name='hip' range='-30 30' stiffness='2' damping='3' frictionloss='4'/></body></worldbody>"                 \
    "<actuator><motor joint='hip'/></actuator><equality><joint joint1='hip'/></equality></mujoco>"
    (void)state;
    jn_description *d = read_text(FLAGGED("constraint='disable'"));
    const jn_coordinate_desc *law = &joint(d, "hip")->coordinate[0];
    assert_false(law->has_lower);
    assert_near(law->friction + d->coupler_count + d->shape_count, 0, 0);
    assert_near(law->stiffness + law->damping, 5, 0);
    jn_description_free(d);
    d = read_text(FLAGGED("spring='disable' damper='disable' actuation='disable'"));
    law = &joint(d, "hip")->coordinate[0];
    assert_near(law->stiffness + law->damping + law->force.length, 0, 0);
    assert_near(law->friction, 4, 0);
    jn_description_free(d);
    d = read_text(FLAGGED("equality='disable' limit='disable' frictionloss='disable'"));
    law = &joint(d, "hip")->coordinate[0];
    assert_near(law->friction + d->coupler_count + law->has_lower, 0, 0);
    assert_int_equal(d->shape_count, 2);
    jn_description_free(d);
}

/* Keyframes: a quaternion of zeros, coordinates outside their range, and feet below the floor. */
static void test_keyframes(void **state) {
    static const char *key[][2] = {{"import.keyframe", "low"}};
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.3'/><body name='a' pos='0 0 2'><freejoint/>"
        "<geom size='0.1' friction='0.9'/><body name='b' pos='0 0 -0.5'><joint name='hip' axis='0 0 1' range='-30 30'/>"
        "<geom size='0.1' friction='0.9'/></body></body></worldbody>"
        "<keyframe><key name='low' qpos='1 2 0.35 0 0 0 0 1'/></keyframe></mujoco>";
    (void)state;
    jn_description *d = parse(text, "robot.xml", key, 1);
    check_report(&report);
    told("quaternions of length zero in a keyframe");
    told("coordinates of a keyframe outside the range of their joints: hip by 0.476");
    assert_near(joint(d, "hip")->coordinate[0].position, 3.14159265358979323846 / 6, 1e-14);
    told("robots that are drawn in the floor: a by 0.25 m");
    assert_vector(body(d, "a")->at, 1, 2, 0.6); /* the lower ball touches the floor */
    jn_description_free(d);
}

/* Files that included files include lie beside them, or beside the outermost. */
static void test_nested_includes(void **state) {
    char folder[] = "/tmp/jounce_include_XXXXXX", path[4][64];
    static const char *const
        names[] = {"robot.xml", "parts/arm.xml", "parts/hand.xml", "ball.xml"},
        *const texts[] = {"<mujoco><include file='parts/arm.xml'/></mujoco>",
                          "<mujoco><include file='hand.xml'/></mujoco>",
                          "<mujoco><worldbody><body name='a'><include file='ball.xml'/></body></worldbody></mujoco>",
                          "<mujoco>" BALL "<freejoint/></mujoco>"};
    (void)state;
    assert_non_null(mkdtemp(folder));
    char parts[64];
    snprintf(parts, sizeof parts, "%s/parts", folder);
    assert_int_equal(mkdir(parts, 0700), 0);
    for (int i = 0; i < 4; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
        FILE *f = fopen(path[i], "w");
        assert_non_null(f);
        fputs(texts[i], f);
        fclose(f);
    }
    jn_description *d = jn_description_read(path[0], NULL, 0, &report);
    check_report(&report);
    assert_int_equal(body(d, "a")->mass > 0, 1);
    jn_description_free(d);
    for (int i = 0; i < 4; i++) unlink(path[i]);
    rmdir(parts), rmdir(folder);
}

/* Two points of the same bodies make a hinge: the second one holds across the line to the first. */
static void test_double_connections(void **state) {
    (void)state;
    jn_description *d =
        read_text("<mujoco><worldbody><body name='a'>" BALL "<freejoint/></body><body name='b' pos='1 0 0'>" BALL
                  "<freejoint/></body></worldbody><equality><connect name='first' body1='a' body2='b' anchor='.5 0 0'/>"
                  "<connect name='second' body1='a' body2='b' anchor='.5 .2 0'/></equality></mujoco>");
    assert_int_equal(joint(d, "first")->type, JN_JOINT_SPHERICAL);
    assert_int_equal(joint(d, "second")->type, JN_JOINT_POINT_ON_LINE);
    told("second connections of the same two bodies: second");
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_massless_base),   cmocka_unit_test(test_joints),
        cmocka_unit_test(test_flags),           cmocka_unit_test(test_keyframes),
        cmocka_unit_test(test_nested_includes), cmocka_unit_test(test_double_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
