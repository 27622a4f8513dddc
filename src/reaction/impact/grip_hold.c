/* Forces of closed contacts with their modes as they are: springs under all contacts, which become rigid.
 *
 *     (R C^T + D) z = -a,   D = soft w_i,   a = R x + b,   x = C^T z
 *
 * R are the rows of the unknowns, C those of their forces, with the friction of contacts that slip, both over the velocities of an island. Where unknowns are
 * more than velocities the matrix is one over velocities, (1 + C^T D^-1 R) x = C^T D^-1 r and z = D^-1 (r - R x). */
#include "reaction/impact/grip.h"
#include <math.h>
#include <string.h>

static const double soft = 1e-6; /* compliance of the springs in parts of W_ii */
static const double ended = 1e-15; /* of the largest acceleration: what springs left is round-off */
static const double rough = 1e-12; /* the same: below it rounds that gain little are round-off, too */
static const double quickly = 0.1, slowly = 0.5; /* of what the round before has left: what a round leaves at most */
enum { ROUNDS = 8, MORE = 40 }; /* of all islands, and of those whose masses differ so much that rounds gain little */

static bool is_still(const jn_grip *g, int i) { return !g->contact[i].slips && g->contact[i].mu > 0; }

static int rows_of(const jn_grip *g, int i) { return g->contact[i].idle ? 0 : is_still(g, i) ? g->d : 1; }

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

/* ----------------------------------------------------------------------------------------------------------- islands */

static int root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* Islands of velocities: those that contacts share, directly or through others. O(entries + velocities) */
static void join_velocities(jn_grip *g) {
    const jn_contact_rows *H = g->H;
    for (int k = 0; k < g->velocities; k++) g->parent[k] = k, g->id[k] = -1;
    for (int i = 0; i < g->n; i++)
        for (int k = H->start[i] + 1; k < H->start[i + 1]; k++)
            g->parent[root(g->parent, H->dof[k])] = root(g->parent, H->dof[k - 1]);
}

/* Contacts by islands, and places of their velocities in x. */
static void find_islands(jn_grip *g) {
    const jn_contact_rows *H = g->H;
    join_velocities(g);
    g->islands = 0;
    memset(g->from, 0, (size_t)(g->n + 1) * sizeof *g->from);
    for (int i = 0; i < g->n; i++) {
        int *own = H->start[i] < H->start[i + 1] ? &g->id[root(g->parent, H->dof[H->start[i]])] : NULL;
        g->island[i] = own && *own >= 0 ? *own : g->islands++;
        if (own) *own = g->island[i];
        g->from[g->island[i] + 1]++;
    }
    for (int c = 0; c < g->islands; c++) g->from[c + 1] += g->from[c], g->first[c] = g->from[c];
    for (int i = 0; i < g->n; i++) g->order[g->first[g->island[i]]++] = i;
    memset(g->x_from, 0, (size_t)(g->islands + 1) * sizeof *g->x_from);
    for (int k = 0; k < g->velocities; k++) {
        int c = g->id[root(g->parent, k)];
        if (c >= 0) g->at[k] = g->x_from[c + 1]++; /* within the island, for now */
    }
    for (int c = 0; c < g->islands; c++) g->x_from[c + 1] += g->x_from[c];
    for (int k = 0; k < g->velocities; k++) {
        int c = g->id[root(g->parent, k)];
        if (c >= 0) g->at[k] += g->x_from[c];
    }
}

static int unknowns(const jn_grip *g, int island) { return g->first[island + 1] - g->first[island]; }

static int velocities(const jn_grip *g, int island) { return g->x_from[island + 1] - g->x_from[island]; }

static bool by_velocities(const jn_grip *g, int island) { return velocities(g, island) < unknowns(g, island); }

/* Unknowns of all islands, one after the other, and where their factors are. */
static void list_unknowns(jn_grip *g) {
    int n = 0;
    size_t place = 0;
    for (int c = 0; c < g->islands; c++) {
        g->first[c] = n, g->place[c] = place;
        for (int k = g->from[c]; k < g->from[c + 1]; k++)
            for (int r = 0; r < rows_of(g, g->order[k]); r++) g->unknown[n++] = g->order[k] * g->d + r;
        g->first[c + 1] = n;
        size_t size = (size_t)(by_velocities(g, c) ? velocities(g, c) : unknowns(g, c));
        place += size * size;
    }
    g->first[g->islands] = n;
}

