/* Hard scenes for method impact: several bodies in a box, loops with clearance, legs on a platform that moves, cylinders over edges, thin plates, large ratios
 * of masses, restitution 0, 0.5 and 1 beside each other. */
#include "hard_scenes.h"
#include "odd_scene_text.h"

static double restitution(uint64_t *d) { return 0.5 * whole(d, 0, 2); }

/* A box, cylinder, sphere or capsule of about the size a, with the density 1000. */
static void solid(uint64_t *d, odd_scene *s, int number, double a) {
    double r = a * in(d, 0.3, 0.5), l = a * in(d, 0.6, 1.2);
    add(s, "  b%d: {density: 1000, shape: ", number);
    switch (whole(d, 0, 3)) {
    case 0: add(s, "{type: box, size: [%.4g, %.4g, %.4g]}", a, 2 * r, l); break;
    case 1: add(s, "{type: cylinder, radius: %.4g, length: %.4g}", r, l); break;
    case 2: add(s, "{type: sphere, radius: %.4g}", r); break;
    default: add(s, "{type: capsule, radius: %.4g, length: %.4g}", 0.6 * r, 0.7 * l);
    }
}

static void throw_it(uint64_t *d, odd_scene *s, double x, double y, double z, double v, double w) {
    add(s, ", at: [%.4f, %.4f, %.4f], orientation: {rpy: [%.3f, %.3f, %.3f]}, velocity: [%.3f, %.3f, %.3f]", x, y, z,
        in(d, -3, 3), in(d, -1.5, 1.5), in(d, -3, 3), in(d, -v, v), in(d, -v, v), in(d, -v, v));
    add(s, ", angular_velocity: [%.3f, %.3f, %.3f]}\n", in(d, -w, w), in(d, -w, w), in(d, -w, w));
}

static void rows(uint64_t *d, odd_scene *s) {
    add(s, "contacts: {all: {restitution: %g, friction: %.3f}}\n", restitution(d), maybe(d, 0.2) ? 0 : in(d, 0.05, 1));
}

/* Several bodies fall into a box with five walls. */
static void container(uint64_t *d, odd_scene *s) {
    int n = whole(d, 2, 5);
    s->kind = "several bodies in a box", s->until = 0.6;
    add(s, "bodies:\n  ground: {shapes: [{type: plane}, {type: box, size: [0.1, 1, 0.6], at: [-0.3, 0, 0.3]}, "
           "{type: box, size: [0.1, 1, 0.6], at: [0.3, 0, 0.3]}, {type: box, size: [1, 0.1, 0.6], at: [0, -0.3, 0.3]}, "
           "{type: box, size: [1, 0.1, 0.6], at: [0, 0.3, 0.3]}]}\n");
    for (int i = 0; i < n; i++)
        solid(d, s, i, 0.15),
            throw_it(d, s, i % 2 ? 0.12 : -0.12, i / 2 % 2 ? 0.12 : -0.12, 0.15 + 0.24 * (i / 4), 1, 6);
    rows(d, s);
}

