/* Velocities that the leapfrog shows at nodes, against the places before and after these: they lie between the velocities of both segments, also where friction ends a slip,
 * in piles at rest, and after impacts. */
#include "rigid.h"
#include "scenes.h"

static const double gravity = 9.81;

/* Places of the centres of all bodies at the last three nodes, and the velocities shown at the middle one. */
typedef struct places {
    jn_vec3 x[3], v;
} places;

/* How far a number lies outside of the range between two others. */
static double outside(double x, double a, double b) { return fmax(0, fmax(fmin(a, b) - x, x - fmax(a, b))); }

/* [m/s] how far the velocity shown at the middle node lies outside of those on both segments. */
static double off_by(const places *p, double h) {
    double x = outside(p->v.x, (p->x[1].x - p->x[0].x) / h, (p->x[2].x - p->x[1].x) / h);
    double y = outside(p->v.y, (p->x[1].y - p->x[0].y) / h, (p->x[2].y - p->x[1].y) / h);
    double z = outside(p->v.z, (p->x[1].z - p->x[0].z) / h, (p->x[2].z - p->x[1].z) / h);
    return fmax(x, fmax(y, z));
}

/* Steps on. body: the first of `count`. */
static void follow(rigid *r, double h, int body, int count, places *p) {
    assert_true(jn_sim_advance(r->sim, jn_sim_state(r->sim)->t + h) >= 0);
    for (int i = 0; i < count; i++) {
        jn_body_motion b = rigid_body(r, body + i);
        p[i].x[0] = p[i].x[1], p[i].x[1] = p[i].x[2], p[i].x[2] = b.position;
    }
}

static void take_velocities(rigid *r, int body, int count, places *p) {
    for (int i = 0; i < count; i++) p[i].v = rigid_body(r, body + i).velocity;
}

/* Balls that roll slowly over each other, some of them slipping at a hair's breadth: what gravity does in half a step is seen nowhere. */
static void a_quiet_pile_is_quiet(void **state) {
    (void)state;
    enum { BALLS = 60, STEPS = 200 };
    const double h = 2e-3;
    static places p[BALLS];
    jn_description *d = scene_spheres_in_box(BALLS, 0.05, 0.5);
    jn_contact_desc c = jn_contact_default("all");
    jn_report report = {0};
    rigid r;
    c.restitution = 0.2, c.friction = 0.3;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = h, d->run.sleep = false;
    rigid_begin(&r, jn_model_compile(d, &report), &report);
    jn_description_free(d);
    rigid_go(&r, 1.4);
    double sum = 0;
    int count = 0, far = 0;
    for (int k = 0; k < STEPS; k++) {
        follow(&r, h, 1, BALLS, p);
        for (int i = 0; i < BALLS && k > 2; i++) {
            double off = off_by(&p[i], h);
            bool jolted = off > 0.1 * gravity * h; /* by a hop somewhere in the pile, of which each path has others */
            sum += jolted ? 0 : off * off, far += jolted, count++;
        }
        take_velocities(&r, 1, BALLS, p);
    }
    print_message("shown velocities of %d balls, %d nodes: off by %.1e m/s in the root mean square but for %d of %d that are off by more than a tenth of g h\n", BALLS, STEPS, sqrt(sum / count), far,
                  count);
    assert_below(sqrt(sum / count), 2e-4);
    assert_below(far, 0.01 * count);
    rigid_close(&r);
}

/* A ball strikes a plate that lies on the floor, on its side: the plate does not seem to fall. */
static void a_struck_plate_lies(void **state) {
    (void)state;
    const double h = 1e-3;
    places p[1] = {0};
    rigid r;
    rigid_text(&r, "bodies:\n  ground: {shape: {type: plane, at: [0, 0, 0]}}\n"
                   "  plate: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.03], shape: {type: box, size: [0.2, 0.2, 0.06], at: [0, 0, 0.03]}}\n"
                   "  ball: {mass: 0.05, inertia: [1e-5, 1e-5, 1e-5], com: [-0.13, 0, 0.03], velocity: [2, 0, 0], shape: {type: sphere, radius: 0.02, at: [-0.13, 0, 0.03]}}\n"
                   "contacts: {all: {friction: 0.3, restitution: 0.2}}\n"
                   "run: {method: nonsmooth, step: 1 ms, until: 0.1}\n");
    double worst = 0, fastest = 0;
    for (int k = 0; k < 100; k++) {
        follow(&r, h, 1, 1, p);
        if (k > 2) worst = fmax(worst, off_by(p, h));
        take_velocities(&r, 1, 1, p);
        fastest = fmax(fastest, p->v.x);
    }
    print_message("struck plate: off by %.1e m/s at most, moves with up to %.3f m/s\n", worst, fastest);
    assert_true(fastest > 0.05);
    assert_below(worst, 0.1 * gravity * h);
    rigid_close(&r);
}

