/* URDF and MJCF that are wrong: what is reported about them, and that no text breaks the readers. */
#include "import_text.h"
#include "reference_model.h"

#include <dirent.h>
#include <stdlib.h>

#define LINK(name)                                                                                                     \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"

/* -------------------------------------------------------------------------------------------------------- complaints */

static const struct {
    const char *text, *message;
    int line;
} wrong[] = {
    {"<robot", "not well-formed XML", 1},
    {"<<<<<<< HEAD\n<robot/>\n=======\n<robot name='r'/>\n>>>>>>> other\n", "the file begins with the mark of a merge conflict", 1},
    {"<robot>\n<link name='a'>\n</robot>",
     "not well-formed XML: Opening and ending tag mismatch: link line 2 and robot", 3},
    {"<!DOCTYPE r [<!ENTITY x 'y'>]><robot>&x;</robot>", "document type", 1},
    {"<sdf/>", "the file has no <link> in a <model> that moves", 1},
    {"<usd/>", "begins with <robot> (URDF), <mujoco> (MJCF), <sdf> or #usda, not <usd>", 1},
    {"<robot name='r'/>", "has no <link>", 1},
    {"<robot>\n<link/>\n</robot>", "<link> has no 'name'", 2},
    {"<robot>" LINK("a") LINK("a") "</robot>", "a second link is called 'a'", 2},
    {"<robot>" LINK("a") "<joint name='j' type='hinge'><parent link='a'/><child link='a'/></joint></robot>",
     "joins link 'a' to itself", 2},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
     "there is no joint type 'hinge'", 3},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>",
     "there is no link 'c'", 3},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/></joint></robot>",
     "has no <child link", 3},
    {"<robot>" LINK("a") LINK("b") "</robot>", "link that no joint joins to the robot: b (line 2)", 2},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                                   "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     "hangs from itself", 1},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n<axis "
                                   "xyz='0 0 0'/></joint></robot>",
     "its axis has length zero", 4},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n<origin "
                                   "xyz='0 0 zero'/></joint></robot>",
     "'zero' is not a finite number", 4},
    {"<robot>" LINK("a") LINK("b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n<origin "
                                   "xyz='0 0'/></joint></robot>",
     "<origin xyz> needs 3 numbers, not 2", 4},
    {"<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>", "negative mass", 1},
    {"<robot><link name='a'>\n<inertial><mass value='1'/><inertia ixx='-1' iyy='1' izz='1'/></inertial></link></robot>",
     "negative principal moment", 2},
    {"<robot><link name='a'><collision>\n<geometry><box size='1 0 1'/></geometry></collision></link></robot>",
     "a size that is not above 0", 2},
    {"<robot><link name='a'><collision>\n<geometry><mesh "
     "filename='package://p/none.stl'/></geometry></collision></link></robot>",
     "collision mesh that cannot be read (its file is not there): a (line 2)", 2},
    {"<robot><link name='a'><collision>\n<geometry><mesh filename='a.fbx'/></geometry></collision></link></robot>",
     "only .stl, .obj, .dae and .msh files are read", 2},
    {"<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='a'/>" LINK("a") "</robot>",
     "'a' cannot be opened", 2},
    {"<robot><xacro:leg x='1'/>" LINK("a") "</robot>", "there is no macro 'leg'", 1},
    {"<robot>\n<link name='${n}'/></robot>", "nothing is called 'n'", 2},
    {"<mujoco/>", "has no <body>", 1},
    {WORLD("<body>" BALL "<joint type='screw'/></body>"), "there is no joint type 'screw'", 1},
    {WORLD("<body>" BALL "<joint axis='0 0 0'/></body>"), "its axis has length zero", 1},
    {WORLD("<body>\n<geom size='0.1' class='x'/></body>"), "there is no class 'x' of defaults", 2},
    {WORLD("<body>\n<geom type='box' size='1 1'/></body>"), "<geom size> needs 3 numbers above 0", 2},
    {WORLD("<body>\n<geom type='cube' size='1'/></body>"), "there is no geom type 'cube'", 2},
    {WORLD("<body name='a'>" BALL "</body>\n<body name='a'>" BALL "</body>"), "a second body is called 'a'", 2},
    {WORLD("<body><freejoint/><inertial pos='0 0 0' mass='1'/></body>"), "free body whose smallest principal moment is zero", 1},
    {WORLD("<body>" BALL "\n<joint frobnicate='3'/></body>"),
     "attributes of <joint> that are not understood: frobnicate '3'", 2},
    {WORLD("<body>" BALL "\n<composite/></body>"), "flexible bodies (flexcomp, flex, composite), where Jounce has rigid ones only: composite", 2},
    {"<mujoco><worldbody><body name='a'>" BALL
     "<freejoint/></body></worldbody>\n<tendon>\n<spatial name='s' stiffness='5'/></tendon></mujoco>",
     "a spatial tendon goes through two sites at least", 3},
    {"<mujoco><worldbody><body>" BALL
     "<joint name='hip'/></body></worldbody><tendon>\n<fixed name='t'/></tendon></mujoco>",
     "this tendon has no joints", 2},
    {"<mujoco><worldbody><body>" BALL "<joint name='hip'/></body></worldbody><tendon><fixed name='t'>\n<joint "
     "joint='hib' coef='1'/></fixed></tendon></mujoco>",
     "there is no joint 'hib'", 2},
    {"<mujoco><worldbody><body>" BALL "<joint name='hip'/></body></worldbody><tendon><fixed name='t'>\n<joint "
     "joint='hip' coef='1'/></fixed></tendon><actuator>\n<motor tendon='u'/></actuator></mujoco>",
     "there is no tendon 'u'", 3},
    {"<mujoco><worldbody><body name='arm'>" BALL
     "<freejoint/></body></worldbody><equality>\n<connect body1='leg' anchor='0 0 0'/></equality></mujoco>",
     "there is no body 'leg'", 2},
    {"<mujoco><worldbody><body>" BALL
     "<joint name='hip'/></body></worldbody><actuator>\n<motor joint='hib'/></actuator></mujoco>",
     "there is no joint 'hib'", 2},
    {"<mujoco><include file='nowhere.xml'/></mujoco>", "'nowhere.xml' cannot be opened", 1},
    {"<mujoco><compiler eulerseq='abc'/></mujoco>", "three letters of xyzXYZ", 1},
};

