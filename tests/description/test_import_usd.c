/* USD physics: units, bodies, masses, shapes, materials, joints, drives and filters, each against values worked out by hand. */
#include "usd_text.h"

#include "algebra/vec3.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static const jn_shape_desc *shape(const jn_description *d, const char *name) {
    for (int i = 0; i < d->shape_count; i++)
        if (d->shapes[i].name && !strcmp(d->shapes[i].name, name)) return &d->shapes[i];
    print_error("there is no shape '%s'\n", name);
    fail();
    return NULL;
}

static bool apart(const jn_description *d, const char *a, const char *b) {
    int x = (int)(body(d, a) - d->bodies), y = (int)(body(d, b) - d->bodies);
    for (int i = 0; i < d->no_contact_count; i++)
        if ((d->no_contact[i][0] == x && d->no_contact[i][1] == y) ||
            (d->no_contact[i][0] == y && d->no_contact[i][1] == x))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------------- stage */

static void test_units_and_gravity(void **state) {
    static const struct {
        const char *head, *scene;
        double x, y, z, at;
    } cases[] = {
        {"(metersPerUnit = 1\nupAxis = \"Z\")", "", 0, 0, -9.81, 2},
        {"(metersPerUnit = 0.5\nupAxis = \"Y\")", "", 0, 0, -9.81, 1},
        {"(metersPerUnit = 0.5\nupAxis = \"Z\")", "float physics:gravityMagnitude = 3", 0, 0, -1.5, 1},
        {"(metersPerUnit = 1\nupAxis = \"Z\")",
         "vector3f physics:gravityDirection = (3, 0, 4)\nfloat physics:gravityMagnitude = 10", 6, 0, 8, 2},
        {"(metersPerUnit = 1\nupAxis = \"Y\")",
         "vector3f physics:gravityDirection = (0, 0, 2)\nfloat physics:gravityMagnitude = 10", 0, -10, 0, 2},
        {"(metersPerUnit = 1\nupAxis = \"Z\")", "float physics:gravityMagnitude = 0", 0, 0, 0, 2},
    };
    char text[1000];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "#usda 1.0\n%s\ndef PhysicsScene \"s\" {%s}\n%s", cases[i].head, cases[i].scene,
                 BODY("b", "(2, 0, 0)", ""));
        jn_description *d = read_stage(text);
        assert_vector(d->gravity, cases[i].x, cases[i].y, cases[i].z);
        assert_vector(body(d, "b")->at, cases[i].at, 0, 0);
        jn_description_free(d);
    }
    jn_description *d = read_stage("#usda 1.0\n(upAxis = \"Z\"\nkilogramsPerUnit = 2)\n" BODY("b", "(0, 0, 300)", ""));
    told("does not say its unit of length"); /* centimetres */
    assert_vector(body(d, "b")->at, 0, 0, 3);
    assert_near(body(d, "b")->mass, 2, 0);
    assert_near(body(d, "b")->inertia.yy, 2 * 2 * 1e-4, 1e-18);
    jn_description_free(d);
}

