/* Templates of xacro: what they stand for, by hand; values of expressions as Python gives them; messages with the line of the file. */
#include "import_text.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROBOT(text) "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>" text "</robot>"
#define MASS(m) "<inertial><mass value='" m "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

/* The mass of a link by an expression. */
static double value_of(const char *expression) {
    char text[1000];
    snprintf(text, sizeof text,
             ROBOT("<xacro:property name='a' value='2'/><xacro:property name='s' value='x y'/><xacro:property name='m' "
                   "value=\"${0 if False else "
                   "{'k': 3, 'l': [4, 5.5]}}\"/><link name='b'><inertial><mass value=\"${%s}\"/><inertia ixx='1' "
                   "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"),
             expression);
    jn_description *d = read_text(text);
    double mass = body(d, "b")->mass;
    jn_description_free(d);
    return mass;
}

static void test_expressions(void **state) {
    static const struct {
        const char *text;
        double value;
    } table[] = {{"1 + 2*3", 7},
                 {"2**3**2", 512},
                 {"-2**2 + 5", 1},
                 {"7//2", 3},
                 {"-7//2 + 5", 1},
                 {"-7 % 3", 2},
                 {"1/2", 0.5},
                 {"1e-3", 1e-3},
                 {".5", 0.5},
                 {"a*3", 6},
                 {"pi", M_PI},
                 {"cos(radians(60)) + math.sin(0)", 0.5},
                 {"sqrt(a + a)", 2},
                 {"max(1, 3, 2) - min([1, 2])", 2},
                 {"abs(-4)", 4},
                 {"1 if a == 2 else nothing", 1},
                 {"nothing if a > 2 else 5", 5},
                 {"3 if a == 2 and not a == 3 else 4", 3},
                 {"1 if True or nothing else 2", 1},
                 {"1 if 1 &lt; a &lt;= 2 else 9", 1},
                 {"m.k", 3},
                 {"m['l'][-1]", 5.5},
                 {"m.get('z', 8)", 8},
                 {"len(s.split(' '))", 2},
                 {"len(s + 'z')", 4},
                 {"6 if 'x' in s else 7", 6},
                 {"6 if 'k' not in m else 7", 7},
                 {"(1, 2)[1]", 2},
                 {"int(2.7) + float('1.5')", 3.5},
                 {"atan2(1, 1)*4", M_PI},
                 {"len('A'.lower() + str(12))", 3},
                 {"2 if s.startswith('x') else 1", 2},
                 {"len([1, 2] + [3])", 3},
                 {"round(2.675, 2)", 2.67}, /* its binary number lies below the half */
                 {"round(0.125, 2)", 0.12},
                 {"round(1250, -2)", 1200},
                 {"round(1.5) + round(2.5)", 4},
                 {"3 if s[0] == 'x' and s[-1] == 'y' else 4", 3},
                 {"len(s[1:]) + 10*len(s[:-1]) + 100*len(s[5:])", 22},
                 {"[1, 2, 3, 4][1:-1][0]", 2},
                 {"len([1, 2, 3][2:1])", 0},
                 {"dict(k=3, l=4)['l'] + dict(k = 5).k", 9},
                 {"len(dict()) + len(list())", 0},
                 {"s.find('y') + s.find('z')", 1},
                 {"1 if python.isinstance([1], list) and not isinstance(s, list) and isinstance(a, int) else 2", 1},
                 {"[2*x for x in [1, 2, 3]][2] + len([x for x in [1, 2, 3] if x != a])", 8},
                 {"[[x + y for y in [10, 20]] for x in [1, 2]][1][0]", 12},
                 {"[x for x in 'X Y'.split()][0].lower().find('x') + [1, [2, 3],][1][1]", 3},
                 {"5 if True or [x for x in nothing] else 6", 5},
                 {"len(python.set([1, 2, 1, 'a', 'a']))", 3},
                 {"len(list(python.set('a b c'.split()) - python.set(['b'])))", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double found = value_of(table[i].text);
        if (fabs(found - table[i].value) > 1e-12) print_error("%s\n", table[i].text);
        assert_near(found, table[i].value, 1e-12);
    }
}

/* Macros with defaults, forwarded values, blocks and recursion; conditions; names made of numbers. */
static void test_macros(void **state) {
    (void)state;
    jn_description *d = read_text(ROBOT(
        "<xacro:property name='side' value='left'/><xacro:property name='mass' value='3.0'/>"
        "<xacro:macro name='leg' params=\"n parent mass:=^ length:=${1/2} side:=^|none word:='a b' *origin **extra\">"
        "<link name='${side}_${n}'>" MASS(
            "${mass*n}") "<xacro:insert_block name='extra'/></link>"
                         "<joint name='j${n}' type='revolute'><xacro:insert_block name='origin'/><parent "
                         "link='${parent}'/><child link='${side}_${n}'/>"
                         "<axis xyz='0 0 1'/><limit lower='${-length}' upper='${radians(90)}' effort='1' "
                         "velocity='1'/></joint>"
                         "<xacro:if value='${n &lt; 3}'><xacro:leg n='${n + 1}' parent='${side}_${n}' "
                         "length='0.25'><origin xyz='${length} 0 0'/><none/></xacro:leg></xacro:if>"
                         "<xacro:unless value='${n &lt; 3}'><xacro:property name='last' value='${n}' "
                         "scope='global'/></xacro:unless></xacro:macro>"
                         "<link name='base'>" MASS("1") "</link>"
                                                        "<xacro:leg n='1' parent='base'><origin xyz='1 2 "
                                                        "3'/><extra><collision><geometry><sphere "
                                                        "radius='0.1'/></geometry></collision></extra></xacro:leg>"
                                                        "<link name='end_${last}'>" MASS(
                                                            "1") "</link><joint name='e' type='fixed'><parent "
                                                                 "link='base'/><child link='end_${last}'/></joint>"));
    assert_near(body(d, "left_2")->mass, 6, 0);
    assert_int_equal(body(d, "left_1")->shape_count, 1);
    assert_int_equal(body(d, "left_2")->shape_count, 0);
    assert_vector(joint(d, "j1")->frame[0].at, 1, 2, 3);
    assert_near(joint(d, "j1")->coordinate[0].lower, -0.5, 0);
    assert_near(joint(d, "j3")->coordinate[0].lower, -0.25, 0);
    assert_near(joint(d, "j3")->coordinate[0].upper, M_PI / 2, 1e-14); /* files are written with 15 digits */
    assert_near(body(d, "end_3")->mass, 1, 0);
    jn_description_free(d);
}

/* A package in a folder of another name, and one beside the file's folder, read from there and from elsewhere: $(find), $(dirname), includes relative to their file, arguments and their settings, YAML files in which a key stands twice. */
static void test_files(void **state) {
    (void)state;
    static const char *const names[] = {"package.xml", "urdf/robot.urdf.xacro", "urdf/parts.xacro", "sizes.yaml", "extra/package.xml", "extra/grip.xacro"};
    static const char *const texts[] = {
        "<package><name> my_arm </name></package>",
        ROBOT(
            "<xacro:arg name='tool' default='true'/><xacro:arg name='count' default='${1 + 1}'/><xacro:include "
            "filename='$(find my_arm)/urdf/parts.xacro'/><xacro:include filename='$(find my_grip)/grip.xacro'/>"
            "<xacro:property name='sizes' value=\"${xacro.load_yaml('$(dirname)/../sizes.yaml')}\"/><link "
            "name='base'>" MASS(
                "${sizes.base.mass*$(arg count)*grip}") "<collision><geometry><box size='${sizes.base.turn} ${sizes.base.long} ${sizes.base.wide}'/></geometry></collision></link>"
                                                   "<xacro:if value=\"$(eval tool and count*3 == xacro.arg('count') + 4)\"><xacro:tool on='base'/></xacro:if>"),
        ROBOT("<xacro:macro name='tool' params='on'><link name='tool'>" MASS(
            "0.5") "</link><joint name='t' type='fixed'><parent link='${on}'/><child "
                   "link='tool'/></joint></xacro:macro>"),
        "base:\n  mass:\n  mass: 4\n  turn: !degrees 45 + 45\n  long: !millimeters 1500\n  wide: !inches 10\n",
        "<package><name>my_grip</name></package>", ROBOT("<xacro:property name='grip' value='1'/>")};
    char folder[] = "/tmp/jounce_xacro_XXXXXX", inner[100], extra[100], path[6][120];
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/urdf", folder);
    snprintf(extra, sizeof extra, "%s/extra", folder);
    assert_int_equal(mkdir(inner, 0700) + mkdir(extra, 0700), 0);
    for (int i = 0; i < 6; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
        FILE *f = fopen(path[i], "w");
        fputs(texts[i], f), fclose(f);
    }
    jn_report own = {0}, second = {0}, third = {0};
    jn_description *d = jn_description_read(path[1], NULL, 0, &own);
    check_report(&own);
    assert_near(body(d, "base")->mass, 8, 0);
    assert_near(body(d, "tool")->mass, 0.5, 0);
    assert_vector(d->shapes[body(d, "base")->shape_first].size, M_PI / 2, 1.5, 0.254); /* !degrees, !millimeters, !inches */
    jn_description_free(d);
    jn_setting set[] = {{"import.xacro", "tool:=false count:=3"}};
    d = jn_description_read(path[1], set, 1, &second);
    check_report(&second);
    assert_near(body(d, "base")->mass, 12, 0);
    assert_int_equal(d->body_count, 2); /* with the ground */
    jn_description_free(d);
    char *home = getcwd(NULL, 0);
    assert_int_equal(chdir(folder), 0);
    d = jn_description_read(names[1], NULL, 0, &third);
    assert_int_equal(chdir(home), 0);
    check_report(&third);
    assert_near(body(d, "base")->mass, 8, 0);
    jn_description_free(d), free(home);
    for (int i = 0; i < 6; i++) remove(path[i]);
    remove(inner), remove(extra), remove(folder);
}

/* The robot's name by an argument that stands within it, as in ros_kortex. */
static void test_title(void **state) {
    (void)state;
    jn_description *d = read_text("<robot name='arm_$(arg side)' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:arg name='side' default='left'/>"
                                  "<link name='b'>" MASS("1") "</link></robot>");
    assert_string_equal(d->title, "arm_left");
    jn_description_free(d);
}

/* Files with a namespace: their properties and macros have its name before them, see their own names first, and those around the include. */
static void test_spaces(void **state) {
    static const char *const names[] = {"robot.urdf.xacro", "arm.xacro", "size.xacro"};
    static const char *const texts[] = {
        ROBOT("<xacro:property name='mass' value='7'/><xacro:property name='outer' value='10'/><xacro:property name='which' value='left'/>"
              "<xacro:macro name='ball' params='name mass'><link name='${name}'>" MASS("${mass}") "</link></xacro:macro>"
              "<xacro:include filename='arm.xacro' ns='${which}'/>"
              "<xacro:left.link name='a' part='${mass}'/><xacro:call macro='left.size.link' name='b'/><xacro:ball name='c' mass='${left.mass + left.size.mass}'/>"
              "<joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint><joint name='ac' type='fixed'><parent link='a'/><child link='c'/></joint>"),
        ROBOT("<xacro:property name='mass' value='2'/><xacro:include filename='size.xacro' ns='size'/>"
              "<xacro:macro name='link' params='name part'><xacro:ball name='${name}' mass='${mass + outer + 100*part}'/></xacro:macro>"),
        ROBOT("<xacro:property name='mass' value='${outer + 0.5}'/><xacro:macro name='link' params='name'><link name='${name}'>" MASS(
            "${mass}") "</link></xacro:macro>")};
    char folder[] = "/tmp/jounce_spaces_XXXXXX", path[3][120];
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
        FILE *f = fopen(path[i], "w");
        fputs(texts[i], f), fclose(f);
    }
    jn_report own = {0};
    jn_description *d = jn_description_read(path[0], NULL, 0, &own);
    check_report(&own);
    assert_near(body(d, "a")->mass, 2 + 10 + 700, 0);
    assert_near(body(d, "b")->mass, 10.5, 0);
    assert_near(body(d, "c")->mass, 12.5, 0);
    jn_description_free(d);
    for (int i = 0; i < 3; i++) remove(path[i]);
    rmdir(folder);
}

