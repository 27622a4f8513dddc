/* Rows of contacts between a tree and the ground, of stops and of dry friction: their velocities are one path to the ground, so that rows stand by depth, and the
 * ancestors of a velocity are all that stand before it. See contact_rows.c. */
#include "step/contact_set/contact_rows.h"

#include <string.h>

/* Rows H of `wide` contacts at points of a link; `row` has as many as velocities are on its path. */
JN_ROWS_INLINE void scatter_path(const jn_sim *sim, const jn_contact_point *h, int link, int count, double (*row)[8],
                                 const int wide) {
    const jn_link *links = sim->m->links;
    const jn_work *w = sim->w;
    jn_contact_axes along[2];
    jn_vec3 point[2];
    for (int n = 0; n < wide; n++) {
        along[n] = jn_contact_axes_of(&sim->nonsmooth->set, h + n), point[n] = jn_contact_point_place(h + n);
        if (h->link[0]) along[n] = jn_contact_axes_against(along[n]);
    }
    row += count;
    for (int i = link; i > 0; i = links[i].parent) {
        const jn_link *l = &links[i];
        const jn_twist *S = w->S + l->v;
        const jn_vec3 O = w->link[i].O;
        row -= l->nv;
        for (int n = 0; n < wide; n++) jn_rows_add_joint(&along[n], l, S, v3_sub(point[n], O), row, 4 * n);
    }
}

/* row = D^-1/2 L^-T row, `six` of whose velocities, the first ones, stay in registers. O(count^2). */
JN_ROWS_INLINE void leave_path(const jn_sim *sim, const int *dof, int count, double (*row)[8], const int six,
                               const int wide) {
    const jn_tree_factor of = jn_tree_factor_of(sim);
    jn_four own[JN_M_SIX], more[JN_M_SIX];
    for (int a = 0; a < six; a++) own[a] = JN_FOUR_OF(row[a]), more[a] = JN_FOUR_OF(row[a] + 4);
    for (int i = count - 1; i >= six; i--) {
        const double *L = of.M + of.row[dof[i]].start, root = of.inverse_root[dof[i]];
        jn_four now = JN_FOUR_OF(row[i]), other = JN_FOUR_OF(row[i] + 4);
        for (int a = 0; a < six; a++) {
            own[a] -= L[a] * now;
            if (wide == 2) more[a] -= L[a] * other;
        }
        for (int a = six; a < i; a++) {
            const double by = L[a];
            JN_FOUR(row[a]) -= by * now;
            if (wide == 2) JN_FOUR(row[a] + 4) -= by * other;
        }
        JN_FOUR(row[i]) = now * root;
        if (wide == 2) JN_FOUR(row[i] + 4) = other * root;
    }
    if (six) jn_rows_leave_six(&of, dof[0], own, more, row, wide);
}

/* Rows of one contact, those from `first` on, to where the set has them; clear: they are zero then. Of three directions four numbers at a time: the next entry
 * overwrites the last of them. */
JN_ROWS_INLINE void copy_some(double (*row)[8], int count, int first, double *out, const bool clear, const int d) {
    for (int k = 0; k < count; k++) {
        double *own = row[k] + first;
        if (d == 3) JN_FOUR(out + 3 * k) = JN_FOUR_OF(own);
        for (int r = 0; r < d && d < 3; r++) out[k * d + r] = own[r];
        if (clear) JN_FOUR(own) = (jn_four){0};
    }
}

JN_ROWS_INLINE void copy_rows(double (*row)[8], int count, int first, int d, double *out, const bool clear) {
    switch (d) { /* loops of constant length */
    case 1: copy_some(row, count, first, out, clear, 1); break;
    case 2: copy_some(row, count, first, out, clear, 2); break;
    default: copy_some(row, count, first, out, clear, 3);
    }
}

