/* Rows of the closed contacts in the velocities, and as their problem has them: W = V Y^T.
 *
 * The inertia of a tree is M = L^T D L, and L^-T reaches from a joint to its ancestors alone [Featherstone2008, 6.5]. In the
 * velocities z = D^1/2 L u its kinetic energy is |z|^2/2, a row h becomes D^-1/2 L^-T h, and that is V and Y: entries on the path
 * from the contact to the ground, no solution with M. What impulses do to u is found once for all of them, L^-1 D^-1/2 Y^T p.
 * Independent constraints G u = g leave the motions across the columns of D^-1/2 L^-T G^T: with Q an orthonormal basis of these, rows
 * become (1 - Q Q^T) D^-1/2 L^-T h, on all velocities of the group. Bodies that are free and alone keep u, as do groups that redundant
 * constraints or stiff elements tie: V = H, Y = A^-1 H^T. Contacts with one path to the ground, which are most of a robot's, are filled by contact_paths.c. */
#include "step/contact_set/contact_rows.h"

#include <string.h>

/* Rows of two contacts at one velocity; those of one are a jn_four. Unused ones are zero. */
typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));

int jn_inertia_factor(jn_sim *sim) { return sim->nonsmooth->groups.plain ? JN_OK : jn_kkt_factor(sim->m, sim->w); }

static inline void solve_alone(const jn_link *l, const jn_link_motion *B, const double *f, double *x) {
    jn_vec3 n = m3_mul_v(&B->R, s3_mul_v(&l->inverse, m3_tmul_v(&B->R, v3(f[3], f[4], f[5]))));
    for (int k = 0; k < 3; k++) x[k] = f[k] / l->mass;
    x[3] = n.x, x[4] = n.y, x[5] = n.z;
}

/* x = M^-1 f. */
typedef struct solution {
    const jn_sim *sim;
    const double *f;
    double *x;
} solution;

/* Of some links behind the ground, where all are alone. */
static void solve_some_alone(void *context, int from, int to) {
    const solution *all = context;
    for (int i = from + 1; i < to + 1; i++) {
        const jn_link *l = &all->sim->m->links[i];
        solve_alone(l, &all->sim->w->link[i], all->f + l->v, all->x + l->v);
    }
}

void jn_inertia_solve_for(jn_sim *sim, const double *f, double *x) {
    if (!sim->nonsmooth->groups.plain) {
        if (x != f) memcpy(x, f, (size_t)sim->m->nv * sizeof *x);
        jn_mass_solve(sim->m, sim->w, x);
        return;
    }
    jn_pool_range(sim->pool, sim->m->link_count - 1, JN_SHARED_LINKS, solve_some_alone, &(solution){sim, f, x});
}

double jn_inertia_mobility(jn_sim *sim, const double *row, double *moved) {
    double sum = 0;
    jn_inertia_solve_for(sim, row, moved);
    for (int k = 0; k < sim->m->nv; k++) sum += row[k] * moved[k];
    return sum;
}

void jn_load_scatter(const jn_sim *sim, int link, jn_wrench f, double *x) {
    for (int i = link; i > 0; i = sim->m->links[i].parent) {
        const jn_link *l = &sim->m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) x[k] += tw_dot(sim->w->S[k], f);
        f = wr_shift(f, sim->w->link[i].r);
    }
}

/* --------------------------------------------------------------------------------------------- bodies that are alone */

/* A body that no contact finds with others behind it: the ground, or one that is free and alone. */
static bool is_single(const jn_sim *sim, int link) {
    const jn_nonsmooth *x = sim->nonsmooth;
    const jn_group *g = &x->groups.group[x->groups.of[link]];
    return !link || (sim->m->links[link].alone && !g->tied && !g->held);
}