/* Properties are evaluated where they are first asked for: they may name later ones, and one that nobody asks for may be wrong. Elements and attributes
 * by names that are computed. */
static void test_late(void **state) {
    (void)state;
    jn_description *d = read_text(ROBOT(
        "<xacro:property name='total' value='${2*part}'/><xacro:property name='unused' value='${nothing}'/>"
        "<xacro:property name='part' value='3'/><xacro:property name='part' value='4'/>"
        "<xacro:property name='early' value='${part}' lazy_eval='false'/><xacro:property name='part' value='5'/>"
        "<xacro:property name='tag' value='inertial'/>"
        "<xacro:macro name='m' params='n'><xacro:property name='own' value='${later + n}'/><xacro:property "
        "name='later' value='100'/>"
        "<link name='b${n}'><xacro:element xacro:name='${tag}'><mass><xacro:attribute name='val${\"ue\"}' value='${own "
        "+ total + early}'/></mass>"
        "<inertia ixx='1' iyy='1' izz='1'/></xacro:element></link></xacro:macro>"
        "<xacro:m n='1'/><xacro:m n='2'/><joint name='j' type='fixed'><parent link='b1'/><child link='b2'/></joint>"));
    assert_near(body(d, "b1")->mass, 101 + 10 + 4, 0), assert_near(body(d, "b2")->mass, 102 + 10 + 4, 0);
    jn_description_free(d);
}

