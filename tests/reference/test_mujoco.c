/* Every MJCF file of ../shared/reference/robots against MuJoCo itself: mass matrix, bias, poses and Jacobians at random states.
 *
 * A free joint of ours carries the velocity of the centre of mass and the angular velocity in world axes, MuJoCo's that of the
 * body's origin and the angular velocity in the body's axes; balls likewise: u = T u_mujoco, block by block. */
#include "check.h"
#include "reference_model.h"

#include "algebra/vec3.h"
#include <dirent.h>
#include <jounce/jounce.h>
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
#include <mujoco/mujoco.h>

enum { STATES = 100 };

typedef struct pair {
    mjModel *m;
    mjData *d;
    jn_description *description;
    jn_model *model;
    jn_work *work;
    jn_state *state;
    bool global;    /* frames of bodies are their principal axes as drawn */
    int nv, *joint; /* (their joints) ours */
    int *body;      /* (their bodies) ours; -1: none */
    double *T;      /* (nv x nv) */
    jn_quat *own;   /* (their bodies) orientations of our frames as drawn */
    jn_quat *apart; /* and of theirs in ours, which differ where MuJoCo chooses the frame */
} pair;

static jn_quat quat_of(const double *q) { return (jn_quat){q[0], q[1], q[2], q[3]}; }

/* The file without meshes and textures, which are not there: they are only seen. */
static char *without_meshes(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1 << 20, 1);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    static const char *const starts[] = {"<geom type=\"mesh\"", "<mesh ", "<texture ", "<material "};
    for (char *p = text; *p; p++)
        for (int k = 0; k < 4; k++)
            while (!strncmp(p, starts[k], strlen(starts[k]))) {
                char *end = strchr(p, '>');
                memmove(p, end + 1, n - (size_t)(end + 1 - text) + 1);
                n = strlen(text);
            }
    for (char *p; (p = strstr(text, " material=\""));) { /* and what names them */
        char *end = strchr(p + 11, '"');
        memmove(p, end + 1, strlen(end + 1) + 1);
    }
    return text;
}

static bool open_theirs(pair *x, const char *text, const char *name) {
    char error[500] = "";
    mjVFS *vfs = malloc(sizeof *vfs);
    mj_defaultVFS(vfs);
    int size = (int)strlen(text), place = mj_makeEmptyFileVFS(vfs, "model.xml", size);
    (void)place;
    memcpy(vfs->filedata[0], text, (size_t)size);
    x->m = mj_loadXML("model.xml", vfs, error, sizeof error);
    mj_deleteVFS(vfs);
    free(vfs);
    if (!x->m) printf("%s: skipped, this MuJoCo cannot read it: %s\n", name, error);
    if (x->m) x->d = mj_makeData(x->m);
    return x->m != NULL;
}

/* MuJoCo keeps principal moments and axes, which it finds from a full tensor to some 1e-6 of it only. They must agree with ours to
 * that, and are then taken over, so that the dynamics can be compared beyond it. */
static void take_inertias(pair *x) {
    for (int i = 1; i < x->m->nbody; i++) {
        const char *name = mj_id2name(x->m, mjOBJ_BODY, i);
        const double *I = x->m->body_inertia + 3 * i;
        for (int k = 1; name && k < x->description->body_count; k++) {
            jn_body_desc *b = &x->description->bodies[k];
            if (strcmp(b->name, name)) continue;
            jn_mat3 R = q4_matrix(quat_of(x->m->body_iquat + 4 * i));
            jn_sym3 D = {I[0], I[1], I[2], 0, 0, 0}, J = s3_rotate(&R, &D);
            const double *a = &J.xx, *c = &b->inertia.xx;
            double size = fmax(I[0], fmax(I[1], I[2]));
            if (!x->global)
                for (int n = 0; n < 6; n++) assert_near(a[n], c[n], 1e-6 * size);
            assert_near(b->mass, x->m->body_mass[i], 1e-14 * b->mass);
            if (!x->global) b->inertia = J;
        }
    }
}

