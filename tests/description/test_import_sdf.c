/* SDF: frames, links, joints, loops and worlds, against the same robot in URDF and against numbers worked out by hand. */
#include "import_text.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define INERTIAL(m)                                                                                                    \
    "<inertial><pose>.1 .2 .3 .4 .5 .6</pose><mass>" m "</mass><inertia><ixx>.2</ixx><iyy>.3</iyy><izz>.4</izz>"       \
    "<ixy>.01</ixy><ixz>.02</ixz><iyz>.03</iyz></inertia></inertial>"
#define URDF_INERTIAL(m)                                                                                               \
    "<inertial><origin xyz='.1 .2 .3' rpy='.4 .5 .6'/><mass value='" m "'/><inertia ixx='.2' iyy='.3' izz='.4' "       \
    "ixy='.01' ixz='.02' iyz='.03'/></inertial>"

/* The same arm in both formats: mass matrix, bias and poses are equal. The upper link is placed by the joint of the URDF, the lower one
 * relative to the upper, the hand by a frame. */
static void test_same_as_urdf(void **state) {
    static const char sdf
        [] = "<sdf version='1.7'><world name='w'><gravity>0 0 -9.81</gravity><model name='arm'>"
             "<link name='upper'><pose>0 0 1 .1 .2 .3</pose>" INERTIAL(
                 "2") "</link>"
                      "<link name='lower'><pose relative_to='upper'>.5 .1 0 .3 .2 .1</pose>" INERTIAL(
                          "1") "</link>"
                               "<frame name='flange' attached_to='lower'><pose>.4 0 .1 0 0 .7</pose></frame>"
                               "<link name='hand'><pose relative_to='flange'/>" INERTIAL(
                                   "0.5") "</link>"
                                          "<joint name='hip' "
                                          "type='revolute'><parent>world</parent><child>upper</child><axis><xyz>0 1 "
                                          "1</xyz>"
                                          "<limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>.3</"
                                          "damping></dynamics></axis></joint>"
                                          "<joint name='knee' "
                                          "type='prismatic'><parent>upper</parent><child>lower</child><axis><xyz>1 0 "
                                          "0</xyz>"
                                          "<limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint>"
                                          "<joint name='wrist' "
                                          "type='continuous'><parent>lower</parent><child>hand</child><axis><xyz>0 0 "
                                          "1</xyz></axis></joint>"
                                          "</model></world></sdf>",
     urdf[] = "<robot name='arm'><link name='world'/><link name='upper'>" URDF_INERTIAL(
         "2") "</link><link name='lower'>" URDF_INERTIAL("1") "</link><link name='hand'>" URDF_INERTIAL("0.5") "</"
                                                                                                               "link><"
                                                                                                               "joint "
                                                                                                               "name='"
                                                                                                               "hip' "
                                                                                                               "type='"
                                                                                                               "revolut"
                                                                                                               "e'><"
                                                                                                               "origin "
                                                                                                               "xyz='0 "
                                                                                                               "0 1' "
                                                                                                               "rpy='."
                                                                                                               "1 .2 "
                                                                                                               ".3'/"
                                                                                                               "><"
                                                                                                               "parent "
                                                                                                               "link='"
                                                                                                               "world'/"
                                                                                                               ">"
                                                                                                               "<child "
                                                                                                               "link='"
                                                                                                               "upper'/"
                                                                                                               "><axis "
                                                                                                               "xyz='0 "
                                                                                                               "1 "
                                                                                                               "1'/"
                                                                                                               "><"
                                                                                                               "limit "
                                                                                                               "lower='"
                                                                                                               "-1' "
                                                                                                               "upper='"
                                                                                                               "2'/"
                                                                                                               "><"
                                                                                                               "dynamic"
                                                                                                               "s "
                                                                                                               "damping"
                                                                                                               "='.3'/"
                                                                                                               "></"
                                                                                                               "joint>"
                                                                                                               "<joint "
                                                                                                               "name='"
                                                                                                               "knee' "
                                                                                                               "type='"
                                                                                                               "prismat"
                                                                                                               "ic'><"
                                                                                                               "origin "
                                                                                                               "xyz='."
                                                                                                               "5 .1 "
                                                                                                               "0' "
                                                                                                               "rpy='."
                                                                                                               "3 .2 "
                                                                                                               ".1'/"
                                                                                                               "><"
                                                                                                               "parent "
                                                                                                               "link='"
                                                                                                               "upper'/"
                                                                                                               ">"
                                                                                                               "<child "
                                                                                                               "link='"
                                                                                                               "lower'/"
                                                                                                               "><axis "
                                                                                                               "xyz='1 "
                                                                                                               "0 "
                                                                                                               "0'/></"
                                                                                                               "joint><"
                                                                                                               "joint "
                                                                                                               "name='"
                                                                                                               "wrist' "
                                                                                                               "type='"
                                                                                                               "continu"
                                                                                                               "ous'>"
                                                                                                               "<origin"
                                                                                                               " xyz='."
                                                                                                               "4 0 "
                                                                                                               ".1' "
                                                                                                               "rpy='0 "
                                                                                                               "0 "
                                                                                                               ".7'/"
                                                                                                               "><"
                                                                                                               "parent "
                                                                                                               "link='"
                                                                                                               "lower'/"
                                                                                                               "><"
                                                                                                               "child "
                                                                                                               "link='"
                                                                                                               "hand'/"
                                                                                                               "><axis "
                                                                                                               "xyz='0 "
                                                                                                               "0 "
                                                                                                               "1'/></"
                                                                                                               "joint>"
                                                                                                               "</"
                                                                                                               "robot>";
    static const char *smooth[][2] = {{"run.method", "smooth"}};
    double M[2][9], tau[2][3], a[3] = {0.3, -0.2, 0.7};
    jn_body_motion hand[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        jn_description *d = parse(k ? urdf : sdf, k ? "robot.urdf" : "robot.sdf", smooth, 1);
        check_report(&report);
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        jn_work *w = jn_work_create(m);
        jn_state *s = jn_state_create(m);
        assert_int_equal(jn_model_nv(m), 3);
        for (int i = 0; i < 3; i++) s->q[i] = 0.3 * (i + 1), s->u[i] = 0.5 - i;
        jn_mass_matrix(m, w, s, M[k]);
        jn_rnea(m, w, s, a, tau[k]);
        assert_true(jn_observe(m, w, s) >= 0);
        jn_body_motion_get(m, w, jn_model_find_body(m, "hand"), &hand[k]);
        assert_true(joint(d, "hip")->coordinate[0].has_lower && !joint(d, "knee")->coordinate[0].has_lower);
        assert_near(joint(d, "hip")->coordinate[0].damping, 0.3, 0);
        jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
    }
    for (int i = 0; i < 9; i++) assert_near(M[0][i], M[1][i], 1e-12);
    for (int i = 0; i < 3; i++) assert_near(tau[0][i], tau[1][i], 1e-12);
    assert_near(hand[0].position.x, hand[1].position.x, 1e-12);
    assert_near(hand[0].position.y, hand[1].position.y, 1e-12);
    assert_near(hand[0].position.z, hand[1].position.z, 1e-12);
    assert_near(fabs(hand[0].orientation.w), fabs(hand[1].orientation.w), 1e-12);
}

