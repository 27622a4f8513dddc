/* Inverse kinematics of points by Newton-Raphson: a leg that puts its foot somewhere. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "motion/work.h"
#include "step/sim.h"
#include "study/dense.h"
#include <jounce/study.h>
#include <string.h>

enum { MOST_STEPS = 100 };

typedef struct reach {
    jn_sim *sim;
    int moving, points, rows; /* rows: 3 per point (2 in a plane), then those of the loops */
    const int *velocity, *point;
    const jn_vec3 *target;
    double *J;        /* (6 x nv) */
    double *step;     /* (nv) */
    double *before;   /* (nq) */
    double *residual; /* (rows) */
    jn_least least;
    void *memory;
} reach;

static int dimension(const jn_model *m) { return m->planar ? 2 : 3; }

static bool reach_create(reach *r) {
    const jn_model *m = r->sim->m;
    size_t nv = (size_t)m->nv;
    r->rows = dimension(m) * r->points + m->row_count;
    r->memory = jn_malloc((7 * nv + (size_t)m->nq + (size_t)r->rows + 1) * sizeof(double));
    if (!r->memory) return false;
    r->J = r->memory;
    r->step = r->J + 6 * nv;
    r->before = r->step + nv;
    r->residual = r->before + m->nq;
    return jn_least_create(&r->least, r->rows, r->moving);
}

/* What is missing: places of the points, and the equations of the loops. Returns the largest. */
static double miss(reach *r) {
    const jn_model *m = r->sim->m;
    jn_work *w = r->sim->w;
    double worst = 0;
    int n = 0;
    jn_kinematics(m, w, r->sim->s);
    jn_measure_all(m, w, r->sim->s);
    jn_constraint_rows(m, w, r->sim->s, JN_ROWS_JACOBIAN);
    for (int k = 0; k < r->points; k++) {
        const jn_side *side = &m->points[r->point[k]].side;
        const jn_link_motion *B = &w->link[side->link];
        jn_vec3 d = v3_sub(r->target[k], v3_add(B->O, m3_mul_v(&B->R, side->p)));
        for (int c = 0; c < dimension(m); c++) r->residual[n++] = v3_get(d, c);
    }
    for (int i = 0; i < m->row_count; i++) r->residual[n++] = m->rows[i].type == JN_ROW_DRIVER ? 0 : -w->phi[i];
    for (int i = 0; i < n; i++) worst = jn_fmax(worst, fabs(r->residual[i]));
    return worst;
}

static void jacobian(reach *r) {
    const jn_model *m = r->sim->m;
    size_t rows = (size_t)r->rows, nv = (size_t)m->nv;
    int n = dimension(m) * r->points;
    memset(r->least.A, 0, rows * (size_t)r->moving * sizeof *r->least.A);
    for (int i = 0; i < m->row_count; i++) {
        if (m->rows[i].type == JN_ROW_DRIVER) continue;
        memset(r->step, 0, nv * sizeof *r->step);
        for (int p = m->rows[i].first; p < m->rows[i].first + m->rows[i].count; p++)
            r->step[m->row_cols[p]] = r->sim->w->G[p];
        for (int k = 0; k < r->moving; k++) r->least.A[(size_t)k * rows + (size_t)(n + i)] = r->step[r->velocity[k]];
    }
    for (int p = 0; p < r->points; p++) {
        jn_point_jacobian(m, r->sim->w, r->sim->s, r->point[p], JN_FRAME_MIXED, r->J, NULL);
        for (int k = 0; k < r->moving; k++)
            for (int c = 0; c < dimension(m); c++)
                r->least.A[(size_t)k * rows + (size_t)(dimension(m) * p + c)] =
                    r->J[(size_t)c * nv + (size_t)r->velocity[k]];
    }
    for (size_t i = 0; i < rows; i++) r->least.b[i] = r->residual[i];
}

/* Steps are halved until they come nearer; far ones turn no joint by more than half a radian. */
static int iterate(reach *r) {
    const jn_model *m = r->sim->m;
    jn_state *s = r->sim->s;
    double now = miss(r);
    for (int n = 0; n < MOST_STEPS && isfinite(now); n++) {
        if (now < 1e-13) return JN_OK;
        jacobian(r);
        if (jn_least_solve(&r->least) < 0) return JN_ERR_NUMERIC;
        double most = 0, factor, next = INFINITY;
        memset(r->step, 0, (size_t)m->nv * sizeof *r->step);
        for (int k = 0; k < r->moving; k++) {
            r->step[r->velocity[k]] = r->least.b[k];
            most = jn_fmax(most, fabs(r->least.b[k]));
        }
        memcpy(r->before, s->q, (size_t)m->nq * sizeof *r->before);
        for (factor = jn_fmin(1, 0.5 / jn_fmax(most, 1e-300)); factor > 1e-6; factor *= 0.5) {
            memcpy(s->q, r->before, (size_t)m->nq * sizeof *r->before);
            jn_q_advance(m, s->q, r->step, factor);
            next = miss(r);
            if (next < now) break;
        }
        if (!(next < now)) {
            memcpy(s->q, r->before, (size_t)m->nq * sizeof *r->before);
            break;
        }
        now = next;
    }
    return now < 1e-10 ? JN_OK : JN_NOT_CONVERGED;
}

int jn_study_reach(jn_sim *sim, int moving, const int *velocities, int points, const int *point,
                   const jn_vec3 *target) {
    reach r = {
        .sim = sim, .moving = moving, .points = points, .velocity = velocities, .point = point, .target = target};
    for (int k = 0; k < moving; k++)
        if (velocities[k] < 0 || velocities[k] >= sim->m->nv) return JN_ERR_ARGUMENT;
    for (int k = 0; k < points; k++)
        if (point[k] < 0 || point[k] >= sim->m->point_count) return JN_ERR_ARGUMENT;
    int status = reach_create(&r) ? iterate(&r) : JN_ERR_MEMORY;
    if (r.least.memory) jn_least_free(&r.least);
    jn_free(r.memory);
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_angles_update(sim->m, sim->w, sim->s);
    jn_sim_restart(sim);
    return status;
}
