/* USD: how a stage is put together of files, and every mistake with its line and column. */
#include "usd_text.h"

#include "base/memory.h"
#include "refused_memory.h"

#include <sys/stat.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/jounce_usd_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    static const char *const names[] = {"stage.usda", "part.usda", "other.usda", "deep.usda", "crate.usd", "pack.usdz"};
    char path[300];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        snprintf(path, sizeof path, "%s/%s", folder, names[i]), remove(path);
    return rmdir(folder);
}

static jn_description *read_files(const char *stage, const char *part, const char *other) {
    if (part) write_file(folder, "part.usda", part);
    if (other) write_file(folder, "other.usda", other);
    jn_description *d = read_path(write_file(folder, "stage.usda", stage), false);
    check_report(&report);
    assert_non_null(d);
    return d;
}

/* The same robot twice by reference, moved and made heavier from outside; paths within it lead to the copy. */
static void test_references(void **state) {
    static const char robot[] = "#usda 1.0\n(defaultPrim = \"robot\")\ndef Xform \"robot\" {\n" BODY(
        "a", "(0, 0, 0)", "") BODY("b", "(1, 0, 0)", "")
        JOINT("Revolute", "j", "/robot/a", "/robot/b",
              "point3f physics:localPos0 = (1, 0, 0)") "}\n"
                                                       "def Xform \"second\" {" BODY("solo", "(0, 0, 5)", "") "}\n";
    (void)state;
    jn_description *d =
        read_files(HEAD "def \"one\" (references = @./part.usda@) {\n double3 xformOp:translate = (0, 5, 0)\n uniform "
                        "token[] xformOpOrder = [\"xformOp:translate\"]\n over \"b\" { float physics:mass = 7 }\n}\n"
                        "def \"two\" (prepend payload = [@part.usda@</robot>, @part.usda@</second>]) {}\n"
                        "def \"three\" (references = </two>) {}\n",
                   robot, NULL);
    assert_int_equal(d->body_count, 1 + 2 + 3 + 3);
    assert_vector(body(d, "b")->at, 1, 5, 0);
    assert_near(body(d, "b")->mass, 7, 0);
    assert_near(body(d, "b_2")->mass, 1, 0);
    assert_vector(body(d, "solo")->at, 0, 0, 5);
    assert_vector(joint(d, "j")->frame[0].at, 1, 5, 0);
    assert_int_equal(joint(d, "j_3")->type, JN_JOINT_REVOLUTE);
    jn_description_free(d);
}

/* Stronger layers first; lists are put together; a class is no prim of the stage but gives to those that inherit it. */
static void test_layers(void **state) {
    (void)state;
    jn_description *d =
        read_files("#usda 1.0\n(metersPerUnit = 1\nupAxis = \"Z\"\nsubLayers = [@part.usda@, @other.usda@ (offset = "
                   "1)])\nover \"b\" { float physics:mass = 3 }\n",
                   HEAD "class \"_link\" { float physics:density = 2\n float physics:mass = 9\n float3 "
                        "physics:diagonalInertia = (4, 4, 4) }\n"
                        "def Xform \"b\" (prepend apiSchemas = [\"PhysicsMassAPI\"]\n inherits = </_link>) {}\n",
                   HEAD "over \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { float physics:mass = 5\n "
                        "point3f physics:centerOfMass = (0.5, 0, 0) }\n"
                        "over \"nothing\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {}\n"
                        "def \"gone\" (active = false\n prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {}\n");
    assert_int_equal(d->body_count, 2);
    assert_near(body(d, "b")->mass, 3, 0);
    assert_near(body(d, "b")->com.x, 0.5, 1e-16);
    assert_near(body(d, "b")->inertia.xx, 4, 1e-15);
    jn_description_free(d);
    d = read_stage(HEAD
                   "def Xform \"b\" (apiSchemas = [\"PhysicsMassAPI\"]\n append apiSchemas = [\"PhysicsRigidBodyAPI\", "
                   "\"X\"]\n delete apiSchemas = [\"PhysicsMassAPI\"]) { float physics:mass = 3 }\n");
    assert_near(body(d, "b")->mass, 1, 0); /* the mass is that of no schema */
    jn_description_free(d);
}

