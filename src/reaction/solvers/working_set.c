/* Of the contacts that may act at a node of a robot in an impact, hundreds where its hands have many shapes, some ten take part: there are not more
 * than velocities. Those that part have no impulse, and Newton's method does not need to see them. */
#include "reaction/solvers/working_set.h"
#include "reaction/solvers/shared_velocities.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 12 }; /* of adding contacts: each adds all that are needed then */
/* Of the largest error: contacts that may be those which jam. Of the largest velocity: those that impulses make by themselves where they may have no bound, and where they have none. */
static const double foremost = 0.1, immoderate = 100, boundless = 1e3;

typedef struct working_set {
    jn_problem problem; /* of its contacts */
    jn_contact_rows h, y;
    int room, count, *of;                         /* (room) contacts of the whole, ascending */
    bool *in;                                     /* (contacts of the whole) */
    bool *moved;                                  /* (velocities of the whole) by contacts that were looked for */
    int *start, *dof;                             /* (room + 1), (entries) */
    double *H, *Y, *q, *mu, *p, *u, *mass, *hold; /* (entries x d), (room x d), (room) */
    double *weight, *guess;                       /* (contacts of the whole), times d */
    double *compliance;                           /* (room) */
    void *scratch;
} working_set;

/* All rows begin with the same velocity, as those of a floating tree do. */
static bool is_one_tree(const jn_problem *problem) {
    const jn_contact_rows *Y = problem->Y;
    for (int i = 0; i < problem->contacts; i++)
        if (Y->start[i] == Y->start[i + 1] || Y->dof[Y->start[i]] != Y->dof[0]) return false;
    return true;
}

bool jn_working_set_suits(const jn_problem *problem) {
    return problem->contacts > 1 && !problem->round && !problem->compliance && jn_shared_suits(problem) &&
           jn_shared_velocities(problem) <= JN_SHARED_WIDE && is_one_tree(problem) && !jn_least_norm_is_quick(problem);
}

static size_t layout(const jn_problem *problem, void *base, working_set *s) {
    jn_scratch m = {.base = base};
    size_t d = (size_t)problem->dimension, longest = 0, all = (size_t)problem->contacts;
    for (int i = 0; i < problem->contacts; i++) {
        size_t size = (size_t)(problem->H->start[i + 1] - problem->H->start[i]);
        if (size > longest) longest = size;
    }
    s->room = problem->contacts < JN_LEAST_NORM_WIDE ? problem->contacts : JN_LEAST_NORM_WIDE;
    size_t nc = (size_t)s->room, entries = nc * longest, most = (size_t)problem->H->start[problem->contacts];
    if (entries > most) entries = most;
    s->of = jn_scratch_take(&m, nc, sizeof(int)), s->in = jn_scratch_take(&m, all, sizeof(bool));
    s->moved = jn_scratch_take(&m, (size_t)problem->velocities, sizeof(bool));
    s->start = jn_scratch_take(&m, nc + 1, sizeof(int)), s->dof = jn_scratch_take(&m, entries, sizeof(int));
    s->H = jn_scratch_take(&m, entries * d, sizeof(double)), s->Y = jn_scratch_take(&m, entries * d, sizeof(double));
    s->q = jn_scratch_take(&m, nc * d, sizeof(double)), s->p = jn_scratch_take(&m, nc * d, sizeof(double));
    s->u = jn_scratch_take(&m, nc * d, sizeof(double)), s->mu = jn_scratch_take(&m, nc, sizeof(double));
    s->compliance = jn_scratch_take(&m, problem->compliance ? nc : 0, sizeof(double));
    s->mass = jn_scratch_take(&m, nc, sizeof(double)), s->weight = jn_scratch_take(&m, all, sizeof(double));
    s->guess = jn_scratch_take(&m, all * d, sizeof(double)), s->hold = jn_scratch_take(&m, nc * d, sizeof(double));
    s->scratch = jn_scratch_take(&m, 0, 1);
    return m.used;
}

/* The same problem with rows that stand for any contacts of the set: its size asks for scratch. */
static size_t newton_scratch(const jn_problem *problem, int room) {
    int start[JN_LEAST_NORM_WIDE + 1] = {0};
    start[room] = problem->H->start[problem->contacts];
    jn_contact_rows rows = {.start = start};
    jn_problem some = {
        .dimension = problem->dimension, .contacts = room, .velocities = problem->velocities, .H = &rows, .Y = &rows};
    return jn_least_norm_wide_scratch(&some);
}