/* A world: a static model is the ground, a nested model keeps its names apart, a link without parent is free, a ring of links closes. */
static void test_world(void **state) {
    static const char text[] =
        "<sdf version='1.6'><world name='w'><gravity>0 0 -3.7</gravity>"
        "<model name='ground_plane'><static>true</static><link name='link'><collision name='c'><geometry><plane>"
        "<normal>0 0 1</normal></plane></geometry><surface><friction><ode><mu>.7</mu></ode></friction></surface>"
        "</collision></link></model>"
        "<model name='box'><pose>0 0 2 0 0 0</pose><link name='link'><inertial><mass>3</mass></inertial><collision "
        "name='c'>"
        "<pose>0 0 .5 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision></link>"
        "<model name='lid'><pose>0 0 2 0 0 0</pose><link name='link'/></model>"
        "<joint name='weld' type='fixed'><parent>link</parent><child>lid::link</child></joint></model>"
        "<model name='ring'><pose>5 0 1 0 0 0</pose>"
        "<link name='a'><pose>0 0 0 0 0 0</pose></link><link name='b'><pose>0 0 1 0 0 0</pose></link>"
        "<link name='c'><pose>1 0 1 0 0 0</pose></link>"
        "<joint name='base' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>"
        "<joint name='ab' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>"
        "<joint name='bc' type='revolute'><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint>"
        "<joint name='end' type='revolute'><parent>world</parent><child>c</child><pose>0 0 -1 0 0 0</pose>"
        "<axis><xyz>0 1 0</xyz></axis></joint></model></world></sdf>";
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->body_count, 6); /* the ground, box and lid, three of the ring */
    assert_vector(body(d, "link")->at, 0, 0, 2);
    assert_near(body(d, "link")->mass, 3, 0);
    assert_vector(body(d, "lid_link")->at, 0, 0, 4);
    assert_near(body(d, "lid_link")->mass, 1, 0);
    told("links without <inertial>: lid_link");
    assert_int_equal(joint(d, "weld")->type, JN_JOINT_FIXED);
    assert_int_equal(joint(d, "link_free")->type, JN_JOINT_FREE);
    assert_false(joint(d, "bc")->closes_loop);
    assert_true(joint(d, "end")->closes_loop);
    assert_vector(joint(d, "end")->frame[0].at, 6, 0, 1);
    assert_near(d->gravity.z, -3.7, 0);
    assert_int_equal(d->shape_count, 2);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_model_free(m);
    jn_description_free(d);
}

