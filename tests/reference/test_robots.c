/* The robots of ../shared/reference/robots: converted they are the same mechanism, and they fall and settle on a floor. */
#include "check.h"
#include "reference_model.h"

#include <dirent.h>
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>

typedef struct robot {
    const char *file, *base;
    double until;   /* [s] */
    bool urdf;      /* URDF can hold it */
    double resting; /* [J] kinetic energy at the end, at most; INFINITY: nothing brings it to rest */
} robot;

/* Arms are bolted down; the 7-DOF arm has no shapes and nothing that damps it. The hopper slides without friction (condim 1). */
static const robot robots[] = {
    {"anymal_b.urdf", "free", 10, true, 1e-3},       {"ant.xml", "free", 10, false, 1e-3},
    {"cassie_menagerie.xml", "auto", 10, false, 20}, {"hopper_planar.xml", "auto", 10, false, 1e-2},
    {"humanoid.xml", "free", 10, false, 1e-2},       {"kuka_iiwa_robot.urdf", "fixed", 10, true, INFINITY},
    {"phantomx.urdf", "free", 10, true, 1e-2},       {"ur5_robot.urdf", "fixed", 10, true, INFINITY},
};
enum { COUNT = sizeof robots / sizeof robots[0] };

static jn_description *read_robot(const char *path, const char *base, bool floor) {
    jn_setting settings[3] = {
        {"import.lenient", "true"}, {"import.base", base}, {"import.floor", floor ? "true" : "false"}};
    jn_report report = {0};
    jn_description *d = jn_description_read(path, settings, 3, &report);
    check_report(&report);
    assert_non_null(d);
    return d;
}

static const char *path_of(const char *file, char *buffer, size_t size) {
    char name[200];
    snprintf(name, sizeof name, "robots/%s", file);
    snprintf(buffer, size, "%s", reference_path(name));
    return buffer;
}

