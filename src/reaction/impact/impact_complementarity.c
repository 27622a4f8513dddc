/* Impacts by complementarity: Moreau's law with Newton's coefficient, Poisson's law in two phases, and the end without
 * restitution. In a plane and without friction by Lemke's method; with friction in space by the solvers of contact problems, and
 * the second phase of Poisson's law by Gauss-Seidel on exact cones. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include "reaction/solvers/lemke_pivoting.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 20000 };
static const double converged = 1e-13; /* change of a sweep, of the velocities before: round-off */
static const double accepted = 1e-9;   /* the same: what may be left when sweeps run out */
static const double pierces = 1e-8;    /* of the velocities before: approach after the impact that is none */
static const double springs[] = {0, 1e-12,
                                 1e-10}; /* compliance in parts of the diagonal: where contacts are redundant */

bool jn_impact_rough(const jn_impact_problem *problem) {
    for (int i = 0; i < problem->contacts; i++)
        if (problem->contact[i].mu_s > 0) return true;
    return false;
}

/* Of Lemke's method with friction in a plane; 0 in space: Gauss-Seidel. */
static int unknowns(const jn_impact_problem *problem, bool friction) {
    if (!friction || !jn_impact_rough(problem)) return problem->contacts;
    return problem->dimension == 2 ? 4 * problem->contacts : 0;
}

static size_t room(const jn_impact_problem *problem) {
    int n = unknowns(problem, true);
    return (size_t)(n > 0 ? n : problem->contacts);
}

size_t jn_impact_lcp_layout(const jn_impact_problem *problem, jn_scratch *s, jn_impact *w) {
    size_t n = room(problem), D = (size_t)problem->contacts * (size_t)problem->dimension;
    w->lcp = jn_scratch_take(s, n * n + 2 * n + 4 * D, sizeof(double));
    w->lemke = jn_scratch_take(s, jn_lcp_scratch((int)n), 1);
    return s->used;
}

/* One complementarity problem over all contacts: u = v + beta p, p_N >= floor, u_N + bounce >= 0 orthogonal to p_N - floor,
 * |p_T| <= mu p_N with Coulomb's law on u_T. */
typedef struct cone_problem {
    const double *beta, *v; /* (D x D), (D) velocities without p */
    double *floor, *bounce; /* (N) */
    double *p;              /* (D) */
} cone_problem;

/* Columns p_N - floor, and in a plane p_T+, p_T- and the slip speed: copositive, so that Lemke's method ends in a solution
 * wherever the velocities can be reached [Anitescu1997]. soft: a share of the diagonal that keeps pivots apart. */
static bool by_lemke(jn_impact *w, const cone_problem *c, int n, double soft) {
    const jn_impact_problem *problem = w->problem;
    int N = problem->contacts, d = w->d, D = d * N, pivots;
    double *A = w->lcp, *b = A + (size_t)n * (size_t)n, *z = b + n;
    bool friction = n > N;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int i = 0; i < N; i++)
        for (int r = 0; r < (friction ? 3 : 1); r++) { /* u_N; u_T + speed; speed - u_T */
            double sign = r == 2 ? -1 : 1, *to = A + (size_t)(r * N + i) * (size_t)n;
            const double *row = c->beta + (size_t)(d * i + (r > 0)) * (size_t)D;
            b[r * N + i] = sign * c->v[d * i + (r > 0)] + (r ? 0 : c->bounce[i]);
            for (int j = 0; j < N; j++) {
                to[j] = sign * row[d * j];
                b[r * N + i] += to[j] * c->floor[j];
                if (friction) to[N + j] = sign * row[d * j + 1], to[2 * N + j] = -sign * row[d * j + 1];
            }
            to[r * N + i] += soft / w->mass;
            if (r) to[3 * N + i] = 1;
        }
    for (int i = 0; i < N && friction; i++) { /* mu p_N - p_T+ - p_T- */
        double *to = A + (size_t)(3 * N + i) * (size_t)n;
        to[i] = problem->contact[i].mu_d, to[N + i] = to[2 * N + i] = -1;
        b[3 * N + i] = problem->contact[i].mu_d * c->floor[i];
    }
    if (jn_lcp_lemke(n, A, b, 50 * n + 100, z, w->lemke, &pivots) != JN_OK) return false;
    memset(c->p, 0, (size_t)D * sizeof *c->p);
    for (int i = 0; i < N; i++) {
        c->p[d * i] = z[i] + c->floor[i];
        if (friction) c->p[d * i + 1] = z[N + i] - z[2 * N + i];
    }
    return true;
}

/* Impulse of one contact in turn for the normal and the tangents. Returns its change times beta. */
static double relax(const cone_problem *c, int d, int D, int i, double mu) {
    double u[3], change = 0, old[3], *p = c->p + d * i;
    for (int r = 0; r < d; r++) {
        const double *row = c->beta + (size_t)(d * i + r) * (size_t)D;
        u[r] = c->v[d * i + r], old[r] = p[r];
        for (int j = 0; j < D; j++) u[r] += row[j] * c->p[j];
    }
    const double *B = c->beta + (size_t)(d * i) * (size_t)D + (size_t)(d * i);
    if (!(B[0] > 0)) return 0;
    p[0] = jn_fmax(c->floor[i], p[0] - (u[0] + c->bounce[i]) / B[0]);
    double stiff = 0, size = 0, limit = mu * p[0];
    for (int r = 1; r < d; r++) stiff += B[(size_t)r * (size_t)D + (size_t)r];
    for (int r = 1; r < d && stiff > 0; r++) {
        double slip = u[r] + B[(size_t)r * (size_t)D] * (p[0] - old[0]);
        p[r] -= slip / stiff, size += p[r] * p[r];
    }
    size = sqrt(size);
    for (int r = 1; r < d && size > limit; r++) p[r] *= limit / size;
    for (int r = 0; r < d; r++) change = jn_fmax(change, fabs(p[r] - old[r]) * B[(size_t)r * (size_t)D + (size_t)r]);
    return change;
}

