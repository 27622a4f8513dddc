/* MJCF: <attach> and <replicate> against the same model written out by hand. */
#include "algebra/vec3.h"
#include "import_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* An arm in radians, with classes, a mesh, and what refers to its parts; the leg is another tree. */
static const char arm[] =
    "<mujoco model='Arm'><compiler angle='radian' eulerseq='XYZ' autolimits='false'/>"
    "<default><geom density='500'/><joint damping='0.25'/><default class='fat'><geom size='0.2'/></default></default>"
    "<asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='.1 .2 .3'/></asset>"
    "<worldbody><geom name='plate' type='box' size='1 1 .1'/>"
    "<body name='base' pos='0 0 1' euler='0.1 0.2 0.3'><joint name='turn' axis='0 1 0' range='-1 1' limited='true'/>"
    "<geom class='fat'/><body name='tip' pos='0 0 .5'><joint name='bend' axis='1 0 0'/><geom type='mesh' mesh='wedge'/>"
    "<site name='end' pos='0 0 .1'/></body></body>"
    "<body name='leg' pos='2 0 1'><joint name='knee' axis='1 0 0'/><geom size='.1'/></body></worldbody>"
    "<tendon><fixed name='cord'><joint joint='turn' coef='1'/><joint joint='bend' coef='2'/></fixed>"
    "<fixed name='long'><joint joint='turn' coef='1'/><joint joint='knee' coef='2'/></fixed></tendon>"
    "<equality><joint joint1='turn' joint2='bend'/></equality>"
    "<actuator><position name='servo' joint='turn' kp='7'/><motor name='pull' tendon='cord'/><motor name='step' joint='knee'/>"
    "<motor name='both' tendon='long'/></actuator><sensor><framepos name='place' objtype='site' objname='end'/></sensor></mujoco>";

#define ARM(p)                                                                                                          \
    "<body name='" p "base' pos='0 0 1' euler='5.7295779513082325 11.459155902616465 17.188733853924695'>"              \
    "<joint name='" p "turn' axis='0 1 0' range='-57.29577951308232 57.29577951308232' limited='true' damping='.25'/>"  \
    "<geom size='.2' density='500'/><body name='" p "tip' pos='0 0 .5'><joint name='" p "bend' axis='1 0 0' damping='.25'/>" \
    "<geom type='mesh' mesh='wedge' density='500'/><site name='" p "end' pos='0 0 .1'/></body></body>"
#define ASSET "<asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='.1 .2 .3'/></asset>"
#define CORD(p) "<fixed name='" p "cord'><joint joint='" p "turn' coef='1'/><joint joint='" p "bend' coef='2'/></fixed>"
#define DRIVES(p) "<position name='" p "servo' joint='" p "turn' kp='7'/><motor name='" p "pull' tendon='" p "cord'/>"
#define PLACE(p) "<framepos name='" p "place' objtype='site' objname='" p "end'/>"

static char folder[64];

static const char *write_file(const char *name, const char *text) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static jn_description *read_file(const char *name, const char *text) {
    jn_description *d = parse(text, write_file(name, text), NULL, 0);
    check_report(&report);
    assert_non_null(d);
    return d;
}

static void assert_same_shapes(const jn_description *a, const jn_body_desc *s, const jn_description *b, const jn_body_desc *t) {
    assert_int_equal(s->shape_count, t->shape_count);
    for (int i = 0; i < s->shape_count; i++) {
        const jn_shape_desc *one = &a->shapes[s->shape_first + i], *two = &b->shapes[t->shape_first + i];
        assert_int_equal(one->type, two->type);
        assert_int_equal(one->point_count, two->point_count);
        assert_near(v3_norm(v3_sub(one->size, two->size)), 0, 1e-14);
    }
}

