/* Patches of contacts around those that sweeps leave with large errors.
 *
 * Where contacts are more than bear a few bodies, and cannot all stick, sweeps change impulses by the same little in each until one of them
 * slips: thousands of sweeps for a handful of contacts, while all others are solved. A Newton method on the neighbourhood finds that solution at once; what
 * its edge feels of it is left to further sweeps: a Schwarz method on the part that needs it [Toselli2005, ch. 2]. */
#include "reaction/solvers/sweeps/patch.h"

#include "algebra/elementary.h"
#include "reaction/problem/round_row.h"
#include "reaction/solvers/solvers.h"
#include <math.h>
#include <string.h>

enum {
    SIX = 6,
    MOST = 96,        /* contacts of a patch */
    PATCHES = 24,     /* of one call */
    FEW = 40,         /* errors that are too large, at most */
    ITERATIONS = 800, /* of the proximal method */
    ENTRIES = 2 * SIX * MOST
};
static const double LARGE = 0.5, SMALL = 0.2, LEFT = 0.8,
                    WORST = 0.3; /* error that needs a patch, that it aims at, that will do; in tolerances */

typedef struct patches {
    const jn_problem *problem;
    int bodies;
    int *first, *contact; /* (bodies + 1), (2 contacts) contacts of each body */
    int *ring;            /* (bodies) -1: outside the patch; else loaded contacts away */
    int *place;           /* (bodies) number in the patch */
    int *queue;           /* (bodies) bodies of the patch in the order of their rings */
    int *in;              /* (contacts) patch that a contact was last in, from 1 on */
    bool *bad;            /* (contacts) */
    double *v, *u;        /* (velocities), (3 contacts) */
    int *start, *dof;     /* (MOST + 1), (ENTRIES) the problem of the patch */
    int *list;            /* (MOST) its contacts */
    double *H, *Y, *mu, *q, *p, *mass, *compliance;
    double *change, *error; /* (2 SIX MOST), (3 MOST) scratch of its residual */
    void *scratch;
} patches;

static size_t lay_out(const jn_problem *problem, patches *s, void *base) {
    jn_scratch m = {base, 0};
    size_t contacts = (size_t)problem->contacts, bodies = (size_t)problem->velocities / SIX + 1;
    *s = (patches){.problem = problem, .bodies = (int)bodies};
    s->first = jn_scratch_take(&m, bodies + 1, sizeof(int)),
    s->contact = jn_scratch_take(&m, 2 * contacts, sizeof(int));
    s->ring = jn_scratch_take(&m, bodies, sizeof(int)), s->place = jn_scratch_take(&m, bodies, sizeof(int));
    s->queue = jn_scratch_take(&m, bodies, sizeof(int)), s->in = jn_scratch_take(&m, contacts, sizeof(int));
    s->bad = jn_scratch_take(&m, contacts, sizeof(bool));
    s->v = jn_scratch_take(&m, (size_t)problem->velocities, sizeof(double));
    s->u = jn_scratch_take(&m, 3 * contacts, sizeof(double));
    s->start = jn_scratch_take(&m, MOST + 1, sizeof(int)), s->dof = jn_scratch_take(&m, ENTRIES, sizeof(int));
    s->list = jn_scratch_take(&m, MOST, sizeof(int));
    s->H = jn_scratch_take(&m, 3 * ENTRIES, sizeof(double)), s->Y = jn_scratch_take(&m, 3 * ENTRIES, sizeof(double));
    s->mu = jn_scratch_take(&m, MOST, sizeof(double)), s->mass = jn_scratch_take(&m, MOST, sizeof(double));
    s->compliance = jn_scratch_take(&m, MOST, sizeof(double));
    s->q = jn_scratch_take(&m, 3 * MOST, sizeof(double)), s->p = jn_scratch_take(&m, 3 * MOST, sizeof(double));
    s->change = jn_scratch_take(&m, 2 * SIX * MOST, sizeof(double));
    s->error = jn_scratch_take(&m, 3 * MOST, sizeof(double));
    jn_problem largest = {.dimension = 3, .contacts = MOST, .velocities = 2 * SIX * MOST};
    int start[MOST + 1] = {0};
    jn_contact_rows rows = {start, NULL, NULL};
    for (int i = 0; i <= MOST; i++) start[i] = 2 * SIX * i;
    largest.H = largest.Y = &rows;
    s->scratch = jn_scratch_take(&m, jn_solver_proximal.scratch(&largest), 1);
    return m.used;
}