static bool by_sweeps(jn_impact *w, const cone_problem *c, bool friction) {
    int N = w->problem->contacts, D = w->d * N;
    memset(c->p, 0, (size_t)D * sizeof *c->p);
    double change = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && change > converged * w->speed; sweep++) {
        change = 0;
        for (int i = 0; i < N; i++)
            change = jn_fmax(change, relax(c, w->d, D, i, friction ? w->problem->contact[i].mu_d : 0));
    }
    return change <= accepted * w->speed;
}

/* u_N + bounce >= 0, which a softened problem meets only where the true one can. */
static bool separates(const jn_impact *w, const cone_problem *c) {
    int N = w->problem->contacts, D = w->d * N;
    for (int i = 0; i < N; i++) {
        const double *row = c->beta + (size_t)(w->d * i) * (size_t)D;
        double u = c->v[w->d * i] + c->bounce[i];
        for (int j = 0; j < D; j++) u += row[j] * c->p[j];
        if (u < -pierces * w->speed) return false;
    }
    return true;
}

/* Exact cones by the solvers of reaction/, where no impulse has a floor. */
static bool by_cones(jn_impact *w, const cone_problem *c) {
    int N = w->problem->contacts, d = w->d;
    for (int i = 0; i < N; i++)
        if (c->floor[i] > 0) return false;
    for (int i = 0; i < N; i++) {
        w->cones.mu[i] = w->problem->contact[i].mu_d;
        for (int r = 0; r < d; r++) w->cones.q[d * i + r] = c->v[d * i + r] + (r ? 0 : c->bounce[i]);
    }
    memset(c->p, 0, (size_t)(d * N) * sizeof *c->p);
    return jn_impact_cones_solve(&w->cones, d, N, c->beta, w->speed, c->p);
}

static bool solve(jn_impact *w, const cone_problem *c, bool friction) {
    int n = unknowns(w->problem, friction);
    if (n == 0 && by_cones(w, c)) return true;
    for (int k = 0; k < 3 && n > 0; k++)
        if (by_lemke(w, c, n, springs[k]) && separates(w, c)) return true;
    return by_sweeps(w, c, friction);
}

/* Adds impulses to the record; works with the mean velocity, which is that of straight paths. */
static void add(jn_impact *w, const double *p) {
    jn_impact_record *record = w->record;
    int d = w->d, N = w->problem->contacts, D = d * N;
    for (int i = 0; i < D; i++) {
        double dv = 0;
        for (int j = 0; j < D; j++) dv += w->problem->beta[(size_t)i * (size_t)D + (size_t)j] * p[j];
        double work = p[i] * (record->v[i] + 0.5 * dv);
        *(i % d ? &record->slide_of[i / d] : &record->normal_of[i / d]) += work;
    }
    for (int i = 0; i < N; i++) w->contact[i] = i;
    w->n = N;
    for (int i = 0; i < D; i++) w->p[i] = p[i];
    for (int i = 0; i < N; i++) {
        double size = 0, mu = w->problem->contact[i].mu_d;
        for (int r = 1; r < d; r++) size += p[d * i + r] * p[d * i + r];
        w->work_n[i] = w->work_t[i] = 0;
        w->slip[i] = !(p[d * i] > 0) || !(mu > 0)                            ? JN_SLIP_NONE
                     : sqrt(size) < mu * p[d * i] * (1 - JN_IMPACT_CONE_REL) ? JN_SLIP_STICK
                                                                             : JN_SLIP_SLIDE;
    }
    jn_impact_commit(w);
    for (int i = 0; i < D; i++) w->v[i] = record->v[i];
    w->impulse = 0, w->energy = 0;
    for (int i = 0; i < N; i++) w->impulse += p[d * i], w->energy += record->normal_of[i];
}

static cone_problem start(jn_impact *w) {
    size_t n = room(w->problem), N = (size_t)w->problem->contacts;
    double *at = w->lcp + n * n + 2 * n;
    cone_problem c = {w->problem->beta, w->record->v, at, at + N, at + 2 * N};
    memset(at, 0, 2 * N * sizeof *at);
    return c;
}

/* v_N+ >= -e v_N- of approaching contacts, orthogonal to p_N [Moreau1988]. */
bool jn_impact_moreau(jn_impact *w, const double *e) {
    cone_problem c = start(w);
    for (int i = 0; i < w->problem->contacts; i++) c.bounce[i] = (e ? e[i] : 0) * jn_fmin(w->record->v[w->d * i], 0);
    if (!solve(w, &c, true)) return false;
    add(w, c.p);
    return true;
}

/* Where friction finds no end the normal impulses alone do: a monotone problem. */
bool jn_impact_plastic(jn_impact *w) {
    if (jn_impact_moreau(w, NULL)) return true;
    cone_problem c = start(w);
    if (!solve(w, &c, false)) return false;
    add(w, c.p);
    return true;
}

/* Compression without restitution, then expansion with p_N >= e p_N of the compression [Pfeiffer1996]. */
bool jn_impact_poisson_lcp(jn_impact *w, const double *e) {
    cone_problem c = start(w);
    if (!solve(w, &c, true)) return false;
    add(w, c.p);
    jn_impact_note(w, JN_IMPACT_COMPRESSION_END, -1);
    for (int i = 0; i < w->problem->contacts; i++) c.floor[i] = e[i] * c.p[w->d * i];
    if (!solve(w, &c, true)) return false;
    add(w, c.p);
    return true;
}
