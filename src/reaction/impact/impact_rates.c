/* Rates over the sum of normal impulses for given slip states: dp = P c, K = B P [Rodriguez2014, chapter 5]. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

static const double redundant =
    1e-10; /* of the largest eigenvalue: rows of contacts that stick with a smaller one follow from the others */

double jn_impact_slip_speed(const jn_impact *w, int i) {
    const double *v = w->v + w->d * i;
    return w->d == 2 ? fabs(v[1]) : jn_hypot_safe(v[1], v[2]);
}

bool jn_impact_idle(const jn_impact *w, int i) { return w->given && w->c[i] == 0; }

/* Of tangential rows of contacts that stick on one body: by given shares, so that those who bear much hold much. */
static double weight(const jn_impact *w, size_t i, size_t j) {
    size_t d = (size_t)w->d;
    return w->given ? sqrt(w->c[i / d] * w->c[j / d]) : 1;
}

void jn_impact_hold(jn_impact *w) {
    int d = w->d, D = d * w->n, s = 0;
    for (int i = 0; i < w->n; i++)
        if (w->slip[i] == JN_SLIP_STICK)
            for (int r = 1; r < d; r++) w->stick[s++] = d * i + r;
    w->sticking = s;
    double *A = w->eigen; /* (s x s) */
    for (int a = 0; a < s; a++)
        for (int b = 0; b < s; b++) {
            size_t i = (size_t)w->stick[a], j = (size_t)w->stick[b];
            A[a * s + b] = 0.5 * weight(w, i, j) * (w->beta[i * (size_t)D + j] + w->beta[j * (size_t)D + i]);
        }
    jn_symmetric_pinv(s, A, redundant, A, w->pinv);
    for (int a = 0; a < s; a++)
        for (int b = 0; b < s; b++) w->pinv[a * s + b] *= weight(w, (size_t)w->stick[a], (size_t)w->stick[b]);
    for (int a = 0; a < s; a++) {
        double *answer = w->answer + a * D;
        memset(answer, 0, (size_t)D * sizeof *answer);
        for (int b = 0; b < s; b++) {
            const double *row = w->beta + (size_t)w->stick[b] * (size_t)D;
            double factor = w->pinv[a * s + b];
            for (int j = 0; j < D; j++) answer[j] -= factor * row[j];
        }
    }
}

/* X = -pinv(beta_SS) beta_S,rest P_rest: tangential impulses of sticking contacts for one unit of each c. */
static void sticking(jn_impact *w) {
    int d = w->d, n = w->n;
    for (int a = 0; a < w->sticking; a++)
        for (int j = 0; j < n; j++) {
            const double *answer = w->answer + (a * n + j) * d, *t = w->t + j * (d - 1);
            double slide = w->slip[j] == JN_SLIP_SLIDE ? w->mu_d[j] : 0, x = answer[0];
            for (int r = 1; r < d && slide > 0; r++) x -= slide * answer[r] * t[r - 1];
            w->X[a * n + j] = x;
        }
}

/* K += coefficients of one contact times its rows of P. */
static void project(jn_impact *w, int i, const double *a, double *K) {
    int d = w->d, at = -1;
    K[i] += a[0];
    if (w->slip[i] == JN_SLIP_SLIDE)
        for (int r = 1; r < d; r++) K[i] -= w->mu_d[i] * a[r] * w->t[i * (d - 1) + r - 1];
    if (w->slip[i] != JN_SLIP_STICK) return;
    for (int k = 0; k < w->sticking && at < 0; k++)
        if (w->stick[k] == d * i + 1) at = k;
    for (int r = 1; r < d; r++)
        for (int j = 0; j < w->n; j++) K[j] += a[r] * w->X[(size_t)(at + r - 1) * (size_t)w->n + (size_t)j];
}

/* Costs O(s^2 n + m n) beside the distribution; nothing depends on v but through t. */
void jn_impact_rates(jn_impact *w) {
    int d = w->d, n = w->n;
    if (w->given && w->sticking > 0) jn_impact_hold(w);
    sticking(w);
    if (!w->given) {
        memset(w->K, 0, (size_t)w->m * (size_t)n * sizeof *w->K);
        for (int k = 0; k < w->m; k++) {
            double *K = w->K + (size_t)k * (size_t)n;
            project(w, w->row[k].i, w->row[k].a, K);
            project(w, w->row[k].j, w->row[k].b, K);
        }
        jn_impact_distribute(w);
    }
    for (int i = 0; i < n; i++) {
        double *dp = w->dp + d * i;
        dp[0] = w->c[i];
        for (int r = 1; r < d; r++)
            dp[r] = w->slip[i] == JN_SLIP_SLIDE ? -w->mu_d[i] * w->t[i * (d - 1) + r - 1] * w->c[i] : 0;
    }
    for (int a = 0; a < w->sticking; a++)
        for (int j = 0; j < n; j++) w->dp[w->stick[a]] += w->X[(size_t)a * (size_t)n + (size_t)j] * w->c[j];
}

void jn_impact_respond(jn_impact *w) { jn_impact_multiply(w, w->dp, w->dv); }