/* Forces of unit unknowns: friction of contacts that slip goes with their normal forces. */
void jn_grip_columns(jn_grip *g) {
    int d = g->d;
    memcpy(g->Y_slip, g->Y->value, (size_t)(g->Y->start[g->n] * d) * sizeof *g->Y_slip);
    for (int i = 0; i < g->n; i++)
        for (int k = g->Y->start[i]; k < g->Y->start[i + 1] && g->contact[i].slips; k++)
            for (int r = 1; r < d; r++)
                g->Y_slip[k * d] -= g->contact[i].mu * g->contact[i].e[r - 1] * g->Y_slip[k * d + r];
}

/* ------------------------------------------------------------------------------------------------------------- forces */

double jn_grip_own(const jn_grip *g, int i, int r) {
    double sum = 0;
    for (int k = g->H->start[i]; k < g->H->start[i + 1]; k++)
        sum += g->H->value[k * g->d + r] * g->Y_slip[k * g->d + r];
    return sum;
}

/* x += factor C_c */
static void add_column(const jn_grip *g, int unknown, double factor, double *x) {
    int i = unknown / g->d, r = unknown % g->d;
    for (int k = g->Y->start[i]; k < g->Y->start[i + 1]; k++)
        x[g->at[g->Y->dof[k]]] += factor * g->Y_slip[k * g->d + r];
}

static double times_row(const jn_grip *g, int row, const double *x) {
    int i = row / g->d, r = row % g->d;
    double sum = 0;
    for (int k = g->H->start[i]; k < g->H->start[i + 1]; k++) sum += g->H->value[k * g->d + r] * x[g->at[g->H->dof[k]]];
    return sum;
}

