/* Impulses of least norm.
 *
 * The regularised problem u = W p + q + e w_i (p - anchor), with w_i the mean diagonal of W_ii, has one solution where the contacts are
 * redundant, too; from anchor = 0 it is the least-norm solution up to O(e), and steps of the proximal-point method from there
 * [Rockafellar1976] take away what e left, along directions that W sees, and leave the others alone. */
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/least_norm_work.h"
#include <math.h>
#include <string.h>

enum {
    STEPS = 15,    /* of Newton's method for one anchor */
    ROUNDS = 5,    /* anchors after zero, */
    NARROWER = 6,  /* and those with ever smaller e, */
    SAME = 2,      /* of which so many may leave as much as before */
    CHORDS = 3,    /* steps with a factor that is there */
    SLOW = 2,      /* steps without progress that end Newton's method, */
    SLOW_NEAR = 1, /* and where it starts from a solution */
    EARLY = 2,     /* starts of Newton's method before others are tried */
    SWEEPS = 5,    /* before it starts again, */
    MORE = 40      /* before the trials after that, times their number: some slips need as many to turn */
};
static const double small =
    1e-4; /* e: smaller ones make Newton's method fail more often, larger ones need more anchors */
static const double moderate =
    1e3; /* of the largest velocity: those that impulses make where no proof is asked for that they have a bound */
static const double share = 1e-5;   /* of the error that is asked for: what Newton's method and e may leave */
static const double narrower = 0.1; /* factor of e along the path to it */
static const double certain =
    1e-5; /* of the error that is asked for: velocities that miss the laws by less meet them */
static const double solved = 1e-13,
                    enough = 1e-11; /* largest |F| in units of the largest velocity; where rounding ends it */

bool jn_least_norm_suits(const jn_problem *problem) {
    return problem->contacts > 1 && problem->contacts <= JN_LEAST_NORM;
}

bool jn_least_norm_is_quick(const jn_problem *problem) {
    return problem->contacts > 1 && problem->contacts <= JN_LEAST_NORM_QUICK && jn_shared_suits(problem) &&
           jn_shared_velocities(problem) <= JN_SHARED;
}

/* What both ways need. Returns the rest of the scratch; without scratch all of these measure, and nobody reads s. */
static jn_scratch take_vectors(const jn_problem *problem, void *base, jn_least_norm_work *s) {
    jn_scratch m = {.base = base};
    size_t n = (size_t)problem->contacts * (size_t)problem->dimension;
    double **vectors[] = {&s->p, &s->u, &s->anchor, &s->F, &s->g, &s->du, &s->start, &s->change, &s->safe, &s->found};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = jn_scratch_take(&m, n, sizeof(double)); /* by eights */
    return m;
}

/* By velocities, at most so many. Returns the bytes. */
static size_t layout(const jn_problem *problem, int most, void *base, jn_least_norm_work *s) {
    jn_scratch m = take_vectors(problem, base, s);
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    s->C = jn_scratch_take(&m, n * d, sizeof(double)), s->X = jn_scratch_take(&m, n * d, sizeof(double));
    s->w = jn_scratch_take(&m, nc, sizeof(double)), s->by_w = jn_scratch_take(&m, nc, sizeof(double));
    s->W = jn_scratch_take(&m, 9 * nc, sizeof(double));
    s->local = jn_scratch_take(&m, nc, sizeof *s->local);
    jn_shared_layout(problem, most, &m, &s->rows);
    s->x = jn_scratch_take(&m, (size_t)most, sizeof(double)), s->v = jn_scratch_take(&m, (size_t)most, sizeof(double));
    return m.used;
}

/* By contacts, in the same place, where the velocities are too many. */
static size_t layout_contacts(const jn_problem *problem, void *base, jn_least_norm_work *s) {
    jn_scratch m = take_vectors(problem, base, s);
    jn_scaled_layout(problem, &m, &s->scaled);
    jn_block_lu_layout(problem->dimension, problem->contacts, jn_scaled_fill(problem), &m, &s->lu);
    jn_newton_layout(&m, &s->scaled, &s->lu, &s->newton);
    return m.used;
}

