/* MJCF as it is found in the wild: frames and copies, shapes of the assets, contacts by pairs, files that are not quite XML. */
#include "import_text.h"

#include "algebra/vec3.h"

#include <math.h>

static const jn_shape_desc *shape(const jn_description *d, const char *name) {
    for (int i = 0; i < d->shape_count; i++)
        if (d->shapes[i].name && !strcmp(d->shapes[i].name, name)) return &d->shapes[i];
    print_error("there is no shape '%s'\n", name);
    fail();
    return NULL;
}

/* Joints and bodies in frames stand where the frames put them; the joints of a body come before those of the bodies on it. */
static void test_frames(void **state) {
    static const char text[] =
        "<mujoco><default><default class='loose'><joint damping='3'/></default></default><worldbody>\n"
        "<frame pos='0 0 1' euler='0 0 90'><body name='a' pos='1 0 0'>\n"
        "<frame pos='0.5 0 0' euler='0 0 90' childclass='loose'><body name='b' pos='0 2 0'><joint name='knee'/>" BALL
        "</body><joint name='hip' pos='0 0.25 0' axis='1 0 0'/>" BALL "</frame></body></frame></worldbody>\n"
        "<keyframe><key name='k' qpos='0.1 0.2'/></keyframe></mujoco>\n";
    static const char *key[][2] = {{"import.keyframe", "k"}};
    (void)state;
    jn_description *d = parse(text, "robot.xml", key, 1);
    check_report(&report);
    assert_vector(body(d, "a")->at, 0, 1, 1);
    assert_vector(joint(d, "hip")->frame[0].at, 0, 1.25, 1); /* x of a is y, x of the frame in it is -x */
    assert_vector(joint(d, "hip")->frame[0].axis, -1, 0, 0);
    assert_vector(body(d, "b")->at, 0, -0.5, 1);
    assert_near(joint(d, "hip")->coordinate[0].damping, 3, 0);
    assert_near(joint(d, "hip")->coordinate[0].position, 0.1, 1e-15);
    assert_near(joint(d, "knee")->coordinate[0].position, 0.2, 1e-15);
    jn_description_free(d);
}

/* Each copy is turned once more, and offset in the axes of the one before; copies of copies have both numbers in their name. */
static void test_replicate(void **state) {
    static const char text[] =
        WORLD("<replicate count='10' sep='_' offset='1 0 0' euler='0 0 90'><body name='a' pos='0 0 2'><freejoint/>" BALL
              "<replicate count='2' offset='0 0 0.5'><geom name='g' size='0.1' pos='0 0.3 0'/></replicate>"
              "</body></replicate>");
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->body_count, 1 + 10);
    assert_vector(body(d, "a_00")->at, 0, 0, 2);
    assert_vector(body(d, "a_01")->at, 1, 0, 2);
    assert_vector(body(d, "a_02")->at, 1, 1, 2);
    assert_vector(body(d, "a_03")->at, 0, 1, 2);
    assert_near(body(d, "a_01")->orientation.z, sqrt(0.5), 1e-14);
    assert_int_equal(d->shape_count, 30);
    assert_vector(shape(d, "g1_07")->at, 0, 0.3, 0.5);
    jn_description_free(d);
}

/* Corners in the text: a hull with the mass of its inside. */
static void test_corners(void **state) {
    static const char text[] =
        "<mujoco><asset><mesh name='wedge' scale='2 1 1' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
        "<worldbody><body name='a'><freejoint/><geom type='mesh' mesh='wedge' "
        "density='600'/></body></worldbody></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->shapes[0].type, JN_SHAPE_HULL);
    assert_int_equal(d->shapes[0].point_count, 4);
    assert_near(body(d, "a")->mass, 600 * 2.0 / 6, 1e-11);
    assert_vector(body(d, "a")->com, 0.5, 0.25, 0.25);
    jn_description_free(d);
}

