/* Static equilibrium: Z^T h(q, 0) = 0 on the constraints, at the present time.
 *
 * Newton's method with the stiffness replaced by its absolute value in its own axes: the same near a stable
 * equilibrium, and downhill elsewhere, so that saddles and tops repel it [Dauphin2014]. A state that is an equilibrium
 * already, stable or not, is kept. Where Newton fails, motion with its kinetic energy taken away at each peak brings
 * the state near [Barnes1988]. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "study/model_scale.h"
#include "study/tangent.h"
#include <jounce/study.h>
#include <string.h>

enum { MAX_NEWTON = 120, MAX_HALVINGS = 12, MAX_RELAXATION = 4000 };
static const double longest_step = 0.35;            /* [rad] or lengths of a body */
static const double round_off = 1e-13, good = 1e-9; /* unbalanced part of the loads */

typedef struct jn_rest_search {
    jn_sim *sim;
    jn_tangent t;
    double *x, *u, *S, *k, *y; /* (nv) step, its motion; (nv x nv), (nv), (nv) eigenvectors, eigenvalues, scratch */
    void *memory;
} jn_rest_search;

static double norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static bool search_create(jn_rest_search *a) {
    size_t nv = (size_t)a->sim->m->nv + 1;
    a->memory = jn_malloc((nv * nv + 4 * nv) * sizeof(double));
    if (!a->memory) return false;
    double *d = a->memory;
    a->S = d, d += nv * nv;
    a->x = d, d += nv;
    a->u = d, d += nv;
    a->k = d, d += nv;
    a->y = d;
    return true;
}

static double imbalance(const jn_rest_search *a) { return norm(a->t.force, a->t.dof) / a->t.force_scale; }

/* x = sum of axis (axis.r) / max(|k|, least) over the eigenvectors and eigenvalues k of S. */
static void step_along_axes(jn_rest_search *a, const double *r, double least) {
    int n = a->t.dof;
    memset(a->x, 0, (size_t)n * sizeof *a->x);
    for (int j = 0; j < n; j++) {
        const double *axis = a->S + (size_t)j * (size_t)n;
        double part = dot(axis, r, n) / jn_fmax(fabs(a->k[j]), least);
        for (int i = 0; i < n; i++) a->x[i] += part * axis[i];
    }
}

/* Whether the forces have a potential: K is symmetric, but for what turning axes add while forces are unbalanced. */
static bool has_potential(jn_rest_search *a) {
    const double *K = a->t.K;
    int n = a->t.dof;
    double most = 0, odd = 0, turning = 0;
    for (int j = 0; j < n; j++) {
        turning = jn_fmax(turning, jn_tangent_size(&a->t, a->t.Z + (size_t)j * (size_t)a->t.nv));
        for (int i = 0; i < n; i++) {
            most = jn_fmax(most, fabs(K[i + n * j]));
            odd = jn_fmax(odd, fabs(K[i + n * j] - K[j + n * i]));
        }
    }
    return odd <= 1e-4 * (most + a->t.rate_scale) + 2 * turning * norm(a->t.force, n);
}

/* The step: |K|^-1 force with a potential, else (K^T K)^-1 K^T force. */
static int choose_step(jn_rest_search *a, bool potential) {
    const double *K = a->t.K, *r = a->t.force;
    int n = a->t.dof;
    double most = 1e-3 * a->t.rate_scale + 1e-300;
    for (int i = 0; i < n; i++) {
        a->y[i] = potential ? r[i] : dot(K + (size_t)i * (size_t)n, r, n);
        for (int j = 0; j < n; j++) {
            most = jn_fmax(most, fabs(K[i + n * j]));
            a->S[i + n * j] = potential ? 0.5 * (K[i + n * j] + K[j + n * i])
                                        : dot(K + (size_t)i * (size_t)n, K + (size_t)j * (size_t)n, n);
        }
    }
    int status = jn_eigen_symmetric(n, a->S, a->k);
    if (status < 0) return status;
    step_along_axes(a, a->y, potential ? 1e-10 * most : 1e-16 * most * most);
    jn_tangent_expand(&a->t, a->x, a->u);
    double size = jn_tangent_size(&a->t, a->u), shrink = size > longest_step ? longest_step / size : 1;
    for (int i = 0; i < n; i++) a->x[i] *= shrink;
    for (int i = 0; i < a->t.nv; i++) a->u[i] *= shrink;
    return JN_OK;
}

