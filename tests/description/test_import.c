/* URDF and MJCF: what they become, and what is reported about them. */
#include "import_text.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------------------- URDF */

static const char arm[] =
    "<robot name='arm'>\n"
    "<link name='world'/>\n"
    "<link name='upper'><inertial><origin xyz='0 0 0.5' rpy='0 0 1.5707963267948966'/><mass value='2'/>\n"
    "<inertia ixx='0.2' iyy='0.1' izz='0.15' ixy='0' ixz='0' iyz='0'/></inertial>\n"
    "<collision><origin xyz='0 0 0.5'/><geometry><cylinder radius='0.05' length='0.8'/></geometry></collision></link>\n"
    "<link name='slider'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "<link name='finger'><inertial><mass value='0.1'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "<link name='tool'/>\n"
    "<joint name='turn' type='revolute'><parent link='world'/><child link='upper'/><origin xyz='0 0 1' "
    "rpy='1.5707963267948966 0 0'/>\n"
    "<axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='5' velocity='1'/><dynamics damping='0.3' "
    "friction='0.2'/></joint>\n"
    "<joint name='slide' type='prismatic'><parent link='upper'/><child link='slider'/><origin xyz='0 0 1'/><axis "
    "xyz='0 0 1'/><limit lower='0' upper='0.5' effort='1' velocity='1'/></joint>\n"
    "<joint name='grip' type='continuous'><parent link='slider'/><child link='finger'/><axis xyz='1 0 0'/><mimic "
    "joint='turn' multiplier='-2' offset='0.25'/></joint>\n"
    "<joint name='flange' type='fixed'><parent link='finger'/><child link='tool'/></joint>\n"
    "</robot>\n";

static void test_urdf(void **state) {
    (void)state;
    jn_description *d = read_text(arm);
    assert_string_equal(d->title, "arm");
    assert_int_equal(d->body_count, 5); /* the ground is the link world */
    const jn_body_desc *upper = body(d, "upper");
    assert_vector(upper->at, 0, 0, 1);
    assert_vector(upper->com, 0, 0, 0.5);
    assert_near(upper->inertia.xx, 0.1, 1e-14); /* turned by 90 degrees about z */
    assert_near(upper->inertia.yy, 0.2, 1e-14);
    const jn_joint_desc *turn = joint(d, "turn");
    assert_int_equal(turn->type, JN_JOINT_REVOLUTE);
    assert_int_equal(turn->body[0], JN_GROUND);
    assert_vector(turn->frame[0].at, 0, 0, 1);
    assert_vector(turn->frame[0].axis, 0, 0, 1); /* y of a frame turned about x */
    assert_true(turn->coordinate[0].has_lower && turn->coordinate[0].has_upper);
    assert_near(turn->coordinate[0].lower, -1, 0);
    assert_near(turn->coordinate[0].upper, 2, 0);
    assert_near(turn->coordinate[0].damping, 0.3, 0);
    assert_near(turn->coordinate[0].friction, 0.2, 0);
    assert_int_equal(joint(d, "slide")->type, JN_JOINT_PRISMATIC);
    assert_vector(joint(d, "slide")->frame[0].at, 0, -1, 1);
    const jn_joint_desc *grip = joint(d, "grip");
    assert_false(grip->coordinate[0].has_lower);
    assert_near(grip->coordinate[0].position, 0.25, 0);
    assert_int_equal(d->coupler_count, 1);
    assert_int_equal(d->couplers[0].count, 2);
    assert_near(d->couplers[0].factor[1] / d->couplers[0].factor[0], 2, 0);
    assert_int_equal(joint(d, "flange")->type, JN_JOINT_FIXED);
    assert_int_equal(d->shape_count, 1);
    assert_int_equal(d->shapes[0].type, JN_SHAPE_CYLINDER);
    assert_int_equal(joint(d, "turn")->where.line, 9);
    jn_description_free(d);
}

/* A base that no link 'world' holds is free, unless the user says otherwise. */
static void test_base(void **state) {
    static const char text[] =
        "<robot name='ball'><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
        "<collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>";
    static const char *fixed[][2] = {{"import.base", "fixed"}}, *floor[][2] = {{"import.floor", "true"}};
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->joints[0].type, JN_JOINT_FREE);
    told("the base is free");
    jn_description_free(d);
    d = parse(text, "robot.urdf", fixed, 1);
    assert_int_equal(d->joints[0].type, JN_JOINT_FIXED);
    jn_description_free(d);
    d = parse(text, "robot.urdf", floor, 1);
    assert_int_equal(d->bodies[JN_GROUND].shape_count, 1);
    assert_near(d->shapes[d->bodies[JN_GROUND].shape_first].at.z, -0.15, 1e-14); /* 5 cm below the ball */
    jn_description_free(d);
}