/* The same bodies, joints, couplers, tendons, actuators and sensors, in the same order but for the ground's shapes. */
static void assert_same(const jn_description *a, const jn_description *b) {
    assert_int_equal(a->body_count, b->body_count);
    assert_int_equal(a->joint_count, b->joint_count);
    assert_int_equal(a->coupler_count, b->coupler_count);
    assert_int_equal(a->tendon_count, b->tendon_count);
    assert_int_equal(a->actuator_count, b->actuator_count);
    assert_int_equal(a->sensor_count, b->sensor_count);
    for (int i = 0; i < a->body_count; i++) {
        const jn_body_desc *s = &a->bodies[i], *t = body(b, s->name);
        assert_near(s->mass, t->mass, 1e-15);
        assert_near(v3_norm(v3_sub(s->at, t->at)), 0, 1e-14);
        assert_near(v3_norm(v3_sub(s->com, t->com)), 0, 1e-14);
        assert_near(s->inertia.xx, t->inertia.xx, 1e-14);
        assert_near(s->inertia.xy, t->inertia.xy, 1e-14);
        assert_same_shapes(a, s, b, t);
    }
    for (int i = 0; i < a->joint_count; i++) {
        const jn_joint_desc *s = &a->joints[i], *t = joint(b, s->name);
        assert_int_equal(s->type, t->type);
        assert_near(v3_norm(v3_sub(s->frame[0].axis, t->frame[0].axis)), 0, 1e-14);
        assert_near(v3_norm(v3_sub(s->frame[0].at, t->frame[0].at)), 0, 1e-14);
        assert_int_equal(s->coordinate[0].has_lower, t->coordinate[0].has_lower);
        if (s->coordinate[0].has_lower) assert_near(s->coordinate[0].lower, t->coordinate[0].lower, 1e-14);
        assert_near(s->coordinate[0].damping, t->coordinate[0].damping, 0);
    }
    for (int i = 0; i < a->actuator_count; i++) {
        assert_string_equal(a->actuators[i].name, b->actuators[i].name);
        assert_near(a->actuators[i].gain[0], b->actuators[i].gain[0], 0);
    }
    for (int i = 0; i < a->tendon_count; i++) assert_string_equal(a->tendons[i].name, b->tendons[i].name);
    for (int i = 0; i < a->sensor_count; i++) assert_string_equal(a->sensors[i].name, b->sensors[i].name);
}

/* A body with its classes, angles, mesh and references; what refers to the leg, too, is left out. */
static void test_body(void **state) {
    (void)state;
    write_file("arm.xml", arm);
    jn_description *d = read_file("a.xml", "<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody>"
                                           "<frame pos='1 2 0' euler='0 0 90'><attach model='arm' body='base' prefix='l_'/></frame>"
                                           "<body name='own'><freejoint/>" BALL "<attach model='arm' body='base' prefix='r_'/></body></worldbody></mujoco>");
    jn_description *e = read_file("b.xml", "<mujoco>" ASSET "<compiler eulerseq='XYZ'/><worldbody><frame pos='1 2 0' euler='0 0 90'>" ARM("l_") "</frame>"
                                           "<body name='own'><freejoint/>" BALL ARM("r_") "</body></worldbody><tendon>" CORD("l_") CORD("r_") "</tendon>"
                                           "<equality><joint joint1='l_turn' joint2='l_bend'/><joint joint1='r_turn' joint2='r_bend'/></equality>"
                                           "<actuator>" DRIVES("l_") DRIVES("r_") "</actuator><sensor>" PLACE("l_") PLACE("r_") "</sensor></mujoco>");
    assert_same(d, e);
    jn_description_free(d);
    jn_description_free(e);
}

/* The whole world, by the name of the model itself, in a body, from a model that attaches another one. */
static void test_world(void **state) {
    (void)state;
    write_file("arm.xml", arm);
    write_file("middle.xml", "<mujoco model='Middle'><asset><model file='arm.xml'/></asset><worldbody><attach model='Arm' prefix='in_'/></worldbody></mujoco>");
    jn_description *d = read_file("a.xml", "<mujoco><asset><model file='middle.xml'/></asset><worldbody><body name='own'><freejoint/>" BALL
                                           "<attach model='Middle' prefix='out_'/></body></worldbody></mujoco>");
    assert_int_equal(d->actuator_count, 4);
    assert_string_equal(d->actuators[0].name, "out_in_servo");
    assert_int_equal(d->tendon_count, 2);
    assert_near(joint(d, "out_in_turn")->coordinate[0].damping, 0.25, 0);
    assert_near(joint(d, "out_in_turn")->coordinate[0].lower, -1, 1e-15); /* radians, as its own file has them */
    assert_int_equal(body(d, "own")->shape_count, 2);      /* the ball and the plate */
    assert_near(body(d, "own")->mass, 1000 * 4.0 / 3 * 3.14159265358979323846 * 1e-3 + 500 * 2 * 2 * 0.2, 1e-9);
    jn_description_free(d);
}

/* Models without a prefix keep their classes apart, though these have the same names: their outermost one, too. */
static void test_no_prefix(void **state) {
    (void)state;
    write_file("inner.xml", "<mujoco><default><joint damping='3'/><default class='soft'><joint stiffness='30'/></default></default><worldbody>"
                            "<body name='i'><joint name='ji' class='soft'/>" BALL "<body name='k'><joint name='jk'/>" BALL "</body></body></worldbody></mujoco>");
    write_file("middle.xml", "<mujoco><default><default class='soft'><joint stiffness='20'/></default></default><asset><model name='in' file='inner.xml'/></asset>"
                             "<worldbody><body name='m'><joint name='jm' class='soft'/>" BALL "<attach model='in' prefix=''/></body></worldbody></mujoco>");
    jn_description *d = read_file("a.xml", "<mujoco><default><joint damping='1'/><default class='soft'><joint stiffness='10'/></default></default>"
                                           "<asset><model name='mid' file='middle.xml'/></asset><worldbody><body name='o'><joint name='jo' class='soft'/>" BALL
                                           "<attach model='mid' prefix=''/></body></worldbody></mujoco>");
    static const struct {
        const char *name;
        double stiffness, damping;
    } want[] = {{"jo", 10, 1}, {"jm", 20, 0}, {"ji", 30, 3}, {"jk", 0, 3}};
    for (int i = 0; i < 4; i++) {
        assert_near(joint(d, want[i].name)->coordinate[0].stiffness, want[i].stiffness, 0);
        assert_near(joint(d, want[i].name)->coordinate[0].damping, want[i].damping, 0);
    }
    jn_description_free(d);
}

