/* Odd scenes for method impact: what is rare, extreme or without a unique answer. */
#include "odd_scene_text.h"

static void box(odd_scene *s, const char *name, double m, double a, double b, double h) {
    add(s, "  %s: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], shape: {type: box, size: [%.17g, %.17g, %.17g]}, ",
        name, m, m * (b * b + h * h) / 12, m * (a * a + h * h) / 12, m * (a * a + b * b) / 12, a, b, h);
}

/* A rod whose end slides on rough ground, with much friction: no forces, or several [Painleve]. */
static void sliding_rod(uint64_t *d, odd_scene *s) {
    double l = in(d, 0.5, 2), a = in(d, 0.4, 1.5), v = in(d, -4, 4), w = in(d, -3, 3), mu = decades(d, 0.5, 5);
    double thin = maybe(d, 0.5) ? 1.0 / 12 : decades(d, 0.01, 0.3);
    s->kind = "rod that slides on its end, friction up to 5", s->until = 0.5;
    add(s,
        "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n  b: {mass: 1, inertia: %.17g, at: [0, %.17g], "
        "orientation: "
        "%.17g, velocity: [%.17g, %.17g], angular_velocity: %.17g, shape: {type: segment, points: [[%.17g, 0], [%.17g, "
        "0]]}}\n"
        "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n",
        thin * l * l, l / 2 * sin(a), a, v, w * l / 2 * cos(a), w, -l / 2, l / 2, maybe(d, 0.5) ? 0 : in(d, 0, 0.8),
        mu);
}

/* Boxes and cylinders thrown with friction up to 5 and restitution up to 1. */
static void rough_throw(uint64_t *d, odd_scene *s) {
    s->kind = "thrown body, friction up to 5, restitution up to 1", s->until = 0.8;
    add(s, "bodies:\n  ground: {shape: {type: plane}}\n");
    double a = in(d, 0.1, 0.4), b = in(d, 0.1, 0.4), h = decades(d, 0.01, 0.4);
    if (maybe(d, 0.5))
        box(s, "b", 1, a, b, h);
    else
        add(s, "  b: {mass: 1, inertia: [%.17g, %.17g, %.17g], shape: {type: cylinder, radius: %.17g, length: %.17g}, ",
            (3 * a * a + h * h) / 12, (3 * a * a + h * h) / 12, a * a / 2, a, h);
    add(s, "at: [0, 0, %.17g], velocity: [%.17g, %.17g, -1], angular_velocity: [%.17g, %.17g, %.17g]}\n",
        in(d, 0.5, 0.7), in(d, -3, 3), in(d, -3, 3), in(d, -9, 9), in(d, -9, 9), in(d, -9, 9));
    add(s, "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n",
        maybe(d, 0.3) ? 1 : in(d, 0, 0.9), decades(d, 0.5, 5));
}

/* Balls and boxes between six walls, without gravity. */
static void weightless(uint64_t *d, odd_scene *s) {
    int n = whole(d, 2, 6);
    s->kind = "bodies between walls, without gravity", s->until = 1;
    add(s, "gravity: [0, 0, 0]\nbodies:\n  ground: {shapes: [");
    for (int k = 0; k < 6; k++) {
        int axis = k / 2;
        double side = k % 2 ? -1 : 1;
        add(s, "%s{type: plane, normal: [%g, %g, %g], at: [%g, %g, %g]}", k ? ", " : "", axis == 0 ? side : 0,
            axis == 1 ? side : 0, axis == 2 ? side : 0, axis == 0 ? -side : 0, axis == 1 ? -side : 0,
            axis == 2 ? -side : 0);
    }
    add(s, "]}\n");
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        if (maybe(d, 0.5))
            add(s, "  %s: {mass: 1, inertia: [0.01, 0.01, 0.01], shape: {type: sphere, radius: 0.15}, ", name);
        else
            box(s, name, in(d, 0.2, 5), 0.25, 0.25, 0.3);
        add(s, "at: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, 0]}\n",
            -0.5 + i % 3 * 0.5, i / 3 * 0.6 - 0.3, in(d, -0.3, 0.3), in(d, -2, 2), in(d, -2, 2), in(d, -2, 2),
            in(d, -5, 5), in(d, -5, 5));
    }
    add(s, "contacts:\n  default: {restitution: %.17g, friction: %.17g}\n", maybe(d, 0.5) ? 1 : in(d, 0, 0.9),
        maybe(d, 0.3) ? 0 : in(d, 0, 1));
}