static void open_ours(pair *x, const char *text, const char *path) {
    static const jn_setting settings[] = {{"import.lenient", "true"}, {"run.method", "smooth"}};
    jn_report report = {0};
    x->description = jn_description_parse(text, strlen(text), path, settings, 2, &report);
    check_report(&report);
    take_inertias(x);
    x->model = jn_model_compile(x->description, &report);
    check_report(&report);
    x->work = jn_work_create(x->model), x->state = jn_state_create(x->model);
    x->nv = jn_model_nv(x->model);
    assert_int_equal(x->nv, x->m->nv);
    x->joint = calloc((size_t)x->m->njnt + 1, sizeof *x->joint), x->body = calloc((size_t)x->m->nbody, sizeof *x->body);
    x->T = calloc((size_t)(x->nv * x->nv), sizeof *x->T);
    int count = 0;
    for (int k = 0; k < x->description->joint_count; k++) { /* both number them in the order of the file */
        const jn_joint_desc *j = &x->description->joints[k];
        if (j->closes_loop || jn_joint_type_info(j->type)->nv == 0) continue;
        assert_true(count < x->m->njnt);
        x->joint[count++] = k;
    }
    assert_int_equal(count, x->m->njnt);
    for (int i = 1; i < x->m->nbody; i++) {
        const char *own = mj_id2name(x->m, mjOBJ_BODY, i);
        x->body[i] = own ? jn_model_find_body(x->model, own) : -1;
        if (own) assert_true(x->body[i] > 0);
    }
}

static double uniform(unsigned *seed) { return (double)(rand_r(seed)) / RAND_MAX * 2 - 1; }

/* Sets 6 x 6 or 3 x 3 blocks of T: v_com = v + w x R c = v - (R c) x R w_b, w = R w_b. */
static void put_rotation(double *T, int nv, int row, int column, const jn_mat3 *R) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T[(row + i) * nv + column + j] = R->m[3 * i + j];
}

static void set_free(pair *x, int j, int u, const double *q, double *own) {
    const jn_body_desc *b = &x->description->bodies[x->body[x->m->jnt_bodyid[j]]];
    jn_mat3 R = q4_matrix(quat_of(q + 3));
    jn_vec3 c = m3_mul_v(&R, b->com);
    own[0] = q[0] + c.x, own[1] = q[1] + c.y, own[2] = q[2] + c.z;
    memcpy(own + 3, q + 3, 4 * sizeof *own);
    int v = x->m->jnt_dofadr[j], nv = x->nv;
    jn_mat3 cross = {{0, c.z, -c.y, -c.z, 0, c.x, c.y, -c.x, 0}}, turn = m3_mul(&cross, &R); /* -(c x) R */
    for (int k = 0; k < 3; k++) x->T[(u + k) * nv + v + k] = 1;
    put_rotation(x->T, nv, u, v + 3, &turn);
    put_rotation(x->T, nv, u + 3, v + 3, &R);
}

static void set_ball(pair *x, int j, int u, const double *q, double *own) {
    int body = x->m->jnt_bodyid[j], parent = x->m->body_parentid[body];
    jn_quat at = quat_of(x->m->body_quat + 4 * body), turn; /* the child in our axes as drawn, carried by the parent */
    turn = q4_mul(q4_mul(parent ? x->own[parent] : q4_identity(), at), quat_of(q));
    jn_quat o = q4_mul(turn, q4_conj(x->own[body]));
    own[0] = o.w, own[1] = o.x, own[2] = o.y, own[3] = o.z;
    jn_mat3 R = q4_matrix(turn);
    put_rotation(x->T, x->nv, u, x->m->jnt_dofadr[j], &R);
}

/* A random state in both programs, and T. */
static void draw_state(pair *x, unsigned *seed) {
    double *q = x->d->qpos, *v = x->d->qvel;
    for (int k = 0; k < x->m->nq; k++) q[k] = uniform(seed);
    for (int k = 0; k < x->nv; k++) v[k] = 2 * uniform(seed);
    for (int j = 0; j < x->m->njnt; j++) {
        int type = x->m->jnt_type[j], at = x->m->jnt_qposadr[j] + (type == mjJNT_FREE ? 3 : 0);
        if (type == mjJNT_FREE || type == mjJNT_BALL) mju_normalize4(q + at);
    }
    memset(x->T, 0, (size_t)(x->nv * x->nv) * sizeof *x->T);
    for (int j = 0; j < x->m->njnt; j++) {
        int type = x->m->jnt_type[j], own = x->joint[j], u = jn_model_joint_u_index(x->model, own);
        double *to = x->state->q + jn_model_joint_q_index(x->model, own);
        const double *from = q + x->m->jnt_qposadr[j];
        if (type == mjJNT_FREE)
            set_free(x, j, u, from, to);
        else if (type == mjJNT_BALL)
            set_ball(x, j, u, from, to);
        else
            to[0] = from[0] - x->m->qpos0[x->m->jnt_qposadr[j]], x->T[u * x->nv + x->m->jnt_dofadr[j]] = 1;
    }
    for (int i = 0; i < x->nv; i++) {
        x->state->u[i] = 0;
        for (int k = 0; k < x->nv; k++) x->state->u[i] += x->T[i * x->nv + k] * v[k];
    }
}