/* A box fitted to a box is that box, wherever its corners stand; a ball has the mean of its half sides. */
static void test_fit(void **state) {
    static const char text[] =
        "<mujoco><asset><mesh name='brick' vertex='1 1 1  1 1 1.6  1 1.4 1  1 1.4 1.6  1.2 1 1  1.2 1 1.6  1.2 1.4 1  "
        "1.2 1.4 1.6'/></asset><worldbody><body name='a'><freejoint/><geom name='box' type='box' mesh='brick'/>"
        "<geom name='ball' type='sphere' mesh='brick'/><geom name='rod' type='cylinder' mesh='brick'/></body>"
        "</worldbody></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    const jn_shape_desc *box = shape(d, "box");
    assert_int_equal(box->type, JN_SHAPE_BOX);
    assert_vector(box->at, 1.1, 1.2, 1.3);
    assert_near(box->size.x, 0.2, 1e-12); /* the longest side along z */
    assert_near(box->size.y, 0.4, 1e-12);
    assert_near(box->size.z, 0.6, 1e-12);
    assert_near(shape(d, "ball")->size.x, 0.2, 1e-12);
    assert_near(shape(d, "rod")->size.x, 0.15, 1e-12);
    assert_near(shape(d, "rod")->size.y, 0.6, 1e-12);
    jn_description_free(d);
}

/* Heights of the text are scaled to the size; its first row is that with the largest y. */
static void test_heights(void **state) {
    static const char text[] =
        "<mujoco><asset><hfield name='hill' nrow='2' ncol='3' elevation='-1 0 1  0 0 0' size='3 2 0.5 0.1'/></asset>"
        "<worldbody><geom type='hfield' hfield='hill' pos='0 0 1'/><body><freejoint/>" BALL
        "</body></worldbody></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    const jn_shape_desc *hill = &d->shapes[0];
    assert_int_equal(hill->type, JN_SHAPE_HEIGHTFIELD);
    assert_vector(hill->at, 0, 0, 1);
    assert_near(hill->size.x, 6, 0);
    assert_near(hill->size.y, 4, 0);
    assert_int_equal(hill->grid[0], 3);
    assert_int_equal(hill->grid[1], 2);
    static const double heights[] = {0.25, 0.25, 0.25, 0, 0.25, 0.5};
    for (int i = 0; i < 6; i++) assert_near(hill->heights[i], heights[i], 1e-15);
    jn_description_free(d);
}

static bool meet(const jn_shape_desc *s, const jn_shape_desc *t) {
    return (s->layer & t->touches) != 0 || (t->layer & s->touches) != 0;
}

/* Geoms that touch in pairs alone: those of a pair meet, no others do, and the pair gives the friction. */
static void test_pairs(void **state) {
    static const char text[] =
        "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody>"
        "<geom name='floor' type='plane' size='0 0 1'/>"
        "<body name='a' pos='0 0 1'><freejoint/><geom name='left' size='0.1'/><geom name='right' pos='1 0 0' "
        "size='0.1'/>"
        "<geom name='look' size='0.5'/></body>"
        "<body name='b' pos='5 0 1'><freejoint/><geom name='ball' size='0.1'/></body></worldbody>"
        "<contact><pair geom1='left' geom2='floor' friction='0.6 0.6'/><pair geom1='floor' geom2='right' "
        "friction='0.6 0.6'/><pair geom1='ball' geom2='right'/></contact></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    const jn_shape_desc *floor = shape(d, "floor"), *left = shape(d, "left"), *right = shape(d, "right"),
                        *ball = shape(d, "ball");
    assert_int_equal(d->shape_count, 4); /* nothing touches 'look' */
    assert_true(meet(floor, left) && meet(floor, right) && meet(ball, right));
    assert_false(meet(floor, ball) || meet(left, right) || meet(left, ball));
    int laws = 0;
    for (int i = 0; i < d->contact_count; i++) laws += d->contacts[i].friction == 0.6 && d->contacts[i].is_pair;
    assert_int_equal(laws, 1);
    jn_description_free(d);
}

/* A mesh that is missing: one ball of water with the mass of its body, at its centre, for all of the body's meshes. */
static void test_stand_in(void **state) {
    static const char text[] =
        "<mujoco><compiler meshdir='parts'/><asset><mesh file='none.stl'/></asset><worldbody><body "
        "name='a'><freejoint/>"
        "<geom type='mesh' mesh='none'/><geom type='mesh' mesh='none'/><geom type='capsule' mesh='none'/>"
        "<inertial pos='0 0 0.2' mass='2' diaginertia='1 1 1'/></body></worldbody></mujoco>";
    static const char *lenient[][2] = {{"import.lenient", "true"}};
    (void)state;
    jn_description *d = parse(text, "robot.xml", lenient, 1);
    check_report(&report);
    assert_non_null(strstr(told("collision mesh that cannot be read")->hint, "put it at 'parts/none.stl'"));
    assert_int_equal(d->shape_count, 1);
    assert_near(d->shapes[0].size.x, cbrt(3 * 2 / (4 * 3.14159265358979323846 * 1000)), 1e-14);
    assert_vector(d->shapes[0].at, 0, 0, 0.2);
    jn_description_free(d);
}