/* Six velocities of a single body from entry `at` on. Their axes are those of the world, so that the rows are lever arms. */
static int fill_single(jn_sim *sim, int link, jn_vec3 point, double sign, const jn_vec3 *direction, int at) {
    jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    const jn_link *l = &sim->m->links[link];
    const jn_link_motion *B = &sim->w->link[link];
    if (!link) return at;
    jn_vec3 arm = v3_sub(point, B->O);
    for (int k = 0; k < 6; k++) set->dof_of[at + k] = l->v + k;
    for (int r = 0; r < d; r++) {
        jn_vec3 f = v3_scale(sign, direction[r]), n = v3_cross(arm, f);
        jn_vec3 a = v3_scale(1 / l->mass, f), w = m3_mul_v(&B->R, s3_mul_v(&l->inverse, m3_tmul_v(&B->R, n)));
        const double h[6] = {f.x, f.y, f.z, n.x, n.y, n.z}, y[6] = {a.x, a.y, a.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; k++) set->H[(at + k) * d + r] = h[k], set->Y[(at + k) * d + r] = y[k];
    }
    return at + 6;
}

static int fill_singles(jn_sim *sim, const jn_contact_point *h, int A, int B, int at) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_vec3 direction[3] = {h->geometry.n, h->t[0], h->t[1]};
    const jn_vec3 point = jn_contact_point_place(h);
    bool first = A < B;
    int begin = at, d = set->dimension;
    for (int k = 0; k < 2; k++)
        at = first == (k == 0) ? fill_single(sim, A, point, -1, direction, at)
                               : fill_single(sim, B, point, 1, direction, at);
    if (set->V != set->H) memcpy(set->V + begin * d, set->H + begin * d, (size_t)((at - begin) * d) * sizeof *set->V);
    return at;
}

/* ------------------------------------------------------------------------------------------------------ all others */

static jn_contact_side whole_group(const jn_nonsmooth *x, int group) {
    return (jn_contact_side){group, x->groups.group[group].count, x->groups.dof + x->groups.group[group].first};
}

static jn_contact_side side_of_link(const jn_sim *sim, int link) {
    const jn_nonsmooth *x = sim->nonsmooth;
    if (!link) return (jn_contact_side){.group = -1};
    int group = x->groups.of[link];
    return jn_group_has_paths(&x->groups.group[group]) ? jn_path_of_link(sim, group, link) : whole_group(x, group);
}

static jn_contact_side side_of_coordinate(const jn_sim *sim, const jn_contact_point *h) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int group = jn_contact_point_group(sim, h), k = jn_contact_point_velocity(sim, h);
    return k >= 0 && jn_group_has_paths(&x->groups.group[group]) ? jn_path_of(sim, group, k) : whole_group(x, group);
}

static int merge(jn_contact_side a, jn_contact_side b, int *out) {
    int i = 0, j = 0, n = 0;
    if (a.count == 0 || b.count == 0) { /* as with the ground */
        jn_contact_side own = a.count ? a : b;
        for (int k = 0; k < own.count; k++) out[k] = own.dof[k];
        return own.count;
    }
    while (i < a.count || j < b.count) {
        if (j >= b.count || (i < a.count && a.dof[i] < b.dof[j]))
            out[n++] = a.dof[i++];
        else if (i >= a.count || b.dof[j] < a.dof[i])
            out[n++] = b.dof[j++];
        else
            out[n++] = a.dof[i++], j++;
    }
    return n;
}

/* What each velocity does to a point of a link, along the directions of the contact; into the rows from `first` on. */
static void scatter_point(jn_sim *sim, int link, jn_vec3 point, const jn_contact_axes *along, int first) {
    for (int i = link; i > 0; i = sim->m->links[i].parent) {
        const jn_link *l = &sim->m->links[i];
        jn_rows_add_joint(along, l, sim->w->S + l->v, v3_sub(point, sim->w->link[i].O),
                          sim->nonsmooth->set.rows + l->v, first);
    }
}

static void scatter_pair(jn_sim *sim, const jn_contact_point *h, int A, int B, int first) {
    const jn_vec3 point = jn_contact_point_place(h);
    const jn_contact_axes along = jn_contact_axes_of(&sim->nonsmooth->set, h), against = jn_contact_axes_against(along);
    scatter_point(sim, A, point, &against, first);
    scatter_point(sim, B, point, &along, first);
}

