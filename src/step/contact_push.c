/* Positions of closed contacts: of all displacements that leave no penetration the one of least kinetic norm,
 *
 *     M dq = W_N P,   0 <= g_N + W_N^T dq   orthogonal to   P >= 0        [Acary2013, projection of the positions]
 *
 * which is a contact problem without friction, with gaps in place of velocities. Stiff elements weigh with M: they move as a whole. Lifting by a depth d needs an energy that the
 * body had won by falling so deep. An impact that returns e^2 of the energy has dissipated 1 - e^2 of what was won, which is
 * booked back; the rest is taken out of the motion, against the displacement. So no step gains energy by it. A body that has come to
 * rest deeper at one corner than at another may have nothing left to pay with: least norm lifts it. It is laid down instead, by a
 * displacement that its weight takes part in, M dq = s f + W_N P, which frees energy. */
#include "step/nonsmooth.h"

#include <string.h>

#define FALLS 2 /* times the depth: how far a body that is laid down may sink on the other side */
enum { MAX_PUSHES = 20 };

jn_energy jn_positions_energies(jn_sim *sim) {
    jn_forces(sim->m, sim->w, sim->s);
    return jn_energy_get(sim->m, sim->w);
}

static double potential(jn_sim *sim) {
    jn_energy e = jn_positions_energies(sim);
    return e.potential + e.elastic;
}

/* Poses and velocities of the state, and rows of constraints there; placed: the work space has the poses. */
void jn_positions_locate(jn_sim *sim, bool placed) {
    const jn_model *m = sim->m;
    if (placed)
        jn_velocities(m, sim->w, sim->s);
    else
        jn_kinematics(m, sim->w, sim->s);
    if (m->row_count + m->actuator_count + m->signal_count + m->stop_count) jn_measure_all(m, sim->w, sim->s);
    if (m->row_count) jn_constraint_rows(m, sim->w, sim->s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
}

/* Smallest gap; the scan stands at the state. */
static double deepest(const jn_sim *sim) {
    double gap = jn_stops_deepest(sim);
    const jn_touch *touch = jn_scan_touch(sim->contacts->scan, 0);
    for (int k = 0, n = jn_scan_touches(sim->contacts->scan); k < n; k++) gap = touch[k].gap < gap ? touch[k].gap : gap;
    return gap;
}

/* [m] how far the displacement x->free moves some body. */
static double largest_way(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    double most = 1e-300;
    jn_velocities_of(sim->m, sim->w, x->free, x->start_V);
    for (int i = 1; i < sim->m->link_count; i++) most = fmax(most, v3_norm(x->start_V[i].v));
    return most;
}

/* Marked, and free to be slower. */
static bool is_slowed(const jn_sim *sim, int link) {
    const jn_group *g = &sim->nonsmooth->group[sim->nonsmooth->group_of[link]];
    return g->won && !g->driven;
}

/* Weight of the marked bodies into x->kick, so large that without contacts it moves them by `way`, x->free. */
static int let_fall(jn_sim *sim, double way) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    memset(x->kick, 0, (size_t)m->nv * sizeof *x->kick);
    for (int i = 1; i < m->link_count; i++) {
        jn_vec3 weight = v3_scale(m->links[i].mass, m->gravity);
        if (is_slowed(sim, i))
            jn_load_scatter(sim, i, (jn_wrench){v3_cross(sim->w->link[i].c, weight), weight}, x->kick);
    }
    int status = jn_system_solve(sim, x->kick, NULL, x->free, x->impulse);
    double scale = status < 0 ? 0 : way / largest_way(sim);
    for (int i = 0; i < m->nv; i++) x->kick[i] *= scale, x->free[i] *= scale;
    return status;
}