/* Old files express axes in the model's frame; poses may be in degrees. */
static void test_axes(void **state) {
#define HINGE(version, pose, axis)                                                                                     \
    "<sdf version='" version "'><model name='m'><pose>0 0 0 0 0 1.5707963267948966</pose><link name='a'>" pose         \
    "</link><joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz>" axis         \
    "</axis></joint></model></sdf>"
    static const struct {
        const char *text;
        double x, y, z;
    } cases[] = {
        {HINGE("1.4", "<pose>0 0 0 0 0 1.5707963267948966</pose>", ""), 0, 1, 0},
        {HINGE("1.6", "<pose>0 0 0 0 0 1.5707963267948966</pose>", ""), -1, 0, 0},
        {HINGE("1.6", "<pose>0 0 0 0 0 1.57</pose>", "<use_parent_model_frame>1</use_parent_model_frame>"), 0, 1, 0},
        {HINGE("1.9", "<pose degrees='true'>0 0 0 0 90 0</pose>", ""), 0, 0, -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jn_description *d = read_text(cases[i].text);
        assert_vector(joint(d, "j")->frame[0].axis, cases[i].x, cases[i].y, cases[i].z);
        jn_description_free(d);
    }
}

/* Universal joints with both axes; threads in metres per turn, or in radians per metre of a left-handed one. */
static void test_two_axes(void **state) {
    (void)state;
    jn_description *d = read_text(
        "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><link name='c'/><joint name='u' type='universal'>"
        "<parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint><joint "
        "name='s' type='screw'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis><screw_thread_pitch>0.01"
        "</screw_thread_pitch></joint><joint name='t' type='screw'><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz>"
        "</axis><thread_pitch>-4</thread_pitch></joint></model></sdf>");
    assert_true(joint(d, "u")->type == JN_JOINT_UNIVERSAL && joint(d, "s")->type == JN_JOINT_SCREW);
    assert_vector(joint(d, "u")->frame[0].axis, 1, 0, 0);
    assert_vector(joint(d, "u")->frame[0].axis2, 0, 0, 1);
    assert_near(joint(d, "s")->pitch, 0.01, 1e-15);
    assert_near(joint(d, "t")->pitch, 2 * 3.14159265358979323846 / 4, 1e-14);
    jn_description_free(d);
}

/* Meshes of an included model lie beside its file; more includes than anyone writes are an error. */
static void test_include_mesh(void **state) {
    (void)state;
    char folder[] = "/tmp/jounce_sdf_XXXXXX", inner[200], model[300], mesh[300], world[300];
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/cart", folder), snprintf(world, sizeof world, "%s/world.sdf", folder);
    snprintf(model, sizeof model, "%s/model.sdf", inner), snprintf(mesh, sizeof mesh, "%s/corner.obj", inner);
    assert_int_equal(mkdir(inner, 0700), 0);
    FILE *file = fopen(mesh, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file), file = fopen(model, "w");
    fputs("<sdf version='1.9'><model name='cart'><link name='box'><collision name='c'><geometry><mesh><uri>corner.obj</uri></mesh>"
          "</geometry></collision></link></model></sdf>",
          file);
    fclose(file), file = fopen(world, "w");
    fputs("<sdf version='1.9'><world name='w'><include><uri>model://cart</uri></include></world></sdf>", file);
    fclose(file);
    jn_report first = {0}, again = {0};
    jn_description *d = jn_description_read(world, NULL, 0, &first);
    check_report(&first);
    assert_int_equal(d->shape_count, 1);
    assert_int_equal(d->shapes[0].type, JN_SHAPE_HULL);
    jn_description_free(d);
    file = fopen(world, "w");
    fputs("<sdf version='1.9'><world name='w'>", file);
    for (int i = 0; i < 1001; i++) fprintf(file, "<include><uri>model://cart</uri><name>m%d</name></include>", i);
    fputs("</world></sdf>", file), fclose(file);
    assert_null(jn_description_read(world, NULL, 0, &again));
    assert_non_null(strstr(again.item[0].text, "more than 1000 models are included"));
    remove(model), remove(mesh), remove(inner), remove(world), remove(folder);
}

/* A model in a file of its own, twice, with other names and poses; a light, which is left out; a model that includes itself. */
static void test_include(void **state) {
    (void)state;
    char folder[] = "/tmp/jounce_sdf_XXXXXX", path[200], other[200], lamp[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.sdf", folder), snprintf(other, sizeof other, "%s/world.sdf", folder);
    FILE *file = fopen(path, "w");
    fputs("<sdf version='1.9'><model name='cart'><pose>9 9 9 0 0 0</pose><link name='box'><pose>0 0 1 0 0 0</pose></link></model></sdf>", file);
    fclose(file), file = fopen(other, "w");
    fprintf(file,
            "<sdf version='1.9'><world name='w'><include><uri>model.sdf</uri><name>left</name><pose>1 2 0 0 0 0</pose></include>"
            "<include><uri>file://%s</uri><name>right</name><static>true</static></include><include><uri>lamp.sdf</uri></include></world></sdf>",
            folder);
    fclose(file);
    snprintf(lamp, sizeof lamp, "%s/lamp.sdf", folder), file = fopen(lamp, "w");
    fputs("<sdf version='1.5'><light type='directional' name='lamp'/></sdf>", file);
    fclose(file);
    jn_report first = {0}, again = {0};
    jn_description *d = jn_description_read(other, NULL, 0, &first);
    check_report(&first);
    assert_int_equal(d->body_count, 2); /* the other one is static */
    assert_vector(d->bodies[1].at, 1, 2, 1);
    jn_description_free(d);
    file = fopen(path, "w");
    fputs("<sdf version='1.9'><model name='m'><link name='a'/><include><uri>model.sdf</uri></include></model></sdf>", file);
    fclose(file);
    assert_null(jn_description_read(path, NULL, 0, &again));
    assert_non_null(strstr(again.item[0].text, "nested deeper"));
    remove(lamp), remove(path), remove(other), remove(folder);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"<sdf><model name='m' placement_frame='b'><pose>1 0 0 0 0 0</pose><link name='a'/></model></sdf>",
     "<model> 'm' has no frame 'b'"},
    {"<sdf><model name='m'><link name='a'/><link name='a'/></model></sdf>", "a second link is called 'a'"},
    {"<sdf><model name='m'><link name='a'><pose>1 2</pose></link></model></sdf>", "<pose> needs 6 numbers, not 2"},
    {"<sdf><model name='m'><link name='a'><pose relative_to='b'>0 0 0 0 0 0</pose></link></model></sdf>",
     "is placed relative to a frame that is not there"},
    {"<sdf><model name='m'><link name='a'><pose relative_to='b'/></link><link name='b'><pose "
     "relative_to='a'/></link></model></sdf>",
     "refer to each other"},
    {"<sdf><model name='m'><link name='a'/><joint name='j' "
     "type='revolute'><parent>b</parent><child>a</child></joint></model></sdf>",
     "its <parent> 'b' is no link"},
    {"<sdf><model name='m'><link name='a'/><joint name='j' "
     "type='piston'><parent>world</parent><child>a</child></joint></model></sdf>",
     "joints of types that SDF 1.12 does not have: j (piston)"},
    {"<sdf><model name='m'><link name='a'/><joint name='j' "
     "type='gearbox'><parent>world</parent><child>a</child><gearbox_reference_body>a</gearbox_reference_body></joint></model></sdf>",
     "gearbox 'j' needs <axis> and <axis2>"},
    {"<sdf><model name='m'><link name='a'/><link name='b'/><joint name='j' type='gearbox'><parent>b</parent><child>a</child>"
     "<gearbox_reference_body>world</gearbox_reference_body><axis/><axis2/></joint></model></sdf>",
     "gearboxes whose parent and child are not hinged to the reference body"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><image/></geometry></collision></link></model></sdf>",
     "shapes that are drawn out of a picture: image"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><polyline/></geometry></collision></link></model></sdf>",
     "<polyline> encloses nothing"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><polyline><point>0 0</point><point>1 1</point><point>1 0</point><point>0 1.5</point></polyline></geometry></collision></link></model></sdf>",
     "its lines cross each other"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><polyline><point>0 0</point><point>1 one</point></polyline></geometry></collision></link></model></sdf>",
     "<point> needs 2 numbers"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><blob/></geometry></collision></link></model></sdf>",
     "shapes that SDF 1.12 does not have: blob"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><heightmap/></geometry></collision></link></model></sdf>",
     "<heightmap> has no <uri>"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><heightmap><uri>x.tif</uri></heightmap></geometry></collision>"
     "</link></model></sdf>",
     "height maps from files other than .png: x.tif"},
    {"<sdf><model name='m'><link name='a'><collision name='c'><geometry><heightmap><uri>x.png</uri></heightmap></geometry></collision>"
     "</link></model></sdf>",
     "height maps whose file is not there: x.png"},
    {"<sdf><model name='m'><link name='a'><inertial auto='true'/></link></model></sdf>", "has no shapes that <inertial auto='true'> could weigh"},
    {"<sdf><model name='m'><link name='a'/><joint name='j' "
     "type='universal'><parent>world</parent><child>a</child></joint></model></sdf>",
     "joint 'j' has no <axis2>"},
    {"<sdf><model name='m'><link name='a'><inertial><mass>x</mass></inertial></link></model></sdf>",
     "'x' is not a number"},
    {"<sdf><model name='m'><link name='a'/><include><uri>model://lamp</uri></include></model></sdf>",
     "included models that are not there: model://lamp"},
    {"<sdf><model name='m'><link name='a'/><include/></model></sdf>", "<include> has no <uri>"},
};

static void test_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        jn_description *d = parse(wrong[i].text, "robot.sdf", NULL, 0);
        if (d) print_error("taken without error: %s\n", wrong[i].text);
        assert_null(d);
        told(wrong[i].message);
    }
}

