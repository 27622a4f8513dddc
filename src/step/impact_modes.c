/* Which closed contacts stick, slide or open: complementarity of forces and accelerations [Rodriguez2014, eq. 2.1-2.2],
 *
 *     f_N >= 0  orthogonal to  a_N >= 0;   at rest |f_T| <= mu_s f_N, or sliding sets in against f_T with mu_d
 *
 * found by changing one contact after another, the worst first, from all closed and sticking; what was found is checked by
 * its own inequalities, so a wrong answer cannot pass. */
#include "step/impact.h"

#include "reaction/clearance.h"

#include <string.h>

enum { CHANGES = 30 };            /* by the worst violation; then by the first one */
static const double loose = 1e-9; /* of the largest force or acceleration: counts as met */

/* ---------------------------------------------------------------------------------------------- redundant contacts */

/* Edges of the cones: one for a contact that slides, those of the static cone else (two in a plane, in space sixteen). */
enum { EDGES = 16 };

static int edges_of(const jn_impacts *p, int i) {
    if (p->unilateral[i].mode == JN_UNILATERAL_OPEN) return 0;
    if (p->unilateral[i].mode == JN_UNILATERAL_SLIPPING || !(p->unilateral[i].mu_s > 0)) return 1;
    return p->d == 2 ? 2 : EDGES;
}

static void edge(const jn_impacts *p, int i, int k, double out[3]) {
    const jn_unilateral *o = &p->unilateral[i];
    out[0] = 1, out[1] = out[2] = 0;
    if (o->mode == JN_UNILATERAL_SLIPPING) {
        for (int r = 1; r < p->d && p->system.f[i * p->d] != 0; r++)
            out[r] = p->system.f[i * p->d + r] / p->system.f[i * p->d];
    } else if (p->d == 2) {
        out[1] = k ? o->mu_s : -o->mu_s;
    } else if (o->mu_s > 0) {
        out[1] = o->mu_s * cos(2 * M_PI * k / EDGES), out[2] = o->mu_s * sin(2 * M_PI * k / EDGES);
    }
}

/* Cholesky of a small matrix in place and solution; false: not positive definite. */
static bool solve_positive(int n, double *A, double *x) {
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) A[j * n + j] -= A[j * n + k] * A[j * n + k];
        if (!(A[j * n + j] > 0)) return false;
        A[j * n + j] = sqrt(A[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) A[i * n + j] -= A[i * n + k] * A[j * n + k];
            A[i * n + j] /= A[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
        x[i] /= A[i * n + i];
    }
    return true;
}

/* z >= 0 of least |Q z - q|^2 by active sets, for a positive definite matrix A = Q^T Q and c = Q^T q [Lawson1974, chapter 23].
 * work (n^2 + 2 n), set (n). */
static bool least_squares(int n, const double *A, const double *c, double *z, double *work, int *set) {
    int count = 0;
    double *S = work, *y = work + n * n, most = 0;
    for (int i = 0; i < n; i++) z[i] = 0, most = fmax(most, fabs(c[i]));
    for (int turn = 0; turn < 10 * n + 50; turn++) {
        int enter = -1;
        double best = 1e-13 * most;
        for (int i = 0; i < n; i++) {
            bool in = false;
            double w = c[i];
            for (int k = 0; k < count; k++) in |= set[k] == i, w -= A[i * n + set[k]] * z[set[k]];
            if (!in && w > best) best = w, enter = i;
        }
        if (enter < 0) return true;
        for (set[count++] = enter;;) {
            for (int k = 0; k < count; k++) {
                y[k] = c[set[k]];
                for (int l = 0; l < count; l++) S[k * count + l] = A[set[k] * n + set[l]];
            }
            if (!solve_positive(count, S, y)) return false;
            double part = 1;
            for (int k = 0; k < count; k++)
                if (y[k] <= 0) part = fmin(part, z[set[k]] / (z[set[k]] - y[k]));
            for (int k = 0; k < count; k++) z[set[k]] += part * (y[k] - z[set[k]]);
            if (part >= 1) break;
            int kept = 0;
            for (int k = 0; k < count; k++)
                if (z[set[k]] > 1e-15 * fabs(y[k]) && !(y[k] <= 0 && z[set[k]] <= 0))
                    set[kept++] = set[k];
                else
                    z[set[k]] = 0;
            if (kept == count || kept == 0) break;
            count = kept;
        }
    }
    return false;
}