/* Copies of its own parts: what refers to them follows. */
static void test_own(void **state) {
    (void)state;
    jn_description *d = read_file("a.xml", "<mujoco>" ASSET "<compiler eulerseq='XYZ'/><worldbody><frame name='here'>" ARM("") "</frame>"
                                           "<frame pos='3 0 0'><attach frame='here' prefix='p_'/></frame></worldbody><tendon>" CORD("") "</tendon>"
                                           "<actuator>" DRIVES("") "</actuator><sensor>" PLACE("") "</sensor></mujoco>");
    jn_description *e = read_file("b.xml", "<mujoco>" ASSET "<compiler eulerseq='XYZ'/><worldbody>" ARM("") "<frame pos='3 0 0'>" ARM("p_") "</frame></worldbody>"
                                           "<tendon>" CORD("") CORD("p_") "</tendon><actuator>" DRIVES("") DRIVES("p_") "</actuator><sensor>" PLACE("") PLACE("p_") "</sensor></mujoco>");
    assert_same(d, e);
    jn_description_free(d);
    jn_description_free(e);
    d = read_file("a.xml", "<mujoco><worldbody><replicate count='2' offset='1 0 0'><body name='a'><joint name='j' axis='0 1 0'/>" BALL "</body></replicate></worldbody>"
                           "<actuator><motor name='m' joint='j'/></actuator><sensor><jointpos name='s' joint='j'/></sensor></mujoco>");
    assert_int_equal(d->actuator_count, 2);
    assert_string_equal(d->actuators[1].name, "m1");
    assert_int_equal(d->sensor_count, 2);
    jn_description_free(d);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {WORLD("<attach model='x' prefix='p'/><body>" BALL "</body>"), "there is no model 'x' among the assets"},
    {WORLD("<attach model='x'/>"), "<attach> needs a prefix"},
    {WORLD("<attach prefix='p'/>"), "<attach> needs a model, or the body or frame"},
    {WORLD("<attach body='no' prefix='p'/>"), "the model has no body 'no'"},
    {"<mujoco><asset><model name='x' file='a.xml'/></asset><worldbody><attach model='x' prefix='p'/></worldbody></mujoco>", "models attach each other in more than 32 levels"},
    {"<mujoco><asset><model name='x' file='no.xml'/></asset><worldbody><attach model='x' prefix='p'/></worldbody></mujoco>", "no.xml"},
    {"<mujoco><asset><model name='x' file='arm.xml'/></asset><worldbody><attach model='x' body='elbow' prefix='p'/></worldbody></mujoco>", "has no body 'elbow'"},
    {WORLD("<body name='a'>" BALL "<attach body='a' prefix='p'/></body>"), "nested deeper"}};

static void test_wrong(void **state) {
    (void)state;
    write_file("arm.xml", arm);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(parse(wrong[i].text, write_file("a.xml", wrong[i].text), NULL, 0));
        assert_int_equal(told(wrong[i].message)->line, 1);
    }
}

/* Flexible bodies are refused by name, and left out where the user wants to go on. */
static void test_flexible(void **state) {
    (void)state;
    const char *text = WORLD("<body name='a'><freejoint/>" BALL "</body>\n<flexcomp name='cloth' type='grid'/>");
    const char *lenient[][2] = {{"import.lenient", "true"}};
    assert_null(parse(text, "robot.xml", NULL, 0));
    assert_int_equal(told("flexible bodies (flexcomp, flex, composite), where Jounce has rigid ones only: cloth")->line, 2);
    jn_description *d = parse(text, "robot.xml", lenient, 1);
    assert_non_null(d);
    assert_int_equal(d->body_count, 2); /* with the ground */
    jn_description_free(d);
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/jounce_attach_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const files[] = {"a.xml", "b.xml", "arm.xml", "middle.xml", "inner.xml"};
    char path[128];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_body), cmocka_unit_test(test_world), cmocka_unit_test(test_no_prefix), cmocka_unit_test(test_own),
                                       cmocka_unit_test(test_wrong), cmocka_unit_test(test_flexible)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