/* Displacement into x->free, from the gaps of all contacts that it could close. way: by which the marked bodies may fall. */
static int find_push(jn_sim *sim, double depth, double way) {
    jn_nonsmooth *x = sim->nonsmooth;
    int status = jn_contact_set_choose(sim, &(jn_closed){.slack = depth + way, .hold = depth + way});
    x->dimension = 1;
    if (status >= 0) status = jn_system_factor(sim, sim->m->run.theta * sim->m->run.step);
    memset(x->free, 0, (size_t)sim->m->nv * sizeof *x->free);
    memset(x->kick, 0, (size_t)sim->m->nv * sizeof *x->kick);
    if (status >= 0 && way > 0) status = let_fall(sim, way);
    if (status >= 0) status = jn_contact_set_rows(sim);
    if (status < 0) return status;
    double size = 0;
    jn_contact_set_multiply(x, x->free, x->q);
    for (int i = 0; i < x->count; i++) {
        x->q[i] += x->held[i].gap, x->p[i] = 0, x->mu[i] = 0;
        size = hypot(size, x->q[i]);
    }
    x->loose =
        fmax(jn_contact_set_residual(sim), 0.05 * sim->m->run.penetration / size); /* well below what is allowed */
    status = jn_contact_set_solve(sim);
    x->loose = 0;
    if (status < 0) return status;
    if (sim->m->row_count == 0) {
        jn_contact_set_kick(sim, x->p, x->free);
    } else { /* with what joints and drivers do */
        jn_contact_set_force(x, x->p, x->kick);
        status = jn_system_solve(sim, x->kick, NULL, x->free, x->impulse);
        if (status < 0) return status;
    }
    double factor = fmin(1, 4 * depth / largest_way(sim)); /* bodies that jam would be thrown far aside */
    for (int i = 0; i < sim->m->nv; i++) x->free[i] *= factor;
    for (int i = 0; i < x->count; i++) x->p[i] *= factor;
    for (int i = 0; i < sim->m->row_count; i++) x->impulse[i] *= factor;
    return JN_OK;
}

/* Takes `energy` out of the motion along the displacement dq, to or fro, as far as there is some: u -= alpha dq. A body that has
 * come too deep is slowed to the speed that it had at the surface. Returns what is left. */
static double brake(jn_sim *sim, double energy) {
    jn_nonsmooth *x = sim->nonsmooth;
    double a = 0, b = 0; /* u^T M dq, dq^T M dq */
    jn_contact_set_multiply(x, sim->s->u, x->u);
    jn_contact_set_multiply(x, x->free, x->before);
    for (int i = 0; i < x->count; i++) a += x->p[i] * x->u[i], b += x->p[i] * x->before[i];
    a -= jn_stiff_product(sim, sim->s->u, x->free), b -= jn_stiff_product(sim, x->free, x->free);
    if (a == 0 || !(b > 0)) return energy;
    double alpha = 2 * energy / (a + copysign(sqrt(fmax(0, a * a - 2 * b * energy)), a));
    if (a * a < 2 * b * energy) alpha = a / b;
    for (int i = 0; i < sim->m->nv; i++) sim->s->u[i] -= alpha * x->free[i];
    for (int i = 0; i < sim->m->row_count; i++) x->impulse[i] *= -alpha;
    jn_drivers_book_kick(sim, x->impulse);
    return energy - alpha * (a - 0.5 * alpha * b);
}

void jn_contact_forget(jn_sim *sim) {
    for (int g = 0; g < sim->m->link_count; g++) sim->nonsmooth->group[g].won = false;
}

void jn_contact_mark(jn_sim *sim, int contact) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_held *h = &x->held[contact];
    if (!jn_touch_is(sim->m, h)) {
        x->group[jn_held_group(sim, h)].won = true;
        return;
    }
    int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
    if (A) x->group[x->group_of[A]].won = true;
    if (B) x->group[x->group_of[B]].won = true;
}

/* Takes `energy` out of the marked groups by slowing them down in proportion, so that contacts that stick or rest stay so.
 * Returns what is left. The work space has the poses of the state. */
double jn_contact_slow_down(jn_sim *sim, double energy) {
    const jn_model *m = sim->m;
    double moving = 0;
    sim->nonsmooth->measured = false;
    jn_velocities(m, sim->w, sim->s);
    for (int i = 1; i < m->link_count; i++)
        if (is_slowed(sim, i)) moving += jn_link_kinetic(sim, i);
    double taken = fmin(energy, moving);
    if (!(moving > 0)) return energy;
    double scale = sqrt(fmax(0, 1 - taken / moving));
    for (int k = 0; k < m->nv; k++)
        if (is_slowed(sim, m->dof_link[k])) sim->s->u[k] *= scale;
    return energy - taken;
}

/* Moves along the displacement; the work space follows. */
void jn_positions_move(jn_sim *sim, double factor) {
    const jn_model *m = sim->m;
    sim->nonsmooth->measured = false;
    jn_q_advance(m, sim->s->q, sim->nonsmooth->free, factor);
    if (sim->has_quaternions) jn_q_normalise(m, sim->s->q);
    jn_kinematics(m, sim->w, sim->s);
    if (m->row_count + m->actuator_count + m->signal_count + m->stop_count) jn_measure_all(m, sim->w, sim->s);
}

