/* Work of stiff elements in a step of the leapfrog. */
#include "step/nonsmooth/stiff/stiff.h"

/* Impulse of a row beside that of its forces at the mean velocity: of dampers and motors, with the rates u_A and u of the segments before and after the
 * node. */
static double other_impulse(const jn_stiff_row *row, double u_A, double u) {
    double damper = row->late_c ? row->c * (u_A - u) : 0;
    return damper + (row->late_k   ? -4 * row->k_motor * u
                     : row->starts ? -2 * row->k_motor * u
                                   : row->k_motor * (u_A - u));
}

/* The same for the half of the forces that a state shows: the rates are those before the node, of the last segment, shown, and that on which it works. */
static double other_half_impulse(const jn_stiff_row *row, double minus, double last, double shown, double mean) {
    double more = shown - minus;
    double damper = row->late_c ? -minus - 2 * more : -0.5 * (minus + last) - more;
    double motor = row->late_k ? -2 * minus - 4 * more : 0.5 * (last - minus) - more;
    return row->c * (damper + mean) + row->k_motor * motor;
}

/* [J] work of a spring that acts late at a node, and half of what it has stored from the node before to the node after it: energy is lost. */
static double late_work(const jn_stiff_row *row, double u_A, double u) {
    return !row->late_k ? 0 : row->starts ? -2 * row->k * u * u_A : -row->k * (u + u_A) * (u + u_A);
}

/* [N s] or [N m s] what actuators with a range give at a node, or in half of its time, beside the forces that they have at another speed:
 * rows account for them as if these were linear. */
static double unbounded_impulse(const jn_sim *sim, const jn_stiff_item *item, double v) {
    if (!item->bounded) return 0;
    double force = jn_drive_at(sim->m, sim->w, sim->s, sim->m->actuators[item->index].handle, item->drive.x, v);
    return item->drive.time * (item->drive.force + item->drive.slope * (v - item->drive.v) - force);
}

static void book_work(const jn_stiff_item *item, double work, jn_ledger *l) {
    if (item->motor)
        l->driven += work;
    else
        l->dissipated -= work;
}

void jn_stiff_book(jn_sim *sim, const double *u_A, const double *u, const double *fall) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    jn_ledger *l = &sim->s->ledger;
    for (int i = 0; jn_stiff_on(sim) && i < x->items; i++) {
        const jn_stiff_item *item = &x->item[i];
        double work = 0, late = 0, damping = 0;
        for (int r = 0; r < jn_stiff_rows_of(sim->m, item->kind); r++) {
            const jn_stiff_row *row = &item->row[r];
            if (row->c + row->k + row->k_motor == 0) continue;
            double old = jn_stiff_rate(sim, item, r, u_A), now = jn_stiff_rate(sim, item, r, u);
            double more = 0.5 * jn_stiff_rate(sim, item, r, fall), mean = 0.5 * (old + now) + more;
            work += (other_impulse(row, old, now) + 2 * row->c * more + 2 * unbounded_impulse(sim, item, mean)) * mean;
            late += late_work(row, old, now), damping += row->c;
        }
        book_work(item, work, l);
        if (damping > 0) /* the damper would have taken it by the end of the step */
            l->dissipated -= late;
        else
            l->numerical += late, l->numerical_size += fabs(late);
    }
}

void jn_stiff_book_half(const jn_sim *sim, const double *minus, const double *last, const double *plain,
                        const double *fall, const double *shown, jn_ledger *l) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    for (int i = 0; jn_stiff_on(sim) && i < x->items; i++) {
        const jn_stiff_item *item = &x->item[i];
        double work = 0;
        for (int r = 0; r < jn_stiff_rows_of(sim->m, item->kind); r++) {
            if (item->row[r].c + item->row[r].k_motor == 0) continue;
            double m = jn_stiff_rate(sim, item, r, minus), s = jn_stiff_rate(sim, item, r, shown),
                   w = jn_stiff_rate(sim, item, r, plain);
            double g = jn_stiff_rate(sim, item, r, fall), mean = 0.5 * (m + g + s);
            double other =
                other_half_impulse(&item->row[r], m, jn_stiff_rate(sim, item, r, last), w, 0.5 * (m + g + w));
            work += (other + unbounded_impulse(sim, item, mean)) * mean;
        }
        book_work(item, work, l);
    }
}
