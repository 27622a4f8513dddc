/* MuJoCo through its C interface: the mechanism as MJCF text in memory, contacts and constraints off. Compiles with 2.2.2 and 3.x. */
#include "peer_mujoco.h"
#include "peer.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its XML reader takes 100 levels in one file; deeper trees go on in included files. */
enum { MAX_NESTING = 40, MAX_FILES = 64 };

typedef struct text {
    char *at;
    size_t length, room;
} text;

typedef struct writer {
    const jn_description *d;
    int *joint_of;     /* (bodies) joint that carries the body */
    int *first, *next; /* (bodies) children as lists */
    int *order;        /* (bodies) joints in the order of its coordinates */
    text file[MAX_FILES];
    int files, joints;
} writer;

typedef struct mujoco {
    mjModel *m;
    mjData *d;
    int nv, joints;
    int *order;       /* (joints) as written to the model */
    int *q_of, *u_of; /* (nq), (nv) our coordinate and velocity for each of its own */
    bool free_base;
    double *q, *u, R[9];
} mujoco;

static void put(text *t, const char *format, ...) {
    va_list args;
    if (t->room - t->length < 1024) t->at = realloc(t->at, t->room = 2 * t->room + 4096);
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->at + t->length, t->room - t->length, format, args);
    va_end(args);
}

static bool is_free(const writer *w, int body) { return w->d->joints[w->joint_of[body]].type == JN_JOINT_FREE; }

/* Body frames are parallel to the world as drawn; their origin is the joint, or the centre of mass of a free body. */
static jn_vec3 origin(const writer *w, int body) {
    if (body == JN_GROUND) return (jn_vec3){0, 0, 0};
    return is_free(w, body) ? w->d->bodies[body].com : w->d->joints[w->joint_of[body]].frame[0].at;
}

/* Principal moments and axes (columns of V, a rotation) of a symmetric matrix: Jacobi's method, to round-off. */
static void principal(const jn_sym3 *J, double moment[3], double V[9]) {
    double A[9] = {J->xx, J->xy, J->xz, J->xy, J->yy, J->yz, J->xz, J->yz, J->zz};
    for (int i = 0; i < 9; i++) V[i] = i % 4 == 0;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int k = 0; k < 3; k++) {
            int p = k == 2, q = k == 0 ? 1 : 2;
            if (fabs(A[3 * p + q]) < 1e-300) continue;
            double t = 0.5 * atan2(2 * A[3 * p + q], A[4 * p] - A[4 * q]), c = cos(t), s = sin(t);
            for (int i = 0; i < 3; i++) {
                double x = A[3 * i + p], y = A[3 * i + q], v = V[3 * i + p], w = V[3 * i + q];
                A[3 * i + p] = c * x + s * y, A[3 * i + q] = c * y - s * x;
                V[3 * i + p] = c * v + s * w, V[3 * i + q] = c * w - s * v;
            }
            for (int i = 0; i < 3; i++) {
                double x = A[3 * p + i], y = A[3 * q + i];
                A[3 * p + i] = c * x + s * y, A[3 * q + i] = c * y - s * x;
            }
        }
    for (int i = 0; i < 3; i++) moment[i] = A[4 * i];
}