/* The selected variant holds, and is told; an instance keeps what it is from outside. */
static void test_variants(void **state) {
    (void)state;
    jn_description *d = read_stage(
        HEAD "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n variants = { "
             "string load = \"heavy\" }\n prepend variantSets = \"load\") {\n"
             " variantSet \"load\" = {\n \"light\" { float physics:mass = 2 }\n \"heavy\" (inherits = </c>) { float "
             "physics:mass = 8\n def Sphere \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {} }\n }\n}\n"
             "class \"c\" { point3f physics:centerOfMass = (3, 0, 0) }\n");
    assert_near(body(d, "b")->mass, 8, 0);
    assert_near(body(d, "b")->com.x, 3, 0);
    assert_int_equal(d->shape_count, 1);
    told("load of /b: heavy");
    jn_description_free(d);
    d = read_files(
        HEAD
        "def \"i\" (instanceable = true\n references = @part.usda@</p>) { over \"b\" { float physics:mass = 7 } }\n",
        HEAD "def \"p\" {" BODY("b", "(0, 0, 0)", "") "}\n", NULL);
    assert_near(body(d, "b")->mass, 1, 0);
    told("instanceable prims whose children are changed from outside");
    jn_description_free(d);
}

/* A mistake, its place, and words that must be there. */
typedef struct mistake {
    const char *text;
    int line, column;
    const char *says;
} mistake;

static void refuse(const mistake *m, const char *path) {
    jn_description *d = path ? read_path(path, false) : parse(m->text, "stage.usda", NULL, 0);
    if (d) print_error("accepted: %s\n", m->text);
    assert_null(d);
    for (int i = 0; i < report.count; i++)
        if (strstr(report.item[i].text, m->says) || strstr(report.item[i].hint, m->says)) {
            if (report.item[i].line != m->line || report.item[i].column != m->column)
                print_error("%s: at %d:%d\n", report.item[i].text, report.item[i].line, report.item[i].column);
            assert_int_equal(report.item[i].line, m->line);
            assert_int_equal(report.item[i].column, m->column);
            return;
        }
    for (int i = 0; i < report.count; i++)
        print_error("told: %d:%d: %s (%s)\n", report.item[i].line, report.item[i].column, report.item[i].text,
                    report.item[i].hint);
    print_error("nobody said '%s'\n", m->says);
    fail();
}

#define ONE(inside)                                                                                                    \
    "#usda 1.0\n(metersPerUnit = 1\nupAxis = \"Z\")\ndef Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", " \
    "\"PhysicsMassAPI\"]) {\n" inside "\n}\n"
#define TWO(inside) ONE("") "def Xform \"c\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {}\n" inside