static void test_wrong(void **state) {
    static const struct {
        const char *text, *message;
        int line;
    } table[] = {
        {ROBOT("\n<link name='${a + }'/>"), "it is not understood", 2},
        {ROBOT("\n\n<xacro:property name='a' value='${b}'/><link name='${a}'/>"), "nothing is called 'b'", 3},
        {ROBOT("<xacro:property name='a' value='${b}'/>\n<xacro:property name='b' value='${a}'/><link name='${b}'/>"),
         "the property 'b' is defined by itself", 2},
        {ROBOT("<xacro:property name='a' value='${1/0}'/><link name='${a}'/>"), "division by zero", 1},
        {ROBOT("<xacro:property name='a' value=\"${'x'*2}\"/><link name='${a}'/>"), "these values have no operator '*'",
         1},
        {ROBOT("<xacro:property name='a' value='${f(1)}'/><link name='${a}'/>"),
         "there is no function for these values called 'f'", 1},
        {ROBOT("<link name='$(arg side)'/>"), "the argument 'side' has no value", 1},
        {ROBOT("<link name='$(find no_such_package)'/>"), "the package 'no_such_package' is not found", 1},
        {ROBOT("<link name='$(eval side)'/>"), "nothing is called 'side'", 1},
        {ROBOT("<link name=\"${'abc'[3]}\"/>"), "there is no entry '3'", 1},
        {ROBOT("<link name=\"${'abc'[0.5:]}\"/>"), "only whole numbers are ends of", 1},
        {ROBOT("<link name='$(env HOME)'/>"), "'$(env HOME)' is not understood", 1},
        {ROBOT("<xacro:macro name='m' params='a *b'/>\n<xacro:m/>"), "<xacro:m> does not give 'a'", 2},
        {ROBOT("<xacro:macro name='m' params='*b'/>\n<xacro:m/>"), "<xacro:m> lacks the element for '*b'", 2},
        {ROBOT("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>"), "nested deeper than 100 levels", 1},
        {ROBOT("<xacro:macro name='m'><link name='a'/></xacro:macro>"),
         "the template defines macros, as 'm', and calls none", 1},
        {ROBOT("<xacro:insert_block name='b'/>"), "there is no block 'b'", 1},
        {ROBOT("<xacro:if value='perhaps'/>"), "'perhaps' is neither true nor false", 1},
        {ROBOT("<xacro:n.tool/>"), "there is no macro 'n.tool'", 1},
        {ROBOT("<xacro:property name='a' value='${1//0}'/><link name='${a}'/>"), "division by zero by '//'", 1},
        {ROBOT("\n<link name='a_${1 + 2'/>"), "'${1 + 2' has no '}'", 2},
        {ROBOT("\n<link name='$(arg a'/>"), "'$(arg a' has no ')'", 2},
        {ROBOT("<xacro:macro name='m' params='mass:=1'/>\n<xacro:m mas='2'/>"),
         "<xacro:m> gives 'mas', which the macro does not take", 2},
        {ROBOT("<xacro:macro name='m' params='*b'/>\n<xacro:m><g/><g/></xacro:m>"),
         "<xacro:m> holds more elements than the macro takes, by 1", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_null(parse(table[i].text, "a.urdf", NULL, 0));
        assert_int_equal(told(table[i].message)->line, table[i].line);
    }
}

/* Repeats a text; the caller frees it. */
static char *repeated(const char *before, const char *text, int times, const char *after) {
    size_t n = strlen(text), room = strlen(before) + n * (size_t)times + strlen(after) + 1;
    char *all = malloc(room), *at = all;
    assert_non_null(all);
    at += sprintf(at, "%s", before);
    for (int i = 0; i < times; i++, at += n) memcpy(at, text, n);
    strcpy(at, after);
    return all;
}

/* Templates of a few lines that stand for more than any memory holds end with a message; long texts are read in time linear in their length. */
static void test_limits(void **state) {
    enum { LINES = 60 };
    static const struct {
        const char *before, *line, *after, *message; /* line: with its number three times, and the one before it */
    } table[] = {{"<xacro:property name='p0' value='${[1]}'/>", "<xacro:property name='p%d' value='${[p%d, p%d]}'/>",
                  "<link name='${p59}'/>", "nested too deep, or makes too much"},
                 {"<xacro:property name='p0' value='x'/>", "<xacro:property name='p%d' value='${p%d}${p%d}'/>",
                  "<link name='${p59}'/>", "longer than 1000000 letters"},
                 {"<xacro:macro name='p0'><link name='a'/></xacro:macro>",
                  "<xacro:macro name='p%d'><xacro:p%d/><xacro:p%d/></xacro:macro>", "<xacro:p40/>",
                  "more than 500000 elements"}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[LINES * 80 + 400];
        int n = snprintf(text, sizeof text, "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>%s", table[i].before);
        for (int k = 1; k < LINES; k++) n += snprintf(text + n, sizeof text - (size_t)n, table[i].line, k, k - 1, k - 1);
        snprintf(text + n, sizeof text - (size_t)n, "%s</robot>", table[i].after);
        assert_null(parse(text, "a.urdf", NULL, 0));
        told(table[i].message);
    }
    char *inner = repeated("<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:macro name='m' params='**b'><xacro:insert_block name='b'/>"
                           "<xacro:insert_block name='b'/></xacro:macro>",
                           "<xacro:m><c>", 40, "<g/>"),
         *blocks = repeated(inner, "</c></xacro:m>", 40, "</robot>"), *dollars = repeated("<robot><link name='${1}", "$", 200000, "'/></robot>");
    assert_null(parse(blocks, "a.urdf", NULL, 0));
    told("more than 500000 elements");
    jn_description *d = parse(dollars, "a.urdf", NULL, 0);
    assert_non_null(d);
    jn_description_free(d), free(inner), free(blocks), free(dollars);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_expressions), cmocka_unit_test(test_macros),
                                       cmocka_unit_test(test_files),       cmocka_unit_test(test_spaces), cmocka_unit_test(test_late),
                                       cmocka_unit_test(test_wrong),       cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_title)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
