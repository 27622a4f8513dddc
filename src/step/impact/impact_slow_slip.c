/* Slow slip in space is stiff: across its direction it decays at the rate mu f_N W_TT/|v_T|. A linearly implicit method of third order (ROS34PW2, for any
 * approximation of the Jacobian, L-stable) [Rang2005] with the part of the Jacobian that is stiff:
 *
 *     d(u')/du = B G V,   v_T = V u,   G = d(f_T)/d(v_T) = -mu f_N (1 - e e^T)/|v_T|,   B: velocities by unit forces along the slips, in these modes
 *
 * so that (1 - gamma h B G V)^-1 x = x + B gamma h G (1 - gamma h V B G)^-1 V x needs a matrix of the slips alone. Where motors and dampers keep explicit steps
 * short their part comes in addition, P d(a)/du, with P: what the contacts in their modes leave of accelerations. */
#include "algebra/elementary.h"
#include "motion/derivatives/derivatives.h"
#include "step/impact/impact_method.h"
#include "step/integrators/integrator_tolerances.h"

#include <string.h>

enum { STAGES = 4, DRIFT = 5 }; /* slopes: of the stages, at the state, and their drift */
static const double gam = 4.3586652150845900e-01;
static const double alpha[STAGES][3] = {
    {0}, {8.7173304301691801e-01}, {8.4457060015369423e-01, -1.1299064236484185e-01}, {0, 0, 1}};
static const double gammas[STAGES][3] = {{0},
                                         {-8.7173304301691801e-01},
                                         {-9.0338057013044082e-01, 5.4180672388095326e-02},
                                         {2.4212380706095346e-01, -1.2232505839045147e+00, 5.4526025533510214e-01}};
static const double weight[STAGES] = {2.4212380706095346e-01, -1.2232505839045147e+00, 1.5452602553351020e+00,
                                      4.3586652150845900e-01};
static const double second[STAGES] = {3.7810903145819369e-01, -9.6042292212423178e-02, 5.0000000000000000e-01,
                                      2.1793326075422950e-01};

/* [m/s] slip of a contact, rounded off as its direction is. */
static double rounded_speed(const jn_impacts *p, const jn_unilateral *o) {
    return v3_norm(v3_axpy(p->creep, o->direction, o->slip));
}

static bool slips(const jn_unilateral *o) { return o->mode == JN_UNILATERAL_SLIPPING && o->mu_d > 0; }

double jn_impact_slip_rate(const jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    int d = p->d;
    double most = 0;
    for (int i = 0; i < sim->nonsmooth->set.count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        if (!slips(o)) continue;
        double W = 0;
        for (int r = 1; r < d; r++) W = jn_max(W, jn_grip_own(&p->system.grip, i, r));
        most = jn_max(most, o->mu_d * p->system.f[d * i] * W / jn_max(rounded_speed(p, o), p->creep));
    }
    return most;
}

/* Impulse from outside with unit impulses f of the contacts, which change the velocities by du. */
static jn_wrench find_external(jn_sim *sim, const double *f, const double *du) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_wrench sum = jn_nonsmooth_external(sim, 0, du, NULL, f);
    if (m->row_count == 0) return sum;
    memset(x->applied, 0, (size_t)m->nv * sizeof *x->applied);
    jn_contact_set_force(&x->set, f, x->applied);
    if (jn_kkt_solve(m, sim->w, x->applied, NULL, x->free, sim->w->lambda) < 0) return sum;
    return wr_add(sum, jn_external_rows(m, sim->w, sim->w->lambda));
}

/* Rows, responses and derivatives of the contacts that slip, at the state of the last evaluation. O(slips (contacts^2 + slips nv)) */
static void find_jacobian(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    jn_slow_slip *x = &p->slip;
    jn_contact_set *set = &sim->nonsmooth->set;
    int d = p->d, nv = sim->m->nv;
    double *f = p->system.vector;
    x->n = 0;
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        if (!slips(o)) continue;
        const double *e = p->system.grip.contact[i].e;
        x->start[x->n / 2] = o->slip;
        double speed = x->speed[x->n / 2] = jn_max(rounded_speed(p, o), p->creep);
        double size = o->mu_d * jn_max(0, p->system.f[d * i]) / speed;
        for (int r = 1; r < d; r++, x->n++) {
            double *V = x->V + (size_t)x->n * (size_t)nv, *B = x->B + (size_t)x->n * (size_t)nv;
            memset(V, 0, (size_t)nv * sizeof *V), memset(B, 0, (size_t)nv * sizeof *B);
            x->bias[x->n] = p->system.bias[d * i + r];
            for (int k = set->start[i]; k < jn_contact_set_end(set, i); k++) V[set->dof_of[k]] = set->H[k * d + r];
            jn_grip_respond(&p->system.grip, d * i + r, f);
            jn_contact_set_apply(set, sim, f, B);
            x->external[x->n] = find_external(sim, f, B);
            x->driven[x->n] = 0;
            for (int c = 0; c < set->count; c++) x->driven[x->n] += jn_contact_surface_work(set, c, f + d * c);
            for (int c = 1; c < d; c++) x->G[2 * x->n + c - 1] = size * (e[r - 1] * e[c - 1] - (r == c));
        }
    }
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < x->n; j++) {
            double sum = 0;
            for (int k = 0; k < nv; k++) sum += x->V[i * nv + k] * x->B[j * nv + k];
            x->C[i * x->n + j] = sum;
        }
}