static void clear_x(const jn_grip *g, int island) {
    memset(g->x + g->x_from[island], 0, (size_t)velocities(g, island) * sizeof *g->x);
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

/* f of the unknowns z of an island, and a. O(entries) */
static void spread(jn_grip *g, int island) {
    int d = g->d;
    const int *begin = g->order + g->from[island], *end = g->order + g->from[island + 1];
    for (const int *i = begin; i < end; i++)
        for (int r = 0; r < d; r++) g->f[*i * d + r] = 0;
    add_forces(g, g->first[island], g->first[island + 1], g->z, g->f);
    clear_x(g, island);
    for (int k = g->first[island]; k < g->first[island + 1]; k++) add_column(g, g->unknown[k], g->z[k], g->x);
    for (const int *i = begin; i < end; i++)
        for (int r = 0; r < d; r++) g->a[*i * d + r] = g->b[*i * d + r] + times_row(g, *i * d + r, g->x);
}

/* Springs of the unknowns of an island, by the mean diagonal of W_ii: friction takes no part, so that contacts which are alike have springs that are alike
 * wherever they slip. False: one has no inertia. */
static bool find_springs(jn_grip *g, int island) {
    int d = g->d;
    for (int k = g->first[island]; k < g->first[island + 1]; k++) {
        int i = g->unknown[k] / d;
        double sum = 0;
        for (int e = g->H->start[i] * d; e < g->H->start[i + 1] * d; e++) sum += g->H->value[e] * g->Y->value[e];
        g->spring[k] = soft * sum / d;
        if (!(g->spring[k] > 0)) return false;
    }
    return true;
}

/* 1 + C^T D^-1 R of an island. */
static void form_by_velocities(jn_grip *g, int island, double *A) {
    int m = velocities(g, island), base = g->x_from[island], d = g->d;
    memset(A, 0, (size_t)m * (size_t)m * sizeof *A);
    for (int k = 0; k < m; k++) A[k * m + k] = 1;
    for (int c = g->first[island]; c < g->first[island + 1]; c++) {
        int i = g->unknown[c] / d, r = g->unknown[c] % d;
        for (int k = g->Y->start[i]; k < g->Y->start[i + 1]; k++) {
            double *row = A + (g->at[g->Y->dof[k]] - base) * m, y = g->Y_slip[k * d + r] / g->spring[c];
            for (int l = g->H->start[i]; l < g->H->start[i + 1]; l++)
                row[g->at[g->H->dof[l]] - base] += y * g->H->value[l * d + r];
        }
    }
}

/* R C^T + D of an island. */
static void form_by_contacts(jn_grip *g, int island, double *A) {
    int first = g->first[island], n = unknowns(g, island);
    for (int k = 0; k < n; k++) {
        clear_x(g, island);
        add_column(g, g->unknown[first + k], 1, g->x);
        for (int c = 0; c < n; c++) A[c * n + k] = times_row(g, g->unknown[first + c], g->x);
        A[k * n + k] += g->spring[first + k];
    }
}

/* r = (R C^T + D)^-1 r of an island. O(min(unknowns, velocities)^2) */
static void solve(const jn_grip *g, int island, double *r) {
    int first = g->first[island], last = g->first[island + 1], base = g->x_from[island];
    const double *A = g->A + g->place[island];
    const int *pivot = g->pivot + first;
    if (!by_velocities(g, island)) {
        jn_lu_solve(last - first, A, pivot, r + first);
        return;
    }
    clear_x(g, island);
    for (int c = first; c < last; c++) add_column(g, g->unknown[c], r[c] / g->spring[c], g->x);
    jn_lu_solve(velocities(g, island), A, pivot, g->x + base);
    for (int c = first; c < last; c++) r[c] = (r[c] - times_row(g, g->unknown[c], g->x)) / g->spring[c];
}

/* Forces of an island; the largest acceleration that is left. */
static double hold_island(jn_grip *g, int island) {
    int first = g->first[island], last = g->first[island + 1], *pivot = g->pivot + first;
    double *A = g->A + g->place[island], left = INFINITY;
    memset(g->z + first, 0, (size_t)(last - first) * sizeof *g->z);
    spread(g, island);
    for (int k = g->from[island]; k < g->from[island + 1]; k++) g->open[g->order[k]] = g->a[g->order[k] * g->d];
    if (first == last) return 0;
    if (!find_springs(g, island)) return INFINITY;
    bool small = by_velocities(g, island);
    if (small)
        form_by_velocities(g, island, A);
    else
        form_by_contacts(g, island, A);
    if (!jn_lu_factor(small ? velocities(g, island) : last - first, A, pivot)) return INFINITY;
    for (int round = 0; round < ROUNDS || (round < MORE && left > rough * g->scale); round++) { /* each takes away what the springs left */
        double before = left;
        left = 0;
        for (int c = first; c < last; c++) g->r[c] = -g->a[g->unknown[c]], left = jn_max(left, fabs(g->r[c]));
        if (!(left > ended * g->scale) || (round > 2 && left > (left > rough * g->scale ? slowly : quickly) * before)) break;
        solve(g, island, g->r);
        for (int c = first; c < last; c++) g->z[c] += g->r[c];
        spread(g, island);
        for (int k = g->from[island]; k < g->from[island + 1] && round == 0; k++)
            g->open[g->order[k]] = g->a[g->order[k] * g->d];
    }
    left = 0;
    for (int c = first; c < last; c++) left = jn_max(left, fabs(g->a[g->unknown[c]]));
    return isfinite(left) ? left : INFINITY;
}

double jn_grip_hold(jn_grip *g) {
    double left = 0;
    find_islands(g);
    list_unknowns(g);
    jn_grip_columns(g);
    for (int c = 0; c < g->islands; c++) left = jn_max(left, hold_island(g, c));
    return left;
}

void jn_grip_respond(const jn_grip *g, int row, double *f) {
    int D = g->d * g->n, i = row / g->d, island = g->island[i];
    int first = g->first[island], last = g->first[island + 1];
    clear_x(g, island);
    for (int k = g->Y->start[i]; k < g->Y->start[i + 1]; k++)
        g->x[g->at[g->Y->dof[k]]] += g->Y->value[k * g->d + row % g->d];
    for (int c = first; c < last; c++) g->r[c] = -times_row(g, g->unknown[c], g->x);
    solve(g, island, g->r);
    memset(f, 0, (size_t)D * sizeof *f);
    f[row] = 1;
    add_forces(g, first, last, g->r, f);
}

void jn_grip_answer(const jn_grip *g, const double *a, double *f) {
    memset(f, 0, (size_t)(g->d * g->n) * sizeof *f);
    for (int k = 0; k < g->velocities; k++)
        if (g->id[root(g->parent, k)] >= 0) g->x[g->at[k]] = a[k];
    for (int island = 0; island < g->islands; island++) {
        int first = g->first[island], last = g->first[island + 1];
        for (int c = first; c < last; c++) g->r[c] = -times_row(g, g->unknown[c], g->x);
        if (first < last) solve(g, island, g->r);
        add_forces(g, first, last, g->r, f);
    }
}