/* Links that carry each other around a loop, and nothing carries them: one is free, and the last joint closes the loop. */
static void test_floating_ring(void **state) {
    static const char *floor[][2] = {{"import.floor", "true"}};
#define MASS "<inertial><mass>1</mass></inertial><collision name='c'><geometry><sphere><radius>.1</radius></sphere></geometry></collision>"
    static const char text[] =
        "<sdf version='1.6'><model name='ring'><link name='a'>" MASS "</link><link name='b'><pose>0 0 1 0 0 0</pose>" MASS
        "</link><link name='c'><pose>1 0 1 0 0 0</pose>" MASS "</link>"
        "<joint name='ab' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>"
        "<joint name='bc' type='revolute'><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint>"
        "<joint name='ca' type='revolute'><parent>c</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>"
        "</model></sdf>";
#undef MASS
    (void)state;
    jn_description *d = parse(text, "robot.sdf", floor, 1);
    check_report(&report);
    assert_false(joint(d, "bc")->closes_loop);
    assert_true(joint(d, "ca")->closes_loop);
    assert_int_equal(joint(d, "a_free")->type, JN_JOINT_FREE);
    assert_int_equal(d->shape_count, 4); /* with the floor */
    jn_description_free(d);
}

/* model.config names the file of the latest version; a joint of a model that is not there is left out under lenient, and the file counts as incomplete. */
static void test_configured(void **state) {
    static const char *const files[][2] = {
        {"cam/model.config", "<model><name>cam</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.6'> new.sdf </sdf></model>"},
        {"cam/old.sdf", "<sdf><model name='cam'><link name='old'/></model></sdf>"},
        {"cam/new.sdf", "<sdf><model name='cam'><link name='new'/></model></sdf>"},
        {"a.sdf", "<sdf><model name='a'><link name='l'/><include><uri>model://cam</uri></include>"
                  "<joint name='j' type='fixed'><parent>l</parent><child>cam::new</child></joint></model></sdf>"},
        {"b.sdf", "<sdf><model name='b'><link name='l'/><include><uri>model://gone</uri></include>"
                  "<joint name='j' type='fixed'><parent>l</parent><child>gone::x</child></joint></model></sdf>"}};
    char folder[] = "/tmp/jounce_sdf_XXXXXX", path[100];
    jn_setting lenient = {"import.lenient", "true"};
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cam", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i][0]);
        FILE *f = fopen(path, "w");
        fputs(files[i][1], f), fclose(f);
    }
    snprintf(path, sizeof path, "%s/a.sdf", folder);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    check_report(&report);
    assert_non_null(d);
    assert_int_equal(joint(d, "j")->type, JN_JOINT_FIXED);
    body(d, "cam_new");
    jn_description_free(d);
    snprintf(path, sizeof path, "%s/b.sdf", folder);
    assert_null(jn_description_read(path, NULL, 0, &report));
    assert_int_equal(told("included models that are not there: model://gone")->status, JN_ERR_IO);
    d = jn_description_read(path, &lenient, 1, &report);
    assert_non_null(d);
    told("joints of included models that are not there: j");
    jn_description_free(d);
    for (int i = 0; i < 5; i++) snprintf(path, sizeof path, "%s/%s", folder, files[i][0]), remove(path);
    snprintf(path, sizeof path, "%s/cam", folder), remove(path), remove(folder);
}

