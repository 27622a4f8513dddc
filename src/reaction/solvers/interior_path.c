/* Primal-dual interior-point method with Nesterov and Todd's scaling. De Saxce's correction is part of Newton's system, so that
 * there is no loop around convex problems: the velocity w = W p + q + mu |w_T| e_N is an unknown of its own, and |w_T| is rounded
 * off over a radius that falls with the barrier. */
#include "reaction/solvers/interior_path.h"
#include "algebra/elementary.h"
#include <math.h>
#include <string.h>

static const double central = 0.001;  /* least eigenvalue of a pair, over the mean, that a step may leave */
static const double least_centring = 1e-6; /* of the barrier: a step that aims lower would leave the cones */
static const double no_step = 1e-8;        /* of a step: the path has ended */
static const double short_step = 0.3; /* a corrected step below this is replaced by one towards the centre */

/* x = (mu p_N, p_T), z = (w_N/mu, w_T): both in the cone of Lorentz. */
static inline double stretch(const jn_interior *path, int i) {
    return path->d > 1 && path->mu[i] > 0 ? path->mu[i] : 1;
}

static inline double determinant(int m, const double *x) {
    double t = 0;
    for (int k = 1; k < m; k++) t += x[k] * x[k];
    t = sqrt(t);
    return (x[0] - t) * (x[0] + t);
}

/* y = eta (2 h h^T - J) x, or the inverse of that. */
static inline void scale_by(int m, const double *G, bool inverse, const double *x, double *y) {
    double eta = inverse ? 1 / G[0] : G[0], dot = G[1] * x[0];
    const double *h = G + 1;
    for (int k = 1; k < m; k++) dot += (inverse ? -h[k] : h[k]) * x[k];
    double first = eta * (2 * dot * h[0] - x[0]);
    for (int k = 1; k < m; k++) y[k] = eta * (2 * dot * (inverse ? -h[k] : h[k]) + x[k]);
    y[0] = first;
}

/* Scaling point of Nesterov and Todd: G x = G^-1 z = lambda [Vandenberghe2010, section 4.2]. */
static inline bool scaling(int m, const double *x, const double *z, double *G, double *lambda) {
    double dx = determinant(m, x), dz = determinant(m, z), v[3], dot = 0;
    if (!(dx > 0 && dz > 0)) return false;
    double a = 1 / sqrt(dx), b = 1 / sqrt(dz);
    for (int k = 0; k < m; k++) dot += a * x[k] * b * z[k];
    double gamma = sqrt((1 + dot) / 2);
    for (int k = 0; k < m; k++) v[k] = (b * z[k] + (k ? -a : a) * x[k]) / (2 * gamma);
    G[0] = sqrt(sqrt(dz / dx));
    for (int k = 0; k < m; k++) G[1 + k] = (v[k] + (k == 0)) / sqrt(2 * (v[0] + 1));
    scale_by(m, G, false, x, lambda);
    return true;
}

/* b := lambda \ b in Jordan's algebra. */
static inline void divide(int m, const double *lambda, double *b) {
    double dot = lambda[0] * b[0];
    for (int k = 1; k < m; k++) dot -= lambda[k] * b[k];
    b[0] = dot / determinant(m, lambda);
    for (int k = 1; k < m; k++) b[k] = (b[k] - b[0] * lambda[k]) / lambda[0];
}

/* Largest t <= most with x + t dx in the cone. */
static inline double step_length(int m, const double *x, const double *dx, double most) {
    double a = dx[0] * dx[0], b = x[0] * dx[0], c = determinant(m, x), t = most;
    for (int k = 1; k < m; k++) a -= dx[k] * dx[k], b -= x[k] * dx[k];
    double root = b * b - a * c;
    if (dx[0] * t < -x[0]) t = -x[0] / dx[0];
    if (root >= 0) { /* a t^2 + 2 b t + c = 0 */
        double q = -(b + copysign(sqrt(root), b)), t1 = a != 0 ? q / a : -1, t2 = q != 0 ? c / q : -1;
        if (t1 > 0 && t1 < t) t = t1;
        if (t2 > 0 && t2 < t) t = t2;
    }
    return t;
}