/* [bytes] for the one or the other. */
static size_t most_scratch(const jn_problem *problem) {
    jn_least_norm_work s;
    size_t by_velocities = jn_shared_suits(problem) ? layout(problem, JN_SHARED, NULL, &s) : 0;
    size_t by_contacts = problem->contacts <= JN_LEAST_NORM ? layout_contacts(problem, NULL, &s) : 0;
    return by_velocities > by_contacts ? by_velocities : by_contacts;
}

/* By rows where there are rows. */
static jn_problem without_blocks(const jn_problem *problem) {
    jn_problem plain = *problem;
    if (plain.H && plain.Y) plain.W = NULL;
    return plain;
}

size_t jn_least_norm_scratch(const jn_problem *problem) {
    jn_problem plain = without_blocks(problem);
    if (problem->contacts <= 1) return 0;
    if (problem->contacts <= JN_LEAST_NORM) return most_scratch(&plain);
    int start[JN_LEAST_NORM_QUICK + 1] = {0}; /* as much as an island may need */
    if (plain.Y) start[JN_LEAST_NORM] = start[JN_LEAST_NORM_QUICK] = plain.Y->start[plain.contacts];
    jn_contact_rows rows = {.start = start};
    plain.contacts = JN_LEAST_NORM, plain.W = NULL, plain.H = plain.Y = &rows;
    size_t some = most_scratch(&plain);
    plain.contacts = JN_LEAST_NORM_QUICK;
    size_t quick = most_scratch(&plain);
    return quick > some ? quick : some;
}

size_t jn_least_norm_quick_scratch(const jn_problem *problem) {
    jn_least_norm_work s;
    return jn_least_norm_is_quick(problem) ? layout(problem, JN_SHARED, NULL, &s) : 0;
}

static bool is_wide(const jn_problem *problem) {
    return problem->contacts > 1 && problem->contacts <= JN_LEAST_NORM_WIDE && jn_shared_suits(problem);
}

size_t jn_least_norm_wide_scratch(const jn_problem *problem) {
    jn_least_norm_work s;
    jn_problem plain = without_blocks(problem);
    return is_wide(&plain) ? layout(&plain, JN_SHARED_WIDE, NULL, &s) : 0;
}

/* --------------------------------------------------------------------------------------------------- by velocities */

/* p += dp; the velocities follow: with a factor that is there by H dv, which is small then, else from the impulses. */
static void step(jn_least_norm_work *s, bool chord) {
    jn_least_norm_direction(s);
    for (int k = 0; k < s->n; k++) s->p[k] += s->g[k];
    if (!chord) {
        jn_least_norm_velocity(s);
        return;
    }
    for (int k = 0; k < s->n; k++) s->u[k] += s->du[k];
}

/* Newton's method for one anchor, until |F| is at most `goal` in units of the largest velocity; s->u belongs to s->p. chords: first
 * with the factor of the last step. */
static bool solve_dense(jn_least_norm_work *s, double e, double goal, bool chords) {
    double size = jn_least_norm_value(s, e), best = INFINITY, last = size;
    for (int n = 0; n < CHORDS && chords && size > goal * s->unit; n++) {
        step(s, true);
        size = jn_least_norm_value(s, e);
        if (size <= enough * s->unit && size > 0.3 * last) return true; /* rounding */
        if (!(size < 0.1 * last)) break;
        last = size;
    }
    for (int n = 0, slow = 0; n < STEPS && slow < s->slow && !(size <= goal * s->unit); n++) {
        if (isnan(size) || !jn_least_norm_factor(s, e)) return false;
        step(s, false);
        size = jn_least_norm_value(s, e);
        if (size <= enough * s->unit && size > 0.3 * best) break; /* rounding */
        slow = size < 0.5 * best ? 0 : slow + 1;
        best = jn_min(best, size);
    }
    return size <= jn_max(goal, enough) * s->unit;
}

/* W_ii of all contacts and what their exact solutions need. */
static void prepare_sweeps(jn_least_norm_work *s) {
    int d = s->d;
    for (int i = 0; i < s->nc; i++) {
        double *W = s->W + 9 * i;
        for (int k = 0; k < d * d; k++) {
            const double *Y = s->rows.Y + (i * d + k % d) * s->rows.pitch;
            W[k] = jn_shared_dot_row(&s->rows, s->rows.H, i, k / d, Y);
        }
        W[0] += s->rows.given[i];
        for (int k = 0; k < d; k++) W[k * d + k] += jn_problem_compliance(s->problem, i);
        s->local[i] = jn_local_prepare(d, W, d > 1 ? s->problem->mu[i] : 0);
    }
    s->swept = true;
}

