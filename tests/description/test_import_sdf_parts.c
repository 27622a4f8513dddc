/* SDF: universal joints with laws, gearboxes, cones, weights by density, placement frames, merged models, height maps. */
#include "import_text.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define INERTIAL(m)                                                                                                    \
    "<inertial><pose>.1 .2 .3 .4 .5 .6</pose><mass>" m "</mass><inertia><ixx>.2</ixx><iyy>.3</iyy><izz>.4</izz>"       \
    "<ixy>.01</ixy><ixz>.02</ixz><iyz>.03</iyz></inertia></inertial>"

/* Universal joints with a range, a spring or friction are two hinges in a row: the same mass matrix as one without has at the same angles. */
static void test_universal_laws(void **state) {
#define KNEE(first, second)                                                                                             \
    "<sdf version='1.9'><model name='m'><link name='a'>" INERTIAL("2") "</link><link name='b'><pose>.4 .1 0 .2 .1 0</pose>" INERTIAL("1") \
    "</link><joint name='u' type='universal'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>" first "</axis><axis2><xyz>0 1 0</xyz>" \
    second "</axis2></joint></model></sdf>"
    (void)state;
    jn_description *d = read_text(KNEE("", "")), *e = read_text(KNEE("<limit><lower>-1</lower><upper>.5</upper></limit>",
                                                                     "<dynamics><damping>.3</damping></dynamics>"));
    assert_true(joint(d, "u")->type == JN_JOINT_UNIVERSAL && joint(e, "u")->type == JN_JOINT_REVOLUTE);
    assert_near(joint(e, "u")->coordinate[0].lower, -1, 0);
    assert_near(joint(e, "u_2")->coordinate[0].damping, 0.3, 0);
    jn_model *a = jn_model_compile(d, &report), *b = jn_model_compile(e, &report);
    check_report(&report);
    assert_int_equal(jn_model_nv(a), 8), assert_int_equal(jn_model_nv(b), 8);
    jn_work *wa = jn_work_create(a), *wb = jn_work_create(b);
    jn_state *sa = jn_state_create(a), *sb = jn_state_create(b);
    double Ma[64], Mb[64];
    int ua = -1, ub[2] = {-1, -1}, fa = -1, fb = -1;
    for (int i = 0; i < jn_model_joints(a); i++) {
        if (!strcmp(jn_model_joint_name(a, i), "u")) ua = jn_model_joint_u_index(a, i);
        if (!strcmp(jn_model_joint_name(a, i), "a_free")) fa = jn_model_joint_u_index(a, i);
    }
    for (int i = 0; i < jn_model_joints(b); i++) {
        if (!strcmp(jn_model_joint_name(b, i), "u")) ub[0] = jn_model_joint_u_index(b, i);
        if (!strcmp(jn_model_joint_name(b, i), "u_2")) ub[1] = jn_model_joint_u_index(b, i);
        if (!strcmp(jn_model_joint_name(b, i), "a_free")) fb = jn_model_joint_u_index(b, i);
    }
    sa->q[ua + 1] = 0.3, sa->q[ua + 2] = -0.4; /* a free joint has one coordinate more than velocities */
    sb->q[ub[0] + 1] = 0.3, sb->q[ub[1] + 1] = -0.4;
    jn_kinematics(a, wa, sa), jn_kinematics(b, wb, sb);
    jn_mass_matrix(a, wa, sa, Ma), jn_mass_matrix(b, wb, sb, Mb);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) {
            int ia = i < 6 ? fa + i : ua + i - 6, ka = k < 6 ? fa + k : ua + k - 6;
            int ib = i < 6 ? fb + i : ub[i - 6], kb = k < 6 ? fb + k : ub[k - 6];
            assert_near(Mb[ib * 8 + kb], Ma[ia * 8 + ka], 1e-13);
        }
    jn_state_free(sa), jn_state_free(sb), jn_work_free(wa), jn_work_free(wb), jn_model_free(a), jn_model_free(b);
    jn_description_free(d), jn_description_free(e);
#undef KNEE
}

