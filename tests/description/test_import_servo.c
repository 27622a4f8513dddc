/* MJCF: <pid> and <dcmotor>. Forces and rates are those of MuJoCo 3.12.1 at one state: q = 0.3, -0.2, 0.1, 0.05, u = 0.5, -1, 0.7, 0.2, controls
 * 0.1, 0.2, 0.3 ... in their order, activations 0.05, 0.1, 0.15. */
#include "import_text.h"

#include <jounce/motion.h>
#include <math.h>
#include <stdio.h>

static const char text[] =
    "<mujoco><compiler angle='radian'/><worldbody>"
    "<body name='a'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.03 .2' pos='0 0 -.2'/>"
    "<body name='b' pos='0 0 -.4'><joint name='b' axis='1 0 0' range='-1 1'/><geom type='capsule' size='.03 .2' pos='0 0 -.2'/>"
    "<body name='c' pos='0 0 -.4'><joint name='c' axis='0 1 0'/><geom type='capsule' size='.03 .2' pos='0 0 -.2'/>"
    "<body name='d' pos='0 0 -.4'><joint name='d' type='slide' axis='1 0 0'/><geom size='.05'/></body></body></body></body></worldbody><actuator>"
    "<pid name='one' joint='a' kp='12' kv='1.5' gear='2'/>"
    "<pid name='two' joint='b' kp='7' dampratio='0.7' input='pos' inheritrange='0.9'/>"
    "<pid name='three' joint='c' kp='5' kv='0.4' input='pos vel ff' posrange='-0.3 0.3' velrange='-.2 .2' ffrange='-.1 .1' forcerange='-2 2'/>"
    "<pid name='four' joint='d' kp='5' kv='0.4' ki='3' input='pos' imax='0.4'/>"
    "<pid name='five' joint='d' kp='5' kv='0.4' ki='3' input='pos vel ff'/>"
    "<dcmotor name='six' joint='a' motorconst='0.05 0.06' resistance='2' gear='30' damping='0.001' armature='1e-5'/>"
    "<dcmotor name='seven' joint='b' nominal='24 1.2 400' saturation='0.1 0 0'/>"
    "<dcmotor name='eight' joint='c' nominal='24 1.2 400' damping='1e-4' input='pos vel ff voltage' controller='3 0 .2'/>"
    "<dcmotor name='nine' joint='d' motorconst='0.1' resistance='1' input='pos' controller='3 2 .2 0 0.3'/>"
    "<dcmotor name='ten' joint='d' motorconst='0.1' resistance='1' input='none'/></actuator>"
    "<keyframe><key name='set' qpos='0.3 -0.2 0.1 0.05' qvel='0.5 -1 0.7 0.2' "
    "ctrl='.1 .2 .3 .4 .5 .6 .7 .8 .9 1 1.1 1.2 1.3 1.4 1.5 1.6 1.7'/></keyframe></mujoco>";

static const struct {
    const char *name;
    double force;
} answers[] = {{"one", -7.1999999999999993},   {"two", 6.9629822482184327}, {"three", 0.90000000000000013}, {"four", 3.3200000000000003},
               {"five", 5.3300000000000001},   {"six", 0.0076247406627841414}, {"seven", 0.063000000000000014},
               {"eight", 5.3200000000000003}, {"nine", 5.21},               {"ten", -0.0020000000000000005}};

static int actuator(const jn_description *d, const char *name) {
    for (int i = 0; i < d->actuator_count; i++)
        if (!strcmp(d->actuators[i].name, name)) return i;
    return -1;
}

static void test_forces(void **state) {
    const char *key[1][2] = {{"import.keyframe", "set"}};
    (void)state;
    jn_description *d = parse(text, "robot.xml", key, 1);
    check_report(&report);
    assert_non_null(d);
    assert_int_equal(d->actuator_count, 11); /* five has a second one for its other inputs */
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    assert_non_null(w), assert_non_null(s);
    const double q[] = {0.3, -0.2, 0.1, 0.05}, u[] = {0.5, -1, 0.7, 0.2};
    for (int k = 0; k < 4; k++) s->q[k] = q[k], s->u[k] = u[k];
    for (int k = 0; k < 3; k++) s->act[k] = 0.05 * (k + 1);
    assert_int_equal(jn_observe(m, w, s), JN_OK);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        int k = actuator(d, answers[i].name), beside = actuator(d, "five_inputs");
        double force = jn_actuator_motion_get(m, w, k).force;
        if (!strcmp(answers[i].name, "five")) force += jn_actuator_motion_get(m, w, beside).force;
        assert_near(force, answers[i].force, 1e-12);
    }
    jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
}

