/* Robots from their own files on a floor: time of a step with contacts, ours and MuJoCo's on the same text in the same run, in turn.
 *
 * In motion: the mean of the processor's time over the first second, from the start pose through the impacts, the best of several
 * starts. At rest: the best of many
 * batches from 12 s on (a humanoid may balance on its limbs for seconds before it falls over). A time of ours counts only if the state is
 * finite and the residual of the contact problem small all the way.
 * --one times ours with one evaluation per step too; --only NAME one robot. */
#include "bench.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_MUJOCO
#include "peer_mujoco.h"
#endif

enum { ROOM = 1 << 20, COPIES = 22, CHAIN = 100, ROUNDS = 3, STARTS = 8 };
enum { MOTION, REST, CONTACTS, RESIDUAL, PENETRATION, COLUMNS };
static const double motion = 1, rest = 12; /* [s] end of the motion that is timed; begin of the rest */
static const double limit = 20;           /* [s] of the clock: what is not at rest then is left out */
static const double small = 1e-6;         /* residual of the contact problem */

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

/* The base, 1 mg, has an inertia that no body has, and which MuJoCo 3 refuses: without its products, for both programs. */
static void mend_base(char *text) {
    char *p = strstr(text, "ixy=\"1e-6\" ixz=\"1e-6\" iyy=\"1e-6\" iyz=\"1e-6\"");
    static const char fine[] = "ixy=\"0e-6\" ixz=\"0e-6\" iyy=\"1e-6\" iyz=\"0e-6\"";
    if (!p) bench_give_up("anymal", "its file is not as expected");
    memcpy(p, fine, strlen(fine));
}

static char *anymal(void) {
    char *text = load("anymal_b.urdf");
    if (!text) return NULL;
    cut(text, "<visual>", "</visual>");
    mend_base(text);
    insert(text, "xmlns:xacro=\"http://www.ros.org/wiki/xacro\">",
           "<mujoco><compiler fusestatic=\"false\" discardvisual=\"true\" balanceinertia=\"true\"/></mujoco><link "
           "name=\"world\"/>"
           "<joint name=\"root\" type=\"floating\"><origin xyz=\"0 0 0.7\"/><parent link=\"world\"/><child "
           "link=\"base\"/></joint>");
    return text;
}

/* --------------------------------------------------------------------------------------------------------------- ours */

static void step_once(void *context) { jn_sim_step(context, 1e9); }

/* Active contacts, and stops that are reached. */
static int contacts_of(jn_sim *sim) { return jn_sim_state(sim)->contact_count; }

static bool is_finite(const jn_sim *sim, const jn_state *s) {
    const jn_model *m = jn_sim_model(sim);
    for (int i = 0; i < jn_model_nq(m); i++)
        if (!isfinite(s->q[i])) return false;
    for (int i = 0; i < jn_model_nv(m); i++)
        if (!isfinite(s->u[i])) return false;
    return true;
}

/* [us] of the processor per step to the time t, or NaN where it breaks off or the clock runs out. */
static double advance(const robot *r, jn_sim *sim, double t) {
    double begin = bench_now(), busy = bench_processor();
    long steps = 0;
    for (; jn_sim_state(sim)->t < t - 1e-9; steps++) {
        if (jn_sim_step(sim, t) < 0) return bench_check(r->scene, jn_sim_error(sim)->text, 1, 0), NAN;
        if (bench_now() - begin > limit) return bench_check(r->scene, "[s] of the clock", limit, 0), NAN;
    }
    return 1e6 * (bench_processor() - busy) / (double)steps;
}

/* Times the motion and, if asked for and where the clock lets it come so far, the rest; false: it did not. */
static bool measure(const robot *r, jn_sim *sim, bool rests, bench_row *row) {
    double us = advance(r, sim, motion), at_rest = NAN;
    bool arrived = !isnan(us) && (!rests || !isnan(advance(r, sim, rest)));
    if (!arrived) printf("%s x %d: ended at t = %.3f s\n", r->scene, r->size, jn_sim_state(sim)->t);
    for (int n = 0; n < 3 && rests && arrived; n++) at_rest = fmin(at_rest, bench_microseconds(step_once, NULL, sim));
    const jn_audit *a = jn_sim_audit(sim);
    row->cell[CONTACTS] = contacts_of(sim), row->cell[RESIDUAL] = a->contact_speed_error;
    row->cell[PENETRATION] = a->max_penetration;
    bool right = bench_check(r->scene, "numbers that are not finite", !is_finite(sim, jn_sim_state(sim)), 0);
    right = bench_check(r->scene, "residual of the contact problem", a->contact_speed_error, small) && right;
    if (!right) return arrived;
    bench_best(&row->cell[MOTION], us);
    if (rests) bench_best(&row->cell[REST], at_rest);
    return arrived;
}