static void scatter(jn_sim *sim, const jn_contact_point *h, int A, int B, const int *dof, int count) {
    jn_nonsmooth *x = sim->nonsmooth;
    if (jn_pair_is(sim->m, h)) {
        scatter_pair(sim, h, A, B, 0);
        return;
    }
    int r = jn_dry_is(sim->m, h); /* a stop along the normal, friction along the first tangent */
    jn_contact_point_scatter(sim, h, x->row);
    for (int k = 0; k < count; k++) x->set.rows[dof[k]][r] = x->row[dof[k]], x->row[dof[k]] = 0;
}

/* row[c] -= L_ic row[i] of the ancestors c of velocity i from the `a`th on, and row[i] = D_i^-1/2 row[i]; rows of one contact, wide: of two. */
JN_ROWS_INLINE void leave_row(double (*row)[8], const jn_sim *sim, int i, int a, const int wide) {
    jn_M_row r = sim->m->M_row[i];
    const double *L = sim->w->M + r.start;
    const int *col = sim->m->M_col + r.start;
    double root = sim->nonsmooth->groups.inverse_root[i];
    jn_four now = JN_FOUR_OF(row[i]), more = JN_FOUR_OF(row[i] + 4);
    for (; a < r.depth; a++) {
        double *up = row[col[a]];
        JN_FOUR(up) -= L[a] * now;
        if (wide == 2) JN_FOUR(up + 4) -= L[a] * more;
    }
    JN_FOUR(row[i]) = now * root;
    if (wide == 2) JN_FOUR(row[i] + 4) = more * root;
}

/* Whether all velocities are of one tree that a joint leaves free. */
static bool is_free_tree(const jn_model *m, const int *dof, int count) {
    if (count <= JN_M_SIX || m->links[m->dof_link[dof[0]]].nv != JN_M_SIX) return false;
    for (int i = count - 1; i >= JN_M_SIX; i--)
        if (m->M_col[m->M_row[dof[i]].start] != dof[0]) return false;
    return true;
}

/* The same of all velocities of such a tree, of which the first six stay in registers. */
JN_ROWS_INLINE void leave_tree(double (*row)[8], const jn_sim *sim, const int *dof, int count, const int wide) {
    const jn_tree_factor of = jn_tree_factor_of(sim);
    double(*root)[8] = row + dof[0];
    jn_four own[JN_M_SIX], more[JN_M_SIX];
    for (int a = 0; a < JN_M_SIX; a++) own[a] = JN_FOUR_OF(root[a]), more[a] = JN_FOUR_OF(root[a] + 4);
    for (int i = count - 1; i >= JN_M_SIX; i--) {
        const double *L = of.M + of.row[dof[i]].start;
        jn_four now = JN_FOUR_OF(row[dof[i]]), other = JN_FOUR_OF(row[dof[i]] + 4);
        for (int a = 0; a < JN_M_SIX; a++) {
            own[a] -= L[a] * now;
            if (wide == 2) more[a] -= L[a] * other;
        }
        leave_row(row, sim, dof[i], JN_M_SIX, wide);
    }
    jn_rows_leave_six(&of, dof[0], own, more, root, wide);
}

/* x->set.rows = D^-1/2 L^-T x->set.rows on velocities with all their ancestors, ascending. O(count depth). */
JN_ROWS_INLINE void apply_root(jn_sim *sim, const int *dof, int count, const int wide) {
    double(*row)[8] = sim->nonsmooth->set.rows;
    if (is_free_tree(sim->m, dof, count)) {
        leave_tree(row, sim, dof, count, wide);
        return;
    }
    for (int i = count - 1; i >= 0; i--) leave_row(row, sim, dof[i], 0, wide);
}

/* Of one contact, and of two. */
static void apply_inverse_root(jn_sim *sim, const int *dof, int count) { apply_root(sim, dof, count, 1); }
static void apply_inverse_root_to_two(jn_sim *sim, const int *dof, int count) { apply_root(sim, dof, count, 2); }

