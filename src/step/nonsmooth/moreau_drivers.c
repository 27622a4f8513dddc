/* Drivers in a nonsmooth step. A driver's velocity at both ends of the step is known, and its impulse works on the mean of them:
 * exactly what the kinetic energy takes from it. So velocities of bodies on a driven one end with that of the driver, whatever
 * its acceleration. Positions follow the mean velocity; what is missing to the driver's own is moved afterwards, and the energy
 * that takes is the driver's too. */
#include "algebra/elementary.h"
#include "step/nonsmooth/moreau.h"

#include <string.h>

static const jn_driver *driver_of(const jn_model *m, int row) {
    return m->rows[row].type == JN_ROW_DRIVER ? &m->drivers[m->rows[row].item] : NULL;
}

static jn_jet motion_at(const jn_model *m, const jn_driver *d, double t) {
    jn_jet var[3] = {{t, 1, 0}, {0, 0, 0}, {0, 0, 0}};
    return jn_function_jet(d->motion, m->tables, var);
}

double jn_driver_displacement(const jn_model *m, int row, double t, double h) {
    const jn_driver *d = driver_of(m, row);
    return d ? motion_at(m, d, t + h).v - motion_at(m, d, t).v : 0;
}

void jn_drivers_prepare(jn_sim *sim, double dt, double theta) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    x->moreau->lag = false;
    for (int i = 0; i < m->row_count && m->driver_count; i++) {
        const jn_driver *d = driver_of(m, i);
        if (!d) continue;
        jn_jet A = motion_at(m, d, sim->s->t), E = motion_at(m, d, sim->s->t + dt);
        x->moreau->drive[i] = (jn_drive){A.d, E.d, E.v - A.v - dt * ((1 - theta) * A.d + theta * E.d)};
        x->moreau->lag |= fabs(x->moreau->drive[i].rest) > JN_DRIVER_LAG;
    }
}

void jn_drivers_aim(jn_sim *sim, double part) {
    const jn_model *m = sim->m;
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < m->row_count && m->driver_count; i++) {
        const jn_driver *d = driver_of(m, i);
        if (d)
            sim->w->phi_rate[i] =
                sim->w->speed[d->handle] - (part * x->moreau->drive[i].end + (1 - part) * x->moreau->drive[i].start);
    }
}

void jn_drivers_book(jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < m->row_count && m->driver_count; i++)
        if (driver_of(m, i))
            sim->s->ledger.driven += 0.5 * x->impulse[i] * (x->moreau->drive[i].start + x->moreau->drive[i].end);
}

void jn_drivers_book_impulse(jn_sim *sim, const double *impulse) {
    const jn_model *m = sim->m;
    for (int i = 0; i < m->row_count && m->driver_count; i++)
        if (driver_of(m, i)) sim->s->ledger.driven += impulse[i] * sim->nonsmooth->moreau->drive[i].end;
}

/* With the factors at the configuration of the end. */
int jn_drivers_meet(jn_sim *sim, double *velocity) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    jn_nonsmooth *x = sim->nonsmooth;
    if (m->row_count == 0) return JN_OK;
    jn_rows_multiply(m, w, velocity, w->row_rhs);
    for (int i = 0; i < m->row_count; i++)
        w->row_rhs[i] = (driver_of(m, i) ? x->moreau->drive[i].end : 0) - w->row_rhs[i];
    int status = jn_kkt_solve(m, w, NULL, w->row_rhs, x->free, w->lambda);
    for (int i = 0; i < m->nv; i++) velocity[i] += x->free[i];
    if (status < 0) return status;
    jn_drivers_book_impulse(sim, w->lambda);
    jn_audit_give(sim, wr_add(jn_external_rows(m, w, w->lambda), jn_external_inertia(m, w, x->free)));
    return JN_OK;
}

/* [J] gravity and springs, at the state. */
static double potential(jn_sim *sim) {
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_measure_all(sim->m, sim->w, sim->s);
    jn_forces(sim->m, sim->w, sim->s);
    jn_energy e = jn_energy_get(sim->m, sim->w);
    return e.potential + e.elastic;
}

/* The impulses of the projection of the velocities, G (u - x->moreau->iterate) = G M^-1 G^T Lambda, at the drivers' final speeds. The
 * factors are those of the projection. */
static int book_projection(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    double most = 0;
    for (int i = 0; i < m->nv; i++) {
        x->free[i] = sim->s->u[i] - x->moreau->iterate[i];
        most = jn_fmax(most, fabs(x->free[i]));
    }
    if (!(most > 0)) return JN_OK;
    jn_rows_multiply(m, sim->w, x->free, sim->w->row_rhs);
    int status = jn_kkt_solve(m, sim->w, NULL, sim->w->row_rhs, x->free, sim->w->lambda);
    if (status >= 0) jn_drivers_book_impulse(sim, sim->w->lambda);
    return status;
}

int jn_drivers_settle(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    if (m->driver_count == 0 || !jn_run_projects(&m->run)) return jn_settle(sim);
    double before = x->moreau->lag ? potential(sim) : 0, driven = sim->s->ledger.driven;
    memcpy(x->moreau->iterate, sim->s->u, (size_t)m->nv * sizeof *x->moreau->iterate);
    int status = jn_settle(sim);
    if (status >= 0) status = book_projection(sim);
    if (status >= 0 && x->moreau->lag) sim->s->ledger.driven += potential(sim) - before;
    jn_audit_explain(sim, sim->s->ledger.driven - driven);
    return status;
}