static bool run_ours(const robot *r, bool once) {
    char step[40];
    jn_report report = {0};
    snprintf(step, sizeof step, "%.15g", r->step);
    jn_setting settings[6] = {{"import.lenient", "true"}, {"run.step", step}, {"run.method", "nonsmooth"}};
    int count = 3;
    if (r->floor) settings[count++] = (jn_setting){"import.floor", r->floor};
    if (once) settings[count++] = (jn_setting){"run.iterations", "1"};
    jn_description *d = jn_description_parse(r->text, strlen(r->text), "robot.xml", settings, count, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    bench_row *row = bench_row_get(once ? "ours, one" : "ours", r->scene, r->size);
    bool arrived = true;
    for (int n = 0; n < STARTS && arrived; n++) {
        jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
        if (!sim) bench_give_up(r->scene, report.errors ? report.item[0].text : "out of memory");
        arrived = measure(r, sim, n == STARTS - 1, row);
        jn_sim_free(sim);
    }
    jn_model_free(m), jn_description_free(d);
    return arrived;
}

/* ------------------------------------------------------------------------------------------------------------- MuJoCo */

#ifdef BENCH_MUJOCO
typedef struct theirs {
    mjModel *m;
    mjData *d;
} theirs;

static void ignore(const char *text) { (void)text; }

static void step_theirs(void *context) {
    theirs *x = context;
    mj_step(x->m, x->d);
}

static mjModel *read_theirs(const char *text, const char *name) {
    char error[500] = "";
    mjVFS *vfs = malloc(sizeof *vfs);
    mj_defaultVFS(vfs);
    peer_mujoco_add(vfs, name, text, strlen(text));
    mjModel *m = mj_loadXML(name, vfs, error, sizeof error);
    mj_deleteVFS(vfs);
    free(vfs);
    if (!m) printf("MuJoCo cannot read %s: %s\n", name, error);
    return m;
}

static void run_theirs(const robot *r) {
    mju_user_warning = ignore; /* they are counted */
    theirs x = {.m = read_theirs(r->text_mujoco, strstr(r->text_mujoco, "<robot") ? "robot.urdf" : "robot.xml")};
    if (!x.m) return;
    x.m->opt.timestep = r->step, x.m->opt.integrator = mjINT_EULER;
    x.d = mj_makeData(x.m);
    double busy = INFINITY, us = INFINITY, deep = 0;
    long steps = lround(motion / r->step), more = lround((rest - motion) / r->step);
    for (int n = 0; n < STARTS; n++) {
        mj_resetData(x.m, x.d);
        double begin = bench_processor();
        for (long k = 0; k < steps; k++) mj_step(x.m, x.d);
        busy = fmin(busy, bench_processor() - begin);
    }
    for (long k = 0; k < more; k++) { /* by number: a state that is not finite sets its time back */
        mj_step(x.m, x.d);
        for (int i = 0; i < x.d->ncon; i++) deep = fmax(deep, -x.d->contact[i].dist);
    }
    for (int n = 0; n < 3; n++) us = fmin(us, bench_microseconds(step_theirs, NULL, &x));
    bench_row *row = bench_row_get("MuJoCo", r->scene, r->size);
    bench_best(&row->cell[REST], us);
    bench_best(&row->cell[MOTION], 1e6 * busy / (double)steps);
    row->cell[CONTACTS] = x.d->ncon, row->cell[PENETRATION] = deep;
    int unstable = x.d->warning[mjWARN_BADQACC].number + x.d->warning[mjWARN_BADQVEL].number;
    if (unstable) printf("%s x %d: MuJoCo is unstable and begins anew\n", r->scene, r->size);
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

/* --------------------------------------------------------------------------------------------------------- comparison */

static void run_robot(robot *r, bool one) {
    r->text_mujoco = r->text;
#ifdef BENCH_MUJOCO
    if (r->floor) r->text_mujoco = as_mjcf(r->text);
#endif
    bool go_on = true;
    for (int round = 0; round < ROUNDS && go_on; round++) {
#ifdef BENCH_MUJOCO
        if (r->text_mujoco) run_theirs(r);
#endif
        go_on = run_ours(r, false);
        if (one) go_on = run_ours(r, true) && go_on;
    }
}

static void compare(const robot *r) {
    const bench_row *a = bench_row_get("MuJoCo", r->scene, r->size), *b = bench_row_get("ours", r->scene, r->size);
    if (isnan(a->cell[MOTION]) || isnan(b->cell[MOTION])) return;
    double faster[] = {a->cell[MOTION] / b->cell[MOTION], a->cell[REST] / b->cell[REST]};
    printf("%s x %d: %.2f times as fast as MuJoCo in motion, %.2f at rest%s\n", r->scene, r->size, faster[0], faster[1],
           fmin(faster[0], faster[1]) < 1 ? " (*)" : "");
    bench_record(r->scene, r->size, "gain in motion", "1", faster[0]);
    bench_record(r->scene, r->size, "gain at rest", "1", faster[1]);
}

int main(int argc, char **argv) {
    static const char *const columns[] = {"in motion", "at rest", "contacts", "residual", "penetration"};
    bench_begin(argc, argv, "robots");
    const char *only = bench_argument(argc, argv, "--only");
    bool one = false;
    for (int i = 1; i < argc; i++) one = one || !strcmp(argv[i], "--one");
    robot list[] = {{"humanoid", 1, humanoids(1), NULL, NULL, 0.005},
                    {"humanoid", COPIES, humanoids(COPIES), NULL, NULL, 0.005},
                    {"ant", 1, ant(), NULL, NULL, 0.01},
                    {"anymal", 1, anymal(), NULL, "0", 0.002},
                    {"chain", CHAIN, chain(CHAIN), NULL, NULL, 0.002}};
    if (!list[0].text) {
        printf("skipped: no ../shared/reference\n");
        return 0;
    }
#ifdef BENCH_MUJOCO
    printf("MuJoCo %s\n", mj_versionString());
#else
    printf("MuJoCo was not found (tools/setup.sh --peers, or -DMUJOCO_ROOT)\n");
#endif
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        if (!only || !strcmp(only, list[k].scene)) run_robot(&list[k], one);
    bench_print("Robots on a floor [us per step]", columns, COLUMNS, 0, "us");
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        if (!only || !strcmp(only, list[k].scene)) compare(&list[k]);
        if (list[k].text_mujoco != list[k].text) free(list[k].text_mujoco);
        free(list[k].text);
    }
    return bench_end();
}