static void test_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        jn_description *d = parse(wrong[i].text, "robot.xml", NULL, 0);
        if (d) print_error("taken without error: %s\n", wrong[i].text);
        assert_null(d);
        assert_true(report.errors > 0);
        assert_int_equal(told(wrong[i].message)->line, wrong[i].line);
    }
}

/* Of what is an error, the user may make a warning; inertias are mended if asked for. */
static void test_lenient(void **state) {
    static const char *lenient[][2] = {{"import.lenient", "true"}}, *repair[][2] = {{"import.repair", "true"}};
    static const char mesh[] =
        "<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial><collision>"
        "<geometry><mesh filename='none.stl'/></geometry></collision></link></robot>";
    (void)state;
    jn_description *d = parse(mesh, "robot.urdf", lenient, 1);
    assert_non_null(d);
    assert_int_equal(report.errors, 0);
    assert_non_null(strstr(told("cannot be read")->hint, "put it at 'none.stl', seen from this file"));
    told("inertia that no body has");
    assert_near(body(d, "a")->inertia.zz, 3, 0);
    assert_int_equal(d->shapes[0].type, JN_SHAPE_SPHERE);
    jn_description_free(d);
    static const char heavy[] =
        "<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial></link></robot>";
    d = parse(heavy, "robot.urdf", repair, 1);
    assert_non_null(d);
    told("inertias mended: a (line 1)");
    assert_near(body(d, "a")->inertia.zz, 2, 1e-12);
    jn_description_free(d);
    static const char rod[] =
        "<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='0'/></inertial></link></robot>";
    assert_null(parse(rod, "robot.urdf", NULL, 0));
    assert_non_null(strstr(told("free body whose smallest principal moment is zero")->hint, "--repair"));
    d = parse(rod, "robot.urdf", repair, 1);
    assert_non_null(d);
    assert_near(body(d, "a")->inertia.zz, 1e-3, 1e-15);
    jn_description_free(d);
    static const char point[] = "<robot><link name='a'><inertial><mass value='1000'/></inertial></link></robot>";
    d = parse(point, "robot.urdf", repair, 1); /* a cubic metre of water */
    assert_non_null(d);
    assert_near(body(d, "a")->inertia.zz, 400 * pow(3 / (4 * 3.14159265358979323846), 2.0 / 3), 1e-9);
    jn_description_free(d);
    static const char round_off[] = "<robot><link name='a'><inertial><mass value='1000'/>"
                                    "<inertia ixx='0' iyy='0' izz='0' ixz='2e-20'/></inertial></link></robot>";
    assert_null(parse(round_off, "robot.urdf", NULL, 0));
    told("inertia with a negative principal moment");
    d = parse(round_off, "robot.urdf", repair, 1); /* the same: nothing has moments of 1e-20 */
    assert_non_null(d);
    const jn_sym3 mended = body(d, "a")->inertia;
    double ball = 400 * pow(3 / (4 * 3.14159265358979323846), 2.0 / 3);
    assert_near(mended.xx, ball, 1e-9);
    assert_near(mended.yy, ball, 1e-9);
    assert_near(mended.zz, ball, 1e-9);
    jn_description_free(d);
}

