/* Block Gauss-Seidel: contacts one after the other, each solved exactly for the impulses of the others [Jean1999], by body velocities with
 * Nesterov's momentum between sweeps, which starts anew where a sweep turns back [ODonoghue2015], by blocks with Anderson's mixing. Contacts of free bodies are swept eight at
 * a time (packs.h), colour by colour. */
#include "reaction/solvers/anderson.h"
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/solvers.h"
#include "reaction/solvers/sweeps/packs.h"
#include "reaction/solvers/sweeps/patch.h"
#include "reaction/solvers/sweeps/round.h"
#include <string.h>

enum {
    SWEEPS = 10000,
    LOOK = 8,       /* sweeps after which the residual is computed, whatever the change */
    SMALL = 500,    /* unknowns by blocks up to which the change alone tells when */
    REFRESH = 32,   /* sweeps after which body velocities are summed anew: momentum amplifies their rounding */
    PACKED = 24,    /* contacts from which on free bodies are swept eight at a time */
    CHUNK = 16,     /* packs that are swept at a time */
    BAD = 5,        /* growth of the change after which mixing starts anew */
    PLAIN = 3,      /* sweeps without mixing after that; twice as many, up to */
    DOUBLINGS = 3,  /* this power of two, while nothing gets better */
    PATIENCE = 256, /* sweeps without progress after which as many go without momentum */
    SORTED = 16,   /* sweeps after which packs are filled anew, so that open contacts share packs which are left out, */
    MANY = 5,      /* where at least every fifth is open */
    PATCHED = 600, /* contacts from which on the few that sweeps do not solve are solved with their neighbourhoods, */
    STALLED = 48,  /* after so many sweeps in which errors have not been halved, */
    RINGS = 2,     /* first with bodies so many contacts away, */
    MOST_RINGS = 6, /* at last; */
    BUDGET = 800    /* Newton iterations on patches, of one problem */
};
static const double SINGLE =
    2e-7; /* [m/s] tolerance from which on round contacts are swept in single precision first */
/* Relative correction of a slip that is left to the next sweep: in the first one, and later, where the last sweep's is a guess. */
static const double EXACT = 1e-8, LOOSE = 0.1;
static const double GROWTH = 1.1; /* of the change over its least: momentum was too large */
static const double LEFT = 0.6;   /* of the momentum after that */

typedef struct gauss_seidel {
    const jn_problem *problem;
    bool rows;   /* by body velocities: O(1) per contact; else by blocks of W */
    bool packed; /* contacts of free bodies, eight at a time */
    jn_packs packs;
    int blocks;       /* of W */
    int d, n, nv;     /* nv: velocities that go along, 0 by blocks */
    size_t size;      /* numbers of the state */
    jn_local *local;  /* (contacts) */
    double *diagonal; /* (contacts x d x d) W_ii */
    double *weight;   /* (contacts) mean of the diagonal of W_ii: 1/mass */
    double *state;    /* (size) impulses and Y^T p, one behind the other; packed: lanes of both */
    double *before;   /* (size) both after the last sweep */
    double *p, *v;    /* parts of the state */
    double *u, *best; /* (n), (n) */
    double *sorted;   /* (n) packed: scratch */
    void *patches;    /* scratch of jn_patches_solve; NULL: there are none */
    void *round;      /* scratch of jn_round_solve; NULL: residuals are no speeds */
    double *H, *Y;    /* (entries x 3) values of round rows that the problem does not have */
    double *anderson; /* by blocks */
    int *colour;      /* (contacts) packed */
    uint64_t *mask;   /* (velocities) packed */
    jn_colouring colours;
    double least; /* residual of best */
} gauss_seidel;

/* ---------------------------------------------------------------------------------------------------------- setup */

