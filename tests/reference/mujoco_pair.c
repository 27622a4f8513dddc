/* One MJCF file read by MuJoCo and by Jounce, side by side. */
#include "mujoco_pair.h"
#include "motion/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jn_quat quat_of(const double *q) { return (jn_quat){q[0], q[1], q[2], q[3]}; }

/* The name that ours has: letters, digits, _ and -. */
static const char *own_name(const pair *x, int type, int i, char *text, size_t size) {
    const char *name = mj_id2name(x->m, type, i);
    if (!name) return NULL;
    snprintf(text, size, "%.60s", name);
    for (char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        bool later = c > text && ((*c >= '0' && *c <= '9') || *c == '-');
        if (!letter && *c != '_' && !later) *c = '_';
    }
    return text;
}

/* Ours of MuJoCo's body and MuJoCo's inertia about its centre of mass; NULL: ours has no such body, or the body has a free joint with
 * armature, which counts as mass of ours. */
static jn_body_desc *same_body(const pair *x, int i, jn_sym3 *J) {
    int joint = x->m->body_jntnum[i] ? x->m->body_jntadr[i] : -1;
    if (joint >= 0 && x->m->jnt_type[joint] == mjJNT_FREE && x->m->dof_armature[x->m->jnt_dofadr[joint]] > 0) return NULL;
    const double *I = x->m->body_inertia + 3 * i;
    jn_mat3 R = q4_matrix(quat_of(x->m->body_iquat + 4 * i));
    jn_sym3 D = {I[0], I[1], I[2], 0, 0, 0};
    *J = s3_rotate(&R, &D);
    return x->body[i] > 0 ? &x->description->bodies[x->body[i]] : NULL;
}

/* Difference of mass, centre of mass (of the radius of gyration), trace of the inertia and its other parts. MuJoCo's principal axes
 * are those of a solid of density 1, off the diagonal 1e-12 is zero to it, and corners of meshes are in single precision. */
static double apart_by(const pair *x, int i, const jn_body_desc *b, const jn_sym3 *J) {
    enum { DENSEST = 8000 };
    double mass = x->m->body_mass[i], trace = J->xx + J->yy + J->zz, own = b->inertia.xx + b->inertia.yy + b->inertia.zz;
    double off = fabs(b->mass - mass) / mass;
    if (x->global) return off;
    const double *c = x->m->body_ipos + 3 * i;
    if (trace > 0) off = fmax(off, v3_norm(v3_sub(b->com, v3(c[0], c[1], c[2]))) / sqrt(trace / mass));
    if (trace > 0) off = fmax(off, fabs(own - trace) / trace);
    for (int n = 0; trace > 0 && n < 6; n++)
        off = fmax(off, (fabs((&J->xx)[n] - (&b->inertia.xx)[n]) - 1e-12 * DENSEST) / trace);
    return off;
}

double pair_inertias(const pair *x) {
    double off = 0;
    for (int i = 1; i < x->m->nbody; i++) {
        jn_sym3 J;
        const jn_body_desc *b = same_body(x, i, &J);
        if (!b || !(x->m->body_mass[i] > 0)) continue;
        double own = apart_by(x, i, b, &J);
        if (x->loud && !(own < 1e-6))
            printf("body '%s': mass %.12g, MuJoCo %.12g; inertias differ by %.1e\n", b->name, b->mass, x->m->body_mass[i], own);
        off = fmax(off, own);
    }
    return off;
}

static bool compile(pair *x) {
    jn_report report = {0};
    jn_state_free(x->state), jn_work_free(x->work), jn_model_free(x->model);
    x->state = NULL, x->work = NULL;
    x->model = jn_model_compile(x->description, &report);
    if (!x->model) {
        snprintf(x->why, sizeof x->why, "%.500s", report.count ? report.item[0].text : "no model");
        return false;
    }
    x->work = jn_work_create(x->model), x->state = jn_state_create(x->model);
    return x->work && x->state;
}

void pair_take_inertias(pair *x) {
    for (int i = 1; i < x->m->nbody && !x->global; i++) {
        jn_sym3 J;
        jn_body_desc *b = same_body(x, i, &J);
        if (!b || !(x->m->body_mass[i] > 0)) continue;
        const double *c = x->m->body_ipos + 3 * i;
        b->mass = x->m->body_mass[i], b->inertia = J, b->com = v3(c[0], c[1], c[2]);
    }
    if (!compile(x)) abort();
}