static void test_mistakes(void **state) {
    static const mistake all[] = {
        /* the text */
        {"def Xform \"b\" {}", 1, 1, "#usda 1.0"},
        {"PXR-USDC\1\2", 1, 1, "usdcat FILE -o FILE.usda"},
        {"PK\3\4....", 1, 1, "usdcat --flatten"},
        {"#usda 1.0\nfed Xform \"b\" {}", 2, 1, "expected a prim, found 'fed'"},
        {"#usda 1.0\ndef Xform b {}", 2, 11, "name of the prim in quotes"},
        {"#usda 1.0\ndef Xform \"a b\" {}", 2, 11, "is no name of a prim"},
        {"#usda 1.0\ndef Xform \"b\"\nfloat x", 3, 1, "'{' behind the head of a prim, found 'float'"},
        {"#usda 1.0\ndef Xform \"b\" {\n", 3, 1, "found the end of the file"},
        {"#usda 1.0\ndef Xform \"b {}", 2, 11, "does not end on its line"},
        {"#usda 1.0\ndef \"b\" { string s = \"\"\"x\n }", 2, 22, "this text does not end"},
        {"#usda 1.0\n/* x", 2, 1, "this comment has no end"},
        {"#usda 1.0\ndef \"b\" {}\ndef \"b\" {}", 3, 5, "the first is at line 2"},
        {ONE(" float x = "), 6, 1, "expected a value, found '}'"},
        {ONE(" float x = 1.2.3"), 5, 12, "'1.2.3' is not a number"},
        {ONE(" float3 x = (1, 2 3)"), 5, 19, "',' or ')' in a tuple"},
        {ONE(" float3[] x = [(1, 2, 3), (1, 2)]"), 5, 27, "2 numbers, those before have 3"},
        {ONE(" token[] x = [\"a\", 1]"), 5, 20, "a text, as before in this list"},
        {ONE(" rel x = </a"), 5, 10, "this path does not end"},
        {ONE(" rel x = 5"), 5, 10, "a relationship names prims"},
        {ONE(" asset x = @a.usda"), 5, 12, "this file name does not end"},
        {ONE(" float x.wrong = 1"), 5, 8, "'.wrong' is nothing that an attribute has"},
        {ONE(" float = 1"), 5, 8, "the name of a property behind its type"},
        {ONE(" dfe Xform \"c\" {}"), 5, 2, "'dfe' begins no prim"},
        {ONE(" float x = 1 % 2"), 5, 14, "'%' has no meaning here"},
        {ONE(" def \"c\" (references = 5) {}"), 5, 24, "a file or a prim"},
        {ONE(" def \"c\" (kind \"x\") {}"), 5, 16, "'=' behind the name of metadata"},
        {ONE(" variantSet \"v\" = { light {} }"), 5, 21, "the name of a variant in quotes"},
        {"#usda 1.0\n(customData = { string = 1 })", 2, 24, "a name in this dictionary"},
        /* numbers of attributes */
        {ONE(" float physics:mass = (1, 2)"), 5, 23, "needs one number"},
        {ONE(" float physics:mass = \"1\""), 5, 23, "needs one number"},
        {ONE(" float physics:mass = nan"), 5, 23, "is not a number"},
        {ONE(" float physics:mass = -1"), 5, 23, "not negative"},
        {ONE(" float3 physics:diagonalInertia = 1"), 5, 35, "three numbers"},
        {ONE(" quatf xformOp:orient = (0, 0, 0, 0)\nuniform token[] xformOpOrder = [\"xformOp:orient\"]"), 5, 25,
         "is no rotation"},
        {ONE(" uniform token[] xformOpOrder = [\"xformOp:spin\"]"), 5, 33, "there is no operation 'xformOp:spin'"},
        {ONE(" uniform token[] xformOpOrder = [\"spin\"]"), 5, 33, "is no operation"},
        {ONE(" uniform token[] xformOpOrder = 5"), 5, 33, "xformOpOrder lists operations"},
        {ONE(" float3 xformOp:scale = (0, 1, 1)\nuniform token[] xformOpOrder = [\"!invert!xformOp:scale\"]"), 6, 32,
         "has no inverse"},
        {ONE(" float3 xformOp:scale = (0, 1, 1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]"), 4, 11,
         "scaled to nothing"},
        {ONE(" matrix4d xformOp:transform = ((1, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))\nuniform token[] "
             "xformOpOrder = [\"xformOp:transform\"]"),
         5, 31, "last column"},
        {"#usda 1.0\n(metersPerUnit = 0)\ndef \"b\" {}", 2, 18, "a number above 0"},
        {"#usda 1.0\n(upAxis = \"X\")\ndef \"b\" {}", 2, 11, "\"Y\" or \"Z\""},
        {HEAD "def Cube \"b\" {}\n", 1, 1, "no body that moves"},
        /* shapes */
        {ONE(" def Sphere \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n double radius = -1 }"), 6, 18,
         "is not above 0"},
        {ONE(" def Cone \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n token axis = \"W\" }"), 6, 15,
         "X, Y or Z"},
        {ONE(" def Cylinder \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n float3 xformOp:scale = (1, 2, "
             "1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"] }"),
         5, 15, "scale is not the same in all directions"},
        {ONE(" def Capsule \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n float3 xformOp:scale = (1, 1, "
             "2)\nuniform token[] xformOpOrder = [\"xformOp:scale\"] }"),
         5, 14, "scale is not the same in all directions"},
        {ONE(" def Plane \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {}"), 5, 12, "planes on moving bodies"},
        {ONE(" def Mesh \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n point3f[] points = [(0, 0, 0)]\n "
             "int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 0, 1] }"),
         8, 28, "name point 1, of 1"},
        {ONE(" def Mesh \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n point3f[] points = [(0, 0, 0)]\n "
             "int[] faceVertexCounts = [4]\n int[] faceVertexIndices = [0, 0, 0] }"),
         7, 27, "more corners"},
        {ONE(" def Mesh \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n point3f[] points = [0, 1] }"), 6, 21,
         "is no list of points"},
        /* what changes the physics */
        {ONE(" float physics:mass.timeSamples = { 0: 1, 1: 2 }"), 5, 8, "physics:mass of /b"},
        {TWO("def PhysicsRevoluteJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </x> }"), 8, 26,
         "prims that are not there: /j (/x)"},
        {TWO("def PhysicsRevoluteJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </c>\n token "
             "physics:axis = \"N\" }"),
         10, 23, "X, Y or Z"},
        {TWO("def PhysicsFixedJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </c>\n float "
             "physics:breakForce = 5 }"),
         8, 23, "joints that break"},
        {TWO("def PhysicsSphericalJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </c>\n float "
             "physics:coneAngle0Limit = 5 }"),
         8, 27, "limits of spherical joints"},
        {TWO("def PhysicsDistanceJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </c>\n float "
             "physics:minDistance = 5\n float physics:maxDistance = 2 }"),
         8, 26, "exchange them"},
        {TWO("def PhysxPhysicsGearJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </c> }"), 8, 27,
         "types that are not understood"},
        {TWO("def PhysicsRevoluteJoint \"j\" (prepend apiSchemas = [\"PhysicsDriveAPI:angular\"]) { rel physics:body0 "
             "= </b>\n rel physics:body1 = </c>\n float drive:angular:physics:stiffness = -5 }"),
         8, 26, "negative or not finite"},
        {TWO("def PhysicsRevoluteJoint \"j\" { rel physics:body0 = </b>\n rel physics:body1 = </c> }\nover \"c\" { }"),
         10, 6, "a second prim is called 'c'"},
        {HEAD "def Xform \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { vector3f physics:velocity = (1, 0, "
              "0) }\ndef PhysicsRevoluteJoint \"j\" { rel physics:body1 = </a> }",
         6, 11, "velocities of bodies that joints"},
        {ONE(" def PointInstancer \"p\" {}"), 5, 21, "PointInstancer"},
        {HEAD "def \"a\" (references = </b>) {}\ndef \"b\" (references = </a>) {}\n", 6, 23, "in a circle"},
        {HEAD "def \"a\" { def \"b\" (references = </a>) {} }\n", 6, 15, "nested deeper"},
        {HEAD "def \"a\" (inherits = </nobody>) {}\n" BODY("b", "(0, 0, 0)", ""), 6, 10,
         "references to prims that are not there"},
        {HEAD "def \"a\" (references = @nobody.usda@) {}\n" BODY("b", "(0, 0, 0)", ""), 6, 23,
         "files of the stage that are not there: nobody.usda"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) refuse(&all[i], NULL);
}

