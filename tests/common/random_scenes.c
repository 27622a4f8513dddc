#include "random_scenes.h"
#include "scenes.h"
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t size, at;
    uint64_t seed;
    bool plane, joined;
    int bodies;
    double apart;       /* [m] between neighbours in the row of bodies */
    double place[8][3]; /* [m] */
} writer;

static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->at, w->size - w->at, format, args);
    va_end(args);
    w->at += n > 0 ? (size_t)n : 0;
    if (w->at >= w->size) w->at = w->size - 1;
}

static double part(writer *w) { return 0.5 * (1 + scene_random(&w->seed)); }
static bool chance(writer *w, double p) { return part(w) < p; }
static double between(writer *w, double a, double b) { return a + (b - a) * part(w); }
static double decades(writer *w, double a, double b) { return pow(10, between(w, a, b)); }
static int one_of(writer *w, int count) {
    int i = (int)(count * part(w));
    return i < count ? i : count - 1;
}

/* A shape that fits into a ball of radius 1.2 r. */
static void write_shape(writer *w, double r) {
    double a = between(w, 0.3, 0.7) * r, b = between(w, 0.3, 0.7) * r, c = between(w, 0.3, 0.7) * r;
    int kind = one_of(w, w->plane ? 4 : 6);
    if (w->plane) switch (kind) {
        case 0: put(w, "{type: circle, radius: %.4g}", r); return;
        case 1: put(w, "{type: rectangle, size: [%.4g, %.4g]}", 2 * a, 2 * b); return;
        case 2: put(w, "{type: polygon, points: [[%.4g, %.4g], [%.4g, %.4g], [0, %.4g]]}", -a, -b, a, -b, c); return;
        default:
            put(w, "{type: polygon, points: [[%.4g, 0], [%.4g, %.4g], [%.4g, %.4g], [%.4g, %.4g]]}", r, 0.3 * a, b, -a,
                0.5 * c, -0.2 * a, -b);
            return;
        }
    switch (kind) {
    case 0: put(w, "{type: sphere, radius: %.4g}", r); return;
    case 1: put(w, "{type: box, size: [%.4g, %.4g, %.4g]}", 2 * a, 2 * b, 2 * c); return;
    case 2: put(w, "{type: cylinder, radius: %.4g, length: %.4g}", a, 2 * b); return;
    case 3: put(w, "{type: capsule, radius: %.4g, length: %.4g}", a, b); return;
    case 4: put(w, "{type: ellipsoid, size: [%.4g, %.4g, %.4g]}", a, b, c); return;
    default: put(w, "{type: cone, radius: %.4g, height: %.4g}", a, 2 * b); return;
    }
}