static void put_inertia(text *t, const jn_body_desc *b, jn_vec3 c) {
    double J[3], V[9], q[4];
    principal(&b->inertia, J, V);
    mju_mat2Quat(q, V);
    put(t, "<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" ", c.x, c.y, c.z, b->mass);
    put(t, "quat=\"%.17g %.17g %.17g %.17g\" ", q[0], q[1], q[2], q[3]);
    put(t, "diaginertia=\"%.17g %.17g %.17g\"/>", J[0], J[1], J[2]);
}

static void put_body(writer *w, int file, int body, int parent, int nesting) {
    const jn_body_desc *b = &w->d->bodies[body];
    jn_vec3 o = origin(w, body), p = origin(w, parent), c = {b->com.x - o.x, b->com.y - o.y, b->com.z - o.z};
    jn_vec3 a = w->d->joints[w->joint_of[body]].frame[0].axis;
    int here = file;
    w->order[w->joints++] = w->joint_of[body];
    if (nesting == MAX_NESTING) {
        here = w->files++;
        put(&w->file[file], "<include file=\"%d.xml\"/>", here);
        put(&w->file[here], "<mujocoinclude>");
        nesting = 0;
    }
    put(&w->file[here], "<body pos=\"%.17g %.17g %.17g\">", o.x - p.x, o.y - p.y, o.z - p.z);
    put_inertia(&w->file[here], b, c);
    if (is_free(w, body))
        put(&w->file[here], "<freejoint/>");
    else
        put(&w->file[here], "<joint type=\"hinge\" axis=\"%.17g %.17g %.17g\"/>", a.x, a.y, a.z);
    for (int child = w->first[body]; child; child = w->next[child]) put_body(w, here, child, body, nesting + 1);
    put(&w->file[here], "</body>");
    if (here != file) put(&w->file[here], "</mujocoinclude>");
}

static void put_model(writer *w, double step) {
    const jn_description *d = w->d;
    text *t = &w->file[w->files++];
    put(t,
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\"/>"
        "<option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" integrator=\"Euler\">"
        "<flag constraint=\"disable\" contact=\"disable\"/></option><worldbody>",
        step, d->gravity.x, d->gravity.y, d->gravity.z);
    for (int i = d->joint_count - 1; i >= 0; i--) {
        int a = d->joints[i].body[0], b = d->joints[i].body[1];
        w->joint_of[b] = i, w->next[b] = w->first[a], w->first[a] = b;
    }
    for (int child = w->first[JN_GROUND]; child; child = w->next[child]) put_body(w, 0, child, JN_GROUND, 0);
    put(t, "</worldbody></mujoco>");
}

static mjModel *load(writer *w) {
    char name[32], error[512] = "";
    mjVFS *vfs = malloc(sizeof *vfs);
    mj_defaultVFS(vfs);
    for (int i = 0; i < w->files; i++) {
        snprintf(name, sizeof name, "%d.xml", i);
        peer_mujoco_add(vfs, name, w->file[i].at, w->file[i].length);
    }
    mjModel *m = mj_loadXML("0.xml", vfs, error, sizeof error);
    if (!m) printf("mujoco: %s\n", error);
    mj_deleteVFS(vfs);
    free(vfs);
    return m;
}

static int *numbers(size_t count) { return calloc(count, sizeof(int)); }

static void *create(const jn_description *d, double step) {
    size_t n = (size_t)d->body_count;
    if (n > (size_t)MAX_NESTING * (MAX_FILES - 1)) return NULL;
    writer w = {.d = d, .joint_of = numbers(n), .first = numbers(n), .next = numbers(n), .order = numbers(n)};
    put_model(&w, step);
    mujoco *it = calloc(1, sizeof *it);
    *it = (mujoco){.m = load(&w), .order = w.order, .joints = w.joints, .free_base = is_free(&w, 1)};
    for (int i = 0; i < w.files; i++) free(w.file[i].at);
    free(w.joint_of), free(w.first), free(w.next);
    if (!it->m) return free(it->order), free(it), NULL;
    it->d = mj_makeData(it->m);
    it->nv = it->m->nv;
    it->q = calloc((size_t)it->m->nq, sizeof(double)), it->u = calloc((size_t)it->nv, sizeof(double));
    it->q_of = numbers((size_t)it->m->nq), it->u_of = numbers((size_t)it->nv);
    return it;
}

static void destroy(void *it) {
    mujoco *p = it;
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    free(p->q), free(p->u), free(p->q_of), free(p->u_of), free(p->order), free(p);
}

static void reset(void *it) {
    mujoco *p = it;
    memcpy(p->d->qpos, p->q, (size_t)p->m->nq * sizeof(double));
    memcpy(p->d->qvel, p->u, (size_t)p->nv * sizeof(double));
}

static void find_order(mujoco *p, const jn_model *m) {
    for (int i = 0, q = 0, u = 0; i < p->joints; i++) {
        int joint = p->order[i];
        for (int k = 0; k < jn_model_joint_nq(m, joint); k++) p->q_of[q++] = jn_model_joint_q_index(m, joint) + k;
        for (int k = 0; k < jn_model_joint_nv(m, joint); k++) p->u_of[u++] = jn_model_joint_u_index(m, joint) + k;
    }
}

/* A free body's position is absolute there, and its angular velocity in body axes; here in world axes. */
static void set(void *it, const jn_model *m, const jn_work *w, const jn_state *s) {
    mujoco *p = it;
    find_order(p, m);
    for (int i = 0; i < p->m->nq; i++) p->q[i] = s->q[p->q_of[i]];
    for (int i = 0; i < p->nv; i++) p->u[i] = s->u[p->u_of[i]];
    if (p->free_base) {
        jn_body_motion b;
        jn_body_motion_get(m, w, 1, &b);
        jn_quat e = b.orientation;
        double q[7] = {b.position.x, b.position.y, b.position.z, e.w, e.x, e.y, e.z};
        double world[3] = {p->u[3], p->u[4], p->u[5]};
        memcpy(p->q, q, sizeof q);
        mju_quat2Mat(p->R, q + 3);
        mju_mulMatTVec(p->u + 3, p->R, world, 3, 3);
    }
    reset(p);
}

static void accelerations(void *it, const double *tau, double *a) {
    mujoco *p = it;
    double *force = p->d->qfrc_applied, *qacc = p->d->qacc, turned[3];
    for (int i = 0; i < p->nv; i++) force[i] = tau[p->u_of[i]];
    if (p->free_base) mju_mulMatTVec(turned, p->R, force + 3, 3, 3), memcpy(force + 3, turned, sizeof turned);
    mj_forward(p->m, p->d);
    for (int i = 0; i < p->nv; i++) a[p->u_of[i]] = qacc[i];
    if (p->free_base) mju_mulMatVec(a + p->u_of[3], p->R, qacc + 3, 3, 3);
}

static void position(mujoco *p) {
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
}

static void rnea(void *it) {
    mujoco *p = it;
    position(p);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 1, p->d->qfrc_inverse);
}

static void crba(void *it) {
    mujoco *p = it;
    position(p);
    mj_crb(p->m, p->d);
    mj_factorM(p->m, p->d);
}

static void forward(void *it) {
    mujoco *p = it;
    mj_forward(p->m, p->d);
}

static void step(void *it) {
    mujoco *p = it;
    mj_step(p->m, p->d);
}

const peer peer_mujoco = {"MuJoCo", create, destroy, set, accelerations, rnea, forward, crba, step, reset};
