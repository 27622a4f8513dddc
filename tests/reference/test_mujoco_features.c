/* Features of MJCF in generated files, one by one, against MuJoCo itself: mass matrix, bias, poses, and the accelerations that all
 * smooth forces give, at random states. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#ifndef TEST_MUJOCO

static void test_skipped(void **state) {
    (void)state;
    printf("skipped: MuJoCo was not found when the tests were built (tools/setup.sh --peers)\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_skipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include "mujoco_pair.h"
#include <unistd.h>

enum { STATES = 100, MOST_CONTROLS = 16 };

typedef struct feature {
    const char *name;
    double within; /* of masses and accelerations; MuJoCo keeps corners of meshes as floats */
    const char *text;
    const char *controls[MOST_CONTROLS]; /* names of actuators, in the order of the file */
    int since;                           /* version of MuJoCo that knows it first */
    int until;                           /* and last; 0: it still does */
    bool rotor;                          /* counts as mass of ours, so that the centre of mass is another */
} feature;

/* An L, not convex, and a link that it hangs on. */
#define L_SHAPE                                                                                                        \
    "vertex='0 0 0  2 0 0  2 1 0  1 1 0  1 3 0  0 3 0  0 0 1  2 0 1  2 1 1  1 1 1  1 3 1  0 3 1' "                     \
    "face='0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 "      \
    "4 5 11 4 11 10 5 0 6 5 6 11' "
#define HUNG(geom)                                                                                                     \
    "<worldbody><body name='arm' pos='.1 .2 .3'><joint type='hinge' axis='1 2 3'/><joint type='slide' axis='0 1 "      \
    "1'/>" geom "</body></worldbody></mujoco>"

#define ARMS                                                                                                           \
    "<body name='a'><joint name='j0' axis='1 2 3' ref='10'/><geom type='capsule' size='.05 .3' pos='0 0 .3'/>"         \
    "<body name='b' pos='0 0 .6'><joint name='j1' axis='0 1 0'/><geom type='capsule' size='.05 .3' pos='0 0 .3'/>"     \
    "<body name='c' pos='0 0 .6'><joint name='j2' type='slide' axis='1 0 1'/><geom type='box' size='.1 .2 .3'/>"       \
    "</body></body></body>"

/* A free body and two links, with sites and round bodies for cables. */
#define CABLES                                                                                                         \
    "<worldbody><site name='w' pos='.3 .2 1.1'/><geom name='gw' type='sphere' size='.12' pos='.1 .1 .5' contype='0' "  \
    "conaffinity='0'/><body name='a' pos='0 0 .2'><freejoint/><geom type='box' size='.1 .2 .3'/>"                      \
    "<site name='a1' pos='.3 .1 .2'/><site name='a2' pos='-.2 .3 .1'/><site name='in' pos='.02 .01 .6'/>"              \
    "<geom name='ga' type='cylinder' size='.1 .3' pos='.05 0 .6' euler='80 20 10' mass='0'/><body name='b' pos='0 0 .6'>"       \
    "<joint name='j1' axis='0 1 0'/><geom name='gb' type='capsule' size='.05 .3' pos='0 0 .3'/><site name='b1' "       \
    "pos='.2 .1 .3'/><geom name='gs' type='sphere' size='.15' pos='0 0 .5' rgba='1 0 0 1' contype='0' "                \
    "conaffinity='0'/><site name='sb' pos='.3 0 .5'/><body name='c' pos='0 0 .6'><joint name='j2' type='ball'/>"       \
    "<geom type='box' size='.1 .2 .3'/><site name='c1' pos='.1 -.3 .4'/><site name='c2' pos='0 .4 .1'/></body></body>" \
    "</body></worldbody>"