/* Every contact once, solved for the impulses of the others. */
static void sweep(jn_least_norm_work *s, int count) {
    int d = s->d;
    if (!s->swept) prepare_sweeps(s);
    jn_shared_scatter(&s->rows, s->p, s->v);
    for (int n = 0; n < count; n++)
        for (int i = 0; i < s->nc; i++) {
            double q[3] = {0}, old[3] = {0}, *x = s->p + i * d;
            for (int r = 0; r < d; r++) {
                const double *W = s->W + 9 * i + r * d;
                q[r] = s->problem->q[i * d + r] + jn_problem_compliance(s->problem, i) * x[r], old[r] = x[r];
                if (r < s->rows.rows[i]) q[r] += jn_shared_dot_row(&s->rows, s->rows.H, i, r, s->v);
                for (int c = 0; c < d; c++) q[r] -= W[c] * x[c];
            }
            if (s->rows.given[i] > 0) q[0] = s->problem->q[i * d];
            jn_local_solve(d, &s->local[i], q, x);
            for (int r = 0; r < d; r++)
                if (x[r] != old[r]) jn_shared_add_row(&s->rows, s->rows.Y, i, r, x[r] - old[r], s->v);
        }
}

/* From p, then from what sweeps leave; with all tries also along a path of problems that become harder. */
static bool try_dense(jn_least_norm_work *s, int tries) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    for (int n = 0; n < tries; n++) {
        if (n) memcpy(s->p, s->start, bytes), sweep(s, n == 1 ? SWEEPS : MORE * (n - 1));
        memcpy(s->start, s->p, bytes);
        if (!s->started) jn_least_norm_velocity(s);
        s->started = false;
        if (solve_dense(s, small, s->goal, false)) return true;
    }
    if (tries <= EARLY) return false;
    memcpy(s->p, s->start, bytes);
    jn_least_norm_velocity(s);
    for (double e = 1; e > small; e *= narrower)
        if (!solve_dense(s, e, 0.1 * e, false)) return false;
    return solve_dense(s, small, s->goal, false);
}

/* ----------------------------------------------------------------------------------------------------- by contacts */

/* The same without units, with a matrix over the contacts; p and anchor are those of the scaled problem. */
static bool solve_sparse(jn_least_norm_work *s, double e) {
    jn_newton *newton = &s->newton;
    newton->anchor = s->anchor;
    jn_newton_start(newton, e, 1);
    newton->damping = 0;
    double norm = jn_newton_value(newton, s->p, newton->u, newton->F);
    for (int n = 0; n < STEPS && !(norm <= solved); n++) {
        double next = jn_newton_step(newton, s->p, 10 * norm);
        ++*s->steps;
        if (!isfinite(next)) return false;
        if (next <= enough && next > 0.3 * norm) return true;
        norm = next;
    }
    return norm <= enough;
}

/* ------------------------------------------------------------------------------------------------------------ both */

/* What e leaves: largest e w |p - anchor| in units of the largest velocity. */
static double left(const jn_least_norm_work *s, double e) {
    double largest = 0;
    for (int i = 0; i < s->nc; i++) {
        double size = s->dense ? s->w[i] / s->unit : 1;
        for (int k = i * s->d; k < (i + 1) * s->d; k++) largest = jn_max(largest, fabs(s->p[k] - s->anchor[k]) * size);
    }
    return e * largest;
}

/* Mean of the positive diagonal entries of W_ii, those of the rows alone given. */
static double mean_mobility(const jn_least_norm_work *s, int i, const double *W) {
    double trace = 0;
    int count = 0;
    for (int r = 0; r < s->d; r++) {
        double own = W[r];
        own += jn_problem_compliance(s->problem, i);
        if (r == 0) own += s->rows.given[i];
        if (own > 0) trace += own, count++;
    }
    return count ? trace / count : 0;
}

