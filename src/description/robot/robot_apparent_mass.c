/* The mass matrix as the bodies stand, and what a joint feels if all others may give way: 1 / (M^-1)_ii. O(n^3), for files that ask for it. */
#include "description/robot/robot_tree.h"

#include <math.h>
#include <string.h>

static jn_lump lump_of(const jn_robot_body *y) {
    jn_lump own = jn_lump_place((jn_lump){y->mass, y->com, y->inertia}, y->at, y->orientation);
    if (!(y->rotor > 0)) return own;
    return jn_lump_add(own, (jn_lump){y->rotor, y->at, {y->rotor, y->rotor, y->rotor, 0, 0, 0}});
}

bool jn_robot_is_behind(const jn_robot *b, int body, int root) {
    while (body >= 0 && body != root) body = b->bodies[body].parent;
    return body >= 0;
}

static void put(jn_robot_coordinate *c, int joint, jn_vec3 at, jn_vec3 axis, bool turns) {
    *c = (jn_robot_coordinate){joint, turns ? axis : v3(0, 0, 0), turns ? v3_cross(at, axis) : axis};
}

static int list_coordinates(const jn_robot *b, jn_robot_coordinate *list) {
    static const jn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int n = 0;
    for (int i = 0; i < b->joint_count; i++) {
        const jn_robot_joint *j = &b->joints[i];
        if (j->loop || j->body[1] < 0) continue;
        if (j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC)
            put(&list[n++], i, j->at, v3_unit(j->axis), j->type == JN_JOINT_REVOLUTE);
        bool slides = j->type == JN_JOINT_FREE, turns = slides || j->type == JN_JOINT_SPHERICAL;
        jn_vec3 at = slides ? b->bodies[j->body[1]].at : j->at;
        for (int k = 0; slides && k < 3; k++) put(&list[n++], i, at, axes[k], false);
        for (int k = 0; turns && k < 3; k++) put(&list[n++], i, at, axes[k], true);
    }
    return n;
}

/* Momentum of the bodies behind a joint that move by a twist: p = m v + w x m c, L = I w + m c x (v + w x c). */
static double kinetic(const jn_lump *all, const jn_robot_coordinate *x, const jn_robot_coordinate *y) {
    jn_vec3 v = v3_add(x->v, v3_cross(x->w, all->com)), p = v3_scale(all->mass, v);
    jn_vec3 L = v3_add(s3_mul_v(&all->inertia, x->w), v3_cross(all->com, p));
    return v3_dot(y->w, L) + v3_dot(y->v, p);
}

static void fill(const jn_robot *b, const jn_robot_coordinate *list, int n, const jn_lump *behind, double *M) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const jn_robot_joint *near = &b->joints[list[k].joint], *far = &b->joints[list[i].joint];
            if (jn_robot_is_behind(b, far->body[1], near->body[1]))
                M[i * n + k] = M[k * n + i] = kinetic(&behind[list[i].joint], &list[i], &list[k]);
        }
    for (int i = 0; i < n; i++)
        if (b->joints[list[i].joint].type != JN_JOINT_FREE) M[i * n + i] += b->joints[list[i].joint].armature;
}

void jn_robot_tree_factor(jn_robot_tree *t) {
    double *M = t->M;
    int n = t->n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double sum = M[i * n + k], size = fabs(sum);
            for (int m = 0; m < k; m++) sum -= M[i * n + m] * M[k * n + m];
            if (i == k)
                M[i * n + i] = sum > 1e-13 * size ? sqrt(sum) : INFINITY;
            else
                M[i * n + k] = sum / M[k * n + k];
        }
}

/* x = L^-1 x; returns |L^-1 x|^2 = x^T M^-1 x. */
static double forward(const jn_robot_tree *t, double *x) {
    const double *L = t->M;
    double sum = 0;
    for (int r = 0; r < t->n; r++) {
        for (int m = 0; m < r; m++) x[r] -= L[r * t->n + m] * x[m];
        x[r] /= L[r * t->n + r];
        sum += x[r] * x[r];
    }
    return sum;
}

