/* Robots from their own files on a floor: time of a step with contacts, ours and MuJoCo's on the same text in the same run.
 *
 * Both fall and settle first, which gives the mean of a step in motion; a step at rest is then the best of many batches. Ours is timed as
 * it is by default (implicit midpoint rule, to round-off) and with one evaluation per step, which is what MuJoCo's Euler step does.
 * What counts besides time: the largest residual of the contact problem and the deepest penetration. */
#include "bench.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_MUJOCO
#include <mujoco/mujoco.h>
#endif

enum { ROOM = 1 << 20, COPIES = 22, CHAIN = 100 };
static const double settle = 2; /* [s] */
static const double limit = 60; /* [s] of the clock: what has not settled then is left out */

typedef struct robot {
    const char *scene;
    int size;
    char *text;        /* MJCF or URDF for us */
    char *text_mujoco; /* MJCF for MuJoCo */
    const char *floor; /* import.floor, or NULL */
    double step;
} robot;

/* -------------------------------------------------------------------------------------------------------------- texts */

static char *load(const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/../shared/reference/robots/%s", JN_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(ROOM, 1);
    size_t n = fread(text, 1, ROOM - 1, file);
    fclose(file);
    text[n] = 0;
    return text;
}

static void insert(char *text, const char *after, const char *what) {
    char *at = strstr(text, after);
    if (!at) bench_give_up("robots", "a file is not as expected");
    at += strlen(after);
    memmove(at + strlen(what), at, strlen(at) + 1);
    memcpy(at, what, strlen(what));
}

static void cut(char *text, const char *from, const char *to) {
    for (char *p; (p = strstr(text, from));) {
        char *end = strstr(p, to);
        memmove(p, end + strlen(to), strlen(end + strlen(to)) + 1);
    }
}

/* n humanoids in rows over one floor, without tendons, motors and states. */
static char *humanoids(int n) {
    char *all = load("humanoid.xml"), *out = all ? calloc(8 * ROOM, 1) : NULL;
    if (!out) return NULL;
    cut(all, "<light", "/>");
    char *body = strstr(all, "<body name=\"torso\""), *end = strstr(all, "</worldbody>");
    size_t used = (size_t)(body - all);
    memcpy(out, all, used);
    for (int k = 0; k < n; k++) {
        used += (size_t)sprintf(out + used, "<body name=\"torso_%d\" pos=\"%d %d 1.282\" childclass=\"body\">", k,
                                2 * (k % 5), 2 * (k / 5));
        for (const char *p = strchr(body, '>') + 1; p < end; p++) {
            out[used++] = *p;
            if (*p == ' ' && !strncmp(p + 1, "name=\"", 6)) {
                used += (size_t)sprintf(out + used, "name=\"h%d_", k);
                p += 6;
            }
        }
    }
    used += (size_t)sprintf(out + used, "</worldbody>\n<size nconmax=\"%d\" njmax=\"%d\"/>\n<contact>\n", 50 * n + 50,
                            200 * n + 300);
    for (int k = 0; k < n; k++)
        for (int side = 0; side < 2; side++)
            used += (size_t)sprintf(out + used, "<exclude body1=\"h%d_waist_lower\" body2=\"h%d_thigh_%s\"/>\n", k, k,
                                    side ? "left" : "right");
    sprintf(out + used, "</contact></mujoco>\n");
    free(all);
    return out;
}

/* n bodies on hinges whose axes alternate, hung up at one end and drawn level; nothing touches. URDF, because MuJoCo reads no XML
 * that is nested so deep. */