void pair_loosen(pair *x) {
    jn_description *d = x->description;
    int kept = 0;
    for (int k = 0; k < d->force_count; k++) { /* soft connections; springs of ball and free joints stay */
        const char *end = strstr(d->forces[k].name, "_spring");
        if (d->forces[k].type != JN_FORCE_BUSHING || (end && !end[7])) d->forces[kept++] = d->forces[k];
    }
    d->force_count = kept, d->coupler_count = 0;
    while (d->joint_count && d->joints[d->joint_count - 1].closes_loop) d->joint_count--;
    for (int k = 0; k < d->joint_count; k++)
        for (int i = 0; i < JN_JOINT_MAX_NV; i++) {
            jn_coordinate_desc *q = &d->joints[k].coordinate[i];
            q->friction = 0, q->has_lower = q->has_upper = false;
        }
    for (int k = 0; k < d->tendon_count; k++)
        d->tendons[k].law.friction = 0, d->tendons[k].law.has_lower = d->tendons[k].law.has_upper = false;
    if (!compile(x)) abort();
}

/* Both number joints in the order of the file. */
static bool match(pair *x) {
    int count = 0, most = x->m->njnt;
    x->joint = calloc((size_t)most + 1, sizeof *x->joint), x->body = calloc((size_t)x->m->nbody, sizeof *x->body);
    x->T = calloc((size_t)(x->nv * x->nv) + 1, sizeof *x->T);
    x->apart = calloc((size_t)x->m->nbody, sizeof *x->apart), x->own = calloc((size_t)x->m->nbody, sizeof *x->own);
    for (int k = 0; k < x->description->joint_count; k++) {
        const jn_joint_desc *j = &x->description->joints[k];
        if (j->closes_loop || jn_joint_type_info(j->type)->nv == 0) continue;
        if (count < most) x->joint[count] = k;
        count++;
    }
    snprintf(x->why, sizeof x->why, "%d joints and %d velocities, MuJoCo has %d and %d", count, x->nv, most,
             (int)x->m->nv);
    if (count != most || x->nv != x->m->nv) return false;
    mj_resetData(x->m, x->d);
    mj_kinematics(x->m, x->d);
    for (int i = 1; i < x->m->nbody; i++) { /* bodies are known by their joints, others by their names */
        char text[64];
        const char *own = own_name(x, mjOBJ_BODY, i, text, sizeof text);
        int last = x->m->body_jntadr[i] + x->m->body_jntnum[i] - 1;
        x->body[i] = x->m->body_jntnum[i] ? x->description->joints[x->joint[last]].body[1] : own ? jn_model_find_body(x->model, own) : -1;
        for (int k = 1; k < i && !x->m->body_jntnum[i]; k++) /* names that are alike in ours, which has changed one of them */
            if (x->body[k] > 0 && x->body[k] == x->body[i]) own = NULL, x->body[i] = -1;
        snprintf(x->why, sizeof x->why, "body '%.60s' is missing", own ? own : "");
        if (own && x->body[i] <= 0) return false;
        x->own[i] = x->body[i] > 0 ? x->description->bodies[x->body[i]].orientation : quat_of(x->d->xquat + 4 * i);
        x->apart[i] = x->global ? q4_mul(q4_conj(x->own[i]), quat_of(x->d->xquat + 4 * i)) : q4_identity();
    }
    return true;
}

/* Whether the file has global coordinates, as older ones do. */
static bool is_global(const char *path) {
    FILE *file = fopen(path, "rb");
    char line[4096];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) found = strstr(line, "coordinate=\"global\"") != NULL;
    if (file) fclose(file);
    return found;
}

bool pair_open(pair *x, const char *path, const jn_setting *settings, int count) {
    enum { MOST = 64 };
    jn_setting all[MOST + 2] = {{"import.lenient", "true"}, {"run.method", "smooth"}};
    for (int i = 0; i < count && i < MOST; i++) all[2 + i] = settings[i];
    char error[500] = "";
    jn_report report = {0};
    x->m = mj_loadXML(path, NULL, error, sizeof error);
    snprintf(x->why, sizeof x->why, "MuJoCo cannot read it: %.400s", error);
    if (!x->m) return false;
    x->d = mj_makeData(x->m);
    x->description = jn_description_read(path, all, 2 + count, &report);
    for (int i = report.count - 1; i >= 0; i--)
        if (report.item[i].severity == JN_SEVERITY_ERROR)
            snprintf(x->why, sizeof x->why, "%.500s", report.item[i].text);
    if (!x->description || !compile(x)) return false;
    x->nv = jn_model_nv(x->model), x->global = is_global(path);
    return match(x);
}