/* row = (1 - Q Q^T) row with `width` columns of Q, from q on, which are orthonormal: their sums do not wait for each other. */
JN_ROWS_INLINE void leave_columns(lanes *row, const double *q, int nv, const int *dof, int count, const int width) {
    lanes along[4] = {{0}};
    for (int i = 0; i < count; i++)
        for (int c = 0; c < width; c++) along[c] += q[c * nv + dof[i]] * row[dof[i]];
    for (int i = 0; i < count; i++) {
        lanes now = row[dof[i]];
        for (int c = 0; c < width; c++) now -= q[c * nv + dof[i]] * along[c];
        row[dof[i]] = now;
    }
}

/* x->set.rows = (1 - Q Q^T) x->set.rows on the velocities of a group that constraints hold. O(rows count). */
static void leave_forbidden(jn_sim *sim, const int *dof, int count) {
    jn_nonsmooth *x = sim->nonsmooth;
    lanes *row = (lanes *)(void *)x->set.rows;
    int nv = sim->m->nv, rank = sim->w->qr.rank;
    for (int k = 0; k < rank; k += 4) {
        const double *q = x->groups.basis + (size_t)k * (size_t)nv;
        switch (rank - k) { /* loops of constant length */
        case 1: leave_columns(row, q, nv, dof, count, 1); break;
        case 2: leave_columns(row, q, nv, dof, count, 2); break;
        case 3: leave_columns(row, q, nv, dof, count, 3); break;
        default: leave_columns(row, q, nv, dof, count, 4);
        }
    }
}

/* Rows of one side as the problem has them; root: apply_inverse_root, or that of two contacts. */
static inline void normalise(jn_sim *sim, jn_contact_side s, void (*root)(jn_sim *, const int *, int)) {
    const jn_nonsmooth *x = sim->nonsmooth;
    if (s.group < 0 || !x->groups.group[s.group].normalised) return;
    root(sim, s.dof, s.count);
    if (x->groups.group[s.group].held) leave_forbidden(sim, s.dof, s.count);
}

static inline void copy_some(const jn_contact_set *set, const int *dof, int count, int first, double *out,
                             const int d) {
    for (int k = 0; k < count; k++)
        for (int r = 0; r < d; r++) out[k * d + r] = set->rows[dof[k]][first + r];
}

/* Four numbers at a time: the next entry overwrites the last of them, and there is room for one behind all. */
static void copy_three(const jn_contact_set *set, const int *dof, int count, int first, double *out) {
    for (int k = 0; k < count; k++)
        JN_FOUR(out + 3 * k) = JN_FOUR_OF(set->rows[dof[k]] + first);
}

/* Rows of the contact that stands from `first` on. */
static void copy_from(const jn_contact_set *set, const int *dof, int count, int first, double *out) {
    switch (set->dimension) { /* loops of constant length */
    case 1: copy_some(set, dof, count, first, out, 1); break;
    case 2: copy_some(set, dof, count, first, out, 2); break;
    default: copy_three(set, dof, count, first, out);
    }
}

static void copy_rows(const jn_contact_set *set, const int *dof, int count, double *out) {
    copy_from(set, dof, count, 0, out);
}

/* x->set.rows = A^-1 x->set.rows of a body that is free and alone. */
static void solve_single(jn_sim *sim, jn_contact_side s) {
    jn_nonsmooth *x = sim->nonsmooth;
    if (s.group < 0 || s.count == 0 || x->groups.group[s.group].tied || x->groups.group[s.group].normalised) return;
    int link = sim->m->dof_link[s.dof[0]];
    for (int r = 0; r < x->set.dimension; r++) {
        double f[6];
        for (int k = 0; k < 6; k++) f[k] = x->set.rows[s.dof[k]][r];
        solve_alone(&sim->m->links[link], &sim->w->link[link], f, f);
        for (int k = 0; k < 6; k++) x->set.rows[s.dof[k]][r] = f[k];
    }
}

static bool is_normalised(const jn_nonsmooth *x, jn_contact_side s) {
    return s.group >= 0 && x->groups.group[s.group].normalised;
}