static void lay_out(gauss_seidel *s, jn_scratch *m) {
    size_t n = (size_t)s->n, contacts = (size_t)s->problem->contacts, dd = (size_t)(s->d * s->d);
    size_t velocities = (size_t)s->problem->velocities;
    s->size = n + (size_t)s->nv;
    s->local = jn_scratch_take(m, contacts, sizeof *s->local);
    s->diagonal = jn_scratch_take(m, contacts * dd, sizeof *s->diagonal);
    s->weight = jn_scratch_take(m, contacts, sizeof *s->weight);
    s->u = jn_scratch_take(m, n, sizeof *s->u);
    s->best = jn_scratch_take(m, n, sizeof *s->best);
    s->anderson = s->rows ? NULL : jn_scratch_take(m, jn_anderson_scratch(s->n), sizeof *s->anderson);
    size_t room = n + velocities + 1;
    if (s->packed) {
        jn_packs_layout(s->problem, m, &s->packs);
        s->sorted = jn_scratch_take(m, n, sizeof *s->sorted);
        bool patched = s->problem->mass && contacts >= PATCHED;
        s->patches = patched ? jn_scratch_take(m, jn_patches_scratch(s->problem), 1) : NULL;
        s->round = s->problem->mass ? jn_scratch_take(m, jn_round_scratch(s->problem), 1) : NULL;
        size_t lanes = (3 * (size_t)s->packs.capacity + (size_t)s->packs.slots + 1) * JN_LANES_OF_PACK;
        if (lanes > room) room = lanes;
    }
    size_t values = s->rows && !s->problem->H->value ? 3 * (size_t)s->problem->H->start[contacts] : 0;
    s->H = jn_scratch_take(m, values, sizeof *s->H), s->Y = jn_scratch_take(m, values, sizeof *s->Y);
    s->state = jn_scratch_take(m, room, sizeof *s->state), s->before = jn_scratch_take(m, room, sizeof *s->before);
    if (!s->packed) return;
    s->colour = jn_scratch_take(m, contacts, sizeof *s->colour);
    s->colours.order = jn_scratch_take(m, contacts, sizeof *s->colours.order);
    s->mask = jn_scratch_take(m, velocities, sizeof *s->mask);
}

static gauss_seidel describe(const jn_problem *problem) {
    gauss_seidel s = {.problem = problem, .rows = jn_problem_prefers_rows(problem), .d = problem->dimension};
    s.n = s.d * problem->contacts;
    s.nv = s.rows ? problem->velocities : 0;
    s.packed = s.rows && problem->contacts >= PACKED && (problem->round || jn_packs_suit(problem));
    s.blocks = problem->W ? problem->W->start[problem->contacts] : 0;
    return s;
}

/* Impulses and velocities into the lanes of packs. */
static void prepare_packs(gauss_seidel *s, const double *p) {
    jn_wide *lanes = (jn_wide *)s->state;
    int count = 3 * s->packs.count;
    s->size = (size_t)(count + s->packs.slots + 1) * JN_LANES_OF_PACK;
    s->p = s->state, s->v = s->state + count * JN_LANES_OF_PACK;
    jn_packs_take(&s->packs, p, lanes);
}

/* Fills the packs anew by the impulses of now. O(entries). */
static void sort_packs(gauss_seidel *s) {
    int open = 0, contacts = s->problem->contacts;
    jn_packs_give(&s->packs, (const jn_wide *)s->p, s->u);
    for (int i = 0; i < contacts; i++) open += !(s->u[3 * (size_t)i] > 0);
    if (MANY * open < contacts) return;
    double *last = s->sorted;
    jn_packs_give(&s->packs, (const jn_wide *)s->before, last);
    jn_packs_fill(s->problem, &s->colours, s->diagonal, s->u, &s->packs);
    jn_packs_take(&s->packs, s->u, (jn_wide *)s->state), jn_packs_take(&s->packs, last, (jn_wide *)s->before);
    jn_packs_impulse(&s->packs, (const jn_wide *)s->p, (jn_wide *)s->v);
    jn_packs_impulse(&s->packs, (const jn_wide *)s->before, (jn_wide *)(s->before + (s->v - s->p)));
}