/* J of forces on coordinates and of the slips, dense. The work space stands at the state again, without contact forces. O(nv^3) */
static int find_stiff_jacobian(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    jn_stiff_motion *s = &p->stiff;
    const jn_slow_slip *x = &p->slip;
    const jn_model *m = sim->m;
    size_t nv = (size_t)m->nv;
    double *f = p->system.vector;
    int status = jn_accelerate(m, sim->w, sim->s, NULL, s->d->a, s->d->lambda);
    if (status >= 0) status = jn_changes_factor(m, sim->w, s->d);
    if (status < 0) return status;
    jn_sim_force_changes(sim, sim->s, s->d->a, s->d->lambda, NULL, s->d);
    status = jn_changes_solve(m, sim->w, s->d);
    if (status < 0) return status;
    for (size_t c = 0; c < nv; c++) {
        for (size_t i = 0; i < nv; i++) s->x[i] = s->d->a_u[i * nv + c];
        if (sim->nonsmooth->set.count) {
            jn_grip_answer(&p->system.grip, s->x, f);
            jn_contact_set_apply(&sim->nonsmooth->set, sim, f, s->x);
        }
        for (size_t i = 0; i < nv; i++) s->J[i * nv + c] = s->x[i];
    }
    for (int i = 0; i < x->n; i++)
        for (int j = i / 2 * 2; j < i / 2 * 2 + 2; j++)
            for (size_t a = 0; a < nv; a++)
                for (size_t c = 0; c < nv; c++)
                    s->J[a * nv + c] += x->B[(size_t)i * nv + a] * x->G[2 * i + j % 2] * x->V[(size_t)j * nv + c];
    return JN_OK;
}

double jn_impact_stiff_rate(jn_sim *sim) {
    jn_stiff_motion *s = &sim->impact->stiff;
    int nv = sim->m->nv;
    double *y = s->S, size = 0; /* the factors are not in use */
    sim->impact->slip.n = 0;
    if (find_stiff_jacobian(sim) < 0) return 0;
    for (int i = 0; i < nv; i++) s->x[i] = 1;
    for (int n = 0; n < JN_STIFF_ITERATIONS; n++) {
        size = 0;
        for (int i = 0; i < nv; i++) {
            y[i] = 0;
            for (int c = 0; c < nv; c++) y[i] += s->J[i * nv + c] * s->x[c];
            size = jn_max(size, fabs(y[i]));
        }
        if (!(size > 0) || !isfinite(size)) return 0;
        for (int i = 0; i < nv; i++) s->x[i] = y[i] / size;
    }
    return size;
}

/* y = G x */
static void apply_G(const jn_slow_slip *s, const double *x, double *y) {
    for (int i = 0; i < s->n; i += 2)
        for (int r = 0; r < 2; r++) y[i + r] = s->G[2 * (i + r)] * x[i] + s->G[2 * (i + r) + 1] * x[i + 1];
}

/* Factors of 1 - gamma h C G. */
static bool factor(jn_slow_slip *s, double h) {
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            int b = j / 2 * 2;
            double CG = s->C[i * s->n + b] * s->G[2 * b + j % 2] + s->C[i * s->n + b + 1] * s->G[2 * (b + 1) + j % 2];
            s->S[i * s->n + j] = (i == j) - gam * h * CG;
        }
    return jn_lu_factor(s->n, s->S, s->pivot);
}

static bool factor_stiff(jn_stiff_motion *s, int nv, double h) {
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) s->S[i * nv + j] = (i == j) - gam * h * s->J[i * nv + j];
    return jn_lu_factor(nv, s->S, s->pivot);
}

static void multiply_V(const jn_slow_slip *s, int nv, const double *u, double *x) {
    for (int i = 0; i < s->n; i++) {
        x[i] = 0;
        for (int k = 0; k < nv; k++) x[i] += s->V[i * nv + k] * u[k];
    }
}

/* u += factor B x: forces along the slips, with the work and the impulse from outside that belong to them. */
static void add_B(const jn_slow_slip *s, int nv, double factor, const double *x, double *u, jn_ledger *rate) {
    for (int i = 0; i < s->n; i++) {
        double f = factor * x[i];
        for (int k = 0; k < nv; k++) u[k] += f * s->B[i * nv + k];
        rate->given = wr_add(rate->given, wr_scale(f, s->external[i]));
        rate->friction -= f * s->slip[i], rate->dissipated -= f * s->slip[i];
        rate->driven += f * s->driven[i];
    }
}