/* A gearbox couples two hinges of its reference: theta_2 = -ratio theta_1, whichever way the hinges are written. */
static void test_gearbox(void **state) {
    (void)state;
    jn_description *d = read_text(
        "<sdf version='1.9'><model name='m'><link name='base'/><link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>"
        "<joint name='j1' type='revolute'><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>"
        "<joint name='j2' type='revolute'><parent>base</parent><child>b</child><axis><xyz>0 0 -1</xyz></axis></joint>"
        "<joint name='box' type='gearbox'><parent>a</parent><child>b</child><gearbox_ratio>3</gearbox_ratio>"
        "<gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>"
        "</model></sdf>");
    assert_int_equal(d->coupler_count, 1);
    const jn_coupler_desc *c = &d->couplers[0];
    double factor[2] = {0, 0};
    assert_int_equal(c->count, 2);
    for (int i = 0; i < 2; i++) factor[!strcmp(d->joints[c->joint[i]].name, "j2")] = c->factor[i];
    assert_near(factor[0] / factor[1], -3, 1e-15); /* -theta_2' + 3 theta_1 = 0: j2 turns the other way round */
    assert_int_equal(d->joint_count, 3);
    jn_description_free(d);
}

/* A cone stands on its base, half its length below its origin; densities of shapes weigh a link. */
static void test_cone(void **state) {
    (void)state;
    jn_description *d = read_text(
        "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'/><collision name='c'><pose>0 0 1 0 0 0</pose><density>100</density>"
        "<geometry><cone><radius>.3</radius><length>.8</length></cone></geometry></collision><collision name='d'><geometry><box><size>.1 .2 "
        ".3</size></box></geometry></collision></link></model></sdf>");
    const double pi = 3.14159265358979323846, cone = 100 * pi * 0.09 * 0.8 / 3, box = 1000 * 0.1 * 0.2 * 0.3;
    const jn_body_desc *a = body(d, "a");
    assert_int_equal(d->shapes[0].type, JN_SHAPE_CONE);
    assert_vector(d->shapes[0].at, 0, 0, 0.6);
    assert_near(a->mass, cone + box, 1e-12);
    assert_near(a->com.z, cone * (0.6 + 0.2) / (cone + box), 1e-13); /* a quarter of its height above the base */
    jn_description_free(d);
}

/* Moments about the centre of mass as gz-math has them (MassMatrix3: SetFromBox, ..., SetFromConeZ) for the mass that libsdformat finds by
 * density, or scales to <mass>. */