static void clear_rows(const jn_contact_set *set, const int *dof, int count) {
    for (int k = 0; k < count; k++) memset(set->rows[dof[k]], 0, sizeof set->rows[0]);
}

bool jn_contact_goes_with_next(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_contact_point *h = &set->point[i];
    if (i + 1 >= set->count - set->dry || !jn_pair_is(sim->m, h) || !jn_pair_is(sim->m, h + 1)) return false;
    return h->link[0] == h[1].link[0] && h->link[1] == h[1].link[1] && set->start[i] + 2 * set->widest <= set->entries;
}

/* Rows of such two contacts at once, which have the same velocities: where nothing but the trees holds these. Returns how many it filled: 0 elsewhere. */
static int fill_two(jn_sim *sim, int i) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_contact_set *set = &x->set;
    const jn_contact_point *h = &set->point[i];
    if (!jn_contact_goes_with_next(sim, i)) return 0;
    int A = h->link[0], B = h->link[1], d = set->dimension, at = set->start[i];
    jn_contact_side a = side_of_link(sim, A), b = side_of_link(sim, B);
    if ((a.group >= 0 && !is_normalised(x, a)) || (b.group >= 0 && !is_normalised(x, b))) return 0;
    int *dof = set->dof_of + at, count = merge(a, b, dof), next = at + count;
    memcpy(dof + count, dof, (size_t)count * sizeof *dof);
    for (int k = 0; k < 2; k++) scatter_pair(sim, h + k, A, B, 4 * k);
    for (int k = 0; k < 2; k++) copy_from(set, dof, count, 4 * k, set->H + (k ? next : at) * d);
    if (a.group == b.group) a = (jn_contact_side){b.group, count, dof}, b = (jn_contact_side){.group = -1};
    normalise(sim, a, apply_inverse_root_to_two), normalise(sim, b, apply_inverse_root_to_two);
    for (int k = 0; k < 2; k++) copy_from(set, dof, count, 4 * k, set->Y + (k ? next : at) * d);
    if (set->V != set->Y) memcpy(set->V + at * d, set->Y + at * d, (size_t)(2 * count * d) * sizeof *set->V);
    clear_rows(set, dof, count);
    set->start[i + 1] = next, set->start[i + 2] = next + count;
    return 2;
}

/* One contact: rows along n and the tangents. Where bodies are free and alone, their six velocities are all there is. Returns the end of its entries. */
static int fill_contact(jn_sim *sim, int i) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    const jn_contact_point *h = &x->set.point[i];
    bool pair = jn_pair_is(m, h);
    int A = h->link[0], B = h->link[1], d = x->set.dimension, at = x->set.start[i]; /* of a coordinate: the ground */
    if (A != B && is_single(sim, A) && is_single(sim, B)) return fill_singles(sim, h, A, B, at);
    jn_contact_side a = side_of_link(sim, A), b = pair ? side_of_link(sim, B) : side_of_coordinate(sim, h);
    int *dof = x->set.dof_of + at, count = merge(a, b, dof);
    scatter(sim, h, A, B, dof, count);
    copy_rows(&x->set, dof, count, x->set.H + at * d);
    if (a.group == b.group) a = (jn_contact_side){b.group, count, dof}, b = (jn_contact_side){.group = -1};
    normalise(sim, a, apply_inverse_root), normalise(sim, b, apply_inverse_root);
    if (x->set.V != x->set.H && x->set.V != x->set.Y) copy_rows(&x->set, dof, count, x->set.V + at * d);
    solve_single(sim, a), solve_single(sim, b);
    copy_rows(&x->set, dof, count, x->set.Y + at * d);
    clear_rows(&x->set, dof, count);
    return at + count + (i >= x->set.count - x->set.dry); /* dry friction has a velocity of its own */
}

/* Fills the rows of contact i, and of the next one where both are filled at once; set->start of those behind. Returns how many. */
static int fill_some(jn_sim *sim, int i) {
    jn_contact_set *set = &sim->nonsmooth->set;
    int filled = jn_contact_fill_path(sim, i);
    if (filled) return filled;
    filled = fill_two(sim, i);
    if (!filled) filled = 1, set->start[i + 1] = fill_contact(sim, i);
    for (int n = i; n < i + filled; n++) set->from[n] = set->start[n];
    return filled;
}

