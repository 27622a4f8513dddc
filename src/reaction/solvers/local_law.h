/* Coulomb's law with unilateral contact at one contact, solved exactly: u = W p + q with a d x d matrix W.
 *
 * Take-off: q_N >= 0, p = 0. Stick: u = 0, p = -W^-1 q in the cone. Slip: u_N = 0, u_T = -alpha p_T, |p_T| = mu p_N; with p_N
 * eliminated, (W' + alpha) p_T = -q' and W' = W_TT - W_TN W_NT/W_NN, so that one scalar equation for alpha > 0 is left
 * [Bonnefon2011]. It always has a root where the contact neither takes off nor sticks: at alpha = 0 the impulse is outside of
 * the cone, for alpha -> infinity inside. No direction is preferred. */
#ifndef JN_REACTION_SOLVERS_LOCAL_LAW_H
#define JN_REACTION_SOLVERS_LOCAL_LAW_H

#include <math.h>
#include <stdbool.h>

/* What is kept of W: d = 3 uses all, d = 2 the first of each pair, d = 1 only `inverse`. */
typedef struct jn_local {
    double inverse;    /* 1/W_NN; 0 where W_NN is not positive: no impulse then */
    double n1, n2;     /* W_NT */
    double t1, t2;     /* W_TN/W_NN */
    double a, b, c, e; /* W' by rows */
    double stick;      /* 1/det W'; 0 where W' is zero */
    double mu;
    double alpha; /* of the last slip: first guess of the next */
} jn_local;

/* Where the tangential directions hang on the normal one or on each other, W' gets a little of its own, so that sticking has one
 * answer. */
#define JN_LOCAL_SINGULAR 1e-14
#define JN_LOCAL_CORRECTION_REL 1e-8     /* of alpha: Newton's method squares it, below the machine's precision */
#define JN_LOCAL_SLIP_MOST 1e9           /* times the mobility: with a larger alpha the slip of a cone's whole impulse is round-off */
enum {
    JN_LOCAL_ITERATIONS_MOST = 200, /* bisections of any bracket end before */
    JN_LOCAL_SLIP_HALVES = 60       /* of alpha, from there to where impulses are without bound */
};

static inline jn_local jn_local_prepare(int d, const double *W, double mu) {
    jn_local l = {.mu = mu};
    if (!(W[0] > 0)) return l;
    l.inverse = 1 / W[0];
    if (d == 1) return l;
    l.n1 = W[1], l.t1 = W[d] * l.inverse;
    l.a = W[d + 1] - l.t1 * l.n1;
    if (d == 2) {
        if (l.a <= JN_LOCAL_SINGULAR * W[3]) l.a += 100 * JN_LOCAL_SINGULAR * W[3];
        l.stick = l.a > 0 ? 1 / l.a : 0;
        return l;
    }
    l.n2 = W[2], l.t2 = W[6] * l.inverse;
    l.b = W[5] - l.t1 * l.n2, l.c = W[7] - l.t2 * l.n1, l.e = W[8] - l.t2 * l.n2;
    double det = l.a * l.e - l.b * l.c, size = W[4] + W[8];
    if (det <= JN_LOCAL_SINGULAR * size * size) {
        l.a += 100 * JN_LOCAL_SINGULAR * size, l.e += 100 * JN_LOCAL_SINGULAR * size;
        det = l.a * l.e - l.b * l.c;
    }
    l.stick = det > 0 ? 1 / det : 0;
    return l;
}

/* p_T and p_N at a given alpha; derivatives with alpha too. */
typedef struct jn_local_slip {
    double p1, p2, pn, length, d1, d2, step; /* step: Newton's for mu p_N/|p_T| = 1 */
    bool outside;                            /* |p_T| > mu p_N: alpha is too small */
} jn_local_slip;

static inline jn_local_slip jn_local_slip_at(const jn_local *l, double qn, double q1, double q2, double alpha) {
    jn_local_slip s;
    double a = l->a + alpha, e = l->e + alpha, r = 1 / (a * e - l->b * l->c);
    s.p1 = (l->b * q2 - e * q1) * r, s.p2 = (l->c * q1 - a * q2) * r;         /* -(W' + alpha)^-1 q' */
    s.d1 = (l->b * s.p2 - e * s.p1) * r, s.d2 = (l->c * s.p1 - a * s.p2) * r; /* dp_T/dalpha */
    s.pn = -(qn + l->n1 * s.p1 + l->n2 * s.p2) * l->inverse;
    double dn = -(l->n1 * s.d1 + l->n2 * s.d2) * l->inverse, square = s.p1 * s.p1 + s.p2 * s.p2;
    s.length = sqrt(square);
    double excess = l->mu * s.pn - s.length;
    s.outside = excess < 0;
    s.step = -excess * square / (l->mu * (dn * square - s.pn * (s.p1 * s.d1 + s.p2 * s.d2)));
    return s;
}

/* Newton's method for mu p_N/|p_T| = 1, nearly linear in alpha, kept between bounds. Ends when the next correction would be
 * below the machine's precision; about two evaluations from a good guess. */
