/* Random scenes for method impact. */
#include "impact_scenes.h"
#include "impact_answers.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

typedef struct dice {
    uint64_t state, tremor;
    double shake;
} dice;

static double roll(uint64_t *state) { /* splitmix64, in [0, 1) */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u, z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A number of the scene that is shaken. */
static double shaken(dice *d, double x) { return x * (1 + d->shake * (2 * roll(&d->tremor) - 1)); }

/* Between lo and hi; every such number is shaken. */
static double in(dice *d, double lo, double hi) { return shaken(d, lo + (hi - lo) * roll(&d->state)); }
static void some(dice *d, int n, double lo, double hi, double *x) {
    for (int k = 0; k < n; k++) x[k] = in(d, lo, hi);
}
static bool maybe(dice *d, double chance) { return roll(&d->state) < chance; }

/* Static friction above dynamic friction, or alike. */
static void frictions(dice *d, double lo, double hi, double mu[2]) {
    mu[0] = in(d, lo, hi);
    mu[1] = maybe(d, 0.5) ? mu[0] : mu[0] * in(d, 1.1, 1.6);
}

#define RUN(T) "run: {method: impact, until: %.17g, tolerance: 1e-10}\n", T

/* A block in a plane, pulled by a force that grows, low enough not to tip. Known: slips at F = mu_s m g. */
static void pulled_block(dice *d, impact_scene *s) {
    double b = in(d, 0.3, 1), h = in(d, 0.05, 0.2), m = in(d, 0.5, 5), rate = in(d, 2, 8), mu[2];
    frictions(d, 0.1, 0.5, mu);
    double at = maybe(d, 0.5) ? 0 : h / 2;
    double t0 = mu[1] * m * G / rate, T = s->until = t0 + in(d, 0.2, 0.5), tau = T - t0;
    s->kind = "block in a plane, pulled", s->known = true, s->slip_time = t0;
    s->x[0] = rate * tau * tau * tau / 6 / m + (mu[1] - mu[0]) * G * tau * tau / 2;
    int n =
        snprintf(s->text, sizeof s->text,
                 "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: %.17g, inertia: %.17g, at: [0, "
                 "%.17g], shape: {type: rectangle, size: [%.17g, %.17g]}}}\n"
                 "forces: {pull: {type: force, on: b, at: [0, %.17g], force: [%.17g*t, 0]}}\n"
                 "contacts: {c: {between: [ground, b], friction: {dynamic: %.17g, static: %.17g}}}\n",
                 m, m * (b * b + h * h) / 12, h / 2, b, h, at, rate, mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(T));
}

/* The same in space in any direction, at the height of the plane or of the centre. */
static void pulled_box(dice *d, impact_scene *s) {
    double a = in(d, 0.3, 1), b = in(d, 0.3, 1), h = in(d, 0.02, 0.1), m = in(d, 0.5, 5), rate = in(d, 2, 8), mu[2];
    double angle = in(d, 0, 2 * M_PI);
    frictions(d, 0.1, 0.5, mu);
    double at = maybe(d, 0.5) ? 0 : h / 2;
    double t0 = mu[1] * m * G / rate, T = s->until = t0 + in(d, 0.2, 0.5), tau = T - t0;
    double x = rate * tau * tau * tau / 6 / m + (mu[1] - mu[0]) * G * tau * tau / 2;
    s->kind = "box in space, pulled", s->known = true, s->slip_time = t0;
    s->x[0] = x * cos(angle), s->x[1] = x * sin(angle);
    int n =
        snprintf(s->text, sizeof s->text,
                 "bodies: {ground: {shape: {type: plane}}, b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [0, 0, "
                 "%.17g], shape: {type: box, size: [%.17g, %.17g, %.17g]}}}\n"
                 "forces: {pull: {type: force, on: b, at: [0, 0, %.17g], force: [%.17g*t, %.17g*t, 0]}}\n"
                 "contacts: {c: {between: [ground, b], friction: {dynamic: %.17g, static: %.17g}}}\n",
                 m, m * (b * b + h * h) / 12, m * (a * a + h * h) / 12, m * (a * a + b * b) / 12, h / 2, a, b, h, at,
                 rate * cos(angle), rate * sin(angle), mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(T));
}

/* A standing cylinder, pulled. */
static void pulled_cylinder(dice *d, impact_scene *s) {
    double r = in(d, 0.2, 0.5), h = in(d, 0.02, 0.08), m = in(d, 0.5, 5), rate = in(d, 2, 8), mu[2];
    double angle = in(d, 0, 2 * M_PI);
    frictions(d, 0.1, 0.4, mu);
    double t0 = mu[1] * m * G / rate, T = s->until = t0 + in(d, 0.2, 0.4), tau = T - t0;
    double x = rate * tau * tau * tau / 6 / m + (mu[1] - mu[0]) * G * tau * tau / 2;
    s->kind = "standing cylinder, pulled", s->known = true, s->slip_time = t0;
    s->x[0] = x * cos(angle), s->x[1] = x * sin(angle);
    int n =
        snprintf(s->text, sizeof s->text,
                 "bodies: {ground: {shape: {type: plane}}, b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [0, 0, "
                 "%.17g], shape: {type: cylinder, radius: %.17g, length: %.17g}}}\n"
                 "forces: {pull: {type: force, on: b, at: [0, 0, 0], force: [%.17g*t, %.17g*t, 0]}}\n"
                 "contacts: {c: {between: [ground, b], friction: {dynamic: %.17g, static: %.17g}}}\n",
                 m, m * (3 * r * r + h * h) / 12, m * (3 * r * r + h * h) / 12, m * r * r / 2, h / 2, r, h,
                 rate * cos(angle), rate * sin(angle), mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(T));
}

/* A block slides up a slope, stops, and stays or slides back. */
static void block_on_slope(dice *d, impact_scene *s) {
    double b = in(d, 0.3, 1), h = in(d, 0.02, 0.1), m = in(d, 0.5, 5), mu[2], a = in(d, 0.1, 0.6), v = in(d, 0.5, 2);
    bool space = maybe(d, 0.5);
    frictions(d, 0.1, 0.6, mu);
    double stop = v / (G * (sin(a) + mu[0] * cos(a))), T = s->until = stop + in(d, 0.2, 0.4), tau = T - stop;
    bool stays = tan(a) <= mu[1];
    s->kind = "block on a slope", s->known = fabs(tan(a) - mu[1]) > 1e-3;
    s->x[0] = v * stop / 2 - (stays ? 0 : G * (sin(a) - mu[0] * cos(a)) * tau * tau / 2);
    int n =
        space ? snprintf(s->text, sizeof s->text,
                         "gravity: [%.17g, 0, %.17g]\nbodies: {ground: {shape: {type: plane}}, b: {mass: %.17g, "
                         "inertia: [%.17g, %.17g, %.17g], at: [0, 0, %.17g], velocity: [%.17g, 0, 0], shape: {type: "
                         "box, size: [%.17g, 0.4, %.17g]}}}\n",
                         -G * sin(a), -G * cos(a), m, m * (0.16 + h * h) / 12, m * (b * b + h * h) / 12,
                         m * (b * b + 0.16) / 12, h / 2, v, b, h)
              : snprintf(s->text, sizeof s->text,
                         "plane: xy\ngravity: [%.17g, %.17g]\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: "
                         "%.17g, inertia: %.17g, at: [0, %.17g], velocity: [%.17g, 0], shape: {type: rectangle, size: "
                         "[%.17g, %.17g]}}}\n",
                         -G * sin(a), -G * cos(a), m, m * (b * b + h * h) / 12, h / 2, v, b, h);
    n += snprintf(s->text + n, sizeof s->text - (size_t)n,
                  "contacts: {c: {between: [ground, b], friction: {dynamic: %.17g, static: %.17g}}}\n", mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(T));
}

/* A block on a belt, tied to a spring: stick and slip in turns. */
static void block_on_belt(dice *d, impact_scene *s) {
    double b = in(d, 0.3, 0.6), h = in(d, 0.05, 0.1), m = in(d, 0.5, 2), k = in(d, 50, 400), v = in(d, 0.1, 0.5), mu[2];
    bool space = maybe(d, 0.5), linear = maybe(d, 0.7);
    double swing = linear ? 0 : in(d, 0.02, 0.1);
    frictions(d, 0.2, 0.6, mu);
    s->kind = "block on a belt, with a spring", s->until = 1.5, s->known = true;
    answer_belt(m, k, v, swing, mu, s->until, s->x);
    int n = space
                ? snprintf(s->text, sizeof s->text,
                           "bodies: {ground: {}, belt: {mass: 1, inertia: [1, 1, 1], shape: {type: plane}}, b: {mass: "
                           "%.17g, inertia: [%.17g, %.17g, %.17g], at: [0, 0, %.17g], shape: {type: box, size: [%.17g, "
                           "0.3, %.17g]}}}\n"
                           "joints: {drive: {type: prismatic, between: [ground, belt], axis: x, motion: %.17g*t + "
                           "%.17g*sin(20*t)}}\n"
                           "forces: {k: {type: spring, between: [ground, b], ends: [[-2, 0, 0.02], [0, 0, 0.02]], "
                           "stiffness: %.17g, rest: 2}}\n",
                           m, m * (0.09 + h * h) / 12, m * (b * b + h * h) / 12, m * (b * b + 0.09) / 12, h / 2, b, h,
                           v, swing, k)
                : snprintf(s->text, sizeof s->text,
                           "plane: xy\nbodies: {ground: {}, belt: {mass: 1, inertia: 1, shape: {type: half_plane}}, b: "
                           "{mass: %.17g, inertia: %.17g, at: [0, %.17g], shape: {type: rectangle, size: [%.17g, "
                           "%.17g]}}}\n"
                           "joints: {drive: {type: prismatic, between: [ground, belt], along: x, motion: %.17g*t + "
                           "%.17g*sin(20*t)}}\n"
                           "forces: {k: {type: spring, between: [ground, b], ends: [[-2, 0.02], [0, 0.02]], stiffness: "
                           "%.17g, rest: 2}}\n",
                           m, m * (b * b + h * h) / 12, h / 2, b, h, v, swing, k);
    n += snprintf(s->text + n, sizeof s->text - (size_t)n,
                  "contacts: {c: {between: [belt, b], friction: {dynamic: %.17g, static: %.17g}}}\n", mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A box in space that slides and spins, pushed off its centre, until it stops; sometimes on a belt that runs aside. */
static void spinning_box(dice *d, impact_scene *s) {
    double a = in(d, 0.2, 0.6), b = in(d, 0.2, 0.6), h = in(d, 0.02, 0.1), m = in(d, 0.5, 5), mu[2];
    bool belt = maybe(d, 0.4);
    double v[2], spin = in(d, -6, 6), run = belt ? in(d, 0.1, 0.5) : 0, push = in(d, 0, 3);
    some(d, 2, -1, 1, v);
    frictions(d, 0.1, 0.5, mu);
    s->kind = "box that slides and spins", s->until = 0.8;
    const sliding_box alike = {a, b, h, m, {v[0], v[1]}, spin, run, push, mu[0]};
    double slides = 0.9 * answer_sliding_box(&alike, 0.8, s->x); /* [s] until a corner comes to rest */
    if (maybe(d, 0.5) && slides > 0.01) {
        s->until = slides, s->known = true;
        answer_sliding_box(&alike, s->until, s->x);
    }
    int n = snprintf(s->text, sizeof s->text,
                     "bodies: {ground: {}, floor: {mass: 1, inertia: [1, 1, 1], shape: {type: plane}}, b: {mass: "
                     "%.17g, inertia: [%.17g, "
                     "%.17g, %.17g], at: [0, 0, %.17g], velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %.17g], "
                     "shape: {type: box, "
                     "size: [%.17g, %.17g, %.17g]}}}\n"
                     "joints: {drive: {type: prismatic, between: [ground, floor], axis: y, motion: %.17g*t}}\n"
                     "forces: {push: {type: force, on: b, at: [%.17g, %.17g, %.17g], force: [%.17g*t, 0, 0]}}\n"
                     "contacts: {c: {between: [floor, b], friction: {dynamic: %.17g, static: %.17g}}}\n",
                     m, m * (b * b + h * h) / 12, m * (a * a + h * h) / 12, m * (a * a + b * b) / 12, h / 2, v[0], v[1],
                     spin, a, b, h, run, 0.0, b / 2, h / 2, push, mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A sphere thrown with spin, on a plane or a slope. */
static void thrown_sphere(dice *d, impact_scene *s) {
    double r = in(d, 0.05, 0.3), m = in(d, 0.2, 3), a = maybe(d, 0.5) ? 0 : in(d, 0, 0.5);
    double e = maybe(d, 0.5) ? 0 : in(d, 0, 0.8), high = in(d, 0, 0.3), v[3], w[3], mu = in(d, 0.05, 0.6);
    some(d, 3, -2, 2, v), some(d, 3, -20, 20, w);
    const double start[3] = {v[0], v[1], v[2] / 2};
    s->kind = "thrown sphere", s->until = 1, s->known = true;
    answer_ball(r, a, e, high, start, w, mu, s->until, s->x);
    int n =
        snprintf(s->text, sizeof s->text,
                 "gravity: [%.17g, 0, %.17g]\nbodies: {ground: {shape: {type: plane}}, b: {mass: %.17g, inertia: "
                 "[%.17g, %.17g, %.17g], at: [0, 0, %.17g], velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, "
                 "%.17g, %.17g], shape: {type: sphere, radius: %.17g}}}\n"
                 "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n",
                 -G * sin(a), -G * cos(a), m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r, r + high, v[0], v[1],
                 v[2] / 2, w[0], w[1], w[2], r, e, mu);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A box thrown tumbling. */
static void thrown_box(dice *d, impact_scene *s) {
    double a = in(d, 0.1, 0.4), b = in(d, 0.1, 0.4), h = in(d, 0.1, 0.4), m = in(d, 0.5, 3);
    double e = maybe(d, 0.5) ? 0 : in(d, 0, 0.6), high = in(d, 0.4, 0.6), v[3], w[3], mu = in(d, 0.05, 0.6);
    some(d, 3, -1, 1, v), some(d, 3, -6, 6, w);
    s->kind = "tumbling box", s->until = 0.8, s->chaotic = true;
    int n =
        snprintf(s->text, sizeof s->text,
                 "bodies: {ground: {shape: {type: plane}}, b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [0, 0, "
                 "%.17g], velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g], shape: {type: box, "
                 "size: [%.17g, %.17g, %.17g]}}}\n"
                 "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n",
                 m, m * (b * b + h * h) / 12, m * (a * a + h * h) / 12, m * (a * a + b * b) / 12, high, v[0], v[1],
                 v[2] - 1, w[0], w[1], w[2], a, b, h, e, mu);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A regular polygon thrown in a plane, on a slope or not. */
static void thrown_polygon(dice *d, impact_scene *s) {
    int sides = 3 + (int)(5 * roll(&d->state));
    double r = in(d, 0.1, 0.3), m = in(d, 0.5, 3), a = maybe(d, 0.5) ? 0 : in(d, 0, 0.4),
           e = maybe(d, 0.5) ? 0 : in(d, 0, 0.6);
    double high = in(d, 0.05, 0.3), v[2], spin = in(d, -8, 8), mu = in(d, 0.05, 0.6);
    some(d, 2, -2, 2, v);
    char corners[512] = "";
    for (int k = 0; k < sides; k++) {
        size_t used = strlen(corners);
        snprintf(corners + used, sizeof corners - used, "%s[%.17g, %.17g]", k ? ", " : "",
                 r * cos(2 * M_PI * k / sides), r * sin(2 * M_PI * k / sides));
    }
    s->kind = "thrown polygon", s->until = 1, s->chaotic = true;
    int n =
        snprintf(s->text, sizeof s->text,
                 "plane: xy\ngravity: [%.17g, %.17g]\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: %.17g, "
                 "inertia: %.17g, at: [0, %.17g], velocity: [%.17g, %.17g], angular_velocity: %.17g, shape: {type: "
                 "polygon, points: [%s]}}}\n"
                 "contacts: {c: {between: [ground, b], restitution: %.17g, friction: %.17g}}\n",
                 -G * sin(a), -G * cos(a), m, 0.4 * m * r * r, r + high, v[0], v[1], spin, corners, e, mu);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A circle or sphere in a V-groove, turned by a torque that grows. */
static void in_groove(dice *d, impact_scene *s) {
    double r = in(d, 0.1, 0.3), m = in(d, 0.5, 3), left = in(d, 0.5, 1.1), right = in(d, 0.5, 1.1), mu[2],
           rate = in(d, 2, 10);
    bool space = maybe(d, 0.5), drop = maybe(d, 0.4);
    double fall = drop ? in(d, 0, 0.1) : 0, push = in(d, 0, 6);
    frictions(d, 0.1, 0.7, mu);
    /* centre at distance r from both planes through the origin, with normals (sin, cos) and (-sin, cos) */
    double det = sin(left) * cos(right) + cos(left) * sin(right);
    double x = r * (cos(right) - cos(left)) / det, y = r * (sin(right) + sin(left)) / det + fall;
    s->kind = "in a groove", s->until = 0.8;
    int n =
        space
            ? snprintf(
                  s->text, sizeof s->text,
                  "bodies: {ground: {shapes: [{type: plane, normal: [%.17g, 0, %.17g]}, {type: plane, normal: "
                  "[%.17g, 0, %.17g]}]}, b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [%.17g, 0, %.17g], "
                  "shape: {type: sphere, radius: %.17g}}}\n"
                  "forces: {turn: {type: torque, on: b, torque: [%.17g*t, %.17g*t, 0]}, push: {type: force, on: b, at: "
                  "[%.17g, 0, %.17g], force: [0, %.17g*t, 0]}}\n",
                  sin(left), cos(left), -sin(right), cos(right), m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r,
                  x, y, r, rate * 0.3, rate, x, y, push)
            : snprintf(
                  s->text, sizeof s->text,
                  "plane: xy\nbodies: {ground: {shapes: [{type: half_plane, normal: [%.17g, %.17g]}, {type: "
                  "half_plane, normal: [%.17g, %.17g]}]}, b: {mass: %.17g, inertia: %.17g, at: [%.17g, %.17g], "
                  "shape: {type: circle, radius: %.17g}}}\nforces: {turn: {type: torque, on: b, torque: %.17g*t}}\n",
                  sin(left), cos(left), -sin(right), cos(right), m, 0.5 * m * r * r, x, y, r, rate);
    n += snprintf(s->text + n, sizeof s->text - (size_t)n,
                  "contacts: {c: {between: [ground, b], friction: {dynamic: %.17g, static: %.17g}}}\n", mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A tall box or cylinder, pulled high until it slips or tips, and falls. */
static void tipping(dice *d, impact_scene *s) {
    double a = in(d, 0.1, 0.3), b = in(d, 0.1, 0.3), h = in(d, 0.3, 0.6), m = in(d, 0.5, 3), mu[2],
           angle = in(d, 0, 2 * M_PI);
    double rate = in(d, 5, 20) * m, at = in(d, 0.3, 1) * h;
    bool round = maybe(d, 0.4);
    frictions(d, 0.15, 0.7, mu);
    s->kind = "tall body, pulled until it slips or tips", s->until = 0.8, s->chaotic = true;
    char shape[160];
    if (round)
        snprintf(shape, sizeof shape, "{type: cylinder, radius: %.17g, length: %.17g}", a / 2, h);
    else
        snprintf(shape, sizeof shape, "{type: box, size: [%.17g, %.17g, %.17g]}", a, b, h);
    int n =
        snprintf(s->text, sizeof s->text,
                 "bodies: {ground: {shape: {type: plane}}, b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [0, 0, "
                 "%.17g], shape: %s}}\n"
                 "forces: {pull: {type: force, on: b, at: [0, 0, %.17g], force: [%.17g*t, %.17g*t, 0]}}\n"
                 "contacts: {c: {between: [ground, b], restitution: 0, friction: {dynamic: %.17g, static: %.17g}}}\n",
                 m, m * (b * b + h * h) / 12, m * (a * a + h * h) / 12, m * (a * a + b * b) / 12, h / 2, shape, at,
                 rate * cos(angle), rate * sin(angle), mu[0], mu[1]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* Two boxes on each other; the upper or the lower one is pulled. */
static void two_boxes(dice *d, impact_scene *s) {
    double h = 0.1, m = in(d, 0.5, 3), M = in(d, 0.5, 3), mu[2], low[2], angle = in(d, 0, 2 * M_PI),
           rate = in(d, 5, 20);
    bool upper = maybe(d, 0.5), space = maybe(d, 0.5);
    frictions(d, 0.2, 0.5, mu), frictions(d, 0.1, 0.4, low);
    s->kind = "two boxes, one pulled", s->until = 1.2;
    s->known = !space && answer_boxes(m, M, mu, low, rate, upper, s->until, s->x);
    int n =
        space
            ? snprintf(s->text, sizeof s->text,
                       "bodies: {ground: {shape: {type: plane}}, below: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], "
                       "at: [0, 0, 0.05], shape: {type: box, size: [1, 0.8, 0.1]}}, b: {mass: %.17g, inertia: [%.17g, "
                       "%.17g, %.17g], at: [0.02, 0.01, 0.15], shape: {type: box, size: [0.5, 0.4, 0.1]}}}\n"
                       "forces: {pull: {type: force, on: %s, at: [0, 0, %.17g], force: [%.17g*t, %.17g*t, 0]}}\n",
                       M, M * (0.64 + h * h) / 12, M * (1 + h * h) / 12, M * 1.64 / 12, m, m * (0.16 + h * h) / 12,
                       m * (0.25 + h * h) / 12, m * 0.41 / 12, upper ? "b" : "below", upper ? 0.1 : 0.05,
                       rate * cos(angle), rate * sin(angle))
            : snprintf(s->text, sizeof s->text,
                       "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, below: {mass: %.17g, inertia: %.17g, "
                       "at: [0, 0.05], shape: {type: rectangle, size: [1, 0.1]}}, b: {mass: %.17g, inertia: %.17g, at: "
                       "[0.02, 0.15], shape: {type: rectangle, size: [0.5, 0.1]}}}\n"
                       "forces: {pull: {type: force, on: %s, at: [0, %.17g], force: [%.17g*t, 0]}}\n",
                       M, M * (1 + h * h) / 12, m, m * (0.25 + h * h) / 12, upper ? "b" : "below", upper ? 0.1 : 0.05,
                       rate);
    n += snprintf(
        s->text + n, sizeof s->text - (size_t)n,
        "contacts: {c: {between: [below, b], friction: {dynamic: %.17g, static: %.17g}}, g: {between: [ground, "
        "below], friction: {dynamic: %.17g, static: %.17g}}, f: {between: [ground, b], friction: %.17g}}\n",
        mu[0], mu[1], low[0], low[1], mu[0]);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

/* A ladder at a wall, smooth or rough. */
static void ladder(dice *d, impact_scene *s) {
    double l = in(d, 0.5, 2), m = in(d, 1, 5), a = in(d, 0.6, 1.2), mu = maybe(d, 0.3) ? 0 : in(d, 0.05, 0.6);
    s->kind = "ladder at a wall", s->until = 0.6, s->known = !(mu > 0);
    while (s->known && !answer_ladder(l, a, s->until, s->x)) s->until *= 0.8; /* until it has not fallen yet */
    int n = snprintf(
        s->text, sizeof s->text,
        "plane: xy\nbodies: {ground: {shapes: [{type: half_plane}, {type: half_plane, normal: [1, 0]}]}, b: {mass: "
        "%.17g, inertia: %.17g, at: [%.17g, %.17g], orientation: %.17g, shape: {type: segment, points: [[%.17g, 0], "
        "[%.17g, 0]]}}}\n"
        "contacts: {c: {between: [ground, b], restitution: 0, friction: %.17g}}\n",
        m, m * l * l / 12, l / 2 * cos(a), l / 2 * sin(a), -a, -l / 2, l / 2, mu);
    snprintf(s->text + n, sizeof s->text - (size_t)n, RUN(s->until));
}

typedef void maker(dice *, impact_scene *);
static maker *const makers[] = {pulled_block, pulled_box,    pulled_cylinder, block_on_slope, block_on_belt,
                                spinning_box, thrown_sphere, thrown_box,      thrown_polygon, in_groove,
                                tipping,      two_boxes,     ladder};

int impact_scene_kinds(void) { return (int)(sizeof makers / sizeof *makers); }

void impact_scene_make(unsigned number, double shake, unsigned twin, impact_scene *out) {
    dice d = {
        .state = 0x51ed2701u + 7919 * (uint64_t)number, .tremor = 977 * (uint64_t)number + 31 * twin, .shake = shake};
    memset(out, 0, sizeof *out);
    out->slip_time = NAN;
    for (int k = 0; k < 4; k++) roll(&d.state);
    makers[number % (unsigned)impact_scene_kinds()](&d, out);
}
