/* What contacts, adhesion and tendons with inertia do, against MuJoCo itself: sensors of contacts at rest, where soft and rigid contact carry the same
 * forces; pulls of adhesion; accelerations. */
#include "mujoco_missing.h"

#ifdef TEST_MUJOCO
#include "algebra/vec3.h"
#include <jounce/jounce.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct both {
    mjModel *m;
    mjData *d;
    jn_description *description;
    jn_model *model;
    jn_sim *sim;
} both;

static both open_text(const char *text, const jn_setting *settings, int count) {
    char path[] = "/tmp/jounce_contacts_XXXXXX.xml", why[1000] = "";
    jn_report report = {0};
    both x = {0};
    int to = mkstemps(path, 4);
    assert_true(to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text));
    close(to);
    x.m = mj_loadXML(path, NULL, why, sizeof why);
    if (!x.m) print_error("%s\n", why);
    assert_non_null(x.m);
    x.d = mj_makeData(x.m);
    x.description = jn_description_read(path, settings, count, &report);
    check_report(&report);
    x.model = jn_model_compile(x.description, &report);
    check_report(&report);
    x.sim = jn_sim_create(x.model, &report);
    check_report(&report);
    unlink(path);
    return x;
}

static void close_both(both *x) {
    jn_sim_free(x->sim), jn_model_free(x->model), jn_description_free(x->description);
    mj_deleteData(x->d), mj_deleteModel(x->m);
}

static void run(both *x, double time) {
    while (x->d->time < time) mj_step(x->m, x->d);
    mj_forward(x->m, x->d);
    assert_true(jn_sim_advance(x->sim, time) >= 0 && jn_sim_observe(x->sim) >= 0);
}

static const double *theirs(const both *x, const char *name, int *dim) {
    int i = mj_name2id(x->m, mjOBJ_SENSOR, name);
    assert_true(i >= 0);
    *dim = x->m->sensor_dim[i];
    return x->d->sensordata + x->m->sensor_adr[i];
}

/* Force in world axes of a slot with force, normal and tangent. */
static jn_vec3 world_force(const double *f, const double *n, const double *t) {
    jn_vec3 a = {n[0], n[1], n[2]}, b = {t[0], t[1], t[2]};
    return v3_axpy(f[0], a, v3_axpy(f[1], b, v3_scale(f[2], v3_cross(a, b))));
}