/* Scales as hands write them, several missing meshes on a link, and an inertia that its mass cannot have within its shape. */
static void test_sloppy(void **state) {
    static const char *lenient[][2] = {{"import.lenient", "true"}};
    static const char text[] =
        "<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
        "<collision><geometry><mesh filename='none.stl' scale='1 1 1 1'/></geometry></collision>\n"
        "<collision><geometry><mesh filename='other.stl' scale='0.001'/></geometry></collision></link>\n"
        "<link name='b'><inertial><mass value='0.1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>\n"
        "<collision><geometry><box size='0.2 0.2 0.1'/></geometry></collision></link>\n"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
    (void)state;
    jn_description *d = parse(text, "robot.urdf", lenient, 1);
    check_report(&report);
    assert_int_equal(told("mesh whose scale has not three numbers: a")->line, 2);
    assert_int_equal(told("inertia above ten times what its mass can have within its shapes: b (line 4)")->line, 4);
    assert_int_equal(d->shape_count, 2); /* one ball for both meshes, and the box */
    jn_description_free(d);
}

/* A body that a program moves in MuJoCo stands where it is drawn, and holds there what is welded to it. */
static void test_mocap(void **state) {
    static const char text[] = "<mujoco><worldbody><body name='a'>" BALL
                               "<freejoint/></body><body name='m' mocap='true'/></worldbody><equality>\n"
                               "<weld body1='a' body2='m'/></equality></mujoco>";
    (void)state;
    jn_description *d = parse(text, "robot.xml", NULL, 0);
    assert_non_null(d);
    assert_int_equal(report.errors, 0);
    assert_int_equal(told("equalities with mocap bodies")->line, 2);
    assert_int_equal(d->joints[d->joint_count - 1].type, JN_JOINT_FIXED); /* the weld: behind those of both bodies */
    jn_description_free(d);
}

/* -------------------------------------------------------------------------------------------------------------- fuzz */

static char *load(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1 << 17, 1);
    assert_non_null(file);
    size_t n = fread(text, 1, (1 << 17) - 1, file);
    text[n] = 0;
    fclose(file);
    return text;
}

/* Cut, doubled, exchanged and broken in random places: either a description or a message. */
static void garble(const char *original, unsigned *seed, char *text) {
    size_t n = strlen(original), at = (size_t)rand_r(seed) % n, length = (size_t)rand_r(seed) % 60 + 1;
    strcpy(text, original);
    if (at + length > n) length = n - at;
    switch (rand_r(seed) % 5) {
    case 0: memmove(text + at, text + at + length, n - at - length + 1); break;
    case 1: text[at] = (char)(rand_r(seed) % 255 + 1); break;
    case 2: text[at] = 0; break;
    case 3: /* a number becomes another */
        while (at < n && !strchr("0123456789", text[at])) at++;
        if (at < n) text[at] = "-e.9n"[rand_r(seed) % 5];
        break;
    default: /* a name becomes another */
        while (at < n && text[at] != '"') at++;
        if (at + 2 < n) text[at + 1] = 'x';
    }
}

static void test_fuzz(void **state) {
    static const char *lenient[][2] = {{"import.lenient", "true"}, {"import.floor", "true"}};
    (void)state;
    if (!reference_present()) return;
    unsigned seed = 7;
    int taken = 0, refused = 0;
    char folder[512], *text = malloc(1 << 17);
    snprintf(folder, sizeof folder, "%s", reference_path("robots"));
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        char path[1024];
        if (!dot || (strcmp(dot, ".xml") && strcmp(dot, ".urdf"))) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *original = load(path);
        for (int n = 0; n < 60; n++) {
            garble(original, &seed, text);
            jn_description *d = parse(text, path, lenient, 2);
            assert_true(d ? report.errors == 0 : report.errors > 0);
            jn_model *m = d ? jn_model_compile(d, &report) : NULL;
            assert_true(m || report.errors > 0);
            taken += m != NULL, refused += m == NULL;
            jn_model_free(m);
            jn_description_free(d);
        }
        free(original);
    }
    closedir(dir);
    free(text);
    printf("%d garbled files read, %d refused with a message\n", taken, refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong), cmocka_unit_test(test_lenient),
                                       cmocka_unit_test(test_sloppy), cmocka_unit_test(test_mocap), cmocka_unit_test(test_fuzz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