/* --------------------------------------------------------------------------------------------------------------- MJCF */

static const char creature[] =
    "<mujoco model='creature'>\n"
    "<compiler angle='degree' eulerseq='zyx'/>\n"
    "<option timestep='0.004' gravity='0 0 -5'/>\n"
    "<default><geom density='500' friction='0.5'/>\n"
    "<default class='leg'><joint damping='2' armature='0.1' range='-90 30' ref='-10'/><geom type='capsule' "
    "size='0.1'/>\n"
    "<default class='shin'><joint damping='3'/></default></default></default>\n"
    "<worldbody><geom type='plane' size='1 1 1' friction='0.9'/>\n"
    "<body name='trunk' pos='0 0 2' euler='90 0 0'><freejoint name='root'/><geom type='box' size='0.1 0.2 0.3'/><site "
    "name='eye' pos='0.1 0 0'/>\n"
    "<body name='thigh' pos='1 0 0' childclass='leg'><joint name='a' axis='1 0 0'/><joint name='b' axis='0 1 0' "
    "class='shin'/><geom fromto='0 0 0 0 0 -1'/>\n"
    "<body name='foot' pos='0 0 -1'><joint name='c' type='ball' class='shin' limited='false'/><inertial pos='0 0 0' "
    "mass='2' diaginertia='1 2 2.5'/></body></body>\n"
    "<body name='rod' pos='-1 0 0'><joint name='s' type='slide' axis='0 0 1' stiffness='7' springref='0.2'/><geom "
    "type='sphere' size='0.2' mass='3' contype='2' conaffinity='4'/></body>\n"
    "</body></worldbody>\n"
    "<equality><connect body1='foot' body2='rod' anchor='0 0.1 0'/><joint joint1='a' joint2='b' polycoef='0 2 0 0 "
    "0'/></equality>\n"
    "<actuator><motor name='m' joint='a' gear='20' ctrlrange='-1 1' ctrllimited='true'/><position joint='s' "
    "kp='50'/></actuator>\n"
    "<contact><exclude body1='trunk' body2='foot'/></contact>\n"
    "</mujoco>\n";

static void test_mjcf(void **state) {
    (void)state;
    const double deg = 3.14159265358979323846 / 180;
    jn_description *d = read_text(creature);
    assert_vector(d->gravity, 0, 0, -5);
    assert_near(d->run.step, 0.004, 0);
    assert_int_equal(d->body_count, 1 + 4 + 1); /* a helper between the two hinges of the thigh */
    assert_near(body(d, "trunk")->mass, 500 * 0.2 * 0.4 * 0.6, 1e-12);
    assert_vector(body(d, "thigh")->at, 0, 1, 2); /* x of a trunk turned about z */
    const jn_joint_desc *a = joint(d, "a"), *b = joint(d, "b");
    assert_vector(a->frame[0].axis, 0, 1, 0);
    assert_near(a->coordinate[0].lower, -80 * deg, 1e-14); /* counted from the reference */
    assert_near(a->coordinate[0].upper, 40 * deg, 1e-14);
    assert_near(a->coordinate[0].damping, 2, 0);
    assert_near(b->coordinate[0].damping, 3, 0);
    assert_near(b->coordinate[0].armature, 0.1, 0);
    assert_int_equal(a->body[1], b->body[0]);
    assert_true(d->actuator_count > 0 && jn_function_given(d->actuators[0].control));
    assert_int_equal(joint(d, "c")->type, JN_JOINT_SPHERICAL);
    assert_near(joint(d, "s")->coordinate[0].stiffness, 7, 0);
    assert_near(joint(d, "s")->coordinate[0].rest, 0.2, 0);
    assert_near(body(d, "rod")->mass, 3, 0);
    assert_near(body(d, "foot")->inertia.zz, 2.5, 0);
    const jn_joint_desc *tie = joint(d, "connect_6");
    assert_true(tie->closes_loop && tie->local);
    assert_int_equal(tie->type, JN_JOINT_SPHERICAL);
    assert_int_equal(d->coupler_count, 1);
    assert_int_equal(d->point_count, 1);
    assert_true(d->no_contact_count >= 2); /* the excluded pair, and trunk and thigh beyond the helper */
    const jn_shape_desc *ball = &d->shapes[body(d, "rod")->shape_first];
    assert_int_equal(ball->layer, 2);
    assert_int_equal(ball->touches, 4);
    told("MuJoCo's soft contact as a law");
    jn_description_free(d);
}

