/* Two materials that meet: the row that holds, the same for both orders of the bodies, and what is said about it. */
#include "rigid.h"
#include <unistd.h>

/* Part of g by which a block brakes on a table that stands on the ground. */
static double brake(bool block_first, const char *rows) {
    static const char table[] =
        "  table: {mass: 9, inertia: 1, com: [0, -0.1], shape: {type: box, size: [8, 0.2], at: [0, -0.1], "
        "contact: ice}}\n",
                      block[] = "  block: {mass: 1, inertia: 0.01, com: [0, 0.1], velocity: [1, 0],\n"
                                "          shape: {type: box, size: [0.4, 0.2], at: [0, 0.1], contact: rubber}}\n";
    char text[1024];
    rigid r;
    snprintf(text, sizeof text,
             "plane: xy\nbodies:\n%s%sjoints:\n  bolt: {type: fixed, between: [ground, table], at: [0, 0]}\n"
             "contacts:\n%srun: {method: nonsmooth, step: 1e-3, until: 0.1}\n",
             block_first ? block : table, block_first ? table : block, rows);
    rigid_text(&r, text);
    rigid_go(&r, 0.1);
    double v = rigid_body(&r, block_first ? 1 : 2).velocity.x;
    rigid_close(&r);
    return (1 - v) / 0.1 / 9.81;
}