/* Slips at the last evaluation, in the tangents. */
static void take_slips(const jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    for (int i = 0, n = 0; i < sim->nonsmooth->set.count; i++)
        for (int r = 1; r < p->d && slips(&p->unilateral[i]); r++)
            p->slip.slip[n++] = v3_dot(p->unilateral[i].slip, sim->nonsmooth->set.point[i].t[r - 1]);
}

/* Slope k of a stage: (1 - gamma h J) k = f + h J sum gamma_ij k_j. Slips also change as their contacts move, by V' u, which counts as a function of
 * time: + h B G V' u sum gamma_ij. */
static void solve_stage(jn_sim *sim, int stage, double h) {
    jn_slow_slip *s = &sim->impact->slip;
    int nq = sim->m->nq, nv = sim->m->nv;
    double *k = sim->k[stage] + nq, *sum = s->error;
    jn_ledger *rate = (jn_ledger *)(void *)(sim->k[stage] + sim->ny - JN_LEDGER);
    take_slips(sim);
    memset(sum, 0, (size_t)nv * sizeof *sum);
    for (int j = 0; j < stage; j++)
        for (int i = 0; i < nv; i++) sum[i] += gammas[stage][j] * sim->k[j][nq + i];
    multiply_V(s, nv, sum, s->x);
    double along = gam;
    for (int j = 0; j < stage; j++) along += gammas[stage][j];
    for (int i = 0; i < s->n; i++) s->x[i] += along * s->bias[i];
    apply_G(s, s->x, s->y);
    add_B(s, nv, h, s->y, k, rate);
    multiply_V(s, nv, k, s->x);
    jn_lu_solve(s->n, s->S, s->pivot, s->x);
    apply_G(s, s->x, s->y);
    add_B(s, nv, gam * h, s->y, k, rate);
}

/* The same with the dense Jacobian. The ledger stays as the stage has it. */
static void solve_stiff_stage(jn_sim *sim, int stage, double h) {
    const jn_stiff_motion *s = &sim->impact->stiff;
    int nq = sim->m->nq, nv = sim->m->nv;
    const double *drift = sim->k[DRIFT] + nq;
    double *k = sim->k[stage] + nq, along = gam;
    memset(s->x, 0, (size_t)nv * sizeof *s->x);
    for (int j = 0; j < stage; j++) {
        along += gammas[stage][j];
        for (int i = 0; i < nv; i++) s->x[i] += gammas[stage][j] * sim->k[j][nq + i];
    }
    for (int i = 0; i < nv; i++)
        for (int c = 0; c < nv; c++) k[i] += h * s->J[i * nv + c] * s->x[c];
    for (int i = 0; i < nv; i++) k[i] += h * along * drift[i];
    jn_lu_solve(nv, s->S, s->pivot, k);
}

static int stages(jn_sim *sim, double h, bool stiff) {
    int first = sim->ny - JN_LEDGER;
    double *start = sim->k[STAGES]; /* slope at the state, as the first stage changes it */
    void (*const solve)(jn_sim *, int, double) = stiff ? solve_stiff_stage : solve_stage;
    memcpy(sim->k[0], start, (size_t)sim->ny * sizeof *start);
    bool fine = stiff ? factor_stiff(&sim->impact->stiff, sim->m->nv, h) : factor(&sim->impact->slip, h);
    if (!fine) return JN_ERR_NUMERIC;
    solve(sim, 0, h);
    for (int s = 1; s < STAGES; s++) {
        double at = 0;
        for (int j = 0; j < s; j++) at += alpha[s][j];
        for (int i = 0; i < first; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++) sum += alpha[s][j] * sim->k[j][i];
            sim->trial[i] = sim->y[i] + h * sum;
        }
        int status = jn_slope(sim, sim->s->t + at * h, sim->trial, sim->k[s]);
        if (status < 0) return status;
        solve(sim, s, h);
    }
    return JN_OK;
}

/* The solution, and its error in units of the tolerance. */
static double finish(jn_sim *sim, double h) {
    const jn_run_desc *run = &sim->m->run;
    int n = sim->m->nq + sim->m->nv;
    double sum = 0;
    for (int i = 0; i < sim->ny; i++) {
        double step = 0, error = 0;
        for (int s = 0; s < STAGES; s++)
            step += weight[s] * sim->k[s][i], error += (weight[s] - second[s]) * sim->k[s][i];
        sim->trial[i] = sim->y[i] + h * step;
        if (i >= n) continue;
        double size = jn_max(fabs(sim->y[i]), fabs(sim->trial[i]));
        error *= h / (run->absolute_tolerance + run->relative_tolerance * size);
        sum += error * error;
    }
    double energy = run->absolute_tolerance + run->relative_tolerance * sim->audit.energy_scale;
    for (int i = sim->ny - JN_LEDGER; i < sim->ny - JN_LEDGER + 2; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++) error += h * (weight[s] - second[s]) * sim->k[s][i] / energy;
        sum += error * error;
    }
    return JN_SLIP_ERROR_SAFETY * sqrt(sum / n);
}

