/* Variable step and order by SUNDIALS' CVODE: Adams with fixed point, BDF with Newton. The only file that knows SUNDIALS.
 * Constraints: after every internal step the violation is measured; when it outgrows the tolerance, the solution is
 * projected and CVODE restarted from there. */
#include "step/impact/impact_method.h"
#include "step/integrators/integrator_tolerances.h"

#ifdef JN_CORE_ONLY
int jn_cvode_create(jn_sim *sim) {
    return jn_sim_fail(sim, JN_ERR_MISSING, "this build has no CVODE\nuse integrator: dopri45");
}
void jn_cvode_free(jn_sim *sim) { (void)sim; }
void jn_cvode_restart(jn_sim *sim) { (void)sim; }
int jn_cvode_order(const jn_sim *sim) { return (void)sim, 0; }
int jn_step_cvode(jn_sim *sim, double t) {
    return (void)t, jn_sim_fail(sim, JN_ERR_MISSING, "this build has no CVODE");
}
#else
#include "base/memory.h"
#include "step/integrators/ode_jacobian.h"
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

struct jn_cvode {
    SUNContext context;
    void *memory;
    N_Vector y, tolerance, at; /* internal solution; tolerances; interpolated solution (sim->trial) */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    jn_jacobian *jacobian;
    double reached; /* internal time */
    int stuck;      /* steps in a row without progress */
};

static int slope(realtype t, N_Vector y, N_Vector rate, void *user) {
    jn_sim *sim = user;
    int status = jn_slope_unit(sim, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return status < 0 ? 1 : 0; /* recoverable: CVODE tries a smaller step */
}

/* Into the memory that is there: CVODE's own differences clone vectors at every call. */
static int jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix J, void *user, N_Vector a, N_Vector b,
                    N_Vector c) {
    jn_sim *sim = user;
    (void)rate, (void)a, (void)b, (void)c;
    int status = jn_jacobian_eval(sim->cvode->jacobian, sim, t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(J));
    return status < 0 ? 1 : 0;
}