static void test_auto_formulas(void **state) {
    const double pi = 3.14159265358979323846, r = 0.3, L = 0.8;
    const double caps = 4.0 / 3 * pi * r * r * r, rod = pi * r * r * L;
    const struct {
        const char *geometry;
        double volume, com, across, along; /* moments over the mass */
    } rows[] = {
        {"<sphere><radius>.3</radius></sphere>", caps, 0, 0.4 * r * r, 0.4 * r * r},
        {"<cylinder><radius>.3</radius><length>.8</length></cylinder>", rod, 0, (3 * r * r + L * L) / 12, r * r / 2},
        {"<cone><radius>.3</radius><length>.8</length></cone>", rod / 3, -L / 4, 3 * (4 * r * r + L * L) / 80, 0.3 * r * r},
        {"<ellipsoid><radii>.3 .3 .4</radii></ellipsoid>", 4.0 / 3 * pi * r * r * 0.4, 0, (r * r + 0.16) / 5, 2 * r * r / 5},
        {"<box><size>.3 .3 .8</size></box>", r * r * L, 0, (r * r + L * L) / 12, r * r / 6},
        {"<capsule><radius>.3</radius><length>.8</length></capsule>", caps + rod, 0,
         (rod * (3 * r * r + L * L) / 12 + caps * (0.4 * r * r + L * L / 4 + 3 * L * r / 8)) / (caps + rod), (rod / 2 + caps * 0.4) * r * r / (caps + rod)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int weighed = 0; weighed < 2; weighed++) {
            char text[700];
            snprintf(text, sizeof text,
                     "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'>%s<density>%d</density></inertial><collision name='c'>"
                     "<pose>.1 0 1 0 0 0</pose>%s<geometry>%s</geometry></collision></link></model></sdf>",
                     weighed ? "<mass>7</mass>" : "", 600, weighed ? "<density>50</density>" : "", rows[i].geometry);
            jn_description *d = read_text(text);
            const jn_body_desc *a = body(d, "a");
            double m = weighed ? 7 : 600 * rows[i].volume;
            assert_near(a->mass, m, 1e-12 * m);
            assert_vector(a->com, 0.1, 0, 1 + rows[i].com);
            assert_near(a->inertia.xx, m * rows[i].across, 1e-12 * m), assert_near(a->inertia.yy, m * rows[i].across, 1e-12 * m);
            assert_near(a->inertia.zz, m * rows[i].along, 1e-12 * m);
            jn_description_free(d);
        }
}

/* Models that are placed by one of their frames: that frame has the pose. */
static void test_placement(void **state) {
    (void)state;
    jn_description *d = read_text(
        "<sdf version='1.9'><world name='w'><model name='m' placement_frame='grip'><pose>1 2 3 0 0 1.5707963267948966</pose><link name='a'>"
        "<pose>.1 0 0 0 0 0</pose></link><frame name='grip' attached_to='a'><pose>.2 0 .5 0 0 1.5707963267948966</pose></frame></model></world></sdf>");
    /* the frame is turned by 90 degrees as the pose is: the model by none, and its origin .3 before and .5 below */
    assert_vector(body(d, "a")->at, 1 - 0.2, 2, 2.5);
    assert_near(fabs(body(d, "a")->orientation.w), 1, 1e-15);
    jn_description_free(d);
}

/* Merged models give their parts to the model that includes them, placed where they stand; models in folders beside that of the file. */
static void test_merge(void **state) {
    (void)state;
    char folder[] = "/tmp/jounce_sdf_XXXXXX", inner[2][200], file[2][500];
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 2; k++) {
        snprintf(inner[k], sizeof inner[k], "%s/%s", folder, k ? "outer" : "arm");
        snprintf(file[k], sizeof file[k], "%s/model.sdf", inner[k]);
        assert_int_equal(mkdir(inner[k], 0700), 0);
    }
    FILE *f = fopen(file[0], "w");
    fputs("<sdf version='1.9'><model name='arm'><link name='upper'><pose>0 0 1 0 0 0</pose></link><link name='hand'><pose "
          "relative_to='__model__'>0 0 2 0 0 0</pose></link><joint name='elbow' type='revolute'><parent>upper</parent><child>hand</child>"
          "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis></joint></model></sdf>",
          f);
    fclose(f), f = fopen(file[1], "w");
    fputs("<sdf version='1.9'><model name='robot'><pose>10 0 0 0 0 0</pose><link name='base'/><include merge='true'><uri>model://arm</uri>"
          "<name>left</name><pose>0 5 0 0 0 1.5707963267948966</pose></include><include><uri>model://arm</uri><name>right</name>"
          "<placement_frame>hand</placement_frame></include><joint name='weld' type='fixed'><parent>base</parent><child>upper</child></joint>"
          "<joint name='weld2' type='fixed'><parent>base</parent><child>right::upper</child></joint></model></sdf>",
          f);
    fclose(f);
    jn_report own = {0};
    jn_description *d = jn_description_read(file[1], NULL, 0, &own);
    check_report(&own);
    assert_vector(body(d, "upper")->at, 10, 5, 1);
    assert_vector(body(d, "hand")->at, 10, 5, 2);
    assert_vector(joint(d, "elbow")->frame[0].axis, 0, 1, 0);
    assert_vector(body(d, "right_hand")->at, 10, 0, 0); /* the hand has the pose */
    assert_vector(body(d, "right_upper")->at, 10, 0, -1);
    jn_description_free(d);
    for (int k = 0; k < 2; k++) remove(file[k]), remove(inner[k]);
    remove(folder);
}

/* A world beside the folder `models`: a name without a scheme is looked for there, and joints hold a model by its canonical link, a frame by what it
 * is attached to, a joint by its child. */