/* A four-bar loop in a plane or, with balls at the coupler, in space; one or two of its pins have clearance. */
static void loop(uint64_t *d, odd_scene *s) {
    double r = in(d, 0.05, 0.12), c = decades(d, 1e-5, 1e-3), speed = in(d, 2, 30),
           mu = maybe(d, 0.3) ? 0 : in(d, 0.02, 0.3);
    bool two = maybe(d, 0.4), space = maybe(d, 0.5);
    s->kind = "loop with clearance", s->until = 0.3;
    add(s, "%sbodies:\n  crank: {mass: 0.3, inertia: %s, at: [0, %.4g%s]}\n", space ? "" : "plane: xy\n",
        space ? "[1e-3, 1e-3, 1e-3]" : "1e-3", r / 2, space ? ", 0" : "");
    add(s, "  rod: {mass: 0.2, inertia: %s, at: [0.15, %.4g%s]}\n", space ? "[2e-3, 2e-3, 2e-3]" : "2e-3",
        (r + 0.2) / 2, space ? ", 0" : "");
    add(s, "  rocker: {mass: 0.4, inertia: %s, at: [0.3, 0.1%s]}\n", space ? "[2e-3, 2e-3, 2e-3]" : "2e-3",
        space ? ", 0" : "");
    const char *z = space ? ", 0" : "", *axis = space ? ", axis: z" : "";
    add(s, "joints:\n  motor: {type: revolute, between: [ground, crank], at: [0, 0%s]%s, rate: %.4g}\n", z, axis,
        speed);
    add(s,
        "  pin: {type: %s, between: [crank, rod], at: [0, %.4g%s]%s, bearing: 8 mm, clearance: %.4g, contact: steel}\n",
        space ? "spherical_clearance" : "revolute_clearance", r, z, "", c);
    if (two)
        add(s,
            "  wrist: {type: %s, between: [rod, rocker], at: [0.3, 0.2%s], bearing: 8 mm, clearance: %.4g, contact: "
            "steel}\n",
            space ? "spherical_clearance" : "revolute_clearance", z, 0.5 * c);
    else
        add(s, "  wrist: {type: %s, between: [rod, rocker], at: [0.3, 0.2%s]}\n", space ? "spherical" : "revolute", z);
    add(s, "  hip: {type: revolute, between: [ground, rocker], at: [0.3, 0%s]%s}\n", z, axis);
    add(s, "contacts: {steel: {restitution: %g, friction: %.3f}}\n", restitution(d), mu);
}

/* A leg of two links with motors falls on a platform that shakes. */
static void leg(uint64_t *d, odd_scene *s) {
    double bend = in(d, 0.2, 1), k = decades(d, 20, 500), high = in(d, 0.02, 0.2), f = in(d, 1, 12),
           a = decades(d, 1e-3, 3e-2);
    s->kind = "leg on a platform that moves", s->until = 0.6;
    add(s, "bodies:\n  plate: {mass: 5, inertia: [1, 1, 1], at: [0, 0, -0.05], shape: {type: box, size: [0.8, 0.8, "
           "0.1]}}\n");
    double x = 0.3 * sin(bend), z = 0.3 * cos(bend), foot = 0.03, top = high + foot + 2 * z;
    add(s, "  trunk: {mass: %.4g, inertia: [0.02, 0.02, 0.02], at: [0, 0, %.5f], velocity: [%.3f, %.3f, 0]}\n",
        in(d, 1, 8), top, 0.0, 0.0);
    add(s, "  thigh: {mass: 0.6, inertia: [5e-3, 5e-3, 5e-3], at: [%.5f, 0, %.5f]}\n", x / 2, top - z / 2);
    add(s,
        "  shank: {mass: 0.4, inertia: [3e-3, 3e-3, 3e-3], at: [%.5f, 0, %.5f], shape: {type: sphere, radius: %.3f, "
        "at: "
        "[%.5f, 0, %.5f]}}\n",
        x / 2, top - 1.5 * z, foot, -x / 2, -z / 2);
    add(s,
        "joints:\n  lift: {type: prismatic, between: [ground, plate], at: [0, 0, 0], axis: z, motion: "
        "%.4g*sin(%.4g*t)}\n",
        a, 6.2832 * f);
    if (maybe(d, 0.5)) add(s, "  boom: {type: prismatic, between: [ground, trunk], at: [0, 0, %.5f], axis: z}\n", top);
    add(s,
        "  hip: {type: revolute, between: [trunk, thigh], at: [0, 0, %.5f], axis: y, stiffness: %.4g, damping: %.4g}\n",
        top, k, 0.02 * k);
    add(s,
        "  knee: {type: revolute, between: [thigh, shank], at: [%.5f, 0, %.5f], axis: y, stiffness: %.4g, damping: "
        "%.4g}\n",
        x, top - z, k, decades(d, 0.001, 0.05) * k);
    add(s, "contacts: {all: {restitution: %g, friction: %.3f}}\n", restitution(d), in(d, 0.2, 1));
}