/* Other programs read comments with dashes or strange bytes, and a declaration that does not come first; lines stay. */
static void test_not_quite_xml(void **state) {
    static const char text[] =
        "\n<!-- ---- 30 \xB0 <body> ---- -->\n<?xml version='1.0'?>\n"
        "<mujoco><worldbody><body name='a'>\n<!-- -- --><freejoint/>" BALL "</body></worldbody></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(joint(d, "a_joint")->where.line, 5);
    jn_description_free(d);
    jn_description_free(read_text("<?xml version=\"0.0\" encoding='utf-8'?>" WORLD("<body>" BALL "</body>")));
    jn_description_free(read_text("<?xml version='1' ?>\n" WORLD("<body>" BALL "</body>")));
    assert_null(parse("<mujoco><!-- <worldbody/></mujoco>", "robot.xml", NULL, 0));
    told("not well-formed XML");
}

/* A muscle without lengthrange has the lengths of its joint's range, times the gear; without a range it is left out and its sensor too. */
static void test_muscle_lengths(void **state) {
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='hip' range='-0.5 1.5'/>" BALL
        "<body><joint name='knee'/>" BALL "</body></body></worldbody><actuator><muscle name='loose' joint='knee'/>"
        "<muscle name='tied' joint='hip' gear='-2'/></actuator><sensor><actuatorfrc actuator='loose'/>"
        "<actuatorfrc name='pull' actuator='tied'/></sensor></mujoco>";
    static const char *lenient[][2] = {{"import.lenient", "true"}};
    (void)state;
    assert_null(parse(text, "robot.xml", NULL, 0));
    told("muscles without lengthrange");
    jn_description *d = parse(text, "robot.xml", lenient, 1);
    check_report(&report);
    assert_int_equal(d->actuator_count, 1);
    assert_string_equal(d->actuators[0].name, "tied");
    assert_near(d->actuators[0].muscle.lengths[0], -3, 0);
    assert_near(d->actuators[0].muscle.lengths[1], 1, 0);
    assert_int_equal(d->sensor_count, 1);
    assert_string_equal(d->sensors[0].name, "pull");
    jn_model *m = jn_model_compile(d, &report);
    assert_non_null(m);
    jn_model_free(m), jn_description_free(d);
}

/* All actuators of a joint together stay within actuatorfrcrange; inheritrange keeps their target within the joint's range. */
static void test_bounds(void **state) {
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body><joint name='hip' range='-0.5 1.5' actuatorfrcrange='-3 "
        "2'/>" BALL
        "<body><joint name='knee' range='0.5 1.5' ref='1' actuatorfrcrange='-3 2' actuatorfrclimited='false'/>" BALL
        "</body></body></worldbody><actuator><motor name='a' joint='hip' gear='10'/><motor name='b' joint='hip'/>"
        "<position name='p' joint='knee' kp='8' inheritrange='0.5'/></actuator>"
        "<keyframe><key name='k' qpos='0 1' ctrl='1 -4 0'/></keyframe></mujoco>";
    static const char *key[][2] = {{"import.keyframe", "k"}};
    double var[3] = {0, 0.1, 0}; /* t, x, v */
    (void)state;
    jn_description *d = parse(text, "robot.xml", key, 1);
    check_report(&report);
    for (int i = 0; i < 2; i++) {
        assert_true(d->actuators[i].has_total_range);
        assert_near(d->actuators[i].total_range[0], -3, 0);
        assert_near(d->actuators[i].total_range[1], 2, 0);
    }
    assert_near(jn_function_value(d->actuators[1].control, d->tables, var), -4, 0);
    assert_false(d->actuators[2].has_total_range);
    assert_near(d->actuators[2].control_range[0], 0.75, 1e-15); /* half of the range about its middle */
    assert_near(d->actuators[2].control_range[1], 1.25, 1e-15);
    assert_near(d->actuators[2].offset, 1, 0);
    jn_description_free(d);
}