/* f (nv) = row r of Y of a contact on the velocities of groups that are tied; or, back, that row from f. Whether there is one. */
static bool exchange_tied(const jn_sim *sim, int i, int r, double *f, bool back) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int d = x->set.dimension;
    bool any = false;
    for (int k = x->set.start[i], end = jn_contact_set_end(&x->set, i); k < end; k++) {
        int v = x->set.dof_of[k];
        double *own = &x->set.Y[k * d + r];
        if (!x->groups.group[x->groups.of[sim->m->dof_link[v]]].tied) continue;
        any |= *own != 0;
        if (back)
            *own = f[v];
        else
            f[v] = *own;
    }
    return any;
}

/* Y = A^-1 Y of groups that are tied, on the motions that the constraints allow: as many rows at a time as there are lanes, whichever contacts they are of. */
static int solve_tied(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    int nv = sim->m->nv, d = x->set.dimension, rows = x->set.count * d, of[JN_KKT_LANES], count = 0, status = JN_OK;
    double *f = x->some, *solved = f + JN_KKT_LANES * nv;
    for (int k = 0; k < rows && status >= 0 && x->groups.any_tied; k++) {
        memset(f + count * nv, 0, (size_t)nv * sizeof *f);
        if (exchange_tied(sim, k / d, k % d, f + count * nv, false)) of[count++] = k;
        if (count < JN_KKT_LANES && (k + 1 < rows || count == 0)) continue;
        status = jn_system_solve_some(sim, count, f, solved);
        for (int n = 0; n < count; n++) exchange_tied(sim, of[n] / d, of[n] % d, solved + n * nv, true);
        count = 0;
    }
    return status;
}

/* Velocities of surfaces that move by themselves, along the tangents. */
static void take_surfaces(jn_contact_set *set, const jn_sim *sim) {
    int d = set->dimension;
    memset(set->surface, 0, (size_t)(set->count * d) * sizeof *set->surface);
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (!jn_pair_is(sim->m, h)) continue;
        jn_vec3 v = jn_surface_motion(sim->m, sim->w->link, h->a, h->b, jn_contact_point_place(h), h->geometry.n).v;
        for (int r = 1; r < d; r++) set->surface[i * d + r] = v3_dot(h->t[r - 1], v);
    }
}

static void take_friction(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = from; i < to; i++) {
        double mu = sim->m->contacts[set->point[i].row].friction;
        set->mu[i] = mu > 0 ? jn_min(mu, JN_CONTACT_FRICTION_MOST) : 0;
    }
}

int jn_contact_set_rows(jn_contact_set *set, jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    sim->w->counts.contact_rows++;
    for (int k = 0; k < sim->m->nv && x->groups.any_normalised; k++) x->groups.inverse_root[k] = sqrt(sim->w->D_inv[k]);
    if (x->groups.independent) jn_qr_basis(&sim->w->qr, x->groups.basis);
    for (int i = set->count - set->dry; i < set->count; i++) set->mu[i] = 1;
    jn_pool_range(set->pool, set->count - set->dry, JN_SHARED_CONTACTS, take_friction, sim);
    if (set->surface) take_surfaces(set, sim);
    if (jn_contact_set_fill_round(set, sim)) return JN_OK;
    set->start[0] = 0;
    for (int i = 0; i < set->count; i += fill_some(sim, i))
        if (set->start[i] + set->widest > set->entries)
            return jn_sim_fail(sim, JN_ERR_LIMIT,
                               "the contacts at t = %.9g s need more memory than there is\nuse fewer shapes",
                               sim->s->t);
    int status = solve_tied(sim);
    for (int i = set->count - set->dry; i < set->count; i++) jn_dry_close_row(set, i, sim->m->nv);
    return status < 0 ? jn_sim_fail(sim, status, "the joints lock at t = %.9g s\ntake smaller steps", sim->s->t)
                      : JN_OK;
}