/* Moves from the saved coordinates by a fraction of the step, back on the constraints, at rest. */
static int move(jn_rest_search *a, const double *u, double fraction) {
    jn_sim *sim = a->sim;
    const jn_model *m = sim->m;
    jn_unpack(sim, sim->s->t, sim->y);
    jn_q_advance(m, sim->s->q, u, fraction);
    memset(sim->s->u, 0, (size_t)m->nv * sizeof *sim->s->u);
    int status = jn_project(m, sim->w, sim->s);
    memset(sim->s->u, 0, (size_t)m->nv * sizeof *sim->s->u);
    return status;
}

/* Halves the step until it does not overshoot. With a potential: the force along it may not turn against it more than
 * it pushed before. Without: the imbalance must shrink. */
static int line_search(jn_rest_search *a, bool potential) {
    double slope = dot(a->t.force, a->x, a->t.dof), before = norm(a->t.force, a->t.dof), fraction = 1;
    jn_pack(a->sim, a->sim->y);
    for (int k = 0; k < MAX_HALVINGS; k++, fraction /= 2) {
        if (move(a, a->u, fraction) != JN_OK) continue;
        int status = jn_tangent_basis(&a->t);
        if (status == JN_ERR_MEMORY) return status;
        if (status < 0) continue;
        double now = norm(a->t.force, a->t.dof), along = dot(a->t.balance, a->u, a->t.nv);
        if (potential ? along >= -0.9 * slope || now < 0.5 * before : now < (1 - 1e-4 * fraction) * before) {
            jn_kinematics(a->sim->m, a->sim->w, a->sim->s);
            jn_angles_update(a->sim->m, a->sim->w, a->sim->s);
            return JN_OK;
        }
    }
    jn_unpack(a->sim, a->sim->s->t, a->sim->y);
    int status = jn_tangent_basis(&a->t);
    return status < 0 ? status : JN_NOT_CONVERGED;
}

static int newton(jn_rest_search *a) {
    int status = jn_tangent_basis(&a->t);
    double before = INFINITY;
    for (int n = 0; n < MAX_NEWTON && status == JN_OK; n++) {
        double now = imbalance(a);
        if (now <= round_off || (now <= good && now > 0.5 * before)) return JN_OK;
        before = now;
        jn_tangent_slopes(&a->t);
        bool potential = has_potential(a);
        status = choose_step(a, potential);
        if (status >= 0) status = line_search(a, potential);
    }
    return status < 0 ? status : imbalance(a) <= good ? JN_OK : JN_NOT_CONVERGED;
}

/* Motion that stops whenever the forces begin to work against it. */
static int relax(jn_rest_search *a) {
    jn_sim *sim = a->sim;
    const jn_model *m = sim->m;
    int n = a->t.dof;
    jn_tangent_slopes(&a->t);
    double stiff = a->t.rate_scale;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += fabs(a->t.K[i + n * j]);
        stiff = jn_fmax(stiff, sum);
    }
    double h = 0.5 / sqrt(stiff + 1e-12);
    memset(a->u, 0, (size_t)m->nv * sizeof *a->u);
    for (int step = 0; step < MAX_RELAXATION; step++) {
        int status = jn_tangent_basis(&a->t);
        if (status < 0) return status;
        if (imbalance(a) <= 1e-6) return JN_OK;
        if (dot(a->t.balance, a->u, m->nv) < 0) memset(a->u, 0, (size_t)m->nv * sizeof *a->u);
        for (int c = 0; c < a->t.dof; c++) /* u += h Z Z^T f */
            for (int i = 0; i < m->nv; i++)
                a->u[i] += h * a->t.force[c] * a->t.Z[(size_t)c * (size_t)m->nv + (size_t)i];
        double size = h * jn_tangent_size(&a->t, a->u), most = 0.1;
        for (int i = 0; i < m->nv && size > most; i++) a->u[i] *= most / size;
        jn_pack(sim, sim->y);
        if (move(a, a->u, h) != JN_OK) {
            jn_unpack(sim, sim->s->t, sim->y);
            memset(a->u, 0, (size_t)m->nv * sizeof *a->u);
            h /= 2;
        }
    }
    return JN_NOT_CONVERGED;
}