/* Any number of actuators on one joint. */
static void test_many_actuators(void **state) {
    enum { COUNT = 200 };
    char text[COUNT * 64 + 400], ctrl[COUNT * 4];
    int n = snprintf(text, sizeof text, WORLD("<body><joint name='hip'/>" BALL "</body>")), k = 0;
    n -= (int)strlen("</mujoco>");
    n += snprintf(text + n, sizeof text - (size_t)n, "<actuator>");
    for (int i = 0; i < COUNT; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "<motor name='m%d' joint='hip' gear='%d'/>", i, i + 1);
        k += snprintf(ctrl + k, sizeof ctrl - (size_t)k, "1 ");
    }
    snprintf(text + n, sizeof text - (size_t)n,
             "</actuator><keyframe><key name='k' qpos='0' ctrl='%s'/></keyframe></mujoco>", ctrl);
    static const char *key[][2] = {{"import.keyframe", "k"}};
    double var[3] = {0, 0, 0}; /* t, x, v */
    (void)state;
    jn_description *d = parse(text, "robot.xml", key, 1);
    check_report(&report);
    assert_int_equal(d->actuator_count, COUNT);
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += d->actuators[i].gear * jn_function_value(d->actuators[i].control, d->tables, var);
    assert_near(sum, COUNT * (COUNT + 1) / 2, 0);
    jn_description_free(d);
}

static const struct {
    const char *text, *message;
    int line;
} wrong[] = {
    {WORLD("\n<replicate count='0'><body>" BALL "</body></replicate>"), "<replicate count> is a whole number", 2},
    {WORLD("\n<replicate><body>" BALL "</body></replicate>"), "<replicate> has no 'count'", 2},
    {WORLD("<replicate count='1000'><replicate count='1000'><body>" BALL "</body></replicate></replicate>"),
     "<replicate> and <attach> make more than", 1},
    {"<mujoco><asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset><worldbody><body><geom "
     "mesh='m'/></body></worldbody>"
     "</mujoco>",
     "points lie in one plane", 2},
    {"<mujoco><asset>\n<mesh name='m' vertex='0 0 0 1'/></asset><worldbody><body><geom "
     "mesh='m'/></body></worldbody></mujoco>",
     "needs three numbers for each of four corners", 2},
    {"<mujoco><asset>\n<hfield name='h' nrow='2' ncol='2' elevation='1 2 3' size='1 1 1 1'/></asset>"
     "<worldbody><geom type='hfield' hfield='h'/><body>" BALL "</body></worldbody></mujoco>",
     "<hfield elevation> has 3 numbers", 2},
    {"<mujoco><asset><hfield name='h' file='hill.png' size='1 1 1 1'/></asset><worldbody>\n"
     "<geom type='hfield' hfield='h'/><body>" BALL "</body></worldbody></mujoco>",
     "height fields whose file is not there: hill.png", 2},
    {WORLD("\n<geom type='hfield' hfield='h'/><body>" BALL "</body>"), "there is no hfield 'h' among the assets", 2},
};

static void test_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        jn_description *d = parse(wrong[i].text, "robot.xml", NULL, 0);
        if (d) print_error("taken without error: %s\n", wrong[i].text);
        assert_null(d);
        assert_int_equal(told(wrong[i].message)->line, wrong[i].line);
    }
}

/* A picture of 2 x 3 points, 0 to 255: its upper row has the larger y. */
static void test_height_picture(void **state) {
    static const unsigned char picture[] = {
        137, 80, 78, 71, 13,  10, 26,  10,  0,   0,  0,  13, 73, 72, 68, 82, 0,   0,   0,  3,   0,  0,  0,  2,   8,
        0,   0,  0,  0,  184, 31, 57,  198, 0,   0,  0,  16, 73, 68, 65, 84, 120, 218, 99, 96,  48, 78, 99, 152, 121,
        230, 63, 0,  7,  154, 2,  254, 7,   179, 80, 87, 0,  0,  0,  0,  73, 69,  78,  68, 174, 66, 96, 130};
    static const char scene[] =
        "<mujoco><asset><hfield name='hills' file='heights.png' size='1 2 0.5 0.1'/></asset><worldbody>"
        "<geom type='hfield' hfield='hills'/><body pos='0 0 2'><freejoint/><geom "
        "size='0.1'/></body></worldbody></mujoco>";
    (void)state;
    FILE *file = fopen("heights.png", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(picture, 1, sizeof picture, file), sizeof picture);
    fclose(file);
    jn_description *d = jn_description_parse(scene, sizeof scene - 1, "scene.xml", NULL, 0, &report);
    check_report(&report);
    assert_non_null(d);
    const jn_shape_desc *s = &d->shapes[0];
    static const double expected[6] = {0.3, 0.4, 0.5, 0, 0.1, 0.2};
    assert_int_equal(s->type, JN_SHAPE_HEIGHTFIELD);
    assert_int_equal(s->grid[0], 3), assert_int_equal(s->grid[1], 2);
    for (int i = 0; i < 6; i++) assert_near(s->heights[i], expected[i], 1e-15);
    jn_description_free(d);
    file = fopen("heights.png", "wb"); /* cut short */
    assert_int_equal(fwrite(picture, 1, 50, file), 50);
    fclose(file);
    assert_null(jn_description_parse(scene, sizeof scene - 1, "scene.xml", NULL, 0, &report));
    assert_non_null(strstr(report.item[0].text, "the height field 'heights.png' cannot be read"));
    remove("heights.png");
    assert_null(jn_description_parse(scene, sizeof scene - 1, "scene.xml", NULL, 0, &report));
    assert_int_equal(report.item[0].status, JN_ERR_IO);
}