/* Motors with states, at q = 0.3, u = 0.5, with gear 20, by the equations of the note: temperature 12 above 25, deflection 1e-3, current 0.7. */
static void test_motors(void **state) {
    static const char motors[] =
        "<mujoco><compiler angle='radian'/><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>"
        "<dcmotor name='all' joint='j' gear='20' motorconst='0.05' resistance='2' inductance='.01' thermal='4 0 8 .004 20 25' cogging='.02 6 .3'"
        " lugre='30 .5 .04 .06 2' saturation='.03 0 20'/>"
        "<dcmotor name='bound' joint='j' gear='20' motorconst='0.05' resistance='2' input='pos' controller='3 0 .1 0 0 12'/>"
        "<dcmotor name='warm' joint='j' gear='20' motorconst='0.05' resistance='2' input='ff' thermal='4 2 0 .004 20 25'/></actuator>"
        "<keyframe><key name='set' qpos='0.3' ctrl='12 6.5 .2'/></keyframe></mujoco>";
    const char *key[1][2] = {{"import.keyframe", "set"}};
    (void)state;
    jn_description *d = parse(motors, "robot.xml", key, 1);
    check_report(&report);
    assert_non_null(d);
    jn_model *m = jn_model_compile(d, &report);
    jn_work *w = jn_work_create(m);
    jn_state *s = jn_state_create(m);
    assert_non_null(w), assert_non_null(s);
    s->q[0] = 0.3, s->u[0] = 0.5;
    s->act[0] = 12, s->act[1] = 1e-3, s->act[2] = 0.7, s->act[3] = 12; /* of the first: temperature, bristles, current; of the third: temperature */
    assert_int_equal(jn_observe(m, w, s), JN_OK);
    double l = 6, v = 10, g = 0.04 + 0.02 * exp(-25), z_rate = v - 30 * v / g * 1e-3, hot = 2 * (1 + 0.004 * (12 + 25 - 20));
    assert_near(jn_actuator_motion_get(m, w, 0).force, 0.03 + 0.02 * sin(6 * l + 0.3) - 30 * 1e-3 - 0.5 * z_rate, 1e-12);
    assert_near(jn_actuator_motion_get(m, w, 0).current, 0.7, 0);
    assert_near(jn_actuator_motion_get(m, w, 0).temperature, 37, 1e-12);
    assert_near(jn_actuator_motion_get(m, w, 1).voltage, 12, 0); /* 2/0.05 (3 (6.5 - 6) - 0.1 10) + 0.05 10 = 20.5 */
    assert_near(jn_actuator_motion_get(m, w, 1).force, 0.05 / 2 * (12 - 0.5), 1e-12);
    assert_near(jn_actuator_motion_get(m, w, 2).current, 2 / 0.05 * 0.2 / hot, 1e-12); /* the driver knows the cold resistance */
    jn_state_free(s), jn_work_free(w), jn_model_free(m), jn_description_free(d);
}

#define ONE(drive) "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>" drive "</actuator></mujoco>"

static void test_refused(void **state) {
    static const char *const wrong[][2] = {
        {ONE("<dcmotor joint='j'/>"), "<dcmotor> needs a motor constant and a resistance above 0"},
        {ONE("<dcmotor name='m' joint='j' motorconst='1' resistance='1' thermal='1 0 0 4 5 6'/>"), "<dcmotor thermal> needs two of resistance"},
        {ONE("<dcmotor name='m' joint='j' motorconst='1' resistance='1' lugre='10 1 2 1 .1'/>"), "<dcmotor lugre> needs a coulomb friction above 0"},
        {ONE("<dcmotor name='m' joint='j' motorconst='1' resistance='1' inductance='-1'/>"), "<dcmotor inductance> is not negative"},
        {ONE("<dcmotor name='m' joint='j' motorconst='1' resistance='1' input='pos voltage' controller='1 0 0 0 0 5'/>"),
         "dcmotors with Vmax, and the input voltage beside others: m"},
        {ONE("<dcmotor name='m' joint='j' motorconst='1' resistance='1' input='pos vel' controller='1 1 0 0 0 5'/>"),
         "dcmotors with an integral part, inputs beside pos, and inductance, thermal or Vmax: m"},
        {ONE("<pid joint='j' input='pos voltage'/>"), "has a word that is not understood: 'voltage'"},
        {ONE("<pid joint='j' ki='1' input='vel'/>"), "<pid> with an integral part needs the input pos"},
        {ONE("<pid name='p' joint='j' ki='1' kv='1' forcerange='-1 1'/>"), "actuators with an integral part, a forcerange, and the input vel or ff: p"},
        {ONE("<orientation name='o' joint='j'/>"), "orientation servos of ball joints: o"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        jn_description *d = parse(wrong[i][0], "robot.xml", NULL, 0);
        if (d) print_error("taken without error: %s\n", wrong[i][0]);
        assert_null(d);
        told(wrong[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forces), cmocka_unit_test(test_motors), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