/* Many contacts that close at one instant: a row or a pyramid of balls or boxes, touching, dropped together or hit. */
static void at_once(uint64_t *d, odd_scene *s) {
    int rows = whole(d, 2, 4), count = 0;
    bool ball = maybe(d, 0.5), drop = maybe(d, 0.5);
    double e = maybe(d, 0.5) ? 0 : in(d, 0, 0.9), high = drop ? in(d, 0, 0.05) : 0;
    s->kind = "pyramid in a plane, closed at one instant", s->until = 0.4;
    add(s, "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n");
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < rows - k; i++, count++)
            add(s, "  b%d: {mass: 1, inertia: 0.005, at: [%.17g, %.17g], shape: %s}\n", count, 0.2 * i + 0.1 * k,
                0.1 + high + (ball ? 0.1 * sqrt(3) : 0.2) * k,
                ball ? "{type: circle, radius: 0.1}" : "{type: rectangle, size: [0.2, 0.2]}");
    if (!drop)
        add(s,
            "  hit: {mass: %.17g, inertia: 0.005, at: [-0.25, 0.1], velocity: [%.17g, 0], shape: {type: circle, "
            "radius: "
            "0.1}}\n",
            decades(d, 0.1, 10), in(d, 0.5, 3));
    add(s, "contacts:\n  default: {restitution: %.17g, friction: %.17g}\n", e, maybe(d, 0.3) ? 0 : in(d, 0.05, 1));
}

/* A block over steps of the floor from 1e-8 m to 1 cm. */
static void small_steps(uint64_t *d, odd_scene *s) {
    double h = decades(d, 1e-8, 1e-2) * (maybe(d, 0.5) ? 1 : -1), v = in(d, 0.5, 2),
           e = maybe(d, 0.5) ? 0 : in(d, 0, 0.6);
    s->kind = "box over a step from 1e-8 to 0.01 m", s->until = 0.8;
    add(s,
        "bodies:\n  ground: {shapes: [{type: box, size: [2, 2, 0.2], at: [-1, 0, -0.1]}, {type: box, size: [2, 2, "
        "0.2], at: "
        "[1, 0, %.17g]}]}\n",
        h - 0.1);
    box(s, "b", 1, in(d, 0.1, 0.3), 0.2, in(d, 0.05, 0.3));
    add(s, "at: [-0.4, 0, 0.3], velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n", v, in(d, -0.2, 0.2),
        maybe(d, 0.5) ? 0 : in(d, -1, 1));
    add(s, "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n", e, in(d, 0, 0.5));
}

