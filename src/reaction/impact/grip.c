/* The contact law in accelerations. */
#include "reaction/impact/grip.h"
#include "algebra/elementary.h"
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/shared_velocities.h"
#include <math.h>
#include <string.h>

static const double inside = 1e-12; /* of the largest force: round-off of a force at the edge of its cone */
static const double loose = 1e-9;   /* of the largest acceleration: round-off of a spring that carries nothing */
static const double asked = 1e-12, asked_many = 1e-11; /* of the largest acceleration: error of few contacts, of many */
static const double accepted = 1e-8;                   /* the same: larger ones are no solution */
static const double edge = 1e-2;                       /* share of a cone in which forces are not well inside */
enum { TRIES = 4, TURNS = 4 };
static const int few = 200; /* iterations of a solver: more of them gain little where it has not converged by then */

static bool is_still(const jn_grip *g, int i) { return !g->contact[i].slips && g->contact[i].mu > 0; }

static double tangential(const double *f, int d) { return d == 2 ? fabs(f[1]) : jn_hypot_safe(f[1], f[2]); }

static double largest_force(const jn_grip *g) {
    double most = 0;
    for (int i = 0; i < g->d * g->n; i++) most = jn_max(most, fabs(g->f[i]));
    return most;
}

bool jn_grip_inside(const jn_grip *g) {
    double most = largest_force(g);
    for (int i = 0; i < g->n; i++) {
        const double *f = g->f + i * g->d;
        if (!(f[0] >= -inside * most)) return false;
        if (g->contact[i].idle && g->open[i] < -loose * g->scale) return false;
        if (is_still(g, i) && !(tangential(f, g->d) <= g->contact[i].mu * f[0] + inside * most)) return false;
    }
    return true;
}

bool jn_grip_change_idle(jn_grip *g) {
    double most = largest_force(g);
    bool any = false;
    for (int i = 0; i < g->n; i++) {
        bool pulls = g->f[i * g->d] < -inside * most, pressed = g->open[i] < -loose * g->scale;
        bool idle = g->contact[i].idle ? !pressed : pulls;
        any |= idle != g->contact[i].idle;
        g->contact[i].idle = idle;
    }
    return any;
}

void jn_grip_find_idle(jn_grip *g) {
    double most = largest_force(g);
    for (int i = 0; i < g->n; i++) g->contact[i].idle = !(g->f[i * g->d] > inside * most);
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
static jn_problem pose(jn_grip *g, jn_contact_rows *Y) {
    jn_grip_columns(g);
    memcpy(g->q, g->b, (size_t)(g->d * g->n) * sizeof *g->q);
    for (int i = 0; i < g->n; i++) g->mu[i] = is_still(g, i) ? g->contact[i].mu : 0;
    *Y = (jn_contact_rows){g->Y->start, g->Y->dof, g->Y_slip};
    return (jn_problem){
        .dimension = g->d, .contacts = g->n, .velocities = g->velocities, .mu = g->mu, .q = g->q, .H = g->H, .Y = Y};
}

/* a = b + W f */
static void accelerate(const jn_grip *g, const double *f, double *a) {
    int d = g->d;
    memset(g->x, 0, (size_t)g->velocities * sizeof *g->x);
    for (int i = 0; i < g->n; i++)
        for (int k = g->Y->start[i]; k < g->Y->start[i + 1]; k++)
            for (int r = 0; r < d; r++) g->x[g->Y->dof[k]] += g->Y->value[k * d + r] * f[i * d + r];
    for (int i = 0; i < g->n; i++)
        for (int r = 0; r < d; r++) {
            double sum = g->b[i * d + r];
            for (int k = g->H->start[i]; k < g->H->start[i + 1]; k++)
                sum += g->H->value[k * d + r] * g->x[g->H->dof[k]];
            a[i * d + r] = sum;
        }
}

/* Whether a force lies in its cone, with a share of it and a part of the largest force to spare. */
static bool well_inside(const jn_grip *g, int i, const double *f, double spare, double most) {
    if (!(f[0] >= spare * most)) return false;
    return !is_still(g, i) || tangential(f, g->d) <= (1 - spare) * g->contact[i].mu * f[0] + inside * most;
}

double jn_grip_follow(jn_grip *g, double *near) {
    const double *b = g->b;
    double most = 0, left = 0;
    for (int i = 0; i < g->n; i++) /* friction has the direction of the slip now */
        for (int r = 1; r < g->d && g->contact[i].slips; r++)
            near[i * g->d + r] = -g->contact[i].mu * g->contact[i].e[r - 1] * near[i * g->d];
    accelerate(g, near, g->q);
    for (int i = 0; i < g->n; i++) most = jn_max(most, near[i * g->d]);
    for (int i = 0; i < g->n; i++) g->contact[i].idle = !well_inside(g, i, near + i * g->d, edge, most);
    g->b = g->q;
    for (int turn = 0, outside = 1; turn < TURNS && outside; turn++) {
        left = jn_grip_hold(g), outside = 0;
        for (int i = 0; i < g->n; i++) {
            for (int r = i * g->d; r < (i + 1) * g->d; r++) g->f[r] += near[r];
            bool leaves = !g->contact[i].idle && !well_inside(g, i, g->f + i * g->d, 0, most);
            if (leaves) g->contact[i].idle = true, outside++;
        }
    }
    g->b = b;
    for (int i = 0; i < g->n; i++) g->contact[i].idle = false;
    return left;
}

/* Forces of all contacts from those of the problem, and accelerations. */
static void finish(jn_grip *g) {
    int d = g->d;
    for (int i = 0; i < g->n; i++)
        for (int r = 1; r < d && !is_still(g, i); r++)
            g->f[i * d + r] = g->contact[i].slips ? -g->contact[i].mu * g->contact[i].e[r - 1] * g->f[i * d] : 0;
    accelerate(g, g->f, g->a);
}

/* The solvers of contact problems one after another, from the forces as they are. What they do not find in a few iterations a knot passes. */
static bool solve_by_chain(jn_grip *g, const jn_problem *problem) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    settings.speed = (g->n > JN_LEAST_NORM ? asked_many : asked) * g->scale;
    settings.room = g->room, settings.iterations = few;
    int status = jn_solve(problem, NULL, &settings, g->scratch, g->f, &result);
    g->error = result.speed_error;
    return status >= 0 && result.speed_error <= accepted * g->scale;
}