/* Normal equations of the accelerations by unit forces along n edges, with a small weight on the forces: A (n x n), c (n). */
static void form_squares(jn_impacts *p, int D, int n, const double *target, double *A, double *c) {
    const int *who = p->system.active_set, *which = p->system.active_set + n;
    double e[3], *Q = p->system.qr.Y, weight = 0;
    for (int k = 0; k < n; k++) {
        edge(p, who[k], which[k], e);
        for (int i = 0; i < D; i++) {
            Q[k * D + i] = 0;
            for (int r = 0; r < p->d; r++) Q[k * D + i] += p->system.W[i * D + p->d * who[k] + r] * e[r];
        }
    }
    for (int k = 0; k < n; k++) {
        c[k] = 0;
        for (int i = 0; i < D; i++) c[k] += Q[k * D + i] * target[i];
        for (int l = 0; l < n; l++) {
            A[k * n + l] = 0;
            for (int i = 0; i < D; i++) A[k * n + l] += Q[k * D + i] * Q[l * D + i];
        }
        weight = fmax(weight, A[k * n + k]);
    }
    for (int k = 0; k < n; k++) A[k * n + k] += 1e-13 * weight;
}

/* Forces along the edges of the cones with W f = W f_now, the shortest ones. O(edges^3) */
bool jn_unilateral_admissible(jn_impacts *p, const jn_contact_set *set) {
    int d = p->d, D = d * set->count, n = 0;
    double e[3], *target = p->system.vector, size = 0;
    for (int i = 0; i < set->count; i++) n += edges_of(p, i);
    if (n == 0 || n > p->d * p->most) return false; /* no room */
    int *who = p->system.active_set, *which = p->system.active_set + n;
    n = 0;
    for (int i = 0; i < set->count; i++)
        for (int k = 0; k < edges_of(p, i); k++) who[n] = i, which[n++] = k;
    for (int i = 0; i < D; i++) {
        target[i] = 0;
        for (int j = 0; j < D; j++) target[i] += p->system.W[i * D + j] * p->system.f[j];
        size = fmax(size, fabs(target[i]));
    }
    double *c = p->system.vector + D, *z = c + n, *found = z + n;
    form_squares(p, D, n, target, p->system.matrix, c);
    if (!least_squares(n, p->system.matrix, c, z, p->system.qr.Y, p->system.unknown)) return false;
    memset(found, 0, (size_t)D * sizeof *found);
    for (int k = 0; k < n; k++) {
        edge(p, who[k], which[k], e);
        for (int r = 0; r < d; r++) found[d * who[k] + r] += z[k] * e[r];
    }
    for (int i = 0; i < D; i++) {
        double sum = -target[i];
        for (int j = 0; j < D; j++) sum += p->system.W[i * D + j] * found[j];
        if (fabs(sum) > 1e-10 * size) return false;
    }
    memcpy(p->system.f, found, (size_t)D * sizeof *found);
    return true;
}

/* ------------------------------------------------------------------------------------------------------ the choice */

static double tangential(const double *f, int d) { return d == 2 ? fabs(f[1]) : hypot(f[1], f[2]); }

typedef enum change_kind { NOTHING, OPEN, CLOSE, RELEASE, STICK } change_kind;

/* The worst violation of contact i, in parts of the largest force or acceleration. */
static double judge(const jn_impacts *p, const jn_contact_set *set, int i, double force, double acceleration,
                    change_kind *kind) {
    const jn_unilateral *o = &p->unilateral[i];
    const double *f = p->system.f + i * p->d, *a = p->system.a + i * p->d;
    if (o->mode == JN_UNILATERAL_OPEN) return *kind = CLOSE, -a[0] / acceleration;
    *kind = OPEN;
    double worst = -f[0] / force;
    if (o->mode == JN_UNILATERAL_STICKING) {
        double over = (tangential(f, p->d) - o->mu_s * fmax(0, f[0])) / force;
        double missed = tangential(a, p->d) / acceleration; /* no force keeps it at rest: a singular configuration */
        over = fmax(over, missed > 1e-6 ? missed : 0);
        if (over > worst && (f[0] > 0 || missed > 1e-6)) *kind = RELEASE, worst = over;
    } else if (!o->moving && o->mu_s > 0) {
        double along = 0;
        for (int r = 1; r < p->d; r++) along += a[r] * v3_dot(o->direction, set->point[i].t[r - 1]);
        if (-along / acceleration > worst) *kind = STICK, worst = -along / acceleration;
    }
    return worst;
}

static void apply_change(jn_impacts *p, const jn_contact_set *set, int i, double acceleration, change_kind kind) {
    jn_unilateral *o = &p->unilateral[i];
    const double *f = p->system.f + i * p->d, *a = p->system.a + i * p->d;
    bool at_rest = tangential(a, p->d) <= 1e-6 * acceleration;
    switch (kind) {
    case OPEN: o->mode = JN_UNILATERAL_OPEN; return;
    case CLOSE: o->mode = o->moving || !(o->mu_s > 0) ? JN_UNILATERAL_SLIPPING : JN_UNILATERAL_STICKING; return;
    case STICK: o->mode = JN_UNILATERAL_STICKING; return;
    case RELEASE:
        o->mode = JN_UNILATERAL_SLIPPING, o->direction = v3(0, 0, 0);
        for (int r = 1; r < p->d; r++)
            o->direction = v3_axpy(at_rest ? -f[r] : a[r], set->point[i].t[r - 1], o->direction);
        o->direction = v3_scale(1 / v3_norm(o->direction), o->direction), o->slip = v3(0, 0, 0);
        return;
    default: return;
    }
}