/* Names of nested models written as one model, with "::" in names of frames and links; __model__ of a nested one; limits without end; a ring of fixed joints at the base. */
static void test_flat_names(void **state) {
    static const char text[] =
        "<sdf version='1.8'><model name='m' placement_frame='__model__'><pose>1 0 0 0 0 0</pose>"
        "<frame name='in::__model__'><pose>0 2 0 0 0 0</pose></frame><frame name='in::f' attached_to='in::__model__'><pose>0 0 3 0 0 0</pose></frame>"
        "<link name='in::a'><pose relative_to='in::f'>0 0 1 0 0 0</pose></link><link name='b'/>"
        "<model name='deep'><pose>5 0 0 0 0 0</pose><link name='c'/></model>"
        "<joint name='j' type='revolute'><parent>b</parent><child>in::a</child><axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>2</upper></limit></axis></joint>"
        "<joint name='k' type='fixed'><parent>b</parent><child>deep::__model__</child></joint>"
        "<joint name='l' type='fixed'><parent>deep::c</parent><child>b</child></joint></model></sdf>";
    (void)state;
    jn_description *d = parse(text, "robot.sdf", NULL, 0);
    check_report(&report);
    assert_non_null(d);
    told("names changed");
    assert_vector(body(d, "b")->at, 1, 0, 0);
    assert_vector(body(d, "in__a")->at, 1, 2, 4);
    assert_vector(body(d, "deep_c")->at, 6, 0, 0);
    assert_false(joint(d, "j")->coordinate[0].has_lower);
    assert_near(joint(d, "j")->coordinate[0].upper, 2, 0);
    assert_true(joint(d, "l")->closes_loop);
    jn_description_free(d);
}

