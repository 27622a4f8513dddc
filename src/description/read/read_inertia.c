/* The key inertia of a body: a moment, three of them, six numbers or three rows; and whether a body can have it. */
#include "description/read/inertia.h"
#include "description/read/reader.h"

#include <math.h>
#include <string.h>

/* The three rows of a symmetric matrix. */
static bool read_rows(jn_reader *r, const jn_node *node, double a[6]) {
    double m[3][3];
    for (int i = 0; i < 3; i++) {
        size_t mark = jn_path_item(r, i);
        bool fine = jn_read_numbers(r, node->items[i], JN_MEASURE_INERTIA, 3, m[i]);
        jn_path_back(r, mark);
        if (!fine) {
            return false;
        }
    }
    double scale = fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            if (!(fabs(m[i][j] - m[j][i]) <= 1e-9 * scale)) {
                return jn_read_error(r, node->items[i]->items[j]->where, JN_ERR_MODEL,
                                     "the inertia tensor is not symmetric: %g here, %g across the diagonal", m[i][j],
                                     m[j][i]);
            }
        }
    }
    memcpy(a, (double[6]){m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]}, 6 * sizeof *a);
    return true;
}

/* Moments of a real body: finite, not negative, and none above the sum of the other two. Up to 2 % above is a warning. */
bool jn_check_inertia(jn_reader *r, const jn_node *node, jn_sym3 tensor) {
    double I[3], tolerance;

    if (r->d->planar) {
        return tensor.zz >= 0 ||
               jn_read_error(r, node->where, JN_ERR_MODEL, "the moment of inertia is negative: %g kg m^2", tensor.zz);
    }
    jn_principal_moments(tensor, I);
    tolerance = 1e-9 * (fabs(I[0]) + fabs(I[1]) + fabs(I[2]));
    if (!isfinite(I[0] + I[1] + I[2])) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "the inertia tensor is not finite");
    }
    if (I[0] < -tolerance) {
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "the inertia tensor is not positive: its principal moments are %.6g, %.6g, %.6g kg m^2\ncheck the "
            "signs and the products of inertia",
            I[0], I[1], I[2]);
    }
    if (I[2] > I[0] + I[1] + tolerance && I[2] <= 1.02 * (I[0] + I[1])) { /* rounded or measured data: say so, go on */
        jn_report_add(
            r->report, JN_SEVERITY_WARNING, JN_OK, node->where, NULL,
            "the principal moments of inertia %.6g, %.6g, %.6g kg m^2 are not quite those of a body: the largest is "
            "above the sum of the others by %.2g %%\nlower it to %.6g, or check the values",
            I[0], I[1], I[2], 100 * (I[2] / (I[0] + I[1]) - 1), I[0] + I[1]);
        return true;
    }
    if (I[2] > I[0] + I[1] + tolerance) {
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "no body has this inertia: of its principal moments %.6g, %.6g, %.6g kg m^2 the largest is above the "
            "sum of the others, %.6g > %.6g + %.6g\ncheck the values and their units",
            I[0], I[1], I[2], I[2], I[0], I[1]);
    }
    return true;
}

bool jn_read_inertia(jn_reader *r, const jn_node *node, jn_sym3 *out) {
    double a[6] = {0};
    bool rows = node->kind == JN_NODE_LIST && node->count == 3 && node->items[0]->kind == JN_NODE_LIST;
    bool fine;

    if (node->kind == JN_NODE_SCALAR && r->d->planar) {
        fine = jn_read_number(r, node, JN_MEASURE_INERTIA, &a[2]);
    } else if (rows) {
        fine = read_rows(r, node, a);
    } else if (node->kind == JN_NODE_LIST && (node->count == 3 || node->count == 6)) {
        fine = jn_read_numbers(r, node, JN_MEASURE_INERTIA, node->count, a);
    } else {
        fine = jn_read_error(r, node->where, JN_ERR_MODEL, "expected %s, found %s\nwrite %s",
                             r->d->planar ? "a moment of inertia" : "an inertia tensor", jn_node_kind_text(node),
                             r->d->planar ? "the moment about z, as '5 kg*cm^2'"
                                          : "[Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or three rows");
    }
    *out = r->d->planar && fine ? (jn_sym3){.zz = a[2]} : (jn_sym3){a[0], a[1], a[2], a[3], a[4], a[5]};
    return fine;
}