static inline void to_cone(const jn_interior *path, int i, int d, const double *p, const double *w, double *x,
                           double *z) {
    double m = stretch(path, i);
    for (int k = 0; k < d; k++) x[k] = p[i * d + k] * (k ? 1 : m), z[k] = w[i * d + k] / (k ? 1 : m);
}

void jn_interior_layout(int d, int nc, jn_scratch *s, jn_interior *path) {
    size_t n = (size_t)(d * nc);
    *path = (jn_interior){.d = d, .nc = nc};
    double **vectors[] = {&path->p,     &path->w,      &path->u, &path->dp, &path->dw,
                          &path->right, &path->lambda, &path->r, &path->f};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(s, n, sizeof(double));
    path->B = jn_scratch_take(s, n * (size_t)d, sizeof(double));
    path->G = jn_scratch_take(s, n + (size_t)nc, sizeof(double));
}

void jn_interior_start(jn_interior *path, double size) {
    for (int i = 0; i < path->nc; i++)
        for (int k = 0; k < path->d; k++) {
            double m = stretch(path, i);
            path->p[i * path->d + k] = k ? 0 : size / m / sqrt(path->nc);
            path->w[i * path->d + k] = k ? 0 : size * m / sqrt(path->nc);
        }
}

/* The pair with x - z = s and x o z = mu e: (s + sqrt(s^2 + 4 mu))/2 of both eigenvalues of s, and mu over that. */
static void pair_from(int m, double mu, const double *s, double *x, double *z) {
    double t = 0;
    for (int k = 1; k < m; k++) t += s[k] * s[k];
    t = sqrt(t);
    double value[2] = {s[0] + t, s[0] - t}, inverse[2];
    for (int k = 0; k < 2; k++) {
        double root = sqrt(value[k] * value[k] + 4 * mu);
        value[k] = value[k] > 0 ? 0.5 * (value[k] + root) : 2 * mu / (root - value[k]);
        inverse[k] = mu / value[k];
    }
    x[0] = 0.5 * (value[0] + value[1]), z[0] = 0.5 * (inverse[0] + inverse[1]);
    for (int k = 1; k < m; k++) {
        double c = t > 0 ? 0.5 * s[k] / t : 0;
        x[k] = c * (value[0] - value[1]), z[k] = c * (inverse[0] - inverse[1]);
    }
}

void jn_interior_start_near(jn_interior *path, const double *p, double size) {
    int d = path->d;
    for (int i = 0; i < path->nc; i++) {
        double x[3] = {0}, z[3] = {0}, s[3] = {0}, w[3] = {0}, normal = stretch(path, i), t = 0;
        int m = jn_interior_cone(path, i);
        for (int k = 0; k < d; k++) w[k] = path->u[i * d + k], t += k ? w[k] * w[k] : 0;
        w[0] += path->mu[i] * sqrt(t);
        for (int k = 0; k < m; k++) s[k] = k ? p[i * d + k] - w[k] : normal * p[i * d] - w[0] / normal;
        pair_from(m, size * size / path->nc, s, x, z);
        for (int k = 0; k < d; k++) {
            path->p[i * d + k] = k == 0 ? x[0] / normal : k < m ? x[k] : 0;
            path->w[i * d + k] = k == 0 ? z[0] * normal : k < m ? z[k] : 0;
        }
    }
}

/* Barrier parameter: mean of x.z. */
static double barrier(const jn_interior *path) {
    double sum = 0;
    for (int i = 0; i < path->nc; i++)
        for (int k = 0; k < jn_interior_cone(path, i); k++) sum += path->p[i * path->d + k] * path->w[i * path->d + k];
    return sum / path->nc;
}