/* Tendons over joints count from the drawn configuration; an actuator pulls along them. */
static void test_tendons(void **state) {
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><default class='wet'><tendon "
        "damping='0.5'/></default></default><worldbody>\n"
        "<body name='a'><geom size='0.1'/><joint name='hip' ref='0.2' springref='0.5'/>\n"
        "<site name='x' pos='0 0.5 0'/><geom name='drum' type='cylinder' size='0.2' fromto='0 0 0 0 1 0' contype='0' "
        "conaffinity='0'/>"
        "<body name='b' pos='1 0 0'><geom size='0.1'/><joint name='knee'/><site name='y' pos='0 0 0.1'/></body></body></worldbody>\n"
        "<tendon><fixed name='t' class='wet' range='-0.3 2' stiffness='7' frictionloss='0.1'><joint joint='hip' "
        "coef='0.5'/><joint "
        "joint='knee' coef='-2'/></fixed>\n"
        "<fixed name='u' limited='false' range='-1 1' springlength='0.4'><joint joint='hip' coef='1'/></fixed>\n"
        "<spatial name='path' springlength='0.1 0.3' stiffness='2'><site site='x'/><geom geom='drum' sidesite='y'/>"
        "<site site='y'/><pulley divisor='2'/><site site='y'/><site site='x'/></spatial></tendon>\n"
        "<actuator><position name='pull' tendon='t' kp='3' gear='2'/></actuator></mujoco>\n";
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->tendon_count, 3);
    const jn_tendon_desc *t = &d->tendons[0];
    assert_string_equal(t->name, "t");
    assert_int_equal(t->count, 2);
    assert_near(t->factor[0], 0.5, 0);
    assert_near(t->factor[1], -2, 0);
    assert_near(t->law.lower, -0.3 - 0.1, 1e-15); /* 0.5 ref is its length as drawn */
    assert_near(t->law.upper, 2 - 0.1, 1e-15);
    assert_near(t->law.stiffness, 7, 0);
    assert_near(t->law.rest, 0.5 * 0.3, 1e-15); /* where the springs of the joints rest */
    assert_near(t->law.damping, 0.5, 0);
    assert_near(t->law.friction, 0.1, 0);
    const jn_actuator_desc *pull = &d->actuators[0];
    assert_true(pull->on == JN_ACTUATOR_TENDON && pull->tendon == 0);
    assert_near(pull->gear, 2, 0);
    assert_near(pull->offset, 0.1, 1e-15);
    assert_near(pull->gain[0], 3, 0);
    assert_near(pull->bias[1], -3, 0);
    assert_false(d->tendons[1].law.has_lower);
    assert_near(d->tendons[1].law.rest, 0, 0); /* no spring, no rest */
    t = &d->tendons[2];
    assert_int_equal(t->path_count, 6);
    assert_int_equal(t->path[1].kind, JN_PATH_CYLINDER);
    assert_near(t->path[1].radius, 0.2, 0);
    assert_near(t->path[1].at.y, 0.5, 1e-15);
    assert_true(t->path[1].has_side && t->path[1].side_body == 2);
    assert_near(t->path[1].side.z, 0.1, 1e-15);
    assert_near(t->path[3].divisor, 2, 0);
    assert_near(t->law.rest, 0.1, 0);
    assert_near(t->law.slack, 0.2, 1e-15);
    jn_description_free(d);
}

