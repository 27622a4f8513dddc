/* Features of MJCF in generated files, one by one, against MuJoCo itself: mass matrix, bias, poses, and the accelerations that all
 * smooth forces give, at random states. */
#include "mujoco_missing.h"

#ifdef TEST_MUJOCO
#include "model/model_layout.h"
#include "mujoco_pair.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 100, MOST_CONTROLS = 16 };

typedef struct feature {
    const char *name;
    double within; /* of masses and accelerations; MuJoCo keeps corners of meshes as floats */
    const char *text;
    const char *controls[MOST_CONTROLS]; /* names of actuators, in the order of the file */
    int since;                           /* version of MuJoCo that knows it first */
    int until;                           /* and last; 0: it still does */
    bool limited;                        /* sensors of limits */
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
    "<geom name='ga' type='cylinder' size='.1 .3' pos='.05 0 .6' euler='80 20 10' mass='0'/><body name='b' pos='0 0 "  \
    ".6'>"                                                                                                             \
    "<joint name='j1' axis='0 1 0'/><geom name='gb' type='capsule' size='.05 .3' pos='0 0 .3'/><site name='b1' "       \
    "pos='.2 .1 .3'/><geom name='gs' type='sphere' size='.15' pos='0 0 .5' rgba='1 0 0 1' contype='0' "                \
    "conaffinity='0'/><site name='sb' pos='.3 0 .5'/><body name='c' pos='0 0 .6'><joint name='j2' type='ball'/>"       \
    "<geom type='box' size='.1 .2 .3'/><site name='c1' pos='.1 -.3 .4'/><site name='c2' pos='0 .4 .1'/></body></body>" \
    "</body></worldbody>"

/* A mesh that the compiler makes, hung on a hinge and a slide of its own. */
#define BUILTIN(name, mesh) "<body name='" name "' pos='.1 .2 .3'><joint axis='1 2 3'/><joint type='slide' axis='0 1 1'/><geom type='mesh' mesh='" mesh "'/></body>"

static const feature features[] = {
    {.name = "builtin meshes",
     .within = 1e-6,
     .since = 3003000,
     .text = "<mujoco><asset><mesh name='s0' builtin='sphere' params='0'/><mesh name='s2' builtin='sphere' params='2' scale='.1 .2 .3'/>"
             "<mesh name='h0' builtin='hemisphere' params='0'/><mesh name='h3' builtin='hemisphere' params='3' inertia='exact'/>"
             "<mesh name='c5' builtin='cone' params='5 .5' scale='.6 .6 .7'/><mesh name='c0' builtin='cone' params='3 0'/>"
             "<mesh name='ss' builtin='supersphere' params='12 1 1.5'/><mesh name='st' builtin='supertorus' params='9 .3 1 1'/>"
             "<mesh name='sq' builtin='supertorus' params='16 .2 .7 1' scale='1.7 1.7 .9' inertia='exact'/></asset><worldbody>" BUILTIN("a", "s0")
                 BUILTIN("b", "s2") BUILTIN("c", "h0") BUILTIN("d", "h3") BUILTIN("e", "c5") BUILTIN("f", "c0") BUILTIN("g", "ss")
                     BUILTIN("h", "st") BUILTIN("i", "sq") "</worldbody></mujoco>"},
    {.name = "springdamper",
     .within = 1e-9,
     .text = "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='.1 .2 .3' type='box'/><body name='b' pos='.2 0 0'>"
             "<joint axis='0 1 .2' armature='.1' springdamper='.2 .5'/><geom type='capsule' size='.05' fromto='0 0 0 .3 .1 0'/>"
             "<body name='c' pos='.3 .1 0'><joint type='slide' axis='1 0 1' springdamper='.1 1.5'/><joint axis='0 0 1' springdamper='.3 .2'/>"
             "<geom size='.1'/><body name='d' pos='.1 0 .2'><joint type='ball' springdamper='.2 .7'/><geom size='.07' pos='0 0 .1'/></body></body></body>"
             "<body name='e' pos='-.2 0 0'><joint axis='1 0 0' pos='0 0 .1' springdamper='.3 .2'/><geom size='.1'/></body></body></worldbody>"
             "</mujoco>"},
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
     .text = "<mujoco>" CABLES "<tendon><spatial name='t' stiffness='30' damping='2'><site site='w'/><geom geom='ga' "
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
    {.name = "fluid, ellipsoids",
     .within = 1e-6, /* MuJoCo's added masses have eight digits */
     .text = "<mujoco><option density='120' viscosity='0.3' wind='1 -2 .5'/><worldbody><body name='a'><freejoint/>"
             "<geom type='ellipsoid' size='.1 .2 .4' fluidshape='ellipsoid' fluidcoef='.4 .3 1.2 .8 1.1' pos='.1 .2 .3' "
             "euler='20 30 40'/><geom type='capsule' size='.1 .3' fluidshape='ellipsoid'/><body name='b' pos='0 0 1'>"
             "<joint axis='1 0 0'/><geom type='box' size='.05 .3 .2' euler='10 20 30' fluidshape='ellipsoid'/></body>"
             "<body name='c' pos='0 0 -1'><joint axis='0 1 0'/><geom type='cylinder' size='.05 .3'/></body>"
             "</body></worldbody></mujoco>"},
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
    {.name = "muscles",
     .within = 1e-9,
     .text =
         "<mujoco>" CABLES "<tendon><spatial name='t'><site site='a1'/><geom geom='ga'/><site site='b1'/><site "
         "site='c1'/></spatial></tendon><actuator><muscle name='p' tendon='t' lengthrange='.5 2' force='300' "
         "timeconst='.02 .06'/><muscle name='q' joint='j1' gear='-.05' lengthrange='-.1 .1' force='800' range='.6 "
         "1.2' lmin='.4' lmax='1.7' vmax='2' fpmax='1.1' fvmax='1.4'/><general name='r' tendon='t' dyntype='muscle' "
         "dynprm='.01 .04' gaintype='muscle' gainprm='.75 1.05 200 200 .5 1.6 1.5 1.3 1.2' biastype='muscle' "
         "biasprm='.75 1.05 200 200 .5 1.6 1.5 1.3 1.2' lengthrange='.4 1.8' gear='1.1'/></actuator></mujoco>",
     .controls = {"p", "q", "r"}},
    {.name = "defaults by shortcuts",
     .within = 1e-9,
     .since = 3000000, /* that know dampratio */
     .text = "<mujoco><compiler autolimits='true'/><default><default class='m'><muscle ctrlrange='0 1' force='300' "
             "lmax='1.7'/></default><default class='p'><position kp='30' dampratio='1'/></default></default>"
             "<worldbody>" ARMS "</worldbody><actuator><general name='a' class='m' joint='j1' gear='.05' lengthrange='-.1 "
             ".1' gainprm='.7 1.1' biasprm='.7 1.1'/><position name='b' class='p' joint='j0' kv='5'/><general name='c' "
             "class='p' joint='j0'/><motor name='d' class='m' joint='j2'/></actuator></mujoco>",
     .controls = {"a", "b", "c", "d"}},
    {.name = "muscles without force",
     .within = 1e-9,
     .text = "<mujoco><worldbody>" ARMS
             "</worldbody><actuator><muscle name='q' joint='j1' gear='.05' lengthrange='-.1 .1'/><muscle name='s' "
             "joint='j2' lengthrange='-2 2' scale='50'/></actuator></mujoco>",
     .controls = {"q", "s"}},
    {.name = "actuators of balls and cranks",
     .within = 1e-9,
     .text =
         "<mujoco>" CABLES
         "<actuator><motor name='m' joint='j2' gear='1 2 3'/><position name='p' joint='j2' kp='3' gear='.4 -.5 .6'/>"
         "<motor name='n' jointinparent='j2' gear='.3 .2 .1'/><motor name='c' cranksite='c1' slidersite='w' "
         "cranklength='2' gear='.7'/><damper name='d' cranksite='c2' slidersite='b1' cranklength='1.5' kv='2' "
         "ctrlrange='0 1'/></actuator></mujoco>",
     .controls = {"m", "p", "n", "c", "d"}},
    {.name = "actuators with a reference",
     .within = 1e-9,
     .since = 3000000,
     .text =
         "<mujoco>" CABLES
         "<actuator><position name='p' site='c1' refsite='w' kp='5' gear='1 2 3 0 0 0'/><velocity name='v' site='b1' "
         "refsite='w' kv='2' gear='0 0 0 .3 .2 .1'/></actuator></mujoco>",
     .controls = {"p", "v"}},
    {.name = "sensors of places",
     .within = 1e-9,
     .text = "<mujoco><option magnetic='.1 .2 .3'/>" CABLES
             "<sensor><accelerometer name='s0' site='b1'/><gyro name='s1' site='c1'/><velocimeter name='s2' site='c2'/>"
             "<magnetometer name='s3' site='a1'/><force name='s4' site='b1'/><torque name='s5' site='c1'/>"
             "<force name='s6' site='a1'/><torque name='s8' site='b1' cutoff='.3'/>"
             "</sensor></mujoco>"},
    {.name = "sensor on the ground",
     .within = 1e-9,
     .until = 2999999, /* later ones show 0 there */
     .text = "<mujoco>" CABLES "<sensor><accelerometer name='s' site='w'/></sensor></mujoco>"},
    {.name = "sensors of frames",
     .within = 1e-9,
     .text =
         "<mujoco>" CABLES
         "<sensor><framepos name='s0' objtype='site' objname='c1'/><framequat name='s1' objtype='xbody' "
         "objname='c'/><framexaxis name='s2' objtype='site' objname='b1'/><frameyaxis name='s3' objtype='xbody' "
         "objname='b'/><framezaxis name='s4' objtype='site' objname='a1'/><framelinvel name='s5' objtype='body' "
         "objname='c'/><frameangvel name='s6' objtype='site' objname='c2'/><framelinacc name='s7' objtype='site' "
         "objname='c2'/><frameangacc name='s8' objtype='body' objname='b'/><framepos name='s9' objtype='site' "
         "objname='c1' reftype='site' refname='b1'/><framequat name='t0' objtype='xbody' objname='c' reftype='site' "
         "refname='a1'/><framelinvel name='t1' objtype='site' objname='c1' reftype='xbody' refname='b'/><frameangvel "
         "name='t2' objtype='site' objname='c1' reftype='xbody' refname='a'/><subtreecom name='t3' body='b'/>"
         "<subtreelinvel name='t4' body='a'/><subtreeangmom name='t5' body='a'/><ballquat name='t6' joint='j2'/>"
         "<ballangvel name='t7' joint='j2'/></sensor></mujoco>"},
    {.name = "sensors of joints",
     .within = 1e-9,
     .text =
         "<mujoco><worldbody>" ARMS
         "</worldbody><tendon><fixed name='t'><joint joint='j0' coef='.5'/><joint joint='j1' coef='-2'/></fixed>"
         "</tendon><actuator><motor name='m' joint='j0' gear='3'/><position name='p' tendon='t' kp='20'/></actuator>"
         "<sensor><jointpos name='s0' joint='j0'/><jointvel name='s1' joint='j2'/><tendonpos name='s2' tendon='t'/>"
         "<tendonvel name='s3' tendon='t'/><actuatorpos name='s4' actuator='m'/><actuatorvel name='s5' "
         "actuator='p'/><actuatorfrc name='s6' actuator='p'/></sensor></mujoco>",
     .controls = {"m", "p"}},
    {.name = "sensors of ranges",
     .within = 1e-9,
     .limited = true,
     .text = "<mujoco><compiler autolimits='true' angle='radian'/><worldbody><geom type='plane' size='0 0 1' pos='0 0 -1'/>"
             "<body name='a'><joint name='j0' axis='1 2 3' range='-.3 .4'/><geom type='capsule' size='.05 .3' pos='0 0 .3'/>"
             "<site name='s0' pos='.1 .2 0' euler='.5 2.8 .3'/><body name='b' pos='0 0 .6'><joint name='j1' axis='0 1 0' "
             "range='-.1 .2'/><geom name='gb' type='box' size='.05 .2 .3' pos='0 0 .3'/><site name='s1' pos='.1 -.6 0' "
             "euler='1 2.2 .3'/><body name='c' pos='0 0 .6'><joint name='j2' type='slide' axis='1 0 1' range='-.5 .1'/>"
             "<geom type='ellipsoid' size='.1 .2 .3'/><site name='s2' pos='.3 .5 .1' euler='.8 2.9 .3'/></body></body></body>"
             "<body pos='.5 .4 0'><joint type='slide' axis='0 1 0'/><geom type='cylinder' size='.2 .4'/></body>"
             "<body pos='-.6 .1 -.2'><joint axis='0 1 0'/><geom type='sphere' size='.3'/></body></worldbody>"
             "<tendon><fixed name='t' range='-.2 .3'><joint joint='j0' coef='.5'/><joint joint='j1' coef='-2'/></fixed></tendon>"
             "<sensor><jointlimitpos name='l0' joint='j0'/><jointlimitvel name='l1' joint='j1'/><jointlimitpos name='l2' "
             "joint='j2' cutoff='.05'/><tendonlimitpos name='l3' tendon='t'/><tendonlimitvel name='l4' tendon='t'/>"
             "<rangefinder name='r0' site='s0'/><rangefinder name='r1' site='s1'/><rangefinder name='r2' site='s2' "
             "cutoff='1.2'/></sensor></mujoco>"},
    {.name = "sensors of distances",
     .within = 1e-6, /* distances of boxes and ellipsoids end at ccd_tolerance in MuJoCo */
     .since = 3000000,
     .text = "<mujoco><option ccd_tolerance='1e-12' ccd_iterations='500'/><worldbody><geom name='floor' type='plane' size='0 0 1' "
             "pos='0 0 -2'/><body name='a'><freejoint/><geom name='ga' type='sphere' size='.2'/><geom type='sphere' "
             "size='.1' pos='.6 0 0'/><site name='p' pos='.1 .2 .3'/></body><body name='b' pos='1 0 0'><freejoint/><geom "
             "name='gb' type='capsule' size='.1 .3'/><site name='q' type='box' size='.9 1.2 1.5'/><site name='r' "
             "type='cylinder' size='1.5 2'/></body></worldbody><sensor><distance name='s0' geom1='ga' geom2='gb' "
             "cutoff='9'/><normal name='s1' geom1='ga' geom2='gb' cutoff='9'/><fromto name='s2' geom1='gb' geom2='ga' "
             "cutoff='9'/><distance name='s3' body1='a' body2='b' cutoff='1'/><fromto name='s4' body1='a' geom2='floor' "
             "cutoff='2'/><insidesite name='s5' site='q' objtype='site' objname='p'/><insidesite name='s6' site='r' "
             "objtype='xbody' objname='a'/></sensor></mujoco>"},
    {.name = "cameras and frames of geoms",
     .within = 1e-9,
     .since = 3000000,
     .text = "<mujoco><compiler angle='radian'/><default><default class='lens'><camera fovy='70' resolution='320 200'/></default></default>"
             "<worldbody><camera name='w' pos='0 -3 1' xyaxes='1 0 0 0 .3 1' fovy='50' resolution='640 480'/><site name='t' pos='1 2 3'/>"
             "<body name='a'><freejoint/><geom name='ga' type='capsule' fromto='0 .1 .2 .3 .4 .6' size='.05'/><frame pos='.1 0 .2' "
             "euler='.1 .2 .3'><camera class='lens' name='e' pos='.1 .2 .3' quat='1 2 3 4'/></frame><body name='b' pos='0 0 .5'>"
             "<joint axis='1 2 3'/><geom name='gb' type='box' size='.1 .2 .3' pos='.3 .2 .1' euler='.3 .4 .5'/><geom name='seen' "
             "type='cylinder' size='.1 .2' contype='0' conaffinity='0' mass='0' pos='.1 .1 .1' zaxis='1 2 3'/><site name='s' "
             "pos='.1 .2 .3'/></body></body></worldbody><sensor><camprojection name='s0' site='s' camera='w'/><camprojection "
             "name='s1' site='t' camera='e' cutoff='300'/><framepos name='s2' objtype='geom' objname='gb'/><framequat name='s3' "
             "objtype='geom' objname='ga' reftype='geom' refname='seen'/><framelinvel name='s4' objtype='camera' objname='e'/>"
             "<framepos name='s5' objtype='site' objname='s' reftype='camera' refname='e'/></sensor></mujoco>"},
    {.name = "clock, energy, joint forces",
     .within = 1e-9,
     .since = 3000000,
     .text = "<mujoco><worldbody>" ARMS
             "</worldbody><actuator><motor name='m' joint='j0' gear='3'/></actuator><sensor><clock name='s0'/>"
             "<e_potential name='s1'/><e_kinetic name='s2'/><jointactuatorfrc name='s3' joint='j0'/></sensor></mujoco>",
     .controls = {"m"}},
    {.name = "springs of ball and free joints",
     .within = 1e-9,
     .text = "<mujoco><worldbody><body name='a' pos='.1 .2 .3' euler='10 20 30'><joint name='f' type='free' stiffness='20' damping='3'/>"
             "<geom type='box' size='.1 .2 .3' pos='.1 0 0'/><body name='b' pos='0 0 .5' euler='5 6 7'><joint name='j' type='ball' "
             "pos='.1 0 .1' stiffness='7' damping='.4'/><geom type='capsule' size='.05 .3' pos='0 0 .3'/></body></body></worldbody></mujoco>"},
    {.name = "springs and dampers that bend",
     .within = 1e-9,
     .since = 3012000,
     .text = "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='j0' axis='1 2 3' ref='.1' springref='.3' stiffness='5 2 3' "
             "damping='.1 .2 .3'/><geom type='capsule' size='.05 .3' pos='0 0 .3'/><body name='b' pos='0 0 .6'><joint name='j1' type='slide' "
             "axis='0 1 0' stiffness='0 4 2'/><geom type='box' size='.1 .2 .3'/></body></body></worldbody><tendon><fixed name='t' "
             "damping='.3 .2 .1' stiffness='1 2 3' springlength='.2'><joint joint='j0' coef='2'/><joint joint='j1' coef='-1'/></fixed></tendon></mujoco>"},
    {.name = "cables that bend",
     .within = 1e-9,
     .since = 3012000,
     .text = "<mujoco>" CABLES "<tendon><spatial name='t' stiffness='3 2 1' damping='.2 .1 .05'><site site='w'/><site site='a1'/><site site='b1'/></spatial>"
             "<spatial name='u' stiffness='3 2 1' springlength='.9 1.3'><site site='a2'/><site site='c2'/></spatial></tendon></mujoco>"},
    {.name = "mesh without faces",
     .within = 1e-5,
     .since = 3000000,
     .text = "<mujoco><asset><mesh name='m' inertia='shell' vertex='0 0 0  2 0 0  2 1 0  0 3 0  0 0 1  1 1 1'/></asset>" HUNG("<geom type='mesh' mesh='m' mass='2'/>")},
    {.name = "rotors and dampers of actuators",
     .within = 1e-9,
     .since = 3012000,
     .text = "<mujoco><worldbody>" ARMS
             "</worldbody><tendon><fixed name='t'><joint joint='j0' coef='.5'/><joint joint='j1' coef='-2'/></fixed></tendon><actuator><motor "
             "name='m' joint='j0' gear='3' damping='.1 .02 .03' armature='.2'/><position name='p' joint='j2' kp='20' gear='2' armature='.3'/>"
             "<motor name='d' tendon='t' gear='2' damping='.3'/></actuator></mujoco>",
     .controls = {"m", "p", "d"}},
    {.name = "actuators on a tendon",
     .within = 1e-9,
     .text = "<mujoco><compiler autolimits='true'/><worldbody>" ARMS
             "</worldbody><tendon><fixed name='t'><joint joint='j0' coef='.5'/>"
             "<joint joint='j1' coef='-2'/></fixed></tendon><actuator><position name='p' tendon='t' kp='20' gear='2'/>"
             "<damper name='d' tendon='t' kv='4' ctrlrange='0 2'/></actuator></mujoco>",
     .controls = {"p", "d"}},
    {.name = "servos with defaults of general",
     .within = 1e-9,
     .since = 3000000,
     .text = "<mujoco><default><default class='lift'><general biastype='affine' gainprm='400' biasprm='3 -200 -100'/></default></default><worldbody>" ARMS
             "</worldbody><actuator><position name='p' joint='j0' class='lift'/><position name='q' joint='j1' class='lift' kp='30' kv='5'/>"
             "<velocity name='v' joint='j2' class='lift'/><general name='g' joint='j2' class='lift'/></actuator></mujoco>",
     .controls = {"p", "q", "v", "g"}},
    {.name = "joints within a force range",
     .within = 1e-9,
     .since = 3000000,
     .text = "<mujoco><compiler autolimits='true'/><worldbody><body name='a'><joint name='j0' axis='1 2 3' actuatorfrcrange='-.2 .3'/><geom type='box' "
             "size='.1 .2 .3' pos='.1 0 0'/><body name='b' pos='0 0 1'><joint name='j1' axis='1 0 0' actuatorfrcrange='-.5 .1'/><geom type='capsule' "
             "size='.05 .3'/><site name='s' pos='0 .1 .2'/><body name='c' pos='0 0 .5'><joint name='j2' axis='0 1 0'/><geom size='.1'/></body></body></body>"
             "</worldbody><tendon><fixed name='t'><joint joint='j0' coef='.5'/><joint joint='j1' coef='-2'/><joint joint='j2' coef='1'/></fixed>"
             "</tendon><actuator><motor name='m' tendon='t' gear='3'/><position name='p' joint='j1' kp='2'/><motor name='q' site='s' gear='0 0 1 0 0 0'/>"
             "<velocity name='v' tendon='t' kv='.4'/></actuator><sensor><jointactuatorfrc joint='j1'/><jointactuatorfrc joint='j2'/></sensor></mujoco>",
     .controls = {"m", "p", "q", "v"}},
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

/* The controls, and activations at random. */
static void set_controls(pair *x, const double *value, unsigned *seed) {
    const mjModel *m = x->m;
    x->state->t = 0.3;
    for (int k = 0; k < m->nu; k++) {
        const char *name = mj_id2name(m, mjOBJ_ACTUATOR, k);
        int own = name ? jn_model_find_actuator(x->model, name) : -1;
        x->d->ctrl[k] = value[k];
        if (m->actuator_dyntype[k] == mjDYN_NONE || own < 0) continue;
        double act = 0.5 + 0.4 * pair_uniform(seed), *range = m->actuator_actrange + 2 * k;
        if (m->actuator_actlimited[k]) act = range[0] + act * (range[1] - range[0]);
        x->state->act[x->model->actuations[own].state] = x->d->act[pair_activation(x, k)] = act;
    }
}

static void compare(const feature *f) {
    pair x = {0};
    unsigned seed = 7;
    double worst[7] = {0}, value[MOST_CONTROLS];
    char copy[] = "/tmp/jounce_feature_XXXXXX.xml", name[MOST_CONTROLS][64], text[MOST_CONTROLS][32];
    jn_setting settings[MOST_CONTROLS];
    int to, controls = 0, sensors = 0;
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
    x.limited = f->limited, x.loud = getenv("LOUD") != NULL;
    assert_int_equal(controls, x.m->nu);
    for (int n = 0; n < STATES; n++) {
        pair_draw(&x, &seed);
        set_controls(&x, value, &seed);
        worst[0] = fmax(worst[0], pair_mass(&x));
        if (!f->rotor) worst[1] = fmax(worst[1], pair_poses(&x));
        worst[2] = fmax(worst[2], pair_accelerations(&x));
        worst[3] = fmax(worst[3], pair_tendons(&x));
        if (n < 20) worst[4] = fmax(worst[4], pair_moments(&x));
        worst[5] = fmax(worst[5], pair_actuators(&x));
        worst[6] = fmax(worst[6], pair_sensors(&x, &sensors));
    }
    print_message("%-28s MuJoCo %d: mass matrix %.1e, poses %.1e, accelerations %.1e, tendons %.1e, moments %.1e, "
                  "actuators %.1e, %d sensors %.1e\n",
                  f->name, mj_version(), worst[0], worst[1], worst[2], worst[3], worst[4], worst[5], sensors, worst[6]);
    assert_int_equal(sensors, x.m->nsensor);
    for (int k = 0; k < 7; k++)
        if (!(worst[k] <= f->within)) fail_msg("%s: off by %.3g", f->name, worst[k]);
    pair_close(&x);
}

static void test_features(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) compare(&features[i]);
}

/* Lengths of muscles that the file does not name: MuJoCo finds them by a simulation with soft stops, we by a search with rigid ones. */
static void test_length_ranges(void **state) {
    static const char text[] = "<mujoco><compiler angle='radian' autolimits='true'/><worldbody><site name='a' pos='.05 "
                               "0 0'/><body><joint name='h1' axis='0 1 0' "
                               "range='-1 1.2'/><joint name='h2' axis='1 0 0' range='-.5 .6'/><geom type='capsule' "
                               "fromto='0 0 0 0 0 -.4' size='.03'/><geom name='knee' "
                               "type='sphere' pos='0 0 -.4' size='.05' mass='0'/><site name='b' pos='.06 .01 "
                               "-.2'/><site name='side' pos='.1 0 -.4'/><body pos='0 0 "
                               "-.4'><joint name='k' axis='0 1 0' range='0 2'/><geom type='capsule' fromto='0 0 0 0 0 "
                               "-.4' size='.03'/><site name='c' pos='.05 0 -.15'/>"
                               "<body pos='0 0 -.4'><joint name='f' type='ball'/><geom type='box' size='.1 .05 .02' "
                               "pos='.05 0 0'/><site name='d' pos='.1 0 .03'/></body>"
                               "</body></body><body pos='0 1 0'><joint name='s1' type='slide' axis='1 0 0' range='-.3 "
                               ".5'/><geom size='.1'/></body><body pos='0 2 0'>"
                               "<joint name='s2' type='slide' axis='1 0 0' range='-2 2'/><geom size='.1'/><site "
                               "name='e'/></body><site name='o' pos='0 2 1'/></worldbody>"
                               "<equality><joint joint1='s2' joint2='s1' polycoef='.1 2 .5 0 "
                               "0'/></equality><tendon><spatial name='t1'><site site='a'/><site site='b'/>"
                               "<geom geom='knee' sidesite='side'/><site site='c'/></spatial><spatial name='t2'><site "
                               "site='b'/><site site='d'/></spatial><fixed name='t3'>"
                               "<joint joint='h1' coef='.03'/><joint joint='k' coef='-.05'/></fixed><spatial "
                               "name='t4'><site site='o'/><site site='e'/></spatial></tendon>"
                               "<actuator><muscle tendon='t1'/><muscle tendon='t2'/><muscle tendon='t3' "
                               "gear='-2'/><muscle tendon='t4'/></actuator></mujoco>";
    const jn_setting lenient = {"import.lenient", "true"};
    (void)state;
    pair x = {0};
    char copy[] = "/tmp/jounce_lengths_XXXXXX.xml";
    int to = mkstemps(copy, 4);
    assert_true(to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text));
    close(to);
    bool open = pair_open(&x, copy, &lenient, 1);
    unlink(copy);
    if (!open) fail_msg("%s", x.why);
    assert_int_equal(x.description->actuator_count, 4);
    for (int i = 0; i < 4; i++) {
        const double *theirs = x.m->actuator_lengthrange + 2 * i, *ours = x.description->actuators[i].muscle.lengths;
        for (int k = 0; k < 2; k++) assert_near(ours[k], theirs[k], 5e-3 * (theirs[1] - theirs[0]));
    }
    pair_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_features), cmocka_unit_test(test_length_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