static void prepare(gauss_seidel *s, const double *p) {
    int d = s->d;
    for (int i = 0; i < s->problem->contacts; i++) {
        double *W = s->diagonal + (size_t)i * (size_t)(d * d), trace = 0;
        int count = 0;
        jn_problem_diagonal(s->problem, i, W);
        for (int k = 0; k < d; k++)
            if (W[k * d + k] > 0) trace += W[k * d + k], count++;
        s->weight[i] = count ? trace / count : 1;
        s->local[i] = jn_local_prepare(d, W, d > 1 ? s->problem->mu[i] : 0);
    }
    if (s->packed) jn_colour_contacts(s->problem, s->colour, s->mask, &s->colours);
    s->packed = s->packed && jn_packs_fill(s->problem, &s->colours, s->diagonal, p, &s->packs);
    s->p = s->state, s->v = s->state + s->n;
    if (s->packed)
        prepare_packs(s, p);
    else
        memcpy(s->p, p, (size_t)s->n * sizeof *p);
}

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* Four numbers at a time; the fourth of a row of three belongs to what follows and is not used. */
typedef double lanes __attribute__((vector_size(32)));

/* u = row i of W times p, as jn_blocks_row. p is followed by memory of ours; the last block of W is not, and is done alone. */
static inline void row3(const jn_blocks *W, int i, int blocks, const double *p, double *u) {
    int end = W->start[i + 1], safe = end < blocks ? end : blocks - 1;
    lanes a = {0}, b = {0}, c = {0}, x, r0, r1, r2;
    for (int k = W->start[i]; k < safe; k++) {
        const double *B = W->value + 9 * (size_t)k;
        memcpy(&x, p + 3 * (size_t)W->column[k], sizeof x);
        memcpy(&r0, B, sizeof r0), memcpy(&r1, B + 3, sizeof r1), memcpy(&r2, B + 6, sizeof r2);
        a += r0 * x, b += r1 * x, c += r2 * x;
    }
    u[0] = a[0] + a[1] + a[2], u[1] = b[0] + b[1] + b[2], u[2] = c[0] + c[1] + c[2];
    if (safe == end) return;
    const double *B = W->value + 9 * (size_t)safe, *y = p + 3 * (size_t)W->column[safe];
    for (int k = 0; k < 3; k++) u[k] += B[3 * k] * y[0] + B[3 * k + 1] * y[1] + B[3 * k + 2] * y[2];
}

/* u = H_i v, as jn_rows_gather. The last entry is done alone: nothing of ours follows it. */
static inline void gather3(const jn_contact_rows *H, int i, const double *v, double *u) {
    int first = H->start[i], last = H->start[i + 1] - 1;
    const double *h = H->value + 3 * (size_t)first;
    lanes a = {0}, b = {0}, r;
    u[0] = u[1] = u[2] = 0;
    if (last < first) return;
    for (int k = first; k + 1 < last; k += 2, h += 6) {
        memcpy(&r, h, sizeof r), a += r * v[H->dof[k]];
        memcpy(&r, h + 3, sizeof r), b += r * v[H->dof[k + 1]];
    }
    if ((last - first) % 2) memcpy(&r, h, sizeof r), a += r * v[H->dof[last - 1]], h += 3;
    for (int k = 0; k < 3; k++) u[k] = a[k] + b[k] + h[k] * v[H->dof[last]];
}

/* The new impulse x of contact i in place of the old one; mixing looks at what is seen alone. */
static inline jn_swept account(const gauss_seidel *s, int i, int d, const double *old, const double *x, double *dp) {
    double square = 0, turn = 0, w = s->weight[i];
    for (int k = 0; k < d; k++) dp[k] = x[k] - old[k], square += dp[k] * dp[k];
    if (!s->rows) return (jn_swept){0, 0, w * w * square};
    const double *before = s->before + (size_t)i * (size_t)d;
    for (int k = 0; k < d; k++) turn -= dp[k] * (x[k] - before[k]);
    return (jn_swept){w * square, w * turn, w * w * square};
}

