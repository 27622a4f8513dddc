/* Contacts that close and open again within a step of the integrator, against closed forms: balls that graze a ball or an edge in flight, corners of spinning
 * bodies that graze a wall. Depths go down to 1e-9 m; what passes by as near is no impact. */
#include "scenes.h"
#include "text_model.h"

enum { SCENES = 40 };

typedef struct first_impact {
    double time, speed; /* [s], [m/s] of the first impact */
    int count;
} first_impact;

static void note_impact(void *context, const jn_event *e) {
    first_impact *f = context;
    if (strcmp(e->kind, "impact")) return;
    if (f->count++ == 0) f->time = e->time, f->speed = e->speed_before;
}

static double between(uint64_t *seed, double a, double b) { return a + (b - a) * 0.5 * (1 + scene_random(seed)); }

/* [m] how deep bodies would overlap: 1e-2 to 1e-9 of a size, every third one less than nothing. */
static double depth_of(unsigned n, uint64_t *seed) {
    double depth = pow(10, between(seed, -9, -2));
    return n % 3 == 2 ? -depth : depth;
}

static first_impact run(const char *text, double until) {
    jn_model *m;
    first_impact f = {0};
    jn_sim *sim = text_sim(text, &m);
    jn_sim_on_event(sim, note_impact, &f);
    assert_int_equal(jn_sim_advance(sim, until), JN_OK);
    if (!jn_sim_audit(sim)->ok) fail_msg("%s\n%s", jn_sim_audit(sim)->verdict, text);
    jn_sim_free(sim), jn_model_free(m);
    return f;
}

/* The impact is where the closed form has it, or there is none. A gap of depth d with the second derivative b is zero sqrt(2 d/b) before its minimum: an error of
 * 1e-14 m in lengths is one of 1e-14/sqrt(2 d b) in time. */
static void check_impact(first_impact f, double depth, double time, double speed, double bend, const char *text) {
    if (depth < 0 && f.count) fail_msg("an impact at %.9g s, %.1e m away\n%s", f.time, -depth, text);
    if (depth < 0) return;
    if (!f.count) fail_msg("no impact, %.1e m deep\n%s", depth, text);
    double late = 1e-10 + 1e-13 / fabs(speed);
    if (fabs(f.time - time) > late) fail_msg("an impact at %.12g s, not at %.12g s\n%s", f.time, time, text);
    assert_near(f.speed, speed, bend * late);
}

/* The centre of a ball is `apart` - depth from a fixed point at the top of its parabola, which is where it is nearest: v^2 > g y. With s = t^2 the distance is `apart`
 * where v^2 s + (y - g s/2)^2 = apart^2. */
static void throw_over(const char *target, const char *shape, double radius, double apart, unsigned n, uint64_t *seed) {
    char text[2000];
    double g = 9.81, depth = depth_of(n, seed) * apart, y = apart - depth, v = sqrt(g * y * between(seed, 1.5, 20));
    double before = between(seed, 0.1, 0.6) * apart / v + 0.3, a = g * g / 4, b = v * v - g * y,
           c = y * y - apart * apart;
    double s = -2 * c / (b + sqrt(b * b - 4 * a * c)), t = depth > 0 ? sqrt(s) : 0;
    double rate = depth > 0 ? -t * (v * v - g * (y - g * s / 2)) / apart : 0; /* d/dt of the distance at -t */
    snprintf(
        text, sizeof text,
        "bodies:\n  ground: {shape: %s}\n  ball: {mass: 1, at: [%.17g, %.17g, %.17g], velocity: [%.17g, 0, %.17g], "
        "shape: {type: %s, radius: %.17g}}\ncontacts: {c: {between: [ground, ball], restitution: 0.5}}\nrun: {method: "
        "impact, until: %.17g, tolerance: 1e-10}\n",
        target, -v * before, 0.0, y - g * before * before / 2, v, g * before, shape, radius, before + 0.1);
    check_impact(run(text, before + 0.1), depth, before - t, rate, b / apart, text);
}

static void balls_graze_a_ball(void **state) {
    (void)state;
    uint64_t seed = 11;
    char target[100];
    for (unsigned n = 0; n < SCENES; n++) {
        double R = pow(10, between(&seed, -2, 0)), r = R * pow(10, between(&seed, -1, 1));
        snprintf(target, sizeof target, "{type: sphere, radius: %.17g}", R);
        throw_over(target, "sphere", r, R + r, n, &seed);
    }
}

/* The upper edge of a box along y, at the origin; the ball comes and leaves over both of its faces. */
static void balls_graze_an_edge(void **state) {
    (void)state;
    uint64_t seed = 12;
    char target[200];
    for (unsigned n = 0; n < SCENES; n++) {
        double r = pow(10, between(&seed, -2, 0)), side = 0.3 * r;
        snprintf(target, sizeof target,
                 "{type: box, size: [%.17g, %.17g, %.17g], at: [0, 0, %.17g], orientation: {rpy: [0, "
                 "0.78539816339744831, 0]}}",
                 side, 10 * r, side, -side * sqrt(0.5));
        throw_over(target, "sphere", r, r, n, &seed);
    }
}

/* A rectangle, or a box, spins at rest beside a wall: its corners, on a circle of the radius c, come as near as c - distance. The first one gets there after a
 * part of a turn. */
static void corners_graze_a_wall(void **state) {
    (void)state;
    uint64_t seed = 13;
    char text[2000];
    for (unsigned n = 0; n < SCENES; n++) {
        bool plane = n % 2;
        double a = pow(10, between(&seed, -2, 0)), b = a * between(&seed, 0.1, 1), c = 0.5 * hypot(a, b),
               w = pow(10, between(&seed, -1, 2));
        double depth = depth_of(n, &seed) * c, distance = c - depth, corner = atan2(b, a),
               start = between(&seed, 0.05, 0.4);
        double half = depth > 0 ? 2 * asin(sqrt(0.5 * depth / c)) : 0; /* c cos(half) = distance */
        double first = corner + start, until = 3.3 / w;
        if (first < half + 0.01) first += 0.01 + half, start = first - corner;
        if (plane)
            snprintf(
                text, sizeof text,
                "plane: xy\ngravity: [0, 0]\nbodies:\n  ground: {shape: {type: half_plane, normal: [-1, 0], at: "
                "[%.17g, 0]}}\n  b: {mass: 1, "
                "inertia: %.17g, at: [0, 0], orientation: %.17g, angular_velocity: %.17g, shape: {type: rectangle, "
                "size: [%.17g, %.17g]}}\n",
                distance, c * c / 3, -corner - first, w, a, b);
        else
            snprintf(text, sizeof text,
                     "gravity: [0, 0, 0]\nbodies:\n  ground: {shape: {type: plane, normal: [-1, 0, 0], at: [%.17g, 0, "
                     "0]}}\n  b: {density: 1000, at: [0, 0, "
                     "0], orientation: {rpy: [0, 0, %.17g]}, angular_velocity: [0, 0, %.17g], shape: {type: box, size: "
                     "[%.17g, %.17g, %.17g]}}\n",
                     distance, -corner - first, w, a, b, a);
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at,
                 "contacts: {c: {between: [ground, b], restitution: 0.5}}\nrun: {method: impact, until: %.17g, "
                 "tolerance: 1e-10}\n",
                 until);
        first_impact f = run(text, until);
        check_impact(f, depth, (first - half) / w, -w * c * sin(half), w * w * c, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_graze_a_ball),
        cmocka_unit_test(balls_graze_an_edge),
        cmocka_unit_test(corners_graze_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