/* A box and a ball at rest on a tilted floor, and a ball that hangs on a stick: numbers of contacts, forces, places and normals. */
static void test_sensors(void **state) {
    (void)state;
    if (mj_version() < 3003000) {
        printf("MuJoCo %d has no sensors of contacts\n", mj_version());
        return;
    }
    both x = open_text(
        "<mujoco><option timestep='.001' gravity='1 .5 -9.5' cone='elliptic' impratio='10'/><default><geom solref='.004 1'/></default><worldbody>"
        "<geom name='floor' type='plane' size='5 5 1'/><site name='here' type='box' size='.3 .3 .1' pos='.2 .1 0'/>"
        "<body name='box' pos='0 0 .1'><freejoint/><geom name='brick' type='box' size='.2 .1 .1' mass='2' friction='1'/><body name='arm' "
        "pos='0 0 .2'><geom name='knob' type='sphere' size='.05' mass='.3' pos='.05 0 0'/></body></body>"
        "<body name='stick' pos='1 1 .5'><joint name='j' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .8 0 0' size='.02' mass='.4' "
        "contype='0' conaffinity='0'/><geom name='tip' type='sphere' size='.1' pos='.8 0 0' mass='.5' condim='1' priority='1'/></body></worldbody><sensor>"
        "<contact name='four' geom1='floor' geom2='brick' data='found force dist pos normal tangent' num='5'/>"
        "<contact name='net' subtree2='box' reduce='netforce' data='found force torque pos'/>"
        "<contact name='back' subtree1='box' body2='world' reduce='netforce' data='found force'/>"
        "<contact name='zone' site='here' data='found'/><contact name='most' body2='stick' reduce='maxforce' data='found force torque dist pos "
        "normal tangent'/><contact name='none' geom1='knob'/><contact name='all'/></sensor></mujoco>",
        NULL, 0);
    static const char *const names[] = {"four", "net", "back", "zone", "most", "none", "all"};
    double v[JN_SENSOR_MOST], worst = 0, weight = 2.3 * 9.6;
    run(&x, 2);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        int dim = 0, n = jn_sim_sensor(x.sim, jn_model_find_sensor(x.model, names[k]), v);
        const double *w = theirs(&x, names[k], &dim);
        assert_int_equal(n, dim);
        assert_near(v[0], w[0], 0); /* found */
        jn_vec3 sum[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int slot = 0; !strcmp(names[k], "four") && slot < 4; slot++) {
            sum[0] = v3_add(sum[0], world_force(v + 14 * slot + 1, v + 14 * slot + 8, v + 14 * slot + 11));
            sum[1] = v3_add(sum[1], world_force(w + 14 * slot + 1, w + 14 * slot + 8, w + 14 * slot + 11));
            assert_near(v[14 * slot + 10], w[14 * slot + 10], 1e-3); /* the normal points to the box */
        }
        if (!strcmp(names[k], "net") || !strcmp(names[k], "back"))
            for (int i = 0; i < 2; i++) {
                const double *f = i ? w : v;
                sum[i] = v3(f[1], f[2], f[3]);
            }
        if (!strcmp(names[k], "most")) {
            sum[0] = world_force(v + 1, v + 11, v + 14), sum[1] = world_force(w + 1, w + 11, w + 14);
            for (int i = 8; i < 11; i++) assert_near(v[i], w[i], 2e-3); /* place: MuJoCo's contact is soft */
        }
        worst = fmax(worst, v3_norm(v3_sub(sum[0], sum[1])));
    }
    int dim;
    const double *w = theirs(&x, "net", &dim);
    jn_sim_sensor(x.sim, jn_model_find_sensor(x.model, "net"), v);
    jn_vec3 ours = v3_add(v3(v[4], v[5], v[6]), v3_cross(v3(v[7], v[8], v[9]), v3(v[1], v[2], v[3])));
    jn_vec3 other = v3_add(v3(w[4], w[5], w[6]), v3_cross(v3(w[7], w[8], w[9]), v3(w[1], w[2], w[3])));
    print_message("contact sensors: forces differ by %.1e N of %.0f N, their moment about the origin by %.1e N m\n", worst, weight,
                  v3_norm(v3_sub(ours, other)));
    assert_below(worst, 1e-4 * weight);
    assert_below(v3_norm(v3_sub(ours, other)), 1e-3 * weight);
    close_both(&x);
}

/* Adhesion of a box that hangs from a ceiling: it holds with more than the weight, and falls with less. */
static void test_adhesion(void **state) {
    (void)state;
    static const struct {
        const char *control;
        double pull;
        bool holds;
    } cases[] = {{"30", 30, true}, {"21", 21, true}, {"19", 19, false}, {"0", 0, false}};
    if (mj_version() < 3012000) return; /* before, 'gap' was a part of 'margin' */
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        static const char text[] =
                 "<mujoco><option timestep='.001'/><default><geom solref='.004 1'/></default><worldbody><geom name='ceiling' type='box' size='2 2 .1' "
                 "pos='0 0 1.1'/><body name='pad' pos='0 0 .9'><freejoint/><geom name='g' type='box' size='.2 .1 .1' gap='.002' mass='2.0387359836901124'/>"
                 "</body></worldbody><actuator><adhesion name='glue' body='pad' ctrlrange='0 50' gain='1'/></actuator></mujoco>";
        jn_setting set = {"parameters.ctrl_glue", cases[k].control};
        both x = open_text(text, &set, 1);
        x.d->ctrl[0] = cases[k].pull;
        run(&x, 0.3);
        double z[2] = {x.d->qpos[2], jn_sim_state(x.sim)->q[2]}, fall = 0.5 * (9.81 - cases[k].pull / 2.0387359836901124) * 0.09;
        print_message("adhesion of %s N on 20 N: MuJoCo at %.4f m, Jounce at %.4f m\n", cases[k].control, z[0], z[1]);
        if (cases[k].holds) {
            assert_near(z[1], 0.9, 1e-6);
            assert_near(z[0], 0.9, 2e-3);
        } else {
            assert_true(z[0] < 0.9 - 1e-3 && z[1] < 0.9 - 1e-3); /* it lets go; the pull ends with the contact */
            assert_true(z[1] < 0.9 - fmax(0, fall) + 1e-6);
        }
        close_both(&x);
    }
}

