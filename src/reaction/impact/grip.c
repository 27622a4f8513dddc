/* The contact law in accelerations. */
#include "reaction/impact/grip.h"
#include "algebra/elementary.h"
#include "reaction/solvers/least_norm.h"
#include <math.h>
#include <string.h>

static const double soft = 1e-6;    /* compliance of the springs in parts of W_ii */
static const double inside = 1e-12; /* of the largest force: round-off of a force at the edge of its cone */
enum { ROUNDS = 6, TRIES = 4 };

static bool is_still(const jn_grip *g, int i) { return !g->contact[i].slips && g->contact[i].mu > 0; }

static int rows_of(const jn_grip *g, int i) { return is_still(g, i) ? g->d : 1; }

/* Row `row` of W times the direction of unknown k. */
static inline double entry(const jn_grip *g, int row, int k) {
    int at = g->unknown[k], i = at / g->d;
    const double *W = g->W + (size_t)row * (size_t)(g->d * g->n);
    double sum = W[at];
    if (g->contact[i].slips)
        for (int r = 1; r < g->d; r++) sum -= g->contact[i].mu * g->contact[i].e[r - 1] * W[at + r];
    return sum;
}

/* LU with row pivoting of the n x n matrix A in place. O(n^3). */
bool jn_lu_factor(int n, double *A, int *pivot) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        pivot[k] = best;
        if (!(fabs(A[best * n + k]) > 0)) return false;
        for (int j = 0; j < n && best != k; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
        }
        int end = n; /* of the row, beyond which it is zero */
        while (end > k + 1 && A[k * n + end - 1] == 0) end--;
        for (int i = k + 1; i < n; i++) {
            if (A[i * n + k] == 0) continue;
            double l = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < end; j++) A[i * n + j] -= l * A[k * n + j];
        }
    }
    return true;
}