/* What MuJoCo derives from the inertia that a joint moves, couplers of tendons, weights that are carried, controls of keyframes. */
static void test_derived(void **state) {
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='a' gravcomp='0.5'><inertial mass='2' pos='1 0 0' "
        "diaginertia='0.1 0.2 0.3'/>\n"
        "<joint name='hip' axis='0 0 1' armature='0.7' springdamper='0.5 2'/><site name='s' pos='1 0 0'/>\n"
        "<body name='b' pos='1 0 0'><inertial mass='1' pos='0 0 0' diaginertia='0.1 0.1 0.1'/><joint name='knee' "
        "axis='0 0 1'/></body></body></worldbody>\n"
        "<tendon><fixed name='t'><joint joint='hip' coef='1'/><joint joint='knee' coef='-3'/></fixed></tendon>\n"
        "<equality><tendon name='tie' tendon1='t'/></equality>\n"
        "<actuator><position name='p' joint='knee' kp='4' dampratio='0.5' gear='2'/><general name='g' joint='hip' "
        "dyntype='filter'/></actuator>\n"
        "<keyframe><key name='k' qpos='0 0' ctrl='0.25 -2'/></keyframe></mujoco>\n";
    static const char *key[][2] = {{"import.keyframe", "k"}};
    (void)state;
    jn_description *d = parse(text, "robot.xml", key, 1);
    check_report(&report);
    double moved = 0.3 + 2 + 0.1 + 1 + 0.7, felt = moved - 0.1 * 0.1 / 0.1; /* about the hip; where the knee gives way */
    assert_near(joint(d, "hip")->coordinate[0].stiffness, felt / (0.5 * 0.5 * 2 * 2), 1e-13);
    assert_near(joint(d, "hip")->coordinate[0].damping, 2 * felt / 0.5, 1e-13);
    double kv = 2 * 0.5 * sqrt(4 * 0.1 / 4), var[3] = {0, 0.3, 0.7}; /* t, x, v */
    assert_near(d->actuators[0].bias[2], -kv, 1e-13);
    assert_near(jn_function_value(d->actuators[0].control, d->tables, var), 0.25, 0);
    assert_near(jn_function_value(d->actuators[1].control, d->tables, var), -2, 0);
    assert_true(d->actuators[1].activation == JN_ACTIVATION_FILTER);
    assert_near(d->actuators[1].time[0], 1, 0);
    assert_int_equal(d->coupler_count, 1);
    assert_true(d->couplers[0].count == 1 && d->couplers[0].tendon[0] == 1 && d->couplers[0].has_constant);
    assert_near(d->couplers[0].constant, 0, 0);
    assert_int_equal(d->force_count, 1);
    assert_near(jn_function_value(d->forces[0].component[2], d->tables, var), 0.5 * 2 * 9.81, 1e-13);
    assert_vector(d->forces[0].at[1], 1, 0, 0);
    jn_description_free(d);
}

