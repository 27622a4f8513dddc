/* What the files of contact rows share: contact_rows.c, contact_paths.c. */
#ifndef JN_STEP_CONTACT_SET_CONTACT_ROWS_H
#define JN_STEP_CONTACT_SET_CONTACT_ROWS_H

#include "algebra/four.h"
#include "step/nonsmooth/nonsmooth.h"

#define JN_ROWS_INLINE static inline __attribute__((always_inline)) /* compiled anew for constants among the arguments */

/* Velocities that one side of a contact moves, ascending. */
typedef struct jn_contact_side {
    int group; /* -1: the ground */
    int count;
    const int *dof;
} jn_contact_side;

/* The velocity k and its ancestors. */
static inline jn_contact_side jn_path_of(const jn_sim *sim, int group, int k) {
    return (jn_contact_side){group, sim->m->dof_depth[k] + 1, sim->m->M_col + sim->m->M_start[k]};
}

/* Those that move a link of a tree: none where it is fixed to the ground. */
static inline jn_contact_side jn_path_of_link(const jn_sim *sim, int group, int link) {
    const jn_link *links = sim->m->links;
    while (link && links[link].nv == 0) link = links[link].parent;
    if (!link) return (jn_contact_side){.group = group};
    return jn_path_of(sim, group, links[link].v + links[link].nv - 1);
}

/* Whether the rows of a group know its trees alone: each velocity its ancestors. */
static inline bool jn_group_has_paths(const jn_group *g) { return g->normalised && !g->held; }

/* Components of the directions of a contact, four at a time; of those that the problem does not have, zero. */
typedef struct jn_contact_axes {
    jn_four x, y, z;
} jn_contact_axes;

static inline jn_contact_axes jn_contact_axes_of(const jn_contact_set *set, const jn_contact_point *h) {
    const jn_vec3 zero = {0, 0, 0}, n = h->geometry.n, s = set->dimension > 1 ? h->t[0] : zero,
                  t = set->dimension > 2 ? h->t[1] : zero;
    return (jn_contact_axes){{n.x, s.x, t.x, 0}, {n.y, s.y, t.y, 0}, {n.z, s.z, t.z, 0}};
}

static inline jn_contact_axes jn_contact_axes_against(jn_contact_axes a) { return (jn_contact_axes){-a.x, -a.y, -a.z}; }

static inline void jn_rows_add_along(const jn_contact_axes *along, jn_vec3 v, double *row) {
    JN_FOUR(row) += jn_four_dot3(along->x, v.x, along->y, v.y, along->z, v.z);
}

/* The six of a free joint whose axes are those of the world: products with their zeros are left out. */
static inline void jn_rows_add_free(const jn_contact_axes *along, jn_vec3 arm, double (*row)[8], int first) {
    const jn_four x = along->x, y = along->y, z = along->z;
    JN_FOUR(row[0] + first) += x, JN_FOUR(row[1] + first) += y, JN_FOUR(row[2] + first) += z;
    JN_FOUR(row[3] + first) += jn_four_fma(z, arm.y, y * -arm.z);
    JN_FOUR(row[4] + first) += jn_four_fma(z, -arm.x, x * arm.z);
    JN_FOUR(row[5] + first) += jn_four_fma(y, arm.x, x * -arm.y);
}

/* What each velocity of a link's joint does to a point of the link or behind it, along the directions of a contact; S, row: of the first of them. */
static inline void jn_rows_add_joint(const jn_contact_axes *along, const jn_link *l, const jn_twist *S, jn_vec3 arm,
                                     double (*row)[8], int first) {
    if (l->type == JN_JOINT_REVOLUTE) {
        jn_rows_add_along(along, v3_cross(S->w, arm), row[0] + first);
        return;
    }
    if (l->type != JN_JOINT_FREE) {
        for (int k = 0; k < l->nv; k++)
            jn_rows_add_along(along, v3_add(S[k].v, v3_cross(S[k].w, arm)), row[k] + first);
        return;
    }
    if (l->world_axes) {
        jn_rows_add_free(along, arm, row, first);
        return;
    }
    for (int k = 0; k < 3; k++) jn_rows_add_along(along, S[k].v, row[k] + first);
    for (int k = 3; k < 6; k++) jn_rows_add_along(along, v3_cross(S[k].w, arm), row[k] + first);
}

/* What the factor of the inertia M = L^T D L is read from. */
typedef struct jn_tree_factor {
    const double *M, *inverse_root; /* L in its rows, D^-1/2 */
    const jn_M_row *row;
} jn_tree_factor;

static inline jn_tree_factor jn_tree_factor_of(const jn_sim *sim) {
    return (jn_tree_factor){sim->w->M, sim->nonsmooth->groups.inverse_root, sim->m->M_row};
}

/* Velocity i of the first six of a tree leaves the rows of those before it, which stay in registers: own of one contact, more of another. */
JN_ROWS_INLINE void jn_rows_leave_one(const jn_tree_factor *of, int first, jn_four *own, jn_four *more,
                                      double (*row)[8], const int i, const int wide) {
    const double *L = of->M + of->row[first].start + jn_six_start(i), root = of->inverse_root[first + i];
    for (int a = 0; a < i; a++) {
        own[a] -= L[a] * own[i];
        if (wide == 2) more[a] -= L[a] * more[i];
    }
    JN_FOUR(row[i]) = own[i] * root;
    if (wide == 2) JN_FOUR(row[i] + 4) = more[i] * root;
}

/* All of the first six, from the last on; the velocities behind them have left their rows. */
JN_ROWS_INLINE void jn_rows_leave_six(const jn_tree_factor *of, int first, jn_four *own, jn_four *more,
                                      double (*row)[8], const int wide) {
    jn_rows_leave_one(of, first, own, more, row, 5, wide), jn_rows_leave_one(of, first, own, more, row, 4, wide);
    jn_rows_leave_one(of, first, own, more, row, 3, wide), jn_rows_leave_one(of, first, own, more, row, 2, wide);
    jn_rows_leave_one(of, first, own, more, row, 1, wide), jn_rows_leave_one(of, first, own, more, row, 0, wide);
}

/* contact_paths.c: rows of contact i, and of the next one if it is of the same links, where a path to the ground has all its velocities; set->start of those
 * behind. How many: 0 where it is another contact. */
int jn_contact_fill_path(jn_sim *sim, int i);
/* contact_rows.c: whether contact i and the next one are of the same links, and there is room for both. */
bool jn_contact_goes_with_next(const jn_sim *sim, int i);

#endif