void jn_robot_tree_solve(const jn_robot_tree *t, double *x) {
    forward(t, x);
    for (int r = t->n - 1; r >= 0; r--) {
        for (int m = r + 1; m < t->n; m++) x[r] -= t->M[m * t->n + r] * x[m];
        x[r] /= t->M[r * t->n + r];
    }
}

bool jn_robot_tree_create(jn_robot *b, jn_robot_tree *t) {
    jn_store *store = b->r->scratch;
    t->list = jn_store_array(store, (size_t)(6 * b->joint_count + 1), sizeof *t->list);
    t->behind = jn_store_array(store, (size_t)b->joint_count + 1, sizeof *t->behind);
    t->n = t->list ? list_coordinates(b, t->list) : 0;
    t->M = jn_store_array(store, (size_t)t->n * (size_t)(t->n + 1) + 1, sizeof *t->M);
    if (!t->list || !t->behind || !t->M) return jn_read_no_memory(b->r);
    t->row = t->M + (size_t)t->n * (size_t)t->n;
    return true;
}

void jn_robot_tree_fill(const jn_robot *b, jn_robot_tree *t) {
    list_coordinates(b, t->list);
    memset(t->M, 0, (size_t)t->n * (size_t)t->n * sizeof *t->M);
    for (int j = 0; j < b->joint_count; j++) {
        t->behind[j] = (jn_lump){0};
        for (int i = 0; i < b->body_count && b->joints[j].body[1] >= 0; i++)
            if (jn_robot_is_behind(b, i, b->joints[j].body[1]) && lump_of(&b->bodies[i]).mass > 0)
                t->behind[j] = jn_lump_add(t->behind[j], lump_of(&b->bodies[i]));
    }
    fill(b, t->list, t->n, t->behind, t->M);
}

/* Cholesky's factor of the mass matrix as drawn. */
static bool factor_tree(jn_robot *b, jn_robot_tree *t) {
    if (!jn_robot_tree_create(b, t)) return false;
    jn_robot_tree_fill(b, t);
    jn_robot_tree_factor(t);
    return true;
}

bool jn_robot_apparent_inertias(jn_robot *b, double *inertia) {
    jn_robot_tree t;
    if (!factor_tree(b, &t)) return false;
    for (int j = 0; j < b->joint_count; j++) inertia[j] = 0;
    for (int i = 0; i < t.n; i++) {
        for (int k = 0; k < t.n; k++) t.row[k] = k == i;
        inertia[t.list[i].joint] += forward(&t, t.row);
    }
    for (int j = 0; j < b->joint_count; j++)
        inertia[j] = inertia[j] > 0 ? jn_joint_type_info(b->joints[j].type)->nv / inertia[j] : 0;
    return true;
}

bool jn_robot_apparent_mass_at(jn_robot *b, int body, jn_vec3 p, double *mass, double *inertia) {
    jn_robot_tree t;
    double sum[2] = {0, 0};
    if (!factor_tree(b, &t)) return false;
    for (int k = 0; k < 6; k++) { /* rows of the point's velocity and of the angular velocity */
        for (int i = 0; i < t.n; i++) {
            const jn_robot_coordinate *c = &t.list[i];
            jn_vec3 way = k < 3 ? v3_add(c->v, v3_cross(c->w, p)) : c->w;
            t.row[i] = jn_robot_is_behind(b, body, b->joints[c->joint].body[1]) ? v3_dot(v3_axis(k % 3), way) : 0;
        }
        sum[k / 3] += forward(&t, t.row);
    }
    *mass = sum[0] > 0 ? 3 / sum[0] : 0, *inertia = sum[1] > 0 ? 3 / sum[1] : 0;
    return true;
}