/* What is refused by its name, and what to write instead; a distance field of a mesh touches as the mesh is. */
static void test_surfaces(void **state) {
    static const struct {
        const char *text, *says;
    } bad[] = {{WORLD("<body><freejoint/><geom type='sdf'><plugin plugin='mujoco.sdf.bowl'/></geom>" BALL "</body>"),
                "sdf geoms whose surface a plugin computes: mujoco.sdf.bowl"},
               {WORLD("<body><joint type='ball' stiffness='1 2 3'/>" BALL "</body>"),
                "polynomials of stiffness and damping of free and ball joints"},
               {WORLD("<body><joint stiffness='1 2 3 4'/>" BALL "</body>"), "stiffness"}};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        jn_description *d = parse(bad[k].text, "robot.xml", NULL, 0);
        if (d) print_error("taken without error: %s\n", bad[k].text);
        assert_null(d), told(bad[k].says);
    }
    jn_description_free(read_text(WORLD("<body><freejoint/><geom size='.1' surfacevel='0 0 0 0 0 0' adhesion='0'/></body>")));
    FILE *file = fopen("corner_sdf.obj", "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    jn_description *d = read_text("<mujoco><asset><mesh name='m' file='corner_sdf.obj'/></asset><worldbody><body><freejoint/><geom type='sdf' mesh='m'/></body>"
                                  "</worldbody></mujoco>");
    remove("corner_sdf.obj");
    assert_int_equal(d->shapes[0].type, JN_SHAPE_MESH);
    assert_near(d->bodies[1].mass, 1000.0 / 6, 1e-9);
    jn_description_free(d);
}

/* Energy of springs at the start. */
static double elastic_energy(jn_description *d) {
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    assert_true(jn_assemble(m, w, s, &report) >= 0 && jn_observe(m, w, s) >= 0);
    double energy = jn_energy_get(m, w).elastic;
    jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
    return energy;
}

/* The spring of a ball joint holds with k times the angle, also where a keyframe turns it; a range is a stop of the angle, and a keyframe
 * beyond it starts there. */
static void test_ball_spring(void **state) {
    static const char text[] =
        "<mujoco><worldbody><body name='a' pos='0 0 1'><joint name='j' type='ball' stiffness='5'/>" BALL "</body></worldbody>"
        "<keyframe><key name='k' qpos='.8 .6 0 0'/></keyframe></mujoco>";
    static const char *key[][2] = {{"import.keyframe", "k"}};
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->force_count, 1);
    assert_near(d->forces[0].stiffness6[3], 5, 0), assert_near(d->forces[0].stiffness6[0], 0, 0);
    assert_near(elastic_energy(d), 0, 0);
    double angle = 2 * atan2(0.6, 0.8); /* about x, of a body that is turned itself */
    d = parse(text, "robot.xml", key, 1);
    assert_true(d->forces[0].framed);
    assert_near(elastic_energy(d), 0.5 * 5 * angle * angle, 1e-12);
    static const char free_text[] =
        "<mujoco><worldbody><body pos='1 2 3' euler='30 40 50'><joint type='free' stiffness='7'/>" BALL
        "</body></worldbody>"
        "<keyframe><key name='k' qpos='1 2 5 1 0 0 0'/></keyframe></mujoco>";
    d = parse(free_text, "robot.xml", key, 1);
    jn_vec3 turn = q4_log(
        q4_mul(q4_mul(q4_exp(v3(M_PI / 6, 0, 0)), q4_exp(v3(0, M_PI * 2 / 9, 0))), q4_exp(v3(0, 0, M_PI * 5 / 18))));
    assert_near(elastic_energy(d), 0.5 * 7 * (4 + v3_dot(turn, turn)), 1e-12);
}

