/* Bodies that slide without friction round something that is fixed and round: their contact force falls smoothly to zero, as the closed form says, and they leave within the step in which it does. How far
 * a gap is bent by such a way has nothing to do with how bodies turn: round-off of turns must not decide it. And what bounces has impacts, and no separations beside them, as by method impact. */
#include "rigid.h"
#include <string.h>

static const double g = 9.81;

typedef struct events {
    int count, contacts, separations, impacts;
    double parted; /* [s] */
} events;

static void note(void *context, const jn_event *e) {
    events *n = context;
    n->count++;
    n->contacts += !strcmp(e->kind, "contact"), n->impacts += !strcmp(e->kind, "impact");
    if (!strcmp(e->kind, "separation")) n->separations++, n->parted = e->time;
}

static double random_between(unsigned long long *seed, double least, double most) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return least + (most - least) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* [s] from rest at the angle a, at the distance R from the middle, to where w^2 R = g cos: 2/3 of cos a. By s = sqrt(angle - a), in which nothing is singular. */
static double time_of_parting(double R, double a) {
    enum { PARTS = 2000 };
    double end = sqrt(acos(2 * cos(a) / 3) - a), sum = 0;
    for (int k = 0; k <= PARTS; k++) {
        double s = end * k / PARTS, fall = s > 0 ? cos(a) - cos(a + s * s) : 0;
        double f = s > 0 ? 2 * s / sqrt(2 * g / R * fall) : 2 / sqrt(2 * g / R * sin(a));
        sum += f * (k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2);
    }
    return sum * end / PARTS / 3;
}

/* A ball on a sphere or on a cylinder that lies, or a disc on a disc, from rest at the angle a. */
static void write_scene(char *text, size_t size, int kind, double R, double r, double a, double step) {
    static const char *ground[] = {"sphere, radius: 1",
                                   "cylinder, radius: 1, length: 4, orientation: {axis: [1, 0, 0], angle: 90 deg}",
                                   "circle, radius: 1"};
    double x = R * sin(a), z = R * cos(a);
    char at[96];
    snprintf(at, sizeof at, kind == 2 ? "[%.17g, %.17g]" : "[%.17g, 0, %.17g]", x, z);
    snprintf(text, size,
             "%sgravity: %s\nbodies:\n  ground: {shape: {type: %s}}\n  ball: {mass: 2, shape: {type: %s, radius: "
             "%.17g}, at: %s}\n"
             "contacts: {all: {friction: 0, restitution: 0}}\nrun: {method: nonsmooth, step: %.17g, until: 3}\n",
             kind == 2 ? "plane: xy\n" : "", kind == 2 ? "[0, -9.81]" : "[0, 0, -9.81]", ground[kind],
             kind == 2 ? "circle" : "sphere", r, at, step);
}

/* Until shortly before the body leaves: largest error of its force, over what that changes by in a step, and largest turn that its shown velocity has, over its speed on its radius. */
typedef struct errors {
    double force, turn;
} errors;

static errors find_errors(rigid *scene, int kind, double R, double a, double step, double end) {
    errors worst = {0};
    const jn_state *s = jn_sim_state(scene->sim);
    while (s->t < end - 1.5 * step) {
        jn_contact_view c;
        assert_int_equal(jn_sim_advance(scene->sim, s->t + step), JN_OK);
        assert_int_equal(jn_sim_contacts(scene->sim, &c, 1), 1);
        double angle = kind == 2 ? atan2(s->q[0], s->q[1]) : atan2(s->q[0], s->q[2]);
        double w = sqrt(fmax(0, 2 * g / R * (cos(a) - cos(angle)))), N = 2 * g * (3 * cos(angle) - 2 * cos(a)),
               change = 6 * g * sin(angle) * w * step;
        double fn = v3_dot(c.force, c.normal);
        if (s->t > 3 * step) worst.force = fmax(worst.force, fabs(fn - N) / (change + 1e-6 * g));
        double turn = kind == 2 ? fabs(s->u[2]) : v3_norm(v3(s->u[3], s->u[4], s->u[5]));
        worst.turn = fmax(worst.turn, turn * (R - 1) / (R * w));
    }
    return worst;
}

static void leaves_what_is_round(void **state) {
    (void)state;
    unsigned long long seed = 5;
    double late = 0, wrong = 0, turns = 0;
    for (int k = 0; k < 200; k++) {
        char text[1024];
        rigid scene;
        events n = {0};
        int kind = k % 3;
        double r = random_between(&seed, 0.05, 0.6), a = random_between(&seed, 0.05, 0.6),
               step = pow(10, random_between(&seed, -4, -2.6));
        double parting = time_of_parting(1 + r, a);
        write_scene(text, sizeof text, kind, 1 + r, r, a, step);
        rigid_text(&scene, text);
        jn_sim_on_event(scene.sim, note, &n);
        errors off = find_errors(&scene, kind, 1 + r, a, step, parting);
        wrong = fmax(wrong, off.force), turns = fmax(turns, off.turn);
        assert_int_equal(jn_sim_advance(scene.sim, parting + 5 * step), JN_OK);
        assert_int_equal(n.contacts, 1);
        assert_int_equal(n.separations, 1);
        assert_int_equal(n.count, 2);
        late = fmax(late, fabs(n.parted - parting) / step);
        rigid_close(&scene);
    }
    print_message("200 bodies leave at most %.2f steps off; forces are those of at most %.2f steps before; turns of %.1e of their speed\n", late,
                  wrong, turns);
    assert_below(turns, 1e-9);
    assert_below(late, 1);
    assert_below(wrong, 1.1);
}

static void bounces_are_impacts(void **state) {
    (void)state;
    static const char *const method[] = {"nonsmooth", "impact"};
    events n[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        char text[512];
        rigid scene;
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane}}\n  ball: {mass: 1, shape: {type: sphere, radius: 0.1}, at: "
                 "[0, 0, 0.3]}\n"
                 "contacts: {all: {friction: 0.3, restitution: 0.8}}\nrun: {method: %s, step: 1 ms, until: 1}\n",
                 method[k]);
        rigid_text(&scene, text);
        jn_sim_on_event(scene.sim, note, &n[k]);
        assert_int_equal(jn_sim_advance(scene.sim, 1), JN_OK);
        rigid_close(&scene);
    }
    assert_true(n[0].impacts >= 3);
    assert_int_equal(n[0].impacts, n[1].impacts);
    assert_int_equal(n[0].count, n[0].impacts);
    assert_int_equal(n[1].count, n[1].impacts);
}

static void keep_first(void *context, const jn_event *e) {
    jn_event *first = context;
    if (!first->kind) *first = *e;
}

/* A body that stands has come with no speed: what forces do in half a step is none. */
static void standing_is_no_approach(void **state) {
    (void)state;
    rigid scene;
    jn_event first = {0};
    rigid_text(&scene,
               "bodies:\n  ground: {shape: {type: plane}}\n  ball: {mass: 1, shape: {type: sphere, radius: 0.1}, at: "
               "[0, 0, 0.1]}\n"
               "contacts: {all: {friction: 0.3, restitution: 0.5}}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n");
    jn_sim_on_event(scene.sim, keep_first, &first);
    assert_int_equal(jn_sim_advance(scene.sim, 0.01), JN_OK);
    assert_string_equal(first.kind, "contact");
    assert_near(first.speed_before, 0, 1e-15);
    assert_near(first.speed_after, 0, 1e-15);
    rigid_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_what_is_round), cmocka_unit_test(bounces_are_impacts),
                                       cmocka_unit_test(standing_is_no_approach)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