/* A circle or a ball driven into a narrow wedge with so much friction that it locks. */
static void wedge(uint64_t *d, odd_scene *s) {
    double half = in(d, 0.05, 0.4), mu = decades(d, 0.2, 5), x = maybe(d, 0.5) ? 0 : in(d, -0.01, 0.01);
    double y = (0.1 + fabs(x) * cos(half)) / sin(half) + in(d, 0, 0.1);
    bool space = maybe(d, 0.5);
    s->kind = "round body in a narrow wedge, friction up to 5", s->until = 0.5;
    if (space)
        add(s,
            "bodies:\n  ground: {shapes: [{type: plane, normal: [%.17g, 0, %.17g]}, {type: plane, normal: [%.17g, 0, "
            "%.17g]}]}\n  b: "
            "{mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, %.17g], velocity: [0, %.17g, %.17g], "
            "angular_velocity: [%.17g, "
            "%.17g, 0], shape: {type: sphere, radius: 0.1}}\n",
            cos(half), sin(half), -cos(half), sin(half), y, in(d, -1, 1), in(d, -3, 0), in(d, -9, 9), in(d, -9, 9));
    else
        add(s,
            "plane: xy\nbodies:\n  ground: {shapes: [{type: half_plane, normal: [%.17g, %.17g]}, {type: half_plane, "
            "normal: [%.17g, "
            "%.17g]}]}\n  b: {mass: 1, inertia: 0.005, at: [%.17g, %.17g], velocity: [0, %.17g], angular_velocity: "
            "%.17g, shape: "
            "{type: circle, radius: 0.1}}\n",
            cos(half), sin(half), -cos(half), sin(half), x, y, in(d, -3, 0), in(d, -30, 30));
    add(s, "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n",
        maybe(d, 0.5) ? 0 : in(d, 0, 0.9), mu);
}

/* A stack of boxes whose masses differ by up to a factor of 1e5, heavy above light, dropped. */
static void heavy_on_light(uint64_t *d, odd_scene *s) {
    int n = whole(d, 2, 4);
    double ratio = decades(d, 10, 1e5), high = maybe(d, 0.5) ? 0 : in(d, 0, 0.05);
    s->kind = "stack, heavy above light by up to 1e5", s->until = 0.4;
    add(s, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int k = 0; k < n; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        box(s, name, pow(ratio, (double)k / (n - 1)), 0.2, 0.2, 0.1);
        add(s, "at: [%.17g, %.17g, %.17g]}\n", in(d, -0.02, 0.02), in(d, -0.02, 0.02), 0.05 + 0.1 * k + high);
    }
    add(s, "contacts:\n  default: {restitution: %.17g, friction: %.17g}\n", maybe(d, 0.5) ? 0 : in(d, 0, 0.5),
        in(d, 0.1, 1));
}

/* A coin that spins, rolls and wobbles on its rim. */
static void coin(uint64_t *d, odd_scene *s) {
    double r = in(d, 0.05, 0.3), h = decades(d, 0.02, 0.5) * r, tilt = in(d, 0.05, 1.4), c = cos(tilt), n = sin(tilt);
    s->kind = "coin on its rim", s->until = 0.5;
    add(s,
        "bodies:\n  ground: {shape: {type: plane}}\n  b: {mass: 1, inertia: [%.17g, %.17g, %.17g], at: [0, 0, %.17g], "
        "orientation: "
        "{axis: [1, 0, 0], angle: %.17g}, velocity: [%.17g, 0, 0], angular_velocity: [%.17g, %.17g, %.17g], shape: "
        "{type: cylinder, "
        "radius: %.17g, length: %.17g}}\n",
        (3 * r * r + h * h) / 12, (3 * r * r + h * h) / 12, r * r / 2, r * n + h / 2 * c, tilt, in(d, -1, 1),
        in(d, -1, 1), in(d, -5, 5), in(d, -5, 5), r, h);
    add(s, "contacts: {c: {between: [ground, b], restitution: 0, friction: %.17g}}\n", in(d, 0.05, 1));
}

typedef void maker(uint64_t *, odd_scene *);
static maker *const makers[] = {sliding_rod, rough_throw, weightless,     at_once,
                                small_steps, wedge,       heavy_on_light, coin};

int odd_scene_kinds(void) { return (int)(sizeof makers / sizeof *makers); }

void odd_scene_make(unsigned number, odd_scene *out) {
    uint64_t d = 0x0ddba115u + 104729 * (uint64_t)number;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 4; k++) roll(&d);
    makers[number % (unsigned)odd_scene_kinds()](&d, out);
    add(out, "run: {method: impact, until: %.17g}\n", out->until);
}