/* A crumb of 1 g bounces on a base of 60 kg whose arm falls: neither of them notices. The arm is compared with the mean of both segments. */
static void a_crumb_jolts_nothing(void **state) {
    (void)state;
    const double h = 1e-3;
    rigid r;
    rigid_text(&r, "bodies:\n  ground: {shape: {type: plane, at: [0, 0, 0]}}\n"
                   "  base: {mass: 60, inertia: [2, 2, 2], com: [0, 0, 0.1], shape: {type: box, size: [0.4, 0.4, 0.2], at: [0, 0, 0.1]}}\n"
                   "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0.2, 0.4, 0.6]}\n"
                   "  crumb: {mass: 1 g, inertia: [1e-8, 1e-8, 1e-8], com: [-0.1, 0, 0.25], shape: {type: sphere, radius: 5 mm, at: [-0.1, 0, 0.25]}}\n"
                   "joints: {shoulder: {type: revolute, between: [base, arm], at: [0, 0.4, 0.6], axis: [0, 1, 0]}}\n"
                   "contacts: {all: {friction: 0.5, restitution: 0.8}}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n");
    places p[1] = {0};
    double worst = 0, off = 0, q[3] = {0}, rate = 0;
    for (int k = 0; k < 600; k++) {
        follow(&r, h, 1, 1, p);
        q[0] = q[1], q[1] = q[2], q[2] = jn_sim_state(r.sim)->q[7];
        if (k > 2) worst = fmax(worst, off_by(p, h)), off = fmax(off, fabs(rate - (q[2] - q[0]) / (2 * h)));
        take_velocities(&r, 1, 1, p), rate = jn_sim_state(r.sim)->u[6];
    }
    print_message("base under a crumb: off by %.1e m/s, its arm by %.1e rad/s, %d impacts\n", worst, off, r.impacts);
    assert_true(r.impacts > 5);
    assert_below(worst, 0.01 * gravity * h);
    assert_below(off, 1e-3);
    rigid_close(&r);
}

/* A block slides to rest on a level floor and up a slope, on four corners. */
static void slides_end_without_a_jerk(void **state) {
    (void)state;
    static const double slopes[] = {0, 0.15};
    const double h = 1e-3;
    for (int n = 0; n < 2; n++) {
        places p[1] = {0};
        rigid r;
        char text[640];
        snprintf(text, sizeof text,
                 "gravity: [%.17g, 0, %.17g]\nbodies:\n  ground: {shape: {type: plane, at: [0, 0, 0]}}\n"
                 "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.02], velocity: [0.5, 0, 0], shape: {type: box, size: [0.2, 0.2, 0.04], at: [0, 0, 0.02]}}\n"
                 "contacts: {all: {friction: 0.4}}\nrun: {method: nonsmooth, step: 1 ms, until: 0.5, sleep: false}\n",
                 -gravity * sin(slopes[n]), -gravity * cos(slopes[n]));
        rigid_text(&r, text);
        double worst = 0;
        for (int k = 0; k < 400; k++) {
            follow(&r, h, 1, 1, p);
            if (k > 2) worst = fmax(worst, off_by(p, h));
            take_velocities(&r, 1, 1, p);
        }
        print_message("slope %.2f: off by %.1e m/s at most\n", slopes[n], worst);
        assert_below(worst, (n ? 0.1 : 1e-3) * gravity * h);
        rigid_close(&r);
    }
}

/* Balls in a row that springs press together, without gravity: they stay, and nothing else is seen at any node. */
static void what_floats_is_quiet(void **state) {
    (void)state;
    for (int balls = 3; balls <= 5; balls++) {
        rigid r;
        char text[4096] = "gravity: [0, 0, 0]\nbodies:\n";
        for (int k = 0; k < balls; k++)
            snprintf(text + strlen(text), 256, "  b%d: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], com: [%g, 0, 0], shape: {type: sphere, radius: 0.05, at: [%g, 0, 0]}}\n", k, 0.1 * k, 0.1 * k);
        strcat(text, "forces:\n");
        for (int k = 0; k < balls; k++)
            snprintf(text + strlen(text), 256, "  f%d: {type: force, body: b%d, at: [%g, 0, 0], force: [\"-20*(body.b%d.x - %g)\", 0, 0]}\n", k, k, 0.1 * k, k, 0.05 * (balls - 1));
        strcat(text, "contacts: {all: {friction: 0.3, restitution: 0.2}}\nrun: {method: nonsmooth, step: 2 ms, until: 1}\n");
        rigid_text(&r, text);
        double fastest = 0;
        for (int n = 1; n <= 200; n++) {
            assert_int_equal(jn_sim_advance(r.sim, 2e-3 * n), JN_OK);
            for (int k = 0; k < jn_model_nv(r.m); k++) fastest = fmax(fastest, fabs(jn_sim_state(r.sim)->u[k]));
        }
        assert_below(fastest, 1e-6); /* the residual */
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_floats_is_quiet), cmocka_unit_test(a_quiet_pile_is_quiet), cmocka_unit_test(a_struck_plate_lies), cmocka_unit_test(a_crumb_jolts_nothing),
                                       cmocka_unit_test(slides_end_without_a_jerk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
