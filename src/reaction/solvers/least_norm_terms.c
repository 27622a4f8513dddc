/* Terms of Newton's method over the velocities that contacts share: for impulses of least norm (least_norm.c), and for the proximal-point method (proximal_shared.c). */
#include "reaction/solvers/least_norm_work.h"
#include <math.h>
#include <string.h>

/* v = Y^T p and u = H v. */
static void scatter(const jn_least_norm_work *s, const double *p, double *v) {
    if (s->sparse)
        jn_bodies_scatter(&s->bodies, p, v);
    else
        jn_shared_scatter(&s->rows, p, v);
}

static void gather(const jn_least_norm_work *s, const double *v, double *u) {
    if (s->sparse)
        jn_bodies_gather(&s->bodies, v, u);
    else
        jn_shared_gather(&s->rows, v, u);
}

/* u += compliance p. */
static void add_compliance(const jn_least_norm_work *s, const double *p, double *u) {
    for (int k = 0; s->problem->compliance && k < s->n; k++) u[k] += s->problem->compliance[k / s->d] * p[k];
}

void jn_least_norm_velocity(jn_least_norm_work *s) {
    scatter(s, s->p, s->v);
    gather(s, s->v, s->u);
    for (int k = 0; k < s->n; k++) s->u[k] += s->problem->q[k];
    for (int i = s->nc - 1; i >= 0 && s->rows.given[i] > 0; i--) s->u[i * s->d] += s->rows.given[i] * s->p[i * s->d];
    add_compliance(s, s->p, s->u);
}

/* The augmented impulse p - r u of a contact of the regularised problem, with r = factor/w [Alart1991]. */
typedef struct augmented {
    double w, r, mu;
    double normal, x[2], size; /* along the normal, along the tangents, and the length of these */
} augmented;

JN_FOR_CONSTANTS augmented augment(const jn_least_norm_work *s, int i, double e, const int d) {
    augmented c = {.w = s->w[i], .r = s->factor * s->by_w[i], .mu = d > 1 ? s->problem->mu[i] : 0};
    const double *p = s->p + i * d, *u = s->u + i * d, *anchor = s->anchor + i * d;
    double square = 0, held = s->factor * e;
    c.normal = s->rows.given[i] > 0 ? p[0] : p[0] - c.r * u[0] - held * (p[0] - anchor[0]);
    for (int k = 1; k < d; k++) {
        c.x[k - 1] = p[k] - c.r * u[k] - held * (p[k] - anchor[k]);
        square += c.x[k - 1] * c.x[k - 1];
    }
    c.size = sqrt(square);
    return c;
}

JN_FOR_CONSTANTS double value_of(jn_least_norm_work *s, double e, const int d) {
    double largest = 0, sum = 0;
    for (int i = 0; i < s->nc; i++) {
        augmented c = augment(s, i, e, d);
        double *F = s->F + i * d, radius = c.mu * c.normal, part = c.size <= radius ? 1 : radius / c.size;
        const double *p = s->p + i * d;
        bool open = c.normal <= 0;
        F[0] = open ? p[0] : p[0] - c.normal;
        for (int k = 1; k < d; k++) F[k] = open || c.mu == 0 ? p[k] : p[k] - part * c.x[k - 1];
        for (int k = 0; k < d; k++) largest = jn_max(largest, c.w * fabs(F[k])), sum += F[k];
    }
    return isfinite(sum) ? largest : NAN;
}

double jn_least_norm_value(jn_least_norm_work *s, double e) {
    switch (s->d) { /* loops of constant length */
    case 1: return value_of(s, e, 1);
    case 2: return value_of(s, e, 2);
    default: return value_of(s, e, 3);
    }
}

/* With dF = A du + B dp: X = -(B + e w A)^-1 and C = -X A of one contact, e with its compliance over w. Where it slips along t, with g = mu p_N/|x|, P = 1 - t t^T and e r w for e,
 *     A = r (1, 0; mu t, g P),  B = (0, 0; -mu t, 1 - g P),  C = r (1/e, 0; mu t/e, g P/(1 - g (1 - e))). */