/* One contact: what the others do to it, its own impulse anew. */
static inline jn_swept visit3(gauss_seidel *s, int i) {
    const double *W = s->diagonal + 9 * (size_t)i, *q = s->problem->q + 3 * (size_t)i;
    double u[3] = {0}, old[3], dp[3], *x = s->p + 3 * (size_t)i;
    if (s->rows)
        gather3(s->problem->H, i, s->v, u);
    else
        row3(s->problem->W, i, s->blocks, s->p, u);
    double compliance = s->rows ? jn_problem_compliance(s->problem, i) : 0;
    for (int k = 0; k < 3; k++) {
        old[k] = x[k];
        u[k] += q[k] + compliance * x[k] - (W[3 * k] * x[0] + W[3 * k + 1] * x[1] + W[3 * k + 2] * x[2]);
    }
    jn_local_solve3(&s->local[i], u, x);
    jn_swept swept = account(s, i, 3, old, x, dp);
    if (s->rows && swept.change > 0) jn_rows_scatter(s->problem->Y, 3, i, dp, s->v);
    return swept;
}

/* The same for d = 1 and d = 2. */
static jn_swept visit(gauss_seidel *s, int i) {
    int d = s->d;
    const double *W = s->diagonal + (size_t)(d * d) * (size_t)i, *q = s->problem->q + (size_t)(d * i);
    double u[3] = {0}, old[3], dp[3], *x = s->p + (size_t)(d * i);
    if (s->rows)
        jn_rows_gather(s->problem->H, d, i, s->v, u);
    else
        jn_blocks_row(s->problem, i, s->p, u);
    double compliance = s->rows ? jn_problem_compliance(s->problem, i) : 0;
    for (int k = 0; k < d; k++) {
        u[k] += q[k] + compliance * x[k], old[k] = x[k];
        for (int c = 0; c < d; c++) u[k] -= W[k * d + c] * x[c];
    }
    jn_local_solve(d, &s->local[i], u, x);
    jn_swept swept = account(s, i, d, old, x, dp);
    if (s->rows && swept.change > 0) jn_rows_scatter(s->problem->Y, d, i, dp, s->v);
    return swept;
}

static void add(jn_swept *sum, jn_swept part) {
    sum->change += part.change, sum->turn += part.turn, sum->seen += part.seen;
}

/* Packs colour by colour; sums of chunks are added in their order. */
static jn_swept sweep_packs(gauss_seidel *s) {
    jn_swept sum = {0};
    for (int c = 0; c < s->colours.count; c++)
        for (int at = s->packs.first[c], last = s->packs.first[c + 1]; at < last; at += CHUNK)
            add(&sum, jn_packs_sweep(&s->packs, at, at + CHUNK < last ? at + CHUNK : last, (const jn_wide *)s->before,
                                     (jn_wide *)s->p, (jn_wide *)s->v));
    return sum;
}

static jn_swept sweep(gauss_seidel *s) {
    jn_swept sum = {0};
    if (s->packed) return sweep_packs(s);
    for (int i = 0; i < s->problem->contacts; i++) add(&sum, s->d == 3 ? visit3(s, i) : visit(s, i));
    return sum;
}

/* ---------------------------------------------------------------------------------------------------------- solve */

static bool can(const jn_problem *problem) { return problem->dimension >= 1 && problem->dimension <= 3; }

static size_t scratch_size(const jn_problem *problem) {
    gauss_seidel s = describe(problem);
    jn_scratch m = {NULL, 0};
    lay_out(&s, &m);
    return m.used;
}

/* Body velocities from the impulses, free of what rounding has left in them. */
static void refresh(gauss_seidel *s) {
    if (s->packed)
        jn_packs_impulse(&s->packs, (const jn_wide *)s->p, (jn_wide *)s->v);
    else if (s->rows)
        jn_problem_impulse(s->problem, s->p, s->v);
}

static double packed_residual(gauss_seidel *s) {
    bool speed = s->problem->mass;
    double error =
        jn_packs_error(&s->packs, speed, (const jn_wide *)s->before, (const jn_wide *)s->p, (const jn_wide *)s->v);
    return speed ? error : error / jn_problem_norm(s->problem);
}

