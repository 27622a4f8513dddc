/* Independent answers for random scenes of method impact. */
#include "impact_answers.h"

#include <math.h>
#include <string.h>

#define G 9.81
enum { MOST = 8 };

typedef void rate_function(double t, const double *y, const void *p, double *out);

static void runge_kutta(rate_function *f, const void *p, double t, double h, int n, double *y) {
    double k[4][MOST], z[MOST];
    for (int s = 0; s < 4; s++) {
        double c = s == 0 ? 0 : s == 3 ? h : h / 2;
        for (int i = 0; i < n; i++) z[i] = y[i] + (s ? c * k[s - 1][i] : 0);
        f(t + c, z, p, k[s]);
    }
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* One step of at most h in which `left` stays positive: to its zero, by bisection. Returns the length. */
static double step_until(rate_function *f, const void *p, double t, double h, int n, double *y,
                         double (*left)(double, const double *, const void *), bool *ended) {
    double trial[MOST], lo = 0, hi = h;
    memcpy(trial, y, sizeof trial);
    runge_kutta(f, p, t, h, n, trial);
    *ended = !(left(t + h, trial, p) > 0);
    for (int i = 0; i < 60 && *ended; i++) {
        double mid = 0.5 * (lo + hi);
        memcpy(trial, y, sizeof trial);
        runge_kutta(f, p, t, mid, n, trial);
        if (left(t + mid, trial, p) > 0)
            lo = mid;
        else
            hi = mid;
    }
    runge_kutta(f, p, t, hi, n, y);
    return hi;
}

/* ------------------------------------------------------------------------------------------------------------- belt */

typedef struct belt {
    double m, k, v, swing, mu_d, mu_s;
    int mode; /* 0: sticks; 1, -1: the belt runs ahead of the block, or behind it */
} belt;

static double belt_speed(const belt *b, double t) { return b->v + 20 * b->swing * cos(20 * t); }
static double belt_pull(const belt *b, double t, double x) { /* [m/s^2] friction that sticking needs */
    return b->k * x / b->m - 400 * b->swing * sin(20 * t);
}

static void belt_rate(double t, const double *y, const void *p, double *out) {
    const belt *b = p;
    out[0] = b->mode ? y[1] : belt_speed(b, t);
    out[1] = b->mode ? -b->k * y[0] / b->m + b->mode * b->mu_d * G : -400 * b->swing * sin(20 * t);
}

static double belt_left(double t, const double *y, const void *p) {
    const belt *b = p;
    return b->mode ? b->mode * (belt_speed(b, t) - y[1]) : b->mu_s * G - fabs(belt_pull(b, t, y[0]));
}

void answer_belt(double m, double k, double v, double swing, const double mu[2], double T, double *x) {
    belt b = {m, k, v, swing, mu[0], mu[1], 0};
    double y[MOST] = {0}, t = 0;
    b.mode = belt_speed(&b, 0) > 0 ? 1 : belt_speed(&b, 0) < 0 ? -1 : 0;
    for (bool ended; t < T;) {
        double h = fmin(1e-4, T - t);
        t += step_until(belt_rate, &b, t, h, 2, y, belt_left, &ended);
        if (T - t < 1e-15) break;
        if (!ended) continue;
        double pull = belt_pull(&b, t, y[0]);
        bool sticks = b.mode && fabs(pull) <= b.mu_s * G;
        if (b.mode) y[1] = belt_speed(&b, t);
        b.mode = sticks ? 0 : pull > 0 ? 1 : -1;
    }
    *x = y[0];
}

/* ------------------------------------------------------------------------------------------------------------- ball */

typedef struct ball {
    double gt, gn, mu;
} ball; /* [m/s^2] gravity along x and against the normal */

/* x, y; velocity; slip, of a ball that slides. */
static void slide_rate(double t, const double *y, const void *p, double *out) {
    const ball *b = p;
    double size = hypot(y[4], y[5]), f = size > 0 ? b->mu * b->gn / size : 0;
    (void)t;
    out[0] = y[2], out[1] = y[3], out[2] = b->gt - f * y[4], out[3] = -f * y[5];
    out[4] = b->gt - 3.5 * f * y[4], out[5] = -3.5 * f * y[5];
}

/* On the plane until the time T: slides, then rolls, or slides on where the slope is steep. */
static void slide(const ball *b, double t, double T, double *y) {
    bool rolls = fabs(b->gt) * 2 / 7 <= b->mu * b->gn;
    while (t < T) {
        double size = hypot(y[4], y[5]), rate = 3.5 * b->mu * b->gn + fabs(b->gt);
        if (size < 1e-9) break;
        double h = fmin(fmin(1e-4, T - t), 0.05 * size / rate);
        runge_kutta(slide_rate, b, t, h, 6, y), t += h;
    }
    double left = T - t, along = rolls ? b->gt * 5 / 7 : b->gt - copysign(b->mu * b->gn, b->gt);
    if (!(left > 0)) return;
    y[0] += left * (y[2] + 0.5 * left * along), y[1] += left * y[3];
}

void answer_ball(double r, double a, double e, double high, const double v[3], const double w[3], double mu, double T,
                 double x[3]) {
    ball b = {-G * sin(a), G * cos(a), mu};
    double y[MOST] = {0, 0, v[0], v[1], v[0] - r * w[1], v[1] + r * w[0]}, z = high, vz = v[2], t = 0;
    for (;;) {
        double fall = (vz + sqrt(vz * vz + 2 * b.gn * z)) / b.gn, h = fmin(fall, T - t);
        y[0] += h * (y[2] + 0.5 * h * b.gt), y[1] += h * y[3], y[2] += h * b.gt, y[4] += h * b.gt;
        z += h * (vz - 0.5 * h * b.gn), vz -= h * b.gn, t += h;
        if (h < fall) break;
        double p = -(1 + e) * vz, size = hypot(y[4], y[5]), j = fmin(size / 3.5, mu * p);
        for (int i = 0; i < 2 && size > 0; i++) y[2 + i] -= j * y[4 + i] / size, y[4 + i] -= 3.5 * j * y[4 + i] / size;
        z = 0, vz = -e * vz;
        if (vz * 2 / b.gn < 1e-9) {
            slide(&b, t, T, y);
            break;
        }
    }
    x[0] = y[0], x[1] = y[1], x[2] = z - high;
}

/* ----------------------------------------------------------------------------------------------------------- ladder */

typedef struct ladder {
    double l, leaves; /* sine of the angle at which it leaves the wall */
    bool free;
} ladder;

static void ladder_rate(double t, const double *y, const void *p, double *out) {
    const ladder *b = p;
    double l = b->l, c = cos(y[0]), s = sin(y[0]);
    (void)t;
    out[0] = y[1];
    out[1] =
        b->free ? -0.5 * l * c * (G - 0.5 * l * s * y[1] * y[1]) / (l * l / 12 + l * l * c * c / 4) : -1.5 * G / l * c;
}

static double ladder_left(double t, const double *y, const void *p) {
    const ladder *b = p;
    (void)t;
    return b->free ? y[0] : sin(y[0]) - b->leaves;
}

bool answer_ladder(double l, double a, double T, double x[2]) {
    ladder b = {l, 2.0 / 3 * sin(a), false};
    double y[MOST] = {a, 0}, t = 0, from = 0, place = 0, speed = 0;
    for (bool ended; t < T;) {
        t += step_until(ladder_rate, &b, t, fmin(1e-4, T - t), 2, y, ladder_left, &ended);
        if (ended && b.free) return false; /* it has fallen */
        if (ended) b.free = true, from = t, place = 0.5 * l * cos(y[0]), speed = -0.5 * l * sin(y[0]) * y[1];
    }
    x[0] = (b.free ? place + speed * (T - from) : 0.5 * l * cos(y[0])) - 0.5 * l * cos(a);
    x[1] = 0.5 * l * (sin(y[0]) - sin(a));
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

typedef struct boxes {
    double m, M, rate;
    double mu[2][2]; /* between them, on the ground; dynamic and static */
    bool upper;
    int slip[2]; /* sign of the slip: of the upper on the lower one, of the lower one on the ground; 0: sticks */
} boxes;

/* Accelerations of both, and friction: on the upper one, on the lower one by the ground. */
static void boxes_solve(const boxes *b, double t, double a[2], double f[2]) {
    double F[2] = {b->upper ? b->rate * t : 0, b->upper ? 0 : b->rate * t};
    double most[2] = {b->m * G, (b->m + b->M) * G};
    for (int i = 0; i < 2; i++) f[i] = -b->slip[i] * b->mu[i][0] * most[i];
    if (!b->slip[0] && !b->slip[1]) {
        a[0] = a[1] = 0, f[0] = -F[0], f[1] = -F[0] - F[1];
    } else if (!b->slip[0]) {
        a[0] = a[1] = (F[0] + F[1] + f[1]) / (b->m + b->M), f[0] = b->m * a[0] - F[0];
    } else {
        a[0] = (F[0] + f[0]) / b->m, a[1] = b->slip[1] ? (F[1] - f[0] + f[1]) / b->M : 0;
        if (!b->slip[1]) f[1] = f[0] - F[1];
    }
}

static void boxes_rate(double t, const double *y, const void *p, double *out) {
    double f[2];
    out[0] = y[2], out[1] = y[3];
    boxes_solve(p, t, out + 2, f);
}

static double boxes_left(double t, const double *y, const void *p) {
    const boxes *b = p;
    double a[2], f[2], least = INFINITY, normal[2] = {b->m * G, (b->m + b->M) * G}, v[2] = {y[2] - y[3], y[3]};
    boxes_solve(b, t, a, f);
    for (int i = 0; i < 2; i++) /* both in parts of their limits */
        least = fmin(least, b->slip[i] ? b->slip[i] * v[i] + 1e-13 : 1 - fabs(f[i]) / (b->mu[i][1] * normal[i]));
    return least;
}

/* Whether the centres of pressure are well inside. */
static bool boxes_stand(const boxes *b, double t, const double *y) {
    double a[2], f[2];
    boxes_solve(b, t, a, f);
    double upper = y[0] + 0.02, press = upper - 0.05 * a[0] / G, on = press - y[1];
    double p = (b->m * G * on - 0.05 * f[0] - 0.05 * f[1]) / ((b->m + b->M) * G);
    return fabs(press - upper) < 0.24 && fabs(on) < 0.49 && fabs(p) < 0.49;
}

/* Signs of the slips that begin: those that a contact at its limit needs. */
static void boxes_break(boxes *b, double t, const double *y) {
    double a[2], f[2], normal[2] = {b->m * G, (b->m + b->M) * G}, v[2] = {y[2] - y[3], y[3]};
    for (int i = 0; i < 2; i++)
        if (b->slip[i] && b->slip[i] * v[i] <= 0) b->slip[i] = 0;
    for (int turn = 0; turn < 3; turn++) {
        boxes_solve(b, t, a, f);
        for (int i = 0; i < 2; i++)
            if (!b->slip[i] && fabs(f[i]) > (1 - 1e-12) * b->mu[i][1] * normal[i]) {
                b->slip[i] = f[i] > 0 ? -1 : 1;
                break;
            }
    }
}

bool answer_boxes(double m, double M, const double mu[2], const double low[2], double rate, bool upper, double T,
                  double *x) {
    boxes b = {m, M, rate, {{mu[0], mu[1]}, {low[0], low[1]}}, upper, {0, 0}};
    double y[MOST] = {0}, t = 0;
    for (bool ended; t < T;) {
        t += step_until(boxes_rate, &b, t, fmin(1e-4, T - t), 4, y, boxes_left, &ended);
        if (!boxes_stand(&b, t, y)) return false;
        if (ended && T - t > 1e-15) boxes_break(&b, t, y);
    }
    *x = y[0];
    return true;
}

/* ------------------------------------------------------------------------------------------------------ sliding box */

/* c = A^-1 r, 3 x 3, by Cramer's rule. */
static void solve3(double A[3][3], const double *r, double *c) {
    double det = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += A[0][k] * (A[1][i] * A[2][j] - A[1][j] * A[2][i]);
    }
    for (int col = 0; col < 3; col++) {
        double B[3][3], sum = 0;
        memcpy(B, A, sizeof B);
        for (int i = 0; i < 3; i++) B[i][col] = r[i];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            sum += B[0][k] * (B[1][i] * B[2][j] - B[1][j] * B[2][i]);
        }
        c[col] = sum / det;
    }
}

