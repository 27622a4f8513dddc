/* The scenes of SimBenchmark and their errors: see simbenchmark.h. */
#include "simbenchmark.h"
#include "scenes.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double g = 9.81;                     /* [m/s^2] */
static const double ball_mass = 10, radius = 0.1; /* of the elastic balls: [kg], [m] */

static const struct {
    const char *name;
    double time; /* [s] measured */
    bool robot;
} tests[SIMBENCHMARK_TESTS] = {{"ANYmal momentum", 10, true}, {"ANYmal energy", 2, true},
                               {"bouncing", 20, false},       {"elastic 666", 10, false},
                               {"rolling", 4, false},         {"rolling, diagonal", 4, false}};

const char *simbenchmark_name(simbenchmark_test test) { return tests[test].name; }
double simbenchmark_time(simbenchmark_test test) { return tests[test].time; }
bool simbenchmark_needs_robot(simbenchmark_test test) { return tests[test].robot; }

/* ------------------------------------------------------------------------------------------------------------- scenes */

static int add_body(jn_description *d, const char *name, double mass, jn_vec3 com, jn_vec3 J, jn_shape_type type,
                    jn_vec3 size) {
    jn_body_desc b = jn_body_default(name);
    jn_shape_desc s = jn_shape_default(type);
    b.mass = mass, b.com = com, b.inertia.xx = J.x, b.inertia.yy = J.y, b.inertia.zz = J.z;
    s.size = size, s.at = com;
    int body = jn_description_add_body(d, &b);
    jn_description_add_shape(d, body, &s);
    return body;
}

static int add_ball(jn_description *d, const char *name, double mass, double r, jn_vec3 com) {
    double J = 0.4 * mass * r * r;
    return add_body(d, name, mass, com, (jn_vec3){J, J, J}, JN_SHAPE_SPHERE, (jn_vec3){r, 0, 0});
}

static void add_floor(jn_description *d) {
    jn_shape_desc plane = jn_shape_default(JN_SHAPE_PLANE);
    jn_description_add_shape(d, JN_GROUND, &plane);
}

static void add_law(jn_description *d, const char *name, double restitution, double friction) {
    jn_contact_desc c = jn_contact_default(name);
    c.restitution = restitution;
    if (friction > 0) c.friction = friction;
    jn_description_add_contact(d, &c);
}

/* ANYmal with its base at (0, 0, 2) m: no limits, damping, friction; its shapes do not touch each other. */
static jn_description *read_robot(const char *file, jn_report *report) {
    static const struct {
        const char *end;
        double angle;
    } pose[] = {{"LF_HAA", 0.03}, {"LF_HFE", 0.4},   {"LF_KFE", -0.8}, {"RF_HAA", -0.03},
                {"RF_HFE", 0.4},  {"RF_KFE", -0.8},  {"LH_HAA", 0.03}, {"LH_HFE", -0.4},
                {"LH_KFE", 0.8},  {"RH_HAA", -0.03}, {"RH_HFE", -0.4}, {"RH_KFE", 0.8}};
    char text[1024];
    snprintf(text, sizeof text, "robots:\n  anymal: {file: '%s', at: [0, 0, 2], lenient: true}\n", file);
    jn_description *d = jn_description_parse(text, strlen(text), "simbenchmark.yaml", NULL, 0, report);
    for (int i = 0; d && i < d->joint_count; i++) {
        jn_coordinate_desc *c = &d->joints[i].coordinate[0];
        if (d->joints[i].type != JN_JOINT_REVOLUTE) continue;
        c->has_lower = c->has_upper = false;
        c->damping = c->friction = 0;
        for (size_t k = 0; k < sizeof pose / sizeof *pose; k++)
            if (strstr(d->joints[i].name, pose[k].end)) c->has_position = true, c->position = pose[k].angle;
    }
    for (int i = 0; d && i < d->shape_count; i++) d->shapes[i].group = "robot", d->shapes[i].contact = NULL;
    if (d) d->contact_count = 0;
    return d;
}