/* Lengths of muscles that the file does not name: the ends of what the ranges of the joints allow, also across a coupler; over joints without
 * a range there are none. */
static void test_found_lengths(void **state) {
#define CARTS(range)                                                                                                   \
    "<mujoco><worldbody><site name='o' pos='0 0 1'/><body><joint name='s' type='slide' axis='1 0 0' ref='.2' " range   \
    "/>" BALL "</body>"                                                                                                \
    "<body><joint name='r' type='slide' axis='1 0 0' range='-2 2'/>" BALL                                              \
    "<site name='e'/></body></worldbody><equality><joint joint1='r' "                                                  \
    "joint2='s' polycoef='.1 2 .5 0 0'/></equality><tendon><fixed name='f'><joint joint='s' "                          \
    "coef='-3'/></fixed><spatial name='p'><site site='o'/>"                                                            \
    "<site site='e'/></spatial></tendon><actuator><muscle name='m' tendon='f'/><muscle name='n' tendon='p' "           \
    "gear='2'/></actuator></mujoco>"
    (void)state;
    jn_description *d = read_text(CARTS("range='-.1 .7'"));
    const double *f = d->actuators[0].muscle.lengths, *p = d->actuators[1].muscle.lengths,
                 far = 0.1 + 2 * 0.5 + 0.5 * 0.25; /* coupled from ref on */
    assert_near(f[0], -2.1, 1e-12), assert_near(f[1], 0.3, 1e-12);
    assert_near(p[0], 2, 1e-9), assert_near(p[1], 2 * sqrt(1 + far * far), 1e-9);
    jn_description_free(d);
    assert_null(parse(CARTS(""), "robot.xml", NULL, 0)), told("whose length no range of joints bounds");
#undef CARTS
}

/* Surfaces that move: in the frame of the geom, also where its shapes have others; a body that no joint moves is a part of the ground. */
static void test_belts(void **state) {
    (void)state;
    jn_description *d = read_text(
        "<mujoco><compiler angle='degree'/><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' refpos='.1 .2 .3' refquat='1 1 0 0'/></asset><worldbody>"
        "<geom type='box' size='1 1 .1' surfacevel='1.5 0 0 0 0 2'/>"
        "<body name='a' pos='0 0 1'><freejoint/><geom type='cylinder' fromto='0 0 0 1 0 0' size='.1' surfacevel='0 0 0 0 0 3'/>"
        "<geom type='mesh' mesh='m' pos='1 0 0' euler='0 0 90' surfacevel='1 0 0 0 0 2'/></body></worldbody></mujoco>");
    assert_near(d->shapes[0].surface_velocity.x, 1.5, 0), assert_near(d->shapes[0].surface_rotation.z, 2, 0);
    assert_near(d->shapes[1].surface_rotation.z, 3, 1e-15);
    const jn_shape_desc *s = &d->shapes[2];
    jn_vec3 p = v3(0.3, -0.4, 0.7), v = q4_rotate(s->orientation, s->surface_velocity), w = q4_rotate(s->orientation, s->surface_rotation);
    jn_vec3 moves = v3_add(v, v3_cross(w, v3_sub(p, s->at)));
    assert_near(moves.x, -2 * (p.y - 0), 1e-12); /* v along y; 2 z x (p - (1, 0, 0)) */
    assert_near(moves.y, 1 + 2 * (p.x - 1), 1e-12);
    assert_near(moves.z, 0, 1e-12);
    jn_description_free(d);
}

/* Geoms that stick are shapes that do. */
static void test_sticky(void **state) {
    (void)state;
    jn_description *d = read_text(
        "<mujoco><worldbody><geom type='plane' size='1 1 1' adhesion='2'/><body name='a' pos='0 0 1'><freejoint/>"
        "<geom size='.1' adhesion='.5' gap='.003'/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>");
    assert_near(d->shapes[0].adhesion, 2, 0), assert_near(d->shapes[1].adhesion, 0.5, 0),
        assert_near(d->shapes[2].adhesion, 0, 0);
    assert_near(d->shapes[1].adhesion_reach, 0.003, 0), assert_near(d->shapes[2].adhesion_reach, 0, 0);
    jn_description_free(d);
    assert_null(parse(WORLD("<body><freejoint/><geom size='.1' adhesion='-1'/></body>"), "robot.xml", NULL, 0)),
        told("not negative");
}