/* Worlds include the sun, a light, and ground_plane, a floor of friction 100, from Gazebo's database. Of two surfaces the smaller friction and restitution hold: under gravity
 * across the floor a box of friction 0.1 slides with g_x - 0.1 g, and the one of friction 1 stays. */
static void test_usual_models(void **state) {
#define BOX(name, y, mu)                                                                                                                     \
    "<model name='" name "'><pose>0 " y " .1 0 0 0</pose><link name='" name "'><inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>" \
    "<collision name='c'><geometry><box><size>.4 .4 .2</size></box></geometry><surface><bounce><restitution_coefficient>.5</restitution_coefficient></bounce>" \
    "<friction><ode><mu>" mu "</mu></ode></friction></surface></collision></link></model>"
    (void)state;
    jn_description *d = parse("<sdf version='1.6'><world name='w'><gravity>2 0 -9.8</gravity><include><uri>model://sun</uri></include>"
                              "<include><uri>https://fuel.gazebosim.org/1.0/OpenRobotics/models/Ground Plane</uri></include>" BOX("smooth", "0", ".1") BOX("rough", "2", "1")
                              "</world></sdf>", "robot.world", NULL, 0);
    check_report(&report);
    told("included models that are not there, but known: model://sun");
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    assert_int_equal(jn_sim_advance(sim, 0.5), JN_OK);
    const double *u = jn_sim_state(sim)->u;
    for (int i = 0; i < jn_model_joints(m); i++) {
        bool smooth = !strcmp(jn_model_joint_name(m, i), "smooth_free");
        const double *v = u + jn_model_joint_u_index(m, i);
        assert_near(v[0], smooth ? 0.5 * (2 - 0.1 * 9.8) : 0, 1e-6);
        assert_near(v[2], 0, 1e-6);
    }
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

/* The step of a world is that of its physics: of the one that is the default, else of the first. */
static void test_step(void **state) {
#define PHYSICS(more) "<sdf version='1.6'><world name='w'>" more "<model name='m'><link name='a'/></model></world></sdf>"
    static const struct {
        const char *text;
        double step;
    } rows[] = {{PHYSICS(""), 1e-3},
                {PHYSICS("<physics type='ode'><max_step_size>0.0005</max_step_size></physics>"), 5e-4},
                {PHYSICS("<physics type='ode'><real_time_factor>1</real_time_factor></physics>"), 1e-3},
                {PHYSICS("<physics type='ode'><max_step_size>0.0005</max_step_size></physics><physics default='true' type='dart'><max_step_size>0.004</max_step_size></physics>"), 4e-3}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        jn_description *d = parse(rows[i].text, "robot.sdf", NULL, 0);
        check_report(&report);
        assert_near(d->run.step, rows[i].step, 1e-18);
        jn_description_free(d);
    }
#undef PHYSICS
}

/* A four-bar whose axes are turned by 1e-5 rad, as angles of five digits are, and whose crank starts at an end of its range: no exact solution has rows across the plane of
 * motion. By a ball or a hinge, the point that closes the loop stays in that plane. With axes that are parallel to the last digit the joints are as written. */
static void test_loop_in_plane(void **state) {
#define BAR(type, tilt)                                                                                                                       \
    "<sdf version='1.6'><model name='m'><link name='base'/><link name='crank'><pose>0 0 0 " tilt " 0 0</pose></link>"                        \
    "<link name='rod'><pose>0 0 1 0 0 0</pose></link><link name='rocker'><pose>2 0 0 0 0 0</pose></link>"                                    \
    "<joint name='root' type='fixed'><parent>world</parent><child>base</child></joint>"                                                      \
    "<joint name='a' type='revolute'><parent>base</parent><child>crank</child><axis><xyz>0 1 0</xyz><limit><lower>.1</lower><upper>1</upper></limit></axis></joint>" \
    "<joint name='b' type='revolute'><parent>crank</parent><child>rod</child><axis><xyz>0 1 0</xyz></axis></joint>"                          \
    "<joint name='c' type='revolute'><parent>base</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint>"                        \
    "<joint name='d' type='" type "'><pose>0 0 1.5 0 0 0</pose><parent>rod</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"
    static const struct {
        const char *text;
        jn_joint_type type;
    } rows[] = {{BAR("ball", "1e-5"), JN_JOINT_POINT_ON_LINE}, {BAR("revolute", "1e-5"), JN_JOINT_POINT_ON_LINE},
                {BAR("ball", "0"), JN_JOINT_SPHERICAL}, {BAR("revolute", "0"), JN_JOINT_REVOLUTE}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        jn_description *d = parse(rows[i].text, "robot.sdf", NULL, 0);
        check_report(&report);
        assert_int_equal(joint(d, "d")->type, rows[i].type);
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        jn_sim *sim = jn_sim_create(m, &report);
        for (int k = 0; k < report.count; k++) print_message("%s\n", report.item[k].text);
        check_report(&report);
        assert_non_null(sim);
        assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
        jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
    }
}

/* Joints of nested models that name links of the model around, of its other models, and their own by their model's name: as Gazebo Classic read files before
 * SDF 1.8. The same file in which the outer model has the joints gives the same places; from 1.8 on a model knows its own parts alone. */
static void test_names_outwards(void **state) {
#define LEG "<model name='leg'><pose>0 .1 -.2 0 0 0</pose><link name='hip'/><link name='foot'><pose>0 0 -.4 0 0 0</pose></link>"
#define ARM "<model name='arm'><pose>0 0 .5 0 0 0</pose><link name='hand'><pose>.3 0 0 0 0 0</pose></link>"
#define HIP "<joint name='hip' type='revolute'><parent>%s</parent><child>%s</child><axis><xyz>0 1 0</xyz></axis></joint>"
#define KNEE "<joint name='knee' type='revolute'><pose>0 0 .1 0 0 0</pose><parent>%s</parent><child>%s</child><axis><xyz>0 1 0</xyz></axis></joint>"
#define WRIST "<joint name='wrist' type='revolute'><parent>%s</parent><child>%s</child><axis><xyz>1 0 0</xyz></axis></joint>"
    static const char form[] = "<sdf version='%s'><world name='w'><model name='robot'><pose>1 0 1 0 0 0</pose>"
                               "<link name='waist'/>" LEG HIP KNEE "</model>" ARM WRIST "</model></model></world></sdf>";
    static const char outer[] = "<sdf version='1.6'><world name='w'><model name='robot'><pose>1 0 1 0 0 0</pose><link name='waist'/>" LEG "</model>" ARM
                                "</model>" HIP KNEE WRIST "</model></world></sdf>";
    char text[3000];
    (void)state;
    snprintf(text, sizeof text, form, "1.6", "robot::waist", "hip", "leg::hip", "robot::leg::foot", "leg::foot", "hand");
    jn_description *d = parse(text, "robot.sdf", NULL, 0);
    check_report(&report);
    snprintf(text, sizeof text, outer, "waist", "leg::hip", "leg::hip", "leg::foot", "leg::foot", "arm::hand");
    jn_description *e = parse(text, "robot.sdf", NULL, 0);
    check_report(&report);
    static const char *const joints[][2] = {{"leg_hip", "hip"}, {"leg_knee", "knee"}, {"arm_wrist", "wrist"}};
    static const char *const ends[][2] = {{"waist", "leg_hip"}, {"leg_hip", "leg_foot"}, {"leg_foot", "arm_hand"}};
    static const double at[][3] = {{1, .1, .8}, {1, .1, .5}, {1.3, 0, 1.5}};
    for (int i = 0; i < 3; i++) {
        const jn_joint_desc *a = joint(d, joints[i][0]), *b = joint(e, joints[i][1]);
        assert_vector(a->frame[0].at, at[i][0], at[i][1], at[i][2]);
        assert_vector(b->frame[0].at, at[i][0], at[i][1], at[i][2]);
        for (int k = 0; k < 2; k++) {
            assert_string_equal(d->bodies[a->body[k]].name, ends[i][k]);
            assert_string_equal(e->bodies[b->body[k]].name, ends[i][k]);
        }
    }
    jn_description_free(d), jn_description_free(e);
    snprintf(text, sizeof text, form, "1.8", "robot::waist", "hip", "hip", "foot", "hand", "hand");
    assert_null(parse(text, "robot.sdf", NULL, 0));
    told("joint 'hip': its <parent> 'robot::waist' is no link");
    snprintf(text, sizeof text, form, "1.6", "robot::knee", "hip", "hip", "foot", "hand", "hand");
    assert_null(parse(text, "robot.sdf", NULL, 0));
    told("joint 'hip': its <parent> 'robot::knee' is no link");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_urdf), cmocka_unit_test(test_world),
                                       cmocka_unit_test(test_axes), cmocka_unit_test(test_two_axes), cmocka_unit_test(test_include),
                                       cmocka_unit_test(test_include_mesh), cmocka_unit_test(test_floating_ring), cmocka_unit_test(test_flat_names), cmocka_unit_test(test_names_outwards), cmocka_unit_test(test_step), cmocka_unit_test(test_usual_models), cmocka_unit_test(test_loop_in_plane), cmocka_unit_test(test_configured), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