/* Contacts released from rest in space slide along their own acceleration: f_T against it (the isoclinic direction). Returns how
 * far the directions have turned. */
static double turn_directions(jn_impacts *p, const jn_contact_set *set) {
    double most = 0;
    for (int i = 0; i < set->count && p->d == 3; i++) {
        jn_unilateral *o = &p->unilateral[i];
        if (o->mode != JN_UNILATERAL_SLIPPING || o->moving || !(o->mu_d > 0)) continue;
        jn_vec3 a =
            v3_axpy(p->system.a[i * 3 + 1], set->point[i].t[0], v3_scale(p->system.a[i * 3 + 2], set->point[i].t[1]));
        double size = v3_norm(a);
        if (!(size > 1e-12) || v3_dot(a, o->direction) < 0) continue;
        a = v3_scale(1 / size, a);
        most = fmax(most, v3_norm(v3_axpy(-1, o->direction, a)));
        o->direction = a;
    }
    return most;
}

void jn_unilateral_turn(jn_impacts *p, const jn_contact_set *set) {
    jn_unilateral_solve(p, set);
    for (int n = 0; n < 100 && turn_directions(p, set) > 1e-14; n++) jn_unilateral_solve(p, set);
}

/* Neither active until now nor in an impact at this instant. */
static bool was_open(jn_sim *sim, const jn_contact_point *h) {
    const jn_contact_state *cached = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
    if (!sim->impact->ready) return false; /* nothing is known yet */
    return !cached || !(cached->phase == JN_PHASE_LASTING || (cached->collided && cached->start == sim->s->t));
}

static void start_modes(jn_sim *sim, double still) {
    jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++) {
        jn_unilateral *o = &sim->impact->unilateral[i];
        const jn_contact_desc *row = &sim->m->contacts[set->point[i].row];
        double speed = v3_norm(o->slip);
        o->mu_d = row->friction > 0 ? row->friction : 0;
        o->mu_s = row->stick > o->mu_d ? row->stick : o->mu_d;
        o->moving = speed > still;
        o->mode = o->moving || !(o->mu_s > 0) ? JN_UNILATERAL_SLIPPING : JN_UNILATERAL_STICKING;
        o->direction = speed > 0 ? v3_scale(1 / speed, o->slip) : set->point[i].t[0];
        if (!o->moving) o->slip = v3(0, 0, 0);
        if (was_open(sim, &set->point[i])) o->mode = JN_UNILATERAL_OPEN; /* unless its acceleration closes it */
    }
}

/* A contact that slides and whose friction undoes its normal force: more f_N would press it further [Genot1999]. */
static int find_jam(const jn_impacts *p, const jn_contact_set *set) {
    int d = p->d, D = d * set->count;
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        if (!o->moving || !(o->mu_d > 0)) continue;
        const double *row = p->system.W + d * i * D + d * i;
        double own = row[0];
        for (int r = 1; r < d; r++) own -= o->mu_d * row[r] * v3_dot(o->direction, set->point[i].t[r - 1]);
        if (own <= 0 && p->system.b[d * i] < 0) return i;
    }
    return -1;
}

/* With W_NN - mu W_NT <= 0 and b_N >= 0 a contact may go on or open; it opens: the other answer grows without bound. */
static void open_unstable(jn_impacts *p, const jn_contact_set *set) {
    int d = p->d, D = d * set->count;
    for (int i = 0; i < set->count; i++) {
        jn_unilateral *o = &p->unilateral[i];
        const double *row = p->system.W + d * i * D + d * i;
        double own = row[0];
        if (!o->moving || !(o->mu_d > 0)) continue;
        for (int r = 1; r < d; r++) own -= o->mu_d * row[r] * v3_dot(o->direction, set->point[i].t[r - 1]);
        if (own <= 0 && p->system.b[d * i] >= 0) o->mode = JN_UNILATERAL_OPEN;
    }
}

/* An open contact that closes, or a closed one whose constraint no force meets. */
static bool misses(const jn_impacts *p, int i, double acceleration) {
    const double *a = p->system.a + i * p->d;
    if (p->unilateral[i].mode == JN_UNILATERAL_OPEN) return a[0] < -loose * acceleration;
    if (fabs(a[0]) > 1e-6 * acceleration) return true;
    return p->unilateral[i].mode == JN_UNILATERAL_STICKING && tangential(a, p->d) > 1e-6 * acceleration;
}