/* Residual of the impulses; they are kept where they are the best so far. */
static double judge(gauss_seidel *s, double tolerance) {
    double residual;
    if (s->packed) {
        residual = packed_residual(s);
        if (residual <= tolerance) refresh(s), residual = packed_residual(s);
    } else {
        jn_problem_velocity(s->problem, s->p, s->v, s->u); /* leaves Y^T p in v, too */
        residual = jn_problem_residual_of(s->problem, s->p, s->u);
    }
    if (!(residual < s->least)) return residual;
    s->least = residual;
    if (s->packed)
        jn_packs_give(&s->packs, (const jn_wide *)s->p, s->best);
    else
        memcpy(s->best, s->p, (size_t)s->n * sizeof *s->best);
    return residual;
}

/* ---------------------------------------------------------------------------------------------------- acceleration */

/* Momentum: the next sweep begins beyond this one by a part of the way from the last. It starts anew where a sweep turns back, where
 * the change grows, and for PATIENCE sweeps where nothing got better in as many. */
typedef struct momentum {
    double theta, lowest; /* Nesterov's number; least change since the last start */
    double mark;          /* least residual PATIENCE sweeps ago */
    bool plain;
} momentum;

static void extrapolate(gauss_seidel *s, momentum *m, jn_swept swept, int count) {
    if (count % PATIENCE == 0) {
        m->plain = !m->plain && !(s->least < m->mark);
        m->mark = s->least;
    }
    bool anew = m->plain || swept.turn > 0 || swept.change > GROWTH * m->lowest;
    if (anew) m->theta = m->plain ? 1 : jn_max(1, LEFT * m->theta);
    m->lowest = anew ? swept.change : jn_min(m->lowest, swept.change);
    double next = 0.5 * (1 + sqrt(1 + 4 * m->theta * m->theta)), part = anew ? 0 : (m->theta - 1) / next;
    m->theta = next;
    for (size_t k = 0; k < s->size; k++) {
        double x = s->state[k];
        s->state[k] = x + part * (x - s->before[k]);
        s->before[k] = x;
    }
}

/* Anderson's mixing of the last sweeps: where a step makes the change much larger it starts anew after some plain sweeps, twice as many
 * while nothing gets better. */
typedef struct mixing {
    jn_anderson anderson;
    double least, smallest, mark; /* changes: since the last start, of all sweeps, at the last bad step */
    int plain, patience;
} mixing;

static void mix(gauss_seidel *s, mixing *m, jn_swept swept) {
    double change = sqrt(swept.seen);
    m->smallest = jn_min(m->smallest, change);
    if (change > BAD * m->least) {
        jn_anderson_restart(&m->anderson);
        m->plain = PLAIN << m->patience;
        m->patience = m->smallest <= 0.5 * m->mark ? 0 : m->patience < DOUBLINGS ? m->patience + 1 : DOUBLINGS;
        if (m->patience == 0) m->mark = m->smallest;
    }
    if (m->plain > 0) {
        m->plain--, m->least = change;
        memcpy(s->before, s->state, s->size * sizeof *s->state);
        return;
    }
    m->least = jn_min(m->least, change);
    jn_anderson_next(&m->anderson, s->before, s->state);
}

/* Where errors have not been halved for a while, those of a few contacts with their neighbourhoods; sweeps go on from there. The next
 * patches are larger, and later where these did not help. */
typedef struct stall {
    double mark; /* least error at the last look */
    int next;    /* sweeps at the next one */
    int wait;    /* between the two */
    int rings;
    int budget; /* iterations on patches that are left */
} stall;

static void solve_patches(gauss_seidel *s, stall *l, momentum *forward, double tolerance, int count) {
    if (!s->patches || count < l->next || l->budget <= 0) return;
    bool stalls = s->least > 0.5 * l->mark;
    l->wait = stalls && l->rings > RINGS ? 2 * l->wait : STALLED;
    l->next = count + l->wait, l->mark = s->least;
    if (!stalls) return;
    jn_packs_give(&s->packs, (const jn_wide *)s->before, s->u);
    int solved = jn_patches_solve(s->problem, tolerance, l->rings, &l->budget, s->patches, s->u);
    if (solved >= 0 && l->rings < MOST_RINGS) l->rings++;
    if (solved <= 0) return;
    jn_packs_take(&s->packs, s->u, (jn_wide *)s->state);
    refresh(s);
    memcpy(s->before, s->state, s->size * sizeof *s->state);
    *forward = (momentum){.theta = 1, .lowest = INFINITY, .mark = INFINITY};
}