/* Ground under a row of bodies, some of them one above the other. */
static void write_bodies(writer *w) {
    double r = decades(w, -2, 0), fast = chance(w, 0.5) ? 0 : decades(w, -1, 1),
           spin = chance(w, 0.6) ? 0 : decades(w, -1, 1.5);
    if (w->joined) fast = spin = 0; /* joints would contradict them */
    bool stacked = chance(w, 0.5), tilted = chance(w, 0.25);
    double height = chance(w, 0.4) ? 0.01 * r : decades(w, -1.5, 0.5) * r;
    w->apart = 2.6 * r;
    put(w, "bodies:\n  ground: {shape: {type: %s%s}}\n", w->plane ? "half_plane" : "plane",
        !tilted    ? ""
        : w->plane ? ", normal: [0.2, 1]"
                   : ", normal: [0.2, 0.1, 1]");
    for (int b = 0; b < w->bodies; b++) {
        double up = 1.21 * r + height + (stacked ? b * w->apart : 0),
               x = stacked ? 0.3 * r * scene_random(&w->seed) : b * w->apart;
        if (tilted) up += 0.25 * fabs(x) + 0.3 * r;
        double *p = w->place[b];
        p[0] = x, p[1] = w->plane ? up : 0.2 * r * scene_random(&w->seed), p[2] = w->plane ? 0 : up;
        double v[6];
        for (int k = 0; k < 6; k++) v[k] = scene_random(&w->seed);
        if (w->plane)
            put(w,
                "  b%d: {density: %.4g, at: [%.5g, %.5g], orientation: %.4g, velocity: [%.4g, %.4g], angular_velocity: "
                "%.4g, shape: ",
                b, decades(w, 1.5, 4), p[0], p[1], chance(w, 0.3) ? 0 : 3 * v[0], fast * v[1], fast * v[2],
                spin * v[3]);
        else
            put(w,
                "  b%d: {density: %.4g, at: [%.5g, %.5g, %.5g], orientation: {rpy: [%.4g, %.4g, %.4g]}, velocity: "
                "[%.4g, %.4g, %.4g], "
                "angular_velocity: [%.4g, %.4g, %.4g], shape: ",
                b, decades(w, 1.5, 4), p[0], p[1], p[2], chance(w, 0.3) ? 0 : 3 * v[0], 1.5 * v[1], 3 * v[2],
                fast * v[3], fast * v[4], fast * v[5], spin * v[0], spin * v[2], spin * v[4]);
        write_shape(w, r);
        put(w, "}\n");
    }
}

static void put_point(writer *w, const double *p) {
    if (w->plane)
        put(w, "[%.5g, %.5g]", p[0], p[1]);
    else
        put(w, "[%.5g, %.5g, %.5g]", p[0], p[1], p[2]);
}

static void put_between(writer *w, int a, int b) {
    if (a < 0)
        put(w, "between: [ground, b%d]", b);
    else
        put(w, "between: [b%d, b%d]", a, b);
}

/* A joint from a body, or from the ground (-1), to the next one, with the keys of its coordinate. */
static void write_joint(writer *w, int a, int b) {
    static const char *const plane[] = {"revolute", "prismatic", "fixed"};
    static const char *const space[] = {"revolute", "prismatic", "spherical", "universal", "cylindrical", "fixed"};
    const char *type = w->plane ? plane[one_of(w, 3)] : space[one_of(w, 6)];
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = a < 0 ? w->place[b][k] : 0.5 * (w->place[a][k] + w->place[b][k]);
    put(w, "  j%d: {type: %s, ", b, type);
    put_between(w, a, b);
    put(w, ", at: ");
    put_point(w, at);
    bool axis = strcmp(type, "spherical") && strcmp(type, "fixed") && strcmp(type, "universal");
    if (!strcmp(type, "universal"))
        put(w, ", axes: [x, y]");
    else if (axis && w->plane && strcmp(type, "revolute"))
        put(w, ", axis: %s", chance(w, 0.5) ? "x" : "y");
    else if (axis && !w->plane)
        put(w, ", axis: %s", chance(w, 0.5) ? "y" : chance(w, 0.5) ? "x" : "z");
    bool turns = !strcmp(type, "revolute"), one = turns || !strcmp(type, "prismatic");
    if (one && chance(w, 0.3)) put(w, ", damping: %.3g", decades(w, -2, 1));
    if (one && chance(w, 0.15)) put(w, ", friction: %.3g", decades(w, -2, 1));
    if (one && chance(w, 0.2)) put(w, ", stiffness: %.3g", decades(w, 0, 3));
    if (turns && chance(w, 0.15))
        put(w, ", motor: {target: %.3g*sin(3*t), kp: %.3g, kd: %.3g}", part(w), decades(w, 0, 2), decades(w, -1, 1));
    if (turns && a < 0 && chance(w, 0.15)) put(w, ", rate: %.3g", between(w, -5, 5));
    put(w, "}\n");
}