/* The way of the marked groups in a step, into x->free as a velocity. */
static void recall_way(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int k = 0; k < sim->m->nv; k++) x->free[k] = is_slowed(sim, sim->m->dof_link[k]) ? x->at->u[k] : 0;
}

/* Bodies that rose or slid uphill and that a contact stops within the step have come too far: positions follow the mean velocity to the
 * end of the step, while they would have stopped, or begun to fall back, before. They go back along their way until `energy` is taken, at most to
 * where they started. Returns what is left. */
static double go_back(jn_sim *sim, double energy, double dt) {
    double high = potential(sim), back = 0, part = 1; /* of the way */
    recall_way(sim);
    for (int n = 0; n < 3 && fabs(part - back) > 1e-9; n++) {
        jn_positions_move(sim, (back - part) * dt);
        back = part;
        double freed = high - potential(sim);
        part = freed > 0 ? fmin(1, back * energy / freed) : 0;
    }
    jn_positions_move(sim, (back - part) * dt);
    return energy - (high - potential(sim));
}

/* Marks the groups that marked ones press on, or bear. Returns whether there were some. */
static bool mark_beside(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    int marked = 0;
    for (int g = 0; g < sim->m->link_count; g++) marked -= x->group[g].won;
    for (int i = 0; i < x->count; i++) {
        const jn_held *h = &x->held[i];
        if (!(x->p[i * x->dimension] > 0) || !jn_touch_is(sim->m, h)) continue;
        int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
        if ((A && x->group[x->group_of[A]].won) || (B && x->group[x->group_of[B]].won)) jn_contact_mark(sim, i);
    }
    for (int g = 0; g < sim->m->link_count; g++) marked += x->group[g].won;
    return marked > 0;
}

/* A body that turns about a contact has a relative velocity of O(dt) there in the middle of the step, and the impulse works on
 * it. What is won by that, O(dt^2), is taken back: from the motion there, of the bodies beside, or from the way of what has stopped. */
int jn_contact_take_gain(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    if (!(x->won > 0)) return JN_OK;
    if (!x->measured) jn_kinematics(sim->m, sim->w, sim->s);
    double left = jn_contact_slow_down(sim, x->won);
    while (left > 0 && mark_beside(sim)) left = jn_contact_slow_down(sim, left);
    bool stopped = left > 0 && !sim->m->run.adapt;
    if (stopped) left = go_back(sim, left, dt);
    sim->s->ledger.dissipated += x->won - left, sim->s->ledger.friction += x->won - left;
    return stopped && sim->m->row_count ? jn_project(sim->m, sim->w, sim->s) : JN_OK;
}

/* Part of the energy of the approach that the impacts of the step have dissipated: 1 - e^2, and lost / closing = 1 - e. */
static double dissipated_part(const jn_nonsmooth *x) {
    double part = x->closing > 0 ? fmin(1, fmax(0, x->lost / x->closing)) : 1;
    return part * (2 - part);
}

/* Do drivers move a body that is marked? */
static bool drivers_push(const jn_sim *sim) {
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 1; i < sim->m->link_count; i++)
        if (x->group[x->group_of[i]].won && x->group[x->group_of[i]].driven) return true;
    return false;
}

/* The energy of a push comes from the drivers that have moved into bodies, from what the impacts of the step have dissipated,
 * then from the motion along the push, then from the rest of both; what is left, from drivers that hold a body of the push: a leg
 * that was led into the ground. A push downhill loses energy. Returns what is left to pay. */
static double pay(jn_sim *sim, double energy, double part) {
    jn_nonsmooth *x = sim->nonsmooth;
    double driven = fmin(fmax(0, energy), x->credit);
    sim->s->ledger.driven += driven, x->credit -= driven, energy -= driven;
    double booked = energy < 0 ? energy : fmin(part * energy, x->spare), left = energy - booked;
    if (left > 0) left = brake(sim, left);
    double more = fmax(0, fmin(left, x->spare - booked));
    booked += more, left -= more;
    if (left > 0) {
        jn_contact_forget(sim);
        for (int i = 0; i < x->count; i++)
            if (x->p[i] > 0) jn_contact_mark(sim, i);
        left = jn_contact_slow_down(sim, left);
        if (drivers_push(sim)) sim->s->ledger.driven += left, left = 0;
    }
    sim->s->ledger.dissipated -= booked, sim->s->ledger.damping -= booked, x->spare -= fmax(0, booked);
    return left;
}

/* With the same velocities the kinetic energy is another one where the inertia depends on the configuration: the bodies concerned
 * keep what they should have, all energies together. */