void jn_lu_solve(int n, const double *A, const int *pivot, double *x) {
    for (int k = 0; k < n; k++) {
        double swap = x[k];
        x[k] = x[pivot[k]], x[pivot[k]] = swap;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
}

/* f (D) += forces of the unknowns z from the first to before the last. */
static void add_forces(const jn_grip *g, int first, int last, const double *z, double *f) {
    for (int k = first; k < last; k++) {
        int at = g->unknown[k], i = at / g->d;
        f[at] += z[k];
        if (at % g->d || !g->contact[i].slips) continue;
        for (int r = 1; r < g->d; r++) f[at + r] -= g->contact[i].mu * g->contact[i].e[r - 1] * z[k];
    }
}

/* Contacts that act on each other, directly or through others; W says which. O(n^2) */
static void find_islands(jn_grip *g) {
    int D = g->d * g->n, count = 0;
    for (int i = 0; i < g->n; i++) g->island[i] = -1;
    g->islands = 0;
    for (int i = 0; i < g->n; i++) {
        if (g->island[i] >= 0) continue;
        g->from[g->islands] = count;
        g->order[count++] = i, g->island[i] = g->islands;
        for (int k = count - 1; k < count; k++)
            for (int j = i + 1; j < g->n; j++) {
                if (g->island[j] >= 0) continue;
                const double *W = g->W + (size_t)(g->order[k] * g->d) * (size_t)D + j * g->d;
                bool acts = false;
                for (int r = 0; r < g->d && !acts; r++)
                    for (int c = 0; c < g->d && !acts; c++) acts = W[r * D + c] != 0;
                if (acts) g->order[count++] = j, g->island[j] = g->islands;
            }
        g->islands++;
    }
    g->from[g->islands] = count;
}

/* Unknowns of all islands, one after the other. */
static void list_unknowns(jn_grip *g) {
    int n = 0;
    size_t place = 0;
    for (int c = 0; c < g->islands; c++) {
        g->first[c] = n, g->place[c] = place;
        for (int k = g->from[c]; k < g->from[c + 1]; k++)
            for (int r = 0; r < rows_of(g, g->order[k]); r++) g->unknown[n++] = g->order[k] * g->d + r;
        place += (size_t)(n - g->first[c]) * (size_t)(n - g->first[c]);
    }
    g->first[g->islands] = n;
}

/* f of the unknowns z of an island, and a. */
static void spread(jn_grip *g, int island) {
    int d = g->d, D = d * g->n;
    const int *begin = g->order + g->from[island], *end = g->order + g->from[island + 1];
    for (const int *i = begin; i < end; i++)
        for (int r = 0; r < d; r++) g->f[*i * d + r] = 0;
    add_forces(g, g->first[island], g->first[island + 1], g->z, g->f);
    for (const int *i = begin; i < end; i++)
        for (int r = 0; r < d; r++) {
            const double *W = g->W + (size_t)(*i * d + r) * (size_t)D;
            double sum = g->b[*i * d + r];
            for (const int *j = begin; j < end; j++)
                for (int c = *j * d; c < *j * d + d; c++) sum += W[c] * g->f[c];
            g->a[*i * d + r] = sum;
        }
}

static double mean_diagonal(const jn_grip *g, int i) {
    int D = g->d * g->n, at = i * g->d;
    double sum = 0;
    for (int r = 0; r < rows_of(g, i); r++) sum += g->W[(size_t)(at + r) * (size_t)D + (size_t)(at + r)];
    for (int r = 1; r < g->d && g->contact[i].slips; r++)
        sum -= g->contact[i].mu * g->contact[i].e[r - 1] * g->W[(size_t)at * (size_t)D + (size_t)(at + r)];
    return fabs(sum) / rows_of(g, i);
}

/* Forces of an island; the largest acceleration that is left. */
static double hold_island(jn_grip *g, int island) {
    int first = g->first[island], n = g->first[island + 1] - first, *pivot = g->pivot + first;
    double *A = g->A + g->place[island], *r = g->r + first, left = INFINITY;
    const int *unknown = g->unknown + first;
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < n; k++) A[c * n + k] = entry(g, unknown[c], first + k);
        g->z[first + c] = 0;
        A[c * n + c] += soft * mean_diagonal(g, unknown[c] / g->d);
    }
    spread(g, island);
    if (!jn_lu_factor(n, A, pivot)) return INFINITY;
    for (int round = 0; round < ROUNDS; round++) { /* each takes away what the springs left */
        double last = left;
        left = 0;
        for (int c = 0; c < n; c++) r[c] = -g->a[unknown[c]], left = jn_max(left, fabs(r[c]));
        if (!(left > 1e-15 * g->scale) || (round > 2 && left > 0.1 * last)) break;
        jn_lu_solve(n, A, pivot, r);
        for (int c = 0; c < n; c++) g->z[first + c] += r[c];
        spread(g, island);
    }
    left = 0;
    for (int c = 0; c < n; c++) left = jn_max(left, fabs(g->a[unknown[c]]));
    return isfinite(left) ? left : INFINITY;
}

double jn_grip_hold(jn_grip *g) {
    double left = 0;
    find_islands(g);
    list_unknowns(g);
    for (int c = 0; c < g->islands; c++) left = jn_max(left, hold_island(g, c));
    return left;
}

void jn_grip_respond(const jn_grip *g, int row, double *f) {
    int D = g->d * g->n, island = g->island[row / g->d], first = g->first[island], last = g->first[island + 1];
    for (int c = first; c < last; c++) g->r[c] = -g->W[(size_t)g->unknown[c] * (size_t)D + (size_t)row];
    jn_lu_solve(last - first, g->A + g->place[island], g->pivot + first, g->r + first);
    memset(f, 0, (size_t)D * sizeof *f);
    f[row] = 1;
    add_forces(g, first, last, g->r, f);
}

static double tangential(const double *f, int d) { return d == 2 ? fabs(f[1]) : jn_hypot_safe(f[1], f[2]); }