/* Calls a function of one contact with its dimensions; in space and with friction they are constants for the compiler. */
#define FOR_CONTACT(f, path, i, ...)                                                                                   \
    ((path)->d == 3 && (path)->mu[i] > 0 ? f(path, i, 3, 3, __VA_ARGS__)                                               \
                                         : f(path, i, (path)->d, jn_interior_cone(path, i), __VA_ARGS__))

/* Slope of the rounded |w_T| and its value; round: radius of rounding. */
static inline double slip(double mu, int d, const double *w, double round, double *slope) {
    double t = round * round;
    for (int k = 1; k < d; k++) t += w[k] * w[k];
    t = sqrt(t);
    double part = t > 0 ? mu / t : 0;
    for (int k = 1; k < d; k++) slope[k] = part * w[k];
    return d > 1 ? mu * (t - round) : 0;
}

/* D G^2 D = eta^2 D (2 v v^T - J) D, where v = 2 h_0 h - e is the scaling point; D = diag(normal, 1, 1). Rows by d. */
static inline void square_of(int m, const double *G, double normal, int d, double *square) {
    const double *h = G + 1;
    double v[3] = {(2 * h[0] * h[0] - 1) * normal, 0, 0}, eta = G[0] * G[0];
    for (int k = 1; k < m; k++) v[k] = 2 * h[0] * h[k];
    for (int k = 0; k < m; k++) {
        for (int c = 0; c < m; c++) square[k * d + c] = 2 * eta * v[k] * v[c];
        square[k * d + k] += k ? eta : -eta * normal * normal;
    }
}

static inline bool assemble_contact(jn_interior *path, int i, int d, int m, double round) {
    double x[3] = {0}, z[3] = {0}, slope[3] = {0}, *G = path->G + i * (d + 1), *B = path->B + i * d * d;
    double normal = stretch(path, i);
    to_cone(path, i, d, path->p, path->w, x, z);
    if (!scaling(m, x, z, G, path->lambda + i * d)) return false;
    double correction = slip(path->mu[i], d, path->w + i * d, round, slope);
    for (int k = 0; k < d; k++) path->f[i * d + k] = path->u[i * d + k] + (k ? 0 : correction) - path->w[i * d + k];
    for (int k = 0; k < d * d; k++) B[k] = 0;
    square_of(m, G, normal, d, B);
    for (int c = 0; c < d; c++)
        for (int k = 1; k < m; k++) B[c] -= slope[k] * B[k * d + c]; /* (1 - C) D G^2 D */
    for (int k = m; k < d; k++) B[k * d + k] = 1;
    return true;
}

/* Newton's matrix W + (1 - C) D G^2 D and the residual f = W p + q + mu |w_T| e_N - w. */
static int assemble(jn_interior *path, double round) {
    path->velocity(path->context, path->p, path->u);
    for (int i = 0; i < path->nc; i++)
        if (!FOR_CONTACT(assemble_contact, path, i, round)) return JN_ERR_NUMERIC;
    return path->factor(path->context, path->B);
}

/* Newton's right-hand side from r = lambda \ (target e - lambda o lambda - corrector). */
static inline void right_of_contact(jn_interior *path, int i, int d, int m, double target, bool corrector,
                                    double round) {
    double *G = path->G + i * (d + 1), *lambda = path->lambda + i * d, *r = path->r + i * d, slope[3] = {0}, g[3] = {0};
    for (int k = 1; k < m; k++) r[k] = -2 * lambda[0] * lambda[k];
    r[0] = target;
    for (int k = 0; k < m; k++) r[0] -= lambda[k] * lambda[k];
    if (corrector) {
        double dx[3], dz[3];
        to_cone(path, i, d, path->dp, path->dw, dx, dz);
        scale_by(m, G, false, dx, dx), scale_by(m, G, true, dz, dz);
        for (int k = 0; k < m; k++) r[0] -= dx[k] * dz[k];
        for (int k = 1; k < m; k++) r[k] -= dx[0] * dz[k] + dz[0] * dx[k];
    }
    divide(m, lambda, r);
    scale_by(m, G, false, r, g);
    g[0] *= stretch(path, i); /* D G r */
    slip(path->mu[i], d, path->w + i * d, round, slope);
    for (int k = 1; k < m; k++) g[0] -= slope[k] * g[k];
    for (int k = 0; k < d; k++) path->right[i * d + k] = k < m ? g[k] - path->f[i * d + k] : -path->p[i * d + k];
}