/* On a wall: friction holds mu times the pull. */
static void test_wall(void **state) {
    (void)state;
    static const struct {
        const char *control;
        double pull;
    } cases[] = {{"45", 45}, {"35", 35}};
    if (mj_version() < 3012000) return;
    for (size_t k = 0; k < 2; k++) {
        both x;
        jn_setting set = {"parameters.ctrl_glue", cases[k].control};
        x = open_text("<mujoco><option timestep='.001' cone='elliptic' impratio='100'/><default><geom solref='.004 1' friction='.5'/></default><worldbody>"
                      "<geom name='wall' type='box' size='.1 5 5' pos='-.1 0 0'/><body name='pad' pos='.1 0 0'><joint name='x' type='slide' axis='1 0 0'/>"
                      "<joint name='z' type='slide' axis='0 0 1'/><geom name='g' type='box' size='.1 .1 .1' gap='.002' mass='2.0387359836901124'/></body></worldbody>"
                      "<actuator><adhesion name='glue' body='pad' ctrlrange='0 50' gain='1'/></actuator></mujoco>",
                      &set, 1);
        x.d->ctrl[0] = cases[k].pull;
        run(&x, 0.5);
        double fall = 0.5 * fmax(0, 9.81 - 0.5 * cases[k].pull / 2.0387359836901124) * 0.25, z[2] = {x.d->qpos[1], jn_sim_state(x.sim)->q[1]};
        print_message("adhesion of %s N on a wall: MuJoCo at %.4f m, Jounce at %.4f m, friction by hand %.4f m\n", cases[k].control, z[0], z[1], -fall);
        assert_near(z[1], -fall, 2e-3 * fmax(0.1, fall));
        assert_near(z[0], -fall, 0.1 * fmax(0.1, fall)); /* MuJoCo's friction creeps, and its impedance is below 1 */
        close_both(&x);
    }
}

