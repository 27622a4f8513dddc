/* Few contacts in a plane: the modes (open, stick, slip one way or the other) make the problem linear. Those of the guess are
 * tried first, then those that a sweep of exact local solutions leaves; the right ones give the answer to round-off. */
#include "algebra/elementary.h"
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/solvers.h"
#include <math.h>
#include <string.h>

enum { FEW = 4, MOST = 2 * FEW, SWEEPS = 8 };
static const double PIVOT = 1e-10; /* of the largest entry of its row: a smaller pivot is none */
static const double SLIPS = 1e-10; /* of the cone: friction that leaves less of it slips */
static const double ASKED = 1e-12; /* residual: modes that are right give the answer to round-off */
static const double STRICT = 1e-9; /* part of the largest velocity that is not zero */

typedef struct few {
    const jn_problem *problem;
    int n; /* rows */
    double W[MOST][MOST];
} few;

/* W_ij = H_i . Y_j, from rows in ascending velocities. */
static inline void fill_block(few *s, int i, int j, const int d) {
    const jn_contact_rows *H = s->problem->H, *Y = s->problem->Y;
    double sum[2][2] = {{0, 0}, {0, 0}};
    for (int h = H->start[i], y = Y->start[j], end = Y->start[j + 1]; h < H->start[i + 1]; h++) {
        while (y < end && Y->dof[y] < H->dof[h]) y++;
        if (y == end) break;
        if (Y->dof[y] != H->dof[h]) continue;
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++) sum[r][c] += H->value[h * d + r] * Y->value[y * d + c];
    }
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++) s->W[i * d + r][j * d + c] = sum[r][c];
}

static void fill(few *s) {
    for (int i = 0; i < s->problem->contacts; i++)
        for (int j = 0; j < s->problem->contacts; j++)
            if (s->problem->dimension == 1)
                fill_block(s, i, j, 1);
            else
                fill_block(s, i, j, 2);
}

static void velocities(const few *s, const double *p, double *u) {
    for (int i = 0; i < s->n; i++) {
        u[i] = s->problem->q[i];
        for (int j = 0; j < s->n; j++) u[i] += s->W[i][j] * p[j];
    }
}

/* x = A \ x by elimination with row exchanges; false where A is singular. */
static bool eliminate(int n, double A[MOST][MOST], double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
        double size = 0;
        for (int j = 0; j < n; j++) size = jn_fmax(size, fabs(A[best][j]));
        if (!(fabs(A[best][k]) > PIVOT * size)) return false;
        for (int j = k; j < n && best != k; j++) {
            double t = A[k][j];
            A[k][j] = A[best][j], A[best][j] = t;
        }
        double t = x[k];
        x[k] = x[best], x[best] = t;
        for (int i = k + 1; i < n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k + 1; j < n; j++) A[i][j] -= f * A[k][j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= A[k][j] * x[j];
        x[k] /= A[k][k];
    }
    return true;
}

/* The answer with the modes that p shows: p_N of every closed contact, with p_T = s p_N where it slips, p_T where it sticks. */
static bool solve_modes(const few *s, const double *p, double *out) {
    int d = s->problem->dimension, row[MOST], n = 0;
    double slope[MOST], A[MOST][MOST], x[MOST]; /* p_T / p_N of an unknown p_N */
    for (int i = 0; i < s->problem->contacts; i++) {
        const double *own = p + i * d;
        double mu = d > 1 ? s->problem->mu[i] : 0;
        if (!(own[0] > 0)) continue;
        bool slips = d > 1 && fabs(own[1]) >= mu * own[0] * (1 - SLIPS);
        row[n] = i * d, slope[n++] = !slips ? 0 : own[1] > 0 ? mu : -mu;
        if (d > 1 && !slips) row[n] = i * d + 1, slope[n++] = 0;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -s->problem->q[row[i]];
        for (int j = 0; j < n; j++) {
            A[i][j] = s->W[row[i]][row[j]];
            if (slope[j] != 0) A[i][j] += slope[j] * s->W[row[i]][row[j] + 1];
        }
    }
    if (!eliminate(n, A, x)) return false;
    memset(out, 0, (size_t)s->n * sizeof *out);
    for (int k = 0; k < n; k++) {
        out[row[k]] = x[k];
        if (slope[k] != 0) out[row[k] + 1] = slope[k] * x[k];
    }
    return true;
}

/* Whether p is the only answer nearby: an open contact parts, a slipping one slips. Elsewhere contacts may be redundant, and there are
 * others that may be wanted. */
static bool is_strict(const few *s, const double *p, const double *u) {
    int d = s->problem->dimension;
    double size = 0;
    for (int k = 0; k < s->n; k++) size = jn_fmax(size, fabs(s->problem->q[k]));
    for (int i = 0; i < s->problem->contacts; i++) {
        const double *own = p + i * d, *moves = u + i * d;
        double mu = d > 1 ? s->problem->mu[i] : 0;
        if (own[0] == 0 && !(moves[0] > STRICT * size)) return false;
        if (own[0] > 0 && mu > 0 && fabs(own[1]) >= mu * own[0] * (1 - SLIPS) && !(fabs(moves[1]) > STRICT * size))
            return false;
    }
    return true;
}

/* One round of exact local solutions. */
static void sweep(const few *s, jn_local *local, double *p) {
    int d = s->problem->dimension;
    for (int i = 0; i < s->problem->contacts; i++) {
        double q[3];
        for (int r = 0; r < d; r++) {
            q[r] = s->problem->q[i * d + r];
            for (int j = 0; j < s->n; j++)
                if (j / d != i) q[r] += s->W[i * d + r][j] * p[j];
        }
        jn_local_solve(d, &local[i], q, p + i * d);
    }
}

bool jn_solve_few(const jn_problem *problem, const jn_solve_settings *settings, double *p, jn_solve_result *result) {
    if (problem->dimension > 2 || problem->contacts > FEW || !problem->H || !problem->Y || problem->W || problem->compliance)
        return false;
    int d = problem->dimension;
    few s = {.problem = problem, .n = problem->contacts * d};
    double guess[MOST], x[MOST], u[MOST], enough = jn_fmin(settings->tolerance, ASKED);
    jn_local local[FEW];
    fill(&s);
    memcpy(guess, p, (size_t)s.n * sizeof *p);
    for (int k = 0; k <= SWEEPS; k++) {
        for (int i = 0; i < problem->contacts && k == 1; i++) {
            double own[9] = {0}; /* as large as in space */
            for (int r = 0; r < d * d; r++) own[r] = s.W[i * d + r / d][i * d + r % d];
            local[i] = jn_local_prepare(d, own, d > 1 ? problem->mu[i] : 0);
        }
        if (k) sweep(&s, local, guess);
        if (!solve_modes(&s, guess, x)) continue;
        velocities(&s, x, u);
        double residual = jn_problem_residual_of(problem, x, u);
        if (!(residual <= enough)) continue;
        if (!is_strict(&s, x, u)) return false;
        memcpy(p, x, (size_t)s.n * sizeof *p);
        *result = (jn_solve_result){.solver = "few_contacts", .iterations = k, .tried = 1, .residual = residual};
        result->converged = true;
        return true;
    }
    return false;
}