static size_t own_scratch(const jn_problem *problem) {
    working_set s;
    size_t own = layout(problem, NULL, &s);
    return own + newton_scratch(problem, s.room);
}

size_t jn_working_set_scratch(const jn_problem *problem) {
    if (problem->contacts < 2 || !problem->H || !problem->Y || problem->W || problem->round ||
        problem->velocities > JN_SHARED_WIDE + problem->contacts)
        return 0;
    return own_scratch(problem);
}

/* Contacts that take part from the start: those that approach, those with impulses in the guess, and dry friction of joints. False: too many. */
static bool choose(working_set *s, const jn_problem *whole, double touching, const double *p) {
    int d = whole->dimension, given = whole->contacts;
    while (given > 0 && jn_shared_given(whole, given - 1) > 0) given--;
    s->count = 0;
    for (int i = 0; i < whole->contacts; i++) {
        s->in[i] = i >= given || p[i * d] > 0 || !(whole->q[i * d] > touching);
        s->count += s->in[i];
    }
    for (int i = 0; s->count < 2; i++) /* as few as Newton's method takes */
        if (!s->in[i]) s->in[i] = true, s->count++;
    return s->count <= s->room;
}

/* Rows of the contacts in the set, in the order of the whole. */
static void pose(working_set *s, const jn_problem *whole, const double *p) {
    int d = whole->dimension, at = 0, n = 0;
    const jn_contact_rows *H = whole->H, *Y = whole->Y;
    for (int i = 0; i < whole->contacts; i++) {
        if (!s->in[i]) continue;
        int first = H->start[i], size = H->start[i + 1] - first;
        memcpy(s->dof + at, H->dof + first, (size_t)size * sizeof *s->dof);
        memcpy(s->H + at * d, H->value + first * d, (size_t)(size * d) * sizeof *s->H);
        memcpy(s->Y + at * d, Y->value + first * d, (size_t)(size * d) * sizeof *s->Y);
        memcpy(s->q + n * d, whole->q + i * d, (size_t)d * sizeof *s->q);
        memcpy(s->p + n * d, p + i * d, (size_t)d * sizeof *s->p);
        if (whole->compliance) s->compliance[n] = whole->compliance[i];
        s->mu[n] = whole->mu ? whole->mu[i] : 0, s->of[n] = i, s->start[n++] = at, at += size;
    }
    s->start[n] = at;
    s->h = (jn_contact_rows){s->start, s->dof, s->H}, s->y = (jn_contact_rows){s->start, s->dof, s->Y};
    s->problem = (jn_problem){.dimension = d, .contacts = n, .velocities = whole->velocities};
    s->problem.mu = s->mu, s->problem.q = s->q, s->problem.H = &s->h, s->problem.Y = &s->y;
    s->problem.compliance = whole->compliance ? s->compliance : NULL;
}

/* Impulses of the whole: those of the set, none elsewhere. */
static void spread(const working_set *s, const jn_problem *whole, const double *own, double *p) {
    int d = whole->dimension;
    memset(p, 0, (size_t)(whole->contacts * d) * sizeof *p);
    for (int n = 0; n < s->count; n++) memcpy(p + s->of[n] * d, own + n * d, (size_t)d * sizeof *p);
}

/* Takes in those that do not part; returns how many. */
static int add(working_set *s, const jn_problem *whole, double touching, const double *u) {
    int before = s->count;
    for (int i = 0; i < whole->contacts; i++)
        if (!s->in[i] && !(u[i * whole->dimension] > touching)) s->in[i] = true, s->count++;
    return s->count - before;
}

/* The problem of the set, again and again with what its solution brings together. False: it has none, or the contacts are too many. */
static bool solve_and_add(working_set *s, const jn_problem *whole, const jn_least_norm_aim *aim, double *hold,
                          double *v, double *u, double *p, jn_solve_result *result) {
    int iterations = 0;
    for (int k = 0; k < ROUNDS && s->count <= s->room; k++) {
        pose(s, whole, p);
        if (hold) memset(s->hold, 0, (size_t)(s->count * whole->dimension) * sizeof *s->hold);
        bool solved = jn_least_norm_solve(&s->problem, aim, s->scratch, s->mass, s->u, s->p, result);
        iterations += result->iterations;
        if (!solved && hold)
            spread(s, whole, s->hold, hold); /* what contacts of the set do not allow, all of them do not */
        if (!solved) return false;
        spread(s, whole, s->p, p);
        jn_problem_velocity(whole, p, v, u);
        if (add(s, whole, aim->tolerance, u) > 0) continue;
        result->iterations = iterations;
        return true;
    }
    return false;
}