/* Forces of the contact problem in accelerations by the solvers of reaction/; friction of contacts that slide goes into the columns of
 * their normal forces. */
static bool solve_problem(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    int d = p->d;
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        set->mu[i] = o->moving ? 0 : o->mu_s;
        for (int k = set->start[i]; k < set->start[i + 1] && o->moving; k++)
            for (int r = 1; r < d; r++)
                set->Y[k * d] -= o->mu_d * v3_dot(o->direction, set->point[i].t[r - 1]) * set->Y[k * d + r];
    }
    memcpy(set->q, p->system.b, (size_t)(d * set->count) * sizeof *set->q);
    memset(set->p, 0, (size_t)(d * set->count) * sizeof *set->p);
    long unsolved = sim->audit.unsolved;
    int status = jn_contact_set_solve(set, sim);
    bool solved = status >= 0 && sim->audit.unsolved == unsolved;
    sim->audit.unsolved = unsolved;
    jn_contact_set_rows(set, sim);
    return solved;
}

/* Modes from the forces of the solver, checked by their own inequalities. Many contacts that change together. */
static int choose_by_solver(jn_sim *sim, double still, double acceleration, double stiff) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    int d = p->d, D = d * set->count;
    change_kind what;
    start_modes(sim, still);
    if (!solve_problem(sim)) return JN_NOT_CONVERGED;
    double force = acceleration / stiff;
    for (int i = 0; i < D; i++) force = fmax(force, fabs(set->p[i]));
    for (int i = 0; i < set->count; i++) {
        jn_unilateral *o = &p->unilateral[i];
        double u[3] = {0, 0, 0}, *f = set->p + i * d;
        for (int r = 0; r < d; r++) {
            u[r] = p->system.b[i * d + r];
            for (int j = 0; j < D; j++) u[r] += p->system.W[(i * d + r) * D + j] * set->p[j];
        }
        bool open = f[0] <= 1e-9 * force && u[0] > 1e-7 * acceleration;
        bool slides = o->moving || !(o->mu_s > 0) || tangential(u, d) > 1e-6 * acceleration;
        o->mode = open ? JN_UNILATERAL_OPEN : slides ? JN_UNILATERAL_SLIPPING : JN_UNILATERAL_STICKING;
        if (o->mode != JN_UNILATERAL_SLIPPING || o->moving || !(o->mu_s > 0)) continue;
        o->direction = v3(0, 0, 0);
        for (int r = 1; r < d; r++)
            o->direction = v3_axpy(u[r] / tangential(u, d), set->point[i].t[r - 1], o->direction);
    }
    jn_unilateral_turn(p, set);
    bool fine = true;
    for (int i = 0; i < set->count; i++) {
        fine &= judge(p, set, i, force, acceleration, &what) <= 1e-6;
        if (p->unilateral[i].mode != JN_UNILATERAL_OPEN) fine &= !misses(p, i, acceleration);
    }
    return fine || (p->system.redundant && jn_unilateral_admissible(p, set)) ? JN_OK : JN_NOT_CONVERGED;
}

int jn_unilateral_choose(jn_sim *sim, double still, int *jam) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    int D = p->d * set->count;
    double acceleration = 1e-300, stiff = 1e-300;
    start_modes(sim, still);
    *jam = find_jam(p, set);
    if (*jam >= 0) return JN_NOT_CONVERGED;
    open_unstable(p, set);
    acceleration =
        fmax(acceleration, 1e-3 * v3_norm(sim->m->gravity)); /* below it is the noise of weights that cancel */
    for (int i = 0; i < D; i++)
        acceleration = fmax(acceleration, fabs(p->system.b[i])), stiff = fmax(stiff, p->system.W[i * D + i]);
    for (int turn = 0; turn < 4 * CHANGES + 20 * set->count; turn++) {
        jn_unilateral_turn(p, set);
        int which = -1;
        change_kind kind = NOTHING, what;
        double worst = loose, force = acceleration / stiff;
        for (int i = 0; i < D; i++) force = fmax(force, fabs(p->system.f[i]));
        for (int i = 0; i < set->count && (turn < CHANGES || which < 0); i++) {
            double bad = judge(p, set, i, force, acceleration, &what);
            if (bad > worst) worst = bad, which = i, kind = what;
        }
        if (which < 0) return JN_OK;
        if (p->system.redundant && (kind == OPEN || kind == RELEASE)) {
            bool apart = false; /* the motion is not that of the answer */
            for (int i = 0; i < set->count; i++) apart |= misses(p, i, acceleration);
            if (!apart && jn_unilateral_admissible(p, set)) return JN_OK;
        }
        apply_change(p, set, which, acceleration, kind);
    }
    return choose_by_solver(sim, still, acceleration, stiff);
}