/* Files that refer to each other, and binary ones. */
static void test_wrong_files(void **state) {
    (void)state;
    write_file(folder, "part.usda", "#usda 1.0\n(subLayers = [@stage.usda@])\n");
    refuse(&(mistake){"", 2, 15, "the sublayers name each other"},
           write_file(folder, "stage.usda", "#usda 1.0\n(subLayers = [@part.usda@])\n" BODY("b", "(0, 0, 0)", "")));
    write_file(folder, "part.usda", "#usda 1.0\n(defaultPrim = \"p\")\ndef \"p\" (references = @stage.usda@</b>) {}\n");
    refuse(&(mistake){"", 2, 23, "in a circle"},
           write_file(folder, "stage.usda", "#usda 1.0\ndef \"b\" (references = @part.usda@) {}\n"));
    write_file(folder, "crate.usd", "PXR-USDC....");
    refuse(&(mistake){"", 2, 23, "binary form: crate.usd"},
           write_file(folder, "stage.usda",
                      "#usda 1.0\ndef \"x\" (references = @crate.usd@) {}\n" BODY("b", "(0, 0, 0)", "")));
    refuse(&(mistake){"", 1, 1, "usdcat FILE -o FILE.usda"}, write_file(folder, "crate.usd", "PXR-USDC...."));
    refuse(&(mistake){"", 1, 1, "usdcat --flatten"}, write_file(folder, "pack.usdz", "PK\3\4...."));
    write_file(folder, "part.usda", "#usda 1.0\ndef \"p\" {\n float x = \n}\n");
    refuse(&(mistake){"", 4, 1, "expected a value"},
           write_file(folder, "stage.usda", "#usda 1.0\ndef \"b\" (references = @part.usda@</p>) {}\n"));
    write_file(folder, "part.usda", "#usda 1.0\ndef \"p\" {}\n");
    refuse(&(mistake){"", 2, 23, "without a defaultPrim"},
           write_file(folder, "stage.usda",
                      "#usda 1.0\ndef \"x\" (references = @part.usda@) {}\n" BODY("b", "(0, 0, 0)", "")));
}