bool jn_working_set_solve(const jn_problem *problem, const jn_least_norm_aim *aim, void *scratch, double *v, double *u,
                          double *p, jn_solve_result *result) {
    working_set s;
    jn_least_norm_aim wide = *aim;
    jn_problem weighed = *problem;
    size_t bytes = (size_t)(problem->contacts * problem->dimension) * sizeof *p;
    layout(problem, scratch, &s);
    wide.wide = true, wide.hold = aim->hold ? s.hold : NULL;
    if (!choose(&s, problem, aim->tolerance, p)) return false;
    memcpy(s.guess, p, bytes);
    if (!solve_and_add(&s, problem, &wide, aim->hold, v, u, p, result)) {
        memcpy(p, s.guess, bytes);
        return false;
    }
    for (int i = 0; i < problem->contacts; i++) s.weight[i] = 1; /* those that part have no impulse and no error */
    for (int n = 0; n < s.count; n++) s.weight[s.of[n]] = s.mass[n];
    weighed.mass = s.weight;
    result->residual = jn_problem_residual_of(&weighed, p, u);
    return result->converged = result->residual <= aim->tolerance;
}

static double fastest_of(const jn_problem *problem) {
    double fastest = 0;
    for (int k = 0; k < problem->contacts * problem->dimension; k++) fastest = jn_max(fastest, fabs(problem->q[k]));
    return fastest;
}

/* Marks the bodies of contacts that miss their laws by most, or whose impulses are immoderate. */
static void mark_bodies(working_set *s, const jn_problem *whole, double error, const double *p, const double *u) {
    const jn_contact_rows *Y = whole->Y;
    int d = whole->dimension;
    double most = immoderate * fastest_of(whole);
    memset(s->moved, 0, (size_t)whole->velocities * sizeof *s->moved);
    for (int i = 0; i < whole->contacts; i++) {
        double own = jn_contact_speed_error(d, d > 1 ? whole->mu[i] : 0, whole->mass[i], p + i * d, u + i * d);
        if (!(own > foremost * error) && !(p[i * d] > most * whole->mass[i])) continue;
        for (int k = Y->start[i]; k < Y->start[i + 1]; k++) s->moved[Y->dof[k]] = true;
    }
}

/* Contacts among these bodies. False: there are none, or too many. */
static bool choose_among(working_set *s, const jn_problem *whole) {
    const jn_contact_rows *Y = whole->Y;
    s->count = 0;
    for (int i = 0; i < whole->contacts; i++) {
        s->in[i] = Y->start[i + 1] > Y->start[i];
        for (int k = Y->start[i]; k < Y->start[i + 1]; k++) s->in[i] = s->in[i] && s->moved[Y->dof[k]];
        s->count += s->in[i];
    }
    return s->count > 1 && s->count <= s->room;
}

/* Impulses that have grown so far move nothing beside their size: they hold each other, and are the answer of jn_least_norm_jams themselves, but for a thousandth. */
static bool take_boundless(const jn_problem *problem, const double *p, double *hold) {
    int d = problem->dimension;
    double fastest = fastest_of(problem);
    bool any = false;
    for (int i = 0; i < problem->contacts; i++) {
        if (!(p[i * d] > boundless * fastest * problem->mass[i])) continue;
        memcpy(hold + i * d, p + i * d, (size_t)d * sizeof *p);
        any = true;
    }
    return any;
}

bool jn_working_set_jams(const jn_problem *problem, const jn_least_norm_aim *aim, void *scratch, size_t size,
                         double error, const double *p, const double *u, double *hold) {
    working_set s;
    jn_least_norm_aim wide = *aim;
    jn_solve_result result;
    bool jams = false;
    if (problem->contacts < 2 || !problem->H || !problem->H->value || !problem->Y || own_scratch(problem) > size)
        return false;
    layout(problem, scratch, &s);
    mark_bodies(&s, problem, error, p, u);
    if (!choose_among(&s, problem)) return take_boundless(problem, p, hold);
    size_t bytes = (size_t)(s.count * problem->dimension) * sizeof *p;
    pose(&s, problem, p);
    memset(s.p, 0, bytes), memset(s.hold, 0, bytes);
    wide.wide = true, wide.hold = s.hold;
    if (!jn_least_norm_solve(&s.problem, &wide, s.scratch, s.mass, s.u, s.p, &result))
        for (int n = 0; n < s.count; n++) jams |= s.hold[n * problem->dimension] > 0;
    if (jams) spread(&s, problem, s.hold, hold);
    return jams || take_boundless(problem, p, hold);
}