static void test_ball_range(void **state) {
    static const char text[] =
        "<mujoco><worldbody><body name='a' pos='0 0 1' euler='10 20 30'><joint name='j' type='ball' range='0 40'/>" BALL
        "</body></worldbody>"
        "<keyframe><key name='k' qpos='.8 .6 0 0'/></keyframe></mujoco>";
    static const char *key[][2] = {{"import.keyframe", "k"}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        jn_description *d = parse(text, "robot.xml", key, k);
        assert_int_equal(d->tendon_count, 1);
        assert_true(d->tendons[0].is_rotation);
        assert_near(d->tendons[0].law.upper, 40 * M_PI / 180, 1e-15);
        jn_model *m = jn_model_compile(d, &report);
        jn_work *w = jn_work_create(m);
        jn_state *s = jn_state_create(m);
        assert_true(jn_assemble(m, w, s, &report) >= 0 && jn_observe(m, w, s) >= 0);
        assert_near(jn_tendon_motion_get(m, w, 0).q, k ? 40 * M_PI / 180 : 0, 1e-7);
        jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
    }
}

/* Equalities of joints in a cycle: three pendulums that follow each other move as one alone, from any keyframe; factors that contradict each other
 * hold all of them at zero. */
static void test_cycle(void **state) {
#define ARM(name, y) "<body name='" name "' pos='0 " y " 0'><joint name='" name "' axis='0 1 0'/><geom size='.1' mass='1' pos='1 0 0' contype='0' conaffinity='0'/></body>"
#define TIED(factor)                                                                                                                                    \
    "<mujoco><worldbody>" ARM("j", "0") ARM("k", "2") ARM("l", "4") "</worldbody><equality><joint joint1='j' joint2='k' polycoef='0 " factor              \
    " 0 0 0'/><joint joint1='k' joint2='l' polycoef='0 " factor " 0 0 0'/><joint joint1='l' joint2='j' polycoef='0 " factor                              \
    " 0 0 0'/></equality><keyframe><key name='k' qpos='.1 .2 .3'/></keyframe></mujoco>"
    static const char *const texts[] = {TIED("1"), TIED("2"), WORLD(ARM("j", "0"))};
    static const char *key[][2] = {{"import.keyframe", "k"}};
    double angle[3][3] = {{0}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        jn_description *d = parse(texts[k], "robot.xml", key, k == 1);
        check_report(&report);
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        jn_sim *sim = jn_sim_create(m, &report);
        check_report(&report);
        assert_true(jn_sim_advance(sim, 0.4) >= 0);
        for (int i = 0; i < jn_model_joints(m); i++) angle[k][i] = jn_sim_state(sim)->q[jn_model_joint_q_index(m, i)];
        jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(angle[0][i], angle[2][0], 1e-9);
        assert_near(angle[1][i], 0, 1e-12);
    }
    assert_true(angle[2][0] > 0.5);
#undef TIED
#undef ARM
}

