/* Places of prims: the operations of xformOpOrder, put together from left to right, each in the axes of those before [OpenUSD, UsdGeomXformable]. */
#include "algebra/elementary.h"
#include "description/robot/usd/usd_stage.h"

#include <math.h>
#include <string.h>


jn_vec3 jn_usd_point(const jn_usd_matrix *m, jn_vec3 x) { return v3_add(m3_mul_v(&m->A, x), m->t); }

static jn_usd_matrix identity(void) { return (jn_usd_matrix){m3_identity(), {0, 0, 0}}; }

static jn_usd_matrix product(const jn_usd_matrix *a, const jn_usd_matrix *b) {
    return (jn_usd_matrix){m3_mul(&a->A, &b->A), jn_usd_point(a, b->t)};
}

/* False if it has none. */
static bool inverse(const jn_usd_matrix *m, jn_usd_matrix *out) {
    jn_vec3 a = m3_column(&m->A, 0), b = m3_column(&m->A, 1), c = m3_column(&m->A, 2);
    double det = v3_dot(a, v3_cross(b, c));
    if (!(fabs(det) > 1e-300)) return false;
    jn_vec3 r0 = v3_scale(1 / det, v3_cross(b, c)), r1 = v3_scale(1 / det, v3_cross(c, a)),
            r2 = v3_scale(1 / det, v3_cross(a, b));
    out->A = (jn_mat3){{r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z}};
    out->t = v3_neg(m3_mul_v(&out->A, m->t));
    return true;
}

static jn_mat3 turn(int axis, double angle) {
    return m3_rotation(v3_axis(axis), jn_cos(angle * JN_DEGREE), jn_sin(angle * JN_DEGREE));
}

/* rotateXYZ turns about x first, then about the fixed y, then z: Rz Ry Rx. */
static bool read_angles(jn_usd_stage *s, const jn_usd_node *n, const char *name, const char *order, jn_mat3 *out) {
    double angle[3] = {0, 0, 0};
    int count = (int)strcspn(order, ":");
    if (!jn_usd_numbers(s, n, name, count == 3 ? 3 : 1, angle)) return false;
    *out = m3_identity();
    for (int k = 0; k < count; k++) {
        int axis = order[k] - 'X';
        jn_mat3 R = turn(axis, count == 3 ? angle[axis] : angle[0]);
        *out = m3_mul(&R, out);
    }
    return true;
}

static bool read_matrix(jn_usd_stage *s, const jn_usd_node *n, const char *name, jn_usd_matrix *out) {
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    if (!jn_usd_numbers(s, n, name, 16, m)) return false;
    if (fabs(m[3]) + fabs(m[7]) + fabs(m[11]) > 1e-9 || !(fabs(m[15] - 1) < 1e-9))
        return jn_read_error(s->b->r, jn_usd_attribute(s, n, name)->value.where, JN_ERR_MODEL,
                             "the last column of '%s' of <%.200s> is not (0, 0, 0, 1)\nwrite a matrix without "
                             "perspective, its displacement in the last row",
                             name, n->path);
    *out = (jn_usd_matrix){{{m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]}},
                           {m[12], m[13], m[14]}}; /* rows are columns of ours */
    return true;
}

static bool is_angles(const char *order) {
    size_t n = strcspn(order, ":");
    if (n == 1) return strchr("XYZ", order[0]) != NULL;
    return n == 3 && memchr(order, 'X', 3) && memchr(order, 'Y', 3) && memchr(order, 'Z', 3);
}

/* Whether the kind of an operation, without its suffix, is this word. */
static bool is_kind(const char *op, const char *word) {
    size_t n = strlen(word);
    return !strncmp(op, word, n) && (op[n] == 0 || op[n] == ':');
}

static bool read_op(jn_usd_stage *s, const jn_usd_node *n, const char *name, jn_where where, jn_usd_matrix *out) {
    const char *op = name + 8; /* behind "xformOp:" */
    jn_vec3 v = {0, 0, 0};
    jn_quat q = q4_identity();
    double x = 0;
    *out = identity();
    if (is_kind(op, "translate")) return jn_usd_vector(s, n, name, &out->t);
    if (is_kind(op, "scale")) {
        v = v3(1, 1, 1);
        if (!jn_usd_vector(s, n, name, &v)) return false;
        out->A.m[0] = v.x, out->A.m[4] = v.y, out->A.m[8] = v.z;
        return true;
    }
    if (is_kind(op, "orient")) {
        if (!jn_usd_quaternion(s, n, name, &q)) return false;
        out->A = q4_matrix(q);
        return true;
    }
    if (is_kind(op, "transform")) return read_matrix(s, n, name, out);
    if (!strncmp(op, "rotate", 6) && is_angles(op + 6)) return read_angles(s, n, name, op + 6, &out->A);
    for (int k = 0; k < 3; k++) {
        char along[12] = "translateX", by[8] = "scaleX";
        along[9] = by[5] = (char)('X' + k);
        if (is_kind(op, along)) {
            if (!jn_usd_numbers(s, n, name, 1, &x)) return false;
            out->t = v3_scale(x, v3_axis(k));
            return true;
        }
        if (is_kind(op, by)) return jn_usd_numbers(s, n, name, 1, &out->A.m[4 * k]);
    }
    return jn_read_error(s->b->r, where, JN_ERR_MODEL,
                         "there is no operation '%.80s' (of <%.200s>)\nwrite xformOp:translate, scale, orient, "
                         "transform, rotateX, rotateXYZ ...",
                         name, n->path);
}