static char *chain(int n) {
    char *out = calloc(ROOM, 1);
    size_t used = (size_t)sprintf(out, "<robot name=\"chain\"><link name=\"world\"/>");
    for (int k = 0; k < n; k++)
        used +=
            (size_t)sprintf(out + used,
                            "<link name=\"b%d\"><inertial><origin xyz=\"0.05 0 0\"/><mass value=\"0.15\"/><inertia "
                            "ixx=\"3e-5\" iyy=\"2e-4\" izz=\"2e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
                            "<joint name=\"j%d\" type=\"continuous\"><parent link=\"%s%.0d\"/><child link=\"b%d\"/>"
                            "<origin xyz=\"%g 0 0\"/><axis xyz=\"%s\"/><dynamics damping=\"0.001\"/></joint>",
                            k, k,
                            k > 1 ? "b"
                            : k   ? "b0"
                                  : "world",
                            k > 1 ? k - 1 : 0, k, k ? 0.1 : 0.0, k % 2 ? "0 0 1" : "0 1 0");
    sprintf(out + used, "</robot>\n");
    return out;
}

static char *ant(void) {
    char *text = load("ant.xml");
    if (!text) return NULL;
    insert(text, "<worldbody>", "<geom type=\"plane\" size=\"50 50 1\" conaffinity=\"1\" density=\"1000\"/>");
    insert(text, "<body name=\"torso\" pos=\"0 0 0.75\">", "<freejoint/>");
    return text;
}

static char *anymal(void) {
    char *text = load("anymal_b.urdf");
    if (!text) return NULL;
    cut(text, "<visual>", "</visual>");
    insert(text, "xmlns:xacro=\"http://www.ros.org/wiki/xacro\">",
           "<mujoco><compiler fusestatic=\"false\" discardvisual=\"true\" balanceinertia=\"true\"/></mujoco><link "
           "name=\"world\"/>"
           "<joint name=\"root\" type=\"floating\"><origin xyz=\"0 0 0.7\"/><parent link=\"world\"/><child "
           "link=\"base\"/></joint>");
    return text;
}

/* --------------------------------------------------------------------------------------------------------------- ours */

static void step_once(void *context) { jn_sim_step(context, 1e9); }

static int contacts_of(jn_sim *sim) { /* points that touch, and stops that are reached */
    const double *slot = jn_sim_state(sim)->slot;
    int n = 0;
    while (slot[JN_SLOT * n] != 0) n++;
    return n;
}