size_t jn_patches_scratch(const jn_problem *problem) {
    patches s;
    return lay_out(problem, &s, NULL);
}

/* Bodies of a contact: one or two. */
static int bodies_of(const patches *s, int i, int body[2]) {
    const jn_contact_rows *H = s->problem->H;
    int count = (H->start[i + 1] - H->start[i]) / SIX;
    for (int k = 0; k < count; k++) body[k] = H->dof[H->start[i] + SIX * k] / SIX;
    return count;
}

static void list_contacts(patches *s) {
    int body[2];
    memset(s->first, 0, ((size_t)s->bodies + 1) * sizeof *s->first);
    for (int i = 0; i < s->problem->contacts; i++)
        for (int k = bodies_of(s, i, body); k > 0; k--) s->first[body[k - 1] + 1]++;
    for (int b = 0; b < s->bodies; b++) s->first[b + 1] += s->first[b];
    for (int i = 0; i < s->problem->contacts; i++)
        for (int k = bodies_of(s, i, body); k > 0; k--) s->contact[s->first[body[k - 1]]++] = i;
    memmove(s->first + 1, s->first, (size_t)s->bodies * sizeof *s->first);
    s->first[0] = 0;
}

/* Marks the contacts with the largest errors; returns how many have errors that are too large. */
static int find_bad(patches *s, double tolerance, const double *p) {
    int count = 0;
    double largest = 0, x[3];
    jn_problem_velocity(s->problem, p, s->v, s->u);
    for (int i = 0; i < s->problem->contacts; i++) {
        for (int k = 0; k < 3; k++) x[k] = p[3 * i + k] / s->problem->mass[i];
        s->u[3 * i] = sqrt(jn_natural_map(3, s->problem->mu[i], x, s->u + 3 * i));
        largest = jn_fmax(largest, s->u[3 * i]);
    }
    for (int i = 0; i < s->problem->contacts; i++) {
        s->bad[i] = s->u[3 * i] > jn_fmax(LARGE * tolerance, WORST * largest);
        count += s->u[3 * i] > LARGE * tolerance;
    }
    return count;
}

/* Bodies within the rings around a contact, by loaded contacts, into the queue; returns their number. */
static int grow(patches *s, int seed, int rings, const double *p) {
    int count = 0, body[2];
    for (int b = 0; b < s->bodies; b++) s->ring[b] = -1;
    for (int k = bodies_of(s, seed, body); k > 0; k--) s->ring[body[k - 1]] = 0, s->queue[count++] = body[k - 1];
    for (int n = 0; n < count; n++) {
        int b = s->queue[n];
        for (int c = s->first[b]; c < s->first[b + 1]; c++) {
            int i = s->contact[c], many = bodies_of(s, i, body);
            int ring =
                s->ring[b] + (s->bad[i] && s->ring[b] == 0 ? 0 : 1); /* errors that hang together are one patch */
            if ((!(p[3 * i] > 0) && !s->bad[i]) || ring > rings) continue;
            for (int k = 0; k < many; k++)
                if (s->ring[body[k]] < 0) s->ring[body[k]] = ring, s->queue[count++] = body[k];
        }
    }
    return count;
}

/* The contacts of these bodies, as many as there is room for; returns their number. */
static int collect(patches *s, int bodies, int patch) {
    int count = 0;
    for (int n = 0; n < bodies; n++)
        for (int c = s->first[s->queue[n]]; c < s->first[s->queue[n] + 1] && count < MOST; c++) {
            int i = s->contact[c];
            if (s->in[i] == patch) continue;
            s->in[i] = patch, s->bad[i] = false, s->list[count++] = i;
        }
    return count;
}

/* Rows of a contact, three numbers for each of its velocities. */
static void take_rows(const jn_problem *all, int i, double *H, double *Y) {
    if (all->round && !all->H->value) {
        jn_round_expand(&all->round[i], H, Y);
        return;
    }
    size_t from = 3 * (size_t)all->H->start[i], bytes = 3 * (size_t)(all->H->start[i + 1] - all->H->start[i]) * sizeof *H;
    memcpy(H, all->H->value + from, bytes), memcpy(Y, all->Y->value + from, bytes);
}