static void write_joints(writer *w) {
    if (!w->joined) return;
    put(w, "joints:\n");
    bool any = false;
    for (int b = 0; b < w->bodies; b++)
        if (chance(w, b ? 0.5 : 0.3)) write_joint(w, b - 1, b), any = true;
    if (!any) write_joint(w, -1, 0);
    if (w->bodies > 2 && chance(w, 0.3)) { /* a rod, which closes a loop where both hang together */
        put(w, "  rod: {type: distance, ");
        put_between(w, 0, 2);
        put(w, ", ends: [");
        put_point(w, w->place[0]), put(w, ", "), put_point(w, w->place[2]);
        put(w, "]}\n");
    }
}

static void write_forces(writer *w) {
    if (chance(w, 0.7)) return;
    put(w, "forces:\n");
    for (int b = 0; b < w->bodies; b++)
        if (b == 0 || chance(w, 0.5)) {
            double up[3] = {w->place[b][0], w->place[b][1], w->place[b][2]};
            up[w->plane ? 1 : 2] += w->apart;
            put(w, "  s%d: {type: spring, ", b);
            put_between(w, b - 1, b);
            put(w, ", ends: [");
            put_point(w, b ? w->place[b - 1] : up), put(w, ", "), put_point(w, w->place[b]);
            put(w, "], stiffness: %.3g, damping: %.3g}\n", decades(w, 1, 5), chance(w, 0.5) ? 0 : decades(w, -1, 2));
        }
    if (!chance(w, 0.4)) return;
    put(w, "  push: {type: force, body: b0, at: ");
    put_point(w, w->place[0]);
    put(w, ", force: [%.3g*sin(%.3g*t), %.3g%s]}\n", decades(w, -1, 2), decades(w, 0, 2), between(w, -1, 1),
        w->plane ? "" : ", 0");
}

static void write_contacts(writer *w) {
    static const char *const normal[] = {
        "hunt_crossley", "lankarani_nikravesh", "gonthier", "zhang_sharf", "flores", "hu_guo", "lee_wang"};
    static const char *const friction[] = {"coulomb", "threlfall", "bengisu_akay", "brown_mcphee",
                                           "lugre",   "dahl",      "gonthier"};
    bool law = chance(w, 0.4);
    const char *name = normal[one_of(w, 7)], *dry = friction[one_of(w, 7)];
    double stiffness = decades(w, 4, 9), e = chance(w, 0.2) ? 1 : between(w, 0.05, 0.95), mu = decades(w, -2, 0.1);
    bool bounces = law || chance(w, 0.7), slips = chance(w, 0.75), named = chance(w, 0.4), exact = chance(w, 0.2);
    put(w, "contacts: {all: {stiffness: %.3g", stiffness);
    if (bounces) put(w, ", restitution: %.3g", e);
    if (law) put(w, ", law: %s", name);
    if (bounces && exact) put(w, ", exact: true");
    if (slips && named)
        put(w, ", friction: {law: %s, dynamic: %.3g}", dry, mu);
    else if (slips)
        put(w, ", friction: %.3g", mu);
    put(w, "}}\n");
}

double random_scene_write(char *text, size_t size, unsigned seed, const char *method) {
    static const char *const schemes[] = {"moreau_jean", "moreau_midpoint", "least_constraint"};
    writer w = {.text = text, .size = size, .seed = 77 + 1013 * (uint64_t)seed};
    for (int i = 0; i < 8; i++) part(&w);
    text[0] = 0;
    w.plane = chance(&w, 0.45);
    w.bodies = 1 + one_of(&w, 5);
    w.joined = chance(&w, 0.45);
    if (w.plane) put(&w, "plane: xy\n");
    if (chance(&w, 0.2)) put(&w, "coordinates: absolute\n");
    write_bodies(&w);
    write_joints(&w);
    write_forces(&w);
    write_contacts(&w);
    double until = between(&w, 0.2, 1.5), step = decades(&w, -4, -2.5);
    int scheme = one_of(&w, 12);
    put(&w, "run: {method: %s, until: %.4g", method, until);
    if (!strcmp(method, "nonsmooth"))
        put(&w, ", step: %.3g%s%s", step, scheme < 3 ? ", scheme: " : "", scheme < 3 ? schemes[scheme] : "");
    put(&w, "}\n");
    return until;
}

