/* Work of stiff elements in a step of the leapfrog. */
#include "step/nonsmooth/stiff/stiff.h"

/* Impulse of a row beside that of its forces, which are those of the rate v: of dampers and motors, with the rates u_A and u of the segments before and
 * after the node. What the rows of the step have, B u - A u_A - V v (stiff_system.c). */
static double other_impulse(const jn_stiff_row *row, double u_A, double v, double u) {
    double damper = row->c * (row->late_c ? 2 * (v - u) : 2 * v - u_A - u);
    return damper + (row->late_k   ? -4 * row->k_motor * u
                     : row->starts ? -2 * row->k_motor * u
                                   : row->k_motor * (u_A - u));
}

/* Rates of a row that the half of the forces at a node works on, which a state shows: before the node, of the last segment, of the forces, shown, the same without what
 * springs add, and of what falls. */
typedef struct half_rates {
    double minus, last, forces, shown, plain, fall;
} half_rates;

/* The same for that half. */
static double other_half_impulse(const jn_stiff_row *row, half_rates u) {
    double more = u.plain - u.minus;
    double damper = row->late_c ? u.forces - u.minus - 2 * more : u.forces - 0.5 * (u.minus + u.last) - more;
    double motor = row->late_k ? -2 * u.minus - 4 * more : 0.5 * (u.last - u.minus) - more;
    return row->c * damper + row->k_motor * motor;
}

/* [J] work of a spring that acts late at a node, and half of what it has stored from the node before to the node after it: energy is lost. */
static double late_work(const jn_stiff_row *row, double u_A, double u) {
    return !row->late_k ? 0 : row->starts ? -2 * row->k * u * u_A : -row->k * (u + u_A) * (u + u_A);
}

static void book_work(const jn_stiff_item *item, double work, jn_ledger *l) {
    if (item->motor)
        l->driven += work;
    else
        l->dissipated -= work;
}

/* Rates of a row: of the last segment, of the forces, of this segment, and of what falls. */
typedef struct rates {
    double old, forces, now, fall;
} rates;

/* What elements have done: work beside that of their forces, and of springs that act late. */
typedef struct deeds {
    double work, late, damping;
} deeds;

static inline deeds row_deeds(const jn_stiff_row *row, rates u) {
    double mean = 0.5 * (u.old + u.now + u.fall);
    if (row->c + row->k + row->k_motor == 0) return (deeds){0, 0, 0};
    return (deeds){other_impulse(row, u.old, u.forces, u.now) * mean, late_work(row, u.old, u.now), row->c};
}

void jn_stiff_book(jn_sim *sim, const double *u_A, const double *v, const double *u, const double *fall) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    jn_ledger *l = &sim->s->ledger;
    for (int i = 0, items = jn_stiff_on(sim) ? x->items : 0; i < items; i++) {
        const jn_stiff_item *item = &x->item[i];
        deeds sum = {0, 0, 0};
        if (item->diagonal) {
            int k = item->velocity;
            sum = row_deeds(&item->row[0], (rates){u_A[k], v[k], u[k], fall[k]});
        }
        for (int r = 0; !item->diagonal && r < jn_stiff_rows_of(sim->m, item->kind); r++) {
            rates all = {jn_stiff_rate(sim, item, r, u_A), jn_stiff_rate(sim, item, r, v),
                         jn_stiff_rate(sim, item, r, u), jn_stiff_rate(sim, item, r, fall)};
            deeds own = row_deeds(&item->row[r], all);
            sum.work += own.work, sum.late += own.late, sum.damping += own.damping;
        }
        book_work(item, sum.work, l);
        if (sum.damping > 0) /* the damper would have taken it by the end of the step */
            l->dissipated -= sum.late;
        else
            l->numerical += sum.late, l->numerical_size += fabs(sum.late);
    }
}

static inline bool acts_half(const jn_stiff_row *row) { return row->c + row->k_motor != 0; }

static inline double half_work(const jn_stiff_row *row, half_rates u) {
    return acts_half(row) ? other_half_impulse(row, u) * (0.5 * (u.minus + u.fall + u.shown)) : 0;
}

void jn_stiff_book_half(const jn_sim *sim, const double *minus, const double *last, const double *v, const double *plain,
                        const double *fall, const double *shown, jn_ledger *l) {
    const jn_stiff *x = sim->nonsmooth->stiff;
    for (int i = 0, items = jn_stiff_on(sim) ? x->items : 0; i < items; i++) {
        const jn_stiff_item *item = &x->item[i];
        double work = 0;
        if (item->diagonal) {
            int k = item->velocity;
            work += half_work(&item->row[0], (half_rates){minus[k], last[k], v[k], shown[k], plain[k], fall[k]});
        }
        for (int r = 0; !item->diagonal && r < jn_stiff_rows_of(sim->m, item->kind); r++) {
            if (!acts_half(&item->row[r])) continue;
            half_rates all = {jn_stiff_rate(sim, item, r, minus), jn_stiff_rate(sim, item, r, last),
                              jn_stiff_rate(sim, item, r, v),     jn_stiff_rate(sim, item, r, shown),
                              jn_stiff_rate(sim, item, r, plain), jn_stiff_rate(sim, item, r, fall)};
            work += half_work(&item->row[r], all);
        }
        book_work(item, work, l);
    }
}