static void test_models_beside(void **state) {
    (void)state;
    char folder[] = "/tmp/jounce_sdf_XXXXXX", path[3][100], file[2][200];
    static const char *const names[] = {"worlds", "models", "models/arm"};
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 3; k++) {
        snprintf(path[k], sizeof path[k], "%s/%s", folder, names[k]);
        assert_int_equal(mkdir(path[k], 0700), 0);
    }
    snprintf(file[0], sizeof file[0], "%s/world.sdf", path[0]), snprintf(file[1], sizeof file[1], "%s/model.sdf", path[2]);
    FILE *f = fopen(file[1], "w");
    fputs("<sdf version='1.9'><model name='arm' canonical_link='hand'><link name='upper'/><link name='hand'><pose>0 0 2 0 0 0</pose></link>"
          "<joint name='elbow' type='fixed'><parent>hand</parent><child>upper</child></joint></model></sdf>",
          f);
    fclose(f), f = fopen(file[0], "w");
    fputs("<sdf version='1.9'><world name='w'><model name='robot'><link name='base'/><include><uri>arm</uri><name>a</name></include>"
          "<include><uri>model://arm</uri><name>b</name></include><frame name='tip' attached_to='a::elbow'/>"
          "<joint name='h1' type='revolute'><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>"
          "<joint name='h2' type='revolute'><parent>tip</parent><child>b::hand</child><axis><xyz>0 0 1</xyz></axis></joint></model></world></sdf>",
          f);
    fclose(f);
    jn_report own = {0};
    jn_description *d = jn_description_read(file[0], NULL, 0, &own);
    check_report(&own);
    assert_int_equal(d->body_count, 6); /* with the ground */
    assert_string_equal(d->bodies[joint(d, "h1")->body[1]].name, "a_hand");
    assert_string_equal(d->bodies[joint(d, "h2")->body[0]].name, "a_upper");
    jn_description_free(d);
    remove(file[0]), remove(file[1]);
    for (int k = 2; k >= 0; k--) remove(path[k]);
    remove(folder);
}