/* Inertia of tendons: the same accelerations as MuJoCo's, over joints and along a path. */
static void test_armature(void **state) {
    (void)state;
    if (mj_version() < 3003000) return;
    both x = open_text(
        "<mujoco><option gravity='1 2 -9.81'/><worldbody><site name='w' pos='0 1 0'/><body name='a'><joint name='j0' axis='0 1 0'/><geom type='capsule' "
        "fromto='0 0 0 .5 0 0' size='.04'/><body name='b' pos='.5 0 0'><joint name='j1' axis='0 1 1'/><geom type='capsule' fromto='0 0 0 .4 .1 0' "
        "size='.03'/><site name='s' pos='.4 .1 0'/></body></body></worldbody><tendon><fixed name='t' armature='2'><joint joint='j0' coef='1.5'/><joint "
        "joint='j1' coef='-.7'/></fixed><spatial name='p' armature='3'><site site='w'/><site site='s'/></spatial></tendon><actuator><motor name='m' "
        "tendon='t' gear='2' armature='.5'/></actuator></mujoco>",
        NULL, 0);
    double worst = 0;
    jn_state *s = jn_state_create(x.model);
    jn_work *w = jn_work_create(x.model);
    mj_forward(x.m, x.d);
    double drawn = x.d->ten_length[1];
    srand(3);
    for (int n = 0; n < 50; n++) {
        for (int k = 0; k < 2; k++) {
            x.d->qpos[k] = 0.8 * (2.0 * rand() / RAND_MAX - 1), x.d->qvel[k] = 4.0 * rand() / RAND_MAX - 2;
            int j = jn_model_find_joint(x.model, k ? "j1" : "j0");
            s->q[jn_model_joint_q_index(x.model, j)] = x.d->qpos[k], s->u[jn_model_joint_u_index(x.model, j)] = x.d->qvel[k];
        }
        mj_forward(x.m, x.d);
        for (int t = 0; t < 2; t++) { /* the masses move as the lengths do */
            int j = jn_model_find_joint(x.model, t ? "p_armature" : "t_armature");
            s->u[jn_model_joint_u_index(x.model, j)] = x.d->ten_velocity[t];
            s->q[jn_model_joint_q_index(x.model, j)] = t ? x.d->ten_length[t] - drawn : x.d->ten_length[t];
        }
        assert_true(jn_observe(x.model, w, s) >= 0);
        for (int k = 0; k < 2; k++) {
            int j = jn_model_find_joint(x.model, k ? "j1" : "j0");
            double a = jn_accelerations_get(w)[jn_model_joint_u_index(x.model, j)];
            worst = fmax(worst, fabs(a - x.d->qacc[k]) / fmax(1, fabs(x.d->qacc[k])));
        }
    }
    print_message("armature of tendons: accelerations differ by %.1e at 50 states\n", worst);
    assert_below(worst, 1e-9);
    jn_state_free(s), jn_work_free(w);
    close_both(&x);
}

/* A keyframe that moves a free body: springs rest, and equalities count, as drawn without it. */
static void test_keyframe(void **state) {
    (void)state;
    jn_setting set = {"import.keyframe", "away"};
    both x = open_text("<mujoco><option gravity='0 0 0'/><worldbody><site name='w' pos='0 0 1'/><site name='v' pos='0 .5 1'/><body name='a'><freejoint name='f'/>"
                       "<geom size='.1' mass='1'/><site name='s'/></body><body name='b' pos='2 0 0'><joint name='k' type='slide' axis='0 0 1'/><geom size='.1' "
                       "mass='2'/><site name='r'/></body></worldbody><tendon><spatial name='t' stiffness='10'><site site='w'/><site site='s'/></spatial><spatial "
                       "name='u'><site site='v'/><site site='s'/></spatial><spatial name='z'><site site='w'/><site site='r'/></spatial></tendon><equality><tendon "
                       "name='e' tendon1='z' tendon2='u' polycoef='.1 .5 .2 .1 .05'/></equality><keyframe><key name='away' qpos='.6 0 0 1 0 0 0 .1'/></keyframe></mujoco>",
                       &set, 1);
    jn_tendon_motion l[3];
    assert_true(jn_sim_observe(x.sim) >= 0);
    for (int k = 0; k < 3; k++) l[k] = jn_tendon_motion_get(x.model, jn_sim_work(x.sim), k);
    mj_resetData(x.m, x.d), mj_forward(x.m, x.d);
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = x.d->ten_length[k]; /* as drawn without the keyframe */
    double y = l[1].q - at[1], y2 = 0.1 + 0.5 * y + 0.2 * y * y + 0.1 * y * y * y + 0.05 * y * y * y * y;
    assert_near(l[2].q - at[2], y2, 1e-9);
    assert_near(l[0].force, -10 * (l[0].q - at[0]), 1e-9);
    assert_true(fabs(y) > 0.05); /* the keyframe is another place */
    close_both(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sensors), cmocka_unit_test(test_adhesion), cmocka_unit_test(test_wall),
                                       cmocka_unit_test(test_armature), cmocka_unit_test(test_keyframe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