/* ------------------------------------------------------------------------------------------------------ thrown solids */

/* One of six kinds, of 0.1 to 0.4 m. */
static void write_solid(writer *w) {
    static const char *const round[] = {"cylinder", "capsule", "cone"};
    int kind = one_of(w, 6);
    double r = 0.05 + 0.1 * part(w), l = 0.1 + 0.3 * part(w), b = 0.1 + 0.2 * part(w);
    if (kind == 0)
        put(w, "type: box, size: [%.3f, %.3f, %.3f]", l, b, 2 * r);
    else if (kind == 1)
        put(w, "type: sphere, radius: %.3f", r);
    else if (kind == 2)
        put(w, "type: ellipsoid, size: [%.3f, %.3f, %.3f]", r, 0.7 * r, 1.5 * r);
    else
        put(w, "type: %s, radius: %.3f, %s: %.3f", round[kind - 3], r, kind == 5 ? "height" : "length", l);
}

void random_solids_write(char *text, size_t size, unsigned seed, double step) {
    writer w = {.text = text, .size = size, .seed = 4242 + 991 * (uint64_t)seed};
    text[0] = 0;
    w.bodies = 3 + (int)(5 * part(&w));
    double e = part(&w) < 0.4 ? 0 : 0.8 * part(&w), mu = part(&w) < 0.2 ? 0 : 1.2 * part(&w);
    put(&w, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int b = 0; b < w.bodies; b++) {
        writer shape = w;
        double a[9];
        char solid[200];
        shape.text = solid, shape.size = sizeof solid, shape.at = 0;
        write_solid(&shape);
        w.seed = shape.seed;
        for (int k = 0; k < 9; k++) a[k] = scene_random(&w.seed);
        put(&w,
            "  b%d:\n    density: 1000\n    at: [%.4f, %.4f, %.4f]\n    orientation: {rpy: [%.4f, %.4f, %.4f]}\n"
            "    velocity: [%.3f, %.3f, 0]\n    angular_velocity: [%.3f, %.3f, %.3f]\n    shape: {%s}\n",
            b, 0.1 * a[0], 0.1 * a[1], 0.4 + 0.55 * b, 3 * a[2], 1.5 * a[3], 3 * a[4], a[5], a[6], 4 * a[7], 4 * a[8],
            4 * a[5], solid);
    }
    put(&w, "contacts: {all: {restitution: %.3f, friction: %.3f}}\nrun: {method: nonsmooth, step: %g, until: 2}\n", e,
        mu, step);
}

/* ---------------------------------------------------------------------------------------------------- bodies on terrain */

/* [m] of a terrain over [-2, 2]^2: random, smooth hills, steps, peaks, flat. */
static double terrain_height(writer *w, int kind, double rough, double x, double y) {
    double noise = scene_random(&w->seed);
    switch (kind) {
    case 0: return rough * noise;
    case 1: return rough * sin(2.1 * x + 0.7) * cos(1.7 * y - 0.3) + 0.05 * rough * noise;
    case 2: return rough * floor(1.3 * x + 1e-9);
    case 3: return noise > 0.6 ? 2 * rough : 0.1 * rough * noise;
    default: return 0;
    }
}

