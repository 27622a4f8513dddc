/* One mass against a surface, integrated numerically. */
#include "impact_helpers.h"
#include <math.h>

enum { DEPTH, RATE, LOST, WORK, SIZE };

typedef struct mass_point {
    const jn_normal_law *law;
    double m, v0;
} mass_point;

/* No contact before depth 0: the force is that at a depth just above. */
static jn_normal_force force_at(const mass_point *p, const double *y) {
    jn_normal_force f;
    jn_normal_eval(p->law, fmax(y[DEPTH], 1e-300), y[RATE], p->v0, &f);
    return f;
}

static void slope(const mass_point *p, const double *y, double *out) {
    jn_normal_force f = force_at(p, y);
    out[DEPTH] = y[RATE];
    out[RATE] = -f.f / p->m;
    out[LOST] = f.dissipation;
    out[WORK] = f.f * y[RATE];
}

/* One step of size h from y; returns the error in depth, rate and loss over the scales. */
static double step(const mass_point *p, const double *y, double h, const double *scale, double *out) {
    static const double a[7][6] = {{0},
                                   {1.0 / 5},
                                   {3.0 / 40, 9.0 / 40},
                                   {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                   {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                   {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                   {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double b[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][SIZE], error = 0;
    for (int s = 0; s < 7; s++) {
        for (int i = 0; i < SIZE; i++) {
            out[i] = y[i];
            for (int j = 0; j < s; j++) out[i] += h * a[s][j] * k[j][i];
        }
        slope(p, out, k[s]);
    }
    for (int i = 0; i < 3; i++) {
        double e = 0;
        for (int s = 0; s < 7; s++) e += h * b[s] * k[s][i];
        error = fmax(error, fabs(e) / scale[i]);
    }
    return error;
}

/* Fraction of the step at which the indicator changes sign. */
static double locate(const mass_point *p, const double *y, double h, const double *scale,
                     double (*indicator)(const mass_point *, const double *), double *out) {
    double low = 0, high = h;
    for (int i = 0; i < 80; i++) {
        double mid = 0.5 * (low + high);
        step(p, y, mid, scale, out);
        if (indicator(p, out) > 0)
            low = mid;
        else
            high = mid;
    }
    return high;
}

static double approaching(const mass_point *p, const double *y) { return (void)p, y[RATE]; }
static double inside(const mass_point *p, const double *y) { return (void)p, y[DEPTH]; }
static double pushing(const mass_point *p, const double *y) { return force_at(p, y).f - 1e-290; }
/* Rate of the force: positive until its greatest value. */
static double rising(const mass_point *p, const double *y) {
    jn_normal_force f = force_at(p, y);
    return f.f_depth * y[RATE] - f.f_rate * f.f / p->m;
}

static void note(const mass_point *p, const double *y, impact *out) {
    jn_normal_force f = force_at(p, y);
    double energy = 0.5 * p->m * y[RATE] * y[RATE] + (y[DEPTH] > 0 ? f.energy : 0) + y[LOST];
    out->energy_error = fmax(out->energy_error, fabs(energy - 0.5 * p->m * p->v0 * p->v0));
    out->max_depth = fmax(out->max_depth, y[DEPTH]);
    out->max_force = fmax(out->max_force, f.f);
    out->lowest_force = fmin(out->lowest_force, f.f);
    out->stored_most = fmax(out->stored_most, f.energy);
}

/* What happens within the step from y to next, at time t. */
static void look(const mass_point *p, const double *y, const double *next, double t, double h, const double *scale,
                 impact *out) {
    double at[SIZE];
    if (y[RATE] > 0 && next[RATE] <= 0) {
        out->compression = t + locate(p, y, h, scale, approaching, at);
        note(p, at, out);
    }
    if (rising(p, y) > 0 && rising(p, next) <= 0) {
        locate(p, y, h, scale, rising, at);
        note(p, at, out);
    }
    bool cut = p->law->info->damping && !p->law->attraction; /* hysteresis pushes to the end, but for round-off */
    if (cut && !out->duration && y[RATE] < 0 && next[DEPTH] > 0 && pushing(p, next) <= 0)
        out->duration = t + locate(p, y, h, scale, pushing, at);
}

impact impact_integrate(const jn_normal_law *law, double mass, double speed, double tolerance) {
    mass_point p = {law, mass, speed};
    double energy = 0.5 * mass * speed * speed, d = jn_elastic_depth(&law->elastic, energy);
    double scale[3] = {tolerance * d, tolerance * speed, tolerance * energy};
    double y[SIZE] = {[RATE] = speed}, next[SIZE], t = 0, h = 1e-6 * d / speed;
    impact out = {0};
    note(&p, y, &out);
    for (long n = 0; n < 10000000; n++) {
        double error = step(&p, y, h, scale, next), factor = 0.9 * pow(fmax(error, 1e-10), -0.2);
        if (error <= 1) {
            if (next[DEPTH] <= 0 && n > 0) break;
            look(&p, y, next, t, h, scale, &out);
            for (int i = 0; i < SIZE; i++) y[i] = next[i];
            t += h;
            note(&p, y, &out);
        }
        h *= fmin(4, fmax(0.2, factor));
    }
    out.release = t + locate(&p, y, h, scale, inside, next);
    if (!out.duration) out.duration = out.release;
    note(&p, next, &out);
    out.restitution = -next[RATE] / speed;
    out.dissipated = next[LOST];
    out.loop = next[WORK];
    return out;
}