static void quiet(int code, const char *module, const char *function, char *message, void *user) {
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static bool is_adams(const jn_sim *sim) {
    jn_integrator given = sim->m->run.integrator; /* auto has CVODE for what is stiff alone */
    return given != JN_INTEGRATOR_AUTO && !jn_integrator_get_info(given)->stiff;
}

static bool set_solver(jn_sim *sim, struct jn_cvode *c) {
    if (is_adams(sim)) {
        c->nonlinear = SUNNonlinSol_FixedPoint(c->y, 0, c->context);
        return c->nonlinear && CVodeSetNonlinearSolver(c->memory, c->nonlinear) == CV_SUCCESS;
    }
    if (sim->ny <= JN_CVODE_DENSE_MOST) {
        c->matrix = SUNDenseMatrix(sim->ny, sim->ny, c->context);
        c->linear = c->matrix ? SUNLinSol_Dense(c->y, c->matrix, c->context) : NULL;
        if (jn_jacobian_create(sim, &c->jacobian) < 0) return false;
    } else {
        c->linear = SUNLinSol_SPGMR(c->y, SUN_PREC_NONE, JN_CVODE_KRYLOV, c->context);
    }
    if (!c->linear || CVodeSetLinearSolver(c->memory, c->linear, c->matrix) != CV_SUCCESS) return false;
    return !c->matrix || CVodeSetJacFn(c->memory, jacobian) == CV_SUCCESS;
}

static bool set_tolerances(jn_sim *sim, struct jn_cvode *c) {
    const jn_run_desc *run = &sim->m->run;
    double *tolerance = N_VGetArrayPointer(c->tolerance);
    double relative = run->relative_tolerance, absolute = run->absolute_tolerance;
    if (sim->impact) { /* gaps are followed down to where they count as closed */
        relative = jn_min(relative, JN_CVODE_IMPACT_REL),
        absolute = jn_min(absolute, JN_CVODE_IMPACT_CLOSED * sim->impact->closed);
    }
    /* what the ledger has beside energies is followed, but takes no part in the error: nor in its mean over all unknowns */
    int energies = sim->ny - JN_LEDGER + JN_LEDGER_ENERGIES;
    double part = sqrt((double)energies / sim->ny);
    for (int i = 0; i < sim->ny; i++) tolerance[i] = i < energies ? part * absolute : JN_CVODE_UNBOUNDED;
    /* the ledger in units of the energy there is: it has kinks where the motion has none */
    double energy = jn_max(sim->audit.energy_scale, JN_CVODE_ENERGY_REL * fabs(sim->audit.energy_start));
    for (int i = sim->ny - JN_LEDGER; i < energies; i++)
        tolerance[i] = part * JN_CVODE_LEDGER_SLACK * run->relative_tolerance * (energy > 0 ? energy : 1);
    if (sim->stiff_cvode) /* long steps would leave the impulses of joints on the ground behind */
        for (int i = 0; i < 6; i++) {
            double scale = i < 3 ? sim->audit.angular_momentum_scale : sim->audit.momentum_scale;
            if (scale > 0) tolerance[sim->ny - 6 + i] = part * JN_CVODE_IMPULSE_SLACK * run->relative_tolerance * scale;
        }
    return CVodeSVtolerances(c->memory, part * relative, c->tolerance) == CV_SUCCESS;
}

int jn_cvode_create(jn_sim *sim) {
    struct jn_cvode *c = jn_malloc(sizeof *c);
    if (!c) return JN_ERR_MEMORY;
    memset(c, 0, sizeof *c);
    sim->cvode = c;
    if (SUNContext_Create(NULL, &c->context) < 0) return JN_ERR_MEMORY;
    int method = is_adams(sim) ? CV_ADAMS : CV_BDF;
    c->y = N_VNew_Serial(sim->ny, c->context);
    c->tolerance = N_VNew_Serial(sim->ny, c->context);
    c->at = N_VMake_Serial(sim->ny, sim->trial, c->context);
    c->memory = CVodeCreate(method, c->context);
    if (!c->y || !c->tolerance || !c->at || !c->memory) return JN_ERR_MEMORY;
    jn_pack(sim, N_VGetArrayPointer(c->y));
    c->reached = sim->s->t;
    const jn_run_desc *run = &sim->m->run;
    bool fine = CVodeInit(c->memory, slope, c->reached, c->y) == CV_SUCCESS && set_tolerances(sim, c) &&
                set_solver(sim, c) && CVodeSetUserData(c->memory, sim) == CV_SUCCESS &&
                CVodeSetMaxNumSteps(c->memory, -1) == CV_SUCCESS &&
                CVodeSetErrHandlerFn(c->memory, quiet, NULL) == CV_SUCCESS;
    if (fine && run->step > 0) fine = CVodeSetInitStep(c->memory, run->step) == CV_SUCCESS;
    return fine ? JN_OK : JN_ERR_MEMORY;
}

void jn_cvode_free(jn_sim *sim) {
    struct jn_cvode *c = sim->cvode;
    if (!c) return;
    if (c->memory) CVodeFree(&c->memory);
    if (c->nonlinear) SUNNonlinSolFree(c->nonlinear);
    if (c->linear) SUNLinSolFree(c->linear);
    if (c->matrix) SUNMatDestroy(c->matrix);
    jn_jacobian_free(c->jacobian);
    if (c->at) N_VDestroy(c->at);
    if (c->tolerance) N_VDestroy(c->tolerance);
    if (c->y) N_VDestroy(c->y);
    if (c->context) SUNContext_Free(&c->context);
    jn_free(c);
    sim->cvode = NULL;
}

void jn_cvode_restart(jn_sim *sim) {
    struct jn_cvode *c = sim->cvode;
    jn_pack(sim, N_VGetArrayPointer(c->y));
    c->reached = sim->s->t;
    if (sim->stiff_cvode) set_tolerances(sim, c); /* by the energy that is in motion by now */
    CVodeReInit(c->memory, c->reached, c->y);
    sim->audit.restarts++;
}

/* Takes a solution as the state, with constraint residuals and full turns brought up to date. */
static void adopt(jn_sim *sim, double t, const double *y, double violation[2]) {
    jn_unpack(sim, t, y);
    sim->slope_known = false;
    if (sim->has_quaternions) jn_q_normalise(sim->m, sim->s->q);
    jn_constraint_residual(sim->m, sim->w, sim->s, NULL, NULL, violation);
    jn_sim_forces(sim, sim->s); /* the audit reads the elastic energy */
    if (sim->m->angle_count) jn_angles_update(sim->m, sim->w, sim->s);
}

/* Projects the internal solution and restarts from there if it has left the constraints. */
static int repair(jn_sim *sim) {
    struct jn_cvode *c = sim->cvode;
    const jn_model *m = sim->m;
    if (m->row_count == 0 || !jn_run_projects(&m->run)) return JN_OK;
    double limit = jn_max(10 * m->run.absolute_tolerance, m->run.relative_tolerance), violation[2];
    adopt(sim, c->reached, N_VGetArrayPointer(c->y), violation);
    if (violation[0] <= limit && violation[1] <= 10 * limit) return JN_OK;
    int status = jn_settle(sim);
    if (status < 0) return status;
    sim->audit.steps--; /* a repair is no step */
    jn_cvode_restart(sim);
    return JN_OK;
}

/* [s] longest step in which no measured angle turns by half a turn: their full turns are counted from step to step. */
static double longest_turn(const jn_sim *sim) {
    double spin = 0;
    for (int i = 1; i < sim->m->link_count && sim->m->angle_count; i++)
        spin = jn_max(spin, v3_norm(sim->w->link[i].V.w));
    return spin > 0 ? JN_CVODE_TURN / spin : INFINITY;
}

static int internal_step(jn_sim *sim, double t) {
    struct jn_cvode *c = sim->cvode;
    int status = repair(sim);
    if (status < 0) return status;
    double before = c->reached;
    CVodeSetStopTime(c->memory, jn_max(t, sim->m->run.until)); /* nothing is evaluated beyond what was asked for */
    double most = sim->m->run.max_step > 0 ? jn_min(sim->m->run.max_step, sim->step_limit) : sim->step_limit;
    most = jn_min(most, longest_turn(sim));
    CVodeSetMaxStep(c->memory, isfinite(most) ? most : 0); /* 0: any */
    int flag = CVode(c->memory, t, c->y, &c->reached, CV_ONE_STEP);
    c->stuck = c->reached - before > JN_CONTROL_STEP_LEAST_REL * jn_max(1, fabs(before)) ? 0 : c->stuck + 1;
    if (flag >= 0 && c->stuck > JN_CVODE_STUCK_MOST) flag = CV_ERR_FAILURE;
    if (flag < 0)
        return jn_sim_fail(
            sim, JN_ERR_STEP,
            "CVODE stops at t = %.9g s (%s)\nthe motion has a jump or a singularity there; relax the tolerance",
            c->reached,
            flag == CV_CONV_FAILURE  ? "no convergence"
            : flag == CV_ERR_FAILURE ? "error test"
                                     : "right-hand side");
    CVodeGetLastStep(c->memory, &sim->step_taken);
    sim->audit.steps++;
    return JN_OK;
}

int jn_cvode_order(const jn_sim *sim) {
    int order = 0;
    CVodeGetLastOrder(sim->cvode->memory, &order);
    return order;
}

int jn_step_cvode(jn_sim *sim, double t) {
    struct jn_cvode *c = sim->cvode;
    double violation[2];
    /* a state that was passed by an output is delivered before the next step is taken: nothing happens unseen */
    bool passed = sim->s->t < c->reached && c->reached < t;
    int status = c->reached < t && !passed ? internal_step(sim, t) : JN_OK;
    if (status < 0) return status;
    if (c->reached < t) {
        adopt(sim, c->reached, N_VGetArrayPointer(c->y), violation);
        jn_audit_sample(sim, sim->s);
        return JN_OK;
    }
    if (CVodeGetDky(c->memory, t, 0, c->at) != CV_SUCCESS) /* the internal solution has passed t: interpolate */
        return jn_sim_fail(sim, JN_ERR_STEP, "CVODE cannot interpolate at t = %.9g s", t);
    jn_unpack(sim, t, sim->trial);
    status = jn_settle(sim);
    sim->audit.steps--; /* an output is no step */
    if (status < 0) return status;
    adopt(sim, t, (jn_pack(sim, sim->trial), sim->trial), violation);
    jn_audit_sample(sim, sim->s);
    return JN_OK;
}
#endif