static bool find_masses(jn_least_norm_work *s) {
    double *W = s->du; /* not in use before the first step */
    jn_shared_diagonals(&s->rows, W);
    for (int i = 0; i < s->nc; i++) {
        double w = s->w[i] = mean_mobility(s, i, W + i * s->d);
        if (!(w > 0) || !isfinite(w)) return false;
        s->by_w[i] = 1 / w;
    }
    return true;
}

/* Dense rows and masses; guessed: the rows as they stand, masses are found when the guess was looked at. */
static bool start_dense(jn_least_norm_work *s, bool guessed) {
    if (!jn_shared_start(&s->rows)) return false;
    if (guessed) return true;
    jn_shared_spread(&s->rows);
    return find_masses(s);
}

/* [m/s] Largest velocity, but for those of normals that are given. */
static double find_unit(const jn_least_norm_work *s) {
    const double *q = s->problem->q;
    double unit = 0;
    for (int i = 0; i < s->nc; i++)
        for (int r = s->dense && s->rows.given[i] > 0; r < s->d; r++) unit = jn_max(unit, fabs(q[i * s->d + r]));
    return unit;
}

/* guessed: as in start_dense, and by velocities or not at all. What the layouts and the search set is not cleared. */
static bool start(const jn_problem *problem, int most, bool guessed, void *scratch, const double *p,
                  jn_least_norm_work *s) {
    s->problem = problem, s->d = problem->dimension, s->nc = problem->contacts;
    s->dense = s->sparse = s->swept = s->started = false, s->factor = 1, s->slow = SLOW;
    s->n = s->nc * s->d;
    if (jn_shared_suits(problem)) {
        layout(problem, most, scratch, s);
        s->dense = start_dense(s, guessed);
    }
    if (!s->dense && (guessed || s->nc > JN_LEAST_NORM)) return false;
    if (!s->dense) layout_contacts(problem, scratch, s);
    s->unit = find_unit(s);
    memcpy(s->p, p, (size_t)s->n * sizeof *p);
    if (s->dense) {
        jn_least_norm_take_given(s);
        return s->unit > 0;
    }
    return jn_scaled_start(s->problem, &s->scaled, p, s->p) == JN_OK &&
           jn_block_lu_analyse(&s->lu, s->scaled.start, s->scaled.column) == JN_OK;
}

/* What anchors have left where masses differ by thousands: smaller e, as long as Newton's method finds their solutions. Where as much is left each time impulses grow without bound. */
static void narrow(jn_least_norm_work *s, double e) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    double now = left(s, e);
    for (int k = 0, same = 0; k < NARROWER && now > s->goal && same < SAME; k++) {
        double before = now;
        memcpy(s->safe, s->p, bytes), memcpy(s->anchor, s->p, bytes);
        e *= narrower;
        if (!solve_dense(s, e, s->goal, false)) {
            memcpy(s->p, s->safe, bytes);
            jn_least_norm_velocity(s);
            return;
        }
        now = left(s, e);
        same = now > 0.9 * before ? same + 1 : 0;
    }
}

/* Anchors that follow the impulses, until they take away what e leaves. */
static bool move_anchors(jn_least_norm_work *s) {
    bool fine = true;
    for (int k = 0; k < ROUNDS && fine && left(s, small) > (s->dense ? s->goal : solved); k++) {
        memcpy(s->anchor, s->p, (size_t)s->n * sizeof *s->p);
        fine = s->dense ? solve_dense(s, small, s->goal, true) : solve_sparse(s, small);
    }
    return fine;
}

/* |F| that ends Newton's method. speed [m/s]: error that is asked for; 0: none. */
static double goal_of(const jn_least_norm_work *s, double speed) { return jn_max(solved, share * speed / s->unit); }

/* Least norm, then what e left is taken away. speed [m/s]: error that is asked for; 0: none. uneven: as in jn_least_norm. */
static bool find(jn_least_norm_work *s, double speed, bool uneven, int tries) {
    s->goal = goal_of(s, speed);
    memset(s->anchor, 0, (size_t)s->n * sizeof *s->p);
    bool fine = (s->dense ? try_dense(s, tries) : solve_sparse(s, small)) && move_anchors(s);
    if (fine && s->dense && uneven) narrow(s, small);
    return fine;
}