/* Sweeps until the change is as small as the tolerance or for LOOK sweeps, then computes the residual itself: where contacts are
 * more than hold the bodies impulses change on and on along directions that move nothing. */
static void iterate(gauss_seidel *s, const jn_solve_settings *settings, jn_solve_result *result) {
    double unit = s->problem->mass ? sqrt(s->problem->contacts) : jn_problem_norm(s->problem);
    double trigger = 4 * settings->tolerance * unit;
    momentum forward = {.theta = 1, .lowest = INFINITY, .mark = INFINITY};
    stall stalled = {.mark = INFINITY, .next = STALLED / 2, .wait = STALLED, .rings = RINGS, .budget = BUDGET};
    mixing mixed = {.least = INFINITY, .smallest = INFINITY, .mark = INFINITY};
    int most = settings->iterations > 0 ? settings->iterations : SWEEPS, looked = 0;
    if (!s->rows) mixed.anderson = jn_anderson_start((int)s->size, s->n, s->anderson);
    refresh(s);
    memcpy(s->before, s->state, s->size * sizeof *s->state);
    for (int k = 0; k < most; k++) {
        if (k % REFRESH == REFRESH - 1) refresh(s);
        if (k == SORTED && s->packed) sort_packs(s);
        s->packs.exact = k && k != SORTED ? LOOSE : EXACT;
        jn_swept swept = sweep(s);
        result->iterations++;
        bool small = sqrt(swept.seen) <= trigger && (k - looked > 1 || !s->rows);
        bool due = k - looked >= LOOK && (s->rows || s->n > SMALL);
        if (k == 0 || k == most - 1 || small || due) {
            looked = k;
            if (judge(s, settings->tolerance) <= settings->tolerance) break;
        }
        if (s->rows)
            extrapolate(s, &forward, swept, k + 1), solve_patches(s, &stalled, &forward, settings->tolerance, k + 1);
        else
            mix(s, &mixed, swept);
    }
    result->residual = s->least;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                 jn_solve_result *result) {
    gauss_seidel s = describe(problem);
    jn_scratch m = {scratch, 0};
    s.least = INFINITY;
    lay_out(&s, &m);
    jn_solve_settings left = *settings;
    if (s.round && settings->tolerance >= SINGLE) {
        jn_round_aim aim = {settings->tolerance, settings->iterations > 0 ? settings->iterations : SWEEPS,
                            settings->keep * settings->tolerance, settings->pool};
        result->residual = jn_round_solve(problem, &aim, s.round, s.patches, p, &result->iterations);
        result->converged = result->residual <= settings->tolerance;
        left.iterations = aim.sweeps - result->iterations;
        if (result->converged || left.iterations <= 0) return result->converged ? JN_OK : JN_NOT_CONVERGED;
    }
    jn_contact_rows H, Y;
    jn_problem whole = *problem;
    if (s.rows && !problem->H->value) {
        jn_problem_expand(problem, s.H, s.Y);
        H = (jn_contact_rows){problem->H->start, problem->H->dof, s.H};
        Y = (jn_contact_rows){problem->H->start, problem->H->dof, s.Y};
        whole.H = &H, whole.Y = &Y, s.problem = &whole;
    }
    prepare(&s, p);
    iterate(&s, &left, result);
    if (s.least < INFINITY) memcpy(p, s.best, (size_t)s.n * sizeof *p);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_gauss_seidel = {
    .name = "gauss_seidel",
    .summary = "contact by contact, each solved exactly, with momentum; many bodies, warm starts",
    .source = "Jean1999",
    .can = can,
    .scratch = scratch_size,
    .solve = solve,
};