static const feature features[] = {
    {.name = "cable through sites",
     .within = 1e-9,
     .text = "<mujoco>" CABLES
             "<tendon><spatial name='t' stiffness='30' damping='2' springlength='.4'><site site='w'/><site "
             "site='a1'/><site site='b1'/><site site='c1'/></spatial>"
             "<spatial name='u' stiffness='20' springlength='.3'><site site='a2'/><site site='c2'/><pulley "
             "divisor='2'/><site site='c2'/><site site='b1'/><pulley divisor='3'/><site site='w'/><site "
             "site='a1'/></spatial></tendon></mujoco>"},
    {.name = "cable with slack",
     .within = 1e-9,
     .since = 3000000,
     .text = "<mujoco>" CABLES
             "<tendon><spatial name='t' stiffness='30' springlength='.3 1.2'><site site='w'/><site site='a1'/><site "
             "site='b1'/></spatial><fixed name='u' stiffness='20' springlength='.1 .3'><joint joint='j1' "
             "coef='2'/></fixed></tendon></mujoco>"},
    {.name = "cable over spheres",
     .within = 1e-9,
     .text = "<mujoco>" CABLES
             "<tendon><spatial name='t' stiffness='30' damping='2'><site site='w'/><geom geom='gw'/><site "
             "site='a1'/><geom geom='gs'/><site site='c1'/></spatial></tendon></mujoco>"},
    {.name = "cable beside a sphere",
     .within = 1e-9,
     .since = 3000000, /* before, it could jump into the sphere */
     .text = "<mujoco>" CABLES
             "<tendon><spatial name='u' stiffness='10' springlength='.5'><site site='a2'/><geom geom='gs' "
             "sidesite='sb'/><site site='c2'/></spatial></tendon></mujoco>"},
    {.name = "cable over cylinders",
     .within = 1e-9,
     .text = "<mujoco>" CABLES
             "<tendon><spatial name='t' stiffness='30' damping='2'><site site='w'/><geom geom='ga'/><site "
             "site='b1'/></spatial><spatial name='u' stiffness='10' springlength='.5'><site site='a2'/><geom geom='ga' "
             "sidesite='sb'/><site site='c2'/><pulley divisor='4'/><site site='w'/><geom geom='ga' "
             "sidesite='a1'/><site site='c1'/></spatial></tendon></mujoco>"},
    {.name = "cable inside a cylinder",
     .within = 2e-5, /* MuJoCo ends its iteration at 1e-6 */
     .text = "<mujoco>" CABLES
             "<tendon><spatial name='t' stiffness='30' damping='2'><site site='w'/><geom geom='ga' "
             "sidesite='in'/><site site='b1'/></spatial></tendon></mujoco>"},
    {.name = "mesh, legacy",
     .within = 1e-5,
     .since = 3000000, /* before, the volume was that of another point's pyramids */
     .text = "<mujoco><asset><mesh name='m' refpos='.3 .2 .1' scale='.1 .1 .2' " L_SHAPE
             "/></asset>" HUNG("<geom type='mesh' mesh='m' density='700'/>")},
    {.name = "mesh, legacy, mass",
     .within = 1e-5,
     .text = "<mujoco><asset><mesh name='m' refpos='.1 .2 .3' refquat='1 2 3 4' scale='.1 .1 .1' " L_SHAPE
             "/></asset>" HUNG("<geom type='mesh' mesh='m' mass='2.5'/>")},
    {.name = "mesh, exact, compiler",
     .within = 1e-5,
     .until = 2999999,
     .text =
         "<mujoco><compiler exactmeshinertia='true'/><asset><mesh name='m' refpos='.3 .2 .1' scale='.1 .1 .2' " L_SHAPE
         "/></asset>" HUNG("<geom type='mesh' mesh='m' euler='20 30 40' mass='3'/>")},
    {.name = "mesh, exact",
     .within = 1e-5,
     .since = 3000000,
     .text = "<mujoco><asset><mesh name='m' inertia='exact' scale='.1 .1 .1' " L_SHAPE
             "/></asset>" HUNG("<geom type='mesh' mesh='m'/>")},
    {.name = "mesh, convex",
     .within = 1e-5,
     .since = 3000000,
     .text = "<mujoco><asset><mesh name='m' inertia='convex' scale='.1 .1 .1' " L_SHAPE
             "/></asset>" HUNG("<geom type='mesh' mesh='m'/>")},
    {.name = "mesh, shell",
     .within = 1e-5,
     .since = 3000000,
     .text = "<mujoco><asset><mesh name='m' inertia='shell' scale='.1 .1 .1' " L_SHAPE
             "/></asset>" HUNG("<geom type='mesh' mesh='m'/>")},
    {.name = "armature of a free joint",
     .rotor = true,
     .within = 1e-12,
     .text = "<mujoco><default><joint armature='0.7'/></default><worldbody><body name='a'><joint type='free'/>"
             "<inertial pos='.1 .2 .3' mass='2' diaginertia='.1 .2 .25'/>"
             "<body name='b' pos='0 0 1'><joint axis='1 0 0'/><inertial pos='0 0 .5' mass='1' diaginertia='.1 .1 .02'/>"
             "</body></body></worldbody></mujoco>"},
    {.name = "fluid, box of inertia",
     .within = 1e-9,
     .text = "<mujoco><option density='1.2' viscosity='0.3' wind='1 -2 .5'/><worldbody><body name='a'><freejoint/>"
             "<inertial pos='.1 .2 .3' euler='20 30 40' mass='2' diaginertia='.1 .2 .25'/>"
             "<body name='b' pos='0 0 1'><joint axis='1 0 0'/><geom type='capsule' size='.05 .3' euler='10 20 30'/>"
             "</body></body></worldbody></mujoco>"},
    {.name = "fluid, swimmer",
     .within = 1e-9,
     .text =
         "<mujoco><option density='3000' gravity='0 0 0'/><worldbody><body name='a'><joint type='slide' axis='1 0 0'/>"
         "<joint type='slide' axis='0 1 0'/><joint axis='0 0 1'/><geom type='capsule' fromto='1.5 0 0 .5 0 0' "
         "size='.1'/>"
         "<body name='b' pos='.5 0 0'><joint axis='0 0 1' damping='2'/>"
         "<geom type='capsule' fromto='0 0 0 -1 0 0' size='.1' density='1000'/></body></body></worldbody></mujoco>"},
    {.name = "actuators on joints",
     .within = 1e-9,
     .text = "<mujoco><compiler autolimits='true'/><worldbody>" ARMS
             "</worldbody><actuator><motor name='m' joint='j0' gear='3' ctrlrange='-1 .2'/>"
             "<position name='p' joint='j0' kp='20' gear='2'/><velocity name='v' joint='j1' kv='3'/>"
             "<damper name='d' joint='j1' kv='4' ctrlrange='0 2'/>"
             "<general name='g' joint='j0' gear='-2' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='.1 "
             ".2 .3' "
             "forcerange='-3 3'/><intvelocity name='i' joint='j2' kp='30' actrange='-.3 .3'/>"
             "<cylinder name='c' joint='j2' timeconst='.7' area='2' bias='1 2 3'/>"
             "<general name='f' joint='j1' dyntype='filter' dynprm='.4'/>"
             "<general name='n' joint='j2' dyntype='integrator' gainprm='2'/></actuator></mujoco>",
     .controls = {"m", "p", "v", "d", "g", "i", "c", "f", "n"}},
    {.name = "actuators on a tendon",
     .within = 1e-9,
     .text = "<mujoco><compiler autolimits='true'/><worldbody>" ARMS
             "</worldbody><tendon><fixed name='t'><joint joint='j0' coef='.5'/>"
             "<joint joint='j1' coef='-2'/></fixed></tendon><actuator><position name='p' tendon='t' kp='20' gear='2'/>"
             "<damper name='d' tendon='t' kv='4' ctrlrange='0 2'/></actuator></mujoco>",
     .controls = {"p", "d"}},
    {.name = "actuators on sites",
     .within = 1e-9,
     .text =
         "<mujoco><worldbody><body name='a'><freejoint/><geom type='box' size='.1 .2 .3' pos='.1 0 0'/>"
         "<site name='s' pos='.1 .2 .3' euler='10 20 30'/><body name='b' pos='0 0 1'><joint axis='1 0 0'/>"
         "<geom type='capsule' size='.05 .3'/><site name='r' pos='0 .1 .2' zaxis='1 1 1'/></body></body></worldbody>"
         "<actuator><motor name='m' site='s' gear='1 2 3 .4 .5 .6'/><general name='g' site='r' gear='0 0 1 0 0 -.02' "
         "biastype='affine' biasprm='.3 0 0' gainprm='4'/></actuator></mujoco>",
     .controls = {"m", "g"}},
};