/* The solution nearest to s->p, which solves nearly the same problem: of impulses that hold each other it keeps what is there. Of least norm before, it is so now where contacts
 * stick, slip and part as before. The speed error of s->p, INFINITY: Newton's method does not find it at once, and s->p is what it was. */
static double follow(jn_least_norm_work *s, double speed, double tolerance, const double *guess) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    s->goal = goal_of(s, speed);
    memcpy(s->anchor, s->p, bytes);
    s->slow = SLOW_NEAR;
    bool fine = solve_dense(s, small, s->goal, false) && move_anchors(s);
    s->slow = SLOW;
    double residual = fine ? jn_problem_residual_of(s->problem, s->p, s->u) : INFINITY;
    if (residual <= tolerance) return residual;
    memcpy(s->p, guess, bytes);
    jn_least_norm_velocity(s);
    return INFINITY;
}

/* The proximal-point method, and from where it ends the impulses of least norm; known: Newton's method has found those, and they miss the tolerance. p and u are those of the
 * speed error that is returned. */
static double approach(jn_least_norm_work *s, double speed, double tolerance, int most, bool known) {
    double residual = jn_solve_proximal_shared(s, 1, tolerance, most);
    if (residual > tolerance || known) return residual;
    memcpy(s->safe, s->p, (size_t)s->n * sizeof *s->p);
    s->slow = SLOW_NEAR;
    double least = find(s, speed, false, 1) ? jn_problem_residual_of(s->problem, s->p, s->u) : INFINITY;
    s->slow = SLOW;
    if (least <= tolerance) return least;
    memcpy(s->p, s->safe, (size_t)s->n * sizeof *s->p);
    jn_least_norm_velocity(s);
    return residual;
}

bool jn_least_norm(const jn_problem *problem, double speed, bool uneven, int tries, void *scratch, double *p,
                   int *steps) {
    jn_problem plain = without_blocks(problem);
    jn_least_norm_work s;
    if (!start(&plain, JN_SHARED, false, scratch, p, &s)) return false;
    s.steps = steps;
    if (!find(&s, speed, uneven, tries)) return false;
    if (s.dense)
        memcpy(p, s.p, (size_t)s.n * sizeof *p);
    else
        jn_scaled_finish(&s.scaled, s.p, p);
    return true;
}

/* Newton's method from s->p; the speed error of its answer, INFINITY: it has none. Where e leaves too much of it e becomes smaller. */
static double try_newton(jn_least_norm_work *s, double speed, double tolerance, int tries) {
    if (!find(s, speed, false, tries)) return INFINITY;
    double residual = jn_problem_residual_of(s->problem, s->p, s->u);
    if (residual <= tolerance) return residual;
    narrow(s, small);
    return jn_problem_residual_of(s->problem, s->p, s->u);
}

/* All tries of Newton's method from the guess, then from zero: its answer does not depend on where it starts. */
static double try_all(jn_least_norm_work *s, const jn_least_norm_aim *aim, double speed, const double *guess) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    memcpy(s->p, guess, bytes);
    double residual = try_newton(s, speed, aim->tolerance, aim->tries);
    if (residual < INFINITY) return residual;
    memset(s->p, 0, bytes), jn_least_norm_take_given(s);
    return try_newton(s, speed, aim->tolerance, aim->tries);
}

/* Whether no impulse changes its own velocity beyond all that is there: where friction jams contacts their impulses have no bound. */
static bool is_moderate(const jn_least_norm_work *s) {
    for (int i = 0; i < s->nc; i++)
        if (s->rows.given[i] == 0 && !(s->w[i] * s->p[i * s->d] <= moderate * s->unit)) return false;
    return true;
}

/* The proximal-point method where Newton's method has failed: some steps first, whose answer counts if it is moderate, then all of them where there is a solution for
 * certain; without such a proof it may run to impulses without bound. jams: there is none, and Newton's method alone decides whether friction jams the contacts. */
static double approach_proven(jn_least_norm_work *s, const jn_least_norm_aim *aim, double speed, const double *from,
                              bool known, bool *jams) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    memmove(s->start, from, bytes);
    double residual = approach(s, speed, aim->tolerance, JN_PROXIMAL_SOON, known);
    if (residual <= aim->tolerance && is_moderate(s)) return residual;
    *jams = jn_least_norm_jams(s, certain * aim->tolerance, aim->hold);
    if (*jams) return INFINITY;
    memcpy(s->start, s->p, bytes);
    return approach(s, speed, aim->tolerance, JN_PROXIMAL_ALL, known);
}