/* The Jacobian is that of one direction and speed: a step changes a slip by no more than twice its speed. The last stage, at the end of the step, has
 * left its slips. Cubed, as an error is. */
static double slip_error(const jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    double most = 0;
    for (int i = 0, k = 0; i < sim->nonsmooth->set.count && p->slip.n > 0; i++) {
        if (!slips(&p->unilateral[i])) continue;
        most = jn_max(most, v3_norm(v3_sub(p->unilateral[i].slip, p->slip.start[k])) /
                                (JN_SLIP_CHANGE_MOST * p->slip.speed[k]));
        k++;
    }
    return most * most * most;
}

/* How accelerations change with time and positions while velocities stay: a difference along the motion. One evaluation. */
static int find_drift(jn_sim *sim, double h) {
    int nq = sim->m->nq, nv = sim->m->nv, first = sim->ny - JN_LEDGER;
    double after = JN_STIFF_DRIFT * h, *drift = sim->k[DRIFT] + nq;
    for (int i = 0; i < first; i++) sim->trial[i] = sim->y[i] + (i < nq ? after * sim->k[STAGES][i] : 0);
    int status = jn_slope(sim, sim->s->t + after, sim->trial, sim->k[DRIFT]);
    for (int i = 0; i < nv && status >= 0; i++) drift[i] = (drift[i] - sim->k[STAGES][nq + i]) / after;
    return status;
}

static int step_implicitly(jn_sim *sim, double t, bool stiff) {
    jn_slow_slip *x = &sim->impact->slip;
    const jn_run_desc *run = &sim->m->run;
    int status = jn_slope_here(sim);
    if (status < 0) return status;
    double left = t - sim->s->t;
    memcpy(sim->k[STAGES], sim->k[0], (size_t)sim->ny * sizeof(double));
    x->n = 0;
    if (sim->impact->d == 3 && sim->nonsmooth->set.count) find_jacobian(sim);
    if (stiff && (status = find_stiff_jacobian(sim)) < 0) return status;
    jn_pack(sim, sim->y);
    if (stiff && (status = find_drift(sim, jn_min(x->h, left))) < 0) return status;
    for (bool rejected = false;; rejected = true) {
        double h = jn_min(x->h, run->max_step > 0 ? jn_min(run->max_step, sim->step_limit) : sim->step_limit);
        bool last = h >= left * (1 - JN_CONTROL_LAST_REL);
        if (last) h = left;
        if (h < JN_CONTROL_STEP_LEAST_REL * jn_max(1, fabs(sim->s->t)) && !last)
            return jn_sim_fail(
                sim, JN_ERR_STEP,
                "the step became too small at t = %.9g s, in slow slip or stiff forces\nrelax the tolerance",
                sim->s->t);
        double error = stages(sim, h, stiff) < 0 ? INFINITY : finish(sim, h);
        error = jn_max(error, slip_error(sim));
        double grow =
            JN_CONTROL_SAFETY *
            jn_pow(jn_min(JN_CONTROL_ERROR_MOST, jn_max(error, JN_CONTROL_ERROR_LEAST)), -JN_CONTROL_PROPORTIONAL / 3) *
            jn_pow(x->error_last, JN_CONTROL_INTEGRAL / 3);
        sim->slope_known = false;
        if (!(error <= 1)) {
            sim->audit.rejected++;
            x->h = h * jn_max(JN_CONTROL_RETRY_LEAST,
                              jn_min(JN_CONTROL_RETRY_MOST, isfinite(error) ? grow : JN_CONTROL_RETRY_LEAST));
            continue;
        }
        double next = h * jn_min(rejected ? 1 : JN_CONTROL_GROWTH_MOST, jn_max(JN_CONTROL_GROWTH_LEAST, grow));
        x->h = last && next < x->h ? jn_max(next, jn_min(x->h, JN_CONTROL_GROWTH_MOST * h)) : next;
        x->error_last = jn_min(1, jn_max(error, JN_CONTROL_ERROR_KEPT));
        jn_unpack(sim, last ? t : sim->s->t + h, sim->trial);
        return jn_settle(sim);
    }
}

int jn_step_slip(jn_sim *sim, double t) { return step_implicitly(sim, t, false); }
int jn_step_stiff(jn_sim *sim, double t) { return step_implicitly(sim, t, true); }