/* What the text form allows: comments of all kinds, quotes, semicolons, blocked values, splines, lists of dictionaries. */
static void test_spelling(void **state) {
    (void)state;
    jn_description *d = read_stage(
        "#usda 1.0\n(\n \"\"\"a comment\nof two lines\"\"\"\n doc = 'x'\n metersPerUnit = 1; upAxis = \"Z\"\n "
        "customLayerData = { dictionary a = { int[] b = [1, 2,]; string 'c d' = \"\\\"q\\\"\" } }\n relocates = { "
        "</a>: </b> }\n)\n"
        "// a line\n/* some\nlines */ reorder rootPrims = [\"b\"]\n"
        "def Xform \"b\" ( # here\n prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\",]\n kind = "
        "'component'\n permission = public\n) {\n"
        " reorder properties = [\"a\"]\n custom uniform string note = '''two\nlines''' (doc = \"x\"; hidden = true)\n "
        "float physics:mass = None\n float unused.timeSamples = { 0: 1, 2: None }\n"
        " token inputs:x.connect = </b.out>\n rel none\n float3[] empty = []\n float f.spline = { bezier, 1: 2 }\n "
        "prepend rel r = [</a>, </c>]\n asset file = @@@a@b@@@\n double y = -inf; bool z = true\n}\n");
    assert_near(body(d, "b")->mass, 1, 0); /* the block leaves none */
    jn_description_free(d);
}

/* The k-th allocation fails, for every k: the caller is told, nothing leaks. */
static void test_memory(void **state) {
    static const char text[] = HEAD "def Xform \"r\" (references = </c>) {\n" BODY(
        "a", "(0, 0, 0)", "def Sphere \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {}")
        BODY("b", "(1, 0, 0)",
             "def Cube \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {}\nrel physics:filteredPairs = </r/a>")
            JOINT("Revolute", "j", "/r/a", "/r/b",
                  "point3f physics:localPos0 = (1, 0, 0)") "}\nclass \"c\" { float x = 1 }\n";
    refused_memory c = {0, -1};
    jn_description *d = NULL;
    (void)state;
    for (c.refuse = 0; !d; c.refuse++) {
        c.made = 0;
        jn_memory_hook(allow_memory, &c);
        d = jn_description_parse(text, sizeof text - 1, "stage.usda", NULL, 0, &report);
        jn_memory_hook(NULL, NULL);
        assert_true(c.refuse < 10000);
        if (d) break;
        assert_true(report.errors > 0 && c.made > c.refuse);
    }
    assert_true(c.refuse > 5);
    jn_description_free(d);
}

/* Noted: schemas of other programs, and what is left out by --lenient. */
static void test_notes(void **state) {
    (void)state;
    jn_description *d =
        read_leniently(HEAD "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"MjcBodyAPI\", "
                            "\"PhysxRigidBodyAPI\"]) { float physics:mass.timeSamples = { 0: 1 } }\n");
    told("schemas of other programs: MjcBodyAPI (line 6), PhysxRigidBodyAPI");
    jn_description_free(d);
    d = read_stage(HEAD "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysxTendonAxisAPI:x\"]) "
                        "{}\ndef MjcActuator \"motor\" {}\n");
    told("forces and constraints by schemas of other programs: PhysxTendonAxisAPI:x");
    told("prims of other programs: /motor (MjcActuator)");
    jn_description_free(d);
}

/* A misspelt property is named, with the one that is near; properties of other kinds are none of physics. */
static void test_misspelt(void **state) {
    (void)state;
    jn_description *d = read_stage(HEAD BODY(
        "a", "(0, 0, 0)",
        "custom float power = 1\nfloat physics:masss = 2") "def PhysicsRevoluteJoint \"j\" { rel physics:body1 = "
                                                           "</a>\nfloat physics:upperLimt = 90\nfloat "
                                                           "drive:angular:physics:stifness = 1 }\n");
    told("properties that UsdPhysics does not have");
    told("physics:masss (mass?)");
    told("physics:upperLimt (upperLimit?)");
    told("drive:angular:physics:stifness (stiffness?)");
    jn_description_free(d);
    d = read_stage(HEAD BODY("a", "(0, 0, 0)", "custom float power = 1"));
    for (int i = 0; i < report.count; i++) assert_null(strstr(report.item[i].text, "UsdPhysics does not have"));
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misspelt), cmocka_unit_test(test_references), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_variants), cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_spelling), cmocka_unit_test(test_notes),      cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