/* Back to what Newton's method found first, with the speed error that it had. */
static double take_found(jn_least_norm_work *s, double residual) {
    memcpy(s->p, s->found, (size_t)s->n * sizeof *s->p);
    jn_least_norm_velocity(s);
    return residual;
}

/* The solution from the guess, which is s->p; returns the speed error of s->p, whose velocities are s->u. A guess that meets the tolerance is improved where that takes one start of
 * Newton's method. The proximal-point method comes before its costly starts. */
static double search(jn_least_norm_work *s, const jn_least_norm_aim *aim, double speed, const double *guess,
                     jn_solve_result *result) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    bool near = result->residual <= aim->tolerance, jams = false;
    double residual = try_newton(s, speed, aim->tolerance, near ? 1 : EARLY);
    if (residual <= aim->tolerance || near) return residual;
    if (aim->hold) {
        bool known = residual < INFINITY;
        double first = residual;
        memcpy(s->found, s->p, bytes);
        residual = approach_proven(s, aim, speed, known ? s->p : guess, known, &jams);
        result->solver = "proximal_shared";
        if (residual <= aim->tolerance) return residual;
        if (known && jams) return take_found(s, first); /* Newton's method would end there again */
    }
    residual = try_all(s, aim, speed, guess);
    if (residual <= aim->tolerance) result->solver = "least_norm";
    if (residual <= aim->tolerance && jams) memset(aim->hold, 0, bytes);
    if (residual <= aim->tolerance || jams) return residual;
    if (residual < INFINITY) memcpy(s->start, s->p, bytes);
    result->solver = "proximal_shared";
    return approach(s, speed, aim->tolerance, JN_PROXIMAL_ALL, residual < INFINITY);
}

/* Whether the normal velocities of the guess let it stay as it is; else what follows asks for dense rows. */
static bool is_near(const jn_least_norm_work *s, double keep) {
    for (int i = 0; i < s->nc; i++) {
        double u = s->u[i * s->d];
        if (u < -keep || (s->p[i * s->d] > 0 && u > keep)) return false;
    }
    return true;
}

bool jn_least_norm_solve(const jn_problem *problem, const jn_least_norm_aim *aim, void *scratch, double *mass,
                         double *u, double *p, jn_solve_result *result) {
    jn_problem plain = without_blocks(problem);
    jn_least_norm_work s;
    size_t bytes = (size_t)(problem->contacts * problem->dimension) * sizeof *p;
    if (!(aim->wide ? is_wide(&plain) : jn_least_norm_is_quick(&plain))) return false;
    if (!start(&plain, aim->wide ? JN_SHARED_WIDE : JN_SHARED, true, scratch, p, &s)) return false;
    *result = (jn_solve_result){.solver = "guess", .tried = 1};
    jn_least_norm_velocity(&s);
    s.started = true;
    if (!is_near(&s, aim->keep)) jn_shared_spread(&s.rows);
    if (!find_masses(&s)) return false;
    for (int i = 0; i < s.nc; i++) mass[i] = s.by_w[i];
    plain.mass = mass;
    memcpy(u, s.u, bytes), memcpy(p, s.p, bytes);
    result->residual = jn_problem_residual_of(&plain, p, u);
    if (result->residual <= aim->keep) return result->converged = true;
    jn_shared_spread(&s.rows);
    result->solver = "least_norm", s.steps = &result->iterations;
    double speed = result->residual <= aim->rest ? 0 : aim->tolerance; /* to round-off: then it stays so */
    double residual = aim->follows ? follow(&s, speed, aim->tolerance, p) : INFINITY;
    if (!(residual <= aim->tolerance)) residual = search(&s, aim, speed, p, result);
    if (residual <= aim->tolerance || residual < result->residual) {
        memcpy(p, s.p, bytes), memcpy(u, s.u, bytes);
        result->residual = residual;
    }
    return result->converged = result->residual <= aim->tolerance;
}