/* The rows of a contact of the patch, at the velocities that they have in the whole problem. */
static void rows_in_all(const patches *s, int k, const double *value, int start[2], jn_contact_rows *rows) {
    const jn_contact_rows *H = s->problem->H;
    int i = s->list[k];
    start[0] = 0, start[1] = H->start[i + 1] - H->start[i];
    *rows = (jn_contact_rows){start, H->dof + H->start[i], value + 3 * s->start[k]};
}

/* s->v += Y^T p of a contact of the patch; u = H s->v of one. */
static void add_impulse(patches *s, int k, const double *p) {
    jn_contact_rows Y;
    int start[2];
    rows_in_all(s, k, s->Y, start, &Y);
    jn_rows_scatter(&Y, 3, 0, p, s->v);
}

static void find_velocity(const patches *s, int k, double *u) {
    jn_contact_rows H;
    int start[2];
    rows_in_all(s, k, s->H, start, &H);
    jn_rows_gather(&H, 3, 0, s->v, u);
}

/* The problem of the patch: what impulses elsewhere do is in its q. s->v is without those of the patch afterwards. */
static jn_problem pose(patches *s, int count, const double *p, jn_contact_rows *H, jn_contact_rows *Y) {
    const jn_problem *all = s->problem;
    int at = 0, bodies = 0;
    for (int b = 0; b < s->bodies; b++) s->place[b] = -1;
    for (int k = 0; k < count; k++) {
        int i = s->list[k];
        double less[3] = {-p[3 * i], -p[3 * i + 1], -p[3 * i + 2]};
        s->start[k] = at, s->mu[k] = all->mu[i], s->mass[k] = all->mass[i];
        s->compliance[k] = jn_problem_compliance(all, i);
        memcpy(s->p + 3 * k, p + 3 * i, 3 * sizeof *p);
        for (int e = all->H->start[i]; e < all->H->start[i + 1]; e++, at++) {
            int b = all->H->dof[e] / SIX;
            if (s->place[b] < 0) s->place[b] = bodies++;
            s->dof[at] = SIX * s->place[b] + all->H->dof[e] % SIX;
        }
        take_rows(all, i, s->H + 3 * s->start[k], s->Y + 3 * s->start[k]);
        add_impulse(s, k, less);
    }
    s->start[count] = at;
    for (int k = 0; k < count; k++) {
        find_velocity(s, k, s->q + 3 * k);
        for (int r = 0; r < 3; r++) s->q[3 * k + r] += all->q[3 * s->list[k] + r];
    }
    *H = (jn_contact_rows){s->start, s->dof, s->H}, *Y = (jn_contact_rows){s->start, s->dof, s->Y};
    return (jn_problem){.dimension = 3,
                        .contacts = count,
                        .velocities = SIX * bodies,
                        .mu = s->mu,
                        .q = s->q,
                        .H = H,
                        .Y = Y,
                        .compliance = all->compliance ? s->compliance : NULL,
                        .mass = s->mass};
}

/* Returns whether the patch was solved, or its error halved; p and s->v follow. */
static bool solve_patch(patches *s, int count, double tolerance, int *budget, double *p) {
    jn_contact_rows H, Y;
    jn_problem one = pose(s, count, p, &H, &Y);
    jn_solve_settings settings = {.tolerance = SMALL * tolerance,
                                  .iterations = *budget < ITERATIONS ? *budget : ITERATIONS};
    jn_solve_result result = {0};
    double before = jn_problem_residual(&one, s->p, s->change, s->error);
    int status = jn_solver_proximal.solve(&one, &settings, s->scratch, s->p, &result);
    *budget -= result.iterations;
    bool solved = status >= 0 && result.residual <= jn_fmax(LEFT * tolerance, 0.5 * before);
    for (int k = 0; k < count; k++) {
        int i = s->list[k];
        if (solved) memcpy(p + 3 * i, s->p + 3 * k, 3 * sizeof *p);
        add_impulse(s, k, p + 3 * i);
    }
    return solved;
}

int jn_patches_solve(const jn_problem *problem, double tolerance, int rings, int *budget, void *scratch, double *p) {
    patches s;
    int solved = 0, patch = 0;
    lay_out(problem, &s, scratch);
    if (find_bad(&s, tolerance, p) > FEW) return -1;
    list_contacts(&s);
    memset(s.in, 0, (size_t)problem->contacts * sizeof *s.in);
    for (int i = 0; i < problem->contacts && patch<PATCHES && * budget> 0; i++)
        if (s.bad[i]) solved += solve_patch(&s, collect(&s, grow(&s, i, rings, p), ++patch), tolerance, budget, p);
    return solved;
}