/* Corners carry loads as equal springs under a rigid plate do: N = c0 + c1 x + c2 y. Returns the speed of the slowest one. */
static double box_rates(double t, const double *y, const sliding_box *s, double *out) {
    double c = cos(y[2]), n = sin(y[2]), z = s->h / 2, r[4][2], f[4][2], A[3][3] = {{0}}, k[3], slowest = INFINITY;
    double right[3] = {s->m * G, 0, 0};
    for (int i = 0; i < 4; i++) {
        double px = (i < 2 ? 0.5 : -0.5) * s->a, py = (i % 2 ? 0.5 : -0.5) * s->b;
        r[i][0] = c * px - n * py, r[i][1] = n * px + c * py;
        double v[2] = {y[3] - y[5] * r[i][1], y[4] + y[5] * r[i][0] - s->floor}, size = hypot(v[0], v[1]);
        slowest = fmin(slowest, size);
        for (int j = 0; j < 2; j++) f[i][j] = -s->mu * v[j] / size;
        double B[3] = {1, r[i][0], r[i][1]};
        for (int j = 0; j < 3; j++) {
            A[0][j] += B[j], A[1][j] += (r[i][1] + z * f[i][1]) * B[j], A[2][j] += (-z * f[i][0] - r[i][0]) * B[j];
        }
    }
    solve3(A, right, k);
    double push = s->rate * t, I = s->m * (s->a * s->a + s->b * s->b) / 12;
    out[0] = y[3], out[1] = y[4], out[2] = y[5], out[3] = push / s->m, out[4] = 0, out[5] = -push * c * s->b / 2 / I;
    for (int i = 0; i < 4; i++) {
        double N = k[0] + k[1] * r[i][0] + k[2] * r[i][1];
        out[3] += N * f[i][0] / s->m, out[4] += N * f[i][1] / s->m;
        out[5] += N * (r[i][0] * f[i][1] - r[i][1] * f[i][0]) / I;
        if (!(N > 0)) slowest = 0;
    }
    return slowest;
}

static void box_rate(double t, const double *y, const void *p, double *out) { box_rates(t, y, p, out); }

double answer_sliding_box(const sliding_box *box, double T, double x[2]) {
    double y[MOST] = {0, 0, 0, box->v[0], box->v[1], box->spin}, t = 0, ignored[MOST];
    while (t < T && box_rates(t, y, box, ignored) > 0.1) {
        double h = fmin(1e-4, T - t);
        runge_kutta(box_rate, box, t, h, 6, y), t += h;
    }
    x[0] = y[0], x[1] = y[1];
    return t;
}