/* Velocities that contacts have. O(entries) */
static int count_velocities(const jn_grip *g) {
    bool *has = g->scratch;
    int count = 0;
    memset(has, 0, (size_t)g->velocities * sizeof *has);
    for (int k = 0; k < g->H->start[g->n]; k++) count += !has[g->H->dof[k]], has[g->H->dof[k]] = true;
    return count;
}

/* Many contacts of bodies that are not too many: Newton's method over their velocities. */
static bool solve_over_velocities(jn_grip *g, const jn_problem *problem) {
    double speed = (g->n > JN_LEAST_NORM ? asked_many : asked) * g->scale;
    jn_least_norm_aim aim = {.tolerance = speed, .keep = speed, .tries = TRIES};
    jn_solve_result result = {.residual = INFINITY};
    size_t room = jn_least_norm_wide_scratch(problem);
    aim.wide = true;
    if (room == 0 || room > g->room) return false;
    bool fine = jn_least_norm_solve(problem, &aim, g->scratch, g->r, g->z, g->f, &result);
    g->error = result.residual;
    return fine;
}

bool jn_grip_solve(jn_grip *g) {
    jn_contact_rows Y;
    jn_problem problem = pose(g, &Y);
    int steps = 0;
    size_t bytes = (size_t)(g->d * g->n) * sizeof *g->f;
    for (int i = 0; i < g->n; i++)
        for (int r = 1; r < g->d && !is_still(g, i); r++) g->f[i * g->d + r] = 0;
    bool fine = false, wide = count_velocities(g) > JN_SHARED;
    g->error = 0;
    if (wide) fine = solve_over_velocities(g, &problem);
    if (!fine && jn_least_norm_suits(&problem) && jn_least_norm_scratch(&problem) <= g->room) {
        fine = jn_least_norm(&problem, 0, true, TRIES, g->scratch, g->f, &steps);
        if (!fine) {
            memset(g->f, 0, bytes);
            fine = jn_least_norm(&problem, 0, true, TRIES, g->scratch, g->f, &steps);
        }
    }
    if (!fine && g->n > JN_LEAST_NORM)
        fine = (!wide && solve_over_velocities(g, &problem)) || solve_by_chain(g, &problem);
    if (!fine) {
        memset(g->f, 0, bytes);
        fine = solve_by_chain(g, &problem);
    }
    finish(g);
    return fine;
}