static int complain(jn_rest_search *a, jn_report *report) {
    const jn_model *m = a->sim->m;
    jn_tangent_expand(&a->t, a->t.force, a->u);
    int joint = jn_study_fastest_joint(m, a->sim->w, a->sim->s, a->u, a->t.length);
    jn_where where = joint >= 0 ? m->joints[joint].where : (jn_where){m->file, 0, 0};
    return jn_report_add(report, JN_SEVERITY_WARNING, JN_NOT_CONVERGED, where, NULL,
                         "no equilibrium was found near the start: %.2g of the loads stays unbalanced, most at %s%s\n"
                         "check that springs, stops or joints hold every body against gravity, or start closer",
                         imbalance(a), joint >= 0 ? "joint " : "a body that nothing holds",
                         joint >= 0 ? m->joints[joint].name : "");
}

/* Stable, unstable or neutral, from the modes. */
static int judge(jn_sim *sim, jn_report *report) {
    jn_modes modes;
    int status = jn_study_modes(sim, &modes, NULL), growing = 0, still = 0;
    double slowest = 0, fastest = 0;
    if (status < 0) return status;
    for (int i = 0; i < modes.count; i++) fastest = jn_fmax(fastest, jn_hypot_safe(modes.mode[i].re, modes.mode[i].im));
    double slight = 1e-7 * fastest + 1e-6 * sqrt(v3_norm(sim->m->gravity) / jn_mechanism_length(sim->m));
    for (int i = 0; i < modes.count; i++) {
        const jn_mode *k = &modes.mode[i];
        growing += k->re > slight;
        still += jn_hypot_safe(k->re, k->im) <= slight;
        if (k->frequency > 0 && slowest == 0) slowest = k->frequency;
    }
    jn_where where = {sim->m->file, 0, 0};
    if (growing)
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, where, NULL,
                      "the equilibrium is unstable: %d mode%s grow%s\nstart a little beside it to find a stable one",
                      growing, growing > 1 ? "s" : "", growing > 1 ? "" : "s");
    else if (still)
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, where, NULL,
                      "the equilibrium is neutral: %d mode%s no restoring force", still, still > 1 ? "s have" : " has");
    else
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, where, NULL,
                      "the equilibrium is stable; lowest frequency %.4g Hz", slowest);
    jn_modes_free(&modes);
    return JN_OK;
}

/* The run's account starts anew at the equilibrium. */
static int start_here(jn_sim *sim) {
    sim->s->ledger = (jn_ledger){0};
    jn_sim_restart(sim);
    int status = jn_sim_observe(sim);
    if (status < 0) return status;
    sim->audit.max_position_violation = sim->audit.max_velocity_violation = 0;
    jn_audit_start(sim);
    return JN_OK;
}

int jn_study_equilibrium(jn_sim *sim, jn_report *report) {
    jn_rest_search a = {.sim = sim};
    int status = jn_tangent_create(&a.t, sim);
    if (status >= 0 && !search_create(&a)) status = JN_ERR_MEMORY;
    memset(sim->s->u, 0, (size_t)sim->m->nv * sizeof *sim->s->u);
    if (status >= 0) status = newton(&a);
    if (status == JN_NOT_CONVERGED) {
        status = relax(&a);
        if (status >= 0) status = newton(&a);
    }
    if (status == JN_NOT_CONVERGED) complain(&a, report);
    jn_tangent_free(&a.t);
    jn_free(a.memory);
    int found = status;
    if (status >= 0) status = start_here(sim);
    if (status >= 0 && found == JN_OK) status = judge(sim, report);
    if (status < 0)
        return jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){sim->m->file, 0, 0}, NULL, "equilibrium: %s",
                             jn_status_text(status));
    return found;
}