/* A cylinder, upright or lying, rolls over the edge of a block, onto another one. */
static void edges(uint64_t *d, odd_scene *s) {
    double r = in(d, 0.03, 0.1), l = in(d, 0.05, 0.3), v = in(d, 0.3, 2), h = decades(d, 0.005, 0.2),
           turn = maybe(d, 0.4) ? 0 : in(d, -0.5, 0.5);
    s->kind = "cylinder that rolls over edges", s->until = 0.7;
    add(s,
        "bodies:\n  ground: {shapes: [{type: plane, at: [0, 0, -0.4]}, {type: box, size: [1, 1, 0.2], at: [-0.5, 0, "
        "-0.1]}, {type: box, size: [1, 1, 0.2], "
        "at: [%.4f, 0, %.4f]}]}\n",
        0.5 + (maybe(d, 0.5) ? 0 : in(d, 0, r)), -0.1 - h);
    add(s,
        "  b0: {density: 1000, shape: {type: cylinder, radius: %.17g, length: %.4f}, at: [-0.2, 0, %.17g], orientation: "
        "{axis: [1, 0, 0], angle: %.17g}",
        r, l, r, asin(1));
    add(s, ", velocity: [%.4f, %.4f, 0], angular_velocity: [%.4f, %.4f, 0]}\n", v * cos(turn), v * sin(turn),
        -v / r * sin(turn), v / r * cos(turn));
    rows(d, s);
}

/* Thin plates fall onto each other. */
static void plates(uint64_t *d, odd_scene *s) {
    int n = whole(d, 1, 4);
    s->kind = "thin plates", s->until = 0.5;
    add(s, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int i = 0; i < n; i++) {
        add(s, "  b%d: {density: 2000, shape: {type: box, size: [%.4f, %.4f, %.5f]}", i, in(d, 0.1, 0.4),
            in(d, 0.1, 0.4), decades(d, 5e-4, 1e-2));
        throw_it(d, s, in(d, -0.1, 0.1), in(d, -0.1, 0.1), 0.25 + 0.4 * i, 0.5, 4);
    }
    rows(d, s);
}

/* Bodies whose masses differ by up to 1e6 push, hit and lie on each other. */
static void ratios(uint64_t *d, odd_scene *s) {
    int n = whole(d, 2, 4);
    s->kind = "masses that differ by up to 1e6", s->until = 0.5;
    add(s, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int i = 0; i < n; i++) {
        double m = decades(d, 1e-3, 1e3), a = in(d, 0.08, 0.2);
        add(s, "  b%d: {mass: %.4g, inertia: [%.4g, %.4g, %.4g], shape: {type: box, size: [%.4f, %.4f, %.4f]}", i, m,
            m * a * a / 6, m * a * a / 6, m * a * a / 6, a, a, a);
        throw_it(d, s, 0.05 * i, 0.03 * i, 0.19 + 0.36 * i, 0.6, 3);
    }
    rows(d, s);
}

/* Restitution 0, 0.5 and 1 between the bodies of one heap. */
static void mixture(uint64_t *d, odd_scene *s) {
    int n = whole(d, 2, 4);
    s->kind = "restitution 0, 0.5 and 1 together", s->until = 0.6;
    add(s,
        "bodies:\n  ground: {shapes: [{type: plane, normal: [0.2, 0, 1]}, {type: plane, normal: [-0.2, 0.1, 1]}]}\n");
    for (int i = 0; i < n; i++)
        solid(d, s, i, 0.15), throw_it(d, s, in(d, -0.05, 0.05), in(d, -0.05, 0.05), 0.25 + 0.3 * i, 0.5, 3);
    add(s, "contacts:\n  all: {restitution: %g, friction: %.3f}\n", restitution(d), in(d, 0, 0.8));
    for (int i = 0; i < n; i++)
        add(s, "  g%d: {between: [ground, b%d], restitution: %g, friction: %.3f}\n", i, i, restitution(d),
            in(d, 0, 0.8));
}

typedef void maker(uint64_t *, odd_scene *);
static maker *const makers[] = {container, loop, leg, edges, plates, ratios, mixture};

int hard_scene_kinds(void) { return (int)(sizeof makers / sizeof *makers); }

void hard_scene_make(unsigned number, odd_scene *out) {
    uint64_t d = 0x4a2d5ce1u + 15485863 * (uint64_t)number;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 4; k++) roll(&d);
    makers[number % (unsigned)hard_scene_kinds()](&d, out);
    add(out, "run: {method: impact, until: %.17g}\n", out->until);
}