static void run_ours(const robot *r, bool once) {
    char step[40];
    jn_report report = {0};
    snprintf(step, sizeof step, "%.15g", r->step);
    jn_setting settings[6] = {{"import.lenient", "true"}, {"run.step", step}, {"run.method", "nonsmooth"}};
    int count = 3;
    if (r->floor) settings[count++] = (jn_setting){"import.floor", r->floor};
    if (once) settings[count++] = (jn_setting){"run.iterations", "1"};
    jn_description *d = jn_description_parse(r->text, strlen(r->text), "robot.xml", settings, count, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    if (!sim) bench_give_up(r->scene, report.errors ? report.item[0].text : "out of memory");
    double begin = bench_now(), busy = bench_processor();
    while (jn_sim_state(sim)->t < settle && bench_now() - begin < limit)
        if (jn_sim_step(sim, settle) < 0) bench_give_up(r->scene, "it breaks off");
    if (jn_sim_state(sim)->t < settle) {
        printf("%s x %d%s: not settled after %g s of the clock, %ld contact problems stay unsolved\n", r->scene,
               r->size, once ? ", one evaluation per step" : "", limit, jn_sim_audit(sim)->unsolved);
        jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
        return;
    }
    busy = bench_processor() - busy;
    double us = INFINITY, fall = 1e6 * busy / (double)jn_sim_audit(sim)->steps;
    for (int n = 0; n < 3; n++) us = fmin(us, bench_microseconds(step_once, NULL, sim));
    const jn_audit *a = jn_sim_audit(sim);
    bench_row *row = bench_row_get(once ? "ours, one" : "ours", r->scene, r->size);
    bench_best(&row->cell[0], us);
    row->cell[1] = fall, row->cell[2] = contacts_of(sim);
    row->cell[3] = a->contact_speed_error, row->cell[4] = a->max_penetration;
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

/* ------------------------------------------------------------------------------------------------------------- MuJoCo */

#ifdef BENCH_MUJOCO
typedef struct theirs {
    mjModel *m;
    mjData *d;
} theirs;

static void step_theirs(void *context) {
    theirs *x = context;
    mj_step(x->m, x->d);
}

static mjModel *read_theirs(const char *text, const char *name) {
    char error[500] = "";
    mjVFS *vfs = malloc(sizeof *vfs);
    mj_defaultVFS(vfs);
    mj_makeEmptyFileVFS(vfs, name, (int)strlen(text));
    memcpy(vfs->filedata[0], text, strlen(text));
    mjModel *m = mj_loadXML(name, vfs, error, sizeof error);
    mj_deleteVFS(vfs);
    free(vfs);
    if (!m) printf("MuJoCo cannot read %s: %s\n", name, error);
    return m;
}

static void run_theirs(const robot *r) {
    theirs x = {.m = read_theirs(r->text_mujoco, strstr(r->text_mujoco, "<robot") ? "robot.urdf" : "robot.xml")};
    if (!x.m) return;
    x.m->opt.timestep = r->step, x.m->opt.integrator = mjINT_EULER;
    x.d = mj_makeData(x.m);
    double busy = bench_processor();
    int steps = 0;
    for (; x.d->time < settle; steps++) mj_step(x.m, x.d);
    busy = bench_processor() - busy;
    double us = INFINITY, deep = 0;
    for (int n = 0; n < 3; n++) us = fmin(us, bench_microseconds(step_theirs, NULL, &x));
    for (int i = 0; i < x.d->ncon; i++) deep = fmax(deep, -x.d->contact[i].dist);
    bench_row *row = bench_row_get("MuJoCo", r->scene, r->size);
    bench_best(&row->cell[0], us);
    row->cell[1] = 1e6 * busy / steps, row->cell[2] = x.d->ncon, row->cell[4] = deep;
    mj_deleteData(x.d), mj_deleteModel(x.m);
}

/* URDF through MuJoCo's own reader, and a floor below it. */
static char *as_mjcf(const char *urdf) {
    char error[500] = "", *text = calloc(ROOM, 1), name[] = "/tmp/jounce_bench_XXXXXX";
    mjModel *m = read_theirs(urdf, "robot.urdf");
    int handle = m ? mkstemp(name) : -1;
    if (handle < 0 || !mj_saveLastXML(name, m, error, sizeof error)) return NULL;
    FILE *file = fdopen(handle, "rb");
    size_t n = fread(text, 1, ROOM - 1, file);
    text[n] = 0;
    fclose(file);
    remove(name);
    mj_deleteModel(m);
    insert(text, "<worldbody>", "<geom type=\"plane\" size=\"50 50 1\"/>");
    return text;
}
#endif

int main(int argc, char **argv) {
    static const char *const columns[] = {"us per step", "in motion", "contacts", "residual", "penetration"};
    bench_begin(argc, argv, "robots");
    robot list[] = {{"humanoid", 1, humanoids(1), NULL, NULL, 0.005},
                    {"humanoid", COPIES, humanoids(COPIES), NULL, NULL, 0.005},
                    {"ant", 1, ant(), NULL, NULL, 0.01},
                    {"anymal", 1, anymal(), NULL, "0", 0.002},
                    {"chain", CHAIN, chain(CHAIN), NULL, NULL, 0.002}};
    if (!list[0].text) {
        printf("skipped: no ../shared/reference\n");
        return 0;
    }
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        list[k].text_mujoco = list[k].text;
#ifdef BENCH_MUJOCO
        if (list[k].floor) list[k].text_mujoco = as_mjcf(list[k].text);
        if (list[k].text_mujoco) run_theirs(&list[k]);
#endif
        run_ours(&list[k], true);
        run_ours(&list[k], false);
    }
#ifndef BENCH_MUJOCO
    printf("MuJoCo was not found (tools/setup.sh --peers)\n");
#endif
    bench_print("Robots on a floor", columns, 5, 0, "us");
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        if (list[k].text_mujoco != list[k].text) free(list[k].text_mujoco);
        free(list[k].text);
    }
    return bench_end();
}