/* All rows of contact i, and of the next one, from those of H in set->rows, which are zero then. */
JN_ROWS_INLINE void fill_rows(const jn_sim *sim, int i, jn_contact_side s, const int wide) {
    jn_contact_set *set = &sim->nonsmooth->set;
    double(*row)[8] = set->rows;
    int at = set->start[i], d = set->dimension, count = s.count;
    for (int n = 0; n < wide; n++) {
        for (int k = 0; k < count; k++) set->dof_of[at + n * count + k] = s.dof[k];
        copy_rows(row, count, 4 * n, d, set->H + (at + n * count) * d, false);
    }
    if (sim->m->links[sim->m->dof_link[s.dof[0]]].nv == JN_M_SIX)
        leave_path(sim, s.dof, count, row, JN_M_SIX, wide);
    else
        leave_path(sim, s.dof, count, row, 0, wide);
    for (int n = 0; n < wide; n++) {
        copy_rows(row, count, 4 * n, d, set->Y + (at + n * count) * d, true);
        set->from[i + n] = at + n * count, set->start[i + n + 1] = at + (n + 1) * count;
    }
    if (set->V != set->Y) memcpy(set->V + at * d, set->Y + at * d, (size_t)(wide * count * d) * sizeof *set->V);
}

static void fill_one(const jn_sim *sim, int i, jn_contact_side s) { fill_rows(sim, i, s, 1); }
static void fill_both(const jn_sim *sim, int i, jn_contact_side s) { fill_rows(sim, i, s, 2); }

/* Of points of a link that touches the ground: of one contact, or of it and the next. How many. */
static int fill_on_ground(jn_sim *sim, const jn_contact_point *h, int i, int link) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int group = x->groups.of[link];
    if (!jn_group_has_paths(&x->groups.group[group])) return 0;
    jn_contact_side s = jn_path_of_link(sim, group, link);
    if (s.count == 0) return 0;
    if (jn_contact_goes_with_next(sim, i)) {
        scatter_path(sim, h, link, s.count, x->set.rows, 2);
        fill_both(sim, i, s);
        return 2;
    }
    scatter_path(sim, h, link, s.count, x->set.rows, 1);
    fill_one(sim, i, s);
    return 1;
}

/* Rows of contact i, which are zero but for row r: `value` at the last velocity of its path in H. Those before it are left by fours, as rows of L have them. */
static void fill_single_row(const jn_sim *sim, int i, jn_contact_side s, int r, double value) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_tree_factor of = jn_tree_factor_of(sim);
    int at = set->start[i], d = set->dimension, last = s.count - 1;
    double *H = set->H + at * d, *Y = set->Y + at * d, *row = (double *)(void *)set->rows; /* the memory of all rows as one */
    size_t size = (size_t)(s.count * d) * sizeof *H;
    memset(H, 0, size), memset(Y, 0, size);
    H[last * d + r] = row[last] = value;
    for (int k = last; k >= 0; k--) {
        const double *L = of.M + of.row[s.dof[k]].start, now = row[k];
        for (int a = 0; a < k; a += JN_M_LANES) JN_FOUR(row + a) -= JN_FOUR_OF(L + a) * now;
        Y[k * d + r] = now * of.inverse_root[s.dof[k]];
        set->dof_of[at + k] = s.dof[k];
    }
    if (set->V != set->Y) memcpy(set->V + at * d, Y, size);
    for (int k = 0; k < s.count; k += JN_M_LANES) JN_FOUR(row + k) = (jn_four){0};
    set->from[i] = at + last;
}

/* Of a stop, along the normal, or of dry friction, along the first tangent, of a velocity of the tree. */
static int fill_coordinate(jn_sim *sim, const jn_contact_point *h, int i) {
    jn_nonsmooth *x = sim->nonsmooth;
    int k = jn_contact_point_velocity(sim, h), dry = jn_dry_is(sim->m, h);
    if (k < 0 || !jn_group_has_paths(&x->groups.group[x->groups.of[sim->m->dof_link[k]]])) return 0;
    jn_contact_side s = jn_path_of(sim, x->groups.of[sim->m->dof_link[k]], k);
    fill_single_row(sim, i, s, dry, jn_contact_point_sign(h));
    x->set.start[i + 1] = x->set.start[i] + s.count + dry; /* dry friction has a velocity of its own */
    return 1;
}

int jn_contact_fill_path(jn_sim *sim, int i) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    int A = h->link[0], B = h->link[1];
    if (!jn_pair_is(sim->m, h)) return fill_coordinate(sim, h, i);
    return A == B || (A && B) ? 0 : fill_on_ground(sim, h, i, A ? A : B);
}