/* A picture of 3 by 2 points: its brightest one is size.z high, its upper edge has the largest y. */
static void test_heightmap(void **state) {
    static const unsigned char picture[] = {
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0, 184, 31,
        57, 198, 0, 0, 0, 16, 73, 68, 65, 84, 120, 218, 99, 48, 78, 155, 201, 144, 102, 124, 6, 0, 9, 50, 2, 152, 230,
        219, 170, 35, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
    (void)state;
    FILE *f = fopen("heights_sdf.png", "wb");
    assert_int_equal(fwrite(picture, 1, sizeof picture, f), sizeof picture);
    fclose(f);
    jn_description *d = parse("<sdf version='1.9'><world name='w'><model name='land'><static>true</static><link name='l'><collision name='c'>"
                              "<geometry><heightmap><uri>heights_sdf.png</uri><size>4 3 2</size><pos>1 0 .5</pos></heightmap></geometry></collision>"
                              "</link></model><model name='m'><link name='a'/></model></world></sdf>",
                              "world.sdf", NULL, 0);
    remove("heights_sdf.png");
    check_report(&report);
    const jn_shape_desc *s = &d->shapes[0];
    static const double expected[6] = {1, 0.5, 2, 0.5, 1, 1.5};
    assert_int_equal(s->type, JN_SHAPE_HEIGHTFIELD);
    assert_near(s->size.x, 4, 0), assert_near(s->size.y, 3, 0);
    assert_vector(s->at, 1, 0, 0.5);
    for (int i = 0; i < 6; i++) assert_near(s->heights[i], expected[i], 1e-15);
    jn_description_free(d);
}

/* Area and first moments of a polygon around the origin, by sectors between directions k and k + 1. */
static void add_sectors(int count, const double *r, double sign, double sum[3]) {
    for (int k = 0; k < count; k++) {
        double a = 2 * M_PI * k / count, b = 2 * M_PI * (k + 1) / count, p = r[k], q = r[(k + 1) % count];
        double part = 0.5 * p * q * sin(b - a) * sign;
        sum[0] += part, sum[1] += part * (p * cos(a) + q * cos(b)) / 3, sum[2] += part * (p * sin(a) + q * sin(b)) / 3;
    }
}

static size_t write_line(char *text, size_t size, int count, const double *r, bool closed, bool backwards) {
    size_t n = (size_t)snprintf(text, size, "<polyline>");
    for (int i = 0; i < count + closed; i++) {
        int k = backwards ? (2 * count - i) % count : i % count;
        n += (size_t)snprintf(text + n, size - n, "<point>%.17g %.17g</point>", r[k] * cos(2 * M_PI * k / count), r[k] * sin(2 * M_PI * k / count));
    }
    return n + (size_t)snprintf(text + n, size - n, "<height>0.3</height></polyline>");
}

/* Random stars, every second one with a hole in which an island lies: mass and centre are those of the polygons, from z = 0 to the height. Then an L, whose hollow a ball falls into. */
static void test_polylines(void **state) {
    static char text[60000];
    (void)state;
    srand(7);
    for (int trial = 0; trial < 300; trial++) {
        double sum[3] = {0}, most = 1;
        size_t n = (size_t)snprintf(text, sizeof text, "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'><density>100</density></inertial>"
                                                       "<collision name='c'><geometry>");
        for (int line = 0, lines = trial % 2 ? 3 : 1; line < lines; line++, most *= 0.3) {
            double r[40];
            int count = 3 + rand() % 38;
            if (lines > 1) count = 8 + rand() % 32;
            for (int k = 0; k < count; k++) r[k] = most * (0.6 + 0.4 * rand() / RAND_MAX);
            add_sectors(count, r, line % 2 ? -1 : 1, sum);
            n += write_line(text + n, sizeof text - n, count, r, rand() % 2, rand() % 2);
        }
        snprintf(text + n, sizeof text - n, "</geometry></collision></link></model></sdf>");
        jn_description *d = read_text(text);
        const jn_body_desc *a = body(d, "a");
        assert_near(a->mass, 100 * 0.3 * sum[0], 1e-11 * a->mass);
        assert_near(a->com.x, sum[1] / sum[0], 1e-12);
        assert_near(a->com.y, sum[2] / sum[0], 1e-12);
        assert_near(a->com.z, 0.15, 1e-12);
        jn_description_free(d);
    }
#define EVEN(points) "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'/><collision name='c'><geometry><polyline>" points "</polyline></geometry></collision></link></model></sdf>"
    static const struct {
        const char *text;
        double area;
    } even[] = {{EVEN("<point>0 0</point><point>.5 0</point><point>1 0</point><point>1 1</point><point>0 1</point><point>0 .5</point>"), 1},
                {EVEN("<point>0 0</point><point>1 0</point><point>2 0</point><point>2 .5</point><point>2 1</point><point>1.5 1</point><point>1 1</point>"
                      "<point>1 2</point><point>.5 2</point><point>0 2</point><point>0 1</point>"), 3}};
    for (int i = 0; i < 2; i++) { /* with points in the middle of straight sides; 1 m high where nothing is said */
        jn_description *d = read_text(even[i].text);
        assert_near(body(d, "a")->mass, 1000 * even[i].area, 1e-9);
        jn_description_free(d);
    }
    jn_description *d = read_text("<sdf version='1.6'><world name='w'><model name='l'><static>true</static><link name='l'><collision name='c'><geometry><polyline>"
                                  "<point>0 0</point><point>2 0</point><point>2 1</point><point>1 1</point><point>1 2</point><point>0 2</point><height>1</height></polyline></geometry></collision></link></model>"
                                  "<model name='b'><pose>1.5 1.5 .6 0 0 0</pose><link name='b'><collision name='c'><geometry><sphere><radius>.2</radius></sphere></geometry></collision></link></model>"
                                  "<model name='p'><static>true</static><link name='p'><collision name='c'><geometry><plane/></geometry></collision></link></model></world></sdf>");
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    assert_non_null(sim);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    assert_near(jn_sim_state(sim)->q[2], 0.2, 1e-5); /* on the floor, in the hollow */
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_universal_laws), cmocka_unit_test(test_gearbox), cmocka_unit_test(test_polylines), cmocka_unit_test(test_cone), cmocka_unit_test(test_auto_formulas),
                                       cmocka_unit_test(test_placement), cmocka_unit_test(test_merge), cmocka_unit_test(test_models_beside), cmocka_unit_test(test_heightmap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