/* Every operation, against its matrix. The point (1, 2, 3) of the prim is where a child prim stands. */
static void test_operations(void **state) {
    static const struct {
        const char *ops, *order;
        double x, y, z;
    } cases[] = {
        {"double3 xformOp:translate = (10, 20, 30)", "\"xformOp:translate\"", 11, 22, 33},
        {"float3 xformOp:scale = (2, 3, 4)", "\"xformOp:scale\"", 2, 6, 12},
        {"double3 xformOp:translate = (10, 0, 0)\nfloat3 xformOp:scale = (2, 2, 2)",
         "\"xformOp:translate\", \"xformOp:scale\"", 12, 4, 6},
        {"double3 xformOp:translate = (10, 0, 0)\nfloat3 xformOp:scale = (2, 2, 2)",
         "\"xformOp:scale\", \"xformOp:translate\"", 22, 4, 6},
        {"float xformOp:rotateX = 90", "\"xformOp:rotateX\"", 1, -3, 2},
        {"float xformOp:rotateY = 90", "\"xformOp:rotateY\"", 3, 2, -1},
        {"float xformOp:rotateZ = 90", "\"xformOp:rotateZ\"", -2, 1, 3},
        {"float3 xformOp:rotateXYZ = (90, 90, 0)", "\"xformOp:rotateXYZ\"", 2, -3, -1},
        {"float3 xformOp:rotateYXZ = (90, 90, 0)", "\"xformOp:rotateYXZ\"", 3, 1, 2},
        {"float3 xformOp:rotateXZY = (90, 0, 90)", "\"xformOp:rotateXZY\"", 3, 1, 2},
        {"float3 xformOp:rotateZYX = (0, 90, 90)", "\"xformOp:rotateZYX\"", 3, 1, 2},
        {"float3 xformOp:rotateYZX = (0, 90, 90)", "\"xformOp:rotateYZX\"", -2, 3, -1},
        {"float3 xformOp:rotateZXY = (90, 0, 90)", "\"xformOp:rotateZXY\"", -2, -3, 1},
        {"quatf xformOp:orient = (1, 0, 0, 1)", "\"xformOp:orient\"", -2, 1, 3},
        {"matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (10, 20, 30, 1))",
         "\"xformOp:transform\"", 8, 21, 33},
        {"float3 xformOp:translate:pivot = (1, 0, 0)\nfloat xformOp:rotateZ = 90",
         "\"xformOp:translate:pivot\", \"xformOp:rotateZ\", \"!invert!xformOp:translate:pivot\"", -1, 0, 3},
        {"float xformOp:translateX = 5\nfloat xformOp:scaleZ = 2", "\"xformOp:translateX\", \"xformOp:scaleZ\"", 6, 2,
         6},
        {"", "", 1, 2, 3},
        {"double3 xformOp:translate = (10, 20, 30)", "", 1, 2, 3}, /* what the order does not name has no effect */
    };
    char text[1500];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, HEAD "def Xform \"up\" {\n%s\nuniform token[] xformOpOrder = [%s]\n%s}",
                 cases[i].ops, cases[i].order, BODY("b", "(1, 2, 3)", ""));
        jn_description *d = read_stage(text);
        assert_near(v3_norm(v3_sub(body(d, "b")->at, v3(cases[i].x, cases[i].y, cases[i].z))), 0, 1e-14);
        jn_description_free(d);
    }
    jn_description *d =
        read_stage(HEAD "def Xform \"up\" {\n double3 xformOp:translate = (10, 20, 30)\n uniform token[] xformOpOrder "
                        "= [\"xformOp:translate\"]\n def Xform \"b\" " API(
                            BODY_API) " { float physics:mass = 1\n double3 xformOp:translate = (1, 2, 3)\n uniform "
                                      "token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:translate\"] } }");
    assert_vector(body(d, "b")->at, 1, 2, 3);
    jn_description_free(d);
}

/* -------------------------------------------------------------------------------------------------------- mass */

#define CUBE(more)                                                                                                     \
    "def Cube \"c\" " API("\"PhysicsCollisionAPI\", \"PhysicsMassAPI\"") " { double size = 1\n" more "\n}\n"
#define HOLDER(own, inside) "def Xform \"b\" " API(BODY_API) " {\n" own "\n" inside "}\n"

static void test_mass_precedence(void **state) {
    static const char material[] =
        "def Material \"m\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) { float physics:density = 7 }\n";
    static const struct {
        const char *text;
        double mass, com, moment;
    } cases[] = {
        {HEAD HOLDER("", CUBE("")), 1000, 0, 1000 / 6.0},                              /* water */
        {HEAD HOLDER("", CUBE("rel material:binding:physics = </m>")), 7, 0, 7 / 6.0}, /* the material */
        {HEAD HOLDER("float physics:density = 5", CUBE("rel material:binding:physics = </m>")), 5, 0,
         5 / 6.0}, /* before it the body's density */
        {HEAD HOLDER("float physics:density = 5", CUBE("float physics:density = 3")), 3, 0,
         0.5}, /* the collider's own */
        {HEAD HOLDER("float physics:density = 5", CUBE("float physics:density = 3\nfloat physics:mass = 4")), 4, 0,
         4 / 6.0}, /* its mass */
        {HEAD HOLDER("float physics:mass = 9", CUBE("float physics:density = 3\nfloat physics:mass = 4")), 9, 0,
         1.5}, /* the body's mass */
        {HEAD HOLDER("float physics:mass = 6\npoint3f physics:centerOfMass = (2, 0, 0)", CUBE("")), 6, 2,
         1}, /* moved along x */
        {HEAD HOLDER("float physics:mass = 6\nfloat3 physics:diagonalInertia = (8, 9, 10)", CUBE("")), 6, 0, 8},
        {HEAD HOLDER("float physics:mass = 6", ""), 6, 0, 0.4 * 6 * 0.01}, /* a ball of 0.1 m */
        {HEAD HOLDER("", ""), 1, 0, 0.4 * 0.01},
    };
    char text[2000];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "%s%s", cases[i].text, material);
        jn_description *d = read_stage(text);
        const jn_body_desc *b = body(d, "b");
        assert_near(b->mass, cases[i].mass, 1e-12 * cases[i].mass);
        assert_near(b->com.x, cases[i].com, 1e-14);
        assert_near(b->inertia.xx, cases[i].moment, 1e-12 * cases[i].moment);
        jn_description_free(d);
    }
    jn_description *d =
        read_stage(HEAD HOLDER("float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 2.5)\nquatf "
                               "physics:principalAxes = (0.70710678118654757, 0, 0, 0.70710678118654757)",
                               ""));
    assert_near(body(d, "b")->inertia.xx, 2, 1e-14); /* turned about z */
    assert_near(body(d, "b")->inertia.yy, 1, 1e-14);
    jn_description_free(d);
}