static void rows_of_two_materials(void **state) {
    (void)state;
    static const struct {
        const char *rows;
        double friction;
    } cases[] = {
        {"  ice: {friction: 0.1}\n  rubber: {friction: 0.9}\n", 0.3},
        {"  rubber: {friction: 0.9}\n  ice: {friction: 0.1}\n", 0.3},
        {"  ice: {friction: 0.1, combine: max}\n  rubber: {friction: 0.9}\n", 0.9},
        {"  ice: {friction: 0.1}\n  rubber: {friction: 0.9, combine: min}\n", 0.1},
        {"  ice: {friction: 0.1, combine: max}\n  rubber: {friction: 0.9, combine: min}\n", 0.9},
        {"  ice: {restitution: 0.5}\n  rubber: {friction: 0.9}\n", 0},
        {"  ice: {friction: 0.1}\n  rubber: {friction: 0.9}\n  pair: {between: [table, block], friction: 0.5}\n", 0.5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int order = 0; order < 2; order++) assert_near(brake(order, cases[k].rows), cases[k].friction, 1e-9);
}

/* Whether some message has both words. */
static bool says(const jn_report *report, const char *one, const char *other) {
    for (int i = 0; i < report->count; i++)
        if (strstr(report->item[i].text, one) && strstr(report->item[i].text, other)) return true;
    return false;
}

static void notes_and_warnings(void **state) {
    (void)state;
    jn_report report = {0};
    jn_model *m = text_model(
        "bodies:\n  ground: {shape: {type: plane, contact: ice}}\n"
        "  ball: {mass: 1, inertia: [0.4, 0.4, 0.4], com: [0, 0, 1], shape: {type: sphere, radius: 1, at: [0, "
        "0, 1], contact: rubber}}\n"
        "contacts:\n  ice: {friction: 0.1, restitution: 0.9}\n"
        "  rubber: {friction: 0.9, restitution: 0.4, law: hertz, stiffness: 1e6}\n"
        "run: {method: nonsmooth, step: 1e-3, until: 0.1}\n",
        &report);
    assert_non_null(m);
    assert_true(says(&report, "'ice' and 'rubber' meet", "friction 0.3, restitution 0.6"));
    jn_sim *sim = jn_sim_create(m, &report);
    assert_non_null(sim);
    assert_true(says(&report, "contact 'rubber'", "'law', 'stiffness': no effect with method nonsmooth"));
    jn_sim_free(sim);
    jn_model_free(m);
}

/* A static coefficient that the friction law of a compliant contact does not have. */
static void static_friction_is_named_where_idle(void **state) {
    (void)state;
    static const struct {
        const char *run, *law;
        bool idle;
    } cases[] = {{"method: compliant", "", true},
                 {"method: compliant", "law: threlfall, ", true},
                 {"method: compliant", "law: bengisu_akay, ", false},
                 {"method: impact", "", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        jn_report report = {0};
        snprintf(
            text, sizeof text,
            "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: 1, inertia: 1, com: [0, 1], shape: "
            "{type: circle, radius: 0.1, at: [0, 1]}}}\n"
            "contacts: {c: {between: [ground, b], stiffness: 1e5, friction: {%sdynamic: 0.2, static: 0.3}}}\n"
            "run: {%s, until: 1}\n",
            cases[k].law, cases[k].run);
        jn_model *m = text_model(text, &report);
        jn_sim *sim = jn_sim_create(m, &report);
        assert_non_null(sim);
        assert_true(says(&report, "contact 'c': 'friction.static'", "no effect with friction law") == cases[k].idle);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* A robot's file brings rows for every method: the run that takes it is not told what its method has no use for. */
/* N/m beside a power of 1.5 is an error; the right power, or no unit, is none. A damping needs a law that has one. */
static void a_stiffness_has_the_unit_of_its_law(void **state) {
    (void)state;
    static const struct {
        const char *row;
        bool error, idle;
    } list[] = {{"stiffness: 1e6 N/m", true, false},
                {"stiffness: 1e6 N/m, exponent: 1", false, false},
                {"stiffness: 1e6 N/m^1.5", false, false},
                {"stiffness: 1e6, damping: 100", false, true},
                {"stiffness: 1e6 N/m, law: kelvin_voigt, damping: 100", false, false},
                {"stiffness: 1e6 N/m^1.5, law: kelvin_voigt, damping: 100", true, false}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        jn_report report = {0};
        char text[512];
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane}}\n  b: {mass: 1, shape: {type: sphere, radius: 0.1, at: [0, "
                 "0, 1]}}\n"
                 "contacts: {floor: {%s}}\nrun: {method: compliant, until: 0.1}\n",
                 list[k].row);
        jn_model *m = text_model(text, &report);
        assert_non_null(m);
        jn_sim *sim = jn_sim_create(m, &report);
        assert_int_equal(sim == NULL, list[k].error);
        assert_true(says(&report, "contact 'floor'", "the stiffness is in N/m^") == list[k].error);
        assert_true(says(&report, "contact 'floor'", "'damping': no effect") == list[k].idle);
        jn_sim_free(sim), jn_model_free(m);
    }
}

static void rows_of_a_robot_are_no_mistake(void **state) {
    (void)state;
    static const char robot[] = "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body name='b' pos='0 0 1'>"
                                "<freejoint/><geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>";
    static const char own[] = "contacts: {own: {between: [ground, r_b], stiffness: 1e6}}\n";
    for (int k = 0; k < 2; k++) {
        jn_report report = {0};
        char path[] = "/tmp/jounce_robot_XXXXXX", text[512];
        int file = mkstemp(path);
        assert_true(file >= 0 && write(file, robot, sizeof robot - 1) == (ssize_t)(sizeof robot - 1));
        close(file);
        snprintf(text, sizeof text, "robots: {r: {file: %s}}\n%srun: {method: nonsmooth, step: 1 ms, until: 0.1}\n",
                 path, k ? own : "");
        jn_model *m = text_model(text, &report);
        unlink(path);
        assert_non_null(m);
        jn_sim *sim = jn_sim_create(m, &report);
        assert_non_null(sim);
        assert_true(says(&report, "", "no effect with method nonsmooth") == (k == 1));
        assert_true(says(&report, "contact 'own': 'stiffness'", "no effect") == (k == 1));
        jn_sim_free(sim), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_two_materials), cmocka_unit_test(notes_and_warnings),
                                       cmocka_unit_test(static_friction_is_named_where_idle),
                                       cmocka_unit_test(rows_of_a_robot_are_no_mistake),
                                       cmocka_unit_test(a_stiffness_has_the_unit_of_its_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