static jn_description *momentum_scene(const char *robot, jn_report *report) {
    jn_description *d = read_robot(robot, report);
    if (!d) return NULL;
    int ball = add_ball(d, "ball", 10, 0.2, (jn_vec3){0, -5, 2});
    d->bodies[ball].has_velocity = true, d->bodies[ball].velocity = (jn_vec3){0, 5, 0};
    d->gravity = (jn_vec3){0, 0, 0};
    add_law(d, "plastic", 0, 0);
    return d;
}

static jn_description *energy_scene(const char *robot, jn_report *report) {
    jn_description *d = read_robot(robot, report);
    if (!d) return NULL;
    d->gravity = (jn_vec3){0, 0, -g};
    add_law(d, "plastic", 0, 0);
    return d;
}

/* nx x ny x nz elastic balls at a pitch over a floor; their places are disturbed by up to `random` in each direction. */
static jn_description *elastic_scene(const int n[3], double pitch, double height, double random) {
    jn_description *d = jn_description_create();
    uint64_t seed = 42;
    add_floor(d);
    for (int i = 0, count = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) {
                char name[32];
                double at[3] = {pitch * i, pitch * j, pitch * k + height};
                for (int x = 0; x < 3; x++) at[x] += 0.5 * random * (1 + scene_random(&seed));
                snprintf(name, sizeof name, "ball_%d", ++count);
                add_ball(d, name, ball_mass, radius, (jn_vec3){at[0], at[1], at[2]});
            }
    d->gravity = (jn_vec3){0, 0, -g};
    add_law(d, "elastic", 1, 0);
    return d;
}

enum { ROLLING_BALLS = 25 };
static const double box_mass = 10, rolling_mass = 1, pull = 150; /* [kg], [kg], [N] */

static jn_vec3 rolling_direction(simbenchmark_test test) {
    return test == SIMBENCHMARK_ROLLING ? (jn_vec3){0, 1, 0} : (jn_vec3){0.5, sqrt(0.75), 0};
}

static jn_description *rolling_scene(jn_vec3 along, jn_report *report) {
    jn_description *d = jn_description_create();
    add_floor(d);
    double thick = box_mass * (400.0 + 1) / 12, flat = box_mass * (400.0 + 400) / 12;
    int box = add_body(d, "box", box_mass, (jn_vec3){0, 0, 0.5}, (jn_vec3){thick, thick, flat}, JN_SHAPE_BOX,
                       (jn_vec3){20, 20, 1});
    for (int i = 0; i < ROLLING_BALLS; i++) {
        char name[32];
        snprintf(name, sizeof name, "ball_%d", i + 1);
        add_ball(d, name, rolling_mass, 0.5, (jn_vec3){2.0 * (i / 5) - 4, 2.0 * (i % 5) - 4, 1.5});
    }
    jn_force_desc f = jn_force_default("pull", JN_FORCE_FORCE);
    double part[3] = {pull * along.x, pull * along.y, pull * along.z};
    f.body[1] = box, f.at[1] = (jn_vec3){0, 0, 0.5};
    for (int i = 0; i < 3; i++) {
        char number[40];
        snprintf(number, sizeof number, "%.17g", part[i]);
        f.component[i] = jn_description_function(d, number, report);
    }
    jn_description_add_force(d, &f);
    d->gravity = (jn_vec3){0, 0, -g};
    add_law(d, "balls", 0, 0.8);
    jn_contact_desc c = jn_contact_default("sole");
    c.is_pair = true, c.body[0] = JN_GROUND, c.body[1] = box, c.restitution = 0, c.friction = 0.4;
    jn_description_add_contact(d, &c);
    return d;
}