/* dz = G (r - G dx). */
static inline void dual_of_contact(jn_interior *path, int i, int d, int m, double normal) {
    double dx[3], dz[3], *G = path->G + i * (d + 1), *r = path->r + i * d;
    to_cone(path, i, d, path->dp, path->dw, dx, dz);
    scale_by(m, G, false, dx, dx);
    for (int k = 0; k < m; k++) dx[k] = r[k] - dx[k];
    scale_by(m, G, false, dx, dz);
    for (int k = 0; k < d; k++) path->dw[i * d + k] = k == 0 ? dz[0] * normal : k < m ? dz[k] : 0;
}

/* dp, dw for the right-hand side lambda \ (target e - lambda o lambda - corrector); the corrector is made from the dp, dw that
 * stand there. */
static void direction(jn_interior *path, double target, bool corrector, double round) {
    for (int i = 0; i < path->nc; i++) FOR_CONTACT(right_of_contact, path, i, target, corrector, round);
    path->solve(path->context, path->right, path->dp);
    for (int i = 0; i < path->nc; i++) FOR_CONTACT(dual_of_contact, path, i, stretch(path, i));
}

static inline double reach_of_contact(const jn_interior *path, int i, int d, int m, double most) {
    double x[3] = {0}, z[3] = {0}, dx[3] = {0}, dz[3] = {0};
    to_cone(path, i, d, path->p, path->w, x, z), to_cone(path, i, d, path->dp, path->dw, dx, dz);
    return step_length(m, z, dz, step_length(m, x, dx, most));
}

static double longest(const jn_interior *path) {
    double t = 1;
    for (int i = 0; i < path->nc; i++) t = FOR_CONTACT(reach_of_contact, path, i, t);
    return t;
}

/* Least eigenvalue of x o z after the part t of the step; their mean is added to the sum. */
static inline double least_of_contact(const jn_interior *path, int i, int d, int m, double t, double *sum) {
    double x[3] = {0}, z[3] = {0}, dx[3], dz[3], dot = 0;
    to_cone(path, i, d, path->p, path->w, x, z), to_cone(path, i, d, path->dp, path->dw, dx, dz);
    for (int k = 0; k < m; k++) x[k] += t * dx[k], z[k] += t * dz[k], dot += x[k] * z[k];
    double product = determinant(m, x) * determinant(m, z);
    *sum += dot;
    return product / (dot + sqrt(jn_fmax(dot * dot - product, 0)));
}

/* Smallest eigenvalue of a pair over the mean: 1 on the central path. */
static double centrality(const jn_interior *path, double t) {
    double least = INFINITY, sum = 0;
    for (int i = 0; i < path->nc; i++) least = jn_fmin(least, FOR_CONTACT(least_of_contact, path, i, t, &sum));
    return least / (sum / path->nc);
}

int jn_interior_step(jn_interior *path) {
    double mu = barrier(path), round = mu;
    if (assemble(path, round) < 0) return JN_ERR_NUMERIC;
    direction(path, 0, false, round);
    double sigma = jn_pow(1 - longest(path), 3);
    direction(path, jn_fmax(sigma, least_centring) * mu, true, round);
    double reach = longest(path);
    if (reach < short_step) direction(path, 0.8 * mu, false, round), reach = longest(path);
    double t = jn_fmin(1, reach * jn_fmin(0.999, jn_fmax(0.9, 1 - mu)));
    for (int k = 0; k < 10 && !(centrality(path, t) >= central); k++) t *= 0.8;
    for (int i = 0; i < path->d * path->nc; i++) path->p[i] += t * path->dp[i], path->w[i] += t * path->dw[i];
    path->length = t;
    return t > no_step ? JN_OK : JN_NOT_CONVERGED;
}