/* A COLLADA file: centimetres, y up, a node within a node, a quad, a strip and a fan beside triangles. */
static void test_collada(void **state) {
    static const char mesh[] =
        "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
        "version='1.4.1'><asset><unit "
        "meter='0.01'/><up_axis>Y_UP</up_axis></asset>\n"
        "<library_geometries><geometry id='g'><mesh><source id='p'><float_array count='24'>0 0 0  1 0 0  1 1 0  0 1 0  "
        "0 0 "
        "1  1 0 1  1 1 1  0 1 1</float_array><technique_common><accessor stride='3'/></technique_common></source>\n"
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\n"
        "<triangles count='2'><input semantic='VERTEX' source='#v' offset='1'/><input semantic='NORMAL' source='#n' "
        "offset='0'/><p>9 0 9 2 9 1 9 0 9 3 9 2</p></triangles>\n"
        "<polylist count='2'><input semantic='VERTEX' source='#v' offset='0'/><vcount>4 4</vcount><p>4 5 6 7 0 1 5 "
        "4</p></polylist>\n"
        "<tristrips count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>2 3 6 7</p></tristrips>\n"
        "<trifans count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 4 7 3</p></trifans>\n"
        "<polygons count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>1 2 6 5</p></polygons>\n"
        "</mesh></geometry></library_geometries>\n"
        "<library_visual_scenes><visual_scene id='s'><node><translate>100 0 0</translate><rotate>0 0 1 90</rotate>\n"
        "<node><scale>20 20 20</scale><matrix>1 0 0 1  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry "
        "url='#g'/></node></node></visual_scene></library_visual_scenes>\n"
        "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n";
    static const char robot[] = "bodies:\n  box: {shape: {type: mesh, file: box.dae, density: 1000}}\n"
                                "joints:\n  j: {type: free, between: [ground, box]}\n";
    char folder[] = "/tmp/jounce_collada_XXXXXX", path[64], model[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/box.dae", folder), snprintf(model, sizeof model, "%s/model.yaml", folder);
    FILE *file = fopen(path, "w");
    fputs(mesh, file), fclose(file);
    jn_description *d = parse(robot, model, NULL, 0);
    check_report(&report);
    assert_int_equal(d->shapes[0].point_count, 8);
    assert_int_equal(d->shapes[0].triangle_count, 12);
    assert_near(body(d, "box")->mass, 8, 1e-12); /* a cube of 20 cm, closed, normals outward */
    jn_vec3 com = body(d, "box")->com;           /* turned about the file's z; then its y is up */
    assert_near(com.x, 1 - 0.1, 1e-12);
    assert_near(com.y, -0.1, 1e-12);
    assert_near(com.z, 0.3, 1e-12);
    jn_description_free(d);
    remove(path), remove(folder);
}

/* A free robot that is drawn in the floor is lifted onto it, with all that hangs on it. */
static void test_lifted(void **state) {
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='0 0 0.2'><freejoint/><geom "
        "size='0.1'/>\n"
        "<body name='b' pos='0.5 0 -0.2'><joint name='j'/><geom size='0.1'/></body></body></worldbody></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    told("robots that are drawn in the floor: a by 0.1 m");
    assert_vector(body(d, "a")->at, 0, 0, 0.3);
    assert_vector(body(d, "b")->at, 0.5, 0, 0.1);
    assert_vector(joint(d, "j")->frame[0].at, 0.5, 0, 0.1);
    jn_description_free(d);
    d = read_text("<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 .1' euler='0 0 30'/><body name='a' pos='0 0 0.25'><freejoint/><geom "
                  "size='0.1'/></body><body name='b' pos='3 0 0.25'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
    told("robots that are drawn in the floor: a by 0.05 m"); /* the top of a level box, where it is under the shape */
    assert_vector(body(d, "a")->at, 0, 0, 0.3);
    assert_vector(body(d, "b")->at, 3, 0, 0.25);
    jn_description_free(d);
}

/* Friction of the geom with the higher priority holds, be it the smaller; arms that hang on a world without shapes are fine. */
static void test_priority(void **state) {
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.9'/><body name='a' pos='0 0 1'><freejoint/>\n"
        "<geom size='0.1' friction='2'/><geom size='0.1' pos='0 0 -0.2' friction='0.3' "
        "priority='1'/></body></worldbody></mujoco>";
    static const char hung[] = WORLD("<body name='a'>" BALL "<joint name='j' axis='1 0 0' pos='0 0 1'/></body>");
    (void)state;
    static const char flat[] = "<mujoco><asset><hfield name='h' nrow='3' ncol='3' size='1 1 1 "
                               "1'/></asset><worldbody><geom type='hfield' hfield='h' "
                               "pos='0 0 -1'/><body>" BALL "<freejoint/></body></worldbody></mujoco>";
    jn_description *d = read_text(flat);
    assert_int_equal(d->shapes[d->bodies[JN_GROUND].shape_first].type, JN_SHAPE_PLANE);
    jn_description_free(d);
    d = read_text(text);
    const jn_contact_desc *law = NULL;
    for (int i = 0; i < d->contact_count; i++)
        if (d->contacts[i].is_pair) law = &d->contacts[i];
    assert_non_null(law);
    assert_near(law->friction, 0.3, 0);
    jn_description_free(d);
    d = read_text(hung);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_model_free(m);
    jn_description_free(d);
}

/* What moves without mass is held; what is reported of it names the link. */
static void test_massless(void **state) {
    static const char text[] =
        "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1'/></inertial></link>\n"
        "<link name='b'/><link name='c'/>\n"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n"
        "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j'/></joint></robot>\n";
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(told("link that moves without mass: b (line 2), c (line 2)")->severity, JN_SEVERITY_WARNING);
    assert_int_equal(joint(d, "j")->type, JN_JOINT_FIXED);
    assert_int_equal(joint(d, "k")->type, JN_JOINT_FIXED);
    assert_int_equal(d->coupler_count, 0);
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urdf),    cmocka_unit_test(test_base),     cmocka_unit_test(test_mjcf),
        cmocka_unit_test(test_tendons), cmocka_unit_test(test_priority), cmocka_unit_test(test_collada),
        cmocka_unit_test(test_derived), cmocka_unit_test(test_lifted),   cmocka_unit_test(test_massless)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
