/* Joint frames: from what the user wrote to a point and axes on each of the two bodies. */
#include "algebra/elementary.h"
#include "model/builder.h"

static bool is_zero(jn_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static int fail(jn_builder *b, const jn_joint_desc *j, const char *text) {
    return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, j->where, NULL, "joint '%s': %s", j->name, text);
}

/* Right-handed axes with z along the joint's axis. x is axis2 made normal to z, or any normal. In a planar model x and
 * y stay in the plane for a hinge; for a slider x points out of it, so that y is its normal within the plane. */
static jn_mat3 axes_from(jn_vec3 z, jn_vec3 axis2, bool planar) {
    jn_vec3 x = v3_axpy(-v3_dot(axis2, z), z, axis2);
    if (v3_norm(x) < 1e-9) x = planar ? (fabs(z.z) > 0.5 ? v3(1, 0, 0) : v3(0, 0, 1)) : v3_any_normal(z);
    x = v3_unit(x);
    return m3_from_columns(x, v3_cross(z, x), z);
}

static int check_axis(jn_builder *b, const jn_joint_desc *j, jn_vec3 axis) {
    const double *c = &axis.x;
    if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2]))
        return fail(b, j, "the axis is not finite\nwrite numbers");
    if (is_zero(axis)) return fail(b, j, "the axis is missing or zero\nwrite axis: [0, 0, 1], or x, y, z");
    if (!b->d->planar) return JN_OK;
    if ((j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_REVOLUTE_CLEARANCE) &&
        jn_hypot_safe(axis.x, axis.y) > 1e-12 * fabs(axis.z))
        return fail(b, j, "a hinge of a planar model turns about z\nleave the axis away");
    bool slides = j->type == JN_JOINT_PRISMATIC || j->type == JN_JOINT_POINT_ON_LINE ||
                  j->type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
    if (slides && axis.z != 0)
        return fail(b, j, "the axis must lie in the xy plane of a planar model\nwrite axis: [x, y]");
    return JN_OK;
}

/* Global placement: the same point and axes on both bodies, seen from each. */
static void place_global(jn_builder *b, int k, const jn_joint_frame frame[2], const jn_mat3 *E) {
    const jn_joint_desc *j = &b->d->joints[k];
    for (int s = 0; s < 2; s++) {
        const jn_pose *pose = &b->drawn[j->body[s]];
        jn_mat3 Rt = m3_transpose(&pose->R);
        b->side[k][s] = (jn_side){j->body[s], m3_mul_v(&Rt, v3_sub(frame[s].at, pose->p)), m3_mul(&Rt, E)};
    }
}

/* Placement by a frame on each body. Where the second direction is not given, the drawn configuration is zero. */
static void place_local(jn_builder *b, int k, const jn_joint_frame frame[2]) {
    const jn_joint_desc *j = &b->d->joints[k];
    for (int s = 0; s < 2; s++)
        b->side[k][s] = (jn_side){j->body[s], frame[s].at, axes_from(frame[s].axis, frame[s].axis2, b->d->planar)};
    if (!is_zero(frame[0].axis2) && !is_zero(frame[1].axis2)) return;
    const jn_pose *A = &b->drawn[j->body[0]], *B = &b->drawn[j->body[1]];
    jn_vec3 x_world = m3_mul_v(&A->R, m3_column(&b->side[k][0].E, 0));
    b->side[k][1].E = axes_from(frame[1].axis, m3_tmul_v(&B->R, x_world), b->d->planar);
}

/* Joints with free rotation: their axes are the world's as drawn, carried by the first body. A spherical joint is at zero as
 * drawn; a free joint shows the orientation of the second body's own frame. */