/* Falls for some seconds; the audit is clean, and in the end it lies still. */
static void settle(const robot *r) {
    char path[600];
    jn_report report = {0};
    jn_description *d = read_robot(path_of(r->file, path, sizeof path), r->base, true);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(m, &report);
    check_report(&report);
    assert_non_null(sim);
    assert_int_equal(jn_sim_advance(sim, r->until), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    assert_true(jn_sim_observe(sim) >= 0);
    double kinetic = jn_energy_get(m, jn_sim_work(sim)).kinetic;
    printf("%-22s %5ld steps, kinetic energy %.1e J, unsolved %ld: %s\n", r->file, a->steps, kinetic, a->unsolved,
           a->verdict);
    assert_true(a->ok);
    assert_below(kinetic, r->resting);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

static void test_settle(void **state) {
    (void)state;
    if (!reference_present()) return;
    for (int k = 0; k < COUNT; k++) settle(&robots[k]);
}

/* Mass matrix and bias at joint coordinates that are equal in both, for joints with one coordinate. */
static void compare(const jn_description *a, const jn_description *b, const char *name) {
    jn_report report = {0};
    jn_model *ma = jn_model_compile(a, &report), *mb = jn_model_compile(b, &report);
    check_report(&report);
    int nv = jn_model_nv(ma);
    assert_int_equal(jn_model_nv(mb), nv);
    size_t n = (size_t)(nv * nv);
    jn_work *wa = jn_work_create(ma), *wb = jn_work_create(mb);
    jn_state *sa = jn_state_create(ma), *sb = jn_state_create(mb);
    double *Ma = calloc(2 * n + 2 * (size_t)nv, sizeof *Ma), *Mb = Ma + n, *ba = Mb + n, *bb = ba + nv, off = 0,
           size = 0, bias = 0;
    unsigned seed = 3;
    for (int k = 0; k < jn_model_joints(ma); k++) {
        int other = jn_model_find_joint(mb, jn_model_joint_name(ma, k));
        if (jn_model_joint_nv(ma, k) != 1) continue;
        assert_true(other >= 0);
        int qa = jn_model_joint_q_index(ma, k), qb = jn_model_joint_q_index(mb, other);
        int ua = jn_model_joint_u_index(ma, k), ub = jn_model_joint_u_index(mb, other);
        if (qa < 0) continue;
        sa->q[qa] = sb->q[qb] = (double)rand_r(&seed) / RAND_MAX - 0.5;
        sa->u[ua] = sb->u[ub] = (double)rand_r(&seed) / RAND_MAX - 0.5;
    }
    jn_mass_matrix(ma, wa, sa, Ma), jn_mass_matrix(mb, wb, sb, Mb);
    jn_rnea(ma, wa, sa, NULL, ba), jn_rnea(mb, wb, sb, NULL, bb);
    /* coordinates may stand in another order: compare by joints */
    for (int k = 0; k < jn_model_joints(ma); k++)
        for (int l = 0; l < jn_model_joints(ma); l++) {
            int ua = jn_model_joint_u_index(ma, k), va = jn_model_joint_u_index(ma, l);
            int kb = jn_model_find_joint(mb, jn_model_joint_name(ma, k)),
                lb = jn_model_find_joint(mb, jn_model_joint_name(ma, l));
            if (ua < 0 || va < 0 || kb < 0 || lb < 0) continue;
            int ub = jn_model_joint_u_index(mb, kb), vb = jn_model_joint_u_index(mb, lb);
            for (int i = 0; i < jn_model_joint_nv(ma, k); i++) {
                for (int j = 0; j < jn_model_joint_nv(ma, l); j++) {
                    double x = Ma[(ua + i) * nv + va + j], y = Mb[(ub + i) * nv + vb + j];
                    off = fmax(off, fabs(x - y)), size = fmax(size, fabs(x));
                }
                bias = fmax(bias, fabs(ba[ua + i] - bb[ub + i]) / (1 + fabs(ba[ua + i])));
            }
        }
    printf("%-22s mass matrix %.1e, bias %.1e\n", name, off / size, bias);
    assert_below(off, 1e-10 * size);
    assert_below(bias, 1e-10);
    free(Ma);
    jn_state_free(sa), jn_state_free(sb), jn_work_free(wa), jn_work_free(wb), jn_model_free(ma), jn_model_free(mb);
}

static void convert_one(const robot *r, const char *ending) {
    char path[600], out[64], command[1600];
    snprintf(out, sizeof out, "robot_converted.%s", ending);
    path_of(r->file, path, sizeof path);
    snprintf(command, sizeof command, "'%s' convert --lenient --base %s '%s' %s 2>/dev/null", JN_CLI, r->base, path,
             out);
    assert_int_equal(system(command), 0);
    jn_description *a = read_robot(path, r->base, false), *b = read_robot(out, r->base, false);
    char name[64];
    snprintf(name, sizeof name, "%.18s.%s", r->file, ending);
    compare(a, b, name);
    jn_description_free(a), jn_description_free(b);
    remove(out);
}

static void test_convert(void **state) {
    (void)state;
    if (!reference_present()) return;
    for (int k = 0; k < COUNT; k++) {
        convert_one(&robots[k], "yaml");
        if (robots[k].urdf) convert_one(&robots[k], "urdf");
    }
}

/* What URDF cannot hold is named, and nothing is written. */
static void test_refuse(void **state) {
    char path[600], command[1600];
    (void)state;
    if (!reference_present()) return;
    path_of("cassie_menagerie.xml", path, sizeof path);
    snprintf(command, sizeof command, "'%s' convert '%s' robot_refused.urdf 2>robot_refused.txt", JN_CLI, path);
    assert_int_not_equal(system(command), 0);
    FILE *file = fopen("robot_refused.urdf", "r"), *text = fopen("robot_refused.txt", "r");
    char all[20000] = "";
    assert_null(file);
    assert_non_null(text);
    size_t n = fread(all, 1, sizeof all - 1, text);
    all[n] = 0;
    fclose(text);
    assert_non_null(strstr(all, "joint 'connect_26': URDF holds trees"));
    assert_non_null(strstr(all, "joint 'left-achilles-rod': URDF has no such joint"));
    assert_non_null(strstr(all, "joint 'left-shin': URDF has no springs"));
    remove("robot_refused.txt");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convert), cmocka_unit_test(test_refuse),
                                       cmocka_unit_test(test_settle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