/* A prim's place in its parent. */
static bool read_local(jn_usd_stage *s, jn_usd_node *n, jn_usd_matrix *local) {
    const jn_usd_property *order = jn_usd_attribute(s, n, "xformOpOrder");
    *local = identity();
    if (!order || order->value.count == 0) return true;
    if (order->value.kind != JN_USD_TEXTS)
        return jn_read_error(s->b->r, order->value.where, JN_ERR_MODEL,
                             "xformOpOrder lists operations\nwrite [\"xformOp:translate\", ...]");
    for (int i = 0; i < order->value.count; i++) {
        const char *name = order->value.texts[i];
        jn_usd_matrix m;
        bool back = !strncmp(name, "!invert!", 8);
        if (back) name += 8;
        if (!strcmp(name, "!resetXformStack!")) {
            n->reset = true, *local = identity();
            continue;
        }
        if (strncmp(name, "xformOp:", 8) != 0)
            return jn_read_error(s->b->r, order->value.where, JN_ERR_MODEL,
                                 "'%.80s' in xformOpOrder is no operation\nwrite xformOp:translate and the like", name);
        if (!read_op(s, n, name, order->value.where, &m)) return false;
        if (back && !inverse(&m, &m))
            return jn_read_error(s->b->r, order->value.where, JN_ERR_MODEL,
                                 "'%.80s' of <%.200s> has no inverse\nwrite a scale other than 0", name, n->path);
        *local = product(local, &m);
    }
    const double *a = local->A.m;
    for (int k = 0; k < 9; k++)
        if (!isfinite(a[k]) || !isfinite(v3_get(local->t, k % 3)))
            return jn_read_error(s->b->r, order->value.where, JN_ERR_MODEL,
                                 "the place of <%.200s> is not finite\nwrite finite numbers", n->path);
    return true;
}

static bool place(jn_usd_stage *s, jn_usd_node *n) {
    jn_usd_matrix local;
    if (!read_local(s, n, &local)) return false;
    n->world = product(n->reset ? &s->root->world : &n->parent->world, &local);
    for (int i = 0; i < n->child_count; i++)
        if (!place(s, n->children[i])) return false;
    return true;
}

bool jn_usd_place(jn_usd_stage *s) {
    for (int i = 0; i < s->root->child_count; i++)
        if (!place(s, s->root->children[i])) return false;
    return true;
}

bool jn_usd_split(const jn_usd_matrix *m, int mirror, jn_quat *q, jn_vec3 *scale, bool *mirrored) {
    const double shear = 1e-5; /* cosine of the angle between axes, of files with single precision */
    jn_vec3 c[3];
    double f[3];
    for (int k = 0; k < 3; k++) c[k] = m3_column(&m->A, k), f[k] = v3_norm(c[k]);
    *q = q4_identity(), *scale = v3(f[0], f[1], f[2]), *mirrored = false;
    if (!(f[0] > 0 && f[1] > 0 && f[2] > 0)) return false;
    for (int k = 0; k < 3; k++) c[k] = v3_scale(1 / f[k], c[k]);
    bool fine =
        fabs(v3_dot(c[0], c[1])) < shear && fabs(v3_dot(c[1], c[2])) < shear && fabs(v3_dot(c[2], c[0])) < shear;
    *mirrored = v3_dot(c[0], v3_cross(c[1], c[2])) < 0;
    if (*mirrored) c[mirror] = v3_neg(c[mirror]);
    c[1] = v3_sub(c[1], v3_scale(v3_dot(c[0], c[1]), c[0]));
    if (!(v3_norm(c[1]) > 1e-9)) return false;
    c[1] = v3_unit(c[1]), c[2] = v3_cross(c[0], c[1]);
    jn_mat3 R = m3_from_columns(c[0], c[1], c[2]);
    *q = q4_unit(q4_from_matrix(&R));
    return fine;
}