static void keep_energy(jn_sim *sim, double should) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_contact_forget(sim);
    for (int i = 0; i < x->count; i++)
        if (x->p[i] > 0) jn_contact_mark(sim, i);
    jn_velocities(sim->m, sim->w, sim->s);
    jn_energy e = jn_positions_energies(sim);
    double more = e.kinetic + e.potential + e.elastic - should;
    if (fabs(more) < 1e-2 * e.kinetic) jn_contact_slow_down(sim, more);
}

/* Whether nothing is too deep, seen from where contacts were looked for last: for bodies that hardly move. */
static bool is_shallow(jn_sim *sim) {
    double limit = sim->m->run.penetration, way = 2 * jn_scan_moved(sim->contacts->scan, sim->w);
    if (!(way < 1e-3 * limit)) return false;
    double depth = way - deepest(sim);
    if (depth > limit) return false;
    sim->audit.max_penetration = fmax(sim->audit.max_penetration, depth);
    return true;
}

/* [J] that may pay for a push. */
static double means(const jn_sim *sim, double kinetic) {
    const jn_nonsmooth *x = sim->nonsmooth;
    return kinetic + x->credit + x->spare;
}

/* A push that nothing could pay for is tried again where bodies are deeper or there is more energy: what is at rest stays at rest. */
static bool is_refused(const jn_sim *sim, double depth, double kinetic) {
    const double *past = sim->s->past;
    return depth <= 1.05 * past[JN_PAST_SUNK] && means(sim, kinetic) <= past[JN_PAST_LIFT];
}

/* Of `depth`, with `lift` missing. */
static void refuse(jn_sim *sim, double depth, double lift) {
    sim->s->past[JN_PAST_SUNK] = depth;
    sim->s->past[JN_PAST_LIFT] = lift + means(sim, jn_positions_energies(sim).kinetic);
}

/* The rest of a push that nothing can pay for: by way of falling. JN_NOT_CONVERGED: that takes energy as well, and is not done. */
static int lay_down(jn_sim *sim, double depth) {
    jn_positions_locate(sim, true);
    int status = jn_scan_update_work(sim->contacts->scan, sim->w, sim->contacts->margin);
    double energy = potential(sim);
    if (status >= 0) status = find_push(sim, depth, FALLS * depth);
    if (status < 0) return status;
    jn_positions_move(sim, 1);
    energy = potential(sim) - energy;
    if (energy > 0) {
        jn_positions_move(sim, -1);
        return JN_NOT_CONVERGED;
    }
    sim->s->ledger.dissipated -= energy, sim->s->ledger.damping -= energy;
    return JN_OK;
}

int jn_contact_push_apart(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *x = sim->nonsmooth;
    double part = dissipated_part(x);
    double limit = m->run.penetration, before = INFINITY;
    int stalls = 0;
    for (int n = 0; n < MAX_PUSHES; n++) {
        jn_positions_locate(sim, true);
        if (n == 0 && is_shallow(sim)) return JN_OK;
        int status = jn_scan_update_work(sim->contacts->scan, sim->w, sim->contacts->margin);
        double depth = -deepest(sim);
        stalls += depth > 0.9 * before; /* another feature has come to be the deepest */
        if (status >= 0 && depth <= limit) sim->s->past[JN_PAST_SUNK] = 0;
        if (status < 0 || depth <= limit || stalls > 4) break;
        before = depth;
        jn_energy before_push = jn_positions_energies(sim);
        double energy = before_push.potential + before_push.elastic, all = before_push.kinetic + energy;
        if (n == 0 && is_refused(sim, depth, before_push.kinetic)) break;
        status = find_push(sim, depth, 0);
        if (status < 0) return status;
        double account = sim->s->ledger.driven - sim->s->ledger.dissipated;
        jn_positions_move(sim, 1);
        energy = potential(sim) - energy;
        double left = pay(sim, energy, part);
        if (left > 1e-12 * fabs(energy)) { /* no energy is there to lift it all the way */
            jn_positions_move(sim, -left / energy);
            status = lay_down(sim, depth * left / energy);
            if (status < 0) return status;
            if (status == JN_NOT_CONVERGED) {
                refuse(sim, depth, left);
                break;
            }
        }
        if (m->row_count && (status = jn_project(m, sim->w, sim->s)) < 0) return status;
        keep_energy(sim, all + sim->s->ledger.driven - sim->s->ledger.dissipated - account);
    }
    jn_stiff_leave(sim);
    sim->audit.max_penetration = fmax(sim->audit.max_penetration, -deepest(sim));
    jn_energy_measure(sim);
    return JN_OK;
}