/* A square of cells, as a heightfield or as a mesh of points and triangles, split along either diagonal. */
static void write_terrain(writer *w) {
    static const int cells[] = {2, 4, 7, 12};
    int kind = one_of(w, 5), n = cells[one_of(w, 4)];
    bool mesh = chance(w, 0.35);
    double rough = between(w, 0.03, 0.25), z[13][13];
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) z[j][i] = terrain_height(w, kind, rough, 4.0 * i / n - 2, 4.0 * j / n - 2);
    put(w, "bodies:\n  ground:\n    shape:\n      type: %s\n", mesh ? "mesh" : "heightfield");
    if (!mesh) put(w, "      size: [4, 4]\n      heights:\n");
    if (mesh) put(w, "      points:\n");
    for (int j = 0; j <= n; j++) {
        if (!mesh) put(w, "        - [");
        for (int i = 0; i <= n; i++)
            if (mesh)
                put(w, "        - [%.6g, %.6g, %.4g]\n", 4.0 * i / n - 2, 4.0 * j / n - 2, z[j][i]);
            else
                put(w, "%.4g%s", z[j][i], i < n ? ", " : "]\n");
    }
    if (mesh) put(w, "      triangles:\n");
    for (int k = 0; k < n * n && mesh; k++) {
        int a = (n + 1) * (k / n) + k % n, b = a + 1, c = a + n + 1, d = c + 1;
        if (chance(w, 0.5))
            put(w, "        - [%d, %d, %d]\n        - [%d, %d, %d]\n", a, b, d, a, d, c);
        else
            put(w, "        - [%d, %d, %d]\n        - [%d, %d, %d]\n", a, b, c, b, d, c);
    }
}

/* One of eight kinds, of 0.1 to 0.5 m. */
static void write_thrown(writer *w) {
    if (chance(w, 0.8)) {
        put(w, "{");
        write_solid(w);
        put(w, "}");
        return;
    }
    double r = between(w, 0.07, 0.25);
    put(w, "{type: hull, points: [");
    for (int k = 0; k < 10; k++) {
        double u[3], l = 0;
        for (int i = 0; i < 3; i++) u[i] = scene_random(&w->seed), l += u[i] * u[i];
        for (int i = 0; i < 3; i++) u[i] *= r / (sqrt(l) + 1e-9);
        put(w, "%s[%.4g, %.4g, %.4g]", k ? ", " : "", u[0], u[1], u[2]);
    }
    put(w, "]}");
}

double random_terrain_write(char *text, size_t size, unsigned seed, const char *method) {
    writer w = {.text = text, .size = size, .seed = 9176 + 1543 * (uint64_t)seed};
    for (int i = 0; i < 8; i++) part(&w);
    text[0] = 0;
    write_terrain(&w);
    w.bodies = chance(&w, 0.7) ? 1 : 2 + one_of(&w, 2);
    double fast = between(&w, 0, 3), spin = between(&w, 0, 8);
    for (int b = 0; b < w.bodies; b++) {
        double a[9];
        for (int k = 0; k < 9; k++) a[k] = scene_random(&w.seed);
        put(&w,
            "  b%d:\n    density: 1000\n    at: [%.4g, %.4g, %.4g]\n    orientation: {rpy: [%.4g, %.4g, %.4g]}\n"
            "    velocity: [%.4g, %.4g, %.4g]\n    angular_velocity: [%.4g, %.4g, %.4g]\n    shape: ",
            b, 0.5 * a[0], 0.5 * a[1], 0.85 + 0.6 * b, 3 * a[2], 1.5 * a[3], 3 * a[4], fast * a[5], fast * a[6],
            -fast * fabs(a[7]), spin * a[8], spin * a[2], spin * a[5]);
        write_thrown(&w);
        put(&w, "\n");
    }
    double stiffness = decades(&w, 5, 8.5), e = chance(&w, 0.2) ? 1 : between(&w, 0, 0.9), until = between(&w, 0.5, 1.5),
           step = decades(&w, -4, -2);
    put(&w, "contacts: {all: {stiffness: %.3g, restitution: %.3g, friction: %.3g}}\n", stiffness, e,
        chance(&w, 0.2) ? 0 : between(&w, 0, 1.2));
    put(&w, "run: {method: %s, until: %.4g", method, until);
    if (!strcmp(method, "nonsmooth")) put(&w, ", step: %.3g", step);
    put(&w, "}\n");
    return until;
}