/* Volumes of all solids, by density 1, under scale; the mesh is a cube. */
static void test_solids(void **state) {
#define SOLID(type, more)                                                                                              \
    HEAD "def Xform \"b\" " API(                                                                                       \
        "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"") " { float physics:density = 1\n def " type                      \
                                                       " \"s\" " API("\"PhysicsCollisionAPI\", "                       \
                                                                     "\"PhysicsMeshCollisionAPI\"") " {\n" more        \
                                                                                                    "\n} }\n"
#define SCALE(s) "\nfloat3 xformOp:scale = " s "\nuniform token[] xformOpOrder = [\"xformOp:scale\"]"
#define MESH                                                                                                           \
    "int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\nint[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, "  \
    "2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), "    \
    "(1, 0, 1), (1, 1, 1), (0, 1, 1)]"
    static const struct {
        const char *text;
        double volume;
        jn_shape_type type;
        double z; /* height of the centre of mass */
    } cases[] = {
        {SOLID("Cube", "double size = 2" SCALE("(1, 2, 3)")), 48, JN_SHAPE_BOX, 0},
        {SOLID("Cube", SCALE("(1, -2, 3)")), 48, JN_SHAPE_BOX, 0},
        {SOLID("Sphere", "double radius = 2"), 33.510321638291124, JN_SHAPE_SPHERE, 0},
        {SOLID("Sphere", "double radius = 1" SCALE("(1, 2, 3)")), 25.132741228718345, JN_SHAPE_ELLIPSOID, 0},
        {SOLID("Cylinder", "double radius = 1\ndouble height = 3"), 9.42477796076938, JN_SHAPE_CYLINDER, 0},
        {SOLID("Cylinder", "double radius = 1\ndouble height = 3\nuniform token axis = \"X\"" SCALE("(2, 3, 3)")),
         169.64600329384882, JN_SHAPE_CYLINDER, 0},
        {SOLID("Capsule", "double radius = 1\ndouble height = 3\nuniform token axis = \"Y\""), 13.613568165555769,
         JN_SHAPE_CAPSULE, 0},
        {SOLID("Cone", "double radius = 1\ndouble height = 3"), 3.141592653589793, JN_SHAPE_CONE, -0.75},
        {SOLID("Cone", "double radius = 1\ndouble height = 3" SCALE("(1, 1, -1)")), 3.141592653589793, JN_SHAPE_CONE,
         0.75},
        {SOLID("Mesh", MESH "\nuniform token physics:approximation = \"convexHull\"" SCALE("(1, 2, -3)")), 6,
         JN_SHAPE_HULL, -1.5},
        {SOLID("Mesh", MESH "\nuniform token physics:approximation = \"convexDecomposition\""), 1, JN_SHAPE_HULL, 0.5},
        {SOLID("Mesh", MESH "\nuniform token physics:approximation = \"boundingCube\"" SCALE("(1, 2, 3)")), 6,
         JN_SHAPE_BOX, 1.5},
        {SOLID("Mesh", MESH "\nuniform token physics:approximation = \"boundingSphere\""), 2.7206990463513265,
         JN_SHAPE_SPHERE, 0.5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jn_description *d = read_stage(cases[i].text);
        assert_near(body(d, "b")->mass, cases[i].volume, 1e-12 * cases[i].volume);
        assert_near(body(d, "b")->com.z, cases[i].z, 1e-14);
        assert_int_equal(shape(d, "s")->type, cases[i].type);
        jn_description_free(d);
    }
    jn_description *d =
        read_stage(SOLID("Cylinder", "double radius = 1\ndouble height = 3\nuniform token axis = \"X\""));
    assert_near(fabs(q4_rotate(shape(d, "s")->orientation, v3(0, 0, 1)).x), 1, 1e-15);
    jn_description_free(d);
}

/* On the ground a mesh keeps its triangles, and a plane is the floor. */
static void test_ground(void **state) {
    (void)state;
    jn_description *d = read_stage(HEAD BODY("b", "(0, 0, 2)", "") "def Mesh \"hill\" " API(
        "\"PhysicsCollisionAPI\"") " {\n" MESH
                                   "\nuniform token orientation = \"leftHanded\"\n}\ndef Plane \"floor\" " API(
                                       "\"PhysicsCollisionAPI\"") " { uniform token axis = \"X\" }\n");
    assert_int_equal(shape(d, "hill")->type, JN_SHAPE_MESH);
    assert_int_equal(shape(d, "hill")->triangle_count, 12);
    assert_int_equal(shape(d, "hill")->triangles[0][1], 2); /* turned over */
    assert_near(q4_rotate(shape(d, "floor")->orientation, v3(0, 0, 1)).x, 1, 1e-15);
    jn_description_free(d);
    d = read_stage(HEAD BODY("b", "(0, 0, 2)", "") "def Mesh \"quad\" " API(
        "\"PhysicsCollisionAPI\"") " { int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n point3f[] "
                                   "points = [(0, 0, 0), (0, 1, 0), (1, 0, 0)] }\n");
    assert_int_equal(shape(d, "quad")->triangles[0][1], 2); /* it faced downwards */
    told("surfaces of the ground that face downwards");
    jn_description_free(d);
}

static void test_materials(void **state) {
    (void)state;
    jn_description *d = read_stage(
        HEAD "def Scope \"looks\" { def Material \"ice\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) { float "
             "physics:staticFriction = 0.1\n float physics:dynamicFriction = "
             "0.05\n float physics:restitution = 0.3 }\n def Material \"paint\" {} }\n"
             "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"MaterialBindingAPI\"]) { rel "
             "material:binding:physics = </looks/ice>\n"
             "def Cube \"a\" " API("\"PhysicsCollisionAPI\"") " { rel material:binding = </looks/paint> }\n }\n"
                                                              "def Cube \"f\" " API("\"PhysicsCollisionAPI\"") " {}\n");
    assert_string_equal(shape(d, "a")->contact, "ice");
    assert_string_equal(shape(d, "f")->contact, "usual");
    told("static and dynamic friction differ");
    jn_description_free(d);
}

/* ------------------------------------------------------------------------------------------------------ bodies */

static void test_bodies(void **state) {
    (void)state;
    jn_description *d =
        read_stage(HEAD BODY("fast", "(0, 0, 1)",
                             "quatf xformOp:orient = (0.70710678118654757, 0, 0, 0.70710678118654757)\nuniform token[] "
                             "xformOpOrder = [\"xformOp:orient\"]\n"
                             "vector3f physics:velocity = (1, 0, 0)\nvector3f physics:angularVelocity = (180, 0, 0)")
                       BODY("hand", "(0, 0, 2)", "bool physics:kinematicEnabled = true")
                           BODY("off", "(0, 0, 3)", "bool physics:rigidBodyEnabled = false\n" CUBE(""))
                               BODY("outer", "(0, 0, 4)", BODY("inner", "(1, 0, 0)", CUBE(""))));
    assert_int_equal(d->body_count, 4); /* the ground, fast, hand, outer */
    assert_true(body(d, "fast")->has_velocity);
    assert_vector(body(d, "fast")->velocity, 0, 1, 0); /* in the prim's own axes */
    assert_vector(body(d, "fast")->angular_velocity, 0, pi, 0);
    assert_int_equal(joint(d, "hand_ground")->type, JN_JOINT_FIXED);
    assert_int_equal(body(d, "ground")->shape_count, 1);
    assert_int_equal(body(d, "outer")->shape_count, 1);
    told("bodies within bodies that no joint names");
    told("kinematic bodies");
    jn_description_free(d);
}

/* ------------------------------------------------------------------------------------------------------ joints */

static void test_joints(void **state) {
    (void)state;
    jn_description *d = read_stage(
        HEAD BODY("a", "(0, 0, 0)", "") BODY("b", "(1, 0, 0)", "") BODY("c", "(2, 0, 0)", "") BODY("e", "(3, 0, 0)", "")
            BODY("f", "(4, 0, 0)", "") "def PhysicsFixedJoint \"anchor\" { rel physics:body1 = </a> }\n" JOINT(
                "Revolute", "hinge", "/a", "/b",
                "uniform token physics:axis = \"Z\"\npoint3f physics:localPos0 = (0.5, 0, 0)\npoint3f "
                "physics:localPos1 = "
                "(-0.5, 0, 0)\nquatf physics:localRot1 = (0.96592582628906831, 0, 0, 0.25881904510252074)\n"
                "float physics:lowerLimit = -10\nfloat physics:upperLimit = 90")
                JOINT(
                    "Prismatic", "slide", "/b", "/c",
                    "uniform token physics:axis = \"X\"\nfloat physics:lowerLimit = 0\nfloat physics:upperLimit = 1.5")
                    JOINT("Spherical", "ball", "/c", "/e",
                          "point3f physics:localPos0 = (0.5, 0, 0)\npoint3f physics:localPos1 = (-0.5, 0, 0)\nuniform "
                          "token physics:axis = \"Y\"\n"
                          "float physics:coneAngle0Limit = 35\nfloat physics:coneAngle1Limit = 35")
                        JOINT("Revolute", "locked", "/e", "/f",
                              "point3f physics:localPos0 = (1, 0, 0)\nfloat physics:lowerLimit = 1\nfloat "
                              "physics:upperLimit = -1"));
    assert_int_equal(joint(d, "anchor")->type, JN_JOINT_FIXED);
    assert_int_equal(joint(d, "hinge")->type, JN_JOINT_REVOLUTE);
    assert_vector(joint(d, "hinge")->frame[0].at, 0.5, 0, 0);
    assert_vector(joint(d, "hinge")->frame[0].axis, 0, 0, 1);
    assert_near(joint(d, "hinge")->coordinate[0].lower, -40 * pi / 180, 1e-14); /* it is drawn at 30 degrees */
    assert_near(joint(d, "hinge")->coordinate[0].upper, 60 * pi / 180, 1e-14);
    assert_near(joint(d, "slide")->coordinate[0].lower, -1, 1e-14); /* drawn at 1 */
    assert_near(joint(d, "slide")->coordinate[0].upper, 0.5, 1e-14);
    assert_int_equal(joint(d, "ball")->type, JN_JOINT_SPHERICAL);
    assert_int_equal(d->tendon_count, 1); /* its cone, about y of both frames */
    assert_true(d->tendons[0].is_swing);
    assert_near(d->tendons[0].law.upper, 35 * pi / 180, 1e-14);
    for (int k = 0; k < 2; k++) assert_vector(q4_rotate(d->tendons[0].path[k].orientation, v3(0, 0, 1)), 0, 1, 0);
    assert_vector(joint(d, "ball")->frame[0].at, 2.5, 0, 0);
    assert_int_equal(joint(d, "locked")->type, JN_JOINT_FIXED);
    jn_description_free(d);
}

/* Frames that do not meet: the body behind the joint is moved. */
static void test_misplaced(void **state) {
    (void)state;
    jn_description *d = read_stage(HEAD BODY("a", "(0, 0, 0)", "") BODY("b", "(7, 0, 0)", "") JOINT(
        "Revolute", "hinge", "/a", "/b", "point3f physics:localPos0 = (0.5, 0, 0)"));
    assert_vector(body(d, "b")->at, 0.5, 0, 0);
    told("frames do not meet as drawn");
    jn_description_free(d);
}

/* A joint with six axes: those with low above high are held, the others become a chain. */
static void test_generic(void **state) {
#define LIMIT(axis, low, high)                                                                                         \
    "float limit:" axis ":physics:low = " low "\nfloat limit:" axis ":physics:high = " high "\n"
#define GENERIC(name, apis, more)                                                                                      \
    "def PhysicsJoint \"" name "\" " API(apis) " {\n rel physics:body0 = </a>\n rel physics:body1 = </b>\n" more "}\n"
    static const char held[] = LIMIT("transX", "1", "-1") LIMIT("transY", "1", "-1") LIMIT("transZ", "1", "-1");
    char text[3000];
    (void)state;
    snprintf(
        text, sizeof text, HEAD BODY("a", "(0, 0, 0)", CUBE("")) BODY("b", "(0, 0, 0)", CUBE("")) "%s%s}\n",
        "def PhysicsJoint \"u\" " API(
            "\"PhysicsLimitAPI:transX\", \"PhysicsLimitAPI:transY\", \"PhysicsLimitAPI:transZ\", "
            "\"PhysicsLimitAPI:rotX\", \"PhysicsLimitAPI:rotZ\"") " {\n rel physics:body0 = </a>\n rel physics:body1 = "
                                                                  "</b>\n" LIMIT("rotX", "-30", "60")
                                                                      LIMIT("rotZ", "1", "-1"),
        held);
    jn_description *d = read_stage(text);
    assert_int_equal(joint(d, "u_rotX")->type, JN_JOINT_REVOLUTE);
    assert_near(joint(d, "u_rotX")->coordinate[0].upper, pi / 3, 1e-14);
    assert_vector(joint(d, "u_rotY")->frame[0].axis, 0, 1, 0);
    assert_int_equal(body(d, "u_rotX")->mass, 0);
    assert_true(apart(d, "a", "b")); /* joined, through a helper */
    jn_description_free(d);
    d = read_stage(HEAD BODY("a", "(0, 0, 0)", "") BODY("b", "(0.3, 0, 0)", "")
                       GENERIC("s",
                               "\"PhysicsLimitAPI:transY\", \"PhysicsLimitAPI:transZ\", \"PhysicsLimitAPI:rotX\", "
                               "\"PhysicsLimitAPI:rotY\", \"PhysicsLimitAPI:rotZ\"",
                               LIMIT("transY", "1", "-1") LIMIT("transZ", "1", "-1") LIMIT("rotX", "1", "-1")
                                   LIMIT("rotY", "1", "-1") LIMIT("rotZ", "1", "-1")));
    assert_int_equal(joint(d, "s")->type, JN_JOINT_PRISMATIC);
    jn_description_free(d);
    d = read_stage(HEAD BODY("a", "(0, 0, 0)", "") BODY("b", "(0.3, 0, 0)", "") GENERIC("all", "", ""));
    told("joints that leave all free");
    assert_int_equal(joint(d, "b_free")->type, JN_JOINT_FREE);
    jn_description_free(d);
}

/* Four bars: the joint that is left out of the articulation closes the loop; a cable between two points has stops. */
static void test_loops(void **state) {
    (void)state;
    jn_description *d = read_stage(
        HEAD BODY("a", "(0, 0, 0.5)", "") BODY("b", "(0.5, 0, 1)", "")
            BODY("c", "(1, 0, 0.5)",
                 "") "def PhysicsRevoluteJoint \"one\" { rel physics:body1 = </a>\nuniform token physics:axis = "
                     "\"Y\"\npoint3f "
                     "physics:localPos1 = (0, 0, -0.5) }\n" JOINT(
                         "Revolute", "two", "/a", "/b",
                         "uniform token physics:axis = \"Y\"\npoint3f physics:localPos0 = (0, 0, 0.5)\npoint3f "
                         "physics:localPos1 = (-0.5, 0, 0)")
                         JOINT("Revolute", "three", "/b", "/c",
                               "uniform token physics:axis = \"Y\"\npoint3f physics:localPos0 = (0.5, 0, 0)\npoint3f "
                               "physics:localPos1 = (0, 0, 0.5)") "def PhysicsRevoluteJoint \"four\" { rel "
                                                                  "physics:body0 = </c>\nuniform token physics:axis = "
                                                                  "\"Y\"\npoint3f physics:localPos0 = (0, 0, "
                                                                  "-0.5)\npoint3f physics:localPos1 = (1, 0, 0)\nbool "
                                                                  "physics:excludeFromArticulation = "
                                                                  "1\nfloat physics:lowerLimit = -20\nfloat "
                                                                  "physics:upperLimit = 30 }\n" JOINT(
                                                                      "Distance", "rope", "/a", "/c",
                                                                      "float physics:minDistance = 0.2\nfloat "
                                                                      "physics:maxDistance = 3"));
    assert_true(joint(d, "four")->closes_loop && !joint(d, "three")->closes_loop);
    assert_int_equal(d->tendon_count, 1);
    assert_near(d->tendons[0].law.upper, 3, 0);
    assert_near(d->tendons[0].law.lower, 0.2, 1e-16);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    for (int i = 0; i < 50; i++) assert_true(jn_sim_step(sim, 1) >= 0);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

/* The coordinate of a joint that closes a loop counts from where its frames coincide: both hinges of a bar on the ground are drawn at 30 degrees. */
static void test_loop_zero(void **state) {
    (void)state;
    jn_description *d = read_stage(HEAD BODY(
        "a", "(0, 0, 0)",
        "") "def PhysicsRevoluteJoint \"one\" { rel physics:body1 = </a>\nuniform token physics:axis = \"Z\" }\n"
            "def PhysicsRevoluteJoint \"two\" { rel physics:body1 = </a>\nuniform token physics:axis = \"Z\"\nbool "
            "physics:excludeFromArticulation = 1\nquatf physics:localRot0 = (0.96592582628906831, 0, 0, "
            "-0.25881904510252074)\nfloat physics:upperLimit = 50 }\n");
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_joint_motion motion;
    assert_true(joint(d, "two")->closes_loop);
    jn_joint_motion_get(m, jn_sim_work(sim), jn_model_find_joint(m, "two"), &motion);
    assert_near(motion.q[0], 30 * pi / 180, 1e-12);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

/* Armature by schemas of other programs, in units of the stage. */
static void test_armature(void **state) {
    (void)state;
    jn_description *d = read_stage("#usda 1.0\n(metersPerUnit = 0.1\nkilogramsPerUnit = 2\nupAxis = \"Z\")\n" BODY(
        "a", "(0, 0, 0)", "") "def PhysicsRevoluteJoint \"j\" { rel physics:body1 = </a>\nuniform double mjc:armature "
                              "= 5\nuniform double mjc:damping = 1 }\n");
    assert_near(joint(d, "j")->coordinate[0].armature, 5 * 2 * 0.01, 1e-15);
    told("damping, friction and springs of joints by schemas of other programs: /j (mjc:damping)");
    jn_description_free(d);
}

/* Hinges with different axes between two bodies stand one behind the other; those with one axis, as of a door, close a loop. */
static void test_series(void **state) {
    (void)state;
    jn_description *d =
        read_stage(HEAD BODY("a", "(0, 0, 0)", CUBE("")) BODY("b", "(1, 0, 0)", CUBE("")) JOINT(
            "Revolute", "x", "/a", "/b",
            "uniform token physics:axis = \"X\"\npoint3f physics:localPos0 = (1, 0, 0)\nfloat physics:upperLimit = 90")
                       JOINT("Revolute", "y", "/a", "/b",
                             "uniform token physics:axis = \"Y\"\npoint3f physics:localPos0 = (1, 0, 0)")
                           JOINT("Revolute", "y2", "/a", "/b",
                                 "uniform token physics:axis = \"Y\"\npoint3f physics:localPos0 = (1, 0.5, 0)\npoint3f "
                                 "physics:localPos1 = (0, 0.5, 0)"));
    assert_int_equal(joint(d, "x")->type, JN_JOINT_REVOLUTE);
    assert_true(!joint(d, "x")->closes_loop && !joint(d, "y")->closes_loop && joint(d, "y2")->closes_loop);
    assert_near(joint(d, "x")->coordinate[0].upper, pi / 2, 1e-14);
    assert_vector(joint(d, "y")->frame[0].axis, 0, 1, 0);
    assert_int_equal(joint(d, "y")->body[1], (int)(body(d, "b") - d->bodies));
    assert_true(apart(d, "a", "b") || joint(d, "y2")->closes_loop);
    told("several joints with different axes between two bodies");
    jn_description_free(d);
}

/* A rod: least and largest distance are equal. Its length stays when the body swings. */
static void test_rod(void **state) {
    (void)state;
    jn_description *d =
        read_stage(HEAD BODY("a", "(1, 0, 0)", "") "def PhysicsDistanceJoint \"rod\" { rel physics:body1 = </a>\nfloat "
                                                   "physics:minDistance = 1\nfloat physics:maxDistance = 1 }\n");
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    while (jn_sim_state(sim)->t < 0.3) assert_true(jn_sim_step(sim, 0.3) >= 0);
    jn_body_motion motion;
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), jn_model_find_body(m, "a"), &motion);
    assert_near(v3_norm(motion.position), 1, 1e-9);
    assert_true(motion.position.z < -0.2);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

/* Force of a drive: stiffness per degree, within its limit; by acceleration it counts times the inertia. The hinge is drawn at 30 degrees. */
static void test_drives(void **state) {
#define DRIVEN(more)                                                                                                   \
    HEAD BODY("a", "(0, 0, 0)", "") "def PhysicsRevoluteJoint \"j\" " API(                                             \
        "\"PhysicsDriveAPI:angular\"") " { rel physics:body1 = </a>\nuniform token physics:axis = \"Z\"\n"             \
                                       "quatf physics:localRot1 = (0.96592582628906831, 0, 0, "                        \
                                       "-0.25881904510252074)\n" more "}\n"
    static const struct {
        const char *text;
        double acceleration; /* from rest */
    } cases[] = {
        {DRIVEN("float drive:angular:physics:stiffness = 0.5\nfloat drive:angular:physics:targetPosition = 50"),
         0.5 * 80 / 3},
        {DRIVEN("float drive:angular:physics:stiffness = 0.5\nfloat drive:angular:physics:targetPosition = 50\nfloat "
                "drive:angular:physics:maxForce = 6"),
         2},
        {DRIVEN("float drive:angular:physics:damping = 0.5\nfloat drive:angular:physics:targetVelocity = 60"), 10},
        {DRIVEN("uniform token drive:angular:physics:type = \"acceleration\"\nfloat drive:angular:physics:stiffness = "
                "0.5\nfloat drive:angular:physics:targetPosition = 50"),
         0.5 * 80},
    };
    static const char *smooth[][2] = {{"run.method", "smooth"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jn_description *d = parse(cases[i].text, "stage.usda", smooth, 1);
        check_report(&report);
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        jn_sim *sim = jn_sim_create(m, &report);
        check_report(&report);
        assert_int_equal(jn_sim_observe(sim), JN_OK);
        jn_joint_motion motion;
        jn_joint_motion_get(m, jn_sim_work(sim), jn_model_find_joint(m, "j"), &motion);
        assert_near(motion.a[0], cases[i].acceleration, 1e-12 * cases[i].acceleration);
        jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
    }
}

/* ----------------------------------------------------------------------------------------------------- filters */

static bool may_meet(const jn_description *d, const char *a, const char *b) {
    const jn_shape_desc *s = shape(d, a), *t = shape(d, b);
    return (s->layer & t->touches) != 0 || (t->layer & s->touches) != 0;
}

#define BALL_IN(name) "def Sphere \"" name "\" " API("\"PhysicsCollisionAPI\"") " {}\n"
#define FREE(name, inside) "def Xform \"" name "\" " API(BODY_API) " { float physics:mass = 1\n" inside "}\n"

static void test_filters(void **state) {
    (void)state;
    jn_description *d = read_stage(
        HEAD FREE("a", BALL_IN("a1") BALL_IN("a2") "rel physics:filteredPairs = </b>\n") FREE("b", BALL_IN("b1"))
            FREE("c", BALL_IN("c1") BALL_IN("c2")) FREE(
                "e", BALL_IN("e1")) "def PhysicsCollisionGroup \"left\" { prepend rel collection:colliders:includes = "
                                    "</c/c1>\n rel physics:filteredGroups = </right> }\n"
                                    "def PhysicsCollisionGroup \"right\" { prepend rel collection:colliders:includes = "
                                    "</e> }\n");
    assert_true(apart(d, "a", "b") && !apart(d, "a", "c") && !apart(d, "c", "e"));
    assert_true(!may_meet(d, "c1", "e1") && may_meet(d, "c2", "e1") && may_meet(d, "c1", "a1") &&
                may_meet(d, "e1", "b1"));
    jn_description_free(d);
    d = read_stage(HEAD FREE("a", BALL_IN("a1")) FREE("b", BALL_IN("b1")) FREE(
        "c", BALL_IN("c1")) "def PhysicsCollisionGroup \"g\" { rel collection:colliders:includes = </a>\n rel "
                            "physics:filteredGroups = </h>\n bool physics:invertFilteredGroups = 1 }\n"
                            "def PhysicsCollisionGroup \"h\" { rel collection:colliders:includes = </b> }\n");
    assert_true(apart(d, "a", "c") && !apart(d, "a", "b") && !apart(d, "b", "c"));
    jn_description_free(d);
    d = read_stage(HEAD "def Xform \"r\" " API(
        "\"PhysicsArticulationRootAPI\"") " { bool physxArticulation:enabledSelfCollisions = 0\n" FREE("a",
                                                                                                       BALL_IN("a1"))
                       FREE("b", BALL_IN("b1")) FREE("c", BALL_IN("c1")) JOINT("Revolute", "j", "/r/a", "/r/b", "")
                           JOINT("Revolute", "k", "/r/b", "/r/c", "") "}\n" FREE("o", BALL_IN("o1")));
    assert_true(apart(d, "a", "c") && !apart(d, "a", "o"));
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_and_gravity),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_mass_precedence),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_ground),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_misplaced),
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_loop_zero),
        cmocka_unit_test(test_armature),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_rod),
        cmocka_unit_test(test_drives),
        cmocka_unit_test(test_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