jn_description *simbenchmark_scene(simbenchmark_test test, const char *robot, jn_report *report) {
    static const int layer[3] = {7, 7, 1}, cube[3] = {6, 6, 6};
    switch (test) {
    case SIMBENCHMARK_MOMENTUM: return momentum_scene(robot, report);
    case SIMBENCHMARK_ENERGY: return energy_scene(robot, report);
    case SIMBENCHMARK_BOUNCING: return elastic_scene(layer, 2, 5, 0);
    case SIMBENCHMARK_ELASTIC_666: return elastic_scene(cube, 0.21, 1.101, 1e-3);
    default: return rolling_scene(rolling_direction(test), report);
    }
}

/* ------------------------------------------------------------------------------------------------------------- errors */

typedef struct measure {
    simbenchmark_test test;
    const simbenchmark_run *run;
    jn_model *m;
    jn_sim *sim;
    jn_work *w;     /* of the measurement alone */
    jn_momentum p0; /* at the start */
    double E0;      /* [J] */
    int lifted;     /* first velocity of the free base */
    double lift;    /* [N] */
    double begun;   /* [s] of the clock */
    double sum;
    simbenchmark_result *r;
} measure;

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return read_clock(CLOCK_MONOTONIC); }
static double processor(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

static bool fail(measure *x, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(x->r->text, sizeof x->r->text, format, args);
    va_end(args);
    return false;
}

/* [J] kinetic and potential, from positions and velocities. */
static double energy(measure *x) {
    jn_kinematics(x->m, x->w, jn_sim_state(x->sim));
    jn_energy e = jn_energy_get(x->m, x->w);
    return e.kinetic + e.potential;
}

static double square(jn_vec3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

/* Squared error of the velocities of box and first ball against the closed form: friction of the ground f1, of a ball f2. */
static double rolling_error(measure *x) {
    double t = jn_sim_state(x->sim)->t, n = ROLLING_BALLS, f1 = 0.4 * (box_mass + n * rolling_mass) * g;
    double f2 = (pull - f1) / box_mass / (3.5 / rolling_mass + n / box_mass);
    double speed[] = {(pull - f1 - n * f2) / box_mass * t, f2 / rolling_mass * t}, sum = 0;
    jn_vec3 along = rolling_direction(x->test);
    jn_kinematics(x->m, x->w, jn_sim_state(x->sim));
    for (int i = 0; i < 2; i++) {
        jn_body_motion b;
        jn_body_motion_get(x->m, x->w, 1 + i, &b);
        jn_vec3 v = b.velocity;
        sum += square((jn_vec3){v.x - speed[i] * along.x, v.y - speed[i] * along.y, v.z - speed[i] * along.z});
    }
    return sum;
}

static double squared_error(measure *x) {
    if (x->test == SIMBENCHMARK_MOMENTUM) {
        jn_vec3 p = jn_momentum_get(x->m, x->w, jn_sim_state(x->sim), NULL).linear, p0 = x->p0.linear;
        return square((jn_vec3){p.x - p0.x, p.y - p0.y, p.z - p0.z});
    }
    if (x->test == SIMBENCHMARK_ROLLING || x->test == SIMBENCHMARK_ROLLING_DIAGONAL) return rolling_error(x);
    double e = x->r->last = energy(x) - x->E0;
    return e * e;
}

static void lift_base(void *context, const jn_model *m, const jn_state *s, double *tau) {
    (void)m, (void)s;
    const measure *x = context;
    tau[x->lifted + 2] += x->lift;
}

/* To the time t, which lies one step ahead. */
static bool go(measure *x, double t) {
    double begin = processor();
    int status = jn_sim_advance(x->sim, t);
    x->r->steps++;
    x->r->seconds += processor() - begin;
    if (status < 0) return fail(x, "t = %g s: %.200s", jn_sim_state(x->sim)->t, jn_sim_error(x->sim)->text);
    return true;
}

/* The fall is a run of its own, from the positions and velocities at the end of the throw: no force of the throw is left in it. */
static bool throw_up(measure *x) {
    jn_report report = {0};
    jn_sim *thrown = x->sim;
    jn_sim_on_control(thrown, lift_base, x);
    long n = lround(1 / x->run->step);
    for (long k = 1; k <= n; k++)
        if (!go(x, (double)k * x->run->step)) return false;
    x->sim = jn_sim_create(x->m, &report);
    if (x->sim) {
        jn_state *s = jn_sim_state(x->sim);
        memcpy(s->q, jn_sim_state(thrown)->q, (size_t)jn_model_nq(x->m) * sizeof *s->q);
        memcpy(s->u, jn_sim_state(thrown)->u, (size_t)jn_model_nv(x->m) * sizeof *s->u);
        jn_sim_restart(x->sim);
    }
    jn_sim_free(thrown);
    return x->sim ? true : fail(x, "out of memory");
}

/* ANYmal is lifted by twice its weight for 1 s first. */
static bool prepare(measure *x) {
    if (x->test == SIMBENCHMARK_ENERGY && !throw_up(x)) return false;
    x->E0 = x->test == SIMBENCHMARK_BOUNCING ? 49 * ball_mass * g * 5 : energy(x);
    return true;
}

static bool follow(measure *x) {
    simbenchmark_result *r = x->r;
    double h = x->run->step, until = x->run->until > 0 ? x->run->until : tests[x->test].time;
    if (!prepare(x)) return false;
    long n = lround(until / h);
    for (long k = 1; k <= n; k++) {
        if (!go(x, (double)k * h)) return false;
        double e = squared_error(x);
        x->sum += e, r->worst = fmax(r->worst, e);
        r->time = (double)k * h, r->error = x->sum / (double)k;
        if (!isfinite(e)) return fail(x, "t = %g s: the state is not finite", jn_sim_state(x->sim)->t);
        if (x->run->limit > 0 && now() - x->begun > x->run->limit)
            return fail(x, "stopped at t = %g s after %.0f s of the clock", jn_sim_state(x->sim)->t, x->run->limit);
    }
    r->complete = true;
    return true;
}

static void begin(measure *x, jn_description *d, jn_report *report) {
    d->coordinates = x->run->coordinates;
    d->run = jn_run_default();
    d->run.method = x->run->method, d->run.until = 1 + tests[x->test].time;
    if (x->run->method == JN_METHOD_NONSMOOTH) d->run.step = x->run->step;
    if (x->test == SIMBENCHMARK_ENERGY) d->run.order = 6; /* beside Runge-Kutta of fourth */
    if (x->test >= SIMBENCHMARK_ROLLING) d->run.residual = 1e-12; /* round-off counts */
    x->m = jn_model_compile(d, report);
    x->sim = x->m ? jn_sim_create(x->m, report) : NULL;
    x->w = x->m ? jn_work_create(x->m) : NULL;
    if (!x->sim || !x->w) return;
    x->p0 = jn_momentum_get(x->m, x->w, jn_sim_state(x->sim), NULL);
    x->lift = 2 * x->p0.mass * g;
    for (int i = 0; i < d->joint_count; i++)
        if (d->joints[i].type == JN_JOINT_FREE && d->joints[i].body[0] == JN_GROUND)
            x->lifted = jn_model_joint_u_index(x->m, i);
}

simbenchmark_result simbenchmark_measure(simbenchmark_test test, const simbenchmark_run *run) {
    simbenchmark_result r = {.error = NAN, .last = NAN};
    measure x = {.test = test, .run = run, .begun = now(), .r = &r};
    jn_report report = {0};
    jn_description *d = simbenchmark_scene(test, run->robot, &report);
    if (d) begin(&x, d, &report);
    if (x.sim && x.w)
        follow(&x);
    else
        fail(&x, "%.250s", report.errors ? report.item[0].text : "out of memory");
    jn_work_free(x.w);
    jn_sim_free(x.sim);
    jn_model_free(x.m);
    jn_description_free(d);
    return r;
}