bool jn_grip_inside(const jn_grip *g) {
    double most = 0;
    for (int i = 0; i < g->d * g->n; i++) most = jn_max(most, fabs(g->f[i]));
    for (int i = 0; i < g->n; i++) {
        const double *f = g->f + i * g->d;
        if (!(f[0] >= -inside * most)) return false;
        if (is_still(g, i) && !(tangential(f, g->d) <= g->contact[i].mu * f[0] + inside * most)) return false;
    }
    return true;
}

double jn_grip_departure(const jn_grip *g) {
    double most = 0;
    for (int i = 0; i < g->n; i++) {
        const double *a = g->a + i * g->d;
        most = jn_max(most, fabs(a[0]));
        if (is_still(g, i)) most = jn_max(most, tangential(a, g->d));
    }
    return most;
}

/* Friction of contacts that slip goes into the columns of their normal forces. */
static jn_problem pose(const jn_grip *g, jn_contact_rows *Y) {
    int d = g->d;
    memcpy(g->Y_slip, g->Y->value, (size_t)(g->Y->start[g->n] * d) * sizeof *g->Y_slip);
    memcpy(g->q, g->b, (size_t)(d * g->n) * sizeof *g->q);
    for (int i = 0; i < g->n; i++) {
        g->mu[i] = is_still(g, i) ? g->contact[i].mu : 0;
        for (int k = g->Y->start[i]; k < g->Y->start[i + 1] && g->contact[i].slips; k++)
            for (int r = 1; r < d; r++)
                g->Y_slip[k * d] -= g->contact[i].mu * g->contact[i].e[r - 1] * g->Y_slip[k * d + r];
    }
    *Y = (jn_contact_rows){g->Y->start, g->Y->dof, g->Y_slip};
    return (jn_problem){
        .dimension = d, .contacts = g->n, .velocities = g->velocities, .mu = g->mu, .q = g->q, .H = g->H, .Y = Y};
}

/* Forces of all contacts from those of the problem, and accelerations. */
static void finish(jn_grip *g) {
    int D = g->d * g->n;
    for (int i = 0; i < g->n; i++)
        for (int r = 1; r < g->d && !is_still(g, i); r++)
            g->f[i * g->d + r] = g->contact[i].slips ? -g->contact[i].mu * g->contact[i].e[r - 1] * g->f[i * g->d] : 0;
    for (int i = 0; i < D; i++) {
        g->a[i] = g->b[i];
        for (int j = 0; j < D; j++) g->a[i] += g->W[(size_t)i * (size_t)D + (size_t)j] * g->f[j];
    }
}

bool jn_grip_solve(jn_grip *g) {
    jn_contact_rows Y;
    jn_problem problem = pose(g, &Y);
    int steps = 0;
    size_t bytes = (size_t)(g->d * g->n) * sizeof *g->f;
    for (int i = 0; i < g->n; i++)
        for (int r = 1; r < g->d && !is_still(g, i); r++) g->f[i * g->d + r] = 0;
    bool fine = false;
    if (jn_least_norm_suits(&problem) && jn_least_norm_scratch(&problem) <= g->room) {
        fine = jn_least_norm(&problem, 0, TRIES, g->scratch, g->f, &steps);
        if (!fine) {
            memset(g->f, 0, bytes);
            fine = jn_least_norm(&problem, 0, TRIES, g->scratch, g->f, &steps);
        }
    }
    if (!fine) {
        jn_solve_settings settings = jn_solve_default();
        jn_solve_result result;
        settings.speed = 1e-12 * g->scale, settings.room = g->room;
        memset(g->f, 0, bytes);
        int status = jn_solve(&problem, NULL, &settings, g->scratch, g->f, &result);
        fine = status >= 0 && result.speed_error <= 1e-8 * g->scale;
    }
    finish(g);
    return fine;
}