/* The controls, which are constant in a run, and the states that follow them until the time t. */
static void set_controls(pair *x, const double *value) {
    const mjModel *m = x->m;
    double t = x->state->t = 0.3;
    for (int k = 0; k < m->nu; k++) {
        double u = value[k], *range = m->actuator_ctrlrange + 2 * k;
        x->d->ctrl[k] = u;
        if (m->actuator_ctrllimited[k]) u = fmax(range[0], fmin(range[1], u));
#if mjVERSION_HEADER >= 3000000
        int state = m->actuator_actadr[k];
#else
        int state = k - (m->nu - m->na); /* states belong to the last actuators */
#endif
        if (m->actuator_dyntype[k] == mjDYN_INTEGRATOR) {
            double *bound = m->actuator_actrange + 2 * k;
            x->d->act[state] = m->actuator_actlimited[k] ? fmax(bound[0], fmin(bound[1], u * t)) : u * t;
        } else if (m->actuator_dyntype[k] != mjDYN_NONE) {
            x->d->act[state] = u * (1 - exp(-t / m->actuator_dynprm[mjNDYN * k]));
        }
    }
}

static void compare(const feature *f) {
    pair x = {0};
    unsigned seed = 7;
    double worst[5] = {0}, value[MOST_CONTROLS];
    char copy[] = "/tmp/jounce_feature_XXXXXX.xml", name[MOST_CONTROLS][64], text[MOST_CONTROLS][32];
    jn_setting settings[MOST_CONTROLS];
    int to, controls = 0;
    if (mj_version() < f->since || (f->until && mj_version() > f->until)) return;
    to = mkstemps(copy, 4);
    assert_true(to >= 0 && write(to, f->text, strlen(f->text)) == (ssize_t)strlen(f->text));
    close(to);
    for (; controls < MOST_CONTROLS && f->controls[controls]; controls++) {
        value[controls] = 0.25 * (double)(controls + 1);
        snprintf(name[controls], sizeof name[0], "ctrl_%.50s", f->controls[controls]);
        snprintf(text[controls], sizeof text[0], "%g", value[controls]);
        settings[controls] = (jn_setting){name[controls], text[controls]};
    }
    bool both = pair_open(&x, copy, settings, controls);
    unlink(copy);
    if (!both) fail_msg("%s: %s", f->name, x.why);
    assert_int_equal(controls, x.m->nu);
    for (int n = 0; n < STATES; n++) {
        pair_draw(&x, &seed);
        set_controls(&x, value);
        worst[0] = fmax(worst[0], pair_mass(&x));
        if (!f->rotor) worst[1] = fmax(worst[1], pair_poses(&x));
        worst[2] = fmax(worst[2], pair_accelerations(&x));
        worst[3] = fmax(worst[3], pair_tendons(&x));
        if (n < 20) worst[4] = fmax(worst[4], pair_moments(&x));
    }
    print_message("%-28s MuJoCo %d: mass matrix %.1e, poses %.1e, accelerations %.1e, tendons %.1e, moments %.1e\n",
                  f->name, mj_version(), worst[0], worst[1], worst[2], worst[3], worst[4]);
    for (int k = 0; k < 5; k++)
        if (!(worst[k] <= f->within)) fail_msg("%s: off by %.3g", f->name, worst[k]);
    pair_close(&x);
}

static void test_features(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) compare(&features[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_features)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