/* Every kind of sensor that MuJoCo 3.12 has (mjtSensor) is read, but for those that a program fills or that look into sdf geoms. */
static void test_sensor_kinds(void **state) {
    static const char text[] =
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><camera name='c' resolution='64 48' pos='0 0 5'/>"
        "<camera name='turns' mode='targetbody' target='a' resolution='64 48'/><body name='a' pos='0 0 1'><joint name='h' range='-1 1'/>"
        "<geom name='ga' size='.1'/><site name='s'/><body name='b' pos='0 0 1'><joint name='ball' type='ball'/><geom name='gb' "
        "size='.1'/></body></body></worldbody><tendon><fixed name='t' range='-1 1'><joint joint='h' coef='1'/></fixed></tendon>"
        "<actuator><motor name='m' joint='h'/></actuator><sensor>"
        "<touch site='s'/><accelerometer site='s'/><velocimeter site='s'/><gyro site='s'/><force site='s'/><torque site='s'/>"
        "<magnetometer site='s'/><rangefinder site='s'/><camprojection site='s' camera='c'/><jointpos joint='h'/><jointvel joint='h'/>"
        "<tendonpos tendon='t'/><tendonvel tendon='t'/><actuatorpos actuator='m'/><actuatorvel actuator='m'/><actuatorfrc actuator='m'/>"
        "<jointactuatorfrc joint='h'/><tendonactuatorfrc tendon='t'/><ballquat joint='ball'/><ballangvel joint='ball'/>"
        "<jointlimitpos joint='h'/><jointlimitvel joint='h'/><jointlimitfrc joint='h'/><tendonlimitpos tendon='t'/><tendonlimitvel "
        "tendon='t'/><tendonlimitfrc tendon='t'/><framepos objtype='geom' objname='ga'/><framequat objtype='camera' objname='c'/>"
        "<framexaxis objtype='site' objname='s'/><frameyaxis objtype='site' objname='s'/><framezaxis objtype='site' objname='s'/>"
        "<framelinvel objtype='body' objname='a'/><frameangvel objtype='xbody' objname='b'/><framelinacc objtype='site' objname='s'/>"
        "<frameangacc objtype='site' objname='s'/><subtreecom body='a'/><subtreelinvel body='a'/><subtreeangmom body='a'/><insidesite "
        "site='s' objtype='body' objname='b'/><distance geom1='ga' geom2='gb' cutoff='9'/><normal body1='a' body2='b' cutoff='9'/>"
        "<fromto geom1='ga' geom2='floor' cutoff='9'/><contact geom1='ga' data='found force' num='100'/><e_potential/><e_kinetic/><clock/>"
        "%s</sensor></mujoco>";
    static const struct {
        const char *sensor, *says;
    } others[] = {{"<tactile geom='ga' mesh='m'/>", "sensors 'tactile'"},
                  {"<plugin plugin='x' objtype='body' objname='a'/>", "sensors 'plugin'"},
                  {"<user dim='2'/>", "sensors 'user'"},
                  {"<smell site='s'/>", "of a kind that MuJoCo 3.12 does not have"},
                  {"<camprojection site='s' camera='turns'/>", "sensors 'camprojection' of something"},
                  {"<rangefinder camera='c'/>", "sensors 'rangefinder' of cameras"},
                  {"<rangefinder site='s' data='dist point'/>", "with data other than dist"}};
    char whole[6000];
    (void)state;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        snprintf(whole, sizeof whole, text, others[k].sensor);
        jn_description *d = read_text(whole);
        told(others[k].says), told("more contacts than there is room for");
        assert_int_equal(d->sensor_count, 46);
        assert_int_equal(d->sensors[42].slots, 64);
        jn_description_free(d);
    }
    snprintf(whole, sizeof whole, text, "<contact data='found thrust'/>");
    assert_null(parse(whole, "robot.xml", NULL, 0)), told("there is no data 'found thrust'");
    snprintf(whole, sizeof whole, text, "<contact reduce='least'/>");
    assert_null(parse(whole, "robot.xml", NULL, 0)), told("there is no reduce 'least'");
    snprintf(whole, sizeof whole, text, "<contact num='0'/>");
    assert_null(parse(whole, "robot.xml", NULL, 0)), told("'num' is below 1");
}

/* Joints that a tendon alone drives keep their actuatorfrcrange, and groups of actuators are switched off. */
static void test_bounded_joints(void **state) {
    static const char text[] =
        "<mujoco><option actuatorgroupdisable='2'/><worldbody><body name='a'><joint name='l' actuatorfrcrange='-1 2'/>" BALL
        "<body name='b'><joint name='r'/>" BALL "</body></body></worldbody><tendon><fixed name='t'><joint joint='l' coef='.5'/><joint joint='r' "
        "coef='1'/></fixed></tendon><actuator><motor name='off' joint='l' group='2'/><motor name='m' tendon='t'/></actuator></mujoco>";
    (void)state;
    jn_description *d = read_text(text);
    assert_int_equal(d->actuator_count, 2);
    assert_string_equal(d->actuators[0].name, "m");
    assert_string_equal(d->actuators[1].name, "l_force_range");
    assert_true(d->actuators[1].has_total_range && d->actuators[1].gain[0] == 0);
    assert_near(d->actuators[1].total_range[1], 2, 0);
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounded_joints),
                                       cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_replicate),
                                       cmocka_unit_test(test_corners),
                                       cmocka_unit_test(test_fit),
                                       cmocka_unit_test(test_heights),
                                       cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_stand_in),
                                       cmocka_unit_test(test_not_quite_xml),
                                       cmocka_unit_test(test_muscle_lengths),
                                       cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_many_actuators),
                                       cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_height_picture),
                                       cmocka_unit_test(test_sensor_kinds),
                                       cmocka_unit_test(test_surfaces),
                                       cmocka_unit_test(test_ball_spring),
                                       cmocka_unit_test(test_belts), cmocka_unit_test(test_sticky),
                                       cmocka_unit_test(test_ball_range),
                                       cmocka_unit_test(test_found_lengths),
                                       cmocka_unit_test(test_cycle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