/* ------------------------------------------------------------------------------------------------- comparisons */

static double largest(const double *x, int n) {
    double most = 1e-300;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* |T^T M T - M_mujoco| / |M_mujoco|. */
static double compare_mass(pair *x) {
    int nv = x->nv, n = nv * nv;
    double *M = calloc((size_t)(3 * n), sizeof *M), *A = M + n, *B = M + 2 * n, off = 0;
    jn_mass_matrix(x->model, x->work, x->state, M);
    mj_fullM(x->m, B, x->d->qM);
    mju_mulMatMat(A, M, x->T, nv, nv, nv);
    mju_mulMatTMat(M, x->T, A, nv, nv, nv);
    for (int i = 0; i < n; i++) off = fmax(off, fabs(M[i] - B[i]));
    off /= largest(B, n);
    free(M);
    return off;
}

/* qfrc_bias is what holds the accelerations of MuJoCo's velocities at zero; those of ours are then T' u_mujoco, which only the
 * centre of mass of a free body has: w x (w x R c). */
static double compare_bias(pair *x) {
    int nv = x->nv;
    double *a = calloc((size_t)(3 * nv), sizeof *a), *tau = a + nv, *b = a + 2 * nv, off = 0;
    for (int j = 0; j < x->m->njnt; j++) {
        if (x->m->jnt_type[j] != mjJNT_FREE) continue;
        int own = x->joint[j], u = jn_model_joint_u_index(x->model, own);
        const jn_body_desc *body = &x->description->bodies[x->body[x->m->jnt_bodyid[j]]];
        const double *s = x->state->u + u;
        jn_vec3 c = q4_rotate(quat_of(x->d->qpos + x->m->jnt_qposadr[j] + 3), body->com), w = v3(s[3], s[4], s[5]);
        jn_vec3 f = v3_cross(w, v3_cross(w, c));
        a[u] = f.x, a[u + 1] = f.y, a[u + 2] = f.z;
    }
    jn_rnea(x->model, x->work, x->state, a, tau);
    mju_mulMatTVec(b, x->T, tau, nv, nv);
    for (int i = 0; i < nv; i++) off = fmax(off, fabs(b[i] - x->d->qfrc_bias[i]));
    off /= largest(x->d->qfrc_bias, nv);
    free(a);
    return off;
}

static double distance(jn_vec3 a, const double *b) { return hypot(hypot(a.x - b[0], a.y - b[1]), a.z - b[2]); }

/* Places of the centres of mass [m], and turns [rad]. */
static double compare_poses(pair *x) {
    double off = 0;
    assert_true(jn_observe(x->model, x->work, x->state) >= 0);
    for (int i = 1; i < x->m->nbody; i++) {
        jn_body_motion b;
        if (x->body[i] < 0) continue;
        jn_body_motion_get(x->model, x->work, x->body[i], &b);
        off = fmax(off, distance(b.position, x->d->xipos + 3 * i));
        jn_quat ours = q4_mul(b.orientation, x->apart[i]), theirs = quat_of(x->d->xquat + 4 * i);
        off = fmax(off, v3_norm(q4_log(q4_mul(ours, q4_conj(theirs)))));
    }
    return off;
}

/* Column k of the Jacobian of a body's centre of mass: its velocity where only u_mujoco[k] is not zero. */
static double compare_jacobians(pair *x) {
    int nv = x->nv;
    double *J = calloc((size_t)(6 * nv), sizeof *J), *keep = calloc((size_t)nv, sizeof *keep), off = 0;
    memcpy(keep, x->state->u, (size_t)nv * sizeof *keep);
    for (int k = 0; k < nv; k++) {
        for (int i = 0; i < nv; i++) x->state->u[i] = x->T[i * nv + k];
        assert_true(jn_observe(x->model, x->work, x->state) >= 0);
        for (int i = 1; i < x->m->nbody; i++) {
            jn_body_motion b;
            if (x->body[i] < 0) continue;
            mj_jacBodyCom(x->m, x->d, J, J + 3 * nv, i);
            jn_body_motion_get(x->model, x->work, x->body[i], &b);
            double v[3] = {J[k], J[nv + k], J[2 * nv + k]}, w[3] = {J[3 * nv + k], J[4 * nv + k], J[5 * nv + k]};
            off = fmax(off, fmax(distance(b.velocity, v), distance(b.angular_velocity, w)));
        }
    }
    memcpy(x->state->u, keep, (size_t)nv * sizeof *keep);
    free(J), free(keep);
    return off;
}

/* Lengths of tendons over joints, counted from the configuration as drawn, and their rates. */
static double compare_tendons(pair *x) {
    double off = 0;
    jn_observe(x->model, x->work, x->state);
    for (int i = 0; i < x->m->ntendon; i++) {
        const char *name = mj_id2name(x->m, mjOBJ_TENDON, i);
        int own = name ? jn_model_find_tendon(x->model, name) : -1;
        if (own < 0) continue;
        jn_tendon_motion t = jn_tendon_motion_get(x->model, x->work, own);
        double range = x->description->tendons[own].law.upper - x->m->tendon_range[2 * i + 1];
        off = fmax(off, fabs(t.q - x->d->ten_length[i] + x->m->tendon_length0[i]));
        off = fmax(off, fabs(t.u - x->d->ten_velocity[i]));
        if (x->m->tendon_limited[i]) off = fmax(off, fabs(range + x->m->tendon_length0[i]));
    }
    return off;
}

static void compare_file(const char *path, const char *name) {
    pair x = {0};
    unsigned seed = 1;
    double worst[5] = {0};
    char *text = without_meshes(path);
    if (open_theirs(&x, text, name)) {
        x.global = strstr(text, "coordinate=\"global\"") != NULL;
        open_ours(&x, text, path);
        x.apart = calloc((size_t)x.m->nbody, sizeof *x.apart), x.own = calloc((size_t)x.m->nbody, sizeof *x.own);
        mj_resetData(x.m, x.d);
        mj_kinematics(x.m, x.d);
        for (int i = 1; i < x.m->nbody; i++) {
            if (x.body[i] > 0) x.own[i] = x.description->bodies[x.body[i]].orientation;
            x.apart[i] = x.global ? q4_mul(q4_conj(x.own[i]), quat_of(x.d->xquat + 4 * i)) : q4_identity();
        }
        for (int n = 0; n < STATES; n++) {
            draw_state(&x, &seed);
            mj_fwdPosition(x.m, x.d);
            mj_fwdVelocity(x.m, x.d);
            worst[0] = fmax(worst[0], compare_mass(&x));
            worst[1] = fmax(worst[1], compare_bias(&x));
            worst[2] = fmax(worst[2], compare_poses(&x));
            worst[4] = fmax(worst[4], compare_tendons(&x));
            if (n < 10) worst[3] = fmax(worst[3], compare_jacobians(&x));
        }
        printf("%-24s MuJoCo %d, %d states: mass matrix %.1e, bias %.1e, poses %.1e, Jacobians %.1e, tendons %.1e\n",
               name, mj_version(), STATES, worst[0], worst[1], worst[2], worst[3], worst[4]);
        for (int k = 0; k < 5; k++) assert_below(worst[k], 1e-10);
        jn_state_free(x.state), jn_work_free(x.work), jn_model_free(x.model), jn_description_free(x.description);
        mj_deleteData(x.d), mj_deleteModel(x.m);
    }
    free(x.joint), free(x.body), free(x.T), free(x.apart), free(x.own), free(text);
}

static void test_robots(void **state) {
    (void)state;
    if (!reference_present()) return;
    char folder[512];
    snprintf(folder, sizeof folder, "%s", reference_path("robots"));
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort), compared = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (dot && !strcmp(dot, ".xml")) compare_file(path, name), compared++;
        free(entries[i]);
    }
    free(entries);
    assert_true(compared > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_robots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