static void place_turning(jn_builder *b, int k, const jn_joint_frame frame[2]) {
    const jn_joint_desc *j = &b->d->joints[k];
    for (int s = 0; s < 2; s++) {
        const jn_pose *pose = &b->drawn[j->body[s]];
        jn_mat3 Rt = m3_transpose(&pose->R);
        jn_vec3 p = j->local ? frame[s].at : m3_mul_v(&Rt, v3_sub(frame[s].at, pose->p));
        b->side[k][s] = (jn_side){j->body[s], p, Rt};
    }
    if (j->type == JN_JOINT_FREE) b->side[k][1].E = m3_identity();
}

static int place_joint(jn_builder *b, int k) {
    const jn_joint_desc *j = &b->d->joints[k];
    const jn_joint_info *info = jn_joint_type_info(j->type);
    jn_joint_frame frame[2] = {j->frame[0], j->frame[1]};
    if (b->d->planar && info->plane_nv < 0 && info->plane_rows <= 0)
        return fail(b, j,
                    "this type needs space\nremove 'plane: xy' or choose revolute, prismatic, fixed, free, distance");
    for (int s = 0; s < 2; s++) {
        bool hinge = j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_REVOLUTE_CLEARANCE;
        if (!info->needs_axis || (b->d->planar && hinge && is_zero(frame[s].axis)))
            frame[s].axis = is_zero(frame[s].axis) ? v3(0, 0, 1) : frame[s].axis;
        int status = check_axis(b, j, frame[s].axis);
        if (status < 0) return status;
        frame[s].axis = v3_unit(frame[s].axis);
    }
    if (j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_SPHERICAL_CLEARANCE || j->type == JN_JOINT_FREE) {
        place_turning(b, k, frame);
        return JN_OK;
    }
    if (j->local) {
        place_local(b, k, frame);
        return JN_OK;
    }
    if (j->type == JN_JOINT_UNIVERSAL && fabs(v3_dot(frame[0].axis, v3_unit(frame[0].axis2))) > 1e-6)
        return fail(b, j,
                    "the two axes of a universal joint must be perpendicular as drawn\nchange axes: [first, second]");
    bool identity = !info->needs_axis;
    jn_mat3 E = identity ? m3_identity() : axes_from(frame[0].axis, frame[0].axis2, b->d->planar);
    place_global(b, k, frame, &E);
    return JN_OK;
}

int jn_build_joint_sides(jn_builder *b) {
    int worst = JN_OK;
    for (int k = 0; k < b->d->joint_count; k++) {
        int status = place_joint(b, k);
        if (status < worst) worst = status;
    }
    return worst;
}

/* Angle of B against A about the common z axis. */
static double angle_z(const jn_mat3 *R) { return jn_atan2(R->m[3], R->m[0]); }

int jn_joint_measure(jn_joint_type type, jn_vec3 pA, const jn_mat3 *EA, jn_vec3 pB, const jn_mat3 *EB, double *out) {
    jn_mat3 EAt = m3_transpose(EA), R = m3_mul(&EAt, EB);
    jn_vec3 d = m3_mul_v(&EAt, v3_sub(pB, pA));
    jn_quat q;
    switch (type) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW: out[0] = angle_z(&R); return 1;
    case JN_JOINT_PRISMATIC: out[0] = d.z; return 1;
    case JN_JOINT_CYLINDRICAL: out[0] = d.z, out[1] = angle_z(&R); return 2;
    case JN_JOINT_UNIVERSAL: out[0] = angle_z(&R), out[1] = jn_atan2(R.m[7], R.m[8]); return 2;
    case JN_JOINT_PLANAR: out[0] = d.x, out[1] = d.y, out[2] = angle_z(&R); return 3;
    case JN_JOINT_SPHERICAL:
        q = q4_from_matrix(&R);
        out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
        return 4;
    case JN_JOINT_FREE:
        q = q4_from_matrix(&R);
        out[0] = d.x, out[1] = d.y, out[2] = d.z, out[3] = q.w, out[4] = q.x, out[5] = q.y, out[6] = q.z;
        return 7;
    default: return 0;
    }
}