JN_FOR_CONSTANTS void slope_of(const jn_least_norm_work *s, int i, double e, const int d) {
    double *X = s->X + i * d * d, *C = s->C + i * d * d;
    augmented c = augment(s, i, e, d);
    e = s->factor * (e + jn_problem_compliance(s->problem, i) * s->by_w[i]);
    double by_e = 1 / e;
    bool open = c.normal <= 0, slips = c.size > c.mu * c.normal, given = s->rows.given[i] > 0;
    double coupled = given ? 0 : c.mu; /* a normal impulse that is given does not change */
    for (int k = 0; k < d * d; k++) C[k] = X[k] = 0;
    X[0] = open || given ? -1 : -by_e, C[0] = open || given ? 0 : c.r * by_e;
    if (open || c.mu == 0 || !slips) {
        bool sticks = !open && c.mu > 0;
        for (int k = 1; k < d; k++) X[k * d + k] = sticks ? -by_e : -1, C[k * d + k] = sticks ? c.r * by_e : 0;
        return;
    }
    double g = c.mu * c.normal / c.size, across = 1 / (1 - g * (1 - e)), t[2] = {c.x[0] / c.size, c.x[1] / c.size};
    for (int k = 1; k < d; k++) {
        X[k * d] = -coupled * (1 - e) * by_e * t[k - 1], C[k * d] = coupled * c.r * by_e * t[k - 1];
        for (int l = 1; l < d; l++) {
            double along = t[k - 1] * t[l - 1], P = (k == l) - along;
            X[k * d + l] = -along - across * P, C[k * d + l] = c.r * g * across * P;
        }
    }
}

bool jn_least_norm_factor(jn_least_norm_work *s, double e) {
    for (int i = 0; i < s->nc; i++) switch (s->d) {
        case 1: slope_of(s, i, e, 1); break;
        case 2: slope_of(s, i, e, 2); break;
        default: slope_of(s, i, e, 3);
        }
    ++*s->steps;
    return s->sparse ? jn_bodies_factor(&s->bodies, s->C) : jn_shared_factor(&s->rows, s->C);
}

/* y_i = A_i x_i of all contacts, or y_i -= A_i x_i. */
JN_FOR_CONSTANTS void multiply_blocks(int contacts, const double *restrict A, const double *restrict x,
                                      double *restrict y, const int d, const bool subtracts) {
    for (int i = 0; i < contacts; i++)
        for (int k = i * d; k < i * d + d; k++) {
            double sum = 0;
            for (int l = 0; l < d; l++) sum += A[k * d + l] * x[i * d + l];
            y[k] = subtracts ? y[k] - sum : sum;
        }
}

JN_FOR_CONSTANTS void multiply(const jn_least_norm_work *s, const double *A, const double *x, double *y,
                               const bool subtracts) {
    switch (s->d) {
    case 1: multiply_blocks(s->nc, A, x, y, 1, subtracts); break;
    case 2: multiply_blocks(s->nc, A, x, y, 2, subtracts); break;
    default: multiply_blocks(s->nc, A, x, y, 3, subtracts);
    }
}

void jn_least_norm_direction(jn_least_norm_work *s) {
    multiply(s, s->X, s->F, s->g, false);
    scatter(s, s->g, s->x);
    if (s->sparse)
        jn_bodies_solve(&s->bodies, s->x);
    else
        jn_shared_solve(&s->rows, s->x);
    gather(s, s->x, s->du);
    multiply(s, s->C, s->du, s->g, true);
    add_compliance(s, s->g, s->du);
}

void jn_least_norm_take_given(jn_least_norm_work *s) {
    for (int i = s->nc - 1; i >= 0 && s->rows.given[i] > 0; i--)
        s->p[i * s->d] = jn_max(0, -s->problem->q[i * s->d] / s->rows.given[i]);
}