static inline void jn_local_slip_solve(jn_local *l, double qn, double q1, double q2, double *p) {
    double low = 0, high = INFINITY, size = 0.5 * (l->a + l->e), alpha = l->alpha > 0 ? l->alpha : size;
    jn_local_slip s = {0};
    for (int k = 0; k < JN_LOCAL_ITERATIONS_MOST; k++) {
        s = jn_local_slip_at(l, qn, q1, q2, alpha);
        if (fabs(s.step) <= JN_LOCAL_CORRECTION_REL * alpha) break;
        if (s.outside)
            low = alpha;
        else
            high = alpha;
        double next = alpha + s.step;
        if (!(next > low && next < high)) next = high < INFINITY ? 0.5 * (low + high) : 4 * alpha + size;
        if (next == alpha) {
            s.step = 0;
            break;
        }
        alpha = next;
    }
    l->alpha = alpha + s.step;
    s.p1 += s.d1 * s.step, s.p2 += s.d2 * s.step;
    double pn = -(qn + l->n1 * s.p1 + l->n2 * s.p2) * l->inverse;
    p[0] = pn > 0 ? pn : 0;
    double length = sqrt(s.p1 * s.p1 + s.p2 * s.p2), scale = length > 0 ? l->mu * p[0] / length : 0;
    p[1] = s.p1 * scale, p[2] = s.p2 * scale;
}

static inline void jn_local_solve3(jn_local *l, const double *q, double *p) {
    if (q[0] >= 0 || l->inverse == 0) {
        p[0] = p[1] = p[2] = 0;
        return;
    }
    double q1 = q[1] - l->t1 * q[0], q2 = q[2] - l->t2 * q[0];
    double p1 = (l->b * q2 - l->e * q1) * l->stick, p2 = (l->c * q1 - l->a * q2) * l->stick;
    double pn = -(q[0] + l->n1 * p1 + l->n2 * p2) * l->inverse;
    bool known = l->stick > 0 || (q1 == 0 && q2 == 0);
    if (known && pn >= 0 && p1 * p1 + p2 * p2 <= l->mu * l->mu * pn * pn) {
        p[0] = pn, p[1] = p1, p[2] = p2;
    } else if (l->mu > 0) {
        jn_local_slip_solve(l, q[0], q1, q2, p);
    } else {
        p[0] = -q[0] * l->inverse, p[1] = p[2] = 0;
    }
}

static inline void jn_local_solve2(const jn_local *l, const double *q, double *p) {
    if (q[0] >= 0 || l->inverse == 0) {
        p[0] = p[1] = 0;
        return;
    }
    double q1 = q[1] - l->t1 * q[0], p1 = -q1 * l->stick, pn = -(q[0] + l->n1 * p1) * l->inverse;
    if (l->stick > 0 && pn >= 0 && fabs(p1) <= l->mu * pn) {
        p[0] = pn, p[1] = p1;
        return;
    }
    double s = q1 > 0 ? -l->mu : l->mu, down = 1 + s * l->n1 * l->inverse; /* p_T = s p_N against the slip */
    p[0] = down > 0 ? -q[0] * l->inverse / down : 0;
    p[1] = s * p[0];
}

static inline void jn_local_solve(int d, jn_local *l, const double *q, double *p) {
    if (d == 3)
        jn_local_solve3(l, q, p);
    else if (d == 2)
        jn_local_solve2(l, q, p);
    else
        p[0] = q[0] >= 0 ? 0 : -q[0] * l->inverse;
}

/* Another answer of a contact that slips, beside sticking: with friction and few motions there may be some. p is untouched where there is none. */
static inline bool jn_local_slip_instead2(const double *W, double mu, const double *q, double *p) {
    for (int side = 0; side < 2; side++) { /* p_T = s p_N against the slip */
        double s = side ? mu : -mu, down = W[0] + s * W[1], pn = down > 0 ? -q[0] / down : 0;
        if (pn > 0 && s * (q[1] + (W[2] + s * W[3]) * pn) < 0) return p[0] = pn, p[1] = s * pn, true;
    }
    return false;
}

/* |p_T| = mu p_N has its roots between values of alpha inside and outside of the cone. It is inside at both ends here, so they are two or none;
 * two within a factor of two are not seen. */
static inline bool jn_local_slip_instead3(jn_local *l, const double *q, double *p) {
    double q1 = q[1] - l->t1 * q[0], q2 = q[2] - l->t2 * q[0], alpha = 0.5 * (l->a + l->e) * JN_LOCAL_SLIP_MOST;
    for (int k = 0; k < JN_LOCAL_SLIP_HALVES && alpha > 0; k++, alpha *= 0.5) {
        if (!jn_local_slip_at(l, q[0], q1, q2, alpha).outside) continue;
        double low = alpha, high = 2 * alpha;
        for (int n = 0; n < JN_LOCAL_ITERATIONS_MOST && 0.5 * (low + high) > low && 0.5 * (low + high) < high; n++) {
            alpha = 0.5 * (low + high);
            *(jn_local_slip_at(l, q[0], q1, q2, alpha).outside ? &low : &high) = alpha;
        }
        jn_local_slip s = jn_local_slip_at(l, q[0], q1, q2, high);
        if (!(s.pn > 0)) return false;
        return p[0] = s.pn, p[1] = s.p1, p[2] = s.p2, true;
    }
    return false;
}

static inline bool jn_local_slip_instead(int d, jn_local *l, const double *W, const double *q, double *p) {
    return d == 3 ? jn_local_slip_instead3(l, q, p) : d == 2 && jn_local_slip_instead2(W, l->mu, q, p);
}

#endif