void pair_close(pair *x) {
    jn_state_free(x->state), jn_work_free(x->work), jn_model_free(x->model), jn_description_free(x->description);
    mj_deleteData(x->d), mj_deleteModel(x->m);
    free(x->joint), free(x->body), free(x->T), free(x->apart), free(x->own);
    *x = (pair){0};
}

double pair_uniform(unsigned *seed) { return (double)(rand_r(seed)) / RAND_MAX * 2 - 1; }

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
void pair_draw(pair *x, unsigned *seed) {
    double *q = x->d->qpos, *v = x->d->qvel;
    for (int k = 0; k < x->m->nq; k++) q[k] = pair_uniform(seed);
    for (int k = 0; k < x->nv; k++) v[k] = 2 * pair_uniform(seed);
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
    mj_fwdPosition(x->m, x->d);
    mj_fwdVelocity(x->m, x->d);
}

static void put(double *to, jn_vec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
static void put_quat(double *to, jn_quat q) { to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z; }

static void give_free(pair *x, int j, const double *q, const double *u) {
    const jn_body_desc *b = &x->description->bodies[x->body[x->m->jnt_bodyid[j]]];
    double *to = x->d->qpos + x->m->jnt_qposadr[j], *v = x->d->qvel + x->m->jnt_dofadr[j];
    jn_quat turn = quat_of(q + 3);
    jn_vec3 c = q4_rotate(turn, b->com), w = v3(u[3], u[4], u[5]);
    put(to, v3_sub(v3(q[0], q[1], q[2]), c)), put_quat(to + 3, turn);
    put(v, v3_sub(v3(u[0], u[1], u[2]), v3_cross(w, c))), put(v + 3, q4_rotate(q4_conj(turn), w));
}

static void give_ball(pair *x, int j, const double *q, const double *u) {
    int body = x->m->jnt_bodyid[j], parent = x->m->body_parentid[body];
    jn_quat at = q4_mul(parent ? x->own[parent] : q4_identity(), quat_of(x->m->body_quat + 4 * body));
    jn_quat turn = q4_mul(quat_of(q), x->own[body]);
    put_quat(x->d->qpos + x->m->jnt_qposadr[j], q4_mul(q4_conj(at), turn));
    put(x->d->qvel + x->m->jnt_dofadr[j], q4_rotate(q4_conj(turn), v3(u[0], u[1], u[2])));
}

void pair_give(pair *x) {
    for (int j = 0; j < x->m->njnt; j++) {
        int type = x->m->jnt_type[j], own = x->joint[j];
        const double *q = x->state->q + jn_model_joint_q_index(x->model, own);
        const double *u = x->state->u + jn_model_joint_u_index(x->model, own);
        if (type == mjJNT_FREE)
            give_free(x, j, q, u);
        else if (type == mjJNT_BALL)
            give_ball(x, j, q, u);
        else
            x->d->qpos[x->m->jnt_qposadr[j]] = q[0] + x->m->qpos0[x->m->jnt_qposadr[j]],
                                         x->d->qvel[x->m->jnt_dofadr[j]] = u[0];
    }
    mj_fwdPosition(x->m, x->d);
    mj_fwdVelocity(x->m, x->d);
}

/* ------------------------------------------------------------------------------------------------- comparisons */

static double largest(const double *x, int n) {
    double most = 1e-300;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* A <- M T, or with `left` A <- T^T M: T has six entries per row at most. */
static void times_T(const pair *x, const double *M, bool left, double *A) {
    int nv = x->nv;
    memset(A, 0, (size_t)(nv * nv) * sizeof *A);
    for (int k = 0; k < nv; k++)
        for (int j = 0; j < nv; j++) {
            double t = x->T[k * nv + j];
            for (int i = 0; t != 0 && i < nv; i++) *(left ? &A[j * nv + i] : &A[i * nv + j]) += t * (left ? M[k * nv + i] : M[i * nv + k]);
        }
}

/* |T^T M T - M_mujoco| / |M_mujoco|. */
double pair_mass(pair *x) {
    int nv = x->nv, n = nv * nv;
    double *M = calloc((size_t)(3 * n), sizeof *M), *A = M + n, *B = M + 2 * n, off = 0;
    jn_mass_matrix(x->model, x->work, x->state, M);
#if mjVERSION_HEADER >= 3000000
    mj_fullM(x->m, x->d, B);
#else
    mj_fullM(x->m, B, x->d->qM);
#endif
    times_T(x, M, false, A);
    times_T(x, A, true, M);
    for (int i = 0; i < n; i++) off = fmax(off, fabs(M[i] - B[i]));
    off /= largest(B, n);
    free(M);
    return off;
}

/* qfrc_bias is what holds the accelerations of MuJoCo's velocities at zero; those of ours are then T' u_mujoco, which only the
 * centre of mass of a free body has: w x (w x R c). */
double pair_bias(pair *x) {
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
    off /= fmax(1, largest(x->d->qfrc_bias, nv));
    free(a);
    return off;
}

static double distance(jn_vec3 a, const double *b) { return hypot(hypot(a.x - b[0], a.y - b[1]), a.z - b[2]); }

/* Places of the centres of mass [m], and turns [rad]. */
double pair_poses(pair *x) {
    double off = 0;
    if (jn_observe(x->model, x->work, x->state) < 0) return HUGE_VAL;
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
double pair_jacobians(pair *x) {
    int nv = x->nv;
    double *J = calloc((size_t)(6 * nv), sizeof *J), *keep = calloc((size_t)nv, sizeof *keep), off = 0;
    memcpy(keep, x->state->u, (size_t)nv * sizeof *keep);
    for (int k = 0; k < nv; k++) {
        for (int i = 0; i < nv; i++) x->state->u[i] = x->T[i * nv + k];
        if (jn_observe(x->model, x->work, x->state) < 0) return HUGE_VAL;
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

/* A difference, relative where above 1; it is printed if one wants to see them. */
static double tell(const pair *x, int type, int i, const char *what, double found, double expected) {
    double off = fabs(found - expected) / fmax(1, fabs(expected));
    const char *name = mj_id2name(x->m, type, i);
    if (x->loud && !(off <= 1e-9))
        printf("%s %d '%s', %s: %.12g, MuJoCo %.12g\n", mju_type2Str(type), i, name ? name : "", what, found, expected);
    return off;
}

/* Ours of the same name, or of the same place where both have as many; -1: none. */
static int own_tendon(const pair *x, int i) {
    char text[64];
    const char *name = own_name(x, mjOBJ_TENDON, i, text, sizeof text);
    if (x->m->ntendon == jn_model_tendons(x->model)) return i;
    return name ? jn_model_find_tendon(x->model, name) : -1;
}

int pair_actuator(const pair *x, int i) {
    char text[64];
    const char *name = own_name(x, mjOBJ_ACTUATOR, i, text, sizeof text);
    if (x->m->nu == jn_model_actuators(x->model)) return i;
    return name ? jn_model_find_actuator(x->model, name) : -1;
}

static int own_sensor(const pair *x, int i) {
    char text[64];
    const char *name = own_name(x, mjOBJ_SENSOR, i, text, sizeof text);
    if (x->m->nsensor == jn_model_sensors(x->model)) return i;
    return name ? jn_model_find_sensor(x->model, name) : -1;
}

int pair_count_actuators(const pair *x) {
    int count = 0;
    for (int i = 0; i < x->m->nu; i++) count += pair_actuator(x, i) >= 0;
    return count;
}

void pair_control(pair *x, int actuator, double control, double act) {
    int own = pair_actuator(x, actuator);
    x->d->ctrl[actuator] = control;
    if (own < 0) return;
    const jn_actuation *a = &x->model->actuations[own];
    x->work->var[JN_VAR_T] = x->state->t;
    double given = jn_function_given(a->control) ? jn_function_value(a->control, x->model->tables, x->work->var) : 0;
    x->state->control[own] = control - given;
    if (a->activation != JN_ACTIVATION_NONE) x->state->act[a->state] = x->d->act[pair_activation(x, actuator)] = act;
}

/* Row of MuJoCo's moments of a tendon. */
static void tendon_row(const pair *x, int tendon, double *row) {
    memset(row, 0, (size_t)x->nv * sizeof *row);
#if mjVERSION_HEADER >= 3000000
    const int *count = x->m->ten_J_rownnz, *first = x->m->ten_J_rowadr, *column = x->m->ten_J_colind;
#else
    const int *count = x->d->ten_J_rownnz, *first = x->d->ten_J_rowadr, *column = x->d->ten_J_colind;
    if (!mj_isSparse(x->m)) {
        memcpy(row, x->d->ten_J + tendon * x->nv, (size_t)x->nv * sizeof *row);
        return;
    }
#endif
    for (int k = first[tendon]; k < first[tendon] + count[tendon]; k++) row[column[k]] = x->d->ten_J[k];
}

/* Lengths of tendons, over joints counted from the configuration as drawn, and their rates. */
double pair_tendons(pair *x) {
    double off = 0;
    jn_observe(x->model, x->work, x->state);
    for (int i = 0; i < x->m->ntendon; i++) {
        int own = own_tendon(x, i);
        if (own < 0) continue;
        jn_tendon_motion t = jn_tendon_motion_get(x->model, x->work, own);
        bool fixed = x->m->wrap_type[x->m->tendon_adr[i]] == mjWRAP_JOINT;
        double range = x->description->tendons[own].law.upper - x->m->tendon_range[2 * i + 1];
        double drawn = fixed ? x->m->tendon_length0[i] : 0;
        off = fmax(off, tell(x, mjOBJ_TENDON, i, "length", t.q, x->d->ten_length[i] - drawn));
        off = fmax(off, tell(x, mjOBJ_TENDON, i, "speed", t.u, x->d->ten_velocity[i]));
        if (x->m->tendon_limited[i]) off = fmax(off, tell(x, mjOBJ_TENDON, i, "range", range, -drawn));
    }
    return off;
}

double pair_moments(pair *x) {
    int nv = x->nv;
    double *keep = calloc((size_t)nv, sizeof *keep), *row = calloc((size_t)nv, sizeof *row), off = 0;
    memcpy(keep, x->state->u, (size_t)nv * sizeof *keep);
    for (int k = 0; k < nv && x->m->ntendon; k++) {
        for (int i = 0; i < nv; i++) x->state->u[i] = x->T[i * nv + k];
        jn_observe(x->model, x->work, x->state);
        for (int i = 0; i < x->m->ntendon; i++) {
            int own = own_tendon(x, i);
            if (own < 0) continue;
            tendon_row(x, i, row);
            off = fmax(off, fabs(jn_tendon_motion_get(x->model, x->work, own).u - row[k]));
        }
    }
    memcpy(x->state->u, keep, (size_t)nv * sizeof *keep);
    free(keep), free(row);
    return off;
}

double pair_accelerations(pair *x) {
    int nv = x->nv;
    double *a = calloc((size_t)(3 * nv) + 1, sizeof *a), *theirs = a + nv, off = 0, size = 1e-300;
    int status = jn_accelerate(x->model, x->work, x->state, NULL, a, NULL);
    mj_fwdActuation(x->m, x->d);
    mj_fwdAcceleration(x->m, x->d);
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < nv; k++) theirs[i] += x->T[i * nv + k] * x->d->qacc_smooth[k];
    for (int j = 0; j < x->m->njnt; j++) {
        if (x->m->jnt_type[j] != mjJNT_FREE) continue;
        int u = jn_model_joint_u_index(x->model, x->joint[j]);
        const jn_body_desc *body = &x->description->bodies[x->body[x->m->jnt_bodyid[j]]];
        const double *s = x->state->u + u;
        jn_vec3 c = q4_rotate(quat_of(x->d->qpos + x->m->jnt_qposadr[j] + 3), body->com), w = v3(s[3], s[4], s[5]);
        jn_vec3 f = v3_cross(w, v3_cross(w, c));
        theirs[u] += f.x, theirs[u + 1] += f.y, theirs[u + 2] += f.z;
    }
    for (int i = 0; i < nv; i++) off = fmax(off, fabs(a[i] - theirs[i])), size = fmax(size, fabs(theirs[i]));
    free(a);
    return status < 0 ? HUGE_VAL : off / size;
}

/* What ours applies along MuJoCo's velocities, M u' + bias from the accelerations by Newton and Euler, is MuJoCo's passive
 * and actuator forces. forward() has computed these. */
double pair_forces(pair *x) {
    int nv = x->nv;
    double *a = calloc((size_t)(4 * nv) + 1, sizeof *a), *tau = a + nv, *ours = a + 2 * nv, *theirs = a + 3 * nv, off = 0;
    int status = jn_accelerate(x->model, x->work, x->state, NULL, a, NULL);
    jn_rnea(x->model, x->work, x->state, a, tau);
    mju_mulMatTVec(ours, x->T, tau, nv, nv);
    mju_add(theirs, x->d->qfrc_passive, x->d->qfrc_actuator, nv);
    double size = fmax(1, fmax(largest(theirs, nv), largest(x->d->qfrc_bias, nv)));
    for (int i = 0; i < nv; i++) {
        off = fmax(off, fabs(ours[i] - theirs[i]) / size);
        if (x->loud && fabs(ours[i] - theirs[i]) > 1e-9 * size)
            printf("force along velocity %d (joint %d): %.12g, MuJoCo %.12g passive + %.12g actuators\n", i, x->m->dof_jntid[i], ours[i],
                   x->d->qfrc_passive[i], x->d->qfrc_actuator[i]);
    }
    free(a);
    return status < 0 ? HUGE_VAL : off;
}

/* All that MuJoCo computes without constraints, at the state and the controls that it has. */
static void forward(pair *x) {
    if (x->limited)
        x->m->opt.disableflags &= ~mjDSBL_CONSTRAINT;
    else
        x->m->opt.disableflags |= mjDSBL_CONSTRAINT;
    x->m->opt.enableflags |= mjENBL_ENERGY;
    x->d->time = x->state->t;
    mj_forward(x->m, x->d);
}

double pair_actuators(pair *x) {
    double off = 0;
    forward(x);
    if (jn_observe(x->model, x->work, x->state) < 0) return HUGE_VAL;
    for (int i = 0; i < x->m->nu; i++) {
        int own = pair_actuator(x, i);
        if (own < 0) continue;
        jn_actuator_motion a = jn_actuator_motion_get(x->model, x->work, own);
        off = fmax(off, tell(x, mjOBJ_ACTUATOR, i, "length", a.length, x->d->actuator_length[i]));
        off = fmax(off, tell(x, mjOBJ_ACTUATOR, i, "speed", a.speed, x->d->actuator_velocity[i]));
        off = fmax(off, tell(x, mjOBJ_ACTUATOR, i, "force", a.force, x->d->actuator_force[i]));
        if (x->model->actuations[own].activation == JN_ACTIVATION_NONE) continue;
        int state = pair_activation(x, i);
        double rate = x->work->act_rate[x->model->actuations[own].state];
        off = fmax(off, tell(x, mjOBJ_ACTUATOR, i, "rate", rate, x->d->act_dot[state]));
    }
    return off;
}

double pair_sensors(pair *x, int *count) {
    double off = 0;
    *count = 0;
    forward(x);
    if (jn_observe(x->model, x->work, x->state) < 0) return HUGE_VAL;
    for (int i = 0; i < x->m->nsensor; i++) {
        int own = own_sensor(x, i);
        if (own < 0) continue;
        const double *theirs = x->d->sensordata + x->m->sensor_adr[i];
        double values[JN_SENSOR_MOST], sign = 1;
        int n = jn_sensor_see(x->model, x->work, own, values);
        if (n != x->m->sensor_dim[i]) return HUGE_VAL;
        if (n == 4) sign = values[0] * theirs[0] + values[1] * theirs[1] + values[2] * theirs[2] + values[3] * theirs[3];
        for (int k = 0; k < n; k++) /* q and -q are the same rotation */
            off = fmax(off, tell(x, mjOBJ_SENSOR, i, "value", sign < 0 ? -values[k] : values[k], theirs[k]));
        (*count)++;
    }
    return off;
}

int pair_activation(const pair *x, int actuator) {
#if mjVERSION_HEADER >= 3000000
    return x->m->actuator_actadr[actuator];
#else
    return actuator - ((int)x->m->nu - (int)x->m->na); /* states belong to the last actuators */
#endif
}
